"""A finite adaptive game: a strategy is a tree of requests, and all its transcripts are enumerated in rationals.

>>> coin = bernoulli("2/3", "1/3")
>>> ask_twice_after_heads = Tree(0, (Tree(0, (None, None)), None))
>>> print(hockey_stick(list(play(ask_twice_after_heads, [coin], lambda released, request: True)), Fraction(1)))
1/3
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import lcm

__all__ = [
    "Pair",
    "Transcript",
    "Tree",
    "added",
    "all_trees",
    "bernoulli",
    "full_trees",
    "hockey_stick",
    "moment",
    "play",
]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two laws on finitely many outcomes, P[y] and Q[y], all rational; ValueError if one is not a law."""

    p: tuple[Fraction, ...]
    q: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        for name, law in (("p", self.p), ("q", self.q)):
            if not all(isinstance(mass, Fraction) and mass >= 0 for mass in law) or sum(law) != 1:
                raise ValueError(f"{name} must be Fractions >= 0 that add to 1, got {law}; pass a law")
        if len(self.p) != len(self.q):
            raise ValueError(f"q must have the {len(self.p)} outcomes of p, got {len(self.q)}; pad with 0")

    @property
    def swapped(self) -> Pair:
        return Pair(self.q, self.p)

    def moment(self, order: int) -> Fraction:
        """E_Q[(P/Q)^order] = e^{(order-1) D_order(P||Q)}."""
        return _moment(zip(self.p, self.q, strict=True), order)


@dataclass(frozen=True, slots=True)
class Tree:
    """A deterministic strategy: the request to make (an index into a menu), then a tree per outcome.

    None in place of a tree stops. A random strategy is a mixture of trees, and H and moments of the mixture are at
    most those of its worst tree.
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

    @property
    def swapped(self) -> Transcript:
        return Transcript(self.q, self.p, self.released, self.outcomes)


def bernoulli(p: str, q: str) -> Pair:
    """The pair of two coins, heads with probability p and q."""
    a, b = Fraction(p), Fraction(q)
    return Pair((a, 1 - a), (b, 1 - b))


def all_trees(requests: int, rounds: int, outcomes: int = 2) -> Iterator[Tree | None]:
    """Every strategy of at most `rounds` rounds over a menu of that many requests, stopping included."""
    _check_game(requests, rounds, outcomes)
    yield None
    if rounds > 0:
        below = tuple(all_trees(requests, rounds - 1, outcomes))
        for request in range(requests):
            for after in product(below, repeat=outcomes):
                yield Tree(request, after)


def full_trees(requests: int, rounds: int, outcomes: int = 2) -> Iterator[Tree | None]:
    """Every strategy that goes on for exactly `rounds` rounds, if the filter lets it."""
    _check_game(requests, rounds, outcomes)
    if rounds == 0:
        yield None
        return
    below = tuple(full_trees(requests, rounds - 1, outcomes))
    for request in range(requests):
        for after in product(below, repeat=outcomes):
            yield Tree(request, after)


def _check_game(requests: int, rounds: int, outcomes: int) -> None:
    for name, value, least in (("requests", requests, 1), ("rounds", rounds, 0), ("outcomes", outcomes, 1)):
        if value < least:
            raise ValueError(
                f"{name} must be >= {least}, got {name}={value}; a game of nothing shows nothing"
            )


def play(
    tree: Tree | None, menu: Sequence[Pair], admits: Callable[[tuple[int, ...], int], bool]
) -> Iterator[Transcript]:
    """Every transcript of a strategy against a filter that halts at the first request it does not admit.

    `admits(released, request)` sees the requests released so far and the next one, never an outcome of it.
    """
    yield from _continue(tree, menu, admits, _START, _known_paths(tuple(menu)))


_START = Transcript(Fraction(1), Fraction(1), (), ())


@lru_cache(maxsize=64)
def _known_paths(menu: tuple[Pair, ...]) -> dict[tuple[tuple[int, ...], tuple[int, ...]], Transcript]:
    """Transcripts on a menu by their requests and outcomes, which strategies share; filled as they are met."""
    return {}


def _continue(
    tree: Tree | None,
    menu: Sequence[Pair],
    admits: Callable[[tuple[int, ...], int], bool],
    past: Transcript,
    known: dict[tuple[tuple[int, ...], tuple[int, ...]], Transcript],
) -> Iterator[Transcript]:
    if tree is None or not admits(past.released, tree.request):
        yield past
        return
    if not 0 <= tree.request < len(menu):
        raise ValueError(f"request must be on the menu of {len(menu)}, got {tree.request}; number it from 0")
    pair = menu[tree.request]
    if len(tree.after) != len(pair.p):
        # a missing branch would lose its mass, and the worst case could be too small
        raise ValueError(f"after must have the {len(pair.p)} outcomes of its pair, got {len(tree.after)}")
    released = (*past.released, tree.request)
    for y, below in enumerate(tree.after):
        outcomes = (*past.outcomes, y)
        after = known.get((released, outcomes))
        if after is None:
            after = Transcript(past.p * pair.p[y], past.q * pair.q[y], released, outcomes)
            known[released, outcomes] = after
        yield from _continue(below, menu, admits, after, known)


def added(values: Iterable[Fraction]) -> Fraction:
    """The sum, over one common denominator."""
    listed = list(values)
    common = lcm(*(value.denominator for value in listed))
    return Fraction(sum(value.numerator * (common // value.denominator) for value in listed), common)


def moment(transcripts: Sequence[Transcript], order: int) -> Fraction:
    """E_Q[(P/Q)^order] over all transcripts of one strategy, order >= 1."""
    _check_whole(transcripts)
    return _moment(((t.p, t.q) for t in transcripts), order)


def hockey_stick(transcripts: Sequence[Transcript], ratio: Fraction) -> Fraction:
    """H_{e^eps}(P||Q) over all transcripts of one strategy, with e^eps = ratio >= 0."""
    _check_whole(transcripts)
    if ratio < 0:
        raise ValueError(f"ratio must be >= 0, got ratio={ratio}; pass e^epsilon")
    above = (t.p - ratio * t.q for t in transcripts)
    return added(excess for excess in above if excess > 0)


def _moment(masses: Iterable[tuple[Fraction, Fraction]], order: int) -> Fraction:
    if order < 1:
        raise ValueError(f"order must be >= 1, got order={order}; the moments below bound nothing here")
    terms = []
    for p, q in masses:
        if p and not q and order > 1:
            raise ValueError(f"q must be > 0 where p is, got p={p}: the moment of order {order} is infinite")
        if p:
            terms.append(_term(p.numerator, p.denominator, q.numerator, q.denominator, order))
    return added(terms)


@lru_cache(maxsize=1 << 14)
def _term(p: int, p_over: int, q: int, q_over: int, order: int) -> Fraction:
    # whole numbers are looked up faster than Fractions, and a game has few different terms
    return (
        Fraction(p, p_over) ** order / Fraction(q, q_over) ** (order - 1)
        if order > 1
        else Fraction(p, p_over)
    )


def _check_whole(transcripts: Sequence[Transcript]) -> None:
    # a sum over a part of the transcripts is smaller and would wrongly pass as a proof
    if not isinstance(transcripts, Sequence) or {
        added(t.p for t in transcripts),
        added(t.q for t in transcripts),
    } != {1}:
        raise ValueError("transcripts must be all of one strategy, of total mass 1; pass list(play(...))")
