"""The game in rational arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from filters.privacy_filter import PrivacyFilter
from mc.losses.outputs import Output
from mc.worst_case.strategy import TreeStrategy
from mc.worst_case.tree import Branch, Layer, depth, expand, solve
from theory.pairs import DominatingPair

__all__ = ["ExactGame"]


@dataclass(frozen=True, slots=True)
class ExactGame:
    """The game between a filter and a menu of rational pairs: e^{-L} is a Fraction, so nothing is rounded."""

    menu: tuple[DominatingPair, ...]
    outputs: tuple[tuple[Output, ...], ...]
    layers: list[Layer[Fraction]]

    @classmethod
    def between(
        cls,
        filt: PrivacyFilter,
        menu: tuple[DominatingPair, ...],
        outputs: tuple[tuple[Output, ...], ...],
        *,
        rounds: int | None,
        max_positions: int,
    ) -> ExactGame:
        """The game expanded through the filter's own code; TooLargeError beyond `max_positions`."""
        branches = [[Branch(_move(o.tilt), o.seen) for o in row] for row in outputs]
        layers = expand(filt, menu, branches, Fraction(1), rounds=rounds, max_positions=max_positions)
        return cls(menu, outputs, layers)

    @property
    def rounds(self) -> int:
        """The longest play."""
        return depth(self.layers)

    @property
    def positions(self) -> int:
        """The number of positions, counted round by round."""
        return sum(len(layer.losses) for layer in self.layers)

    def solve(self, exp_epsilon: Fraction) -> tuple[Fraction, TreeStrategy]:
        """V(start) at e^epsilon = `exp_epsilon` and the strategy that attains it."""
        width = max(len(row) for row in self.outputs)
        masses = np.full((len(self.menu), width), Fraction(0), dtype=object)
        seen = np.full((len(self.menu), width), np.nan)
        for m, row in enumerate(self.outputs):
            for y, output in enumerate(row):
                masses[m, y], seen[m, y] = output.mass, output.seen

        def payoff(tilts: Sequence[Fraction]) -> NDArray[np.object_]:
            paid = np.empty(len(tilts), dtype=object)
            paid[:] = [max(Fraction(0), 1 - exp_epsilon * tilt) for tilt in tilts]
            return paid

        values, choices = solve(self.layers, masses, payoff)
        children = tuple(layer.child for layer in self.layers[:-1])
        return Fraction(values[0][0]), TreeStrategy(self.menu, tuple(choices), children, seen)


def _move(tilt: Fraction) -> Callable[[Fraction], Fraction] | None:
    return None if tilt == 0 else lambda z: z * tilt
