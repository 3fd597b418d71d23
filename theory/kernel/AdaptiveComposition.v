(** Fully adaptive composition without a filter: paper 000, Theorem 3.1, "if sum_t rho_t <= B holds almost surely, the
    adaptive composition satisfies D_alpha <= B in both directions", for alpha > 1 ([adaptive_composition]) and for
    alpha = 1 ([adaptive_composition_kl]). *)

From Coq Require Import Reals Lra Lia List.
From Filterproof Require Import Sums Interaction Divergences Paths AdditiveFilter Ledger RenyiFilter.
Import ListNotations.
Open Scope R_scope.

(** The filter that denies nothing. *)
Definition everything {C} : filter C := Filter unit tt (fun _ _ => true) (fun _ _ _ => tt).

(** [within B t]: along every path that has mass under P or Q the charges sum to at most B. *)
Fixpoint within (B : R) (t : strategy R) : Prop :=
  match t with
  | Stop => 0 <= B
  | Request m granted _ =>
      forall i, (i < outcomes m)%nat -> P m i <> 0 \/ Q m i <> 0 -> within (B - charge m) (granted i)
  end.

Definition charged (m : request R) : Prop := laws m /\ 0 <= charge m.

Lemma law_has_mass n q : law n q -> exists i, (i < n)%nat /\ q i <> 0.
Proof.
  intros [_ one]. apply sum_some. lra.
Qed.

Lemma within_nonneg t : forall B, honest charged t -> within B t -> 0 <= B.
Proof.
  induction t as [|m granted IH denied _]; intros B hon inside; [easy|]. destruct hon as (((_ & hq) & hc) & hong & _).
  destruct (law_has_mass _ _ hq) as (i & small & some).
  specialize (IH i _ (hong i) (inside i small (or_intror some))). lra.
Qed.

Lemma within_fits m granted denied B : honest charged (Request m granted denied) ->
  within B (Request m granted denied) -> charge m <= B.
Proof.
  intros (((_ & hq) & hc) & hong & _) inside. destruct (law_has_mass _ _ hq) as (i & small & some).
  pose proof (within_nonneg _ _ (hong i) (inside i small (or_intror some))). lra.
Qed.

Lemma total_zero {C} (F : filter C) V t : (forall tau, V tau 0 0 = 0) -> forall s tau, total F V s tau 0 0 t = 0.
Proof.
  intros nothing. induction t as [|m granted IHg denied IHd]; intros; cbn; [easy|].
  destruct (admits F s (charge m)); [|apply IHd].
  rewrite (sum_ext _ _ (fun _ => 0)) by (intros; now rewrite !Rmult_0_l). apply sum_zero.
Qed.

(** A strategy that stays within the budget is never denied, so the filter changes nothing. *)
Lemma never_denied V t : (forall tau, V tau 0 0 = 0) -> honest charged t -> forall B left tau x y, within left t ->
  total (additive B) V left tau x y t = total everything V tt tau x y t.
Proof.
  intros nothing. induction t as [|m granted IHg denied _]; intros hon B left tau x y inside; [easy|].
  pose proof (within_fits _ _ _ _ hon inside) as fit. destruct hon as (hm & hong & hond). cbn.
  destruct (Rle_dec (charge m) left) as [_|]; [|easy]. apply sum_ext. intros i small.
  destruct (Req_dec (P m i) 0) as [zp|]; [destruct (Req_dec (Q m i) 0) as [zq|]|].
  - rewrite zp, zq, !Rmult_0_r, !total_zero; easy.
  - apply IHg; [easy|apply inside; auto].
  - apply IHg; [easy|apply inside; auto].
Qed.

Lemma within_swapped t : forall B, within B t -> within B (swapped t).
Proof.
  induction t as [|m granted IH denied _]; intros B inside; cbn; [easy|].
  intros i small some. apply IH, inside; tauto.
Qed.

(** Claim: Without a filter: for alpha > 1, where the charges on each path, each at least D_alpha of its mechanism both
    ways, sum to at most B, the transcript has D_alpha <= B, both ways.
    Source: Feldman & Zrnic, Theorem 3.1 *)
Theorem adaptive_composition alpha B t : 1 < alpha -> honest (both (renyi_honest alpha)) t -> within B t ->
  transcript_renyi everything t alpha B.
Proof.
  intros above hon inside. destruct (honest_both _ _ hon) as [one other].
  assert (forall u, honest (renyi_honest alpha) u -> within B u ->
    transcript_continuous everything u /\ transcript_renyi_at_most everything u alpha B) as it;
    [|split; apply it; auto using within_swapped].
  intros u hu inu. split.
  - apply dominated_is_continuous. now apply (honest_weaken _ _ _ (renyi_priced_dominated alpha (fun c => c))).
  - assert (honest charged u) as hc by (apply (honest_weaken (renyi_honest alpha)); [intros m (? & ? & _)|]; easy).
    pose proof (renyi_filter alpha B u above (within_nonneg u B hc inu) hu) as bound.
    unfold transcript_renyi_at_most, moment, over in *. cbn in bound.
    rewrite never_denied in bound; auto using term_zero.
Qed.

(** Theorem 3.1 at order one. *)
Theorem adaptive_composition_kl B t : honest (both kl_honest) t -> within B t -> transcript_kl everything t B.
Proof.
  intros hon inside. destruct (honest_both _ _ hon) as [one other].
  assert (forall u, honest kl_honest u -> within B u -> 
    transcript_continuous everything u /\ kl everything u <= B) as it;
    [|split; apply it; auto using within_swapped].
  intros u hu inu. split.
  - apply dominated_is_continuous. now apply (honest_weaken _ _ _ (kl_priced_dominated (fun c => c))).
  - assert (honest charged u) as hc by (apply (honest_weaken kl_honest); [intros m (? & ? & _)|]; easy).
    pose proof (ledger_kl _ _ _ _ u (within_nonneg u B hc inu) (additive_keeps B) hu) as bound.
    unfold kl, over in *. cbn in bound. rewrite never_denied in bound; auto. intros; lra.
Qed.
