(** Two rounds break the filter that composes the mechanisms run so far as if they had been fixed in advance, for every
    epsilon >= e > 0 ([two_rounds_break]): randomised response at e, and then, after "+", randomised response that
    spends what the filter has left there, after "-" the bit itself with probability delta. *)

From Coq Require Import Reals Lra Lia List.
From Filterproof Require Import Sums Interaction Divergences Events Domination NaiveRealisation.
Import ListNotations.
Open Scope R_scope.

(** CONT while the pairs so far and the next one compose, both ways, to (epsilon, delta)-DP. *)
Definition as_if_fixed (epsilon delta : R) : filter pair :=
  Interaction.Filter (list pair) []
    (fun l D => if Rle_dec (composed (D :: l) 1 (exp epsilon)) delta
                then if Rle_dec (composed (map swapped_pair (D :: l)) 1 (exp epsilon)) delta then true else false
                else false)
    (fun l D _ => D :: l).

(** Randomised response of odds o. *)
Definition odds (o : R) : pair :=
  Pair 2 (fun i => match i with O => o / (1 + o) | _ => 1 / (1 + o) end)
         (fun i => match i with O => 1 / (1 + o) | _ => o / (1 + o) end).

(** The odds that after "+" spend delta (1 + 1/o), which is delta of all. *)
Definition spending (g o delta : R) : R := (g / o + delta * (1 + 1 / o)) / (1 - delta * (1 + 1 / o)).

Definition two_rounds (o x delta : R) : strategy pair :=
  Request (ask (odds o)) (fun i => match i with
    | O => Request (ask (odds x)) (fun _ => Stop) Stop
    | _ => Request (ask (erasure delta)) (fun _ => Stop) Stop end) Stop.

Lemma odds_declare_themselves o : 0 < o -> declares_itself (ask (odds o)).
Proof.
  intros ho. assert (0 < / (1 + o)) by (apply Rinv_0_lt_compat; lra). split; [|reflexivity].
  split; (split; [intros [|[|i]] small; cbn; unfold Rdiv; try lia; nra|cbn; field; lra]).
Qed.

Lemma pos_of c z : 0 <= c -> pos (c * z) = c * pos z.
Proof. intros hc. unfold pos. rewrite <- RmaxRmult by lra. now rewrite Rmult_0_r. Qed.

Lemma pos_none z : z <= 0 -> pos z = 0.
Proof. intros. unfold pos. now apply Rmax_left. Qed.

Lemma pos_some z : 0 <= z -> pos z = z.
Proof. intros. unfold pos. now apply Rmax_right. Qed.

Section rounds.

Variables g o x delta : R.
Hypotheses (ho : 1 < o) (hg : o <= g) (hd : 0 <= delta) (hx : 1 <= x <= g * o).
Hypothesis spent : (o * x - g) / ((1 + o) * (1 + x)) = delta.

Lemma first_round : composed [odds o] 1 g = 0 /\ composed [swapped_pair (odds o)] 1 g = 0.
Proof.
  assert (0 < / (1 + o)) as hi by (apply Rinv_0_lt_compat; lra).
  cbn -[pos]. unfold Rdiv. rewrite !Rmult_1_l.
  split; rewrite (pos_none (_ - _)) by nra; rewrite (pos_none (_ - _)) by nra; ring.
Qed.

Lemma after_plus : composed [odds x; odds o] 1 g = delta /\
  composed [swapped_pair (odds x); swapped_pair (odds o)] 1 g = delta.
Proof.
  assert (0 < / (1 + o)) as hi by (apply Rinv_0_lt_compat; lra).
  assert (0 < / (1 + x)) as hj by (apply Rinv_0_lt_compat; lra).
  set (c := / (1 + o) * / (1 + x)). assert (0 < c) as hc by now apply Rmult_lt_0_compat.
  assert (c * (o * x - g) = delta) as whole by (rewrite <- spent; unfold c; field; lra).
  assert (0 <= o * x - g) as some by nra.
  split; cbn -[pos]; unfold Rdiv.
  - replace (1 * (x * / (1 + x)) * (o * / (1 + o)) - g * (1 * / (1 + x)) * (1 * / (1 + o)))
      with (c * (o * x - g)) by (unfold c; ring).
    replace (1 * (x * / (1 + x)) * (1 * / (1 + o)) - g * (1 * / (1 + x)) * (o * / (1 + o)))
      with (c * (x - g * o)) by (unfold c; ring).
    replace (1 * (1 * / (1 + x)) * (o * / (1 + o)) - g * (x * / (1 + x)) * (1 * / (1 + o)))
      with (c * (o - g * x)) by (unfold c; ring).
    replace (1 * (1 * / (1 + x)) * (1 * / (1 + o)) - g * (x * / (1 + x)) * (o * / (1 + o)))
      with (c * (1 - g * (x * o))) by (unfold c; ring).
    rewrite !pos_of, (pos_some (o * x - g)), !pos_none by nra. lra.
  - replace (1 * (1 * / (1 + x)) * (1 * / (1 + o)) - g * (x * / (1 + x)) * (o * / (1 + o)))
      with (c * (1 - g * (x * o))) by (unfold c; ring).
    replace (1 * (1 * / (1 + x)) * (o * / (1 + o)) - g * (x * / (1 + x)) * (1 * / (1 + o)))
      with (c * (o - g * x)) by (unfold c; ring).
    replace (1 * (x * / (1 + x)) * (1 * / (1 + o)) - g * (1 * / (1 + x)) * (o * / (1 + o)))
      with (c * (x - g * o)) by (unfold c; ring).
    replace (1 * (x * / (1 + x)) * (o * / (1 + o)) - g * (1 * / (1 + x)) * (1 * / (1 + o)))
      with (c * (o * x - g)) by (unfold c; ring).
    rewrite !pos_of, (pos_some (o * x - g)), !pos_none by nra. lra.
Qed.

Lemma after_minus : delta <= 1 -> composed [erasure delta; odds o] 1 g = delta /\
  composed [swapped_pair (erasure delta); swapped_pair (odds o)] 1 g = delta.
Proof.
  intros most. assert (0 < / (1 + o)) as hi by (apply Rinv_0_lt_compat; lra). set (c := / (1 + o)) in *.
  assert (c * o + c = 1) as whole by (unfold c; field; lra).
  assert (0 <= c * (1 - delta)) as hc by (apply Rmult_le_pos; lra). assert (0 <= c * delta) as hcd by nra.
  split; cbn -[pos]; unfold Rdiv; fold c.
  - replace (1 * (1 - delta) * (o * c) - g * (1 - delta) * (1 * c)) with (c * (1 - delta) * (o - g)) by ring.
    replace (1 * (1 - delta) * (1 * c) - g * (1 - delta) * (o * c)) with (c * (1 - delta) * (1 - g * o)) by ring.
    replace (1 * delta * (o * c) - g * 0 * (1 * c)) with (c * delta * o) by ring.
    replace (1 * delta * (1 * c) - g * 0 * (o * c)) with (c * delta * 1) by ring.
    replace (1 * 0 * (o * c) - g * delta * (1 * c)) with (c * delta * - g) by ring.
    replace (1 * 0 * (1 * c) - g * delta * (o * c)) with (c * delta * (- (g * o))) by ring.
    rewrite !pos_of, (pos_some o), (pos_some 1), !pos_none by nra. nra.
  - replace (1 * (1 - delta) * (1 * c) - g * (1 - delta) * (o * c)) with (c * (1 - delta) * (1 - g * o)) by ring.
    replace (1 * (1 - delta) * (o * c) - g * (1 - delta) * (1 * c)) with (c * (1 - delta) * (o - g)) by ring.
    replace (1 * 0 * (1 * c) - g * delta * (o * c)) with (c * delta * (- (g * o))) by ring.
    replace (1 * 0 * (o * c) - g * delta * (1 * c)) with (c * delta * - g) by ring.
    replace (1 * delta * (1 * c) - g * 0 * (o * c)) with (c * delta * 1) by ring.
    replace (1 * delta * (o * c) - g * 0 * (1 * c)) with (c * delta * o) by ring.
    rewrite !pos_of, (pos_some o), (pos_some 1), !pos_none by nra. nra.
Qed.

Lemma admitted epsilon l D : exp epsilon = g -> composed (D :: l) 1 g <= delta ->
  composed (map swapped_pair (D :: l)) 1 g <= delta -> admits (as_if_fixed epsilon delta) l D = true.
Proof.
  intros <- forth back. cbn [as_if_fixed admits].
  destruct (Rle_dec (composed (D :: l) 1 (exp epsilon)) delta); [|easy].
  now destruct (Rle_dec (composed (map swapped_pair (D :: l)) 1 (exp epsilon)) delta).
Qed.

Lemma two_rounds_reach epsilon : exp epsilon = g -> delta <= 1 ->
  hockey_stick (as_if_fixed epsilon delta) (two_rounds o x delta) epsilon = delta * (1 + 1 / (1 + o)).
Proof.
  intros same most. destruct first_round as [f1 f2]. destruct after_plus as [p1 p2].
  destruct (after_minus most) as [m1 m2].
  unfold hockey_stick, over, two_rounds. cbn [total]. rewrite same.
  change (start (as_if_fixed epsilon delta)) with (@nil pair).
  change (charge (ask (odds o))) with (odds o). rewrite (admitted epsilon [] (odds o) same) by (cbn [map]; lra).
  cbn [outcomes ask size odds sum total].
  change (charge (ask (odds x))) with (odds x). change (charge (ask (erasure delta))) with (erasure delta).
  change (after (as_if_fixed epsilon delta) [] (odds o) 0) with [odds o].
  change (after (as_if_fixed epsilon delta) [] (odds o) 1) with [odds o].
  rewrite (admitted epsilon [odds o] (odds x) same) by (cbn [map]; lra).
  rewrite (admitted epsilon [odds o] (erasure delta) same) by (cbn [map]; lra).
  cbn -[pos]. unfold Rdiv.
  assert (0 < / (1 + o)) as hi by (apply Rinv_0_lt_compat; lra).
  assert (0 < / (1 + x)) as hj by (apply Rinv_0_lt_compat; lra).
  set (c := / (1 + o) * / (1 + x)). assert (0 < c) as hc by now apply Rmult_lt_0_compat.
  assert (c * (o * x - g) = delta) as whole by (rewrite <- spent; unfold c; field; lra).
  set (d := / (1 + o)) in *. assert (0 <= d * (1 - delta)) by (apply Rmult_le_pos; lra). assert (0 <= d * delta) by nra.
  replace (1 * (o * d) * (x * / (1 + x)) - g * (1 * (1 * d) * (1 * / (1 + x))))
    with (c * (o * x - g)) by (unfold c; ring).
  replace (1 * (o * d) * (1 * / (1 + x)) - g * (1 * (1 * d) * (x * / (1 + x))))
    with (c * (o - g * x)) by (unfold c; ring).
  replace (1 * (1 * d) * (1 - delta) - g * (1 * (o * d) * (1 - delta))) with (d * (1 - delta) * (1 - g * o)) by ring.
  replace (1 * (1 * d) * delta - g * (1 * (o * d) * 0)) with (d * delta * 1) by ring.
  replace (1 * (1 * d) * 0 - g * (1 * (o * d) * delta)) with (d * delta * (- (g * o))) by ring.
  assert (0 <= o * x - g) by nra.
  rewrite !pos_of, (pos_some (o * x - g)), (pos_some 1), !pos_none by nra. lra.
Qed.

End rounds.

(** Claim: The natural filter of the promise (epsilon, delta) admits two rounds, randomised response at e1, then,
    after "+", randomised response at the e_B with e^eB = (e^(epsilon - e1) + s)/(1 - s), s = delta (1 + e^-e1),
    after "-" the bit itself with probability delta, and they reach delta (1 + 1/(1 + e^e1)), where 0 < e1 <=
    epsilon, delta > 0, s < 1 and e_B <= epsilon + e1. *)
Theorem two_rounds_break epsilon e delta : 0 < e <= epsilon -> 0 < delta -> delta * (1 + exp (- e)) < 1 ->
  let x := spending (exp epsilon) (exp e) delta in
  x <= exp (epsilon + e) ->
  honest declares_itself (two_rounds (exp e) x delta) /\
  hockey_stick (as_if_fixed epsilon delta) (two_rounds (exp e) x delta) epsilon = delta * (1 + 1 / (1 + exp e)) /\
  ~ promises_delta (as_if_fixed epsilon delta) declares_itself epsilon delta.
Proof.
  intros he hd small x within. rewrite exp_plus in within. rewrite exp_Ropp in small.
  pose proof (exp_increasing 0 e ltac:(lra)) as ho. rewrite exp_0 in ho. pose proof (exp_le e epsilon ltac:(lra)) as hg.
  set (o := exp e) in *. set (g := exp epsilon) in *. assert (0 < / o) as hi by (apply Rinv_0_lt_compat; lra).
  assert (delta < 1) as most by nra. set (s := delta * (1 + 1 / o)).
  assert (s < 1) as hs by (unfold s, Rdiv; rewrite Rmult_1_l; exact small).
  assert (0 < s) as hs0 by (unfold s, Rdiv; nra).
  assert (1 <= g / o) as ratio by (apply (Rmult_le_reg_r o); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra).
  assert (x * (1 - s) = g / o + s) as solves by (unfold x, spending; fold s; field; lra).
  assert (1 <= x) as hx by (apply (Rmult_le_reg_r (1 - s)); lra).
  assert ((o * x - g) / ((1 + o) * (1 + x)) = delta) as spent.
  { assert (o * x - g = o * s * (1 + x)) as left.
    { replace (o * x - g) with (o * (x - g / o)) by (field; lra). replace (g / o) with (x * (1 - s) - s) by lra. ring. }
    rewrite left. unfold s. field. lra. }
  assert (honest declares_itself (two_rounds o x delta)) as all.
  { cbn [two_rounds honest]. split; [apply odds_declare_themselves; lra|]. split; [|easy]. intros [|i]; cbn [honest].
    - split; [apply odds_declare_themselves; lra|easy].
    - split; [apply erasure_declares_itself; lra|easy]. }
  pose proof (two_rounds_reach g o x delta ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) spent epsilon eq_refl ltac:(lra))
    as reached.
  split; [easy|]. split; [easy|]. apply (promise_refuted _ _ (two_rounds o x delta)); [easy|]. rewrite reached.
  assert (0 < 1 / (1 + o)) by (apply Rdiv_lt_0_compat; lra). nra.
Qed.
