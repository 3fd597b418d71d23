(** Any filter that keeps a sum of Rényi divergences and one of what may be lost, for mechanisms with outcomes of any
    kind: pure answers, Gaussians and erasures on one transcript. [KeptSums] has the sums without a loss.

    - [kept_lossy]: two sums, of the divergences of one order and of the masses that may be lost;
    - [pure_is_renyi_any]: what a pure answer adds to the first;
    - [kept_by_first]: the first request chooses by which theorem the filter keeps its promise. *)

From Coq Require Import Reals Lra Lia List Bool FunctionalExtensionality.
From Coquelicot Require Import Rbar.
From Filterproof Require Import Sums Integrals Divergences Paths Conversions AnyOutcomes AnyOutcomesFilters
  PureAnyOutcomes KeptSums.
Import ListNotations.
Open Scope R_scope.

(** A mechanism that is lost with chance d, the second price: its laws are mixtures, of weight 1 - d, of two laws with
    D_alpha at most the first price, both ways, and anything. *)
Definition lossy_priced_any {C} (alpha : R) (one two : C -> R) (m : request C) : Prop :=
  laws m /\ 0 <= one (charge m) /\ 0 <= two (charge m) <= 1 /\
  exists gp gq bp bq, density (base m) gp /\ density (base m) gq /\ density (base m) bp /\ density (base m) bq /\
    (forall i, P m i = (1 - two (charge m)) * gp i + two (charge m) * bp i) /\
    (forall i, Q m i = (1 - two (charge m)) * gq i + two (charge m) * bq i) /\
    renyi_at_most_any alpha (one (charge m)) (base m) gp gq /\ renyi_at_most_any alpha (one (charge m)) (base m) gq gp.

Lemma value_plus_le {X} (I : integral X) (f g : X -> R) (r s : R) : (forall i, 0 <= f i) -> (forall i, 0 <= g i) ->
  Rbar_le (value I (fun i => f i)) r -> Rbar_le (value I (fun i => g i)) s ->
  Rbar_le (value I (fun i => f i + g i)) (r + s).
Proof.
  intros hf hg one two. eapply Rbar_le_trans; [apply (value_plus I (fun i => f i) (fun i => g i)); easy|].
  now apply (Rbar_plus_le_compat _ r _ s).
Qed.

Lemma term_same alpha c : 0 <= c -> term alpha c c <= c.
Proof.
  intros [hc|<-]; [|rewrite term_zero; lra]. right. unfold term, power. destruct (Rle_dec c 0); [lra|].
  rewrite <- Rpower_plus. replace (alpha + (1 - alpha)) with 1 by ring. now apply Rpower_1.
Qed.

Section Kept.
Context {C : Type} (F : filter C) (ok : request C -> Prop) (one two : C -> R) (alpha B p epsilon : R).
Context (invariant : state F -> R -> R -> Prop) (above : 1 < alpha).
Context (priced : forall m, ok m -> lossy_priced_any alpha one two m).
Context (continues : forall s a b m, ok m -> invariant s a b -> admits F s (charge m) = true ->
  (a + one (charge m) <= B /\ b + two (charge m) <= p) /\
  forall i : outcome m, invariant (after F s (charge m) (Released i)) (a + one (charge m)) (b + two (charge m))).

Let K := cks_factor alpha * exp (- ((alpha - 1) * epsilon)).

Lemma K_pos : 0 < K.
Proof. apply Rmult_lt_0_compat; [now apply cks_factor_pos|apply exp_pos]. Qed.

(** x = u + w: u is what was kept so far, w what was lost. *)
Lemma kept_and_lost t : honest ok t -> forall s tau x y u v w a b, invariant s a b -> a <= B -> b <= p ->
  masses u v -> 0 <= w -> x = u + w -> v <= y ->
  Rbar_le (total F (fun _ x y => pos (x - exp epsilon * y)) s tau x y t)
    (w + u * (p - b) + K * term alpha u v * exp ((alpha - 1) * (B - a))).
Proof.
  pose proof K_pos as hK.
  induction t as [|m granted IHg denied IHd]; intros hon s tau x y u v w a b inv ha hb here hw split_x below; cbn.
  - pose proof (stick_below_moment alpha epsilon u v above here) as stick. fold K in stick.
    destruct here as (hu & hv & _). pose proof (term_nonneg alpha u v). pose proof (exp_pos epsilon).
    assert (1 <= exp ((alpha - 1) * (B - a))) as grow by (apply one_le_exp; nra).
    assert (0 <= K * term alpha u v) by (apply Rmult_le_pos; lra). assert (0 <= u * (p - b)) by nra.
    assert (K * term alpha u v <= K * term alpha u v * exp ((alpha - 1) * (B - a))) by nra.
    assert (pos (x - exp epsilon * y) <= w + pos (u - exp epsilon * v)); [|lra].
    pose proof (pos_above (u - exp epsilon * v)). pose proof (pos_nonneg (u - exp epsilon * v)).
    apply pos_least; nra.
  - destruct hon as (okm & hong & hond). destruct (admits F s (charge m)) eqn:admitted; [|now apply (IHd hond)].
    destruct (continues s a b m okm inv admitted) as [[fit room] next].
    destruct (priced m okm) as (lm & h1 & [h2 h2'] & gp & gq & bp & bq & [hgp gp1] & [hgq gq1] & [hbp bp1] & [hbq bq1] &
      mixp & mixq & [cont moment] & _).
    destruct lm as [[hp p1] [hq q1]]. destruct here as (hu & hv & dom).
    set (c := one (charge m)) in *. set (d := two (charge m)) in *.
    set (E := exp ((alpha - 1) * (B - (a + c)))). assert (0 < E) by apply exp_pos.
    set (T := term alpha u v). assert (0 <= T) by apply term_nonneg.
    assert (scaled : forall i, term alpha (u * ((1 - d) * gp i)) (v * ((1 - d) * gq i)) <= T * term alpha (gp i) (gq i)).
    { intros i. pose proof (term_nonneg alpha (gp i) (gq i)). specialize (hgp i). specialize (hgq i).
      destruct (Req_dec (1 - d) 0) as [none|some].
      - rewrite none, !Rmult_0_l, !Rmult_0_r, term_zero. now apply Rmult_le_pos.
      - rewrite term_mult; [|easy|easy|nra|nra|easy|].
        2:{ intros [zero|zero]%Rmult_integral; [easy|]. rewrite (cont i zero). ring. }
        fold T. apply Rmult_le_compat_l; [easy|].
        rewrite term_mult; [|lra|lra|easy|easy|easy|apply cont].
        pose proof (term_same alpha (1 - d) ltac:(lra)). pose proof (term_nonneg alpha (1 - d) (1 - d)). nra. }
    apply Rbar_le_trans with (value (base m) (fun i =>
      ((u * d) * bp i + w * P m i) + ((u * (1 - d) * (p - b - d)) * gp i + (K * T * E) * term alpha (gp i) (gq i)))).
    + apply value_le.
      * intros i. apply (total_nonneg F _ (fun _ _ _ => True) (fun _ => True)); try easy.
        -- intros; apply pos_nonneg.
        -- generalize (granted i). intros t. induction t; cbn; auto.
      * intros i. eapply Rbar_le_trans.
        -- apply (IHg i (hong i) _ _ _ _ (u * ((1 - d) * gp i)) (v * ((1 - d) * gq i)) (u * (d * bp i) + w * P m i)
             (a + c) (b + d)); [apply next|easy|easy| | | |].
           ++ specialize (hgp i). specialize (hgq i). repeat split; try (apply Rmult_le_pos; nra).
              intros [zero|[zero|zero]%Rmult_integral]%Rmult_integral;
                [rewrite (dom zero)|rewrite zero|rewrite (cont i zero)]; ring.
           ++ specialize (hbp i). specialize (hp i). apply Rplus_le_le_0_compat; apply Rmult_le_pos; nra.
           ++ rewrite split_x, Rmult_plus_distr_r, (mixp i) at 1. fold d. ring.
           ++ rewrite (mixq i). fold d. specialize (hgq i). specialize (hbq i). assert (0 <= d * bq i) by nra.
              assert (0 <= (1 - d) * gq i) by nra. nra.
        -- cbn. specialize (scaled i). fold E. assert (0 <= K * E) by nra.
           apply (Rmult_le_compat_l (K * E)) in scaled; [|easy]. nra.
    + apply Rbar_le_trans with (Finite ((u * d) * 1 + w * 1 + ((u * (1 - d) * (p - b - d)) * 1 +
        (K * T * E) * exp ((alpha - 1) * c)))).
      * assert (0 <= K * T * E) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra).
        assert (0 <= u * d) by nra. assert (0 <= u * (1 - d) * (p - b - d)) by (apply Rmult_le_pos; nra).
        assert (times : forall X (I : integral X) c0 (f : X -> R) r, 0 <= c0 -> (forall i, 0 <= f i) ->
          value I (fun i => f i) = Finite r -> Rbar_le (value I (fun i => c0 * f i)) (c0 * r)).
        { intros X I c0 f r hc hf is. apply value_times_le; [easy|easy|]. rewrite is. apply Rbar_le_refl. }
        assert (term_pos : forall i, 0 <= term alpha (gp i) (gq i)) by (intros; apply term_nonneg).
        apply value_plus_le; [intros i; apply Rplus_le_le_0_compat; apply Rmult_le_pos; auto
                             |intros i; apply Rplus_le_le_0_compat; apply Rmult_le_pos; auto| |];
          (apply value_plus_le; [intros i; apply Rmult_le_pos; auto|intros i; apply Rmult_le_pos; auto| |]).
        -- now apply times.
        -- now apply times.
        -- now apply times.
        -- now apply value_times_le.
      * cbn. replace (exp ((alpha - 1) * (B - a))) with (E * exp ((alpha - 1) * c))
          by (unfold E; rewrite <- exp_plus; f_equal; ring).
        assert (0 <= u * d * (p - b - d)) by (apply Rmult_le_pos; [nra|lra]). fold T. lra.
Qed.
End Kept.

(** Claim: Any filter, of whatever states and rules, that keeps within B >= 0 and p >= 0 two sums of prices of the
    mechanisms that it admits, each a mixture of weight 1 - d of two laws with D_alpha at most the first price, both
    ways, and anything, d its second price, keeps (epsilon, p + delta)-DP where the CKS bound of order alpha > 1 for B
    is at most delta.
    Covers: mechanisms with outcomes of any kind that have two densities against an integral
    Beyond: That the iterated integral of measurable strategies and sets is the one against the law of the
    transcript, which is Tonelli's theorem. *)
Theorem kept_lossy {C} (F : filter C) (ok : request C -> Prop) one two alpha B p epsilon delta :
  1 < alpha -> 0 <= B -> 0 <= p -> cks_bound alpha B epsilon <= delta ->
  (forall m, ok m -> lossy_priced_any alpha one two m) -> (forall m, ok m -> ok (swap m)) ->
  keeps_sums F ok one two B p -> promises_delta_any F ok epsilon (p + delta).
Proof.
  intros above hB hp conversion priced symmetric (invariant & begins & continues).
  apply both_ways_any; [intros m okm; now destruct (priced m okm)|easy|]. intros t hon. unfold over.
  eapply Rbar_le_trans.
  - apply (kept_and_lost F ok one two alpha B p epsilon invariant above priced continues t hon (start F) [] 1 1 1 1 0
      0 0); try easy; try lra. repeat split; lra.
  - cbn. rewrite term_one. unfold cks_bound in conversion. rewrite Rmult_minus_distr_l in conversion.
    replace ((alpha - 1) * B - (alpha - 1) * epsilon) with (- ((alpha - 1) * epsilon) + (alpha - 1) * B) in conversion
      by ring. rewrite exp_plus in conversion. rewrite !Rminus_0_r. lra.
Qed.

(** Claim: An e-DP mechanism has Rényi divergences of at most e at each order, in both directions.
    Source: Mironov
    Covers: mechanisms with outcomes of any kind that have two densities against an integral *)
Theorem pure_is_renyi_any {C} alpha e (m : request C) : 1 < alpha -> laws m -> 0 <= e ->
  ratio_at_most e (P m) (Q m) -> ratio_at_most e (Q m) (P m) -> renyi_priced_any alpha (fun _ => e) m.
Proof.
  intros above lm he up down.
  assert (each : forall p q : outcome m -> R, density (base m) p -> density (base m) q -> ratio_at_most e p q ->
    renyi_at_most_any alpha e (base m) p q).
  { intros p q [hp onep] [hq _] ratio. split.
    - intros i zero. specialize (ratio i). specialize (hp i). rewrite zero, Rmult_0_r in ratio. lra.
    - replace (Finite (exp ((alpha - 1) * e))) with (Finite (exp ((alpha - 1) * e) * 1)) by (f_equal; ring).
      eapply Rbar_le_trans; [apply (value_le _ _ (fun i => exp ((alpha - 1) * e) * p i))|].
      + intros i. apply term_nonneg.
      + intros i. cbn. specialize (ratio i). destruct (hp i) as [some|zero].
        * assert (0 < q i) by (pose proof (exp_pos e); destruct (hq i) as [|none]; [easy|];
            rewrite <- none in ratio; lra).
          unfold term, power. destruct (Rle_dec (p i) 0); [lra|].
          replace (Rpower (p i) alpha) with (p i * Rpower (p i) (alpha - 1)).
          2: { rewrite <- (Rpower_1 (p i)) at 1 by easy. rewrite <- Rpower_plus. f_equal. ring. }
          replace (1 - alpha) with (- (alpha - 1)) by ring. rewrite Rpower_Ropp.
          assert (Rpower (p i) (alpha - 1) <= exp ((alpha - 1) * e) * Rpower (q i) (alpha - 1)) as it.
          { eapply Rle_trans; [apply Rle_Rpower_l; [lra|split; [easy|exact ratio]]|right].
            rewrite <- Rpower_mult_distr by (easy || apply exp_pos). f_equal. unfold Rpower. now rewrite ln_exp. }
          assert (0 < Rpower (q i) (alpha - 1)) as hr by apply exp_pos.
          apply (Rmult_le_reg_r (Rpower (q i) (alpha - 1))); [easy|].
          rewrite Rmult_assoc, Rinv_l by lra. nra.
        * rewrite <- zero, term_zero. lra.
      + apply value_times_le; [left; apply exp_pos|easy|]. rewrite onep. apply Rbar_le_refl. }
  destruct lm. split; [easy|]. split; [easy|]. split; now apply each.
Qed.

(** ** By the first request *)

(** The filter that admits as a first request what is of one kind alone. *)
Definition only {C} (F : filter C) (kind : C -> nat) (j : nat) : filter C :=
  Filter (bool * state F)%type (true, start F) (fun s c => admits F (snd s) c && (negb (fst s) || Nat.eqb (kind c) j))
    (fun s c e => (false, after F (snd s) c e)).

Lemma later_as_before {C} (F : filter C) kind j V t : forall s tau x y,
  total (only F kind j) V (false, s) tau x y t = total F V s tau x y t.
Proof.
  induction t as [|m granted IHg denied IHd]; intros; cbn; [easy|]. rewrite andb_true_r.
  destruct (admits F s (charge m)); [|apply IHd]. f_equal. extensionality i. apply IHg.
Qed.

Lemma first_decides {C} (F : filter C) kind t : exists j, forall V tau x y,
  total F V (start F) tau x y t = total (only F kind j) V (true, start F) tau x y t.
Proof.
  induction t as [|m granted IHg denied IHd]; cbn; [now exists 0%nat|].
  destruct (admits F (start F) (charge m)) eqn:admitted.
  - exists (kind (charge m)). intros. rewrite Nat.eqb_refl. cbn. f_equal. extensionality i.
    symmetry. apply later_as_before.
  - destruct IHd as [j same]. exists j. intros. cbn. apply same.
Qed.

(** Claim: A filter keeps (epsilon, delta)-DP if, for each kind of requests, the filter does that admits as its first
    one of this kind alone and then decides as before.
    Covers: mechanisms with outcomes of any kind that have two densities against an integral *)
Theorem kept_by_first {C} (F : filter C) (ok : request C -> Prop) (kind : C -> nat) epsilon delta :
  (forall j, promises_delta_any (only F kind j) ok epsilon delta) -> promises_delta_any F ok epsilon delta.
Proof.
  intros each t hon S. destruct (first_decides F kind t) as [j same]. unfold Pr_P, Pr_Q, over. rewrite !same.
  exact (each j t hon S).
Qed.
