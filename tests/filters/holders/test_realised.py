"""Filters that look at losses: the order of events, the menu, and why the naive rule fails."""

import math
from fractions import Fraction

import numpy as np
import pytest

import filters as fp
from theory.pairs import DominatingPair, Erasure, Gaussian, RandomizedResponse
from theory.realisation import kappa

STEP = Gaussian(mu=0.5)  # sigma = 2


def paper() -> fp.RealisationFilter:
    """The setting of 004 Figure 2: (10, 1e-5), sigma = 2, N = 48."""
    return fp.RealisationFilter(10.0, 1e-5, 48, (STEP,))


def play(filt: fp.PrivacyFilter, pair: DominatingPair, losses: list[float]) -> int:
    """How many releases are granted when the releases realise these losses."""
    state = filt.start(1)
    for done, loss in enumerate(losses):
        if not filt.admits(state, pair)[0]:
            return done
        state = filt.observe(filt.spend(state, pair), np.array([loss]))
    return len(losses)


def test_what_remains_is_the_way_to_the_limit() -> None:
    filt = paper()
    assert filt.dhat is not None
    assert filt.theta is not None
    limit = float(kappa(10.0, 2.0, filt.dhat, filt.theta))
    session = filt.open()
    for loss, before in ((1.5, 0.0), (-4.0, 1.5), (0.0, -2.5)):
        assert session.request(STEP)
        session.observe(loss)
        assert session.remaining() == pytest.approx(limit - abs(before), rel=1e-9)
    assert naive().open().remaining() == 1.0


def naive() -> fp.NaiveRealisationFilter:
    with fp.knowingly():
        return fp.NaiveRealisationFilter(1.0, 0.01)


def test_the_naive_rule_never_stops_erasures() -> None:
    filt = naive()
    assert play(filt, Erasure(0.01), [0.0] * 500) == 500
    assert play(filt, Erasure(0.011), [0.0]) == 0
    assert play(filt, Erasure(0.01), [0.0, math.inf, 0.0]) == 2


def test_the_naive_rule_sees_both_directions() -> None:
    filt = naive()
    pair = RandomizedResponse(0.4)
    assert play(filt, pair, [0.4, 0.4, 0.4]) == 2
    assert play(filt, pair, [-0.4, -0.4, -0.4]) == 2
    assert play(filt, pair, [0.4, -0.4] * 20) == 40


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
