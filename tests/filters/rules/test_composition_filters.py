"""Basic, Rogers, Whitehouse and approximate zCDP: printed rules, and exact compositions under the promise."""

import math

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
