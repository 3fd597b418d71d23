"""Certified bounds on compositions fixed in advance, each held against a second route."""

import math
import random
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy.stats import binom

from mc.losses import composition, finite_sums
from mc.losses.composition import Bounds, Composition
from mc.losses.lattice_law import ReportedLaw, level, level_law
from mc.losses.lattice_sum import LatticeSum
from tests.mc.losses.enumerated import composed, random_pair, real, stick
from theory.evidence import Evidence
from theory.pairs import KOV, Erasure, FinitePair, Gaussian, Laplace, RandomizedResponse, SubsampledGaussian

DP_SGD = SubsampledGaussian(q=0.01, sigma=1.0)


def mpmath_gaussian(mu, count, epsilon):
    with mpmath.workdps(400):
        mu, epsilon = mpmath.mpf(mu) * mpmath.sqrt(count), mpmath.mpf(epsilon)
        return mpmath.ncdf(mu / 2 - epsilon / mu) - mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)


def test_a_gaussian_too_thin_for_ordinary_precision_is_seen():
    with mpmath.workdps(400):
        exact = mpmath_gaussian(1.0, 1, 35.0)
    bounds = Composition([Gaussian(1.0)]).delta(35.0)
    assert 0 < bounds.low <= exact <= bounds.high


@pytest.mark.parametrize("epsilon", [-2.0, 9.0])
@pytest.mark.parametrize("counts", [{1.0: 1}, {0.05: 400}, {2.0: 3}, {0.3: 20, 0.7: 4, 1.1: 1}], ids=str)
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
    assert 1e-12 < cut.relative_width < 1e-3
    assert cut.evidence is Evidence.CERTIFIED


TWO, ORDINARY = RandomizedResponse.from_ratio(2), (0.0, 0.9, 3.7)
FIVE = FinitePair(
    tuple(Fraction(k, 12) for k in (3, 5, 3, 1, 0)), tuple(Fraction(k, 12) for k in (0, 3, 3, 4, 2))
)
#: An output that is e^50 times rarer under Q: of forty the product has a Q-mass below all doubles, and a P-mass.
THIN = FinitePair((Fraction(1, 2), Fraction(1, 2)), (Fraction(1, 10**22), 1 - Fraction(1, 10**22)))
FINITE = [
    ({TWO: 9}, ORDINARY, 1e-8),
    ({TWO: 4, RandomizedResponse.from_ratio(4): 3}, ORDINARY, 1e-8),
    ({TWO: 4, RandomizedResponse.from_ratio(3): 3}, ORDINARY, 0.05),
    ({KOV.from_ratio(Fraction(3), Fraction(1, 50)): 5}, ORDINARY, 1e-8),
    ({FIVE: 3, TWO: 2}, ORDINARY, 0.05),
    # the less likely output has a mass below the doubles
    ({TWO: 4, RandomizedResponse.from_ratio(2**1090): 2}, (0.0, 5.0), 1e-8),
    *(({THIN: times}, (0.0, 300.0, 600.0, 690.0), math.inf) for times in (13, 14, 20, 40)),
]


HUGE, NEEDLE = (
    SubsampledGaussian(1e-6, 2.5e-6),
    FinitePair((Fraction(1, 2), Fraction(1, 2)), (Fraction(1, 10**340), 1 - Fraction(1, 10**340))),
)


@pytest.mark.parametrize(
    ("mechanisms", "epsilon", "least", "most"),
    [
        ({KOV(1e300, 1e-5): 3}, 1.0, 1 - 1e-9, 1.0),
        ({KOV(1e3, 1e-5): 3}, 1.0, 1 - 1e-9, 1.0),
        ({RandomizedResponse(1.0): 2, RandomizedResponse(1e9): 1}, 1.0, 1 - 1e-9, 1.0),
        ({KOV(5e-324, 0.5): 2}, 1.0, 0.75, 0.75),
        ({HUGE: 10**6}, 7.2, 1 - 1 / math.e, 1.0),
        ({HUGE: 1, NEEDLE: 2}, 1.0, 0.75, 1.0),
        ({HUGE: 1, SubsampledGaussian(1e-9, 5e-3): 3, NEEDLE: 1000}, -1e-11, 1.0, 1.0),
    ],
    ids=range(7),
)
def test_losses_beyond_the_doubles_and_below_them_have_bounds(mechanisms, epsilon, least, most):
    bounds = Composition(mechanisms).delta(epsilon, relative=0.1)
    assert bounds.low <= most
    assert least * (1 - 1e-9) <= bounds.high <= 1
    assert bounds.low >= max(float(pair.hockey_stick(epsilon)) for pair in mechanisms) * (1 - 1e-9)


@pytest.mark.parametrize("epsilon", [1e6, 1e200, 1e307, 1.7e308])
def test_far_beyond_all_losses_what_is_revealed_is_left(epsilon):
    bounds = Composition({RandomizedResponse(0.1): 5, Erasure(0.25): 2}).delta(epsilon)
    assert Fraction(bounds.low) <= Fraction(7, 16) <= Fraction(bounds.high) <= 1


@pytest.fixture(params=[finite_sums.MOST, 0], ids=["in balls", "on a lattice"])
def summed(request, monkeypatch):
    """Finite losses summed one by one, and as many losses are."""
    monkeypatch.setattr(finite_sums, "MOST", request.param)


@pytest.mark.usefixtures("summed")
@pytest.mark.parametrize(("mechanisms", "epsilons", "width"), FINITE, ids=range(len(FINITE)))
def test_finite_mechanisms_enclose_their_enumeration(mechanisms, epsilons, width):
    law = None
    for pair, times in mechanisms.items():
        law = composed(pair, times, law)
    for epsilon in epsilons:
        bounds = Composition(mechanisms).delta(epsilon, direction="PQ")
        with mpmath.workdps(60):
            assert bounds.low <= stick(law, epsilon) <= bounds.high
        assert bounds.relative_width < (2.0**-50 if finite_sums.MOST else width) or width == math.inf


SOME = Laplace(1.0), Laplace(10.0), DP_SGD, SubsampledGaussian(0.3, 0.7, adjacency="addition")
ALONE = [
    *((pair, epsilon, 2e-3) for pair in SOME for epsilon in (0.005, 0.05, 0.5)),
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


@pytest.mark.parametrize("epsilon", [1.0, 5.0, 8.0])
def test_narrower_bounds_by_cells_lie_within_wider_ones_down_to_very_small_deltas(epsilon, monkeypatch):
    monkeypatch.setattr("mc.losses.composition._inversion", lambda pairs, counts: None)
    wide, narrow = (Composition({DP_SGD: 1000}).delta(epsilon, relative=r) for r in (0.1, 1e-3))
    assert wide.low <= narrow.high
    assert narrow.low <= wide.high
    assert narrow.relative_width < 1e-3 < wide.relative_width < 0.1


@pytest.mark.parametrize("aim", [1e-3, 1e-5])
@pytest.mark.parametrize("revealed", [0.0, 1e-7])
def test_who_asks_for_more_than_can_be_transformed_gets_what_can_be(monkeypatch, aim, revealed):
    """Cells for a width of 1e-3 are too many for transforms of 2^14, those for about a hundredth are not."""
    monkeypatch.setattr("mc.losses.composition._inversion", lambda pairs, counts: None)
    monkeypatch.setattr("mc.losses.powers._LONGEST", 1 << 14)
    beside = {Erasure(revealed): 1} if revealed else {}
    composition = Composition({SubsampledGaussian(q=0.01, sigma=0.8): 300} | beside)
    wide, narrow = (composition.delta(1.0, relative=width, direction="PQ") for width in (0.1, aim))
    assert wide.low <= narrow.low <= narrow.high <= wide.high
    assert narrow.relative_width < 0.02


@pytest.mark.usefixtures("summed")
@pytest.mark.parametrize("kinds", [1, 2])
def test_compositions_of_random_finite_pairs_enclose_their_enumeration(kinds, monkeypatch):
    # of two kinds one is summed first, on a finer lattice
    monkeypatch.setattr("mc.losses.summands._FEW", 0)
    monkeypatch.setattr("mc.losses.summands._LEFT", math.inf)
    rng = random.Random(12)
    with mpmath.workdps(60):
        for _ in range(40 // kinds):
            mechanisms = {random_pair(rng): rng.randint(1, 6 // kinds) for _ in range(kinds)}
            epsilon = rng.choice((0.0, 0.1, 1.0, 2.5, 7.0, 20.0))
            law = None
            for pair, times in mechanisms.items():
                law = composed(pair, times, law)
            true = stick(law, epsilon)
            bounds = Composition(mechanisms).delta(epsilon, direction="PQ")
            assert true - 1e-9 <= bounds.low <= true <= bounds.high <= true * 1.05 + 1e-9, (
                mechanisms,
                epsilon,
            )


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
    sticks = Gaussian(mu).hockey_stick(at - epsilon * (2 * ones - times))
    finite = math.exp(times * math.log1p(-delta))
    return 1 - finite + finite * float(masses @ sticks) / masses.sum()


@pytest.mark.parametrize("at", [0.3, 3.0])
@pytest.mark.parametrize(
    ("epsilon", "times"),
    [(1e-9, 1), (1e-6, 1), (0.1, 10), (1e-3, 1000), (1e-3, 10**5), (1e-4, 10**6), (1e-9, 10**6)],
)
def test_any_number_of_tiny_responses_beside_a_gaussian_encloses_their_mixture(epsilon, times, at):
    for delta in (0.0, 1e-3 / times):
        tiny = KOV(epsilon, delta) if delta else RandomizedResponse(epsilon)
        exact = beside_a_gaussian(1.0, epsilon, delta, times, at)
        bounds = Composition({Gaussian(1.0): 1, tiny: times}).delta(at, direction="PQ")
        assert bounds.low <= exact * (1 + 1e-10)
        assert bounds.high >= exact * (1 - 1e-10)
        assert bounds.relative_width <= 1e-3


@pytest.mark.parametrize("tilt", [0.0, 1.0, 3.0, 8.0])
def test_bounds_hold_where_the_window_of_a_finer_sum_leaves_a_part_out(tilt, monkeypatch):
    """The standard deviation of 400 responses is 20 steps, and the window has 64, or 16, places."""
    step, times = Fraction(1, 128), 400
    pairs = RandomizedResponse(float(step)), RandomizedResponse(0.5)
    above = [level_law(units, Fraction(0), size, "high") for units, size in ((1, step), (16, 4 * step))]
    below = [ReportedLaw.of_level(level(pair), units) for pair, units in zip(pairs, (1, 16), strict=True)]
    finer = LatticeSum((above[0],), (below[0],), (times,), float(step))
    # with one in between, on which nothing else is summed
    finer = LatticeSum((), (), (), 2 * float(step), finer=finer)
    total = LatticeSum((above[1],), (below[1],), (1,), 4 * float(step), finer=finer)
    ones = np.arange(times + 1)
    masses = binom.pmf(ones, times, 1 / (1 + math.exp(-step)))
    losses = float(step) * (2 * ones - times)
    monkeypatch.setattr("mc.losses.powers._FEW", 16)
    for longest in (64, 16):
        monkeypatch.setattr("mc.losses.powers._LONGEST", longest)
        for epsilon in (-0.6, 0.1, 0.5, 0.9, 1.2):
            exact = masses @ pairs[1].hockey_stick(epsilon - losses)
            low, high = total.bounds(epsilon, tilt=tilt)
            assert low <= exact * (1 + 1e-9)
            assert high >= exact * (1 - 1e-9)


def test_what_reveals_nothing_changes_nothing_however_often():
    some = {Laplace(3.0): 2, RandomizedResponse(0.7): 1}
    half = (Fraction(1, 2), Fraction(1, 2))
    nothing = {FinitePair(half, half): 2**40, RandomizedResponse(0.0): 10**6, Erasure(0.0): 1}
    assert Composition(some | nothing).delta(1.0) == Composition(some).delta(1.0)
    assert Composition(nothing).delta(0.5) == Bounds(0.0, 0.0)


def revealing(epsilon, delta, times, at):
    """H of KOV(epsilon, delta) released so often: a release that reveals all, or a binomial number of ones."""
    d, p, growth = real(delta), 1 / (1 + mpmath.exp(-real(epsilon))), mpmath.exp(real(at))
    q = 1 / (1 + mpmath.exp(real(epsilon)))  # 1 - p would lose its digits
    gains = (
        mpmath.binomial(times, k) * max(p**k * q ** (times - k) - growth * q**k * p ** (times - k), 0)
        for k in range(times // 2, times + 1)
    )
    return 1 - (1 - d) ** times + (1 - d) ** times * sum(gains)


@pytest.mark.usefixtures("summed")
@pytest.mark.parametrize("delta", [0.0, 1e-300, 1e-9, 0.5])
@pytest.mark.parametrize(("epsilon", "times"), [(1e-6, 1), (1e-6, 100), (1.0, 100), (50.0, 10), (720.0, 1)])
def test_kov_pairs_and_randomised_response_enclose_a_binomial_law(epsilon, delta, times):
    pair = KOV(epsilon, delta) if delta else RandomizedResponse(epsilon)
    for at in (0.0, 0.4 * epsilon * math.sqrt(times), 0.999 * epsilon * times, epsilon * times + 1):
        bounds = Composition({pair: times}).delta(at, direction="PQ")
        with mpmath.workdps(400):
            true = revealing(epsilon, delta, times, at)
            assert true * (1 - mpmath.mpf(10) ** -5) - 1e-14 <= bounds.low <= true <= bounds.high


def test_a_mixture_of_all_kinds_is_known_closely():
    mechanisms = {
        DP_SGD: 100,
        Gaussian(0.2): 5,
        Laplace(5.0): 3,
        RandomizedResponse(0.3): 2,
        Erasure(1e-6): 4,
    }
    assert Composition(mechanisms).delta(1.0).relative_width < 1e-3


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


def test_the_worse_direction_counts():
    steps = Composition({DP_SGD: 50})
    both, removal, addition = (steps.delta(0.5, direction=d) for d in ("both", "PQ", "QP"))
    assert addition.high < removal.low
    assert both.low >= removal.low * (1 - 1e-3)
    assert both.high <= removal.high * (1 + 1e-3)


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
        (lambda: Composition([Erasure(0.5)]).epsilon(0.1), "revealed outright"),
    ],
)
def test_what_cannot_be_composed_is_refused_with_a_remedy(make, message):
    with pytest.raises((TypeError, ValueError), match=message):
        make()


def test_what_reveals_everything_has_divergence_one():
    all_told = FinitePair((Fraction(1), Fraction(0)), (Fraction(0), Fraction(1)))
    for mechanisms in (
        {Erasure(1.0): 2},
        {KOV(1.0, 1.0): 1},
        {Erasure(1.0): 1, Gaussian(1.0): 2},
        {all_told: 1},
    ):
        bounds = Composition(mechanisms).delta(3.0)
        assert 1 - 1e-12 <= bounds.low <= bounds.high == 1.0


SAMPLED = [
    {SubsampledGaussian(0.05, 2.0): 60, SubsampledGaussian(0.01, 0.8): 30, Gaussian(0.1): 3},
    {SubsampledGaussian(0.2, 2.0, adjacency="addition"): 40},
]


@pytest.mark.parametrize("epsilon", [0.0, 1.2])
@pytest.mark.parametrize("mechanisms", SAMPLED, ids=range(len(SAMPLED)))
def test_inversion_lies_within_the_bounds_by_cells(mechanisms, epsilon):
    for direction in ("PQ", "QP"):
        inverted = Composition(mechanisms).delta(epsilon, direction=direction)
        # beside a mechanism that reveals hardly anything they are cut into cells
        cut = Composition({**mechanisms, Erasure(1e-300): 1}).delta(epsilon, direction=direction)
        assert cut.low <= inverted.high
        assert inverted.low <= cut.high
        assert 1e-5 < cut.relative_width < 1e-3
        assert inverted.relative_width < 2e-5


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


@pytest.mark.parametrize(
    "mechanisms",
    [
        {SubsampledGaussian(1e-7, 1.0): 2},
        {SubsampledGaussian(0.1, 0.1): 2},
        {DP_SGD: 3},
        {DP_SGD: 30, Laplace(3.0): 1},
    ],
    ids=range(4),
)
def test_what_is_not_inverted_is_cut_into_cells(mechanisms):
    assert composition._inversion(tuple(mechanisms), tuple(mechanisms.values())) is None
