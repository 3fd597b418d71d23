(** Gaussian differential privacy for mechanisms with outcomes of any kind (Koskela, Tobaben & Honkela).

    - [gaussian_round_any]: Theorem 11, one round before the Gaussian curve;
    - [gaussian_filter_any], [gaussian_promise_any]: Theorem C.1, the filter;
    - [lemma_10_any]: Lemma 10, where the two densities add. *)

From Coq Require Import Reals Lra Lia List FunctionalExtensionality.
From Coquelicot Require Import Rbar.
From Filterproof Require Import GaussianCdf GaussianCurve GaussianRound GaussianCells GaussianDP.
From Filterproof Require Import Sums Divergences Domination Integrals AnyOutcomes AnyOutcomesFilters.
Open Scope R_scope.

(** ** One round *)

Lemma value_same {X} (I : integral X) (f g : X -> R) : (forall i, f i = g i) ->
  Rbar_le (value I (fun i => f i)) (value I (fun i => g i)).
Proof. intros same. replace f with g by (extensionality i; now rewrite same). apply Rbar_le_refl. Qed.

Lemma value_density {X} (I : integral X) (p : X -> R) (c : R) : AnyOutcomes.density I p -> 0 <= c ->
  Rbar_le (value I (fun i => c * p i)) c.
Proof.
  intros [hp onep] hc. apply Rbar_le_trans with (Finite (c * 1)); [|cbn; lra].
  apply value_times_le; [easy|easy|]. rewrite onep. apply Rbar_le_refl.
Qed.

Lemma value_sum {X} (I : integral X) n (f : nat -> X -> R) (b : nat -> R) (g : X -> R) (c : R) :
  (forall k i, (k < n)%nat -> 0 <= f k i) -> (forall i, 0 <= g i) ->
  (forall k, (k < n)%nat -> Rbar_le (value I (fun i => f k i)) (b k)) -> Rbar_le (value I (fun i => g i)) c ->
  Rbar_le (value I (fun i => sum n (fun k => f k i) + g i)) (sum n b + c).
Proof.
  revert g c. induction n as [|n IH]; intros g c hf hg each rest; cbn [sum].
  - rewrite Rplus_0_l. replace (fun i => Finite (0 + g i)) with (fun i => Finite (g i)); [easy|].
    extensionality i. now rewrite Rplus_0_l.
  - rewrite Rplus_assoc.
    replace (fun i => Finite (sum n (fun k => f k i) + f n i + g i)) with
      (fun i => Finite (sum n (fun k => f k i) + (f n i + g i))) by (extensionality i; now rewrite Rplus_assoc).
    apply (IH (fun i => f n i + g i)).
    + intros; apply hf; lia.
    + intros i. specialize (hf n i ltac:(lia)). specialize (hg i). lra.
    + intros; apply each; lia.
    + eapply Rbar_le_trans; [apply (value_plus I (fun i => f n i) (fun i => g i)); intros i; cbn; auto|].
      apply (Rbar_plus_le_compat _ (b n) _ c); [apply each; lia|easy].
Qed.

Lemma Rbar_le_epsilon a (b : R) : (forall e, 0 < e -> Rbar_le a (b + e)) -> Rbar_le a b.
Proof.
  destruct a as [a| |]; cbn; intros near; [apply le_epsilon; exact near|exact (near 1 Rlt_0_1)|easy].
Qed.

(** Claim: After a round whose hockey-sticks are at most those of the Gaussian curve of variance v, the mean of the
    curve of variance w is at most the curve of variance v + w.
    Source: Koskela, Tobaben & Honkela, Theorem 11
    Covers: mechanisms with outcomes of any kind that have two densities against an integral *)
Theorem gaussian_round_any {X} (I : integral X) (p q : X -> R) (v w x y : R) : AnyOutcomes.density I p ->
  AnyOutcomes.density I q ->
  0 <= v -> 0 <= w ->
  (forall x y, 0 <= x -> 0 <= y -> Rbar_le (value I (fun i => pos (x * p i - y * q i))) (gauss x y v)) ->
  0 <= x -> 0 <= y -> Rbar_le (value I (fun i => gauss (x * p i) (y * q i) w)) (gauss x y (v + w)).
Proof.
  intros [hp onep] [hq oneq] hv hw below hx hy. destruct hw as [hw|<-].
  2: { rewrite Rplus_0_r. eapply Rbar_le_trans; [|now apply below]. apply value_same. intros i.
       unfold gauss. now destruct (Rle_dec 0 0); [|lra]. }
  apply Rbar_le_epsilon. intros e he. set (e' := e / (x + y + 1)).
  assert (0 < e') as he' by (apply Rdiv_lt_0_compat; lra).
  assert (e' * (x + y) <= e) as small by (assert (e' * (x + y + 1) = e) by (unfold e'; field; lra); nra).
  pose proof (sqrt_lt_R0 w hw) as hs. destruct (cells_exist e' (sqrt w) he' hs) as (n & b & h & some & hh & near).
  assert (sqrt w ^ 2 = w) as square by (apply pow2_sqrt; lra). rewrite square in near.
  set (r := cell n b h (sqrt w)) in *. set (s := cell n b h 0) in *.
  pose proof (cell_law n b h some hh (sqrt w)) as hr. fold r in hr.
  pose proof (cell_law n b h some hh 0) as hs'. fold s in hs'.
  apply Rbar_le_trans with (Finite (sum (S n) (fun k => gauss (x * r k) (y * s k) v) + (e' * x + e' * y))).
  - eapply Rbar_le_trans.
    2: { apply (value_sum I (S n) (fun k i => pos (x * r k * p i - y * s k * q i)) _
           (fun i => e' * x * p i + e' * y * q i) (e' * x + e' * y)).
         - intros; apply pos_nonneg.
         - intros i. specialize (hp i). specialize (hq i). assert (0 <= e' * x) by nra. assert (0 <= e' * y) by nra.
           nra.
         - intros k less. pose proof (proj1 hr k less). pose proof (proj1 hs' k less). apply below; nra.
         - eapply Rbar_le_trans.
           + apply (value_plus I (fun i => e' * x * p i) (fun i => e' * y * q i)); intros i; cbn;
               [specialize (hp i)|specialize (hq i)]; apply Rmult_le_pos; nra.
           + apply (Rbar_plus_le_compat _ (e' * x) _ (e' * y)).
             * apply value_density; [easy|nra].
             * apply value_density; [easy|nra]. }
    apply value_le; intros i; specialize (hp i); specialize (hq i); cbn [Rbar_le].
    + eapply Rle_trans; [apply pos_nonneg|]. apply gauss_above; nra.
    + eapply Rle_trans; [apply near; nra|]. unfold weighted.
      replace (sum (S n) (fun k => pos (x * p i * r k - y * q i * s k))) with
        (sum (S n) (fun k => pos (x * r k * p i - y * s k * q i))) by (apply sum_ext; intros; f_equal; ring). lra.
  - cbn [Rbar_le].
    pose proof (gaussian_round (S n) r s w v x y hr hs' ltac:(lra) hv) as round.
    rewrite (Rplus_comm w v) in round. enough (sum (S n) (fun k => gauss (x * r k) (y * s k) v) <= gauss x y (v + w))
      by lra.
    apply round; [|easy|easy]. intros x' y' hx' hy'. rewrite <- square. now apply cells_below.
Qed.

(** ** The filter *)

(** mu-GDP: at every weight the hockey-stick divergence is at most the Gaussian curve, in both directions. *)
Definition gdp_at_most_any {C} (mu : R) (m : request C) : Prop :=
  laws m /\ 0 <= mu /\ forall epsilon,
    Rbar_le (value (base m) (fun i => pos (P m i - exp epsilon * Q m i))) (gdp_delta mu epsilon) /\
    Rbar_le (value (base m) (fun i => pos (Q m i - exp epsilon * P m i))) (gdp_delta mu epsilon).

(** A request is charged its mu. *)
Definition gdp_honest_any (m : request R) : Prop := gdp_at_most_any (charge m) m.

(** CONT while the sum of mu_t^2 is at most mu^2; the state is what is left. *)
Definition gaussian_any (mu : R) : filter R :=
  AnyOutcomes.Filter R (mu ^ 2) (fun left c => if Rle_dec (c ^ 2) left then true else false)
    (fun left c _ => left - c ^ 2).

Lemma gdp_weighted_any {C} mu (m : request C) : gdp_at_most_any mu m -> forall x y, 0 <= x -> 0 <= y ->
  Rbar_le (value (base m) (fun i => pos (x * P m i - y * Q m i))) (gauss x y (mu ^ 2)).
Proof.
  intros (((hp & onep) & (hq & oneq)) & hmu & each) x y hx hy.
  assert (top : 0 <= gauss x y (mu ^ 2)) by (eapply Rle_trans; [apply pos_nonneg|now apply gauss_above]).
  destruct hx as [hx|<-].
  2: { apply Rbar_le_trans with (value (base m) (fun i => 0 * P m i)).
       - apply value_le; intros i; specialize (hp i); specialize (hq i); cbn; [apply pos_nonneg|].
         apply pos_least; nra.
       - apply Rbar_le_trans with (Finite 0); [|easy]. now apply value_density; [|lra]. }
  destruct hy as [hy|<-].
  2: { apply Rbar_le_trans with (value (base m) (fun i => x * P m i)).
       - apply value_le; intros i; specialize (hp i); cbn; [apply pos_nonneg|]. apply pos_least; nra.
       - apply Rbar_le_trans with (Finite x).
         + now apply value_density; [|lra].
         + cbn [Rbar_le]. pose proof (gauss_above x 0 (mu ^ 2) ltac:(lra) ltac:(lra)).
           pose proof (pos_above (x - 0)). lra. }
  destruct (each (ln (y / x))) as [bound _]. assert (0 < y / x) by (apply Rdiv_lt_0_compat; lra).
  rewrite gdp_delta_is_gauss, exp_ln in bound by easy.
  apply (value_times_le (base m) x) in bound; [|lra|intros; apply pos_nonneg].
  rewrite <- gauss_scale in bound by lra. replace (x * 1) with x in bound by ring.
  replace (x * (y / x)) with y in bound by (field; lra).
  eapply Rbar_le_trans; [|exact bound]. apply value_same. intros i. unfold pos.
  rewrite <- RmaxRmult by lra. rewrite Rmult_0_r. f_equal. field. lra.
Qed.

Lemma gdp_honest_any_swap m : gdp_honest_any m -> gdp_honest_any (swap m).
Proof.
  intros ([lp lq] & hmu & each). split; [now split|]. split; [easy|]. intros epsilon. destruct (each epsilon).
    now split.
Qed.

(** The potential is delta_{epsilon - L}(sqrt left), weighted. *)
Lemma gaussian_one_way_any mu t : honest gdp_honest_any t -> forall epsilon,
  Rbar_le (over (gaussian_any mu) t (fun _ x y => pos (x - exp epsilon * y))) (gauss 1 (exp epsilon) (mu ^ 2)).
Proof.
  intros hon epsilon. pose proof (exp_pos epsilon) as he.
  replace (gauss 1 (exp epsilon) (mu ^ 2)) with (gauss 1 (exp epsilon * 1) (mu ^ 2)) by (f_equal; ring).
  apply (potential_any (gaussian_any mu) gdp_honest_any (fun _ x y => pos (x - exp epsilon * y))
    (fun left x y => 0 <= left /\ 0 <= x /\ 0 <= y) (fun left x y => gauss x (exp epsilon * y) left)).
  - intros left tau x y (hl & hx & hy). split; [apply pos_nonneg|]. apply gauss_above; [easy|nra].
  - intros left m x y (hl & hx & hy) honest_m admitted.
    assert (fit : charge m ^ 2 <= left).
    { change ((if Rle_dec (charge m ^ 2) left then true else false) = true) in admitted.
      destruct (Rle_dec (charge m ^ 2) left) as [fit|]; [exact fit|discriminate]. }
    pose proof (gdp_weighted_any _ m honest_m) as below. destruct honest_m as ((lp & lq) & hmu & _).
    split.
    + intros i. cbn [after gaussian_any]. pose proof (proj1 lp i). pose proof (proj1 lq i). repeat split; [lra|nra|nra].
    + cbn [after gaussian_any].
      pose proof (gaussian_round_any (base m) (P m) (Q m) (charge m ^ 2) (left - charge m ^ 2) x (exp epsilon * y) lp lq
        (pow2_ge_0 _) ltac:(lra) below hx ltac:(nra)) as round.
      rewrite Rplus_minus in round.
      eapply Rbar_le_trans; [|exact round]. apply value_same. intros i. f_equal. ring.
  - exact hon.
  - pose proof (pow2_ge_0 mu) as square. split; [exact square|lra].
Qed.

(** Claim: A filter that admits while mu_t^2 sum to at most mu^2, each round mu_t-GDP, keeps the
    hockey-stick divergence of the transcript at most delta_mu(epsilon) at each epsilon, both ways.
    Source: Koskela, Tobaben & Honkela, Algorithm 2 and Theorem C.1
    Covers: mechanisms with outcomes of any kind that have two densities against an integral
    Beyond: That the iterated integral of measurable strategies and sets is the one against the law of the
    transcript, which is Tonelli's theorem. *)
Theorem gaussian_filter_any mu t : 0 <= mu -> honest gdp_honest_any t -> forall epsilon,
  Rbar_le (over (gaussian_any mu) t (fun _ x y => pos (x - exp epsilon * y))) (gdp_delta mu epsilon) /\
  Rbar_le (over (gaussian_any mu) t (fun _ x y => pos (y - exp epsilon * x))) (gdp_delta mu epsilon).
Proof.
  intros hmu hon epsilon. rewrite gdp_delta_is_gauss by easy. split; [now apply gaussian_one_way_any|].
  pose proof (gaussian_one_way_any mu (swapped t) (honest_swapped _ _ _ gdp_honest_any_swap hon) epsilon) as other.
  unfold over in *. now rewrite total_swapped in other.
Qed.

(** Claim: A filter that admits while mu_t^2 sum to at most mu^2, each round mu_t-GDP, keeps (epsilon,
    delta_mu(epsilon))-DP at each epsilon.
    Source: Koskela, Tobaben & Honkela, Theorem C.1
    Covers: mechanisms with outcomes of any kind that have two densities against an integral
    Beyond: That the iterated integral of measurable strategies and sets is the one against the law of the
    transcript, which is Tonelli's theorem. *)
Theorem gaussian_promise_any mu epsilon : 0 <= mu ->
  promises_delta_any (gaussian_any mu) gdp_honest_any epsilon (gdp_delta mu epsilon).
Proof.
  intros hmu. apply both_ways_any; [now intros m [hl _]|apply gdp_honest_any_swap|].
  intros t hon. now apply (gaussian_filter_any mu t hmu hon).
Qed.

(** ** Lemma 10 *)

(** Where densities add, what P has above y Q is what Q has above P / y, and 1 - y. *)
Lemma weighted_swapped_any {X} (I : integral X) (p q : X -> R) (x y : R) : AnyOutcomes.density I p ->
  AnyOutcomes.density I q ->
  adds I (fun i => x * p i) -> adds I (fun i => y * q i) -> 0 <= x -> 0 <= y ->
  Rbar_plus (value I (fun i => pos (x * p i - y * q i))) y = Rbar_plus (value I (fun i => pos (y * q i - x * p i))) x.
Proof.
  intros [hp onep] [hq oneq] addp addq hx hy.
  assert (value I (fun i => x * p i) = x) as massp by (rewrite (value_times I x p 1) by easy; f_equal; ring).
  assert (value I (fun i => y * q i) = y) as massq by (rewrite (value_times I y q 1) by easy; f_equal; ring).
  pose proof (addq (fun i => pos (x * p i - y * q i)) (fun i => pos_nonneg _)) as left. cbv beta in left.
    rewrite massq in left.
  pose proof (addp (fun i => pos (y * q i - x * p i)) (fun i => pos_nonneg _)) as right. cbv beta in right.
    rewrite massp in right.
  rewrite <- left, <- right.
  f_equal. extensionality i. cbn. f_equal. unfold pos.
  destruct (Rle_dec 0 (x * p i - y * q i)); [rewrite Rmax_right, Rmax_left by lra|rewrite Rmax_left,
    Rmax_right by lra]; lra.
Qed.

(** Claim: For mu >= 0 and densities that add, the hockey-sticks of a mechanism are at most the Gaussian(mu)'s both ways
    at each epsilon >= 0 if and only if they are so at each real epsilon one way, and then they are so both ways.
    Source: Koskela, Tobaben & Honkela, Lemma 10
    Covers: mechanisms with outcomes of any kind that have two densities against an integral *)
Theorem lemma_10_any {C} mu (m : request C) : laws m -> 0 <= mu ->
  (forall c, 0 < c -> adds (base m) (fun i => c * P m i) /\ adds (base m) (fun i => c * Q m i)) ->
  ((forall epsilon, 0 <= epsilon ->
     Rbar_le (value (base m) (fun i => pos (P m i - exp epsilon * Q m i))) (gdp_delta mu epsilon) /\
     Rbar_le (value (base m) (fun i => pos (Q m i - exp epsilon * P m i))) (gdp_delta mu epsilon)) <->
   (forall epsilon, Rbar_le (value (base m) (fun i => pos (P m i - exp epsilon * Q m i))) (gdp_delta mu epsilon))) /\
  ((forall epsilon, Rbar_le (value (base m) (fun i => pos (P m i - exp epsilon * Q m i))) (gdp_delta mu epsilon)) <->
   gdp_at_most_any mu m).
Proof.
  intros [lp lq] hmu add.
  (* one way at epsilon from the other way at - epsilon *)
  assert (turn : forall p q epsilon, AnyOutcomes.density (base m) p -> AnyOutcomes.density (base m) q ->
    (forall c, 0 < c -> adds (base m) (fun i => c * p i) /\ adds (base m) (fun i => c * q i)) ->
    Rbar_le (value (base m) (fun i => pos (q i - exp (- epsilon) * p i))) (gdp_delta mu (- epsilon)) ->
    Rbar_le (value (base m) (fun i => pos (p i - exp epsilon * q i))) (gdp_delta mu epsilon)).
  { intros p q epsilon hp hq addpq back. pose proof (exp_pos epsilon) as he.
    apply (value_times_le (base m) (exp epsilon)) in back; [|lra|intros; apply pos_nonneg].
    pose proof (weighted_swapped_any (base m) p q 1 (exp epsilon) hp hq (proj1 (addpq 1 Rlt_0_1))
      (proj2 (addpq _ he)) ltac:(lra) ltac:(lra)) as same.
    replace (fun i => Finite (exp epsilon * pos (q i - exp (- epsilon) * p i))) with
      (fun i => Finite (pos (exp epsilon * q i - 1 * p i))) in back.
    2: { extensionality i. f_equal. unfold pos. rewrite <- RmaxRmult by lra. rewrite Rmult_0_r. f_equal.
         rewrite Rmult_minus_distr_l, <- Rmult_assoc, <- exp_plus, Rplus_opp_r, exp_0. ring. }
    replace (fun i => Finite (pos (1 * p i - exp epsilon * q i))) with
      (fun i => Finite (pos (p i - exp epsilon * q i))) in same by (extensionality i; do 2 f_equal; ring).
    pose proof (gdp_delta_turned mu epsilon hmu) as turned.
    destruct (value (base m) (fun i => pos (p i - exp epsilon * q i))) as [u| |],
      (value (base m) (fun i => pos (exp epsilon * q i - 1 * p i))) as [z| |]; try easy.
    cbn in *. injection same as same. lra. }
  assert (addq : forall c, 0 < c -> adds (base m) (fun i => c * Q m i) /\ adds (base m) (fun i => c * P m i)).
  { intros c hc. now destruct (add c hc). }
  split; split.
  - intros both epsilon. destruct (Rle_or_lt 0 epsilon) as [up|down]; [now apply both|].
    apply turn; [easy|easy|easy|]. apply both. lra.
  - intros all epsilon _. split; [apply all|]. apply turn; [easy|easy|easy|]. apply all.
  - intros all. split; [now split|]. split; [easy|]. intros epsilon. split; [apply all|].
    apply turn; [easy|easy|easy|]. apply all.
  - intros (_ & _ & each) epsilon. apply each.
Qed.
