"""What a game of people has played and compared, held against what the statements of its theorem say.

>>> print(SAID.words())
three people, two mechanisms, all 128 strategies of three rounds
>>> tally = Tally("the game")
>>> tally.check()
Traceback (most recent call last):
...
theory.proofs.theorem.RefusedError: the game has 0 of the 12 data sets with a person whom they hold, and others 0
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from theory.evidence import Evidence
from theory.proofs.people import Law, law_of
from theory.proofs.theorem import RefusedError
from theory.proofs.trees import Pair, Transcript, Tree

__all__ = ["SAID", "Said", "Tally", "check_both_ways"]

_WORDS = ("no", "one", "two", "three", "four")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """The numbers in the statements. The games take them from elsewhere, so that one of the two can be wrong."""

    people: int
    mechanisms: int
    rounds: int
    strategies: int

    def words(self) -> str:
        """The numbers as the statements have them."""
        people, mechanisms, rounds = (_WORDS[n] for n in (self.people, self.mechanisms, self.rounds))
        return (
            f"{people} people, {mechanisms} mechanisms, all {self.strategies} strategies of {rounds} rounds"
        )

    def removals(self) -> set[tuple[int, int]]:
        """Every data set of so many people, with every person whom it holds."""
        return {(d, i) for d, i in product(range(2**self.people), range(self.people)) if d // 2**i % 2}


SAID = Said(people=3, mechanisms=2, rounds=3, strategies=128)


class Tally:
    """The strategies that a game has played for each person of each data set, and the laws that it has compared."""

    def __init__(self, game: str) -> None:
        self._game = game
        self._strategies: dict[tuple[int, int], set[Tree | None]] = {}
        self._played: set[Law] = set()
        self._compared: set[Law] = set()

    def played(self, data: int, person: int, tree: Tree | None, ends: Sequence[Transcript] = ()) -> None:
        """A strategy was played on a data set, with and without the person, and ended in these transcripts."""
        self._strategies.setdefault((data, person), set()).add(tree)
        if ends:
            self._played.add(law_of(ends))

    def compared(self, way: Sequence[Transcript]) -> None:
        """The transcripts of a game were compared, in the direction in which they are."""
        self._compared.add(law_of(way))

    def check(self, *, ways: bool = False) -> None:
        """RefusedError unless all that the statements say was played and, with `ways`, compared in both directions."""
        wanted, found = SAID.removals(), set(self._strategies)
        if found != wanted:
            raise _refusal(
                f"{self._game} has {len(found & wanted)} of the {len(wanted)} data sets with a person whom they hold, "
                f"and others {len(found - wanted)}"
            )
        for trees in self._strategies.values():
            if len(trees) != SAID.strategies or not all(_goes_on(tree, SAID.rounds) for tree in trees):
                raise _refusal(
                    f"{self._game} has {len(trees)} strategies for a person, not "
                    f"{SAID.strategies} of {SAID.rounds} rounds"
                )
            if {request for tree in trees for request in _requests(tree)} != set(range(SAID.mechanisms)):
                raise _refusal(f"{self._game} does not ask for each of {SAID.mechanisms} mechanisms")
        if ways and (left := (self._played | set(map(_turned, self._played))) - self._compared):
            raise _refusal(
                f"{self._game} leaves out {len(left)} laws of transcripts in one of two directions"
            )


def check_both_ways(menu: Sequence[Pair], cost: Callable[[Pair], Fraction], order: int) -> None:
    """RefusedError unless the cost of each pair is at least the moment of the order of both its directions."""
    for pair in menu:
        if cost(pair) < max(pair.moment(order), pair.swapped.moment(order)):
            raise _refusal(f"the charge {cost(pair)} of the order {order} is below a moment of {pair}")


def _turned(law: Law) -> Law:
    return frozenset(((*mass[2:], *mass[:2]), many) for mass, many in law)


def _goes_on(tree: Tree | None, rounds: int) -> bool:
    """Whether a strategy has so many rounds on each path."""
    if tree is None:
        return rounds == 0
    return rounds > 0 and all(_goes_on(below, rounds - 1) for below in tree.after)


def _requests(tree: Tree | None) -> set[int]:
    if tree is None:
        return set()
    return {tree.request}.union(*map(_requests, tree.after))


def _refusal(reason: str) -> RefusedError:
    return RefusedError(reason, engine="fractions", evidence=Evidence.EXACT)
