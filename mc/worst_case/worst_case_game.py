"""The worst-case game: a filter and a menu, whose states are walked once, solved at any epsilon in either direction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from hashlib import sha256
from operator import add
from typing import Any, Literal

import flint

from filters.privacy_filter import PrivacyFilter
from mc.losses.balls import BITS, Rounding, ball, fraction
from mc.losses.finite_outputs import ZERO, FiniteOutputs, NoFiniteLawError, adding, ball_of
from mc.losses.lattice_law import Level, common_step, level, level_law
from mc.losses.log_ratio import Epsilon, LogRatio
from mc.losses.rounded_law import rounded_laws
from mc.worst_case.enclosure import DOUBLES, Enclosure, Laws, TreeLaws, enclose, enclose_on_tree
from mc.worst_case.graph import StateGraph
from mc.worst_case.level_game import moderate
from mc.worst_case.one_level import one_level
from mc.worst_case.result import NOTHING_ADMITTED, WorstCase
from mc.worst_case.spend_grid import SpendGrid
from mc.worst_case.tree import GameTree, branches_of, most_positions
from theory.arguments import check_positive
from theory.evidence import Evidence
from theory.pairs import DominatingPair
from theory.pairs.base import Direction

__all__ = ["Known", "WorstCaseGame"]

#: -log of the share of the value that losses outside of the windows may have, where losses are rounded coarsely.
_LEFT = 20.0

#: The largest epsilon in nats that is put between logarithms of rationals.
_EXACT = 2.0**14

#: The enclosures of graphs that were solved, of one menu, epsilon and number of rounds: a game is its graph.
Known = dict[tuple[Direction, bytes], Enclosure]


@dataclass(frozen=True, slots=True)
class WorstCaseGame:
    """The game that `worst_case` describes; `solve` picks the arithmetic, and walks states once for all questions."""

    filter: PrivacyFilter
    menu: tuple[DominatingPair, ...]
    rounds: int | None
    max_positions: int | None
    step: float | None
    spend_steps: int | None
    scope: str
    known: Known | None = None
    _graphs: dict[Rounding | Literal["as it is"], StateGraph] = field(default_factory=dict)
    _trees: dict[tuple[Direction, bool], tuple[list[TreeLaws], GameTree[Any]]] = field(default_factory=dict)

    @property
    def refines(self) -> bool:
        """Whether losses are rounded to a step of our own, so that a coarser one is a sooner answer."""
        if self.step is not None or self.spend_steps is not None or self.known is not None:
            return False
        return not (self.filter.looks_at_losses or self._lattice[1] is not None or self._rational)

    @property
    def graph(self) -> StateGraph:
        """The states that the filter's own code brings about."""
        return self._graph(None, "near")

    @property
    def _lattice(self) -> tuple[list[Level], tuple[list[int], Fraction, Fraction] | None]:
        """The requests that are levels, and the whole steps that all of the menu are, None where some are not."""
        levels = [known for pair in self.menu if (known := level(pair)) is not None]
        return levels, common_step(levels) if len(levels) == len(self.menu) else None

    @property
    def _rational(self) -> bool:
        return all(pair.exact_masses is not None for pair in self.menu)

    def solve(
        self, epsilon: Epsilon, direction: Direction, evidence: Evidence | None, *, coarser: int = 1
    ) -> WorstCase:
        """The value with the evidence asked for, or the strongest available, at `coarser` times the default step."""
        if evidence is Evidence.EXACT:
            self._check_exact(epsilon)
        exact = self._rational and evidence is not Evidence.CERTIFIED and self.spend_steps is None
        # further out e^epsilon between two rationals takes too many digits, or is no ball
        exact = exact and (isinstance(epsilon, LogRatio) or abs(epsilon) <= _EXACT)
        enclosed = self._on_tree(epsilon, direction, exact=True) if exact else None
        enclosed = enclosed or self._enclosed(epsilon, direction, coarser)
        notes = (self.scope, "" if enclosed.rounds else NOTHING_ADMITTED, enclosed.note)
        return WorstCase(
            epsilon=epsilon,
            value=enclosed.value,
            low=enclosed.low,
            high=enclosed.high,
            evidence=Evidence.CERTIFIED if enclosed.value is None else Evidence.EXACT,
            direction=direction,
            strategy=enclosed.strategy,
            rounds=enclosed.rounds,
            positions=enclosed.positions,
            scope="; ".join(filter(None, notes)),
        )

    def _check_exact(self, epsilon: Epsilon) -> None:
        if not isinstance(epsilon, LogRatio):
            raise ValueError(
                f"epsilon must be a LogRatio for EXACT evidence, got epsilon={epsilon!r}; pass LogRatio(e^epsilon)"
            )
        if self.spend_steps is not None:
            raise ValueError(
                f"spend_steps must be left out for EXACT evidence, got {self.spend_steps}; it rounds"
            )
        for pair in self.menu:
            if pair.exact_masses is None:
                raise ValueError(
                    f"menu must hold pairs with rational masses for EXACT evidence, got {pair!r}; "
                    "use RandomizedResponse.from_ratio, say"
                )

    def _enclosed(self, epsilon: Epsilon, direction: Direction, coarser: int) -> Enclosure:
        grid = None if self.spend_steps is None else SpendGrid.of(self.filter, self.spend_steps)
        levels, lattice = self._lattice
        middling = lattice is not None and moderate(lattice[0], lattice[2], epsilon)
        if self.filter.looks_at_losses or (lattice is not None and not middling and grid is None):
            on_tree = self._on_tree(epsilon, direction, exact=False)
            return on_tree or self._one_level(epsilon, direction)
        if lattice is not None:
            units, least, most = lattice
            sizes = tuple(zip(units, (known.delta for known in levels), strict=True))

            def rounded(step: Fraction, side: Rounding) -> Laws:
                laws = tuple(level_law(*each, step, side) for each in sizes)
                return Laws(laws, step, side, sizes if middling else ())

            single = least == most and grid is None
            games = [rounded(least, "near")] if single else [rounded(least, "low"), rounded(most, "high")]
        else:
            step = None if self.step is None else Fraction(float(check_positive("step", self.step)))
            size, below, above = rounded_laws(
                self._drawn(direction), step, max_positions=self.max_positions or DOUBLES, coarser=coarser
            )
            games = [Laws(below, size, "low"), Laws(above, size, "high")]
        return self._on_graph(games, epsilon, direction, grid, coarser)

    def _drawn(self, direction: Direction) -> tuple[DominatingPair, ...]:
        return self.menu if direction == "PQ" else tuple(pair.swapped for pair in self.menu)

    def _on_graph(
        self, games: list[Laws], epsilon: Epsilon, direction: Direction, grid: SpendGrid | None, coarser: int
    ) -> Enclosure:
        known = self.known if grid is None else None
        on = [(laws, self._graph(grid, laws.side)) for laws in games]
        mark = direction, b"" if known is None else sha256(on[0][1].child.tobytes()).digest()
        if known is not None and mark in known:
            return known[mark]
        enclosed = enclose(
            self.menu,
            on,
            epsilon,
            direction=direction,
            max_positions=self.max_positions,
            left=None if coarser == 1 else _LEFT,
        )
        if known is not None:
            known[mark] = enclosed
        return enclosed

    def _graph(self, grid: SpendGrid | None, side: Rounding) -> StateGraph:
        """The states, what is spent being rounded for a lower or an upper game where there is a grid."""
        key: Rounding | Literal["as it is"] = "as it is" if grid is None else side
        if key not in self._graphs:
            self._graphs[key] = StateGraph.of(
                self.filter,
                self.menu,
                rounds=self.rounds,
                max_positions=self.max_positions or DOUBLES,
                rounded=None if grid is None else grid.up if side == "low" else grid.down,
            )
        return self._graphs[key]

    def _on_tree(self, epsilon: Epsilon, direction: Direction, *, exact: bool) -> Enclosure | None:
        """The enclosure where each loss is kept exactly; None where some request has no finitely many outputs."""
        if (direction, exact) not in self._trees:
            try:
                games, steps = self._tree_laws(direction, exact=exact)
            except NoFiniteLawError:
                return None
            branches = [
                branches_of(each, moves, direction)
                for moves, each in zip(steps, games[0].outputs, strict=True)
            ]
            most = self.max_positions
            if most is None:
                most = most_positions(DOUBLES, len(self.menu), max(map(len, branches)))
            origin: Any = ZERO if games[0].side == "near" else 0
            tree = GameTree.of(
                self.filter, self.menu, branches, origin, rounds=self.rounds, max_positions=most
            )
            self._trees[direction, exact] = games, tree
        games, tree = self._trees[direction, exact]
        return enclose_on_tree(tree, games, epsilon, exact=exact)

    def _tree_laws(
        self, direction: Direction, *, exact: bool
    ) -> tuple[list[TreeLaws], list[list[Callable[[Any], Any]]]]:
        """The outputs of each request, and how each of them moves a loss.

        Of levels that are multiples of one step up to rounding, losses that differ by rounding alone are one, and
        positions few: they are counted in steps, and what that is off by is moved once against and once for whoever
        asks. Levels and their masses stay as they are, because a filter that looks at losses may admit more after an
        output that a larger level makes less likely.
        """
        _, lattice = self._lattice
        outputs = tuple(map(FiniteOutputs.of_pair, self._drawn(direction)))
        if exact or lattice is None or lattice[1] == lattice[2]:
            return [TreeLaws(outputs)], [[adding(loss) for loss, *_ in each.outputs] for each in outputs]
        units, step, _ = lattice
        with flint.ctx.workprec(BITS):
            off = max(
                fraction(abs(abs(ball_of(loss)) - ball(step * k)).upper())
                for k, each in zip(units, outputs, strict=True)
                for loss, *_ in each.outputs
            )
            moves: list[list[Callable[[Any], Any]]] = [
                [partial(add, k if ball_of(loss) > 0 else -k) for loss, *_ in each.outputs]
                for k, each in zip(units, outputs, strict=True)
            ]
        return [TreeLaws(outputs, "low", step, off), TreeLaws(outputs, "high", step, off)], moves

    def _one_level(self, epsilon: Epsilon, direction: Direction) -> Enclosure:
        """The enclosure for a filter that looks at the losses of one Gaussian."""
        if len(self.menu) > 1 or self.menu[0].normal_mu is None:
            raise ValueError(
                "menu must hold one Gaussian, or pairs with finitely many outputs, for a filter that looks at "
                f"losses, got {self.menu!r}; pass FinitePair of rational masses, or RandomizedResponse"
            )
        return one_level(self.filter, self.menu[0], epsilon, direction=direction, rounds=self.rounds)
