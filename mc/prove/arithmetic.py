"""Arithmetic of traced numbers along a path, as Python and NumPy do it: integers wrap, doubles round, NaN is not above.

Each operation that can come out in several ways (a comparison, a sign, an overflow) is taken every way.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from filterproof.mc.prove.monotone_functions import MonotoneFunction, exponential_function, power_function
from filterproof.mc.prove.paths import MAX_DOUBLE, WHOLE, Atom, Ends, NotTraced, Path, Raised, Value
from filterproof.mc.prove.polynomials import Polynomial
from filterproof.mc.prove.values import (
    INTEGERS,
    PYTHON,
    Array,
    Entry,
    Number,
    constant_of,
    elementwise,
    entry_as_number,
    is_bool_kind,
    is_float_kind,
    promoted_kind,
)

NATIVE: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "%": operator.mod,
    "//": operator.floordiv, "**": operator.pow, "&": operator.and_, "|": operator.or_, "^": operator.xor,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq,
    "!=": operator.ne,
}  # fmt: skip
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
ZERO = Polynomial.constant(0)


class Arithmetic:
    """Arithmetic of traced arrays and their entries along one path, with rounding and wrapping."""

    def __init__(self, path: Path) -> None:
        self.path = path
        #: Squares as they were computed, whose zeros have the sign +.
        self.squares: list[Value] = []

    # -- arrays --------------------------------------------------------------------------------------------

    def binary(self, symbol: str, left: Array, right: Array) -> Array:
        """left `symbol` right, with NumPy's or Python's rules for the kinds."""
        a, b = left.kind, right.kind
        python, kind = a in PYTHON and b in PYTHON, promoted_kind(a, b)
        if symbol in COMPARISONS:
            if is_float_kind(kind) and not is_float_kind(a) and not is_float_kind(b):
                raise NotTraced(f"a comparison of {a} and {b} has no rule")
            # NumPy compares integers beside doubles as doubles, Python compares their values
            read = partial(self.convert, to=kind) if is_float_kind(kind) and not python else entry_as_number
            return elementwise(
                lambda x, y: self.compare(symbol, read(x), read(y)), "bool" if python else "b1", left, right
            )
        if symbol in ("&", "|", "^") and is_bool_kind(a) and is_bool_kind(b):
            return elementwise(NATIVE[symbol], kind, left, right)
        self.path.differs = self.path.differs or "bool" in (a, b)
        if is_bool_kind(kind) and not python and symbol in ("+", "*"):  # NumPy's booleans: or, and
            return elementwise(operator.or_ if symbol == "+" else operator.and_, "b1", left, right)
        if symbol not in ("+", "-", "*", "/", "%", "//", "**") or (is_bool_kind(kind) and not python):
            raise NotTraced(f"the operator {symbol} of {a} and {b} has no rule")
        if symbol == "**" and constant_of(right) not in (0, 1, 2) and not is_float_kind(kind):
            raise NotTraced("a power of integers other than 0, 1 and 2 has no rule")
        kind = "int" if is_bool_kind(kind) else kind
        if symbol == "/" and not is_float_kind(kind):
            if kind in ("i1", "i2", "u1", "u2"):
                raise NotTraced("a quotient of small integers has no rule")
            kind = "float" if python else "f8"
        self.check_weak(kind, left, right)
        scalar = left.is_scalar and right.is_scalar
        rules: dict[str, Callable[[Value, Value], Value]] = {
            "+": lambda x, y: self.add(x, y, kind),
            "-": lambda x, y: self.add(x, -y, kind),
            "*": lambda x, y: self.multiply(x, y, kind),
            "/": lambda x, y: self.divide(x, y, kind),
            "%": lambda x, y: self.floor_quotient_and_remainder(x, y, kind)[1],
            "//": lambda x, y: self.floor_quotient_and_remainder(x, y, kind)[0],
            "**": lambda x, y: self.power(x, y, kind, scalar),
        }
        rule = rules[symbol]
        return elementwise(lambda x, y: rule(self.convert(x, kind), self.convert(y, kind)), kind, left, right)

    def check_weak(self, kind: str, *given: Array) -> None:
        """Raise NotTraced if a Python integer may not fit into the NumPy integer kind beside it."""
        least, most = INTEGERS.get(kind, (0, 0))
        for g in given if kind in INTEGERS else ():
            fits = g.kind != "int" or (
                self.path.at_least(g.value, least) and not self.path.above(g.value, most)
            )
            if not fits:
                raise NotTraced(f"a Python integer may not fit into {kind}")

    def negative(self, value: Array) -> Array:
        if is_bool_kind(value.kind):
            self.path.differs = True
            if value.kind == "b1":
                raise Raised
            value = Number("int", entry_as_number(value.value))
        if value.kind in INTEGERS:
            return self.binary("-", Number("int", ZERO), value)
        return elementwise(operator.neg, value.kind, value)

    def cast(self, value: Array, to: str) -> Array:
        """What `astype` makes of an array."""
        return elementwise(lambda x: self.cast_entry(x, value.kind, to), to, value)

    def converted(self, value: Array, kind: str) -> Array:
        """Return an array with each number converted to a kind of arithmetic, rounded if floating."""
        return elementwise(lambda x: x if is_bool_kind(kind) else self.convert(x, kind), kind, value)

    # -- kinds ---------------------------------------------------------------------------------------------

    def convert(self, entry: Entry, to: str) -> Value:
        """An entry as a number of a kind of arithmetic, without a change of value but rounding."""
        value = entry_as_number(entry)
        return (
            self.path.rounded(value, of_sum=True)
            if is_float_kind(to) and isinstance(value, Polynomial)
            else value
        )

    def cast_entry(self, entry: Entry, kind: str, to: str) -> Entry:
        value = entry_as_number(entry)
        if is_bool_kind(to):
            return self.truth(value)
        if is_float_kind(to):
            return self.convert(entry, to)
        if is_float_kind(kind):
            if isinstance(value, Polynomial):
                value = self.round_to_integer("trunc", value)
            elif to == "int":
                raise Raised
            if not isinstance(value, Polynomial) or not self.fits(value, to):  # undefined in C
                low, high = map(Fraction, INTEGERS[to])
                of, here = (value, None) if isinstance(value, Polynomial) else (ZERO, value)
                compute = partial(_out_of_range_cast, to=to, special=here)
                return self.path.intern_atom(Atom("unknown", "", (of,), True, low, high, compute=compute))
        return self.wrap(value, to)

    def fits(self, value: Polynomial, kind: str) -> bool:
        """Whether an integer is one of a kind, taken both ways."""
        if kind not in INTEGERS:
            return True
        low, high = INTEGERS[kind]
        return self.path.at_least(value, low) and self.path.at_least(-value, -high)

    def wrap(self, value: Value, kind: str) -> Value:
        """An integer as one of a kind, which wraps where it does not fit."""
        if not isinstance(value, Polynomial) or self.fits(value, kind):
            return value
        low, high = INTEGERS[kind]
        if (number := value.value) is not None:
            return Polynomial.constant((int(number) - low) % (high - low + 1) + low)
        return self.path.intern_atom(Atom("wrapped", kind, (value,), True, Fraction(low), Fraction(high)))

    def rounded_or_wrapped(self, exact: Polynomial, kind: str, *, of_sum: bool = False) -> Value:
        """Return the result of an operation from its exact value: rounded if floating, else wrapped."""
        return self.path.rounded(exact, of_sum=of_sum) if is_float_kind(kind) else self.wrap(exact, kind)

    # -- entries -------------------------------------------------------------------------------------------

    def add(self, x: Value, y: Value, kind: str) -> Value:
        if isinstance(x, Polynomial) and isinstance(y, Polynomial):
            return self.rounded_or_wrapped(x + y, kind, of_sum=True)
        return sum(0.0 if isinstance(v, Polynomial) else v for v in (x, y))

    def multiply(self, x: Value, y: Value, kind: str) -> Value:
        if isinstance(x, Polynomial) and isinstance(y, Polynomial):
            return self.rounded_or_wrapped(x * y, kind)
        signs = self.sign(x), self.sign(y)  # with an infinity or NaN
        if None in signs or 0 in signs:
            return math.nan
        return math.inf if signs[0] == signs[1] else -math.inf

    def divide(self, x: Value, y: Value, kind: str) -> Value:
        if not isinstance(y, Polynomial):
            return ZERO if isinstance(x, Polynomial) and not math.isnan(y) else math.nan
        sign = self.sign(y)
        if sign == 0:
            if kind == "float":
                self.path.differs = True
                raise Raised
            if (x_sign := self.sign(x)) in (0, None):
                return math.nan
            # the sign of any other zero is not known
            options = [math.inf, -math.inf] if all(y is not square for square in self.squares) else [math.inf]
            return x_sign * float(self.path.choose(f"sign of zero {len(self.path.trail)}", options))
        if not isinstance(x, Polynomial):
            return x * (sign or 1)
        if (number := y.value) is not None:
            return self.path.rounded(x * (1 / number), of_sum=False)
        sign_x = self.sign(x)
        if sign_x == 0:
            return ZERO
        ends: Ends = (Fraction(0), None) if sign_x == sign else (None, Fraction(0))
        if sign_x == sign == 1:
            (low, high), (least, most) = self.path.range(x), self.path.range(y)
            ends = (
                low / most if low is not None and most is not None and low > 0 else Fraction(0),
                high / least if high is not None and least is not None and least > 0 else None,
            )
        return self.path.rounded(
            self.path.intern_atom(Atom("quotient", "", (x, y), False, *ends)), of_sum=False
        )

    def floor_quotient_and_remainder(self, x: Value, y: Value, kind: str) -> tuple[Value, Value]:
        """Return (floor(x / y), x - y floor(x / y)) of integers; y is a positive constant."""
        divisor = y.value if isinstance(y, Polynomial) else None
        if is_float_kind(kind) or divisor is None or divisor <= 0 or not isinstance(x, Polynomial):
            raise NotTraced("// and % have a rule for integers by a positive constant alone")
        quotient = self.round_to_integer("floor", x * (1 / divisor))
        assert isinstance(quotient, Polynomial)
        return quotient, x - quotient * divisor

    def power(self, x: Value, y: Value, kind: str, scalar: bool) -> Value:
        base, exponent = (v.value if isinstance(v, Polynomial) else None for v in (x, y))
        if exponent not in (0, 1, 2):
            if exponent is not None:
                return self.function(
                    power_function(exponent, scalar),
                    f"power {exponent} of {'scalars' if scalar else 'arrays'}",
                    x,
                    kind,
                )
            if base is None or base <= 0 or base == 1:
                raise NotTraced("a power of two numbers that are not known has no rule")
            return self.function(exponential_function(base), f"base {base} in {kind}", y, kind)
        if exponent != 2:
            return x if exponent == 1 else Polynomial.constant(1)
        self.squares.append(square := self._square(x, kind, scalar))
        return square

    def _square(self, x: Value, kind: str, scalar: bool) -> Value:
        if not (scalar and is_float_kind(kind) and isinstance(x, Polynomial)):
            return self.multiply(x, x, kind)
        if (number := x.value) is not None:  # the power of the C library
            with np.errstate(all="ignore"):
                square = float(np.float64(number) ** 2.0)
            return Polynomial.constant(Fraction(square)) if math.isfinite(square) else square
        return self.path.rounded(x * x, of_sum=False, units=2)

    def sqrt(self, x: Value, kind: str) -> Value:
        sign = self.sign(x)
        if sign is None:
            return math.nan
        if sign < 0:
            if kind == "float":
                raise Raised
            return math.nan
        if not isinstance(x, Polynomial):
            return math.inf
        if (number := x.value) is not None:
            return Polynomial.constant(Fraction(math.sqrt(float(number))))
        return self.path.rounded(
            self.path.intern_atom(Atom("sqrt", "", (x,), False, Fraction(0))), of_sum=False
        )

    def function(self, rule: MonotoneFunction, name: str, x: Value, kind: str) -> Value:
        """A function of a library, or a power: infinite where it overflows, even if Python raises and so denies."""
        if not isinstance(x, Polynomial) or x.value is not None:
            given = x.value if isinstance(x, Polynomial) else x
            if name.startswith("power") and kind == "float" and given is not None and given < 0:
                raise NotTraced("a power of a number below 0 has no rule")
            try:
                with np.errstate(all="ignore"):
                    result = float(rule.double(float(given)))  # type: ignore[arg-type]
            except (ValueError, OverflowError):
                raise Raised from None
            return Polynomial.constant(Fraction(result)) if math.isfinite(result) else result
        path, raises = self.path, name.startswith("math.")
        if rule.above is not None and not path.above(x, rule.above):
            if name.startswith("power"):
                if rule.sign > 0 and path.at_least(x):
                    return ZERO
                raise NotTraced("a power of a number below 0 has no rule")
            if raises:
                raise Raised
            return -math.inf if path.at_least(x, rule.above) else math.nan
        if rule.last is not None and path.above(x * rule.sign, rule.last * rule.sign):
            if path.choose(f"size of {name} of {x}", ["large", "infinite"]) == "infinite":
                if raises:
                    raise Raised
                return math.inf
            least = rule.enclosed(rule.last)[0]
            return path.intern_atom(Atom("unknown", "", (x,), False, least, MAX_DOUBLE, compute=rule))
        ends = path.range(x) if rule.sign > 0 else path.range(x)[::-1]
        known = [None if e is None or (rule.above is not None and e <= rule.above) else e for e in ends]
        if rule.last is not None:
            known[1] = (
                rule.last
                if known[1] is None
                else min(known[1] * rule.sign, rule.last * rule.sign) * rule.sign
            )
        low, high = (None if e is None else rule.enclosed(e)[side] for side, e in enumerate(known))
        return path.intern_atom(Atom("function", name, (x,), False, low, high, compute=rule))

    def round_to_integer(self, kind: Any, x: Value) -> Value:
        """Return x rounded to an integer by floor, ceil, trunc or rint."""
        if not isinstance(x, Polynomial) or self.path.is_whole(x):
            return x
        if (number := x.value) is not None:
            return Polynomial.constant(WHOLE[kind](number))
        if kind == "trunc":
            kind = "floor" if self.path.at_least(x) else "ceil"
        low, high = (None if end is None else Fraction(WHOLE[kind](end)) for end in self.path.range(x))
        return self.path.intern_atom(Atom(kind, "", (x,), True, low, high))

    # -- comparisons ---------------------------------------------------------------------------------------

    def compare(self, symbol: str, x: Value, y: Value) -> bool:
        """Whether x `symbol` y holds on this path."""
        if not (isinstance(x, Polynomial) and isinstance(y, Polynomial)):
            return bool(NATIVE[symbol](*(0.0 if isinstance(v, Polynomial) else v for v in (x, y))))
        if symbol in ("==", "!="):
            same = self.path.at_least(x - y) and self.path.at_least(y - x)
            return same == (symbol == "==")
        if symbol in ("<=", "<"):
            x, y = y, x
        return self.path.above(x - y) if symbol in ("<", ">") else self.path.at_least(x - y)

    def sign(self, x: Value) -> int | None:
        """-1, 0 or 1; None for NaN."""
        if not isinstance(x, Polynomial):
            return None if math.isnan(x) else int(math.copysign(1, x))
        if self.path.above(x):
            return 1
        return 0 if self.path.at_least(x) else -1

    def truth(self, x: Entry) -> bool:
        """bool(x)."""
        return self.compare("!=", x, ZERO) if isinstance(x, Polynomial) else bool(x)

    def larger(self, x: Value, y: Value, sign: int, skip_nan: bool = False, many: bool = False) -> Value:
        """NumPy's maximum (sign 1) or minimum (-1); NaN where either is, or both. Of many, which it is stays open."""
        nans = [not isinstance(v, Polynomial) and math.isnan(v) for v in (x, y)]
        if any(nans):
            return (y if nans[0] else x) if skip_nan else math.nan
        if isinstance(x, Polynomial) and isinstance(y, Polynomial) and sign > 0:
            ends = self.path.range(x - y)
            is_open = ends[0] is None or ends[1] is None or ends[0] < 0 < ends[1]
            if is_open and (many or self.path.depends_on_request_alone(x - y)):
                return self.path.largest(x, y)
        chosen = x if self.compare(">=" if sign > 0 else "<=", x, y) else y
        return chosen + 0 if isinstance(chosen, Polynomial) else chosen  # of two zeros it may be either

    def absolute(self, x: Value, kind: str) -> Value:
        if not isinstance(x, Polynomial):
            return abs(x)
        return x if self.path.at_least(x) else self.wrap(-x, kind)


def _out_of_range_cast(x: Fraction, to: str, special: float | None) -> Fraction:
    """Return what this machine's C cast makes of a float that does not fit into an integer."""
    with np.errstate(invalid="ignore"):
        cast = np.array([float(x) if special is None else special]).astype(to)
    return Fraction(int(cast[0]))
