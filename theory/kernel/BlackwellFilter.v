(** The Blackwell filter (paper 003, Section 5): "CONT while the mechanisms so far, composed as if fixed in advance, are
    dominated by Gaussian(mu) at every epsilon". The transcript is (mu^2/2)-zCDP; it need not be mu-GDP.

    How the dominating Gaussian of the menu's part is found is left open: any rule [cover] does that is right where it
    finds one. *)

From Coquelicot Require Import Coquelicot.
From Coq Require Import Reals Lra Lia List.
From Filterproof Require Import GaussianCdf GaussianCurve GaussianRound.
From Filterproof Require Import Sums Interaction Divergences Paths Ledger ZCDPFilter Domination CurveMoment ProductPair
  GaussianDP GaussianFilter GaussianMoment.
Import ListNotations.
Open Scope R_scope.

(** What a request declares: a place on the menu, or its mu as a Gaussian. *)
Inductive declared := Place (c : nat) | Normal (mu : R).

(** The state: the places used so far, the sum of the Gaussians' mu_t^2. Admits while the cover's square and that sum,
    the request included, are at most mu^2. *)
Definition within (cover : option R) (squares budget : R) : bool :=
  match cover with
  | Some m => if Rle_dec (m ^ 2 + squares) budget then true else false
  | None => false
  end.

Definition blackwell (cover : list nat -> option R) (mu : R) : filter declared :=
  Interaction.Filter (list nat * R) ([], 0)
    (fun s c => match c with
       | Place k => within (cover (k :: fst s)) (snd s) (mu ^ 2)
       | Normal m => within (cover (fst s)) (snd s + m ^ 2) (mu ^ 2)
       end)
    (fun s c _ => match c with Place k => (k :: fst s, snd s) | Normal m => (fst s, snd s + m ^ 2) end).

(** Where the cover of the places in l is m, Gaussian(m) dominates the pairs there, composed. *)
Definition right_cover (menu : nat -> pair) (cover : list nat -> option R) : Prop :=
  forall l m, cover l = Some m -> forall x y, 0 <= x -> 0 <= y -> composed (map menu l) x y <= gauss x y (m ^ 2).

(** A request is dominated by the pair at its place, or has the Gaussian parameter that it declares. *)
Definition blackwell_honest (menu : nat -> pair) (m : request declared) : Prop :=
  laws m /\ match charge m with
  | Place k => forall x y, 0 <= x -> 0 <= y -> weighted (outcomes m) (P m) (Q m) x y <= curve (menu k) x y
  | Normal mu => gdp_at_most mu m
  end.

Definition price (menu : nat -> pair) (a : R) (c : declared) : R :=
  match c with Place k => renyi a (menu k) | Normal m => a * (m ^ 2 / 2) end.

Definition left_over (menu : nat -> pair) (a mu : R) (s : list nat * R) : R :=
  a * (mu ^ 2 / 2) - renyi a (flatten (map menu (fst s))) - a * (snd s / 2).

Lemma menu_all (menu : nat -> pair) l : (forall c, finite_losses (menu c)) -> Forall finite_losses (map menu l).
Proof. intros two. induction l; cbn; auto. Qed.

Lemma renyi_nothing a : 1 < a -> renyi a (flatten []) = 0.
Proof. intros ha. unfold renyi, pair_moment, moment_of. cbn. rewrite term_one, Rplus_0_l, ln_1. field. lra. Qed.

(** Domination by a Gaussian bounds the sum of the divergences. *)
Lemma cover_bounds menu cover a l m : 1 < a -> (forall c, finite_losses (menu c)) -> right_cover menu cover ->
  cover l = Some m -> renyi a (flatten (map menu l)) <= a * (m ^ 2 / 2).
Proof.
  intros ha two right here. pose proof (flatten_apart _ (menu_all menu l two)) as all.
  pose proof (moment_at_least_one a _ ha all) as one.
  assert (bound : pair_moment a (flatten (map menu l)) <= exp (a * (a - 1) * m ^ 2 / 2)).
  { destruct all as (lu & ll & _). apply gauss_moment; [easy|easy|easy|apply pow2_ge_0|].
    intros x y hx hy. pose proof (right l m here x y hx hy) as it. rewrite <- curve_flatten in it. exact it. }
  apply ln_le in bound; [|lra]. rewrite ln_exp in bound.
  unfold renyi. apply Rmult_le_reg_r with (a - 1); [lra|].
  replace (ln (pair_moment a (flatten (map menu l))) / (a - 1) * (a - 1)) with
    (ln (pair_moment a (flatten (map menu l)))) by (field; lra). lra.
Qed.

Lemma within_fits cover squares budget : within cover squares budget = true ->
  exists m, cover = Some m /\ m ^ 2 + squares <= budget.
Proof.
  destruct cover as [m|]; [|discriminate]. unfold within. destruct (Rle_dec (m ^ 2 + squares) budget); [|discriminate].
  intros _. now exists m.
Qed.

Lemma blackwell_keeps menu cover mu a : 1 < a -> (forall c, finite_losses (menu c)) -> right_cover menu cover ->
  keeps (blackwell cover mu) (left_over menu a mu) (price menu a) (a * (mu ^ 2 / 2)).
Proof.
  intros ha two right. constructor.
  - unfold left_over. cbn [blackwell start fst snd map]. rewrite renyi_nothing by easy. field.
  - intros [used sq] [k|m] admitted; unfold left_over, price; cbn [fst snd];
    apply within_fits in admitted as (m' & here & fit); cbn [fst snd] in here, fit;
    pose proof (cover_bounds menu cover a _ m' ha two right here) as bound.
    + cbn [map] in bound. rewrite renyi_flatten in bound by auto using menu_all. nra.
    + nra.
  - intros [used sq] [k|m] i; unfold left_over, price; cbn [blackwell after fst snd map].
    + rewrite renyi_flatten; auto using menu_all. ring.
    + field.
Qed.

Lemma blackwell_priced menu a m : 1 < a -> (forall c, finite_losses (menu c)) -> blackwell_honest menu m ->
  renyi_priced a (price menu a) m.
Proof.
  intros ha two (lm & declares). split; [exact lm|]. unfold price. destruct (charge m) as [k|mu].
  - pose proof (renyi_nonneg a (menu k) ha (two k)) as nonneg. split; [exact nonneg|].
    pose proof (dominated_apart _ _ _ (menu k) (proj1 lm) (proj2 lm) (two k) declares) as (_ & _ & cont).
    split; [exact cont|]. rewrite renyi_moment by auto. destruct lm as (lp & lq).
    apply (dominated_moment (outcomes m) (P m) (Q m) (menu k) a ha); [now split|apply two|exact declares].
  - split; [pose proof (pow2_ge_0 mu); nra|]. now apply gdp_is_zcdp.
Qed.

Lemma blackwell_one_way menu cover mu a t : 1 < a -> (forall c, finite_losses (menu c)) -> right_cover menu cover ->
  honest (blackwell_honest menu) t ->
  transcript_continuous (blackwell cover mu) t /\
  transcript_renyi_at_most (blackwell cover mu) t a (a * (mu ^ 2 / 2)).
Proof.
  intros ha two right hon.
  assert (priced : honest (renyi_priced a (price menu a)) t).
  { revert hon. apply honest_weaken. intros m. now apply blackwell_priced. }
  split.
  - apply dominated_is_continuous. revert priced. apply honest_weaken. intros m. apply renyi_priced_dominated.
  - pose proof (pow2_ge_0 mu).
    apply (ledger_moment (blackwell cover mu) (left_over menu a mu) (price menu a)); [lra|nra| |exact priced].
    now apply blackwell_keeps.
Qed.

(** ** Both ways *)

Lemma gauss_mirror_le x y v : 0 <= x -> 0 <= y -> gauss y x v + (x - y) <= gauss x y v.
Proof.
  intros [hx|<-] hy.
  2: { pose proof (gauss_at_most y 0 v hy ltac:(lra)). pose proof (gauss_above 0 y v ltac:(lra) hy).
       pose proof (pos_nonneg (0 - y)). lra. }
  destruct hy as [hy|<-].
  2: { pose proof (gauss_at_most 0 x v ltac:(lra) ltac:(lra)). pose proof (gauss_above x 0 v ltac:(lra) ltac:(lra)).
       pose proof (pos_above (x - 0)). lra. }
  rewrite (gauss_mirror x y v hx hy). lra.
Qed.

Lemma right_cover_swapped menu cover : (forall c, finite_losses (menu c)) -> right_cover menu cover ->
  right_cover (fun c => swapped_pair (menu c)) cover.
Proof.
  intros two right l m here x y hx hy. rewrite <- (map_map menu swapped_pair).
  rewrite composed_swapped by now apply menu_all.
  pose proof (right l m here y x hy hx). pose proof (gauss_mirror_le x y (m ^ 2) hx hy). lra.
Qed.

Lemma blackwell_honest_swap menu m : (forall c, finite_losses (menu c)) -> blackwell_honest menu m ->
  blackwell_honest (fun c => swapped_pair (menu c)) (swap m).
Proof.
  intros two ((lp & lq) & declares). split; [now split|].
  change (charge (swap m)) with (charge m). destruct (charge m) as [k|mu].
  - intros x y hx hy. destruct (two k) as (lu & ll & _).
    change (weighted (outcomes m) (Q m) (P m) x y <= weighted (size (menu k)) (lower (menu k)) (upper (menu k)) x y).
    rewrite (weighted_swapped _ (P m)), (weighted_swapped _ (upper _)) by easy.
    specialize (declares y x hy hx). unfold curve in declares. lra.
  - destruct declares as (_ & hmu & each). split; [now split|]. split; [easy|]. intros epsilon he.
    destruct (each epsilon he). now split.
Qed.

(** Claim: A filter that admits while the finite pairs of finite losses that dominate the rounds so far, composed as if
    fixed in advance, stay below some Gaussian(m) at each epsilon and m^2 plus the mu_t^2 of the other rounds, each
    mu_t-GDP, is at most mu^2 keeps the transcript (mu^2/2)-zCDP, whatever rule finds m.
    Source: Koskela, Tobaben & Honkela, Section 5
    Beyond: That the transcript is mu-GDP, which need not be; infinite losses. *)
Theorem blackwell_filter menu cover mu t :
  (forall c, finite_losses (menu c)) -> (forall c, finite_losses (swapped_pair (menu c))) ->
  right_cover menu cover -> honest (blackwell_honest menu) t ->
  transcript_zcdp (blackwell cover mu) t (mu ^ 2 / 2).
Proof.
  intros two back right hon a ha. split; [now apply (blackwell_one_way menu)|].
  apply (blackwell_one_way (fun c => swapped_pair (menu c))); [easy|easy|now apply right_cover_swapped|].
  revert hon. apply honest_swapped. intros m. now apply blackwell_honest_swap.
Qed.

(** Somebody is granted something: with the cover that knows only the empty list, a Gaussian's threshold. *)
Definition no_menu (l : list nat) : option R := match l with [] => Some 0 | _ => None end.

Example no_menu_is_right menu : right_cover menu no_menu.
Proof.
  intros [|k l] m here x y hx hy; [|discriminate]. injection here as <-. now apply gauss_above.
Qed.

(** Claim: An example: for mu > 0, whether a Gaussian(mu) is above the middle of its two means is honest, and granted
    by the filter of budget mu^2 whose rule knows the empty list alone. *)
Example gaussian_is_granted menu mu : 0 < mu ->
  let m := Ask 2 (P (threshold mu)) (Q (threshold mu)) (Normal mu) in
  blackwell_honest menu m /\ admits (blackwell no_menu mu) ([], 0) (charge m) = true.
Proof.
  intros hmu m. pose proof (threshold_is_gdp mu hmu) as gdp. split.
  - split; [exact (proj1 gdp)|exact gdp].
  - cbn. destruct (Rle_dec (0 * (0 * 1) + (0 + mu * (mu * 1))) (mu * (mu * 1))); [easy|lra].
Qed.
