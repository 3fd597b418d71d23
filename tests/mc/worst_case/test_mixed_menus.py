"""Rational erasures, KOV pairs and randomised responses on one menu, against whole histories in mpmath."""

from fractions import Fraction

import flint
import mpmath
import pytest

from filterproof.mc.losses.balls import nearest_double, to_ball
from filterproof.mc.worst_case import worst_case
from filterproof.theory.evidence import Evidence
from filterproof.theory.log_ratio import LogRatio
from filterproof.theory.pairs import RandomizedResponse
from tests.mc.losses.enumerated import real
from tests.mc.worst_case.small_games import CountFilter, LossFilter, play_out

DIGITS = 120
TINY = Fraction(1, 2**200)


def _value(filt, menu, epsilon, rounds):
    """The value of the game in mpmath; these pairs are symmetric, and the filter may not be."""
    return max(play_out(filt, menu, _growth(epsilon), rounds, way) for way in ("PQ", "QP"))


def _growth(epsilon):
    return real(epsilon.ratio) if isinstance(epsilon, LogRatio) else mpmath.exp(real(epsilon))


def _check(filt, menu, epsilon, rounds, slack=1e-250, **how):
    solved = worst_case(filt, menu, epsilon=epsilon, rounds=rounds, evidence=Evidence.CERTIFIED, **how)
    assert solved.evidence is Evidence.CERTIFIED
    with mpmath.workdps(DIGITS):
        exact = _value(filt, menu, epsilon, rounds)
        assert mpmath.mpf(solved.low) <= exact <= mpmath.mpf(solved.high)
        assert solved.high - solved.low <= 1e-12 * exact + slack


def test_levels_whose_common_step_is_astronomically_small_are_enclosed_off_the_lattice():
    # 1, 1/2, ..., 1/53 share the step 1 / lcm(1..53), of which 1 is more than 2^63 units
    menu = [RandomizedResponse(1 / k) for k in range(1, 54)]
    _check(CountFilter(1), menu, 0.5, 1, slack=1, step=0.01)
    _check(LossFilter(1.0, 1), menu, 0.5, 1)
    for tiny in (1e-300, 1e-310):  # 1 over the second is no double
        far = [RandomizedResponse(tiny), RandomizedResponse(1.0)]
        _check(CountFilter(1), far, 0.5, 1, slack=1, step=0.01)


@pytest.mark.parametrize("factor", [1 - TINY, Fraction(1), 1 + TINY])
@pytest.mark.parametrize("k", [1, 2])
def test_an_epsilon_beside_a_point_of_the_lattice_is_enclosed(k, factor):
    # log(ratio) and k steps agree to 60 digits: balls of the working precision cannot tell them apart
    ratio = Fraction(9, 8)
    # and the step is itself a ball: what the bounds differ by
    _check(
        CountFilter(2),
        [RandomizedResponse.from_ratio(ratio)],
        LogRatio(ratio**k * factor),
        2,
        slack=2.0**-150,
    )


@pytest.mark.parametrize("precision", [20, 300])
def test_a_ball_beside_a_double_is_rounded_to_it_at_whatever_precision_happens_to_be_set(precision):
    double = 1967 / 2048
    for off in (TINY, -TINY / 2**60, Fraction(0)):
        ball = to_ball(Fraction(double) + off * 2**130)  # 2^-70 of it
        with flint.ctx.workprec(precision):
            assert abs(Fraction(nearest_double(ball)) - Fraction(double)) <= Fraction(1, 2**53)


def test_a_ball_of_no_numbers_has_no_nearest_double():
    with pytest.raises(ValueError, match="x must be known to a unit in the last place"):
        nearest_double(flint.arb(-2).log())
