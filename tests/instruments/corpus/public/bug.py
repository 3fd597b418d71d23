"""A bug of budget code that a public thread tells, and its repair, each modelled in a few lines of ours.

A budget is asked by `spend(pair)`. What a thread says was read before it was modelled; none of its code is here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar, TypeVar

import filterproof as fp
from filterproof.theory.guarantees import Guarantee
from filterproof.theory.pairs import DominatingPair

K = TypeVar("K", bound=type)


@dataclass(frozen=True, slots=True)
class PublicBug:
    """A bug and its repair; thread is where it was reported, and confirmed what was confirmed there.

    budget is a `Budget`, or else a service with a `promise`, whose requests take several steps.
    """

    name: str
    thread: str
    confirmed: str
    budget: type
    labels: Mapping[str, tuple[str | int, ...]] = field(default_factory=dict)
    over: Mapping[str, str | int] = field(default_factory=dict)
    together: tuple[str, ...] = ()

    @property
    def promise(self) -> Guarantee:
        """The guarantee that the budget is to keep."""
        promise: Guarantee = self.budget.promise  # type: ignore[attr-defined]
        return promise

    def make(self, *, repaired: bool) -> Any:
        """The filter that decides as the budget does, or the service with its guarantee."""
        kind = self.budget
        if not issubclass(kind, Budget):
            return fp.services.with_promise(partial(kind, repaired=repaired), self.promise)
        keeper = fp.from_budget(lambda: kind(repaired), lambda budget, pair: budget.spend(pair), self.promise)
        if not self.labels:
            return keeper
        return fp.LabelledFilter(keeper, labels=self.labels, over=self.over, together=self.together)


class PublicBugs(list[PublicBug]):
    """The bugs of a module, each beside its budget."""

    def add(self, name: str, thread: str, confirmed: str, **labels: Any) -> Callable[[K], K]:
        """Return a decorator: the budget below has this bug."""

        def append(budget: K) -> K:
            self.append(PublicBug(name, thread, confirmed, budget, **labels))
            return budget

        return append


class Budget:
    """A budget with a fault or its repair, in the units of its promise; infinite is what has no price."""

    promise: ClassVar[Guarantee] = fp.PureDP(1.0)
    #: A request of the kind that it is about, of a size.
    kind: ClassVar[Callable[[float], DominatingPair]] = fp.RandomizedResponse
    #: What the fault charges of what is due.
    part: ClassVar[float] = 1.0

    def __init__(self, repaired: bool) -> None:
        self.repaired = repaired
        self.spent: float | Fraction = 0.0
        self.store: dict[object, float | Fraction] = {}
        self.history: list[Any] = []

    def due(self, pair: DominatingPair) -> float:
        cost = pair.zcdp_rho if isinstance(self.promise, fp.ZCDP) else pair.pure_epsilon
        return math.inf if cost is None else float(cost)

    def charge(self, pair: DominatingPair) -> float:
        return self.due(pair) * (1.0 if self.repaired else self.part)

    def spend(self, pair: DominatingPair) -> bool:
        raise NotImplementedError


class Sum(Budget):
    """Charges add up to the limit, which is that of the promise; no charge is too small to move the sum."""

    def spend(self, pair: DominatingPair) -> bool:
        charge = self.charge(pair)
        if math.isinf(charge) or (after := Fraction(self.spent) + Fraction(charge)) > self.limit:
            return False
        self.spent = after
        return True

    @property
    def limit(self) -> float:
        match self.promise:
            case fp.PureDP(limit) | fp.ZCDP(limit) | fp.ApproxDP(_, limit):
                return float(limit)
        raise AssertionError(self.promise)
