"""The stage of sequences: requests in fixed orders, granted by the filter's own code, and their divergence.

Nothing is sampled. For a filter that ignores losses, every admitted sequence is a game with a certified lower bound.
For a filter that looks at losses, only a single first request is one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.contract.library import consists_of_library_values
from filterproof.filters.contract.work import WorkLimit, count_work
from filterproof.mc.examine.counterexample import sequence_counterexample
from filterproof.mc.examine.divergence import Divergence, certainly_exceeds
from filterproof.mc.examine.examination_context import ExaminationContext
from filterproof.mc.examine.formatting import count_words, sequence_words
from filterproof.mc.examine.parameter_families import mechanism_name
from filterproof.mc.examine.revalidation import nondeterminism_fault
from filterproof.mc.examine.search import MAX_TARGETS, SMALL_SHARE, Measurement, Search
from filterproof.mc.examine.sequence import MAX_PLAYED, RequestSequence, reached_delta
from filterproof.mc.examine.stage_finding import StageFinding, Tightness
from filterproof.mc.examine.stages.admission_boundary import boundary_sequences
from filterproof.mc.examine.stages.plays import (
    ROW_LENGTH,
    PlayInProgress,
    greedy_plays,
    half_largest_request_plays,
    rounding_absorbed_request_plays,
    simple_plays,
    unchanging_request_plays,
    unlocked_family_plays,
)
from filterproof.theory.pairs import DominatingPair, Gaussian
from filterproof.theory.pairs.base import Direction

#: The orders that select a sequence for the exact computation.
_RENYI_ORDERS = (1.5, 2.0, 3.0, 5.0, 9.0, 17.0, 33.0, 65.0, 129.0)
#: The largest promised delta at which extremal mechanisms are tried.
_MAX_PROMISED = 0.1
#: A sequence below this multiple of the best so far is skipped unless it may refute.
_NEWS_FACTOR = 1.1
#: Units of work of the quick bound on a sequence, and of the extremal mechanisms of a rule.
_MEASURED, _SUPREMUM = 10, 2000
_ORDERS_LESS_ONE = np.array(_RENYI_ORDERS) - 1
_CKS = _ORDERS_LESS_ONE * np.log1p(-1 / np.array(_RENYI_ORDERS)) - np.log(_RENYI_ORDERS)


@dataclass(slots=True)
class SequenceSearch(Search):
    """Requests in fixed orders: at most one refutation per set of classes, and the nearest of the rest.

    `near` has, for each divergence, the skipped sequence with the largest quick bound.
    """

    stage, question = "sequences", "Do requests fixed in advance exceed the guarantee?"

    promised: dict[Divergence, float] = field(init=False)
    near: dict[Divergence, tuple[float, RequestSequence]] = field(default_factory=dict)
    longest: int = 0

    def __post_init__(self) -> None:
        promised, bounded = self.subject.promised, self.subject.bounded_targets
        if not any(map(promised, bounded)):  # a share of nothing says nothing, so compare at epsilon 0, too
            bounded = (*bounded, Divergence.hockey_stick(0.0))
        sides = chain.from_iterable(target.both_directions for target in bounded)
        self.promised = {side: promised(side) for side in sides}

    def candidates(self, limit: WorkLimit) -> Iterator[Measurement]:
        """Yield the sequences, and then those that seemed to come nearest to the guarantee."""
        used, self.subject = self.subject, self.subject.with_copy_per_play()
        if self.subject is not used:
            yield _order_fault(used, self.subject, limit)
        searching = limit.fraction(1 - SMALL_SHARE)
        for played in _candidate_sequences(self.subject, searching):
            yield self.measure(played)
            if searching.exhausted:
                break
        self.cut = searching.exhausted  # the plays end with the work, too
        by_share = sorted(self.near.items(), key=lambda one: -one[1][0] / (self.promised[one[0]] or 1.0))
        for measure, (bound, played) in by_share:
            if bound > self.best(measure):
                yield iter((self.value(played, measure),))

    def measure(self, played: RequestSequence) -> Measurement:
        """Measure a sequence where it may refute or be news; a refutation ends the measurement."""
        self.tried += 1
        count_work(_MEASURED)
        self.longest = max(self.longest, played.rounds)
        refuted = (each.counterexample for each in self.refutations)
        if any(shown is not None and class_names(shown.played) == class_names(played) for shown in refuted):
            return
        targets = tuple(target for target in self.promised if target.direction == "PQ")
        for measure, bound in quick_upper_bounds(played, targets):
            promised = self.promised[measure]
            # computed exactly if it may refute, or if it may be clearly the best so far
            news = min(max(_NEWS_FACTOR * self.best(measure), 0.01 * promised), promised)
            if self.within and bound <= news:
                # for the first one, a value of zero is reported as well
                if bound > self.near.get(measure, (0.0, played))[0]:
                    self.near[measure] = bound, played
                continue
            if played.rounds <= ROW_LENGTH and not played.is_granted(self.subject.instance):
                return  # a new run denies it; longer ones may cost more than the divergence
            finding = self.value(played, measure)
            if finding.counterexample is None:
                yield finding
            elif played.is_granted(self.subject.instance):
                yield finding
                return

    def value(self, played: RequestSequence, measure: Divergence) -> StageFinding:
        """Return the finding of an admitted sequence: a refutation, or a value within the guarantee with its play."""
        low = played.lower_bound(measure, self.promised[measure])
        shown = sequence_counterexample(self.subject.filter, played, measure, low)
        if not certainly_exceeds(low, self.promised[measure]):
            return self.finding(Tightness.of(shown, _pair_counts_text(played), replays=True))
        how = f"{count_words(played.rounds, 'request')}, all granted, played one by one"
        if any(times > MAX_PLAYED for _, times in played.steps):
            how = "the last request leaves the state bit-identical, so it is granted any number of times"
        scope = f"the fixed sequence {sequence_words(played.steps)}, in that order; {how}"
        return self.refutation(_pair_counts_text(played), scope, shown)

    def words(self) -> tuple[str, str, str, None]:
        """Return the words on the sequences and on those that were not tried."""
        observes_losses = self.subject.observes_losses
        looks_text = "; for a filter that looks at losses, only first requests" if observes_losses else ""
        grids = [family for family in self.subject.families if family.definition.mechanism != "own"]
        sizes = "other sizes"
        if grids:
            smallest = min(family.definition.least for family in grids)
            most = max(family.definition.most for family in grids)
            above = {size for family in grids for size in family.asked_above if size > most}
            first = f", except {len(above)} as first requests, up to {max(above):.2g}" if above else ""
            sizes += f" (all below {smallest:.2g} and above {most:.2g}{first})"
        return (
            f"{count_words(len(self.refutations), 'refutation')} among {count_words(self.tried, 'sequence')}",
            ", ".join(family.definition.name for family in self.subject.families),
            f"sequences of more than {count_words(self.longest, 'request')}, other orders, {sizes}{looks_text}",
            None,
        )


def _order_fault(used: ExaminationContext, subject: ExaminationContext, limit: WorkLimit) -> Measurement:
    """Yield the fault of a filter that grants a request more often after some plays than a new copy of it does."""
    for pair in (family.largest for family in subject.families):
        fresh = PlayInProgress.fresh(subject, limit).request_and_count_grants(pair, ROW_LENGTH)
        again = (
            PlayInProgress.fresh(used, limit).request_and_count_grants(pair, ROW_LENGTH)
            for _ in range(ROW_LENGTH)
        )
        if any(granted > fresh for granted in again):
            fault = nondeterminism_fault(used.filter)
            yield StageFinding("sequences", "Do plays depend on earlier plays?", fault, "", "", fault=fault)
            return


def _candidate_sequences(subject: ExaminationContext, limit: WorkLimit) -> Iterator[RequestSequence]:
    """Yield sequences from cheap to expensive."""
    every = greedy_plays(subject, limit)
    yield from islice(every, 1)
    yield from (RequestSequence(((pair, 1),)) for family in subject.families for pair in family.pairs[:-3:-1])
    if subject.observes_losses:  # longer fixed sequences say nothing about such a filter
        yield from every
        return
    for plays in (unchanging_request_plays, rounding_absorbed_request_plays, unlocked_family_plays):
        yield from plays(subject, limit)
    tiny = rounding_absorbed_request_plays(subject, limit, tiny=True)
    rest = chain(half_largest_request_plays(subject, limit), _extremal_sequences(subject), every, tiny)
    turns = [simple_plays(subject, limit)] * 3 + [boundary_sequences(subject, limit)] * 2 + [rest]
    while turns:
        for plan in tuple(turns):
            if (played := next(plan, None)) is None:
                turns = [other for other in turns if other is not plan]
            else:
                yield played


def _extremal_sequences(subject: ExaminationContext) -> Iterator[RequestSequence]:
    """Yield the requests that the rule makes extremal at epsilons with a small promised delta, if they are granted."""
    small = (at for at in subject.hockey_stick_targets if 0 < subject.promised(at) <= _MAX_PROMISED)
    for target in islice(small, MAX_TARGETS):
        count_work(_SUPREMUM)
        extremal_requests = subject.filter.extremal(target.at)
        _, steps = reached_delta(subject.filter, extremal_requests, target.at, believed=True)
        if steps and subject.mechanisms >= {mechanism_name(pair) for pair, _ in steps}:
            yield RequestSequence(steps)


def class_names(played: RequestSequence) -> str:
    """Return the names of the classes of a sequence's pairs."""
    return "+".join(sorted({type(pair.unlabelled).__name__ for pair in played.counts}))


def quick_upper_bounds(
    played: RequestSequence, targets: Iterable[Divergence], directions: tuple[Direction, ...] = ()
) -> Iterator[tuple[Divergence, float]]:
    """Yield the divergences with quick upper bounds in doubles, by default in every distinct direction.

    The bounds use Rényi divergences and the declared mu of library pairs. They only select sequences for the exact
    computation.
    """
    symmetric = all(pair.swapped == pair for pair in played.counts)
    for direction in directions or (("PQ",) if symmetric else ("PQ", "QP")):
        measures = tuple(replace(target, direction=direction) for target in targets)
        yield from zip(measures, _upper_bounds_in_direction(played, measures, direction), strict=True)


def _upper_bounds_in_direction(
    played: RequestSequence, targets: tuple[Divergence, ...], direction: Direction
) -> list[float]:
    """Return quick upper bounds on the divergences in one direction."""
    orders = (*_RENYI_ORDERS, *(target.at for target in targets if target.kind == "renyi"))
    spent, total = np.zeros(len(orders)), 0.0
    with np.errstate(all="ignore"):
        for pair, times in played.steps:
            mu, divergences = _gdp_mu_and_renyi_divergences(pair, orders, direction)
            spent = spent + times * divergences
            total += times * mu * mu
        spent = np.where(np.isnan(spent), np.inf, spent)
    named = dict(zip(orders, spent.tolist(), strict=True))
    first = played.steps[0][0] if direction == "PQ" else played.steps[0][0].swapped
    bounds = []
    for target in targets:
        if target.kind == "renyi":
            bound = named[target.at]
        elif played.rounds == 1:
            bound = float(first.hockey_stick(target.at))
        else:
            bound = 1.0
            if 0 < total < math.inf:
                bound = float(Gaussian(math.sqrt(total)).hockey_stick(target.at))
            logs = _ORDERS_LESS_ONE * (spent[: len(_RENYI_ORDERS)] - target.at) + _CKS
            bound = min(bound, math.exp(min(float(logs.min()), 0.0)))
        bounds.append(bound * (1 + 1e-9))
    return bounds


@lru_cache(maxsize=1 << 14)
def _gdp_mu_and_renyi_divergences(
    pair: DominatingPair, orders: tuple[float, ...], direction: Direction
) -> tuple[float, NDArray[np.float64]]:
    """Return the GDP mu and the Rényi divergences that a pair declares, inf if unknown.

    A user's pair may declare anything.
    """
    pair = pair if direction == "PQ" else pair.swapped
    divergences = np.asarray(pair.renyi(np.array(orders)), dtype=np.float64)
    mu = float(pair.gdp_mu) if consists_of_library_values(pair) else math.inf
    return (mu if mu >= 0 else math.inf), np.where(divergences >= 0, divergences, np.inf)


def _pair_counts_text(played: RequestSequence) -> str:
    """Return the counts and classes of a sequence's pairs, such as "3 x Gaussian"."""
    names = [f"{times:,} x {type(pair.unlabelled).__name__}" for pair, times in played.counts.items()]
    return ", ".join(names[:3]) + (f", ... ({len(names)} pairs)" if len(names) > 3 else "")
