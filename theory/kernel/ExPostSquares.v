(** A zCDP filter may not be charged what a release turned out to lose: half the square of the realised loss, which is a
    zCDP charge where it is known before, is none after.

    - [squares_fail]: with the budget of 1/2-zCDP, which is (4, 2e-4)-DP, 41 requests reach 7/1000 at epsilon = 4.
    - [half_zcdp]: where the same budget is one of zCDP charges, known before the release, the filter keeps that promise. *)

From Coq Require Import Reals Lra Lia List Bool.
From Interval Require Import Tactic.
From Filterproof Require Import Sums Interaction Divergences AdditiveFilter ZCDPFilter Conversions Events
  ApproximateDPFilter.
Import ListNotations.
Open Scope R_scope.

Record squared := Squared { loss : nat -> R; largest : R }.

(** CONT while half the squares of the realised losses, and of the largest loss of the next release, are at most rho. *)
Definition squares (rho : R) : filter squared :=
  Filter R 0 (fun spent c => if Rle_dec (spent + largest c ^ 2 / 2) rho then true else false)
    (fun spent c i => spent + loss c i ^ 2 / 2).

Definition true_losses (m : request squared) : Prop :=
  laws m /\ forall i, (i < outcomes m)%nat ->
    P m i = exp (loss (charge m) i) * Q m i /\ Rabs (loss (charge m) i) <= largest (charge m).

(** An alarm of probability p under P and 2 p under Q: silence has the small loss ln ((1 - p) / (1 - 2 p)). *)
Definition silence (p : R) : R := ln ((1 - p) / (1 - 2 * p)).
Definition alarm (p : R) : request squared :=
  Ask 2 (fun i => match i with O => 1 - p | _ => p end) (fun i => match i with O => 1 - 2 * p | _ => 2 * p end)
    (Squared (fun i => match i with O => silence p | _ => - ln 2 end) (ln 2)).

(** Ask up to n times, until the first alarm. *)
Fixpoint listen (p : R) (n : nat) : strategy squared :=
  match n with
  | O => Stop
  | S k => Request (alarm p) (fun i => match i with O => listen p k | _ => Stop end) Stop
  end.

Lemma listen_honest p n : 0 < p -> 3 * p <= 1 -> 0 <= silence p <= ln 2 -> honest true_losses (listen p n).
Proof.
  intros hp small range. induction n as [|n IH]; cbn; [easy|]. split; [|split; [now intros [|i]|easy]].
  split; [repeat split; cbn; try lra; intros [|[|]] less; lra || lia|].
  assert (0 < ln 2) by interval.
  intros [|[|]] less; cbn in *; [| |lia]; split.
  - unfold silence. rewrite exp_ln; [field; lra|apply Rdiv_lt_0_compat; lra].
  - rewrite Rabs_right; lra.
  - rewrite exp_Ropp, exp_ln by lra. lra.
  - rewrite Rabs_Ropp, Rabs_right; lra.
Qed.

Lemma listened p epsilon rho n : forall spent tau x y, 0 <= x -> 0 <= y -> 0 < p -> 3 * p <= 1 ->
  spent + INR n * (silence p ^ 2 / 2) + ln 2 ^ 2 / 2 <= rho ->
  x * (1 - p) ^ n - exp epsilon * (y * (1 - 2 * p) ^ n) <=
  total (squares rho) (fun _ x y => pos (x - exp epsilon * y)) spent tau x y (listen p n).
Proof.
  induction n as [|n IH]; intros spent tau x y hx hy hp small fits; cbn [listen total].
  - cbn. pose proof (pos_above (x - exp epsilon * y)). lra.
  - rewrite S_INR in fits. pose proof (pos_INR n). pose proof (pow2_ge_0 (silence p)).
    assert (0 <= INR n * (silence p ^ 2 / 2)) by (apply Rmult_le_pos; lra).
    cbn [admits squares charge alarm largest]. destruct (Rle_dec _ rho) as [_|no].
    2: { exfalso. apply no. replace (spent + ln 2 ^ 2 / 2) with (spent + (ln 2 ^ 2 / 2)) by ring. nra. }
    cbn [outcomes alarm sum]. rewrite Rplus_0_l.
    cbn [P Q alarm after squares charge loss].
    specialize (IH (spent + silence p ^ 2 / 2) (tau ++ [Released 0]) (x * (1 - p)) (y * (1 - 2 * p))
      ltac:(nra) ltac:(nra) hp small ltac:(lra)).
    change ((1 - p) ^ S n) with ((1 - p) * (1 - p) ^ n).
    change ((1 - 2 * p) ^ S n) with ((1 - 2 * p) * (1 - 2 * p) ^ n).
    pose proof (pos_nonneg (x * p - exp epsilon * (y * (2 * p)))) as more. cbn [total] in *.
    apply Rle_trans with (x * (1 - p) * (1 - p) ^ n - exp epsilon * (y * (1 - 2 * p) * (1 - 2 * p) ^ n));
      [right; ring|lra].
Qed.

(** Claim: A filter that adds up half the squares of the realised losses to at most 1/2, with room for the largest of
    the next release, breaks (4, 7/1000)-DP. *)
Theorem squares_fail : ~ promises_delta (squares (1 / 2)) true_losses 4 (7 / 1000).
Proof.
  assert (range : 0 <= silence (12 / 125) <= ln 2) by (unfold silence; split; interval).
  apply (promise_refuted _ _ (listen (12 / 125) 41)); [apply listen_honest; lra|].
  unfold hockey_stick, over.
  eapply Rlt_le_trans; [|apply listened; try lra].
  - rewrite !Rmult_1_l. interval.
  - cbn [start squares]. replace (INR 41) with 41 by (cbn; ring). unfold silence. interval.
Qed.

(** Claim: A filter that admits while charges rho_t of rho_t-zCDP mechanisms sum to at most 1/2 keeps (4, 1/5000)-DP. *)
Theorem half_zcdp : promises_delta (additive (1 / 2)) zcdp_honest 4 (2 / 10000).
Proof.
  apply approximate_dp_filter; try lra. right. exists (47 / 10). split; [lra|].
  unfold cks_bound, cks_factor, Rpower. interval.
Qed.
