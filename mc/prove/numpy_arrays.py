"""Rules for making arrays of traced numbers, reading parts of them and writing into them."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from functools import reduce
from typing import Any, NoReturn, TypeAlias

import numpy as np

from filterproof.mc.prove.paths import NotTraced, Raised, Value
from filterproof.mc.prove.polynomials import Polynomial
from filterproof.mc.prove.values import (
    INTEGERS,
    NUMPY,
    PYTHON,
    Array,
    Number,
    RuleFunction,
    as_numpy_kind,
    as_python_kind,
    constant_of,
    elementwise,
    entry_as_number,
    is_float_kind,
    kind_of_dtype,
    lift,
    promoted_kind,
    result_has_runs,
)

#: The interpreter on whose behalf a rule computes.
Caller: TypeAlias = Any
MAX_TABLE, MAX_ENTRIES = 24, 64


def to_traced_array(own: Caller, value: Any) -> Array:
    """Return an argument as a traced array or scalar."""
    array = lift(value)
    if array is None:
        return array_of(own, value)
    if array.kind not in (*PYTHON, *NUMPY):
        raise NotTraced("a part of a budget's sum is used as a number")
    return array


def with_numpy_kinds(*given: Array) -> list[Array]:
    """Return arrays with Python's number kinds replaced by NumPy's if no array decides the kind."""
    if any(g.kind not in PYTHON for g in given):
        return list(given)
    return [Array.of(as_numpy_kind(g.kind), False, g.data) for g in given]


def dtype_kind(given: Any, default: str) -> str:
    return default if given is None else kind_of_dtype(given)


def split_runs_from_shape(own: Caller, shape: Any) -> tuple[bool, tuple[int, ...]]:
    """Return whether a shape begins with the number of runs, and the shape of one run's array."""
    sizes = list(shape) if isinstance(shape, tuple | list) else [shape]
    runs = bool(sizes) and isinstance(sizes[0], Array) and constant_of(sizes[0]) is None
    if runs and sizes[0].value != own.number_of_runs().value:
        raise NotTraced("a length is computed from the number of runs")
    tail = tuple(operator.index(own.key(s)) for s in sizes[runs:])
    if math.prod(tail) > MAX_ENTRIES:
        raise NotTraced(f"an array of more than {MAX_ENTRIES} entries for each run has no rule")
    return runs, (1,) * runs + tail


def broadcast_entries(value: Array, runs: bool, shape: tuple[int, ...]) -> Any:
    """Return the entries of an array, broadcast to a shape."""
    if result_has_runs((value, Array.of("f8", runs, np.empty(shape, object)))) != runs:
        raise NotTraced("an array with runs is given to one without")
    try:
        return np.broadcast_to(value.data, shape)
    except ValueError:
        raise Raised from None


def full(own: Caller, shape: Any, fill_value: Any, dtype: Any = None) -> Array:
    entry = to_traced_array(own, fill_value)
    kind = dtype_kind(dtype, as_numpy_kind(entry.kind))
    runs, sizes = split_runs_from_shape(own, shape)
    return Array.of(
        kind, runs, broadcast_entries(own.arithmetic.cast(entry, kind), runs, sizes).copy(), not sizes
    )


def full_like(own: Caller, a: Any, fill_value: Any, dtype: Any = None) -> Array:
    (like,) = with_numpy_kinds(to_traced_array(own, a))
    kind = dtype_kind(dtype, like.kind)
    entry = own.arithmetic.cast(to_traced_array(own, fill_value), kind)
    return Array.of(
        kind, like.runs, broadcast_entries(entry, like.runs, like.data.shape).copy(), not like.ndim
    )


def array_of(own: Caller, value: Any, dtype: Any = None, copy: bool = True) -> Array:
    """np.array, or np.asarray where it does not copy."""
    array = lift(value)
    if array is None:
        if not isinstance(value, tuple | list):
            raise NotTraced("a function of NumPy is given what is no number")
        parts = [to_traced_array(own, v) for v in value]
        if any(p.runs for p in parts):
            raise NotTraced("np.array of these entries has no rule")
        array = stack(own, parts) if parts else Array("f8", False, (0,), [])
    elif array.is_scalar:
        array = Array.of(as_numpy_kind(array.kind), False, array.data.copy(), box=True)
    elif copy:
        array = Array.of(array.kind, array.runs, array.data.copy(), array.box)
    kind = dtype_kind(dtype, array.kind)
    return array if kind == array.kind else cast(own, array, kind)


def as_array(result: Array) -> Array:
    """Return what NumPy gives as an array also where it has no axis."""
    return Array.of(result.kind, result.runs, result.data, box=not result.ndim)


def stack(own: Caller, arrays: Any, axis: Any = 0) -> Array:
    parts = with_numpy_kinds(*(to_traced_array(own, v) for v in own.items(arrays)))
    at, kind = own.key(axis), reduce(promoted_kind, (p.kind for p in parts))
    if len({(p.runs, p.data.shape) for p in parts}) != 1:  # raises, but for lengths that happen to agree
        raise NotTraced("arrays of several shapes are stacked")
    if parts[0].runs and at in (0, -parts[0].ndim - 1):
        raise NotTraced("np.stack puts an axis before the runs; pass axis=1")
    return Array.of(
        kind, parts[0].runs, np.stack([own.arithmetic.converted(p, kind).data for p in parts], at)
    )


def broadcast_arrays(own: Caller, *args: Any) -> tuple[Array, ...]:
    arrays = with_numpy_kinds(*(to_traced_array(own, a) for a in args))
    runs = result_has_runs(arrays)
    shape = np.broadcast_shapes(*(a.data.shape for a in arrays))
    return tuple(
        Array.of(as_numpy_kind(a.kind), runs, np.broadcast_to(a.data, shape), not shape) for a in arrays
    )


def broadcast_to(own: Caller, array: Any, shape: Any) -> Array:
    value = to_traced_array(own, array)
    runs, sizes = split_runs_from_shape(own, shape)
    return Array.of(as_numpy_kind(value.kind), runs, broadcast_entries(value, runs, sizes), not sizes)


def reshape(own: Caller, a: Array, *shape: Any) -> Array:
    """A view of another shape, in which the runs stay the first axis."""
    sizes = list(shape[0]) if len(shape) == 1 and isinstance(shape[0], tuple | list) else list(shape)
    if a.runs:
        if not sizes or (
            sizes[0] != -1 and not (isinstance(sizes[0], Array) and split_runs_from_shape(own, sizes[0])[0])
        ):
            raise NotTraced("reshape mixes the runs")
        sizes[0] = 1
    try:
        return as_array(Array.of(a.kind, a.runs, a.data.reshape([own.key(s) for s in sizes])))
    except ValueError:
        raise NotTraced("reshape has no rule here") from None


def concatenate(own: Caller, arrays: Any, axis: Any = 0) -> Array:
    """The entries of several arrays along an axis other than that of the runs, one array after the other."""
    parts = [array_of(own, array) for array in own.items(arrays)]
    kind, runs = reduce(promoted_kind, (part.kind for part in parts)), result_has_runs(parts)
    if len({(part.runs, part.ndim) for part in parts}) != 1 or (runs and own.key(axis) % parts[0].ndim == 0):
        raise NotTraced("arrays are joined along the axis of the runs; pass axis=1, say")
    entries = [own.arithmetic.converted(part, kind).data for part in parts]
    try:
        return Array.of(kind, runs, np.concatenate(entries, own.key(axis)))
    except ValueError:
        raise Raised from None


def append(own: Caller, arr: Any, values: Any, axis: Any = None) -> Array:
    """np.append; without an axis, of arrays without runs."""
    parts = [array_of(own, array) for array in (arr, values)]
    if axis is None and any(part.runs for part in parts):
        raise NotTraced("np.append mixes the runs")
    flat = [Array.of(part.kind, False, part.data.ravel()) for part in parts]
    return concatenate(own, parts if axis is not None else flat, axis or 0)


def column_stack(own: Caller, tup: Any) -> Array:
    """Arrays with one entry, or several, for each run, side by side."""
    parts = [array_of(own, array) for array in own.items(tup)]
    if not all(part.runs for part in parts):
        raise NotTraced("column_stack of arrays without runs has no rule")
    columns = [Array.of(p.kind, True, p.data[:, None] if p.ndim == 1 else p.data) for p in parts]
    return concatenate(own, columns, 1)


def expand_dims(own: Caller, a: Any, axis: Any) -> Array:
    """An array with an axis more, behind that of the runs."""
    (value,), at = with_numpy_kinds(to_traced_array(own, a)), own.key(axis)
    if type(at) is not int or (value.runs and at in (0, -value.ndim - 1)):
        raise NotTraced("an axis before the runs, or several at once, have no rule")
    data = np.expand_dims(value.data, at)
    return Array.of(value.kind, value.runs, data)


def scalar(own: Caller, kind: type, x: Any = 0) -> Array:
    """Trace a NumPy scalar type's call, such as np.int64(x)."""
    result: Array = own.arithmetic.cast(to_traced_array(own, x), kind_of_dtype(kind))
    return result


def cast(own: Caller, a: Array, dtype: Any) -> Array:
    """Trace `a.astype(dtype)`."""
    result: Array = own.arithmetic.cast(a, kind_of_dtype(dtype))
    result.box = a.box
    return result


def item(own: Caller, a: Array) -> Array:
    """Trace `a.item()`."""
    if a.data.size != 1:
        raise Raised
    return Number(as_python_kind(a.kind), a.items[0])


def _refuse_arange_of_runs(*args: Any) -> NoReturn:
    raise NotTraced("np.arange of the runs has a rule as the first index alone")


#: np.arange(n), for n runs.
EACH_RUN = RuleFunction(_refuse_arange_of_runs, "arange")


def run_column_or_none(own: Caller, array: Array, given: Any) -> int | None:
    """Return the column k of the index a[np.arange(n), k]; None for any other index."""
    if not (isinstance(given, tuple) and len(given) == 2 and given[0] is EACH_RUN):
        return None
    at = to_traced_array(own, given[1])
    if array.ndim != 2 or not array.runs or at.kind not in ("int", *INTEGERS) or at.data.size != 1:
        raise NotTraced("this index of each run has no rule")
    column: int = entry_at_unknown_index(own, range(array.data.shape[1]), entry_as_number(at.items[0]))
    return column


def index(own: Caller, array: Array, given: Any) -> Any:
    """array[given]: a view, or an entry."""
    if (own_column := run_column_or_none(own, array, given)) is not None:
        return Array(array.kind, True, (), [array.data[0, own_column]])
    if isinstance(given, Array | np.ndarray) and constant_of(given) is None:
        at = to_traced_array(own, given)
        if at.kind not in ("int", *INTEGERS) or array.runs or array.ndim != 1:
            raise NotTraced("a mask, or an index of the runs, picks a number of entries that is not known")
        return elementwise(lambda i: entry_at_unknown_index(own, array.items, i), array.kind, at)
    picked = array.data[index_keeping_runs(own, array, given)]
    if isinstance(picked, np.ndarray):
        return as_array(Array.of(array.kind, array.runs, picked))
    return Number(array.kind, picked)


def index_keeping_runs(own: Caller, array: Array, given: Any) -> tuple[Any, ...]:
    """Return a NumPy index that keeps every run; raise NotTraced for any other."""
    parts = [part if part is None or part is Ellipsis or isinstance(part, slice) else own.key(part)
             for part in (given if isinstance(given, tuple) else (given,))]  # fmt: skip
    axes = sum(part is not None and part is not Ellipsis for part in parts)
    is_whole = parts and (
        (isinstance(parts[0], slice) and parts[0] == slice(None))
        or (parts[0] is Ellipsis and axes < array.ndim)
    )
    if array.runs and not is_whole:
        raise NotTraced("some of the runs are read, which are not the others")
    if any(type(part) not in (int, slice) for part in parts if part is not None and part is not Ellipsis):
        raise NotTraced("an index that is no integer has no rule")
    try:
        array.data[tuple(parts)]
    except IndexError:
        raise Raised from None
    return tuple(parts)


def entry_at_unknown_index(own: Caller, entries: Sequence[Any], at: Value) -> Any:
    """Return the entry at an unknown index, each on a path of its own."""
    if len(entries) > MAX_TABLE:
        raise NotTraced("a long table is read at an index that is not known")
    for k, entry in enumerate(entries):
        for where_ in (k, k - len(entries)):
            if own.arithmetic.compare("==", at, Polynomial.constant(where_)):
                return entry
    raise Raised


def set_item(own: Caller, array: Array, given: Any, value: Any) -> None:
    """array[given] = value."""
    if not array.data.flags.writeable:
        raise NotTraced("an array is written in place that another call may share")
    new = to_traced_array(own, value)
    if (
        promoted_kind(new.kind, array.kind) != array.kind
        and new.kind not in PYTHON
        and is_float_kind(new.kind)
    ):
        raise NotTraced("numbers are stored in an array of another kind")
    own.arithmetic.check_weak(array.kind, new)
    entries = own.arithmetic.cast(new, array.kind)
    if (own_column := run_column_or_none(own, array, given)) is not None:
        array.data[0, own_column] = broadcast_entries(entries, True, (1,))[0]
        return
    if isinstance(given, Array) and given.ndim:
        if given.kind != "b1" or (given.runs, given.data.shape) != (array.runs, array.data.shape) or new.ndim:
            raise NotTraced("a mask of another shape, or one that is given an array, has no rule")
        array.data[given.data.astype(bool)] = entries.value
        return
    at = index_keeping_runs(own, array, given)
    target = array.data[at]
    if not isinstance(target, np.ndarray):
        array.data[at] = entries.value if entries.ndim == 0 else item(own, entries).value
        return
    view = Array.of(array.kind, array.runs, target)
    target[...] = broadcast_entries(entries, view.runs, target.shape)
