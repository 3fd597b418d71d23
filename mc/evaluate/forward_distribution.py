"""The distribution of the loss of a strategy's transcript on a grid of nodes, propagated in doubles."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from filterproof.mc.engine.game import Game
from filterproof.mc.evaluate.adversary_queries import AdversaryQueries, retry_with_last_loss
from filterproof.mc.evaluate.decision_map import STOP, DecisionMap
from filterproof.mc.evaluate.evaluation import NumericalEvaluation
from filterproof.mc.evaluate.loss_nodes import BallNodes, LossNodes
from filterproof.mc.evaluate.loss_range import probe_loss_range
from filterproof.mc.evaluate.quadrature_panels import edges_text
from filterproof.mc.losses.epsilon_values import Epsilon
from filterproof.theory.pairs import DominatingPair
from filterproof.theory.pairs.base import Direction

#: Epsilons that share a refined grid: each has nodes of its own around the kink of its payoff.
_EPSILONS_PER_GRID = 6
#: The smallest loss with a double P-mass if its Q-mass is near 1, and the Q-mass that may lie below.
_MIN_LOSS, _MAX_MISSED_MASS = -690.0, 1e-6


def two_grids(
    game: Game,
    epsilons: Sequence[Epsilon],
    ways: tuple[Direction, ...],
    scope: str,
) -> list[NumericalEvaluation]:
    """Return the divergence at each epsilon on a fine grid, with its difference from a coarser one."""

    def solve(asking: AdversaryQueries) -> list[NumericalEvaluation]:
        """Return the values at all epsilons for the requests of one game, on both grids."""
        probed = probe_loss_range(asking, [float(epsilon) for epsilon in epsilons])
        decisions = probed.decision_map(asking)
        where = f"{scope}; {edges_text(decisions.changes)}"
        results: list[NumericalEvaluation] = []
        for first in range(0, len(epsilons), _EPSILONS_PER_GRID):
            together = epsilons[first : first + _EPSILONS_PER_GRID]
            coarse, fine = (
                ForwardDistribution.of(decisions, probed.nodes(decisions, together, ways, finer=finer))
                for finer in (False, True)
            )
            fine.check_masses_not_underflowed(ways)
            for epsilon in together:
                value, way = max((fine.value(float(epsilon), way), way) for way in ways)
                less = coarse.value(float(epsilon), way)
                difference = abs(value - less) + 2.0**-39 * value  # rounding alone may be that much
                results.append(
                    NumericalEvaluation(
                        epsilon, value, difference, way, len(decisions.rounds), decisions.positions, where
                    )
                )
        return results

    return retry_with_last_loss(game, solve)


@dataclass(slots=True)
class ForwardDistribution:
    """P-masses at nodes of the loss: of transcripts that end there, and of those that end with one release more.

    The last node is the point 0. A node's Q-mass is e^{-loss} times its P-mass. Arrays have the shape (k, nodes), k = 1
    for values and 2 for lower and upper bounds.
    """

    nodes: LossNodes | BallNodes
    pairs: list[DominatingPair]
    ended: NDArray[np.float64]
    last: dict[int, NDArray[np.float64]]

    @classmethod
    def of(cls, decisions: DecisionMap, nodes: LossNodes | BallNodes) -> ForwardDistribution:
        """Return the distribution of the game in the map."""
        shape = (nodes.bounds, len(nodes.loss))
        distribution = cls(
            nodes, decisions.asking.pairs, np.zeros(shape), defaultdict(lambda: np.zeros(shape))
        )
        if decisions.start <= STOP:
            distribution._add_moved_mass(decisions.start, nodes.of(-1), np.ones(shape), {})
            return distribution
        mass = {decisions.start: np.ones((nodes.bounds, 1))}
        for sources in decisions.rounds:
            after: dict[int, NDArray[np.float64]] = {}
            together: dict[Any, list[int]] = defaultdict(list)
            for i, source in enumerate(sources):
                if i in mass:
                    together[source.pair, source.lead_numbers, source.pair is None and source.panel].append(i)
            drawn: dict[int, list[tuple[tuple[int, ...], NDArray[np.float64]]]] = defaultdict(list)
            for members in together.values():
                total_mass = np.zeros(shape)
                for i in members:
                    total_mass[:, nodes.of(sources[i].panel)] += mass[i]
                first = sources[members[0]]
                if first.pair is None:
                    distribution._add_moved_mass(
                        first.lead_numbers[0], nodes.of(first.panel), total_mass, after
                    )
                elif first.ends_transcript:
                    distribution.last[first.pair] += total_mass
                else:
                    drawn[first.pair].append((first.lead_numbers, total_mass))
            for number, all_of in drawn.items():
                distribution._release_pair(number, all_of, after)
            mass = after
        return distribution

    def _release_pair(
        self,
        number: int,
        members: list[tuple[tuple[int, ...], NDArray[np.float64]]],
        after: dict[int, NDArray[np.float64]],
    ) -> None:
        """Move masses with different targets by a release of pair `number`."""
        moved = self.nodes.masses_after_release(self.pairs[number], np.stack([mass for _, mass in members]))
        for (leads, _), line in zip(members, moved, strict=True):
            for j, lead in enumerate(leads):
                self._add_moved_mass(lead, self.nodes.of(j), line, after)

    def _add_moved_mass(
        self, lead: int, where: slice, moved: NDArray[np.float64], after: dict[int, NDArray[np.float64]]
    ) -> None:
        """Add the mass that a release moved into one part of the nodes to its target."""
        if lead <= STOP:
            into = self.ended if lead == STOP else self.last[-2 - lead]
            into[:, where] += moved[:, where]
        else:
            after[lead] = after[lead] + moved[:, where] if lead in after else moved[:, where].copy()

    def value(self, epsilon: float, direction: Direction) -> float:
        """Return H_{e^epsilon} of the transcript."""
        loss, forward = self.nodes.loss, direction == "PQ"
        sign = 1.0 if forward else -1.0
        paid = -np.expm1(np.minimum(epsilon - sign * loss, 0.0))
        total = float(self._drawn_masses(self.ended[0], direction) @ paid)
        for pair, mass in self.last.items():
            rows = np.flatnonzero(mass[0])
            hockey_stick = np.asarray(self.pairs[pair].hockey_stick(epsilon - sign * loss[rows]))
            total += float(self._drawn_masses(mass[0], direction)[rows] @ hockey_stick)
        return total

    def check_masses_not_underflowed(self, ways: Sequence[Direction]) -> None:
        """Raise ValueError if P-masses of the direction's likely losses are below the doubles."""
        if "QP" not in ways or not (least := float(self.nodes.loss.min())) < _MIN_LOSS:
            return
        covered_mass = sum(
            float(self._drawn_masses(mass[0], "QP").sum()) for mass in (self.ended, *self.last.values())
        )
        if not covered_mass > 1 - _MAX_MISSED_MASS:
            raise ValueError(
                f"direction must be PQ where a transcript can have a loss below {_MIN_LOSS:g}, whose probability under "
                f"P is below the smallest double, got direction='QP' and losses down to {least:.4g}; pass "
                "direction='PQ', or use fp.simulate"
            )

    def _drawn_masses(self, mass: NDArray[np.float64], direction: Direction) -> NDArray[np.float64]:
        """Return the masses of P, or of Q for the other direction, computed through logarithms."""
        if direction == "PQ":
            return mass
        with np.errstate(divide="ignore"):
            return np.asarray(np.exp(np.log(mass) - self.nodes.loss))
