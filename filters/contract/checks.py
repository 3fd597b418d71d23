"""Checked calls of a filter's methods: each returns the method's answer, or raises TypeError if it is malformed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from filters.contract.answers import checked_booleans, checked_state
from filters.contract.filter_base import FilterBase
from filters.contract.holds import Holds
from filters.contract.state import State
from theory.guarantees import Guarantee
from theory.pairs import DominatingPair

__all__ = [
    "checked_admits",
    "checked_filter",
    "checked_grant",
    "checked_observe",
    "checked_reaches",
    "checked_spend",
    "checked_start",
]

#: The methods that make states, and `reaches`, which says what states they can make.
_RULES = ("reaches", "start", "spend", "observe")


def checked_filter(filt: object) -> FilterBase:
    """`filt` if it is a filter with a promise and well-formed `holds`, else TypeError."""
    if isinstance(filt, type):
        raise TypeError(
            f"filt must be a filter, got the class {filt.__name__}; make one of it: {filt.__name__}(...)"
        )
    if not isinstance(filt, FilterBase):
        raise TypeError(f"filt must be a PrivacyFilter, got {type(filt).__name__}; subclass fp.PrivacyFilter")
    if hasattr(type(filt), "decide"):
        raise TypeError(
            f"{type(filt).__name__}.decide must not be defined, for it is not called; name it "
            "grant, as PrivacyFilter does"
        )
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


def checked_start(filt: FilterBase, n: int) -> State:
    """`filt.start(n)`, an array or a tuple of arrays with n runs on the first axis."""
    return checked_state(filt.start(n), method=f"{type(filt).__name__}.start", n=n)


def checked_admits(filt: FilterBase, state: State, request: DominatingPair, n: int) -> NDArray[np.bool_]:
    """`filt.admits(state, request)`, booleans of shape (n,)."""
    return checked_booleans(
        filt.admits(state, request),
        method=f"{type(filt).__name__}.admits",
        n=n,
        remedy="compare one number per run with the budget, e.g. return spent + cost <= budget",
    )


def checked_grant(
    filt: FilterBase, state: State, request: DominatingPair, n: int
) -> tuple[NDArray[np.bool_], State | None]:
    """`filt.grant(state, request)`, booleans of shape (n,) and a state of n runs or None."""
    if type(filt).grant is FilterBase.grant:
        return checked_admits(filt, state, request, n), None
    method = f"{type(filt).__name__}.grant"
    answer, after = filt.grant(state, request)
    admitted = checked_booleans(answer, method=method, n=n, remedy="put first what admits returns")
    return admitted, None if after is None else checked_state(after, method=method, n=n)


def checked_spend(filt: FilterBase, state: State, request: DominatingPair, n: int) -> State:
    """`filt.spend(state, request)`, a state of n runs."""
    return checked_state(filt.spend(state, request), method=f"{type(filt).__name__}.spend", n=n)


def checked_observe(filt: FilterBase, state: State, loss: NDArray[np.float64], n: int) -> State:
    """`filt.observe(state, loss)`, a state of n runs."""
    return checked_state(filt.observe(state, loss), method=f"{type(filt).__name__}.observe", n=n)


def checked_reaches(filt: FilterBase, state: State, n: int) -> NDArray[np.bool_]:
    """`filt.reaches(state)`, booleans of shape (n,).

    Where a subclass overrides start, spend or observe but not `reaches`, the inherited `reaches` does not know the
    states and the default of FilterBase is called instead. Overriding only `admits` or `grant` changes no states.
    """
    order = type(filt).__mro__
    place = {name: next(i for i, kind in enumerate(order) if name in vars(kind)) for name in _RULES}
    own = place["reaches"] <= min(place.values())
    return checked_booleans(
        filt.reaches(state) if own else FilterBase.reaches(filt, state),
        method=f"{type(filt).__name__}.reaches",
        n=n,
        remedy="say of each run whether granted requests can have led to its state",
    )
