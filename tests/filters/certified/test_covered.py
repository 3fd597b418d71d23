"""What joins a rule's theorem, which is about finitely many outcomes, to mechanisms of each kind."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import filterproof as fp
from filterproof.filters.catalogue import CATALOGUE
from filterproof.filters.certified.theorem_coverage import (
    COVERAGE_BY_FILTER,
    LossKind,
    TheoremCoverage,
    coverage_by_menu_pair,
    coverage_of_class,
)
from filterproof.filters.rules.menu_composition import composed_hockey_stick
from filterproof.theory.pairs import example_pairs
from filterproof.theory.theorems.theorem import THEOREMS
from tests.slow_cases import slow_but

SAMPLED = fp.SubsampledGaussian(0.005, 2.0)


def test_every_rule_that_holds_by_a_theorem_says_what_joins_it_to_each_kind_of_mechanism() -> None:
    for entry in CATALOGUE.values():
        if entry.sound is True and entry.filter_class.theorem is not None:
            joins = coverage_of_class(entry.filter_class)
            assert joins is not None, entry.name
            assert set(joins) == set(LossKind)
    for kind in COVERAGE_BY_FILTER:
        assert getattr(kind, "theorem", None) is None or kind.theorem in THEOREMS  # type: ignore[attr-defined]
    assert coverage_of_class(fp.NonadaptiveCompositionFilter) is None


@pytest.mark.parametrize("pair", example_pairs(), ids=repr)
def test_a_blackwell_filter_does_with_each_kind_as_its_line_says(pair: fp.DominatingPair) -> None:
    filt = fp.BlackwellFilter(100.0, (pair,))
    (join,) = coverage_by_menu_pair(filt).values()
    assert join is coverage_of_class(fp.BlackwellFilter)[LossKind.of(pair)]  # type: ignore[index]
    admitted = bool(filt.admits(filt.start(1), pair)[0])
    assert admitted is (math.isfinite(float(pair.zcdp_rho)) and not isinstance(pair, fp.DiscreteGaussian))


def test_what_the_filter_names_is_joined_and_nothing_else() -> None:
    menu = (fp.RandomizedResponse(0.25), fp.Laplace(4.0), SAMPLED, fp.Gaussian(0.5), fp.Erasure(0.1))
    expected = (
        TheoremCoverage.PAIR,
        TheoremCoverage.GAUSSIAN,
        TheoremCoverage.GAUSSIAN,
        TheoremCoverage.NUMBER,
        TheoremCoverage.DENIED,
    )
    assert coverage_by_menu_pair(fp.BlackwellFilter(1.0, menu)) == dict(zip(menu, expected, strict=True))
    design = (fp.RandomizedResponse(0.125), fp.Laplace(8.0))
    assert coverage_by_menu_pair(fp.PotentialFilter(1.0, 0.01, design)) == dict(
        zip(design, (TheoremCoverage.PAIR, TheoremCoverage.OWN), strict=True)
    )
    assert coverage_by_menu_pair(fp.ZCDPFilter(0.5)) == {}


def _binned(pair: fp.DominatingPair, cuts: np.ndarray) -> fp.FinitePair:
    """What is left of a pair where only the interval of its loss is told, in fractions of the doubles."""
    p = np.diff(np.concatenate(([0.0], np.asarray(pair.loss_cdf(cuts)), [1.0])))
    q = np.diff(np.concatenate(([0.0], 1 - np.asarray(pair.swapped.loss_cdf(-cuts)), [1.0])))
    return fp.FinitePair(
        *(tuple(Fraction(x) / sum(map(Fraction, condition)) for x in condition) for condition in (p, q))
    )


@pytest.mark.parametrize(
    "pair",
    [
        *(fp.BoundedRange(0.5), fp.DiscreteGaussian(2.0, 1)),
        *slow_but((), (fp.Laplace(2.0), fp.SubsampledGaussian(0.2, 1.5))),
    ],
)
def test_a_finite_mechanism_is_a_pair_of_its_own_below_what_dominates_it_alone_and_composed(
    pair: fp.DominatingPair,
) -> None:
    """The argument of `TheoremCoverage.OWN`: by a certified composition of the pair, and the mechanism in fractions."""
    own = _binned(pair, np.array([-0.31, -0.12, 0.017, 0.23]))
    for rounds, level in product((1, 2, 4), (0.0, 0.1, 0.5, 1.0)):
        ratio = Fraction(math.exp(level))
        alone = float(composed_hockey_stick((own,), (rounds,), ratio))
        above = fp.Composition({pair: rounds}).delta(level, relative=1e-4).high
        assert alone <= above * (1 + 1e-9)
    assert own.zcdp_rho <= pair.zcdp_rho
