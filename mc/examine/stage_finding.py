"""The question of a stage about a filter, its findings, the log of its search, and what it did not cover."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

from filterproof.mc.examine.counterexample import Counterexample
from filterproof.mc.examine.divergence import Divergence
from filterproof.mc.examine.formatting import count_words
from filterproof.mc.examine.trace import Trace
from filterproof.theory.evidence import Evidence, Outcome, Verdict
from filterproof.theory.numerics.decimals import format_down

if TYPE_CHECKING:
    from filterproof.mc.prove.sum_bounds import SumBound

#: The finding of a stage that the user ended.
STOPPED_BY_INTERRUPT = "stopped by Ctrl-C"
#: How a finding begins that the time limit ended, before the share of the work.
STOPPED_AFTER = "stopped after"
#: The unexamined part of a stage that was ended, and the remark of a stage that reached its limit.
UNFINISHED, USED_UP = "the rest of the stage", "its share of the work was used up"


def stopped_after(share: float, late: BaseException) -> str:
    """Return the share of the work that was done before the time limit, and what is known of the reason."""
    cut = f"{STOPPED_AFTER} {max(min(int(100 * share), 99), 0)} % of the work"
    return ": ".join([cut, *map(str, late.args)])


@dataclass(frozen=True, slots=True)
class Tightness:
    """A row of the comparison: best attack, worst case and guarantee on one menu.

    `attack` is a lower bound on the divergence of the best adversary found, and `play` has its requests, or None.
    `worst` is an upper bound for every adversary on the menu, or None if none was computed. `evidence` is the strength
    of both.
    """

    measure: Divergence
    menu: str
    attack: float
    worst: float | None
    promised: float
    evidence: Evidence
    play: Counterexample | None = field(default=None, repr=False)

    @classmethod
    def of(
        cls,
        shown: Counterexample,
        menu: str,
        *,
        worst: float | None = None,
        evidence: Evidence | None = None,
        replays: bool = False,
    ) -> Self:
        """Return the row of a play on a menu; `replays` keeps the play with it."""
        sure, play = evidence or shown.evidence, shown if replays else None
        return cls(shown.measure, menu, shown.value, worst, shown.promised, sure, play)

    @property
    def reached(self) -> str:
        """The share of the guarantee that the best attack reaches, and where. It is no upper bound."""
        what = self.menu if self.play is None else self.play.description
        if self.promised <= 0:
            return f"{what} at {self.measure} reaches {format_down(self.attack)}; promised 0"
        return f"{what} at {self.measure} reaches {self.share_words} of the guarantee"

    @property
    def share_words(self) -> str:
        """The share attack / promised in percent."""
        if self.promised <= 0:
            return "0 is promised"
        return f"{100 * self.share:.4g} %" if self.share >= 0.01 else "less than 1 %"

    @property
    def share(self) -> float:
        """attack / promised; inf for a positive attack on a guarantee of 0."""
        if self.promised > 0:
            return self.attack / self.promised
        return float("inf") if self.attack > 0 else 0.0


@dataclass(frozen=True, slots=True)
class StageFinding:
    """The question of one stage, its answer, and the limits of both.

    `stage` is the name of the stage, `question` the question and `result` the answer in a sentence. `verdict` is the
    verdict on the guarantee within its own scope, or None if the stage has none. `menu` names the requested mechanisms.
    `not_tried` names the cases that the stage did not look at. `covers_all` says that HOLDS covers every mechanism
    that the filter admits, and not only the menu. `fault` is a sentence about a filter that breaks the contract.
    `notes` are facts that decide nothing. `trace` is the trace of the counterexample. `rounding` holds the sums that a
    source proof bounds, with what rounding may add to them.
    """

    stage: str
    question: str
    result: str
    menu: str
    not_tried: str
    verdict: Verdict | None = None
    counterexample: Counterexample | None = None
    covers_all: bool = False
    tightness: tuple[Tightness, ...] = ()
    fault: str = ""
    notes: tuple[str, ...] = ()
    trace: Trace | None = None
    rounding: tuple[SumBound, ...] = ()

    @classmethod
    def from_counterexample(
        cls,
        stage: str,
        question: str,
        menu: str,
        scope: str,
        counterexample: Counterexample,
        *,
        worst: float | None = None,
        evidence: Evidence | None = None,
        **more: Any,
    ) -> Self:
        """Return the finding of a stage that refutes the guarantee by this counterexample."""
        result, row = str(counterexample), Tightness.of(counterexample, menu, worst=worst, evidence=evidence)
        verdict = Verdict(Outcome.REFUTED, row.evidence, scope, result, counterexample.data)
        given = {"not_tried": "", "tightness": (row,)} | more
        return cls(stage, question, result, menu, verdict=verdict, counterexample=counterexample, **given)


@dataclass(slots=True)
class SearchLog:
    """The rows nearest to the guarantee by key, and counters of a search.

    `tried` counts the candidates, `refuted` those above the guarantee and `too_large` the skipped ones. `cut` says
    that the work ended before the candidates.
    """

    stage: ClassVar[str]
    question: ClassVar[str]

    rows: dict[Hashable, Tightness] = field(default_factory=dict)
    tried: int = 0
    refuted: int = 0
    too_large: int = 0
    cut: bool = False

    def keep(self, key: Hashable, row: Tightness) -> None:
        """Keep a row unless an earlier row with its key is nearer to the guarantee."""
        if key not in self.rows or row.attack > self.rows[key].attack:
            self.rows[key] = row

    @classmethod
    def refutation(cls, menu: str, scope: str, shown: Counterexample, **more: Any) -> StageFinding:
        """Return the finding of a counterexample to the guarantee."""
        return StageFinding.from_counterexample(cls.stage, cls.question, menu, scope, shown, **more)

    def finding(self, result: str, menu: str, unseen: str, verdict: Verdict | None = None) -> StageFinding:
        """Return the summary of the search with the closest row and the omitted candidates."""
        rows = tuple(self.rows.values())
        near = max(rows, key=lambda row: row.share, default=None)
        closest = f"; closest: {near.reached}" if near else ""
        large = (
            f"; {count_words(self.too_large, 'game was', 'games were')} too large" if self.too_large else ""
        )
        left = f"; the rest of the plan: {USED_UP}" if self.cut else ""
        words = (f"{result}{closest}", menu, f"{unseen}{large}{left}")
        return StageFinding(self.stage, self.question, *words, verdict, tightness=rows)
