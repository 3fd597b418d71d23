(** The odometer that mixes lines: all exponents k >= 0, by the density of |N(0, 1/H)|. With S/2 the sum of the zCDP
    charges, its bound is S/2 + sqrt(2 (S + H)(log(1/delta) + log(S/H + 1)/2)). *)

From Coq Require Import Reals Lra Lia List.
From Filterproof Require Import Sums Interaction Divergences Paths AdditiveFilter Ledger ZCDPFilter
  ApproximateZCDPFilter HalfMixture Odometers.
Import ListNotations.
Open Scope R_scope.

Lemma half_mixture_mixes H delta : 0 <= delta ->
  mixes (fun K V x y => delta * (x * mixed H (INR K) (ln x - ln y) V)).
Proof.
  intros hd. split.
  - intros K V x y hx. apply Rmult_le_pos; [easy|]. apply Rmult_le_pos; [easy|]. apply mixed_nonneg, pos_INR.
  - intros K n u v V x y V' each. rewrite sum_scale. apply Rmult_le_compat_l; [easy|].
    apply (mixed_falls H (INR K) n u (fun i => ln (u i) - ln (v i))); [apply pos_INR|exact each].
Qed.

Section mixture.

Context {C : Type} (price cost : C -> R).
Variables (H delta xi : R).
Hypotheses (hH : 0 < H) (hd : 0 < delta < 1) (hxi : 0 <= xi).

Definition mixture_of (l : list C) : option R := within price cost xi (fun V => Some (mixture_bound H delta V)) l.

Lemma mixture_crossed V x y : 0 <= V -> 0 < x -> mixture_bound H delta V < ln x - ln y ->
  exists K0, forall K, (K0 <= K)%nat -> x <= delta * (x * mixed H (INR K) (ln x - ln y) V).
Proof.
  intros hV hx past. destruct (mixed_reaches H delta _ V hH hd hV past) as [N all].
  exists N. intros K large. specialize (all K large). rewrite <- Rmult_assoc, (Rmult_comm delta), Rmult_assoc.
  rewrite <- (Rmult_1_r x) at 1. apply Rmult_le_compat_l; [lra|].
  apply (Rmult_le_compat_l delta) in all; [|lra]. rewrite Rinv_r in all; lra.
Qed.

Lemma mixture_begins K : delta * (1 * mixed H (INR K) (ln 1 - ln 1) 0) <= delta.
Proof. rewrite ln_1, Rminus_0_r, Rmult_1_l. pose proof (mixed_at_start H (INR K) hH). nra. Qed.

(** P(L > S/2 + sqrt(2 (S + H)(log(1/delta) + log(S/H + 1)/2)) at some time) <= delta + xi, S/2 the sum of prices. *)
(** Claim: In finitely many rounds, which lose as rho_t-zCDP ones but for outcomes of probability at most xi_t, both
    ways, the probability that the loss is ever above S/2 + sqrt(2 (S + H) (log(1/delta) + log(S/H + 1)/2)), S twice the
    sum of the rho_t, while the xi_t sum to at most xi, is at most delta + xi, in both directions.
    Source: Whitehouse, Ramdas, Rogers & Wu *)
Theorem mixture_odometer grants t : honest (both (lossy price cost)) t ->
  ever (listing grants) (above_list mixture_of) [] 1 1 t <= delta + xi /\
  ever (listing grants) (above_list mixture_of) [] 1 1 (swapped t) <= delta + xi.
Proof.
  apply (loss_odometer price cost mixture_of xi delta (fun K V x y => delta * (x * mixed H (INR K) (ln x - ln y) V)));
    [apply half_mixture_mixes; lra|apply within_short| |apply mixture_begins|easy].
  intros l b x y some hV hx _ past. apply within_some in some. injection some as <-. now apply mixture_crossed.
Qed.

(** Claim: Releasing only while S/2 + sqrt(2 (S + H) (log(1/delta) + log(S/H + 1)/2)), S twice the sum of the rho_t, is
    at most epsilon >= 0 and the xi_t sum to at most xi <= 1, the request included, keeps (epsilon, delta + xi)-DP for
    mixtures of rho_t-zCDP mechanisms with anything, of weight xi_t.
    Source: Whitehouse, Ramdas, Rogers & Wu *)
Theorem mixture_as_filter epsilon : 0 <= epsilon -> xi <= 1 ->
  promises_delta (below_list mixture_of epsilon) (approximate_zcdp_priced price cost) epsilon (delta + xi).
Proof.
  intros he less.
  apply (approximate_odometer_as_filter price cost mixture_of xi delta
    (fun K V x y => delta * (x * mixed H (INR K) (ln x - ln y) V)));
    [apply half_mixture_mixes; lra|apply within_short| |apply mixture_begins|lra|lra|easy].
  intros l b x y some hV hx _ past. apply within_some in some. injection some as <-. now apply mixture_crossed.
Qed.

End mixture.
