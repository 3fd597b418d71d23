"""An object of another library that decides: made afresh, charged, asked what it has spent; and filters made of it."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.contract.filter_base import MechanismFamily
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.filters.rules.menu import affordable_of, checked_menu, counted, distinct, positions, used
from filterproof.theory.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP
from filterproof.theory.pairs import DominatingPair

#: The one number of a guarantee that a total is compared with.
_LIMITS = {ApproxDP: "epsilon", PureDP: "epsilon", ZCDP: "rho", GaussianDP: "mu", RenyiDP: "rho"}


@dataclass(frozen=True, eq=False)
class Foreign(ABC):
    """How an object of another library is used as a filter. What the library raises is raised, and is no denial.

    make() gives a fresh object, before anything was released; name is the object and the rule in words, without
    addresses; promise is what the library promises, or the rule that is made of it. composes: whether `granted` depends
    on what was released and not on its order, by the definition of the rule.
    """

    make: Callable[[], Any]
    name: str
    promise: Guarantee
    composes: ClassVar[bool]

    @abstractmethod
    def granted(self, held: Any, pair: DominatingPair) -> bool:
        """Whether one use of the pair is granted; if so, it is charged."""

    @abstractmethod
    def replayed(self, held: Any, pair: DominatingPair, count: int) -> bool:
        """Whether the object grants, and is charged for, so many uses that were granted before."""

    @abstractmethod
    def spent(self, held: Any) -> float | None:
        """What the object says it has spent, in the unit of the promise; None where it does not say."""


def limit_of(target: Guarantee) -> float:
    """The number that what was spent may reach under a guarantee: its epsilon, rho or mu."""
    if type(target) not in _LIMITS:
        raise TypeError(f"target must be a guarantee, got {target!r}; pass e.g. fp.ApproxDP(1.0, 1e-5)")
    return float(getattr(target, _LIMITS[type(target)]))


def checked_callable(name: str, value: object) -> None:
    """TypeError if `value` cannot be called."""
    if not callable(value):
        raise TypeError(f"{name} must be callable, got {value!r}; pass a function or a lambda")


def checked_make(make: Callable[[], Any]) -> str:
    """The name of what `make` makes; ValueError if it gives one object twice, whose uses would be those of all runs."""
    checked_callable("make", make)
    foreign = make()
    if make() is foreign:
        raise ValueError(
            f"make must give a fresh object each time, got one {type(foreign).__name__} twice; make it inside the "
            "function"
        )
    return type(foreign).__name__


def filter_of(foreign: Foreign, menu: tuple[DominatingPair, ...] | None) -> PrivacyFilter:
    """The filter that the object decides: with a menu its state is how often each pair was used, else the object."""
    return CopiedFilter(foreign) if menu is None else CountedFilter(foreign, menu)


class CopiedFilter(PrivacyFilter):
    """CONT while a deep copy of the object grants the request; what the library raises is raised and is no denial.

    State: the objects, shape (n,), never changed once they are in a state. They must be what `copy.deepcopy` copies
    whole. A session of it cannot be saved. Source: the library under test.
    """

    sound = None
    proof = "none: the rule is another library's"

    def __init__(self, foreign: Foreign) -> None:
        self.foreign = foreign
        self.promise = foreign.promise

    def __repr__(self) -> str:
        return f"{self.foreign.name}, {self.promise}"

    def start(self, n: int) -> NDArray[Any]:
        return _objects([self.foreign.make() for _ in range(n)])

    def admits(self, state: NDArray[Any], request: DominatingPair) -> NDArray[Any]:
        return self.step(state, request)[0]

    def spend(self, state: NDArray[Any], request: DominatingPair) -> NDArray[Any]:
        return self.step(state, request)[1]

    def step(self, state: NDArray[Any], request: DominatingPair) -> tuple[NDArray[Any], NDArray[Any]]:
        # both of one asking: an object that fails once may answer a second asking otherwise
        after = [copy.deepcopy(held) for held in state]
        granted = [self.foreign.granted(held, request.of_run(run)) for run, held in enumerate(after)]
        return np.array(granted, dtype=np.bool_), _objects(after)


def _objects(held: list[Any]) -> NDArray[Any]:
    # one by one: an object that is a sequence must not become a row
    array = np.empty(len(held), dtype=object)
    for run, one in enumerate(held):
        array[run] = one
    return array


class CountedFilter(PrivacyFilter):
    """CONT while a fresh object, charged for all uses so far, grants the request, which must be on the menu.

    State: how often each pair of the menu was used, shape (n, len(menu)), integers. Every pair of the menu is asked for
    once when the filter is made: what the library raises there, or later, is raised and is no denial. A row is decided
    once and kept. Uses are charged in the order of the menu; where the object then refuses what it had granted in
    another order, RuntimeError is raised. Source: the library under test; nothing here assumes that its rule is sound.
    """

    sound = None
    proof = "none: the rule is another library's"

    def __init__(self, foreign: Foreign, menu: tuple[DominatingPair, ...]) -> None:
        self._foreign = foreign
        self._menu = checked_menu(menu)
        self.promise = foreign.promise
        self.scope = (
            "every adaptive adversary over the menu, whose pairs are taken to describe the mechanisms"
        )
        for place, pair in enumerate(self.menu):
            try:
                _granted(self, (0,) * len(self.menu), place)
            except Exception as error:
                error.add_note(
                    f"raised for {pair!r} of the menu; leave it out if the library does not support it"
                )
                raise

    @property
    def foreign(self) -> Foreign:
        """The object that decides; it cannot be exchanged, for its decisions are kept."""
        return self._foreign

    @property
    def menu(self) -> tuple[DominatingPair, ...]:
        """The pairs that may be asked for; they cannot be exchanged either."""
        return self._menu

    def __repr__(self) -> str:
        return f"{self.foreign.name} on {self.menu!r}, {self.promise}"

    def start(self, n: int) -> NDArray[Any]:
        return np.zeros((n, len(self.menu)), dtype=np.int64)

    def admits(self, state: NDArray[Any], request: DominatingPair) -> NDArray[Any]:
        place = positions(self.menu, request, len(state))
        rows, runs = distinct(np.column_stack([state, place + 1]))
        within = [asked > 0 and _granted(self, tuple(row), asked - 1) for *row, asked in rows]
        return np.array(within, dtype=np.bool_)[runs]

    def spend(self, state: NDArray[Any], request: DominatingPair) -> NDArray[Any]:
        return used(state, positions(self.menu, request, len(state)))

    def is_reachable_state(self, state: NDArray[Any]) -> NDArray[Any]:
        return counted(state, len(self.menu))

    def affordable(self, state: NDArray[Any], family: MechanismFamily) -> NDArray[np.float64]:
        return affordable_of(self, self.menu, state, family)


def _granted(filt: CountedFilter, row: tuple[int, ...], place: int) -> bool:
    if filt.foreign.composes:  # a function of what will have been released, whatever is asked for last
        after = tuple(count + (i == place) for i, count in enumerate(row))
        place = next(i for i, count in enumerate(after) if count)
        row = tuple(count - (i == place) for i, count in enumerate(after))
    return _decided(filt, row, place)


@lru_cache(maxsize=1 << 16)
def _decided(filt: CountedFilter, row: tuple[int, ...], place: int) -> bool:
    foreign = filt.foreign.make()
    for pair, count in zip(filt.menu, row, strict=True):
        if count and not filt.foreign.replayed(foreign, pair, count):
            raise RuntimeError(
                f"{filt.foreign.name} refuses {count} uses of {pair!r} that it granted in another order; "
                "leave out menu, so that its own objects are the state"
            )
    return filt.foreign.granted(foreign, filt.menu[place])
