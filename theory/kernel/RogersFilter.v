(** The filter of advanced composition of Rogers, Roth, Ullman and Vadhan (their Theorem 5.1; [rogers_filter]):

      CONT while sum delta_t <= delta/2 and K <= epsilon, where, with S = sum epsilon_t^2,
      K = sum epsilon_t (e^{epsilon_t} - 1)/2 + sqrt(2 (S + H)(1 + log(S/H + 1)/2) log(2/delta)).

    It is a filter for (epsilon, delta)-DP for every H > 0: K is at least S/2 + sqrt(2 log(2/delta) S), so it admits no
    more than the zCDP budget B* of (epsilon, delta/2), and an (e, d)-DP mechanism is d-approximately (e^2/2)-zCDP. *)

From Coq Require Import Reals Lra Lia List Bool.
From Interval Require Import Tactic.
From Filterproof Require Import Sums Interaction Divergences Paths AdditiveFilter Ledger ZCDPFilter Conversions
  PureToZCDP ApproximateDPFilter BasicFilter ApproximateZCDPFilter GoodParts.
Import ListNotations.
Open Scope R_scope.

(** Charges (epsilon_t, delta_t), both at least 0. *)
Definition pair_charge : Type := nonnegreal * nonnegreal.
Definition eps_of (c : pair_charge) : R := fst c.
Definition delta_of (c : pair_charge) : R := snd c.

(** The sums over the charges that were admitted. *)
Definition squares (l : list pair_charge) : R := list_sum (fun c => eps_of c ^ 2) l.
Definition drift (l : list pair_charge) : R := list_sum (fun c => eps_of c * (exp (eps_of c) - 1) / 2) l.
Definition deltas (l : list pair_charge) : R := list_sum delta_of l.

Definition rogers_k (H delta : R) (l : list pair_charge) : R :=
  drift l + sqrt (2 * (squares l + H) * (1 + ln (squares l / H + 1) / 2) * ln (2 / delta)).

Definition rogers (H epsilon delta : R) : filter pair_charge :=
  Filter (list pair_charge) []
    (fun l c => (if Rle_dec (rogers_k H delta (c :: l)) epsilon then true else false) &&
                (if Rle_dec (deltas (c :: l)) (delta / 2) then true else false))
    (fun l c _ => c :: l).

(** (epsilon_t, delta_t)-DP in both directions, delta_t < 1. *)
Definition advanced_honest (m : request pair_charge) : Prop :=
  laws m /\ delta_of (charge m) < 1 /\
  round_private (eps_of (charge m)) (delta_of (charge m)) m /\
    round_private (eps_of (charge m)) (delta_of (charge m)) (swap m).

Lemma squares_nonneg l : 0 <= squares l.
Proof.
  unfold squares. induction l as [|c l IH]; cbn [list_sum]; [lra|]. pose proof (pow2_ge_0 (eps_of c)). lra.
Qed.

(** e (e^e - 1)/2 >= e^2/2. *)
Lemma drift_above l : squares l / 2 <= drift l.
Proof.
  unfold squares, drift. induction l as [|c l IH]; cbn [list_sum]; [lra|].
  pose proof (exp_ineq1_le (eps_of c)). assert (0 <= eps_of c) by apply cond_nonneg. nra.
Qed.

Lemma rogers_k_above H delta l : 0 < H -> 0 < delta < 2 ->
  squares l / 2 + 2 * sqrt (squares l / 2 * ln (/ (delta / 2))) <= rogers_k H delta l.
Proof.
  intros hH hd. pose proof (squares_nonneg l) as hs. pose proof (drift_above l).
  assert (0 < ln (/ (delta / 2))) as hl by (apply log_inverse_pos; lra).
  replace (/ (delta / 2)) with (2 / delta) in * by (field; lra). unfold rogers_k. apply Rplus_le_compat; [easy|].
  replace 2 with (sqrt (2 * 2)) at 1 by (apply sqrt_square; lra). rewrite <- sqrt_mult by (try apply Rmult_le_pos; lra).
  apply sqrt_le_1_alt.
  assert (0 <= ln (squares l / H + 1)).
  { rewrite <- ln_1. assert (0 <= squares l / H) by (apply Rle_mult_inv_pos; lra).
    destruct (Req_dec (squares l / H) 0) as [->|]; [rewrite Rplus_0_l; lra|]. left. apply ln_increasing; lra. }
  replace (2 * 2 * (squares l / 2 * ln (2 / delta))) with (2 * squares l * 1 * ln (2 / delta)) by field.
  apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat; lra.
Qed.

(** B* is the largest budget that meets the simple condition. *)
Lemma simple_below_b_star B epsilon delta : 0 <= B -> 0 < delta < 1 -> simple_fits B epsilon delta ->
  B <= b_star epsilon delta.
Proof.
  intros hB hd fit. unfold simple_fits, b_star in *. pose proof (log_inverse_pos delta hd) as hl.
  set (l := ln (/ delta)) in *. rewrite sqrt_mult in fit by lra.
  pose proof (sqrt_pos B). pose proof (sqrt_pos l). pose proof (sqrt_sqrt B hB). pose proof (sqrt_sqrt l ltac:(lra)).
  assert (sqrt B + sqrt l <= sqrt (l + epsilon)).
  { rewrite <- (sqrt_square (sqrt B + sqrt l)) by lra. apply sqrt_le_1_alt. nra. }
  assert (sqrt B <= sqrt (l + epsilon) - sqrt l) by lra. cbn. nra.
Qed.

Lemma rogers_keeps H epsilon delta : 0 < H -> 0 < delta < 1 ->
  keeps (rogers H epsilon delta) (fun l => b_star epsilon (delta / 2) - squares l / 2) (fun c => eps_of c ^ 2 / 2)
    (b_star epsilon (delta / 2)) /\
  keeps (rogers H epsilon delta) (fun l => delta / 2 - deltas l) delta_of (delta / 2).
Proof.
  intros hH hd. split; constructor; cbn [start after rogers].
  - unfold squares. cbn. lra.
  - intros l c admitted. cbn [admits rogers] in admitted. apply andb_true_iff in admitted as [fit _].
    destruct (Rle_dec (rogers_k H delta (c :: l)) epsilon) as [below|]; [|easy].
    pose proof (rogers_k_above H delta (c :: l) hH ltac:(lra)). pose proof (squares_nonneg (c :: l)).
    pose proof (simple_below_b_star (squares (c :: l) / 2) epsilon (delta / 2) ltac:(lra) ltac:(lra)) as it.
    unfold simple_fits in it. specialize (it ltac:(lra)). unfold squares in *. cbn [list_sum] in it. lra.
  - intros l c _. unfold squares. cbn [list_sum]. lra.
  - unfold deltas. cbn. lra.
  - intros l c admitted. cbn [admits rogers] in admitted. apply andb_true_iff in admitted as [_ fit].
    destruct (Rle_dec (deltas (c :: l)) (delta / 2)) as [below|]; [|easy]. unfold deltas in *.
    cbn [list_sum] in below. lra.
  - intros l c _. unfold deltas. cbn [list_sum]. lra.
Qed.

(** Claim: For each constant H > 0, epsilon > 0 and 0 < delta < 1, a filter that admits while the delta_t of (epsilon_t,
    delta_t)-DP mechanisms, delta_t < 1, sum to at most delta/2 and the sum of epsilon_t (e^epsilon_t - 1)/2 plus sqrt(2
    (S + H) (1 + log(S/H + 1)/2) log(2/delta)), S the sum of epsilon_t^2, is at most epsilon keeps (epsilon, delta)-DP.
    Source: Rogers, Roth, Ullman & Vadhan, Theorem 5.1 *)
Theorem rogers_filter H epsilon delta : 0 < H -> 0 < epsilon -> 0 < delta < 1 ->
  promises_delta (rogers H epsilon delta) advanced_honest epsilon delta.
Proof.
  intros hH he hd. destruct (rogers_keeps H epsilon delta hH hd) as [one two].
  apply (promises_more _ _ _ (delta / 2 + (1 - delta / 2) * (delta / 2))); [nra|].
  intros t hon. apply (approximate_zcdp_ledger (fun c => eps_of c ^ 2 / 2) delta_of _ _ _ _ _ one two).
  - apply b_star_pos; lra.
  - lra.
  - lra.
  - left. right. apply (b_star_is_simple epsilon (delta / 2)); lra.
  - revert hon; apply honest_weaken. intros m (lm & small & private & other).
    apply (private_is_approximate_zcdp _ _ (eps_of (charge m))); try easy;
      [apply cond_nonneg|split; [apply cond_nonneg|easy]|lra].
Qed.

(** Somebody is granted something: randomised response with ratio 2, charged (1, 0), at (10, 1/100) with H = 1. *)
Example a_coin_is_granted : let one := mknonnegreal 1 Rle_0_1 in let none := mknonnegreal 0 (Rle_refl 0) in
  advanced_honest (Ask 2 (P coin) (Q coin) (one, none)) /\
  admits (rogers 1 10 (1 / 100)) [] (one, none) = true.
Proof.
  cbn zeta. assert (2 <= exp 1) by (pose proof (exp_ineq1_le 1); lra). split.
  - unfold advanced_honest, delta_of, eps_of, laws, law. cbn. repeat split; try lra;
      try (intros [|i]; lra); intros S; cbn; destruct (S O), (S 1%nat); nra.
  - cbn [admits rogers]. unfold rogers_k, deltas, drift, squares, eps_of, delta_of. cbn [list_sum fst snd nonneg].
    destruct (Rle_dec _ 10) as [_|no]; [|exfalso; apply no; interval with (i_prec 40)].
    destruct (Rle_dec _ (1 / 100 / 2)) as [_|no]; [easy|exfalso; apply no; lra].
Qed.
