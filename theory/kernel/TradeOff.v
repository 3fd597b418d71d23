(** Trade-off functions: what a test's false alarms leave of its hits. Paper 003, Lemma 10 and Appendix C.6. *)

From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Filterproof Require Import AnyOutcomes GaussianAnyOutcomes.
From Filterproof Require Import GaussianCdf GaussianCurve GaussianRound GaussianDP GaussianFilter.
From Filterproof Require Import Sums Interaction Divergences Domination.
Open Scope R_scope.

(** A test rejects outcome i with probability phi i. *)
Definition test (n : nat) (phi : nat -> R) : Prop := forall i, (i < n)%nat -> 0 <= phi i <= 1.

(** The probability that it rejects: hits under [upper], false alarms under [lower]. *)
Definition rejects (n : nat) (p phi : nat -> R) : R := sum n (fun i => p i * phi i).

(** For each test of E a test of D has no more false alarms and no fewer hits: T(E) >= T(D), trade-off functions. *)
Definition harder_to_test (E D : pair) : Prop :=
  forall psi, test (size E) psi -> exists phi, test (size D) phi /\
    rejects (size D) (lower D) phi <= rejects (size E) (lower E) psi /\
    rejects (size E) (upper E) psi <= rejects (size D) (upper D) phi.

Lemma test_below n p q phi y : test n phi -> rejects n p phi - y * rejects n q phi <= weighted n p q 1 y.
Proof.
  intros is_test. unfold rejects, weighted. rewrite <- sum_scale, <- sum_minus. apply sum_le. intros i small.
  destruct (is_test i small). pose proof (pos_above (1 * p i - y * q i)). pose proof (pos_nonneg (1 * p i - y * q i)).
  nra.
Qed.

(** The test that rejects where p > y q, or where p >= y q. *)
Definition above (p q : nat -> R) (y : R) (i : nat) : R := if Rle_dec (p i) (y * q i) then 0 else 1.
Definition reaching (p q : nat -> R) (y : R) (i : nat) : R := if Rlt_dec (p i) (y * q i) then 0 else 1.

Lemma above_test n p q y : test n (above p q y).
Proof. intros i _. unfold above. destruct Rle_dec; lra. Qed.

Lemma reaching_test n p q y : test n (reaching p q y).
Proof. intros i _. unfold reaching. destruct Rlt_dec; lra. Qed.

Lemma above_best n p q y : rejects n p (above p q y) - y * rejects n q (above p q y) = weighted n p q 1 y.
Proof.
  unfold rejects, weighted. rewrite <- sum_scale, <- sum_minus. apply sum_ext. intros i _. unfold above, pos.
  destruct Rle_dec; [rewrite Rmax_left|rewrite Rmax_right]; lra.
Qed.

Lemma reaching_best n p q y : rejects n p (reaching p q y) - y * rejects n q (reaching p q y) = weighted n p q 1 y.
Proof.
  unfold rejects, weighted. rewrite <- sum_scale, <- sum_minus. apply sum_ext. intros i _. unfold reaching, pos.
  destruct Rlt_dec; [rewrite Rmax_left|rewrite Rmax_right]; lra.
Qed.

(** (C.4) of paper 003 for finitely many outcomes: a supremum that is taken. *)
(** Claim: The hockey-stick divergence is the most that hits can exceed e^epsilon times the false alarms by.
    Source: Koskela, Tobaben & Honkela, (C.4) *)
Theorem best_test n p q epsilon :
  (forall phi, test n phi -> rejects n p phi - exp epsilon * rejects n q phi <= weighted n p q 1 (exp epsilon)) /\
  exists phi, test n phi /\ rejects n p phi - exp epsilon * rejects n q phi = weighted n p q 1 (exp epsilon).
Proof.
  split; [intros; now apply test_below|]. exists (above p q (exp epsilon)). split; [apply above_test|apply above_best].
Qed.

(** ** A best test with as many false alarms as are allowed *)

Lemma least_such n (c : nat -> R) (S : R -> Prop) (dec : forall y, {S y} + {~ S y}) :
  (exists i, (i < n)%nat /\ S (c i)) ->
  exists i, (i < n)%nat /\ S (c i) /\ forall j, (j < n)%nat -> S (c j) -> c i <= c j.
Proof.
  induction n as [|n IH]; intros (i & small & here); [lia|].
  assert (or : (exists i, (i < n)%nat /\ S (c i)) \/ forall j, (j < n)%nat -> ~ S (c j)).
  { clear - dec. induction n as [|n IH]; [right; lia|]. destruct (dec (c n)) as [yes|no]; [left; exists n; split; [lia|easy]|].
    destruct IH as [(i & ? & ?)|none]; [left; exists i; split; [lia|easy]|]. right. intros j ?.
    destruct (Nat.eq_dec j n) as [->|]; [easy|apply none; lia]. }
  destruct or as [some|none].
  - destruct (IH some) as (k & ? & ? & least). destruct (dec (c n)) as [yes|no].
    + destruct (Rle_or_lt (c k) (c n)).
      * exists k. repeat split; [lia|easy|]. intros j ? ?. destruct (Nat.eq_dec j n) as [->|]; [easy|apply least; [lia|easy]].
      * exists n. repeat split; [lia|easy|]. intros j ? there. destruct (Nat.eq_dec j n) as [->|]; [lra|].
        pose proof (least j ltac:(lia) there). lra.
    + exists k. repeat split; [lia|easy|]. intros j ? ?. destruct (Nat.eq_dec j n) as [->|]; [easy|apply least; [lia|easy]].
  - destruct (Nat.eq_dec i n) as [->|]; [|exfalso; apply (none i); [lia|easy]].
    exists n. repeat split; [lia|easy|]. intros j ? there. destruct (Nat.eq_dec j n) as [->|]; [lra|].
    exfalso; apply (none j); [lia|easy].
Qed.

(** The likelihood ratios p/q, and 0 as the last. *)
Definition ratio (n : nat) (p q : nat -> R) (i : nat) : R :=
  if Nat.eq_dec i n then 0 else if Rle_dec (q i) 0 then 0 else p i / q i.

Lemma ratio_nonneg n p q i : law n p -> law n q -> (i <= n)%nat -> 0 <= ratio n p q i.
Proof.
  intros hp hq small. unfold ratio. destruct Nat.eq_dec; [lra|]. destruct Rle_dec; [lra|].
  pose proof (proj1 hp i ltac:(lia)). apply Rmult_le_pos; [easy|]. left. apply Rinv_0_lt_compat. lra.
Qed.

Lemma compared n p q y i : law n q -> (i < n)%nat -> 0 < q i -> (p i <= y * q i <-> ratio n p q i <= y).
Proof.
  intros hq small some. unfold ratio. destruct Nat.eq_dec; [lia|]. destruct Rle_dec; [lra|].
  split; intros h.
  - apply Rmult_le_reg_r with (q i); [easy|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
  - apply (Rmult_le_compat_r (q i)) in h; [|lra]. unfold Rdiv in h. rewrite Rmult_assoc, Rinv_l in h by lra. lra.
Qed.

(** Neyman and Pearson: for any number of false alarms a test that no other beats, and the weight at which it is best. *)
Lemma best_at n p q a : law n p -> law n q -> 0 <= a -> exists y phi, 0 <= y /\ test n phi /\
  rejects n q phi <= a /\ weighted n p q 1 y + y * a = rejects n p phi.
Proof.
  intros hp hq ha.
  set (c := ratio n p q). set (E := fun y => rejects n q (above p q y) <= a).
  assert (dec : forall y, {E y} + {~ E y}) by (intros y; apply Rle_dec).
  assert (some : exists i, (i < S n)%nat /\ E (c i)).
  { destruct (least_such (S n) (fun i => - c i) (fun _ => True) (fun _ => left I)) as (i & small & _ & largest).
    { exists n. split; [lia|easy]. }
    exists i. split; [easy|]. unfold E. apply Rle_trans with (sum n (fun _ => 0)); [|rewrite sum_zero; lra].
    apply sum_le. intros j here. unfold above. destruct Rle_dec as [|more]; [lra|].
    destruct (Rle_lt_dec (q j) 0) as [none|positive]; [nra|]. exfalso. apply more.
    apply (compared n p q _ j hq here positive). fold c. pose proof (largest j ltac:(lia) I). lra. }
  destruct (least_such _ c E dec some) as (i & small & enough & least).
  assert (nonneg : forall j, (j < S n)%nat -> 0 <= c j) by (intros; apply ratio_nonneg; [easy|easy|lia]).
  set (y := c i) in *. destruct (Rle_lt_dec y 0) as [zero|positive].
  { exists y, (above p q y). assert (none : y = 0) by (pose proof (nonneg i small) as h; fold y in h; lra).
    split; [lra|]. split; [apply above_test|]. split; [exact enough|].
    pose proof (above_best n p q y). rewrite none in *. lra. }
  assert (next : a < rejects n q (reaching p q y)).
  { destruct (least_such (S n) (fun j => - c j) (fun z => - z < y)) as (k & here & lower & largest).
    { intros z. apply Rlt_dec. }
    { exists n. split; [lia|]. unfold c, ratio. destruct Nat.eq_dec; [lra|lia]. }
    destruct (Rle_lt_dec (rejects n q (reaching p q y)) a) as [small_enough|]; [|easy]. exfalso.
    enough (E (c k)) as too by (pose proof (least k here too); lra).
    unfold E. eapply Rle_trans; [|exact small_enough]. apply sum_le. intros j there.
    pose proof (proj1 hq j there) as hqj.
    destruct (Rle_lt_dec (q j) 0) as [none|some_mass]; [replace (q j) with 0 by lra; lra|].
    apply Rmult_le_compat_l; [easy|]. unfold above, reaching.
    destruct (Rle_dec (p j) (c k * q j)) as [|more]; [destruct Rlt_dec; lra|].
    destruct (Rlt_dec (p j) (y * q j)) as [less|]; [|lra]. exfalso. apply more.
    apply (compared n p q _ j hq there some_mass). fold c.
    assert (c j < y).
    { destruct (Rlt_le_dec (c j) y) as [|not]; [easy|]. exfalso.
      destruct not as [more_than|same].
      - enough (~ c j <= y) by (apply H; apply (compared n p q y j hq there some_mass); lra). lra.
      - assert (ratio n p q j <= c j) as r by (unfold c; lra).
        unfold c, ratio in same. destruct Nat.eq_dec in same; [lia|]. destruct Rle_dec in same; [lra|].
        rewrite same in less. unfold Rdiv in less. rewrite Rmult_assoc, Rinv_l in less by lra. lra. }
    pose proof (largest j ltac:(lia) ltac:(lra)). lra. }
  set (l := rejects n q (above p q y)) in *. set (u := rejects n q (reaching p q y)) in *.
  change (l <= a) in enough.
  set (t := (a - l) / (u - l)).
  assert (ht : 0 <= t <= 1).
  { unfold t. split.
    - apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. lra.
    - apply Rmult_le_reg_r with (u - l); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (mixed : forall w, rejects n w (fun j => (1 - t) * above p q y j + t * reaching p q y j) =
    (1 - t) * rejects n w (above p q y) + t * rejects n w (reaching p q y)).
  { intros w. unfold rejects. rewrite <- !sum_scale, <- sum_plus. apply sum_ext. intros; ring. }
  exists y, (fun j => (1 - t) * above p q y j + t * reaching p q y j).
  assert (exactly : (1 - t) * l + t * u = a) by (unfold t; field; lra).
  split; [lra|]. split.
  { intros j here. pose proof (above_test n p q y j here). pose proof (reaching_test n p q y j here). nra. }
  rewrite !mixed. fold l u. split; [lra|].
  pose proof (above_best n p q y) as one. pose proof (reaching_best n p q y) as two. fold l in one. fold u in two.
  rewrite <- exactly. nra.
Qed.

(** Claim: Of two pairs one has at least the hockey-stick divergence of the other at each weight where for each test of
    the other it has one with no more false alarms and no fewer hits, and only there.
    Source: Koskela, Tobaben & Honkela, Appendix C.6; Dong, Roth & Su, Proposition 2.12
    Beyond: The Markov kernel of Blackwell's theorem. *)
Theorem blackwell_order E D : proper E -> proper D ->
  harder_to_test E D <-> forall y, 0 <= y -> curve E 1 y <= curve D 1 y.
Proof.
  intros [he hl] [hu hd]. split.
  - intros harder y hy. destruct (harder (above (upper E) (lower E) y)) as (phi & is_test & fewer & more).
    { apply above_test. }
    pose proof (above_best (size E) (upper E) (lower E) y) as best.
    pose proof (test_below (size D) (upper D) (lower D) phi y is_test). unfold curve. nra.
  - intros larger psi is_test.
    assert (0 <= rejects (size E) (lower E) psi).
    { apply sum_nonneg. intros i small. destruct (is_test i small). pose proof (proj1 hl i small). nra. }
    destruct (best_at (size D) (upper D) (lower D) (rejects (size E) (lower E) psi) hu hd) as (y & phi & hy & ? & ? & best).
    { easy. }
    exists phi. split; [easy|]. split; [easy|]. rewrite <- best.
    pose proof (larger y hy) as curves. unfold curve in curves.
    pose proof (test_below (size E) (upper E) (lower E) psi y is_test). lra.
Qed.

(** ** Gaussian differential privacy *)

(** Claim: For mu >= 0 the hockey-sticks of a mechanism are at most the Gaussian(mu)'s both ways at each epsilon >= 0 if
    and only if they are so one way at each real epsilon.
    Source: Koskela, Tobaben & Honkela, Lemma 10 *)
Theorem lemma_10 {C} mu (m : request C) : laws m -> 0 <= mu ->
  gdp_at_most mu m <->
  forall epsilon, sum (outcomes m) (fun i => pos (P m i - exp epsilon * Q m i)) <= gdp_delta mu epsilon.
Proof.
  intros both hmu. split.
  - intros gdp epsilon. destruct (gdp_for_any mu m gdp) as (_ & _ & each). destruct (each epsilon) as [one _].
    cbn [base AnyOutcomes.P AnyOutcomes.Q embedded_request] in one. now rewrite counted_excess in one.
  - intros all. split; [easy|]. split; [easy|]. intros epsilon _.
    destruct (lemma_10_any mu (embedded_request (fun c => c) m) (embedded_laws _ m both) hmu (embedded_adds _ m both))
      as [_ [every _]].
    destruct every as (_ & _ & each); [|].
    + intros e. cbn [base AnyOutcomes.P AnyOutcomes.Q embedded_request]. rewrite counted_excess. apply all.
    + specialize (each epsilon). cbn [base AnyOutcomes.P AnyOutcomes.Q embedded_request] in each.
      now rewrite !counted_excess in each.
Qed.

(** The tests "is a draw from N(0, 1), or from N(mu, 1), above some number?" gain no more than the curve says. *)
Lemma threshold_gain mu epsilon t : 0 < mu -> Phi (t + mu) - exp epsilon * Phi t <= gdp_delta mu epsilon.
Proof.
  intros hmu. unfold gdp_delta. destruct (Rle_dec mu 0); [lra|].
  set (best := - mu / 2 - epsilon / mu). replace (mu / 2 - epsilon / mu) with (best + mu) by (unfold best; field; lra).
  set (f := fun u => Phi (u + mu) - exp epsilon * Phi u). change (f t <= f best).
  assert (slope : forall u, is_derive f u (density (u + mu) - exp epsilon * density u)).
  { intros u. unfold f. auto_derive; [repeat split; apply Phi_ex|]. change (fun x : R => Phi x) with Phi.
    rewrite !Phi_Derive. ring. }
  assert (at_best : best * mu = - mu ^ 2 / 2 - epsilon) by (unfold best; field; lra).
  pose proof peak_pos as positive.
  assert (scaled : forall u, density u = bell u * peak) by reflexivity.
  destruct (Rle_or_lt t best) as [order|order].
  - apply (rises f (fun u => density (u + mu) - exp epsilon * density u)); [easy|intros; apply slope|].
    intros u [_ hu]. rewrite !scaled.
    enough (bell u * exp epsilon <= bell (u + mu)) by nra. unfold bell. rewrite <- exp_plus. apply exp_le. nra.
  - enough (- f best <= - f t) by lra.
    apply (rises (fun u => - f u) (fun u => - (density (u + mu) - exp epsilon * density u))); [lra| |].
    + intros u _. apply (is_derive_opp f). apply slope.
    + intros u [hu _]. rewrite !scaled.
      enough (bell (u + mu) <= bell u * exp epsilon) by nra. unfold bell. rewrite <- exp_plus. apply exp_le. nra.
Qed.

Lemma Phi_reaches a : 0 < a < 1 -> exists t, Phi t = a.
Proof.
  intros [low high]. destruct (Phi_vanishes a low) as (b & below). destruct (Phi_vanishes (1 - a) ltac:(lra)) as (c & past).
  assert (above_a : a < Phi (- c)) by (rewrite Phi_opp; pose proof (past c ltac:(lra)); lra).
  assert (below_a : Phi b < a) by (apply below; lra).
  destruct (IVT (fun x => Phi x - a) b (- c)) as (t & _ & here); [| |lra|lra|exists t; lra].
  - intros x. apply derivable_continuous_pt. exists (density x).
    apply is_derive_Reals. replace (density x) with (density x - 0) by ring.
    apply (is_derive_minus Phi (fun _ => a)); [apply Phi_derive|apply (is_derive_const a)].
  - destruct (Rlt_le_dec b (- c)) as [|order]; [easy|]. pose proof (Phi_rises _ _ order). lra.
Qed.

(** mu-GDP by trade-off functions: at most Phi(t) false alarms, at most Phi(t + mu) hits. *)
(** Claim: A mechanism is mu-GDP, mu > 0, if and only if no test with at most Phi(t) false alarms has more than Phi(t +
    mu) hits, for each t.
    Source: Dong, Roth & Su, Definition 2.6 *)
Theorem gdp_tests {C} mu (m : request C) : laws m -> 0 < mu ->
  gdp_at_most mu m <->
  forall psi t, test (outcomes m) psi -> rejects (outcomes m) (Q m) psi <= Phi t ->
    rejects (outcomes m) (P m) psi <= Phi (t + mu).
Proof.
  intros both hmu. rewrite (lemma_10 mu m both) by lra. destruct both as (lp & lq).
  assert (one : forall p psi, law (outcomes m) p -> test (outcomes m) psi -> 0 <= rejects (outcomes m) p psi <= 1).
  { intros p psi [hp sum_p] is_test. split.
    - apply sum_nonneg. intros i small. destruct (is_test i small). pose proof (hp i small). nra.
    - rewrite <- sum_p. apply sum_le. intros i small. destruct (is_test i small). pose proof (hp i small). nra. }
  assert (plain : forall y, sum (outcomes m) (fun i => pos (P m i - y * Q m i)) = weighted (outcomes m) (P m) (Q m) 1 y).
  { intros y. apply sum_ext. intros. f_equal. ring. }
  split.
  - intros all psi t is_test few. set (epsilon := - mu ^ 2 / 2 - t * mu). pose proof (all epsilon) as bound.
    rewrite plain in bound. pose proof (test_below (outcomes m) (P m) (Q m) psi (exp epsilon) is_test) as gain.
    assert (at_t : gdp_delta mu epsilon = Phi (t + mu) - exp epsilon * Phi t).
    { unfold gdp_delta. destruct (Rle_dec mu 0); [lra|].
      replace (mu / 2 - epsilon / mu) with (t + mu) by (unfold epsilon; field; lra).
      now replace (- mu / 2 - epsilon / mu) with t by (unfold epsilon; field; lra). }
    pose proof (exp_pos epsilon). nra.
  - intros few epsilon. rewrite plain. set (y := exp epsilon). pose proof (exp_pos epsilon) as hy. fold y in hy.
    rewrite <- above_best. set (psi := above (P m) (Q m) y).
    assert (is_test : test (outcomes m) psi) by apply above_test.
    destruct (one (P m) psi lp is_test), (one (Q m) psi lq is_test).
    assert (least : pos (1 - y) <= gdp_delta mu epsilon).
    { rewrite gdp_delta_is_gauss by lra. apply gauss_above; unfold y in *; lra. }
    destruct (Rle_or_lt (rejects (outcomes m) (Q m) psi) 0) as [none|some].
    { enough (rejects (outcomes m) (P m) psi <= 0) by (pose proof (pos_nonneg (1 - y)); nra).
      apply Rnot_lt_le. intros more. destruct (Phi_vanishes _ more) as (b & below).
      pose proof (below b ltac:(lra)). pose proof (Phi_range (b - mu)).
      pose proof (few psi (b - mu) is_test ltac:(lra)) as hits. replace (b - mu + mu) with b in hits by ring. lra. }
    destruct (Rle_or_lt 1 (rejects (outcomes m) (Q m) psi)) as [all|not_all].
    { pose proof (pos_above (1 - y)). nra. }
    destruct (Phi_reaches (rejects (outcomes m) (Q m) psi)) as (t & here); [lra|].
    pose proof (few psi t is_test ltac:(lra)). pose proof (threshold_gain mu epsilon t hmu) as gain. fold y in gain.
    rewrite <- here. lra.
Qed.
