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
from functools import partial
from itertools import count, takewhile
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from filters import NaturalFilter, knowingly
from filters.rules.composition import composed_hockey_stick
from mc.losses.log_ratio import LogRatio
from mc.worst_case.solve import worst_case
from reports.figures.data import FigureData
from reports.figures.lines import colour, label, line
from reports.figures.paper_figure import PaperFigure, Source
from reports.figures.specification import (
    Specification,
    check_count_to,
    check_probability,
    check_several,
    checked,
)
from theory.pairs import RandomizedResponse

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["NATURAL_ROUNDS"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _NaturalRounds(Specification):
    """The menu of m parts is RR at 1, 2, 4, ... up to m times log(1 + 1/m), and e^epsilon = (1 + 1/m)^(2m).

    So epsilon comes near 2 from below, and as m grows more rounds of the least request fit: at most `rounds` of them,
    or the point is left out.
    """

    parts: tuple[int, ...] = checked(
        (3, 4, 5, 6, 7, 8, 10),
        check_several,
        check=partial(check_count_to, most=16, least=2, remedy="a finer game takes long"),
        least=1,
        most=12,
    )
    deltas: tuple[float, ...] = checked(
        (1e-4, 1e-3, 1e-2),
        check_several,
        check=partial(check_probability, low=1e-9, high=0.5),
        least=1,
        most=4,
    )
    rounds: int = checked(44, check_count_to, most=60, remedy="a longer game takes long")
    QUICK: ClassVar[Mapping[str, Any]] = {"parts": (4, 5, 6), "deltas": (1e-3, 1e-2)}


class _Point(NamedTuple):
    """A solved game: the parts of its menu, epsilon, the delta promised and that reached, exact, and the rounds."""

    parts: int
    epsilon: float
    delta: float
    promised: Fraction
    reached: Fraction
    rounds: int


def _solved(parts: int, delta: float, most: int) -> _Point | None:
    """None where the least request fits more than `most` times."""
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
    return _Point(parts, math.log(ratio), delta, promised, worst.value, rounds)


def _data(spec: _NaturalRounds) -> FigureData:
    solved = [_solved(parts, delta, spec.rounds) for delta in spec.deltas for parts in spec.parts]
    points = [point for point in solved if point is not None]
    return FigureData.of(
        parts=[point.parts for point in points],
        epsilon=[point.epsilon for point in points],
        delta=[point.delta for point in points],
        rounds=[point.rounds for point in points],
        reached=[float(point.reached) for point in points],
        reached_exact=[str(point.reached) for point in points],
        times=[float(point.reached / point.promised) for point in points],
    )


def _caption(spec: _NaturalRounds, data: FigureData) -> str:
    if not len(data):
        return f"No game has at most {spec.rounds} rounds: pass fewer parts, or a smaller delta."
    worst = data.rows()[int(np.argmax(data.column("times")))]
    return (
        "The delta that the worst adversary reaches on the natural filter, over the delta promised. The menu is "
        "randomised response at 1, 2, 4, ... times log(1 + 1/m), and e^epsilon = (1 + 1/m)^(2m): the finer it is, the "
        "more rounds fit. Each point is an exact game, in rationals, played to the end. "
        f"With {worst['rounds']:.0f} rounds of the least request at delta = {worst['delta']:g} the adversary reaches "
        f"{worst['times']:.4g} times the promise. Regehr and others (2026) state that both parameters grow by "
        "powers of logarithms at most, which is not proved here; these games are of these menus alone."
    )


def _alt(spec: _NaturalRounds, data: FigureData) -> str:
    ends = []
    for delta in spec.deltas:
        rows = [row for row in data.rows() if row["delta"] == delta]
        if rows:
            ends.append(
                f"at delta {delta:g} from {rows[0]['times']:.3g} after {rows[0]['rounds']:.0f} rounds to "
                f"{rows[-1]['times']:.3g} after {rows[-1]['rounds']:.0f}"
            )
    return "Rising curves of how many times its delta the natural filter gives up, over rounds: " + (
        ("; ".join(ends) or "none") + "."
    )


def _draw(spec: _NaturalRounds, data: FigureData, axes: Sequence[Axes]) -> None:
    (ax,) = axes
    ax.axhline(1, color=colour(-1), lw=1.2, ls=":")
    for k, delta in enumerate(spec.deltas):
        here = data.column("delta") == delta
        rounds, times = data.column("rounds")[here], data.column("times")[here]
        if len(rounds):
            line(ax, rounds, times, k, lw=1.8, marker="o", ms=5)
            label(ax, (rounds[-1], times[-1]), f"delta = {delta:g}", k, offset=(6, 6))
    ax.set(
        xlabel="rounds of the least request that fit",
        ylabel="delta reached / delta promised",
        title="What adaptivity gains",
    )
    ax.margins(x=0.22)


NATURAL_ROUNDS = PaperFigure(
    name="natural-rounds",
    title="What adaptivity gains on the natural filter as its rounds grow",
    source=Source(
        "000",
        "no figure: what a filter without a proof gives up",
        "Section 3",
    ),
    specification=_NaturalRounds,
    data=_data,
    draw=_draw,
    caption=_caption,
    alt=_alt,
)
