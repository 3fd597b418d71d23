(** Gaussian differential privacy: delta_mu(epsilon), and what it is for a mechanism with finitely many outcomes. *)

From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Filterproof Require Import Sums Interaction Divergences GaussianCdf GaussianCurve GaussianRound.
Open Scope R_scope.

(** delta of mu-GDP at epsilon. *)
Definition gdp_delta (mu epsilon : R) : R :=
  if Rle_dec mu 0 then pos (1 - exp epsilon)
  else Phi (mu / 2 - epsilon / mu) - exp epsilon * Phi (- mu / 2 - epsilon / mu).

(** mu-GDP of a round: both ways the hockey-stick divergence is at most delta_mu(epsilon), at every epsilon >= 0. *)
Definition gdp_at_most {C} (mu : R) (m : request C) : Prop :=
  laws m /\ 0 <= mu /\ forall epsilon, 0 <= epsilon ->
    sum (outcomes m) (fun i => pos (P m i - exp epsilon * Q m i)) <= gdp_delta mu epsilon /\
    sum (outcomes m) (fun i => pos (Q m i - exp epsilon * P m i)) <= gdp_delta mu epsilon.

(** A request is charged its mu. *)
Definition gdp_honest (m : request R) : Prop := gdp_at_most (charge m) m.

Lemma gdp_delta_is_gauss mu epsilon : 0 <= mu -> gdp_delta mu epsilon = gauss 1 (exp epsilon) (mu ^ 2).
Proof.
  intros hmu. unfold gdp_delta. destruct (Rle_dec mu 0) as [none|some].
  - unfold gauss. destruct (Rle_dec (mu ^ 2) 0); [easy|nra].
  - symmetry. apply gauss_is_delta. lra.
Qed.

Lemma gauss_mirror x y v : 0 < x -> 0 < y -> gauss x y v = x - y + gauss y x v.
Proof.
  intros hx hy. unfold gauss. destruct (Rle_dec v 0).
  - unfold pos, Rmax. destruct (Rle_dec 0 (x - y)), (Rle_dec 0 (y - x)); lra.
  - destruct (Rle_dec x 0); [lra|]. destruct (Rle_dec y 0); [lra|]. rewrite form_mirror. do 2 f_equal.
    rewrite <- ln_Rinv by (now apply Rdiv_lt_0_compat). f_equal. field. lra.
Qed.

(** Claim: The Gaussian's curve at epsilon is 1 - e^epsilon and e^epsilon times it at -epsilon.
    Covers: Gaussian(mu) *)
Lemma gdp_delta_turned mu epsilon : 0 <= mu ->
  gdp_delta mu epsilon = exp epsilon * gdp_delta mu (- epsilon) + (1 - exp epsilon).
Proof.
  intros hmu. rewrite !gdp_delta_is_gauss by easy. pose proof (exp_pos epsilon). pose proof (exp_pos (- epsilon)).
  rewrite <- gauss_scale by lra. rewrite <- exp_plus, Rplus_opp_r, exp_0, Rmult_1_r.
  rewrite gauss_mirror by lra. lra.
Qed.
