"""Scouts: runs with losses set by hand, which find the range of losses and the scale of what a strategy asks for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from mc.worst_case.asking import DENIED, Asking, Positions
from mc.worst_case.decision_map import DecisionMap
from mc.worst_case.log_ratio import Epsilon
from mc.worst_case.loss_nodes import Nodes
from mc.worst_case.too_large import TooLargeError
from theory.pairs import DominatingPair, Gaussian

__all__ = ["Scouted", "scout"]

#: Scouts run along so many standard deviations either side; a density there is below 1e-42.
_DEVIATIONS = 14.0
_SCOUTS = 57
_NODES = 6000


@dataclass(frozen=True, slots=True)
class Scouted:
    """The range of losses and the least scale (mu for a Gaussian) of the requests that were drawn and not the last."""

    low: float
    high: float
    scale: float
    smooth: bool

    def decisions(self, asking: Asking, epsilons: Sequence[Epsilon], step: float | None) -> DecisionMap:
        """The map of decisions, with an edge wherever a payoff has a kink."""
        kinks = sorted({side * float(one) for one in epsilons for side in (1, -1)})
        width = 4 * self.scale if self.smooth else self.scale
        told = DecisionMap.of(asking, low=self.low, high=self.high, width=width, kinks=kinks)
        if self.smooth and not all(isinstance(pair, Gaussian) for pair in _drawn(told)):
            rough = Scouted(self.low, self.high, self.scale, smooth=False)
            return rough.decisions(asking, epsilons, step)
        return told

    def nodes(self, edges: NDArray[np.float64], finer: bool, step: float | None) -> Nodes:
        """The nodes of the coarser or the finer grid."""
        widths = np.diff(edges)
        if self.smooth:
            per = 4.0 if finer else 2.5
            counts = np.ceil(8 + per * widths / self.scale) if finer else np.ceil(6 + per * widths / self.scale)
        else:
            size = self.scale / 16 if step is None else step
            counts = np.ceil(widths / size) * (2 if finer else 1) + 1
        if counts.sum() > _NODES:
            raise TooLargeError(
                f"adversary must ask for pairs not too unlike in size, got {int(counts.sum()):,} nodes between losses "
                f"{self.low:.3g} and {self.high:.3g} for a scale of {self.scale:.3g}; use fp.simulate, or a larger step"
            )
        return Nodes.on(edges, counts.astype(np.intp), smooth=self.smooth)

    def settled(self, coarse: float, fine: float) -> tuple[float, float]:
        """The value that both grids give, and by how much they differ."""
        if self.smooth or not (coarse > 0 and fine > 0):
            return fine, abs(fine - coarse)
        # splitting errs by the square of the step, as a factor
        return fine * (fine / coarse) ** (1 / 3), abs(fine - coarse)


def scout(asking: Asking, epsilons: Sequence[float]) -> Scouted:
    """Plays rays: scout i has the loss mean + c_i sqrt(variance) after every round."""
    c = np.linspace(-_DEVIATIONS, _DEVIATIONS, _SCOUTS)
    start = asking.start()
    at = start.take(np.zeros(_SCOUTS, dtype=np.intp))
    at = Positions.joined([at])
    alive = np.arange(_SCOUTS)
    mean, variance = np.zeros((2, _SCOUTS)), np.zeros((2, _SCOUTS))
    low = high = 0.0
    drawn: set[int] = set()
    game = asking.game
    for t in range(game.rounds):
        number, at = asking.ask(t, at)
        if not game.waits:
            go = np.flatnonzero(number != DENIED)
            at, alive, number = at.take(go), alive[go], number[go]
            mean, variance = mean[:, go], variance[:, go]
        if not len(alive):
            break
        before = at.loss
        for k in np.unique(number[number != DENIED]).tolist():
            rows = number == k
            drawn.add(k)
            for side, one in enumerate((asking.pairs[k], asking.pairs[k].swapped)):
                m, spread = _moments(one)
                mean[side, rows] += m
                variance[side, rows] += spread * spread
        # scouts below the middle follow the law of Q, whose loss -L has the moments of the swapped pair
        ray = c[alive]
        loss = np.where(
            ray >= 0,
            mean[0] + ray * np.sqrt(variance[0]),
            -mean[1] + ray * np.sqrt(variance[1]),
        )
        loss = np.where(number == DENIED, before, loss)
        low, high = min(low, float(loss.min())), max(high, float(loss.max()))
        at = asking.observed(at, loss, loss - before)
    # a run that the rays lost may still make one last step
    pairs = [asking.pairs[k] for k in drawn]
    scales = [_moments(side)[1] for pair in pairs for side in (pair, pair.swapped)]
    scales = [x for x in scales if x > 0] or [1.0]
    reach = 10 * max(scales)
    far = max((abs(one) for one in epsilons), default=0.0) + 4 * max(scales)
    smooth = all(isinstance(pair, Gaussian) for pair in pairs)
    return Scouted(min(low - reach, -far), max(high + reach, far), min(scales), smooth)


def _moments(pair: DominatingPair) -> tuple[float, float]:
    """Mean and scale of the finite loss of a pair: of a Gaussian, its mean and standard deviation."""
    if isinstance(pair, Gaussian):
        return float(pair.mu) ** 2 / 2, float(pair.mu)
    tail = np.minimum(special.ndtr(-np.linspace(0.0, 8.0, 33)), 1.0)
    quantiles = [float(pair.loss_quantile(p)) for p in tail.tolist()]
    middle = quantiles[0]
    wide = [(x - middle) / z for x, z in zip(quantiles[1:], np.linspace(0.0, 8.0, 33)[1:], strict=True)]
    spread = max((x for x in wide if math.isfinite(x)), default=0.0)
    return middle, spread


def _drawn(told: DecisionMap) -> list[DominatingPair]:
    """The pairs whose output is seen before the transcript ends."""
    used = {
        source.pair for sources in told.rounds for source in sources if source.leads is not None and source.pair is not None
    }
    return [told.asking.pairs[k] for k in used]
