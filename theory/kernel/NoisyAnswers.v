(** Noisy answers: what Gaussian noise costs a person, how far it leads astray, and what clipping keeps. *)

From Coq Require Import Reals Lra Lia.
Set Warnings "-ambiguous-paths".
From Coquelicot Require Import Coquelicot.
From Filterproof Require Import Sums Integrals RealLine GaussianCdf AnyOutcomes AnyOutcomesFilters RealGaussian.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

(** e^{-x^2/2} - 2 Phi(-x) is 0 at 0 and far out, rises up to x = 2 peak and falls from there on. *)
Definition tail_gap (x : R) : R := exp (- x ^ 2 / 2) - 2 * Phi (- x).

Lemma bell_square x : GaussianCdf.density (- x) = exp (- x ^ 2 / 2) * peak.
Proof.
  unfold GaussianCdf.density, bell, peak. replace (- (- x * - x) / 2) with (- x ^ 2 / 2) by field. unfold Rdiv. ring.
Qed.

Lemma tail_gap_derive x : is_derive tail_gap x ((2 * peak - x) * exp (- x ^ 2 / 2)).
Proof.
  unfold tail_gap. evar_last.
  - apply (is_derive_minus (fun x => exp (- x ^ 2 / 2)) (fun x => 2 * Phi (- x)) x).
    + auto_derive; [easy|reflexivity].
    + apply (is_derive_scal (fun x => Phi (- x)) x 2).
      apply (is_derive_comp Phi Ropp x); [apply Phi_derive|]. auto_derive; [easy|reflexivity].
  - unfold minus, plus, opp, scal; cbn -[pow]. unfold mult; cbn -[pow]. rewrite bell_square.
    change (- (x * (x * 1)) * / 2) with (- x ^ 2 / 2). field.
Qed.

(** Claim: A standard normal number is beyond x >= 0, on either side, with probability at most e^(-x^2/2).
    Covers: standard normal numbers *)
Theorem two_sided_tail x : 0 <= x -> 2 * Phi (- x) <= exp (- x ^ 2 / 2).
Proof.
  intros hx. enough (0 <= tail_gap x) by (unfold tail_gap in *; lra).
  destruct (Rle_or_lt x (2 * peak)) as [near|far].
  - replace 0 with (tail_gap 0).
    2: { unfold tail_gap. replace (- 0 ^ 2 / 2) with 0 by field. pose proof (Phi_opp 0) as half. rewrite Ropp_0 in *.
         rewrite exp_0. lra. }
    apply (rises tail_gap (fun x => (2 * peak - x) * exp (- x ^ 2 / 2))); [easy|intros; apply tail_gap_derive|].
    intros u [low high]. pose proof (exp_pos (- u ^ 2 / 2)). nra.
  - apply Rnot_lt_le. intros less. destruct (Phi_vanishes (- tail_gap x / 2) ltac:(lra)) as [b beyond].
    set (y := Rmax x (- b)). pose proof (beyond (- y)) as tiny. assert (x <= y) as right_of by apply Rmax_l.
    assert (- b <= y) as past by apply Rmax_r. specialize (tiny ltac:(lra)).
    assert (tail_gap y <= tail_gap x) as fell.
    { enough (- tail_gap x <= - tail_gap y) by lra.
      apply (rises (fun u => - tail_gap u) (fun u => - ((2 * peak - u) * exp (- u ^ 2 / 2)))); [easy| |].
      - intros u _. apply (is_derive_opp tail_gap). apply tail_gap_derive.
      - intros u [low _]. pose proof (exp_pos (- u ^ 2 / 2)). nra. }
    unfold tail_gap in fell at 1. pose proof (exp_pos (- y ^ 2 / 2)). lra.
Qed.

(** Claim: For 0 < delta <= d, d times the probability that a coordinate with noise of variance B_norm/(2 kappa) is
    beyond sqrt(B_norm log(d/delta)/kappa), on either side, is at most delta.
    Source: Feldman & Zrnic, Corollary 4.7
    Covers: standard normal numbers
    Beyond: The union bound over d coordinates. *)
Theorem answers_are_near d delta B kappa : 0 < B -> 0 < kappa -> 0 < delta <= d ->
  d * (2 * Phi (- (sqrt (B * ln (d / delta) / kappa) / sqrt (B / (2 * kappa))))) <= delta.
Proof.
  intros hB hk hd. assert (1 <= d / delta) as large.
  { apply (Rmult_le_reg_r delta); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  assert (0 <= ln (d / delta)) as hl by (rewrite <- ln_1; apply Rcomplements.ln_le; lra).
  assert (0 < / kappa) as hi by now apply Rinv_0_lt_compat.
  assert (0 < B / (2 * kappa)) as hv by (apply Rdiv_lt_0_compat; lra).
  set (x := sqrt (B * ln (d / delta) / kappa) / sqrt (B / (2 * kappa))).
  assert (0 <= B * ln (d / delta) / kappa) as hr by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra).
  assert (0 <= x) as hx.
  { apply Rmult_le_pos; [apply sqrt_pos|]. left. now apply Rinv_0_lt_compat, sqrt_lt_R0. }
  assert (x ^ 2 = 2 * ln (d / delta)) as square.
  { pose proof (sqrt_lt_R0 _ hv) as some. unfold x. set (a := sqrt _) at 1. set (b := sqrt (B / (2 * kappa))) in *.
    assert (a * a = B * ln (d / delta) / kappa) as numerator by now apply sqrt_sqrt.
    assert (b * b = B / (2 * kappa)) as denominator by (apply sqrt_sqrt; lra).
    replace ((a / b) ^ 2) with (a * a / (b * b)) by (field; lra). rewrite numerator, denominator. field. lra. }
  pose proof (two_sided_tail x hx) as tail. rewrite square in tail.
  replace (- (2 * ln (d / delta)) / 2) with (- ln (d / delta)) in tail by field.
  rewrite exp_Ropp, exp_ln in tail by lra. apply (Rmult_le_compat_l d) in tail; [|lra].
  replace (d * / (d / delta)) with delta in tail by (field; lra). exact tail.
Qed.

(** Claim: With noise of variance B_norm/(2 kappa) one coordinate that a person moves by h is (h^2 kappa/B_norm)-zCDP.
    Source: Feldman & Zrnic, Corollary 4.7
    Covers: Gaussian mechanisms with real outcomes
    Beyond: That over the coordinates h^2 adds to the squared norm. *)
Theorem query_is_zcdp B kappa p q : 0 < B -> 0 < kappa ->
  zcdp_priced_any (fun c => c * (kappa / B)) (gaussian_release p q (sqrt (B / (2 * kappa))) ((p - q) ^ 2)).
Proof.
  intros hB hk. assert (0 < B / (2 * kappa)) as hv by (apply Rdiv_lt_0_compat; lra).
  set (sigma := sqrt (B / (2 * kappa))). assert (0 < sigma) as hs by now apply sqrt_lt_R0.
  assert (sigma ^ 2 = B / (2 * kappa)) as square by (cbn; rewrite Rmult_1_r; apply sqrt_sqrt; lra).
  assert ((p - q) ^ 2 / (2 * sigma ^ 2) = (p - q) ^ 2 * (kappa / B)) as cost by (rewrite square; field; lra).
  assert (zcdp_priced_any (fun c => c) (gaussian_release p q sigma ((p - q) ^ 2 * (kappa / B)))) as it.
  { apply gaussian_is_zcdp. exists p, q, sigma, ((p - q) ^ 2 * (kappa / B)). rewrite cost. repeat split; lra. }
  exact it.
Qed.

(** What a person has spent after n rounds, each norm clipped to C and to the root of what is left of B. *)
Fixpoint clipped_spent (B C : R) (v : nat -> R) (n : nat) : R :=
  match n with
  | O => 0
  | S k => clipped_spent B C v k + Rmin (v k) (Rmin C (sqrt (B - clipped_spent B C v k))) ^ 2
  end.

(** Claim: The squares of norms that are clipped to C, and to the root of what is left of B_norm, add up to at most
    B_norm.
    Source: Feldman & Zrnic, Proposition 5.2
    Covers: any norms and any number of rounds *)
Theorem clipped_within B C v n : 0 <= B -> 0 <= C -> (forall k, 0 <= v k) -> clipped_spent B C v n <= B.
Proof.
  intros hB hC hv. induction n as [|n IH]; cbn [clipped_spent]; [easy|]. set (s := clipped_spent B C v n) in *.
  set (c := Rmin (v n) (Rmin C (sqrt (B - s)))). pose proof (sqrt_pos (B - s)).
  assert (0 <= c) by (unfold c; repeat apply Rmin_glb; easy).
  assert (c <= sqrt (B - s)) by (unfold c; eapply Rle_trans; [apply Rmin_r|apply Rmin_r]).
  assert (sqrt (B - s) * sqrt (B - s) = B - s) by (apply sqrt_sqrt; lra). nra.
Qed.
