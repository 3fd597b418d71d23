"""A fixed sequence of requests and certified lower bounds on the divergence of its transcript.

>>> import filterproof as fp
>>> played = RequestSequence(((fp.Gaussian(0.5), 4),))
>>> played.is_granted(fp.GaussianFilter(mu=1.0)), played.rounds
(True, 4)
>>> low = played.lower_bound(Divergence.hockey_stick(1.0))
>>> round(low, 9), round(fp.GaussianDP(1.0).delta(1.0), 9)  # four of mu^2 = 1/4 make one of mu = 1
(0.126936738, 0.126936738)
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, groupby
from operator import itemgetter
from typing import Any

import flint

from filterproof.filters.contract.contract_checks import checked_start
from filterproof.filters.contract.contract_checks import granted_state as granted_state
from filterproof.filters.contract.determinism import content_of_attributes as content_of_attributes
from filterproof.filters.contract.state import State, runs_equal
from filterproof.filters.contract.work import WorkLimit, count_work
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.engine.encoding import Nameable, decode, encode
from filterproof.mc.examine.divergence import Divergence, certainly_exceeds
from filterproof.mc.examine.filter_fault import FilterFault, filter_faults_raised
from filterproof.mc.examine.minimise import minimise
from filterproof.mc.losses.balls import BITS, to_ball
from filterproof.mc.losses.composition import Composition
from filterproof.mc.losses.finite_pair_from_cdfs import pair_with_known_tails
from filterproof.mc.losses.renyi_lower_bound import renyi_lower_bound
from filterproof.mc.losses.tails import tail_function
from filterproof.mc.worst_case.plan import GAIN_MARGIN
from filterproof.mc.worst_case.solve import worst_case_of_checked_filter
from filterproof.theory.argument_checks import check_count
from filterproof.theory.extremal import LargestDivergence
from filterproof.theory.extremal import Steps as Steps
from filterproof.theory.guarantees import Guarantee
from filterproof.theory.numerics.precision_lock import PRECISION_LOCK
from filterproof.theory.pairs import DominatingPair
from filterproof.theory.rounding import round_down

#: Requests of one kind that the filter gets one by one. More count as granted only if they change nothing.
MAX_PLAYED = 20_000
#: How close a lower bound on a composition is to the upper one: at first, and if a compared number lies between them.
_RELATIVE_WIDTH, _NARROWER_WIDTHS = 1e-2, (1e-4, 1e-6)
#: Units of work of a lower bound: on a Rényi divergence, on a composition of one finite pair or of Gaussians, on one
#: of several finite pairs, for each request of up to a thousand more, and for other pairs.
_RENYI_UNITS, _FINITE_UNITS, _SEVERAL_UNITS, _REQUEST_UNITS, _OTHER_UNITS = 10, 40, 500, 2, 3000
#: The most repetitions in a counterexample file, and the number of requests above which distances alone give the bound.
_MAX_REPETITIONS, _MANY = 2**128, 2**40


def _largest_total_loss(counts: Mapping[DominatingPair, int]) -> Fraction | float:
    """Return the largest loss of all pairs together, from their pure epsilons; inf if unbounded."""
    total = Fraction(0)
    for pair, times in counts.items():
        if not math.isfinite(pair.pure_epsilon):
            return math.inf
        # a user's pair may declare less than its tails have
        most, tails = Fraction(float(pair.pure_epsilon)), tail_function(pair)
        if not (tails.infinite == 0 and tails.above(most)[0] == 0):  # balls, which need not be exact
            return math.inf
        total += times * most
    return total


def _hockey_stick_bound_from_tv(counts: Mapping[DominatingPair, int], epsilon: float) -> float:
    """Return a lower bound on a composition's hockey-stick divergence, from total variations.

    Where p <= e^epsilon q, p is at most e^{epsilon/2} sqrt(p q), and elsewhere e^epsilon q is. So the divergence is at
    least 1 - e^{epsilon/2} sum sqrt(p q), and that sum is a product of factors of at most sqrt(1 - d^2) <= e^{-d^2/2}.
    """
    distances = ((Composition({pair: 1}).delta(0.0, direction="PQ"), n) for pair, n in counts.items())
    squares = sum(times * Fraction(distance.low) ** 2 for distance, times in distances)
    with PRECISION_LOCK, flint.ctx.workprec(BITS):
        return max(round_down(-((to_ball(epsilon) - to_ball(squares, BITS)) / 2).expm1()), 0.0)


@dataclass(frozen=True, slots=True)
class RequestSequence:
    """Requests fixed in advance: each pair of `steps` this many times in a row."""

    steps: Steps

    @property
    def rounds(self) -> int:
        """Return the number of requests."""
        return sum(times for _, times in self.steps)

    @property
    def counts(self) -> dict[DominatingPair, int]:
        """Return the number of requests of each pair, in the order of first appearance."""
        total: Counter[DominatingPair] = Counter()
        for pair, times in self.steps:
            total[pair] += times
        return dict(total)

    def is_granted(self, filt: PrivacyFilter) -> bool:
        """Whether the filter's own code grants every request of one run.

        The filter gets at most `MAX_PLAYED` requests of each step. More count as granted if the last of these left
        the state bit-identical, because a filter's methods are deterministic. They do not count if it changed
        attributes of the filter or its classes. For a filter that looks at losses, only a single request counts, since
        its grant depends on no loss.
        """
        state: State = checked_start(filt, 1)
        if filt.looks_at_losses and self.rounds > 1:
            return False
        for pair, times in self.steps:
            unchanged, before = True, dict[str, object]()
            for repetition in range(min(times, MAX_PLAYED)):
                if repetition == MAX_PLAYED - 1 < times - 1:  # before it requests may fill a cache
                    before = content_of_attributes(filt)
                after = granted_state(filt, state, pair)
                if after is None:
                    return False
                unchanged, state = bool(runs_equal(after, state)[0]), after
            # a counter in the object may stop the requests although the state does not change
            if times > MAX_PLAYED and not (unchanged and before == content_of_attributes(filt)):
                return False
        return True

    def lower_bound(self, measure: Divergence, near: float | None = None) -> float:
        """Return a certified lower bound on the divergence of the composition, with all rounding errors included.

        A composition has the lower end of the bounds of `Composition`, refined while `near`, usually the guarantee,
        lies between them. Rényi divergences add. A pair of which nothing is known counts as one that reveals nothing.
        """
        counts = self.counts
        if measure.direction == "QP":
            counts = {pair.swapped: times for pair, times in counts.items()}
        measured = ((pair_with_known_tails(pair), times) for pair, times in counts.items())
        counts = RequestSequence(tuple((pair, times) for pair, times in measured if pair is not None)).counts
        if measure.kind != "renyi":
            # no transcript has a loss above epsilon, so the divergence is 0
            if not counts or _largest_total_loss(counts) <= measure.at:
                return 0.0
            count_work(self._lower_bound_units(measure))
            if self.rounds > _MANY and any(pair.normal_mu is None for pair in counts):
                return _hockey_stick_bound_from_tv(counts, measure.at)
            composition = Composition(counts)
            bounds = composition.delta(measure.at, relative=_RELATIVE_WIDTH, direction="PQ")
            for relative in _NARROWER_WIDTHS:
                if near is None or not bounds.low <= near * (1 + GAIN_MARGIN) < bounds.high:
                    break
                if bounds.relative_width > relative:
                    bounds = composition.delta(measure.at, relative=relative, direction="PQ")
            return bounds.low
        count_work(self._lower_bound_units(measure))
        total = Fraction(0)
        for pair, times in counts.items():
            if pair.normal_mu is not None:
                total += times * Fraction(measure.at) * Fraction(float(pair.normal_mu)) ** 2 / 2
            elif math.isinf(low := renyi_lower_bound(pair, measure.at)):
                return math.inf
            else:
                total += times * Fraction(low)
        return round_down(total)

    def _lower_bound_units(self, measure: Divergence) -> int:
        """Return about the units of work that a lower bound takes."""
        if measure.kind == "renyi":
            return _RENYI_UNITS * len(self.counts)
        requests, kinds = _REQUEST_UNITS * min(self.rounds, 1000), [*self.counts]
        if all(pair.normal_mu is not None for pair in kinds):
            return _FINITE_UNITS
        if all(pair.outputs is not None or pair.normal_mu is not None for pair in kinds):
            return _FINITE_UNITS if len(kinds) == 1 else _SEVERAL_UNITS + requests
        return _OTHER_UNITS + requests

    def violation(
        self, promise: Guarantee, measures: Iterable[Divergence]
    ) -> tuple[Divergence, float] | None:
        """Return the first divergence that certainly exceeds the guarantee in a direction, and its lower bound."""
        for measure in chain.from_iterable(target.both_directions for target in measures):
            promised = measure.promised(promise)
            if certainly_exceeds(low := self.lower_bound(measure, promised), promised):
                return measure, low
        return None

    def minimise(self, fails: Callable[[RequestSequence], bool], limit: WorkLimit) -> None:
        """Try shorter sequences that still fail: each step is removed by halves, quarters and so on."""
        pieces = []
        for pair, left in self.steps:
            while left:
                pieces.append((pair, (left + 1) // 2))
                left //= 2

        def joined(some: Steps) -> RequestSequence:
            """Return the sequence with equal neighbouring requests merged."""
            rows = groupby(some, key=itemgetter(0))
            return RequestSequence(tuple((pair, sum(times for _, times in row)) for pair, row in rows))

        minimise(pieces, lambda some: fails(joined(some)), limit=limit)

    def to_data(self, names: Nameable) -> list[dict[str, Any]]:
        """Return the sequence as JSON-compatible data."""
        return [{"request": encode(pair, names), "times": times} for pair, times in self.steps]

    @classmethod
    def from_data(cls, data: object, names: Nameable) -> RequestSequence:
        """Return the sequence that `to_data` wrote. Raises ValueError for other data."""
        wrong = ValueError(
            f"sequence must have requests and times, got {repr(data)[:40]}; pass the data that to_data returned"
        )
        if not isinstance(data, list | tuple) or not data:
            raise wrong
        steps = []
        for step in data:
            if not isinstance(step, Mapping) or set(step) != {"request", "times"}:
                raise wrong
            pair = decode(step["request"], names)
            if not isinstance(pair, DominatingPair) or pair.shape != ():
                raise wrong
            steps.append((pair, check_count("times", step["times"], most=_MAX_REPETITIONS)))
        return cls(tuple(steps))


def reached_delta(
    filt: PrivacyFilter, largest: LargestDivergence, epsilon: float, *, believed: bool
) -> tuple[float, Steps]:
    """Return the delta that the proposed requests reach, and the requests; (0, ()) if the filter's code denies one.

    A user's filter or guarantee may have an `extremal` of its own. Unless it is `believed`, the delta is computed
    again by composition.
    """
    played = RequestSequence(tuple(largest.steps))
    if not played.steps or not _all_granted(filt, played, largest, epsilon):
        return 0.0, ()
    low = largest.low
    if not believed:
        low = max(played.lower_bound(side, low) for side in Divergence.hockey_stick(epsilon).both_directions)
    return (low, played.steps) if low > 0 else (0.0, ())


def _all_granted(
    filt: PrivacyFilter, played: RequestSequence, largest: LargestDivergence, epsilon: float
) -> bool:
    """Whether the filter's own code grants every request, whatever losses it observes."""
    with suppress(FilterFault, ValueError), filter_faults_raised(filt):  # the filter may not cover such pairs
        if not filt.looks_at_losses:
            return played.is_granted(filt)
        game = worst_case_of_checked_filter(filt, tuple(played.counts), epsilon=epsilon, rounds=played.rounds)
        return game.low >= largest.low * (1 - 2.0**-40)
    return False


def most_kept(largest: LargestDivergence, promised: float) -> float:
    """Return the largest delta that the theorem allows: the filter's own bound, or the guarantee if smaller."""
    # the guarantee is a double with a relative error of 1e-12, and a bound shown as 0 may be below the smallest double
    return min(largest.high, max(promised * (1 + 2.0**-38), math.ulp(0.0)))
