"""An adapted accountant under test, with the pairs to request and the histories to replay."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias
from unittest import SkipTest

import numpy as np

from filterproof.filters.adapters.foreign import CopiedFilter, CountedFilter, ForeignObject
from filterproof.theory.pairs import DominatingPair

#: Pairs in the order of their grants.
History: TypeAlias = tuple[DominatingPair, ...]

#: Requests of one pair after which the absence of a denial is accepted.
MAX_GRANTS = 400
#: The number of mixed histories, and the longest of them.
_MIXED, _MAX_HISTORY = 8, 6
#: The seed of histories and orders.
_SEED = 20_261_122


@dataclass(frozen=True)  # without slots, because cached properties need a dict
class AuditedAccountant:
    """The object behind an adapted filter, with the data that the invariants need.

    raw(held, value) charges a bare parameter, such as an epsilon or a noise; None if the library has no such function.
    Answers are compared within the relative `tolerance` that the library's documentation states.
    """

    filter: CountedFilter | CopiedFilter
    menu: tuple[DominatingPair, ...]
    tolerance: float = 1e-6
    raw: Callable[[Any, float], object] | None = None

    @cached_property
    def _cached_totals(self) -> dict[History, float | None]:
        """The reported total by history, or None if the object denies a part; empty at first."""
        return {}

    @property
    def foreign_object(self) -> ForeignObject:
        """The adapter of the object."""
        return self.filter.foreign_object

    def played(self, history: Iterable[DominatingPair]) -> tuple[Any, tuple[DominatingPair, ...]]:
        """Return a new object after the requests of a history, and the granted ones."""
        foreign, budget = self.foreign_object, self.foreign_object.make()

        def record_or_request(pair: DominatingPair) -> bool:
            """Request a pair, or record it if the object only composes; return whether it was granted."""
            if foreign.composes:  # it only records releases and denies nothing
                return foreign.replay_uses(budget, pair, 1)
            return foreign.granted(budget, pair)

        return budget, tuple(filter(record_or_request, history))

    def reported_total(self, history: Iterable[DominatingPair]) -> float | None:
        """Return what a new object reports as spent after a history, or None if it denies some of it; cached."""
        history = tuple(history)
        if not history:
            return self.initial_reported_spent()
        if history not in self._cached_totals:
            budget, granted = self.played(history)
            self._cached_totals[history] = (
                self.reported_spent(budget) if len(granted) == len(history) else None
            )
        return self._cached_totals[history]

    def initial_reported_spent(self) -> float:
        """Return what a new object reports as spent; 0 if it cannot answer before a release."""
        budget = self.foreign_object.make()
        try:
            return self.reported_spent(budget)
        except SkipTest:
            raise
        except Exception:  # noqa: BLE001 in the library's own words
            return 0.0

    def supports(self, pair: DominatingPair) -> bool:
        """Whether the object supports the pair, which need not be on its menu."""
        try:
            self.foreign_object.replay_uses(self.foreign_object.make(), pair, 1)
        except Exception:  # noqa: BLE001 in the library's own words
            return False
        return True

    def reported_spent(self, budget: Any) -> float:
        """Return what the object reports as spent. Raises SkipTest if it does not report it."""
        answered = self.foreign_object.spent(budget)
        if answered is None:
            raise SkipTest("it does not report its spending")
        return answered

    def count_grants(self, budget: Any, pair: DominatingPair) -> int:
        """Return how often in a row the object grants the pair before a denial, at most 400."""
        granted = self.foreign_object.granted
        return next((times for times in range(MAX_GRANTS) if not granted(budget, pair)), MAX_GRANTS)

    def is_close(self, answer: float, other: float) -> bool:
        """Whether two answers are equal within the tolerance."""
        low, high = sorted((answer, other))
        return high <= low * (1 + self.tolerance) + 1e-12

    @cached_property
    def histories(self) -> tuple[History, ...]:
        """Each pair alone, twice and seven times, and mixed histories."""
        rng = np.random.default_rng(_SEED)
        alone = [(pair,) * count for pair in self.menu for count in (1, 2, 7)]
        mixed = [
            tuple(self.menu[i] for i in rng.integers(len(self.menu), size=rng.integers(2, _MAX_HISTORY + 1)))
            for _ in range(_MIXED if len(self.menu) > 1 else 0)
        ]
        return tuple(dict.fromkeys((*alone, *mixed)))

    def reorderings(self, history: History) -> tuple[History, ...]:
        """Return two permutations of a history: its reverse and a pseudorandom one."""
        rng = np.random.default_rng(_SEED)
        return history[::-1], tuple(history[i] for i in rng.permutation(len(history)))


def exceeds_tolerance(value: float, bound: float, tolerance: float) -> bool:
    """Whether a value is above a bound by more than the tolerance, or one of them is NaN."""
    return math.isnan(value) or math.isnan(bound) or value > bound * (1 + tolerance) + 1e-12
