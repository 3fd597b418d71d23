"""Checked calls of a filter's methods: each returns the method's answer and raises TypeError for a malformed answer.

All code of this library calls filters through these functions. The filter gets a read-only state and requests of one
family at a time, so that `isinstance(request, Gaussian)` in a user's filter is reliable. Rules of this library look
charges up in a `PairPerRun` of several families and get the whole selection.
"""

from __future__ import annotations

from dataclasses import Field, fields, is_dataclass
from functools import lru_cache
from reprlib import repr as short
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.contract.answer_checks import checked_booleans, checked_numbers, checked_state
from filterproof.filters.contract.filter_base import FilterBase, MechanismFamily, largest_affordable
from filterproof.filters.contract.guarantee_scope import GuaranteeScope
from filterproof.filters.contract.library import defining_class, is_library_class
from filterproof.filters.contract.state import State, concatenate_runs, read_only, select_runs
from filterproof.filters.contract.work import current_meter
from filterproof.theory.argument_checks import check_former_names, check_overrides
from filterproof.theory.guarantees import Guarantee
from filterproof.theory.pairs import DominatingPair

_S = TypeVar("_S")

#: Binary logarithm of the number of runs that one more unit of work decides.
_RUNS_PER_UNIT = 10
#: Packages with rules that look requests up in a `PairPerRun`.
_ROOMS = ("filterproof.filters.", "filterproof.mc.")
#: The methods that each method depends on. A subclass that overrides only these inherits a stale method.
_SPEAKS_OF = {
    "step": ("admits", "spend"),
    "is_reachable_state": ("start", "spend", "observe"),
    "remaining": ("admits", "step"),
    "affordable": ("admits", "step"),
}
#: Methods of the contract by the names that they had.
_FORMER_NAMES = {
    "decide": "step",
    "grant": "step",
    "reaches": "is_reachable_state",
}
#: The decision methods, which must be defined in the class and not on an instance.
_RULES = frozenset(("start", "admits", "spend", "step", "observe"))
#: Methods whose names a filter without them may use for values of its own.
_QUERIES = frozenset(("remaining", "spent"))


class StateWrittenError(TypeError):
    """A method of a filter writes into the state that it receives."""

    def __init__(self, name: str, method: str, how: str) -> None:
        self.method = method
        super().__init__(
            f"{name}.{method} writes into the state that it receives ({how}); return a new array: spent + cost instead "
            "of spent += cost"
        )


def count_call(n: int) -> None:
    """Count the work of a call of a filter's method for n runs."""
    current_meter().count(1 + (n >> _RUNS_PER_UNIT))


def checked_filter_base(filt: object) -> FilterBase:
    """Return `filt` if it is a FilterBase, with or without a guarantee, else raise TypeError."""
    if isinstance(filt, type):
        raise TypeError(
            f"filt must be a filter, got the class {filt.__name__}; create an instance: {filt.__name__}(...)"
        )
    if not isinstance(filt, FilterBase):
        raise TypeError(f"filt must be a PrivacyFilter, got {type(filt).__name__}; subclass fp.PrivacyFilter")
    check_former_names(type(filt), "PrivacyFilter", _FORMER_NAMES)
    check_overrides(filt, FilterBase, may_be_values=_QUERIES)
    if own := _RULES.intersection(getattr(filt, "__dict__", ())):
        raise TypeError(
            f"{type(filt).__name__} has its own {min(own)} on the instance; define the method in a subclass"
        )
    return filt


def checked_filter(filt: object) -> FilterBase:
    """Return `filt` if it is a filter with a guarantee and a well-formed `holds`, else raise TypeError."""
    filt = checked_filter_base(filt)
    if not isinstance(getattr(filt, "promise", None), Guarantee):
        raise TypeError(
            f"{type(filt).__name__}.promise must be a guarantee, got "
            f"{getattr(filt, 'promise', None)!r}; set it, e.g. promise = fp.ApproxDP(epsilon=1.0, delta=1e-5)"
        )
    if is_library_class(type(filt)):
        return filt
    try:
        declared: tuple[Field[Any], ...] = fields(filt) if is_dataclass(filt) else ()
        for part in declared:
            getattr(filt, part.name)
        holds = None if type(filt).holds is FilterBase.holds else filt.holds
    except AttributeError as unset:
        name = type(filt).__name__
        raise TypeError(
            f"{name} is not initialised ({unset}); call its constructor, or super().__init__() in your own"
        ) from unset
    if not (holds is None or isinstance(holds, GuaranteeScope)):
        raise TypeError(
            f"{type(filt).__name__}.holds must be a GuaranteeScope or None, got {holds!r}; "
            "set it, e.g. holds = fp.charges.GuaranteeScope(zcdp=0.02), or leave it out"
        )
    return filt


def checked_start(filt: FilterBase, n: int) -> State:
    """`filt.start(n)`, an array or a container of arrays with n runs on the first axis."""
    return checked_state(filt.start(n), filt, "start", n)


def checked_admits(filt: FilterBase, state: State, request: DominatingPair, n: int) -> NDArray[np.bool_]:
    """Return `filt.admits(state, request)`: booleans of shape (n,)."""
    groups = _split_runs_by_family(filt, state, request, n)
    remedy = "compare one number per run with the budget, e.g. return spent + cost <= budget"
    decisions = [(_call_filter_method(filt, "admits", m, some, pair), m) for _, some, pair, m in groups]
    return _merge_groups(
        groups, [checked_booleans(answer, filt, "admits", m, remedy) for answer, m in decisions]
    )


def checked_step(
    filt: FilterBase, state: State, request: DominatingPair, n: int, *, ours: bool = False
) -> tuple[NDArray[np.bool_], State | None]:
    """Return `filt.step(state, request)`: booleans of shape (n,), and a state of n runs or None.

    If a subclass overrides `admits` or `spend` but not `step`, its `admits` decides; so does an inherited `step` of
    another user's class. `ours` says that the library's code alone decides: the answers need no check and the state is
    read-only.
    """
    if ours:
        count_call(n)
        answer = filt.step(state, request)
        if answer[0].shape == (n,):  # else the request declares parameters of another shape
            return answer
    decides = _deciding_methods(type(filt))
    if decides == "admits":
        return checked_admits(filt, state, request, n), None
    if request.member_index is None:
        return _grants_of_step_method(filt, state, request, n, decides)
    groups = _split_runs_by_family(filt, state, request, n)
    answers = [_grants_of_step_method(filt, some, pair, m, decides) for _, some, pair, m in groups]
    after = [spent for _, spent in answers if spent is not None]
    admitted = _merge_groups(groups, [granted_state for granted_state, _ in answers])
    return admitted, _merge_groups(groups, after) if len(after) == len(answers) else None


def _grants_of_step_method(
    filt: FilterBase, state: State, request: DominatingPair, n: int, decides: str
) -> tuple[NDArray[np.bool_], State | None]:
    """Call the filter's own `step` on runs of one family; return the grants, and the states or None."""
    answer, after = _call_filter_method(filt, "step", n, state, request)
    admitted = checked_booleans(answer, filt, "step", n, "put first what admits returns")
    if decides == "both":
        return admitted & checked_admits(filt, state, request, n), None
    return admitted, None if after is None else checked_state(after, filt, "step", n)


def checked_spend(filt: FilterBase, state: State, request: DominatingPair, n: int) -> State:
    """Return `filt.spend(state, request)`: a state of n runs."""
    groups = _split_runs_by_family(filt, state, request, n)
    spends = [(_call_filter_method(filt, "spend", m, some, pair), m) for _, some, pair, m in groups]
    return _merge_groups(groups, [checked_state(after, filt, "spend", m) for after, m in spends])


def checked_observe(filt: FilterBase, state: State, loss: NDArray[np.float64], n: int) -> State:
    """Return `filt.observe(state, loss)`: a state of n runs."""
    after = _call_filter_method(filt, "observe", n, state, read_only(loss))
    return checked_state(after, filt, "observe", n)


def granted_state(
    filt: FilterBase, state: State, request: DominatingPair, loss: float | None = None
) -> State | None:
    """Return the state after one run asks for `request` as a session does, or None if the request is denied.

    `loss` is the realised loss that the filter observes, or None for no observation.
    """
    admitted, after = checked_step(filt, state, request, 1)
    if not admitted[0]:
        return None
    after = checked_spend(filt, state, request, 1) if after is None else after
    return after if loss is None else checked_observe(filt, after, np.array([loss]), 1)


def checked_remaining(filt: FilterBase, state: State, n: int) -> NDArray[np.float64]:
    """Return `filt.remaining(state)`: numbers of shape (n,)."""
    return checked_numbers(_call_filter_method(filt, "remaining", n, state), filt, "remaining", n)


def checked_spent(filt: FilterBase, state: State) -> Guarantee:
    """Return `filt.spent(state)`: the guarantee that the charges of one run give so far."""
    spent = _call_filter_method(filt, "spent", 1, state)
    if not isinstance(spent, Guarantee):
        raise TypeError(
            f"{type(filt).__name__}.spent must return a Guarantee, got {short(spent)}; return e.g. PureDP(0.5)"
        )
    return spent


def defines_remaining(filt: FilterBase) -> bool:
    """Return whether the filter defines a `remaining` that matches its decision methods."""
    own = type(filt).remaining
    return (
        callable(own)
        and own is not FilterBase.remaining
        and _is_consistently_overridden(type(filt), "remaining")
    )


def checked_affordable(
    filt: FilterBase, state: State, family: MechanismFamily, n: int
) -> NDArray[np.float64]:
    """Return `filt.affordable(state, family)`: numbers of shape (n,)."""
    if not callable(family):
        raise TypeError(f"family must be callable, got {short(family)}; pass e.g. Gaussian")
    # the filter's own method only if it matches its decision methods
    if _is_consistently_overridden(type(filt), "affordable") or type(filt).step is FilterBase.step:
        answer = _call_filter_method(filt, "affordable", n, state, family)
    else:
        answer = largest_affordable(lambda pair: checked_step(filt, state, pair, n)[0], family, n)
    return checked_numbers(answer, filt, "affordable", n)


def checked_is_reachable_state(filt: FilterBase, state: State, n: int) -> NDArray[np.bool_]:
    """Return `filt.is_reachable_state(state)`: booleans of shape (n,)."""
    remedy = "return True for each run whose state granted requests can reach"
    return checked_booleans(
        _call_filter_method(filt, "is_reachable_state", n, state), filt, "is_reachable_state", n, remedy
    )


#: The runs of one family (None: all runs), their state, their request and their number.
_Group: TypeAlias = "tuple[NDArray[np.intp] | None, State, DominatingPair, int]"


def _split_runs_by_family(filt: FilterBase, state: State, request: DominatingPair, n: int) -> list[_Group]:
    """Split the runs into groups: all at once, or those of each mechanism family."""
    if request.member_index is None or n == 0 or _library_computes_cost(filt):
        return [(None, state, request, n)]
    return [
        (runs, state, pair, n) if runs is None else (runs, select_runs(state, runs), pair, len(runs))
        for runs, pair in request.runs_by_family()
    ]


def _merge_groups(groups: list[_Group], answers: list[_S]) -> _S:
    """Merge the answers of the groups into the order of the runs."""
    order = [runs for runs, *_ in groups if runs is not None]
    return select_runs(concatenate_runs(answers), np.argsort(np.concatenate(order))) if order else answers[0]


def _call_filter_method(filt: FilterBase, method: str, n: int, state: State, *more: object) -> Any:
    """Call a method of the filter with a read-only state of n runs.

    If a subclass overrides a method that the inherited method depends on, call the default of FilterBase instead.
    """
    count_call(n)
    rule = getattr(filt, method)
    stale = method in _SPEAKS_OF and method != "step" and not _is_consistently_overridden(type(filt), method)
    if stale or not callable(rule):
        rule = getattr(FilterBase, method).__get__(filt)
    try:
        return rule(read_only(state), *more)
    except ValueError as error:
        if "read-only" not in str(error):
            raise
        raise StateWrittenError(type(filt).__name__, method, str(error)) from error


@lru_cache(maxsize=1024)
def _is_consistently_overridden(kind: type, method: str) -> bool:
    """Return whether no subclass overrides a method that the class's `method` depends on."""
    order = kind.__mro__
    place = {name: order.index(defining_class(kind, name)) for name in (method, *_SPEAKS_OF[method])}
    nearest = min(place.values())
    # the library's own classes inherit a `remaining` that calls their `admits`
    return place[method] == nearest or (method == "remaining" and is_library_class(order[nearest]))


@lru_cache(maxsize=1024)
def _deciding_methods(kind: type) -> Literal["step", "admits", "both"]:
    """Which methods decide: both if a subclass overrides `admits` or `spend` below a user's `step`."""
    if kind.step is FilterBase.step:  # type: ignore[attr-defined]
        return "admits"
    if _is_consistently_overridden(kind, "step"):
        return "step"
    return "admits" if is_library_class(defining_class(kind, "step")) else "both"


def _library_computes_cost(filt: FilterBase) -> bool:
    """Return whether only library code decides on requests and charges them."""
    kind = type(filt)
    rules = (kind.admits, kind.spend, kind.step, getattr(filt, "charge", kind.admits))
    return all(str(getattr(rule, "__module__", "")).startswith(_ROOMS) for rule in rules)
