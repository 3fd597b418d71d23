"""Privacy profiles and trade-off curves: what follows between grid points, and whole curves from one run.

Null of every containment of a simulated band: it is valid, so it misses with probability at most 1e-6.
"""

import math

import numpy as np
import pytest

import filterproof as fp

#: beyond the doubles on both sides, on their edges, and two that have one exponential
FAR = [-800.0, -744.0, -700.0, 0.0, 1e-17, 699.0, 800.0]
EVERYWHERE = np.concatenate([np.linspace(-3.0, 7.0, 401), FAR])
ALPHAS = np.concatenate(([0.0], np.geomspace(1e-9, 1.0, 200)))


def hockey_stick(p, q, epsilon):
    with np.errstate(over="ignore"):
        return np.minimum(np.maximum(p - np.exp(epsilon)[..., None] * q, 0).sum(axis=-1), 1.0)


def boxed(epsilons, truth, rng, wide):
    """A profile whose intervals hold the truth, up to `wide` times too long on either side."""
    low = truth * (1 - wide * rng.random(truth.size))
    high = truth * (1 + wide * rng.random(truth.size))
    at = tuple(
        fp.Estimate(float(t), float(a), float(b), 1e-6, 10, "by hand")
        for t, a, b in zip(truth, low, high, strict=True)
    )
    return fp.results.ProfileEstimate(tuple(map(float, epsilons)), at, 1e-5)


def random_law(rng):
    weights = rng.gamma(0.3, size=5) + 1e-12
    return weights / weights.sum()


@pytest.mark.parametrize("seed", range(10))
def test_the_band_holds_every_profile_that_the_intervals_hold(seed):
    rng = np.random.default_rng(seed)
    p, q = random_law(rng), random_law(rng)
    epsilons = rng.permutation([*rng.uniform(0, 5, 6), *FAR])
    profile = boxed(epsilons, hockey_stick(p, q, epsilons), rng, wide=0.3)
    truth = hockey_stick(p, q, EVERYWHERE)
    assert (profile.low(EVERYWHERE) <= truth).all()
    assert (truth <= profile.high(EVERYWHERE)).all()


def test_the_upper_band_is_the_least_of_all_chords():
    """Brute force: the minimum over pairs of upper ends, (0, 1) among them, of the chord between them."""
    rng = np.random.default_rng(40)
    p, q = random_law(rng), random_law(rng)
    epsilons = np.linspace(0.1, 4, 9)
    profile = boxed(epsilons, hockey_stick(p, q, epsilons), rng, wide=0.5)
    points = [(0.0, 1.0), *((math.exp(e), a.high) for e, a in zip(epsilons, profile.at, strict=True))]
    for epsilon in np.linspace(-1, 6, 57):
        g = math.exp(epsilon)
        bounds = [h for x, h in points if x <= g]
        bounds += [h + (k - h) * (g - x) / (y - x) for x, h in points for y, k in points if x < g < y]
        assert profile.high(epsilon) == pytest.approx(min(bounds), rel=1e-11)


def test_a_fine_grid_of_sharp_intervals_leaves_no_room():
    """Convexity pins the curve between neighbours: the band's width is of second order in their distance."""
    widths = []
    for points in (26, 51):
        epsilons = np.linspace(0, 5, points)
        truth = fp.Gaussian(1.0).hockey_stick(epsilons)
        profile = boxed(epsilons, truth, np.random.default_rng(1), wide=0.0)
        inner = np.linspace(0.5, 4.5, 997)
        exact = fp.Gaussian(1.0).hockey_stick(inner)
        widths.append(((profile.high(inner) - profile.low(inner)) / exact).max())
        assert profile.low(epsilons) == pytest.approx(truth, rel=1e-10)
        assert profile.high(epsilons) == pytest.approx(truth, rel=1e-10)
    assert widths[0] < 0.5
    assert widths[1] < 0.3 * widths[0]


# -- trade-off -------------------------------------------------------------------------------------


def best_tests(p, q):
    """Likelihood-ratio tests, ordered, give the curve's vertices."""
    order = np.argsort(p / q)
    vertices = np.concatenate(([0], p[order].cumsum())), 1 - np.concatenate(([0], q[order].cumsum()))
    return np.interp(ALPHAS, *vertices)


def is_covered(curve, truth):
    return ((curve.low(ALPHAS) <= truth + 1e-12) & (truth <= curve.high(ALPHAS) + 1e-12)).all()


@pytest.mark.parametrize("seed", range(4))
def test_the_trade_off_band_holds_the_best_tests_of_finite_pairs(seed):
    """The band knows only the profiles."""
    rng = np.random.default_rng(seed)
    p, q = random_law(rng), random_law(rng)
    epsilons = np.concatenate([np.linspace(0, 5, 21), FAR])
    ahead, back = (boxed(epsilons, hockey_stick(*way, epsilons), rng, wide=0.1) for way in ((p, q), (q, p)))
    assert is_covered(fp.TradeOff(ahead, back), best_tests(p, q))


def test_sharp_profiles_give_a_sharp_curve_and_swapping_them_another():
    """Swapping the two profiles swaps the roles of the two errors."""
    rng, epsilons = np.random.default_rng(1), np.linspace(0, 6, 41)
    exact = boxed(epsilons, fp.Gaussian(1.0).hockey_stick(epsilons), rng, wide=0.0)
    curve = fp.TradeOff(exact, exact)
    assert is_covered(curve, fp.Gaussian(1.0).trade_off(ALPHAS))
    assert (curve.high(ALPHAS) - curve.low(ALPHAS)).max() < 0.03
    assert curve.failure == 2e-5
    p, q = np.array([0.7, 0.25, 0.05]), np.array([0.3, 0.2, 0.5])
    ahead, back = (boxed(epsilons, hockey_stick(*way, epsilons), rng, wide=0.0) for way in ((p, q), (q, p)))
    assert is_covered(fp.TradeOff(ahead, back), best_tests(p, q))
    assert not is_covered(fp.TradeOff(back, ahead), best_tests(p, q))
    with pytest.raises(ValueError, match=r"alpha must be in \[0, 1\], got alpha=1.5"):
        curve.low(1.5)
