"""What an attacker gets, on a filter's page: promised, certified, and simulated, in words and in a picture."""

from __future__ import annotations

import numpy as np

from filterproof.mc.examine.supremum import most_kept
from filterproof.reports.drawing import INK, PALETTE, new_figure
from filterproof.reports.finding import Picture
from filterproof.reports.html_repr.numbers import percent
from filterproof.reports.pages.overview import Row
from filterproof.theory.attacker import AttackerCurve, best_epsilon
from filterproof.theory.numerics.decimals import above, chance, interval

_BLUE, _GREEN, _BAR = (PALETTE[place] for place in (0, 2, 4))
#: Of which mechanisms a bound is.
_ALL, _MENU = "certified for all mechanisms", "certified on this menu"
#: The least false alarms that are drawn, and those at which hits are told.
_LEAST, _TOLD = 1e-5, 1e-3
_ALARMS = np.geomspace(_LEAST, 1.0, 121)
#: Epsilons at which a kept promise bounds the curves between what is drawn.
_KEPT = (0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
_TICKS = tuple(10.0**k for k in range(-5, 1))


class AttackerShown:
    """A row of the front page in the units of who guesses membership; see `filterproof.theory.attacker` for the bounds.

    Over all mechanisms where a theorem bounds them, by what the filter keeps; on the menu of the page by its solved
    game; simulated, the game's best strategy, from plain paths drawn with the person and without. No curve below is
    above one before it.
    """

    def __init__(self, row: Row) -> None:
        self.row, filt = row, row.subject.make()
        promise, over_all = filt.promise, row.played.supremum
        best = best_epsilon(promise, _TOLD)
        promised = {at: promise.extremal(at).high for at in sorted({0.0, best, *_KEPT})}
        self.curves = {"promised": AttackerCurve(tuple(promised.items()))}
        solved = tuple((one.epsilon, one.high) for one in row.played.curve)
        if row.most is not None:  # the row's verdict: a theorem covers this filter
            kept = {at: most_kept(filt.extremal(at), float(promise.delta(at))) for at in (0.0, best)}
            kept |= {over_all.epsilon: over_all.high}
            kept[2 * over_all.epsilon] = most_kept(
                filt.extremal(2 * over_all.epsilon), float(promise.delta(2 * over_all.epsilon))
            )
            # a promise that is kept bounds all mechanisms, too
            self.curves[_ALL] = AttackerCurve(tuple(sorted((promised | kept).items())))
        if (both := row.subject.direction == "both") and _ALL in self.curves:
            solved += self.curves[_ALL].bounds
        self.curves[_MENU] = AttackerCurve(solved, both=both)

    @property
    def words(self) -> str:
        """The advantage and the hits at one false alarm in a thousand, of each bound and of the simulation."""
        told = "; ".join(
            f"{name}, an advantage of at most {percent(one.advantage, above)} and, at one false alarm in a thousand, "
            f"{percent(one.hits(_TOLD), above)} of hits"
            for name, one in self.curves.items()
        )
        told = f"{told}.".capitalize()
        if (band := self.row.played.band) is None:
            return told
        one = band.backward[0.0]
        gains, hits = (
            interval(100 * low, 100 * high, 3)
            for low, high in ((one.low, one.high), (1 - float(band.high(_TOLD)), 1 - float(band.low(_TOLD))))
        )
        return (
            f"{told} Simulated, the game's best strategy, {one.n:,} runs: an advantage of {percent(one.value)}, in "
            f"{gains} %, and hits in {hits} %, at confidence 1 - {chance(band.failure)}."
        )

    def picture(self) -> Picture:
        """Hits against false alarms: lines that no test passes, and the tests that were simulated, with intervals."""
        with new_figure(height=3.4) as figure:
            ax = figure.subplots()
            looks = {"promised": (INK, "-"), _ALL: (_BLUE, "-"), _MENU: (_GREEN, "--")}
            for name, curve in self.curves.items():
                colour, dashes = looks[name]
                hits = [curve.hits(float(a)) for a in _ALARMS[::4]]
                ax.plot(_ALARMS[::4], hits, dashes, color=colour, lw=1.3, label=f"{name}, at most")
            ax.plot(_ALARMS, _ALARMS, ":", color=INK, lw=0.8, label="guessing")
            if (band := self.row.played.band) is not None:
                low, high = (np.maximum(1 - end, _LEAST) for end in (band.high(_ALARMS), band.low(_ALARMS)))
                label = "its best strategy, simulated"
                ax.fill_between(_ALARMS, low, high, color=_BAR, alpha=0.4, label=label)
            ax.set(xscale="log", yscale="log", xlabel="false alarms, alpha", ylabel="hits, 1 - beta")
            ax.set(xlim=(_LEAST, 1.0), ylim=(_LEAST, 1.3))
            for set_ticks in (ax.set_xticks, ax.set_yticks):
                set_ticks(_TICKS, list(map("{:g}".format, _TICKS)))
            ax.minorticks_off()
            ax.legend(fontsize=9, loc="lower right")
        told = "; ".join(f"{name} {above(curve.hits(_TOLD), 3)}" for name, curve in self.curves.items())
        alt = f"{self.row.subject.name}: hits at one false alarm in a thousand: {told}."
        return Picture(f"{self.row.subject.key}-attacker", _CAPTION, alt, figure)


_CAPTION = (
    "Of everybody who guesses from the transcript whether a person is in: the share of right accusations against that "
    "of false ones (riskcal's alpha, and one minus its beta). No test passes a line; the band holds the hits of "
    "the best test of the strategy that was simulated."
)
