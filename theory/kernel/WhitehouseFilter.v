(** The filter of advanced composition of Whitehouse, Ramdas, Rogers and Wu (arXiv 2203.05481).

    - [core_exists]: an (e, d)-DP round contains an e-DP core: parts p <= P and q <= Q of the same mass, at least 1 - d,
      with p <= e^e q and q <= e^e p (the decomposition of Kairouz, Oh and Viswanath, from min(P, e^e Q));
    - [whitehouse_filter]: "CONT while sum epsilon_t^2 <= S and sum delta_t <= D" is a filter for (epsilon, d' + D)-DP
      where sqrt(2 log(1/d') S) + S/2 <= epsilon;
    - [whitehouse_threshold]: the condition as the paper prints it, sqrt(2 log(1/d') sum) + sum / 2 <= epsilon, is
      that the sum is at most 2 B*, B* the simple budget of Theorem 4.9, as the code has it. *)

From Coq Require Import Reals Lra Lia List Bool.
From Filterproof Require Import Sums Interaction Divergences Paths Ledger Conversions PureToZCDP BasicFilter.
Import ListNotations.
Open Scope R_scope.

(** ** The core of an (e, d)-DP round *)

Definition core (n : nat) (e d : R) (P Q p q : nat -> R) : Prop :=
  (forall i, (i < n)%nat -> 0 <= p i <= P i /\ 0 <= q i <= Q i /\ p i <= exp e * q i /\ q i <= exp e * p i) /\
  sum n p = sum n q /\ 1 - d <= sum n p.

(** Take from the heavier part until the masses agree. *)
Lemma balance n e p q : 0 <= e ->
  (forall i, (i < n)%nat -> 0 <= p i /\ 0 <= q i /\ p i <= exp e * q i /\ q i <= exp e * p i) -> sum n q <= sum n p ->
  exists p', sum n p' = sum n q /\
    forall i, (i < n)%nat -> 0 <= p' i <= p i /\ p' i <= exp e * q i /\ q i <= exp e * p' i.
Proof.
  intros he close [more|same].
  2: { exists p. split; [easy|]. intros i small. specialize (close i small). lra. }
  destruct (exp_half e) as (h1 & h2 & h3). pose proof (one_le_exp e he) as h4.
  assert (mass : 0 <= sum n q) by (apply sum_nonneg; intros i small; now destruct (close i small)).
  assert (low : exp (- e) * sum n q <= sum n q) by nra.
  set (w := (sum n p - sum n q) / (sum n p - exp (- e) * sum n q)).
  assert (hw : w * (sum n p - exp (- e) * sum n q) = sum n p - sum n q) by (unfold w; field; lra).
  assert (range : 0 <= w <= 1).
  { split; [apply Rlt_le, Rdiv_lt_0_compat; lra|]. apply Rmult_le_reg_r with (sum n p - exp (- e) * sum n q); lra. }
  exists (fun i => (1 - w) * p i + w * (exp (- e) * q i)). split.
  - rewrite sum_plus, !sum_scale. lra.
  - intros i small. destruct (close i small) as (hp & hq & up & down).
    assert (below : exp (- e) * q i <= p i).
    { apply Rmult_le_reg_l with (exp e); [lra|]. rewrite <- Rmult_assoc, h3. lra. }
    assert (0 <= exp (- e) * q i) by nra.
    assert (exp e * (exp (- e) * q i) = q i) by (rewrite <- Rmult_assoc, h3; ring).
    repeat split; nra.
Qed.

Lemma covered_range {C} e (m : request C) i : laws m -> (i < outcomes m)%nat ->
  0 <= covered e m i <= P m i /\ covered e m i <= exp e * Q m i /\
  (P m i <= covered e m i \/ covered e m i = exp e * Q m i).
Proof.
  intros ((hp & _) & (hq & _)) small. specialize (hp i small). specialize (hq i small).
  pose proof (exp_pos e). assert (0 <= exp e * Q m i) by nra. unfold covered, excess.
  destruct (pos_cases (P m i - exp e * Q m i)) as [[? ->]|[? ->]]; repeat split; lra.
Qed.

(** Claim: An (e, d)-DP round contains an e-DP core of mass at least 1 - d under both laws.
    Source: Kairouz, Oh & Viswanath *)
Theorem core_exists {C} e d (m : request C) : laws m -> 0 <= e -> round_private e d m -> round_private e d (swap m) ->
  exists p q, core (outcomes m) e d (P m) (Q m) p q.
Proof.
  intros lm he one other. pose proof (one_le_exp e he) as h1.
  apply excess_at_most in one. apply excess_at_most in other. cbn in other.
  set (p := covered e m). set (q := covered e (swap m)).
  assert (close : forall i, (i < outcomes m)%nat ->
    0 <= p i <= P m i /\ 0 <= q i <= Q m i /\ p i <= exp e * q i /\ q i <= exp e * p i).
  { intros i small. destruct (covered_range e m i lm small) as (rp & cp & [fp|fp]);
    destruct (covered_range e (swap m) i (conj (proj2 lm) (proj1 lm)) small) as (rq & cq & [fq|fq]);
    fold p in rp, cp, fp; fold q in rq, cq, fq; cbn in rq, cq, fq; repeat split; nra. }
  destruct lm as ((hp & onep) & (hq & oneq)).
  assert (massp : 1 - d <= sum (outcomes m) p) by (unfold p, covered; rewrite sum_minus, onep; lra).
  assert (massq : 1 - d <= sum (outcomes m) q).
  { unfold q, covered. rewrite sum_minus. cbn. rewrite oneq. lra. }
  destruct (Rle_or_lt (sum (outcomes m) q) (sum (outcomes m) p)) as [heavier|heavier].
  - destruct (balance (outcomes m) e p q he) as (p' & same & inside); [|easy|].
    { intros i small. specialize (close i small). lra. }
    exists p', q. split; [|lra]. intros i small. specialize (close i small). specialize (inside i small). lra.
  - destruct (balance (outcomes m) e q p he) as (q' & same & inside); [|lra|].
    { intros i small. specialize (close i small). lra. }
    exists p, q'. split; [|lra]. intros i small. specialize (close i small). specialize (inside i small). lra.
Qed.

Lemma term_same a x : 0 < x -> term a x x = x.
Proof.
  intros hx. unfold term, power. destruct (Rle_dec x 0); [lra|].
  rewrite <- Rpower_plus. replace (a + (1 - a)) with 1 by ring. now apply Rpower_1.
Qed.

(** The moment of a core of mass M is at most M e^{(a - 1) a e^2 / 2}: that of M times a pure pair. *)
Lemma core_moment n e d P Q p q a : 1 < a -> 0 <= e -> core n e d P Q p q ->
  sum n (fun i => term a (p i) (q i)) <= sum n p * exp ((a - 1) * (a * (e ^ 2 / 2))).
Proof.
  intros ha he (close & same & _).
  assert (massp : 0 <= sum n p) by (apply sum_nonneg; intros i small; destruct (close i small); lra).
  destruct massp as [mass|none].
  - set (M := sum n p) in *.
    pose proof (pure_moment e a (Ask n (fun i => p i / M) (fun i => q i / M) tt) ha) as bound.
    assert (inv : 0 < / M) by now apply Rinv_0_lt_compat.
    assert (good : laws (Ask n (fun i => p i / M) (fun i => q i / M) tt)).
    { split; split; cbn; unfold Rdiv; try (intros i small; destruct (close i small) as (? & ? & _); nra);
      rewrite sum_scale_right; [|rewrite <- same]; fold M; field; lra. }
    unfold round_moment in bound. cbn in bound.
    rewrite (sum_ext n _ (fun i => M * term a (p i / M) (q i / M))).
    + rewrite sum_scale. apply Rmult_le_compat_l; [lra|]. apply bound.
      * split; [exact good|]. split; [exact he|]. cbn. intros i small. destruct (close i small) as (_ & _ & up & _).
        unfold Rdiv. nra.
      * split; [exact (conj (proj2 good) (proj1 good))|]. split; [exact he|]. cbn. intros i small.
        destruct (close i small) as (_ & _ & _ & down). unfold Rdiv. nra.
    + intros i small. destruct (close i small) as (hp & hq & up & down).
      rewrite <- (term_same a M mass) at 1. rewrite <- term_mult; try (unfold Rdiv; nra).
      * f_equal; field; lra.
      * unfold Rdiv. intros [zero|zero]%Rmult_integral; [|lra]. assert (p i = 0) as -> by nra. ring.
  - rewrite <- none, Rmult_0_l. right. rewrite <- (sum_zero n). apply sum_ext. intros i small.
    pose proof (sum_one_term n p i small ltac:(intros j hj; destruct (close j hj); lra)) as it.
    destruct (close i small) as (hp & _). replace (p i) with 0 by lra. apply term_zero.
Qed.

(** ** The filter *)

(** Charges are (epsilon_t, delta_t); the state is what is left of the two sums. *)
Definition whitehouse (squares deltas : R) : filter (R * R) :=
  Filter (R * R) (squares, deltas)
    (fun left c => (if Rle_dec (fst c ^ 2) (fst left) then true else false) &&
                   (if Rle_dec (snd c) (snd left) then true else false))
    (fun left c _ => (fst left - fst c ^ 2, snd left - snd c)).

(** With probabilities x, y of which u, v are in cores so far. *)
Lemma whitehouse_induction squares deltas epsilon a t : 1 < a -> honest basic_honest t ->
  forall s tau x y u v, 0 <= fst s -> 0 <= snd s -> masses u v -> u <= x -> v <= y ->
  total (whitehouse squares deltas) (fun _ x y => pos (x - exp epsilon * y)) s tau x y t <=
  x - u + u * snd s + exp (- ((a - 1) * epsilon)) * (term a u v * exp ((a - 1) * (a * (fst s / 2)))).
Proof.
  intros ha. induction t as [|m granted IHg denied IHd]; intros hon s tau x y u v hS hD muv ux vy; cbn [total].
  - pose proof (stick_below_moment a epsilon u v ha muv) as stick. pose proof (cks_factor_below_one a ha) as small.
    pose proof (cks_factor_pos a ha). pose proof (exp_pos (- ((a - 1) * epsilon))) as h1.
    pose proof (term_nonneg a u v) as h2. destruct muv as (hu & hv & dom). pose proof (exp_pos epsilon).
    assert (h3 : 1 <= exp ((a - 1) * (a * (fst s / 2)))) by (apply one_le_exp; repeat apply Rmult_le_pos; lra).
    assert (pos (x - exp epsilon * y) <= x - u + pos (u - exp epsilon * v)).
    { pose proof (pos_nonneg (u - exp epsilon * v)). pose proof (pos_above (u - exp epsilon * v)).
      apply pos_least; [lra|nra]. }
    assert (0 <= exp (- ((a - 1) * epsilon)) * term a u v) by nra.
    assert (cks_factor a * exp (- ((a - 1) * epsilon)) * term a u v <= exp (- ((a - 1) * epsilon)) * term a u v)
      by (rewrite Rmult_assoc; nra).
    rewrite <- Rmult_assoc. nra.
  - destruct hon as ((lm & he & hd & one & other) & hong & hond).
    destruct (admits (whitehouse squares deltas) s (charge m)) eqn:admitted; [|now apply IHd].
    cbn in admitted. apply andb_true_iff in admitted as [fitS fitD].
    destruct (Rle_dec (fst (charge m) * (fst (charge m) * 1)) (fst s)) as [fit1|]; [|easy].
    destruct (Rle_dec (snd (charge m)) (snd s)) as [fit2|]; [|easy]. clear fitS fitD.
    destruct (core_exists _ _ m lm he one other) as (p & q & is_core).
    pose proof (core_moment _ _ _ _ _ _ _ a ha he is_core) as moment. destruct is_core as (close & same & mass).
    set (e := fst (charge m)) in *. set (d := snd (charge m)) in *. set (M := sum (outcomes m) p) in *.
    set (k := exp (- ((a - 1) * epsilon))) in *.
    set (E := exp ((a - 1) * (a * ((fst s - e ^ 2) / 2)))).
    destruct muv as (hu & hv & dom).
    assert (M1 : M <= 1).
    { destruct lm as ((_ & onep) & _). rewrite <- onep. apply sum_le. intros i small. now destruct (close i small). }
    assert (M0 : 0 <= M) by (apply sum_nonneg; intros i small; destruct (close i small); lra).
    assert (step : forall i, (i < outcomes m)%nat ->
      total (whitehouse squares deltas) (fun _ x y => pos (x - exp epsilon * y))
        (after (whitehouse squares deltas) s (charge m) i) (tau ++ [Released i]) (x * P m i) (y * Q m i) (granted i) <=
      x * P m i - u * p i + u * (snd s - d) * p i + k * term a u v * E * term a (p i) (q i)).
    { intros i small. destruct (close i small) as (hp & hq & up & down).
      pose proof (exp_pos e).
      eapply Rle_trans; [apply (IHg i (hong i) _ _ _ _ (u * p i) (v * q i))|]; cbn [after whitehouse fst snd].
      - fold e. cbn in fit1 |- *. lra.
      - fold d. lra.
      - split; [nra|]. split; [nra|]. intros [zero|zero]%Rmult_integral; [rewrite dom by easy; ring|].
        assert (p i = 0) as -> by nra. ring.
      - apply Rmult_le_compat; lra.
      - apply Rmult_le_compat; lra.
      - rewrite term_mult; try lra; try easy; [|intros zero; nra]. right. fold e d E k. ring. }
    eapply Rle_trans; [apply (sum_le _ _ _ step)|].
    rewrite !sum_plus, sum_minus, !sum_scale. fold M. destruct lm as ((_ & ->) & _).
    assert (grow : E * exp ((a - 1) * (a * (e ^ 2 / 2))) = exp ((a - 1) * (a * (fst s / 2))))
      by (unfold E; rewrite <- exp_plus; f_equal; field).
    rewrite <- grow. pose proof (term_nonneg a u v) as ht. assert (hk : 0 < k) by apply exp_pos.
    assert (hE : 0 < E) by apply exp_pos. pose proof (exp_pos ((a - 1) * (a * (e ^ 2 / 2)))) as hX.
    set (X := exp ((a - 1) * (a * (e ^ 2 / 2)))) in *.
    assert (front : 0 <= k * term a u v * E) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra).
    assert (k * term a u v * E * sum (outcomes m) (fun i => term a (p i) (q i)) <= k * (term a u v * (E * X))).
    { replace (k * (term a u v * (E * X))) with (k * term a u v * E * X) by ring.
      apply Rmult_le_compat_l; [easy|]. nra. }
    assert (u * (1 - snd s) <= u * (M * (1 - (snd s - d)))).
    { apply Rmult_le_compat_l; [easy|]. destruct (Rle_or_lt 0 (1 - (snd s - d))); nra. }
    nra.
Qed.

(** Claim: For 0 < tail < 1, a filter that admits while the epsilon_t^2 and the delta_t of mechanisms that are
    (epsilon_t, delta_t)-DP both ways sum to at most S > 0 and D >= 0 keeps (epsilon, tail + D)-DP where sqrt(2
    log(1/tail) S) + S/2 <= epsilon.
    Source: Whitehouse, Ramdas, Rogers & Wu *)
Theorem whitehouse_filter squares deltas epsilon tail : 0 < squares -> 0 <= deltas -> 0 < tail < 1 ->
  sqrt (2 * ln (/ tail) * squares) + squares / 2 <= epsilon ->
  promises_delta (whitehouse squares deltas) basic_honest epsilon (tail + deltas).
Proof.
  intros hS hD ht fit. apply both_ways; [apply basic_honest_swap|]. intros t hon.
  pose proof (log_inverse_pos tail ht) as hl. set (l := ln (/ tail)) in *.
  set (k := sqrt (2 * l / squares)).
  assert (hk : 0 < k) by (apply sqrt_lt_R0, Rdiv_lt_0_compat; lra).
  assert (square : k * k * squares = 2 * l).
  { unfold k. rewrite sqrt_sqrt; [field; lra|]. left. apply Rdiv_lt_0_compat; lra. }
  assert (root : sqrt (2 * l * squares) = k * squares).
  { apply sqrt_lem_1; [nra|nra|]. nra. }
  rewrite root in fit.
  pose proof (whitehouse_induction squares deltas epsilon (1 + k) t ltac:(lra) hon (squares, deltas) [] 1 1 1 1
    ltac:(cbn; lra) hD masses_start (Rle_refl 1) (Rle_refl 1)) as bound.
  cbn [fst snd] in bound. rewrite term_one, !Rmult_1_l, <- exp_plus in bound.
  unfold hockey_stick, over. eapply Rle_trans; [exact bound|].
  enough (exp (- ((1 + k - 1) * epsilon) + (1 + k - 1) * ((1 + k) * (squares / 2))) <= tail) by lra.
  destruct ht as [ht _]. rewrite <- (exp_ln tail ht). apply exp_le.
  replace (ln tail) with (- l) by (unfold l; rewrite ln_Rinv by lra; ring). nra.
Qed.

Lemma sqrt_of_double B l : 0 <= B -> 0 <= l -> sqrt (2 * l * (2 * B)) = 2 * sqrt (B * l).
Proof.
  intros hB hl. replace (2 * l * (2 * B)) with (2 * 2 * (B * l)) by ring.
  rewrite sqrt_mult by nra. rewrite sqrt_square by lra. reflexivity.
Qed.

(** B* + 2 sqrt(B* log(1/d')) = epsilon by [b_star_is_simple]. *)
(** Claim: The condition sqrt(2 log(1/tail) S) + S/2 <= epsilon on a sum S of squares is S <= 2 B, B >= 0 the simple
    zCDP budget, B + 2 sqrt(B log(1/tail)) = epsilon.
    Source: Whitehouse, Ramdas, Rogers & Wu *)
Theorem whitehouse_threshold B epsilon tail S : 0 < tail < 1 -> 0 <= B -> 0 <= S ->
  B + 2 * sqrt (B * ln (/ tail)) = epsilon ->
  (sqrt (2 * ln (/ tail) * S) + S / 2 <= epsilon <-> S <= 2 * B).
Proof.
  intros ht hB hS budget. pose proof (log_inverse_pos tail ht) as hl.
  assert (half : sqrt (2 * ln (/ tail) * S) = 2 * sqrt (S / 2 * ln (/ tail))).
  { rewrite <- sqrt_of_double by lra. f_equal. field. }
  rewrite half. split; intros fit.
  - destruct (Rle_or_lt S (2 * B)) as [|more]; [easy|].
    pose proof (sqrt_le_1_alt (B * ln (/ tail)) (S / 2 * ln (/ tail)) ltac:(nra)). lra.
  - pose proof (sqrt_le_1_alt (S / 2 * ln (/ tail)) (B * ln (/ tail)) ltac:(nra)). lra.
Qed.

(** Somebody is granted something: a round that reveals nothing, and one that fails with probability d. *)
Example somebody_is_granted e d squares deltas : 0 <= e -> 0 <= d -> e ^ 2 <= squares -> d <= deltas ->
  let m := Ask 1 (fun _ => 1) (fun _ => 1) (e, d) in
  basic_honest m /\ admits (whitehouse squares deltas) (squares, deltas) (charge m) = true.
Proof.
  intros he hd fit1 fit2 m. split.
  - assert (law 1 (fun _ => 1)) by (split; cbn; intros; lra). pose proof (one_le_exp e he).
    split; [easy|]. split; [easy|]. split; [easy|]. split; intros T; cbn; destruct (T O); lra.
  - cbn. cbn in fit1. destruct (Rle_dec (e * (e * 1)) squares); [|easy]. now destruct (Rle_dec d deltas).
Qed.
