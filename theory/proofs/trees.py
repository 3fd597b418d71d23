"""Finite adaptive games in rational arithmetic: every strategy is a tree, every transcript is enumerated."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

__all__ = [
    "Pair",
    "Transcript",
    "Tree",
    "all_trees",
    "bernoulli",
    "full_trees",
    "hockey_stick",
    "moment",
    "play",
]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two laws on finitely many outcomes, P[y] and Q[y], all rational."""

    p: tuple[Fraction, ...]
    q: tuple[Fraction, ...]

    @property
    def swapped(self) -> Pair:
        return Pair(self.q, self.p)

    def moment(self, order: int) -> Fraction:
        """E_Q[(P/Q)^order] = e^{(order-1) D_order(P||Q)}."""
        return sum((p**order / q ** (order - 1) for p, q in zip(self.p, self.q, strict=True)), Fraction(0))


@dataclass(frozen=True, slots=True)
class Tree:
    """A deterministic strategy: the request to make (an index into a menu), then a tree per outcome.

    A tree of None stops. A random strategy is a mixture of these; a claim for each holds for the mixture.
    """

    request: int
    after: tuple[Tree | None, ...]


@dataclass(frozen=True, slots=True)
class Transcript:
    """One full transcript: its probabilities under P and Q and the requests that were released."""

    p: Fraction
    q: Fraction
    released: tuple[int, ...]
    outcomes: tuple[int, ...]


def bernoulli(p: str, q: str) -> Pair:
    """The pair of two coins, heads with probability p and q."""
    a, b = Fraction(p), Fraction(q)
    return Pair((a, 1 - a), (b, 1 - b))


def all_trees(requests: int, rounds: int, outcomes: int = 2) -> Iterator[Tree | None]:
    """Every strategy of at most `rounds` rounds over a menu of that many requests, stopping included."""
    yield None
    if rounds > 0:
        below = tuple(all_trees(requests, rounds - 1, outcomes))
        for request in range(requests):
            for after in product(below, repeat=outcomes):
                yield Tree(request, after)


def full_trees(requests: int, rounds: int, outcomes: int = 2) -> Iterator[Tree | None]:
    """Every strategy that goes on for exactly `rounds` rounds, if the filter lets it."""
    if rounds == 0:
        yield None
        return
    below = tuple(full_trees(requests, rounds - 1, outcomes))
    for request in range(requests):
        for after in product(below, repeat=outcomes):
            yield Tree(request, after)


def play(
    tree: Tree | None, menu: Sequence[Pair], admits: Callable[[tuple[int, ...], int], bool]
) -> Iterator[Transcript]:
    """Every transcript of a strategy against a filter that halts at the first request it does not admit.

    `admits(released, request)` sees the requests released so far and the next one, never an outcome of it.
    """
    yield from _continue(tree, menu, admits, Transcript(Fraction(1), Fraction(1), (), ()))


def _continue(
    tree: Tree | None,
    menu: Sequence[Pair],
    admits: Callable[[tuple[int, ...], int], bool],
    past: Transcript,
) -> Iterator[Transcript]:
    if tree is None or not admits(past.released, tree.request):
        yield past
        return
    pair = menu[tree.request]
    for y, below in enumerate(tree.after):
        yield from _continue(
            below,
            menu,
            admits,
            Transcript(
                past.p * pair.p[y],
                past.q * pair.q[y],
                (*past.released, tree.request),
                (*past.outcomes, y),
            ),
        )


def moment(transcripts: Sequence[Transcript], order: int) -> Fraction:
    """E_Q[(P/Q)^order] over full transcripts."""
    return sum((t.p**order / t.q ** (order - 1) for t in transcripts), Fraction(0))


def hockey_stick(transcripts: Sequence[Transcript], ratio: Fraction) -> Fraction:
    """H_{e^eps}(P||Q) over full transcripts, with e^eps = ratio."""
    return sum((max(t.p - ratio * t.q, Fraction(0)) for t in transcripts), Fraction(0))
