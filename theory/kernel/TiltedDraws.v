(** What a tilted simulation draws: its paths with their probabilities, and their sums; see [TiltedWeights]. *)

From Coq Require Import Reals Lra Lia List.
From Filterproof Require Import Sums Interaction Divergences Paths.
Import ListNotations.
Open Scope R_scope.

(** ** Finite losses of a round *)

(** The mass under P of outcome i, if its loss is finite. *)
Definition finite {C} (m : request C) (i : nat) : R := if Req_EM_T (Q m i) 0 then 0 else P m i.

(** P(L < inf), and the sum of P^s Q^{1-s} over the finite losses. *)
Definition kept {C} (m : request C) : R := sum (outcomes m) (finite m).
Definition finite_moment {C} (s : R) (m : request C) : R := sum (outcomes m) (fun i => term s (finite m i) (Q m i)).

(** The tilted law: in proportion to P^s Q^{1-s} on finite losses. *)
Definition tilt {C} (s : R) (m : request C) (i : nat) : R := term s (finite m i) (Q m i) / finite_moment s m.

(** What a simulation needs: some finite loss, E_P[e^{(s-1) L} | L < inf] <= e^{(s-1) price}, and
    P(L < inf) >= e^{-cost}. *)
Definition simulable {C} (s : R) (price cost : C -> R) (m : request C) : Prop :=
  laws m /\ 0 <= price (charge m) /\ 0 <= cost (charge m) /\
  exp (- cost (charge m)) <= kept m /\ finite_moment s m <= kept m * exp ((s - 1) * price (charge m)).

(** ** Paths of the simulation *)

(** A path: the masses of its finite losses under P and Q, the probability that it is drawn, and K. *)
Record path := Path { seen : transcript; mass_P : R; mass_Q : R; drawn : R; all_kept : R }.

Fixpoint draws {C} (s : R) (F : filter C) (st : state F) (d : path) (t : strategy C) : list path :=
  match t with
  | Stop => [d]
  | Request m granted denied =>
      if admits F st (charge m)
      then concat_map (outcomes m) (fun i =>
        draws s F (after F st (charge m) i)
          (Path (seen d ++ [Released i]) (mass_P d * finite m i) (mass_Q d * Q m i) (drawn d * tilt s m i)
             (all_kept d * kept m)) (granted i))
      else draws s F st (Path (seen d ++ [Denied]) (mass_P d) (mass_Q d) (drawn d) (all_kept d)) denied
  end.

Definition simulation {C} (s : R) (F : filter C) (t : strategy C) : list path :=
  draws s F (start F) (Path [] 1 1 1 1) t.

(** dP~/dR, and (1 - e^{epsilon - L})_+ with e^L = P/Q. *)
Definition weight (d : path) : R := mass_P d / all_kept d / drawn d.
Definition gain (epsilon : R) (d : path) : R := pos (1 - exp epsilon * (mass_Q d / mass_P d)).

Lemma pos_scale c x : 0 <= c -> c * pos x = pos (c * x).
Proof. intros hc. unfold pos, Rmax. destruct (Rle_dec 0 x), (Rle_dec 0 (c * x)); nra. Qed.

Lemma list_sum_ext {A} (f g : A -> R) l : (forall a, In a l -> f a = g a) -> list_sum f l = list_sum g l.
Proof.
  induction l as [|a l IH]; intros same; cbn; [easy|]. rewrite same by now left. rewrite IH; [easy|].
  intros; apply same; now right.
Qed.

Lemma list_sum_minus {A} (f g : A -> R) l : list_sum (fun a => f a - g a) l = list_sum f l - list_sum g l.
Proof. induction l as [|a l IH]; cbn; [lra|rewrite IH; lra]. Qed.

(** ** One round *)

Lemma finite_masses {C} (m : request C) i : laws m -> (i < outcomes m)%nat -> masses (finite m i) (Q m i).
Proof.
  intros ((hp & _) & (hq & _)) small. specialize (hp i small). specialize (hq i small). unfold masses, finite.
  destruct (Req_EM_T (Q m i) 0); repeat split; lra.
Qed.

Lemma term_pos a x y : 0 < x -> 0 < term a x y.
Proof. intros hx. unfold term, power. destruct (Rle_dec x 0); [lra|]. apply Rmult_lt_0_compat; apply exp_pos. Qed.

Lemma finite_moment_pos {C} s price cost (m : request C) : simulable s price cost m -> 0 < finite_moment s m.
Proof.
  intros (lm & _ & _ & some & _). pose proof (exp_pos (- cost (charge m))).
  destruct (sum_some (outcomes m) (finite m)) as (i & small & there); [fold (kept m); lra|].
  destruct (finite_masses m i lm small) as (hf & _ & _).
  eapply Rlt_le_trans; [apply (term_pos s (finite m i) (Q m i)); lra|].
  apply (sum_one_term (outcomes m) (fun i => term s (finite m i) (Q m i))); [easy|]. intros; apply term_nonneg.
Qed.

Lemma kept_range {C} s price cost (m : request C) : simulable s price cost m -> 0 < kept m <= 1.
Proof.
  intros (((hp & one) & (hq & _)) & _ & _ & some & _). pose proof (exp_pos (- cost (charge m))). split; [lra|].
  rewrite <- one. apply sum_le. intros i small. specialize (hp i small). unfold finite.
  destruct (Req_EM_T (Q m i) 0); lra.
Qed.

Lemma tilt_is_a_law {C} s price cost (m : request C) : simulable s price cost m -> law (outcomes m) (tilt s m).
Proof.
  intros ok. pose proof (finite_moment_pos _ _ _ _ ok). split.
  - intros i _. apply Rle_mult_inv_pos; [apply term_nonneg|easy].
  - unfold tilt, Rdiv. rewrite sum_scale_right. fold (finite_moment s m). field. lra.
Qed.

(** ** Sums over the paths that are drawn *)

Theorem draws_are_a_law {C} s price cost (F : filter C) t : honest (simulable s price cost) t ->
  list_sum drawn (simulation s F t) = 1.
Proof.
  intros hon. unfold simulation. change 1 with (drawn (Path [] 1 1 1 1)) at 5.
  generalize (Path [] 1 1 1 1) (start F). revert hon.
  induction t as [|m granted IHg denied IHd]; intros hon d st; cbn; [lra|].
  destruct hon as (ok & hong & hond). destruct (admits F st (charge m)); [|now rewrite (IHd hond)].
  rewrite list_sum_concat_map.
  rewrite (sum_ext _ _ (fun i => drawn d * tilt s m i)) by (intros; now rewrite IHg).
  destruct (tilt_is_a_law _ _ _ _ ok) as [_ one]. rewrite sum_scale, one. lra.
Qed.

(** The P~-probabilities sum to one. *)
Lemma finite_paths_are_a_law {C} s price cost (F : filter C) t : honest (simulable s price cost) t ->
  list_sum (fun d => mass_P d / all_kept d) (simulation s F t) = 1.
Proof.
  intros hon. unfold simulation.
  enough (forall d st, 0 < all_kept d -> list_sum (fun d => mass_P d / all_kept d) (draws s F st d t) = mass_P d /
    all_kept d)
    as it by (rewrite it; cbn; lra).
  revert hon. induction t as [|m granted IHg denied IHd]; intros hon d st hk; cbn; [lra|].
  destruct hon as (ok & hong & hond). destruct (admits F st (charge m)); [|now rewrite (IHd hond)].
  pose proof (kept_range _ _ _ _ ok). rewrite list_sum_concat_map.
  rewrite (sum_ext _ _ (fun i => mass_P d / (all_kept d * kept m) * finite m i)).
  - rewrite sum_scale. fold (kept m). field. lra.
  - intros i _. rewrite IHg; cbn; [|easy|nra]. field. lra.
Qed.

(** The strategy with infinite losses cut off, each P being what is left of it. *)
Fixpoint finite_part {C} (t : strategy C) : strategy C :=
  match t with
  | Stop => Stop
  | Request m granted denied =>
      Request (Ask (outcomes m) (finite m) (Q m) (charge m)) (fun i => finite_part (granted i)) (finite_part denied)
  end.

Lemma draws_sum {C} s (F : filter C) V t : forall st d,
  list_sum (fun d => V (seen d) (mass_P d) (mass_Q d)) (draws s F st d t) =
  total F V st (seen d) (mass_P d) (mass_Q d) (finite_part t).
Proof.
  induction t as [|m granted IHg denied IHd]; intros st d; cbn; [lra|].
  destruct (admits F st (charge m)); [|now rewrite IHd].
  rewrite list_sum_concat_map. apply sum_ext. intros i _. now rewrite IHg.
Qed.

(** What a transcript gives to both: an infinite loss gives nothing. *)
Lemma common_of_finite_part {C} (F : filter C) epsilon t : honest laws t -> forall st tau x y f,
  0 <= y -> 0 <= x -> (0 < y -> f = x) -> (y = 0 -> f = 0) ->
  total F (fun _ x y => x - pos (x - exp epsilon * y)) st tau x y t =
  total F (fun _ x y => x - pos (x - exp epsilon * y)) st tau f y (finite_part t).
Proof.
  induction t as [|m granted IHg denied IHd]; intros hon st tau x y f hy hx same none; cbn.
  - destruct hy as [hy| <-]; [now rewrite same|]. rewrite none, !Rmult_0_r, !Rminus_0_r by easy.
    unfold pos. rewrite !Rmax_right; lra.
  - destruct hon as (((hp & _) & (hq & _)) & hong & hond). destruct (admits F st (charge m)); [|now apply IHd].
    apply sum_ext. intros i small. specialize (hp i small). specialize (hq i small).
    apply IHg; [easy|nra|nra| |]; unfold finite; destruct (Req_EM_T (Q m i) 0) as [zero|].
    + rewrite zero. lra.
    + intros hyq. rewrite same; [easy|]. destruct hy as [|<-]; lra.
    + lra.
    + intros [zero|]%Rmult_integral; [rewrite none by easy; lra|easy].
Qed.

Lemma total_minus {C} (F : filter C) V W t st tau x y :
  total F (fun tau x y => V tau x y - W tau x y) st tau x y t = total F V st tau x y t - total F W st tau x y t.
Proof.
  enough (total F V st tau x y t = total F (fun tau x y => (V tau x y - W tau x y) + W tau x y) st tau x y t) as it
    by (rewrite total_plus in it; lra).
  apply total_ext. intros; lra.
Qed.
