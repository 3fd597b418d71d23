"""A running number is refused where it is on the wrong side, by an ulp even, or gives more away than declared."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from filters.certified.certified_numbers import CertifiedNumbers
from filters.certified.running_number import Claims, Found
from theory.evidence import Evidence
from theory.proofs.rational import rational_value
from theory.proofs.threshold import threshold

ROOT = "(sqrt(log(1/delta)+epsilon) - sqrt(log(1/delta)))**2"
STAR = threshold("simple", 1.0, 1e-5, digits=60)


def budget(value: float | Fraction) -> Found:
    return Claims("B*").at_most("budget", value, ROOT, epsilon=1.0, delta=1e-5).checked().found


def test_a_budget_above_the_threshold_is_unsound_by_one_part_in_a_billion_and_by_one_in_ten_to_the_fifty() -> (
    None
):
    assert budget(STAR.low) is Found.FITS
    assert budget(STAR.high) is Found.UNSOUND
    assert budget(STAR.low * (1 + Fraction(1, 10**9))) is Found.UNSOUND
    assert budget(STAR.low * (1 - Fraction(1, 10**9))) is Found.LOOSE


def test_an_ulp_decides_where_the_threshold_is_rational() -> None:
    for value, found in ((0.5, Found.FITS), (math.nextafter(0.5, 1), Found.UNSOUND)):
        checked = Claims("RDP filter").at_most("budget", value, "rho", rho=0.5).checked()
        assert (checked.found, checked.evidence) == (found, Evidence.EXACT)


def test_a_charge_is_unsound_below_and_loose_far_above() -> None:
    def charge(value: float) -> Found:
        return Claims("RR zCDP").at_least("charge", value, "x0**2/2", x0=0.1, slack=2.0**-40).checked().found

    exact = Fraction(0.1) ** 2 / 2
    above = float(exact) if Fraction(float(exact)) >= exact else math.nextafter(float(exact), 1)
    assert charge(above) is Found.FITS
    assert charge(math.nextafter(above, 0)) is Found.UNSOUND
    assert charge(above * (1 + 2.0**-39)) is Found.LOOSE


def test_a_number_that_stands_for_another_is_off_on_either_side() -> None:
    def stands(value: float) -> Found:
        return Claims("x").near("log 2", value, "log(2)", slack=1e-15).checked().found

    assert stands(math.log(2)) is Found.FITS
    assert stands(math.log(2) * (1 + 3e-15)) is Found.OFF
    assert stands(math.log(2) * (1 - 3e-15)) is Found.OFF


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_what_is_no_number_is_refused(value: float) -> None:
    assert budget(value) is Found.UNSOUND


def test_what_a_formula_leaves_undefined_is_undecided() -> None:
    assert Claims("x").at_most("x", 1.0, "log(0 - 1)").checked().found is Found.UNDECIDED


def test_what_is_given_away_is_bounded_within_a_factor_of_two() -> None:
    given = Claims("x").at_most("x", Fraction(1), Fraction(5, 4), slack=1).given_away()
    assert 0.25 < given <= 0.5
    assert 0.125 < Claims("x").at_least("x", Fraction(4), Fraction(7, 2), slack=1).given_away() <= 0.25
    assert Claims("x").at_most("x", Fraction(1), Fraction(1)).given_away() == 2.0**-64


def test_formulas_without_functions_are_fractions() -> None:
    at = {"x": Fraction(1, 3)}
    assert rational_value("-x**2 + 2*x/3 - (1 - x)", at) == Fraction(-5, 9)
    assert rational_value("x/(x - x)", at) is None
    assert rational_value("x + exp(x)", at) is None
    assert rational_value("pi*x", at) is None


def test_certified_numbers_hold_only_where_there_are_some_and_all_fit() -> None:
    good, bad = Claims("a").at_most("good", 1.0, Fraction(1)), Claims("b").at_most("bad", 1.0, Fraction(1, 2))
    assert CertifiedNumbers.of("one", [good]).holds
    assert not CertifiedNumbers.of("none", []).holds
    found = CertifiedNumbers.of("two", [good, bad])
    assert not found.holds
    assert [one.number.says for one in found.refused] == ["bad"]
    assert found.theorems == ("a", "b")
    assert [row["found"] for row in found.rows()] == ["FITS", "UNSOUND"]
