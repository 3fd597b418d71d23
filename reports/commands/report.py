"""`filterproof report`: examine every filter of the library, and write the report."""

from __future__ import annotations

import time
from collections.abc import Sequence
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
    outcome_markup,
    print_error,
    print_json,
)
from filterproof.reports.commands.exit_status import CommandEnd, ExitStatus

if TYPE_CHECKING:
    from filterproof.reports.pages.overview import OverviewRow


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
        LocalPool(preload=("filterproof.reports.report",)) as pool,
        Progress(
            *(SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()),
            console=Console(stderr=True),
            transient=True,
        ) as doing,
    ):  # imported while this process does
        task = doing.add_task("starting", total=None)
        from filterproof.reports.report import make_report, verdicts_document
        from filterproof.reports.study import Study

        with clear_errors():
            check_folder(out)
            study = Study(quick=quick) if seed is None else Study(quick=quick, seed=seed)

        def on_progress(words: str, done: int, of: int) -> None:
            doing.update(task, description=words, completed=done, total=of)

        try:
            library_report = make_report(study, executor=pool, on_progress=on_progress)
        except KeyboardInterrupt as stopped:
            pool.kill()
            doing.stop()
            (shown,) = doing.tasks
            print_error(
                f"interrupted in page {shown.completed + 1:.0f} of {shown.total or 0:.0f} ({shown.description}); "
                "nothing was decided or written; run it again from the start"
            )
            raise CommandEnd(ExitStatus.INTERRUPTED) from stopped
        unwritten = None
        try:
            with clear_errors():
                library_report.write(out, seconds=time.perf_counter() - started)
        except CommandEnd as end:  # a full disk must not keep the verdicts back
            unwritten = end
    with clear_errors():
        if as_json:
            print_json(verdicts_document(library_report))
        else:
            console = Console()
            console.print(_filters_table(library_report.rows))
            for finding in library_report.unexpected:
                console.print(
                    f"[bold red]Not as expected[/], {finding.claim.expected.name}: {escape(finding.claim.sentence)} "
                    f"{outcome_markup(finding.result)}"
                )
            console.print(library_report.summary)
            if unwritten is None:
                console.print(f"Report: {out / 'index.html'}", soft_wrap=True)
        if library_report.unexpected:
            raise CommandEnd(ExitStatus.NOT_AS_EXPECTED)
        if unwritten is not None:
            raise unwritten


def _filters_table(rows: Sequence[OverviewRow]) -> Table:
    """A row for each filter; numbers are in units of the guarantee."""
    table = Table(
        *("Filter", "Guarantee", "Verdict", "At most", "At least"),
        caption="Bounds in units of the guarantee. If a theorem covers the filter: certified bounds over all "
        "mechanisms. Otherwise: the best known attack.",
    )
    for row in rows:
        verdict = f"[{OUTCOME_STYLE[row.verdict.outcome.name]}]{row.badge.words}[/]"
        table.add_row(row.subject.name, row.guarantee, verdict, row.upper, row.lower)
    return table
