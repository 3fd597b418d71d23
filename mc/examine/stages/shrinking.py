"""The stages that minimise a play: the refutation, which is traced as well, or else the nearest to the guarantee.

Every change is certified again: a sequence by its admission and a certified lower bound, a menu by its solved game, a
plan in rational numbers. The order of the attempts is fixed; the work limit only ends them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import combinations, pairwise, product, takewhile
from typing import TypeVar

from filterproof.filters.contract.work import OutOfWork, WorkLimit, stopping_at
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.engine.encoding import decode, decode_fraction
from filterproof.mc.examine.counterexample import CLEAR_FACTOR, Counterexample, sequence_counterexample
from filterproof.mc.examine.divergence import Divergence, certainly_exceeds
from filterproof.mc.examine.examination_context import ExaminationContext
from filterproof.mc.examine.filter_fault import FilterFault, filter_faults_raised
from filterproof.mc.examine.formatting import count_words, pair_words
from filterproof.mc.examine.minimise import minimise
from filterproof.mc.examine.pairs_in_attributes import allowed_values_for
from filterproof.mc.examine.sequence import RequestSequence, most_kept
from filterproof.mc.examine.stage_finding import USED_UP, StageFinding, Tightness
from filterproof.mc.examine.stages.game_menus import GameMenu
from filterproof.mc.examine.stages.games import chosen_targets, solve_both_directions
from filterproof.mc.examine.stages.plays import simple_plays
from filterproof.mc.examine.stages.rational_plans import (
    admits_pair,
    best_plan_counterexample,
    epsilons_and_rational_exps,
    rational_exp_epsilon_above,
)
from filterproof.mc.examine.stages.sequences import quick_upper_bounds
from filterproof.mc.examine.trace import (
    Trace,
    guarantee_and_play_curves,
    trace_of_plan,
    trace_of_sequence,
    truncate_to_rounds,
)
from filterproof.mc.examine.worker import iter_within_limit
from filterproof.mc.worst_case.plan import AdaptivePlan
from filterproof.theory.evidence import Evidence
from filterproof.theory.numerics.decimals import format_up
from filterproof.theory.pairs import DominatingPair, Erasure, RandomizedResponse
from filterproof.theory.rounding import away_from_zero

T = TypeVar("T")

_QUESTION = "What is the simplest play that breaks the guarantee, and by how much?"
_SHARE_QUESTION = "How much of the guarantee does an admitted play reach?"
#: A larger multiple of the guarantee than another, by which a person notices more.
_NOTICED = 1.01
#: The number of divergences at which a play is computed exactly, and the smallest promised delta that is considered.
_TARGETS, _MIN_PROMISED = 4, 1e-3
#: The share of the work for the search; the rest is for the trace of the result.
_SEARCH_SHARE = 0.8
#: e^epsilon of simple responses, and shares of erasures; the rounds of a menu's game that is written out.
_SIMPLE_RATIOS = ((3, 1), (2, 1), (3, 2), (5, 4), (11, 10), (21, 20), (101, 100), (1001, 1000))
_PARTS, _WRITTEN = tuple(Fraction(d, 10**k) for k in range(1, 8) for d in (5, 1)), 6
#: The share of the nearest value that a play with fewer requests has to keep.
_KEPT_SHARE = 0.99
#: The number of grants for which the upper end of a proof from source code, whose sums are rounded, is stated.
_GRANTS = 1000


def shrink(
    subject: ExaminationContext, counterexamples: tuple[Counterexample, ...], limit: WorkLimit
) -> Iterator[StageFinding]:
    """Yield one finding: the clearest counterexample with its trace, or the earlier one if none is simpler."""
    search = _ShrinkingSearch(subject, limit.fraction(0.35), counterexamples, counterexamples[0])
    with suppress(OutOfWork), stopping_at(limit.fraction(_SEARCH_SHARE)):
        search.run(limit)
    yield search.finding(limit)


@dataclass(slots=True)
class _ShrinkingSearch:
    """The clearest counterexample so far."""

    subject: ExaminationContext
    limit: WorkLimit
    counterexamples: tuple[Counterexample, ...]
    best: Counterexample

    def run(self, limit: WorkLimit) -> None:
        """Look for a clearer counterexample in each way."""
        if self.subject.observes_losses:
            self.try_exact_plans()
        else:
            self.try_simple_plays()
            self.limit = limit.fraction(0.5)
            self.shrink()
            self.limit = limit.fraction(0.5)
            self.measure()
        if self.subject.deterministic:
            self.menu()
            self.limit = limit.fraction(0.7)
            self.convert_game_to_plan()

    def keep_if_clearer(self, counterexample: Counterexample | None) -> bool:
        """Keep a counterexample if it is clearer than the present one; return whether it was kept."""
        before, self.best = self.best, min(self.best, counterexample or self.best, key=lambda one: one.order)
        return self.best is not before

    def counterexample_of_sequence(self, played: RequestSequence) -> Counterexample | None:
        """Return a sequence's counterexample at a divergence certainly above the guarantee, or None."""
        above: Counterexample | None = None
        bounds = quick_upper_bounds(played, self.targets) if played.steps else ()
        likely = [
            (measure, promised, bound)
            for measure, bound in bounds
            if certainly_exceeds(bound, promised := self.subject.promised(measure))
        ]
        for measure, promised, bound in likely[:_TARGETS]:
            if above is not None and bound < CLEAR_FACTOR * promised:
                continue
            low = played.lower_bound(measure, promised)
            if not certainly_exceeds(low, promised) or not played.is_granted(self.subject.filter):
                continue
            counterexample = sequence_counterexample(self.subject.filter, played, measure, low)
            if low >= CLEAR_FACTOR * promised:
                return counterexample
            above = above or counterexample
        return above

    @property
    def targets(self) -> tuple[Divergence, ...]:
        """Return the divergences of the guarantee, without the far end of a curve."""
        bounded = [g for g in self.subject.targets if g.kind == "renyi" or self.subject.promised(g) < 1]
        clear = [g for g in bounded if g.kind == "renyi" or self.subject.promised(g) >= _MIN_PROMISED]
        return tuple(clear or bounded)

    def try_simple_plays(self) -> None:
        """Try simple plays until one is short, fixed, of well-known kinds, and far above the guarantee."""
        for played in simple_plays(self.subject, self.limit):
            if not any(self.best.order[:4]) or self.limit.exhausted:
                return
            best = self.best
            if not best.adaptive and best.factor >= CLEAR_FACTOR and best.order[3] == 0:
                played = truncate_to_rounds(played, best.rounds)  # only a shorter play can be simpler
            self.keep_if_clearer(self.counterexample_of_sequence(played))

    def shrink(self) -> None:
        """Remove the requests that the best sequence does not need."""
        fixed = [each for each in (self.best, *self.counterexamples) if each.kind == "sequence"]
        if not fixed:
            return
        start = min(fixed, key=lambda each: each.order)
        # a tiny excess is not convincing: keep half of the excess, or a hundredth of the guarantee
        minimum = min(1 + (start.factor - 1) / 2, 1.01 if start.factor < CLEAR_FACTOR else CLEAR_FACTOR)

        def refutes(played: RequestSequence) -> bool:
            counterexample = None if self.limit.exhausted else self.counterexample_of_sequence(played)
            if counterexample is None or counterexample.factor < minimum:
                return False
            self.keep_if_clearer(counterexample)
            return True

        self.keep_if_clearer(start)
        start.played.minimise(refutes, self.limit)

    def measure(self) -> None:
        """Measure the best sequence where its divergence is the largest multiple of the guarantee."""
        best = self.best
        if best.kind != "sequence" or best.measure.kind == "exceedance":
            return
        epsilons = sorted(each.at for each in self.targets if each.kind == "hockey-stick")
        between = [math.sqrt(low * high) for low, high in pairwise(epsilons) if low > 0]
        others = [each for each in self.targets if each.kind == "renyi"]
        for target in (*others, *map(Divergence.hockey_stick, (*epsilons, *between))):
            promised = self.subject.promised(target)
            at = replace(target, direction=best.measure.direction)
            if at == best.measure or self.limit.exhausted or not 0 < promised < math.inf:
                continue
            low = best.played.lower_bound(at, promised)
            if low > _NOTICED * self.best.factor * promised:
                self.best = sequence_counterexample(self.subject.filter, best.played, at, low)

    def menu(self) -> None:
        """Reduce the rounds and the pairs of the best menu's game."""
        best = self.best
        if best.kind != "menu" or best.measure.kind != "hockey-stick":
            return
        pairs: tuple[DominatingPair, ...] = decode(best.data["menu"], allowed_values_for(best.filter))
        lengths = (n for n in (2, 3, 4, 5, 6, 8, 10) if n < best.rounds)
        rounds = next((n for n in lengths if self._solve_smaller_game(pairs, n)), best.rounds)
        minimise(pairs, lambda some: bool(some) and self._solve_smaller_game(some, rounds), limit=self.limit)

    def _solve_smaller_game(self, pairs: tuple[DominatingPair, ...], rounds: int) -> bool:
        """Keep the game of this many rounds over these pairs if it is clearer."""
        menu = GameMenu(" or ".join(map(pair_words, pairs)), pairs, rounds)
        at = replace(self.best.measure, direction="PQ")
        games = self._run_within_limit(0.2, lambda: list(solve_both_directions(self.subject, menu, at)))
        return any(self.keep_if_clearer(game.counterexample) for game in games or () if game is not None)

    def _run_within_limit(self, share: float, work: Callable[[], T]) -> T | None:
        """Return the result of the work; None at the limit or for a request outside the filter's scope."""
        try:
            with filter_faults_raised(self.subject.filter), stopping_at(self.limit.fraction(share)):
                return work()
        except (OutOfWork, FilterFault):
            return None

    def convert_game_to_plan(self) -> None:
        """Replace the best menu's game by its best plan, which has a trace."""
        if self.best.kind == "menu":
            plan = self._run_within_limit(
                0.5, lambda: best_plan_over_rational_pairs(self.subject.filter, self.best)
            )
            self.best = plan or self.best

    def try_exact_plans(self) -> None:
        """Try exactly solved plans over a few simple rational requests, for a filter that looks at losses."""
        certain, factor, _, kinds = self.best.order[:4]
        short = self.best.kind == "plan" and self.best.rounds <= 2
        if not self.subject.mechanisms >= {"rr"} or (short and not (certain or factor or kinds)):
            return
        plans = iter_within_limit(refutations_by_simple_plans(self.subject), self.subject.filter, self.limit)
        with suppress(OutOfWork, FilterFault):  # responses and erasures may be outside the filter's scope
            for counterexample in plans:
                self.keep_if_clearer(counterexample)

    # -- the trace -----------------------------------------------------------------------------------

    def finding(self, limit: WorkLimit) -> StageFinding:
        """Return the best counterexample with its trace."""
        best, self.limit = self.best, limit
        trace = None
        with suppress(FilterFault, ValueError, OutOfWork):
            trace = self._trace_with_curve(best)
        scope = best.description
        if best.kind == "sequence":
            scope = f"the fixed sequence of {count_words(best.rounds, 'request')}, all granted"
        unseen = f"other plays: {USED_UP}" if limit.exhausted else ""
        words = ("shrinking", _QUESTION, best.description, scope)
        return StageFinding.from_counterexample(*words, best, not_tried=unseen, trace=trace)

    def _trace_with_curve(self, best: Counterexample) -> Trace | None:
        """Return the play and its curve, as far as the work allows."""
        filt = self.subject.filter
        match best.kind:
            case "sequence":
                trace, reached = trace_of_sequence(filt, best.played, best.measure), best.played.lower_bound
            case "plan":
                trace = trace_of_plan(filt, best.plan, best.measure, decode_fraction(best.data["ratio"]))
                reached = partial(_value_of_plan, best.plan, self.subject)
            case _:
                return None
        points = guarantee_and_play_curves(trace, filt.promise, reached)
        return replace(trace, curve=tuple(takewhile(lambda _: not self.limit.exhausted, points)))


# -- plans ---------------------------------------------------------------------------------------------


def refutations_by_simple_plans(subject: ExaminationContext) -> Iterator[Counterexample]:
    """Yield refutations by games over one or two simple granted requests, few rounds first."""
    filt, targets = subject.filter, tuple(epsilons_and_rational_exps(subject.filter, chosen_targets(subject)))
    start = filt.start(1)
    responses: list[DominatingPair] = [RandomizedResponse.from_ratio(Fraction(*of)) for of in _SIMPLE_RATIOS]
    erasures: list[DominatingPair] = [Erasure(away_from_zero(p), exact=p) for p in _PARTS]
    admitted = ([pair for pair in pairs if admits_pair(filt, start, pair)] for pairs in (responses, erasures))
    simple_pairs = [pair for few, pairs in zip((4, 1), admitted, strict=True) for pair in pairs[:few]]
    menus = [[pair] for pair in simple_pairs] + [list(two) for two in combinations(simple_pairs, 2)]
    for rounds, menu, (epsilon, ratio) in product((2, 3, 4, 5, 7, 10), menus, targets):
        if (counterexample := best_plan_counterexample(filt, menu, rounds, epsilon, ratio)) is not None:
            yield counterexample


def best_plan_over_rational_pairs(filt: PrivacyFilter, best: Counterexample) -> Counterexample | None:
    """Return the best plan over the rational pairs of a menu, or None if the other pairs matter much."""
    if best.measure.kind != "hockey-stick" or best.rounds > _WRITTEN:
        return None
    menu = decode(best.data["menu"], allowed_values_for(best.filter))
    pairs = [exact for pair in menu if (exact := pair.rational) is not None]
    if not pairs:
        return None
    ratio = rational_exp_epsilon_above(filt, best.measure.at)
    plan = best_plan_counterexample(filt, pairs, best.rounds, best.measure.at, ratio)
    return plan if plan is not None and plan.factor >= min(CLEAR_FACTOR, 0.9 * best.factor) else None


def _value_of_plan(plan: AdaptivePlan, subject: ExaminationContext, at: Divergence) -> float:
    return float(plan.value(subject.filter, Fraction(math.exp(at.at)), at.direction))


# -- the nearest play of an unrefuted filter -----------------------------------------------------------


def nearest_play(findings: Iterable[StageFinding]) -> Tightness | None:
    """Return the row with a certain play that comes nearest to its guarantee, the clearest of equal ones, or None."""
    rows = (row for finding in findings for row in finding.tightness)
    sure = [
        (-round(row.share, 4), row.play.order, row)
        for row in rows
        if row.play is not None and row.evidence is not Evidence.STATISTICAL and row.promised > 0
    ]
    return min(sure, key=lambda finding: finding[:2], default=(None, None, None))[2]


def tightness_stage(
    subject: ExaminationContext, findings: tuple[StageFinding, ...], limit: WorkLimit
) -> Iterator[StageFinding]:
    """Yield the play nearest to the guarantee, with few requests, and an upper bound by a theorem."""
    row = nearest_play(findings)
    if row is None or row.play is None:
        return
    play = row.play
    if play.kind == "sequence":
        if not play.played.is_granted(subject.filter):
            return  # a new run denies it
        play = _fewer_requests(subject.filter, play, limit)
    most, why = _upper_bound_and_reason(subject.filter, row.measure, findings)
    tightened = replace(row, attack=play.value, worst=most, evidence=play.evidence, play=play)
    detail = f"{tightened.reached} ({play.evidence.name})"
    detail += f"; no play exceeds {format_up(most)}, promised {row.promised:.6g}" if most is not None else ""
    yield StageFinding(
        "tightness", _SHARE_QUESTION, f"{detail}; {why}", play.description, "", tightness=(tightened,)
    )


def _fewer_requests(filt: PrivacyFilter, play: Counterexample, limit: WorkLimit) -> Counterexample:
    """Return the play without the requests that it does not need for nearly its value."""
    shorter = play

    def is_near(played: RequestSequence) -> bool:
        nonlocal shorter
        if not played.steps:
            return False
        low = played.lower_bound(play.measure, play.promised)
        if low < _KEPT_SHARE * play.value or not played.is_granted(filt):
            return False
        shorter = sequence_counterexample(filt, played, play.measure, low)
        return True

    with suppress(OutOfWork), stopping_at(limit):
        play.played.minimise(is_near, limit)
    return shorter


def _upper_bound_and_reason(
    filt: PrivacyFilter, measure: Divergence, findings: tuple[StageFinding, ...]
) -> tuple[float | None, str]:
    """Return an upper bound on the divergence of every play, and what it rests on; None without a theorem."""
    proved = next(
        (finding for finding in findings if finding.covers_all and finding.verdict is not None), None
    )
    if proved is None:
        return None, "no theorem bounds it from above"
    if proved.rounding:
        from filterproof.mc.prove.sum_bounds import guarantees_after_grants  # imports certified budgets

        most = max(map(measure.promised, guarantees_after_grants(proved.rounding, _GRANTS)))
        return most, f"by the proof from its source code, for up to {_GRANTS:,} grants"
    promised = measure.promised(filt.promise)
    if measure.kind == "hockey-stick":
        promised = most_kept(filt.extremal(measure.at), promised)
    return promised, "by the theorem that covers its code"
