(** The hockey-stick curve of the Gaussian mechanism, weighted: the integral of (x N(mu, 1) - y N(0, 1))_+, as a
    function of x, y and v = mu^2, and the heat equation that it solves.

    - [gauss_is_delta]: gauss 1 e^epsilon mu^2 = Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu);
    - [gauss_above], [gauss_below]: it lies above (x - y)_+, by at most y peak mu;
    - [value_in_z], [slope_in_z], [value_in_w]: u = gauss (p e^{z/2}) (q e^{-z/2}) w has u_w = u_zz / 2 - u / 8. *)

From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Filterproof Require Import Sums Interaction Divergences GaussianCdf.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

(** A Phi(m/s + s/2) - B Phi(m/s - s/2), where A = B e^m. *)
Definition form (A B m s : R) : R := A * Phi (m / s + s / 2) - B * Phi (m / s - s / 2).

Definition gauss (x y v : R) : R :=
  if Rle_dec v 0 then pos (x - y)
  else if Rle_dec x 0 then 0
  else if Rle_dec y 0 then x
  else form x y (ln (x / y)) (sqrt v).

Lemma gauss_is_delta epsilon mu : 0 < mu ->
  gauss 1 (exp epsilon) (mu ^ 2) = Phi (mu / 2 - epsilon / mu) - exp epsilon * Phi (- mu / 2 - epsilon / mu).
Proof.
  intros hmu. pose proof (exp_pos epsilon). unfold gauss.
  destruct (Rle_dec (mu ^ 2) 0); [nra|]. destruct (Rle_dec 1 0); [lra|]. destruct (Rle_dec (exp epsilon) 0); [lra|].
  unfold form. replace (ln (1 / exp epsilon)) with (- epsilon).
  2: { unfold Rdiv. rewrite Rmult_1_l, ln_Rinv, ln_exp by easy. ring. }
  rewrite (sqrt_pow2 mu) by lra. rewrite Rmult_1_l. f_equal; [|f_equal]; f_equal; field; lra.
Qed.

(** ** The form *)

Lemma Phi_Derive x : Derive Phi x = density x.
Proof. apply is_derive_unique, Phi_derive. Qed.

Lemma Phi_ex x : ex_derive Phi x.
Proof. eexists. apply Phi_derive. Qed.

Lemma key A B m s : 0 < s -> A = B * exp m -> A * density (m / s + s / 2) = B * density (m / s - s / 2).
Proof.
  intros hs ->. unfold density, bell, Rdiv. rewrite <- !Rmult_assoc. f_equal. rewrite Rmult_assoc, <- exp_plus.
  do 2 f_equal. field. lra.
Qed.

Lemma form_in_s A B m s : 0 < s -> A = B * exp m -> is_derive (fun s => form A B m s) s (B * density (m / s - s / 2)).
Proof.
  intros hs rel. pose proof (key A B m s hs rel) as same. unfold form. auto_derive.
  - repeat split; try apply Phi_ex; lra.
  - change (fun x : R => Phi x) with Phi. rewrite !Phi_Derive.
    replace (m * / s + s * / 2) with (m / s + s / 2) by (unfold Rdiv; ring).
    replace (m * / s + - (s * / 2)) with (m / s - s / 2) by (unfold Rdiv; ring).
    transitivity (A * density (m / s + s / 2) * (/ 2 - m / (s * s)) +
      B * density (m / s - s / 2) * (/ 2 + m / (s * s)));
      [field; lra|]. rewrite same. field. lra.
Qed.

Lemma form_rises A B m s t : 0 < s -> s <= t -> 0 <= B -> A = B * exp m -> form A B m s <= form A B m t.
Proof.
  intros hs order hB rel. apply (rises (fun s => form A B m s) (fun s => B * density (m / s - s / 2))); [easy| |].
  - intros r range. apply form_in_s; [lra|easy].
  - intros r _. pose proof (density_range (m / r - r / 2)). nra.
Qed.

Lemma form_at_most A B m s : 0 <= A -> 0 <= B -> form A B m s <= A.
Proof.
  intros hA hB. pose proof (Phi_range (m / s + s / 2)). pose proof (Phi_range (m / s - s / 2)). unfold form. nra.
Qed.

Lemma form_below A B m s : 0 < s -> 0 < B -> A = B * exp m -> form A B m s <= pos (A - B) + B * (peak * s).
Proof.
  intros hs hB rel. unfold form.
  pose proof (Phi_step (m / s - s / 2) s (Rlt_le _ _ hs)) as step.
  replace (m / s - s / 2 + s) with (m / s + s / 2) in step by lra.
  pose proof (Phi_range (m / s + s / 2)). pose proof (Phi_range (m / s - s / 2)).
  pose proof (pos_nonneg (A - B)). pose proof (pos_above (A - B)).
  destruct (Rle_or_lt A B); nra.
Qed.

Lemma form_nonneg_unit m s : 0 < s -> 0 <= form (exp m) 1 m s.
Proof.
  intros hs. destruct (Rle_or_lt 0 (form (exp m) 1 m s)) as [|neg]; [easy|exfalso].
  destruct (Phi_vanishes (- form (exp m) 1 m s) ltac:(lra)) as [b small].
  set (r := Rmin m (s * (b + s / 2))).
  assert (hr : r <= m /\ r / s - s / 2 <= b).
  { split; [apply Rmin_l|]. pose proof (Rmin_r m (s * (b + s / 2))) as low. fold r in low.
    assert (r / s * s = r) by (field; lra). nra. }
  assert (form (exp r) 1 r s <= form (exp m) 1 m s).
  { apply (rises (fun m => form (exp m) 1 m s) (fun m => exp m * Phi (m / s + s / 2))); [easy| |].
    - intros z _. pose proof (key (exp z) 1 z s hs ltac:(ring)) as same. unfold form. auto_derive.
      + repeat split; try apply Phi_ex; lra.
      + change (fun x : R => Phi x) with Phi. rewrite !Phi_Derive.
        replace (z * / s + s / 2) with (z / s + s / 2) by (unfold Rdiv; ring).
        replace (z * / s + - (s / 2)) with (z / s - s / 2) by (unfold Rdiv; ring).
        transitivity (exp z * Phi (z / s + s / 2) +
          (exp z * density (z / s + s / 2) - 1 * density (z / s - s / 2)) / s); [field; lra|]. rewrite same. field. lra.
    - intros z _. pose proof (exp_pos z). pose proof (Phi_range (z / s + s / 2)). nra. }
  specialize (small (r / s - s / 2) (proj2 hr)). unfold form at 1 in H.
  pose proof (exp_pos r). pose proof (Phi_range (r / s + s / 2)). nra.
Qed.

Lemma form_nonneg A B m s : 0 < s -> 0 < B -> A = B * exp m -> 0 <= form A B m s.
Proof.
  intros hs hB ->. pose proof (form_nonneg_unit m s hs) as unit. unfold form in *.
  assert (0 <= B * (exp m * Phi (m / s + s / 2) - 1 * Phi (m / s - s / 2))) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma form_mirror A B m s : form A B m s = A - B + form B A (- m) s.
Proof.
  unfold form. replace (- m / s + s / 2) with (- (m / s - s / 2)) by (unfold Rdiv; ring).
  replace (- m / s - s / 2) with (- (m / s + s / 2)) by (unfold Rdiv; ring). rewrite !Phi_opp. ring.
Qed.

Lemma form_above A B m s : 0 < s -> 0 < B -> A = B * exp m -> pos (A - B) <= form A B m s.
Proof.
  intros hs hB rel. pose proof (exp_pos m). apply pos_least; [now apply form_nonneg|].
  rewrite form_mirror. enough (0 <= form B A (- m) s) by lra. apply form_nonneg; [easy|nra|].
  rewrite rel, Rmult_assoc, <- exp_plus, Rplus_opp_r, exp_0. ring.
Qed.

(** ** The curve *)

Lemma ratio_exp x y : 0 < x -> 0 < y -> x = y * exp (ln (x / y)).
Proof. intros hx hy. rewrite exp_ln by (now apply Rdiv_lt_0_compat). field. lra. Qed.

Lemma gauss_above x y v : 0 <= x -> 0 <= y -> pos (x - y) <= gauss x y v.
Proof.
  intros hx hy. unfold gauss. destruct (Rle_dec v 0); [lra|].
  destruct (Rle_dec x 0); [apply pos_least; lra|]. destruct (Rle_dec y 0); [apply pos_least; lra|].
  apply form_above; [apply sqrt_lt_R0; lra|lra|apply ratio_exp; lra].
Qed.

Lemma gauss_below x y v : 0 <= x -> 0 <= y -> 0 <= v -> gauss x y v <= pos (x - y) + y * (peak * sqrt v).
Proof.
  intros hx hy hv. pose proof peak_pos. pose proof (sqrt_pos v). pose proof (pos_nonneg (x - y)).
  pose proof (pos_above (x - y)). assert (0 <= y * (peak * sqrt v)) by (apply Rmult_le_pos; nra).
  unfold gauss. destruct (Rle_dec v 0); [lra|].
  destruct (Rle_dec x 0); [lra|]. destruct (Rle_dec y 0); [lra|].
  apply form_below; [apply sqrt_lt_R0; lra|lra|apply ratio_exp; lra].
Qed.

Lemma gauss_at_most x y v : 0 <= x -> 0 <= y -> gauss x y v <= x.
Proof.
  intros hx hy. unfold gauss. destruct (Rle_dec v 0); [apply pos_least; lra|].
  destruct (Rle_dec x 0); [lra|]. destruct (Rle_dec y 0); [lra|]. apply form_at_most; lra.
Qed.

Lemma gauss_rises x y v w : 0 <= x -> 0 <= y -> 0 <= v -> v <= w -> gauss x y v <= gauss x y w.
Proof.
  intros hx hy hv order. destruct (Rle_dec v 0) as [none|some].
  - unfold gauss at 1. destruct (Rle_dec v 0); [|easy]. now apply gauss_above.
  - unfold gauss. destruct (Rle_dec v 0); [lra|]. destruct (Rle_dec w 0); [lra|].
    destruct (Rle_dec x 0); [lra|]. destruct (Rle_dec y 0); [lra|].
    apply form_rises; [apply sqrt_lt_R0; lra|now apply sqrt_le_1_alt|lra|apply ratio_exp; lra].
Qed.

(** ** The heat equation *)

Definition value (p q z w : R) : R := gauss (p * exp (z / 2)) (q * exp (- z / 2)) w.

Definition slope (p q z w : R) : R :=
  if Rle_dec p 0 then 0 else if Rle_dec q 0 then p * exp (z / 2) / 2
  else (p * exp (z / 2) * Phi ((z + ln (p / q)) / sqrt w + sqrt w / 2) +
        q * exp (- z / 2) * Phi ((z + ln (p / q)) / sqrt w - sqrt w / 2)) / 2.

Definition flow (p q z w : R) : R :=
  if Rle_dec p 0 then 0 else if Rle_dec q 0 then 0
  else q * exp (- z / 2) * density ((z + ln (p / q)) / sqrt w - sqrt w / 2) / (2 * sqrt w).

Lemma value_none q z w : 0 <= q -> value 0 q z w = 0.
Proof.
  intros hq. unfold value. rewrite Rmult_0_l. pose proof (exp_pos (- z / 2)).
  pose proof (gauss_at_most 0 (q * exp (- z / 2)) w ltac:(lra) ltac:(nra)).
  pose proof (gauss_above 0 (q * exp (- z / 2)) w ltac:(lra) ltac:(nra)).
  pose proof (pos_nonneg (0 - q * exp (- z / 2))). lra.
Qed.

Lemma value_all p z w : 0 <= p -> value p 0 z w = p * exp (z / 2).
Proof.
  intros hp. unfold value. rewrite Rmult_0_l. pose proof (exp_pos (z / 2)).
  pose proof (gauss_at_most (p * exp (z / 2)) 0 w ltac:(nra) ltac:(lra)).
  pose proof (gauss_above (p * exp (z / 2)) 0 w ltac:(nra) ltac:(lra)).
  pose proof (pos_above (p * exp (z / 2) - 0)). lra.
Qed.

Lemma value_form p q z w : 0 < p -> 0 < q -> 0 < w ->
  value p q z w = form (p * exp (z / 2)) (q * exp (- z / 2)) (z + ln (p / q)) (sqrt w).
Proof.
  intros hp hq hw. unfold value, gauss. pose proof (exp_pos (z / 2)). pose proof (exp_pos (- z / 2)).
  destruct (Rle_dec w 0); [lra|]. destruct (Rle_dec (p * exp (z / 2)) 0); [nra|].
  destruct (Rle_dec (q * exp (- z / 2)) 0); [nra|]. f_equal.
  assert (0 < p / q) by now apply Rdiv_lt_0_compat.
  rewrite <- (ln_exp z) at 3. rewrite <- ln_mult by (apply exp_pos || easy). f_equal.
  replace (- z / 2) with (- (z / 2)) by field. rewrite exp_Ropp.
  replace (exp z) with (exp (z / 2) * exp (z / 2)) by (rewrite <- exp_plus; f_equal; field). field. lra.
Qed.

Lemma related p q z : 0 < p -> 0 < q -> p * exp (z / 2) = q * exp (- z / 2) * exp (z + ln (p / q)).
Proof.
  intros hp hq. rewrite exp_plus, exp_ln by (now apply Rdiv_lt_0_compat).
  replace (exp z) with (exp (z / 2) * exp (z / 2)) by (rewrite <- exp_plus; f_equal; field).
  replace (- z / 2) with (- (z / 2)) by field. rewrite exp_Ropp. pose proof (exp_pos (z / 2)). field. lra.
Qed.

Lemma value_in_z p q z w : 0 <= p -> 0 <= q -> 0 < w -> is_derive (fun z => value p q z w) z (slope p q z w).
Proof.
  intros [hp|<-] hq hw; unfold slope.
  2: { destruct (Rle_dec 0 0); [|lra]. apply (is_derive_ext (fun _ => 0)); [intros; symmetry; now apply value_none|].
       apply @is_derive_const. }
  destruct (Rle_dec p 0); [lra|]. destruct hq as [hq|<-].
  2: { destruct (Rle_dec 0 0); [|lra].
       apply (is_derive_ext (fun z => p * exp (z / 2))); [intros; symmetry; apply value_all; lra|].
       auto_derive; [easy|unfold Rdiv; ring]. }
  destruct (Rle_dec q 0); [lra|].
  apply (is_derive_ext (fun z => form (p * exp (z / 2)) (q * exp (- z / 2)) (z + ln (p / q)) (sqrt w))).
  { intros; symmetry; now apply value_form. }
  assert (hs : 0 < sqrt w) by now apply sqrt_lt_R0. set (s := sqrt w) in *. set (m := ln (p / q)).
  pose proof (key _ _ _ s hs (related p q z hp hq)) as same. fold m in same.
  unfold form. auto_derive; [repeat split; try apply Phi_ex; lra|].
  change (fun x : R => Phi x) with Phi. rewrite !Phi_Derive.
  replace ((z + m) * / s + s / 2) with ((z + m) / s + s / 2) by (unfold Rdiv; ring).
  replace ((z + m) * / s + - (s / 2)) with ((z + m) / s - s / 2) by (unfold Rdiv; ring).
  replace (z * / 2) with (z / 2) by reflexivity. replace (- z * / 2) with (- z / 2) by reflexivity.
  transitivity ((p * exp (z / 2) * Phi ((z + m) / s + s / 2) + q * exp (- z / 2) * Phi ((z + m) / s - s / 2)) / 2 +
    (p * exp (z / 2) * density ((z + m) / s + s / 2) - q * exp (- z / 2) * density ((z + m) / s - s / 2)) / s);
    [field; lra|]. rewrite same. field. lra.
Qed.

Lemma slope_in_z p q z w : 0 <= p -> 0 <= q -> 0 < w ->
  is_derive (fun z => slope p q z w) z (value p q z w / 4 + 2 * flow p q z w).
Proof.
  intros hp hq hw. unfold slope, flow.
  destruct (Rle_dec p 0).
  { assert (p = 0) as -> by lra. rewrite value_none by easy. replace (0 / 4 + 2 * 0) with 0 by field.
    apply @is_derive_const. }
  destruct (Rle_dec q 0).
  { assert (q = 0) as -> by lra. rewrite value_all by easy. auto_derive; [easy|]. change (z * / 2) with (z / 2).
    field. }
  rewrite value_form by lra.
  assert (hs : 0 < sqrt w) by now apply sqrt_lt_R0. set (s := sqrt w) in *. set (m := ln (p / q)).
  pose proof (key _ _ _ s hs (related p q z ltac:(lra) ltac:(lra))) as same. fold m in same.
  unfold form. auto_derive; [repeat split; try apply Phi_ex; lra|].
  change (fun x : R => Phi x) with Phi. rewrite !Phi_Derive.
  replace ((z + m) * / s + s / 2) with ((z + m) / s + s / 2) by (unfold Rdiv; ring).
  replace ((z + m) * / s + - (s / 2)) with ((z + m) / s - s / 2) by (unfold Rdiv; ring).
  replace (z * / 2) with (z / 2) by reflexivity. replace (- z * / 2) with (- z / 2) by reflexivity.
  transitivity ((p * exp (z / 2) * Phi ((z + m) / s + s / 2) - q * exp (- z / 2) * Phi ((z + m) / s - s / 2)) / 4 +
    (p * exp (z / 2) * density ((z + m) / s + s / 2) + q * exp (- z / 2) * density ((z + m) / s - s / 2)) / (2 * s));
    [field; lra|]. rewrite same. field. lra.
Qed.

Lemma value_in_w p q z w : 0 <= p -> 0 <= q -> 0 < w -> is_derive (fun w => value p q z w) w (flow p q z w).
Proof.
  intros hp hq hw. unfold flow.
  destruct (Rle_dec p 0).
  { assert (p = 0) as -> by lra. apply (is_derive_ext (fun _ => 0)); [intros; symmetry; now apply value_none|].
    apply @is_derive_const. }
  destruct (Rle_dec q 0).
  { assert (q = 0) as -> by lra.
    apply (is_derive_ext (fun _ => p * exp (z / 2))); [intros; symmetry; now apply value_all|].
    apply @is_derive_const. }
  apply (is_derive_ext_loc (fun w => form (p * exp (z / 2)) (q * exp (- z / 2)) (z + ln (p / q)) (sqrt w))).
  { apply (locally_interval _ w 0 p_infty); [easy|easy|]. intros u hu _. symmetry. apply value_form; try lra.
    exact hu. }
  assert (hs : 0 < sqrt w) by now apply sqrt_lt_R0.
  evar_last.
  - apply (is_derive_comp (fun s => form (p * exp (z / 2)) (q * exp (- z / 2)) (z + ln (p / q)) s) sqrt).
    + apply form_in_s; [easy|apply related; lra].
    + apply (is_derive_sqrt (fun w => w) w 1); [apply @is_derive_id|easy].
  - unfold scal; cbn. unfold mult; cbn. field. lra.
Qed.

Lemma flow_range p q z w M w0 : 0 <= p -> 0 <= q -> 0 < w0 -> w0 <= w -> - M <= z <= M ->
  0 <= flow p q z w <= q * (exp (M / 2) * peak / (2 * sqrt w0)).
Proof.
  intros hp hq h0 later range. pose proof peak_pos as hpeak. pose proof (exp_pos (M / 2)) as hM.
  assert (hs0 : 0 < sqrt w0) by now apply sqrt_lt_R0. assert (hs : sqrt w0 <= sqrt w) by now apply sqrt_le_1_alt.
  assert (0 <= q * (exp (M / 2) * peak / (2 * sqrt w0))).
  { apply Rmult_le_pos; [easy|]. apply Rlt_le, Rdiv_lt_0_compat; nra. }
  unfold flow. destruct (Rle_dec p 0); [lra|]. destruct (Rle_dec q 0); [lra|].
  pose proof (density_range ((z + ln (p / q)) / sqrt w - sqrt w / 2)) as [d1 d2].
  set (d := density _) in *. pose proof (exp_pos (- z / 2)) as hz.
  assert (exp (- z / 2) <= exp (M / 2)) by (apply exp_le; lra).
  split.
  - apply Rmult_le_pos; [apply Rmult_le_pos; [apply Rmult_le_pos|]; lra|]. left. apply Rinv_0_lt_compat. lra.
  - unfold Rdiv. rewrite !Rmult_assoc. apply Rmult_le_compat_l; [easy|].
    apply Rmult_le_compat; [lra| |easy|].
    + apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. lra.
    + apply Rmult_le_compat; [lra| |easy|].
      * left. apply Rinv_0_lt_compat. lra.
      * apply Rinv_le_contravar; lra.
Qed.
