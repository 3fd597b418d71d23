"""Scouts: runs with losses set by hand, which find the range of losses and the scale of what a strategy asks for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from mc.evaluate.asking import DENIED, Asking
from mc.evaluate.decision_map import DecisionMap, decides_as_known
from mc.evaluate.loss_nodes import Nodes
from mc.losses.log_ratio import Epsilon
from mc.losses.tails import tails
from mc.losses.too_large import TooLargeError
from theory.pairs import DominatingPair
from theory.pairs.base import Direction

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

    def decisions(self, asking: Asking, *, merged: float = 1e-9) -> DecisionMap:
        """The map of decisions; changes within `merged` nats of one another count as one."""
        # of other people's code nothing is known between two losses that are probed
        width = self.scale * (4 if decides_as_known(asking.game) else 2)
        self._checked((self.high - self.low) / width)
        return DecisionMap.of(asking, low=self.low, high=self.high, width=width, merged=merged)

    def nodes(
        self,
        decisions: DecisionMap,
        epsilons: Sequence[Epsilon],
        ways: Sequence[Direction],
        *,
        finer: bool,
        step: float | None = None,
    ) -> Nodes:
        """The nodes of the coarser or the finer grid, with an edge wherever a payoff has a kink."""
        pairs = [decisions.asking.pairs[k] for k in decisions.drawn]
        parts = self.parts(decisions, epsilons, ways)
        widths = np.diff(parts)
        smooth = all(pair.normal_mu is not None for pair in pairs)
        if smooth:
            size = self.scale if step is None else min(4 * step, self.scale)
            counts = np.ceil((5 + 1.5 * widths / size) if finer else (4 + 1.25 * widths / size))
            many = int(counts.sum())
        else:
            size = (_lattice(pairs, self.scale) if step is None else step) / (2 if finer else 1)
            many = int((widths / size + 2).sum())
        self._checked(many)
        if smooth:
            return Nodes.on(decisions.edges, parts, counts.astype(np.intp))
        return Nodes.lattice(decisions.edges, parts, size)

    def _checked(self, nodes: float) -> None:
        if nodes > _NODES:
            raise TooLargeError(
                f"epsilon and the pairs that are asked for must not be too unlike in size, got {nodes:,.0f} nodes "
                f"between losses {self.low:.3g} and {self.high:.3g} for a scale of {self.scale:.3g}; use fp.simulate, "
                "or a larger step"
            )

    def parts(
        self, decisions: DecisionMap, epsilons: Sequence[Epsilon], ways: Sequence[Direction]
    ) -> NDArray[np.float64]:
        """The edges of panels, and more around every kink, which a last release may smooth at a small scale."""
        kinks = [float(epsilon) if way == "PQ" else -float(epsilon) for epsilon in epsilons for way in ways]
        low, high = float(decisions.edges[0]), float(decisions.edges[-1])
        last = [_moments(decisions.asking.pairs[k])[1] for k in decisions.last]
        finest = max(min((x for x in last if x > 0), default=self.scale), self.scale / 256)
        halvings = max(0, math.ceil(math.log2(self.scale / finest)))
        sizes = [0.0] + [self.scale * 2.0**-k for k in range(-2, halvings + 1)]
        around = {kink + side * size for kink in kinks for side in (1, -1) for size in sizes}
        return np.array(sorted({*decisions.edges.tolist(), *(x for x in around if low < x < high)}))


def scout(asking: Asking, epsilons: Sequence[float]) -> Scouted:
    """Plays rays: scout i has the loss mean + c_i sqrt(variance) after every round."""
    c = np.linspace(-_DEVIATIONS, _DEVIATIONS, _SCOUTS)
    at = asking.start().take(np.zeros(_SCOUTS, dtype=np.intp))
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
            for side, pair in enumerate((asking.pairs[k], asking.pairs[k].swapped)):
                m, spread = _moments(pair)
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
    reach = (10 if all(pair.normal_mu is not None for pair in pairs) else 4) * max(scales)
    far = max((abs(epsilon) for epsilon in epsilons), default=0.0) + 4 * max(scales)
    return Scouted(min(low - reach, -far), max(high + reach, far), min(scales))


def _moments(pair: DominatingPair) -> tuple[float, float]:
    """Mean and scale of the finite loss of a pair: of a Gaussian, its mean and standard deviation."""
    if (mu := pair.normal_mu) is not None:
        return float(mu) ** 2 / 2, float(mu)
    tail = np.minimum(special.ndtr(-np.linspace(0.0, 8.0, 33)), 1.0)
    quantiles = [float(pair.loss_quantile(p)) for p in tail.tolist()]
    middle = quantiles[0]
    wide = [(x - middle) / z for x, z in zip(quantiles[1:], np.linspace(0.0, 8.0, 33)[1:], strict=True)]
    spread = max((x for x in wide if math.isfinite(x)), default=0.0)
    return middle, spread


def _lattice(pairs: Sequence[DominatingPair], scale: float) -> float:
    """An eighth of the scale, reduced so that the least loss with a mass of its own is a multiple of it."""
    atoms: list[float] = []
    for pair in pairs:
        with suppress(TypeError):  # tails that are not known
            atoms += [abs(float(loss)) for loss, _ in tails(pair).atoms if loss]
    if not atoms:
        return scale / 8
    return min(atoms) / math.ceil(8 * min(atoms) / min(scale, min(atoms)))
