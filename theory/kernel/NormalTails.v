(** Probabilities of sets of real numbers under a normal distribution.

    - [half_line]: those of half-lines are values of Phi, whatever the end of the half-line belongs to. *)

From Coq Require Import Reals Lra Lia ClassicalDedekindReals Classical_Prop FunctionalExtensionality.
From Coquelicot Require Import Coquelicot.
From Filterproof Require Import GaussianCdf.
From Filterproof Require Import Sums Divergences Integrals RealLine AnyOutcomes GaussianAnyOutcomes RealGaussian
  RealGaussianGDP.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

Lemma Phi_compared a b : Phi a <= Phi b <-> a <= b.
Proof.
  split; [|apply Phi_rises]. intros order. apply Rnot_lt_le. intros less.
  destruct (MVT_cor2 Phi GaussianCdf.density b a less) as (c & mean & _).
  - intros c _. apply is_derive_Reals, Phi_derive.
  - pose proof (density_range c). nra.
Qed.

(** The probability of a set of real numbers under N(mean, sigma^2). *)
Definition probability (mean sigma : R) (S : R -> Prop) : Rbar :=
  value lebesgue (fun x => if sig_not_dec (S x) then normal mean sigma x else 0).

Lemma probability_same mean sigma (S T : R -> Prop) : (forall x, S x <-> T x) ->
  probability mean sigma S = probability mean sigma T.
Proof.
  intros same. unfold probability. f_equal. extensionality x. specialize (same x).
  destruct (sig_not_dec (S x)), (sig_not_dec (T x)); tauto.
Qed.

Section Half_lines.

Variables mean sigma : R.
Hypothesis hs : 0 < sigma.

Let F (x : R) : R := Phi ((x - mean) / sigma).

Lemma F_rises a b : a <= b -> F a <= F b.
Proof. intros order. apply Phi_rises. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|lra]. Qed.

Lemma RInt_normal a b : RInt (normal mean sigma) a b = F b - F a.
Proof.
  apply is_RInt_unique. apply (is_RInt_derive F (normal mean sigma));
    intros; [now apply normal_derive|now apply normal_continuous].
Qed.

(** A continuous function below the density that vanishes on one side of c. *)
Lemma cut_at_most (h : R -> R) c : (forall x : R, continuous h x) -> (forall x, 0 <= h x <= normal mean sigma x) ->
  ((forall x, x < c -> h x = 0) -> forall a b, a <= b -> RInt h a b <= 1 - F c) /\
  ((forall x, c < x -> h x = 0) -> forall a b, a <= b -> RInt h a b <= F c).
Proof.
  intros smooth range.
  assert (below : forall a b, a <= b -> RInt h a b <= F b - F a).
  { intros a b order. rewrite <- RInt_normal. apply RInt_le; [easy|now apply integrable| |intros; apply range].
    apply integrable. intros; now apply normal_continuous. }
  assert (none : forall a b, a <= b -> (forall x, a < x < b -> h x = 0) -> RInt h a b = 0).
  { intros a b order zero. rewrite (RInt_ext _ (fun _ => 0)).
    - apply (eq_trans (RInt_level 0 a b)). apply Rmult_0_r.
    - rewrite Rmin_left, Rmax_right by easy. exact zero. }
  assert (wide : forall a b, a <= b -> RInt h a b <= RInt h (Rmin a c) c + RInt h c (Rmax b c)).
  { intros a b order. rewrite (RInt_Chasles h) by (now apply integrable).
    apply RInt_wider; [easy|intros; apply range|apply Rmin_l|easy|apply Rmax_l]. }
  split; intros zero a b order; specialize (wide a b order).
  - rewrite (none (Rmin a c) c) in wide; [|apply Rmin_r|intros; now apply zero].
    pose proof (below c (Rmax b c) (Rmax_r b c)). pose proof (Phi_range ((Rmax b c - mean) / sigma)).
    unfold F in *. lra.
  - rewrite (none c (Rmax b c)) in wide; [|apply Rmax_r|intros; now apply zero].
    pose proof (below (Rmin a c) c (Rmin_r a c)). pose proof (Phi_range ((Rmin a c - mean) / sigma)).
    unfold F in *. lra.
Qed.

(** From 0 at - 1 to 1 at 0. *)
Definition ramp (u : R) : R := pos (u + 1) - pos u.

Lemma ramp_range u : 0 <= ramp u <= 1 /\ (0 <= u -> ramp u = 1) /\ (u <= - 1 -> ramp u = 0).
Proof.
  unfold ramp, pos. unfold Rmax. destruct (Rle_dec 0 (u + 1)), (Rle_dec 0 u); repeat split; intros; lra.
Qed.

Lemma ramped_continuous c d (x : R) : continuous (fun x => normal mean sigma x * ramp (c * (x - d))) x.
Proof.
  assert (line : forall e x : R, continuous (fun x => c * (x - d) + e) x).
  { intros e u. apply (ex_derive_continuous (fun x => c * (x - d) + e)). auto_derive. easy. }
  apply (continuous_mult (normal mean sigma) (fun x => ramp (c * (x - d)))); [now apply normal_continuous|].
  apply (continuous_ext (fun x => pos (c * (x - d) + 1) - pos (c * (x - d) + 0))).
  { intros u. unfold ramp. now rewrite Rplus_0_r. }
  apply (continuous_minus (fun x => pos (c * (x - d) + 1)) (fun x => pos (c * (x - d) + 0)));
    apply (pos_continuous (fun x => c * (x - d) + _)); apply line.
Qed.

Lemma covered_at_most (S : R -> Prop) c d top : (forall x, S x -> 0 <= c * (x - d)) ->
  (forall a b, a <= b -> RInt (fun x => normal mean sigma x * ramp (c * (x - d))) a b <= top) ->
  Rbar_le (probability mean sigma S) top.
Proof.
  intros inside most.
  apply Rbar_le_trans with (value lebesgue (fun x => normal mean sigma x * ramp (c * (x - d)))).
  - apply value_le; intros x; pose proof (normal_pos mean sigma x hs);
      destruct (ramp_range (c * (x - d))) as ([low high] & one & _); destruct (sig_not_dec (S x)) as [here|];
      cbn; try nra.
    rewrite one by (now apply inside, NNPP). lra.
  - apply lebesgue_at_most; [apply ramped_continuous| |easy].
    intros x. pose proof (normal_pos mean sigma x hs). destruct (ramp_range (c * (x - d))) as ([low high] & _). nra.
Qed.

Lemma half_line_at_most (S : R -> Prop) t :
  ((forall x, x < t -> ~ S x) -> Rbar_le (probability mean sigma S) (1 - F t)) /\
  ((forall x, t < x -> ~ S x) -> Rbar_le (probability mean sigma S) (F t)).
Proof.
  assert (near : forall e, 0 < e -> exists w, 0 < w /\ F (t + w) <= F t + e /\ F t - e <= F (t - w)).
  { intros e he. pose proof peak_pos as hp. exists (e * sigma / peak).
    assert (0 < e * sigma / peak) as hw by (apply Rdiv_lt_0_compat; nra). split; [easy|].
    pose proof (Phi_step ((t - mean) / sigma) (e / peak) ltac:(left; now apply Rdiv_lt_0_compat)) as up.
    pose proof (Phi_step ((t - e * sigma / peak - mean) / sigma) (e / peak)
      ltac:(left; now apply Rdiv_lt_0_compat)) as down.
    replace (peak * (e / peak)) with e in * by (field; lra).
    replace ((t - mean) / sigma + e / peak) with ((t + e * sigma / peak - mean) / sigma) in up by (field; lra).
    replace ((t - e * sigma / peak - mean) / sigma + e / peak) with ((t - mean) / sigma) in down by (field; lra).
    unfold F. lra. }
  assert (ramped : forall c d x, 0 <= normal mean sigma x * ramp (c * (x - d)) <= normal mean sigma x).
  { intros c d x. pose proof (normal_pos mean sigma x hs). destruct (ramp_range (c * (x - d))) as ([low high] & _).
    nra. }
  split; intros outside; apply Rbar_le_epsilon; intros e he; destruct (near e he) as (w & hw & up & down).
  - apply (covered_at_most S (/ w) t).
    + intros x here. assert (t <= x) by (apply Rnot_lt_le; intros less; exact (outside x less here)).
      apply Rmult_le_pos; [left; now apply Rinv_0_lt_compat|lra].
    + intros a b order. apply Rle_trans with (1 - F (t - w)); [|lra].
      apply (cut_at_most _ (t - w)); [intros; apply ramped_continuous|apply ramped| |easy].
      intros x low. destruct (ramp_range (/ w * (x - t))) as (_ & _ & zero). rewrite zero; [ring|].
      replace (- 1) with (/ w * (- w)) by (field; lra).
      apply Rmult_le_compat_l; [left; now apply Rinv_0_lt_compat|lra].
  - apply (covered_at_most S (- / w) t).
    + intros x here. assert (x <= t) by (apply Rnot_lt_le; intros less; exact (outside x less here)).
      replace (- / w * (x - t)) with (/ w * (t - x)) by ring.
      apply Rmult_le_pos; [left; now apply Rinv_0_lt_compat|lra].
    + intros a b order. apply Rle_trans with (F (t + w)); [|lra].
      apply (cut_at_most _ (t + w)); [intros; apply ramped_continuous|apply ramped| |easy].
      intros x high. destruct (ramp_range (- / w * (x - t))) as (_ & _ & zero). rewrite zero; [ring|].
      replace (- / w * (x - t)) with (/ w * (t - x)) by ring. replace (- 1) with (/ w * (- w)) by (field; lra).
      apply Rmult_le_compat_l; [left; now apply Rinv_0_lt_compat|lra].
Qed.

Lemma complement S : Rbar_le 1 (Rbar_plus (probability mean sigma S) (probability mean sigma (fun x => ~ S x))).
Proof.
  rewrite <- (normal_integral mean sigma hs). unfold probability.
  eapply Rbar_le_trans; [|apply value_plus]; try (intros x; pose proof (normal_pos mean sigma x hs);
    destruct (sig_not_dec _); cbn; lra).
  apply value_le; intros x; pose proof (normal_pos mean sigma x hs); [cbn; lra|].
  destruct (sig_not_dec (S x)), (sig_not_dec (~ S x)); cbn; try lra. tauto.
Qed.

(** Whatever the end of the half-line itself belongs to. *)
Lemma half_line (S : R -> Prop) t :
  ((forall x, t < x -> S x) -> (forall x, x < t -> ~ S x) -> probability mean sigma S = 1 - F t) /\
  ((forall x, x < t -> S x) -> (forall x, t < x -> ~ S x) -> probability mean sigma S = F t).
Proof.
  pose proof (complement S) as both.
  split; intros inside outside.
  - pose proof (proj1 (half_line_at_most S t) outside) as most.
    pose proof (proj2 (half_line_at_most (fun x => ~ S x) t) ltac:(intros x h n; exact (n (inside x h)))) as rest.
    destruct (probability mean sigma S) as [a| |], (probability mean sigma (fun x => ~ S x)) as [b| |];
      cbn in *; try easy. f_equal. lra.
  - pose proof (proj2 (half_line_at_most S t) outside) as most.
    pose proof (proj1 (half_line_at_most (fun x => ~ S x) t) ltac:(intros x h n; exact (n (inside x h)))) as rest.
    destruct (probability mean sigma S) as [a| |], (probability mean sigma (fun x => ~ S x)) as [b| |];
      cbn in *; try easy. f_equal. lra.
Qed.

End Half_lines.
