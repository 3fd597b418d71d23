"""What one stage asked of a filter, what it found, and what it did not look at."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

from filterproof.mc.examine.counterexample import Counterexample
from filterproof.mc.examine.divergence import Divergence
from filterproof.mc.examine.trace import Trace
from filterproof.theory.evidence import Evidence, Outcome, Verdict
from filterproof.theory.numerics.decimals import below

#: What a stage found that a person ended.
STOPPED = "stopped by Ctrl-C"
#: How it reads that the time limit ended an examination, before the share of the work that was done.
CUT = "stopped after"
#: What a stage did not look at that was ended, and what a stage says that looked at its limit.
UNFINISHED, USED_UP = "the rest of the stage", "its share of the work was used up"


@dataclass(frozen=True, slots=True)
class Tightness:
    """How near to its promise a filter comes on a menu: the best attack found, the worst case, and the promise.

    attack is a lower bound on the measure against the best adversary found; worst an upper bound against every
    adversary on the menu, None where none was computed; evidence says how both are known.
    """

    measure: Divergence
    menu: str
    attack: float
    worst: float | None
    promised: float
    evidence: Evidence

    @property
    def reached(self) -> str:
        """How much of what is promised the best attack reaches, and where; it bounds nothing."""
        if self.promised <= 0:
            return f"{self.menu} at {self.measure} reaches {below(self.attack)} where 0 is promised"
        return f"{self.menu} at {self.measure} reaches {100 * self.share:.4g} % of what is promised"

    @property
    def share(self) -> float:
        """attack / promised; inf where something was found and nothing promised."""
        if self.promised > 0:
            return self.attack / self.promised
        return float("inf") if self.attack > 0 else 0.0


@dataclass(frozen=True, slots=True)
class StageFinding:
    """One stage's question, its answer, and the limits of both.

    stage is laws, parts, schedules, sequences, games, search or telling; asked is the question, found the
    answer in a sentence. verdict is on the promise, within its own scope, None where the stage asks nothing of the
    promise or was not reached. menu names the mechanisms asked for, unseen what the stage did not look at. whole says
    that a HOLDS covers every mechanism that the filter admits, and not this menu alone. fault is the sentence on a
    filter that breaks the contract. notes are facts worth knowing that decide nothing. story tells the
    counterexample's play.
    """

    stage: str
    asked: str
    found: str
    menu: str
    unseen: str
    verdict: Verdict | None = None
    counterexample: Counterexample | None = None
    whole: bool = False
    seconds: float = 0.0
    tightness: tuple[Tightness, ...] = ()
    fault: str = ""
    notes: tuple[str, ...] = ()
    trace: Trace | None = None

    @classmethod
    def refuted(
        cls,
        stage: str,
        asked: str,
        menu: str,
        scope: str,
        counterexample: Counterexample,
        *,
        worst: float | None = None,
        evidence: Evidence | None = None,
        **more: Any,
    ) -> Self:
        """The finding of a refutation: what follows from its counterexample, and how far it goes."""
        found, sure = str(counterexample), evidence or counterexample.evidence
        row = Tightness(
            counterexample.measure, menu, counterexample.value, worst, counterexample.promised, sure
        )
        verdict = Verdict(Outcome.REFUTED, sure, scope, found, counterexample.data)
        given = {"unseen": "", "tightness": (row,)} | more
        return cls(stage, asked, found, menu, verdict=verdict, counterexample=counterexample, **given)


def closest(rows: Iterable[Tightness]) -> str:
    """The row that came nearest to its promise, as the end of a sentence; '' where there is none."""
    near = max(rows, key=lambda row: row.share, default=None)
    return f"; the closest, {near.reached}" if near else ""
