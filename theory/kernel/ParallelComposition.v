(** Parallel composition while data come: each label (a site, a block, an epoch) has an interactive mechanism of its
    own, and one person's data come to one label, at a time and to a label that an analyst picks by all that was seen.

    - [parallel]: what every mechanism keeps alone, with delta l for label l, all of them keep with the sum of deltas;
    - [pure_parallel]: so with delta 0 the largest epsilon is enough, and labels cost nothing;
    - [leak_alone], [parallel_fails]: with delta above 0 the largest delta is not enough. n mechanisms that keep
      (0, delta) each are opened before the data come, and together give (epsilon, delta') for no delta' below
      1 - (1 - delta)^n, whatever epsilon. *)

From Coq Require Import Reals Lra Lia List Bool.
From Filterproof Require Import Sums Interaction.
Import ListNotations.
Open Scope R_scope.

(** ** Mechanisms, plays *)

(** The law of the next answer by the answers so far, and by how many there were when the data came (None: not yet). *)
Record mechanism := Mechanism { size : nat; answer : list nat -> option nat -> nat -> R }.

Definition lawful (M : mechanism) : Prop := forall h came, law (size M) (answer M h came).

(** An analyst asks the mechanism of a label, has the data come to a label (the first time counts), or tosses a coin. *)
Inductive play :=
| End
| Query (label : nat) (next : nat -> play)
| Come (label : nat) (next : play)
| Toss (n : nat) (p : nat -> R) (next : nat -> play).

Definition histories := nat -> list nat.
Definition nothing : histories := fun _ => [].
Definition noted (h : histories) (l i : nat) : histories := fun k => if Nat.eqb k l then h l ++ [i] else h k.

(** Where and when the data came. *)
Definition place := option (nat * nat).
Definition came_to (a : place) (l : nat) : option nat :=
  match a with Some (k, t) => if Nat.eqb k l then Some t else None | None => None end.
Definition placed (a : place) (h : histories) (l : nat) : place :=
  match a with None => Some (l, length (h l)) | Some _ => a end.

(** Every coin is a law, and every label is one of those. *)
Fixpoint fair (labels : nat -> Prop) (g : play) : Prop :=
  match g with
  | End => True
  | Query l next => labels l /\ forall i, fair labels (next i)
  | Come l next => labels l /\ fair labels next
  | Toss n p next => law n p /\ forall i, fair labels (next i)
  end.

Section Labels.
Variable M : nat -> mechanism.
Hypothesis all_lawful : forall l, lawful (M l).

(** The sum of V over the ends of a play: where the data came, its probability with the person's data and without. *)
Fixpoint worth (V : place -> R -> R -> R) (h : histories) (a : place) (x y : R) (g : play) : R :=
  match g with
  | End => V a x y
  | Query l next =>
      sum (size (M l)) (fun i => worth V (noted h l i) a
        (x * answer (M l) (h l) (came_to a l) i) (y * answer (M l) (h l) None i) (next i))
  | Come l next => worth V h (placed a h l) x y next
  | Toss n p next => sum n (fun i => worth V h a (x * p i) (y * p i) (next i))
  end.

Definition value (V : R -> R -> R) (g : play) : R := worth (fun _ => V) nothing None 1 1 g.

Lemma noted_there h l i : noted h l i l = h l ++ [i].
Proof. unfold noted. now rewrite Nat.eqb_refl. Qed.

Lemma noted_elsewhere h l i k : k <> l -> noted h l i k = h k.
Proof. unfold noted. intros apart. now apply Nat.eqb_neq in apart as ->. Qed.

Lemma answer_nonneg l h c i : (i < size (M l))%nat -> 0 <= answer (M l) h c i.
Proof. intros small. now apply (all_lawful l). Qed.

Lemma worth_plus V W g : forall h a x y,
  worth (fun b p q => V b p q + W b p q) h a x y g = worth V h a x y g + worth W h a x y g.
Proof.
  induction g as [|l next IH|l next IH|n p next IH]; intros; cbn; [easy| |apply IH|];
    rewrite <- sum_plus; apply sum_ext; intros; apply IH.
Qed.

Lemma worth_zero g : forall h a x y, worth (fun _ _ _ => 0) h a x y g = 0.
Proof.
  induction g as [|l next IH|l next IH|n p next IH]; intros; cbn; [easy| |apply IH|];
    (erewrite sum_ext; [apply sum_zero|intros; apply IH]).
Qed.

Lemma worth_sum n (V : nat -> place -> R -> R -> R) g h a x y :
  worth (fun b p q => sum n (fun l => V l b p q)) h a x y g = sum n (fun l => worth (V l) h a x y g).
Proof.
  induction n as [|n IH]; cbn; [apply worth_zero|]. rewrite <- IH.
  exact (worth_plus (fun b p q => sum n (fun l => V l b p q)) (V n) g h a x y).
Qed.

(** ** What all keep together *)

Section Sum.
(** A divergence: V of two probabilities, zero where they are the same. *)
Variable V : R -> R -> R.
Hypothesis V_nonneg : forall x y, 0 <= V x y.
Hypothesis V_same : forall x, 0 <= x -> V x x = 0.

(** The part of the ends at which the data came to label l. *)
Definition part (l : nat) (a : place) (x y : R) : R :=
  match a with Some (k, _) => if Nat.eqb k l then V x y else 0 | None => 0 end.

Lemma part_of n k t x y : (k < n)%nat -> V x y <= sum n (fun l => part l (Some (k, t)) x y).
Proof.
  intros small. pose proof (sum_one_term n (fun l => part l (Some (k, t)) x y) k small) as least.
  cbn in least. rewrite Nat.eqb_refl in least. apply least. intros l _. destruct (Nat.eqb k l); [apply V_nonneg|lra].
Qed.

Definition in_reach (n : nat) (a : place) : Prop := match a with Some (k, _) => (k < n)%nat | None => True end.

Lemma split_by_label n g : forall h a x y, fair (fun l => (l < n)%nat) g -> in_reach n a ->
  0 <= x -> 0 <= y -> (a = None -> x = y) ->
  worth (fun _ => V) h a x y g <= worth (fun b p q => sum n (fun l => part l b p q)) h a x y g.
Proof.
  induction g as [|l next IH|l next IH|k p next IH]; intros h a x y fine reach xp yp same; cbn.
  - destruct a as [[k t]|]; [now apply part_of|]. rewrite (same eq_refl), V_same; [|easy].
    apply sum_nonneg. intros. cbn. lra.
  - destruct fine as [below fine]. apply sum_le. intros i small. apply IH; [apply fine|easy| | |].
    + apply Rmult_le_pos; [easy|now apply answer_nonneg].
    + apply Rmult_le_pos; [easy|now apply answer_nonneg].
    + intros ->. now rewrite (same eq_refl).
  - destruct fine as [below fine]. apply IH; [easy| |easy|easy|].
    + destruct a as [[k t]|]; easy.
    + now destruct a.
  - destruct fine as [[there _] fine]. apply sum_le. intros i small. specialize (there i small).
    apply IH; [apply fine|easy| | |]; [now apply Rmult_le_pos..|]. intros ->. now rewrite (same eq_refl).
Qed.

(** A play for label l alone, which tosses the answers of the others as they are without the person's data, and ends
    where the data come to another. *)
Fixpoint alone (l : nat) (h : histories) (a : place) (g : play) : play :=
  match g with
  | End => End
  | Query k next =>
      if Nat.eqb k l then Query l (fun i => alone l (noted h k i) a (next i))
      else Toss (size (M k)) (answer (M k) (h k) None) (fun i => alone l (noted h k i) a (next i))
  | Come k next =>
      match a with
      | Some _ => alone l h a next
      | None => if Nat.eqb k l then Come l (alone l h (placed a h k) next) else End
      end
  | Toss n p next => Toss n p (fun i => alone l h a (next i))
  end.

Lemma alone_is_fair labels l g : fair labels g -> forall h a, fair (eq l) (alone l h a g).
Proof.
  induction g as [|k next IH|k next IH|n p next IH]; intros fine h a; cbn; [easy|..]; destruct fine as [here fine].
  - destruct (Nat.eqb k l); cbn; (split; [|intros i; apply IH, fine]); [easy|apply all_lawful].
  - destruct a; [now apply IH|]. destruct (Nat.eqb k l); cbn; [split; [easy|now apply IH]|easy].
  - split; [easy|]. intros i. apply IH, fine.
Qed.

Lemma elsewhere_is_nothing l k t g : k <> l -> forall h x y, worth (part l) h (Some (k, t)) x y g = 0.
Proof.
  intros apart. apply Nat.eqb_neq in apart.
  induction g as [|j next IH|j next IH|n p next IH]; intros; cbn; [now rewrite apart| |apply IH|];
    (erewrite sum_ext; [apply sum_zero|intros; apply IH]).
Qed.

Lemma worth_nonneg g : forall h a x y, 0 <= worth (fun _ => V) h a x y g.
Proof.
  induction g as [|l next IH|l next IH|n p next IH]; intros; cbn; [apply V_nonneg| |apply IH|];
    apply sum_nonneg; intros; apply IH.
Qed.

Lemma alone_is_worth l g : forall h h' a x y, h' l = h l -> match a with Some (k, _) => k = l | None => True end ->
  worth (part l) h a x y g <= worth (fun _ => V) h' a x y (alone l h a g).
Proof.
  induction g as [|k next IH|k next IH|n p next IH]; intros h h' a x y same here; cbn [alone worth].
  - destruct a as [[k t]|]; cbn; [subst k; rewrite Nat.eqb_refl; lra|apply V_nonneg].
  - destruct (Nat.eqb_spec k l) as [->|apart]; cbn [worth].
    + rewrite same. apply sum_le. intros i _. apply IH; [|easy]. now rewrite !noted_there, same.
    + assert (unseen : came_to a k = None).
      { destruct a as [[j t]|]; cbn; [|easy]. subst j. destruct (Nat.eqb_spec l k); [now subst|easy]. }
      rewrite unseen. apply sum_le. intros i _. apply IH; [|easy]. now rewrite noted_elsewhere; [|congruence].
  - destruct a as [[j t]|]; cbn [placed].
    + now apply IH.
    + destruct (Nat.eqb_spec k l) as [->|apart]; cbn [worth placed].
      * rewrite same. now apply IH.
      * rewrite elsewhere_is_nothing; [apply V_nonneg|easy].
  - apply sum_le. intros i _. now apply IH.
Qed.

(** What label l keeps alone, for every analyst who asks no other and has the data come to no other. *)
Definition keeps (l : nat) (delta : R) : Prop := forall g, fair (eq l) g -> value V g <= delta.

Theorem parallel n delta : (forall l, (l < n)%nat -> keeps l (delta l)) ->
  forall g, fair (fun l => (l < n)%nat) g -> value V g <= sum n delta.
Proof.
  intros each g fine. unfold value.
  eapply Rle_trans; [apply (split_by_label n); [easy|exact I|lra|lra|easy]|].
  rewrite worth_sum. apply sum_le. intros l small.
  eapply Rle_trans; [apply (alone_is_worth l g nothing nothing); [easy|exact I]|].
  apply each; [easy|]. now apply (alone_is_fair (fun l => (l < n)%nat)).
Qed.
End Sum.

(** The hockey-stick divergence at ratio = e^epsilon. *)
Definition beyond (ratio x y : R) : R := Rmax (x - ratio * y) 0.

Lemma beyond_nonneg ratio x y : 0 <= beyond ratio x y.
Proof. apply Rmax_r. Qed.

Lemma beyond_same ratio x : 1 <= ratio -> 0 <= x -> beyond ratio x x = 0.
Proof. intros above xp. apply Rmax_right. nra. Qed.

(** Claim: What the mechanism of each of n labels keeps alone, (epsilon, delta_l)-DP both ways, epsilon >= 0, all keep
    together with the sum of the deltas, wherever and whenever one person's data come to one label.
    Beyond: Infinitely many answers; a person whose data come to two labels. *)
Theorem parallel_promise n ratio delta : 1 <= ratio ->
  (forall l, (l < n)%nat -> keeps (beyond ratio) l (delta l) /\ keeps (fun x y => beyond ratio y x) l (delta l)) ->
  forall g, fair (fun l => (l < n)%nat) g ->
  value (beyond ratio) g <= sum n delta /\ value (fun x y => beyond ratio y x) g <= sum n delta.
Proof.
  intros above each g fine. split; apply parallel; try easy; try (intros; apply beyond_nonneg);
    try (intros; now apply beyond_same); intros l small; now apply each.
Qed.

(** Claim: Where the mechanism of each of n labels alone keeps epsilon-DP, all keep epsilon-DP together, wherever and
    whenever one person's data come to one label. *)
Theorem pure_parallel n ratio : 1 <= ratio ->
  (forall l, (l < n)%nat -> keeps (beyond ratio) l 0 /\ keeps (fun x y => beyond ratio y x) l 0) ->
  forall g, fair (fun l => (l < n)%nat) g -> value (beyond ratio) g <= 0 /\ value (fun x y => beyond ratio y x) g <= 0.
Proof.
  intros above each g fine. rewrite <- (sum_zero n). now apply (parallel_promise n ratio (fun _ => 0)).
Qed.
End Labels.

(** ** The largest delta is not enough *)

(** It first says whether it will leak, which it does with probability delta, and then whether the data have come. *)
Definition leak (delta : R) : mechanism := Mechanism 2 (fun h came i =>
  match h with
  | [] => if Nat.eqb i 1 then delta else 1 - delta
  | [S O] => match came with Some _ => if Nat.eqb i 1 then 1 else 0 | None => if Nat.eqb i 1 then 0 else 1 end
  | _ => if Nat.eqb i 1 then 0 else 1
  end).

Lemma leak_lawful delta : 0 <= delta <= 1 -> lawful (leak delta).
Proof.
  intros small [|[|[|n]] [|]] came; split; cbn; try (intros [|[|i]] _); cbn; try lra;
    destruct came; cbn; try lra.
Qed.

Section Leaks.
Variables delta ratio : R.
Hypothesis delta_small : 0 <= delta <= 1.
Hypothesis ratio_above : 1 <= ratio.
Let M : nat -> mechanism := fun _ => leak delta.

Section EitherWay.
Variable V : R -> R -> R.
Variable c : R.
Hypothesis c_small : 0 <= c <= 1.
Hypothesis V_same : forall x, 0 <= x -> V x x = 0.
Hypothesis V_small : forall x y, 0 <= x -> 0 <= y -> V x y <= c * x + (1 - c) * y.

Lemma at_most_all g labels : fair labels g -> forall h a x y, 0 <= x -> 0 <= y ->
  worth M (fun _ => V) h a x y g <= c * x + (1 - c) * y.
Proof.
  induction g as [|l next IH|l next IH|n p next IH]; intros fine h a x y xp yp.
  - now apply V_small.
  - destruct fine as [_ fine]. cbn [worth].
    destruct (leak_lawful delta delta_small (h l) (came_to a l)) as [nonneg one].
    destruct (leak_lawful delta delta_small (h l) None) as [nonneg' one'].
    eapply Rle_trans; [apply sum_le; intros i small; apply IH; [apply fine|..];
      apply Rmult_le_pos; [easy|now apply nonneg|easy|now apply nonneg']|].
    rewrite (sum_ext _ _ (fun i => c * x * answer (leak delta) (h l) (came_to a l) i
      + (1 - c) * y * answer (leak delta) (h l) None i)); [|intros; unfold M; ring].
    rewrite sum_plus, !sum_scale. unfold M. rewrite one, one'. lra.
  - destruct fine as [_ fine]. now apply IH.
  - destruct fine as [[nonneg one] fine]. cbn [worth].
    eapply Rle_trans; [apply sum_le; intros i small; apply IH; [apply fine|..];
      (apply Rmult_le_pos; [easy|now apply nonneg])|].
    rewrite (sum_ext _ _ (fun i => (c * x + (1 - c) * y) * p i)); [|intros; ring]. rewrite sum_scale, one. lra.
Qed.

Lemma leaks_nothing l g : fair (eq l) g -> forall h a x rest, h l = O :: rest -> 0 <= x ->
  worth M (fun _ => V) h a x x g <= 0.
Proof.
  induction g as [|k next IH|k next IH|n p next IH]; intros fine h a x rest here xp.
  - cbn. rewrite V_same; lra.
  - destruct fine as [<- fine]. cbn [worth].
    rewrite (sum_ext _ _ (fun i => worth M (fun _ => V) (noted h l i) a
      (x * answer (M l) (h l) None i) (x * answer (M l) (h l) None i) (next i))).
    2:{ intros i _. rewrite here. now destruct (came_to a l). }
    rewrite <- (sum_zero (size (M l))). apply sum_le. intros i small.
    apply (IH i (fine i) _ _ _ (rest ++ [i])); [now rewrite noted_there, here|].
    apply Rmult_le_pos; [easy|]. now apply (leak_lawful delta delta_small).
  - destruct fine as [<- fine]. cbn [worth]. now apply (IH fine _ _ _ rest).
  - destruct fine as [[nonneg _] fine]. cbn [worth]. rewrite <- (sum_zero n). apply sum_le. intros i small.
    apply (IH i (fine i) _ _ _ rest); [easy|]. apply Rmult_le_pos; [easy|now apply nonneg].
Qed.

Lemma leak_keeps l : keeps M V l delta.
Proof.
  intros g fine. unfold value.
  assert (general : forall h a x, h l = [] -> 0 <= x -> worth M (fun _ => V) h a x x g <= delta * x).
  2:{ specialize (general nothing None 1 eq_refl). lra. }
  induction g as [|k next IH|k next IH|n p next IH]; intros h a x here xp.
  - cbn. rewrite V_same; [|easy]. apply Rmult_le_pos; lra.
  - destruct fine as [<- fine]. cbn [worth M leak size sum]. rewrite here. cbn [answer leak Nat.eqb].
    assert (quiet : worth M (fun _ => V) (noted h l 0) a (x * (1 - delta)) (x * (1 - delta)) (next 0%nat) <= 0).
    { apply (leaks_nothing l _ (fine 0%nat) _ _ _ []); [now rewrite noted_there, here|apply Rmult_le_pos; lra]. }
    assert (loud : worth M (fun _ => V) (noted h l 1) a (x * delta) (x * delta) (next 1%nat)
      <= c * (x * delta) + (1 - c) * (x * delta)).
    { apply (at_most_all _ (eq l)); [apply fine|apply Rmult_le_pos; lra..]. }
    change (answer (M l)) with (answer (leak delta)). cbn [answer leak Nat.eqb]. lra.
  - destruct fine as [<- fine]. cbn [worth]. now apply IH.
  - destruct fine as [[nonneg one] fine]. cbn [worth].
    eapply Rle_trans; [apply sum_le; intros i small; apply (IH i (fine i)); [easy|];
      apply Rmult_le_pos; [easy|now apply nonneg]|].
    rewrite (sum_ext _ _ (fun i => delta * x * p i)); [|intros; lra]. rewrite sum_scale, one. lra.
Qed.
End EitherWay.

(** Claim: A mechanism that first says whether it will leak, with probability delta, and then whether the data have
    come, keeps (epsilon, delta)-DP both ways, for every epsilon from 0 up. *)
Theorem leak_alone l : keeps M (beyond ratio) l delta /\ keeps M (fun x y => beyond ratio y x) l delta.
Proof.
  split; [apply (leak_keeps _ 1)|apply (leak_keeps _ 0)]; try lra; intros; try (now apply beyond_same);
    unfold beyond; apply Rmax_lub; nra.
Qed.

(** Ask label after label; where one leaks, the data come there. *)
Fixpoint hunt (l n : nat) : play :=
  match n with
  | O => End
  | S m => Query l (fun i => if Nat.eqb i 1 then Come l (Query l (fun _ => End)) else hunt (S l) m)
  end.

Lemma hunt_is_fair n : forall l, fair (fun k => (l <= k < l + n)%nat) (hunt l n).
Proof.
  induction n as [|n IH]; intros l; cbn; [easy|]. split; [lia|]. intros i. destruct (Nat.eqb i 1); cbn.
  - repeat split; lia.
  - specialize (IH (S l)). revert IH. generalize (hunt (S l) n). intros g.
    induction g as [|k next IHg|k next IHg|k p next IHg]; cbn; [easy|..]; intros [here rest].
    + split; [lia|]. intros j. now apply IHg.
    + split; [lia|]. now apply IHg.
    + split; [easy|]. intros j. now apply IHg.
Qed.

(** Claim: n mechanisms, each of which first says whether it will leak, with probability delta, and then whether the
    data have come, reach 1 - (1 - delta)^n at every epsilon from 0 up, where the data come to the first that leaks.
    Source: Henzinger, Safavi & Vadhan (arXiv 2411.03299) for the failure; the game is this project's *)
Theorem parallel_fails n : value M (beyond ratio) (hunt 0 n) = 1 - (1 - delta) ^ n.
Proof.
  unfold value.
  assert (general : forall l h x, (forall k, (l <= k)%nat -> h k = []) -> 0 <= x ->
    worth M (fun _ => beyond ratio) h None x x (hunt l n) = x * (1 - (1 - delta) ^ n)).
  2:{ rewrite (general O nothing 1); [lra|easy|lra]. }
  induction n as [|n IH]; intros l h x fresh xp.
  - cbn. rewrite beyond_same; lra.
  - cbn [hunt worth M leak size sum Nat.eqb]. rewrite (fresh l); [|lia].
    change (answer (M l)) with (answer (leak delta)). cbn [answer leak Nat.eqb]. rewrite IH.
    2:{ intros k above. rewrite noted_elsewhere; [apply fresh; lia|lia]. }
    2:{ apply Rmult_le_pos; lra. }
    rewrite noted_there, (fresh l); [|lia]. cbn. rewrite Nat.eqb_refl.
    assert (xd : 0 <= x * delta) by (apply Rmult_le_pos; lra). assert (xr : 0 <= ratio * (x * delta)) by nra.
    unfold beyond. rewrite (Rmax_right (x * delta * 0 - _) 0) by lra.
    rewrite (Rmax_left (x * delta * 1 - _) 0) by lra. ring.
Qed.
End Leaks.

(** Claim: Two mechanisms, each of which first says whether it will leak, with probability 1/10, and then whether the
    data have come, reach 19/100 at every epsilon from 0 up. *)
Example two_labels ratio : 1 <= ratio -> value (fun _ => leak (1 / 10)) (beyond ratio) (hunt 0 2) = 19 / 100.
Proof. intros above. rewrite parallel_fails; [cbn; lra|lra|easy]. Qed.
