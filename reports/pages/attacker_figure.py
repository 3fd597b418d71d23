"""What an attacker gets, on a filter's page: promised, certified, and simulated, in words, as numbers, in a picture."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from mc.examine.supremum import supremum
from reports.drawing import INK, PALETTE, new_figure
from reports.finding import Picture
from reports.pages.overview import Row
from reports.shown.numbers import above, interval, percent
from theory.attacker import AttackerBound, AttackerCurve, attacker_bound
from theory.shown import Row as Cells

__all__ = ["AttackerShown"]

_BLUE, _GREEN, _BAR = (PALETTE[place] for place in (0, 2, 4))
#: The least false alarms that are drawn, and those at which hits are told.
_LEAST, _TOLD = 1e-5, 1e-3
_ALARMS = np.geomspace(_LEAST, 1.0, 121)
_TICKS = tuple(10.0**k for k in range(-5, 1))


class AttackerShown:
    """A row of the front page in the units of who guesses membership; see `theory.attacker` for the bounds.

    Over all mechanisms where a theorem bounds them, by what the filter keeps; on the menu of the page by its solved
    game; simulated, the game's best strategy, from plain paths. No curve below is above one before it.
    """

    def __init__(self, row: Row) -> None:
        self.row, filt = row, row.subject.make()
        self._promise = filt.promise

        @cache
        def promised(at: float) -> float:
            return self._promise.extremal(at).high

        @cache
        def kept(at: float) -> float:
            one = row.played.supremum
            return one.high if at == one.epsilon else supremum(filt, at).high

        self.bounds: dict[str, AttackerBound] = {"promised": attacker_bound(self._promise, promised)}
        self.curves: dict[str, AttackerCurve] = {}
        if row.most is not None:
            name = "certified for all mechanisms"
            places = {row.played.supremum.epsilon, 2 * row.played.supremum.epsilon}

            def most(at: float) -> float:
                places.add(at)
                return kept(at)

            self.bounds[name] = attacker_bound(self._promise, most)
            self.curves[name] = AttackerCurve(tuple((at, kept(at)) for at in sorted(places)))
        solved = tuple((one.epsilon, one.high) for one in row.played.curve)
        self.curves["certified on this menu"] = AttackerCurve(solved, both=row.subject.direction == "both")

    @property
    def words(self) -> str:
        """The advantage and the hits at one false alarm in a thousand, of each bound and of the simulation."""
        most = [(name, one.advantage, one.hits) for name, one in self.bounds.items()]
        menu = self.curves["certified on this menu"]
        most.append(("certified on this menu", menu.advantage, menu.hits(_TOLD)))
        told = "; ".join(
            f"{name}, an advantage of at most {percent(advantage, above)} and, at one false alarm in a thousand, "
            f"{percent(hits, above)} of hits"
            for name, advantage, hits in most
        )
        return f"{told}.".capitalize() + self._drawn()

    def _drawn(self) -> str:
        tests = self.row.played.tests
        if tests is None or tests.advantage is None:
            return ""
        one = tests.advantage
        hits = interval(tests.hits_low(_TOLD), tests.hits_high(_TOLD), 3)
        return (
            f" Simulated, the game's best strategy, {one.n:,} runs: an advantage of {percent(one.value)}, in "
            f"{interval(one.low, one.high, 3)}, and hits in {hits}, at confidence 1 - {tests.failure:.0e}."
        )

    def rows(self) -> Iterator[Cells]:
        """Every bound, every curve at its false alarms, and every simulated test."""
        for name, bound in self.bounds.items():
            yield from ({"bound": name, **cells} for cells in bound.rows())
        for name, curve in self.curves.items():
            yield from ({"curve": name, **cells} for cells in curve.rows())
        if (tests := self.row.played.tests) is not None and tests.advantage is not None:
            one = tests.advantage
            drawn = {"advantage": one.value, "advantage_low": one.low, "advantage_high": one.high}
            ends = {"hits_low": tests.hits_low(_TOLD), "hits_high": tests.hits_high(_TOLD)}
            yield {"bound": "simulated", **drawn, "false_alarms": _TOLD, **ends, "runs": one.n}
            yield from ({"curve": "simulated", **cells} for cells in tests.rows())

    def picture(self) -> Picture:
        """Hits against false alarms: lines that no test passes, and the tests that were simulated, with intervals."""
        with new_figure(height=3.4) as figure:
            ax = figure.subplots()
            ax.plot(_ALARMS, self._promised(), color=INK, lw=1.6, label="promised, at most")
            styles = {"certified for all mechanisms": (_BLUE, "-"), "certified on this menu": (_GREEN, "--")}
            for name, curve in self.curves.items():
                colour, dashes = styles[name]
                hits = [curve.hits(float(a)) for a in _ALARMS[::4]]
                ax.plot(_ALARMS[::4], hits, dashes, color=colour, lw=1.3, label=f"{name}, at most")
            ax.plot(_ALARMS, _ALARMS, ":", color=INK, lw=0.8, label="guessing")
            tests = self.row.played.tests
            seen = [
                (one.false_alarms, one.hits)
                for one in (tests.at if tests is not None else ())
                if one.false_alarms.value > _LEAST and one.hits.value > _LEAST
            ]
            if seen:
                ax.errorbar(
                    [x.value for x, _ in seen],
                    [y.value for _, y in seen],
                    xerr=np.array([(x.value - max(x.low, _LEAST), x.high - x.value) for x, _ in seen]).T,
                    yerr=np.array([(y.value - max(y.low, _LEAST), y.high - y.value) for _, y in seen]).T,
                    fmt="none",
                    ecolor=_BAR,
                    elinewidth=3.5,
                    label="its best strategy, simulated",
                )
            ax.set(xscale="log", yscale="log", xlabel="false alarms, alpha", ylabel="hits, 1 - beta")
            ax.set(xlim=(_LEAST, 1.0), ylim=(_LEAST, 1.3))
            ax.set(xticks=_TICKS, xticklabels=map("{:g}".format, _TICKS))
            ax.set(yticks=_TICKS, yticklabels=map("{:g}".format, _TICKS))
            ax.minorticks_off()
            ax.legend(fontsize=9, loc="lower right")
        return Picture(f"{self.row.subject.key}-attacker", _CAPTION, self._alt(), figure)

    def _promised(self) -> np.ndarray:
        """The most hits that the promise leaves, in doubles, from its deltas at many epsilons."""
        epsilons = np.concatenate((np.linspace(0.0, 6.0, 121), np.linspace(6.2, 21.0, 75)))
        delta = np.array([float(self._promise.delta(float(at))) for at in epsilons])[:, None]
        growth = np.exp(epsilons)[:, None]
        lines = np.minimum(growth * _ALARMS + delta, 1 - (1 - _ALARMS - delta) / growth)
        return np.asarray(np.minimum(lines.min(axis=0), 1.0))

    def _alt(self) -> str:
        told = "; ".join(f"{name} {curve.hits(_TOLD):.3g}" for name, curve in self.curves.items())
        most = self.bounds["promised"].hits
        return f"{self.row.subject.name}: hits at one false alarm in a thousand: promised {most:.3g}; {told}."


_CAPTION = (
    "Of everybody who guesses from the transcript whether a person is in: the share of right accusations against that "
    "of false ones (riskcal's alpha, and one minus its beta). No test passes a line; crosses are tests of the loss "
    "against fixed thresholds, with intervals in both directions."
)
