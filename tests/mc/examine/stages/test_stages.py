"""Each stage by itself: what it finds, what it leaves to the others, and what it says that it did not look at."""

import math
from dataclasses import replace
from decimal import Context, Decimal
from fractions import Fraction
from itertools import combinations_with_replacement, islice, product
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

import filterproof as fp
from filters.catalogue import CATALOGUE
from filters.contract.checks import checked_start
from filters.contract.work import WorkLimit
from filters.testing.broken_laws import BrokenLaw
from mc.engine.adversaries import Scripted
from mc.examine.family_lines import FAMILIES, lines_of
from mc.examine.measure import Measure, exceeds
from mc.examine.sequence import Sequence
from mc.examine.stages.filter_laws import laws
from mc.examine.stages.game_menus import Menu
from mc.examine.stages.games import (
    _games,
    _planned,
    _renyi_games,
    _unchanged,
    chosen_goals,
    games,
    solved,
)
from mc.examine.stages.plays import Player, greedily, programs, swallowed
from mc.examine.stages.sequences import SequenceSearch, _extremal, most, sequences
from mc.examine.stages.strategy_search import StrategySearch, _mesh, _on_mesh, mesh_strategy, search
from mc.examine.subject import Subject, admission
from mc.examine.verify import FAILURE
from mc.worst_case.plan import Plan
from tests.instruments.corpus.fifth.broken import SinglePrecision
from tests.instruments.corpus.fifth.sound import SingleUpwards
from tests.mc.examine import toys, unhappy, witnesses
from tests.mc.examine.test_witness import GrantsAll
from theory.evidence import Evidence, Outcome
from theory.pairs import DominatingPair, Gaussian, Laplace, RandomizedResponse, SubsampledGaussian

LONG, LATE = 2_400_000, WorkLimit(-1)


def subject(filt: fp.PrivacyFilter, *names: str) -> Subject:
    lines = lines_of(names or tuple(FAMILIES), filt.promise)
    return admission(filt, lines, WorkLimit.of(LONG), seed=7)[1]


class CapsEachRound(toys.ByHand):
    """Looks at losses, and only caps each request."""

    def admits(self, state, request):
        return (self.cost(state, request) <= 0.1) & (state < 30)

    def spend(self, state, request):
        return state + 1

    def observe(self, state, loss):
        return state


# -- laws ------------------------------------------------------------------------------------------------------


class ByClass(toys.Sum):
    """Charges subsampled Gaussians less, which it knows by their class, as users write it."""

    promise = fp.GaussianDP(1.0)
    most = 1.0

    def cost(self, state, request):
        return request.gdp_mu**2 * (1.0 if isinstance(request, fp.SubsampledGaussian) else 1.5)


class RaisesForTwo(toys.ByHand):
    """Covers one run alone."""

    def admits(self, state, request):
        if len(state) > 1:
            raise LookupError("one run alone")
        return super().admits(state, request)


#: The filter, the families -> words of its fault, and of a note.
LAWS: list[tuple[type[fp.PrivacyFilter], tuple[str, ...], str, str]] = [
    (toys.ByHand, ("gaussian", "rr"), "", ""),
    (ByClass, ("gaussian", "subsampled"), "", ""),
    (toys.NotMonotone, ("gaussian",), "", "cheaper is admitted too: not so, Gaussian"),
    (unhappy.MixesRuns, ("gaussian",), "MixesRuns breaks the contract: it mixes runs", ""),
    (unhappy.GrantsOtherwise, ("gaussian",), "its grant is not its admits and spend", ""),
    (RaisesForTwo, ("gaussian",), "RaisesForTwo.admits raised LookupError", ""),
]


@pytest.mark.parametrize(("kind", "families", "fault", "note"), LAWS)
def test_a_broken_law_of_purity_is_a_fault_and_of_another_a_note(
    kind: type[fp.PrivacyFilter], families: tuple[str, ...], fault: str, note: str
) -> None:
    about = subject(kind(), *families)
    assert {line.line.family for line in about.lines} == {*families}
    (finding,) = laws(about, WorkLimit.of(LONG))
    assert fault in finding.fault
    assert bool(finding.fault) is bool(fault)
    assert [note in said for said in finding.notes] == [True] * bool(note)
    assert (finding.found == "no law was seen to break") is not (fault or note)


def test_the_laws_of_purity_are_these(monkeypatch: pytest.MonkeyPatch) -> None:
    pure = {
        *("a_denial_changes_nothing", "asking_changes_nothing", "the_old_state_is_left_alone"),
        *("a_grant_is_admits_and_spend", "runs_do_not_see_each_other", "halting_absorbs"),
        "the_future_changes_no_past_decision",
    }
    every = {name.removeprefix("test_") for name in vars(fp.laws(toys.ByHand())) if name.startswith("test_")}
    assert pure < every
    about = subject(toys.ByHand(), "gaussian")
    for law in every:
        monkeypatch.setattr(
            "mc.examine.stages.filter_laws.broken_laws", lambda *_, law=law, **more: [BrokenLaw(law, "so")]
        )
        (finding,) = laws(about, WorkLimit.of(LONG))
        assert (bool(finding.fault), bool(finding.notes)) == (law in pure, law not in pure), law


def test_what_was_not_reached_is_said_and_one_family_is_asked_in_any_case() -> None:
    (finding,) = laws(subject(toys.ByHand(), "gaussian", "rr"), LATE)
    assert finding.menu == "gaussian"
    assert finding.unseen.endswith("its share of the work was used up")


# -- sequences -------------------------------------------------------------------------------------------------


def test_a_player_keeps_to_what_was_granted() -> None:
    filt = toys.ByHand()
    player = Player(filt, WorkLimit.of(LONG), checked_start(filt, 1))
    each = np.sqrt(2 * toys.RHO / 5.5)
    assert player.ask(Gaussian(each), 3) == 3
    assert player.ask(Gaussian(each), 10) == 2
    assert not player.grants(Gaussian(each))
    assert player.played == Sequence(((Gaussian(each), 5),))
    assert player.played.admitted(filt)


def test_a_player_notices_a_request_that_leaves_the_state_as_it_was() -> None:
    filt = toys.Forgets()
    for pure in (True, False):
        player = Player(filt, WorkLimit.of(LONG), checked_start(filt, 1), pure=pure)
        assert player.ask(Gaussian(0.1), 50) == (1 if pure else 50)
        assert (player.unchanged is None) is not pure


def test_greed_takes_nearly_all_of_a_budget_and_every_program_is_admitted() -> None:
    about = subject(toys.ByHand(), "gaussian", "rr")
    player = Player.fresh(about, WorkLimit.of(LONG))
    greedily(player, about.lines[0], 8)
    spent = sum(times * float(pair.mu) ** 2 / 2 for pair, times in player.steps)
    assert 0.999 * toys.RHO < spent <= toys.RHO
    plays = [*islice(programs(about, WorkLimit.of(LONG)), 60)]
    assert len(plays) > 50
    assert all(played.admitted(about.filter) for played in plays)


class Understated(Gaussian):
    """Declares a tenth of its mu; its law is its parent's."""

    @property
    def gdp_mu(self) -> Any:
        return self.mu / 10


def test_quick_bounds_are_above_the_certified_ones() -> None:
    goals = (Measure.hockey_stick(0.5), Measure.hockey_stick(2.0), Measure.renyi(2.0), Measure.renyi(8.0))
    steps = [
        (Gaussian(0.3), 5),
        (Gaussian(2.0), 1),
        (RandomizedResponse(0.5), 3),
        (fp.Laplace(2.0), 2),
        (fp.Erasure(0.01), 2),
    ]
    steps += [(fp.SubsampledGaussian(0.1, 1.0), 4), (fp.KOV(0.2, 1e-3), 2)]
    steps += [(Understated(0.5), 20), (fp.Labelled(Understated(0.5), {"site": "a"}), 3)]
    for one, other in combinations_with_replacement(steps, 2):
        played = Sequence((one, other))
        symmetric = all(pair.swapped == pair for pair in played.counts)
        assert [measure for measure, _ in most(played, goals)][4:] == [
            goal.both[1] for goal in goals if not symmetric
        ]
        for measure, bound in most(played, goals, ("PQ", "QP")):
            assert (low := played.low(measure)) <= bound or low == bound == float("inf")


def test_a_sequence_that_is_worth_more_than_the_promise_is_found_and_made_short() -> None:
    about = subject(toys.CountsFirstOnly(), "gaussian")
    refuted = [one for one in sequences(about, WorkLimit.of(240_000)) if one.witness is not None]
    assert len(refuted) == 1  # one a family
    (row,) = refuted[0].tightness
    assert exceeds(row.attack, row.promised)
    assert refuted[0].verdict.evidence is Evidence.CERTIFIED
    assert refuted[0].witness.replay().refutes


def test_what_a_narrow_sum_swallows_is_found() -> None:
    for kind, broken in ((SinglePrecision, True), (SingleUpwards, False)):
        about = subject(kind(), "gaussian")
        found = [one for one in sequences(about, WorkLimit.of(120_000)) if one.witness is not None]
        assert all(one.witness.replay().refutes for one in found)
        assert bool(found) is broken


class FloatLedger(toys.Sum):
    """Decides in doubles, and keeps what was spent in single precision."""

    def start(self, n):
        return super().start(n).astype(np.float32)

    def spend(self, state, request):
        return super().spend(state, request).astype(np.float32)


def test_what_moves_an_empty_sum_and_no_large_one_is_asked_for_without_end() -> None:
    for filt, broken in ((FloatLedger(), True), (SingleUpwards(), False), (toys.ByHand(), False)):
        about = subject(filt, "gaussian", "twopoint")  # whose smallest reveals nothing
        plays = [*swallowed(about, WorkLimit.of(LONG))]
        assert bool(plays) is broken
        for played in plays:
            (_, once), (small, _) = played.steps
            assert (once, filt.spend(filt.start(1), small).any()) == (1, True)
        assert any(played.breach(filt.promise, about.goals) for played in plays) is broken
        assert [*swallowed(replace(about, pure=False), WorkLimit.of(LONG))] == []


def test_the_summary_of_sequences_compares_each_goal_with_the_promise() -> None:
    about = subject(toys.ByHand(), "gaussian")
    (summary,) = sequences(about, WorkLimit.of(32_000))
    assert summary.verdict is None
    assert summary.found.startswith("0 refutations among ")
    (row,) = summary.tightness
    all_at_once = float(Gaussian(np.sqrt(2 * toys.RHO)).hockey_stick(1.0))
    assert 0.9 * all_at_once <= row.attack <= all_at_once <= row.promised


def test_the_nearest_sequence_is_told_in_the_direction_in_which_it_came_so_near() -> None:
    sought = SequenceSearch(subject=subject(fp.ZCDPFilter(0.5)))
    p, q = Fraction(1, 10_000), Fraction(1, 100)
    rare = fp.FinitePair((p, 1 - p), (q, 1 - q))
    assert sought.take(played := Sequence(((rare, 1),))) is None
    assert {row.measure.direction for row in sought.rows.values()} >= {"QP"}
    for row in sought.rows.values():
        assert row.attack == played.low(row.measure)


# -- games, by what is given as their values ---


ODD = fp.FinitePair((0.25, 0.75), (0.125, 0.875))
ONE, TWO = (Menu(name, (RandomizedResponse(0.1), *more), 2) for name, more in (("one", ()), ("two", (ODD,))))
AT = Measure.hockey_stick(1.0)


def worth(low: float, high: float, directions: list[str]) -> Any:
    """A solver whose every game lies between such shares of what `toys.ByHand` promises."""

    def solve(filt: object, menu: object, *, direction: str, **more: object) -> SimpleNamespace:
        directions.append(direction)
        bounds = {"low": low * 1e-5, "high": high * 1e-5}
        return SimpleNamespace(**bounds, tried=True, evidence=Evidence.CERTIFIED, scope="a game")

    return solve


@pytest.mark.parametrize(
    ("low", "high", "outcome"),
    [(0.5, 1.0, Outcome.HOLDS), (0.5, 1.5, None), (1 + 1e-12, 1.5, None), (1.1, 1.5, Outcome.REFUTED)],
)
def test_a_game_holds_by_its_upper_bound_and_refutes_by_its_lower_one(
    low: float, high: float, outcome: Outcome | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    about, directions = subject(toys.ByHand(), "rr"), list[str]()
    monkeypatch.setattr("mc.examine.stages.games.solved_case", worth(low, high, directions))
    for menu in (ONE, TWO):
        directions.clear()
        found = list(solved(about, menu, AT))
        assert found
        for one in found:
            assert (None if one.verdict is None else one.verdict.outcome) is outcome
            assert (one.witness is not None) is (outcome is Outcome.REFUTED)
        # the other way round tells more, where that is another game and the first way refutes nothing
        assert directions == ["PQ", "QP"][: 1 + (menu is TWO and outcome is not Outcome.REFUTED)]
    directions.clear()
    assert len(list(solved(subject(CapsEachRound(), "rr"), ONE, AT))) == 2 - (outcome is Outcome.REFUTED)


def test_a_renyi_game_is_solved_both_ways_round_and_long_before_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with fp.knowingly():
        about = subject(fp.SquaredLossFilter(0.5), "rr", "twopoint")
    solve = Mock(return_value=(0.0, None))
    monkeypatch.setattr("mc.examine.stages.games.renyi_game", solve)
    assert list(_renyi_games(about)) == []
    asked = [(how["direction"], how["order"], how["rounds"], menu) for (_, menu), how in solve.call_args_list]
    one_way, other = ([game for way, *game in asked if way == wanted] for wanted in ("PQ", "QP"))
    assert one_way == other
    first = [rounds for order, rounds, _ in one_way if order == one_way[0][0]]
    assert [*dict.fromkeys(first)] == [4, 150, 30]


def test_a_request_leaves_no_trace_if_no_loss_of_either_data_set_does() -> None:
    for seen, unseen in ((lambda loss: loss > 0, False), (lambda loss: loss < 0, False), (np.isnan, True)):
        grants = {"admits": lambda self, state, _: state == 0, "spend": lambda self, state, _: state}
        sees = type("Sees", (CapsEachRound,), grants)
        sees.observe = lambda self, state, loss, seen=seen: state + seen(loss)
        assert _unchanged(sees(), RandomizedResponse(0.1)) is unseen
        assert not _unchanged(sees(), fp.FinitePair((0.0, 1.0), (0.25, 0.75)))  # one of them reveals all


ABOVE = 1 + Fraction(1, 10**35)


def test_a_plan_whose_worth_is_a_rounding_refutes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = RandomizedResponse.from_ratio(Fraction(3, 2))
    plan = Plan(pair, (None, None))
    rounded_down = math.nextafter(float(pair.pure_epsilon), 0.0)
    for epsilon, refutes in ((rounded_down, False), (0.4, True)):
        filt, ratio = GrantsAll(epsilon), Fraction(Decimal(epsilon).exp(Context(prec=40))) * ABOVE
        found = witnesses.written(filt, epsilon, ratio, plan)
        monkeypatch.setattr("mc.examine.stages.games.best_replies", lambda *_, found=found: iter((found,)))
        assert bool(list(_planned(subject(filt), WorkLimit.of(LONG)))) is refutes


# -- games, search -------------------------------------------------------------------------------------------


def test_asking_for_the_families_of_an_attack_alone_keeps_the_attack() -> None:
    about = subject(CATALOGUE["SomeOrderFilter"].example(), "rr", "twopoint")
    found = next(_planned(about, WorkLimit.of(LONG)))
    assert found.witness is not None
    assert found.witness.kind == "plan"
    narrowed = [*_extremal(subject(CATALOGUE["BasicFilter"].example(), "kov"))]
    assert narrowed == [
        *_extremal(subject(CATALOGUE["BasicFilter"].example(), "rr", "kov", "erasure", "twopoint"))
    ]
    assert narrowed
    assert not [*_extremal(subject(CATALOGUE["BasicFilter"].example(), "rr"))]


def test_games_within_the_promise_hold_on_their_menus_alone() -> None:
    found = list(games(subject(toys.ByHand(), "rr"), WorkLimit.of(32_000)))
    (summary,) = found
    assert summary.tightness
    assert all(row.attack <= row.worst <= row.promised for row in summary.tightness)
    assert summary.verdict.outcome is Outcome.HOLDS
    assert not summary.whole


def test_a_renyi_promise_that_only_a_long_silence_breaks_is_refuted_by_a_game_in_a_moment() -> None:
    with fp.knowingly():
        about = subject(fp.SquaredLossFilter(0.5), "rr", "twopoint")
    found = next(games(about, WorkLimit.of(800_000)))
    assert found.verdict.outcome is Outcome.REFUTED
    assert found.witness.data["measure"]["kind"] == "renyi"
    assert found.witness.replay().refutes


def test_a_menu_is_played_for_each_number_of_rounds_that_it_names() -> None:
    about = subject(toys.ByHand(), "rr")
    menu = Menu("one response", (fp.RandomizedResponse(0.1),), 1, (2, None))
    played = [game.verdict.scope for game in _games(about, menu, chosen_goals(about)[:1]) if game is not None]
    lengths = ("at most 1 round;", "at most 2 rounds", "any number of rounds")
    assert [sum(length in scope for scope in played) for length in lengths] == [1, 1, 1]


def test_a_game_of_heavy_tails_has_too_many_losses_and_is_solved_roughly() -> None:
    with fp.knowingly():
        filt = fp.AccountantFilter(
            2.0, 1e-5, (fp.SubsampledGaussian(0.01, 1.0), fp.SubsampledGaussian(0.02, 1.0))
        )
    played = Menu("its own menu", filt.menu, 2)
    first, *_ = solved(Subject.of(filt, seed=1), played, Measure.hockey_stick(2.0))
    assert 0 < first.tightness[0].attack < first.tightness[0].worst <= 1.2 * first.tightness[0].attack
    assert first.tightness[0].worst < first.tightness[0].promised


class SeesRewinding(toys.PureSum):
    """1-DP; counts its requests in the object, too, and grants anything in a state that is not the last one."""

    most = 1 - 1e-9

    def start(self, n):
        self.asked = 0
        return np.zeros(n), np.zeros(n)

    def admits(self, state, request):
        return super().admits(state[0], request) | (state[1] != self.asked)

    def spend(self, state, request):
        self.asked += 1
        return super().spend(state[0], request), state[1] + 1


class GaussiansOnly(CapsEachRound):
    """Raises for what it does not cover."""

    def admits(self, state, request):
        if not isinstance(request, Gaussian):
            raise TypeError("Gaussians only")
        return super().admits(state, request)


def test_no_game_is_played_with_a_family_that_the_filters_code_raises_for() -> None:
    about = subject(GaussiansOnly(), "gaussian", "rr", "erasure", "twopoint")
    assert about.families == {"gaussian"}
    assert all(one.fault == "" for one in games(about, WorkLimit.of(40_000)))


def test_a_strategy_on_the_mesh_is_worth_about_what_one_request_is() -> None:
    filt = CapsEachRound()
    for mu in (0.4, 0.2):
        worth, strategy = mesh_strategy(filt, (Gaussian(mu),), Measure.hockey_stick(0.2), 1)
        true = float(Gaussian(mu).hockey_stick(0.2))
        assert 0.6 * true < worth < 1.6 * true
        assert strategy is not None


@pytest.mark.parametrize(
    "pair", [RandomizedResponse(0.99976), Laplace(1.3), SubsampledGaussian(0.1, 1.0).swapped]
)
def test_the_mesh_has_no_loss_that_its_pair_cannot_have(pair: DominatingPair) -> None:
    losses, masses = _mesh(pair)
    assert (
        -float(pair.swapped.loss_quantile(0.0)) <= losses.min() < 0 < losses.max() <= pair.loss_quantile(0.0)
    )
    assert masses.sum() == pytest.approx(1)


def test_a_strategy_whose_estimate_is_above_the_promise_is_played_again_ten_times_as_often(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("mc.examine.stages.strategy_search._PATHS", (200, 20_000))
    at, strategy = Measure.hockey_stick(0.2), Scripted((Gaussian(0.4),), (1,))
    true = float(Gaussian(0.4).hockey_stick(0.2))
    for share, plays, refuted in ((0.95, 2, True), (3.0, 1, False)):
        about = CapsEachRound()
        object.__setattr__(about, "promise", fp.ApproxDP(0.2, share * true))
        trial = StrategySearch(subject=subject(about, "gaussian"), each=FAILURE)
        found = list(trial.play(strategy, "one Gaussian", at, 1))
        assert trial.played == plays
        assert [one.witness.data["n"] for one in found] == [20_000] * refuted


def test_each_play_has_numbers_and_a_share_of_the_failure_of_its_own_and_refutes_by_its_interval(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    about = subject(CapsEachRound(), "gaussian")
    simulated = Mock(return_value=SimpleNamespace(data={"low": 0.5e-5, "value": 3e-5}))
    monkeypatch.setattr("mc.examine.stages.strategy_search.witness", simulated)
    trial, strategy = StrategySearch(subject=about, each=1e-8), Scripted((Gaussian(0.4),), (1,))
    for _, at in product(range(40), AT.both):
        assert list(trial.play(strategy, "one Gaussian", at, 1)) == []
    played = [call.kwargs for call in simulated.call_args_list]
    assert trial.played == len(played) == 64
    assert len({how["seed"] for how in played}) == 64
    assert {how["confidence"] for how in played} == {1 - 1e-8}
    assert [how["direction"] for how in played] == ["PQ", "PQ", "QP", "QP"] * 16
    # what a worker played counts here, and the failure is shared before anything is played
    monkeypatch.setattr("mc.examine.stages.strategy_search.mesh_strategy", lambda *_: (1.0, strategy))
    trial = StrategySearch(subject=about, each=1e-8)
    assert list(_on_mesh(trial, (Gaussian(0.4),), AT, 1, WorkLimit.of(LONG))) == []
    assert (trial.tried, trial.played, len(trial.rows)) == (1, 2, 2)
    fixed = Mock(return_value=())
    monkeypatch.setattr("mc.examine.stages.strategy_search._fixed", fixed)
    monkeypatch.setattr("mc.examine.stages.strategy_search._menus", lambda *_: ())
    assert len(list(search(about, WorkLimit.of(LONG), 6.4e-7))) == 1
    assert [call.args[0].each for call in fixed.call_args_list] == pytest.approx([1e-8] * 3)


def test_search_refutes_a_filter_that_only_caps_each_round_and_plays_on_fresh_numbers() -> None:
    found = search(subject(CapsEachRound(), "gaussian"), WorkLimit.of(800_000), FAILURE / 2)
    refuted = next(one for one in found if one.witness is not None)
    assert refuted.verdict.evidence is Evidence.STATISTICAL
    again = refuted.witness.replay()
    assert again.refutes
    assert again.result.failure <= FAILURE / 2


def test_a_stage_without_work_left_says_so_and_search_asks_those_that_look_at_losses() -> None:
    about, looking = subject(toys.ByHand(), "rr"), subject(CapsEachRound(), "gaussian")
    for stage in (sequences(about, LATE), games(about, LATE), search(looking, LATE, FAILURE)):
        assert list(stage)[-1].unseen.endswith("its share of the work was used up")
    assert not list(search(about, LATE, FAILURE))


def test_what_can_come_little_nearer_is_not_looked_at_and_what_may_refute_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Looks for the report alone took two thirds of the stage of a filter whose sum swallows small requests."""
    looked = Mock(side_effect=Sequence.low)
    monkeypatch.setattr(Sequence, "low", lambda *asked: looked(*asked))
    sought = SequenceSearch(subject=subject(fp.ZCDPFilter(0.5)))
    first, nearer = (Sequence(((fp.Gaussian(mu), 1),)) for mu in (0.9, 0.9001))
    farther, above = Sequence(((fp.Gaussian(0.99), 1),)), Sequence(((fp.Gaussian(1.01), 1),))
    assert not sought.take(first)
    for played, seen in ((nearer, False), (farther, True), (above, True)):
        looked.reset_mock()
        assert not sought.take(played)  # what it denies refutes nothing
        assert looked.called is seen
    assert sought.refuted == 0
