"""Finite games of people with a filter each: what is released with and without one person, in rationals.

A data set is a set of people, as a bit mask: 5 holds the people 0 and 2.

>>> asks_both = told_if_any(0b011, Fraction(1, 4))
>>> print(*(asks_both.removal(data, 0).p[0] for data in (0b001, 0b011)))
3/4 3/4
>>> print(*(asks_both.removal(data, 0).q[0] for data in (0b001, 0b011)))
1/4 3/4
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from math import prod
from typing import TypeAlias

from theory.proofs.trees import Pair, Transcript, Tree

__all__ = [
    "PEOPLE",
    "Accounting",
    "Charge",
    "Fits",
    "Game",
    "Law",
    "Mechanism",
    "alone",
    "alone_menu",
    "counted",
    "in_all",
    "in_worst",
    "law_of",
    "laws",
    "now",
    "removals",
    "told_if_any",
    "within",
]

#: How many people there are; a data set holds some of them.
PEOPLE = 3

#: Numerators and denominators of the masses of transcripts; whole numbers are hashed faster than Fractions.
Law: TypeAlias = frozenset[tuple[tuple[int, int, int, int], int]]

#: (request, person, data set at hand) -> what the person is charged.
Charge: TypeAlias = Callable[[int, int, int], Fraction]
#: What a person was charged so far, and the next charge last -> whether the person's filter admits it.
Fits: TypeAlias = Callable[[tuple[Fraction, ...]], bool]
#: What a removal costs, turned into charges: `in_worst` or `now`.
Accounting: TypeAlias = Callable[[Sequence["Mechanism"], Callable[[Pair], Fraction]], Charge]


@dataclass(frozen=True, slots=True)
class Mechanism:
    """The law of one output on every data set, `laws[data]`."""

    laws: tuple[tuple[Fraction, ...], ...]

    def removal(self, data: int, person: int) -> Pair:
        """The laws on a data set that holds the person, and on it without the person."""
        return Pair(self.laws[data], self.laws[data & ~(1 << person)])


def told_if_any(holders: int, w: Fraction) -> Mechanism:
    """Whether anybody in the data is among the `holders`, told truly with probability 1 - w."""
    return Mechanism(
        tuple((1 - w, w) if data & holders else (w, 1 - w) for data in range(1 << PEOPLE)),
    )


def counted(least: Fraction, each: Fraction) -> Mechanism:
    """A coin that shows heads with probability `least`, and `each` more for each person in the data."""
    heads = [least + each * data.bit_count() for data in range(1 << PEOPLE)]
    return Mechanism(tuple((p, 1 - p) for p in heads))


def removals() -> Iterator[tuple[int, int]]:
    """Every data set with every person that it holds."""
    for data in range(1 << PEOPLE):
        yield from ((data, person) for person in range(PEOPLE) if data >> person & 1)


def in_worst(menu: Sequence[Mechanism], cost: Callable[[Pair], Fraction]) -> Charge:
    """Definition 2.5: the largest cost of the person's removal from any data set that holds the person."""

    @cache
    def charge(request: int, person: int, data: int) -> Fraction:
        holding = [held for held, removed in removals() if removed == person]
        return max(cost(menu[request].removal(held, person)) for held in holding)

    return charge


def now(menu: Sequence[Mechanism], cost: Callable[[Pair], Fraction]) -> Charge:
    """Definition 2.6: the cost of the person's removal from the data set at hand."""

    @cache
    def charge(request: int, person: int, data: int) -> Fraction:
        return cost(menu[request].removal(data, person))

    return charge


def within(budget: Fraction) -> Fits:
    """The filter of charges that multiply, as moments do: their product stays at most the budget."""
    return cache(lambda charges: in_all(charges) <= budget)


def in_all(charges: Sequence[Fraction]) -> Fraction:
    """The product of charges."""
    return prod(charges, start=Fraction(1))


@dataclass(frozen=True, slots=True)
class Game:
    """Mechanisms on offer, and a filter for each person; whoever's filter does not admit a round sits it out."""

    menu: tuple[Mechanism, ...]
    charge: Charge
    fits: Fits
    known: dict[tuple[int, tuple[int, ...]], int] = field(default_factory=dict, init=False, repr=False)
    paths: dict[tuple[int, int, tuple[int, ...], tuple[int, ...]], Transcript] = field(
        default_factory=dict, init=False, repr=False
    )

    def active(self, data: int, asked: tuple[int, ...]) -> int:
        """Those of a data set who take part in the last of the rounds asked."""
        if (data, asked) not in self.known:
            taking_part = (
                self._takes_part(person, data, asked) << person
                for person in range(PEOPLE)
                if data >> person & 1
            )
            self.known[data, asked] = sum(taking_part)
        return self.known[data, asked]

    def _takes_part(self, person: int, data: int, asked: tuple[int, ...]) -> bool:
        charged: tuple[Fraction, ...] = ()
        admitted = False
        for request in asked:
            with_next = (*charged, self.charge(request, person, data))
            admitted = self.fits(with_next)
            charged = with_next if admitted else charged
        return admitted

    def transcripts(self, tree: Tree | None, data: int, person: int) -> Iterator[Transcript]:
        """Every transcript of a strategy, p on the data set and q without the person; each is run on its own."""
        yield from _both(
            self, tree, (data, data & ~(1 << person)), Transcript(Fraction(1), Fraction(1), (), ())
        )


def _both(game: Game, tree: Tree | None, worlds: tuple[int, int], past: Transcript) -> Iterator[Transcript]:
    if tree is None:
        yield past
        return
    asked = (*past.released, tree.request)
    p, q = (game.menu[tree.request].laws[game.active(data, asked)] for data in worlds)
    for y, below in enumerate(tree.after):
        path = *worlds, asked, (*past.outcomes, y)
        if path not in game.paths:
            game.paths[path] = Transcript(past.p * p[y], past.q * q[y], asked, path[3])
        yield from _both(game, below, worlds, game.paths[path])


def laws(games: Iterable[list[Transcript]]) -> list[list[Transcript]]:
    """The games less those whose pairs of masses are those of an earlier one: these have the same divergences."""
    found: dict[Law, list[Transcript]] = {}
    for ends in games:
        found.setdefault(law_of(ends), ends)
    return list(found.values())


def law_of(ends: Iterable[Transcript]) -> Law:
    """The pairs of masses of transcripts, each as often as it comes."""
    whole = ((end.p.numerator, end.p.denominator, end.q.numerator, end.q.denominator) for end in ends)
    return frozenset(Counter(whole).items())


def alone(game: Game, tree: Tree | None, data: int) -> Tree | None:
    """The strategy with those who take part written into it: request k becomes 2^PEOPLE k + m, m the set of these."""

    def seen(tree: Tree | None, past: tuple[int, ...]) -> Tree | None:
        if tree is None:
            return None
        asked = (*past, tree.request)
        number = (tree.request << PEOPLE) + game.active(data, asked)
        return Tree(number, tuple(seen(below, asked) for below in tree.after))

    return seen(tree, ())


def alone_menu(game: Game, person: int) -> list[Pair]:
    """The pairs of `alone`: the person's removal from the set m, which is trivial where m does not hold the person."""
    return [mechanism.removal(m, person) for mechanism in game.menu for m in range(1 << PEOPLE)]
