(** A finite pair below the Gaussian's curve at every epsilon has no larger Renyi divergence than the Gaussian:
    mu-GDP implies (mu^2/2)-zCDP.

    - [gauss_moment]: the moment of order a > 1 is at most e^{(a - 1) a v / 2}, v = mu^2;
    - [gdp_is_zcdp]: so a mu-GDP round has D_a <= a mu^2 / 2, both ways, at every order a > 1. *)

From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Filterproof Require Import GaussianCdf GaussianCurve GaussianRound.
From Filterproof Require Import Sums Interaction Divergences Domination CurveMoment GaussianDP GaussianFilter.
Open Scope R_scope.

(** ** The tail *)

Lemma density_derive (x : R) : is_derive density x (- x * density x).
Proof.
  unfold density, bell. pose proof half_area_pos. auto_derive; [lra|]. unfold Rdiv.
  replace (- (x * x) * / 2) with (- (x * x) / 2) by reflexivity. field. lra.
Qed.

Lemma density_exp x : density x = exp (- (x * x) / 2) * peak.
Proof. reflexivity. Qed.

Lemma Phi_tail x : x <= -1 -> Phi x <= density x.
Proof.
  intros hx. destruct (Rle_or_lt (Phi x) (density x)) as [|above]; [easy|exfalso].
  destruct (Phi_vanishes (Phi x - density x) ltac:(lra)) as [b small].
  set (y := Rmin x b). assert (y <= x) by apply Rmin_l. specialize (small y (Rmin_r x b)).
  enough (density y - Phi y <= density x - Phi x) by (pose proof (density_range y); lra).
  apply (rises (fun u => density u - Phi u) (fun u => - u * density u - density u)); [easy| |].
  - intros u _. apply (is_derive_minus density Phi); [apply density_derive|apply Phi_derive].
  - intros u range. pose proof (density_range u). nra.
Qed.

Lemma density_tail x : density x * (1 + x * x / 2) <= peak.
Proof.
  pose proof peak_pos as hp. unfold density, bell. unfold Rdiv at 1. fold peak.
  replace (- (x * x) / 2) with (- (x * x / 2)) by field. rewrite exp_Ropp.
  pose proof (exp_ineq1_le (x * x / 2)) as above. pose proof (exp_pos (x * x / 2)) as positive.
  apply (Rmult_le_reg_l (exp (x * x / 2))); [easy|].
  replace (exp (x * x / 2) * (/ exp (x * x / 2) * peak * (1 + x * x / 2))) with (peak * (1 + x * x / 2))
    by (field; lra).
  nra.
Qed.

(** ** An antiderivative of a (a - 1) e^{(a - 1) t} gauss 1 e^t v *)

Section Order.

Variables (a s : R).
Hypothesis order : 1 < a.
Hypothesis positive : 0 < s.

Let E := exp (a * (a - 1) * (s * s) / 2).

Definition rising (t : R) : R :=
  a * exp ((a - 1) * t) * Phi (- t / s + s / 2) - (a - 1) * exp (a * t) * Phi (- t / s - s / 2) -
  E * Phi (- t / s + s * (a - 1 / 2)).

Lemma square_one t : exp ((a - 1) * t) * density (- t / s + s / 2) = E * density (- t / s + s * (a - 1 / 2)).
Proof.
  rewrite !density_exp, <- !Rmult_assoc. f_equal. unfold E. rewrite <- !exp_plus. f_equal. field. lra.
Qed.

Lemma square_two t : exp (a * t) * density (- t / s - s / 2) = E * density (- t / s + s * (a - 1 / 2)).
Proof.
  rewrite !density_exp, <- !Rmult_assoc. f_equal. unfold E. rewrite <- !exp_plus. f_equal. field. lra.
Qed.

Lemma rising_derive (t : R) : is_derive rising t
  (a * (a - 1) * exp ((a - 1) * t) * (Phi (- t / s + s / 2) - exp t * Phi (- t / s - s / 2))).
Proof.
  pose proof (square_one t) as one. pose proof (square_two t) as two. unfold rising.
  auto_derive; [repeat split; apply Phi_ex|].
  change (fun x : R => Phi x) with Phi. rewrite !Phi_Derive.
  replace (- t * / s + s / 2) with (- t / s + s / 2) by reflexivity.
  replace (- t * / s + - (s / 2)) with (- t / s - s / 2) by reflexivity.
  replace (- t * / s + s * (a - 1 / 2)) with (- t / s + s * (a - 1 / 2)) by reflexivity.
  transitivity (a * (a - 1) * (exp ((a - 1) * t) * Phi (- t / s + s / 2) - exp (a * t) * Phi (- t / s - s / 2)) -
    (a * (exp ((a - 1) * t) * density (- t / s + s / 2)) - (a - 1) * (exp (a * t) * density (- t / s - s / 2)) -
     E * density (- t / s + s * (a - 1 / 2))) / s); [field; lra|].
  rewrite one, two. rewrite (exp_split a). field. lra.
Qed.

Lemma rising_begins e : 0 < e -> exists b, forall t, t <= b -> - E - e <= rising t.
Proof.
  intros he. assert (small : 0 < e / (a - 1)) by (apply Rdiv_lt_0_compat; lra).
  exists (ln (e / (a - 1)) / a). intros t early. unfold rising.
  assert (hE : 0 < E) by apply exp_pos.
  pose proof (exp_pos ((a - 1) * t)). pose proof (exp_pos (a * t)).
  pose proof (Phi_range (- t / s + s / 2)). pose proof (Phi_range (- t / s - s / 2)).
  pose proof (Phi_range (- t / s + s * (a - 1 / 2))).
  assert (exp (a * t) <= e / (a - 1)).
  { rewrite <- (exp_ln _ small). apply exp_le. assert (ln (e / (a - 1)) / a * a = ln (e / (a - 1))) by (field; lra).
    nra. }
  assert (same : e / (a - 1) * (a - 1) = e) by (field; lra).
  assert ((a - 1) * exp (a * t) <= e) by nra.
  assert (0 <= a * exp ((a - 1) * t) * Phi (- t / s + s / 2)) by (repeat apply Rmult_le_pos; lra).
  assert ((a - 1) * exp (a * t) * Phi (- t / s - s / 2) <= (a - 1) * exp (a * t) * 1) by (apply Rmult_le_compat_l; nra).
  assert (E * Phi (- t / s + s * (a - 1 / 2)) <= E * 1) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Lemma rising_ends e : 0 < e -> exists b, forall t, b <= t -> rising t <= 0 + e.
Proof.
  intros he. assert (hE : 0 < E) by apply exp_pos. pose proof peak_pos as hp.
  set (X := 1 + 2 * (a * E * peak / e)).
  assert (big : 0 < a * E * peak / e) by (apply Rdiv_lt_0_compat; [repeat apply Rmult_lt_0_compat; lra|lra]).
  exists (s * (X + s * (a - 1 / 2))). intros t late. unfold rising.
  pose proof (exp_pos ((a - 1) * t)). pose proof (exp_pos (a * t)).
  pose proof (Phi_range (- t / s - s / 2)). pose proof (Phi_range (- t / s + s * (a - 1 / 2))).
  set (x := - t / s + s * (a - 1 / 2)) in *.
  assert (far : x <= - X).
  { unfold x. apply Rmult_le_reg_r with s; [easy|].
    replace ((- t / s + s * (a - 1 / 2)) * s) with (- t + s * s * (a - 1 / 2)) by (field; lra). nra. }
  assert (- t / s + s / 2 <= -1).
  { apply Rle_trans with x; [|unfold X in far; lra]. unfold x. nra. }
  pose proof (Phi_tail (- t / s + s / 2) ltac:(easy)) as tail.
  pose proof (square_one t) as same. fold x in same. pose proof (density_tail x) as thin. pose proof (density_range x).
  assert (exp ((a - 1) * t) * Phi (- t / s + s / 2) <= E * density x)
    by (rewrite <- same; apply Rmult_le_compat_l; lra).
  assert (0 <= (a - 1) * exp (a * t) * Phi (- t / s - s / 2)) by (repeat apply Rmult_le_pos; lra).
  assert (0 <= E * Phi x) by nra.
  assert (enough : a * E * peak / e <= 1 + x * x / 2).
  { assert (X = 1 + 2 * (a * E * peak / e)) by reflexivity. assert (X <= X * X) by nra.
    assert (X * X <= x * x) by nra. lra. }
  assert (a * (E * density x) <= e).
  { assert (same2 : a * E * peak / e * e = a * E * peak) by (field; lra).
    assert (0 < 1 + x * x / 2) by lra.
    apply Rmult_le_reg_r with (1 + x * x / 2); [easy|].
    apply Rle_trans with (a * E * peak); [|nra].
    replace (a * (E * density x) * (1 + x * x / 2)) with (a * E * (density x * (1 + x * x / 2))) by ring.
    apply Rmult_le_compat_l; [nra|easy]. }
  assert (a * exp ((a - 1) * t) * Phi (- t / s + s / 2) <= a * (E * density x)).
  { rewrite Rmult_assoc. apply Rmult_le_compat_l; lra. }
  lra.
Qed.

End Order.

(** ** The moment *)

Lemma gauss_log t v : 0 < v ->
  gauss 1 (exp t) v = Phi (- t / sqrt v + sqrt v / 2) - exp t * Phi (- t / sqrt v - sqrt v / 2).
Proof.
  intros hv. pose proof (exp_pos t). unfold gauss, form. destruct (Rle_dec v 0); [lra|].
  destruct (Rle_dec 1 0); [lra|]. destruct (Rle_dec (exp t) 0); [lra|].
  replace (ln (1 / exp t)) with (- t); [ring|]. unfold Rdiv. rewrite Rmult_1_l, ln_Rinv, ln_exp by easy. ring.
Qed.

Lemma below_gauss_apart n p q v : law n p -> law n q -> 0 <= v ->
  (forall x y, 0 <= x -> 0 <= y -> weighted n p q x y <= gauss x y v) -> apart n p q.
Proof.
  intros lp lq hv below. split; [easy|]. split; [easy|]. intros i small none.
  destruct (proj1 lp i small) as [some|]; [exfalso|easy].
  assert (hs : 0 < sqrt (v + 1)) by (apply sqrt_lt_R0; lra). set (s := sqrt (v + 1)) in *.
  destruct (Phi_vanishes (p i) some) as [b tiny].
  set (t := s * (s / 2 - b)). pose proof (exp_pos t).
  specialize (tiny (- t / s + s / 2) ltac:(unfold t; right; field; lra)).
  pose proof (below 1 (exp t) ltac:(lra) ltac:(lra)) as bound.
  pose proof (gauss_rises 1 (exp t) v (v + 1) ltac:(lra) ltac:(lra) hv ltac:(lra)) as more.
  rewrite (gauss_log t (v + 1)) in more by lra. fold s in more. pose proof (Phi_range (- t / s - s / 2)).
  pose proof (sum_one_term n (fun i => pos (1 * p i - exp t * q i)) i small ltac:(intros; apply pos_nonneg)) as one.
  cbn beta in one. rewrite none in one. pose proof (pos_above (1 * p i - exp t * 0)). unfold weighted in bound. nra.
Qed.

Lemma gauss_moment_positive n p q v a : 1 < a -> apart n p q -> 0 < v ->
  (forall x y, 0 <= x -> 0 <= y -> weighted n p q x y <= gauss x y v) ->
  moment_of n p q a <= exp (a * (a - 1) * v / 2).
Proof.
  intros ha two hv below. assert (hs : 0 < sqrt v) by now apply sqrt_lt_R0.
  rewrite <- (Rplus_0_r (exp _)). rewrite <- (sqrt_sqrt v) by lra.
  apply (moment_by_comparison n p q a (rising a (sqrt v))
    (fun t => a * (a - 1) * exp ((a - 1) * t) *
      (Phi (- t / sqrt v + sqrt v / 2) - exp t * Phi (- t / sqrt v - sqrt v / 2)))); [easy|easy| | | |].
  - intros t. now apply rising_derive.
  - intros t. pose proof (exp_pos t). pose proof (exp_pos ((a - 1) * t)).
    apply Rmult_le_compat_l; [apply Rmult_le_pos; nra|]. rewrite <- gauss_log by easy. apply below; lra.
  - intros e he. now apply rising_begins.
  - intros e he. now apply rising_ends.
Qed.

Theorem gauss_moment n p q v a : 1 < a -> law n p -> law n q -> 0 <= v ->
  (forall x y, 0 <= x -> 0 <= y -> weighted n p q x y <= gauss x y v) ->
  moment_of n p q a <= exp (a * (a - 1) * v / 2).
Proof.
  intros ha lp lq hv below. pose proof (below_gauss_apart n p q v lp lq hv below) as two.
  destruct hv as [hv|<-]; [now apply gauss_moment_positive|].
  apply le_epsilon. intros e he. set (v := 2 * ln (1 + e) / (a * (a - 1))).
  assert (0 < ln (1 + e)) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (hv : 0 < v) by (apply Rdiv_lt_0_compat; nra).
  assert (rises : forall x y, 0 <= x -> 0 <= y -> weighted n p q x y <= gauss x y v).
  { intros x y hx hy. eapply Rle_trans; [now apply below|]. apply gauss_rises; lra. }
  pose proof (gauss_moment_positive n p q v a ha two hv rises) as bound.
  replace (a * (a - 1) * v / 2) with (ln (1 + e)) in bound by (unfold v; field; lra). rewrite exp_ln in bound by lra.
  replace (a * (a - 1) * 0 / 2) with 0 by field. rewrite exp_0. lra.
Qed.

(** Claim: A mu-GDP round with finitely many outcomes is (mu^2/2)-zCDP, both ways.
    Source: Dong, Roth & Su *)
Theorem gdp_is_zcdp {C} mu (m : request C) a : 1 < a -> gdp_at_most mu m ->
  renyi_at_most a (a * (mu ^ 2 / 2)) m /\ renyi_at_most a (a * (mu ^ 2 / 2)) (swap m).
Proof.
  intros ha gdp.
  assert (one_way : forall u : request C, gdp_at_most mu u -> renyi_at_most a (a * (mu ^ 2 / 2)) u).
  { intros u it. pose proof (gdp_weighted mu u it) as below. destruct it as ((lp & lq) & hmu & _).
    split; [exact (proj2 (proj2 (below_gauss_apart _ _ _ _ lp lq (pow2_ge_0 mu) below)))|].
    pose proof (gauss_moment _ _ _ _ a ha lp lq (pow2_ge_0 mu) below) as bound.
    eapply Rle_trans; [exact bound|]. right. f_equal. field. }
  split; apply one_way; [easy|]. destruct gdp as ((lp & lq) & hmu & each). split; [now split|]. split; [easy|].
  intros epsilon he. destruct (each epsilon he). now split.
Qed.
