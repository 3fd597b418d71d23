(** The Rényi filter: paper 000, Theorems 3.1 and 4.3, and the orders of Remark 4.4.

    - [renyi_filter], [renyi_filter_both_ways]: Theorem 4.3 at an order alpha > 1, "F_{alpha,B} is a valid Rényi
      privacy filter";
    - [kl_filter]: Theorem 4.3 at alpha = 1, where the paper's proof divides by zero;
    - [all_orders_filter]: Remark 4.4, "if all filters in the set output CONT, the output of adaptive composition
      satisfies (alpha_j, B_j)-RDP for all j". *)

From Coq Require Import Reals Lra Lia List.
From Filterproof Require Import Sums Interaction Divergences Paths AdditiveFilter Ledger.
Import ListNotations.
Open Scope R_scope.

(** A request is honest at the order alpha: its laws are laws, its charge is at least 0 and at least D_alpha. *)
Definition renyi_honest (alpha : R) (m : request R) : Prop :=
  laws m /\ 0 <= charge m /\ renyi_at_most alpha (charge m) m.

(** What remains to be lost: the moment so far times e^{(alpha - 1) left}. *)
Lemma renyi_induction alpha B t : 1 < alpha -> honest (renyi_honest alpha) t -> forall left tau x y,
  0 <= left -> 0 <= x -> 0 <= y -> (y = 0 -> x = 0) ->
  total (additive B) (fun _ x y => term alpha x y) left tau x y t <= term alpha x y * exp ((alpha - 1) * left).
Proof.
  intros above hon left tau x y hl hx hy dom.
  apply (potential (additive B) (renyi_honest alpha) _
    (fun left x y => 0 <= left /\ 0 <= x /\ 0 <= y /\ (y = 0 -> x = 0))
    (fun left x y => term alpha x y * exp ((alpha - 1) * left))); [| |easy|easy]; clear - above.
  - intros left tau x y (hl & _ & _ & _). pose proof (term_nonneg alpha x y).
    assert (1 <= exp ((alpha - 1) * left)) by (apply one_le_exp; nra). nra.
  - intros left m x y (hl & hx & hy & dom) (((hp & _) & (hq & _)) & hc & cont & moment) fits.
    apply additive_admits in fits. split.
    + intros i small. specialize (hp i small). specialize (hq i small). specialize (cont i small). cbn.
      repeat split; [lra|nra|nra|]. intros [->|zero]%Rmult_integral; [rewrite dom by easy; lra|].
      rewrite cont by easy; lra.
    + cbn. rewrite (sum_ext _ _ (fun i => (term alpha x y * exp ((alpha - 1) * (left - charge m))) *
        term alpha (P m i) (Q m i))).
      2:{ intros i small. rewrite term_mult; auto. lra. }
      rewrite sum_scale.
      replace (exp ((alpha - 1) * left))
        with (exp ((alpha - 1) * (left - charge m)) * exp ((alpha - 1) * charge m))
        by (rewrite <- exp_plus; f_equal; lra).
      rewrite <- Rmult_assoc. apply Rmult_le_compat_l; [|exact moment].
      apply Rmult_le_pos; [apply term_nonneg|left; apply exp_pos].
Qed.

(** Theorem 4.3 at an order alpha > 1: under a filter that admits while the charges sum to at most B, decided before
    the release, the transcript of every adaptive strategy has D_alpha <= B. *)
Theorem renyi_filter alpha B t : 1 < alpha -> 0 <= B -> honest (renyi_honest alpha) t ->
  transcript_renyi_at_most (additive B) t alpha B.
Proof.
  intros above positive hon. unfold transcript_renyi_at_most, moment, over.
  pose proof (renyi_induction alpha B t above hon B [] 1 1 positive ltac:(lra) ltac:(lra) ltac:(lra)) as bound.
  now rewrite term_one, Rmult_1_l in bound.
Qed.

(** Claim: A filter that admits while declared charges sum to at most B, each at least the Rényi divergence of order
    alpha > 1 of its mechanism in both directions, keeps that of the whole transcript at most B, both ways.
    Source: Feldman & Zrnic, Theorem 4.3 *)
Theorem renyi_filter_both_ways alpha B t : 1 < alpha -> 0 <= B -> honest (both (renyi_honest alpha)) t ->
  transcript_renyi (additive B) t alpha B.
Proof. intros above hB hon. exact (ledger_filter _ _ _ _ _ _ above hB (additive_keeps B) hon). Qed.

(** Honest at order one: the charge is at least 0 and at least the KL divergence. *)
Definition kl_honest : request R -> Prop := kl_priced (fun c => c).

(** Claim: A filter that admits while declared charges sum to at most B, each at least the KL divergence of its
    mechanism in both directions, keeps that of the whole transcript at most B, both ways; at order 1 the paper's proof
    divides by zero.
    Source: Feldman & Zrnic, Theorem 4.3 at alpha = 1 *)
Theorem kl_filter B t : 0 <= B -> honest (both kl_honest) t -> transcript_kl (additive B) t B.
Proof. intros hB hon. exact (ledger_filter_kl _ _ _ _ _ hB (additive_keeps B) hon). Qed.

(** ** All orders of a set at once *)

(** A charge is a curve, a number for every order; a request is granted while at every order of the set the charges
    sum to at most the budget at that order. *)
Definition all_orders (orders : list R) (budget : R -> R) : filter (R -> R) :=
  Filter (R -> R) budget
    (fun left c => forallb (fun alpha => if Rle_dec (c alpha) (left alpha) then true else false) orders)
    (fun left c _ alpha => left alpha - c alpha).

(** The charge at alpha is at least 0 and at least D_alpha in both directions; D_1 is KL. *)
Definition order_honest {C} (alpha : R) (price : C -> R) (m : request C) : Prop :=
  (1 < alpha -> both (renyi_priced alpha price) m) /\ (alpha = 1 -> both (kl_priced price) m).

Lemma all_orders_keep orders budget alpha : In alpha orders ->
  keeps (all_orders orders budget) (fun left => left alpha) (fun c => c alpha) (budget alpha).
Proof.
  intros here. constructor; [easy| |easy]. intros left c admitted. cbn in admitted.
  rewrite forallb_forall in admitted. specialize (admitted alpha here).
  now destruct (Rle_dec (c alpha) (left alpha)).
Qed.

(** Claim: A filter that admits while at each order of a finite set, all orders from 1 up, charges of at least the Rényi
    divergence of their mechanisms both ways, KL at order 1, sum to at most the budget of that order keeps the
    transcript's divergence at each of the orders within its budget, both ways.
    Source: Feldman & Zrnic, Remark 4.4 *)
Theorem all_orders_filter orders budget t :
  (forall alpha, In alpha orders -> 1 <= alpha /\ 0 <= budget alpha) ->
  honest (fun m => forall alpha, In alpha orders -> order_honest alpha (fun c => c alpha) m) t ->
  forall alpha, In alpha orders ->
    (1 < alpha -> transcript_renyi (all_orders orders budget) t alpha (budget alpha)) /\
    (alpha = 1 -> transcript_kl (all_orders orders budget) t (budget alpha)).
Proof.
  intros sane hon alpha here. pose proof (all_orders_keep orders budget alpha here) as ledger.
  destruct (sane alpha here) as [_ hB]. split; intros which.
  - apply (ledger_filter _ _ _ _ _ _ which hB ledger). revert hon; apply honest_weaken. intros m hm. now apply hm.
  - apply (ledger_filter_kl _ _ _ _ _ hB ledger). revert hon; apply honest_weaken. intros m hm. now apply hm.
Qed.
