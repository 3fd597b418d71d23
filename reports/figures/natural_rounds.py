"""What adaptivity gains on the natural filter as its rounds grow: exact games over ever finer menus.

>>> import filterproof as fp
>>> rows = fp.figure("natural-rounds", parts=(4, 6), deltas=0.01).data.rows()
>>> [(int(row["rounds"]), round(row["times"], 4)) for row in rows]
[(14, 1.4999), (30, 1.7122)]
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count, takewhile
from typing import TYPE_CHECKING, Any, ClassVar

from filters import NaturalFilter, knowingly
from filters.rules.composition import composed_hockey_stick
from mc.losses.log_ratio import LogRatio
from mc.worst_case.solve import worst_case
from reports.figures.data import FigureData
from reports.figures.lines import colour, line
from reports.figures.specification import Specification, probabilities, whole, wholes
from theory.pairs import RandomizedResponse

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["NaturalRounds"]

_COLUMNS = ("parts", "epsilon", "delta", "rounds", "reached", "reached_exact", "times")


@dataclass(frozen=True, slots=True, kw_only=True)
class NaturalRounds(Specification):
    """The menu of m parts is RR at 1, 2, 4, ... up to m times log(1 + 1/m), and e^epsilon = (1 + 1/m)^(2m).

    So epsilon comes near 2 from below, and as m grows more rounds of the least request fit: at most `rounds` of them,
    or the point is left out.
    """

    parts: tuple[int, ...] = wholes(
        (3, 4, 5, 6, 7, 8, 10), highest=16, least=2, remedy="a finer game takes long", most=12
    )
    deltas: tuple[float, ...] = probabilities((1e-4, 1e-3, 1e-2), 1e-9, 0.5, most=4)
    rounds: int = whole(44, most=60, remedy="a longer game takes long")
    QUICK: ClassVar[Mapping[str, Any]] = {"parts": (4, 5, 6), "deltas": (1e-3, 1e-2)}

    def data(self) -> FigureData:
        solved = (_solved(parts, delta, self.rounds) for delta in self.deltas for parts in self.parts)
        return FigureData.of_rows([row for row in solved if row is not None], names=_COLUMNS)

    def words(self, data: FigureData) -> dict[str, Any]:
        if not len(data):
            return {"ends": "none"}
        ends = [
            f"at delta {delta:g} from {rows[0]['times']:.3g} after {rows[0]['rounds']:.0f} rounds to "
            f"{rows[-1]['times']:.3g} after {rows[-1]['rounds']:.0f}"
            for delta in self.deltas
            if (rows := data.where("delta", delta).rows())
        ]
        return {"worst": data.rows()[int(data.column("times").argmax())], "ends": "; ".join(ends)}

    def draw(self, data: FigureData, axes: Sequence[Axes]) -> None:
        (ax,) = axes
        ax.axhline(1, color=colour(-1), lw=1.2, ls=":")
        for k, delta in enumerate(self.deltas):
            here = data.where("delta", delta)
            if len(here):
                look: dict[str, Any] = {"lw": 1.8, "marker": "o", "ms": 5, "offset": (6, 6)}
                line(ax, here.column("rounds"), here.column("times"), k, text=f"delta = {delta:g}", **look)
        ax.margins(x=0.22)


def _solved(parts: int, delta: float, most: int) -> dict[str, Any] | None:
    """A solved game; None where the least request fits more than `most` times."""
    base, promised = 1 + Fraction(1, parts), Fraction(str(delta))
    ratio = base ** (2 * parts)
    levels = takewhile(lambda level: level <= parts, (2**k for k in count()))
    menu = tuple(RandomizedResponse.from_ratio(base**level) for level in levels)

    def fits(n: int) -> bool:
        return composed_hockey_stick(menu, (n,) + (0,) * (len(menu) - 1), ratio) <= promised

    rounds = next((n for n in range(most + 1) if not fits(n + 1)), None)
    if rounds is None:
        return None
    with knowingly():
        filt = NaturalFilter.from_ratio(ratio, promised, menu)
    worst = worst_case(filt, menu, epsilon=LogRatio(ratio), rounds=rounds)
    assert worst.value is not None
    reached = worst.value
    cells = (parts, math.log(ratio), delta, rounds, float(reached), str(reached), float(reached / promised))
    return dict(zip(_COLUMNS, cells, strict=True))
