(** Linear queries: the accounting of paper 000, Corollary 4.7 and Theorem 1.2, on finite mechanisms.

    - [linear_queries]: "A is kappa-zCDP, that is, (alpha, alpha kappa)-RDP" for any number of queries, chosen
      adaptively, where person i takes part while the squared norms |q_t(X_i)|^2 sum to at most B_norm.

    It is [individual_zcdp_filter] in another unit. That Gaussian noise of variance B_norm / (2 kappa) makes an answer
    (|q_t(X_i)|^2 kappa / B_norm)-zCDP for person i is what [noise_covers] asks of each mechanism: the Gaussian law
    itself is not finite and not treated here, nor is the accuracy of the answers. *)

From Coq Require Import Reals Lra Lia List.
From Filterproof Require Import Sums Interaction Divergences Paths AdditiveFilter Ledger ZCDPFilter.
From Filterproof Require Import Individual IndividualFilter.
Import ListNotations.
Open Scope R_scope.

(** Where the charge is |q(X_i)|^2: the answer is (charge kappa / B_norm)-zCDP for the person, in both directions. *)
Definition noise_covers (B_norm kappa : R) (m : request R) : Prop := zcdp_priced (fun c => c * (kappa / B_norm)) m.

(** Claim: Adaptive queries, each person taking part while the declared squared norms sum to at most B_norm, are
    kappa-zCDP for each, where an answer of squared norm c is (c kappa/B_norm)-zCDP for that person, both ways.
    Source: Feldman & Zrnic, Corollary 4.7
    Beyond: That noise makes an answer so; real answers: each has finitely many outcomes here. *)
Theorem linear_queries B_norm kappa : 0 < B_norm -> 0 < kappa -> forall i t,
  honest_for i (noise_covers B_norm kappa) t -> forall alpha, 1 < alpha ->
  renyi_private_for (additive B_norm) i t alpha (alpha * kappa).
Proof.
  intros hB hkappa i t hon alpha above. revert i t hon.
  assert (unit : 0 < kappa / B_norm) by now apply Rdiv_lt_0_compat.
  apply (individual_renyi (additive B_norm) (noise_covers B_norm kappa)).
  - intros m [_ every]. now destruct (every 2 ltac:(lra)) as [(laws & _ & there & _) _].
  - apply zcdp_priced_swap.
  - intros t hon. refine (proj2 (proj1 (zcdp_ledger (additive B_norm) (fun left => left * (kappa / B_norm))
      (fun c => c * (kappa / B_norm)) kappa t _ _ hon alpha above))); [lra|]. constructor.
    + cbn. field. lra.
    + intros left c admitted. apply additive_admits in admitted. apply Rmult_le_compat_r; lra.
    + intros; cbn; ring.
Qed.
