(** The filter that adds: a request is granted while the sum of the charges stays within a budget. *)

From Coq Require Import Reals Lra Lia.
From Filterproof Require Import Sums Interaction.
Open Scope R_scope.

(** The state is what is left of the budget. *)
Definition additive (budget : R) : filter R :=
  Filter R budget (fun left c => if Rle_dec c left then true else false) (fun left c _ => left - c).

Lemma additive_admits budget left c : admits (additive budget) left c = true -> c <= left.
Proof. cbn. now destruct (Rle_dec c left). Qed.
