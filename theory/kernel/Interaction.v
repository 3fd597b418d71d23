(** Fully adaptive interactions with a filter, for mechanisms with finitely many outcomes.

    An analyst's strategy is a tree: it asks for a mechanism with a declared charge, and goes on with one subtree for
    each outcome if the filter grants it, and with another subtree if the filter denies it. So every choice may depend
    on all that was released before, and an analyst may halt at a denial ([Stop]) or ask for something else (retry). A
    randomised analyst is one who asks for mechanisms with P = Q.

    The two laws P and Q of a mechanism are those of its outcome under two neighbouring data sets. *)

From Coq Require Import Reals Lra Lia List.
From Filterproof Require Import Sums.
Import ListNotations.
Open Scope R_scope.

(** ** Requests and strategies *)

Record request (C : Type) := Ask {
  outcomes : nat;
  P : nat -> R;
  Q : nat -> R;
  charge : C
}.
Arguments Ask {C}. Arguments outcomes {C}. Arguments P {C}. Arguments Q {C}. Arguments charge {C}.

Inductive strategy (C : Type) :=
| Stop
| Request (m : request C) (granted : nat -> strategy C) (denied : strategy C).
Arguments Stop {C}. Arguments Request {C}.

(** [law n p]: the numbers p 0, ..., p (n - 1) are probabilities that sum to one. *)
Definition law (n : nat) (p : nat -> R) : Prop :=
  (forall i, (i < n)%nat -> 0 <= p i) /\ sum n p = 1.

Definition laws {C} (m : request C) : Prop := law (outcomes m) (P m) /\ law (outcomes m) (Q m).

(** [honest ok t]: every request that strategy [t] could ever make satisfies [ok]. *)
Fixpoint honest {C} (ok : request C -> Prop) (t : strategy C) : Prop :=
  match t with
  | Stop => True
  | Request m granted denied => ok m /\ (forall i, honest ok (granted i)) /\ honest ok denied
  end.

(** ** Filters *)

(** A filter decides by its state and the declared charge, before the release; the state may take up the outcome. *)
Record filter (C : Type) := Filter {
  state : Type;
  start : state;
  admits : state -> C -> bool;
  after : state -> C -> nat -> state
}.
Arguments Filter {C}. Arguments state {C}. Arguments start {C}. Arguments admits {C}. Arguments after {C}.

(** ** Transcripts *)

Inductive event := Denied | Released (outcome : nat).
Definition transcript := list event.

(** [total F V s tau x y t]: the sum of V tau' P(tau') Q(tau') over all full transcripts tau' of strategy [t] against
    filter [F] in state [s], where [tau] was seen before, with probability [x] under P and [y] under Q. *)
Fixpoint total {C} (F : filter C) (V : transcript -> R -> R -> R)
    (s : state F) (tau : transcript) (x y : R) (t : strategy C) : R :=
  match t with
  | Stop => V tau x y
  | Request m granted denied =>
      if admits F s (charge m)
      then sum (outcomes m) (fun i =>
             total F V (after F s (charge m) i) (tau ++ [Released i]) (x * P m i) (y * Q m i) (granted i))
      else total F V s (tau ++ [Denied]) x y denied
  end.

(** The sum over the transcripts of a whole interaction. *)
Definition over {C} (F : filter C) (t : strategy C) (V : transcript -> R -> R -> R) : R :=
  total F V (start F) [] 1 1 t.

(** The probability that the transcript lies in the set [S], under either data set. *)
Definition Pr_P {C} (F : filter C) t (S : transcript -> bool) := over F t (fun tau x _ => if S tau then x else 0).
Definition Pr_Q {C} (F : filter C) t (S : transcript -> bool) := over F t (fun tau _ y => if S tau then y else 0).

(** ** The same as a list, each transcript once *)

Fixpoint concat_map {A} (n : nat) (f : nat -> list A) : list A :=
  match n with
  | O => []
  | S m => concat_map m f ++ f m
  end.

Fixpoint transcripts {C} (F : filter C) (s : state F) (tau : transcript) (x y : R) (t : strategy C)
    : list (transcript * R * R) :=
  match t with
  | Stop => [(tau, x, y)]
  | Request m granted denied =>
      if admits F s (charge m)
      then concat_map (outcomes m) (fun i =>
             transcripts F (after F s (charge m) i) (tau ++ [Released i]) (x * P m i) (y * Q m i) (granted i))
      else transcripts F s (tau ++ [Denied]) x y denied
  end.

Fixpoint list_sum {A} (f : A -> R) (l : list A) : R :=
  match l with
  | [] => 0
  | a :: rest => f a + list_sum f rest
  end.

Lemma list_sum_app {A} (f : A -> R) k l : list_sum f (k ++ l) = list_sum f k + list_sum f l.
Proof. induction k as [|a k IH]; cbn; [lra|rewrite IH; lra]. Qed.

Lemma list_sum_concat_map {A} (f : A -> R) n g : list_sum f (concat_map n g) = sum n (fun i => list_sum f (g i)).
Proof. induction n as [|n IH]; cbn; [reflexivity|now rewrite list_sum_app, IH]. Qed.

(** Claim: What the statements call a total is the sum over the list of all full transcripts. *)
Theorem total_is_a_sum_over_transcripts {C} (F : filter C) V t : forall s tau x y,
  total F V s tau x y t = list_sum (fun '(tau', a, b) => V tau' a b) (transcripts F s tau x y t).
Proof.
  induction t as [|m granted IHg denied IHd]; intros; cbn; [now rewrite Rplus_0_r|].
  destruct (admits F s (charge m)); [|apply IHd].
  rewrite list_sum_concat_map. now apply sum_ext; intros; apply IHg.
Qed.

Lemma in_concat_map {A} (a : A) n f : In a (concat_map n f) -> exists i, (i < n)%nat /\ In a (f i).
Proof.
  induction n as [|n IH]; cbn; [easy|].
  intros [before|last]%in_app_iff; [destruct (IH before) as [i [? ?]]; exists i; split; [lia|easy]|].
  now exists n; split; [lia|].
Qed.

Lemma transcripts_begin {C} (F : filter C) t : forall s tau x y tau' a b,
  In (tau', a, b) (transcripts F s tau x y t) -> exists rest, tau' = tau ++ rest.
Proof.
  induction t as [|m granted IHg denied IHd]; intros s tau x y tau' a b here; cbn in here.
  - destruct here as [[= -> _ _]|[]]. exists []. now rewrite app_nil_r.
  - destruct (admits F s (charge m)).
    + apply in_concat_map in here as [i [_ here]]. apply IHg in here as [rest ->].
      exists (Released i :: rest). now rewrite <- app_assoc.
    + apply IHd in here as [rest ->]. exists (Denied :: rest). now rewrite <- app_assoc.
Qed.

Lemma NoDup_app {A} (k l : list A) : NoDup k -> NoDup l -> (forall a, In a k -> ~ In a l) -> NoDup (k ++ l).
Proof.
  induction k as [|a k IH]; cbn; intros Hk Hl apart; [easy|].
  inversion_clear Hk as [|? ? fresh rest]. constructor.
  - intros [?|?]%in_app_iff; [easy|]. now apply (apart a); [left|].
  - apply IH; [easy|easy|]. intros; apply apart; now right.
Qed.

(** Claim: In the list of transcripts each stands once, so that an event is a set of transcripts. *)
Theorem transcripts_differ {C} (F : filter C) t : forall s tau x y,
  NoDup (map (fun '(tau', _, _) => tau') (transcripts F s tau x y t)).
Proof.
  induction t as [|m granted IHg denied IHd]; intros; cbn.
  - constructor; [easy|constructor].
  - destruct (admits F s (charge m)); [|apply IHd].
    induction (outcomes m) as [|n IH]; cbn; [constructor|].
    rewrite map_app. apply NoDup_app; [exact IH|apply IHg|].
    intros tau' first last.
    apply in_map_iff in first as [[[t1 a1] b1] [<- first]]. apply in_map_iff in last as [[[t2 a2] b2] [same last]].
    cbn in same; subst t2.
    apply in_concat_map in first as [i [small first]].
    apply transcripts_begin in first as [r1 ->]. apply transcripts_begin in last as [r2 same].
    rewrite <- !app_assoc in same. apply app_inv_head in same. injection same as same _. lia.
Qed.

(** ** One induction for every filter *)

(** If a potential Phi of the state and of the probabilities so far bounds the payoff of stopping, and does not rise in
    the mean over a round that the filter admits, then it bounds the mean payoff of every strategy. [Inv] may say what
    is known of the states and probabilities that are reached. *)
(** Claim: One induction for every filter: a potential of the state and of the probabilities so far that bounds the
    payoff of stopping, and does not rise in the mean over a round that is admitted, bounds the mean payoff of each
    strategy. *)
Theorem potential {C} (F : filter C) (ok : request C -> Prop)
    (V : transcript -> R -> R -> R) (Inv : state F -> R -> R -> Prop) (Phi : state F -> R -> R -> R) :
  (forall s tau x y, Inv s x y -> V tau x y <= Phi s x y) ->
  (forall s m x y, Inv s x y -> ok m -> admits F s (charge m) = true ->
     (forall i, (i < outcomes m)%nat -> Inv (after F s (charge m) i) (x * P m i) (y * Q m i)) /\
     sum (outcomes m) (fun i => Phi (after F s (charge m) i) (x * P m i) (y * Q m i)) <= Phi s x y) ->
  forall t s tau x y, honest ok t -> Inv s x y -> total F V s tau x y t <= Phi s x y.
Proof.
  intros stop round t. induction t as [|m granted IHg denied IHd]; intros s tau x y hon inv; cbn.
  - now apply stop.
  - destruct hon as [okm [hong hond]]. destruct (admits F s (charge m)) eqn:admitted; [|now apply IHd].
    destruct (round s m x y inv okm admitted) as [keep step].
    eapply Rle_trans; [|exact step]. apply sum_le. intros i small. now apply IHg; [|apply keep].
Qed.

(** Sums over transcripts are linear and monotone in the payoff, and masses sum to those that came in. *)
Lemma total_le {C} (F : filter C) V W t : (forall tau x y, V tau x y <= W tau x y) ->
  forall s tau x y, total F V s tau x y t <= total F W s tau x y t.
Proof.
  intros below. induction t as [|m granted IHg denied IHd]; intros; cbn; [easy|].
  destruct (admits F s (charge m)); [|apply IHd]. apply sum_le; intros; apply IHg.
Qed.

Lemma total_ext {C} (F : filter C) V W t : (forall tau x y, V tau x y = W tau x y) ->
  forall s tau x y, total F V s tau x y t = total F W s tau x y t.
Proof.
  intros same s tau x y. apply Rle_antisym; apply total_le; intros; rewrite same; lra.
Qed.

Lemma total_plus {C} (F : filter C) V W t : forall s tau x y,
  total F (fun tau x y => V tau x y + W tau x y) s tau x y t = total F V s tau x y t + total F W s tau x y t.
Proof.
  induction t as [|m granted IHg denied IHd]; intros; cbn; [lra|].
  destruct (admits F s (charge m)); [|apply IHd]. rewrite <- sum_plus. apply sum_ext; intros; apply IHg.
Qed.

Lemma total_scale {C} (F : filter C) c V t : forall s tau x y,
  total F (fun tau x y => c * V tau x y) s tau x y t = c * total F V s tau x y t.
Proof.
  induction t as [|m granted IHg denied IHd]; intros; cbn; [lra|].
  destruct (admits F s (charge m)); [|apply IHd]. rewrite <- sum_scale. apply sum_ext; intros; apply IHg.
Qed.

Lemma total_mass_P {C} (F : filter C) t : honest laws t -> forall s tau x y,
  total F (fun _ x _ => x) s tau x y t = x.
Proof.
  induction t as [|m granted IHg denied IHd]; intros hon s tau x y; cbn; [easy|].
  destruct hon as [[[_ one] _] [hong hond]]. destruct (admits F s (charge m)); [|now apply IHd].
  rewrite (sum_ext _ _ (fun i => x * P m i)) by (intros; now apply IHg).
  rewrite sum_scale, one. lra.
Qed.

Lemma total_mass_Q {C} (F : filter C) t : honest laws t -> forall s tau x y,
  total F (fun _ _ y => y) s tau x y t = y.
Proof.
  induction t as [|m granted IHg denied IHd]; intros hon s tau x y; cbn; [easy|].
  destruct hon as [[_ [_ one]] [hong hond]]. destruct (admits F s (charge m)); [|now apply IHd].
  rewrite (sum_ext _ _ (fun i => y * Q m i)) by (intros; now apply IHg).
  rewrite sum_scale, one. lra.
Qed.

Lemma honest_weaken {C} (ok ok' : request C -> Prop) t :
  (forall m, ok m -> ok' m) -> honest ok t -> honest ok' t.
Proof. intros weaker. induction t as [|m g IHg d IHd]; cbn; [easy|]. intros [? [? ?]]. repeat split; auto. Qed.

(** ** The other direction: the two data sets exchanged *)

Definition swap {C} (m : request C) : request C := Ask (outcomes m) (Q m) (P m) (charge m).

Fixpoint swapped {C} (t : strategy C) : strategy C :=
  match t with
  | Stop => Stop
  | Request m granted denied => Request (swap m) (fun i => swapped (granted i)) (swapped denied)
  end.

Lemma total_swapped {C} (F : filter C) V t : forall s tau x y,
  total F V s tau x y (swapped t) = total F (fun tau x y => V tau y x) s tau y x t.
Proof.
  induction t as [|m granted IHg denied IHd]; intros; cbn; [easy|].
  destruct (admits F s (charge m)); [|apply IHd]. apply sum_ext; intros; apply IHg.
Qed.

Lemma honest_swapped {C} (ok ok' : request C -> Prop) t :
  (forall m, ok m -> ok' (swap m)) -> honest ok t -> honest ok' (swapped t).
Proof. intros both. induction t as [|m g IHg d IHd]; cbn; [easy|]. intros [? [? ?]]. repeat split; auto. Qed.
