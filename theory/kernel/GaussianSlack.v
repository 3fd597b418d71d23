(** What the paper's B* leaves unused on Gaussian rounds: at squares of mu that add to 2 B* the Gaussian's curve is
    below half of delta ([slack_half]), and at most mu/(sqrt(2 pi) t (t + mu)) of it with t = sqrt(2 log(1/delta))
    ([slack_by_mu]).

    - [reaches_at]: there epsilon is mu t + mu^2/2, so that the curve is Phi(-t) - e^epsilon Phi(-t - mu). *)

From Coq Require Import Reals Lra Lia.
Set Warnings "-ambiguous-paths".
From Coquelicot Require Import Coquelicot.
From Filterproof Require Import Sums GaussianCdf GaussianDP Divergences Conversions NoisyAnswers.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

Definition slack_t (delta : R) : R := sqrt (2 * ln (/ delta)).
Definition slack_mu (epsilon delta : R) : R := sqrt (2 * b_star epsilon delta).

Lemma slack_roots epsilon delta : 0 < epsilon -> 0 < delta < 1 ->
  0 < slack_t delta /\ 0 < slack_mu epsilon delta /\
  epsilon = slack_mu epsilon delta * slack_t delta + slack_mu epsilon delta ^ 2 / 2 /\
  exp (- slack_t delta ^ 2 / 2) = delta.
Proof.
  intros he hd. pose proof (log_inverse_pos delta hd) as hl. pose proof (b_star_pos epsilon delta he hd) as hB.
  pose proof (b_star_is_simple epsilon delta ltac:(lra) hd) as meets.
  assert (slack_t delta * slack_t delta = 2 * ln (/ delta)) as tt by (apply sqrt_sqrt; lra).
  assert (slack_mu epsilon delta * slack_mu epsilon delta = 2 * b_star epsilon delta) as mm by (apply sqrt_sqrt; lra).
  assert (0 < slack_t delta) as ht by (apply sqrt_lt_R0; lra).
  assert (0 < slack_mu epsilon delta) as hm by (apply sqrt_lt_R0; lra).
  split; [easy|]. split; [easy|]. split.
  - transitivity (b_star epsilon delta + 2 * sqrt (b_star epsilon delta * ln (/ delta))); [now symmetry|].
    set (m := slack_mu epsilon delta) in *. set (t := slack_t delta) in *.
    replace (b_star epsilon delta * ln (/ delta)) with (m * t / 2 * (m * t / 2)).
    2: { replace (m * t / 2 * (m * t / 2)) with (m * m * (t * t) / 4) by field. rewrite mm, tt. field. }
    rewrite sqrt_square by nra. replace (m ^ 2) with (m * m) by ring. rewrite mm. field.
  - replace (- slack_t delta ^ 2 / 2) with (- (slack_t delta * slack_t delta / 2)) by field. rewrite tt.
    replace (- (2 * ln (/ delta) / 2)) with (ln delta) by (rewrite ln_Rinv by lra; field). apply exp_ln. lra.
Qed.

Lemma reaches_at epsilon delta : 0 < epsilon -> 0 < delta < 1 ->
  gdp_delta (slack_mu epsilon delta) epsilon =
  Phi (- slack_t delta) - exp epsilon * Phi (- slack_t delta - slack_mu epsilon delta).
Proof.
  intros he hd. destruct (slack_roots epsilon delta he hd) as (ht & hm & meets & _).
  set (m := slack_mu epsilon delta) in *. set (t := slack_t delta) in *. unfold gdp_delta.
  destruct (Rle_dec m 0); [lra|]. replace (epsilon / m) with (t + m / 2) by (rewrite meets; field; lra).
  f_equal; [f_equal; field|]. f_equal. f_equal. field.
Qed.

(** Mills' lower bound, e^{-x^2/2} (1/x - 1/x^3) peak <= Phi(-x): the difference falls, to 0. *)
Definition mills_gap (x : R) : R := Phi (- x) - GaussianCdf.density (- x) * (1 / x - 1 / x ^ 3).

Lemma density_slope x : is_derive (fun x => GaussianCdf.density (- x)) x (- x * GaussianCdf.density (- x)).
Proof.
  apply (is_derive_ext (fun x => exp (- x ^ 2 / 2) * peak)); [intros; symmetry; apply bell_square|].
  rewrite bell_square. auto_derive; [easy|]. change (- (x * (x * 1)) * / 2) with (- x ^ 2 / 2). field.
Qed.

Lemma Phi_slope x : is_derive (fun x => Phi (- x)) x (- GaussianCdf.density (- x)).
Proof.
  evar_last; [apply (is_derive_comp Phi Ropp x); [apply Phi_derive|auto_derive; [easy|reflexivity]]|].
  unfold scal; cbn. unfold mult; cbn. ring.
Qed.

Lemma mills_gap_derive x : 0 < x -> is_derive mills_gap x (- (3 / x ^ 4) * GaussianCdf.density (- x)).
Proof.
  intros hx. unfold mills_gap. evar_last.
  - apply (is_derive_minus (fun x => Phi (- x)) (fun x => GaussianCdf.density (- x) * (1 / x - 1 / x ^ 3)) x).
    + apply Phi_slope.
    + apply (is_derive_mult (fun x => GaussianCdf.density (- x)) (fun x => 1 / x - 1 / x ^ 3) x);
        [apply density_slope| |apply Rmult_comm].
      instantiate (1 := - 1 / x ^ 2 + 3 / x ^ 4). auto_derive;
        [pose proof (pow_lt x 3 hx); cbn [pow] in *; repeat split; lra|]. field. lra.
  - unfold minus, plus, opp; cbn -[pow]. unfold mult; cbn -[pow]. field. lra.
Qed.

Lemma falls_from (f f' : R -> R) a b : a <= b -> (forall x, a <= x <= b -> is_derive f x (f' x)) ->
  (forall x, a <= x <= b -> f' x <= 0) -> f b <= f a.
Proof.
  intros order slope down. enough (- f a <= - f b) by lra.
  apply (rises (fun x => - f x) (fun x => - f' x)); [easy| |].
  - intros x inside. apply (is_derive_opp f). now apply slope.
  - intros x inside. specialize (down x inside). lra.
Qed.

Lemma mills_below x : 0 < x -> GaussianCdf.density (- x) * (1 / x - 1 / x ^ 3) <= Phi (- x).
Proof.
  intros hx. enough (0 <= mills_gap x) by (unfold mills_gap in *; lra).
  apply Rnot_lt_le. intros less. set (far := peak / - mills_gap x).
  set (y := Rmax (x + 1) far). pose proof peak_pos as hp.
  assert (x + 1 <= y) as right_of by apply Rmax_l. assert (far <= y) as past by apply Rmax_r.
  assert (mills_gap y <= mills_gap x) as fell.
  { apply (falls_from mills_gap (fun x => - (3 / x ^ 4) * GaussianCdf.density (- x))); [lra| |].
    - intros u inside. apply mills_gap_derive. lra.
    - intros u inside. pose proof (density_range (- u)) as dens. pose proof (pow_lt u 4 ltac:(lra)).
      assert (0 < 3 / u ^ 4) by (apply Rdiv_lt_0_compat; lra). nra. }
  pose proof (Phi_range (- y)). pose proof (density_range (- y)) as dens.
  assert (0 < / y) as hy by (apply Rinv_0_lt_compat; lra).
  assert (0 < / y ^ 3) by (apply Rinv_0_lt_compat, pow_lt; lra).
  assert (- mills_gap y <= peak * / y).
  { unfold mills_gap. replace (1 / y - 1 / y ^ 3) with (/ y - / y ^ 3) by (unfold Rdiv; ring).
    assert (GaussianCdf.density (- y) * (/ y - / y ^ 3) <= peak * / y); [|lra].
    apply Rle_trans with (GaussianCdf.density (- y) * / y); [nra|]. apply Rmult_le_compat_r; lra. }
  assert (peak <= y * - mills_gap x).
  { apply Rle_trans with (far * - mills_gap x); [right; unfold far; field; lra|]. apply Rmult_le_compat_r; lra. }
  assert (peak * / y <= - mills_gap x).
  { apply (Rmult_le_reg_r y); [lra|]. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (mills_gap y = mills_gap x) as flat by lra.
  (* but it falls strictly from x to x + 1 *)
  destruct (MVT_cor2 mills_gap (fun x => - (3 / x ^ 4) * GaussianCdf.density (- x)) x y)
    as (c & mean & inside); [lra| |].
  { intros c inside. apply is_derive_Reals, mills_gap_derive. lra. }
  pose proof (density_range (- c)) as at_c. pose proof (pow_lt c 4 ltac:(lra)).
  assert (0 < 3 / c ^ 4 * GaussianCdf.density (- c)) by (apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat|]; lra). nra.
Qed.

Lemma Phi_pos x : 0 < Phi x.
Proof.
  set (y := Rmax 2 (- x)). assert (2 <= y) as far by apply Rmax_l. assert (- x <= y) as below by apply Rmax_r.
  apply Rlt_le_trans with (Phi (- y)); [|apply Phi_rises; lra].
  eapply Rlt_le_trans; [|apply (mills_below y); lra]. pose proof (density_range (- y)).
  apply Rmult_lt_0_compat; [lra|]. assert (0 < y ^ 3) as cube by (apply pow_lt; lra).
  replace (1 / y - 1 / y ^ 3) with ((y ^ 2 - 1) / y ^ 3) by (field; lra). apply Rdiv_lt_0_compat; [nra|easy].
Qed.

(** Claim: For epsilon > 0 and 0 < delta < 1 the Gaussian with mu^2 = 2 B*, B* the simple budget at (epsilon, delta),
    has a hockey-stick divergence below delta/2 at epsilon.
    Covers: Gaussian(mu) *)
Theorem slack_half epsilon delta : 0 < epsilon -> 0 < delta < 1 ->
  gdp_delta (slack_mu epsilon delta) epsilon < delta / 2.
Proof.
  intros he hd. rewrite reaches_at by easy. destruct (slack_roots epsilon delta he hd) as (ht & hm & _ & same).
  pose proof (two_sided_tail (slack_t delta) ltac:(lra)) as tail. rewrite same in tail.
  pose proof (Phi_pos (- slack_t delta - slack_mu epsilon delta)). pose proof (exp_pos epsilon). nra.
Qed.

(** The Mills ratio R(x) = Phi(-x) e^{x^2/2} / peak, and R(x) - 1/x rises. *)
Definition mills_ratio (x : R) : R := Phi (- x) * exp (x ^ 2 / 2) / peak.

Lemma mills_rises a b : 0 < a <= b -> mills_ratio a - 1 / a <= mills_ratio b - 1 / b.
Proof.
  intros [ha order]. pose proof peak_pos as hp.
  apply (rises (fun x => mills_ratio x - 1 / x) (fun x => x * mills_ratio x - 1 + 1 / x ^ 2)); [easy| |].
  - intros x [low _]. unfold mills_ratio. evar_last.
    + apply (is_derive_minus (fun x => Phi (- x) * exp (x ^ 2 / 2) / peak) (fun x => 1 / x) x).
      * apply (is_derive_ext (fun x => / peak * (Phi (- x) * exp (x ^ 2 / 2)))); [intros z; apply Rmult_comm|].
        apply (is_derive_scal (fun x => Phi (- x) * exp (x ^ 2 / 2)) x (/ peak)).
        apply (is_derive_mult (fun x => Phi (- x)) (fun x => exp (x ^ 2 / 2)) x);
          [apply Phi_slope| |apply Rmult_comm].
        instantiate (1 := x * exp (x ^ 2 / 2)). auto_derive; [easy|].
        change (x * (x * 1) * / 2) with (x ^ 2 / 2). field.
      * instantiate (1 := - 1 / x ^ 2). auto_derive; [lra|]. field. lra.
    + unfold minus, plus, opp, scal; cbn -[pow]. unfold mult; cbn -[pow]. rewrite bell_square.
      replace (- x ^ 2 / 2) with (- (x ^ 2 / 2)) by field. rewrite exp_Ropp. pose proof (exp_pos (x ^ 2 / 2)). field.
      repeat split; lra.
  - intros x [low _]. pose proof (mills_below x ltac:(lra)) as bound. rewrite bell_square in bound.
    pose proof (exp_pos (x ^ 2 / 2)) as hx. pose proof (pow_lt x 2 ltac:(lra)).
    apply (Rmult_le_compat_r (exp (x ^ 2 / 2) / peak * x)) in bound.
    2: { apply Rmult_le_pos; [|lra]. left. now apply Rdiv_lt_0_compat. }
    replace (exp (- x ^ 2 / 2) * peak * (1 / x - 1 / x ^ 3) * (exp (x ^ 2 / 2) / peak * x))
      with (1 - 1 / x ^ 2) in bound.
    2: { replace (- x ^ 2 / 2) with (- (x ^ 2 / 2)) by field. rewrite exp_Ropp. field. repeat split; lra. }
    unfold mills_ratio. replace (Phi (- x) * (exp (x ^ 2 / 2) / peak * x))
      with (x * (Phi (- x) * exp (x ^ 2 / 2) / peak)) in bound by (field; lra). lra.
Qed.

(** The share of delta: a difference of Mills ratios. *)
(** Claim: For epsilon > 0 and 0 < delta < 1 the Gaussian with mu^2 = 2 B*, B* the simple budget at (epsilon, delta),
    has a hockey-stick divergence at epsilon of at most delta times mu/(t (t + mu)) times the largest density of a
    standard normal number, t = sqrt(2 log(1/delta)).
    Covers: Gaussian(mu) *)
Theorem slack_by_mu epsilon delta : 0 < epsilon -> 0 < delta < 1 ->
  let t := slack_t delta in let mu := slack_mu epsilon delta in
  gdp_delta mu epsilon <= delta * (peak * (mu / (t * (t + mu)))).
Proof.
  intros he hd. cbv zeta. pose proof (reaches_at epsilon delta he hd) as curve.
  pose proof (slack_roots epsilon delta he hd) as roots. revert curve roots.
  generalize (slack_t delta) (slack_mu epsilon delta). intros t mu curve (ht & hm & meets & same). rewrite curve.
  pose proof (mills_rises t (t + mu) ltac:(lra)) as more. pose proof peak_pos as hp. unfold mills_ratio in more.
  pose proof (exp_pos (t ^ 2 / 2)) as hx.
  apply (Rmult_le_compat_r (delta * peak)) in more; [|apply Rmult_le_pos; lra].
  assert (exp (t ^ 2 / 2) * delta = 1) as unit.
  { rewrite <- same, <- exp_plus. replace (t ^ 2 / 2 + - t ^ 2 / 2) with 0 by field. apply exp_0. }
  assert (exp ((t + mu) ^ 2 / 2) * delta = exp epsilon) as other.
  { rewrite <- same, <- exp_plus. f_equal. rewrite meets. field. }
  replace ((Phi (- t) * exp (t ^ 2 / 2) / peak - 1 / t) * (delta * peak))
    with (Phi (- t) * (exp (t ^ 2 / 2) * delta) - delta * peak / t) in more by (field; lra).
  replace ((Phi (- (t + mu)) * exp ((t + mu) ^ 2 / 2) / peak - 1 / (t + mu)) * (delta * peak))
    with (Phi (- (t + mu)) * (exp ((t + mu) ^ 2 / 2) * delta) - delta * peak / (t + mu)) in more by (field; lra).
  rewrite unit, other in more. replace (- t - mu) with (- (t + mu)) by ring.
  replace (delta * (peak * (mu / (t * (t + mu))))) with (delta * peak / t - delta * peak / (t + mu)) by (field; lra).
  lra.
Qed.
