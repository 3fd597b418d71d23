"""The largest number of Gaussian steps within (epsilon, delta), by RDP and by GDP: Figure 5 of paper 003.

>>> import filterproof as fp
>>> row = fp.figure("003-5", points=17).data.row(epsilon=0.8)
>>> row["gdp"], row["rdp"]
(478, 405)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from filters.rules.orders import order_budget
from reports.figures.data import FigureData
from reports.figures.gaussian_steps import (
    MOST_STEPS,
    PRINTED_EPSILON,
    PRINTED_MORE,
    PRINTED_STEPS,
    GaussianSteps,
)
from reports.figures.lines import label, line
from reports.figures.printed import Printed
from reports.figures.specification import whole
from theory.conversions import CKS, gaussian_mu

__all__ = ["LargestSteps"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LargestSteps(GaussianSteps):
    """The largest number of steps within (epsilon, delta), drawn up to `height`."""

    points: int = 81
    height: int = whole(600, most=MOST_STEPS)
    FREE: ClassVar[tuple[str, ...]] = (*GaussianSteps.FREE, "height")

    def largest(self) -> dict[str, NDArray[np.int64]]:
        """The largest k at each epsilon: by GDP, by RDP over all orders, by RDP over the integer orders."""
        half = 2 * self.sigma * self.sigma  # rho = k / half
        grid = [
            max(order_budget(alpha, epsilon, self.delta, CKS) / alpha for alpha in self.alphas)
            for epsilon in self.epsilons
        ]
        budgets = {
            "gdp": np.asarray(gaussian_mu(self.epsilons, self.delta)) ** 2 / 2,
            "rdp": np.asarray(CKS.budget(self.epsilons, self.delta)),
            "rdp_grid": np.maximum(grid, 0.0),
        }
        return {name: np.floor(half * budget).astype(np.int64) for name, budget in budgets.items()}

    def data(self) -> FigureData:
        return FigureData.of(epsilon=self.epsilons, **self.largest())

    def _at(self, epsilon: float) -> dict[str, int]:
        """The largest numbers of steps at one epsilon."""
        here = LargestSteps(
            sigma=self.sigma, delta=self.delta, orders=self.orders, least=epsilon, most=2 * epsilon, points=2
        )
        return {name: int(values[0]) for name, values in here.largest().items()}

    def printed(self, data: FigureData) -> Sequence[Printed]:
        here = self._at(PRINTED_EPSILON)
        level = float(CKS.epsilon(self.rho(PRINTED_STEPS), self.delta))
        remark = f"the printed steps are those of epsilon = {level:.4f}, which the text rounds"
        return (
            Printed(f"largest k by RDP at epsilon = {PRINTED_EPSILON:g}", PRINTED_STEPS, here["rdp"], remark),
            Printed(f"largest k by GDP at epsilon = {PRINTED_EPSILON:g}", PRINTED_MORE, here["gdp"], remark),
        )

    def words(self, data: FigureData) -> dict[str, Any]:
        epsilon, rdp, grid = (data.column(name) for name in ("epsilon", "rdp", "rdp_grid"))
        cost = belong = ""
        allowed, dear = rdp > 0, (rdp > 0) & (grid < 0.99 * rdp)
        if dear.any():
            none = _span(epsilon, allowed, allowed & (grid == 0))
            cost = (
                f"The integer orders 2 to {self.orders} cost more than 1 % of the steps "
                f"{_span(epsilon, allowed, dear, 'epsilon = ')}"
                f"{f', and {none} they allow no step at all' if none else ''}: there a curve over these orders shows "
                "its grid and not RDP."
            )
        if self.as_printed:
            level, exact = self.epsilons_of(PRINTED_STEPS)
            belong = (
                f"; the {PRINTED_STEPS} and {PRINTED_MORE} of 003 belong to epsilon = {level:.4f}, where GDP's epsilon "
                f"is {100 * (1 - exact / level):.2f} % smaller"
            )
        return {
            "cost": cost,
            "at": PRINTED_EPSILON,
            "here": self._at(PRINTED_EPSILON),
            "belong": belong,
        }

    def draw(self, data: FigureData, axes: Sequence[Axes]) -> None:
        (ax,) = axes
        epsilon, gdp, rdp, grid = (data.column(name) for name in ("epsilon", "gdp", "rdp", "rdp_grid"))
        line(ax, epsilon, gdp, 0)
        line(ax, epsilon, rdp, 1)
        line(ax, epsilon, grid, -1, dash=2, lw=2.4)
        middle = 2 * len(epsilon) // 3
        label(ax, (epsilon[middle], gdp[middle]), "GDP", 0, offset=(-6, 6), ha="right")
        label(ax, (epsilon[middle], rdp[middle]), "RDP, all orders", 1, offset=(8, -8), va="top")
        low = len(epsilon) // 4
        label(ax, (epsilon[low], grid[low]), f"RDP, orders 2 to {self.orders}", -1, offset=(24, -3), va="top")
        ax.set(ylim=(-0.015 * self.height, self.height))


def _span(epsilon: NDArray[np.float64], of: NDArray[np.bool_], at: NDArray[np.bool_], name: str = "") -> str:
    """Where on the axis `at` holds: up to a point if everywhere below it that `of` holds, else between two."""
    if not at.any():
        return ""
    least, most = epsilon[at].min(), epsilon[at].max()
    if (at == (of & (epsilon <= most))).all():
        return f"up to {name}{most:.3g}"
    return f"at some points from {name}{least:.3g} to {most:.3g}"
