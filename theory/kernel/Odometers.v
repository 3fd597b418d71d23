(** Odometers that are lines, the least of several lines, or nested filters: bounds on the loss that hold at all times.

    - [lines_odometer]: if rounds are zCDP, V is the sum of their charges, and the bound at V is nowhere below all of
      finitely many lines (k_j + 1) V + log(1/delta_j) / k_j, then the loss is ever above the bound with probability at
      most delta_1 + ... + delta_J, in both directions.
    - [line_odometer]: one line. [doubling_odometer]: nested filters of sizes B_j, of which the smallest that has not
      halted gives the bound B_j + 2 sqrt(B_j log(1/delta_j)); Lecuyer's grid is B_j = B 2^j.
    - [odometer_as_filter]: releasing while the bound is at most epsilon is (epsilon, delta_1 + ... + delta_J)-DP.

    - [stitched_odometer]: at each V one of the lines, as the least of some of them is. *)

From Coq Require Import Reals Lra Lia List.
From Filterproof Require Import Sums Interaction Divergences Paths AdditiveFilter Ledger RenyiFilter ZCDPFilter.
From Filterproof Require Import PureToZCDP IndividualFilter.
Import ListNotations.
Open Scope R_scope.

(** ** The probability that something ever happens *)

(** [ever F bad s x y t]: the probability, under the first law, of the paths on which [bad] holds at some time. *)
Fixpoint ever {C} (F : filter C) (bad : state F -> R -> R -> bool) (s : state F) (x y : R) (t : strategy C) : R :=
  if bad s x y then x else
  match t with
  | Stop => 0
  | Request m granted denied =>
      if admits F s (charge m)
      then sum (outcomes m) (fun i => ever F bad (after F s (charge m) i) (x * P m i) (y * Q m i) (granted i))
      else ever F bad s x y denied
  end.

(** Ville's inequality: a potential that does not rise in the mean, is never below 0, and where [bad] holds is at least
    the probability, bounds the probability that it ever holds. *)
Theorem ville {C} (F : filter C) (ok : request C -> Prop) (bad : state F -> R -> R -> bool)
    (Inv : state F -> R -> R -> Prop) (Phi : state F -> R -> R -> R) :
  (forall s x y, Inv s x y -> 0 <= Phi s x y) ->
  (forall s x y, Inv s x y -> bad s x y = true -> x <= Phi s x y) ->
  (forall s m x y, Inv s x y -> ok m -> admits F s (charge m) = true ->
     (forall i, (i < outcomes m)%nat -> Inv (after F s (charge m) i) (x * P m i) (y * Q m i)) /\
     sum (outcomes m) (fun i => Phi (after F s (charge m) i) (x * P m i) (y * Q m i)) <= Phi s x y) ->
  forall t s x y, honest ok t -> Inv s x y -> ever F bad s x y t <= Phi s x y.
Proof.
  intros nonneg crossed round t. induction t as [|m granted IHg denied IHd]; intros s x y hon inv; cbn.
  - destruct (bad s x y) eqn:now_bad; [now apply crossed|now apply nonneg].
  - destruct (bad s x y) eqn:now_bad; [now apply crossed|]. destruct hon as [okm [hong hond]].
    destruct (admits F s (charge m)) eqn:admitted; [|now apply IHd].
    destruct (round s m x y inv okm admitted) as [keep step].
    eapply Rle_trans; [|exact step]. apply sum_le. intros i small. now apply IHg; [|apply keep].
Qed.

(** ** Lines *)

(** Nothing is denied; the state is the sum of the charges. *)
Definition counting : filter R := Filter R 0 (fun _ _ => true) (fun v c _ => v + c).

Definition line (k delta v : R) : R := (k + 1) * v + ln (1 / delta) / k.

(** The loss is above the bound; [None] is an infinite bound. *)
Definition above (bound : R -> option R) (v x y : R) : bool :=
  match bound v with
  | Some b => if Rlt_dec (exp b * y) x then true else false
  | None => false
  end.

Section lines.

Variables (lines : nat) (k delta : nat -> R).
Hypotheses (hk : forall j, (j < lines)%nat -> 0 < k j) (hdelta : forall j, (j < lines)%nat -> 0 < delta j).

(** The sum of delta_j e^{k_j L - k_j (k_j + 1) V}, times the probability so far. *)
Definition mixture (v x y : R) : R :=
  sum lines (fun j => delta j * (term (k j + 1) x y * exp (- (k j * (k j + 1) * v)))).

Definition sane (v x y : R) : Prop := masses x y.

Lemma mixture_term_nonneg j v x y : (j < lines)%nat ->
  0 <= delta j * (term (k j + 1) x y * exp (- (k j * (k j + 1) * v))).
Proof.
  intros small. specialize (hdelta j small). pose proof (term_nonneg (k j + 1) x y).
  pose proof (exp_pos (- (k j * (k j + 1) * v))). apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra].
Qed.

Lemma mixture_nonneg v x y : 0 <= mixture v x y.
Proof. apply sum_nonneg. intros; now apply mixture_term_nonneg. Qed.

Lemma crossing j v x y : (j < lines)%nat -> sane v x y -> exp (line (k j) (delta j) v) * y < x -> x <= mixture v x y.
Proof.
  intros small (hx & hy & dom) beyond.
  apply Rle_trans with (delta j * (term (k j + 1) x y * exp (- (k j * (k j + 1) * v))));
    [|apply (sum_one_term lines (fun j => delta j * (term (k j + 1) x y * exp (- (k j * (k j + 1) * v)))));
      [easy|intros; now apply mixture_term_nonneg]].
  specialize (hk j small). specialize (hdelta j small).
  pose proof (exp_pos (line (k j) (delta j) v)) as positive.
  assert (some : 0 < x) by nra. assert (y <> 0) by (intros ->; specialize (dom eq_refl); lra).
  assert (ex : exp (ln x) = x) by (apply exp_ln; lra).
  assert (logs : line (k j) (delta j) v + ln y < ln x).
  { rewrite <- (ln_exp (line (k j) (delta j) v)), <- ln_mult by lra.
    apply ln_increasing; [apply Rmult_lt_0_compat; lra|easy]. }
  unfold term, power, Rpower. destruct (Rle_dec x 0); [lra|].
  rewrite <- (exp_ln (delta j)) at 1 by easy. rewrite <- !exp_plus. rewrite <- ex at 1. apply exp_le.
  unfold line in logs. unfold Rdiv in logs. rewrite Rmult_1_l, ln_Rinv in logs by easy.
  assert (scaled : k j * ((k j + 1) * v + - ln (delta j) * / k j + ln y) <= k j * ln x)
    by (apply Rmult_le_compat_l; lra).
  replace (k j * ((k j + 1) * v + - ln (delta j) * / k j + ln y)) with
    (k j * (k j + 1) * v - ln (delta j) + k j * ln y) in scaled by (field; lra). lra.
Qed.

Lemma mixture_step v m x y : sane v x y -> zcdp_honest m ->
  (forall i, (i < outcomes m)%nat -> sane (v + charge m) (x * P m i) (y * Q m i)) /\
  sum (outcomes m) (fun i => mixture (v + charge m) (x * P m i) (y * Q m i)) <= mixture v x y.
Proof.
  intros inv okm. pose proof (zcdp_dominated m okm) as dominated_m. split; [intros; now apply masses_round|].
  destruct inv as (hx & hy & dom). destruct dominated_m as [((hp & _) & (hq & _)) _]. destruct okm as [hc all].
  - unfold mixture at 1.
    assert (exchange : forall n l f,
      sum n (fun i => sum l (fun j => f i j)) = sum l (fun j => sum n (fun i => f i j))).
    { clear. intros n l f. induction n as [|n IH]; cbn; [now rewrite sum_zero|now rewrite IH, sum_plus]. }
    rewrite exchange. apply sum_le. intros j small. rewrite sum_scale.
    specialize (hdelta j small). specialize (hk j small). apply Rmult_le_compat_l; [lra|]. rewrite sum_scale_right.
    destruct (all (k j + 1) ltac:(lra)) as [(_ & _ & cont & moment) _].
    rewrite (sum_ext _ _ (fun i => term (k j + 1) x y * term (k j + 1) (P m i) (Q m i))).
    2:{ intros i less. apply term_mult; auto. }
    rewrite sum_scale, Rmult_assoc. apply Rmult_le_compat_l; [apply term_nonneg|].
    replace (exp (- (k j * (k j + 1) * v))) with
      (exp ((k j + 1 - 1) * ((k j + 1) * charge m)) * exp (- (k j * (k j + 1) * (v + charge m))))
      by (rewrite <- exp_plus; f_equal; ring).
    apply Rmult_le_compat_r; [left; apply exp_pos|exact moment].
Qed.

Lemma mixture_at_start : mixture 0 1 1 = sum lines delta.
Proof. apply sum_ext. intros j small. rewrite term_one, Rmult_0_r, Ropp_0, exp_0. ring. Qed.

(** Where the bound is finite, it is at least one of the lines. *)
Variable bound : R -> option R.
Hypothesis lines_below : forall v b, bound v = Some b -> exists j, (j < lines)%nat /\ line (k j) (delta j) v <= b.

Lemma bound_crossing v x y : sane v x y -> above bound v x y = true -> x <= mixture v x y.
Proof.
  intros inv crossed. unfold above in crossed. destruct (bound v) as [b|] eqn:finite; [|easy].
  destruct (Rlt_dec (exp b * y) x) as [beyond|]; [|easy].
  destruct (lines_below v b finite) as [j [small below]]. apply (crossing j); [easy|easy|].
  apply exp_le in below. destruct inv as (_ & hy & _). nra.
Qed.

Lemma lines_one_way t : honest zcdp_honest t -> ever counting (above bound) 0 1 1 t <= sum lines delta.
Proof.
  intros hon. rewrite <- mixture_at_start.
  apply (ville counting zcdp_honest (above bound) sane mixture); [| | |easy|repeat split; lra].
  - intros; apply mixture_nonneg.
  - intros; now apply bound_crossing.
  - intros v m x y inv okm _. now apply mixture_step.
Qed.

(** The loss is ever above the bound with probability at most the sum of the deltas, under either data set. *)
Theorem lines_odometer t : honest zcdp_honest t ->
  ever counting (above bound) 0 1 1 t <= sum lines delta /\
  ever counting (above bound) 0 1 1 (swapped t) <= sum lines delta.
Proof.
  intros hon. split; apply lines_one_way; [easy|]. revert hon. apply honest_swapped.
  exact (zcdp_priced_swap (fun c => c)).
Qed.

(** The filter that releases while the bound, the request included, is at most epsilon. *)
Definition while_below (epsilon : R) : filter R :=
  Filter R 0
    (fun v c => match bound (v + c) with Some b => if Rle_dec b epsilon then true else false | None => false end)
    (fun v c _ => v + c).

Theorem odometer_as_filter epsilon : 0 <= epsilon ->
  promises_delta (while_below epsilon) zcdp_honest epsilon (sum lines delta).
Proof.
  intros positive. apply both_ways; [exact (zcdp_priced_swap (fun c => c))|]. intros t hon.
  rewrite <- mixture_at_start. unfold hockey_stick, over.
  apply (potential (while_below epsilon) zcdp_honest _
    (fun v x y => sane v x y /\ (x <= exp epsilon * y \/ exists b, bound v = Some b /\ b <= epsilon)) mixture);
    [| |easy|].
  - intros v tau x y [inv [quiet|[b [finite low]]]].
    + apply pos_least; [apply mixture_nonneg|]. pose proof (mixture_nonneg v x y). lra.
    + apply pos_least; [apply mixture_nonneg|].
      destruct (Rlt_dec (exp b * y) x) as [beyond|within].
      * assert (x <= mixture v x y).
        { apply bound_crossing; [easy|]. unfold above. rewrite finite. now destruct (Rlt_dec (exp b * y) x). }
        destruct inv as (_ & hy & _). pose proof (exp_pos epsilon). nra.
      * pose proof (mixture_nonneg v x y). apply exp_le in low. destruct inv as (_ & hy & _). nra.
  - intros v m x y [inv _] okm admitted. destruct (mixture_step v m x y inv okm) as [keep step].
    split; [|exact step]. intros i small. split; [now apply keep|]. right. cbn in *.
    destruct (bound (v + charge m)) as [b|]; [|easy]. exists b. now destruct (Rle_dec b epsilon).
  - split; [repeat split; lra|left]. rewrite Rmult_1_r. now apply one_le_exp.
Qed.

End lines.

(** ** One line, and nested filters *)

(** P(L > (k + 1) V + log(1/delta) / k at some time) <= delta. *)
Theorem line_odometer k delta t : 0 < k -> 0 < delta -> honest zcdp_honest t ->
  ever counting (above (fun v => Some (line k delta v))) 0 1 1 t <= delta /\
  ever counting (above (fun v => Some (line k delta v))) 0 1 1 (swapped t) <= delta.
Proof.
  intros hk hd hon.
  assert (both : ever counting (above (fun v => Some (line k delta v))) 0 1 1 t <= sum 1 (fun _ => delta) /\
    ever counting (above (fun v => Some (line k delta v))) 0 1 1 (swapped t) <= sum 1 (fun _ => delta)).
  2:{ cbn [sum] in both. now rewrite Rplus_0_l in both. }
  apply (lines_odometer 1 (fun _ => k) (fun _ => delta)); [easy|easy| |easy].
  intros v b [= <-]. exists 0%nat. split; [lia|lra].
Qed.

(** The line in use may depend on V in any way; the least of a line and its two neighbours is one of three. *)
Theorem stitched_odometer lines k delta (pick : R -> nat) t :
  (forall j, (j < lines)%nat -> 0 < k j) -> (forall j, (j < lines)%nat -> 0 < delta j) ->
  (forall v, (pick v < lines)%nat) -> honest zcdp_honest t ->
  ever counting (above (fun v => Some (line (k (pick v)) (delta (pick v)) v))) 0 1 1 t <= sum lines delta /\
  ever counting (above (fun v => Some (line (k (pick v)) (delta (pick v)) v))) 0 1 1 (swapped t) <= sum lines delta.
Proof.
  intros hk hd inside hon. apply (lines_odometer lines k delta); [easy|easy| |easy].
  intros v b [= <-]. exists (pick v). split; [apply inside|lra].
Qed.

(** The bound of the first filter of sizes size 0, size 1, ..., size (levels - 1) that has not halted. *)
Fixpoint first_open (size delta : nat -> R) (level more : nat) (v : R) : option R :=
  match more with
  | O => None
  | S more => if Rle_dec v (size level) then Some (size level + 2 * sqrt (size level * ln (1 / delta level)))
              else first_open size delta (S level) more v
  end.

Lemma level_is_above_line B d v : 0 < B -> 0 < d < 1 -> v <= B ->
  line (sqrt (ln (1 / d) / B)) d v <= B + 2 * sqrt (B * ln (1 / d)).
Proof.
  intros hB hd within. unfold line. set (l := ln (1 / d)).
  assert (hl : 0 < l).
  { unfold l, Rdiv. rewrite Rmult_1_l, ln_Rinv by lra. pose proof (ln_increasing d 1). rewrite ln_1 in *. lra. }
  set (r := sqrt B). set (q := sqrt l).
  assert (hr : 0 < r) by now apply sqrt_lt_R0. assert (hq : 0 < q) by now apply sqrt_lt_R0.
  assert (rr : B = r * r) by (unfold r; symmetry; apply sqrt_sqrt; lra).
  assert (qq : l = q * q) by (unfold q; symmetry; apply sqrt_sqrt; lra).
  rewrite sqrt_div by lra. rewrite sqrt_mult by lra. fold r q.
  assert ((q / r + 1) * v <= (q / r + 1) * B).
  { apply Rmult_le_compat_l; [|easy]. assert (0 < q / r) by (now apply Rdiv_lt_0_compat). lra. }
  replace (B + 2 * (r * q)) with ((q / r + 1) * B + l / (q / r)); [lra|]. rewrite qq, rr. field. lra.
Qed.

(** Lecuyer's doubling grid and any other: the loss is ever above the bound of the smallest filter that has not halted
    with probability at most the sum of the levels' deltas. *)
Theorem doubling_odometer levels size delta t :
  (forall j, (j < levels)%nat -> 0 < size j) -> (forall j, (j < levels)%nat -> 0 < delta j < 1) ->
  honest zcdp_honest t ->
  ever counting (above (first_open size delta 0 levels)) 0 1 1 t <= sum levels delta /\
  ever counting (above (first_open size delta 0 levels)) 0 1 1 (swapped t) <= sum levels delta.
Proof.
  intros hs hd hon.
  apply (lines_odometer levels (fun j => sqrt (ln (1 / delta j) / size j)) delta); [| | |easy].
  - intros j small. specialize (hs j small). specialize (hd j small).
    apply sqrt_lt_R0, Rdiv_lt_0_compat; [|easy]. unfold Rdiv. rewrite Rmult_1_l, ln_Rinv by lra.
    pose proof (ln_increasing (delta j) 1). rewrite ln_1 in *. lra.
  - intros; now apply hd.
  - assert (some : forall more level v b, first_open size delta level more v = Some b ->
      exists j, (j < level + more)%nat /\ v <= size j /\ b = size j + 2 * sqrt (size j * ln (1 / delta j))).
    { induction more as [|more IH]; intros level v b; cbn; [easy|]. destruct (Rle_dec v (size level)).
      - intros [= <-]. exists level. repeat split; [lia|easy].
      - intros open. destruct (IH _ _ _ open) as [j [? ?]]. exists j. split; [lia|easy]. }
    intros v b open. destruct (some _ _ _ _ open) as [j [small [within ->]]]. cbn in small.
    exists j. split; [easy|]. apply level_is_above_line; auto.
Qed.

(** One honest answer of randomised response: its loss is ever above 0 with probability 3/4. *)
Example one_response_is_counted :
  let ask := Ask 2 (fun i => match i with O => 3/4 | _ => 1/4 end) (fun i => match i with O => 1/4 | _ => 3/4 end)
    (ln 3 ^ 2 / 2) in
  honest zcdp_honest (Request ask (fun _ => Stop) Stop) /\
  ever counting (above (fun _ => Some 0)) 0 1 1 (Request ask (fun _ => Stop) Stop) = 3/4.
Proof.
  cbv zeta. set (ask := Ask _ _ _ _). assert (three : exp (ln 3) = 3) by (apply exp_ln; lra).
  assert (0 < ln 3) by (rewrite <- ln_1; apply ln_increasing; lra). split.
  - cbn [honest]. split; [|easy]. apply (pure_is_zcdp _ (ln 3)); [|cbn; lra].
    split; (split; [repeat split; cbn; try lra; intros [|[|i]] less; lra || lia|split; [lra|]]);
      intros [|[|i]] less; cbn -[exp] in *; rewrite three; lra || lia.
  - unfold ask; cbn -[exp]. unfold above. rewrite exp_0.
    repeat (destruct (Rlt_dec _ _); try lra).
Qed.
