(** The conversion of Canonne, Kamath and Steinke for zCDP: the order that is best for a budget, and the largest budget. *)

From Coq Require Import Reals Lra Lia Ranalysis5.
Set Warnings "-ambiguous-paths".
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From Filterproof Require Import Sums Interaction Divergences Paths Conversions.
Open Scope R_scope.

(** The logarithm of the bound at order 1 + t, and its derivative in t. *)
Definition cks_log (epsilon r t : R) : R := t * ((1 + t) * r - epsilon) + t * ln t - (1 + t) * ln (1 + t).
Definition cks_slope (epsilon r t : R) : R := (2 * t + 1) * r - epsilon + ln t - ln (1 + t).

Lemma cks_bound_log epsilon r t : 0 < t -> cks_bound (1 + t) ((1 + t) * r) epsilon = exp (cks_log epsilon r t).
Proof.
  intros ht. unfold cks_bound, cks_factor, cks_log, Rpower, Rdiv.
  replace (1 - / (1 + t)) with (t * / (1 + t)) by (field; lra).
  rewrite ln_mult, ln_Rinv by (try apply Rinv_0_lt_compat; lra). replace (1 + t - 1) with t by ring.
  rewrite <- (exp_ln t ht) at 4. rewrite <- exp_Ropp, <- !exp_plus. f_equal. ring.
Qed.

Lemma cks_log_derive epsilon r t : 0 < t -> is_derive (cks_log epsilon r) t (cks_slope epsilon r t).
Proof. intros ht. unfold cks_log, cks_slope. auto_derive; [repeat split; lra|field; lra]. Qed.

Lemma cks_slope_rises epsilon r s t : 0 < r -> 0 < s < t -> cks_slope epsilon r s < cks_slope epsilon r t.
Proof.
  intros hr [hs less]. unfold cks_slope.
  assert (ln s - ln (1 + s) < ln t - ln (1 + t)); [|nra].
  rewrite <- !ln_div by lra. apply ln_increasing; [apply Rdiv_lt_0_compat; lra|].
  apply (Rmult_lt_reg_r ((1 + s) * (1 + t))); [nra|].
  replace (s / (1 + s) * ((1 + s) * (1 + t))) with (s * (1 + t)) by (field; lra).
  replace (t / (1 + t) * ((1 + s) * (1 + t))) with (t * (1 + s)) by (field; lra). lra.
Qed.

(** Where the slope is 0 the bound is the least. *)
Lemma cks_least epsilon r t s : 0 < r -> 0 < t -> cks_slope epsilon r t = 0 -> 0 < s -> s <> t ->
  cks_log epsilon r t < cks_log epsilon r s.
Proof.
  intros hr ht flat hs other.
  assert (derivable : forall c, 0 < c -> derivable_pt_lim (cks_log epsilon r) c (cks_slope epsilon r c)).
  { intros c hc. apply is_derive_Reals. now apply cks_log_derive. }
  destruct (Rtotal_order s t) as [less|[same|more]]; [|easy|].
  - destruct (MVT_cor2 (cks_log epsilon r) (cks_slope epsilon r) s t less) as (c & mean & inside).
    { intros c inside. apply derivable. lra. }
    pose proof (cks_slope_rises epsilon r c t hr ltac:(lra)). nra.
  - destruct (MVT_cor2 (cks_log epsilon r) (cks_slope epsilon r) t s more) as (c & mean & inside).
    { intros c inside. apply derivable. lra. }
    pose proof (cks_slope_rises epsilon r t c hr ltac:(lra)). nra.
Qed.

(** The budget for which 1 + t is the best order. *)
Definition cks_budget_at (epsilon t : R) : R := (epsilon + ln (1 + 1 / t)) / (2 * t + 1).

Lemma log_one_more t : 0 < t -> ln (1 + 1 / t) = ln (1 + t) - ln t /\ 0 < ln (1 + 1 / t) <= 1 / t.
Proof.
  intros ht. assert (0 < 1 / t) as hi by (apply Rdiv_lt_0_compat; lra). split; [|split].
  - rewrite <- ln_div by lra. f_equal. field. lra.
  - rewrite <- ln_1. apply ln_increasing; lra.
  - pose proof (ln_below (1 + 1 / t)). lra.
Qed.

Lemma cks_budget_flat epsilon r t : 0 < t -> r = cks_budget_at epsilon t <-> cks_slope epsilon r t = 0.
Proof.
  intros ht. destruct (log_one_more t ht) as [same _]. unfold cks_budget_at, cks_slope. rewrite same.
  split; [intros ->; field; lra|]. intros flat. apply (Rmult_eq_reg_r (2 * t + 1)); [|lra].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Lemma cks_budget_pos epsilon t : 0 < epsilon -> 0 < t -> 0 < cks_budget_at epsilon t.
Proof. intros he ht. destruct (log_one_more t ht). apply Rdiv_lt_0_compat; lra. Qed.

(** Claim: For epsilon > 0 and each r > 0 the CKS bound of r-zCDP at epsilon is least at one order 1 + t alone, where
    r = (epsilon + log(1 + 1/t))/(2t + 1). *)
Theorem cks_best_order epsilon r : 0 < epsilon -> 0 < r -> exists t, 0 < t /\ r = cks_budget_at epsilon t /\
  forall s, 0 < s -> s <> t ->
    cks_bound (1 + t) ((1 + t) * r) epsilon < cks_bound (1 + s) ((1 + s) * r) epsilon.
Proof.
  intros he hr. set (low := exp (- (3 * r))). set (high := (epsilon + 1) / r).
  pose proof (exp_pos (- (3 * r))) as hlow. fold low in hlow.
  assert (low < 1) as small by (unfold low; rewrite <- exp_0; apply exp_increasing; lra).
  assert (0 < high) as hhigh by (apply Rdiv_lt_0_compat; lra).
  assert (cks_slope epsilon r low < 0) as before.
  { assert (ln low = - (3 * r)) as value by apply ln_exp. unfold cks_slope. rewrite value.
    pose proof (ln_increasing 1 (1 + low) ltac:(lra) ltac:(lra)) as more. rewrite ln_1 in more. nra. }
  assert (0 < cks_slope epsilon r high) as after.
  { unfold cks_slope. destruct (log_one_more high hhigh) as (same & _ & most).
    assert (high * r = epsilon + 1) by (unfold high; field; lra).
    assert (1 / high <= r); [|nra]. apply (Rmult_le_reg_r high); [easy|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  assert (low < high) as order.
  { apply Rnot_le_lt. intros [less|same]; [|rewrite same in after; lra].
    pose proof (cks_slope_rises epsilon r high low hr ltac:(lra)). lra. }
  destruct (IVT_interv (cks_slope epsilon r) low high) as (t & inside & flat); [|easy|easy|easy|].
  { intros t inside. apply continuity_pt_filterlim, (ex_derive_continuous (cks_slope epsilon r)).
    unfold cks_slope. auto_derive. repeat split; lra. }
  exists t. split; [lra|]. split; [apply cks_budget_flat; lra|]. intros s hs other.
  rewrite !cks_bound_log by lra. apply exp_increasing. apply cks_least; lra.
Qed.

(** The bound at a budget's best order. *)
Definition cks_delta_at (epsilon t : R) : R := exp (- (t ^ 2 * cks_budget_at epsilon t)) / (1 + t).

Lemma cks_log_best epsilon t : 0 < t -> exp (cks_log epsilon (cks_budget_at epsilon t) t) = cks_delta_at epsilon t.
Proof.
  intros ht. pose proof (proj1 (cks_budget_flat epsilon _ t ht) eq_refl) as flat. unfold cks_delta_at.
  set (r := cks_budget_at epsilon t) in *. unfold Rdiv. rewrite <- (exp_ln (1 + t)) at 1 by lra.
  rewrite <- exp_Ropp, <- exp_plus. f_equal. unfold cks_log, cks_slope in *.
  replace (t * ((1 + t) * r - epsilon) + t * ln t - (1 + t) * ln (1 + t))
    with (t * ((2 * t + 1) * r - epsilon + ln t - ln (1 + t)) - t ^ 2 * r - ln (1 + t)) by ring.
  rewrite flat. ring.
Qed.

(** Claim: For epsilon > 0 and t > 0, at delta = e^(-t^2 r)/(1 + t) with r = (epsilon + log(1 + 1/t))/(2t + 1) the
    CKS conversion allows the budgets B > 0 up to r, and no larger. *)
Lemma cks_fits_up_to epsilon t B : 0 < epsilon -> 0 < t -> 0 < B ->
  cks_fits B epsilon (cks_delta_at epsilon t) <-> B <= cks_budget_at epsilon t.
Proof.
  intros he ht hB. pose proof (cks_budget_pos epsilon t he ht) as hr. rewrite <- cks_log_best by easy.
  pose proof (proj1 (cks_budget_flat epsilon _ t ht) eq_refl) as flat. set (r := cks_budget_at epsilon t) in *.
  split.
  - intros (alpha & above & bound). apply Rnot_lt_le. intros past. revert bound.
    replace alpha with (1 + (alpha - 1)) by ring. set (s := alpha - 1). assert (0 < s) as hs by (unfold s; lra).
    rewrite cks_bound_log by easy. apply Rlt_not_le, exp_increasing.
    apply Rle_lt_trans with (cks_log epsilon r s).
    + destruct (Req_dec s t) as [->|other]; [lra|]. left. now apply cks_least.
    + unfold cks_log. assert (s * ((1 + s) * r) < s * ((1 + s) * B)); [|lra].
      apply Rmult_lt_compat_l; [easy|]. apply Rmult_lt_compat_l; lra.
  - intros within. exists (1 + t). split; [lra|]. rewrite cks_bound_log by easy. apply exp_le. unfold cks_log.
    assert (t * ((1 + t) * B) <= t * ((1 + t) * r)); [|lra].
    apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; lra.
Qed.

Lemma cks_delta_reached epsilon delta : 0 < epsilon -> 0 < delta < 1 ->
  exists t, 0 < t /\ cks_delta_at epsilon t = delta.
Proof.
  intros he hd. set (L := - ln delta).
  assert (0 < L) as hL.
  { unfold L. pose proof (ln_increasing delta 1 ltac:(lra) ltac:(lra)) as it. rewrite ln_1 in it. lra. }
  set (f := fun t => L - t ^ 2 * cks_budget_at epsilon t - ln (1 + t)).
  assert (bound : forall t, 0 < t -> t ^ 2 * cks_budget_at epsilon t <= t ^ 2 * epsilon + t).
  { intros t ht. destruct (log_one_more t ht) as (_ & pos & most). unfold cks_budget_at.
    apply Rle_trans with (t ^ 2 * (epsilon + 1 / t)); [|right; field; lra].
    apply Rmult_le_compat_l; [apply pow2_ge_0|]. apply (Rmult_le_reg_r (2 * t + 1)); [lra|].
    replace ((epsilon + ln (1 + 1 / t)) / (2 * t + 1) * (2 * t + 1)) with (epsilon + ln (1 + 1 / t)) by (field; lra).
    assert (0 < 1 / t) by (apply Rdiv_lt_0_compat; lra). nra. }
  set (low := Rmin 1 (L / (epsilon + 3))). set (high := / delta).
  assert (0 < L / (epsilon + 3)) as hlow by (apply Rdiv_lt_0_compat; lra).
  assert (0 < low <= 1) as range by (unfold low; split; [apply Rmin_glb_lt; lra|apply Rmin_l]).
  assert (low * (epsilon + 3) <= L) as few.
  { apply Rle_trans with (L / (epsilon + 3) * (epsilon + 3)); [|right; field; lra].
    apply Rmult_le_compat_r; [lra|apply Rmin_r]. }
  assert (0 < high) as hhigh by (apply Rinv_0_lt_compat; lra).
  assert (0 < f low) as before.
  { unfold f. pose proof (bound low ltac:(lra)). pose proof (ln_below (1 + low) ltac:(lra)).
    assert (low ^ 2 * epsilon <= low * epsilon); [|nra].
    apply Rmult_le_compat_r; [lra|]. replace (low ^ 2) with (low * low) by ring. nra. }
  assert (f high < 0) as after.
  { unfold f. pose proof (cks_budget_pos epsilon high he hhigh). pose proof (pow_lt high 2 hhigh).
    assert (L < ln (1 + high)) as past by (unfold L; rewrite <- ln_Rinv by lra; apply ln_increasing; fold high; lra).
    assert (0 < high ^ 2 * cks_budget_at epsilon high) by (apply Rmult_lt_0_compat; lra). lra. }
  assert (1 < high) as one by (unfold high; rewrite <- Rinv_1; apply Rinv_lt_contravar; lra).
  assert (low < high) as order by lra.
  destruct (IVT_interv (fun t => - f t) low high) as (t & inside & zero); [|easy|lra|lra|].
  { intros t inside. apply continuity_pt_filterlim, (ex_derive_continuous (fun t => - f t)).
    unfold f, cks_budget_at. assert (0 < 1 / t) by (apply Rdiv_lt_0_compat; lra). auto_derive. repeat split; lra. }
  exists t. split; [lra|]. unfold cks_delta_at. rewrite <- (exp_ln delta) by lra. rewrite <- (exp_ln (1 + t)) by lra.
  unfold Rdiv. rewrite <- exp_Ropp, <- exp_plus. f_equal. unfold f, L in zero. lra.
Qed.

(** Claim: For epsilon > 0 and each delta in (0, 1) there is a t > 0 with delta = e^(-t^2 r)/(1 + t), r = (epsilon +
    log(1 + 1/t))/(2t + 1), and the CKS conversion allows the budgets B > 0 up to r, and no larger. *)
Theorem cks_largest_budget epsilon delta : 0 < epsilon -> 0 < delta < 1 -> exists t, 0 < t /\
  cks_delta_at epsilon t = delta /\ forall B, 0 < B -> cks_fits B epsilon delta <-> B <= cks_budget_at epsilon t.
Proof.
  intros he hd. destruct (cks_delta_reached epsilon delta he hd) as (t & ht & <-). exists t. split; [easy|].
  split; [easy|]. intros B hB. now apply cks_fits_up_to.
Qed.

(** A smaller delta allows no more. *)
Lemma cks_fits_more B epsilon delta delta' : delta <= delta' -> cks_fits B epsilon delta -> cks_fits B epsilon delta'.
Proof. intros less (alpha & above & bound). exists alpha. split; [easy|lra]. Qed.

(** Claim: At epsilon = 1 and delta = 1/100000 the largest budget that the CKS conversion allows lies from 0.0305565951
    to 0.0305565953. *)
Example cks_at_one_and_1e_5 :
  cks_fits (305565951 / 10 ^ 10) 1 (1 / 100000) /\ ~ cks_fits (305565953 / 10 ^ 10) 1 (1 / 100000).
Proof.
  assert (two : forall t, 0 < t -> 0 < cks_budget_at 1 t) by (intros; apply cks_budget_pos; lra). split.
  - set (t := 1680870955 / 10 ^ 8). apply (cks_fits_more _ _ (cks_delta_at 1 t)).
    + unfold cks_delta_at, cks_budget_at, t. interval with (i_prec 80).
    + apply cks_fits_up_to; [lra|unfold t; lra|lra|]. unfold cks_budget_at, t. interval with (i_prec 80).
  - set (t := 168087095 / 10 ^ 7). intros fit.
    enough (305565953 / 10 ^ 10 <= cks_budget_at 1 t) as it.
    { revert it. apply Rlt_not_le. unfold cks_budget_at, t. interval with (i_prec 80). }
    apply cks_fits_up_to; [lra|unfold t; lra|lra|]. revert fit. apply cks_fits_more.
    unfold cks_delta_at, cks_budget_at, t. interval with (i_prec 80).
Qed.
