(** The rule "at some order": admit while at some order of a finite set the divergences stay within that order's budget.

    With delta itself the rule breaks its promise at some orders, SomeOrderFails.v, and keeps it at others,
    SomeOrderKeeps.v. The rule is Lecuyer's, the repair this project's. Each path ends within the budget of one order at
    least; the sum pays for all of them. *)

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

(** ** A lower order *)

(** q = e^{theta v} is a mean of e^v and 1, and at most that of two tangents. *)
Lemma exp_mean theta v : 0 <= theta <= 1 -> exp (theta * v) <= theta * exp v + (1 - theta).
Proof.
  intros range. set (q := exp (theta * v)). assert (0 < q) by apply exp_pos.
  assert (exp v = q * exp ((1 - theta) * v)) as up by (unfold q; rewrite <- exp_plus; f_equal; ring).
  assert (1 = q * exp (- (theta * v))) as one by (unfold q; rewrite <- exp_plus, Rplus_opp_r; symmetry; apply exp_0).
  pose proof (exp_above_tangent ((1 - theta) * v)) as t1. pose proof (exp_above_tangent (- (theta * v))) as t2.
  apply (Rmult_le_compat_l q) in t1, t2; try lra. rewrite <- up in t1. rewrite <- one in t2.
  apply (Rmult_le_compat_l theta) in t1; [|lra]. apply (Rmult_le_compat_l (1 - theta)) in t2; [|lra]. lra.
Qed.

Lemma term_exp a x y : 0 < x -> 0 < y -> term a x y = x * exp ((a - 1) * (ln x - ln y)).
Proof.
  intros hx hy. unfold term, power, Rpower. destruct (Rle_dec x 0); [lra|].
  rewrite <- (exp_ln x hx) at 2. rewrite <- !exp_plus. f_equal. ring.
Qed.

Lemma term_mean a b c x y : 1 < b <= a -> 0 <= x -> 0 <= y -> (y = 0 -> x = 0) ->
  term b x y <= exp ((b - 1) * c) *
    ((b - 1) / (a - 1) * (exp (- ((a - 1) * c)) * term a x y) + (1 - (b - 1) / (a - 1)) * x).
Proof.
  intros (above & less) hx hy dom. destruct (Req_dec x 0) as [->|some]; [rewrite !term_zero; lra|].
  assert (0 < x) as hx' by lra.
  assert (0 < y) as hy' by (destruct hy as [|<-]; [easy|now destruct some; apply dom]).
  rewrite !term_exp by easy. set (v := (a - 1) * (ln x - ln y - c)).
  assert (0 <= (b - 1) / (a - 1) <= 1) as range.
  { split; [apply Rle_mult_inv_pos; lra|]. apply (Rmult_le_reg_r (a - 1)); [lra|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  pose proof (exp_mean _ v range) as mean.
  replace ((b - 1) / (a - 1) * v) with ((b - 1) * (ln x - ln y - c)) in mean by (unfold v; field; lra).
  apply (Rmult_le_compat_l (x * exp ((b - 1) * c))) in mean;
    [|apply Rmult_le_pos; [lra|left; apply exp_pos]].
  rewrite Rmult_assoc, <- exp_plus in mean.
  replace ((b - 1) * c + (b - 1) * (ln x - ln y - c)) with ((b - 1) * (ln x - ln y)) in mean by ring.
  eapply Rle_trans; [exact mean|right]. unfold v.
  replace ((a - 1) * (ln x - ln y - c)) with (- ((a - 1) * c) + (a - 1) * (ln x - ln y)) by ring.
  rewrite exp_plus. ring.
Qed.

(** Claim: A Rényi divergence does not grow when its order falls: D_b <= c where D_a <= c, 1 < b <= a.
    Source: Van Erven & Harremoës, Theorem 3 *)
Theorem order_falls {C} a b c (m : request C) : 1 < b <= a -> laws m -> renyi_at_most a c m -> renyi_at_most b c m.
Proof.
  intros order ((hp & one) & (hq & _)) [cont moment]. split; [easy|]. unfold round_moment in *.
  set (theta := (b - 1) / (a - 1)).
  assert (0 <= theta <= 1) as range.
  { unfold theta. split; [apply Rle_mult_inv_pos; lra|]. apply (Rmult_le_reg_r (a - 1)); [lra|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  eapply Rle_trans.
  - apply sum_le. intros i small. apply (term_mean a b c); [easy|now apply hp|now apply hq|now apply cont].
  - rewrite sum_scale, sum_plus, !sum_scale, one. fold theta.
    pose proof (exp_pos ((b - 1) * c)). apply (Rmult_le_compat_l (exp (- ((a - 1) * c)))) in moment;
      [|left; apply exp_pos].
    rewrite <- exp_plus, Rplus_opp_l, exp_0 in moment.
    rewrite <- (Rmult_1_r (exp ((b - 1) * c))) at 2. apply Rmult_le_compat_l; [lra|nra].
Qed.

(** ** Paid for at other orders *)

(** The largest of f 0, ..., f (n - 1) and 0. *)
Fixpoint most (n : nat) (f : nat -> R) : R :=
  match n with
  | O => 0
  | S m => Rmax (most m f) (f m)
  end.

Lemma most_nonneg n f : 0 <= most n f.
Proof. induction n as [|n IH]; cbn; [lra|]. eapply Rle_trans; [exact IH|apply Rmax_l]. Qed.

Lemma most_above n f j : (j < n)%nat -> f j <= most n f.
Proof.
  induction n as [|n IH]; intros small; [lia|cbn]. destruct (Nat.eq_dec j n) as [->|other]; [apply Rmax_r|].
  eapply Rle_trans; [apply IH; lia|apply Rmax_l].
Qed.

Lemma most_least n f b : 0 <= b -> (forall j, (j < n)%nat -> f j <= b) -> most n f <= b.
Proof.
  induction n as [|n IH]; intros positive below; cbn; [easy|].
  apply Rmax_lub; [apply IH; [easy|]; intros; apply below; lia|apply below; lia].
Qed.

Lemma most_some n f : most n f <> 0 -> exists j, (j < n)%nat /\ f j <> 0.
Proof.
  induction n as [|n IH]; cbn; intros some; [easy|]. destruct (Req_dec (f n) 0) as [zero|];
    [|now exists n; split; [lia|]].
  rewrite zero, Rmax_left in some by apply most_nonneg. destruct (IH some) as (j & ? & ?). exists j. split; [lia|easy].
Qed.

Section paid.

Variables (orders : nat) (a budget : nat -> R) (prices : nat) (b w : nat -> R) (epsilon : R).
Hypotheses (above : forall k, (k < prices)%nat -> 1 < b k) (positive : forall k, (k < prices)%nat -> 0 <= w k).
Hypothesis covered : forall j, (j < orders)%nat -> 0 <= budget j ->
  1 <= sum prices (fun k => if Rle_dec (b k) (a j) then w k * exp (- ((b k - 1) * budget j)) else 0).

(** What was spent at the order b_k by the word of order j, which is no lower: e^{-(b_k - 1) spent}. *)
Definition word (k : nat) (left : nat -> option R) (j : nat) : R :=
  if Rle_dec (b k) (a j) then
    match left j with Some r => exp ((b k - 1) * (r - budget j)) | None => 0 end
  else 0.

(** What is paid for at the order b_k, by the best word. *)
Definition paid (k : nat) (left : nat -> option R) (x y : R) : R :=
  w k * (s (b k) * exp (- ((b k - 1) * epsilon)) * term (b k) x y * most orders (word k left)).

Lemma factor_nonneg k x y : (k < prices)%nat -> 0 <= s (b k) * exp (- ((b k - 1) * epsilon)) * term (b k) x y.
Proof.
  intros small. pose proof (s_positive (b k) (above k small)). pose proof (exp_pos (- ((b k - 1) * epsilon))).
  pose proof (term_nonneg (b k) x y). apply Rmult_le_pos; [apply Rmult_le_pos; lra|easy].
Qed.

Lemma paid_nonneg k left x y : (k < prices)%nat -> 0 <= paid k left x y.
Proof.
  intros small. pose proof (factor_nonneg k x y small). pose proof (positive k small).
  pose proof (most_nonneg orders (word k left)). apply Rmult_le_pos; [lra|now apply Rmult_le_pos].
Qed.

(** A round makes the moment larger by no more than it makes every word smaller. *)
Lemma word_round k left (m : request spectrum) : (k < prices)%nat -> some_order_honest orders a m ->
  round_moment (b k) m * most orders (word k (fun j => minus (left j) (charge m j))) <= most orders (word k left).
Proof.
  intros small [lawsm okm].
  assert (moments : 0 <= round_moment (b k) m) by (apply sum_nonneg; intros; apply term_nonneg).
  destruct moments as [some|<-]; [|rewrite Rmult_0_l; apply most_nonneg].
  rewrite Rmult_comm. apply Rmult_le_reg_r with (/ round_moment (b k) m); [now apply Rinv_0_lt_compat|].
  rewrite Rmult_assoc, Rinv_r, Rmult_1_r by lra.
  apply most_least; [apply Rmult_le_pos; [apply most_nonneg|left; now apply Rinv_0_lt_compat]|].
  intros j less. apply Rmult_le_reg_r with (round_moment (b k) m); [easy|].
  rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  eapply Rle_trans; [|apply (most_above orders _ j less)]. unfold word.
  destruct (Rle_dec (b k) (a j)) as [order|]; [|lra].
  destruct (left j) as [r|]; [|cbn; lra]. specialize (okm j less). cbn [minus].
  destruct (charge m j) as [c|]; [|rewrite Rmult_0_l; left; apply exp_pos]. destruct okm as (_ & there & _).
  destruct (order_falls (a j) (b k) c m (conj (above k small) order) lawsm there) as [_ moment].
  replace ((b k - 1) * (r - budget j)) with ((b k - 1) * (r - c - budget j) + (b k - 1) * c) by ring.
  rewrite exp_plus. apply Rmult_le_compat_l; [left; apply exp_pos|exact moment].
Qed.

Lemma paid_round k left (m : request spectrum) x y : (k < prices)%nat -> some_order_honest orders a m ->
  0 <= x -> 0 <= y -> (y = 0 -> x = 0) ->
  sum (outcomes m) (fun i => paid k (fun j => minus (left j) (charge m j)) (x * P m i) (y * Q m i)) <= paid k left x y.
Proof.
  intros small okm hx hy dom. unfold paid. rewrite sum_scale. apply Rmult_le_compat_l; [now apply positive|].
  rewrite sum_scale_right, sum_scale. pose proof (word_round k left m small okm) as step.
  set (later := most orders (word k (fun j => minus (left j) (charge m j)))) in *.
  pose proof (most_nonneg orders (word k left)).
  destruct (Req_dec later 0) as [->|some]; [rewrite Rmult_0_r; apply Rmult_le_pos; [now apply factor_nonneg|easy]|].
  destruct okm as [((hp & _) & (hq & _)) okm].
  assert (cont : continuous m).
  { destruct (most_some _ _ some) as (j & less & here). specialize (okm j less). unfold word in here.
    destruct (Rle_dec (b k) (a j)); [|easy]. destruct (left j); [|easy]. cbn in here.
    destruct (charge m j); [|easy]. apply okm. }
  rewrite (sum_ext _ _ (fun i => term (b k) x y * term (b k) (P m i) (Q m i))).
  2:{ intros i less. apply term_mult; auto. }
  rewrite sum_scale. fold (round_moment (b k) m).
  pose proof (factor_nonneg k x y small) as factor. apply (Rmult_le_compat_l _ _ _ factor) in step.
  eapply Rle_trans; [right|exact step]. ring.
Qed.

Lemma paid_one_way t : honest (some_order_honest orders a) t -> (exists j, (j < orders)%nat /\ 0 <= budget j) ->
  hockey_stick (some_order orders budget) t epsilon
  <= sum prices (fun k => w k * (s (b k) * exp (- ((b k - 1) * epsilon)))).
Proof.
  intros hon (j0 & small0 & usable0). unfold hockey_stick, over. set (F := some_order orders budget).
  eapply Rle_trans.
  - apply (potential F (some_order_honest orders a) _
      (fun left x y => 0 <= x /\ 0 <= y /\ (y = 0 -> x = 0) /\
        (forall j r, (j < orders)%nat -> left j = Some r -> r <= budget j) /\
        exists j r, (j < orders)%nat /\ left j = Some r /\ 0 <= r)
      (fun left x y => sum prices (fun k => paid k left x y))) with (s := start F); [| |exact hon|].
    + intros left tau x y (hx & hy & dom & spent & j & r & small & lj & inside).
      assert (usable : 0 <= budget j) by (specialize (spent j r small lj); lra).
      pose proof (pos_nonneg (x - exp epsilon * y)) as payoff. pose proof (covered j small usable) as enough.
      apply (Rmult_le_compat_l _ _ _ payoff) in enough. rewrite Rmult_1_r, <- sum_scale in enough.
      eapply Rle_trans; [exact enough|]. apply sum_le. intros k less.
      destruct (Rle_dec (b k) (a j)) as [order|]; [|rewrite Rmult_0_r; now apply paid_nonneg].
      pose proof (conversion (b k) epsilon x y (above k less) hx hy dom) as convert.
      unfold paid. rewrite <- Rmult_assoc, (Rmult_comm _ (w k)), Rmult_assoc.
      apply Rmult_le_compat_l; [now apply positive|].
      apply Rmult_le_compat; [easy|left; apply exp_pos|exact convert|].
      eapply Rle_trans; [|apply (most_above orders _ j small)]. unfold word.
      destruct (Rle_dec (b k) (a j)); [|easy]. rewrite lj. specialize (above k less). apply exp_le. nra.
    + intros left m x y (hx & hy & dom & spent & _) okm admitted.
      cbn in admitted. apply existsb_exists in admitted as [j [small fit]].
      apply in_seq in small as [_ small]. cbn in small. split.
      * intros k less. pose proof okm as (((hp & _) & (hq & _)) & all). specialize (hp k less). specialize (hq k less).
        unfold fits in fit. destruct (left j) as [l|] eqn:lj; [|easy]. destruct (charge m j) as [c|] eqn:cj; [|easy].
        destruct (Rle_dec c l); [|easy]. pose proof (all j small) as okj. rewrite cj in okj.
        destruct okj as (_ & [cont _] & _). split; [nra|]. split; [nra|]. split; [|split].
        { intros [zero|zero]%Rmult_integral; [rewrite dom by easy|rewrite (cont k less zero)]; ring. }
        { intros j' r' small' left'. cbn in left'. specialize (all j' small').
          destruct (left j') as [l'|] eqn:lj'; [|easy]. destruct (charge m j') as [c'|]; [|easy].
          cbn in left'. injection left' as <-. specialize (spent j' l' small' lj'). lra. }
        { exists j, (l - c). split; [easy|]. split; [|lra]. cbn. now rewrite lj, cj. }
      * rewrite sum_exchange. apply sum_le. intros k less. now apply (paid_round k left m x y).
    + split; [lra|]. split; [lra|]. split; [lra|]. split; [intros j r _ [= <-]; lra|].
      exists j0, (budget j0). split; [easy|]. split; [easy|lra].
  - apply sum_le. intros k small. unfold paid. rewrite term_one, Rmult_1_r.
    pose proof (s_positive (b k) (above k small)). pose proof (exp_pos (- ((b k - 1) * epsilon))).
    apply Rmult_le_compat_l; [now apply positive|].
    rewrite <- (Rmult_1_r (s (b k) * _)) at 2. apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|].
    apply most_least; [lra|]. intros j less. unfold word. cbn. destruct (Rle_dec (b k) (a j)); [|lra].
    rewrite <- exp_0. apply exp_le. right. ring.
Qed.

End paid.

Lemma some_order_honest_swap orders a m : some_order_honest orders a m -> some_order_honest orders a (swap m).
Proof.
  intros [[lp lq] all]. split; [easy|]. intros j small. specialize (all j small). cbn.
  destruct (charge m j); [|easy]. destruct all as (hc & there & back). split; [easy|]. now split.
Qed.

(** Claim: A filter that admits while at some order a_j of a finite set the divergences fit that order's budget B_j,
    one of which is not below 0, keeps epsilon with the sum of w_k s(b_k) e^(-(b_k - 1) epsilon) as its delta, s(b) =
    (1 - 1/b)^(b - 1) / b, for weights w_k >= 0 at any orders b_k > 1 of which for each B_j >= 0 the w_k e^(-(b_k -
    1) B_j) with b_k <= a_j sum to at least 1. *)
Theorem some_order_paid orders a budget prices b w epsilon :
  (exists j, (j < orders)%nat /\ 0 <= budget j) ->
  (forall k, (k < prices)%nat -> 1 < b k) -> (forall k, (k < prices)%nat -> 0 <= w k) ->
  (forall j, (j < orders)%nat -> 0 <= budget j ->
    1 <= sum prices (fun k => if Rle_dec (b k) (a j) then w k * exp (- ((b k - 1) * budget j)) else 0)) ->
  promises_delta (some_order orders budget) (some_order_honest orders a) epsilon
    (sum prices (fun k => w k * (s (b k) * exp (- ((b k - 1) * epsilon))))).
Proof.
  intros begin above positive covered. apply both_ways; [apply some_order_honest_swap|].
  intros t hon. now apply (paid_one_way orders a budget prices b w epsilon above positive covered).
Qed.

(** ** What the rule keeps *)

(** Claim: A filter that admits while at some order a_j > 1 of a finite set the divergences fit that order's budget
    B_j, one of which is not below 0, keeps epsilon with the sum of s(a_j) e^((a_j - 1)(B_j - epsilon)) as its delta,
    s(a) = (1 - 1/a)^(a - 1) / a. *)
Theorem some_order_bound orders a budget epsilon :
  (forall j, (j < orders)%nat -> 1 < a j) -> (exists j, (j < orders)%nat /\ 0 <= budget j) ->
  promises_delta (some_order orders budget) (some_order_honest orders a) epsilon
    (sum orders (fun j => s (a j) * exp ((a j - 1) * (budget j - epsilon)))).
Proof.
  intros above begin.
  rewrite (sum_ext _ _ (fun j => exp ((a j - 1) * budget j) * (s (a j) * exp (- ((a j - 1) * epsilon))))).
  2:{ intros j _. rewrite (Rmult_comm (exp ((a j - 1) * budget j))), Rmult_assoc, <- exp_plus. f_equal. f_equal. ring. }
  apply some_order_paid; [easy|easy|intros; left; apply exp_pos|]. intros j small _.
  eapply Rle_trans; [right|refine (sum_one_term orders _ j small _)].
  - cbv beta. destruct (Rle_dec (a j) (a j)) as [_|]; [|lra]. rewrite <- exp_plus, Rplus_opp_r. symmetry. apply exp_0.
  - intros k _. cbv beta. destruct (Rle_dec (a k) (a j)); [|lra]. apply Rmult_le_pos; left; apply exp_pos.
Qed.

(** The budgets that Markov's inequality allows each order by itself. *)
Definition markov_budget (epsilon delta : R) (a : nat -> R) (j : nat) : R := epsilon - ln (1 / delta) / (a j - 1).

(** Claim: A filter that admits while at some order a_j > 1 of a finite set the divergences fit that order's budget
    epsilon - log(1/delta)/(a_j - 1), one of which is not below 0, delta > 0, keeps epsilon with delta times the sum
    of s(a_j) as its delta, s(a) = (1 - 1/a)^(a - 1) / a. *)
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

(** Claim: A filter that admits while at some order a_j > 1 of a finite set the divergences fit that order's budget
    epsilon + log(delta/s(a_j))/(a_j - 1), s(a) = (1 - 1/a)^(a - 1) / a, one of which is not below 0, delta > 0,
    keeps (epsilon, m delta)-DP with m orders. *)
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
