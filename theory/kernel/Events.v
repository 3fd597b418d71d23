(** The hockey-stick divergence of a transcript is the least delta: what an event can gain, some event gains.

    [hockey_stick_is_least] is the converse of [hockey_stick_bounds_events]; refutations rest on it. *)

From Coq Require Import Reals Lra Lia List Bool.
From Filterproof Require Import Sums Interaction Divergences.
Import ListNotations.
Open Scope R_scope.

Definition event_eq (a b : event) : {a = b} + {a <> b}.
Proof. decide equality. apply Nat.eq_dec. Defined.

Lemma list_sum_ext {A} (f g : A -> R) l : (forall a, In a l -> f a = g a) -> list_sum f l = list_sum g l.
Proof.
  induction l as [|a l IH]; cbn; intros same; [easy|]. rewrite same by now left. now rewrite IH by auto.
Qed.

Lemma list_sum_gain {A} (f g : A -> R) c l :
  list_sum (fun a => f a - c * g a) l = list_sum f l - c * list_sum g l.
Proof. induction l as [|a l IH]; cbn; [lra|rewrite IH; lra]. Qed.

Lemma one_of_a_kind {A B} (f : A -> B) l a b : NoDup (map f l) -> In a l -> In b l -> f a = f b -> a = b.
Proof.
  induction l as [|c l IH]; cbn; intros distinct ha hb same; [easy|].
  inversion_clear distinct as [|? ? fresh rest].
  destruct ha as [->|ha], hb as [->|hb]; [easy| | |now apply IH].
  - destruct fresh. rewrite same. now apply in_map.
  - destruct fresh. rewrite <- same. now apply in_map.
Qed.

(** The event that the loss exceeds epsilon. *)
Definition large_loss (l : list (transcript * R * R)) (epsilon : R) (tau : transcript) : bool :=
  existsb (fun '(tau', x, y) => if list_eq_dec event_eq tau tau'
    then (if Rlt_dec (exp epsilon * y) x then true else false) else false) l.

(** Claim: No delta below the hockey-stick divergence of a transcript at epsilon is enough: where P(S) <= e^epsilon
    Q(S) + delta for each event S, that divergence is at most delta. *)
Theorem hockey_stick_is_least {C} (F : filter C) t epsilon delta :
  approximately_private F t epsilon delta -> hockey_stick F t epsilon <= delta.
Proof.
  intros private. unfold approximately_private, Pr_P, Pr_Q, hockey_stick, over in *.
  set (l := transcripts F (start F) [] 1 1 t).
  specialize (private (large_loss l epsilon)).
  rewrite !total_is_a_sum_over_transcripts in *. fold l in private |- *.
  pose proof (transcripts_differ F t (start F) [] 1 1) as distinct. fold l in distinct.
  enough (list_sum (fun '(tau', a, b) => pos (a - exp epsilon * b)) l =
    list_sum (fun '(tau', a, b) => if large_loss l epsilon tau' then a else 0) l -
    exp epsilon * list_sum (fun '(tau', a, b) => if large_loss l epsilon tau' then b else 0) l) by lra.
  rewrite <- list_sum_gain. apply list_sum_ext. intros [[tau x] y] here. unfold pos.
  destruct (large_loss l epsilon tau) eqn:large.
  - apply existsb_exists in large as [[[tau' x'] y'] [there large]].
    destruct (list_eq_dec event_eq tau tau') as [<-|]; [|easy].
    pose proof (one_of_a_kind _ l _ _ distinct here there eq_refl) as [= <- <-].
    destruct (Rlt_dec (exp epsilon * y) x); [|easy]. rewrite Rmax_right; lra.
  - destruct (Rlt_dec (exp epsilon * y) x) as [more|no]; [|rewrite Rmax_left; lra].
    enough (large_loss l epsilon tau = true) by congruence.
    apply existsb_exists. exists (tau, x, y). split; [easy|].
    destruct (list_eq_dec event_eq tau tau); [|easy]. now destruct (Rlt_dec (exp epsilon * y) x).
Qed.

(** A promise bounds the hockey-stick divergence of every honest strategy; so one strategy above it refutes it. *)
Corollary promise_refuted {C} (F : filter C) ok t epsilon delta :
  honest ok t -> delta < hockey_stick F t epsilon -> ~ promises_delta F ok epsilon delta.
Proof.
  intros hon above promise. destruct (promise t hon) as [one _].
  apply hockey_stick_is_least in one. lra.
Qed.
