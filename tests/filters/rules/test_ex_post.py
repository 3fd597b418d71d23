"""Ex-post charges: what a release turned out to cost is spent, once its cap fitted; squares of losses fail."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import filterproof as fp
from filterproof.filters.catalogue import CATALOGUE
from filterproof.filters.rules.ex_post import ExPostFilter
from filterproof.theory.pairs import KOV, Erasure, FinitePair, RandomizedResponse


@pytest.mark.parametrize(
    ("loss", "cost"), [(math.inf, 0.75), (-math.inf, 0.75), (0.875, 0.875), (-0.875, 0.875)]
)
def test_a_release_is_charged_its_cap_until_it_is_observed_and_where_its_loss_is_infinite(loss, cost):
    filt, pair = ExPostFilter(1.0, 0.25), KOV(0.75, 0.125)
    granted = filt.spend(filt.start(1), pair)
    assert filt.remaining(granted)[0] == pytest.approx(0.25)
    # a finite loss above the cap, which no pair like this has, is charged in full
    assert filt.remaining(filt.observe(granted, np.array([loss])))[0] == pytest.approx(1 - cost)
    assert filt.remaining(filt.spend(granted, RandomizedResponse(0.125)))[0] == pytest.approx(0.125)


@given(st.lists(st.floats(-0.25, 0.25), max_size=12))
def test_no_rounding_of_losses_adds_budget(losses):
    filt, pair = ExPostFilter(1.0), RandomizedResponse(0.25)
    state, exact = filt.start(1), Fraction(0)
    for loss in losses:
        if not filt.admits(state, pair)[0]:
            break
        state = filt.observe(filt.spend(state, pair), np.array([loss]))
        # a loss in doubles may be the rounded one of a larger loss, up to the cap
        exact += min(abs(Fraction(loss)) * (1 + Fraction(1, 2**47)), Fraction(1, 4))
        assert Fraction(filt.remaining(state)[0]) <= 1 - exact


def test_the_promise_with_delta_is_kept_and_nearly_all_of_delta_is_used():
    page = CATALOGUE["ExPostFilter"].page
    # an erasure takes delta and no epsilon
    menu = (*page.menu, Erasure(2.5e-4))
    worst = fp.worst_case(ExPostFilter(1.0, 1e-3), menu, rounds=6, epsilon=1.0)
    assert worst.high <= 1e-3
    assert worst.low == pytest.approx(1 - (1 - 2.5e-4) ** 4, rel=1e-9)


def test_squares_of_realised_losses_break_the_promise_of_zcdp():
    with fp.suppress_unsound_warning():
        filt = fp.SquaredLossFilter(0.5)
    p, n = Fraction(12, 125), 41
    alarm = FinitePair((1 - p, p), (1 - 2 * p, 2 * p))
    worst = fp.worst_case(filt, (alarm,), rounds=n, epsilon=4.0, direction="PQ")
    listened = float((1 - p) ** n - Fraction(math.exp(4.0)) * (1 - 2 * p) ** n)
    assert worst.low >= listened * (1 - 1e-12) > 36 * filt.promise.delta(4.0)
    # the same requests, charged before the release, keep it
    kept = fp.worst_case(fp.ZCDPFilter(0.5), (alarm,), rounds=n, epsilon=4.0)
    assert kept.high <= filt.promise.delta(4.0)
