"""A rule that is right as far as doubles reach is refuted by what lies beyond them, at orders that doubles cannot."""

import math
from fractions import Fraction
from functools import lru_cache

import mpmath
import numpy as np
import pytest

import filterproof as fp
from filters.contract.work import WorkLimit
from filters.rules.blackwell import covers
from mc.examine.examination import StageFinding
from mc.examine.measure import Measure, exceeds, goals
from mc.examine.sequence import Sequence
from mc.examine.stages.sequences import sequences
from tests.mc.examine.stages.test_stages import LONG, subject
from theory.evidence import Outcome
from theory.pairs import DominatingPair


class EndsTooSoon(fp.PrivacyFilter):
    """Admits while Gaussian(mu) dominates the rounds so far, composed on a lattice that ends where doubles do."""

    pair: DominatingPair = fp.SubsampledGaussian(0.005, 4.0)
    mu = 1.0
    promise: fp.Guarantee = fp.ZCDP(0.5)

    def start(self, n):
        return np.zeros(n, dtype=int)

    def admits(self, state, request):
        fits = [_cover(self.pair, count + 1, self.mu) for count in state.tolist()]
        return np.array(fits) & (request == self.pair)

    def spend(self, state, request):
        return state + 1


STEP = 2.0**-5


@lru_cache
def _law(pair: DominatingPair, count: int) -> tuple[int, np.ndarray]:
    """(the first place, the P-masses) on a lattice, by the change of slope of the hockey-stick in e^eps."""
    if count > 1:
        (one, masses), (other, more) = _law(pair, count // 2), _law(pair, count - count // 2)
        return one + other, np.convolve(masses, more)
    eps = np.arange(-20.0, 20.0, STEP)
    eps = eps[: np.flatnonzero(np.asarray(pair.hockey_stick(eps)) > 0)[-1] + 2]
    height, z = np.asarray(pair.hockey_stick(eps)), np.exp(eps)
    slope = np.concatenate(([-1.0], np.diff(height) / np.diff(z), [0.0]))
    return round(eps[0] / STEP), np.maximum(np.diff(slope), 0.0) * z


@lru_cache
def _cover(pair: DominatingPair, count: int, mu: float) -> bool:
    first, masses = _law(pair, count)
    losses = (first + np.arange(len(masses))) * STEP
    losses, masses = losses[masses > 0], masses[masses > 0]
    eps = np.linspace(0.0, losses[-1] + 1e-9, 513)
    p, q = (np.append(np.cumsum(law[::-1])[::-1], 0.0) for law in (masses, masses * np.exp(-losses)))
    above = np.searchsorted(losses, eps, side="right")
    return covers(mu, np.exp(eps), np.maximum(p[above] - np.exp(eps) * q[above], 0.0))


def _renyi(q: float, sigma: float, order: int) -> mpmath.mpf:
    """Of the Gaussian on a sample: the binomial sum, in fifty digits."""
    with mpmath.workdps(50):
        p, s = mpmath.mpf(q), mpmath.mpf(sigma)
        terms = (
            mpmath.binomial(order, k) * p**k * (1 - p) ** (order - k) * mpmath.exp(k * (k - 1) / (2 * s * s))
            for k in range(order + 1)
        )
        return mpmath.log(mpmath.fsum(terms)) / (order - 1)


@pytest.mark.slow
def test_a_lattice_that_ends_before_the_support_is_refuted() -> None:
    filt = EndsTooSoon()
    state, times = filt.start(1), 0
    while times < 20 and filt.admits(state, filt.pair)[0]:
        state, times = filt.spend(state, filt.pair), times + 1
    assert times == 20  # 16 are private
    assert 20 * _renyi(0.005, 4.0, 128) < 0.1  # of 64 that are promised
    assert 20 * _renyi(0.005, 4.0, 1024) > 520  # of 512
    played = Sequence(((filt.pair, times),))
    assert played.admitted(filt)
    assert played.breach(filt.promise, goals(filt.promise)) is not None
    told = sequences(subject(filt, "gaussian"), WorkLimit.of(LONG))
    found = next(one for one in told if isinstance(one, StageFinding) and one.witness is not None)
    assert found.verdict is not None
    assert found.verdict.outcome is Outcome.REFUTED
    assert found.witness is not None
    assert found.witness.replay().refutes


@pytest.mark.parametrize(("q", "sigma", "times"), [(1e-6, 0.3, 1), (0.005, 30.0, 1000), (0.5, 100.0, 10_100)])
def test_more_rounds_on_samples_than_are_private_break_zcdp_at_an_order_that_is_examined(
    q: float, sigma: float, times: int
) -> None:
    """At every rate 1/sigma^2 a round is what the tail costs, though near 0 it is next to nothing."""
    pair, most = fp.SubsampledGaussian(q, sigma), times / sigma**2
    for promise in (fp.ZCDP(most / 2 * 0.97), fp.GaussianDP(math.sqrt(most * 0.97))):
        breach = Sequence(((pair, times),)).breach(promise, goals(promise))
        assert breach is not None
        measure, low = breach
        assert measure.kind == "renyi"
        assert Fraction(low) <= Fraction(measure.at) * Fraction(times) / (2 * Fraction(sigma) ** 2)
    kept = fp.ZCDP(most / 2 * (1 + 1e-12))
    assert Sequence(((pair, times),)).breach(kept, goals(kept)) is None


def test_a_divergence_of_high_order_is_met_from_below() -> None:
    for q, sigma, order in ((0.005, 2.0, 1024), (1e-6, 0.3, 128), (0.5, 30.0, 512), (1.0, 100.0, 128)):
        low = Sequence(((fp.SubsampledGaussian(q, sigma), 3),)).low(Measure.renyi(order))
        true = 3 * _renyi(q, sigma, order)
        assert true * (1 - mpmath.mpf(10) ** -12) <= low <= true
    for pair, true in (
        (fp.Laplace(2.0), 0.5),
        (fp.BoundedRange(0.25), 0.25),
        (fp.SubsampledGaussian(0.25, 0.5).swapped, -math.log1p(-0.25)),
    ):
        low = Sequence(((pair, 1),)).low(Measure.renyi(2.0**20))
        assert true * (1 - 2e-2) <= low <= true  # nearly the largest loss
    discrete = Sequence(((fp.DiscreteGaussian(3.0, 2), 1),)).low(Measure.renyi(2.0**20))
    assert 2.0**21 / 9 * (1 - 1e-12) <= discrete <= 2.0**21 / 9 * (1 + 1e-12)
    assert not exceeds(discrete, 2.0**21 / 9)
