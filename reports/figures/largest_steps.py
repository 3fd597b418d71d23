"""The largest number of Gaussian steps within (epsilon, delta), by RDP and by GDP: Figure 5 of paper 003.

>>> import filterproof as fp
>>> row = fp.figure("003-5", points=17).data.row(epsilon=0.8)
>>> row["gdp"], row["rdp"]
(478, 405)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

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
from reports.figures.paper_figure import PaperFigure, Source
from reports.figures.printed import Printed
from reports.figures.shape import above, together
from reports.figures.specification import check_count_to, checked
from theory.conversions import CKS, gaussian_epsilon, gaussian_mu

__all__ = ["FIGURE_5"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LargestSteps(GaussianSteps):
    """The largest number of steps within (epsilon, delta), drawn up to `height`."""

    points: int = 81
    height: int = checked(600, check_count_to, most=MOST_STEPS)
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


def _data(spec: LargestSteps) -> FigureData:
    return FigureData.of(epsilon=spec.epsilons, **spec.largest())


def _at(spec: LargestSteps, epsilon: float) -> dict[str, int]:
    """The largest numbers of steps at one epsilon."""
    here = LargestSteps(
        sigma=spec.sigma, delta=spec.delta, orders=spec.orders, least=epsilon, most=2 * epsilon, points=2
    )
    return {name: int(values[0]) for name, values in here.largest().items()}


def _printed(spec: LargestSteps, data: FigureData) -> Sequence[Printed]:
    here = _at(spec, PRINTED_EPSILON)
    level = float(CKS.epsilon(spec.rho(PRINTED_STEPS), spec.delta))
    remark = f"the printed steps are those of epsilon = {level:.4f}, which the text rounds"
    return (
        Printed(f"largest k by RDP at epsilon = {PRINTED_EPSILON:g}", PRINTED_STEPS, here["rdp"], remark),
        Printed(f"largest k by GDP at epsilon = {PRINTED_EPSILON:g}", PRINTED_MORE, here["gdp"], remark),
    )


def _caption(spec: LargestSteps, data: FigureData) -> str:
    epsilon, rdp, grid = (data.column(name) for name in ("epsilon", "rdp", "rdp_grid"))
    here = _at(spec, PRINTED_EPSILON)
    told = ""
    if ((rdp > 0) & (grid < 0.99 * rdp)).any():
        none = _span(epsilon, rdp > 0, (rdp > 0) & (grid == 0))
        told = (
            f" The integer orders 2 to {spec.orders} cost more than 1 % of the steps "
            f"{_span(epsilon, rdp > 0, (rdp > 0) & (grid < 0.99 * rdp), 'epsilon = ')}"
            f"{f', and {none} they allow no step at all' if none else ''}: there a curve over these orders shows its "
            "grid and not RDP."
        )
    ours = f"At epsilon = {PRINTED_EPSILON:g} RDP allows {here['rdp']} steps and GDP {here['gdp']}"
    if spec.as_printed:
        level = float(CKS.epsilon(spec.rho(PRINTED_STEPS), spec.delta))
        mu = float(np.sqrt(2 * spec.rho(PRINTED_STEPS)))
        smaller = 1 - float(gaussian_epsilon(mu, spec.delta)) / level
        ours += (
            f"; the {PRINTED_STEPS} and {PRINTED_MORE} of 003 belong to epsilon = {level:.4f}, where GDP's epsilon is "
            f"{100 * smaller:.2f} % smaller"
        )
    return (
        f"The largest number of Gaussian steps of noise {spec.sigma:g} within (epsilon, {spec.delta:g})-DP: by GDP, by "
        f"RDP over all orders, and by RDP over integer orders.{told} {ours}."
    )


def _span(epsilon: NDArray[np.float64], of: NDArray[np.bool_], at: NDArray[np.bool_], name: str = "") -> str:
    """Where on the axis `at` holds: up to a point if everywhere below it that `of` holds, else between two."""
    if not at.any():
        return ""
    least, most = epsilon[at].min(), epsilon[at].max()
    if (at == (of & (epsilon <= most))).all():
        return f"up to {name}{most:.3g}"
    return f"at some points from {name}{least:.3g} to {most:.3g}"


def _alt(spec: LargestSteps, data: FigureData) -> str:
    last = data.rows()[-1]
    gdp, rdp, grid = (data.column(name) for name in ("gdp", "rdp", "rdp_grid"))
    told = [
        f"Three {together((gdp, rdp, grid))}curves of steps against epsilon, which reach {last['gdp']} (GDP), "
        f"{last['rdp']} (RDP) and {last['rdp_grid']} (RDP over integer orders) at epsilon = {spec.most:g}."
    ]
    if grid[0] == 0 < rdp[0] and grid[-1] == rdp[-1]:
        told.append("The last starts at zero and joins the second.")
    if where := above(gdp, np.maximum(rdp, grid)):
        told.append(f"GDP lies {where} both.")
    return " ".join(told)


def _draw(spec: LargestSteps, data: FigureData, axes: Sequence[Axes]) -> None:
    (ax,) = axes
    epsilon, gdp, rdp, grid = (data.column(name) for name in ("epsilon", "gdp", "rdp", "rdp_grid"))
    line(ax, epsilon, gdp, 0)
    line(ax, epsilon, rdp, 1)
    line(ax, epsilon, grid, -1, dash=2, lw=2.4)
    middle = 2 * len(epsilon) // 3
    label(ax, (epsilon[middle], gdp[middle]), "GDP", 0, offset=(-6, 6), ha="right")
    label(ax, (epsilon[middle], rdp[middle]), "RDP, all orders", 1, offset=(8, -8), va="top")
    low = len(epsilon) // 4
    label(ax, (epsilon[low], grid[low]), f"RDP, orders 2 to {spec.orders}", -1, offset=(24, -3), va="top")
    ax.set(
        xlabel="epsilon (nats)",
        ylabel="largest k",
        ylim=(-0.015 * spec.height, spec.height),
        title=f"Steps within (epsilon, {spec.delta:g}), sigma = {spec.sigma:g}",
    )


FIGURE_5 = PaperFigure(
    name="003-5",
    title="the largest number of steps against epsilon",
    source=Source("003", "Figure 5", "Section C.4.1"),
    specification=LargestSteps,
    data=_data,
    printed=_printed,
    draw=_draw,
    caption=_caption,
    alt=_alt,
)
