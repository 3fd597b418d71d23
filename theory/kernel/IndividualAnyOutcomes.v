(** Individual accounting for mechanisms with outcomes of any kind: one filter for each person; who has run out is left
    out of the round, and the rounds go on ([Individual] has the finite case).

    - [individual_potential_any]: a potential that scales with the densities and proves a filter proves it for people;
    - [individual_renyi_filter_any], [individual_zcdp_filter_any]: Feldman & Zrnic, Theorem 4.5;
    - [individual_gaussian_filter_any]: Koskela, Tobaben & Honkela, Algorithm 1 and Theorem 12. *)

From Coq Require Import Reals Lra Lia List FunctionalExtensionality.
From Coquelicot Require Import Rbar.
From Filterproof Require Import GaussianCurve GaussianRound GaussianDP GaussianAnyOutcomes.
From Filterproof Require Import Sums Divergences Integrals AnyOutcomes AnyOutcomesFilters.
From Filterproof Require Individual IndividualFilter.
Import ListNotations.
Open Scope R_scope.

(** A round has a density of the answer for every set of people, and a charge for every person. *)
Inductive study (C : Type) :=
| Done
| Publish (answer : Type) (integral_of : integral answer) (mechanism : Individual.people -> answer -> R)
    (charges : nat -> C) (next : answer -> study C).
Arguments Done {C}. Arguments Publish {C}.

(** Those whose own filter admits their own charge. *)
Definition active {C} (F : filter C) (s : nat -> state F) (charges : nat -> C) : Individual.people :=
  fun j => admits F (s j) (charges j).

(** They are charged, the others keep their state. *)
Definition charged {C} (F : filter C) (s : nat -> state F) (charges : nat -> C) (e : event) : nat -> state F :=
  fun j => if active F s charges j then after F (s j) (charges j) e else s j.

(** The iterated integral of V tau' x' y' over all lists tau' of answers, x' and y' their densities with person i and
    without. *)
Fixpoint study_total {C} (F : filter C) (i : nat) (V : transcript -> R -> R -> R)
    (s : nat -> state F) (tau : transcript) (x y : R) (t : study C) : Rbar :=
  match t with
  | Done => V tau x y
  | Publish X J mechanism charges next =>
      let S := active F s charges in
      value J (fun k => study_total F i V (charged F s charges (Released k)) (tau ++ [Released k])
        (x * mechanism S k) (y * mechanism (Individual.without i S) k) (next k))
  end.

Definition study_over {C} (F : filter C) (i : nat) (t : study C) (V : transcript -> R -> R -> R) : Rbar :=
  study_total F i V (fun _ => start F) [] 1 1 t.

(** What the mechanisms do with person i is what is charged to that person. *)
Fixpoint honest_for {C} (i : nat) (ok : request C -> Prop) (t : study C) : Prop :=
  match t with
  | Done => True
  | Publish X J mechanism charges next =>
      (forall S, density J (mechanism S)) /\
      (forall S, S i = true -> ok (Ask X J (mechanism S) (mechanism (Individual.without i S)) (charges i))) /\
      (forall k, honest_for i ok (next k))
  end.

(** (epsilon, delta)-differential privacy for person i, who is there or not. *)
Definition private_for_any {C} (F : filter C) (i : nat) (t : study C) (epsilon delta : R) : Prop :=
  forall S : transcript -> bool,
    Rbar_le (study_over F i t (fun tau x _ => if S tau then x else 0))
      (Rbar_plus (Rbar_mult (exp epsilon) (study_over F i t (fun tau _ y => if S tau then y else 0))) delta) /\
    Rbar_le (study_over F i t (fun tau _ y => if S tau then y else 0))
      (Rbar_plus (Rbar_mult (exp epsilon) (study_over F i t (fun tau x _ => if S tau then x else 0))) delta).

Section Person.

Context {C : Type} (F : filter C) (i : nat) (ok : request C -> Prop).

Lemma study_total_nonneg V t : (forall tau x y, 0 <= x -> 0 <= y -> 0 <= V tau x y) -> honest_for i ok t ->
  forall s tau x y, 0 <= x -> 0 <= y -> Rbar_le 0 (study_total F i V s tau x y t).
Proof.
  intros low. induction t as [|X J A c next IH]; intros hon s tau x y hx hy; cbn; [now apply low|].
  destruct hon as (each & _ & rest). apply value_nonneg. intros k. apply IH; [apply rest| |];
    apply Rmult_le_pos; try easy; apply each.
Qed.

(** Payoffs that compare as V <= c W + U have integrals that do. *)
Lemma study_split c (V W U : transcript -> R -> R -> R) t : 0 < c ->
  (forall tau x y, 0 <= x -> 0 <= y -> 0 <= V tau x y /\ 0 <= W tau x y /\ 0 <= U tau x y /\
     V tau x y <= c * W tau x y + U tau x y) ->
  honest_for i ok t -> forall s tau x y, 0 <= x -> 0 <= y ->
  Rbar_le (study_total F i V s tau x y t)
    (Rbar_plus (Rbar_mult c (study_total F i W s tau x y t)) (study_total F i U s tau x y t)).
Proof.
  intros hc stop.
  assert (hV : forall tau x y, 0 <= x -> 0 <= y -> 0 <= V tau x y) by (intros; now apply stop).
  assert (hW : forall tau x y, 0 <= x -> 0 <= y -> 0 <= W tau x y) by (intros; now apply stop).
  assert (hU : forall tau x y, 0 <= x -> 0 <= y -> 0 <= U tau x y) by (intros; now apply stop).
  induction t as [|X J A ch next IH]; intros hon s tau x y hx hy; cbn [study_total]; [now apply stop|].
  destruct hon as (each & okA & rest). set (S := active F s ch).
  assert (px : forall k, 0 <= x * A S k) by (intros; apply Rmult_le_pos; [easy|apply each]).
  assert (py : forall k, 0 <= y * A (Individual.without i S) k) by (intros; apply Rmult_le_pos; [easy|apply each]).
  rewrite <- value_scaled by (easy || (intros k; apply study_total_nonneg; auto)).
  eapply Rbar_le_trans; [|apply value_plus].
  - apply value_le; intros k; [apply study_total_nonneg; auto|]. apply IH; auto.
  - intros k. apply Rbar_mult_nonneg; [easy|]. apply study_total_nonneg; auto.
  - intros k. apply study_total_nonneg; auto.
Qed.

(** A potential as in [potential_any], which scales with the densities: a round from which the person is left out has
    the same density with and without the person. *)
(** Claim: A potential that bounds the payoff of stopping, does not rise in the mean over a round that a filter admits,
    and scales with the densities, bounds the payoff of each study in which the filter is one person's own, and who has
    run out is left out of the round.
    Source: Feldman & Zrnic, Theorem 4.5; Koskela, Tobaben & Honkela, Theorem 12
    Covers: mechanisms with outcomes of any kind that have two densities against an integral *)
Theorem individual_potential_any (V : transcript -> R -> R -> R) (Inv : state F -> R -> R -> Prop)
    (Phi : state F -> R -> R -> R) :
  (forall tau x y, 0 <= x -> 0 <= y -> 0 <= V tau x y) ->
  (forall s x y, Inv s x y -> 0 <= x /\ 0 <= y) ->
  (forall s tau x y, Inv s x y -> V tau x y <= Phi s x y) ->
  (forall s x y a, Inv s x y -> 0 <= a -> Inv s (x * a) (y * a) /\ Phi s (x * a) (y * a) = a * Phi s x y) ->
  (forall s m x y, Inv s x y -> ok m -> admits F s (charge m) = true ->
     (forall k, Inv (after F s (charge m) (Released k)) (x * P m k) (y * Q m k)) /\
     Rbar_le (value (base m) (fun k => Phi (after F s (charge m) (Released k)) (x * P m k) (y * Q m k)))
       (Phi s x y)) ->
  forall t s tau x y, honest_for i ok t -> Inv (s i) x y -> Rbar_le (study_total F i V s tau x y t) (Phi (s i) x y).
Proof.
  intros low densities stop scales round t.
  induction t as [|X J A c next IH]; intros s tau x y hon inv; cbn [study_total]; [now apply stop|].
  pose proof hon as (each & okA & rest). destruct (densities _ _ _ inv) as [hx hy]. set (S := active F s c).
  assert (px : forall k, 0 <= x * A S k) by (intros; apply Rmult_le_pos; [easy|apply each]).
  assert (py : forall k, 0 <= y * A (Individual.without i S) k) by (intros; apply Rmult_le_pos; [easy|apply each]).
  destruct (S i) eqn:here.
  - assert (own : forall k : X, charged F s c (Released k) i = after F (s i) (c i) (Released k)).
    { intros k. unfold charged. fold S. now rewrite here. }
    destruct (round (s i) (Ask X J (A S) (A (Individual.without i S)) (c i)) x y inv (okA S here) here) as [keep step].
    eapply Rbar_le_trans; [|exact step]. apply value_le; intros k.
    + apply study_total_nonneg; auto.
    + cbn [outcome charge P Q]. rewrite <- own. apply IH; [apply rest|]. rewrite own. apply (keep k).
  - assert (common : Individual.without i S = S) by now apply Individual.nobody_to_remove.
    assert (own : forall k : X, charged F s c (Released k) i = s i).
    { intros k. unfold charged. fold S. now rewrite here. }
    destruct (each S) as [nonneg one].
    assert (0 <= Phi (s i) x y) as top by (pose proof (low [] x y hx hy); pose proof (stop (s i) [] x y inv); lra).
    apply Rbar_le_trans with (value J (fun k => Phi (s i) x y * A S k)).
    + apply value_le; intros k; [apply study_total_nonneg; auto|]. rewrite common.
      destruct (scales (s i) x y (A S k) inv (nonneg k)) as [inv' same].
      rewrite (Rmult_comm (Phi (s i) x y)), <- same, <- (own k). apply IH; [apply rest|]. now rewrite own.
    + now apply value_density.
Qed.

(** Bounds on the two hockey-stick divergences are one on every set of answers. *)
Lemma hockey_sticks_bound_answers_any t (epsilon delta : R) : honest_for i ok t ->
  Rbar_le (study_over F i t (fun _ x y => pos (x - exp epsilon * y))) delta ->
  Rbar_le (study_over F i t (fun _ x y => pos (y - exp epsilon * x))) delta ->
  private_for_any F i t epsilon delta.
Proof.
  intros hon there back S. pose proof (exp_pos epsilon) as he. split.
  - eapply Rbar_le_trans; [|apply Rbar_plus_le_compat; [apply Rbar_le_refl|exact there]].
    apply study_split; try easy; try lra. intros tau x y hx hy.
    pose proof (pos_nonneg (x - exp epsilon * y)). pose proof (pos_above (x - exp epsilon * y)).
    destruct (S tau); repeat split; lra.
  - eapply Rbar_le_trans; [|apply Rbar_plus_le_compat; [apply Rbar_le_refl|exact back]].
    apply study_split; try easy; try lra. intros tau x y hx hy.
    pose proof (pos_nonneg (y - exp epsilon * x)). pose proof (pos_above (y - exp epsilon * x)).
    destruct (S tau); repeat split; lra.
Qed.

End Person.

(** Claim: One filter for each person that admits while the sum of mu^2 of rounds that are mu-GDP for that person is at
    most B^2 keeps B-GDP for each person, in both directions.
    Source: Koskela, Tobaben & Honkela, Theorem 12
    Covers: mechanisms with outcomes of any kind that have two densities against an integral
    Beyond: That the iterated integral of measurable studies and sets is the one against the law of the answers, which
    is Tonelli's theorem. *)
Theorem individual_gaussian_filter_any B i t : 0 <= B -> honest_for i gdp_honest_any t ->
  forall epsilon, private_for_any (gaussian_any B) i t epsilon (gdp_delta B epsilon).
Proof.
  intros hB hon epsilon. pose proof (exp_pos epsilon) as he. pose proof (pow2_ge_0 B) as square.
  rewrite gdp_delta_is_gauss by easy.
  set (Inv := fun left x y : R => 0 <= left /\ 0 <= x /\ 0 <= y).
  assert (bound : forall flip : bool, Rbar_le (study_over (gaussian_any B) i t
      (fun _ x y => if flip then pos (y - exp epsilon * x) else pos (x - exp epsilon * y)))
      (gauss 1 (exp epsilon) (B ^ 2))).
  { intros flip. unfold study_over.
    pose proof (individual_potential_any (gaussian_any B) i gdp_honest_any
      (fun _ x y => if flip then pos (y - exp epsilon * x) else pos (x - exp epsilon * y)) Inv
      (fun left x y => if flip then gauss y (exp epsilon * x) left else gauss x (exp epsilon * y) left)) as all.
    replace (gauss 1 (exp epsilon) (B ^ 2)) with
      (if flip then gauss 1 (exp epsilon * 1) (B ^ 2) else gauss 1 (exp epsilon * 1) (B ^ 2))
      by (destruct flip; f_equal; ring).
    apply all; clear all.
    - intros tau x y _ _. destruct flip; apply pos_nonneg.
    - now intros s x y (_ & hx & hy).
    - intros s tau x y (hl & hx & hy). destruct flip; apply gauss_above; nra.
    - intros s x y a (hl & hx & hy) ha. split; [repeat split; [easy|nra|nra]|].
      destruct flip; rewrite <- gauss_scale by nra; f_equal; ring.
    - intros left m x y (hl & hx & hy) honest_m admitted.
      assert (fit : charge m ^ 2 <= left).
      { change ((if Rle_dec (charge m ^ 2) left then true else false) = true) in admitted.
        destruct (Rle_dec (charge m ^ 2) left) as [fit|]; [exact fit|discriminate]. }
      pose proof (gdp_weighted_any _ m honest_m) as below.
      pose proof (gdp_weighted_any _ (swap m) (gdp_honest_any_swap m honest_m)) as below'.
      pose proof honest_m as ((lp & lq) & hmu & _). split.
      + intros k. cbn [after gaussian_any]. pose proof (proj1 lp k). pose proof (proj1 lq k).
        repeat split; [lra|nra|nra].
      + cbn [after gaussian_any]. destruct flip.
        * pose proof (gaussian_round_any (base m) (Q m) (P m) (charge m ^ 2) (left - charge m ^ 2) y (exp epsilon * x)
            lq lp (pow2_ge_0 _) ltac:(lra) below' hy ltac:(nra)) as round.
          rewrite Rplus_minus in round. eapply Rbar_le_trans; [|exact round]. apply value_same. intros k. f_equal. ring.
        * pose proof (gaussian_round_any (base m) (P m) (Q m) (charge m ^ 2) (left - charge m ^ 2) x (exp epsilon * y)
            lp lq (pow2_ge_0 _) ltac:(lra) below hx ltac:(nra)) as round.
          rewrite Rplus_minus in round. eapply Rbar_le_trans; [|exact round]. apply value_same. intros k. f_equal. ring.
    - exact hon.
    - unfold Inv. cbn [start gaussian_any]. lra. }
  apply (hockey_sticks_bound_answers_any (gaussian_any B) i gdp_honest_any);
    [easy|exact (bound false)|exact (bound true)].
Qed.

(** ** Rényi divergences *)

(** What holds of the two densities of every list of answers. *)
Fixpoint everywhere {C} (F : filter C) (i : nat) (A : R -> R -> Prop) (s : nat -> state F) (x y : R)
    (t : study C) : Prop :=
  match t with
  | Done => A x y
  | Publish X J mechanism charges next =>
      let S := active F s charges in
      forall k, everywhere F i A (charged F s charges (Released k)) (x * mechanism S k)
        (y * mechanism (Individual.without i S) k) (next k)
  end.

(** Rényi divergence of order alpha > 1 at most rho for person i, in both directions. *)
Definition renyi_private_for_any {C} (F : filter C) (i : nat) (t : study C) (alpha rho : R) : Prop :=
  everywhere F i (fun x y => x = 0 <-> y = 0) (fun _ => start F) 1 1 t /\
  Rbar_le (study_over F i t (fun _ x y => term alpha x y)) (exp ((alpha - 1) * rho)) /\
  Rbar_le (study_over F i t (fun _ x y => term alpha y x)) (exp ((alpha - 1) * rho)).

Lemma everywhere_holds {C} (F : filter C) (i : nat) (ok : request C -> Prop) :
  (forall m k, ok m -> P m k = 0 <-> Q m k = 0) ->
  forall t s x y, honest_for i ok t -> (x = 0 <-> y = 0) -> everywhere F i (fun x y => x = 0 <-> y = 0) s x y t.
Proof.
  intros round t. induction t as [|X J A c next IH]; intros s x y hon same; cbn; [easy|].
  destruct hon as (each & okA & rest). intros k. apply IH; [apply rest|]. set (S := active F s c).
  assert (A S k = 0 <-> A (Individual.without i S) k = 0) as answers.
  { destruct (S i) eqn:here.
    - exact (round (Ask X J (A S) (A (Individual.without i S)) (c i)) k (okA S here)).
    - now rewrite Individual.nobody_to_remove. }
  split; intros [zero|zero]%Rmult_integral; apply Rmult_eq_0_compat; tauto.
Qed.

(** Claim: One filter for each person that keeps a ledger of charges, each at least the Rényi divergence of order
    alpha > 1 of its mechanism for that person in both directions, within B keeps that of all answers at most B for
    each person, both ways.
    Source: Feldman & Zrnic, Theorem 4.5
    Covers: mechanisms with outcomes of any kind that have two densities against an integral
    Beyond: That the iterated integral of measurable studies and sets is the one against the law of the answers, which
    is Tonelli's theorem. *)
Theorem individual_renyi_filter_any {C} (F : filter C) left price B alpha i t : 1 < alpha -> 0 <= B ->
  keeps_any F left price B -> honest_for i (renyi_priced_any alpha price) t -> renyi_private_for_any F i t alpha B.
Proof.
  intros above hB [opens fits pays] hon.
  set (Inv := fun s x y => 0 <= left s /\ IndividualFilter.equivalent x y).
  assert (bound : forall flip : bool, Rbar_le
      (study_over F i t (fun _ x y => if flip then term alpha y x else term alpha x y)) (exp ((alpha - 1) * B))).
  { intros flip. unfold study_over.
    replace (exp ((alpha - 1) * B)) with
      ((if flip then term alpha 1 1 else term alpha 1 1) * exp ((alpha - 1) * left (start F)))
      by (rewrite opens, term_one; destruct flip; ring).
    apply (individual_potential_any F i (renyi_priced_any alpha price)
      (fun _ x y => if flip then term alpha y x else term alpha x y) Inv
      (fun s x y => (if flip then term alpha y x else term alpha x y) * exp ((alpha - 1) * left s)));
      [| | | | |exact hon|].
    - intros tau x y _ _. destruct flip; apply term_nonneg.
    - now intros s x y (_ & hx & hy & _).
    - intros s tau x y (hl & _). assert (1 <= exp ((alpha - 1) * left s)) by (apply one_le_exp; nra).
      destruct flip; [pose proof (term_nonneg alpha y x)|pose proof (term_nonneg alpha x y)]; nra.
    - intros s x y a (hl & hx & hy & same) ha. split.
      + split; [easy|]. split; [nra|]. split; [nra|].
        split; intros [zero|zero]%Rmult_integral; apply Rmult_eq_0_compat; tauto.
      + destruct flip; rewrite IndividualFilter.term_scales; try easy; ring.
    - intros s m x y (hl & hx & hy & same) okm admitted. specialize (fits _ _ admitted).
      pose proof okm as ([[hp _] [hq _]] & hc & [cont moment] & [cont' moment']). split.
      + intros k. unfold Inv. rewrite pays. specialize (hp k). specialize (hq k). specialize (cont k).
        specialize (cont' k). split; [lra|]. split; [nra|]. split; [nra|].
        split; intros [zero|zero]%Rmult_integral; apply Rmult_eq_0_compat; tauto.
      + set (c := (if flip then term alpha y x else term alpha x y) * exp ((alpha - 1) * (left s - price (charge m)))).
        assert (0 <= c) as hcc.
        { unfold c. apply Rmult_le_pos; [destruct flip; apply term_nonneg|now apply Rlt_le, exp_pos]. }
        replace ((if flip then term alpha y x else term alpha x y) * exp ((alpha - 1) * left s)) with
          (c * exp ((alpha - 1) * price (charge m))).
        2: { unfold c. rewrite !Rmult_assoc, <- exp_plus. do 2 f_equal. ring. }
        apply Rbar_le_trans with (value (base m)
          (fun k => c * (if flip then term alpha (Q m k) (P m k) else term alpha (P m k) (Q m k)))).
        * apply value_same. intros k. rewrite pays. unfold c. specialize (hp k). specialize (hq k).
          specialize (cont k). specialize (cont' k).
          destruct flip; rewrite term_mult by (easy || tauto); ring.
        * destruct flip; (apply value_times_le; [easy|intros; apply term_nonneg|easy]).
    - unfold Inv. rewrite opens. split; [easy|]. repeat split; lra. }
  split; [|split; [exact (bound false)|exact (bound true)]].
  apply (everywhere_holds F i (renyi_priced_any alpha price)); [|easy|lra].
  intros m k (_ & _ & [cont _] & [cont' _]). split; [apply cont'|apply cont].
Qed.

(** Claim: One filter for each person that admits while the charges rho_t of rounds that are rho_t-zCDP for that person
    sum to at most B keeps D_alpha <= alpha B for each person at each alpha > 1, both ways.
    Source: Feldman & Zrnic, Theorem 4.5
    Covers: mechanisms with outcomes of any kind that have two densities against an integral
    Beyond: That the iterated integral of measurable studies and sets is the one against the law of the answers, which
    is Tonelli's theorem. *)
Theorem individual_zcdp_filter_any B i t : 0 <= B -> honest_for i (zcdp_priced_any (fun c => c)) t ->
  forall alpha, 1 < alpha -> renyi_private_for_any (additive_any B) i t alpha (alpha * B).
Proof.
  intros hB hon alpha above. assert (0 <= alpha * B) as hB' by nra.
  apply (individual_renyi_filter_any _ _ _ _ _ _ _ above hB' (zcdp_scaled alpha B ltac:(lra))).
  induction t as [|X J A c next IH]; cbn in *; [easy|]. destruct hon as (each & okA & rest).
  split; [easy|]. split; [|intros k; apply IH, rest]. intros S here. destruct (okA S here) as [_ every].
  now apply every.
Qed.
