(** Exponents k >= 0 mixed by the density of |N(0, 1/H)|: the integral over them, up to K, of e^{k L - k (k + 1) V}.

    - [mixed_at_start]: it is at most 1 where L = V = 0;
    - [mixed_falls]: what does not rise at any exponent does not rise when they are mixed;
    - [mixed_reaches]: with S = 2 V it is at least 1/delta, for K large, once L - S/2 is above
      sqrt(2 (S + H) (log(1/delta) + log(S/H + 1)/2)). *)

From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Filterproof Require Import Sums GaussianCdf.
Open Scope R_scope.

Definition half_normal (H k : R) : R := 2 * sqrt H * density (sqrt H * k).

Definition tilt (H L V k : R) : R := half_normal H k * exp (k * L - k * (k + 1) * V).

Definition mixed (H K L V : R) : R := RInt (tilt H L V) 0 K.

Lemma half_normal_nonneg H k : 0 <= half_normal H k.
Proof.
  unfold half_normal. pose proof (sqrt_pos H). pose proof (density_range (sqrt H * k)).
  apply Rmult_le_pos; lra.
Qed.

Lemma density_ex_derive x : ex_derive density x.
Proof. unfold density, bell. auto_derive. pose proof half_area_pos. lra. Qed.

Lemma tilt_continuous H L V k : continuous (tilt H L V) k.
Proof.
  apply (ex_derive_continuous (tilt H L V)). unfold tilt, half_normal. auto_derive. apply density_ex_derive.
Qed.

Lemma tilt_integrable H L V a b : ex_RInt (tilt H L V) a b.
Proof. apply (ex_RInt_continuous (tilt H L V)). intros; apply tilt_continuous. Qed.

Lemma mixed_nonneg H K L V : 0 <= K -> 0 <= mixed H K L V.
Proof.
  intros hK. apply RInt_ge_0; [easy|apply tilt_integrable|]. intros k _.
  apply Rmult_le_pos; [apply half_normal_nonneg|left; apply exp_pos].
Qed.

(** The square completed: with A = 2 V + H and Y = L - V, the integrand is a bell around Y / A. *)
Lemma tilt_completed H L V k : 0 < H -> 0 <= V -> let A := 2 * V + H in let Y := L - V in
  tilt H L V k = 2 * sqrt H * exp (Y ^ 2 / (2 * A)) / sqrt A * (sqrt A * density (sqrt A * (k - Y / A))).
Proof.
  intros hH hV A Y. assert (0 < A) by (unfold A; lra). pose proof (sqrt_lt_R0 A ltac:(easy)).
  pose proof half_area_pos. unfold tilt, half_normal, density, bell.
  replace (2 * sqrt H * exp (Y ^ 2 / (2 * A)) / sqrt A *
    (sqrt A * (exp (- (sqrt A * (k - Y / A) * (sqrt A * (k - Y / A))) / 2) / (2 * half_area))))
    with (2 * sqrt H / (2 * half_area) *
      (exp (Y ^ 2 / (2 * A)) * exp (- (sqrt A * (k - Y / A) * (sqrt A * (k - Y / A))) / 2))) by (field; lra).
  replace (2 * sqrt H * (exp (- (sqrt H * k * (sqrt H * k)) / 2) / (2 * half_area)) *
    exp (k * L - k * (k + 1) * V))
    with (2 * sqrt H / (2 * half_area) *
      (exp (- (sqrt H * k * (sqrt H * k)) / 2) * exp (k * L - k * (k + 1) * V))) by (field; lra).
  f_equal. rewrite <- !exp_plus. f_equal.
  replace (sqrt H * k * (sqrt H * k)) with (sqrt H * sqrt H * k ^ 2) by ring.
  replace (sqrt A * (k - Y / A) * (sqrt A * (k - Y / A))) with (sqrt A * sqrt A * (k - Y / A) ^ 2) by ring.
  rewrite !sqrt_sqrt by lra. unfold Y, A. field. fold A. lra.
Qed.

Lemma mixed_closed H K L V : 0 < H -> 0 <= V -> let A := 2 * V + H in let Y := L - V in
  mixed H K L V = 2 * sqrt H * exp (Y ^ 2 / (2 * A)) / sqrt A *
    (Phi (sqrt A * (K - Y / A)) - Phi (sqrt A * (0 - Y / A))).
Proof.
  intros hH hV A Y. set (c := 2 * sqrt H * exp (Y ^ 2 / (2 * A)) / sqrt A).
  assert (is_RInt (fun k => c * (sqrt A * density (sqrt A * (k - Y / A)))) 0 K
    (c * (Phi (sqrt A * (K - Y / A)) - Phi (sqrt A * (0 - Y / A))))) as closed.
  { apply (is_RInt_scal (fun k => sqrt A * density (sqrt A * (k - Y / A))) 0 K c).
    apply (is_RInt_derive (fun k => Phi (sqrt A * (k - Y / A)))).
    - intros k _. auto_derive; [eexists; apply Phi_derive|]. rewrite (is_derive_unique Phi _ _ (Phi_derive _)).
      unfold Rminus. ring.
    - intros k _. apply (ex_derive_continuous (fun k => sqrt A * density (sqrt A * (k - Y / A)))). auto_derive.
      apply density_ex_derive. }
  rewrite <- (is_RInt_unique _ _ _ _ closed). apply RInt_ext. intros k _. now apply tilt_completed.
Qed.

Lemma mixed_at_start H K : 0 < H -> mixed H K 0 0 <= 1.
Proof.
  intros hH. rewrite mixed_closed by lra. cbv zeta. replace (2 * 0 + H) with H by ring. pose proof (sqrt_lt_R0 H hH).
  replace ((0 - 0) ^ 2 / (2 * H)) with 0 by (field; lra). replace (0 - (0 - 0) / H) with 0 by (field; lra).
  rewrite exp_0, Rmult_0_r. unfold Phi at 2. rewrite area_zero.
  pose proof (Phi_range (sqrt H * (K - (0 - 0) / H))). unfold Rdiv at 1.
  replace (2 * sqrt H * 1 * / sqrt H) with 2 by (field; lra). lra.
Qed.

(** ** Rounds *)

Lemma sum_of_integrals n (c : nat -> R) (f : nat -> R -> R) K : (forall i, ex_RInt (f i) 0 K) ->
  is_RInt (fun k => sum n (fun i => c i * f i k)) 0 K (sum n (fun i => c i * RInt (f i) 0 K)).
Proof.
  intros fine. induction n as [|n IH]; cbn [sum].
  - replace 0 with (scal (K - 0) 0) at 2 by (unfold scal; cbn; unfold mult; cbn; ring). apply (is_RInt_const 0 K 0).
  - apply (is_RInt_plus (fun k => sum n (fun i => c i * f i k)) (fun k => c n * f n k)); [exact IH|].
    apply (is_RInt_scal (f n)). apply (RInt_correct (f n)), fine.
Qed.

Lemma mixed_falls H K n (c L : nat -> R) V c0 L0 V0 : 0 <= K ->
  (forall k, 0 < k -> sum n (fun i => c i * exp (k * L i - k * (k + 1) * V)) <=
    c0 * exp (k * L0 - k * (k + 1) * V0)) ->
  sum n (fun i => c i * mixed H K (L i) V) <= c0 * mixed H K L0 V0.
Proof.
  intros hK each. pose proof (sum_of_integrals n c (fun i => tilt H (L i) V) K (fun i => tilt_integrable _ _ _ _ _))
    as all.
  apply (is_RInt_le (fun k => sum n (fun i => c i * tilt H (L i) V k)) (fun k => c0 * tilt H L0 V0 k) 0 K);
    [easy|exact all| |].
  - apply (is_RInt_scal (tilt H L0 V0)). apply (RInt_correct (tilt H L0 V0)), tilt_integrable.
  - intros k [hk _]. unfold tilt. rewrite (sum_ext _ _ (fun i => half_normal H k * (c i * exp (k * L i - k * (k + 1) *
    V))))
      by (intros; ring).
    rewrite sum_scale. specialize (each k hk). apply (Rmult_le_compat_l _ _ _ (half_normal_nonneg H k)) in each. lra.
Qed.

(** ** The bound of the mixture *)

Definition mixture_bound (H delta V : R) : R :=
  V + sqrt (2 * (2 * V + H) * (ln (1 / delta) + ln (2 * V / H + 1) / 2)).

Lemma Phi_far e : 0 < e -> exists b, forall x, b <= x -> 1 - e < Phi x.
Proof.
  intros he. destruct (Phi_vanishes e he) as [b far]. exists (- b). intros x large.
  specialize (far (- x) ltac:(lra)). rewrite Phi_opp in far. lra.
Qed.

(** Claim: Where the loss L is above the bound of the mixture at V, the integral of e^(k L - k (k+1) V) by the
    density of |N(0, 1/H)| over k from 0 to K is at least 1/delta from some K on. *)
Lemma mixed_reaches H delta L V : 0 < H -> 0 < delta < 1 -> 0 <= V -> mixture_bound H delta V < L ->
  exists N, forall K, (N <= K)%nat -> / delta <= mixed H (INR K) L V.
Proof.
  intros hH [hd small] hV past. unfold mixture_bound in past. set (A := 2 * V + H) in *. set (Y := L - V).
  assert (0 < A) as hA by (unfold A; lra). pose proof (sqrt_lt_R0 A hA) as rA. pose proof (sqrt_lt_R0 H hH) as rH.
  assert (1 <= A / H) as wide by (apply (Rmult_le_reg_r H); [easy|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l;
    unfold A; lra).
  assert (2 * V / H + 1 = A / H) as ratio by (unfold A; field; lra). rewrite ratio in past.
  assert (0 < ln (1 / delta)) as hl.
  { rewrite <- ln_1. apply ln_increasing; [lra|]. unfold Rdiv. rewrite Rmult_1_l, <- Rinv_1.
    apply Rinv_lt_contravar; lra. }
  assert (0 <= ln (A / H)) as hr by (rewrite <- ln_1; destruct wide as [more| <-]; [left; apply ln_increasing;
    lra|lra]).
  set (square := 2 * A * (ln (1 / delta) + ln (A / H) / 2)) in *.
  assert (0 < square) as hs by (apply Rmult_lt_0_compat; lra). pose proof (sqrt_lt_R0 square hs).
  assert (0 < Y) as hY by (unfold Y; lra).
  assert (square <= Y ^ 2) as squares.
  { rewrite <- (sqrt_sqrt square) by lra. unfold Y in *. cbn. rewrite Rmult_1_r. apply Rmult_le_compat; lra. }
  assert (/ delta * sqrt (A / H) <= exp (Y ^ 2 / (2 * A))) as reached.
  { assert (0 < / delta) as hi by now apply Rinv_0_lt_compat.
    rewrite <- (exp_ln (/ delta)), <- (exp_ln (sqrt (A / H))) by (try apply sqrt_lt_R0; lra).
    rewrite <- exp_plus. apply exp_le. apply (Rmult_le_reg_r (2 * A)); [lra|].
    replace (Y ^ 2 / (2 * A) * (2 * A)) with (Y ^ 2) by (field; lra).
    eapply Rle_trans; [|exact squares]. right. unfold square.
    replace (ln (A / H)) with (2 * ln (sqrt (A / H))).
    - unfold Rdiv at 2. rewrite Rmult_1_l. field.
    - replace (ln (A / H)) with (ln (sqrt (A / H) * sqrt (A / H))) by (rewrite sqrt_sqrt; lra).
      rewrite ln_mult by (apply sqrt_lt_R0; lra). ring. }
  set (low := Phi (sqrt A * (0 - Y / A))).
  assert (low < 1 / 2) as below.
  { unfold low. set (z := sqrt A * (0 - Y / A)).
    assert (z < 0).
    { unfold z. assert (0 < Y / A) by now apply Rdiv_lt_0_compat. nra. }
    destruct (MVT_cor2 Phi density z 0 ltac:(easy)) as (c & mean & _).
    - intros c _. apply is_derive_Reals, Phi_derive.
    - pose proof (density_range c). unfold Phi at 1 in mean. rewrite area_zero in mean. nra. }
  destruct (Phi_far (1 / 2 - low) ltac:(lra)) as [far all].
  destruct (nfloor_ex (Rmax 0 (far / sqrt A + Y / A)) (Rmax_l _ _)) as [N [_ above]].
  pose proof (Rmax_r 0 (far / sqrt A + Y / A)). exists (S N). intros n later. apply le_INR in later.
  rewrite S_INR in later. set (K := INR n) in *. assert (far / sqrt A + Y / A <= K) as large by lra.
  rewrite mixed_closed by easy. cbv zeta. fold A. fold Y. fold low.
  specialize (all (sqrt A * (K - Y / A))).
  assert (far <= sqrt A * (K - Y / A)) as out.
  { replace far with (sqrt A * (far / sqrt A)) by (field; lra). apply Rmult_le_compat_l; lra. }
  specialize (all out). rewrite sqrt_div in reached by lra.
  assert (/ delta * (sqrt A / sqrt H) * (2 * sqrt H / sqrt A) * (1 / 2) = / delta) as unit by (field; lra).
  rewrite <- unit. assert (0 < 2 * sqrt H / sqrt A) as positive by (apply Rdiv_lt_0_compat; lra).
  replace (2 * sqrt H * exp (Y ^ 2 / (2 * A)) / sqrt A) with (exp (Y ^ 2 / (2 * A)) * (2 * sqrt H / sqrt A))
    by (field; lra).
  assert (0 < / delta * (sqrt A / sqrt H)) by (apply Rmult_lt_0_compat;
    [now apply Rinv_0_lt_compat|now apply Rdiv_lt_0_compat]).
  apply Rmult_le_compat; [apply Rmult_le_pos; lra|lra| |lra].
  apply Rmult_le_compat_r; [lra|easy].
Qed.
