"""Feldman & Zrnic's comparison with Rogers et al.: rounds of one pure mechanism that each filter's own code allows.

>>> import filterproof as fp
>>> row = fp.figure("000-rogers", budgets=(1.0, 2.0)).data.row(epsilon=1.0)
>>> row["basic"], row["rogers"], row["simple"], row["cks"]
(16, 4, 10, 15)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from filterproof.filters import (
    ApproximateDPFilter,
    BasicFilter,
    GaussianFilter,
    PrivacyFilter,
    RogersFilter,
    WhitehouseFilter,
)
from filterproof.filters.accountants.repeats import count_grants
from filterproof.mc.estimate.filter_ranking import bounds_on_planned_rounds
from filterproof.mc.worst_case.calibrated_thresholds import CalibratedThreshold, tabulated_filter
from filterproof.reports.figures.figure_data import FigureData
from filterproof.reports.figures.lines import line, number_ticks
from filterproof.reports.figures.specification import (
    Specification,
    probability_parameter,
    real_parameter,
    real_parameters,
)
from filterproof.theory.conversions import BUN_STEINKE, CKS, max_gaussian_mu
from filterproof.theory.pairs import Gaussian, RandomizedResponse

_MAX_ROUNDS, _MAX_BUDGETS = 20_000, 40

#: The filters of (epsilon, delta), from the fewest rounds to the most. The calibrated one is in a table.
_FILTERS: Mapping[str, Callable[[float, float], PrivacyFilter]] = {
    "basic": BasicFilter,
    "rogers": RogersFilter,
    "whitehouse": lambda epsilon, delta: WhitehouseFilter(epsilon, delta, tail=delta),
    "simple": partial(ApproximateDPFilter, conversion=BUN_STEINKE),
    "cks": partial(ApproximateDPFilter, conversion=CKS),
}
#: The lines from the lowest: label, colour, dashes and marker, which is hollow if it surrounds another.
_COMPARED: Mapping[str, tuple[str, dict[str, Any]]] = {
    "gaussian": (
        "Gaussian ceiling of B*",
        {"k": -1, "dash": 0, "marker": "", "ms": 0, "lw": 5.0, "alpha": 0.5},
    ),
    "exact": ("this mechanism alone, exact", {"k": -2, "dash": 2, "marker": "x", "ms": 5}),
    # rows of a table, not a curve
    "calibrated": ("calibrated, from the table", {"k": 2, "dash": 5, "marker": "D", "ms": 5, "lw": 0}),
    "cks": ("B*, CKS", {"k": 1, "dash": 0, "marker": "s", "ms": 4}),
    "simple": ("B*, simple", {"k": 0, "dash": 0, "marker": "o", "ms": 4}),
    "whitehouse": ("Whitehouse et al.", {"k": 5, "dash": 1, "marker": "o", "ms": 8, "mfc": "none"}),
    "rogers": ("Rogers et al.", {"k": 3, "dash": 3, "marker": "v", "ms": 5}),
    "basic": ("basic", {"k": 4, "dash": 4, "marker": "^", "ms": 5}),
}
_COLUMNS = (*_FILTERS, "calibrated", "gaussian", "exact")


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundsOfEach(Specification):
    """Repeated requests of an `each`-DP mechanism, within (epsilon, delta) for the epsilons of `budgets`."""

    each: float = real_parameter(0.0625, 1e-3, 20.0)
    # Rogers et al. require a delta below 1/e
    delta: float = probability_parameter(1e-5, 1e-30, 0.3)
    budgets: tuple[float, ...] = real_parameters(
        (0.25, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0, 10.0), 1e-3, 20.0, most=_MAX_BUDGETS
    )

    def check_together(self) -> None:
        rounds = (float(max_gaussian_mu(self.budgets[-1], self.delta)) / self.each) ** 2
        if rounds > _MAX_ROUNDS:
            raise ValueError(
                f"each must allow at most {_MAX_ROUNDS:,} rounds, got each={self.each!r} and about {rounds:,.0f}; "
                "pass a larger each or smaller budgets"
            )

    def data(self) -> FigureData:
        request = RandomizedResponse(self.each)
        columns: dict[str, list[int | None]] = {name: [] for name in _COLUMNS}
        for epsilon in self.budgets:
            for name, make_filter in _FILTERS.items():
                columns[name].append(
                    count_grants(make_filter(epsilon, self.delta), request, most=_MAX_ROUNDS)
                )
            columns["calibrated"].append(self._calibrated_rounds(epsilon))
            mu = float(max_gaussian_mu(epsilon, self.delta))
            columns["gaussian"].append(
                count_grants(GaussianFilter(mu), Gaussian(self.each), most=_MAX_ROUNDS)
            )
            columns["exact"].append(bounds_on_planned_rounds(epsilon, self.delta, request, _MAX_ROUNDS)[0])
        return FigureData.of(epsilon=self.budgets, **columns)

    def _calibrated_rounds(self, epsilon: float) -> int | None:
        """Return the rounds that the calibrated thresholds' table grants; None if no row applies."""
        rows = [
            row for row in CalibratedThreshold.table() if row.epsilon <= epsilon and row.delta <= self.delta
        ]
        if not any(row.granted_count(self.each) for row in rows):
            return None
        filt = tabulated_filter(epsilon, self.delta, each=self.each)
        return count_grants(filt, RandomizedResponse(self.each), most=_MAX_ROUNDS)

    def caption_values(self, data: FigureData) -> dict[str, Any]:
        simple = data.column("simple")
        compared = ""
        if (simple > 0).any():
            names = {"rogers": "Rogers et al. allow", "cks": "CKS", "exact": "the exact ceiling is"}
            shares = {words: _rounds_relative_to_simple(data, name) for name, words in names.items()}
            compared = (
                "; ".join(
                    f"{words} {np.nanmin(share):.2f} to {np.nanmax(share):.2f} times as many as Theorem 4.9"
                    for words, share in shares.items()
                )
                + (".", ", where that allows any.")[bool((simple <= 0).any())]
            )
        # equal counts of zero show nothing
        same = (data.column("whitehouse") == simple).all() and (simple > 0).any()
        last = data.rows()[-1]
        return {
            "compared": compared,
            "also": " Whitehouse et al., with all of delta for the tail, is the same rule as Theorem 4.9."
            * bool(same),
            "ends": ", ".join(
                f"{_COMPARED[name][0]}: {last[name]}" for name in _COLUMNS if last[name] is not None
            ),
        }

    def draw(self, data: FigureData, axes: Sequence[Axes]) -> None:
        top, bottom = axes
        epsilon, scale = data.column("epsilon"), "linear"  # without a round there is no logarithm
        for name, (words, style) in _COMPARED.items():
            rounds = data.column(name)
            scale = "log" if (rounds > 0).any() else scale
            line(top, epsilon, np.where(rounds > 0, rounds, np.nan), label=words, **style)
            line(bottom, epsilon, _rounds_relative_to_simple(data, name), **style)
        top.set(xscale="log", yscale=scale)
        top.legend(fontsize=8.5, loc="upper left", handlelength=3.0, labelspacing=0.25)
        bottom.set(xscale="log", ylim=(0, 2.5))
        for ax in axes:
            number_ticks(ax, (0.1, 0.25, 0.5, 1, 2, 5, 10), epsilon)


def _rounds_relative_to_simple(data: FigureData, column: str) -> NDArray[np.float64]:
    """Return the rounds divided by those of B* by the simple conversion; NaN if it allows none."""
    simple = data.column("simple")
    return np.where(simple > 0, data.column(column) / np.maximum(simple, 1), np.nan)
