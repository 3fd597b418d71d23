"""Traced numbers and arrays, with NumPy's and Python's types: integers wrap and doubles round as they do there.

An array with a first axis of runs holds the entries of one run: every run is treated alike, so one is enough.
Operations that mix runs are refused.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from filterproof.mc.prove.paths import Atom, NotTraced, Path, Raised, Value
from filterproof.mc.prove.polynomials import Polynomial

#: Python's own kinds, and NumPy's.
PYTHON = ("bool", "int", "float")
INTEGERS = {
    f"{s}{b}": (0 if s == "u" else -(2 ** (8 * b - 1)), 2 ** (8 * b - (s == "i")) - 1)
    for s in "iu"
    for b in (1, 2, 4, 8)
}
NUMPY = ("b1", *INTEGERS, "f8")

#: The path that is traced now: arrays made on it may be written to on it.
CURRENT: list[Any] = [None]
#: The number of runs, where it stands as a length.
RUNS = "runs"
Entry: TypeAlias = Value | bool


@dataclass(frozen=True, slots=True)
class Number:
    """A scalar: `value` is a bool where the kind is one, else a polynomial or one of inf, -inf, nan."""

    kind: str
    value: Any


@dataclass(eq=False, slots=True)
class Array:
    """Entries of one run, in C order over the axes after the first; without `runs`, an array that all runs share."""

    kind: str
    runs: bool
    tail: tuple[int, ...]
    items: list[Any]
    writable: bool = True
    #: Whether another array may share these entries, so that a write would be seen there.
    shared: bool = False
    #: The path on which it was made, None for constants of the file.
    path: Any = field(default_factory=lambda: CURRENT[0])

    @property
    def ndim(self) -> int:
        return self.runs + len(self.tail)


Numeric: TypeAlias = Number | Array


def is_float(kind: str) -> bool:
    return kind in ("float", "f8")


def is_bool(kind: str) -> bool:
    return kind in ("bool", "b1")


def kind_of_dtype(dtype: Any) -> str:
    """NumPy's kind of a dtype, or of a Python type."""
    try:
        kind = str(np.dtype(dtype).str[1:])
    except TypeError:
        raise NotTraced(f"the type {dtype!r} has no rule") from None
    if kind not in NUMPY:
        raise NotTraced(f"arrays of type {np.dtype(dtype)} have no rule; use float64, integers or booleans")
    return kind


def lift(value: object) -> Numeric | None:
    """A concrete number or array as a traced one; None for what is neither."""
    if isinstance(value, Number | Array):
        return value
    if isinstance(value, np.ndarray):
        kind = kind_of_dtype(value.dtype)
        return Array(kind, False, value.shape, [_entry(x, kind) for x in value.ravel().tolist()], False, True)
    if isinstance(value, np.generic):
        kind = kind_of_dtype(value.dtype)
        return Number(kind, _entry(value.item(), kind))
    if isinstance(value, bool):
        return Number("bool", value)
    if isinstance(value, int | Fraction):
        return Number("int", Polynomial.constant(value)) if isinstance(value, int) else None
    if isinstance(value, float):
        return Number("float", _entry(value, "float"))
    return None


def _entry(value: Any, kind: str) -> Entry:
    if is_bool(kind):
        return bool(value)
    if isinstance(value, float) and not math.isfinite(value):
        return value
    return Polynomial.constant(Fraction(value))


def constant_of(value: object) -> Any:
    """The concrete number that a traced scalar is; None where it is not known."""
    if not isinstance(value, Number):
        return value if isinstance(value, bool | int | float) else None
    if isinstance(value.value, Polynomial):
        number = value.value.value
        if number is None:
            return None
        return float(number) if is_float(value.kind) else int(number)
    return value.value


def promote(one: str, two: str) -> str:
    """The kind of a result of arithmetic, by NumPy 2's rules; Python's numbers give way to NumPy's."""
    if one in PYTHON and two in PYTHON:
        return max(one, two, key=PYTHON.index)
    if one in PYTHON or two in PYTHON:
        weak, kind = (one, two) if one in PYTHON else (two, one)
        if weak == "float":
            return "f8"
        if weak == "int" and kind == "b1":
            return "i8"
        return kind
    return kind_of_dtype(np.promote_types(np.dtype(one), np.dtype(two)))


def as_number(entry: Entry, kind: str) -> Value:
    """An entry as a number: booleans are 0 and 1."""
    if is_bool(kind):
        return Polynomial.constant(int(bool(entry)))
    return entry


def broadcast(*given: Numeric) -> tuple[bool, tuple[int, ...], list[list[Entry]], bool]:
    """(runs, tail, the entries of each operand at each place, whether the result is an array)."""
    arrays = [g for g in given if isinstance(g, Array)]
    if not arrays:
        return False, (), [[g.value] for g in given if isinstance(g, Number)], False
    ndim = max(a.ndim for a in arrays)
    if any(a.runs for a in arrays):
        given = tuple(_squeeze_first(g, ndim) for g in given)
        arrays = [g for g in given if isinstance(g, Array)]
    shapes: list[list[Any]] = []
    for a in arrays:
        shape: list[Any] = [RUNS] if a.runs else []
        shapes.append([1] * (ndim - a.ndim) + shape + list(a.tail))
    result: list[Any] = []
    for sizes in zip(*shapes, strict=True):
        real = {size for size in sizes if size != 1}
        if len(real) > 1:
            if RUNS in real:
                raise NotTraced("an axis of runs meets another axis")
            raise Raised
        result.append(real.pop() if real else 1)
    if RUNS in result[1:]:
        raise NotTraced("the runs are not the first axis")
    runs = bool(result) and result[0] == RUNS
    tail = tuple(result[1:] if runs else result)
    places = list(itertools.product(*map(range, tail)))
    lists = []
    for g in given:
        if isinstance(g, Number):
            lists.append([g.value] * len(places))
            continue
        own = []
        for place in places:
            index = place[len(place) - len(g.tail) :] if g.tail else ()
            flat = 0
            for at, size in zip(index, g.tail, strict=True):
                flat = flat * size + (0 if size == 1 else at)
            own.append(g.items[flat])
        lists.append(own)
    return runs, tail, lists, True


def _squeeze_first(value: Numeric, ndim: int) -> Numeric:
    """An array of shape (1, ...) beside runs as one without that axis."""
    if isinstance(value, Array) and not value.runs and len(value.tail) == ndim and value.tail[:1] == (1,):
        return Array(value.kind, False, value.tail[1:], value.items)
    return value


class Arithmetic:
    """Operations on entries, along a path."""

    def __init__(self, path: Path) -> None:
        self.path = path

    # -- element by element --------------------------------------------------------------------------

    def map(self, rule: Callable[..., Entry], kind: str, *given: Numeric) -> Numeric:
        """`rule` at each entry; scalars of Python's kinds stay scalars."""
        runs, tail, lists, is_array = broadcast(*given)
        items = [rule(*entries) for entries in zip(*lists, strict=True)]
        if not is_array or (not runs and tail == ()):
            return Number(kind, items[0])
        return Array(kind, runs, tail, items)

    def binary(self, symbol: str, one: Numeric, two: Numeric) -> Numeric:
        """one `symbol` two, with NumPy's or Python's rules for the kinds."""
        a, b = one.kind, two.kind
        if symbol in ("<", "<=", ">", ">=", "==", "!="):
            kind = "bool" if a in PYTHON and b in PYTHON else "b1"
            return self.map(
                lambda x, y: self.compare(symbol, as_number(x, a), as_number(y, b)), kind, one, two
            )
        if symbol == "**" and isinstance(two, Array):
            raise NotTraced("a power by an array has no rule")
        kind = promote(a, b)
        if kind not in (*PYTHON, *NUMPY):
            raise NotTraced(f"arithmetic of {a} and {b} has no rule")
        if symbol in ("&", "|", "^") and is_bool(a) and is_bool(b):
            logic = {"&": operator.and_, "|": operator.or_, "^": operator.xor}[symbol]
            return self.map(lambda x, y: bool(logic(bool(x), bool(y))), kind, one, two)
        self.path.differs = self.path.differs or "bool" in (a, b)
        if symbol in ("&", "|", "^", "<<", ">>", "@"):
            raise NotTraced(f"the operator {symbol} of {a} and {b} has no rule")
        python = a in PYTHON and b in PYTHON
        if is_bool(kind):
            if not python and symbol in ("+", "*"):  # NumPy's booleans: or, and
                either = symbol == "+"
                return self.map(lambda x, y: bool(x or y) if either else bool(x and y), "b1", one, two)
            if not python:
                raise NotTraced(f"the operator {symbol} of NumPy's booleans has no rule")
            kind = "int"
        if symbol == "/" and not is_float(kind):
            if kind in ("i1", "i2", "u1", "u2"):
                raise NotTraced("a quotient of small integers has no rule")
            kind = "float" if python else "f8"
        self.check_weak(one, two, kind)
        scalar = isinstance(one, Number) and isinstance(two, Number)

        def rule(x: Entry, y: Entry) -> Entry:
            p, q = self.convert(x, a, kind), self.convert(y, b, kind)
            if symbol == "**":
                return self.power(p, q, kind, scalar=scalar)
            rules = {"+": self.add, "-": self.subtract, "*": self.multiply, "/": self.divide}
            if symbol in rules:
                return rules[symbol](p, q, kind)
            if symbol in ("%", "//"):
                return self.modulo(p, q, kind)[symbol == "%"]
            raise NotTraced(f"the operator {symbol} has no rule")

        return self.map(rule, kind, one, two)

    def check_weak(self, one: Numeric, two: Numeric, kind: str) -> None:
        """A Python integer that does not fit into NumPy's integers beside it raises OverflowError."""
        if kind in INTEGERS:
            for g in (one, two):
                if g.kind == "int" and isinstance(g, Number):
                    low, high = self.path.range(g.value)
                    if low is None or high is None or low < INTEGERS[kind][0] or high > INTEGERS[kind][1]:
                        raise NotTraced(f"a Python integer may not fit into {kind}")

    def convert(self, entry: Entry, kind: str, to: str) -> Value:
        """An entry of one kind as a number of another kind of arithmetic, without a change of value but rounding."""
        value = as_number(entry, kind)
        if is_float(to) and not is_float(kind) and isinstance(value, Polynomial):
            return self.path.rounded(value, of_sum=True)
        return value

    def cast(self, entry: Entry, kind: str, to: str) -> Entry:
        """What `astype` makes of an entry."""
        value = as_number(entry, kind)
        if is_bool(to):
            return self.truth(value)
        if is_float(to):
            return self.convert(entry, kind, to)
        if is_float(kind):
            if not isinstance(value, Polynomial):
                if to == "int":
                    raise Raised
                return self.unknown(to)
            value = self.truncate(value)
            low, high = INTEGERS.get(to, (None, None))
            if (
                low is not None
                and high is not None
                and not (self.path.at_least(value, low) and self.path.at_least(-value, -high))
            ):
                return self.unknown(to)  # undefined in C
        if not isinstance(value, Polynomial):
            raise NotTraced("a cast of what is no number has no rule")
        return self.wrap(value, to)

    def unknown(self, kind: str) -> Polynomial:
        """Some integer of a kind."""
        low, high = INTEGERS[kind]
        return self.path.new(Atom("unknown", "", (), True, Fraction(low), Fraction(high)))

    def wrap_value(self, value: Value, kind: str) -> Value:
        return self.wrap(value, kind) if isinstance(value, Polynomial) else value

    def wrap(self, value: Polynomial, kind: str) -> Value:
        """An integer as one of a kind, any of them where it does not fit."""
        if kind not in INTEGERS:
            return value
        low, high = INTEGERS[kind]
        if self.path.at_least(value, low) and self.path.at_least(-value, -high):
            return value
        if (number := value.value) is not None:
            return Polynomial.constant((int(number) - low) % (high - low + 1) + low)
        return self.path.new(Atom("wrapped", kind, (value,), True, Fraction(low), Fraction(high)))

    # -- entries --------------------------------------------------------------------------------------

    def add(self, x: Value, y: Value, kind: str) -> Value:
        if not (isinstance(x, Polynomial) and isinstance(y, Polynomial)):
            return _special(operator.add, x, y)
        return self.path.rounded(x + y, of_sum=True) if is_float(kind) else self.wrap(x + y, kind)

    def negative(self, x: Value) -> Value:
        return -x

    def subtract(self, x: Value, y: Value, kind: str) -> Value:
        if not (isinstance(x, Polynomial) and isinstance(y, Polynomial)):
            return _special(operator.sub, x, y)
        return self.path.rounded(x - y, of_sum=True) if is_float(kind) else self.wrap(x - y, kind)

    def multiply(self, x: Value, y: Value, kind: str) -> Value:
        if not (isinstance(x, Polynomial) and isinstance(y, Polynomial)):
            return self._special_product(x, y)
        if is_float(kind):
            return self.path.rounded(x * y, of_sum=False)
        return self.wrap(x * y, kind)

    def _special_product(self, x: Value, y: Value) -> Value:
        """A product with an infinity or NaN: of its sign, by the signs of both."""
        signs = self.sign(x), self.sign(y)
        if None in signs or 0 in signs:
            return math.nan
        return math.inf if signs[0] == signs[1] else -math.inf

    def sign(self, x: Value) -> int | None:
        """-1, 0 or 1; None for NaN."""
        if not isinstance(x, Polynomial):
            return None if math.isnan(x) else int(math.copysign(1, x))
        if self.path.above(x):
            return 1
        return 0 if self.path.at_least(x) else -1

    def divide(self, x: Value, y: Value, kind: str) -> Value:
        if not isinstance(y, Polynomial):
            if math.isnan(y) or not isinstance(x, Polynomial):
                return math.nan
            return Polynomial.constant(0)
        if (sign := self.sign(y)) == 0:
            if kind == "float":
                self.path.differs = True
                raise Raised
            over = self.sign(x)
            if over in (0, None):
                return math.nan
            # the sign of the zero is not known
            return float(self.path.choose(f"sign of zero {len(self.path.trail)}", [math.inf, -math.inf]))
        if not isinstance(x, Polynomial):
            return math.nan if math.isnan(x) else x * (sign or 1)
        if (number := y.value) is not None:
            return self.path.rounded(x * (1 / number), of_sum=False)
        sign_x = self.sign(x)
        if sign_x == 0:
            return Polynomial.constant(0)
        same = sign_x == sign
        ends = (Fraction(0), None) if same else (None, Fraction(0))
        exact = self.path.new(Atom("quotient", "", (x, y), False, *ends))
        return self.path.rounded(exact, of_sum=False)

    def power(self, x: Value, y: Value, kind: str, *, scalar: bool = False) -> Value:
        exponent = y.value if isinstance(y, Polynomial) else None
        if exponent is None or exponent not in (0, 1, 2):
            raise NotTraced("a power other than 0, 1 and 2 has no rule")
        if exponent == 2:
            if scalar and is_float(kind) and isinstance(x, Polynomial):  # the power of the C library
                if (number := x.value) is not None:
                    return self.path.rounded(Polynomial.constant(Fraction(float(number) ** 2.0)), of_sum=True)
                return self.path.rounded(x * x, of_sum=False, units=2)
            return self.multiply(x, x, kind)
        return x if exponent == 1 else Polynomial.constant(1)

    def sqrt(self, x: Value, kind: str) -> Value:
        sign = self.sign(x)
        if sign is None or sign < 0:
            if kind == "float":
                self.path.differs = True
                raise Raised
            return math.nan
        if not isinstance(x, Polynomial):
            return math.inf
        if (number := x.value) is not None:
            return Polynomial.constant(Fraction(math.sqrt(float(number))))
        return self.path.rounded(self.path.new(Atom("sqrt", "", (x,), False, Fraction(0))), of_sum=False)

    def modulo(self, x: Value, y: Value, kind: str) -> tuple[Value, Value]:
        """(floor(x / y), x - y floor(x / y)) of integers; y is a positive constant."""
        divisor = y.value if isinstance(y, Polynomial) else None
        if is_float(kind) or divisor is None or divisor <= 0 or not isinstance(x, Polynomial):
            raise NotTraced("// and % have a rule for integers by a positive constant alone")
        quotient = self.floor(x * (1 / divisor))
        assert isinstance(quotient, Polynomial)
        return quotient, x - quotient * divisor

    def whole(self, kind: Any, x: Value) -> Value:
        """The whole number next to x by a rule: ceil, floor, rint or trunc."""
        if not isinstance(x, Polynomial) or self.path.is_whole(x):
            return x
        rules: dict[str, Callable[[Fraction], int]] = {
            "ceil": math.ceil,
            "floor": math.floor,
            "rint": round,
            "trunc": math.trunc,
        }
        if (number := x.value) is not None:
            return Polynomial.constant(rules[kind](number))
        if kind == "trunc":
            kind = "floor" if self.path.at_least(x) else "ceil"
        low, high = (None if end is None else Fraction(rules[kind](end)) for end in self.path.range(x))
        return self.path.new(Atom(kind, "", (x,), True, low, high))

    def floor(self, x: Value) -> Value:
        return self.whole("floor", x)

    def truncate(self, x: Polynomial) -> Polynomial:
        result = self.whole("trunc", x)
        assert isinstance(result, Polynomial)
        return result

    def compare(self, symbol: str, x: Value, y: Value) -> bool:
        """Whether x `symbol` y holds on this path."""
        if not (isinstance(x, Polynomial) and isinstance(y, Polynomial)):
            far_x, far_y = (0.0 if isinstance(v, Polynomial) else v for v in (x, y))
            rules: dict[str, Callable[[float, float], bool]] = {
                "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
                "==": operator.eq, "!=": operator.ne,
            }  # fmt: skip
            return bool(rules[symbol](far_x, far_y))
        if symbol in ("==", "!="):
            same = self.path.at_least(x - y) and self.path.at_least(y - x)
            return same == (symbol == "==")
        if symbol in ("<=", "<"):
            x, y = y, x
        return self.path.above(x - y) if symbol in ("<", ">") else self.path.at_least(x - y)

    def truth(self, x: Value | bool) -> bool:
        """bool(x)."""
        if isinstance(x, bool):
            return x
        if not isinstance(x, Polynomial):
            return True
        return self.compare("!=", x, Polynomial.constant(0))

    def larger(self, x: Value, y: Value, sign: int, *, skip_nan: bool = False) -> Value:
        """NumPy's maximum (sign 1) or minimum (-1); NaN where either is, or where both are."""
        nans = [not isinstance(v, Polynomial) and math.isnan(v) for v in (x, y)]
        if any(nans):
            return (y if nans[0] else x) if skip_nan else math.nan
        return x if self.compare(">=" if sign > 0 else "<=", x, y) else y

    def absolute(self, x: Value) -> Value:
        if not isinstance(x, Polynomial):
            return abs(x)
        return x if self.path.at_least(x) else -x


def _special(rule: Callable[[float, float], float], x: Value, y: Value) -> float:
    """Arithmetic with an infinity or NaN, in which any finite number behaves as 0."""
    return rule(*(0.0 if isinstance(v, Polynomial) else v for v in (x, y)))


def reduce_tail(value: Array, axis: int, rule: Callable[[Sequence[Entry]], Entry], kind: str) -> Numeric:
    """`rule` over one axis that is not the axis of runs."""
    axis = axis + value.ndim if axis < 0 else axis
    if value.runs and axis == 0:
        raise NotTraced("a reduction over the runs mixes them")
    at = axis - value.runs
    if not 0 <= at < len(value.tail):
        raise Raised
    tail = value.tail[:at] + value.tail[at + 1 :]
    items = []
    for place in itertools.product(*map(range, tail)):
        entries = []
        for k in range(value.tail[at]):
            full = (*place[:at], k, *place[at:])
            entries.append(value.items[_flat(full, value.tail)])
        items.append(rule(entries))
    if not value.runs and not tail:
        return Number(kind, items[0])
    return Array(kind, value.runs, tail, items)


def _flat(place: Sequence[int], tail: Sequence[int]) -> int:
    flat = 0
    for at, size in zip(place, tail, strict=True):
        flat = flat * size + at
    return flat
