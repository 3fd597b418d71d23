(** One mu-GDP round: the analytic fact behind the filter of Gaussian differential privacy.

    - [gaussian_round]: if the hockey-stick of (p, q) lies below that of N(sqrt v, 1) against N(0, 1) at every
      epsilon, then sum gauss (x p_i) (y q_i) w <= gauss x y (v + w): a round does not raise the mean of delta_{epsilon - L}(sqrt w)
      above delta_epsilon(sqrt (v + w)) (paper 003, Theorem 11).

    No integral is taken: the difference of the two sides solves the heat equation in w, is not negative at w = 0 by
    assumption, and vanishes far out, so the maximum principle decides. *)

From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Filterproof Require Import Sums Interaction Divergences Domination GaussianCdf GaussianCurve MaximumPrinciple.
From Coquelicot Require Import Coquelicot.
From Filterproof Require Import Sums.
Open Scope R_scope.

Lemma sum_derive n (f : nat -> R -> R) f' z : (forall i, (i < n)%nat -> is_derive (f i) z (f' i)) ->
  is_derive (fun z => sum n (fun i => f i z)) z (sum n f').
Proof.
  induction n as [|n IH]; intros each; cbn; [apply @is_derive_const|].
  apply (is_derive_plus (fun z => sum n (fun i => f i z)) (f n)); [apply IH; intros; apply each; lia|apply each; lia].
Qed.

Lemma gauss_scale c x y v : 0 <= c -> 0 <= x -> 0 <= y -> gauss (c * x) (c * y) v = c * gauss x y v.
Proof.
  intros [hc|<-] hx hy.
  2: { rewrite !Rmult_0_l. unfold gauss. destruct (Rle_dec v 0); [|now destruct (Rle_dec 0 0); [|lra]].
       unfold pos. rewrite Rmax_left; lra. }
  unfold gauss. destruct (Rle_dec v 0).
  - rewrite <- Rmult_minus_distr_l. unfold pos. rewrite <- RmaxRmult by lra. now rewrite Rmult_0_r.
  - destruct (Rle_dec x 0), (Rle_dec (c * x) 0); try nra.
    destruct (Rle_dec y 0), (Rle_dec (c * y) 0); try nra.
    unfold form. replace (c * x / (c * y)) with (x / y) by (field; lra). ring.
Qed.

Section Round.

Variables (n : nat) (p q : nat -> R) (v : R).
Hypothesis law_p : law n p.
Hypothesis law_q : law n q.
Hypothesis positive : 0 < v.
Hypothesis below : forall x y, 0 <= x -> 0 <= y -> weighted n p q x y <= gauss x y v.

Variable c : R.
Hypothesis scale : 0 < c.

Let K z w := value c c z (v + w) - sum n (fun i => value (c * p i) (c * q i) z w).
Let Kz z w := slope c c z (v + w) - sum n (fun i => slope (c * p i) (c * q i) z w).
Let Kzz z w := (value c c z (v + w) / 4 + 2 * flow c c z (v + w)) -
  sum n (fun i => value (c * p i) (c * q i) z w / 4 + 2 * flow (c * p i) (c * q i) z w).
Let Kw z w := flow c c z (v + w) - sum n (fun i => flow (c * p i) (c * q i) z w).

Let nonneg_p i : (i < n)%nat -> 0 <= c * p i.
Proof. intros small. pose proof (proj1 law_p i small). apply Rmult_le_pos; lra. Qed.

Let nonneg_q i : (i < n)%nat -> 0 <= c * q i.
Proof. intros small. pose proof (proj1 law_q i small). apply Rmult_le_pos; lra. Qed.

Lemma K_in_z z w : 0 < w -> is_derive (fun z => K z w) z (Kz z w).
Proof.
  intros hw. apply (is_derive_minus (fun z => value c c z (v + w))); [apply value_in_z; lra|].
  apply (sum_derive n (fun i z => value (c * p i) (c * q i) z w)).
  intros i small. apply value_in_z; auto.
Qed.

Lemma Kz_in_z z w : 0 < w -> is_derive (fun z => Kz z w) z (Kzz z w).
Proof.
  intros hw. apply (is_derive_minus (fun z => slope c c z (v + w))); [apply slope_in_z; lra|].
  apply (sum_derive n (fun i z => slope (c * p i) (c * q i) z w)).
  intros i small. apply slope_in_z; auto.
Qed.

Lemma K_in_w z w : 0 < w -> is_derive (fun w => K z w) w (Kw z w).
Proof.
  intros hw. apply (is_derive_minus (fun w => value c c z (v + w))).
  - evar_last.
    + apply (is_derive_comp (fun u => value c c z u) (fun w => v + w)); [apply value_in_w; lra|].
      apply (is_derive_plus (fun _ => v) (fun w => w)); [apply @is_derive_const|apply @is_derive_id].
    + unfold scal, plus, zero, one; cbn. unfold mult; cbn. ring.
  - apply (sum_derive n (fun i w => value (c * p i) (c * q i) z w)). intros i small. apply value_in_w; auto.
Qed.

Lemma K_heat z w : Kw z w = Kzz z w / 2 - K z w / 8.
Proof.
  unfold Kw, Kzz, K.
  rewrite (sum_plus n (fun i => value (c * p i) (c * q i) z w / 4)), sum_scale.
  replace (sum n (fun i => value (c * p i) (c * q i) z w / 4)) with
    (sum n (fun i => value (c * p i) (c * q i) z w) / 4) by (symmetry; apply (sum_scale_right n (/ 4))).
  field.
Qed.

Lemma K_bounded M w0 z w : 0 < w0 -> w0 <= w -> - M <= z <= M ->
  - (c * (exp (M / 2) * peak / (2 * sqrt w0))) <= Kw z w <= c * (exp (M / 2) * peak / (2 * sqrt w0)).
Proof.
  intros h0 later range. set (X := exp (M / 2) * peak / (2 * sqrt w0)).
  pose proof (flow_range c c z (v + w) M w0 ltac:(lra) ltac:(lra) h0 ltac:(lra) range) as top. fold X in top.
  assert (parts : forall i, (i < n)%nat -> 0 <= flow (c * p i) (c * q i) z w <= c * X * q i).
  { intros i small. pose proof (flow_range (c * p i) (c * q i) z w M w0) as it. fold X in it.
    specialize (it (nonneg_p i small) (nonneg_q i small) h0 later range). lra. }
  assert (0 <= sum n (fun i => flow (c * p i) (c * q i) z w)) by (apply sum_nonneg; intros; now apply parts).
  assert (sum n (fun i => flow (c * p i) (c * q i) z w) <= c * X).
  { rewrite <- (Rmult_1_r (c * X)), <- (proj2 law_q), <- sum_scale. apply sum_le. intros; now apply parts. }
  unfold Kw. lra.
Qed.

(** Nothing is lost far out. *)
Lemma K_edges M w : - (c * exp (- M / 2)) <= K (- M) w /\ - (c * exp (- M / 2)) <= K M w.
Proof.
  assert (all : forall z, sum n (fun i => value (c * p i) (c * q i) z w) <= c * exp (z / 2)).
  { intros z. rewrite <- (Rmult_1_r (c * exp (z / 2))), <- (proj2 law_p), <- sum_scale. apply sum_le. intros i small.
    unfold value. pose proof (exp_pos (z / 2)). pose proof (exp_pos (- z / 2)).
    pose proof (nonneg_p i small). pose proof (nonneg_q i small).
    pose proof (gauss_at_most (c * p i * exp (z / 2)) (c * q i * exp (- z / 2)) w ltac:(nra) ltac:(nra)). lra. }
  assert (top : forall z, pos (c * exp (z / 2) - c * exp (- z / 2)) <= value c c z (v + w)).
  { intros z. pose proof (exp_pos (z / 2)). pose proof (exp_pos (- z / 2)). apply gauss_above; nra. }
  unfold K. split.
  - specialize (all (- M)). specialize (top (- M)).
    pose proof (pos_nonneg (c * exp (- M / 2) - c * exp (- - M / 2))). lra.
  - specialize (all M). specialize (top M). pose proof (pos_above (c * exp (M / 2) - c * exp (- M / 2))). lra.
Qed.

(** At the start almost nothing is lost. *)
Lemma K_first M w0 z : 0 < w0 -> - M <= z <= M -> - (c * exp (M / 2) * (peak * sqrt w0)) <= K z w0.
Proof.
  intros h0 range. pose proof (exp_pos (z / 2)) as h1. pose proof (exp_pos (- z / 2)) as h2.
  pose proof peak_pos. pose proof (sqrt_lt_R0 w0 h0).
  set (x := c * exp (z / 2)). set (y := c * exp (- z / 2)).
  assert (hx : 0 < x) by (unfold x; nra). assert (hy : 0 < y) by (unfold y; nra).
  assert (sum n (fun i => value (c * p i) (c * q i) z w0) <=
    sum n (fun i => pos (x * p i - y * q i) + y * (peak * sqrt w0) * q i)).
  { apply sum_le. intros i small. pose proof (proj1 law_p i small). pose proof (proj1 law_q i small).
    unfold value. replace (c * p i * exp (z / 2)) with (x * p i) by (unfold x; ring).
    replace (c * q i * exp (- z / 2)) with (y * q i) by (unfold y; ring).
    pose proof (gauss_below (x * p i) (y * q i) w0 ltac:(nra) ltac:(nra) ltac:(lra)). lra. }
  rewrite sum_plus, sum_scale, (proj2 law_q) in *.
  pose proof (below x y ltac:(lra) ltac:(lra)) as under. unfold weighted in under.
  pose proof (gauss_rises x y v (v + w0) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)).
  assert (y <= c * exp (M / 2)).
  { unfold y. apply Rmult_le_compat_l; [lra|]. apply exp_le. lra. }
  assert (y * (peak * sqrt w0) <= c * exp (M / 2) * (peak * sqrt w0)) by (apply Rmult_le_compat_r; [nra|easy]).
  unfold K, value at 1. fold x y. lra.
Qed.

Lemma nothing_lost z w e : 0 < w -> 0 < e -> - e < K z w.
Proof.
  intros hw he. pose proof peak_pos as hpeak.
  set (M := Rabs z + 2 * (c / e)).
  assert (ratio : 0 < c / e) by now apply Rdiv_lt_0_compat.
  assert (inside : - M <= z <= M).
  { unfold M. pose proof (Rle_abs z). pose proof (Rle_abs (- z)) as other. rewrite Rabs_Ropp in other. lra. }
  assert (far : c * exp (- M / 2) < e).
  { assert (c / e < exp (M / 2)).
    { pose proof (Rabs_pos z). unfold M. pose proof (exp_ineq1 ((Rabs z + 2 * (c / e)) / 2) ltac:(lra)). lra. }
    replace (- M / 2) with (- (M / 2)) by field. rewrite exp_Ropp. pose proof (exp_pos (M / 2)).
    apply (Rmult_lt_reg_r (exp (M / 2))); [easy|]. rewrite Rmult_assoc, Rinv_l by lra.
    assert (c / e * e = c) by (field; lra). nra. }
  set (X := c * exp (M / 2) * peak).
  assert (hX : 0 < X) by (pose proof (exp_pos (M / 2)); unfold X; repeat apply Rmult_lt_0_compat; lra).
  set (w0 := Rmin w ((e / (2 * X)) ^ 2)).
  assert (hsmall : 0 < e / (2 * X)) by (apply Rdiv_lt_0_compat; lra).
  assert (h0 : 0 < w0) by (unfold w0; apply Rmin_glb_lt; [easy|nra]).
  assert (early : w0 <= w) by apply Rmin_l.
  assert (near : c * exp (M / 2) * (peak * sqrt w0) < e).
  { assert (sqrt w0 <= e / (2 * X)).
    { rewrite <- (sqrt_pow2 (e / (2 * X))) by lra. apply sqrt_le_1_alt, Rmin_r. }
    assert (same : e / (2 * X) * X = e / 2) by (field; lra).
    replace (c * exp (M / 2) * (peak * sqrt w0)) with (sqrt w0 * X) by (unfold X; ring). nra. }
  apply (maximum_principle K Kz Kzz Kw M w0 e (c * (exp (M / 2) * peak / (2 * sqrt w0)))); try easy.
  - intros; apply K_in_z; lra.
  - intros; apply Kz_in_z; lra.
  - intros; apply K_in_w; lra.
  - intros; apply K_heat.
  - intros; now apply K_bounded.
  - intros u hu. pose proof (K_first M w0 u h0 hu). lra.
  - intros u hu. destruct (K_edges M u). lra.
Qed.

End Round.

Theorem gaussian_round n p q v w x y : law n p -> law n q -> 0 <= v -> 0 <= w ->
  (forall x y, 0 <= x -> 0 <= y -> weighted n p q x y <= gauss x y v) -> 0 <= x -> 0 <= y ->
  sum n (fun i => gauss (x * p i) (y * q i) w) <= gauss x y (v + w).
Proof.
  intros lp lq hv hw below hx hy.
  assert (zero : 0 <= gauss x y (v + w)).
  { eapply Rle_trans; [apply pos_nonneg|now apply gauss_above]. }
  destruct hv as [hv|<-].
  2: { (* P = Q *)
    assert (same : forall i, (i < n)%nat -> p i = q i).
    { pose proof (below 1 1 ltac:(lra) ltac:(lra)) as none. unfold gauss in none.
      destruct (Rle_dec 0 0); [|lra]. replace (pos (1 - 1)) with 0 in none by (unfold pos; rewrite Rmax_left; lra).
      assert (under : forall i, (i < n)%nat -> p i <= q i).
      { intros i small.
        pose proof (sum_one_term n (fun i => pos (1 * p i - 1 * q i)) i small ltac:(intros; apply pos_nonneg)) as one.
        pose proof (pos_above (1 * p i - 1 * q i)). unfold weighted in none. cbn beta in one. lra. }
      intros i small.
      pose proof (sum_one_term n (fun i => q i - p i) i small
        ltac:(intros j hj; specialize (under j hj); cbn; lra)) as one.
      rewrite sum_minus, (proj2 lp), (proj2 lq) in one. specialize (under i small). cbn beta in one. lra. }
    right. rewrite Rplus_0_l.
    rewrite (sum_ext n _ (fun i => p i * gauss x y w)).
    - rewrite sum_scale_right, (proj2 lp). ring.
    - intros i small. rewrite <- (same i small), (Rmult_comm x), (Rmult_comm y).
      apply gauss_scale; [apply (proj1 lp i small)|easy|easy]. }
  destruct hw as [hw|<-].
  2: { rewrite Rplus_0_r. eapply Rle_trans; [|now apply below]. right. unfold weighted. apply sum_ext. intros i _.
       unfold gauss. now destruct (Rle_dec 0 0); [|lra]. }
  destruct hx as [hx|<-].
  2: { eapply Rle_trans; [|exact zero]. apply Rle_trans with (sum n (fun _ => 0)); [|rewrite sum_zero; lra].
       apply sum_le. intros i small.
       pose proof (proj1 lq i small). cbv beta. rewrite Rmult_0_l. apply gauss_at_most; [lra|nra]. }
  destruct hy as [hy|<-].
  2: { eapply Rle_trans; [|apply gauss_above; lra]. eapply Rle_trans; [|apply pos_above].
       apply Rle_trans with (sum n (fun i => x * p i)); [|rewrite sum_scale, (proj2 lp); lra].
       apply sum_le. intros i small. pose proof (proj1 lp i small). cbv beta. rewrite Rmult_0_l.
       apply gauss_at_most; nra. }
  set (z := ln (x / y)). set (c := y * exp (z / 2)). pose proof (exp_pos (z / 2)) as hz.
  assert (hc : 0 < c) by (unfold c; nra).
  assert (cx : c * exp (z / 2) = x).
  { unfold c. rewrite Rmult_assoc, <- exp_plus. replace (z / 2 + z / 2) with z by field. symmetry.
    now apply ratio_exp. }
  assert (cy : c * exp (- z / 2) = y).
  { unfold c. rewrite Rmult_assoc, <- exp_plus. replace (z / 2 + - z / 2) with 0 by field. rewrite exp_0. ring. }
  apply le_epsilon. intros e he.
  pose proof (nothing_lost n p q v lp lq hv below c hc z w e hw he) as bound. cbv beta in bound.
  unfold value in bound. rewrite cx, cy in bound.
  rewrite (sum_ext n _ (fun i => gauss (x * p i) (y * q i) w)) in bound; [lra|].
  intros i _. f_equal; [rewrite <- cx at 1|rewrite <- cy at 1]; ring.
Qed.
