(** The realisation filter for mechanisms with outcomes of any kind (Taylor, Vippathalla & Coon, Algorithm 1 and
    Theorem 1); [RealisationFilter] has the finite case.

    - [realisation_filter_any]: where dhat + theta (1 - dhat) N <= delta, the transcript is (epsilon,
      delta)-DP both ways;
    - [realisation_filter_one_way_any]: each direction for itself. That of P needs the quantiles of ln(P/Q) under P, the
      other one those of ln(Q/P) under Q: so the filter, like the code, checks both at each request. *)

From Coq Require Import Reals Lra Lia List FunctionalExtensionality.
From Coquelicot Require Import Rbar.
From Filterproof Require Import Realisation.
From Filterproof Require Import Sums Divergences Integrals AnyOutcomes AnyOutcomesFilters GaussianAnyOutcomes.
Open Scope R_scope.

(** What is declared of a mechanism, as in [Realisation]; the loss is that of each outcome that may be released. *)
Record declared := Declare {
  loss : event -> option R;
  upper_theta : way -> option R;
  upper_dhat : way -> option R;
  allows : way -> R
}.

Definition density_of (w : way) (m : request declared) : outcome m -> R :=
  match w with Forward => P m | Backward => Q m end.

Definition loss_at (m : request declared) (i : outcome m) : option R := loss (charge m) (Released i).

(** The density of the outcomes whose loss exceeds q. *)
Definition tail (w : way) (m : request declared) (q : R) (i : outcome m) : R :=
  if beyond w q (loss_at m i) then density_of w m i else 0.

(** The loss exceeds q with probability at most z. *)
Definition quantile_at_most (w : way) (m : request declared) (z : R) (q : option R) : Prop :=
  match q with
  | Some q => Rbar_le (value (base m) (fun i => tail w m q i)) z
  | None => True
  end.

(** The declared losses are those of the two densities; only where one has no density may a loss be infinite. *)
Definition true_losses (m : request declared) : Prop := forall i,
  match loss_at m i with
  | Some r => P m i = exp r * Q m i
  | None => P m i = 0 \/ Q m i = 0
  end.

Definition honest_one_way (dhat theta : R) (w : way) (m : request declared) : Prop :=
  laws m /\ true_losses m /\
  quantile_at_most w m theta (upper_theta (charge m) w) /\ quantile_at_most w m dhat (upper_dhat (charge m) w) /\
  0 <= allows (charge m) w.

Definition realisation_honest_any (dhat theta : R) (m : request declared) : Prop :=
  forall w, honest_one_way dhat theta w m.

(** Algorithm 1 as the code runs it. *)
Definition realisation_any (epsilon : R) (N : nat) (first : way -> R) : filter declared :=
  Filter progress (Progress (Some 0) (Some 0) (fun _ => Some 0) 0 first)
    (fun s c => open epsilon s Forward && open epsilon s Backward &&
                Nat.ltb (released s) N &&
                at_most (upper_dhat c Forward) (reach s Forward) &&
                at_most (upper_dhat c Backward) (reach s Backward))%bool
    (fun s c e => Progress (add (before s) (last s)) (loss c e) (upper_theta c)
                    (S (released s)) (allows c)).

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

Lemma failing_is w s x y : failing w s x y = one w x y *
  (if open epsilon s w then if within w s (epsilon - reach s w) then ahead (released s) else 1
   else if within w s epsilon then 0 else 1).
Proof. reflexivity. Qed.

(** What is at most a constant share of the density, and 1 - that share of its tail. *)
Lemma tail_step (w : way) (m : request declared) (z b c : R) (q : option R) (f : outcome m -> R) : laws m ->
  0 <= b -> 0 <= c <= 1 -> quantile_at_most w m z q -> (forall i, 0 <= f i) ->
  match q with
  | Some q => forall i, f i <= b * (if beyond w q (loss_at m i) then density_of w m i else c * density_of w m i)
  | None => False
  end -> Rbar_le (value (base m) (fun i => f i)) (b * (c + (1 - c) * z)).
Proof.
  intros [lp lq] hb hc few low below. destruct q as [q|]; [|easy]. cbn in few.
  assert (density (base m) (density_of w m)) as ld by (destruct w; easy). pose proof ld as [nonneg _].
  assert (forall i, 0 <= tail w m q i) as ht by (intros i; unfold tail; destruct (beyond _ _ _); [apply nonneg|lra]).
  assert (0 <= b * c /\ 0 <= b * (1 - c)) as [h1 h2] by (split; apply Rmult_le_pos; lra).
  apply Rbar_le_trans with (value (base m) (fun i => Rbar_plus (b * c * density_of w m i) (b * (1 - c) * tail w m q
    i))).
  - apply value_le; [easy|]. intros i. cbn. specialize (below i). specialize (nonneg i). unfold tail.
    destruct (beyond w q (loss_at m i)); nra.
  - eapply Rbar_le_trans; [apply (value_plus _ (fun i => b * c * density_of w m i) (fun i => b * (1 - c) * tail w m q
    i));
      intros i; cbn; apply Rmult_le_pos; easy|].
    replace (Finite (b * (c + (1 - c) * z))) with (Rbar_plus (b * c) (b * (1 - c) * z)) by (cbn; f_equal; ring).
    apply Rbar_plus_le_compat; [apply value_density; [exact ld|lra]|]. apply value_times_le; [lra|exact ht|exact few].
Qed.

(** One release of an honest mechanism does not raise the failure in the mean. *)
Lemma failing_step_any w s m x y : ledger w s x y -> honest_one_way dhat theta w m ->
  admits (realisation_any epsilon N first) s (charge m) = true ->
  let next i := after (realisation_any epsilon N first) s (charge m) (Released (X := outcome m) i) in
  (forall i, ledger w (next i) (x * P m i) (y * Q m i)) /\
  Rbar_le (value (base m) (fun i => failing w (next i) (x * P m i) (y * Q m i))) (failing w s x y).
Proof.
  intros l (both & losses & qtheta & qdhat & hallows) admitted next. pose proof both as [[hP oneP] [hQ oneQ]].
  assert (keep : forall i, ledger w (next i) (x * P m i) (y * Q m i)).
  { intros i. specialize (hP i). specialize (hQ i). specialize (losses i). unfold loss_at in losses.
    destruct l as (hx & hy & _ & ratio). split; [nra|]. split; [nra|]. split; [easy|]. cbn.
    destruct (add (before s) (last s)) as [b|]; [|easy]. cbn.
    destruct (loss (charge m) (Released i)) as [r|]; [|easy].
      unfold one, other in *.
    destruct w; cbn in *; rewrite ratio, losses.
    - rewrite exp_plus; ring.
    - rewrite Ropp_plus_distr, exp_plus.
      assert (inverse : exp (- r) * exp r = 1) by (rewrite <- exp_plus, Rplus_opp_l; apply exp_0).
      replace (exp (- b) * exp (- r) * (x * (exp r * Q m i)))
        with (exp (- b) * x * Q m i * (exp (- r) * exp r)) by ring.
      rewrite inverse; ring. }
  split; [exact keep|].
  assert (nonneg : 0 <= one w x y) by (unfold one; destruct l as (hx & hy & _); now destruct w).
  assert (ld : density (base m) (density_of w m)) by (destruct w; easy). pose proof ld as [massive _].
  assert (product : forall i, one w (x * P m i) (y * Q m i) = one w x y * density_of w m i)
    by (intros; unfold one, density_of; destruct w; ring).
  assert (unit_range : forall i, 0 <= failing w (next i) (x * P m i) (y * Q m i) <= one w x y * density_of w m i).
  { intros i. rewrite failing_is, product. pose proof (ahead_bounds (released (next i))).
    assert (0 <= one w x y * density_of w m i) by (apply Rmult_le_pos; easy).
    destruct (open epsilon (next i) w); destruct (within w (next i) _); split; nra. }
  cbn in admitted. apply Bool.andb_true_iff in admitted as [admitted fitsB].
  apply Bool.andb_true_iff in admitted as [admitted fitsF].
  apply Bool.andb_true_iff in admitted as [admitted less]. apply Nat.ltb_lt in less.
  assert (gate : open epsilon s w = true) by (apply Bool.andb_true_iff in admitted; destruct w; tauto).
  assert (fits : at_most (upper_dhat (charge m) w) (reach s w) = true) by (destruct w; assumption).
  clear admitted fitsB fitsF.
  rewrite (failing_is w s x y), gate.
  destruct (within w s (epsilon - reach s w)) eqn:inside.
  2:{ (* the failure has happened, or may have *)
      rewrite Rmult_1_r. eapply Rbar_le_trans; [|apply (value_density (base m) (density_of w m)); [easy|easy]].
      apply value_le; intros i; apply unit_range. }
  rewrite (ahead_step _ less).
  (* the loss so far is b, which is at most epsilon - reach *)
  unfold within in inside.
  destruct (add (before s) (last s)) as [b|] eqn:sofar; [|easy].
  destruct (Rle_dec (signed w b) (epsilon - reach s w)) as [room|]; [clear inside|easy].
  assert (plus : forall r, signed w (b + r) = signed w b + signed w r).
  { intros; unfold signed; destruct w; ring. }
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
    apply Rbar_le_trans with (Finite (one w x y * (V + (1 - V) * theta))); [|cbn; apply Rmult_le_compat_l; [easy|nra]].
    apply (tail_step w m theta _ V (upper_theta (charge m) w)); try easy; [lra|intros; apply unit_range|].
    destruct (upper_theta (charge m) w) as [q|]; [|easy].
    destruct (Rle_dec (q + allows (charge m) w) (epsilon - signed w b)) as [look|]; [clear go|easy].
    intros i. destruct (beyond w q (loss_at m i)) eqn:far; [apply unit_range|].
    rewrite failing_is, product, opened. rewrite Rmult_assoc. apply Rmult_le_compat_l; [easy|].
    rewrite Rmult_comm. apply Rmult_le_compat_r; [easy|].
    change (ahead (released (next i))) with V.
    change (reach (next i) w) with (allows (charge m) w).
    replace (within w (next i) (epsilon - allows (charge m) w)) with true; [lra|].
    unfold within, next; cbn. rewrite sofar. cbn. unfold beyond, loss_at in far.
    destruct (loss (charge m) (Released i)) as [r|]; [|easy]. rewrite plus.
    destruct (Rle_dec (signed w r) q); [|easy]. destruct (Rle_dec _ _); [easy|lra].
  - (* this was the last release, and all but dhat of its outcomes stay within reach *)
    apply Rbar_le_trans with (Finite (one w x y * (0 + (1 - 0) * dhat))); [|cbn; apply Rmult_le_compat_l; [easy|lra]].
    apply (tail_step w m dhat _ 0 (upper_dhat (charge m) w)); try easy; [lra|intros; apply unit_range|].
    destruct (upper_dhat (charge m) w) as [q|]; [|easy]. cbn in fits.
    destruct (Rle_dec q (reach s w)) as [near|]; [|easy].
    intros i. destruct (beyond w q (loss_at m i)) eqn:far; [apply unit_range|].
    rewrite failing_is, product, opened.
    replace (within w (next i) epsilon) with true; [right; ring|].
    unfold within, next; cbn. rewrite sofar. cbn. unfold beyond, loss_at in far.
    destruct (loss (charge m) (Released i)) as [r|]; [|easy]. rewrite plus.
    destruct (Rle_dec (signed w r) q); [|easy]. destruct (Rle_dec _ _); [easy|lra].
Qed.

(** Theorem 1 in one direction. *)
Theorem realisation_filter_one_way_any w t : honest (honest_one_way dhat theta w) t ->
  Rbar_le (over (realisation_any epsilon N first) t (fun _ x y => pos (one w x y - exp epsilon * other w x y)))
    (dhat + theta * (1 - dhat) * INR N).
Proof.
  intros hon. unfold over. set (F := realisation_any epsilon N first).
  assert (begin : ledger w (start F) 1 1).
  { split; [lra|]. split; [lra|]. split; [apply hfirst|]. cbn.
    unfold one, other. destruct w; cbn; rewrite Rplus_0_l, ?Ropp_0, exp_0; lra. }
  apply Rbar_le_trans with (Finite (failing w (start F) 1 1)).
  - apply (potential_any F (honest_one_way dhat theta w) _ (ledger w) (failing w)); [| |exact hon|exact begin].
    + intros s tau x y l. split; [apply pos_nonneg|]. now apply failing_at_stop.
    + intros s m x y l okm admitted. now apply failing_step_any.
  - pose proof (ahead_bounds 0) as [low high]. rewrite failing_is.
    cbn [start F realisation_any released Rbar_le].
    assert (ahead 0 = dhat + theta * (1 - dhat) * INR N) as <- by (unfold ahead; now rewrite Nat.sub_0_r).
    assert (one w 1 1 = 1) as -> by (unfold one; now destruct w). rewrite Rmult_1_l.
    destruct (open epsilon _ w) eqn:gate; destruct (within w _ _) eqn:inside; try lra.
    + exfalso. specialize (hfirst w). unfold open in gate; cbn in gate.
      destruct (Rle_dec (0 + first w) (epsilon - signed w 0)) as [room|]; [|easy].
      unfold within in inside; cbn in inside. rewrite Rplus_0_l in inside.
      destruct (Rle_dec (signed w 0) (epsilon - first w)) as [|far]; [easy|]. destruct w; cbn in far, room; lra.
    + exfalso. unfold within in inside; cbn in inside. rewrite Rplus_0_l in inside.
      destruct (Rle_dec (signed w 0) epsilon) as [|far]; [easy|]. destruct w; cbn in far; lra.
Qed.

End one_direction.

(** Claim: Algorithm 1 over any N and any menus: where dhat + theta (1 - dhat) N <= delta <= 1, epsilon and theta >= 0
    and 0 <= dhat <= 1, the transcript is (epsilon, delta)-DP in both directions.
    Source: Taylor, Vippathalla & Coon, Theorem 1
    Covers: mechanisms with outcomes of any kind that have two densities against an integral
    Beyond: That a quantile of the code is one of the theorem's is certified apart; that the iterated integral of
    measurable strategies and sets is the one against the law of the transcript, which is Tonelli's theorem. *)
Theorem realisation_filter_any epsilon delta dhat theta N first :
  0 <= epsilon -> 0 <= dhat <= 1 -> 0 <= theta -> (forall w, 0 <= first w) ->
  dhat + theta * (1 - dhat) * INR N <= delta -> delta <= 1 ->
  promises_delta_any (realisation_any epsilon N first) (realisation_honest_any dhat theta) epsilon delta.
Proof.
  intros he hd ht hr split_delta hdelta t hon.
  assert (ways : forall w, Rbar_le (over (realisation_any epsilon N first) t
      (fun _ x y => pos (one w x y - exp epsilon * other w x y))) delta).
  { intros w. eapply Rbar_le_trans; [apply (realisation_filter_one_way_any epsilon dhat theta); auto;
    [lra|]|exact split_delta].
    revert hon. apply honest_weaken. intros m all. apply all. }
  apply both_excesses; [|exact (ways Forward)|exact (ways Backward)].
  revert hon. apply honest_weaken. intros m all. apply (all Forward).
Qed.
