(** The realisation filter: paper 004, Theorem 1, for all N and all menus of finite pairs.

    - [realisation_filter]: "The privacy filter described in Algorithm 1 is (epsilon, delta)-DP", where
      dhat + theta (1 - dhat) N <= delta. Both directions, every strategy, retry and halt.
    - [pure_realisation_filter]: Section V-A, the same with delta = 0, and beside it what (13) to (15) add up.
    - [realisation_filter_one_way]: each direction for itself. That of P needs the quantiles of ln(P/Q) under P, the
      other one those of ln(Q/P) under Q: so the filter, like the code, checks both at each request.

    The outcomes of a request that goes beyond the largest dhat-quantile of its allowable set are never released; infinite losses
    are, with the probability that the quantiles allow, and end the interaction one release later. *)

From Coq Require Import Reals Lra Lia List.
From Filterproof Require Import Sums Interaction Divergences Realisation.
Import ListNotations.
Open Scope R_scope.

(** The two probabilities of a transcript, that of the direction first. *)
Definition one (w : way) (x y : R) : R := match w with Forward => x | Backward => y end.
Definition other (w : way) (x y : R) : R := match w with Forward => y | Backward => x end.

Section one_direction.

Variables (epsilon dhat theta : R) (N : nat) (first : way -> R).
Hypotheses (hepsilon : 0 <= epsilon) (hdhat : 0 <= dhat <= 1) (htheta : 0 <= theta) (hfirst : forall w, 0 <= first w).
Hypothesis small : dhat + theta * (1 - dhat) * INR N <= 1.

(** The loss so far is at most z. *)
Definition within (w : way) (s : progress) (z : R) : bool :=
  match add (before s) (last s) with
  | Some l => if Rle_dec (signed w l) z then true else false
  | None => false
  end.

(** The failure probability from here on, k releases having been made, while the last loss was within its quantile. *)
Let ahead (k : nat) : R := dhat + theta * (1 - dhat) * INR (N - k).

Definition failing (w : way) (s : progress) (x y : R) : R :=
  one w x y * if open epsilon s w
            then if within w s (epsilon - reach s w) then ahead (released s) else 1
            else if within w s epsilon then 0 else 1.

(** The state keeps the logarithm of x / y. *)
Definition ledger (w : way) (s : progress) (x y : R) : Prop :=
  0 <= x /\ 0 <= y /\ 0 <= reach s w /\
  match add (before s) (last s) with
  | Some l => one w x y = exp (signed w l) * other w x y
  | None => True
  end.

Lemma ahead_bounds k : dhat <= ahead k <= 1.
Proof.
  unfold ahead. assert (0 <= INR (N - k) <= INR N) by (split; [apply pos_INR|apply le_INR; lia]).
  assert (0 <= theta * (1 - dhat)) by nra. split; [nra|].
  assert (theta * (1 - dhat) * INR (N - k) <= theta * (1 - dhat) * INR N) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Lemma ahead_step k : (k < N)%nat -> ahead k = ahead (S k) + theta * (1 - dhat).
Proof. intros less. unfold ahead. replace (N - k)%nat with (S (N - S k)) by lia. rewrite S_INR. lra. Qed.

Lemma within_means w s z x y : within w s z = true -> ledger w s x y -> one w x y <= exp z * other w x y.
Proof.
  unfold within, ledger. destruct (add (before s) (last s)) as [l|]; [|easy].
  destruct (Rle_dec (signed w l) z) as [less|]; [|easy]. intros _ (hx & hy & _ & ->).
  apply Rmult_le_compat_r; [unfold other; destruct w; easy|now apply exp_le].
Qed.

Lemma within_le w s z z' : z <= z' -> within w s z = true -> within w s z' = true.
Proof.
  unfold within. intros less. destruct (add (before s) (last s)); [|easy].
  destruct (Rle_dec _ z), (Rle_dec _ z'); easy || lra.
Qed.

Lemma one_nonneg w s x y : ledger w s x y -> 0 <= one w x y.
Proof. unfold ledger, one; destruct w; tauto. Qed.

(** Where the analyst stops, the failure is at most what was to come. *)
Lemma failing_at_stop w s x y : ledger w s x y -> pos (one w x y - exp epsilon * other w x y) <= failing w s x y.
Proof.
  intros l. pose proof (one_nonneg w s x y l) as nonneg. pose proof (ahead_bounds (released s)) as [low high].
  assert (hy : 0 <= exp epsilon * other w x y).
  { apply Rmult_le_pos; [left; apply exp_pos|]. unfold ledger, other in *; destruct w; tauto. }
  assert (hr : 0 <= reach s w) by (unfold ledger in l; tauto).
  unfold failing. destruct (open epsilon s w).
  - destruct (within w s (epsilon - reach s w)) eqn:inside; [|apply pos_least; lra].
    apply (within_le _ _ _ epsilon) in inside; [|lra].
    pose proof (within_means w s epsilon x y inside l). apply pos_least; nra.
  - destruct (within w s epsilon) eqn:inside; [|apply pos_least; lra].
    pose proof (within_means w s epsilon x y inside l). apply pos_least; lra.
Qed.

(** One release of an honest mechanism does not raise the failure in the mean. *)
Lemma failing_step w s m x y : ledger w s x y -> honest_one_way dhat theta w m ->
  admits (realisation epsilon N first) s (charge m) = true ->
  let next := after (realisation epsilon N first) s (charge m) in
  (forall i, (i < outcomes m)%nat -> ledger w (next i) (x * P m i) (y * Q m i)) /\
  sum (outcomes m) (fun i => failing w (next i) (x * P m i) (y * Q m i)) <= failing w s x y.
Proof.
  intros l ([[hP oneP] [hQ oneQ]] & losses & qtheta & qdhat & hallows) admitted next.
  assert (keep : forall i, (i < outcomes m)%nat -> ledger w (next i) (x * P m i) (y * Q m i)).
  { intros i less. specialize (hP i less). specialize (hQ i less). specialize (losses i less).
    destruct l as (hx & hy & _ & ratio). split; [nra|]. split; [nra|]. split; [easy|]. cbn.
    destruct (add (before s) (last s)) as [b|]; [|easy]. cbn.
    destruct (loss (charge m) i) as [r|]; [|easy]. unfold one, other in *.
    destruct w; cbn in *; rewrite ratio, losses.
    - rewrite exp_plus; ring.
    - rewrite Ropp_plus_distr, exp_plus.
      assert (inverse : exp (- r) * exp r = 1) by (rewrite <- exp_plus, Rplus_opp_l; apply exp_0).
      replace (exp (- b) * exp (- r) * (x * (exp r * Q m i))) 
        with (exp (- b) * x * Q m i * (exp (- r) * exp r)) by ring.
      rewrite inverse; ring. }
  split; [exact keep|].
  assert (nonneg := one_nonneg w s x y l).
  assert (massive : forall i, (i < outcomes m)%nat -> 0 <= mass w m i) by (unfold mass; destruct w; auto).
  assert (whole : sum (outcomes m) (mass w m) = 1) by (unfold mass; destruct w; auto).
  assert (product : forall i, one w (x * P m i) (y * Q m i) = one w x y * mass w m i)
    by (intros; unfold one, mass; destruct w; ring).
  cbn in admitted. apply Bool.andb_true_iff in admitted as [admitted fitsB].
  apply Bool.andb_true_iff in admitted as [admitted fitsF].
  apply Bool.andb_true_iff in admitted as [admitted less]. apply Nat.ltb_lt in less.
  assert (gate : open epsilon s w = true) by (apply Bool.andb_true_iff in admitted; destruct w; tauto).
  assert (fits : at_most (upper_dhat (charge m) w) (reach s w) = true) by (destruct w; assumption).
  clear admitted fitsB fitsF.
  unfold failing at 2. rewrite gate.
  destruct (within w s (epsilon - reach s w)) eqn:inside.
  2:{ (* the failure has happened, or may have *)
      replace (one w x y * 1) with (sum (outcomes m) (fun i => one w x y * mass w m i))
        by (rewrite sum_scale; now rewrite whole).
      apply sum_le. intros i small_i. unfold failing. rewrite product. pose proof (massive i small_i).
      pose proof (ahead_bounds (released (next i))) as [_ high].
      assert (0 <= one w x y * mass w m i) by nra.
      destruct (open epsilon (next i) w); destruct (within w (next i) _); nra. }
  rewrite (ahead_step _ less).
  (* the loss so far is b, which is at most epsilon - reach *)
  unfold within in inside. destruct (add (before s) (last s)) as [b|] eqn:sofar; [|easy].
  destruct (Rle_dec (signed w b) (epsilon - reach s w)) as [room|]; [clear inside|easy].
  assert (plus : forall r, signed w (b + r) = signed w b + signed w r) by (intros; unfold signed; destruct w; ring).
  assert (opened : forall i, open epsilon (next i) w =
    match upper_theta (charge m) w with
    | Some q => if Rle_dec (q + allows (charge m) w) (epsilon - signed w b) then true else false
    | None => false
    end) by (intros; unfold open, next; cbn; now rewrite sofar).
  set (V := ahead (S (released s))) in *.
  pose proof (ahead_bounds (S (released s))) as [lowV highV]. fold V in lowV, highV.
  assert (theta_part : 0 <= theta * (1 - dhat)) by nra.
  destruct (match upper_theta (charge m) w with
            | Some q => if Rle_dec (q + allows (charge m) w) (epsilon - signed w b) then true else false
            | None => false end) eqn:go.
  - (* request i + 2 will be allowed: all but theta of the outcomes are within their quantile *)
    destruct (upper_theta (charge m) w) as [q|]; [|easy].
    destruct (Rle_dec (q + allows (charge m) w) (epsilon - signed w b)) as [look|]; [clear go|easy]. cbn in qtheta.
    set (tail := sum (outcomes m) (fun i => if beyond w q (loss (charge m) i) then mass w m i else 0)) in qtheta.
    assert (positive : 0 <= tail).
    { apply sum_nonneg; intros. destruct (beyond _ _ _); [now apply massive|lra]. }
    apply Rle_trans with (one w x y * (V + (1 - V) * tail)); [|apply Rmult_le_compat_l; [easy|nra]].
    apply Rle_trans with (sum (outcomes m) (fun i => one w x y * (V * mass w m i + (1 - V) *
      (if beyond w q (loss (charge m) i) then mass w m i else 0)))).
    2:{ rewrite sum_scale, sum_plus, !sum_scale, whole. unfold tail. apply Req_le; ring. }
    apply sum_le. intros i small_i. unfold failing. rewrite product, opened. pose proof (massive i small_i).
    assert (0 <= one w x y * mass w m i) by nra.
    change (ahead (released (next i))) with V.
    change (reach (next i) w) with (allows (charge m) w).
    destruct (beyond w q (loss (charge m) i)) eqn:far.
    + destruct (within w (next i) _); nra.
    + replace (within w (next i) (epsilon - allows (charge m) w)) with true; [nra|].
      unfold within, next; cbn. rewrite sofar. cbn. unfold beyond in far.
      destruct (loss (charge m) i) as [r|]; [|easy]. rewrite plus.
      destruct (Rle_dec (signed w r) q); [|easy]. destruct (Rle_dec _ _); [easy|lra].
  - (* this was the last release, and all but dhat of its outcomes stay within reach *)
    destruct (upper_dhat (charge m) w) as [q|]; [|easy]. cbn in fits, qdhat.
    destruct (Rle_dec q (reach s w)) as [near|]; [|easy].
    apply Rle_trans with (one w x y * dhat); [|apply Rmult_le_compat_l; [easy|lra]].
    apply Rle_trans with (sum (outcomes m) (fun i => one w x y *
      (if beyond w q (loss (charge m) i) then mass w m i else 0))).
    2:{ rewrite sum_scale. now apply Rmult_le_compat_l. }
    apply sum_le. intros i small_i. unfold failing. rewrite product, opened. pose proof (massive i small_i).
    assert (0 <= one w x y * mass w m i) by nra.
    destruct (beyond w q (loss (charge m) i)) eqn:far; [destruct (within w (next i) _); nra|].
    replace (within w (next i) epsilon) with true; [lra|].
    unfold within, next; cbn. rewrite sofar. cbn. unfold beyond in far.
    destruct (loss (charge m) i) as [r|]; [|easy]. rewrite plus.
    destruct (Rle_dec (signed w r) q); [|easy]. destruct (Rle_dec _ _); [easy|lra].
Qed.

(** Theorem 1 in one direction: the hockey-stick divergence of the transcript is at most dhat + theta (1 - dhat) N. *)
Theorem realisation_filter_one_way w t : honest (honest_one_way dhat theta w) t ->
  over (realisation epsilon N first) t (fun _ x y => pos (one w x y - exp epsilon * other w x y))
  <= dhat + theta * (1 - dhat) * INR N.
Proof.
  intros hon. unfold over.
  set (F := realisation epsilon N first).
  assert (begin : ledger w (start F) 1 1).
  { split; [lra|]. split; [lra|]. split; [apply hfirst|]. cbn.
    unfold one, other. destruct w; cbn; rewrite Rplus_0_l, ?Ropp_0, exp_0; lra. }
  eapply Rle_trans.
  { apply (potential F (honest_one_way dhat theta w) _ (ledger w) (failing w))
      with (s := start F); [| |exact hon|exact begin].
    - intros s tau x y l. now apply failing_at_stop.
    - intros s m x y l okm admitted. now apply failing_step. }
  pose proof (ahead_bounds 0) as [low high]. unfold failing. cbn [start F realisation state released].
  assert (ahead 0 = dhat + theta * (1 - dhat) * INR N) as <- by (unfold ahead; now rewrite Nat.sub_0_r).
  assert (one w 1 1 = 1) as -> by (unfold one; now destruct w). rewrite Rmult_1_l.
  assert (all : forall z, 0 <= z -> within w (Progress (Some 0) (Some 0) (fun _ => Some 0) 0 first) z = true).
  { intros z hz. unfold within; cbn. rewrite Rplus_0_l. destruct (Rle_dec (signed w 0) z) as [|far]; [easy|].
    destruct w; cbn in far; lra. }
  specialize (hfirst w). cbn [reach].
  destruct (open epsilon (Progress (Some 0) (Some 0) (fun _ => Some 0) 0 first) w) eqn:gate; rewrite all; try lra.
  unfold open in gate; cbn in gate. destruct (Rle_dec (0 + first w) (epsilon - signed w 0)) as [room|]; [|easy].
  destruct w; cbn in room; lra.
Qed.

End one_direction.

(** Claim: Algorithm 1 over any N and any menus: where dhat + theta (1 - dhat) N <= delta <= 1, epsilon and theta >= 0
    and 0 <= dhat <= 1, the transcript is (epsilon, delta)-DP in both directions.
    Source: Taylor, Vippathalla & Coon, Theorem 1
    Beyond: That a quantile of the code is one of the theorem's is certified apart. *)
Theorem realisation_filter epsilon delta dhat theta N first :
  0 <= epsilon -> 0 <= dhat <= 1 -> 0 <= theta -> (forall w, 0 <= first w) ->
  dhat + theta * (1 - dhat) * INR N <= delta -> delta <= 1 ->
  promises_delta (realisation epsilon N first) (realisation_honest dhat theta) epsilon delta.
Proof.
  intros he hd ht hr split_delta hdelta t hon.
  assert (ways : forall w, over (realisation epsilon N first) t
      (fun _ x y => pos (one w x y - exp epsilon * other w x y)) <= delta).
  { intros w. eapply Rle_trans; [apply (realisation_filter_one_way epsilon dhat theta); auto; [lra|]|lra].
    revert hon. apply honest_weaken. intros m all. apply all. }
  split.
  - apply hockey_stick_bounds_events, (ways Forward).
  - intros S. pose proof (hockey_stick_bounds_events (realisation epsilon N first) (swapped t) epsilon delta) as events.
    unfold hockey_stick, approximately_private, Pr_P, Pr_Q in *. rewrite over_swapped in events.
    specialize (events (ways Backward) S). now rewrite !over_swapped in events.
Qed.

(** ** Section V-A: delta = 0 *)

(** Pure DP by realised losses, (15): the losses of the releases but the last, its largest loss and the largest of the
    allowable set stay within epsilon, in both directions. The transcript is epsilon-DP, for every N. *)
(** Claim: Algorithm 1 with largest losses for its quantiles is epsilon-DP for every N.
    Source: Taylor, Vippathalla & Coon, Section V-A, (15) *)
Theorem pure_realisation_filter epsilon N first : 0 <= epsilon -> (forall w, 0 <= first w) ->
  promises_delta (realisation epsilon N first) (realisation_honest 0 0) epsilon 0.
Proof. intros he hf. apply realisation_filter; auto; lra. Qed.

(** What (13) adds up, where [c] are the largest losses over all requests, is at least what (15) does, after any losses
    [l]: so whatever classical composition releases, the filter of realised losses releases. *)
(** Claim: After any losses, what (15) compares with epsilon, the losses so far and the largest of the next two rounds,
    is at most the sum (13) of the largest losses of all these rounds.
    Source: Taylor, Vippathalla & Coon, Section V-A *)
Theorem realised_is_at_most_classical t (l c : nat -> R) own reach : (forall i, (i < t)%nat -> l i <= c i) ->
  own <= c t -> reach <= c (S t) -> sum t l + (own + reach) <= sum (S (S t)) c.
Proof. intros less ho hr. cbn. pose proof (sum_le t l c less). lra. Qed.

(** (14) adds up what the mechanisms could lose. "The term A + B grows with t": not on every transcript. Where each of
    t outputs realises the largest loss of its mechanism, a, and the allowable set has one of b > a, the sum of
    (15) is above that of (14), by b - a, for every t. *)
(** Claim: The sum A + B that is said to grow with t stays zero where every output realises the largest loss: if the
    allowable set has a dearer mechanism, (15) is above (14) for every t.
    Source: Taylor, Vippathalla & Coon, Section V-A, where it is said of no class of transcripts *)
Theorem no_growth_on_every_path a b t : a < b ->
  sum t (fun _ => a) + (a + b) = sum (S (S t)) (fun _ => a) + (b - a) /\
  sum t (fun _ => a) + (a + b) > sum (S (S t)) (fun _ => a).
Proof. intros less. cbn. lra. Qed.
