(** One mu-GDP round: the analytic fact behind the filters of Gaussian differential privacy.

    - [later]: what a finite pair (p, q) before the Gaussian curve of w0 costs, another finite pair before that of v + w0
      covers later, at each w >= w0;
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

Variables (n : nat) (p q : nat -> R) (m : nat) (r s : nat -> R) (v : R).
Hypothesis law_p : law n p.
Hypothesis law_q : law n q.
Hypothesis law_r : law m r.
Hypothesis law_s : law m s.
Hypothesis positive : 0 <= v.

Variable c : R.
Hypothesis scale : 0 < c.

Let K z w := sum m (fun k => value (c * r k) (c * s k) z (v + w)) - sum n (fun i => value (c * p i) (c * q i) z w).
Let Kz z w := sum m (fun k => slope (c * r k) (c * s k) z (v + w)) - sum n (fun i => slope (c * p i) (c * q i) z w).
Let Kzz z w := sum m (fun k => value (c * r k) (c * s k) z (v + w) / 4 + 2 * flow (c * r k) (c * s k) z (v + w)) -
  sum n (fun i => value (c * p i) (c * q i) z w / 4 + 2 * flow (c * p i) (c * q i) z w).
Let Kw z w := sum m (fun k => flow (c * r k) (c * s k) z (v + w)) - sum n (fun i => flow (c * p i) (c * q i) z w).

Lemma part_nonneg N (u : nat -> R) i : law N u -> (i < N)%nat -> 0 <= c * u i.
Proof. intros [nonneg _] small. specialize (nonneg i small). apply Rmult_le_pos; lra. Qed.

Lemma K_in_z z w : 0 < w -> is_derive (fun z => K z w) z (Kz z w).
Proof.
  intros hw.
  apply (is_derive_minus (fun z => sum m (fun k => value (c * r k) (c * s k) z (v + w)))).
  - apply (sum_derive m (fun k z => value (c * r k) (c * s k) z (v + w))).
    intros k small. apply value_in_z; [now apply (part_nonneg m)|now apply (part_nonneg m)|lra].
  - apply (sum_derive n (fun i z => value (c * p i) (c * q i) z w)).
    intros i small. apply value_in_z; [now apply (part_nonneg n)|now apply (part_nonneg n)|easy].
Qed.

Lemma Kz_in_z z w : 0 < w -> is_derive (fun z => Kz z w) z (Kzz z w).
Proof.
  intros hw.
  apply (is_derive_minus (fun z => sum m (fun k => slope (c * r k) (c * s k) z (v + w)))).
  - apply (sum_derive m (fun k z => slope (c * r k) (c * s k) z (v + w))).
    intros k small. apply slope_in_z; [now apply (part_nonneg m)|now apply (part_nonneg m)|lra].
  - apply (sum_derive n (fun i z => slope (c * p i) (c * q i) z w)).
    intros i small. apply slope_in_z; [now apply (part_nonneg n)|now apply (part_nonneg n)|easy].
Qed.

Lemma K_in_w z w : 0 < w -> is_derive (fun w => K z w) w (Kw z w).
Proof.
  intros hw. apply (is_derive_minus (fun w => sum m (fun k => value (c * r k) (c * s k) z (v + w)))).
  - apply (sum_derive m (fun k w => value (c * r k) (c * s k) z (v + w))). intros k small. evar_last.
    + apply (is_derive_comp (fun u => value (c * r k) (c * s k) z u) (fun w => v + w)).
      * apply value_in_w; [now apply (part_nonneg m)|now apply (part_nonneg m)|lra].
      * apply (is_derive_plus (fun _ => v) (fun w => w)); [apply @is_derive_const|apply @is_derive_id].
    + unfold scal, plus, zero, one; cbn. unfold mult; cbn. ring.
  - apply (sum_derive n (fun i w => value (c * p i) (c * q i) z w)). intros i small.
    apply value_in_w; [now apply (part_nonneg n)|now apply (part_nonneg n)|easy].
Qed.

Lemma K_heat z w : Kw z w = Kzz z w / 2 - K z w / 8.
Proof.
  unfold Kw, Kzz, K.
  rewrite (sum_plus n (fun i => value (c * p i) (c * q i) z w / 4)), sum_scale.
  rewrite (sum_plus m (fun k => value (c * r k) (c * s k) z (v + w) / 4)), sum_scale.
  replace (sum n (fun i => value (c * p i) (c * q i) z w / 4)) with
    (sum n (fun i => value (c * p i) (c * q i) z w) / 4) by (symmetry; apply (sum_scale_right n (/ 4))).
  replace (sum m (fun k => value (c * r k) (c * s k) z (v + w) / 4)) with
    (sum m (fun k => value (c * r k) (c * s k) z (v + w)) / 4) by (symmetry; apply (sum_scale_right m (/ 4))).
  field.
Qed.

Lemma flows_range N (a b : nat -> R) M w0 z w : law N a -> law N b -> 0 < w0 -> w0 <= w -> - M <= z <= M ->
  0 <= sum N (fun i => flow (c * a i) (c * b i) z w) <= c * (exp (M / 2) * peak / (2 * sqrt w0)).
Proof.
  intros la lb h0 later range. set (X := exp (M / 2) * peak / (2 * sqrt w0)).
  assert (parts : forall i, (i < N)%nat -> 0 <= flow (c * a i) (c * b i) z w <= c * X * b i).
  { intros i small. pose proof (flow_range (c * a i) (c * b i) z w M w0) as it. fold X in it.
    specialize (it (part_nonneg N a i la small) (part_nonneg N b i lb small) h0 later range). lra. }
  split; [apply sum_nonneg; intros; now apply parts|].
  rewrite <- (Rmult_1_r (c * X)), <- (proj2 lb), <- sum_scale. apply sum_le. intros; now apply parts.
Qed.

Lemma K_bounded M w0 z w : 0 < w0 -> w0 <= w -> - M <= z <= M ->
  - (c * (exp (M / 2) * peak / (2 * sqrt w0))) <= Kw z w <= c * (exp (M / 2) * peak / (2 * sqrt w0)).
Proof.
  intros h0 later range.
  pose proof (flows_range m r s M w0 z (v + w) law_r law_s h0 ltac:(lra) range).
  pose proof (flows_range n p q M w0 z w law_p law_q h0 later range). unfold Kw. lra.
Qed.

(** Nothing is lost far out. *)
Lemma K_edges M w : - (c * exp (- M / 2)) <= K (- M) w /\ - (c * exp (- M / 2)) <= K M w.
Proof.
  assert (all : forall z, sum n (fun i => value (c * p i) (c * q i) z w) <= c * exp (z / 2)).
  { intros z. rewrite <- (Rmult_1_r (c * exp (z / 2))), <- (proj2 law_p), <- sum_scale. apply sum_le. intros i small.
    unfold value. pose proof (exp_pos (z / 2)). pose proof (exp_pos (- z / 2)).
    pose proof (part_nonneg n p i law_p small). pose proof (part_nonneg n q i law_q small).
    pose proof (gauss_at_most (c * p i * exp (z / 2)) (c * q i * exp (- z / 2)) w ltac:(nra) ltac:(nra)). lra. }
  assert (top : forall z, pos (c * exp (z / 2) - c * exp (- z / 2)) <=
    sum m (fun k => value (c * r k) (c * s k) z (v + w))).
  { intros z. pose proof (exp_pos (z / 2)). pose proof (exp_pos (- z / 2)).
    replace (c * exp (z / 2) - c * exp (- z / 2)) with
      (sum m (fun k => c * exp (z / 2) * r k - c * exp (- z / 2) * s k)).
    2: { rewrite sum_minus, !sum_scale, (proj2 law_r), (proj2 law_s). ring. }
    eapply Rle_trans; [apply pos_sum|]. apply sum_le. intros k small. unfold value.
    replace (c * exp (z / 2) * r k) with (c * r k * exp (z / 2)) by ring.
    replace (c * exp (- z / 2) * s k) with (c * s k * exp (- z / 2)) by ring.
    pose proof (part_nonneg m r k law_r small). pose proof (part_nonneg m s k law_s small).
    apply gauss_above; nra. }
  unfold K. split.
  - specialize (all (- M)). specialize (top (- M)).
    pose proof (pos_nonneg (c * exp (- M / 2) - c * exp (- - M / 2))). lra.
  - specialize (all M). specialize (top M). pose proof (pos_above (c * exp (M / 2) - c * exp (- M / 2))). lra.
Qed.

Lemma far_enough z e : 0 < e -> exists M, - M <= z <= M /\ c * exp (- M / 2) < e.
Proof.
  intros he. exists (Rabs z + 2 * (c / e)). set (M := Rabs z + 2 * (c / e)).
  assert (ratio : 0 < c / e) by now apply Rdiv_lt_0_compat.
  pose proof (Rabs_pos z) as size. split.
  - unfold M. pose proof (Rle_abs z). pose proof (Rle_abs (- z)) as other. rewrite Rabs_Ropp in other. lra.
  - assert (c / e < exp (M / 2)).
    { unfold M. pose proof (exp_ineq1 ((Rabs z + 2 * (c / e)) / 2) ltac:(lra)). lra. }
    replace (- M / 2) with (- (M / 2)) by field. rewrite exp_Ropp. pose proof (exp_pos (M / 2)).
    apply (Rmult_lt_reg_r (exp (M / 2))); [easy|]. rewrite Rmult_assoc, Rinv_l by lra.
    assert (c / e * e = c) by (field; lra). nra.
Qed.

(** From where little is lost, no more is lost later. *)
Lemma nothing_lost_from M w0 z w e : 0 < w0 -> w0 <= w -> 0 < e -> - M <= z <= M -> c * exp (- M / 2) < e ->
  (forall u, - M <= u <= M -> - e < K u w0) -> - e < K z w.
Proof.
  intros h0 early he inside far first.
  apply (maximum_principle K Kz Kzz Kw M w0 e (c * (exp (M / 2) * peak / (2 * sqrt w0)))); try easy.
  - intros; apply K_in_z; lra.
  - intros; apply Kz_in_z; lra.
  - intros; apply K_in_w; lra.
  - intros; apply K_heat.
  - intros; now apply K_bounded.
  - intros u hu. destruct (K_edges M u). lra.
Qed.

Lemma later_from w0 z w e : 0 < w0 -> w0 <= w -> 0 < e -> (forall u, 0 <= K u w0) -> - e < K z w.
Proof.
  intros h0 early he first. destruct (far_enough z e he) as (M & inside & far).
  apply (nothing_lost_from M w0); try easy. intros u _. specialize (first u). lra.
Qed.

(** At the start almost nothing is lost. *)
Lemma K_first M w0 z : 0 < w0 -> - M <= z <= M ->
  (forall x y, 0 <= x -> 0 <= y -> weighted n p q x y <= sum m (fun k => gauss (x * r k) (y * s k) v)) ->
  - (c * exp (M / 2) * (peak * sqrt w0)) <= K z w0.
Proof.
  intros h0 range below. pose proof (exp_pos (z / 2)) as h1. pose proof (exp_pos (- z / 2)) as h2.
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
  assert (sum m (fun k => gauss (x * r k) (y * s k) v) <= sum m (fun k => value (c * r k) (c * s k) z (v + w0))).
  { apply sum_le. intros k small. pose proof (proj1 law_r k small). pose proof (proj1 law_s k small).
    unfold value. replace (c * r k * exp (z / 2)) with (x * r k) by (unfold x; ring).
    replace (c * s k * exp (- z / 2)) with (y * s k) by (unfold y; ring). apply gauss_rises; nra. }
  assert (y <= c * exp (M / 2)).
  { unfold y. apply Rmult_le_compat_l; [lra|]. apply exp_le. lra. }
  assert (y * (peak * sqrt w0) <= c * exp (M / 2) * (peak * sqrt w0)) by (apply Rmult_le_compat_r; [nra|easy]).
  unfold K. lra.
Qed.

Lemma later_from_nothing z w e : 0 < w -> 0 < e ->
  (forall x y, 0 <= x -> 0 <= y -> weighted n p q x y <= sum m (fun k => gauss (x * r k) (y * s k) v)) ->
  - e < K z w.
Proof.
  intros hw he below. pose proof peak_pos as hpeak. destruct (far_enough z e he) as (M & inside & far).
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
  apply (nothing_lost_from M w0); try easy.
  intros u hu. pose proof (K_first M w0 u h0 hu below). lra.
Qed.

End Round.

(** A finite pair (p, q) before the curve of w, and another, (r, s), before that of v + w. *)
(** Claim: Where a finite pair played before the Gaussian curve of a floor is at most another played before the curve
    of v above that floor, it is so at any higher floor. *)
Theorem later n p q m r s v w0 w x y : law n p -> law n q -> law m r -> law m s -> 0 <= v -> 0 <= w0 -> w0 <= w ->
  (forall x y, 0 <= x -> 0 <= y ->
    sum n (fun i => gauss (x * p i) (y * q i) w0) <= sum m (fun k => gauss (x * r k) (y * s k) (v + w0))) ->
  0 <= x -> 0 <= y ->
  sum n (fun i => gauss (x * p i) (y * q i) w) <= sum m (fun k => gauss (x * r k) (y * s k) (v + w)).
Proof.
  intros lp lq lr ls hv h0 hw below hx hy.
  destruct hw as [hw|<-]; [|now apply below].
  destruct hx as [hx|<-].
  2: { apply Rle_trans with 0.
       - apply Rle_trans with (sum n (fun _ => 0)); [|rewrite sum_zero; lra].
         apply sum_le. intros i small. pose proof (proj1 lq i small). cbv beta. rewrite Rmult_0_l.
         apply gauss_at_most; [lra|nra].
       - apply sum_nonneg. intros k small. pose proof (proj1 ls k small).
         eapply Rle_trans; [apply pos_nonneg|]. apply gauss_above; [lra|nra]. }
  destruct hy as [hy|<-].
  2: { apply Rle_trans with x.
       - apply Rle_trans with (sum n (fun i => x * p i)); [|rewrite sum_scale, (proj2 lp); lra].
         apply sum_le. intros i small. pose proof (proj1 lp i small). cbv beta. rewrite Rmult_0_l.
         apply gauss_at_most; nra.
       - apply Rle_trans with (sum m (fun k => x * r k)); [rewrite sum_scale, (proj2 lr); lra|].
         apply sum_le. intros k small. pose proof (proj1 lr k small). cbv beta. rewrite Rmult_0_l.
         eapply Rle_trans; [|apply gauss_above; nra]. pose proof (pos_above (x * r k - 0)). lra. }
  set (z := ln (x / y)). set (c := y * exp (z / 2)). pose proof (exp_pos (z / 2)) as hz.
  assert (hc : 0 < c) by (unfold c; nra).
  assert (cx : c * exp (z / 2) = x).
  { unfold c. rewrite Rmult_assoc, <- exp_plus. replace (z / 2 + z / 2) with z by field. symmetry.
    now apply ratio_exp. }
  assert (cy : c * exp (- z / 2) = y).
  { unfold c. rewrite Rmult_assoc, <- exp_plus. replace (z / 2 + - z / 2) with 0 by field. rewrite exp_0. ring. }
  assert (back : forall N a b u, sum N (fun i => value (c * a i) (c * b i) z u) =
    sum N (fun i => gauss (x * a i) (y * b i) u)).
  { intros N a b u. apply sum_ext. intros i _. unfold value. rewrite <- cx, <- cy. f_equal; ring. }
  apply le_epsilon. intros e he.
  assert (bound : - e < sum m (fun k => value (c * r k) (c * s k) z (v + w)) -
    sum n (fun i => value (c * p i) (c * q i) z w)).
  { destruct h0 as [h0|<-].
    - apply (later_from n p q m r s v lp lq lr ls hv c hc w0); [easy|lra|easy|].
      intros u. pose proof (exp_pos (u / 2)). pose proof (exp_pos (- u / 2)).
      pose proof (below (c * exp (u / 2)) (c * exp (- u / 2)) ltac:(nra) ltac:(nra)) as it.
      assert (same : forall N a b t, sum N (fun i => value (c * a i) (c * b i) u t) =
        sum N (fun i => gauss (c * exp (u / 2) * a i) (c * exp (- u / 2) * b i) t)).
      { intros N a b t. apply sum_ext. intros i _. unfold value. f_equal; ring. }
      rewrite !same. lra.
    - apply (later_from_nothing n p q m r s v lp lq lr ls hv c hc z w e hw he).
      intros x' y' hx' hy'. rewrite Rplus_0_r in below. eapply Rle_trans; [|now apply below]. right.
      unfold weighted. apply sum_ext. intros i _. unfold gauss. now destruct (Rle_dec 0 0); [|lra]. }
  rewrite !back in bound. lra.
Qed.

Lemma one_law : law 1 (fun _ => 1).
Proof. split; cbn; intros; lra. Qed.

Lemma alone x y v : sum 1 (fun _ => gauss (x * 1) (y * 1) v) = gauss x y v.
Proof. cbn. rewrite !Rmult_1_r. ring. Qed.

(** Claim: After a round whose hockey-sticks are at most those of the Gaussian curve of variance v, the mean of the
    curve of variance w is at most the curve of variance v + w.
    Source: Koskela, Tobaben & Honkela, Theorem 11 *)
Theorem gaussian_round n p q v w x y : law n p -> law n q -> 0 <= v -> 0 <= w ->
  (forall x y, 0 <= x -> 0 <= y -> weighted n p q x y <= gauss x y v) -> 0 <= x -> 0 <= y ->
  sum n (fun i => gauss (x * p i) (y * q i) w) <= gauss x y (v + w).
Proof.
  intros lp lq hv hw below hx hy. rewrite <- (alone x y (v + w)).
  apply (later n p q 1 (fun _ => 1) (fun _ => 1) v 0 w x y lp lq one_law one_law hv ltac:(lra) hw); [|easy|easy].
  intros x' y' hx' hy'. rewrite alone, Rplus_0_r. eapply Rle_trans; [|now apply below]. right.
  unfold weighted. apply sum_ext. intros i _. unfold gauss. now destruct (Rle_dec 0 0); [|lra].
Qed.
