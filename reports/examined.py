"""The examination of a filter as a person sees it: in words, as files, in a notebook and in a paper.

>>> import filterproof as fp
>>> with fp.knowingly():
...     filt = fp.NaiveRealisationFilter(1.0, 0.01)
>>> exam = fp.verify(filt, seconds=5, mechanisms=["erasure"], first_only=True)
>>> exam.headline, exam.witness.replay().refutes
('REFUTED', True)
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filters.privacy_filter import PrivacyFilter
from mc.examine.examination import Examination, Status
from mc.examine.finding import Finding, Tightness
from mc.examine.witness import Witness
from reports.witness_words import finite, replay_words, target_of, witness_words
from theory.arguments import check_positive
from theory.evidence import Outcome, Verdict
from theory.shown import Cell, Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["SCHEMA", "SEED", "Examined", "verify", "version"]

#: The number of the layout of verdict.json.
SCHEMA = 1
SEED = 20_261_121
#: How a fault reads where a method did not return.
_LATE = "was still at work when the time was up"
_COLUMNS = ("kind", "at", "direction", "menu", "attack", "worst", "promised", "share", "evidence")


def verify(
    filt: PrivacyFilter,
    *,
    seconds: float = 60.0,
    mechanisms: Sequence[str] | None = None,
    seed: int = SEED,
    first_only: bool = False,
    on_stage: Callable[[str], None] = lambda _: None,
    target: str | None = None,
) -> Examined:
    """Examine a filter's promise for about so many seconds: laws, parts, sequences, games, search and tests.

    mechanisms are names among gaussian, rr, laplace, kov, erasure, subsampled and twopoint, all of them if None.
    The same seed asks the same questions; how far they get depends on the time. With first_only the first
    refutation ends the examination, which else looks for a smaller one. target is how the
    command line names the filter, FILE.py::Class. Raises ValueError for unusable arguments, and never decides
    HOLDS because nothing was found: that is UNDECIDED.
    """
    from mc.examine.verify import examine

    if isinstance(filt, type):
        raise TypeError(f"filt must be a filter, got the class {filt.__name__}; call it: {filt.__name__}()")
    found = examine(
        filt,
        seconds=float(check_positive("seconds", seconds)),
        mechanisms=None if mechanisms is None else tuple(mechanisms),
        seed=seed,
        on_stage=on_stage,
        first_only=first_only,
    )
    return Examined(found, target)


@dataclass(frozen=True, slots=True)
class Examined:
    """An examination that can be printed, saved, and pasted; `target` names the filter on the command line.

    `str()` is the verdict, a line a stage, and the witness with the command that replays it.
    """

    examination: Examination
    target: str | None = None

    @property
    def filter(self) -> PrivacyFilter:
        """The filter that was examined."""
        return self.examination.filter

    @property
    def name(self) -> str:
        """The class of the filter."""
        return self.examination.name

    @property
    def verdict(self) -> Verdict:
        """HOLDS, REFUTED or UNDECIDED, with its scope and evidence."""
        return self.examination.verdict

    @property
    def status(self) -> Status:
        """Whether the filter could be examined."""
        return self.examination.status

    @property
    def refuted(self) -> bool:
        """Whether a witness refutes the promise."""
        return self.verdict.outcome is Outcome.REFUTED

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What each stage asked, found, and did not look at."""
        return self.examination.findings

    @property
    def witness(self) -> Witness | None:
        """The smallest refutation, None if nothing was refuted."""
        return self.examination.witness

    @property
    def tightness(self) -> tuple[Tightness, ...]:
        """The best attack, the worst case and the promise for each measure and menu, nearest to the promise first."""
        return self.examination.tightness

    @property
    def headline(self) -> str:
        """REFUTED, HOLDS or UNDECIDED; FAULTY, NOT EXAMINED or OUT OF TIME where there is no verdict."""
        if self.refuted or (self.status is Status.EXAMINED and not self.out_of_time):
            return self.verdict.outcome.name
        if self.out_of_time:
            return "OUT OF TIME"
        return "FAULTY" if self.status is Status.FAULTY else "NOT EXAMINED"

    @property
    def out_of_time(self) -> bool:
        """Whether the time was up before a single question about the promise was answered: the filter may hang."""
        told = self.examination.faults or [
            note for one in self.findings for note in one.notes if _LATE in note
        ]
        late = bool(told) and all(_LATE in words for words in told)
        answered = any(one.verdict is not None or one.tightness for one in self.findings)
        return self.status is not Status.DENIES and late and not answered

    @property
    def conclusion(self) -> str:
        """The headline with its evidence and scope, and what it rests on."""
        if self.headline == self.verdict.outcome.name:
            return str(self.verdict)
        why = "the time was up before it had answered anything; a method of it may not return"
        return f"{self.headline}: {why if self.out_of_time else self.status.value}"

    def again(self, folder: Path = Path("out")) -> str:
        """The command that replays the witness from a folder into which the examination was saved; '' without one."""
        if self.witness is None:
            return ""
        return replay_words(self.witness, folder / "witness.json", self.target or target_of(self.filter))

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self, folder: Path | None = None) -> list[str]:
        """The words of `str()`; folder is where the examination was saved, if it was."""
        lines = [f"{self.name}, promised {self.filter.promise}: {self.conclusion}"]
        if self.headline == self.verdict.outcome.name and self.verdict.detail:
            lines.append(self.verdict.detail)
        lines += self.examination.faults
        for stage in dict.fromkeys(one.stage for one in self.findings):
            lines += _of_stage(stage, [one for one in self.findings if one.stage == stage])
        if self.witness is not None:
            saved = "" if folder is not None else 'exam.save("out"), then '
            lines.append(f"Witness: {witness_words(self.witness)}")
            lines.append(f"Again: {saved}{self.again(folder or Path('out'))}")
        return lines

    def to_data(self) -> dict[str, Any]:
        """The examination as JSON-able data, which verdict.json holds."""
        told = self.verdict
        return {
            "schema": SCHEMA,
            "filterproof": version(),
            "filter": self.name,
            "promise": str(self.filter.promise),
            "status": "OUT OF TIME" if self.out_of_time else self.status.name,
            **_verdict(told),
            "faults": list(self.examination.faults),
            "findings": [
                {
                    "stage": one.stage,
                    "asked": one.asked,
                    "found": one.found,
                    "menu": one.menu,
                    "unseen": one.unseen,
                    "verdict": None if one.verdict is None else _verdict(one.verdict),
                    "whole": one.whole,
                    "fault": one.fault,
                    "notes": list(one.notes),
                    "seconds": round(one.seconds, 3),
                }
                for one in self.findings
            ],
            "tightness": [dict(zip(_COLUMNS, row, strict=True)) for row in self._rows()],
            "witness": None if self.witness is None else self.witness.to_data(),
            "failure": self.examination.failure,
            "mechanisms": list(self.examination.mechanisms),
            "seed": self.examination.seed,
            "seconds": round(self.examination.seconds, 3),
        }

    def json(self) -> str:
        """The text of verdict.json."""
        return json.dumps(self.to_data(), indent=2, allow_nan=False) + "\n"

    def csv(self) -> str:
        """The text of data.csv: a line for each measure and menu, with 17 digits."""
        text = io.StringIO()
        table = csv.writer(text, lineterminator="\n")
        table.writerow(_COLUMNS)
        table.writerows(self._rows())
        return text.getvalue()

    def _rows(self) -> list[tuple[Any, ...]]:
        """The cells of the rows, as JSON and CSV can hold them."""
        return [
            tuple(finite(cell) if isinstance(cell, float) else cell for cell in cells)
            for cells in self._cells()
        ]

    def _cells(self) -> list[tuple[Cell, ...]]:
        return [
            (
                row.measure.kind,
                float(row.measure.at),
                row.measure.direction,
                row.menu,
                float(row.attack),
                None if row.worst is None else float(row.worst),
                float(row.promised),
                float(row.share),
                row.evidence.name,
            )
            for row in self.tightness
        ]

    def rows(self) -> list[Row]:
        """A row for each measure and menu: the best attack, the worst case and the promise, and attack / promise."""
        return [dict(zip(_COLUMNS, cells, strict=True)) for cells in self._cells()]

    def plot(self, ax: Axes | Sequence[Axes] | None = None) -> Figure:
        """Draw the rows into `ax`, or into a new figure if it is None, and return the figure.

        Where both hockey-stick and Rényi divergences were compared, two axes are needed. At most 14 rows are drawn,
        the nearest to the promise. Raises ValueError where nothing was compared, or for another number of axes.
        """
        from matplotlib.axes import Axes

        from reports.pages.tightness_figure import tightness_figure, tightness_into

        if ax is not None and self.tightness:
            return tightness_into((ax,) if isinstance(ax, Axes) else tuple(ax), self.tightness)
        figure = tightness_figure(self.name, self.tightness)
        if figure is None:
            raise ValueError("tightness must hold a row to be drawn, got none; examine the filter for longer")
        return figure

    def save(self, out: str | Path) -> Path:
        """Write the examination into a folder, all files or none, and return the path of its report.html.

        Beside the page: verdict.json, data.csv, the picture as tightness.svg, .png and .pdf where something was
        compared, and witness.json where something was refuted. Raises OSError where the folder cannot be written to.
        """
        from reports.drawing import pdf_bytes, png_bytes, svg_text
        from reports.output import OutputFolder
        from reports.pages.examination_page import examination_page
        from reports.pages.tightness_figure import tightness_figure

        folder = Path(out)
        page = examination_page(self, folder)
        figure = tightness_figure(self.name, self.tightness)
        with OutputFolder(folder) as files:
            for suffix, drawn in (("svg", svg_text), ("png", png_bytes), ("pdf", pdf_bytes)):
                if figure is None:
                    files.drop(f"tightness.{suffix}")
                else:
                    content = drawn(figure)
                    files.add(
                        f"tightness.{suffix}", content.encode() if isinstance(content, str) else content
                    )
            if self.witness is None:
                files.drop("witness.json")  # of an earlier examination: beside this verdict it would mislead
            else:
                kept = json.dumps(self.witness.to_data(), indent=2)
                files.add("witness.json", (kept + "\n").encode())
            files.add("verdict.json", self.json().encode())
            files.add("data.csv", self.csv().encode())
            files.add("report.html", page.encode())
        return folder / "report.html"

    def latex(self) -> str:
        """The verdict as a sentence and the figures as a table, to paste into a paper that loads booktabs."""
        from reports.examination_latex import examination_latex

        return examination_latex(self)

    def _repr_html_(self) -> str:
        from reports.pages.examination_page import examination_fragment

        return examination_fragment(self)


def version() -> str:
    """The installed version of Filterproof."""
    try:
        return metadata.version("filterproof")
    except metadata.PackageNotFoundError:
        return "not installed"


def _of_stage(stage: str, findings: Sequence[Finding]) -> list[str]:
    """A line for a stage: its first refutation, or else what it found last; then its notes."""
    refuted = [one for one in findings if one.witness is not None]
    told = refuted[0] if refuted else findings[-1]
    more = f" (and {len(refuted) - 1} more)" if len(refuted) > 1 else ""
    seconds = sum(one.seconds for one in findings)
    notes = dict.fromkeys(note for one in findings for note in one.notes if note != told.found)
    return [
        f"  {stage:<10} {seconds:5.1f} s  {_short(told.found)}{more}",
        *(f"{'':<22}{note}" for note in notes),
    ]


def _short(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:196]} ..."


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "verdict": verdict.outcome.name,
        "evidence": verdict.evidence.name,
        "scope": verdict.scope,
        "detail": verdict.detail,
        "citations": list(verdict.citations),
    }
