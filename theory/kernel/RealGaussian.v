(** Gaussian mechanisms with real outcomes, as they stand on paper, and filters for them.

    - [gaussian_is_zcdp]: N(p, sigma^2) against N(q, sigma^2) is (p - q)^2 / (2 sigma^2)-zCDP;
    - [gaussian_filter_real], [gaussian_filter_zcdp_real]: what a filter of zCDP charges keeps, whatever means, scales
      and charges are chosen by the real numbers released before;
    - [late_filter_fails_real]: the filter that decides after the release keeps no zCDP. *)

From Coq Require Import Reals Lra Lia FunctionalExtensionality.
From Coquelicot Require Import Coquelicot.
From Filterproof Require Import Sums Integrals RealLine GaussianCdf Divergences Conversions AnyOutcomes
  AnyOutcomesFilters.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

(** The density of N(mean, sigma^2). *)
Definition normal (mean sigma x : R) : R := GaussianCdf.density ((x - mean) / sigma) / sigma.

Lemma normal_pos mean sigma x : 0 < sigma -> 0 < normal mean sigma x.
Proof. intros hs. apply Rdiv_lt_0_compat; [apply density_range|easy]. Qed.

Lemma normal_derive mean sigma x : 0 < sigma ->
  is_derive (fun x => Phi ((x - mean) / sigma)) x (normal mean sigma x).
Proof.
  intros hs. evar_last.
  - apply (is_derive_comp Phi (fun x => (x - mean) / sigma)); [apply Phi_derive|].
    auto_derive; [easy|reflexivity].
  - unfold scal; cbn. unfold mult; cbn. unfold normal, Rdiv. ring.
Qed.

Lemma normal_continuous mean sigma x : 0 < sigma -> continuous (normal mean sigma) x.
Proof.
  intros hs. apply (ex_derive_continuous (normal mean sigma)). unfold normal, GaussianCdf.density, bell.
  auto_derive. easy.
Qed.

(** Its improper integral is one. *)
Lemma normal_improper mean sigma : 0 < sigma ->
  is_RInt_gen (normal mean sigma) (Rbar_locally m_infty) (Rbar_locally p_infty) 1.
Proof.
  intros hs. set (F := fun x => Phi ((x - mean) / sigma)).
  assert (slope : forall x, Derive F x = normal mean sigma x).
  { intros x. apply is_derive_unique. now apply normal_derive. }
  assert (normal mean sigma = Derive F) as -> by (extensionality x; now rewrite slope).
  assert (left : forall e, 0 < e -> exists b, forall x, x < b -> Phi ((x - mean) / sigma) < e).
  { intros e he. destruct (Phi_vanishes e he) as [b near]. exists (mean + sigma * b). intros x low. apply near.
    apply (Rmult_le_reg_r sigma); [easy|]. replace ((x - mean) / sigma * sigma) with (x - mean) by (field; lra). lra. }
  replace 1 with (1 - 0) by ring. apply is_RInt_gen_Derive.
  - exists (fun _ => True) (fun _ => True); [now exists 0|now exists 0|]. intros a b _ _ x _. eexists.
    now apply normal_derive.
  - exists (fun _ => True) (fun _ => True); [now exists 0|now exists 0|]. intros a b _ _ x _.
    apply (continuous_ext (normal mean sigma)); [intros; now rewrite slope|]. now apply normal_continuous.
  - apply filterlim_locally. intros e. destruct (left e (cond_pos e)) as [b near]. exists b. intros x low.
    specialize (near x low). pose proof (Phi_range ((x - mean) / sigma)).
    change (Rabs (F x - 0) < e). unfold F. apply Rabs_def1; lra.
  - apply filterlim_locally. intros e. destruct (Phi_vanishes e (cond_pos e)) as [b near].
    exists (mean - sigma * b). intros x high.
    assert (- ((x - mean) / sigma) <= b) as low.
    { apply (Rmult_le_reg_r sigma); [easy|].
      replace (- ((x - mean) / sigma) * sigma) with (mean - x) by (field; lra). lra. }
    specialize (near _ low). rewrite Phi_opp in near. pose proof (Phi_range ((x - mean) / sigma)).
    change (Rabs (F x - 1) < e). unfold F. apply Rabs_def1; lra.
Qed.

Lemma normal_integral mean sigma : 0 < sigma -> value lebesgue (fun x => normal mean sigma x) = 1.
Proof.
  intros hs. apply lebesgue_is_riemann; [intros; now apply normal_continuous|intros; left; now apply normal_pos|].
  now apply normal_improper.
Qed.

Lemma normal_exp mean sigma x : normal mean sigma x = peak / sigma * exp (- ((x - mean) / sigma) ^ 2 / 2).
Proof.
  unfold normal, GaussianCdf.density, bell, peak. set (z := (x - mean) / sigma).
  replace (- (z * z) / 2) with (- z ^ 2 / 2) by (unfold Rdiv; ring). unfold Rdiv. ring.
Qed.

(** Completing the square. *)
Lemma normal_term alpha p q sigma x : 0 < sigma ->
  term alpha (normal p sigma x) (normal q sigma x) =
  exp ((alpha - 1) * (alpha * ((p - q) ^ 2 / (2 * sigma ^ 2)))) * normal (alpha * p + (1 - alpha) * q) sigma x.
Proof.
  intros hs. pose proof (normal_pos p sigma x hs) as hp. unfold term, power.
  destruct (Rle_dec (normal p sigma x) 0); [lra|]. rewrite !normal_exp.
  assert (0 < peak / sigma) as hk by (apply Rdiv_lt_0_compat; [apply peak_pos|easy]).
  unfold Rpower. rewrite !ln_mult, !ln_exp by (easy || apply exp_pos).
  rewrite <- (exp_ln (peak / sigma) hk) at 3. rewrite <- !exp_plus. f_equal. field. lra.
Qed.

(** ** Requests *)

Definition gaussian_release (p q sigma c : R) : request R := Ask R lebesgue (normal p sigma) (normal q sigma) c.

(** A Gaussian release whose means differ by p - q, charged at least (p - q)^2 / (2 sigma^2). *)
Definition gaussian_honest (m : request R) : Prop :=
  exists p q sigma c, 0 < sigma /\ (p - q) ^ 2 / (2 * sigma ^ 2) <= c /\ m = gaussian_release p q sigma c.

(** Claim: For N(p, sigma^2) and N(q, sigma^2), sigma > 0, the integral of the first density to the power alpha times
    the second to the power 1 - alpha is e^((alpha - 1) alpha (p - q)^2/(2 sigma^2)), at every real alpha.
    Source: Mironov, Proposition 7
    Covers: Gaussian mechanisms with real outcomes *)
Lemma gaussian_moment alpha p q sigma : 0 < sigma ->
  value lebesgue (fun x => term alpha (normal p sigma x) (normal q sigma x)) =
  exp ((alpha - 1) * (alpha * ((p - q) ^ 2 / (2 * sigma ^ 2)))).
Proof.
  intros hs. rewrite <- (Rmult_1_r (exp _)).
  rewrite <- (value_times lebesgue _ (normal (alpha * p + (1 - alpha) * q) sigma) 1).
  - f_equal. extensionality x. now rewrite normal_term.
  - left; apply exp_pos.
  - intros; left; now apply normal_pos.
  - now apply normal_integral.
Qed.

(** Claim: N(p, sigma^2) against N(q, sigma^2) is (p - q)^2/(2 sigma^2)-zCDP, both ways.
    Covers: Gaussian mechanisms with real outcomes *)
Theorem gaussian_is_zcdp m : gaussian_honest m -> zcdp_priced_any (fun c => c) m.
Proof.
  intros (p & q & sigma & c & hs & enough & ->).
  assert (laws (gaussian_release p q sigma c)) as hl.
  { split; (split; [intros x; left; now apply normal_pos|now apply normal_integral]). }
  assert (positive : 0 <= (p - q) ^ 2 / (2 * sigma ^ 2)).
  { apply Rmult_le_pos; [apply pow2_ge_0|]. left. apply Rinv_0_lt_compat. pose proof (pow_lt sigma 2 hs). lra. }
  assert (one : forall alpha p q, 1 < alpha -> (p - q) ^ 2 / (2 * sigma ^ 2) <= c ->
    renyi_at_most_any alpha (alpha * c) lebesgue (normal p sigma) (normal q sigma)).
  { intros alpha u w above small. split.
    - intros x zero. pose proof (normal_pos w sigma x hs). lra.
    - rewrite gaussian_moment by easy. apply exp_le. apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; lra. }
  split; [cbn; lra|]. intros alpha above. split; [easy|split; [cbn; nra|split]].
  - now apply one.
  - apply one; [easy|]. now replace ((q - p) ^ 2) with ((p - q) ^ 2) by ring.
Qed.

(** ** Filters *)

(** A filter that admits while the charges sum to at most B keeps B-zCDP for every analyst of Gaussian releases, whose
    means, scales and charges may depend on all real numbers released before. *)
Theorem gaussian_filter_zcdp_real B t : 0 <= B -> honest gaussian_honest t -> transcript_zcdp_any (additive_any B) t B.
Proof.
  intros hB hon. apply zcdp_filter_any; [easy|]. revert hon. apply honest_weaken, gaussian_is_zcdp.
Qed.

(** Claim: Gaussian releases of real numbers, whose means, scales and charges depend on all numbers released before: for
    0 < delta < 1 a filter that admits while their charges, each at least (p - q)^2/(2 sigma^2) for the means p and q,
    sum to at most B > 0 keeps (epsilon, delta)-DP where the simple or the CKS conversion allows B.
    Source: Feldman & Zrnic, Theorem 4.9
    Covers: Gaussian mechanisms with real outcomes
    Beyond: That the iterated integral of measurable strategies and sets is the one against the law of the
    transcript, which is Tonelli's theorem. *)
Theorem gaussian_filter_real B epsilon delta : 0 < B -> 0 < delta < 1 -> fits_budget B epsilon delta ->
  promises_delta_any (additive_any B) gaussian_honest epsilon delta.
Proof.
  intros hB hd fit t hon. apply (approximate_dp_filter_any B epsilon delta hB hd fit).
  revert hon. apply honest_weaken, gaussian_is_zcdp.
Qed.

(** ** The filter that decides after the release *)

(** CONT while the charges so far, the present one left out, are within the budget. *)
Definition late (budget : R) : filter R :=
  AnyOutcomes.Filter R budget (fun left _ => if Rle_dec 0 left then true else false) (fun left c _ => left - c).

(** Claim: A filter that admits while the zCDP charges before the present one sum to at most B >= 0 is not B-zCDP: one
    Gaussian release of a real number breaks it.
    Covers: Gaussian mechanisms with real outcomes *)
Theorem late_filter_fails_real B : 0 <= B -> exists t, honest gaussian_honest t /\ ~ transcript_zcdp_any (late B) t B.
Proof.
  intros hB. set (d := sqrt (2 * (B + 1))).
  assert (d * d = 2 * (B + 1)) as hd by (apply sqrt_sqrt; lra).
  assert ((d - 0) ^ 2 / (2 * 1 ^ 2) = B + 1) as charged by (field_simplify; nra).
  exists (Request (gaussian_release d 0 1 (B + 1)) (fun _ => Stop) Stop). split.
  - cbn. repeat split. exists d, 0, 1, (B + 1). repeat split; lra.
  - intros promise. destruct (promise 2 ltac:(lra)) as (_ & bound & _). unfold over in bound.
    cbn [total admits late start charge gaussian_release base P Q after] in bound.
    destruct (Rle_dec 0 B); [|lra].
    replace (value lebesgue _) with (value lebesgue (fun x => term 2 (normal d 1 x) (normal 0 1 x))) in bound.
    2: { f_equal. extensionality x. now rewrite !Rmult_1_l. }
    rewrite gaussian_moment, charged in bound by lra. cbn [Rbar_le] in bound.
    assert (exp ((2 - 1) * (2 * B)) < exp ((2 - 1) * (2 * (B + 1)))) by (apply exp_increasing; lra). lra.
Qed.
