"""Sums, products, quotients, lengths and chances of whole numbers and of fractions written as "1/3", in fractions."""

from fractions import Fraction
from math import expm1, hypot, log1p, prod


def total(*parts: float | str) -> float:
    """The sum of all parts."""
    return float(sum(map(Fraction, parts)))


def difference(whole: float | str, part: float | str) -> float:
    """What is left of the whole without the part."""
    return float(Fraction(whole) - Fraction(part))


def product(*factors: float | str) -> float:
    """The product of all factors."""
    return float(prod(map(Fraction, factors)))


def quotient(dividend: float | str, divisor: float | str) -> float:
    """The dividend over the divisor."""
    return float(Fraction(dividend) / Fraction(divisor))


def root_of_squares(*parts: float) -> float:
    """The root of the sum of the squares of all parts."""
    return hypot(*parts)


def any_of(chance: float | str, times: int) -> float:
    """The chance that one of so many independent events of that chance happens."""
    return float(1 - (1 - Fraction(chance)) ** times)


def any_of_by_logarithm(chance: float, times: int) -> float:
    """The same in doubles, by log1p and expm1."""
    return -expm1(times * log1p(-chance))
