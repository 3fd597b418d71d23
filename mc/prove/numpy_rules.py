"""Rules for NumPy's functions, and for methods of arrays, on traced numbers. What is not here has none."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import partial, reduce
from typing import Any

import numpy as np

from filterproof.mc.prove.arithmetic import Arithmetic
from filterproof.mc.prove.monotone_functions import MATH as MATH_FUNCTIONS
from filterproof.mc.prove.monotone_functions import NUMPY as NUMPY_FUNCTIONS
from filterproof.mc.prove.numpy_arrays import (
    Caller,
    append,
    array_of,
    as_array,
    broadcast_arrays,
    broadcast_to,
    cast,
    column_stack,
    concatenate,
    expand_dims,
    full,
    full_like,
    item,
    reshape,
    stack,
    to_traced_array,
    with_numpy_kinds,
)
from filterproof.mc.prove.paths import LIBRARY_UNITS, MIXES_RUNS, Atom, NotTraced, Raised, Value
from filterproof.mc.prove.polynomials import Polynomial
from filterproof.mc.prove.requests import HUGE
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
    np.square: lambda a, x, kind: a.power(x, Polynomial.constant(2), kind, False),
    np.absolute: lambda a, x, kind: a.absolute(x, kind),
    np.sign: lambda a, x, kind: math.nan if (sign := a.sign(x)) is None else Polynomial.constant(sign),
}
ROUND = {np.ceil: "ceil", np.floor: "floor", np.rint: "rint", np.round: "rint", np.trunc: "trunc"}
#: (sign, whether NaN is left out)
EXTREMA = {np.maximum: (1, False), np.minimum: (-1, False), np.fmax: (1, True), np.fmin: (-1, True)}
TESTS: dict[Any, Callable[[float], bool]] = {
    np.isfinite: math.isfinite, np.isinf: math.isinf, np.isnan: math.isnan,
    np.isposinf: lambda x: x == math.inf, np.isneginf: lambda x: x == -math.inf,
}  # fmt: skip


# -- element by element ----------------------------------------------------------------------------------------


def binary(symbol: str, own: Caller, x: Any, y: Any) -> Array:
    result: Array = own.arithmetic.binary(
        symbol, *with_numpy_kinds(to_traced_array(own, x), to_traced_array(own, y))
    )
    return result


def logical(rule: Callable[[Any, Any], Any], own: Caller, left: Any, right: Any) -> Array:
    truth = own.arithmetic.truth
    return elementwise(
        lambda x, y: rule(truth(x), truth(y)), "b1", to_traced_array(own, left), to_traced_array(own, right)
    )


def logical_not(own: Caller, x: Any) -> Array:
    return elementwise(lambda entry: not own.arithmetic.truth(entry), "b1", to_traced_array(own, x))


def unary(rule: Callable[[Arithmetic, Value, str], Value], kinds: str, own: Caller, x: Any) -> Array:
    (value,) = with_numpy_kinds(to_traced_array(own, x))
    if value.kind not in kinds.split():
        raise NotTraced(f"the function has no rule for {value.kind}")
    return elementwise(lambda entry: rule(own.arithmetic, entry, value.kind), value.kind, value)


def to_whole(rule: str, arithmetic: Arithmetic, x: Value, kind: str) -> Value:
    """Round to an integer by `rule`: floor, ceil, trunc or rint."""
    return arithmetic.round_to_integer(rule, x)


def in_doubles(own: Caller, name: str, x: Any, kind: str = "f8") -> Array:
    """Return an argument of a function as doubles, of which small integers have one of lower precision."""
    given = to_traced_array(own, x)
    if kind == "f8":
        (given,) = with_numpy_kinds(given)
    if given.kind in ("b1", "i1", "i2", "u1", "u2"):
        raise NotTraced(f"{name} of booleans or small integers is of lower precision, which has no rule")
    doubles: Array = own.arithmetic.converted(given, kind)
    return doubles


def square_root(own: Caller, x: Any) -> Array:
    return unary(lambda a, entry, kind: a.sqrt(entry, kind), "f8", own, in_doubles(own, "sqrt", x))


def function(name: str, own: Caller, x: Any) -> Array:
    """A function of NumPy, or of math, that balls enclose."""
    library, _, rule = name.partition(".")
    functions, kind = (NUMPY_FUNCTIONS, "f8") if library == "np" else (MATH_FUNCTIONS, "float")
    value = in_doubles(own, name, x, kind)
    return elementwise(lambda e: own.arithmetic.function(functions[rule], name, e, kind), kind, value)


def hypot(own: Caller, x: Any, y: Any) -> Array:
    """sqrt(x^2 + y^2), as near as a function of a library."""

    def root(p: Value, q: Value) -> Value:
        if not (isinstance(p, Polynomial) and isinstance(q, Polynomial)):
            ends = [v for v in (p, q) if not isinstance(v, Polynomial)]
            return math.inf if any(map(math.isinf, ends)) else math.nan
        squares = p * p + q * q
        if squares.value is not None:
            known = np.hypot(float(p.value or 0), float(q.value or 0))
            return to_traced_array(own, float(known)).value  # type: ignore[no-any-return]
        exact, compute = Atom("sqrt", "", (squares,), False, Fraction(0)), partial(_double_or_none, np.hypot)
        nearest: Value = own.path.rounded(
            own.path.intern_atom(exact), of_sum=False, units=LIBRARY_UNITS, of=(p, q), compute=compute
        )
        return nearest

    return elementwise(root, "f8", *(in_doubles(own, "hypot", side) for side in (x, y)))


def next_double(own: Caller, x1: Any, x2: Any) -> Array:
    """nextafter towards an infinity: a double that misses by a unit in the last place."""
    value, towards = in_doubles(own, "nextafter", x1), own.key(x2)
    if towards not in (math.inf, -math.inf):
        raise NotTraced("nextafter towards what is no infinity has no rule")

    def following(x: Value) -> Value:
        if not isinstance(x, Polynomial) or x.value is not None:
            known = math.nextafter(float(x.value or 0) if isinstance(x, Polynomial) else x, towards)
            return to_traced_array(own, known).value  # type: ignore[no-any-return]
        of = x, Polynomial.constant(1 if towards > 0 else -1)
        compute = partial(_double_or_none, lambda x, sign: math.nextafter(x, sign * math.inf))
        neighbour: Value = own.path.rounded(x, of_sum=False, units=4, of=of, compute=compute)
        return neighbour

    return elementwise(following, "f8", value)


def _double_or_none(rule: Callable[..., float], exact: Fraction, *of: Fraction) -> Fraction | None:
    """Return what a function of a library gives for doubles; None if it overflows."""
    result = float(rule(*map(float, of)))
    return Fraction(result) if math.isfinite(result) else None


def extremum(sign: int, skip_nan: bool, own: Caller, x: Any, y: Any) -> Array:
    left, right = with_numpy_kinds(to_traced_array(own, x), to_traced_array(own, y))
    a, kind = own.arithmetic, promoted_kind(left.kind, right.kind)
    a.check_weak(kind, left, right)
    return elementwise(
        lambda p, q: a.larger(a.convert(p, kind), a.convert(q, kind), sign, skip_nan), kind, left, right
    )


def clip(own: Caller, a: Any, a_min: Any, a_max: Any) -> Array:
    return extremum(-1, False, own, extremum(1, False, own, a, a_min), a_max)


def tested(rule: Callable[[float], bool], own: Caller, x: Any) -> Array:
    """Trace an elementwise test such as np.isnan or np.isfinite."""
    return elementwise(
        lambda e: rule(0.0 if isinstance(e, Polynomial | bool) else e), "b1", to_traced_array(own, x)
    )


def where(own: Caller, condition: Any, x: Any, y: Any) -> Array:
    left, right = to_traced_array(own, x), to_traced_array(own, y)
    a, kind = own.arithmetic, promoted_kind(*(n.kind for n in with_numpy_kinds(left, right)))
    a.check_weak(kind, left, right)

    def pick(c: Entry, p: Entry, q: Entry) -> Entry:
        chosen = p if own.path.visit(a.truth(c)) else q
        return chosen if is_bool_kind(kind) else a.convert(chosen, kind)

    return as_array(elementwise(pick, kind, to_traced_array(own, condition), left, right))


def at_least_one_axis(own: Caller, value: Any) -> Array:
    """np.atleast_1d of one argument."""
    array = array_of(own, value, copy=False)
    return array if array.ndim else Array.of(array.kind, False, array.data.reshape(1))


def select(own: Caller, condlist: Any, choicelist: Any, default: Any = 0) -> Array:
    """The first choice whose condition holds."""
    pairs = list(zip(own.items(condlist), own.items(choicelist), strict=True))
    if any(to_traced_array(own, condition).kind != "b1" for condition, _ in pairs):
        raise NotTraced("np.select of conditions that are no arrays of booleans has no rule")
    result, position = to_traced_array(own, default), own.path.position
    for place, (condition, choice) in reversed([*enumerate(pairs)]):
        own.path.position = (*position, place)
        result = where(own, condition, choice, result)
    return as_array(result)


def searchsorted(own: Caller, a: Any, v: Any, side: str = "left") -> Array:
    """How many entries of a sorted table of known numbers are below v, or with `side="right"` at most v."""
    table, values = with_numpy_kinds(array_of(own, a), to_traced_array(own, v))
    kind, known = promoted_kind(table.kind, values.kind), [getattr(e, "value", e) for e in table.items]
    rising = None not in known and all(low <= high for low, high in itertools.pairwise([-math.inf, *known]))
    if (
        table.runs
        or table.ndim != 1
        or not rising
        or kind not in ("f8", "i8")
        or side not in ("left", "right")
    ):
        raise NotTraced("searchsorted has a rule for a sorted table of known numbers alone")
    entries, symbol = own.arithmetic.converted(table, kind).items, "<" if side == "left" else "<="

    def place(x: Value) -> Value:
        is_nan = not isinstance(x, Polynomial) and math.isnan(x)  # which is sorted to the end
        ahead = itertools.takewhile(lambda entry: is_nan or own.arithmetic.compare(symbol, entry, x), entries)
        return Polynomial.constant(sum(1 for _ in ahead))

    return elementwise(place, "i8", own.arithmetic.converted(values, kind))


def matmul(own: Caller, x1: Any, x2: Any) -> Array:
    """Rows of numbers that are not negative times weights, added in any order, also with fused operations."""
    rows, weights = with_numpy_kinds(to_traced_array(own, x1), to_traced_array(own, x2))
    kind, count = promoted_kind(rows.kind, weights.kind), weights.data.size
    if kind != "f8" or rows.ndim - rows.runs != 1 or weights.runs or weights.ndim != 1:
        raise NotTraced("@ has a rule for rows of doubles by a vector alone")
    if rows.data.shape[-1] != count:
        raise Raised
    factors = own.arithmetic.converted(weights, kind).items

    def product(entries: Sequence[Value]) -> Value:
        parts = list(zip(entries, factors, strict=True))
        if not all(isinstance(number, Polynomial) for part in parts for number in part):
            raise NotTraced("@ of infinities has no rule")
        terms = [number * factor for number, factor in parts]
        ends = [own.path.range(term) for term in terms]
        if not all(
            low is not None and low >= 0 and high is not None and high < HUGE**8 for low, high in ends
        ):
            raise NotTraced("@ has a rule for numbers that are known to be neither negative nor huge")
        exact = sum(terms, Polynomial({}))
        value: Value = own.path.rounded(exact, of_sum=False, units=count + 1, compute=_nearest_double)
        return value

    return reduced(own.arithmetic.converted(rows, kind), -1, product, kind)


def _nearest_double(exact: Fraction) -> Fraction:
    return Fraction(float(exact))


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
        own.path.choices[MIXES_RUNS] = True
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
    kinds = [to_traced_array(own, entry).kind for entry in items]
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
    **{function: partial(unary, partial(to_whole, rule), "f8") for function, rule in ROUND.items()},
    **{function: partial(extremum, *how) for function, how in EXTREMA.items()},
    **{function: partial(tested, test) for function, test in TESTS.items()},
    **{getattr(np, name): partial(reduction, name) for name in ("sum", "max", "min", "any", "all")},
    np.negative: lambda own, x: own.arithmetic.negative(*with_numpy_kinds(to_traced_array(own, x))),
    **{getattr(np, name): partial(function, f"np.{name}") for name in NUMPY_FUNCTIONS},
    np.concatenate: concatenate, np.column_stack: column_stack, np.select: select,
    np.atleast_1d: at_least_one_axis,
    np.nextafter: next_double, np.hypot: hypot,
    np.append: append, np.searchsorted: searchsorted, np.matmul: matmul, np.expand_dims: expand_dims,
    **{getattr(math, name): partial(function, f"math.{name}") for name in MATH_FUNCTIONS if hasattr(math, name)},
    np.logical_not: logical_not, np.sqrt: square_root, np.clip: clip, np.where: where,
    np.zeros: lambda own, shape, dtype=float: full(own, shape, 0, dtype), np.full: full, np.full_like: full_like,
    np.ones: lambda own, shape, dtype=float: full(own, shape, 1, dtype),
    np.zeros_like: lambda own, a, dtype=None: full_like(own, a, 0, dtype),
    np.ones_like: lambda own, a, dtype=None: full_like(own, a, 1, dtype),
    np.array: lambda own, value, dtype=None: array_of(own, value, dtype),
    np.asarray: lambda own, a, dtype=None: array_of(own, a, dtype, copy=False), np.stack: stack,
    np.broadcast_arrays: broadcast_arrays, np.broadcast_to: broadcast_to,
    **{getattr(np, name): partial(attribute_of, name) for name in ("ndim", "shape", "size")},
}  # fmt: skip
#: Methods of arrays, by rules that take the array first.
METHODS: dict[str, Callable[..., Any]] = {
    **{name: partial(reduction, name) for name in ("sum", "max", "min", "any", "all")},
    "clip": clip, "round": RULES[np.round], "astype": lambda own, a, dtype: cast(own, a, dtype), "item": item,
    "copy": lambda own, a: a if a.is_scalar else array_of(own, a), "reshape": reshape,
}  # fmt: skip
