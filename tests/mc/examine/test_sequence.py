"""A fixed sequence goes through the filter's own code, and what it reveals is a certified lower bound."""

import math
from fractions import Fraction
from functools import partial
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import filterproof as fp
from filterproof.filters.rules.menu_composition import composed_hockey_stick
from filterproof.mc.examine.divergence import Divergence, certainly_exceeds
from filterproof.mc.examine.sequence import RequestSequence
from filterproof.mc.losses.renyi_lower_bound import renyi_lower_bound
from filterproof.theory.pairs import (
    KOV,
    DominatingPair,
    Erasure,
    FinitePair,
    Gaussian,
    Laplace,
    RandomizedResponse,
)
from tests.mc.examine.example_filters import Sum
from tests.mc.losses.enumerated import composed, real

HALF = Gaussian(0.5)
TINY = Gaussian(2.0**-30)
MOST = 500


#: What filters were asked: kept outside, for one that changes itself is not pure.
ASKED: list[DominatingPair] = []


@pytest.fixture(autouse=True)
def _fewer_are_played(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("filterproof.mc.examine.sequence.MAX_PLAYED", MOST)  # of twenty thousand
    ASKED.clear()


class Recording(Sum):
    """Admits while the sum of mu^2 is at most 1; what it is asked is recorded."""

    promise, begins, most = fp.GaussianDP(1.0), 0.0, 1.0

    def start(self, n):
        return np.full(n, self.begins)

    def admits(self, state, request):
        ASKED.append(request)
        return super().admits(state, request)

    def cost(self, state, request):
        return float(request.mu) ** 2


class Swallows(Recording):
    """Adds to one: what is below half a last place of 1 is swallowed."""

    begins, most = 1.0, 2.0


class InTheState(Swallows):
    """The same, and counts: no more than 600 requests."""

    def start(self, n):
        return np.ones(n), np.zeros(n, dtype=np.int64)

    def admits(self, state, request):
        return super().admits(state[0], request) & (state[1] < 600)

    def spend(self, state, request):
        return super().spend(state[0], request), state[1] + 1


class InTheObject(Swallows):
    """Counts beside the state."""

    def start(self, n):
        self.count = [0]
        return super().start(n)

    def admits(self, state, request):
        return super().admits(state, request) & (self.count[0] < 600)

    def spend(self, state, request):
        self.count[0] += 1
        return super().spend(state, request)


class Cached(Swallows):
    """Counts nothing, and keeps what it worked out."""

    def __init__(self):
        self.cache = {}
        self.rule = lambda request: float(request.mu)

    def admits(self, state, request):
        self.cache.setdefault(repr(request), self.rule(request))
        return super().admits(state, request)


class Looks(Recording):
    """Looks at losses."""

    def observe(self, state, loss):
        return state - np.maximum(-loss, 0)


def test_every_request_is_put_to_the_filters_own_code_in_order() -> None:
    assert RequestSequence(((HALF, 2), (Gaussian(0.25), 3), (HALF, 1))).is_granted(Recording())
    assert [HALF] * 2 + [Gaussian(0.25)] * 3 + [HALF] == ASKED
    ASKED.clear()
    assert RequestSequence(((HALF, 2), (TINY, 10**12))).is_granted(Swallows())
    assert len(ASKED) == 2 + MOST


#: A filter, the requests put to it -> whether all are granted.
GRANTED: list[tuple[type[Recording], tuple[tuple[DominatingPair, int], ...], bool]] = [
    (Recording, ((HALF, 4),), True),
    (Recording, ((HALF, 5),), False),
    (Recording, ((Gaussian(1.5), 1), (Gaussian(0.1), 1)), False),
    # what leaves the state as it was is granted any number of times, all else as often as it was played
    (Swallows, ((TINY, 10**12),), True),
    (Cached, ((TINY, 10**12),), True),
    *((Swallows, ((Gaussian(2.0**-k), MOST),), True) for k in (20, 24)),
    *((Swallows, ((Gaussian(2.0**-k), MOST + 1),), False) for k in (20, 24)),
    *((kind, ((TINY, MOST),), True) for kind in (InTheState, InTheObject)),
    *((kind, ((TINY, MOST + 1),), False) for kind in (InTheState, InTheObject)),
    # one request depends on no loss
    (Looks, ((HALF, 1),), True),
    (Looks, ((Gaussian(2.0), 1),), False),
    (Looks, ((HALF, 2),), False),
    (Looks, ((HALF, 1), (Gaussian(0.25), 1)), False),
]


@pytest.mark.parametrize(("kind", "steps", "granted"), GRANTED)
def test_a_sequence_is_admitted_only_if_the_filter_is_known_to_grant_each_of_its_requests(
    kind: type[Recording], steps: tuple[tuple[DominatingPair, int], ...], granted: bool
) -> None:
    assert RequestSequence(steps).is_granted(kind()) is granted


# -- what is revealed ------------------------------------------------------------------------------------------

TILTED = FinitePair(
    (Fraction(1, 2), Fraction(3, 10), Fraction(1, 5)), (Fraction(1, 10), Fraction(1, 10), Fraction(4, 5))
)
REVEALS = FinitePair((Fraction(1, 4), Fraction(3, 4)), (Fraction(0), Fraction(1)))


def gaussian(mu: Any, epsilon: Any) -> Any:
    return mpmath.ncdf(mu / 2 - epsilon / mu) - mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)


def mixture(mus: tuple[float, ...], pair: FinitePair, epsilon: float) -> Any:
    """H of Gaussians and a finite pair: the mean over its outputs of the Gaussian's H at a moved epsilon."""
    mu = mpmath.sqrt(sum(real(mu) ** 2 for mu in mus))
    moved = ((real(p), real(epsilon) - mpmath.log(real(p) / real(q))) for p, q in composed(pair, 1))
    return sum(p * gaussian(mu, at) for p, at in moved)


MIXED = ((HALF, 2), (Gaussian(1.0), 1), (TILTED, 1))
REVEALING = ((REVEALS, 2), (Gaussian(0.1), 1))
GAUSSIANS, OTHERS = ((HALF, 3), (Gaussian(0.1), 7)), ((TILTED, 2), (Laplace(2.0), 1))


def renyi(order: float, *others: tuple[DominatingPair, int]) -> Any:
    rest = sum(times * real(renyi_lower_bound(pair, order)) for pair, times in others)
    return real(order) * (3 * real(0.5) ** 2 + 7 * real(0.1) ** 2) / 2 + rest


#: The steps, what is measured -> its value to sixty digits, and how near to it the bound is.
KNOWN: list[tuple[Any, Divergence, Any, float]] = [
    (MIXED, Divergence.hockey_stick(1.0), lambda: mixture((0.5, 0.5, 1.0), TILTED, 1.0), 1e-3),
    (MIXED, Divergence.hockey_stick(1.0, "QP"), lambda: mixture((0.5, 0.5, 1.0), TILTED.swapped, 1.0), 1e-3),
    # what may reveal all counts in the direction in which it does; D_2(Q || P) = log E_P[(Q/P)^2] = log(4/3) each
    (REVEALING, Divergence.hockey_stick(500.0), lambda: real(Fraction(7, 16)), 1e-12),
    (REVEALING, Divergence.hockey_stick(500.0, "QP"), lambda: 0, 0.0),
    (REVEALING, Divergence.renyi(2.0), lambda: mpmath.inf, 0.0),
    (
        REVEALING,
        Divergence.renyi(2.0, "QP"),
        lambda: 2 * mpmath.log(mpmath.mpf(4) / 3) + real(0.1) ** 2,
        1e-10,
    ),
    *(
        ((*GAUSSIANS, *others), Divergence.renyi(order), partial(renyi, order, *others), 1e-15)
        for others in ((), OTHERS)
        for order in (1.1, 2.0, 32.0)
    ),
    ((), Divergence.hockey_stick(0.0), lambda: 0, 0.0),
    ((), Divergence.renyi(2.0), lambda: 0, 0.0),
]


@pytest.mark.parametrize(
    ("steps", "measure", "value", "near"), KNOWN, ids=[f"{steps}-{measure}" for steps, measure, *_ in KNOWN]
)
def test_a_bound_is_below_what_is_revealed_and_near_it(
    steps: Any, measure: Divergence, value: Any, near: float
) -> None:
    with mpmath.workdps(60):
        true, low = value(), RequestSequence(steps).lower_bound(measure)
        assert true * (1 - near) <= low <= true


@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.integers(1, 40), st.integers(2, 5000), st.integers(1, 5)),
        min_size=1,
        max_size=3,
        unique_by=lambda one: one[0],
    ),
    st.integers(0, 29),
)
def test_a_promise_that_a_sequence_meets_exactly_is_never_exceeded_and_a_little_less_is(drawn, more) -> None:
    pairs, times = [], []
    for kind, size, inverse, repeated in drawn:
        ratio, share = 1 + Fraction(size, 50), Fraction(1, inverse)
        candidates = (RandomizedResponse.from_ratio(ratio), KOV.from_ratio(ratio, share), Erasure(share))
        pairs.append(candidates[kind])
        times.append(repeated)
    ratio, played = 1 + Fraction(more, 16), RequestSequence(tuple(zip(pairs, times, strict=True)))
    exact = composed_hockey_stick(tuple(pairs), tuple(times), ratio)
    # at the largest double below log(ratio) the divergence is no smaller: what is promised is certainly exceeded
    epsilon = math.nextafter(math.log(ratio), -math.inf) if ratio > 1 else 0.0
    less = float(exact) * (1 - 1e-6)
    low = max(played.lower_bound(Divergence.hockey_stick(epsilon, way), less) for way in ("PQ", "QP"))
    above = played.lower_bound(Divergence.hockey_stick(math.nextafter(math.log(ratio), math.inf)))
    assert not certainly_exceeds(above, float(exact))
    assert low <= float(exact) * (1 + 1e-12)
    assert exact <= Fraction(1, 10**6) or certainly_exceeds(low, less)


def test_what_cannot_lose_more_than_epsilon_reveals_nothing_beyond_it_and_what_may_by_a_rounding_does() -> (
    None
):
    at_one, tenth = Divergence.hockey_stick(1.0), fp.RandomizedResponse(0.1)
    assert RequestSequence(((tenth, 9), (fp.RandomizedResponse(0.09), 1))).lower_bound(at_one) == 0.0
    # ten times the double next to 0.1 is more than 1, though the sum in doubles is less
    for more in ((tenth, 10),), ((tenth, 9), (fp.RandomizedResponse(0.11), 1)):
        assert RequestSequence(more).lower_bound(at_one) > 0.0


def test_very_many_requests_are_bounded_from_below_and_by_no_more_than_they_reveal() -> None:
    def low(mu: float, times: int, epsilon: float) -> float:
        steps = (fp.Gaussian(mu), times), (fp.RandomizedResponse(1e-12), 1)
        return RequestSequence(steps).lower_bound(Divergence.hockey_stick(epsilon))

    for mu in (1.0, 2.0, 3.0, 8.0):  # of all together, by 2^42 Gaussians and next to nothing
        for epsilon in (0.0, 1.0, 5.0):
            assert 0 <= low(mu * 2.0**-21, 2**42, epsilon) <= fp.Gaussian(mu).hockey_stick(epsilon) + 1e-12
    assert low(3.0 * 2.0**-21, 2**42, 0.0) > 0.2
    assert low(2.0**-50, 2**120, 5.0) > 0.999


class Understated(RandomizedResponse):
    """Declares a tenth of its epsilon; its distribution is its parent's."""

    @property
    def pure_epsilon(self) -> Any:
        return self.epsilon / 10


@pytest.mark.parametrize("pair", [Understated(0.5), fp.LabelledRequest(Understated(0.5), {"site": "a"})])
@pytest.mark.parametrize("direction", ["PQ", "QP"])
def test_a_pair_of_ones_own_that_declares_less_than_it_loses_is_composed(pair: Any, direction: Any) -> None:
    at_one = Divergence.hockey_stick(1.0, direction)
    assert (
        RequestSequence(((pair, 10),)).lower_bound(at_one)
        == RequestSequence(((RandomizedResponse(0.5), 10),)).lower_bound(at_one)
        > 0.3
    )
