"""What is said to be true of pairs agrees with mpmath's integrals and sums, which know nothing of balls or of pairs."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest
from flint import arb, ctx

from filters.certified.domination import gap
from tests.theory import reference
from theory.pairs import (
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
    normal_law,
)
from theory.pairs.truths import TrueValue

MIX = (Fraction(1, 4), Fraction(7, 8))


def value(truth: TrueValue) -> float:
    assert truth.formula is not None
    with ctx.workprec(160):
        ball = truth.ball()
        assert float(ball.rad()) <= 1e-25 * (1 + abs(float(ball.mid())))
        return float(ball.mid())


def normal(x, mean, scale):
    return mpmath.exp(-(((x - mean) / scale) ** 2) / 2) / scale / mpmath.sqrt(2 * mpmath.pi)


def laws(pair):
    """The densities of P and Q, and the points between which to integrate."""
    match pair:
        case Gaussian():
            mu = mpmath.mpf(pair.mu)
            return (lambda x: normal(x, mu, 1)), (lambda x: normal(x, 0, 1)), [-14, 0, mu, 14]
        case Laplace():
            b = mpmath.mpf(pair.b)
            density = lambda centre: lambda x: mpmath.exp(-abs(x - centre) / b) / (2 * b)  # noqa: E731
            return density(0), density(1), [-60, 0, 1, 60]
        case BoundedRange():
            e = mpmath.mpf(pair.epsilon)
            total = 2 * (mpmath.exp(e / 2) - mpmath.exp(-e / 2))
            return (lambda x: mpmath.exp(x / 2) / total), (lambda x: mpmath.exp(-x / 2) / total), [-e, 0, e]
        case SubsampledGaussian():
            q, s = mpmath.mpf(pair.q), mpmath.mpf(pair.sigma)
            mixed = lambda x: q * normal(x, 1, s) + (1 - q) * normal(x, 0, s)  # noqa: E731
            plain = lambda x: normal(x, 0, s)  # noqa: E731
            both = (mixed, plain) if pair.adjacency == "removal" else (plain, mixed)
            return (*both, [-14, -5, 0, 1, 6, 15])


CONTINUOUS = (
    Gaussian(0.75),
    Laplace(0.75),
    BoundedRange(1.5),
    SubsampledGaussian(0.25, 0.875),
    SubsampledGaussian(0.25, 0.875, adjacency="addition"),
)
FINITE = (
    RandomizedResponse(0.75),
    KOV(0.5, 0.125),
    Erasure(0.25),
    DiscreteLaplace(0.75, 3),
    DiscreteLaplace(4.5, 6),
    DiscreteGaussian(0.75, 2),
    DiscreteGaussian(2.1, 1),
    FinitePair((0.5, 0.25, 0.25), (0.125, 0.625, 0.25)),
)


@pytest.mark.parametrize("pair", CONTINUOUS, ids=repr)
def test_divergences_and_hockey_sticks_are_integrals(pair) -> None:
    p, q, points = laws(pair)
    with mpmath.workdps(30):
        for alpha in (1.5, 3.0):
            moment = mpmath.quad(lambda x, a=alpha: p(x) ** a * q(x) ** (1 - a), points)
            assert value(pair.truths.renyi(alpha)) == pytest.approx(
                float(mpmath.log(moment) / (alpha - 1)), rel=1e-9
            )
        entropy = mpmath.quad(lambda x: p(x) * mpmath.log(p(x) / q(x)), points)
        assert value(pair.truths.renyi(1)) == pytest.approx(float(entropy), rel=1e-9)
    with mpmath.workdps(15):  # the kink leaves no more than four digits
        for level in (-0.5, 0.25):
            ratio = mpmath.exp(level)
            above = mpmath.quad(
                lambda x, c=ratio: max(p(x) - c * q(x), 0), mpmath.linspace(points[0], points[-1], 200)
            )
            assert value(pair.truths.hockey_stick(level)) == pytest.approx(float(above), rel=1e-4)


@pytest.mark.parametrize("pair", CONTINUOUS, ids=repr)
def test_a_quantile_leaves_its_tail_above_it(pair) -> None:
    for tail in (0.55, 0.8) if isinstance(pair, Laplace) else (1e-4, 0.3, 0.8):
        level = value(pair.truths.loss_quantile(tail))
        assert value(pair.truths.loss_cdf(level)) == pytest.approx(1 - tail, rel=1e-12)


def test_the_largest_loss_of_laplace_noise_has_half_of_the_mass() -> None:
    assert value(Laplace(0.75).truths.loss_quantile(0.25)) == pytest.approx(1 / 0.75)
    assert value(Laplace(0.75).truths.loss_cdf(1.4)) == 1


@pytest.mark.parametrize("pair", FINITE, ids=repr)
def test_finite_pairs_are_sums_over_their_outcomes(pair) -> None:
    with mpmath.workdps(30):
        rows = _rows(pair)
        lacks = any(b == 0 < a for a, b in rows)
        for alpha in (1.5, 3.0):
            if lacks:
                assert pair.truths.renyi(alpha).formula is None
                continue
            moment = sum(a**alpha * b ** (1 - alpha) for a, b in rows if a)
            assert value(pair.truths.renyi(alpha)) == pytest.approx(
                float(mpmath.log(moment) / (alpha - 1)), rel=1e-12
            )
        if not lacks:
            assert value(pair.truths.renyi(1)) == pytest.approx(
                float(sum(a * mpmath.log(a / b) for a, b in rows)), rel=1e-12
            )
            if (pure := pair.truths.pure_epsilon).formula is not None:
                assert value(pure) == pytest.approx(float(max(abs(mpmath.log(a / b)) for a, b in rows)))
        for level in (-0.7, 0.3):
            c = mpmath.exp(level)
            above = sum(max(a - c * b, 0) for a, b in rows)
            assert value(pair.truths.hockey_stick(level)) == pytest.approx(float(above), rel=1e-12)
            below = sum(a for a, b in rows if a < c * b)
            assert value(pair.truths.loss_cdf(level)) == pytest.approx(float(below), rel=1e-12)


def _rows(pair):
    """A pair of a new class says its outcomes here, by its definition."""
    match pair:
        case Erasure():
            p = mpmath.mpf(pair.p)
            return [(p, 0), (1 - p, 1 - p), (0, p)]
    return reference.masses(pair)


@pytest.mark.parametrize(
    ("pair", "levels"),
    [
        (Gaussian(1e-6), (0.0, 3e-6)),
        (Gaussian(40.0), (-500.0, 40.0, 1500.0)),
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
        due = reference.hockey_stick(pair, level, 30)
        with ctx.workprec(2048), mpmath.workdps(40):
            ball = pair.truths.hockey_stick(level).ball()
            assert abs(mpmath.mpf(ball.mid().str(40, radius=False)) / due - 1) < 1e-25
            assert ball.rel_accuracy_bits() > 100


def test_the_normal_law_in_balls_is_that_of_mpmath() -> None:
    with mpmath.workdps(30):
        for x in (-3.0, 0.25, 7.5):
            assert float(normal_law.tail(arb(x)).mid()) == pytest.approx(float(mpmath.ncdf(-x)), rel=1e-14)
            assert float(normal_law.quantile(normal_law.tail(arb(x))).mid()) == pytest.approx(x, rel=1e-14)


@pytest.mark.parametrize(
    ("mu", "epsilon"), [(1.0, 1.0), (1e-9, 0.0), (1e-3, 0.02), (0.5, -2.0), (40.0, 1500.0), (2.0, 60.0)]
)
def test_the_hockey_stick_in_balls_keeps_the_digits_of_the_integral(mu: float, epsilon: float) -> None:
    due = reference.hockey_stick(Gaussian(mu), epsilon, 30)
    with ctx.workprec(128), mpmath.workdps(40):
        ball = normal_law.hockey_stick(arb(mu), arb(epsilon))
        assert abs(mpmath.mpf(ball.mid().str(40, radius=False)) / due - 1) < 1e-25
        assert ball.rel_accuracy_bits() > 100


def test_the_least_gaussian_touches_the_pair_and_a_smaller_one_does_not_dominate() -> None:
    for pair in (RandomizedResponse(0.75), Laplace(0.75)):
        mu = value(pair.truths.gdp_mu)
        levels = [k / 200 for k in range(-400, 400)]
        gaps = [float(Gaussian(mu).hockey_stick(e)) - float(pair.hockey_stick(e)) for e in levels]
        assert -1e-12 < min(gaps) < 1e-5
        small = [float(Gaussian(mu * 0.99).hockey_stick(e)) - float(pair.hockey_stick(e)) for e in levels]
        assert min(small) < -1e-4


def test_domination_in_balls_turns_where_the_least_gaussian_lies() -> None:
    least = value(RandomizedResponse(0.25).truths.gdp_mu)
    with ctx.workprec(128):
        assert gap(arb(least * (1 + 1e-9)), Fraction(1, 4), 1) > 0
        assert gap(arb(least * (1 - 1e-9)), Fraction(1, 4), 1) < 0
        assert gap(arb(0), Fraction(1, 4), 1) < 0


def test_domination_of_a_composition_agrees_with_doubles() -> None:
    mu, epsilons = 0.6, [k / 500 for k in range(-600, 600)]
    for times in (1, 4, 9):
        with ctx.workprec(128):
            certified = bool(gap(arb(mu), Fraction(1, 4), times) > 0)
        with mpmath.workdps(20):
            keep = 1 / (1 + mpmath.exp(-0.25))
            law = [
                ((2 * k - times) * 0.25, mpmath.binomial(times, k) * keep**k * (1 - keep) ** (times - k))
                for k in range(times + 1)
            ]
            least = min(
                float(Gaussian(mu).hockey_stick(e))
                - float(sum(m * max(1 - mpmath.exp(e - x), 0) for x, m in law))
                for e in epsilons
            )
        assert certified is (least > 0)
