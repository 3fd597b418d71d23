"""The pair of bounded range beside exponential mechanisms, enumerated, and beside another library."""

import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import filterproof as fp


def picks(scores: np.ndarray, scale: float) -> np.ndarray:
    """Probabilities in proportion to e^(score/scale)."""
    weights = np.exp((scores - scores.max()) / scale)
    return np.asarray(weights / weights.sum())


def hockey_stick(p: np.ndarray, q: np.ndarray, x: float) -> float:
    return float(np.maximum(p - math.exp(x) * q, 0.0).sum())


SCORES = st.lists(st.integers(-4, 4), min_size=2, max_size=6).map(lambda row: np.array(row, dtype=float))


@settings(deadline=None)
@given(SCORES, st.data(), st.sampled_from([0.1, 0.5, 2.0]), st.sampled_from([1.2, 2.0, 7.0, 40.0]))
def test_no_exponential_mechanism_passes_it(
    scores: np.ndarray, data: st.DataObject, unit: float, order: float
) -> None:
    moves = st.lists(st.floats(-1, 1, width=16), min_size=len(scores), max_size=len(scores))
    p, q = picks(scores, 1 / unit), picks(scores + np.array(data.draw(moves)), 1 / unit)
    pair = fp.BoundedRange(2 * unit)
    for x in np.linspace(-2.2, 2.2, 23) * unit:
        assert max(hockey_stick(p, q, x), hockey_stick(q, p, x)) <= pair.hockey_stick(float(x)) + 1e-12
    moment = float((p * np.exp((order - 1) * np.log(p / q))).sum())
    assert math.log(moment) / (order - 1) <= pair.renyi(order) + 1e-12
    # what is said of the mechanisms themselves, which one pair for all of them cannot say
    assert math.log(moment) / (order - 1) <= order * pair.epsilon**2 / 8 + 1e-12
    assert pair.renyi(order) <= order * pair.zcdp_rho


@pytest.mark.parametrize("e", [1e-8, 1e-40, 1e-130, 1e-150, 1e-300])
def test_what_is_tiny_is_neither_lost_nor_loose(e: float) -> None:
    pair = fp.BoundedRange(e)
    # tanh(e/4), and e^2/6 times one less a share of e^2, which may be below the least double
    assert pair.hockey_stick(0.0) == pytest.approx(e / 4, rel=1e-12, abs=0)
    assert pair.renyi(2.0) == pytest.approx(e * e / 3, rel=1e-12, abs=1e-300)
    low, high = pair.tight_charge("zcdp_rho")
    assert low <= e * e / 6 * (1 + 2.0**-50) + 2.0**-1074
    assert e * e / 6 * (1 - 2.0**-50) <= high <= pair.zcdp_rho
    assert high - low <= 1e-13 * high + 2.0**-1069
    assert math.isnan(pair.renyi(0.5))


@pytest.mark.parametrize("missing", [2.0**-20, 2.0**-46, 2.0**-53])
@pytest.mark.parametrize("e", [15.0, 27.4, 36.0])
def test_a_quantile_near_the_least_loss_keeps_its_digits(e: float, missing: float) -> None:
    with mp.workdps(40):
        exact = e + 2 * mp.log(missing + (1 - mp.mpf(missing)) * mp.exp(-e))
    assert fp.BoundedRange(e).loss_isf(1 - missing) == pytest.approx(float(exact), abs=1e-12 * e)
