"""The least charges of finite pairs, held against searches by mpmath."""

import math
import sys
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

import filterproof as fp
from filterproof.theory.pairs.finite_charges import Masses, least_gdp_mu, least_zcdp_rho
from filterproof.theory.rounding import round_down, round_up


def extremal(epsilon: str = "1", delta: str = "1e-5", order: float = 17.8087) -> fp.FinitePair:
    """Two outcomes, the P-mass `order` delta at the loss epsilon + log(order / (order - 1)), rounded to rationals."""
    p = Fraction(order) * Fraction(delta)
    loss = float(epsilon) + math.log(order / (order - 1))
    q = Fraction(float(p) * math.exp(-loss))
    return fp.FinitePair((p, 1 - p), (q, 1 - q))


def searched(pair: fp.FinitePair) -> float:
    """The largest D_a / a, both ways, that a search over the orders finds in balls."""
    with ctx.workprec(256):
        return float(pair.reference_values.zcdp_rho.ball().mid())


def masses_of(weights: list[tuple[int, int]]) -> Masses:
    p, q = (sum(distribution) for distribution in zip(*weights, strict=True))
    return tuple((Fraction(a, p), Fraction(b, q)) for a, b in weights)


WEIGHTS = st.lists(st.tuples(st.integers(1, 10**6), st.integers(1, 10**6)), min_size=2, max_size=5)


@settings(max_examples=6, deadline=None)
@given(WEIGHTS)
def test_the_least_rho_is_what_a_search_over_all_orders_finds(weights: list[tuple[int, int]]) -> None:
    masses = masses_of(weights)
    if all(p == q for p, q in masses):
        return
    low, high = least_zcdp_rho(masses)
    optimum = searched(fp.FinitePair(*zip(*masses, strict=True)))
    assert low * (1 - 2.0**-50) <= optimum * (1 + 2.0**-28)
    assert optimum <= high
    pure = max(abs(math.log(p / q)) for p, q in masses)
    assert high <= pure**2 / 2 * (1 + 1e-9)


def test_pairs_at_the_ends() -> None:
    same, missing = fp.FinitePair((0.25, 0.75), (0.25, 0.75)), fp.FinitePair((0.5, 0.5), (1.0, 0.0))
    assert (same.zcdp_rho, same.gdp_mu) == (0.0, 0.0)
    assert (missing.zcdp_rho, missing.gdp_mu) == (math.inf, math.inf)
    near = fp.FinitePair(
        (Fraction(1, 2), Fraction(1, 2)),
        (Fraction(1, 2) + Fraction(1, 10**200), Fraction(1, 2) - Fraction(1, 10**200)),
    )
    assert near.zcdp_rho > 0  # far below the least double, and not free
    rare = fp.FinitePair((1e-300, 1.0), (1e-200, 1.0))
    assert 0 < rare.zcdp_rho <= rare.pure_epsilon**2 / 2
    tiny = Fraction(1, 10**60)  # 1 less this is 1 in a ball of 128 bits
    with mpmath.workdps(40):
        quantiles = [
            mpmath.findroot(lambda z, mass=mass: mpmath.log(mpmath.erfc(z / mpmath.sqrt(2)) / 2 / mass), 16)
            for mass in (mpmath.mpf(10) ** -60, 2 * mpmath.mpf(10) ** -60)
        ]
    sure = fp.FinitePair((1 - tiny, tiny), (1 - 2 * tiny, 2 * tiny))
    assert sure.gdp_mu == pytest.approx(float(quantiles[0] - quantiles[1]), rel=1e-14)
    # twenty outcomes of nearly Gaussian loss, whose rate hardly depends on the order
    x = np.linspace(-5, 5, 20)
    p, q = (np.exp(-((x - m) ** 2) / 2) for m in (0.2, 0.0))
    flat = fp.FinitePair(p / p.sum(), q / q.sum())
    low, high = least_zcdp_rho(flat.masses_as_fractions)
    assert low == pytest.approx(0.02, rel=1e-3)
    assert high <= low * (1 + 2e-5)


@settings(max_examples=12, deadline=None)
@given(WEIGHTS)
def test_the_least_mu_dominates_at_every_epsilon_and_a_smaller_one_does_not(
    weights: list[tuple[int, int]],
) -> None:
    masses = masses_of(weights)
    mu = least_gdp_mu(masses)
    if mu < 1e-3:
        return
    pair = fp.FinitePair(*zip(*masses, strict=True))
    epsilons = np.linspace(-20, 20, 4001)
    assert (pair.hockey_stick(epsilons) <= fp.Gaussian(mu).hockey_stick(epsilons) + 1e-13).all()
    # at a corner of the trade-off curve, the slope of the Gaussian's there
    corners = []
    x, y = Fraction(0), Fraction(1)
    for p, q in sorted(masses, key=lambda both: both[0] / both[1], reverse=True)[:-1]:
        x, y = x + q, y - p
        corners.append((float(x), float(y)))
    less = fp.Gaussian(mu * (1 - 1e-6))
    assert any(less.trade_off(x) > y for x, y in corners)


@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 1.0, 5.0])
def test_the_search_over_orders_finds_the_relative_entropy_of_randomised_response(epsilon: float) -> None:
    masses = fp.RandomizedResponse(epsilon).rational.exact_masses
    low, high = least_zcdp_rho(tuple(zip(masses.p, masses.q, strict=True)))
    assert low * (1 - 1e-12) <= epsilon * math.tanh(epsilon / 2) <= high * (1 + 1e-12)


PAIRS: list[Any] = [
    (fp.Gaussian(0.5), "zcdp_rho", 1.0),
    *((fp.RandomizedResponse(e), "zcdp_rho", 2 * math.tanh(e / 2) / e) for e in (1e-3, 0.1, 1.0, 5.0)),
    (fp.RandomizedResponse(1.0), "gdp_mu", 1.0),
    (fp.KOV(1.0, 0.0), "zcdp_rho", 2 * math.tanh(0.5)),
    (fp.KOV(1.0, 0.1), "zcdp_rho", 1.0),  # both are infinite
    (fp.Laplace(1.0), "zcdp_rho", 2 * math.exp(-1)),  # the relative entropy e^-1, of 1/2
    (fp.Laplace(0.1), "zcdp_rho", (math.exp(-10) + 9) / 50),
    (fp.Erasure(0.1), "gdp_mu", 1.0),
    pytest.param(fp.SubsampledGaussian(0.1, 1.0), "zcdp_rho", 1.0, marks=pytest.mark.slow),
    (extremal(), "zcdp_rho", 1.0),
    (extremal(), "pure_epsilon", 1.0),
]


@pytest.mark.parametrize(("pair", "charge", "share"), PAIRS)
def test_a_pair_says_how_loose_its_charges_are(pair: fp.DominatingPair, charge: Any, share: float) -> None:
    low, high = pair.tight_charge(charge)
    declared = getattr(pair, charge)
    if math.isinf(declared):
        assert (high, share) == (math.inf, 1.0)
        return
    assert low * (1 - 1e-9) <= share * declared <= high * (1 + 1e-9)
    assert high - low <= 1e-7 * declared
    if charge == "zcdp_rho":
        orders = 1 + np.geomspace(1e-6, 1e4, 700)
        met = max(np.max(np.asarray(side.renyi(orders)) / orders) for side in (pair, pair.swapped))
        assert met <= high * (1 + 1e-9)
        assert met >= low * (0.99 if isinstance(pair, fp.SubsampledGaussian) else 0.9999)


def test_a_ball_that_says_nothing_bounds_nothing_and_one_beyond_the_doubles_is_bounded_by_their_ends() -> (
    None
):
    most, huge = sys.float_info.max, arb(10) ** 400
    for ball, ends in (
        (arb.nan(), (-math.inf, math.inf)),
        (arb.pos_inf(), (math.inf, math.inf)),
        (huge, (most, math.inf)),
        (-huge, (-math.inf, -most)),
        (1 / huge, (0.0, 5e-324)),
        (arb(0.1), (0.1, 0.1)),
        (arb(0.1, 2.0**-70), (math.nextafter(0.1, 0), math.nextafter(0.1, 1))),
    ):
        assert (round_down(ball), round_up(ball)) == ends


@pytest.mark.parametrize(
    "pair",
    [
        *(fp.Laplace(b) for b in (2.0**-1022, 1e-200, 1e-100, 1e300)),
        *(fp.BoundedRange(e) for e in (1e-300, 1e100, 1e300)),
        *(fp.DiscreteLaplace(b, 2) for b in (1e-100, 1e200)),
    ],
    ids=repr,
)
def test_the_least_rho_at_the_ends_of_the_doubles_lies_between_bounds(pair: fp.DominatingPair) -> None:
    low, high = pair.tight_charge("zcdp_rho")
    # e tanh(e/2) is that of all that is e-DP
    assert 0 <= low <= high
    assert low <= float(pair.pure_epsilon) * math.tanh(float(pair.pure_epsilon) / 2)


@pytest.mark.parametrize(
    "pair", [fp.RandomizedResponse(1e-162), fp.Gaussian(1e-200), fp.Laplace(6.6340575215898754e156)], ids=repr
)
def test_no_half_of_a_square_is_rounded_down_among_the_least_doubles(pair: fp.DominatingPair) -> None:
    root = float(pair.sqrt_twice_zcdp_rho or 0.0)
    assert Fraction(float(pair.zcdp_rho)) >= Fraction(root) ** 2 / 2 > 0


def test_much_discrete_noise_and_little_keep_the_digits_of_mu() -> None:
    # (s/b)-DP and nearly nothing: the density at the middle is 1/(2b), of Gaussian noise sqrt(2 pi)/2 times that
    much, little = fp.DiscreteLaplace(1e12, 3), fp.DiscreteLaplace(1e-3, 2)
    assert much.gdp_mu == pytest.approx(3e-12 * math.sqrt(math.pi / 2), rel=1e-11, abs=0)
    assert little.gdp_mu == pytest.approx(float(little.reference_values.gdp_mu.ball().mid()), rel=1e-12)
