(** Individual accounting: one filter per person; who has run out is left out of the round, and the rounds go on.

    Paper 000, Algorithm 3, and paper 003, Algorithm 1. A study is a tree as in Interaction.v, but nobody is denied:
    each round has a mechanism that gives a law of the answer for every set of people, and a charge for every person.
    The answers alone are published, not who took part. The theorems are in IndividualFilter.v. *)

From Coq Require Import Reals Lra Lia List Arith.
From Coq Require Import FunctionalExtensionality.
From Filterproof Require Import Sums Interaction Divergences.
Import ListNotations.
Open Scope R_scope.

(** People are numbered; a set of people is a function to the booleans. *)
Definition people := nat -> bool.

Inductive study (C : Type) :=
| Done
| Publish (answers : nat) (mechanism : people -> nat -> R) (charges : nat -> C) (next : nat -> study C).
Arguments Done {C}. Arguments Publish {C}.

Definition without (i : nat) (S : people) : people := fun j => if Nat.eqb j i then false else S j.

(** The active set: those whose own filter admits their own charge. *)
Definition active {C} (F : filter C) (s : nat -> state F) (charges : nat -> C) : people :=
  fun j => admits F (s j) (charges j).

(** Those who took part are charged, the others keep their state. *)
Definition charged {C} (F : filter C) (s : nat -> state F) (charges : nat -> C) (k : nat) : nat -> state F :=
  fun j => if active F s charges j then after F (s j) (charges j) k else s j.

(** [study_total F i V s tau x y t]: the sum of V tau' P(tau') Q(tau') over all lists tau' of answers, where P is the
    law of the answers on the whole data set and Q their law on the data set without person i. *)
Fixpoint study_total {C} (F : filter C) (i : nat) (V : list nat -> R -> R -> R)
    (s : nat -> state F) (tau : list nat) (x y : R) (t : study C) : R :=
  match t with
  | Done => V tau x y
  | Publish n mechanism charges next =>
      let S := active F s charges in
      sum n (fun k => study_total F i V (charged F s charges k) (tau ++ [k])
        (x * mechanism S k) (y * mechanism (without i S) k) (next k))
  end.

Definition study_over {C} (F : filter C) (i : nat) (t : study C) (V : list nat -> R -> R -> R) : R :=
  study_total F i V (fun _ => start F) [] 1 1 t.

(** What the mechanisms do with person i is what is charged to that person: for every set of people with person i in
    it, the laws with and without the person satisfy [ok] with the person's charge (Definition 2.5). *)
Fixpoint honest_for {C} (i : nat) (ok : request C -> Prop) (t : study C) : Prop :=
  match t with
  | Done => True
  | Publish n mechanism charges next =>
      (forall S, law n (mechanism S)) /\
      (forall S, S i = true -> ok (Ask n (mechanism S) (mechanism (without i S)) (charges i))) /\
      (forall k, honest_for i ok (next k))
  end.

(** (epsilon, delta)-differential privacy for person i, who is there or not: both directions, every set of answers. *)
Definition private_for {C} (F : filter C) (i : nat) (t : study C) (epsilon delta : R) : Prop :=
  forall S : list nat -> bool,
    study_over F i t (fun tau x _ => if S tau then x else 0) <=
      exp epsilon * study_over F i t (fun tau _ y => if S tau then y else 0) + delta /\
    study_over F i t (fun tau _ y => if S tau then y else 0) <=
      exp epsilon * study_over F i t (fun tau x _ => if S tau then x else 0) + delta.

(** What holds of the two probabilities of every list of answers. *)
Fixpoint everywhere {C} (F : filter C) (i : nat) (same : R -> R -> Prop)
    (s : nat -> state F) (x y : R) (t : study C) : Prop :=
  match t with
  | Done => same x y
  | Publish n mechanism charges next =>
      let S := active F s charges in
      forall k, (k < n)%nat ->
        everywhere F i same (charged F s charges k) (x * mechanism S k) (y * mechanism (without i S) k) (next k)
  end.

(** Answers that are possible with the person are possible without, and the other way round: a bound on moments means a
    divergence only where this is so. *)
Definition continuous_for {C} (F : filter C) (i : nat) (t : study C) : Prop :=
  everywhere F i (fun x y => x = 0 <-> y = 0) (fun _ => start F) 1 1 t.

(** Rényi divergence of order alpha > 1 at most rho for person i, in both directions. *)
Definition renyi_private_for {C} (F : filter C) (i : nat) (t : study C) (alpha rho : R) : Prop :=
  continuous_for F i t /\
  study_over F i t (fun _ x y => term alpha x y) <= exp ((alpha - 1) * rho) /\
  study_over F i t (fun _ x y => term alpha y x) <= exp ((alpha - 1) * rho).

(** The same of order one, the Kullback-Leibler divergence. *)
Definition kl_private_for {C} (F : filter C) (i : nat) (t : study C) (rho : R) : Prop :=
  continuous_for F i t /\
  study_over F i t (fun _ x y => x * ln (x / y)) <= rho /\ study_over F i t (fun _ x y => y * ln (y / x)) <= rho.

(** ** Sums over answers *)

Lemma study_total_le {C} (F : filter C) i V W t : (forall tau x y, V tau x y <= W tau x y) ->
  forall s tau x y, study_total F i V s tau x y t <= study_total F i W s tau x y t.
Proof. intros below. induction t as [|n A c next IH]; intros; cbn; [easy|]. apply sum_le; intros; apply IH. Qed.

Lemma study_total_plus {C} (F : filter C) i V W t : forall s tau x y,
  study_total F i (fun tau x y => V tau x y + W tau x y) s tau x y t =
  study_total F i V s tau x y t + study_total F i W s tau x y t.
Proof.
  induction t as [|n A c next IH]; intros; cbn; [lra|]. rewrite <- sum_plus. apply sum_ext; intros; apply IH.
Qed.

Lemma study_total_scale {C} (F : filter C) i a V t : forall s tau x y,
  study_total F i (fun tau x y => a * V tau x y) s tau x y t = a * study_total F i V s tau x y t.
Proof.
  induction t as [|n A c next IH]; intros; cbn; [lra|]. rewrite <- sum_scale. apply sum_ext; intros; apply IH.
Qed.

(** Bounds on the two hockey-stick divergences are one on every event. *)
Theorem hockey_sticks_bound_answers {C} (F : filter C) i t epsilon delta :
  study_over F i t (fun _ x y => pos (x - exp epsilon * y)) <= delta ->
  study_over F i t (fun _ x y => pos (y - exp epsilon * x)) <= delta ->
  private_for F i t epsilon delta.
Proof.
  unfold study_over. intros there back S. unfold study_over. split.
  - rewrite <- study_total_scale. eapply Rle_trans; [|apply Rplus_le_compat_l, there].
    rewrite <- study_total_plus. apply study_total_le. intros tau x y.
    pose proof (pos_nonneg (x - exp epsilon * y)). pose proof (pos_above (x - exp epsilon * y)). destruct (S tau); lra.
  - rewrite <- study_total_scale. eapply Rle_trans; [|apply Rplus_le_compat_l, back].
    rewrite <- study_total_plus. apply study_total_le. intros tau x y.
    pose proof (pos_nonneg (y - exp epsilon * x)). pose proof (pos_above (y - exp epsilon * x)). destruct (S tau); lra.
Qed.

(** ** Facts on sets and choices *)

Lemma nobody_to_remove i S : S i = false -> without i S = S.
Proof.
  intros out. apply functional_extensionality. intros j. unfold without. now destruct (Nat.eqb_spec j i) as [->|].
Qed.

(** A mean is at most one of the numbers. *)
Lemma mean_below_one n (a f : nat -> R) : law n a -> exists k, (k < n)%nat /\ sum n (fun k => a k * f k) <= f k.
Proof.
  intros [nonneg one].
  assert (most : n <> 0%nat -> exists k, (k < n)%nat /\ forall j, (j < n)%nat -> f j <= f k).
  { clear. induction n as [|n IH]; [easy|]. intros _. destruct n as [|n].
    - exists 0%nat. split; [lia|]. intros j less. replace j with 0%nat by lia. lra.
    - destruct (IH ltac:(lia)) as [k [less best]]. destruct (Rle_dec (f k) (f (S n))) as [last|before].
      + exists (S n). split; [lia|]. intros j small. destruct (Nat.eq_dec j (S n)) as [->|]; [lra|].
        specialize (best j ltac:(lia)). lra.
      + exists k. split; [lia|]. intros j small. destruct (Nat.eq_dec j (S n)) as [->|]; [lra|].
        apply best; lia. }
  destruct most as [k [less best]]; [intros ->; cbn in one; lra|].
  exists k. split; [easy|]. rewrite <- (Rmult_1_l (f k)), <- one, <- sum_scale_right.
  apply sum_le. intros j small. apply Rmult_le_compat_l; auto.
Qed.

(** Finitely many choices make a function, which is [a] elsewhere. *)
Lemma finite_choice {A} (a : A) (R : nat -> A -> Prop) n : (forall k, (k < n)%nat -> exists b, R k b) ->
  exists f, (forall k, (k < n)%nat -> R k (f k)) /\ (forall k, (n <= k)%nat -> f k = a).
Proof.
  induction n as [|n IH]; intros some; [exists (fun _ => a); split; [lia|easy]|].
  destruct IH as [f [chosen rest]]; [intros; apply some; lia|]. destruct (some n ltac:(lia)) as [b last].
  exists (fun k => if Nat.eqb k n then b else f k). split; intros k size.
  - destruct (Nat.eqb_spec k n) as [->|]; [easy|]. apply chosen. lia.
  - destruct (Nat.eqb_spec k n); [lia|]. apply rest. lia.
Qed.
