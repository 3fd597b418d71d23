"""Paper 003's curves of delta by RDP and by GDP for Gaussian steps: Figures 3 and 4.

>>> import filterproof as fp
>>> row = fp.figure("003-3").data.row(epsilon=0.9)
>>> f"{row['delta_rdp']:.4g}, {row['delta_gdp']:.4g}"
'1.696e-06, 3.755e-07'
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import ClassVar

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from filters.rules.orders import RenyiCurve
from reports.figures.data import FigureData
from reports.figures.lines import DASHES, colour, label, line
from reports.figures.paper_figure import PaperFigure, Source
from reports.figures.printed import Printed
from reports.figures.shape import above, quotient, together
from reports.figures.specification import (
    Specification,
    check_between,
    check_count_to,
    check_points,
    check_probability,
    check_rising,
    check_several,
    checked,
)
from theory.conversions import CKS, gaussian_epsilon, gaussian_mu
from theory.guarantees import GaussianDP

__all__ = [
    "FIGURE_3",
    "FIGURE_4",
    "MOST_STEPS",
    "PRINTED_EPSILON",
    "PRINTED_MORE",
    "PRINTED_STEPS",
    "GaussianSteps",
]

#: What 003 prints: the steps of its experiment by RDP and by GDP, the epsilon, the percentage.
PRINTED_STEPS, PRINTED_MORE, PRINTED_EPSILON, _PERCENT = 420, 495, 0.8, 10
#: More steps than this are not told apart from their neighbours.
MOST_STEPS = 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianSteps(Specification):
    """What the figures share: the noise, the grid of epsilons, and the integer orders 2 to `orders`."""

    sigma: float = checked(100.0, check_between, low=0.01, high=1e6)
    least: float = checked(0.1, check_between, low=1e-6, high=100.0)
    most: float = checked(0.9, check_between, low=1e-6, high=100.0)
    points: int = checked(50, check_points)
    orders: int = checked(32, check_points)
    delta: float = checked(1e-5, check_probability, low=1e-100, high=0.99)
    FREE: ClassVar[tuple[str, ...]] = ("least", "most", "points", "orders")

    def check_together(self) -> None:
        check_rising("least", self.least, "most", self.most)

    @property
    def epsilons(self) -> NDArray[np.float64]:
        """The epsilons, in nats: shape (points,)."""
        return np.linspace(self.least, self.most, self.points)

    @property
    def alphas(self) -> tuple[int, ...]:
        """The integer orders of the authors' script."""
        return tuple(range(2, self.orders + 1))

    def rho(self, k: int) -> float:
        """The zCDP parameter of k steps."""
        return k / (2 * self.sigma * self.sigma)

    def deltas(self, k: int) -> dict[str, NDArray[np.float64]]:
        """delta of k steps at the epsilons, by RDP over all orders, by GDP, and by RDP over the integer orders."""
        grid = RenyiCurve(self.alphas, tuple(alpha * self.rho(k) for alpha in self.alphas))
        return {
            "rdp": np.asarray(CKS.delta(self.rho(k), self.epsilons)),
            "gdp": np.asarray(GaussianDP(float(np.sqrt(2 * self.rho(k)))).delta(self.epsilons)),
            "rdp_grid": np.asarray(grid.delta(self.epsilons)),
        }


# -- Figure 3 --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivateGradientDescent(GaussianSteps):
    """k Gaussian steps of noise sigma; delta is where the printed epsilons are compared."""

    k: int = checked(PRINTED_STEPS, check_count_to, most=MOST_STEPS)


def _data_3(spec: PrivateGradientDescent) -> FigureData:
    found = spec.deltas(spec.k)
    return FigureData.of(
        epsilon=spec.epsilons,
        delta_rdp=found["rdp"],
        delta_gdp=found["gdp"],
        delta_rdp_grid=found["rdp_grid"],
    )


def _epsilons_at(spec: PrivateGradientDescent) -> tuple[float, float]:
    """The epsilons of the steps at delta, by RDP over all orders and by GDP."""
    rho = spec.rho(spec.k)
    return float(CKS.epsilon(rho, spec.delta)), float(gaussian_epsilon(float(np.sqrt(2 * rho)), spec.delta))


def _printed_3(spec: PrivateGradientDescent, data: FigureData) -> Sequence[Printed]:
    rdp, gdp = _epsilons_at(spec)
    steps = int((spec.sigma * float(gaussian_mu(rdp, spec.delta))) ** 2)
    where = f"delta = {spec.delta:g}"
    return (
        Printed(
            f"epsilon of k = {spec.k} steps by RDP at {where}", PRINTED_EPSILON, rdp, "printed with one digit"
        ),
        Printed(f"steps by GDP at that epsilon and {where}", PRINTED_MORE, steps),
        Printed(f"percent by which GDP's epsilon is smaller at {where}", _PERCENT, 100 * (1 - gdp / rdp)),
    )


def _caption_3(spec: PrivateGradientDescent, data: FigureData) -> str:
    rdp, gdp = _epsilons_at(spec)
    ratio = quotient(data.column("delta_rdp"), data.column("delta_gdp"))
    grid = quotient(data.column("delta_rdp_grid"), data.column("delta_rdp"))
    told = [
        f"delta against epsilon of {spec.k} Gaussian steps of noise {spec.sigma:g}. GDP is exact; RDP is over all "
        "orders and by the conversion of 003 Lemma C.4."
    ]
    if np.isfinite(ratio[[0, -1]]).all():
        told.append(
            f"RDP gives {ratio[0]:.3g} times as much at epsilon = {spec.least:g} and {ratio[-1]:.3g} times at "
            f"{spec.most:g}."
        )
    told.append(f"In grey RDP over the integer orders 2 to {spec.orders}")
    if np.isfinite(grid).all():
        at = data.column("epsilon")[grid.argmax()]
        told[-1] += f": at most {grid.max():.3g} times the value over all orders, at epsilon = {at:.2g}"
    told[-1] += "."
    told.append(f"At delta = {spec.delta:g} the epsilons are {rdp:.4f} and {gdp:.4f}")
    if rdp > 0:
        told[-1] += f": GDP's is {100 * (1 - gdp / rdp):.2f} % smaller"
        if spec.as_printed:
            told[-1] += ', which 003 prints as "roughly 10 percent"'
    return " ".join(told) + "."


def _alt_3(spec: PrivateGradientDescent, data: FigureData) -> str:
    grid, rdp, gdp = (data.column(f"delta_{name}") for name in ("rdp_grid", "rdp", "gdp"))
    told = [
        f"Three {together((grid, rdp, gdp))}curves of delta{_axis(rdp, grid)}, against epsilon. GDP goes from "
        f"{gdp[0]:.3g} to {gdp[-1]:.3g}, RDP from {rdp[0]:.3g} to {rdp[-1]:.3g}, and RDP over integer orders from "
        f"{grid[0]:.3g} to {grid[-1]:.3g}."
    ]
    if where := above(rdp, gdp):
        told.append(f"RDP lies {where} GDP{' everywhere' if where == 'above' else ''}.")
    return " ".join(told)


def _axis(*columns: NDArray[np.float64]) -> str:
    """The words for the axis of delta: without a number above zero there is no logarithm."""
    return ", on a logarithmic axis" if any((column > 0).any() for column in columns) else ""


def _draw_3(spec: PrivateGradientDescent, data: FigureData, axes: Sequence[Axes]) -> None:
    (ax,) = axes
    epsilon = data.column("epsilon")
    line(ax, epsilon, data.column("delta_rdp_grid"), -1, dash=2, lw=2.6)
    line(ax, epsilon, data.column("delta_rdp"), 1)
    line(ax, epsilon, data.column("delta_gdp"), 0)
    if _axis(data.column("delta_rdp"), data.column("delta_rdp_grid")):
        ax.set_yscale("log")
    at = len(epsilon) // 2
    label(ax, (epsilon[at], data.column("delta_rdp")[at]), "RDP, all orders", 1, offset=(6, 4))
    label(
        ax,
        (epsilon[at], data.column("delta_gdp")[at]),
        "GDP, exact",
        0,
        offset=(-6, -6),
        ha="right",
        va="top",
    )
    early = len(epsilon) // 4
    beside = (epsilon[early], data.column("delta_rdp_grid")[early])
    label(ax, beside, f"RDP, orders 2 to {spec.orders}", -1, offset=(6, 4))
    ax.set(
        xlabel="epsilon (nats)",
        ylabel="delta",
        title=f"{spec.k} Gaussian steps at sigma = {spec.sigma:g}",
    )


FIGURE_3 = PaperFigure(
    name="003-3",
    title="delta against epsilon by RDP and by GDP",
    source=Source("003", "Figure 3", "Section C.4"),
    specification=PrivateGradientDescent,
    data=_data_3,
    printed=_printed_3,
    draw=_draw_3,
    caption=_caption_3,
    alt=_alt_3,
)


# -- Figure 4 --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class SeveralSteps(GaussianSteps):
    """The same for several numbers of steps; `delta` marks where their epsilons are told in the caption."""

    steps: tuple[int, ...] = checked(
        (300, 500, 900), check_several, check=partial(check_count_to, most=MOST_STEPS), most=5
    )
    most: float = 1.1


def _data_4(spec: SeveralSteps) -> FigureData:
    columns = {"epsilon": spec.epsilons}
    for k in spec.steps:
        columns |= {f"delta_{name}_{k}": values for name, values in spec.deltas(k).items()}
    return FigureData.of(**columns)


def _caption_4(spec: SeveralSteps, data: FigureData) -> str:
    ends = {
        k: (
            float(CKS.epsilon(spec.rho(k), spec.delta)),
            float(gaussian_epsilon(float(np.sqrt(2 * spec.rho(k))), spec.delta)),
        )
        for k in spec.steps
    }
    told = "; ".join(f"k = {k}: {rdp:.3f} and {gdp:.3f}" for k, (rdp, gdp) in ends.items())
    larger = all(rdp > gdp for rdp, gdp in ends.values())
    return (
        f"delta against epsilon after {', '.join(map(str, spec.steps))} Gaussian steps of noise {spec.sigma:g}; GDP "
        f"solid, RDP over all orders dashed, over the integer orders 2 to {spec.orders} in grey dots beneath. "
        f"At delta = {spec.delta:g} the epsilons by RDP and by GDP are {told}"
        f"{'; RDP asks for a larger one at every k' if larger else ''}."
    )


def _alt_4(spec: SeveralSteps, data: FigureData) -> str:
    rdp, gdp = ([data.column(f"delta_{name}_{k}") for k in spec.steps] for name in ("rdp", "gdp"))
    over = all(above(one, other) == "above" for one, other in zip(rdp, gdp, strict=True))
    higher = all(above(more, fewer) == "above" for each in (rdp, gdp) for fewer, more in pairwise(each))
    return (
        f"{2 * len(spec.steps)} {together((*rdp, *gdp))}curves of delta{_axis(*rdp, *gdp)}, against epsilon: for each "
        f"k of {', '.join(map(str, spec.steps))} one by GDP and one by RDP{' above it' if over else ''}."
        f"{' More steps lie higher.' if higher and len(spec.steps) > 1 else ''}"
    )


def _draw_4(spec: SeveralSteps, data: FigureData, axes: Sequence[Axes]) -> None:
    (ax,) = axes
    epsilon = data.column("epsilon")
    markers = ("o", "s", "^", "D", "v")
    every = max(len(epsilon) // 6, 1)
    for place, k in enumerate(spec.steps):
        rdp, gdp = data.column(f"delta_rdp_{k}"), data.column(f"delta_gdp_{k}")
        line(ax, epsilon, data.column(f"delta_rdp_grid_{k}"), -1, dash=2, lw=2.4)
        for values, dash in ((rdp, 1), (gdp, 0)):
            line(
                ax,
                epsilon,
                values,
                place,
                dash=dash,
                marker=markers[place],
                markevery=(every // 2, every),
                ms=4.5,
            )
        label(ax, (epsilon[-1], gdp[-1]), f"k = {k}", place, offset=(5, 2), va="center")
    if _axis(*(data.column(name) for name in data.names[1:])):
        ax.set_yscale("log")
    for name, dash in (("RDP", 1), ("GDP", 0)):
        ax.plot([], [], color=colour(-2), ls=DASHES[dash], label=name)
    ax.legend(loc="lower left", fontsize=9, handlelength=3.2)
    ax.set_xlim(epsilon[0], epsilon[-1] + 0.14 * (epsilon[-1] - epsilon[0]))
    ax.set(xlabel="epsilon (nats)", ylabel="delta", title=f"More steps, at sigma = {spec.sigma:g}")


FIGURE_4 = PaperFigure(
    name="003-4",
    title="delta against epsilon for several numbers of steps",
    source=Source("003", "Figure 4", "Section C.4.1"),
    specification=SeveralSteps,
    data=_data_4,
    draw=_draw_4,
    caption=_caption_4,
    alt=_alt_4,
)
