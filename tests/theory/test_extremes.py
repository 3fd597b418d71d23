"""Arguments at the ends of the doubles: answers are numbers of the right size and direction."""

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest

from filterproof.theory.conversions import CKS, CONVERSIONS, Conversion, gaussian_epsilon
from filterproof.theory.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP
from filterproof.theory.pairs import (
    KOV,
    DominatingPair,
    Erasure,
    FinitePair,
    Gaussian,
    Laplace,
    RandomizedResponse,
)
from tests.slow_cases import slow_but

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
    5e307,
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


@pytest.mark.parametrize("conversion", CONVERSIONS, ids=str)
def test_an_epsilon_at_the_ends_of_the_doubles_is_in_order(conversion: Conversion) -> None:
    table = np.array([[answers(conversion.epsilon, rho, delta) for delta in DELTAS] for rho in SIZES])
    assert (table >= 0).all()
    assert (np.diff(table, axis=0) >= 0).all()
    assert (np.diff(table, axis=1) <= 0).all()


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


@pytest.mark.parametrize("make", slow_but({*range(9)} - {5}, range(len(PROMISES))))  # order 1 takes long
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
    ends = (*SIZES[::2], math.inf)
    for pair in _pairs():
        for charge in (pair.pure_epsilon, pair.zcdp_rho, pair.gdp_mu):
            assert 0 <= float(charge) <= math.inf, pair
        for x in (*ends, *(-x for x in ends)):
            assert 0 <= float(pair.hockey_stick(x)) <= 1, (pair, x)
            assert 0 <= float(pair.loss_cdf(x)) <= 1, (pair, x)
        last, orders = 0.0, (1.0, 1 + 2.0**-52, 1.5, 2.0, 1e9, 1e200, 1.7e308)
        with np.errstate(over="ignore"):
            together = np.asarray(pair.renyi(np.array(orders))).tolist()
        for alpha, from_array in zip(orders, together, strict=True):
            divergence = float(pair.renyi(alpha))
            assert from_array == pytest.approx(divergence, rel=1e-12, abs=0), (pair, alpha)
            assert last * (1 - 1e-12) - 1e-300 <= divergence, (pair, alpha)
            last = divergence
        for tail in (0.0, *DELTAS, 1.0):
            assert not math.isnan(float(pair.loss_isf(tail))), (pair, tail)
