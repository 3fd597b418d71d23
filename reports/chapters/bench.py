"""What our answers cost, beside a random number and beside other people's accountants, as `make bench` recorded it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from reports.finding import Claim, Table, Told
from reports.study import Study
from reports.words import record


def recorded_bench(recorded: dict[str, Any] | None = None) -> tuple[Table, ...]:
    """The tables of the parts that were recorded; nothing where nothing was."""
    recorded = record("bench") if recorded is None else recorded
    if not recorded:
        return ()
    cores = f"{recorded['cores']} core{'s' * (recorded['cores'] > 1)}"
    when = (
        f"measured on one machine of {cores} on {recorded['date']}, with Python {recorded['python']} and NumPy "
        f"{recorded['numpy']}; a ratio is the median of pairs timed in turn in one run"
    )
    return tuple(
        Table.of(f"{caption}, {when}.", map(row, recorded[part]), align, reproducible=False)
        for part, caption, row, align in _PARTS
        if recorded.get(part)
    )


_Row = Mapping[str, str]


def _peer(work: dict[str, Any]) -> _Row:
    absent = work["value"] is None
    return {
        "Rounds": f"{work['rounds']} x {work['work']} ({work['route']})",
        "by": f"{work['by']}: {work['absent']}" if absent else work["by"],
        "epsilon": f"{work['epsilon']:g}",
        "reference": f"{work['reference']:.6g}",
        "its delta": "" if absent else f"{work['value']:.6g}",
        "relative error": "" if absent else f"{work['error']:+.1e}",
        "bounds hold": "" if absent else "yes" if work["encloses"] else "no",
        "ms": "" if absent else f"{work['seconds'] * 1e3:.0f}",
        "times ours": "" if absent or work["times"] is None else f"{work['times']:.2g}",
    }


def _exact(work: dict[str, Any]) -> _Row:
    return {"Work": work["work"], "seconds": f"{work['seconds']:.2f}"}


def _rate(game: dict[str, Any]) -> _Row:
    ratios = {
        name: f"{game[key]['ratio']:.2f}" for name, key in (("NumPy", "numpy"), ("compiled", "compiled"))
    }
    return {"Game": game["game"], "rounds": f"{game['numpy']['rounds']:.0f}", **ratios}


def _start(game: dict[str, Any]) -> _Row:
    return {
        "Filter and adversary": game["game"],
        "n": f"{game['n']:,}",
        "ratio": f"{game['ratio']:.1f}",
        "ms": f"{game['ms']:.1f}",
    }


def _estimator(game: dict[str, Any]) -> _Row:
    names = ("tilted", "martingale")
    gains = {name: f"{game['gains'][name]:.3g}" if name in game["gains"] else "" for name in names}
    return {"Game": game["game"], "delta": f"{game['delta']:.0e}", **gains}


#: Part of the record, caption, what makes a row, and alignment.
_PARTS: tuple[tuple[str, str, Callable[[dict[str, Any]], _Row], str], ...] = (
    ("peers", "Deltas of fixed compositions beside reference digits", _peer, "llrrrrrrr"),
    ("exact", "Exact games, a calibration and attacks, once each", _exact, "lr"),
    ("rates", "The cost of a path-round in raw normals", _rate, "lrrr"),
    ("starts", "The cost of short simulations in n x rounds raw normals", _start, "lrrr"),
    ("estimators", "Variance times time of plain simulation over that of an estimator", _estimator, "lrrr"),
)


def tell(study: Study, claims: Sequence[Claim]) -> Told:
    tables = recorded_bench()
    note = "Times are those of a machine that other work shared: only ratios travel, and they vary, too."
    return Told(findings=(), tables=tables, notes=(note if tables else "No benchmarks were recorded.",))
