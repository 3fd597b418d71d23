(** The realisation filter for mechanisms with outcomes of any kind (Taylor, Vippathalla & Coon, Algorithm 1 and
    Theorem 1); [RealisationFilter] has the finite case, whose potential serves here.

    - [realisation_filter_any]: where dhat + theta (1 - dhat) N <= delta, the transcript is (epsilon,
      delta)-DP both ways;
    - [realisation_filter_one_way_any]: each direction for itself. *)

From Coq Require Import Reals Lra Lia List FunctionalExtensionality.
From Coquelicot Require Import Rbar.
From Filterproof Require Import Realisation RealisationFilter.
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
  Filter Realisation.progress (Realisation.Progress (Some 0) (Some 0) (fun _ => Some 0) 0 first)
    (fun s c => Realisation.open epsilon s Forward && Realisation.open epsilon s Backward &&
                Nat.ltb (Realisation.released s) N &&
                at_most (upper_dhat c Forward) (Realisation.reach s Forward) &&
                at_most (upper_dhat c Backward) (Realisation.reach s Backward))%bool
    (fun s c e => Realisation.Progress (add (Realisation.before s) (Realisation.last s)) (loss c e) (upper_theta c)
                    (S (Realisation.released s)) (allows c)).

Section one_direction.

Variables (epsilon dhat theta : R) (N : nat) (first : way -> R).
Hypotheses (hepsilon : 0 <= epsilon) (hdhat : 0 <= dhat <= 1) (htheta : 0 <= theta) (hfirst : forall w, 0 <= first w).
Hypothesis small : dhat + theta * (1 - dhat) * INR N <= 1.

(** The failure probability from here on, k releases having been made. *)
Let ahead (k : nat) : R := dhat + theta * (1 - dhat) * INR (N - k).
Let failing := RealisationFilter.failing epsilon dhat theta N.

Lemma failing_is w s x y : failing w s x y = one w x y *
  (if Realisation.open epsilon s w
   then if within w s (epsilon - Realisation.reach s w) then ahead (Realisation.released s) else 1
   else if within w s epsilon then 0 else 1).
Proof. reflexivity. Qed.

Lemma ahead_bounds k : dhat <= ahead k <= 1.
Proof. now apply RealisationFilter.ahead_bounds. Qed.

Lemma ahead_step k : (k < N)%nat -> ahead k = ahead (S k) + theta * (1 - dhat).
Proof. intros less. now apply RealisationFilter.ahead_step. Qed.

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
    destruct (add (Realisation.before s) (Realisation.last s)) as [b|]; [|easy]. cbn.
    destruct (loss (charge m) (Released i)) as [r|]; [|easy].
      unfold RealisationFilter.one, RealisationFilter.other in *.
    destruct w; cbn in *; rewrite ratio, losses.
    - rewrite exp_plus; ring.
    - rewrite Ropp_plus_distr, exp_plus.
      assert (inverse : exp (- r) * exp r = 1) by (rewrite <- exp_plus, Rplus_opp_l; apply exp_0).
      replace (exp (- b) * exp (- r) * (x * (exp r * Q m i)))
        with (exp (- b) * x * Q m i * (exp (- r) * exp r)) by ring.
      rewrite inverse; ring. }
  split; [exact keep|].
  assert (nonneg : 0 <= one w x y) by (unfold RealisationFilter.one; destruct l as (hx & hy & _); now destruct w).
  assert (ld : density (base m) (density_of w m)) by (destruct w; easy). pose proof ld as [massive _].
  assert (product : forall i, one w (x * P m i) (y * Q m i) = one w x y * density_of w m i)
    by (intros; unfold RealisationFilter.one, density_of; destruct w; ring).
  assert (unit_range : forall i, 0 <= failing w (next i) (x * P m i) (y * Q m i) <= one w x y * density_of w m i).
  { intros i. rewrite failing_is, product. pose proof (ahead_bounds (Realisation.released (next i))).
    assert (0 <= one w x y * density_of w m i) by (apply Rmult_le_pos; easy).
    destruct (Realisation.open epsilon (next i) w); destruct (within w (next i) _); split; nra. }
  cbn in admitted. apply Bool.andb_true_iff in admitted as [admitted fitsB].
  apply Bool.andb_true_iff in admitted as [admitted fitsF].
  apply Bool.andb_true_iff in admitted as [admitted less]. apply Nat.ltb_lt in less.
  assert (gate : Realisation.open epsilon s w = true) by (apply Bool.andb_true_iff in admitted; destruct w; tauto).
  assert (fits : at_most (upper_dhat (charge m) w) (Realisation.reach s w) = true) by (destruct w; assumption).
  clear admitted fitsB fitsF.
  rewrite (failing_is w s x y), gate.
  destruct (within w s (epsilon - Realisation.reach s w)) eqn:inside.
  2:{ (* the failure has happened, or may have *)
      rewrite Rmult_1_r. eapply Rbar_le_trans; [|apply (value_density (base m) (density_of w m)); [easy|easy]].
      apply value_le; intros i; apply unit_range. }
  rewrite (ahead_step _ less).
  (* the loss so far is b, which is at most epsilon - reach *)
  unfold RealisationFilter.within in inside.
  destruct (add (Realisation.before s) (Realisation.last s)) as [b|] eqn:sofar; [|easy].
  destruct (Rle_dec (signed w b) (epsilon - Realisation.reach s w)) as [room|]; [clear inside|easy].
  assert (plus : forall r, signed w (b + r) = signed w b + signed w r).
  { intros; unfold Realisation.signed; destruct w; ring. }
  assert (opened : forall i, Realisation.open epsilon (next i) w =
    match upper_theta (charge m) w with
    | Some q => if Rle_dec (q + allows (charge m) w) (epsilon - signed w b) then true else false
    | None => false
    end) by (intros; unfold Realisation.open, next; cbn; now rewrite sofar).
  set (V := ahead (S (Realisation.released s))) in *.
  pose proof (ahead_bounds (S (Realisation.released s))) as [lowV highV]. fold V in lowV, highV.
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
    change (ahead (Realisation.released (next i))) with V.
    change (Realisation.reach (next i) w) with (allows (charge m) w).
    replace (within w (next i) (epsilon - allows (charge m) w)) with true; [lra|].
    unfold RealisationFilter.within, next; cbn. rewrite sofar. cbn. unfold Realisation.beyond, loss_at in far.
    destruct (loss (charge m) (Released i)) as [r|]; [|easy]. rewrite plus.
    destruct (Rle_dec (signed w r) q); [|easy]. destruct (Rle_dec _ _); [easy|lra].
  - (* this was the last release, and all but dhat of its outcomes stay within reach *)
    apply Rbar_le_trans with (Finite (one w x y * (0 + (1 - 0) * dhat))); [|cbn; apply Rmult_le_compat_l; [easy|lra]].
    apply (tail_step w m dhat _ 0 (upper_dhat (charge m) w)); try easy; [lra|intros; apply unit_range|].
    destruct (upper_dhat (charge m) w) as [q|]; [|easy]. cbn in fits.
    destruct (Rle_dec q (Realisation.reach s w)) as [near|]; [|easy].
    intros i. destruct (beyond w q (loss_at m i)) eqn:far; [apply unit_range|].
    rewrite failing_is, product, opened.
    replace (within w (next i) epsilon) with true; [right; ring|].
    unfold RealisationFilter.within, next; cbn. rewrite sofar. cbn. unfold Realisation.beyond, loss_at in far.
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
    unfold RealisationFilter.one, RealisationFilter.other. destruct w; cbn; rewrite Rplus_0_l, ?Ropp_0, exp_0; lra. }
  apply Rbar_le_trans with (Finite (failing w (start F) 1 1)).
  - apply (potential_any F (honest_one_way dhat theta w) _ (ledger w) (failing w)); [| |exact hon|exact begin].
    + intros s tau x y l. split; [apply pos_nonneg|]. now apply RealisationFilter.failing_at_stop.
    + intros s m x y l okm admitted. now apply failing_step_any.
  - pose proof (ahead_bounds 0) as [low high]. rewrite failing_is.
    cbn [start F realisation_any Realisation.released Rbar_le].
    assert (ahead 0 = dhat + theta * (1 - dhat) * INR N) as <- by (unfold ahead; now rewrite Nat.sub_0_r).
    assert (one w 1 1 = 1) as -> by (unfold RealisationFilter.one; now destruct w). rewrite Rmult_1_l.
    destruct (Realisation.open epsilon _ w) eqn:gate; destruct (within w _ _) eqn:inside; try lra.
    + exfalso. specialize (hfirst w). unfold Realisation.open in gate; cbn in gate.
      destruct (Rle_dec (0 + first w) (epsilon - signed w 0)) as [room|]; [|easy].
      unfold RealisationFilter.within in inside; cbn in inside. rewrite Rplus_0_l in inside.
      destruct (Rle_dec (signed w 0) (epsilon - first w)) as [|far]; [easy|]. destruct w; cbn in far, room; lra.
    + exfalso. unfold RealisationFilter.within in inside; cbn in inside. rewrite Rplus_0_l in inside.
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
  pose proof (exp_pos epsilon) as positive.
  assert (nonneg : forall m x y i, 0 <= x /\ 0 <= y -> realisation_honest_any dhat theta m ->
    0 <= x * P m i /\ 0 <= y * Q m i).
  { intros m x y i [hx hy] okm. destruct (okm Forward) as ([[hp _] [hq _]] & _). split; apply Rmult_le_pos; auto. }
  intros S. split.
  - eapply Rbar_le_trans; [|apply Rbar_plus_le_compat; [apply Rbar_le_refl|exact (ways Forward)]].
    apply (total_split _ (exp epsilon) _ _ _ (fun x y => 0 <= x /\ 0 <= y) (realisation_honest_any dhat theta));
      try easy; [|lra].
    intros tau x y [hx hy]. cbn. pose proof (pos_nonneg (x - exp epsilon * y)).
      pose proof (pos_above (x - exp epsilon * y)).
    destruct (S tau); repeat split; lra.
  - eapply Rbar_le_trans; [|apply Rbar_plus_le_compat; [apply Rbar_le_refl|exact (ways Backward)]].
    apply (total_split _ (exp epsilon) _ _ _ (fun x y => 0 <= x /\ 0 <= y) (realisation_honest_any dhat theta));
      try easy; [|lra].
    intros tau x y [hx hy]. cbn. pose proof (pos_nonneg (y - exp epsilon * x)).
      pose proof (pos_above (y - exp epsilon * x)).
    destruct (S tau); repeat split; lra.
Qed.
