"""Lower bounds on Renyi divergences are never above the truth, and how near they come, by a second route."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from mc.losses.renyi_low import renyi_low
from tests.mc.losses.enumerated import random_pair, real, renyi
from theory.pairs import FinitePair, Gaussian, Laplace, RandomizedResponse, SubsampledGaussian


@pytest.fixture(autouse=True)
def _sixty_digits():
    with mpmath.workdps(60):
        yield


ORDERS = (1 + 1e-9, 1 + 1e-6, 1.1, 2.0, 8.0, 128.0, 1e4)


@pytest.mark.parametrize("order", ORDERS)
def test_the_renyi_divergence_of_finite_pairs_is_met_from_below(order: float) -> None:
    rng, seen = random.Random(21), 0
    for pair in (random_pair(rng) for _ in range(60)):
        low = renyi_low(pair, order)
        if any(p > 0 and q == 0 for p, q in zip(pair.exact_masses.p, pair.exact_masses.q, strict=True)):
            assert low == math.inf
        else:
            true = renyi(pair, order)
            assert true * (1 - 1e-8) - 1e-13 * (1 + 1 / (order - 1)) <= low <= true
            seen += true > 0
    assert seen > 20
    for epsilon in (1e-5, 0.01, 1.0, 30.0, 300.0):
        a, e = real(order), real(epsilon)
        p, q = 1 / (1 + mpmath.exp(-e)), 1 / (1 + mpmath.exp(e))
        true = mpmath.log(p**a * q ** (1 - a) + q**a * p ** (1 - a)) / (a - 1)
        low = renyi_low(RandomizedResponse(epsilon), order)
        assert true * (1 - 1e-9) - 1e-13 * (1 + 1 / (order - 1)) <= low <= true


def test_small_masses_do_not_raise_a_renyi_divergence() -> None:
    """A rare output, with a moment near 1: the loss has lost digits, and the order multiplies what is wrong."""
    rng = random.Random(8)
    for _ in range(200):
        a, b = rng.randint(100, 290), rng.randint(100, 290)
        p, q = Fraction(rng.randint(1, 10**6), 10**a), Fraction(rng.randint(1, 10**6), 10**b)
        if not p > q:
            continue
        pair = FinitePair((p, 1 - p), (q, 1 - q))
        loss = float(mpmath.log(real(p) / real(q)))
        for moment in (-25.0, -10.0, -1.0, 5.0):
            order = 1 + (moment - float(mpmath.log(real(p)))) / loss
            if order > 1:
                assert renyi_low(pair, order) <= renyi(pair, order)


def test_no_renyi_bound_exceeds_the_truth_at_orders_so_high_that_a_tiny_loss_decides() -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        mass = Fraction(float(rng.uniform(0.1, 0.9))) / 10 ** int(rng.integers(0, 250))
        loss = 10 ** float(rng.uniform(-13, -3))
        rare = mass / (1 + Fraction(loss))
        pair = FinitePair((mass, 1 - mass), (rare, 1 - rare))
        for order in (1 + 300 / loss, 1 + 3000 / loss):
            with mpmath.workdps(400):
                assert renyi_low(pair, order) <= renyi(pair, order)


@pytest.mark.parametrize("order", [1.5, 2.0, 600.0])
def test_an_output_rarer_than_any_double_is_left_out(order: float) -> None:
    tiny = Fraction(1, 10**400)
    pair = FinitePair(
        (tiny, Fraction(3, 4), Fraction(1, 4) - tiny), (tiny / 2, Fraction(1, 4), Fraction(3, 4) - tiny / 2)
    )
    low, true = renyi_low(pair, order), renyi(pair, order)
    assert true * (1 - 1e-10) <= low <= true


@pytest.mark.parametrize("order", [1.1, 2.0, 16.0])
@pytest.mark.parametrize(
    "pair",
    [
        Laplace(0.5),
        Laplace(10.0),
        Gaussian(1.0),
        SubsampledGaussian(0.1, 1.0),
        SubsampledGaussian(0.5, 2.0, adjacency="addition"),
    ],
    ids=repr,
)
def test_the_renyi_divergence_of_a_continuous_pair_is_met_from_below(pair, order: float) -> None:
    true, low = float(pair.renyi(order)), renyi_low(pair, order)
    assert low <= true * (1 + 1e-9)  # the other side is in doubles
    assert low >= 0.98 * true
