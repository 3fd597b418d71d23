"""Requests to test a filter with, drawn from bytes: histories, ladders and lists, many near what the filter admits.

    >>> import filterproof as fp
    >>> drawn = requests_near(fp.GaussianFilter(mu=1.0))
    >>> len(drawn.pairs), round(drawn.request(Tape(b"")).mu, 9)
    (1068, 1.0)

The same bytes are the same example, so that Hypothesis and a numpy Generator can both say what to try.
Importing this module does not import hypothesis.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.contract.contract_checks import checked_admits, checked_start
from filterproof.filters.contract.filter_base import FilterBase, MechanismFamily
from filterproof.filters.contract.largest_granted import last_granted
from filterproof.theory.pairs import (
    KOV,
    DominatingPair,
    Erasure,
    Gaussian,
    Laplace,
    RandomizedResponse,
    Selection,
)
from filterproof.theory.rounding import next_above, next_below

#: The rounds so far: each request and the privacy loss that its output realised, in nats.
History: TypeAlias = list[tuple[DominatingPair, float]]

#: Families of one size (or an array of them), dearer as it grows, which is a probability in the last.
_FAMILIES: tuple[MechanismFamily, ...] = (
    Gaussian,
    RandomizedResponse,
    lambda size: Laplace(1 / size),
    lambda size: KOV(size, 0 * size + 1e-9),
    lambda size: KOV(size, size / (1e4 + size)),
    lambda size: Erasure((size / (4 + size)) ** 2),
)
#: From 1e-6 to 4, dense above 1e-2: an interval of sizes whose ends differ by a twentieth is not stepped over there.
_SIZES = tuple(float(size) for size in (*np.geomspace(1e-6, 9e-3, 20), *np.geomspace(1e-2, 4.0, 130)))
#: Tried as well, where all or none of these sizes are admitted: the budget is of another magnitude.
_LARGER = tuple(float(size) for size in np.geomspace(4.5, 1024.0, 50))
_SMALLER = tuple(float(size) for size in np.geomspace(1e-30, 9e-7, 50))
#: How many times the answer may change along one family before the rest of the changes is passed over.
_MOST_EDGES = 4
#: Which of the sizes in order are near an edge: those on both sides, and some that leave a part of the budget.
_NEAR = (-1, 0, -2, 1, -4, 3, -7, 6, -11, -16, -24)


class Tape:
    """Numbers read off bytes one after the other; zeros where the bytes have run out."""

    __slots__ = ("_data", "_place")

    def __init__(self, data: bytes) -> None:
        self._data, self._place = data, 0

    def below(self, n: int) -> int:
        """The next number, one of 0..n-1: the less, the less its byte says, or its two bytes where n is above 32."""
        width = 1 if n <= 32 else 2
        word = self._data[self._place : self._place + width]
        self._place += width
        return int.from_bytes(word, "big") * n >> 8 * width if len(word) == width else 0

    def loss(self) -> float:
        """A loss in [-2, 2]; 0.0 for a zero byte."""
        steps = self._data[self._place] if self._place < len(self._data) else 0
        self._place += 1
        return (steps if steps < 128 else 127 - steps) / 64.0001


def possible_loss(request: DominatingPair, loss: float) -> float:
    """`loss`, or the nearest between the least and the most that the request realises, of those that are finite."""
    low, high = _finite_losses(request)
    return min(max(loss, low), high)


@lru_cache(maxsize=1 << 12)
def _finite_losses(request: DominatingPair) -> tuple[float, float]:
    ends = []
    for one, way in ((request.swapped, -1.0), (request, 1.0)):
        if one.outputs is None:
            losses = [float(one.loss_isf(0.0))]
        else:
            losses = [float(loss) for loss, _ in one.outputs if math.isfinite(loss)]
        ends.append(way * max(losses, default=0.0))
    return ends[0], ends[1]


@dataclass(frozen=True, slots=True)
class _Chain:
    """Single pairs from the cheapest to the dearest, and the places where the answer differs from that before."""

    pairs: tuple[DominatingPair, ...]
    edges: tuple[int, ...] = ()
    admits_some: bool = True

    @property
    def near(self) -> tuple[DominatingPair, ...]:
        """Those about where the answer changes."""
        last = len(self.pairs) - 1
        places = dict.fromkeys(min(max(edge + i, 0), last) for i in _NEAR for edge in self.edges)
        return tuple(self.pairs[place] for place in places)


@dataclass(frozen=True, slots=True)
class Requests:
    """Single pairs to draw from: `near` an edge of what a fresh run admits, of families it admits, and the others."""

    near: tuple[DominatingPair, ...]
    some: tuple[DominatingPair, ...]
    others: tuple[DominatingPair, ...]
    chains: tuple[_Chain, ...]

    @property
    def pairs(self) -> tuple[DominatingPair, ...]:
        """Every pair that may be drawn."""
        return (*self.some, *self.others)

    def only(self, kind: type) -> Requests:
        """Those of one kind."""
        groups = (self.near, self.some, self.others)
        near, some, others = (tuple(pair for pair in group if isinstance(pair, kind)) for group in groups)
        chains = tuple(chain for chain in self.chains if isinstance(chain.pairs[0], kind))
        return Requests(near, some, others, chains)

    def request(self, tape: Tape) -> DominatingPair:
        """One pair: half of them near an edge, an eighth of families that a fresh run denies."""
        kind = tape.below(8)
        return _one_of(tape, self.near if kind < 4 else self.some if kind < 7 else self.others, self.pairs)

    def small(self, tape: Tape, longest: int) -> list[DominatingPair]:
        """`longest` times the same request, of which a fresh run would grant a few or many."""
        chains = tuple(chain for chain in self.chains if chain.edges) or self.chains
        chain = chains[tape.below(len(chains))]
        below = chain.edges[0] if chain.edges else len(chain.pairs)
        return [chain.pairs[tape.below(below)]] * longest

    def list(self, tape: Tape, longest: int) -> list[DominatingPair]:
        """At most `longest` requests, each with an even chance one of those before it; few are large in some lists."""
        drawn: list[DominatingPair] = []
        any_size = tape.below(4) == 3
        for _ in range(tape.below(longest + 1)):
            place = tape.below(2 * len(drawn)) if drawn else 0
            if place > len(drawn):
                drawn.append(drawn[place - len(drawn)])
            else:
                drawn.append(_one_of(tape, self.some, self.pairs) if any_size else self.request(tape))
        return drawn

    def history(self, tape: Tape, longest: int) -> History:
        """At most `longest` requests, each with a loss that it realises if it is granted."""
        return [(request, possible_loss(request, tape.loss())) for request in self.list(tape, longest)]

    def ladder(self, tape: Tape, longest: int) -> tuple[DominatingPair, ...]:
        """At most `longest` pairs of one family from the cheapest to the dearest, evenly spread, most about an edge."""
        good = tuple(chain for chain in self.chains if chain.admits_some)
        kind, rungs = tape.below(8), 2 + tape.below(longest - 1)
        chosen = self.chains if kind == 7 else good or self.chains
        chain = chosen[tape.below(len(chosen))]
        last = len(chain.pairs) - 1
        low, high = sorted((tape.below(last + 1), tape.below(last + 1)))
        if chain.edges and kind < 5:
            edge = chain.edges[tape.below(len(chain.edges))]
            low, high = max(edge - 1 - low % (edge if kind < 2 else 80), 0), min(edge + high % 8, last)
        places = {low + (high - low) * rung // (rungs - 1) for rung in range(rungs)}
        return tuple(chain.pairs[place] for place in sorted(places))


def _one_of(
    tape: Tape, group: tuple[DominatingPair, ...], otherwise: tuple[DominatingPair, ...]
) -> DominatingPair:
    group = group or otherwise
    return group[tape.below(len(group))]


def requests_near(filt: FilterBase) -> Requests:
    """Gaussian, RandomizedResponse, Laplace, KOV and Erasure pairs of sizes from 1e-6 to 4, and where answers change.

    Asks fresh runs and bisects for each change of their answer, so that sizes just admitted and just denied are
    among the pairs; goes on to smaller sizes where none is admitted and to larger ones where all are.
    """
    return _collected([_scanned(family, filt) for family in _FAMILIES])


def at_once(pairs: Sequence[DominatingPair], index: NDArray[np.intp]) -> DominatingPair:
    """The pair by which run i asks for pairs[index[i]]: of one family if they are, else a Selection."""
    if len(pairs) == 1:
        return pairs[0]
    selection = Selection(tuple(pairs), index)
    (runs, merged), *_ = selection.families()
    return merged if runs is None else selection


def _fresh_answers(filt: FilterBase, request: DominatingPair, n: int) -> list[bool]:
    answers: list[bool] = checked_admits(filt, checked_start(filt, n), request, n).tolist()
    return answers


def requests_of(pairs: Sequence[DominatingPair], filt: FilterBase | None = None) -> Requests:
    """These pairs and no others; with `filt` a fresh run is asked for each, to draw more often where answers change.

    Raises ValueError for an empty sequence.
    """
    if not pairs:
        raise ValueError("requests must name at least one pair, got none; pass e.g. [Gaussian(mu=0.1)]")
    chains = _chains(pairs)
    if filt is None:
        return Requests((), tuple(pairs), (), tuple(map(_Chain, chains)))
    asked = []
    for chain in chains:
        answers = _fresh_answers(filt, at_once(chain, np.arange(len(chain))), len(chain))
        asked.append(_Chain(chain, _edges(answers), any(answers)))
    return _collected(asked)


def _collected(chains: list[_Chain]) -> Requests:
    good = [chain for chain in chains if chain.admits_some]
    return Requests(
        tuple(pair for chain in good for pair in chain.near),
        tuple(pair for chain in good for pair in chain.pairs),
        tuple(pair for chain in chains if not chain.admits_some for pair in chain.pairs),
        tuple(chains),
    )


def _edges(answers: Sequence[bool]) -> tuple[int, ...]:
    return tuple(i for i in range(1, len(answers)) if answers[i] != answers[i - 1])[:_MOST_EDGES]


def _scanned(family: MechanismFamily, filt: FilterBase) -> _Chain:
    """The chain of a family, with sizes about each change of the answer of a fresh run."""

    def asked(sizes: Sequence[float]) -> list[bool]:
        return _fresh_answers(filt, family(np.array(sizes)), len(sizes))

    sizes = _SIZES
    answers = asked(sizes)
    if all(answers):
        sizes = (*sizes, *_LARGER)
    elif not any(answers):
        sizes = (*_SMALLER, *sizes)
    if len(sizes) > len(answers):
        answers = asked(sizes)
    candidates: set[float] = set(sizes)
    highs = []
    for edge in _edges(answers):
        low, high = sizes[edge - 1], sizes[edge]
        if answers[edge]:
            high = last_granted(lambda size: asked([size])[0], high, low)
            low = next_below(high)
        else:
            low = last_granted(lambda size: asked([size])[0], low, high)
            high = next_above(low)
        # one of these fills the budget alone, or two do, or three, or four, charged by their square or as they are
        candidates |= {low, high, *(low * share for share in (0.7071, 0.577, 0.4999, 0.3333))}
        highs.append(high)
    ordered = sorted(candidates)
    return _Chain(tuple(map(family, ordered)), tuple(map(ordered.index, highs)), any(answers))


def _numbers(pair: DominatingPair) -> tuple[float, ...]:
    values = (getattr(pair, f.name) for f in fields(pair))  # type: ignore[arg-type]
    return tuple(value for value in values if isinstance(value, float))


def _chains(pairs: Sequence[DominatingPair]) -> list[tuple[DominatingPair, ...]]:
    """The distinct pairs in chains from the cheapest to the dearest; a pair that fits nowhere is a chain by itself.

    Of two pairs of one family the dearer one is that which dominates the other.
    """
    chains: list[list[DominatingPair]] = []
    for pair in sorted(dict.fromkeys(pairs), key=lambda pair: (type(pair).__name__, _numbers(pair))):
        for chain in chains:
            if type(pair) is type(chain[0]) and pair.dominates(chain[-1]):
                chain.append(pair)
                break
            if type(pair) is type(chain[0]) and chain[0].dominates(pair):  # a noise: the larger, the cheaper
                chain.insert(0, pair)
                break
        else:
            chains.append([pair])
    return [tuple(chain) for chain in chains]
