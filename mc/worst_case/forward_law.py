"""The law of the loss of a strategy's transcript on a grid of nodes, carried forward in doubles."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mc.engine.game import Game
from mc.worst_case.asking import Asking, until_known
from mc.worst_case.decision_map import STOP, DecisionMap, shown_edges
from mc.worst_case.evaluation import NumericalEvaluation
from mc.worst_case.log_ratio import Epsilon
from mc.worst_case.loss_nodes import Nodes
from mc.worst_case.scouts import scout
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
        told = seen.decisions(asking)
        coarse, fine = (ForwardLaw.of(told, seen.nodes(told, epsilons, finer, step)) for finer in (False, True))
        where = f"{scope}; {shown_edges(told.found)}"
        results = []
        for epsilon in epsilons:
            both = [(law.value(float(epsilon), way), way) for way in ways for law in (fine,)]
            value, way = max(both)
            other = coarse.value(float(epsilon), way)
            value, difference = seen.settled(fine.nodes.smooth, other, value)
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
            drawn: dict[int, list[tuple[tuple[int, ...], NDArray[np.float64]]]] = defaultdict(list)
            for (pair, _), members in together.items():
                whole = np.zeros(size)
                for i in members:
                    whole[nodes.of(sources[i].panel)] += mass[i]
                one = sources[members[0]]
                if pair is None and one.leads is None:
                    law.ended += whole
                elif pair is None:
                    law._to(one.leads[0], nodes.of(one.panel), whole, after)  # type: ignore[index]
                elif one.leads is None or all(lead == STOP for lead in one.leads):
                    law.last[pair] += whole
                else:
                    drawn[pair].append((one.leads, whole))
            for number, members_of in drawn.items():
                law._draw(number, members_of, after)
            mass = after
        return law

    def _draw(
        self,
        number: int,
        members: list[tuple[tuple[int, ...], NDArray[np.float64]]],
        after: dict[int, NDArray[np.float64]],
    ) -> None:
        """Release pair `number` from masses that lead to different places."""
        pair, stacked = self.pairs[number], np.stack([whole for _, whole in members])
        erased_p, erased_q = float(pair.infinite_mass), float(pair.swapped.infinite_mass)
        if erased_p or erased_q:
            self.erased_p += erased_p * float(stacked.sum())
            self.erased_q += erased_q * float((stacked @ np.exp(-self.nodes.loss)).sum())
        if number not in self._blocks:
            self._blocks[number] = self.nodes.moves(pair)
        rows = np.flatnonzero(stacked.max(axis=0))
        moved = stacked[:, rows] @ self._blocks[number][rows]
        for (leads, _), line in zip(members, moved, strict=True):
            for j, lead in enumerate(leads):
                self._to(lead, self.nodes.of(j), line, after)

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
