"""The numbers of odometers: their bounds on the loss after given requests, compared with their formulas in balls."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import partial, reduce
from typing import Any

from flint import arb

from filterproof.filters.accountants.odometers import (
    DoublingOdometer,
    LineOdometer,
    MixtureOdometer,
    Odometer,
    RogersOdometer,
    StitchedOdometer,
)
from filterproof.filters.certified.comparison import Comparison, Comparisons, TrueValue
from filterproof.filters.certified.decisions import FAMILIES, decision_boundary
from filterproof.theory.pairs import Gaussian, Laplace, RandomizedResponse
from filterproof.theory.pairs.reference_values import Exact, ReferenceValue, ball_of
from filterproof.theory.theorems.formula import compile_formula

#: The bounds are raised by this relative amount.
_SLACK = 2.0**-40
_SIZES = (2.0**-20, 0.3, 1.0, 3.1, 1e3)


def odometer_comparisons(odometer: Odometer | RogersOdometer, name: str) -> Iterator[Comparison]:
    """Yield comparisons of an odometer's loss bounds with their formulas, and of its infinite mass."""
    if isinstance(odometer, RogersOdometer):
        yield from _rogers_comparisons(odometer, name)
        return
    of, start = Comparisons(odometer.theorem, name), odometer.start(1)
    yield of.near_truth(
        "bound before any release", *_bound_and_truth(odometer, start, Fraction(0)), slack=_SLACK
    )
    for size in _SIZES:
        mu = math.sqrt(size)
        both = _bound_and_truth(odometer, odometer.spend(start, Gaussian(mu)), Fraction(mu) ** 2)
        yield of.at_least(f"bound after Gaussian({mu!r})", *both, slack=_SLACK)
    state, squares = start, Fraction(0)
    for mu, epsilon, b in ((0.1, 0.3, 4.0), (0.7, 0.2, 3.0), (0.01, 1.1, 0.5)):
        for pair in (Gaussian(mu), RandomizedResponse(epsilon), Laplace(b)):
            state = odometer.spend(state, pair)
        squares += Fraction(mu) ** 2 + Fraction(epsilon) ** 2 + 1 / Fraction(b) ** 2
    yield of.at_least("bound after nine requests", *_bound_and_truth(odometer, state, squares), slack=_SLACK)
    yield from _infinite_mass_comparison(odometer, of, Fraction(odometer.xi))


def _bound_and_truth(odometer: Odometer, state: object, squares: Fraction) -> tuple[float, TrueValue]:
    """Return the bound and the theorem's own, for a given sum of squares of the releases."""
    return float(odometer.epsilon(state)[0]), true_odometer_bound(odometer, squares)  # type: ignore[arg-type]


def true_odometer_bound(odometer: Odometer, squares: Fraction) -> TrueValue:
    at: dict[str, Exact] = {"squares": squares, "delta": odometer.delta}
    match odometer:
        case LineOdometer():
            return ReferenceValue(_line_formula("log(1/delta)"), at | {"target": odometer.target})
        case MixtureOdometer():
            log = "(log(1/delta) + log(squares/scale + 1)/2)"
            return ReferenceValue(
                f"squares/2 + sqrt(2*(squares + scale)*{log})", at | {"scale": odometer.scale}
            )
        case DoublingOdometer():
            size, j = Fraction(odometer.first), 1
            while size < squares / 2:
                size, j = 2 * size, j + 1
            at = {"size": size, "j": j, "delta": odometer.delta}
            return ReferenceValue("size + 2*sqrt(size*log(j**2*pi**2/(6*delta)))", at)
        case StitchedOdometer():
            return partial(_stitched_bound, odometer, squares)
    raise TypeError(
        f"odometer must be one whose bound is known here, got {odometer!r}; add a case to true_odometer_bound in "
        "filters/certified/odometer_checks.py"
    )


def _line_formula(log: str) -> str:
    """Return the line that touches sqrt(2 S log) at S = target."""
    slope = f"sqrt(2*{log}/target)"
    return f"({slope} + 1)*squares/2 + {log}/{slope}"


def _stitched_bound(stitched: StitchedOdometer, squares: Fraction) -> arb:
    first, epoch = Fraction(stitched.first), 0
    while first * 2 ** (epoch + 1) <= squares:
        epoch += 1
    power, line = ball_of(Fraction(7, 5)), compile_formula(_line_formula("l"))
    lines = []
    for j in range(max(epoch - 1, 0), epoch + 2):
        log = -ball_of(stitched.delta).log() + power * arb(j + 1).log() + power.zeta().log()
        target = ball_of(first) * 2**j * arb(2).sqrt()
        lines.append(line({"l": log, "target": target, "squares": ball_of(squares)}))
    return reduce(arb.min, lines)


def _rogers_comparisons(rogers: RogersOdometer, name: str) -> Iterator[Comparison]:
    of, start = Comparisons(rogers.theorem, name), rogers.start(1)
    for size in (2.0**-30, 0.09, 0.96, 1.44, 16.0):
        epsilon = math.sqrt(size)
        value = float(rogers.epsilon(rogers.spend(start, RandomizedResponse(epsilon)))[0])
        inside = Fraction(1, rogers.records**2) <= Fraction(epsilon) ** 2 <= 1
        spread = _INSIDE if inside else _OUTSIDE
        truth = f"e*(exp(e) - 1)/2 + sqrt(2*{spread})"
        at = {"e": epsilon, "n": rogers.records, "delta": rogers.delta}
        yield of.at_least(f"bound after RandomizedResponse({epsilon!r})", value, truth, slack=_SLACK, **at)
    yield from _infinite_mass_comparison(rogers, of, Fraction(rogers.delta) / 2)


#: The spread of a sum of squares e^2 within [1/n^2, 1], and of one outside.
_INSIDE = "e**2*(log(110*exp(1)) + 2*log(log(n)/delta))"
_OUTSIDE = "(1 + log(1 + n**2*e**2)/2)*(1/n**2 + e**2)*log(4*log(n)/(log(2)*delta))"


def _infinite_mass_comparison(
    odometer: Odometer | RogersOdometer, of: Comparisons, allowed: Fraction
) -> Iterator[Comparison]:
    """Yield the comparison of the largest infinite-loss mass with a finite bound and the allowed mass."""
    erasure, says = FAMILIES["Erasure(x)"], "last x of Erasure(x) with a finite bound"

    def has_finite_bound(x: float) -> bool:
        state: Any = odometer.spend(odometer.start(1), erasure.make(x))
        return bool(odometer.epsilon(state)[0] < math.inf)

    if allowed < Fraction(erasure.low):
        yield of.near_truth(f"{says}: none", int(has_finite_bound(erasure.low)), 0)
        return
    last = decision_boundary(has_finite_bound, *erasure.size_range)
    yield of.at_most(says, last, allowed, slack=2.0**-40)
