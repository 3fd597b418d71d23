(** The field's pairs in closed form: randomised response, erasure, and the pair of Kairouz, Oh and Viswanath.

    - [response_is_worst]: no e-DP mechanism has a divergence above that of randomised response, a ratio of hyperbolic
      cosines, which is at most alpha e^2/2; [half_is_least]: no smaller constant than 1/2 will do;
    - [pure_kl]: the same bound at order one;
    - [response_near_pure]: that divergence is below e by at most log 2/(alpha - 1);
    - [erasure_is_infinite], [kov_is_infinite]: (0, p)-DP and (e, d)-DP pairs without a Rényi divergence;
    - [kov_dominates]: no (e, d)-DP pair has a hockey-stick above that of theirs, at any order. *)

From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Rcomplements.
From Filterproof Require Import Sums Interaction Divergences Domination Paths AdditiveFilter Ledger ZCDPFilter
  Conversions PureToZCDP BStar ConversionsAttained.
Import ListNotations.
Open Scope R_scope.

(** ** Randomised response *)

(** cosh((alpha - 1/2) e) / cosh(e/2). *)
Definition cosh_ratio (alpha e : R) : R :=
  (exp ((alpha - 1 / 2) * e) + exp (- ((alpha - 1 / 2) * e))) / (exp (e / 2) + exp (- (e / 2))).

Lemma cosh_ratio_pos alpha e : 0 < cosh_ratio alpha e.
Proof.
  pose proof (exp_pos ((alpha - 1 / 2) * e)). pose proof (exp_pos (- ((alpha - 1 / 2) * e))).
  pose proof (exp_pos (e / 2)). pose proof (exp_pos (- (e / 2))). apply Rdiv_lt_0_compat; lra.
Qed.

(** Its moment written with e^e. *)
Lemma cosh_ratio_moment alpha e :
  (1 + exp e) * cosh_ratio alpha e = exp (alpha * e) + exp e * exp (- (alpha * e)).
Proof.
  unfold cosh_ratio. set (h := e / 2). replace ((alpha - 1 / 2) * e) with (alpha * e + - h) by (unfold h; field).
  replace (- (alpha * e + - h)) with (h + - (alpha * e)) by ring.
  replace (exp e) with (exp h * exp h) by (rewrite <- exp_plus; f_equal; unfold h; field).
  rewrite !exp_plus. destruct (exp_half h) as (hu & hv & unit).
  set (u := exp h) in *. set (v := exp (- h)) in *. set (p := exp (alpha * e)). set (q := exp (- (alpha * e))).
  assert (1 + u * u = u * (u + v)) as -> by (rewrite Rmult_plus_distr_l, unit; ring).
  replace (u * (u + v) * ((p * v + u * q) / (u + v))) with (u * v * p + u * u * q) by (field; lra).
  rewrite unit. ring.
Qed.

Lemma response_masses e : 1 - exp e / (1 + exp e) = 1 / (1 + exp e) /\ 1 - 1 / (1 + exp e) = exp e / (1 + exp e).
Proof. pose proof (exp_pos e). split; field; lra. Qed.

Lemma term_exp alpha l y : 0 < y -> term alpha (exp l * y) y = y * exp (alpha * l).
Proof.
  intros hy. pose proof (exp_pos l). assert (0 < exp l * y) by (apply Rmult_lt_0_compat; lra).
  unfold term, power. destruct (Rle_dec (exp l * y) 0); [lra|]. unfold Rpower. rewrite ln_mult, ln_exp by easy.
  rewrite <- (exp_ln y hy) at 3. rewrite <- !exp_plus. f_equal. ring.
Qed.

Lemma response_moment alpha e : round_moment alpha (response e) = cosh_ratio alpha e.
Proof.
  pose proof (exp_pos e) as he. unfold response. rewrite coins_moment. destruct (response_masses e) as [-> ->].
  apply (Rmult_eq_reg_l (1 + exp e)); [|lra]. rewrite cosh_ratio_moment.
  assert (0 < 1 / (1 + exp e)) by (apply Rdiv_lt_0_compat; lra).
  assert (0 < exp e / (1 + exp e)) by (apply Rdiv_lt_0_compat; lra).
  replace (exp e / (1 + exp e)) with (exp e * (1 / (1 + exp e))) at 1 by (field; lra). rewrite term_exp by easy.
  replace (1 / (1 + exp e)) with (exp (- e) * (exp e / (1 + exp e))) at 2.
  2: { rewrite exp_Ropp. field. lra. }
  rewrite term_exp by easy. replace (alpha * - e) with (- (alpha * e)) by ring. field. lra.
Qed.

Lemma response_is_pure e : 0 < e -> both (pure_at_most e) (response e).
Proof.
  intros he. destruct (pure_conversion_attained e 0 (-1) he) as [(lawful & _ & each) _]; [lra| |].
  { unfold pure_delta. rewrite exp_0. pose proof (exp_increasing 0 e he) as big. rewrite exp_0 in big.
    assert (0 < (exp e - 1) / (1 + exp e)) by (apply Rdiv_lt_0_compat; lra). lra. }
  split; (split; [now destruct lawful|]; split; [lra|]); intros i small; now apply each.
Qed.

Lemma largest_moment {C} alpha e (m : request C) : 0 < e -> 1 < alpha -> pure_at_most e m ->
  pure_at_most e (swap m) -> round_moment alpha m <= cosh_ratio alpha e.
Proof.
  intros he ha (((hp & onep) & (hq & oneq)) & _ & up) (_ & _ & down). unfold round_moment. cbn in down.
  assert (exp (- e) < exp e) as wide by (apply exp_increasing; lra).
  apply (Rmult_le_reg_l (exp e - exp (- e))); [lra|]. rewrite <- sum_scale.
  eapply Rle_trans; [apply sum_le; intros i small;
    apply (term_below_chord e alpha (P m i) (Q m i)); auto; lra|].
  rewrite (sum_ext _ _ (fun i => (exp (alpha * e) - exp (- (alpha * e))) * P m i +
    (exp e * exp (- (alpha * e)) - exp (- e) * exp (alpha * e)) * Q m i)) by (intros; ring).
  rewrite sum_plus, !sum_scale, onep, oneq, !Rmult_1_r. right.
  pose proof (cosh_ratio_moment alpha e) as whole. pose proof (exp_pos e).
  replace (exp e - exp (- e)) with ((1 - exp (- e)) * (1 + exp e)).
  2: { rewrite exp_Ropp. field. lra. }
  rewrite Rmult_assoc, whole, !exp_Ropp. pose proof (exp_pos (alpha * e)). field. lra.
Qed.

(** Claim: At each order alpha > 1 no e-DP mechanism, e > 0, has a Rényi divergence above that of randomised response,
    log(cosh((alpha - 1/2) e) / cosh(e/2)) / (alpha - 1), which is at most alpha e^2/2.
    Source: Bun & Steinke, Proposition 3.3 *)
Theorem response_is_worst {C} alpha e (m : request C) : 0 < e -> 1 < alpha -> both (pure_at_most e) m ->
  renyi_at_most alpha (ln (cosh_ratio alpha e) / (alpha - 1)) m /\
  round_moment alpha (response e) = exp ((alpha - 1) * (ln (cosh_ratio alpha e) / (alpha - 1))) /\
  ln (cosh_ratio alpha e) / (alpha - 1) <= alpha * e ^ 2 / 2.
Proof.
  intros he ha [one other]. pose proof (cosh_ratio_pos alpha e) as hc.
  replace ((alpha - 1) * (ln (cosh_ratio alpha e) / (alpha - 1))) with (ln (cosh_ratio alpha e)) by (field; lra).
  split; [split; [now apply pure_continuous in one|]|split; [rewrite exp_ln by easy; apply response_moment|]].
  - replace ((alpha - 1) * (ln (cosh_ratio alpha e) / (alpha - 1))) with (ln (cosh_ratio alpha e)) by (field; lra).
    rewrite exp_ln by easy. now apply largest_moment.
  - destruct (response_is_pure e he) as [here there]. pose proof (pure_moment e alpha _ ha here there) as bound.
    rewrite response_moment in bound. apply ln_le in bound; [|easy]. rewrite ln_exp in bound.
    apply (Rmult_le_reg_l (alpha - 1)); [lra|].
    replace ((alpha - 1) * (ln (cosh_ratio alpha e) / (alpha - 1))) with (ln (cosh_ratio alpha e)) by (field; lra).
    lra.
Qed.

(** ** Order one *)

Lemma round_kl_below {C} (price : C -> R) (m : request C) : zcdp_priced price m -> round_kl m <= price (charge m).
Proof.
  intros ok. set (r := price (charge m)).
  assert (zcdp_honest (Ask (outcomes m) (P m) (Q m) r)) as hon.
  { destruct ok as [first every]. split; [exact first|]. intros alpha ha. exact (every alpha ha). }
  destruct (zcdp_filter_kl r (once (Ask (outcomes m) (P m) (Q m) r)) (proj1 ok)) as [[_ bound] _]; [now split|].
  unfold kl, over, once in bound. cbn in bound. destruct (Rle_dec r r) as [_|]; [|lra].
  eapply Rle_trans; [right|exact bound]. unfold round_kl. apply sum_ext. intros. cbn. now rewrite !Rmult_1_l.
Qed.

(** Claim: An e-DP mechanism has a KL divergence of at most e^2/2. *)
Theorem pure_kl {C} e (m : request C) : both (pure_at_most e) m -> round_kl m <= e ^ 2 / 2.
Proof.
  intros pure. apply (round_kl_below (fun _ => e ^ 2 / 2)).
  apply (pure_is_zcdp (fun _ => e ^ 2 / 2) e m pure), Rle_refl.
Qed.

Lemma response_kl e : round_kl (response e) = e * ((exp e - 1) / (1 + exp e)).
Proof.
  pose proof (exp_pos e). unfold round_kl. cbn. destruct (response_masses e) as [-> ->].
  replace (exp e / (1 + exp e) / (1 / (1 + exp e))) with (exp e) by (field; lra).
  replace (1 / (1 + exp e) / (exp e / (1 + exp e))) with (/ exp e) by (field; lra).
  rewrite ln_Rinv, ln_exp by easy. field. lra.
Qed.

(** No constant below 1/2: at e = 1/2 - c randomised response loses more than c e^2 already at order one. *)
(** Claim: For each c < 1/2 some randomised response is not (c e^2)-zCDP. *)
Theorem half_is_least c : c < 1 / 2 -> exists e, 0 < e /\ both (pure_at_most e) (response e) /\
  ~ zcdp_priced (fun _ => c * e ^ 2) (response e).
Proof.
  intros less. set (e := 1 / 2 - c). assert (0 < e) as he by (unfold e; lra). exists e.
  split; [easy|]. split; [now apply response_is_pure|]. intros ok. apply round_kl_below in ok.
  rewrite response_kl in ok. pose proof (exp_ineq1_le e) as grows. pose proof (exp_pos e).
  assert (e / (2 + e) <= (exp e - 1) / (1 + exp e)) as tanh_above.
  { apply (Rmult_le_reg_r ((2 + e) * (1 + exp e))); [nra|].
    replace (e / (2 + e) * ((2 + e) * (1 + exp e))) with (e * (1 + exp e)) by (field; lra).
    replace ((exp e - 1) / (1 + exp e) * ((2 + e) * (1 + exp e))) with ((exp e - 1) * (2 + e)) by (field; lra). lra. }
  apply (Rmult_le_compat_l e) in tanh_above; [|lra].
  assert (e * (e / (2 + e)) <= c * e ^ 2) as past by lra.
  apply (Rmult_le_compat_r (2 + e)) in past; [|lra].
  replace (e * (e / (2 + e)) * (2 + e)) with (e ^ 2) in past by (field; lra).
  assert (0 < e ^ 2) as square by (apply pow_lt; lra).
  assert (1 <= c * (2 + e)) as last by nra. unfold e in last. nra.
Qed.

(** ** How near the divergence comes to e *)

(** Claim: For e > 0 and alpha > 1 the Rényi divergence of randomised response, log(cosh((alpha - 1/2) e) /
    cosh(e/2)) / (alpha - 1), is at most e, and at least e - log 2/(alpha - 1). *)
Theorem response_near_pure alpha e : 0 < e -> 1 < alpha ->
  e - ln 2 / (alpha - 1) <= ln (cosh_ratio alpha e) / (alpha - 1) <= e.
Proof.
  intros he ha. pose proof (cosh_ratio_pos alpha e) as hc. pose proof (cosh_ratio_moment alpha e) as whole.
  pose proof (exp_increasing 0 e he) as big. rewrite exp_0 in big.
  set (g := exp ((alpha - 1) * e)). pose proof (exp_pos ((alpha - 1) * e)) as hg. fold g in hg.
  assert (exp (alpha * e) = g * exp e) as split_up by (unfold g; rewrite <- exp_plus; f_equal; ring).
  assert (exp e * exp (- (alpha * e)) = / g) as other.
  { unfold g. rewrite <- exp_Ropp, <- exp_plus. f_equal. ring. }
  assert (1 <= g) as large by (apply one_le_exp; nra).
  assert (/ g <= 1) as small by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
  assert (0 < / g) by now apply Rinv_0_lt_compat. rewrite split_up, other in whole.
  assert (cosh_ratio alpha e <= g) as above by (apply (Rmult_le_reg_l (1 + exp e)); nra).
  assert (g <= 2 * cosh_ratio alpha e) as below by (apply (Rmult_le_reg_l (1 + exp e)); nra).
  apply ln_le in above; [|easy]. apply ln_le in below; [|easy]. unfold g in above, below.
  rewrite ln_mult in below by lra. rewrite ln_exp in above, below.
  split; apply (Rmult_le_reg_l (alpha - 1)); try lra.
  - replace ((alpha - 1) * (e - ln 2 / (alpha - 1))) with ((alpha - 1) * e - ln 2) by (field; lra).
    replace ((alpha - 1) * (ln (cosh_ratio alpha e) / (alpha - 1))) with (ln (cosh_ratio alpha e)) by (field; lra). lra.
  - replace ((alpha - 1) * (ln (cosh_ratio alpha e) / (alpha - 1))) with (ln (cosh_ratio alpha e)) by (field; lra). lra.
Qed.

(** ** The pair of Kairouz, Oh and Viswanath, at e = 0 an erasure *)

(** With probability d the first or the last outcome tells the law that it is drawn from; else randomised response. *)
Definition kov (e d : R) : pair :=
  Pair 4 (fun i => match i with O => d | 1%nat => (1 - d) * (exp e / (1 + exp e)) | 2%nat => (1 - d) * (1 / (1 + exp e))
            | _ => 0 end)
         (fun i => match i with O => 0 | 1%nat => (1 - d) * (1 / (1 + exp e)) | 2%nat => (1 - d) * (exp e / (1 + exp e))
            | _ => d end).

(** It is asked for like any mechanism. *)
Definition asked (D : pair) : request R := Ask (size D) (upper D) (lower D) 0.

Lemma kov_proper e d : 0 <= d <= 1 -> proper (kov e d).
Proof.
  intros range. pose proof (exp_pos e) as he. assert (0 < / (1 + exp e)) as hi by (apply Rinv_0_lt_compat; lra).
  assert (0 <= (1 - d) * (exp e / (1 + exp e))) by (unfold Rdiv; repeat apply Rmult_le_pos; lra).
  assert (0 <= (1 - d) * (1 / (1 + exp e))) by (unfold Rdiv; repeat apply Rmult_le_pos; lra).
  split; (split; [intros [|[|[|[|i]]]] small; cbn; lra || lia|cbn; field; lra]).
Qed.

(** Its curve: a line where no outcome changes its side. *)
(** Claim: For x, y >= 0, e >= 0 and 0 <= d <= 1 the sum of (x P - y Q)_+ of KOV is d x + (1 - d) ((e^e x - y)_+ + (x
    - e^e y)_+)/(1 + e^e). *)
Lemma kov_curve e d x y : 0 <= e -> 0 <= d <= 1 -> 0 <= x -> 0 <= y -> curve (kov e d) x y =
  d * x + (1 - d) * (pos (exp e * x - y) + pos (x - exp e * y)) / (1 + exp e).
Proof.
  intros he range hx hy. pose proof (exp_pos e). assert (0 < / (1 + exp e)) as hi by (apply Rinv_0_lt_compat; lra).
  assert (scaled : forall c z, 0 <= c -> pos (c * z) = c * pos z).
  { intros c z hc. unfold pos. rewrite <- RmaxRmult by lra. now rewrite Rmult_0_r. }
  unfold curve, weighted. cbn -[pos].
  replace (x * ((1 - d) * (exp e / (1 + exp e))) - y * ((1 - d) * (1 / (1 + exp e))))
    with ((1 - d) * / (1 + exp e) * (exp e * x - y)) by (field; lra).
  replace (x * ((1 - d) * (1 / (1 + exp e))) - y * ((1 - d) * (exp e / (1 + exp e))))
    with ((1 - d) * / (1 + exp e) * (x - exp e * y)) by (field; lra).
  rewrite !scaled by (apply Rmult_le_pos; lra).
  replace (pos (x * d - y * 0)) with (d * x) by (unfold pos; rewrite Rmax_right; nra).
  replace (pos (x * 0 - y * d)) with 0 by (unfold pos; rewrite Rmax_left; nra). field. lra.
Qed.

(** Claim: KOV with 0 < d <= 1, at e = 0 an erasure, is (e, d)-DP with equality in both directions, and has no finite
    Rényi divergence at any order alpha > 1.
    Source: Kairouz, Oh & Viswanath *)
Theorem kov_is_private e d : 0 <= e -> 0 < d <= 1 ->
  curve (kov e d) 1 (exp e) = d /\ curve (swapped_pair (kov e d)) 1 (exp e) = d /\
  forall alpha rho, ~ renyi_at_most alpha rho (asked (kov e d)) /\
    ~ renyi_at_most alpha rho (asked (swapped_pair (kov e d))).
Proof.
  intros he range. pose proof (one_le_exp e he) as big.
  destruct (kov_proper e d ltac:(lra)) as [hu hl].
  split; [|split].
  - rewrite kov_curve by lra. unfold pos. rewrite !Rmax_left by nra. field. lra.
  - unfold curve. cbn [size upper lower swapped_pair]. rewrite weighted_swapped by easy.
    fold (curve (kov e d) (exp e) 1).
    rewrite kov_curve by lra. unfold pos. rewrite !Rmax_right by nra. field. lra.
  - intros alpha rho. split; intros [cont _]; [specialize (cont 0%nat)|specialize (cont 3%nat)]; cbn in cont;
      pose proof (cont ltac:(lia) eq_refl); lra.
Qed.

(** A curve is homogeneous and subadditive. *)
Lemma weighted_sublinear n p q E u v r s : law n p -> law n q -> 0 <= u -> 0 <= v -> 0 <= r -> 0 <= s ->
  weighted n p q (u + E * v + r) (E * u + v + s) <= u * weighted n p q 1 E + v * weighted n p q E 1 + r.
Proof.
  intros [hp one] [hq _] hu hv hr hs. unfold weighted.
  apply Rle_trans with (sum n (fun i => u * pos (1 * p i - E * q i) + v * pos (E * p i - 1 * q i) + r * p i));
    [|right; rewrite !sum_plus, !sum_scale, one; ring].
  apply sum_le. intros i small. specialize (hp i small). specialize (hq i small).
  pose proof (pos_nonneg (1 * p i - E * q i)) as a0. pose proof (pos_above (1 * p i - E * q i)) as a1.
  pose proof (pos_nonneg (E * p i - 1 * q i)) as b0. pose proof (pos_above (E * p i - 1 * q i)) as b1.
  apply (Rmult_le_compat_l u) in a0; [|easy]. apply (Rmult_le_compat_l u) in a1; [|easy].
  apply (Rmult_le_compat_l v) in b0; [|easy]. apply (Rmult_le_compat_l v) in b1; [|easy].
  apply pos_least; nra.
Qed.

(** Claim: What is (e, d)-DP both ways, e >= 0 and 0 <= d <= 1, has no hockey-stick above that of KOV, at any order from
    0 up.
    Source: Kairouz, Oh & Viswanath, Theorem 3.4 *)
Theorem kov_dominates n p q e d : 0 <= e -> 0 <= d <= 1 -> law n p -> law n q ->
  weighted n p q 1 (exp e) <= d -> weighted n q p 1 (exp e) <= d ->
  forall x y, 0 <= x -> 0 <= y -> weighted n p q x y <= curve (kov e d) x y.
Proof.
  intros he range lp lq forth back x y hx hy. pose proof (one_le_exp e he) as big. set (E := exp e) in *.
  rewrite (weighted_swapped n p q 1 E) in back by easy.
  rewrite kov_curve by easy. fold E. pose proof (weighted_sublinear n p q E) as below.
  destruct (Rle_or_lt (E * x) y) as [far|near].
  - pose proof (below x 0 0 (y - E * x) lp lq ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)) as it.
    replace (x + E * 0 + 0) with x in it by ring. replace (E * x + 0 + (y - E * x)) with y in it by ring.
    unfold pos. rewrite !Rmax_left by nra. replace ((1 - d) * (0 + 0) / (1 + E)) with 0 by (field; lra). nra.
  - destruct (Rle_or_lt (E * y) x) as [low|middle].
    + pose proof (below 0 y (x - E * y) 0 lp lq ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)) as it.
      replace (0 + E * y + (x - E * y)) with x in it by ring. replace (E * 0 + y + 0) with y in it by ring.
      unfold pos. rewrite !Rmax_right by nra.
      replace ((1 - d) * (E * x - y + (x - E * y)) / (1 + E)) with ((1 - d) * (x - y)) by (field; lra). nra.
    + assert (1 < E) as more by nra. assert (0 < E * E - 1) as wide by nra.
      set (u := (E * y - x) / (E * E - 1)). set (v := (E * x - y) / (E * E - 1)).
      assert (0 <= u) by (apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]).
      assert (0 <= v) by (apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]).
      pose proof (below u v 0 0 lp lq ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)) as it.
      replace (u + E * v + 0) with x in it by (unfold u, v; field; lra).
      replace (E * u + v + 0) with y in it by (unfold u, v; field; lra).
      unfold pos. rewrite Rmax_right, Rmax_left by nra.
      replace (d * x + (1 - d) * (E * x - y + 0) / (1 + E)) with (u * d + v * (d + E - 1)).
      2: { unfold u, v. field. lra. }
      nra.
Qed.
