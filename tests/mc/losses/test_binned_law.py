"""Bounds from laws in bins are never above the truth, and how near they come, each number by a second route."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import pairwise

import mpmath
import numpy as np
import pytest

from mc.losses import binned_law
from mc.losses.binned_law import BinnedLaw, composed_low, renyi_low
from mc.losses.composition import Composition
from theory.pairs import KOV, Erasure, FinitePair, Gaussian, Laplace, RandomizedResponse, SubsampledGaussian


@pytest.fixture(autouse=True)
def _sixty_digits():
    with mpmath.workdps(60):
        yield


def real(x: Fraction | float) -> mpmath.mpf:
    x = Fraction(x)
    return mpmath.mpf(x.numerator) / x.denominator


def composed(pair: FinitePair, times: int) -> list[tuple[Fraction, Fraction]]:
    """(P-mass, Q-mass) of every outcome of so many releases, equal ratios joined, by exact enumeration."""
    one = [(p, q) for p, q in zip(pair.exact_masses.p, pair.exact_masses.q, strict=True) if p > 0]
    law = {Fraction(1): (Fraction(1), Fraction(1))}
    for _ in range(times):
        after: dict[Fraction, tuple[Fraction, Fraction]] = {}
        for a, b in law.values():
            for p, q in one:
                ratio = b * q / (a * p)
                before = after.get(ratio, (Fraction(0), Fraction(0)))
                after[ratio] = (before[0] + a * p, before[1] + b * q)
        law = after
    return list(law.values())


def stick(law: list[tuple[Fraction, Fraction]], epsilon: float) -> mpmath.mpf:
    growth = mpmath.exp(real(epsilon))
    return sum((max(real(p) - growth * real(q), mpmath.mpf(0)) for p, q in law), mpmath.mpf(0))


def revealing(epsilon: float, delta: float, times: int, at: float) -> mpmath.mpf:
    """H of KOV(epsilon, delta) released so often: a release that reveals all, or a binomial number of ones."""
    d, p, growth = real(delta), 1 / (1 + mpmath.exp(-real(epsilon))), mpmath.exp(real(at))
    q = 1 / (1 + mpmath.exp(real(epsilon)))  # 1 - p would lose its digits
    kept = (1 - d) ** times
    gains = (
        mpmath.binomial(times, k) * max(p**k * q ** (times - k) - growth * q**k * p ** (times - k), 0)
        for k in range(times // 2, times + 1)
    )
    return 1 - kept + kept * sum(gains)


def near(low: float, true: mpmath.mpf, share: float) -> bool:
    """Not above the truth, and less below it than this share of it."""
    return low <= true <= low + share * true


def lost(pair, times: int) -> float:
    """What rounding may take away: the tracked error of masses that sum to 1, twice, and a few last places."""
    return 4 * binned_law._power(pair, times).error + 1e-14


def random_pair(rng: random.Random) -> FinitePair | None:
    a, b = ([rng.randint(0, 9) for _ in range(rng.randint(2, 4))] for _ in range(2))
    a, b = a[: len(b)], b[: len(a)]
    a[0] *= rng.choice((1, 10**6))
    b[-1] *= rng.choice((1, 10**9))
    if not sum(a) or not sum(b):
        return None
    return FinitePair(tuple(Fraction(x, sum(a)) for x in a), tuple(Fraction(x, sum(b)) for x in b))


def test_compositions_of_random_finite_pairs_are_met_from_below_but_for_rounding() -> None:
    rng, seen = random.Random(12), 0
    for _ in range(250):
        pair, times, epsilon = (
            random_pair(rng),
            rng.randint(1, 6),
            rng.choice((0.0, 0.1, 1.0, 2.5, 7.0, 20.0)),
        )
        if pair is None:
            continue
        true, low = stick(composed(pair, times), epsilon), composed_low({pair: times}, epsilon)
        assert true - lost(pair, times) <= low <= true, (pair, times, epsilon)
        seen += true > 0
    assert seen > 100


def test_of_two_different_finite_pairs_both_are_composed() -> None:
    both = [(a * p, b * q) for a, b in composed(PAIR, 3) for p, q in composed(BIT, 2)]
    for epsilon in (0.0, 0.7, 3.0):
        assert near(composed_low({PAIR: 3, BIT: 2}, epsilon), stick(both, epsilon), 1e-12)


PAIR = FinitePair(
    (Fraction(1, 2), Fraction(3, 10), Fraction(1, 5)), (Fraction(1, 10), Fraction(1, 10), Fraction(4, 5))
)
BIT = RandomizedResponse.from_ratio(3)


@pytest.mark.parametrize("delta", [0.0, 1e-300, 1e-9, 0.01, 0.5])
@pytest.mark.parametrize("epsilon", [1e-6, 1.0, 50.0])
@pytest.mark.parametrize("times", [1, 100])
def test_kov_pairs_and_randomised_response_are_met_from_below(epsilon, delta, times) -> None:
    pair = KOV(epsilon, delta) if delta else RandomizedResponse(epsilon)
    for at in (0.0, 0.4 * epsilon * math.sqrt(times), 0.999 * epsilon * times):
        if at < 700:
            true, low = revealing(epsilon, delta, times, at), composed_low({pair: times}, at)
            assert true - lost(pair, times) <= low <= true


@pytest.mark.parametrize("pair", [Laplace(2.0), SubsampledGaussian(0.01, 1.0), Gaussian(0.3)], ids=repr)
def test_many_releases_of_a_continuous_pair_are_met_from_below_to_a_twentieth(pair) -> None:
    """The second route is the lattice and the transform of `Composition`, whose bounds are on either side."""
    for times, epsilon in ((2, 0.1), (300, 1.0)):
        bounds = Composition({pair: times}).delta(epsilon, direction="PQ")
        assert 0.95 * bounds.low <= composed_low({pair: times}, epsilon) <= bounds.high


def test_the_tracked_error_covers_what_rounding_did_to_the_masses() -> None:
    """Masses of a product sum to the product of the sums, exactly; the laws' own sums are off by rounding alone."""
    rng = np.random.default_rng(3)
    for _ in range(40):
        law = exact_sums = None
        for _ in range(int(rng.integers(2, 6))):
            n = int(rng.integers(2, 60))
            part = BinnedLaw(rng.dirichlet(np.ones(n)) * 0.9, rng.dirichlet(np.ones(n)), 0.1, 0.0)
            sums = [sum(map(Fraction, x.tolist())) for x in (part.p, part.q)]
            law = part if law is None else law.times(part)
            exact_sums = (
                sums if exact_sums is None else [a * b for a, b in zip(exact_sums, sums, strict=True)]
            )
        for stored, exact in zip((law.p, law.q), exact_sums, strict=True):
            off = abs(sum(map(Fraction, stored.tolist())) - exact)
            assert off <= Fraction(law.error) * exact
        assert law.error < 1e-9


@pytest.mark.parametrize("seed", range(3))
def test_what_a_law_says_is_not_above_its_own_masses_at_either_end_of_their_error(seed: int) -> None:
    """The masses may be off by the relative error: of P from above, of Q from below."""
    rng = np.random.default_rng(seed)
    p, q = rng.dirichlet(np.ones(30)) * 0.75, rng.dirichlet(np.ones(30))
    infinite = 0.25
    for error in (0.0, 1e-12, 1e-3):
        law = BinnedLaw(p, q, infinite, error)
        for epsilon in (0.0, 0.3, 2.0):
            growth, e = mpmath.exp(real(epsilon)), real(error)
            pairs = zip(p.tolist(), q.tolist(), strict=True)
            true = real(infinite) * (1 - e) + sum(
                max(real(a) / (1 + e) - growth * real(b) / (1 - e), mpmath.mpf(0)) for a, b in pairs
            )
            assert law.low(epsilon) <= true
            assert law.low(epsilon) >= true * (1 - 4 * error - 1e-12)


def test_ratios_that_agree_but_for_rounding_leave_nothing_behind() -> None:
    """P = Q in every bin: no rounding may leave a gain."""
    rng = np.random.default_rng(5)
    masses = rng.dirichlet(np.ones(500))
    law = BinnedLaw(masses, masses, 0.0, 0.0)
    assert law.low(0.0) == 0
    assert law.times(law).low(0.0) == 0
    for epsilon in rng.uniform(0, 3, 200).tolist():
        p = np.array([float(mpmath.exp(real(epsilon)))]) * 2.0**-8
        tilted = BinnedLaw(p, np.array([2.0**-8]), 0.0, 0.0)
        assert tilted.low(epsilon) <= max(real(p[0]) - mpmath.exp(real(epsilon)) / 256, 0)


@pytest.mark.parametrize("epsilon", [700.5, 710.0, 1e4])
def test_beyond_the_exponents_of_doubles_only_what_reveals_all_is_left(epsilon: float) -> None:
    assert composed_low({RandomizedResponse(705.0): 1}, epsilon) <= float(epsilon < 705)
    assert composed_low({RandomizedResponse(705.0): 1}, 800.0) == 0
    assert composed_low({Erasure(0.25): 2, RandomizedResponse(709.0): 1}, epsilon) == pytest.approx(
        0.4375, 1e-9
    )


def test_the_bound_stands_between_the_last_double_exponential_and_the_largest_loss() -> None:
    """H at 710 of randomised response at 720 is (1 - e^{710 - 720}) / (1 + e^{-720})."""
    with mpmath.workdps(400):
        true = (1 - mpmath.exp(-10)) / (1 + mpmath.exp(-720))
        low = composed_low({RandomizedResponse(720.0): 1}, 710.0)
        assert true * (1 - mpmath.mpf(10) ** -9) < low <= true


def test_masses_of_a_continuous_law_are_rounded_against_the_claim() -> None:
    """Each bin holds no more than the P-mass, and no less than the Q-mass, between its ends; by mpmath."""
    cut = binned_law.cut(Gaussian(1.0))
    edges = [*(real(cut.step * int(edge)) for edge in cut.edges), mpmath.inf]
    half = mpmath.mpf(1) / 2
    points = [(mpmath.ncdf(half - x), mpmath.ncdf(-half - x)) for x in edges]
    exact = [(a[0] - b[0], a[1] - b[1]) for a, b in pairwise(points)]
    law = binned_law._base(Gaussian(1.0))
    assert len(exact) == len(law.p)
    for (p, q), stored_p, stored_q in zip(exact, law.p.tolist(), law.q.tolist(), strict=True):
        assert p * (1 - mpmath.mpf(2) ** -50) - mpmath.mpf(2) ** -1074 <= stored_p <= p
        assert q <= stored_q <= max(q * (1 + mpmath.mpf(2) ** -50), binned_law._LEAST)


def test_underflow_makes_no_mass_of_q_vanish() -> None:
    """Forty outputs that are e^50 times rarer under Q: their product has a Q-mass below all doubles, and a P-mass."""
    pair = FinitePair((Fraction(1, 2), Fraction(1, 2)), (Fraction(1, 10**22), 1 - Fraction(1, 10**22)))
    for times in (13, 14, 20, 40):
        for epsilon in (0.0, 300.0, 600.0, 690.0):
            assert composed_low({pair: times}, epsilon) <= stick(composed(pair, times), epsilon)
    rare = FinitePair(
        (Fraction(1, 10**200), 1 - Fraction(1, 10**200)), (Fraction(1, 10**210), 1 - Fraction(1, 10**210))
    )
    assert composed_low({rare: 2}, 40.0) == 0


def test_nothing_asked_reveals_nothing() -> None:
    assert composed_low({}, 0.0) == 0
    assert composed_low({Erasure(1e-300): 2}, 0.0) == 0  # so little is told from nothing by nobody
    assert composed_low({Gaussian(1.0): 0}, 0.0) == 0
    assert composed_low({Erasure(1.0): 3}, 5.0) == pytest.approx(1, abs=1e-12)
    assert composed_low({FinitePair((Fraction(1),), (Fraction(1),)): 5}, 0.0) == 0


def test_a_pair_whose_tails_are_not_known_counts_as_one_that_reveals_nothing() -> None:
    floats = FinitePair((0.6, 0.4), (0.4, 0.6))
    assert composed_low({floats: 3}, 0.0) == 0
    assert renyi_low(floats, 2.0) == 0
    assert composed_low({floats: 3, BIT: 2}, 0.5) == pytest.approx(composed_low({BIT: 2}, 0.5), rel=1e-12)


# -- Rényi divergences -----------------------------------------------------------------------------------------


def renyi(pair: FinitePair, order: float) -> mpmath.mpf:
    a = real(order)
    masses = zip(pair.exact_masses.p, pair.exact_masses.q, strict=True)
    return mpmath.log(sum(real(p) ** a * real(q) ** (1 - a) for p, q in masses if p > 0)) / (a - 1)


ORDERS = (1 + 1e-9, 1 + 1e-6, 1.1, 2.0, 8.0, 128.0, 1e4)


@pytest.mark.parametrize("order", ORDERS)
def test_the_renyi_divergence_of_finite_pairs_is_met_from_below(order: float) -> None:
    rng, seen = random.Random(21), 0
    for pair in (random_pair(rng) for _ in range(120)):
        if pair is None:
            continue
        low = renyi_low(pair, order)
        if any(p > 0 and q == 0 for p, q in zip(pair.exact_masses.p, pair.exact_masses.q, strict=True)):
            assert low == math.inf
        else:
            true = renyi(pair, order)
            assert true * (1 - 1e-8) - 1e-13 * (1 + 1 / (order - 1)) <= low <= true
            seen += true > 0
    assert seen > 20
    for epsilon in (1e-5, 0.01, 1.0, 30.0, 300.0):
        a, e = real(order), real(epsilon)
        p, q = 1 / (1 + mpmath.exp(-e)), 1 / (1 + mpmath.exp(e))
        true = mpmath.log(p**a * q ** (1 - a) + q**a * p ** (1 - a)) / (a - 1)
        low = renyi_low(RandomizedResponse(epsilon), order)
        assert true * (1 - 1e-9) - 1e-13 * (1 + 1 / (order - 1)) <= low <= true


def test_small_masses_do_not_raise_a_renyi_divergence() -> None:
    """A rare output, with a moment near 1: the loss has lost digits, and the order multiplies what is wrong."""
    rng = random.Random(8)
    for _ in range(200):
        a, b = rng.randint(100, 290), rng.randint(100, 290)
        p, q = Fraction(rng.randint(1, 10**6), 10**a), Fraction(rng.randint(1, 10**6), 10**b)
        if not p > q:
            continue
        pair = FinitePair((p, 1 - p), (q, 1 - q))
        loss = float(mpmath.log(real(p) / real(q)))
        for moment in (-25.0, -10.0, -1.0, 5.0):
            order = 1 + (moment - float(mpmath.log(real(p)))) / loss
            if order > 1:
                assert renyi_low(pair, order) <= renyi(pair, order)


def test_no_renyi_bound_exceeds_the_truth_at_orders_so_high_that_a_tiny_loss_decides() -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        mass = Fraction(float(rng.uniform(0.1, 0.9))) / 10 ** int(rng.integers(0, 250))
        loss = 10 ** float(rng.uniform(-13, -3))
        rare = mass / (1 + Fraction(loss))
        pair = FinitePair((mass, 1 - mass), (rare, 1 - rare))
        for order in (1 + 300 / loss, 1 + 3000 / loss):
            with mpmath.workdps(400):
                assert renyi_low(pair, order) <= renyi(pair, order)


@pytest.mark.parametrize("order", [1.5, 2.0, 600.0])
def test_an_output_rarer_than_any_double_is_left_out(order: float) -> None:
    tiny = Fraction(1, 10**400)
    pair = FinitePair(
        (tiny, Fraction(3, 4), Fraction(1, 4) - tiny), (tiny / 2, Fraction(1, 4), Fraction(3, 4) - tiny / 2)
    )
    low, true = renyi_low(pair, order), renyi(pair, order)
    assert true * (1 - 1e-10) <= low <= true


@pytest.mark.parametrize("order", [1.1, 2.0, 16.0])
@pytest.mark.parametrize(
    "pair",
    [
        Laplace(0.5),
        Laplace(10.0),
        Gaussian(1.0),
        SubsampledGaussian(0.1, 1.0),
        SubsampledGaussian(0.5, 2.0, adjacency="addition"),
    ],
    ids=repr,
)
def test_the_renyi_divergence_of_a_continuous_pair_is_met_from_below(pair, order: float) -> None:
    true, low = float(pair.renyi(order)), renyi_low(pair, order)
    assert low <= true * (1 + 1e-9)  # the other side is in doubles
    assert low >= 0.98 * true


def test_a_hundred_steps_are_met_from_below_to_a_millionth() -> None:
    exact = mpmath.mpf("0.0018612705239799533")  # an inverse Laplace transform: `reference` of the benchmarks
    assert exact * (1 - 1e-6) < composed_low({SubsampledGaussian(0.05, 1.0): 100}, 2.0) <= exact
