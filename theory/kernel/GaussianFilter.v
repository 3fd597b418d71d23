(** The filter of Gaussian differential privacy for mechanisms with finitely many outcomes (Koskela, Tobaben & Honkela,
    Algorithm 2 and Theorem C.1), from the case of outcomes of any kind in [GaussianAnyOutcomes].

    - [gaussian_filter]: under "CONT while sum mu_t^2 <= mu^2" the transcript's hockey-stick divergence is at most
      delta_mu(epsilon) = Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu) at every epsilon, both ways;
    - [gaussian_promise]: so it is (epsilon, delta_mu(epsilon))-DP for every epsilon;
    - [threshold_is_gdp]: asking whether a Gaussian is above its middle is mu-GDP, so honest requests exist. *)

From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Filterproof Require Import Integrals AnyOutcomes AnyOutcomesFilters GaussianAnyOutcomes.
From Filterproof Require Import GaussianCdf GaussianCurve GaussianDP.
From Filterproof Require Import Sums Interaction Divergences Domination.
Import ListNotations.
Open Scope R_scope.

(** ** As one with outcomes of any kind *)

Lemma counted_excess n (p q : nat -> R) y :
  Integrals.value (counting n) (fun i => pos (counted n p i - y * counted n q i)) =
  sum n (fun i => pos (p i - y * q i)).
Proof. apply counted_value. intros i less. now rewrite !counted_same. Qed.

Lemma embedded_adds {C D} (f : C -> D) m : laws m -> forall c, 0 < c ->
  adds (base (embedded_request f m)) (fun i => c * AnyOutcomes.P (embedded_request f m) i) /\
  adds (base (embedded_request f m)) (fun i => c * AnyOutcomes.Q (embedded_request f m) i).
Proof.
  intros [lp lq] c hc. destruct (counted_density _ _ lp) as [hp _]. destruct (counted_density _ _ lq) as [hq _].
  split; apply counting_adds; intros i; apply Rmult_le_pos; lra || apply hp || apply hq.
Qed.

(** Lemma 10 for it: what holds at every epsilon >= 0 both ways holds at every real epsilon. *)
Lemma gdp_for_any {C} mu (m : request C) : gdp_at_most mu m ->
  gdp_at_most_any mu (embedded_request (fun c => c) m).
Proof.
  intros (both & hmu & each).
  destruct (lemma_10_any mu (embedded_request (fun c => c) m) (embedded_laws _ m both) hmu (embedded_adds _ m both))
    as [[every _] [whole _]].
  apply whole, every. intros epsilon he. cbn [base AnyOutcomes.P AnyOutcomes.Q embedded_request].
  rewrite !counted_excess. now apply each.
Qed.

(** Domination at every epsilon >= 0 in both directions is domination with every pair of weights. *)
Lemma gdp_weighted {C} mu (m : request C) : gdp_at_most mu m ->
  forall x y, 0 <= x -> 0 <= y -> weighted (outcomes m) (P m) (Q m) x y <= gauss x y (mu ^ 2).
Proof.
  intros gdp x y hx hy. pose proof (gdp_weighted_any mu _ (gdp_for_any mu m gdp) x y hx hy) as below.
  cbn [base AnyOutcomes.P AnyOutcomes.Q embedded_request] in below.
  rewrite (counted_value _ _ (fun i => pos (x * P m i - y * Q m i))) in below; [exact below|].
  intros i less. now rewrite !counted_same.
Qed.

(** ** The filter *)

(** CONT while the sum of mu_t^2 is at most mu^2; the state is what is left. *)
Definition gaussian (mu : R) : filter R :=
  Interaction.Filter R (mu ^ 2) (fun left c => if Rle_dec (c ^ 2) left then true else false)
    (fun left c _ => left - c ^ 2).

Lemma gaussian_decides_alike mu : decide_alike (fun c => c) (gaussian mu) (gaussian_any mu).
Proof. exists eq. split; [easy|]. now intros s s' c <-. Qed.

(** Claim: A filter that admits while mu_t^2 sum to at most mu^2, each round mu_t-GDP, keeps the
    hockey-stick divergence of the transcript at most delta_mu(epsilon) at each epsilon, both ways.
    Source: Koskela, Tobaben & Honkela, Algorithm 2 and Theorem C.1
    Beyond: That a mechanism in doubles is mu-GDP. *)
Theorem gaussian_filter mu t : 0 <= mu -> honest gdp_honest t -> forall epsilon,
  hockey_stick (gaussian mu) t epsilon <= gdp_delta mu epsilon /\
  hockey_stick (gaussian mu) (swapped t) epsilon <= gdp_delta mu epsilon.
Proof.
  intros hmu hon epsilon.
  pose proof (gaussian_filter_any mu _ hmu
    (honest_embedded (fun c => c) gdp_honest gdp_honest_any t (fun m => gdp_for_any (charge m) m) hon) epsilon) as both.
  rewrite !(finitely_many _ _ _ t _ (gaussian_decides_alike mu)) in both.
  unfold hockey_stick. now rewrite over_swapped.
Qed.

(** Claim: A filter that admits while mu_t^2 sum to at most mu^2, each round mu_t-GDP, keeps (epsilon,
    delta_mu(epsilon))-DP at each epsilon.
    Source: Koskela, Tobaben & Honkela, Theorem C.1 *)
Theorem gaussian_promise mu epsilon : 0 <= mu -> promises_delta (gaussian mu) gdp_honest epsilon (gdp_delta mu epsilon).
Proof.
  intros hmu. apply (promises_finite (fun c => c) _ (gaussian_any mu) _ gdp_honest_any);
    [apply gaussian_decides_alike|exact (fun m => gdp_for_any (charge m) m)|now apply gaussian_promise_any].
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
