"""Figure 1 of Koskela, Tobaben & Honkela: a person's privacy profile under DP-SGD, and epsilon by three accountants.

>>> import filterproof as fp
>>> shown = fp.figure("003-1", points=2, people=1, steps=1, q=0.5, more_orders=2)
>>> shown.data.names[:3]
('panel', 'epsilon', 'delta_low')
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from filterproof.mc.losses.composition import Bounds, Composition
from filterproof.reports.drawing import GREY
from filterproof.reports.figures.figure_data import FigureData
from filterproof.reports.figures.lines import add_label, line, line_colour
from filterproof.reports.figures.specification import (
    Specification,
    axis_points,
    check_between,
    integer_parameter,
    parameter_field,
    probability_parameter,
    real_parameter,
)
from filterproof.theory.conversions import max_gaussian_mu, renyi_epsilon
from filterproof.theory.guarantees import GaussianDP
from filterproof.theory.pairs import SubsampledGaussian

_MAX_PEOPLE = 200
#: The largest drawn epsilon, relative to the epsilon at delta.
_MAX_DRAWN_RATIO = 1.3
#: The delta of the paper's other experiments. The caption gives the floor of RDP at it too.
_OTHER_DELTA = 1e-5
#: Rounding up of the mu that dominates at the drawn points.
_ROUND_UP_FACTOR = 1 + 1e-9


def _check_optional_epsilon(name: str, value: object) -> float | None:
    """Return None or an epsilon from 1e-3 to 10; raise ValueError otherwise."""
    return None if value is None else check_between(name, value, 1e-3, 10.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class DPSGDAccounting(Specification):
    """A person's privacy profile under DP-SGD, and epsilon by norm from PLD and RDP accounting.

    The first two panels show one person with norm `fraction` and epsilon from 0 to `most`. If `most` is None, they end
    a little beyond the epsilon at delta. The third panel has `people` norms from `least` to 1, at delta. `orders` and
    `more_orders` are the largest integer orders of the two RDP accountants.
    """

    q: float = real_parameter(0.005, 1e-4, 1.0)
    sigma: float = real_parameter(2.0, 0.5, 20.0)
    steps: int = integer_parameter(10_000, most=100_000)
    delta: float = probability_parameter(1e-6, 1e-12, 0.1)
    fraction: float = real_parameter(1.0, 0.01, 1.0)
    most: float | None = parameter_field(None, _check_optional_epsilon)
    points: int = axis_points(31)
    least: float = real_parameter(0.05, 0.01, 1.0)
    people: int = integer_parameter(12, most=_MAX_PEOPLE, remedy="draw fewer")
    orders: int = integer_parameter(32, most=4096, least=2)
    more_orders: int = integer_parameter(1024, most=4096, least=2)
    QUICK: ClassVar[Mapping[str, Any]] = {"points": 9, "people": 5, "least": 0.1}

    def pair(self, fraction: float) -> SubsampledGaussian:
        """Return the dominating pair of one step, for a person with gradients of norm fraction x C."""
        return SubsampledGaussian(self.q, self.sigma / fraction)

    def composition(self, fraction: float) -> Composition:
        """Return the composition of all steps of that person."""
        return Composition({self.pair(fraction): self.steps})

    def rdp_epsilon(self, fraction: float, orders: int) -> float:
        """Return epsilon by the best integer order up to `orders`, from Rényi divergences in both directions."""
        return float(self.composed_rdp(np.array([fraction]), np.array([[self.steps]]), orders)[0])

    def composed_rdp(
        self, fractions: NDArray[np.float64], counts: NDArray[Any], orders: int
    ) -> NDArray[np.float64]:
        """Return epsilon by RDP of people with counts[i, j] steps of norm fractions[j] x C, shape (people,)."""
        alphas, pairs = np.arange(2.0, orders + 1), [self.pair(float(fraction)) for fraction in fractions]
        steps = [
            np.maximum(np.asarray(pair.renyi(alphas)), np.asarray(pair.swapped.renyi(alphas)))
            for pair in pairs
        ]
        epsilons = np.asarray(renyi_epsilon(alphas, counts @ np.array(steps), self.delta))
        return np.asarray(epsilons.min(axis=1))

    def rdp_epsilon_floor(self, orders: int, delta: float | None = None) -> float:
        """Return the RDP epsilon of a person without contribution: the conversion's cost."""
        return float(renyi_epsilon(float(orders), 0.0, self.delta if delta is None else delta))

    def data(self) -> FigureData:
        person = self.composition(self.fraction)
        at = person.epsilon(self.delta, relative=1e-2)
        # a divergence far beyond this epsilon takes long and is not visible
        epsilons = np.linspace(
            0.0, _MAX_DRAWN_RATIO * at.high if self.most is None else self.most, self.points
        )
        curve = [person.delta(float(epsilon)) for epsilon in epsilons]
        # one mu agrees at delta, the other is at least the curve at every drawn point
        mu_at = float(max_gaussian_mu(at.high, self.delta))
        mus = [
            float(max_gaussian_mu(float(epsilon), bounds.high))
            for epsilon, bounds in zip(epsilons, curve, strict=True)
            if 0 < bounds.high < 1
        ]
        mu_all = math.sqrt(self.steps) * self.fraction / self.sigma
        mu_range = max(mus) * _ROUND_UP_FACTOR if mus else mu_all
        fractions = np.linspace(self.least, 1.0, self.people) if self.people > 1 else np.ones(1)
        people = [
            self.composition(float(fraction)).epsilon(self.delta, relative=1e-2) for fraction in fractions
        ]
        profile = FigureData.of(
            panel=["profile"] * self.points,
            epsilon=epsilons,
            delta_low=[bounds.low for bounds in curve],
            delta_high=[bounds.high for bounds in curve],
            delta_gdp_range=np.asarray(GaussianDP(mu_range).delta(epsilons)),
            delta_gdp_at=np.asarray(GaussianDP(mu_at).delta(epsilons)),
        )
        norms = FigureData.of(
            panel=["people"] * self.people,
            fraction=fractions,
            epsilon_low=[bounds.low for bounds in people],
            epsilon_high=[bounds.high for bounds in people],
            epsilon_rdp=[self.rdp_epsilon(float(fraction), self.orders) for fraction in fractions],
            epsilon_rdp_more=[self.rdp_epsilon(float(fraction), self.more_orders) for fraction in fractions],
        )
        parts = (profile, norms)
        names = dict.fromkeys(name for part in parts for name in part.names)
        return FigureData.of_rows([row for part in parts for row in part.rows()], names=names).with_facts(
            mu_at=mu_at,
            mu_range=mu_range,
            mu_all=mu_all,
            person_epsilon_low=at.low,
            person_epsilon_high=at.high,
            floor=self.rdp_epsilon_floor(self.orders),
            floor_more=self.rdp_epsilon_floor(self.more_orders),
            floor_at_other_delta=self.rdp_epsilon_floor(self.orders, _OTHER_DELTA),
        )

    def caption_values(self, data: FigureData) -> dict[str, Any]:
        low, rdp, more = panel_columns(data, "people", "epsilon_low", "epsilon_rdp", "epsilon_rdp_more")
        person = Bounds(data.number("person_epsilon_low"), data.number("person_epsilon_high"))
        excess = {"wide": _curve_excess(data, "delta_gdp_range"), "near": _curve_excess(data, "delta_gdp_at")}
        return {
            "person": person,
            "other": _OTHER_DELTA,
            **{name: (values.min(), values.max()) for name, values in excess.items()},
            **{
                name: (column[0], column[-1]) for name, column in (("low", low), ("rdp", rdp), ("more", more))
            },
        }

    def draw(self, data: FigureData, axes: Sequence[Axes]) -> None:
        above, between, below = axes
        few, many = f"RDP, orders up to {self.orders}", f"up to {self.more_orders}"
        epsilon, high = panel_columns(data, "profile", "epsilon", "delta_high")
        line(above, epsilon, high, 0, lw=2.0)
        above.set_yscale("log")
        above.axhline(self.delta, color=GREY, lw=0.8)
        add_label(above, (0.0, self.delta), f"delta = {self.delta:g}", -1, offset=(4, 4), va="bottom")
        wide, near = _curve_excess(data, "delta_gdp_range"), _curve_excess(data, "delta_gdp_at")
        annotation = f"mu = {data.number('mu_range'):.4f}, dominates here"
        line(between, epsilon, wide, 1, dash=1, text=annotation, at=int(np.argmax(wide)), ha="center")
        annotation = f"mu = {data.number('mu_at'):.4f}, agrees at {self.delta:g}"
        look: dict[str, Any] = {"dash": 2, "lw": 2.2, "offset": (-22, 0), "ha": "right", "va": "center"}
        line(between, epsilon, near, 2, text=annotation, **look)
        between.axhline(0.0, color=line_colour(0), lw=1.2)
        between.margins(y=0.14)
        names: tuple[str, ...] = ("fraction", "epsilon_high", "epsilon_rdp", "epsilon_rdp_more")
        fraction, pld, rdp, more = panel_columns(data, "people", *names)
        line(below, fraction, rdp, 1, marker="s", ms=4, text=few, at=0, offset=(0, 14), va="bottom")
        look = {"dash": 3, "marker": "^", "ms": 5, "offset": (14, 0), "va": "center"}
        line(below, fraction, more, 3, text=many, at=0, **look)
        look = {"marker": "o", "ms": 4, "at": len(fraction) // 2, "offset": (8, -8), "va": "top"}
        line(below, fraction, pld, 0, text="PLD, certified", **look)
        below.set(xlim=(0, 1.02), ylim=(0, None))


def panel_columns(data: FigureData, panel: str, *names: str) -> tuple[NDArray[np.float64], ...]:
    """Return columns of one panel, shape (rows of the panel,)."""
    here = data.where("panel", panel)
    return tuple(here.column(name) for name in names)


def _curve_excess(data: FigureData, column: str) -> NDArray[np.float64]:
    """Return the excess of a Gaussian curve over the profile, in percent."""
    gdp, high = panel_columns(data, "profile", column, "delta_high")
    return 100 * (gdp / np.maximum(high, 1e-300) - 1)
