(** Any filter that keeps a sum of epsilons and the probability that no mechanism fails, for mechanisms with outcomes
    of any kind: with (epsilon_t, delta_t)-DP mechanisms the whole is (epsilon, 1 - product of (1 - delta_t))-DP.

    - [kept_epsilon_hazard]: the second sum is of the hazards -ln(1 - delta_t). *)

From Coq Require Import Reals Lra Lia List Bool.
From Coquelicot Require Import Rbar.
From Filterproof Require Import Sums Integrals Divergences AnyOutcomes AnyOutcomesFilters BasicAnyOutcomes KeptSums.
Open Scope R_scope.

(** Charged (e, h): 0 <= e, 0 <= h, and (e, 1 - e^-h)-DP in both directions. *)
Definition hazard_honest_any (m : request (R * R)) : Prop :=
  laws m /\ 0 <= fst (charge m) /\ 0 <= snd (charge m) /\
  excess_at_most_any (fst (charge m)) (1 - exp (- snd (charge m))) (base m) (P m) (Q m) /\
  excess_at_most_any (fst (charge m)) (1 - exp (- snd (charge m))) (base m) (Q m) (P m).

(** At one outcome: what the round adds, and of what was above k before the part that the round does not lose. *)
Lemma above_after_sharp e k x y p q : 0 <= x -> 0 <= k * y -> 0 <= p -> 0 <= q ->
  pos (x * p - exp e * (k * (y * q))) <= x * pos (p - exp e * q) + pos (x - k * y) * (p - pos (p - exp e * q)).
Proof.
  intros hx hky hp hq. pose proof (exp_pos e) as he.
  pose proof (pos_nonneg (p - exp e * q)) as s0. pose proof (pos_above (p - exp e * q)) as s1.
  assert (pos (p - exp e * q) <= p) as s2 by (apply pos_least; nra).
  pose proof (pos_nonneg (x - k * y)) as a0. pose proof (pos_above (x - k * y)) as a1.
  set (s := pos (p - exp e * q)) in *. set (a := pos (x - k * y)) in *.
  assert (0 <= x * s) by now apply Rmult_le_pos. assert (0 <= a * (p - s)) by (apply Rmult_le_pos; lra).
  apply pos_least; [lra|].
  assert ((x - k * y) * (p - s) <= a * (p - s)) by (apply Rmult_le_compat_r; lra).
  assert (k * y * (p - s) <= k * y * (exp e * q)) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Lemma hazard_round epsilon l w m x y : hazard_honest_any m -> 0 <= x -> 0 <= y -> snd (charge m) <= w ->
  Rbar_le (value (base m) (fun i => x * P m i * (1 - exp (- (w - snd (charge m)))) + exp (- (w - snd (charge m))) *
    pos (x * P m i - exp (epsilon - (l - fst (charge m))) * (y * Q m i))))
    (x * (1 - exp (- w)) + exp (- w) * pos (x - exp (epsilon - l) * y)).
Proof.
  intros (((hp & onep) & (hq & _)) & pe & ph & most & _) hx hy fits. set (e := fst (charge m)) in *.
  set (h := snd (charge m)) in *. set (k := exp (epsilon - l)). pose proof (exp_pos (epsilon - l)) as hk. fold k in hk.
  set (z := exp (- (w - h))). pose proof (exp_pos (- (w - h))) as hz. fold z in hz.
  assert (z <= 1) as z1 by (unfold z; rewrite <- exp_0; apply exp_le; lra).
  set (a := pos (x - k * y)). pose proof (pos_nonneg (x - k * y)) as a0. fold a in a0.
  assert (0 <= k * y) as hky by (apply Rmult_le_pos; lra).
  assert (a <= x) as ax by (apply pos_least; lra).
  set (lead := x * (1 - z) + z * a).
  assert (0 <= lead) as hlead by (unfold lead; apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra).
  set (more := z * (x - a)). assert (0 <= more) as hmore by (apply Rmult_le_pos; lra).
  apply Rbar_le_trans with (value (base m) (fun i => Rbar_plus (lead * P m i) (more * pos (P m i - exp e * Q m i)))).
  - apply value_le; intros i; specialize (hp i); specialize (hq i); cbn.
    + apply Rplus_le_le_0_compat; [apply Rmult_le_pos; [now apply Rmult_le_pos|lra]|].
      apply Rmult_le_pos; [lra|apply pos_nonneg].
    + pose proof (above_after_sharp e k x y (P m i) (Q m i) hx hky hp hq) as it. fold a in it.
      replace (exp (epsilon - (l - e)) * (y * Q m i)) with (exp e * (k * (y * Q m i))).
      2: { unfold k. rewrite <- Rmult_assoc, <- exp_plus. do 2 f_equal. ring. }
      apply (Rmult_le_compat_l z) in it; [|lra]. unfold lead, more. lra.
  - eapply Rbar_le_trans; [apply value_plus; intros i; cbn|].
    + apply Rmult_le_pos; auto.
    + apply Rmult_le_pos; [easy|apply pos_nonneg].
    + assert (exp (- w) = z * exp (- h)) as split by (unfold z; rewrite <- exp_plus; f_equal; ring).
      replace (Finite (x * (1 - exp (- w)) + exp (- w) * a)) with (Rbar_plus (lead * 1) (more * (1 - exp (- h))))
        by (cbn; f_equal; rewrite split; unfold lead, more; ring).
      apply Rbar_plus_le_compat.
      * apply (value_times_le (base m) lead (P m) 1); [easy|easy|]. rewrite onep. apply Rbar_le_refl.
      * now apply (value_times_le (base m) more (fun i => pos (P m i - exp e * Q m i)) (1 - exp (- h)));
          [|intros; apply pos_nonneg|].
Qed.

Lemma hazard_excess epsilon H t : 0 <= epsilon -> 0 <= H -> honest hazard_honest_any t ->
  Rbar_le (over (basic_any epsilon H) t (fun _ x y => pos (x - exp epsilon * y))) (1 - exp (- H)).
Proof.
  intros he hH hon. unfold over.
  apply Rbar_le_trans with (Finite (1 * (1 - exp (- H)) + exp (- H) * pos (1 - exp (epsilon - epsilon) * 1))).
  - apply (potential_any (basic_any epsilon H) hazard_honest_any _
      (fun s x y => 0 <= fst s /\ 0 <= snd s /\ 0 <= x /\ 0 <= y)
      (fun s x y => x * (1 - exp (- snd s)) + exp (- snd s) * pos (x - exp (epsilon - fst s) * y)));
      [| |easy|cbn; lra].
    + intros [l w] _ x y (hl & hw & hx & hy). cbn in *. pose proof (exp_pos epsilon).
      assert (exp (epsilon - l) <= exp epsilon) by (apply exp_le; lra). pose proof (exp_pos (epsilon - l)).
      assert (exp (- w) <= 1) by (rewrite <- exp_0; apply exp_le; lra). pose proof (exp_pos (- w)).
      pose proof (pos_nonneg (x - exp (epsilon - l) * y)).
      assert (pos (x - exp (epsilon - l) * y) <= x) by (apply pos_least; nra).
      assert (pos (x - exp epsilon * y) <= pos (x - exp (epsilon - l) * y)) by (apply pos_le; nra).
      split; [apply pos_nonneg|]. nra.
    + intros [l w] m x y (hl & hw & hx & hy) okm admitted. cbn in hl, hw, admitted.
      apply andb_true_iff in admitted as [fe fd].
      destruct (Rle_dec (fst (charge m)) l); [|easy]. destruct (Rle_dec (snd (charge m)) w); [|easy].
      pose proof okm as (((hp & _) & (hq & _)) & pe & pd & _). split.
      * intros i. specialize (hp i). specialize (hq i). cbn. repeat split; try lra; now apply Rmult_le_pos.
      * now apply hazard_round.
  - cbn. replace (epsilon - epsilon) with 0 by ring. rewrite exp_0.
    pose proof (pos_least (1 - 1 * 1) 0 (Rle_refl 0) ltac:(lra)). pose proof (exp_pos (- H)). nra.
Qed.

(** Claim: Any filter, of whatever states and rules, that keeps within epsilon >= 0 and H >= 0 the sums of the
    epsilon_t and of the hazards h_t = -ln(1 - delta_t) of the mechanisms that it admits, the integral of
    (p - e^epsilon_t q)_+ at most delta_t for their two densities, both ways, keeps (epsilon, 1 - e^-H)-DP.
    Covers: mechanisms with outcomes of any kind that have two densities against an integral
    Beyond: That the iterated integral of measurable strategies and sets is the one against the law of the
    transcript, which is Tonelli's theorem. *)
Theorem kept_epsilon_hazard {C} (F : filter C) (ok : request C -> Prop) one two epsilon H :
  0 <= epsilon -> 0 <= H -> (forall m, ok m -> 0 <= two (charge m)) ->
  (forall m, ok m -> dp_priced_any one (fun c => 1 - exp (- two c)) m) -> (forall m, ok m -> ok (swap m)) ->
  keeps_sums F ok one two epsilon H -> promises_delta_any F ok epsilon (1 - exp (- H)).
Proof.
  intros he hH nonneg priced symmetric (invariant & begins & continues).
  apply (kept_promise (fun c => (one c, two c)) F (basic_any epsilon H) ok hazard_honest_any
    (fun s left => invariant s (epsilon - fst left) (H - snd left))); [|easy| | | |].
  - intros m okm. now destruct (priced m okm) as [hl _].
  - intros m okm. destruct (priced m okm) as (hl & h1 & h2 & there & back). specialize (nonneg m okm).
    split; [exact hl|]. split; [exact h1|]. split; [exact nonneg|]. split; [exact there|exact back].
  - cbn. now replace (epsilon - epsilon) with 0 by ring; replace (H - H) with 0 by ring.
  - intros s [l w] m inv okm admitted. cbn in inv. destruct (continues s _ _ m okm inv admitted) as [[low small] next].
    cbn. split.
    + destruct (Rle_dec (one (charge m)) l); [|lra]. destruct (Rle_dec (two (charge m)) w); [easy|lra].
    + intros i. specialize (next i).
      replace (epsilon - (l - one (charge m))) with (epsilon - l + one (charge m)) by ring.
      now replace (H - (w - two (charge m))) with (H - w + two (charge m)) by ring.
  - intros t hon. now apply hazard_excess.
Qed.
