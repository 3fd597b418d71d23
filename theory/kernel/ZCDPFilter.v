(** The zCDP filter: paper 000, Remark 4.4, "since this stopping rule is independent of alpha, the overall output is
    (alpha, alpha kappa)-RDP for all alpha >= 1": [zcdp_filter] for alpha > 1, [zcdp_filter_kl] for alpha = 1. *)

From Coq Require Import Reals Lra Lia List.
From Filterproof Require Import Sums Interaction Divergences Paths AdditiveFilter Ledger.
Import ListNotations.
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
  apply (ledger_filter F (fun s => alpha * left s) (fun c => alpha * price c)); [easy|nra|apply keeps_scaled; auto;
    lra|].
  revert hon; apply honest_weaken. intros m [_ every]. now apply every.
Qed.

(** Claim: A filter that admits while charges rho_t of rho_t-zCDP mechanisms sum to at most B keeps D_alpha <= alpha B
    at each alpha > 1, both ways.
    Source: Feldman & Zrnic, Remark 4.4 *)
Theorem zcdp_filter B t : 0 <= B -> honest zcdp_honest t -> transcript_zcdp (additive B) t B.
Proof. intros hB. exact (zcdp_ledger _ _ _ _ _ hB (additive_keeps B)). Qed.

Lemma zcdp_priced_swap {C} (price : C -> R) m : zcdp_priced price m -> zcdp_priced price (swap m).
Proof. intros [hc every]. split; [easy|]. intros alpha above. now apply both_swap, every. Qed.

(** ** Order one *)

(** KL is at most D_alpha for every alpha > 1: log z <= z - 1 at z = (x/y)^{alpha - 1} e^{-c}. *)
Lemma kl_pointwise alpha c x y : masses x y ->
  (alpha - 1) * (x * ln (x / y)) <= c * x + exp (- c) * term alpha x y - x.
Proof.
  intros (hx & hy & dom). destruct (Req_dec x 0) as [->|some]; [rewrite term_zero; lra|].
  assert (0 < y) as hy' by (destruct hy as [|<-]; [easy|now destruct some; apply dom]).
  assert (0 < x / y) by (apply Rdiv_lt_0_compat; lra).
  pose proof (exp_ineq1_le ((alpha - 1) * ln (x / y) + - c)) as below. rewrite exp_plus in below.
  assert (term alpha x y = x * exp ((alpha - 1) * ln (x / y))) as ->.
  { unfold term, power. destruct (Rle_dec x 0); [lra|]. unfold Rpower, Rdiv.
    rewrite ln_mult, ln_Rinv by (try apply Rinv_0_lt_compat; lra). rewrite <- (exp_ln x) at 2 by lra.
    rewrite <- !exp_plus. f_equal. ring. }
  apply (Rmult_le_compat_l x) in below; [|lra]. lra.
Qed.

Lemma kl_below_renyi {C} (F : filter C) t alpha rho : 1 < alpha -> honest dominated t ->
  transcript_renyi_at_most F t alpha rho -> kl F t <= rho.
Proof.
  intros above hon bound. unfold transcript_renyi_at_most, moment in bound. set (c := (alpha - 1) * rho) in *.
  assert (over F t (fun _ x _ => x) = 1) as mass
    by (apply total_mass_P; revert hon; apply honest_weaken; now intros m []).
  assert ((alpha - 1) * kl F t <= c + exp (- c) * over F t (fun _ x y => term alpha x y) - 1) as it.
  - replace (c + exp (- c) * over F t (fun _ x y => term alpha x y) - 1)
      with (over F t (fun _ x y => (c * x + exp (- c) * term alpha x y) + -1 * x))
      by (rewrite !over_plus, !over_scale, mass; ring).
    unfold kl. rewrite <- over_scale. apply over_le_on_paths. intros tau x y here.
    pose proof (kl_pointwise alpha c x y (dominated_on_paths F t hon tau x y here)). lra.
  - apply (Rmult_le_compat_l (exp (- c))) in bound; [|left; apply exp_pos].
    rewrite <- exp_plus, Rplus_opp_l, exp_0 in bound.
    apply (Rmult_le_reg_l (alpha - 1)); [lra|]. fold c. lra.
Qed.

(** Claim: A filter that admits while charges rho_t of rho_t-zCDP mechanisms sum to at most B keeps the KL divergence of
    the transcript at most B, both ways.
    Source: Feldman & Zrnic, Remark 4.4 at alpha = 1 *)
Theorem zcdp_filter_kl B t : 0 <= B -> honest zcdp_honest t -> transcript_kl (additive B) t B.
Proof.
  intros hB hon. pose proof (zcdp_filter B t hB hon) as every.
  assert (forall m, zcdp_honest m -> dominated m /\ dominated (swap m)) as dom.
  { intros m [_ at_all]. destruct (at_all 2 ltac:(lra)) as [one other].
    split; now apply (renyi_priced_dominated 2 (fun c => 2 * c)). }
  assert (forall k, (forall alpha, 1 < alpha -> k <= alpha * B) -> k <= B) as limit.
  { intros k all. apply Rnot_lt_le. intros less. destruct hB as [hB| <-]; [|specialize (all 2 ltac:(lra)); lra].
    assert (1 < (1 + k / B) / 2) as above.
    { assert (1 < k / B) by (apply (Rmult_lt_reg_r B); [easy|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra). lra. }
    specialize (all _ above). replace ((1 + k / B) / 2 * B) with ((B + k) / 2) in all by (field; lra). lra. }
  destruct (every 2 ltac:(lra)) as [[cont _] [cont' _]].
  split; (split; [easy|]); apply limit; intros alpha above; destruct (every alpha above) as [[_ one] [_ other]];
    apply (kl_below_renyi _ _ alpha); try easy.
  - revert hon; apply honest_weaken. intros m hm. now apply dom.
  - revert hon; apply honest_swapped. intros m hm. now apply dom.
Qed.
