(** Fully adaptive interactions with a filter, for mechanisms with outcomes of any kind: real numbers, vectors, texts.

    A mechanism has an outcome space, an integral on it, and two densities with respect to the integral. The analyst is
    a tree as in [Interaction], with one subtree for each outcome: a tree may branch over all real numbers. What was a
    sum over transcripts there is an iterated integral here ([over]).

    The integrals may be upper integrals (see [Integrals]), so every strategy and every set of transcripts is covered.
    Where all of them are measurable, the iterated integral is the one against the law of the transcript: that is
    Tonelli's theorem, which nothing here proves.

    - [potential_any]: one induction for every filter;
    - [mass_is_one]: the laws of the transcript have mass one;
    - [finitely_many]: with finitely many outcomes all of it is what [Interaction] says. *)

From Coq Require Import Reals Lra Lia List FunctionalExtensionality Classical_Prop ClassicalDedekindReals.
From Coquelicot Require Import Rbar Lim_seq.
From Filterproof Require Import Sums Integrals.
From Filterproof Require Interaction.
Import ListNotations.
Open Scope R_scope.

(** ** Requests and strategies *)

Record request (C : Type) := Ask {
  outcome : Type;
  base : integral outcome;
  P : outcome -> R;
  Q : outcome -> R;
  charge : C
}.
Arguments Ask {C}. Arguments outcome {C}. Arguments base {C}. Arguments P {C}. Arguments Q {C}. Arguments charge {C}.

Inductive strategy (C : Type) :=
| Stop
| Request (m : request C) (granted : outcome m -> strategy C) (denied : strategy C).
Arguments Stop {C}. Arguments Request {C}.

(** The two densities are not negative, and their integrals are one. *)
Definition density {X} (I : integral X) (p : X -> R) : Prop := (forall i, 0 <= p i) /\ value I (fun i => p i) = 1.

Definition laws {C} (m : request C) : Prop := density (base m) (P m) /\ density (base m) (Q m).

(** [honest ok t]: every request that strategy [t] could ever make satisfies [ok]. *)
Fixpoint honest {C} (ok : request C -> Prop) (t : strategy C) : Prop :=
  match t with
  | Stop => True
  | Request m granted denied => ok m /\ (forall i, honest ok (granted i)) /\ honest ok denied
  end.

(** ** Filters and transcripts *)

Inductive event := Denied | Released (X : Type) (i : X).
Arguments Released {X}.
Definition transcript := list event.

(** A filter decides by its state and the declared charge, before the release; the state may take up the outcome. *)
Record filter (C : Type) := Filter {
  state : Type;
  start : state;
  admits : state -> C -> bool;
  after : state -> C -> event -> state
}.
Arguments Filter {C}. Arguments state {C}. Arguments start {C}. Arguments admits {C}. Arguments after {C}.

(** [total F V s tau x y t]: the iterated integral of V tau' x' y' over all full transcripts tau' of strategy [t]
    against filter [F] in state [s], x' and y' the densities of tau' under P and Q, where [tau] was seen before, of
    densities [x] and [y]. *)
Fixpoint total {C} (F : filter C) (V : transcript -> R -> R -> R)
    (s : state F) (tau : transcript) (x y : R) (t : strategy C) : Rbar :=
  match t with
  | Stop => V tau x y
  | Request m granted denied =>
      if admits F s (charge m)
      then value (base m) (fun i =>
             total F V (after F s (charge m) (Released i)) (tau ++ [Released i]) (x * P m i) (y * Q m i) (granted i))
      else total F V s (tau ++ [Denied]) x y denied
  end.

(** The integral over the transcripts of a whole interaction. *)
Definition over {C} (F : filter C) (t : strategy C) (V : transcript -> R -> R -> R) : Rbar :=
  total F V (start F) [] 1 1 t.

(** The probability that the transcript lies in the set [S], under either data set. *)
Definition Pr_P {C} (F : filter C) t (S : transcript -> bool) := over F t (fun tau x _ => if S tau then x else 0).
Definition Pr_Q {C} (F : filter C) t (S : transcript -> bool) := over F t (fun tau _ y => if S tau then y else 0).

(** What [f] says of an outcome, read off the event: of another type of outcome it says [none]. *)
Definition reading {X A : Type} (f : X -> A) (none : A) (e : event) : A :=
  match e with
  | Denied => none
  | @Released Y i =>
      match ClassicalDedekindReals.sig_not_dec (Y = X) with
      | left same => f (eq_rect Y (fun T => T) i X (Classical_Prop.NNPP _ same))
      | right _ => none
      end
  end.

Lemma reading_is {X A : Type} (f : X -> A) none (i : X) : reading f none (Released i) = f i.
Proof.
  cbn. destruct (ClassicalDedekindReals.sig_not_dec _) as [same|other]; [|now destruct other].
  f_equal. symmetry. apply (Eq_rect_eq.eq_rect_eq Type X (fun T => T) i).
Qed.

(** ** One induction for every filter *)

Lemma total_nonneg {C} (F : filter C) (V : transcript -> R -> R -> R) (Inv : state F -> R -> R -> Prop)
    (ok : request C -> Prop) :
  (forall s tau x y, Inv s x y -> 0 <= V tau x y) ->
  (forall s m x y i, Inv s x y -> ok m -> admits F s (charge m) = true ->
     Inv (after F s (charge m) (Released i)) (x * P m i) (y * Q m i)) ->
  forall t s tau x y, honest ok t -> Inv s x y -> Rbar_le 0 (total F V s tau x y t).
Proof.
  intros stop round t. induction t as [|m granted IHg denied IHd]; intros s tau x y hon inv; cbn.
  - now apply (stop s).
  - destruct hon as (okm & hong & hond). destruct (admits F s (charge m)) eqn:admitted; [|now apply IHd].
    apply value_nonneg. intros i. apply IHg; [apply hong|now apply round].
Qed.

(** If a potential Phi of the state and of the densities so far bounds the payoff of stopping, and does not rise in the
    mean over a round that the filter admits, then it bounds the mean payoff of every strategy. [Inv] may say what is
    known of the states and densities that are reached. *)
(** Claim: One induction for every filter, for payoffs that are not negative: a potential of the state and of the
    densities so far that bounds the payoff of stopping, and does not rise in the mean over a round that is admitted,
    bounds the mean payoff of each strategy.
    Covers: mechanisms with outcomes of any kind that have two densities against an integral
    Beyond: Payoffs below 0, those of the KL divergence among them. *)
Theorem potential_any {C} (F : filter C) (ok : request C -> Prop)
    (V : transcript -> R -> R -> R) (Inv : state F -> R -> R -> Prop) (Phi : state F -> R -> R -> R) :
  (forall s tau x y, Inv s x y -> 0 <= V tau x y <= Phi s x y) ->
  (forall s m x y, Inv s x y -> ok m -> admits F s (charge m) = true ->
     (forall i, Inv (after F s (charge m) (Released i)) (x * P m i) (y * Q m i)) /\
     Rbar_le (value (base m) (fun i => Phi (after F s (charge m) (Released i)) (x * P m i) (y * Q m i))) (Phi s x y)) ->
  forall t s tau x y, honest ok t -> Inv s x y -> Rbar_le (total F V s tau x y t) (Phi s x y).
Proof.
  intros stop round t. induction t as [|m granted IHg denied IHd]; intros s tau x y hon inv; cbn.
  - now apply stop.
  - destruct hon as [okm [hong hond]]. destruct (admits F s (charge m)) eqn:admitted; [|now apply IHd].
    destruct (round s m x y inv okm admitted) as [keep step].
    eapply Rbar_le_trans; [|exact step]. apply value_le; [|intros i; now apply IHg].
    intros i. apply (total_nonneg F V Inv ok); auto.
    + intros s' tau' x' y' inv'. now apply (stop s').
    + intros s' m' x' y' j inv' ok' admitted'. now apply (round s' m' x' y').
Qed.

(** Payoffs that compare as V <= c W + U have integrals that do. *)
Lemma total_split {C} (F : filter C) c (V W U : transcript -> R -> R -> R) (Inv : R -> R -> Prop)
    (ok : request C -> Prop) : 0 < c ->
  (forall tau x y, Inv x y -> 0 <= V tau x y /\ 0 <= W tau x y /\ 0 <= U tau x y /\
     V tau x y <= c * W tau x y + U tau x y) ->
  (forall m x y i, Inv x y -> ok m -> Inv (x * P m i) (y * Q m i)) ->
  forall t s tau x y, honest ok t -> Inv x y ->
    Rbar_le (total F V s tau x y t) (Rbar_plus (Rbar_mult c (total F W s tau x y t)) (total F U s tau x y t)).
Proof.
  intros hc stop round t.
  assert (low : forall K : transcript -> R -> R -> R, (forall tau x y, Inv x y -> 0 <= K tau x y) ->
    forall t s tau x y, honest ok t -> Inv x y -> Rbar_le 0 (total F K s tau x y t)).
  { intros K hK u s tau x y hon inv. apply (total_nonneg F K (fun _ => Inv) ok); auto. }
  induction t as [|m granted IHg denied IHd]; intros s tau x y hon inv; cbn [total].
  - now apply stop.
  - destruct hon as [okm [hong hond]]. destruct (admits F s (charge m)); [|now apply IHd].
    assert (hU : forall tau x y, Inv x y -> 0 <= U tau x y) by (intros; now apply stop).
    assert (hV : forall tau x y, Inv x y -> 0 <= V tau x y) by (intros; now apply stop).
    assert (hW : forall tau x y, Inv x y -> 0 <= W tau x y) by (intros; now apply stop).
    rewrite <- value_scaled by (easy || (intros i; apply low; auto)).
    eapply Rbar_le_trans; [|apply value_plus].
    + apply value_le; [intros i; apply low; auto|]. intros i. apply IHg; auto.
    + intros i. apply Rbar_mult_nonneg; [easy|]. apply low; auto.
    + intros i. apply low; auto.
Qed.

Lemma honest_weaken {C} (ok ok' : request C -> Prop) t :
  (forall m, ok m -> ok' m) -> honest ok t -> honest ok' t.
Proof. intros weaker. induction t as [|m g IHg d IHd]; cbn; [easy|]. intros [? [? ?]]. repeat split; auto. Qed.

(** ** The transcript's laws have mass one *)

Lemma mass {C} (F : filter C) t : honest laws t -> forall s tau x y, 0 <= x ->
  total F (fun _ x _ => x) s tau x y t = x.
Proof.
  induction t as [|m granted IHg denied IHd]; intros hon s tau x y hx; cbn; [easy|].
  destruct hon as [[[hp one] _] [hong hond]]. destruct (admits F s (charge m)); [|now apply IHd].
  transitivity (value (base m) (fun i => Finite (x * P m i))); [f_equal; extensionality i|].
  - apply IHg; [apply hong|]. specialize (hp i). nra.
  - rewrite (value_times (base m) x (P m) 1) by easy. now rewrite Rmult_1_r.
Qed.

(** ** The two data sets exchanged *)

Definition swap {C} (m : request C) : request C := Ask (outcome m) (base m) (Q m) (P m) (charge m).

Fixpoint swapped {C} (t : strategy C) : strategy C :=
  match t with
  | Stop => Stop
  | Request m granted denied => Request (swap m) (fun i => swapped (granted i)) (swapped denied)
  end.

Lemma total_swapped {C} (F : filter C) V t : forall s tau x y,
  total F V s tau x y (swapped t) = total F (fun tau x y => V tau y x) s tau y x t.
Proof.
  induction t as [|m granted IHg denied IHd]; intros; cbn; [easy|].
  destruct (admits F s (charge m)); [|apply IHd]. f_equal. extensionality i. apply IHg.
Qed.

Lemma honest_swapped {C} (ok ok' : request C -> Prop) t :
  (forall m, ok m -> ok' (swap m)) -> honest ok t -> honest ok' (swapped t).
Proof. intros both. induction t as [|m g IHg d IHd]; cbn; [easy|]. intros [? [? ?]]. repeat split; auto. Qed.

(** Claim: The laws of the transcript, as iterated integrals, have mass one.
    Covers: mechanisms with outcomes of any kind that have two densities against an integral *)
Theorem mass_is_one {C} (F : filter C) t : honest laws t ->
  Pr_P F t (fun _ => true) = 1 /\ Pr_Q F t (fun _ => true) = 1.
Proof.
  intros hon. split; [apply mass; [easy|lra]|]. unfold Pr_Q, over.
  rewrite <- (total_swapped F (fun _ x _ => x)). apply mass; [|lra].
  revert hon. apply honest_swapped. now intros m [].
Qed.

(** ** Finitely many outcomes *)

(** The state is what is left of the budget; a request is granted while its charge is. *)
Definition additive_any (budget : R) : filter R :=
  Filter R budget (fun left c => if Rle_dec c left then true else false) (fun left c _ => left - c).

(** What is zero beyond the outcomes of the mechanism. *)
Definition counted (n : nat) (p : nat -> R) (i : nat) : R := if lt_dec i n then p i else 0.

Lemma counted_same n p i : (i < n)%nat -> counted n p i = p i.
Proof. intros less. unfold counted. now destruct (lt_dec i n). Qed.

Lemma counted_value n (f : nat -> Rbar) (g : nat -> R) : (forall i, (i < n)%nat -> f i = g i) ->
  value (counting n) f = sum n g.
Proof.
  cbn. induction n as [|n IH]; intros same; cbn [total_of sum]; [easy|].
  rewrite IH by (intros; apply same; lia). now rewrite same by lia.
Qed.

Lemma counted_density n p : Interaction.law n p -> density (counting n) (counted n p).
Proof.
  intros [low one]. split.
  - intros i. unfold counted. destruct (lt_dec i n); [now apply low|lra].
  - rewrite <- one. apply counted_value. intros; now rewrite counted_same.
Qed.

(** A mechanism with finitely many outcomes, its charge written as [f] of it. *)
Definition embedded_request {C D} (f : C -> D) (m : Interaction.request C) : request D :=
  Ask nat (counting (Interaction.outcomes m)) (counted (Interaction.outcomes m) (Interaction.P m))
    (counted (Interaction.outcomes m) (Interaction.Q m)) (f (Interaction.charge m)).

Fixpoint embedded {C D} (f : C -> D) (t : Interaction.strategy C) : strategy D :=
  match t with
  | Interaction.Stop => Stop
  | Interaction.Request m granted denied =>
      Request (embedded_request f m) (fun i => embedded f (granted i)) (embedded f denied)
  end.

Definition embedded_event (e : Interaction.event) : event :=
  match e with Interaction.Denied => Denied | Interaction.Released i => Released i end.

Lemma embedded_laws {C D} (f : C -> D) m : Interaction.laws m -> laws (embedded_request f m).
Proof. intros [hp hq]. split; now apply counted_density. Qed.

Lemma honest_embedded {C D} (f : C -> D) (ok : Interaction.request C -> Prop) (ok' : request D -> Prop) t :
  (forall m, ok m -> ok' (embedded_request f m)) -> Interaction.honest ok t -> honest ok' (embedded f t).
Proof. intros also. induction t as [|m g IHg d IHd]; cbn; [easy|]. intros [? [? ?]]. repeat split; auto. Qed.

(** Two filters that decide alike, in states that correspond, whatever is released. *)
Definition decide_alike {C D} (f : C -> D) (F : Interaction.filter C) (G : filter D) : Prop :=
  exists related : Interaction.state F -> state G -> Prop, related (Interaction.start F) (start G) /\
    forall s s' c, related s s' -> admits G s' (f c) = Interaction.admits F s c /\
      forall i : nat, related (Interaction.after F s c i) (after G s' (f c) (Released i)).

(** What a strategy over finitely many outcomes is worth is here what it is there. *)
(** Claim: With finitely many outcomes, and sums for integrals, the worth of a strategy is the one that the other
    statements speak of, for every payoff and two filters that decide alike.
    Covers: mechanisms with outcomes of any kind that have two densities against an integral *)
Theorem finitely_many {C D} (f : C -> D) F G t V : decide_alike f F G ->
  over G (embedded f t) V = Interaction.over F t (fun tau => V (map embedded_event tau)).
Proof.
  intros (related & begins & alike). unfold over, Interaction.over.
  change (@nil event) with (map embedded_event []). revert begins.
  generalize (start G) as s', (Interaction.start F) as s, (@nil Interaction.event) as tau.
  generalize 1 at 1 3 as x. generalize 1 as y.
  induction t as [|m granted IHg denied IHd]; intros y x s' s tau here; cbn [embedded total Interaction.total]; [easy|].
  cbn [embedded_request charge]. destruct (alike s s' (Interaction.charge m) here) as [-> keep].
  destruct (Interaction.admits F s (Interaction.charge m)).
  - apply counted_value. intros i less. cbn [P Q embedded_request]. rewrite !counted_same by easy.
    rewrite <- (IHg i _ _ _ _ _ (keep i)), map_app. easy.
  - rewrite <- (IHd _ _ _ _ _ here), map_app. easy.
Qed.
