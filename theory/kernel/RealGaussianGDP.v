(** Gaussian mechanisms with real outcomes and Gaussian differential privacy (Koskela, Tobaben & Honkela).

    - [gaussian_is_gdp]: N(p, sigma^2) against N(q, sigma^2) is |p - q| / sigma-GDP;
    - [gaussian_filter_gdp_real]: so a filter of the squares keeps mu-GDP for each analyst of Gaussian releases. *)

From Coq Require Import Reals Lra Lia FunctionalExtensionality.
From Coquelicot Require Import Coquelicot.
From Filterproof Require Import GaussianCdf GaussianCurve GaussianCells GaussianDP.
From Filterproof Require Import Sums Divergences Integrals RealLine AnyOutcomes AnyOutcomesFilters RealGaussian
  GaussianAnyOutcomes.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

Lemma pos_continuous (f : R -> R) : (forall x : R, continuous f x) -> forall x : R, continuous (fun x => pos (f x)) x.
Proof.
  intros smooth x. apply (continuous_ext (fun x => (f x + Rabs (f x)) / 2)).
  - intros u. unfold pos, Rabs, Rmax. destruct Rcase_abs, Rle_dec; lra.
  - apply (continuous_scal_l (fun x => f x + Rabs (f x)) (/ 2)).
    apply (continuous_plus f); [apply smooth|]. apply continuous_comp; [apply smooth|]. apply continuous_Rabs.
Qed.

Section Positive_part.

Variables (f F : R -> R) (t : R).
Hypotheses (smooth : forall x : R, continuous f x) (slope : forall x, is_derive F x (f x)).

Lemma RInt_where_positive a b : a <= b -> (forall x, a < x < b -> 0 <= f x) -> RInt (fun x => pos (f x)) a b = F b -
  F a.
Proof.
  intros order high. rewrite (RInt_ext _ f).
  - apply is_RInt_unique. apply (is_RInt_derive F f); [intros; apply slope|intros; apply smooth].
  - rewrite Rmin_left, Rmax_right by easy. intros x here. specialize (high x here). unfold pos. now apply Rmax_right.
Qed.

Lemma RInt_where_negative a b : a <= b -> (forall x, a < x < b -> f x <= 0) -> RInt (fun x => pos (f x)) a b = 0.
Proof.
  intros order low. rewrite (RInt_ext _ (fun _ => 0)).
  - apply (eq_trans (RInt_level 0 a b)). apply Rmult_0_r.
  - rewrite Rmin_left, Rmax_right by easy. intros x here. specialize (low x here). unfold pos. now apply Rmax_left.
Qed.

Lemma RInt_split a m b : RInt (fun x => pos (f x)) a b = RInt (fun x => pos (f x)) a m + RInt (fun x => pos (f x)) m b.
Proof.
  symmetry. apply (RInt_Chasles (fun x => pos (f x)) a m b); apply integrable; now apply pos_continuous.
Qed.

(** The positive part of a function that is so on one side of t. *)
Lemma positive_before a b top : a <= b -> (forall x, x <= t -> 0 <= f x) -> (forall x, t <= x -> f x <= 0) ->
  (forall x, x <= t -> 0 <= F x <= top) -> RInt (fun x => pos (f x)) a b <= top.
Proof.
  intros order before after bounds. pose proof (bounds t (Rle_refl t)).
  destruct (Rle_or_lt b t) as [all|some].
  - rewrite RInt_where_positive by (easy || (intros; apply before; lra)).
    pose proof (bounds a ltac:(lra)). pose proof (bounds b all). lra.
  - destruct (Rle_or_lt t a) as [none|cut].
    + rewrite RInt_where_negative by (easy || (intros; apply after; lra)). lra.
    + rewrite (RInt_split a t b). rewrite RInt_where_positive by (lra || (intros; apply before; lra)).
      rewrite RInt_where_negative by (lra || (intros; apply after; lra)). pose proof (bounds a ltac:(lra)). lra.
Qed.

Lemma positive_after a b top : a <= b -> (forall x, x <= t -> f x <= 0) -> (forall x, t <= x -> 0 <= f x) ->
  (forall x, t <= x -> - top <= F x <= 0) -> RInt (fun x => pos (f x)) a b <= top.
Proof.
  intros order before after bounds. pose proof (bounds t (Rle_refl t)).
  destruct (Rle_or_lt t a) as [all|some].
  - rewrite RInt_where_positive by (easy || (intros; apply after; lra)).
    pose proof (bounds a all). pose proof (bounds b ltac:(lra)). lra.
  - destruct (Rle_or_lt b t) as [none|cut].
    + rewrite RInt_where_negative by (easy || (intros; apply before; lra)). lra.
    + rewrite (RInt_split a t b). rewrite RInt_where_negative by (lra || (intros; apply before; lra)).
      rewrite RInt_where_positive by (lra || (intros; apply after; lra)). pose proof (bounds b ltac:(lra)). lra.
Qed.

End Positive_part.

(** A bound on all its Riemann integrals is one on the integral. *)
Lemma lebesgue_at_most (f : R -> R) (top : R) : (forall x : R, continuous f x) -> (forall x, 0 <= f x) ->
  (forall a b, a <= b -> RInt f a b <= top) -> Rbar_le (value lebesgue (fun x => f x)) top.
Proof.
  intros smooth low most. apply glb_below. exists (fun _ => f). split; [now intros|split; [intros; lra|]].
  intros x. apply (at_most_sup (fun _ => f x) 0).
Qed.

Section Means.

Variables (p q sigma y : R).
Hypotheses (hs : 0 < sigma) (hy : 0 < y).

Let f (x : R) : R := normal p sigma x - y * normal q sigma x.

Lemma f_continuous (x : R) : continuous f x.
Proof.
  apply (continuous_minus (normal p sigma)); [now apply normal_continuous|].
  apply (continuous_scal_r y (normal q sigma)). now apply normal_continuous.
Qed.

(** Up to the sign of the direction the densities are those of [GaussianCells]. *)
Lemma sides d s x : d * d = 1 -> s = d * (q - p) / sigma -> 0 < s ->
  f x = (GaussianCdf.density (d * (x - q) / sigma + s) - y * GaussianCdf.density (d * (x - q) / sigma)) / sigma.
Proof.
  intros square -> _. unfold f, normal.
  replace (d * (x - q) / sigma + d * (q - p) / sigma) with (d * ((x - p) / sigma)) by (field; lra).
  replace (d * (x - q) / sigma) with (d * ((x - q) / sigma)) by (field; lra).
  assert (even : forall z, GaussianCdf.density (d * z) = GaussianCdf.density z).
  { intros z. unfold GaussianCdf.density, bell. replace (d * z * (d * z)) with (z * z); [easy|].
    transitivity (d * d * (z * z)); [rewrite square; ring|ring]. }
  rewrite !even. field. lra.
Qed.

Lemma sign_of_f d s x : d * d = 1 -> s = d * (q - p) / sigma -> 0 < s ->
  (d * (x - q) / sigma <= best 1 y s -> 0 <= f x) /\ (best 1 y s <= d * (x - q) / sigma -> f x <= 0).
Proof.
  intros square same apart. rewrite (sides d s x square same apart). set (u := d * (x - q) / sigma).
  pose proof (densities 1 y s u Rlt_0_1 hy apart) as compared. rewrite Rmult_1_l in compared.
  rewrite compared. pose proof (density_range u) as [some _].
  assert (0 < y * GaussianCdf.density u) by (apply Rmult_lt_0_compat; lra).
  assert (0 < / sigma) by now apply Rinv_0_lt_compat. split; intros side.
  - assert (1 <= exp (s * (best 1 y s - u))).
    { apply Rle_trans with (exp 0); [rewrite exp_0; lra|apply exp_le; nra]. }
    unfold Rdiv. apply Rmult_le_pos; nra.
  - assert (exp (s * (best 1 y s - u)) <= 1).
    { apply Rle_trans with (exp 0); [apply exp_le; nra|rewrite exp_0; lra]. }
    unfold Rdiv. set (D := y * GaussianCdf.density u) in *. enough (0 <= - (D * exp (s * (best 1 y s - u)) - D) * /
      sigma) by lra.
    apply Rmult_le_pos; nra.
Qed.

Lemma primitive d s x : d * d = 1 -> s = d * (q - p) / sigma -> 0 < s ->
  is_derive (fun x => d * gain 1 y s (d * (x - q) / sigma)) x (f x).
Proof.
  intros square same apart. rewrite (sides d s x square same apart). evar_last.
  - apply (is_derive_scal (fun x => gain 1 y s (d * (x - q) / sigma))).
    apply (is_derive_comp (gain 1 y s) (fun x => d * (x - q) / sigma)); [apply gain_derive|].
    auto_derive; [easy|reflexivity].
  - unfold scal; cbn. unfold mult; cbn. rewrite Rmult_1_l. set (u := d * (x - q) / sigma).
    replace (d * (d * 1 * / sigma * (GaussianCdf.density (u + s) - y * GaussianCdf.density u))) with
      (d * d * ((GaussianCdf.density (u + s) - y * GaussianCdf.density u) / sigma)) by (field; lra). rewrite square.
        ring.
Qed.

Lemma gained_range d s x : d * d = 1 -> 0 < s -> d * (x - q) / sigma <= best 1 y s ->
  0 <= gain 1 y s (d * (x - q) / sigma) <= gauss 1 y (s ^ 2).
Proof.
  intros _ apart low. split; [apply gain_nonneg; lra|]. rewrite <- gain_at_best by lra. apply gain_rises; lra.
Qed.

Lemma excess_at_most : Rbar_le (value lebesgue (fun x => pos (f x))) (gauss 1 y (((p - q) / sigma) ^ 2)).
Proof.
  apply lebesgue_at_most; [apply pos_continuous, f_continuous|intros; apply pos_nonneg|]. intros a b order.
  destruct (Rtotal_order p q) as [less|[same|more]].
  - set (s := 1 * (q - p) / sigma). assert (0 < s) as apart by (apply Rdiv_lt_0_compat; lra).
    replace (((p - q) / sigma) ^ 2) with (s ^ 2) by (unfold s; field; lra).
    set (t := q + sigma * best 1 y s).
    assert (there : forall x, x <= t <-> 1 * (x - q) / sigma <= best 1 y s).
    { intros x. assert (1 * (x - q) / sigma * sigma = x - q) by (field; lra). unfold t. split; intros; nra. }
    assert (beyond : forall x, t <= x <-> best 1 y s <= 1 * (x - q) / sigma).
    { intros x. assert (1 * (x - q) / sigma * sigma = x - q) by (field; lra). unfold t. split; intros; nra. }
    apply (positive_before f (fun x => 1 * gain 1 y s (1 * (x - q) / sigma)) t); try easy.
    + apply f_continuous.
    + intros x. now apply primitive; [lra| |].
    + intros x here. apply (sign_of_f 1 s x); [lra|easy|easy|now apply there].
    + intros x here. apply (sign_of_f 1 s x); [lra|easy|easy|now apply beyond].
    + intros x here. rewrite Rmult_1_l. apply gained_range; [lra|easy|now apply there].
  - assert (f = fun x => (1 - y) * normal q sigma x) as -> by (unfold f; extensionality x; rewrite same; ring).
    replace (((p - q) / sigma) ^ 2) with 0 by (rewrite same; field; lra). unfold gauss.
    destruct (Rle_dec 0 0); [|lra].
    apply Rle_trans with (RInt (fun x => pos (1 - y) * normal q sigma x) a b).
    + right. apply RInt_ext. intros x _. pose proof (normal_pos q sigma x hs). unfold pos.
      rewrite (Rmult_comm (Rmax 0 (1 - y))), <- RmaxRmult by lra. rewrite Rmult_0_r. f_equal. apply Rmult_comm.
    + rewrite RInt_times by (apply integrable; intros; now apply normal_continuous).
      pose proof (pos_nonneg (1 - y)).
      pose proof (improper_above (normal q sigma) 1 a b (fun x => normal_continuous q sigma x hs)
        (fun x => Rlt_le _ _ (normal_pos q sigma x hs)) (normal_improper q sigma hs) order). nra.
  - set (s := - 1 * (q - p) / sigma). assert (0 < s) as apart by (apply Rdiv_lt_0_compat; lra).
    replace (((p - q) / sigma) ^ 2) with (s ^ 2) by (unfold s; field; lra).
    set (t := q - sigma * best 1 y s).
    assert (there : forall x, t <= x <-> - 1 * (x - q) / sigma <= best 1 y s).
    { intros x. assert (- 1 * (x - q) / sigma * sigma = q - x) by (field; lra). unfold t. split; intros; nra. }
    assert (beyond : forall x, x <= t <-> best 1 y s <= - 1 * (x - q) / sigma).
    { intros x. assert (- 1 * (x - q) / sigma * sigma = q - x) by (field; lra). unfold t. split; intros; nra. }
    apply (positive_after f (fun x => - 1 * gain 1 y s (- 1 * (x - q) / sigma)) t); try easy.
    + apply f_continuous.
    + intros x. now apply primitive; [lra| |].
    + intros x here. apply (sign_of_f (- 1) s x); [lra|easy|easy|now apply beyond].
    + intros x here. apply (sign_of_f (- 1) s x); [lra|easy|easy|now apply there].
    + intros x here. pose proof (gained_range (- 1) s x ltac:(lra) apart (proj1 (there x) here)). lra.
Qed.

End Means.

(** A Gaussian release whose means differ by p - q, charged at least |p - q| / sigma. *)
Definition gaussian_charged_mu (m : request R) : Prop :=
  exists p q sigma c, 0 < sigma /\ Rabs (p - q) / sigma <= c /\ m = gaussian_release p q sigma c.

(** Claim: N(p, sigma^2) against N(q, sigma^2) is |p - q| / sigma-GDP: its hockey-sticks are at most delta_mu(epsilon)
    at each real epsilon, both ways.
    Source: Dong, Roth & Su, Theorem 2.7
    Covers: Gaussian mechanisms with real outcomes *)
Theorem gaussian_is_gdp m : gaussian_charged_mu m -> gdp_honest_any m.
Proof.
  intros (p & q & sigma & c & hs & enough & ->).
  assert (0 <= Rabs (p - q) / sigma) as low.
  { apply Rmult_le_pos; [apply Rabs_pos|left; now apply Rinv_0_lt_compat]. }
  assert (((p - q) / sigma) ^ 2 <= c ^ 2) as square.
  { replace (((p - q) / sigma) ^ 2) with ((Rabs (p - q) / sigma) ^ 2); [nra|].
    unfold Rdiv. rewrite !Rpow_mult_distr. f_equal. apply pow2_abs. }
  assert (one : forall u w epsilon, ((u - w) / sigma) ^ 2 = ((p - q) / sigma) ^ 2 ->
    Rbar_le (value lebesgue (fun x => pos (normal u sigma x - exp epsilon * normal w sigma x))) (gdp_delta c epsilon)).
  { intros u w epsilon same. pose proof (exp_pos epsilon) as he. rewrite gdp_delta_is_gauss by lra.
    eapply Rbar_le_trans; [apply (excess_at_most u w sigma (exp epsilon) hs he)|]. cbn [Rbar_le]. rewrite same.
    apply gauss_rises; try lra. apply pow2_ge_0. }
  split; [|split; [cbn; lra|]].
  - split; (split; [intros x; left; now apply normal_pos|now apply normal_integral]).
  - intros epsilon. split; apply one; [easy|]. field. lra.
Qed.

(** Claim: Gaussian releases of real numbers, whose means, scales and charges depend on all numbers released before: a
    filter that admits while the squares of their charges, each at least |p - q| / sigma for the means p and q,
      sum to at
    most mu^2 keeps (epsilon, delta_mu(epsilon))-DP at each epsilon.
    Source: Koskela, Tobaben & Honkela, Theorem C.1
    Covers: Gaussian mechanisms with real outcomes
    Beyond: That the iterated integral of measurable strategies and sets is the one against the law of the
    transcript, which is Tonelli's theorem. *)
Theorem gaussian_filter_gdp_real mu epsilon : 0 <= mu ->
  promises_delta_any (gaussian_any mu) gaussian_charged_mu epsilon (gdp_delta mu epsilon).
Proof.
  intros hmu t hon. apply (gaussian_promise_any mu epsilon hmu).
  revert hon. apply honest_weaken, gaussian_is_gdp.
Qed.
