"""The constants inside odometers and the realisation filter, each by what it has to achieve; others are certified."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import filters as fp
from filters.holders.odometers import DoublingOdometer, StitchedOdometer
from theory.pairs import Gaussian, RandomizedResponse


def test_the_lines_of_the_stitched_odometer_share_delta() -> None:
    """Slope (k+1)/2 and intercept log(1/d)/k of each line, read off the bound, give back its d.

    They fall as (j+1)^-s, and s is the one exponent that makes the published constants: 1.7, .72 and 5.2
    are (2^(1/4) + 2^(-1/4)) sqrt(s/2), 1/s and zeta(s) / (log 2)^s, rounded up (Whitehouse et al., Theorem 5.3).
    """
    delta, first = 0.05, 0.1
    odometer = StitchedOdometer(delta, first)
    shares = []
    for j in range(40):
        middle = first * 2.0 ** (j + 0.5)
        s = np.array([middle * 0.999, middle * 1.001])
        low, high = odometer.bound(s)
        slope = (high - low) / (s[1] - s[0])
        shares.append(math.exp(-(low - slope * s[0]) * (2 * slope - 1)) / delta)
        if j != 1:  # there the line before is lower still; a line is the best one in the middle of its epoch
            best = middle / 2 + math.sqrt(-2 * middle * math.log(delta * shares[-1]))
            assert float(odometer.bound(np.array([middle]))[0]) == pytest.approx(best, rel=1e-9)
    exponents = [-math.log(shares[j] / shares[0]) / math.log(j + 1) for j in (3, 10, 39)]
    assert exponents == pytest.approx([exponents[0]] * 3, rel=1e-6)
    power = exponents[0]
    assert power > 1
    assert shares[0] * float(mpmath.zeta(power)) == pytest.approx(1.0, rel=1e-5)
    assert math.ceil(10 * (2**0.25 + 2**-0.25) * math.sqrt(power / 2)) / 10 == 1.7
    assert math.ceil(100 / power) / 100 == 0.72
    assert math.ceil(10 * float(mpmath.zeta(power)) / math.log(2) ** power) / 10 == 5.2


def test_a_filter_that_is_passed_by_an_ulp_has_halted() -> None:
    """The logarithm of first 2^j (1 + 2^-52) is rounded to j: the bound is that of filter j + 1 all the same."""
    odometer = DoublingOdometer(0.05, 0.01)
    for j in range(2, 40):
        size = 0.01 * 2.0**j
        at, passed, next_size = odometer.bound(2 * np.array([size, math.nextafter(size, math.inf), 2 * size]))
        assert at < passed == next_size


def test_the_realisation_filter_denies_what_rounding_alone_would_let_through() -> None:
    """Losses whose exact sum leaves no room, while their sum in doubles does: denied, in both directions."""
    pair = RandomizedResponse(0.25)
    filt = fp.RealisationFilter(2.0, 0.25, 40, (pair,), dhat=0.01, theta=0.001)
    rng = np.random.default_rng(5)
    limit = Fraction(2) - Fraction(0.25) - Fraction(0.25)
    near = 0
    for _ in range(400):
        losses = rng.uniform(0, 0.2, 12)
        exact = sum(map(Fraction, losses[:-1].tolist()), Fraction(0))
        rounded = float(np.cumsum(losses[:-1])[-1])  # one by one, as the filter adds them
        losses[-1] = float(limit) - rounded  # brings the sum in doubles to the limit
        exact += Fraction(float(losses[-1]))
        if rounded + losses[-1] > float(limit) or exact <= limit:
            continue
        near += 1
        for sign in (1.0, -1.0):
            state = filt.start(1)
            for loss in losses:
                state = filt.observe(filt.spend(state, pair), np.array([sign * loss]))
            state = filt.observe(filt.spend(state, pair), np.zeros(1))  # now the last loss counts
            assert not filt.admits(state, pair)[0]
        if near > 50:
            break
    assert near > 50


@pytest.mark.parametrize("rounds", [1, 2, 48])
def test_the_split_of_the_realisation_filter_pays_for_every_round(rounds: int) -> None:
    """dhat + theta (1 - dhat) N <= delta, 004 Theorem 1: in rationals, at the largest theta that satisfies it."""
    delta, dhat = 1e-3, 4e-4
    exact = (Fraction(delta) - Fraction(dhat)) / ((1 - Fraction(dhat)) * rounds)
    theta = float(exact)
    if Fraction(theta) > exact:
        theta = math.nextafter(theta, 0.0)
    menu = (Gaussian(0.5),)
    filt = fp.RealisationFilter(10.0, delta, rounds, menu, dhat=dhat, theta=theta)
    assert (filt.dhat, filt.theta, filt.rounds) == (dhat, theta, rounds)
    with pytest.raises(ValueError, match="dhat and theta must satisfy"):
        fp.RealisationFilter(10.0, delta, rounds, menu, dhat=dhat, theta=math.nextafter(theta, 1.0))
    chosen = fp.RealisationFilter(10.0, delta, rounds, menu)
    assert chosen.dhat is not None
    assert chosen.theta is not None
    spent = Fraction(chosen.dhat) + Fraction(chosen.theta) * (1 - Fraction(chosen.dhat)) * rounds
    assert Fraction(delta) * (1 - Fraction(1, 10**12)) <= spent <= Fraction(delta)
