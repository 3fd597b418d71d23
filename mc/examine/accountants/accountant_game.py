"""A game that an accountant plays: its guarantee, and a certified lower bound on the divergence."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from typing import Any, ClassVar, Self

from filterproof.mc.examine.divergence import Bound, Divergence, targets
from filterproof.mc.examine.sequence import RequestSequence
from filterproof.theory.pairs import DominatingPair


class AccountantGame(ABC):
    """Base class of one game of `accountant`: its requests, guarantee and certified value."""

    accountant: Any
    #: The field names of the data.
    fields: ClassVar[frozenset[str]]
    #: An upper bound on the released requests: more releases never measure less.
    sequence: RequestSequence
    #: The kind of play in a few words. Each kind is compared with the guarantee once.
    menu: str
    #: The requests in words, and the number of rounds of the longest play.
    description: str
    rounds: int

    @property
    def promise(self) -> Any:
        """Return the accountant's guarantee in this game."""
        return self.accountant.promise

    def measures(self) -> tuple[Divergence, ...]:
        """Return the divergences that the guarantee bounds."""
        return targets(self.promise)

    def promised(self, measure: Divergence) -> float:
        """Return the accountant's bound on the divergence."""
        return measure.promised(self.promise)

    def solve_divergence(self, measure: Divergence) -> Bound:
        """Return a certified bound on the divergence that the accountant's own code reaches."""
        return Bound(self.sequence.lower_bound(measure, self.promised(measure)))

    @property
    def released_counts(self) -> Counter[DominatingPair]:
        """Return the largest number of releases of each pair."""
        return Counter(self.sequence.counts)

    @property
    @abstractmethod
    def minimisable_parts(self) -> tuple[Hashable, ...]:
        """Return the parts of the game, for minimisation."""

    @abstractmethod
    def with_parts(self, parts: tuple[Any, ...]) -> Self | None:
        """Return the game of some parts, or None if they make no game."""

    @abstractmethod
    def to_data(self) -> dict[str, Any]:
        """Return the game as JSON-compatible data, without the accountant."""

    @classmethod
    @abstractmethod
    def from_data(cls, accountant: Any, data: Mapping[str, Any]) -> Self:
        """Return the game that `to_data` wrote. Raises ValueError for other data."""

    @classmethod
    @abstractmethod
    def propose_games(cls, accountant: Any) -> Iterator[Self]:
        """Yield games to try, small ones first; none if the accountant releases nothing."""
