(** The sparse vector technique with two-sided geometric noise, r = e^{-epsilon}: one noise for the threshold, one anew
    for each whole value, and the first that reaches the threshold is told (Dwork, Naor, Reingold, Rothblum, Vadhan).

    [stops r v i a n] is the sum of the probabilities that value i is the first that reaches the threshold, over the n
    noises of the threshold from a on: all windows together are the probability itself. *)

From Coq Require Import Reals Lra Lia ZArith.
From Filterproof Require Import Sums.
Open Scope R_scope.

(** The probability that the noise is k, and that it is k or more. *)
Definition mass (r : R) (k : Z) : R := (1 - r) / (1 + r) * powerRZ r (Z.abs k).
Definition tail (r : R) (m : Z) : R :=
  if Z_le_dec m 0 then 1 - powerRZ r (1 - m) / (1 + r) else powerRZ r m / (1 + r).

(** The values before i stay below the threshold's noise k. *)
Fixpoint below (r : R) (v : nat -> Z) (i : nat) (k : Z) : R :=
  match i with
  | O => 1
  | S j => below r v j k * (1 - tail r (k - v j))
  end.

Definition stops (r : R) (v : nat -> Z) (i : nat) (a : Z) (n : nat) : R :=
  sum n (fun j => let k := (a + Z.of_nat j)%Z in mass r k * below r v i k * tail r (k - v i)).

(** The same that none of the first i values reaches it. *)
Definition waits (r : R) (v : nat -> Z) (i : nat) (a : Z) (n : nat) : R :=
  sum n (fun j => let k := (a + Z.of_nat j)%Z in mass r k * below r v i k).

Section noise.

Variable r : R.
Hypothesis range : 0 < r < 1.

Lemma power_next k : powerRZ r (k + 1) = r * powerRZ r k.
Proof. rewrite powerRZ_add by lra. change (powerRZ r 1) with (r * 1). ring. Qed.

Lemma power_range k : (0 <= k)%Z -> 0 < powerRZ r k <= 1.
Proof.
  intros hk. split; [apply powerRZ_lt; lra|]. rewrite <- (Z2Nat.id k hk), <- pow_powerRZ.
  induction (Z.to_nat k) as [|n IH]; cbn; [lra|]. assert (0 < r ^ n) by (apply pow_lt; lra). nra.
Qed.

Lemma mass_pos k : 0 < mass r k.
Proof. apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat; lra|]. now apply power_range, Z.abs_nonneg. Qed.

(** The mass of k is at most 1/r times that of k + 1. *)
Lemma mass_next k : r * mass r k <= mass r (k + 1).
Proof.
  assert (0 < (1 - r) / (1 + r)) as hc by (apply Rdiv_lt_0_compat; lra). unfold mass.
  enough (r * powerRZ r (Z.abs k) <= powerRZ r (Z.abs (k + 1))) by nra.
  destruct (Z_le_dec 0 k).
  - replace (Z.abs (k + 1)) with (Z.abs k + 1)%Z by lia. rewrite power_next. lra.
  - replace (Z.abs k) with (Z.abs (k + 1) + 1)%Z by lia. rewrite power_next.
    pose proof (power_range (Z.abs (k + 1)) ltac:(lia)). set (x := powerRZ r (Z.abs (k + 1))) in *.
    assert (r * x <= x) by nra. nra.
Qed.

(** Claim: The probability to reach m is that of the noise to be m or more, by its differences.
    Covers: two-sided geometric noise on whole values, the noise of the threshold summed over a window *)
Lemma tail_of_mass m : tail r m - tail r (m + 1) = mass r m.
Proof.
  unfold tail, mass. destruct (Z_le_dec m 0), (Z_le_dec (m + 1) 0); try lia.
  - replace (1 - m)%Z with (1 - (m + 1) + 1)%Z by lia. rewrite power_next.
    replace (Z.abs m) with (1 - (m + 1))%Z by lia. field. lra.
  - replace m with 0%Z by lia. change (powerRZ r (1 - 0)) with (r * 1). change (powerRZ r (0 + 1)) with (r * 1).
    change (powerRZ r (Z.abs 0)) with 1. field. lra.
  - rewrite power_next. replace (Z.abs m) with m by lia. field. lra.
Qed.

Lemma tail_range m : 0 <= tail r m <= 1.
Proof.
  assert (0 < / (1 + r) < 1) as hi.
  { split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_lt_contravar; lra. }
  unfold tail, Rdiv. destruct (Z_le_dec m 0); [pose proof (power_range (1 - m) ltac:(lia))|
    pose proof (power_range m ltac:(lia))]; nra.
Qed.

Lemma tail_falls m n : (m <= n)%Z -> tail r n <= tail r m.
Proof.
  intros less. replace n with (m + Z.of_nat (Z.to_nat (n - m)))%Z by lia.
  induction (Z.to_nat (n - m)) as [|d IH]; [rewrite Z.add_0_r; lra|].
  replace (m + Z.of_nat (S d))%Z with (m + Z.of_nat d + 1)%Z by lia.
  pose proof (tail_of_mass (m + Z.of_nat d)). pose proof (mass_pos (m + Z.of_nat d)). lra.
Qed.

(** A value one higher reaches with at most 1/r times the probability. *)
Lemma tail_next m : r * tail r m <= tail r (m + 1).
Proof.
  assert (0 < / (1 + r)) as hi by (apply Rinv_0_lt_compat; lra).
  unfold tail. destruct (Z_le_dec m 0), (Z_le_dec (m + 1) 0); try lia.
  - replace (1 - m)%Z with (1 - (m + 1) + 1)%Z by lia. rewrite power_next.
    pose proof (power_range (1 - (m + 1)) ltac:(lia)). set (x := powerRZ r (1 - (m + 1))) in *.
    enough (0 <= (1 - x / (1 + r)) - r * (1 - r * x / (1 + r))) by lra.
    replace (1 - x / (1 + r) - r * (1 - r * x / (1 + r))) with ((1 - r) * (1 - x)) by (field; lra). nra.
  - replace m with 0%Z by lia. change (powerRZ r (1 - 0)) with (r * 1). change (powerRZ r (0 + 1)) with (r * 1).
    right. field. lra.
  - rewrite power_next. right. field. lra.
Qed.

Lemma below_range v i k : 0 <= below r v i k <= 1.
Proof.
  induction i as [|i IH]; cbn [below]; [lra|]. pose proof (tail_range (k - v i)). split; [nra|].
  rewrite <- (Rmult_1_r 1). apply Rmult_le_compat; lra.
Qed.

(** A threshold farther above the values is passed less. *)
Lemma below_more v w i k l : (forall j, k - v j <= l - w j)%Z -> below r v i k <= below r w i l.
Proof.
  intros far. induction i as [|i IH]; cbn [below]; [lra|]. pose proof (below_range v i k).
  pose proof (tail_range (k - v i)). pose proof (tail_falls _ _ (far i)).
  apply Rmult_le_compat; lra.
Qed.

Lemma tail_moved m c : r ^ c * tail r m <= tail r (m + Z.of_nat c).
Proof.
  induction c as [|c IH]; [cbn; rewrite Z.add_0_r; lra|].
  replace (m + Z.of_nat (S c))%Z with (m + Z.of_nat c + 1)%Z by lia.
  pose proof (tail_next (m + Z.of_nat c)). cbn [pow]. nra.
Qed.

Lemma mass_moved k d : (d <= 1)%nat -> r ^ d * mass r k <= mass r (k + Z.of_nat d).
Proof.
  intros small. destruct d as [|[|d]]; [cbn; rewrite Z.add_0_r; lra| |lia]. cbn [pow]. rewrite Rmult_1_r.
  apply mass_next.
Qed.

(** The threshold's noise moves by d, and the last value comes nearer by at most c: d + c factors. *)
Lemma stops_moved v w i a n d c : (d <= 1)%nat -> (forall j, w j <= v j + Z.of_nat d)%Z ->
  (Z.of_nat d + v i <= w i + Z.of_nat c)%Z -> r ^ (d + c) * stops r v i a n <= stops r w i (a + Z.of_nat d) n.
Proof.
  intros small far near. unfold stops. rewrite <- sum_scale. apply sum_le. intros j _. cbv zeta.
  set (k := (a + Z.of_nat j)%Z). replace (a + Z.of_nat d + Z.of_nat j)%Z with (k + Z.of_nat d)%Z by (unfold k; lia).
  set (l := (k + Z.of_nat d)%Z). pose proof (mass_moved k d small) as moved. fold l in moved.
  pose proof (below_more v w i k l ltac:(intros u; specialize (far u); unfold l; lia)) as passed.
  pose proof (tail_moved (k - v i) c) as nearer.
  pose proof (tail_falls (l - w i) (k - v i + Z.of_nat c) ltac:(unfold l; lia)) as reached.
  pose proof (mass_pos k). pose proof (below_range v i k). pose proof (tail_range (k - v i)).
  assert (0 < r ^ d) by (apply pow_lt; lra). assert (0 < r ^ c) by (apply pow_lt; lra).
  rewrite pow_add. replace (r ^ d * r ^ c * (mass r k * below r v i k * tail r (k - v i)))
    with (r ^ d * mass r k * below r v i k * (r ^ c * tail r (k - v i))) by ring.
  apply Rmult_le_compat; [|apply Rmult_le_pos; lra| |lra].
  - apply Rmult_le_pos; [apply Rmult_le_pos; lra|lra].
  - apply Rmult_le_compat; [apply Rmult_le_pos; lra|lra|lra|lra].
Qed.

(** Claim: Where no value of the other data set is more than one above, that none of the values reaches the threshold
    is at most e^epsilon times as likely.
    Covers: two-sided geometric noise on whole values, the noise of the threshold summed over a window *)
Theorem waits_one v w i a n : (forall j, w j <= v j + 1)%Z -> r * waits r v i a n <= waits r w i (a + 1) n.
Proof.
  intros far. unfold waits. rewrite <- sum_scale. apply sum_le. intros j _. cbv zeta.
  set (k := (a + Z.of_nat j)%Z). replace (a + 1 + Z.of_nat j)%Z with (k + 1)%Z by (unfold k; lia).
  pose proof (mass_next k). pose proof (below_range v i k). pose proof (mass_pos k).
  pose proof (below_more v w i k (k + 1) ltac:(intros u; specialize (far u); lia)).
  rewrite <- Rmult_assoc. apply Rmult_le_compat; [apply Rmult_le_pos; lra|lra|lra|lra].
Qed.

(** Values at most one apart: the threshold moves, and the last value is two nearer at most. *)
(** Claim: Of values at most one apart on two data sets, that value i is the first which reaches the threshold is at
    most e^(3 epsilon) times as likely.
    Source: Dwork, Naor, Reingold, Rothblum & Vadhan
    Covers: two-sided geometric noise on whole values, the noise of the threshold summed over a window *)
Theorem stops_three v w i a n : (forall j, v j - 1 <= w j <= v j + 1)%Z ->
  r ^ 3 * stops r v i a n <= stops r w i (a + 1) n.
Proof.
  intros apart. apply (stops_moved v w i a n 1 2); [lia|intros j; specialize (apart j); lia|].
  specialize (apart i). lia.
Qed.

(** No value of the other data set below: the last value is one nearer at most. *)
(** Claim: Where no value of the other data set is below, or more than one above, that value i is the first which
    reaches the threshold is at most e^(2 epsilon) times as likely.
    Source: Lyu, Su & Li
    Covers: two-sided geometric noise on whole values, the noise of the threshold summed over a window *)
Theorem stops_two v w i a n : (forall j, v j <= w j <= v j + 1)%Z -> r ^ 2 * stops r v i a n <= stops r w i (a + 1) n.
Proof.
  intros apart. apply (stops_moved v w i a n 1 1); [lia|intros j; specialize (apart j); lia|].
  specialize (apart i). lia.
Qed.

(** None above: the threshold stays. *)
(** Claim: Where no value of the other data set is above, or more than one below, that value i is the first which
    reaches the threshold is at most e^epsilon times as likely.
    Source: Lyu, Su & Li
    Covers: two-sided geometric noise on whole values, the noise of the threshold summed over a window *)
Theorem stops_one v w i a n : (forall j, v j - 1 <= w j <= v j)%Z -> r * stops r v i a n <= stops r w i a n.
Proof.
  intros apart. pose proof (stops_moved v w i a n 0 1 ltac:(lia)) as it. cbn [Nat.add pow Z.of_nat] in it.
  rewrite Rmult_1_r, Z.add_0_r in it. apply it; [intros j; specialize (apart j); lia|]. specialize (apart i). lia.
Qed.

End noise.
