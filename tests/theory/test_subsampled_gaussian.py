"""The subsampled Gaussian pair against the binomial series, at its ends, and without arguments that mean something."""

import math

import numpy as np
import pytest
from scipy import special

from theory.pairs import Gaussian, Laplace, SubsampledGaussian


@pytest.mark.parametrize("alpha", [2, 3, 8, 32, 64])
@pytest.mark.parametrize(
    ("q", "sigma"), [(0.01, 1.0), (0.2, 0.6), (0.004, 4.0), (1.0, 2.0), (0.4, 0.35), (1e-3, 0.3)]
)
def test_the_renyi_divergence_of_whole_order_is_the_binomial_sum(alpha: int, q: float, sigma: float) -> None:
    k = np.arange(alpha + 1)
    terms = special.xlogy(k, q) + special.xlog1py(alpha - k, -q) + k * (k - 1) / (2 * sigma**2)
    terms += special.gammaln(alpha + 1) - special.gammaln(k + 1) - special.gammaln(alpha - k + 1)
    expected = special.logsumexp(terms) / (alpha - 1)
    # the sum loses the digits that E - 1 cancels, and those of gammaln
    assert SubsampledGaussian(q, sigma).renyi(alpha) == pytest.approx(expected, rel=1e-9, abs=1e-13)


def test_at_rate_one_it_is_the_gaussian_pair() -> None:
    for side in ("removal", "addition"):
        pair, full = SubsampledGaussian(1.0, 2.0, adjacency=side), Gaussian(0.5)
        for x in (-1.0, 0.1, 3.0):
            assert pair.hockey_stick(x) == pytest.approx(full.hockey_stick(x), rel=1e-12)
            assert pair.loss_cdf(x) == pytest.approx(full.loss_cdf(x), rel=1e-12)
        assert pair.renyi(3.5) == pytest.approx(full.renyi(3.5), rel=1e-12)
        assert pair.loss_quantile(1e-9) == pytest.approx(full.loss_quantile(1e-9), rel=1e-12)
        pair, full = SubsampledGaussian(1.0, 0.1, adjacency=side), Gaussian(10.0)
        for x in (-800.0, -200.0, -40.0, 40.0, 200.0, 800.0):  # e^x is beyond the digits of 1, and doubles
            assert pair.hockey_stick(x) == pytest.approx(full.hockey_stick(x), rel=1e-11, abs=1e-250)
            assert pair.loss_cdf(x) == pytest.approx(full.loss_cdf(x), rel=1e-11)
            assert pair.truths.loss_cdf(x).ball().overlaps(full.truths.loss_cdf(x).ball())
            assert float(pair.truths.loss_cdf(x).ball().rad()) < 1e-12


def test_the_loss_of_addition_is_bounded_above_and_that_of_removal_below() -> None:
    removal, addition = SubsampledGaussian(0.3, 0.5), SubsampledGaussian(0.3, 0.5).swapped
    assert addition.loss_quantile(0.0) == pytest.approx(-math.log(0.7), rel=1e-14)
    assert addition.hockey_stick(0.4) == 0
    assert removal.loss_cdf(math.log(0.7) - 1e-9) == 0
    assert removal.loss_quantile(0.0) == math.inf


def test_bad_parameters_are_refused() -> None:
    with pytest.raises(ValueError, match="q must be finite and > 0"):
        SubsampledGaussian(0.0, 1.0)
    with pytest.raises(ValueError, match=r"q must be in \[0, 1\]"):
        SubsampledGaussian(1.1, 1.0)
    with pytest.raises(ValueError, match="adjacency must be"):
        SubsampledGaussian(0.5, 1.0, adjacency="both")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="order must be >= 1"):
        SubsampledGaussian(0.5, 1.0).sample(np.random.default_rng(1), 2, 0.5)
    with pytest.raises(ValueError, match="b must be finite and > 0"):
        Laplace(-1.0)
