(** Individual accounting without a filter: paper 000, Corollary 3.3.

    - [individual_composition]: "If sum_t rho_t^(i) <= B holds almost surely", then adaptive composition "is (alpha, B)-
      Renyi differentially private" for person i, alpha > 1; [individual_composition_kl]: the same at alpha = 1. *)

From Coq Require Import Reals Lra Lia List.
From Filterproof Require Import Sums Interaction Divergences Paths AdditiveFilter Ledger RenyiFilter.
From Filterproof Require Import Individual IndividualFilter.
Import ListNotations.
Open Scope R_scope.

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

Lemma dominated_for_everyone i (ok : request R -> Prop) t : (forall m, ok m -> both dominated m) ->
  honest_for i ok t -> continuous_for unlimited i t.
Proof.
  intros sane hon.
  apply (continuous_for_everyone unlimited (both dominated)); [now intros m []|intros m; apply both_swap|].
  revert hon. clear - sane. induction t as [|n A c next IH]; cbn; [easy|]. intros (laws & okA & rest).
  split; [easy|]. split; auto.
Qed.

(** Claim: Without filters: for alpha > 1, where the charges of a person, each at least D_alpha for that person both
    ways, sum to at most B on each path, D_alpha <= B for that person, both ways.
    Source: Feldman & Zrnic, Corollary 3.3 *)
Theorem individual_composition alpha B i t : 1 < alpha -> 0 <= B -> honest_for i (both (renyi_honest alpha)) t ->
  never_above i B t -> renyi_private_for unlimited i t alpha B.
Proof.
  intros above positive hon within. split.
  { revert hon. apply dominated_for_everyone. intros m [(lm & _ & there & _) (_ & _ & back & _)]. split; [easy|].
    split; [|easy]. destruct lm. now split. }
  apply honest_as_seen in hon. destruct (renyi_filter_both_ways alpha B _ above positive hon) as [[_ one] [_ other]].
  unfold study_over. rewrite (always_admitted (term alpha) i B t B _ [] [] 1 1 within).
  rewrite (always_admitted (fun x y => term alpha y x) i B t B _ [] [] 1 1 within). split; [exact one|].
  unfold transcript_renyi_at_most, moment in other. now rewrite over_swapped in other.
Qed.

(** Claim: Without filters: where the charges of a person, each at least the KL divergence for that person both ways,
    sum to at most B on each path, the KL divergence is at most B for that person, both ways.
    Source: Feldman & Zrnic, Corollary 3.3 at alpha = 1 *)
Theorem individual_composition_kl B i t : 0 <= B -> honest_for i (both kl_honest) t ->
  never_above i B t -> kl_private_for unlimited i t B.
Proof.
  intros positive hon within. split.
  { revert hon. apply dominated_for_everyone. intros m [one other]. split.
    - now apply (kl_priced_dominated (fun c => c)).
    - now apply (kl_priced_dominated (fun c => c)). }
  apply honest_as_seen in hon. destruct (kl_filter B _ positive hon) as [[_ one] [_ other]].
  unfold study_over. rewrite (always_admitted (fun x y => x * ln (x / y)) i B t B _ [] [] 1 1 within).
  rewrite (always_admitted (fun x y => y * ln (y / x)) i B t B _ [] [] 1 1 within). split; [exact one|].
  unfold kl in other. now rewrite over_swapped in other.
Qed.
