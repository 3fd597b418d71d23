"""The subsampled Gaussian pair against the binomial series, at its ends, and without arguments that mean something."""

import math
from typing import Any

import pytest
from flint import arb, ctx
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from filterproof.theory.pairs import Gaussian, SubsampledGaussian
from tests.slow_cases import slow_but


@pytest.mark.parametrize("adjacency", ["removal", "addition"])
def test_at_rate_one_it_is_the_gaussian_pair_far_out_too(adjacency: Any) -> None:
    pair, full = SubsampledGaussian(1.0, 0.1, adjacency=adjacency), Gaussian(10.0)
    for x in (-800.0, -200.0, -40.0, 40.0, 200.0, 800.0):  # e^x is beyond the digits of 1, and doubles
        assert pair.hockey_stick(x) == pytest.approx(full.hockey_stick(x), rel=1e-11, abs=1e-250)
        assert pair.loss_cdf(x) == pytest.approx(full.loss_cdf(x), rel=1e-11)
        assert pair.reference_values.loss_cdf(x).ball().overlaps(full.reference_values.loss_cdf(x).ball())
        assert float(pair.reference_values.loss_cdf(x).ball().rad()) < 1e-12


def test_the_loss_of_addition_is_bounded_above_and_that_of_removal_below() -> None:
    removal, addition = SubsampledGaussian(0.3, 0.5), SubsampledGaussian(0.3, 0.5).swapped
    assert addition.loss_isf(0.0) == pytest.approx(-math.log(0.7), rel=1e-14)
    assert addition.hockey_stick(0.4) == 0
    assert removal.loss_cdf(math.log(0.7) - 1e-9) == 0
    assert removal.loss_isf(0.0) == math.inf


@pytest.mark.parametrize(("q", "sigma"), [(0.5, 0.1), (0.01, 0.1), (7.5e-5, 0.1017), (0.999, 1.0)])
def test_next_to_the_largest_loss_of_addition_its_hockey_stick_keeps_the_digits_of_q(
    q: float, sigma: float
) -> None:
    pair, most = SubsampledGaussian(q, sigma, adjacency="addition"), -math.log1p(-q)
    for share in (1e-3, 1e-6, 1e-9, 1e-12, 1e-15):
        at = most * (1 - share)
        with ctx.workprec(200):
            due = pair.reference_values.hockey_stick(at).ball()
            assert abs(arb(float(pair.hockey_stick(at))) - due) <= 1e-11 * due + 2.0**-50 * q
            assert arb(float(pair.hockey_stick_upper_bound(at))) >= due


def _powers(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(math.log(low), math.log(high)).map(math.exp)


@settings(deadline=None, derandomize=True)
@given(
    q=_powers(1e-9, 1.0),
    sigma=_powers(0.15, 8.0),
    order=st.just(1.0) | _powers(0.05, 300.0).map(lambda above: 1 + above) | st.integers(2, 1000).map(float),
    adjacency=st.sampled_from(["removal", "addition"]),
)
@example(q=1.3e-9, sigma=1.29, order=49.0, adjacency="removal")  # e^{tL} beyond doubles, its mean next to 1
@example(q=5e-6, sigma=0.155, order=7.3, adjacency="addition")  # mass near 1, where the full batch draws
@example(q=5.7e-5, sigma=0.155, order=60.0, adjacency="addition")
@example(q=0.1, sigma=1e-4, order=1.0, adjacency="removal")  # nodes at such a distance would fill the memory
@example(q=0.1, sigma=1e-4, order=1.0, adjacency="addition")
@example(q=0.9, sigma=1e-3, order=1 + 2.0**-16, adjacency="removal")
@example(q=1e-200, sigma=0.012, order=1.15, adjacency="removal")
@example(q=1e-300, sigma=0.01, order=1.13, adjacency="removal")  # e^{tL} beyond doubles, its mean not
@example(q=0.1, sigma=1.0, order=1e9, adjacency="removal")
def test_a_divergence_is_rounded_up_and_by_no_more_than_is_said(
    q: float, sigma: float, order: float, adjacency: Any
) -> None:
    pair = SubsampledGaussian(q, sigma, adjacency=adjacency)
    with ctx.workprec(256):
        true = pair.reference_values.renyi(order).ball()
        value = arb(pair.renyi(order))  # type: ignore[arg-type]
        assume(true.rel_accuracy_bits() > 60)  # integrals in balls are narrow at some orders only
        most = order * (1 - arb(q).log() + 1 / arb(sigma) ** 2) * arb(2) ** -45
        assert true <= value <= true * (1 + most)


@pytest.mark.parametrize(("q", "sigma"), slow_but([(1e-3, 0.35)], [(0.1, 0.3), (0.7, 0.25), (1e-3, 0.35)]))
@pytest.mark.parametrize("adjacency", ["removal", "addition"])
def test_the_bounds_of_laws_that_lie_apart_hold_the_integrals(q: float, sigma: float, adjacency: Any) -> None:
    reference_values: Any = SubsampledGaussian(q, sigma, adjacency=adjacency).reference_values
    with ctx.workprec(256):
        for order in (1, 1.125, 2, 3.5):
            a = arb(order)
            integral = (
                reference_values._entropy() if order == 1 else reference_values._moment(a).log() / (a - 1)
            )
            assert integral.rel_accuracy_bits() > 30
            assert reference_values._separated_renyi(a).contains(integral)


def test_at_a_vast_order_addition_is_nearly_its_largest_loss() -> None:
    pair, order, x = SubsampledGaussian(0.1, 1.0, adjacency="addition"), 1e9, -20.0
    value, most = float(pair.renyi(order)), -math.log1p(-0.1)  # type: ignore[arg-type]
    # the mass below x, each at no less than its loss
    least = -math.log1p(-0.1 + 0.1 * math.exp(x - 0.5)) + math.log(math.erfc(-x / 2**0.5) / 2) / (order - 1)
    assert least <= value <= most * (1 + order * 2.0**-45)
