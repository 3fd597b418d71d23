"""`filterproof simulate`: simulate one adversary against one filter."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from filterproof.reports.commands.console import (
    clear_errors,
    clear_faults,
    print_error,
    print_json,
    print_text,
)
from filterproof.reports.commands.exit_status import CommandEnd, ExitStatus

if TYPE_CHECKING:
    from filterproof.mc import Estimate, Progress

#: Runs of one round that check whether the filter admits a request.
_GLANCE = 256


def simulate(
    filter_: Annotated[
        str,
        typer.Argument(
            metavar="FILTER", help="The filter, such as 'GaussianFilter(mu=1.0)' or file.py::MyFilter."
        ),
    ],
    adversary: Annotated[
        str,
        typer.Argument(
            metavar="ADVERSARY",
            help="The adversary, such as HighWhileLossPositive or 'Constant(Gaussian(mu=0.1))'.",
        ),
    ],
    epsilon: Annotated[float, typer.Option(help="Epsilon of the hockey-stick divergence, in nats.")],
    n: Annotated[
        float, typer.Option("-n", "--paths", "--runs", help="Number of simulated runs, such as 1e7.")
    ] = 1e6,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
    rounds: Annotated[int | None, typer.Option(help="Largest number of rounds of a run.")] = None,
    method: Annotated[str, typer.Option(help="Estimator: auto, plain, tilted or martingale.")] = "auto",
    confidence: Annotated[float, typer.Option(help="Confidence level of the interval.")] = 1 - 1e-6,
    store: Annotated[
        Path | None, typer.Option(help="File that stores finished work. The same command resumes it.")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Number of processes. Default: all cores.")] = None,
    scheduler: Annotated[
        str | None, typer.Option(help="Dask scheduler, such as tcp://host:8786, in place of processes.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the estimate as JSON.")] = False,
    time_limit: Annotated[float | None, typer.Option(help="Time limit in seconds.")] = None,
) -> None:
    """Estimate the hockey-stick divergence that one adversary reaches against one filter."""
    from rich import progress
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn

    from filterproof import mc
    from filterproof.mc.engine.streams import MAX_PATHS
    from filterproof.mc.estimate.simulate import simulate as run
    from filterproof.mc.estimate.survival import release_survival
    from filterproof.mc.examine.filter_fault import filter_faults_raised
    from filterproof.reports.target_expression import read_adversary, read_filter
    from filterproof.theory.argument_checks import check_count, check_delta
    from filterproof.theory.numerics import decimals

    bar = progress.Progress(
        TextColumn("{task.fields[so_far]}"),
        BarColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        disable=not Console(stderr=True).is_terminal,
    )
    with clear_errors(), ExitStack() as stack:
        paths = check_count("n", n, 2, most=MAX_PATHS, remedy="simulate fewer runs, or several seeds")
        filt, foe = read_filter(filter_), read_adversary(adversary)
        if "::" in filter_:
            stack.enter_context(filter_faults_raised(filt))
        executor = stack.enter_context(mc.cluster(scheduler)) if scheduler is not None else None
        stack.enter_context(bar)
        task = bar.add_task("", total=n, so_far="starting", rate="")
        hints: list[str] = []

        def show_progress(progress: Progress, so_far: tuple[Estimate, ...] | None) -> None:
            interval = decimals.interval(so_far[0].low, so_far[0].high, 4) if so_far else "starting"
            if bar.disable and not hints and (hint := _progress_hint(progress, restored=store is not None)):
                hints.append(hint)
                print_error(hint)
            bar.update(task, completed=progress.done, so_far=escape(interval), rate=f"{progress.rate:,.0f}/s")

        options: dict[str, Any] = {"method": method}
        try:
            estimate = run(
                filt,
                foe,
                epsilon=epsilon,
                n=paths,
                seed=seed,
                rounds=rounds,
                failure=1 - float(check_delta("confidence", confidence)),
                store=store,
                workers=1 if "::" in filter_ and workers is None else workers,
                executor=executor,
                progress=show_progress,
                **options,
            )
        except mc.Interrupted as stopped:
            bar.stop()
            print_error(stopped)
            raise CommandEnd(ExitStatus.INTERRUPTED) from stopped
    with clear_faults(filter_, filt):
        promised = float(filt.promise.delta(epsilon))
        refuted = estimate.low > promised
        if as_json:
            (row,) = estimate.rows()
            data = {
                "filter": filter_,
                "guarantee": str(filt.promise),
                "adversary": adversary,
                "epsilon": epsilon,
            }
            print_json(data | {"seed": seed, "promised_delta": promised, "estimate": row, "refuted": refuted})
        else:
            print_text(estimate)
            print_text(f"The guarantee {filt.promise} allows {promised:.6g}.")
            if refuted:
                print_text("REFUTED: the whole interval lies above the guarantee.", style="red")
        if refuted:
            raise CommandEnd(ExitStatus.NOT_AS_EXPECTED)
        if (
            estimate.value == 0
            and release_survival(filt, foe, rounds=1, n=_GLANCE, seed=seed).at[0].value == 0
        ):
            print_error(
                f"the filter denies the first request in {_GLANCE} of {_GLANCE} runs; nothing was simulated"
            )
            raise CommandEnd(ExitStatus.NOTHING_TRIED)


def _progress_hint(progress: Progress, *, restored: bool) -> str:
    """One line about a simulation that takes minutes; '' for shorter ones and in the first second."""
    left = progress.remaining_seconds
    if progress.seconds < 1 or left < 60:
        return ""
    units = {"days": 86400, "hours": 3600, "minutes": 60}
    unit, size = next((unit, size) for unit, size in units.items() if left >= size)
    advice = "Ctrl-C keeps the finished work" if restored else "pass --store to keep finished work"
    rate = f"{left / size:.2g} more {unit} at {progress.rate:,.0f} a second"
    return f"{progress.total:,} runs take about {rate}; {advice}"
