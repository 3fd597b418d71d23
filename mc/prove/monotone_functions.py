"""Functions of libraries, enclosed by balls; and comparisons of a monotone function of one double, as bounds of it.

`spent + 2 * np.sqrt(spent * c) <= 1` says that `spent` is at most some double, which a bisection finds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import flint
import numpy as np

from filterproof.mc.losses.balls import exact_fraction
from filterproof.mc.prove.certificate_checker import Inequality
from filterproof.mc.prove.polynomials import Polynomial
from filterproof.theory.rounding import double_to_place, place_to_double

#: A path of `paths`, which imports this file.
Path: TypeAlias = Any
#: By how much the double of a function of a library may miss: 8 units in the last place, or what no double resolves.
MISSED, UNRESOLVED = Fraction(1, 2**49), Fraction(1, 2**1000)
_LARGEST = Fraction(np.finfo(np.float64).max)
_STEPS = ("rounded", "ceil", "floor", "rint", "largest")


@dataclass(frozen=True)
class MonotoneFunction:
    """A monotone function, both in ball arithmetic and as a library computes it in doubles."""

    balls: Callable[[Any], Any]
    double: Callable[[float], float]
    #: It is defined above this number, and an argument beyond `last` may overflow.
    above: Fraction | None = None
    last: Fraction | None = None
    sign: int = 1

    def __call__(self, x: Fraction) -> Fraction | None:
        """The double that the library gives; None where it is none."""
        try:
            with np.errstate(all="ignore"):
                return Fraction(float(self.double(float(x))))
        except (ValueError, ArithmeticError, TypeError):  # no number, infinite or complex
            return None

    def enclosed(self, x: Fraction) -> tuple[Fraction, Fraction]:
        """Return bounds of the double that any library gives at x."""
        if self.last is not None and self.above is None:  # far on the other side nothing is left
            x = max(x, -2 * self.last) if self.sign > 0 else min(x, -2 * self.last)
        ball = self.balls(flint.arb(flint.fmpq(x.numerator, x.denominator)))
        low, high = (exact_fraction(end) for end in (ball.lower(), ball.upper()))
        ends = low - abs(low) * MISSED - UNRESOLVED, high + abs(high) * MISSED + UNRESOLVED
        zero = Fraction(0)  # no library misses a sign
        return max(ends[0], zero) if low >= 0 else ends[0], min(ends[1], zero) if high <= 0 else ends[1]


def _monotone_functions(library: Any) -> dict[str, MonotoneFunction]:
    arb: Any = flint.arb
    zero, most = Fraction(0), Fraction(700)
    return {
        "exp": MonotoneFunction(arb.exp, library.exp, last=most),
        "expm1": MonotoneFunction(arb.expm1, library.expm1, last=most),
        "log": MonotoneFunction(arb.log, library.log, above=zero),
        "log1p": MonotoneFunction(arb.log1p, library.log1p, above=Fraction(-1)),
        "log2": MonotoneFunction(lambda x: x.log() / arb(2).log(), library.log2, above=zero),
        "log10": MonotoneFunction(lambda x: x.log() / arb(10).log(), library.log10, above=zero),
        "tanh": MonotoneFunction(arb.tanh, library.tanh),
        "exp2": exponential_function(Fraction(2), library.exp2),
    }


def exponential_function(base: Fraction, double: Callable[[float], float] | None = None) -> MonotoneFunction:
    """Return x -> base^x as a monotone function, for a base above 0 other than 1."""
    ball = flint.arb(flint.fmpq(base.numerator, base.denominator))
    last = Fraction(600) / abs(Fraction(math.log(base)))
    sign = 1 if base > 1 else -1
    compute = double or (lambda x: np.power(float(base), x))
    return MonotoneFunction(lambda x: (x * ball.log()).exp(), compute, last=last * sign, sign=sign)


def power_function(exponent: Fraction, scalar: bool) -> MonotoneFunction:
    """Return x -> x^exponent for x above 0 as a monotone function."""
    ball = flint.arb(flint.fmpq(exponent.numerator, exponent.denominator))
    a = float(exponent)
    compute = (lambda x: np.float64(x) ** a) if scalar else (lambda x: (np.array([x]) ** a)[0])
    last, most = None, 1000 / a
    if -1074 < most < 1024:  # else no double overflows
        inside = 0.0 if a > 0 else math.inf
        last = Fraction(math.nextafter(math.nextafter(2.0**most, inside), inside))
    return MonotoneFunction(lambda x: x**ball, compute, above=Fraction(0), last=last, sign=1 if a > 0 else -1)


NUMPY, MATH = _monotone_functions(np), _monotone_functions(math)


# -- comparisons -----------------------------------------------------------------------------------------------


def bound_on_single_double(
    path: Path, value: Polynomial, *, strict: bool, compute: Callable[..., Any]
) -> Inequality | None:
    """Return the bound that value > 0 (or >= 0) puts on its one double; None if value is not monotone."""
    number = _underlying_double(path, value)
    signs = None if number is None else _monotonicity_signs(path, value, number)
    if number is None or signs is None:
        return None
    rises, atom = signs[-1] > 0, path.atoms[number]

    def may_hold(x: Fraction) -> bool:
        """Whether it holds at x, where the functions of libraries miss in its favour."""
        values = {number: x}
        for n in sorted(signs.keys() - {-1, number}):
            own = path.atoms[n]
            at = [part.at(values) for part in own.of]
            result: Fraction | None
            f = own.compute if isinstance(own.compute, MonotoneFunction) else None
            if f is not None and f.above is not None and at[0] <= f.above:
                return (signs[n] * f.sign < 0) == rises  # no path goes there
            if f is not None:
                is_large = f.last is not None and (at[0] - f.last) * f.sign > 0
                result = None if is_large else f.enclosed(at[0])[signs[n] == signs[-1]]
            else:
                result = compute(own, at)
            if result is None:  # too large for a double: no path goes there
                return ((signs[n] > 0) == (f is not None or at[0] > 0)) == rises
            values[n] = result
        total = value.at(values)
        return total > 0 or (total == 0 and not strict)

    least, most = path.range(Polynomial.atom(number))
    ends = [
        max(-_LARGEST, least) if least is not None else -_LARGEST,
        min(_LARGEST, most) if most is not None else _LARGEST,
    ]
    low, high = (int(end) if atom.is_integer else double_to_place(float(end)) for end in ends)

    def value_at_place(place: int) -> Fraction:
        return Fraction(place if atom.is_integer else place_to_double(place))

    if may_hold(value_at_place(low if rises else high)):
        return None
    if not may_hold(value_at_place(high if rises else low)):
        return Polynomial.constant(-1), False
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if may_hold(value_at_place(middle)) == rises else (middle, high)
    x = Polynomial.atom(number)
    return (x - value_at_place(high), False) if rises else (-x + value_at_place(low), False)


def _underlying_double(path: Path, value: Polynomial) -> int | None:
    """Return the one double or integer of which a value is a function, rounded or no line; None if there is none."""
    pending, double = set(value.atoms), None
    is_function = any(len(key) > 1 for key in value.terms)
    while pending:
        last = max(pending)
        atom = path.atoms[last]
        if len(pending) == 1 and (atom.is_integer or not path.may_not_be_double(last)):
            double = last if is_function else None
        if atom.kind not in (*_STEPS, "sqrt", "quotient", "function") or (
            atom.kind == "rounded" and atom.units > 1
        ):
            break
        pending, is_function = (pending - {last}).union(*(part.atoms for part in atom.of)), True
    return double


def _monotonicity_signs(path: Path, value: Polynomial, number: int) -> dict[int, int] | None:
    """Return 1 for each atom that rises with the double and -1 for one that falls; None if unclear."""
    known = {number: 1}

    def sign_of_polynomial(polynomial: Polynomial) -> int:
        signs = set()
        for key, coefficient in polynomial.terms.items():
            lows = [path.range(Polynomial.atom(n))[0] for n in key]
            if len(key) > 1 and not all(low is not None and low >= 0 for low in lows):
                raise ValueError
            signs |= {(1 if coefficient > 0 else -1) * sign_of_atom(n) for n in key}
        if len(signs) != 1:
            raise ValueError
        return signs.pop()

    def sign_of_atom(n: int) -> int:
        if n not in known:
            atom = path.atoms[n]
            parts = [part for part in atom.of if part.value is None]
            if atom.kind == "quotient":
                top, least = atom.of[0].value, path.range(atom.of[1])[0]
                if top is None or least is None or least < 0:
                    raise ValueError
                known[n] = (1 if top < 0 else -1) * sign_of_polynomial(atom.of[1])
            else:
                signs = {sign_of_polynomial(part) for part in parts}
                if len(signs) != 1:
                    raise ValueError
                known[n] = signs.pop() * (
                    atom.compute.sign if isinstance(atom.compute, MonotoneFunction) else 1
                )
        return known[n]

    try:
        known[-1] = sign_of_polynomial(value)
    except ValueError:
        return None
    return known
