"""The examination of a filter as a person sees it: in words, as files and in a notebook.

>>> import filterproof as fp
>>> with fp.suppress_unsound_warning():
...     filt = fp.NaiveRealisationFilter(1.0, 0.01)
>>> exam = fp.verify(filt, effort=0.1, mechanisms=["erasure"])
>>> exam.headline, exam.witness.replay().refutes
('REFUTED', True)
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Self

from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.examine.examination import Examination
from filterproof.reports.examination_words import Ending, ExaminationWords
from filterproof.reports.replay_snippets import replay_snippet

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SEED = 20_261_121


def verify(
    filt: PrivacyFilter,
    *,
    effort: float = 1.0,
    seconds: float | None = None,
    mechanisms: Sequence[str] | None = None,
    seed: int = SEED,
    thorough: bool = False,
    stages: Sequence[str] | None = None,
    on_stage: Callable[[str], None] = lambda _: None,
    target: str | None = None,
) -> Examined:
    """Examine a filter's promise with so much effort: laws, parts, sequences, games, search and tests.

    Also that of a holder: an `IndividualFilter`, `ClippedSums`, `LinearQueries`, a tracker or an odometer, each by its
    theorem, the numbers that run and games played by its own code, two data sets that differ in one person say.

    mechanisms are names among gaussian, rr, laplace, kov, erasure, subsampled and twopoint, or one; all if None.
    The result is a function of the filter's source, mechanisms, seed and effort, and the same on every machine. effort
    is counted in work: decisions asked of the filter, certified evaluations, positions of games, simulated rounds; 1
    takes about half a minute on a quiet machine, 10 looks ten times as far. A slow filter takes longer, and is examined
    as thoroughly. seconds is a limit, none by default: it ends the examination early, `stopped` then says after which
    share of the work, and what was refuted before stands. The first refutation ends the search, and is made as short as
    a tenth of the effort makes it; a thorough examination goes on and looks for more. stages are names among laws,
    schedules, parts, sequences, games and search, all if None. target is how the
    command line names the filter, FILE.py::Class. Raises ValueError for unusable arguments, and never decides
    HOLDS because nothing was found: that is UNDECIDED.
    """
    from filterproof.mc.examine.stage_schedule import examine

    if issubclass(type(filt), type):  # isinstance would run the filter's own code
        made = getattr(filt, "__name__", "it")
        raise TypeError(f"filt must be a filter, got the class {made}; call it: {made}()")
    found = examine(
        filt,
        effort=effort,
        seconds=seconds,
        mechanisms=mechanisms,
        seed=seed,
        on_stage=on_stage,
        thorough=thorough,
        stages=stages,
    )
    return Examined.of(found, target)


@dataclass(frozen=True, slots=True, repr=False)
class Examined(ExaminationWords):
    """An examination that can be printed, saved, and pasted; `target` names the filter on the command line.

    `str()` is the verdict, a line a stage, and the witness with the command that replays it.
    """

    @classmethod
    def of(cls, examination: Examination, target: str | None = None) -> Self:
        """The examination with its words; `target` names the filter on the command line."""
        kept = {one.name: getattr(examination, one.name) for one in fields(examination) if one.init}
        return cls(**kept, target=target)

    def __repr__(self) -> str:
        return f"Examined({self.name}, promised {self.filter.promise}: {self.headline})"

    def plot(self) -> Figure:
        """The rows as a new figure, at most 14, the nearest to the promise. ValueError where nothing was compared."""
        from filterproof.reports.pages.tightness_figure import tightness_figure

        figure = tightness_figure(self.name, self.tightness)
        if figure is None:
            raise ValueError(
                "tightness must hold a row to be drawn, got none; examine the filter with more effort"
            )
        return figure

    def save(self, out: str | Path) -> Path:
        """Write the examination into a folder, all files or none, and return the path of its report.html.

        Beside the page: verdict.json, and witness.json where something was refuted. Raises OSError where
        the folder cannot be written to.
        """
        from filterproof.mc.runs.output import OutputFolder
        from filterproof.reports.pages.examination_page import examination_page

        folder = Path(out)
        contents = {
            "verdict.json": self.json(),
            "report.html": examination_page(self, folder),
        }
        if self.witness is not None:
            contents["witness.json"] = _text(self.witness.to_data())
        with OutputFolder(folder) as files:
            for name, content in contents.items():
                files.add(name, content.encode())
            if self.witness is None:
                files.drop("witness.json")  # of an earlier examination: beside this verdict it would mislead
        return folder / "report.html"

    def _repr_html_(self) -> str:
        from filterproof.reports.pages.examination_page import examination_fragment

        return examination_fragment(self)


def _text(data: object) -> str:
    return json.dumps(data, indent=2) + "\n"


def assert_holds(
    filt: PrivacyFilter,
    *,
    effort: float = 1.0,
    seconds: float | None = None,
    mechanisms: Sequence[str] | None = None,
    seed: int = SEED,
) -> Examined:
    """Examine a filter, and raise AssertionError if its promise is refuted or it could not be examined.

    The message has the verdict and the witness as Python to paste, which plays it again without files. **Passing is
    no proof**: the promise then HOLDS, or is UNDECIDED, which says only that nothing was found with that effort; look
    at the `verdict` of what is returned. Could not be examined means that the filter's code is at fault, that it admits
    nothing, or that it did not answer before `seconds`, a limit that is off by default.
    """
    __tracebackhide__ = True  # pytest shows the caller's line
    exam = verify(filt, effort=effort, seconds=seconds, mechanisms=mechanisms, seed=seed)
    if told := failure(exam):
        raise AssertionError(told)
    return exam


def failure(exam: Examined) -> str:
    """Why an examined filter fails a test, '' if it passes."""
    if exam.ending in (Ending.HOLDS, Ending.UNDECIDED):
        return ""
    lines = [exam.sentence, *exam.faults, *filter(None, [exam.stopped])]
    if exam.witness is not None:
        lines += [
            str(exam.witness),
            "To play it again:",
            "",
            textwrap.indent(replay_snippet(exam.witness), "    "),
        ]
    return "\n".join(lines)
