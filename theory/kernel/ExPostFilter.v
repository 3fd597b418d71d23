(** Filters that charge what a release turned out to cost (ex-post charges; arXiv 2306.13824, of which its abstract was read).

    A mechanism is (b, d) ex-post private where sum (P_i - e^{b_i} Q_i)_+ <= d, both ways: a bound b_i for each outcome,
    which is charged once the outcome is known. The request declares the largest of the b_i, its cap.

    - [ex_post_filter]: "CONT while the charges so far and the cap of the next release are at most epsilon, and the d
      sum to at most delta" keeps (epsilon, delta)-DP.
    - [ex_post_pure_filter]: with every d = 0 it keeps epsilon-DP.

    Without the cap it is the filter of LateFilter.v, which keeps no promise; with squares of the losses in the place of
    bounds it is that of ExPostSquares.v. *)

From Coq Require Import Reals Lra Lia List Bool.
From Filterproof Require Import Sums Interaction Divergences Ledger BasicFilter Events.
Import ListNotations.
Open Scope R_scope.

(** The bound of each outcome, the largest of them, and the probability beyond them. *)
Record ex_post := ExPost { bound : nat -> R; cap : R; beyond : R }.

Definition ex_post_rule (epsilon delta : R) : filter ex_post :=
  Filter (R * R) (0, delta)
    (fun s c => (if Rle_dec (fst s + cap c) epsilon then true else false) &&
                (if Rle_dec (beyond c) (snd s) then true else false))
    (fun s c i => (fst s + bound c i, snd s - beyond c)).

(** (b, d) ex-post privacy of a round, one way. *)
Definition ex_post_private (b : nat -> R) (d : R) {C} (m : request C) : Prop :=
  sum (outcomes m) (fun i => pos (P m i - exp (b i) * Q m i)) <= d.

Definition ex_post_honest (m : request ex_post) : Prop :=
  laws m /\ 0 <= beyond (charge m) /\ (forall i, (i < outcomes m)%nat -> bound (charge m) i <= cap (charge m)) /\
  ex_post_private (bound (charge m)) (beyond (charge m)) m /\
  ex_post_private (bound (charge m)) (beyond (charge m)) (swap m).

Lemma ex_post_honest_swap m : ex_post_honest m -> ex_post_honest (swap m).
Proof.
  intros ((lp & lq) & nonneg & capped & one & other). unfold ex_post_honest. rewrite swap_swap.
  now repeat split; try apply lp; try apply lq.
Qed.

(** One round: sum (x p_i - e^{b_i} k q_i)_+ <= d x + (x - k)_+. *)
Lemma ex_post_round b d (m : request ex_post) x k : laws m -> ex_post_private b d m -> 0 <= x -> 0 <= k ->
  sum (outcomes m) (fun i => pos (x * P m i - exp (b i) * (k * Q m i))) <= x * d + pos (x - k).
Proof.
  intros ((hp & onep) & (hq & _)) private hx hk.
  apply Rle_trans with (sum (outcomes m) (fun i => x * pos (P m i - exp (b i) * Q m i) + pos (x - k) * P m i)).
  - apply sum_le. intros i small. specialize (hp i small). specialize (hq i small).
    pose proof (exp_pos (b i)). pose proof (pos_nonneg (x - k)). pose proof (pos_above (x - k)).
    set (c := exp (b i) * Q m i). assert (hc : 0 <= c) by (unfold c; nra).
    replace (exp (b i) * (k * Q m i)) with (k * c) by (unfold c; ring).
    destruct (pos_cases (P m i - c)) as [[low ->]|[high ->]].
    + (* x P - k c = x (P - c) + (x - k) c, and c <= P *)
      apply pos_least; [nra|]. assert ((x - k) * c <= pos (x - k) * P m i); [|nra].
      apply Rle_trans with (pos (x - k) * c); [apply Rmult_le_compat_r; lra|apply Rmult_le_compat_l; lra].
    + apply pos_least; [nra|]. assert (k * P m i <= k * c) by (apply Rmult_le_compat_l; lra).
      assert ((x - k) * P m i <= pos (x - k) * P m i) by (apply Rmult_le_compat_r; lra). nra.
  - rewrite sum_plus, !sum_scale, onep. unfold ex_post_private in private. nra.
Qed.

(** Claim: Where each mechanism has a bound b for each outcome, at most its cap, and the sum of (P - e^b Q)_+ over
    its outcomes is at most delta_t both ways, a filter that admits while the bounds of the outputs so far and the
    cap of the next release sum to at most epsilon >= 0, and the delta_t to at most delta >= 0, keeps (epsilon,
    delta)-DP. *)
Theorem ex_post_filter epsilon delta : 0 <= epsilon -> 0 <= delta ->
  promises_delta (ex_post_rule epsilon delta) ex_post_honest epsilon delta.
Proof.
  intros he hd. apply both_ways; [apply ex_post_honest_swap|]. intros t hon. unfold hockey_stick, over.
  set (F := ex_post_rule epsilon delta).
  apply Rle_trans with (1 * delta + pos (1 - exp 0 * 1)).
  2: { rewrite exp_0. unfold pos. rewrite Rmax_left; lra. }
  apply (potential F ex_post_honest (fun _ x y => pos (x - exp epsilon * y))
    (fun s x y => 0 <= x /\ 0 <= y /\ fst s <= epsilon /\ 0 <= snd s)
    (fun s x y => x * snd s + pos (x - exp (fst s) * y))) with (s := start F); [| |exact hon|cbn; lra].
  - intros s _ x y (hx & hy & charged & left). apply Rle_trans with (pos (x - exp (fst s) * y)); [|nra].
    apply pos_le. pose proof (exp_le _ _ charged). nra.
  - intros s m x y (hx & hy & charged & left) (lm & nonneg & capped & private & _) admitted. cbn in *.
    apply andb_true_iff in admitted as [room fits].
    destruct (Rle_dec (fst s + cap (charge m)) epsilon); [|easy]. destruct (Rle_dec (beyond (charge m)) (snd s)); [|easy].
    pose proof (exp_pos (fst s)). split.
    + intros i small. destruct lm as ((hp & _) & (hq & _)).
      specialize (hp i small). specialize (hq i small). specialize (capped i small). repeat split; try nra; lra.
    + pose proof (ex_post_round _ _ m x (exp (fst s) * y) lm private hx ltac:(nra)) as step.
      rewrite sum_plus.
      rewrite (sum_ext _ (fun i => x * P m i * (snd s - beyond (charge m)))
        (fun i => x * (snd s - beyond (charge m)) * P m i)) by (intros; ring).
      rewrite sum_scale. destruct lm as ((_ & onep) & _). rewrite onep.
      rewrite (sum_ext _ (fun i => pos (x * P m i - exp (fst s + bound (charge m) i) * (y * Q m i)))
        (fun i => pos (x * P m i - exp (bound (charge m) i) * (exp (fst s) * y * Q m i)))).
      2: { intros i _. rewrite exp_plus. f_equal. ring. }
      nra.
Qed.

(** Claim: Where each mechanism has a bound b for each outcome, at most its cap, with P <= e^b Q both ways, a filter
    that admits while the bounds of the outputs so far and the cap of the next release sum to at most epsilon >= 0
    keeps epsilon-DP. *)
Theorem ex_post_pure_filter epsilon : 0 <= epsilon ->
  promises_delta (ex_post_rule epsilon 0) ex_post_honest epsilon 0.
Proof. intros he. apply ex_post_filter; lra. Qed.
