(** Basic composition as a filter, for mechanisms with outcomes of any kind (Rogers, Roth, Ullman and Vadhan).

    - [basic_filter_any]: "CONT while sum epsilon_t <= epsilon and sum delta_t <= delta" is a filter for
      (epsilon, delta)-DP;
    - [basic_filter_laplace]: with Laplace releases of real numbers, each charged |p - q| / scale, epsilon-DP. *)

From Coq Require Import Reals Lra Lia List Bool.
From Coquelicot Require Import Rbar.
From Filterproof Require Import Sums Integrals RealLine Divergences AnyOutcomes AnyOutcomesFilters PureAnyOutcomes
  RealLaplace.
Open Scope R_scope.

(** (e, d)-DP of two densities: what p has above e^e q has an integral of at most d. *)
Definition excess_at_most_any {X} (e d : R) (I : integral X) (p q : X -> R) : Prop :=
  Rbar_le (value I (fun i => pos (p i - exp e * q i))) d.

(** Admits while sum epsilon_t <= epsilon and sum delta_t <= delta. *)
Definition basic_any (epsilon delta : R) : filter (R * R) :=
  Filter (R * R) (epsilon, delta)
    (fun left c => (if Rle_dec (fst c) (fst left) then true else false) &&
                   (if Rle_dec (snd c) (snd left) then true else false))
    (fun left c _ => (fst left - fst c, snd left - snd c)).

(** Charged (e, d): 0 <= e, 0 <= d, and (e, d)-DP in both directions. *)
Definition basic_honest_any (m : request (R * R)) : Prop :=
  laws m /\ 0 <= fst (charge m) /\ 0 <= snd (charge m) /\
  excess_at_most_any (fst (charge m)) (snd (charge m)) (base m) (P m) (Q m) /\
  excess_at_most_any (fst (charge m)) (snd (charge m)) (base m) (Q m) (P m).

(** At one outcome: what is above e^e k Q is at most what the round adds, and what was above k before. *)
Lemma above_after e k x y p q : 0 <= x -> 0 <= k * y -> 0 <= p -> 0 <= q ->
  pos (x * p - exp e * (k * (y * q))) <= x * pos (p - exp e * q) + pos (x - k * y) * p.
Proof.
  intros hx hky hp hq. pose proof (exp_pos e) as he.
  pose proof (pos_nonneg (x - k * y)). pose proof (pos_above (x - k * y)).
  pose proof (pos_nonneg (p - exp e * q)) as low. pose proof (pos_above (p - exp e * q)) as above.
  assert (0 <= x * pos (p - exp e * q)) by now apply Rmult_le_pos.
  assert (0 <= pos (x - k * y) * p) by now apply Rmult_le_pos.
  apply pos_least; [lra|].
  assert (0 <= exp e * q) by (apply Rmult_le_pos; lra).
  destruct (Rle_or_lt p (exp e * q)) as [cover|more].
  - assert (k * y * p <= k * y * (exp e * q)) by (apply Rmult_le_compat_l; lra).
    assert ((x - k * y) * p <= pos (x - k * y) * p) by (apply Rmult_le_compat_r; lra). lra.
  - assert (x * (p - exp e * q) <= x * pos (p - exp e * q)) by (apply Rmult_le_compat_l; lra).
    assert ((x - k * y) * (exp e * q) <= pos (x - k * y) * (exp e * q)) by (apply Rmult_le_compat_r; lra).
    assert (pos (x - k * y) * (exp e * q) <= pos (x - k * y) * p) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Lemma basic_round epsilon l w m x y : basic_honest_any m -> 0 <= x -> 0 <= y -> snd (charge m) <= w ->
  Rbar_le (value (base m) (fun i => x * P m i * (w - snd (charge m)) +
    pos (x * P m i - exp (epsilon - (l - fst (charge m))) * (y * Q m i))))
    (x * w + pos (x - exp (epsilon - l) * y)).
Proof.
  intros (((hp & onep) & (hq & _)) & pe & pd & most & _) hx hy fits. set (e := fst (charge m)) in *.
  set (d := snd (charge m)) in *. set (k := exp (epsilon - l)). pose proof (exp_pos (epsilon - l)) as hk. fold k in hk.
  set (lead := x * (w - d) + pos (x - k * y)). pose proof (pos_nonneg (x - k * y)).
  assert (0 <= lead) as hlead by (unfold lead; apply Rplus_le_le_0_compat; [apply Rmult_le_pos; lra|easy]).
  apply Rbar_le_trans with (value (base m) (fun i => Rbar_plus (lead * P m i) (x * pos (P m i - exp e * Q m i)))).
  - apply value_le; intros i; specialize (hp i); specialize (hq i); cbn.
    + apply Rplus_le_le_0_compat; [repeat apply Rmult_le_pos; lra|apply pos_nonneg].
    + pose proof (above_after e k x y (P m i) (Q m i) hx ltac:(nra) hp hq) as it.
      replace (exp (epsilon - (l - e)) * (y * Q m i)) with (exp e * (k * (y * Q m i))).
      2: { unfold k. rewrite <- Rmult_assoc, <- exp_plus. do 2 f_equal. ring. }
      unfold lead. lra.
  - eapply Rbar_le_trans; [apply value_plus; intros i; cbn|].
    + apply Rmult_le_pos; auto.
    + apply Rmult_le_pos; [easy|apply pos_nonneg].
    + replace (Finite (x * w + pos (x - k * y))) with (Rbar_plus (lead * 1) (x * d))
        by (cbn; f_equal; unfold lead; ring).
      apply Rbar_plus_le_compat.
      * apply (value_times_le (base m) lead (P m) 1); [easy|easy|]. rewrite onep. apply Rbar_le_refl.
      * now apply (value_times_le (base m) x (fun i => pos (P m i - exp e * Q m i)) d); [|intros; apply pos_nonneg|].
Qed.

Lemma basic_excess epsilon delta t : 0 <= epsilon -> 0 <= delta -> honest basic_honest_any t ->
  Rbar_le (over (basic_any epsilon delta) t (fun _ x y => pos (x - exp epsilon * y))) delta.
Proof.
  intros he hd hon. unfold over.
  apply Rbar_le_trans with (Finite (1 * delta + pos (1 - exp (epsilon - epsilon) * 1))).
  - apply (potential_any (basic_any epsilon delta) basic_honest_any _
      (fun s x y => 0 <= fst s /\ 0 <= snd s /\ 0 <= x /\ 0 <= y)
      (fun s x y => x * snd s + pos (x - exp (epsilon - fst s) * y))); [| |easy|cbn; lra].
    + intros [l w] _ x y (hl & hw & hx & hy). cbn in *. pose proof (exp_pos epsilon).
      assert (exp (epsilon - l) <= exp epsilon) by (apply exp_le; lra).
      split; [apply pos_nonneg|]. apply Rle_trans with (pos (x - exp (epsilon - l) * y)); [apply pos_le; nra|nra].
    + intros [l w] m x y (hl & hw & hx & hy) okm admitted. cbn in hl, hw, admitted.
      apply andb_true_iff in admitted as [fe fd].
      destruct (Rle_dec (fst (charge m)) l); [|easy]. destruct (Rle_dec (snd (charge m)) w); [|easy].
      pose proof okm as (((hp & _) & (hq & _)) & pe & pd & _). split.
      * intros i. specialize (hp i). specialize (hq i). cbn. repeat split; try lra; now apply Rmult_le_pos.
      * now apply basic_round.
  - cbn. replace (epsilon - epsilon) with 0 by ring. rewrite exp_0.
    pose proof (pos_least (1 - 1 * 1) 0 (Rle_refl 0) ltac:(lra)). lra.
Qed.

Lemma basic_honest_any_swap m : basic_honest_any m -> basic_honest_any (swap m).
Proof. now intros ([hp hq] & pe & pd & one & other). Qed.

(** Claim: A filter that admits while the epsilon_t and the delta_t of mechanisms sum to at most epsilon >= 0 and delta
    >= 0, the integral of (p - e^epsilon_t q)_+ at most delta_t for their two densities, both ways, keeps (epsilon,
    delta)-DP.
    Source: Taylor, Vippathalla & Coon, Section II-A
    Covers: mechanisms with outcomes of any kind that have two densities against an integral
    Beyond: That the iterated integral of measurable strategies and sets is the one against the law of the
    transcript, which is Tonelli's theorem. *)
Theorem basic_filter_any epsilon delta : 0 <= epsilon -> 0 <= delta ->
  promises_delta_any (basic_any epsilon delta) basic_honest_any epsilon delta.
Proof.
  intros he hd. apply both_ways_any; [now intros m [hl _]|apply basic_honest_any_swap|]. intros; now apply basic_excess.
Qed.

(** A Laplace release charged |p - q| / scale, and no delta. *)
Definition laplace_pure (m : request (R * R)) : Prop := exists p q scale c, 0 < scale /\ Rabs (p - q) / scale <= c /\
  m = Ask R lebesgue (laplace p scale) (laplace q scale) (c, 0).

Lemma no_excess {X} (I : integral X) e (p q : X -> R) : (forall i, 0 <= p i) -> value I (fun i => p i) = 1 ->
  ratio_at_most e p q -> excess_at_most_any e 0 I p q.
Proof.
  intros hp onep up. unfold excess_at_most_any. rewrite <- (Rmult_0_l 1).
  eapply Rbar_le_trans; [apply (value_le I _ (fun i => 0 * p i)); intros i|].
  - apply pos_nonneg.
  - cbn. rewrite Rmult_0_l. apply pos_least; [lra|]. specialize (up i). lra.
  - apply value_times_le; [lra|easy|]. rewrite onep. apply Rbar_le_refl.
Qed.

(** Claim: Laplace releases of real numbers, whose means, scales and charges depend on all numbers released before: a
    filter that admits while their charges, each at least |p - q|/scale for the means p and q, sum to at most epsilon >=
    0 keeps epsilon-DP.
    Covers: Laplace mechanisms with real outcomes
    Beyond: That the iterated integral of measurable strategies and sets is the one against the law of the
    transcript, which is Tonelli's theorem. *)
Theorem basic_filter_laplace epsilon : 0 <= epsilon ->
  promises_delta_any (basic_any epsilon 0) laplace_pure epsilon 0.
Proof.
  intros he t hon. apply basic_filter_any; [easy|lra|]. revert hon. apply honest_weaken.
  intros m (p & q & scale & c & hs & enough & ->).
  assert (all : forall mean, density lebesgue (laplace mean scale)) by (intros; now apply laplace_density).
  assert (loose : forall p q, Rabs (p - q) / scale <= c -> ratio_at_most c (laplace p scale) (laplace q scale)).
  { intros u w small x. eapply Rle_trans; [apply (laplace_ratio u w scale hs)|].
    apply Rmult_le_compat_r; [left; now apply laplace_pos|now apply exp_le]. }
  assert (0 <= Rabs (p - q) / scale) by (apply Rmult_le_pos; [apply Rabs_pos|left; now apply Rinv_0_lt_compat]).
  split; [split; apply all|]. split; [cbn; lra|]. split; [cbn; lra|].
  split; (apply no_excess; [apply all|apply all|apply loose]); [easy|now rewrite Rabs_minus_sym].
Qed.
