"""The power of the examination: what it said of a corpus of broken and sound filters, as `make power` recorded it."""

from __future__ import annotations

import json
import statistics
from importlib import resources
from typing import Any

from reports.finding import Table

__all__ = ["recorded_history", "recorded_power"]

#: Words of the examination that are right for a filter of each kind.
_RIGHT = {"broken": ("REFUTED", "FAULTY"), "sound": ("HOLDS", "UNDECIDED")}


def _record() -> dict[str, Any]:
    file = resources.files("reports").joinpath("recorded", "power.json")
    record: dict[str, Any] = json.loads(file.read_text("utf-8")) if file.is_file() else {}
    return record


def recorded_history() -> tuple[str, ...]:
    """How the corpus came about, and what was found when each part was new."""
    return tuple(filter(None, [_record().get("history", "")]))


def recorded_power() -> tuple[Table, ...]:
    """The table of what was found, part by part, and the table of misses; nothing where nothing was recorded."""
    record = _record()
    if not record:
        return ()
    cases: list[dict[str, Any]] = record["cases"]
    groups = dict.fromkeys((str(case["half"]), str(case["kind"])) for case in cases)
    rows = tuple(_row(half, kind, _of(cases, half, kind)) for half, kind in groups)
    missed = tuple(
        (str(case["half"]), str(case["name"]), str(case["outcome"]), str(case["breaks"]))
        for case in cases
        if not _right(case)
    )
    when = f"recorded by `make power` on {record['date']}, at most {record['seconds']:g} s for each filter"
    tables = [
        Table(
            f"What the examination says of a corpus of broken and sound filters, {when}.",
            (
                "Part",
                "filters",
                "number",
                "refuted",
                "named as at fault",
                "proved",
                "undecided",
                "right",
                "median s",
            ),
            rows,
            align="llrrrrrrr",
            reproducible=False,
        )
    ]
    if missed:
        tables.append(
            Table(
                "What it missed, and the game that would have shown it.",
                ("Part", "filter", "said", "the game"),
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


def _row(half: str, kind: str, cases: list[dict[str, Any]]) -> tuple[str, ...]:
    said = [case["outcome"] for case in cases]
    counts = [said.count(word) for word in ("REFUTED", "FAULTY", "HOLDS", "UNDECIDED")]
    seconds = statistics.median(float(case["seconds"]) for case in cases)
    right = f"{sum(map(_right, cases))} of {len(cases)}"
    return half, kind, str(len(cases)), *map(str, counts), right, f"{seconds:.0f}"
