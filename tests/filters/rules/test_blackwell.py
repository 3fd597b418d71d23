"""Domination by a Gaussian at every epsilon, and what a bounded range does not give."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy import special

import filterproof as fp
from filterproof.filters.catalogue import CATALOGUE
from filterproof.filters.rules.blackwell import (
    gaussian_cover,
    gaussian_dominates_zcdp_beyond,
    lies_below_gaussian,
)
from filterproof.mc.worst_case import worst_case

BIT = fp.RandomizedResponse(0.3)
SKEW = fp.FinitePair((0.5, 0.3, 0.2), (0.3, 0.3, 0.4))
MENU = (BIT, SKEW)


def test_a_bounded_range_promises_nothing_outside() -> None:
    with fp.suppress_unsound_warning():
        filt = fp.RangedBlackwellFilter(1.0, (BIT, fp.Erasure(1e-9)), 0.0, 2.0)
    assert filt.admits(filt.start(1), fp.Erasure(1e-9))[0]
    assert filt.promise.delta(3.0) == 1.0
    assert filt.promise.epsilon_range == (0.0, 2.0)
    assert filt.promise.delta(1.0) == pytest.approx(float(fp.BlackwellFilter(1.0, (BIT,)).promise.delta(1.0)))
    # off the range (5.1) fails: at epsilon = 20 the erasure is worth more than Gaussian(1)
    assert float(fp.Gaussian(1.0).hockey_stick(20.0)) < 1e-9


def _masses(pair: fp.DominatingPair) -> np.ndarray:
    """P and Q in two rows."""
    if isinstance(pair, fp.Erasure):
        p = float(pair.p)
        return np.array([[1 - p, p, 0.0], [1 - p, 0.0, p]])
    return np.array([list(map(float, side)) for side in (pair.exact_masses.p, pair.exact_masses.q)])  # type: ignore[union-attr]


def test_on_a_range_two_rounds_that_keep_the_condition_reach_more_than_is_promised() -> None:
    with fp.suppress_unsound_warning():
        filt = CATALOGUE["RangedBlackwellFilter"].example()
    first, *replies = filt.menu
    after = filt.spend(filt.start(1), first)
    places = np.exp(np.linspace(0, filt.high, 401))
    most = np.asarray(fp.Gaussian(filt.mu).hockey_stick(np.log(places))) * (1 - 1e-9)
    for reply in replies:
        assert filt.admits(after, reply)[0]
        p, q = (np.outer(*sides).ravel() for sides in zip(_masses(first), _masses(reply), strict=True))
        for this, that in ((p, q), (q, p)):  # the condition, by its definition and in both directions
            assert (np.maximum(this - np.outer(places, that), 0).sum(axis=1) <= most).all()
    # after outcome i of the first, the i-th reply: the value is a sum over the branches
    value, z = 0.0, math.exp(filt.high)
    for x, y, reply in zip(*_masses(first), replies, strict=True):
        p, q = _masses(reply)
        value += np.maximum(x * p - z * y * q, 0).sum()
    assert value > 1.03 * filt.promise.delta(filt.high)
    assert value > 3.16 * float(fp.Gaussian(filt.mu).hockey_stick(filt.high))
    solved = worst_case(filt, filt.menu, epsilon=filt.high, rounds=2)
    assert filt.promise.delta(filt.high) < solved.low < value * (1 + 1e-9) < solved.high * (1 + 2e-9)


def test_what_only_touches_the_tangent_is_not_covered_for_it_may_be_rounded() -> None:
    z = np.linspace(0.5, 2.0, 40)
    middle = (z[:-1] + z[1:]) / 2
    eps = np.log(middle)
    value, slope = np.asarray(fp.Gaussian(0.8).hockey_stick(eps)), -special.ndtr(-0.4 - eps / 0.8)
    for at, height, past in zip(middle, value, slope, strict=True):
        ends = np.array([at - 0.01, at + 0.01])
        touching = height + past * (ends - at)
        assert not lies_below_gaussian(0.8, ends, touching * (1 + 1e-15))
        assert not lies_below_gaussian(0.8, ends, touching * (1 - 1e-15))
        assert lies_below_gaussian(0.8, ends, touching * (1 - 1e-9))


def test_pairs_that_are_not_finite_count_as_the_gaussian_that_dominates_them() -> None:
    menu = (
        fp.SubsampledGaussian(0.005, 2.0),
        BIT,
        fp.Gaussian(0.5),
        fp.DiscreteGaussian(2.0, 1),
        fp.Laplace(4.0),
    )
    filt = fp.BlackwellFilter(1.0, menu)
    state, gaussian = filt.spend(filt.start(1), menu[0]), filt.spend(filt.start(1), fp.Gaussian(0.5))
    assert all((a == b).all() for a, b in zip(state, gaussian, strict=True))
    assert [bool(filt.admits(filt.start(1), pair)[0]) for pair in menu] == [True, True, True, False, True]
    beside = filt.spend(state, BIT)
    rest = math.sqrt(1 - 0.25 - gaussian_cover((BIT,), (1,)) ** 2)
    assert filt.affordable(beside, fp.Gaussian)[0] == pytest.approx(rest, rel=1e-12)
    assert filt.is_reachable_state(beside)[0]
    counts, *sums = beside
    counts = counts + np.array([[1, 0, 0, 0, 0]])  # nothing counts uses of the first
    assert not filt.is_reachable_state((counts, *sums))[0]


def test_a_gaussian_dominates_responses_up_to_the_largest_loss_that_no_double_holds() -> None:
    """1100 responses at .03: the largest loss is 33, of probability e^-746."""
    rounds, epsilon = 1100, 0.03
    mu = gaussian_cover((fp.RandomizedResponse(epsilon),), (rounds,))
    assert mu < math.sqrt(rounds) * epsilon * 1.005
    with mpmath.workdps(60):
        e = mpmath.mpf(epsilon)
        lie = 1 / (1 + mpmath.exp(e))
        masses = [
            mpmath.binomial(rounds, k) * (1 - lie) ** k * lie ** (rounds - k) for k in range(rounds + 1)
        ]
        losses = [(2 * k - rounds) * e for k in range(rounds + 1)]

        def above_gaussian(size: float, level: float) -> bool:
            m, x = mpmath.mpf(size), mpmath.mpf(level)
            hockey_stick = mpmath.fsum(
                p * (1 - mpmath.exp(x - loss)) for loss, p in zip(losses, masses, strict=True) if loss > x
            )
            return bool(
                hockey_stick > mpmath.ncdf(m / 2 - x / m) - mpmath.exp(x) * mpmath.ncdf(-m / 2 - x / m)
            )

        for level in (0.0, 0.5, 2.0, 8.0, 20.0, 28.0, 31.0, 32.5, 32.99):
            assert not above_gaussian(mu, level)
        assert above_gaussian(mu * 0.99, 2.0)


def test_what_no_double_holds_twice_is_not_granted_twice() -> None:
    """A loss of 37 of probability 2^-990: two in a row are rarer than any double, and 74 is lost."""
    p, q = Fraction(1, 2**990), Fraction(1, 2**1043)
    rare = fp.FinitePair((p, 1 - p), (q, 1 - q))
    for rounds in (1, 2, 3, 50):
        cover = gaussian_cover((rare,), (rounds,))
        assert cover >= math.sqrt(2 * rounds * rare.tight_charge("zcdp_rho")[0])
    p, q = Fraction(1, 2**800), Fraction(1, 2**845)
    often = fp.FinitePair((p, 1 - p), (q, 1 - q))
    for rounds in (1, 2, 3):
        needed = math.sqrt(2 * rounds * often.tight_charge("zcdp_rho")[0])
        assert needed <= gaussian_cover((often,), (rounds,)) <= 1.02 * needed


@pytest.mark.parametrize("rho", [1e-9, 0.005, 0.5, 20.0])
@pytest.mark.parametrize("share", [1.002, 1.01, 1.1, 2.0])
def test_beyond_an_epsilon_a_gaussian_dominates_all_that_is_zcdp(rho: float, share: float) -> None:
    """The conversion at its best order, and the Gaussian, in fifty digits, from that epsilon to 700."""
    m = math.sqrt(2 * rho)
    mu = m * share
    levels = np.geomspace(m, 1e4 * m, 200).tolist()
    first = next((e for e in levels if gaussian_dominates_zcdp_beyond(mu, rho, e)), levels[-1])
    assert not gaussian_dominates_zcdp_beyond(m, rho, first)
    with mpmath.workdps(50):
        r, g = mpmath.mpf(rho), mpmath.mpf(mu)
        for e in map(mpmath.mpf, (first, 1.01 * first, 2 * first, 30 * first, max(first, 700.0))):
            gauss = mpmath.ncdf(g / 2 - e / g) - mpmath.exp(e) * mpmath.ncdf(-g / 2 - e / g)
            best = mpmath.findroot(lambda a: (2 * a - 1) * r - e + mpmath.log(1 - 1 / a), e / (2 * r) + 1)  # noqa: B023
            assert mpmath.exp((best - 1) * (best * r - e)) * (1 - 1 / best) ** (best - 1) / best <= gauss
