(** A filter that admits less keeps every promise of the filter that admits more.

    [stricter]: if filter G, whenever it admits a request, could have been simulated by filter F, which may charge in
    another unit, then what G releases is what F releases to another honest analyst. Trackers, filters with a halt, with
    fewer rounds or with more conditions are cases of it. *)

From Coq Require Import Reals Lra Lia List.
From Filterproof Require Import Sums Interaction Divergences Events.
Import ListNotations.
Open Scope R_scope.

(** The same mechanism, charged in another unit. *)
Definition recharge {C D} (f : C -> D) (m : request C) : request D := Ask (outcomes m) (P m) (Q m) (f (charge m)).

(** The analyst who asks only for what filter G would admit. *)
Fixpoint resolved {C D} (f : C -> D) (G : filter C) (s : state G) (t : strategy C) : strategy D :=
  match t with
  | Stop => Stop
  | Request m granted denied =>
      if admits G s (charge m)
      then Request (recharge f m) (fun i => resolved f G (after G s (charge m) i) (granted i)) Stop
      else resolved f G s denied
  end.

(** A promise is one on the two hockey-stick divergences of every honest transcript, and the other way round. *)
Lemma promise_is_hockey_sticks {C} (F : filter C) (ok : request C -> Prop) epsilon delta :
  promises_delta F ok epsilon delta <->
  forall t, honest ok t -> over F t (fun _ x y => pos (x - exp epsilon * y)) <= delta /\
                           over F t (fun _ x y => pos (y - exp epsilon * x)) <= delta.
Proof.
  assert (turned : forall t S, Pr_P F (swapped t) S = Pr_Q F t S /\ Pr_Q F (swapped t) S = Pr_P F t S)
    by (intros; unfold Pr_P, Pr_Q; now rewrite !over_swapped).
  split.
  - intros promise t hon. destruct (promise t hon) as [there back]. split; [now apply hockey_stick_is_least|].
    rewrite <- (over_swapped F (fun _ x y => pos (x - exp epsilon * y))).
    apply (hockey_stick_is_least F (swapped t)). intros S. destruct (turned t S) as [-> ->]. apply back.
  - intros sticks t hon. destruct (sticks t hon) as [there back]. split; [now apply hockey_stick_bounds_events|].
    intros S. destruct (turned t S) as [<- <-]. apply (hockey_stick_bounds_events F (swapped t)).
    unfold hockey_stick. now rewrite over_swapped.
Qed.

Section simulation.

Context {C D : Type} (f : C -> D) (G : filter C) (F : filter D).
Variables (ok : request C -> Prop) (ok' : request D -> Prop) (related : state G -> state F -> Prop).

Hypothesis recharged : forall m, ok m -> ok' (recharge f m).
Hypothesis simulated : forall s s' m, related s s' -> ok m -> admits G s (charge m) = true ->
  admits F s' (f (charge m)) = true /\
  forall i, (i < outcomes m)%nat -> related (after G s (charge m) i) (after F s' (f (charge m)) i).

Lemma honest_resolved t : honest ok t -> forall s, honest ok' (resolved f G s t).
Proof.
  induction t as [|m granted IHg denied IHd]; cbn; [easy|]. intros [okm [hong hond]] s.
  destruct (admits G s (charge m)); [|now apply IHd]. cbn. repeat split; auto.
Qed.

Theorem stricter V t : honest ok t -> forall s s' tau tau' x y, related s s' ->
  total G (fun _ => V) s tau x y t = total F (fun _ => V) s' tau' x y (resolved f G s t).
Proof.
  induction t as [|m granted IHg denied IHd]; intros hon s s' tau tau' x y rel; cbn; [easy|].
  destruct hon as [okm [hong hond]]. destruct (admits G s (charge m)) eqn:admitted; [|now apply IHd].
  destruct (simulated s s' m rel okm admitted) as [also keep]. cbn. rewrite also.
  apply sum_ext. intros i small. now apply IHg; [|apply keep].
Qed.

(** Whatever bound F keeps for every honest analyst, G keeps. *)
Corollary stricter_bound V bound : related (start G) (start F) ->
  (forall t, honest ok' t -> over F t (fun _ => V) <= bound) ->
  forall t, honest ok t -> over G t (fun _ => V) <= bound.
Proof.
  intros begin keeps t hon. unfold over.
  rewrite (stricter V t hon (start G) (start F) [] [] 1 1 begin). now apply keeps, honest_resolved.
Qed.

Corollary stricter_promise epsilon delta : related (start G) (start F) ->
  promises_delta F ok' epsilon delta -> promises_delta G ok epsilon delta.
Proof.
  rewrite !promise_is_hockey_sticks. intros begin keeps t hon. split.
  - revert t hon. apply (stricter_bound (fun x y => pos (x - exp epsilon * y))); [easy|]. intros u hu. now apply keeps.
  - revert t hon. apply (stricter_bound (fun x y => pos (y - exp epsilon * x))); [easy|]. intros u hu. now apply keeps.
Qed.

End simulation.
