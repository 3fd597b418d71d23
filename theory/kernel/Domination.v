(** Domination: rounds dominated at every epsilon by fixed finite pairs stay dominated by the product of those pairs,
    whatever was chosen adaptively. Accountants by privacy-loss distributions rest on it (paper 003, Theorem 4).

    - [dominated_by_product]: the transcript's hockey-stick divergence, at every epsilon, is at most that of the
      product.
    - [product_filter]: a filter that uses up a fixed multiset of dominating pairs, in any order, is (epsilon, delta)-DP
      where their product is, both ways.
    - [composed_permutation]: the product does not depend on the order. *)

From Coq Require Import Reals Lra Lia List Permutation.
From Filterproof Require Import Sums Interaction Divergences.
Import ListNotations.
Open Scope R_scope.

Lemma pos_sum n f : pos (sum n f) <= sum n (fun i => pos (f i)).
Proof.
  apply pos_least; [apply sum_nonneg; intros; apply pos_nonneg|]. apply sum_le; intros; apply pos_above.
Qed.

(** A pair of laws on finitely many outcomes. *)
Record pair := Pair { size : nat; upper : nat -> R; lower : nat -> R }.

Definition proper (D : pair) : Prop := law (size D) (upper D) /\ law (size D) (lower D).

Definition swapped_pair (D : pair) : pair := Pair (size D) (lower D) (upper D).

(** The sum of (x P_i - y Q_i)_+: at x = 1, y = e^epsilon the hockey-stick divergence. *)
Definition weighted (n : nat) (p q : nat -> R) (x y : R) : R := sum n (fun i => pos (x * p i - y * q i)).

Definition curve (D : pair) (x y : R) : R := weighted (size D) (upper D) (lower D) x y.

(** The same for the product of the pairs in a list: the sum over one outcome of each. *)
Fixpoint composed (l : list pair) (x y : R) : R :=
  match l with
  | [] => pos (x - y)
  | D :: rest => sum (size D) (fun i => composed rest (x * upper D i) (y * lower D i))
  end.

Lemma composed_one D x y : composed [D] x y = curve D x y.
Proof. reflexivity. Qed.

Lemma composed_nonneg l : forall x y, 0 <= composed l x y.
Proof.
  induction l as [|D l IH]; intros; cbn; [apply pos_nonneg|]. now apply sum_nonneg; intros.
Qed.

Lemma composed_ext_scale l : forall x y x' y', x = x' -> y = y' -> composed l x y = composed l x' y'.
Proof. now intros ? ? ? ? -> ->. Qed.

(** One round (p, q) dominated by D may be replaced by D in front of any product. *)
Lemma replace_round D n p q l : Forall proper l ->
  (forall x y, 0 <= x -> 0 <= y -> weighted n p q x y <= curve D x y) ->
  forall x y, 0 <= x -> 0 <= y ->
  sum n (fun i => composed l (x * p i) (y * q i)) <= composed (D :: l) x y.
Proof.
  intros all dominated. induction all as [|E l [[hu _] [hl _]] all IH]; intros x y hx hy.
  - now apply dominated.
  - cbn. rewrite (sum_exchange n), (sum_exchange (size D)). apply sum_le. intros k small.
    specialize (hu k small). specialize (hl k small).
    specialize (IH (x * upper E k) (y * lower E k) ltac:(nra) ltac:(nra)). cbn in IH.
    rewrite (sum_ext n _ (fun i => composed l (x * upper E k * p i) (y * lower E k * q i)))
      by (intros; apply composed_ext_scale; ring).
    eapply Rle_trans; [exact IH|]. right. apply sum_ext. intros; apply composed_ext_scale; ring.
Qed.

(** One more pair never lowers a product: a coarser look at the outcome shows no more. *)
Lemma composed_grows D l : proper D -> Forall proper l ->
  forall x y, 0 <= x -> 0 <= y -> composed l x y <= composed (D :: l) x y.
Proof.
  intros [[hu one] [hl two]] all x y hx hy.
  rewrite (composed_ext_scale l x y (x * 1) (y * 1)) by ring.
  assert (bound : sum 1 (fun _ => composed l (x * 1) (y * 1)) <= composed (D :: l) x y).
  2: { cbn in bound. rewrite Rplus_0_l in bound. exact bound. }
  apply (replace_round D 1 (fun _ => 1) (fun _ => 1) l all); [|easy|easy].
  intros a b ha hb. unfold weighted, curve. cbn. rewrite Rplus_0_l.
  replace (a * 1 - b * 1) with (sum (size D) (fun i => a * upper D i - b * lower D i));
    [apply pos_sum|]. rewrite sum_minus, !sum_scale, one, two. ring.
Qed.

Theorem composed_permutation k l : Permutation k l -> forall x y, composed k x y = composed l x y.
Proof.
  induction 1 as [|D k l _ IH|D E l|k l m _ IH1 _ IH2]; intros x y; cbn; [easy| | |now rewrite IH1].
  - apply sum_ext; intros; apply IH.
  - rewrite sum_exchange. apply sum_ext; intros i _. apply sum_ext; intros j _.
    apply composed_ext_scale; ring.
Qed.

(** ** The filter that uses up a multiset of places on a menu *)

Fixpoint without (c : nat) (l : list nat) : list nat :=
  match l with
  | [] => []
  | a :: rest => if Nat.eqb a c then rest else a :: without c rest
  end.

Lemma without_permutation c l : In c l -> Permutation l (c :: without c l).
Proof.
  induction l as [|a l IH]; cbn; [easy|]. intros here.
  destruct (Nat.eqb_spec a c) as [->|other]; [easy|].
  destruct here as [?|here]; [easy|].
  eapply perm_trans; [apply perm_skip, IH, here|]. apply perm_swap.
Qed.

(** A request declares its place on the menu; it is granted while that place has uses left. *)
Definition quota (uses : list nat) : filter nat :=
  Filter (list nat) uses (fun left c => if in_dec Nat.eq_dec c left then true else false)
    (fun left c _ => without c left).

(** At every epsilon, and both ways, the round is dominated by the pair at the declared place. *)
Definition dominated_by (menu : nat -> pair) (m : request nat) : Prop :=
  laws m /\ forall x y, 0 <= x -> 0 <= y -> weighted (outcomes m) (P m) (Q m) x y <= curve (menu (charge m)) x y.

(** Claim: Under a filter that uses up a fixed list of finite pairs, in any order, where each round is dominated by the
    pair that it uses, the hockey-stick divergence of the transcript is at each epsilon at most that of the product of
    all pairs, whatever was chosen adaptively.
    Source: Koskela, Tobaben & Honkela, Theorem 4 *)
Theorem dominated_by_product menu uses t : (forall c, proper (menu c)) -> honest (dominated_by menu) t ->
  forall epsilon, hockey_stick (quota uses) t epsilon <= composed (map menu uses) 1 (exp epsilon).
Proof.
  intros menu_proper hon epsilon. pose proof (exp_pos epsilon) as positive.
  assert (all : forall l, Forall proper (map menu l)) by (induction l; cbn; auto).
  pose proof (potential (quota uses) (dominated_by menu) (fun _ x y => pos (x - exp epsilon * y))
    (fun _ x y => 0 <= x /\ 0 <= y) (fun left x y => composed (map menu left) x (exp epsilon * y))) as bound.
  rewrite <- (Rmult_1_r (exp epsilon)). apply bound; [| |exact hon|lra]; clear bound t hon.
  - intros left tau x y [hx hy]. induction left as [|c left IH]; cbn; [lra|].
    eapply Rle_trans; [exact IH|]. apply (composed_grows (menu c)); auto; nra.
  - cbn. intros left m x y [hx hy] [[[hp _] [hq _]] below] admitted.
    destruct (in_dec Nat.eq_dec (charge m) left) as [here|]; [|easy]. split.
    + intros i small. specialize (hp i small). specialize (hq i small). split; nra.
    + rewrite (composed_permutation _ _ (Permutation_map menu (without_permutation _ _ here))).
      eapply Rle_trans; [|apply (replace_round (menu (charge m)) (outcomes m) (P m) (Q m)); auto; nra].
      right. apply sum_ext. intros; apply composed_ext_scale; ring.
Qed.

(** ** Both ways *)

Lemma weighted_swapped n p q x y : law n p -> law n q ->
  weighted n q p x y = weighted n p q y x + (x - y).
Proof.
  intros [_ one] [_ two]. unfold weighted.
  replace (x - y) with (sum n (fun i => x * q i - y * p i)) by (rewrite sum_minus, !sum_scale, one, two; ring).
  rewrite <- sum_plus. apply sum_ext. intros. unfold pos.
  destruct (Rle_dec 0 (x * q i - y * p i)); [rewrite Rmax_right, Rmax_left by lra|rewrite Rmax_left, Rmax_right by lra];
  lra.
Qed.

Lemma dominated_by_swapped menu m : (forall c, proper (menu c)) -> dominated_by menu m ->
  dominated_by (fun c => swapped_pair (menu c)) (swap m).
Proof.
  intros menu_proper [[hp hq] below]. split; [now split|]. intros x y hx hy.
  destruct (menu_proper (charge m)) as [hu hl]. unfold curve.
  change (weighted (outcomes m) (Q m) (P m) x y <=
    weighted (size (menu (charge m))) (lower (menu (charge m))) (upper (menu (charge m))) x y).
  rewrite (weighted_swapped _ (P m)), (weighted_swapped _ (upper _)) by easy. specialize (below y x hy hx).
  unfold curve in below. lra.
Qed.

(** A multiset of dominating pairs that composes to (epsilon, delta)-DP both ways is a promise for every adaptive
    choice of rounds that they dominate, in any order, all of them or fewer. *)
(** Claim: A filter that uses up a fixed list of finite pairs, in any order, where each round is dominated by the pair
    that it uses, keeps (epsilon, delta)-DP where the product of all pairs has hockey-sticks of at most delta at
    epsilon, both ways.
    Source: Koskela, Tobaben & Honkela, Theorem 4 *)
Theorem product_filter menu uses epsilon delta : (forall c, proper (menu c)) ->
  composed (map menu uses) 1 (exp epsilon) <= delta ->
  composed (map (fun c => swapped_pair (menu c)) uses) 1 (exp epsilon) <= delta ->
  promises_delta (quota uses) (dominated_by menu) epsilon delta.
Proof.
  intros menu_proper one other t hon. split.
  - apply hockey_stick_bounds_events. eapply Rle_trans; [|exact one]. now apply dominated_by_product.
  - intros S.
    assert (back : hockey_stick (quota uses) (swapped t) epsilon <= delta).
    { eapply Rle_trans; [|exact other]. apply (dominated_by_product (fun c => swapped_pair (menu c)) uses).
      - intros c. destruct (menu_proper c). now split.
      - eapply honest_swapped; [|exact hon]. intros m. now apply dominated_by_swapped. }
    pose proof (hockey_stick_bounds_events _ _ _ _ back S) as event.
    unfold Pr_P, Pr_Q in *. now rewrite !over_swapped in event.
Qed.

(** Not for an empty reason: a pair dominates itself, and a single place is granted once. *)
Example dominated_itself D : proper D ->
  honest (dominated_by (fun _ => D)) (Request (Ask (size D) (upper D) (lower D) 0%nat) (fun _ => Stop) Stop).
Proof.
  intros both. cbn [honest]. split; [|now split].
  split; [exact both|]. intros x y _ _. unfold curve. cbn. apply Rle_refl.
Qed.
