(** The shares of delta by which lines and nested filters fail, so that all of them together fail with it.

    - [stitched_shares]: line j is best at S = first 2^{j + 1/2} and fails with delta (j + 1)^{-7/5} / z, z at least the
      sum of the j^{-7/5}, as zeta(7/5) is;
    - [doubling_shares]: filter j has the size first 2^j and fails with 6 delta / (pi^2 (j + 1)^2); 2100 filters. *)

From Coq Require Import Reals Lra Lia List ZArith.
From Interval Require Import Tactic.
From Filterproof Require Import Sums Interaction Ledger Odometers.
Import ListNotations.
Open Scope R_scope.

Definition stitched_share (delta z : R) (j : nat) : R := delta * Rpower (INR j + 1) (- (7 / 5)) / z.

(** The k of the line that is best at S. *)
Definition best_slope (delta S : R) : R := sqrt (2 * ln (1 / delta) / S).

Definition doubling_share (delta : R) (j : nat) : R := 6 * delta / (PI ^ 2 * (INR j + 1) ^ 2).

(** 1/j^2 is below a difference that telescopes. *)
Lemma square_telescopes x : 1 / 2 < x -> / (x + 1 / 2) ^ 2 <= / x - / (x + 1).
Proof.
  intros hx. replace (/ x - / (x + 1)) with (/ (x * (x + 1))) by (field; lra). apply Rinv_le_contravar; nra.
Qed.

Lemma squares_after m n : (1 <= m)%nat -> sum (m + n) (fun j => / (INR j + 1) ^ 2) <=
  sum m (fun j => / (INR j + 1) ^ 2) + (/ (INR m + 1 / 2) - / (INR m + INR n + 1 / 2)).
Proof.
  intros some. apply le_INR in some. cbn [INR] in some.
  induction n as [|n IH]; [rewrite Nat.add_0_r; cbn [INR]; rewrite Rplus_0_r; lra|].
  rewrite Nat.add_succ_r, S_INR. cbn [sum]. rewrite plus_INR.
  pose proof (pos_INR n). pose proof (square_telescopes (INR m + INR n + 1 / 2) ltac:(lra)) as step.
  replace (INR m + INR n + 1 / 2 + 1 / 2) with (INR m + INR n + 1) in step by field.
  replace (INR m + INR n + 1 / 2 + 1) with (INR m + (INR n + 1) + 1 / 2) in step by ring. lra.
Qed.

(** Claim: 1 + 1/4 + ... + 1/n^2 is at most pi^2/6 for n up to 2100. *)
Lemma squares_sum n : (n <= 2100)%nat -> sum n (fun j => / (INR j + 1) ^ 2) <= PI ^ 2 / 6.
Proof.
  intros few. assert (forall k, 0 <= / (INR k + 1) ^ 2) as each
    by (intros k; pose proof (pos_INR k); left; apply Rinv_0_lt_compat, pow_lt; lra).
  assert (sum 20 (fun j => / (INR j + 1) ^ 2) <= PI ^ 2 / 6 - / (20 + 1 / 2) + / (2080 + 20 + 1 / 2)) as first.
  { cbn [sum]. rewrite !INR_IZR_INZ. cbn -[pow]. interval with (i_prec 60). }
  assert (0 < / (20 + 1 / 2) - / (2080 + 20 + 1 / 2)) by (enough (/ (2080 + 20 + 1 / 2) < / (20 + 1 / 2)) by lra;
    apply Rinv_lt_contravar; lra).
  destruct (Nat.le_gt_cases n 20) as [low|high].
  - apply Rle_trans with (sum 20 (fun j => / (INR j + 1) ^ 2)); [|lra].
    replace 20%nat with (n + (20 - n))%nat by lia. generalize (20 - n)%nat. intros k. clear - each.
    induction k as [|k IH]; [rewrite Nat.add_0_r; lra|]. rewrite Nat.add_succ_r. cbn [sum].
    specialize (each (n + k)%nat). lra.
  - replace n with (20 + (n - 20))%nat by lia. pose proof (squares_after 20 (n - 20) ltac:(lia)) as it.
    replace (INR 20) with 20 in it by (rewrite INR_IZR_INZ; easy).
    assert (/ (2080 + 20 + 1 / 2) <= / (20 + INR (n - 20) + 1 / 2)).
    { pose proof (pos_INR (n - 20)). apply Rinv_le_contravar; [lra|].
      assert (INR (n - 20) <= INR 2080) as le by (apply le_INR; lia).
      replace (INR 2080) with 2080 in le by (rewrite INR_IZR_INZ; easy). lra. }
    lra.
Qed.

Section shares.

Context {C : Type} (price cost : C -> R) (xi : R) (grants : list C -> C -> bool) (t : strategy C).
Hypotheses (hxi : 0 <= xi) (hon : honest (both (lossy price cost)) t).
Variables (first delta : R).
Hypotheses (hfirst : 0 < first) (hdelta : 0 < delta < 1).

(** Claim: In finitely many rounds, which lose as rho_t-zCDP ones but for outcomes of probability at most xi_t, both
    ways, the probability that the loss is ever above a bound that at each sum V of the rho_t is one of finitely many
    lines, line j the best at 2 V = first 2^(j+1/2) for its share delta (j+1)^(-7/5)/z, z at least the sum of the
    (j+1)^(-7/5), while the xi_t sum to at most xi, is at most delta + xi, in both directions.
    Source: Whitehouse, Ramdas, Rogers & Wu; Howard, Ramdas, McAuliffe & Sekhon *)
Theorem stitched_shares lines z (pick : R -> nat) : (forall v, (pick v < lines)%nat) ->
  sum lines (fun j => Rpower (INR j + 1) (- (7 / 5))) <= z ->
  let share := stitched_share delta z in
  let slope := fun j => best_slope (share j) (first * sqrt 2 * 2 ^ j) in
  let bound := within price cost xi (fun v => Some (line (slope (pick v)) (share (pick v)) v)) in
  ever (listing grants) (above_list bound) [] 1 1 t <= delta + xi /\
  ever (listing grants) (above_list bound) [] 1 1 (swapped t) <= delta + xi.
Proof.
  intros inside whole share slope bound. pose proof (inside 0) as some.
  assert (forall j, 0 < Rpower (INR j + 1) (- (7 / 5)) <= 1) as terms.
  { intros j. split; [apply exp_pos|]. pose proof (pos_INR j).
    assert (0 <= ln (INR j + 1)).
    { rewrite <- ln_1. destruct (Req_dec (INR j) 0) as [->|]; [rewrite Rplus_0_l; lra|left; apply ln_increasing; lra]. }
    pose proof (exp_le (- (7 / 5) * ln (INR j + 1)) 0 ltac:(lra)) as it. rewrite exp_0 in it. exact it. }
  assert (1 <= z) as hz.
  { eapply Rle_trans; [|exact whole]. eapply Rle_trans; [right|refine (sum_one_term lines _ 0 _ _)].
    - cbv beta. cbn [INR]. rewrite Rplus_0_l. unfold Rpower. now rewrite ln_1, Rmult_0_r, exp_0.
    - lia.
    - intros j _. left. apply terms. }
  assert (forall j, 0 < share j < 1) as shares.
  { intros j. destruct (terms j) as [positive below]. unfold share, stitched_share.
    assert (0 < delta * Rpower (INR j + 1) (- (7 / 5)) <= delta) as [low high] by (split; nra).
    split; [apply Rdiv_lt_0_compat; lra|]. apply (Rmult_lt_reg_r z); [lra|].
    replace (delta * Rpower (INR j + 1) (- (7 / 5)) / z * z) with (delta * Rpower (INR j + 1) (- (7 / 5)))
      by (field; lra). lra. }
  assert (sum lines share <= delta) as all.
  { unfold share, stitched_share. rewrite (sum_ext _ _ (fun j => delta / z * Rpower (INR j + 1) (- (7 / 5))))
      by (intros; field; lra).
    rewrite sum_scale. apply (Rmult_le_compat_l (delta / z)) in whole; [|apply Rle_mult_inv_pos; lra].
    replace (delta / z * z) with delta in whole by (field; lra). exact whole. }
  destruct (stitched_odometer price cost xi grants t hxi hon lines slope share pick) as [one other].
  - intros j _. unfold slope, best_slope. apply sqrt_lt_R0, Rdiv_lt_0_compat.
    + specialize (shares j). unfold Rdiv. rewrite Rmult_1_l, ln_Rinv by lra.
      pose proof (ln_increasing (share j) 1) as it. rewrite ln_1 in it. lra.
    + apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; [easy|apply sqrt_lt_R0; lra]|apply pow_lt; lra].
  - intros j _. apply shares.
  - exact inside.
  - unfold bound. split; lra.
Qed.

(** Claim: In finitely many rounds, which lose as rho_t-zCDP ones but for outcomes of probability at most xi_t, both
    ways, the probability that the loss is ever above rho + 2 sqrt(rho log(1/d)), where rho = first 2^j is the least of
    up to 2100 such sizes that is at least the sum of the rho_t and d = 6 delta/(pi^2 (j+1)^2), while the xi_t sum to at
    most xi, is at most delta + xi, in both directions.
    Source: Lécuyer; Feldman & Zrnic, Section 4 *)
Theorem doubling_shares levels : (levels <= 2100)%nat ->
  let bound := within price cost xi (first_open (fun j => first * 2 ^ j) (doubling_share delta) 0 levels) in
  ever (listing grants) (above_list bound) [] 1 1 t <= delta + xi /\
  ever (listing grants) (above_list bound) [] 1 1 (swapped t) <= delta + xi.
Proof.
  intros few bound. assert (6 < PI ^ 2) as hpi by interval.
  assert (forall j, doubling_share delta j = 6 * delta / PI ^ 2 * / (INR j + 1) ^ 2) as factor.
  { intros j. pose proof (pos_INR j). unfold doubling_share. field. split; [lra|]. intros zero. rewrite zero in hpi.
    cbn in hpi. lra. }
  assert (0 < 6 * delta / PI ^ 2 < 1) as scale.
  { split; [apply Rdiv_lt_0_compat; lra|]. apply (Rmult_lt_reg_r (PI ^ 2)); [lra|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  assert (forall j, 0 < doubling_share delta j < 1) as shares.
  { intros j. pose proof (pos_INR j). rewrite factor. assert (0 < / (INR j + 1) ^ 2 <= 1) as [low high]; [|split; nra].
    assert (1 <= (INR j + 1) ^ 2) as big by (cbn; nra).
    split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
  assert (sum levels (doubling_share delta) <= delta) as all.
  { rewrite (sum_ext _ _ _ (fun j _ => factor j)), sum_scale. pose proof (squares_sum levels few) as it.
    apply (Rmult_le_compat_l (6 * delta / PI ^ 2)) in it; [|lra].
    replace (6 * delta / PI ^ 2 * (PI ^ 2 / 6)) with delta in it; [easy|]. field. intros zero. rewrite zero in hpi.
    cbn in hpi. lra. }
  destruct (doubling_odometer price cost xi grants t hxi hon levels (fun j => first * 2 ^ j) (doubling_share delta))
    as [one other].
  - intros j _. apply Rmult_lt_0_compat; [easy|apply pow_lt; lra].
  - intros j _. apply shares.
  - unfold bound. split; lra.
Qed.

End shares.
