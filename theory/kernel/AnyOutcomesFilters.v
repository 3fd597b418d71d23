(** Filters for mechanisms with outcomes of any kind: those of [AnyOutcomes]. *)

From Coq Require Import Reals Lra Lia List FunctionalExtensionality.
From Coquelicot Require Import Rbar.
From Filterproof Require Import Sums Integrals Divergences Paths Conversions AnyOutcomes.
From Filterproof Require Interaction.
Import ListNotations.
Open Scope R_scope.

(** ** What is promised *)

(** P(S) <= e^epsilon Q(S) + delta for every set S of transcripts, and the same with P and Q exchanged. *)
Definition private_both_ways_any {C} (F : filter C) (t : strategy C) (epsilon delta : R) : Prop := forall S,
  Rbar_le (Pr_P F t S) (Rbar_plus (Rbar_mult (exp epsilon) (Pr_Q F t S)) delta) /\
  Rbar_le (Pr_Q F t S) (Rbar_plus (Rbar_mult (exp epsilon) (Pr_P F t S)) delta).

(** For every strategy: what a filter promises. *)
Definition promises_delta_any {C} (F : filter C) (ok : request C -> Prop) (epsilon delta : R) : Prop :=
  forall t, honest ok t -> private_both_ways_any F t epsilon delta.

(** D_alpha of two densities is at most rho: no P without Q, and the moment, an integral of p^alpha q^(1 - alpha). *)
Definition renyi_at_most_any {X} (alpha rho : R) (I : integral X) (p q : X -> R) : Prop :=
  (forall i, q i = 0 -> p i = 0) /\ Rbar_le (value I (fun i => term alpha (p i) (q i))) (exp ((alpha - 1) * rho)).

(** [at_ends F A s x y t]: the densities x' and y' of every full transcript satisfy A. *)
Fixpoint at_ends {C} (F : filter C) (A : R -> R -> Prop) (s : state F) (x y : R) (t : strategy C) : Prop :=
  match t with
  | Stop => A x y
  | Request m granted denied =>
      if admits F s (charge m)
      then forall i, at_ends F A (after F s (charge m) (Released i)) (x * P m i) (y * Q m i) (granted i)
      else at_ends F A s x y denied
  end.

(** The same for a transcript, in both directions. *)
Definition transcript_renyi_any {C} (F : filter C) (t : strategy C) (alpha rho : R) : Prop :=
  at_ends F (fun x y => y = 0 <-> x = 0) (start F) 1 1 t /\
  Rbar_le (over F t (fun _ x y => term alpha x y)) (exp ((alpha - 1) * rho)) /\
  Rbar_le (over F t (fun _ x y => term alpha y x)) (exp ((alpha - 1) * rho)).

(** The transcript is B-zCDP: D_alpha <= alpha B for every alpha > 1, in both directions. *)
Definition transcript_zcdp_any {C} (F : filter C) (t : strategy C) (B : R) : Prop :=
  forall alpha, 1 < alpha -> transcript_renyi_any F t alpha (alpha * B).

(** ** Filters that keep a ledger *)

(** There is B at the start, a charge is admitted only if its price is left, and is paid. *)
Record keeps_any {C} (F : filter C) (left : state F -> R) (price : C -> R) (B : R) : Prop := Keeps {
  opens : left (start F) = B;
  fits : forall s c, admits F s c = true -> price c <= left s;
  pays : forall s c e, left (after F s c e) = left s - price c
}.

Lemma additive_keeps_any B : keeps_any (additive_any B) (fun left => left) (fun c => c) B.
Proof. constructor; [easy| |easy]. intros s c. cbn. now destruct (Rle_dec c s). Qed.

(** A request is honest at the order alpha for a price: its price is at least 0 and at least D_alpha, both ways. *)
Definition renyi_priced_any {C} (alpha : R) (price : C -> R) (m : request C) : Prop :=
  laws m /\ 0 <= price (charge m) /\
  renyi_at_most_any alpha (price (charge m)) (base m) (P m) (Q m) /\
  renyi_at_most_any alpha (price (charge m)) (base m) (Q m) (P m).

(** A price r is honest if it is at least 0 and D_alpha <= alpha r for every alpha > 1, in both directions. *)
Definition zcdp_priced_any {C} (price : C -> R) (m : request C) : Prop :=
  0 <= price (charge m) /\ forall alpha, 1 < alpha -> renyi_priced_any alpha (fun c => alpha * price c) m.

Lemma renyi_priced_swap {C} alpha (price : C -> R) m :
  renyi_priced_any alpha price m -> renyi_priced_any alpha price (swap m).
Proof. now intros ([hp hq] & hc & one & other). Qed.

Lemma masses_step {C} alpha (price : C -> R) m x y i : renyi_priced_any alpha price m -> masses x y ->
  masses (x * P m i) (y * Q m i).
Proof.
  intros ([[hp _] [hq _]] & _ & [cont _] & _) (hx & hy & dom).
  specialize (hp i). specialize (hq i). specialize (cont i).
  repeat split; [nra|nra|]. intros [zero|zero]%Rmult_integral; [rewrite dom by easy; lra|rewrite cont by easy; lra].
Qed.

(** What remains to be lost: the moment so far times e^{(alpha - 1) left}, for every payoff that a moment bounds. *)
Lemma ledger_payoff {C} (F : filter C) left price B alpha K (V : transcript -> R -> R -> R) t :
  1 < alpha -> 0 <= B -> 0 < K -> keeps_any F left price B -> honest (renyi_priced_any alpha price) t ->
  (forall tau x y, masses x y -> 0 <= V tau x y <= K * term alpha x y) ->
  Rbar_le (over F t V) (K * exp ((alpha - 1) * B)).
Proof.
  intros above hB hK [opens fits pays] hon bound. unfold over.
  replace (K * exp ((alpha - 1) * B)) with (K * (term alpha 1 1 * exp ((alpha - 1) * left (start F))))
    by (rewrite opens, term_one; ring).
  apply (potential_any F (renyi_priced_any alpha price) V (fun s x y => 0 <= left s /\ masses x y)
    (fun s x y => K * (term alpha x y * exp ((alpha - 1) * left s))));
    [| |easy|rewrite opens; now split; [|apply masses_start]].
  - intros s tau x y (hl & hm). destruct (bound tau x y hm) as [low high]. split; [easy|].
    pose proof (term_nonneg alpha x y). assert (1 <= exp ((alpha - 1) * left s)) by (apply one_le_exp; nra).
    assert (K * term alpha x y <= K * (term alpha x y * exp ((alpha - 1) * left s))); [|lra].
    apply Rmult_le_compat_l; nra.
  - intros s m x y (hl & hm) okm admitted. specialize (fits _ _ admitted). split.
    + intros i. rewrite pays. split; [lra|]. now apply (masses_step alpha price).
    + destruct okm as ([[hp _] [hq _]] & hc & [cont moment] & _). destruct hm as (hx & hy & dom).
      set (c := K * (term alpha x y * exp ((alpha - 1) * (left s - price (charge m))))).
      assert (same : forall i, K * (term alpha (x * P m i) (y * Q m i) *
          exp ((alpha - 1) * left (after F s (charge m) (Released i)))) = c * term alpha (P m i) (Q m i)).
      { intros i. rewrite pays, term_mult; auto. unfold c. ring. }
      replace (value _ _) with (value (base m) (fun i => Finite (c * term alpha (P m i) (Q m i))))
        by (f_equal; extensionality i; now rewrite same).
      replace (K * (term alpha x y * exp ((alpha - 1) * left s))) with (c * exp ((alpha - 1) * price (charge m))).
      2: { unfold c. rewrite !Rmult_assoc, <- exp_plus. do 3 f_equal. ring. }
      apply (value_times_le (base m) c (fun i => term alpha (P m i) (Q m i))); [|intros; apply term_nonneg|easy].
      unfold c. pose proof (term_nonneg alpha x y). pose proof (exp_pos ((alpha - 1) * (left s - price (charge m)))).
      apply Rmult_le_pos; [lra|]. now apply Rmult_le_pos; [|left].
Qed.

Lemma ends_hold {C} (F : filter C) (ok : request C -> Prop) (A : R -> R -> Prop) :
  (forall m x y i, ok m -> A x y -> A (x * P m i) (y * Q m i)) ->
  forall t s x y, honest ok t -> A x y -> at_ends F A s x y t.
Proof.
  intros round t. induction t as [|m granted IHg denied IHd]; intros s x y hon here; cbn; [easy|].
  destruct hon as (okm & hong & hond). destruct (admits F s (charge m)); [|now apply IHd].
  intros i. apply IHg; auto.
Qed.

(** A filter that keeps a ledger bounds D_alpha of the transcript, in both directions. *)
Theorem ledger_filter_any {C} (F : filter C) left price B alpha t : 1 < alpha -> 0 <= B -> keeps_any F left price B ->
  honest (renyi_priced_any alpha price) t -> transcript_renyi_any F t alpha B.
Proof.
  intros above hB ledger hon.
  assert (one : forall u, honest (renyi_priced_any alpha price) u ->
    Rbar_le (over F u (fun _ x y => term alpha x y)) (exp ((alpha - 1) * B))).
  { intros u hu. rewrite <- (Rmult_1_l (exp _)).
    apply (ledger_payoff F left price B alpha 1 _ u); try easy; [lra|].
    intros tau x y _. pose proof (term_nonneg alpha x y). lra. }
  split; [|split; [now apply one|]].
  - apply (ends_hold F (renyi_priced_any alpha price) (fun x y => y = 0 <-> x = 0)); [|easy|lra].
    intros m x y i (_ & _ & [cont _] & [cont' _]) same. specialize (cont i). specialize (cont' i).
    split; intros [zero|zero]%Rmult_integral;
      first [rewrite (proj1 same) by easy; lra | rewrite (proj2 same) by easy; lra | rewrite cont by easy; lra
            | rewrite cont' by easy; lra].
  - unfold over. rewrite <- (total_swapped F (fun _ x y => term alpha x y)). apply one.
    revert hon. apply honest_swapped, renyi_priced_swap.
Qed.

(** Claim: A filter that admits while declared charges sum to at most B, each at least the Rényi divergence of order
    alpha > 1 of its mechanism in both directions, keeps that of the whole transcript at most B, both ways.
    Source: Feldman & Zrnic, Theorem 4.3
    Covers: mechanisms with outcomes of any kind that have two densities against an integral
    Beyond: That the iterated integral of measurable strategies and sets is the one against the law of the
    transcript, which is Tonelli's theorem. *)
Theorem renyi_filter_any alpha B t : 1 < alpha -> 0 <= B -> honest (renyi_priced_any alpha (fun c => c)) t ->
  transcript_renyi_any (additive_any B) t alpha B.
Proof. intros above hB. exact (ledger_filter_any _ _ _ _ _ _ above hB (additive_keeps_any B)). Qed.

Lemma zcdp_scaled alpha B : 0 < alpha ->
  keeps_any (additive_any B) (fun left => alpha * left) (fun c => alpha * c) (alpha * B).
Proof.
  intros ha. destruct (additive_keeps_any B) as [opens fits pays]. constructor; [now rewrite opens| |].
  - intros s c admitted. specialize (fits s c admitted). nra.
  - intros s c e. rewrite pays. ring.
Qed.

(** Claim: A filter that admits while charges rho_t of rho_t-zCDP mechanisms sum to at most B keeps D_alpha <= alpha B
    at each alpha > 1, both ways.
    Source: Feldman & Zrnic, Remark 4.4
    Covers: mechanisms with outcomes of any kind that have two densities against an integral
    Beyond: That the iterated integral of measurable strategies and sets is the one against the law of the
    transcript, which is Tonelli's theorem. *)
Theorem zcdp_filter_any B t : 0 <= B -> honest (zcdp_priced_any (fun c => c)) t ->
  transcript_zcdp_any (additive_any B) t B.
Proof.
  intros hB hon alpha above. assert (0 <= alpha * B) as hB' by nra.
  apply (ledger_filter_any _ _ _ _ _ _ above hB' (zcdp_scaled alpha B ltac:(lra))).
  revert hon. apply honest_weaken. intros m [_ every]. now apply every.
Qed.

(** ** Approximate differential privacy *)

(** A bound on what P has above e^epsilon Q is one on every set of transcripts. *)
Lemma excess_bounds_events {C} (F : filter C) t (epsilon delta : R) : honest laws t ->
  Rbar_le (over F t (fun _ x y => pos (x - exp epsilon * y))) delta -> forall S,
  Rbar_le (Pr_P F t S) (Rbar_plus (Rbar_mult (exp epsilon) (Pr_Q F t S)) delta).
Proof.
  intros hon bound S. eapply Rbar_le_trans; [|apply Rbar_plus_le_compat; [apply Rbar_le_refl|exact bound]].
  apply (total_split F (exp epsilon) _ _ _ (fun x y => 0 <= x /\ 0 <= y) laws (exp_pos _)); [| |easy|lra].
  - intros tau x y [hx hy]. pose proof (pos_nonneg (x - exp epsilon * y)).
    pose proof (pos_above (x - exp epsilon * y)). destruct (S tau); repeat split; lra.
  - intros m x y i [hx hy] [[hp _] [hq _]]. split; apply Rmult_le_pos; auto.
Qed.

(** Such bounds on both directions are what is promised. *)
Lemma both_excesses {C} (F : filter C) t (epsilon delta : R) : honest laws t ->
  Rbar_le (over F t (fun _ x y => pos (x - exp epsilon * y))) delta ->
  Rbar_le (over F t (fun _ x y => pos (y - exp epsilon * x))) delta -> private_both_ways_any F t epsilon delta.
Proof.
  intros hon one other S. split; [now apply excess_bounds_events|].
  assert (honest laws (swapped t)) as back by (revert hon; apply honest_swapped; now intros m []).
  unfold over in other. rewrite <- (total_swapped F (fun _ x y => pos (x - exp epsilon * y))) in other.
  pose proof (excess_bounds_events F (swapped t) epsilon delta back other S) as it.
  unfold Pr_P, Pr_Q, over in *. now rewrite !total_swapped in it.
Qed.

Lemma both_ways_any {C} (F : filter C) (ok : request C -> Prop) (epsilon delta : R) :
  (forall m, ok m -> laws m) -> (forall m, ok m -> ok (swap m)) ->
  (forall t, honest ok t -> Rbar_le (over F t (fun _ x y => pos (x - exp epsilon * y))) delta) ->
  promises_delta_any F ok epsilon delta.
Proof.
  intros lawful symmetric bound t hon. apply both_excesses; [exact (honest_weaken _ _ _ lawful hon)|now apply bound|].
  unfold over. rewrite <- (total_swapped F (fun _ x y => pos (x - exp epsilon * y))).
  apply bound. exact (honest_swapped _ _ _ symmetric hon).
Qed.

(** What a filter promises for outcomes of any kind, one that decides alike promises for finitely many. *)
Lemma promises_finite {C D} (f : C -> D) F G (ok : Interaction.request C -> Prop) (ok' : request D -> Prop)
    (epsilon delta : R) : decide_alike f F G -> (forall m, ok m -> ok' (embedded_request f m)) ->
  promises_delta_any G ok' epsilon delta -> Divergences.promises_delta F ok epsilon delta.
Proof.
  intros alike also promise t hon.
  set (plain := fun e =>
    match e with Denied => Interaction.Denied | _ => Interaction.Released (reading (fun i => i) O e) end).
  assert (same : forall tau, map plain (map embedded_event tau) = tau).
  { intros tau. rewrite map_map. rewrite <- (map_id tau) at 2. apply map_ext. intros [|i]; [easy|].
    unfold plain, embedded_event. f_equal. apply reading_is. }
  assert (events : forall V, over G (embedded f t) (fun tau => V (map plain tau)) = Interaction.over F t V).
  { intros V. rewrite (finitely_many f F G t _ alike). f_equal. unfold Interaction.over.
    apply Interaction.total_ext. intros; now rewrite same. }
  assert (both : forall S, Interaction.Pr_P F t S <= exp epsilon * Interaction.Pr_Q F t S + delta /\
    Interaction.Pr_Q F t S <= exp epsilon * Interaction.Pr_P F t S + delta).
  { intros S. specialize (promise _ (honest_embedded f ok ok' t also hon) (fun tau => S (map plain tau))).
    unfold Pr_P, Pr_Q in promise. rewrite (events (fun tau x _ => if S tau then x else 0)) in promise.
    rewrite (events (fun tau _ y => if S tau then y else 0)) in promise. exact promise. }
  split; intros S; apply both.
Qed.

(** The conversion of Canonne, Kamath and Steinke at one order. *)
Lemma excess_from_ledger {C} (F : filter C) left price B alpha (epsilon delta : R) t : 1 < alpha -> 0 <= B ->
  keeps_any F left price B -> cks_bound alpha B epsilon <= delta -> honest (renyi_priced_any alpha price) t ->
  Rbar_le (over F t (fun _ x y => pos (x - exp epsilon * y))) delta.
Proof.
  intros ha hB ledger bound hon. set (K := cks_factor alpha * exp (- ((alpha - 1) * epsilon))).
  pose proof (cks_factor_pos alpha ha) as factor. pose proof (exp_pos (- ((alpha - 1) * epsilon))) as shift.
  eapply Rbar_le_trans.
  - apply (ledger_payoff F left price B alpha K _ t ha hB ltac:(unfold K; nra) ledger hon).
    intros tau x y hm. split; [apply pos_nonneg|now apply stick_below_moment].
  - cbn. eapply Rle_trans; [right|exact bound]. unfold K, cks_bound. rewrite Rmult_assoc, <- exp_plus.
    do 2 f_equal. ring.
Qed.

Lemma zcdp_priced_swap {C} (price : C -> R) m : zcdp_priced_any price m -> zcdp_priced_any price (swap m).
Proof. intros [hc every]. split; [easy|]. intros alpha above. now apply renyi_priced_swap, every. Qed.

(** Claim: For 0 < delta < 1, a filter that admits while charges rho_t of rho_t-zCDP mechanisms sum to at most B > 0
    keeps (epsilon, delta)-DP where B + 2 sqrt(B log(1/delta)) <= epsilon, the simple conversion, or where the CKS bound
    of B-zCDP at some order is at most delta.
    Source: Feldman & Zrnic, Theorem 4.9
    Covers: mechanisms with outcomes of any kind that have two densities against an integral
    Beyond: That the iterated integral of measurable strategies and sets is the one against the law of the
    transcript, which is Tonelli's theorem. *)
Theorem approximate_dp_filter_any B epsilon delta : 0 < B -> 0 < delta < 1 -> fits_budget B epsilon delta ->
  promises_delta_any (additive_any B) (zcdp_priced_any (fun c => c)) epsilon delta.
Proof.
  intros hB hd fit.
  assert (cks_fits B epsilon delta) as (alpha & ha & conversion) by (destruct fit; [now apply simple_is_cks|easy]).
  apply both_ways_any; [now intros m [_ every]; apply (every 2 ltac:(lra))|intros; now apply zcdp_priced_swap|].
  intros t hon. assert (0 <= alpha * B) as hB' by nra.
  apply (excess_from_ledger _ _ _ _ _ _ _ t ha hB' (zcdp_scaled alpha B ltac:(lra)) conversion).
  revert hon. apply honest_weaken. intros m [_ every]. now apply every.
Qed.
