"""How much of the promised delta the worst adversary over a menu reaches against each filter; the rest is unused.

>>> import filterproof as fp
>>> row = fp.figure("unused", epsilons=(1.0,)).data.rows()[0]
>>> f"{row['simple']:.4f}, {row['cks']:.3f}, {row['calibrated']:.3f}"
'0.0031, 0.248, 0.797'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from matplotlib.axes import Axes

from filters import GaussianFilter
from mc.worst_case.calibrated import calibrated
from mc.worst_case.calibrated_threshold import CalibratedThreshold
from mc.worst_case.solve import worst_case
from reports.figures.data import FigureData
from reports.figures.lines import colour, line, number_ticks
from reports.figures.published import PUBLISHED, Compared
from reports.figures.specification import Specification, probability, reals, wholes
from theory.conversions import gaussian_mu
from theory.evidence import Evidence
from theory.pairs import Gaussian, RandomizedResponse

__all__ = ["UnusedDelta"]

#: Steps of the budget to which sums of mu^2 of randomised responses, which never coincide, are rounded.
_SPEND_STEPS = 20_000


_GDP = Compared(
    "GDP", 4, 4, "^", made=lambda epsilon, delta: GaussianFilter(float(gaussian_mu(epsilon, delta)))
)
_GAUSSIANS = "gdp_gaussians"
_COMPARED: Mapping[str, Compared] = {
    _GAUSSIANS: replace(_GDP, label="GDP, asked for Gaussians", k=-2, dash=2, marker="x"),
    **{name: PUBLISHED[name] for name in ("calibrated", "cks")},
    "gdp": _GDP,
    **PUBLISHED,
}
#: Basic composition reaches nothing, which has no logarithm.
_DRAWN = [name for name in _COMPARED if name != "basic"]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnusedDelta(Specification):
    """Promises (epsilon, delta) for several epsilons; the menu is RR at `levels` times the step of the table's row."""

    delta: float = probability(1e-5, 1e-9, 0.3)
    epsilons: tuple[float, ...] = reals((0.25, 0.5, 1.0, 2.0, 5.0, 10.0), 0.1, 10.0, most=12)
    levels: tuple[int, ...] = wholes((2, 4, 8), highest=50, remedy="the rows hold not many more", most=3)
    QUICK: ClassVar[Mapping[str, Any]] = {"epsilons": (0.5, 2.0)}

    def data(self) -> FigureData:
        columns: dict[str, list[float]] = {"epsilon": list(self.epsilons)}
        for epsilon in self.epsilons:
            step, mu = _step(epsilon, self.delta), float(gaussian_mu(epsilon, self.delta))
            responses = tuple(RandomizedResponse(step * k) for k in self.levels)
            for name, one in _COMPARED.items():
                found = worst_case(
                    one.at(epsilon, self.delta),
                    (Gaussian(mu / 2), Gaussian(mu / 4)) if name == _GAUSSIANS else responses,
                    epsilon=epsilon,
                    evidence=Evidence.CERTIFIED,
                    spend_steps=_SPEND_STEPS if name == "gdp" else None,
                )
                columns.setdefault(name, []).append(found.low / self.delta)
                columns.setdefault(f"{name}_at_most", []).append(found.high / self.delta)
        return FigureData.of(**columns)

    def words(self, data: FigureData) -> dict[str, Any]:
        simple, last = data.column("simple"), data.rows()[-1]
        same = (data.column("whitehouse") == simple).all() and (simple > 0).any()
        return {
            "levels": ", ".join(map(str, self.levels)),
            "range": {name: _range(data, name) for name in ("calibrated", "cks", "simple", "rogers", "gdp")},
            "also": " Whitehouse et al., with all of delta for the tail, is the same rule." if same else "",
            "gaussians": 100 * data.column("gdp_gaussians").min(),
            "ends": ", ".join(
                f"{_COMPARED[name].label}: {last[name]:.2g}"
                for name in sorted(_DRAWN, key=lambda one: -data.column(one)[-1])
            ),
        }

    def draw(self, data: FigureData, axes: Sequence[Axes]) -> None:
        (ax,) = axes
        epsilon = data.column("epsilon")
        for name in _DRAWN:
            one, low, high = _COMPARED[name], data.column(name), data.column(f"{name}_at_most")
            ax.fill_between(epsilon, low, high, color=colour(one.k), alpha=0.3, lw=0)
            line(ax, epsilon, low, label=one.label, **one.style)
        ax.axhline(1, color=colour(-1), lw=1.2)
        ax.set(xscale="log", yscale="log")
        ax.legend(
            fontsize=8.5, loc="center left", bbox_to_anchor=(0.0, 0.42), handlelength=3.0, labelspacing=0.25
        )
        number_ticks(ax, (0.1, 0.25, 0.5, 1, 2, 5, 10), epsilon)


def _step(epsilon: float, delta: float) -> float:
    """The least level of the calibrated filter: at its multiples no filter here rounds a charge."""
    row = calibrated(epsilon, delta).certificate
    assert isinstance(row, CalibratedThreshold)
    return row.step


def _range(data: FigureData, name: str) -> str:
    low, high = (float(end) for end in (data.column(name).min(), data.column(f"{name}_at_most").max()))
    return f"{100 * low:.3g} to {100 * high:.3g} %"
