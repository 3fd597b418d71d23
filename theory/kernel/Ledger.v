(** Ledgers: any filter whose state holds a budget for some price of the charges that it admits. The additive filter
    is one, a filter that adds several prices at once is one for each of them. *)

From Coq Require Import Reals Lra Lia List.
From Filterproof Require Import Sums Interaction Divergences Paths AdditiveFilter.
Import ListNotations.
Open Scope R_scope.

(** [keeps F left price B]: there is B at the start, a charge is admitted only if its price is left, and is paid. *)
Record keeps {C} (F : filter C) (left : state F -> R) (price : C -> R) (B : R) : Prop := Keeps {
  opens : left (start F) = B;
  fits : forall s c, admits F s c = true -> price c <= left s;
  pays : forall s c i, left (after F s c i) = left s - price c
}.

Lemma additive_keeps B : keeps (additive B) (fun left => left) (fun c => c) B.
Proof. constructor; [easy|apply additive_admits|easy]. Qed.

(** A request is honest at the order alpha for a price: its price is at least 0 and at least D_alpha. *)
Definition renyi_priced {C} (alpha : R) (price : C -> R) (m : request C) : Prop :=
  laws m /\ 0 <= price (charge m) /\ renyi_at_most alpha (price (charge m)) m.

(** The same at order one: the price is at least the KL divergence. *)
Definition kl_priced {C} (price : C -> R) (m : request C) : Prop :=
  laws m /\ 0 <= price (charge m) /\ continuous m /\ round_kl m <= price (charge m).

(** D_alpha of the transcript is at most rho in both directions; a bound on a moment means a divergence only where P
    is absolutely continuous, so that is part of it. *)
Definition transcript_renyi {C} (F : filter C) (t : strategy C) (alpha rho : R) : Prop :=
  (transcript_continuous F t /\ transcript_renyi_at_most F t alpha rho) /\
  (transcript_continuous F (swapped t) /\ transcript_renyi_at_most F (swapped t) alpha rho).

(** KL of the transcript is at most rho in both directions. *)
Definition transcript_kl {C} (F : filter C) (t : strategy C) (rho : R) : Prop :=
  (transcript_continuous F t /\ kl F t <= rho) /\ (transcript_continuous F (swapped t) /\ kl F (swapped t) <= rho).

(** A property of a request in both directions. *)
Definition both {C} (ok : request C -> Prop) (m : request C) : Prop := ok m /\ ok (swap m).

Lemma swap_swap {C} (m : request C) : swap (swap m) = m.
Proof. now destruct m. Qed.

Lemma both_swap {C} (ok : request C -> Prop) m : both ok m -> both ok (swap m).
Proof. intros [one other]. split; [easy|]. now rewrite swap_swap. Qed.

Lemma honest_both {C} (ok : request C -> Prop) t : honest (both ok) t -> honest ok t /\ honest ok (swapped t).
Proof.
  intros hon. split; [now apply (honest_weaken (both ok)); [intros m []|]|].
  now apply (honest_swapped (both ok)); [intros m []|].
Qed.

(** What remains to be lost: the moment so far times e^{(alpha - 1) left}. *)
Lemma ledger_moment {C} (F : filter C) left price B alpha t : 1 <= alpha -> 0 <= B -> keeps F left price B ->
  honest (renyi_priced alpha price) t -> transcript_renyi_at_most F t alpha B.
Proof.
  intros above hB [opens fits pays] hon. unfold transcript_renyi_at_most, moment, over.
  replace (exp ((alpha - 1) * B)) with (term alpha 1 1 * exp ((alpha - 1) * left (start F)))
    by (rewrite opens, term_one; lra).
  apply (potential F (renyi_priced alpha price) _ (fun s x y => 0 <= left s /\ masses x y)
    (fun s x y => term alpha x y * exp ((alpha - 1) * left s)));
    [| |easy|now rewrite opens; split; [|apply masses_start]].
  - intros s tau x y (hl & _). pose proof (term_nonneg alpha x y).
    assert (1 <= exp ((alpha - 1) * left s)) by (apply one_le_exp; nra). nra.
  - intros s m x y (hl & hm) (hlaw & hc & cont & moment) admitted. specialize (fits _ _ admitted). split.
    + intros i small. rewrite pays. split; [lra|]. now apply masses_round.
    + destruct hm as (hx & hy & dom). destruct hlaw as ((hp & _) & (hq & _)).
      rewrite (sum_ext _ _ (fun i => (term alpha x y * exp ((alpha - 1) * (left s - price (charge m)))) *
        term alpha (P m i) (Q m i))).
      2:{ intros i small. rewrite term_mult, pays; auto. lra. }
      rewrite sum_scale.
      replace (exp ((alpha - 1) * left s))
        with (exp ((alpha - 1) * (left s - price (charge m))) * exp ((alpha - 1) * price (charge m)))
        by (rewrite <- exp_plus; f_equal; lra).
      rewrite <- Rmult_assoc. apply Rmult_le_compat_l; [|exact moment].
      apply Rmult_le_pos; [apply term_nonneg|left; apply exp_pos].
Qed.

Lemma kl_term x y p q : masses x y -> masses p q ->
  x * p * ln (x * p / (y * q)) = x * ln (x / y) * p + x * (p * ln (p / q)).
Proof.
  intros (hx & hy & dom) (hp & hq & dop).
  destruct (Req_dec x 0) as [->|hx0]; [lra|]. destruct (Req_dec p 0) as [->|hp0]; [lra|].
  assert (0 < y) by (destruct hy as [|<-]; [easy|now destruct hx0; apply dom]).
  assert (0 < q) by (destruct hq as [|<-]; [easy|now destruct hp0; apply dop]).
  assert (0 < x / y) by (apply Rdiv_lt_0_compat; lra). assert (0 < p / q) by (apply Rdiv_lt_0_compat; lra).
  replace (x * p / (y * q)) with (x / y * (p / q)) by (field; lra). rewrite ln_mult by easy. ring.
Qed.

Lemma masses_of_round {C} (m : request C) i : dominated m -> (i < outcomes m)%nat -> masses (P m i) (Q m i).
Proof.
  intros dom small. pose proof (masses_round m 1 1 i dom small masses_start) as it. now rewrite !Rmult_1_l in it.
Qed.

Lemma ledger_kl {C} (F : filter C) left price B t : 0 <= B -> keeps F left price B ->
  honest (kl_priced price) t -> kl F t <= B.
Proof.
  intros hB [opens fits pays] hon. unfold kl, over.
  replace B with (1 * ln (1 / 1) + 1 * left (start F))
    by (replace (1 / 1) with 1 by lra; rewrite opens, ln_1; lra).
  apply (potential F (kl_priced price) _ (fun s x y => 0 <= left s /\ masses x y)
    (fun s x y => x * ln (x / y) + x * left s)); [| |easy|now rewrite opens; split; [|apply masses_start]].
  - intros s tau x y (hl & hx & _). nra.
  - intros s m x y (hl & hm) (hlaw & hc & cont & small_kl) admitted. specialize (fits _ _ admitted). split.
    + intros i small. rewrite pays. split; [lra|]. now apply masses_round.
    + rewrite (sum_ext _ _ (fun i => (x * ln (x / y) + x * (left s - price (charge m))) * P m i
        + x * (P m i * ln (P m i / Q m i)))).
      2:{ intros i small. rewrite pays, kl_term by (easy || now apply masses_of_round). ring. }
      destruct hlaw as ((_ & one) & _). rewrite sum_plus, !sum_scale, one. fold (round_kl m).
      destruct hm as (hx & _). nra.
Qed.

Lemma renyi_priced_dominated {C} alpha (price : C -> R) m : renyi_priced alpha price m -> dominated m.
Proof. intros (? & ? & ? & ?). now split. Qed.

Lemma kl_priced_dominated {C} (price : C -> R) m : kl_priced price m -> dominated m.
Proof. intros (? & ? & ? & ?). now split. Qed.

(** A filter that keeps a ledger bounds D_alpha of the transcript, in both directions. *)
Theorem ledger_filter {C} (F : filter C) left price B alpha t : 1 < alpha -> 0 <= B -> keeps F left price B ->
  honest (both (renyi_priced alpha price)) t -> transcript_renyi F t alpha B.
Proof.
  intros above hB ledger [one other]%honest_both.
  assert (forall t, honest (renyi_priced alpha price) t -> transcript_continuous F t).
  { intros u hon. apply dominated_is_continuous. now apply (honest_weaken _ _ _ (renyi_priced_dominated alpha price)). }
  split; (split; [auto|apply (ledger_moment F left price); auto; lra]).
Qed.

Theorem ledger_filter_kl {C} (F : filter C) left price B t : 0 <= B -> keeps F left price B ->
  honest (both (kl_priced price)) t -> transcript_kl F t B.
Proof.
  intros hB ledger [one other]%honest_both.
  assert (forall t, honest (kl_priced price) t -> transcript_continuous F t).
  { intros u hon. apply dominated_is_continuous. now apply (honest_weaken _ _ _ (kl_priced_dominated price)). }
  split; (split; [auto|apply (ledger_kl F left price); auto; lra]).
Qed.
