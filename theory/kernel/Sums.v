(** Sums of finitely many reals: [sum n f] is f 0 + ... + f (n - 1). *)

From Coq Require Import Reals Lra Lia.
Open Scope R_scope.

Fixpoint sum (n : nat) (f : nat -> R) : R :=
  match n with
  | O => 0
  | S m => sum m f + f m
  end.

Lemma sum_ext n f g : (forall i, (i < n)%nat -> f i = g i) -> sum n f = sum n g.
Proof.
  induction n as [|n IH]; intros same; cbn; [reflexivity|].
  rewrite IH by (intros; apply same; lia). now rewrite same by lia.
Qed.

Lemma sum_le n f g : (forall i, (i < n)%nat -> f i <= g i) -> sum n f <= sum n g.
Proof.
  induction n as [|n IH]; intros below; cbn; [lra|].
  apply Rplus_le_compat; [apply IH; intros; apply below; lia|apply below; lia].
Qed.

Lemma sum_zero n : sum n (fun _ => 0) = 0.
Proof. induction n as [|n IH]; cbn; lra. Qed.

Lemma sum_nonneg n f : (forall i, (i < n)%nat -> 0 <= f i) -> 0 <= sum n f.
Proof. intros; rewrite <- (sum_zero n); now apply sum_le. Qed.

Lemma sum_scale n c f : sum n (fun i => c * f i) = c * sum n f.
Proof. induction n as [|n IH]; cbn; [lra|rewrite IH; lra]. Qed.

Lemma sum_scale_right n c f : sum n (fun i => f i * c) = sum n f * c.
Proof. induction n as [|n IH]; cbn; [lra|rewrite IH; lra]. Qed.

Lemma sum_plus n f g : sum n (fun i => f i + g i) = sum n f + sum n g.
Proof. induction n as [|n IH]; cbn; [lra|rewrite IH; lra]. Qed.

Lemma sum_minus n f g : sum n (fun i => f i - g i) = sum n f - sum n g.
Proof. induction n as [|n IH]; cbn; [lra|rewrite IH; lra]. Qed.

Lemma sum_exchange n m f : sum n (fun i => sum m (fun j => f i j)) = sum m (fun j => sum n (fun i => f i j)).
Proof.
  induction n as [|n IH]; cbn; [now rewrite sum_zero|]. now rewrite IH, <- sum_plus.
Qed.

Lemma sum_one_term n f i : (i < n)%nat -> (forall j, (j < n)%nat -> 0 <= f j) -> f i <= sum n f.
Proof.
  induction n as [|n IH]; intros here positive; [lia|cbn].
  destruct (Nat.eq_dec i n) as [->|other].
  - pose proof (sum_nonneg n f ltac:(intros; apply positive; lia)). lra.
  - pose proof (IH ltac:(lia) ltac:(intros; apply positive; lia)).
    pose proof (positive n ltac:(lia)). lra.
Qed.

(** Facts on the exponential that the library states for < only. *)

Lemma exp_le x y : x <= y -> exp x <= exp y.
Proof. intros [less | ->]; [left; now apply exp_increasing|lra]. Qed.

Lemma one_le_exp x : 0 <= x -> 1 <= exp x.
Proof. intros; rewrite <- exp_0; now apply exp_le. Qed.

(** A sum that is not 0 has a term that is not 0. *)
Lemma sum_some n f : sum n f <> 0 -> exists i, (i < n)%nat /\ f i <> 0.
Proof.
  induction n as [|n IH]; cbn; intros some; [lra|]. destruct (Req_dec (f n) 0) as [zero|];
    [|now exists n; split; [lia|]].
  destruct IH as (i & ? & ?); [lra|]. exists i; split; [lia|easy].
Qed.

(** The step of a falling geometric series that passes g. *)
Lemma passing q t g n : g <= t -> t * q ^ n < g -> exists k, (k < n)%nat /\ g <= t * q ^ k /\ t * q ^ S k < g.
Proof.
  intros first. induction n as [|n IH]; intros last; [cbn in last; lra|].
  destruct (Rle_or_lt g (t * q ^ n)) as [|past]; [exists n; now split; [lia|]|].
  destruct (IH past) as (k & ? & ? & ?). exists k. now split; [lia|].
Qed.
