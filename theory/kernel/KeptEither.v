(** Any filter that keeps one of two sums at a time, for mechanisms with outcomes of any kind: where the filter stops,
    the pure epsilons are within their budget or the Rényi divergences of one order are within theirs.

    - [kept_either]: on a path within the first budget the loss is at most epsilon and adds nothing to delta; the paths
      within the second add at most what the conversion gives. *)

From Coq Require Import Reals Lra Lia List Bool.
From Coquelicot Require Import Rbar.
From Filterproof Require Import Sums Integrals Divergences Paths Conversions AnyOutcomes AnyOutcomesFilters
  PureAnyOutcomes KeptSums.
Open Scope R_scope.

(** Two sums, one of them within its budget after each request. *)
Definition keeps_either {C} (F : filter C) (ok : request C -> Prop) (one two : C -> R) (B D : R) : Prop :=
  exists invariant : state F -> R -> R -> Prop, invariant (start F) 0 0 /\
    forall s a b m, ok m -> invariant s a b -> admits F s (charge m) = true ->
      (a + one (charge m) <= B \/ b + two (charge m) <= D) /\
      forall i : outcome m, invariant (after F s (charge m) (Released i)) (a + one (charge m)) (b + two (charge m)).

(** A mechanism whose divergence is at most the second price, and whose loss is at most the first, if that is at most
    B: the first price of one whose loss has no bound is above B. *)
Definition either_priced_any {C} (alpha B : R) (one two : C -> R) (m : request C) : Prop :=
  renyi_priced_any alpha two m /\ 0 <= one (charge m) /\
  (one (charge m) <= B -> ratio_at_most (one (charge m)) (P m) (Q m) /\ ratio_at_most (one (charge m)) (Q m) (P m)).

Section Either.
Context {C : Type} (F : filter C) (ok : request C -> Prop) (one two : C -> R) (alpha D epsilon : R).
Context (invariant : state F -> R -> R -> Prop) (above : 1 < alpha).
Context (priced : forall m, ok m -> either_priced_any alpha epsilon one two m).
Context (continues : forall s a b m, ok m -> invariant s a b -> admits F s (charge m) = true ->
  (a + one (charge m) <= epsilon \/ b + two (charge m) <= D) /\
  forall i : outcome m, invariant (after F s (charge m) (Released i)) (a + one (charge m)) (b + two (charge m))).

Let K := cks_factor alpha * exp (- ((alpha - 1) * epsilon)).

Lemma factor_pos : 0 < K.
Proof. apply Rmult_lt_0_compat; [now apply cks_factor_pos|apply exp_pos]. Qed.

(** While the first sum is within its budget, x <= e^a y. *)
Lemma excess_of_either t : honest ok t -> forall s tau x y a b, invariant s a b -> 0 <= a -> a <= epsilon \/ b <= D ->
  masses x y -> (a <= epsilon -> x <= exp a * y) ->
  Rbar_le (total F (fun _ x y => pos (x - exp epsilon * y)) s tau x y t)
    (K * term alpha x y * exp ((alpha - 1) * (D - b))).
Proof.
  pose proof factor_pos as hK.
  induction t as [|m granted IHg denied IHd]; intros hon s tau x y a b inv ha within here ratio; cbn.
  - pose proof (stick_below_moment alpha epsilon x y above here) as stick. fold K in stick.
    pose proof (term_nonneg alpha x y). pose proof (exp_pos ((alpha - 1) * (D - b))).
    assert (0 <= K * term alpha x y) by (apply Rmult_le_pos; lra).
    destruct within as [low|low].
    + assert (x <= exp epsilon * y) as none.
      { destruct here as (hx & hy & _). apply Rle_trans with (exp a * y); [now apply ratio|]. apply Rmult_le_compat_r; [easy|].
        now apply exp_le. }
      apply pos_least; [apply Rmult_le_pos; lra|]. assert (0 <= K * term alpha x y * exp ((alpha - 1) * (D - b)))
        by (apply Rmult_le_pos; lra). lra.
    + assert (1 <= exp ((alpha - 1) * (D - b))) by (apply one_le_exp; nra). nra.
  - destruct hon as (okm & hong & hond). destruct (admits F s (charge m)) eqn:admitted; [|now apply (IHd hond s _ x y a b)].
    destruct (continues s a b m okm inv admitted) as [fit next].
    destruct (priced m okm) as (pays & h1 & pure). pose proof pays as ([[hp p1] [hq q1]] & h2 & [cont moment] & _).
    pose proof here as (hx & hy & dom).
    set (c := one (charge m)) in *. set (r := two (charge m)) in *.
    set (k := K * term alpha x y * exp ((alpha - 1) * (D - (b + r)))).
    assert (0 <= k) as hk.
    { unfold k. pose proof (term_nonneg alpha x y). pose proof (exp_pos ((alpha - 1) * (D - (b + r)))).
      apply Rmult_le_pos; [apply Rmult_le_pos|]; lra. }
    apply Rbar_le_trans with (value (base m) (fun i => k * term alpha (P m i) (Q m i))).
    + apply value_le.
      * intros i. apply (total_nonneg F _ (fun _ _ _ => True) (fun _ => True)); try easy.
        -- intros; apply pos_nonneg.
        -- generalize (granted i). intros t. induction t; cbn; auto.
      * intros i. eapply Rbar_le_trans.
        -- apply (IHg i (hong i) _ _ _ _ (a + c) (b + r)); [apply next|lra|easy| |].
           ++ now apply (masses_step alpha two).
           ++ intros low. destruct (pure ltac:(unfold c in *; lra)) as [up _]. specialize (up i). specialize (hp i).
              specialize (hq i). rewrite exp_plus. fold c in up.
              apply Rle_trans with (exp a * y * (exp c * Q m i)); [|right; ring].
              apply Rmult_le_compat; [easy|easy|apply ratio; lra|easy].
        -- cbn. rewrite term_mult by auto. right. unfold k. ring.
    + replace (K * term alpha x y * exp ((alpha - 1) * (D - b))) with (k * exp ((alpha - 1) * r)).
      * apply (value_times_le (base m) k (fun i => term alpha (P m i) (Q m i))); [easy|intros; apply term_nonneg|easy].
      * unfold k. rewrite !Rmult_assoc, <- exp_plus. do 3 f_equal. ring.
Qed.
End Either.

(** Claim: Any filter, of whatever states and rules, that keeps after each request the sum of the epsilons of the
    mechanisms that it admitted within epsilon >= 0, or the sum of their Rényi divergences of order alpha > 1 within
    B >= 0, both ways, keeps (epsilon, delta)-DP where the CKS bound of order alpha for B is at most delta.
    Covers: mechanisms with outcomes of any kind that have two densities against an integral
    Beyond: That the iterated integral of measurable strategies and sets is the one against the law of the
    transcript, which is Tonelli's theorem. *)
Theorem kept_either {C} (F : filter C) (ok : request C -> Prop) one two alpha B epsilon delta :
  1 < alpha -> 0 <= B -> 0 <= epsilon -> cks_bound alpha B epsilon <= delta ->
  (forall m, ok m -> either_priced_any alpha epsilon one two m) -> (forall m, ok m -> ok (swap m)) ->
  keeps_either F ok one two epsilon B -> promises_delta_any F ok epsilon delta.
Proof.
  intros above hB he conversion priced symmetric (invariant & begins & continues).
  apply both_ways_any; [intros m okm; now destruct (priced m okm) as ((hl & _) & _)|easy|]. intros t hon. unfold over.
  eapply Rbar_le_trans.
  - apply (excess_of_either F ok one two alpha B epsilon invariant above priced continues t hon (start F) _ 1 1 0 0);
      [easy|lra|now left|apply masses_start|intros _; rewrite exp_0; lra].
  - cbn. rewrite term_one. unfold cks_bound in conversion. rewrite Rmult_minus_distr_l in conversion.
    replace ((alpha - 1) * B - (alpha - 1) * epsilon) with (- ((alpha - 1) * epsilon) + (alpha - 1) * B) in conversion
      by ring. rewrite exp_plus in conversion. rewrite !Rminus_0_r. lra.
Qed.
