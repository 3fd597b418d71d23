(** A filter over interactive mechanisms that are live at once: an analyst opens them one by one, and asks any that is
    open at any time, by all that was seen of all of them.

    - [concurrent_filter]: what each mechanism keeps alone, (epsilon_l, delta_l)-DP against every analyst who asks no
      other, is charged when it is opened; while the sums stay within (epsilon, delta), all that was seen of all is
      (epsilon, delta)-DP, in whatever order the questions come. *)

From Coq Require Import Reals Lra Lia List Bool.
From Filterproof Require Import Sums Interaction Divergences.
Import ListNotations.
Open Scope R_scope.

(** ** Mechanisms, alone *)

(** What was asked and answered so far. *)
Definition talk := list (nat * nat).

(** The law of the next answer, with one data set and with the other. *)
Record mechanism := Mechanism { size : nat; answer : bool -> talk -> nat -> nat -> R }.

Definition lawful (M : mechanism) : Prop := forall w h q, law (size M) (answer M w h q).

(** An analyst of one mechanism alone. *)
Inductive inquiry := Halt | Put (question : nat) (next : nat -> inquiry).

(** What is above: the data set of the first law is w, e = exp epsilon. *)
Fixpoint above (M : mechanism) (w : bool) (e : R) (h : talk) (x y : R) (g : inquiry) : R :=
  match g with
  | Halt => pos (x - e * y)
  | Put q next => sum (size M) (fun i =>
      above M w e (h ++ [(q, i)]) (x * answer M w h q i) (y * answer M (negb w) h q i) (next i))
  end.

(** The mechanism is (epsilon, delta)-DP against every analyst who asks no other. *)
Definition keeps (M : mechanism) (epsilon delta : R) : Prop :=
  forall w g, above M w (exp epsilon) [] 1 1 g <= delta.

(** ** The most that can still be above *)

Section Alone.
Variable M : mechanism.
Hypothesis fine : lawful M.
Variable w : bool.
Variable e : R.
Hypothesis e_pos : 0 <= e.

Lemma above_bounded g : forall h x y, above M w e h x y g <= Rabs x + e * Rabs y.
Proof.
  induction g as [|q next IH]; intros h x y; cbn.
  - apply pos_least; pose proof (Rabs_pos x); pose proof (Rabs_pos y); pose proof (Rle_abs x);
      pose proof (Rle_abs (- y)); rewrite Rabs_Ropp in *; nra.
  - destruct (fine w h q) as [px sx], (fine (negb w) h q) as [py sy].
    eapply Rle_trans; [apply sum_le; intros; apply IH|].
    rewrite (sum_ext _ _ (fun i => Rabs x * answer M w h q i + e * Rabs y * answer M (negb w) h q i)).
    + rewrite sum_plus, !sum_scale, sx, sy. lra.
    + intros i small. rewrite !Rabs_mult, (Rabs_pos_eq _ (px i small)), (Rabs_pos_eq _ (py i small)). ring.
Qed.

Definition reached (h : talk) (x y : R) : R -> Prop := fun z => exists g, z = above M w e h x y g.

Lemma reached_bounded h x y : bound (reached h x y).
Proof. exists (Rabs x + e * Rabs y). intros z [g ->]. apply above_bounded. Qed.

Lemma reached_some h x y : exists z, reached h x y z.
Proof. now exists (above M w e h x y Halt), Halt. Qed.

Definition most (h : talk) (x y : R) : R :=
  proj1_sig (completeness (reached h x y) (reached_bounded h x y) (reached_some h x y)).

Lemma most_above h x y g : above M w e h x y g <= most h x y.
Proof. unfold most. destruct (completeness _ _ _) as [m [upper least]]. cbn. apply upper. now exists g. Qed.

Lemma most_near h x y eta : 0 < eta -> exists g, most h x y - eta <= above M w e h x y g.
Proof.
  intros small. unfold most. destruct (completeness _ _ _) as [m [upper least]]. cbn.
  destruct (Classical_Prop.classic (exists g, m - eta <= above M w e h x y g)) as [|none]; [easy|].
  exfalso. assert (m <= m - eta); [|lra]. apply least. intros z [g ->].
  apply Rnot_lt_le. intros more. apply none. exists g. lra.
Qed.

Lemma most_start d : (forall g, above M w e [] 1 1 g <= d) -> most [] 1 1 <= d.
Proof.
  intros kept. unfold most. destruct (completeness _ _ _) as [m [upper least]]. cbn. apply least. now intros z [g ->].
Qed.

Lemma each_near n (m : nat -> R) (f : nat -> inquiry -> R) :
  (forall i eta, 0 < eta -> exists g, m i - eta <= f i g) ->
  forall eta, 0 < eta -> exists G, sum n m - eta <= sum n (fun i => f i (G i)).
Proof.
  intros near. induction n as [|n IH]; intros eta small.
  - exists (fun _ => Halt). cbn. lra.
  - destruct (IH (eta / 2)) as [G below]; [lra|]. destruct (near n (eta / 2)) as [g last]; [lra|].
    exists (fun i => if Nat.eqb i n then g else G i). cbn. rewrite Nat.eqb_refl.
    rewrite (sum_ext n (fun i => f i (if Nat.eqb i n then g else G i)) (fun i => f i (G i))); [lra|]. intros i less.
    destruct (Nat.eqb_spec i n); [lia|easy].
Qed.

(** It does not rise in the mean. *)
Lemma most_step h x y q :
  sum (size M) (fun i => most (h ++ [(q, i)]) (x * answer M w h q i) (y * answer M (negb w) h q i)) <= most h x y.
Proof.
  apply Rnot_lt_le. intros more.
  set (rest := fun i => most (h ++ [(q, i)]) (x * answer M w h q i) (y * answer M (negb w) h q i)) in *.
  destruct (each_near (size M) rest
    (fun i => above M w e (h ++ [(q, i)]) (x * answer M w h q i) (y * answer M (negb w) h q i))
    (fun i eta small => most_near _ _ _ eta small) ((sum (size M) rest - most h x y) / 2)) as [G near]; [lra|].
  pose proof (most_above h x y (Put q G)) as least. cbn in least. lra.
Qed.
End Alone.

(** ** Together *)

(** An analyst asks a mechanism, and goes on if the filter lets it be opened or it is open; tosses a coin; or ends. *)
Inductive play :=
| End
| Ask (label question : nat) (granted : nat -> play) (denied : play)
| Toss (n : nat) (p : nat -> R) (next : nat -> play).

Fixpoint fair (g : play) : Prop :=
  match g with
  | End => True
  | Ask _ _ granted denied => (forall i, fair (granted i)) /\ fair denied
  | Toss n p next => law n p /\ forall i, fair (next i)
  end.

Definition put {A} (f : nat -> A) (l : nat) (a : A) : nat -> A := fun k => if Nat.eqb k l then a else f k.
Definition among (l : nat) (o : list nat) : bool := existsb (Nat.eqb l) o.

Fixpoint over_all (f : nat -> R) (o : list nat) : R := match o with [] => 0 | l :: rest => f l + over_all f rest end.
Fixpoint times_all (f : nat -> R) (o : list nat) : R := match o with [] => 1 | l :: rest => f l * times_all f rest end.

Section Together.
Variable M : nat -> mechanism.
Hypothesis all_lawful : forall l, lawful (M l).
Variables eps del : nat -> R.
Hypothesis eps_nonneg : forall l, 0 <= eps l.
Hypothesis del_nonneg : forall l, 0 <= del l.
Variables epsilon delta : R.

(** What is open, each charged once, when it was opened. *)
Definition opens (o : list nat) (l : nat) : bool :=
  (if Rle_dec (over_all eps o + eps l) epsilon then true else false) &&
  (if Rle_dec (over_all del o + del l) delta then true else false).

(** What is above at the ends of a play; x and y are the probabilities of the answers of each mechanism, c of coins. *)
Fixpoint worth (w : bool) (o : list nat) (h : nat -> talk) (x y : nat -> R) (c : R) (g : play) : R :=
  match g with
  | End => c * pos (times_all x o - exp epsilon * times_all y o)
  | Ask l q granted denied =>
      if among l o || opens o l then
        sum (size (M l)) (fun i =>
          worth w (if among l o then o else l :: o) (put h l (h l ++ [(q, i)]))
            (put x l (x l * answer (M l) w (h l) q i)) (put y l (y l * answer (M l) (negb w) (h l) q i)) c (granted i))
      else worth w o h x y c denied
  | Toss n p next => sum n (fun i => worth w o h x y (c * p i) (next i))
  end.

(** The sum over all ends of (P - e^epsilon Q)_+, P with the data set w. *)
Definition value (w : bool) (g : play) : R := worth w [] (fun _ => []) (fun _ => 1) (fun _ => 1) 1 g.

Variable w : bool.

Lemma exp_nonneg a : 0 <= exp a.
Proof. left. apply exp_pos. Qed.

Definition left_of (l : nat) (h : talk) (x y : R) : R :=
  most (M l) (all_lawful l) w (exp (eps l)) (exp_nonneg (eps l)) h x y.

(** What can still be above of each that is open, in the mean of the others' answers. *)
Fixpoint still (h : nat -> talk) (x y : nat -> R) (o : list nat) : R :=
  match o with
  | [] => 0
  | l :: rest => times_all x rest * left_of l (h l) (x l) (y l) + x l * still h x y rest
  end.

Lemma among_in l o : among l o = true <-> In l o.
Proof.
  unfold among. rewrite existsb_exists. split.
  - intros (k & here & same). apply Nat.eqb_eq in same. now subst.
  - intros here. exists l. split; [easy|apply Nat.eqb_refl].
Qed.

Lemma put_there {A} (f : nat -> A) l a : put f l a l = a.
Proof. unfold put. now rewrite Nat.eqb_refl. Qed.

Lemma put_elsewhere {A} (f : nat -> A) l a k : k <> l -> put f l a k = f k.
Proof. unfold put. intros apart. now apply Nat.eqb_neq in apart as ->. Qed.

Lemma times_put x l a o : ~ In l o -> times_all (put x l a) o = times_all x o.
Proof.
  induction o as [|k o IH]; cbn; intros out; [easy|].
  rewrite IH, put_elsewhere; [easy|intros ->; apply out; now left|intros here; apply out; now right].
Qed.

Lemma still_put h x y l t a b o : ~ In l o -> still (put h l t) (put x l a) (put y l b) o = still h x y o.
Proof.
  induction o as [|k o IH]; cbn; intros out; [easy|].
  rewrite IH, times_put, !put_elsewhere; try easy; first [intros ->; apply out; now left|intros here; apply out; now right].
Qed.

Lemma times_nonneg x o : (forall l, 0 <= x l) -> 0 <= times_all x o.
Proof. intros all. induction o; cbn; [lra|now apply Rmult_le_pos]. Qed.

Lemma times_scaled x l a o : NoDup o -> In l o -> times_all (put x l (x l * a)) o = a * times_all x o.
Proof.
  induction o as [|k o IH]; intros once here; [easy|]. inversion once as [|? ? out rest]; subst. cbn.
  destruct (Nat.eq_dec k l) as [->|apart].
  - rewrite put_there, times_put; [ring|easy].
  - rewrite put_elsewhere, IH; [ring|easy|now destruct here|easy].
Qed.

Lemma still_step h x y l q o : NoDup o -> In l o -> (forall k, 0 <= x k) ->
  sum (size (M l)) (fun i => still (put h l (h l ++ [(q, i)])) (put x l (x l * answer (M l) w (h l) q i))
    (put y l (y l * answer (M l) (negb w) (h l) q i)) o) <= still h x y o.
Proof.
  intros once here all. pose proof (all_lawful l w (h l) q) as [nonneg one].
  induction o as [|k o IH]; [easy|]. inversion once as [|? ? out rest]; subst. cbn [still].
  destruct (Nat.eq_dec k l) as [->|apart].
  - rewrite (sum_ext _ _ (fun i => times_all x o *
      left_of l (h l ++ [(q, i)]) (x l * answer (M l) w (h l) q i) (y l * answer (M l) (negb w) (h l) q i)
      + x l * still h x y o * answer (M l) w (h l) q i)).
    2:{ intros i _. rewrite times_put, still_put, !put_there; [ring|easy..]. }
    rewrite sum_plus, !sum_scale, one.
    pose proof (most_step (M l) (all_lawful l) w _ (exp_nonneg (eps l)) (h l) (x l) (y l) q).
    pose proof (times_nonneg x o all). unfold left_of. nra.
  - assert (more : In l o) by now destruct here.
    rewrite (sum_ext _ _ (fun i => times_all x o * left_of k (h k) (x k) (y k) * answer (M l) w (h l) q i
      + x k * still (put h l (h l ++ [(q, i)])) (put x l (x l * answer (M l) w (h l) q i))
          (put y l (y l * answer (M l) (negb w) (h l) q i)) o)).
    2:{ intros i _. rewrite (times_scaled x l), !put_elsewhere; [ring|easy..]. }
    rewrite sum_plus, !sum_scale, one. specialize (IH rest more). pose proof (all k). nra.
Qed.

(** What is above of all is at most what is above of each, in the mean of the others. *)
Lemma above_together h x y o : (forall l, 0 <= x l) -> (forall l, 0 <= y l) ->
  pos (times_all x o - exp (over_all eps o) * times_all y o) <= still h x y o.
Proof.
  intros px py. induction o as [|l o IH]; cbn.
  - rewrite exp_0. apply pos_least; lra.
  - pose proof (most_above (M l) (all_lawful l) w _ (exp_nonneg (eps l)) (h l) (x l) (y l) Halt) as here. cbn in here.
    fold (left_of l (h l) (x l) (y l)) in here. rewrite exp_plus.
    set (X := times_all x o) in *. set (Y := times_all y o) in *.
    set (r := exp (eps l)) in *. set (R := exp (over_all eps o)) in *.
    assert (0 <= X) by now apply times_nonneg. assert (0 <= Y) by now apply times_nonneg.
    assert (0 <= r) by apply exp_nonneg. assert (0 <= R) by apply exp_nonneg.
    pose proof (px l). pose proof (py l).
    pose proof (pos_nonneg (x l - r * y l)). pose proof (pos_above (x l - r * y l)).
    pose proof (pos_nonneg (X - R * Y)). pose proof (pos_above (X - R * Y)).
    assert (pos (x l * X - r * R * (y l * Y)) <= X * pos (x l - r * y l) + x l * pos (X - R * Y)); [|nra].
    apply pos_least; [nra|].
    destruct (Rle_dec (r * y l) (x l)).
    + assert (r * y l * (X - R * Y) <= x l * pos (X - R * Y)); [|nra].
      apply Rle_trans with (r * y l * pos (X - R * Y)); [|nra]. apply Rmult_le_compat_l; nra.
    + assert (x l * (R * Y) <= r * y l * (R * Y)); [|nra]. apply Rmult_le_compat_r; nra.
Qed.

Theorem potential g : fair g -> forall o h x y c,
  NoDup o -> (forall l, 0 <= x l) -> (forall l, 0 <= y l) -> 0 <= c ->
  (forall l, ~ In l o -> h l = [] /\ x l = 1 /\ y l = 1) ->
  over_all eps o <= epsilon -> over_all del o <= delta ->
  (forall l, keeps (M l) (eps l) (del l)) ->
  worth w o h x y c g <= c * (still h x y o + times_all x o * (delta - over_all del o)).
Proof.
  induction g as [|l q granted IHg denied IHd|n p next IH]; intros fine o h x y c once px py pc new se sd kept; cbn.
  - apply Rmult_le_compat_l; [easy|].
    pose proof (above_together h x y o px py). pose proof (times_nonneg x o px). pose proof (times_nonneg y o py).
    pose proof (exp_le _ _ se).
    pose proof (pos_le (times_all x o - exp epsilon * times_all y o)
      (times_all x o - exp (over_all eps o) * times_all y o)). nra.
  - destruct fine as [fg fd]. destruct (among l o || opens o l) eqn:go; [|now apply IHd].
    pose proof (all_lawful l w (h l) q) as [nonneg one]. pose proof (all_lawful l (negb w) (h l) q) as [nonneg' _].
    set (o' := if among l o then o else l :: o).
    assert (here : In l o').
    { unfold o'. destruct (among l o) eqn:open; [now apply among_in|now left]. }
    assert (once' : NoDup o').
    { unfold o'. destruct (among l o) eqn:open; [easy|]. constructor; [|easy]. intros inside.
      apply among_in in inside. congruence. }
    assert (room : over_all eps o' <= epsilon /\ over_all del o' <= delta).
    { unfold o'. destruct (among l o) eqn:open; [easy|]. cbn in go. unfold opens in go.
      destruct (Rle_dec _ epsilon); [|easy]. destruct (Rle_dec _ delta); [|easy]. cbn. lra. }
    assert (before : still h x y o' + times_all x o' * (delta - over_all del o')
        <= still h x y o + times_all x o * (delta - over_all del o)).
    { unfold o'. destruct (among l o) eqn:open; [lra|]. cbn.
      destruct (new l) as (-> & -> & ->). { intros inside. apply among_in in inside. congruence. }
      pose proof (most_start (M l) (all_lawful l) w _ (exp_nonneg (eps l)) (del l) (kept l w)) as start.
      fold (left_of l [] 1 1) in start. pose proof (times_nonneg x o px). nra. }
    assert (new' : forall k, ~ In k o' -> h k = [] /\ x k = 1 /\ y k = 1).
    { intros k out. apply new. intros inside. apply out. unfold o'. destruct (among l o); [easy|now right]. }
    eapply Rle_trans; [apply sum_le; intros i small; apply IHg; try easy|].
    + intros k. unfold put. destruct (Nat.eqb k l); [apply Rmult_le_pos; [easy|now apply nonneg]|easy].
    + intros k. unfold put. destruct (Nat.eqb k l); [apply Rmult_le_pos; [easy|now apply nonneg']|easy].
    + intros k out. destruct (Nat.eq_dec k l) as [->|apart]; [easy|]. rewrite !put_elsewhere; [|easy..]. now apply new'.
    + fold o'. rewrite sum_scale. apply Rmult_le_compat_l; [easy|]. eapply Rle_trans; [|apply before].
      rewrite sum_plus. apply Rplus_le_compat; [now apply still_step|].
      rewrite (sum_ext _ _ (fun i => times_all x o' * (delta - over_all del o') * answer (M l) w (h l) q i)).
      2:{ intros i _. rewrite times_scaled; [ring|easy..]. }
      rewrite sum_scale, one. lra.
  - destruct fine as [[nonneg one] fine].
    eapply Rle_trans; [apply sum_le; intros i small; apply (IH i (fine i)); try easy; apply Rmult_le_pos; auto|].
    rewrite (sum_ext _ _ (fun i => c * (still h x y o + times_all x o * (delta - over_all del o)) * p i));
      [|intros; ring]. rewrite sum_scale, one. lra.
Qed.
End Together.

(** Claim: Interactive mechanisms, each (epsilon_l, delta_l)-DP alone, both ways, against every analyst who asks no
    other: if a filter lets one be opened only while the epsilons and the deltas of all that were opened sum to at most
    epsilon >= 0 and delta >= 0, the sum of (P - e^epsilon Q)_+ over all that was seen of all in finitely many questions
    is at most delta, both ways, in whatever order the questions come, also by coins.
    Beyond: Infinitely many answers; charges by Renyi divergences, zCDP or trade-off functions. *)
Theorem concurrent_filter M eps del epsilon delta :
  0 <= epsilon -> 0 <= delta -> (forall l, lawful (M l)) -> (forall l, keeps (M l) (eps l) (del l)) ->
  forall w g, fair g -> value M eps del epsilon delta w g <= delta.
Proof.
  intros pe pd fine kept w g hon. unfold value.
  eapply Rle_trans; [apply (potential M fine eps del epsilon delta w g hon); try easy; cbn; intros; try lra|].
  - constructor.
  - cbn. lra.
Qed.
