(** Any filter that keeps a sum of mu_t^2 within mu^2, for mechanisms with outcomes of any kind: what a proof about a
    filter's source code rests on where requests declare parameters of Gaussian differential privacy. [KeptSums] has
    the other sums. *)

From Coq Require Import Reals Lra.
From Coquelicot Require Import Rbar.
From Filterproof Require Import Sums Divergences AnyOutcomes AnyOutcomesFilters KeptSums GaussianDP.
From Filterproof Require Import GaussianAnyOutcomes.
Open Scope R_scope.

(** Claim: Any filter, of whatever states and rules, that keeps within mu^2 the sum of mu_t^2 of the mechanisms
    that it admits, each mu_t-GDP, keeps (epsilon, delta_mu(epsilon))-DP at each epsilon.
    Source: Koskela, Tobaben & Honkela, Theorem C.1
    Covers: mechanisms with outcomes of any kind that have two densities against an integral
    Beyond: That the iterated integral of measurable strategies and sets is the one against the law of the
    transcript, which is Tonelli's theorem. *)
Theorem kept_gdp {C} (F : filter C) (ok : request C -> Prop) (own : C -> R) mu epsilon : 0 <= mu ->
  (forall m, ok m -> gdp_at_most_any (own (charge m)) m) -> (forall m, ok m -> ok (swap m)) ->
  keeps_sum F ok (fun c => own c ^ 2) (mu ^ 2) -> promises_delta_any F ok epsilon (gdp_delta mu epsilon).
Proof.
  intros hmu priced symmetric (invariant & begins & continues).
  apply (kept_promise own F (gaussian_any mu) ok gdp_honest_any (fun s left => invariant s (mu ^ 2 - left)));
    [|easy|easy| | |].
  - intros m okm. now destruct (priced m okm) as [hl _].
  - cbn [start gaussian_any]. now replace (mu ^ 2 - mu ^ 2) with 0 by ring.
  - intros s left m inv okm admitted. destruct (continues s _ m okm inv admitted) as [low next].
    cbn [admits gaussian_any]. split.
    + destruct (Rle_dec (own (charge m) ^ 2) left); [easy|lra].
    + intros i. cbn [after gaussian_any].
      replace (mu ^ 2 - (left - own (charge m) ^ 2)) with (mu ^ 2 - left + own (charge m) ^ 2) by ring. apply next.
  - intros t hon. now apply (gaussian_filter_any mu t hmu hon).
Qed.
