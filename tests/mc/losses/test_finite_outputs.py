"""Losses that are kept exactly: how far above epsilon they lie and what they pay, beside mpmath."""

import math
from fractions import Fraction

import flint
import mpmath
import pytest

from filterproof.mc.losses import balls
from filterproof.mc.losses.finite_outputs import hockey_stick_payoff, loss_as_ball, loss_as_double
from filterproof.theory.log_ratio import LogRatio
from filterproof.theory.numerics.stable import log_fraction, nearest_double
from filterproof.theory.rounding import round_down, round_up

TINY = Fraction(1, 2**200)


def _beside_a_quarter() -> list[Fraction]:
    """Two ratios, one on each side of e^{1/4}, that balls of the usual precision do not tell from it."""
    with flint.ctx.workprec(400):
        mantissa, exponent = flint.arb(flint.fmpq(1, 4)).exp().mid().man_exp()
    near = Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
    return [near * (1 - TINY), near * (1 + TINY)]


@pytest.mark.parametrize("ratio", [*_beside_a_quarter(), Fraction(1), Fraction(1, 3), Fraction(9)])
def test_a_loss_pays_what_stopping_there_adds_however_little_it_is(ratio):
    paid = hockey_stick_payoff((Fraction(1, 4), Fraction(1)), LogRatio(ratio))
    with mpmath.workdps(120):
        at = mpmath.mpf(ratio.numerator) / ratio.denominator
        exact = max(mpmath.mpf(0), 1 - at * mpmath.exp(-mpmath.mpf("0.25")))
        assert round_down(paid) <= exact <= round_up(paid)
    assert round_up(paid) <= round_down(paid) * (1 + 1e-15)


RATIOS = [
    *(1 + sign * Fraction(1, 10**k) for k in (20, 36, 45, 300) for sign in (1, -1)),
    *(Fraction(1, 10**800), Fraction(10**800), Fraction(3 * 10**8000 + 1, 10**8000)),
    *(Fraction(7, 5), 1 + TINY, 1 - Fraction(3, 2**1075)),
]


@pytest.mark.parametrize("ratio", RATIOS, ids=range(len(RATIOS)))
def test_a_logarithm_far_from_1_and_next_to_it_is_known_to_all_digits_and_its_double_is_the_nearest(ratio):
    ball = loss_as_ball((0, ratio))
    assert math.isclose(round_down(ball), round_up(ball), rel_tol=1e-15, abs_tol=1e-323)
    with mpmath.workdps(700):
        exact = mpmath.log(mpmath.mpf(ratio.numerator) / ratio.denominator)
        assert round_down(ball) <= exact <= round_up(ball)
        for double in (log_fraction(ratio), float(LogRatio(ratio)), loss_as_double((0, ratio))):
            off = abs(mpmath.mpf(double) - exact)
            neighbours = (math.nextafter(double, math.inf), math.nextafter(double, -math.inf))
            assert all(off < abs(mpmath.mpf(other) - exact) for other in neighbours)


def test_a_double_is_asked_for_again_where_another_thread_lowers_the_precision_and_where_all_but_cancels() -> (
    None
):
    precisions: list[int] = []

    def logarithm(bits: int) -> flint.arb:
        precisions.append(bits)
        with flint.ctx.workprec(20 if len(precisions) == 1 else bits):
            return flint.arb(3).log()

    assert nearest_double(logarithm) == math.log(3)
    assert len(precisions) == 2
    with mpmath.workdps(400):
        near, exact = (Fraction(int(mpmath.floor(mpmath.log(3) * 2**300)), 2**300), mpmath.log(3))
        left = exact - mpmath.mpf(near.numerator) / near.denominator
        assert loss_as_double((-near, Fraction(3))) == float(left)


@pytest.mark.parametrize("precision", [20, 300])
def test_a_ball_beside_a_double_is_rounded_to_it_at_whatever_precision_happens_to_be_set(precision):
    double = 1967 / 2048
    for off in (TINY, -TINY / 2**60, Fraction(0)):
        ball = balls.to_ball(Fraction(double) + off * 2**130)  # 2^-70 of it
        with flint.ctx.workprec(precision):
            assert abs(Fraction(balls.nearest_double(ball)) - Fraction(double)) <= Fraction(1, 2**53)


def test_a_ball_of_no_numbers_has_no_nearest_double():
    with pytest.raises(ValueError, match="x must be known to a unit in the last place"):
        balls.nearest_double(flint.arb(-2).log())
