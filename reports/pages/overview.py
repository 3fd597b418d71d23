"""The front page's table and picture: every filter, its promise, its verdict, and how near it comes."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from matplotlib.lines import Line2D

from mc.examine.examination import Examination
from mc.examine.measure import exceeds
from mc.examine.witness import Witness
from reports.drawing import INK, NARROW, PALETTE, new_figure
from reports.finding import Finding, Picture
from reports.pages.page import Badge
from reports.pages.played import Played
from reports.pages.subject import PageSubject
from reports.pages.subjects import SUBJECTS
from reports.shown.numbers import percent
from reports.witness_words import witness_words
from theory.evidence import Evidence, Outcome, Verdict

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Row", "alt", "counted", "overview", "picture"]

_BLUE, _RED, _GREEN, _BAR = (PALETTE[place] for place in (0, 1, 2, 4))
#: The range of the picture, in shares of the promise; what lies outside is drawn as an arrow at its edge.
_LEAST, _MOST = 1e-3, 150.0
#: What the kernel's theorems cover, in the words of their scope.
_FINITE = "mechanisms with finitely many outcomes"


@dataclass(frozen=True, slots=True)
class Row:
    """A filter on the front page; worst, attack and simulated are shares of the promised delta at the game's epsilon.

    attack is the largest lower bound on delta found by the games, sequences and searches of its examination and by the
    page's own game; worst bounds every adversary on the page's menu.
    """

    subject: PageSubject
    promise: str
    verdict: Verdict
    played: Played
    examination: Examination | None
    witness: str

    @property
    def badge(self) -> Badge:
        return Badge.of(self.verdict)

    @property
    def evidence(self) -> str:
        """How the verdict is known; nothing is claimed of an undecided promise."""
        if self.verdict.outcome is Outcome.UNDECIDED:
            return ""
        return "a cited theorem" if self.verdict.evidence is Evidence.CITED else self.verdict.evidence.name

    @property
    def worst(self) -> float:
        return self.played.main.share

    @property
    def attack(self) -> float:
        return max(share for share, _ in self._attacks())

    @property
    def attacked_on(self) -> str:
        """Where the best attack was found."""
        return max(self._attacks(), key=lambda one: one[0])[1]

    def _attacks(self) -> list[tuple[float, str]]:
        menu = ", ".join(dict.fromkeys(type(pair).__name__ for pair in self.subject.menu))
        found = [
            (one.low / one.promised, f"{menu} at epsilon={one.epsilon:.4g}")
            for one in (self.played.main, *self.played.curve)
        ]
        if self.examination is not None:
            found += [
                (row.share, f"{row.menu} at epsilon={row.measure.at:.4g}")
                for row in self.examination.tightness
                if row.measure.kind == "hockey-stick"
            ]
        return found

    @property
    def simulated(self) -> tuple[float, float, float]:
        """Estimate, lower and upper end."""
        one = self.played.at_main
        return tuple(x / one.promised for x in (one.estimate.value, one.estimate.low, one.estimate.high))  # type: ignore[return-value]

    @property
    def says(self) -> str:
        """The verdict in a line: what the witness reaches, what a kept promise rests on, or how near it came."""
        if self.verdict.outcome is Outcome.REFUTED:
            return f"Witness: {_short(self.verdict.detail)}."
        if self.verdict.outcome is Outcome.HOLDS:
            cited = "; ".join(one.partition(";")[0] for one in self.verdict.citations)
            covered = self.verdict.scope.partition(";")[0]
            covered = (
                _FINITE if _FINITE in covered else covered
            )  # the page of the filter has all of the scope
            return f"A theorem joined to the code that runs, for {covered}{f'; it cites {cited}' if cited else ''}."
        left = self.examination.unseen if self.examination is not None else ""
        return (
            f"Nothing found above the promise, which proves nothing; closest {percent(self.attack)} of delta."
            f"{f' Not tried: {left}.' if left else ''}"
        )


def _short(detail: str) -> str:
    """The sentence of a witness with fractions of many digits as decimals alone."""
    return re.sub(r"\d{7,}/\d{7,} = ", "", detail.rstrip("."))


def overview(
    findings: Mapping[str, Finding], played: Mapping[str, Played], examinations: Mapping[str, Examination]
) -> tuple[Row, ...]:
    """A row for every subject, in the order of the catalogue of pages."""
    rows = []
    for subject in SUBJECTS:
        filt, verdict = subject.make(), findings[subject.decided_by].verdict
        shown = "" if verdict.witness is None else witness_words(Witness(filt, verdict.witness))
        rows.append(
            Row(
                subject,
                str(filt.promise),
                verdict,
                played[subject.name],
                examinations.get(subject.name),
                shown,
            )
        )
    return tuple(rows)


def counted(rows: Sequence[Row]) -> str:
    """The answer in a sentence."""
    holds, refuted, undecided = (
        sum(row.verdict.outcome is outcome for row in rows)
        for outcome in (Outcome.HOLDS, Outcome.REFUTED, Outcome.UNDECIDED)
    )
    return (
        f"Of {len(rows)} filters, {holds} keep their promise by a theorem joined to the code that runs, for the "
        f"mechanisms in the table, {refuted} break it, each with a witness to replay, and {undecided} are undecided: "
        "nothing was found above their promise, which proves nothing."
    )


def picture(rows: Sequence[Row], *, wide: bool) -> Picture:
    """Every filter on one log axis of delta, in units of what it promised."""
    width, height = (10.0, 5.7) if wide else (NARROW, 8.6)
    with new_figure(width, height) as figure:
        ax = figure.subplots()
        ax.axvspan(1.0, _MOST, color=_RED, alpha=0.08, lw=0)
        ax.axvline(1.0, color=INK, lw=1.6)
        for y, row in zip(reversed(range(len(rows))), rows, strict=True):
            _draw(ax, y, row, wide=wide)
        ax.set(xscale="log", xlim=(_LEAST, _MOST), ylim=(-0.7, len(rows) - 0.2))
        ticks = (1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0)
        ax.set_xticks(ticks, ["0.1 %", "1 %", "10 %", "the promise", "× 10", "× 100"])
        ax.tick_params(axis="y", length=0)
        ax.grid(axis="y", visible=False)
        ax.spines["left"].set_visible(False)
        ax.set_xlabel("delta, in units of what was promised")
        if wide:
            ax.set_yticks(range(len(rows)), [row.subject.name for row in reversed(rows)])
        else:
            ax.set_yticks([])
        figure.legend(handles=_legend(), loc="outside upper left", ncols=4 if wide else 2, handletextpad=0.4)
    return Picture("overview" if wide else "overview_narrow", _CAPTION, alt(rows), figure)


_CAPTION = (
    "Left of the line a promise is kept, right of it broken. A diamond is the certified worst case: every adversary on "
    "the menu of the filter's page. A bar is the simulated interval of that menu's best strategy. A dot is the best "
    "attack found there or by the examination, which may use other mechanisms and another epsilon. The nearer to the "
    "line, the tighter the promise."
)


def _draw(ax: Axes, y: int, row: Row, *, wide: bool) -> None:
    broken = exceeds(row.attack, 1.0)
    colour = _RED if broken else _BLUE
    ax.plot([_LEAST, _MOST], [y, y], color="#e3e7eb", lw=0.8, zorder=0)
    _, low, high = row.simulated
    if high > _LEAST:
        ends = max(low, _LEAST), min(high, _MOST)
        ax.plot(ends, [y, y], color=_BAR, lw=5, solid_capstyle="butt", zorder=1)
        ax.plot(ends, [y, y], "|", color=_BAR, ms=11, mew=1.6, zorder=1)
    ax.plot(_held(row.worst), y, "D", ms=9, mfc="none", mew=1.7, color=_GREEN, zorder=3)
    ax.plot(_held(row.attack), y, "X" if broken else "o", ms=6.5, color=colour, zorder=4)
    if not wide:
        ax.text(_LEAST, y + 0.36, row.subject.name, fontsize=9.5, va="center", color=INK)
    at = _held(max(row.attack, row.worst))
    words = percent(row.attack)
    left = at > 20
    ax.annotate(
        words,
        (at, y),
        xytext=(-9 if left else 9, 0),
        textcoords="offset points",
        ha="right" if left else "left",
        va="center",
        fontsize=9,
        color=colour if broken else INK,
        fontweight="bold" if broken else "normal",
        bbox={"facecolor": "#ffffff", "edgecolor": "none", "pad": 0.8} if at < 1 else None,
        zorder=2,
    )


def _held(share: float) -> float:
    return min(max(share, _LEAST), _MOST) if math.isfinite(share) else _MOST


def _legend() -> list[Line2D]:
    none: dict[str, Any] = {"ls": "none"}
    return [
        Line2D(
            [], [], marker="D", ms=9, mfc="none", mew=1.7, color=_GREEN, label="certified worst case", **none
        ),
        Line2D([], [], marker="o", ms=6.5, color=_BLUE, label="best attack, promise kept", **none),
        Line2D([], [], marker="X", ms=6.5, color=_RED, label="attack that breaks it", **none),
        Line2D([], [], lw=5, solid_capstyle="butt", color=_BAR, label="simulated interval"),
    ]


def alt(rows: Sequence[Row]) -> str:
    """The picture for those who cannot see it."""
    told = "; ".join(f"{row.subject.name} {percent(row.attack)}" for row in rows)
    return f"The best attack found on each filter, as a share of the promised delta: {told}."
