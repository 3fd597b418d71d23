(** The Rényi filter: paper 000, Theorems 3.1 and 4.3, and Remark 4.4. *)

From Coq Require Import Reals Lra Lia List.
From Filterproof Require Import Sums Interaction Divergences AdditiveFilter.
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
