(** The realisation filter: paper 004, Theorem 1, for all N and all menus of finite pairs.

    - [realisation_filter]: "The privacy filter described in Algorithm 1 is (epsilon, delta)-DP", where
      dhat + theta (1 - dhat) N <= delta. Both directions, every strategy, retry and halt.
    - [pure_realisation_filter]: Section V-A, the same with delta = 0, and beside it what (13) to (15) add up.

    They follow from the case of outcomes of any kind, in [RealisationAnyOutcomes].

    The outcomes of a request that goes beyond the largest dhat-quantile of its allowable set are never released;
    infinite losses are, with the probability that the quantiles allow, and end the interaction one release later. *)

From Coq Require Import Reals Lra Lia List.
From Filterproof Require Import Sums AnyOutcomes AnyOutcomesFilters RealisationAnyOutcomes.
From Filterproof Require Import Interaction Divergences Realisation.
Import ListNotations.
Open Scope R_scope.

(** ** A mechanism with finitely many outcomes as one with outcomes of any kind *)

Definition declared_any (c : declared) : RealisationAnyOutcomes.declared :=
  RealisationAnyOutcomes.Declare (AnyOutcomes.reading (loss c) None) (upper_theta c) (upper_dhat c) (allows c).

Lemma decides_alike epsilon N first :
  decide_alike declared_any (realisation epsilon N first) (realisation_any epsilon N first).
Proof.
  exists eq. split; [easy|]. intros s s' c <-. split; [easy|]. intros i. cbn -[AnyOutcomes.reading].
  now rewrite AnyOutcomes.reading_is.
Qed.

Lemma honest_for_any dhat theta w m : honest_one_way dhat theta w m ->
  RealisationAnyOutcomes.honest_one_way dhat theta w (embedded_request declared_any m).
Proof.
  intros (lawful & losses & qtheta & qdhat & hallows).
  assert (read : forall i, RealisationAnyOutcomes.loss_at (embedded_request declared_any m) i = loss (charge m) i)
    by (intros; apply AnyOutcomes.reading_is).
  assert (few : forall z q, quantile_at_most w m z q ->
    RealisationAnyOutcomes.quantile_at_most w (embedded_request declared_any m) z q).
  { intros z [q|] few; [|easy]. unfold RealisationAnyOutcomes.quantile_at_most, RealisationAnyOutcomes.tail.
    cbn [AnyOutcomes.base embedded_request].
    rewrite (counted_value _ _ (fun i => if beyond w q (loss (charge m) i) then mass w m i else 0)); [exact few|].
    intros i less. rewrite read. destruct w; cbn [RealisationAnyOutcomes.density_of mass AnyOutcomes.P AnyOutcomes.Q
      embedded_request]; now rewrite counted_same. }
  split; [now apply embedded_laws|split; [|split; [now apply few|split; [now apply few|easy]]]].
  intros i. rewrite read. cbn [AnyOutcomes.P AnyOutcomes.Q embedded_request]. unfold counted.
  destruct (lt_dec i (outcomes m)) as [less|]; [now apply losses|]. destruct (loss (charge m) i); [ring|now left].
Qed.

(** Claim: Algorithm 1 over any N and any menus: where dhat + theta (1 - dhat) N <= delta <= 1, epsilon and theta >= 0
    and 0 <= dhat <= 1, the transcript is (epsilon, delta)-DP in both directions.
    Source: Taylor, Vippathalla & Coon, Theorem 1
    Beyond: That a quantile of the code is one of the theorem's is certified apart. *)
Theorem realisation_filter epsilon delta dhat theta N first :
  0 <= epsilon -> 0 <= dhat <= 1 -> 0 <= theta -> (forall w, 0 <= first w) ->
  dhat + theta * (1 - dhat) * INR N <= delta -> delta <= 1 ->
  promises_delta (realisation epsilon N first) (realisation_honest dhat theta) epsilon delta.
Proof.
  intros. apply (promises_finite declared_any _ (realisation_any epsilon N first) _
    (realisation_honest_any dhat theta)); [apply decides_alike| |now apply realisation_filter_any].
  intros m all w. apply honest_for_any, all.
Qed.

(** ** Section V-A: delta = 0 *)

(** Pure DP by realised losses, (15): the losses of the releases but the last, its largest loss and the largest of the
    allowable set stay within epsilon, in both directions. The transcript is epsilon-DP, for every N. *)
(** Claim: Algorithm 1 with largest losses for its quantiles is epsilon-DP for every N.
    Source: Taylor, Vippathalla & Coon, Section V-A, (15) *)
Theorem pure_realisation_filter epsilon N first : 0 <= epsilon -> (forall w, 0 <= first w) ->
  promises_delta (realisation epsilon N first) (realisation_honest 0 0) epsilon 0.
Proof. intros he hf. apply realisation_filter; auto; lra. Qed.

(** What (13) adds up, where [c] are the largest losses over all requests, is at least what (15) does, after any losses
    [l]: so whatever classical composition releases, the filter of realised losses releases. *)
(** Claim: After any losses, what (15) compares with epsilon, the losses so far and the largest of the next two rounds,
    is at most the sum (13) of the largest losses of all these rounds.
    Source: Taylor, Vippathalla & Coon, Section V-A *)
Theorem realised_is_at_most_classical t (l c : nat -> R) own reach : (forall i, (i < t)%nat -> l i <= c i) ->
  own <= c t -> reach <= c (S t) -> sum t l + (own + reach) <= sum (S (S t)) c.
Proof. intros less ho hr. cbn. pose proof (sum_le t l c less). lra. Qed.

(** (14) adds up what the mechanisms could lose. "The term A + B grows with t": not on every transcript. Where each of
    t outputs realises the largest loss of its mechanism, a, and the allowable set has one of b > a, the sum of
    (15) is above that of (14), by b - a, for every t. *)
(** Claim: The sum A + B that is said to grow with t stays zero where every output realises the largest loss: if the
    allowable set has a dearer mechanism, (15) is above (14) for every t.
    Source: Taylor, Vippathalla & Coon, Section V-A, where it is said of no class of transcripts *)
Theorem no_growth_on_every_path a b t : a < b ->
  sum t (fun _ => a) + (a + b) = sum (S (S t)) (fun _ => a) + (b - a) /\
  sum t (fun _ => a) + (a + b) > sum (S (S t)) (fun _ => a).
Proof. intros less. cbn. lra. Qed.
