"""Basic, Rogers, Whitehouse and approximate zCDP: printed rules, and exact compositions under the promise."""

import math
from fractions import Fraction

import numpy as np
import pytest

import filters as fp
from filters.holders.repeats import repeats
from theory.pairs import Erasure, Gaussian, RandomizedResponse, Selection


def test_what_is_not_pure_is_declared_at_an_epsilon_or_denied() -> None:
    assert not fp.BasicFilter(1.0, 0.1).open().request(Gaussian(0.1))
    filt = fp.BasicFilter(1.0, 0.1, at=0.25)
    delta = float(Gaussian(0.3).hockey_stick(0.25))
    assert repeats(filt, Gaussian(0.3), most=20) == min(4, math.floor(0.1 / delta))
    mixed = Selection((RandomizedResponse(0.5), Gaussian(0.3), Erasure(0.05)), np.array([0, 1, 2]))
    state = filt.spend(filt.start(3), mixed)
    assert state[0] == pytest.approx([0.5, 0.25, 0.0])
    assert fp.Budget.of(filt.delta).value(state[2:]) == pytest.approx([0.0, delta, 0.05])


def test_what_the_tail_and_the_weighed_deltas_take_is_at_most_delta_exactly() -> None:
    rng = np.random.default_rng(2)
    for delta, share, weight in rng.uniform((1e-9, 0.0, 1.0), (0.5, 1.0, 3.0), (200, 3)).tolist():
        filt = fp.WhitehouseFilter(1.0, delta, tail=delta * share, weight=weight)
        assert filt.holds is not None
        spent = Fraction(filt.tail or 0.0) + Fraction(weight) * Fraction(filt.holds.infinite)
        assert Fraction(delta) * (1 - Fraction(2) ** -51) <= spent <= Fraction(delta)


def test_what_rogers_has_left_is_epsilon_less_k_of_what_was_released() -> None:
    filt, e, times = fp.RogersFilter(2.0, 1e-3), 0.125, 4
    state = filt.start(1)
    for _ in range(times):
        state = filt.spend(state, RandomizedResponse(e))
    squares, tail = times * e * e, math.log(2 / 1e-3)
    spread = 2 * (squares + filt.h) * (1 + math.log(squares / filt.h + 1) / 2) * tail
    k = times * e * (math.exp(e) - 1) / 2 + math.sqrt(spread)
    assert 0 < filt.remaining(state)[0] == pytest.approx(2 - k, rel=1e-9)
