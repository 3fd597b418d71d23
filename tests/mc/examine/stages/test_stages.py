"""Each stage by itself: what it finds, what it leaves to the others, and what it says that it did not look at."""

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import chain, combinations_with_replacement, islice
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

import filterproof as fp
from filterproof.filters.catalogue import CATALOGUE
from filterproof.filters.contract.contract_checks import checked_start
from filterproof.filters.contract.work import WorkLimit
from filterproof.mc.engine.adversaries import Scripted
from filterproof.mc.examine.divergence import Divergence
from filterproof.mc.examine.examination_context import ExaminationContext, admission_finding
from filterproof.mc.examine.parameter_families import FAMILY_TABLE, families_for_guarantee
from filterproof.mc.examine.sequence import RequestSequence
from filterproof.mc.examine.stage_schedule import FAILURE
from filterproof.mc.examine.stages.admission_boundary import (
    LargestGranted,
    best_guessed_menus,
    boundary_sequences,
)
from filterproof.mc.examine.stages.filter_invariants import invariant_stage
from filterproof.mc.examine.stages.game_menus import GameMenu, rare_event_menus
from filterproof.mc.examine.stages.games import game_stage, solve_both_directions
from filterproof.mc.examine.stages.plays import (
    PlayInProgress,
    greedy_plays,
    half_largest_request_plays,
    rounding_absorbed_request_plays,
    simple_plays,
)
from filterproof.mc.examine.stages.sequences import SequenceSearch, quick_upper_bounds, sequence_stage
from filterproof.mc.examine.stages.strategy_search import StrategySearch, grid_strategy, strategy_stage
from filterproof.theory.evidence import Evidence, Outcome
from filterproof.theory.pairs import DominatingPair, Gaussian, Laplace, RandomizedResponse, SubsampledGaussian
from tests.instruments.corpus.fifth.broken import ByteCounter
from tests.instruments.corpus.fifth.sound import SingleUpwards
from tests.instruments.corpus.fourth.purses import AlternatingBlocks, PlanByFamily
from tests.instruments.corpus.third.sound import BucketInTheSum
from tests.mc.examine import counterexamples as counterexamples
from tests.mc.examine import example_filters, misbehaving_filters
from tests.slow_cases import slow_but

LONG, LATE = 2_400_000, WorkLimit(-1)


def subject(filt: fp.PrivacyFilter, *names: str) -> ExaminationContext:
    family_list = families_for_guarantee(names or tuple(FAMILY_TABLE), filt.promise)
    return admission_finding(filt, family_list, WorkLimit.of(LONG), seed=7)[1]


def unsound(make: Callable[[], fp.PrivacyFilter]) -> fp.PrivacyFilter:
    with fp.suppress_unsound_warning():
        return make()


class CapsEachRound(example_filters.ByHand):
    """Looks at losses, and only caps each request."""

    def admits(self, state, request):
        return (self.cost(state, request) <= 0.1) & (state < 30)

    def spend(self, state, request):
        return state + 1

    def observe(self, state, loss):
        return state


class FloatLedger(example_filters.Sum):
    """Decides in doubles, and keeps what was spent in single precision."""

    def start(self, n):
        return super().start(n).astype(np.float32)

    def spend(self, state, request):
        return super().spend(state, request).astype(np.float32)


class SeesRewinding(example_filters.PureSum):
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


# -- what each stage finds ---------------------------------------------------------------------------------

SEARCH = partial(strategy_stage, failure=FAILURE)
#: The stage, a filter that it refutes, the families that it is asked for, and the kind and evidence of the
#: counterexample.
REFUTED: list[Any] = [
    (sequence_stage, ByteCounter, "gaussian", "sequence", Evidence.CERTIFIED),
    (sequence_stage, AlternatingBlocks, "gaussian rr", "sequence", Evidence.CERTIFIED),
    (game_stage, lambda: fp.SquaredLossFilter(0.5), "rr twopoint", "menu", Evidence.CERTIFIED),
    (game_stage, CATALOGUE["SomeOrderFilter"].example, "rr twopoint", "plan", Evidence.EXACT),
    (SEARCH, CapsEachRound, "gaussian", "simulation", Evidence.STATISTICAL),
]


@pytest.mark.parametrize(("stage", "make", "names", "kind", "evidence"), REFUTED)
def test_stage_refutes_by_a_counterexample_that_replays(
    stage: Any, make: Callable[[], fp.PrivacyFilter], names: str, kind: str, evidence: Evidence
) -> None:
    about = subject(unsound(make), *names.split())
    finding = next(each for each in stage(about, WorkLimit.of(800_000)) if each.counterexample is not None)
    assert finding.counterexample.kind == kind
    assert (finding.verdict.outcome, finding.verdict.evidence) == (Outcome.REFUTED, evidence)
    assert finding.counterexample.replay().refutes


@pytest.mark.parametrize(
    ("stage", "make"),
    [
        (sequence_stage, SingleUpwards),
        (game_stage, example_filters.ByHand),
        (SEARCH, CATALOGUE["RealisationFilter"].example),
        (SEARCH, example_filters.ByHand),
    ],
)
def test_stage_refutes_no_sound_filter_and_says_where_its_work_ended(
    stage: Any, make: Callable[[], fp.PrivacyFilter]
) -> None:
    about = subject(make(), "gaussian", "rr")
    for limit in (WorkLimit.of(8_000), LATE):
        findings = list(stage(about, limit))
        assert bool(findings) is (stage is not SEARCH or about.observes_losses)
        assert all(
            finding.counterexample is None and not finding.fault and not finding.covers_all
            for finding in findings
        )
        for row in chain.from_iterable(finding.tightness for finding in findings):
            assert row.attack <= row.promised * (1 + 1e-9)
            assert row.worst is None or row.attack <= row.worst
    assert all(finding.not_tried.endswith("its share of the work was used up") for finding in findings[-1:])


def test_sequence_that_comes_nearest_is_told_in_its_direction() -> None:
    sought = SequenceSearch(subject=subject(fp.ZCDPFilter(0.5), "gaussian", "twopoint"))
    p, q = Fraction(1, 200), Fraction(1, 100)
    rare = fp.FinitePair((p, 1 - p), (q, 1 - q))
    assert sought.measure_sequence(played := RequestSequence(((rare, 1),))) is None
    assert {row.measure.direction for row in sought.rows.values()} >= {"QP"}
    for row in sought.rows.values():
        assert row.attack == played.lower_bound(row.measure)
    assert (
        sought.measure_sequence(RequestSequence(((Gaussian(1.01), 1),))) is None
    )  # what it denies refutes nothing


# -- invariants --------------------------------------------------------------------------------------------


class RaisesForTwo(example_filters.ByHand):
    """Covers one run alone."""

    def admits(self, state, request):
        if len(state) > 1:
            raise LookupError("one run alone")
        return super().admits(state, request)


#: The filter, the families -> words of its fault, and of a note.
NAMED_FAULTS: list[tuple[type[fp.PrivacyFilter], tuple[str, ...], str, str]] = [
    (example_filters.NotMonotone, ("gaussian",), "", "violated invariant cheaper_is_admitted_too: Gaussian"),
    (RaisesForTwo, ("gaussian",), "RaisesForTwo.admits raised LookupError", ""),
    (misbehaving_filters.MixesRuns, ("gaussian",), "MixesRuns breaks the contract: it mixes runs", ""),
    (misbehaving_filters.GrantsOtherwise, ("gaussian",), "its grant is not its admits and spend", ""),
]


@pytest.mark.parametrize(("kind", "families", "fault", "note"), slow_but(NAMED_FAULTS[:2], NAMED_FAULTS))
def test_a_violated_determinism_is_a_fault_and_another_invariant_a_note(
    kind: type[fp.PrivacyFilter], families: tuple[str, ...], fault: str, note: str
) -> None:
    about = subject(kind(), *families)
    about = replace(
        about, families=tuple({line.definition.mechanism: line for line in about.families}.values())
    )
    assert {line.definition.mechanism for line in about.families} == {*families}
    (finding,) = invariant_stage(about, WorkLimit.of(LONG))
    assert fault in finding.fault
    assert bool(finding.fault) is bool(fault)
    assert [note in words for words in finding.notes] == [True] * bool(note)
    assert (finding.result == "no violation found") is not bool(fault or note)


def test_what_was_not_reached_is_said_and_one_family_is_asked_in_any_case() -> None:
    (finding,) = invariant_stage(subject(example_filters.ByHand(), "gaussian", "rr"), LATE)
    assert finding.menu == "gaussian"
    assert finding.not_tried.endswith("its share of the work was used up")


# -- candidates --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "generator", [greedy_plays, half_largest_request_plays, simple_plays, boundary_sequences]
)
def test_every_candidate_is_granted_in_one_order_however_much_work_is_allowed(generator: Any) -> None:
    about = subject(example_filters.PerFamily(), "gaussian", "rr")
    plays = [[*islice(generator(about, WorkLimit.of(units)), 2)] for units in (LONG, 2 * LONG)]
    assert plays[0] == plays[1] != []
    assert all(played.is_granted(about.filter) for played in plays[0])


def test_what_moves_an_empty_sum_and_no_large_one_is_asked_for_without_end() -> None:
    for filt, broken in ((FloatLedger(), True), (SingleUpwards(), False)):
        about = subject(filt, "gaussian", "twopoint")  # whose smallest reveals nothing
        plays = [*rounding_absorbed_request_plays(about, WorkLimit.of(LONG))]
        assert bool(plays) is any(played.violation(filt.promise, about.targets) for played in plays) is broken
        assert [
            *rounding_absorbed_request_plays(replace(about, deterministic=False), WorkLimit.of(LONG))
        ] == []


def test_a_player_keeps_to_what_is_granted_and_notices_what_leaves_the_state_as_it_was() -> None:
    filt, each = example_filters.ByHand(), np.sqrt(2 * example_filters.RHO / 5.5)
    player = PlayInProgress(filt, WorkLimit.of(LONG), checked_start(filt, 1))
    assert [player.request_and_count_grants(Gaussian(each), times) for times in (3, 10)] == [3, 2]
    assert not player.grants(Gaussian(each))
    assert player.played == RequestSequence(((Gaussian(each), 5),))
    for pure in (True, False):
        player = PlayInProgress(
            example_filters.Forgets(), WorkLimit.of(LONG), np.zeros(1), deterministic=pure
        )
        assert player.request_and_count_grants(Gaussian(0.1), 50) == (1 if pure else 50)
        assert (player.unchanging_request is None) is not pure


class Understated(Gaussian):
    """Declares a tenth of its mu; its distribution is its parent's."""

    @property
    def gdp_mu(self) -> Any:
        return self.mu / 10


def test_quick_bounds_are_above_the_certified_ones() -> None:
    targets = (
        Divergence.hockey_stick(0.5),
        Divergence.hockey_stick(2.0),
        Divergence.renyi(2.0),
        Divergence.renyi(8.0),
    )
    steps: list[Any] = [(Gaussian(2.0), 1), (RandomizedResponse(0.5), 3), (fp.KOV(0.2, 1e-3), 2)]
    steps += [(fp.SubsampledGaussian(0.1, 1.0), 4), (fp.LabelledRequest(Understated(0.5), {"site": "a"}), 3)]
    for step, other in combinations_with_replacement(steps, 2):
        played = RequestSequence((step, other))
        symmetric = all(pair.swapped == pair for pair in played.counts)
        assert [measure for measure, _ in quick_upper_bounds(played, targets)][4:] == [
            target.both_directions[1] for target in targets if not symmetric
        ]
        for measure, bound in quick_upper_bounds(played, targets, ("PQ", "QP")):
            assert (low := played.lower_bound(measure)) <= bound or low == bound == float("inf")


def test_what_is_afforded_is_granted_so_often_and_little_more_is_not() -> None:
    about = subject(fp.GaussianFilter(mu=1.0), "gaussian")
    frontier = LargestGranted(about, WorkLimit.of(LONG))
    for times in (1, 4, 16):
        size = frontier.largest_size_granted_in_a_row(frontier.fresh(), about.families[0], times)
        assert frontier.fresh().request_and_count_grants(fp.Gaussian(size), times) == times
        assert size == pytest.approx(times**-0.5, rel=5e-3)


def test_rows_of_as_many_requests_as_a_filter_takes_are_granted_and_refute_no_sum() -> None:
    about, target = subject(BucketInTheSum(), "gaussian", "rr", "erasure"), Divergence.hockey_stick(1.0)
    played = [*islice(boundary_sequences(about, WorkLimit.of(LONG)), 3)]
    assert max(play.rounds for play in played) == BucketInTheSum.rounds
    assert not any(play.lower_bound(target) > about.promised(target) for play in played)


def test_a_guessed_menu_is_worth_about_what_its_game_is() -> None:
    """`PlanByFamily`: after one answer another family is affordable than after the other."""
    about, target = subject(PlanByFamily(), "gaussian", "rr", "erasure"), Divergence.hockey_stick(1.0)
    share, menu = max(best_guessed_menus(about, (target,), WorkLimit.of(400_000)), key=lambda one: one[0])
    worst = fp.worst_case(about.filter, menu.pairs, epsilon=1.0, rounds=menu.rounds)
    assert {type(pair) for pair in menu.pairs} == {RandomizedResponse, Gaussian, fp.Erasure}
    assert worst.low > about.promised(target)
    assert share == pytest.approx(worst.low / about.promised(target), rel=0.02)


# -- alarms that nearly always keep silent, where a filter is shown what was lost -----------------------------


@pytest.mark.parametrize(
    "name", slow_but(["SquaredLossFilter"], ["HockeyStickFilter", "SquaredLossFilter", "ZCDPFilter"])
)
def test_silence_after_silence_passes_the_promise_of_squared_losses_alone(name: str) -> None:
    """Fractions are the second route: silence after silence, as long as the filter's own code grants the alarm."""
    filt, refuted = unsound(CATALOGUE[name].example), name == "SquaredLossFilter"
    games = rare_event_menus(subject(filt, "rr", "twopoint"), WorkLimit.of(200_000))
    for menu, target in games:
        (pair,) = menu.pairs
        more, less = sorted((Fraction(pair.p[0]), Fraction(pair.q[0])), reverse=True)
        alone = more**menu.rounds - Fraction(math.exp(target.at)) * less**menu.rounds
        promised = Fraction(filt.promise.delta(target.at)) * (1 + Fraction(1, 10**9))
        assert (alone > promised) is refuted
        # the filter's own code grants so many, and its game is worth no less than they are
        if refuted:
            worst = fp.worst_case(filt, menu.pairs, epsilon=target.at, rounds=menu.rounds)
            assert worst.low >= float(alone) * (1 - 1e-12)
    assert games if refuted else name != "ZCDPFilter" or not games


# -- games ---------------------------------------------------------------------------------------------------

ODD = fp.FinitePair((Fraction(1, 4), Fraction(3, 4)), (Fraction(1, 8), Fraction(7, 8)))
AT = Divergence.hockey_stick(1.0)


@pytest.mark.parametrize("pair", [RandomizedResponse(0.1), ODD])
@pytest.mark.parametrize(("share", "outcome"), [(1.01, Outcome.HOLDS), (0.99, Outcome.REFUTED)])
def test_game_holds_by_its_upper_bound_and_is_refuted_by_its_lower_one(
    pair: DominatingPair, share: float, outcome: Outcome
) -> None:
    filt, at = misbehaving_filters.SumOfZCDP(), Divergence.hockey_stick(0.01)
    filt.most = 1.0
    worst = fp.worst_case(filt, [pair], epsilon=at.at, rounds=2)
    filt.promise = fp.ApproxDP(at.at, share * worst.high)
    findings = [
        *solve_both_directions(ExaminationContext.of(filt, seed=1), GameMenu("a menu", (pair,), 2), at)
    ]
    assert findings[-1].verdict.outcome is outcome
    assert (findings[-1].counterexample is not None) is (outcome is Outcome.REFUTED)
    # the second direction is another game unless the pair is symmetric or the first one refutes
    assert len(findings) == 1 or (pair is ODD and findings[0].verdict.outcome is Outcome.HOLDS)
    assert len(findings) == 2 or pair is not ODD or outcome is Outcome.REFUTED


@pytest.mark.slow
def test_a_game_that_is_too_large_is_solved_roughly() -> None:
    filt = unsound(lambda: fp.AccountantFilter(2.0, 1e-5, (SubsampledGaussian(0.01, 1.0),)))
    first, *_ = solve_both_directions(
        ExaminationContext.of(filt, seed=1),
        GameMenu("its own menu", filt.menu, 2),
        Divergence.hockey_stick(2.0),
    )
    assert 0 < first.tightness[0].attack <= first.tightness[0].worst <= 1.2 * first.tightness[0].attack
    assert first.tightness[0].worst < first.tightness[0].promised


def test_a_game_that_no_solver_takes_is_none() -> None:
    about = ExaminationContext.of(CapsEachRound(), seed=1)
    menu = GameMenu("no finite pairs", (Gaussian(0.4), Laplace(3.0)), 2)
    assert [*solve_both_directions(about, menu, AT)] == [None, None]


class GaussiansOnly(CapsEachRound):
    """Raises for what it does not cover."""

    def admits(self, state, request):
        if not isinstance(request, Gaussian):
            raise TypeError("Gaussians only")
        return super().admits(state, request)


def test_no_game_is_played_with_a_family_that_the_filters_code_raises_for() -> None:
    about = subject(GaussiansOnly(), "gaussian", "rr", "erasure", "twopoint")
    assert about.mechanisms == {"gaussian"}
    assert all(finding.fault == "" for finding in game_stage(about, WorkLimit.of(40_000)))


# -- strategies that read losses -----------------------------------------------------------------------------


@pytest.mark.parametrize("pair", [RandomizedResponse(0.4), Laplace(3.0), Gaussian(0.4)])
def test_strategy_on_the_grid_is_worth_about_what_its_pair_is(pair: DominatingPair) -> None:
    at = Divergence.hockey_stick(0.2)
    worth, _ = grid_strategy(CapsEachRound(), (pair,), at, 1)
    assert worth == pytest.approx(float(pair.hockey_stick(0.2)), rel=0.5)


def test_each_play_has_numbers_and_a_share_of_the_failure_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    simulated = Mock(return_value=SimpleNamespace(data={"low": 0.5e-5, "value": 3e-5}))
    monkeypatch.setattr("filterproof.mc.examine.stages.strategy_search.record_simulation", simulated)
    about, strategy = subject(CapsEachRound(), "gaussian"), Scripted((Gaussian(0.4),), (1,))
    (summary,) = strategy_stage(about, WorkLimit.of(LONG), 6.4e-7)
    assert summary.counterexample is None
    assert {call.kwargs["confidence"] for call in simulated.call_args_list} == {1 - 1e-8}
    simulated.reset_mock()
    trial = StrategySearch(subject=about, each=1e-8)
    for _ in range(40):
        assert list(trial.play(strategy, "one Gaussian", AT, 1)) == []
    played = [call.kwargs for call in simulated.call_args_list]
    assert len(played) == len({how["seed"] for how in played}) == 64
    # an estimate above the guarantee is made again with ten times the paths
    assert [how["n"] for how in played[:2]] == [200_000, 2_000_000]
