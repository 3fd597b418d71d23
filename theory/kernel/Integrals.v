(** Integrals of functions that are not negative, with values in [0, +oo], as far as the theorems on mechanisms with
    outcomes of any kind need them: monotone, homogeneous and subadditive. The upper integral of every measure is one,
    and is the integral where the function is measurable; so nothing here has to ask what is measurable.

    - [counting]: the sum over finitely many outcomes;
    - [series]: the sum over 0, 1, 2, ...;
    - [extended]: the upper integral that extends an elementary one, after Daniell. *)

From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Rbar Lub Lim_seq.
From Filterproof Require Import Sums.
Open Scope R_scope.

Definition nonneg {X} (f : X -> Rbar) : Prop := forall i, Rbar_le 0 (f i).

Record integral (X : Type) := Integral {
  value : (X -> Rbar) -> Rbar;
  value_nonneg : forall f, nonneg f -> Rbar_le 0 (value f);
  value_le : forall f g, nonneg f -> (forall i, Rbar_le (f i) (g i)) -> Rbar_le (value f) (value g);
  value_scale : forall c f, 0 < c -> nonneg f ->
    Rbar_le (value (fun i => Rbar_mult c (f i))) (Rbar_mult c (value f));
  value_plus : forall f g, nonneg f -> nonneg g ->
    Rbar_le (value (fun i => Rbar_plus (f i) (g i))) (Rbar_plus (value f) (value g))
}.
Arguments value {X}. Arguments value_nonneg {X}. Arguments value_le {X}. Arguments value_scale {X}.
Arguments value_plus {X}.

(** ** Arithmetic in [0, +oo] *)

Lemma Rbar_plus_nonneg a b : Rbar_le 0 a -> Rbar_le 0 b -> Rbar_le 0 (Rbar_plus a b).
Proof. destruct a as [a| |], b as [b| |]; cbn; try easy. lra. Qed.

Lemma Rbar_mult_infinite c : 0 < c -> Rbar_mult c p_infty = p_infty.
Proof. intros hc. cbn. destruct (Rle_dec 0 c) as [h|]; [|lra]. destruct (Rle_lt_or_eq_dec 0 c h); [easy|lra]. Qed.

Lemma Rbar_mult_nonneg c a : 0 < c -> Rbar_le 0 a -> Rbar_le 0 (Rbar_mult c a).
Proof. intros hc. destruct a as [a| |]; [cbn; nra|now rewrite Rbar_mult_infinite|easy]. Qed.

Lemma Rbar_mult_le c a b : 0 < c -> Rbar_le 0 a -> Rbar_le a b -> Rbar_le (Rbar_mult c a) (Rbar_mult c b).
Proof.
  intros hc. destruct a as [a| |], b as [b| |]; try easy; rewrite ?Rbar_mult_infinite by easy; cbn; try easy. nra.
Qed.

Lemma Rbar_mult_plus c a b : 0 < c -> Rbar_le 0 a -> Rbar_le 0 b ->
  Rbar_mult c (Rbar_plus a b) = Rbar_plus (Rbar_mult c a) (Rbar_mult c b).
Proof.
  intros hc. destruct a as [a| |], b as [b| |]; try easy; cbn [Rbar_plus Rbar_plus'];
    rewrite ?Rbar_mult_infinite by easy; try easy. cbn. now rewrite Rmult_plus_distr_l.
Qed.

Lemma Rbar_plus_swap a b c d : Rbar_le 0 a -> Rbar_le 0 b -> Rbar_le 0 c -> Rbar_le 0 d ->
  Rbar_plus (Rbar_plus a b) (Rbar_plus c d) = Rbar_plus (Rbar_plus a c) (Rbar_plus b d).
Proof.
  destruct a as [a| |], b as [b| |], c as [c| |], d as [d| |]; cbn; try easy. intros; f_equal; lra.
Qed.

(** A scaled integral is not less either, and the integral of nothing is nothing. *)
Lemma value_scaled {X} (I : integral X) c f : 0 < c -> nonneg f ->
  value I (fun i => Rbar_mult c (f i)) = Rbar_mult c (value I f).
Proof.
  intros hc hf. assert (0 < / c) as hi by now apply Rinv_0_lt_compat.
  assert (inverse : forall a, Rbar_le 0 a -> Rbar_mult c (Rbar_mult (/ c) a) = a).
  { intros [a| |] ha; [cbn; f_equal; field; lra|now rewrite !Rbar_mult_infinite|easy]. }
  assert (back : forall a, Rbar_le 0 a -> Rbar_mult (/ c) (Rbar_mult c a) = a).
  { intros [a| |] ha; [cbn; f_equal; field; lra|now rewrite !Rbar_mult_infinite|easy]. }
  assert (nonneg (fun i => Rbar_mult c (f i))) as hcf by (intros i; now apply Rbar_mult_nonneg).
  apply Rbar_le_antisym; [now apply value_scale|].
  rewrite <- (inverse (value I (fun i => Rbar_mult c (f i)))) by now apply value_nonneg.
  apply Rbar_mult_le; [easy|now apply value_nonneg|].
  eapply Rbar_le_trans; [|apply value_scale; easy].
  apply value_le; [easy|]. intros i. rewrite back by easy. apply Rbar_le_refl.
Qed.

(** The same for real functions and c >= 0. *)
Lemma value_times_le {X} (I : integral X) c (f : X -> R) (r : R) : 0 <= c -> (forall i, 0 <= f i) ->
  Rbar_le (value I (fun i => f i)) r -> Rbar_le (value I (fun i => c * f i)) (c * r).
Proof.
  intros hc hf bound.
  assert (above : forall e, 0 < e -> Rbar_le (value I (fun i => e * f i)) (e * r)).
  { intros e he. eapply Rbar_le_trans; [apply (value_scale I e (fun i => f i)); easy|].
    apply (Rbar_mult_le e _ r he); [now apply value_nonneg|easy]. }
  destruct hc as [hc|<-]; [now apply above|].
  assert (0 <= r) as hr by exact (Rbar_le_trans _ _ _ (value_nonneg I (fun i => f i) hf) bound).
  assert (below : forall e, 0 < e -> Rbar_le (value I (fun i => 0 * f i)) (e * r)).
  { intros e he. eapply Rbar_le_trans; [|now apply above]. apply value_le; intros i; specialize (hf i); cbn; nra. }
  assert (Rbar_le 0 (value I (fun i => 0 * f i))) as low by (apply value_nonneg; intros i; cbn; lra).
  destruct (value I (fun i => 0 * f i)) as [v| |]; [|now specialize (below 1 Rlt_0_1)|easy].
  cbn in *. apply Rnot_lt_le. intros some. rewrite Rmult_0_l in some.
  specialize (below (v / (2 * (r + 1))) ltac:(apply Rdiv_lt_0_compat; lra)).
  assert (v / (2 * (r + 1)) * (2 * (r + 1)) = v) by (field; lra).
  assert (0 < v / (2 * (r + 1))) by (apply Rdiv_lt_0_compat; lra). nra.
Qed.

Lemma value_times {X} (I : integral X) c (f : X -> R) (r : R) : 0 <= c -> (forall i, 0 <= f i) ->
  value I (fun i => f i) = r -> value I (fun i => c * f i) = c * r.
Proof.
  intros hc hf same. apply Rbar_le_antisym.
  - apply value_times_le; [easy|easy|]. rewrite same. apply Rbar_le_refl.
  - destruct hc as [hc|<-].
    + change (Finite (c * r)) with (Rbar_mult c r). rewrite <- same, <- (value_scaled I c (fun i => f i)) by easy.
      apply Rbar_le_refl.
    + rewrite Rmult_0_l. apply value_nonneg. intros i. cbn. specialize (hf i). lra.
Qed.

(** ** Sums *)

Fixpoint total_of (n : nat) (f : nat -> Rbar) : Rbar :=
  match n with
  | O => 0
  | S k => Rbar_plus (total_of k f) (f k)
  end.

Lemma total_of_nonneg n f : nonneg f -> Rbar_le 0 (total_of n f).
Proof. intros hf. induction n as [|n IH]; [apply Rbar_le_refl|now apply Rbar_plus_nonneg]. Qed.

Lemma total_of_le n f g : (forall i, Rbar_le (f i) (g i)) -> Rbar_le (total_of n f) (total_of n g).
Proof. intros below. induction n as [|n IH]; [apply Rbar_le_refl|now apply Rbar_plus_le_compat]. Qed.

Lemma total_of_scale n c f : 0 < c -> nonneg f ->
  total_of n (fun i => Rbar_mult c (f i)) = Rbar_mult c (total_of n f).
Proof.
  intros hc hf. induction n as [|n IH]; cbn [total_of]; [cbn; f_equal; ring|].
  rewrite IH, Rbar_mult_plus; [easy|easy|now apply total_of_nonneg|easy].
Qed.

Lemma total_of_plus n f g : nonneg f -> nonneg g ->
  total_of n (fun i => Rbar_plus (f i) (g i)) = Rbar_plus (total_of n f) (total_of n g).
Proof.
  intros hf hg. induction n as [|n IH]; cbn [total_of]; [cbn; f_equal; ring|].
  rewrite IH, Rbar_plus_swap; auto using total_of_nonneg.
Qed.

Lemma total_of_finite n f : total_of n (fun i => Finite (f i)) = sum n f.
Proof. induction n as [|n IH]; cbn [total_of sum]; [easy|now rewrite IH]. Qed.

Definition counting (n : nat) : integral nat.
Proof.
  refine (Integral nat (total_of n) _ _ _ _).
  - intros. now apply total_of_nonneg.
  - intros. now apply total_of_le.
  - intros. rewrite total_of_scale by easy. apply Rbar_le_refl.
  - intros. rewrite total_of_plus by easy. apply Rbar_le_refl.
Defined.

Lemma at_most_sup (u : nat -> Rbar) n : Rbar_le (u n) (Sup_seq u).
Proof. apply (proj1 (is_sup_seq_lub _ _ (Sup_seq_correct u))). now exists n. Qed.

Lemma sup_at_most (u : nat -> Rbar) b : (forall n, Rbar_le (u n) b) -> Rbar_le (Sup_seq u) b.
Proof. intros below. apply (proj2 (is_sup_seq_lub _ _ (Sup_seq_correct u))). intros x [n ->]. apply below. Qed.

(** ** Suprema of sequences that rise *)

Definition rises (u : nat -> Rbar) : Prop := nonneg u /\ forall n, Rbar_le (u n) (u (S n)).

Lemma rises_le u n k : rises u -> (n <= k)%nat -> Rbar_le (u n) (u k).
Proof.
  intros [_ up] order. induction order as [|k order IH]; [apply Rbar_le_refl|].
  eapply Rbar_le_trans; [exact IH|apply up].
Qed.

Lemma sup_plus u w : rises u -> rises w ->
  Rbar_le (Rbar_plus (Sup_seq u) (Sup_seq w)) (Sup_seq (fun n => Rbar_plus (u n) (w n))).
Proof.
  intros hu hw. set (all := Sup_seq (fun n => Rbar_plus (u n) (w n))).
  assert (one : forall n j, Rbar_le (Rbar_plus (u n) (w j)) all).
  { intros n j. eapply Rbar_le_trans; [|apply (at_most_sup (fun n => Rbar_plus (u n) (w n)) (max n j))].
    apply Rbar_plus_le_compat; apply rises_le; auto; lia. }
  destruct hu as [low _]. destruct hw as [low' _].
  destruct all as [b| |]; [|now destruct (Rbar_plus _ _)|].
  2: { specialize (one 0%nat 0%nat). specialize (low 0%nat). specialize (low' 0%nat).
       destruct (u 0%nat), (w 0%nat); easy. }
  assert (some : forall j, Rbar_le (Rbar_plus (Sup_seq u) (w j)) b).
  { intros j. assert (Rbar_le (Sup_seq u) (Rbar_minus b (w j))) as it.
    - apply sup_at_most. intros n. specialize (one n j). specialize (low n). specialize (low' j).
      destruct (u n), (w j); try easy. cbn in *. lra.
    - specialize (low' j). specialize (one 0%nat j). specialize (low 0%nat).
      destruct (w j), (Sup_seq u), (u 0%nat); try easy. cbn in *. lra. }
  pose proof (Rbar_le_trans _ _ _ (low 0%nat) (at_most_sup u 0)) as ls.
  assert (Rbar_le (Sup_seq w) (Rbar_minus b (Sup_seq u))) as it.
  { apply sup_at_most. intros j. specialize (some j). specialize (low' j).
    destruct (Sup_seq u), (w j); try easy. cbn in *. lra. }
  pose proof (Rbar_le_trans _ _ _ (low' 0%nat) (at_most_sup w 0)) as lw. specialize (some 0%nat).
  specialize (low' 0%nat).
  destruct (Sup_seq u), (Sup_seq w), (w 0%nat); try easy. cbn in *. lra.
Qed.

Definition series : integral nat.
Proof.
  refine (Integral nat (fun f => Sup_seq (fun n => total_of n f)) _ _ _ _).
  - intros f hf. apply (at_most_sup (fun n => total_of n f) 0).
  - intros f g hf below. apply sup_at_most. intros n.
    eapply Rbar_le_trans; [|apply (at_most_sup (fun n => total_of n g) n)]. now apply total_of_le.
  - intros c f hc hf. apply sup_at_most. intros n. rewrite total_of_scale by easy.
    apply Rbar_mult_le; [easy|now apply total_of_nonneg|apply (at_most_sup (fun n => total_of n f))].
  - intros f g hf hg. apply sup_at_most. intros n. rewrite total_of_plus by easy.
    apply Rbar_plus_le_compat; [apply (at_most_sup (fun n => total_of n f))|].
    apply (at_most_sup (fun n => total_of n g)).
Defined.

(** ** The upper integral that extends an elementary one *)

(** [measures h m]: the elementary function h is not negative, and its integral is at most m. *)
Record elementary (X : Type) := Elementary {
  measures : (X -> R) -> R -> Prop;
  measures_nonneg : forall h m, measures h m -> (forall i, 0 <= h i) /\ 0 <= m;
  measures_scale : forall c h m, 0 < c -> measures h m -> measures (fun i => c * h i) (c * m);
  measures_plus : forall h k m n, measures h m -> measures k n -> measures (fun i => h i + k i) (m + n)
}.
Arguments measures {X}. Arguments measures_nonneg {X}. Arguments measures_scale {X}. Arguments measures_plus {X}.

(** Elementary functions u 0 <= u 1 <= ..., each of integral at most r, whose limit is at least f. *)
Definition covers {X} (E : elementary X) (f : X -> Rbar) (r : R) : Prop :=
  exists u, (forall n, measures E (u n) r) /\ (forall n i, u n i <= u (S n) i) /\
    forall i, Rbar_le (f i) (Sup_seq (fun n => u n i)).

Lemma glb_below (E : R -> Prop) r : E r -> Rbar_le (Glb_Rbar E) r.
Proof. intros here. exact (proj1 (Glb_Rbar_correct E) r here). Qed.

Lemma glb_above (E : R -> Prop) b : (forall r, E r -> Rbar_le b r) -> Rbar_le b (Glb_Rbar E).
Proof. intros all. exact (proj2 (Glb_Rbar_correct E) b all). Qed.

Definition extended {X} (E : elementary X) : integral X.
Proof.
  assert (low : forall f, Rbar_le 0 (Glb_Rbar (covers E f))).
  { intros f. apply glb_above. intros r (u & each & _). apply (measures_nonneg E _ _ (each 0%nat)). }
  refine (Integral X (fun f => Glb_Rbar (covers E f)) (fun f _ => low f) _ _ _).
  - intros f g hf below. apply glb_above. intros r (u & each & up & over). apply glb_below.
    exists u. split; [easy|split; [easy|]]. intros i. now eapply Rbar_le_trans.
  - intros c f hc hf.
    assert (scaled : forall r, covers E f r -> covers E (fun i => Rbar_mult c (f i)) (c * r)).
    { intros r (u & each & up & over). exists (fun n i => c * u n i). split; [|split].
      - intros n. now apply measures_scale.
      - intros n i. apply Rmult_le_compat_l; [lra|easy].
      - intros i. change (fun n => Finite (c * u n i)) with (fun n => Rbar_mult c (u n i)).
        rewrite Sup_seq_scal_l by lra. now apply Rbar_mult_le. }
    pose proof (low (fun i => Rbar_mult c (f i))) as nonneg_left.
    assert (below : forall r, covers E f r -> Rbar_le (Glb_Rbar (covers E (fun i => Rbar_mult c (f i)))) (c * r)).
    { intros r here. now apply glb_below, scaled. }
    destruct (Glb_Rbar (covers E (fun i => Rbar_mult c (f i)))) as [s| |]; try easy.
    + assert (Rbar_le (s / c) (Glb_Rbar (covers E f))) as it.
      { apply glb_above. intros r here. specialize (below r here). cbn in *.
        apply (Rmult_le_reg_l c); [easy|]. replace (c * (s / c)) with s by (field; lra). easy. }
      apply (Rbar_mult_le c) in it; [|easy|cbn in *; apply Rmult_le_pos; [easy|left; now apply Rinv_0_lt_compat]].
      cbn [Rbar_mult Rbar_mult'] in it. now replace (c * (s / c)) with s in it by (field; lra).
    + assert (Rbar_le p_infty (Glb_Rbar (covers E f))) as it by (apply glb_above; intros r here; exact (below r here)).
      destruct (Glb_Rbar (covers E f)); try easy. now rewrite Rbar_mult_infinite.
  - intros f g hf hg.
    assert (both : forall r s, covers E f r -> covers E g s -> covers E (fun i => Rbar_plus (f i) (g i)) (r + s)).
    { intros r s (u & each & up & over) (w & each' & up' & over'). exists (fun n i => u n i + w n i).
      split; [|split].
      - intros n. now apply measures_plus.
      - intros n i. specialize (up n i). specialize (up' n i). lra.
      - intros i. eapply Rbar_le_trans; [apply Rbar_plus_le_compat; [apply over|apply over']|].
        apply (sup_plus (fun n => u n i) (fun n => w n i)); (split; intros n; [|apply up || apply up']).
        + now apply (measures_nonneg E _ _ (each n)).
        + now apply (measures_nonneg E _ _ (each' n)). }
    pose proof (low (fun i => Rbar_plus (f i) (g i))) as nonneg_left.
    pose proof (low f) as lf. pose proof (low g) as lg.
    assert (below : forall r s, covers E f r -> covers E g s ->
      Rbar_le (Glb_Rbar (covers E (fun i => Rbar_plus (f i) (g i)))) (r + s)).
    { intros r s hr hs. now apply glb_below, both. }
    set (whole := Glb_Rbar (covers E (fun i => Rbar_plus (f i) (g i)))) in *.
    assert (half : forall r, covers E f r -> Rbar_le whole (Rbar_plus r (Glb_Rbar (covers E g)))).
    { intros r hr. assert (Rbar_le (Rbar_plus whole (- r)) (Glb_Rbar (covers E g))) as it.
      { apply glb_above. intros s hs. specialize (below r s hr hs). destruct whole; try easy. cbn in *. lra. }
      destruct whole, (Glb_Rbar (covers E g)); try easy. cbn in *. lra. }
    destruct (Glb_Rbar (covers E g)) as [b| |]; try easy.
    2: { destruct (Glb_Rbar (covers E f)); try easy; now destruct whole. }
    assert (Rbar_le (Rbar_plus whole (- b)) (Glb_Rbar (covers E f))) as it.
    { apply glb_above. intros r hr. specialize (half r hr). destruct whole; try easy. cbn in *. lra. }
    destruct whole, (Glb_Rbar (covers E f)); try easy. cbn in *. lra.
Defined.

(** ** Functions that add *)

(** Adding f adds its integral. Of an upper integral every measurable function does. *)
Definition adds {X} (I : integral X) (f : X -> R) : Prop := forall g, nonneg g ->
  value I (fun i => Rbar_plus (g i) (f i)) = Rbar_plus (value I g) (value I (fun i => f i)).

Lemma counting_adds n f : (forall i, 0 <= f i) -> adds (counting n) f.
Proof. intros hf g hg. now apply total_of_plus. Qed.

Lemma total_of_rises f : nonneg f -> rises (fun n => total_of n f).
Proof.
  intros hf. split; intros n; [now apply total_of_nonneg|].
  pose proof (total_of_nonneg n f hf) as low. specialize (hf n). cbn [total_of].
  destruct (total_of n f), (f n); try easy. cbn in *. lra.
Qed.

Lemma series_adds f : (forall i, 0 <= f i) -> adds series f.
Proof.
  intros hf g hg. apply Rbar_le_antisym; [now apply value_plus|]. cbn.
  eapply Rbar_le_trans; [apply sup_plus; now apply total_of_rises|].
  apply Sup_seq_le. intros n. rewrite total_of_plus by easy. apply Rbar_le_refl.
Qed.

(** A series of real numbers that converges has its sum as integral. *)
Lemma series_is_a_limit (f : nat -> R) (v : R) : (forall i, 0 <= f i) -> is_lim_seq (fun n => sum n f) v ->
  value series (fun i => f i) = v.
Proof.
  intros hf limit. cbn. rewrite (Sup_seq_ext _ (fun n => sum n f)) by (intros; apply total_of_finite).
  apply is_sup_seq_unique. intros e. split.
  - intros n. cbn. enough (sum n f <= v) by (pose proof (cond_pos e); lra).
    apply (is_lim_seq_incr_compare (fun n => sum n f) v limit). intros k. cbn. specialize (hf k). lra.
  - apply is_lim_seq_spec in limit. destruct (limit e) as [n near]. exists n. cbn. specialize (near n (le_n n)).
    apply Rabs_def2 in near. lra.
Qed.
