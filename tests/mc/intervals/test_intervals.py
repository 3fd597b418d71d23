"""Moments, and the intervals that need moments or counts only."""

import math
from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb, ctx

from filterproof.mc.intervals import Moments, clopper_pearson, empirical_bernstein
from filterproof.mc.intervals.anytime import anytime_mean


def exact_moments(values):
    """Mean and unbiased variance in rational arithmetic."""
    exact = [Fraction(float(v)) for v in values]
    mean = sum(exact) / len(exact)
    return mean, sum((v - mean) ** 2 for v in exact) / (len(exact) - 1)


# -- moments ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [1.0, 1e-15, 1e-200, 1e200])
def test_moments_agree_with_rational_arithmetic_at_every_scale(scale):
    values = np.random.default_rng(1).beta(0.3, 2.0, 500) * scale
    moments = Moments.of(values, scale)
    mean, variance = exact_moments(values / scale)
    assert moments.unit_mean == pytest.approx(float(mean), rel=1e-14)
    assert moments.unit_variance == pytest.approx(float(variance), rel=1e-13)
    assert moments.mean == pytest.approx(float(mean) * scale, rel=1e-14, abs=0)


def test_a_spread_far_below_the_mean_survives_blocks_and_merging():
    values = 0.75 + 1e-9 * np.random.default_rng(2).random(4000)
    merged = Moments.merge(Moments.of(block) for block in np.split(values, 8))
    _, variance = exact_moments(values)
    # A sum of squares would keep no digit here: its rounding error is 1e-16, the variance 8e-20.
    assert merged.unit_variance == pytest.approx(float(variance), rel=1e-6, abs=0)


def test_merging_gives_the_same_bits_in_every_order_and_the_moments_of_the_whole():
    rng = np.random.default_rng(3)
    values = rng.pareto(1.5, 9000)
    values /= values.max()
    blocks = [replace(Moments.of(b), logs=(float(np.log1p(b).sum()),)) for b in np.array_split(values, 37)]
    orders = [rng.permutation(37) for _ in range(50)]
    merged = {Moments.merge(blocks[i] for i in order) for order in orders}
    assert len(merged) == 1
    assert len({sum(blocks[i].logs[0] for i in order) for order in orders}) > 1  # the control
    unmerged = Moments.of(values)
    assert merged.pop().unit_variance == pytest.approx(unmerged.unit_variance, rel=1e-13)


# -- Clopper-Pearson -------------------------------------------------------------------------------


@pytest.mark.parametrize("failure", [1e-2, 1e-12, 1e-30])
@pytest.mark.parametrize(("k", "n"), [(0, 50), (1, 50), (3, 400), (40, 61), (50, 50)])
def test_clopper_pearson_endpoints_have_at_most_the_tails_they_promise(k, n, failure):
    """Binomial sums in 50 digits: at the endpoints the tails are failure/2 up to the outward rounding."""
    with mpmath.workdps(50):

        def tail(p, counts):
            p = mpmath.mpf(p)
            return sum(mpmath.binomial(n, j) * p**j * (1 - p) ** (n - j) for j in counts)

        interval = clopper_pearson(k, n, failure=failure)
        if k > 0:
            assert 1 - 1e-6 < tail(interval.low, range(k, n + 1)) / (failure / 2) <= 1
        if k < n:
            assert 1 - 1e-6 < tail(interval.high, range(k + 1)) / (failure / 2) <= 1
    assert (interval.low == 0) == (k == 0)
    assert (interval.high == 1) == (k == n)


@pytest.mark.parametrize(
    ("k", "n", "failure"),
    [
        (20, 10**9, 0.01),
        (5, 9268268, 2.4e-300),
        (10**11, 10**12, 1e-6),
        (2, 1000, 1e-200),
        (1790, 1827, 1e-260),
        (2, 3, 1e-308),
        (10**6, 10**6, 0.1),
    ],
)
def test_clopper_pearson_endpoints_hold_in_balls_where_scipy_finds_no_root_or_a_wrong_one(k, n, failure):
    interval = clopper_pearson(k, n, failure=failure)
    with ctx.workprec(160):
        tails = [arb(interval.low).beta_lower(k, n - k + 1, True)]
        if k < n:
            tails.append((1 - arb(interval.high)).beta_lower(n - k, k + 1, True))
        assert all(tail <= arb(failure) / 2 for tail in tails)
        if failure > 1e-100:
            assert all(tail >= arb(failure) / 2 * (1 - 1e-2) for tail in tails)


# -- empirical Bernstein ---------------------------------------------------------------------------


def test_empirical_bernstein_lies_within_the_published_half_width_for_each_side():
    """Maurer and Pontil's Theorem 4 twice, at failure/2 each, is wider than the shared-event form."""
    rng = np.random.default_rng(4)
    for n, failure in [(2, 0.1), (50, 1e-2), (10**5, 1e-9)]:
        moments = Moments.of(rng.beta(0.5, 3, n))
        estimate = empirical_bernstein(moments, failure=failure)
        log_term = math.log(4 / failure)
        published = math.sqrt(2 * moments.unit_variance * log_term / n) + 7 * log_term / (3 * (n - 1))
        ours = math.sqrt(2 * moments.unit_variance * math.log(3 / failure) / n)
        assert estimate.high - moments.mean <= published
        assert estimate.high - moments.mean >= min(ours, 1 - moments.mean)
        assert estimate.low >= moments.mean - published


def test_constant_values_leave_only_the_lower_order_terms():
    """At zero variance the half width is l (2/sqrt(n(n-1)) + 1/(3n)) at l = log 300, n = 1000."""
    estimate = empirical_bernstein(Moments.of(np.full(1000, 0.5)), failure=1e-2)
    half = math.log(300) * (2 / math.sqrt(999000) + 1 / 3000)
    assert estimate.high - 0.5 == pytest.approx(half, rel=1e-10)
    assert 0.5 - estimate.low == pytest.approx(half, rel=1e-10)


# -- refusals --------------------------------------------------------------------------------------


def mean_of(counts, least=0.0, most=1.0, values=(0.0, 1.0)):
    return anytime_mean(values, counts, least=least, most=most, failure=0.01)


REFUSED = [
    (lambda: Moments.of([0.1, 0.75], 0.5), r"values must lie in \[0, upper=0.5\], got 0.75"),
    (lambda: Moments.of([0.1, -1e-9]), "values must lie in"),
    (lambda: Moments.of([0.1, math.nan]), "values must lie in"),
    (lambda: Moments.merge([Moments.of([0.1], 1.0), Moments.of([0.1], 2.0)]), "share one upper bound"),
    (lambda: Moments.merge([]), "at least one block"),
    (lambda: Moments.of([0.5]).unit_variance, "n must be >= 2"),
    *(
        (lambda counts=counts: mean_of(counts), "counts must be integers")
        for counts in ([-5, 10], [0.5, 0.5], [math.nan, 1], [0, 0], [2.0**53, 1])
    ),
    (lambda: mean_of([1, 1], least=-math.inf), "least must be finite"),
    (lambda: mean_of([1, 1], most=math.inf), "most must be finite"),
    (lambda: mean_of([1, 1], least=1.0, most=0.0), "least must be below most"),
    (lambda: mean_of([1]), "values must lie in"),
    (lambda: mean_of([1], values=[2.0]), "values must lie in"),
]


@pytest.mark.parametrize(("call", "words"), REFUSED, ids=range(len(REFUSED)))
def test_arguments_out_of_range_are_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
