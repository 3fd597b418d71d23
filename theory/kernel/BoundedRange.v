(** Mechanisms of bounded range, the exponential mechanism among them: between two neighbours the loss takes values in
    an interval of length e, wherever that lies.

    - [range_stick]: their hockey-stick divergence at x in [-e, e] is at most (1 - e^{(x-e)/2})^2 / (1 - e^{-e});
      [range_stick_attained]: two outcomes of range e reach it;
    - [range_pair_stick]: the pair with loss density e^{l/2} / (4 sinh(e/2)) on [-e, e] has just this divergence;
    - [range_pair_is_zcdp]: that pair is (e^2/6)-zCDP. *)

From Coq Require Import Reals Lra Lia.
Set Warnings "-ambiguous-paths".
From Coquelicot Require Import Coquelicot.
From Filterproof Require Import Sums Interaction Divergences PureToZCDP.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

(** P and Q have a ratio between e^{t - e} and e^t at each outcome, for one t. *)
Definition of_range (e : R) (n : nat) (p q : nat -> R) : Prop :=
  exists t, forall i, (i < n)%nat -> exp (t - e) * q i <= p i <= exp t * q i.

Definition range_delta (e x : R) : R := (1 - exp ((x - e) / 2)) ^ 2 / (1 - exp (- e)).

(** At the ends t - e and t of the losses the chord bounds the mean; the best t is (x + e)/2. *)
Lemma range_ends e t x : 0 < e -> - e <= x ->
  let low := exp (t - e) in let high := exp t in
  low <= 1 <= high ->
  (1 - low) * pos (high - exp x) + (high - 1) * pos (low - exp x) <= (high - low) * range_delta e x.
Proof.
  intros he hx low high [below above].
  assert (exp (- e) < 1) as small by (rewrite <- exp_0; apply exp_increasing; lra).
  pose proof (exp_pos (- e)) as hE. set (E := exp (- e)) in *.
  assert (low = E * high) as -> by (unfold low, high, E; rewrite <- exp_plus; f_equal; ring).
  set (s := exp ((x - e) / 2)). pose proof (exp_pos ((x - e) / 2)) as hs. fold s in hs.
  assert (E * exp x = s * s) as square by (unfold E, s; rewrite <- !exp_plus; f_equal; field).
  unfold range_delta. fold s E. pose proof (exp_pos x) as hg. set (g := exp x) in *.
  replace ((high - E * high) * ((1 - s) ^ 2 / (1 - E))) with (high * (1 - s) ^ 2) by (field; lra).
  assert (0 <= (1 - s) ^ 2) by apply pow2_ge_0.
  unfold pos, Rmax. destruct (Rle_dec 0 (high - g)) as [some|]; destruct (Rle_dec 0 (E * high - g)) as [all|].
  - apply (Rmult_le_reg_l E); [easy|].
    assert (0 <= (s - E) ^ 2) by apply pow2_ge_0. assert (0 <= high * (s - E) ^ 2) by (apply Rmult_le_pos; lra).
    replace (E * ((1 - E * high) * (high - g) + (high - 1) * (E * high - g)))
      with (E * high * (1 - E) - high * (1 - E) * (E * g)) by ring.
    rewrite square. nra.
  - apply (Rmult_le_reg_l E); [easy|]. assert (0 <= (E * high - s) ^ 2) by apply pow2_ge_0.
    replace (E * ((1 - E * high) * (high - g) + (high - 1) * 0))
      with (E * high - E * high * (E * high) - (1 - E * high) * (E * g)) by ring.
    rewrite square. nra.
  - nra.
  - nra.
Qed.

(** The positive part lies below its chord. *)
Lemma part_below_chord low high g p q : 0 <= q -> low * q <= p <= high * q -> low < high ->
  (high - low) * pos (p - g * q) <= (p - low * q) * pos (high - g) + (high * q - p) * pos (low - g).
Proof.
  intros hq range wide. pose proof (pos_nonneg (high - g)). pose proof (pos_nonneg (low - g)).
  pose proof (pos_above (high - g)). pose proof (pos_above (low - g)).
  assert (0 <= (p - low * q) * pos (high - g)) by (apply Rmult_le_pos; lra).
  assert (0 <= (high * q - p) * pos (low - g)) by (apply Rmult_le_pos; lra).
  unfold pos at 1, Rmax. destruct (Rle_dec 0 (p - g * q)); [|lra].
  assert ((p - low * q) * (high - g) <= (p - low * q) * pos (high - g)) by (apply Rmult_le_compat_l; lra).
  assert ((high * q - p) * (low - g) <= (high * q - p) * pos (low - g)) by (apply Rmult_le_compat_l; lra).
  nra.
Qed.

(** Claim: For e > 0, where the ratio of two laws stays between e^(t - e) and e^t, for any one t, no hockey-stick at
    an x in [-e, e] is above (1 - e^((x - e)/2))^2 / (1 - e^(-e)). *)
Theorem range_stick e x n p q : 0 < e -> - e <= x <= e -> law n p -> law n q -> of_range e n p q ->
  sum n (fun i => pos (p i - exp x * q i)) <= range_delta e x.
Proof.
  intros he hx [hp one_p] [hq one_q] (t & each). assert (exp (t - e) < exp t) as wide by (apply exp_increasing; lra).
  assert (exp (t - e) <= 1 <= exp t) as around.
  { rewrite <- one_p. rewrite <- (Rmult_1_r (exp (t - e))), <- (Rmult_1_r (exp t)), <- one_q, <- !sum_scale.
    split; apply sum_le; intros i small; now apply each. }
  pose proof (range_ends e t x he ltac:(lra) around) as ends. cbn in ends.
  apply (Rmult_le_reg_l (exp t - exp (t - e))); [lra|]. eapply Rle_trans; [|exact ends]. rewrite <- sum_scale.
  eapply Rle_trans; [apply sum_le; intros i small;
    apply (part_below_chord _ _ (exp x) (p i) (q i)); auto; lra|].
  right. rewrite (sum_ext _ _ (fun i => (pos (exp t - exp x) - pos (exp (t - e) - exp x)) * p i +
    (exp t * pos (exp (t - e) - exp x) - exp (t - e) * pos (exp t - exp x)) * q i)) by (intros; ring).
  rewrite sum_plus, !sum_scale, one_p, one_q. ring.
Qed.

(** Two outcomes at the best t. *)
(** Claim: For e > 0 and each x in [-e, e] two laws on two outcomes whose ratio stays between e^(t - e) and e^t, for
    one t, have the hockey-stick (1 - e^((x - e)/2))^2 / (1 - e^(-e)) at x. *)
Theorem range_stick_attained e x : 0 < e -> - e <= x <= e -> exists p q, law 2 p /\ law 2 q /\ of_range e 2 p q /\
  sum 2 (fun i => pos (p i - exp x * q i)) = range_delta e x.
Proof.
  intros he hx. set (t := (x + e) / 2).
  assert (exp (- e) < 1) as small by (rewrite <- exp_0; apply exp_increasing; lra).
  pose proof (exp_pos (- e)) as hE. set (E := exp (- e)) in *. set (s := exp ((x - e) / 2)).
  assert (exp (t - e) = s) as low by (unfold s, t; f_equal; field).
  assert (exp t = s / E) as high by (unfold s, t, E, Rdiv; rewrite <- exp_Ropp, <- exp_plus; f_equal; field).
  assert (exp x = s * s / E) as at_x by (unfold s, E, Rdiv; rewrite <- exp_Ropp, <- !exp_plus; f_equal; field).
  assert (s <= 1) as s1 by (unfold s; rewrite <- exp_0; apply Sums.exp_le; lra).
  assert (E <= s) as sE by (unfold s, E; apply Sums.exp_le; lra).
  pose proof (exp_pos ((x - e) / 2)) as hs. fold s in hs.
  set (w := E * (1 - s) / (s * (1 - E))).
  assert (s * (1 - E) * w = E * (1 - s)) as defined by (unfold w; field; lra).
  assert (0 < s * (1 - E)) as hw by nra.
  assert (0 <= w <= 1) as range by (split; apply (Rmult_le_reg_l (s * (1 - E))); nra).
  assert (s / E * w = (1 - s) / (1 - E)) as first by (unfold w; field; lra).
  assert (0 <= (1 - s) / (1 - E) <= 1) as share.
  { split; [apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]|].
    apply (Rmult_le_reg_r (1 - E)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  assert (1 - (1 - s) / (1 - E) = s * (1 - w)) as second by (unfold w; field; lra).
  exists (fun i => match i with O => (1 - s) / (1 - E) | _ => 1 - (1 - s) / (1 - E) end),
    (fun i => match i with O => w | _ => 1 - w end).
  split; [split; [intros [|i] ?; lra|cbn; ring]|]. split; [split; [intros [|i] ?; lra|cbn; ring]|]. split.
  - exists t. rewrite low, high. intros [|i] _; [rewrite <- first|rewrite second].
    + assert (s <= s / E); [|nra]. apply (Rmult_le_reg_r E); [easy|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; nra.
    + assert (s <= s / E); [|nra]. apply (Rmult_le_reg_r E); [easy|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; nra.
  - cbn -[pos]. rewrite at_x, second, Rplus_0_l. unfold range_delta. fold E s.
    assert (1 <= s / E) as more by (apply (Rmult_le_reg_r E); [easy|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra).
    replace (s * (1 - w) - s * s / E * (1 - w)) with (- (s * (1 - w) * (s / E - 1))) by (field; lra).
    assert (0 <= s * (1 - w) * (s / E - 1)) by (repeat apply Rmult_le_pos; lra).
    replace ((1 - s) / (1 - E) - s * s / E * w) with ((1 - s) ^ 2 / (1 - E)) by (unfold w; field; lra).
    assert (0 <= (1 - s) ^ 2 / (1 - E)).
    { apply Rmult_le_pos; [apply pow2_ge_0|left; apply Rinv_0_lt_compat; lra]. }
    unfold pos. rewrite Rmax_right, Rmax_left by lra. ring.
Qed.

(** ** The pair *)

Definition range_density (e l : R) : R := exp (l / 2) / (2 * (exp (e / 2) - exp (- (e / 2)))).

Lemma half_sinh_pos v : 0 < v -> 0 < exp v - exp (- v).
Proof. intros hv. pose proof (exp_increasing (- v) v ltac:(lra)). lra. Qed.

Lemma is_RInt_of (f f' : R -> R) a b v : (forall x, is_derive f x (f' x)) -> (forall x, ex_derive f' x) ->
  f b - f a = v -> is_RInt f' a b v.
Proof.
  intros slope smooth <-. apply (is_RInt_derive f f'); intros x _; [apply slope|].
  apply (ex_derive_continuous f'), smooth.
Qed.

(** Claim: For e > 0 and x in [-e, e] the loss density e^(l/2)/(4 sinh(e/2)) has integral 1 on [-e, e], and the integral
    of 1 - e^(x - l) over it from x to e is (1 - e^((x - e)/2))^2 / (1 - e^(-e)).
    Covers: the pair of that loss density *)
Theorem range_pair_stick e x : 0 < e -> - e <= x <= e ->
  is_RInt (range_density e) (- e) e 1 /\
  is_RInt (fun l => (1 - exp (x - l)) * range_density e l) x e (range_delta e x).
Proof.
  intros he hx. pose proof (half_sinh_pos (e / 2) ltac:(lra)) as hd. unfold range_density.
  remember (exp (e / 2) - exp (- (e / 2))) as d eqn:defined. split.
  - apply (is_RInt_of (fun l => exp (l / 2) / d)).
    + intros l. auto_derive; [easy|]. change (l * / 2) with (l / 2). field. lra.
    + intros l. auto_derive. easy.
    + replace (- e / 2) with (- (e / 2)) by field. rewrite defined. field. lra.
  - apply (is_RInt_of (fun l => (exp (l / 2) + exp (x - l / 2)) / d)).
    + intros l.
      assert (exp (x - l / 2) = exp (x - l) * exp (l / 2)) as same by (rewrite <- exp_plus; f_equal; field).
      auto_derive; [easy|]. change (x + - (l * / 2)) with (x - l / 2). change (l * / 2) with (l / 2).
      rewrite same. field. lra.
    + intros l. auto_derive. easy.
    + unfold range_delta. set (h := e / 2) in *. replace (x - x / 2) with (x / 2) by field.
      replace ((x - e) / 2) with (x / 2 + - h) by (unfold h; field).
      replace (x - h) with (x / 2 + x / 2 + - h) by field.
      replace (- e) with (- h + - h) by (unfold h; field). rewrite !exp_plus. rewrite defined.
      destruct (exp_half h) as (hu & hv & unit). set (a := exp (x / 2)).
      set (u := exp h) in *. set (v := exp (- h)) in *.
      assert (u = / v) as -> by (apply (Rmult_eq_reg_r v); [rewrite Rinv_l; lra|lra]).
      assert (v < / v) by lra. assert (v * v < 1).
      { apply (Rmult_lt_compat_l v) in H; [|easy]. rewrite Rinv_r in H; lra. }
      field. split; [nra|lra].
Qed.

(** ** Its divergences *)

(** sinh((alpha - 1/2) e) / ((2 alpha - 1) sinh(e/2)). *)
Definition sinh_ratio (alpha e : R) : R :=
  (exp ((alpha - 1 / 2) * e) - exp (- ((alpha - 1 / 2) * e))) / ((2 * alpha - 1) * (exp (e / 2) - exp (- (e / 2)))).

Lemma range_moment alpha e : 0 < e -> 1 < alpha ->
  is_RInt (fun l => exp ((alpha - 1) * l) * range_density e l) (- e) e (sinh_ratio alpha e).
Proof.
  intros he ha. pose proof (half_sinh_pos (e / 2) ltac:(lra)) as hd.
  unfold sinh_ratio, range_density. remember (exp (e / 2) - exp (- (e / 2))) as d eqn:defined. clear defined.
  apply (is_RInt_of (fun l => exp ((alpha - 1 / 2) * l) / ((2 * alpha - 1) * d))).
  - intros l.
    assert (exp ((alpha - 1 / 2) * l) = exp ((alpha - 1) * l) * exp (l / 2)) as same.
    { rewrite <- exp_plus. f_equal. field. }
    auto_derive; [easy|]. rewrite same.
    field. split; lra.
  - intros l. auto_derive. easy.
  - replace ((alpha - 1 / 2) * - e) with (- ((alpha - 1 / 2) * e)) by ring. field. split; lra.
Qed.

(** sinh v e^{-v^2/6} / v falls. *)
Lemma sinh_rate v : 0 <= v -> exp v - exp (- v) <= v * (exp v + exp (- v)).
Proof. apply sinh_below. Qed.

Lemma sinh_top v : 0 <= v -> 3 * v * (exp v + exp (- v)) <= (v * v + 3) * (exp v - exp (- v)).
Proof.
  intros hv.
  pose proof (falls (fun v => 3 * v * (exp v + exp (- v)) - (v * v + 3) * (exp v - exp (- v)))
    (fun v => - v * (v * (exp v + exp (- v)) - (exp v - exp (- v))))) as it.
  specialize (it ltac:(intros; auto_derive; [easy|ring])).
  assert (forall z, 0 < z -> - z * (z * (exp z + exp (- z)) - (exp z - exp (- z))) <= 0) as down.
  { intros z hz. pose proof (sinh_rate z ltac:(lra)). nra. }
  specialize (it down 0 v (conj (Rle_refl 0) hv)). cbn in it. rewrite Ropp_0, exp_0 in it. lra.
Qed.

Lemma sinh_falls a b : 0 < a <= b ->
  (exp b - exp (- b)) / b <= (exp a - exp (- a)) / a * exp ((b * b - a * a) / 6).
Proof.
  intros [ha [less|<-]].
  2: { replace ((a * a - a * a) / 6) with 0 by field. rewrite exp_0. lra. }
  set (f := fun v => (exp v - exp (- v)) / v * exp (- (v * v) / 6)).
  destruct (MVT_cor2 f (fun v => (3 * v * (exp v + exp (- v)) - (v * v + 3) * (exp v - exp (- v))) / (3 * (v * v)) *
    exp (- (v * v) / 6)) a b less) as (c & mean & inside).
  { intros c inside. apply is_derive_Reals. unfold f. auto_derive; [lra|].
    change (- (c * c) * / 6) with (- (c * c) / 6). field. lra. }
  assert (f b <= f a) as fell.
  { pose proof (sinh_top c ltac:(lra)) as top. pose proof (exp_pos (- (c * c) / 6)) as hx.
    assert (0 < / (3 * (c * c))) as hi by (apply Rinv_0_lt_compat; nra).
    set (gap := (c * c + 3) * (exp c - exp (- c)) - 3 * c * (exp c + exp (- c))).
    assert (0 <= gap * / (3 * (c * c)) * exp (- (c * c) / 6) * (b - a)) by (repeat apply Rmult_le_pos; unfold gap; lra).
    enough (f b - f a = - (gap * / (3 * (c * c)) * exp (- (c * c) / 6) * (b - a))) by lra.
    rewrite mean. unfold gap. field. lra. }
  unfold f in fell. apply (Rmult_le_compat_r (exp (b * b / 6))) in fell; [|left; apply exp_pos].
  rewrite !Rmult_assoc, <- !exp_plus in fell. replace (- (b * b) / 6 + b * b / 6) with 0 in fell by field.
  replace (- (a * a) / 6 + b * b / 6) with ((b * b - a * a) / 6) in fell by field. rewrite exp_0 in fell. lra.
Qed.

(** Claim: For e > 0 and alpha > 1 the integral of e^((alpha - 1) l) over the loss density e^(l/2)/(4 sinh(e/2)) on [-e,
    e] is e^((alpha - 1) D) for a D of at most alpha e^2/6.
    Covers: the pair of that loss density *)
Theorem range_pair_is_zcdp alpha e : 0 < e -> 1 < alpha -> exists D,
  is_RInt (fun l => exp ((alpha - 1) * l) * range_density e l) (- e) e (exp ((alpha - 1) * D)) /\
  D <= alpha * e ^ 2 / 6.
Proof.
  intros he ha. pose proof (half_sinh_pos (e / 2) ltac:(lra)) as hd.
  pose proof (half_sinh_pos ((alpha - 1 / 2) * e) ltac:(nra)) as hn.
  assert (0 < sinh_ratio alpha e) as hs by (apply Rdiv_lt_0_compat; [easy|apply Rmult_lt_0_compat; lra]).
  exists (ln (sinh_ratio alpha e) / (alpha - 1)).
  replace ((alpha - 1) * (ln (sinh_ratio alpha e) / (alpha - 1))) with (ln (sinh_ratio alpha e)) by (field; lra).
  rewrite exp_ln by easy. split; [now apply range_moment|].
  apply (Rmult_le_reg_l (alpha - 1)); [lra|].
  replace ((alpha - 1) * (ln (sinh_ratio alpha e) / (alpha - 1))) with (ln (sinh_ratio alpha e)) by (field; lra).
  rewrite <- (ln_exp ((alpha - 1) * (alpha * e ^ 2 / 6))). apply ln_le; [easy|].
  pose proof (sinh_falls (e / 2) ((alpha - 1 / 2) * e) ltac:(nra)) as it.
  replace (((alpha - 1 / 2) * e * ((alpha - 1 / 2) * e) - e / 2 * (e / 2)) / 6)
    with ((alpha - 1) * (alpha * e ^ 2 / 6)) in it by field.
  unfold sinh_ratio. set (d := exp (e / 2) - exp (- (e / 2))) in *.
  apply (Rmult_le_compat_l (e / (2 * d))) in it; [|left; apply Rdiv_lt_0_compat; lra].
  replace (e / (2 * d) * (d / (e / 2) * exp ((alpha - 1) * (alpha * e ^ 2 / 6))))
    with (exp ((alpha - 1) * (alpha * e ^ 2 / 6))) in it by (field; lra).
  eapply Rle_trans; [right|exact it]. field. repeat split; lra.
Qed.
