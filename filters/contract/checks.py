"""What a filter's methods must return, checked: a wrong shape or type is one sentence with its remedy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from filters.contract.holds import Holds
from filters.contract.privacy_filter import PrivacyFilter, State
from theory.guarantees import Guarantee
from theory.pairs import DominatingPair

__all__ = [
    "checked_admits",
    "checked_decide",
    "checked_filter",
    "checked_observe",
    "checked_reaches",
    "checked_spend",
    "checked_start",
    "free_of_nan",
    "runs_of",
]

#: What a state comes from, and what says which states there are.
_RULES = ("reaches", "start", "spend", "observe")


def runs_of(state: State) -> int:
    """The number of runs that a state holds: the length of the first axis."""
    first = state
    while isinstance(first, tuple):
        first = first[0]
    return len(first)


def checked_filter(filt: object) -> PrivacyFilter:
    """`filt`, a PrivacyFilter instance that states its promise."""
    if isinstance(filt, type):
        raise TypeError(
            f"filt must be a filter, got the class {filt.__name__}; make one of it: {filt.__name__}(...)"
        )
    if not isinstance(filt, PrivacyFilter):
        raise TypeError(f"filt must be a PrivacyFilter, got {type(filt).__name__}; subclass fp.PrivacyFilter")
    if not isinstance(getattr(filt, "promise", None), Guarantee):
        raise TypeError(
            f"{type(filt).__name__}.promise must be a guarantee, got "
            f"{getattr(filt, 'promise', None)!r}; set it, e.g. promise = fp.ApproxDP(epsilon=1.0, delta=1e-5)"
        )
    if not (filt.holds is None or isinstance(filt.holds, Holds)):
        raise TypeError(
            f"{type(filt).__name__}.holds must be a Holds or None, got {filt.holds!r}; "
            "set it, e.g. holds = fp.Holds(zcdp=0.02), or leave it out"
        )
    return filt


def checked_start(filt: PrivacyFilter, n: int) -> State:
    """`filt.start(n)`, an array or a tuple of arrays with n runs on the first axis."""
    return _checked_state(filt, "start", filt.start(n), n)


def checked_admits(filt: PrivacyFilter, state: State, request: DominatingPair, n: int) -> NDArray[np.bool_]:
    """`filt.admits(state, request)`, booleans of shape (n,)."""
    answer = filt.admits(state, request)
    if isinstance(answer, np.ndarray) and answer.dtype == np.bool_ and answer.shape == (n,):
        return answer
    raise TypeError(
        f"{type(filt).__name__}.admits must return booleans of shape ({n},), got {_describe(answer)}; "
        "compare one number per run with the budget, e.g. return spent + cost <= budget"
    )


def checked_decide(
    filt: PrivacyFilter, state: State, request: DominatingPair, n: int
) -> tuple[NDArray[np.bool_], State | None]:
    """`filt.decide(state, request)`, booleans of shape (n,) and a state of n runs or None."""
    if type(filt).decide is PrivacyFilter.decide:
        return checked_admits(filt, state, request, n), None
    answer, after = filt.decide(state, request)
    if not (isinstance(answer, np.ndarray) and answer.dtype == np.bool_ and answer.shape == (n,)):
        raise TypeError(
            f"{type(filt).__name__}.decide must return booleans of shape ({n},) first, got "
            f"{_describe(answer)}; return what admits returns"
        )
    return answer, None if after is None else _checked_state(filt, "decide", after, n)


def checked_spend(filt: PrivacyFilter, state: State, request: DominatingPair, n: int) -> State:
    """`filt.spend(state, request)`, a state of n runs."""
    return _checked_state(filt, "spend", filt.spend(state, request), n)


def checked_observe(filt: PrivacyFilter, state: State, loss: NDArray[np.float64], n: int) -> State:
    """`filt.observe(state, loss)`, a state of n runs."""
    return _checked_state(filt, "observe", filt.observe(state, loss), n)


def checked_reaches(filt: PrivacyFilter, state: State, n: int) -> NDArray[np.bool_]:
    """`filt.reaches(state)`, booleans of shape (n,).

    A subclass that starts, spends or observes otherwise than its base has said nothing about the states of its own,
    so what it inherits is not asked. One that only decides otherwise has states like those of its base.
    """
    order = type(filt).__mro__
    place = {name: next(i for i, kind in enumerate(order) if name in vars(kind)) for name in _RULES}
    own = place["reaches"] <= min(place.values())
    answer = filt.reaches(state) if own else PrivacyFilter.reaches(filt, state)
    if isinstance(answer, np.ndarray) and answer.dtype == np.bool_ and answer.shape == (n,):
        return answer
    raise TypeError(
        f"{type(filt).__name__}.reaches must return booleans of shape ({n},), got {_describe(answer)}; "
        "say of each run whether granted requests can have led to its state"
    )


def free_of_nan(state: State, start: Callable[[int], State]) -> NDArray[np.bool_]:
    """Whether each run of `state` holds no NaN, but where a fresh state holds one: shape (n,)."""
    n = runs_of(state)
    good = np.ones(n, dtype=np.bool_)
    for part, fresh in zip(_parts(state), _parts(start(1)), strict=True):
        if part.dtype.kind == "f" and not np.isnan(fresh).any():
            good &= ~np.isnan(part).any(axis=tuple(range(1, part.ndim)))
    return good


def _parts(state: State) -> list[NDArray[Any]]:
    return [leaf for part in state for leaf in _parts(part)] if isinstance(state, tuple) else [state]


def _checked_state(filt: PrivacyFilter, method: str, state: State, n: int) -> State:
    parts = state if isinstance(state, tuple) and state else (state,)
    if all(isinstance(part, np.ndarray) and part.ndim > 0 and len(part) == n for part in parts):
        return state
    raise TypeError(
        f"{type(filt).__name__}.{method} must return an array, or a tuple of arrays, with {n} runs on the "
        f"first axis, got {_describe(state)}; return one number per run, e.g. np.zeros(n)"
    )


def _describe(value: object) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype} of shape {value.shape}"
    if isinstance(value, tuple):
        return f"a tuple of {', '.join(_describe(part) for part in value) or 'nothing'}"
    return f"{value!r} ({type(value).__name__})"
