"""Plays of one run: fixed orders of requests, each tested on the filter's own code as the play is built.

>>> from filterproof.theory.pairs import Gaussian
>>> import filterproof as fp
>>> filt, limit = fp.GaussianFilter(mu=1.0), WorkLimit.of(1000)
>>> player = PlayInProgress(filt, limit, filt.start(1))
>>> player.request_and_count_grants(Gaussian(0.5), times=10), player.played.rounds
(4, 4)
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import product

import numpy as np

from filterproof.filters.contract.contract_checks import checked_observe, checked_start
from filterproof.filters.contract.largest_granted import largest_granted
from filterproof.filters.contract.state import State, runs_equal
from filterproof.filters.contract.work import WorkLimit
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.examine.examination_context import ExaminationContext, GrantedSizes
from filterproof.mc.examine.parameter_families import OneParameterFamily
from filterproof.mc.examine.sequence import RequestSequence, granted_state
from filterproof.theory.pairs import DominatingPair

#: The most requests of one family, each as large as is granted.
_MAX_REQUESTS_OF_FAMILY = 1200
#: How many grid sizes below the last granted one are tried: a smaller rest is not worth it.
_MAX_SMALLER_SIZES = 61
#: Families whose largest pair is also searched between the grid sizes.
_FINE_FAMILIES = ("gaussian", "rr", "laplace", "kov", "erasure")
#: How many requests of a play are the largest to the last bit, and the relative precision of the later ones.
_EXACT, _COARSE = 2, 2.0**-12

#: Sizes that people write: one or two digits.
_LEADING_DIGITS = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0)
ROUND_SIZES = tuple(float(f"{d:g}e{k}") for k in (-9, *range(-4, 2)) for d in _LEADING_DIGITS)
#: Families whose pairs shrink as their parameter grows.
_INVERSE_FAMILIES = ("laplace", "subsampled")
#: Shares of the largest request, and how many small requests come before a large one.
_SHARES, _BEFORE = (1.0, 0.9, 0.75, 0.5, 0.25, 0.1), (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100)
#: Requests of one kind in a row in a simple play.
_ROW_LENGTH = 30
#: The size of a negligible request, relative to the largest, and a sum of squared epsilons below which nothing is seen.
_HARDLY, _NOTHING = 0.01, 2.0**-40


@dataclass(slots=True)
class PlayInProgress:
    """One run of the filter, its granted requests so far, and its last state.

    A filter that looks at losses observes the upper `tail` quantile of each. `copies` says that the filter is a copy
    for this run alone.
    """

    filter: PrivacyFilter
    limit: WorkLimit
    state: State
    tail: float | None = None
    deterministic: bool = True
    steps: list[tuple[DominatingPair, int]] = field(default_factory=list)
    unchanging_request: DominatingPair | None = None
    copies: bool = False

    @classmethod
    def fresh(
        cls,
        subject: ExaminationContext,
        limit: WorkLimit,
        tail: float | None = None,
        *,
        deterministic: bool = False,
    ) -> PlayInProgress:
        """Return a run without requests."""
        filt = subject.instance
        copies = subject.unused is not None
        return cls(filt, limit, checked_start(filt, 1), tail, deterministic and not copies, copies=copies)

    def request_and_count_grants(
        self, pair: DominatingPair, times: int = 1, *, loss: float | None = None
    ) -> int:
        """Request the pair up to `times` in a row; return how often it is granted.

        Stop when the state does not change. `loss` is the realised loss of each release, if given.
        """
        granted_rounds = 0
        while granted_rounds < times and not self.limit.exhausted:
            after = granted_state(self.filter, self.state, pair)
            if after is None:
                break
            granted_rounds += 1
            shown = _loss_isf(pair, self.tail) if loss is None and self.tail is not None else loss
            if shown is not None:
                after = checked_observe(self.filter, after, np.array([shown]), 1)
            elif self.deterministic and runs_equal(after, self.state)[0]:
                self.unchanging_request = pair
                break
            self.state = after
        if granted_rounds:
            before = self.steps.pop()[1] if self.steps and self.steps[-1][0] == pair else 0
            self.steps.append((pair, before + granted_rounds))
        return granted_rounds

    def fork(self) -> PlayInProgress:
        """Return another run with the same past."""
        return replace(self, filter=self._filter_or_copy, steps=list(self.steps))

    def grants(self, pair: DominatingPair) -> bool:
        """Whether the pair would be granted next."""
        return granted_state(self._filter_or_copy, self.state, pair) is not None

    @property
    def _filter_or_copy(self) -> PrivacyFilter:
        """Return the filter, or a copy of one that keeps data in its attributes."""
        return deepcopy(self.filter) if self.copies else self.filter

    @property
    def played(self) -> RequestSequence:
        return RequestSequence(tuple(self.steps))


@lru_cache(maxsize=1 << 14)
def _loss_isf(pair: DominatingPair, tail: float) -> float:
    return float(pair.loss_isf(tail))


def greedy_plays(
    subject: ExaminationContext, limit: WorkLimit, tail: float | None = None
) -> Iterator[RequestSequence]:
    """Yield plays that request the largest granted pair each time, the cheapest plays first."""
    fresh = partial(PlayInProgress.fresh, subject, limit, tail, deterministic=subject.deterministic)
    yield from (RequestSequence(((family.largest, 1),)) for family in subject.families)
    if subject.observes_losses and tail is None:
        return
    for family in subject.families:  # then the largest of every other family
        yield from _largest_requests_in_turn(fresh(), (family, *_other_families(subject, family)), 8)
    for family in subject.first_families:  # for as long as anything is granted
        yield from _largest_requests_in_turn(fresh(), (family,), _MAX_REQUESTS_OF_FAMILY)


def unlocked_family_plays(
    subject: ExaminationContext, limit: WorkLimit, tail: float | None = None
) -> Iterator[RequestSequence]:
    """Yield plays of families that are granted only after requests of other families."""
    fresh = PlayInProgress.fresh(subject, limit, tail, deterministic=subject.deterministic)
    for before, family in _runs_unlocking_families(subject, fresh):
        yield from _largest_requests_in_turn(before.fork(), (family, *_other_families(subject, family)), 8)


def _runs_unlocking_families(
    subject: ExaminationContext, fresh: PlayInProgress
) -> Iterator[tuple[PlayInProgress, GrantedSizes]]:
    """Yield each family granted only after other requests, with a run that made these requests.

    After each kind of grant, every family that was denied so far is asked again.
    """
    granted_families = subject.first_families
    locked = subject.all_first_families[len(granted_families) :]
    front = [fresh]
    while front and locked:
        following: list[PlayInProgress] = []
        for before, family in product(front, granted_families):
            if fresh.limit.exhausted:
                return
            for size in _smallest_and_largest_granted(before, family):
                player = before.fork()
                if not player.request_and_count_grants(family.definition.pair(size)):
                    continue
                opened = [other for other in locked if _smallest_and_largest_granted(player, other)]
                yield from ((player, other) for other in opened)
                if opened:
                    following.append(player)
                    granted_families += tuple(opened)
                    locked = tuple(other for other in locked if other not in opened)
        front = following


def _smallest_and_largest_granted(player: PlayInProgress, family: GrantedSizes) -> tuple[float, ...]:
    """Return the smallest and the largest octave of the family that would be granted next."""
    sizes = [t for t in family.definition.sizes[::4] if player.grants(family.definition.pair(t))]
    return tuple(dict.fromkeys((*sizes[:1], *sizes[-1:])))


def _other_families(subject: ExaminationContext, family: GrantedSizes) -> tuple[GrantedSizes, ...]:
    """Return the first of the other families of each mechanism, granted at the start or not."""
    return tuple(other for other in subject.all_first_families if other is not family)


def _largest_requests_in_turn(
    player: PlayInProgress, families: tuple[GrantedSizes, ...], most: int
) -> Iterator[RequestSequence]:
    """Request the largest granted pairs of each family in turn, and yield the play.

    After a grant, denied families are requested again. A last request that left the state unchanged is repeated ever
    more often.
    """
    pending, denied = deque(families), list[GrantedSizes]()
    while pending:
        if request_greedily(player, family := pending.popleft(), most):
            pending.extend(denied)
            denied.clear()
        else:
            denied.append(family)
    yield from (player.played,) if player.steps else ()
    free = player.unchanging_request
    if free is not None and player.steps[-1][0] == free:
        for exponent in (*range(1, 41, 3), 60, 80, 100, 120):
            if 2.0**exponent * free.pure_epsilon**2 >= _NOTHING:
                yield RequestSequence((*player.steps[:-1], (free, 2**exponent)))


def half_largest_request_plays(subject: ExaminationContext, limit: WorkLimit) -> Iterator[RequestSequence]:
    """Yield half of a family's largest request, then the largest remaining one of each other family."""
    for family in subject.first_families:
        player = PlayInProgress.fresh(subject, limit)
        player.request_and_count_grants(family.definition.pair(family.sizes[-1] / 2))
        yield from _largest_requests_in_turn(player, (*_other_families(subject, family), family), 2)


def unchanging_request_plays(subject: ExaminationContext, limit: WorkLimit) -> Iterator[RequestSequence]:
    """Yield long repetitions of each family's largest request if it leaves the state unchanged."""
    for family in subject.first_families:
        player = PlayInProgress.fresh(subject, limit, deterministic=subject.deterministic)
        if player.request_and_count_grants(family.largest) and player.unchanging_request is not None:
            yield from _largest_requests_in_turn(player, (), 0)


def rounding_absorbed_request_plays(
    subject: ExaminationContext, limit: WorkLimit, *, tiny: bool = False
) -> Iterator[RequestSequence]:
    """Yield a large request, then ever more of a small one that rounding absorbs in the sum.

    The small one is the smallest of the family or, if `tiny`, the largest below it that leaves the state unchanged.
    """
    for family in subject.first_families if subject.deterministic else ():
        revealing = (t for t, p in zip(family.sizes, family.pairs, strict=True) if p.pure_epsilon > 0)
        smallest = next(revealing, None)
        for large in family.pairs[-1:-10:-4]:  # after the largest request nothing may be left
            player, small = PlayInProgress.fresh(subject, limit, deterministic=True), smallest
            if small is None or not player.request_and_count_grants(large):
                continue
            if tiny:
                sizes = family.definition.sizes_below[:-1]
                small = largest_granted(partial(_leaves_no_trace, player, family), sizes, tolerance=1.0)
            if small is None or not player.request_and_count_grants(family.definition.pair(small)):
                continue
            if player.unchanging_request is not None:
                yield from _largest_requests_in_turn(player, (), 0)
                break


def _leaves_no_trace(player: PlayInProgress, family: GrantedSizes, size: float) -> bool:
    """Return whether a request of this size is granted next and leaves the state unchanged."""
    after = player.fork()
    granted = after.request_and_count_grants(family.definition.pair(size)) > 0
    return granted and after.unchanging_request is not None


def request_greedily(player: PlayInProgress, family: GrantedSizes, most: int) -> bool:
    """Request the largest granted pair of the family, at most this many times; return whether one is granted."""
    grid = sorted({*family.definition.sizes, *family.sizes})
    pairs = dict(zip(grid, family.all_grid_pairs, strict=True))
    top, is_fine = len(grid), family.definition.kind in _FINE_FAMILIES

    def granted_now(size: float) -> bool:
        return not player.limit.exhausted and player.grants(pairs.get(size) or family.definition.pair(size))

    for chosen in range(most):
        lowest = max(top - _MAX_SMALLER_SIZES, 0) if chosen else 0
        tolerance = math.inf if not is_fine else 0.0 if chosen < _EXACT else _COARSE
        tried = grid[lowest:top] if player.unchanging_request is None else ()
        size = largest_granted(granted_now, tried, tolerance)
        if size is None:
            return chosen > 0
        player.request_and_count_grants(family.definition.pair(size))
        top = min(bisect_right(grid, size) + 8, len(grid))
    return True


def simple_plays(subject: ExaminationContext, limit: WorkLimit) -> Iterator[RequestSequence]:
    """Yield what a person would try: one request repeated; then another family; small requests before a large one."""
    every = subject.all_first_families
    families = [family for family in every if family.definition.mechanism != "twopoint"]
    fresh = partial(PlayInProgress.fresh, subject, limit)
    tops = {
        family.definition.name: top
        for family in families
        if (top := _largest_round_size(fresh(), family, None)) is not None
    }
    begun: list[tuple[GrantedSizes, DominatingPair, PlayInProgress]] = []
    for share, family in product(_SHARES, families):
        if family.definition.name not in tops or limit.exhausted:
            continue
        if (size := _largest_round_size(fresh(), family, share * tops[family.definition.name])) is not None:
            player, pair = fresh(), family.definition.pair(size)
            if player.request_and_count_grants(pair, _ROW_LENGTH):  # unless the work is used up
                begun.append((family, pair, player))
                yield player.played
    for (family, _, player), other in product(begun, families):
        if other is not family and not limit.exhausted:
            after = player.fork()
            if (again := _largest_round_size(after, other, None)) is not None:
                after.request_and_count_grants(other.definition.pair(again), _ROW_LENGTH)
                yield after.played
    for family, pair, _ in begun[: 3 * len(tops)]:
        if (small := _largest_round_size(fresh(), family, _HARDLY * tops[family.definition.name])) is None:
            continue
        player, requested = fresh(), 0
        for times in _BEFORE:
            wanted, requested = times - requested, times
            granted = player.request_and_count_grants(family.definition.pair(small), wanted)
            if granted < wanted:
                break
            after = player.fork()
            if after.request_and_count_grants(pair, _ROW_LENGTH):
                yield after.played


def _largest_round_size(player: PlayInProgress, family: GrantedSizes, most: float | None) -> float | None:
    """Return the largest round size up to `most` that would be granted next, if grants are monotone, or None."""
    definition = family.definition
    top = definition.most if most is None else min(most, definition.most)
    written = definition.sizes if definition.mechanism == "own" else round_sizes(definition)
    sizes = [t for t in written if definition.least <= t <= top]
    granted_sizes = bisect_left(sizes, True, key=lambda t: not player.grants(definition.pair(t)))
    return sizes[granted_sizes - 1] if granted_sizes else None


def round_sizes(family: OneParameterFamily) -> list[float]:
    """Return sizes that people write, or inverses of such: near one, or near the sizes of a moved family."""
    written, inverse = [*ROUND_SIZES], family.mechanism in _INVERSE_FAMILIES
    if not 0.5 <= family.most <= 32:
        low, high = (1 / family.most, 1 / family.least) if inverse else (family.least, family.most)
        tens = range(math.floor(math.log10(low)), math.ceil(math.log10(high)))
        written = [float(f"{digits:g}e{k}") for k in tens for digits in _LEADING_DIGITS]
    return [1 / t for t in reversed(written)] if inverse else written
