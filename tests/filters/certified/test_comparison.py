"""A running number is refused where it is on the wrong side, by an ulp even, or gives more away than declared."""

import copy
import math
import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from flint import arb, fmpq

from filterproof.filters.certified.certified_numbers import CertifiedNumbers
from filterproof.filters.certified.comparison import Comparison, Comparisons, ComparisonStatus
from filterproof.theory.evidence import Evidence
from filterproof.theory.proofs.threshold import threshold
from filterproof.theory.theorems.formula import compile_formula

ROOT = "(sqrt(log(1/delta)+epsilon) - sqrt(log(1/delta)))**2"
STAR = threshold("simple", 1.0, 1e-5, digits=60)


LEAST = math.nextafter(0.005, 1) if Fraction(0.005) < Fraction(0.1) ** 2 / 2 else 0.005
CLAIMS: dict[str, Callable[[Any], Comparison]] = {
    "budget": lambda x: Comparisons("B*").at_most("budget", x, ROOT, epsilon=1.0, delta=1e-5),
    "rational": lambda x: Comparisons("RDP filter").at_most("budget", x, "rho", rho=0.5),
    "charge": lambda x: Comparisons("RR zCDP").at_least("charge", x, "x0**2/2", x0=0.1, slack=2.0**-40),
    "stands": lambda x: Comparisons("x").near_truth("log 2", x, "log(2)", slack=1e-15),
}


@pytest.mark.parametrize(
    ("claim", "value", "found"),
    [
        ("budget", STAR.low, ComparisonStatus.FITS),
        ("budget", STAR.high, ComparisonStatus.UNSOUND),  # by one in ten to the fifty
        ("budget", STAR.low * (1 + Fraction(1, 10**9)), ComparisonStatus.UNSOUND),
        ("budget", STAR.low * (1 - Fraction(1, 10**9)), ComparisonStatus.LOOSE),
        ("budget", math.nan, ComparisonStatus.UNSOUND),
        ("budget", math.inf, ComparisonStatus.UNSOUND),
        ("rational", 0.5, ComparisonStatus.FITS),
        ("rational", math.nextafter(0.5, 1), ComparisonStatus.UNSOUND),
        ("charge", LEAST, ComparisonStatus.FITS),
        ("charge", math.nextafter(LEAST, 0), ComparisonStatus.UNSOUND),
        ("charge", LEAST * (1 + 2.0**-39), ComparisonStatus.LOOSE),
        ("stands", math.log(2), ComparisonStatus.FITS),
        ("stands", math.log(2) * (1 + 3e-15), ComparisonStatus.OFF),
        ("stands", math.log(2) * (1 - 3e-15), ComparisonStatus.OFF),
    ],
)
def test_a_number_fits_or_is_refused_by_its_side(
    claim: str, value: float | Fraction, found: ComparisonStatus
) -> None:
    checked = CLAIMS[claim](value)
    assert checked.status is found
    exact = claim in ("rational", "charge") or not math.isfinite(value)
    assert checked.evidence is (Evidence.EXACT if exact else Evidence.CERTIFIED)


def test_what_a_formula_leaves_undefined_is_undecided() -> None:
    assert Comparisons("x").at_most("x", 1.0, "log(0 - 1)").status is ComparisonStatus.UNDECIDED
    # on the safe side, and what it gives away is exactly what is declared, which no ball tells
    short, away = Comparisons("x"), Fraction(1, 1024)
    assert (
        short.at_most("x", 3 - away, "exp(log(3))", slack=0, least=away).status is ComparisonStatus.UNDECIDED
    )
    assert (
        short.at_least("x", 3 + away, "exp(log(3))", slack=0, least=away).status is ComparisonStatus.UNDECIDED
    )


def test_a_root_is_as_fine_as_the_balls_that_ask_for_it() -> None:
    """Two is told from its root's square in 512 bits, not in the 128 that are tried first."""
    below = Fraction(math.isqrt(2 << 600), 1 << 300)
    for x, found in (
        (below, ComparisonStatus.FITS),
        (below + Fraction(1, 1 << 300), ComparisonStatus.UNSOUND),
    ):
        number = Comparisons("x").by_margin(
            "root of 2", x, "<=", "T - x", slack=Fraction(1, 1 << 200), T=lambda: arb(2).sqrt()
        )
        assert copy.copy(number).status is number.status is found
        assert pickle.dumps(number)


@pytest.mark.parametrize(
    "formula", ["x/(x - x)", "1/(x - x)*0", "(0 - x)**x", "log(0 - x)", "min(x, log(0 - x))"]
)
def test_the_value_of_a_formula_with_an_undefined_part_is_nan(formula: str) -> None:
    assert compile_formula(formula)({"x": fmpq(1, 3)}).is_nan()


def test_a_formula_without_functions_is_a_fraction_and_others_are_balls() -> None:
    at = {"x": fmpq(1, 3)}
    assert compile_formula("-x**2 + 2*x/3 - (1 - x)")(at) == fmpq(-5, 9)
    for formula, value in {
        "x + exp(x - x)": 4 / 3,
        "pi*x": math.pi / 3,
        "min(6*x, 3, 1)": 1,
        "max(1, x, 2)": 2,
    }.items():
        ball = compile_formula(formula)(at)
        assert isinstance(ball, arb)
        assert float(ball) == value


def test_certified_numbers_hold_only_where_there_are_some_and_all_fit() -> None:
    good = Comparisons("a").at_most("good", 1.0, Fraction(1))
    bad = Comparisons("b").at_most("bad", 1.0, Fraction(1, 2))
    assert CertifiedNumbers.of("one", [good]).holds
    assert not CertifiedNumbers.of("none", []).holds
    found = CertifiedNumbers.of("two", [good, bad])
    assert not found.holds
    assert [one.says for one in found.refused] == ["bad"]
    assert found.theorems == ("a", "b")
    assert [row["found"] for row in found.rows()] == ["FITS", "UNSOUND"]
