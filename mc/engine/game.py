"""A game: who plays whom, under which rules."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from filters.contract.checks import checked_filter
from filters.contract.filter_base import OnDenial
from filters.privacy_filter import PrivacyFilter
from mc.engine.adversary import Adversary
from mc.engine.guard import Guard
from theory.arguments import check_count, check_real
from theory.pairs.base import Direction

__all__ = ["Erasures", "Game"]

#: Whether infinite losses are drawn like others, or never and weighed instead.
Erasures: TypeAlias = Literal["drawn", "weighed"]

#: Rounds played against an adversary that does not say when it stops, unless the caller says how many.
LONGEST = 1000


@dataclass(frozen=True, slots=True)
class Game:
    """Who plays whom, under which rules: everything but the random numbers.

    Round by round: the adversary asks, the filter decides on what it has seen, the budget is charged, the
    output is drawn, the loss is observed. A denied run halts for good, or asks again next round ("retry"); but one
    whose adversary has a final request makes that instead, and ends.
    Outputs are drawn from P ("PQ") or from Q ("QP"), tilted to `order` (1: as they are). Infinite losses are
    "drawn" like others, or never and "weighed": a path then carries the probability of having met none.
    A guard keeps its own account of what was released.
    """

    filter: PrivacyFilter
    adversary: Adversary
    rounds: int
    order: float = 1.0
    direction: Direction = "PQ"
    on_denial: OnDenial = "halt"
    erasures: Erasures = "drawn"
    guard: Guard | None = None

    def __post_init__(self) -> None:
        checked_filter(self.filter)
        if not isinstance(self.adversary, Adversary):
            raise TypeError(f"adversary must be an Adversary, got {self.adversary!r}; pass an instance")
        check_count("rounds", self.rounds)
        check_real("order", self.order)
        for name, value, allowed in (
            ("direction", self.direction, ("PQ", "QP")),
            ("on_denial", self.on_denial, ("halt", "retry")),
            ("erasures", self.erasures, ("drawn", "weighed")),
        ):
            if value not in allowed:
                raise ValueError(f"{name} must be one of {allowed}, got {name}={value!r}; pass one of them")

    @classmethod
    def between(
        cls,
        filt: PrivacyFilter,
        adversary: Adversary,
        *,
        rounds: int | None = None,
        direction: Direction = "PQ",
        on_denial: OnDenial = "halt",
    ) -> Game:
        """The game with the adversary set against the filter, and no more rounds than it wants to play."""
        game = cls(filt, adversary, LONGEST if rounds is None else rounds, 1.0, direction, on_denial)
        adversary = adversary.against(filt)
        horizon = adversary.horizon
        if horizon is not None and (rounds is None or horizon < rounds):
            game = replace(game, rounds=horizon)
        return replace(game, adversary=adversary)

    @property
    def waits(self) -> bool:
        """Whether denied runs stay, to ask again next round."""
        return self.on_denial == "retry" and not self.adversary.asks_finally

    def at(self, order: float, guard: Guard | None = None) -> Game:
        """The same game with outputs drawn from the law tilted to `order`, under a guard."""
        return replace(self, order=order, guard=guard)
