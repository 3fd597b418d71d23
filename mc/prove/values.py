"""Traced arrays: their entries are polynomials, booleans, infinities or NaN; each has a NumPy kind.

An array of runs has a first axis of length 1, the one run that is traced: every run is treated alike. What would mix
runs is refused. Shapes, views and broadcasting are NumPy's own, on arrays of objects.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from types import NoneType
from typing import Any, TypeAlias

import numpy as np

from filterproof.filters.contract.library import is_library_class
from filterproof.mc.prove.paths import NotTraced, Raised, Value
from filterproof.mc.prove.polynomials import Polynomial

#: Python's own kinds, and NumPy's.
PYTHON = ("bool", "int", "float")
INTEGERS = {
    f"{s}{b}": (0 if s == "u" else -(2 ** (8 * b - 1)), 2 ** (8 * b - (s == "i")) - 1)
    for s in "iu"
    for b in (1, 2, 4, 8)
}
NUMPY = ("b1", *INTEGERS, "f8")

Entry: TypeAlias = Value | bool


class Array:
    """A traced array or scalar of one kind, maybe with a first axis of runs.

    Parameters
    ----------
    kind
        NumPy's kind ("f8"), or a type of Python ("float").
    runs
        Whether the first axis is that of the runs.
    tail
        The shape after the runs.
    items
        The entries of one run in C order.
    writable
        Whether the code may write into it.
    box
        Whether it is an array where it has no axis, and no scalar.
    """

    __slots__ = ("box", "data", "kind", "runs")

    def __init__(
        self,
        kind: str,
        runs: bool,
        tail: tuple[int, ...],
        items: Iterable[Any],
        writable: bool = True,
        box: bool = False,
    ) -> None:
        data = np.empty(math.prod(tail), object)
        data[:] = list(items)
        self.kind, self.runs, self.box = kind, runs, box
        self.data: Any = data.reshape((1,) * runs + tuple(tail))
        self.data.flags.writeable = writable

    @classmethod
    def of(cls, kind: str, runs: bool, data: Any, box: bool = False) -> Array:
        """An array with these objects, or a view of them."""
        array = cls.__new__(cls)
        if not isinstance(data, np.ndarray):
            entry, data = data, np.empty((), object)
            data[()] = entry
        array.kind, array.runs, array.data, array.box = kind, runs, data, box
        return array

    def __bool__(self) -> bool:
        raise NotTraced("a number that is not known decides where no rule looks")

    @property
    def items(self) -> list[Any]:
        return list(self.data.ravel())

    @property
    def value(self) -> Any:
        """The entry of a scalar."""
        return self.data[()]

    @property
    def tail(self) -> tuple[int, ...]:
        """The shape without the axis of runs."""
        return tuple(self.data.shape[self.runs :])

    @property
    def ndim(self) -> int:
        return int(self.data.ndim)

    @property
    def is_scalar(self) -> bool:
        return self.data.ndim == 0 and not self.box


@dataclass(eq=False, frozen=True)
class RuleFunction:
    """A function or method that one of the prover's rules computes."""

    call: Callable[..., Any]
    name: str


@dataclass(eq=False)
class SingleUse:
    """An iterator: its items are computed when they are asked for, once."""

    rest: Iterable[Any]
    taken: bool = False


class UnreadText:
    """A text of numbers that are not known, as messages have: nothing may read it."""


def Number(kind: str, value: Any) -> Array:
    """Return a traced scalar."""
    return Array.of(kind, False, value)


def is_float_kind(kind: str) -> bool:
    """Whether a kind is Python's or NumPy's floating point."""
    return kind in ("float", "f8")


def is_bool_kind(kind: str) -> bool:
    """Whether a kind is Python's or NumPy's boolean."""
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


def as_numpy_kind(kind: str) -> str:
    """Return NumPy's kind for a kind: "float" gives "f8"."""
    return {"bool": "b1", "int": "i8", "float": "f8"}.get(kind, kind)


def as_python_kind(kind: str) -> str:
    """Return Python's kind for a kind: "f8" gives "float"."""
    return "bool" if is_bool_kind(kind) else "float" if is_float_kind(kind) else "int"


def lift(value: object) -> Array | None:
    """Return a concrete number or array as a traced one; None for any other value."""
    if isinstance(value, Array):
        return value
    if isinstance(value, np.ndarray):
        kind = kind_of_dtype(value.dtype)
        return Array(kind, False, value.shape, map(_entry_of_number, value.ravel().tolist()), False, box=True)
    if isinstance(value, np.generic):
        return Number(kind_of_dtype(value.dtype), _entry_of_number(value.item()))
    if type(value) in (bool, int, float):
        return Number(type(value).__name__, _entry_of_number(value))
    return None


def _entry_of_number(value: Any) -> Entry:
    """Return a Python number as an entry: a constant polynomial, a boolean, an infinity or NaN."""
    if isinstance(value, bool) or (isinstance(value, float) and not math.isfinite(value)):
        return value
    return Polynomial.constant(Fraction(value))


def constant_of(value: object) -> Any:
    """Return the number that a traced scalar equals; None where it is not known."""
    if not isinstance(value, Array):
        return value.item() if isinstance(value, np.generic) else value
    if not value.is_scalar:
        return None
    if isinstance(value.value, Polynomial):
        number = value.value.value
        return number if number is None else float(number) if is_float_kind(value.kind) else int(number)
    return value.value


def concrete_value(value: Any) -> Any:
    """Return a value for a library's function, without traced parts; raise NotTraced for unknown ones."""
    if isinstance(value, tuple | list):
        return type(value)(map(concrete_value, value))
    kind: Any = type(value)
    if not isinstance(value, Array):
        kinds = (bool, int, float, str, NoneType, np.ndarray)
        own = is_library_class(kind) and not kind.__module__.startswith("filterproof.mc.")  # no traced value
        if kind not in kinds and not isinstance(value, np.generic | type) and not own:
            raise NotTraced(f"{kind.__name__} is passed to a function of a library")
        return value
    numbers = [constant_of(Number(as_python_kind(value.kind), item)) for item in value.items]
    if value.runs or None in numbers:
        raise NotTraced("a number that is not known is passed to a function of a library")
    if value.is_scalar:
        return numbers[0] if value.kind in PYTHON else np.dtype(value.kind).type(numbers[0])
    return np.array(numbers, dtype=value.kind).reshape(value.tail)


def promoted_kind(left: str, right: str) -> str:
    """Return the kind of an arithmetic result by NumPy 2's promotion rules."""
    if not {left, right} <= {*PYTHON, *NUMPY}:
        raise NotTraced("a part of a budget's sum is used as a number")
    if left in PYTHON and right in PYTHON:
        return max(left, right, key=PYTHON.index)
    if left in PYTHON or right in PYTHON:
        weak, kind = (left, right) if left in PYTHON else (right, left)
        if weak == "float":
            return "f8"
        return "i8" if weak == "int" and kind == "b1" else kind
    return kind_of_dtype(np.promote_types(np.dtype(left), np.dtype(right)))


def entry_as_number(entry: Entry) -> Value:
    """Return an entry as a number: booleans become 0 and 1."""
    return Polynomial.constant(int(entry)) if isinstance(entry, bool | np.bool_) else entry


def result_has_runs(given: Iterable[Array]) -> bool:
    """Whether a result of these arrays has the axis of runs; raise NotTraced unless that axis is first."""
    arrays = list(given)
    ndim, runs = max(a.ndim for a in arrays), any(a.runs for a in arrays)
    for a in arrays:
        if runs and a.ndim == ndim and not a.runs and a.data.shape[0] != 1:
            raise NotTraced("an axis of runs meets another axis")
        if a.runs and a.ndim != ndim:
            raise NotTraced("the runs are not the first axis")
    return runs


def has_runs_and_views(*given: Array) -> tuple[bool, list[Any]]:
    """Return whether the broadcast arrays have runs, and views of their entries in one shape."""
    runs = result_has_runs(given)
    try:
        return runs, list(np.broadcast_arrays(*(g.data for g in given)))
    except ValueError:
        raise Raised from None


def elementwise(rule: Callable[..., Entry], kind: str, *given: Array) -> Array:
    """Return an array with `rule` of the broadcast entries at each place."""
    runs, views = has_runs_and_views(*given)
    entries = np.empty(views[0].shape, object)
    for place in np.ndindex(entries.shape):
        entries[place] = rule(*(view[place] for view in views))
    return Array.of(kind, runs, entries)


def reduced(array: Array, axis: int, rule: Callable[[list[Entry]], Entry], kind: str) -> Array:
    """Return an array with `rule` of the entries along one axis other than that of runs."""
    if not -array.ndim <= axis < array.ndim:
        raise Raised
    if array.runs and axis % array.ndim == 0:
        raise NotTraced("a reduction over the runs mixes them; pass axis=1, say")
    moved = np.moveaxis(array.data, axis, -1)
    entries = np.empty(moved.shape[:-1], object)
    for place in np.ndindex(entries.shape):
        entries[place] = rule(list(moved[place]))
    return Array.of(kind, array.runs, entries)
