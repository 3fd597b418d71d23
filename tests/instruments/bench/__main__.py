"""`python -m tests.instruments.bench`: what a path-round costs beside its random number, our answers beside others'.

Every ratio is taken in pairs, the two in turn in one process, and its median is printed: absolute times on a shared
machine mean little, and processor time more than that of the clock. `--before` prints what the engine, people and
sessions cost in an earlier revision of this library, measured in the same run, beside what they cost now. `--full`
takes a million paths, and a thousand million path-rounds for the memory. `--only` takes some of the parts, `--out`
writes what was measured as JSON.
"""

import argparse
import datetime
import json
import platform
import resource
from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from subprocess import CalledProcessError
from typing import Any, TypeAlias

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from mc.engine.streams import TILE
from mc.runs.executors import cores
from mc.runs.play import play
from tests.instruments.bench.audits import audits
from tests.instruments.bench.engine import PLAIN, on_a_cluster, rates, raw_seconds, scaling, starts
from tests.instruments.bench.estimators import worth
from tests.instruments.bench.exact import solved
from tests.instruments.bench.games import GAMES
from tests.instruments.bench.measured import Row, measured, predecessor
from tests.instruments.bench.peers import compare
from tests.instruments.bench.people import kept, summed
from tests.instruments.bench.scale import grown
from tests.instruments.bench.sessions import asked

#: What a process of its own measures, by the name that it is asked for.
MEASURES: dict[str, Callable[..., list[Row]]] = {
    "rates": rates,
    "starts": starts,
    "cluster": on_a_cluster,
    "summed": summed,
    "asked": asked,
}
#: A row as it was in an earlier revision, empty where that is not known, and as it is.
Pair: TypeAlias = tuple[Row, Row]


@dataclass(frozen=True, slots=True)
class Run:
    """How much is measured, and the folder of an earlier revision of this library, where there is one."""

    full: bool
    before: Path | None

    @property
    def paths(self) -> int:
        return 1_000_000 if self.full else 8 * TILE

    @property
    def repeats(self) -> int:
        return 7 if self.full else 5

    def pairs(self, what: str, *numbers: int, fast: bool = True) -> list[Pair]:
        """Each row as it was and as it is, each measured in a process of its own."""
        now = measured(what, *numbers, fast=fast)
        before: list[Row] = [{}] * len(now)
        if self.before is not None:
            with suppress(CalledProcessError):  # it may not have what is measured
                before = measured(what, *numbers, fast=fast, root=self.before)
        return list(zip(before, now, strict=True))

    def both(self, what: str, *numbers: int) -> list[Pair]:
        """The same with NumPy alone and with the compiled kernels, a row for both."""
        numpy, compiled = (self.pairs(what, *numbers, fast=fast) for fast in (False, True))
        return [
            (_joined(slow[0], quick[0]), _joined(slow[1], quick[1]))
            for slow, quick in zip(numpy, compiled, strict=True)
        ]


def _joined(numpy: Row, compiled: Row) -> Row:
    named = {name: numpy[name] for name in ("game", "work") if name in numpy}
    return named | {"numpy": numpy, "compiled": compiled} if numpy and compiled else {}


def _alone(rows: list[Row]) -> list[Pair]:
    return [({}, row) for row in rows]


@dataclass(frozen=True, slots=True)
class Shown:
    """A table: its name in the record, title, the head and the format of each column, and what measures its rows."""

    name: str
    title: str
    columns: dict[str, str]
    rows: Callable[[Run], list[Pair]]

    def printed(self, console: Console, run: Run) -> dict[str, list[Row]]:
        """Print it, and give its rows for the record."""
        rows = self.rows(run)
        table = Table(title=self.title)
        for place, head in enumerate(self.columns):
            table.add_column(head, justify="right" if place else "left")
        for pair in rows:
            table.add_row(*(escape(_cell(form, pair)) for form in self.columns.values()))
        console.print(table)
        return {self.name: [now for _, now in rows]}


def _cell(form: str, pair: Pair) -> str:
    """A cell as it was, where that is another, and as it is; empty where its row has no such number."""
    cells = []
    for row in filter(None, pair):
        with suppress(KeyError, TypeError):
            cells.append(form.format_map(row))
    return " -> ".join(dict.fromkeys(cells))


PARTS: dict[str, tuple[Shown, ...]] = {
    "engine": (
        Shown(
            "rates",
            "A path-round beside one raw SFC64 normal: medians of pairs",
            {
                "game": "{game}",
                "rounds": "{numpy[rounds]:.0f}",
                "NumPy: ratio": "{numpy[ratio]:.2f}",
                "NumPy: ns": "{numpy[ns]:.1f}",
                "compiled: ratio": "{compiled[ratio]:.2f}",
                "compiled: ns": "{compiled[ns]:.1f}",
            },
            lambda run: run.both("rates", run.paths, run.repeats),
        ),
        Shown(
            "starts",
            "A simulation of few paths beside n x rounds raw normals",
            {
                "filter and adversary": "{game}",
                "n": "{n:,}",
                "the first: ratio": "{ratio:.1f}",
                "ms": "{ms:.1f}",
                "again: ratio": "{again:.1f}",
            },
            lambda run: run.pairs("starts", run.repeats),
        ),
        Shown(
            "cluster",
            "A run by one worker of a Dask cluster over the same in one process, processor time",
            {"paths": "{paths:,}", "ratio": "{ratio:.2f}", "the same bits": "{same}"},
            lambda run: run.pairs("cluster", run.repeats),
        ),
        Shown(
            "two_workers",
            "How many times as fast as one worker two are",
            {"with their pool": "{with_pool:.2f}", "in a warm pool": "{warm:.2f}"},
            lambda run: _alone(scaling(3)),
        ),
    ),
    "estimators": (
        Shown(
            "estimators",
            "Variance x time of plain simulation over that of the estimator, budget left over",
            {
                "game": "{game}",
                "delta": "{delta:.0e}",
                "tilted": "{gains[tilted]:.3g}",
                "martingale": "{gains[martingale]:.3g}",
            },
            lambda run: _alone(worth(3)),
        ),
    ),
    "exact": (
        Shown(
            "exact",
            "Exact games and attacks, once each",
            {"work": "{work}", "seconds": "{seconds:.2f}"},
            lambda run: _alone(solved()),
        ),
    ),
    "peers": (
        Shown(
            "peers",
            "Compositions, in turn, medians",
            {
                "rounds, and the reference": "{rounds} x {work}, epsilon {epsilon:g}: {reference:.7g}",
                "by": "{by}",
                "delta": "{value:.6g}",
                "relative error": "{error:+.1e}",
                "bounds hold": "{encloses}",
                "seconds": "{seconds:.1e}",
                "times ours": "{times:.2g}",
                "absent": "{absent}",
            },
            lambda run: _alone(compare(run.repeats)),
        ),
    ),
    "people": (
        Shown(
            "people",
            "A round of people beside a plain sum of doubles: medians",
            {
                "work": "{work}",
                "people": "{numpy[people]:,}",
                "NumPy: ratio": "{numpy[ratio]:.2f}",
                "NumPy: ms": "{numpy[ms]:.0f}",
                "compiled: ratio": "{compiled[ratio]:.2f}",
                "compiled: ms": "{compiled[ms]:.0f}",
                "bytes a person": "{compiled[bytes]:.1f}",
            },
            lambda run: run.both("summed", 10_000_000, run.repeats),
        ),
        Shown(
            "kept",
            "Linear queries that are on the disk before they are answered",
            {"query": "{query}", "people": "{people:,}", "ms": "{ms:.1f}"},
            lambda run: _alone(kept(1_000_000, 4 * run.repeats)),
        ),
    ),
    "sessions": (
        Shown(
            "sessions",
            "A request of a session: medians",
            {"request": "{request}", "us": "{us:.1f}", "millionths of a unit": "{ratio:.1f}"},
            lambda run: run.pairs("asked", run.repeats),
        ),
    ),
    "audits": (
        Shown(
            "audits",
            "Draws until mu-GDP that is sold as 1-GDP is refused, failure .05: medians; empty where never",
            {
                "mu": "{mu:g}",
                "bets on the curve": "{curve:,.0f}",
                "on its best epsilon": "{best_epsilon:,.0f}",
                "on its worst": "{worst_epsilon:,.0f}",
                "a band on both error rates": "{band:,.0f}",
            },
            lambda run: _alone(audits(25)),
        ),
    ),
    "scale": (
        Shown(
            "scale",
            "What a unit costs as work grows, one process, once each",
            {
                "work": "{work}",
                "units": "{size:,}",
                "seconds a unit": "{seconds:.2e}",
                "bytes a unit": "{bytes:.2f}",
            },
            lambda run: _alone(grown(10**9 if run.full else 10**7)),
        ),
    ),
}


def main() -> None:
    """Print the tables of the parts that are asked for, and write them."""
    parser = argparse.ArgumentParser(prog="python -m tests.instruments.bench", description=__doc__)
    parser.add_argument(
        "--full", action="store_true", help="a million paths, and the memory of 10^9 path-rounds"
    )
    parser.add_argument("--only", nargs="+", choices=PARTS, help="these parts alone")
    parser.add_argument("--out", type=Path, help="a file for what was measured, as JSON")
    parser.add_argument("--before", metavar="REVISION", help="print what an earlier revision costs, too")
    parser.add_argument("--measure", nargs="+", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.measure:
        what, *numbers = chosen.measure
        print(json.dumps(MEASURES[what](*map(int, numbers))))
        return
    console = Console(width=150)
    console.print(f"one raw SFC64 normal: {raw_seconds(2_000_000) / 2e-3:.1f} ns")
    with nullcontext() if chosen.before is None else predecessor(chosen.before) as before:
        if before is not None:
            console.print(f"each figure as it was in {chosen.before} -> as it is")
        _measure(console, Run(chosen.full, before), chosen)


def _measure(console: Console, run: Run, chosen: argparse.Namespace) -> None:
    record: dict[str, Any] = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "cores": cores(),
        "repeats": run.repeats,
        "paths": run.paths,
    }
    for name in chosen.only or PARTS:
        for shown in PARTS[name]:
            record |= shown.printed(console, run)
    if run.full:
        play(GAMES["GDP filter, LossChasing"](), PLAIN, n=10_500_000, workers=1)
        record["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        console.print(f"peak memory after 10^9 path-rounds: {record['peak_mb']:.0f} MB")
    if chosen.out is not None:
        chosen.out.write_text(json.dumps(record, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
