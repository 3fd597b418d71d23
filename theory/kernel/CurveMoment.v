(** From hockey-sticks to Renyi divergences: a bound at every epsilon is one at every order (the step of Blackwell's
    theorem that paper 003, Section 5, takes; here by comparing derivatives in epsilon).

    - [gauss_moment]: a pair that lies below N(sqrt v, 1) against N(0, 1) at every epsilon has D_a <= a v / 2 for a > 1;
    - [dominated_moment]: a pair that lies below another one at every epsilon has no larger D_a. *)

From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Filterproof Require Import GaussianCdf GaussianCurve GaussianRound.
From Filterproof Require Import Sums Interaction Divergences Domination.
Open Scope R_scope.

(** ** One outcome: an antiderivative of a (a - 1) e^{(a - 1) t} (p - e^t q)_+ that ends at p^a q^{1 - a} *)

Definition piece (a p q t : R) : R :=
  if Rle_dec p (q * exp t) then term a p q else a * p * exp ((a - 1) * t) - (a - 1) * q * exp (a * t).

Lemma glued (f g h : R -> R) (t l : R) : is_derive f t l -> is_derive g t l -> f t = g t ->
  (forall u, h u = f u \/ h u = g u) ->
  is_derive h t l.
Proof.
  intros df dg same either. apply is_derive_Reals. apply is_derive_Reals in df. apply is_derive_Reals in dg.
  intros e he. destruct (df e he) as [d1 near1]. destruct (dg e he) as [d2 near2].
  assert (least : 0 < Rmin d1 d2) by (apply Rmin_glb_lt; apply cond_pos).
  exists (mkposreal _ least). intros k some small. cbn in small.
  pose proof (Rmin_l d1 d2). pose proof (Rmin_r d1 d2).
  assert (h t = f t) as -> by (destruct (either t); congruence).
  destruct (either (t + k)) as [->| ->]; [|rewrite same]; [apply near1|apply near2]; easy || lra.
Qed.

Lemma term_ratio a p q : 0 < p -> 0 < q -> term a p q = p * exp ((a - 1) * (ln p - ln q)).
Proof.
  intros hp hq. unfold term, power. destruct (Rle_dec p 0); [lra|]. unfold Rpower.
  rewrite <- (exp_ln p hp) at 2. rewrite <- !exp_plus. f_equal. ring.
Qed.

Lemma exp_split a t : exp (a * t) = exp ((a - 1) * t) * exp t.
Proof. rewrite <- exp_plus. f_equal. ring. Qed.

Lemma piece_derive (a p q t : R) : 0 <= p -> 0 <= q -> (q = 0 -> p = 0) ->
  is_derive (piece a p q) t (a * (a - 1) * exp ((a - 1) * t) * pos (p - exp t * q)).
Proof.
  intros hp hq cont. pose proof (exp_pos t) as ht.
  assert (smooth : is_derive (fun t => a * p * exp ((a - 1) * t) - (a - 1) * q * exp (a * t)) t
    (a * (a - 1) * exp ((a - 1) * t) * (p - exp t * q))).
  { auto_derive; [easy|]. rewrite (exp_split a). ring. }
  assert (flat : is_derive (fun _ : R => term a p q) t 0) by apply @is_derive_const.
  destruct (Rtotal_order p (q * exp t)) as [less|[kink|more]].
  - replace (pos (p - exp t * q)) with 0 by (unfold pos; rewrite Rmax_left; lra). rewrite Rmult_0_r.
    apply (is_derive_ext_loc (fun _ => term a p q)); [|easy].
    assert (hq' : 0 < q) by nra.
    destruct hp as [hp|<-].
    + apply (locally_interval _ t (ln (p / q)) p_infty); [|easy|].
      * apply exp_lt_inv. rewrite exp_ln by (now apply Rdiv_lt_0_compat).
        apply Rmult_lt_reg_r with q; [easy|]. replace (p / q * q) with p by (field; lra). lra.
      * intros u above _. unfold piece. destruct (Rle_dec p (q * exp u)) as [|no]; [easy|destruct no].
        apply exp_increasing in above. rewrite exp_ln in above by (now apply Rdiv_lt_0_compat).
        replace p with (q * (p / q)) by (field; lra). nra.
    + apply filter_forall. intros u. unfold piece. pose proof (exp_pos u).
      destruct (Rle_dec 0 (q * exp u)) as [|no]; [easy|destruct no; nra].
  - replace (pos (p - exp t * q)) with 0 by (unfold pos; rewrite Rmax_left; lra). rewrite Rmult_0_r.
    replace (p - exp t * q) with 0 in smooth by lra. rewrite Rmult_0_r in smooth.
    apply (glued (fun _ => term a p q) _ (piece a p q) t 0 flat smooth).
    + destruct hp as [hp|<-].
      * assert (hq' : 0 < q) by (destruct hq as [|<-]; [easy|now rewrite cont in hp by easy; lra]).
        rewrite term_ratio by easy. assert (ln p = ln q + t) as -> by (rewrite kink, ln_mult, ln_exp by easy; ring).
        replace (ln q + t - ln q) with t by ring. rewrite (exp_split a), kink. ring.
      * assert (q = 0) as -> by nra. rewrite term_zero. lra.
    + intros u. unfold piece. destruct (Rle_dec p (q * exp u)); [now left|now right].
  - replace (pos (p - exp t * q)) with (p - exp t * q) by (unfold pos; rewrite Rmax_right; lra).
    apply (is_derive_ext_loc (fun t => a * p * exp ((a - 1) * t) - (a - 1) * q * exp (a * t))); [|easy].
    assert (hq' : 0 < q) by (destruct hq as [|<-]; [easy|rewrite cont in more by easy; lra]).
    assert (hp' : 0 < p) by nra.
    apply (locally_interval _ t m_infty (ln (p / q))); [easy| |].
    + apply exp_lt_inv. rewrite exp_ln by (now apply Rdiv_lt_0_compat).
      apply Rmult_lt_reg_r with q; [easy|]. replace (p / q * q) with p by (field; lra). lra.
    + intros u _ under. unfold piece. destruct (Rle_dec p (q * exp u)) as [no|]; [|easy].
      apply exp_increasing in under. rewrite exp_ln in under by (now apply Rdiv_lt_0_compat).
      exfalso. assert (p = q * (p / q)) by (field; lra). nra.
Qed.

Lemma piece_range a p q t : 1 < a -> 0 <= p -> 0 <= q -> (q = 0 -> p = 0) ->
  0 <= piece a p q t <= p * (a * exp ((a - 1) * t)).
Proof.
  intros ha hp hq cont. pose proof (exp_pos ((a - 1) * t)) as h1. pose proof (exp_pos t) as h2.
  unfold piece. destruct (Rle_dec p (q * exp t)) as [small|large].
  - split; [apply term_nonneg|]. destruct hp as [hp|<-]; [|rewrite term_zero; nra].
    assert (hq' : 0 < q) by (destruct hq as [|<-]; [easy|now rewrite cont in hp by easy; lra]).
    rewrite term_ratio by easy. apply Rmult_le_compat_l; [lra|].
    assert (ln p - ln q <= t).
    { apply Rle_trans with (ln (q * exp t) - ln q); [apply Rplus_le_compat_r, ln_le; easy|].
      rewrite ln_mult, ln_exp by easy. lra. }
    assert (exp ((a - 1) * (ln p - ln q)) <= exp ((a - 1) * t)) by (apply exp_le; nra). nra.
  - rewrite (exp_split a). assert (q * exp t <= p) by lra.
    assert (0 <= (a - 1) * (q * exp t) * exp ((a - 1) * t)) by (repeat apply Rmult_le_pos; lra).
    assert ((a - 1) * (q * exp t) * exp ((a - 1) * t) <= (a - 1) * p * exp ((a - 1) * t))
      by (apply Rmult_le_compat_r; [lra|]; apply Rmult_le_compat_l; lra).
    split; nra.
Qed.

(** ** The comparison *)

Definition apart (n : nat) (p q : nat -> R) : Prop :=
  law n p /\ law n q /\ forall i, (i < n)%nat -> q i = 0 -> p i = 0.

Definition pieces (n : nat) (p q : nat -> R) (a t : R) : R := sum n (fun i => piece a (p i) (q i) t).
Definition moment_of (n : nat) (p q : nat -> R) (a : R) : R := sum n (fun i => term a (p i) (q i)).

Lemma pieces_derive n p q (a t : R) : apart n p q ->
  is_derive (pieces n p q a) t (a * (a - 1) * exp ((a - 1) * t) * weighted n p q 1 (exp t)).
Proof.
  intros ((hp & _) & (hq & _) & cont). unfold weighted. rewrite <- sum_scale.
  apply (sum_derive n (fun i t => piece a (p i) (q i) t)). intros i small.
  rewrite Rmult_1_l. apply piece_derive; auto.
Qed.

(** Far out the pieces have become the moment. *)
Lemma pieces_end n p q a : apart n p q -> exists b, forall t, b <= t -> pieces n p q a t = moment_of n p q a.
Proof.
  intros ((hp & _) & (hq & _) & cont). unfold pieces, moment_of. clear -hp hq cont. induction n as [|n IH].
  - now exists 0.
  - destruct IH as [b after]; auto. pose proof (hp n ltac:(lia)) as hpn. pose proof (hq n ltac:(lia)) as hqn.
    specialize (cont n ltac:(lia)).
    exists (Rmax b (p n / q n)). intros t late. cbn. rewrite after by (eapply Rle_trans; [apply Rmax_l|exact late]).
    f_equal. unfold piece. destruct (Rle_dec (p n) (q n * exp t)) as [|no]; [easy|destruct no].
    pose proof (exp_pos t). destruct hqn as [hqn|none]; [|rewrite <- none in *; rewrite cont by easy; nra].
    assert (p n / q n <= t) by (eapply Rle_trans; [apply Rmax_r|exact late]).
    pose proof (exp_ineq1_le t). assert (same : p n / q n * q n = p n) by (field; lra). nra.
Qed.

(** F rises at least as fast as the pieces, from -low to high. *)
Lemma moment_by_comparison n p q a (F F' : R -> R) low high : 1 < a -> apart n p q ->
  (forall t, is_derive F t (F' t)) ->
  (forall t, a * (a - 1) * exp ((a - 1) * t) * weighted n p q 1 (exp t) <= F' t) ->
  (forall e, 0 < e -> exists b, forall t, t <= b -> - low - e <= F t) ->
  (forall e, 0 < e -> exists b, forall t, b <= t -> F t <= high + e) ->
  moment_of n p q a <= low + high.
Proof.
  intros ha two derivative faster first last. apply le_epsilon. intros e he.
  destruct (first (e / 3) ltac:(lra)) as [b1 begins]. destruct (last (e / 3) ltac:(lra)) as [b2 ends].
  destruct (pieces_end n p q a two) as [b3 final].
  set (b4 := ln (e / (3 * a)) / (a - 1)).
  set (t0 := Rmin (Rmin b1 b4) 0). set (t1 := Rmax (Rmax b2 b3) 0).
  assert (t0 <= b1 /\ t0 <= b4 /\ t0 <= 0) as (h1 & h4 & h0).
  { unfold t0. pose proof (Rmin_l (Rmin b1 b4) 0). pose proof (Rmin_r (Rmin b1 b4) 0).
    pose proof (Rmin_l b1 b4). pose proof (Rmin_r b1 b4). lra. }
  assert (b2 <= t1 /\ b3 <= t1 /\ 0 <= t1) as (h2 & h3 & h5).
  { unfold t1. pose proof (Rmax_l (Rmax b2 b3) 0). pose proof (Rmax_r (Rmax b2 b3) 0).
    pose proof (Rmax_l b2 b3). pose proof (Rmax_r b2 b3). lra. }
  assert (rise : F t0 - pieces n p q a t0 <= F t1 - pieces n p q a t1).
  { apply (rises (fun t => F t - pieces n p q a t)
      (fun t => F' t - a * (a - 1) * exp ((a - 1) * t) * weighted n p q 1 (exp t))); [lra| |].
    - intros t _. apply (is_derive_minus F (pieces n p q a)); [apply derivative|now apply pieces_derive].
    - intros t _. specialize (faster t). lra. }
  rewrite (final t1 h3) in rise. specialize (begins t0 h1). specialize (ends t1 h2).
  enough (pieces n p q a t0 <= e / 3) by lra.
  destruct two as ((hp & one) & (hq & _) & cont).
  apply Rle_trans with (sum n (fun i => p i * (a * exp ((a - 1) * t0)))).
  - apply sum_le. intros i small. apply piece_range; auto.
  - rewrite sum_scale_right, one, Rmult_1_l.
    assert (pos_e : 0 < e / (3 * a)) by (apply Rdiv_lt_0_compat; lra).
    assert (exp ((a - 1) * t0) <= e / (3 * a)).
    { rewrite <- (exp_ln _ pos_e). apply exp_le.
      assert (b4 * (a - 1) = ln (e / (3 * a))) by (unfold b4; field; lra). nra. }
    assert (e / (3 * a) * a = e / 3) by (field; lra). nra.
Qed.

Theorem dominated_moment n p q D a : 1 < a -> apart n p q -> apart (size D) (upper D) (lower D) ->
  (forall x y, 0 <= x -> 0 <= y -> weighted n p q x y <= curve D x y) ->
  moment_of n p q a <= moment_of (size D) (upper D) (lower D) a.
Proof.
  intros ha two other below. rewrite <- (Rplus_0_l (moment_of (size D) _ _ a)).
  apply (moment_by_comparison n p q a (pieces (size D) (upper D) (lower D) a)
    (fun t => a * (a - 1) * exp ((a - 1) * t) * weighted (size D) (upper D) (lower D) 1 (exp t)));
    [easy|easy|intros; now apply pieces_derive| | |].
  - intros t. pose proof (exp_pos t). pose proof (exp_pos ((a - 1) * t)).
    apply Rmult_le_compat_l; [apply Rmult_le_pos; nra|]. apply below; lra.
  - intros e he. exists 0. intros t _. enough (0 <= pieces (size D) (upper D) (lower D) a t) by lra.
    destruct other as ((hp & _) & (hq & _) & cont). apply sum_nonneg. intros i small. apply piece_range; auto.
  - intros e he. destruct (pieces_end _ _ _ a other) as [b final]. exists b. intros t late. rewrite final by easy. lra.
Qed.
