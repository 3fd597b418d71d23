"""`python -m tests.instruments.bench`: what a path-round costs beside its random number, our answers beside others'.

Every ratio is taken in pairs, the two in turn in one process, and its median is printed: absolute times on a shared
machine mean little, and processor time more than that of the clock. `--before` prints what the engine, people and
sessions cost in an earlier revision of this library, measured in the same run, beside what they cost now. `--full`
takes a million paths, and a thousand million path-rounds for the memory. `--only` takes some of the parts, `--out`
writes what was measured as JSON.
"""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import resource
from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import asdict
from pathlib import Path
from subprocess import CalledProcessError
from typing import Any

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from mc.engine.streams import TILE
from mc.runs.executors import cores
from mc.runs.play import play
from tests.instruments.bench.audits import Audit, audits
from tests.instruments.bench.engine import PLAIN, on_a_cluster, rates, raw_seconds, scaling, starts
from tests.instruments.bench.estimators import Worth, worth
from tests.instruments.bench.exact import solved
from tests.instruments.bench.games import GAMES
from tests.instruments.bench.measured import measured, predecessor
from tests.instruments.bench.peers import compare
from tests.instruments.bench.people import kept, summed
from tests.instruments.bench.scale import Grown, grown
from tests.instruments.bench.sessions import asked


def _table(console: Console, title: str, heads: str, rows: list[tuple[str, ...]]) -> None:
    table = Table(title=title)
    for place, head in enumerate(heads.split("|")):
        table.add_column(head.strip(), justify="right" if place else "left")
    for row in rows:
        table.add_row(*map(escape, row))
    console.print(table)


def _shown(
    console: Console, title: str, heads: str, found: list[Any], row: Callable[[Any], tuple[str, ...]]
) -> list[dict[str, Any]]:
    """Print a row for each of what was found, and give it for the record."""
    _table(console, title, heads, [row(one) for one in found])
    return [asdict(one) for one in found]


#: What a process of its own measures, by the name that it is asked for.
MEASURES: dict[str, Callable[..., list[Any]]] = {
    "rates": rates,
    "starts": starts,
    "cluster": on_a_cluster,
    "summed": summed,
    "asked": asked,
}


class _Pairs:
    """Measurements of this library, and of the one in the folder `before` where there is one."""

    def __init__(self, before: Path | None) -> None:
        self.before = before

    def of(self, what: str, *numbers: int, fast: bool = True) -> list[tuple[dict[str, Any], dict[str, Any]]]:
        """Each row as it was, or empty, and as it is."""
        now, before = measured(what, *numbers, fast=fast), None
        if self.before is not None:
            with suppress(CalledProcessError):  # it may not have what is measured
                before = measured(what, *numbers, fast=fast, root=self.before)
        return list(zip(before or [{}] * len(now), now, strict=True))


def _two(pair: tuple[dict[str, Any], dict[str, Any]], name: str, places: int = 2) -> str:
    """A number as it was, where that is known, and as it is."""
    before, now = pair
    return " -> ".join(f"{row[name]:.{places}f}" for row in (before, now) if row)


def _engine(console: Console, pairs: _Pairs, paths: int, repeats: int) -> dict[str, Any]:
    slow, quick = (pairs.of("rates", paths, repeats, fast=fast) for fast in (False, True))
    _table(
        console,
        f"A path-round beside one raw SFC64 normal: medians of {repeats} pairs, {paths:,} paths",
        "game | rounds | NumPy: ratio | ns | compiled: ratio | ns",
        [
            (
                one[1]["game"],
                f"{one[1]['rounds']:.0f}",
                *(_two(one, "ratio"), _two(one, "ns", 1), _two(two, "ratio"), _two(two, "ns", 1)),
            )
            for one, two in zip(slow, quick, strict=True)
        ],
    )
    begun = pairs.of("starts", repeats)
    _table(
        console,
        "A simulation of few paths beside n x rounds raw normals",
        "filter and adversary | n | the first: ratio | ms | again: ratio",
        [
            (
                one[1]["game"],
                f"{one[1]['n']:,}",
                *(_two(one, "ratio", 1), _two(one, "ms", 1), _two(one, "again", 1)),
            )
            for one in begun
        ],
    )
    placed = pairs.of("cluster", repeats)
    for one in placed:
        same = "the same bits" if one[1]["same"] else "OTHER BITS"
        console.print(
            f"{one[1]['paths']:,} paths by one worker of a Dask cluster take {_two(one, 'ratio')} times the processor "
            f"time of one process: {same}"
        )
    cold, warm = scaling(3)
    console.print(
        f"two workers are {cold:.2f} times as fast as one with their pool, {warm:.2f} in a warm pool"
    )
    return {
        "rates": [
            {"game": two["game"], "numpy": one, "compiled": two}
            for (_, one), (_, two) in zip(slow, quick, strict=True)
        ],
        "starts": [now for _, now in begun],
        "cluster": [now for _, now in placed],
        "two_workers": {"with_pool": cold, "warm": warm},
    }


def _sessions(console: Console, pairs: _Pairs, repeats: int) -> dict[str, Any]:
    rows = pairs.of("asked", repeats)
    _table(
        console,
        f"A request of a session: medians of {repeats}",
        "request | us",
        [(one[1]["request"], _two(one, "us", 1)) for one in rows],
    )
    return {"sessions": [now for _, now in rows]}


def _estimators(console: Console) -> dict[str, Any]:
    def row(one: Worth) -> tuple[str, ...]:
        gains = (f"{one.gains[k]:.3g}" if k in one.gains else "" for k in ("tilted", "martingale"))
        return one.game, f"{one.delta:.0e}", *gains

    title = "Variance x time of plain simulation over that of the estimator, budget left over"
    return {"estimators": _shown(console, title, "game | delta | tilted | martingale", worth(3), row)}


def _exact(console: Console) -> dict[str, Any]:
    title = "Exact games and attacks, once each"
    return {
        "exact": _shown(
            console, title, "work | seconds", solved(), lambda one: (one.work, f"{one.seconds:.2f}")
        )
    }


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


def _people(console: Console, pairs: _Pairs, many: int, repeats: int) -> dict[str, Any]:
    slow, quick = (pairs.of("summed", many, repeats, fast=fast) for fast in (False, True))
    _table(
        console,
        f"A round of {many:,} people beside a plain sum of doubles: medians of {repeats}",
        "work | NumPy: ratio | ms | compiled: ratio | ms | bytes a person",
        [
            (
                one[1]["work"],
                *(_two(one, "ratio"), _two(one, "ms", 0), _two(two, "ratio"), _two(two, "ms", 0)),
                _two(two, "bytes", 1),
            )
            for one, two in zip(slow, quick, strict=True)
        ],
    )
    return {
        "people": [{"numpy": one, "compiled": two} for (_, one), (_, two) in zip(slow, quick, strict=True)],
        "kept": _shown(
            console,
            "Linear queries that are on the disk before they are answered",
            "query | people | ms",
            kept(many // 10, 4 * repeats),
            lambda one: (one.query, f"{one.people:,}", f"{one.ms:.1f}"),
        ),
    }


def _audits(console: Console, streams: int) -> dict[str, Any]:
    def row(one: Audit) -> tuple[str, ...]:
        return f"{one.mu:g}", *("never" if draws is None else f"{draws:,.0f}" for draws in one.draws())

    title = f"Draws until mu-GDP that is sold as 1-GDP is refused, failure .05: medians of {streams} streams"
    heads = "mu | bets on the curve | on its best epsilon | on its worst | a band on both error rates"
    return {"audits": _shown(console, title, heads, audits(streams), row)}


def _scale(console: Console, largest: int) -> dict[str, Any]:
    def row(one: Grown) -> tuple[str, ...]:
        memory = "" if one.bytes is None else f"{one.bytes:.2f}"
        return one.work, f"{one.size:,}", f"{one.seconds * 1e9:,.1f}", memory

    title = "What a unit costs as work grows, one process, once each"
    return {"scale": _shown(console, title, "work | units | ns a unit | bytes a unit", grown(largest), row)}


def main() -> None:
    """Print the tables of the parts that are asked for, and write them."""
    parser = argparse.ArgumentParser(prog="python -m tests.instruments.bench", description=__doc__)
    parser.add_argument(
        "--full", action="store_true", help="a million paths, and the memory of 10^9 path-rounds"
    )
    parser.add_argument(
        "--only",
        nargs="+",
        choices=["engine", "estimators", "exact", "peers", "people", "sessions", "audits", "scale"],
        help="these parts alone",
    )
    parser.add_argument("--out", type=Path, help="a file for what was measured, as JSON")
    parser.add_argument("--before", metavar="REVISION", help="print what an earlier revision costs, too")
    parser.add_argument("--measure", nargs="+", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.measure:
        what, *numbers = chosen.measure
        print(json.dumps([asdict(row) for row in MEASURES[what](*map(int, numbers))]))
        return
    console = Console(width=150)
    console.print(f"one raw SFC64 normal: {raw_seconds(2_000_000) / 2e-3:.1f} ns")
    with nullcontext() if chosen.before is None else predecessor(chosen.before) as before:
        if before is not None:
            console.print(f"each figure as it was in {chosen.before} -> as it is")
        _run(console, _Pairs(before), chosen)


def _run(console: Console, pairs: _Pairs, chosen: argparse.Namespace) -> None:
    paths, repeats = (1_000_000, 7) if chosen.full else (8 * TILE, 5)
    parts: dict[str, Callable[[], dict[str, Any]]] = {
        "engine": lambda: _engine(console, pairs, paths, repeats),
        "estimators": lambda: _estimators(console),
        "exact": lambda: _exact(console),
        "peers": lambda: _peers(console, repeats),
        "people": lambda: _people(console, pairs, 10_000_000, repeats),
        "sessions": lambda: _sessions(console, pairs, repeats),
        "audits": lambda: _audits(console, 25),
        "scale": lambda: _scale(console, 10**9 if chosen.full else 10**7),
    }
    record: dict[str, Any] = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "cores": cores(),
        "repeats": repeats,
        "paths": paths,
    }
    for name in chosen.only or parts:
        record |= parts[name]()
    if chosen.full:
        play(GAMES["GDP filter, LossChasing"](), PLAIN, n=10_500_000, workers=1)
        record["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        console.print(f"peak memory after 10^9 path-rounds: {record['peak_mb']:.0f} MB")
    if chosen.out is not None:
        chosen.out.write_text(json.dumps(record, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
