"""Polynomials with rational coefficients over numbered atoms: what a traced number is, exactly.

>>> x = Polynomial.atom(0)
>>> str((x + 1) * (x - 1))
'1 a0*a0 + -1'
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TypeAlias

Monomial: TypeAlias = tuple[int, ...]
#: The monomial of constants.
ONE: Monomial = ()


class Polynomial:
    """An immutable polynomial over numbered atoms, with rational coefficients."""

    __slots__ = ("_hash", "terms")

    def __init__(self, terms: Mapping[Monomial, Fraction]) -> None:
        self.terms = {key: value for key, value in terms.items() if value}
        self._hash: int | None = None

    @staticmethod
    def constant(value: Fraction | int) -> Polynomial:
        return Polynomial({ONE: Fraction(value)})

    @staticmethod
    def atom(number: int) -> Polynomial:
        return Polynomial({(number,): Fraction(1)})

    def __add__(self, other: Polynomial | Fraction | int) -> Polynomial:
        terms = dict(self.terms)
        for key, value in _as_polynomial(other).terms.items():
            terms[key] = terms.get(key, Fraction(0)) + value
        return Polynomial(terms)

    __radd__ = __add__

    def __neg__(self) -> Polynomial:
        return Polynomial({key: -value for key, value in self.terms.items()})

    def __sub__(self, other: Polynomial | Fraction | int) -> Polynomial:
        return self + -_as_polynomial(other)

    def __mul__(self, other: Polynomial | Fraction | int) -> Polynomial:
        if not isinstance(other, Polynomial):
            return Polynomial({key: value * other for key, value in self.terms.items()})
        terms: dict[Monomial, Fraction] = {}
        for key_1, a in self.terms.items():
            for key_2, b in other.terms.items():
                key = tuple(sorted(key_1 + key_2))
                terms[key] = terms.get(key, Fraction(0)) + a * b
        return Polynomial(terms)

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Polynomial) and self.terms == other.terms

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self.terms.items()))
        return self._hash

    @property
    def value(self) -> Fraction | None:
        """The number that a constant is; None where an atom occurs."""
        if not self.terms:
            return Fraction(0)
        return self.terms.get(ONE) if len(self.terms) == 1 else None

    @property
    def offset(self) -> Fraction:
        """The constant term."""
        return self.terms.get(ONE, Fraction(0))

    @property
    def atoms(self) -> set[int]:
        return {number for key in self.terms for number in key}

    def at(self, values: Mapping[int, Fraction]) -> Fraction:
        """The value at a point that gives a number to every atom."""
        total = Fraction(0)
        for key, coefficient in self.terms.items():
            for number in key:
                coefficient = coefficient * values[number]
            total += coefficient
        return total

    def __str__(self) -> str:
        parts = [(c, "*".join(f"a{n}" for n in key)) for key, c in sorted(self.terms.items(), reverse=True)]
        return " + ".join(f"{number_text(c)} {name}".strip() for c, name in parts) or "0"


def number_text(value: Fraction) -> str:
    """A rational as a person reads it: whole, or to six digits."""
    return str(value.numerator) if value.denominator == 1 and abs(value) < 10**7 else f"{float(value):.6g}"


def _as_polynomial(value: Polynomial | Fraction | int) -> Polynomial:
    """Return a number as a constant polynomial, and a polynomial unchanged."""
    return value if isinstance(value, Polynomial) else Polynomial.constant(value)
