"""Filters that try to grant more than they promise by code that decides nothing: each has the parts of a sound one."""

import builtins
import sys
import types
from collections.abc import Callable
from contextlib import suppress
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


def zeros(state: Any) -> Any:
    return np.zeros(len(state[0]))


def forgetting(answer: Any) -> Any:
    """A method that answers so of a state, once it is forgotten."""
    return lambda self, state, *_: (forget(state), answer(state))[1]


def raising(answer: Any) -> Any:
    """A method that answers so, once the budget is large."""
    return lambda self, *_: (object.__setattr__(self, "budget", LARGE), answer)[1]


def subtracts_in_place(self: Parts, state: Any) -> Any:
    left = state[0]
    left -= self.budget.high
    return -left


def opens_what_it_stands_on(self: Parts, state: Any) -> Any:
    base: Any = state[0].base
    while isinstance(base, np.ndarray) and base.base is not None:
        base = base.base
    for under in (base, getattr(base, "obj", None)):
        with suppress(TypeError, ValueError):
            if isinstance(under, np.ndarray):
                under.flags.writeable = True
            under[:1] = bytes(1) if isinstance(under, bytes) else 0.0
    return zeros(state)


def grants_in_place(self: Parts, state: Any, request: Any) -> Any:
    forget(state)
    return fp.AdditiveFilter.grant_in_place(self, state, request)


def raises_for_all(self: Parts, state: Any) -> Any:
    type(self).budget = LARGE
    return zeros(state)


def writes_into_the_callers_frame(self: Parts, name: str) -> Any:
    state = sys._getframe(1).f_locals.get("state")
    if name in ("remaining", "budget") and isinstance(state, tuple):
        forget(state)
    return object.__getattribute__(self, name)


#: What each brings along, by a name for it.
BRINGS: dict[str, dict[str, Any]] = {
    "reaches in place": {"reaches": forgetting(lambda state: zeros(state) == 0)},
    "spends in place": {"spend": forgetting(lambda state: state)},
    "raises the budget by its scale": {"_scale": raising(None)},
    "computes whether order matters": {"order_free": property(raising(True))},
    "has a __dict__ that is computed": {"__dict__": property(raising({}))},
    **{
        does.__name__: {method: does}
        for method, does in (
            ("remaining", subtracts_in_place),
            ("remaining", opens_what_it_stands_on),
            ("remaining", raises_for_all),
            ("grant_in_place", grants_in_place),
            ("__getattribute__", writes_into_the_callers_frame),
        )
    },
}


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


class RaisedByAProperty(Parts):
    asked = 0

    @property
    def budget(self) -> Any:
        return LARGE if self.asked else BUDGET

    def remaining(self, state: Any) -> Any:
        self.asked = 1
        return zeros(state)


# -- by what describes and compares ------------------------------------------------------------------------


class Trap:
    """Does something when it is described."""

    def __init__(self, do: Callable[[], object]) -> None:
        self.do = do

    def __repr__(self) -> str:
        self.do()
        return "Trap()"


class HoldsATrap(Parts):
    def __init__(self) -> None:
        self.budget = fp.Budget.of(0.02)
        self.note = Trap(lambda: object.__setattr__(self.budget, "exponent", 10))


def enlarged(kind: Any, answer: Any) -> Any:
    kind.budget = LARGE
    return answer


@dataclass
class HoldsATrapByDefault(Parts):
    note: Any = field(default=Trap(lambda: enlarged(HoldsATrapByDefault, None)), init=False)


@dataclass
class GeneratedAmongOtherNames(Parts):
    steps: int = 3


class OtherNames:
    def __contains__(self, name: object) -> bool:
        return bool(enlarged(FrozenButForOtherNames, False))


@dataclass(frozen=True)
class FrozenButForOtherNames(Parts):
    steps: int = 3


def among(around: dict[str, Any], made: Any) -> Any:
    """The generated function, which finds its names in `around`."""
    return types.FunctionType(made.__code__, around, made.__name__, None, made.__closure__)


_REPR: Any = GeneratedAmongOtherNames.__repr__
GeneratedAmongOtherNames.__repr__ = among(  # type: ignore[method-assign]
    {**_REPR.__globals__, "id": lambda filt: enlarged(type(filt), id(filt))}, _REPR
)


def hashed(name: str, around: Callable[[Any], dict[str, Any]]) -> Any:
    """A class whose generated hash finds another function of that name."""
    members = {"steps": 3, "__annotations__": {"steps": "int"}, "__module__": __name__}
    made: Any = dataclass(frozen=True)(type(name, (Parts,), members))
    made.__hash__ = among(around(lambda _: enlarged(made, 3)), made.__hash__)
    return made


_SET: Any = FrozenButForOtherNames.__setattr__
_CONSTANTS = _SET.__code__.co_consts
[_FIELDS] = [one for one in _CONSTANTS if one in (("steps",), {"steps"})]  # a tuple until Python 3.11
_SET.__code__ = _SET.__code__.replace(
    co_consts=tuple(OtherNames() if one is _FIELDS else one for one in _CONSTANTS)
)

GRASPING: tuple[type[Parts], ...] = (
    *(type(name, (Parts,), dict(members)) for name, members in BRINGS.items()),
    dataclass(frozen=True)(type("Frozen", (Parts,), {"__repr__": raising("mine")})),
    *(ChargesOnALargerBudget, KeepsWhatItReturned, RaisedByAProperty, HoldsATrap, HoldsATrapByDefault),
    *(GeneratedAmongOtherNames, FrozenButForOtherNames),
    hashed("AmongItsModules", lambda lie: {"hash": lie, "__builtins__": builtins}),
    hashed("AmongOtherBuiltins", lambda lie: {"__builtins__": {**vars(builtins), "hash": lie}}),
)
