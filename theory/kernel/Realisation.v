(** What is declared of a mechanism to the filter of paper 004, and the filter: Algorithm 1 as the code runs it.

    The order of events is that of the code: the check on request i + 1 knows which mechanism ran as i, and the realised
    loss of the releases before i, but not the output of i. The theorem is in RealisationFilter.v. *)

From Coq Require Import Reals Lra Lia List.
From Filterproof Require Import Sums Interaction Divergences.
Import ListNotations.
Open Scope R_scope.

(** The two directions of the privacy loss: ln(P/Q) under P, and ln(Q/P) under Q. *)
Inductive way := Forward | Backward.

Definition mass {C} (w : way) (m : request C) : nat -> R := match w with Forward => P m | Backward => Q m end.
Definition signed (w : way) (l : R) : R := match w with Forward => l | Backward => - l end.

(** What is declared of a mechanism. [None] is an infinite loss of either sign, and an infinite quantile. *)
Record declared := Declare {
  loss : nat -> option R;          (** ln(P i / Q i) of each outcome *)
  upper_theta : way -> option R;   (** the upper theta-quantile of the loss, in each direction *)
  upper_dhat : way -> option R;    (** the upper dhat-quantile *)
  allows : way -> R                (** the largest dhat-quantile of what may be asked next *)
}.

(** Whether a loss lies beyond q, in one direction. *)
Definition beyond (w : way) (q : R) (l : option R) : bool :=
  match l with
  | Some r => if Rle_dec (signed w r) q then false else true
  | None => true
  end.

(** The upper z-quantile of the loss is at most q: the loss exceeds q with probability at most z. *)
Definition quantile_at_most (w : way) (m : request declared) (z : R) (q : option R) : Prop :=
  match q with
  | Some q => sum (outcomes m) (fun i => if beyond w q (loss (charge m) i) then mass w m i else 0) <= z
  | None => True
  end.

(** The declared losses are those of the two laws; only where one law has no mass may a loss be infinite. *)
Definition true_losses (m : request declared) : Prop :=
  forall i, (i < outcomes m)%nat ->
    match loss (charge m) i with
    | Some r => P m i = exp r * Q m i
    | None => P m i = 0 \/ Q m i = 0
    end.

(** What is declared is true, as far as one direction needs it. *)
Definition honest_one_way (dhat theta : R) (w : way) (m : request declared) : Prop :=
  laws m /\ true_losses m /\
  quantile_at_most w m theta (upper_theta (charge m) w) /\ quantile_at_most w m dhat (upper_dhat (charge m) w) /\
  0 <= allows (charge m) w.

Definition realisation_honest (dhat theta : R) (m : request declared) : Prop := forall w, honest_one_way dhat theta w m.

(** The loss before the last release, that of the last release, the theta-quantiles of the last mechanism, the number
    of releases, and the largest dhat-quantile of what may be asked next. *)
Record progress := Progress {
  before : option R;
  last : option R;
  quantile : way -> option R;
  released : nat;
  reach : way -> R
}.

Definition add (k l : option R) : option R :=
  match k, l with
  | Some k, Some l => Some (k + l)
  | _, _ => None
  end.

(** q_i(theta) + reach <= epsilon - l^{(i-1)}, in one direction; false where anything is infinite. *)
Definition open (epsilon : R) (s : progress) (w : way) : bool :=
  match before s, quantile s w with
  | Some b, Some q => if Rle_dec (q + reach s w) (epsilon - signed w b) then true else false
  | _, _ => false
  end.

Definition at_most (q : option R) (r : R) : bool :=
  match q with
  | Some q => if Rle_dec q r then true else false
  | None => false
  end.

(** Algorithm 1 as the code runs it: [first w] is the largest dhat-quantile of the first allowable set, at least 0. Each
    request says what may be asked after it; so the allowable sets depend on all requests, and on all outputs but the
    last. A fixed menu is the case in which all say the same. *)
Definition realisation (epsilon : R) (N : nat) (first : way -> R) : filter declared :=
  Filter progress (Progress (Some 0) (Some 0) (fun _ => Some 0) 0 first)
    (fun s c => open epsilon s Forward && open epsilon s Backward && Nat.ltb (released s) N &&
                at_most (upper_dhat c Forward) (reach s Forward) &&
                at_most (upper_dhat c Backward) (reach s Backward))%bool
    (fun s c i => Progress (add (before s) (last s)) (loss c i) (upper_theta c) (S (released s)) (allows c)).

(** ** Two releases that are granted *)

(** Randomised response with the odds 3 to 1, declared as it is: its quantiles are ln 3. *)
Definition coin : request declared :=
  Ask 2 (fun i => match i with O => 3/4 | _ => 1/4 end) (fun i => match i with O => 1/4 | _ => 3/4 end)
    (Declare (fun i => match i with O => Some (ln 3) | _ => Some (- ln 3) end)
      (fun _ => Some (ln 3)) (fun _ => Some (ln 3)) (fun _ => ln 3)).

Definition twice : strategy declared := Request coin (fun _ => Request coin (fun _ => Stop) Stop) Stop.

Lemma ln_3_positive : 0 < ln 3.
Proof. rewrite <- ln_1. apply ln_increasing; lra. Qed.

Lemma coin_is_honest dhat theta : 0 <= dhat -> 0 <= theta -> realisation_honest dhat theta coin.
Proof.
  intros hd ht. pose proof ln_3_positive.
  assert (up : exp (ln 3) = 3) by (apply exp_ln; lra).
  assert (down : exp (- ln 3) = / 3) by (now rewrite exp_Ropp, up).
  assert (none : forall w, sum 2 (fun i => if beyond w (ln 3) (loss (charge coin) i) then mass w coin i else 0) = 0).
  { intros w. cbn. destruct w; cbn; repeat destruct (Rle_dec _ _); lra. }
  intros w. pose proof (none w). split; [|split; [|split; [|split]]].
  - repeat split; cbn; try lra; intros i less; destruct i as [|[|i]]; lra || lia.
  - intros i less. destruct i as [|[|i]]; cbn in *; [rewrite up; lra|rewrite down; lra|lia].
  - cbn in *; lra.
  - cbn in *; lra.
  - cbn -[ln]; lra.
Qed.

Example two_coins_are_granted :
  honest (realisation_honest (1/1000) (1/1000)) twice /\
  Pr_P (realisation (2 * ln 3) 2 (fun _ => ln 3)) twice 
    (fun tau => match tau with [Released _; Released _] => true | _ => false end) = 1.
Proof.
  pose proof (coin_is_honest (1/1000) (1/1000) ltac:(lra) ltac:(lra)).
  split; [cbn; tauto|].
  pose proof ln_3_positive.
  unfold Pr_P, over, twice. cbn -[ln].
  unfold open; cbn -[ln]. repeat (destruct (Rle_dec _ _); [|lra]). cbn -[ln].
  lra.
Qed.
