(** The stopping level kappa of the realisation filter for Gaussian rounds (Taylor, Vippathalla & Coon, Proposition 1).

    - [stopping_level]: condition (4), a probability of the outputs after which the next loss is small with high
      probability, holds both ways if and only if the loss so far is at most kappa in absolute value;
    - [gaussian_realisation_filter]: Algorithm 1 with Gaussian rounds of real numbers;
    - [level_decides]: it goes on while the loss before the last release is at most kappa in absolute value. *)

From Coq Require Import Reals Lra Lia ClassicalDedekindReals.
From Coquelicot Require Import Coquelicot.
From Filterproof Require Import Realisation GaussianCdf.
From Filterproof Require Import Sums Divergences Integrals RealLine AnyOutcomes AnyOutcomesFilters GaussianAnyOutcomes
  RealGaussian NormalTails RealisationAnyOutcomes.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

(** ** The loss of a Gaussian round *)

(** Means p and q; the scale is sigma times their distance. *)
Definition scale (sigma p q : R) : R := sigma * Rabs (p - q).
Definition real_loss (sigma p q x : R) : R := ln (normal p (scale sigma p q) x / normal q (scale sigma p q) x).

Lemma scale_pos sigma p q : 0 < sigma -> p <> q -> 0 < scale sigma p q.
Proof. intros hs apart. apply Rmult_lt_0_compat; [easy|]. apply Rabs_pos_lt. lra. Qed.

Lemma scale_swapped sigma p q : scale sigma q p = scale sigma p q.
Proof. unfold scale. now rewrite Rabs_minus_sym. Qed.

Lemma real_loss_exp sigma p q x : 0 < sigma -> p <> q ->
  normal p (scale sigma p q) x = exp (real_loss sigma p q x) * normal q (scale sigma p q) x.
Proof.
  intros hs apart. pose proof (scale_pos sigma p q hs apart) as hc.
  pose proof (normal_pos p _ x hc). pose proof (normal_pos q _ x hc).
  unfold real_loss. rewrite exp_ln by (now apply Rdiv_lt_0_compat). field. lra.
Qed.

Lemma real_loss_swapped sigma p q x : 0 < sigma -> p <> q -> real_loss sigma q p x = - real_loss sigma p q x.
Proof.
  intros hs apart. pose proof (scale_pos sigma p q hs apart) as hc. unfold real_loss. rewrite scale_swapped.
  pose proof (normal_pos p _ x hc). pose proof (normal_pos q _ x hc).
  rewrite <- ln_Rinv by (now apply Rdiv_lt_0_compat). f_equal. field. lra.
Qed.

(** 1/(2 sigma^2) + z/sigma, z the standardised outcome, towards p. *)
Lemma real_loss_is sigma p q x : 0 < sigma -> p <> q ->
  real_loss sigma p q x = / (2 * sigma ^ 2) + (p - q) * (x - p) / (scale sigma p q) ^ 2.
Proof.
  intros hs apart. pose proof (scale_pos sigma p q hs apart) as hc.
  assert ((scale sigma p q) ^ 2 = sigma ^ 2 * (p - q) ^ 2) as square.
  { unfold scale. rewrite Rpow_mult_distr. now rewrite pow2_abs. }
  set (s := scale sigma p q) in *.
  assert (normal p s x = exp (/ (2 * sigma ^ 2) + (p - q) * (x - p) / s ^ 2) * normal q s x) as same.
  { rewrite !normal_exp. rewrite (Rmult_comm (exp _)), Rmult_assoc, <- exp_plus. do 2 f_equal.
    assert (/ (2 * sigma ^ 2) = (p - q) ^ 2 / (2 * s ^ 2)) as -> by (rewrite square; field; split; lra).
    field. lra. }
  unfold real_loss. fold s. rewrite same. pose proof (normal_pos q s x hc).
  replace (exp _ * normal q s x / normal q s x) with (exp (/ (2 * sigma ^ 2) + (p - q) * (x - p) / s ^ 2))
    by (field; lra). apply ln_exp.
Qed.

(** Its distribution function under p. *)
Lemma loss_below sigma p q v : 0 < sigma -> p <> q ->
  probability p (scale sigma p q) (fun x => real_loss sigma p q x <= v) = Phi (sigma * v - / (2 * sigma)) /\
  probability p (scale sigma p q) (fun x => v < real_loss sigma p q x) = Phi (/ (2 * sigma) - sigma * v).
Proof.
  intros hs apart. pose proof (scale_pos sigma p q hs apart) as hc.
  assert ((scale sigma p q) ^ 2 = sigma ^ 2 * (p - q) ^ 2) as square.
  { unfold scale. rewrite Rpow_mult_distr. now rewrite pow2_abs. }
  set (u := sigma * v - / (2 * sigma)). set (s := scale sigma p q) in *.
  (* the outcome at which the loss is v *)
  set (t := p + u * sigma * (p - q)).
  assert (compared : forall x, real_loss sigma p q x - v = (p - q) * (x - t) / s ^ 2).
  { intros x. rewrite real_loss_is by easy. fold s. unfold t, u. rewrite square. field. split; lra. }
  assert (0 < s ^ 2) as hs2 by (apply pow_lt; lra).
  assert (other : / (2 * sigma) - sigma * v = - u) by (unfold u; ring). rewrite other, Phi_opp.
  destruct (Rtotal_order p q) as [less|[same|more]]; [|easy|].
  - assert ((t - p) / s = - u) as ends.
    { unfold t, s, scale. rewrite Rabs_left by lra. field. split; lra. }
    assert (sign : forall x, (x < t -> v < real_loss sigma p q x) /\ (t < x -> real_loss sigma p q x < v)).
    { intros x. assert (0 < (q - p) / s ^ 2) as hk by (apply Rdiv_lt_0_compat; lra).
      pose proof (compared x) as it. replace ((p - q) * (x - t) / s ^ 2) with ((q - p) / s ^ 2 * (t - x)) in it
        by (field; lra). split; intros; nra. }
    split.
    + rewrite (proj1 (half_line p s hc _ t)); [rewrite ends, Phi_opp; f_equal; ring| |];
        intros x h; destruct (sign x); [left|apply Rlt_not_le]; tauto.
    + rewrite (proj2 (half_line p s hc _ t)); [now rewrite ends, Phi_opp| |];
        intros x h; destruct (sign x); [tauto|apply Rle_not_lt; left; tauto].
  - assert ((t - p) / s = u) as ends.
    { unfold t, s, scale. rewrite Rabs_right by lra. field. split; lra. }
    assert (sign : forall x, (t < x -> v < real_loss sigma p q x) /\ (x < t -> real_loss sigma p q x < v)).
    { intros x. assert (0 < (p - q) / s ^ 2) as hk by (apply Rdiv_lt_0_compat; lra).
      pose proof (compared x) as it. replace ((p - q) * (x - t) / s ^ 2) with ((p - q) / s ^ 2 * (x - t)) in it
        by (field; lra). split; intros; nra. }
    split.
    + rewrite (proj2 (half_line p s hc _ t)); [now rewrite ends| |];
        intros x h; destruct (sign x); [left|apply Rlt_not_le]; tauto.
    + rewrite (proj1 (half_line p s hc _ t)); [now rewrite ends| |];
        intros x h; destruct (sign x); [tauto|apply Rle_not_lt; left; tauto].
Qed.

(** ** Condition (4) *)

(** After a loss of l, with probability at least 1 - theta the output of the next round, means p and q, is one after
    which the loss of the round that follows, means p' and q', exceeds what is left of epsilon with probability at most
    dhat. *)
Definition condition_4 (sigma epsilon dhat theta l p q p' q' : R) : Prop :=
  Rbar_le (1 - theta) (probability p (scale sigma p q) (fun y =>
    Rbar_le (probability p' (scale sigma p' q') (fun x =>
      epsilon - (l + real_loss sigma p q y) < real_loss sigma p' q' x)) dhat)).

Lemma condition_4_one_way sigma epsilon zd zt l p q p' q' : 0 < sigma -> p <> q -> p' <> q' ->
  condition_4 sigma epsilon (Phi (- zd)) (Phi (- zt)) l p q p' q' <->
  l <= epsilon - 1 / sigma ^ 2 - (zd + zt) / sigma.
Proof.
  intros hs apart apart'. unfold condition_4.
  rewrite (probability_same _ _ _ (fun y => real_loss sigma p q y <= epsilon - l - / (2 * sigma ^ 2) - zd / sigma)).
  - rewrite (proj1 (loss_below sigma p q _ hs apart)). rewrite Phi_opp.
    replace (1 - (1 - Phi zt)) with (Phi zt) by ring. cbn [Rbar_le]. rewrite Phi_compared.
    replace (sigma * (epsilon - l - / (2 * sigma ^ 2) - zd / sigma) - / (2 * sigma)) with
      (zt + sigma * (epsilon - 1 / sigma ^ 2 - (zd + zt) / sigma - l)) by (field; lra).
    split; intros; nra.
  - intros y. rewrite (proj2 (loss_below sigma p' q' _ hs apart')). cbn [Rbar_le]. rewrite Phi_compared.
    replace (/ (2 * sigma) - sigma * (epsilon - (l + real_loss sigma p q y))) with
      (- zd + sigma * (real_loss sigma p q y - (epsilon - l - / (2 * sigma ^ 2) - zd / sigma))) by (field; lra).
    split; intros; nra.
Qed.

(** Claim: For Gaussian rounds of any means, each of a scale of sigma > 0 times the distance of its two means, and dhat
    = Phi(-z_d), theta = Phi(-z_t): condition (4) holds in both directions after a loss of l if and only if |l| <= kappa
    = epsilon - 1/sigma^2 - (z_d + z_t)/sigma.
    Source: Taylor, Vippathalla & Coon, Proposition 1
    Covers: Gaussian mechanisms with real outcomes *)
Theorem stopping_level sigma epsilon zd zt l p q p' q' : 0 < sigma -> p <> q -> p' <> q' ->
  condition_4 sigma epsilon (Phi (- zd)) (Phi (- zt)) l p q p' q' /\
  condition_4 sigma epsilon (Phi (- zd)) (Phi (- zt)) (- l) q p q' p' <->
  Rabs l <= epsilon - 1 / sigma ^ 2 - (zd + zt) / sigma.
Proof.
  intros hs apart apart'. rewrite !condition_4_one_way by (easy || lra || now apply not_eq_sym).
  unfold Rabs. destruct (Rcase_abs l); split; intros; lra.
Qed.

(** ** Algorithm 1 with Gaussian rounds *)

(** The upper Phi(-z)-quantile of the loss. *)
Definition loss_quantile (sigma z : R) : R := (/ (2 * sigma) + z) / sigma.

Definition gaussian_declared (sigma zd zt p q : R) : declared :=
  Declare (reading (fun x => Some (real_loss sigma p q x)) None) (fun _ => Some (loss_quantile sigma zt))
    (fun _ => Some (loss_quantile sigma zd)) (fun _ => loss_quantile sigma zd).

(** A Gaussian release of any two means, of a scale of sigma times their distance. *)
Definition gaussian_at (sigma zd zt : R) (m : request declared) : Prop := exists p q, p <> q /\
  m = Ask R lebesgue (normal p (scale sigma p q)) (normal q (scale sigma p q)) (gaussian_declared sigma zd zt p q).

Lemma gaussian_is_honest sigma zd zt m : 0 < sigma -> 0 <= zd -> gaussian_at sigma zd zt m ->
  realisation_honest_any (Phi (- zd)) (Phi (- zt)) m.
Proof.
  intros hs hd (p & q & apart & ->) w. pose proof (scale_pos sigma p q hs apart) as hc.
  set (m := Ask _ _ _ _ _).
  assert (read : forall x : R, loss_at m x = Some (real_loss sigma p q x))
    by exact (reading_is (fun x => Some (real_loss sigma p q x)) None).
  assert (few : forall z, quantile_at_most w m (Phi (- z)) (Some (loss_quantile sigma z))).
  { intros z. assert (/ (2 * sigma) - sigma * loss_quantile sigma z = - z) as ends
      by (unfold loss_quantile; field; lra).
    assert (one : forall u v (S : R -> bool), u <> v -> scale sigma u v = scale sigma p q ->
      (forall x, S x = true -> loss_quantile sigma z < real_loss sigma u v x) ->
      Rbar_le (value lebesgue (fun x => Finite (if S x then normal u (scale sigma p q) x else 0))) (Phi (- z))).
    { intros u v S apart' same above. rewrite <- ends, <- (proj2 (loss_below sigma u v _ hs apart')), same.
      apply value_le; intros x; pose proof (normal_pos u _ x hc); specialize (above x);
        destruct (S x); cbn; try lra; destruct (sig_not_dec _); lra. }
    assert (far : forall x : R, beyond w (loss_quantile sigma z) (loss_at m x) = true ->
      loss_quantile sigma z < match w with Forward => real_loss sigma p q x | Backward => real_loss sigma q p x end).
    { intros x. rewrite read, (real_loss_swapped sigma p q x hs apart). unfold beyond. destruct (Rle_dec _ _); [easy|].
      destruct w; cbn in *; lra. }
    destruct w; [exact (one p q _ apart eq_refl far)|].
    exact (one q p _ (not_eq_sym apart) (scale_swapped sigma p q) far). }
  split; [|split; [|split; [apply few|split; [apply few|]]]].
  - split; (split; [intros x; left; now apply normal_pos|now apply normal_integral]).
  - intros x. rewrite read. now apply real_loss_exp.
  - cbn. unfold loss_quantile. apply Rmult_le_pos; [|left; now apply Rinv_0_lt_compat].
    assert (0 < / (2 * sigma)) by (apply Rinv_0_lt_compat; lra). lra.
Qed.

(** Claim: Algorithm 1 with Gaussian rounds, whose means depend on all real numbers released before and whose scale is
    sigma > 0 times the distance of the two means: with dhat = Phi(-z_d), z_d >= 0, theta = Phi(-z_t) and dhat + theta
    (1 - dhat) N <= delta <= 1 the transcript is (epsilon, delta)-DP.
    Source: Taylor, Vippathalla & Coon, Theorem 1 and Proposition 1
    Covers: Gaussian mechanisms with real outcomes
    Beyond: That the iterated integral of measurable strategies and sets is the one against the law of the
    transcript, which is Tonelli's theorem. *)
Theorem gaussian_realisation_filter epsilon delta sigma N zd zt : 0 <= epsilon -> 0 < sigma -> 0 <= zd ->
  Phi (- zd) + Phi (- zt) * (1 - Phi (- zd)) * INR N <= delta -> delta <= 1 ->
  promises_delta_any (realisation_any epsilon N (fun _ => loss_quantile sigma zd)) (gaussian_at sigma zd zt)
    epsilon delta.
Proof.
  intros he hs hd spent hdelta t hon. pose proof (Phi_range (- zd)). pose proof (Phi_range (- zt)).
  apply (realisation_filter_any epsilon delta (Phi (- zd)) (Phi (- zt))); try easy; [|].
  - intros _. unfold loss_quantile. apply Rmult_le_pos; [|left; now apply Rinv_0_lt_compat].
    assert (0 < / (2 * sigma)) by (apply Rinv_0_lt_compat; lra). lra.
  - revert hon. apply honest_weaken. intros m. now apply gaussian_is_honest.
Qed.

(** Claim: Algorithm 1 admits a Gaussian round after another if and only if fewer than N are released and the loss
    before the last release is at most kappa = epsilon - 1/sigma^2 - (z_d + z_t)/sigma in absolute value.
    Source: Taylor, Vippathalla & Coon, Proposition 1
    Covers: Gaussian mechanisms with real outcomes *)
Theorem level_decides epsilon sigma N zd zt first l last n p q : 0 < sigma ->
  admits (realisation_any epsilon N first)
    (Progress (Some l) last (fun _ => Some (loss_quantile sigma zt)) n (fun _ => loss_quantile sigma zd))
    (gaussian_declared sigma zd zt p q) = true <->
  Rabs l <= epsilon - 1 / sigma ^ 2 - (zd + zt) / sigma /\ (n < N)%nat.
Proof.
  intros hs. assert (loss_quantile sigma zt + loss_quantile sigma zd = 1 / sigma ^ 2 + (zd + zt) / sigma) as sum_of
    by (unfold loss_quantile; field; lra).
  cbn [admits realisation_any gaussian_declared upper_dhat]. unfold Realisation.open.
  cbn [before quantile reach released at_most].
  cbn [signed]. rewrite sum_of. rewrite !Bool.andb_true_iff, Nat.ltb_lt.
  destruct (Rle_dec (loss_quantile sigma zd) (loss_quantile sigma zd)) as [_|no]; [|now destruct no; apply Rle_refl].
  unfold Rabs. destruct (Rcase_abs l), (Rle_dec _ (epsilon - l)), (Rle_dec _ (epsilon - - l)); intuition lra.
Qed.
