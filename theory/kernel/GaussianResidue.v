(** The residue filter of Gaussian differential privacy: a state is the square of what is left of mu, and a round costs
    what keeps the mean of the Gaussian curve that is left from rising; the GDP filter charges every round the square of
    its own mu (the GDP residue filter of arXiv 2602.15815, of which its abstract was read). *)

From Coq Require Import Reals Lra Lia List.
From Filterproof Require Import GaussianCdf GaussianCurve GaussianRound.
From Filterproof Require Import Sums Interaction Divergences Domination ResidueFilter GaussianDP GaussianFilter.
Open Scope R_scope.

(** Claim: The mean of a Gaussian curve after a round is at most its mean after a finite pair that dominates the
    round. *)
Lemma gaussian_replaces D epsilon w : proper D -> 0 <= w -> replaces D (fun x y => gauss x (exp epsilon * y) w).
Proof.
  intros [lr ls] hw n p q lp lq below x y hx hy. pose proof (exp_pos epsilon). unfold played.
  assert (same : forall N a b, sum N (fun i => gauss (x * a i) (exp epsilon * (y * b i)) w) =
    sum N (fun i => gauss (x * a i) (exp epsilon * y * b i) w)).
  { intros N a b. apply sum_ext. intros i _. f_equal. ring. }
  rewrite !same.
  pose proof (later n p q (size D) (upper D) (lower D) 0 0 w x (exp epsilon * y) lp lq lr ls) as it.
  rewrite !Rplus_0_l in it. apply it; try easy; [lra|lra| |nra].
  assert (none : forall N a b x' y', sum N (fun i => gauss (x' * a i) (y' * b i) 0) = weighted N a b x' y').
  { intros N a b x' y'. unfold weighted. apply sum_ext. intros i _. unfold gauss. now destruct (Rle_dec 0 0); [|lra]. }
  intros x' y' hx' hy'. rewrite !none. now apply below.
Qed.

(** A round at place c is charged what the level falls by: its pair before the curve of a floor, both ways, stays below
    that of the floor and the charge. *)
Definition charged (F : filter nat) (menu : nat -> pair) (level : state F -> R) : Prop :=
  forall s c i, admits F s c = true ->
    after F s c i = after F s c O /\ proper (menu c) /\
    exists floor, 0 <= floor <= level (after F s c O) /\ level (after F s c O) <= level s /\
      forall x y, 0 <= x -> 0 <= y ->
        played (menu c) (fun x y => gauss x y floor) x y <= gauss x y (floor + (level s - level (after F s c O))).

Lemma charged_residues F menu level epsilon : charged F menu level ->
  residues F menu (fun s x y => gauss x (exp epsilon * y) (level s)) epsilon.
Proof.
  intros each. pose proof (exp_pos epsilon). constructor; [intros s x y hx hy; apply gauss_above; nra|].
  intros s c i admitted. destruct (each s c i admitted) as (const & ok & floor & range & falls & below).
  split; [exact const|]. split; [apply gaussian_replaces; [exact ok|lra]|].
  intros x y hx hy. unfold played in *. destruct ok as [lr ls].
  set (cost := level s - level (after F s c O)) in *.
  pose proof (later (size (menu c)) (upper (menu c)) (lower (menu c)) 1 (fun _ => 1) (fun _ => 1) cost floor
    (level (after F s c O)) x (exp epsilon * y) lr ls one_law one_law ltac:(unfold cost; lra)
    ltac:(lra) ltac:(lra)) as it.
  rewrite alone in it. replace (cost + level (after F s c O)) with (level s) in it by (unfold cost; lra).
  rewrite (sum_ext _ _ (fun k => gauss (x * upper (menu c) k) (exp epsilon * y * lower (menu c) k)
    (level (after F s c O)))) by (intros; f_equal; ring).
  apply it; [|easy|nra]. intros x' y' hx' hy'. rewrite alone, Rplus_comm. now apply below.
Qed.

(** Claim: A filter that goes to one state whatever a granted round answers, and whose level falls there by at least
    what a pair that dominates the round costs before the Gaussian curve of a floor that is not above the next level,
    both ways, keeps the hockey-stick divergence of the transcript at most delta_mu(epsilon) at each epsilon, mu^2 the
    first level.
    Beyond: That the charges of a filter satisfy the inequality, and that the pairs dominate the rounds. *)
Theorem gaussian_residue_filter F menu back level mu epsilon : 0 <= mu -> level (start F) = mu ^ 2 ->
  charged F menu level -> charged F back level ->
  promises_delta F (dominated_both_ways menu back) epsilon (gdp_delta mu epsilon).
Proof.
  intros hmu begins one other.
  apply (residue_filter F menu back (fun s x y => gauss x (exp epsilon * y) (level s))
    (fun s x y => gauss x (exp epsilon * y) (level s))).
  - now apply charged_residues.
  - now apply charged_residues.
  - rewrite begins, Rmult_1_r, gdp_delta_is_gauss by easy. lra.
  - rewrite begins, Rmult_1_r, gdp_delta_is_gauss by easy. lra.
Qed.

(** Randomised response with odds E. *)
Definition response (E : R) : pair :=
  Pair 2 (fun i => match i with O => E / (1 + E) | _ => 1 / (1 + E) end)
         (fun i => match i with O => 1 / (1 + E) | _ => E / (1 + E) end).

(** Claim: Randomised response at epsilon > 0 dominates every epsilon-DP mechanism.
    Source: Kairouz, Oh & Viswanath *)
Theorem response_dominates n p q epsilon : 0 < epsilon -> law n p -> law n q ->
  (forall i, (i < n)%nat -> p i <= exp epsilon * q i /\ q i <= exp epsilon * p i) ->
  forall x y, 0 <= x -> 0 <= y -> weighted n p q x y <= curve (response (exp epsilon)) x y.
Proof.
  intros he [hp one_p] [hq one_q] each x y hx hy. set (E := exp epsilon) in *.
  assert (big : 1 < E) by (unfold E; pose proof (exp_ineq1 epsilon ltac:(lra)); lra).
  unfold curve, weighted at 2. cbn. rewrite Rplus_0_l.
  set (u := x * (E / (1 + E)) - y * (1 / (1 + E))). set (d := x * (1 / (1 + E)) - y * (E / (1 + E))).
  apply Rle_trans with (sum n (fun i => pos u * ((E * p i - q i) / (E - 1)) + pos d * ((E * q i - p i) / (E - 1)))).
  - apply sum_le. intros i small. destruct (each i small).
    assert (0 <= (E * p i - q i) / (E - 1)) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]).
    assert (0 <= (E * q i - p i) / (E - 1)) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]).
    pose proof (pos_above u). pose proof (pos_nonneg u). pose proof (pos_above d). pose proof (pos_nonneg d).
    apply pos_least; [nra|].
    replace (x * p i - y * q i) with (u * ((E * p i - q i) / (E - 1)) + d * ((E * q i - p i) / (E - 1))).
    2: { unfold u, d. field. lra. }
    nra.
  - right. rewrite sum_plus, !sum_scale.
    assert (whole : forall a b, sum n a = 1 -> sum n b = 1 -> sum n (fun i => (E * a i - b i) / (E - 1)) = 1).
    { intros a b ha hb. unfold Rdiv. rewrite sum_scale_right, sum_minus, sum_scale, ha, hb. field. lra. }
    rewrite !whole by easy. ring.
Qed.

(** Somebody is granted something: a thresholded Gaussian, once, at the whole budget. *)
Definition once : filter nat := Interaction.Filter bool true (fun s _ => s) (fun _ _ _ => false).

(** Claim: An example: a filter that grants once whether a Gaussian(mu), mu > 0, is above the middle of its two
    means, and whose level then falls from mu^2 to 0, meets the hypothesis of the theorem on Gaussian residues. *)
Example threshold_is_charged mu : 0 < mu ->
  charged once (fun _ => Pair 2 (P (threshold mu)) (Q (threshold mu))) (fun s : bool => if s then mu ^ 2 else 0).
Proof.
  intros hmu s c i admitted. destruct s; [|discriminate]. pose proof (threshold_is_gdp mu hmu) as ok.
  split; [reflexivity|]. split; [exact (proj1 ok)|]. exists 0. cbn [after once]. pose proof (pow2_ge_0 mu).
  repeat split; try lra. intros x y hx hy. rewrite Rplus_0_l, Rminus_0_r.
  eapply Rle_trans; [|exact (gdp_weighted _ _ ok x y hx hy)]. right. unfold played, weighted. apply sum_ext.
  intros k _. unfold gauss. now destruct (Rle_dec 0 0); [|lra].
Qed.
