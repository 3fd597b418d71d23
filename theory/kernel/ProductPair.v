(** The product of finite pairs as a pair, its curve and its moments. *)

From Coquelicot Require Import Coquelicot.
From Coq Require Import Reals Lra Lia List.
From Filterproof Require Import Sums Interaction Divergences Domination CurveMoment.
Import ListNotations.
Open Scope R_scope.

Lemma sum_append a b f : sum (a + b) f = sum a f + sum b (fun j => f (a + j)%nat).
Proof.
  induction b as [|b IH]; [rewrite Nat.add_0_r; cbn; lra|]. rewrite Nat.add_succ_r. cbn. rewrite IH. lra.
Qed.

Lemma sum_product n m (f : nat -> nat -> R) :
  sum (n * m) (fun k => f (k / m) (k mod m))%nat = sum n (fun i => sum m (fun j => f i j)).
Proof.
  destruct m as [|m]; [rewrite Nat.mul_0_r; cbn; now rewrite sum_zero|]. set (w := S m).
  induction n as [|n IH]; [easy|]. rewrite Nat.mul_succ_l, sum_append, IH. cbn [sum]. f_equal.
  apply sum_ext. intros j small.
  assert ((n * w + j) / w = n)%nat as ->
    by (rewrite Nat.div_add_l by (unfold w; lia); rewrite Nat.div_small by easy; lia).
  now assert ((n * w + j) mod w = j)%nat as ->
    by (rewrite Nat.add_comm, Nat.mod_add by (unfold w; lia); now apply Nat.mod_small).
Qed.

Definition product (D E : pair) : pair :=
  Pair (size D * size E) (fun k => upper D (k / size E) * upper E (k mod size E))
    (fun k => lower D (k / size E) * lower E (k mod size E)).

Fixpoint flatten (l : list pair) : pair :=
  match l with
  | [] => Pair 1 (fun _ => 1) (fun _ => 1)
  | D :: rest => product D (flatten rest)
  end.

Lemma curve_flatten l : forall x y, curve (flatten l) x y = composed l x y.
Proof.
  induction l as [|D l IH]; intros x y.
  - unfold curve, weighted. cbn. rewrite !Rmult_1_r. lra.
  - cbn [composed]. unfold curve, weighted. cbn [flatten product size upper lower].
    rewrite (sum_product (size D) (size (flatten l)) (fun i j => pos (x * (upper D i * upper (flatten l) j) -
      y * (lower D i * lower (flatten l) j)))).
    apply sum_ext. intros i _. rewrite <- IH. unfold curve, weighted. apply sum_ext. intros j _. f_equal. ring.
Qed.

Definition finite_losses (D : pair) : Prop := apart (size D) (upper D) (lower D).

Lemma flatten_apart l : Forall finite_losses l -> finite_losses (flatten l).
Proof.
  induction 1 as [|D l two _ IH].
  - unfold finite_losses, apart, law. cbn. repeat split; intros; lra.
  - destruct two as ((hu & one) & (hl & two) & cont), IH as ((hu' & one') & (hl' & two') & cont').
    assert (places : forall k, (k < size D * size (flatten l))%nat ->
      (k / size (flatten l) < size D)%nat /\ (k mod size (flatten l) < size (flatten l))%nat).
    { intros k small. split; [apply Nat.div_lt_upper_bound; lia|apply Nat.mod_upper_bound; lia]. }
    unfold finite_losses, apart, law. cbn [flatten product size upper lower]. repeat split.
    + intros k small. destruct (places k small). apply Rmult_le_pos; auto.
    + rewrite (sum_product (size D) (size (flatten l)) (fun i j => upper D i * upper (flatten l) j)).
      rewrite (sum_ext _ _ (fun i => upper D i * 1)) by (intros; now rewrite sum_scale, one').
      rewrite sum_scale_right, one. ring.
    + intros k small. destruct (places k small). apply Rmult_le_pos; auto.
    + rewrite (sum_product (size D) (size (flatten l)) (fun i j => lower D i * lower (flatten l) j)).
      rewrite (sum_ext _ _ (fun i => lower D i * 1)) by (intros; now rewrite sum_scale, two').
      rewrite sum_scale_right, two. ring.
    + intros k small. destruct (places k small) as [hi hj]. intros [zero|zero]%Rmult_integral.
      * rewrite (cont _ hi zero). ring.
      * rewrite (cont' _ hj zero). ring.
Qed.

Definition pair_moment (a : R) (D : pair) : R := moment_of (size D) (upper D) (lower D) a.

Lemma moment_flatten a D l : finite_losses D -> Forall finite_losses l ->
  pair_moment a (flatten (D :: l)) = pair_moment a D * pair_moment a (flatten l).
Proof.
  intros ((hu & _) & (hl & _) & cont) all. pose proof (flatten_apart l all) as ((hu' & _) & (hl' & _) & cont').
  unfold pair_moment, moment_of. cbn [flatten product size upper lower].
  rewrite (sum_product (size D) (size (flatten l)) (fun i j => term a (upper D i * upper (flatten l) j)
    (lower D i * lower (flatten l) j))).
  rewrite <- sum_scale_right. apply sum_ext. intros i hi. rewrite <- sum_scale. apply sum_ext. intros j hj.
  apply term_mult; auto.
Qed.

(** No moment is below 1: every pair lies above the pair that reveals nothing. *)
Lemma moment_at_least_one a D : 1 < a -> finite_losses D -> 1 <= pair_moment a D.
Proof.
  intros ha two.
  assert (nothing : moment_of 1 (fun _ => 1) (fun _ => 1) a <= pair_moment a D).
  { apply dominated_moment; [easy| |easy|].
    - unfold apart, law. cbn. repeat split; intros; lra.
    - intros x y hx hy. rewrite <- composed_one. apply Rle_trans with (composed [] x y).
      + unfold weighted. cbn. rewrite !Rmult_1_r. lra.
      + apply composed_grows; [|constructor|easy|easy]. destruct two as (lu & ll & _). now split. }
  unfold moment_of in nothing. cbn in nothing. rewrite term_one in nothing. lra.
Qed.

(** The Renyi divergence of order a. *)
Definition renyi (a : R) (D : pair) : R := ln (pair_moment a D) / (a - 1).

Lemma renyi_nonneg a D : 1 < a -> finite_losses D -> 0 <= renyi a D.
Proof.
  intros ha two. pose proof (moment_at_least_one a D ha two) as one. unfold renyi.
  assert (0 <= ln (pair_moment a D)) by (rewrite <- ln_1; apply ln_le; lra).
  apply Rmult_le_pos; [easy|]. left. apply Rinv_0_lt_compat. lra.
Qed.

Lemma renyi_moment a D : 1 < a -> finite_losses D -> exp ((a - 1) * renyi a D) = pair_moment a D.
Proof.
  intros ha two. pose proof (moment_at_least_one a D ha two). unfold renyi.
  replace ((a - 1) * (ln (pair_moment a D) / (a - 1))) with (ln (pair_moment a D)) by (field; lra).
  apply exp_ln. lra.
Qed.

(** Divergences add up over a product. *)
Lemma renyi_flatten a D l : 1 < a -> finite_losses D -> Forall finite_losses l ->
  renyi a (flatten (D :: l)) = renyi a D + renyi a (flatten l).
Proof.
  intros ha two all. pose proof (moment_at_least_one a D ha two).
  pose proof (moment_at_least_one a (flatten l) ha (flatten_apart l all)).
  unfold renyi. rewrite moment_flatten by easy. rewrite ln_mult by lra. field. lra.
Qed.

(** Where all losses are finite, nothing is left at a large epsilon. *)
Lemma weights_end n p q : (forall i, (i < n)%nat -> 0 <= p i) -> (forall i, (i < n)%nat -> 0 <= q i) ->
  (forall i, (i < n)%nat -> q i = 0 -> p i = 0) -> exists b, 0 <= b /\ forall y, b <= y -> weighted n p q 1 y = 0.
Proof.
  intros hp hq cont. unfold weighted. induction n as [|n IH]; [now exists 0; split; [lra|]|].
  destruct IH as (b & hb & after); auto. specialize (hp n ltac:(lia)). specialize (hq n ltac:(lia)).
  specialize (cont n ltac:(lia)). exists (Rmax b (p n / q n)). split; [eapply Rle_trans; [exact hb|apply Rmax_l]|].
  intros y late. cbn. rewrite after by (eapply Rle_trans; [apply Rmax_l|exact late]). rewrite Rplus_0_l.
  unfold pos. apply Rmax_left. destruct hq as [hq|none]; [|rewrite <- none in *; rewrite cont by easy; lra].
  assert (p n / q n <= y) by (eapply Rle_trans; [apply Rmax_r|exact late]).
  assert (p n / q n * q n = p n) by (field; lra). nra.
Qed.

(** What is dominated by a pair with finite losses has finite losses. *)
Lemma dominated_apart n p q D : law n p -> law n q -> finite_losses D ->
  (forall x y, 0 <= x -> 0 <= y -> weighted n p q x y <= curve D x y) -> apart n p q.
Proof.
  intros lp lq ((hu & _) & (hl & _) & cont) below. split; [easy|]. split; [easy|]. intros i small none.
  destruct (proj1 lp i small) as [some|]; [exfalso|easy].
  destruct (weights_end _ _ _ hu hl cont) as (y & hy & empty). specialize (empty y (Rle_refl y)).
  specialize (below 1 y ltac:(lra) hy). unfold curve in below. rewrite empty in below. unfold weighted in below.
  pose proof (sum_one_term n (fun i => pos (1 * p i - y * q i)) i small ltac:(intros; apply pos_nonneg)) as one.
  cbn beta in one. rewrite none in one. pose proof (pos_above (1 * p i - y * 0)). lra.
Qed.

Lemma flatten_swapped l : flatten (map swapped_pair l) = swapped_pair (flatten l).
Proof. induction l as [|D l IH]; cbn; [easy|]. rewrite IH. reflexivity. Qed.

Lemma composed_swapped l x y : Forall finite_losses l ->
  composed (map swapped_pair l) x y = composed l y x + (x - y).
Proof.
  intros all. rewrite <- !curve_flatten, flatten_swapped. destruct (flatten_apart l all) as (lu & ll & _).
  now apply (weighted_swapped (size (flatten l)) (upper (flatten l)) (lower (flatten l)) x y).
Qed.
