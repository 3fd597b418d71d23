(** Laplace mechanisms with real outcomes, as they stand on paper: p plus noise of scale b against q plus the same is
    (|p - q| / b)-DP ([laplace_is_pure]), so the filter of Theorem 4.9 keeps its promise ([laplace_filter_real]),
    whatever means, scales and charges are chosen by the real numbers released before. *)

From Coq Require Import Reals Lra Lia FunctionalExtensionality.
From Coquelicot Require Import Coquelicot.
From Filterproof Require Import Sums Integrals RealLine Conversions AnyOutcomes AnyOutcomesFilters
  PureAnyOutcomes.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

(** The density of the Laplace law. *)
Definition laplace (mean scale x : R) : R := exp (- (Rabs (x - mean) / scale)) / (2 * scale).

Lemma laplace_pos mean scale x : 0 < scale -> 0 < laplace mean scale x.
Proof. intros hs. apply Rdiv_lt_0_compat; [apply exp_pos|lra]. Qed.

Lemma laplace_continuous mean scale x : continuous (laplace mean scale) x.
Proof.
  apply (continuous_comp (fun x => - (Rabs (x - mean) / scale)) (fun z => exp z / (2 * scale))).
  - apply (continuous_comp (fun x => x - mean) (fun z => - (Rabs z / scale))).
    + apply (continuous_minus (fun x => x) (fun _ => mean)); [apply continuous_id|apply continuous_const].
    + apply (continuous_opp (fun z => Rabs z / scale)). apply (continuous_scal_l Rabs (/ scale)), continuous_Rabs.
  - apply (continuous_scal_l exp (/ (2 * scale))). apply continuous_exp.
Qed.

(** e^{-z} is as small as one likes. *)
Lemma exp_vanishes e z : 0 < e -> / e < z -> exp (- z) < e.
Proof.
  intros he far. assert (0 < / e) as hi by now apply Rinv_0_lt_compat.
  pose proof (exp_ineq1 z ltac:(lra)) as above. pose proof (exp_pos (- z)) as positive.
  assert (exp z * exp (- z) = 1) as unit by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  assert (e * / e = 1) by (apply Rinv_r; lra).
  apply (Rmult_lt_reg_r (exp z)); nra.
Qed.

(** Each half has the integral 1/2. *)
Lemma laplace_left mean scale : 0 < scale ->
  is_RInt_gen (laplace mean scale) (Rbar_locally m_infty) (at_point mean) (1 / 2).
Proof.
  intros hs. set (F := fun x => exp ((x - mean) / scale) / 2).
  assert (slope : forall x, is_derive F x (exp ((x - mean) / scale) / (2 * scale))).
  { intros x. unfold F. auto_derive; [easy|]. unfold Rminus, Rdiv. field. lra. }
  assert (same : forall x, Derive F x = exp ((x - mean) / scale) / (2 * scale)) by (intros; now apply is_derive_unique).
  apply (is_RInt_gen_ext (Derive F)).
  { exists (fun x => x < mean) (fun x => x = mean); [now exists mean|easy|].
    intros a b ha -> x inside. cbn in inside. rewrite Rmax_right in inside by lra.
    rewrite same. unfold laplace. rewrite Rabs_left by lra. do 2 f_equal. field. lra. }
  replace (1 / 2) with (1 / 2 - 0) by ring. apply is_RInt_gen_Derive.
  - exists (fun _ => True) (fun _ => True); [now exists 0|easy|]. intros a b _ _ x _. eexists. apply slope.
  - exists (fun _ => True) (fun _ => True); [now exists 0|easy|]. intros a b _ _ x _.
    apply (continuous_ext (fun x => exp ((x - mean) / scale) / (2 * scale))); [intros; now rewrite same|].
    apply (ex_derive_continuous (fun x => exp ((x - mean) / scale) / (2 * scale))). auto_derive. easy.
  - apply filterlim_locally. intros e. exists (mean - scale * / e). intros x far.
    pose proof (exp_vanishes e (- ((x - mean) / scale)) (cond_pos e)) as small. rewrite Ropp_involutive in small.
    assert (/ e < - ((x - mean) / scale)) as late.
    { apply (Rmult_lt_reg_r scale); [easy|]. replace (- ((x - mean) / scale) * scale) with (mean - x) by (field; lra).
      lra. }
    specialize (small late). pose proof (exp_pos ((x - mean) / scale)).
    change (Rabs (F x - 0) < e). unfold F. apply Rabs_def1; lra.
  - intros P near. unfold filtermap, at_point. apply locally_singleton in near.
    unfold F. now replace (exp ((mean - mean) / scale) / 2) with (1 / 2)
      by (replace ((mean - mean) / scale) with 0 by (field; lra); now rewrite exp_0).
Qed.

Lemma laplace_right mean scale : 0 < scale ->
  is_RInt_gen (laplace mean scale) (at_point mean) (Rbar_locally p_infty) (1 / 2).
Proof.
  intros hs. set (F := fun x => - exp (- ((x - mean) / scale)) / 2).
  assert (slope : forall x, is_derive F x (exp (- ((x - mean) / scale)) / (2 * scale))).
  { intros x. unfold F. auto_derive; [easy|]. unfold Rminus, Rdiv. field. lra. }
  assert (same : forall x, Derive F x = exp (- ((x - mean) / scale)) / (2 * scale))
    by (intros; now apply is_derive_unique).
  apply (is_RInt_gen_ext (Derive F)).
  { exists (fun x => x = mean) (fun x => mean < x); [easy|now exists mean|].
    intros a b -> hb x inside. cbn in inside. rewrite Rmin_left in inside by lra.
    rewrite same. unfold laplace. rewrite Rabs_right by lra. easy. }
  replace (1 / 2) with (0 - - (1 / 2)) by ring. apply is_RInt_gen_Derive.
  - exists (fun _ => True) (fun _ => True); [easy|now exists 0|]. intros a b _ _ x _. eexists. apply slope.
  - exists (fun _ => True) (fun _ => True); [easy|now exists 0|]. intros a b _ _ x _.
    apply (continuous_ext (fun x => exp (- ((x - mean) / scale)) / (2 * scale))); [intros; now rewrite same|].
    apply (ex_derive_continuous (fun x => exp (- ((x - mean) / scale)) / (2 * scale))). auto_derive. easy.
  - intros P near. unfold filtermap, at_point. apply locally_singleton in near.
    unfold F. now replace (- exp (- ((mean - mean) / scale)) / 2) with (- (1 / 2))
      by (replace (- ((mean - mean) / scale)) with 0 by (field; lra); rewrite exp_0; field).
  - apply filterlim_locally. intros e. exists (mean + scale * / e). intros x far.
    assert (/ e < (x - mean) / scale) as late.
    { apply (Rmult_lt_reg_r scale); [easy|].
      replace ((x - mean) / scale * scale) with (x - mean) by (field; lra). lra. }
    pose proof (exp_vanishes e _ (cond_pos e) late). pose proof (exp_pos (- ((x - mean) / scale))).
    change (Rabs (F x - 0) < e). unfold F. apply Rabs_def1; lra.
Qed.

Lemma laplace_improper mean scale : 0 < scale ->
  is_RInt_gen (laplace mean scale) (Rbar_locally m_infty) (Rbar_locally p_infty) 1.
Proof.
  intros hs. replace 1 with (plus (1 / 2) (1 / 2)) by (unfold plus; cbn; field).
  apply (is_RInt_gen_Chasles (laplace mean scale) mean); [now apply laplace_left|now apply laplace_right].
Qed.

Lemma laplace_density mean scale : 0 < scale -> density lebesgue (laplace mean scale).
Proof.
  intros hs. assert (forall x, 0 <= laplace mean scale x) as low by (intros; left; now apply laplace_pos).
  split; [easy|]. apply lebesgue_is_riemann; [apply laplace_continuous|easy|now apply laplace_improper].
Qed.

Lemma laplace_adds mean scale : 0 < scale -> adds lebesgue (laplace mean scale).
Proof.
  intros hs. apply (riemann_adds _ 1); [apply laplace_continuous|intros; left; now apply laplace_pos|].
  now apply laplace_improper.
Qed.

(** A Laplace release whose means differ by p - q, charged at least (|p - q| / scale)^2 / 2. *)
Definition laplace_honest (m : request R) : Prop := exists p q scale c, 0 < scale /\
  (Rabs (p - q) / scale) ^ 2 / 2 <= c /\ m = Ask R lebesgue (laplace p scale) (laplace q scale) c.

Lemma laplace_ratio p q scale : 0 < scale -> ratio_at_most (Rabs (p - q) / scale) (laplace p scale) (laplace q scale).
Proof.
  intros hs x. unfold laplace. assert (0 < / (2 * scale)) by (apply Rinv_0_lt_compat; lra).
  unfold Rdiv at 1 4. rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [lra|]. rewrite <- exp_plus.
  apply exp_le. apply (Rmult_le_reg_r scale); [easy|].
  replace (- (Rabs (x - p) / scale) * scale) with (- Rabs (x - p)) by (field; lra).
  replace ((Rabs (p - q) / scale + - (Rabs (x - q) / scale)) * scale) with (Rabs (p - q) - Rabs (x - q))
    by (field; lra).
  pose proof (Rabs_triang (x - p) (p - q)) as it. replace (x - p + (p - q)) with (x - q) in it by ring. lra.
Qed.

Theorem laplace_is_pure m : laplace_honest m -> pure_honest_any m.
Proof.
  intros (p & q & scale & c & hs & enough & ->).
  split; [now split; apply laplace_density|]. split; [now apply laplace_adds|]. split; [now apply laplace_adds|].
  exists (Rabs (p - q) / scale). split; [apply Rmult_le_pos; [apply Rabs_pos|left; now apply Rinv_0_lt_compat]|].
  split; [easy|]. split; [now apply laplace_ratio|]. rewrite Rabs_minus_sym. now apply laplace_ratio.
Qed.

(** Claim: Laplace releases of real numbers, whose means, scales and charges depend on all numbers released before: for
    epsilon > 0 and 0 < delta < 1 a filter that admits while their charges, each at least half the square of |p -
    q|/scale for the means p and q, sum to at most the paper's B-star keeps (epsilon, delta)-DP.
    Source: Feldman & Zrnic, Theorem 4.9
    Covers: Laplace mechanisms with real outcomes
    Beyond: That the iterated integral of measurable strategies and sets is the one against the law of the
    transcript, which is Tonelli's theorem. *)
Theorem laplace_filter_real epsilon delta : 0 < epsilon -> 0 < delta < 1 ->
  promises_delta_any (additive_any (b_star epsilon delta)) laplace_honest epsilon delta.
Proof.
  intros he hd t hon. apply theorem_4_9_any; [easy|easy|]. revert hon. apply honest_weaken, laplace_is_pure.
Qed.
