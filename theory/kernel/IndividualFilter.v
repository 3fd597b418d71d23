(** The individual filter: paper 000, Theorem 4.5 and Corollary 3.3; the shape of paper 003, Theorem 12.

    - [individual_filter]: "Adaptive composition with individual privacy filtering (Algorithm 3)" keeps for every person
      whatever (epsilon, delta) the filter keeps for an analyst who is denied. So every filter theorem of this library
      is one about individual filters too; Theorem 12 is the case of the filter mu_1^2 + ... + mu_k^2 <= B^2.
    - [individual_renyi_filter]: Algorithm 3 "satisfies (alpha, B)-Renyi differential privacy" (Theorem 4.5, alpha > 1).
    - [individual_zcdp_filter]: the same for zCDP, all orders alpha > 1 at once.
    - [individual_composition]: if a person's charges sum to at most B on every path, then adaptive composition without
      any filter is (alpha, B)-private for that person (Corollary 3.3; Theorem 3.1 where everyone is charged alike).

    The reason: in a round from which a person is left out, the answer has the same law with and without the person, and
    some answer is at least as bad as the mean over all. Against that answer the person's filter was an ordinary one. *)

From Coq Require Import Reals Lra Lia List.
From Filterproof Require Import Sums Interaction Divergences AdditiveFilter RenyiFilter StricterFilter Individual.
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

(** Algorithm 3 keeps for every person what the filter keeps for an analyst (000, Theorem 4.5; 003, Theorem 12). *)
Theorem individual_filter {C} (F : filter C) (ok : request C -> Prop) epsilon delta :
  (forall m, ok m -> ok (swap m)) ->
  (forall t, honest ok t -> hockey_stick F t epsilon <= delta) ->
  forall i t, honest_for i ok t -> private_for F i t epsilon delta.
Proof.
  intros symmetric keeps i t hon. apply hockey_sticks_bound_answers.
  - apply (individual_bound F i ok (fun x y => pos (x - exp epsilon * y)) (fun _ _ => True)); try easy.
    intros; now apply hockey_stick_scales.
  - apply (individual_bound F i ok (fun x y => pos (y - exp epsilon * x)) (fun _ _ => True)); try easy.
    + intros; now apply hockey_stick_scales.
    + intros t' hon'. pose proof (keeps _ (honest_swapped _ _ _ symmetric hon')) as bound.
      unfold hockey_stick in bound. now rewrite over_swapped in bound.
Qed.

(** ** Rényi differential privacy, whatever the filter *)

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

Lemma equivalent_scales x y a : equivalent x y -> 0 <= a -> equivalent (x * a) (y * a).
Proof.
  intros (hx & hy & same) ha. split; [nra|]. split; [nra|].
  split; intros [zero| ->]%Rmult_integral; rewrite ?Rmult_0_r; try easy; apply same in zero; rewrite zero; lra.
Qed.

Lemma equivalent_round {C} (m : request C) x y k : laws m -> continuous m -> continuous (swap m) ->
  equivalent x y -> (k < outcomes m)%nat -> equivalent (x * P m k) (y * Q m k).
Proof.
  intros ((hp & _) & (hq & _)) there back (hx & hy & same) less.
  specialize (hp k less). specialize (hq k less). specialize (there k less). specialize (back k less). cbn in back.
  split; [nra|]. split; [nra|].
  split; intros [zero|zero]%Rmult_integral; apply Rmult_eq_0_compat; tauto.
Qed.

(** Algorithm 3 keeps for every person the Rényi bound that the filter keeps for an analyst. *)
Theorem individual_renyi {C} (F : filter C) (ok : request C -> Prop) alpha rho :
  (forall m, ok m -> laws m /\ continuous m) -> (forall m, ok m -> ok (swap m)) ->
  (forall t, honest ok t -> transcript_renyi_at_most F t alpha rho) ->
  forall i t, honest_for i ok t -> renyi_private_for F i t alpha rho.
Proof.
  intros sane symmetric keeps i t hon.
  assert (round : forall m x y k, ok m -> equivalent x y -> (k < outcomes m)%nat -> equivalent (x * P m k) (y * Q m k)).
  { intros m x y k okm. destruct (sane m okm) as [laws there]. destruct (sane (swap m) (symmetric m okm)) as [_ back].
    now apply equivalent_round. }
  assert (begin : equivalent 1 1) by (repeat split; lra).
  split.
  - apply (individual_bound F i ok (term alpha) equivalent); auto.
    + intros; now apply term_scales.
    + intros; now apply equivalent_scales.
  - apply (individual_bound F i ok (fun x y => term alpha y x) equivalent); auto.
    + intros; now apply term_scales; [apply equivalent_sym|].
    + intros; now apply equivalent_scales.
    + intros t' hon'. rewrite <- (over_swapped F (fun _ => term alpha)).
      now apply keeps, (honest_swapped _ _ _ symmetric).
Qed.

(** ** The sum of Rényi divergences at one order *)

(** Both directions of a mechanism: what an (alpha, rho)-RDP algorithm is. *)
Definition renyi_honest_both_ways (alpha : R) (m : request R) : Prop :=
  renyi_honest alpha m /\ renyi_honest alpha (swap m).

(** Theorem 4.5 at an order alpha > 1, with any budget. *)
Theorem individual_renyi_filter alpha B : 1 < alpha -> 0 <= B -> forall i t,
  honest_for i (renyi_honest_both_ways alpha) t -> renyi_private_for (additive B) i t alpha B.
Proof.
  intros above positive. apply individual_renyi.
  - intros m [(laws & _ & there & _) _]. easy.
  - intros [n P Q c] [there back]. now split.
  - intros t hon. apply renyi_filter; [easy|easy|]. revert hon. apply honest_weaken. now intros m [? _].
Qed.

(** ** zCDP: all orders at once *)

(** The mechanism is (charge)-zCDP, in both directions. *)
Definition zcdp_honest_both_ways (m : request R) : Prop :=
  laws m /\ 0 <= charge m /\ forall alpha, 1 < alpha ->
    renyi_at_most alpha (alpha * charge m) m /\ renyi_at_most alpha (alpha * charge m) (swap m).

Lemma zcdp_at_an_order alpha B t : 1 < alpha -> 0 <= B -> honest zcdp_honest_both_ways t ->
  transcript_renyi_at_most (additive B) t alpha (alpha * B).
Proof.
  intros above positive hon. unfold transcript_renyi_at_most, moment.
  apply (stricter_bound (fun c => alpha * c) (additive B) (additive (alpha * B)) zcdp_honest_both_ways
    (renyi_honest alpha) (fun left left' => left' = alpha * left)); [| |easy| |exact hon].
  - intros [n P Q c] (laws & hc & all). split; [easy|]. split; [cbn in *; nra|]. now apply all.
  - intros left left' m -> okm fits. apply additive_admits in fits. cbn. split; [|intros; ring].
    destruct (Rle_dec (alpha * charge m) (alpha * left)); [easy|nra].
  - intros t' hon'. apply renyi_filter; [easy|nra|easy].
Qed.

(** Theorem 4.5 for zCDP: every person is protected at every order alpha > 1 by alpha B. *)
Theorem individual_zcdp_filter B : 0 <= B -> forall i t, honest_for i zcdp_honest_both_ways t ->
  forall alpha, 1 < alpha -> renyi_private_for (additive B) i t alpha (alpha * B).
Proof.
  intros positive i t hon alpha above. revert i t hon. apply (individual_renyi _ zcdp_honest_both_ways).
  - intros m (laws & _ & all). split; [easy|]. now destruct (all 2 ltac:(lra)) as [[? _] _].
  - intros [n P Q c] ((lp & lq) & hc & all). split; [easy|]. split; [easy|].
    intros a ha. destruct (all a ha) as [there back]. now split.
  - intros t hon. now apply zcdp_at_an_order.
Qed.

(** ** Corollary 3.3: no filter, and sums that stay within a budget *)

(** The filter that admits everything. *)
Definition unlimited : filter R := Filter unit tt (fun _ _ => true) (fun _ _ _ => tt).

(** On every path the charges of person i sum to at most B. *)
Fixpoint never_above (i : nat) (B : R) (t : study R) : Prop :=
  match t with
  | Done => True
  | Publish n A c next => c i <= B /\ forall k, (k < n)%nat -> never_above i (B - c i) (next k)
  end.

(** What person i sees of a study in which everyone always takes part. *)
Fixpoint as_seen (i : nat) (t : study R) : strategy R :=
  match t with
  | Done => Stop
  | Publish n A c next =>
      let all : people := fun _ => true in
      Request (Ask n (A all) (A (without i all)) (c i)) (fun k => as_seen i (next k)) Stop
  end.

Lemma always_admitted V i B t : forall left s tau tau' x y, never_above i left t ->
  study_total unlimited i (fun _ => V) s tau x y t = total (additive B) (fun _ => V) left tau' x y (as_seen i t).
Proof.
  induction t as [|n A c next IH]; intros left s tau tau' x y within; cbn; [easy|].
  destruct within as [fits rest]. destruct (Rle_dec (c i) left); [|easy].
  apply sum_ext. intros k less. apply IH. now apply rest.
Qed.

Lemma honest_as_seen i (ok : request R -> Prop) t : honest_for i ok t -> honest ok (as_seen i t).
Proof. induction t as [|n A c next IH]; cbn; [easy|]. intros (_ & okA & rest). repeat split; auto. Qed.

(** Corollary 3.3 at an order alpha > 1. *)
Theorem individual_composition alpha B i t : 1 < alpha -> 0 <= B -> honest_for i (renyi_honest_both_ways alpha) t ->
  never_above i B t -> renyi_private_for unlimited i t alpha B.
Proof.
  intros above positive hon within. apply honest_as_seen in hon. split; unfold study_over.
  - rewrite (always_admitted (term alpha) i B t B _ [] [] 1 1 within).
    apply renyi_filter; [easy|easy|]. revert hon. apply honest_weaken. now intros m [? _].
  - rewrite (always_admitted (fun x y => term alpha y x) i B t B _ [] [] 1 1 within).
    change (over (additive B) (as_seen i t) (fun _ x y => term alpha y x) <= exp ((alpha - 1) * B)).
    rewrite <- (over_swapped (additive B) (fun _ => term alpha)).
    apply renyi_filter; [easy|easy|]. revert hon. apply honest_swapped. now intros m [_ ?].
Qed.
