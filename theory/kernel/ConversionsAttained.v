(** Conversions that cannot be improved: to each a mechanism with finitely many outcomes at which it is exact. Those of
    one order at every epsilon > 0: OneOrder.v. *)

From Coq Require Import Reals Lra Lia List.
From Filterproof Require Import Sums Interaction Divergences Paths AdditiveFilter Ledger ZCDPFilter Conversions
  PureToZCDP BasicFilter BStar.
Import ListNotations.
Open Scope R_scope.

(** One release, if the filter grants it. *)
Definition once {C} (m : request C) : strategy C := Request m (fun _ => Stop) Stop.

Lemma stick_of_coins B x y c epsilon : c <= B ->
  hockey_stick (additive B) (once (coins x y c)) epsilon =
  pos (x - exp epsilon * y) + pos (1 - x - exp epsilon * (1 - y)).
Proof.
  intros within. unfold hockey_stick, over. cbn -[pos]. destruct (Rle_dec c B) as [_|]; [|lra]. cbn -[pos].
  now rewrite !Rmult_1_l, Rplus_0_l.
Qed.

Lemma coins_are_laws x y c : 0 < x <= 1 -> 0 < y < 1 -> laws (coins x y c) /\ continuous (coins x y c).
Proof.
  intros hx hy. split; [split; (split; [intros [|[|i]] small; cbn; lra || lia|cbn; lra])|].
  intros [|[|i]] small zero; cbn in *; lra || lia.
Qed.

Lemma coins_moment a x y c : round_moment a (coins x y c) = term a x y + term a (1 - x) (1 - y).
Proof. unfold round_moment. cbn. ring. Qed.

(** Where the ratio is the slope the plane touches. *)
Lemma plane_touches a c y : 0 < c -> 0 < y -> term a (c * y) y = rises a c * (c * y) - falls a c * y.
Proof.
  intros hc hy. unfold term, power, rises, falls. assert (0 < c * y) by (apply Rmult_lt_0_compat; lra).
  destruct (Rle_dec (c * y) 0); [lra|].
  assert (Rpower c a = c * Rpower c (a - 1)) as split_up.
  { rewrite <- (Rpower_1 c hc) at 2. rewrite <- Rpower_plus. f_equal. ring. }
  replace (a * Rpower c (a - 1) * (c * y) - (a - 1) * Rpower c a * y) with (Rpower c a * y) by (rewrite split_up; ring).
  rewrite <- Rpower_mult_distr by easy. rewrite Rmult_assoc. f_equal. rewrite <- Rpower_plus.
  replace (a + (1 - a)) with 1 by ring. now apply Rpower_1.
Qed.

Lemma rises_more a c c' : 1 < a -> 0 < c' < c -> rises a c' < rises a c.
Proof.
  intros ha [low more]. unfold rises. apply Rmult_lt_compat_l; [lra|]. apply exp_increasing.
  apply Rmult_lt_compat_l; [lra|]. now apply ln_increasing.
Qed.

(** ** Canonne, Kamath and Steinke *)

(** The loss at which their line touches (1 - e^{epsilon - l})_+. *)
Definition touching (a epsilon : R) : R := epsilon + ln (a / (a - 1)).

Lemma touching_stick a epsilon x : 1 < a -> x - exp epsilon * (x * exp (- touching a epsilon)) = x / a.
Proof.
  intros ha. unfold touching. assert (0 < a / (a - 1)) by (apply Rdiv_lt_0_compat; lra).
  replace (exp epsilon * (x * exp (- (epsilon + ln (a / (a - 1))))))
    with (x * (exp epsilon * exp (- (epsilon + ln (a / (a - 1)))))) by ring.
  rewrite <- exp_plus. replace (epsilon + - (epsilon + ln (a / (a - 1)))) with (- ln (a / (a - 1))) by ring.
  rewrite exp_Ropp, exp_ln by easy. field. lra.
Qed.

(** There the line is x / alpha. *)
Lemma touching_line a epsilon x : 1 < a -> 0 < x ->
  cks_factor a * exp (- ((a - 1) * epsilon)) * term a x (x * exp (- touching a epsilon)) = x / a.
Proof.
  intros ha hx. pose proof (exp_pos (- touching a epsilon)). destruct (one_less_inverse a ha) as [low _].
  assert (term a x (x * exp (- touching a epsilon)) = x * exp ((a - 1) * touching a epsilon)) as ->.
  { unfold term, power, Rpower. destruct (Rle_dec x 0); [lra|]. rewrite ln_mult, ln_exp by easy.
    rewrite <- (exp_ln x hx) at 3. rewrite <- !exp_plus. f_equal. ring. }
  unfold touching. replace (a / (a - 1)) with (/ (1 - / a)) by (field; lra). rewrite ln_Rinv by easy.
  replace ((a - 1) * (epsilon + - ln (1 - / a))) with ((a - 1) * epsilon + (- (a * ln (1 - / a)) + ln (1 - / a))) by
    ring.
  rewrite !exp_plus, exp_ln, !exp_Ropp by easy. unfold cks_factor. fold (Rpower (1 - / a) a).
  pose proof (exp_pos ((a - 1) * epsilon)). pose proof (exp_pos (a * ln (1 - / a))) as hp.
  fold (Rpower (1 - / a) a) in hp. field. repeat split; lra.
Qed.

(** Claim: For alpha > 1 and epsilon > -log(alpha/(alpha - 1)) two outcomes, the second without mass under the first law,
    released once, reach the bound of CKS at R = epsilon + log(alpha/(alpha - 1)), their own D_alpha.
    Source: Canonne, Kamath & Steinke; derived here *)
Theorem cks_attained a epsilon : 1 < a -> 0 < touching a epsilon ->
  exists m : request R, laws m /\ continuous m /\ outcomes m = 2%nat /\ P m 1%nat = 0 /\ charge m = touching a epsilon /\
    round_moment a m = exp ((a - 1) * charge m) /\
    forall B, charge m <= B -> hockey_stick (additive B) (once m) epsilon = cks_bound a (charge m) epsilon.
Proof.
  intros ha hl. set (l := touching a epsilon) in *. exists (coins 1 (exp (- l)) l). cbn [charge coins].
  assert (exp (- l) < 1) as less by (rewrite <- exp_0; apply exp_increasing; lra). pose proof (exp_pos (- l)).
  destruct (coins_are_laws 1 (exp (- l)) l ltac:(lra) ltac:(lra)) as [lawful cont].
  assert (term a 1 (exp (- l)) = exp ((a - 1) * l)) as moment.
  { unfold term, power, Rpower. destruct (Rle_dec 1 0); [lra|]. rewrite ln_1, Rmult_0_r, exp_0, Rmult_1_l, ln_exp.
    f_equal. ring. }
  split; [easy|]. split; [easy|]. split; [easy|]. split; [cbn; lra|]. split; [easy|]. split.
  - rewrite coins_moment. replace (1 - 1) with 0 by ring. rewrite term_zero, moment. ring.
  - intros B within. rewrite stick_of_coins by easy. pose proof (exp_pos epsilon).
    pose proof (touching_stick a epsilon 1 ha) as stick. pose proof (touching_line a epsilon 1 ha ltac:(lra)) as touch.
    fold l in stick, touch. rewrite Rmult_1_l in stick, touch. rewrite moment in touch.
    assert (0 < 1 / a) by (apply Rdiv_lt_0_compat; lra). unfold pos.
    rewrite Rmax_right, Rmax_left by nra. rewrite stick, <- touch. unfold cks_bound.
    replace ((a - 1) * (l - epsilon)) with (- ((a - 1) * epsilon) + (a - 1) * l) by ring. rewrite exp_plus. ring.
Qed.

(** Claim: For alpha > 1, epsilon >= 0: two outcomes of mass under both laws, the first of mass x and loss epsilon +
    log(alpha/(alpha - 1)), reach x/alpha, and miss the CKS bound for their own D_alpha by (1 - 1/alpha)^alpha
    e^(-(alpha - 1) epsilon) / (alpha - 1) times what the second adds to the moment. *)
Theorem cks_excess a epsilon x D : 1 < a -> 0 <= epsilon -> 0 < x < 1 ->
  let y := x * exp (- touching a epsilon) in
  term a x y + term a (1 - x) (1 - y) = exp ((a - 1) * D) ->
  forall B, D <= B -> cks_bound a D epsilon - hockey_stick (additive B) (once (coins x y D)) epsilon =
    cks_factor a * exp (- ((a - 1) * epsilon)) * term a (1 - x) (1 - y) /\
  hockey_stick (additive B) (once (coins x y D)) epsilon = x / a.
Proof.
  intros ha he hx y moment B within. rewrite stick_of_coins by easy.
  assert (0 < touching a epsilon) as hl.
  { unfold touching. enough (0 < ln (a / (a - 1))) by lra. rewrite <- ln_1. apply ln_increasing; [lra|].
    apply (Rmult_lt_reg_r (a - 1)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  pose proof (exp_increasing (- touching a epsilon) 0 ltac:(lra)) as less. rewrite exp_0 in less.
  pose proof (touching_stick a epsilon x ha) as stick. pose proof (touching_line a epsilon x ha ltac:(lra)) as touch.
  fold y in stick, touch. assert (0 < x / a) by (apply Rdiv_lt_0_compat; lra).
  pose proof (one_le_exp epsilon he). assert (y <= x) by (unfold y; nra).
  assert (1 - x <= exp epsilon * (1 - y)) by nra.
  unfold pos. rewrite Rmax_right, Rmax_left by lra. rewrite Rplus_0_r, stick. split; [|easy].
  unfold cks_bound. replace ((a - 1) * (D - epsilon)) with (- ((a - 1) * epsilon) + (a - 1) * D) by ring.
  rewrite exp_plus, <- moment. rewrite <- touch at 1. ring.
Qed.

(** ** Pure privacy *)

(** Between the ratios e^{-B} and e^B the hockey-stick is below its chord. *)
Lemma stick_below_chord B epsilon x y : 0 < B -> 0 <= epsilon <= B -> 0 <= y -> y <= exp B * x -> x <= exp B * y ->
  (1 + exp B) * (exp B - 1) * pos (x - exp epsilon * y) <= (exp B - exp epsilon) * (exp B * x - y).
Proof.
  intros hB range hy low high. pose proof (exp_le epsilon B ltac:(lra)) as below.
  pose proof (exp_increasing 0 B hB) as big. rewrite exp_0 in big. pose proof (one_le_exp epsilon ltac:(lra)) as one.
  set (b := exp B) in *. set (e := exp epsilon) in *.
  assert (0 <= (b - e) * (b * x - y)) as positive by (apply Rmult_le_pos; lra).
  unfold pos, Rmax. destruct (Rle_dec 0 (x - e * y)); [|rewrite Rmult_0_r; easy].
  (* the difference is (e b - 1)(b y - x), for it vanishes at x = b y *)
  enough (0 <= (e * b - 1) * (b * y - x)) by nra. apply Rmult_le_pos; nra.
Qed.

(** The transcript of a filter that adds up pure epsilons to at most B has ratios of at most e^B. *)
Lemma pure_ratios B t : 0 <= B -> honest pure_charged t -> forall tau x y,
  In (tau, x, y) (transcripts (additive B) (start (additive B)) [] 1 1 t) ->
  0 <= x /\ 0 <= y /\ x <= exp B * y /\ y <= exp B * x.
Proof.
  intros hB hon tau x y here.
  enough (exists s : state (additive B), 0 <= s /\ 0 <= x /\ 0 <= y /\ x <= exp (B - s) * y /\ y <= exp (B - s) * x)
    as (s & hs & hx & hy & one & other).
  { pose proof (exp_le (B - s) B ltac:(lra)). repeat split; try easy; eapply Rle_trans; try eassumption;
      apply Rmult_le_compat_r; easy. }
  refine (kept_on_paths (additive B) pure_charged (fun (s : R) x y =>
    0 <= s /\ 0 <= x /\ 0 <= y /\ x <= exp (B - s) * y /\ y <= exp (B - s) * x) _ t B [] 1 1 hon _ tau x y here).
  - intros s m u v i (hs & hu & hv & one & other) (((hp & _) & (hq & _)) & hc & ratio) admitted small.
    apply additive_admits in admitted. specialize (hp i small). specialize (hq i small).
    destruct (ratio i small) as [up down]. cbn.
    replace (B - (s - charge m)) with (B - s + charge m) by ring. rewrite exp_plus.
    pose proof (exp_pos (B - s)). pose proof (exp_pos (charge m)).
    repeat split; [lra|nra|nra| |].
    + replace (exp (B - s) * exp (charge m) * (v * Q m i)) with (exp (B - s) * v * (exp (charge m) * Q m i)) by ring.
      apply Rmult_le_compat; easy.
    + replace (exp (B - s) * exp (charge m) * (u * P m i)) with (exp (B - s) * u * (exp (charge m) * P m i)) by ring.
      apply Rmult_le_compat; easy.
  - replace (B - B) with 0 by ring. rewrite exp_0. lra.
Qed.

Definition pure_delta (B epsilon : R) : R := (exp B - exp epsilon) / (1 + exp B).

(** Claim: A filter that admits while pure epsilons sum to at most B > 0 keeps (epsilon, delta)-DP with delta =
    (e^B - e^epsilon)/(1 + e^B), for 0 <= epsilon <= B.
    Source: Kairouz, Oh & Viswanath *)
Theorem pure_conversion B epsilon : 0 < B -> 0 <= epsilon <= B ->
  promises_delta (additive B) pure_charged epsilon (pure_delta B epsilon).
Proof.
  intros hB range. apply both_ways.
  { intros m (lm & hc & ratio). split; [now destruct lm|]. split; [easy|]. intros i small. now split; apply ratio. }
  intros t hon. pose proof (exp_increasing 0 B hB) as big. rewrite exp_0 in big.
  assert (honest laws t) as lawful by (revert hon; apply honest_weaken; now intros m []).
  assert (over (additive B) t (fun _ x _ => x) = 1) as massP by now apply total_mass_P.
  assert (over (additive B) t (fun _ _ y => y) = 1) as massQ by now apply total_mass_Q.
  apply (Rmult_le_reg_l ((1 + exp B) * (exp B - 1))); [apply Rmult_lt_0_compat; lra|].
  unfold hockey_stick. rewrite <- over_scale. eapply Rle_trans.
  - apply (over_le_on_paths (additive B) _ (fun _ x y => (exp B - exp epsilon) * exp B * x + - (exp B - exp epsilon) *
    y)).
    intros tau x y here. destruct (pure_ratios B t ltac:(lra) hon tau x y here) as (hx & hy & one & other).
    pose proof (stick_below_chord B epsilon x y hB range hy other one). lra.
  - rewrite over_plus, !over_scale, massP, massQ. right. unfold pure_delta. field. lra.
Qed.

(** Randomised response with ratio e^B. *)
Definition response (B : R) : request R := coins (exp B / (1 + exp B)) (1 / (1 + exp B)) B.

(** Claim: One randomised response with ratio e^B is granted, and breaks every delta smaller than
    (e^B - e^epsilon)/(1 + e^B), for 0 <= epsilon <= B.
    Source: Kairouz, Oh & Viswanath *)
Theorem pure_conversion_attained B epsilon delta : 0 < B -> 0 <= epsilon <= B -> delta < pure_delta B epsilon ->
  pure_charged (response B) /\ ~ promises_delta (additive B) pure_charged epsilon delta.
Proof.
  intros hB range less. pose proof (exp_increasing 0 B hB) as big. rewrite exp_0 in big.
  assert (pure_charged (response B)) as honest_one.
  { assert (0 < / (1 + exp B)) as hi by (apply Rinv_0_lt_compat; lra).
    assert (1 - exp B / (1 + exp B) = 1 * / (1 + exp B)) as rest by (field; lra).
    assert (1 - 1 / (1 + exp B) = exp B * / (1 + exp B)) as rest' by (field; lra).
    unfold response, coins, Rdiv in *. split; [|split; [cbn; lra|]].
    - split; (split; [intros [|[|i]] small; cbn; rewrite ?rest, ?rest'; try lia; nra|cbn; lra]).
    - intros [|[|i]] small; cbn in *; rewrite ?rest, ?rest'; try lia; nra. }
  split; [easy|]. intros promise. destruct (promise (once (response B))) as [one _]; [cbn; easy|].
  specialize (one (fun tau => match tau with [Released O] => true | _ => false end)).
  unfold Pr_P, Pr_Q, over, once in one. cbn -[exp] in one. destruct (Rle_dec B B); [|lra]. cbn -[exp] in one.
  unfold pure_delta in less.
  assert ((exp B - exp epsilon) / (1 + exp B) = exp B / (1 + exp B) - exp epsilon * (1 / (1 + exp B))) as parts
    by (field; lra). lra.
Qed.
