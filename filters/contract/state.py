"""State: the data of a filter about n runs, an array with the run on its first axis or a container of states.

    >>> import numpy as np
    >>> spent = (np.array([0.0, 1.0, 2.0]), np.array([7, 8, 9]))
    >>> select_runs(spent, np.array([2, 0]))
    (array([2., 0.]), array([9, 7]))
    >>> select_runs({"main": spent[0], "petty": spent[1]}, np.array([1]))
    {'main': array([1.]), 'petty': array([8])}

Containers are tuples, named tuples, dicts with text keys, and data classes. `state_leaves` and `map_arrays` traverse
them. A filter receives its state from `read_only`. A state that is kept for later is `frozen_copy` or copied. The same
functions handle an adversary's memory; all runs share a part of it that is not an array.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import fields, is_dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import chain
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.contract.content import content

#: An array whose first axis is the run, or a container of states of the same runs. Float arrays are float64. `Any`
#: stands for dicts and data classes.
State: TypeAlias = "NDArray[Any] | tuple[State, ...] | Any"

_S = TypeVar("_S")

#: Immutable types. Arrays of other objects are lent as copies.
_VALUES = (float, int, Fraction, Decimal, bool, str, bytes, complex, type(None))


def parts(state: Any) -> Sequence[Any] | None:
    """The states in a container, those of a dict in the order of its keys; None for an array and anything else."""
    if isinstance(state, tuple):
        return state
    if isinstance(state, np.ndarray):
        return None
    if type(state) is dict and all(type(key) is str for key in state):
        return [state[key] for key in sorted(state)]
    if is_dataclass(state) and not isinstance(state, type):
        return [getattr(state, field.name) for field in fields(state)]
    return None


def part_names(state: Any) -> list[str] | None:
    """The names of the `parts` of a container that names them, else None."""
    if isinstance(state, tuple):
        names = getattr(state, "_fields", None)
        return None if names is None else list(names)
    return sorted(state) if isinstance(state, dict) else [field.name for field in fields(state)]


def rebuild_container(state: Any, new: Iterable[Any]) -> Any:
    """A container like `state` with `new` in place of its `parts`."""
    if type(state) is tuple:
        return tuple(new)
    if isinstance(state, tuple):
        return type(state)._make(new) if hasattr(state, "_make") else tuple(new)
    if isinstance(state, dict):
        return dict(zip(sorted(state), new, strict=True))
    return type(state)(**dict(zip((field.name for field in fields(state)), new, strict=True)))


def map_arrays(array: Callable[..., Any], state: Any, *others: Any) -> Any:
    """The containers of `state` with what `array` makes of the arrays at each place of the states."""
    if type(state) is tuple and not others:  # quickly: this is done for each array of each round
        return tuple([map_arrays(array, part) for part in state])
    if isinstance(state, np.ndarray) or (inner := parts(state)) is None:
        return array(state, *others)
    places = zip(inner, *map(_parts_getter_like(state), others), strict=True)
    return rebuild_container(state, [map_arrays(array, *place) for place in places])


def state_leaves(state: Any) -> list[NDArray[Any]]:
    """Return the arrays of a state as a list."""
    if isinstance(state, np.ndarray) or (inner := parts(state)) is None:
        return [state]
    return list(chain.from_iterable(map(state_leaves, inner)))


def named_leaves(state: State, name: str = "") -> list[tuple[str, NDArray[Any]]]:
    """The arrays of a state with their names, "" for those in tuples.

    >>> [name for name, _ in named_leaves({"spent": np.zeros(1), "left": (np.ones(1), np.ones(1))})]
    ['left', 'left', 'spent']
    """
    inner = parts(state)
    if inner is None:
        return [(name, state)]  # type: ignore[list-item]
    names = part_names(state) or [""] * len(inner)
    full_names = [f"{name}.{own}" if name and own else name or own for own in names]
    return list(chain(*map(named_leaves, inner, full_names)))


def runs_of(state: State) -> int:
    """Return the number of runs of a state."""
    return len(state_leaves(state)[0])


def select_runs(state: _S, runs: NDArray[Any]) -> _S:
    """The state of the selected runs (mask or indices)."""
    some: _S = map_arrays(partial(_selected_leaf, runs=runs), state)
    return some


def copy_state(state: _S) -> _S:
    """The state in arrays of its own."""
    own: _S = map_arrays(np.array, state)
    return own


def read_only(state: _S) -> _S:
    """Return a read-only view of the state: writing raises ValueError.

    No number is copied. Objects that may be changed are copied for each run, and so are containers other than tuples.
    """
    for part in state if isinstance(state, tuple) else (state,):  # most are lent as they are kept
        if type(part) is not np.ndarray or part.flags.writeable or part.dtype.hasobject:
            lent: _S = map_arrays(_read_only_view, state)
            return lent
    return state


def frozen_copy(state: _S) -> _S:
    """A copy in read-only arrays of its own, for a state that is kept while its maker may go on writing into it."""
    own: _S = map_arrays(_frozen_leaf, state)
    return own


def make_read_only(state: _S) -> _S:
    """Make the state itself read-only, for a state whose maker keeps no reference to it."""
    for part in state if isinstance(state, tuple) else (state,):
        if isinstance(part, np.ndarray):
            part.setflags(False)  # type: ignore[call-arg]
        else:
            for inner in parts(part) or ():
                make_read_only(inner)
    return state


def replace_selected(state: _S, runs: NDArray[np.intp], part: _S) -> _S:
    """Return a copy of the state with the selected runs replaced by those of `part`."""

    def replaced(leaf: NDArray[Any], new: NDArray[Any]) -> NDArray[Any]:
        leaf = leaf.copy()
        leaf[runs] = new
        return leaf

    after: _S = map_arrays(replaced, state, part)
    return after


def concatenate_runs(states: Sequence[_S]) -> _S:
    """Concatenate the runs of all states."""

    def joined(*arrays: Any) -> Any:
        if not _has_run_axis(arrays[0]):
            return arrays[0]
        shapes = {array.shape[1:] for array in arrays}
        if len(shapes) > 1:
            raise TypeError(
                f"state must have arrays of the same shapes after every request, got {sorted(shapes)} for a run; keep "
                "data that grows in an array of fixed size, or in objects"
            )
        return np.concatenate(arrays)

    concatenated: _S = map_arrays(joined, *states)
    return concatenated


def compact_runs(state: _S, runs: NDArray[np.intp], into: NDArray[np.intp], n: int) -> _S:
    """Copy `runs` to the places `into` and return the first n runs; overwrites writeable arrays."""

    def first(leaf: Any) -> Any:
        if not _has_run_axis(leaf):
            return leaf
        if leaf.strides[0]:  # a stride of 0: all runs share one entry, nothing to copy
            leaf = leaf if leaf.flags.writeable else leaf.copy()
            leaf[into] = leaf[runs]
        return leaf[:n]

    after: _S = map_arrays(first, state)
    return after


def choose_runs(mask: NDArray[np.bool_], yes: _S, no: _S) -> _S:
    """Return, for each run, its state in `yes` if the mask is True, else its state in `no`."""

    def chosen(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
        return np.where(mask.reshape(-1, *[1] * (a.ndim - 1)), a, b)

    state: _S = map_arrays(chosen, yes, no)
    return state


def runs_equal(state: State, other: State) -> NDArray[np.bool_]:
    """Return whether each run of `state` equals that of `other` (n runs, or one for all): shape (n,).

    NaN equals NaN, -0.0 equals 0.0, and objects are compared by content.
    """

    def equal(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.bool_]:
        if a.shape[1:] != b.shape[1:]:
            return np.zeros(len(a), dtype=np.bool_)
        if not (is_free_of_objects(a) and is_free_of_objects(b)):
            others = run_keys(b) * (len(a) if len(b) == 1 else 1)
            return np.array(
                [key == other_key for key, other_key in zip(run_keys(a), others, strict=True)], dtype=np.bool_
            )
        alike = (a == b) | ((a != a) & (b != b))
        return np.asarray(alike.all(axis=tuple(range(1, a.ndim))))

    every: NDArray[np.bool_] = np.all(state_leaves(map_arrays(equal, state, other)), axis=0)
    return every


def free_of_nan(state: State, fresh: State) -> NDArray[np.bool_]:
    """Return whether each run is free of NaN: shape (n,). Arrays with a NaN in `fresh` are skipped."""
    good = np.ones(runs_of(state), dtype=np.bool_)
    for part, new in zip(state_leaves(state), state_leaves(fresh), strict=True):
        if part.dtype.kind == "f" and not np.isnan(new).any():
            good &= ~np.isnan(part).any(axis=tuple(range(1, part.ndim)))
    return good


def run_bytes(state: State) -> NDArray[np.uint8]:
    """Return the bytes of each run's numbers: shape (n, bytes per run)."""

    def packed(leaf: NDArray[Any]) -> NDArray[np.uint8]:
        flat = np.ascontiguousarray(leaf).reshape(len(leaf), math.prod(leaf.shape[1:]))
        if flat.size:
            return flat.view(np.uint8)
        return np.empty((len(flat), flat.shape[1] * flat.itemsize), np.uint8)

    return np.concatenate([packed(leaf) for leaf in state_leaves(state)], axis=1)


def run_keys(state: State) -> list[Hashable]:
    """Return one hashable key per run: equal keys mean states that are equal bit for bit, in arrays of equal shapes.

    Objects are compared by `content` and never by their `__eq__`. An object that cannot be pickled makes its run
    unique.
    """
    arrays = [np.asarray(leaf) for leaf in state_leaves(state)]
    if len(arrays) == 1 and arrays[0].ndim == 1 and arrays[0].dtype.kind in "iub":
        return list(arrays[0].tolist())
    numbers = tuple(leaf for leaf in arrays if is_free_of_objects(leaf))
    if len(numbers) < len(arrays):
        contents = [list(map(content, leaf.tolist())) for leaf in arrays if not is_free_of_objects(leaf)]
        return list(zip(*contents, *([run_keys(numbers)] if numbers else ()), strict=True))
    # the same bytes can come from a longer array next to a shorter one
    layout = "".join(f"{leaf.dtype.str}{leaf.shape[1:]}" for leaf in arrays).encode()
    rows = run_bytes(
        (*arrays, np.broadcast_to(np.frombuffer(layout, np.uint8), (len(arrays[0]), len(layout))))
    )
    packed, width = rows.tobytes(), rows.shape[1]
    return [packed[i : i + width] for i in range(0, len(packed), width)]


def is_free_of_objects(leaf: NDArray[Any]) -> bool:
    """Return whether an array holds no Python objects, so that its bytes are its content."""
    return leaf.dtype.kind in "fiubcmMSUV" and not leaf.dtype.hasobject


def _parts_getter_like(state: Any) -> Callable[[Any], Sequence[Any]]:
    """Return a function that takes the parts of another state, a container like `state`."""

    def of(other: Any) -> Sequence[Any]:
        inner = parts(other)
        if inner is None or (type(other) is dict and sorted(other) != part_names(state)):
            raise TypeError(
                f"state must keep its layout, got {type(other).__name__} after {type(state).__name__}; return the same "
                "containers with the same names from start, spend and observe"
            )
        return inner

    return of


def _frozen_leaf(leaf: Any) -> NDArray[Any]:
    own = np.array(leaf)
    own = _separate_mutable_entries(own) if own.dtype.hasobject else own
    own.setflags(write=False)
    return own


def _read_only_view(leaf: Any) -> Any:
    if not isinstance(leaf, np.ndarray):
        return leaf
    view = (_separate_mutable_entries(leaf) if leaf.dtype.hasobject else leaf).view()
    view.flags.writeable = False
    return view


def _separate_mutable_entries(leaf: NDArray[Any]) -> NDArray[Any]:
    """Return the array, or a copy with separate objects for each run if it holds mutable objects."""
    if leaf.dtype == object and all(type(x) in _VALUES for x in leaf.flat):
        return leaf
    own = [copy.deepcopy(leaf[i : i + 1]) for i in range(len(leaf))] if leaf.ndim else [copy.deepcopy(leaf)]
    return np.concatenate(own) if own else leaf.copy()


def _has_run_axis(leaf: Any) -> bool:
    return isinstance(leaf, np.ndarray) and leaf.ndim > 0


def _selected_leaf(leaf: Any, runs: NDArray[Any]) -> Any:
    if not _has_run_axis(leaf):
        return leaf
    if leaf.strides[0] == 0 and 0 < len(runs) <= len(leaf):  # one entry shared by all runs
        return leaf[: np.count_nonzero(runs) if runs.dtype == np.bool_ else len(runs)]
    return leaf[runs]
