From Coq Require Import Reals ZArith Lra Lia List Bool FunctionalExtensionality.
From Coquelicot Require Import Rbar.
From Flocq Require Import Core Relative Plus_error.
(* the sources of Filterproof *)
Open Scope R_scope.

(** ** Doubles: what rounding to the nearest one does, without a largest exponent *)
Definition doubles := FLT_exp (-1074) 53.
Definition double (x : R) := generic_format radix2 doubles x.
Definition nearest (v x : R) := v = round radix2 doubles ZnearestE x.
Definition nearest_of_sum (v x : R) := nearest v x /\ exists a b, double a /\ double b /\ x = a + b.
(** The powers of a C library may miss by two units. *)
Definition near (v x : R) := (forall B, - B <= x <= B -> Rabs (v - x) <= B * (2 / 9007199254740992) + 1 / 1606938044258990275541962092341162602522202993782792835301376) /\
  (0 <= x -> 0 <= v) /\ (x <= 0 -> v <= 0).

Lemma unit_roundoff : / 2 * bpow radix2 (Z.opp 53 + 1) = 1 / 9007199254740992.
Proof. change (Z.opp 53 + 1)%Z with (-52)%Z. cbn. lra. Qed.

Lemma least_double : / 2 * bpow radix2 (-1074) <= 1 / 1606938044258990275541962092341162602522202993782792835301376.
Proof.
  replace (1 / 1606938044258990275541962092341162602522202993782792835301376) with (bpow radix2 (-200)).
  - assert (bpow radix2 (-1074) <= bpow radix2 (-200)) by (apply bpow_le; lia).
    pose proof (bpow_gt_0 radix2 (-1074)). lra.
  - change (-200)%Z with (- (200))%Z. rewrite bpow_opp. unfold Rdiv. rewrite Rmult_1_l. f_equal.
Qed.

Lemma size_of_error e x B : Rabs e <= 1 / 9007199254740992 -> - B <= x <= B ->
  - (B * (1 / 9007199254740992)) <= x * e <= B * (1 / 9007199254740992).
Proof.
  intros small [low high]. apply Rabs_le_inv. rewrite Rabs_mult.
  apply Rmult_le_compat; try apply Rabs_pos; [now apply Rabs_le|easy].
Qed.

Lemma nearest_error v x B : nearest v x -> 0 <= B + x -> 0 <= B - x ->
  - (B * (1 / 9007199254740992) + 1 / 1606938044258990275541962092341162602522202993782792835301376) <= v - x <= B * (1 / 9007199254740992) + 1 / 1606938044258990275541962092341162602522202993782792835301376.
Proof.
  intros -> low high. destruct (error_N_FLT radix2 (-1074) 53 ltac:(lia) (fun n => negb (Z.even n)) x)
    as (e & tiny & small & least & _ & same).
  unfold doubles. rewrite same. rewrite unit_roundoff in small.
  pose proof (size_of_error e x B small ltac:(lra)). pose proof least_double.
  apply Rabs_le_inv in least. lra.
Qed.

Lemma sum_error v x B : nearest_of_sum v x -> 0 <= B + x -> 0 <= B - x ->
  - (B * (1 / 9007199254740992)) <= v - x <= B * (1 / 9007199254740992).
Proof.
  intros [-> (a & b & one & two & ->)] low high.
  destruct (FLT_plus_error_N_ex radix2 (-1074) 53 (prec_gt_0_ := eq_refl) (fun n => negb (Z.even n)) a b one two) as (e & small & same).
  unfold doubles. rewrite same.
  assert (Rabs e <= 1 / 9007199254740992) as within.
  { eapply Rle_trans; [exact small|]. unfold u_ro. rewrite unit_roundoff. lra. }
  pose proof (size_of_error e (a + b) B within ltac:(lra)). lra.
Qed.

Lemma nearest_above v x y : nearest v x -> double y -> 0 <= x - y -> 0 <= v - y.
Proof.
  intros -> is_double above. rewrite <- (round_generic radix2 doubles ZnearestE y) by easy.
  enough (round radix2 doubles ZnearestE y <= round radix2 doubles ZnearestE x) by lra.
  apply round_le; [apply FLT_exp_valid; easy|apply valid_rnd_N|lra].
Qed.

Lemma nearest_below v x y : nearest v x -> double y -> 0 <= y - x -> 0 <= y - v.
Proof.
  intros -> is_double above. rewrite <- (round_generic radix2 doubles ZnearestE y) by easy.
  enough (round radix2 doubles ZnearestE x <= round radix2 doubles ZnearestE y) by lra.
  apply round_le; [apply FLT_exp_valid; easy|apply valid_rnd_N|lra].
Qed.

Lemma sum_above v x y : nearest_of_sum v x -> double y -> 0 <= x - y -> 0 <= v - y.
Proof. intros [rounded _]. now apply nearest_above. Qed.

Lemma sum_below v x y : nearest_of_sum v x -> double y -> 0 <= y - x -> 0 <= y - v.
Proof. intros [rounded _]. now apply nearest_below. Qed.

Lemma near_error v x B : near v x -> 0 <= B + x -> 0 <= B - x ->
  - (B * (2 / 9007199254740992) + 1 / 1606938044258990275541962092341162602522202993782792835301376) <= v - x <=
    B * (2 / 9007199254740992) + 1 / 1606938044258990275541962092341162602522202993782792835301376.
Proof. intros (error & _) low high. apply Rabs_le_inv, error. lra. Qed.

Lemma near_above v x y : near v x -> y = 0 -> 0 <= x - y -> 0 <= v - y.
Proof. intros (_ & above & _) -> high. enough (0 <= v) by lra. apply above. lra. Qed.

Lemma near_below v x y : near v x -> y = 0 -> 0 <= y - x -> 0 <= y - v.
Proof. intros (_ & _ & below) -> low. enough (v <= 0) by lra. apply below. lra. Qed.

(** m 2^e is a double if m has at most 53 bits. *)
Lemma double_of m e : (Z.abs m < 2 ^ 53)%Z -> (-1074 <= e)%Z -> double (IZR m * bpow radix2 e).
Proof.
  intros small least. apply generic_format_FLT. now exists (Float radix2 m e).
Qed.

Lemma double_is x m e : (Z.abs m < 2 ^ 53)%Z -> (-1074 <= e)%Z -> x = IZR m * bpow radix2 e -> double x.
Proof. intros small least ->. now apply double_of. Qed.

Lemma double_0 : double 0.
Proof. apply generic_format_0. Qed.

(** ** Two sums *)
Lemma two_sums {C} (F : filter C) (ok : request C -> Prop) one two B D :
  keeps_sum F ok one B -> keeps_sum F ok two D -> keeps_sums F ok one two B D.
Proof.
  intros (i & begins & continues) (j & begins' & continues').
  exists (fun s a b => i s a /\ j s b). split; [easy|]. intros s a b m okm [ia jb] admitted.
  destruct (continues s a m okm ia admitted) as [low next]. destruct (continues' s b m okm jb admitted) as [low' next'].
  split; [easy|]. intros o. split; [apply next|apply next'].
Qed.

(** ** The filter that stops after so many grants *)
Definition stopped {C} (K : Z) (F : filter C) : filter C :=
  Filter (Z * state F) (0%Z, start F) (fun s c => (fst s <? K)%Z && admits F (snd s) c)
    (fun s c e => ((fst s + 1)%Z, after F (snd s) c e)).

Lemma some_outcome {C} (m : request C) : laws m -> ~ (outcome m -> False).
Proof.
  intros [[positive one] _] none.
  pose proof (value_scale (base m) (/ 2) (fun i => P m i) ltac:(lra) positive) as half. cbn in half.
  replace (fun i => Finite (/ 2 * P m i)) with (fun i => Finite (P m i)) in half
    by (extensionality i; destruct (none i)).
  rewrite one in half. cbn in half. lra.
Qed.

(** A relation of state, number of grants and sum that every grant keeps bounds the sum. *)
Lemma stopped_keeps {C} (F : filter C) (ok : request C -> Prop) price (B : R) K (invariant : state F -> R -> R -> Prop) :
  (0 <= IZR K <= 1000000000000) ->
  invariant (start F) 0 0 ->
  (forall s k sum m (i : outcome m), ok m -> 0 <= k -> k + 1 <= IZR K -> invariant s k sum ->
     admits F s (charge m) = true -> invariant (after F s (charge m) (Released i)) (k + 1) (sum + price (charge m))) ->
  (forall s k sum, 0 <= k <= IZR K -> invariant s k sum -> sum <= B) ->
  (forall m, ok m -> laws m) ->
  keeps_sum (stopped K F) ok price B.
Proof.
  intros grants begins continues bounds lawful.
  exists (fun s sum => 0 <= IZR (fst s) <= IZR K /\ invariant (snd s) (IZR (fst s)) sum). cbn. split; [split; [lra|easy]|].
  intros [k s] sum m okm [hk inv] [below admitted]%andb_true_iff. cbn in *.
  apply Z.ltb_lt in below. assert (IZR (k + 1) <= IZR K) as last by (apply IZR_le; lia). rewrite plus_IZR in last.
  assert (forall i : outcome m, invariant (after F s (charge m) (Released i)) (IZR k + 1) (sum + price (charge m)))
    as next by (intros i; apply continues; easy || lra).
  split.
  - destruct (Rle_or_lt (sum + price (charge m)) B) as [|above]; [easy|exfalso].
    apply (some_outcome m); [now apply lawful|]. intros i. pose proof (bounds _ (IZR k + 1) _ ltac:(lra) (next i)). lra.
  - intros i. rewrite plus_IZR. split; [lra|apply next].
Qed.

Lemma keeps_rescaled {C} (F : filter C) (ok : request C -> Prop) price (B scale : R) : 0 < scale ->
  keeps_sum F ok (fun c => price c / scale) B -> keeps_sum F ok price (B * scale).
Proof.
  intros positive keeps. apply (keeps_scaled F ok _ B scale positive) in keeps.
  assert (price = (fun c => scale * (price c / scale))) as same by (extensionality c; field; lra).
  rewrite same, Rmult_comm. exact keeps.
Qed.

(** ** What the trace says of the code of a filter: each step is one of these, from a state in the range of the trace *)
Definition is_traced {C S} (F : filter C) (ok : request C -> Prop) (price : C -> R) (view : state F -> S)
    (in_range : S -> R -> R -> Prop) (step : S -> R -> S -> Prop) (scale : R) : Prop :=
  forall s k sum m (i : outcome m), in_range (view s) k sum -> ok m -> admits F s (charge m) = true ->
    step (view s) (price (charge m) / scale) (view (after F s (charge m) (Released i))).

Definition budget_after (K : Z) (budget drift scale : R) : R := (budget + drift * IZR K) * scale.

Lemma traced_keeps {C S} (F : filter C) (ok : request C -> Prop) (price : C -> R) (K : Z) (view : state F -> S)
    (step : S -> R -> S -> Prop) (in_range invariant : S -> R -> R -> Prop) budget drift scale :
  0 <= IZR K <= 1000000000000 -> 0 < scale -> 0 <= drift -> (forall m, ok m -> laws m) ->
  is_traced F ok price view in_range step scale -> invariant (view (start F)) 0 0 ->
  (forall s k sum, invariant s k sum -> in_range s k sum) ->
  (forall s paid s', step s paid s' -> forall k sum, 0 <= k -> k + 1 <= 1000000000000 -> invariant s k sum ->
     invariant s' (k + 1) (sum + paid)) ->
  (forall s k sum, 0 <= k -> invariant s k sum -> sum <= budget + drift * k) ->
  keeps_sum (stopped K F) ok price (budget_after K budget drift scale).
Proof.
  intros grants positive rises lawful traced begins range kept bounds. apply keeps_rescaled; [easy|].
  apply (stopped_keeps F ok _ _ K (fun s => invariant (view s))); [easy|easy| | |easy].
  - intros s k sum m i okm begun last inv admitted. apply (kept (view s)); [|easy|lra|easy].
    apply (traced s k sum); auto.
  - intros s k sum [begun last] inv. pose proof (bounds _ _ _ begun inv). nra.
Qed.
