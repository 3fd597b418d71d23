"""The power of the examination: what it said of a corpus of broken and sound filters, as `make power` recorded it."""

from __future__ import annotations

import statistics
from typing import Any

from reports.finding import Table
from reports.records import record

__all__ = ["recorded_history", "recorded_power"]

#: Words of the examination that are right for a filter of each kind.
_RIGHT = {"broken": ("REFUTED", "FAULTY"), "sound": ("HOLDS", "UNDECIDED")}


def recorded_history() -> tuple[str, ...]:
    """How the corpus came about, and what was found when each part was new."""
    return tuple(filter(None, [record("power").get("history", "")]))


def recorded_power() -> tuple[Table, ...]:
    """The table of what was found, part by part, and the table of misses; nothing where nothing was recorded."""
    recorded = record("power")
    if not recorded:
        return ()
    cases: list[dict[str, Any]] = recorded["cases"]
    groups = dict.fromkeys((str(case["half"]), str(case["kind"])) for case in cases)
    rows = (_row(half, kind, _of(cases, half, kind)) for half, kind in groups)
    missed = [
        {
            "Part": case["half"],
            "filter": case["name"],
            "said": case["outcome"],
            "the game": str(case["breaks"]),
        }
        for case in cases
        if not _right(case)
    ]
    dates = sorted({str(case["date"]) for case in cases})  # a part of the corpus may be examined again alone
    days = f"on {dates[0]}" if len(dates) == 1 else f"from {dates[0]} to {dates[-1]}"
    allowed = max(float(case.get("allowed", recorded["seconds"])) for case in cases)
    when = f"recorded by `make power` {days}, at most {allowed:g} s for each filter"
    tables = [
        Table.of(
            f"What the examination says of a corpus of broken and sound filters, {when}.",
            rows,
            align="llrrrrrrr",
            reproducible=False,
        )
    ]
    if missed:
        tables.append(
            Table.of(
                "What it missed, and the game that would have shown it.",
                missed,
                align="llll",
                reproducible=False,
            )
        )
    return tuple(tables)


def _of(cases: list[dict[str, Any]], half: str, kind: str) -> list[dict[str, Any]]:
    return [case for case in cases if (case["half"], case["kind"]) == (half, kind)]


def _right(case: dict[str, Any]) -> bool:
    return case["outcome"] in _RIGHT[case["kind"]]


#: Heads of columns, and the outcome that each counts.
_COUNTED = {"refuted": "REFUTED", "named as at fault": "FAULTY", "proved": "HOLDS", "undecided": "UNDECIDED"}


def _row(half: str, kind: str, cases: list[dict[str, Any]]) -> dict[str, str]:
    said = [case["outcome"] for case in cases]
    return {
        **{"Part": half, "filters": kind, "number": str(len(cases))},
        **{name: str(said.count(outcome)) for name, outcome in _COUNTED.items()},
        "right": f"{sum(map(_right, cases))} of {len(cases)}",
        "median s": f"{statistics.median(float(case['seconds']) for case in cases):.0f}",
    }
