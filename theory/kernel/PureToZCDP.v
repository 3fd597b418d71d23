(** A mechanism that is e-DP is (e^2/2)-zCDP ([pure_is_zcdp]; Bun and Steinke, Proposition 3.3, which paper 000 uses in
    Theorem 4.9): D_alpha <= alpha e^2/2 for every alpha > 1.

    The power of a ratio in [e^{-e}, e^e] lies below the chord, so randomised response is the worst case; its moment is
    cosh((alpha - 1/2) e) / cosh(e/2), and cosh x e^{-x^2/2} falls on x >= 0. *)

From Coq Require Import Reals Lra Lia List.
Set Warnings "-ambiguous-paths".
From Coquelicot Require Import Coquelicot.
From Filterproof Require Import Sums Interaction Divergences Paths AdditiveFilter Ledger ZCDPFilter Conversions.
Open Scope R_scope.

(** e-DP of a round: the ratio of the two probabilities of every outcome is at most e^e. *)
Definition pure_at_most {C} (e : R) (m : request C) : Prop :=
  laws m /\ 0 <= e /\ forall i, (i < outcomes m)%nat -> P m i <= exp e * Q m i.

(** ** cosh x e^{-x^2/2} falls *)

Lemma falls (f f' : R -> R) : (forall x, is_derive f x (f' x)) -> (forall x, 0 < x -> f' x <= 0) ->
  forall x y, 0 <= x <= y -> f y <= f x.
Proof.
  intros derivative negative x y [hx [less | ->]]; [|lra].
  destruct (MVT_cor2 f f' x y less) as (c & mean & inside).
  { intros c _. apply is_derive_Reals, derivative. }
  pose proof (negative c ltac:(lra)). nra.
Qed.

Lemma exp_half x : 0 < exp x /\ 0 < exp (- x) /\ exp x * exp (- x) = 1.
Proof. repeat split; try apply exp_pos. rewrite <- exp_plus, Rplus_opp_r. apply exp_0. Qed.

Lemma sinh_below x : 0 <= x -> exp x - exp (- x) <= x * (exp x + exp (- x)).
Proof.
  intros hx.
  pose proof (falls (fun x => exp x - exp (- x) - x * (exp x + exp (- x))) (fun x => - x * (exp x - exp (- x)))) as it.
  specialize (it ltac:(intros; auto_derive; [easy|ring])).
  assert (forall z, 0 < z -> - z * (exp z - exp (- z)) <= 0) as down.
  { intros z hz. assert (exp (- z) <= exp z) by (apply exp_le; lra). nra. }
  specialize (it down 0 x (conj (Rle_refl 0) hx)). cbn in it. rewrite Ropp_0, exp_0 in it. lra.
Qed.

Lemma cosh_below x y : 0 <= x <= y -> exp y + exp (- y) <= (exp x + exp (- x)) * exp ((y * y - x * x) / 2).
Proof.
  intros order.
  pose proof (falls (fun x => (exp x + exp (- x)) * exp (- (x * x / 2)))
    (fun x => (exp x - exp (- x) - x * (exp x + exp (- x))) * exp (- (x * x / 2)))) as it.
  specialize (it ltac:(intros; auto_derive; [easy|unfold Rdiv; field])).
  assert (forall z, 0 < z -> (exp z - exp (- z) - z * (exp z + exp (- z))) * exp (- (z * z / 2)) <= 0) as down.
  { intros z hz. pose proof (sinh_below z ltac:(lra)). pose proof (exp_pos (- (z * z / 2))). nra. }
  specialize (it down x y order). cbn beta in it.
  apply (Rmult_le_compat_r (exp (y * y / 2))) in it; [|left; apply exp_pos].
  rewrite !Rmult_assoc, <- !exp_plus in it.
  replace (- (y * y / 2) + y * y / 2) with 0 in it by ring. rewrite exp_0 in it.
  replace (- (x * x / 2) + y * y / 2) with ((y * y - x * x) / 2) in it by field. lra.
Qed.

(** ** The chord *)

Lemma tangent r z a : 0 < r -> 0 < z -> 1 <= a -> Rpower r a * (1 + a / r * (z - r)) <= Rpower z a.
Proof.
  intros hr hz ha.
  pose proof (bernoulli (z / r) a ltac:(now apply Rdiv_lt_0_compat) ha) as bern.
  replace (a / r * (z - r)) with (a * (z / r - 1)) by (field; lra).
  replace (Rpower z a) with (Rpower r a * Rpower (z / r) a).
  - apply Rmult_le_compat_l; [left; apply exp_pos|easy].
  - rewrite Rpower_mult_distr; [f_equal; field; lra|easy|now apply Rdiv_lt_0_compat].
Qed.

Lemma chord low high r a : 0 < low -> low <= r <= high -> 1 <= a ->
  (high - low) * Rpower r a <= (r - low) * Rpower high a + (high - r) * Rpower low a.
Proof.
  intros hl [above below] ha.
  pose proof (tangent r low a ltac:(lra) hl ha) as one. pose proof (tangent r high a ltac:(lra) ltac:(lra) ha) as two.
  set (k := a / r) in *. set (w := Rpower r a) in *.
  apply (Rmult_le_compat_l (high - r)) in one; [|lra]. apply (Rmult_le_compat_l (r - low)) in two; [|lra].
  replace ((high - low) * w) with
    ((r - low) * (w * (1 + k * (high - r))) + (high - r) * (w * (1 + k * (low - r)))) by ring. lra.
Qed.

Lemma term_below_chord e a p q : 0 <= p -> 0 <= q -> p <= exp e * q -> q <= exp e * p -> 0 <= e -> 1 <= a ->
  (exp e - exp (- e)) * term a p q <=
  (p - exp (- e) * q) * exp (a * e) + (exp e * q - p) * exp (- (a * e)).
Proof.
  intros hp hq up down he ha. destruct (exp_half e) as (h1 & h2 & h3).
  destruct (Req_dec p 0) as [->|some].
  - assert (q = 0) as -> by lra. rewrite term_zero. lra.
  - assert (0 < p) by lra. assert (0 < q) by nra.
    assert (exp (- e) <= p / q <= exp e) as range.
    { split; (apply (Rmult_le_reg_r q); [easy|]); unfold Rdiv; rewrite Rmult_assoc, Rinv_l; nra. }
    pose proof (chord (exp (- e)) (exp e) (p / q) a h2 range ha) as it.
    apply (Rmult_le_compat_r q) in it; [|lra].
    assert (Rpower (p / q) a * q = term a p q) as same.
    { unfold term, power. destruct (Rle_dec p 0); [lra|]. unfold Rdiv.
      rewrite <- Rpower_mult_distr by (easy || now apply Rinv_0_lt_compat). rewrite Rmult_assoc. f_equal.
      unfold Rpower. rewrite ln_Rinv by easy. rewrite <- (exp_ln q) at 2 by easy. rewrite <- exp_plus. f_equal. ring. }
    rewrite Rmult_assoc, same in it.
    replace (Rpower (exp e) a) with (exp (a * e)) in it by (unfold Rpower; now rewrite ln_exp).
    replace (Rpower (exp (- e)) a) with (exp (- (a * e))) in it by (unfold Rpower; rewrite ln_exp; f_equal; ring).
    replace (((p / q - exp (- e)) * exp (a * e) + (exp e - p / q) * exp (- (a * e))) * q) with
      ((p - exp (- e) * q) * exp (a * e) + (exp e * q - p) * exp (- (a * e))) in it by (field; lra).
    exact it.
Qed.

(** The chord's moment is that of randomised response. *)
Lemma chord_moment e a : 0 < e -> 1 < a ->
  exp (a * e) - exp (- (a * e)) + (exp e * exp (- (a * e)) - exp (- e) * exp (a * e)) <=
  (exp e - exp (- e)) * exp ((a - 1) * (a * (e ^ 2 / 2))).
Proof.
  intros he ha. pose proof (cosh_below (e / 2) ((a - / 2) * e) ltac:(nra)) as worst.
  replace (((a - / 2) * e * ((a - / 2) * e) - e / 2 * (e / 2)) / 2) with ((a - 1) * (a * (e ^ 2 / 2))) in worst by
    field.
  assert (exp (- (e / 2)) < exp (e / 2)) as gap by (apply exp_increasing; lra).
  apply (Rmult_le_compat_l (exp (e / 2) - exp (- (e / 2)))) in worst; [|lra].
  rewrite <- Rmult_assoc in worst.
  replace ((exp (e / 2) - exp (- (e / 2))) * (exp (e / 2) + exp (- (e / 2)))) with (exp e - exp (- e)) in worst.
  2:{ replace e with (e / 2 + e / 2) at 1 by field. replace (- e) with (- (e / 2) + - (e / 2)) by field.
      rewrite !exp_plus. ring. }
  eapply Rle_trans; [right|exact worst].
  clear. set (h := e / 2). replace ((a - / 2) * e) with (a * e + - h) by (unfold h; field).
  replace (exp e) with (exp h * exp h) by (rewrite <- exp_plus; f_equal; unfold h; field).
  replace (exp (- e)) with (exp (- h) * exp (- h)) by (rewrite <- exp_plus; f_equal; unfold h; field).
  replace (- (a * e + - h)) with (h + - (a * e)) by ring. rewrite !exp_plus.
  destruct (exp_half h) as (_ & _ & unit).
  set (u := exp h) in *. set (v := exp (- h)) in *. set (p := exp (a * e)). set (q := exp (- (a * e))).
  replace (p - q) with (p * (u * v) - q * (u * v)) by (rewrite unit; ring). ring.
Qed.

(** Without any loss the two masses are the same, and the moment is the mass. *)
Lemma term_of_equals a p q : 0 <= p -> p <= exp 0 * q -> q <= exp 0 * p -> term a p q = p.
Proof.
  intros hp up down. rewrite exp_0 in *. replace q with p by lra. unfold term, power.
  destruct (Rle_dec p 0); [lra|]. rewrite <- Rpower_plus. replace (a + (1 - a)) with 1 by ring. apply Rpower_1. lra.
Qed.

(** ** e-DP gives (e^2/2)-zCDP *)

Lemma pure_moment {C} e a (m : request C) : 1 < a -> pure_at_most e m -> pure_at_most e (swap m) ->
  round_moment a m <= exp ((a - 1) * (a * (e ^ 2 / 2))).
Proof.
  intros ha (((hp & onep) & (hq & oneq)) & he & up) (_ & _ & down). unfold round_moment. cbn in down.
  destruct he as [he| <-].
  - assert (exp (- e) < exp e) as wide by (apply exp_increasing; lra).
    apply (Rmult_le_reg_l (exp e - exp (- e))); [lra|]. rewrite <- sum_scale.
    eapply Rle_trans; [apply sum_le; intros i small;
      apply (term_below_chord e a (P m i) (Q m i)); auto; lra|].
    rewrite (sum_ext _ _ (fun i => (exp (a * e) - exp (- (a * e))) * P m i +
      (exp e * exp (- (a * e)) - exp (- e) * exp (a * e)) * Q m i)) by (intros; ring).
    rewrite sum_plus, !sum_scale, onep, oneq, !Rmult_1_r. now apply chord_moment.
  - rewrite (sum_ext _ _ (P m)) by (intros; apply term_of_equals; auto). rewrite onep. apply one_le_exp. nra.
Qed.

Lemma pure_continuous {C} e (m : request C) : pure_at_most e m -> continuous m.
Proof.
  intros (((hp & _) & _) & _ & up) i small zero. specialize (up i small). specialize (hp i small).
  rewrite zero in up. lra.
Qed.

(** A charge of at least e^2/2 is honest for zCDP. *)
(** Claim: An e-DP mechanism is (e^2/2)-zCDP, in both directions.
    Source: Bun & Steinke, Proposition 3.3 *)
Theorem pure_is_zcdp {C} (price : C -> R) e (m : request C) : both (pure_at_most e) m ->
  e ^ 2 / 2 <= price (charge m) ->
  zcdp_priced price m.
Proof.
  intros [one other] enough. assert (0 <= e ^ 2) by apply pow2_ge_0. split; [lra|]. intros a ha.
  assert (forall u : request C, pure_at_most e u -> pure_at_most e (swap u) -> charge u = charge m ->
    renyi_priced a (fun c => a * price c) u) as it; [|split; apply it; rewrite ?swap_swap; easy].
  intros u hu hs same. rewrite <- same in enough.
  split; [now destruct hu|]. split; [nra|]. split; [now apply pure_continuous in hu|].
  eapply Rle_trans; [apply (pure_moment e a u ha hu hs)|]. apply exp_le.
  apply Rmult_le_compat_l; [lra|]. nra.
Qed.
