"""delta by RDP and by GDP for Gaussian steps: Figures 3, 4 and 5 of Koskela, Tobaben & Honkela.

>>> import filterproof as fp
>>> row = fp.figure("003-3").data.row(epsilon=0.9)
>>> f"{row['delta_rdp_420']:.4g}, {row['delta_gdp_420']:.4g}"
'1.696e-06, 3.755e-07'
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from filterproof.filters.rules.guarantee_budget import order_budget
from filterproof.filters.rules.orders import RenyiCurve
from filterproof.reports.figures.figure_data import FigureData
from filterproof.reports.figures.lines import DASHES, line, line_colour
from filterproof.reports.figures.specification import (
    PrintedAndComputed,
    Specification,
    axis_points,
    integer_parameter,
    integer_parameters,
    probability_parameter,
    real_parameter,
)
from filterproof.theory.conversions import CKS, gaussian_epsilon, max_gaussian_mu
from filterproof.theory.guarantees import GaussianDP

#: Numbers that the paper prints: the steps of its experiment by RDP and by GDP, the epsilon, the percentage.
PRINTED_STEPS, PRINTED_MORE, PRINTED_EPSILON, _PERCENT = 420, 495, 0.8, 10
#: The largest number of steps; the curves of more steps cannot be distinguished.
MAX_STEPS = 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianSteps(Specification):
    """Common parameters of the figures on k Gaussian steps: noise, epsilons, orders and delta."""

    sigma: float = real_parameter(100.0, 0.01, 1e6)
    least: float = real_parameter(0.1, 1e-6, 100.0)
    most: float = real_parameter(0.9, 1e-6, 100.0)
    points: int = axis_points(50)
    orders: int = axis_points(32)
    delta: float = probability_parameter(1e-5, 1e-100, 0.99)
    FREE: ClassVar[tuple[str, ...]] = ("least", "most", "points", "orders")

    def check_together(self) -> None:
        if not self.least < self.most:
            raise ValueError(
                f"least must be below most, got least={self.least!r}, most={self.most!r}; swap them"
            )

    @property
    def epsilon_grid(self) -> NDArray[np.float64]:
        """Return the epsilons in nats, shape (points,)."""
        return np.linspace(self.least, self.most, self.points)

    @property
    def alphas(self) -> tuple[int, ...]:
        """Return the integer orders of the authors' script."""
        return tuple(range(2, self.orders + 1))

    def rho(self, k: int) -> float:
        """Return the zCDP parameter of k steps."""
        return k / (2 * self.sigma * self.sigma)

    def deltas_by_accounting(self, k: int) -> dict[str, NDArray[np.float64]]:
        """Return delta of k steps at the epsilons: by RDP over all orders, by GDP, by RDP over integer orders."""
        grid = RenyiCurve(self.alphas, tuple(alpha * self.rho(k) for alpha in self.alphas))
        return {
            "rdp": np.asarray(CKS.delta(self.rho(k), self.epsilon_grid)),
            "gdp": np.asarray(GaussianDP(float(np.sqrt(2 * self.rho(k)))).delta(self.epsilon_grid)),
            "rdp_grid": np.asarray(grid.delta(self.epsilon_grid)),
        }

    def epsilons_by_rdp_and_gdp(self, k: int) -> tuple[float, float]:
        """Return the epsilons of k steps at delta, by RDP over all orders and by GDP."""
        rho = self.rho(k)
        return float(CKS.epsilon(rho, self.delta)), float(
            gaussian_epsilon(float(np.sqrt(2 * rho)), self.delta)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaCurves(GaussianSteps):
    """delta against epsilon for several numbers of steps. Their epsilons are compared at `delta`."""

    steps: tuple[int, ...] = integer_parameters((PRINTED_STEPS,), highest=MAX_STEPS, most=5)

    def data(self) -> FigureData:
        columns = {"epsilon": self.epsilon_grid}
        for k in self.steps:
            columns |= {f"delta_{name}_{k}": values for name, values in self.deltas_by_accounting(k).items()}
        return FigureData.of(**columns)

    def printed(self, data: FigureData) -> Sequence[PrintedAndComputed]:
        rdp, gdp = self.epsilons_by_rdp_and_gdp(PRINTED_STEPS)
        steps = int((self.sigma * float(max_gaussian_mu(rdp, self.delta))) ** 2)
        where, smaller = f"delta = {self.delta:g}", 100 * (1 - gdp / rdp)
        epsilon, percent = (
            "epsilon of k = 420 steps by RDP at",
            "percent by which GDP's epsilon is smaller at",
        )
        return (
            PrintedAndComputed(f"{epsilon} {where}", PRINTED_EPSILON, rdp, "printed with one digit"),
            PrintedAndComputed(f"steps by GDP at that epsilon and {where}", PRINTED_MORE, steps),
            PrintedAndComputed(f"{percent} {where}", _PERCENT, smaller, 'printed as "roughly 10 percent"'),
        )

    def caption_values(self, data: FigureData) -> dict[str, Any]:
        return {
            "epsilons": "; ".join(f"{k} steps: {self._epsilons_text(k)}" for k in self.steps),
            "roughly": ', which the paper prints as "roughly 10 percent"' * self.has_printed_parameters,
            "ends": "; ".join(
                f"{name.removeprefix('delta_')} from {data.column(name)[0]:.3g} to {data.column(name)[-1]:.3g}"
                for name in data.names[1:]
            ),
        }

    def _epsilons_text(self, k: int) -> str:
        """Return the epsilons of k steps by RDP and by GDP, as text."""
        rdp, gdp = self.epsilons_by_rdp_and_gdp(k)
        return f"{rdp:.4f} and {gdp:.4f}" + (f", {100 * (1 - gdp / rdp):.2f} % smaller" if rdp > 0 else "")

    def draw(self, data: FigureData, axes: Sequence[Axes]) -> None:
        (ax,) = axes
        epsilon = data.column("epsilon")
        every = max(len(epsilon) // 6, 1)
        for place, k in enumerate(self.steps):
            rdp, gdp = data.column(f"delta_rdp_{k}"), data.column(f"delta_gdp_{k}")
            line(ax, epsilon, data.column(f"delta_rdp_grid_{k}"), -1, dash=2, lw=2.4)
            look: dict[str, Any] = {"marker": "os^Dv"[place], "markevery": (every // 2, every), "ms": 4.5}
            line(ax, epsilon, rdp, place, dash=1, **look)
            line(ax, epsilon, gdp, place, dash=0, text=f"k = {k}", offset=(5, 2), va="center", **look)
        if any((data.column(name) > 0).any() for name in data.names[1:]):  # else there is no logarithm
            ax.set_yscale("log")
        for name, k, dash in (("RDP", -2, 1), ("GDP", -2, 0), (f"RDP, orders 2 to {self.orders}", -1, 2)):
            ax.plot([], [], color=line_colour(k), ls=DASHES[dash], label=name)
        ax.legend(loc="lower left", fontsize=9, handlelength=3.2)
        ax.set_xlim(epsilon[0], epsilon[-1] + 0.14 * (epsilon[-1] - epsilon[0]))


@dataclass(frozen=True, slots=True, kw_only=True)
class LargestSteps(GaussianSteps):
    """The largest number of steps within (epsilon, delta), drawn up to `height`."""

    points: int = axis_points(81)
    height: int = integer_parameter(600, most=MAX_STEPS)
    FREE: ClassVar[tuple[str, ...]] = (*GaussianSteps.FREE, "height")

    def largest(self, epsilons: NDArray[np.float64]) -> dict[str, NDArray[np.int64]]:
        """Return the largest k at each epsilon: by GDP, by RDP over all orders, by RDP over the integer orders."""
        half = 2 * self.sigma * self.sigma  # rho = k / half
        grid = [
            max(order_budget(alpha, epsilon, self.delta, CKS) / alpha for alpha in self.alphas)
            for epsilon in epsilons
        ]
        budgets = {
            "gdp": np.asarray(max_gaussian_mu(epsilons, self.delta)) ** 2 / 2,
            "rdp": np.asarray(CKS.budget(epsilons, self.delta)),
            "rdp_grid": np.maximum(grid, 0.0),
        }
        return {name: np.floor(half * budget).astype(np.int64) for name, budget in budgets.items()}

    def data(self) -> FigureData:
        return FigureData.of(epsilon=self.epsilon_grid, **self.largest(self.epsilon_grid))

    def _largest_at_printed_epsilon(self) -> dict[str, int]:
        """Return the largest numbers of steps at the printed epsilon."""
        return {name: int(values[0]) for name, values in self.largest(np.array([PRINTED_EPSILON])).items()}

    def printed(self, data: FigureData) -> Sequence[PrintedAndComputed]:
        here = self._largest_at_printed_epsilon()
        level = float(CKS.epsilon(self.rho(PRINTED_STEPS), self.delta))
        remark = f"the printed steps are those of epsilon = {level:.4f}, which the text rounds"
        return (
            PrintedAndComputed(
                f"largest k by RDP at epsilon = {PRINTED_EPSILON:g}", PRINTED_STEPS, here["rdp"], remark
            ),
            PrintedAndComputed(
                f"largest k by GDP at epsilon = {PRINTED_EPSILON:g}", PRINTED_MORE, here["gdp"], remark
            ),
        )

    def caption_values(self, data: FigureData) -> dict[str, Any]:
        epsilon, rdp, grid = (data.column(name) for name in ("epsilon", "rdp", "rdp_grid"))
        cost = belong = ""
        dear, none = (epsilon[(rdp > 0) & there] for there in (grid < 0.99 * rdp, grid == 0))
        if len(dear):
            no_step = f", and up to {none.max():.3g} they may allow no step at all" if len(none) else ""
            cost = (
                f"The integer orders 2 to {self.orders} may cost more than 1 % of the steps up to epsilon = "
                f"{dear.max():.3g}{no_step}. In that range a curve over these orders shows its grid and not RDP."
            )
        if self.has_printed_parameters:
            level, exact = self.epsilons_by_rdp_and_gdp(PRINTED_STEPS)
            belong = (
                f"; the {PRINTED_STEPS} and {PRINTED_MORE} of the paper belong to epsilon = {level:.4f}, where GDP's "
                f"epsilon is {100 * (1 - exact / level):.2f} % smaller"
            )
        return {
            "cost": cost,
            "at": PRINTED_EPSILON,
            "here": self._largest_at_printed_epsilon(),
            "belong": belong,
        }

    def draw(self, data: FigureData, axes: Sequence[Axes]) -> None:
        (ax,) = axes
        epsilon, gdp, rdp, grid = (data.column(name) for name in ("epsilon", "gdp", "rdp", "rdp_grid"))
        late, early = 2 * len(epsilon) // 3, len(epsilon) // 4
        line(ax, epsilon, gdp, 0, text="GDP", at=late, offset=(-6, 6), ha="right")
        line(ax, epsilon, rdp, 1, text="RDP, all orders", at=late, offset=(8, -8), va="top")
        text = f"RDP, orders 2 to {self.orders}"
        line(ax, epsilon, grid, -1, dash=2, lw=2.4, text=text, at=early, offset=(24, -3), va="top")
        ax.set(ylim=(-0.015 * self.height, self.height))
