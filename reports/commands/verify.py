"""`filterproof verify`: the main job, or the audit of a filter of one's own."""

from __future__ import annotations

import json
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from mc import LocalPool
from reports.commands.console import clear_errors, styled

__all__ = ["verify"]


def verify(
    target: Annotated[
        str | None,
        typer.Argument(help="A filter of your own, file.py::MyFilter; without it, the papers' filters."),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for report.html, verdicts.json and figures.")] = Path(
        "filterproof-report"
    ),
    quick: Annotated[bool, typer.Option("--quick", help="A twentieth of the runs.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print verdicts.json instead of a table.")] = False,
    seed: Annotated[int, typer.Option(help="The seed of every simulation.")] = 20_210_825,
) -> None:
    """Run the main job and write the report."""
    from reports.chapters import CHAPTERS
    from reports.chapters.audit import audit
    from reports.output import OutputFolder
    from reports.study import Study
    from reports.user_filter import load_filter
    from reports.verify import tell, verdicts_document, write_report

    started = time.perf_counter()
    console = Console(stderr=True)
    with clear_errors():
        if seed < 0:
            raise ValueError(
                f"seed must be an integer >= 0, got seed={seed}; pass --seed with a whole number"
            )
        with OutputFolder(out):
            pass  # an unusable folder is found out before the work, not after it
        chapters = CHAPTERS
        study = Study(quick=quick, seed=seed)
        if target is not None:
            filt = load_filter(target)
            chapters = (audit(filt, name=target.rpartition("::")[2]),)
    with (
        Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            TimeElapsedColumn(),
            console=console,
            transient=True,
        ) as progress,
        ExitStack() as stack,
    ):
        task = progress.add_task("verify", total=len(chapters))
        study.on_progress = lambda text: progress.update(task, description=text)
        if target is None:
            study.executor = stack.enter_context(LocalPool())  # one pool for all simulations
            told = tell(chapters, study, on_chapter=lambda _: progress.advance(task))
        else:
            with clear_errors():
                told = tell(chapters, study)  # a user's class is not known by name in other processes
    with clear_errors():
        write_report(told, study, out, seconds=time.perf_counter() - started)
    findings = [finding for _, what in told for finding in what.findings]
    if as_json:
        sys.stdout.write(json.dumps(verdicts_document(told, study), indent=2) + "\n")
    else:
        table = Table("Claim", "Verdict", "Evidence", "Expected")
        for finding in findings:
            table.add_row(
                finding.claim.sentence,
                styled(finding.verdict),
                finding.verdict.evidence.name,
                "yes" if finding.as_expected else f"[bold red]no, {finding.claim.expectation}[/]",
            )
        Console().print(table)
        Console().print(f"Report: {out / 'report.html'}", soft_wrap=True)
    if not all(finding.as_expected for finding in findings):
        raise typer.Exit(1)
