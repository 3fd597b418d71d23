(** One budget for each pair of neighbouring data sets: paper 000, Remark 3.2. A round is charged what it may lose on
    each pair, not the most of these for all: the maximum stands before the sum. *)

From Coq Require Import Reals Lra Lia List.
From Filterproof Require Import Sums Interaction Divergences Paths AdditiveFilter Ledger RenyiFilter StricterFilter.
Import ListNotations.
Open Scope R_scope.

Fixpoint fits (n : nat) (left c : nat -> R) : bool :=
  match n with
  | O => true
  | S m => if Rle_dec (c m) (left m) then fits m left c else false
  end.

Lemma fits_each n left c : fits n left c = true <-> forall s, (s < n)%nat -> c s <= left s.
Proof.
  induction n as [|n IH]; cbn; [split; [lia|easy]|]. destruct (Rle_dec (c n) (left n)) as [fit|more].
  - rewrite IH. split; intros all s small; [|apply all; lia]. destruct (Nat.eq_dec s n) as [->|]; [easy|apply all; lia].
  - split; [discriminate|]. intros all. exfalso. apply more, all. lia.
Qed.

(** The data set pairs are numbered 0, ..., n - 1; a request is charged c s on pair s. *)
Definition pair_by_pair (n : nat) (budget : nat -> R) : filter (nat -> R) :=
  Filter (nat -> R) budget (fits n) (fun left c _ s => left s - c s).

(** What pair s sees of a request: the mechanism on it, and its own charge. *)
Definition seen_by (s : nat) (m : request (nat -> R)) : request R := recharge (fun c => c s) m.

Definition honest_on (s : nat) (ok : request R -> Prop) (m : request (nat -> R)) : Prop := ok (seen_by s m).

Lemma one_of_many n budget s : (s < n)%nat -> forall left (left' : R) (m : request (nat -> R)), left s = left' ->
  admits (pair_by_pair n budget) left (charge m) = true ->
  admits (additive (budget s)) left' (charge m s) = true /\
  forall i, (i < outcomes m)%nat ->
    after (pair_by_pair n budget) left (charge m) i s = after (additive (budget s)) left' (charge m s) i.
Proof.
  intros small left left' m same admitted. cbn in *. pose proof (proj1 (fits_each _ _ _) admitted s small) as fit.
  subst left'. destruct (Rle_dec (charge m s) (left s)); [easy|lra].
Qed.

Theorem pair_by_pair_bound n budget s ok V bound : (s < n)%nat ->
  (forall t, honest ok t -> over (additive (budget s)) t (fun _ => V) <= bound) ->
  forall t, honest (honest_on s ok) t -> over (pair_by_pair n budget) t (fun _ => V) <= bound.
Proof.
  intros small. apply (stricter_bound (fun c : nat -> R => c s) (pair_by_pair n budget) (additive (budget s))
    (honest_on s ok) ok (fun left left' => left s = left')); [easy| |easy].
  intros left left' m same _. now apply one_of_many.
Qed.

(** Claim: A filter with one budget for each of finitely many pairs, which admits what all of them pay for, keeps on
    each pair the (epsilon, delta)-DP that an additive filter of that pair's budget keeps. *)
Theorem pair_by_pair_promise n budget s ok epsilon delta : (s < n)%nat ->
  promises_delta (additive (budget s)) ok epsilon delta ->
  promises_delta (pair_by_pair n budget) (honest_on s ok) epsilon delta.
Proof.
  intros small. apply (stricter_promise (fun c : nat -> R => c s) (pair_by_pair n budget) (additive (budget s))
    (honest_on s ok) ok (fun left left' => left s = left')); [easy| |easy].
  intros left left' m same _. now apply one_of_many.
Qed.

(** Remark 3.2, for finitely many pairs: each has the transcripts of its own two data sets. *)
(** Claim: A filter with one budget for each of finitely many pairs, which admits what all of them pay for, keeps the
    Rényi divergence of order alpha > 1 of each pair's transcript within its budget, both ways.
    Source: Feldman & Zrnic, Remark 3.2
    Beyond: Infinitely many pairs of data sets; how the losses on all of them are found. *)
Theorem pair_by_pair_renyi alpha n budget (t : nat -> strategy (nat -> R)) : 1 < alpha ->
  (forall s, (s < n)%nat -> 0 <= budget s) ->
  (forall s, (s < n)%nat -> honest (honest_on s (both (renyi_honest alpha))) (t s)) ->
  forall s, (s < n)%nat -> transcript_renyi (pair_by_pair n budget) (t s) alpha (budget s).
Proof.
  intros above positive hon s small.
  assert (one_way : forall u, honest (honest_on s (renyi_honest alpha)) u ->
    transcript_continuous (pair_by_pair n budget) u /\
    transcript_renyi_at_most (pair_by_pair n budget) u alpha (budget s)).
  { intros u hu. split.
    - apply dominated_is_continuous. revert hu. apply honest_weaken. intros m honest_m.
      exact (renyi_priced_dominated alpha (fun c => c) (seen_by s m) honest_m).
    - unfold transcript_renyi_at_most, moment. revert u hu.
      apply (pair_by_pair_bound n budget s (renyi_honest alpha) (term alpha)); [easy|]. intros u hu.
      exact (renyi_filter alpha (budget s) u above (positive s small) hu). }
  split; apply one_way.
  - apply (honest_weaken (honest_on s (both (renyi_honest alpha)))); [now intros m [there _]|now apply hon].
  - apply (honest_swapped (honest_on s (both (renyi_honest alpha)))); [|now apply hon]. now intros m [_ back].
Qed.

(** A filter charged the most of all pairs has spent on each pair at least what was lost on it. *)
(** Claim: Where no pair has less left than a filter charged the largest loss of all pairs, what that filter admits a
    filter with one budget for each pair admits, and afterwards again no pair has less left.
    Source: Feldman & Zrnic, Remark 3.2 *)
Lemma fewer_by_the_largest n budget least (left : nat -> R) most c :
  (forall s, (s < n)%nat -> least <= left s) -> (forall s, (s < n)%nat -> c s <= most) ->
  admits (additive budget) least most = true ->
  admits (pair_by_pair n (fun _ => budget)) left c = true /\
  forall s i, (s < n)%nat -> after (additive budget) least most i <= after (pair_by_pair n (fun _ => budget)) left c i s.
Proof.
  intros behind below admitted. apply additive_admits in admitted. split.
  - apply fits_each. intros s small. specialize (behind s small). specialize (below s small). lra.
  - intros s i small. cbn. specialize (behind s small). specialize (below s small). lra.
Qed.

(** Two pairs, a round that loses everything on the first and one on the second: both are admitted, where the largest
    charges add up to twice the budget. *)
(** Claim: Two rounds, each of which takes the whole budget of another pair, are both admitted by a filter with one
    budget for each pair, where one charged the largest loss of all pairs denies the second. *)
Example more_is_admitted budget : 0 < budget ->
  let first := fun s : nat => if Nat.eqb s 0 then budget else 0 in
  let second := fun s : nat => if Nat.eqb s 0 then 0 else budget in
  let left := after (pair_by_pair 2 (fun _ => budget)) (fun _ => budget) first 0%nat in
  admits (pair_by_pair 2 (fun _ => budget)) (fun _ => budget) first = true /\
  admits (pair_by_pair 2 (fun _ => budget)) left second = true /\
  admits (additive budget) (after (additive budget) budget budget 0%nat) budget = false.
Proof.
  intros positive. cbn. repeat split.
  - destruct (Rle_dec 0 budget); [|lra]. destruct (Rle_dec budget budget); [easy|lra].
  - destruct (Rle_dec budget (budget - 0)); [|lra]. destruct (Rle_dec 0 (budget - budget)); [easy|lra].
  - destruct (Rle_dec budget (budget - budget)); [lra|easy].
Qed.
