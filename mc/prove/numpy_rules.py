"""Rules for NumPy's functions, and for methods of arrays, on traced numbers. What is not here has none."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import partial, reduce
from typing import Any

import numpy as np

from filterproof.mc.prove.arithmetic import Arithmetic
from filterproof.mc.prove.monotone import MATH as MATH_FUNCTIONS
from filterproof.mc.prove.monotone import NUMPY as NUMPY_FUNCTIONS
from filterproof.mc.prove.monotone import exponential_function
from filterproof.mc.prove.numpy_arrays import (
    Caller,
    array_of,
    broadcast_arrays,
    broadcast_to,
    cast,
    full,
    full_like,
    item,
    reshape,
    stack,
    to_traced_array,
    with_numpy_kinds,
)
from filterproof.mc.prove.paths import MAX_DOUBLE, Atom, NotTraced, Path, Raised, Value
from filterproof.mc.prove.polynomials import Polynomial
from filterproof.mc.prove.values import (
    NUMPY,
    PYTHON,
    Array,
    Entry,
    Number,
    RuleFunction,
    elementwise,
    entry_as_number,
    is_bool_kind,
    is_float_kind,
    promoted_kind,
    reduced,
)

SYMBOLS = {
    np.add: "+", np.subtract: "-", np.multiply: "*", np.divide: "/", np.mod: "%", np.floor_divide: "//",
    np.less: "<", np.less_equal: "<=", np.greater: ">", np.greater_equal: ">=", np.equal: "==",
    np.not_equal: "!=",
}  # fmt: skip
LOGIC = {np.logical_and: operator.and_, np.logical_or: operator.or_}
UNARY: dict[Any, Callable[[Arithmetic, Value, str], Value]] = {
    np.square: lambda a, x, kind: a.multiply(x, x, kind),
    np.absolute: lambda a, x, kind: a.absolute(x, kind),
    np.sign: lambda a, x, kind: math.nan if (sign := a.sign(x)) is None else Polynomial.constant(sign),
}
ROUND = {np.ceil: "ceil", np.floor: "floor", np.rint: "rint", np.round: "rint", np.trunc: "trunc"}
#: (sign, whether NaN is left out)
EXTREMA = {np.maximum: (1, False), np.minimum: (-1, False), np.fmax: (1, True), np.fmin: (-1, True)}
TESTS = {np.isfinite: math.isfinite, np.isinf: math.isinf, np.isnan: math.isnan}


# -- element by element ----------------------------------------------------------------------------------------


def binary(symbol: str, own: Caller, one: Any, two: Any) -> Array:
    made: Array = own.arithmetic.binary(
        symbol, *with_numpy_kinds(to_traced_array(own, one), to_traced_array(own, two))
    )
    return made


def logical(rule: Callable[[Any, Any], Any], own: Caller, one: Any, two: Any) -> Array:
    truth = own.arithmetic.truth
    return elementwise(
        lambda x, y: rule(truth(x), truth(y)), "b1", to_traced_array(own, one), to_traced_array(own, two)
    )


def logical_not(own: Caller, x: Any) -> Array:
    return elementwise(lambda entry: not own.arithmetic.truth(entry), "b1", to_traced_array(own, x))


def unary(rule: Callable[[Arithmetic, Value, str], Value], kinds: str, own: Caller, x: Any) -> Array:
    (value,) = with_numpy_kinds(to_traced_array(own, x))
    if value.kind not in kinds.split():
        raise NotTraced(f"the function has no rule for {value.kind}")
    return elementwise(lambda entry: rule(own.arithmetic, entry, value.kind), value.kind, value)


def whole(rule: str, arithmetic: Arithmetic, x: Value, kind: str) -> Value:
    """Round to an integer by `rule`: floor, ceil, trunc or rint."""
    return arithmetic.whole(rule, x)


def square_root(own: Caller, x: Any) -> Array:
    (given,) = with_numpy_kinds(to_traced_array(own, x))
    if given.kind in ("b1", "i1", "i2", "u1", "u2"):
        raise NotTraced("the root of booleans or small integers is of lower precision, which has no rule")
    value = own.arithmetic.converted(given, "f8")
    return unary(lambda a, entry, kind: a.sqrt(entry, kind), "f8", own, value)


def function(name: str, own: Caller, x: Any) -> Array:
    """A function of NumPy, or of math, that balls enclose."""
    library, _, rule = name.partition(".")
    given = to_traced_array(own, x)
    if library == "np":
        (given,) = with_numpy_kinds(given)
    if given.kind in ("b1", "i1", "i2", "u1", "u2"):
        raise NotTraced(f"{name} of booleans or small integers is of lower precision, which has no rule")
    kind = "f8" if library == "np" else "float"
    known_rule = (NUMPY_FUNCTIONS if library == "np" else MATH_FUNCTIONS)[rule]
    value = own.arithmetic.converted(given, kind)
    return elementwise(lambda entry: own.arithmetic.function(known_rule, name, entry, kind), kind, value)


def ldexp(own: Caller, x1: Any, x2: Any) -> Array:
    """x1 * 2^x2, rounded once."""
    one, two = with_numpy_kinds(to_traced_array(own, x1), to_traced_array(own, x2))
    rule = exponential_function(Fraction(2), lambda x: math.ldexp(1.0, int(x)))
    a: Arithmetic = own.arithmetic
    path: Path = own.path

    def scaled(x: Entry, k: Entry) -> Value:
        value, power = a.convert(x, "f8"), entry_as_number(k)
        if not isinstance(value, Polynomial):
            return value
        known = power.value if isinstance(power, Polynomial) else None
        if not isinstance(power, Polynomial) or (known is not None and abs(known) > 5000):
            raise NotTraced("ldexp by so much has no rule")
        if known is not None:
            return path.rounded(value * Fraction(2) ** int(known), of_sum=False)
        if path.at_least(-power, -800):
            return a.multiply(value, a.function(rule, "ldexp", power, "f8"), "f8")
        if (sign := a.sign(value)) in (0, None):
            return Polynomial.constant(0)
        if path.choose(f"size of ldexp {len(path.trail)}", ["finite", "infinite"]) == "infinite":
            return math.inf * (sign or 1)
        ends = (Fraction(0), MAX_DOUBLE) if sign == 1 else (-MAX_DOUBLE, Fraction(0))
        return path.intern_atom(Atom("unknown", "", (value, power), False, *ends, compute=_ldexp_or_none))

    return elementwise(scaled, "f8", one, two)


def _ldexp_or_none(x: Fraction, k: Fraction) -> Fraction | None:
    """Return x * 2^k rounded to a double; None if it overflows."""
    try:
        return Fraction(math.ldexp(float(x), int(k)))
    except OverflowError:
        return None


def extremum(sign: int, skip_nan: bool, own: Caller, x: Any, y: Any) -> Array:
    one, two = with_numpy_kinds(to_traced_array(own, x), to_traced_array(own, y))
    a, kind = own.arithmetic, promoted_kind(one.kind, two.kind)
    a.check_weak(kind, one, two)
    return elementwise(
        lambda p, q: a.larger(a.convert(p, kind), a.convert(q, kind), sign, skip_nan), kind, one, two
    )


def clip(own: Caller, a: Any, a_min: Any, a_max: Any) -> Array:
    return extremum(-1, False, own, extremum(1, False, own, a, a_min), a_max)


def tested(rule: Callable[[float], bool], own: Caller, x: Any) -> Array:
    """Trace an elementwise test such as np.isnan or np.isfinite."""
    return elementwise(
        lambda e: rule(0.0 if isinstance(e, Polynomial | bool) else e), "b1", to_traced_array(own, x)
    )


def where(own: Caller, condition: Any, x: Any, y: Any) -> Array:
    one, two = to_traced_array(own, x), to_traced_array(own, y)
    a, kind = own.arithmetic, promoted_kind(*(n.kind for n in with_numpy_kinds(one, two)))
    a.check_weak(kind, one, two)

    def pick(c: Entry, p: Entry, q: Entry) -> Entry:
        chosen = p if a.truth(c) else q
        return chosen if is_bool_kind(kind) else a.convert(chosen, kind)

    return elementwise(pick, kind, to_traced_array(own, condition), one, two)


# -- reductions ------------------------------------------------------------------------------------------------


def reduction(name: str, own: Caller, a: Any, axis: Any = None) -> Any:
    if isinstance(a, tuple | list) and axis == 0:  # over the list, which stays beside the runs
        a, axis = stack(own, a, -1), -1
    (value,) = with_numpy_kinds(to_traced_array(own, a))
    arithmetic = own.arithmetic
    if value.ndim == 0:
        value = Array.of(value.kind, False, value.data.reshape(1))
    if axis is None and value.runs and value.ndim == 1 and name in ("any", "all"):
        # of the other runs nothing is known
        mine = arithmetic.truth(value.items[0])
        if mine == (name == "any"):
            return Number("b1", mine)
        return Number("b1", bool(own.path.choose(f"{name} {len(own.path.trail)}", [mine, not mine])))
    if axis is None:
        if value.runs or value.ndim != 1:
            raise NotTraced(f"{name} of all runs mixes them; pass axis=1, say")
        axis = 0
    at, kind = own.key(axis), value.kind
    if name in ("any", "all"):
        test = any if name == "any" else all
        return reduced(value, at, lambda e: test([arithmetic.truth(x) for x in e]), "b1")
    if -value.ndim <= at < value.ndim and not 0 < value.data.shape[at] < 8:
        raise NotTraced("a sum of more than seven entries has no rule: NumPy adds them in another order")
    if name != "sum":
        if is_bool_kind(kind):
            raise NotTraced(f"{name} of booleans has no rule")
        sign = 1 if name == "max" else -1
        return reduced(
            value, at, lambda e: reduce(lambda x, y: arithmetic.larger(x, y, sign, many=len(e) > 2), e), kind
        )
    if not is_float_kind(kind):
        kind = "u8" if kind[0] == "u" else "i8"
    return reduced(
        value, at, lambda e: reduce(lambda x, y: arithmetic.add(x, y, kind), map(entry_as_number, e)), kind
    )


def fold(own: Caller, function: Any, entries: Iterable[Any]) -> Any:
    """`function.reduce` of a sequence."""
    items = list(own.items(entries))
    if len(items) == 1 and (function in LOGIC or function in EXTREMA):
        items *= 2  # the same, in a new array
    if len(items) < 2 or (function is np.add and len(items) > 7):
        raise NotTraced(
            "the sum of one array, or of more than seven, has no rule: NumPy adds them in another order"
        )
    kinds = [to_traced_array(own, one).kind for one in items]
    if function in (np.add, np.multiply) and (
        any(map(is_bool_kind, kinds)) or not any(map(is_float_kind, kinds))
    ):
        raise NotTraced("a sum or product of booleans or integers by reduce() is of a larger type")
    return reduce(lambda x, y: own.call(function, [x, y], {}), items)


def attribute(own: Caller, array: Array, name: str) -> Any:
    """An attribute of an array, or a method."""
    if array.kind in PYTHON and not hasattr({"bool": bool, "int": int, "float": float}[array.kind], name):
        own.path.differs = True
        raise Raised
    shape = ((own.number_of_runs(),) if array.runs else ()) + array.tail
    if name in METHODS and to_traced_array(own, array) is array:
        return RuleFunction(partial(METHODS[name], own, array), name)
    if name == "size" and len(shape) == 1:
        return shape[0]
    if name == "T" and array.ndim == 1:
        return array
    if name == "dtype":
        return np.dtype(array.kind if array.kind in NUMPY else "f8")
    if name not in ("ndim", "shape"):
        raise NotTraced(f"{name} of an array has no rule")
    return shape if name == "shape" else array.ndim


def attribute_of(name: str, own: Caller, a: Any) -> Any:
    """Trace a NumPy function that reads an attribute or method of its array argument."""
    return attribute(own, with_numpy_kinds(to_traced_array(own, a))[0], name)


RULES: dict[Any, Callable[..., Any]] = {
    **{function: partial(binary, symbol) for function, symbol in SYMBOLS.items()},
    **{function: partial(logical, rule) for function, rule in LOGIC.items()},
    **{function: partial(unary, rule, "f8 i4 i8") for function, rule in UNARY.items()},
    **{function: partial(unary, partial(whole, rule), "f8") for function, rule in ROUND.items()},
    **{function: partial(extremum, *how) for function, how in EXTREMA.items()},
    **{function: partial(tested, test) for function, test in TESTS.items()},
    **{getattr(np, name): partial(reduction, name) for name in ("sum", "max", "min", "any", "all")},
    np.negative: lambda own, x: own.arithmetic.negative(*with_numpy_kinds(to_traced_array(own, x))),
    **{getattr(np, name): partial(function, f"np.{name}") for name in NUMPY_FUNCTIONS}, np.ldexp: ldexp,
    **{getattr(math, name): partial(function, f"math.{name}") for name in MATH_FUNCTIONS if hasattr(math, name)},
    np.logical_not: logical_not, np.sqrt: square_root, np.clip: clip, np.where: where,
    np.zeros: lambda own, shape, dtype=float: full(own, shape, 0, dtype), np.full: full, np.full_like: full_like,
    np.ones: lambda own, shape, dtype=float: full(own, shape, 1, dtype),
    np.zeros_like: lambda own, a, dtype=None: full_like(own, a, 0, dtype),
    np.ones_like: lambda own, a, dtype=None: full_like(own, a, 1, dtype),
    np.array: lambda own, value, dtype=None: array_of(own, value, dtype),
    np.copy: array_of, np.asarray: lambda own, a, dtype=None: array_of(own, a, dtype, copy=False), np.stack: stack,
    np.broadcast_arrays: broadcast_arrays, np.broadcast_to: broadcast_to,
    **{getattr(np, name): partial(attribute_of, name) for name in ("ndim", "shape", "size")},
}  # fmt: skip
#: Methods of arrays, by rules that take the array first.
METHODS: dict[str, Callable[..., Any]] = {
    **{name: partial(reduction, name) for name in ("sum", "max", "min", "any", "all")},
    "clip": clip, "round": RULES[np.round], "astype": lambda own, a, dtype: cast(own, a, dtype), "item": item,
    "copy": lambda own, a: a if a.is_scalar else array_of(own, a), "reshape": reshape,
}  # fmt: skip
