"""Relative errors of what is computed by products, quotients and powers of numbers that are not negative.

In the normal range of doubles they add up: for q = 1 / b the double of q**2 is q^2 within three roundings.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias

from filterproof.mc.prove.certificate_checker import HALF_ULP, Inequality
from filterproof.mc.prove.polynomials import Monomial, Polynomial

#: A path of `paths`, which imports this file.
Path: TypeAlias = Any
#: Results of at least this size are normal doubles, also after a few roundings.
LEAST_NORMAL = Fraction(1, 2**1000)
MAX_DEGREE = 2


@dataclass
class RoundedProduct:
    """A coefficient times powers of atoms, times (1 + d)^(+-1) for each rounding.

    The sizes of all d add up to at most `units` / 2^53.
    """

    coefficient: Fraction
    powers: Counter[int] = field(default_factory=Counter)
    units: int = 0
    #: For an atom: the quotient of a constant and the atom, and 1 / constant.
    inverses: dict[int, tuple[int, Fraction]] = field(default_factory=dict)

    def multiply(self, other: RoundedProduct, sign: int) -> None:
        """Multiply by another product (sign 1), or divide by it (sign -1)."""
        self.coefficient *= other.coefficient**sign
        for atom, power in other.powers.items():
            self.powers[atom] += sign * power
        self.units += other.units
        self.inverses |= other.inverses

    def exact(self) -> Polynomial | None:
        """The product without its roundings, with quotients for negative powers; None if of a high degree."""
        key: Monomial = ()
        coefficient = self.coefficient
        for atom, power in self.powers.items():
            if power < 0 and atom not in self.inverses:
                return None
            factor, scale = (atom, Fraction(1)) if power >= 0 else self.inverses[atom]
            key += (factor,) * abs(power)
            coefficient *= scale ** abs(power)
        return Polynomial({tuple(sorted(key)): coefficient}) if len(key) <= MAX_DEGREE else None


def rounded_product(path: Path, value: Polynomial) -> RoundedProduct | None:
    """Return the form of a value as a rounded product; None if it is a sum or may be negative."""
    if len(value.terms) != 1:
        return None
    ((key, coefficient),) = value.terms.items()
    if coefficient <= 0:
        return None
    product = RoundedProduct(coefficient)
    for number in key:
        atom = path.atoms[number]
        if atom.low is None or atom.low < 0:
            return None
        operands: tuple[Polynomial, ...] = ()
        if atom.kind == "quotient" or (atom.kind == "rounded" and atom.low >= LEAST_NORMAL):
            operands = tuple(atom.of[: 1 + (atom.kind == "quotient")])
        factors = [factor for operand in operands if (factor := rounded_product(path, operand)) is not None]
        if not factors or len(factors) < len(operands):
            product.multiply(RoundedProduct(Fraction(1), Counter([number])), 1)
            continue
        for factor, sign in zip(factors, (1, -1), strict=False):
            product.multiply(factor, sign)
        if atom.kind == "rounded":
            product.units += atom.units
        else:
            top, below = factors
            if not (top.powers or top.units or below.units) and sum(below.powers.values()) == 1:
                (base,) = below.powers
                product.inverses[base] = number, below.coefficient / top.coefficient
    return product


def relative_error_bounds(path: Path, number: int) -> tuple[Inequality, ...]:
    """Return (1 - u) X <= v <= (1 + 2 u) X for what is computed from quotients by products, in terms of X."""
    v = Polynomial.atom(number)
    product = rounded_product(path, v)
    exact = product.exact() if product is not None and product.inverses else None
    if product is None or exact is None or exact == v:
        return ()
    error = product.units * HALF_ULP
    return (v - exact * (1 - error), False), (exact * (1 + 2 * error) - v, False)
