(** Tilted simulation: its weights, and why they are bounded (this project's "tilted weights"; the weighing of infinite
    losses).

    An infinite loss (Q = 0 < P) is never drawn. With K = prod P(L_t < inf) along a path, P~ the law in which every
    round is drawn from its finite losses, and R the law in which they are drawn in proportion to P^s Q^{1-s},

      H_{e^eps}(P||Q) = E_R[w (1 - K)] + E_R[w K (1 - e^{eps - L})_+],    w = dP~/dR        ([tilted_mean]),

    and the second integrand is at most e^{(s-1)(B - eps)} (1 - 1/s)^s / (s - 1) if a filter holds the divergences of
    order s of the finite losses to B ([tilted_weights_bounded]); R is a law ([draws_are_a_law]). At s = 1, R is P~ and
    w = 1 ([order_one_is_untilted]). Without infinite losses K = 1 and the mean is the hockey-stick divergence
    ([tilted_mean_of_finite_losses]). The theorems speak of exact sums, not of the samples that estimate them. *)

From Coq Require Import Reals Lra Lia List.
From Filterproof Require Import Sums Interaction Divergences Paths AdditiveFilter Ledger Conversions BasicFilter
  TiltedDraws.
Import ListNotations.
Open Scope R_scope.

(** ** What holds on every path that is drawn *)

Section Bounds.
Context {C : Type} (s : R) (F : filter C) (left left' : state F -> R) (price cost : C -> R) (B A : R).
Context (divergences : keeps F left price B) (infinities : keeps F left' cost A).

Definition bounded (st : state F) (d : path) : Prop :=
  0 <= left st /\ 0 <= left' st /\ masses (mass_P d) (mass_Q d) /\ 0 <= drawn d /\ 0 < all_kept d <= 1 /\
  exp (- (A - left' st)) <= all_kept d /\
  term s (mass_P d) (mass_Q d) <= drawn d * all_kept d * exp ((s - 1) * (B - left st)).

Lemma bounded_round st d m i : bounded st d -> simulable s price cost m -> admits F st (charge m) = true ->
  (i < outcomes m)%nat ->
  bounded (after F st (charge m) i) (Path (seen d ++ [Released i]) (mass_P d * finite m i) (mass_Q d * Q m i)
    (drawn d * tilt s m i) (all_kept d * kept m)).
Proof.
  intros (hl & hl' & hm & hr & hk & atleast & most) ok admitted small.
  pose proof (finite_masses m i ltac:(now destruct ok) small) as hi.
  pose proof (kept_range _ _ _ _ ok) as hkept. pose proof (finite_moment_pos _ _ _ _ ok) as hmom.
  destruct (tilt_is_a_law _ _ _ _ ok) as [ht _]. specialize (ht i small).
  destruct ok as (lm & hp & hc & some & moment).
  pose proof (fits _ _ _ _ divergences _ _ admitted). pose proof (fits _ _ _ _ infinities _ _ admitted).
  unfold bounded. cbn. rewrite (pays _ _ _ _ divergences), (pays _ _ _ _ infinities).
  destruct hm as (hx & hy & dom). destruct hi as (hf & hq & dof).
  split; [lra|]. split; [lra|]. split.
  { repeat split; [now apply Rmult_le_pos|now apply Rmult_le_pos|].
    intros [zero|zero]%Rmult_integral; [rewrite dom by easy; lra|rewrite dof by easy; lra]. }
  split; [now apply Rmult_le_pos|]. split; [split; nra|]. split.
  - replace (- (A - (left' st - cost (charge m)))) with (- (A - left' st) + - cost (charge m)) by ring.
    rewrite exp_plus. apply Rmult_le_compat; try easy; left; apply exp_pos.
  - rewrite term_mult by easy.
    replace (term s (finite m i) (Q m i)) with (tilt s m i * finite_moment s m) by (unfold tilt; field; lra).
    replace ((s - 1) * (B - (left st - price (charge m))))
      with ((s - 1) * (B - left st) + (s - 1) * price (charge m)) by ring. rewrite exp_plus.
    set (e := exp ((s - 1) * (B - left st))) in *. set (c := exp ((s - 1) * price (charge m))) in *.
    replace (drawn d * tilt s m i * (all_kept d * kept m) * (e * c))
      with ((drawn d * all_kept d * e) * (tilt s m i * (kept m * c))) by ring.
    apply Rmult_le_compat; [apply term_nonneg|apply Rmult_le_pos; [easy|apply term_nonneg || lra]|exact most|].
    apply Rmult_le_compat_l; easy.
Qed.

Lemma bounded_draws t : honest (simulable s price cost) t -> forall st d, bounded st d ->
  forall e, In e (draws s F st d t) -> exists st', bounded st' e.
Proof.
  induction t as [|m granted IHg denied IHd]; intros hon st d ok e here; cbn in here.
  - destruct here as [<-|[]]. now exists st.
  - destruct hon as (okm & hong & hond). destruct (admits F st (charge m)) eqn:admitted.
    + apply in_concat_map in here as (i & small & here).
      refine (IHg i (hong i) _ _ _ e here). now apply bounded_round.
    + refine (IHd hond _ _ _ e here). exact ok.
Qed.

Lemma bounded_simulation t : 0 <= B -> 0 <= A -> honest (simulable s price cost) t ->
  forall d, In d (simulation s F t) -> exists st, bounded st d.
Proof.
  intros hB hA hon. apply (bounded_draws t hon (start F)). unfold bounded. cbn.
  rewrite (opens _ _ _ _ divergences), (opens _ _ _ _ infinities), term_one.
  replace (B - B) with 0 by ring. replace (- (A - A)) with 0 by ring. rewrite Rmult_0_r, exp_0.
  unfold masses. lra.
Qed.

(** Claim: The finite-loss integrand of a tilted simulation of order s > 1 is at most the CKS bound where a filter holds
    the divergences of order s, and the chance 1 - K of an infinite loss along a path is at most 1 - e^(-A).
    Beyond: A bound on the integrand of infinite losses, which is 1 - K times the tilted weight. *)
Theorem tilted_weights_bounded epsilon t : 1 < s -> 0 <= B -> 0 <= A -> honest (simulable s price cost) t ->
  forall d, In d (simulation s F t) ->
  0 <= weight d * all_kept d * gain epsilon d <= cks_bound s B epsilon /\ 0 <= 1 - all_kept d <= 1 - exp (- A).
Proof.
  intros above hB hA hon d here.
  destruct (bounded_simulation t hB hA hon d here) as (st & hl & hl' & hm & hr & hk & atleast & most). split.
  2:{ assert (exp (- A) <= exp (- (A - left' st))) by (apply exp_le; lra). lra. }
  pose proof (cks_factor_pos s above) as hfactor.
  assert (0 < cks_bound s B epsilon) as hb by (unfold cks_bound; apply Rmult_lt_0_compat; [easy|apply exp_pos]).
  unfold weight, gain. destruct (Req_dec (mass_P d) 0) as [->|some]; [unfold Rdiv; rewrite !Rmult_0_l; lra|].
  destruct hm as (hx & hy & dom). pose proof (term_pos s (mass_P d) (mass_Q d) ltac:(lra)) as ht.
  assert (0 < drawn d) as hd by (destruct hr as [|zero]; [easy|rewrite <- zero, !Rmult_0_l in most; lra]).
  replace (mass_P d / all_kept d / drawn d * all_kept d * pos (1 - exp epsilon * (mass_Q d / mass_P d)))
    with (pos (mass_P d - exp epsilon * mass_Q d) / drawn d).
  2:{ replace (mass_P d - exp epsilon * mass_Q d) with (mass_P d * (1 - exp epsilon * (mass_Q d / mass_P d))) by
    (field; lra).
      replace (pos (mass_P d * (1 - exp epsilon * (mass_Q d / mass_P d))))
        with (mass_P d * pos (1 - exp epsilon * (mass_Q d / mass_P d))) by (apply pos_scale; lra). field. lra. }
  split; [apply Rle_mult_inv_pos; [apply pos_nonneg|easy]|].
  apply (Rmult_le_reg_r (drawn d)); [easy|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  eapply Rle_trans; [apply (stick_below_moment s epsilon _ _ above); now repeat split|].
  set (e := exp (- ((s - 1) * epsilon))). assert (0 < e) by apply exp_pos.
  assert (exp ((s - 1) * (B - left st)) <= exp ((s - 1) * B)) as grow by (apply exp_le; nra).
  apply Rle_trans with (cks_factor s * e * (drawn d * exp ((s - 1) * B))).
  - apply Rmult_le_compat_l; [nra|]. eapply Rle_trans; [exact most|].
    pose proof (exp_pos ((s - 1) * (B - left st))). apply Rmult_le_compat; try nra.
  - right. unfold cks_bound. replace ((s - 1) * (B - epsilon)) with (- ((s - 1) * epsilon) + (s - 1) * B) by ring.
    rewrite exp_plus. fold e. ring.
Qed.

(** Claim: Under tilted draws, the chance of infinite losses weighed in, the means of the tilted weight times 1 - K, K
    the chance along the path that all losses are finite, and of the tilted weight times K times the finite-loss gain
    sum to the hockey-stick divergence.
    Beyond: The samples that estimate the mean. *)
Theorem tilted_mean epsilon t : 0 <= B -> 0 <= A -> honest (simulable s price cost) t ->
  hockey_stick F t epsilon =
  list_sum (fun d => drawn d * (weight d * (1 - all_kept d))) (simulation s F t) +
  list_sum (fun d => drawn d * (weight d * all_kept d * gain epsilon d)) (simulation s F t).
Proof.
  intros hB hA hon.
  assert (honest laws t) as hlaws by (revert hon; apply honest_weaken; now intros m []).
  pose proof (common_of_finite_part F epsilon t hlaws (start F) [] 1 1 1) as both_have.
  specialize (both_have ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)). rewrite !total_minus in both_have.
  rewrite (total_mass_P F t hlaws) in both_have. fold (over F t (fun _ x y => pos (x - exp epsilon * y))) in both_have.
  fold (hockey_stick F t epsilon) in both_have.
  assert (list_sum (fun d => drawn d * (weight d * (1 - all_kept d))) (simulation s F t) =
    list_sum (fun d => mass_P d / all_kept d - mass_P d) (simulation s F t)) as ->.
  { apply list_sum_ext. intros d here. destruct (bounded_simulation t hB hA hon d here) as (st & _ & _ & hm & hr & hk
    & _ & most).
    unfold weight. destruct (Req_dec (mass_P d) 0) as [->|some]; [unfold Rdiv; ring|].
    destruct hm as (hx & hy & dom). pose proof (term_pos s (mass_P d) (mass_Q d) ltac:(lra)) as ht.
    assert (0 < drawn d) by (destruct hr as [|zero]; [easy|rewrite <- zero, !Rmult_0_l in most; lra]). field. lra. }
  assert (list_sum (fun d => drawn d * (weight d * all_kept d * gain epsilon d)) (simulation s F t) =
    list_sum (fun d => pos (mass_P d - exp epsilon * mass_Q d)) (simulation s F t)) as ->.
  { apply list_sum_ext. intros d here. destruct (bounded_simulation t hB hA hon d here) as (st & _ & _ & hm & hr & hk
    & _ & most).
    destruct hm as (hx & hy & dom). pose proof (exp_pos epsilon).
    unfold weight, gain. destruct (Req_dec (mass_P d) 0) as [->|some].
    { unfold Rdiv, pos at 2. rewrite !Rmult_0_l, Rmult_0_r. symmetry. apply Rmax_left. nra. }
    pose proof (term_pos s (mass_P d) (mass_Q d) ltac:(lra)) as ht.
    assert (0 < drawn d) by (destruct hr as [|zero]; [easy|rewrite <- zero, !Rmult_0_l in most; lra]).
    replace (mass_P d - exp epsilon * mass_Q d) with (mass_P d * (1 - exp epsilon * (mass_Q d / mass_P d))) by (field;
      lra).
    rewrite <- pos_scale by lra. field. lra. }
  rewrite (list_sum_minus (fun d => mass_P d / all_kept d) (fun d => mass_P d)),
    (finite_paths_are_a_law s price cost F t hon).
  pose proof (draws_sum s F (fun _ x _ => x) t (start F) (Path [] 1 1 1 1)) as one.
  pose proof (draws_sum s F (fun _ x y => pos (x - exp epsilon * y)) t (start F) (Path [] 1 1 1 1)) as two.
  cbn [seen mass_P mass_Q] in one, two. unfold simulation. rewrite one, two. lra.
Qed.
End Bounds.

(** ** Without infinite losses, and without a tilt *)

Lemma finite_is_P {C} (m : request C) i : continuous m -> (i < outcomes m)%nat -> finite m i = P m i.
Proof. intros cont small. unfold finite. destruct (Req_EM_T (Q m i) 0) as [zero|]; [|easy]. now rewrite cont. Qed.

Lemma renyi_simulable {C} s (price : C -> R) m : renyi_priced s price m -> simulable s price (fun _ => 0) m.
Proof.
  intros (lm & hc & cont & moment). pose proof lm as ((_ & one) & _).
  assert (kept m = 1) as whole by (rewrite <- one; apply sum_ext; intros; now apply finite_is_P).
  split; [easy|]. split; [easy|]. split; [lra|]. rewrite whole. split; [rewrite Ropp_0, exp_0; lra|].
  rewrite Rmult_1_l. eapply Rle_trans; [right|exact moment]. apply sum_ext. intros i small. now rewrite finite_is_P.
Qed.

Lemma nothing_erased {C} (F : filter C) : keeps F (fun _ => 0) (fun _ => 0) 0.
Proof. constructor; intros; lra. Qed.

(** Claim: Under a filter that holds the divergences of order s to B, the weighted integrands of a tilted simulation lie
    between 0 and the CKS bound, and their mean is the hockey-stick divergence, for mechanisms without infinite
    losses.
    Beyond: The samples that estimate the mean. *)
Theorem tilted_mean_of_finite_losses {C} (F : filter C) left price s B epsilon t : 1 < s -> 0 <= B ->
  keeps F left price B -> honest (renyi_priced s price) t ->
  list_sum drawn (simulation s F t) = 1 /\
  list_sum (fun d => drawn d * (weight d * gain epsilon d)) (simulation s F t) = hockey_stick F t epsilon /\
  forall d, In d (simulation s F t) -> 0 <= weight d * gain epsilon d <= cks_bound s B epsilon.
Proof.
  intros above hB ledger hon.
  assert (honest (simulable s price (fun _ => 0)) t) as able by (revert hon; apply honest_weaken, renyi_simulable).
  assert (forall d, In d (simulation s F t) ->
    all_kept d = 1 /\ 0 <= weight d * gain epsilon d <= cks_bound s B epsilon) as each.
  { intros d here. destruct (tilted_weights_bounded s F left _ price _ B 0 ledger (nothing_erased F) epsilon t
      above hB (Rle_refl 0) able d here) as [bound kept]. rewrite Ropp_0, exp_0 in kept.
    assert (all_kept d = 1) as whole by lra. rewrite whole, Rmult_1_r in bound. easy. }
  split; [exact (draws_are_a_law s price _ F t able)|]. split; [|intros d here; now apply each].
  rewrite (tilted_mean s F left _ price _ B 0 ledger (nothing_erased F) epsilon t hB (Rle_refl 0) able).
  rewrite (list_sum_ext (fun d => drawn d * (weight d * (1 - all_kept d))) (fun _ => 0)).
  2:{ intros d here. destruct (each d here) as [-> _]. ring. }
  rewrite (list_sum_ext (fun d => drawn d * (weight d * all_kept d * gain epsilon d))
    (fun d => drawn d * (weight d * gain epsilon d))).
  2:{ intros d here. destruct (each d here) as [-> _]. ring. }
  enough (list_sum (fun _ : path => 0) (simulation s F t) = 0) by lra.
  generalize (simulation s F t). intros l. induction l as [|d l IH]; cbn; lra.
Qed.

Lemma term_at_one x y : 0 <= x -> term 1 x y = x.
Proof.
  intros hx. unfold term, power. destruct (Rle_dec x 0); [lra|]. rewrite Rpower_1 by lra. unfold Rpower.
  replace (1 - 1) with 0 by ring. rewrite Rmult_0_l, exp_0. ring.
Qed.

(** At order one the paths are drawn with their P~-probabilities: nothing is tilted. *)
Theorem order_one_is_untilted {C} (price cost : C -> R) (F : filter C) t : honest (simulable 1 price cost) t ->
  forall d, In d (simulation 1 F t) -> drawn d = mass_P d / all_kept d.
Proof.
  intros hon. unfold simulation.
  enough (forall st d, 0 < all_kept d -> drawn d = mass_P d / all_kept d ->
    forall e, In e (draws 1 F st d t) -> drawn e = mass_P e / all_kept e) as it by (apply it; cbn; lra).
  revert hon. induction t as [|m granted IHg denied IHd]; intros hon st d hk same e here; cbn in here.
  - destruct here as [<-|[]]. exact same.
  - destruct hon as (ok & hong & hond). destruct (admits F st (charge m)).
    + apply in_concat_map in here as (i & small & here). pose proof (kept_range _ _ _ _ ok).
      assert (forall j, (j < outcomes m)%nat -> term 1 (finite m j) (Q m j) = finite m j) as plain.
      { intros j hj. apply term_at_one. now destruct (finite_masses m j ltac:(now destruct ok) hj). }
      refine (IHg i (hong i) _ _ _ _ e here); cbn; [nra|]. unfold tilt, finite_moment.
      rewrite (sum_ext _ _ (finite m)) by exact plain. rewrite plain by easy. fold (kept m). rewrite same. field. lra.
    + refine (IHd hond _ _ _ _ e here); easy.
Qed.

(** ** Something is simulated *)

(** Erasure has an infinite loss with probability 1/2 and is simulated without it, at any order, at no price. *)
Example erasure_is_simulable s : simulable s (fun _ => 0) (fun _ => ln 2) erasure /\ kept erasure = / 2.
Proof.
  assert (finite erasure 0 = 0 /\ finite erasure 1 = / 2 /\ finite erasure 2 = 0) as (zero & one & two).
  { unfold finite; cbn. destruct (Req_EM_T 0 0), (Req_EM_T (/ 2) 0); try lra. }
  assert (kept erasure = / 2) as half by (unfold kept; cbn; rewrite zero, one, two; lra).
  split; [|easy]. pose proof ln_lt_2. split; [|split; [lra|split; [lra|]]].
  - unfold laws, law; cbn. repeat split; try lra; intros [|[|i]]; cbn; lra.
  - rewrite half, exp_Ropp, exp_ln by lra. split; [lra|]. unfold finite_moment. cbn. rewrite zero, one, two, !term_zero.
    rewrite Rmult_0_r, exp_0. enough (term s (/ 2) (/ 2) = / 2) as -> by lra. unfold term, power.
    destruct (Rle_dec (/ 2) 0); [lra|]. rewrite <- Rpower_plus. replace (s + (1 - s)) with 1 by ring. apply Rpower_1.
    lra.
Qed.
