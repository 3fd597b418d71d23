"""`filterproof verify`: examine every filter of the library, or one filter."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table

from filterproof.mc import LocalPool
from filterproof.reports.commands.console import OUTCOME_STYLE, check_folder, clear_errors, complain, styled
from filterproof.reports.commands.exit_status import End, ExitStatus

if TYPE_CHECKING:
    from filterproof.reports.chapter import Chapter
    from filterproof.reports.finding import Told
    from filterproof.reports.pages.overview import Row
    from filterproof.reports.study import Study


def verify(
    target: Annotated[
        str | None,
        typer.Argument(
            help="The filter or accountant, such as file.py::MyFilter or 'ZCDPFilter(0.5)'. Default: all filters."
        ),
    ] = None,
    exec_: Annotated[
        str | None,
        typer.Option("--exec", help="Examine a program that speaks JSON lines, in place of TARGET."),
    ] = None,
    promise: Annotated[
        str | None,
        typer.Option(
            help="Guarantee of the program: pure(1), approx(1, 1e-5), zcdp(0.5), gdp(1) or renyi(8, 1)."
        ),
    ] = None,
    labels: Annotated[
        str | None,
        typer.Option(
            help="Labels of the program's requests: 'site=a,b epoch=1+2'. + joins labels that one request may have."
        ),
    ] = None,
    over: Annotated[
        str | None, typer.Option(help="The record that the guarantee covers, such as 'site=a epoch=1'.")
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            help="Another filter or program. Find the first request that the two decide differently."
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the report, the data and the figures.")] = Path(
        "filterproof-report"
    ),
    effort: Annotated[
        float | None,
        typer.Option(help="Amount of work for TARGET. Default: 1, about half a minute; 0.1 with --quick."),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(help="Time limit of the examination of TARGET in seconds. Default: 1800."),
    ] = None,
    mechanisms: Annotated[
        str | None,
        typer.Option(
            help="Mechanisms for TARGET: gaussian, rr, laplace, kov, erasure, subsampled, twopoint. Default: all."
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A twentieth of the simulated runs, or a tenth of the effort.")
    ] = False,
    thorough: Annotated[
        bool,
        typer.Option("--thorough", help="Continue after a refutation, and look for more."),
    ] = False,
    stages: Annotated[
        str | None,
        typer.Option(
            help="Stages for TARGET: invariants, schedules, certificate, source, sequences, games, search. "
            "Default: all."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the verdict as JSON.")] = False,
    seed: Annotated[int | None, typer.Option(help="Random seed.")] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            help="Time limit of the command in seconds. Default for TARGET: --seconds and a minute."
        ),
    ] = None,
) -> None:
    """Examine the guarantee of TARGET, or of every filter of the library, and write a report."""
    with clear_errors():
        if seed is not None and seed < 0:
            raise ValueError(f"the seed is negative (seed={seed}); pass an integer >= 0")
        program = (exec_, promise, labels, over)
        if target is not None and any(word is not None for word in program):
            raise ValueError(
                f"--exec, --promise, --labels and --over describe a program and not a file (target={target!r}); "
                "remove TARGET or these options"
            )
        named = next((word for word in (target, *program) if word is not None), None)
        if against is not None and (named is None or mechanisms is not None or as_json):
            raise ValueError(
                f"--against needs TARGET or --exec, and excludes --mechanisms and --json (against={against!r}); "
                "name file.py::MyFilter first"
            )
        if named is None and (thorough or (effort, seconds, mechanisms, stages) != (None,) * 4):
            raise ValueError(
                "--effort, --seconds, --mechanisms, --stages and --thorough need a filter (target=None); "
                "name file.py::MyFilter"
            )
    if named is not None:
        from filterproof.reports.commands.verify_one import SECONDS, verify_one

        chosen = {
            name: None if words is None else [word.strip() for word in words.split(",")]
            for name, words in (("mechanisms", mechanisms), ("stages", stages))
        }
        limits = {
            "effort": effort if effort is not None else 0.1 if quick else 1.0,
            "seconds": SECONDS if seconds is None else seconds,
        }
        if against is not None:
            from filterproof.reports.commands.verify_one import against as compare

            compare(target, against, program=program, seed=seed, **limits)
            return
        how: dict[str, Any] = {"thorough": thorough, **chosen, **limits}
        verify_one(target, out, program=program, as_json=as_json, seed=seed, **how)
    else:
        _main_job(out, quick=quick, as_json=as_json, seed=seed)


def limit_of(given: Mapping[str, Any]) -> float | None:
    """The time limit in seconds of the process that examines a target; None for the main job."""
    from filterproof.reports.commands.verify_one import SECONDS

    if given.get("target") is None and given.get("exec_") is None:
        return None
    seconds = given.get("seconds") or SECONDS
    return float(seconds + 60) if 0 < seconds < float("inf") else None


def _main_job(out: Path, *, quick: bool, as_json: bool, seed: int | None) -> None:
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
            sys.stdout.write(json.dumps(verdicts_document(told, study), indent=2) + "\n")
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
            "decided or written; run verify again from the start"
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
        verdict = f"[{OUTCOME_STYLE[row.verdict.outcome]}]{row.badge.words}[/]"
        most = "" if row.most is None else percent(row.most)
        table.add_row(row.subject.name, row.promise, verdict, most, percent(row.least))
    return table
