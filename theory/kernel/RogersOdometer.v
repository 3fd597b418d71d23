(** The odometer of Rogers, Roth, Ullman and Vadhan (their Theorem 6.1): with S = sum epsilon_t^2, D = sum epsilon_t
    (e^{epsilon_t} - 1)/2 and n records, n >= 3, delta < 1/e, while sum delta_t <= delta/2,

      D + sqrt(2 S (log 110 + 1 + 2 log(log n / delta)))  where 1/n^2 <= S <= 1, and otherwise
      D + sqrt(2 (1/n^2 + S)(1 + log(1 + n^2 S)/2) log(4 log2(n) / delta)).

    - [rogers_odometer]: the loss is ever above it with probability at most delta, in both directions, where each round
      is an e-DP one but for outcomes of probability delta_t; [pure_but_for]: as that of Kairouz, Oh and Viswanath is;
    - [rogers_odometer_as_filter]: releasing while it is at most epsilon is (epsilon, delta)-DP for any
      (epsilon_t, delta_t)-DP mechanisms.

    Outside it is above the mixture with H = 1/n^2 at delta/(4 log2 n); inside, above one of at most 2 log2(n) + 1
    lines, one for each doubling of S, at delta/(8 log2 n) each. *)

From Coq Require Import Reals Lra Lia List.
From Interval Require Import Tactic.
From Filterproof Require Import Sums Interaction Divergences Paths AdditiveFilter Ledger ZCDPFilter PureToZCDP
  BasicFilter ApproximateZCDPFilter GoodParts RogersFilter HalfMixture Odometers MixtureOdometer.
Import ListNotations.
Open Scope R_scope.

Definition log2 (n : R) : R := ln n / ln 2.

Definition rogers_inner (n delta : R) (l : list pair_charge) : R :=
  2 * squares l * (ln 110 + 1 + 2 * ln (ln n / delta)).

Definition rogers_outer (n delta : R) (l : list pair_charge) : R :=
  2 * (1 / n ^ 2 + squares l) * (1 + ln (1 + n ^ 2 * squares l) / 2) * ln (4 * log2 n / delta).

Definition inside (n s : R) : bool :=
  (if Rle_dec (1 / n ^ 2) s then true else false) && (if Rle_dec s 1 then true else false).

Definition rogers_bound (n delta : R) (l : list pair_charge) : option R :=
  if Rle_dec (deltas l) (delta / 2)
  then Some (drift l + sqrt (if inside n (squares l) then rogers_inner n delta l else rogers_outer n delta l))
  else None.

Definition rogers_price (c : pair_charge) : R := eps_of c ^ 2 / 2.

(** e-DP but for outcomes of probability at most delta_t: as a zCDP round but for them. *)
Definition rogers_honest : request pair_charge -> Prop := both (lossy rogers_price delta_of).

Lemma prices_are_squares l : list_sum rogers_price l = squares l / 2.
Proof. unfold squares, rogers_price. induction l as [|c l IH]; cbn [list_sum]; [lra|rewrite IH; lra]. Qed.

(** ** Lines for the doublings *)

(** Between v and 2 v the line that is best at sqrt(2) v is at most sqrt(1/2 + 3 sqrt(2)/8) times the best line. *)
Lemma doubling_line l v s : 0 < l -> 0 < v -> v <= s <= 2 * v -> let k := sqrt (2 * l / (sqrt 2 * v)) in
  0 < k /\ k * s / 2 + l / k <= sqrt (2 * s * l * (1 / 2 + 3 * sqrt 2 / 8)).
Proof.
  intros hl hv range k. pose proof (sqrt_lt_R0 2 ltac:(lra)) as root. pose proof (sqrt_sqrt 2 ltac:(lra)) as two.
  set (m := sqrt 2 * v) in *. assert (0 < m) as hm by (apply Rmult_lt_0_compat; lra).
  assert (0 < 2 * l / m) as positive by (apply Rdiv_lt_0_compat; lra).
  assert (0 < k) as hk by now apply sqrt_lt_R0. split; [easy|].
  assert (k * k = 2 * l / m) as kk by (apply sqrt_sqrt; lra).
  assert (0 < l / k) by now apply Rdiv_lt_0_compat. assert (0 < k * s / 2) by nra.
  rewrite <- (sqrt_square (k * s / 2 + l / k)) by lra. apply sqrt_le_1_alt.
  replace ((k * s / 2 + l / k) * (k * s / 2 + l / k)) with (k * k * (s * s) / 4 + s * l + l * l / (k * k)) by (field;
    lra).
  rewrite kk. replace (2 * l / m * (s * s) / 4 + s * l + l * l / (2 * l / m)) with
    (s * l + l * (s * s + m * m) / (2 * m)) by (field; lra).
  assert (m * m = 2 * (v * v)) as mm by (replace (m * m) with (sqrt 2 * sqrt 2 * (v * v)) by (unfold m; ring);
    now rewrite two). rewrite mm.
  assert (s * s + 2 * (v * v) <= 3 * s * v) as between by nra.
  replace (2 * s * l * (1 / 2 + 3 * sqrt 2 / 8)) with (s * l + l * (3 * s * v) / (2 * m)).
  - apply Rplus_le_compat_l. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|].
    apply Rmult_le_compat_l; lra.
  - replace (l * (3 * s * v) / (2 * m)) with (3 * s * l * (v / m) / 2) by (field; lra).
    replace (v / m) with (sqrt 2 / (sqrt 2 * sqrt 2)) by (unfold m; field; lra). rewrite two. lra.
Qed.

(** 1.0304 (x + log(8/log 2)) is at most log 110 + 1 + 2 x for x >= 1. *)
Lemma stitched_below x : 1 <= x -> (1 / 2 + 3 * sqrt 2 / 8) * (x + ln (8 / ln 2)) <= ln 110 + 1 + 2 * x.
Proof.
  intros hx. assert (ln (8 / ln 2) <= 2447 / 1000) as shift by interval.
  assert (57 / 10 <= ln 110 + 1) as constant by interval.
  assert (0 <= 1 / 2 + 3 * sqrt 2 / 8 <= 10304 / 10000) as [low high] by (split; interval). nra.
Qed.

Section bound.

Variables (n delta : R).
Hypotheses (records : 3 <= n) (hd : 0 < delta < exp (- (1))).

Lemma logs : 0 < ln 2 /\ 1 < ln n /\ ln 2 <= 2 / 3 * ln n /\ 1 < ln (1 / delta).
Proof.
  assert (0 < ln 2) as h2 by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (ln 3 <= ln n) as hn by (destruct records as [more| <-]; [left; apply ln_increasing; lra|lra]).
  assert (1 < ln 3) by interval. assert (ln 2 <= 2 / 3 * ln 3) by interval.
  unfold Rdiv. rewrite Rmult_1_l, ln_Rinv by lra. pose proof (ln_increasing delta _ ltac:(lra) (proj2 hd)) as it.
  rewrite ln_exp in it. lra.
Qed.

Definition outer_share : R := delta / (4 * log2 n).
Definition inner_share : R := delta / (8 * log2 n).
Definition level : R := ln (1 / inner_share).
Definition slope (j : nat) : R := sqrt (2 * level / (sqrt 2 * (/ (n ^ 2 * (1 / 2) ^ j)))).

Lemma log2_range : 1 < log2 n.
Proof.
  destruct logs as (h2 & hn & less & _). unfold log2. apply (Rmult_lt_reg_r (ln 2)); [easy|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Lemma shares : 0 < outer_share < 1 /\ 0 < inner_share < 1.
Proof.
  pose proof log2_range. pose proof (exp_increasing (- (1)) 0 ltac:(lra)) as e. rewrite exp_0 in e.
  unfold outer_share, inner_share.
  repeat split; try (apply Rdiv_lt_0_compat; lra);
    [apply (Rmult_lt_reg_r (4 * log2 n))|apply (Rmult_lt_reg_r (8 * log2 n))]; try lra;
    unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Lemma level_is : level = ln (ln n / delta) + ln (8 / ln 2) /\ 1 < ln (ln n / delta) /\ 0 < level.
Proof.
  destruct logs as (h2 & hn & less & hl). assert (ln (ln n / delta) = ln (ln n) + ln (1 / delta)) as split_up.
  { unfold Rdiv. rewrite Rmult_1_l, ln_mult by (try apply Rinv_0_lt_compat; lra). easy. }
  assert (0 < ln (ln n)) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (level = ln (ln n / delta) + ln (8 / ln 2)) as sums.
  { unfold level, inner_share, log2. rewrite <- ln_mult by (apply Rdiv_lt_0_compat; lra). f_equal. field. lra. }
  assert (0 < ln (8 / ln 2)) by interval. rewrite sums. repeat split; lra.
Qed.

(** As many doublings as lead from 1/n^2 to 1. *)
Lemma epochs_exist : exists J, n ^ 2 * (1 / 2) ^ J < 1 /\ INR J <= 2 * log2 n + 1.
Proof.
  destruct logs as (h2 & hn & _ & _). assert (0 < n ^ 2) as hn2 by (apply pow_lt; lra).
  destruct (pow_lt_1_zero (1 / 2)) with (y := 1 / n ^ 2) as [N far];
    [rewrite Rabs_right; lra|apply Rdiv_lt_0_compat; lra|].
  specialize (far N (le_n N)). rewrite Rabs_right in far by (apply Rle_ge, pow_le; lra).
  apply (Rmult_lt_compat_l (n ^ 2)) in far; [|easy]. replace (n ^ 2 * (1 / n ^ 2)) with 1 in far by (field; lra).
  destruct (passing (1 / 2) (n ^ 2) 1 N) as (k & _ & above & below); [nra|easy|].
  exists (S k). split; [easy|]. rewrite S_INR. apply Rplus_le_compat_r.
  assert (0 < (1 / 2) ^ k) as hp by (apply pow_lt; lra).
  assert (0 <= ln (n ^ 2 * (1 / 2) ^ k)) as logarithm
    by (rewrite <- ln_1; destruct above as [more| <-]; [left; apply ln_increasing; lra|lra]).
  rewrite ln_mult, !ln_pow in logarithm by lra.
  replace (ln (1 / 2)) with (- ln 2) in logarithm by (unfold Rdiv; rewrite Rmult_1_l, ln_Rinv; lra).
  unfold log2. apply (Rmult_le_reg_r (ln 2)); [easy|].
  replace (2 * (ln n / ln 2) * ln 2) with (2 * ln n) by (field; lra). cbn [INR] in logarithm. lra.
Qed.

(** The mixture outside, and the lines inside. *)
Definition rogers_potential (J K : nat) (V x y : R) : R :=
  outer_share * (x * mixed (1 / n ^ 2) (INR K) (ln x - ln y) V) +
  sum J (fun j => inner_share * tilted (slope j) V x y).

Lemma slope_pos j : 0 < slope j.
Proof.
  destruct level_is as (_ & _ & hl). apply sqrt_lt_R0, Rdiv_lt_0_compat; [lra|].
  apply Rmult_lt_0_compat; [apply sqrt_lt_R0; lra|]. apply Rinv_0_lt_compat, Rmult_lt_0_compat; apply pow_lt; lra.
Qed.

Lemma potential_mixes J : mixes (rogers_potential J).
Proof.
  destruct shares as [outer inner].
  apply (together_mix (fun K V x y => outer_share * (x * mixed (1 / n ^ 2) (INR K) (ln x - ln y) V))
    (fun _ V x y => sum J (fun j => inner_share * tilted (slope j) V x y))).
  - apply half_mixture_mixes. lra.
  - apply (lines_mix J slope (fun _ => inner_share)); intros; [apply slope_pos|lra].
Qed.

Lemma spread : 0 < 1 / n ^ 2.
Proof. apply Rdiv_lt_0_compat; [lra|]. apply pow_lt. lra. Qed.

Lemma potential_begins J K : INR J <= 2 * log2 n + 1 -> rogers_potential J K 0 1 1 <= delta / 2.
Proof.
  intros few. destruct shares as [outer inner]. unfold rogers_potential.
  pose proof (mixture_begins (1 / n ^ 2) outer_share spread outer K) as one.
  rewrite (sum_ext J _ (fun _ => inner_share)).
  2:{ intros j _. unfold tilted. rewrite ln_1, Rmult_0_r, !Rminus_0_r, Rmult_0_r, exp_0. ring. }
  assert (sum J (fun _ => inner_share) = INR J * inner_share) as ->.
  { clear few. induction J as [|J IH]; [cbn; ring|]. rewrite S_INR. cbn [sum]. rewrite IH. ring. }
  assert (INR J * inner_share <= (2 * log2 n + 1) * inner_share) by (apply Rmult_le_compat_r; lra).
  destruct logs as (h2 & hn & less & _). pose proof log2_range.
  enough (outer_share + (2 * log2 n + 1) * inner_share <= delta / 2) by lra.
  assert (3 / 2 <= log2 n) as wide.
  { unfold log2. apply (Rmult_le_reg_r (ln 2)); [easy|]. unfold Rdiv at 2. rewrite Rmult_assoc, Rinv_l; lra. }
  unfold outer_share, inner_share. apply (Rmult_le_reg_r (8 * log2 n)); [lra|].
  replace ((delta / (4 * log2 n) + (2 * log2 n + 1) * (delta / (8 * log2 n))) * (8 * log2 n))
    with (delta * (2 * log2 n + 3)) by (field; lra).
  replace (delta / 2 * (8 * log2 n)) with (delta * (4 * log2 n)) by field. apply Rmult_le_compat_l; lra.
Qed.

Lemma outer_above l : mixture_bound (1 / n ^ 2) outer_share (squares l / 2) <= drift l + sqrt (rogers_outer n delta l).
Proof.
  pose proof (drift_above l). pose proof (squares_nonneg l) as hs. pose proof spread as hH.
  destruct logs as (h2 & hn & _ & hl). pose proof log2_range. assert (0 < n ^ 2) by (apply pow_lt; lra).
  unfold mixture_bound. apply Rplus_le_compat; [easy|]. apply sqrt_le_1_alt. unfold rogers_outer.
  replace (2 * (squares l / 2)) with (squares l) by field.
  replace (squares l / (1 / n ^ 2) + 1) with (1 + n ^ 2 * squares l) by (field; lra).
  replace (1 / outer_share) with (4 * log2 n / delta) by (unfold outer_share; field; lra).
  assert (0 <= ln (1 + n ^ 2 * squares l)) as hr.
  { rewrite <- ln_1. assert (0 <= n ^ 2 * squares l) by nra.
    destruct (Req_dec (n ^ 2 * squares l) 0) as [->|]; [rewrite Rplus_0_r; lra|left; apply ln_increasing; lra]. }
  assert (1 <= ln (4 * log2 n / delta)) as large.
  { apply Rle_trans with (ln (1 / delta)); [lra|]. left. apply ln_increasing; [apply Rdiv_lt_0_compat; lra|].
    apply Rmult_lt_compat_r; [apply Rinv_0_lt_compat|]; lra. }
  set (r := ln (1 + n ^ 2 * squares l)) in *. set (g := ln (4 * log2 n / delta)) in *.
  replace (2 * (squares l + 1 / n ^ 2) * (g + r / 2)) with (2 * (1 / n ^ 2 + squares l) * (g + r / 2)) by ring.
  rewrite (Rmult_assoc (2 * _) (1 + r / 2)). apply Rmult_le_compat_l; [lra|]. nra.
Qed.

Lemma inner_above J l : n ^ 2 * (1 / 2) ^ J < 1 -> inside n (squares l) = true ->
  exists j, (j < J)%nat /\ line (slope j) inner_share (squares l / 2) <= drift l + sqrt (rogers_inner n delta l).
Proof.
  intros enough here. unfold inside in here. destruct (Rle_dec (1 / n ^ 2) (squares l)) as [low|]; [|easy].
  destruct (Rle_dec (squares l) 1) as [high|]; [|easy]. assert (0 < n ^ 2) as hn2 by (apply pow_lt; lra).
  pose proof (pow_lt (1 / 2) J ltac:(lra)) as hJ.
  assert (1 <= squares l * n ^ 2) as first.
  { apply (Rmult_le_compat_r (n ^ 2)) in low; [|lra]. replace (1 / n ^ 2 * n ^ 2) with 1 in low by (field; lra). lra. }
  destruct (passing (1 / 2) (squares l * n ^ 2) 1 J) as (j & small & above & below); [easy| |].
  { rewrite Rmult_assoc. apply Rle_lt_trans with (1 * (n ^ 2 * (1 / 2) ^ J)); [|lra].
    apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|easy]. }
  exists j. split; [easy|]. set (p := (1 / 2) ^ j) in *. assert (0 < p) as hp by (apply pow_lt; lra).
  destruct level_is as (sums & hx & hl). set (v := / (n ^ 2 * p)).
  assert (0 < v) as hv by (apply Rinv_0_lt_compat, Rmult_lt_0_compat; lra).
  assert (v * (n ^ 2 * p) = 1) as unit by (unfold v; field; lra).
  assert (0 < n ^ 2 * p) as hnp by (apply Rmult_lt_0_compat; lra).
  assert (v <= squares l <= 2 * v) as range.
  { cbn [pow] in below. fold p in below.
    split; apply (Rmult_le_reg_r (n ^ 2 * p)); try easy; rewrite ?Rmult_assoc, unit; cbn in *; nra. }
  destruct (doubling_line level v (squares l) hl hv range) as [_ best].
  pose proof (drift_above l). unfold line. fold level.
  change (sqrt (2 * level / (sqrt 2 * v))) with (slope j) in best.
  assert (sqrt (2 * squares l * level * (1 / 2 + 3 * sqrt 2 / 8)) <= sqrt (rogers_inner n delta l)) as wide.
  { apply sqrt_le_1_alt. unfold rogers_inner. rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra|].
    pose proof (stitched_below (ln (ln n / delta)) ltac:(lra)) as it. rewrite sums. lra. }
  lra.
Qed.

Lemma rogers_short l b : rogers_bound n delta l = Some b -> list_sum delta_of l <= delta / 2.
Proof. unfold rogers_bound, deltas. now destruct (Rle_dec (list_sum delta_of l) (delta / 2)). Qed.

Lemma rogers_crossing J l b x y : n ^ 2 * (1 / 2) ^ J < 1 -> rogers_bound n delta l = Some b ->
  0 <= list_sum rogers_price l -> 0 < x -> 0 < y -> b < ln x - ln y ->
  exists K0, forall K, (K0 <= K)%nat -> x <= rogers_potential J K (list_sum rogers_price l) x y.
Proof.
  intros enough some hV hx _ past. destruct shares as [outer inner]. rewrite prices_are_squares in *.
  unfold rogers_bound in some. destruct (Rle_dec (deltas l) (delta / 2)); [|easy]. injection some as <-.
  assert (forall j, 0 <= inner_share * tilted (slope j) (squares l / 2) x y) as each.
  { intros j. apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; [lra|left; apply exp_pos]. }
  assert (forall K, 0 <= outer_share * (x * mixed (1 / n ^ 2) (INR K) (ln x - ln y) (squares l / 2))) as whole.
  { intros K. apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; [lra|]. apply mixed_nonneg, pos_INR. }
  destruct (inside n (squares l)) eqn:here.
  - destruct (inner_above J l enough here) as (j & small & below). exists 0%nat. intros K _.
    pose proof (line_crossed (slope j) inner_share (squares l / 2) x y (slope_pos j) (proj1 inner) hx ltac:(lra)).
    pose proof (sum_one_term J (fun j => inner_share * tilted (slope j) (squares l / 2) x y) j small
      ltac:(intros; apply each)). specialize (whole K). unfold rogers_potential. cbn in *. lra.
  - pose proof (outer_above l).
    destruct (mixture_crossed (1 / n ^ 2) outer_share spread outer (squares l / 2) x y hV hx ltac:(lra)) as [K0 all].
    exists K0. intros K large. specialize (all K large).
    pose proof (sum_nonneg J (fun j => inner_share * tilted (slope j) (squares l / 2) x y) ltac:(intros; apply each)).
    unfold rogers_potential. lra.
Qed.

(** Claim: For n >= 3 and 0 < delta < 1/e, in finitely many rounds that lose as (epsilon_t^2/2)-zCDP ones but for
    outcomes of probability at most delta_t, both ways, the probability that the loss is ever above the sum of epsilon_t
    (e^epsilon_t - 1)/2 plus the root of 2 S (log 110 + 1 + 2 log(log(n)/delta)) while 1/n^2 <= S <= 1, and of 2 (1/n^2
    + S) (1 + log(1 + n^2 S)/2) log(4 log2(n)/delta) otherwise, S the sum of epsilon_t^2, while the delta_t sum to at
    most delta/2, is at most delta, in both directions.
    Source: Rogers, Roth, Ullman & Vadhan, Theorem 6.1
    Beyond: That for all (epsilon_t, delta_t)-DP rounds; they are covered where the bound is a filter. *)
Theorem rogers_odometer grants t : honest rogers_honest t ->
  ever (listing grants) (above_list (rogers_bound n delta)) [] 1 1 t <= delta /\
  ever (listing grants) (above_list (rogers_bound n delta)) [] 1 1 (swapped t) <= delta.
Proof.
  intros hon. destruct epochs_exist as (J & enough & few). replace delta with (delta / 2 + delta / 2) at 2 4 by field.
  apply (loss_odometer rogers_price delta_of (rogers_bound n delta) (delta / 2) (delta / 2) (rogers_potential J));
    [apply potential_mixes|apply rogers_short| | |lra|easy].
  - intros l b x y some hV hx hy past. now apply (rogers_crossing J l b).
  - intros K. now apply potential_begins.
Qed.

(** Claim: For n >= 3 and 0 < delta < 1/e, releasing only while the delta_t sum to at most delta/2 and the sum of
    epsilon_t (e^epsilon_t - 1)/2 plus the root of 2 S (log 110 + 1 + 2 log(log(n)/delta)) while 1/n^2 <= S <= 1, and of
    2 (1/n^2 + S) (1 + log(1 + n^2 S)/2) log(4 log2(n)/delta) otherwise, S the sum of epsilon_t^2, is at most epsilon >=
    0, the request included, keeps (epsilon, delta)-DP for any (epsilon_t, delta_t)-DP mechanisms, delta_t < 1.
    Source: Rogers, Roth, Ullman & Vadhan, Theorem 6.1 *)
Theorem rogers_odometer_as_filter epsilon : 0 <= epsilon ->
  promises_delta (below_list (rogers_bound n delta) epsilon) advanced_honest epsilon delta.
Proof.
  intros he. destruct epochs_exist as (J & enough & few).
  pose proof (exp_increasing (- (1)) 0 ltac:(lra)) as e. rewrite exp_0 in e.
  assert (promises_delta (below_list (rogers_bound n delta) epsilon) (approximate_zcdp_priced rogers_price delta_of)
    epsilon (delta / 2 + delta / 2)) as promise.
  { apply (approximate_odometer_as_filter rogers_price delta_of _ _ _ (rogers_potential J));
      [apply potential_mixes|apply rogers_short| | |lra|lra|easy].
    - intros l b x y some hV hx hy past. now apply (rogers_crossing J l b).
    - intros K. now apply potential_begins. }
  replace delta with (delta / 2 + delta / 2) at 2 by field. intros t hon. apply promise.
  revert hon; apply honest_weaken. intros m (lm & small & private & other).
  apply (private_is_approximate_zcdp _ _ (eps_of (charge m))); try easy;
    [apply cond_nonneg|split; [apply cond_nonneg|easy]|unfold rogers_price; lra].
Qed.

End bound.

(** ** What is honest *)

(** Claim: A round that is e-DP but for outcomes of the same probability d < 1 under both laws loses as an (e^2/2)-zCDP
    one but for them. *)
Lemma pure_but_for {C} (price cost : C -> R) e d (good : nat -> bool) (m : request C) : laws m -> 0 <= e ->
  0 <= d < 1 ->
  e ^ 2 / 2 <= price (charge m) -> d <= cost (charge m) ->
  sum (outcomes m) (fun i => if good i then P m i else 0) = 1 - d ->
  sum (outcomes m) (fun i => if good i then Q m i else 0) = 1 - d ->
  (forall i, (i < outcomes m)%nat -> good i = true -> P m i <= exp e * Q m i /\ Q m i <= exp e * P m i) ->
  lossy price cost m.
Proof.
  intros lawful he hd enough room massP massQ pure. pose proof lawful as ((hp & onep) & (hq & oneq)).
  assert (0 < / (1 - d)) as hi by (apply Rinv_0_lt_compat; lra).
  set (part := fun (u : nat -> R) (i : nat) => / (1 - d) * (if good i then u i else 0)).
  assert (forall u, (forall i, (i < outcomes m)%nat -> 0 <= u i) ->
    sum (outcomes m) (fun i => if good i then u i else 0) = 1 - d -> law (outcomes m) (part u)) as parts.
  { intros u hu mass. split; [|unfold part; rewrite sum_scale, mass; field; lra].
    intros i small. specialize (hu i small). unfold part. destruct (good i); apply Rmult_le_pos; lra. }
  assert (zcdp_priced price (with_laws m (part (P m)) (part (Q m)))) as zcdp.
  { apply (pure_is_zcdp price e); [|easy].
    split; (split; [split; now apply parts|split; [easy|]]); intros i small; cbn; unfold part;
      destruct (good i) eqn:fine; try (rewrite !Rmult_0_r; lra); destruct (pure i small fine) as [one other];
      rewrite <- Rmult_assoc, (Rmult_comm (exp e)), Rmult_assoc; apply Rmult_le_compat_l; lra. }
  destruct zcdp as [hc every]. split; [easy|]. split; [easy|]. split; [lra|]. exists good. repeat split.
  - intros i small fine zero. destruct (pure i small fine) as [one _]. specialize (hp i small). rewrite zero in one.
    lra.
  - rewrite (sum_ext _ _ (fun i => P m i - (if good i then P m i else 0))) by (intros i _; destruct (good i); lra).
    rewrite sum_minus, onep, massP. lra.
  - intros alpha above. destruct (every alpha above) as [(_ & _ & _ & moment) _]. cbn in moment.
    unfold round_moment in moment. cbn in moment.
    apply Rle_trans with (sum (outcomes m) (fun i => term alpha (part (P m) i) (part (Q m) i))); [|exact moment].
    apply sum_le. intros i small. unfold part. destruct (good i) eqn:fine; [|rewrite !Rmult_0_r, term_zero; lra].
    specialize (hp i small). specialize (hq i small). destruct (pure i small fine) as [one _].
    rewrite term_mult by (lra || (intros zero; rewrite ?zero in one; lra)).
      rewrite <- (Rmult_1_l (term alpha (P m i) (Q m i))) at 1.
    apply Rmult_le_compat_r; [apply term_nonneg|]. unfold term, power. destruct (Rle_dec (/ (1 - d)) 0); [lra|].
    rewrite <- Rpower_plus. replace (alpha + (1 - alpha)) with 1 by ring. rewrite Rpower_1 by easy.
    rewrite <- Rinv_1 at 1. apply Rinv_le_contravar; lra.
Qed.

(** The pair of Kairouz, Oh and Viswanath with ratio 2 and delta 1/4: the first outcome tells which data set it was. *)
Definition told_or_coin (c : pair_charge) : request pair_charge :=
  Ask 4 (fun i => match i with O => 1/4 | 1%nat => 1/2 | 2%nat => 1/4 | _ => 0 end)
        (fun i => match i with O => 0 | 1%nat => 1/4 | 2%nat => 1/2 | _ => 1/4 end) c.

(** Claim: An example: the pair KOV(log 2, 1/4) loses as a zCDP round but for outcomes of probability 1/4, so honesty
    can be met. *)
Example told_or_coin_is_honest e d : eps_of (e, d) = ln 2 -> delta_of (e, d) = 1/4 ->
  rogers_honest (told_or_coin (e, d)).
Proof.
  intros he hd. assert (0 < ln 2) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (exp (ln 2) = 2) as two by (apply exp_ln; lra).
  split; apply (pure_but_for _ _ (ln 2) (1/4) (fun i => match i with 1%nat | 2%nat => true | _ => false end));
    unfold rogers_price; cbn [charge told_or_coin swap]; rewrite ?he, ?hd; cbn -[exp ln pow]; try lra;
    try (unfold laws, law; cbn; repeat split; try lra; intros [|[|[|[|i]]]]; cbn; lra || lia);
    intros [|[|[|[|i]]]] small fine; try easy; try lia; rewrite two; lra.
Qed.
