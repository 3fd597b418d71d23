"""What our answers cost, beside a random number and beside other people's accountants, as `make bench` recorded it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import resources
from typing import Any

from reports.chapter import Chapter
from reports.finding import Claim, Table, Told
from reports.study import Study

__all__ = ["BENCH", "recorded_bench"]


def recorded_bench(record: dict[str, Any] | None = None) -> tuple[Table, ...]:
    """The tables of the parts that were recorded; nothing where nothing was."""
    record = _record() if record is None else record
    if not record:
        return ()
    cores = f"{record['cores']} core{'s' * (record['cores'] > 1)}"
    when = (
        f"measured on one machine of {cores} on {record['date']}, with Python {record['python']} and NumPy "
        f"{record['numpy']}; a ratio is the median of pairs timed in turn in one run"
    )
    return tuple(
        Table(
            f"{caption}, {when}.",
            columns,
            rows,
            align="l" * words + "r" * (len(columns) - words),
            reproducible=False,
        )
        for caption, columns, words, rows in (
            (
                "Deltas of fixed compositions beside reference digits",
                _PEERS,
                2,
                _peers(record.get("peers", ())),
            ),
            ("Exact games, a calibration and attacks, once each", _EXACT, 1, _exact(record.get("exact", ()))),
            ("The cost of a path-round in raw normals", _RATES, 1, _rates(record.get("rates", ()))),
            (
                "The cost of short simulations in n x rounds raw normals",
                _STARTS,
                1,
                _starts(record.get("starts", ())),
            ),
            (
                "Variance times time of plain simulation over that of an estimator",
                _ESTIMATORS,
                1,
                _estimators(record.get("estimators", ())),
            ),
        )
        if rows
    )


def _record() -> dict[str, Any]:
    file = resources.files("reports").joinpath("recorded", "bench.json")
    record: dict[str, Any] = json.loads(file.read_text("utf-8")) if file.is_file() else {}
    return record


_Rows = tuple[tuple[str, ...], ...]
_PEERS = (
    "Rounds",
    "by",
    "epsilon",
    "reference",
    "its delta",
    "relative error",
    "bounds hold",
    "ms",
    "times ours",
)
_EXACT = ("Work", "seconds")
_RATES = ("Game", "rounds", "NumPy", "compiled")
_STARTS = ("Filter and adversary", "n", "ratio", "ms")
_ESTIMATORS = ("Game", "delta", "tilted", "martingale")


def _peers(compared: Sequence[dict[str, Any]]) -> _Rows:
    return tuple(map(_peer, compared))


def _peer(one: dict[str, Any]) -> tuple[str, ...]:
    work = f"{one['rounds']} x {one['work']} ({one['route']})"
    start = (work, str(one["by"]), f"{one['epsilon']:g}", f"{one['reference']:.6g}")
    if one["value"] is None:
        return (*start[:1], f"{one['by']}: {one['absent']}", *start[2:], "", "", "", "", "")
    times = "" if one["times"] is None else f"{one['times']:.2g}"
    holds = "yes" if one["encloses"] else "no"
    return (
        *start,
        f"{one['value']:.6g}",
        f"{one['error']:+.1e}",
        holds,
        f"{one['seconds'] * 1e3:.0f}",
        times,
    )


def _exact(solved: Sequence[dict[str, Any]]) -> _Rows:
    return tuple((one["work"], f"{one['seconds']:.2f}") for one in solved)


def _rates(rates: Sequence[dict[str, Any]]) -> _Rows:
    return tuple(
        (one["game"], *(f"{x:.{digits}f}" for x, digits in _ratios(one["numpy"], one["compiled"])))
        for one in rates
    )


def _ratios(numpy: dict[str, float], compiled: dict[str, float]) -> tuple[tuple[float, int], ...]:
    return (numpy["rounds"], 0), (numpy["ratio"], 2), (compiled["ratio"], 2)


def _starts(starts: Sequence[dict[str, Any]]) -> _Rows:
    return tuple((one["game"], f"{one['n']:,}", f"{one['ratio']:.1f}", f"{one['ms']:.1f}") for one in starts)


def _estimators(worth: Sequence[dict[str, Any]]) -> _Rows:
    return tuple(
        (
            one["game"],
            f"{one['delta']:.0e}",
            *(
                f"{one['gains'][name]:.3g}" if name in one["gains"] else ""
                for name in ("tilted", "martingale")
            ),
        )
        for one in worth
    )


def _tell(study: Study, claims: Sequence[Claim]) -> Told:
    tables = recorded_bench()
    note = "Times are those of a machine that other work shared: only ratios travel, and they vary, too."
    return Told(findings=(), tables=tables, notes=(note if tables else "No benchmarks were recorded.",))


BENCH = Chapter(
    key="bench",
    title="Beside other accountants",
    promise="None: what was measured once decides no claim.",
    story="An accountant composes mechanisms fixed in advance, which is the game of an adversary with one move. "
    "The reference digits come from closed forms and transforms that share no code with any of them. An upper bound "
    "from a grid is safe and above the truth: by a few percent or more where all of the loss is on two points that "
    "the grid rounds up in every round.",
    claims=(),
    tell=_tell,
)
