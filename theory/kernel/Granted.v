(** The theorems are about somebody: an analyst who asks for randomised response is honest for every filter here, and is
    granted it. (The examples in the files of the filters say so for Theorem 4.9, basic composition, approximate zCDP
    and Rogers et al.) *)

From Coq Require Import Reals Lra Lia List.
From Interval Require Import Tactic.
From Filterproof Require Import Sums Interaction Divergences Paths AdditiveFilter Ledger RenyiFilter AdaptiveComposition
  ZCDPFilter PureToZCDP ApproximateDPFilter.
Import ListNotations.
Open Scope R_scope.

(** [coin] charged what is wanted. *)
Definition coin_at {C} (c : C) : request C := Ask (outcomes coin) (P coin) (Q coin) c.

(** Asks for the coin twice. *)
Definition twice {C} (c : C) : strategy C :=
  Request (coin_at c) (fun _ => Request (coin_at c) (fun _ => Stop) Stop) Stop.

Lemma honest_twice {C} (ok : request C -> Prop) c : ok (coin_at c) -> honest ok (twice c).
Proof. intros it. cbn. auto 8. Qed.

(** What the transcript of two releases has for its mass. *)
Definition both_released (tau : transcript) (x _ : R) : R := match tau with [Released _; Released _] => x | _ => 0 end.

Example zcdp_grants : honest zcdp_honest (twice (1 / 4)) /\ over (additive (1 / 2)) (twice (1 / 4)) both_released = 1.
Proof.
  split; [apply honest_twice, pure_honest_zcdp, coin_is_pure|]. unfold over. cbn.
  destruct (Rle_dec (1 / 4) (1 / 2)); [|lra]. destruct (Rle_dec (1 / 4) (1 / 2 - 1 / 4)); [|lra]. cbn. lra.
Qed.

(** At order alpha the coin costs at most alpha / 4, with every alpha > 1 at once. *)
Lemma coin_renyi {C} (price : C -> R) c alpha : 1 < alpha -> alpha / 4 <= price c ->
  both (renyi_priced alpha price) (coin_at c).
Proof.
  intros above enough. destruct (pure_honest_zcdp coin coin_is_pure) as [_ every]. specialize (every alpha above).
  destruct every as [(lm & _ & cont & moment) (lm' & _ & cont' & moment')]. cbn in *.
  assert (exp ((alpha - 1) * (alpha * (1 / 4))) <= exp ((alpha - 1) * price c)) by (apply exp_le; nra).
  split; (split; [easy|split; [cbn; lra|split; [easy|]]]); eapply Rle_trans; eauto.
Qed.

Example renyi_grants alpha : 1 < alpha -> honest (both (renyi_honest alpha)) (twice (alpha / 4)) /\
  over (additive (alpha / 2)) (twice (alpha / 4)) both_released = 1 /\ within (alpha / 2) (twice (alpha / 4)).
Proof.
  intros above. split; [apply honest_twice; apply (coin_renyi (fun c => c)); lra|]. split.
  - unfold over. cbn. destruct (Rle_dec (alpha / 4) (alpha / 2)); [|lra].
    destruct (Rle_dec (alpha / 4) (alpha / 2 - alpha / 4)); [|lra]. cbn. lra.
  - cbn. intros; lra.
Qed.

Example kl_grants : honest (both kl_honest) (twice (1 / 4)) /\
  over (additive (1 / 2)) (twice (1 / 4)) both_released = 1.
Proof.
  split; [|apply zcdp_grants]. apply honest_twice.
  split; (split; [now destruct coin_is_pure as (e & [[lm _] [lm' _]] & _)|]); (split; [cbn; lra|split]).
  - intros [|i] _; cbn; lra.
  - unfold round_kl. cbn. interval with (i_prec 40).
  - intros [|i] _; cbn; lra.
  - unfold round_kl. cbn. interval with (i_prec 40).
Qed.

(** All orders of a set of orders above 1. *)
Example all_orders_grants orders : (forall alpha, In alpha orders -> 1 < alpha) ->
  let curve alpha := alpha / 4 in
  honest (fun m => forall alpha, In alpha orders -> order_honest alpha (fun c => c alpha) m) (twice curve) /\
  admits (all_orders orders curve) curve curve = true.
Proof.
  intros above curve. split.
  - apply honest_twice. intros alpha here. specialize (above alpha here). split; intros which; [|lra].
    apply (coin_renyi (fun c => c alpha)); unfold curve; lra.
  - cbn. apply forallb_forall. intros alpha _. now destruct (Rle_dec (curve alpha) (curve alpha)); [|lra].
Qed.
