(** What holds along every path of an interaction: masses are not negative, and P is absolutely continuous. *)

From Coq Require Import Reals Lra Lia List.
From Filterproof Require Import Sums Interaction Divergences.
Import ListNotations.
Open Scope R_scope.

(** What is kept by every round that is granted holds at the end of every transcript. *)
Lemma kept_on_paths {C} (F : filter C) (ok : request C -> Prop) (Inv : state F -> R -> R -> Prop) :
  (forall s m x y i, Inv s x y -> ok m -> admits F s (charge m) = true -> (i < outcomes m)%nat ->
     Inv (after F s (charge m) i) (x * P m i) (y * Q m i)) ->
  forall t s tau x y, honest ok t -> Inv s x y ->
  forall tau' a b, In (tau', a, b) (transcripts F s tau x y t) -> exists s', Inv s' a b.
Proof.
  intros round t. induction t as [|m granted IHg denied IHd]; intros s tau x y hon inv tau' a b here; cbn in here.
  - destruct here as [[= _ <- <-]|[]]. now exists s.
  - destruct hon as (okm & hong & hond). destruct (admits F s (charge m)) eqn:admitted; [|now eapply IHd; eauto].
    apply in_concat_map in here as (i & small & here). eapply IHg; [apply hong| |exact here]. now apply round.
Qed.

(** The laws of a request are laws, and what has mass under P has mass under Q. *)
Definition dominated {C} (m : request C) : Prop := laws m /\ continuous m.

(** Masses so far: not negative, and no mass under P without mass under Q. *)
Definition masses (x y : R) : Prop := 0 <= x /\ 0 <= y /\ (y = 0 -> x = 0).

Lemma masses_round {C} (m : request C) x y i : dominated m -> (i < outcomes m)%nat -> masses x y ->
  masses (x * P m i) (y * Q m i).
Proof.
  intros (((hp & _) & (hq & _)) & cont) small (hx & hy & dom).
  specialize (hp i small). specialize (hq i small). specialize (cont i small).
  repeat split; [nra|nra|]. intros [zero|zero]%Rmult_integral; [rewrite dom by easy; lra|rewrite cont by easy; lra].
Qed.

Lemma masses_start : masses 1 1.
Proof. unfold masses. lra. Qed.

(** No transcript has mass under P without mass under Q: a bound on the moments is then one on the divergence. *)
Definition transcript_continuous {C} (F : filter C) (t : strategy C) : Prop :=
  forall tau x y, In (tau, x, y) (transcripts F (start F) [] 1 1 t) -> y = 0 -> x = 0.

Lemma dominated_on_paths {C} (F : filter C) t : honest dominated t ->
  forall tau x y, In (tau, x, y) (transcripts F (start F) [] 1 1 t) -> masses x y.
Proof.
  intros hon tau x y here.
  enough (exists s : state F, masses x y) as [_ inv] by exact inv.
  refine (kept_on_paths F dominated (fun _ x y => masses x y) _ t _ _ _ _ hon masses_start _ _ _ here).
  intros; now apply masses_round.
Qed.

Theorem dominated_is_continuous {C} (F : filter C) t : honest dominated t -> transcript_continuous F t.
Proof. intros hon tau x y here. now destruct (dominated_on_paths F t hon _ _ _ here) as (_ & _ & dom). Qed.

(** Payoffs compared where they are compared on every transcript that can occur. *)
Lemma over_le_on_paths {C} (F : filter C) (V W : transcript -> R -> R -> R) t :
  (forall tau x y, In (tau, x, y) (transcripts F (start F) [] 1 1 t) -> V tau x y <= W tau x y) ->
  over F t V <= over F t W.
Proof.
  unfold over. rewrite !total_is_a_sum_over_transcripts. generalize (transcripts F (start F) [] 1 1 t).
  intros l. induction l as [|[[tau x] y] l IH]; intros below; cbn; [lra|].
  apply Rplus_le_compat; [apply below; now left|]. apply IH. intros; apply below; now right.
Qed.

Lemma over_scale {C} (F : filter C) c V t : over F t (fun tau x y => c * V tau x y) = c * over F t V.
Proof. apply total_scale. Qed.

Lemma over_plus {C} (F : filter C) V W t :
  over F t (fun tau x y => V tau x y + W tau x y) = over F t V + over F t W.
Proof. apply total_plus. Qed.
