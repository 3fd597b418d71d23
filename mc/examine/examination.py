"""An examination: the findings of all stages about one filter, and the one verdict that follows from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from operator import itemgetter

from filters.privacy_filter import PrivacyFilter
from mc.examine.stage_finding import StageFinding, Tightness
from mc.examine.story import Story
from mc.examine.witness import Witness
from theory.evidence import Evidence, Outcome, Verdict
from theory.guarantees import Guarantee
from theory.shown import printable

__all__ = ["STOPPED", "UNFINISHED", "Examination", "PartialExamination", "Status"]

#: What a stage found that a person ended.
STOPPED = "stopped by Ctrl-C, so that this examination is partial"
#: What a stage did not look at that its time, or a person, ended; and what a stage says that looked at the clock.
UNFINISHED, TIME_UP = "the rest of the stage", "the time was up"


class Status(Enum):
    """Whether a filter could be examined at all."""

    EXAMINED = "examined"
    FAULTY = "the filter's own code breaks the contract of a filter, so nothing is said for its promise"
    DENIES = "the filter admits nothing that was tried, so nothing was examined"


@dataclass(frozen=True, slots=True)
class Examination:
    """What was found about the promise of `filter`, stage by stage; `failure` bounds the chance of a false refutation.

    mechanisms names the families asked for, seconds the time it took, seed what its random numbers came from. promise
    and scope are what the filter's own code said where it was examined, None and '' where it did not come to say it.
    refutation is the finding with the most telling witness, by `Witness.order`; None if nothing was refuted.
    """

    filter: PrivacyFilter
    mechanisms: tuple[str, ...]
    findings: tuple[StageFinding, ...]
    seconds: float
    seed: int
    failure: float
    promise: Guarantee | None = None
    scope: str = ""
    refutation: StageFinding | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        refuted = [(one.witness.order, one) for one in reversed(self.findings) if one.witness is not None]
        most = min(refuted, key=itemgetter(0), default=(0, None))[1]  # of equals the last, which was told
        object.__setattr__(self, "refutation", most)

    @property
    def name(self) -> str:
        """The class of the filter, in printable letters."""
        return printable(type(self.filter).__name__)

    @property
    def partial(self) -> bool:
        """Whether a person ended it before its time."""
        return any(one.found == STOPPED for one in self.findings)

    @property
    def faults(self) -> tuple[str, ...]:
        """What is wrong with the filter's code, each a sentence."""
        return tuple(dict.fromkeys(one.fault for one in self.findings if one.fault))

    @property
    def admits_something(self) -> bool:
        """Whether some request was granted."""
        return any(one.stage == "admission" and not one.found.startswith("nothing") for one in self.findings)

    @property
    def status(self) -> Status:
        """Whether the filter could be examined."""
        if self.faults:
            return Status.FAULTY
        return Status.EXAMINED if self.admits_something else Status.DENIES

    @property
    def witness(self) -> Witness | None:
        """The most telling witness, None if nothing was refuted."""
        return None if self.refutation is None else self.refutation.witness

    @property
    def story(self) -> Story | None:
        """The play of the most telling witness, round by round; None where it was not told."""
        return None if self.refutation is None else self.refutation.story

    @property
    def tightness(self) -> tuple[Tightness, ...]:
        """The best attack, the worst case and the promise for each measure and menu, nearest to the promise first."""
        rows = [row for one in self.findings for row in one.tightness]
        return tuple(sorted(rows, key=lambda row: -row.share))

    @property
    def verdict(self) -> Verdict:
        """REFUTED by a witness; HOLDS by a theorem that covers the code that ran; else UNDECIDED, and how near it came.

        What holds on a menu alone stays with its finding, and leaves the promise itself UNDECIDED.
        """
        whole = (one.verdict for one in self.findings if one.whole and one.verdict is not None)
        proved = next((verdict for verdict in whole if verdict.outcome is Outcome.HOLDS), None)
        if self.refutation is not None and self.refutation.verdict is not None:
            return self.refutation.verdict
        if self.faults:
            detail = f"no verdict: {'; '.join(self.faults)}"
        elif self.status is Status.DENIES:
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
    def unseen(self) -> str:
        """What no stage that looks for attacks looked at, in short; there the promise may be false."""
        summaries, late = dict[str, str](), dict[str, None]()
        for finding in self.findings:
            if finding.unseen and finding.stage not in _NO_ATTACKS:
                first = finding.unseen.split("; ")[0].removesuffix(f": {TIME_UP}")
                if finding.unseen.endswith(TIME_UP) or first == UNFINISHED:
                    late[finding.stage] = None
                if (
                    first != UNFINISHED or finding.stage not in summaries
                ):  # the last finding of a stage sums it up
                    summaries[finding.stage] = f"{first} ({finding.stage})"
        cut = [f"{TIME_UP} in {', '.join(late)}"] if late else []
        return "; ".join([*summaries.values(), *cut])

    def _closest(self) -> str:
        rows = self.tightness
        near = f"the closest, {rows[0].reached}" if rows else "nothing could be compared with the promise"
        left = f". Not tried: {self.unseen}" if self.unseen else ""
        cut = "partial, ended by Ctrl-C: " if self.partial else ""
        return f"{cut}nothing was found above the promise, which proves nothing; {near}{left}"


class PartialExamination(KeyboardInterrupt):
    """Ctrl-C in an examination; `examination` is what was found until then."""

    def __init__(self, examination: Examination) -> None:
        self.examination = examination
        super().__init__(STOPPED)


#: Stages that ask what the filter admits and is, and not what an adversary can do.
_NO_ATTACKS = frozenset({"admission", "laws", "parts"})
