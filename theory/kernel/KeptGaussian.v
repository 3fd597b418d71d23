(** Any filter that keeps a sum of mu_t^2 within mu^2, for mechanisms with finitely many outcomes: what a proof about a
    filter's source code rests on where requests declare parameters of Gaussian differential privacy. [KeptSums] has
    the other sums. *)

From Coq Require Import Reals Lra Lia List.
From Filterproof Require Import Sums Interaction Divergences Events GaussianFilter StricterFilter.
Import ListNotations.
Open Scope R_scope.

(** Some relation of the state to the sum of the prices so far holds at the start, is kept by every request that is
    admitted, and lets none of them pass B. *)
Definition keeps_sum_finite {C} (F : filter C) (ok : request C -> Prop) (price : C -> R) (B : R) : Prop :=
  exists invariant : state F -> R -> Prop, invariant (start F) 0 /\
    forall s sum m, ok m -> invariant s sum -> admits F s (charge m) = true -> sum + price (charge m) <= B /\
      forall i, (i < outcomes m)%nat -> invariant (after F s (charge m) i) (sum + price (charge m)).

(** Claim: Any filter, of whatever states and rules, that keeps within mu^2 the sum of mu_t^2 of the mechanisms
    that it admits, each mu_t-GDP, keeps (epsilon, delta_mu(epsilon))-DP at each epsilon.
    Source: Koskela, Tobaben & Honkela, Theorem C.1 *)
Theorem kept_gdp {C} (F : filter C) (ok : request C -> Prop) (own : C -> R) mu epsilon : 0 <= mu ->
  (forall m, ok m -> gdp_at_most (own (charge m)) m) -> keeps_sum_finite F ok (fun c => own c ^ 2) (mu ^ 2) ->
  promises_delta F ok epsilon (gdp_delta mu epsilon).
Proof.
  intros hmu priced (invariant & begins & continues).
  apply (stricter_promise own F (gaussian mu) ok gdp_honest (fun s left => invariant s (mu ^ 2 - left))).
  - intros m okm. exact (priced m okm).
  - intros s left m inv okm admitted. destruct (continues s _ m okm inv admitted) as [low next].
    cbn [admits gaussian]. split.
    + destruct (Rle_dec (own (charge m) ^ 2) left); [easy|lra].
    + intros i small. cbn [after gaussian].
      replace (mu ^ 2 - (left - own (charge m) ^ 2)) with (mu ^ 2 - left + own (charge m) ^ 2) by ring. now apply next.
  - cbn [start gaussian]. now replace (mu ^ 2 - mu ^ 2) with 0 by ring.
  - now apply gaussian_promise.
Qed.
