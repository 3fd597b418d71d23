(** The filter that adds up rho and xi of xi-approximately rho-zCDP mechanisms (Whitehouse, Ramdas, Rogers and Wu).

    A mechanism is xi-approximately rho-zCDP if P = (1 - xi) P' + xi P'' and Q = (1 - xi) Q' + xi Q'' where P' and Q'
    are rho-zCDP (Bun and Steinke, Definition 8.1). With sum rho_t <= rho and sum xi_t <= xi the hockey-stick
    divergence of the transcript is at most xi + (1 - xi) bound, bound being that of rho-zCDP
    ([approximate_zcdp_filter]). *)

From Coq Require Import Reals Lra Lia List Bool.
From Filterproof Require Import Sums Interaction Divergences Paths AdditiveFilter Ledger ZCDPFilter Conversions
  BasicFilter.
Import ListNotations.
Open Scope R_scope.

(** The mixture (1 - xi) good + xi bad is [p] on the first n outcomes. *)
Definition mixture (n : nat) (xi : R) (p good bad : nat -> R) : Prop :=
  forall i, (i < n)%nat -> p i = (1 - xi) * good i + xi * bad i.

Definition with_laws {C} (m : request C) (p q : nat -> R) : request C := Ask (outcomes m) p q (charge m).

Section Ledgers.
Context {C : Type} (price cost : C -> R).

(** Priced rho, with a cost xi in [0, 1]: mixtures of a rho-zCDP good part with any bad part. *)
Definition approximate_zcdp_priced (m : request C) : Prop :=
  laws m /\ 0 <= cost (charge m) <= 1 /\
  exists good_P good_Q bad_P bad_Q,
    mixture (outcomes m) (cost (charge m)) (P m) good_P bad_P /\
      mixture (outcomes m) (cost (charge m)) (Q m) good_Q bad_Q /\
    law (outcomes m) bad_P /\ law (outcomes m) bad_Q /\ zcdp_priced price (with_laws m good_P good_Q).

Lemma approximate_zcdp_priced_swap m : approximate_zcdp_priced m -> approximate_zcdp_priced (swap m).
Proof.
  intros ((lp & lq) & range & gp & gq & bp & bq & mixp & mixq & lbp & lbq & good).
  split; [easy|]. split; [easy|]. exists gq, gp, bq, bp. repeat (split; [easy|]).
  exact (zcdp_priced_swap price _ good).
Qed.

(** ** The good parts of a strategy form a strategy *)

(** [good_part t g]: [g] asks what [t] asks, with laws whose (1 - xi)-fold lies below those of [t]. *)
Fixpoint good_part (t g : strategy C) : Prop :=
  match t, g with
  | Stop, Stop => True
  | Request m granted denied, Request m' granted' denied' =>
      outcomes m' = outcomes m /\ charge m' = charge m /\
      (forall i, (i < outcomes m)%nat ->
        (1 - cost (charge m)) * P m' i <= P m i /\ (1 - cost (charge m)) * Q m' i <= Q m i) /\
      (forall i, (i < outcomes m)%nat -> good_part (granted i) (granted' i)) /\ good_part denied denied'
  | _, _ => False
  end.

(** Finitely many choices. *)
Lemma choose {A} (a : A) (R : nat -> A -> Prop) n : (forall i, exists b, R i b) ->
  exists f, (forall i, (i < n)%nat -> R i (f i)) /\ (forall i, (n <= i)%nat -> f i = a).
Proof.
  intros some. induction n as [|n (f & chosen & rest)]; [now exists (fun _ => a); split; [lia|]|].
  destruct (some n) as [b here]. exists (fun i => if Nat.eqb i n then b else f i).
  split; intros i small; destruct (Nat.eqb_spec i n) as [->|other]; try easy; [|lia|];
    [apply chosen; lia|apply rest; lia].
Qed.

Definition good_honest (m : request C) : Prop :=
  laws m /\ 0 <= cost (charge m) <= 1 /\ zcdp_priced price m.

Lemma good_part_exists t : honest approximate_zcdp_priced t -> exists g, good_part t g /\ honest good_honest g.
Proof.
  induction t as [|m granted IHg denied IHd]; intros hon; [now exists Stop|].
  destruct hon as ((lm & range & gp & gq & bp & bq & mixp & mixq & (hbp & _) & (hbq & _) & good) & hong & hond).
  destruct (IHd hond) as (denied' & partd & hond').
  destruct (choose Stop (fun i g => good_part (granted i) g /\ honest good_honest g) (outcomes m)
    (fun i => IHg i (hong i))) as (granted' & chosen & rest).
  exists (Request (with_laws m gp gq) granted' denied'). split.
  - cbn. split; [easy|]. split; [easy|]. split; [|split; [|easy]].
    + intros i small. rewrite (mixp i small), (mixq i small). specialize (hbp i small). specialize (hbq i small). nra.
    + intros i small. now apply chosen.
  - split; [|split; [|easy]].
    + split; [|now split]. destruct good as [_ every]. now destruct (every 2 ltac:(lra)) as [[laws_g _] _].
    + intros i. destruct (Nat.lt_ge_cases i (outcomes m)) as [small|large]; [now apply chosen|now rewrite rest].
Qed.

(** ** What both data sets give to a transcript: the sum of min(P, e^epsilon Q) *)

Definition common epsilon (x y : R) : R := Rmin x (exp epsilon * y).

Lemma common_scale epsilon w x y : 0 <= w -> common epsilon (w * x) (w * y) = w * common epsilon x y.
Proof.
  intros hw. unfold common. rewrite <- Rmult_assoc, (Rmult_comm (exp epsilon)), Rmult_assoc.
  symmetry. unfold Rmin. destruct (Rle_dec x (exp epsilon * y)), (Rle_dec (w * x) (w * (exp epsilon * y))); nra.
Qed.

Lemma common_le epsilon x y x' y' : x <= x' -> y <= y' -> common epsilon x y <= common epsilon x' y'.
Proof.
  intros hx hy. pose proof (exp_pos epsilon). unfold common.
  apply Rmin_glb; [eapply Rle_trans; [apply Rmin_l|easy]|eapply Rle_trans; [apply Rmin_r|nra]].
Qed.

Lemma common_nonneg epsilon x y : 0 <= x -> 0 <= y -> 0 <= common epsilon x y.
Proof. intros hx hy. pose proof (exp_pos epsilon). apply Rmin_glb; nra. Qed.

Lemma total_common_nonneg (F : filter C) epsilon g : honest good_honest g -> forall s tau x y, 0 <= x -> 0 <= y ->
  0 <= total F (fun _ x y => common epsilon x y) s tau x y g.
Proof.
  induction g as [|m granted IHg denied IHd]; intros hon s tau x y hx hy; cbn; [now apply common_nonneg|].
  destruct hon as ((((hp & _) & (hq & _)) & _) & hong & hond). destruct (admits F s (charge m)); [|now apply IHd].
  apply sum_nonneg. intros i small. specialize (hp i small). specialize (hq i small). apply IHg; [easy|nra|nra].
Qed.

Context (F : filter C) (left left' : state F -> R) (rho xi : R).
Context (divergences : keeps F left price rho) (chances : keeps F left' cost xi).

(** What is common on the good part, (w - what is left of xi)-fold, is common on the whole. *)
Lemma common_of_good epsilon t : forall g, good_part t g -> honest good_honest g ->
  forall s tau w x y x' y', 0 <= left' s -> 0 <= w <= 1 -> 0 <= x' -> 0 <= y' -> w * x' <= x -> w * y' <= y ->
  (w - left' s) * total F (fun _ x y => common epsilon x y) s tau x' y' g <=
  total F (fun _ x y => common epsilon x y) s tau x y t.
Proof.
  induction t as [|m granted IHg denied IHd];
    intros [|m' granted' denied'] part hon s tau w x y x' y' hs hw hx hy px py;
    try easy.
  - cbn. pose proof (common_nonneg epsilon x' y' hx hy).
    pose proof (common_le epsilon _ _ _ _ px py) as it. rewrite common_scale in it by easy. nra.
  - destruct part as (same_n & same_c & below & partg & partd).
    destruct hon as ((((hp & _) & (hq & _)) & range & _) & hong & hond).
    cbn [total]. rewrite same_c, same_n in *.
    destruct (admits F s (charge m)) eqn:admitted.
    + pose proof (fits _ _ _ _ chances _ _ admitted) as fit. rewrite <- sum_scale. apply sum_le. intros i small.
      specialize (hp i small). specialize (hq i small). destruct (below i small) as [bp bq].
      specialize (IHg i (granted' i) (partg i small) (hong i) (after F s (charge m) i)
        (tau ++ [Released i]) (w * (1 - cost (charge m))) (x * P m i) (y * Q m i) (x' * P m' i) (y' * Q m' i)).
      pose proof (total_common_nonneg F epsilon (granted' i) (hong i)
        (after F s (charge m) i) (tau ++ [Released i]) (x' * P m' i) (y' * Q m' i)
        ltac:(now apply Rmult_le_pos) ltac:(now apply Rmult_le_pos)) as positive.
      destruct range as [low high]. assert (0 <= w * x') by (apply Rmult_le_pos; lra).
      assert (0 <= w * y') by (apply Rmult_le_pos; lra).
      assert (w * x' * ((1 - cost (charge m)) * P m' i) <= x * P m i) by
        (apply Rmult_le_compat; try easy; apply Rmult_le_pos; lra).
      assert (w * y' * ((1 - cost (charge m)) * Q m' i) <= y * Q m i) by
        (apply Rmult_le_compat; try easy; apply Rmult_le_pos; lra).
      assert (0 <= w * (1 - cost (charge m)) <= 1) by (split; [apply Rmult_le_pos; lra|nra]).
      eapply Rle_trans; [|apply IHg]; rewrite ?(pays _ _ _ _ chances); cbn; try lra.
      * apply Rmult_le_compat_r; [exact positive|]. nra.
      * now apply Rmult_le_pos.
      * now apply Rmult_le_pos.
    + eapply IHd; eauto.
Qed.

Lemma stick_and_common t epsilon : honest laws t ->
  hockey_stick F t epsilon = 1 - over F t (fun _ x y => common epsilon x y).
Proof.
  intros hon. pose proof (total_mass_P F t hon (start F) [] 1 1) as mass. unfold hockey_stick, over.
  enough (total F (fun _ x _ => x) (start F) [] 1 1 t =
    total F (fun _ x y => pos (x - exp epsilon * y)) (start F) [] 1 1 t +
    total F (fun _ x y => common epsilon x y) (start F) [] 1 1 t) by lra.
  rewrite <- total_plus. apply total_ext. intros _ x y. unfold pos, common, Rmax, Rmin.
  destruct (Rle_dec 0 (x - exp epsilon * y)), (Rle_dec x (exp epsilon * y)); lra.
Qed.

(** Any filter that keeps a ledger of rho and one of xi. *)
Theorem approximate_zcdp_ledger epsilon delta : 0 < rho -> 0 <= xi <= 1 -> 0 < delta < 1 ->
  fits_budget rho epsilon delta ->
  promises_delta F approximate_zcdp_priced epsilon (xi + (1 - xi) * delta).
Proof.
  intros hr hxi hd fit. apply both_ways; [apply approximate_zcdp_priced_swap|]. intros t hon.
  destruct (good_part_exists t hon) as (g & part & hong).
  assert (hockey_stick F g epsilon <= delta) as good.
  { apply (zcdp_to_delta _ g rho); [|easy|easy|easy|].
    - revert hong; apply honest_weaken. intros m (_ & _ & _ & every).
      destruct (every 2 ltac:(lra)) as [one _]. now apply (renyi_priced_dominated 2 _ m one).
    - apply (zcdp_ledger _ _ price _ _ (Rlt_le _ _ hr) divergences).
      revert hong; apply honest_weaken. now intros m (_ & _ & it). }
  rewrite stick_and_common in good by (revert hong; apply honest_weaken; now intros m [it _]).
  rewrite stick_and_common by (revert hon; apply honest_weaken; now intros m [it _]).
  pose proof (common_of_good epsilon t g part hong (start F) [] 1 1 1 1 1) as it.
  rewrite (opens _ _ _ _ chances) in it.
  specialize (it ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)).
  fold (over F g (fun _ x y => common epsilon x y)) in it.
  fold (over F t (fun _ x y => common epsilon x y)) in it. nra.
Qed.
End Ledgers.

(** ** The filter *)

(** The rule is that of basic composition, two sums: rho in place of epsilon, xi in place of delta. *)
Definition approximate_zcdp (rho xi : R) : filter (R * R) := basic rho xi.

(** Charged (rho, xi). *)
Definition approximate_zcdp_honest : request (R * R) -> Prop := approximate_zcdp_priced fst snd.

Lemma two_sums_keep rho xi :
  keeps (approximate_zcdp rho xi) fst fst rho /\ keeps (approximate_zcdp rho xi) snd snd xi.
Proof.
  split; (constructor; [easy| |easy]); intros s c admitted; cbn in admitted;
    apply andb_true_iff in admitted as [one two];
    [now destruct (Rle_dec (fst c) (fst s))|now destruct (Rle_dec (snd c) (snd s))].
Qed.

(** (epsilon, xi + (1 - xi) delta)-DP, for any delta at which a conversion here allows rho at epsilon. *)
(** Claim: A filter that admits while the rho_t and the xi_t of xi_t-approximately rho_t-zCDP mechanisms sum to at most
    rho > 0 and xi <= 1 keeps (epsilon, xi + (1 - xi) delta)-DP for each delta in (0, 1) at which the simple or the CKS
    conversion allows rho at epsilon.
    Source: Whitehouse, Ramdas, Rogers & Wu
    Beyond: Smaller deltas that rho-zCDP implies at epsilon by a better conversion. *)
Theorem approximate_zcdp_filter rho xi epsilon delta : 0 < rho -> 0 <= xi <= 1 -> 0 < delta < 1 ->
  fits_budget rho epsilon delta ->
  promises_delta (approximate_zcdp rho xi) approximate_zcdp_honest epsilon (xi + (1 - xi) * delta).
Proof.
  destruct (two_sums_keep rho xi) as [one two]. apply (approximate_zcdp_ledger fst snd _ _ _ rho xi one two).
Qed.

(** ** Somebody is granted something *)

(** Erasure (see [erasure]) is 1/2-approximately 0-zCDP: its good part is the blank. *)
Example erasure_is_honest : approximate_zcdp_honest erasure /\ forall rho, 0 <= rho ->
  admits (approximate_zcdp rho (/ 2)) (start (approximate_zcdp rho (/ 2))) (charge erasure) = true.
Proof.
  split.
  - set (blank_law := fun i => match i with 1%nat => 1 | _ => 0 end).
    set (told_P := fun i => match i with O => 1 | _ => 0 end).
    set (told_Q := fun i => match i with O => 0 | 1%nat => 0 | _ => 1 end).
    split; [|split; [cbn; lra|]].
    { unfold laws, law; cbn. repeat split; try lra; intros [|[|i]]; cbn; lra. }
    exists blank_law, blank_law, told_P, told_Q.
    split; [intros [|[|[|i]]] small; cbn in *; try lra; lia|].
    split; [intros [|[|[|i]]] small; cbn in *; try lra; lia|].
    split; [split; [intros [|[|i]] _; cbn; lra|cbn; lra]|].
    split; [split; [intros [|[|i]] _; cbn; lra|cbn; lra]|].
    split; [cbn; lra|]. intros alpha ha.
    enough (renyi_priced alpha (fun c => alpha * fst c) (with_laws erasure blank_law blank_law)) by (now split).
    split; [|split; [cbn; lra|split]].
    + unfold laws, law; cbn. repeat split; try lra; intros [|[|i]]; cbn; lra.
    + intros i _ zero. exact zero.
    + unfold round_moment. cbn. rewrite !term_zero, term_one, !Rmult_0_r, exp_0. lra.
  - intros rho hr. cbn. destruct (Rle_dec 0 rho); [|lra]. destruct (Rle_dec (/ 2) (/ 2)); [easy|lra].
Qed.
