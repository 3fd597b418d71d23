"""A game that an accountant plays: what it is promised to keep, and a certified lower bound on what it reaches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from typing import Any, ClassVar, Self

from filterproof.mc.examine.divergence import Bound, Divergence, goals
from filterproof.mc.examine.sequence import Sequence
from filterproof.theory.pairs import DominatingPair


class AccountantGame(ABC):
    """One game of a `accountant`, which is data beside the accountant: `to_data`, and `from_data` by who has the
    accountant."""

    accountant: Any
    #: The fields of the data.
    fields: ClassVar[frozenset[str]]
    #: What is released at most: more of it never measures less.
    sequence: Sequence
    #: What kind of play it is, in a word or two; a promise is compared once for each.
    menu: str
    #: What is asked, in words, and the longest play.
    asked: str
    rounds: int

    @property
    def promise(self) -> Any:
        """What the accountant promises of the game."""
        return self.accountant.promise

    def measures(self) -> tuple[Divergence, ...]:
        """What is measured, each with a promise."""
        return goals(self.promise)

    def promised(self, measure: Divergence) -> float:
        """What the accountant's promise allows."""
        return measure.promised(self.promise)

    def solved(self, measure: Divergence) -> Bound:
        """A certified bound on what is reached, by the accountant's own code."""
        return Bound(self.sequence.low(measure, self.promised(measure)))

    @property
    def released(self) -> Counter[DominatingPair]:
        """The pairs that are released at most, each with how often."""
        return Counter(self.sequence.counts)

    @property
    @abstractmethod
    def parts(self) -> tuple[Hashable, ...]:
        """What the game consists of, one by one."""

    @abstractmethod
    def with_parts(self, parts: tuple[Any, ...]) -> Self | None:
        """The game of some of its parts; None where these make no game."""

    @abstractmethod
    def to_data(self) -> dict[str, Any]:
        """The game as JSON-able data, without the accountant."""

    @classmethod
    @abstractmethod
    def from_data(cls, accountant: Any, data: Mapping[str, Any]) -> Self:
        """The game from what `to_data` returned; ValueError for other data."""

    @classmethod
    @abstractmethod
    def proposed(cls, accountant: Any) -> Iterator[Self]:
        """Games worth playing, small ones first; none where the accountant lets nothing through."""
