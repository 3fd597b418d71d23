"""Lower bounds from laws in bins against closed forms in many digits, where doubles have too few."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest

import filterproof as fp
from mc.losses.binned_law import composed_low, renyi_low


@pytest.mark.parametrize("pair", [fp.RandomizedResponse(720.0), fp.KOV(720.0, 0.0)])
def test_nothing_is_left_beyond_an_epsilon_that_no_loss_reaches(pair):
    assert composed_low({pair: 1}, 800.0) == 0.0


def test_the_bound_stands_between_the_last_double_exponential_and_the_largest_loss():
    """H at 710 of randomised response at 720 is (1 - e^{710 - 720}) / (1 + e^{-720})."""
    with mpmath.workdps(400):
        true = (1 - mpmath.exp(-10)) / (1 + mpmath.exp(-720))
        low = composed_low({fp.RandomizedResponse(720.0): 1}, 710.0)
        assert true * (1 - mpmath.mpf(10) ** -9) < low <= true


def _renyi(pair: fp.FinitePair, order: float) -> mpmath.mpf:
    masses = pair.exact_masses
    with mpmath.workdps(400):
        p = [mpmath.mpf(x.numerator) / x.denominator for x in masses.p]
        q = [mpmath.mpf(x.numerator) / x.denominator for x in masses.q]
        b = mpmath.mpf(order) - 1
        return mpmath.log(mpmath.fsum(x * (x / y) ** b for x, y in zip(p, q, strict=True))) / b


def _rare(mass: Fraction, growth: Fraction) -> fp.FinitePair:
    """P gives a rare output `growth` times the mass that Q gives it."""
    p, q = mass, mass / growth
    return fp.FinitePair((p, 1 - p), (q, 1 - q))


def test_no_renyi_bound_exceeds_the_truth_at_orders_so_high_that_a_tiny_loss_decides():
    rng = np.random.default_rng(1)
    for _ in range(200):
        mass = Fraction(float(rng.uniform(0.1, 0.9))) / 10 ** int(rng.integers(0, 250))
        loss = 10 ** float(rng.uniform(-13, -3))
        pair = _rare(mass, 1 + Fraction(loss))
        for order in (1 + 300 / loss, 1 + 3000 / loss):
            assert renyi_low(pair, order) <= _renyi(pair, order)


def test_no_renyi_bound_exceeds_the_truth_where_masses_are_next_to_nothing():
    pair = _rare(Fraction(1, 10**290), Fraction(10**10))
    for order in (2.0, 8.0, 30.0):
        assert renyi_low(pair, order) <= _renyi(pair, order)
