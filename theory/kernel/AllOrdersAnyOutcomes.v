(** The filter with a budget at every order of a set, for mechanisms with outcomes of any kind.

    - [all_orders_filter_any]: paper 000, Remark 4.4, "if all filters in the set output CONT, the output satisfies
      (alpha_j, B_j)-RDP for all j", at orders above 1;
    - [all_orders_delta_any]: so it is (epsilon, delta)-DP where the conversion of some order allows its budget. *)

From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Rbar.
From Filterproof Require Import Sums Integrals Divergences Paths Conversions AnyOutcomes AnyOutcomesFilters.
Open Scope R_scope.

(** A charge is a curve, a number for every order; a request is granted while at every order of the set the charges
    sum to at most the budget at that order. *)
Definition all_orders_any (orders : list R) (budget : R -> R) : filter (R -> R) :=
  Filter (R -> R) budget
    (fun left c => forallb (fun alpha => if Rle_dec (c alpha) (left alpha) then true else false) orders)
    (fun left c _ alpha => left alpha - c alpha).

(** At every order of the set the charge is at least 0 and at least D_alpha, in both directions. *)
Definition orders_honest_any (orders : list R) (m : request (R -> R)) : Prop :=
  laws m /\ forall alpha, In alpha orders -> renyi_priced_any alpha (fun c => c alpha) m.

Lemma all_orders_keep_any orders budget alpha : In alpha orders ->
  keeps_any (all_orders_any orders budget) (fun left => left alpha) (fun c => c alpha) (budget alpha).
Proof.
  intros here. constructor; [easy| |easy]. intros left c admitted. cbn in admitted.
  rewrite forallb_forall in admitted. specialize (admitted alpha here).
  now destruct (Rle_dec (c alpha) (left alpha)).
Qed.

(** Claim: A filter that admits while at each order of a finite set, all orders above 1, charges of at least the Rényi
    divergence of their mechanisms both ways sum to at most the budget of that order keeps the transcript's Rényi
    divergence at each of the orders within its budget, both ways.
    Source: Feldman & Zrnic, Remark 4.4
    Covers: mechanisms with outcomes of any kind that have two densities against an integral
    Beyond: Order 1; that the iterated integral of measurable strategies and sets is the one against the law of the
    transcript, which is Tonelli's theorem. *)
Theorem all_orders_filter_any orders budget t :
  (forall alpha, In alpha orders -> 1 < alpha /\ 0 <= budget alpha) -> honest (orders_honest_any orders) t ->
  forall alpha, In alpha orders -> transcript_renyi_any (all_orders_any orders budget) t alpha (budget alpha).
Proof.
  intros sane hon alpha here. destruct (sane alpha here) as [above hB].
  apply (ledger_filter_any _ _ _ _ _ _ above hB (all_orders_keep_any orders budget alpha here)).
  revert hon. apply honest_weaken. intros m [_ every]. now apply every.
Qed.

(** Claim: A filter that admits while at each order of a finite set charges of at least the Rényi divergence of their
    mechanisms both ways sum to at most the budget of that order keeps (epsilon, delta)-DP where the CKS bound of one
    order alpha > 1 of the set, for its budget, is at most delta at epsilon.
    Source: Koskela, Tobaben & Honkela, Lemma C.4
    Covers: mechanisms with outcomes of any kind that have two densities against an integral
    Beyond: That the iterated integral of measurable strategies and sets is the one against the law of the
    transcript, which is Tonelli's theorem. *)
Theorem all_orders_delta_any orders budget alpha epsilon delta : In alpha orders -> 1 < alpha -> 0 <= budget alpha ->
  cks_bound alpha (budget alpha) epsilon <= delta ->
  promises_delta_any (all_orders_any orders budget) (orders_honest_any orders) epsilon delta.
Proof.
  intros here above hB fits. apply both_ways_any; [now intros m []| |].
  - intros m [[hp hq] every]. split; [easy|]. intros a hin. now apply renyi_priced_swap, every.
  - intros t hon.
    apply (excess_from_ledger _ _ _ _ _ _ _ t above hB (all_orders_keep_any orders budget alpha here) fits).
    revert hon. apply honest_weaken. intros m [_ every]. now apply every.
Qed.
