"""Arguments at the ends of the doubles: answers are numbers of the right size and direction."""

import itertools
import math
from collections.abc import Callable

import mpmath
import numpy as np
import pytest

from tests.theory import reference
from theory import CKS, SIMPLE, gaussian_epsilon, gaussian_mu
from theory.conversions import CONVERSIONS, Conversion
from theory.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP
from theory.pairs import KOV, DominatingPair, Erasure, FinitePair, Gaussian, Laplace, RandomizedResponse

SIZES = (
    0.0,
    5e-324,
    1e-300,
    1e-200,
    1e-17,
    1e-9,
    0.3,
    1.0,
    40.0,
    740.0,
    1e4,
    1e9,
    1e150,
    1e154,
    1e200,
    1.7e308,
)
DELTAS = (5e-324, 1e-300, 1e-200, 1e-17, 1e-9, 0.1, 0.5, 0.9, 1 - 2.0**-53)


def answers(function: Callable[..., object], *arguments: float) -> float:
    """The number; warnings are errors in this suite, so that none is let through."""
    return float(function(*arguments))  # type: ignore[arg-type]


@pytest.mark.parametrize("conversion", CONVERSIONS, ids=str)
def test_a_delta_at_the_ends_of_the_doubles_is_a_probability_in_order(conversion: Conversion) -> None:
    table = np.array([[answers(conversion.delta, rho, eps) for eps in SIZES] for rho in SIZES])
    assert ((table >= 0) & (table <= 1)).all()
    assert (np.diff(table, axis=0) >= -1e-12 * table[1:]).all()  # more divergence, more delta
    assert (np.diff(table, axis=1) <= 1e-12 * table[:, :-1]).all()  # more epsilon, less delta
    orders = np.array([[answers(conversion.order, rho, eps) for eps in SIZES] for rho in SIZES[1:]])
    assert (orders >= 1).all()


def test_a_huge_divergence_promises_nothing() -> None:
    for rho in (739.0, 740.0, 745.2, 1000.0, 1e9, 1e200, 1.7e308):
        assert CKS.delta(rho, 0.0) == pytest.approx(1.0, abs=1e-15)
        assert ZCDP(rho).delta(1.0) == pytest.approx(1.0, abs=1e-15)
    assert CKS.order(1e9, 0.0) == 1.0
    assert 0 < CKS.delta(1000.0, 1100.0) < 1


@pytest.mark.parametrize(
    ("rho", "epsilon"),
    [(800.0, 900.0), (1e-300, 1e-200), (5e-324, 0.0), (1e9, 1e9 + 1e5), (740.0, 740.0), (1e-17, 1e-9)],
)
def test_the_deltas_at_the_ends_have_their_digits(rho: float, epsilon: float) -> None:
    """The infimum over the order by golden-section search; most of its digits go into (t+1) rho - epsilon."""
    expected = float(reference.conversion_delta(CKS, rho, epsilon, 350))
    # log delta is rounded, and epsilon - rho carries the rounding of its terms, which t multiplies
    slack = 2.0**-50 * (
        1 + abs(math.log(expected)) + max(rho, epsilon) * (float(CKS.order(rho, epsilon)) - 1)
    )
    assert CKS.delta(rho, epsilon) == pytest.approx(expected, rel=slack, abs=0)


@pytest.mark.parametrize("conversion", CONVERSIONS, ids=str)
def test_a_budget_at_the_ends_of_the_doubles_never_passes_delta(conversion: Conversion) -> None:
    """Rounded down: even where the exact budget underflows, or is known to few digits."""
    for epsilon, delta in itertools.product(SIZES[1:], DELTAS):
        budget = answers(conversion.budget, epsilon, delta)
        assert 0 <= budget < math.inf
        if 0 < budget < 1e300:
            with mpmath.workdps(60):
                rho, eps, goal = mpmath.mpf(budget), mpmath.mpf(epsilon), mpmath.log(mpmath.mpf(delta))
                assert _least_log_delta(conversion, rho, eps) <= goal
                if budget > 1e-300:
                    assert _least_log_delta(conversion, rho * (1 + mpmath.mpf(10) ** -9), eps) > goal


def _least_log_delta(conversion: Conversion, rho: mpmath.mpf, eps: mpmath.mpf) -> mpmath.mpf:
    """The log of the conversion's delta at its stationary order, which is sought by bisection in log t."""
    if conversion is SIMPLE:
        return -(max(eps - rho, mpmath.mpf(0)) ** 2) / (4 * rho)
    assert conversion is CKS, f"_least_log_delta in tests/theory/test_extremes.py must know {conversion}"
    low, high = mpmath.mpf(-1600), mpmath.mpf(1600)
    for _ in range(260):
        middle = (low + high) / 2
        t = mpmath.exp(middle)
        rising = (2 * t + 1) * rho - eps > mpmath.log1p(1 / t)
        low, high = (low, middle) if rising else (middle, high)
    t = mpmath.exp(low)
    return -(rho * t * t + mpmath.log1p(t))


@pytest.mark.parametrize("conversion", CONVERSIONS, ids=str)
def test_an_epsilon_at_the_ends_of_the_doubles_is_in_order(conversion: Conversion) -> None:
    table = np.array([[answers(conversion.epsilon, rho, delta) for delta in DELTAS] for rho in SIZES])
    assert (table >= 0).all()
    assert (np.diff(table, axis=0) >= 0).all()
    assert (np.diff(table, axis=1) <= 0).all()


def test_the_gaussian_mu_never_passes_its_delta() -> None:
    """At 60 digits, over a grid and at random: `gaussian_mu` is rounded down, also where delta is near one."""
    rng = np.random.default_rng(17)
    seeded = zip(10 ** rng.uniform(-12, 4, 60), 10 ** rng.uniform(-8, -0.001, 60), strict=True)
    for epsilon, delta in itertools.chain(itertools.product(SIZES, DELTAS), seeded):
        if epsilon > 1e15:
            assert 0 <= answers(gaussian_mu, epsilon, delta) < math.inf
            continue
        mu = gaussian_mu(epsilon, delta)
        assert mu >= 0
        if mu == 0:
            continue
        with mpmath.workdps(60 + int(2 * abs(math.log10(mu))) + int(math.log10(1 + epsilon))):
            value = _gaussian_delta(mpmath.mpf(float(mu)), mpmath.mpf(float(epsilon)))
            assert value <= mpmath.mpf(float(delta))
            if 1e-300 < delta <= 0.5 and mu > 1e-300:  # and not by much
                larger = _gaussian_delta(
                    mpmath.mpf(float(mu)) * (1 + mpmath.mpf(10) ** -12), mpmath.mpf(float(epsilon))
                )
                assert larger > mpmath.mpf(float(delta))


def _gaussian_delta(mu: mpmath.mpf, epsilon: mpmath.mpf) -> mpmath.mpf:
    half, edge = mu / 2, epsilon / mu
    with mpmath.extradps(60):
        scale = mpmath.sqrt(2)
        upper, lower = mpmath.erfc((edge - half) / scale), mpmath.erfc((edge + half) / scale)
        return (upper - mpmath.exp(epsilon) * lower) / 2


def test_the_gaussian_epsilon_at_the_ends_of_the_doubles_is_in_order() -> None:
    table = np.array([[answers(gaussian_epsilon, mu, delta) for delta in DELTAS] for mu in SIZES[1:]])
    assert (table >= 0).all()
    assert (table[:-1] <= table[1:] * (1 + 1e-9)).all()
    assert (table[:, 1:] <= table[:, :-1] * (1 + 1e-9)).all()


PROMISES: tuple[Callable[[float], Guarantee], ...] = (
    PureDP,
    ZCDP,
    GaussianDP,
    lambda x: ApproxDP(x, 1e-300),
    lambda x: ApproxDP(x, 1 - 2.0**-53),
    lambda x: RenyiDP(1.0, x),
    lambda x: RenyiDP(1 + 2.0**-52, x),
    lambda x: RenyiDP(2.0, x),
    lambda x: RenyiDP(1.7e308, x),
)


@pytest.mark.parametrize("make", range(len(PROMISES)))
def test_a_promise_is_a_probability_at_every_size(make: int) -> None:
    for size, epsilon in itertools.product(SIZES, SIZES):
        if size == 0 and PROMISES[make] is GaussianDP:
            continue
        delta = PROMISES[make](size).delta(epsilon)
        assert 0 <= float(delta) <= 1, (size, epsilon)


def _pairs() -> list[DominatingPair]:
    """Every family at every size."""
    pairs: list[DominatingPair] = [Erasure(p) for p in (0.0, *DELTAS, 1.0)]
    pairs += [RandomizedResponse(e) for e in SIZES]
    pairs += [KOV(e, d) for e in SIZES for d in (0.0, 5e-324, 0.1, 1.0)]
    pairs += [Gaussian(mu) for mu in SIZES[1:]]
    pairs += [Laplace(b) for b in SIZES[2:]]
    pairs.append(FinitePair((1.0, 0.0), (0.5, 0.5)))
    pairs.append(FinitePair((5e-324, 1.0), (1.0, 0.0)))
    return pairs


def test_the_divergences_of_pairs_are_numbers_at_every_size() -> None:
    ends = (*SIZES, math.inf)
    for pair in _pairs():
        for charge in (pair.pure_epsilon, pair.zcdp_rho, pair.gdp_mu):
            assert 0 <= float(charge) <= math.inf, pair
        for x in (*ends, *(-x for x in ends)):
            assert 0 <= float(pair.hockey_stick(x)) <= 1, (pair, x)
            assert 0 <= float(pair.loss_cdf(x)) <= 1, (pair, x)
        last = 0.0
        for alpha in (1.0, 1 + 2.0**-52, 1.5, 2.0, 1e9, 1e200, 1.7e308):
            divergence = float(pair.renyi(alpha))
            assert last * (1 - 1e-12) - 1e-300 <= divergence, (pair, alpha)
            last = divergence
        for tail in (0.0, *DELTAS, 1.0):
            assert not math.isnan(float(pair.loss_quantile(tail))), (pair, tail)


def test_a_scale_without_a_finite_epsilon_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"b must be at least 2\^-1022, got b=5e-324; pass a larger noise scale"
    ):
        Laplace(5e-324)
