"""The law of the loss of a strategy's transcript on a grid of nodes, carried forward in doubles."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy import special

from mc.engine.game import Game
from mc.worst_case.asking import Asking, until_known
from mc.worst_case.decision_map import POINT, STOP, DecisionMap, shown_edges
from mc.worst_case.evaluation import NumericalEvaluation
from mc.worst_case.log_ratio import Epsilon
from mc.worst_case.loss_nodes import Nodes
from mc.worst_case.scouts import Scouted, scout
from theory.pairs import DominatingPair
from theory.pairs.base import Direction

__all__ = ["two_grids"]


def two_grids(
    game: Game,
    epsilons: Sequence[Epsilon],
    ways: tuple[Direction, ...],
    scope: str,
    step: float | None,
) -> list[NumericalEvaluation]:
    """The value at each epsilon on the finer of two grids, and by how much the coarser one differs."""

    def solve(asking: Asking) -> list[NumericalEvaluation]:
        seen = scout(asking, [float(one) for one in epsilons])
        told = seen.decisions(asking, epsilons, step)
        coarse, fine = (ForwardLaw.of(told, seen.nodes(told.edges, finer, step)) for finer in (False, True))
        where = f"{scope}; {shown_edges(told.found)}"
        results = []
        for epsilon in epsilons:
            both = [(law.value(float(epsilon), way), way) for way in ways for law in (fine,)]
            value, way = max(both)
            other = coarse.value(float(epsilon), way)
            value, difference = seen.settled(other, value)
            results.append(
                NumericalEvaluation(
                    epsilon, value, difference, way, len(told.rounds), told.positions, where
                )
            )
        return results

    found: list[NumericalEvaluation] = until_known(game, solve)
    return found


@dataclass(slots=True)
class ForwardLaw:
    """P-masses at nodes of the loss: of transcripts that end there, and of those that end with one release more.

    The last node is the point 0. A node's Q-mass is e^{-loss} times its P-mass.
    """

    nodes: Nodes
    pairs: list[DominatingPair]
    ended: NDArray[np.float64]
    last: dict[int, NDArray[np.float64]]
    erased_p: float = 0.0
    erased_q: float = 0.0
    _blocks: dict[int, NDArray[np.float64]] = field(default_factory=dict)

    @classmethod
    def of(cls, told: DecisionMap, nodes: Nodes) -> ForwardLaw:
        """The law of the game that the map tells of."""
        size = len(nodes.loss)
        law = cls(nodes, told.asking.pairs, np.zeros(size), defaultdict(lambda: np.zeros(size)))
        begin = np.zeros(size)
        begin[-1] = 1.0
        if told.start <= STOP:
            law._arrive(told.start, slice(size - 1, size), begin)
            return law
        mass: dict[int, NDArray[np.float64]] = {told.start: np.ones(1)}
        for sources in told.rounds:
            after: dict[int, NDArray[np.float64]] = {}
            together: dict[tuple[int | None, tuple[int, ...] | None], list[int]] = defaultdict(list)
            for i, source in enumerate(sources):
                if i in mass:
                    panel = source.panel if source.pair is None else None
                    together[source.pair, (*(source.leads or ()), panel)].append(i)  # type: ignore[index]
            for (pair, _), members in together.items():
                whole = np.zeros(size)
                for i in members:
                    whole[nodes.of(sources[i].panel)] += mass[i]
                law._lead(pair, sources[members[0]].panel, sources[members[0]].leads, whole, after)
            mass = after
        return law

    def _lead(
        self,
        pair: int | None,
        panel: int,
        leads: tuple[int, ...] | None,
        whole: NDArray[np.float64],
        after: dict[int, NDArray[np.float64]],
    ) -> None:
        if pair is None:
            if leads is None:
                self.ended += whole
                return
            where = self.nodes.of(panel)
            self._to(leads[0], where, whole, after)
            return
        if leads is None or all(lead == STOP for lead in leads):
            self.last[pair] += whole
            return
        drawn = self.pairs[pair]
        erased_p, erased_q = float(drawn.infinite_mass), float(drawn.swapped.infinite_mass)
        if erased_p or erased_q:
            self.erased_p += erased_p * float(whole.sum())
            self.erased_q += erased_q * float(whole @ np.exp(-self.nodes.loss))
        if pair not in self._blocks:
            self._blocks[pair] = self.nodes.moves(drawn)
        rows = np.flatnonzero(whole)
        moved = whole[rows] @ self._blocks[pair][rows]
        for j, lead in enumerate(leads):
            self._to(lead, self.nodes.of(j), moved, after)

    def _to(
        self, lead: int, where: slice, moved: NDArray[np.float64], after: dict[int, NDArray[np.float64]]
    ) -> None:
        if lead <= STOP:
            self._arrive(lead, where, moved)
        elif lead in after:
            after[lead] = after[lead] + moved[where]
        else:
            after[lead] = moved[where].copy()

    def _arrive(self, lead: int, where: slice, moved: NDArray[np.float64]) -> None:
        into = self.ended if lead == STOP else self.last[-2 - lead]
        into[where] += moved[where]

    def value(self, epsilon: float, direction: Direction) -> float:
        """H_{e^epsilon} of the transcript."""
        loss, forward = self.nodes.loss, direction == "PQ"
        sign = 1.0 if forward else -1.0
        with np.errstate(over="ignore", invalid="ignore"):
            weight = np.ones_like(loss) if forward else np.exp(-loss)
            paid = -np.expm1(np.minimum(epsilon - sign * loss, 0.0))
            total = float(np.sum(np.where(self.ended > 0, self.ended * weight * paid, 0.0)))
            for pair, mass in self.last.items():
                rows = np.flatnonzero(mass)
                drawn = self.pairs[pair] if forward else self.pairs[pair].swapped
                stick = np.asarray(drawn.hockey_stick(epsilon - sign * loss[rows]))
                total += float(np.sum(mass[rows] * weight[rows] * stick))
        return total + (self.erased_p if forward else self.erased_q)
