(** The individual filter: paper 000, Theorem 4.5; the shape of paper 003, Theorem 12.

    - [individual_filter]: "Adaptive composition with individual privacy filtering (Algorithm 3)" keeps for every person
      whatever (epsilon, delta) the filter promises to an analyst who is denied. So every filter theorem of this library
      is one about individual filters too; Theorem 12 is the case of the filter mu_1^2 + ... + mu_k^2 <= B^2.
    - [individual_renyi_filter]: Algorithm 3 "satisfies (alpha, B)-Renyi differential privacy" (Theorem 4.5, alpha > 1).
    - [individual_kl_filter]: Theorem 4.5 at alpha = 1.
    - [individual_zcdp_filter]: the same for zCDP, all orders alpha > 1 at once.

    The reason: in a round from which a person is left out, the answer has the same law with and without the person, and
    some answer is at least as bad as the mean over all. Against that answer the person's filter was an ordinary one. *)

From Coq Require Import Reals Lra Lia List.
From Filterproof Require Import Sums Interaction Divergences Paths AdditiveFilter Ledger RenyiFilter ZCDPFilter.
From Filterproof Require Import StricterFilter Individual.
Import ListNotations.
Open Scope R_scope.

(** ** Every payoff that scales with the probabilities *)

Section reduction.

Context {C : Type} (F : filter C) (i : nat) (ok : request C -> Prop) (V : R -> R -> R) (Inv : R -> R -> Prop).

Hypothesis scales : forall x y a, Inv x y -> 0 <= a -> V (x * a) (y * a) = a * V x y.
Hypothesis inv_scales : forall x y a, Inv x y -> 0 <= a -> Inv (x * a) (y * a).
Hypothesis inv_round : forall m x y k, ok m -> Inv x y -> (k < outcomes m)%nat -> Inv (x * P m k) (y * Q m k).

Lemma inv_answer n A (c : nat -> C) s x y k : Inv x y ->
  (forall S, law n (A S)) -> (forall S, S i = true -> ok (Ask n (A S) (A (without i S)) (c i))) -> (k < n)%nat ->
  let S := active F s c in Inv (x * A S k) (y * A (without i S) k).
Proof.
  intros inv laws okA less S. destruct (S i) eqn:here.
  - now apply (inv_round (Ask n (A S) (A (without i S)) (c i))); [apply okA| |].
  - rewrite nobody_to_remove by easy. apply inv_scales; [easy|]. now apply laws.
Qed.

Lemma study_total_scales t : honest_for i ok t -> forall s tau x y a, Inv x y -> 0 <= a ->
  study_total F i (fun _ => V) s tau (x * a) (y * a) t = a * study_total F i (fun _ => V) s tau x y t.
Proof.
  induction t as [|n A c next IH]; intros hon s tau x y a inv ha; cbn; [now apply scales|].
  destruct hon as (laws & okA & rest). rewrite <- sum_scale. apply sum_ext. intros k less.
  rewrite <- IH; [|apply rest|now apply (inv_answer n)|easy]. f_equal; ring.
Qed.

(** Where an answer lies in the tree does not matter. *)
Lemma study_total_elsewhere t : forall s tau tau' x y,
  study_total F i (fun _ => V) s tau x y t = study_total F i (fun _ => V) s tau' x y t.
Proof. induction t as [|n A c next IH]; intros; cbn; [easy|]. apply sum_ext; intros; apply IH. Qed.

(** To every study there is an analyst who is denied where the person is left out, and who learns at least as much. *)
Theorem individual_reduction t : honest_for i ok t -> forall s x y, Inv x y ->
  exists t', honest ok t' /\ forall tau tau',
    study_total F i (fun _ => V) s tau x y t <= total F (fun _ => V) (s i) tau' x y t'.
Proof.
  induction t as [|n A c next IH]; intros hon s x y inv.
  { exists Stop. cbn. split; [easy|]. intros; lra. }
  destruct hon as (laws & okA & rest). set (S := active F s c).
  destruct (finite_choice Stop (fun k t' => honest ok t' /\ forall tau tau',
    study_total F i (fun _ => V) (charged F s c k) tau (x * A S k) (y * A (without i S) k) (next k) <=
    total F (fun _ => V) (charged F s c k i) tau' (x * A S k) (y * A (without i S) k) t') n) as [t' [chosen beyond]].
  { intros k less. apply IH; [apply rest|]. now apply (inv_answer n). }
  destruct (S i) eqn:here.
  - exists (Request (Ask n (A S) (A (without i S)) (c i)) t' Stop). split.
    + cbn. split; [now apply okA|]. split; [|easy]. intros k. destruct (le_lt_dec n k).
      * rewrite beyond by easy. easy.
      * now apply chosen.
    + intros tau tau'. cbn. fold S. unfold S, active in here. rewrite here. apply sum_le. intros k less.
      destruct (chosen k less) as [_ bound]. specialize (bound (tau ++ [k]) (tau' ++ [Released k])).
      now replace (charged F s c k i) with (after F (s i) (c i) k) in bound
        by (unfold charged, active; now rewrite here).
  - (* left out: the law is common, and one answer is as bad as the mean *)
    assert (common : without i S = S) by now apply nobody_to_remove.
    destruct (mean_below_one n (A S) (fun k => study_total F i (fun _ => V) (charged F s c k) [] x y (next k)) (laws S))
      as [k [less worst]].
    destruct (IH k (rest k) (charged F s c k) x y inv) as [t0 [hon0 bound]].
    exists t0. split; [easy|]. intros tau tau'. cbn. fold S. rewrite common.
    rewrite (sum_ext _ _ (fun k => A S k * study_total F i (fun _ => V) (charged F s c k) [] x y (next k))).
    2:{ intros j small. rewrite study_total_scales by (try apply rest; try apply (laws S); easy).
        f_equal. apply study_total_elsewhere. }
    eapply Rle_trans; [exact worst|]. eapply Rle_trans; [apply (bound [] tau')|].
    replace (s i) with (charged F s c k i); [lra|]. unfold charged. fold S. now rewrite here.
Qed.

Corollary individual_bound bound : Inv 1 1 -> (forall t, honest ok t -> over F t (fun _ => V) <= bound) ->
  forall t, honest_for i ok t -> study_over F i t (fun _ => V) <= bound.
Proof.
  intros begin keeps t hon.
  destruct (individual_reduction t hon (fun _ => start F) 1 1 begin) as [t' [hon' below]].
  eapply Rle_trans; [apply (below [] [])|]. now apply keeps.
Qed.

End reduction.

(** ** Approximate differential privacy, whatever the filter *)

Lemma hockey_stick_scales e x y a : 0 <= a -> pos (x * a - e * (y * a)) = a * pos (x - e * y).
Proof.
  intros ha. replace (x * a - e * (y * a)) with (a * (x - e * y)) by ring. unfold pos.
  rewrite <- (Rmult_0_r a) at 1. now rewrite RmaxRmult.
Qed.

(** Claim: Whatever (epsilon, delta) a filter keeps for an analyst who is denied, one such filter for each person keeps
    for that person: who has run out is left out of the round, and the answers alone are published.
    Source: Feldman & Zrnic, Theorem 4.5; Koskela, Tobaben & Honkela, Theorem 12 *)
Theorem individual_filter {C} (F : filter C) (ok : request C -> Prop) epsilon delta :
  promises_delta F ok epsilon delta -> forall i t, honest_for i ok t -> private_for F i t epsilon delta.
Proof.
  intros promise i t hon. pose proof (proj1 (promise_is_hockey_sticks F ok epsilon delta) promise) as keeps.
  apply hockey_sticks_bound_answers.
  - apply (individual_bound F i ok (fun x y => pos (x - exp epsilon * y)) (fun _ _ => True)); try easy.
    + intros; now apply hockey_stick_scales.
    + intros u hu. now apply keeps.
  - apply (individual_bound F i ok (fun x y => pos (y - exp epsilon * x)) (fun _ _ => True)); try easy.
    + intros; now apply hockey_stick_scales.
    + intros u hu. now apply keeps.
Qed.

(** ** Divergences, whatever the filter *)

(** What is zero under one law is zero under the other. *)
Definition equivalent (x y : R) : Prop := 0 <= x /\ 0 <= y /\ (x = 0 <-> y = 0).

Lemma equivalent_sym x y : equivalent x y -> equivalent y x.
Proof. unfold equivalent. tauto. Qed.

Lemma term_scales alpha x y a : equivalent x y -> 0 <= a -> term alpha (x * a) (y * a) = a * term alpha x y.
Proof.
  intros (hx & hy & same) ha. destruct (Req_dec a 0) as [->|some]; [rewrite !Rmult_0_r, term_zero; lra|].
  rewrite term_mult by (tauto || lra).
  rewrite Rmult_comm. f_equal. unfold term, power. destruct (Rle_dec a 0); [lra|].
  rewrite <- Rpower_plus. replace (alpha + (1 - alpha)) with 1 by ring. apply Rpower_1. lra.
Qed.

Lemma kl_scales x y a : equivalent x y -> 0 <= a -> x * a * ln (x * a / (y * a)) = a * (x * ln (x / y)).
Proof.
  intros (hx & hy & same) ha. destruct (Req_dec a 0) as [->|some]; [ring|].
  destruct (Req_dec y 0) as [zero|]; [replace x with 0 by (symmetry; tauto); ring|].
  replace (x * a / (y * a)) with (x / y) by (field; easy). ring.
Qed.

Lemma equivalent_scales x y a : equivalent x y -> 0 <= a -> equivalent (x * a) (y * a).
Proof.
  intros (hx & hy & same) ha. split; [nra|]. split; [nra|].
  split; intros [zero| ->]%Rmult_integral; rewrite ?Rmult_0_r; try easy; apply same in zero; rewrite zero; lra.
Qed.

Lemma equivalent_round {C} (m : request C) x y k : both dominated m -> equivalent x y -> (k < outcomes m)%nat ->
  equivalent (x * P m k) (y * Q m k).
Proof.
  intros [(((hp & _) & (hq & _)) & there) (_ & back)] (hx & hy & same) less.
  specialize (hp k less). specialize (hq k less). specialize (there k less). specialize (back k less). cbn in back.
  split; [nra|]. split; [nra|].
  split; intros [zero|zero]%Rmult_integral; apply Rmult_eq_0_compat; tauto.
Qed.

Section divergences.

Context {C : Type} (F : filter C) (ok : request C -> Prop).
Hypotheses (sane : forall m, ok m -> dominated m) (symmetric : forall m, ok m -> ok (swap m)).

Lemma sane_round m x y k : ok m -> equivalent x y -> (k < outcomes m)%nat -> equivalent (x * P m k) (y * Q m k).
Proof. intros okm. apply equivalent_round. split; auto. Qed.

Lemma equivalent_start : equivalent 1 1.
Proof. repeat split; lra. Qed.

(** Every list of answers is possible in both worlds or in none. *)
Lemma continuous_for_everyone i t : honest_for i ok t -> continuous_for F i t.
Proof.
  unfold continuous_for. generalize (fun _ : nat => start F). intros s hon.
  pose proof equivalent_start as eq. revert s eq hon. generalize 1 at 1 3. generalize 1.
  induction t as [|n A c next IH]; intros y x s eq hon; cbn; [apply eq|].
  destruct hon as (laws & okA & rest). intros k less. apply IH; [|apply rest].
  now apply (inv_answer F i ok equivalent equivalent_scales sane_round n).
Qed.

(** Algorithm 3 keeps for every person the Rényi divergence that the filter keeps for an analyst. *)
Theorem individual_renyi alpha rho : (forall t, honest ok t -> transcript_renyi_at_most F t alpha rho) ->
  forall i t, honest_for i ok t -> renyi_private_for F i t alpha rho.
Proof.
  intros keeps i t hon. split; [now apply continuous_for_everyone|]. split.
  - apply (individual_bound F i ok (term alpha) equivalent); auto using equivalent_scales, sane_round, equivalent_start.
    intros; now apply term_scales.
  - apply (individual_bound F i ok (fun x y => term alpha y x) equivalent);
      auto using equivalent_scales, sane_round, equivalent_start.
    + intros; now apply term_scales; [apply equivalent_sym|].
    + intros t' hon'. rewrite <- (over_swapped F (fun _ => term alpha)).
      now apply keeps, (honest_swapped _ _ _ symmetric).
Qed.

(** The same of the Kullback-Leibler divergence. *)
Theorem individual_kl rho : (forall t, honest ok t -> kl F t <= rho) ->
  forall i t, honest_for i ok t -> kl_private_for F i t rho.
Proof.
  intros keeps i t hon. split; [now apply continuous_for_everyone|]. split.
  - apply (individual_bound F i ok (fun x y => x * ln (x / y)) equivalent);
      auto using equivalent_scales, sane_round, equivalent_start.
    intros; now apply kl_scales.
  - apply (individual_bound F i ok (fun x y => y * ln (y / x)) equivalent);
      auto using equivalent_scales, sane_round, equivalent_start.
    + intros; now apply kl_scales; [apply equivalent_sym|].
    + intros t' hon'. rewrite <- (over_swapped F (fun _ x y => x * ln (x / y))).
      now apply keeps, (honest_swapped _ _ _ symmetric).
Qed.

End divergences.

(** ** Theorem 4.5 *)

(** Claim: For alpha > 1, one filter of budget B for each person, on charges of at least D_alpha for that person both
    ways, keeps D_alpha <= B for each person, both ways.
    Source: Feldman & Zrnic, Theorem 4.5 *)
Theorem individual_renyi_filter alpha B : 1 < alpha -> 0 <= B -> forall i t,
  honest_for i (both (renyi_honest alpha)) t -> renyi_private_for (additive B) i t alpha B.
Proof.
  intros above positive. apply individual_renyi.
  - now intros m [(laws & _ & there & _) _].
  - intros m; apply both_swap.
  - intros t hon. now apply renyi_filter_both_ways.
Qed.

(** Claim: One filter of budget B for each person, on charges of at least the KL divergence for that person both ways,
    keeps the KL divergence at most B for each person, both ways.
    Source: Feldman & Zrnic, Theorem 4.5 at alpha = 1 *)
Theorem individual_kl_filter B : 0 <= B -> forall i t,
  honest_for i (both kl_honest) t -> kl_private_for (additive B) i t B.
Proof.
  intros positive. apply individual_kl.
  - intros m [one _]. now apply (kl_priced_dominated (fun c => c)).
  - intros m; apply both_swap.
  - intros t hon. now apply kl_filter.
Qed.

Lemma zcdp_dominated m : zcdp_honest m -> dominated m.
Proof. intros [_ every]. now destruct (every 2 ltac:(lra)) as [(laws & _ & there & _) _]. Qed.

(** Claim: One filter of budget B for each person, on zCDP charges for that person, keeps D_alpha <= alpha B for each
    person at each alpha > 1, both ways.
    Source: Feldman & Zrnic, Theorem 4.5 *)
Theorem individual_zcdp_filter B : 0 <= B -> forall i t, honest_for i zcdp_honest t ->
  forall alpha, 1 < alpha -> renyi_private_for (additive B) i t alpha (alpha * B).
Proof.
  intros positive i t hon alpha above. revert i t hon. apply (individual_renyi _ zcdp_honest).
  - exact zcdp_dominated.
  - apply zcdp_priced_swap.
  - intros t hon. now apply zcdp_filter.
Qed.
