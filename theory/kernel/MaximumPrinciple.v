(** The maximum principle of the heat equation with decay: a solution above -e on the boundary stays above -e. *)

From Coq Require Import Reals Lra Lia Classical.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

(** Where the derivative is positive, the function is larger just after and smaller just before. *)
Lemma rises_at f x l : is_derive f x l -> 0 < l -> exists d, 0 < d /\ forall h, 0 < h < d ->
  f (x - h) < f x < f (x + h).
Proof.
  intros derivative positive. apply is_derive_Reals in derivative.
  destruct (derivative l positive) as [d near]. exists d. split; [apply cond_pos|]. intros h [hh small].
  pose proof (near h ltac:(lra) ltac:(rewrite Rabs_pos_eq; lra)) as after.
  pose proof (near (- h) ltac:(lra) ltac:(rewrite Rabs_Ropp, Rabs_pos_eq; lra)) as before.
  apply Rabs_def2 in after as [_ after]. apply Rabs_def2 in before as [_ before].
  replace (x + - h) with (x - h) in before by ring. split.
  - assert (same : (f (x - h) - f x) / - h * h = f x - f (x - h)) by (field; lra).
    assert (0 < (f (x - h) - f x) / - h) by lra. nra.
  - assert (same : (f (x + h) - f x) / h * h = f (x + h) - f x) by (field; lra).
    assert (0 < (f (x + h) - f x) / h) by lra. nra.
Qed.

(** At a minimum inside an interval the first derivative is 0 and the second is not negative. *)
Lemma first_at_minimum f x l a b : is_derive f x l -> a < x < b -> (forall z, a <= z <= b -> f x <= f z) -> l = 0.
Proof.
  intros derivative [left right] least. destruct (Rtotal_order l 0) as [neg|[zero|above]]; [|easy|].
  - destruct (rises_at (fun z => - f z) x (- l)) as (d & hd & near); [now apply @is_derive_opp|lra|].
    set (h := Rmin (d / 2) (b - x)).
    assert (0 < h < d /\ h <= b - x).
    { unfold h. pose proof (Rmin_l (d / 2) (b - x)). pose proof (Rmin_r (d / 2) (b - x)).
      assert (0 < Rmin (d / 2) (b - x)) by (apply Rmin_glb_lt; lra). lra. }
    specialize (near h ltac:(lra)). specialize (least (x + h) ltac:(lra)). lra.
  - destruct (rises_at f x l derivative above) as (d & hd & near).
    set (h := Rmin (d / 2) (x - a)).
    assert (0 < h < d /\ h <= x - a).
    { unfold h. pose proof (Rmin_l (d / 2) (x - a)). pose proof (Rmin_r (d / 2) (x - a)).
      assert (0 < Rmin (d / 2) (x - a)) by (apply Rmin_glb_lt; lra). lra. }
    specialize (near h ltac:(lra)). specialize (least (x - h) ltac:(lra)). lra.
Qed.

Lemma second_at_minimum f f' x l a b : (forall z, is_derive f z (f' z)) -> is_derive f' x l -> a < x < b ->
  (forall z, a <= z <= b -> f x <= f z) -> 0 <= l.
Proof.
  intros derivative second inside least.
  pose proof (first_at_minimum f x (f' x) a b (derivative x) inside least) as flat.
  destruct (Rle_or_lt 0 l) as [|neg]; [easy|].
  destruct (rises_at (fun z => - f' z) x (- l)) as (d & hd & near); [now apply @is_derive_opp|lra|].
  set (h := Rmin (d / 2) (b - x)).
  assert (0 < h < d /\ h <= b - x).
  { unfold h. pose proof (Rmin_l (d / 2) (b - x)). pose proof (Rmin_r (d / 2) (b - x)).
    assert (0 < Rmin (d / 2) (b - x)) by (apply Rmin_glb_lt; lra). lra. }
  destruct (MVT_cor2 f f' x (x + h) ltac:(lra)) as (c & mean & range).
  { intros c _. now apply is_derive_Reals. }
  specialize (near (c - x) ltac:(lra)). replace (x + (c - x)) with c in near by ring.
  specialize (least (x + h) ltac:(lra)). nra.
Qed.

(** K solves K_w = K_zz / 2 - K / 8 on [-M, M] from the time w0 on, and K_w is bounded there. *)
Theorem maximum_principle (K Kz Kzz Kw : R -> R -> R) M w0 e bound :
  0 < e ->
  (forall z w, w0 <= w -> is_derive (fun z => K z w) z (Kz z w)) ->
  (forall z w, w0 <= w -> is_derive (fun z => Kz z w) z (Kzz z w)) ->
  (forall z w, w0 <= w -> is_derive (fun w => K z w) w (Kw z w)) ->
  (forall z w, w0 <= w -> Kw z w = Kzz z w / 2 - K z w / 8) ->
  (forall z w, w0 <= w -> - M <= z <= M -> - bound <= Kw z w <= bound) ->
  (forall z, - M <= z <= M -> - e < K z w0) ->
  (forall w, w0 <= w -> - e < K (- M) w /\ - e < K M w) ->
  forall z w, - M <= z <= M -> w0 <= w -> - e < K z w.
Proof.
  intros he dz dzz dw heat bounded first edge z2 w2 range2 later2.
  destruct (Rlt_or_le (- e) (K z2 w2)) as [|low2]; [easy|exfalso].
  set (bad := fun w => w0 <= w /\ exists z, - M <= z <= M /\ K z w <= - e).
  assert (nonneg : 0 <= bound) by (pose proof (bounded z2 w2 later2 range2); lra).
  assert (lipschitz : forall z u w, w0 <= u -> u <= w -> - M <= z <= M -> K z u - bound * (w - u) <= K z w).
  { intros z u w hu [huw| ->] hz; [|lra].
    destruct (MVT_cor2 (fun w => K z w) (fun w => Kw z w) u w huw) as (c & mean & inside).
    { intros c hc. apply is_derive_Reals, dw. lra. }
    pose proof (bounded z c ltac:(lra) hz). nra. }
  (* the first bad time *)
  destruct (completeness (fun u => bad (- u))) as [u1 [upper least]].
  { exists (- w0). intros u [hu _]. lra. }
  { exists (- w2). split; rewrite Ropp_involutive; [easy|]. now exists z2. }
  set (w1 := - u1).
  assert (start : w0 <= w1).
  { enough (u1 <= - w0) by (unfold w1; lra). apply least. intros u [hu _]. lra. }
  assert (before : forall z w, - M <= z <= M -> w0 <= w < w1 -> - e < K z w).
  { intros z w hz [hw less]. destruct (Rlt_or_le (- e) (K z w)) as [|low]; [easy|exfalso].
    specialize (upper (- w)). unfold w1 in less. enough (- w <= u1) by lra. apply upper.
    split; rewrite Ropp_involutive; [lra|].
    now exists z. }
  destruct (continuity_ab_min (fun z => K z w1) (- M) M ltac:(lra)) as (z1 & lowest & range1).
  { intros c _. apply derivable_continuous_pt. exists (Kz c w1). now apply is_derive_Reals, dz. }
  assert (reached : K z1 w1 <= - e).
  { destruct (Rle_or_lt (K z1 w1) (- e)) as [|above]; [easy|exfalso].
    set (gap := (K z1 w1 + e) / (2 * (bound + 1))).
    assert (hgap : gap * (2 * (bound + 1)) = K z1 w1 + e) by (unfold gap; field; lra).
    assert (0 < gap) by (unfold gap; apply Rdiv_lt_0_compat; lra).
    assert (u1 <= u1 - gap); [|lra]. apply least. intros u (hu & z & hz & low).
    destruct (Rle_or_lt u (u1 - gap)) as [|near]; [easy|exfalso].
    assert (u <= u1) by (apply upper; split; [lra|now exists z]).
    pose proof (lipschitz z w1 (- u) start ltac:(unfold w1; lra) hz) as slow.
    specialize (lowest z hz). cbn beta in lowest.
    assert (- u - w1 <= gap) by (unfold w1; lra). nra. }
  assert (w1 <> w0) by (intros same; specialize (first z1 range1); rewrite same in reached; lra).
  assert (inside : - M < z1 < M).
  { destruct (edge w1 start) as [e1 e2]. split.
    - destruct range1 as [[|same] _]; [easy|]. rewrite <- same in reached. lra.
    - destruct range1 as [_ [|same]]; [easy|]. rewrite same in reached. lra. }
  pose proof (second_at_minimum (fun z => K z w1) (fun z => Kz z w1) z1 (Kzz z1 w1) (- M) M
    (fun z => dz z w1 start) (dzz z1 w1 start) inside lowest) as convex.
  specialize (heat z1 w1 start).
  destruct (rises_at (fun w => K z1 w) w1 (Kw z1 w1) (dw z1 w1 start) ltac:(lra)) as (d & hd & near).
  set (h := Rmin (d / 2) (w1 - w0)).
  assert (0 < h < d /\ h <= w1 - w0).
  { unfold h. pose proof (Rmin_l (d / 2) (w1 - w0)). pose proof (Rmin_r (d / 2) (w1 - w0)).
    assert (0 < Rmin (d / 2) (w1 - w0)) by (apply Rmin_glb_lt; lra). lra. }
  specialize (near h ltac:(lra)). specialize (before z1 (w1 - h) range1 ltac:(lra)). lra.
Qed.
