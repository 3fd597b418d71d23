(** Gaussian differential privacy of people, and its tracker.

    - [individual_gaussian_filter]: paper 003, Algorithm 1 and Theorem 12, "M is B-GDP under remove neighbourhood
      relation", for finite mechanisms: every person's hockey-stick curve is at most that of N(B, 1) against N(0, 1).
    - [gaussian_tracker]: 003, Appendix C.5: what was released within m blocks of size s is (sqrt m s)-GDP, as squares
      add. *)

From Coq Require Import Reals Lra Lia List.
From Filterproof Require Import Sums Interaction Divergences AdditiveFilter StricterFilter GaussianDP GaussianFilter.
From Filterproof Require Import Individual IndividualFilter Trackers.
Open Scope R_scope.

(** Claim: One filter per person that admits while the sum of mu^2 of rounds that are mu-GDP for that person is at most
    B^2 keeps B-GDP for each person, in both directions.
    Source: Koskela, Tobaben & Honkela, Theorem 12 *)
Theorem individual_gaussian_filter B i t : 0 <= B -> honest_for i gdp_honest t ->
  forall epsilon, private_for (gaussian B) i t epsilon (gdp_delta B epsilon).
Proof. intros hB hon epsilon. revert i t hon. now apply individual_filter, gaussian_promise. Qed.

(** A request is charged the square of its mu. *)
Definition gdp_squared (m : request R) : Prop := 0 <= charge m /\ gdp_at_most (sqrt (charge m)) m.

Lemma squares_add V epsilon : 0 <= V -> promises_delta (additive V) gdp_squared epsilon (gdp_delta (sqrt V) epsilon).
Proof.
  intros hV. apply (stricter_promise sqrt (additive V) (gaussian (sqrt V)) gdp_squared gdp_honest
    (fun left left' => left' = left)).
  - now intros [n p q c] [hc gdp].
  - intros left left' m -> [hc _] fits. apply additive_admits in fits. cbn -[pow].
    rewrite pow2_sqrt by easy. destruct (Rle_dec (charge m) left); easy.
  - cbn -[pow]. now apply pow2_sqrt.
  - apply gaussian_promise, sqrt_pos.
Qed.

(** Claim: What was released within m blocks, in each of which the mu^2 of mu-GDP rounds sum to at most s^2, is (sqrt m
    s)-GDP, for each m fixed in advance.
    Source: Koskela, Tobaben & Honkela, Appendix C.5 *)
Theorem gaussian_tracker size m epsilon : 0 < size ->
  promises_delta (within_blocks (size ^ 2) m) gdp_squared epsilon (gdp_delta (sqrt (INR m) * size) epsilon).
Proof.
  intros hs. assert (0 < size ^ 2) by now apply pow_lt. pose proof (pos_INR m).
  apply tracker_promise; [easy|now intros r [? _]|].
  replace (sqrt (INR m) * size) with (sqrt (INR m * size ^ 2)) by (rewrite sqrt_mult, sqrt_pow2 by lra; easy).
  apply squares_add. nra.
Qed.

(** It can be honest: the answer whether a Gaussian with or without person 0 is above its middle, charged mu = 1. *)
Example one_threshold :
  honest_for 0 gdp_honest
    (Publish 2 (fun S => if S 0%nat then P (threshold 1) else Q (threshold 1)) (fun _ => 1) (fun _ => Done)).
Proof.
  assert (gdp : gdp_honest (threshold 1)) by (apply threshold_is_gdp; lra).
  pose proof gdp as [laws _]. split; [|split; [|easy]].
  - intros S. destruct (S 0%nat); apply laws.
  - intros S here. rewrite here. exact gdp.
Qed.
