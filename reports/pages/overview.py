"""The front page's table and picture: every filter, its promise, its verdict, and how near it comes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from filterproof.mc.examine.counterexample import Counterexample
from filterproof.mc.examine.divergence import exceeds
from filterproof.mc.examine.examination import Examination
from filterproof.mc.examine.formatting import times_words
from filterproof.mc.examine.supremum import Supremum
from filterproof.reports.drawing import INK, NARROW, PALETTE, new_figure
from filterproof.reports.finding import Finding, Picture
from filterproof.reports.html_repr.numbers import percent
from filterproof.reports.pages.page import Badge
from filterproof.reports.pages.page_subjects import SUBJECTS, PageSubject
from filterproof.reports.pages.simulated_games import Played, SolvedPoint
from filterproof.theory.evidence import Evidence, Outcome, Verdict
from filterproof.theory.kernel.kernel_theorems import FINITE
from filterproof.theory.pairs import DominatingPair

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

_BLUE, _RED, _GREEN, _BAR = (PALETTE[place] for place in (0, 1, 2, 4))
#: The range of the picture, in shares of the promise; what lies outside is drawn as an arrow at its edge.
_LEAST, _MOST, _EDGE = 1e-3, 150.0, 170.0


@dataclass(frozen=True, slots=True)
class Row:
    """A filter on the front page; least, most, attack and simulated are shares of the promised delta.

    Over all mechanisms that the filter covers, at the epsilon of its page, the largest share is at least `least` and at
    most `most`, None where no theorem bounds it. attack is the largest lower bound known at any epsilon: by mechanisms
    that are extremal for the rule, the page's game, and the games, sequences and searches of its examination.
    """

    subject: PageSubject
    promise: str
    verdict: Verdict
    played: Played
    examination: Examination | None
    counterexample: Counterexample | None

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
    def most(self) -> float | None:
        if self.verdict.outcome is not Outcome.HOLDS:
            return None
        return self.played.supremum.high / self.played.supremum.promised

    @property
    def least(self) -> float:
        """Of a promise that is kept, at the epsilon of the page; of others the best attack at any."""
        if self.most is None:
            return self.attack
        here = self.played.supremum.epsilon
        return max(share for share, epsilon, _ in self._attacks() if abs(epsilon - here) <= 1e-9 * here)

    @property
    def attack(self) -> float:
        return self._best[0]

    @property
    def attacked_on(self) -> str:
        """Where the best attack was found."""
        return f"{self._best[2]} at epsilon={self._best[1]:.4g}"

    @property
    def _best(self) -> tuple[float, float, str]:
        return max(self._attacks(), key=lambda one: one[0])

    def _attacks(self) -> list[tuple[float, float, str]]:
        """(Share of the promise, epsilon, mechanisms) of every lower bound that is known."""
        played, over_all = self.played, self.played.supremum
        extremal = f"the extremal {_kinds(pair for pair, _ in over_all.steps)}"
        games: list[tuple[SolvedPoint | Supremum, str]] = [
            *((one, _kinds(self.subject.menu)) for one in (played.main, *played.curve)),
            (over_all, extremal),
        ]
        near = () if self.examination is None else self.examination.tightness
        return [
            *((one.low / one.promised, one.epsilon, by) for one, by in games),
            *((one.share, one.measure.at, one.menu) for one in near if one.measure.kind == "hockey-stick"),
        ]

    @property
    def simulated(self) -> tuple[float, float, float]:
        """Estimate, lower and upper end: of the extremal mechanisms where the promise is kept, else of the game."""
        kept = self.verdict.outcome is Outcome.HOLDS
        one = (kept and self.played.extremal) or self.played.at_main
        drawn, promised = one.estimate, one.promised
        return drawn.value / promised, drawn.low / promised, drawn.high / promised

    @property
    def line(self) -> str:
        """The verdict in a line; the page of the filter says the rest of it."""
        if self.counterexample is not None:
            times = (
                times_words(self.counterexample.value, self.counterexample.promised) or "above the promise"
            )
            chosen = "adaptively" if self.counterexample.adaptive else "by a fixed plan"
            at = f"epsilon={self.counterexample.measure.at:.4g}"
            return f"Counterexample: {times} at {at}, {chosen}."
        if self.verdict.outcome is Outcome.UNDECIDED:
            return "No violation found. This is not a proof; the filter's page lists what was not tried."
        return self.says

    @property
    def says(self) -> str:
        """The verdict in words: what the counterexample reaches, what a kept promise rests on, or how near it came."""
        if self.verdict.outcome is Outcome.REFUTED:
            return f"Counterexample: {_short(self.verdict.detail)}."
        if self.verdict.outcome is Outcome.HOLDS:
            cited = "; ".join(one.partition(";")[0] for one in self.verdict.citations)
            covered = self.verdict.scope.partition(";")[0]  # the page of the filter has all of the scope
            covered = FINITE if FINITE in covered else covered
            return (
                f"A theorem covers the filter's code, for {covered}{f'; it cites {cited}' if cited else ''}."
            )
        left = self.examination.unseen if self.examination is not None else ""
        return (
            f"No violation found. This is not a proof. The closest attack reaches {percent(self.attack)} of delta."
            f"{f' Not tried: {left}.' if left else ''}"
        )


def _kinds(pairs: Iterable[DominatingPair]) -> str:
    """The classes of pairs, each once."""
    return ", ".join(dict.fromkeys(type(pair).__name__ for pair in pairs))


def _short(detail: str) -> str:
    """The sentence of a counterexample with fractions of many digits as decimals alone."""
    return re.sub(r"\d{7,}/\d{7,} = ", "", detail.rstrip("."))


def overview(
    findings: Mapping[str, Finding], played: Mapping[str, Played], examinations: Mapping[str, Examination]
) -> tuple[Row, ...]:
    """A row for every subject, in the order of the catalogue of pages."""

    def row(subject: PageSubject) -> Row:
        filt, verdict = subject.make(), findings[subject.decided_by].verdict
        counterexample = (
            None if verdict.counterexample is None else Counterexample(filt, verdict.counterexample)
        )
        game, found = played[subject.name], examinations.get(subject.name)
        return Row(subject, str(filt.promise), verdict, game, found, counterexample)

    return tuple(map(row, SUBJECTS))


def counted(rows: Sequence[Row]) -> str:
    """The answer in a sentence."""
    holds, refuted, undecided = (
        sum(row.verdict.outcome is outcome for row in rows)
        for outcome in (Outcome.HOLDS, Outcome.REFUTED, Outcome.UNDECIDED)
    )
    return (
        f"Of {len(rows)} filters, {holds} keep their guarantee by a theorem that covers their code, for the mechanisms "
        f"in the table, {refuted} break it, each with a counterexample to replay, and {undecided} are undecided: no "
        "violation was found, which is not a proof."
    )


def picture(rows: Sequence[Row], *, wide: bool) -> Picture:
    """Every filter on one log axis of delta, in units of what it promised."""
    width, height = (10.0, 5.7) if wide else (NARROW, 8.6)
    with new_figure(width, height) as figure:
        ax = figure.subplots()
        ax.axvspan(1.0, _EDGE, color=_RED, alpha=0.08, lw=0)
        ax.axvline(1.0, color=INK, lw=1.6)
        for y, row in zip(reversed(range(len(rows))), rows, strict=True):
            _draw(ax, y, row, wide=wide)
        ax.set(xscale="log", xlim=(_LEAST, _EDGE), ylim=(-0.7, len(rows) - 0.2))
        words = ("0.1 %", "1 %", "10 %", "the promise", "× 10", "× 100")
        ax.set_xticks((1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0), words)
        ax.tick_params(axis="y", length=0)
        ax.grid(axis="y", visible=False)
        ax.spines["left"].set_visible(False)
        ax.set_xlabel("delta, in units of what was promised")
        names = [row.subject.name for row in reversed(rows)] if wide else []
        ax.set_yticks(range(len(names)), names)
        figure.legend(handles=_legend(), loc="outside upper left", ncols=4 if wide else 2, handletextpad=0.4)
    return Picture("overview" if wide else "overview_narrow", _CAPTION, alt(rows), figure)


_CAPTION = (
    "Left of the line a promise is kept, right of it broken. Where a theorem holds, the most that any adversary gets "
    "with any mechanisms that the filter covers lies between the dot, which its own code granted, and the diamond, "
    "which the theorem bounds; both are certified, and mostly they meet. Elsewhere the dot is the best attack known. "
    "A bar is the interval of an attack that was simulated. The nearer to the line, the tighter the promise."
)


def _draw(ax: Axes, y: int, row: Row, *, wide: bool) -> None:
    broken = exceeds(row.least, 1.0)
    colour = _RED if broken else _BLUE
    ax.plot([_LEAST, _EDGE], [y, y], color="#e3e7eb", lw=0.8, zorder=0)
    _, low, high = row.simulated
    if high > _LEAST:
        ends = max(low, _LEAST), min(high, _MOST)
        ax.plot(ends, [y, y], color=_BAR, lw=5, solid_capstyle="butt", zorder=1)
        ax.plot(ends, [y, y], "|", color=_BAR, ms=11, mew=1.6, zorder=1)
    if row.most is not None:
        ax.plot([_held(row.least), _held(row.most)], [y, y], color=_GREEN, lw=1.7, zorder=2)
        ax.plot(_held(row.most), y, "D", ms=9, mfc="none", mew=1.7, color=_GREEN, zorder=3)
    ax.plot(_held(row.least), y, "X" if broken else "o", ms=6.5, color=colour, zorder=4)
    if not wide:
        ax.text(_LEAST, y + 0.36, row.subject.name, fontsize=9.5, va="center", color=INK)
    at = _held(max(row.least, row.most or 0.0))
    side, ha = (-9, "right") if at > 20 else (9, "left")
    if at > 20 and high > _LEAST:  # the words stand before all marks
        at = min(at, max(low, _LEAST))
    box = {"facecolor": "#ffffff", "edgecolor": "none", "pad": 0.8} if at < 1 else None
    look: dict[str, Any] = {"fontweight": "bold" if broken else "normal", "color": colour if broken else INK}
    look |= {"fontsize": 9, "ha": ha, "va": "center", "bbox": box, "zorder": 2}
    ax.annotate(between(row), (at, y), xytext=(side, 0), textcoords="offset points", **look)


def _held(share: float) -> float:
    return min(max(share, _LEAST), _MOST) if math.isfinite(share) else _MOST


def _legend() -> list[Line2D]:
    from matplotlib.lines import Line2D

    looks: dict[str, dict[str, Any]] = {
        "all mechanisms, at most": {"marker": "D", "ms": 9, "mfc": "none", "mew": 1.7, "color": _GREEN},
        "at least, on its own code": {"marker": "o", "ms": 6.5, "color": _BLUE},
        "attack that breaks it": {"marker": "X", "ms": 6.5, "color": _RED},
        "simulated interval": {"ls": "-", "lw": 5, "solid_capstyle": "butt", "color": _BAR},
    }
    return [Line2D([], [], label=label, **{"ls": "none", **look}) for label, look in looks.items()]


def alt(rows: Sequence[Row]) -> str:
    """The picture for those who cannot see it."""
    told = "; ".join(f"{row.subject.name} {between(row)}" for row in rows)
    return f"The most that any mechanisms lose to an adversary, as a share of the promised delta: {told}."


def between(row: Row) -> str:
    """The two ends where they differ as they are read, else the one number."""
    low = percent(row.least)
    high = low if row.most is None else percent(row.most)
    return low if low == high else f"{low} to {high}"
