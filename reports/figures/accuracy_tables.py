"""Tables 1 to 3 of Feldman & Zrnic on other data, beside their printed numbers.

>>> import filterproof as fp
>>> shown = fp.figure("000-table-1", epsilons=0.3, at=2, further=1, copies=1, trials=2)
>>> len(shown.data.where("panel", "active"))
4
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from filterproof.mc.training.paper_tables import TABLES, TableSetting
from filterproof.reports.figures.figure_data import FigureData
from filterproof.reports.figures.specification import PrintedAndComputed, integer_parameter, real_parameters
from filterproof.reports.figures.stand_in import PLAIN, AccuracyByEpoch
from filterproof.reports.figures.trials import FilteredDescent, TrialOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Table(AccuracyByEpoch):
    """Table 1, 2 or 3 of Feldman & Zrnic: their epsilons, noises, steps, factors and rule to stop, on other data.

    Filtering begins after the steps of the paper, or after `at` steps if that is not zero. The gain is that of the
    query with the best training accuracy. The settings are those with further steps in the paper.
    """

    table: int = integer_parameter(1, most=3)
    epsilons: tuple[float, ...] = real_parameters((0.3, 0.5, 1.0), 0.3, 1.0, most=3)
    at: int = integer_parameter(0, most=10_000, least=0)
    further: int = integer_parameter(35, most=10_000)
    copies: int = integer_parameter(42, most=1000)
    mislabelled: int = integer_parameter(0, most=100, least=0)

    FREE = ("table",)
    STEPS = "plain gradient descent"

    def check_together(self) -> None:
        if not self._played():
            raise ValueError(
                f"epsilons must have an epsilon of table {self.table} with further steps, got {self.epsilons!r}; pass "
                "0.3, 0.5 or, of the tables 2 and 3, 1.0"
            )

    def _played(self) -> list[tuple[TableSetting, TableSetting]]:
        """Return the settings of the table with filtering, and the tuned setting of each."""
        return [
            (setting, tuned)
            for setting in TABLES
            for tuned in TABLES
            if (setting.table, setting.further, tuned.table) == (self.table, True, 1)
            and tuned.epsilon == setting.epsilon
            and setting.epsilon in self.epsilons
        ]

    def settings(self) -> dict[str, FilteredDescent]:
        clip, rate = PLAIN
        return self._named_settings(
            (
                setting.epsilon,
                multiple,
                {
                    "sigma": setting.sigma * ((self.at or setting.steps) / setting.steps) ** 0.5,
                    "clip": clip * multiple * setting.clip / tuned.clip,
                    "rate": rate * self.rate,
                    "at": self.at or setting.steps,
                },
            )
            for setting, tuned in self._played()
            for multiple in self.clips
        )

    def paper_observations(self, outcome: TrialOutcome) -> Mapping[str, float]:
        _, at_best = max(outcome.queries, key=lambda query: query[0])
        return {"gain": 100 * (at_best - outcome.queries[0][1])}

    def printed(self, data: FigureData) -> Sequence[PrintedAndComputed]:
        return [
            PrintedAndComputed(
                f"points gained by filtering on MNIST at epsilon = {setting.epsilon:g}",
                round(setting.filtered - setting.unfiltered, 2),
                data.number(f"gain of epsilon = {setting.epsilon:g}"),
                "a stand-in: computed on digits",
            )
            for setting, _ in self._played()
        ]
