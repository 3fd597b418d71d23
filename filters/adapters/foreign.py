"""Deciding objects of other libraries, and filters made from them."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.contract.filter_base import MechanismFamily
from filterproof.filters.contract.work import count_work
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.filters.rules.menu import (
    checked_menu,
    counts_after_use,
    distinct_rows,
    largest_affordable_on_menu,
    positions,
    valid_counts,
)
from filterproof.theory.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP
from filterproof.theory.pairs import DominatingPair

#: Units of work of a copy of an object and its answer.
_COPY_UNITS = 2
#: The number of a guarantee that a total is compared with.
_LIMITS = {ApproxDP: "epsilon", PureDP: "epsilon", ZCDP: "rho", GaussianDP: "mu", RenyiDP: "rho"}


@dataclass(frozen=True, eq=False)
class ForeignObject(ABC):
    """An object of another library used as a filter. Its exceptions are raised and are no denials.

    make() returns a new object before any release, of the class `class_name`. `name` describes the object and the rule
    without addresses.
    `promise` is the library's guarantee, or the rule made from it. `composes` says whether `granted` depends on the set
    of releases and not on their order, by the definition of the rule.
    """

    make: Callable[[], Any]
    class_name: str
    promise: Guarantee
    rule: ClassVar[str]
    composes: ClassVar[bool]
    #: Called with the object, the pair and the loss after each release, or None for an object without such a method.
    on_release: Callable[[Any, Any, float], object] | None = field(default=None, kw_only=True)

    @property
    def name(self) -> str:
        """The rule and the class of the object, without addresses."""
        return f"{self.rule} of {self.class_name}"

    @abstractmethod
    def granted(self, instance: Any, pair: DominatingPair) -> bool:
        """Whether one use of the pair is granted; if so, it is charged."""

    def answers_in_turn(self, requests: Iterable[DominatingPair]) -> tuple[bool, ...]:
        """Return the answers of one new object to requests in turn; unlike a filter, it keeps what a denial did."""
        foreign_object = self.make()
        return tuple(self.granted(foreign_object, pair) for pair in requests)

    @abstractmethod
    def replay_uses(self, instance: Any, pair: DominatingPair, count: int) -> bool:
        """Charge uses that the object granted before; return whether it grants all again."""

    @abstractmethod
    def spent(self, instance: Any) -> float | None:
        """Return the object's statement of its spending in the unit of the guarantee, or None."""


def spending_limit(target: Guarantee) -> float:
    """Return the limit on the spending under a guarantee: its epsilon, rho or mu."""
    if type(target) not in _LIMITS:
        raise TypeError(f"target must be a guarantee, got {target!r}; pass e.g. fp.ApproxDP(1.0, 1e-5)")
    return float(getattr(target, _LIMITS[type(target)]))


def checked_callable(name: str, value: object) -> None:
    """Raise TypeError if `value` cannot be called."""
    if not callable(value):
        raise TypeError(f"{name} must be callable, got {value!r}; pass a function or a lambda")


def checked_release_callback(released: Any) -> Any:
    """Return the function that tells an object of a release, or None. Raises TypeError for anything else."""
    if released is not None:
        checked_callable("released", released)
    return released


def checked_made_name(make: Callable[[], Any]) -> str:
    """Return the name of what `make` returns. Raises ValueError if both calls return one object."""
    checked_callable("make", make)
    foreign = make()
    if make() is foreign:
        raise ValueError(
            f"make must return a new object each time, got one {type(foreign).__name__} twice; create it inside the "
            "function"
        )
    return type(foreign).__name__


#: Pairs, or pairs by name: an examination uses the names.
Menu: TypeAlias = "tuple[DominatingPair, ...] | Mapping[str, DominatingPair]"


def filter_of(foreign: ForeignObject, menu: Menu | None) -> PrivacyFilter:
    """Return the filter of the object: with a menu its state is the number of uses of each pair, else the object."""
    pairs = None if menu is None else checked_menu(menu)
    filt: ObservingFilter | CopiedFilter | CountedFilter
    if foreign.on_release is not None:
        filt = ObservingFilter(foreign, pairs)
    else:
        filt = CopiedFilter(foreign) if pairs is None else CountedFilter(foreign, pairs)
    filt.named_pairs = dict(menu) if isinstance(menu, Mapping) else {}
    return filt


class CopiedFilter(PrivacyFilter):
    """Continue while a deep copy of the object grants the request. Exceptions of the library are no denials.

    State: the objects, shape (n,), which do not change inside a state. `copy.deepcopy` must copy them completely. A
    session of this filter cannot be saved. Source: the library under test.
    """

    sound = None
    proof = "none: the rule is that of another library"

    named_pairs: Mapping[str, DominatingPair]

    def __init__(self, foreign: ForeignObject) -> None:
        self.foreign_object = foreign
        self.promise = foreign.promise

    def __repr__(self) -> str:
        return f"{self.foreign_object.name}, {self.promise}"

    def answers_in_turn(self, requests: tuple[DominatingPair, ...]) -> tuple[bool, ...]:
        """Return the answers of one object to requests in turn; () if its denials are only the rule's."""
        return () if self.foreign_object.composes else self.foreign_object.answers_in_turn(requests)

    def start(self, n: int) -> NDArray[Any]:
        return _object_array([self.foreign_object.make() for _ in range(n)])

    def admits(self, state: NDArray[Any], request: DominatingPair) -> NDArray[Any]:
        return self.step(state, request)[0]

    def spend(self, state: NDArray[Any], request: DominatingPair) -> NDArray[Any]:
        return self.step(state, request)[1]

    def step(self, state: NDArray[Any], request: DominatingPair) -> tuple[NDArray[Any], NDArray[Any]]:
        # both from one call: an object that fails once may answer a second call differently
        after = [copy.deepcopy(instance) for instance in state]
        granted = [
            self.foreign_object.granted(instance, request.of_run(run)) for run, instance in enumerate(after)
        ]
        return np.array(granted, dtype=np.bool_), _object_array(after)


class ObservingFilter(CopiedFilter):
    """Continue while a deep copy of the object grants the request, and tell the copy the loss of the release.

    State: the objects, each with the pair whose loss is awaited or None, shape (n,). Source: the library under test.
    """

    def __init__(self, foreign: ForeignObject, menu: tuple[DominatingPair, ...] | None) -> None:
        super().__init__(foreign)
        self.menu = menu

    def start(self, n: int) -> NDArray[Any]:
        return _object_array([(self.foreign_object.make(), None) for _ in range(n)])

    def step(self, state: NDArray[Any], request: DominatingPair) -> tuple[NDArray[Any], NDArray[Any]]:
        count_work(_COPY_UNITS * len(state))
        after = [(copy.deepcopy(instance), request.of_run(run)) for run, (instance, _) in enumerate(state)]
        on_menu = [self.menu is None or pair in self.menu for _, pair in after]
        granted = [
            yes and self.foreign_object.granted(*last) for yes, last in zip(on_menu, after, strict=True)
        ]
        return np.array(granted, dtype=np.bool_), _object_array(after)

    def observe(self, state: NDArray[Any], loss: NDArray[Any]) -> NDArray[Any]:
        assert self.foreign_object.on_release is not None
        count_work(_COPY_UNITS * len(state))
        after = [(copy.deepcopy(instance), pair) for instance, pair in state]
        for (instance, pair), run_loss in zip(after, loss, strict=True):
            if pair is not None:
                self.foreign_object.on_release(instance, pair, float(run_loss))
        return _object_array([(instance, None) for instance, _ in after])


def _object_array(items: list[Any]) -> NDArray[Any]:
    # one by one: an object that is a sequence must not become a row
    array = np.empty(len(items), dtype=object)
    for run, item in enumerate(items):
        array[run] = item
    return array


class CountedFilter(PrivacyFilter):
    """Continue while a new object, charged for all uses so far, grants the request, which must be on the menu.

    State: the number of uses of each pair of the menu, shape (n, len(menu)), integers. Every pair of the menu is tried
    when the filter is made. Exceptions of the library, then or later, are no denials. A row is decided once and cached.
    Uses are charged in the order of the menu; RuntimeError is raised if the object refuses what it granted in another
    order. Source: the library under test; nothing here assumes that its rule is sound.
    """

    sound = None
    proof = "none: the rule is that of another library"

    named_pairs: Mapping[str, DominatingPair]

    def __init__(self, foreign: ForeignObject, menu: tuple[DominatingPair, ...]) -> None:
        self._foreign = foreign
        self._menu = menu
        self.promise = foreign.promise
        self.scope = "every adaptive adversary over the menu, if its pairs describe the mechanisms"
        for place, pair in enumerate(self.menu):
            try:
                _is_granted_after_uses(self, (0,) * len(self.menu), place)
            except Exception as error:
                error.add_note(
                    f"raised for {pair!r} of the menu; leave it out if the library does not support it"
                )
                raise

    @property
    def foreign_object(self) -> ForeignObject:
        """The object that decides. It cannot be replaced, because its decisions are cached."""
        return self._foreign

    @property
    def menu(self) -> tuple[DominatingPair, ...]:
        """The pairs that may be requested. They cannot be replaced either."""
        return self._menu

    def __repr__(self) -> str:
        return f"{self.foreign_object.name} on {self.menu!r}, {self.promise}"

    def answers_in_turn(self, requests: tuple[DominatingPair, ...]) -> tuple[bool, ...]:
        """Return the answers of one object to requests of the menu in turn; () for others, as in `CopiedFilter`."""
        repeats_menu = not self.foreign_object.composes and all(pair in self.menu for pair in requests)
        return self.foreign_object.answers_in_turn(requests) if repeats_menu else ()

    def start(self, n: int) -> NDArray[Any]:
        return np.zeros((n, len(self.menu)), dtype=np.int64)

    def admits(self, state: NDArray[Any], request: DominatingPair) -> NDArray[Any]:
        place = positions(self.menu, request, len(state))
        rows, runs = distinct_rows(np.column_stack([state, place + 1]))
        granted = [uses > 0 and _is_granted_after_uses(self, tuple(row), uses - 1) for *row, uses in rows]
        return np.array(granted, dtype=np.bool_)[runs]

    def spend(self, state: NDArray[Any], request: DominatingPair) -> NDArray[Any]:
        return counts_after_use(state, positions(self.menu, request, len(state)))

    def is_reachable_state(self, state: NDArray[Any]) -> NDArray[Any]:
        return valid_counts(state, len(self.menu))

    def affordable(self, state: NDArray[Any], family: MechanismFamily) -> NDArray[np.float64]:
        return largest_affordable_on_menu(self, self.menu, state, family)


def _is_granted_after_uses(filt: CountedFilter, row: tuple[int, ...], place: int) -> bool:
    """Return whether pair number `place` is granted after the counted uses in `row`."""
    if filt.foreign_object.composes:  # a function of all releases including this one, in any order
        after = tuple(count + (i == place) for i, count in enumerate(row))
        place = next(i for i, count in enumerate(after) if count)
        row = tuple(count - (i == place) for i, count in enumerate(after))
    return _is_granted_after_replay(filt, row, place)


@lru_cache(maxsize=1 << 16)
def _is_granted_after_replay(filt: CountedFilter, row: tuple[int, ...], place: int) -> bool:
    """Replay the uses in `row` on a new object; return whether it grants pair number `place`."""
    foreign = filt.foreign_object.make()
    for pair, uses in zip(filt.menu, row, strict=True):
        if uses and not filt.foreign_object.replay_uses(foreign, pair, uses):
            raise RuntimeError(
                f"{filt.foreign_object.class_name} refuses {uses} uses of {pair!r} that it granted in another order; "
                "call without menu, so that its own objects are the state"
            )
    return filt.foreign_object.granted(foreign, filt.menu[place])
