"""Wherever its parameters lie, a number in doubles is the number of its formula in balls: drawn, and not at points."""

import math
from collections.abc import Iterable
from fractions import Fraction

import numpy as np
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

import filterproof as fp
from filterproof.filters.certified.comparison import CLOSE, Comparison, Comparisons
from filterproof.filters.certified.guarantee_checks import promised_delta_comparisons
from filterproof.filters.certified.pair_checks import charge_comparisons, subsampled_gaussian_comparison
from filterproof.theory.pairs import BoundedRange, DiscreteGaussian, DiscreteLaplace, DominatingPair
from tests.filters.certified.budgets import budgets
from tests.filters.certified.closed_forms.conversions import numbers_at
from tests.filters.certified.closed_forms.realisation import kappas


def powers(low: float, high: float) -> st.SearchStrategy[float]:
    """Numbers from low to high whose logarithms are spread evenly."""
    return st.floats(math.log(low), math.log(high)).map(math.exp)


def finite(weights: list[tuple[int, int]]) -> fp.FinitePair:
    """The pair whose outcomes have masses in proportion to these."""
    p, q = (sum(condition) for condition in zip(*weights, strict=True))
    return fp.FinitePair(tuple(Fraction(a, p) for a, _ in weights), tuple(Fraction(b, q) for _, b in weights))


# to make an example small takes a hundred times what it took to find it
TRIES = settings.default.max_examples // 2  # a share of the profile's
anywhere = settings(
    max_examples=TRIES, deadline=None, derandomize=True, phases=(Phase.explicit, Phase.generate)
)
PAIRS: st.SearchStrategy[DominatingPair] = st.one_of(
    st.builds(fp.Gaussian, powers(1e-6, 40.0)),
    st.builds(fp.RandomizedResponse, powers(1e-9, 600.0)),
    st.builds(fp.Erasure, powers(1e-300, 1.0)),
    st.builds(fp.KOV, powers(1e-9, 600.0), powers(1e-300, 1.0)),
    st.builds(fp.Laplace, powers(1e-2, 1e6)),
    st.builds(
        fp.SubsampledGaussian,
        powers(1e-9, 1.0),
        powers(0.6, 50.0),  # below, integrals in balls decide at some orders only; sums over whole ones go on
        adjacency=st.sampled_from(["removal", "addition"]),
    ),
    st.builds(BoundedRange, powers(1e-9, 40.0)),
    st.builds(DiscreteLaplace, powers(0.2, 1e3), st.integers(1, 6)),
    st.builds(DiscreteGaussian, powers(0.3, 30.0), st.integers(1, 5)),
    st.lists(st.tuples(st.integers(1, 99), st.integers(1, 99)), min_size=2, max_size=5)
    .map(finite)
    .filter(lambda pair: pair.p != pair.q),
)


def wrong(numbers: Iterable[Comparison]) -> list[tuple[str, str]]:
    """What is refused of the numbers, and how."""
    return [(one.says, one.status.name) for one in numbers if not one.fits]


@settings(anywhere, max_examples=TRIES)
@given(PAIRS)
@example(fp.RandomizedResponse(740.0))  # e^-740 is no normal double
@example(fp.RandomizedResponse.from_ratio(7))
@example(fp.KOV.from_ratio(Fraction(9, 4), 0))
@example(fp.RandomizedResponse.from_ratio(1 + Fraction(1, 10**400)))
@example(fp.RandomizedResponse(5e-324))
@example(fp.KOV(2.5e-323, 0.0))
@example(finite([(1, 2**53 - 1), (1, 2**53 + 1)]))
@example(fp.RandomizedResponse(3.3e-162))
@example(fp.KOV(1e-160, 0.0))
def test_every_charge_of_every_pair_covers_what_is_due(pair: DominatingPair) -> None:
    assert wrong(charge_comparisons(pair)) == []


@anywhere
@given(powers(1e-9, 1.0), powers(0.3, 50.0), st.integers(2, 1000))
@example(2.5e-8, 1.845, 118)  # e^{(a - 1) L} is beyond doubles, and its mean next to 1
def test_a_sampled_gaussian_is_charged_its_divergence_at_every_whole_order_and_little_more(
    q: float, sigma: float, order: int
) -> None:
    assert wrong([subsampled_gaussian_comparison(fp.SubsampledGaussian(q, sigma), float(order))]) == []


@settings(anywhere, max_examples=18 * TRIES)  # which are soon tried
@given(
    PAIRS,
    st.floats(-4.0, 6.0) | st.floats(-70.0, 70.0),
    powers(1e-6, 1e4),
    powers(1e-12, 0.9) | powers(1e-300, 1e-9) | powers(2.0**-40, 0.1).map(lambda rest: 1 - rest),
)
@example(fp.RandomizedResponse(0.25), 0.9, 0.5, 0.0)
@example(fp.SubsampledGaussian(0.2, 2.0), 1.5, 0.5, 0.2)
@example(fp.Laplace(0.3), -1.5, 0.5, 0.999)  # beyond the largest loss, and where the smallest has its mass
def test_what_a_pair_says_is_what_its_law_says(
    pair: DominatingPair, share: float, above_one: float, tail: float
) -> None:
    size = abs(float(pair.loss_isf(0.3)))
    size = size if 0 < size < math.inf else 1.0
    x = share * size
    # near a loss, where little is left of a hockey-stick, a loss in doubles tells
    left = 2.0**-50 * max(1.0, abs(x)) if isinstance(pair, fp.FinitePair) else 1e-300
    left = max(left, 2.0**-51 * abs(x)) if isinstance(pair, fp.Laplace) else left
    # integrals in balls are narrow at low orders; at whole ones up to 64 sums decide, in test_subsampled_gaussian
    order = 1 + (min(above_one, 3.0) if pair.reference_values.integrated else above_one)
    # others are exact to fewer digits near a loss, and near a tail of one, where doubles are far apart
    exact = isinstance(pair, (fp.Gaussian, fp.Laplace))
    tail = tail if exact else min(tail, 0.9)
    asked = [("hockey_stick", x, left), ("loss_isf", tail, CLOSE * max(1.0, size))]
    # no ball tells whether a loss is at most x where it may be x
    if isinstance(pair, (fp.Gaussian, fp.Laplace, fp.SubsampledGaussian, BoundedRange)) and abs(share) != 1:
        asked.append(("loss_cdf", x, CLOSE))
    numbers = [
        Comparisons("what is drawn").near_truth(
            f"{pair!r}.{method}({at!r})",
            value,
            getattr(pair.reference_values, method)(at),
            slack=CLOSE if exact else 1e-11,
            least=least,
        )
        for method, at, least in [*asked, ("renyi", 1.0, 1e-300), ("renyi", order, 1e-300)]
        for value in {float(getattr(pair, method)(at)), float(getattr(pair, method)(np.array([at]))[0])}
    ]
    assert wrong(numbers) == []


@settings(anywhere, max_examples=TRIES // 2)
@given(powers(0.1, 100.0), powers(1e-90, 1e-2))
def test_what_converts_promises_and_bounds_budgets_does_so_for_any_epsilon_and_delta(
    epsilon: float, delta: float
) -> None:
    rho = float(fp.CKS.budget(epsilon, delta)) / 3
    promises = (
        *(fp.PureDP(1.5 * epsilon), fp.ApproxDP(1.5 * epsilon, delta), fp.GaussianDP(epsilon), fp.ZCDP(rho)),
        *(fp.RenyiDP(alpha, rho) for alpha in (1.25, 8.0)),
    )
    promised = (
        one for promise in promises for one in promised_delta_comparisons(promise, repr(promise), "CKS")
    )
    limit = kappas([(10.0, 2.0, delta / 2, delta / 100)])
    assert wrong([*numbers_at(epsilon, delta), *promised, *limit, *budgets(epsilon, delta)]) == []


@settings(anywhere, max_examples=TRIES // 2)
@given(powers(1e-3, 30.0), powers(1e-12, 0.3), st.data())
def test_filters_of_any_budget_admit_what_their_theorems_allow_and_hardly_less(
    epsilon: float, delta: float, data: st.DataObject
) -> None:
    make = data.draw(
        st.sampled_from(
            [
                lambda: fp.RogersFilter(epsilon, delta, reading="1/delta"),
                lambda: fp.RogersFilter(epsilon, delta, reading="2/delta"),
                lambda: fp.WhitehouseFilter(epsilon, delta, tail=delta / 3, weight=2.0),
                lambda: fp.BasicFilter(epsilon, delta),
                lambda: fp.ApproximateZCDPFilter(epsilon, delta),
                lambda: fp.ApproximateDPFilter(epsilon, delta),
                lambda: fp.AllOrdersFilter((1.5, 8.0), (epsilon, 3 * epsilon)),
                lambda: fp.odometers.LineOdometer(delta, epsilon),
                lambda: fp.odometers.MixtureOdometer(delta, epsilon),
                lambda: fp.odometers.StitchedOdometer(delta, epsilon),
                lambda: fp.odometers.DoublingOdometer(delta, epsilon),
                lambda: fp.odometers.RogersOdometer(delta, 1000),
            ]
        )
    )
    assert [(one.says, one.status.name) for one in fp.certify(make()).refused] == []
