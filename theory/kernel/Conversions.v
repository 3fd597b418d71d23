(** From Rényi divergence to (epsilon, delta): a bound at one order alpha > 1 bounds the hockey-stick divergence. *)

From Coq Require Import Reals Lra Lia List.
From Filterproof Require Import Sums Interaction Divergences Paths AdditiveFilter Ledger ZCDPFilter.
Import ListNotations.
Open Scope R_scope.

(** ** Bernoulli's inequality for real powers *)

Lemma ln_below x : 0 < x -> ln x <= x - 1.
Proof. intros hx. pose proof (exp_ineq1_le (ln x)) as it. rewrite exp_ln in it by easy. lra. Qed.

Lemma bernoulli v a : 0 < v -> 1 <= a -> 1 + a * (v - 1) <= Rpower v a.
Proof.
  intros hv ha. destruct (Rle_or_lt (1 + a * (v - 1)) 0) as [|hw].
  - pose proof (exp_pos (a * ln v)). unfold Rpower. lra.
  - set (w := 1 + a * (v - 1)) in *.
    assert (0 < w / v) by now apply Rdiv_lt_0_compat.
    assert (0 < / v) by now apply Rinv_0_lt_compat.
    assert (ln w <= a * ln v).
    { pose proof (ln_below (w / v) ltac:(easy)) as one. pose proof (ln_below (/ v) ltac:(easy)) as two.
      unfold Rdiv in one at 1. rewrite ln_mult, ln_Rinv in one by easy. rewrite ln_Rinv in two by easy.
      assert (w / v + (a - 1) * / v = a) by (unfold w; field; lra). nra. }
    unfold Rpower. rewrite <- (exp_ln w hw) at 1. now apply exp_le.
Qed.

(** The factor of Canonne, Kamath and Steinke: (1 - 1/alpha)^alpha / (alpha - 1). *)
Definition cks_factor (alpha : R) : R := Rpower (1 - / alpha) alpha / (alpha - 1).

Lemma one_less_inverse a : 1 < a -> 0 < 1 - / a < 1.
Proof.
  intros ha. assert (0 < / a) by (apply Rinv_0_lt_compat; lra).
  pose proof (Rinv_1_lt_contravar 1 a ltac:(lra) ha). rewrite Rinv_1 in *. lra.
Qed.

Lemma cks_factor_pos a : 1 < a -> 0 < cks_factor a.
Proof. intros ha. apply Rdiv_lt_0_compat; [apply exp_pos|lra]. Qed.

(** u - 1 <= factor u^alpha, with equality at u = alpha / (alpha - 1). *)
Lemma cks_pointwise u a : 0 < u -> 1 < a -> u - 1 <= cks_factor a * Rpower u a.
Proof.
  intros hu ha. destruct (one_less_inverse a ha) as [low _].
  assert (0 < (1 - / a) * u) as hv by nra.
  pose proof (bernoulli _ a hv ltac:(lra)) as bern. rewrite <- Rpower_mult_distr in bern by easy.
  unfold cks_factor, Rdiv. assert (0 < / (a - 1)) by (apply Rinv_0_lt_compat; lra).
  replace (u - 1) with (/ (a - 1) * (1 + a * ((1 - / a) * u - 1))) by (field; lra).
  replace (Rpower (1 - / a) a * / (a - 1) * Rpower u a) with (/ (a - 1) * (Rpower (1 - / a) a * Rpower u a)) by ring.
  apply Rmult_le_compat_l; lra.
Qed.

Lemma cks_factor_below_one a : 1 < a -> cks_factor a <= 1.
Proof.
  intros ha. destruct (one_less_inverse a ha) as [low high].
  assert (0 < / (1 - / a)) as hu by now apply Rinv_0_lt_compat.
  pose proof (bernoulli _ a hu ltac:(lra)) as bern.
  assert (Rpower (1 - / a) a * Rpower (/ (1 - / a)) a = 1) as unit.
  { rewrite Rpower_mult_distr by easy. rewrite Rinv_r by lra. unfold Rpower. now rewrite ln_1, Rmult_0_r, exp_0. }
  replace (1 + a * (/ (1 - / a) - 1)) with (1 + a * / (a - 1)) in bern by (field; split; lra).
  assert (0 < / (a - 1)) as hi by (apply Rinv_0_lt_compat; lra).
  pose proof (exp_pos (a * ln (1 - / a))) as hp. fold (Rpower (1 - / a) a) in hp.
  unfold cks_factor, Rdiv.
  assert (/ (a - 1) <= a * / (a - 1)) by (rewrite <- (Rmult_1_l (/ (a - 1))) at 1; apply Rmult_le_compat_r; lra).
  eapply Rle_trans; [|right; exact unit]. apply Rmult_le_compat_l; lra.
Qed.

(** ** Hockey-stick from a moment *)

(** (x - e^epsilon y)_+ is at most factor e^{-(alpha - 1) epsilon} x^alpha y^{1 - alpha}. *)
Lemma stick_below_moment a epsilon x y : 1 < a -> masses x y ->
  pos (x - exp epsilon * y) <= cks_factor a * exp (- ((a - 1) * epsilon)) * term a x y.
Proof.
  intros ha (hx & hy & dom). pose proof (cks_factor_pos a ha). pose proof (exp_pos epsilon).
  pose proof (exp_pos (- ((a - 1) * epsilon))). pose proof (term_nonneg a x y).
  assert (0 <= cks_factor a * exp (- ((a - 1) * epsilon)) * term a x y) by (apply Rmult_le_pos; nra).
  apply pos_least; [easy|]. destruct (Req_dec x 0) as [->|some]; [nra|].
  assert (0 < y) as hy' by (destruct hy as [|<-]; [easy|now destruct some; apply dom]).
  assert (0 < exp epsilon * y) as hey by nra.
  pose proof (cks_pointwise (x / (exp epsilon * y)) a ltac:(apply Rdiv_lt_0_compat; lra) ha) as point.
  apply (Rmult_le_compat_r (exp epsilon * y)) in point; [|lra].
  replace ((x / (exp epsilon * y) - 1) * (exp epsilon * y)) with (x - exp epsilon * y) in point by (field; lra).
  eapply Rle_trans; [exact point|right]. rewrite !Rmult_assoc. f_equal.
  unfold term, power. destruct (Rle_dec x 0); [lra|].
  unfold Rdiv. rewrite <- Rpower_mult_distr by (try apply Rinv_0_lt_compat; lra).
  unfold Rpower. rewrite ln_Rinv by easy. rewrite ln_mult by lra. rewrite ln_exp.
  rewrite <- (exp_ln y hy') at 2. rewrite <- !exp_plus. f_equal. ring.
Qed.

Definition cks_bound (alpha divergence epsilon : R) : R :=
  cks_factor alpha * exp ((alpha - 1) * (divergence - epsilon)).

(** Claim: For alpha > 1 a transcript with D_alpha <= rho has in the same direction a hockey-stick divergence at epsilon
    of at most e^((alpha - 1)(rho - epsilon)) (1 - 1/alpha)^alpha / (alpha - 1).
    Source: Koskela, Tobaben & Honkela, Lemma C.4 *)
Theorem cks_conversion {C} (F : filter C) t alpha rho epsilon : 1 < alpha -> honest dominated t ->
  transcript_renyi_at_most F t alpha rho -> hockey_stick F t epsilon <= cks_bound alpha rho epsilon.
Proof.
  intros ha hon bound. unfold transcript_renyi_at_most, moment in bound.
  eapply Rle_trans; [apply (over_le_on_paths F _
    (fun _ x y => cks_factor alpha * exp (- ((alpha - 1) * epsilon)) * term alpha x y))|].
  - intros tau x y here. apply stick_below_moment; [easy|]. now apply (dominated_on_paths F t hon tau).
  - rewrite over_scale. unfold cks_bound.
    replace ((alpha - 1) * (rho - epsilon)) with (- ((alpha - 1) * epsilon) + (alpha - 1) * rho) by ring.
    rewrite exp_plus. rewrite <- Rmult_assoc. apply Rmult_le_compat_l; [|exact bound].
    pose proof (cks_factor_pos alpha ha). pose proof (exp_pos (- ((alpha - 1) * epsilon))). nra.
Qed.

(** Claim: At each order alpha > 1 the CKS bound is at most that of Fact 2.4, e^((alpha - 1)(rho - epsilon)). *)
Lemma cks_below_simple alpha rho epsilon : 1 < alpha ->
  cks_bound alpha rho epsilon <= exp ((alpha - 1) * (rho - epsilon)).
Proof.
  intros ha. unfold cks_bound. pose proof (cks_factor_below_one alpha ha).
  pose proof (exp_pos ((alpha - 1) * (rho - epsilon))). nra.
Qed.

(** Claim: For alpha > 1 a transcript with D_alpha <= rho has in the same direction a hockey-stick divergence at epsilon
    of at most e^((alpha - 1)(rho - epsilon)).
    Source: Feldman & Zrnic, Fact 2.4 *)
Theorem simple_conversion {C} (F : filter C) t alpha rho epsilon : 1 < alpha -> honest dominated t ->
  transcript_renyi_at_most F t alpha rho -> hockey_stick F t epsilon <= exp ((alpha - 1) * (rho - epsilon)).
Proof.
  intros ha hon bound. eapply Rle_trans; [now apply (cks_conversion F t alpha rho)|now apply cks_below_simple].
Qed.

(** ** zCDP *)

(** B is within budget for (epsilon, delta) by the simple conversion, or by that of Canonne, Kamath and Steinke. *)
Definition simple_fits (B epsilon delta : R) : Prop := B + 2 * sqrt (B * ln (/ delta)) <= epsilon.
Definition cks_fits (B epsilon delta : R) : Prop :=
  exists alpha, 1 < alpha /\ cks_bound alpha (alpha * B) epsilon <= delta.
Definition fits_budget (B epsilon delta : R) : Prop := simple_fits B epsilon delta \/ cks_fits B epsilon delta.

Lemma log_inverse_pos delta : 0 < delta < 1 -> 0 < ln (/ delta).
Proof.
  intros [hd small]. rewrite <- ln_1. apply ln_increasing; [lra|]. rewrite <- Rinv_1. apply Rinv_lt_contravar; lra.
Qed.

(** The simple conversion is that of Canonne, Kamath and Steinke at alpha = 1 + sqrt(log(1/delta) / B). *)
Lemma simple_is_cks B epsilon delta : 0 < B -> 0 < delta < 1 -> simple_fits B epsilon delta -> cks_fits B epsilon delta.
Proof.
  intros hB hd fit. unfold simple_fits in fit.
  pose proof (log_inverse_pos delta hd) as hl. destruct hd as [hd small].
  set (s := sqrt (ln (/ delta))) in *. set (b := sqrt B) in *.
  assert (0 < s) by now apply sqrt_lt_R0. assert (0 < b) by now apply sqrt_lt_R0.
  assert (s * s = ln (/ delta)) as hs by now apply sqrt_sqrt; lra.
  assert (b * b = B) as hb by now apply sqrt_sqrt; lra.
  rewrite sqrt_mult in fit by lra. fold s b in fit.
  exists (1 + s / b). assert (0 < s / b) by now apply Rdiv_lt_0_compat. split; [lra|].
  eapply Rle_trans; [apply cks_below_simple; lra|].
  rewrite <- (exp_ln delta hd). apply exp_le.
  replace (ln delta) with (- (s * s)) by (rewrite hs, ln_Rinv by easy; ring).
  replace (1 + s / b - 1) with (s / b) by ring.
  replace (- (s * s)) with (s / b * ((1 + s / b) * B - (B + 2 * (b * s)))) by (rewrite <- hb; field; lra).
  apply Rmult_le_compat_l; lra.
Qed.

(** B* of Theorem 4.9. *)
Definition b_star (epsilon delta : R) : R := (sqrt (ln (/ delta) + epsilon) - sqrt (ln (/ delta))) ^ 2.

Lemma b_star_pos epsilon delta : 0 < epsilon -> 0 < delta < 1 -> 0 < b_star epsilon delta.
Proof.
  intros he hd. pose proof (log_inverse_pos delta hd). unfold b_star. apply pow_lt.
  pose proof (sqrt_lt_1 (ln (/ delta)) (ln (/ delta) + epsilon)). lra.
Qed.

(** B* meets the simple condition with equality. *)
Lemma b_star_is_simple epsilon delta : 0 <= epsilon -> 0 < delta < 1 ->
  b_star epsilon delta + 2 * sqrt (b_star epsilon delta * ln (/ delta)) = epsilon.
Proof.
  intros he hd.
  pose proof (log_inverse_pos delta hd) as hl. destruct hd as [hd small].
  unfold b_star. set (l := ln (/ delta)) in *.
  pose proof (sqrt_le_1 l (l + epsilon) ltac:(lra) ltac:(lra) ltac:(lra)).
  rewrite sqrt_mult by (try apply pow2_ge_0; lra). rewrite sqrt_pow2 by lra.
  pose proof (sqrt_sqrt l ltac:(lra)). pose proof (sqrt_sqrt (l + epsilon) ltac:(lra)). nra.
Qed.

(** Claim: For 0 < delta < 1 a B-zCDP transcript, B > 0, has a hockey-stick divergence of at most delta at epsilon where
    B + 2 sqrt(B log(1/delta)) <= epsilon, or where the CKS bound of B-zCDP at some order is at most delta; one
    direction, and the other by exchanging the data sets.
    Source: Feldman & Zrnic, Theorem 4.9 *)
Theorem zcdp_to_delta {C} (F : filter C) t B epsilon delta : honest dominated t -> 0 < B -> 0 < delta < 1 ->
  fits_budget B epsilon delta -> transcript_zcdp F t B -> hockey_stick F t epsilon <= delta.
Proof.
  intros hon hB hd fit every.
  assert (cks_fits B epsilon delta) as (alpha & ha & bound) by (destruct fit; [now apply simple_is_cks|easy]).
  eapply Rle_trans; [|exact bound]. apply cks_conversion; [easy|easy|]. now apply every.
Qed.
