"""Random allocation: bounds against closed forms, an integral and draws, and the pair that filters are asked for."""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import mpmath as mp
import numpy as np
import pytest

import filterproof as fp
from mc.intervals.bernstein import empirical_bernstein
from mc.intervals.moments import Moments
from mc.losses.allocation import RandomAllocation


def call(least: mp.mpf, mu: mp.mpf) -> mp.mpf:
    """E(Y - least)_+ of a likelihood ratio Y = e^{mu x - mu^2/2}, x ~ N(0, 1)."""
    if least <= 0:
        return 1 - least
    at = mp.log(least) / mu
    return mp.ncdf(mu / 2 - at) - least * mp.ncdf(-mu / 2 - at)


def of_two(sigma: float, epsilon: float, *, removal: bool) -> mp.mpf:
    """The hockey-stick of two steps, by an integral over the first output; addition by parity with removal."""
    mu, ratio = 1 / mp.mpf(sigma), mp.exp(epsilon if removal else -epsilon)

    def given(x: mp.mpf) -> mp.mpf:
        return mp.npdf(x) * call(2 * ratio - mp.exp(mu * x - mu**2 / 2), mu) / 2

    value = mp.quad(given, [-12, -6, -3, -1, 0, 1, mp.log(2 * ratio) / mu + mu / 2, 5, 9, 14])
    return value if removal else 1 - mp.exp(epsilon) + mp.exp(epsilon) * value


@pytest.mark.parametrize(("sigma", "epsilon"), [(1.5, -0.5), (1.0, 0.0), (3.0, 0.3), (0.5, 1.0)])
def test_one_step_is_the_gaussian(sigma: float, epsilon: float) -> None:
    exact = fp.Gaussian(1 / sigma).hockey_stick(epsilon)
    for direction in ("PQ", "QP"):
        found = RandomAllocation(sigma, 1).delta(epsilon, direction=direction)
        assert found.low <= exact * (1 + 1e-12)
        assert found.high >= exact * (1 - 1e-12)
        assert found.high - found.low < 5e-4 * found.high


@pytest.mark.parametrize(("sigma", "epsilon"), [(1.0, 1.5), (1.2, 0.5), (1.5, -0.4)])
def test_two_steps_are_an_integral(sigma: float, epsilon: float) -> None:
    for direction in ("PQ", "QP"):
        exact = of_two(sigma, epsilon, removal=direction == "PQ")
        found = RandomAllocation(sigma, 2).delta(epsilon, direction=direction)
        assert found.low <= exact <= found.high
        assert found.high - found.low < 5e-4 * found.high


def test_without_a_direction_the_worse_counts() -> None:
    ways = [of_two(2.0, 0.1, removal=way) for way in (True, False)]
    worse = RandomAllocation(2.0, 2).delta(0.1)
    assert worse.low <= max(ways) <= worse.high < min(ways) * 1.01


@pytest.mark.parametrize(("sigma", "steps", "epsilon"), [(2.0, 1000, 0.05), (1.0, 30, 0.3)])
def test_both_directions_agree_as_call_and_put_do(sigma: float, steps: int, epsilon: float) -> None:
    removal = RandomAllocation(sigma, steps).delta(epsilon, direction="PQ")
    assert 0 < removal.low < removal.high < (1 + 1e-3) * removal.low
    # H_{1/k}(Q || P) = 1 - 1/k + H_k(P || Q) / k: the same number by the other way's code
    other = RandomAllocation(sigma, steps).delta(-epsilon, direction="QP")
    ratio = math.exp(-epsilon)
    assert other.low <= 1 - ratio + ratio * removal.high
    assert 1 - ratio + ratio * removal.low <= other.high
    assert other.relative_width < 1e-4


@pytest.mark.parametrize(("sigma", "steps", "epsilon"), [(1.0, 50, 0.1), (0.8, 20, 0.4)])
def test_draws_agree(sigma: float, steps: int, epsilon: float) -> None:
    # null: the bounds are right; two intervals at failure 1e-6 each, so that a false alarm has probability 2e-6
    rng, n, mu = np.random.default_rng(7), 200_000, 1 / sigma
    with_person, without = np.empty(n), np.empty(n)
    for part in np.array_split(np.arange(n), 20):
        x = rng.standard_normal((len(part), steps))
        ratios = np.exp(mu * x - mu * mu / 2)
        without[part] = ratios.mean(axis=1)
        ratios[:, 0] = np.exp(
            mu * x[:, 0] + mu * mu / 2
        )  # the step is drawn uniformly, and the mean is symmetric
        with_person[part] = ratios.mean(axis=1)
    epoch = RandomAllocation(sigma, steps)
    for direction, losses in (("PQ", np.log(with_person)), ("QP", -np.log(without))):
        worth = np.maximum(-np.expm1(epsilon - losses), 0.0)
        drawn = empirical_bernstein(Moments.of(worth, 1.0), failure=1e-6)
        found = epoch.delta(epsilon, direction=direction)
        assert drawn.low <= found.high
        assert found.low <= drawn.high
        assert drawn.high - drawn.low < 0.4 * found.high


def test_far_tails_are_known_and_no_more_than_one_is_promised() -> None:
    far = RandomAllocation(2.0, 100).delta(2.5)
    assert 0 <= far.low < far.high < 1e-9
    # what the transform errs by is small beside these, as the law is tilted towards them
    assert RandomAllocation(1.0, 200).delta(0.5, direction="QP").relative_width < 0.01
    assert RandomAllocation(1.0, 200).delta(0.5, direction="PQ").relative_width < 0.1


@pytest.fixture(scope="module")
def epoch() -> tuple[RandomAllocation, fp.FinitePair]:
    made = RandomAllocation(2.0, 20)
    return made, made.dominating([*np.linspace(-0.5, 0.5, 21), 0.6, 0.8, 1.0, 1.6])


def test_the_pair_dominates_in_both_directions(epoch: tuple[RandomAllocation, fp.FinitePair]) -> None:
    made, pair = epoch
    p, q = pair.exact_masses.p, pair.exact_masses.q
    assert sum(p) == sum(q) == 1
    assert all(one >= 0 for one in (*p, *q))
    for epsilon in (-0.48, -0.16, 0.0, 0.16, 0.7):
        for direction, way in (("PQ", pair), ("QP", pair.swapped)):
            assert way.hockey_stick(epsilon) >= made.delta(epsilon, direction=direction).low
    for epsilon in (0.1, 0.3):  # asked for
        assert pair.hockey_stick(epsilon) == pytest.approx(made.delta(epsilon).high, rel=1e-6)


def test_a_filter_is_asked_for_epochs(epoch: tuple[RandomAllocation, fp.FinitePair]) -> None:
    _, pair = epoch
    filt = fp.PotentialFilter(2.0, 1e-5, design=(pair,))
    epochs = int(filt.rounds(filt.start(1), pair)[0])
    assert fp.Composition({pair: epochs}).delta(2.0).high <= 1e-5
    sampled = fp.SubsampledGaussian(q=0.05, sigma=2.0)
    poisson = fp.PotentialFilter(2.0, 1e-5, design=(sampled,))
    assert 20 * epochs >= int(poisson.rounds(poisson.start(1), sampled)[0])


def test_a_hull_of_few_points_is_that_of_its_definition() -> None:
    one = RandomAllocation(1.0, 1).dominating([0.0])
    reached = Fraction(RandomAllocation(1.0, 1).delta(0.0, direction="PQ").high)
    assert one.exact_masses.p == (0, 1 - reached, reached)
    assert one.exact_masses.q == (reached, 1 - reached, 0)
    for less, more in pairwise((0.0, 0.5, 1.0, 3.0)):
        assert one.hockey_stick(less) >= one.hockey_stick(more) >= fp.Gaussian(1.0).hockey_stick(more)


REFUSED = [
    *((lambda given=given: RandomAllocation(*given), "must") for given in ((0.0, 3), (-1.0, 3), (1.0, 0))),
    *(
        (lambda sigma=sigma: RandomAllocation(sigma, 3), "sigma must be at least")
        for sigma in (0.049, 1e-200)
    ),
    *(
        (lambda far=far: RandomAllocation(1.0, 3).delta(far), "at most 500 in size")
        for far in (501.0, -501.0, -800.0)
    ),
    *(
        (lambda way=way: RandomAllocation(1.0, 3).delta(0.5, direction=way), "direction must be")
        for way in ("nonsense", "pq", None, ["PQ"])
    ),
    (lambda: RandomAllocation(1.0, 3).dominating([]), "must hold a number"),
]


@pytest.mark.parametrize(("call", "says"), REFUSED, ids=range(len(REFUSED)))
def test_what_is_out_of_range_is_refused(call: Callable[[], object], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        call()


def test_what_is_just_in_range_is_answered() -> None:
    near, far = (RandomAllocation(sigma, 3).delta(0.0) for sigma in (0.05, 1e200))
    assert near.low <= 1 == pytest.approx(near.high, rel=1e-6)
    assert far.low <= far.high
    assert RandomAllocation(1.0, 3).delta(-500.0).low <= 1 - math.exp(-500.0) <= 1.0
