(** Basic composition as a filter (Rogers, Roth, Ullman and Vadhan; paper 004, Section II-A).

    - [pure_filter]: "CONT while sum epsilon_t <= epsilon" is a filter for epsilon-DP;
    - [basic_filter]: "CONT while sum epsilon_t <= epsilon and sum delta_t <= delta" is one for (epsilon, delta)-DP;
    - [basic_product_filter]: so is "CONT while sum epsilon_t <= epsilon and 1 - prod (1 - delta_t) <= delta".

    All three by one round: what is above e^e k Q is at most d of x and what was above k. *)

From Coq Require Import Reals Lra Lia List Bool.
From Filterproof Require Import Sums Interaction Divergences Paths AdditiveFilter Ledger.
Import ListNotations.
Open Scope R_scope.

(** (e, d)-DP of a round: P(S) <= e^e Q(S) + d for every set S of outcomes. *)
Definition round_private {C} (e d : R) (m : request C) : Prop :=
  forall S : nat -> bool,
    sum (outcomes m) (fun i => if S i then P m i else 0) <=
    exp e * sum (outcomes m) (fun i => if S i then Q m i else 0) + d.

(** The part of an outcome's probability under P that e^e Q does not cover, and that which it covers. *)
Definition excess {C} e (m : request C) i := pos (P m i - exp e * Q m i).
Definition covered {C} e (m : request C) i := P m i - excess e m i.

Lemma pos_cases x : (0 <= x /\ pos x = x) \/ (x <= 0 /\ pos x = 0).
Proof. unfold pos, Rmax. destruct (Rle_dec 0 x); [left|right]; split; lra. Qed.

Lemma excess_at_most {C} e d (m : request C) : round_private e d m -> sum (outcomes m) (excess e m) <= d.
Proof.
  intros private. specialize (private (fun i => if Rle_dec 0 (P m i - exp e * Q m i) then true else false)).
  rewrite <- sum_scale in private.
  enough (sum (outcomes m) (excess e m) =
    sum (outcomes m) (fun i => if (if Rle_dec 0 (P m i - exp e * Q m i) then true else false) then P m i else 0) -
    sum (outcomes m) (fun i =>
      exp e * (if (if Rle_dec 0 (P m i - exp e * Q m i) then true else false) then Q m i else 0)))
    by lra.
  rewrite <- sum_minus. apply sum_ext. intros i _. unfold excess, pos, Rmax.
  destruct (Rle_dec 0 (P m i - exp e * Q m i)); lra.
Qed.

(** One round: sum (x p_i - e^e k y q_i)_+ <= d x + (1 - d) (x - k y)_+. *)
Lemma private_round {C} e d k (m : request C) x y : laws m -> round_private e d m -> 0 <= x -> 0 <= k * y ->
  sum (outcomes m) (fun i => pos (x * P m i - exp e * (k * (y * Q m i)))) <= x * d + (1 - d) * pos (x - k * y).
Proof.
  intros ((hp & onep) & (hq & _)) private hx hky. pose proof (excess_at_most e d m private) as most.
  assert (sum (outcomes m) (fun i => pos (x * P m i - exp e * (k * (y * Q m i)))) <=
    sum (outcomes m) (fun i => x * excess e m i + pos (x - k * y) * covered e m i)) as it.
  - apply sum_le. intros i small. specialize (hp i small). specialize (hq i small). unfold covered.
    pose proof (pos_nonneg (x - k * y)). pose proof (pos_above (x - k * y)). pose proof (exp_pos e) as he.
    assert (0 <= excess e m i <= P m i /\ P m i - excess e m i <= exp e * Q m i) as (range & cover).
    { unfold excess. assert (0 <= exp e * Q m i) by nra.
      destruct (pos_cases (P m i - exp e * Q m i)) as [[? ->]|[? ->]]; lra. }
    assert (0 <= P m i - excess e m i) by lra.
    apply pos_least; [apply Rplus_le_le_0_compat; nra|].
    assert (k * y * (P m i - excess e m i) <= k * y * (exp e * Q m i)) by (apply Rmult_le_compat_l; lra).
    assert ((x - k * y) * (P m i - excess e m i) <= pos (x - k * y) * (P m i - excess e m i))
      by (apply Rmult_le_compat_r; lra). nra.
  - rewrite sum_plus, !sum_scale in it. unfold covered in it at 1. rewrite sum_minus, onep in it.
    eapply Rle_trans; [exact it|].
    assert (pos (x - k * y) <= x) by (apply pos_least; lra). nra.
Qed.

(** ** The state: what is left of epsilon, and of delta by its sum or its product *)

(** Admits while sum epsilon_t <= epsilon and sum delta_t <= delta. *)
Definition basic (epsilon delta : R) : filter (R * R) :=
  Filter (R * R) (epsilon, delta)
    (fun left c => (if Rle_dec (fst c) (fst left) then true else false) &&
                   (if Rle_dec (snd c) (snd left) then true else false))
    (fun left c _ => (fst left - fst c, snd left - snd c)).

(** Admits while sum epsilon_t <= epsilon and 1 - prod (1 - delta_t) <= delta; the state holds the product. *)
Definition basic_product (epsilon delta : R) : filter (R * R) :=
  Filter (R * R) (epsilon, 1)
    (fun s c => (if Rle_dec (fst c) (fst s) then true else false) &&
                (if Rle_dec (1 - snd s * (1 - snd c)) delta then true else false))
    (fun s c _ => (fst s - fst c, snd s * (1 - snd c))).

(** Charged (e, d): 0 <= e, 0 <= d, and (e, d)-DP in both directions. *)
Definition basic_honest (m : request (R * R)) : Prop :=
  laws m /\ 0 <= fst (charge m) /\ 0 <= snd (charge m) /\
  round_private (fst (charge m)) (snd (charge m)) m /\ round_private (fst (charge m)) (snd (charge m)) (swap m).

Lemma basic_honest_swap m : basic_honest m -> basic_honest (swap m).
Proof.
  intros ((lp & lq) & ? & ? & one & other). unfold basic_honest. rewrite swap_swap.
  now repeat split; try apply lp; try apply lq.
Qed.

Lemma exp_shift a b : exp (a - b) = exp (- b) * exp a.
Proof. rewrite <- exp_plus. f_equal. ring. Qed.

(** The mean of (x - e^{epsilon - left} y)_+ over a round in which e is paid. *)
Lemma paid_round {C} epsilon left e d (m : request C) x y : laws m -> round_private e d m -> 0 <= x -> 0 <= y ->
  sum (outcomes m) (fun i => pos (x * P m i - exp (epsilon - (left - e)) * (y * Q m i))) <=
  x * d + (1 - d) * pos (x - exp (epsilon - left) * y).
Proof.
  intros hl private hx hy. pose proof (exp_pos (epsilon - left)).
  eapply Rle_trans; [right|apply (private_round e d (exp (epsilon - left)) m x y hl private hx ltac:(nra))].
   apply sum_ext. intros i _. f_equal.
  replace (epsilon - (left - e)) with (e + (epsilon - left)) by ring. rewrite exp_plus. ring.
Qed.

Lemma nothing_above epsilon : pos (1 - exp (epsilon - epsilon) * 1) = 0.
Proof. replace (epsilon - epsilon) with 0 by ring. rewrite exp_0. unfold pos. rewrite Rmax_left; lra. Qed.

Lemma masses_at_stop epsilon left x y : 0 <= left -> 0 <= x -> 0 <= y ->
  0 <= pos (x - exp epsilon * y) <= pos (x - exp (epsilon - left) * y) /\ pos (x - exp epsilon * y) <= x.
Proof.
  intros hl hx hy. pose proof (exp_pos epsilon).
  assert (exp (epsilon - left) <= exp epsilon) by (apply exp_le; lra).
  split; [split; [apply pos_nonneg|apply pos_le; nra]|apply pos_least; nra].
Qed.

(** Basic composition with the sum of the deltas: (left delta) x + (x - e^{epsilon - left epsilon} y)_+ does not
    rise. *)
(** Claim: A filter that admits while the epsilon_t and the delta_t of mechanisms that are (epsilon_t, delta_t)-DP both
    ways sum to at most epsilon >= 0 and delta >= 0 keeps (epsilon, delta)-DP.
    Source: Taylor, Vippathalla & Coon, Section II-A *)
Theorem basic_filter epsilon delta : 0 <= epsilon -> 0 <= delta ->
  promises_delta (basic epsilon delta) basic_honest epsilon delta.
Proof.
  intros he hd. apply both_ways; [apply basic_honest_swap|]. intros t hon. unfold hockey_stick, over.
  apply Rle_trans with (1 * delta + pos (1 - exp (epsilon - epsilon) * 1)); [|rewrite nothing_above; lra].
  apply (potential (basic epsilon delta) basic_honest _
    (fun s x y => 0 <= fst s /\ 0 <= snd s /\ 0 <= x /\ 0 <= y)
    (fun s x y => x * snd s + pos (x - exp (epsilon - fst s) * y))); [| |easy|cbn; lra].
  - intros [l w] _ x y (hl & hw & hx & hy). cbn in *. pose proof (masses_at_stop epsilon l x y hl hx hy). nra.
  - intros [l w] m x y (hl & hw & hx & hy) (laws_m & pe & pd & one & _) admitted. cbn in *.
    apply andb_true_iff in admitted as [fe fd].
    destruct (Rle_dec (fst (charge m)) l); [|easy]. destruct (Rle_dec (snd (charge m)) w); [|easy].
    pose proof laws_m as ((hp & onep) & (hq & oneq)). split.
    + intros i small. specialize (hp i small). specialize (hq i small). repeat split; nra.
    + pose proof (paid_round epsilon l _ _ m x y laws_m one hx hy) as it.
      rewrite sum_plus, (sum_ext _ _ (fun i => x * (w - snd (charge m)) * P m i)) by (intros; ring).
      rewrite sum_scale, onep. pose proof (pos_nonneg (x - exp (epsilon - l) * y)). nra.
Qed.

(** Basic composition with the product: with v = (1 - delta) / product, (1 - v) x + v (x - e^{...} y)_+ does not
    rise. *)
(** Claim: A filter that admits while the epsilon_t of mechanisms that are (epsilon_t, delta_t)-DP both ways sum to
    at most epsilon >= 0, and 1 - prod (1 - delta_t) is at most delta, 0 <= delta < 1, keeps (epsilon, delta)-DP. *)
Theorem basic_product_filter epsilon delta : 0 <= epsilon -> 0 <= delta < 1 ->
  promises_delta (basic_product epsilon delta) basic_honest epsilon delta.
Proof.
  intros he [hd small_delta]. apply both_ways; [apply basic_honest_swap|]. intros t hon. unfold hockey_stick, over.
  set (v := fun w => (1 - delta) / w).
  apply Rle_trans with ((1 - v 1) * 1 + v 1 * pos (1 - exp (epsilon - epsilon) * 1));
    [|rewrite nothing_above; right; unfold v; field].
  apply (potential (basic_product epsilon delta) basic_honest _
    (fun s x y => 0 <= fst s /\ 1 - delta <= snd s /\ 0 <= x /\ 0 <= y)
    (fun s x y => (1 - v (snd s)) * x + v (snd s) * pos (x - exp (epsilon - fst s) * y))); [| |easy|cbn; lra].
  - intros [l w] _ x y (hl & hw & hx & hy). cbn in *. pose proof (masses_at_stop epsilon l x y hl hx hy).
    assert (0 <= v w <= 1).
    { unfold v. split; [apply Rle_mult_inv_pos; lra|]. apply (Rmult_le_reg_r w); [lra|].
      unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
    nra.
  - intros [l w] m x y (hl & hw & hx & hy) (laws_m & pe & pd & one & _) admitted. cbn in *.
    apply andb_true_iff in admitted as [fe fd].
    destruct (Rle_dec (fst (charge m)) l); [|easy].
    destruct (Rle_dec (1 - w * (1 - snd (charge m))) delta) as [keep|]; [|easy].
    set (d := snd (charge m)) in *.
    assert (0 < w * (1 - d)) as left_over by lra. assert (0 < 1 - d) as less by nra.
    pose proof laws_m as ((hp & onep) & (hq & oneq)). split.
    + intros i small. specialize (hp i small). specialize (hq i small). repeat split; try nra.
    + pose proof (paid_round epsilon l _ _ m x y laws_m one hx hy) as it. fold d in it.
      rewrite sum_plus, (sum_ext _ _ (fun i => (1 - v (w * (1 - d))) * x * P m i)) by (intros; ring).
      rewrite !sum_scale, onep.
      assert (v (w * (1 - d)) * (1 - d) = v w) as paid by (unfold v; field; lra).
      assert (0 <= v (w * (1 - d))) by (unfold v; apply Rle_mult_inv_pos; lra).
      apply (Rmult_le_compat_l (v (w * (1 - d)))) in it; [|easy].
      set (k := pos (x - exp (epsilon - l) * y)) in *. rewrite <- paid. nra.
Qed.

(** ** The pure filter *)

(** Charged e >= 0 and e-DP in both directions: the ratio of the probabilities of every outcome is at most e^e. *)
Definition pure_charged (m : request R) : Prop :=
  laws m /\ 0 <= charge m /\
  forall i, (i < outcomes m)%nat -> P m i <= exp (charge m) * Q m i /\ Q m i <= exp (charge m) * P m i.

(** Claim: A filter that admits while the epsilon_t of epsilon_t-DP mechanisms sum to at most epsilon >= 0 keeps
    epsilon-DP.
    Source: Taylor, Vippathalla & Coon, Section II-A *)
Theorem pure_filter epsilon : 0 <= epsilon -> promises_delta (additive epsilon) pure_charged epsilon 0.
Proof.
  intros he. apply both_ways.
  { intros m (lm & hc & ratio). split; [now destruct lm|]. split; [easy|]. intros i small. now split; apply ratio. }
  intros t hon. unfold hockey_stick, over.
  apply Rle_trans with (pos (1 - exp (epsilon - epsilon) * 1)); [|rewrite nothing_above; lra].
  apply (potential (additive epsilon) pure_charged _
    (fun s x y => 0 <= s /\ 0 <= x /\ 0 <= y) (fun s x y => pos (x - exp (epsilon - s) * y))); [| |easy|cbn; lra].
  - intros l _ x y (hl & hx & hy). apply (masses_at_stop epsilon l x y hl hx hy).
  - intros l m x y (hl & hx & hy) (laws_m & hc & ratio) admitted. apply additive_admits in admitted.
    pose proof laws_m as ((hp & onep) & (hq & oneq)). split.
    + intros i small. specialize (hp i small). specialize (hq i small). cbn. repeat split; nra.
    + assert (round_private (charge m) 0 m) as private.
      { intros S. rewrite Rplus_0_r, <- sum_scale. apply sum_le. intros i small.
        destruct (ratio i small). destruct (S i); lra. }
      pose proof (paid_round epsilon l _ _ m x y laws_m private hx hy). cbn. lra.
Qed.

(** ** Somebody is granted something *)

(** Erasure: the two data sets tell themselves apart with probability 1/2; (0, 1/2)-DP. *)
Definition erasure : request (R * R) :=
  Ask 3 (fun i => match i with O | S O => / 2 | _ => 0 end) (fun i => match i with O => 0 | _ => / 2 end) (0, / 2).

Definition two_erasures : strategy (R * R) := Request erasure (fun _ => Request erasure (fun _ => Stop) Stop) Stop.

Definition two_released (tau : transcript) (x _ : R) : R := match tau with [Released _; Released _] => x | _ => 0 end.

(** Honest; at delta = 3/4 the product grants both, the sum only the first. *)
(** Claim: An example: at epsilon = 0 and delta = 3/4 the product form grants two erasures of probability 1/2, and
    the sum of deltas does not. *)
Example the_product_grants_more : honest basic_honest two_erasures /\
  over (basic_product 0 (3 / 4)) two_erasures two_released = 1 /\
  over (basic 0 (3 / 4)) two_erasures two_released = 0.
Proof.
  assert (basic_honest erasure) as ok.
  { unfold basic_honest, laws, law. cbn. repeat split; try lra.
    - intros [|[|i]]; cbn; lra.
    - intros [|[|i]]; cbn; lra.
    - intros S. cbn. rewrite exp_0. destruct (S O), (S 1%nat), (S 2%nat); lra.
    - intros S. cbn. rewrite exp_0. destruct (S O), (S 1%nat), (S 2%nat); lra. }
  split; [cbn; auto 8|]. split; unfold over; cbn;
    repeat match goal with |- context [Rle_dec ?a ?b] => destruct (Rle_dec a b); try lra; cbn end; lra.
Qed.
