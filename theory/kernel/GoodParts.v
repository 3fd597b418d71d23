(** The good part of an (e, d)-DP mechanism (Dwork, Rothblum and Vadhan; Kairouz, Oh and Viswanath): it is a mixture, of
    weight 1 - d, of an e-DP mechanism and anything, so it is d-approximately (e^2/2)-zCDP
    ([private_is_approximate_zcdp]). *)

From Coq Require Import Reals Lra Lia List.
From Filterproof Require Import Sums Interaction Divergences Paths AdditiveFilter Ledger ZCDPFilter Conversions
  PureToZCDP BasicFilter ApproximateZCDPFilter.
Open Scope R_scope.

(** A number between two is a mean of them. *)
Lemma between a c b : a <= c <= b -> exists w, 0 <= w <= 1 /\ w * b + (1 - w) * a = c.
Proof.
  intros [low high]. destruct (Req_dec a b) as [same|other]; [exists 1; lra|].
  exists ((c - a) / (b - a)). assert (0 < b - a) by lra. split; [split|].
  - apply Rle_mult_inv_pos; lra.
  - apply (Rmult_le_reg_r (b - a)); [easy|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
  - field. lra.
Qed.

(** What lies below a law, xi-fold missing, is a part of a mixture. *)
Lemma below_is_mixture n xi p good : law n p -> law n good -> 0 <= xi <= 1 ->
  (forall i, (i < n)%nat -> (1 - xi) * good i <= p i) -> exists bad, law n bad /\ mixture n xi p good bad.
Proof.
  intros [hp onep] [hg oneg] range below.
  assert (sum n (fun i => p i - (1 - xi) * good i) = xi) as rest by (rewrite sum_minus, sum_scale, onep, oneg; ring).
  destruct (Req_dec xi 0) as [->|some].
  - exists good. split; [easy|]. intros i small.
    pose proof (sum_one_term n (fun i => p i - (1 - 0) * good i) i small) as it. rewrite rest in it.
    specialize (it ltac:(intros j hj; specialize (below j hj); lra)). specialize (below i small). cbn in it. lra.
  - exists (fun i => / xi * (p i - (1 - xi) * good i)). split.
    + split; [|rewrite sum_scale, rest; field; easy]. intros i small. specialize (below i small).
      apply Rmult_le_pos; [left; apply Rinv_0_lt_compat; lra|lra].
    + intros i small. field. easy.
Qed.

(** An e-DP pair of laws whose (1 - d)-fold lies below that of the mechanism. *)
Definition pure_part {C} (e d : R) (m : request C) (gp gq : nat -> R) : Prop :=
  law (outcomes m) gp /\ law (outcomes m) gq /\ forall i, (i < outcomes m)%nat ->
    (1 - d) * gp i <= P m i /\ (1 - d) * gq i <= Q m i /\ gp i <= exp e * gq i /\ gq i <= exp e * gp i.

Lemma sum_excess {C} e d (m : request C) : laws m -> round_private e d m -> 1 - d <= sum (outcomes m) (covered e m).
Proof.
  intros ((_ & one) & _) private. pose proof (excess_at_most e d m private).
  unfold covered. rewrite sum_minus, one. lra.
Qed.

Lemma covered_range {C} e (m : request C) i : 0 <= e -> 0 <= P m i -> 0 <= Q m i ->
  0 <= covered e m i <= P m i /\ covered e m i <= exp e * Q m i /\ covered e m i <= exp e * covered e (swap m) i.
Proof.
  intros he hp hq. pose proof (one_le_exp e he) as grow. unfold covered, excess. cbn.
  assert (P m i <= exp e * P m i) by nra. assert (Q m i <= exp e * Q m i) by nra.
  assert (exp e * P m i <= exp e * (exp e * P m i)) by (apply Rmult_le_compat_l; lra).
  destruct (pos_cases (P m i - exp e * Q m i)) as [[? ->]|[? ->]],
    (pos_cases (Q m i - exp e * P m i)) as [[? ->]|[? ->]];
    repeat split; try nra.
Qed.

(** The covered parts are e-DP; the one with more mass is lowered towards e^{-e} times the other. *)
Lemma pure_part_of_smaller {C} e d (m : request C) : laws m -> 0 <= e -> 0 <= d < 1 ->
  round_private e d m -> round_private e d (swap m) ->
  sum (outcomes m) (covered e m) <= sum (outcomes m) (covered e (swap m)) -> exists gp gq, pure_part e d m gp gq.
Proof.
  intros lm he hd one other smaller. pose proof (sum_excess e d m lm one) as mass.
  set (a := sum (outcomes m) (covered e m)) in *. set (b := sum (outcomes m) (covered e (swap m))) in *.
  destruct lm as ((hp & onep) & (hq & oneq)). destruct (exp_half e) as (h1 & h2 & h3).
  pose proof (one_le_exp e he) as grow. assert (exp (- e) <= 1) as shrink by (rewrite <- exp_0; apply exp_le; lra).
  destruct (between (exp (- e) * a) a b ltac:(split; nra)) as (w & hw & mean).
  set (lowered := fun i => w * covered e (swap m) i + (1 - w) * (exp (- e) * covered e m i)).
  assert (sum (outcomes m) lowered = a) as total by (unfold lowered; rewrite sum_plus, !sum_scale; exact mean).
  assert (0 < a) as ha by lra. assert (0 < / a) as hia by now apply Rinv_0_lt_compat.
  assert ((1 - d) * / a <= 1) as small_scale by (apply (Rmult_le_reg_r a); [easy|]; rewrite Rmult_assoc, Rinv_l; lra).
  assert (0 <= (1 - d) * / a) by (apply Rmult_le_pos; lra).
  assert (forall i, (i < outcomes m)%nat -> 0 <= covered e m i <= P m i /\ 0 <= lowered i <= Q m i /\
    covered e m i <= exp e * lowered i /\ lowered i <= exp e * covered e m i) as each.
  { intros i small. specialize (hp i small). specialize (hq i small).
    destruct (covered_range e m i he hp hq) as (r1 & r2 & r3).
    destruct (covered_range e (swap m) i he hq hp) as (r4 & r5 & r6). rewrite swap_swap in r6. cbn in r4.
    set (u := covered e m i) in *. set (v := covered e (swap m) i) in *. unfold lowered; fold u v.
    assert (exp (- e) * u <= v) as low.
    { apply (Rmult_le_compat_l (exp (- e))) in r3; [|lra]. rewrite <- (Rmult_assoc _ _ v),
      (Rmult_comm (exp (- e)) (exp e)), h3 in r3. lra. }
    assert (0 <= exp (- e) * u <= u) by (split; nra).
    assert (exp e * (w * v + (1 - w) * (exp (- e) * u)) = w * (exp e * v) + (1 - w) * u) as split_up
      by (replace u with (exp e * exp (- e) * u) at 2 by (rewrite h3; ring); ring).
    split; [easy|]. split; [split; nra|]. split; [rewrite split_up; nra|]. assert (u <= exp e * u) by nra. nra. }
  exists (fun i => / a * covered e m i), (fun i => / a * lowered i). split; [|split].
  - split; [intros i small; apply Rmult_le_pos; [lra|now apply each]|]. rewrite sum_scale. fold a. field. lra.
  - split; [intros i small; apply Rmult_le_pos; [lra|now apply each]|]. rewrite sum_scale, total. field. lra.
  - intros i small. destruct (each i small) as ([c0 c1] & [l0 l1] & up & down).
    rewrite <- !Rmult_assoc, !(Rmult_comm (exp e)), !Rmult_assoc. repeat split.
    + rewrite <- Rmult_assoc. nra.
    + rewrite <- Rmult_assoc. nra.
    + apply Rmult_le_compat_l; lra.
    + apply Rmult_le_compat_l; lra.
Qed.

Lemma private_pure_part {C} e d (m : request C) : laws m -> 0 <= e -> 0 <= d < 1 ->
  round_private e d m -> round_private e d (swap m) -> exists gp gq, pure_part e d m gp gq.
Proof.
  intros lm he hd one other.
  destruct (Rle_or_lt (sum (outcomes m) (covered e m)) (sum (outcomes m) (covered e (swap m)))) as [smaller|larger].
  - now apply pure_part_of_smaller.
  - destruct (pure_part_of_smaller e d (swap m)) as (gq & gp & lq & lp & each); rewrite ?swap_swap; try easy.
    + now destruct lm.
    + cbn. lra.
    + exists gp, gq. split; [easy|]. split; [easy|]. intros i small. destruct (each i small) as (? & ? & ? & ?). easy.
Qed.

(** Claim: On each pair of data sets an (e, d)-DP mechanism with d < 1 is a mixture, of weight 1 - d, of a mechanism
    that is e-DP and anything.
    Source: Kairouz, Oh & Viswanath
    Beyond: One good part that serves all data sets. *)
Theorem private_is_mixture {C} e d (m : request C) : laws m -> 0 <= e -> 0 <= d < 1 ->
  round_private e d m -> round_private e d (swap m) -> exists gp gq bp bq,
    mixture (outcomes m) d (P m) gp bp /\ mixture (outcomes m) d (Q m) gq bq /\
    law (outcomes m) bp /\ law (outcomes m) bq /\ pure_part e d m gp gq.
Proof.
  intros lm he hd one other.
  destruct (private_pure_part e d m lm he hd one other) as (gp & gq & lp & lq & each). pose proof lm as [lmp lmq].
  destruct (below_is_mixture (outcomes m) d (P m) gp) as (bp & lbp & mixp); try easy; [lra|now apply each|].
  destruct (below_is_mixture (outcomes m) d (Q m) gq) as (bq & lbq & mixq); try easy; [lra|now apply each|].
  now exists gp, gq, bp, bq.
Qed.

(** Claim: On each pair of data sets an (e, d)-DP mechanism with d < 1 is d-approximately (e^2/2)-zCDP: its two laws are
    mixtures, of weight 1 - d, of two laws that are (e^2/2)-zCDP and anything.
    Source: Kairouz, Oh & Viswanath
    Beyond: One good part that serves all data sets. *)
Theorem private_is_approximate_zcdp {C} (price cost : C -> R) e (m : request C) : laws m -> 0 <= e ->
  0 <= cost (charge m) < 1 -> e ^ 2 / 2 <= price (charge m) ->
  round_private e (cost (charge m)) m -> round_private e (cost (charge m)) (swap m) ->
  approximate_zcdp_priced price cost m.
Proof.
  intros lm he hd enough one other.
  destruct (private_is_mixture e _ m lm he hd one other) as (gp & gq & bp & bq & mixp & mixq & lbp & lbq & good).
  split; [easy|]. split; [lra|]. exists gp, gq, bp, bq. repeat (split; [easy|]). destruct good as (lp & lq & each).
  apply (pure_is_zcdp price e); [|easy]. split; (split; [easy|split; [easy|]]); intros i small; now apply each.
Qed.
