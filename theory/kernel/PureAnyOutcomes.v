(** Pure mechanisms with outcomes of any kind, and the filter of paper 000, Theorem 4.9, for them. *)

From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Rbar Lim_seq.
From Filterproof Require Import Sums Integrals Divergences Conversions PureToZCDP AnyOutcomes
  AnyOutcomesFilters.
Open Scope R_scope.

Definition ratio_at_most {X} (e : R) (p q : X -> R) : Prop := forall i, p i <= exp e * q i.

(** A pure round: e-DP in both directions for some e, with a charge of at least e^2/2. *)
Definition pure_honest_any (m : request R) : Prop :=
  laws m /\ adds (base m) (P m) /\ adds (base m) (Q m) /\ exists e, 0 <= e /\ e ^ 2 / 2 <= charge m /\
    ratio_at_most e (P m) (Q m) /\ ratio_at_most e (Q m) (P m).

Lemma pure_moment_any {X} (I : integral X) p q e a : density I p -> density I q -> adds I q -> 0 <= e -> 1 < a ->
  ratio_at_most e p q -> ratio_at_most e q p ->
  Rbar_le (value I (fun i => term a (p i) (q i))) (exp ((a - 1) * (a * (e ^ 2 / 2)))).
Proof.
  intros [hp onep] [hq oneq] splits he ha up down.
  destruct he as [he| <-].
  2: { eapply Rbar_le_trans; [apply (value_le I _ (fun i => p i)); intros i|].
       - cbn. apply term_nonneg.
       - cbn. right. now apply term_of_equals.
       - rewrite onep. apply one_le_exp. nra. }
  set (D := exp e - exp (- e)). set (A := exp (a * e) - exp (- (a * e))).
  set (N := exp (- e) * exp (a * e) - exp e * exp (- (a * e))).
  assert (0 < D) as hD by (unfold D; pose proof (exp_increasing (- e) e ltac:(lra)); lra).
  assert (0 < A) as hA by (unfold A; pose proof (exp_increasing (- (a * e)) (a * e) ltac:(nra)); lra).
  assert (0 < N) as hN.
  { unfold N. rewrite <- !exp_plus. pose proof (exp_increasing (e + - (a * e)) (- e + a * e) ltac:(nra)). lra. }
  pose proof (chord_moment e a he ha) as total. fold D A in total.
  assert (0 < D / N) as hr by now apply Rdiv_lt_0_compat.
  assert (nonneg (fun i => Finite (term a (p i) (q i)))) as low by (intros i; apply term_nonneg).
  assert (Rbar_le (Rbar_plus (Rbar_mult (D / N) (value I (fun i => term a (p i) (q i)))) 1) (A / N * 1)) as it.
  { rewrite <- value_scaled, <- oneq, <- splits by (easy || (intros i; now apply Rbar_mult_nonneg)).
    eapply Rbar_le_trans; [|apply (value_times_le I (A / N) p 1); [left; now apply Rdiv_lt_0_compat|easy|]].
    2: { rewrite onep. apply Rbar_le_refl. }
    apply value_le; intros i.
    - apply Rbar_plus_nonneg; [now apply Rbar_mult_nonneg|apply hq].
    - cbn. pose proof (term_below_chord e a (p i) (q i) (hp i) (hq i) (up i) (down i) ltac:(lra) ltac:(lra)) as below.
      fold D in below. apply (Rmult_le_reg_l N); [easy|].
      replace (N * (D / N * term a (p i) (q i) + q i)) with (D * term a (p i) (q i) + N * q i) by (field; lra).
      replace (N * (A / N * p i)) with (A * p i) by (field; lra). unfold A, N. lra. }
  pose proof (value_nonneg I _ low) as pos.
  destruct (value I (fun i => term a (p i) (q i))) as [v| |]; try easy; [|now rewrite Rbar_mult_infinite in it].
  cbn in *. apply (Rmult_le_compat_l N) in it; [|lra].
  replace (N * (D / N * v + 1)) with (D * v + N) in it by (field; lra).
  replace (N * (A / N * 1)) with A in it by (field; lra).
  apply (Rmult_le_reg_l D); [easy|]. unfold N in it. lra.
Qed.

(** A charge of at least e^2/2 is honest for zCDP. *)
(** Claim: An e-DP mechanism is (e^2/2)-zCDP, in both directions.
    Source: Bun & Steinke, Proposition 3.3
    Covers: mechanisms with outcomes of any kind that have two densities against an integral, the densities adding
    theirs to those of others *)
Theorem pure_is_zcdp_any m : pure_honest_any m -> zcdp_priced_any (fun c => c) m.
Proof.
  intros ([dp dq] & addp & addq & e & he & enough & up & down). pose proof (pow2_ge_0 e) as square. split; [lra|].
  assert (one : forall a p q, 1 < a -> density (base m) p -> density (base m) q -> adds (base m) q ->
    ratio_at_most e p q -> ratio_at_most e q p -> renyi_at_most_any a (a * charge m) (base m) p q).
  { intros a p q ha hp hq addq' up' down'. split.
    - intros i zero. specialize (up' i). destruct hp as [hp _]. specialize (hp i). rewrite zero in up'. lra.
    - eapply Rbar_le_trans; [now apply (pure_moment_any (base m) p q e a)|]. cbn. apply exp_le.
      apply Rmult_le_compat_l; [lra|]. nra. }
  intros a ha. split; [easy|]. split; [apply Rmult_le_pos; lra|]. split; now apply one.
Qed.

(** Claim: For epsilon > 0 and 0 < delta < 1, a filter that admits while charges e^2/2 of e-DP mechanisms sum to at most
    (sqrt(log(1/delta) + epsilon) - sqrt(log(1/delta)))^2, the paper's B-star, keeps (epsilon, delta)-DP.
    Source: Feldman & Zrnic, Theorem 4.9
    Covers: mechanisms with outcomes of any kind that have two densities against an integral, the densities adding
    theirs to those of others
    Beyond: That the iterated integral of measurable strategies and sets is the one against the law of the
    transcript, which is Tonelli's theorem. *)
Theorem theorem_4_9_any epsilon delta : 0 < epsilon -> 0 < delta < 1 ->
  promises_delta_any (additive_any (b_star epsilon delta)) pure_honest_any epsilon delta.
Proof.
  intros he hd t hon. apply approximate_dp_filter_any; [now apply b_star_pos|easy| |].
  - left. unfold simple_fits. right. apply (b_star_is_simple epsilon delta); [lra|easy].
  - revert hon. apply honest_weaken, pure_is_zcdp_any.
Qed.
