(** The filter of approximate differential privacy: paper 000, Theorem 4.9, "F(epsilon_1, ..., epsilon_k) = CONT if
    sum_t epsilon_t^2 / 2 <= B*, with B* = (sqrt(log(1/delta) + epsilon) - sqrt(log(1/delta)))^2, is a valid filter for
    (epsilon, delta)-DP". *)

From Coq Require Import Reals Lra Lia List.
From Interval Require Import Tactic.
From Filterproof Require Import Sums Interaction Divergences Paths AdditiveFilter Ledger ZCDPFilter Conversions
  PureToZCDP.
Open Scope R_scope.

Lemma zcdp_dominated {C} (price : C -> R) m : zcdp_priced price m -> dominated m.
Proof.
  intros [_ every]. destruct (every 2 ltac:(lra)) as [one _]. now apply (renyi_priced_dominated 2 _ m one).
Qed.

(** Claim: For 0 < delta < 1, a filter that admits while charges rho_t of rho_t-zCDP mechanisms sum to at most B > 0
    keeps (epsilon, delta)-DP where B + 2 sqrt(B log(1/delta)) <= epsilon, the simple conversion, or where the CKS bound
    of B-zCDP at some order is at most delta.
    Source: Feldman & Zrnic, Theorem 4.9 *)
Theorem approximate_dp_filter B epsilon delta : 0 < B -> 0 < delta < 1 -> fits_budget B epsilon delta ->
  promises_delta (additive B) zcdp_honest epsilon delta.
Proof.
  intros hB hd fit. apply both_ways; [intros; now apply zcdp_priced_swap|].
  intros t hon. apply (zcdp_to_delta _ t B); [|easy|easy|easy|].
  - revert hon; apply honest_weaken, zcdp_dominated.
  - apply zcdp_filter; [lra|easy].
Qed.

(** A pure round: e-DP in both directions for some e, with a charge of at least e^2/2. *)
Definition pure_honest (m : request R) : Prop := exists e, both (pure_at_most e) m /\ e ^ 2 / 2 <= charge m.

Lemma pure_honest_zcdp m : pure_honest m -> zcdp_honest m.
Proof. intros (e & pure & enough). now apply (pure_is_zcdp _ e). Qed.

Lemma pure_rounds B epsilon delta : 0 < B -> 0 < delta < 1 -> fits_budget B epsilon delta ->
  promises_delta (additive B) pure_honest epsilon delta.
Proof.
  intros hB hd fit t hon. apply (approximate_dp_filter B epsilon delta hB hd fit).
  revert hon; apply honest_weaken, pure_honest_zcdp.
Qed.

(** Claim: For epsilon > 0 and 0 < delta < 1, a filter that admits while charges e^2/2 of e-DP mechanisms sum to at most
    (sqrt(log(1/delta) + epsilon) - sqrt(log(1/delta)))^2, the paper's B-star, keeps (epsilon, delta)-DP.
    Source: Feldman & Zrnic, Theorem 4.9 *)
Theorem theorem_4_9 epsilon delta : 0 < epsilon -> 0 < delta < 1 ->
  promises_delta (additive (b_star epsilon delta)) pure_honest epsilon delta.
Proof.
  intros he hd. apply pure_rounds; [now apply b_star_pos|easy|left]. unfold simple_fits.
  right. apply (b_star_is_simple epsilon delta); [lra|easy].
Qed.

(** Claim: For 0 < delta < 1, a filter that admits while charges e^2/2 of e-DP mechanisms sum to at most B > 0 keeps
    (epsilon, delta)-DP where the CKS bound of B-zCDP at some order alpha > 1 is at most delta.
    Source: Koskela, Tobaben & Honkela, Lemma C.4 *)
Theorem cks_filter B alpha epsilon delta : 0 < B -> 1 < alpha -> 0 < delta < 1 ->
  cks_bound alpha (alpha * B) epsilon <= delta -> promises_delta (additive B) pure_honest epsilon delta.
Proof. intros hB ha hd bound. apply pure_rounds; [easy|easy|right]. now exists alpha. Qed.

(** ** The numbers that run, as the exact rationals that the doubles are *)

(** The double 1e-5. *)
Definition delta_1e_5 : R := 5902958103587057 / 590295810358705651712.

(** The budgets of ApproximateDPFilter(1.0, 1e-5) by either conversion. *)
Definition budget_cks : R := 8807338927731101 / 2 ^ 58.
Definition budget_simple : R := 1500234664764935 / 2 ^ 56.

(** Claim: For rounds that are e-DP and charged e^2/2: the filter with the exact rational of the double that
    ApproximateDPFilter(1.0, 1e-5) compares with by the CKS conversion is (1, delta)-DP, delta being the exact
    rational of the double 1e-5. *)
Example at_one_and_1e_5_cks : promises_delta (additive budget_cks) pure_honest 1 delta_1e_5.
Proof.
  apply (cks_filter _ (178087095 / 10000000)); unfold cks_bound, cks_factor, Rpower, budget_cks, delta_1e_5;
    [lra|lra|lra|interval with (i_prec 90)].
Qed.

(** Claim: For rounds that are e-DP and charged e^2/2: the filter with the exact rational of the double that
    ApproximateDPFilter(1.0, 1e-5) compares with by the simple conversion is (1, delta)-DP, delta being the exact
    rational of the double 1e-5. *)
Example at_one_and_1e_5_simple : promises_delta (additive budget_simple) pure_honest 1 delta_1e_5.
Proof.
  apply pure_rounds; unfold fits_budget, simple_fits, budget_simple, delta_1e_5; [lra|lra|left].
  interval with (i_prec 90).
Qed.

(** A budget that is larger by one part in 1e9 does not meet the simple condition. (Nor does [interval] then find the
    condition of [at_one_and_1e_5_cks] at its order.) *)
(** Claim: At epsilon = 1 and the exact rational of the double 1e-5 as delta, the simple conversion does not allow
    the budget that is larger than 1500234664764935/2^56 by one part in 10^9. *)
Example simple_larger_fails : ~ simple_fits (budget_simple * (1 + / 10 ^ 9)) 1 delta_1e_5.
Proof. unfold simple_fits, budget_simple, delta_1e_5. apply Rlt_not_le. interval with (i_prec 90). Qed.

(** ** Somebody is granted something: randomised response *)

(** Randomised response that keeps a bit with probability 2/3, which is log(2)-DP, charged 1/4 >= log(2)^2/2. *)
Definition coin : request R :=
  Ask 2 (fun i => match i with O => 2 / 3 | _ => 1 / 3 end) (fun i => match i with O => 1 / 3 | _ => 2 / 3 end) (1 / 4).

Lemma coin_is_pure : pure_honest coin.
Proof.
  exists (ln 2). assert (0 <= ln 2 <= 0.7) as [low high] by (split; interval with (i_prec 40)). split.
  - unfold both, pure_at_most, laws, law. cbn. rewrite exp_ln by lra.
    repeat split; try lra; intros [|[|i]] small; cbn; try lra; lia.
  - cbn [charge coin]. nra.
Qed.

Fixpoint ask_coin (n : nat) : strategy R :=
  match n with O => Stop | S k => Request coin (fun _ => ask_coin k) Stop end.

(** Any number of such requests is honest; of three, a budget of 1/2 grants two and denies the last. *)
(** Claim: An example: who asks n times for randomised response of ratio 2, charged 1/4, is an honest analyst for
    each n, and of three the filter of budget 1/2 grants two and denies the third, so honesty can be met. *)
Example somebody_is_granted_something : (forall n, honest pure_honest (ask_coin n)) /\
  over (additive (1 / 2)) (ask_coin 3)
    (fun tau x _ => match tau with (Released _ :: Released _ :: Denied :: nil)%list => x | _ => 0 end) = 1.
Proof.
  split.
  - induction n as [|n IH]; cbn; [easy|]. repeat split; [apply coin_is_pure|auto].
  - unfold over. cbn. destruct (Rle_dec (1 / 4) (1 / 2)); [|lra]. destruct (Rle_dec (1 / 4) (1 / 2 - 1 / 4)); [|lra].
    destruct (Rle_dec (1 / 4) (1 / 2 - 1 / 4 - 1 / 4)); [lra|]. cbn. lra.
Qed.
