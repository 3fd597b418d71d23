(** delta_mu(epsilon) as a function of mu, its inverse, and the number of Gaussian rounds (Koskela, Tobaben & Honkela,
    equation (2.3) and Section 4.1).

    - [gdp_delta_rises]: it rises strictly with mu > 0; [gdp_delta_falls]: it does not rise with epsilon;
    - [gaussian_calibration]: one mu reaches delta, and decides which are allowed, and how many rounds. *)

From Coq Require Import Reals Lra Lia Ranalysis5.
From Coquelicot Require Import Coquelicot.
From Filterproof Require Import Sums Divergences GaussianCdf GaussianCurve GaussianDP.
Open Scope R_scope.

Lemma gdp_delta_form mu epsilon : 0 < mu -> gdp_delta mu epsilon = form 1 (exp epsilon) (- epsilon) mu.
Proof.
  intros hmu. unfold gdp_delta, form. destruct (Rle_dec mu 0); [lra|]. rewrite Rmult_1_l.
  f_equal; [|f_equal]; f_equal; field; lra.
Qed.

Lemma form_slope epsilon mu : 0 < mu -> is_derive (fun mu => form 1 (exp epsilon) (- epsilon) mu) mu
  (exp epsilon * density (- epsilon / mu - mu / 2)).
Proof. intros hmu. apply form_in_s; [easy|]. now rewrite <- exp_plus, Rplus_opp_r, exp_0. Qed.

(** Claim: delta_mu(epsilon) rises strictly with mu > 0, at each real epsilon.
    Source: Koskela, Tobaben & Honkela, equation (2.3)
    Covers: Gaussian mechanisms with real outcomes *)
Theorem gdp_delta_rises a b epsilon : 0 < a -> a < b -> gdp_delta a epsilon < gdp_delta b epsilon.
Proof.
  intros ha order. rewrite !gdp_delta_form by lra.
  destruct (MVT_cor2 (fun mu => form 1 (exp epsilon) (- epsilon) mu)
    (fun mu => exp epsilon * density (- epsilon / mu - mu / 2)) a b order) as (c & mean & inside).
  - intros c range. apply is_derive_Reals, form_slope. lra.
  - pose proof (exp_pos epsilon). pose proof (density_range (- epsilon / c - c / 2)).
    assert (0 < exp epsilon * density (- epsilon / c - c / 2) * (b - a)) by
      (apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; lra).
    lra.
Qed.

(** Claim: delta_mu(epsilon) does not rise with epsilon, at each mu > 0.
    Source: Koskela, Tobaben & Honkela, equation (2.3)
    Covers: Gaussian mechanisms with real outcomes *)
Theorem gdp_delta_falls mu a b : 0 < mu -> a <= b -> gdp_delta mu b <= gdp_delta mu a.
Proof.
  intros hmu order. rewrite !gdp_delta_form by easy.
  enough (- form 1 (exp a) (- a) mu <= - form 1 (exp b) (- b) mu) by lra.
  apply (rises (fun e => - form 1 (exp e) (- e) mu) (fun e => exp e * Phi (- e / mu - mu / 2))); [easy| |].
  - intros e _. pose proof (key 1 (exp e) (- e) mu hmu ltac:(now rewrite <- exp_plus, Rplus_opp_r, exp_0)) as same.
    unfold form. auto_derive; [repeat split; apply Phi_ex|]. change (fun x : R => Phi x) with Phi.
    rewrite !Phi_Derive. replace (- e * / mu + mu / 2) with (- e / mu + mu / 2) by (unfold Rdiv; ring).
    replace (- e * / mu + - (mu / 2)) with (- e / mu - mu / 2) by (unfold Rdiv; ring).
    transitivity (exp e * Phi (- e / mu - mu / 2) +
      (1 * density (- e / mu + mu / 2) - exp e * density (- e / mu - mu / 2)) / mu); [field; lra|].
    rewrite same. field. lra.
  - intros e _. pose proof (exp_pos e). pose proof (Phi_range (- e / mu - mu / 2)). nra.
Qed.

Lemma reaches_delta epsilon delta : 0 <= epsilon -> 0 < delta < 1 -> exists mu, 0 < mu /\ gdp_delta mu epsilon = delta.
Proof.
  intros he hd. set (f := fun mu => form 1 (exp epsilon) (- epsilon) mu).
  pose proof (exp_pos epsilon) as hexp. pose proof peak_pos as hp.
  set (low := delta / (2 * (exp epsilon * peak))).
  assert (0 < exp epsilon * peak) as hk by (apply Rmult_lt_0_compat; lra).
  assert (0 < low) as hlow by (apply Rdiv_lt_0_compat; lra).
  assert (f low < delta) as below.
  { pose proof (gauss_below 1 (exp epsilon) (low ^ 2) ltac:(lra) ltac:(lra) (pow2_ge_0 low)) as it.
    rewrite <- gdp_delta_is_gauss, gdp_delta_form in it by lra. rewrite sqrt_pow2 in it by lra.
    assert (pos (1 - exp epsilon) = 0) as none by
      (unfold pos; apply Rmax_left; pose proof (one_le_exp epsilon he); lra).
    assert (exp epsilon * (peak * low) = delta / 2) as half by (unfold low; field; lra). unfold f. lra. }
  destruct (Phi_vanishes ((1 - delta) / (1 + exp epsilon))) as [b far]; [apply Rdiv_lt_0_compat; lra|].
  set (high := Rmax (low + 1) (Rmax 1 (2 * (epsilon - b)))).
  assert (low < high /\ 1 <= high /\ 2 * (epsilon - b) <= high) as (order & one & wide).
  { unfold high. pose proof (Rmax_l (low + 1) (Rmax 1 (2 * (epsilon - b)))).
    pose proof (Rmax_r (low + 1) (Rmax 1 (2 * (epsilon - b)))). pose proof (Rmax_l 1 (2 * (epsilon - b))).
    pose proof (Rmax_r 1 (2 * (epsilon - b))). lra. }
  assert (0 <= epsilon / high <= epsilon) as part.
  { assert (epsilon / high * high = epsilon) by (field; lra).
    assert (0 <= epsilon / high) by (apply Rmult_le_pos; [easy|left; apply Rinv_0_lt_compat; lra]). split; nra. }
  assert (delta < f high) as above.
  { unfold f, form. replace (- epsilon / high) with (- (epsilon / high)) by (unfold Rdiv; ring).
    replace (- (epsilon / high) + high / 2) with (- (epsilon / high - high / 2)) by ring. rewrite Phi_opp.
    pose proof (far (epsilon / high - high / 2) ltac:(lra)) as some.
    pose proof (far (- (epsilon / high) - high / 2) ltac:(lra)) as more.
    set (r := (1 - delta) / (1 + exp epsilon)) in *.
    assert (r * (1 + exp epsilon) = 1 - delta) by (unfold r; field; lra).
    nra. }
  destruct (IVT_interv (fun mu => f mu - delta) low high) as (mu & range & here); [|easy|lra|lra|].
  - intros mu range. apply derivable_continuous_pt. exists (exp epsilon * density (- epsilon / mu - mu / 2) - 0).
    apply is_derive_Reals. apply (is_derive_minus f (fun _ => delta));
      [apply form_slope; lra|apply (is_derive_const delta)].
  - exists mu. split; [lra|]. rewrite gdp_delta_form by lra. unfold f in here. lra.
Qed.

(** Claim: For epsilon >= 0 and 0 < delta < 1 there is one mu > 0 with delta_mu(epsilon) = delta. The m >= 0 with
    delta_m(epsilon) <= delta are those up to it, and k Gaussian rounds of 1/sigma each together, of parameter
    sqrt(k)/sigma, have at most delta if and only if k <= (sigma mu)^2.
    Source: Koskela, Tobaben & Honkela, equation (2.3) and Section 4.1
    Covers: Gaussian mechanisms with real outcomes *)
Theorem gaussian_calibration epsilon delta : 0 <= epsilon -> 0 < delta < 1 -> exists mu, 0 < mu /\
  gdp_delta mu epsilon = delta /\ (forall m, 0 <= m -> gdp_delta m epsilon <= delta <-> m <= mu) /\
  forall sigma k, 0 < sigma -> gdp_delta (sqrt (INR k) / sigma) epsilon <= delta <-> INR k <= (sigma * mu) ^ 2.
Proof.
  intros he hd. destruct (reaches_delta epsilon delta he hd) as (mu & hmu & reached). exists mu.
  assert (which : forall m, 0 <= m -> gdp_delta m epsilon <= delta <-> m <= mu).
  { intros m [hm|<-].
    - split; intros order.
      + apply Rnot_lt_le. intros more. pose proof (gdp_delta_rises mu m epsilon hmu more). lra.
      + destruct order as [less|same]; [pose proof (gdp_delta_rises m mu epsilon hm less)|subst m]; lra.
    - split; intros _; [lra|]. unfold gdp_delta. destruct (Rle_dec 0 0); [|lra]. apply pos_least; [lra|].
      pose proof (one_le_exp epsilon he). lra. }
  split; [easy|]. split; [easy|]. split; [easy|]. intros sigma k hs.
  assert (0 <= sqrt (INR k) / sigma) as low by (apply Rmult_le_pos; [apply sqrt_pos|left; now apply Rinv_0_lt_compat]).
  rewrite which by easy. pose proof (sqrt_pos (INR k)) as root. pose proof (pow2_sqrt (INR k) (pos_INR k)) as square.
  set (r := sqrt (INR k)) in *. rewrite <- square. assert (r / sigma * sigma = r) as back by (field; lra).
  assert (0 < sigma * mu) by (apply Rmult_lt_0_compat; lra). split; intros order.
  { apply pow_incr. apply (Rmult_le_compat_r sigma) in order; lra. }
  apply Rmult_le_reg_r with sigma; [easy|]. rewrite back. destruct (Rle_or_lt r (mu * sigma)); nra.
Qed.
