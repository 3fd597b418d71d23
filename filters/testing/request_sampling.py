"""Draws test requests for a filter from bytes: histories, ladders and lists, many near the edge of the admitted set.

The same bytes give the same example, so that Hypothesis and a numpy Generator can both drive it. Importing this
module does not import hypothesis.

    >>> import filterproof as fp
    >>> drawn = requests_near(fp.GaussianFilter(mu=1.0))
    >>> len(drawn.pairs), round(drawn.request(ByteTape(b"")).mu, 9)
    (1068, 1.0)
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
    PairPerRun,
    RandomizedResponse,
)
from filterproof.theory.rounding import next_above, next_below

#: The rounds so far: each request and its realised privacy loss in nats.
History: TypeAlias = list[tuple[DominatingPair, float]]

#: Families with one size parameter (or an array). The cost grows with the size. The last one maps it to a
#: probability.
FAMILIES: tuple[MechanismFamily, ...] = (
    Gaussian,
    RandomizedResponse,
    lambda size: Laplace(1 / size),
    lambda size: KOV(size, 0 * size + 1e-9),
    lambda size: KOV(size, size / (1e4 + size)),
    lambda size: Erasure((size / (4 + size)) ** 2),
)
#: Sizes from 1e-6 to 4. Above 1e-2, neighbours differ by less than 5 %, so that no interval that wide is skipped.
_SCAN_SIZES = tuple(float(size) for size in (*np.geomspace(1e-6, 9e-3, 20), *np.geomspace(1e-2, 4.0, 130)))
#: Further sizes for a budget of another magnitude: used if all or none of the sizes above are admitted.
_LARGER_SIZES = tuple(float(size) for size in np.geomspace(4.5, 1024.0, 50))
_SMALLER_SIZES = tuple(float(size) for size in np.geomspace(1e-30, 9e-7, 50))
#: The most changes of the answer along one family that are located.
_MAX_EDGES = 4
#: Offsets from an edge in the sorted sizes: both sides of it, and smaller sizes that leave part of the budget.
_EDGE_OFFSETS = (-1, 0, -2, 1, -4, 3, -7, 6, -11, -16, -24)


class ByteTape:
    """Reads numbers from bytes, and zeros after the last byte."""

    __slots__ = ("_data", "_place")

    def __init__(self, data: bytes) -> None:
        self._data, self._place = data, 0

    def below(self, n: int) -> int:
        """Return the next number in 0..n-1, monotone in its byte, or in its two bytes if n > 32."""
        width = 1 if n <= 32 else 2
        word = self._data[self._place : self._place + width]
        self._place += width
        return int.from_bytes(word, "big") * n >> 8 * width if len(word) == width else 0

    def loss(self) -> float:
        """Return a loss in [-2, 2]; 0.0 for a zero byte."""
        steps = self._data[self._place] if self._place < len(self._data) else 0
        self._place += 1
        return (steps if steps < 128 else 127 - steps) / 64.0001


def clip_to_possible_loss(request: DominatingPair, loss: float) -> float:
    """Return `loss` clipped to the range of finite losses that the request can realise."""
    low, high = _finite_loss_range(request)
    return min(max(loss, low), high)


@lru_cache(maxsize=1 << 12)
def _finite_loss_range(request: DominatingPair) -> tuple[float, float]:
    ends = []
    for direction, way in ((request.swapped, -1.0), (request, 1.0)):
        if direction.outputs is None:
            losses = [float(direction.loss_isf(0.0))]
        else:
            losses = [float(loss) for loss, _ in direction.outputs if math.isfinite(loss)]
        ends.append(way * max(losses, default=0.0))
    return ends[0], ends[1]


@dataclass(frozen=True, slots=True)
class _CostChain:
    """Single pairs in ascending cost, with the places where a fresh run's answer differs from the previous one."""

    pairs: tuple[DominatingPair, ...]
    edges: tuple[int, ...] = ()
    admits_some: bool = True

    @property
    def near(self) -> tuple[DominatingPair, ...]:
        """The pairs near the edges."""
        last = len(self.pairs) - 1
        places = dict.fromkeys(min(max(edge + i, 0), last) for i in _EDGE_OFFSETS for edge in self.edges)
        return tuple(self.pairs[place] for place in places)


@dataclass(frozen=True, slots=True)
class RequestMenu:
    """Single pairs to draw from: `near` an edge of the admitted set, of admitted families (`some`), and `others`."""

    near: tuple[DominatingPair, ...]
    some: tuple[DominatingPair, ...]
    others: tuple[DominatingPair, ...]
    chains: tuple[_CostChain, ...]

    @property
    def pairs(self) -> tuple[DominatingPair, ...]:
        return (*self.some, *self.others)

    def of_class(self, kind: type) -> RequestMenu:
        """Return the menu with only the pairs of one class."""
        groups = (self.near, self.some, self.others)
        near, some, others = (tuple(pair for pair in group if isinstance(pair, kind)) for group in groups)
        chains = tuple(chain for chain in self.chains if isinstance(chain.pairs[0], kind))
        return RequestMenu(near, some, others, chains)

    def request(self, tape: ByteTape) -> DominatingPair:
        """Draw one pair: near an edge with probability 1/2, of a denied family with probability 1/8."""
        kind = tape.below(8)
        return _one_of(tape, self.near if kind < 4 else self.some if kind < 7 else self.others, self.pairs)

    def repeated_request(self, tape: ByteTape, longest: int) -> list[DominatingPair]:
        """Draw one small request and return `longest` copies of it."""
        chains = tuple(chain for chain in self.chains if chain.edges) or self.chains
        chain = chains[tape.below(len(chains))]
        below = chain.edges[0] if chain.edges else len(chain.pairs)
        return [chain.pairs[tape.below(below)]] * longest

    def request_list(self, tape: ByteTape, longest: int) -> list[DominatingPair]:
        """Draw at most `longest` requests. About half repeat an earlier one; one list in four has any sizes."""
        drawn: list[DominatingPair] = []
        any_size = tape.below(4) == 3
        for _ in range(tape.below(longest + 1)):
            place = tape.below(2 * len(drawn)) if drawn else 0
            if place > len(drawn):
                drawn.append(drawn[place - len(drawn)])
            else:
                drawn.append(_one_of(tape, self.some, self.pairs) if any_size else self.request(tape))
        return drawn

    def history(self, tape: ByteTape, longest: int) -> History:
        """Draw at most `longest` requests, each with a loss that it can realise."""
        return [
            (request, clip_to_possible_loss(request, tape.loss()))
            for request in self.request_list(tape, longest)
        ]

    def ladder(self, tape: ByteTape, longest: int) -> tuple[DominatingPair, ...]:
        """Draw at most `longest` evenly spaced pairs of one family in ascending cost, usually around an edge."""
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
    tape: ByteTape, group: tuple[DominatingPair, ...], otherwise: tuple[DominatingPair, ...]
) -> DominatingPair:
    group = group or otherwise
    return group[tape.below(len(group))]


def requests_near(filt: FilterBase, families: Sequence[MechanismFamily] = FAMILIES) -> RequestMenu:
    """Return pairs of these families, by default the common ones, of sizes 1e-6 to 4, with the edges of `filt`.

    The function asks fresh runs and bisects each change of their answers, so that it includes sizes that are just
    admitted and just denied. It adds smaller sizes if none is admitted and larger ones if all are.
    """
    return _menu_of_chains([_scanned_chain(family, filt) for family in families])


def at_once(pairs: Sequence[DominatingPair], index: NDArray[np.intp]) -> DominatingPair:
    """Combine requests so that run i asks for pairs[index[i]]: one pair if all are of one family, else a PairPerRun."""
    if len(pairs) == 1:
        return pairs[0]
    selection = PairPerRun(tuple(pairs), index)
    (runs, merged), *_ = selection.runs_by_family()
    return merged if runs is None else selection


def _fresh_answers(filt: FilterBase, request: DominatingPair, n: int) -> list[bool]:
    answers: list[bool] = checked_admits(filt, checked_start(filt, n), request, n).tolist()
    return answers


def requests_of(pairs: Sequence[DominatingPair], filt: FilterBase | None = None) -> RequestMenu:
    """Return these pairs alone. With `filt`, ask a fresh run for each and draw more often where its answer changes.

    Raises ValueError for an empty sequence.
    """
    if not pairs:
        raise ValueError("requests must name at least one pair, got none; pass e.g. [Gaussian(mu=0.1)]")
    chains = _split_into_cost_chains(pairs)
    if filt is None:
        return RequestMenu((), tuple(pairs), (), tuple(map(_CostChain, chains)))
    requests = []
    for chain in chains:
        answers = _fresh_answers(filt, at_once(chain, np.arange(len(chain))), len(chain))
        requests.append(_CostChain(chain, _answer_changes(answers), any(answers)))
    return _menu_of_chains(requests)


def _menu_of_chains(chains: list[_CostChain]) -> RequestMenu:
    good = [chain for chain in chains if chain.admits_some]
    return RequestMenu(
        tuple(pair for chain in good for pair in chain.near),
        tuple(pair for chain in good for pair in chain.pairs),
        tuple(pair for chain in chains if not chain.admits_some for pair in chain.pairs),
        tuple(chains),
    )


def _answer_changes(answers: Sequence[bool]) -> tuple[int, ...]:
    return tuple(i for i in range(1, len(answers)) if answers[i] != answers[i - 1])[:_MAX_EDGES]


def _scanned_chain(family: MechanismFamily, filt: FilterBase) -> _CostChain:
    """Return the chain of a family with extra sizes around each change of a fresh run's answer."""

    def answers_at(sizes: Sequence[float]) -> list[bool]:
        return _fresh_answers(filt, family(np.array(sizes)), len(sizes))

    sizes = _SCAN_SIZES
    answers = answers_at(sizes)
    if all(answers):
        sizes = (*sizes, *_LARGER_SIZES)
    elif not any(answers):
        sizes = (*_SMALLER_SIZES, *sizes)
    if len(sizes) > len(answers):
        answers = answers_at(sizes)
    candidates: set[float] = set(sizes)
    highs = []
    for edge in _answer_changes(answers):
        low, high = sizes[edge - 1], sizes[edge]
        if answers[edge]:
            high = last_granted(lambda size: answers_at([size])[0], high, low)
            low = next_below(high)
        else:
            low = last_granted(lambda size: answers_at([size])[0], low, high)
            high = next_above(low)
        # these fill the budget with one, two, three or four requests, with a squared or a linear charge
        candidates |= {low, high, *(low * share for share in (0.7071, 0.577, 0.4999, 0.3333))}
        highs.append(high)
    ordered = sorted(candidates)
    return _CostChain(tuple(map(family, ordered)), tuple(map(ordered.index, highs)), any(answers))


def _pair_numbers(pair: DominatingPair) -> tuple[float, ...]:
    values = (getattr(pair, f.name) for f in fields(pair))  # type: ignore[arg-type]
    return tuple(value for value in values if isinstance(value, float))


def _split_into_cost_chains(pairs: Sequence[DominatingPair]) -> list[tuple[DominatingPair, ...]]:
    """Split the distinct pairs into chains of ascending cost. A pair comparable with no other is a chain of its own.

    Of two pairs of one family, the dominating pair costs more.
    """
    chains: list[list[DominatingPair]] = []
    for pair in sorted(dict.fromkeys(pairs), key=lambda pair: (type(pair).__name__, _pair_numbers(pair))):
        for chain in chains:
            if type(pair) is type(chain[0]) and pair.dominates(chain[-1]):
                chain.append(pair)
                break
            # a noise parameter: larger is cheaper
            if type(pair) is type(chain[0]) and chain[0].dominates(pair):
                chain.insert(0, pair)
                break
        else:
            chains.append([pair])
    return [tuple(chain) for chain in chains]
