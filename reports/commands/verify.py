"""`filterproof verify TARGET`: examine one filter, and print and write the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from filterproof.reports.commands.console import check_seed, clear_errors

#: The default time limit in seconds, which also ends a filter that never returns.
SECONDS = 1800.0


def verify(
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="[TARGET]",
            help="The filter, accountant or service, such as file.py::MyFilter or 'ZCDPFilter(0.5)'.",
        ),
    ] = None,
    exec_: Annotated[
        str | None,
        typer.Option("--exec", help="Examine a program that speaks JSON lines, in place of TARGET."),
    ] = None,
    promise: Annotated[
        str | None,
        typer.Option(
            help="Guarantee of the program or service: pure(1), approx(1, 1e-5), zcdp(0.5), gdp(1) or renyi(8, 1)."
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
    out: Annotated[Path, typer.Option(help="Folder for report.html and verdict.json.")] = Path(
        "filterproof-report"
    ),
    effort: Annotated[float, typer.Option(help="Amount of work. 1 takes about half a minute.")] = 1.0,
    seconds: Annotated[float, typer.Option(help="Time limit of the examination in seconds.")] = SECONDS,
    mechanisms: Annotated[
        str | None,
        typer.Option(
            help="Mechanisms to request: gaussian, rr, laplace, kov, erasure, subsampled, twopoint. Default: all."
        ),
    ] = None,
    thorough: Annotated[
        bool, typer.Option("--thorough", help="Continue after a refutation, and look for more.")
    ] = False,
    stages: Annotated[
        str | None,
        typer.Option(
            help="Stages to run: invariants, denials, schedules, certificate, source, sequences, games, search. "
            "Default: all."
        ),
    ] = None,
    kernel: Annotated[
        bool,
        typer.Option(
            "--kernel",
            help="Write a source proof to OUT/NAME_proof.v, and compile the file if coqc is installed.",
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the verdict as JSON.")] = False,
    seed: Annotated[int | None, typer.Option(help="Random seed.")] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(help="Time limit of the command in seconds. Default: --seconds and a minute."),
    ] = None,
) -> None:
    """Examine the guarantee of one filter, accountant, service or program, and write a report."""
    with clear_errors():
        if target is None and exec_ is None:
            raise ValueError(
                "verify needs a filter (target=None); name file.py::MyFilter, 'ZCDPFilter(0.5)' or --exec, or run "
                "`filterproof report`, which examines every filter of the library"
            )
        if against is not None and (mechanisms is not None or as_json):
            raise ValueError(
                f"--against excludes --mechanisms and --json (against={against!r}); remove one of the options"
            )
        if kernel and (as_json or against is not None):
            raise ValueError("--kernel excludes --json and --against; remove one of the options")
        check_seed(seed)
    from filterproof.mc.examine.verification import SEED
    from filterproof.reports.commands.verify_target import compare_decisions, verify_target

    program = (exec_, promise, labels, over)
    options: dict[str, Any] = {
        "effort": effort,
        "seconds": seconds,
        "seed": SEED if seed is None else seed,
    }
    if against is not None:
        compare_decisions(target, against, program=program, **options)
        return
    for name, words in (("mechanisms", mechanisms), ("stages", stages)):
        options[name] = None if words is None else [word.strip() for word in words.split(",")]
    verify_target(target, out, program=program, as_json=as_json, kernel=kernel, thorough=thorough, **options)


def process_time_limit(given: Mapping[str, Any]) -> float | None:
    """Return the time limit of the examining process in seconds; None if it examines nothing."""
    if given["target"] is None and given["exec_"] is None:
        return None
    return float(given["seconds"] + 60) if 0 < given["seconds"] < float("inf") else None
