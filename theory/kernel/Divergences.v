(** What is promised of a transcript: differential privacy, hockey-stick and Rényi divergence, KL. *)

From Coq Require Import Reals Lra Lia List.
From Filterproof Require Import Sums Interaction.
Import ListNotations.
Open Scope R_scope.

Definition pos (x : R) : R := Rmax 0 x.

Lemma pos_nonneg x : 0 <= pos x. Proof. apply Rmax_l. Qed.
Lemma pos_above x : x <= pos x. Proof. apply Rmax_r. Qed.
Lemma pos_least x a : 0 <= a -> x <= a -> pos x <= a. Proof. intros; now apply Rmax_lub. Qed.
Lemma pos_le x y : x <= y -> pos x <= pos y.
Proof. intros; apply pos_least; [apply pos_nonneg|]. pose proof (pos_above y). lra. Qed.

(** ** (epsilon, delta)-differential privacy *)

(** P(S) <= e^epsilon Q(S) + delta for every set S of transcripts, and the same with P and Q exchanged. *)
Definition approximately_private {C} (F : filter C) (t : strategy C) (epsilon delta : R) : Prop :=
  forall S, Pr_P F t S <= exp epsilon * Pr_Q F t S + delta.

Definition private_both_ways {C} (F : filter C) (t : strategy C) (epsilon delta : R) : Prop :=
  approximately_private F t epsilon delta /\
  (forall S, Pr_Q F t S <= exp epsilon * Pr_P F t S + delta).

(** The hockey-stick divergence of the transcript: the sum of (P(tau) - e^epsilon Q(tau))_+. *)
Definition hockey_stick {C} (F : filter C) (t : strategy C) (epsilon : R) : R :=
  over F t (fun _ x y => pos (x - exp epsilon * y)).

(** Claim: A bound on the hockey-stick divergence of the transcript is one on P(S) - e^epsilon Q(S) for each event S.
    Source: Koskela, Tobaben & Honkela, Theorem 6 *)
Theorem hockey_stick_bounds_events {C} (F : filter C) t epsilon delta :
  hockey_stick F t epsilon <= delta -> approximately_private F t epsilon delta.
Proof.
  intros bound S. unfold hockey_stick, Pr_P, Pr_Q, over in *.
  rewrite <- total_scale.
  enough (total F (fun tau x _ => if S tau then x else 0) (start F) [] 1 1 t
    <= total F (fun tau x y => exp epsilon * (if S tau then y else 0) + pos (x - exp epsilon * y)) (start F) [] 1 1 t)
    as below by (rewrite total_plus in below; lra).
  apply total_le. intros tau x y. pose proof (pos_nonneg (x - exp epsilon * y)).
  pose proof (pos_above (x - exp epsilon * y)). destruct (S tau); lra.
Qed.

(** For every strategy: what a filter promises. *)
Definition promises_delta {C} (F : filter C) (ok : request C -> Prop) (epsilon delta : R) : Prop :=
  forall t, honest ok t -> private_both_ways F t epsilon delta.

Lemma over_swapped {C} (F : filter C) V t : over F (swapped t) V = over F t (fun tau x y => V tau y x).
Proof. apply total_swapped. Qed.

(** One direction for every strategy is both, where honesty does not depend on the direction. *)
Lemma both_ways {C} (F : filter C) (ok : request C -> Prop) epsilon delta :
  (forall m, ok m -> ok (swap m)) ->
  (forall t, honest ok t -> hockey_stick F t epsilon <= delta) ->
  promises_delta F ok epsilon delta.
Proof.
  intros symmetric one t hon. split.
  - now apply hockey_stick_bounds_events, one.
  - intros S. pose proof (hockey_stick_bounds_events F (swapped t) epsilon delta
      (one _ (honest_swapped _ _ _ symmetric hon)) S) as other.
    unfold Pr_P, Pr_Q in *. now rewrite !over_swapped in other.
Qed.

(** A larger delta is promised as well. *)
Lemma promises_more {C} (F : filter C) ok epsilon delta delta' : delta <= delta' ->
  promises_delta F ok epsilon delta -> promises_delta F ok epsilon delta'.
Proof.
  intros less promise t hon. destruct (promise t hon) as [one other].
  split; intros S; [specialize (one S)|specialize (other S)]; lra.
Qed.

(** ** Rényi divergence of order alpha > 1, as its moment e^{(alpha - 1) D_alpha} *)

(** x^a with 0^a = 0 (the library's [Rpower 0 a] is not 0). *)
Definition power (x a : R) : R := if Rle_dec x 0 then 0 else Rpower x a.

Definition term (alpha x y : R) : R := power x alpha * Rpower y (1 - alpha).

(** What has mass under P has mass under Q: without it the divergence is infinite. *)
Definition continuous {C} (m : request C) : Prop :=
  forall i, (i < outcomes m)%nat -> Q m i = 0 -> P m i = 0.

Definition round_moment {C} (alpha : R) (m : request C) : R :=
  sum (outcomes m) (fun i => term alpha (P m i) (Q m i)).

(** D_alpha(P||Q) <= rho. *)
Definition renyi_at_most {C} (alpha rho : R) (m : request C) : Prop :=
  continuous m /\ round_moment alpha m <= exp ((alpha - 1) * rho).

Definition moment {C} (F : filter C) (t : strategy C) (alpha : R) : R := over F t (fun _ x y => term alpha x y).

(** D_alpha of the transcript is at most rho. *)
Definition transcript_renyi_at_most {C} (F : filter C) (t : strategy C) (alpha rho : R) : Prop :=
  moment F t alpha <= exp ((alpha - 1) * rho).

Lemma power_nonneg x a : 0 <= power x a.
Proof. unfold power. destruct (Rle_dec x 0); [lra|]. unfold Rpower. left; apply exp_pos. Qed.

Lemma power_mult x y a : 0 <= x -> 0 <= y -> power (x * y) a = power x a * power y a.
Proof.
  intros hx hy. unfold power. destruct (Rle_dec x 0) as [?|]; [replace x with 0 by lra|].
  - destruct (Rle_dec (0 * y) 0); lra.
  - destruct (Rle_dec y 0) as [?|]; [replace y with 0 by lra|].
    + destruct (Rle_dec (x * 0) 0); lra.
    + destruct (Rle_dec (x * y) 0) as [small|_]; [|symmetry; apply Rpower_mult_distr; lra].
      pose proof (Rmult_lt_0_compat x y). lra.
Qed.

Lemma term_zero alpha y : term alpha 0 y = 0.
Proof. unfold term, power. destruct (Rle_dec 0 0); lra. Qed.

Lemma term_nonneg alpha x y : 0 <= term alpha x y.
Proof.
  unfold term. apply Rmult_le_pos; [apply power_nonneg|]. unfold Rpower. left; apply exp_pos.
Qed.

Lemma term_mult alpha x y p q : 0 <= x -> 0 <= y -> 0 <= p -> 0 <= q -> (y = 0 -> x = 0) -> (q = 0 -> p = 0) ->
  term alpha (x * p) (y * q) = term alpha x y * term alpha p q.
Proof.
  intros hx hy hp hq dx dp.
  destruct (Req_dec y 0) as [zero|some]; [rewrite (dx zero), Rmult_0_l, !term_zero; lra|].
  destruct (Req_dec q 0) as [zero|more]; [rewrite (dp zero), Rmult_0_r, !term_zero; lra|].
  unfold term. rewrite power_mult, <- Rpower_mult_distr by lra. lra.
Qed.

Lemma term_one alpha : term alpha 1 1 = 1.
Proof.
  unfold term, power. destruct (Rle_dec 1 0); [lra|]. unfold Rpower. rewrite ln_1, !Rmult_0_r, exp_0. lra.
Qed.

(** ** Order one: the Kullback-Leibler divergence, 0 log 0 = 0 *)

Definition round_kl {C} (m : request C) : R := sum (outcomes m) (fun i => P m i * ln (P m i / Q m i)).

Definition kl {C} (F : filter C) (t : strategy C) : R := over F t (fun _ x y => x * ln (x / y)).
