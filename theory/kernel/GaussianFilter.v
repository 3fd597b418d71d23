(** The filter of Gaussian differential privacy: paper 003, Algorithm 2 and Theorem C.1, "if sum_t mu_t^2 <= mu^2 the
    transcript is mu-GDP", for mechanisms with finitely many outcomes and every adaptive choice.

    - [gaussian_filter]: under "CONT while sum mu_t^2 <= mu^2" the transcript's hockey-stick divergence is at most
      delta_mu(epsilon) = Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu) at every epsilon, both ways;
    - [gaussian_promise]: so it is (epsilon, delta_mu(epsilon))-DP for every epsilon;
    - [threshold_is_gdp]: asking whether a Gaussian is above its middle is mu-GDP, so honest requests exist. *)

From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Filterproof Require Import GaussianCdf GaussianCurve GaussianRound.
From Filterproof Require Import Sums Interaction Divergences Domination.
Import ListNotations.
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

(** CONT while the sum of mu_t^2 is at most mu^2; the state is what is left. *)
Definition gaussian (mu : R) : filter R :=
  Interaction.Filter R (mu ^ 2) (fun left c => if Rle_dec (c ^ 2) left then true else false)
    (fun left c _ => left - c ^ 2).

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

(** Domination at every epsilon >= 0 in both directions is domination with every pair of weights. *)
Lemma gdp_weighted {C} mu (m : request C) : gdp_at_most mu m ->
  forall x y, 0 <= x -> 0 <= y -> weighted (outcomes m) (P m) (Q m) x y <= gauss x y (mu ^ 2).
Proof.
  intros ((lp & lq) & hmu & each).
  assert (scaled : forall (n : nat) (p q : nat -> R) x y, 0 < x -> x <= y ->
    sum n (fun i => pos (p i - exp (ln (y / x)) * q i)) <= gdp_delta mu (ln (y / x)) ->
    weighted n p q x y <= gauss x y (mu ^ 2)).
  { intros n p q x y hx order bound. rewrite gdp_delta_is_gauss in bound by easy.
    assert (0 < y / x) by (apply Rdiv_lt_0_compat; lra). rewrite exp_ln in bound by easy.
    apply (Rmult_le_compat_l x) in bound; [|lra].
    rewrite <- sum_scale in bound. rewrite <- gauss_scale in bound by lra.
    replace (x * 1) with x in bound by ring. replace (x * (y / x)) with y in bound by (field; lra).
    eapply Rle_trans; [|exact bound]. right. unfold weighted. apply sum_ext. intros i _. unfold pos.
    rewrite <- RmaxRmult by lra. rewrite Rmult_0_r. f_equal. field. lra. }
  assert (log : forall a b, 0 < a -> a <= b -> 0 <= ln (b / a)).
  { intros a b ha order. rewrite <- ln_1. apply ln_le; [lra|].
    apply Rmult_le_reg_r with a; [easy|]. replace (b / a * a) with b by (field; lra). lra. }
  intros x y [hx|<-] hy.
  2: { apply Rle_trans with (sum (outcomes m) (fun _ => 0)).
       - apply sum_le. intros i small. pose proof (proj1 lq i small). apply pos_least; nra.
       - rewrite sum_zero. eapply Rle_trans; [apply pos_nonneg|apply gauss_above; lra]. }
  destruct hy as [hy|<-].
  2: { apply Rle_trans with x.
       - apply Rle_trans with (sum (outcomes m) (fun i => x * P m i)); [|rewrite sum_scale, (proj2 lp); lra].
         apply sum_le. intros i small. pose proof (proj1 lp i small). apply pos_least; nra.
       - eapply Rle_trans; [|apply gauss_above; lra]. eapply Rle_trans; [|apply pos_above]. lra. }
  destruct (Rle_or_lt x y) as [order|order].
  - apply scaled; [easy|easy|]. now apply each, log.
  - rewrite weighted_swapped by easy. rewrite gauss_mirror by easy.
    enough (weighted (outcomes m) (Q m) (P m) y x <= gauss y x (mu ^ 2)) by lra.
    apply scaled; [easy|lra|]. apply each, log; lra.
Qed.

Lemma gdp_honest_swap m : gdp_honest m -> gdp_honest (swap m).
Proof.
  intros ((lp & lq) & hmu & each). split; [now split|]. split; [easy|]. intros epsilon he.
  destruct (each epsilon he). now split.
Qed.

(** The potential is delta_{epsilon - L}(sqrt left), weighted. *)
Lemma gaussian_one_way mu t : honest gdp_honest t ->
  forall epsilon, hockey_stick (gaussian mu) t epsilon <= gauss 1 (exp epsilon) (mu ^ 2).
Proof.
  intros hon epsilon. pose proof (exp_pos epsilon) as he.
  pose proof (potential (gaussian mu) gdp_honest (fun _ x y => pos (x - exp epsilon * y))
    (fun left x y => 0 <= left /\ 0 <= x /\ 0 <= y) (fun left x y => gauss x (exp epsilon * y) left)) as bound.
  replace (gauss 1 (exp epsilon) (mu ^ 2)) with (gauss 1 (exp epsilon * 1) (mu ^ 2)) by (f_equal; ring).
  apply bound; [| |exact hon|pose proof (pow2_ge_0 mu) as square; split; [exact square|lra]]; clear bound t hon.
  - intros left tau x y (hl & hx & hy). apply gauss_above; [easy|nra].
  - intros left m x y (hl & hx & hy) honest_m admitted.
    assert (fit : charge m ^ 2 <= left).
    { change ((if Rle_dec (charge m ^ 2) left then true else false) = true) in admitted.
      destruct (Rle_dec (charge m ^ 2) left) as [fit|]; [exact fit|discriminate]. }
    pose proof (gdp_weighted _ m honest_m) as below. destruct honest_m as ((lp & lq) & hmu & _).
    split.
    + intros i small. cbn [after gaussian]. pose proof (proj1 lp i small). pose proof (proj1 lq i small).
      repeat split; [lra|nra|nra].
    + cbn [after gaussian].
      pose proof (gaussian_round (outcomes m) (P m) (Q m) (charge m ^ 2) (left - charge m ^ 2) x (exp epsilon * y) lp lq
        (pow2_ge_0 _) ltac:(lra) below hx ltac:(nra)) as round.
      rewrite Rplus_minus in round.
      eapply Rle_trans; [|exact round]. right. apply sum_ext. intros. f_equal. ring.
Qed.

(** Claim: A filter that admits while mu_t^2 sum to at most mu^2, each round mu_t-GDP, keeps the
    hockey-stick divergence of the transcript at most delta_mu(epsilon) at each epsilon, both ways.
    Source: Koskela, Tobaben & Honkela, Algorithm 2 and Theorem C.1
    Beyond: That a mechanism in doubles is mu-GDP. *)
Theorem gaussian_filter mu t : 0 <= mu -> honest gdp_honest t -> forall epsilon,
  hockey_stick (gaussian mu) t epsilon <= gdp_delta mu epsilon /\
  hockey_stick (gaussian mu) (swapped t) epsilon <= gdp_delta mu epsilon.
Proof.
  intros hmu hon epsilon. rewrite gdp_delta_is_gauss by easy. split; apply gaussian_one_way; [easy|].
  revert hon. apply honest_swapped, gdp_honest_swap.
Qed.

(** Claim: A filter that admits while mu_t^2 sum to at most mu^2, each round mu_t-GDP, keeps (epsilon,
    delta_mu(epsilon))-DP at each epsilon.
    Source: Koskela, Tobaben & Honkela, Theorem C.1 *)
Theorem gaussian_promise mu epsilon : 0 <= mu -> promises_delta (gaussian mu) gdp_honest epsilon (gdp_delta mu epsilon).
Proof.
  intros hmu. apply both_ways; [apply gdp_honest_swap|]. intros t hon. now apply (gaussian_filter mu t hmu hon).
Qed.

(** ** Somebody is granted something *)

(** Is a draw from N(mu, 1), or from N(0, 1), above mu/2? *)
Definition threshold (mu : R) : request R :=
  Ask 2 (fun i => match i with O => Phi (mu / 2) | _ => Phi (- mu / 2) end)
        (fun i => match i with O => Phi (- mu / 2) | _ => Phi (mu / 2) end) mu.

(** The Gaussian's curve is the best gain over all thresholds. *)
Lemma best_threshold mu epsilon : 0 < mu -> 0 <= epsilon ->
  Phi (mu / 2) - exp epsilon * Phi (- mu / 2) <= gdp_delta mu epsilon.
Proof.
  intros hmu he. unfold gdp_delta. destruct (Rle_dec mu 0); [lra|].
  set (f := fun u => Phi (mu / 2 - u) - exp epsilon * Phi (- mu / 2 - u)).
  replace (Phi (mu / 2)) with (Phi (mu / 2 - 0)) by (f_equal; ring).
  replace (Phi (- mu / 2)) with (Phi (- mu / 2 - 0)) by (f_equal; ring).
  change (f 0 <= f (epsilon / mu)).
  apply (rises f (fun u => exp epsilon * density (- mu / 2 - u) - density (mu / 2 - u))).
  - apply Rmult_le_reg_r with mu; [easy|]. replace (epsilon / mu * mu) with epsilon by (field; lra). lra.
  - intros u _. unfold f. auto_derive; [repeat split; apply Phi_ex|].
    change (fun x : R => Phi x) with Phi. rewrite !Phi_Derive. unfold Rminus. ring.
  - intros u [h0 h1].
    assert (epsilon / mu * mu = epsilon) by (field; lra).
    assert (u * mu <= epsilon) by nra.
    enough (density (mu / 2 - u) <= exp epsilon * density (- mu / 2 - u)) by lra.
    unfold density, Rdiv. rewrite <- Rmult_assoc. apply Rmult_le_compat_r.
    + left. apply Rinv_0_lt_compat. pose proof half_area_pos. lra.
    + unfold bell. rewrite <- exp_plus. apply exp_le. unfold Rdiv. nra.
Qed.

(** Claim: An example: whether a Gaussian is above the middle of the two means is mu-GDP, so honesty can be met. *)
Theorem threshold_is_gdp mu : 0 < mu -> gdp_honest (threshold mu).
Proof.
  intros hmu. pose proof (Phi_opp (mu / 2)) as other. replace (- (mu / 2)) with (- mu / 2) in other by field.
  pose proof (Phi_range (mu / 2)) as range.
  assert (half : Phi (- mu / 2) <= Phi (mu / 2)) by (apply Phi_rises; lra).
  split; [|split; [cbn; lra|]].
  - split; split; cbn; try lra; intros [|[|i]] small; lra || lia.
  - intros epsilon he. pose proof (best_threshold mu epsilon hmu he) as best. pose proof (one_le_exp epsilon he).
    assert (0 <= gdp_delta mu epsilon).
    { rewrite gdp_delta_is_gauss by lra. eapply Rle_trans; [apply pos_nonneg|]. apply gauss_above; lra. }
    assert (Phi (- mu / 2) - exp epsilon * Phi (mu / 2) <= 0) by nra.
    cbn. rewrite !Rplus_0_l.
    assert (one : pos (Phi (mu / 2) - exp epsilon * Phi (- mu / 2)) <= gdp_delta mu epsilon) by now apply pos_least.
    assert (two : pos (Phi (- mu / 2) - exp epsilon * Phi (mu / 2)) = 0) by (unfold pos; now rewrite Rmax_left).
    rewrite two. lra.
Qed.

Example threshold_is_granted mu : admits (gaussian mu) (mu ^ 2) (charge (threshold mu)) = true.
Proof. cbn. destruct (Rle_dec (mu * (mu * 1)) (mu * (mu * 1))); lra. Qed.
