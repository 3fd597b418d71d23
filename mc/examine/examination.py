"""An examination: the findings of all stages about one filter, and the verdict that follows from them.

A finding has the question of one stage, its answer, and the cases that the stage did not look at.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from operator import itemgetter
from typing import Any, Self

from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.examine.divergence import Divergence
from filterproof.mc.examine.trace import Trace
from filterproof.mc.examine.witness import Witness
from filterproof.mc.examine.worker import LOST
from filterproof.theory.display import printable
from filterproof.theory.evidence import Evidence, Outcome, Verdict
from filterproof.theory.guarantees import Guarantee
from filterproof.theory.numerics.decimals import below

#: The finding of a stage that the user ended.
STOPPED = "stopped by Ctrl-C"
#: How a finding begins that the time limit ended, before the share of the work.
CUT = "stopped after"
#: The unexamined part of a stage that was ended, and the remark of a stage that reached its limit.
UNFINISHED, USED_UP = "the rest of the stage", "its share of the work was used up"


@dataclass(frozen=True, slots=True)
class Tightness:
    """The best attack, the worst case and the guarantee on one menu.

    `attack` is a lower bound on the divergence of the best adversary found. `worst` is an upper bound for every
    adversary on the menu, or None if none was computed. `evidence` is the strength of both.
    """

    measure: Divergence
    menu: str
    attack: float
    worst: float | None
    promised: float
    evidence: Evidence

    @property
    def reached(self) -> str:
        """Return the share of the guarantee that the best attack reaches, and where. It is no upper bound."""
        if self.promised <= 0:
            return f"{self.menu} at {self.measure} reaches {below(self.attack)}; promised 0"
        return f"{self.menu} at {self.measure} reaches {100 * self.share:.4g} % of the guarantee"

    @property
    def share(self) -> float:
        """attack / promised; inf for a positive attack on a guarantee of 0."""
        if self.promised > 0:
            return self.attack / self.promised
        return float("inf") if self.attack > 0 else 0.0


@dataclass(frozen=True, slots=True)
class StageFinding:
    """The question of one stage, its answer, and the limits of both.

    `stage` is the name of the stage, `asked` the question and `found` the answer in a sentence. `verdict` is the
    verdict on the guarantee within its own scope, or None if the stage has none. `menu` names the requested
    mechanisms. `unseen` names the cases that the stage did not look at. `whole` says that HOLDS covers every mechanism
    that the filter admits, and not only the menu. `fault` is a sentence about a filter that breaks the contract.
    `notes` are facts that decide nothing. `story` is the trace of the counterexample.
    """

    stage: str
    asked: str
    found: str
    menu: str
    unseen: str
    verdict: Verdict | None = None
    witness: Witness | None = None
    whole: bool = False
    seconds: float = 0.0
    tightness: tuple[Tightness, ...] = ()
    fault: str = ""
    notes: tuple[str, ...] = ()
    story: Trace | None = None

    @classmethod
    def refuted(
        cls,
        stage: str,
        asked: str,
        menu: str,
        scope: str,
        witness: Witness,
        *,
        worst: float | None = None,
        evidence: Evidence | None = None,
        **more: Any,
    ) -> Self:
        """Return the finding of a refutation by this counterexample."""
        found, sure = str(witness), evidence or witness.evidence
        row = Tightness(witness.measure, menu, witness.value, worst, witness.promised, sure)
        verdict = Verdict(Outcome.REFUTED, sure, scope, found, witness.data)
        given = {"unseen": "", "tightness": (row,)} | more
        return cls(stage, asked, found, menu, verdict=verdict, witness=witness, **given)


def closest(rows: Iterable[Tightness]) -> str:
    """Return the row nearest to its guarantee as the end of a sentence, or ''."""
    near = max(rows, key=lambda row: row.share, default=None)
    return f"; closest: {near.reached}" if near else ""


class Status(Enum):
    """Whether a filter could be examined."""

    EXAMINED = "examined"
    THREADS_LOST = f"{LOST}, and a forked process does not have them; nothing was examined"
    FAULTY = "the filter's code breaks the contract of a filter; its guarantee was not judged"
    DENIES = "the filter denies every request that was tried; nothing was examined"
    DISAGREES = "a theorem proves the guarantee and a counterexample refutes it; one of the two is wrong"


@dataclass(frozen=True, slots=True)
class Examination:
    """The findings of all stages about the guarantee of `filter`.

    `failure` bounds the probability of a false refutation. `mechanisms` names the requested families, `effort` the
    work limit and `seed` the seed of all random numbers. `seconds` is the duration, which says nothing about the
    filter. `promise` and `scope` are the filter's own statements, None and '' if it did not get to state them.
    `refutation` is the finding with the clearest counterexample by `Witness.order`, or None.
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
        refuted = [(one.witness.order, one) for one in reversed(self.findings) if one.witness is not None]
        most = min(refuted, key=itemgetter(0), default=(0, None))[
            1
        ]  # the last of equals, which is the minimised one
        object.__setattr__(self, "refutation", most)

    @property
    def name(self) -> str:
        """Return the class name of the filter in printable letters."""
        return printable(type(self.filter).__name__)

    @property
    def partial(self) -> bool:
        """Whether the user, the time limit or missing threads ended the examination before its work was done."""
        return self.stopped != ""

    @property
    def stopped(self) -> str:
        """Return the reason why the examination ended early, or ''."""
        ends = (one.found for one in self.findings if one.unseen == UNFINISHED)
        return next((end for end in ends if end.startswith((STOPPED, CUT, LOST))), "")

    @property
    def faults(self) -> tuple[str, ...]:
        """Return the faults of the filter's code, one sentence each."""
        return tuple(dict.fromkeys(one.fault for one in self.findings if one.fault))

    @property
    def admits_something(self) -> bool:
        """Whether the filter granted some request."""
        return any(
            one.unseen != UNFINISHED and not one.found.startswith("nothing") for one in self._admission
        )

    @property
    def status(self) -> Status:
        if self.witness is not None and self._proved is not None:
            return Status.DISAGREES
        if self.faults:
            return Status.FAULTY
        if self.stopped.startswith(LOST) and not self.admits_something:
            return Status.THREADS_LOST
        ended = any(one.unseen == UNFINISHED for one in self._admission)
        return Status.EXAMINED if self.admits_something or ended else Status.DENIES

    @property
    def _admission(self) -> list[StageFinding]:
        """Return the findings about the granted requests."""
        return [one for one in self.findings if one.stage == "admission"]

    @property
    def witness(self) -> Witness | None:
        """Return the clearest counterexample, or None."""
        return None if self.refutation is None else self.refutation.witness

    @property
    def story(self) -> Trace | None:
        """Return the trace of the clearest counterexample, or None."""
        return None if self.refutation is None else self.refutation.story

    @property
    def tightness(self) -> tuple[Tightness, ...]:
        """Return the best attack, the worst case and the guarantee for each divergence and menu, nearest first."""
        rows = [row for one in self.findings for row in one.tightness]
        return tuple(sorted(rows, key=lambda row: -row.share))

    @property
    def verdict(self) -> Verdict:
        """Return REFUTED by a counterexample, HOLDS by a theorem that covers the code that ran, else UNDECIDED.

        A bound on one menu stays with its finding and leaves the verdict UNDECIDED. So does a contradiction between a
        theorem and a counterexample.
        """
        proved = self._proved
        if self.status is Status.DISAGREES:
            assert proved is not None
            detail = (
                f"no verdict: {self.status.value}. Theorem: {proved.detail}. Counterexample: {self.witness}"
            )
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
        # the evidence is as weak as the weakest comparison with the guarantee
        known = (row.evidence for row in self.tightness)
        evidence = max(known, key=lambda one: one.strength, default=Evidence.CERTIFIED)
        return Verdict(Outcome.UNDECIDED, evidence, scope, detail)

    @property
    def _proved(self) -> Verdict | None:
        """Return the verdict of a theorem that covers the code that ran, or None."""
        whole = (one.verdict for one in self.findings if one.whole and one.verdict is not None)
        return next((verdict for verdict in whole if verdict.outcome is Outcome.HOLDS), None)

    @property
    def unseen(self) -> str:
        """Return what the attacking stages did not look at. The guarantee may be false there."""
        summaries, late = dict[str, str](), dict[str, None]()
        for finding in self.findings:
            if finding.unseen and finding.stage not in _NO_ATTACKS:
                first = finding.unseen.split("; ")[0].removesuffix(f": {USED_UP}")
                if finding.unseen.endswith(USED_UP) or finding.found == USED_UP:
                    late[finding.stage] = None
                if (
                    first != UNFINISHED or finding.stage not in summaries
                ):  # the last finding of a stage is its summary
                    summaries[finding.stage] = f"{first} ({finding.stage})"
        cut = [f"the work limit ended {', '.join(late)}"] if late else []
        return "; ".join([*summaries.values(), *cut])

    def _closest(self) -> str:
        rows = self.tightness
        near = (
            f"Closest attack: {rows[0].reached}" if rows else "Nothing could be compared with the guarantee"
        )
        left = f". Not tried: {self.unseen}" if self.unseen else ""
        cut = f"{self.stopped}: " if self.partial else ""
        return f"{cut}No violation found. This is not a proof. {near}{left}"


class PartialExamination(KeyboardInterrupt):
    """Ctrl-C during an examination; `examination` has the findings so far."""

    def __init__(self, examination: Examination) -> None:
        self.examination = examination
        super().__init__(STOPPED)


#: Stages that look for no attack.
_NO_ATTACKS = frozenset({"admission", "laws", "parts"})
