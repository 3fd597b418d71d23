(** The largest hockey-stick divergence that one Rényi order allows, at every epsilon > 0 and every R > 0.

    - [slopes_exist]: below R = epsilon + log(alpha/(alpha - 1)) two slopes meet at epsilon whose two outcomes have the
      divergence R: with c' = r c the slope c is a function of r, and r is found between two values;
    - [one_order_largest]: so two outcomes have the largest hockey-stick divergence of all transcripts with D_alpha <=
      R; from that R on the second has no mass under the first law, and the largest is 1 - e^(epsilon - R). *)

From Coq Require Import Reals Lra Lia List Ranalysis5.
From Coquelicot Require Import Coquelicot.
From Filterproof Require Import Sums Interaction Divergences Paths AdditiveFilter Conversions BStar ConversionsAttained.
Open Scope R_scope.

Section slopes.

Variables (a E : R).
Hypotheses (ha : 1 < a) (hE : 1 < E).

(** The slope c where c' = r c, and the moment of the two outcomes. *)
Definition upper (r : R) : R := a * E / (a - 1) * ((1 - Rpower r (a - 1)) / (1 - Rpower r a)).

Definition moment_at (r : R) : R :=
  Rpower (upper r) (a - 1) * ((1 - r * upper r) + (upper r - 1) * Rpower r a) / (1 - r).

Lemma powers_below r b : 0 < r < 1 -> 0 < b -> 0 < Rpower r b < 1.
Proof.
  intros range hb. split; [apply exp_pos|]. unfold Rpower. rewrite <- exp_0. apply exp_increasing.
  pose proof (ln_increasing r 1 ltac:(lra) ltac:(lra)) as it. rewrite ln_1 in it. nra.
Qed.

Lemma power_split r b : 0 < r -> Rpower r b = r * Rpower r (b - 1).
Proof. intros hr. rewrite <- (Rpower_1 r hr) at 2. rewrite <- Rpower_plus. f_equal. ring. Qed.

Lemma upper_range r : 0 < r < 1 -> E <= upper r /\
  a * E / (a - 1) * (1 - Rpower r (a - 1)) <= upper r <= a * E / (a - 1).
Proof.
  intros range. pose proof (powers_below r a range ltac:(lra)) as one.
  pose proof (powers_below r (a - 1) range ltac:(lra)) as less. pose proof (power_split r a ltac:(lra)) as both.
  set (p := Rpower r (a - 1)) in *. set (q := Rpower r a) in *.
  assert (0 < a * E / (a - 1)) as hw by (apply Rdiv_lt_0_compat; nra).
  assert (1 - p <= (1 - p) / (1 - q) <= 1) as [low high].
  { split; [|apply (Rmult_le_reg_r (1 - q)); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; nra].
    apply (Rmult_le_reg_r (1 - q)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra. }
  unfold upper. fold p q. split; [|split; [apply Rmult_le_compat_l; lra|]].
  - (* 1 - a r^(a-1) + (a - 1) r^a >= 0, Bernoulli's inequality at 1/r *)
    assert (0 < / r) as hi by (apply Rinv_0_lt_compat; lra).
    pose proof (bernoulli (/ r) a hi ltac:(lra)) as bern.
    assert (Rpower (/ r) a * q = 1) as unit.
    { unfold q. rewrite Rpower_mult_distr by lra. rewrite Rinv_l by lra. unfold Rpower.
      now rewrite ln_1, Rmult_0_r, exp_0. }
    apply (Rmult_le_compat_r q) in bern; [|lra]. rewrite unit in bern.
    assert (/ r * q = p) as pq by (rewrite both; field; lra).
    assert ((a - 1) * (1 - q) <= a * (1 - p)) by nra.
    apply (Rmult_le_reg_r ((a - 1) * (1 - q))); [apply Rmult_lt_0_compat; lra|].
    replace (a * E / (a - 1) * ((1 - p) / (1 - q)) * ((a - 1) * (1 - q))) with (E * (a * (1 - p))) by (field; lra).
    apply Rmult_le_compat_l; lra.
  - rewrite <- (Rmult_1_r (a * E / (a - 1))) at 2. apply Rmult_le_compat_l; lra.
Qed.

(** The slopes meet at epsilon. *)
Lemma slopes_meet_there r : 0 < r < 1 ->
  falls a (upper r) - falls a (r * upper r) = (rises a (upper r) - rises a (r * upper r)) * E.
Proof.
  intros range. destruct (upper_range r range) as (hc & _).
  pose proof (powers_below r a range ltac:(lra)) as one.
  unfold falls, rises. rewrite <- !Rpower_mult_distr by lra. rewrite (power_split (upper r) a) by lra.
  set (c := upper r) in *. set (g := Rpower c (a - 1)).
  assert (c * ((a - 1) * (1 - Rpower r a)) = a * E * (1 - Rpower r (a - 1))) as defined
    by (unfold c, upper; field; lra).
  replace ((a - 1) * (c * g) - (a - 1) * (Rpower r a * (c * g))) with (g * (c * ((a - 1) * (1 - Rpower r a)))) by ring.
  rewrite defined. ring.
Qed.

(** Beyond c' = 1 the chord lies below the power, so the moment is at most 1. *)
Lemma moment_low r : 0 < r < 1 -> 1 <= r * upper r -> moment_at r <= 1.
Proof.
  intros range past. destruct (upper_range r range) as (hc & _). unfold moment_at. set (c := upper r) in *.
  assert (0 < r * c) as hrc by lra.
  assert (Rpower (r * c) a = Rpower r a * (c * Rpower c (a - 1))) as power_rc
    by (rewrite <- Rpower_mult_distr by lra; now rewrite <- (power_split c a) by lra).
  (* tangents at c' of the power, at 1 and at c *)
  assert (forall z, 0 < z -> Rpower (r * c) a * (1 + a * (z / (r * c) - 1)) <= Rpower z a) as tangent.
  { intros z hz. pose proof (bernoulli (z / (r * c)) a ltac:(apply Rdiv_lt_0_compat; lra) ltac:(lra)) as it.
    apply (Rmult_le_compat_l (Rpower (r * c) a)) in it; [|left; apply exp_pos].
    rewrite Rpower_mult_distr in it by (try apply Rdiv_lt_0_compat; lra).
    replace (r * c * (z / (r * c))) with z in it by (field; lra). exact it. }
  pose proof (tangent 1 ltac:(lra)) as at_one. pose proof (tangent c ltac:(lra)) as at_c.
  assert (Rpower 1 a = 1) as one by (unfold Rpower; now rewrite ln_1, Rmult_0_r, exp_0). rewrite one in at_one.
  apply (Rmult_le_compat_l (c - r * c)) in at_one; [|nra]. apply (Rmult_le_compat_l (r * c - 1)) in at_c; [|lra].
  set (f := Rpower (r * c) a) in *.
  assert ((c - r * c) * (f * (1 + a * (1 / (r * c) - 1))) + (r * c - 1) * (f * (1 + a * (c / (r * c) - 1)))
    = (c - 1) * f) as sums by (field; lra).
  rewrite (power_split c a) in at_c by lra.
  set (g := Rpower c (a - 1)) in *. assert (0 < g) as hg by apply exp_pos.
  apply (Rmult_le_reg_r (c * (1 - r))); [nra|].
  replace (g * (1 - r * c + (c - 1) * Rpower r a) / (1 - r) * (c * (1 - r)))
    with ((c - 1) * (Rpower r a * (c * g)) - (r * c - 1) * (c * g)) by (field; lra).
  rewrite <- power_rc. lra.
Qed.

Lemma moment_continuous r : 0 < r < 1 -> continuity_pt moment_at r.
Proof.
  intros range. destruct (upper_range r range) as (hc & _). pose proof (powers_below r a range ltac:(lra)) as one.
  apply continuity_pt_filterlim. apply (ex_derive_continuous moment_at). unfold moment_at. unfold upper in *.
  unfold Rpower in *. auto_derive. repeat split; try lra. unfold Rminus, Rdiv in hc |- *. lra.
Qed.

(** Where r is small the moment comes near that of Canonne, Kamath and Steinke. *)
Lemma moment_high T : 0 < T < Rpower (a * E / (a - 1)) (a - 1) -> exists r, 0 < r < / E /\ T < moment_at r.
Proof.
  intros hT. set (w := a * E / (a - 1)) in *. assert (1 < w) as hw.
  { unfold w. apply (Rmult_lt_reg_r (a - 1)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; nra. }
  set (g := Rpower w (a - 1)) in *. assert (0 < g) as hg by apply exp_pos. set (v := sqrt (T / g)).
  assert (0 < T / g) as hTg by (apply Rdiv_lt_0_compat; lra). assert (0 < v) as hv by now apply sqrt_lt_R0.
  assert (v * v = T / g) as vv by (apply sqrt_sqrt; lra).
  assert (v < 1) as v1.
  { assert (T / g < 1) by (apply (Rmult_lt_reg_r g); [easy|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra). nra. }
  set (s := 1 - Rpower v (/ (a - 1))).
  assert (0 < / (a - 1)) as hia by (apply Rinv_0_lt_compat; lra).
  pose proof (powers_below v (/ (a - 1)) ltac:(lra) hia) as root. assert (0 < s < 1) as hs by (unfold s; lra).
  assert (0 < / E < 1) as hi.
  { split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_lt_contravar; lra. }
  set (r := Rmin (Rpower s (/ (a - 1))) (Rmin ((1 - v) / (2 * w)) (/ E / 2))).
  assert (0 < Rpower s (/ (a - 1))) as h1 by apply exp_pos.
  assert (0 < (1 - v) / (2 * w)) as h2 by (apply Rdiv_lt_0_compat; lra).
  assert (0 < r) as hr by (unfold r; repeat apply Rmin_glb_lt; lra).
  assert (r <= Rpower s (/ (a - 1))) as r1 by apply Rmin_l.
  assert (r <= (1 - v) / (2 * w)) as r2 by (eapply Rle_trans; [apply Rmin_r|apply Rmin_l]).
  assert (r <= / E / 2) as r3 by (eapply Rle_trans; [apply Rmin_r|apply Rmin_r]).
  exists r. split; [lra|]. assert (0 < r < 1) as range by lra.
  destruct (upper_range r range) as (hc & low & high). fold w in low, high. unfold moment_at. set (c := upper r) in *.
  pose proof (powers_below r a range ltac:(lra)) as q. pose proof (powers_below r (a - 1) range ltac:(lra)) as p.
  assert (Rpower r (a - 1) <= s) as ps.
  { replace s with (Rpower (Rpower s (/ (a - 1))) (a - 1)).
    - apply Rle_Rpower_l; lra.
    - rewrite Rpower_mult, Rinv_l by lra. apply Rpower_1. lra. }
  assert (g * v <= Rpower c (a - 1)) as gv.
  { replace (g * v) with (Rpower (w * (1 - s)) (a - 1)).
    - apply Rle_Rpower_l; [lra|]. split; [apply Rmult_lt_0_compat; lra|]. eapply Rle_trans; [|exact low].
      apply Rmult_le_compat_l; lra.
    - rewrite <- Rpower_mult_distr by lra. fold g. f_equal. unfold s. replace (1 - (1 - Rpower v (/ (a - 1))))
        with (Rpower v (/ (a - 1))) by ring. rewrite Rpower_mult, Rinv_l by lra. now apply Rpower_1. }
  assert (r * c <= (1 - v) / 2) as rc.
  { apply Rle_trans with (r * w); [apply Rmult_le_compat_l; lra|].
    apply (Rmult_le_compat_r w) in r2; [|lra]. replace ((1 - v) / (2 * w) * w) with ((1 - v) / 2) in r2 by (field; lra).
    exact r2. }
  assert ((1 - r * c) <= ((1 - r * c) + (c - 1) * Rpower r a) / (1 - r)) as big.
  { apply (Rmult_le_reg_r (1 - r)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
    assert (0 <= (c - 1) * Rpower r a) by (apply Rmult_le_pos; lra). nra. }
  replace (Rpower c (a - 1) * (1 - r * c + (c - 1) * Rpower r a) / (1 - r))
    with (Rpower c (a - 1) * ((1 - r * c + (c - 1) * Rpower r a) / (1 - r))) by (unfold Rdiv; ring).
  apply Rle_lt_trans with (g * v * v); [right; rewrite Rmult_assoc, vv; field; lra|].
  apply Rlt_le_trans with (g * v * (1 - r * c)).
  - apply Rmult_lt_compat_l; [now apply Rmult_lt_0_compat|lra].
  - apply Rmult_le_compat; [left; now apply Rmult_lt_0_compat|lra|easy|easy].
Qed.

Lemma slopes_exist T : 1 < T < Rpower (a * E / (a - 1)) (a - 1) ->
  exists r, 0 < r < 1 /\ r * upper r < 1 /\ moment_at r = T.
Proof.
  intros hT. assert (0 < / E < 1) as hi.
  { split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_lt_contravar; lra. }
  destruct (moment_high T ltac:(lra)) as (r0 & h0 & high).
  assert (moment_at (/ E) <= 1) as low.
  { apply moment_low; [lra|]. destruct (upper_range (/ E) hi) as (hc & _).
    apply (Rmult_le_compat_l (/ E)) in hc; [|lra]. rewrite Rinv_l in hc; lra. }
  destruct (IVT_interv (fun r => T - moment_at r) r0 (/ E)) as (r & [from to] & zero); [|lra|lra|lra|].
  - intros x range. apply continuity_pt_minus; [apply continuity_pt_const; easy|]. apply moment_continuous. lra.
  - exists r. split; [lra|]. split; [|lra]. apply Rnot_le_lt. intros past.
    pose proof (moment_low r ltac:(lra) past). lra.
Qed.

End slopes.

(** The same with P-mass 1 on one outcome: D_alpha at least epsilon + log(alpha/(alpha - 1)). *)
(** Claim: For alpha > 1 and R >= epsilon + log(alpha/(alpha - 1)) a transcript with D_alpha <= R has in the same
    direction a hockey-stick divergence at epsilon of at most 1 - e^(epsilon - R). *)
Lemma beyond_touching {C} (F : filter C) t a epsilon rho : 1 < a -> touching a epsilon <= rho -> honest dominated t ->
  transcript_renyi_at_most F t a rho -> hockey_stick F t epsilon <= 1 - exp (epsilon - rho).
Proof.
  intros ha past hon bound. unfold transcript_renyi_at_most, moment in bound.
  assert (honest laws t) as lawful by (revert hon; apply honest_weaken; now intros m []).
  assert (over F t (fun _ x _ => x) = 1) as mass by now apply total_mass_P.
  set (c := exp rho). assert (0 < c) as hc by apply exp_pos. pose proof (exp_pos epsilon) as he.
  assert (Rpower c (a - 1) = exp ((a - 1) * rho)) as power_c by (unfold Rpower, c; now rewrite ln_exp).
  assert (Rpower c a = c * Rpower c (a - 1)) as split_c by now apply power_split.
  assert (0 < Rpower c (a - 1)) as hp by apply exp_pos.
  set (k := exp epsilon / ((a - 1) * Rpower c a)). set (l := 1 - exp epsilon * a / ((a - 1) * c)).
  assert (0 < (a - 1) * Rpower c a) as hb by (apply Rmult_lt_0_compat; [lra|apply exp_pos]).
  assert (0 <= k) as hk by (apply Rle_mult_inv_pos; lra).
  assert (0 <= l) as hl.
  { unfold l, touching in *. assert (0 < a / (a - 1)) as hw by (apply Rdiv_lt_0_compat; lra).
    apply exp_le in past. rewrite exp_plus, exp_ln in past by easy. fold c in past.
    enough (exp epsilon * a / ((a - 1) * c) <= 1) by lra. apply (Rmult_le_reg_r c); [easy|].
    replace (exp epsilon * a / ((a - 1) * c) * c) with (exp epsilon * (a / (a - 1))) by (field; lra). lra. }
  apply Rle_trans with (over F t (fun _ x y => k * term a x y + l * x)).
  - apply over_le_on_paths. intros tau x y here. pose proof (dominated_on_paths F t hon tau x y here) as ok.
    pose proof (plane_below a c x y ha hc ok) as plane. destruct ok as (hx & hy & _). pose proof (term_nonneg a x y).
    apply pos_least; [apply Rplus_le_le_0_compat; now apply Rmult_le_pos|].
    apply (Rmult_le_compat_l k) in plane; [|easy]. unfold rises, falls in plane.
    replace (k * (a * Rpower c (a - 1) * x - (a - 1) * Rpower c a * y))
      with (exp epsilon * a / ((a - 1) * c) * x - exp epsilon * y) in plane
      by (unfold k; rewrite split_c; field; lra).
    unfold l. lra.
  - rewrite over_plus, !over_scale, mass. apply (Rmult_le_compat_l k) in bound; [|easy].
    assert (k * exp ((a - 1) * rho) + l = 1 - exp (epsilon - rho)) as total.
    { rewrite <- power_c. unfold k, l. rewrite split_c. replace (exp (epsilon - rho)) with (exp epsilon / c).
      - field. lra.
      - unfold Rminus, c. rewrite exp_plus, exp_Ropp. easy. }
    lra.
Qed.

(** Claim: For every alpha > 1, epsilon > 0 and R > 0 there are two outcomes with D_alpha = R whose hockey-stick
    divergence at epsilon is the largest of all transcripts with D_alpha <= R in the same direction.
    Source: Asoodeh et al.; derived here *)
Theorem one_order_largest a epsilon rho : 1 < a -> 0 < epsilon -> 0 < rho ->
  exists m : request R, charge m = rho /\ outcomes m = 2%nat /\ laws m /\ Divergences.continuous m /\
    round_moment a m = exp ((a - 1) * rho) /\
    forall (C : Type) (F : filter C) t, honest dominated t -> transcript_renyi_at_most F t a rho ->
      hockey_stick F t epsilon <= hockey_stick (additive rho) (once m) epsilon.
Proof.
  intros ha he hr. set (E := exp epsilon).
  assert (1 < E) as hE by (unfold E; rewrite <- exp_0; now apply exp_increasing).
  destruct (Rle_or_lt (touching a epsilon) rho) as [past|before].
  - assert (exp (- rho) < 1) as less by (rewrite <- exp_0; apply exp_increasing; lra). pose proof (exp_pos (- rho)).
    destruct (coins_are_laws 1 (exp (- rho)) rho ltac:(lra) ltac:(lra)) as [lawful cont].
    exists (coins 1 (exp (- rho)) rho). split; [easy|]. split; [easy|]. split; [easy|]. split; [easy|]. split.
    + rewrite coins_moment. replace (1 - 1) with 0 by ring. rewrite term_zero, Rplus_0_r.
      unfold term, power, Rpower. destruct (Rle_dec 1 0); [lra|]. rewrite ln_1, Rmult_0_r, exp_0, Rmult_1_l, ln_exp.
      f_equal. ring.
    + intros C F t hon bound. eapply Rle_trans; [now apply (beyond_touching F t a epsilon rho)|].
      rewrite stick_of_coins by lra. pose proof (pos_nonneg (1 - 1 - exp epsilon * (1 - exp (- rho)))).
      pose proof (pos_above (1 - exp epsilon * exp (- rho))) as it. rewrite <- exp_plus in it at 1.
      replace (epsilon + - rho) with (epsilon - rho) in it by ring. lra.
  - assert (1 < exp ((a - 1) * rho) < Rpower (a * E / (a - 1)) (a - 1)) as range.
    { split; [pose proof (exp_increasing 0 ((a - 1) * rho) ltac:(nra)) as it; now rewrite exp_0 in it|].
      unfold Rpower. apply exp_increasing.
      apply Rmult_lt_compat_l; [lra|]. unfold touching in before.
      replace (a * E / (a - 1)) with (E * (a / (a - 1))) by (field; lra).
      rewrite ln_mult by (try apply Rdiv_lt_0_compat; lra). unfold E. now rewrite ln_exp. }
    destruct (slopes_exist a E ha hE _ range) as (r & hr1 & below & there).
    destruct (upper_range a E ha hE r hr1) as (hc & _). set (c := upper a E r) in *.
    pose proof (slopes_meet_there a E ha hE r hr1) as meet. fold c in meet.
    set (y := (1 - r * c) / (c - r * c)). assert (0 < c - r * c) as apart by nra.
    assert (0 < y < 1) as hy.
    { unfold y. split; [apply Rdiv_lt_0_compat; lra|]. apply (Rmult_lt_reg_r (c - r * c)); [easy|].
      unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
    assert (1 - c * y = r * c * (1 - y)) as other by (unfold y; field; lra).
    assert (0 < r * c) as low by nra. assert (0 < r * c * (1 - y)) by (apply Rmult_lt_0_compat; lra).
    assert (0 < c * y) by (apply Rmult_lt_0_compat; lra).
    destruct (coins_are_laws (c * y) y rho ltac:(lra) hy) as [lawful cont].
    assert (term a (c * y) y + term a (1 - c * y) (1 - y) = exp ((a - 1) * rho)) as moment.
    { rewrite <- there, other. unfold moment_at. fold c. rewrite !plane_touches by lra. unfold rises, falls.
      rewrite <- !(Rpower_mult_distr r c) by lra. rewrite (power_split c a), (power_split r a) by lra.
      unfold y. field. split; lra. }
    exists (coins (c * y) y rho). split; [easy|]. split; [easy|]. split; [easy|]. split; [easy|]. split; [now rewrite coins_moment|].
    intros C F t hon bound. pose proof (rises_more a c (r * c) ha ltac:(nra)) as up.
    assert (slopes_meet a c (r * c) epsilon) as slopes.
    { unfold slopes_meet. fold E. repeat split; [lra|lra|lra|right; exact meet]. }
    pose proof (slopes_conversion F t a c (r * c) epsilon rho ha slopes hon bound) as most.
    apply (Rmult_le_reg_l (rises a c - rises a (r * c))); [lra|]. eapply Rle_trans; [exact most|].
    rewrite stick_of_coins by lra. fold E.
    pose proof (pos_nonneg (1 - c * y - E * (1 - y))). pose proof (pos_above (c * y - E * y)).
    apply Rle_trans with ((rises a c - rises a (r * c)) * (c * y - E * y)); [|apply Rmult_le_compat_l; lra].
    rewrite <- moment, other, !plane_touches by lra.
    replace ((rises a c - rises a (r * c)) * (c * y - E * y)) with
      ((rises a c - rises a (r * c)) * (c * y) - (rises a c - rises a (r * c)) * E * y) by ring.
    rewrite <- meet. right. replace (r * c * (1 - y)) with (1 - c * y) by lra. ring.
Qed.
