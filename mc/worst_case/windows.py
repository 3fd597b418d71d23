"""The window of losses that a lattice game solves for each state, and the truncation error."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from filterproof.mc.worst_case.graph import StateGraph

#: -log of the share of the value outside the windows, about 2^-100.
_TRUNCATION_EXPONENT = 70.0
_LINES = 16


@dataclass(frozen=True, slots=True)
class LossWindows:
    """State i is solved at the losses lows[i], lows[i] + stride, ...

    <= highs[i], in steps; none if lows[i] > highs[i]. Half way between P and Q (see `LevelGame`) the loss is a walk
    that moves by k up or down with probability 1/2, and E[exp(t move)] = cosh(t k) <= exp(t^2 k^2 / 2). Let s be the
    sum of k^2 so far, and n the largest possible one. By Doob's inequality for exp(t loss - t^2 s / 2), for every t > 0
    and under every strategy, P(loss >= c^2 / 2t + t s / 2 at some time) <= exp(-c^2 / 2). The windows are cut at such
    lines, for several t, on both sides. From a state whose later squares add up to at most r, the walk comes within the
    largest k of epsilon from c sqrt(r) further away with probability at most exp(-c^2 / 2); the windows are cut there,
    too. A value half way lies in [0, 1] and is at most the sum of all gains, so that `left_out` bounds the effect of
    all cuts on the value at the start. A request that may reveal everything also gains far from epsilon: then the
    windows are cut at the lines alone. `left_out` is 0 if no cut is within the reachable range. If each state is
    reached with losses of one parity, the stride is 2.
    """

    lows: NDArray[np.int64]
    highs: NDArray[np.int64]
    stride: int
    left_out: float

    @classmethod
    def of(
        cls,
        graph: StateGraph,
        units: Sequence[int],
        centre: float,
        most: float,
        *,
        reveals: bool = False,
    ) -> LossWindows:
        """Return the windows for requests that move the loss by `units`; epsilon is at `centre`, in steps.

        A request of k units gains at most `most` k, unless `reveals`.
        """
        moves = np.array(units, dtype=np.int64)
        both = np.stack([moves, moves * moves], axis=1)
        before, after = graph.largest_sums_before(both), graph.largest_sums_after(both)
        total = max(int(before[:, 1].max()), 1)
        c = math.sqrt(2 * _TRUNCATION_EXPONENT + min(centre * centre / total, 1e6))
        spans = [total / 4.0**j for j in range(_LINES) if j == 0 or total / 4.0**j > c * c]
        lines = np.array([c / 2 * math.sqrt(span) * (1 + before[:, 1] / span) for span in spans])
        ahead = np.ceil(lines.min(axis=0))
        cut = bool((ahead < before[:, 0]).any())
        highs = np.minimum(ahead, before[:, 0]).astype(np.int64)
        lows = -highs
        if not reveals:
            back = np.ceil(c * np.sqrt(after[:, 1])) + moves.max()
            cut |= bool((back < after[:, 0]).any())
            back = np.minimum(back, after[:, 0]).astype(np.int64)
            lows = np.maximum(lows, math.floor(centre) - back)
            highs = np.minimum(highs, math.ceil(centre) + back)
        stride = 2 if _states_have_one_parity(graph, moves, before[:, 0]) else 1
        if stride == 2:
            lows += (lows ^ before[:, 0]) & 1
        gained = math.inf if reveals else most * int(before[:, 0].max())
        left_out = (2 * len(spans) + 1) * math.exp(-c * c / 2) * min(1.0, gained)
        return cls(lows, highs, stride, left_out * (1 + 1e-9) if cut else 0.0)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of losses in each window."""
        sizes: NDArray[np.int64] = np.maximum((self.highs - self.lows) // self.stride + 1, 0)
        return sizes

    @property
    def positions(self) -> int:
        """The number of (state, loss) positions, at least one for each state."""
        return int(np.maximum(self.sizes, 1).sum())


def _states_have_one_parity(graph: StateGraph, moves: NDArray[np.int64], sums: NDArray[np.int64]) -> bool:
    """Whether each state is reached with losses of one parity only, that of `sums`."""
    for m, move in enumerate(moves):
        rows = np.flatnonzero(graph.child[:, m] >= 0)
        if ((sums[graph.child[rows, m]] - sums[rows] - move) & 1).any():
            return False
    return True
