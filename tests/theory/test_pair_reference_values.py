"""What is said to be true of pairs agrees with mpmath's integrals and sums, which know nothing of balls or of pairs."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb, ctx

from filterproof.filters.certified.blackwell_checks import randomised_response_domination_gap
from filterproof.filters.rules.menu_composition import composed_pld
from filterproof.theory.pairs import (
    KOV,
    BoundedRange,
    DiscreteGaussian,
    DiscreteLaplace,
    Erasure,
    FinitePair,
    Gaussian,
    Laplace,
    RandomizedResponse,
    SubsampledGaussian,
    example_pairs,
    normal_distribution,
)
from filterproof.theory.pairs.reference_values import ReferenceValue
from tests.slow_cases import slow_but


def value(truth: ReferenceValue) -> float:
    assert truth.formula is not None
    with ctx.workprec(160):
        ball = truth.ball()
        assert float(ball.rad()) <= 1e-25 * (1 + abs(float(ball.mid())))
        return float(ball.mid())


def _continuous(pair):
    """The densities of P and Q, whose ratio rises or falls throughout, and points between which they are smooth."""
    far = mpmath.sqrt(2 * mpmath.mp.dps * mpmath.log(10)) + 2  # of a normal distribution no digit lies beyond
    normal = lambda mean, s: lambda x: mpmath.npdf(x, mean, s)  # noqa: E731
    match pair:
        case Gaussian():
            mu = mpmath.mpf(pair.mu)
            # at an order alpha the mean is alpha mu
            return normal(mu, 1), normal(0, 1), mpmath.linspace(-far, 3 * mu + far, 12)
        case SubsampledGaussian():
            q, s = mpmath.mpf(pair.q), mpmath.mpf(pair.sigma)
            mixed = lambda x: q * normal(1, s)(x) + (1 - q) * normal(0, s)(x)  # noqa: E731
            distributions = (mixed, normal(0, s)) if pair.adjacency == "removal" else (normal(0, s), mixed)
            return *distributions, mpmath.linspace(-3 - far * s, 3 + far * s, 14)
        case Laplace():
            b = mpmath.mpf(pair.b)
            at = lambda centre: lambda x: mpmath.exp(-abs(x - centre) / b) / (2 * b)  # noqa: E731
            steps = [b * 2**k for k in range(-2, int(mpmath.log(far**2, 2)) + 1)]
            return at(0), at(1), [*(-x for x in reversed(steps)), 0, 1, *(1 + x for x in steps)]
        case BoundedRange():
            e = mpmath.mpf(pair.epsilon)
            unit = 4 * mpmath.sinh(e / 2)
            return (lambda x: mpmath.exp(x / 2) / unit), (lambda x: mpmath.exp(-x / 2) / unit), [-e, 0, e]
    return None


def masses(pair):
    """The masses of P and of Q; a pair of a new class says its outcomes here, by its definition."""
    digits = (mpmath.mp.dps + 10) * mpmath.log(10)
    match pair:
        case Erasure():
            p = mpmath.mpf(pair.p)
            return [(p, 0), (1 - p, 1 - p), (0, p)]
        case RandomizedResponse() | KOV():
            odds, d = mpmath.exp(mpmath.mpf(pair.epsilon)), mpmath.mpf(getattr(pair, "delta", 0))
            keep, change = (1 - d) * odds / (1 + odds), (1 - d) / (1 + odds)
            rows = [(d, 0), (keep, change), (change, keep), (0, d)]
            return [both for both in rows if any(both)]
        case DiscreteLaplace():
            b, reach = mpmath.mpf(pair.scale), int(digits * pair.scale) + pair.sensitivity
            mass = lambda x: mpmath.exp(-abs(x) / b)  # noqa: E731
        case DiscreteGaussian():
            sigma = mpmath.mpf(pair.sigma)
            reach = int(sigma * mpmath.sqrt(2 * digits)) + 5 * pair.sensitivity + 2
            mass = lambda x: mpmath.exp(-((x / sigma) ** 2) / 2)  # noqa: E731
        case FinitePair():
            return [tuple(_exact(mass) for mass in both) for both in zip(pair.p, pair.q, strict=True)]
    s = pair.sensitivity
    distribution = [mass(x) for x in range(-reach - s, reach + 1)]
    normaliser = mpmath.fsum(distribution)
    return [
        (p / normaliser, q / normaliser)
        for p, q in zip(distribution[s:], distribution[: len(distribution) - s], strict=True)
    ]


def _exact(mass):
    numerator, denominator = mass.as_integer_ratio()
    return mpmath.mpf(numerator) / denominator


def total(pair, function, level=0.0):
    """The integral, or the sum over the outcomes, of a function of P and Q that is smooth but where P = e^level Q."""
    if (continuous := _continuous(pair)) is None:
        return mpmath.fsum(function(a, b) for a, b in masses(pair))
    p, q, points = continuous
    above = lambda x: p(x) > mpmath.exp(level) * q(x)  # noqa: E731
    low, high = points[0], points[-1]
    if above(low) != above(high):
        turns = above(high)
        for _ in range(4 * mpmath.mp.dps):
            middle = (low + high) / 2
            low, high = (low, middle) if above(middle) == turns else (middle, high)
        points = sorted([*points, low])
    return mpmath.quad(lambda x: function(p(x), q(x)), points, method="gauss-legendre")


def defined(pair, name, x):
    """The hockey-stick, the cdf or the Renyi divergence at x, as a sum or an integral over the outcomes."""
    match name:
        case "hockey_stick":
            return total(pair, lambda a, b: max(a - mpmath.exp(x) * b, 0), x)
        case "loss_cdf":
            return total(pair, lambda a, b: a if a < mpmath.exp(x) * b else 0, x)
        case "renyi" if x == 1:
            return total(pair, lambda a, b: a * mpmath.log(a / b) if a else 0)
        case "renyi":
            return mpmath.log(total(pair, lambda a, b: a**x * b ** (1 - x) if a else 0)) / (x - 1)


def agree(pair, name, x, bits=160) -> None:
    """The ball is narrow, and 25 digits of it are those of mpmath, which adds as many as stand before them."""
    with ctx.workprec(bits):
        ball = getattr(pair.reference_values, name)(x).ball()
    middle = ball.mid().str(40, radius=False)
    with mpmath.workdps(45 + max(0, -int(mpmath.log10(abs(mpmath.mpf(middle)) or 1)))):
        assert float(ball.rad()) <= 1e-25 * abs(mpmath.mpf(middle))
        assert abs(mpmath.mpf(middle) - defined(pair, name, x)) <= 1e-25 * abs(mpmath.mpf(middle))


CONTINUOUS = (
    Gaussian(0.75),
    Laplace(0.75),
    BoundedRange(1.5),
    SubsampledGaussian(0.25, 0.875),
    SubsampledGaussian(0.25, 0.875, adjacency="addition"),
)
NOISE = (
    DiscreteLaplace(0.75, 3),
    DiscreteLaplace(4.5, 6),
    DiscreteGaussian(0.75, 2),
    DiscreteGaussian(2.1, 1),
)
FINITE = (
    *NOISE,
    RandomizedResponse(0.75),
    KOV(0.5, 0.125),
    Erasure(0.25),
    FinitePair((0.5, 0.25, 0.25), (0.125, 0.625, 0.25)),
    FinitePair((0.75, 0.25, 0.0), (0.125, 0.625, 0.25)),
)


@pytest.mark.parametrize("pair", slow_but([*CONTINUOUS[:4], *FINITE], [*CONTINUOUS, *FINITE]), ids=repr)
def test_truths_are_the_sums_and_integrals_of_the_definition(pair) -> None:
    for name, x in (("hockey_stick", 0.3), ("loss_cdf", -0.7)):
        agree(pair, name, x)
    for alpha in (1, 1.5):
        if pair.infinite_mass > 0:
            assert pair.reference_values.renyi(alpha).formula is None
        else:
            agree(pair, "renyi", alpha)


@pytest.mark.parametrize(
    "pair", slow_but(CONTINUOUS[:3] + NOISE[1:2], [*CONTINUOUS, *NOISE, DiscreteLaplace(2.0, 3)]), ids=repr
)
def test_the_masses_above_a_loss_are_those_of_the_definition(pair) -> None:
    for x in (-0.7, 0.5):  # one of them a loss of the last pair
        with ctx.workprec(160):
            ours = [ball.mid().str(40, radius=False) for ball in map(arb, pair.reference_values.above(x))]
        with mpmath.workdps(45):
            growth = mpmath.exp(mpmath.mpf(x) + mpmath.mpf(10) ** -30)
            for side in (0, 1):
                due = total(pair, lambda *both, k=side, g=growth: both[k] if both[0] > g * both[1] else 0, x)
                assert abs(mpmath.mpf(ours[side]) - due) <= 1e-25


@pytest.mark.parametrize("pair", FINITE, ids=repr)
def test_the_largest_loss_of_finitely_many_is_the_pure_epsilon(pair) -> None:
    if (pure := pair.reference_values.pure_epsilon).formula is not None:
        assert value(pure) == pytest.approx(float(max(abs(mpmath.log(a / b)) for a, b in masses(pair))))


@pytest.mark.parametrize("pair", CONTINUOUS, ids=repr)
def test_a_quantile_leaves_its_tail_above_it(pair) -> None:
    for tail in (0.55, 0.8) if isinstance(pair, Laplace) else (1e-4, 0.3, 0.8):
        level = value(pair.reference_values.loss_isf(tail))
        assert value(pair.reference_values.loss_cdf(level)) == pytest.approx(1 - tail, rel=1e-12)


@pytest.mark.parametrize(
    ("pair", "levels"),
    [
        (Gaussian(1e-6), (0.0, 3e-6)),
        (Gaussian(2.0), (30.0,)),
        (Laplace(7.0), (-0.2, 0.05)),
        (Laplace(0.05), (-30.0, 19.0)),
        (RandomizedResponse(40.0), (-45.0, 39.0)),
        (RandomizedResponse(1e-9), (0.0, 5e-10)),
        (KOV(3.0, 1e-300), (2.9, 3.5)),
        (Erasure(1e-300), (-0.5, 0.5)),
        (FinitePair((0.25, 0.75, 0.0), (0.125, 0.625, 0.25)), (-0.5, 0.1, 0.6)),
        (SubsampledGaussian(0.01, 0.8), (-0.6, 0.05, 4.0)),
        (SubsampledGaussian(0.7, 1.0, adjacency="addition"), (-0.6, 0.05, 0.9)),
    ],
    ids=str,
)
def test_far_out_and_close_to_nothing_truths_keep_the_digits_of_the_definition(pair, levels) -> None:
    for level in levels:
        agree(pair, "hockey_stick", level, 2048)


def test_the_hockey_stick_of_the_normal_law_keeps_the_digits_that_its_two_terms_share() -> None:
    for mu, epsilon in ((1.0, 1.0), (1e-9, 0.0), (1e-3, 0.02), (0.5, -2.0), (40.0, 1500.0), (2.0, 60.0)):
        with ctx.workprec(2048):
            due = Gaussian(mu).reference_values.hockey_stick(epsilon).ball()
        with ctx.workprec(128):
            ball = normal_distribution.hockey_stick(arb(mu), arb(epsilon))
        assert ball.overlaps(due)
        assert ball.rel_accuracy_bits() > 120


def test_the_least_gaussian_touches_the_pair_and_a_smaller_one_does_not_dominate() -> None:
    for pair in (RandomizedResponse(0.75), Laplace(0.75), DiscreteLaplace(0.75, 3), FINITE[-2]):
        mu = value(pair.reference_values.gdp_mu)
        levels = [k / 200 for k in range(-400, 400)]
        gaps = [float(Gaussian(mu).hockey_stick(e)) - float(pair.hockey_stick(e)) for e in levels]
        assert -1e-12 < min(gaps) < 1e-5
        small = [float(Gaussian(mu * 0.99).hockey_stick(e)) - float(pair.hockey_stick(e)) for e in levels]
        assert min(small) < -1e-4


def test_domination_in_balls_turns_where_the_least_gaussian_lies() -> None:
    least = value(RandomizedResponse(0.25).reference_values.gdp_mu)
    with ctx.workprec(128):
        assert randomised_response_domination_gap(arb(least * (1 + 1e-9)), Fraction(1, 4), 1) > 0
        assert randomised_response_domination_gap(arb(least * (1 - 1e-9)), Fraction(1, 4), 1) < 0
        assert randomised_response_domination_gap(arb(0), Fraction(1, 4), 1) < 0


def test_domination_of_a_composition_agrees_with_doubles() -> None:
    epsilons = np.linspace(-1.2, 1.2, 1201)
    over = np.asarray(Gaussian(0.6).hockey_stick(epsilons))
    for times, dominated in ((1, True), (4, True), (9, False)):
        losses, masses = composed_pld((RandomizedResponse(0.25),), (times,))
        under = np.maximum(1 - np.exp(epsilons[:, None] - losses), 0) @ masses
        with ctx.workprec(128):
            certified = bool(randomised_response_domination_gap(arb(0.6), Fraction(1, 4), times) > 0)
        assert certified is bool((over > under).all()) is dominated


#: Beside the examples: doubles that lose most of a hockey-stick, in 1/b, in steps of noise, and far out.
HARD = (
    Gaussian(2624.1976972735342),
    Laplace(358.04481308076265),
    DiscreteGaussian(0.3),
    DiscreteGaussian(0.07815405549742342, 5),
    DiscreteGaussian(64.0),
    DiscreteGaussian(1024.0),  # of whose two sums most cancels
    DiscreteLaplace(0.05373802538861328, 4),
    SubsampledGaussian(0.0035360125814598046, 0.00010434822280178651),
)


@pytest.mark.parametrize("pair", [*example_pairs(), *HARD], ids=repr)
def test_no_pair_is_charged_less_than_its_hockey_stick_at_any_epsilon(pair):
    losses = {float(pair.loss_isf(tail)) for tail in (1e-200, 1e-25, 1e-6, 0.3)}
    for loss in (loss for loss in losses if 0 < loss < math.inf):
        for at in (loss * (1 - 1e-9), math.nextafter(loss, 0.0), loss, math.nextafter(loss, math.inf)):
            with ctx.workprec(128):
                due = [side.reference_values.hockey_stick(at).ball() for side in (pair, pair.swapped)]
                charged = arb(float(pair.hockey_stick_upper_bound(at)))
                assert all(charged >= reference for reference in due)
                # what is beyond a loss is less than twice the hockey-stick one below it
                rounding = 1e-12 * (1 + at) * float(pair.hockey_stick(at - 1))
                assert any(charged <= reference * (1 + 1e-9) + rounding for reference in due)
