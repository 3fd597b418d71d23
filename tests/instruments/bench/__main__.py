"""`python -m tests.instruments.bench`: what a path-round costs beside its random number, our answers beside others'.

Every ratio is taken in pairs, the two in turn in one process, and its median is printed: absolute times on a shared
machine mean little, and processor time more than that of the clock. `--full` takes a million paths, and plays up to
a thousand million of them. `--only` takes some of the parts, `--out` writes what was measured as JSON.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from mc.engine.streams import TILE
from mc.runs.executors import cores
from tests.instruments.bench.audits import audits
from tests.instruments.bench.engine import starts
from tests.instruments.bench.estimators import worth
from tests.instruments.bench.games import solved
from tests.instruments.bench.peers import compare
from tests.instruments.bench.scale import grown

REPEATS = 5


def _rates(paths: int) -> list[dict[str, Any]]:
    """The rates of every game without and with compiled loops, each in a process of its own."""
    code = "import json; from tests.instruments.bench.engine import rates; "
    code += f"print(json.dumps(rates({paths}, {REPEATS})))"
    slow, quick = (
        json.loads(
            subprocess.run(
                [sys.executable, "-c", code],
                env=os.environ | {"FILTERPROOF_FAST": fast},
                check=True,
                capture_output=True,
            ).stdout
        )
        for fast in "01"
    )
    return [
        {"game": one["game"], "numpy": one, "compiled": two} for one, two in zip(slow, quick, strict=True)
    ]


class Part(NamedTuple):
    """A measurement: its title, the numbers of a row that are printed, and its rows, where `full` takes longer."""

    title: str
    shown: str
    rows: Callable[[bool], list[dict[str, Any]]]


def _paths(full: bool) -> int:
    return 1_000_000 if full else 8 * TILE


PARTS = {
    "rates": Part(
        "A path-round in raw normals, and its ns",
        "game numpy.rounds numpy.ratio numpy.ns compiled.ratio compiled.ns",
        lambda full: _rates(_paths(full)),
    ),
    "starts": Part(
        "A simulation of few paths in n x rounds raw normals, and its ms",
        "game n ratio ms",
        lambda full: starts(REPEATS),
    ),
    "estimators": Part(
        "Variance x time of plain simulation over that of the estimator, budget left over",
        "game delta gains.tilted gains.martingale",
        lambda full: worth(3),
    ),
    "exact": Part("Exact games, a calibration and attacks, once each", "work seconds", lambda full: solved()),
    "peers": Part(
        "Compositions by each accountant, in turn",
        "work rounds epsilon reference by value error encloses seconds times absent",
        lambda full: [asdict(row) for row in compare(REPEATS)],
    ),
    "audits": Part(
        "Draws until mu-GDP that is sold as 1-GDP is refused, failure .05: medians of 25 streams",
        "mu curve best_epsilon worst_epsilon band",
        lambda full: [asdict(row) for row in audits(25)],
    ),
    "scale": Part(
        "Seconds and bytes of a unit as work grows, one process, once each",
        "work size seconds bytes",
        lambda full: grown(10**9 if full else 10**7),
    ),
}


def _cell(row: dict[str, Any], name: str) -> str:
    value: Any = row
    for part in name.split("."):
        value = value.get(part)
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


def main() -> None:
    """Print the tables of the parts that are asked for, and write them."""
    parser = argparse.ArgumentParser(prog="python -m tests.instruments.bench", description=__doc__)
    parser.add_argument("--full", action="store_true", help="a million paths, and up to 10^9 of ten rounds")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="these parts alone")
    parser.add_argument("--out", type=Path, help="a file for what was measured, as JSON")
    chosen = parser.parse_args()
    console = Console(width=150)
    record: dict[str, Any] = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "cores": cores(),
        "repeats": REPEATS,
        "paths": _paths(chosen.full),
    }
    for name in chosen.only:
        part = PARTS[name]
        record[name] = part.rows(chosen.full)
        table = Table(*part.shown.split(), title=part.title)
        for row in record[name]:
            table.add_row(*(escape(_cell(row, column)) for column in part.shown.split()))
        console.print(table)
    if chosen.out is not None:
        chosen.out.write_text(json.dumps(record, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
