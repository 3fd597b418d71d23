"""What a promise allows each measure, where it is examined, and when a number breaks it."""

import math
from fractions import Fraction

import mpmath
import pytest

import filterproof as fp
from filterproof.mc.examine.divergence import Divergence, certainly_exceeds, targets
from filterproof.mc.examine.sequence import RequestSequence
from filterproof.mc.worst_case.plan import GAIN_MARGIN
from filterproof.theory.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP
from filterproof.theory.pairs import Gaussian, RandomizedResponse
from tests.slow_cases import slow_but

ORDERS = {1.1, 1.5, 2.0, 4.0, 8.0, 32.0, 128.0, 2.0**10, 2.0**20}
#: A promise -> the hockey-sticks and the orders at which it is examined; None for a grid of them.
EXAMINED: dict[Guarantee, tuple[tuple[float, ...] | None, set[float]]] = {
    ApproxDP(1.0, 1e-5): ((1.0,), set()),
    ApproxDP(0.0, 0.1): ((0.0,), set()),
    # nothing is promised beyond a pure epsilon: just beyond it
    PureDP(1.0): ((1 + float(GAIN_MARGIN),), set()),
    PureDP(0.0): ((0.0,), set()),
    ApproxDP(2.0, 0.0): ((2 + 2 * float(GAIN_MARGIN),), set()),
    ZCDP(0.5): (None, ORDERS),
    ZCDP(1e-4): (None, ORDERS),
    RenyiDP(8.0, 0.3): (None, {8.0}),
    **dict.fromkeys(map(GaussianDP, (1.0, 1e-3, 0.05, 6.0)), (None, {2.0**20})),
}


@pytest.mark.parametrize("promise", EXAMINED, ids=repr)
def test_a_promise_is_examined_where_it_says_something_and_in_one_direction(promise: Guarantee) -> None:
    chosen, (epsilons, orders) = targets(promise), EXAMINED[promise]
    assert len(set(chosen)) == len(chosen)
    assert {target.direction for target in chosen} == {"PQ"}
    assert {target.at for target in chosen if target.kind == "renyi"} == orders
    assert all(0 <= target.promised(promise) < math.inf for target in chosen)
    curve = [target for target in chosen if target.kind == "hockey-stick"]
    promised = sorted(target.promised(promise) for target in curve)
    assert promised[-1] < 1
    if isinstance(promise, PureDP):  # the pair whose own epsilon is the promised double keeps it
        assert float(RandomizedResponse(promise.epsilon).hockey_stick(curve[0].at)) == promised[0] == 0
    if epsilons is not None:
        assert tuple(target.at for target in curve) == epsilons
    elif promise in (
        ZCDP(0.5),
        ZCDP(1e-4),
        GaussianDP(1.0),
        GaussianDP(0.05),
    ):  # from the middle to the thin end
        assert promised[0] < 1e-19
        assert promised[-1] > 1e-3
        # every decade or so of small deltas has its epsilon; four digits of it keep delta within a third
        for delta in (1e-2, 1e-4, 1e-6, 1e-9, 1e-13, 1e-20):
            assert promised[-1] <= delta or any(delta / 1.5 < near < delta * 1.5 for near in promised)


@pytest.mark.parametrize("order", [1.1, 2.0, 8.0, 128.0])
def test_a_renyi_divergence_is_promised_what_the_guarantee_itself_states(order: float) -> None:
    measure = Divergence.renyi(order)
    assert measure.promised(ZCDP(0.25)) == order * 0.25
    # that of the Gaussian pair, which is all that GDP says
    assert measure.promised(GaussianDP(0.5)) == pytest.approx(float(Gaussian(0.5).renyi(order)), rel=1e-12)
    assert measure.promised(RenyiDP(8.0, 0.3)) == (0.3 if order <= 8 else math.inf)
    for silent in (PureDP(1.0), ApproxDP(1.0, 1e-5)):
        assert measure.promised(silent) == math.inf


@pytest.mark.parametrize("promised", [0.3, 1e-5, 1e-300, 2.0, 0.0, math.inf, math.nan])
def test_a_promise_is_broken_only_beyond_the_rounding_of_its_doubles(promised: float) -> None:
    says = math.isfinite(promised)
    edge = Fraction(promised) * (1 + GAIN_MARGIN) if says else Fraction(3)
    for low in (edge, edge * (1 - Fraction(1, 10**12))):
        assert not certainly_exceeds(low, promised)
    for low in (edge + Fraction(1, 10**400), 5e-324 if promised == 0 else promised * (1 + 1.1e-9), math.inf):
        assert certainly_exceeds(low, promised) is says


def _renyi(q: float, sigma: float, order: int) -> mpmath.mpf:
    """Of the Gaussian on a sample: the binomial sum, in fifty digits."""
    with mpmath.workdps(50):
        p, s = mpmath.mpf(q), mpmath.mpf(sigma)
        terms = (
            mpmath.binomial(order, k) * p**k * (1 - p) ** (order - k) * mpmath.exp(k * (k - 1) / (2 * s * s))
            for k in range(order + 1)
        )
        return mpmath.log(mpmath.fsum(terms)) / (order - 1)


@pytest.mark.parametrize(
    ("q", "sigma", "times"),
    slow_but([(1e-6, 0.3, 1)], [(1e-6, 0.3, 1), (0.005, 30.0, 1000), (0.5, 100.0, 10_100)]),
)
def test_more_rounds_on_samples_than_are_private_break_zcdp_at_an_order_that_is_examined(
    q: float, sigma: float, times: int
) -> None:
    """At every rate 1/sigma^2 a round is what the tail costs, though near 0 it is next to nothing."""
    pair, most = fp.SubsampledGaussian(q, sigma), times / sigma**2
    for promise in (fp.ZCDP(most / 2 * 0.97), fp.GaussianDP(math.sqrt(most * 0.97))):
        violation = RequestSequence(((pair, times),)).violation(promise, targets(promise))
        assert violation is not None
        measure, low = violation
        assert measure.kind == "renyi"
        assert Fraction(low) <= Fraction(measure.at) * Fraction(times) / (2 * Fraction(sigma) ** 2)
    promise = fp.ZCDP(most / 2 * (1 + 1e-12))
    assert RequestSequence(((pair, times),)).violation(promise, targets(promise)) is None


def test_a_divergence_of_high_order_is_met_from_below() -> None:
    for q, sigma, order in ((0.005, 2.0, 1024), (1e-6, 0.3, 128), (0.5, 30.0, 512), (1.0, 100.0, 128)):
        low = RequestSequence(((fp.SubsampledGaussian(q, sigma), 3),)).lower_bound(Divergence.renyi(order))
        true = 3 * _renyi(q, sigma, order)
        assert true * (1 - mpmath.mpf(10) ** -12) <= low <= true
    for pair, true in (
        (fp.Laplace(2.0), 0.5),
        (fp.BoundedRange(0.25), 0.25),
        (fp.SubsampledGaussian(0.25, 0.5).swapped, -math.log1p(-0.25)),
    ):
        low = RequestSequence(((pair, 1),)).lower_bound(Divergence.renyi(2.0**20))
        assert true * (1 - 2e-2) <= low <= true  # nearly the largest loss
    discrete = RequestSequence(((fp.DiscreteGaussian(3.0, 2), 1),)).lower_bound(Divergence.renyi(2.0**20))
    assert 2.0**21 / 9 * (1 - 1e-12) <= discrete <= 2.0**21 / 9 * (1 + 1e-12)
    assert not certainly_exceeds(discrete, 2.0**21 / 9)
