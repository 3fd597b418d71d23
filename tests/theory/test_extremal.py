"""Extremal mechanisms, held against B*, searches by mpmath and SciPy, and closed forms: no route shares code."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb, ctx, fmpq
from scipy import optimize, stats

import filterproof as fp
from filterproof.filters.certified.comparison import Comparisons
from filterproof.filters.certified.some_order_checks import delta_share_comparison
from filterproof.filters.rules.orders import RenyiCurve
from filterproof.theory.extremal import realised_loss_filter_extremal, squares_extremal
from filterproof.theory.numerics.binary_hypothesis import (
    RenyiBound,
    hockey_stick_bound_by_planes,
    largest_hockey_stick_point,
)
from filterproof.theory.thresholds.b_star import b_star
from filterproof.theory.thresholds.some_order_delta_share import some_order_rule_delta_share

ZCDP = [
    (0.0305565952, 1.0),
    (0.5, 0.0),
    (0.5, 1.0),
    (1.78, 10.0),
    (1e-4, 0.05),
]
CURVES = [((8.0, 1.0),), ((1.0, 0.3),), ((2.0, 0.25), (32.0, 4.0))]


def budget_of(epsilon: float, delta: float) -> tuple[float, float]:
    with ctx.workprec(192):
        bounds = b_star(fmpq(*epsilon.as_integer_ratio()), fmpq(*delta.as_integer_ratio()))
        return float(bounds.low), float(bounds.high)


@pytest.mark.parametrize(("rho", "epsilon"), ZCDP)
def test_of_zcdp_the_ends_meet_at_the_delta_whose_b_star_is_the_budget(rho: float, epsilon: float) -> None:
    largest = fp.ZCDP(rho).extremal(epsilon)
    assert 0 < largest.low < largest.high <= largest.low * (1 + 1e-8)
    assert largest.high <= float(fp.ZCDP(rho).delta(epsilon))
    assert budget_of(epsilon, largest.low)[0] <= rho * (1 + 1e-15)
    assert budget_of(epsilon, largest.high)[1] >= rho * (1 - 1e-15)
    ((pair, times),) = largest.steps
    assert times == 1
    assert pair.zcdp_rho <= rho
    assert float(pair.hockey_stick(epsilon)) == pytest.approx(largest.low, rel=1e-12)


def divergence(order: float, p: mpmath.mpf, q: mpmath.mpf) -> mpmath.mpf:
    if order == 1:
        return p * mpmath.log(p / q) + (1 - p) * mpmath.log((1 - p) / (1 - q))
    moment = p**order * q ** (1 - order) + (1 - p) ** order * (1 - q) ** (1 - order)
    return mpmath.log(moment) / (order - 1)


def searched(orders: tuple[tuple[float, float], ...], epsilon: float) -> float:
    """x - e^epsilon y by a search over y, x by bisection, with 30 digits."""

    def hockey_stick(log_y: float) -> float:
        with mpmath.workdps(30):
            y = mpmath.exp(log_y)
            low, high = y, mpmath.mpf(1)
            for _ in range(45):
                x = (low + high) / 2
                fits = all(max(divergence(a, x, y), divergence(a, y, x)) <= rho for a, rho in orders)
                low, high = (x, high) if fits else (low, x)
            return float(low - mpmath.exp(epsilon) * y)

    best = max(np.linspace(-14, -0.05, 40), key=hockey_stick)
    optimum = optimize.minimize_scalar(
        lambda z: -hockey_stick(z),
        bounds=(best - 0.5, min(best + 0.5, -1e-3)),
        method="bounded",
        options={"xatol": 1e-10},
    )
    return -float(optimum.fun)


@pytest.mark.parametrize("orders", CURVES)
def test_of_renyi_bounds_the_ends_meet_where_a_search_finds_its_largest(
    orders: tuple[tuple[float, float], ...],
) -> None:
    curve = RenyiCurve(*zip(*orders, strict=True)) if len(orders) > 1 else fp.RenyiDP(*orders[0])
    largest = curve.extremal(1.0)
    assert 0 < largest.low < largest.high <= largest.low * (1 + 1e-8)
    # where two bounds meet there is a corner, which SciPy finds to sqrt(2^-52) of log y
    assert searched(orders, 1.0) == pytest.approx(largest.high, rel=1e-7)
    assert largest.high <= float(curve.delta(1.0)) * (1 + 1e-12)


def test_planes_at_any_point_bound_and_at_a_wrong_order_too() -> None:
    epsilon = fmpq(1)
    bound = RenyiBound(Fraction(8), epsilon)
    x, y, _ = largest_hockey_stick_point(1.0, [bound])
    best = arb(x) - arb(epsilon).exp() * y
    for shift in (fmpq(99, 100), fmpq(101, 100)):
        assert hockey_stick_bound_by_planes(epsilon, x * shift, y, [bound]) > best
        assert hockey_stick_bound_by_planes(epsilon, x, y * shift, [bound]) > best
    assert (
        hockey_stick_bound_by_planes(epsilon, x, y, [RenyiBound(Fraction(8), fmpq(99, 100))]) < best
    )  # a smaller bound, a smaller delta
    with pytest.raises(ArithmeticError, match="weights must be >= 0"):
        hockey_stick_bound_by_planes(epsilon, y, x, [bound])


@pytest.mark.parametrize(
    ("guarantee", "epsilon", "delta"),
    [
        (fp.PureDP(1.0), 0.5, (math.e - math.exp(0.5)) / (1 + math.e)),
        (fp.PureDP(1.0), 1.0, 0.0),
        (fp.ApproxDP(1.0, 1e-3), 1.0, 1e-3),
        (fp.ApproxDP(0.0, 1e-3), 1.0, 1e-3),
        (fp.GaussianDP(1.0), 2.0, stats.norm.cdf(-1.5) - math.exp(2) * stats.norm.cdf(-2.5)),
    ],
)
def test_of_pure_approximate_and_gaussian_dp_both_ends_are_the_closed_form(
    guarantee: fp.Guarantee, epsilon: float, delta: float
) -> None:
    largest = guarantee.extremal(epsilon)
    assert largest.low == pytest.approx(delta, rel=1e-12)
    assert largest.low <= largest.high <= largest.low * (1 + 1e-15)
    assert bool(largest.steps) == (delta > 0)


def test_equal_randomised_responses_are_worth_the_binomial_tail() -> None:
    level = math.sqrt(0.02 / 64)
    largest = squares_extremal(0.02, 5e-4, 0.5, level=level, times=64)
    keep = 1 / (1 + math.exp(-level))
    lost = (2 * np.arange(65) - 64) * level
    gain = -np.expm1(np.minimum(0.5 - lost, 0))
    tail = float(np.sum(stats.binom.pmf(np.arange(65), 64, keep) * gain))
    assert largest.low == pytest.approx(5e-4 + (1 - 5e-4) * tail, rel=1e-12)
    assert largest.high == pytest.approx(5e-4 + (1 - 5e-4) * fp.ZCDP(0.01).extremal(0.5).high, rel=1e-12)
    assert largest.low < largest.high


def test_erasures_spend_what_is_kept_for_quantiles() -> None:
    largest = realised_loss_filter_extremal(1e-7, 5e-6, 48, 1e-5, 10.0)
    assert largest.low == pytest.approx(-math.expm1(47 * math.log1p(-1e-7) + math.log1p(-5e-6)), rel=1e-12)
    assert (largest.high, largest.steps) == (1e-5, ((fp.Erasure(1e-7), 47), (fp.Erasure(5e-6), 1)))


def test_where_no_point_is_found_the_promise_bounds() -> None:
    cases = (
        (fp.ZCDP(1e-4), 9.0),
        (fp.ZCDP(0.03), 21.0),
        (fp.ZCDP(1e-5), 45.0),
        (fp.RenyiDP(75.0, 30.0), 0.3),
        (fp.ZCDP(1e300), 3.0),  # whose masses have more digits than there is memory
        (fp.RenyiDP(2.0, 1e300), 3.0),
    )
    for guarantee, epsilon in cases:
        largest = guarantee.extremal(epsilon)
        assert (largest.low, largest.steps) == (0.0, ())
        assert float(guarantee.delta(epsilon)) <= largest.high


@pytest.mark.parametrize(
    ("promise", "epsilon"),
    [
        (fp.ZCDP(0.0002060490905320456), 1.7438449672817868),
        (fp.ZCDP(4.333535504111992e-05), 0.23024096910895223),
        (fp.RenyiDP(83.1996985510061, 0.00834859850758777), 4.876457028298044),
    ],
)
def test_no_guarantee_loses_more_than_it_says_however_little_that_is(promise, epsilon):
    largest = promise.extremal(epsilon)
    assert largest.low <= largest.high <= max(promise.delta(epsilon) * (1 + 2.0**-38), 5e-324)


@pytest.mark.parametrize(
    ("alphas", "delta"),
    [
        ((2.0, 32.0), 0.01),
        (tuple(map(float, range(2, 65))), 0.01),
        (tuple(map(float, range(3, 65))), 1e-5),
        ((1.1, 1.3), 0.01),
        (tuple(2.5 + j / 8 for j in range(40)), 1e-5),
        ((64.0, 1.5, 7.25), 1e-12),
    ],
)
def test_the_share_of_delta_at_some_order_is_that_of_the_payments_rounded_up(alphas, delta):
    assert delta_share_comparison(Comparisons("some order kept"), alphas, delta).fits


def test_all_mechanisms_at_some_order_lose_at_most_the_share_from_epsilon_on():
    filt = fp.SomeOrderMarkovFilter(6.0, 0.01, (2.0, 32.0))
    share = some_order_rule_delta_share((2.0, 32.0), 0.01)
    for epsilon in (6.0, 7.5):
        largest = fp.supremum(filt, epsilon)
        assert 0 < largest.low < largest.high == pytest.approx(share * 0.01, rel=1e-8)
    assert fp.supremum(filt, 5.0).high > 0.01
    # where no worst mechanism is found the promise alone is said
    largest = fp.supremum(fp.SomeOrderMarkovFilter(1e300, 0.01, (1 + 1e-9,)), 1e300)
    assert (largest.low, largest.high) == (0.0, pytest.approx(0.01))
