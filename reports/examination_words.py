"""An examination as text and as JSON, for its page and the command line."""

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
from filterproof.reports.replay_snippets import counterexample_command
from filterproof.theory.display import Row, row_of
from filterproof.theory.evidence import Outcome, Verdict

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: The number of the layout of verdict.json.
SCHEMA = 1


class Ending(Enum):
    """How an examination ends, and what the end means for the filter's user."""

    REFUTED = f"the guarantee is {Outcome.REFUTED.value}"
    HOLDS = f"the guarantee is {Outcome.HOLDS.value}"
    UNDECIDED = "no violation of the guarantee was found; this is not a proof"
    FAULTY = Status.FAULTY.value
    OUT_OF_TIME = (
        "the time limit ended the examination before any result about the guarantee; a method of the filter may "
        "never return"
    )
    DISAGREEMENT = f"{Status.DISAGREES.value}, an error in Filterproof; please report it"
    NOT_EXAMINED = Status.DENIES.value
    THREADS_LOST = Status.THREADS_LOST.value

    @property
    def plain(self) -> str:
        """The meaning as a sentence."""
        return f"{self.value[0].upper()}{self.value[1:]}."


@dataclass(frozen=True, slots=True)
class ExaminationWords(Examination):
    """An examination with its texts; `target` names the filter on the command line."""

    target: str | None = None

    @property
    def promised(self) -> str:
        """The filter's guarantee in words."""
        return str(self.promise or "no guarantee that its code could state")

    @property
    def refuted(self) -> bool:
        """Whether a counterexample refutes the guarantee."""
        return self.verdict.outcome is Outcome.REFUTED

    @property
    def ending(self) -> Ending:
        """The outcome of the verdict, or the reason why there is no verdict."""
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
        """Whether there is a verdict, which may be UNDECIDED."""
        return self.ending.name == self.verdict.outcome.name

    @property
    def headline(self) -> str:
        """REFUTED, HOLDS or UNDECIDED; without a verdict FAULTY, NOT EXAMINED, OUT OF TIME or DISAGREEMENT."""
        return self.ending.name.replace("_", " ")

    @property
    def out_of_time(self) -> bool:
        """Whether the time limit ended the examination before any result: the filter may hang."""
        answered = any(one.verdict is not None or one.tightness for one in self.findings)
        return self.stopped.startswith(CUT) and not answered and not self.faults

    @property
    def conclusion(self) -> str:
        """The headline with its evidence, its scope and the theorems that it uses."""
        if self.decided:
            return str(self.verdict)
        return f"{self.headline}: {self.ending.value}"

    @property
    def sentence(self) -> str:
        """The filter, its guarantee and the conclusion in one sentence."""
        return f"{self.name}, promised {self.promised}: {self.conclusion}"

    @property
    def play(self) -> list[str]:
        """The counterexample round by round, one line each, with remarks; empty if there is no trace."""
        return [] if self.trace is None else trace_lines(self.trace)

    @property
    def detail(self) -> str:
        """The reason for HOLDS, or the closest attack for UNDECIDED; '' for REFUTED."""
        return self.verdict.detail if self.decided and not self.refuted else ""

    def again(self, folder: Path = Path("out")) -> str:
        """Return the command that replays the saved counterexample; '' without a counterexample.

        Parameters
        ----------
        folder : Path
            The folder that `Examined.save` wrote.

        Returns
        -------
        str
            A command line.
        """
        if self.counterexample is None:
            return ""
        return counterexample_command(self.counterexample, folder / "counterexample.json", self.target)

    @property
    def refutations(self) -> dict[str, StageFinding]:
        """The refutation of each stage that the report shows: the counterexample's, or else the first."""
        shown: dict[str, StageFinding] = {}
        for one in self.findings:
            if one.counterexample is not None and (
                one.counterexample is self.counterexample or one.stage not in shown
            ):
                shown[one.stage] = one
        return shown

    def found(self, finding: StageFinding) -> str:
        """Return the result of a stage in words, and a short form for the counterexample that is shown."""
        if finding.counterexample is not None and finding.counterexample is self.counterexample:
            return "refuted, by the counterexample that is shown"
        return finding.found

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self, folder: Path | None = None) -> list[str]:
        """Return the lines of `str()`; `folder` is the folder of the saved examination."""
        lines = [self.sentence, *filter(None, [self.detail]), *self.faults]
        for stage in dict.fromkeys(one.stage for one in self.findings):
            lines += self._of_stage(stage)
        if self.counterexample is not None:
            saved = "" if folder is not None else 'exam.save("out"), then '
            lines += [f"Counterexample: {self.counterexample}", *(f"  {line}" for line in self.play)]
            lines.append(f"Again: {saved}{self.again(folder or Path('out'))}")
        return lines

    def _of_stage(self, stage: str) -> Iterator[str]:
        """A line for a stage: its refutation, or else its last finding; then its notes."""
        findings = [one for one in self.findings if one.stage == stage]
        others = sum(one.counterexample is not None for one in findings) - 1
        # a stage that was ended has summed up what it did before it says so
        summed_up = [one for one in findings if one.unseen != UNFINISHED] or findings
        told = self.refutations.get(stage, summed_up[-1])
        more = f" (and {others} more)" if others > 0 else ""
        yield f"  {stage:<10} {_short(self.found(told))}{more}"
        for note in dict.fromkeys(note for one in findings for note in one.notes if note != told.found):
            yield f"{'':<13}{note}"

    def to_data(self) -> dict[str, Any]:
        """Return the data of verdict.json."""
        trace = self.trace
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
            "counterexample": None if self.counterexample is None else self.counterexample.to_data(),
            "trace": None if trace is None else asdict(trace) | {"measure": str(trace.measure)},
            "failure": self.failure,
            "mechanisms": list(self.mechanisms),
            "seed": self.seed,
            "effort": self.effort,
            "stopped": self.stopped,
        }
        return {name: _finite(value) for name, value in data.items()}

    def json(self) -> str:
        """Return the text of verdict.json."""
        return json.dumps(self.to_data(), indent=2, allow_nan=False) + "\n"

    def rows(self) -> list[Row]:
        """Return one row for each divergence and menu: best attack, worst case, guarantee, and attack / guarantee."""
        measured, compared = (
            ("kind", "at", "direction"),
            ("menu", "attack", "worst", "promised", "share", "evidence"),
        )
        return [row_of(row.measure, *measured) | row_of(row, *compared) for row in self.tightness]


def _finite(data: Any) -> Any:
    """The data with infinities and NaN as text, for JSON and CSV."""
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


def trace_lines(trace: Trace) -> list[str]:
    """Return the trace, one line a move or step, and the remarks on it."""
    lines = [f"{number}. {move}" for number, move in enumerate(trace.moves, 1)]
    for row in trace.rows:
        above = " <- above" if exceeds(row.reached, row.promised) else ""
        reached, promised = told_apart(row.reached, row.promised)
        when, several = f"{row.when}: " if row.when else "", "s" if "-" in row.rounds else ""
        lines.append(
            f"round{several} {row.rounds}: {when}ask {row.request}: {row.answer}; state {row.state_before} -> "
            f"{row.state_after}; revealed so far {reached} of {promised}{above}"
        )
    return [*lines, *remarks(trace)]


def remarks(trace: Trace) -> list[str]:
    """Return the round in which the guarantee is exceeded, and the reasons that the trace shows."""
    passed = [] if trace.passed is None else [f"The promise is passed in round {trace.passed}."]
    return [*passed, *(f"Why: {reason}." for reason in trace.why)]


def trace_figure(name: str, trace: Trace, *, width: float = 8.0) -> Figure | None:
    """Draw delta against epsilon for the guarantee and for the trace; None if there is no curve."""
    if not trace.curve:
        return None
    at, reached, promised = zip(*trace.curve, strict=True)
    with new_figure(width, 3.2) as figure:
        ax = figure.subplots()
        ax.plot(at, promised, color=INK, lw=1.6, label="promised")
        ax.plot(at, reached, "o-", color=PALETTE[1], ms=4, lw=1.2, label="revealed by the play, at least")
        ax.set(xlabel="epsilon", ylabel="delta", title=f"{plain_text(name)}: the play against the promise")
        if min(x for x in (*reached, *promised) if x > 0) < 0.1 * max(*reached, *promised):
            ax.set_yscale("log")
        ax.legend()
    return figure
