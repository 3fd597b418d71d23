(** The standard normal distribution function, from its density: the integral of e^{-t^2/2}, normalised. *)

From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

Definition bell (t : R) : R := exp (- (t * t) / 2).

(** The integral of e^{-t^2/2} from 0 to x. *)
Definition area (x : R) : R := RInt bell 0 x.

(** The integral over the positive half line, the limit of [area]; it is sqrt(pi / 2), which nothing here needs. *)
Definition half_area : R := real (Lim_seq (fun n => area (INR n))).

Definition density (x : R) : R := bell x / (2 * half_area).

(** Phi(x) = 1/2 + the integral of the density from 0 to x. *)
Definition Phi (x : R) : R := 1 / 2 + area x / (2 * half_area).

Lemma bell_pos t : 0 < bell t. Proof. apply exp_pos. Qed.

Lemma bell_at_most_one t : bell t <= 1.
Proof.
  unfold bell. rewrite <- exp_0. assert (- (t * t) / 2 <= 0) as [low| ->] by nra; [left; now apply exp_increasing|lra].
Qed.

Lemma bell_even t : bell (- t) = bell t.
Proof. unfold bell. f_equal. field. Qed.

Lemma bell_continuous t : continuous bell t.
Proof. apply (ex_derive_continuous bell). unfold bell. auto_derive. easy. Qed.

Lemma area_derive x : is_derive area x (bell x).
Proof.
  apply (is_derive_RInt bell area 0 x); [|apply bell_continuous].
  exists (mkposreal 1 Rlt_0_1). intros b _. apply (RInt_correct bell 0 b).
  apply (ex_RInt_continuous bell). intros; apply bell_continuous.
Qed.

Lemma area_Derive x : Derive area x = bell x.
Proof. apply is_derive_unique, area_derive. Qed.

Lemma area_zero : area 0 = 0.
Proof. unfold area. now rewrite RInt_point. Qed.

(** A function whose derivative is not negative does not fall. *)
Lemma rises (f f' : R -> R) a b : a <= b -> (forall x, a <= x <= b -> is_derive f x (f' x)) ->
  (forall x, a <= x <= b -> 0 <= f' x) -> f a <= f b.
Proof.
  intros [less| ->] derivative nonneg; [|lra].
  destruct (MVT_cor2 f f' a b less) as (c & mean & inside).
  - intros c range. apply is_derive_Reals. now apply derivative.
  - specialize (nonneg c ltac:(lra)). nra.
Qed.

Lemma area_rises a b : a <= b -> area a <= area b.
Proof. intros order. apply (rises area bell); [easy|intros; apply area_derive|intros; left; apply bell_pos]. Qed.

Lemma area_odd x : area (- x) = - area x.
Proof.
  assert (deriv : forall u, is_derive (fun u => area u + area (- u)) u 0).
  { intros u. auto_derive.
    - repeat split; eexists; apply area_derive.
    - change (fun x0 : R => area x0) with area. rewrite !area_Derive, bell_even. ring. }
  assert (flat : forall a b, a <= b -> area a + area (- a) = area b + area (- b)).
  { intros a b order. apply Rle_antisym.
    - apply (rises (fun u => area u + area (- u)) (fun _ => 0)); [easy|intros; apply deriv|intros; lra].
    - enough (- (area a + area (- a)) <= - (area b + area (- b))) by lra.
      apply (rises (fun u => - (area u + area (- u))) (fun _ => 0)); [easy| |intros; lra].
      intros u _. replace 0 with (- 0) by ring. apply (is_derive_opp (fun u => area u + area (- u))), deriv. }
  destruct (Rle_or_lt x 0) as [order|order].
  - specialize (flat x 0 order). rewrite Ropp_0, area_zero in flat. lra.
  - specialize (flat 0 x (Rlt_le _ _ order)). rewrite Ropp_0, area_zero in flat. lra.
Qed.

(** e^{-t^2/2} <= e e^{-t}, so the half area is finite. *)
Lemma area_bounded x : area x <= exp 1.
Proof.
  destruct (Rle_or_lt x 0) as [neg|above].
  - pose proof (area_rises x 0 neg). rewrite area_zero in *. pose proof (exp_pos 1). lra.
  - enough (area x - area 0 <= exp 1 * (exp (- 0) - exp (- x))).
    { rewrite area_zero, Ropp_0, exp_0 in *. pose proof (exp_pos 1). pose proof (exp_pos (- x)). nra. }
    enough (exp 1 * - exp (- 0) - area 0 <= exp 1 * - exp (- x) - area x) by lra.
    apply (rises (fun u => exp 1 * - exp (- u) - area u) (fun u => exp 1 * exp (- u) - bell u)); [lra| |].
    + intros u _. apply (is_derive_minus (fun u => exp 1 * - exp (- u)) area); [|apply area_derive].
      auto_derive; [easy|ring].
    + intros u _. rewrite <- exp_plus. unfold bell.
      assert (- (u * u) / 2 <= 1 + - u) as [low| ->] by nra; [left|lra].
      apply exp_increasing in low. lra.
Qed.

Lemma half_area_limit : is_lim_seq (fun n => area (INR n)) half_area.
Proof.
  unfold half_area.
  assert (ex_finite_lim_seq (fun n => area (INR n))) as fin.
  { apply (ex_finite_lim_seq_incr _ (exp 1)); intros n; [|apply area_bounded].
    apply area_rises. apply le_INR. lia. }
  now apply Lim_seq_correct'.
Qed.

Lemma area_below x : area x <= half_area.
Proof.
  destruct (nfloor_ex (Rmax 0 x) (Rmax_l 0 x)) as [n [_ above]].
  pose proof (Rmax_r 0 x).
  apply (is_lim_seq_le_loc (fun _ => area x) (fun n => area (INR n)) (area x) half_area);
    [|apply is_lim_seq_const|apply half_area_limit].
  exists (S n). intros k larger. apply area_rises. apply Rle_trans with (INR (S n)); [rewrite S_INR; lra|].
  now apply le_INR.
Qed.

Lemma half_area_pos : 0 < half_area.
Proof.
  apply Rlt_le_trans with (area 1); [|apply area_below].
  destruct (MVT_cor2 area bell 0 1 Rlt_0_1) as (c & mean & _).
  - intros c _. apply is_derive_Reals, area_derive.
  - rewrite area_zero in mean. pose proof (bell_pos c). lra.
Qed.

Definition peak : R := / (2 * half_area).

Lemma peak_pos : 0 < peak.
Proof. pose proof half_area_pos. apply Rinv_0_lt_compat. lra. Qed.

Lemma density_range x : 0 < density x <= peak.
Proof.
  pose proof peak_pos. pose proof (bell_pos x). pose proof (bell_at_most_one x).
  unfold density, Rdiv. fold peak. split; nra.
Qed.

Lemma Phi_derive x : is_derive Phi x (density x).
Proof.
  unfold Phi, density. evar_last.
  - apply (is_derive_plus (fun _ => 1 / 2) (fun x => area x / (2 * half_area))); [apply @is_derive_const|].
    apply (is_derive_scal_l area x (bell x) (/ (2 * half_area))). apply area_derive.
  - unfold plus, zero, scal; cbn. unfold mult; cbn. unfold Rdiv. ring.
Qed.

Lemma Phi_opp x : Phi (- x) = 1 - Phi x.
Proof. unfold Phi. rewrite area_odd. pose proof half_area_pos. field. lra. Qed.

Lemma Phi_range x : 0 <= Phi x <= 1.
Proof.
  pose proof half_area_pos as positive. pose proof (area_below x). pose proof (area_below (- x)) as other.
  rewrite area_odd in other. unfold Phi.
  assert (area x / (2 * half_area) * (2 * half_area) = area x) by (field; lra). split; nra.
Qed.

Lemma Phi_rises a b : a <= b -> Phi a <= Phi b.
Proof. intros order. apply (rises Phi density); [easy|intros; apply Phi_derive|intros u _; left; apply density_range].
Qed.

(** Phi tends to 0 on the left. *)
Lemma Phi_vanishes e : 0 < e -> exists b, forall x, x <= b -> Phi x < e.
Proof.
  intros he. pose proof half_area_pos as positive.
  destruct (proj1 (is_lim_seq_Reals _ _) half_area_limit (e * half_area) ltac:(nra)) as [n near].
  specialize (near n (le_n n)). unfold R_dist in near. apply Rabs_def2 in near as [_ near].
  exists (- INR n). intros x below. apply Rle_lt_trans with (Phi (- INR n)); [now apply Phi_rises|].
  unfold Phi. rewrite area_odd.
  assert (same : area (INR n) / (2 * half_area) * (2 * half_area) = area (INR n)) by (field; lra).
  replace (- area (INR n) / (2 * half_area)) with (- (area (INR n) / (2 * half_area))) by (field; lra). nra.
Qed.

(** Over a step h > 0 the function rises by at most peak h. *)
Lemma Phi_step x h : 0 <= h -> Phi (x + h) - Phi x <= peak * h.
Proof.
  intros hh.
  enough (peak * x - Phi x <= peak * (x + h) - Phi (x + h)) by lra.
  apply (rises (fun u => peak * u - Phi u) (fun u => peak - density u)); [lra| |].
  - intros u _. apply (is_derive_minus (fun u => peak * u) Phi); [|apply Phi_derive].
    auto_derive; [easy|ring].
  - intros u _. pose proof (density_range u). lra.
Qed.
