"""`filterproof report`: examine every filter of the library, and write the report."""

from __future__ import annotations

import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from filterproof.reports.commands.console import (
    OUTCOME_STYLE,
    check_folder,
    check_seed,
    clear_errors,
    complain,
    print_json,
    styled,
)
from filterproof.reports.commands.exit_status import End, ExitStatus

if TYPE_CHECKING:
    from rich.progress import Progress

    from filterproof.mc import LocalPool
    from filterproof.reports.chapter import Chapter
    from filterproof.reports.finding import Told
    from filterproof.reports.pages.overview import Row
    from filterproof.reports.study import Study


def report(
    out: Annotated[Path, typer.Option(help="Folder for the pages, the data and the figures.")] = Path(
        "filterproof-report"
    ),
    quick: Annotated[bool, typer.Option("--quick", help="Simulate a twentieth of the runs.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the verdicts as JSON.")] = False,
    seed: Annotated[int | None, typer.Option(help="Random seed.")] = None,
    time_limit: Annotated[float | None, typer.Option(help="Time limit of the command in seconds.")] = None,
) -> None:
    """Examine every filter of the library, and write the report."""
    with clear_errors():
        check_seed(seed)
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from filterproof.mc import LocalPool

    started = time.perf_counter()
    with (
        LocalPool(ready=("filterproof.reports.chapters",)) as pool,
        Progress(
            *(SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()),
            console=Console(stderr=True),
            transient=True,
        ) as doing,
    ):  # imported while this process does
        task = doing.add_task("starting", total=None)
        from filterproof.reports.report import rows_of, verdicts_document, write_report
        from filterproof.reports.study import Study

        import_module("filterproof.reports.chapters")
        with clear_errors():
            check_folder(out)
            study = Study(quick=quick) if seed is None else Study(quick=quick, seed=seed)
        study.executor = pool
        study.on_progress = lambda text: doing.update(task, description=text)
        told = _told(study, pool, doing)
        rows, unwritten = rows_of(told, study), None
        try:
            with clear_errors():
                write_report(told, study, out, rows=rows, seconds=time.perf_counter() - started)
        except End as end:  # a full disk must not keep the verdicts back
            unwritten = end
    with clear_errors():
        findings = [finding for _, what in told for finding in what.findings]
        unexpected = [finding for finding in findings if not finding.as_expected]
        if as_json:
            print_json(verdicts_document(told, study))
        else:
            console = Console()
            console.print(_filters_table(rows))
            for finding in unexpected:
                console.print(
                    f"[bold red]Not as expected[/], {finding.claim.expected.name}: {escape(finding.claim.sentence)} "
                    f"{styled(finding.result)}"
                )
            console.print(
                f"{len(findings) - len(unexpected)} of {len(findings)} claims have the expected verdict."
            )
            if unwritten is None:
                console.print(f"Report: {out / 'report.html'}", soft_wrap=True)
        if unexpected:
            raise End(ExitStatus.NOT_AS_EXPECTED)
        if unwritten is not None:
            raise unwritten


def _told(study: Study, pool: LocalPool, doing: Progress) -> list[tuple[Chapter, Told]]:
    """Run all chapters; Ctrl-C ends the pool."""
    from filterproof.reports.chapters import CHAPTERS
    from filterproof.reports.progress_text import tell

    (task,) = doing.tasks

    def on_chapter(chapter: Chapter) -> None:
        doing.update(task.id, completed=CHAPTERS.index(chapter), total=len(CHAPTERS))

    try:
        return tell(CHAPTERS, study, on_chapter=on_chapter)
    except KeyboardInterrupt as stopped:
        pool.kill()
        doing.stop()
        complain(
            f"interrupted in chapter {task.completed + 1:.0f} of {len(CHAPTERS)} ({task.description}); nothing was "
            "decided or written; run it again from the start"
        )
        raise End(ExitStatus.INTERRUPTED) from stopped


def _filters_table(rows: Sequence[Row]) -> Table:
    """A row for each filter; numbers are in units of the guaranteed delta."""
    from filterproof.reports.html_repr.numbers import percent

    table = Table(
        *("Filter", "Guarantee", "Verdict", "At most", "At least"),
        caption="Bounds in units of the guaranteed delta. If a theorem covers the filter: certified bounds over all "
        "mechanisms. Otherwise: the best known attack.",
    )
    for row in rows:
        verdict = f"[{OUTCOME_STYLE[row.verdict.outcome.name]}]{row.badge.words}[/]"
        most = "" if row.most is None else percent(row.most)
        table.add_row(row.subject.name, row.promise, verdict, most, percent(row.least))
    return table
