(** Any filter that keeps a sum of charges within a budget, for mechanisms with outcomes of any kind: what a proof about
    a filter's source code rests on.

    A filter, of whatever states and rules, keeps a sum within B if some relation of its state to the sum of the prices
    of what it admitted holds at the start, is kept by every request that it admits, and lets none of them pass B. The
    relation is the invariant that the proof finds. The price is what the mechanism truly costs, and need not be what
    the filter charges. What such a filter releases is what the filter that adds prices releases to another analyst.

    - [kept_zcdp], [kept_approximate_dp]: sums of zCDP parameters;
    - [kept_renyi], [kept_renyi_delta]: sums of Rényi divergences of one order;
    - [kept_epsilon_delta]: sums of epsilons and of deltas;
    - [kept_losses]: the sum of the realised losses, which the filter may have seen. *)

From Coq Require Import Reals Lra Lia List Bool FunctionalExtensionality.
From Coquelicot Require Import Rbar.
From Filterproof Require Import Sums Integrals Divergences Paths Conversions AnyOutcomes AnyOutcomesFilters
  PureAnyOutcomes BasicAnyOutcomes.
Import ListNotations.
Open Scope R_scope.

(** Some relation of the state to the sum of the prices so far: an invariant that no request breaks. *)
Definition keeps_sum {C} (F : filter C) (ok : request C -> Prop) (price : C -> R) (B : R) : Prop :=
  exists invariant : state F -> R -> Prop, invariant (start F) 0 /\
    forall s sum m, ok m -> invariant s sum -> admits F s (charge m) = true -> sum + price (charge m) <= B /\
      forall i : outcome m, invariant (after F s (charge m) (Released i)) (sum + price (charge m)).

(** ** Simulation *)

(** The same mechanism, charged in another unit. *)
Definition recharge {C D} (f : C -> D) (m : request C) : request D :=
  Ask (outcome m) (base m) (P m) (Q m) (f (charge m)).

(** The analyst who asks only for what filter G would admit. *)
Fixpoint resolved {C D} (f : C -> D) (G : filter C) (s : state G) (t : strategy C) : strategy D :=
  match t with
  | Stop => Stop
  | Request m granted denied =>
      if admits G s (charge m)
      then Request (recharge f m) (fun i => resolved f G (after G s (charge m) (Released i)) (granted i)) Stop
      else resolved f G s denied
  end.

Lemma honest_resolved {C D} (f : C -> D) (G : filter C) (ok : request C -> Prop) (ok' : request D -> Prop) t :
  (forall m, ok m -> ok' (recharge f m)) -> honest ok t -> forall s, honest ok' (resolved f G s t).
Proof.
  intros recharged. induction t as [|m granted IHg denied IHd]; cbn; [easy|]. intros [okm [hong hond]] s.
  destruct (admits G s (charge m)); [|now apply IHd]. cbn. repeat split; auto.
Qed.

(** What F would admit wherever G admits, it releases as G does. *)
Lemma simulated {C D} (f : C -> D) (G : filter C) (F : filter D) (ok : request C -> Prop)
    (related : state G -> state F -> Prop) (V : R -> R -> R) :
  (forall s s' m, related s s' -> ok m -> admits G s (charge m) = true ->
     admits F s' (f (charge m)) = true /\
     forall i : outcome m, related (after G s (charge m) (Released i)) (after F s' (f (charge m)) (Released i))) ->
  forall t, honest ok t -> forall s s' tau tau' x y, related s s' ->
    total G (fun _ => V) s tau x y t = total F (fun _ => V) s' tau' x y (resolved f G s t).
Proof.
  intros more. induction t as [|m granted IHg denied IHd]; intros hon s s' tau tau' x y rel; cbn; [easy|].
  destruct hon as [okm [hong hond]]. destruct (admits G s (charge m)) eqn:admitted; [|now apply IHd].
  destruct (more s s' m rel okm admitted) as [also keep]. cbn. rewrite also.
  f_equal. extensionality i. now apply IHg; [|apply keep].
Qed.

(** A filter that keeps a sum is simulated by the one that adds prices. *)
Lemma kept_is_additive {C} (F : filter C) ok price B V : keeps_sum F ok price B ->
  forall t, honest ok t ->
    over F t (fun _ => V) = over (additive_any B) (resolved price F (start F) t) (fun _ => V).
Proof.
  intros (invariant & begins & continues) t hon. unfold over.
  apply (simulated price F (additive_any B) ok (fun s left => invariant s (B - left)) V); [|easy|].
  - intros s left m inv okm admitted. destruct (continues s _ m okm inv admitted) as [low next]. cbn. split.
    + destruct (Rle_dec (price (charge m)) left); [easy|lra].
    + intros i. replace (B - (left - price (charge m))) with (B - left + price (charge m)) by ring. apply next.
  - cbn. now replace (B - B) with 0 by ring.
Qed.

(** ** Rényi divergences and zero-concentrated differential privacy *)

(** Claim: Any filter, of whatever states and rules, that keeps within B the sum of the Rényi divergences of order
    alpha > 1 of the mechanisms that it admits, each in both directions, keeps that of the whole transcript at most
    B, both ways.
    Source: Feldman & Zrnic, Theorem 4.3
    Covers: mechanisms with outcomes of any kind that have two densities against an integral
    Beyond: That the iterated integral of measurable strategies and sets is the one against the law of the
    transcript, which is Tonelli's theorem. *)
Theorem kept_renyi {C} (F : filter C) (ok : request C -> Prop) price alpha B t : 1 < alpha -> 0 <= B ->
  (forall m, ok m -> renyi_priced_any alpha price m) -> keeps_sum F ok price B -> honest ok t ->
  transcript_renyi_any F t alpha B.
Proof.
  intros above hB priced keeps hon.
  assert (forall V, over F t (fun _ => V) = over (additive_any B) (resolved price F (start F) t) (fun _ => V)) as same
    by (intros V; now apply (kept_is_additive F ok)).
  assert (honest (renyi_priced_any alpha (fun c => c)) (resolved price F (start F) t)) as paid
    by now apply (honest_resolved price F ok).
  destruct (renyi_filter_any alpha B _ above hB paid) as (_ & one & other).
  split; [|split; [now rewrite (same (fun x y => term alpha x y))|now rewrite (same (fun x y => term alpha y x))]].
  apply (ends_hold F ok (fun x y => y = 0 <-> x = 0)); [|easy|lra].
  intros m x y i okm zeros. destruct (priced m okm) as (_ & _ & [cont _] & [cont' _]).
  specialize (cont i). specialize (cont' i).
  split; intros [zero|zero]%Rmult_integral;
    first [rewrite (proj1 zeros) by easy; lra | rewrite (proj2 zeros) by easy; lra | rewrite cont by easy; lra
          | rewrite cont' by easy; lra].
Qed.

Lemma keeps_scaled {C} (F : filter C) ok price B alpha : 0 < alpha ->
  keeps_sum F ok price B -> keeps_sum F ok (fun c => alpha * price c) (alpha * B).
Proof.
  intros ha (invariant & begins & continues).
  exists (fun s sum => invariant s (sum / alpha)). split; [now replace (0 / alpha) with 0 by (field; lra)|].
  intros s sum m okm inv admitted. destruct (continues s _ m okm inv admitted) as [low next]. split.
  - apply (Rmult_le_compat_l alpha) in low; [|lra].
    now replace (alpha * (sum / alpha + price (charge m))) with (sum + alpha * price (charge m)) in low by (field; lra).
  - intros i. specialize (next i).
    now replace (sum / alpha + price (charge m)) with ((sum + alpha * price (charge m)) / alpha) in next
      by (field; lra).
Qed.

(** Claim: Any filter, of whatever states and rules, that keeps within B the sum of the zCDP parameters of the
    mechanisms that it admits keeps D_alpha <= alpha B at each alpha > 1, both ways.
    Source: Feldman & Zrnic, Remark 4.4
    Covers: mechanisms with outcomes of any kind that have two densities against an integral
    Beyond: That the iterated integral of measurable strategies and sets is the one against the law of the
    transcript, which is Tonelli's theorem. *)
Theorem kept_zcdp {C} (F : filter C) (ok : request C -> Prop) price B t : 0 <= B ->
  (forall m, ok m -> zcdp_priced_any price m) -> keeps_sum F ok price B -> honest ok t -> transcript_zcdp_any F t B.
Proof.
  intros hB priced keeps hon alpha above.
  apply (kept_renyi F ok (fun c => alpha * price c)); [easy|nra| |apply keeps_scaled; [lra|easy]|easy].
  intros m okm. now apply (priced m okm).
Qed.

(** ** Approximate differential privacy *)

(** What the filter that adds prices keeps of the hockey-stick divergence, the filter that keeps the sum keeps. *)
Lemma kept_promise {C D} (f : C -> D) (F : filter C) (G : filter D) (ok : request C -> Prop) (ok' : request D -> Prop)
    (related : state F -> state G -> Prop) (epsilon delta : R) :
  (forall m, ok m -> laws m) -> (forall m, ok m -> ok (swap m)) -> (forall m, ok m -> ok' (recharge f m)) ->
  related (start F) (start G) ->
  (forall s s' m, related s s' -> ok m -> admits F s (charge m) = true ->
     admits G s' (f (charge m)) = true /\
     forall i : outcome m, related (after F s (charge m) (Released i)) (after G s' (f (charge m)) (Released i))) ->
  (forall t, honest ok' t -> Rbar_le (over G t (fun _ x y => pos (x - exp epsilon * y))) delta) ->
  promises_delta_any F ok epsilon delta.
Proof.
  intros lawful symmetric recharged begin more bound. apply both_ways_any; [easy|easy|]. intros t hon. unfold over.
  rewrite (simulated f F G ok related _ more t hon (start F) (start G) [] []) by easy.
  now apply bound, (honest_resolved f F ok).
Qed.

Lemma kept_additive {C} (F : filter C) (ok : request C -> Prop) (ok' : request R -> Prop) price B (epsilon delta : R) :
  (forall m, ok m -> laws m) -> (forall m, ok m -> ok (swap m)) -> (forall m, ok m -> ok' (recharge price m)) ->
  keeps_sum F ok price B ->
  (forall t, honest ok' t -> Rbar_le (over (additive_any B) t (fun _ x y => pos (x - exp epsilon * y))) delta) ->
  promises_delta_any F ok epsilon delta.
Proof.
  intros lawful symmetric recharged keeps bound. apply both_ways_any; [easy|easy|]. intros t hon.
  rewrite (kept_is_additive F ok price B (fun x y => pos (x - exp epsilon * y)) keeps t hon).
  now apply bound, (honest_resolved price F ok).
Qed.

(** Claim: Any filter, of whatever states and rules, that keeps within B >= 0 the sum of the Rényi divergences of
    order alpha > 1 of the mechanisms that it admits, each in both directions, keeps (epsilon, delta)-DP where the
    CKS bound of order alpha for B is at most delta.
    Source: Canonne, Kamath & Steinke, Proposition 12
    Covers: mechanisms with outcomes of any kind that have two densities against an integral
    Beyond: That the iterated integral of measurable strategies and sets is the one against the law of the
    transcript, which is Tonelli's theorem. *)
Theorem kept_renyi_delta {C} (F : filter C) (ok : request C -> Prop) price alpha B epsilon delta :
  1 < alpha -> 0 <= B -> cks_bound alpha B epsilon <= delta -> (forall m, ok m -> renyi_priced_any alpha price m) ->
  (forall m, ok m -> ok (swap m)) -> keeps_sum F ok price B -> promises_delta_any F ok epsilon delta.
Proof.
  intros above hB conversion priced symmetric keeps.
  apply (kept_additive F ok (renyi_priced_any alpha (fun c => c)) price B); [|easy|easy|easy|].
  - intros m okm. now apply (priced m okm).
  - intros t. exact (excess_from_ledger _ _ _ _ _ _ _ t above hB (additive_keeps_any B) conversion).
Qed.

(** Claim: For 0 < delta < 1, any filter, of whatever states and rules, that keeps within B > 0 the sum of the zCDP
    parameters of the mechanisms that it admits keeps (epsilon, delta)-DP where B + 2 sqrt(B log(1/delta)) <=
    epsilon, the simple conversion, or where the CKS bound of B-zCDP at some order is at most delta.
    Source: Feldman & Zrnic, Theorem 4.9
    Covers: mechanisms with outcomes of any kind that have two densities against an integral
    Beyond: That the iterated integral of measurable strategies and sets is the one against the law of the
    transcript, which is Tonelli's theorem. *)
Theorem kept_approximate_dp {C} (F : filter C) (ok : request C -> Prop) price B epsilon delta :
  0 < B -> 0 < delta < 1 -> fits_budget B epsilon delta -> (forall m, ok m -> zcdp_priced_any price m) ->
  (forall m, ok m -> ok (swap m)) ->
  keeps_sum F ok price B -> promises_delta_any F ok epsilon delta.
Proof.
  intros hB hd fit priced symmetric keeps.
  assert (cks_fits B epsilon delta) as (alpha & ha & conversion) by (destruct fit; [now apply simple_is_cks|easy]).
  apply (kept_renyi_delta F ok (fun c => alpha * price c) alpha (alpha * B)); [easy|nra|easy| |easy|].
  - intros m okm. now apply (priced m okm).
  - apply keeps_scaled; [lra|easy].
Qed.

(** Two sums at once, each with a budget of its own. *)
Definition keeps_sums {C} (F : filter C) (ok : request C -> Prop) (one two : C -> R) (B D : R) : Prop :=
  exists invariant : state F -> R -> R -> Prop, invariant (start F) 0 0 /\
    forall s a b m, ok m -> invariant s a b -> admits F s (charge m) = true ->
      (a + one (charge m) <= B /\ b + two (charge m) <= D) /\
      forall i : outcome m, invariant (after F s (charge m) (Released i)) (a + one (charge m)) (b + two (charge m)).

(** Charged a true epsilon_t and delta_t, both ways. *)
Definition dp_priced_any {C} (one two : C -> R) (m : request C) : Prop :=
  basic_honest_any (recharge (fun c => (one c, two c)) m).

(** Claim: Any filter, of whatever states and rules, that keeps within epsilon >= 0 and delta >= 0 the sums of the
    epsilon_t and of the delta_t of the mechanisms that it admits, the integral of (p - e^epsilon_t q)_+ at most
    delta_t for their two densities, both ways, keeps (epsilon, delta)-DP.
    Source: Taylor, Vippathalla & Coon, Section II-A
    Covers: mechanisms with outcomes of any kind that have two densities against an integral
    Beyond: That the iterated integral of measurable strategies and sets is the one against the law of the
    transcript, which is Tonelli's theorem. *)
Theorem kept_epsilon_delta {C} (F : filter C) (ok : request C -> Prop) one two epsilon delta :
  0 <= epsilon -> 0 <= delta -> (forall m, ok m -> dp_priced_any one two m) -> (forall m, ok m -> ok (swap m)) ->
  keeps_sums F ok one two epsilon delta -> promises_delta_any F ok epsilon delta.
Proof.
  intros he hd priced symmetric (invariant & begins & continues).
  apply (kept_promise (fun c => (one c, two c)) F (basic_any epsilon delta) ok basic_honest_any
    (fun s left => invariant s (epsilon - fst left) (delta - snd left))); [|easy|easy| | |].
  - intros m okm. now destruct (priced m okm) as [hl _].
  - cbn. now replace (epsilon - epsilon) with 0 by ring; replace (delta - delta) with 0 by ring.
  - intros s [l w] m inv okm admitted. cbn in inv. destruct (continues s _ _ m okm inv admitted) as [[low small] next].
    cbn. split.
    + destruct (Rle_dec (one (charge m)) l); [|lra]. destruct (Rle_dec (two (charge m)) w); [easy|lra].
    + intros i. specialize (next i).
      replace (epsilon - (l - one (charge m))) with (epsilon - l + one (charge m)) by ring.
      now replace (delta - (w - two (charge m))) with (delta - w + two (charge m)) by ring.
  - intros t hon. now apply basic_excess.
Qed.

(** Claim: Any filter, of whatever states and rules, that keeps within epsilon >= 0 the sum of the epsilons of the
    mechanisms that it admits, each epsilon_t-DP both ways, keeps epsilon-DP.
    Source: Taylor, Vippathalla & Coon, Section II-A
    Covers: mechanisms with outcomes of any kind that have two densities against an integral
    Beyond: That the iterated integral of measurable strategies and sets is the one against the law of the
    transcript, which is Tonelli's theorem. *)
Theorem kept_pure {C} (F : filter C) (ok : request C -> Prop) price epsilon : 0 <= epsilon ->
  (forall m, ok m -> dp_priced_any price (fun _ => 0) m) -> (forall m, ok m -> ok (swap m)) ->
  keeps_sum F ok price epsilon -> promises_delta_any F ok epsilon 0.
Proof.
  intros he priced symmetric (invariant & begins & continues).
  apply (kept_epsilon_delta F ok price (fun _ => 0)); [easy|lra|easy|easy|].
  exists (fun s a b => invariant s a /\ b = 0). split; [easy|]. intros s a b m okm [inv ->] admitted.
  destruct (continues s a m okm inv admitted) as [low next]. split; [lra|]. intros i. split; [easy|lra].
Qed.

(** ** Realised losses *)

(** Some relation of the state to the sum of the realised losses so far, log p/q of what was released, which the filter
    may have seen: it holds at the start, each outcome keeps it, and none takes the sum out of [-B, B]. *)
Definition keeps_losses {C} (F : filter C) (ok : request C -> Prop) (B : R) : Prop :=
  exists invariant : state F -> R -> Prop, invariant (start F) 0 /\ (forall s sum, invariant s sum -> Rabs sum <= B) /\
    forall s sum m (i : outcome m) loss, ok m -> invariant s sum -> admits F s (charge m) = true ->
      P m i = exp loss * Q m i -> 0 < Q m i -> invariant (after F s (charge m) (Released i)) (sum + loss).

(** A round whose outcomes have finite losses: none has mass under one law alone. *)
Definition finite_losses {C} (m : request C) : Prop := laws m /\ forall i, P m i = 0 <-> Q m i = 0.

Lemma losses_bounded {C} (F : filter C) (ok : request C -> Prop) B (V : R -> R -> R) t :
  (forall m, ok m -> finite_losses m) -> keeps_losses F ok B -> honest ok t -> V 0 0 = 0 ->
  (forall sum y, 0 < y -> Rabs sum <= B -> V (exp sum * y) y = 0) -> Rbar_le (over F t (fun _ => V)) 0.
Proof.
  intros finite (invariant & begins & bounded & continues) hon none within. unfold over.
  set (Inv := fun s x y => (x = 0 /\ y = 0) \/ exists sum, invariant s sum /\ 0 < y /\ x = exp sum * y).
  apply (potential_any F ok (fun _ => V) Inv (fun _ _ _ => 0)); [| |easy|].
  - intros s tau x y [[-> ->]|(sum & inv & hy & ->)]; [lra|]. rewrite within by eauto. lra.
  - intros s m x y inv okm admitted. destruct (finite m okm) as [((hp & onep) & (hq & _)) zeros]. split.
    + intros i. specialize (hp i). specialize (hq i). specialize (zeros i).
      destruct inv as [[-> ->]|(sum & inv & hy & ->)]; [left; lra|].
      destruct (Req_dec (Q m i) 0) as [empty|some].
      * left. rewrite empty, (proj2 zeros empty). lra.
      * assert (0 < Q m i) by lra. assert (P m i <> 0) by (intros empty; now apply some, zeros).
        assert (P m i = exp (ln (P m i / Q m i)) * Q m i) as is_loss
          by (rewrite exp_ln by (apply Rdiv_lt_0_compat; lra); field; lra).
        right. exists (sum + ln (P m i / Q m i)). split; [now apply continues|]. split; [now apply Rmult_lt_0_compat|].
        rewrite exp_plus. rewrite is_loss at 1. ring.
    + replace (fun i : outcome m => Finite 0) with (fun i => Finite (0 * P m i))
        by (extensionality i; now rewrite Rmult_0_l).
      rewrite <- (Rmult_0_l 1) at 1. apply value_times_le; [lra|easy|]. rewrite onep. apply Rbar_le_refl.
  - right. exists 0. split; [easy|]. split; [lra|]. rewrite exp_0. ring.
Qed.

Lemma events_bounded {C} (F : filter C) (epsilon delta : R) t : honest laws t ->
  Rbar_le (over F t (fun _ x y => pos (x - exp epsilon * y))) delta ->
  forall S, Rbar_le (Pr_P F t S) (Rbar_plus (Rbar_mult (exp epsilon) (Pr_Q F t S)) delta).
Proof.
  intros hon bound S. pose proof (exp_pos epsilon) as he.
  eapply Rbar_le_trans; [|apply Rbar_plus_le_compat; [apply Rbar_le_refl|exact bound]].
  apply (total_split F (exp epsilon) _ _ _ (fun x y => 0 <= x /\ 0 <= y) laws he); [| |easy|lra].
  - intros tau x y [hx hy]. pose proof (pos_nonneg (x - exp epsilon * y)). pose proof (pos_above (x - exp epsilon * y)).
    destruct (S tau); repeat split; lra.
  - intros m x y i [hx hy] [[hp _] [hq _]]. split; apply Rmult_le_pos; auto.
Qed.

(** Claim: Any filter, of whatever states and rules, that keeps the sum of the realised losses within [-epsilon,
    epsilon] on every path, where each mechanism that it admits has the same null outcomes under both laws, keeps
    epsilon-DP.
    Covers: mechanisms with outcomes of any kind that have two densities against an integral
    Beyond: That the iterated integral of measurable strategies and sets is the one against the law of the
    transcript, which is Tonelli's theorem. *)
Theorem kept_losses {C} (F : filter C) (ok : request C -> Prop) epsilon t : (forall m, ok m -> finite_losses m) ->
  keeps_losses F ok epsilon -> honest ok t -> private_both_ways_any F t epsilon 0.
Proof.
  intros finite keeps hon S.
  assert (honest laws t) as lawful by (revert hon; apply honest_weaken; intros m okm; now destruct (finite m okm)).
  assert (least : forall a, a <= 0 -> pos a = 0)
    by (intros a low; apply Rle_antisym; [apply pos_least; lra|apply pos_nonneg]).
  split.
  - apply events_bounded; [easy|].
    apply (losses_bounded F ok epsilon (fun x y => pos (x - exp epsilon * y))); [easy|easy|easy|apply least; lra|].
    intros sum y hy small. apply least. assert (exp sum <= exp epsilon); [|nra].
    apply exp_le. pose proof (Rle_abs sum). lra.
  - assert (honest laws (swapped t)) as other by (revert lawful; apply honest_swapped; now intros m []).
    assert (Rbar_le (over F (swapped t) (fun _ x y => pos (x - exp epsilon * y))) 0) as bound.
    { unfold over. rewrite total_swapped.
      apply (losses_bounded F ok epsilon (fun x y => pos (y - exp epsilon * x))); [easy|easy|easy|apply least; lra|].
      intros sum y hy small. apply least. rewrite <- Rmult_assoc, <- exp_plus.
      assert (1 <= exp (epsilon + sum)); [|nra]. apply one_le_exp.
      pose proof (Rabs_Ropp sum). pose proof (Rle_abs (- sum)). lra. }
    pose proof (events_bounded F epsilon 0 (swapped t) other bound S) as it.
    unfold Pr_P, Pr_Q, over in *. now rewrite !total_swapped in it.
Qed.
