"""The range of losses and the smallest mu of a strategy's requests, found by probes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from filterproof.mc.evaluate.adversary_queries import DENIED, AdversaryQueries
from filterproof.mc.evaluate.decision_map import DecisionMap, filter_and_adversary_from_library
from filterproof.mc.evaluate.loss_nodes import LossNodes, normal_mu
from filterproof.mc.losses.epsilon_values import Epsilon
from filterproof.mc.losses.too_large import TooLargeError
from filterproof.theory.pairs.base import Direction

#: The probes run at this many standard deviations on either side; the density there is below 1e-42.
_PROBE_DEVIATIONS = 14.0
_PROBES = 57
_MAX_NODES = 6000


@dataclass(frozen=True, slots=True)
class LossRange:
    """The range of losses, and the smallest mu of all Gaussian requests except the last."""

    low: float
    high: float
    scale: float

    def decision_map(self, asking: AdversaryQueries, *, merged: float = 1e-9) -> DecisionMap:
        """Return the map of decisions; changes within `merged` nats of one another count as one."""
        # nothing is known about other code between two probed losses
        width = self.scale * (4 if filter_and_adversary_from_library(asking.game) else 2)
        self._check_node_count((self.high - self.low) / width)
        return DecisionMap.of(asking, low=self.low, high=self.high, width=width, merged=merged)

    def nodes(
        self,
        decisions: DecisionMap,
        epsilons: Sequence[Epsilon],
        ways: Sequence[Direction],
        *,
        finer: bool,
    ) -> LossNodes:
        """Return the nodes of the coarser or the finer grid, with an edge at every kink of a payoff."""
        parts = self.part_edges(decisions, epsilons, ways)
        widths = np.diff(parts) / self.scale
        counts = np.ceil((5 + 1.5 * widths) if finer else (4 + 1.25 * widths))
        self._check_node_count(int(counts.sum()))
        return LossNodes.on_panels(decisions.edges, parts, counts.astype(np.intp))

    def _check_node_count(self, nodes: float) -> None:
        """Raise TooLargeError if the range needs more nodes than the limit."""
        if nodes > _MAX_NODES:
            raise TooLargeError(
                f"epsilon and the requested pairs differ too much in scale: {nodes:,.0f} nodes "
                f"between losses {self.low:.3g} and {self.high:.3g} for a scale of {self.scale:.3g}; use fp.simulate"
            )

    def part_edges(
        self, decisions: DecisionMap, epsilons: Sequence[Epsilon], ways: Sequence[Direction]
    ) -> NDArray[np.float64]:
        """Return the panel edges, and more edges around every kink of a payoff."""
        kinks = [float(epsilon) if way == "PQ" else -float(epsilon) for epsilon in epsilons for way in ways]
        low, high = float(decisions.edges[0]), float(decisions.edges[-1])
        last = [normal_mu(decisions.asking.pairs[k]) for k in decisions.last]
        finest = max(min((x for x in last if x > 0), default=self.scale), self.scale / 256)
        halvings = max(0, math.ceil(math.log2(self.scale / finest)))
        sizes = [0.0] + [self.scale * 2.0**-k for k in range(-2, halvings + 1)]
        around = {kink + side * size for kink in kinks for side in (1, -1) for size in sizes}
        return np.array(sorted({*decisions.edges.tolist(), *(x for x in around if low < x < high)}))


def probe_loss_range(asking: AdversaryQueries, epsilons: Sequence[float]) -> LossRange:
    """Play probes at fixed standard deviations of the loss; return their range with a margin."""
    c = np.linspace(-_PROBE_DEVIATIONS, _PROBE_DEVIATIONS, _PROBES)
    at = asking.start().take(np.zeros(_PROBES, dtype=np.intp))
    alive = np.arange(_PROBES)
    variance = np.zeros(_PROBES)
    low = high = 0.0
    drawn: set[int] = set()
    game = asking.game
    for t in range(game.rounds):
        number, at = asking.ask(t, at)
        if not game.waits:
            go = np.flatnonzero(number != DENIED)
            at, alive, number = at.take(go), alive[go], number[go]
            variance = variance[go]
        if not len(alive):
            break
        before = at.loss
        for k in np.unique(number[number != DENIED]).tolist():
            rows = number == k
            drawn.add(k)
            variance[rows] += normal_mu(asking.pairs[k]) ** 2
        # the loss of Gaussian(mu) has variance mu^2 and mean mu^2 / 2; probes below the middle follow Q
        ray = c[alive]
        loss = np.copysign(variance / 2, ray) + ray * np.sqrt(variance)
        loss = np.where(number == DENIED, before, loss)
        low, high = min(low, float(loss.min())), max(high, float(loss.max()))
        at = asking.after_loss(at, loss, loss - before)
    # a run outside the rays may still make one last step
    scales = [mu for k in drawn if (mu := normal_mu(asking.pairs[k])) > 0] or [1.0]
    reach = 10 * max(scales)
    far = max((abs(epsilon) for epsilon in epsilons), default=0.0) + 4 * max(scales)
    return LossRange(min(low - reach, -far), max(high + reach, far), min(scales))
