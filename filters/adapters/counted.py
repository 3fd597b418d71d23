"""A filter whose state is how often each pair of a menu was used; the other library's object is played again."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from filters.adapters.foreign import Foreign
from filters.contract.filter_base import MechanismFamily
from filters.privacy_filter import PrivacyFilter
from filters.rules.menu import affordable_of, checked_menu, counted, distinct, positions, used
from theory.pairs import DominatingPair

__all__ = ["CountedFilter"]


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

    def reaches(self, state: NDArray[Any]) -> NDArray[Any]:
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
