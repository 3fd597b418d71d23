"""An examination in words and as data: the one object that its page and the command line show."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import Enum
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filterproof.mc.examine.divergence import exceeds
from filterproof.mc.examine.examination import CUT, UNFINISHED, Examination, StageFinding, Status
from filterproof.mc.examine.formatting import told_apart
from filterproof.mc.examine.trace import Trace
from filterproof.reports.drawing import INK, PALETTE, new_figure, plain_text
from filterproof.reports.replay_snippets import witness_command
from filterproof.theory.display import Row, row_of
from filterproof.theory.evidence import Outcome, Verdict

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: The number of the layout of verdict.json.
SCHEMA = 1


class Ending(Enum):
    """How an examination ends, and what that means for the filter's user."""

    REFUTED = f"the promise is {Outcome.REFUTED.value}"
    HOLDS = f"the promise is {Outcome.HOLDS.value}"
    UNDECIDED = (
        "nothing was found that breaks the promise, which proves nothing: it may be false in a way not tried"
    )
    FAULTY = Status.FAULTY.value
    OUT_OF_TIME = (
        "the time limit came before any question about the promise was answered, so nothing is said for it; a method "
        "of the filter may not return"
    )
    DISAGREEMENT = f"{Status.DISAGREES.value}, an error of Filterproof itself: please report it"
    NOT_EXAMINED = Status.DENIES.value
    THREADS_LOST = Status.THREADS_LOST.value

    @property
    def plain(self) -> str:
        """What it means, as a sentence."""
        return f"{self.value[0].upper()}{self.value[1:]}."


@dataclass(frozen=True, slots=True)
class ExaminationWords(Examination):
    """An examination as it is told; `target` names the filter on the command line.

    `str()` is the verdict, a line a stage, and the witness with the command that replays it.
    """

    target: str | None = None

    @property
    def promised(self) -> str:
        """What the filter promises, in words, or that its code did not come to say it."""
        return str(self.promise or "nothing that its code came to say")

    @property
    def refuted(self) -> bool:
        """Whether a witness refutes the promise."""
        return self.verdict.outcome is Outcome.REFUTED

    @property
    def ending(self) -> Ending:
        """That of the verdict, or why there is none."""
        if self.status is Status.DISAGREES:
            return Ending.DISAGREEMENT
        if self.refuted or (self.status is Status.EXAMINED and not self.out_of_time):
            return Ending[self.verdict.outcome.name]
        if self.out_of_time:
            return Ending.OUT_OF_TIME
        others = {Status.FAULTY: Ending.FAULTY, Status.THREADS_LOST: Ending.THREADS_LOST}
        return others.get(self.status, Ending.NOT_EXAMINED)

    @property
    def decided(self) -> bool:
        """Whether there is a verdict, UNDECIDED perhaps."""
        return self.ending.name == self.verdict.outcome.name

    @property
    def headline(self) -> str:
        """REFUTED, HOLDS or UNDECIDED; where there is no verdict FAULTY, NOT EXAMINED, OUT OF TIME or DISAGREEMENT."""
        return self.ending.name.replace("_", " ")

    @property
    def out_of_time(self) -> bool:
        """Whether the time limit came before any question about the promise was answered: the filter may hang."""
        answered = any(one.verdict is not None or one.tightness for one in self.findings)
        return self.stopped.startswith(CUT) and not answered and not self.faults

    @property
    def conclusion(self) -> str:
        """The headline with its evidence and scope, and what it rests on."""
        if self.decided:
            return str(self.verdict)
        return f"{self.headline}: {self.ending.value}"

    @property
    def sentence(self) -> str:
        """The filter, its promise, and the conclusion."""
        return f"{self.name}, promised {self.promised}: {self.conclusion}"

    @property
    def play(self) -> list[str]:
        """The play of the witness, a line a round, and what is remarked on it; empty where it was not told."""
        return [] if self.story is None else story_lines(self.story)

    @property
    def detail(self) -> str:
        """What a verdict that needs no witness rests on, or how near the filter came; '' beside a witness."""
        return self.verdict.detail if self.decided and not self.refuted else ""

    def again(self, folder: Path = Path("out")) -> str:
        """The command that replays the witness from a folder into which the examination was saved; '' without one."""
        if self.witness is None:
            return ""
        return witness_command(self.witness, folder / "witness.json", self.target)

    @property
    def refutations(self) -> dict[str, StageFinding]:
        """The refutation of each stage that is shown: the witness, or else its first."""
        shown: dict[str, StageFinding] = {}
        for one in self.findings:
            if one.witness is not None and (one.witness is self.witness or one.stage not in shown):
                shown[one.stage] = one
        return shown

    def found(self, finding: StageFinding) -> str:
        """What a stage found, in words; what the witness says is said beside it, once."""
        if finding.witness is not None and finding.witness is self.witness:
            return "refuted, by the witness that is shown"
        return finding.found

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self, folder: Path | None = None) -> list[str]:
        """The words of `str()`; folder is where the examination was saved, if it was."""
        lines = [self.sentence, *filter(None, [self.detail]), *self.faults]
        for stage in dict.fromkeys(one.stage for one in self.findings):
            lines += self._of_stage(stage)
        if self.witness is not None:
            saved = "" if folder is not None else 'exam.save("out"), then '
            lines += [f"Witness: {self.witness}", *(f"  {line}" for line in self.play)]
            lines.append(f"Again: {saved}{self.again(folder or Path('out'))}")
        return lines

    def _of_stage(self, stage: str) -> Iterator[str]:
        """A line for a stage: its refutation, or else what it found last; then its notes."""
        findings = [one for one in self.findings if one.stage == stage]
        others = sum(one.witness is not None for one in findings) - 1
        # a stage that was ended has summed up what it did before it says so
        summed_up = [one for one in findings if one.unseen != UNFINISHED] or findings
        told = self.refutations.get(stage, summed_up[-1])
        more = f" (and {others} more)" if others > 0 else ""
        yield f"  {stage:<10} {_short(self.found(told))}{more}"
        for note in dict.fromkeys(note for one in findings for note in one.notes if note != told.found):
            yield f"{'':<13}{note}"

    def to_data(self) -> dict[str, Any]:
        """The examination as JSON-able data, which verdict.json holds."""
        story = self.story
        data: dict[str, Any] = {
            "schema": SCHEMA,
            "filterproof": version(),
            "filter": self.name,
            "promise": self.promised,
            "status": "OUT OF TIME" if self.out_of_time else self.status.name,
            **_verdict(self.verdict),
            "faults": list(self.faults),
            "findings": [
                {name: getattr(one, name) for name in ("stage", "asked", "found", "menu", "unseen")}
                | {"verdict": None if one.verdict is None else _verdict(one.verdict)}
                | {"whole": one.whole, "fault": one.fault, "notes": list(one.notes)}
                for one in self.findings
            ],
            "tightness": self.rows(),
            "witness": None if self.witness is None else self.witness.to_data(),
            "story": None if story is None else asdict(story) | {"measure": str(story.measure)},
            "failure": self.failure,
            "mechanisms": list(self.mechanisms),
            "seed": self.seed,
            "effort": self.effort,
            "stopped": self.stopped,
        }
        return {name: _finite(value) for name, value in data.items()}

    def json(self) -> str:
        """The text of verdict.json."""
        return json.dumps(self.to_data(), indent=2, allow_nan=False) + "\n"

    def rows(self) -> list[Row]:
        """A row for each measure and menu: the best attack, the worst case and the promise, and attack / promise."""
        measured, compared = (
            ("kind", "at", "direction"),
            ("menu", "attack", "worst", "promised", "share", "evidence"),
        )
        return [row_of(row.measure, *measured) | row_of(row, *compared) for row in self.tightness]


def _finite(data: Any) -> Any:
    """The data as JSON and CSV can hold it: infinities and NaN as text."""
    match data:
        case dict():
            return {name: _finite(value) for name, value in data.items()}
        case list() | tuple():
            return [*map(_finite, data)]
        case float() if not math.isfinite(data):
            return repr(data)
    return data


def version() -> str:
    """The installed version of Filterproof."""
    try:
        return metadata.version("filterproof")
    except metadata.PackageNotFoundError:
        return "not installed"


def _short(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:196]} ..."


def _verdict(verdict: Verdict) -> dict[str, Any]:
    row = row_of(verdict, "evidence", "scope", "detail")
    return {"verdict": verdict.outcome.name, **row, "citations": list(verdict.citations)}


def story_lines(story: Trace) -> list[str]:
    """The play, a line a move or turn, and what is remarked on it."""
    lines = [f"{number}. {move}" for number, move in enumerate(story.moves, 1)]
    for turn in story.turns:
        above = " <- above" if exceeds(turn.reached, turn.promised) else ""
        reached, promised = told_apart(turn.reached, turn.promised)
        when, several = f"{turn.when}: " if turn.when else "", "s" if "-" in turn.rounds else ""
        lines.append(
            f"round{several} {turn.rounds}: {when}ask {turn.asked}: {turn.answered}; state {turn.before} -> "
            f"{turn.after}; revealed so far {reached} of {promised}{above}"
        )
    return [*lines, *remarks(story)]


def remarks(story: Trace) -> list[str]:
    """Where the promise is passed, and why, as far as it shows."""
    passed = [] if story.passed is None else [f"The promise is passed in round {story.passed}."]
    return [*passed, *(f"Why: {reason}." for reason in story.why)]


def story_figure(name: str, story: Trace, *, width: float = 8.0) -> Figure | None:
    """delta against epsilon as promised and as the play reveals it; None where no curve was computed."""
    if not story.curve:
        return None
    at, reached, promised = zip(*story.curve, strict=True)
    with new_figure(width, 3.2) as figure:
        ax = figure.subplots()
        ax.plot(at, promised, color=INK, lw=1.6, label="promised")
        ax.plot(at, reached, "o-", color=PALETTE[1], ms=4, lw=1.2, label="revealed by the play, at least")
        ax.set(xlabel="epsilon", ylabel="delta", title=f"{plain_text(name)}: the play against the promise")
        if min(x for x in (*reached, *promised) if x > 0) < 0.1 * max(*reached, *promised):
            ax.set_yscale("log")
        ax.legend()
    return figure
