(** The potential filter: each state carries a payoff psi of the probabilities so far, a nonnegative combination of
    (a x - b y)_+, and a round is granted where the pair that dominates it, played before the payoff of the next state,
    does not exceed the payoff of this one.

    - [potential_filter]: where every payoff is at least (x - e^epsilon y)_+, the transcript of every adaptive analyst
      is (epsilon, psi_begin(1, 1))-DP, both ways, each with payoffs and dominating pairs of its own. What a filter pays
      from a slack is a part of its payoffs: x is such a combination.
    - [below_chord], [beyond_first], [before_last]: a payoff is at most a function that is linear between knots where
      it is so at the knots; beyond the first knot and before the last the ends decide.
    - [between_levels]: payoffs that are mixtures of two levels need a look only where one of them is a level. *)

From Coq Require Import Reals Lra Lia List.
From Filterproof Require Import Sums Interaction Divergences Domination ResidueFilter.
Import ListNotations.
Open Scope R_scope.

(** ** Payoffs *)

Definition combination (n : nat) (w a b : nat -> R) (x y : R) : R := sum n (fun j => w j * pos (a j * x - b j * y)).

Definition payoff (f : R -> R -> R) : Prop :=
  exists n w a b, (forall j, 0 <= w j /\ 0 <= a j /\ 0 <= b j) /\ forall x y, f x y = combination n w a b x y.

Lemma combination_weighted n w a b m p q x y :
  sum m (fun i => combination n w a b (x * p i) (y * q i)) =
  sum n (fun j => w j * weighted m p q (a j * x) (b j * y)).
Proof.
  unfold combination. rewrite sum_exchange. apply sum_ext. intros j _. unfold weighted. rewrite <- sum_scale.
  apply sum_ext. intros i _. f_equal. f_equal. ring.
Qed.

(** A round may be replaced by a pair that dominates it, before any payoff. *)
Lemma replaced f D n p q : payoff f ->
  (forall x y, 0 <= x -> 0 <= y -> weighted n p q x y <= curve D x y) ->
  forall x y, 0 <= x -> 0 <= y -> sum n (fun i => f (x * p i) (y * q i)) <= played D f x y.
Proof.
  intros (N & w & a & b & nonneg & is) below x y hx hy. unfold played.
  rewrite (sum_ext n _ (fun i => combination N w a b (x * p i) (y * q i))) by (intros; apply is).
  rewrite (sum_ext (size D) _ (fun k => combination N w a b (x * upper D k) (y * lower D k))) by (intros; apply is).
  rewrite !combination_weighted. apply sum_le. intros j _. destruct (nonneg j) as (hw & ha & hb).
  apply Rmult_le_compat_l; [easy|]. apply below; nra.
Qed.

(** ** The filter *)

(** What a filter must check: its payoffs cover the hockey-stick, and no round that it grants raises them. *)
Record covers (F : filter nat) (menu : nat -> pair) (psi : state F -> R -> R -> R) (epsilon : R) : Prop := {
  payoffs : forall s, payoff (psi s);
  pays : forall s x y, 0 <= x -> 0 <= y -> pos (x - exp epsilon * y) <= psi s x y;
  granted : forall s c i x y, 0 <= x -> 0 <= y -> admits F s c = true ->
    after F s c i = after F s c O /\ played (menu c) (psi (after F s c O)) x y <= psi s x y
}.

Lemma covers_residues F menu psi epsilon : covers F menu psi epsilon -> residues F menu psi epsilon.
Proof.
  intros [cone stop round]. constructor; [exact stop|]. intros s c i admitted. repeat split.
  - now destruct (round s c i 0 0 ltac:(lra) ltac:(lra) admitted).
  - intros n p q _ _. now apply replaced.
  - intros x y hx hy. now destruct (round s c i x y hx hy admitted).
Qed.

(** Claim: Each state has a payoff, a nonnegative combination of (a x - b y)_+ that is at least (x - e^epsilon y)_+; a
    filter whose next state is the same for all outcomes, and which grants a round only where its dominating pair,
    played before the next state's payoff, does not exceed this state's, both ways, is (epsilon, delta)-DP, delta at
    least the first payoff at (1, 1).
    Beyond: That the numbers of a table satisfy the inequalities. *)
Theorem potential_filter F menu back psi psi_back epsilon delta :
  covers F menu psi epsilon -> covers F back psi_back epsilon ->
  psi (start F) 1 1 <= delta -> psi_back (start F) 1 1 <= delta ->
  promises_delta F (dominated_both_ways menu back) epsilon delta.
Proof. intros one other. now apply residue_filter; apply covers_residues. Qed.

(** ** Finitely many comparisons are enough *)

(** As functions of z = y / x: payoffs are convex and fall. *)
Lemma pos_convex u v s : 0 <= s <= 1 -> pos ((1 - s) * u + s * v) <= (1 - s) * pos u + s * pos v.
Proof.
  intros hs. pose proof (pos_above u). pose proof (pos_above v). pose proof (pos_nonneg u). pose proof (pos_nonneg v).
  apply pos_least; nra.
Qed.

Lemma payoff_convex f z z' s : payoff f -> 0 <= s <= 1 -> f 1 ((1 - s) * z + s * z') <= (1 - s) * f 1 z + s * f 1 z'.
Proof.
  intros (n & w & a & b & nonneg & is) hs. rewrite !is. unfold combination.
  rewrite <- !sum_scale, <- sum_plus. apply sum_le. intros j _. destruct (nonneg j) as (hw & _ & _).
  replace (a j * 1 - b j * ((1 - s) * z + s * z')) with ((1 - s) * (a j * 1 - b j * z) + s * (a j * 1 - b j * z')) by ring.
  pose proof (pos_convex (a j * 1 - b j * z) (a j * 1 - b j * z') s hs). nra.
Qed.

Lemma payoff_falls f z z' : payoff f -> z <= z' -> f 1 z' <= f 1 z.
Proof.
  intros (n & w & a & b & nonneg & is) before. rewrite !is. apply sum_le. intros j _.
  destruct (nonneg j) as (hw & _ & hb). apply Rmult_le_compat_l; [easy|].
  pose proof (pos_above (a j * 1 - b j * z)). pose proof (pos_nonneg (a j * 1 - b j * z)). apply pos_least; nra.
Qed.

(** A pair played before a payoff is a payoff again, where its masses are no less than 0. *)
Lemma played_payoff D f : payoff f -> (forall k, 0 <= upper D k /\ 0 <= lower D k) -> payoff (played D f).
Proof.
  intros (n & w & a & b & nonneg & is) masses.
  assert (zero : payoff (fun _ _ => 0)).
  { exists O, (fun _ => 0), (fun _ => 0), (fun _ => 0). split; [intros; lra|reflexivity]. }
  assert (add : forall g h, payoff g -> payoff h -> payoff (fun x y => g x y + h x y)).
  { intros g h (n1 & w1 & a1 & b1 & ok1 & is1) (n2 & w2 & a2 & b2 & ok2 & is2).
    pose (pick := fun (u v : nat -> R) j => if Nat.ltb j n1 then u j else v (j - n1)%nat).
    exists (n1 + n2)%nat, (pick w1 w2), (pick a1 a2), (pick b1 b2). split.
    - intros j. unfold pick. destruct (Nat.ltb j n1); [apply ok1|apply ok2].
    - intros x y. rewrite is1, is2. unfold combination. clear is1 is2 ok2.
      induction n2 as [|n2 IH].
      + rewrite PeanoNat.Nat.add_0_r. cbn. rewrite Rplus_0_r. apply sum_ext. intros j small. unfold pick.
        now rewrite (proj2 (PeanoNat.Nat.ltb_lt j n1) small).
      + rewrite PeanoNat.Nat.add_succ_r. cbn. rewrite <- IH. unfold pick.
        rewrite (proj2 (PeanoNat.Nat.ltb_ge (n1 + n2) n1)) by lia.
        replace (n1 + n2 - n1)%nat with n2 by lia. ring. }
  unfold played. induction (size D) as [|m IH]; [exact zero|]. cbn. apply add; [exact IH|].
  exists n, w, (fun j => a j * upper D m), (fun j => b j * lower D m). split.
  - intros j. destruct (nonneg j), (masses m). repeat split; nra.
  - intros x y. rewrite is. apply sum_ext. intros j _. f_equal. f_equal. ring.
Qed.

(** A share s of the way between two knots. *)
Theorem below_chord f z z' h h' s : payoff f -> 0 <= s <= 1 -> f 1 z <= h -> f 1 z' <= h' ->
  f 1 ((1 - s) * z + s * z') <= (1 - s) * h + s * h'.
Proof. intros ok hs one two. eapply Rle_trans; [now apply payoff_convex|]. nra. Qed.

(** Beyond the first knot, the largest z, a constant is enough. Before the last, the knot and z = 0 decide, by
    [below_chord] with z' = 0. *)
Theorem beyond_first f z first h : payoff f -> first <= z -> f 1 first <= h -> f 1 z <= h.
Proof. intros ok beyond below. eapply Rle_trans; [now apply (payoff_falls f first z)|easy]. Qed.

(** A mixture of two levels, charged c, is compared with a mixture of two levels: both sides are linear in the level
    between those where one of them passes a level, so that these decide. *)
Theorem between_levels (T f : R -> R) low high s :
  (forall t, 0 <= t <= 1 -> T ((1 - t) * low + t * high) = (1 - t) * T low + t * T high) ->
  (forall t, 0 <= t <= 1 -> f ((1 - t) * low + t * high) = (1 - t) * f low + t * f high) ->
  0 <= s <= 1 -> T low <= f low -> T high <= f high ->
  T ((1 - s) * low + s * high) <= f ((1 - s) * low + s * high).
Proof. intros linear_T linear_f hs one two. rewrite linear_T, linear_f by easy. nra. Qed.

(** ** The filter that adds charges *)

(** Levels b in [0, budget], each with a payoff; a request at place c is charged [price c] and granted while the level
    stays at least 0. (Levels over the budget, where none begins, grant nothing.) *)
Definition clock (price : nat -> R) (budget : R) : filter nat :=
  Interaction.Filter R budget (fun b c => if Rle_dec (price c) b then if Rle_dec b budget then true else false else false) (fun b c _ => b - price c).

(** Claim: Each level up to a budget has a payoff, a nonnegative combination of (a x - b y)_+ that is at least (x -
    e^epsilon y)_+; a filter whose charges sum to at most the budget, where a round's dominating pair, played before
    the payoff of a level less its charge, does not exceed the payoff of that level, both ways, is (epsilon,
    delta)-DP, delta at least the budget's payoff at (1, 1). *)
Theorem clock_filter price budget menu back psi psi_back epsilon delta :
  (forall p D, (p = psi /\ D = menu) \/ (p = psi_back /\ D = back) ->
    (forall b, payoff (p b)) /\
    (forall b x y, 0 <= x -> 0 <= y -> pos (x - exp epsilon * y) <= p b x y) /\
    (forall b c x y, price c <= b <= budget -> 0 <= x -> 0 <= y -> played (D c) (p (b - price c)) x y <= p b x y) /\
    p budget 1 1 <= delta) ->
  promises_delta (clock price budget) (dominated_both_ways menu back) epsilon delta.
Proof.
  intros checked.
  assert (one : forall p D, (p = psi /\ D = menu) \/ (p = psi_back /\ D = back) -> covers (clock price budget) D p epsilon).
  { intros p D which. destruct (checked p D which) as (cone & stop & round & _). constructor; [exact cone|exact stop|].
    intros b c i x y hx hy admitted. split; [reflexivity|]. cbn in *.
    destruct (Rle_dec (price c) b); [|discriminate]. destruct (Rle_dec b budget); [now apply round|discriminate]. }
  apply (potential_filter (clock price budget) menu back psi psi_back).
  - apply one. now left.
  - apply one. now right.
  - now apply (checked psi menu); left.
  - now apply (checked psi_back back); right.
Qed.

(** Not for an empty reason: one place, its pair played once before (x - e^epsilon y)_+ is what it may cost. *)
Example one_release D epsilon : (forall k, 0 <= upper D k /\ 0 <= lower D k) ->
  payoff (played D (fun x y => pos (x - exp epsilon * y))).
Proof.
  intros masses. apply played_payoff; [|exact masses].
  exists 1%nat, (fun _ => 1), (fun _ => 1), (fun _ => exp epsilon). split.
  - intros. pose proof (exp_pos epsilon). lra.
  - intros. unfold combination. cbn. replace (1 * x) with x by ring. ring.
Qed.
