"""Filters that try to grant more than they promise by code that decides nothing: each has the parts of a sound one."""

from __future__ import annotations

import builtins
import sys
import types
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

import filterproof as fp

BUDGET, LARGE = fp.Budget.of(0.02), fp.Budget.of(2.0)


class Parts(fp.AdditiveFilter):
    promise = fp.ZCDP(0.02)
    charge = fp.zcdp_charge
    budget: Any = BUDGET


def forget(state: Any) -> None:
    state[0][...] = 0.0


def forgetting(answer: Any) -> Any:
    """A method that answers so of a state, once it is forgotten."""
    return lambda self, state, *_: (forget(state), answer(state))[1]


def raising(answer: Any) -> Any:
    """A method that answers so, once the budget is large."""
    return lambda self, *_: (object.__setattr__(self, "budget", LARGE), answer)[1]


def zeros(state: Any) -> Any:
    return np.zeros(len(state[0]))


#: What each brings along, by a name for it.
BRINGS: dict[str, dict[str, Any]] = {
    "reaches in place": {"reaches": forgetting(lambda state: zeros(state) == 0)},
    "spends in place": {"spend": forgetting(lambda state: state)},
    "raises the budget by its scale": {"_scale": raising(None)},
    "computes whether order matters": {"order_free": property(raising(True))},
    "has a __dict__ that is computed": {"__dict__": property(raising({}))},
}


class RemainsInPlace(Parts):
    def remaining(self, state: Any) -> Any:
        left = state[0]
        left -= self.budget.high
        return -left


class OpensTheBase(Parts):
    def remaining(self, state: Any) -> Any:
        base = state[0].base
        while isinstance(base, np.ndarray) and base.base is not None:
            base = base.base
        if isinstance(base, np.ndarray):
            base.flags.writeable = True
        base[:1] = bytes(1) if isinstance(base, bytes) else 0.0
        return zeros(state)


class OpensTheBuffer(Parts):
    def remaining(self, state: Any) -> Any:
        base: Any = state[0]
        while isinstance(base, np.ndarray) and base.base is not None:
            base = base.base
        under = base if isinstance(base, np.ndarray) else base.obj
        if isinstance(under, np.ndarray):
            under.flags.writeable = True
        under[...] = 0.0
        return zeros(state)


class GrantsInPlace(Parts):
    def grant_in_place(self, state: Any, request: Any) -> Any:
        forget(state)
        return fp.AdditiveFilter.grant_in_place(self, state, request)


class ChargesOnALargerBudget(Parts):
    def __init__(self) -> None:
        self.budget = fp.Budget.of(0.02)

    def grant(self, state: Any, request: Any) -> Any:
        object.__setattr__(self.budget, "exponent", 10)
        return fp.AdditiveFilter.grant(self, state, request)


class KeepsWhatItReturned(Parts):
    kept: ClassVar[list[Any]] = []

    def spend(self, state: Any, request: Any) -> Any:
        after = tuple(map(np.array, fp.AdditiveFilter.spend(self, state, request)))
        self.kept.append(after)
        return after

    def remaining(self, state: Any, seen: list[Any] = []) -> Any:  # noqa: B006
        seen.append(state)
        for one in (*self.kept, *seen):
            if one[0].flags.writeable:
                forget(one)
        return zeros(state)


class RemainsOnTheClass(Parts):
    def remaining(self, state: Any) -> Any:
        type(self).budget = LARGE
        return zeros(state)


class RaisedByAProperty(Parts):
    asked = 0

    @property
    def budget(self) -> Any:
        return LARGE if self.asked else BUDGET

    def remaining(self, state: Any) -> Any:
        self.asked = 1
        return zeros(state)


class WritesFromTheCallersFrame(Parts):
    def __getattribute__(self, name: str) -> Any:
        state = sys._getframe(1).f_locals.get("state")
        if name in ("remaining", "budget") and isinstance(state, tuple):
            forget(state)
        return object.__getattribute__(self, name)


class Trap:
    def __init__(self, filt: Any) -> None:
        self.filt = filt

    def __repr__(self) -> str:
        object.__setattr__(self.filt.budget, "exponent", 10)
        return "Trap()"


class HoldsATrap(Parts):
    def __init__(self) -> None:
        self.budget = fp.Budget.of(0.02)
        self.note = Trap(self)


def raising_id(filt: Any) -> int:
    object.__setattr__(filt, "budget", LARGE)
    return id(filt)


@dataclass
class GeneratedAmongOtherNames(Parts):
    steps: int = 3


_REPR: Any = GeneratedAmongOtherNames.__repr__
GeneratedAmongOtherNames.__repr__ = types.FunctionType(  # type: ignore[method-assign]
    _REPR.__code__, {**_REPR.__globals__, "id": raising_id}, "__repr__", None, _REPR.__closure__
)


class RaisesTheBudget:
    def __repr__(self) -> str:
        HoldsATrapByDefault.budget = LARGE
        return "RaisesTheBudget()"


@dataclass
class HoldsATrapByDefault(Parts):
    note: Any = field(default=RaisesTheBudget(), init=False)


@dataclass(frozen=True)
class GeneratedAmongOtherBuiltins(Parts):
    steps: int = 3


def raising_hash(_: Any) -> int:
    GeneratedAmongOtherBuiltins.budget = LARGE
    return 3


_HASH: Any = GeneratedAmongOtherBuiltins.__hash__
GeneratedAmongOtherBuiltins.__hash__ = types.FunctionType(  # type: ignore[method-assign]
    _HASH.__code__,
    {"__builtins__": {**vars(builtins), "hash": raising_hash}},
    "__hash__",
    None,
    _HASH.__closure__,
)


class OtherNames:
    def __contains__(self, name: object) -> bool:
        FrozenButForOtherNames.budget = LARGE
        return False


@dataclass(frozen=True)
class FrozenButForOtherNames(Parts):
    steps: int = 3


_SET: Any = FrozenButForOtherNames.__setattr__
_CONSTANTS = _SET.__code__.co_consts
[_FIELDS] = [one for one in _CONSTANTS if one in (("steps",), {"steps"})]  # a tuple until Python 3.11
_SET.__code__ = _SET.__code__.replace(
    co_consts=tuple(OtherNames() if one is _FIELDS else one for one in _CONSTANTS)
)

GRASPING: tuple[type[Parts], ...] = (
    *(type(name, (Parts,), dict(members)) for name, members in BRINGS.items()),
    dataclass(frozen=True)(type("Frozen", (Parts,), {"__repr__": raising("mine")})),
    *(RemainsInPlace, OpensTheBase, OpensTheBuffer, GrantsInPlace),
    *(HoldsATrap, GeneratedAmongOtherNames, ChargesOnALargerBudget, KeepsWhatItReturned),
    *(HoldsATrapByDefault, GeneratedAmongOtherBuiltins, FrozenButForOtherNames),
    *(RemainsOnTheClass, RaisedByAProperty, WritesFromTheCallersFrame),
)
