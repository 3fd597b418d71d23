"""`python -m tests.instruments.bench`: what a path-round costs beside its random number, our answers beside others'.

Every ratio is taken in pairs, the two in turn in one process, and its median is printed: absolute times on a shared
machine mean little. `--full` takes a million paths, and a thousand million path-rounds for the memory. `--only` takes
some of the parts, `--out` writes what was measured as JSON.
"""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import resource
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from mc.engine.streams import TILE
from mc.runs.executors import cores
from mc.runs.play import play
from tests.instruments.bench.audits import audits
from tests.instruments.bench.engine import PLAIN, in_a_process, rates, scaling, starts
from tests.instruments.bench.estimators import worth
from tests.instruments.bench.exact import solved
from tests.instruments.bench.games import GAMES
from tests.instruments.bench.peers import compare
from tests.instruments.bench.people import beside_a_plain_sum, kept, told
from tests.instruments.bench.scale import grown


def _table(console: Console, title: str, heads: str, rows: list[tuple[str, ...]]) -> None:
    table = Table(title=title)
    for place, head in enumerate(heads.split("|")):
        table.add_column(head.strip(), justify="right" if place else "left")
    for row in rows:
        table.add_row(*map(escape, row))
    console.print(table)


def _engine(console: Console, paths: int, repeats: int) -> dict[str, Any]:
    slow, quick = in_a_process(False, paths, repeats), in_a_process(True, paths, repeats)
    _table(
        console,
        f"A path-round beside one raw SFC64 normal: medians of {repeats} pairs, {paths:,} paths",
        "game | rounds | NumPy: ratio | ns | compiled: ratio | ns",
        [
            (
                name,
                f"{slow[name].rounds:.0f}",
                *(f"{x:.2f}" if i % 2 == 0 else f"{x:.1f}" for i, x in enumerate(each)),
            )
            for name in GAMES
            for each in [(slow[name].ratio, slow[name].ns, quick[name].ratio, quick[name].ns)]
        ],
    )
    begun = starts(repeats)
    _table(
        console,
        "A simulation of few paths beside n x rounds raw normals",
        "filter and adversary | n | ratio | ms",
        [(one.game, f"{one.n:,}", f"{one.ratio:.1f}", f"{one.ms:.1f}") for one in begun],
    )
    cold, warm = scaling(3)
    console.print(
        f"two workers are {cold:.2f} times as fast as one with their pool, {warm:.2f} in a warm pool"
    )
    return {
        "rates": [
            {"game": name, "numpy": asdict(slow[name]), "compiled": asdict(quick[name])} for name in GAMES
        ],
        "starts": [asdict(one) for one in begun],
        "two_workers": {"with_pool": cold, "warm": warm},
    }


def _estimators(console: Console) -> dict[str, Any]:
    found = worth(3)
    _table(
        console,
        "Variance x time of plain simulation over that of the estimator, budget left over",
        "game | delta | tilted | martingale",
        [
            (
                one.game,
                f"{one.delta:.0e}",
                *(f"{one.gains[k]:.3g}" if k in one.gains else "" for k in _METHODS),
            )
            for one in found
        ],
    )
    return {"estimators": [asdict(one) for one in found]}


_METHODS = ("tilted", "martingale")


def _exact(console: Console) -> dict[str, Any]:
    found = solved()
    rows = [(one.work, f"{one.seconds:.2f}") for one in found]
    _table(console, "Exact games and attacks, once each", "work | seconds", rows)
    return {"exact": [asdict(one) for one in found]}


def _peers(console: Console, repeats: int) -> dict[str, Any]:
    found = compare(repeats)
    rows, last = [], ""
    for one in found:
        work = f"{one.rounds} x {one.work}, epsilon {one.epsilon:g}: {one.reference:.7g}"
        work, last = "" if work == last else work, work
        if one.value is None:
            rows.append((work, one.by, one.absent, "", "", "", ""))
            continue
        rows.append(
            (
                work,
                one.by,
                f"{one.value:.6g}",
                f"{one.error:+.1e}",
                "yes" if one.encloses else "no",
                f"{one.seconds * 1e3:.0f}" if one.seconds is not None else "",
                f"{one.times:.2g}" if one.times is not None else "",
            )
        )
    heads = "rounds, and the reference | by | delta | relative error | bounds hold | ms | times ours"
    _table(console, f"Compositions, in turn, medians of {repeats}", heads, rows)
    return {"peers": [asdict(one) for one in found]}


def _people(console: Console, many: int, repeats: int) -> dict[str, Any]:
    slow, quick = (beside_a_plain_sum(fast, many, repeats) for fast in (False, True))
    _table(
        console,
        f"A round of {many:,} people beside a plain sum of doubles: medians of {repeats}",
        "work | NumPy: ratio | ms | compiled: ratio | ms | bytes a person",
        [
            (
                one.work,
                *(f"{x:.2f}" if i % 2 == 0 else f"{x:.0f}" for i, x in enumerate(each)),
                f"{two.bytes:.1f}",
            )
            for one, two in zip(slow, quick, strict=True)
            for each in [(one.ratio, one.ms, two.ratio, two.ms)]
        ],
    )
    found = kept(many // 10, 4 * repeats)
    _table(
        console,
        "Linear queries that are on the disk before they are answered",
        "query | people | ms",
        [(one.query, f"{one.people:,}", f"{one.ms:.1f}") for one in found],
    )
    return {
        "people": [
            {"numpy": asdict(one), "compiled": asdict(two)} for one, two in zip(slow, quick, strict=True)
        ],
        "kept": [asdict(one) for one in found],
    }


def _audits(console: Console, streams: int) -> dict[str, Any]:
    rows = audits(streams)
    _table(
        console,
        f"Draws until mu-GDP that is sold as 1-GDP is refused, failure .05: medians of {streams} streams",
        "mu | bets on the curve | on its best epsilon | on its worst | a band on both error rates",
        [
            (f"{row.mu:g}", *("never" if draws is None else f"{draws:,.0f}" for draws in row.draws()))
            for row in rows
        ],
    )
    return {"audits": [asdict(row) for row in rows]}


def _scale(console: Console, largest: int) -> dict[str, Any]:
    rows = grown(largest)
    _table(
        console,
        "What a unit costs as work grows, one process, once each",
        "work | units | ns a unit | bytes a unit",
        [
            (
                row.work,
                f"{row.size:,}",
                f"{row.seconds * 1e9:,.1f}",
                "" if row.bytes is None else f"{row.bytes:.2f}",
            )
            for row in rows
        ],
    )
    return {"scale": [asdict(row) for row in rows]}


def main() -> None:
    """Print the tables of the parts that are asked for, and write them."""
    parser = argparse.ArgumentParser(prog="python -m tests.instruments.bench", description=__doc__)
    parser.add_argument(
        "--full", action="store_true", help="a million paths, and the memory of 10^9 path-rounds"
    )
    parser.add_argument(
        "--only",
        nargs="+",
        choices=["engine", "estimators", "exact", "peers", "people", "audits", "scale"],
        help="these parts alone",
    )
    parser.add_argument("--out", type=Path, help="a file for what was measured, as JSON")
    parser.add_argument("--rates", nargs=2, type=int, help=argparse.SUPPRESS)
    parser.add_argument("--summed", nargs=2, type=int, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.rates:
        print(json.dumps({name: asdict(rate) for name, rate in rates(*chosen.rates).items()}))
        return
    if chosen.summed:
        print(told(*chosen.summed))
        return
    paths, repeats = (1_000_000, 7) if chosen.full else (8 * TILE, 5)
    console = Console(width=150)
    parts: dict[str, Callable[[], dict[str, Any]]] = {
        "engine": lambda: _engine(console, paths, repeats),
        "estimators": lambda: _estimators(console),
        "exact": lambda: _exact(console),
        "peers": lambda: _peers(console, repeats),
        "people": lambda: _people(console, 10_000_000, repeats),
        "audits": lambda: _audits(console, 25),
        "scale": lambda: _scale(console, 10**9 if chosen.full else 10**7),
    }
    measured: dict[str, Any] = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "cores": cores(),
        "repeats": repeats,
        "paths": paths,
    }
    for name in chosen.only or parts:
        measured |= parts[name]()
    if chosen.full:
        play(GAMES["GDP filter, LossChasing"](), PLAIN, n=10_500_000, workers=1)
        measured["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        console.print(f"peak memory after 10^9 path-rounds: {measured['peak_mb']:.0f} MB")
    if chosen.out is not None:
        chosen.out.write_text(json.dumps(measured, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
