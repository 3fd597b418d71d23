(** Individual filters for approximate differential privacy: instances of [individual_filter].

    - [individual_approximate_dp]: one filter of paper 000, Theorem 4.9, per person; pure rounds, e^2/2 against B*.
    - [individual_basic]: one filter of basic composition per person, sums of epsilons and deltas.
    - [individual_charges_are_paid]: both can be honest. *)

From Coq Require Import Reals Lra Lia List.
From Filterproof Require Import Sums Interaction Divergences Paths AdditiveFilter Ledger RenyiFilter ZCDPFilter.
From Filterproof Require Import Conversions PureToZCDP ApproximateDPFilter BasicFilter.
From Filterproof Require Import StricterFilter Individual IndividualFilter IndividualExample.
Import ListNotations.
Open Scope R_scope.

(** Claim: For epsilon > 0 and 0 < delta < 1, one filter per person that admits while e^2/2 of rounds that are e-DP for
    that person sum to at most the paper's B-star keeps (epsilon, delta)-DP for each person.
    Source: Feldman & Zrnic, Theorems 4.5 and 4.9 *)
Theorem individual_approximate_dp epsilon delta : 0 < epsilon -> 0 < delta < 1 -> forall i t,
  honest_for i pure_honest t -> private_for (additive (b_star epsilon delta)) i t epsilon delta.
Proof. intros he hd. apply individual_filter. now apply theorem_4_9. Qed.

Theorem individual_basic epsilon delta : 0 <= epsilon -> 0 <= delta -> forall i t,
  honest_for i basic_honest t -> private_for (basic epsilon delta) i t epsilon delta.
Proof. intros he hd. apply individual_filter. now apply basic_filter. Qed.

(** Randomised response about person 0's bit, with the odds 3 to 1, charged (ln 3)^2 / 2. *)
Definition one_response : study R :=
  Publish 2 response (fun j => match j with O => ln 3 ^ 2 / 2 | _ => 0 end) (fun _ => Done).

Example individual_charges_are_paid : honest_for 0 pure_honest one_response.
Proof.
  assert (three : exp (ln 3) = 3) by (apply exp_ln; lra).
  assert (0 < ln 3) by (rewrite <- ln_1; apply ln_increasing; lra).
  cbn. repeat split; try apply responses_are_laws; try easy. intros S here. exists (ln 3). cbn.
  split; [|lra]. split; (split; [split; apply responses_are_laws|split; [lra|]]); cbn -[exp]; intros [|[|i]] less;
    unfold response; cbn -[exp]; rewrite here, three; lra || lia.
Qed.
