(** The natural filter composes the rounds so far as if they had been fixed in advance; under adaptivity that is
    unsound.

    The menu is randomised response at log 1.5, 2 log 1.5 and 3 log 1.5; e^epsilon = 9/4, delta = 45/169. Everything is
    a rational and is found by computation. *)

From Coq Require Import Reals Lra Lia List Bool.
From Filterproof Require Import Sums Interaction Divergences Events.
From Coq Require Import QArith Qreals.
Import ListNotations.
Open Scope Q_scope.

(** ** The filter, in rationals *)

Definition ratio : Q := 9 # 4.
Definition allowed : Q := 45 # 169.

Definition odds (c : nat) : Q := match c with O => 3 # 2 | 1%nat => 9 # 4 | _ => 27 # 8 end.

(** Randomised response: outcome 0 is the truth under P. *)
Definition tells (c i : nat) : Q := match i with O => odds c / (1 + odds c) | _ => 1 / (1 + odds c) end.
Definition lies (c i : nat) : Q := match i with O => 1 / (1 + odds c) | _ => odds c / (1 + odds c) end.

Definition payoff (x y : Q) : Q := let gain := x - ratio * y in if Qle_bool gain 0 then 0 else gain.

(** The hockey-stick divergence of the rounds in the list, had they been fixed in advance. *)
Fixpoint fixed (f : Q -> Q -> Q) (l : list nat) (x y : Q) : Q :=
  match l with
  | [] => f x y
  | c :: rest => Qred (fixed f rest (x * tells c 0) (y * lies c 0) + fixed f rest (x * tells c 1) (y * lies c 1))
  end.

(** Admits while the fixed composition, the request included, tells (epsilon, delta)-DP both ways, and while rounds are
    left; the state is (rounds left, what was released). *)
Definition natural_admits (s : nat * list nat) (c : nat) : bool :=
  (0 <? fst s)%nat && (c <? 3)%nat && Qle_bool (fixed payoff (c :: snd s) 1 1) allowed &&
  Qle_bool (fixed (fun x y => payoff y x) (c :: snd s) 1 1) allowed.

Definition natural (rounds : nat) : filter nat :=
  Filter (nat * list nat) (rounds, []) natural_admits (fun s c _ => (pred (fst s), c :: snd s)).

(** ** Strategies on the menu *)

(** The request for the pair at place c. *)
Definition rr (c : nat) : request nat := Ask 2 (fun i => Q2R (tells c i)) (fun i => Q2R (lies c i)) c.

Definition on_the_menu (m : request nat) : Prop := m = rr (charge m).

(** The best that any strategy can reach from here: stop, or the best request that is admitted. *)
Definition larger (a b : Q) : Q := if Qle_bool a b then b else a.

Fixpoint game (n : nat) (l : list nat) (x y : Q) : Q :=
  match n with
  | O => payoff x y
  | S n' =>
      let try c best := if natural_admits (n, l) c
        then larger (Qred (game n' (c :: l) (x * tells c 0) (y * lies c 0) +
                           game n' (c :: l) (x * tells c 1) (y * lies c 1))) best
        else best in
      try 0%nat (try 1%nat (try 2%nat (payoff x y)))
  end.

(** A plan: halt, or ask for a place and go on by the outcome. *)
Inductive plan := Halt | Then (c : nat) (zero one : plan).

Fixpoint played (p : plan) : strategy nat :=
  match p with
  | Halt => Stop
  | Then c zero one => Request (rr c) (fun i => match i with O => played zero | _ => played one end) Stop
  end.

(** What a plan reaches; 0 if one of its requests is denied. *)
Fixpoint worth (p : plan) (n : nat) (l : list nat) (x y : Q) : Q :=
  match p with
  | Halt => payoff x y
  | Then c zero one =>
      if natural_admits (n, l) c
      then Qred (worth zero (pred n) (c :: l) (x * tells c 0) (y * lies c 0) +
                 worth one (pred n) (c :: l) (x * tells c 1) (y * lies c 1))
      else payoff x y
  end.

(** ** From rationals to the real hockey-stick divergence *)

Definition epsilon : R := ln (Q2R ratio).

Lemma exp_epsilon : exp epsilon = Q2R ratio.
Proof. apply exp_ln. replace 0%R with (Q2R 0) by (unfold Q2R; cbn; lra). apply Qlt_Rlt. reflexivity. Qed.

Lemma Q2R_zero : Q2R 0 = 0%R. Proof. unfold Q2R; cbn; lra. Qed.
Lemma Q2R_one : Q2R 1 = 1%R. Proof. unfold Q2R; cbn; lra. Qed.
Lemma Q2R_red a : Q2R (Qred a) = Q2R a. Proof. apply Qeq_eqR, Qred_correct. Qed.

Lemma payoff_is_pos x y : pos (Q2R x - exp epsilon * Q2R y) = Q2R (payoff x y).
Proof.
  rewrite exp_epsilon. unfold payoff, pos. rewrite <- Q2R_mult, <- Q2R_minus.
  destruct (Qle_bool (x - ratio * y) 0) eqn:sign.
  - apply Qle_bool_iff, Qle_Rle in sign. rewrite Q2R_zero in *. now rewrite Rmax_left.
  - rewrite Rmax_right; [easy|]. rewrite <- Q2R_zero. apply Qle_Rle, Qlt_le_weak, Qnot_le_lt.
    intros below%Qle_bool_iff. congruence.
Qed.

Lemma larger_left a b : (Q2R a <= Q2R (larger a b))%R.
Proof.
  unfold larger. destruct (Qle_bool a b) eqn:order; [|lra]. now apply Qle_Rle, Qle_bool_iff.
Qed.

Lemma larger_right a b : (Q2R b <= Q2R (larger a b))%R.
Proof.
  unfold larger. destruct (Qle_bool a b) eqn:order; [lra|]. apply Qle_Rle.
  destruct (Qlt_le_dec b a) as [less|more]; [now apply Qlt_le_weak|]. apply Qle_bool_iff in more. congruence.
Qed.

Definition stick (tau : transcript) (x y : R) : R := pos (x - exp epsilon * y).

(** The game bounds every strategy. *)
Lemma game_bounds rounds t : honest on_the_menu t -> forall n l tau x y,
  (total (natural rounds) stick (n, l) tau (Q2R x) (Q2R y) t <= Q2R (game n l x y))%R.
Proof.
  assert (stop : forall n l x y, (Q2R (payoff x y) <= Q2R (game n l x y))%R).
  { intros [|n] l x y; cbn [game]; [lra|].
    repeat match goal with |- context [natural_admits ?s ?c] => destruct (natural_admits s c) end;
    repeat first [apply Rle_refl | eapply Rle_trans; [|apply larger_right]]. }
  induction t as [|m granted IHg denied IHd]; intros hon n l tau x y.
  - cbn [total]. unfold stick. rewrite payoff_is_pos. apply stop.
  - destruct hon as [menu [hong hond]]. rewrite menu. set (c := charge m) in *. clearbody c. clear m menu.
    cbn [total]. change (admits (natural rounds) (n, l) (charge (rr c))) with (natural_admits (n, l) c).
    destruct (natural_admits (n, l) c) eqn:admitted; [|now apply IHd].
    destruct n as [|n]; [now cbn in admitted|].
    cbn [rr charge outcomes sum P Interaction.Q after natural fst snd pred].
    rewrite <- !Q2R_mult, Rplus_0_l.
    eapply Rle_trans; [apply Rplus_le_compat; apply IHg; apply hong|].
    rewrite <- Q2R_plus, <- Q2R_red.
    destruct c as [|[|[|c]]]; [| | |exfalso; unfold natural_admits in admitted; cbn in admitted; congruence];
    cbn [game]; cbv zeta; rewrite admitted; repeat match goal with
      |- context [natural_admits ?s ?c] => destruct (natural_admits s c) end;
    repeat first [apply larger_left | eapply Rle_trans; [|apply larger_right]].
Qed.

(** A plan reaches its worth. *)
Lemma plan_reaches rounds p : forall n l tau x y,
  total (natural rounds) stick (n, l) tau (Q2R x) (Q2R y) (played p) = Q2R (worth p n l x y).
Proof.
  induction p as [|c zero IH0 one IH1]; intros n l tau x y; cbn [played total worth].
  - apply payoff_is_pos.
  - change (admits (natural rounds) (n, l) (charge (rr c))) with (natural_admits (n, l) c).
    destruct (natural_admits (n, l) c); [|apply payoff_is_pos].
    cbn [rr charge outcomes sum P Interaction.Q after natural fst snd].
    now rewrite <- !Q2R_mult, Rplus_0_l, IH0, IH1, Q2R_red, Q2R_plus.
Qed.

Lemma played_on_the_menu p : honest on_the_menu (played p).
Proof. induction p as [|c zero IH0 one IH1]; cbn; [easy|]. repeat split. now intros [|i]. Qed.

Lemma reached rounds p : hockey_stick (natural rounds) (played p) epsilon = Q2R (worth p rounds [] 1 1).
Proof. unfold hockey_stick, over. rewrite <- Q2R_one. apply (plan_reaches rounds p rounds []). Qed.

Lemma bounded rounds t : honest on_the_menu t ->
  (hockey_stick (natural rounds) t epsilon <= Q2R (game rounds [] 1 1))%R.
Proof. intros hon. unfold hockey_stick, over. rewrite <- Q2R_one. now apply (game_bounds rounds t hon rounds []). Qed.

(** ** Three rounds *)

Lemma best_of_three : game 3 [] 1 1 = 1899 # 5915.
Proof. vm_compute. reflexivity. Qed.

(** RR(log 1.5) first; on the truth RR(3 log 1.5); on the lie RR(2 log 1.5), once more if that told the truth. *)
Definition best_plan : plan := Then 0 (Then 2 Halt Halt) (Then 1 (Then 1 Halt Halt) Halt).

Lemma best_plan_reaches : worth best_plan 3 [] 1 1 = 1899 # 5915.
Proof. vm_compute. reflexivity. Qed.

(** No strategy on the menu, randomised or not, halting or asking again after a denial, reaches more than 1899/5915. *)
(** Claim: In three rounds of randomised response with odds 3/2, 9/4 or 27/8 no strategy reaches more than 1899/5915
    at epsilon = log(9/4), P over Q, under the natural filter, which admits while the rounds so far, composed as if
    fixed in advance, are (log(9/4), 45/169)-DP. *)
Theorem no_strategy_more t : honest on_the_menu t ->
  (hockey_stick (natural 3) t epsilon <= 1899 / 5915)%R.
Proof.
  intros hon. apply Rle_trans with (Q2R (game 3 [] 1 1)); [now apply bounded|].
  rewrite best_of_three. unfold Q2R. cbn. lra.
Qed.

(** Claim: In three rounds of randomised response with odds 3/2, 9/4 or 27/8 one adaptive strategy reaches 1899/5915
    at epsilon = log(9/4) under the natural filter, which admits while the rounds so far, composed as if fixed in
    advance, are (log(9/4), 45/169)-DP. *)
Theorem one_strategy_reaches_it : honest on_the_menu (played best_plan) /\
  hockey_stick (natural 3) (played best_plan) epsilon = (1899 / 5915)%R.
Proof.
  split; [apply played_on_the_menu|]. rewrite reached, best_plan_reaches. unfold Q2R. cbn. lra.
Qed.

(** Claim: In three rounds of randomised response with odds 3/2, 9/4 or 27/8 the natural filter, which admits while
    the rounds so far, composed as if fixed in advance, are (log(9/4), 45/169)-DP, does not keep (log(9/4),
    45/169)-DP. *)
Theorem natural_filter_fails : ~ promises_delta (natural 3) on_the_menu epsilon (45 / 169).
Proof.
  destruct one_strategy_reaches_it as [hon value].
  apply (promise_refuted _ _ (played best_plan)); [exact hon|]. rewrite value. lra.
Qed.
