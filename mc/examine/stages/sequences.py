"""The stage of sequences: requests in fixed orders, granted by the filter's own code, and their divergence.

Nothing is sampled. For a filter that ignores losses, every admitted sequence is a game with a certified lower bound.
For a filter that looks at losses, only a single first request is one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, islice, repeat

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
from filterproof.mc.examine.sequence import MAX_PLAYED, RequestSequence, reached_delta
from filterproof.mc.examine.stage_finding import SearchLog, StageFinding, Tightness
from filterproof.mc.examine.stages.admission_boundary import boundary_sequences
from filterproof.mc.examine.stages.plays import (
    PlayInProgress,
    greedy_plays,
    half_largest_request_plays,
    rounding_absorbed_request_plays,
    simple_plays,
    unchanging_request_plays,
    unlocked_family_plays,
)
from filterproof.mc.examine.worker import register_summary
from filterproof.theory.pairs import DominatingPair, Gaussian
from filterproof.theory.pairs.base import Direction

#: The orders that select a sequence for the exact computation.
_RENYI_ORDERS = (1.5, 2.0, 3.0, 5.0, 9.0, 17.0, 33.0, 65.0, 129.0)
#: The number of epsilons at which extremal mechanisms are tried, and the largest promised delta there.
_EXTREMAL, _MAX_PROMISED = 3, 0.1
#: A sequence below this multiple of the best so far is skipped unless it may refute.
_NEWS_FACTOR = 1.1
#: The share of the work after which only near misses are computed.
_SEARCHED = 0.95
#: The most requests that are played again before a divergence is computed, which may cost more.
_FEW = 20
#: Units of work of the quick bound on a sequence, and of the extremal mechanisms of a rule.
_MEASURED, _SUPREMUM = 10, 2000
_ORDERS_LESS_ONE = np.array(_RENYI_ORDERS) - 1
_CKS = _ORDERS_LESS_ONE * np.log1p(-1 / np.array(_RENYI_ORDERS)) - np.log(_RENYI_ORDERS)


def sequence_stage(subject: ExaminationContext, limit: WorkLimit) -> Iterator[StageFinding]:
    """Yield findings on the admitted sequences: at most one refutation per family, and the best of the rest."""
    used, subject = subject, subject.with_copy_per_play()
    search = SequenceSearch(subject=subject)
    register_summary(search.summary)
    if subject is not used and _grants_more_when_used(used, subject, limit):
        fault = nondeterminism_fault(used.filter)
        yield StageFinding(search.stage, "Do plays depend on earlier plays?", fault, "", "", fault=fault)
    searching = limit.fraction(_SEARCHED)
    for played, only_above in _candidate_sequences(subject, searching):
        if (finding := search.measure_sequence(played, only_above=only_above)) is not None:
            yield finding
        if searching.exhausted:
            break
    search.cut = searching.exhausted  # the plays end with the work, too
    search.measure_near_misses(limit)
    yield search.summary()


def _grants_more_when_used(used: ExaminationContext, subject: ExaminationContext, limit: WorkLimit) -> bool:
    """Return whether the filter grants a request more often after some plays than a new copy of it does."""
    for pair in (family.largest for family in subject.families):
        fresh = PlayInProgress.fresh(subject, limit).request_and_count_grants(pair, _FEW)
        again = (PlayInProgress.fresh(used, limit).request_and_count_grants(pair, _FEW) for _ in range(_FEW))
        if any(granted > fresh for granted in again):
            return True
    return False


def _candidate_sequences(
    subject: ExaminationContext, limit: WorkLimit
) -> Iterator[tuple[RequestSequence, bool]]:
    """Yield sequences from cheap to expensive, and whether only a possible refutation is computed exactly."""
    singles = (RequestSequence(((pair, 1),)) for family in subject.families for pair in family.pairs[:-3:-1])
    every = greedy_plays(subject, limit)
    yield from zip(islice(every, 1), repeat(False))
    yield from zip(singles, repeat(True))
    if subject.observes_losses:  # longer fixed sequences say nothing about such a filter
        yield from zip(every, repeat(False))
        return
    early = (unchanging_request_plays, rounding_absorbed_request_plays, unlocked_family_plays)
    yield from zip(chain.from_iterable(plays(subject, limit) for plays in early), repeat(True))
    rest = chain(
        half_largest_request_plays(subject, limit),
        _extremal_sequences(subject),
        every,
        rounding_absorbed_request_plays(subject, limit, tiny=True),
    )
    yield from _interleave_sequences(
        (simple_plays(subject, limit), 3), (boundary_sequences(subject, limit), 2), (rest, 1)
    )


def _interleave_sequences(
    *plans: tuple[Iterator[RequestSequence], int],
) -> Iterator[tuple[RequestSequence, bool]]:
    """Yield a fixed number of each plan's sequences in turn, and whether only refutations matter."""
    waiting = list(plans)
    while waiting:
        for plan, times in tuple(waiting):
            taken = list(islice(plan, times))
            yield from zip(taken, repeat(plan is not plans[-1][0]))
            if len(taken) < times:
                waiting.remove((plan, times))


def _extremal_sequences(subject: ExaminationContext) -> Iterator[RequestSequence]:
    """Yield the requests that the rule makes extremal at epsilons with a small promised delta, if they are granted."""
    small = (at for at in subject.hockey_stick_targets if 0 < subject.promised(at) <= _MAX_PROMISED)
    for target in islice(small, _EXTREMAL):
        count_work(_SUPREMUM)
        extremal_requests = subject.filter.extremal(target.at)
        _, steps = reached_delta(subject.filter, extremal_requests, target.at, believed=True)
        if steps and subject.mechanisms >= {mechanism_name(pair) for pair, _ in steps}:
            yield RequestSequence(steps)


@dataclass(slots=True)
class SequenceSearch(SearchLog):
    """The best value at each divergence, and the families with a refutation."""

    stage, question = "sequences", "Do requests fixed in advance exceed the guarantee?"

    subject: ExaminationContext = field(kw_only=True)
    promised: dict[Divergence, float] = field(init=False)
    refuted_mechanisms: set[str] = field(default_factory=set)
    near: dict[Divergence, tuple[float, RequestSequence]] = field(default_factory=dict)
    longest: int = 0

    def __post_init__(self) -> None:
        allowed = {target: self.subject.promised(target) for target in self.subject.targets}
        self.promised = {
            target: p
            for target, p in allowed.items()
            if p < (1 if target.kind == "hockey-stick" else math.inf)
        }
        if not any(self.promised.values()):  # a share of nothing says nothing, so compare at epsilon 0, too
            target = Divergence.hockey_stick(0.0)
            self.promised[target] = self.subject.promised(target)

    def measure_sequence(self, played: RequestSequence, *, only_above: bool = False) -> StageFinding | None:
        """Measure a sequence, or only a possible refutation. Return a finding for the first refutation of a family."""
        self.tried += 1
        count_work(_MEASURED)
        self.longest = max(self.longest, played.rounds)
        names = "+".join(sorted({type(pair.unlabelled).__name__ for pair in played.counts}))
        known = names in self.refuted_mechanisms
        for measure, bound in () if known else quick_upper_bounds(played, tuple(self.promised)):
            target = replace(measure, direction="PQ")
            promised, best = self.promised[target], self.rows.get(target)
            # computed exactly if it may refute, or if it may be clearly the best so far
            near = min(max(_NEWS_FACTOR * (best.attack if best else 0.0), 0.01 * promised), promised)
            if self.rows and bound <= (promised if only_above else near):
                # for the first one, a value of zero is reported as well
                if bound > self.near.get(measure, (0.0, played))[0]:
                    self.near[measure] = bound, played
                continue
            if played.rounds <= _FEW and not played.is_granted(self.subject.instance):
                return None  # a new run denies it
            low = played.lower_bound(measure, promised)
            if not certainly_exceeds(low, promised):
                self._record_value_within_guarantee(played, measure, low)
            elif played.is_granted(self.subject.instance):
                self.refuted += 1
                self.refuted_mechanisms.add(names)
                return self._refutation_finding(measure, played, low)
        return None

    def measure_near_misses(self, limit: WorkLimit) -> None:
        """Compute the sequences that seemed to come nearest to the guarantee, as far as the work allows."""
        by_share = sorted(self.near.items(), key=lambda one: -one[1][0] / (self._promised_at(one[0]) or 1.0))
        for measure, (bound, played) in by_share:
            best = self.rows.get(replace(measure, direction="PQ"))
            if limit.exhausted:
                return
            if best is None or bound > best.attack:
                low = played.lower_bound(measure, self._promised_at(measure))
                self._record_value_within_guarantee(played, measure, low)

    def _promised_at(self, measure: Divergence) -> float:
        return self.promised[replace(measure, direction="PQ")]

    def _record_value_within_guarantee(
        self, played: RequestSequence, measure: Divergence, low: float
    ) -> None:
        """Keep the value of an admitted sequence within the guarantee, with the sequence."""
        play = sequence_counterexample(self.subject.filter, played, measure, low)
        row = Tightness.of(play, _pair_counts_text(played), replays=True)
        self.keep(replace(measure, direction="PQ"), row)

    def _refutation_finding(self, measure: Divergence, played: RequestSequence, low: float) -> StageFinding:
        filt = self.subject.filter
        how = f"{count_words(played.rounds, 'request')}, all granted, played one by one"
        if any(times > MAX_PLAYED for _, times in played.steps):
            how = "the last request leaves the state bit-identical, so it is granted any number of times"
        scope = f"the fixed sequence {sequence_words(played.steps)}, in that order; {how}"
        shown = sequence_counterexample(filt, played, measure, low)
        return self.refutation(_pair_counts_text(played), scope, shown)

    def summary(self) -> StageFinding:
        """Return the summary of the sequences and the nearest one."""
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
        return self.finding(
            f"{count_words(self.refuted, 'refutation')} among {count_words(self.tried, 'sequence')}",
            ", ".join(family.definition.name for family in self.subject.families),
            f"sequences of more than {count_words(self.longest, 'request')}, other orders, {sizes}{looks_text}",
        )


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
