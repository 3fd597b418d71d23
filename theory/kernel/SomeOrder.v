(** The rule "at some order": admit while at some order of a finite set the divergences stay within that order's budget.

    - [some_order_bound]: with any budgets B_j at orders a_j > 1 the transcript's hockey-stick divergence at epsilon is
      at most the sum of s(a_j) e^{(a_j - 1) (B_j - epsilon)}, s(a) = (1 - 1/a)^{a - 1} / a.
    - [some_order_markov]: with the budgets B_j = epsilon - log(1/delta) / (a_j - 1) that Markov's inequality allows
      each order, the rule keeps (epsilon, delta (s(a_1) + ... + s(a_m))).
    - [some_order_cks]: with the budgets that the conversion of Canonne, Kamath and Steinke allows each order, m orders
      keep (epsilon, m delta).

    With delta itself the rule breaks its promise: SomeOrderFails.v. The rule is Lecuyer's, the repair this project's.
    Each path ends within the budget of one order at least; the sum pays for all of them. *)

From Coq Require Import Reals Lra Lia List.
From Filterproof Require Import Sums Interaction Divergences.
Import ListNotations.
Open Scope R_scope.

(** ** The filter *)

(** One charge for each order; [None] is an infinite one. *)
Definition spectrum := nat -> option R.

Definition fits (left c : option R) : bool :=
  match left, c with
  | Some r, Some c => if Rle_dec c r then true else false
  | _, _ => false
  end.

Definition minus (left c : option R) : option R :=
  match left, c with
  | Some r, Some c => Some (r - c)
  | _, _ => None
  end.

(** The state is what is left at each of the orders 0, ..., orders - 1: below zero once the order has been passed. *)
Definition some_order (orders : nat) (budget : nat -> R) : filter spectrum :=
  Filter (nat -> option R) (fun j => Some (budget j))
    (fun left c => existsb (fun j => fits (left j) (c j)) (seq 0 orders))
    (fun left c _ j => minus (left j) (c j)).

(** Each charge is at least 0 and at least the Rényi divergence of its order, in both directions. *)
Definition some_order_honest (orders : nat) (a : nat -> R) (m : request spectrum) : Prop :=
  laws m /\ forall j, (j < orders)%nat ->
    match charge m j with
    | Some c => 0 <= c /\ renyi_at_most (a j) c m /\ renyi_at_most (a j) c (swap m)
    | None => True
    end.

(** ** The conversion at one order *)

(** The best constant in (1 - e^{-x})_+ <= s e^{(a - 1) x}. *)
Definition s (a : R) : R := exp ((a - 1) * ln (1 - 1 / a)) / a.

Lemma s_positive a : 1 < a -> 0 < s a.
Proof. intros. apply Rdiv_lt_0_compat; [apply exp_pos|lra]. Qed.

Lemma exp_above_tangent x : 1 + x <= exp x.
Proof. destruct (Req_dec x 0) as [->|some]; [rewrite exp_0; lra|left; now apply exp_ineq1]. Qed.

Lemma best_constant a u : 1 < a -> exp u - 1 <= s a * exp (a * u).
Proof.
  intros above.
  assert (share : 0 < 1 - 1 / a) by (apply Rlt_Rminus; apply Rmult_lt_reg_r with a; [lra|field_simplify; lra]).
  set (q := u + ln (1 - 1 / a)).
  assert (mean : a * exp q <= exp (a * q) + (a - 1)).
  { replace (a * q) with (q + (a - 1) * q) by ring. rewrite exp_plus.
    pose proof (exp_above_tangent ((a - 1) * q)). pose proof (exp_above_tangent (- q)). pose proof (exp_pos q).
    assert (inverse : exp q * exp (- q) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
    assert (exp q * (1 + (a - 1) * q) <= exp q * exp ((a - 1) * q)) by (apply Rmult_le_compat_l; lra).
    assert (exp q * (1 - q) <= 1) by (rewrite <- inverse; apply Rmult_le_compat_l; lra). nra. }
  assert (eq : exp q = exp u * (1 - 1 / a)) by (unfold q; rewrite exp_plus, exp_ln; easy).
  assert (eaq : exp (a * q) = (a - 1) * (s a * exp (a * u))).
  { unfold s, q. replace (a * (u + ln (1 - 1 / a))) with (a * u + (a - 1) * ln (1 - 1 / a) + ln (1 - 1 / a)) by ring.
    rewrite !exp_plus, exp_ln by easy. field. lra. }
  rewrite eq, eaq in mean. replace (a * (exp u * (1 - 1 / a))) with ((a - 1) * exp u) in mean by (field; lra).
  apply Rmult_le_reg_l with (a - 1); lra.
Qed.

Lemma conversion a epsilon x y : 1 < a -> 0 <= x -> 0 <= y -> (y = 0 -> x = 0) ->
  pos (x - exp epsilon * y) <= s a * exp (- ((a - 1) * epsilon)) * term a x y.
Proof.
  intros above hx hy dom. pose proof (s_positive a above). pose proof (exp_pos (- ((a - 1) * epsilon))).
  pose proof (exp_pos epsilon). pose proof (term_nonneg a x y).
  apply pos_least; [apply Rmult_le_pos; [apply Rmult_le_pos; lra|easy]|].
  destruct (Req_dec x 0) as [->|some]; [rewrite term_zero; nra|].
  assert (y <> 0) by tauto.
  assert (ex : exp (ln x) = x) by (apply exp_ln; lra). assert (ey : exp (ln y) = y) by (apply exp_ln; lra).
  set (u := ln x - ln y - epsilon).
  pose proof (best_constant a u above) as best.
  assert (scale : 0 < exp (epsilon + ln y)) by apply exp_pos.
  replace (x - exp epsilon * y) with (exp (epsilon + ln y) * (exp u - 1)).
  2:{ rewrite Rmult_minus_distr_l, <- exp_plus, Rmult_1_r. unfold u.
      replace (epsilon + ln y + (ln x - ln y - epsilon)) with (ln x) by ring. now rewrite exp_plus, ex, ey. }
  replace (s a * exp (- ((a - 1) * epsilon)) * term a x y) with (exp (epsilon + ln y) * (s a * exp (a * u))).
  - apply Rmult_le_compat_l; lra.
  - unfold term, power, Rpower. destruct (Rle_dec x 0); [lra|].
    replace (exp (epsilon + ln y) * (s a * exp (a * u))) with (s a * (exp (epsilon + ln y) * exp (a * u))) by ring.
    rewrite Rmult_assoc. f_equal. rewrite <- !exp_plus. f_equal. unfold u. ring.
Qed.

(** ** One potential for all orders *)

Lemma sum_exchange n m f : sum n (fun i => sum m (fun j => f i j)) = sum m (fun j => sum n (fun i => f i j)).
Proof. induction n as [|n IH]; cbn; [now rewrite sum_zero|now rewrite IH, sum_plus]. Qed.

Lemma moment_step a c left (m : request spectrum) x y : laws m -> renyi_at_most a c m ->
  0 <= x -> 0 <= y -> (y = 0 -> x = 0) ->
  sum (outcomes m) (fun i => term a (x * P m i) (y * Q m i) * exp ((a - 1) * (left - c)))
  <= term a x y * exp ((a - 1) * left).
Proof.
  intros ((hp & _) & (hq & _)) [cont moment] hx hy dom. rewrite sum_scale_right.
  rewrite (sum_ext _ _ (fun i => term a x y * term a (P m i) (Q m i))).
  2:{ intros i small. apply term_mult; auto. }
  rewrite sum_scale, Rmult_assoc. apply Rmult_le_compat_l; [apply term_nonneg|].
  replace (exp ((a - 1) * left)) with (exp ((a - 1) * c) * exp ((a - 1) * (left - c)))
    by (rewrite <- exp_plus; f_equal; ring).
  apply Rmult_le_compat_r; [left; apply exp_pos|exact moment].
Qed.

Section one_direction.

Variables (orders : nat) (a : nat -> R) (epsilon : R).
Hypothesis above : forall j, (j < orders)%nat -> 1 < a j.

(** What order j may still contribute: nothing once it has been passed. *)
Definition share (j : nat) (left : option R) (x y : R) : R :=
  match left with
  | Some r => if Rle_dec 0 r
      then s (a j) * exp (- ((a j - 1) * epsilon)) * (term (a j) x y * exp ((a j - 1) * r)) else 0
  | None => 0
  end.

Definition within (left : option R) : Prop := match left with Some r => 0 <= r | None => False end.

Lemma share_nonneg j left x y : (j < orders)%nat -> 0 <= share j left x y.
Proof.
  intros small. unfold share. destruct left as [r|]; [|lra]. destruct (Rle_dec 0 r); [|lra].
  pose proof (s_positive (a j) (above j small)).
  pose proof (exp_pos (- ((a j - 1) * epsilon))). pose proof (exp_pos ((a j - 1) * r)).
  pose proof (term_nonneg (a j) x y).
  apply Rmult_le_pos; apply Rmult_le_pos; lra.
Qed.

Lemma some_order_induction budget t : honest (some_order_honest orders a) t ->
  (exists j, (j < orders)%nat /\ 0 <= budget j) ->
  hockey_stick (some_order orders budget) t epsilon <= sum orders (fun j => share j (Some (budget j)) 1 1).
Proof.
  intros hon begin. unfold hockey_stick, over. set (F := some_order orders budget).
  apply (potential F (some_order_honest orders a) _
    (fun left x y => 0 <= x /\ 0 <= y /\ (y = 0 -> x = 0) /\ exists j, (j < orders)%nat /\ within (left j))
    (fun left x y => sum orders (fun j => share j (left j) x y))) with (s := start F).
  - intros left tau x y (hx & hy & dom & j & small & inside).
    apply Rle_trans with (share j (left j) x y); [|now apply (sum_one_term orders (fun j => share j (left j) x y));
      [|intros; apply share_nonneg]].
    unfold share. destruct (left j) as [l|]; [|easy]. cbn in inside. destruct (Rle_dec 0 l); [|lra].
    eapply Rle_trans; [now apply (conversion (a j)); [apply above| | |]|].
    pose proof (above j small). pose proof (s_positive (a j) ltac:(easy)).
    apply Rmult_le_compat_l; [apply Rmult_le_pos; [lra|left; apply exp_pos]|].
    pose proof (term_nonneg (a j) x y). assert (1 <= exp ((a j - 1) * l)) by (apply one_le_exp; nra). nra.
  - intros left m x y (hx & hy & dom & _) [lawsm okm] admitted.
    cbn in admitted. apply existsb_exists in admitted as [j [small fit]].
    apply in_seq in small as [_ small]. cbn in small.
    split.
    + intros i less. destruct lawsm as ((hp & _) & (hq & _)). specialize (hp i less). specialize (hq i less).
      split; [nra|]. split; [nra|]. specialize (okm j small). cbn.
      unfold fits in fit. destruct (left j) as [l|] eqn:lj; [|easy]. destruct (charge m j) as [c|] eqn:cj; [|easy].
      destruct (Rle_dec c l); [|easy]. destruct okm as (_ & [cont _] & _). split.
      * intros [zero|zero]%Rmult_integral; [rewrite dom by easy|rewrite (cont i less zero)]; ring.
      * exists j. split; [easy|]. rewrite lj, cj. cbn. lra.
    + rewrite sum_exchange. apply sum_le. clear j small fit. intros j small. cbn. specialize (okm j small).
      destruct (left j) as [l|]; [|cbn; rewrite sum_zero; lra].
      destruct (charge m j) as [c|]; [|cbn [minus share]; rewrite sum_zero; now apply (share_nonneg j (Some l))].
      cbn [minus]. destruct okm as (hc & there & _). unfold share.
      pose proof (above j small). pose proof (s_positive (a j) ltac:(easy)).
      destruct (Rle_dec 0 (l - c)) as [stay|gone].
      * destruct (Rle_dec 0 l); [|lra]. rewrite sum_scale.
        apply Rmult_le_compat_l; [apply Rmult_le_pos; [lra|left; apply exp_pos]|]. now apply moment_step.
      * rewrite sum_zero. now apply (share_nonneg j (Some l)).
  - exact hon.
  - repeat split; try lra. exact begin.
Qed.

End one_direction.

(** ** What the rule keeps *)

Theorem some_order_bound orders a budget epsilon :
  (forall j, (j < orders)%nat -> 1 < a j) -> (exists j, (j < orders)%nat /\ 0 <= budget j) ->
  promises_delta (some_order orders budget) (some_order_honest orders a) epsilon
    (sum orders (fun j => s (a j) * exp ((a j - 1) * (budget j - epsilon)))).
Proof.
  intros above begin. apply both_ways.
  - intros m [[lp lq] all]. split; [easy|]. intros j small. specialize (all j small). cbn.
    destruct (charge m j); [|easy]. destruct all as (hc & there & back). split; [easy|]. now split.
  - intros t hon. eapply Rle_trans; [now apply (some_order_induction orders a epsilon)|].
    apply sum_le. intros j small. unfold share. pose proof (s_positive (a j) (above j small)).
    pose proof (exp_pos ((a j - 1) * (budget j - epsilon))). destruct (Rle_dec 0 (budget j)); [|nra].
    rewrite term_one, Rmult_1_l, Rmult_assoc, <- exp_plus. right. f_equal. f_equal. ring.
Qed.

(** The budgets that Markov's inequality allows each order by itself. *)
Definition markov_budget (epsilon delta : R) (a : nat -> R) (j : nat) : R := epsilon - ln (1 / delta) / (a j - 1).

(** Repaired: the rule keeps delta times the sum of the constants. *)
Theorem some_order_markov orders a epsilon delta : 0 < delta ->
  (forall j, (j < orders)%nat -> 1 < a j) -> (exists j, (j < orders)%nat /\ 0 <= markov_budget epsilon delta a j) ->
  promises_delta (some_order orders (markov_budget epsilon delta a)) (some_order_honest orders a) epsilon
    (delta * sum orders (fun j => s (a j))).
Proof.
  intros positive above begin.
  replace (delta * _)
    with (sum orders (fun j => s (a j) * exp ((a j - 1) * (markov_budget epsilon delta a j - epsilon)))).
  - now apply some_order_bound.
  - rewrite <- sum_scale. apply sum_ext. intros j small. specialize (above j small).
    replace ((a j - 1) * (markov_budget epsilon delta a j - epsilon)) with (ln delta); [rewrite exp_ln by easy; ring|].
    unfold markov_budget, Rdiv. rewrite Rmult_1_l, ln_Rinv by easy. field. lra.
Qed.

(** The budgets that the conversion of Canonne, Kamath and Steinke allows each order by itself. *)
Definition cks_budget (epsilon delta : R) (a : nat -> R) (j : nat) : R := epsilon + ln (delta / s (a j)) / (a j - 1).

(** Repaired: m orders keep m delta. *)
Theorem some_order_cks orders a epsilon delta : 0 < delta ->
  (forall j, (j < orders)%nat -> 1 < a j) -> (exists j, (j < orders)%nat /\ 0 <= cks_budget epsilon delta a j) ->
  promises_delta (some_order orders (cks_budget epsilon delta a)) (some_order_honest orders a) epsilon
    (INR orders * delta).
Proof.
  intros positive above begin.
  replace (INR orders * delta)
    with (sum orders (fun j => s (a j) * exp ((a j - 1) * (cks_budget epsilon delta a j - epsilon)))).
  - now apply some_order_bound.
  - rewrite (sum_ext _ _ (fun _ => delta)).
    + clear. induction orders as [|n IH]; [cbn; ring|]. rewrite S_INR. cbn [sum]. rewrite IH. ring.
    + intros j small. specialize (above j small). pose proof (s_positive (a j) above).
      replace ((a j - 1) * (cks_budget epsilon delta a j - epsilon)) with (ln (delta / s (a j)))
        by (unfold cks_budget; field; lra).
      rewrite exp_ln by (apply Rdiv_lt_0_compat; lra). field. lra.
Qed.
