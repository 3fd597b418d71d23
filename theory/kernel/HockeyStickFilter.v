(** The hockey-stick filter: a round is charged the hockey-stick divergence that it adds, given the losses realised so far.

    With x and y the probabilities of the transcript so far, v = (x - e^epsilon y)_+ is what is lost if the analyst
    stops. A round adds to its mean, and what it adds for each unit of x is its charge. So the divergence of the transcript
    is the mean of what its rounds were charged.

    - [hockey_stick_filter]: where the charges of each direction sum to at most delta on every path, the transcript of
      every adaptive analyst is (epsilon, delta)-DP. No number of rounds and no menu is fixed in advance.
    - [hockey_stick_one_way]: each direction for itself.
    - [bounded_rounds_are_free]: a round that cannot take the realised loss past epsilon is charged nothing: at delta = 0
      the filter goes on while the realised loss, that of the last output included, leaves room for the largest loss of
      the next round. *)

From Coq Require Import Reals Lra Lia List.
From Filterproof Require Import Sums Interaction Divergences Domination.
Import ListNotations.
Open Scope R_scope.

(** The charge of a round bounded by [D], where the transcript so far has probabilities x and y. *)
Definition added (epsilon x y : R) (D : pair) : R :=
  if Rlt_dec 0 x then (curve D x (exp epsilon * y) - pos (x - exp epsilon * y)) / x else 0.

(** What is declared: the two probabilities of each outcome, of which the filter uses the ratio, the realised loss; and
    a pair for each direction that dominates the round. *)
Record declared := Declare { realised : nat -> R * R; forward : pair; backward : pair }.

(** The probabilities so far, and what was charged in each direction. *)
Record ledger := Ledger { seen_P : R; seen_Q : R; spent_P : R; spent_Q : R }.

Definition hockey_stick_rule (epsilon delta : R) : filter declared :=
  Filter ledger (Ledger 1 1 0 0)
    (fun s c => (if Rle_dec (spent_P s + added epsilon (seen_P s) (seen_Q s) (forward c)) delta then true else false) &&
                (if Rle_dec (spent_Q s + added epsilon (seen_Q s) (seen_P s) (backward c)) delta then true else false))%bool
    (fun s c i => Ledger (seen_P s * fst (realised c i)) (seen_Q s * snd (realised c i))
                         (spent_P s + added epsilon (seen_P s) (seen_Q s) (forward c))
                         (spent_Q s + added epsilon (seen_Q s) (seen_P s) (backward c))).

(** What is declared is true: both laws, and the pairs dominate the round at every epsilon. *)
Definition declares_truly (m : request declared) : Prop :=
  laws m /\ (forall i, (i < outcomes m)%nat -> realised (charge m) i = (P m i, Q m i)) /\
  (forall x y, 0 <= x -> 0 <= y -> weighted (outcomes m) (P m) (Q m) x y <= curve (forward (charge m)) x y) /\
  (forall x y, 0 <= x -> 0 <= y -> weighted (outcomes m) (Q m) (P m) x y <= curve (backward (charge m)) x y).

(** One round: what it adds for each unit of x is at most its charge. *)
Lemma round_adds epsilon n p q D x y : law n p -> law n q -> 0 <= x -> 0 <= y ->
  (forall x y, 0 <= x -> 0 <= y -> weighted n p q x y <= curve D x y) ->
  sum n (fun i => pos (x * p i - exp epsilon * (y * q i))) <= pos (x - exp epsilon * y) + x * added epsilon x y D.
Proof.
  intros [hp _] [hq _] hx hy below. pose proof (exp_pos epsilon) as positive.
  assert (same : sum n (fun i => pos (x * p i - exp epsilon * (y * q i))) = weighted n p q x (exp epsilon * y)).
  { apply sum_ext. intros i _. f_equal. ring. }
  rewrite same. unfold added. destruct (Rlt_dec 0 x) as [some|none].
  - replace (x * ((curve D x (exp epsilon * y) - pos (x - exp epsilon * y)) / x))
      with (curve D x (exp epsilon * y) - pos (x - exp epsilon * y)) by (field; lra).
    specialize (below x (exp epsilon * y) hx ltac:(nra)). lra.
  - assert (x = 0) as -> by lra. rewrite Rmult_0_l, Rplus_0_r.
    apply Rle_trans with (sum n (fun _ => 0)); [|rewrite sum_zero; apply pos_nonneg]. apply sum_le. intros i small.
    specialize (hq i small). assert (0 <= exp epsilon * y * q i) by (apply Rmult_le_pos; nra). apply pos_least; lra.
Qed.

(** The potential of one direction: what is lost on stopping, and what may still be charged. *)
Lemma no_rise epsilon delta n p q D x y spent : law n p -> law n q -> 0 <= x -> 0 <= y ->
  (forall x y, 0 <= x -> 0 <= y -> weighted n p q x y <= curve D x y) ->
  sum n (fun i => pos (x * p i - exp epsilon * (y * q i)) + x * p i * (delta - (spent + added epsilon x y D))) <=
  pos (x - exp epsilon * y) + x * (delta - spent).
Proof.
  intros lp lq hx hy below. pose proof (round_adds epsilon n p q D x y lp lq hx hy below) as step.
  rewrite sum_plus.
  rewrite (sum_ext n (fun i => x * p i * _) (fun i => x * (delta - (spent + added epsilon x y D)) * p i))
    by (intros; ring).
  rewrite sum_scale, (proj2 lp). lra.
Qed.

Definition kept (delta : R) (s : ledger) (x y : R) : Prop :=
  seen_P s = x /\ seen_Q s = y /\ 0 <= x /\ 0 <= y /\ spent_P s <= delta /\ spent_Q s <= delta.

Lemma kept_on epsilon delta s m x y i : kept delta s x y -> declares_truly m ->
  admits (hockey_stick_rule epsilon delta) s (charge m) = true -> (i < outcomes m)%nat ->
  kept delta (after (hockey_stick_rule epsilon delta) s (charge m) i) (x * P m i) (y * Q m i).
Proof.
  intros (<- & <- & hx & hy & _ & _) (([hp _] & [hq _]) & true_losses & _) admitted small. cbn in *.
  specialize (hp i small). specialize (hq i small). unfold kept; cbn. rewrite (true_losses i small). cbn.
  repeat destruct (Rle_dec _ delta); try easy. repeat split; nra.
Qed.

(** The divergence of the transcript, in one direction and in the other. *)
Theorem hockey_stick_one_way epsilon delta t : 0 <= epsilon -> 0 <= delta -> honest declares_truly t ->
  over (hockey_stick_rule epsilon delta) t (fun _ x y => pos (x - exp epsilon * y)) <= delta /\
  over (hockey_stick_rule epsilon delta) t (fun _ x y => pos (y - exp epsilon * x)) <= delta.
Proof.
  intros he hd hon. set (F := hockey_stick_rule epsilon delta).
  assert (begin : kept delta (start F) 1 1) by (unfold kept; cbn; repeat split; lra).
  assert (above : pos (1 - exp epsilon * 1) = 0).
  { apply Rle_antisym; [apply pos_least|apply pos_nonneg]; [lra|].
    pose proof (one_le_exp epsilon he). lra. }
  split; unfold over.
  - apply Rle_trans with (pos (1 - exp epsilon * 1) + 1 * (delta - 0)); [|lra].
    apply (potential F declares_truly _ (kept delta)
      (fun s x y => pos (x - exp epsilon * y) + x * (delta - spent_P s))) with (s := start F); [| |exact hon|exact begin].
    + intros s _ x y (_ & _ & hx & _ & fits & _). nra.
    + intros s m x y here okm admitted. split; [intros i small; now apply kept_on|].
      destruct here as (<- & <- & hx & hy & _). destruct okm as ((lp & lq) & _ & below & _).
      now apply (no_rise epsilon delta (outcomes m) (P m) (Q m) (forward (charge m))).
  - apply Rle_trans with (pos (1 - exp epsilon * 1) + 1 * (delta - 0)); [|lra].
    apply (potential F declares_truly _ (kept delta)
      (fun s x y => pos (y - exp epsilon * x) + y * (delta - spent_Q s))) with (s := start F); [| |exact hon|exact begin].
    + intros s _ x y (_ & _ & _ & hy & _ & fits). nra.
    + intros s m x y here okm admitted. split; [intros i small; now apply kept_on|].
      destruct here as (<- & <- & hx & hy & _). destruct okm as ((lp & lq) & _ & _ & below).
      now apply (no_rise epsilon delta (outcomes m) (Q m) (P m) (backward (charge m))).
Qed.

(** Claim: For epsilon, delta >= 0 a filter that charges each round what its dominating pair adds to the mean of (x -
    e^epsilon y)_+, per unit of x, where the transcript so far has probabilities x and y, and admits while the
    charges of each direction sum to at most delta keeps (epsilon, delta)-DP. *)
Theorem hockey_stick_filter epsilon delta : 0 <= epsilon -> 0 <= delta ->
  promises_delta (hockey_stick_rule epsilon delta) declares_truly epsilon delta.
Proof.
  intros he hd t hon. destruct (hockey_stick_one_way epsilon delta t he hd hon) as [one other]. split.
  - now apply hockey_stick_bounds_events.
  - intros S. pose proof (hockey_stick_bounds_events (hockey_stick_rule epsilon delta) (swapped t) epsilon delta) as events.
    unfold hockey_stick, approximately_private, Pr_P, Pr_Q in *. rewrite over_swapped in events.
    specialize (events other S). now rewrite !over_swapped in events.
Qed.

(** Claim: In a direction in which the realised loss is at most epsilon - c, a round whose declared pair has losses
    of at most c >= 0 is charged nothing. *)
Theorem bounded_rounds_are_free epsilon c x y D : 0 <= x -> 0 <= y -> 0 <= c -> x <= exp (epsilon - c) * y ->
  (forall i, (i < size D)%nat -> 0 <= upper D i <= exp c * lower D i) -> added epsilon x y D = 0.
Proof.
  intros hx hy hc within bounded. unfold added. destruct (Rlt_dec 0 x) as [some|]; [|easy].
  assert (shift : exp (epsilon - c) * exp c = exp epsilon) by (rewrite <- exp_plus; f_equal; ring).
  pose proof (exp_pos (epsilon - c)). pose proof (one_le_exp c hc).
  assert (room : exp (epsilon - c) * y <= exp epsilon * y) by (rewrite <- shift; apply Rmult_le_compat_r; nra).
  assert (nothing : forall z, z <= 0 -> pos z = 0)
    by (intros z below; apply Rle_antisym; [apply pos_least; lra|apply pos_nonneg]).
  assert (none : curve D x (exp epsilon * y) = 0).
  { unfold curve, weighted. rewrite (sum_ext _ _ (fun _ => 0)); [apply sum_zero|]. intros i small.
    destruct (bounded i small) as [low high]. apply nothing.
    assert (x * upper D i <= (exp (epsilon - c) * y) * (exp c * lower D i))
      by (apply Rmult_le_compat; lra).
    replace (exp epsilon * y * lower D i) with (exp (epsilon - c) * y * (exp c * lower D i))
      by (rewrite <- shift; ring). lra. }
  rewrite none, nothing by lra. field. lra.
Qed.
