"""The subsampled Gaussian and the Laplace pair against mpmath and the binomial series."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import special

from tests.theory import reference
from theory.pairs import Gaussian, Laplace, SubsampledGaussian

rates = st.floats(math.log(1e-4), 0.0).map(math.exp)
noises = st.floats(math.log(0.3), math.log(50.0)).map(math.exp)
sides = st.sampled_from(["removal", "addition"])
some = settings(deadline=None, derandomize=True)


def close(value: object, expected: object, rel: float = 1e-12, least: float = 1e-300) -> bool:
    return abs(float(value - expected)) <= rel * abs(float(expected)) + least  # type: ignore[operator, arg-type]


@some
@given(q=rates, sigma=noises, side=sides, share=st.floats(-4.0, 6.0))
@example(q=0.5, sigma=1.0, side="removal", share=31.0)
def test_the_hockey_stick_is_the_integral_of_its_definition(q, sigma, side, share) -> None:
    pair = SubsampledGaussian(q, sigma, adjacency=side)
    epsilon = share * q / sigma if share < 2 else share
    expected = reference.hockey_stick(pair, epsilon, 16)
    assert close(pair.hockey_stick(epsilon), expected, rel=1e-11)


@settings(max_examples=15, deadline=None, derandomize=True)
@given(q=rates, sigma=noises, side=sides, t=st.floats(math.log(1e-3), math.log(30.0)).map(math.exp))
def test_the_renyi_divergence_is_the_integral_of_its_definition(q, sigma, side, t) -> None:
    pair = SubsampledGaussian(q, sigma, adjacency=side)
    assert close(pair.renyi(1 + t), reference.renyi(pair, 1 + t, 12))


@pytest.mark.parametrize("alpha", [2, 3, 8, 32, 64])
@pytest.mark.parametrize(("q", "sigma"), [(0.01, 1.0), (0.2, 0.6), (0.004, 4.0), (1.0, 2.0)])
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


@some
@given(b=st.floats(math.log(1e-2), math.log(1e6)).map(math.exp), share=st.floats(-2.0, 1.0))
def test_the_laplace_hockey_stick(b: float, share: float) -> None:
    expected = reference.hockey_stick(Laplace(b), share / b, 16)
    # where it ends, at eps = 1/b, the rounding of 1/b shows
    assert close(Laplace(b).hockey_stick(share / b), expected, least=2e-16 / b)


@some
@given(b=st.floats(math.log(1e-2), math.log(1e6)).map(math.exp), t=st.floats(-7, 5).map(math.exp))
def test_the_laplace_renyi_divergence(b: float, t: float) -> None:
    assert close(Laplace(b).renyi(1 + t), reference.renyi(Laplace(b), 1 + t, 16))


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
