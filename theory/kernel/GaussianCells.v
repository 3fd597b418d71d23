(** A Gaussian pair cut into finitely many cells. The pair of the cells is below the Gaussian curve, and comes as near
    to it as one likes: so what is true of every finite pair before a curve is true of the Gaussian pair.

    - [cells_below]: the cells lose nothing beyond the curve;
    - [cells_near]: up to e (x + y) they lose all of it. *)

From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Filterproof Require Import Sums Interaction Divergences Domination GaussianCdf GaussianCurve.
Open Scope R_scope.

Lemma sum_differences (f : nat -> R) n : sum n (fun k => f (S k) - f k) = f n - f O.
Proof. induction n as [|n IH]; cbn; [ring|rewrite IH; ring]. Qed.

(** What the test "below t" gains, N(- s, 1) against N(0, 1). *)
Definition gain (x y s t : R) : R := x * Phi (t + s) - y * Phi t.

(** Where it gains most. *)
Definition best (x y s : R) : R := ln (x / y) / s - s / 2.

Lemma gain_derive x y s t : is_derive (gain x y s) t (x * GaussianCdf.density (t + s) - y * GaussianCdf.density t).
Proof.
  unfold gain. auto_derive; [repeat split; apply Phi_ex|]. change (fun x : R => Phi x) with Phi.
  rewrite !Phi_Derive. ring.
Qed.

(** The two densities, compared. *)
Lemma densities x y s t : 0 < x -> 0 < y -> 0 < s ->
  x * GaussianCdf.density (t + s) = y * GaussianCdf.density t * exp (s * (best x y s - t)).
Proof.
  intros hx hy hs. unfold GaussianCdf.density, bell, Rdiv. rewrite <- !Rmult_assoc.
  rewrite (Rmult_comm (y * _ * _)), <- !Rmult_assoc. f_equal.
  replace x with (y * exp (ln (x / y))) at 1 by (rewrite exp_ln by (now apply Rdiv_lt_0_compat); field; lra).
  rewrite (Rmult_comm (exp (s * _))), !Rmult_assoc. f_equal. rewrite <- !exp_plus. f_equal. unfold best. field. lra.
Qed.

Lemma gain_at_best x y s : 0 < x -> 0 < y -> 0 < s -> gain x y s (best x y s) = gauss x y (s ^ 2).
Proof.
  intros hx hy hs. unfold gauss. destruct (Rle_dec (s ^ 2) 0); [nra|]. destruct (Rle_dec x 0); [lra|].
  destruct (Rle_dec y 0); [lra|]. unfold gain, form, best. rewrite sqrt_pow2 by lra.
  replace (ln (x / y) / s - s / 2 + s) with (ln (x / y) / s + s / 2) by lra. reflexivity.
Qed.

Lemma gain_rises x y s a b : 0 < x -> 0 < y -> 0 < s -> a <= b -> b <= best x y s -> gain x y s a <= gain x y s b.
Proof.
  intros hx hy hs order low. apply (rises _ (fun t => x * GaussianCdf.density (t + s) - y * GaussianCdf.density t));
    [easy| |].
  - intros; apply gain_derive.
  - intros t range. rewrite (densities x y s t) by easy. pose proof (density_range t).
    assert (1 <= exp (s * (best x y s - t))) by (rewrite <- exp_0; apply exp_le; nra).
    assert (0 < y * GaussianCdf.density t) by (apply Rmult_lt_0_compat; lra). nra.
Qed.

Lemma gain_falls x y s a b : 0 < x -> 0 < y -> 0 < s -> a <= b -> best x y s <= a -> gain x y s b <= gain x y s a.
Proof.
  intros hx hy hs order high. enough (- gain x y s a <= - gain x y s b) by lra.
  apply (rises (fun t => - gain x y s t) (fun t => - (x * GaussianCdf.density (t + s) - y * GaussianCdf.density t)));
    [easy| |].
  - intros t _. apply (is_derive_opp (gain x y s)). apply gain_derive.
  - intros t range. rewrite (densities x y s t) by easy. pose proof (density_range t).
    assert (exp (s * (best x y s - t)) <= 1) by (rewrite <- exp_0; apply exp_le; nra).
    assert (0 < y * GaussianCdf.density t) by (apply Rmult_lt_0_compat; lra). nra.
Qed.

Lemma gain_nonneg x y s t : 0 < x -> 0 < y -> 0 < s -> t <= best x y s -> 0 <= gain x y s t.
Proof.
  intros hx hy hs low. apply Rnot_lt_le. intros neg.
  destruct (Phi_vanishes (- gain x y s t / y)) as [b near]; [apply Rdiv_lt_0_compat; lra|].
  pose proof (near (Rmin b t) (Rmin_l b t)) as less.
  pose proof (gain_rises x y s (Rmin b t) t hx hy hs (Rmin_r b t) low) as order.
  apply (Rmult_lt_compat_l y) in less; [|easy].
  replace (y * (- gain x y s t / y)) with (- gain x y s t) in less by (field; lra).
  pose proof (Phi_range (Rmin b t + s)). unfold gain at 1 in order. nra.
Qed.

(** The same, from the other end. *)
Lemma gain_mirror x y s t : gain x y s t = x - y + gain y x s (- t - s).
Proof.
  unfold gain. replace (- t - s + s) with (- t) by ring. replace (- t - s) with (- (t + s)) by ring.
  rewrite !Phi_opp. ring.
Qed.

Lemma gain_above x y s t : 0 < x -> 0 < y -> 0 < s -> best x y s <= t -> x - y <= gain x y s t.
Proof.
  intros hx hy hs high. rewrite gain_mirror. enough (0 <= gain y x s (- t - s)) by lra. apply gain_nonneg; try easy.
  unfold best in *. replace (y / x) with (/ (x / y)) by (field; lra). rewrite ln_Rinv by (now apply Rdiv_lt_0_compat).
  lra.
Qed.

Section Cells.

(** Cells between - infinity, b, b + h, ..., b + (n - 1) h and infinity; there are n + 1. *)
Variables (n : nat) (b h s : R).
Hypotheses (some : (0 < n)%nat) (positive : 0 < h) (apart : 0 < s).

Definition edge (k : nat) : R := b + h * INR k.

(** The probability below the k-th edge. *)
Definition below_edge (shift : R) (k : nat) : R :=
  match k with
  | O => 0
  | S j => if lt_dec j n then Phi (edge j + shift) else 1
  end.

Definition cell (shift : R) (k : nat) : R := below_edge shift (S k) - below_edge shift k.

Lemma edge_rises j : edge j <= edge (S j).
Proof. unfold edge. rewrite S_INR. nra. Qed.

Lemma cell_law shift : law (S n) (cell shift).
Proof.
  split.
  - intros k _. unfold cell, below_edge. destruct k as [|j].
    + destruct (lt_dec 0 n); [|lra]. pose proof (Phi_range (edge 0 + shift)). lra.
    + destruct (lt_dec (S j) n), (lt_dec j n); try lia.
      * pose proof (edge_rises j). pose proof (Phi_rises (edge j + shift) (edge (S j) + shift) ltac:(lra)). lra.
      * pose proof (Phi_range (edge j + shift)). lra.
      * lra.
  - unfold cell. rewrite sum_differences. unfold below_edge. destruct (lt_dec n n); [lia|ring].
Qed.

(** What is gained up to an edge, and the most that is gained up to it. *)
Definition gained (x y : R) (k : nat) : R := x * below_edge s k - y * below_edge 0 k.

Definition most (x y : R) (k : nat) : R :=
  match k with
  | O => 0
  | S j => if lt_dec j n then gain x y s (Rmin (edge j) (best x y s)) else gain x y s (best x y s)
  end.

Lemma gained_gain x y j : (j < n)%nat -> gained x y (S j) = gain x y s (edge j).
Proof. intros less. unfold gained, below_edge, gain. destruct (lt_dec j n); [|lia]. now rewrite Rplus_0_r. Qed.

Lemma gained_last x y : gained x y (S n) = x - y.
Proof. unfold gained, below_edge. destruct (lt_dec n n); [lia|ring]. Qed.

Lemma step_below x y k : 0 < x -> 0 < y -> (k <= n)%nat ->
  pos (gained x y (S k) - gained x y k) <= most x y (S k) - most x y k.
Proof.
  intros hx hy small. set (u := best x y s).
  assert (top : forall t, gain x y s (Rmin t u) <= gain x y s u).
  { intros t. apply gain_rises; try easy; [apply Rmin_r|unfold u; lra]. }
  assert (up : forall t, gain x y s t <= gain x y s (Rmin t u)).
  { intros t. destruct (Rle_or_lt t u) as [low|high]; [rewrite Rmin_left by easy; lra|].
    rewrite Rmin_right by lra. apply gain_falls; try easy; unfold u in *; lra. }
  assert (free : forall t, 0 <= gain x y s (Rmin t u)).
  { intros t. apply gain_nonneg; try easy. apply Rmin_r. }
  assert (last : forall t, x - y - gain x y s t <= gain x y s u - gain x y s (Rmin t u)).
  { intros t. destruct (Rle_or_lt t u) as [low|high].
    - rewrite (Rmin_left t u) by easy. pose proof (gain_above x y s u hx hy apart (Rle_refl u)). lra.
    - rewrite (Rmin_right t u) by lra. pose proof (gain_above x y s t hx hy apart ltac:(unfold u in *; lra)). lra. }
  destruct k as [|j].
  - replace (gained x y 0) with 0 by (unfold gained; cbn; ring). rewrite gained_gain by easy. unfold most.
    destruct (lt_dec 0 n); [|lia]. specialize (up (edge 0)). specialize (free (edge 0)). fold u. apply pos_least; lra.
  - rewrite (gained_gain x y j) by lia. unfold most. fold u. destruct (lt_dec j n); [|lia].
    destruct (lt_dec (S j) n) as [more|end_].
    + rewrite (gained_gain x y (S j)) by easy. pose proof (edge_rises j) as order.
      assert (gain x y s (Rmin (edge j) u) <= gain x y s (Rmin (edge (S j)) u)) as grows.
      { apply gain_rises; try easy; [|apply Rmin_r]. apply Rle_min_compat_r. easy. }
      apply pos_least; [lra|]. destruct (Rle_or_lt (edge j) u) as [low|high].
      * specialize (up (edge (S j))). rewrite (Rmin_left (edge j) u) in * by easy. lra.
      * rewrite (Rmin_right (edge j) u) in * by lra. rewrite (Rmin_right (edge (S j)) u) by lra.
        pose proof (gain_falls x y s (edge j) (edge (S j)) hx hy apart order ltac:(unfold u in *; lra)). lra.
    + replace j with (pred n) in * by lia. replace (S (S (pred n))) with (S n) by lia.
      rewrite gained_last. specialize (last (edge (pred n))). specialize (top (edge (pred n))). apply pos_least; lra.
Qed.

Lemma cell_gained x y k : x * cell s k - y * cell 0 k = gained x y (S k) - gained x y k.
Proof. unfold cell, gained. ring. Qed.

(** Claim: Cells of a Gaussian pair have hockey-sticks of at most the Gaussian curve. *)
Theorem cells_below x y : 0 <= x -> 0 <= y -> weighted (S n) (cell s) (cell 0) x y <= gauss x y (s ^ 2).
Proof.
  intros [hx|<-] [hy|<-].
  - rewrite <- gain_at_best by easy. unfold weighted.
    apply Rle_trans with (sum (S n) (fun k => most x y (S k) - most x y k)).
    + apply sum_le. intros k less. rewrite cell_gained. apply step_below; [easy|easy|lia].
    + rewrite sum_differences. unfold most. destruct (lt_dec n n); [lia|lra].
  - apply Rle_trans with x.
    + unfold weighted. apply Rle_trans with (sum (S n) (fun k => x * cell s k)).
      * apply sum_le. intros k less. pose proof (proj1 (cell_law s) k less). apply pos_least; nra.
      * rewrite sum_scale, (proj2 (cell_law s)). lra.
    + eapply Rle_trans; [|apply gauss_above; lra]. eapply Rle_trans; [|apply pos_above]. lra.
  - unfold weighted. apply Rle_trans with (sum (S n) (fun _ => 0)).
    + apply sum_le. intros k less. pose proof (proj1 (cell_law 0) k less). apply pos_least; nra.
    + rewrite sum_zero. eapply Rle_trans; [apply pos_nonneg|]. apply gauss_above; lra.
  - unfold weighted. apply Rle_trans with (sum (S n) (fun _ => 0)).
    + apply sum_le. intros k less. apply pos_least; nra.
    + rewrite sum_zero. eapply Rle_trans; [apply pos_nonneg|]. apply gauss_above; lra.
Qed.

Lemma gained_at_most x y k : (k <= S n)%nat -> gained x y k <= weighted (S n) (cell s) (cell 0) x y.
Proof.
  intros small. unfold weighted.
  apply Rle_trans with (sum k (fun j => pos (x * cell s j - y * cell 0 j))).
  - replace (gained x y k) with (sum k (fun j => gained x y (S j) - gained x y j)).
    2: { rewrite sum_differences. unfold gained at 2; cbn. ring. }
    apply sum_le. intros j _. rewrite cell_gained. apply pos_above.
  - induction small as [|m small IH]; [lra|]. cbn. pose proof (pos_nonneg (x * cell s m - y * cell 0 m)). lra.
Qed.

Lemma edge_before u : edge 0 <= u -> u < edge n -> exists j, (S j <= n)%nat /\ edge j <= u < edge (S j).
Proof.
  clear some. intros first. induction n as [|m IH]; intros before; [lra|].
  destruct (Rlt_or_le u (edge m)) as [sooner|here].
  - destruct (IH sooner) as (j & less & range). exists j. split; [lia|easy].
  - exists m. split; [lia|easy].
Qed.

Lemma cells_near e x y : 0 < e -> 0 <= x -> 0 <= y -> peak * h <= e -> Phi (edge 0 + s) <= e ->
  1 - Phi (edge (pred n)) <= e -> gauss x y (s ^ 2) <= weighted (S n) (cell s) (cell 0) x y + e * (x + y).
Proof.
  intros he hx hy fine wide wide'.
  assert (none : 0 <= weighted (S n) (cell s) (cell 0) x y) by (apply sum_nonneg; intros; apply pos_nonneg).
  destruct hx as [hx|<-]; [|pose proof (gauss_at_most 0 y (s ^ 2) (Rle_refl 0) hy); nra].
  destruct hy as [hy|<-].
  2: { pose proof (gauss_at_most x 0 (s ^ 2) ltac:(lra) (Rle_refl 0)).
       pose proof (gained_at_most x 0 (S n) (le_n _)) as all. rewrite gained_last in all. nra. }
  rewrite <- gain_at_best by easy. set (u := best x y s).
  pose proof (Phi_range (u + s)). pose proof (Phi_range u).
  destruct (Rlt_or_le u (edge 0)) as [first|after].
  { pose proof (Phi_rises (u + s) (edge 0 + s) ltac:(lra)). unfold gain. nra. }
  destruct (Rlt_or_le u (edge (pred n))) as [before|past].
  2: { pose proof (Phi_rises (edge (pred n)) u past). pose proof (gained_at_most x y (S n) (le_n _)) as all.
       rewrite gained_last in all. unfold gain. nra. }
  assert (exists j, (S j < n)%nat /\ edge j <= u < edge (S j)) as (j & less & low & high).
  { destruct n as [|m]; [lia|]. cbn [pred] in before.
    clear - after before positive. induction m as [|m IH]; [lra|]. destruct (Rlt_or_le u (edge m)) as [sooner|here].
    - destruct (IH sooner) as (j & less & range). exists j. split; [lia|easy].
    - exists m. split; [lia|easy]. }
  pose proof (gained_at_most x y (S j) ltac:(lia)) as all. rewrite gained_gain in all by lia.
  pose proof (Phi_rises (u + s) (edge j + s + h)) as up. unfold edge in high at 1. rewrite S_INR in high.
  pose proof (Phi_step (edge j + s) h ltac:(lra)) as step. pose proof (Phi_rises (edge j) u low).
  unfold edge in up, step, all, low, high. specialize (up ltac:(lra)). unfold gain in *. fold (edge j) in *. nra.
Qed.

End Cells.

(** Claim: For each e > 0 there are cells of a Gaussian pair whose hockey-sticks are the Gaussian curve up to e (x +
  y). *)
Theorem cells_exist e s : 0 < e -> 0 < s -> exists n b h, (0 < n)%nat /\ 0 < h /\
  forall x y, 0 <= x -> 0 <= y -> gauss x y (s ^ 2) <= weighted (S n) (cell n b h s) (cell n b h 0) x y + e * (x + y).
Proof.
  intros he hs. pose proof peak_pos as hp. destruct (Phi_vanishes e he) as [a near].
  set (h := e / peak). assert (0 < h) as hh by now apply Rdiv_lt_0_compat.
  set (b := a - s). destruct (archimed ((Rabs a + Rabs b) / h)) as [far _].
  set (m := Z.to_nat (up ((Rabs a + Rabs b) / h))). exists (S m), b, h.
  assert (Rabs a + Rabs b <= h * INR m) as wide.
  { unfold m. rewrite INR_IZR_INZ, Z2Nat.id.
    - apply (Rmult_lt_compat_l h) in far; [|easy]. replace (h * ((Rabs a + Rabs b) / h)) with (Rabs a + Rabs b) in
      far by (field; lra). lra.
    - apply le_IZR. pose proof (Rabs_pos a). pose proof (Rabs_pos b).
      assert (0 <= (Rabs a + Rabs b) / h) by (apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]). lra. }
  split; [lia|split; [easy|]]. intros x y hx hy. apply cells_near; try easy; try lia.
  - unfold h. replace (peak * (e / peak)) with e by (field; lra). lra.
  - left. apply near. unfold edge, b. cbn. lra.
  - rewrite <- Phi_opp. left. apply near. cbn [pred]. unfold edge.
    pose proof (Rle_abs (- a)) as ha. pose proof (Rle_abs (- b)) as hb. rewrite Rabs_Ropp in ha, hb. lra.
Qed.
