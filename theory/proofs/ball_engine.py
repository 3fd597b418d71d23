"""The engine that decides a formula without variables, in ball arithmetic.

A claim becomes a `Check`, which runs only when called, so building a theorem is cheap. Tests pass slightly wrong claims
to the same engine, which must refuse them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from flint import arb, ctx

from filterproof.theory.evidence import CheckCoverage, Evidence
from filterproof.theory.numerics.precision_lock import PRECISION_LOCK
from filterproof.theory.theorems.formula import compile_formula, formula_variables
from filterproof.theory.theorems.theorem import Check, CheckResult, RefusedError


def certified_positive_check(formula: str, *, precision: int = 64) -> Check:
    """Return a CERTIFIED check that the formula, which has no variables, is > 0. See `formula.py` for the language."""
    return certified_all_positive_check(lambda: (formula,), precision=precision)


def rounding_check_and_control(formula: str, digits: int, places: int) -> tuple[Check, dict[str, Check]]:
    """Return a CERTIFIED check that the formula rounds to digits / 10^places, and a wrong claim with one unit more."""

    def rounding_check(rounded: int) -> Check:
        return certified_positive_check(
            f"(1/(2*10**{places}))**2 - ({formula} - {rounded}/10**{places})**2", precision=128
        )

    return rounding_check(digits), {"one unit in the last digit": rounding_check(digits + 1)}


def certified_all_positive_check(formulas: Callable[[], Iterable[str]], *, precision: int = 128) -> Check:
    """Return a CERTIFIED check that every formula is > 0.

    The formulas have no variables. `formulas` is called when the check runs.
    """

    def check() -> CheckResult:
        count = 0
        for formula in formulas():
            _check_positive(formula, precision)
            count += 1
        if not count:
            raise _refused_error("no formula was given")
        detail = f"{count} formula{'s' if count > 1 else ''} at {precision} bits"
        return CheckResult("flint", Evidence.CERTIFIED, CheckCoverage.POINT, detail)

    return check


def _check_positive(formula: str, precision: int) -> None:
    if free := formula_variables(formula):
        raise ValueError(
            f"formula must have no variables, got {', '.join(sorted(free))} in {formula!r}; write numbers"
        )
    with PRECISION_LOCK, ctx.workprec(precision):
        value = arb(compile_formula(formula)({}))
        if value > 0:
            return
        text = value.str(8, radius=not value <= 0)
    if value <= 0:
        raise _refused_error(f"{formula} > 0: the value is {text}", {"formula": formula, "value": text})
    raise _refused_error(f"{formula} > 0: not decided at {precision} bits, the value is {text}")


def _refused_error(reason: str, counterexample: dict[str, object] | None = None) -> RefusedError:
    return RefusedError(reason, engine="flint", evidence=Evidence.CERTIFIED, counterexample=counterexample)
