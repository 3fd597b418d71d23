"""Order 1, the Kullback-Leibler divergence, and the delta it implies."""

import math

import pytest

import filterproof.filters as fp
from filterproof.theory.guarantees import RenyiDP
from filterproof.theory.pairs import (
    KOV,
    Erasure,
    FinitePair,
    Gaussian,
)

SKEW = FinitePair((0.5, 0.3, 0.2), (0.3, 0.3, 0.4))


def test_what_may_tell_for_certain_has_no_finite_divergence_of_order_one() -> None:
    for pair in (Erasure(1e-9), KOV(0.5, 1e-9), FinitePair((0.5, 0.5), (1.0, 0.0))):
        assert pair.renyi(1.0) == math.inf
    assert Erasure(0.0).renyi(1.0) == 0.0
    # outcomes that P cannot produce cost Q's divergence, not P's: log 2
    assert FinitePair((1.0, 0.0), (0.5, 0.5)).renyi(1.0) == pytest.approx(math.log(2), rel=1e-15)


def test_the_filter_of_order_one_adds_divergences_and_keeps_its_promise() -> None:
    """Paper 000, Theorem 4.3, at alpha = 1: the sum of E[L] stays within rho."""
    filt = fp.RenyiFilter(1.0, 0.5)
    session = filt.open()
    granted = 0
    while session.request(SKEW):
        granted += 1
    each = max(float(SKEW.renyi(1.0)), float(SKEW.swapped.renyi(1.0)))
    assert granted == math.floor(0.5 / each) > 2
    assert not filt.open().request(Erasure(1e-300))
    assert filt.open().request(Gaussian(1.0))
    assert not filt.open().request(Gaussian(math.nextafter(1.0, 2.0)))
    assert filt.promise == RenyiDP(1.0, 0.5)
    assert str(filt.promise) == "(1, 0.5)-RDP"
