(** The split of delta into dhat and theta with the greatest kappa (Taylor, Vippathalla & Coon, Section V-B).

    - [best_split]: a split of delta that meets Lagrange's condition has the greatest kappa;
    - [split_exists]: there is one, for each number of rounds and each delta below 1/2. *)

From Coq Require Import Reals Lra Lia Ranalysis5.
From Coquelicot Require Import Coquelicot.
From Filterproof Require Import Sums GaussianCdf GaussianCurve TradeOff NormalTails.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

(** ** What Lagrange's condition is enough for *)

Lemma density_above y z : 0 <= y -> y <= z -> density z <= density y.
Proof.
  intros hy order. unfold density, bell, Rdiv. apply Rmult_le_compat_r.
  - left. apply Rinv_0_lt_compat. pose proof half_area_pos. lra.
  - apply exp_le. nra.
Qed.

(** The tail is convex where z >= 0: it lies above each of its tangents. *)
Lemma tail_above_tangent z w : 0 <= z -> 0 <= w -> Phi (- z) - density z * (w - z) <= Phi (- w).
Proof.
  intros hz hw.
  assert (slope : forall x, is_derive (fun x => Phi (- x) + density z * (x - z)) x (density z - density x)).
  { intros x. evar_last.
    - apply (is_derive_plus (fun x => Phi (- x)) (fun x => density z * (x - z))).
      + apply (is_derive_comp Phi Ropp x); [apply Phi_derive|auto_derive; [easy|reflexivity]].
      + auto_derive; [easy|reflexivity].
    - assert (density (- x) = density x) as even by (unfold density; now rewrite bell_even).
      unfold plus, scal; cbn. unfold mult; cbn. rewrite even. ring. }
  set (g := fun x => Phi (- x) + density z * (x - z)) in *.
  enough (g z <= g w) by (unfold g in *; lra).
  destruct (Rle_or_lt z w) as [up|down].
  - apply (rises g (fun x => density z - density x)); [easy|intros; apply slope|].
    intros x range. pose proof (density_above z x). lra.
  - enough (- g w <= - g z) by lra.
    apply (rises (fun x => - g x) (fun x => - (density z - density x))); [lra| |].
    + intros x _. apply (is_derive_opp g), slope.
    + intros x range. pose proof (density_above x z). lra.
Qed.

(** Claim: Of all splits dhat + theta (1 - dhat) N <= delta < 1 with dhat, theta <= 1/2, one that spends delta and has
    (1 - N theta) phi(z_d) = N (1 - dhat) phi(z_t), Lagrange's condition, has the least z_d + z_t, and so the greatest
    kappa.
    Source: Taylor, Vippathalla & Coon, Section V-B
    Covers: Gaussian mechanisms with real outcomes *)
Theorem best_split N delta sigma epsilon zd zt zd' zt' : 0 < N -> delta < 1 -> 0 < sigma ->
  0 <= zd -> 0 <= zt -> 0 <= zd' -> 0 <= zt' ->
  Phi (- zd) + Phi (- zt) * (1 - Phi (- zd)) * N = delta ->
  (1 - N * Phi (- zt)) * density zd = N * (1 - Phi (- zd)) * density zt ->
  Phi (- zd') + Phi (- zt') * (1 - Phi (- zd')) * N <= delta ->
  zd + zt <= zd' + zt' /\
  epsilon - 1 / sigma ^ 2 - (zd' + zt') / sigma <= epsilon - 1 / sigma ^ 2 - (zd + zt) / sigma.
Proof.
  intros hN hdelta hs hd ht hd' ht' spends lagrange fits.
  enough (zd + zt <= zd' + zt') as least.
  { split; [easy|]. enough ((zd + zt) / sigma <= (zd' + zt') / sigma) by lra.
    apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|easy]. }
  assert (half : forall z, 0 <= z -> Phi (- z) <= 1 / 2).
  { intros z hz. pose proof (Phi_rises (- z) z ltac:(lra)). rewrite Phi_opp in *. lra. }
  pose proof (tail_above_tangent zd zd' hd hd') as one. pose proof (tail_above_tangent zt zt' ht ht') as two.
  pose proof (half zd hd). pose proof (half zd' hd'). pose proof (density_range zd) as [some _].
  pose proof (Phi_range (- zd')).
  set (d := Phi (- zd)) in *. set (e := Phi (- zt)) in *. set (d' := Phi (- zd')) in *. set (e' := Phi (- zt')) in *.
  set (a := 1 - d). set (b := 1 - N * e). set (a' := 1 - d'). set (b' := 1 - N * e').
  assert (a * b = 1 - delta) as here by (unfold a, b; lra).
  assert (1 - delta <= a' * b') as there by (unfold a', b'; lra).
  assert (0 < a) as ha by (unfold a; lra). assert (0 < a') as ha' by (unfold a'; lra).
  assert (0 < b) as hb by nra. assert (0 < b') as hb' by nra.
  (* the two products compared, by the inequality of the means *)
  assert (2 * (a * b) <= b * a' + a * b') as means.
  { assert (a * b * (a * b) <= b * a' * (a * b')) by (replace (b * a' * (a * b')) with (a * b * (a' * b')) by ring;
      apply Rmult_le_compat_l; nra).
    assert (0 < b * a') by nra. assert (0 < a * b') by nra. assert (0 < a * b) by nra.
    pose proof (pow2_ge_0 (b * a' - a * b')). apply Rnot_lt_le. intros more. nra. }
  set (lambda := b * density zd).
  assert (0 < lambda) as hl by (unfold lambda; nra).
  assert (N * a * density zt = lambda) as same by (unfold lambda, a, b; lra).
  assert (b * (d - d') <= lambda * (zd' - zd)) by (unfold lambda; rewrite Rmult_assoc; apply Rmult_le_compat_l; lra).
  assert (N * a * (e - e') <= lambda * (zt' - zt)).
  { rewrite <- same, Rmult_assoc. rewrite (Rmult_assoc (N * a)). rewrite <- Rmult_assoc.
    apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|lra]. }
  assert (0 <= b * (d - d') + N * a * (e - e')) by (unfold a', b' in means; unfold a, b in *; lra).
  nra.
Qed.

(** ** There is such a split *)

(** The z with Phi(-z) = p. *)
Definition upper_quantile (p : R) : R := - real (Lub_Rbar (fun x => Phi x <= p)).

Lemma upper_quantile_is z : upper_quantile (Phi (- z)) = z.
Proof.
  unfold upper_quantile. rewrite (is_lub_Rbar_unique _ (- z)); [cbn; ring|].
  split; [intros x here; now apply Phi_compared|]. intros u above. apply above. cbv beta. lra.
Qed.

Lemma tail_of_quantile p : 0 < p < 1 -> Phi (- upper_quantile p) = p.
Proof.
  intros range. destruct (Phi_reaches p range) as [t <-]. replace t with (- - t) by ring.
  now rewrite upper_quantile_is.
Qed.

Lemma quantile_compared p z : 0 < p < 1 -> (Phi (- z) <= p <-> upper_quantile p <= z) /\
  (p <= Phi (- z) <-> z <= upper_quantile p).
Proof.
  intros range. rewrite <- (tail_of_quantile p range) at 1 3. rewrite !Phi_compared. split; split; lra.
Qed.

Lemma Phi_strict a b : a < b -> Phi a < Phi b.
Proof. intros less. apply Rnot_le_lt. intros more. pose proof (proj1 (Phi_compared b a) more). lra. Qed.

Lemma quantile_continuous p : 0 < p < 1 -> continuous upper_quantile p.
Proof.
  intros range. apply filterlim_locally. intros e. pose proof (cond_pos e) as he.
  set (z := upper_quantile p). pose proof (tail_of_quantile p range) as at_z. fold z in at_z.
  pose proof (Phi_strict (- (z + e)) (- z) ltac:(lra)) as low.
  pose proof (Phi_strict (- z) (- (z - e)) ltac:(lra)) as high.
  pose proof (Phi_range (- (z + e))). pose proof (Phi_range (- (z - e))). rewrite at_z in *.
  assert (0 < Rmin (p - Phi (- (z + e))) (Phi (- (z - e)) - p)) as room by (apply Rmin_glb_lt; lra).
  exists (mkposreal _ room). intros q near.
  change (Rabs (q - p) < Rmin (p - Phi (- (z + e))) (Phi (- (z - e)) - p)) in near.
  pose proof (Rmin_l (p - Phi (- (z + e))) (Phi (- (z - e)) - p)).
  pose proof (Rmin_r (p - Phi (- (z + e))) (Phi (- (z - e)) - p)). apply Rabs_def2 in near.
  assert (0 < q < 1) as range' by lra. destruct (quantile_compared q (z + e) range') as [_ right].
  destruct (quantile_compared q (z - e) range') as [left _].
  change (Rabs (upper_quantile q - z) < e). apply Rabs_def1.
  - apply Rnot_le_lt. intros far. assert (z + e <= upper_quantile q) as it by lra. apply right in it. lra.
  - apply Rnot_le_lt. intros far. assert (upper_quantile q <= z - e) as it by lra. apply left in it. lra.
Qed.

(** The density is as small as one likes, far out. *)
Lemma density_vanishes e : 0 < e -> exists z, 0 <= z /\ forall y, z <= y -> density y < e.
Proof.
  intros he. pose proof peak_pos as hp. exists (2 * (peak / e)).
  assert (0 < peak / e) as hr by now apply Rdiv_lt_0_compat. split; [lra|]. intros y far.
  unfold density, bell, Rdiv. fold peak. change (exp (- (y * y) * / 2) * peak < e).
  set (r := peak / e) in *. assert (peak = r * e) as -> by (unfold r; field; lra).
  assert (exp (- (y * y) * / 2) * exp (y * y * / 2) = 1) as inverse.
  { rewrite <- exp_plus. replace (- (y * y) * / 2 + y * y * / 2) with 0 by field. apply exp_0. }
  pose proof (exp_pos (- (y * y) * / 2)). pose proof (exp_ineq1_le (y * y * / 2)) as grows.
  assert (r < exp (y * y * / 2)) as less by nra. rewrite <- Rmult_assoc. rewrite <- (Rmult_1_l e) at 2.
  apply Rmult_lt_compat_r; [easy|]. rewrite <- inverse. now apply Rmult_lt_compat_l.
Qed.

Lemma quantile_nonneg p : 0 < p <= 1 / 2 -> 0 <= upper_quantile p.
Proof.
  intros range. apply (quantile_compared p 0 ltac:(lra)). rewrite Ropp_0. unfold Phi. rewrite area_zero. lra.
Qed.

Section Split.

Variables (N delta : R).
Hypotheses (some : 1 <= N) (hdelta : 0 < delta < 1 / 2).

(** The theta that spends what d leaves of delta, and the sign of Lagrange's condition. *)
Let theta (d : R) : R := (delta - d) / (N * (1 - d)).
Let slope (d : R) : R :=
  (1 - N * theta d) * density (upper_quantile d) - N * (1 - d) * density (upper_quantile (theta d)).

Lemma theta_range d : 0 < d < delta -> 0 < theta d <= delta /\ theta d * N * (1 - d) = delta - d /\
  1 / 2 <= 1 - N * theta d <= 1.
Proof.
  intros hd. assert (theta d * N * (1 - d) = delta - d) as same by (unfold theta; field; lra).
  assert (0 < theta d) as positive by (apply Rdiv_lt_0_compat; [lra|apply Rmult_lt_0_compat; lra]).
  assert (0 < N * theta d) by (apply Rmult_lt_0_compat; lra). assert (N * theta d <= delta) as small.
  { apply Rmult_le_reg_r with (1 - d); [lra|]. nra. }
  split; [split; [easy|nra]|]. split; [easy|lra].
Qed.

Lemma density_smooth (x : R) : continuous density x.
Proof. apply (ex_derive_continuous density). unfold density, bell. auto_derive. easy. Qed.

Lemma slope_smooth d : 0 < d < delta -> continuous slope d.
Proof.
  intros hd. destruct (theta_range d hd) as (range & _).
  assert (smooth : continuous theta d).
  { apply (ex_derive_continuous theta). unfold theta. auto_derive. apply Rgt_not_eq, Rmult_lt_0_compat; lra. }
  assert (line : continuous (fun d => N * (1 - d)) d).
  { apply (ex_derive_continuous (fun d => N * (1 - d))). auto_derive. easy. }
  apply (continuous_minus (fun d => (1 - N * theta d) * density (upper_quantile d))
    (fun d => N * (1 - d) * density (upper_quantile (theta d)))).
  - apply (continuous_mult (fun d => 1 - N * theta d) (fun d => density (upper_quantile d))).
    + apply (continuous_minus (fun _ => 1) (fun d => N * theta d)); [apply continuous_const|].
      now apply (continuous_scal_r N theta).
    + apply (continuous_comp upper_quantile density); [apply quantile_continuous; lra|apply density_smooth].
  - apply (continuous_mult (fun d => N * (1 - d)) (fun d => density (upper_quantile (theta d)))).
    + exact line.
    + apply (continuous_comp (fun d => upper_quantile (theta d)) density); [|apply density_smooth].
      apply (continuous_comp theta upper_quantile); [easy|apply quantile_continuous; lra].
Qed.

Lemma falls_first : exists d, 0 < d <= delta / 2 /\ slope d < 0.
Proof.
  assert (0 < delta / (2 * N)) as hp by (apply Rdiv_lt_0_compat; lra).
  assert (delta / (2 * N) * (2 * N) = delta) as whole by (field; lra).
  set (W := upper_quantile (delta / (2 * N))). assert (0 <= W) as hW by (apply quantile_nonneg; nra).
  pose proof (density_range W) as [dW _].
  destruct (density_vanishes (N * (1 / 2) * density W)) as (Z & hZ & far); [nra|].
  set (z := Rmax Z (upper_quantile (delta / 2))). set (d := Phi (- z)).
  assert (0 < d) as hd by (pose proof (Phi_strict (- z - 1) (- z) ltac:(lra)); pose proof (Phi_range (- z - 1));
    unfold d; lra).
  assert (d <= delta / 2) as low by (apply (quantile_compared (delta / 2) z ltac:(lra)), Rmax_r).
  exists d. split; [easy|]. destruct (theta_range d ltac:(lra)) as (range & spent & part).
  assert (delta / (2 * N) <= theta d) as more by (apply Rmult_le_reg_r with (2 * N); [lra|nra]).
  assert (density W <= density (upper_quantile (theta d))) as above.
  { apply density_above; [apply quantile_nonneg; lra|]. apply (quantile_compared (theta d) W ltac:(lra)).
    unfold W. rewrite tail_of_quantile; lra. }
  assert (upper_quantile d = z) as at_d by apply upper_quantile_is.
  pose proof (far z (Rmax_l _ _)) as less. pose proof (density_range z) as [dz _]. unfold slope. rewrite at_d.
  assert ((1 - N * theta d) * density z <= 1 * density z) by (apply Rmult_le_compat_r; lra).
  assert (N * (1 / 2) * density W <= N * (1 - d) * density (upper_quantile (theta d))); [|lra].
  apply Rmult_le_compat; [lra|lra|apply Rmult_le_compat_l; lra|easy].
Qed.

Lemma rises_last : exists d, delta / 2 < d < delta /\ 0 < slope d.
Proof.
  set (V := upper_quantile (delta / 2)). pose proof (density_range V) as [dV _].
  destruct (density_vanishes (1 / 2 * density V / N)) as (Y & hY & far); [apply Rdiv_lt_0_compat; lra|].
  assert (0 < Phi (- Y)) as hp by (pose proof (Phi_strict (- Y - 1) (- Y) ltac:(lra));
    pose proof (Phi_range (- Y - 1)); lra).
  set (room := Rmin (delta / 4) (N * (1 / 2) * Phi (- Y))). set (d := delta - room).
  assert (0 < room) as hr by (apply Rmin_glb_lt; [lra|apply Rmult_lt_0_compat; lra]).
  pose proof (Rmin_l (delta / 4) (N * (1 / 2) * Phi (- Y))) as small. fold room in small.
  pose proof (Rmin_r (delta / 4) (N * (1 / 2) * Phi (- Y))) as few. fold room in few.
  assert (delta / 2 < d < delta) as hd by (unfold d; lra). exists d. split; [easy|].
  destruct (theta_range d ltac:(lra)) as (range & spent & part).
  assert (theta d <= Phi (- Y)) as less.
  { apply Rmult_le_reg_r with (N * (1 / 2)); [lra|].
    assert (theta d * (N * (1 / 2)) <= theta d * N * (1 - d)) by nra.
    assert (delta - d = room) by (unfold d; ring). lra. }
  assert (Y <= upper_quantile (theta d)) as wide by (apply (quantile_compared (theta d) Y ltac:(lra)); easy).
  pose proof (far _ wide) as tiny. pose proof (density_range (upper_quantile (theta d))) as [dt _].
  assert (density V <= density (upper_quantile d)) as above.
  { apply density_above; [apply quantile_nonneg; lra|]. apply (quantile_compared d V ltac:(lra)).
    unfold V. rewrite tail_of_quantile; lra. }
  unfold slope. assert (1 / 2 * density V <= (1 - N * theta d) * density (upper_quantile d)).
  { apply Rmult_le_compat; lra. }
  assert (N * (1 - d) * density (upper_quantile (theta d)) <= N * density (upper_quantile (theta d))).
  { apply Rmult_le_compat_r; nra. }
  assert (1 / 2 * density V / N * N = 1 / 2 * density V) by (field; lra). nra.
Qed.

End Split.

(** Claim: For each N >= 1 and 0 < delta < 1/2 some split with dhat, theta <= 1/2 spends delta, dhat + theta (1 - dhat)
    N = delta, and meets Lagrange's condition (1 - N theta) phi(z_d) = N (1 - dhat) phi(z_t).
    Source: Taylor, Vippathalla & Coon, Section V-B
    Covers: Gaussian mechanisms with real outcomes *)
Theorem split_exists N delta : 1 <= N -> 0 < delta < 1 / 2 -> exists zd zt, 0 <= zd /\ 0 <= zt /\
  Phi (- zd) + Phi (- zt) * (1 - Phi (- zd)) * N = delta /\
  (1 - N * Phi (- zt)) * density zd = N * (1 - Phi (- zd)) * density zt.
Proof.
  intros some hdelta. destruct (falls_first N delta some hdelta) as (a & ha & low).
  destruct (rises_last N delta some hdelta) as (b & hb & high).
  set (theta := fun d => (delta - d) / (N * (1 - d))).
  destruct (IVT_interv (fun d => (1 - N * theta d) * density (upper_quantile d) -
    N * (1 - d) * density (upper_quantile (theta d))) a b) as (d & range & here); [|lra|exact low|exact high|].
  - intros d range. apply continuity_pt_filterlim. apply (slope_smooth N delta some hdelta). lra.
  - destruct (theta_range N delta some hdelta d ltac:(lra)) as (small & spent & _). fold (theta d) in small, spent.
    exists (upper_quantile d), (upper_quantile (theta d)). rewrite !tail_of_quantile by lra.
    split; [apply quantile_nonneg; lra|]. split; [apply quantile_nonneg; lra|]. split; [|lra].
    transitivity (d + theta d * N * (1 - d)); [ring|rewrite spent; ring].
Qed.
