(** Poisson subsampling of a dominating pair (Koskela, Tobaben & Honkela, Lemma 8, after Zhu, Dong & Wang), for outcomes
    of any kind.

    - [sampled_pair_dominates]: the sampled pair dominates the sampled mechanism, both ways;
    - [subsampled_gaussian_dominates]: so the subsampled Gaussian pair does.

    The sample of the other people is drawn first: it has finitely many values k, of probabilities w k, and of each the
    mechanism has a density a k without the person and b k with. *)

From Coq Require Import Reals Lra Lia FunctionalExtensionality.
From Coquelicot Require Import Coquelicot.
From Filterproof Require Import Sums Divergences Integrals RealLine AnyOutcomes GaussianAnyOutcomes RealGaussian.
From Filterproof Require Interaction.
Open Scope R_scope.

(** The integral of (x p - y q)_+, for every x, y >= 0: hockey-sticks at every order, scaled. *)
Definition excess {X} (I : integral X) (p q : X -> R) (x y : R) : Rbar := value I (fun i => pos (x * p i - y * q i)).

(** One pair has at least the hockey-sticks of another. *)
Definition dominates {X Y} (I : integral X) (p q : X -> R) (J : integral Y) (a b : Y -> R) : Prop :=
  forall x y, 0 <= x -> 0 <= y -> Rbar_le (excess J a b x y) (excess I p q x y).

Definition mix (gamma a b : R) : R := (1 - gamma) * a + gamma * b.

(** What the mixture has above y times the first density, written with the two densities. *)
Lemma removal_excess {X} (I : integral X) (p q : X -> R) gamma x y :
  excess I (fun i => mix gamma (p i) (q i)) p x y =
  value I (fun i => pos (gamma * x * q i - (y - (1 - gamma) * x) * p i)).
Proof. unfold excess, mix. f_equal. extensionality i. do 2 f_equal. ring. Qed.

Lemma addition_excess {X} (I : integral X) (p q : X -> R) gamma x y :
  excess I p (fun i => mix gamma (p i) (q i)) x y =
  value I (fun i => pos ((x - (1 - gamma) * y) * p i - gamma * y * q i)).
Proof. unfold excess, mix. f_equal. extensionality i. do 2 f_equal. ring. Qed.

(** An average of densities has at most the average of what they have above. *)
Lemma excess_of_average {X} (I : integral X) n (w : nat -> R) (f : nat -> X -> R) (b : R) : Interaction.law n w ->
  (forall k, (k < n)%nat -> Rbar_le (value I (fun i => pos (f k i))) b) ->
  Rbar_le (value I (fun i => pos (sum n (fun k => w k * f k i)))) b.
Proof.
  intros [hw one] each.
  apply Rbar_le_trans with (value I (fun i => sum n (fun k => w k * pos (f k i)) + 0)).
  - apply value_le; intros i; cbn [Rbar_le]; [apply pos_nonneg|]. rewrite Rplus_0_r. apply pos_least.
    + apply sum_nonneg. intros k less. apply Rmult_le_pos; [now apply hw|apply pos_nonneg].
    + apply sum_le. intros k less. apply Rmult_le_compat_l; [now apply hw|apply pos_above].
  - replace b with (sum n (fun k => w k * b) + 0) by (rewrite sum_scale_right, one; ring).
    apply (value_sum I n (fun k i => w k * pos (f k i)) (fun k => w k * b) (fun _ => 0)).
    + intros k i less. apply Rmult_le_pos; [now apply hw|apply pos_nonneg].
    + intros; lra.
    + intros k less. apply value_times_le; [now apply hw|intros; apply pos_nonneg|now apply each].
    + destruct n as [|n]; [cbn in one; lra|]. replace (fun _ : X => Finite 0) with (fun i => Finite (0 * pos (f O i)))
        by (extensionality i; f_equal; ring).
      apply Rbar_le_trans with (Finite (0 * b)); [|rewrite Rmult_0_l; apply Rbar_le_refl].
      apply value_times_le; [lra|intros; apply pos_nonneg|apply each; lia].
Qed.

(** What a density has above another is finite. *)
Lemma excess_finite {X} (I : integral X) (p q : X -> R) x y : density I p -> density I q -> 0 <= x -> 0 <= y ->
  exists r, excess I p q x y = Finite r /\ 0 <= r.
Proof.
  intros dp [hq _] hx hy. pose proof dp as [hp _].
  assert (Rbar_le (excess I p q x y) x) as high.
  { apply Rbar_le_trans with (value I (fun i => x * p i)); [|now apply value_density].
    apply value_le; intros i; cbn; [apply pos_nonneg|]. specialize (hp i). specialize (hq i). apply pos_least; nra. }
  assert (Rbar_le 0 (excess I p q x y)) as low by (apply value_nonneg; intros i; apply pos_nonneg).
  destruct (excess I p q x y) as [r| |]; cbn in *; try easy. now exists r.
Qed.

(** ** The sampled mechanism *)

(** On each sample of the other people the densities of the output without the person, and with. *)
Record sampled (Y : Type) := Sampled {
  space : integral Y;
  samples : nat;
  weight : nat -> R;
  without : nat -> Y -> R;
  person : nat -> Y -> R
}.
Arguments space {Y}. Arguments samples {Y}. Arguments weight {Y}. Arguments without {Y}. Arguments person {Y}.

Definition lawful {Y} (M : sampled Y) : Prop := Interaction.law (samples M) (weight M) /\
  forall k, (k < samples M)%nat -> density (space M) (without M k) /\ density (space M) (person M k).

(** The output where the data lack the person, and where the person is among them and sampled with gamma. *)
Definition absent {Y} (M : sampled Y) (i : Y) : R := sum (samples M) (fun k => weight M k * without M k i).
Definition present {Y} (gamma : R) (M : sampled Y) (i : Y) : R :=
  sum (samples M) (fun k => weight M k * mix gamma (without M k i) (person M k i)).

Lemma removal_averaged {Y} gamma (M : sampled Y) x y : excess (space M) (present gamma M) (absent M) x y =
  value (space M) (fun i => pos (sum (samples M) (fun k =>
    weight M k * (gamma * x * person M k i - (y - (1 - gamma) * x) * without M k i)))).
Proof.
  unfold excess, present, absent, mix. f_equal. extensionality i. do 2 f_equal.
  rewrite <- !sum_scale, <- sum_minus. apply sum_ext. intros; ring.
Qed.

Lemma addition_averaged {Y} gamma (M : sampled Y) x y : excess (space M) (absent M) (present gamma M) x y =
  value (space M) (fun i => pos (sum (samples M) (fun k =>
    weight M k * ((x - (1 - gamma) * y) * without M k i - gamma * y * person M k i)))).
Proof.
  unfold excess, present, absent, mix. f_equal. extensionality i. do 2 f_equal.
  rewrite <- !sum_scale, <- sum_minus. apply sum_ext. intros; ring.
Qed.

(** Claim: Where (P, Q) dominates a mechanism for adding a person, on each sample of the others, and (Q, P) for removing
    one, ((1 - gamma) P + gamma Q, P) dominates the mechanism on a sample with rate gamma for removing the person, and
    (P, (1 - gamma) P + gamma Q) for adding one, at every order; for densities of P that add their integrals.
    Source: Koskela, Tobaben & Honkela, Lemma 8, the removal pair corrected; Zhu, Dong & Wang
    Covers: mechanisms with outcomes of any kind that have two densities against an integral *)
Theorem sampled_pair_dominates {X Y} (I : integral X) (P Q : X -> R) gamma (M : sampled Y) : 0 <= gamma <= 1 ->
  lawful M -> density I P -> density I Q -> (forall c, 0 < c -> adds I (fun i => c * P i)) ->
  (forall k, (k < samples M)%nat -> dominates I P Q (space M) (without M k) (person M k) /\
    dominates I Q P (space M) (person M k) (without M k)) ->
  dominates I (fun i => mix gamma (P i) (Q i)) P (space M) (present gamma M) (absent M) /\
  dominates I P (fun i => mix gamma (P i) (Q i)) (space M) (absent M) (present gamma M).
Proof.
  intros hgamma [law_w dens] dP dQ add each. pose proof dP as [hP oneP]. pose proof dQ as [hQ oneQ].
  split; intros x y hx hy; assert (0 <= gamma * x /\ 0 <= gamma * y) as [hgx hgy] by (split; apply Rmult_le_pos; lra).
  - rewrite removal_averaged, removal_excess. set (c := y - (1 - gamma) * x).
    destruct (Rle_or_lt 0 c) as [some|none].
    + change (value I _) with (excess I Q P (gamma * x) c).
      destruct (excess_finite I Q P (gamma * x) c dQ dP hgx some) as (r & same & _). rewrite same.
      apply excess_of_average; [easy|]. intros k less. rewrite <- same. now apply (proj2 (each k less)).
    + assert (value I (fun i => pos (gamma * x * Q i - c * P i)) = gamma * x + - c) as ->.
      { transitivity (value I (fun i => Rbar_plus (gamma * x * Q i) (- c * P i))).
        - f_equal. extensionality i. cbn. f_equal. unfold pos. rewrite Rmax_right; [ring|].
          specialize (hP i). specialize (hQ i). nra.
        - rewrite (add (- c) ltac:(lra) (fun i => gamma * x * Q i)).
          + rewrite (value_times I _ Q 1), (value_times I _ P 1) by (easy || lra). cbn. f_equal. ring.
          + intros i. cbn. apply Rmult_le_pos; [easy|apply hQ]. }
      apply excess_of_average; [easy|]. intros k less. destruct (dens k less) as [da db].
      pose proof da as [ha _]. pose proof db as [hb _].
      apply Rbar_le_trans with (value (space M) (fun i => Rbar_plus (gamma * x * person M k i) (- c * without M k i))).
      * apply value_le; intros i; cbn; [apply pos_nonneg|]. specialize (ha i). specialize (hb i).
        apply pos_least; nra.
      * eapply Rbar_le_trans; [apply (value_plus _ (fun i => gamma * x * person M k i) (fun i => - c * without M k i));
          intros i; cbn; apply Rmult_le_pos; auto; lra|].
        apply (Rbar_plus_le_compat _ (gamma * x) _ (- c)); apply value_density; easy || lra.
  - rewrite addition_averaged, addition_excess. set (c := x - (1 - gamma) * y).
    destruct (Rle_or_lt 0 c) as [some|none].
    + change (value I _) with (excess I P Q c (gamma * y)).
      destruct (excess_finite I P Q c (gamma * y) dP dQ some hgy) as (r & same & _). rewrite same.
      apply excess_of_average; [easy|]. intros k less. rewrite <- same. now apply (proj1 (each k less)).
    + apply Rbar_le_trans with (Finite 0); [|apply value_nonneg; intros i; apply pos_nonneg].
      apply excess_of_average; [easy|]. intros k less. destruct (dens k less) as [da [hb _]]. pose proof da as [ha _].
      apply Rbar_le_trans with (value (space M) (fun i => 0 * without M k i)); [|now apply value_density; [|lra]].
      apply value_le; intros i; cbn; [apply pos_nonneg|]. specialize (ha i). specialize (hb i). apply pos_least; nra.
Qed.

(** Claim: So the subsampled Gaussian pair, (1 - gamma) N(0, sigma^2) + gamma N(1, sigma^2) and N(0, sigma^2),
    dominates each mechanism on a sample with rate gamma that the Gaussian pair dominates on each sample of the others,
    for removing a person; the two exchanged for adding one.
    Source: Koskela, Tobaben & Honkela, Lemma 8, the removal pair corrected; Zhu, Dong & Wang
    Covers: mechanisms with outcomes of any kind that have two densities against an integral *)
Theorem subsampled_gaussian_dominates {Y} sigma gamma (M : sampled Y) : 0 < sigma -> 0 <= gamma <= 1 -> lawful M ->
  (forall k, (k < samples M)%nat ->
    dominates lebesgue (normal 0 sigma) (normal 1 sigma) (space M) (without M k) (person M k) /\
    dominates lebesgue (normal 1 sigma) (normal 0 sigma) (space M) (person M k) (without M k)) ->
  dominates lebesgue (fun x => mix gamma (normal 0 sigma x) (normal 1 sigma x)) (normal 0 sigma)
    (space M) (present gamma M) (absent M) /\
  dominates lebesgue (normal 0 sigma) (fun x => mix gamma (normal 0 sigma x) (normal 1 sigma x))
    (space M) (absent M) (present gamma M).
Proof.
  intros hs hgamma lawful_m each.
  assert (dens : forall mean, density lebesgue (normal mean sigma)).
  { intros mean. split; [intros; left; now apply normal_pos|now apply normal_integral]. }
  apply sampled_pair_dominates; try easy.
  intros c hc. apply (riemann_adds (fun x => c * normal 0 sigma x) (c * 1)).
  - intros x. apply (continuous_scal_r c (normal 0 sigma)). now apply normal_continuous.
  - intros x. pose proof (normal_pos 0 sigma x hs). nra.
  - apply (is_RInt_gen_scal (normal 0 sigma) c 1). now apply normal_improper.
Qed.
