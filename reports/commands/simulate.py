"""`filterproof simulate`: one adversary against one filter, at any scale."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

import filterproof.mc.estimate.simulate
from filterproof.mc.engine.streams import MOST_PATHS
from filterproof.mc.estimate.estimator import Method
from filterproof.mc.estimate.functionals import IntervalName
from filterproof.mc.estimate.survival import survival
from filterproof.mc.examine.filter_fault import examining
from filterproof.reports.commands.console import clear_errors, clear_faults, complain, say
from filterproof.reports.commands.exit_status import End, ExitStatus
from filterproof.reports.target_expression import read_adversary, read_filter
from filterproof.theory.argument_checks import check_count
from filterproof.theory.numerics import decimals

#: Runs of one round that show whether the filter admits anything.
_GLANCE = 256


def simulate(
    filter_: Annotated[
        str, typer.Argument(metavar="FILTER", help="'GaussianFilter(mu=1.0)' or file.py::MyFilter.")
    ],
    adversary: Annotated[str, typer.Argument(help="'LossChasing', 'Constant(Gaussian(mu=0.1))', ...")],
    epsilon: Annotated[float, typer.Option(help="Where to estimate the hockey-stick divergence, in nats.")],
    n: Annotated[float, typer.Option("-n", "--paths", "--runs", help="Simulated runs, such as 1e7.")] = 1e6,
    seed: Annotated[int, typer.Option(help="The seed; the same seed gives the same bits.")] = 0,
    rounds: Annotated[int | None, typer.Option(help="At most so many rounds.")] = None,
    method: Annotated[Method, typer.Option(help="How to estimate.")] = "auto",
    confidence: Annotated[float, typer.Option(help="Of the interval.")] = 1 - 1e-6,
    interval: Annotated[
        IntervalName,
        typer.Option(help="Bets are made for n paths: KL-Chernoff serves a larger n from the same store."),
    ] = "auto",
    store: Annotated[
        Path | None, typer.Option(help="A file that keeps finished work; the same call resumes.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="Processes on this machine; default: all cores.")
    ] = None,
    scheduler: Annotated[str | None, typer.Option(help="A Dask scheduler, tcp://host:8786, instead.")] = None,
    time_limit: Annotated[float | None, typer.Option(help="At most so many seconds.")] = None,
) -> None:
    """Estimate what one adversary gets out of one filter; with --store nothing finished is ever lost."""
    bar = Progress(
        TextColumn("{task.fields[so_far]}"),
        BarColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        disable=not Console(stderr=True).is_terminal,
    )
    with clear_errors(), ExitStack() as stack:
        paths = check_count("n", n, 2, most=MOST_PATHS, remedy="play fewer, or several runs of other seeds")
        filt, foe = read_filter(filter_), read_adversary(adversary)
        if "::" in filter_:
            stack.enter_context(examining(filt))
        executor = stack.enter_context(filterproof.mc.cluster(scheduler)) if scheduler is not None else None
        stack.enter_context(bar)
        task = bar.add_task("", total=n, so_far="starting", rate="")
        hints: list[str] = []

        def told(
            progress: filterproof.mc.Progress, so_far: tuple[filterproof.mc.Estimate, ...] | None
        ) -> None:
            interval = decimals.interval(so_far[0].low, so_far[0].high, 4) if so_far else "starting"
            if bar.disable and not hints and (hint := _hint(progress, kept=store is not None)):
                hints.append(hint)
                complain(hint)
            bar.update(task, completed=progress.done, so_far=escape(interval), rate=f"{progress.rate:,.0f}/s")

        try:
            estimate = filterproof.mc.estimate.simulate.simulate(
                filt,
                foe,
                epsilon=epsilon,
                n=paths,
                seed=seed,
                rounds=rounds,
                confidence=confidence,
                method=method,
                interval=interval,
                store=store,
                workers=1 if "::" in filter_ and workers is None else workers,
                executor=executor,
                progress=told,
            )
        except filterproof.mc.Interrupted as stopped:
            bar.stop()
            complain(stopped)
            raise End(ExitStatus.INTERRUPTED) from stopped
    with clear_faults(filter_, filt):
        promised = float(filt.promise.delta(epsilon))
        console = Console(highlight=False)
        say(estimate)
        say(f"promised {promised:.6g} by {filt.promise}")
        if estimate.low > promised:
            console.print("The whole interval lies above the promise: REFUTED.", style="red")
            raise End(ExitStatus.NOT_AS_EXPECTED)
        if estimate.value == 0 and survival(filt, foe, rounds=1, n=_GLANCE, seed=seed).at[0].value == 0:
            complain(f"nothing was admitted: {_GLANCE} plays ended with the first request denied")
            raise End(ExitStatus.NOTHING_TRIED)


def _hint(progress: filterproof.mc.Progress, *, kept: bool) -> str:
    """One line for a run that will take minutes, '' for others and for the first second."""
    left = progress.remaining_seconds
    if progress.seconds < 1 or left < 60:
        return ""
    units = {"days": 86400, "hours": 3600, "minutes": 60}
    unit, size = next((unit, size) for unit, size in units.items() if left >= size)
    advice = "Ctrl-C keeps what is done" if kept else "pass --store to keep what is done"
    rate = f"{left / size:.2g} {unit} more at {progress.rate:,.0f} a second"
    return f"{progress.total:,} paths take about {rate}; {advice}"
