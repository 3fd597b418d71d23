"""`filterproof verify`: the main job, or the audit of a filter of one's own."""

from __future__ import annotations

import json
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from mc import LocalPool
from mc.examine.witness import witness_kind
from reports.commands.console import clear_errors, complain, styled
from reports.commands.exit_status import End, ExitStatus

if TYPE_CHECKING:
    from reports.finding import Chapter

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
    time_limit: Annotated[float | None, typer.Option(help="At most so many seconds.")] = None,
) -> None:
    """Run the main job and write the report."""
    from mc.examine.fault import examining
    from reports.chapters import CHAPTERS
    from reports.chapters.audit import audit
    from reports.output import OutputFolder
    from reports.replaying import replay_command
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
            pass  # reports an unusable folder before the work
        chapters = CHAPTERS
        study = Study(quick=quick, seed=seed)
        if target is not None:
            filt = load_filter(target)
            with examining(filt):
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
        doing = ["starting"]
        over: list[Chapter] = []

        def on_progress(text: str) -> None:
            doing[:] = [text]
            progress.update(task, description=text)

        def on_chapter(chapter: Chapter) -> None:
            over.append(chapter)
            progress.update(task, completed=len(over) - 1)

        study.on_progress = on_progress
        pool = stack.enter_context(LocalPool()) if target is None else None  # one pool for all simulations
        study.executor = pool
        try:
            if target is None:
                told = tell(chapters, study, on_chapter=on_chapter)
            else:  # in this process: other processes cannot import a user's class by name
                with clear_errors(), examining(filt):
                    told = tell(chapters, study, on_chapter=on_chapter)
        except KeyboardInterrupt as stopped:
            if pool is not None:
                pool.kill()
            progress.stop()
            complain(
                f"interrupted after {time.perf_counter() - started:.0f} s, in chapter {len(over)} of {len(chapters)} "
                f"({doing[0]}); nothing was decided or written, what was done is lost, and verify starts anew"
            )
            raise End(ExitStatus.INTERRUPTED) from stopped
    with clear_errors(), ExitStack() as stack:
        if target is not None:
            stack.enter_context(examining(filt))
        write_report(told, study, out, seconds=time.perf_counter() - started, target=target)
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
            for finding in findings if target is not None else ():
                Console(highlight=False).print(finding.verdict.detail, markup=False, soft_wrap=True)
                if witness_kind(finding.verdict.witness) is not None:
                    again = replay_command(out / "verdicts.json", finding.claim.key, target=target)
                    Console(highlight=False).print(f"Again: {again}", markup=False, soft_wrap=True)
        if not all(finding.as_expected for finding in findings):
            raise End(ExitStatus.NOT_AS_EXPECTED)
        if study.made == 0:
            raise End(ExitStatus.NOTHING_TRIED)
