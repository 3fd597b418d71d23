(** The rule "at some order" breaks its promise.

    - [some_order_markov_fails]: with the budgets that Markov's inequality allows each order, orders {1.1, 1.3},
      epsilon = 80, delta = 1/100: a game of two rounds reaches more than 1.1 delta.
    - [some_order_cks_fails]: with the budgets of Canonne, Kamath and Steinke, orders {2, 32}, epsilon = 6,
      delta = 1/100: a game of two rounds reaches more than 1.39 delta.

    Either time the first answer chooses the second mechanism, and each branch stays within another order's budget. The
    charges are the exact divergences, the larger of both directions. *)

From Coq Require Import Reals Lra Lia List.
From Interval Require Import Tactic.
From Filterproof Require Import Sums Interaction Divergences SomeOrder.
Import ListNotations.
Open Scope R_scope.

(** ** Mechanisms with two outcomes, and their exact charges *)

Definition bit (p : R) (i : nat) : R := match i with O => p | _ => 1 - p end.

(** D_a of the laws (p, 1 - p) and (q, 1 - q). *)
Definition divergence (a p q : R) : R :=
  ln (Rpower p a * Rpower q (1 - a) + Rpower (1 - p) a * Rpower (1 - q) (1 - a)) / (a - 1).

Definition both (a p q : R) : R := Rmax 0 (Rmax (divergence a p q) (divergence a q p)).

Definition coins (a : nat -> R) (p q : R) : request spectrum := Ask 2 (bit p) (bit q) (fun j => Some (both (a j) p q)).

Lemma divergence_is_enough a p q c : 1 < a -> 0 < p < 1 -> 0 < q < 1 -> divergence a p q <= c ->
  forall charge, renyi_at_most a c (Ask 2 (bit p) (bit q) charge : request spectrum).
Proof.
  intros above hp hq enough charge. split.
  - intros [|[|i]] less zero; cbn in *; lra || lia.
  - unfold round_moment, term, power; cbn [sum outcomes P Q bit].
    destruct (Rle_dec p 0); [lra|]. destruct (Rle_dec (1 - p) 0); [lra|]. rewrite Rplus_0_l.
    unfold divergence in enough.
    set (moment := Rpower p a * Rpower q (1 - a) + Rpower (1 - p) a * Rpower (1 - q) (1 - a)) in *.
    assert (0 < moment) by (apply Rplus_lt_0_compat; apply Rmult_lt_0_compat; apply exp_pos).
    rewrite <- (exp_ln moment) by easy. apply exp_le.
    replace (ln moment) with ((a - 1) * (ln moment / (a - 1))) by (field; lra). apply Rmult_le_compat_l; lra.
Qed.

Lemma coins_are_honest orders a p q : (forall j, (j < orders)%nat -> 1 < a j) -> 0 < p < 1 -> 0 < q < 1 ->
  some_order_honest orders a (coins a p q).
Proof.
  intros above hp hq. split.
  - split; (split; [intros [|[|i]] less; cbn in *; lra || lia|cbn; lra]).
  - intros j small. specialize (above j small). cbn. unfold both. set (c := Rmax 0 _).
    assert (0 <= c /\ divergence (a j) p q <= c /\ divergence (a j) q p <= c) as (nonneg & there & back).
    { unfold c. pose proof (Rmax_l 0 (Rmax (divergence (a j) p q) (divergence (a j) q p))).
      pose proof (Rmax_r 0 (Rmax (divergence (a j) p q) (divergence (a j) q p))).
      pose proof (Rmax_l (divergence (a j) p q) (divergence (a j) q p)).
      pose proof (Rmax_r (divergence (a j) p q) (divergence (a j) q p)). lra. }
    split; [easy|]. unfold swap; cbn. split; now apply divergence_is_enough.
Qed.

(** ** A game of two rounds *)

Section game.

Variables (orders : nat) (a budget : nat -> R).
Hypothesis above : forall j, (j < orders)%nat -> 1 < a j.

(** First one pair of coins, and then one of two others. *)
Definition game (first yes no : request spectrum) : strategy spectrum :=
  Request first (fun i => Request (match i with O => yes | _ => no end) (fun _ => Stop) Stop) Stop.

(** The second answer is 0. *)
Definition bad (tau : transcript) : bool := match tau with [Released _; Released O] => true | _ => false end.

(** The two rounds stay within the budget of order j. *)
Definition allowed (j : nat) (p q p' q' : R) : Prop :=
  (j < orders)%nat /\ both (a j) p q + both (a j) p' q' <= budget j.

Lemma both_nonneg b p q : 0 <= both b p q.
Proof. apply Rmax_l. Qed.

Lemma allowed_first j p q p' q' : allowed j p q p' q' ->
  admits (some_order orders budget) (start (some_order orders budget)) (charge (coins a p q)) = true.
Proof.
  intros [small fit]. cbn. apply existsb_exists. exists j. split; [apply in_seq; lia|]. cbn.
  pose proof (both_nonneg (a j) p' q'). destruct (Rle_dec (both (a j) p q) (budget j)); [easy|lra].
Qed.

Lemma allowed_second j p q p' q' i : allowed j p q p' q' ->
  admits (some_order orders budget)
    (after (some_order orders budget) (start (some_order orders budget)) (charge (coins a p q)) i)
    (charge (coins a p' q')) = true.
Proof.
  intros [small fit]. cbn. apply existsb_exists. exists j. split; [apply in_seq; lia|]. cbn.
  destruct (Rle_dec (both (a j) p' q') (budget j - both (a j) p q)); [easy|lra].
Qed.

(** The game is won if each branch is within the budget of some order. *)
Theorem game_breaks_promise epsilon delta j k p q p0 q0 p1 q1 :
  0 < p < 1 -> 0 < q < 1 -> 0 < p0 < 1 -> 0 < q0 < 1 -> 0 < p1 < 1 -> 0 < q1 < 1 ->
  allowed j p q p0 q0 -> allowed k p q p1 q1 ->
  delta < p * p0 + (1 - p) * p1 - exp epsilon * (q * q0 + (1 - q) * q1) ->
  ~ promises_delta (some_order orders budget) (some_order_honest orders a) epsilon delta.
Proof.
  intros hp hq hp0 hq0 hp1 hq1 yes no above_delta promise.
  destruct (promise (game (coins a p q) (coins a p0 q0) (coins a p1 q1))) as [there _].
  { cbn [game honest]. split; [now apply coins_are_honest|]. split; [|easy].
    intros i. split; [|easy]. destruct i; now apply coins_are_honest. }
  specialize (there bad). unfold Pr_P, Pr_Q, over, game in there. cbn [total] in there.
  rewrite (allowed_first j p q p0 q0 yes) in there. cbn [outcomes coins sum] in there.
  rewrite !(allowed_second j p q p0 q0 _ yes), !(allowed_second k p q p1 q1 _ no) in there.
  cbn [outcomes coins sum total app bad P Q bit] in there. lra.
Qed.

End game.

(** ** Markov's budgets *)

Definition low_orders (j : nat) : R := match j with O => 11/10 | _ => 13/10 end.

Ltac bound_charge := unfold both, divergence; repeat apply Rmax_lub; interval with (i_prec 80).

(** Claim: A filter that admits while at order 1.1 or 1.3 the divergences fit that order's budget 80 - log(100)/(a -
    1) of Markov's inequality for (80, 1/100)-DP does not keep (80, 1.1/100)-DP. *)
Theorem some_order_markov_fails :
  ~ promises_delta (some_order 2 (markov_budget 80 (1/100) low_orders)) (some_order_honest 2 low_orders) 80
    (11/10 * (1/100)).
Proof.
  apply (game_breaks_promise 2 low_orders _) with (j := 0%nat) (k := 1%nat) (p := 994/1000) (q := 1 - 69/10^16)
    (p0 := 7/1000) (q0 := 12/10^39) (p1 := 999/1000) (q1 := 33/10^25); try lra.
  - intros [|[|j]] small; cbn; lra || lia.
  - split; [lia|]. unfold markov_budget; cbn [low_orders].
    assert (both (11/10) (994/1000) (1 - 69/10^16) <= 836/1000) by bound_charge.
    assert (both (11/10) (7/1000) (12/10^39) <= 33105/1000) by bound_charge.
    assert (33948/1000 <= 80 - ln (1 / (1/100)) / (11/10 - 1)) by interval with (i_prec 80). lra.
  - split; [lia|]. unfold markov_budget; cbn [low_orders].
    assert (both (13/10) (994/1000) (1 - 69/10^16) <= 10580/1000) by bound_charge.
    assert (both (13/10) (999/1000) (33/10^25) <= 54064/1000) by bound_charge.
    assert (64649/1000 <= 80 - ln (1 / (1/100)) / (13/10 - 1)) by interval with (i_prec 80). lra.
  - interval with (i_prec 120).
Qed.

(** ** The budgets of Canonne, Kamath and Steinke *)

Definition two_orders (j : nat) : R := match j with O => 2 | _ => 32 end.

(** Claim: A filter that admits while at order 2 or 32 the divergences fit that order's budget of the CKS conversion
    for (6, 1/100)-DP does not keep (6, 1.39/100)-DP. *)
Theorem some_order_cks_fails :
  ~ promises_delta (some_order 2 (cks_budget 6 (1/100) two_orders)) (some_order_honest 2 two_orders) 6
    (139/100 * (1/100)).
Proof.
  apply (game_breaks_promise 2 two_orders _) with (j := 1%nat) (k := 0%nat) (p := 1 / (1 + exp (- (1/10))))
    (q := 1 - 1 / (1 + exp (- (1/10)))) (p0 := 608430710/10^9) (q0 := 1614677/10^9)
    (p1 := 168334078/10^10) (q1 := 18877554/10^12); try lra; try (split; interval with (i_prec 80)).
  - intros [|[|j]] small; cbn; lra || lia.
  - split; [lia|]. unfold cks_budget, s; cbn [two_orders].
    assert (both 32 (1 / (1 + exp (- (1/10)))) (1 - 1 / (1 + exp (- (1/10)))) <= 7927219229/10^11) by bound_charge.
    assert (both 32 (608430710/10^9) (1614677/10^9) <= 591571996223/10^11) by bound_charge.
    assert (599499275/10^8 <= 6 + ln (1/100 / (exp ((32 - 1) * ln (1 - 1 / 32)) / 32)) / (32 - 1))
      by interval with (i_prec 80). lra.
  - split; [lia|]. unfold cks_budget, s; cbn [two_orders].
    assert (both 2 (1 / (1 + exp (- (1/10)))) (1 - 1 / (1 + exp (- (1/10)))) <= 995858440/10^11) by bound_charge.
    assert (both 2 (168334078/10^10) (18877554/10^12) <= 277116556709/10^11) by bound_charge.
    assert (278112417513/10^11 <= 6 + ln (1/100 / (exp ((2 - 1) * ln (1 - 1 / 2)) / 2)) / (2 - 1))
      by interval with (i_prec 80). lra.
  - interval with (i_prec 120).
Qed.
