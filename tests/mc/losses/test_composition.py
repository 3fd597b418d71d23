"""Certified bounds on compositions fixed in advance, each held against a second route."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy.stats import binom

from filterproof.mc.losses.composition import Bounds, Composition
from filterproof.mc.losses.lattice_pld import LowerBoundPLD, kov_lattice_pld, kov_parameters
from filterproof.mc.losses.lattice_sum import LatticeSum
from filterproof.theory.evidence import Evidence
from filterproof.theory.pairs import KOV, Erasure, Gaussian, Laplace, RandomizedResponse, SubsampledGaussian
from tests.slow_cases import slow_but

DP_SGD = SubsampledGaussian(q=0.01, sigma=1.0)


def mpmath_gaussian(mu, count, epsilon):
    with mpmath.workdps(400):
        mu, epsilon = mpmath.mpf(mu) * mpmath.sqrt(count), mpmath.mpf(epsilon)
        return mpmath.ncdf(mu / 2 - epsilon / mu) - mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)


@pytest.mark.parametrize(
    ("counts", "epsilon"),
    [({1.0: 1}, -2.0), ({0.05: 400}, 9.0), ({2.0: 3}, 9.0), ({0.3: 20, 0.7: 4, 1.1: 1}, 9.0)],
    ids=str,
)
def test_gaussians_compose_to_one_gaussian(counts, epsilon):
    with mpmath.workdps(60):
        mu = mpmath.sqrt(sum(count * mpmath.mpf(mu) ** 2 for mu, count in counts.items()))
    exact = mpmath_gaussian(mu, 1, epsilon)
    mechanisms = {Gaussian(mu): count for mu, count in counts.items()}
    closed = Composition(mechanisms).delta(epsilon)
    assert closed.low <= exact <= closed.high
    assert closed.relative_width < 1e-15
    # beside a mechanism that reveals hardly anything they are cut into cells, as all others are
    cut = Composition({**mechanisms, Erasure(1e-300): 1}).delta(epsilon)
    assert cut.low <= exact <= cut.high
    assert cut.relative_width < 1e-3
    assert cut.evidence is Evidence.CERTIFIED


SOME = Laplace(1.0), Laplace(10.0), DP_SGD, SubsampledGaussian(0.3, 0.7, adjacency="addition")
ALONE = [
    *((pair, epsilon, 2e-3) for pair in SOME for epsilon in (0.005, 0.05, 0.5)),
    (Gaussian(1.0), 35.0, 1e-9),  # too thin for ordinary precision
    (SubsampledGaussian(1e-6, 0.05), 150.0, 2e-3),  # which one loss in a million passes
    # losses so small that their tilt leaves the doubles
    *((SubsampledGaussian(1e-20, 2.0, adjacency=way), 0.0, 2e-3) for way in ("removal", "addition")),
    *((SubsampledGaussian(1e-60, 2.0, adjacency=way), 0.0, math.inf) for way in ("removal", "addition")),
]


@pytest.mark.parametrize(("pair", "epsilon", "width"), ALONE, ids=str)
def test_one_release_has_its_own_hockey_stick(pair, epsilon, width):
    for direction, drawn in (("PQ", pair), ("QP", pair.swapped)):
        bounds = Composition([pair]).delta(epsilon, direction=direction)
        exact = float(drawn.hockey_stick(epsilon))
        assert bounds.low <= exact * (1 + 1e-10) + 1e-300
        assert bounds.high >= exact * (1 - 1e-10)
        assert exact == 0 or bounds.relative_width <= width


@pytest.mark.parametrize(("aim", "revealed"), slow_but([(1e-3, 0.0)], [(1e-3, 0.0), (1e-5, 1e-7)]))
def test_who_asks_for_more_than_can_be_transformed_gets_what_can_be(monkeypatch, aim, revealed):
    """Cells for a width of 1e-3 are too many for transforms of 2^14, those for about a hundredth are not."""
    monkeypatch.setattr(
        "filterproof.mc.losses.composition._fourier_inversion_or_none", lambda pairs, counts: None
    )
    monkeypatch.setattr("filterproof.mc.losses.fourier_sums._MAX_WINDOW", 1 << 14)
    erasures = {Erasure(revealed): 1} if revealed else {}
    composition = Composition({SubsampledGaussian(q=0.01, sigma=0.8): 300} | erasures)
    wide, narrow = (composition.delta(1.0, relative=width, direction="PQ") for width in (0.1, aim))
    assert wide.low <= narrow.low <= narrow.high <= wide.high
    assert narrow.relative_width < 0.02


def beside_a_gaussian(mu, epsilon, delta, times, at):
    """H of Gaussian(mu) and KOV(epsilon, delta), so often: a mixture of Gaussians' over a binomial number of ones."""
    j = (
        np.arange(times + 1)
        if times < 10**4
        else times // 2 + np.arange(-6, 6, 1 / math.sqrt(times)) * times**0.5
    )
    ones = np.unique(np.rint(j))
    logs = np.cumsum([0.0, *(np.log((times + 1 - ones[1:]) / ones[1:]) + epsilon)])
    masses = np.exp(logs - logs.max())
    hockey_sticks = Gaussian(mu).hockey_stick(at - epsilon * (2 * ones - times))
    finite = math.exp(times * math.log1p(-delta))
    return 1 - finite + finite * float(masses @ hockey_sticks) / masses.sum()


@pytest.mark.parametrize(
    ("epsilon", "times", "at"), [(1e-6, 1, 3.0), (0.1, 10, 0.3), (1e-3, 1000, 3.0), (1e-4, 10**6, 0.3)]
)
def test_any_number_of_tiny_responses_beside_a_gaussian_encloses_their_mixture(epsilon, times, at):
    for delta in (0.0, 1e-3 / times):
        tiny = KOV(epsilon, delta) if delta else RandomizedResponse(epsilon)
        exact = beside_a_gaussian(1.0, epsilon, delta, times, at)
        bounds = Composition({Gaussian(1.0): 1, tiny: times}).delta(at, direction="PQ")
        assert bounds.low <= exact * (1 + 1e-10)
        assert bounds.high >= exact * (1 - 1e-10)
        assert bounds.relative_width <= 1e-3


@pytest.mark.parametrize("tilt", [0.0, 3.0])
def test_bounds_hold_where_the_window_of_a_finer_sum_leaves_a_part_out(tilt, monkeypatch):
    """The standard deviation of 400 responses is 20 steps, and the window has 64, or 16, places."""
    step, times = Fraction(1, 128), 400
    pairs = RandomizedResponse(float(step)), RandomizedResponse(0.5)
    above = [kov_lattice_pld(units, Fraction(0), size, "high") for units, size in ((1, step), (16, 4 * step))]
    below = [
        LowerBoundPLD.from_kov(kov_parameters(pair), units)
        for pair, units in zip(pairs, (1, 16), strict=True)
    ]
    finer = LatticeSum((above[0],), (below[0],), (times,), float(step))
    # with one in between, on which nothing else is summed
    finer = LatticeSum((), (), (), 2 * float(step), finer=finer)
    total = LatticeSum((above[1],), (below[1],), (1,), 4 * float(step), finer=finer)
    ones = np.arange(times + 1)
    masses = binom.pmf(ones, times, 1 / (1 + math.exp(-step)))
    losses = float(step) * (2 * ones - times)
    monkeypatch.setattr("filterproof.mc.losses.fourier_sums._WHOLE_PLACES", 16)
    for longest in (64, 16):
        monkeypatch.setattr("filterproof.mc.losses.fourier_sums._MAX_WINDOW", longest)
        for epsilon in (-0.6, 0.1, 0.5, 0.9, 1.2):
            exact = masses @ pairs[1].hockey_stick(epsilon - losses)
            low, high = total.bounds(epsilon, tilt=tilt)
            assert low <= exact * (1 + 1e-9)
            assert high >= exact * (1 - 1e-9)


@pytest.mark.parametrize("delta", [1e-3, 1e-5, 1e-9])
def test_epsilon_at_delta_has_delta_between_its_ends(delta):
    steps = Composition({DP_SGD: 1000})
    bounds = steps.epsilon(delta)
    assert steps.delta(bounds.low).high > delta
    assert steps.delta(bounds.high).low < delta
    assert bounds.relative_width < 1e-3
    exact = Composition({Gaussian(0.1): 100}).epsilon(delta)
    assert mpmath_gaussian(0.1, 100, exact.high) <= delta <= mpmath_gaussian(0.1, 100, exact.low)
    assert Composition({Gaussian(0.01): 1}).epsilon(0.5) == Bounds(0.0, 0.0)  # delta covers everything


def test_mechanisms_may_be_listed_one_by_one_or_counted_by_numpy():
    listed = Composition([Gaussian(0.5), Laplace(2.0), Gaussian(0.5)])
    assert dict(zip(listed.pairs, listed.counts, strict=True)) == {Gaussian(0.5): 2, Laplace(2.0): 1}
    pairs = RandomizedResponse(0.01), RandomizedResponse(0.02)
    counted = Composition({pair: np.int16(20_000) for pair in pairs}).delta(5.0)
    assert counted == Composition(dict.fromkeys(pairs, 20_000)).delta(5.0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Composition({Gaussian(1.0): 0}), "mechanisms must be"),
        (lambda: Composition([Gaussian(np.array([1.0, 2.0]))]), "shape"),
        (lambda: Composition([Erasure(0.5)]).epsilon(0.1), "mass of infinite losses"),
    ],
)
def test_what_cannot_be_composed_is_refused_with_a_remedy(make, message):
    with pytest.raises((TypeError, ValueError), match=message):
        make()


@pytest.mark.parametrize(
    ("sigma", "epsilon", "exact"),
    [(1.0, 139.03, "1.0000922692246589e-5"), (4.0, 13.5, "9.5784149033556286e-6")],
)
def test_a_million_steps_enclose_an_inverse_laplace_transform_in_mpmath(sigma, epsilon, exact):
    """What is exact is what `reference` of the benchmarks says."""
    million = Composition({SubsampledGaussian(0.01, sigma): 10**6})
    bounds = million.delta(epsilon)
    assert bounds.low <= mpmath.mpf(exact) <= bounds.high
    assert bounds.relative_width < 1e-4
    # where much is revealed, and where little is, too
    for mean in (0.5, 1.3):
        assert million.delta(mean * epsilon).relative_width < 1e-3
