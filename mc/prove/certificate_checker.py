"""The checker of proofs: each line follows from earlier ones by exact arithmetic. It needs no solver.

>>> x = Polynomial.atom(0)
>>> lines = [ProofLine(x, False, "given", data=0), ProofLine(x * 2 + 1, False, "sum", (0,), (Fraction(2),))]
>>> is_valid_derivation(lines, [(x, False)], {}, goal=x * 2 + 3)
True
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from filterproof.mc.prove.polynomials import Polynomial

#: An inequality: the polynomial is at least 0, or above 0 where True stands beside it.
Inequality: TypeAlias = tuple[Polynomial, bool]

#: Half the distance from 1 to the next double, and (far) more than half of the least double.
HALF_ULP, TINY = Fraction(1, 2**53), Fraction(1, 2**200)


@dataclass(frozen=True, slots=True)
class ProofLine:
    """polynomial >= 0, or > 0 where it is strict, by a rule from earlier lines.

    Parameters
    ----------
    polynomial : Polynomial
        What is at least 0.
    strict : bool
        Whether it is above 0.
    rule : str
        "given": the inequality of index `data`. "product": the product of two lines. "sum": a sum of the lines times
        the multiples in `data`, none negative, and of a constant that is not negative (Farkas). "error": |v - X| <= u
        B, where the atom v is X rounded and two lines say -B <= X and X <= B; u is 2^-53 for each unit, and 2^-200 is
        added where v is no sum of two doubles, for results below the normal range; `data` is (v, B, sign). "monotone":
        v >= y, where the atom v is the double nearest to X, y is a double and a line says X >= y, or both with <=;
        `data` is (v, y, sign).
    uses : tuple of int
        The indices of the earlier lines.
    data : object
        What else the rule needs.
    """

    polynomial: Polynomial
    strict: bool
    rule: Literal["given", "product", "sum", "error", "monotone"]
    uses: tuple[int, ...] = ()
    data: Any = None


@dataclass(frozen=True, slots=True)
class RoundedPolynomial:
    """The fact that an atom is the double nearest to the polynomial `exact`.

    With `units` 2 it is one of the doubles next to it: the powers of a C library.
    """

    exact: Polynomial
    of_sum: bool
    units: int = 1


def is_valid_derivation(
    lines: Sequence[ProofLine],
    given: Sequence[Inequality],
    roundings: Mapping[int, RoundedPolynomial],
    goal: Polynomial | None,
    doubles: Collection[int] = (),
) -> bool:
    """Whether lines of any solver derive goal >= 0 from `given`, or with goal None a contradiction.

    Parameters
    ----------
    lines : sequence of ProofLine
        The derivation. Its last line is the goal less a constant that is not negative, or impossible.
    given : sequence of Inequality
        Inequalities that may be assumed.
    roundings : mapping
        The atoms that are doubles nearest to a polynomial.
    goal : Polynomial or None
        The polynomial that must be at least 0. An impossible line proves every goal.
    doubles : collection of int
        The atoms that are doubles.

    Returns
    -------
    bool
    """
    for number, line in enumerate(lines):
        if not all(0 <= index < number for index in line.uses) or not _follows(
            line, [lines[index] for index in line.uses], given, roundings, doubles
        ):
            return False
    if not lines:
        return False
    last, value = lines[-1], lines[-1].polynomial.value
    if value is not None and (value < 0 or (value == 0 and last.strict)):
        return True
    slack = None if goal is None else (goal - last.polynomial).value
    return slack is not None and slack >= 0


def _follows(
    line: ProofLine,
    used: Sequence[ProofLine],
    given: Sequence[Inequality],
    roundings: Mapping[int, RoundedPolynomial],
    doubles: Collection[int],
) -> bool:
    match line.rule, line.data, used:
        case "given", int(index), []:
            polynomial, strict = given[index]
            return line.polynomial == polynomial and (strict or not line.strict)
        case "product", None, [line_1, line_2]:
            strict = line_1.strict and line_2.strict
            return line.polynomial == line_1.polynomial * line_2.polynomial and (strict or not line.strict)
        case "sum", multiples, _ if len(multiples) == len(used) and all(m >= 0 for m in multiples):
            total = sum(
                (known.polynomial * m for known, m in zip(used, multiples, strict=True)), Polynomial({})
            )
            slack = (line.polynomial - total).value
            if slack is None or slack < 0:
                return False
            strict = slack > 0 or any(
                m > 0 and known.strict for known, m in zip(used, multiples, strict=True)
            )
            return strict or not line.strict
        case "error", (atom, size, (1 | -1) as sign), [low, high] if atom in roundings and not line.strict:
            rounding = roundings[atom]
            error = (Polynomial.atom(atom) - rounding.exact) * sign
            most = size * (HALF_ULP * rounding.units) + (Fraction(0) if rounding.of_sum else TINY)
            bounded = low.polynomial == size + rounding.exact and high.polynomial == size - rounding.exact
            return bool(bounded and line.polynomial == most - error)
        case "monotone", (atom, double, (1 | -1) as sign), [known] if atom in roundings and not line.strict:
            rounding = roundings[atom]
            if double.value is not None:
                is_double = Fraction(float(double.value)) == double.value
            else:
                is_double = any(double == Polynomial.atom(number) for number in doubles)
            is_kept = (is_double and rounding.units == 1) or double.value == 0
            before, after = (rounding.exact - double) * sign, (Polynomial.atom(atom) - double) * sign
            return bool(is_kept and known.polynomial == before and line.polynomial == after)
    return False
