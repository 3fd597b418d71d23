"""An examination: the findings of all stages about one filter, and the verdict that follows from them.

A finding is what one stage asked of a filter, what it found, and what it did not look at.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from operator import itemgetter
from typing import Any, Self

from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.examine.counterexample import Counterexample
from filterproof.mc.examine.divergence import Divergence
from filterproof.mc.examine.trace import Trace
from filterproof.mc.examine.worker import LOST
from filterproof.theory.display import printable
from filterproof.theory.evidence import Evidence, Outcome, Verdict
from filterproof.theory.guarantees import Guarantee
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

    stage is invariants, parts, source, schedules, sequences, games, search or telling; asked is the question, found the
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


class Status(Enum):
    """Whether a filter could be examined at all."""

    EXAMINED = "examined"
    THREADS_LOST = f"{LOST}, and a forked process does not have them, so nothing was examined"
    FAULTY = "the filter's own code breaks the contract of a filter, so nothing is said for its promise"
    DENIES = "the filter admits nothing that was tried, so nothing was examined"
    DISAGREES = (
        "a theorem says that the promise holds, and a counterexample refutes it: one of the two is wrong"
    )


@dataclass(frozen=True, slots=True)
class Examination:
    """What was found about the promise of `filter`, stage by stage; `failure` bounds the chance of a false refutation.

    mechanisms names the families asked for, effort the work that it was given, seed what its random numbers came from;
    seconds is the time it took, which says nothing about the filter. promise
    and scope are what the filter's own code said where it was examined, None and '' where it did not come to say it.
    refutation is the finding with the clearest counterexample, by `Counterexample.order`; None if nothing was refuted.
    """

    filter: PrivacyFilter
    mechanisms: tuple[str, ...]
    findings: tuple[StageFinding, ...]
    seconds: float
    seed: int
    failure: float
    promise: Guarantee | None = None
    scope: str = ""
    effort: float = 1.0
    refutation: StageFinding | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        refuted = [
            (one.counterexample.order, one)
            for one in reversed(self.findings)
            if one.counterexample is not None
        ]
        most = min(refuted, key=itemgetter(0), default=(0, None))[1]  # of equals the last, which was told
        object.__setattr__(self, "refutation", most)

    @property
    def name(self) -> str:
        """The class of the filter, in printable letters."""
        return printable(type(self.filter).__name__)

    @property
    def partial(self) -> bool:
        """Whether a person, the time limit or a want of threads ended it before its work was done."""
        return self.stopped != ""

    @property
    def stopped(self) -> str:
        """What ended it before its work was done; '' where nothing did."""
        ends = (one.found for one in self.findings if one.unseen == UNFINISHED)
        return next((end for end in ends if end.startswith((STOPPED, CUT, LOST))), "")

    @property
    def faults(self) -> tuple[str, ...]:
        """What is wrong with the filter's code, each a sentence."""
        return tuple(dict.fromkeys(one.fault for one in self.findings if one.fault))

    @property
    def admits_something(self) -> bool:
        """Whether some request was granted."""
        return any(
            one.unseen != UNFINISHED and not one.found.startswith("nothing") for one in self._admission
        )

    @property
    def status(self) -> Status:
        """Whether the filter could be examined."""
        if self.counterexample is not None and self._proved is not None:
            return Status.DISAGREES
        if self.faults:
            return Status.FAULTY
        if self.stopped.startswith(LOST) and not self.admits_something:
            return Status.THREADS_LOST
        ended = any(one.unseen == UNFINISHED for one in self._admission)
        return Status.EXAMINED if self.admits_something or ended else Status.DENIES

    @property
    def _admission(self) -> list[StageFinding]:
        """What was found of what the filter grants."""
        return [one for one in self.findings if one.stage == "admission"]

    @property
    def counterexample(self) -> Counterexample | None:
        """The clearest counterexample, None if nothing was refuted."""
        return None if self.refutation is None else self.refutation.counterexample

    @property
    def trace(self) -> Trace | None:
        """The play of the clearest counterexample, round by round; None where it was not told."""
        return None if self.refutation is None else self.refutation.trace

    @property
    def tightness(self) -> tuple[Tightness, ...]:
        """The best attack, the worst case and the promise for each measure and menu, nearest to the promise first."""
        rows = [row for one in self.findings for row in one.tightness]
        return tuple(sorted(rows, key=lambda row: -row.share))

    @property
    def verdict(self) -> Verdict:
        """REFUTED by a counterexample; HOLDS by a theorem that covers the code that ran; else UNDECIDED, and how near
        it came.

        What holds on a menu alone stays with its finding, and leaves the promise itself UNDECIDED. So does a
        disagreement: a theorem that a counterexample contradicts.
        """
        proved = self._proved
        if self.status is Status.DISAGREES:
            assert proved is not None
            detail = f"no verdict: {self.status.value}. Theorem: {proved.detail}. Counterexample: {self.counterexample}"
            return Verdict(Outcome.UNDECIDED, proved.evidence, proved.scope, detail)
        if self.refutation is not None and self.refutation.verdict is not None:
            return self.refutation.verdict
        if self.faults:
            detail = f"no verdict: {'; '.join(self.faults)}"
        elif self.status is Status.DENIES and not self.partial:
            detail = f"no verdict: {self.status.value}"
        elif proved is not None:
            return proved
        else:
            detail = self._closest()
        scope = self.scope or "every adaptive adversary"
        # as sure as the least sure of what was compared with the promise
        known = (row.evidence for row in self.tightness)
        evidence = max(known, key=lambda one: one.strength, default=Evidence.CERTIFIED)
        return Verdict(Outcome.UNDECIDED, evidence, scope, detail)

    @property
    def _proved(self) -> Verdict | None:
        """The verdict of a theorem that covers the code that ran, None where there is none."""
        whole = (one.verdict for one in self.findings if one.whole and one.verdict is not None)
        return next((verdict for verdict in whole if verdict.outcome is Outcome.HOLDS), None)

    @property
    def unseen(self) -> str:
        """What no stage that looks for attacks looked at, in short; there the promise may be false."""
        summaries, late = dict[str, str](), dict[str, None]()
        for finding in self.findings:
            if finding.unseen and finding.stage not in _NO_ATTACKS:
                first = finding.unseen.split("; ")[0].removesuffix(f": {USED_UP}")
                if finding.unseen.endswith(USED_UP) or finding.found == USED_UP:
                    late[finding.stage] = None
                if (
                    first != UNFINISHED or finding.stage not in summaries
                ):  # the last finding of a stage sums it up
                    summaries[finding.stage] = f"{first} ({finding.stage})"
        cut = [f"the work was used up in {', '.join(late)}"] if late else []
        return "; ".join([*summaries.values(), *cut])

    def _closest(self) -> str:
        rows = self.tightness
        near = f"the closest, {rows[0].reached}" if rows else "nothing could be compared with the promise"
        left = f". Not tried: {self.unseen}" if self.unseen else ""
        cut = f"{self.stopped}: " if self.partial else ""
        return f"{cut}nothing was found above the promise, which proves nothing; {near}{left}"


class PartialExamination(KeyboardInterrupt):
    """Ctrl-C in an examination; `examination` is what was found until then."""

    def __init__(self, examination: Examination) -> None:
        self.examination = examination
        super().__init__(STOPPED)


#: Stages that ask what the filter admits and is, and not what an adversary can do.
_NO_ATTACKS = frozenset({"admission", "invariants", "certificate", "source"})
