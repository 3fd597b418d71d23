(** Residue filters: each state carries a payoff psi of the probabilities so far, what is left of the promise, and a
    round is granted where the pair that dominates it, played before the payoff of the next state, does not exceed the
    payoff of this one (the residue filter of arXiv 2602.15815, of which its abstract was read).

    The potential filter and the Gaussian residue filter are instances. *)

From Coq Require Import Reals Lra Lia List.
From Filterproof Require Import Sums Interaction Divergences Domination.
Import ListNotations.
Open Scope R_scope.

(** The dominating pair D played before the payoff f. *)
Definition played (D : pair) (f : R -> R -> R) (x y : R) : R := sum (size D) (fun k => f (x * upper D k) (y * lower D k)).

(** Before f, the pair D stands for all rounds that it dominates. *)
Definition replaces (D : pair) (f : R -> R -> R) : Prop := forall n p q, law n p -> law n q ->
  (forall x y, 0 <= x -> 0 <= y -> weighted n p q x y <= curve D x y) ->
  forall x y, 0 <= x -> 0 <= y -> sum n (fun i => f (x * p i) (y * q i)) <= played D f x y.

(** What a filter must check: its payoffs cover the hockey-stick, and no round that it grants raises them. *)
Record residues (F : filter nat) (menu : nat -> pair) (psi : state F -> R -> R -> R) (epsilon : R) : Prop := {
  covered : forall s x y, 0 <= x -> 0 <= y -> pos (x - exp epsilon * y) <= psi s x y;
  left_over : forall s c i, admits F s c = true ->
    after F s c i = after F s c O /\ replaces (menu c) (psi (after F s c O)) /\
    forall x y, 0 <= x -> 0 <= y -> played (menu c) (psi (after F s c O)) x y <= psi s x y
}.

(** Each round is dominated, at every epsilon, by the pair at its declared place, and so is its swap. *)
Definition dominated_both_ways (menu back : nat -> pair) (m : request nat) : Prop :=
  dominated_by menu m /\ dominated_by back (swap m).

Lemma residue_one_way F menu psi epsilon t : residues F menu psi epsilon -> honest (dominated_by menu) t ->
  hockey_stick F t epsilon <= psi (start F) 1 1.
Proof.
  intros [stop round] hon. unfold hockey_stick, over.
  apply (potential F (dominated_by menu) (fun _ x y => pos (x - exp epsilon * y))
    (fun _ x y => 0 <= x /\ 0 <= y) psi); [| |exact hon|lra].
  - intros s _ x y [hx hy]. now apply stop.
  - intros s m x y [hx hy] [[lp lq] below] admitted. split.
    + intros i small. pose proof (proj1 lp i small). pose proof (proj1 lq i small). split; nra.
    + destruct (round s (charge m) O admitted) as (_ & stands & no_rise).
      eapply Rle_trans; [|now apply no_rise].
      rewrite (sum_ext _ _ (fun i => psi (after F s (charge m) O) (x * P m i) (y * Q m i))).
      * now apply stands.
      * intros i _. now destruct (round s (charge m) i admitted) as [-> _].
Qed.

(** Claim: Each state has a payoff that is at least (x - e^epsilon y)_+; a filter whose next state is the same for all
    outcomes, and which grants a round only where its dominating pair stands for it before the next state's payoff and,
    played there, does not exceed this state's, both ways, is (epsilon, delta)-DP, delta at least the first payoff at
    (1, 1).
    Source: Regehr, Hu, Leeman, Manurangsi, Tholoniat & Lécuyer, by the abstract *)
Theorem residue_filter F menu back psi psi_back epsilon delta :
  residues F menu psi epsilon -> residues F back psi_back epsilon ->
  psi (start F) 1 1 <= delta -> psi_back (start F) 1 1 <= delta ->
  promises_delta F (dominated_both_ways menu back) epsilon delta.
Proof.
  intros one other fits fits_back t hon. split.
  - apply hockey_stick_bounds_events. eapply Rle_trans; [|exact fits]. apply (residue_one_way F menu); [easy|].
    revert hon. apply honest_weaken. now intros m [here _].
  - intros S.
    assert (reverse : hockey_stick F (swapped t) epsilon <= delta).
    { eapply Rle_trans; [|exact fits_back]. apply (residue_one_way F back); [easy|].
      eapply honest_swapped; [|exact hon]. now intros m [_ here]. }
    pose proof (hockey_stick_bounds_events _ _ _ _ reverse S) as event.
    unfold Pr_P, Pr_Q in *. now rewrite !over_swapped in event.
Qed.
