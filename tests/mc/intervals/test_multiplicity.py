"""One failure probability shared by many comparisons."""

from fractions import Fraction

import pytest

from mc.intervals.multiplicity import Family


@pytest.mark.parametrize("counts", [(1, 1), (3, 7), (17, 11), (1000, 999)])
@pytest.mark.parametrize("failure", [1e-2, 1e-6, 1e-300])
def test_the_shares_of_a_family_never_sum_to_more_than_its_failure_probability(counts, failure):
    family = Family.crossing(failure, adversaries=counts[0], epsilons=counts[1])
    spent = family.size * Fraction(family.each)
    assert Fraction(failure) * (1 - Fraction(1, 10**14)) < spent <= Fraction(failure)


def test_a_family_says_how_it_divides():
    family = Family.crossing(1e-6, adversaries=["a", "b", "c"], epsilons=5, directions=2)
    assert str(family) == (
        "failure probability 1e-06 divided equally over 3 adversaries x 5 epsilons x 2 directions = 30 "
        "comparisons, 3.3e-08 each (union bound, no independence assumed)"
    )
    assert str(Family.crossing(1e-6, pairs=1)) == "one comparison, failure probability 1e-06"


def test_an_empty_family_or_axis_is_refused():
    with pytest.raises(ValueError, match="axes must name what is compared"):
        Family.crossing(1e-6)
    with pytest.raises(ValueError, match="adversaries must be an integer >= 1, got adversaries=0"):
        Family.crossing(1e-6, adversaries=[])
