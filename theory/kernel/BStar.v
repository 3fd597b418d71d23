(** B* of paper 000, Theorem 4.9, as it is defined there: the largest B such that B-zCDP is (epsilon, delta)-DP.

    - [slopes_conversion]: D_alpha <= R bounds the hockey-stick divergence by two slopes c and c' (c' -> 0 gives the
      conversion of Canonne, Kamath and Steinke); at the best slopes it is the optimal conversion of one order;
    - [slopes_filter]: from below: a filter with a budget B that some order and slopes allow keeps (epsilon, delta)-DP;
    - [two_outcomes_break]: from above: two outcomes that are rho-zCDP and pass delta at epsilon break every budget
      B >= rho;
    - [b_star_above]: at (1, 1e-5) the budget .030556950787 is kept; CKS allows less than .030556595198. *)

From Coq Require Import Reals Lra Lia List.
From Interval Require Import Tactic.
From Filterproof Require Import Sums Interaction Divergences Paths AdditiveFilter Ledger ZCDPFilter Conversions
  PureToZCDP ApproximateDPFilter.
Import ListNotations.
Open Scope R_scope.

(** The plane that touches x^a y^{1-a} along x = c y is rises a c x - falls a c y. *)
Definition rises (a c : R) : R := a * Rpower c (a - 1).
Definition falls (a c : R) : R := (a - 1) * Rpower c a.

Lemma plane_below a c x y : 1 < a -> 0 < c -> masses x y -> rises a c * x - falls a c * y <= term a x y.
Proof.
  intros ha hc (hx & hy & dom). unfold rises, falls.
  assert (0 < Rpower c a) as hp by apply exp_pos.
  destruct (Req_dec x 0) as [->|some].
  { rewrite term_zero. assert (0 <= (a - 1) * Rpower c a * y) by (apply Rmult_le_pos; nra). lra. }
  assert (0 < y) as hy' by (destruct hy as [|<-]; [easy|now destruct some; apply dom]).
  assert (0 < c * y) as hcy by nra.
  pose proof (bernoulli (x / (c * y)) a ltac:(apply Rdiv_lt_0_compat; lra) ltac:(lra)) as bern.
  apply (Rmult_le_compat_l (Rpower c a * y)) in bern; [|nra].
  assert (Rpower c a = c * Rpower c (a - 1)) as split.
  { rewrite <- (Rpower_1 c hc) at 2. rewrite <- Rpower_plus. f_equal. ring. }
  replace (Rpower c a * y * (1 + a * (x / (c * y) - 1)))
    with (a * Rpower c (a - 1) * x - (a - 1) * Rpower c a * y) in bern by (rewrite split; field; lra).
  eapply Rle_trans; [exact bern|right]. unfold term, power. destruct (Rle_dec x 0); [lra|].
  unfold Rdiv. rewrite <- Rpower_mult_distr by (try apply Rinv_0_lt_compat; lra).
  unfold Rpower. rewrite ln_Rinv by easy. rewrite ln_mult by lra.
  rewrite <- (exp_ln y hy') at 1. rewrite <- !exp_plus. f_equal. ring.
Qed.

(** Slopes that touch one line at epsilon. *)
Definition slopes_meet (a c c' epsilon : R) : Prop :=
  0 < c /\ 0 < c' /\ 0 < rises a c - rises a c' /\
  falls a c - falls a c' <= (rises a c - rises a c') * exp epsilon.

Lemma stick_below_planes a c c' epsilon x y : 1 < a -> slopes_meet a c c' epsilon -> masses x y ->
  (rises a c - rises a c') * pos (x - exp epsilon * y)
  <= term a x y + (- rises a c' * x + falls a c' * y).
Proof.
  intros ha (hc & hc' & up & meet) here. pose proof (plane_below a c x y ha hc here) as one.
  pose proof (plane_below a c' x y ha hc' here) as other. destruct here as (_ & hy & _).
  apply (Rmult_le_compat_r y) in meet; [|easy].
  unfold pos, Rmax. destruct (Rle_dec 0 (x - exp epsilon * y)); nra.
Qed.

(** Claim: For alpha > 1 and slopes c, c' > 0 with u > u' and v - v' <= (u - u') e^epsilon, where u = alpha c^(alpha -
    1), v = (alpha - 1) c^alpha, and u' and v' are those of c', a transcript with D_alpha <= R has in the same direction
    a hockey-stick divergence at epsilon of at most (e^((alpha - 1) R) - u' + v') / (u - u').
    Source: Balle and others; Asoodeh and others; derived here
    Beyond: That it is the optimal conversion of one order at the best slopes, and that of CKS as c' falls to 0. *)
Theorem slopes_conversion {C} (F : filter C) t a c c' epsilon R : 1 < a -> slopes_meet a c c' epsilon ->
  honest dominated t -> transcript_renyi_at_most F t a R ->
  (rises a c - rises a c') * hockey_stick F t epsilon <= exp ((a - 1) * R) - rises a c' + falls a c'.
Proof.
  intros ha meet hon bound. unfold transcript_renyi_at_most, moment in bound.
  assert (honest laws t) as lawful by (revert hon; apply honest_weaken; now intros m []).
  assert (over F t (fun _ x _ => x) = 1) as mass by now apply total_mass_P.
  assert (over F t (fun _ _ y => y) = 1) as weight by now apply total_mass_Q.
  unfold hockey_stick. rewrite <- over_scale. eapply Rle_trans.
  - apply (over_le_on_paths F _ (fun _ x y => term a x y + (- rises a c' * x + falls a c' * y))).
    intros tau x y here. apply stick_below_planes; [easy|easy|]. now apply (dominated_on_paths F t hon tau).
  - rewrite !over_plus, !over_scale, mass, weight. lra.
Qed.

(** B is within budget for (epsilon, delta) by some order and slopes. *)
Definition slopes_fit (B epsilon delta : R) : Prop :=
  exists a c c', 1 < a /\ slopes_meet a c c' epsilon /\
  exp ((a - 1) * (a * B)) - rises a c' + falls a c' <= (rises a c - rises a c') * delta.

(** Claim: A filter that admits while charges rho_t of rho_t-zCDP mechanisms sum to at most B > 0 keeps (epsilon,
    delta)-DP where e^((alpha - 1) alpha B) - u' + v' <= (u - u') delta for some alpha > 1 and slopes c, c' > 0 with
    u > u' and v - v' <= (u - u') e^epsilon, where u = alpha c^(alpha - 1), v = (alpha - 1) c^alpha, and u' and v'
    are those of c'. *)
Theorem slopes_filter B epsilon delta : 0 < B -> slopes_fit B epsilon delta ->
  promises_delta (additive B) zcdp_honest epsilon delta.
Proof.
  intros hB (a & c & c' & ha & meet & fit). apply both_ways; [intros; now apply zcdp_priced_swap|].
  intros t hon. pose proof (zcdp_filter B t ltac:(lra) hon a ha) as every.
  pose proof (slopes_conversion (additive B) t a c c' epsilon (a * B) ha meet
    ltac:(revert hon; apply honest_weaken, zcdp_dominated) (proj2 (proj1 every))) as bound.
  destruct meet as (_ & _ & up & _). apply (Rmult_le_reg_l (rises a c - rises a c')); lra.
Qed.

(** Two outcomes, charged rho. *)
Definition coins (x y rho : R) : request R :=
  Ask 2 (fun i => match i with O => x | _ => 1 - x end) (fun i => match i with O => y | _ => 1 - y end) rho.

(** Claim: Where a mechanism of two outcomes is rho-zCDP, and its first outcome has a probability x under one law and
    y under the other with x > e^epsilon y + delta, a filter that admits while charges rho_t of rho_t-zCDP mechanisms
    sum to at most B breaks (epsilon, delta)-DP, for every B >= rho. *)
Theorem two_outcomes_break x y rho B epsilon delta : zcdp_honest (coins x y rho) -> rho <= B ->
  exp epsilon * y + delta < x -> ~ promises_delta (additive B) zcdp_honest epsilon delta.
Proof.
  intros true within past promise.
  destruct (promise (Request (coins x y rho) (fun _ => Stop) Stop) ltac:(cbn; split; [exact true|split; easy]))
    as [one _].
  specialize (one (fun tau => match tau with [Released O] => Datatypes.true | _ => false end)).
  unfold Pr_P, Pr_Q, over in one. cbn in one. destruct (Rle_dec rho B); [cbn in one; lra|lra].
Qed.

(** At epsilon = 1 and delta = 1/100000, with an order and slopes in decimals. *)
(** Claim: A filter that admits while charges rho_t of rho_t-zCDP mechanisms sum to at most 0.030556950787 keeps (1,
    1/100000)-DP. *)
Example b_star_above : promises_delta (additive (30556950787 / 10 ^ 12)) zcdp_honest 1 (1 / 100000).
Proof.
  apply slopes_filter; [lra|].
  exists (1780676977656618301576 / 10 ^ 20), (288001910843499727692 / 10 ^ 20), (99988375374218161922 / 10 ^ 20).
  unfold slopes_meet, rises, falls, Rpower. repeat split; try lra; interval with (i_prec 160).
Qed.
