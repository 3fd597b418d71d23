(** Linear queries: the accounting of paper 000, Corollary 4.7 and Theorem 1.2, on finite mechanisms.

    - [linear_queries]: "A is kappa-zCDP, that is, (alpha, alpha kappa)-RDP" for any number of queries, chosen adaptively,
      where person i takes part while the squared norms |q_t(X_i)|^2 sum to at most B_norm.

    It is [individual_zcdp_filter] in another unit. That Gaussian noise of variance B_norm / (2 kappa) makes an answer
    (|q_t(X_i)|^2 kappa / B_norm)-zCDP for person i is what [noise_covers] asks of each mechanism: the Gaussian law
    itself is not finite and not treated here, nor is the accuracy of the answers. *)

From Coq Require Import Reals Lra Lia List.
From Filterproof Require Import Sums Interaction Divergences AdditiveFilter RenyiFilter StricterFilter.
From Filterproof Require Import Individual IndividualFilter.
Import ListNotations.
Open Scope R_scope.

(** Where the charge is |q(X_i)|^2: the answer is (charge kappa / B_norm)-zCDP for the person, in both directions. *)
Definition noise_covers (B_norm kappa : R) (m : request R) : Prop :=
  laws m /\ 0 <= charge m /\ forall alpha, 1 < alpha ->
    renyi_at_most alpha (alpha * (charge m * kappa / B_norm)) m /\
    renyi_at_most alpha (alpha * (charge m * kappa / B_norm)) (swap m).

(** Corollary 4.7 (1): all answers together are kappa-zCDP for every person. *)
Theorem linear_queries B_norm kappa : 0 < B_norm -> 0 < kappa -> forall i t,
  honest_for i (noise_covers B_norm kappa) t -> forall alpha, 1 < alpha -> renyi_private_for (additive B_norm) i t alpha (alpha * kappa).
Proof.
  intros hB hkappa i t hon alpha above. revert i t hon.
  apply (individual_renyi (additive B_norm) (noise_covers B_norm kappa)).
  - intros m (laws & _ & all). split; [easy|]. now destruct (all 2 ltac:(lra)) as [[? _] _].
  - intros [n P Q c] ((lp & lq) & hc & all). split; [easy|]. split; [easy|].
    intros a ha. destruct (all a ha) as [there back]. now split.
  - intros t hon. unfold transcript_renyi_at_most, moment.
    assert (unit : 0 < kappa / B_norm) by (apply Rdiv_lt_0_compat; easy).
    apply (stricter_bound (fun c => c * kappa / B_norm) (additive B_norm) (additive kappa) (noise_covers B_norm kappa)
      zcdp_honest_both_ways (fun left left' => left' = left * (kappa / B_norm))); [| | | |exact hon].
    + intros [n P Q c] (laws & hc & all). split; [easy|]. split; [|easy]. cbn in *. unfold Rdiv in *. nra.
    + intros left left' m -> okm fits. apply additive_admits in fits. cbn.
      split; [|intros; unfold Rdiv; ring].
      destruct (Rle_dec (charge m * kappa / B_norm) (left * (kappa / B_norm))) as [|not]; [easy|].
      exfalso; apply not. unfold Rdiv. rewrite Rmult_assoc. apply Rmult_le_compat_r; [left; exact unit|easy].
    + cbn. field. lra.
    + intros t' hon'. apply zcdp_at_an_order; [easy|lra|easy].
Qed.
