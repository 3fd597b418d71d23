(** The zCDP filter: paper 000, Remark 4.4, "since this stopping rule is independent of alpha, the overall output is
    (alpha, alpha kappa)-RDP for all alpha" ([zcdp_filter]). *)

From Coq Require Import Reals Lra Lia List.
From Filterproof Require Import Sums Interaction Divergences Paths AdditiveFilter Ledger.
Open Scope R_scope.

(** A price r is honest if it is at least 0 and D_alpha <= alpha r for every alpha > 1, in both directions. *)
Definition zcdp_priced {C} (price : C -> R) (m : request C) : Prop :=
  0 <= price (charge m) /\ forall alpha, 1 < alpha -> both (renyi_priced alpha (fun c => alpha * price c)) m.

Definition zcdp_honest : request R -> Prop := zcdp_priced (fun c => c).

(** The transcript is B-zCDP: D_alpha <= alpha B for every alpha > 1, in both directions. *)
Definition transcript_zcdp {C} (F : filter C) (t : strategy C) (B : R) : Prop :=
  forall alpha, 1 < alpha -> transcript_renyi F t alpha (alpha * B).

Lemma keeps_scaled {C} (F : filter C) left price B c : 0 < c -> keeps F left price B ->
  keeps F (fun s => c * left s) (fun x => c * price x) (c * B).
Proof.
  intros hc [opens fits pays]. constructor; [now rewrite opens| |].
  - intros s x admitted. specialize (fits s x admitted). nra.
  - intros s x i. rewrite pays. ring.
Qed.

(** Any filter that keeps a ledger of zCDP charges bounds the zCDP of the transcript. *)
Theorem zcdp_ledger {C} (F : filter C) left price B t : 0 <= B -> keeps F left price B ->
  honest (zcdp_priced price) t -> transcript_zcdp F t B.
Proof.
  intros hB ledger hon alpha above.
  apply (ledger_filter F (fun s => alpha * left s) (fun c => alpha * price c)); [easy|nra|apply keeps_scaled; auto; lra|].
  revert hon; apply honest_weaken. intros m [_ every]. now apply every.
Qed.

(** Remark 4.4: a filter that admits while the zCDP charges sum to at most B, decided before the release, keeps the
    transcript of every adaptive strategy B-zCDP. *)
Theorem zcdp_filter B t : 0 <= B -> honest zcdp_honest t -> transcript_zcdp (additive B) t B.
Proof. intros hB. exact (zcdp_ledger _ _ _ _ _ hB (additive_keeps B)). Qed.

Lemma zcdp_priced_swap {C} (price : C -> R) m : zcdp_priced price m -> zcdp_priced price (swap m).
Proof. intros [hc every]. split; [easy|]. intros alpha above. now apply both_swap, every. Qed.
