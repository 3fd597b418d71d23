"""The front page: every filter in one table, a row for one epsilon, and in one picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from filterproof.mc.examine.divergence import certainly_exceeds
from filterproof.reports.chapters.filter_chapter import FilterChapter
from filterproof.reports.chapters.filter_page_subjects import FilterPageSubject
from filterproof.reports.drawing import INK, NARROW_INCHES, PALETTE, new_figure, svg_text
from filterproof.reports.finding import Picture
from filterproof.reports.html_repr.numbers import format_share
from filterproof.reports.pages.page import VerdictBadge
from filterproof.theory.evidence import Outcome, Verdict
from filterproof.theory.kernel.kernel_theorems import FINITE_OUTCOMES_SCOPE
from filterproof.theory.numerics.decimals import format_down, format_up
from filterproof.theory.proofs import THEOREMS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

_BLUE, _RED, _GREEN, _BAR = (PALETTE[place] for place in (0, 1, 2, 4))
#: The range of the picture, in shares of the guarantee; what lies outside is drawn at its edge.
_MIN_SHARE, _MAX_SHARE, _RIGHT_EDGE = 1e-2, 120.0, 400.0


@dataclass(frozen=True, slots=True)
class OverviewRow:
    """A filter on the front page; all numbers are shares of `promised`, at one epsilon, or at one order.

    `most` is None where no theorem bounds the divergence; `simulated` are the ends of an interval of n runs, None where
    nothing was simulated. `assumptions` name the mechanisms that the verdict covers.
    """

    subject: FilterPageSubject
    guarantee: str
    verdict: Verdict
    at: str
    promised: float
    least: float
    most: float | None
    simulated: tuple[float, float] | None
    n: int
    assumptions: str

    @classmethod
    def of(cls, chapter: FilterChapter) -> OverviewRow:
        """The row of a filter."""
        main, (least, most) = chapter.main, chapter.main.shares
        ends, n = None, 0
        if (simulated := main.simulated) is not None:
            ends, n = (
                (simulated.estimate.low / simulated.promised, simulated.estimate.high / simulated.promised),
                simulated.estimate.n,
            )
        order = main.measure.kind == "renyi"
        return cls(
            chapter.subject,
            str(chapter.subject.make().promise),
            chapter.verdict,
            f"{'order ' if order else ''}{main.measure.at:.4g}",
            main.promised,
            least,
            most,
            ends,
            n,
            covered_mechanisms_text(chapter.subject, chapter.verdict),
        )

    @property
    def badge(self) -> VerdictBadge:
        return VerdictBadge.of(self.verdict)

    @property
    def evidence(self) -> str:
        """How the verdict is known; nothing is claimed of an undecided guarantee."""
        return "" if self.verdict.outcome is Outcome.UNDECIDED else self.verdict.evidence.name

    @property
    def upper(self) -> str:
        return "" if self.most is None else format_share(self.most, format_up)

    @property
    def lower(self) -> str:
        return format_share(self.least, format_down)

    @property
    def interval(self) -> str:
        if self.simulated is None:
            return ""
        low, high = self.simulated
        return f"{format_share(low, format_down)} to {format_share(high, format_up)}"

    @property
    def runs(self) -> str:
        return f"{self.n:,} runs" if self.n else ""


def covered_mechanisms_text(subject: FilterPageSubject, verdict: Verdict) -> str:
    """Return the mechanisms that a verdict covers; † if the kernel has the rule for any outcomes."""
    if verdict.outcome is Outcome.REFUTED:
        return "none: its own code"
    covered = "finite outcomes" if FINITE_OUTCOMES_SCOPE in verdict.scope else verdict.scope.partition(";")[0]
    general = any(
        f"theorem '{name.removesuffix(_ANY)}'" in verdict.detail for name in THEOREMS if name.endswith(_ANY)
    )
    return f"{covered}{' †' if general else ''}"


_ANY = ", any outcomes"


def counts_sentence(rows: Sequence[OverviewRow]) -> str:
    """Return a sentence with the numbers of filters that hold, are refuted and are undecided."""
    holds, refuted, undecided = (
        sum(row.verdict.outcome is outcome for row in rows)
        for outcome in (Outcome.HOLDS, Outcome.REFUTED, Outcome.UNDECIDED)
    )
    words = [
        f"{holds} of {len(rows)} filters keep their guarantee, by a theorem that covers their code",
        f"{refuted} break it, each with a counterexample that you can replay",
    ]
    if undecided:
        words.append(f"{undecided} are undecided: no violation was found, which is not a proof")
    return f"{'; '.join(words)}."


def overview_picture(rows: Sequence[OverviewRow], *, wide: bool) -> Picture:
    """Every filter on one log axis of what is reached, in units of what is guaranteed."""
    size = (10.0, 1.5 + 0.21 * len(rows)) if wide else (NARROW_INCHES, 1.6 + 0.34 * len(rows))
    with new_figure(*size) as figure:
        ax = figure.subplots()
        ax.axvspan(1.0, _RIGHT_EDGE, color=_RED, alpha=0.08, lw=0)
        ax.axvline(1.0, color=INK, lw=1.6)
        for y, row in zip(reversed(range(len(rows))), rows, strict=True):
            _draw_row(ax, y, row, wide=wide)
        ax.set(xscale="log", xlim=(_MIN_SHARE, _RIGHT_EDGE), ylim=(-0.7, len(rows) - 0.2))
        ax.set_xticks((1e-2, 0.1, 1.0, 10.0, 100.0), ("1 %", "10 %", "the guarantee", "× 10", "× 100"))
        ax.tick_params(axis="y", length=0)
        ax.grid(axis="y", visible=False)
        ax.spines["left"].set_visible(False)
        ax.set_xlabel("privacy loss reached, in units of what is guaranteed")
        names = [row.subject.name for row in reversed(rows)] if wide else []
        ax.set_yticks(range(len(names)), names)
        figure.legend(
            handles=_legend_lines(), loc="outside upper left", ncols=4 if wide else 2, handletextpad=0.4
        )
    name = "overview" if wide else "overview_narrow"
    return Picture(name, _CAPTION, picture_alt(rows), svg_text(figure), size)


_CAPTION = (
    "Right of the line a guarantee is broken. Where a theorem holds, the most that any adversary reaches lies between "
    "dot and diamond, both certified. A cross is an attack that breaks the guarantee. A bar is the simulated interval."
)


def _draw_row(ax: Axes, y: int, row: OverviewRow, *, wide: bool) -> None:
    broken = certainly_exceeds(row.least, 1.0)
    colour = _RED if broken else _BLUE
    ax.plot([_MIN_SHARE, _RIGHT_EDGE], [y, y], color="#e3e7eb", lw=0.8, zorder=0)
    if row.simulated is not None and row.simulated[1] > _MIN_SHARE:
        ends = [_within_axis(end) for end in row.simulated]
        ax.plot(ends, [y, y], color=_BAR, lw=5, solid_capstyle="butt", zorder=1)
        ax.plot(ends, [y, y], "|", color=_BAR, ms=11, mew=1.6, zorder=1)
    if row.most is not None:
        ax.plot([_within_axis(row.least), _within_axis(row.most)], [y, y], color=_GREEN, lw=1.7, zorder=2)
        ax.plot(_within_axis(row.most), y, "D", ms=9, mfc="none", mew=1.7, color=_GREEN, zorder=3)
    ax.plot(_within_axis(row.least), y, "X" if broken else "o", ms=6.5, color=colour, zorder=4)
    if not wide:
        ax.text(_MIN_SHARE, y + 0.36, row.subject.name, fontsize=9.5, va="center", color=INK)
    at = _within_axis(max(row.least, row.most or 0.0))
    box = {"facecolor": "#ffffff", "edgecolor": "none", "pad": 0.8} if at < 1 else None
    look: dict[str, Any] = {"fontweight": "bold" if broken else "normal", "color": colour if broken else INK}
    look |= {"fontsize": 9, "ha": "left", "va": "center", "bbox": box, "zorder": 2}
    ax.annotate(range_text(row), (at, y), xytext=(9, 0), textcoords="offset points", **look)


def _within_axis(share: float) -> float:
    """Clip a share of the guarantee to the range of the axis."""
    return min(max(share, _MIN_SHARE), _MAX_SHARE) if math.isfinite(share) else _MAX_SHARE


def _legend_lines() -> list[Line2D]:
    from matplotlib.lines import Line2D

    looks: dict[str, dict[str, Any]] = {
        "certified, at most": {"marker": "D", "ms": 9, "mfc": "none", "mew": 1.7, "color": _GREEN},
        "certified, at least": {"marker": "o", "ms": 6.5, "color": _BLUE},
        "attack that breaks it": {"marker": "X", "ms": 6.5, "color": _RED},
        "simulated interval": {"ls": "-", "lw": 5, "solid_capstyle": "butt", "color": _BAR},
    }
    return [Line2D([], [], label=label, **{"ls": "none", **look}) for label, look in looks.items()]


def picture_alt(rows: Sequence[OverviewRow]) -> str:
    """The picture for those who cannot see it."""
    rows_text = "; ".join(f"{row.subject.name} {range_text(row)}" for row in rows)
    return f"What the worst known adversary reaches, as a share of what is guaranteed: {rows_text}."


def range_text(row: OverviewRow) -> str:
    """The two ends where they differ as they are read, else the one number."""
    low = format_share(row.least, format_down)
    high = low if row.most is None else format_share(row.most, format_up)
    return low if low == high else f"{low} to {high}"
