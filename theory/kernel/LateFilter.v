(** The filter that decides after the release keeps no promise: it adds up what was spent and stops once the budget is
    passed, so the round that passes it is already out. *)

From Coq Require Import Reals Lra Lia List.
From Filterproof Require Import Sums Interaction Divergences Events.
Import ListNotations.
Open Scope R_scope.

(** CONT while the charges so far, the present one left out, are within the budget. *)
Definition late (budget : R) : filter R :=
  Filter R budget (fun left _ => if Rle_dec 0 left then true else false) (fun left c _ => left - c).

(** A pure round: P_i <= e^charge Q_i and Q_i <= e^charge P_i. *)
Definition truly_charged (m : request R) : Prop :=
  laws m /\ 0 <= charge m /\
  forall i, (i < outcomes m)%nat -> P m i <= exp (charge m) * Q m i /\ Q m i <= exp (charge m) * P m i.

(** Randomised response that lies with probability [lie]. *)
Definition response (lie : R) : request R :=
  Ask 2 (fun i => match i with O => 1 - lie | _ => lie end) (fun i => match i with O => lie | _ => 1 - lie end)
    (ln ((1 - lie) / lie)).

Lemma response_truly_charged lie : 0 < lie <= 1 / 2 -> truly_charged (response lie).
Proof.
  intros [above below].
  assert (odds : 1 <= (1 - lie) / lie) by (apply Rmult_le_reg_r with lie; [lra|]; field_simplify; lra).
  assert (whole : (1 - lie) / lie * lie = 1 - lie) by (field; lra).
  split; [|split].
  - repeat split; cbn; try lra; intros [|[|]] small; lra || lia.
  - cbn. destruct odds as [odds|<-]; [left; rewrite <- ln_1; apply ln_increasing; lra|rewrite ln_1; lra].
  - intros [|[|]] small; cbn; rewrite exp_ln by lra; [nra|nra|cbn in small; lia].
Qed.

(** Claim: The filter that adds up pure epsilons and decides after the release keeps, with budget epsilon, no
    (epsilon, delta)-DP with delta < 1: what one round may cost has no cap.
    Beyond: Filters that decide after the release and cap the cost of a round. *)
Theorem late_filter_fails epsilon delta : 0 <= epsilon -> delta < 1 ->
  ~ promises_delta (late epsilon) truly_charged epsilon delta.
Proof.
  intros nonneg small. pose proof (exp_pos epsilon) as positive.
  assert (exists lie, 0 < lie <= 1 / 2 /\ delta < 1 - lie - exp epsilon * lie) as (lie & inside & above).
  { destruct (Rle_or_lt 0 delta) as [hd|hd].
    - exists ((1 - delta) / (2 * (1 + exp epsilon))).
      assert (same : (1 - delta) / (2 * (1 + exp epsilon)) * (2 * (1 + exp epsilon)) = 1 - delta) by (field; lra).
      assert (0 < (1 - delta) / (2 * (1 + exp epsilon))) by (apply Rdiv_lt_0_compat; lra).
      split; [split|]; nra.
    - exists (1 / (2 * (1 + exp epsilon))).
      assert (same : 1 / (2 * (1 + exp epsilon)) * (2 * (1 + exp epsilon)) = 1) by (field; lra).
      assert (0 < 1 / (2 * (1 + exp epsilon))) by (apply Rdiv_lt_0_compat; lra).
      split; [split|]; nra. }
  apply (promise_refuted _ _ (Request (response lie) (fun _ => Stop) Stop)).
  - cbn. split; [now apply response_truly_charged|easy].
  - unfold hockey_stick, over. cbn. destruct (Rle_dec 0 epsilon); [|lra].
    pose proof (pos_above (1 * (1 - lie) - exp epsilon * (1 * lie))).
    pose proof (pos_nonneg (1 * lie - exp epsilon * (1 * (1 - lie)))). lra.
Qed.
