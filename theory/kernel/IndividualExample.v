(** One person in two rounds, of whom the budget pays for one: the honesty of IndividualFilter.v can be met. *)

From Coq Require Import Reals Lra Lia List.
From Filterproof Require Import Sums Interaction Divergences AdditiveFilter Ledger RenyiFilter.
From Filterproof Require Import Individual IndividualFilter.
Import ListNotations.
Open Scope R_scope.

(** Randomised response with the odds 3 to 1; without person 0 the answer is that of the other bit. *)
Definition response (S : people) (k : nat) : R :=
  if S 0%nat then match k with O => 3/4 | _ => 1/4 end else match k with O => 1/4 | _ => 3/4 end.

(** D_2 = ln(7/3) is charged to person 0, and nothing to the others. *)
Definition charges (j : nat) : R := match j with O => ln (7/3) | _ => 0 end.

Definition two_rounds : study R := Publish 2 response charges (fun _ => Publish 2 response charges (fun _ => Done)).

Lemma square_over x y : 0 < x -> 0 < y -> term 2 x y = x * x / y.
Proof.
  intros hx hy. unfold term, power. destruct (Rle_dec x 0); [lra|].
  replace (1 - 2) with (- (1)) by ring. rewrite Rpower_Ropp, Rpower_1 by easy.
  replace 2 with (1 + 1) by ring. now rewrite Rpower_plus, Rpower_1.
Qed.

Lemma charge_positive : 0 < ln (7/3).
Proof. rewrite <- ln_1. apply ln_increasing; lra. Qed.

Lemma responses_are_laws S : law 2 (response S).
Proof. unfold law, response. destruct (S 0%nat); cbn; (split; [intros [|[|i]]; lra || lia|lra]). Qed.

Lemma response_is_honest S : S 0%nat = true ->
  both (renyi_honest 2) (Ask 2 (response S) (response (without 0 S)) (charges 0)).
Proof.
  intros here. pose proof charge_positive.
  assert (moment : exp ((2 - 1) * ln (7/3)) = 7/3)
    by (replace (2 - 1) with 1 by ring; rewrite Rmult_1_l; apply exp_ln; lra).
  split; (split; [split; apply responses_are_laws|split; [cbn; lra|split]]).
  - intros [|[|i]] less; unfold response; cbn in *; rewrite here; lra || lia.
  - unfold round_moment; cbn -[exp]. rewrite moment. unfold response; cbn. rewrite here, !square_over by lra. lra.
  - intros [|[|i]] less; unfold response; cbn in *; rewrite here; lra || lia.
  - unfold round_moment; cbn -[exp]. rewrite moment. unfold response; cbn. rewrite here, !square_over by lra. lra.
Qed.

(** Person 0 counts in the first round and is left out of the second, whose answer then has one law in both worlds. *)
(** Claim: An example: of two rounds a person's budget pays for the first, and the second is answered without that
    person, so honesty can be met. *)
Example one_round_counts :
  honest_for 0 (both (renyi_honest 2)) two_rounds /\
  (let first_answers tau := match tau with [O; O] => true | _ => false end in
   study_over (additive (ln (7/3))) 0 two_rounds (fun tau x _ => if first_answers tau then x else 0) = 3/4 * (1/4) /\
   study_over (additive (ln (7/3))) 0 two_rounds (fun tau _ y => if first_answers tau then y else 0) = 1/4 * (1/4)).
Proof.
  pose proof charge_positive. split.
  - cbn. repeat split; try apply responses_are_laws; intros; now apply response_is_honest.
  - unfold study_over, two_rounds; cbn -[ln response]. unfold response, active, charged, without; cbn -[ln].
    unfold active; cbn -[ln]. destruct (Rle_dec (ln (7/3)) (ln (7/3))) as [_|]; [|lra].
    destruct (Rle_dec (ln (7/3)) (ln (7/3) - ln (7/3))); [lra|]. split; lra.
Qed.
