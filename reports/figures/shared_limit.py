"""What a limit that sites share costs and saves: exact games over the budgets of one device.

>>> import filterproof as fp
>>> rows = fp.figure("shared-limit", sites=2).data.rows()
>>> [(row["limit"], row["together_exact"], row["left"]) for row in rows]
[(1.0, '0', 0.0), (1.5, '4/15', 0.5), (2.0, '12/25', 1.0)]
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from filters.adapters.budget import from_budget
from filters.adapters.labelled import LabelledFilter
from filters.rules.composition import composed_hockey_stick
from mc.worst_case.solve import worst_case
from reports.figures.data import FigureData
from reports.figures.lines import colour, line
from reports.figures.specification import Specification, whole
from theory.guarantees import PureDP
from theory.log_ratio import LogRatio
from theory.pairs import DominatingPair, RandomizedResponse

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: A request costs one or two units of log 2, and a site has two of them.
_UNIT, _OF_A_SITE = math.log(2), 2
_HALF, _WHOLE = RandomizedResponse.from_ratio(2), RandomizedResponse.from_ratio(4)


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedLimit(Specification):
    """So many sites, each with a budget of log 4; the limit that they share grows by halves of it to all of theirs."""

    sites: int = whole(3, most=4, least=2, remedy="a game of more sites takes long")
    QUICK: ClassVar[Mapping[str, Any]] = {"sites": 2}

    def data(self) -> FigureData:
        sites = range(self.sites)
        limits = range(_OF_A_SITE, _OF_A_SITE * self.sites + 1)
        together = [_together(sites, limit) for limit in limits]
        planned = [_planned(sites, limit) for limit in limits]
        # each of the others spends its whole budget first, as far as the limit goes
        left = [min(max(limit - _OF_A_SITE * (self.sites - 1), 0), _OF_A_SITE) for limit in limits]
        return FigureData.of(
            limit=[limit / _OF_A_SITE for limit in limits],
            together=list(map(float, together)),
            together_exact=list(map(str, together)),
            planned=list(map(float, planned)),
            planned_exact=list(map(str, planned)),
            left=[units / _OF_A_SITE for units in left],
        )

    def words(self, data: FigureData) -> dict[str, Any]:
        same = data.column("together_exact").tolist() == data.column("planned_exact").tolist()
        return {
            "gain": "Adapting to each other gains the sites nothing over the best plan fixed in advance, in these "
            "games and not in all: with finer budgets it can"
            if same
            else "Sites that adapt to each other reach more than the best plan fixed in advance, in these games"
        }

    def draw(self, data: FigureData, axes: Sequence[Axes]) -> None:
        seen, left = axes
        limits = data.column("limit")
        planned, together = data.column("planned"), data.column("together")
        line(seen, limits, planned, 1, lw=4, marker="s", ms=8, text="planned", offset=(-8, -16))
        line(seen, limits, together, 0, lw=1.6, marker="o", ms=4, text="adapting", offset=(-8, 8))
        line(left, limits, data.column("left"), 2, lw=1.8, marker="o", ms=5)
        left.axhline(1, color=colour(-1), lw=1.2, ls=":")
        for ax in axes:
            ax.margins(x=0.12, y=0.18)


class _Device:
    """What a device keeps: a budget for each site, and the limit of all of them, in units."""

    def __init__(self, sites: Sequence[int], limit: int) -> None:
        self.left, self.limit = dict.fromkeys(sites, _OF_A_SITE), limit

    def spend(self, pair: DominatingPair) -> bool:
        assert pair.pure_epsilon is not None
        units, site = round(float(pair.pure_epsilon) / _UNIT), pair.labels["site"]
        if units > min(self.left[site], self.limit):
            return False
        self.left[site] -= units
        self.limit -= units
        return True


def _together(sites: Sequence[int], limit: int) -> Fraction:
    """What the sites reach who see each other's answers and adapt, at the epsilon that is promised to each."""
    keeper = from_budget(
        partial(_Device, sites, limit), lambda device, pair: device.spend(pair), PureDP(_UNIT * limit)
    )
    filt = LabelledFilter(keeper, labels={"site": tuple(sites)}, over={}, alike="site")
    menu = [filt.at(pair, site=site) for pair in (_WHOLE, _HALF) for site in sites]
    worst = worst_case(filt, menu, epsilon=LogRatio(Fraction(4)))
    assert worst.value is not None
    return worst.value


def _planned(sites: Sequence[int], limit: int) -> Fraction:
    """What they reach by the best plan that is fixed in advance."""
    plans = [
        (whole, half)
        for whole in range(len(sites) + 1)
        for half in range(_OF_A_SITE * (len(sites) - whole) + 1)
        if _OF_A_SITE * whole + half <= limit
    ]
    return max(composed_hockey_stick((_WHOLE, _HALF), plan, Fraction(4)) for plan in plans)
