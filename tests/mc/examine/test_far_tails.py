"""A rule that is right as far as doubles reach is refuted by what lies beyond them, at orders that doubles cannot."""

import math
from fractions import Fraction

import mpmath
import pytest

import filterproof as fp
from filterproof.mc.examine.divergence import Divergence, certainly_exceeds, targets
from filterproof.mc.examine.sequence import Sequence


def _renyi(q: float, sigma: float, order: int) -> mpmath.mpf:
    """Of the Gaussian on a sample: the binomial sum, in fifty digits."""
    with mpmath.workdps(50):
        p, s = mpmath.mpf(q), mpmath.mpf(sigma)
        terms = (
            mpmath.binomial(order, k) * p**k * (1 - p) ** (order - k) * mpmath.exp(k * (k - 1) / (2 * s * s))
            for k in range(order + 1)
        )
        return mpmath.log(mpmath.fsum(terms)) / (order - 1)


@pytest.mark.parametrize(("q", "sigma", "times"), [(1e-6, 0.3, 1), (0.005, 30.0, 1000), (0.5, 100.0, 10_100)])
def test_more_rounds_on_samples_than_are_private_break_zcdp_at_an_order_that_is_examined(
    q: float, sigma: float, times: int
) -> None:
    """At every rate 1/sigma^2 a round is what the tail costs, though near 0 it is next to nothing."""
    pair, most = fp.SubsampledGaussian(q, sigma), times / sigma**2
    for promise in (fp.ZCDP(most / 2 * 0.97), fp.GaussianDP(math.sqrt(most * 0.97))):
        violation = Sequence(((pair, times),)).violation(promise, targets(promise))
        assert violation is not None
        measure, low = violation
        assert measure.kind == "renyi"
        assert Fraction(low) <= Fraction(measure.at) * Fraction(times) / (2 * Fraction(sigma) ** 2)
    kept = fp.ZCDP(most / 2 * (1 + 1e-12))
    assert Sequence(((pair, times),)).violation(kept, targets(kept)) is None


def test_a_divergence_of_high_order_is_met_from_below() -> None:
    for q, sigma, order in ((0.005, 2.0, 1024), (1e-6, 0.3, 128), (0.5, 30.0, 512), (1.0, 100.0, 128)):
        low = Sequence(((fp.SubsampledGaussian(q, sigma), 3),)).low(Divergence.renyi(order))
        true = 3 * _renyi(q, sigma, order)
        assert true * (1 - mpmath.mpf(10) ** -12) <= low <= true
    for pair, true in (
        (fp.Laplace(2.0), 0.5),
        (fp.BoundedRange(0.25), 0.25),
        (fp.SubsampledGaussian(0.25, 0.5).swapped, -math.log1p(-0.25)),
    ):
        low = Sequence(((pair, 1),)).low(Divergence.renyi(2.0**20))
        assert true * (1 - 2e-2) <= low <= true  # nearly the largest loss
    discrete = Sequence(((fp.DiscreteGaussian(3.0, 2), 1),)).low(Divergence.renyi(2.0**20))
    assert 2.0**21 / 9 * (1 - 1e-12) <= discrete <= 2.0**21 / 9 * (1 + 1e-12)
    assert not certainly_exceeds(discrete, 2.0**21 / 9)
