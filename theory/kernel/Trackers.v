(** Trackers: a filter of one size, started anew whenever it would halt. Paper 000, Proposition 4.10, Corollary 4.11.

    - [tracker_renyi]: "D_alpha(A^(T_m)(S) || A^(T_m)(S')) <= m Delta", T_m the step before the m-th restart, alpha > 1.
    - [tracker_kl]: the same at alpha = 1; [tracker_zcdp]: for zCDP.
    - [tracker_promise]: whatever an additive filter of m blocks promises, the tracker promises of m blocks. Where
      charges are the squares mu^2 of Gaussian DP this is 003, Appendix C.5: squares add.
    - [individual_tracker]: the personal tracker of person i, who is never left out, bounds what was lost on that person
      at T_m^(i).

    A mechanism that costs more than a block closes as many as it needs, which the paper excludes and the code allows.
    The number m is fixed in advance: nothing is said of a time that is chosen by the tracker's value. *)

From Coq Require Import Reals Lra Lia List ZArith.
From Filterproof Require Import Sums Interaction Divergences Paths AdditiveFilter Ledger RenyiFilter ZCDPFilter.
From Filterproof Require Import StricterFilter Individual IndividualFilter IndividualComposition.
Import ListNotations.
Open Scope R_scope.

(** Blocks closed so far, and the sum in the open block. *)
Record blocks := Blocks { closed : nat; spent : R }.

(** The number of blocks of size D that cover the charge c: the least whole number from c / D up. *)
Definition needed (D c : R) : nat := Z.to_nat (- Int_part (- (c / D))).

(** Algorithm 5's step, as in the code. *)
Definition track (D : R) (b : blocks) (c : R) : blocks :=
  if Rle_dec (spent b + c) D then Blocks (closed b) (spent b + c)
  else if Rle_dec c D then Blocks (S (closed b)) c
  else if Req_EM_T (spent b) 0 then Blocks (closed b + needed D c - 1) D
  else Blocks (closed b + needed D c) D.

(** The filter that denies what would open block m + 1. *)
Definition within_blocks (D : R) (m : nat) : filter R :=
  Filter blocks (Blocks 0 0) (fun b c => Nat.ltb (closed (track D b c)) m) (fun b c _ => track D b c).

(** [before_restart D m V b tau x y t]: the sum over the transcripts of strategy [t], which is denied nothing, each cut
    where the next release would open block m + 1. *)
Fixpoint before_restart (D : R) (m : nat) (V : transcript -> R -> R -> R)
    (b : blocks) (tau : transcript) (x y : R) (t : strategy R) : R :=
  match t with
  | Stop => V tau x y
  | Request r granted _ =>
      if Nat.ltb (closed (track D b (charge r))) m
      then sum (outcomes r) (fun i =>
             before_restart D m V (track D b (charge r)) (tau ++ [Released i]) (x * P r i) (y * Q r i) (granted i))
      else V tau x y
  end.

(** The analyst who halts at the first denial. *)
Fixpoint halting {C} (t : strategy C) : strategy C :=
  match t with
  | Stop => Stop
  | Request m granted _ => Request m (fun i => halting (granted i)) Stop
  end.

Lemma honest_halting {C} (ok : request C -> Prop) t : honest ok t -> honest ok (halting t).
Proof. induction t as [|m g IHg d IHd]; cbn; [easy|]. intros [? [? ?]]. repeat split; auto. Qed.

Lemma restart_is_halt D m V t : forall b tau tau' x y,
  before_restart D m (fun _ => V) b tau x y t = total (within_blocks D m) (fun _ => V) b tau' x y (halting t).
Proof.
  induction t as [|r granted IHg denied IHd]; intros; cbn -[Nat.ltb]; [easy|].
  destruct (Nat.ltb (closed (track D b (charge r))) m); [|easy]. apply sum_ext; intros; apply IHg.
Qed.

(** ** Blocks against their sum *)

Lemma needed_covers D c : 0 < D -> 0 <= c -> c <= INR (needed D c) * D.
Proof.
  intros hD hc. unfold needed. pose proof (base_Int_part (- (c / D))) as [below _].
  assert (nonneg : 0 <= c / D) by (apply Rmult_le_pos; [easy|left; now apply Rinv_0_lt_compat]).
  assert (zero : (Int_part (- (c / D)) <= 0)%Z) by (apply le_IZR; lra).
  rewrite INR_IZR_INZ, Z2Nat.id, opp_IZR by lia.
  replace c with (c / D * D) at 1 by (field; lra). apply Rmult_le_compat_r; lra.
Qed.

(** The sum of all charges is at most that of full blocks and what is in the open one. *)
Definition total_spent (D : R) (b : blocks) : R := INR (closed b) * D + spent b.

Lemma track_covers D b c : 0 < D -> 0 <= c -> 0 <= spent b <= D ->
  total_spent D b + c <= total_spent D (track D b c) /\ 0 <= spent (track D b c) <= D.
Proof.
  intros hD hc hs. unfold total_spent, track. pose proof (needed_covers D c hD hc) as cover.
  destruct (Rle_dec (spent b + c) D); cbn [closed spent]; [lra|].
  destruct (Rle_dec c D) as [|large]; cbn [closed spent]; [rewrite S_INR; lra|].
  destruct (Req_EM_T (spent b) 0) as [empty|]; cbn [closed spent].
  - assert (some : (1 <= needed D c)%nat).
    { destruct (needed D c); [cbn in cover; lra|lia]. }
    rewrite minus_INR, plus_INR by lia. rewrite empty. cbn. lra.
  - rewrite plus_INR. lra.
Qed.

(** ** What is promised at the m-th restart *)

Section tracker.

Variables (D : R) (m : nat) (ok : request R -> Prop).
Hypotheses (hD : 0 < D) (charged : forall r, ok r -> 0 <= charge r).

(** Every bound that the additive filter of budget m D keeps. *)
Theorem tracker_bound V bound : (forall t, honest ok t -> over (additive (INR m * D)) t (fun _ => V) <= bound) ->
  forall t, honest ok t -> over (within_blocks D m) t (fun _ => V) <= bound.
Proof.
  intros keeps. apply (stricter_bound (fun c => c) (within_blocks D m) (additive (INR m * D)) ok ok
    (fun b left => INR m * D - total_spent D b <= left /\ 0 <= spent b <= D)); [| | |exact keeps].
  - now intros [n p q c] okr.
  - intros b left r [room inside] okr admitted. cbn in admitted. apply Nat.ltb_lt in admitted.
    specialize (charged r okr). destruct (track_covers D b (charge r) hD charged inside) as [cover inside'].
    assert (fits : charge r <= left).
    { unfold total_spent in *. apply le_INR in admitted. rewrite S_INR in admitted.
      set (k := INR (closed (track D b (charge r)))) in *. nra. }
    cbn. destruct (Rle_dec (charge r) left); [|easy]. split; [easy|]. intros _ _. split; [lra|easy].
  - cbn. unfold total_spent; cbn. lra.
Qed.

(** Claim: What (epsilon, delta)-DP an additive filter of budget m Delta keeps, the tracker of size Delta keeps before
    its m-th restart, m fixed in advance, for the squares of GDP parameters as for other charges.
    Source: Koskela, Tobaben & Honkela, Appendix C.5 *)
Corollary tracker_promise epsilon delta : promises_delta (additive (INR m * D)) ok epsilon delta ->
  promises_delta (within_blocks D m) ok epsilon delta.
Proof.
  rewrite !promise_is_hockey_sticks. intros keeps t hon. split.
  - apply (tracker_bound (fun x y => pos (x - exp epsilon * y))); [|easy]. intros u hu. now apply keeps.
  - apply (tracker_bound (fun x y => pos (y - exp epsilon * x))); [|easy]. intros u hu. now apply keeps.
Qed.

End tracker.

(** What was released before the m-th restart has D_alpha at most rho, in both directions. *)
Definition renyi_before_restart (D : R) (m : nat) (t : strategy R) (alpha rho : R) : Prop :=
  transcript_continuous (within_blocks D m) (halting t) /\
  before_restart D m (fun _ x y => term alpha x y) (Blocks 0 0) [] 1 1 t <= exp ((alpha - 1) * rho) /\
  transcript_continuous (within_blocks D m) (swapped (halting t)) /\
  before_restart D m (fun _ x y => term alpha y x) (Blocks 0 0) [] 1 1 t <= exp ((alpha - 1) * rho).

Lemma tracker_divergence D m (ok : request R -> Prop) alpha rho : 0 < D -> (forall r, ok r -> 0 <= charge r) ->
  (forall r, ok r -> both dominated r) ->
  (forall t, honest ok t -> transcript_renyi (additive (INR m * D)) t alpha rho) ->
  forall t, honest ok t -> renyi_before_restart D m t alpha rho.
Proof.
  intros hD charged sane keeps t hon. pose proof (honest_halting ok t hon) as halted.
  unfold renyi_before_restart. rewrite (restart_is_halt D m (term alpha) t _ [] []).
  rewrite (restart_is_halt D m (fun x y => term alpha y x) t _ [] []). repeat split.
  - apply dominated_is_continuous. revert halted. apply honest_weaken. intros r okr. now apply sane.
  - apply (tracker_bound D m ok hD charged (term alpha)); [|easy]. intros u hu. now apply keeps.
  - apply dominated_is_continuous. revert halted. apply honest_swapped. intros r okr. now apply sane.
  - apply (tracker_bound D m ok hD charged (fun x y => term alpha y x)); [|easy]. intros u hu.
    destruct (keeps u hu) as [_ [_ back]]. unfold transcript_renyi_at_most, moment in back.
    now rewrite over_swapped in back.
Qed.

(** Claim: A filter of size Delta, on charges of at least D_alpha of their mechanisms both ways, alpha > 1, started anew
    when it would halt: before the m-th restart, m fixed in advance, D_alpha <= m Delta, both ways.
    Source: Feldman & Zrnic, Proposition 4.10
    Beyond: A time chosen by the value of the tracker. *)
Theorem tracker_renyi alpha D m t : 1 < alpha -> 0 < D -> honest (both (renyi_honest alpha)) t ->
  renyi_before_restart D m t alpha (INR m * D).
Proof.
  intros above hD. apply tracker_divergence; [easy|now intros r [(_ & ? & _) _]| |].
  - intros r [(lr & _ & there & _) (lr' & _ & back & _)]. split; (split; [|]); assumption.
  - intros u hu. apply renyi_filter_both_ways; [easy| |easy]. pose proof (pos_INR m). nra.
Qed.

(** What was released before the m-th restart has a KL divergence of at most rho, in both directions. *)
Definition kl_before_restart (D : R) (m : nat) (t : strategy R) (rho : R) : Prop :=
  transcript_continuous (within_blocks D m) (halting t) /\
  before_restart D m (fun _ x y => x * ln (x / y)) (Blocks 0 0) [] 1 1 t <= rho /\
  transcript_continuous (within_blocks D m) (swapped (halting t)) /\
  before_restart D m (fun _ x y => y * ln (y / x)) (Blocks 0 0) [] 1 1 t <= rho.

(** Claim: A filter of size Delta, on charges of at least the KL divergence of their mechanisms both ways, started anew
    when it would halt: before the m-th restart, m fixed in advance, the KL divergence is at most m Delta, both ways.
    Source: Feldman & Zrnic, Proposition 4.10 at alpha = 1
    Beyond: A time chosen by the value of the tracker. *)
Theorem tracker_kl D m t : 0 < D -> honest (both kl_honest) t -> kl_before_restart D m t (INR m * D).
Proof.
  intros hD hon. pose proof (honest_halting _ t hon) as halted. pose proof (pos_INR m) as some.
  assert (charged : forall r : request R, both kl_honest r -> 0 <= charge r) by now intros r [(_ & ? & _) _].
  assert (sane : forall r : request R, both kl_honest r -> both dominated r).
  { intros r [one other]. split; now apply (kl_priced_dominated (fun c => c)). }
  assert (keeps : forall u, honest (both kl_honest) u -> transcript_kl (additive (INR m * D)) u (INR m * D)).
  { intros u hu. apply kl_filter; [nra|easy]. }
  unfold kl_before_restart. rewrite (restart_is_halt D m (fun x y => x * ln (x / y)) t _ [] []).
  rewrite (restart_is_halt D m (fun x y => y * ln (y / x)) t _ [] []). repeat split.
  - apply dominated_is_continuous. revert halted. apply honest_weaken. intros r okr. now apply sane.
  - apply (tracker_bound D m _ hD charged (fun x y => x * ln (x / y))); [|easy]. intros u hu.
    now destruct (keeps u hu) as [[_ one] _].
  - apply dominated_is_continuous. revert halted. apply honest_swapped. intros r okr. now apply sane.
  - apply (tracker_bound D m _ hD charged (fun x y => y * ln (y / x))); [|easy]. intros u hu.
    destruct (keeps u hu) as [_ [_ back]]. unfold kl in back. now rewrite over_swapped in back.
Qed.

(** For zCDP: at every order alpha > 1 at most alpha m D. *)
(** Claim: A filter of size Delta on zCDP charges, started anew when it would halt: before the m-th restart, m fixed in
    advance, D_alpha <= alpha m Delta at each alpha > 1, both ways.
    Source: Feldman & Zrnic, Proposition 4.10 *)
Theorem tracker_zcdp D m t : 0 < D -> honest zcdp_honest t -> forall alpha, 1 < alpha ->
  renyi_before_restart D m t alpha (alpha * (INR m * D)).
Proof.
  intros hD hon alpha above. revert t hon. apply tracker_divergence; [easy|now intros r [? _]| |].
  - intros r okr. split; [now apply zcdp_dominated|]. now apply zcdp_dominated, zcdp_priced_swap.
  - intros u hu. apply zcdp_filter; [|easy|easy]. pose proof (pos_INR m). nra.
Qed.

(** Claim: The tracker of one person, who is never left out, bounds by m Delta the D_alpha, alpha > 1, both ways, of
    what was released before its m-th restart, m fixed in advance, with that person and without.
    Source: Feldman & Zrnic, Corollary 4.11
    Beyond: A time chosen by the value of the tracker. *)
Theorem individual_tracker alpha D m i t : 1 < alpha -> 0 < D -> honest_for i (both (renyi_honest alpha)) t ->
  renyi_before_restart D m (as_seen i t) alpha (INR m * D).
Proof. intros above hD hon. apply tracker_renyi; [easy|easy|]. now apply honest_as_seen. Qed.

(** Claim: The tracker of one person, who is never left out, bounds by m Delta the KL divergence, both ways, of what was
    released before its m-th restart, m fixed in advance, with that person and without.
    Source: Feldman & Zrnic, Corollary 4.11 at alpha = 1
    Beyond: A time chosen by the value of the tracker. *)
Theorem individual_tracker_kl D m i t : 0 < D -> honest_for i (both kl_honest) t ->
  kl_before_restart D m (as_seen i t) (INR m * D).
Proof. intros hD hon. apply tracker_kl; [easy|]. now apply honest_as_seen. Qed.

(** A charge of 3/4, three times, in blocks of size 1: each opens a block, and the third restart comes before the
    fourth release. *)
Example three_blocks :
  let b := track 1 (track 1 (track 1 (Blocks 0 0) (3/4)) (3/4)) (3/4) in
  b = Blocks 2 (3/4) /\ track 1 b (5/2) = Blocks 5 1.
Proof.
  assert (three : needed 1 (5/2) = 3%nat).
  { unfold needed. replace (Int_part (- (5/2 / 1))) with (-3)%Z; [reflexivity|]. symmetry.
    unfold Int_part. rewrite <- (tech_up (- (5/2 / 1)) (-2)); [reflexivity|lra|lra]. }
  assert (first : track 1 (Blocks 0 0) (3/4) = Blocks 0 (3/4)).
  { unfold track; cbn [spent closed]. destruct (Rle_dec (0 + 3/4) 1); [f_equal; lra|lra]. }
  assert (next : forall k, track 1 (Blocks k (3/4)) (3/4) = Blocks (S k) (3/4)).
  { intros k. unfold track; cbn [spent closed]. destruct (Rle_dec (3/4 + 3/4) 1); [lra|].
    destruct (Rle_dec (3/4) 1); [easy|lra]. }
  cbv zeta. rewrite first, !next. split; [easy|]. unfold track; cbn [spent closed]. rewrite three.
  destruct (Rle_dec (3/4 + 5/2) 1); [lra|]. destruct (Rle_dec (5/2) 1); [lra|].
  destruct (Req_EM_T (3/4) 0); [lra|easy].
Qed.
