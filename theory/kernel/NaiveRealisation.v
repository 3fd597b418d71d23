(** The naive realisation filter (paper 004, Section II-B): each round may fail with probability delta, and nothing
    adds these probabilities up. *)

From Coq Require Import Reals Lra Lia List Bool.
From Filterproof Require Import Sums Interaction Divergences Events Domination.
Import ListNotations.
Open Scope R_scope.

(** The P-probability that the loss of the next round takes the whole loss past epsilon, where the transcript so far has
    probabilities x and y: the P_i with x P_i > e^epsilon y Q_i. *)
Definition may_pass (epsilon x y : R) (D : pair) : R :=
  sum (size D) (fun i => if Rlt_dec (exp epsilon * (y * lower D i)) (x * upper D i) then upper D i else 0).

(** CONT while P(L_i > epsilon - l) <= delta in both directions; the realised loss l is log (x / y). *)
Definition naive (epsilon delta : R) : filter pair :=
  Filter (R * R) (1, 1)
    (fun s D => (if Rle_dec (may_pass epsilon (fst s) (snd s) D) delta then true else false) &&
                (if Rle_dec (may_pass epsilon (snd s) (fst s) (swapped_pair D)) delta then true else false))
    (fun s D i => (fst s * upper D i, snd s * lower D i)).

(** A request declares its own laws, truly. *)
Definition declares_itself (m : request pair) : Prop :=
  laws m /\ charge m = Pair (outcomes m) (P m) (Q m).

(** Erasure(p): a blank (outcome 0) with probability 1 - p, else the bit itself. *)
Definition erasure (p : R) : pair :=
  Pair 3 (fun i => match i with O => 1 - p | 1%nat => p | _ => 0 end)
         (fun i => match i with O => 1 - p | 2%nat => p | _ => 0 end).

Definition ask (D : pair) : request pair := Ask (size D) (upper D) (lower D) D.

Lemma erasure_declares_itself p : 0 <= p <= 1 -> declares_itself (ask (erasure p)).
Proof.
  intros range. split; [|reflexivity]. repeat split; cbn; try lra; intros [|[|[|]]] small; lra || lia.
Qed.

(** Ask for Erasure(p) up to N times, until the bit is out. *)
Fixpoint erasures (p : R) (N : nat) : strategy pair :=
  match N with
  | O => Stop
  | S n => Request (ask (erasure p)) (fun i => match i with O => erasures p n | _ => Stop end) Stop
  end.

Lemma erasures_honest p N : 0 <= p <= 1 -> honest declares_itself (erasures p N).
Proof.
  intros range. induction N as [|n IH]; cbn; [easy|]. split; [now apply erasure_declares_itself|].
  split; [|easy]. now intros [|i].
Qed.

Lemma erasure_may_pass epsilon p x : 0 <= epsilon -> 0 <= p < 1 -> 0 < x ->
  may_pass epsilon x x (erasure p) <= p /\ may_pass epsilon x x (swapped_pair (erasure p)) <= p.
Proof.
  intros he hp hx. pose proof (one_le_exp epsilon he).
  assert (x * (1 - p) <= exp epsilon * (x * (1 - p))) by (assert (0 < x * (1 - p)) by nra; nra).
  split; unfold may_pass; cbn;
    repeat match goal with |- context [Rlt_dec ?a ?b] => destruct (Rlt_dec a b) end; nra.
Qed.

(** Claim: Under the filter that admits while the probability that the next loss takes the whole loss past epsilon is at
    most delta, both ways, the naive realisation filter, N erasures of probability p <= delta reach 1 - (1 - p)^N.
    Source: Taylor, Vippathalla & Coon, Section II-B *)
Theorem erased_again_and_again epsilon delta p N : 0 <= epsilon -> 0 <= p < 1 -> p <= delta ->
  hockey_stick (naive epsilon delta) (erasures p N) epsilon = 1 - (1 - p) ^ N.
Proof.
  intros he hp below. pose proof (one_le_exp epsilon he) as one.
  enough (all : forall tau x, 0 < x ->
    total (naive epsilon delta) (fun _ x y => pos (x - exp epsilon * y)) (x, x) tau x x
    (erasures p N) = x * (1 - (1 - p) ^ N)) by (unfold hockey_stick, over; etransitivity; [apply (all [] 1); lra|ring]).
  induction N as [|n IH]; intros tau x hx; cbn [erasures total pow].
  - unfold pos. rewrite Rmax_left by nra. ring.
  - destruct (erasure_may_pass epsilon p x he hp hx) as [forth back].
    replace (admits (naive epsilon delta) (x, x) (charge (ask (erasure p)))) with true.
    2: { cbn [naive admits ask charge fst snd].
         change (Pair _ _ _) with (erasure p).
         destruct (Rle_dec (may_pass epsilon x x (erasure p)) delta) as [|no];
           [|now destruct no; apply Rle_trans with p].
         destruct (Rle_dec (may_pass epsilon x x (swapped_pair (erasure p))) delta) as [|no]; [easy|].
         now destruct no; apply Rle_trans with p. }
    cbn. rewrite IH by nra. unfold pos. assert (0 <= x * p) by nra. assert (0 <= exp epsilon * (x * p)) by nra.
    rewrite (Rmax_right 0 (x * p - _)), (Rmax_left 0 (x * 0 - _)) by nra. ring.
Qed.

(** Claim: For delta > 0 the filter that admits while the probability that the next loss takes the whole loss past
    epsilon is at most delta, both ways, keeps no (epsilon, delta')-DP with delta' < 1.
    Source: Taylor, Vippathalla & Coon, Section II-B *)
Theorem naive_filter_fails epsilon delta delta' : 0 <= epsilon -> 0 < delta -> delta' < 1 ->
  ~ promises_delta (naive epsilon delta) declares_itself epsilon delta'.
Proof.
  intros he hd hd'.
  set (p := Rmin delta (1 / 2)).
  assert (range : 0 < p <= 1 / 2 /\ p <= delta).
  { unfold p. pose proof (Rmin_l delta (1 / 2)). pose proof (Rmin_r delta (1 / 2)).
    assert (0 < Rmin delta (1 / 2)) by (apply Rmin_glb_lt; lra). lra. }
  destruct (pow_lt_1_zero (1 - p) ltac:(rewrite Rabs_pos_eq; lra) (1 - delta') ltac:(lra)) as [N small].
  specialize (small N (le_n N)). pose proof (Rle_abs ((1 - p) ^ N)).
  apply (promise_refuted _ _ (erasures p N)); [apply erasures_honest; lra|].
  rewrite erased_again_and_again; lra.
Qed.
