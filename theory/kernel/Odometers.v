(** Odometers: bounds on the privacy loss that hold at all times at once, for mechanisms whose loss may be infinite.

    - [loss_odometer]: a potential mixes e^{k L - k (k + 1) V}, k > 0, begins at most at delta, and is at least the
      probability where the loss is above a bound, which says nothing once the costs pass xi. Then the loss is ever
      above the bound with probability at most delta + xi, in both directions, whatever else decides what is released;
    - [loss_odometer_as_filter]: releasing while the bound is at most epsilon is (epsilon, delta + xi)-DP;
    - [approximate_odometer_as_filter]: the same for any xi_t-approximately rho_t-zCDP mechanisms.

    V is the sum of the zCDP charges:

    - [lines_odometer]: a bound nowhere below all of finitely many lines (k_j + 1) V + log(1/delta_j) / k_j, at
      delta_1 + ... + delta_J; [lines_as_filter];
    - [line_odometer]: one line. [stitched_odometer]: at each V one of the lines, as the least of some of them is.
    - [doubling_odometer]: nested filters of sizes B_j, of which the smallest that has not halted gives the bound
      B_j + 2 sqrt(B_j log(1/delta_j)); Lecuyer's grid is B_j = B 2^j. *)

From Coq Require Import Reals Lra Lia List.
From Filterproof Require Import Sums Interaction Divergences Paths AdditiveFilter Ledger ZCDPFilter PureToZCDP
  BasicFilter ApproximateZCDPFilter.
Import ListNotations.
Open Scope R_scope.

(** ** The probability that something ever happens *)

(** [ever F bad s x y t]: the probability, under the first law, of the paths on which [bad] holds at some time. *)
Fixpoint ever {C} (F : filter C) (bad : state F -> R -> R -> bool) (s : state F) (x y : R) (t : strategy C) : R :=
  if bad s x y then x else
  match t with
  | Stop => 0
  | Request m granted denied =>
      if admits F s (charge m)
      then sum (outcomes m) (fun i => ever F bad (after F s (charge m) i) (x * P m i) (y * Q m i) (granted i))
      else ever F bad s x y denied
  end.

(** ** Mixed exponents *)

(** e^{k L - k (k + 1) V}, times the probability so far. *)
Definition tilted (k V x y : R) : R := x * exp (k * (ln x - ln y) - k * (k + 1) * V).

(** What does not rise in the mean at any exponent does not rise. *)
Definition mixes (Phi : nat -> R -> R -> R -> R) : Prop :=
  (forall K V x y, 0 <= x -> 0 <= Phi K V x y) /\
  forall K n (u v : nat -> R) V x y V',
    (forall k, 0 < k -> sum n (fun i => tilted k V' (u i) (v i)) <= tilted k V x y) ->
    sum n (fun i => Phi K V' (u i) (v i)) <= Phi K V x y.

Lemma line_mixes k delta : 0 < k -> 0 <= delta -> mixes (fun _ V x y => delta * tilted k V x y).
Proof.
  intros hk hd. split.
  - intros _ V x y hx. apply Rmult_le_pos; [easy|]. apply Rmult_le_pos; [easy|left; apply exp_pos].
  - intros _ n u v V x y V' each. rewrite sum_scale. apply Rmult_le_compat_l; [easy|now apply each].
Qed.

Lemma together_mix Phi Psi : mixes Phi -> mixes Psi -> mixes (fun K V x y => Phi K V x y + Psi K V x y).
Proof.
  intros [pos1 one] [pos2 other]. split.
  - intros K V x y hx. specialize (pos1 K V x y hx). specialize (pos2 K V x y hx). lra.
  - intros K n u v V x y V' each. rewrite sum_plus. specialize (one K n u v V x y V' each).
    specialize (other K n u v V x y V' each). lra.
Qed.

Lemma lines_mix lines (k delta : nat -> R) : (forall j, (j < lines)%nat -> 0 < k j) ->
  (forall j, (j < lines)%nat -> 0 <= delta j) ->
  mixes (fun _ V x y => sum lines (fun j => delta j * tilted (k j) V x y)).
Proof.
  induction lines as [|n IH]; intros hk hd.
  - split; [intros; cbn; lra|]. intros _ n u v V x y V' _. cbn. rewrite sum_zero. lra.
  - apply (together_mix (fun _ V x y => sum n (fun j => delta j * tilted (k j) V x y))
      (fun _ V x y => delta n * tilted (k n) V x y)); [apply IH; intros; [apply hk|apply hd]; lia|].
    apply line_mixes; [apply hk|apply hd]; lia.
Qed.

(** ** Rounds whose loss may be infinite *)

Section odometer.

Context {C : Type} (price cost : C -> R).

(** But for outcomes of probability at most the cost, the round is as one of zCDP. *)
Definition lossy (m : request C) : Prop :=
  laws m /\ 0 <= price (charge m) /\ 0 <= cost (charge m) /\ exists good : nat -> bool,
    (forall i, (i < outcomes m)%nat -> good i = true -> Q m i = 0 -> P m i = 0) /\
    sum (outcomes m) (fun i => if good i then 0 else P m i) <= cost (charge m) /\
    forall alpha, 1 < alpha ->
      sum (outcomes m) (fun i => if good i then term alpha (P m i) (Q m i) else 0)
      <= exp ((alpha - 1) * (alpha * price (charge m))).

Lemma zcdp_is_lossy m : zcdp_priced price m -> 0 <= cost (charge m) -> lossy m.
Proof.
  intros [hc every] hx. destruct (every 2 ltac:(lra)) as [(lawful & _ & cont & _) _].
  split; [easy|]. split; [easy|]. split; [easy|]. exists (fun _ => true).
  split; [intros i small _; now apply cont|]. split; [now rewrite sum_zero|].
  intros alpha above. now destruct (every alpha above) as [(_ & _ & _ & moment) _].
Qed.

(** Whatever is granted, the charges are listed. *)
Definition listing (grants : list C -> C -> bool) : filter C := Filter (list C) [] grants (fun l c _ => c :: l).

Definition above_list (bound : list C -> option R) (l : list C) (x y : R) : bool :=
  match bound l with
  | Some b => if Rlt_dec (exp b * y) x then true else false
  | None => false
  end.

Variables (grants : list C -> C -> bool) (bound : list C -> option R) (xi : R) (Phi : nat -> R -> R -> R -> R).
Hypothesis mixing : mixes Phi.
Hypothesis short : forall l b, bound l = Some b -> list_sum cost l <= xi.
Hypothesis crossing : forall l b x y, bound l = Some b -> 0 <= list_sum price l -> 0 < x -> 0 < y ->
  b < ln x - ln y -> exists K0, forall K, (K0 <= K)%nat -> x <= Phi K (list_sum price l) x y.

Lemma ever_at_most F bad t : honest (@laws C) t -> forall s x y, 0 <= x -> ever F bad s x y t <= x.
Proof.
  induction t as [|m granted IHg denied IHd]; intros hon s x y hx; cbn; destruct (bad s x y); try lra.
  destruct hon as (((hp & one) & _) & hong & hond). destruct (admits F s (charge m)); [|now apply IHd].
  apply Rle_trans with (sum (outcomes m) (fun i => x * P m i)); [|rewrite sum_scale, one; lra].
  apply sum_le. intros i small. apply IHg; [apply hong|]. specialize (hp i small). nra.
Qed.

Lemma past_nothing t : honest lossy t -> forall l x y, xi < list_sum cost l ->
  ever (listing grants) (above_list bound) l x y t <= 0.
Proof.
  assert (quiet : forall l x y, xi < list_sum cost l -> above_list bound l x y = false).
  { intros l x y past. unfold above_list. destruct (bound l) as [b|] eqn:some; [|easy].
    specialize (short l b some). lra. }
  induction t as [|m granted IHg denied IHd]; intros hon l x y past; cbn -[above_list]; rewrite quiet by easy; [lra|].
  destruct hon as ((_ & _ & hx & _) & hong & hond). destruct (grants l (charge m)); [|now apply IHd].
  rewrite <- (sum_zero (outcomes m)). apply sum_le. intros i _. apply IHg; [apply hong|]. cbn. lra.
Qed.

Lemma eventually_all n (A : nat -> nat -> Prop) :
  (forall i, (i < n)%nat -> exists K0, forall K, (K0 <= K)%nat -> A i K) ->
  exists K0, forall K, (K0 <= K)%nat -> forall i, (i < n)%nat -> A i K.
Proof.
  induction n as [|n IH]; intros each; [exists 0%nat; lia|]. destruct IH as [K1 some]; [intros; apply each; lia|].
  destruct (each n ltac:(lia)) as [K2 last]. exists (max K1 K2). intros K large i small.
  destruct (Nat.eq_dec i n) as [->|other]; [apply last; lia|apply some; lia].
Qed.

(** Ville's inequality, where what is left out costs its probability. *)
Lemma ever_below t : honest lossy t -> forall l x y, masses x y -> 0 <= list_sum price l -> list_sum cost l <= xi ->
  exists K0, forall K, (K0 <= K)%nat ->
    ever (listing grants) (above_list bound) l x y t <= Phi K (list_sum price l) x y + x * (xi - list_sum cost l).
Proof.
  destruct mixing as [nonneg falls].
  assert (crossed : forall l x y, masses x y -> 0 <= list_sum price l -> list_sum cost l <= xi ->
    above_list bound l x y = true -> exists K0, forall K, (K0 <= K)%nat ->
      x <= Phi K (list_sum price l) x y + x * (xi - list_sum cost l)).
  { intros l x y (hx & hy & dom) hv left crossed. unfold above_list in crossed.
    destruct (bound l) as [b|] eqn:some; [|easy]. destruct (Rlt_dec (exp b * y) x) as [past|]; [|easy].
    pose proof (exp_pos b). assert (0 < x) as hx' by nra.
    assert (0 < y) as hy' by (destruct hy as [|<-]; [easy|specialize (dom eq_refl); lra]).
    destruct (crossing l b x y some hv hx' hy') as [K0 all].
    { apply ln_increasing in past; [|nra]. rewrite ln_mult, ln_exp in past by easy. lra. }
    exists K0. intros K large. specialize (all K large). nra. }
  induction t as [|m granted IHg denied IHd]; intros hon l x y here hv left; cbn -[above_list];
    destruct (above_list bound l x y) eqn:bad; try (now apply crossed).
  - exists 0%nat. intros K _. destruct here as (hx & _). specialize (nonneg K (list_sum price l) x y hx). nra.
  - destruct hon as ((lawful & hp & hc & good & cont & few & moment) & hong & hond).
    destruct (grants l (charge m)); [|now apply IHd].
    pose proof here as (hx & hy & dom). pose proof lawful as ((hP & one) & (hQ & _)).
    destruct (Rle_or_lt (list_sum cost (charge m :: l)) xi) as [within|past].
    2:{ exists 0%nat. intros K _. apply Rle_trans with 0.
        - rewrite <- (sum_zero (outcomes m)). apply sum_le. intros i _. now apply past_nothing.
        - specialize (nonneg K (list_sum price l) x y hx). nra. }
    destruct (eventually_all (outcomes m) (fun i K => good i = true ->
      ever (listing grants) (above_list bound) (charge m :: l) (x * P m i) (y * Q m i) (granted i) <=
      Phi K (list_sum price (charge m :: l)) (x * P m i) (y * Q m i) +
        x * P m i * (xi - list_sum cost (charge m :: l)))) as [K0 all].
    { intros i small. destruct (good i) eqn:fine; [|exists 0%nat; easy].
      destruct (IHg i (hong i) (charge m :: l) (x * P m i) (y * Q m i)) as [K0 some]; [|cbn; lra|easy|].
      - specialize (hP i small). specialize (hQ i small). specialize (cont i small fine).
        repeat split; [nra|nra|]. intros [->|zero]%Rmult_integral; [rewrite dom by easy; lra|rewrite cont by easy; lra].
      - exists K0. intros K large _. now apply some. }
    exists K0. intros K large. specialize (all K large).
    set (u := fun i => if good i then x * P m i else 0). set (v := fun i => y * Q m i).
    set (rest := xi - list_sum cost (charge m :: l)) in *. assert (0 <= rest) as hr by (unfold rest; lra).
    apply Rle_trans with (sum (outcomes m) (fun i => Phi K (list_sum price (charge m :: l)) (u i) (v i) +
      (x * rest * P m i + x * (if good i then 0 else P m i)))).
    + apply sum_le. intros i small. specialize (hP i small). assert (0 <= x * P m i) as hxp by nra.
      unfold u, v. destruct (good i) eqn:fine; [specialize (all i small fine); lra|].
      pose proof (ever_at_most (listing grants) (above_list bound) (granted i)
        ltac:(eapply honest_weaken; [|apply hong]; now intros ? []) (charge m :: l) _ (y * Q m i) hxp).
      pose proof (nonneg K (list_sum price (charge m :: l)) 0 (y * Q m i) (Rle_refl 0)).
      assert (0 <= x * rest * P m i) by (apply Rmult_le_pos; [now apply Rmult_le_pos|easy]). lra.
    + rewrite !sum_plus, !sum_scale, one.
      assert (sum (outcomes m) (fun i => Phi K (list_sum price (charge m :: l)) (u i) (v i)) <=
        Phi K (list_sum price l) x y) as step.
      { apply falls. intros k hk. specialize (moment (k + 1) ltac:(lra)). unfold tilted.
        destruct hx as [hx|<-].
        - apply Rle_trans with (sum (outcomes m) (fun i =>
            x * exp (k * (ln x - ln y) - k * (k + 1) * list_sum price (charge m :: l)) *
            (if good i then term (k + 1) (P m i) (Q m i) else 0))).
          + apply sum_le. intros i small. unfold u, v. specialize (hP i small). specialize (hQ i small).
            specialize (cont i small). destruct (good i); [|rewrite !Rmult_0_l, Rmult_0_r; lra].
            destruct hP as [hP|<-]; [|rewrite term_zero, !Rmult_0_r, Rmult_0_l; lra].
            assert (0 < y) as hy' by (destruct hy as [|<-]; [easy|specialize (dom eq_refl); lra]).
            assert (0 < Q m i) as hq' by (destruct hQ as [|zero]; [easy|specialize (cont eq_refl (eq_sym zero)); lra]).
            right. rewrite !ln_mult by easy. unfold term, power. destruct (Rle_dec (P m i) 0); [lra|]. unfold Rpower.
            rewrite <- (exp_ln (P m i) hP) at 1.
            rewrite Rmult_assoc, (Rmult_assoc x). f_equal. rewrite <- !exp_plus. f_equal. ring.
          + rewrite sum_scale, Rmult_assoc. apply Rmult_le_compat_l; [lra|].
            apply (Rmult_le_compat_l (exp (k * (ln x - ln y) - k * (k + 1) * list_sum price (charge m :: l)))) in
              moment;
              [|left; apply exp_pos]. eapply Rle_trans; [exact moment|right]. rewrite <- exp_plus. f_equal. cbn. ring.
        - rewrite Rmult_0_l. right. rewrite <- (sum_zero (outcomes m)). apply sum_ext. intros i _. unfold u.
          destruct (good i); ring. }
      assert (x * sum (outcomes m) (fun i => if good i then 0 else P m i) <= x * cost (charge m))
        by (apply Rmult_le_compat_l; lra).
      unfold rest. cbn in *. lra.
Qed.

(** Releasing while the bound is at most epsilon. *)
Lemma stick_below_ever epsilon t : honest (@laws C) t ->
  (forall l c, grants l c = true -> exists b, bound (c :: l) = Some b /\ b <= epsilon) ->
  forall l tau x y, 0 <= x -> 0 <= y -> (x <= exp epsilon * y \/ exists b, bound l = Some b /\ b <= epsilon) ->
  total (listing grants) (fun _ x y => pos (x - exp epsilon * y)) l tau x y t
  <= ever (listing grants) (above_list bound) l x y t.
Proof.
  intros hon low. induction t as [|m granted IHg denied IHd]; intros l tau x y hx hy quiet.
  - cbn -[above_list]. destruct (above_list bound l x y) eqn:bad.
    + pose proof (exp_pos epsilon). apply pos_least; nra.
    + apply pos_least; [lra|]. destruct quiet as [|(b & some & less)]; [lra|]. unfold above_list in bad.
      rewrite some in bad. destruct (Rlt_dec (exp b * y) x); [easy|]. apply exp_le in less. nra.
  - cbn -[above_list]. destruct (above_list bound l x y) eqn:bad.
    + pose proof (total_mass_P (listing grants) _ hon l tau x y) as mass. rewrite <- mass at 2. cbn.
      destruct hon as (((hp & _) & (hq & _)) & hong & hond).
      assert (part : forall s l tau x y, honest (@laws C) s -> 0 <= x -> 0 <= y ->
        total (listing grants) (fun _ x y => pos (x - exp epsilon * y)) l tau x y s <=
        total (listing grants) (fun _ x _ => x) l tau x y s).
      { clear. intros s. induction s as [|m g IHg d IHd]; intros l tau x y hon hx hy; cbn.
        - pose proof (exp_pos epsilon). apply pos_least; nra.
        - destruct hon as (((hp & _) & (hq & _)) & hong & hond). destruct (grants l (charge m)); [|now apply IHd].
          apply sum_le. intros i small. specialize (hp i small). specialize (hq i small).
            apply IHg; [apply hong|nra|nra]. }
      destruct (grants l (charge m)); [|now apply part]. apply sum_le. intros i small.
      specialize (hp i small). specialize (hq i small). apply part; [apply hong|nra|nra].
    + destruct hon as (((hp & _) & (hq & _)) & hong & hond). destruct (grants l (charge m)) eqn:granted_it;
        [|now apply IHd].
      apply sum_le. intros i small. specialize (hp i small). specialize (hq i small).
      apply IHg; [apply hong|nra|nra|right; now apply low].
Qed.

End odometer.

(** The filter that releases while the bound, the request included, is at most epsilon. *)
Definition grants_below {C} (bound : list C -> option R) (epsilon : R) (l : list C) (c : C) : bool :=
  match bound (c :: l) with Some b => if Rle_dec b epsilon then true else false | None => false end.

Definition below_list {C} (bound : list C -> option R) (epsilon : R) : filter C := listing (grants_below bound epsilon).

Lemma granted_below {C} (bound : list C -> option R) epsilon l c : grants_below bound epsilon l c = true ->
  exists b, bound (c :: l) = Some b /\ b <= epsilon.
Proof.
  unfold grants_below. destruct (bound (c :: l)) as [b|]; [|easy]. destruct (Rle_dec b epsilon); [|easy]. now exists b.
Qed.

Section odometers.

Context {C : Type} (price cost : C -> R).
Variables (bound : list C -> option R) (xi delta : R) (Phi : nat -> R -> R -> R -> R).
Hypothesis mixing : mixes Phi.
Hypothesis short : forall l b, bound l = Some b -> list_sum cost l <= xi.
Hypothesis crossing : forall l b x y, bound l = Some b -> 0 <= list_sum price l -> 0 < x -> 0 < y ->
  b < ln x - ln y -> exists K0, forall K, (K0 <= K)%nat -> x <= Phi K (list_sum price l) x y.
Hypothesis begins : forall K, Phi K 0 1 1 <= delta.
Hypothesis room : 0 <= xi.

Lemma loss_one_way grants t : honest (lossy price cost) t ->
  ever (listing grants) (above_list bound) [] 1 1 t <= delta + xi.
Proof.
  intros hon. destruct (ever_below price cost grants bound xi Phi mixing short crossing t hon [] 1 1) as [K0 all];
    [apply masses_start|cbn; lra|cbn; lra|].
  specialize (all K0 (le_n K0)). specialize (begins K0). cbn [list_sum] in all. lra.
Qed.

(** Claim: Where a potential mixes e^(k L - k (k+1) V), V the sum of the rho_t, begins at no more than delta, and is at
    least the probability wherever the loss is above a bound: in finitely many rounds, which lose as rho_t-zCDP ones but
    for outcomes of probability at most xi_t, both ways, the probability that the loss is ever above that bound, while
    the xi_t sum to at most xi, is at most delta + xi, in both directions.
    Source: Ville *)
Theorem loss_odometer grants t : honest (both (lossy price cost)) t ->
  ever (listing grants) (above_list bound) [] 1 1 t <= delta + xi /\
  ever (listing grants) (above_list bound) [] 1 1 (swapped t) <= delta + xi.
Proof. intros hon. destruct (honest_both _ _ hon). split; now apply loss_one_way. Qed.

Theorem loss_odometer_as_filter epsilon : 0 <= epsilon ->
  promises_delta (below_list bound epsilon) (both (lossy price cost)) epsilon (delta + xi).
Proof.
  intros he. apply both_ways; [apply both_swap|]. intros t hon. apply honest_both in hon as [hon _].
  eapply Rle_trans; [|apply (loss_one_way (grants_below bound epsilon) t hon)]. unfold hockey_stick, over.
  apply stick_below_ever; [|apply granted_below|lra|lra|left].
  - revert hon; apply honest_weaken. now intros m [].
  - rewrite Rmult_1_r. now apply one_le_exp.
Qed.

End odometers.

(** Mixtures of a good part that is rho_t-zCDP and any bad part. *)
Theorem approximate_odometer_as_filter {C} (price cost : C -> R) bound xi delta Phi epsilon :
  mixes Phi -> (forall l b, bound l = Some b -> list_sum cost l <= xi) ->
  (forall l b x y, bound l = Some b -> 0 <= list_sum price l -> 0 < x -> 0 < y ->
    b < ln x - ln y -> exists K0, forall K, (K0 <= K)%nat -> x <= Phi K (list_sum price l) x y) ->
  (forall K, Phi K 0 1 1 <= delta) -> 0 <= delta -> 0 <= xi <= 1 -> 0 <= epsilon ->
  promises_delta (below_list bound epsilon) (approximate_zcdp_priced price cost) epsilon (delta + xi).
Proof.
  intros mixing short crossing begins hd hxi he. apply both_ways; [apply approximate_zcdp_priced_swap|]. intros t hon.
  destruct (good_part_exists price cost t hon) as (g & part & hong).
  assert (hockey_stick (below_list bound epsilon) g epsilon <= delta) as good.
  { rewrite <- (Rplus_0_r delta). eapply Rle_trans; [|apply (loss_one_way price (fun _ => 0) bound 0 delta Phi mixing)].
    - unfold hockey_stick, over. apply stick_below_ever; [|apply granted_below|lra|lra|left].
      + revert hong; apply honest_weaken. now intros m (it & _).
      + rewrite Rmult_1_r. now apply one_le_exp.
    - intros l b _. induction l as [|c l IH]; cbn; lra.
    - exact crossing.
    - exact begins.
    - lra.
    - revert hong; apply honest_weaken. intros m (_ & _ & it). apply zcdp_is_lossy; [easy|lra]. }
  assert (keeps (below_list bound epsilon) (fun l => xi - list_sum cost l) cost xi) as chances.
  { constructor; [cbn; lra| |intros l c i; cbn; lra]. intros l c admitted.
    apply granted_below in admitted as (b & some & _). specialize (short _ _ some). cbn in short. lra. }
  rewrite stick_and_common in good by (revert hong; apply honest_weaken; now intros m [it _]).
  rewrite stick_and_common by (revert hon; apply honest_weaken; now intros m [it _]).
  pose proof (common_of_good price cost (below_list bound epsilon) _ xi chances epsilon t g part hong
    [] [] 1 1 1 1 1) as it.
  specialize (it ltac:(cbn; lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)). cbn [list_sum] in it.
  fold (over (below_list bound epsilon) g (fun _ x y => common epsilon x y)) in it.
  fold (over (below_list bound epsilon) t (fun _ x y => common epsilon x y)) in it. unfold over in *.
  cbn [start below_list listing] in *. nra.
Qed.

(** ** Lines *)

Definition line (k delta v : R) : R := (k + 1) * v + ln (1 / delta) / k.

(** A bound of the sum of the prices, while the costs sum to at most xi. *)
Definition within {C} (price cost : C -> R) (xi : R) (bound : R -> option R) (l : list C) : option R :=
  if Rle_dec (list_sum cost l) xi then bound (list_sum price l) else None.

Lemma within_short {C} (price cost : C -> R) xi bound l b : within price cost xi bound l = Some b ->
  list_sum cost l <= xi.
Proof. unfold within. now destruct (Rle_dec (list_sum cost l) xi). Qed.

Lemma within_some {C} (price cost : C -> R) xi bound l b : within price cost xi bound l = Some b ->
  bound (list_sum price l) = Some b.
Proof. unfold within. now destruct (Rle_dec (list_sum cost l) xi). Qed.

Lemma line_crossed k delta V x y : 0 < k -> 0 < delta -> 0 < x -> line k delta V < ln x - ln y ->
  x <= delta * tilted k V x y.
Proof.
  intros hk hd hx past. unfold tilted.
  rewrite (Rmult_comm x), <- Rmult_assoc. rewrite <- (Rmult_1_l x) at 1. apply Rmult_le_compat_r; [lra|].
  rewrite <- (exp_ln delta hd) at 1. rewrite <- exp_plus. apply one_le_exp. unfold line in past.
  apply (Rmult_lt_compat_l k) in past; [|easy].
  replace (k * ((k + 1) * V + ln (1 / delta) / k)) with (k * (k + 1) * V + ln (1 / delta)) in past by (field; lra).
  unfold Rdiv in past. rewrite Rmult_1_l, ln_Rinv in past by easy. lra.
Qed.

Section lines.

Context {C : Type} (price cost : C -> R).
Variables (xi : R) (lines : nat) (k delta : nat -> R) (bound : R -> option R).
Hypotheses (hk : forall j, (j < lines)%nat -> 0 < k j) (hdelta : forall j, (j < lines)%nat -> 0 < delta j).
Hypothesis hxi : 0 <= xi.
(** Where the bound is finite, it is at least one of the lines. *)
Hypothesis lines_below : forall v b, bound v = Some b -> exists j, (j < lines)%nat /\ line (k j) (delta j) v <= b.

Definition lines_potential (_ : nat) (V x y : R) : R := sum lines (fun j => delta j * tilted (k j) V x y).

Lemma lines_potential_mixes : mixes lines_potential.
Proof. apply lines_mix; [easy|]. intros j small. left. now apply hdelta. Qed.

Lemma lines_crossed l b x y : within price cost xi bound l = Some b -> 0 <= list_sum price l -> 0 < x -> 0 < y ->
  b < ln x - ln y -> exists K0, forall K, (K0 <= K)%nat -> x <= lines_potential K (list_sum price l) x y.
Proof.
  intros some _ hx hy past. exists 0%nat. intros K _. apply within_some in some. unfold lines_potential.
  destruct (lines_below _ _ some) as (j & small & below).
  pose proof (Rle_lt_trans _ _ _ below past) as beyond.
  eapply Rle_trans; [apply (line_crossed (k j) (delta j)); [now apply hk|now apply hdelta|easy|exact beyond]|].
  apply (sum_one_term lines (fun j => delta j * tilted (k j) _ x y)); [easy|]. intros i less.
  apply Rmult_le_pos; [left; now apply hdelta|]. apply Rmult_le_pos; [lra|left; apply exp_pos].
Qed.

Lemma lines_begin K : lines_potential K 0 1 1 <= sum lines delta.
Proof.
  right. apply sum_ext. intros j _. unfold tilted. rewrite ln_1, Rmult_0_r, !Rminus_0_r, Rmult_0_r, exp_0. ring.
Qed.

(** Claim: In finitely many rounds, which lose as rho_t-zCDP ones but for outcomes of probability at most xi_t, both
    ways, the probability that the loss is ever above a bound that is nowhere below all of finitely many lines (k_j + 1)
    V + log(1/delta_j)/k_j in the sum V of the rho_t, while the xi_t sum to at most xi, is at most xi and the sum of the
    delta_j, in both directions.
    Source: Whitehouse, Ramdas, Rogers & Wu *)
Theorem lines_odometer grants t : honest (both (lossy price cost)) t ->
  ever (listing grants) (above_list (within price cost xi bound)) [] 1 1 t <= sum lines delta + xi /\
  ever (listing grants) (above_list (within price cost xi bound)) [] 1 1 (swapped t) <= sum lines delta + xi.
Proof.
  apply (loss_odometer price cost (within price cost xi bound) xi (sum lines delta) lines_potential);
    [apply lines_potential_mixes|apply within_short|apply lines_crossed|apply lines_begin|easy].
Qed.

(** Claim: A filter that releases only while a bound that is nowhere below all of finitely many lines (k_j + 1) V +
    log(1/delta_j)/k_j in the sum V of the rho_t, is at most epsilon >= 0 and the xi_t sum to at most xi <= 1, the
    request included, keeps (epsilon, delta + xi)-DP, delta the sum of the delta_j, for any xi_t-approximately
    rho_t-zCDP mechanisms. *)
Theorem lines_as_filter epsilon : 0 <= epsilon -> xi <= 1 ->
  promises_delta (below_list (within price cost xi bound) epsilon) (approximate_zcdp_priced price cost) epsilon
    (sum lines delta + xi).
Proof.
  intros he less. apply (approximate_odometer_as_filter price cost (within price cost xi bound) xi _ lines_potential);
    [apply lines_potential_mixes|apply within_short|apply lines_crossed|apply lines_begin| |lra|easy].
  apply sum_nonneg. intros j small. left. now apply hdelta.
Qed.

End lines.

(** ** One line, and nested filters *)

Section instances.

Context {C : Type} (price cost : C -> R) (xi : R) (grants : list C -> C -> bool) (t : strategy C).
Hypotheses (hxi : 0 <= xi) (hon : honest (both (lossy price cost)) t).

(** P(L > (k + 1) V + log(1/delta) / k at some time) <= delta + xi. *)
(** Claim: In finitely many rounds, which lose as rho_t-zCDP ones but for outcomes of probability at most xi_t, both
    ways, the probability that the loss is ever above (k + 1) V + log(1/delta)/k, V the sum of the rho_t and k > 0,
    while the xi_t sum to at most xi, is at most delta + xi, in both directions.
    Source: Whitehouse, Ramdas, Rogers & Wu *)
Theorem line_odometer k delta : 0 < k -> 0 < delta ->
  ever (listing grants) (above_list (within price cost xi (fun v => Some (line k delta v)))) [] 1 1 t <= delta + xi /\
  ever (listing grants) (above_list (within price cost xi (fun v => Some (line k delta v)))) [] 1 1 (swapped t)
  <= delta + xi.
Proof.
  intros hk hd.
  pose proof (lines_odometer price cost xi 1 (fun _ => k) (fun _ => delta) (fun v => Some (line k delta v))) as it.
  cbn [sum] in it. rewrite Rplus_0_l in it. apply it; try easy. intros v b [= <-]. exists 0%nat. split; [lia|lra].
Qed.

(** The line in use may depend on V in any way; the least of a line and its two neighbours is one of three. *)
(** Claim: In finitely many rounds, which lose as rho_t-zCDP ones but for outcomes of probability at most xi_t, both
    ways, the probability that the loss is ever above a bound that at each sum V of the rho_t is one of finitely many
    lines (k_j + 1) V + log(1/delta_j)/k_j, while the xi_t sum to at most xi, is at most xi and the sum of the delta_j,
    in both directions.
    Source: Whitehouse, Ramdas, Rogers & Wu *)
Theorem stitched_odometer lines k delta (pick : R -> nat) :
  (forall j, (j < lines)%nat -> 0 < k j) -> (forall j, (j < lines)%nat -> 0 < delta j) ->
  (forall v, (pick v < lines)%nat) ->
  let bound := within price cost xi (fun v => Some (line (k (pick v)) (delta (pick v)) v)) in
  ever (listing grants) (above_list bound) [] 1 1 t <= sum lines delta + xi /\
  ever (listing grants) (above_list bound) [] 1 1 (swapped t) <= sum lines delta + xi.
Proof.
  intros hk hd inside bound. apply (lines_odometer price cost xi lines k delta); try easy.
  intros v b [= <-]. exists (pick v). split; [apply inside|lra].
Qed.

(** The bound of the first filter of sizes size 0, size 1, ..., size (levels - 1) that has not halted. *)
Fixpoint first_open (size delta : nat -> R) (level more : nat) (v : R) : option R :=
  match more with
  | O => None
  | S more => if Rle_dec v (size level) then Some (size level + 2 * sqrt (size level * ln (1 / delta level)))
              else first_open size delta (S level) more v
  end.

Lemma level_is_above_line B d v : 0 < B -> 0 < d < 1 -> v <= B ->
  line (sqrt (ln (1 / d) / B)) d v <= B + 2 * sqrt (B * ln (1 / d)).
Proof.
  intros hB hd within. unfold line. set (l := ln (1 / d)).
  assert (hl : 0 < l).
  { unfold l, Rdiv. rewrite Rmult_1_l, ln_Rinv by lra. pose proof (ln_increasing d 1). rewrite ln_1 in *. lra. }
  set (r := sqrt B). set (q := sqrt l).
  assert (hr : 0 < r) by now apply sqrt_lt_R0. assert (hq : 0 < q) by now apply sqrt_lt_R0.
  assert (rr : B = r * r) by (unfold r; symmetry; apply sqrt_sqrt; lra).
  assert (qq : l = q * q) by (unfold q; symmetry; apply sqrt_sqrt; lra).
  rewrite sqrt_div by lra. rewrite sqrt_mult by lra. fold r q.
  assert ((q / r + 1) * v <= (q / r + 1) * B).
  { apply Rmult_le_compat_l; [|easy]. assert (0 < q / r) by (now apply Rdiv_lt_0_compat). lra. }
  replace (B + 2 * (r * q)) with ((q / r + 1) * B + l / (q / r)); [lra|]. rewrite qq, rr. field. lra.
Qed.

(** Lecuyer's doubling grid and any other: the loss is ever above the bound of the smallest filter that has not halted
    with probability at most the sum of the levels' deltas, and xi. *)
(** Claim: In finitely many rounds, which lose as rho_t-zCDP ones but for outcomes of probability at most xi_t, both
    ways, the probability that the loss is ever above rho + 2 sqrt(rho log(1/delta_j)), where rho is the first of
    finitely many sizes that is at least the sum of the rho_t and delta_j its own, while the xi_t sum to at most xi, is
    at most xi and the sum of the delta_j, in both directions.
    Source: Lécuyer; Feldman & Zrnic, Section 4 *)
Theorem doubling_odometer levels size delta :
  (forall j, (j < levels)%nat -> 0 < size j) -> (forall j, (j < levels)%nat -> 0 < delta j < 1) ->
  ever (listing grants) (above_list (within price cost xi (first_open size delta 0 levels))) [] 1 1 t
  <= sum levels delta + xi /\
  ever (listing grants) (above_list (within price cost xi (first_open size delta 0 levels))) [] 1 1 (swapped t)
  <= sum levels delta + xi.
Proof.
  intros hs hd.
  apply (lines_odometer price cost xi levels (fun j => sqrt (ln (1 / delta j) / size j)) delta); [| |easy| |easy].
  - intros j small. specialize (hs j small). specialize (hd j small).
    apply sqrt_lt_R0, Rdiv_lt_0_compat; [|easy]. unfold Rdiv. rewrite Rmult_1_l, ln_Rinv by lra.
    pose proof (ln_increasing (delta j) 1). rewrite ln_1 in *. lra.
  - intros; now apply hd.
  - assert (some : forall more level v b, first_open size delta level more v = Some b ->
      exists j, (j < level + more)%nat /\ v <= size j /\ b = size j + 2 * sqrt (size j * ln (1 / delta j))).
    { induction more as [|more IH]; intros level v b; cbn; [easy|]. destruct (Rle_dec v (size level)).
      - intros [= <-]. exists level. repeat split; [lia|easy].
      - intros open. destruct (IH _ _ _ open) as [j [? ?]]. exists j. split; [lia|easy]. }
    intros v b open. destruct (some _ _ _ _ open) as [j [small [within ->]]]. cbn in small.
    exists j. split; [easy|]. apply level_is_above_line; auto.
Qed.

End instances.

(** Claim: An example: the loss of one honest randomised response of odds 3 is at some time above 0 with probability
    3/4. *)
Example one_response_is_counted :
  let ask := Ask 2 (fun i => match i with O => 3/4 | _ => 1/4 end) (fun i => match i with O => 1/4 | _ => 3/4 end)
    (ln 3 ^ 2 / 2) in
  honest (both (lossy (fun c => c) (fun _ => 0))) (Request ask (fun _ => Stop) Stop) /\
  ever (listing (fun _ _ => true)) (above_list (fun _ => Some 0)) [] 1 1 (Request ask (fun _ => Stop) Stop) = 3/4.
Proof.
  cbv zeta. set (ask := Ask _ _ _ _). assert (three : exp (ln 3) = 3) by (apply exp_ln; lra).
  assert (0 < ln 3) by (rewrite <- ln_1; apply ln_increasing; lra). split.
  - cbn [honest]. split; [|easy].
    assert (zcdp_priced (fun c => c) ask) as zcdp.
    { apply (pure_is_zcdp _ (ln 3)); [|cbn; lra].
      split; (split; [repeat split; cbn; try lra; intros [|[|i]] less; lra || lia|split; [lra|]]);
        intros [|[|i]] less; cbn -[exp] in *; rewrite three; lra || lia. }
    split; apply zcdp_is_lossy; cbn; try lra; [easy|]. now apply zcdp_priced_swap.
  - unfold ask; cbn -[exp]. unfold above_list. rewrite exp_0.
    repeat (destruct (Rlt_dec _ _); try lra).
Qed.
