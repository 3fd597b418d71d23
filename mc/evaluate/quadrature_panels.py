"""Quadrature panels: intervals of losses on which a strategy makes one decision.

>>> QuadraturePanels.between({0.5}, low=-1.0, high=1.0, width=1.0, merged=0.0).edges.tolist()
[-1.0, 0.0, 0.5, 1.0]
>>> bisect_change(lambda loss: loss > 0.71, 0.5, 1.0)
0.71
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.contract.largest_granted import last_granted
from filterproof.theory.rounding import next_above, next_below


@dataclass(frozen=True, slots=True)
class QuadraturePanels:
    """The intervals between `edges`; probes[j] are three losses of panel j: just inside its ends, and in its middle."""

    edges: NDArray[np.float64]
    probes: NDArray[np.float64]

    @classmethod
    def between(
        cls, forced: set[float], *, low: float, high: float, width: float, merged: float
    ) -> QuadraturePanels:
        """Return panels of at most `width`, with edges at `forced` and at 0, where every game starts.

        So an interval of losses around 0 has its two ends in different panels. A change within `merged` of an edge
        counts as a change at the edge.
        """
        ends = [low, *sorted(x for x in {*forced, 0.0} if low < x < high), high]
        parts = [np.linspace(a, b, int(np.ceil((b - a) / width)) + 1)[:-1] for a, b in pairwise(ends)]
        edges = np.append(np.concatenate(parts), high)
        left, right = edges[:-1], edges[1:]
        inside = np.minimum(2 * merged, (right - left) / 8)
        first = np.maximum(left + inside, next_above(left))
        last = np.minimum(right - inside, next_below(right))
        return cls(edges, np.stack([first, (left + right) / 2, last], axis=1))

    def __len__(self) -> int:
        return len(self.probes)


def bisect_change(answer: Callable[[float], Hashable], low: float, high: float) -> float:
    """Return a loss between two different answers at which `answer` changes.

    Of the two neighbouring doubles around the change, it is the one with the shorter binary expansion.
    """
    below = answer(low)
    last = last_granted(lambda loss: answer(loss) == below, low, high)
    return min((last, 0.0 + next_above(last)), key=lambda x: x.as_integer_ratio()[1])


def new_distinct_changes(changes: set[float], known_edges: set[float], merged: float) -> set[float]:
    """Return the changes farther than `merged` from every known edge and from one another."""
    new: set[float] = set()
    ordered = sorted(known_edges)
    for edge in sorted(changes - known_edges):
        place = bisect_left(ordered, edge)
        near = ordered[max(place - 1, 0) : place + 1]
        if all(abs(edge - other) > merged for other in near):
            new.add(edge)
            ordered.insert(place, edge)
    return new


def edges_text(edges: Sequence[float]) -> str:
    """Return a phrase for a scope that lists the losses at which decisions may change."""
    every = sorted({0.0, *edges})
    more = f", ... ({len(every)} in all)" if len(every) > 6 else ""
    return (
        f"decisions that change at most at the losses {', '.join(f'{edge:.6g}' for edge in every[:6])}{more}"
    )
