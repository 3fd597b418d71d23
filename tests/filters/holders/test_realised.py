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
