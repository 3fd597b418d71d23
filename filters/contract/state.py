"""The state of n runs of a filter: an array with the run on its first axis, or a tuple of states.

    >>> import numpy as np
    >>> spent = (np.array([0.0, 1.0, 2.0]), np.array([7, 8, 9]))
    >>> take(spent, np.array([2, 0]))
    (array([2., 0.]), array([9, 7]))

`fold` is what enters tuples, here and elsewhere; every other one says what it does with arrays. A filter that is
asked is lent the state by `read_only`, and a state that is kept for later is `frozen`, or in arrays of its own.
An adversary's memory is handled by the same functions; a part of it that is no array is shared by all runs.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Hashable, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import chain
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.contract.content import content

#: An array with the run on its first axis, or a tuple of states of the same runs. Float arrays are float64.
State: TypeAlias = "NDArray[Any] | tuple[State, ...]"

_S = TypeVar("_S")

#: Immutable types. Arrays of other objects are lent as copies.
_VALUES = (float, int, Fraction, Decimal, bool, str, bytes, complex, type(None))


def fold(array: Callable[..., Any], together: Callable[[list[Any]], Any], state: Any, *others: Any) -> Any:
    """Apply `array` to the arrays at each place of the states, and `together` to the list of results of a tuple.

    All states must have the same nesting.
    """
    if isinstance(state, tuple):
        parts = zip(state, *others, strict=True)
        return together([fold(array, together, *part) for part in parts])
    return array(state, *others)


def leaves(state: State) -> list[NDArray[Any]]:
    """Return the arrays of a state as a list."""
    found: list[NDArray[Any]] = fold(lambda leaf: [leaf], lambda parts: list(chain(*parts)), state)
    return found


def runs_of(state: State) -> int:
    """Return the number of runs of a state."""
    return len(leaves(state)[0])


def take(state: _S, runs: NDArray[Any]) -> _S:
    """Return the state of the selected runs (mask or indices)."""
    # no `fold`, because this runs for each array of each round
    if isinstance(state, tuple):
        parts: _S = tuple([take(part, runs) for part in state])  # type: ignore[assignment]
        return parts
    some: _S = _taken(state, runs)
    return some


def copied(state: _S) -> _S:
    """Return the state in new arrays."""
    own: _S = fold(np.array, tuple, state)
    return own


def read_only(state: _S) -> _S:
    """Return a read-only view of the state: writing raises ValueError.

    Numbers are not copied. Mutable objects are copied for each run.
    """
    parts: Any = state if isinstance(state, tuple) else (state,)
    for part in parts:  # most states are already read-only
        if type(part) is not np.ndarray or part.flags.writeable or part.dtype.hasobject:
            break
    else:
        return state
    lent: _S = tuple([read_only(part) for part in parts]) if isinstance(state, tuple) else _lent(state)  # type: ignore[assignment]
    return lent


def frozen(state: _S) -> _S:
    """Return a copy in read-only arrays, for a state whose maker may go on writing into it."""
    own: list[Any] = []
    for part in state if isinstance(state, tuple) else (state,):
        one: Any = frozen(part) if isinstance(part, tuple) else np.array(part)
        if not isinstance(part, tuple):
            one = _of_each_run(one) if one.dtype.hasobject else one
            one.setflags(write=False)
        own.append(one)
    kept: _S = tuple(own) if isinstance(state, tuple) else own[0]  # type: ignore[assignment]
    return kept


def locked(state: _S) -> _S:
    """Make the state itself read-only, for a state whose maker keeps no reference to it."""
    for part in state if isinstance(state, tuple) else (state,):
        if isinstance(part, np.ndarray):
            part.setflags(False)  # type: ignore[call-arg]
        else:
            locked(part)
    return state


def put(state: _S, runs: NDArray[np.intp], part: _S) -> _S:
    """Return a copy of the state with the selected runs replaced by those of `part`."""

    def replaced(leaf: NDArray[Any], new: NDArray[Any]) -> NDArray[Any]:
        leaf = leaf.copy()
        leaf[runs] = new
        return leaf

    after: _S = fold(replaced, tuple, state, part)
    return after


def join(states: Sequence[_S]) -> _S:
    """Concatenate the runs of all states."""

    def joined(*arrays: Any) -> Any:
        if not _per_run(arrays[0]):
            return arrays[0]
        shapes = {one.shape[1:] for one in arrays}
        if len(shapes) > 1:
            raise TypeError(
                f"state must have arrays of the same shapes after every request, got {sorted(shapes)} for a run; keep "
                "data that grows in an array of fixed size, or in objects"
            )
        return np.concatenate(arrays)

    whole: _S = fold(joined, tuple, *states)
    return whole


def moved(state: _S, runs: NDArray[np.intp], into: NDArray[np.intp], n: int) -> _S:
    """Copy `runs` to the places `into` and return the first n runs. Overwrites the given arrays if they are
    writeable.
    """
    if isinstance(state, tuple):
        parts: _S = tuple([moved(part, runs, into, n) for part in state])  # type: ignore[assignment]
        return parts
    leaf: Any = state
    if not _per_run(leaf):
        return state
    if leaf.strides[0]:  # with stride 0 all runs share one entry and nothing has to be copied
        leaf = leaf if leaf.flags.writeable else leaf.copy()
        leaf[into] = leaf[runs]
    first: _S = leaf[:n]
    return first


def choose(mask: NDArray[np.bool_], yes: _S, no: _S) -> _S:
    """Return, for each run, its state in `yes` if the mask is True, else its state in `no`."""

    def chosen(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
        return np.where(mask.reshape(-1, *[1] * (a.ndim - 1)), a, b)

    state: _S = fold(chosen, tuple, yes, no)
    return state


def same(state: State, other: State) -> NDArray[np.bool_]:
    """Return whether each run of `state` equals that of `other` (n runs, or one for all): shape (n,).

    NaN equals NaN, -0.0 equals 0.0, and objects are compared by content.
    """

    def equal(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.bool_]:
        if a.shape[1:] != b.shape[1:]:
            return np.zeros(len(a), dtype=np.bool_)
        if not (is_numeric(a) and is_numeric(b)):
            others = keys(b) * (len(a) if len(b) == 1 else 1)
            return np.array(
                [one == other for one, other in zip(keys(a), others, strict=True)], dtype=np.bool_
            )
        alike = (a == b) | ((a != a) & (b != b))
        return np.asarray(alike.all(axis=tuple(range(1, a.ndim))))

    every: NDArray[np.bool_] = fold(equal, lambda parts: np.stack(parts).all(axis=0), state, other)
    return every


def free_of_nan(state: State, fresh: State) -> NDArray[np.bool_]:
    """Return whether each run is free of NaN: shape (n,). Arrays with a NaN in `fresh` are skipped."""
    good = np.ones(runs_of(state), dtype=np.bool_)
    for part, new in zip(leaves(state), leaves(fresh), strict=True):
        if part.dtype.kind == "f" and not np.isnan(new).any():
            good &= ~np.isnan(part).any(axis=tuple(range(1, part.ndim)))
    return good


def bits(state: State) -> NDArray[np.uint8]:
    """Return the bytes of each run's numbers: shape (n, bytes per run)."""

    def packed(leaf: NDArray[Any]) -> NDArray[np.uint8]:
        flat = np.ascontiguousarray(leaf).reshape(len(leaf), math.prod(leaf.shape[1:]))
        return (
            flat.view(np.uint8)
            if flat.size
            else np.empty((len(flat), flat.shape[1] * flat.itemsize), np.uint8)
        )

    return np.concatenate([packed(leaf) for leaf in leaves(state)], axis=1)


def keys(state: State) -> list[Hashable]:
    """Return one hashable key per run: equal keys mean states that are equal bit for bit, in arrays of equal shapes.

    Objects are compared by `content` and never by their `__eq__`. An object that cannot be pickled makes its run
    unique.
    """
    arrays = [np.asarray(leaf) for leaf in leaves(state)]
    if len(arrays) == 1 and arrays[0].ndim == 1 and arrays[0].dtype.kind in "iub":
        return list(arrays[0].tolist())
    numbers = tuple(leaf for leaf in arrays if is_numeric(leaf))
    if len(numbers) < len(arrays):
        told = [list(map(content, leaf.tolist())) for leaf in arrays if not is_numeric(leaf)]
        return list(zip(*told, keys(numbers), strict=True)) if numbers else list(zip(*told, strict=True))
    # the same bytes can come from a longer array next to a shorter one
    layout = "".join(f"{leaf.dtype.str}{leaf.shape[1:]}" for leaf in arrays).encode()
    rows = bits((*arrays, np.broadcast_to(np.frombuffer(layout, np.uint8), (len(arrays[0]), len(layout)))))
    packed, width = rows.tobytes(), rows.shape[1]
    return [packed[i : i + width] for i in range(0, len(packed), width)]


def is_numeric(leaf: NDArray[Any]) -> bool:
    """Whether the bytes of an array are its whole content."""
    return leaf.dtype.kind in "fiubcmMSUV" and not leaf.dtype.hasobject


def _lent(leaf: Any) -> Any:
    if not isinstance(leaf, np.ndarray):
        return leaf
    view = (_of_each_run(leaf) if leaf.dtype.hasobject else leaf).view()
    view.flags.writeable = False
    return view


def _of_each_run(leaf: NDArray[Any]) -> NDArray[Any]:
    """Return the array, or a copy with separate objects for each run if it holds mutable objects."""
    if leaf.dtype == object and all(type(x) in _VALUES for x in leaf.flat):
        return leaf
    own = [copy.deepcopy(leaf[i : i + 1]) for i in range(len(leaf))] if leaf.ndim else [copy.deepcopy(leaf)]
    return np.concatenate(own) if own else leaf.copy()


def _per_run(leaf: Any) -> bool:
    return isinstance(leaf, np.ndarray) and leaf.ndim > 0


def _taken(leaf: Any, runs: NDArray[Any]) -> Any:
    if not _per_run(leaf):
        return leaf
    if leaf.strides[0] == 0 and 0 < len(runs) <= len(leaf):  # one entry shared by all runs
        return leaf[: np.count_nonzero(runs) if runs.dtype == np.bool_ else len(runs)]
    return leaf[runs]
