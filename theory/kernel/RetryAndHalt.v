(** After a denial: halt, retry, and a filter that forgets.

    - [halting_keeps], [halting_keeps_renyi]: who must halt at the first denial is one of the analysts for whom every
      theorem is stated, for a strategy has a branch for denial, and [Stop] is one. Algorithm 2 of paper 000 is this.
    - [retry_is_seen]: who asks again after a denial has the denial in the transcript, and the promise covers it.
    - [resetting_filter_fails]: a filter that starts anew at each denial breaks its promise: one denial buys a second
      whole budget. Of the same requests the filter itself keeps its promise by [pure_filter]. *)

From Coq Require Import Reals Lra Lia List.
From Filterproof Require Import Sums Interaction Divergences AdditiveFilter Ledger RenyiFilter BasicFilter Trackers.
Import ListNotations.
Open Scope R_scope.

(** ** Halt *)

(** Claim: What a filter promises to each strategy it keeps for an analyst who must halt at the first denial.
    Source: Feldman & Zrnic, Algorithms 2 and 4 *)
Theorem halting_keeps {C} (F : filter C) ok epsilon delta t :
  promises_delta F ok epsilon delta -> honest ok t -> private_both_ways F (halting t) epsilon delta.
Proof. intros promise hon. now apply promise, honest_halting. Qed.

(** Theorem 4.3 as it is printed, with a filter that halts. *)
Theorem halting_keeps_renyi alpha B t : 1 < alpha -> 0 <= B -> honest (both (renyi_honest alpha)) t ->
  transcript_renyi (additive B) (halting t) alpha B.
Proof. intros. now apply renyi_filter_both_ways; [| |apply honest_halting]. Qed.

(** A transcript of one who halts has no event after a denial. *)
Fixpoint ends_at_denial (tau : transcript) : bool :=
  match tau with
  | [] => true
  | [Denied] => true
  | Denied :: _ => false
  | Released _ :: rest => ends_at_denial rest
  end.

Theorem halting_ends_at_denial {C} (F : filter C) t : forall s tau x y tau' a b, (forall e, In e tau -> e <> Denied) ->
  In (tau', a, b) (transcripts F s tau x y (halting t)) -> ends_at_denial tau' = true.
Proof.
  assert (free_ends : forall tau, (forall e, In e tau -> e <> Denied) -> ends_at_denial tau = true).
  { induction tau as [|[|j] tau IH]; intros free; [easy| |cbn; apply IH; intros; apply free; now right].
    exfalso. apply (free Denied); [now left|easy]. }
  induction t as [|m granted IHg denied IHd]; intros s tau x y tau' a b free here; cbn in here.
  - destruct here as [[= -> _ _]|[]]. now apply free_ends.
  - destruct (admits F s (charge m)).
    + apply in_concat_map in here as [i [_ here]]. apply IHg in here; [easy|].
      intros e [before|[<-|[]]]%in_app_iff; [now apply free|easy].
    + destruct here as [[= <- _ _]|[]]. clear - free. induction tau as [|[|j] tau IH]; cbn.
      * easy.
      * exfalso. apply (free Denied); [now left|easy].
      * apply IH. intros; apply free; now right.
Qed.

(** ** Retry *)

(** Randomised response with the odds 3 to 1, at the charge c. *)
Definition ask (c : R) : request R :=
  Ask 2 (fun i => match i with O => 3/4 | _ => 1/4 end) (fun i => match i with O => 1/4 | _ => 3/4 end) c.

(** Three requests, whatever was denied. *)
Definition insistent (c : R) : strategy R :=
  let last := Request (ask c) (fun _ => Stop) Stop in
  let second := Request (ask c) (fun _ => last) last in
  Request (ask c) (fun _ => second) second.

(** Claim: An example: who asks again after a denial has the denial in the transcript.
    Source: Feldman & Zrnic, Section 4 *)
Example retry_is_seen c : 0 < c ->
  transcripts (additive c) c [] 1 1 (insistent c) =
    [([Released 0; Denied; Denied], 1 * (3/4), 1 * (1/4)); ([Released 1; Denied; Denied], 1 * (1/4), 1 * (3/4))].
Proof.
  intros some. unfold insistent; cbn. destruct (Rle_dec c c); [|lra].
  destruct (Rle_dec c (c - c)); [lra|]. cbn. destruct (Rle_dec c (c - c)); [lra|easy].
Qed.

(** ** A filter that starts anew at each denial *)

(** The sum over transcripts, where a denial sets the state back. *)
Fixpoint resetting_total {C} (F : filter C) (V : transcript -> R -> R -> R)
    (s : state F) (tau : transcript) (x y : R) (t : strategy C) : R :=
  match t with
  | Stop => V tau x y
  | Request m granted denied =>
      if admits F s (charge m)
      then sum (outcomes m) (fun i =>
             resetting_total F V (after F s (charge m) i) (tau ++ [Released i]) (x * P m i) (y * Q m i) (granted i))
      else resetting_total F V (start F) (tau ++ [Denied]) x y denied
  end.

(** Both first answers are 0. *)
Definition both_zero (tau : transcript) : bool :=
  match tau with [Released O; Denied; Released O] => true | _ => false end.

Lemma insistent_is_honest : honest pure_charged (insistent (ln 3)).
Proof.
  assert (pure_charged (ask (ln 3))).
  { assert (three : exp (ln 3) = 3) by (apply exp_ln; lra).
    assert (0 < ln 3) by (rewrite <- ln_1; apply ln_increasing; lra).
    split; [|split; [cbn; lra|]].
    - repeat split; cbn; try lra; intros [|[|i]] less; lra || lia.
    - intros [|[|i]] less; cbn -[exp] in *; rewrite three; lra || lia. }
  cbn. tauto.
Qed.

(** By [pure_filter] the additive filter of budget ln 3 promises (ln 3, 0). Reset at each denial it releases twice,
    and keeps (ln 3, delta) for no delta below 3/8. *)
(** Claim: A filter of budget log 3 on pure epsilons that starts anew at each denial breaks (log 3, delta)-DP for
    each delta < 3/8, in a game of two coins. *)
Theorem resetting_filter_fails :
  let Pr V := resetting_total (additive (ln 3)) V (ln 3) [] 1 1 (insistent (ln 3)) in
  honest pure_charged (insistent (ln 3)) /\
  forall delta, delta < 3/8 ->
    ~ Pr (fun tau x _ => if both_zero tau then x else 0) <=
      exp (ln 3) * Pr (fun tau _ y => if both_zero tau then y else 0) + delta.
Proof.
  split; [exact insistent_is_honest|]. intros delta below. unfold insistent; cbn -[ln exp].
  assert (0 < ln 3) by (rewrite <- ln_1; apply ln_increasing; lra).
  destruct (Rle_dec (ln 3) (ln 3)); [|lra]. cbn -[ln exp].
  destruct (Rle_dec (ln 3) (ln 3 - ln 3)); [lra|]. cbn -[ln exp].
  destruct (Rle_dec (ln 3) (ln 3)); [|lra]. cbn -[ln exp].
  rewrite exp_ln by lra. lra.
Qed.
