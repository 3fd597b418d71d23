(** Where the rule "at some order" with the budgets of Markov's inequality keeps its promise, though an adversary
    changes the order.

    - [some_order_covered]: paying at its own orders it keeps delta times the sum of m_k s(a_k), if for every j that has
      a budget the m_k delta^{1 - (a_k - 1)/(a_j - 1)} of the orders up to a_j add up to 1. With m = 1 at each order
      that has a budget this is [some_order_usable];
    - [some_order_markov_filter]: where that sum is at most 1 the rule keeps (epsilon, delta);
    - [some_order_high]: if each order that has a budget is at least 1 + g, g > 0, it keeps delta log(1/delta) / g, how
      many orders there may be, for delta < 1/e;
    - [some_order_any_orders]: so it keeps (epsilon, epsilon delta) at whatever orders; at epsilon <= 1, its promise. *)

From Coq Require Import Reals Lra Lia List.
From Filterproof Require Import Sums Interaction Divergences SomeOrder.
Import ListNotations.
Open Scope R_scope.

(** ** Markov's budgets *)

Section markov.

(** Budgets at most those of Markov's inequality; an order whose budget is below 0 has none. *)
Variables (orders : nat) (a budget : nat -> R) (epsilon delta : R).
Hypotheses (positive : 0 < delta) (above : forall j, (j < orders)%nat -> 1 < a j).
Hypothesis markov : forall j, (j < orders)%nat -> 0 <= budget j -> budget j <= markov_budget epsilon delta a j.
Hypothesis begin : exists j, (j < orders)%nat /\ 0 <= budget j.

(** What a payment at an order 1 + t is worth to the order 1 + u: delta^{1 - t/u}. *)
Definition worth (t u : R) : R := exp (ln delta * (1 - t / u)).

Lemma markov_paid prices b m :
  (forall k, (k < prices)%nat -> 1 < b k) -> (forall k, (k < prices)%nat -> 0 <= m k) ->
  (forall j, (j < orders)%nat -> 0 <= budget j ->
    1 <= sum prices (fun k => if Rle_dec (b k) (a j) then m k * worth (b k - 1) (a j - 1) else 0)) ->
  promises_delta (some_order orders budget) (some_order_honest orders a) epsilon
    (delta * sum prices (fun k => m k * s (b k))).
Proof.
  intros high many covered.
  replace (delta * sum prices (fun k => m k * s (b k))) with (sum prices (fun k =>
    delta * m k * exp ((b k - 1) * epsilon) * (s (b k) * exp (- ((b k - 1) * epsilon))))).
  - apply some_order_paid; [easy|easy| |].
    + intros k small. specialize (many k small). apply Rmult_le_pos; [nra|left; apply exp_pos].
    + intros j small usable. eapply Rle_trans; [now apply (covered j)|]. apply sum_le. intros k less.
      destruct (Rle_dec (b k) (a j)); [|lra]. specialize (above j small). specialize (markov j small usable).
      specialize (high k less). specialize (many k less).
      replace (delta * m k * exp ((b k - 1) * epsilon) * exp (- ((b k - 1) * budget j)))
        with (m k * (delta * (exp ((b k - 1) * epsilon) * exp (- ((b k - 1) * budget j))))) by ring.
      apply Rmult_le_compat_l; [easy|]. unfold worth. rewrite <- (exp_ln delta positive) at 2. rewrite <- !exp_plus.
      apply exp_le. apply (Rmult_le_compat_l (b k - 1)) in markov; [|lra]. unfold markov_budget, Rdiv in markov.
      rewrite Rmult_1_l, ln_Rinv in markov by easy.
      replace (ln delta * (1 - (b k - 1) / (a j - 1)))
        with (ln delta + ((b k - 1) * epsilon - (b k - 1) * (epsilon - - ln delta * / (a j - 1)))) by (field; lra). lra.
  - rewrite <- sum_scale. apply sum_ext. intros k _.
    replace (delta * (m k * s (b k))) with (delta * m k * s (b k) * exp ((b k - 1) * epsilon + - ((b k - 1) * epsilon)))
      by (rewrite Rplus_opp_r, exp_0; ring). rewrite exp_plus. ring.
Qed.

(** Paid for at its own orders. *)
Theorem some_order_covered m : (forall k, (k < orders)%nat -> 0 <= m k) ->
  (forall j, (j < orders)%nat -> 0 <= budget j ->
    1 <= sum orders (fun k => if Rle_dec (a k) (a j) then m k * worth (a k - 1) (a j - 1) else 0)) ->
  promises_delta (some_order orders budget) (some_order_honest orders a) epsilon
    (delta * sum orders (fun k => m k * s (a k))).
Proof. intros many covered. now apply markov_paid. Qed.

(** Each order pays for itself; one without a budget is not paid for. *)
(** Claim: A filter that admits while at some order a_j > 1 of a finite set the divergences fit that order's budget,
    at most epsilon - log(1/delta)/(a_j - 1), one of which is not below 0, delta > 0, keeps epsilon with delta times
    the sum of s(a_j) over the orders with a budget of at least 0 as its delta, s(a) = (1 - 1/a)^(a - 1) / a. *)
Theorem some_order_usable :
  promises_delta (some_order orders budget) (some_order_honest orders a) epsilon
    (delta * sum orders (fun k => if Rle_dec 0 (budget k) then s (a k) else 0)).
Proof.
  rewrite (sum_ext _ _ (fun k => (if Rle_dec 0 (budget k) then 1 else 0) * s (a k))).
  2:{ intros k _. destruct (Rle_dec 0 _); ring. }
  apply some_order_covered; [intros k _; destruct (Rle_dec 0 _); lra|]. intros j small usable.
  eapply Rle_trans; [right|refine (sum_one_term orders _ j small _)].
  - cbv beta. destruct (Rle_dec (a j) (a j)) as [_|]; [|lra]. destruct (Rle_dec 0 _); [|easy]. unfold worth.
    specialize (above j small). replace (1 - (a j - 1) / (a j - 1)) with 0 by (field; lra).
    rewrite Rmult_0_r, exp_0. ring.
  - intros k _. cbv beta. destruct (Rle_dec (a k) (a j)); [|lra]. unfold worth.
    apply Rmult_le_pos; [destruct (Rle_dec 0 _); lra|left; apply exp_pos].
Qed.

End markov.

(** Claim: A filter that admits while at some order a_j > 1 of a finite set the divergences fit that order's budget,
    at most epsilon - log(1/delta)/(a_j - 1), one of which is not below 0, delta > 0, keeps (epsilon, delta)-DP where
    numbers m_j >= 0 have a sum of m_j s(a_j) of at most 1, s(a) = (1 - 1/a)^(a - 1) / a, and for each order a_j with
    a budget of at least 0 the m_i delta^(1 - (a_i - 1)/(a_j - 1)) of the orders up to it sum to at least 1. *)
Theorem some_order_markov_filter orders a budget epsilon delta m : 0 < delta ->
  (forall j, (j < orders)%nat -> 1 < a j) ->
  (forall j, (j < orders)%nat -> 0 <= budget j -> budget j <= markov_budget epsilon delta a j) ->
  (exists j, (j < orders)%nat /\ 0 <= budget j) ->
  (forall k, (k < orders)%nat -> 0 <= m k) ->
  (forall j, (j < orders)%nat -> 0 <= budget j ->
    1 <= sum orders (fun k => if Rle_dec (a k) (a j) then m k * worth delta (a k - 1) (a j - 1) else 0)) ->
  sum orders (fun k => m k * s (a k)) <= 1 ->
  promises_delta (some_order orders budget) (some_order_honest orders a) epsilon delta.
Proof.
  intros positive above markov begin many covered enough.
  apply (promises_more _ _ _ (delta * sum orders (fun k => m k * s (a k)))); [nra|].
  now apply some_order_covered.
Qed.

(** ** Any orders *)

Lemma s_at_most a : 1 < a -> s a <= exp (- (1)) / (a - 1).
Proof.
  intros ha. assert (0 < / a) by (apply Rinv_0_lt_compat; lra).
  assert (share : 0 < 1 - 1 / a) by (apply Rlt_Rminus; apply Rmult_lt_reg_r with a; [lra|field_simplify; lra]).
  assert (ln (1 - 1 / a) <= - (1 / a)) as small.
  { pose proof (exp_ineq1_le (ln (1 - 1 / a))) as it. rewrite exp_ln in it by easy. lra. }
  replace (s a) with (exp (a * ln (1 - 1 / a)) / (a - 1)).
  - apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|]. apply exp_le.
    apply (Rmult_le_compat_l a) in small; [|lra]. replace (a * - (1 / a)) with (- (1)) in small by (field; lra). lra.
  - unfold s. replace (a * ln (1 - 1 / a)) with ((a - 1) * ln (1 - 1 / a) + ln (1 - 1 / a)) by ring.
    rewrite exp_plus, exp_ln by easy. field. lra.
Qed.

Lemma passed_by_all n t q g : 0 < q < 1 -> 0 < g -> (forall j, (j < n)%nat -> 0 < t j) ->
  exists N, forall j, (j < n)%nat -> t j * q ^ N < g.
Proof.
  intros range positive. induction n as [|n IH]; intros some; [exists 0%nat; lia|].
  destruct IH as [N others]; [intros; apply some; lia|]. pose proof (some n ltac:(lia)) as last.
  destruct (pow_lt_1_zero q) with (y := g / t n) as [M far];
    [rewrite Rabs_right; lra|now apply Rdiv_lt_0_compat|].
  exists (max N M). intros j small.
  assert (falls : forall k l, (k <= l)%nat -> q ^ l <= q ^ k).
  { intros k l less. replace l with (k + (l - k))%nat by lia. rewrite pow_add.
    rewrite <- (Rmult_1_r (q ^ k)) at 2. apply Rmult_le_compat_l; [apply pow_le; lra|].
    rewrite <- (pow1 (l - k)). apply pow_incr. lra. }
  destruct (Nat.eq_dec j n) as [->|other].
  - specialize (far M ltac:(lia)). rewrite Rabs_right in far by (apply Rle_ge, pow_le; lra).
    pose proof (falls M (max N M) ltac:(lia)). apply Rle_lt_trans with (t n * q ^ M); [apply Rmult_le_compat_l; lra|].
    apply (Rmult_lt_compat_l (t n)) in far; [|easy]. replace (t n * (g / t n)) with g in far by (field; lra). lra.
  - specialize (others j ltac:(lia)). specialize (some j small). pose proof (falls N (max N M) ltac:(lia)).
    apply Rle_lt_trans with (t j * q ^ N); [apply Rmult_le_compat_l; lra|easy].
Qed.

Lemma sum_powers q n : 0 < q < 1 -> sum n (fun k => q ^ k) <= / (1 - q).
Proof.
  intros range. assert (sum n (fun k => q ^ k) * (1 - q) = 1 - q ^ n) as it
    by (induction n as [|n IH]; cbn [sum]; [cbn; ring|rewrite Rmult_plus_distr_r, IH; cbn; ring]).
  apply (Rmult_le_reg_r (1 - q)); [lra|]. rewrite it, Rinv_l by lra. pose proof (pow_lt q n). lra.
Qed.

(** Claim: A filter that admits while at some order a_j > 1 of a finite set the divergences fit that order's budget,
    at most epsilon - log(1/delta)/(a_j - 1), one of which is not below 0, keeps (epsilon, delta log(1/delta)/g)-DP
    for 0 < delta < 1/e, however many orders there are, where each order with a budget of at least 0 is at least 1 +
    g, g > 0. *)
Theorem some_order_high orders a budget epsilon delta g : 0 < delta < exp (- (1)) -> 0 < g ->
  (forall j, (j < orders)%nat -> 1 < a j) ->
  (forall j, (j < orders)%nat -> 0 <= budget j -> budget j <= markov_budget epsilon delta a j) ->
  (exists j, (j < orders)%nat /\ 0 <= budget j) ->
  (forall j, (j < orders)%nat -> 0 <= budget j -> 1 + g <= a j) ->
  promises_delta (some_order orders budget) (some_order_honest orders a) epsilon
    (delta * (ln (1 / delta) / g)).
Proof.
  intros [hd small] hg above markov begin high.
  assert (ln (1 / delta) = - ln delta) as inverse by (unfold Rdiv; rewrite Rmult_1_l; now apply ln_Rinv).
  assert (1 < - ln delta) as large by (pose proof (ln_increasing delta _ hd small) as it; rewrite ln_exp in it; lra).
  rewrite inverse. set (T := - ln delta) in *. set (q := 1 - / T).
  assert (0 < q < 1) as hq.
  { unfold q. assert (0 < / T) by (apply Rinv_0_lt_compat; lra).
    pose proof (Rinv_1_lt_contravar 1 T ltac:(lra) large) as it. rewrite Rinv_1 in it. lra. }
  destruct (passed_by_all orders (fun j => a j - 1) q g hq hg) as [N passed];
    [intros j less; specialize (above j less); lra|].
  assert (powers : forall k, 0 < q ^ k) by (intros; apply pow_lt; lra).
  assert (steps : forall k, 0 < g / q ^ k) by (intros; now apply Rdiv_lt_0_compat).
  apply (promises_more _ _ _ (delta * sum N (fun k => exp 1 * s (1 + g / q ^ k)))).
  - apply Rmult_le_compat_l; [lra|]. apply Rle_trans with (sum N (fun k => / g * q ^ k)).
    + apply sum_le. intros k _. pose proof (s_at_most (1 + g / q ^ k) ltac:(specialize (steps k); lra)) as it.
      replace (1 + g / q ^ k - 1) with (g / q ^ k) in it by ring. apply (Rmult_le_compat_l (exp 1)) in it;
        [|left; apply exp_pos].
      replace (exp 1 * (exp (- (1)) / (g / q ^ k))) with (exp (1 + - (1)) * (/ g * q ^ k)) in it
        by (rewrite exp_plus; specialize (powers k); field; lra).
      rewrite Rplus_opp_r, exp_0, Rmult_1_l in it. lra.
    + rewrite sum_scale. pose proof (sum_powers q N hq) as it. replace (/ (1 - q)) with T in it
        by (unfold q; field; lra). unfold Rdiv. rewrite (Rmult_comm T).
      apply Rmult_le_compat_l; [left; now apply Rinv_0_lt_compat|easy].
  - apply markov_paid; try easy; [intros k _; specialize (steps k); lra|intros; left; apply exp_pos|].
    intros j less usable. specialize (high j less usable). specialize (above j less).
    destruct (passing q (a j - 1) g N ltac:(lra) (passed j less)) as (k & inside & at_least & below).
    pose proof (powers k) as pk.
    assert (g / q ^ k <= a j - 1) as order.
    { apply (Rmult_le_reg_r (q ^ k)); [easy|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
    eapply Rle_trans; [|refine (sum_one_term N _ k inside _)].
    + cbv beta. destruct (Rle_dec (1 + g / q ^ k) (a j)); [|lra]. unfold worth. rewrite <- exp_plus.
      apply one_le_exp. replace (1 + g / q ^ k - 1) with (g / q ^ k) by ring.
      assert (q <= g / q ^ k / (a j - 1)) as share.
      { apply (Rmult_le_reg_r ((a j - 1) * q ^ k)); [apply Rmult_lt_0_compat; lra|].
        replace (g / q ^ k / (a j - 1) * ((a j - 1) * q ^ k)) with g by (field; lra). cbn in below. lra. }
      assert (T * (1 - g / q ^ k / (a j - 1)) <= T * / T) as it
        by (apply Rmult_le_compat_l; [lra|unfold q in share at 1; lra]).
      rewrite Rinv_r in it by lra. unfold T in it at 1. lra.
    + intros i _. cbv beta. destruct (Rle_dec _ _); [|lra]. unfold worth.
      apply Rmult_le_pos; left; apply exp_pos.
Qed.

(** Whatever the orders are, an order that has a budget is at least 1 + log(1/delta) / epsilon. *)
(** Claim: A filter that admits while at some order a_j > 1 of a finite set the divergences fit that order's budget,
    at most epsilon - log(1/delta)/(a_j - 1), one of which is not below 0, keeps (epsilon, epsilon delta)-DP for
    epsilon > 0 and 0 < delta < 1/e, however many orders there are. *)
Theorem some_order_any_orders orders a budget epsilon delta : 0 < epsilon -> 0 < delta < exp (- (1)) ->
  (forall j, (j < orders)%nat -> 1 < a j) ->
  (forall j, (j < orders)%nat -> 0 <= budget j -> budget j <= markov_budget epsilon delta a j) ->
  (exists j, (j < orders)%nat /\ 0 <= budget j) ->
  promises_delta (some_order orders budget) (some_order_honest orders a) epsilon
    (epsilon * delta).
Proof.
  intros he hd above markov begin. pose proof hd as [positive small].
  assert (ln (1 / delta) = - ln delta) as inverse by (unfold Rdiv; rewrite Rmult_1_l; now apply ln_Rinv).
  assert (1 < - ln delta) as large
    by (pose proof (ln_increasing delta _ positive small) as it; rewrite ln_exp in it; lra).
  replace (epsilon * delta) with (delta * (ln (1 / delta) / (ln (1 / delta) / epsilon))) by (field; lra).
  apply some_order_high; try easy; [apply Rdiv_lt_0_compat; lra|].
  intros j less usable. specialize (above j less). pose proof (Rle_trans _ _ _ usable (markov j less usable)) as room.
  unfold markov_budget in room. apply (Rmult_le_compat_r (a j - 1)) in room; [|lra].
  rewrite Rmult_0_l, Rmult_minus_distr_r in room.
  replace (ln (1 / delta) / (a j - 1) * (a j - 1)) with (ln (1 / delta)) in room by (field; lra).
  enough (ln (1 / delta) / epsilon <= a j - 1) by lra. apply (Rmult_le_reg_r epsilon); [easy|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.
