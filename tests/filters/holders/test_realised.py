"""Filters that look at losses: the order of events, the menu, and why the naive rule fails."""

import math

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


def test_the_parts_of_a_split_are_given_together_and_there_is_a_menu() -> None:
    with pytest.raises(ValueError, match="dhat and theta must be given together, got dhat="):
        fp.RealisationFilter(10.0, 1e-5, 48, (STEP,), dhat=9e-6)
    with pytest.raises(ValueError, match="menu must hold at least one pair"):
        fp.RealisationFilter(10.0, 1e-5, 10, ())


def test_a_request_beyond_the_menu_is_denied() -> None:
    filt = fp.RealisationFilter(10.0, 1e-5, 10, (STEP, RandomizedResponse(1.0)))
    state = filt.start(2)
    assert filt.admits(state, STEP).all()
    assert filt.admits(state, RandomizedResponse(1.0)).all()
    assert filt.admits(state, Gaussian(np.array([0.4, 0.6]))).tolist() == [True, False]
    assert filt.admits(state, Erasure(1e-9)).all()  # its dhat-quantile is 0
    assert not filt.admits(state, Erasure(1e-4)).any()


def test_a_mechanism_that_may_fail_more_often_than_theta_ends_the_run() -> None:
    filt = fp.RealisationFilter(10.0, 1e-5, 10, (STEP,))
    assert filt.dhat is not None
    assert filt.theta is not None
    rare = math.sqrt(filt.dhat * filt.theta)  # above theta, below dhat
    assert play(filt, Erasure(rare), [0.0, 0.0]) == 1
    assert play(filt, Erasure(filt.theta), [0.0] * 10) == 10
    assert play(filt, Erasure(filt.theta), [0.0, math.inf, 0.0, 0.0]) == 3


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
