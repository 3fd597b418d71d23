"""The checker of proofs: each line follows from earlier ones by exact arithmetic. It needs no solver.

A derivation begins with given inequalities and may use four rules: multiply two lines, add multiples of lines that
are not negative (Farkas), bound what rounding to the nearest double changes, and round both sides of a comparison
with what is a double.

>>> x = Polynomial.atom(0)
>>> lines = (Line(x, False, Given(0)), Line(x * 2 + 1, False, Sum({0: Fraction(2)})))
>>> check(Derivation(lines), [(x, False)], {}, goal=x * 2 + 3)
True
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from filterproof.mc.prove.polynomials import Polynomial

#: An inequality: the polynomial is at least 0, or above 0 where True stands beside it.
Inequality: TypeAlias = tuple[Polynomial, bool]

#: Half the distance from 1 to the next double, and (far) more than half of the least double.
HALF_ULP, TINY = Fraction(1, 2**53), Fraction(1, 2**200)


@dataclass(frozen=True, slots=True)
class Given:
    """The line is a given inequality."""

    index: int


@dataclass(frozen=True, slots=True)
class Product:
    """The line is the product of two earlier ones."""

    one: int
    two: int


@dataclass(frozen=True, slots=True)
class Sum:
    """The line is a sum of multiples, none negative, of earlier lines, and of a constant that is not negative."""

    multiples: Mapping[int, Fraction]


@dataclass(frozen=True, slots=True)
class RoundingError:
    """|v - X| <= u B, where v is X rounded and two earlier lines say -B <= X and X <= B; u is 2^-53 for each unit.

    Where v is no sum of two doubles, 2^-200 is added for results below the normal range.
    """

    atom: int
    size: Polynomial
    low: int
    high: int
    sign: int


@dataclass(frozen=True, slots=True)
class RoundedComparison:
    """v >= c, where v is the double nearest to X, c is a double, and an earlier line says X >= c; or both with <=."""

    atom: int
    double: float
    line: int
    sign: int


@dataclass(frozen=True, slots=True)
class RoundedOrder:
    """v >= y, where v is the double nearest to X, the atom y is a double, and an earlier line says X >= y; or <=."""

    atom: int
    other: int
    line: int
    sign: int


Reason: TypeAlias = Given | Product | Sum | RoundingError | RoundedComparison | RoundedOrder


@dataclass(frozen=True, slots=True)
class Line:
    """polynomial >= 0, or > 0 where it is strict, and why."""

    polynomial: Polynomial
    strict: bool
    reason: Reason


@dataclass(frozen=True, slots=True)
class Derivation:
    """Lines of which the last is the goal, or impossible."""

    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Rounding:
    """v is the double nearest to `exact`; `of_sum` says that it is the sum of two doubles, exact where it is tiny.

    With `units` 2 it is one of the doubles next to it: the powers of a C library.
    """

    exact: Polynomial
    of_sum: bool
    units: int = 1


def check(
    proof: Derivation,
    given: Sequence[Inequality],
    roundings: Mapping[int, Rounding],
    goal: Polynomial | None,
    doubles: Collection[int] = (),
) -> bool:
    """Whether the derivation shows goal >= 0 from `given`; with goal None, that `given` is impossible.

    Parameters
    ----------
    proof
        The derivation, from whatever solver.
    given
        Inequalities that may be assumed.
    roundings
        The atoms that are doubles nearest to a polynomial.
    doubles
        The atoms that are doubles.
    goal
        The polynomial that must be at least 0. An impossible line proves every goal.
    """
    lines = proof.lines
    for number, line in enumerate(lines):
        if not _follows(line, lines[:number], given, roundings, doubles):
            return False
    if not lines:
        return False
    last = lines[-1]
    value = last.polynomial.value
    impossible = value is not None and (value < 0 or (value == 0 and last.strict))
    if impossible or goal is None:
        return impossible
    # the last line is a multiple of the goal less a constant that is not negative
    slack = goal - last.polynomial
    return slack.value is not None and slack.value >= 0


def _follows(
    line: Line,
    earlier: Sequence[Line],
    given: Sequence[Inequality],
    roundings: Mapping[int, Rounding],
    doubles: Collection[int],
) -> bool:
    reason = line.reason
    if isinstance(reason, Given):
        polynomial, strict = given[reason.index]
        return line.polynomial == polynomial and (strict or not line.strict)
    if isinstance(reason, Product):
        one, two = earlier[reason.one], earlier[reason.two]
        return line.polynomial == one.polynomial * two.polynomial and (
            not line.strict or (one.strict and two.strict)
        )
    if isinstance(reason, Sum):
        total = Polynomial({})
        for index, multiple in reason.multiples.items():
            if multiple < 0 or not 0 <= index < len(earlier):
                return False
            total = total + earlier[index].polynomial * multiple
        slack = (line.polynomial - total).value
        if slack is None or slack < 0:
            return False
        strict = slack > 0 or any(m > 0 and earlier[i].strict for i, m in reason.multiples.items())
        return strict or not line.strict
    rounding = roundings[reason.atom]
    change = (Polynomial.atom(reason.atom) - rounding.exact) * reason.sign
    if line.strict or reason.sign not in (1, -1):
        return False
    if isinstance(reason, RoundingError):
        above, below = earlier[reason.high].polynomial, earlier[reason.low].polynomial
        if above != reason.size - rounding.exact or below != reason.size + rounding.exact:
            return False
        tiny = Fraction(0) if rounding.of_sum else TINY
        return line.polynomial == reason.size * (HALF_ULP * rounding.units) + tiny - change
    if isinstance(reason, RoundedOrder):
        other = Polynomial.atom(reason.other)
        return (
            rounding.units == 1
            and reason.other in doubles
            and earlier[reason.line].polynomial == (rounding.exact - other) * reason.sign
            and line.polynomial == (Polynomial.atom(reason.atom) - other) * reason.sign
        )
    bound = Fraction(reason.double)
    return (rounding.units == 1 or bound == 0) and (
        earlier[reason.line].polynomial == (rounding.exact - bound) * reason.sign
        and line.polynomial == (Polynomial.atom(reason.atom) - bound) * reason.sign
    )
