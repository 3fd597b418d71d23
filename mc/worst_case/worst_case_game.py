"""The worst-case game: a filter, a menu, an epsilon and a direction, solved in rationals or enclosed in doubles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import flint
import numpy as np
from numpy.typing import NDArray

from filters.privacy_filter import PrivacyFilter
from mc.evaluate.finite_outputs import FiniteOutputs, NoFiniteLawError
from mc.evaluate.walk import Branch
from mc.losses.balls import BITS, Rounding, ball, down, fraction, up
from mc.losses.lattice_law import common_step, level, level_law
from mc.losses.log_ratio import Epsilon, LogRatio
from mc.losses.outputs import Output, exact_outputs
from mc.losses.rounded_law import rounded_laws
from mc.worst_case.enclosure import DOUBLES, Enclosure, Laws, enclose, enclose_finite, enclose_on_tree
from mc.worst_case.graph import StateGraph
from mc.worst_case.level_game import moderate
from mc.worst_case.one_level import one_level
from mc.worst_case.result import NOTHING_ADMITTED, WorstCase
from mc.worst_case.spend_grid import SpendGrid
from mc.worst_case.tree import GameTree, most_positions
from theory.arguments import check_positive
from theory.evidence import Evidence
from theory.pairs import DominatingPair
from theory.pairs.base import Direction

__all__ = ["WorstCaseGame"]

#: -log of the share of the value that losses outside of the windows may have, where losses are rounded coarsely.
_LEFT = 20.0


@dataclass(frozen=True, slots=True)
class WorstCaseGame:
    """The game that `worst_case` describes, in one direction; `solve` picks the arithmetic."""

    filter: PrivacyFilter
    menu: tuple[DominatingPair, ...]
    epsilon: Epsilon
    rounds: int | None
    direction: Direction
    max_positions: int | None
    step: float | None
    spend_steps: int | None
    scope: str
    known: dict[bytes, Enclosure] | None = None
    graph: StateGraph | None = None
    coarser: int = 1

    @property
    def refines(self) -> bool:
        """Whether losses are rounded to a step of our own, so that a coarser one is a sooner answer."""
        rounded = self.step is None and self.spend_steps is None and self.known is None
        return rounded and not self.filter.looks_at_losses and not self._lattice

    @property
    def _lattice(self) -> bool:
        """Whether nothing need be rounded to a step: all outputs are rational, or all pairs are levels of one step."""
        levels = [known for pair in self.menu if (known := level(pair)) is not None]
        if len(levels) == len(self.menu) and common_step(levels) is not None:
            return True
        return all(exact_outputs(pair, self.direction) is not None for pair in self.menu)

    def solve(self, evidence: Evidence | None) -> WorstCase:
        """The value with the evidence asked for, or the strongest available."""
        outputs = [exact_outputs(pair, self.direction) for pair in self.menu]
        rational = tuple(row for row in outputs if row is not None)
        if evidence is Evidence.EXACT:
            self._check_exact(outputs)
        value: Fraction | None = None
        if len(rational) < len(self.menu) or evidence is Evidence.CERTIFIED or self.spend_steps is not None:
            enclosed = self._enclosed()
        else:
            value, enclosed = self._rational(rational)
        notes = (self.scope, "" if enclosed.rounds else NOTHING_ADMITTED, enclosed.note)
        return WorstCase(
            epsilon=self.epsilon,
            value=value,
            low=enclosed.low,
            high=enclosed.high,
            evidence=Evidence.CERTIFIED if value is None else Evidence.EXACT,
            direction=self.direction,
            strategy=enclosed.strategy,
            rounds=enclosed.rounds,
            positions=enclosed.positions,
            scope="; ".join(filter(None, notes)),
        )

    @property
    def _most(self) -> int:
        return DOUBLES if self.max_positions is None else self.max_positions

    def _most_of_a_tree(self, outputs: int) -> int:
        if self.max_positions is not None:
            return self.max_positions
        return most_positions(DOUBLES, len(self.menu), outputs)

    def _check_exact(self, outputs: list[tuple[Output, ...] | None]) -> None:
        if not isinstance(self.epsilon, LogRatio):
            raise ValueError(
                f"epsilon must be a LogRatio for EXACT evidence, got epsilon={self.epsilon!r}; "
                "pass LogRatio(e^epsilon)"
            )
        if self.spend_steps is not None:
            raise ValueError(
                f"spend_steps must be left out for EXACT evidence, got {self.spend_steps}; it rounds"
            )
        for pair, row in zip(self.menu, outputs, strict=True):
            if row is None:
                raise ValueError(
                    f"menu must hold pairs with rational masses for EXACT evidence, got {pair!r}; "
                    "use RandomizedResponse.from_ratio, say"
                )

    def _rational(self, outputs: tuple[tuple[Output, ...], ...]) -> tuple[Fraction | None, Enclosure]:
        """The game in rational arithmetic: a loss L is kept as e^{-L}, so that nothing is rounded.

        The value is None where e^epsilon is no rational.
        """
        tree = GameTree.of(
            self.filter,
            self.menu,
            [[Branch(_times(output.tilt), output.seen) for output in row] for row in outputs],
            Fraction(1),
            rounds=self.rounds,
            max_positions=self._most_of_a_tree(max(map(len, outputs))),
        )
        masses = [[output.mass for output in row] for row in outputs]

        def solved(exp_epsilon: Fraction) -> tuple[Fraction, list[NDArray[np.intp]]]:
            def payoff(tilts: Sequence[Fraction]) -> NDArray[np.object_]:
                paid = np.empty(len(tilts), dtype=object)
                paid[:] = [max(Fraction(0), 1 - exp_epsilon * tilt) for tilt in tilts]
                return paid

            value, choices = tree.solve(masses, payoff)
            return Fraction(value), choices

        if isinstance(self.epsilon, LogRatio):
            value, choices = solved(self.epsilon.ratio)
            best = tree.strategy(choices)
            return value, Enclosure(down(value), up(value), best, tree.rounds, tree.positions)
        # V decreases in e^epsilon, so its values at rationals on either side of e^epsilon enclose it
        with flint.ctx.workprec(BITS):
            growth = ball(self.epsilon).exp()
            below, above = fraction(growth.lower()), fraction(growth.upper())
        low, choices = solved(above)
        high, _ = solved(below)
        best = tree.strategy(choices)
        return None, Enclosure(down(low), up(high), best, tree.rounds, tree.positions)

    def _enclosed(self) -> Enclosure:
        grid = None if self.spend_steps is None else SpendGrid.of(self.filter, self.spend_steps)
        on_tree = self.filter.looks_at_losses
        levels = [known for pair in self.menu if (known := level(pair)) is not None]
        lattice = common_step(levels) if len(levels) == len(self.menu) else None
        if lattice is not None:
            units, least, most = lattice
            units_and_deltas = tuple(zip(units, (known.delta for known in levels), strict=True))
            middling = moderate(units, most, self.epsilon)
            on_tree = on_tree or (grid is None and not middling)

            def rounded(step: Fraction, side: Rounding) -> Laws:
                laws = tuple(level_law(*each, step, side) for each in units_and_deltas)
                return Laws(laws, step, side, units_and_deltas if middling else ())

            single = least == most and grid is None
            games = [rounded(least, "near")] if single else [rounded(least, "low"), rounded(most, "high")]
        elif on_tree:
            drawn = self.menu if self.direction == "PQ" else tuple(pair.swapped for pair in self.menu)
            try:
                outputs = [FiniteOutputs.of_pair(pair) for pair in drawn]
            except NoFiniteLawError:
                outputs = []
            if outputs:
                return enclose_finite(
                    self.filter,
                    self.menu,
                    outputs,
                    self.epsilon,
                    direction=self.direction,
                    rounds=self.rounds,
                    max_positions=self._most_of_a_tree(max(len(one.outputs) + 1 for one in outputs)),
                )
            if len(self.menu) > 1 or self.menu[0].normal_mu is None:
                raise ValueError(
                    "menu must hold one Gaussian, or pairs with finitely many outputs, for a filter that looks at "
                    f"losses, got {self.menu!r}; pass FinitePair of rational masses, or RandomizedResponse"
                )
            return one_level(
                self.filter, self.menu[0], self.epsilon, direction=self.direction, rounds=self.rounds
            )
        else:
            step = None if self.step is None else Fraction(float(check_positive("step", self.step)))
            drawn = self.menu if self.direction == "PQ" else tuple(pair.swapped for pair in self.menu)
            size, below, above = rounded_laws(drawn, step, max_positions=self._most, coarser=self.coarser)
            games = [Laws(below, size, "low"), Laws(above, size, "high")]
        if on_tree:
            return enclose_on_tree(
                self.filter,
                self.menu,
                games,
                self.epsilon,
                sizes=[float(known.epsilon) for known in levels],
                direction=self.direction,
                rounds=self.rounds,
                max_positions=self._most_of_a_tree(max(len(law.places) + 1 for law in games[0].laws)),
            )
        return enclose(
            self.filter,
            self.menu,
            games,
            self.epsilon,
            direction=self.direction,
            rounds=self.rounds,
            max_positions=self.max_positions,
            grid=grid,
            known=self.known,
            graph=self.graph,
            left=None if self.coarser == 1 else _LEFT,
        )


def _times(tilt: Fraction) -> Callable[[Fraction], Fraction] | None:
    return None if tilt == 0 else lambda z: z * tilt
