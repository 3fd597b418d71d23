"""The stage of admitted sequences: requests in fixed orders, put to the filter's own code, and what they reveal.

Nothing is sampled. For a filter that ignores losses every sequence that it admits is a game by itself, whose value is
certified from below. Of a filter that looks at losses only a first request is one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, islice, repeat

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.contract.library import made_of_the_library
from filterproof.filters.contract.work import WorkLimit, count
from filterproof.mc.examine.counterexample import sequence_counterexample
from filterproof.mc.examine.divergence import Divergence, exceeds
from filterproof.mc.examine.examination import StageFinding, Tightness
from filterproof.mc.examine.examination_context import ExaminationContext
from filterproof.mc.examine.extremal_steps import extremal_steps
from filterproof.mc.examine.formatting import count_words, steps_words
from filterproof.mc.examine.parameter_families import family_of
from filterproof.mc.examine.search_log import SearchLog
from filterproof.mc.examine.sequence import MOST_PLAYED, Sequence
from filterproof.mc.examine.stages.admissible_region import inside
from filterproof.mc.examine.stages.game_menus import sticks
from filterproof.mc.examine.stages.plays import plain, programs, shared, swallowed
from filterproof.mc.examine.worker import so_far
from filterproof.theory.evidence import Evidence
from filterproof.theory.pairs import DominatingPair, Gaussian
from filterproof.theory.pairs.base import Direction

#: The orders by which a sequence is judged before it is looked at exactly.
_ORDERS = (1.5, 2.0, 3.0, 5.0, 9.0, 17.0, 33.0, 65.0, 129.0)
#: Extremal mechanisms are tried at so many epsilons, at which no more than this is promised.
_EXTREMAL, _LITTLE = 3, 0.1
#: What is no more than so many times the best so far is not looked at, unless it may refute.
_NEWS = 1.1
#: Units of work of a quick look at a sequence, and of what is extremal for a rule.
_MEASURED, _SUPREMUM = 10, 2000
_LESS = np.array(_ORDERS) - 1
_CKS = _LESS * np.log1p(-1 / np.array(_ORDERS)) - np.log(_ORDERS)


def sequences(subject: ExaminationContext, limit: WorkLimit) -> Iterator[StageFinding]:
    """Findings on the sequences that the filter admits: at most one refutation a family, and the best of the rest."""
    search = SequenceSearch(subject=subject)
    so_far(search.summary)
    for played, only_above in _candidates(subject, limit):
        if (found := search.take(played, only_above=only_above)) is not None:
            yield found
        if limit.exhausted:
            break
    search.cut = limit.exhausted  # plays end with the work, too
    yield search.summary()


def _candidates(subject: ExaminationContext, limit: WorkLimit) -> Iterator[tuple[Sequence, bool]]:
    """Sequences from cheap to dear, and whether only one that may be above the promise is worth an exact look."""
    singles = (Sequence(((pair, 1),)) for line in subject.lines for pair in line.pairs[:-3:-1])
    every = programs(subject, limit)
    yield from zip(islice(every, 1), repeat(False))
    yield from zip(chain(singles, swallowed(subject, limit)), repeat(True))
    rest = chain(shared(subject, limit), _extremal(subject), every)
    if subject.looks:  # it tells nothing by its sequences
        yield from zip(rest, repeat(False))
    else:
        yield from _in_turn((plain(subject, limit), 3), (inside(subject, limit), 2), (rest, 1))


def _in_turn(*plans: tuple[Iterator[Sequence], int]) -> Iterator[tuple[Sequence, bool]]:
    """So many of each in turn, whatever time they take; of all but the last plan only what may be above matters."""
    waiting = list(plans)
    while waiting:
        for plan, times in tuple(waiting):
            taken = list(islice(plan, times))
            yield from zip(taken, repeat(plan is not plans[-1][0]))
            if len(taken) < times:
                waiting.remove((plan, times))


def _extremal(subject: ExaminationContext) -> Iterator[Sequence]:
    """What is extremal for the rule at epsilons where little is promised, where its own code grants it."""
    if subject.looks:
        return
    for goal in [goal for goal in sticks(subject) if 0 < subject.promised(goal) <= _LITTLE][:_EXTREMAL]:
        count(_SUPREMUM)
        steps = extremal_steps(subject.filter, goal.at)
        if steps and subject.families >= {family_of(pair) for pair, _ in steps}:
            yield Sequence(steps)


@dataclass(slots=True)
class SequenceSearch(SearchLog):
    """The best value found at each goal that can be exceeded at all, and the families that were refuted."""

    stage, asked = "sequences", "Do requests fixed in advance compose to more than was promised?"

    subject: ExaminationContext = field(kw_only=True)
    promised: dict[Divergence, float] = field(init=False)
    families: set[str] = field(default_factory=set)
    longest: int = 0

    def __post_init__(self) -> None:
        allowed = {goal: self.subject.promised(goal) for goal in self.subject.goals}
        self.promised = {
            goal: p for goal, p in allowed.items() if p < (1 if goal.kind == "hockey-stick" else math.inf)
        }

    def take(self, played: Sequence, *, only_above: bool = False) -> StageFinding | None:
        """Measure a sequence, or only one that may be above the promise; a finding where a family is first refuted."""
        self.tried += 1
        count(_MEASURED)
        self.longest = max(self.longest, played.rounds)
        names = "+".join(sorted({type(pair.asked).__name__ for pair in played.counts}))
        for measure, bound in () if names in self.families else most(played, tuple(self.promised)):
            goal = replace(measure, direction="PQ")
            promised, best = self.promised[goal], self.rows.get(goal)
            # computed where it may refute, or be the best so far by more than a little where nothing comes near
            near = min(max(_NEWS * (best.attack if best else 0.0), 0.01 * promised), promised)
            if self.rows and bound <= (promised if only_above else near):
                continue  # of the first one a value of zero is something to tell, too
            low = played.low(measure, promised)
            if not exceeds(low, promised):
                self.keep(goal, Tightness(measure, _menu(played), low, None, promised, Evidence.CERTIFIED))
            elif played.admitted(self.subject.filter):
                self.refuted += 1
                self.families.add(names)
                return self._refutation(measure, played, low)
        return None

    def _refutation(self, measure: Divergence, played: Sequence, low: float) -> StageFinding:
        filt, requests = self.subject.filter, count_words(played.rounds, "request")
        how = f"all of {requests} granted by {type(filt).__name__}, played one by one"
        if any(times > MOST_PLAYED for _, times in played.steps):
            how = "the last request leaves the state as it was, bit for bit, so it is granted any number of times"
        scope = f"the fixed sequence {steps_words(played.steps)}, in that order; {how}"
        counterexample = sequence_counterexample(filt, played, measure, low)
        return StageFinding.refuted(self.stage, self.asked, _menu(played), scope, counterexample)

    def summary(self) -> StageFinding:
        """What was played, and how near it came."""
        looks = "; of a filter that looks at losses, first requests alone" if self.subject.looks else ""
        return self.finding(
            f"{count_words(self.refuted, 'refutation')} among {count_words(self.tried, 'sequence')}",
            ", ".join(one.line.name for one in self.subject.lines),
            f"sequences of more than {count_words(self.longest, 'request')}, other orders, sizes between these{looks}",
            tuple(self.rows.values()),
        )


def most(
    played: Sequence, goals: Iterable[Divergence], directions: tuple[Direction, ...] = ()
) -> Iterator[tuple[Divergence, float]]:
    """The goals, by default in each direction that is another, with upper bounds in doubles, quickly computed.

    By Rényi divergences, and by what the library's pairs declare as mu. They only decide what is worth an exact look.
    """
    symmetric = all(pair.swapped == pair for pair in played.counts)
    for direction in directions or (("PQ",) if symmetric else ("PQ", "QP")):
        measures = tuple(replace(goal, direction=direction) for goal in goals)
        yield from zip(measures, _most(played, measures, direction), strict=True)


def _most(played: Sequence, goals: tuple[Divergence, ...], direction: Direction) -> list[float]:
    orders = (*_ORDERS, *(goal.at for goal in goals if goal.kind == "renyi"))
    spent, total = np.zeros(len(orders)), 0.0
    with np.errstate(all="ignore"):
        for pair, times in played.steps:
            mu, divergences = _declared(pair, orders, direction)
            spent = spent + times * divergences
            total += times * mu * mu
        spent = np.where(np.isnan(spent), np.inf, spent)
    named = dict(zip(orders, spent.tolist(), strict=True))
    first = played.steps[0][0] if direction == "PQ" else played.steps[0][0].swapped
    bounds = []
    for goal in goals:
        if goal.kind == "renyi":
            bound = named[goal.at]
        elif played.rounds == 1:
            bound = float(first.hockey_stick(goal.at))
        else:
            bound = 1.0
            if 0 < total < math.inf:
                bound = float(Gaussian(math.sqrt(total)).hockey_stick(goal.at))
            logs = _LESS * (spent[: len(_ORDERS)] - goal.at) + _CKS
            bound = min(bound, math.exp(min(float(logs.min()), 0.0)))
        bounds.append(bound * (1 + 1e-9))
    return bounds


@lru_cache(maxsize=1 << 14)
def _declared(
    pair: DominatingPair, orders: tuple[float, ...], direction: Direction
) -> tuple[float, NDArray[np.float64]]:
    """(The GDP parameter, the Rényi divergences) of a pair; inf where it has none, and a user's may declare any."""
    pair = pair if direction == "PQ" else pair.swapped
    divergences = np.asarray(pair.renyi(np.array(orders)), dtype=np.float64)
    mu = float(pair.gdp_mu) if made_of_the_library(pair) else math.inf
    return (mu if mu >= 0 else math.inf), np.where(divergences >= 0, divergences, np.inf)


def _menu(played: Sequence) -> str:
    names = [f"{times:,} x {type(pair.asked).__name__}" for pair, times in played.counts.items()]
    return ", ".join(names[:3]) + (f", ... ({len(names)} pairs)" if len(names) > 3 else "")
