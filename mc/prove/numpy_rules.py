"""Rules for NumPy's functions, and for methods of arrays, on traced numbers. What is not here has none."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Sequence
from functools import partial, reduce
from typing import Any, TypeAlias

import numpy as np

from filterproof.mc.prove.arithmetic import Arithmetic
from filterproof.mc.prove.paths import NotTraced, Raised, Value
from filterproof.mc.prove.polynomials import Polynomial
from filterproof.mc.prove.values import (
    INTEGERS,
    NUMPY,
    PYTHON,
    Array,
    Entry,
    Native,
    Number,
    as_number,
    constant_of,
    elementwise,
    has_runs,
    is_bool,
    is_float,
    kind_of_dtype,
    lift,
    numpy_kind,
    promote,
    python_kind,
    reduced,
)

#: The interpreter on whose behalf a rule computes.
Caller: TypeAlias = Any
MAX_TABLE, MAX_ENTRIES = 24, 64

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


def number(own: Caller, value: Any) -> Array:
    """An argument as an array or a scalar."""
    found = lift(value)
    if found is None:
        return array_of(own, value)
    if found.kind not in (*PYTHON, *NUMPY):
        raise NotTraced("a part of a budget's sum is used as a number")
    return found


def numpy_scalars(*given: Array) -> list[Array]:
    """Python's numbers as NumPy's functions see them, where no array decides the kind."""
    if any(g.kind not in PYTHON for g in given):
        return list(given)
    return [Array.of(numpy_kind(g.kind), False, g.data) for g in given]


def dtype_kind(given: Any, default: str) -> str:
    return default if given is None else kind_of_dtype(given)


# -- element by element ----------------------------------------------------------------------------------------


def binary(symbol: str, own: Caller, one: Any, two: Any) -> Array:
    made: Array = own.arithmetic.binary(symbol, *numpy_scalars(number(own, one), number(own, two)))
    return made


def logical(rule: Callable[[Any, Any], Any], own: Caller, one: Any, two: Any) -> Array:
    truth = own.arithmetic.truth
    return elementwise(lambda x, y: rule(truth(x), truth(y)), "b1", number(own, one), number(own, two))


def logical_not(own: Caller, x: Any) -> Array:
    return elementwise(lambda entry: not own.arithmetic.truth(entry), "b1", number(own, x))


def unary(rule: Callable[[Arithmetic, Value, str], Value], kinds: str, own: Caller, x: Any) -> Array:
    (value,) = numpy_scalars(number(own, x))
    if value.kind not in kinds.split():
        raise NotTraced(f"the function has no rule for {value.kind}")
    return elementwise(lambda entry: rule(own.arithmetic, entry, value.kind), value.kind, value)


def square_root(own: Caller, x: Any) -> Array:
    value = own.arithmetic.converted(*numpy_scalars(number(own, x)), "f8")
    return unary(lambda a, entry, kind: a.sqrt(entry, kind), "f8", own, value)


def extremum(sign: int, skip_nan: bool, own: Caller, x: Any, y: Any) -> Array:
    one, two = numpy_scalars(number(own, x), number(own, y))
    a, kind = own.arithmetic, promote(one.kind, two.kind)
    a.check_weak(kind, one, two)
    return elementwise(
        lambda p, q: a.larger(a.convert(p, kind), a.convert(q, kind), sign, skip_nan), kind, one, two
    )


def clip(own: Caller, a: Any, a_min: Any, a_max: Any) -> Array:
    return extremum(-1, False, own, extremum(1, False, own, a, a_min), a_max)


def tested(rule: Callable[[float], bool], own: Caller, x: Any) -> Array:
    return elementwise(lambda e: rule(0.0 if isinstance(e, Polynomial | bool) else e), "b1", number(own, x))


def where(own: Caller, condition: Any, x: Any, y: Any) -> Array:
    one, two = number(own, x), number(own, y)
    a, kind = own.arithmetic, promote(*(n.kind for n in numpy_scalars(one, two)))
    a.check_weak(kind, one, two)

    def pick(c: Entry, p: Entry, q: Entry) -> Entry:
        chosen = p if a.truth(c) else q
        return chosen if is_bool(kind) else a.convert(chosen, kind)

    return elementwise(pick, kind, number(own, condition), one, two)


def select(own: Caller, condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    pairs = list(zip(own.items(condlist), own.items(choicelist), strict=True))
    return reduce(lambda rest, pair: where(own, *pair, rest), reversed(pairs), default)


# -- making arrays ---------------------------------------------------------------------------------------------


def shape_of(own: Caller, shape: Any) -> tuple[bool, tuple[int, ...]]:
    """Whether a shape begins with the number of runs, and the shape of an array of one run."""
    sizes = list(shape) if isinstance(shape, tuple | list) else [shape]
    runs = bool(sizes) and isinstance(sizes[0], Array) and constant_of(sizes[0]) is None
    if runs and sizes[0].value != own.runs().value:
        raise NotTraced("a length is computed from the number of runs")
    tail = tuple(operator.index(own.key(s)) for s in sizes[runs:])
    if math.prod(tail) > MAX_ENTRIES:
        raise NotTraced(f"an array of more than {MAX_ENTRIES} entries for each run has no rule")
    return runs, (1,) * runs + tail


def spread(value: Array, runs: bool, shape: tuple[int, ...]) -> Any:
    """The entries of an array at each place of a shape."""
    if has_runs((value, Array.of("f8", runs, np.empty(shape, object)))) != runs:
        raise NotTraced("an array with runs is given to one without")
    try:
        return np.broadcast_to(value.data, shape)
    except ValueError:
        raise Raised from None


def full(own: Caller, shape: Any, fill_value: Any, dtype: Any = None) -> Array:
    entry = number(own, fill_value)
    kind = dtype_kind(dtype, numpy_kind(entry.kind))
    runs, sizes = shape_of(own, shape)
    return Array.of(kind, runs, spread(own.arithmetic.cast(entry, kind), runs, sizes).copy(), not sizes)


def full_like(own: Caller, a: Any, fill_value: Any, dtype: Any = None) -> Array:
    (like,) = numpy_scalars(number(own, a))
    kind = dtype_kind(dtype, like.kind)
    entry = own.arithmetic.cast(number(own, fill_value), kind)
    return Array.of(kind, like.runs, spread(entry, like.runs, like.data.shape).copy(), not like.ndim)


def array_of(own: Caller, value: Any, dtype: Any = None, copy: bool = True) -> Array:
    """np.array, or np.asarray where it does not copy."""
    made = lift(value)
    if made is None:
        if not isinstance(value, tuple | list):
            raise NotTraced("a function of NumPy is given what is no number")
        parts = [number(own, v) for v in value]
        if any(p.runs for p in parts):
            raise NotTraced("np.array of these entries has no rule")
        made = stack(own, parts) if parts else Array("f8", False, (0,), [])
    elif made.is_scalar:
        made = Array.of(numpy_kind(made.kind), False, made.data.copy(), box=True)
    elif copy:
        made = Array.of(made.kind, made.runs, made.data.copy(), made.box)
    kind = dtype_kind(dtype, made.kind)
    return made if kind == made.kind else cast(own, made, kind)


def stack(own: Caller, arrays: Any, axis: Any = 0) -> Array:
    parts = numpy_scalars(*(number(own, v) for v in own.items(arrays)))
    at, kind = own.key(axis), reduce(promote, (p.kind for p in parts))
    if len({(p.runs, p.data.shape) for p in parts}) != 1:  # raises, but for lengths that happen to agree
        raise NotTraced("arrays of several shapes are stacked")
    if parts[0].runs and at in (0, -parts[0].ndim - 1):
        raise NotTraced("np.stack puts an axis before the runs; pass axis=1")
    return Array.of(
        kind, parts[0].runs, np.stack([own.arithmetic.converted(p, kind).data for p in parts], at)
    )


def broadcast_arrays(own: Caller, *args: Any) -> tuple[Array, ...]:
    arrays = numpy_scalars(*(number(own, a) for a in args))
    runs = has_runs(arrays)
    shape = np.broadcast_shapes(*(a.data.shape for a in arrays))
    return tuple(
        Array.of(numpy_kind(a.kind), runs, np.broadcast_to(a.data, shape), not shape) for a in arrays
    )


def broadcast_to(own: Caller, array: Any, shape: Any) -> Array:
    value = number(own, array)
    runs, sizes = shape_of(own, shape)
    return Array.of(numpy_kind(value.kind), runs, spread(value, runs, sizes), not sizes)


def reshape(own: Caller, a: Array, *shape: Any) -> Array:
    """A view of another shape, in which the runs stay the first axis."""
    sizes = list(shape[0]) if len(shape) == 1 and isinstance(shape[0], tuple | list) else list(shape)
    if a.runs:
        if not sizes or (sizes[0] != -1 and not (isinstance(sizes[0], Array) and shape_of(own, sizes[0])[0])):
            raise NotTraced("reshape mixes the runs")
        sizes[0] = 1
    try:
        return Array.of(a.kind, a.runs, a.data.reshape([own.key(s) for s in sizes]))
    except ValueError:
        raise NotTraced("reshape has no rule here") from None


# -- reductions ------------------------------------------------------------------------------------------------


def reduction(name: str, own: Caller, a: Any, axis: Any = None) -> Any:
    (value,) = numpy_scalars(number(own, a))
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
        if is_bool(kind):
            raise NotTraced(f"{name} of booleans has no rule")
        sign = 1 if name == "max" else -1
        return reduced(value, at, lambda e: reduce(lambda x, y: arithmetic.larger(x, y, sign), e), kind)
    if not is_float(kind):
        kind = "u8" if kind[0] == "u" else "i8"
    return reduced(
        value, at, lambda e: reduce(lambda x, y: arithmetic.add(x, y, kind), map(as_number, e)), kind
    )


def fold(own: Caller, function: Any, entries: Iterable[Any]) -> Any:
    """`function.reduce` of a sequence."""
    items = list(own.items(entries))
    if not items:
        raise NotTraced("nothing is reduced")
    return reduce(lambda x, y: own.call(function, [x, y], {}), items)


# -- attributes, items -----------------------------------------------------------------------------------------


def attribute(own: Caller, array: Array, name: str) -> Any:
    """An attribute of an array, or a method."""
    if array.kind in PYTHON and not hasattr({"bool": bool, "int": int, "float": float}[array.kind], name):
        own.path.differs = True
        raise Raised
    shape = ((own.runs(),) if array.runs else ()) + array.tail
    if name in METHODS and number(own, array) is array:
        return Native(partial(METHODS[name], own, array), name)
    if name == "size" and len(shape) == 1:
        return shape[0]
    if name == "T" and array.ndim == 1:
        return array
    if name == "dtype":
        return np.dtype(array.kind if array.kind in NUMPY else "f8")
    if name not in ("ndim", "shape"):
        raise NotTraced(f"{name} of an array has no rule")
    return shape if name == "shape" else array.ndim


def scalar(own: Caller, kind: type, x: Any = 0) -> Array:
    """np.int64(x), say."""
    made: Array = own.arithmetic.cast(number(own, x), kind_of_dtype(kind))
    return made


def attribute_of(name: str, own: Caller, a: Any) -> Any:
    return attribute(own, *numpy_scalars(number(own, a)), name)


def cast(own: Caller, a: Array, dtype: Any) -> Array:
    made: Array = own.arithmetic.cast(a, kind_of_dtype(dtype))
    made.box = a.box
    return made


def item(own: Caller, a: Array) -> Array:
    if a.data.size != 1:
        raise Raised
    return Number(python_kind(a.kind), a.items[0])


def index(own: Caller, array: Array, given: Any) -> Any:
    """array[given]: a view, or an entry."""
    if isinstance(given, Array | np.ndarray) and constant_of(given) is None:
        at = number(own, given)
        if at.kind not in ("int", *INTEGERS) or array.runs or array.ndim != 1:
            raise NotTraced("a mask, or an index of the runs, picks a number of entries that is not known")
        return elementwise(lambda i: table(own, array.items, i), array.kind, at)
    picked = array.data[place(own, array, given)]
    return (
        Array.of(array.kind, array.runs, picked)
        if isinstance(picked, np.ndarray)
        else Number(array.kind, picked)
    )


def place(own: Caller, array: Array, given: Any) -> tuple[Any, ...]:
    """An index of NumPy, which keeps the axis of runs whole."""
    parts = [one if one is None or one is Ellipsis or isinstance(one, slice) else own.key(one)
             for one in (given if isinstance(given, tuple) else (given,))]  # fmt: skip
    axes = sum(one is not None and one is not Ellipsis for one in parts)
    is_whole = parts and (
        (isinstance(parts[0], slice) and parts[0] == slice(None))
        or (parts[0] is Ellipsis and axes < array.ndim)
    )
    if array.runs and not is_whole:
        raise NotTraced("some of the runs are read, which are not the others")
    if any(type(one) not in (int, slice) for one in parts if one is not None and one is not Ellipsis):
        raise NotTraced("an index that is no integer has no rule")
    try:
        array.data[tuple(parts)]
    except IndexError:
        raise Raised from None
    return tuple(parts)


def table(own: Caller, entries: Sequence[Any], at: Value) -> Any:
    """The entry at an index that is not known: each in turn, negative ones from the end."""
    if len(entries) > MAX_TABLE:
        raise NotTraced("a long table is read at an index that is not known")
    for k, entry in enumerate(entries):
        for where_ in (k, k - len(entries)):
            if own.arithmetic.compare("==", at, Polynomial.constant(where_)):
                return entry
    raise Raised


def store(own: Caller, array: Array, given: Any, value: Any) -> None:
    """array[given] = value."""
    if not array.data.flags.writeable:
        raise NotTraced("an array is written in place that another call may share")
    new = number(own, value)
    if promote(new.kind, array.kind) != array.kind and new.kind not in PYTHON and is_float(new.kind):
        raise NotTraced("numbers are stored in an array of another kind")
    own.arithmetic.check_weak(array.kind, new)
    entries = own.arithmetic.cast(new, array.kind)
    if isinstance(given, Array) and given.ndim:
        if given.kind != "b1" or (given.runs, given.data.shape) != (array.runs, array.data.shape) or new.ndim:
            raise NotTraced("a mask of another shape, or one that is given an array, has no rule")
        array.data[given.data.astype(bool)] = entries.value
        return
    at = place(own, array, given)
    target = array.data[at]
    if not isinstance(target, np.ndarray):
        array.data[at] = entries.value if entries.ndim == 0 else item(own, entries).value
        return
    view = Array.of(array.kind, array.runs, target)
    target[...] = spread(entries, view.runs, target.shape)


RULES: dict[Any, Callable[..., Any]] = {
    **{function: partial(binary, symbol) for function, symbol in SYMBOLS.items()},
    **{function: partial(logical, rule) for function, rule in LOGIC.items()},
    **{function: partial(unary, rule, "f8 i4 i8") for function, rule in UNARY.items()},
    **{f: partial(unary, lambda a, x, kind, how=how: a.whole(how, x), "f8") for f, how in ROUND.items()},
    **{function: partial(extremum, *how) for function, how in EXTREMA.items()},
    **{function: partial(tested, test) for function, test in TESTS.items()},
    **{getattr(np, name): partial(reduction, name) for name in ("sum", "max", "min", "any", "all")},
    np.negative: lambda own, x: own.arithmetic.negative(*numpy_scalars(number(own, x))),
    np.logical_not: logical_not, np.sqrt: square_root, np.clip: clip, np.where: where, np.select: select,
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
