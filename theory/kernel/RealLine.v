(** The integral over the real line: the upper integral that extends Riemann's over continuous functions, which is
    Lebesgue's. Where a continuous function has an improper Riemann integral it is that one ([lebesgue_is_riemann]). *)

From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Filterproof Require Import Sums Integrals.
Open Scope R_scope.

(** Continuous, not negative, and over every bounded interval of integral at most m. *)
Definition riemann_at_most (h : R -> R) (m : R) : Prop :=
  (forall x : R, continuous h x) /\ (forall x, 0 <= h x) /\ forall a b, a <= b -> RInt h a b <= m.

Lemma integrable (h : R -> R) a b : (forall x : R, continuous h x) -> ex_RInt h a b.
Proof. intros hh. apply (ex_RInt_continuous h). intros; apply hh. Qed.

Lemma RInt_times (h : R -> R) c a b : ex_RInt h a b -> RInt (fun x => c * h x) a b = c * RInt h a b.
Proof. exact (RInt_scal h a b c). Qed.

Lemma RInt_add (h k : R -> R) a b : ex_RInt h a b -> ex_RInt k a b ->
  RInt (fun x => h x + k x) a b = RInt h a b + RInt k a b.
Proof. exact (RInt_plus h k a b). Qed.

Lemma RInt_level (c a b : R) : RInt (fun _ => c) a b = (b - a) * c.
Proof. exact (RInt_const a b c). Qed.

Definition riemann : elementary R.
Proof.
  refine (Elementary R riemann_at_most _ _ _).
  - intros h m (_ & low & most). split; [easy|]. specialize (most 0 0 (Rle_refl 0)). now rewrite RInt_point in most.
  - intros c h m hc (smooth & low & most). split; [|split].
    + intros x. apply (continuous_scal_r c h x), smooth.
    + intros x. specialize (low x). nra.
    + intros a b order. rewrite RInt_times by now apply integrable.
      apply Rmult_le_compat_l; [lra|now apply most].
  - intros h k m n (smooth & low & most) (smooth' & low' & most'). split; [|split].
    + intros x. apply (continuous_plus h k x); auto.
    + intros x. specialize (low x). specialize (low' x). lra.
    + intros a b order. rewrite RInt_add by now apply integrable.
      apply Rplus_le_compat; auto.
Defined.

Definition lebesgue : integral R := extended riemann.

(** Near a point a function of the sequence that is large enough there stays so. *)
Lemma covered_nearby (f : R -> R) (u : nat -> R -> R) e x : 0 < e -> continuous f x ->
  (forall n, continuous (u n) x) -> Rbar_le (f x) (Sup_seq (fun n => u n x)) ->
  exists n d, 0 < d /\ forall y, Rabs (y - x) < d -> f y <= u n y + e.
Proof.
  intros he smooth each cover.
  assert (Rbar_lt (f x - e) (Sup_seq (fun n => u n x))) as less.
  { eapply Rbar_lt_le_trans; [|exact cover]. cbn. lra. }
  apply Sup_seq_minor_lt in less as [n less]. cbn in less. exists n.
  pose proof (continuous_minus f (u n) x smooth (each n)) as both.
  assert (0 < e - (f x - u n x)) as room by lra.
  destruct (proj1 (filterlim_locally _ _) both (mkposreal _ room)) as [d near].
  exists d. split; [apply cond_pos|]. intros y close. specialize (near y close).
  change (Rabs (f y - u n y - (f x - u n x)) < e - (f x - u n x)) in near.
  apply Rabs_def2 in near as [near _]. lra.
Qed.

Lemma grows (u : nat -> R -> R) n k x : (forall n x, u n x <= u (S n) x) -> (n <= k)%nat -> u n x <= u k x.
Proof. intros up order. induction order as [|k order IH]; [lra|]. specialize (up k x). lra. Qed.

(** On an interval one function of the sequence is large enough everywhere: Dini. *)
Lemma covered_throughout (f : R -> R) (u : nat -> R -> R) a b e : a <= b -> 0 < e ->
  (forall x : R, continuous f x) -> (forall n (x : R), continuous (u n) x) -> (forall n x, u n x <= u (S n) x) ->
  (forall x, Rbar_le (f x) (Sup_seq (fun n => u n x))) ->
  exists n, forall x, a <= x <= b -> f x <= u n x + e.
Proof.
  intros order he smooth each up cover.
  set (good := fun c => a <= c <= b /\ exists n, forall x, a <= x <= c -> f x <= u n x + e).
  assert (good a) as here.
  { destruct (covered_nearby f u e a he (smooth a) (fun k => each k a) (cover a)) as (n & d & hd & near).
    split; [lra|]. exists n. intros x inside. replace x with a by lra. apply near.
    rewrite Rminus_diag_eq, Rabs_R0; easy. }
  destruct (completeness good) as [c [upper least]].
  { exists b. intros c [range _]. lra. }
  { now exists a. }
  assert (a <= c) as left by now apply upper. assert (c <= b) as right by (apply least; intros d [range _]; lra).
  destruct (covered_nearby f u e c he (smooth c) (fun k => each k c) (cover c)) as (n & d & hd & near).
  assert (exists c', good c' /\ c - d < c') as (c' & [range [n' before]] & close).
  { apply Classical_Prop.NNPP. intros none. assert (c <= c - d); [|lra]. apply least. intros c' hc'.
    apply Rnot_lt_le. intros late. apply none. now exists c'. }
  assert (reach : forall y, a <= y -> y < c + d -> f y <= u (max n n') y + e).
  { intros y low' high. destruct (Rle_or_lt y c') as [inside|beyond].
    - eapply Rle_trans; [now apply (before y)|]. apply Rplus_le_compat_r, grows; [easy|lia].
    - eapply Rle_trans; [apply (near y); apply Rabs_def1; lra|]. apply Rplus_le_compat_r, grows; [easy|lia]. }
  exists (max n n'). intros x inside. apply reach; [lra|].
  apply Rnot_le_lt. intros far. assert (good (Rmin b (c + d / 2))) as more.
  { split; [split; [apply Rmin_glb; lra|apply Rmin_l]|]. exists (max n n'). intros y range'.
    pose proof (Rmin_r b (c + d / 2)). apply reach; lra. }
  apply upper in more. destruct (Rle_or_lt b (c + d / 2)) as [small|big].
  - rewrite Rmin_left in more by easy. lra.
  - rewrite Rmin_right in more by lra. lra.
Qed.

(** So the integrals of the sequence come close to that of f. *)
Lemma integrals_come_close (f : R -> R) (u : nat -> R -> R) a b e : a <= b -> 0 < e ->
  (forall x : R, continuous f x) -> (forall n (x : R), continuous (u n) x) -> (forall n x, u n x <= u (S n) x) ->
  (forall x, Rbar_le (f x) (Sup_seq (fun n => u n x))) ->
  exists n, forall k, (n <= k)%nat -> RInt f a b <= RInt (u k) a b + e.
Proof.
  intros order he smooth each up cover. set (s := e / (b - a + 1)).
  assert (0 < s) as hs by (apply Rdiv_lt_0_compat; lra).
  assert (s * (b - a + 1) = e) as hse by (unfold s; field; lra).
  destruct (covered_throughout f u a b s order hs smooth each up cover) as [n below].
  exists n. intros k late. eapply Rle_trans.
  - apply (RInt_le f (fun x => u k x + s)); [easy|now apply integrable| |].
    + apply integrable. intros x. apply (continuous_plus (u k) (fun _ => s)); [easy|apply continuous_const].
    + intros x inside. specialize (below x ltac:(lra)). pose proof (grows u n k x up late). lra.
  - rewrite (RInt_add (u k) (fun _ => s)), RInt_level; [nra|now apply integrable|].
    apply integrable. intros x. apply continuous_const.
Qed.

Lemma RInt_pos (f : R -> R) a b : a <= b -> (forall x : R, continuous f x) -> (forall x, 0 <= f x) ->
  0 <= RInt f a b.
Proof. intros order smooth low. apply RInt_ge_0; [easy|now apply integrable|easy]. Qed.

Lemma RInt_wider (f : R -> R) a b c d : (forall x : R, continuous f x) -> (forall x, 0 <= f x) ->
  a <= b -> b <= c -> c <= d -> RInt f b c <= RInt f a d.
Proof.
  intros smooth low ab bc cd.
  assert (whole : forall p q r, RInt f p r = RInt f p q + RInt f q r).
  { intros p q r. symmetry. apply (RInt_Chasles f p q r); now apply integrable. }
  rewrite (whole a b d), (whole b c d).
  pose proof (RInt_pos f a b ab smooth low). pose proof (RInt_pos f c d cd smooth low). lra.
Qed.

(** Over wide intervals the integral is close to the improper one, and never above it. *)
Lemma improper_wide (f : R -> R) (v e : R) : (forall x : R, continuous f x) -> 0 < e ->
  is_RInt_gen f (Rbar_locally m_infty) (Rbar_locally p_infty) v ->
  exists l r, l <= r /\ forall a b, a <= l -> r <= b -> Rabs (RInt f a b - v) < e.
Proof.
  intros smooth he improper.
  destruct (improper (ball v (mkposreal e he))) as [A B [l hA] [r hB] near]; [now exists (mkposreal e he)|].
  exists (Rmin (l - 1) (r + 1)), (r + 1). split; [apply Rmin_r|]. intros a b ha hb.
  pose proof (Rmin_l (l - 1) (r + 1)).
  destruct (near a b) as (y & here & close); [apply hA; lra|apply hB; lra|].
  cbn in here. now rewrite (is_RInt_unique f a b y here).
Qed.

Lemma improper_above (f : R -> R) (v a b : R) : (forall x : R, continuous f x) -> (forall x, 0 <= f x) ->
  is_RInt_gen f (Rbar_locally m_infty) (Rbar_locally p_infty) v -> a <= b -> RInt f a b <= v.
Proof.
  intros smooth low improper order. apply Rnot_lt_le. intros more.
  destruct (improper_wide f v (RInt f a b - v) smooth ltac:(lra) improper) as (l & r & _ & near).
  specialize (near (Rmin l a) (Rmax r b) (Rmin_l l a) (Rmax_l r b)). apply Rabs_def2 in near as [near _].
  pose proof (RInt_wider f _ _ _ _ smooth low (Rmin_r l a) order (Rmax_r r b)). lra.
Qed.

(** Claim: The integral over the real line, made from covers by continuous functions, is the improper Riemann integral
    of a continuous function that has one.
    Covers: nonnegative functions of a real number *)
Theorem lebesgue_is_riemann (f : R -> R) (v : R) : (forall x : R, continuous f x) -> (forall x, 0 <= f x) ->
  is_RInt_gen f (Rbar_locally m_infty) (Rbar_locally p_infty) v -> value lebesgue (fun x => f x) = v.
Proof.
  intros smooth low improper. apply Rbar_le_antisym.
  - apply glb_below. exists (fun _ => f). split; [|split].
    + intros _. split; [easy|split; [easy|]]. intros a b order. now apply improper_above.
    + intros _ x. apply Rle_refl.
    + intros x. apply (at_most_sup (fun _ => Finite (f x)) 0).
  - apply glb_above. intros s (u & each & up & cover). cbn. apply Rnot_lt_le. intros less.
    destruct (improper_wide f v ((v - s) / 2) smooth ltac:(lra) improper) as (l & r & order & near).
    specialize (near l r (Rle_refl l) (Rle_refl r)). apply Rabs_def2 in near as [_ near].
    destruct (integrals_come_close f u l r ((v - s) / 2) order ltac:(lra) smooth) as [n close].
    + intros n. apply (each n).
    + easy.
    + easy.
    + specialize (close n (le_n n)). destruct (each n) as (_ & _ & most). specialize (most l r order). lra.
Qed.

(** Claim: A nonnegative continuous function with an improper Riemann integral adds that to the integral of any other
    nonnegative function.
    Covers: nonnegative functions of a real number *)
Theorem riemann_adds (f : R -> R) (v : R) : (forall x : R, continuous f x) -> (forall x, 0 <= f x) ->
  is_RInt_gen f (Rbar_locally m_infty) (Rbar_locally p_infty) v -> adds lebesgue f.
Proof.
  intros smooth low improper g hg. rewrite (lebesgue_is_riemann f v) by easy.
  apply Rbar_le_antisym; [rewrite <- (lebesgue_is_riemann f v) by easy; now apply value_plus|].
  apply glb_above. intros s (u & each & up & cover).
  assert (smooth_u : forall n (x : R), continuous (u n) x) by (intros n; apply (each n)).
  assert (low_u : forall n x, 0 <= u n x) by (intros n; apply (each n)).
  (* what the sequence has above f *)
  set (w := fun n x => u n x - Rmin (u n x) (f x)).
  assert (smooth_m : forall n (x : R), continuous (fun x => Rmin (u n x) (f x)) x).
  { intros n x. apply (continuous_ext (fun x => (u n x + f x - Rabs (u n x - f x)) / 2)).
    - intros y. unfold Rmin, Rabs. destruct (Rle_dec (u n y) (f y)), (Rcase_abs (u n y - f y)); lra.
    - apply (continuous_scal_l (fun x => u n x + f x - Rabs (u n x - f x)) (/ 2) x).
      apply (continuous_minus (fun x => u n x + f x) (fun x => Rabs (u n x - f x))).
      + now apply (continuous_plus (u n) f).
      + apply (continuous_comp (fun x => u n x - f x) Rabs); [now apply (continuous_minus (u n) f)|].
        apply continuous_Rabs. }
  assert (smooth_w : forall n (x : R), continuous (w n) x).
  { intros n x. apply (continuous_minus (u n) (fun x => Rmin (u n x) (f x))); auto. }
  assert (low_w : forall n x, 0 <= w n x) by (intros n x; unfold w; pose proof (Rmin_l (u n x) (f x)); lra).
  assert (up_w : forall n x, w n x <= w (S n) x).
  { intros n x. specialize (up n x). unfold w, Rmin.
    destruct (Rle_dec (u n x) (f x)), (Rle_dec (u (S n) x) (f x)); lra. }
  assert (over_f : forall x, Rbar_le (f x) (Sup_seq (fun n => Rmin (u n x) (f x)))).
  { intros x. specialize (cover x). specialize (hg x).
    assert (Rbar_le (f x) (Sup_seq (fun n => u n x))) as above.
    { eapply Rbar_le_trans; [|exact cover]. destruct (g x); cbn in *; easy || lra. }
    apply Rbar_not_lt_le. intros less.
    destruct (Sup_seq (fun n => Finite (Rmin (u n x) (f x)))) as [m| |] eqn:same; try easy.
    - cbn in less. assert (Rbar_lt m (Sup_seq (fun n => u n x))) as far by now eapply Rbar_lt_le_trans; [|exact above].
      apply Sup_seq_minor_lt in far as [n far]. cbn in far.
      pose proof (at_most_sup (fun n => Finite (Rmin (u n x) (f x))) n) as it. rewrite same in it. cbn in it.
      unfold Rmin in it. destruct (Rle_dec (u n x) (f x)); lra.
    - pose proof (at_most_sup (fun n => Finite (Rmin (u n x) (f x))) 0) as it. now rewrite same in it. }
  assert (over_g : forall x, Rbar_le (g x) (Sup_seq (fun n => w n x))).
  { intros x. specialize (cover x). specialize (hg x).
    assert (Rbar_le (Sup_seq (fun n => u n x)) (Rbar_plus (Sup_seq (fun n => w n x)) (f x))) as parts.
    { apply sup_at_most. intros n.
      eapply Rbar_le_trans.
      2: { apply Rbar_plus_le_compat; [apply (at_most_sup (fun n => Finite (w n x)) n)|apply Rbar_le_refl]. }
      unfold w. cbn. pose proof (Rmin_r (u n x) (f x)). lra. }
    pose proof (Rbar_le_trans _ _ _ cover parts) as all.
    pose proof (at_most_sup (fun n => Finite (w n x)) 0).
    destruct (g x), (Sup_seq (fun n => Finite (w n x))); try easy. cbn in *. lra. }
  assert (mass_w : forall n, riemann_at_most (w n) (s - v)).
  { intros n. split; [easy|split; [easy|]]. intros a b order.
    assert (forall e, 0 < e -> RInt (w n) a b <= s - v + e) as close; [|apply Rnot_lt_le; intros more;
      specialize (close ((RInt (w n) a b - (s - v)) / 2) ltac:(lra)); lra].
    intros e he. destruct (improper_wide f v (e / 2) smooth ltac:(lra) improper) as (l & r & _ & near).
    set (a' := Rmin l a). set (b' := Rmax r b).
    assert (a' <= b') as order' by (unfold a', b'; pose proof (Rmin_r l a); pose proof (Rmax_r r b); lra).
    specialize (near a' b' (Rmin_l l a) (Rmax_l r b)). apply Rabs_def2 in near as [_ near].
    destruct (integrals_come_close f (fun n x => Rmin (u n x) (f x)) a' b' (e / 2) order' ltac:(lra) smooth smooth_m)
      as [k close]; [|easy|].
    - intros j x. apply Rle_min_compat_r, up.
    - specialize (close (max n k) ltac:(lia)).
      apply Rle_trans with (RInt (w n) a' b'); [apply RInt_wider; easy || apply Rmin_r || apply Rmax_r|].
      apply Rle_trans with (RInt (w (max n k)) a' b').
      + apply RInt_le; try easy; try now apply integrable. intros x _. apply grows; [easy|lia].
      + assert (RInt (u (max n k)) a' b' = RInt (w (max n k)) a' b' + RInt (fun x => Rmin (u (max n k) x) (f x)) a' b')
          as parts.
        { rewrite <- RInt_add by (now apply integrable). apply RInt_ext. intros x _. unfold w. lra. }
        destruct (each (max n k)) as (_ & _ & most). specialize (most a' b' order'). lra. }
  assert (Rbar_le (value lebesgue g) (s - v)) as it.
  { apply glb_below. exists w. split; [easy|split; easy]. }
  pose proof (value_nonneg lebesgue g hg). destruct (value lebesgue g); try easy. cbn in *. lra.
Qed.
