"""The records of `make power`, `make planted`, `make bench` and `make accountant`, as rows of
tables for the pages."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from filterproof.reports.package_data import is_right_verdict, recorded_data
from filterproof.theory.numerics.decimals import format_down, format_up

#: The heads of a table and its rows.
Rows: TypeAlias = tuple[tuple[str, ...], Sequence[tuple[str, ...]]]


def _group_rows(rows: Iterable[Mapping[str, Any]], by: Callable[[Any], Any]) -> dict[Any, list[Any]]:
    """Group rows by the value of `by`, in the order of first occurrence."""
    groups: dict[Any, list[Any]] = {}
    for row in rows:
        groups.setdefault(by(row), []).append(row)
    return groups


def verdicts_table() -> Rows:
    """Return the verdicts on the filter corpus by part and kind: correct results and median time."""
    rows = []
    for (part, kind), cases in _group_rows(
        recorded_data("power")["cases"], lambda case: (case["part"], case["kind"])
    ).items():
        outcomes = [case["outcome"] for case in cases]
        counts = (str(outcomes.count(name)) for name in ("REFUTED", "FAULTY", "HOLDS", "UNDECIDED"))
        seconds = statistics.median(float(case["seconds"]) for case in cases)
        rows.append(
            (part, kind, f"{sum(map(is_right_verdict, cases))} of {len(cases)}", *counts, f"{seconds:.1f}")
        )
    return ("part", "filters", "correct", "refuted", "faulty", "proved", "undecided", "median s"), rows


def wrong_verdicts_table() -> Rows:
    """Return the filters of the corpus with a wrong verdict, and the game that shows the flaw."""
    cases = [case for case in recorded_data("power")["cases"] if not is_right_verdict(case)]
    return ("filter", "found", "the game"), [
        (wrong["name"], wrong["outcome"], wrong["breaks"]) for wrong in cases
    ]


def planted_faults_table() -> Rows:
    """Return the share of planted faults that the tests detect, by folder."""
    lines = [line for line in recorded_data("planted")["lines"] if line["kind"] != "equivalent"]
    folders = _group_rows(lines, lambda line: "/".join(line["file"].split("/")[:2]).removesuffix(".py"))
    rows = [
        (folder, f"{sum(line['found'] != 'green' for line in faults)} of {len(faults)}")
        for folder, faults in folders.items()
    ]
    return ("folder", "detected"), rows


def compositions_table() -> Rows:
    """Return each accountant's relative error and time on fixed compositions."""
    rows = []
    peers = (row for row in recorded_data("bench")["benchmarks"] if "by" in row["extra_info"])
    for group, group_rows in _group_rows(peers, lambda row: row["group"]).items():
        for row in group_rows:
            info, times = row["extra_info"], row["stats"]["median"] / group_rows[0]["stats"]["median"]
            encloses = "yes" if info["encloses"] else "no"
            rows.append((group, info["by"], f"{info['error']:+.1e}", encloses, f"{times:.2g}"))
    return ("rounds", "by", "relative error", "bounds hold", "times the first"), rows


def worst_case_ratios_table() -> Rows:
    """Return the worst case of each menu divided by the guaranteed delta 1e-5."""
    rows = [
        (
            ", ".join(row["menu"]),
            f"{row['epsilon']:g}",
            format_down(row["low"] / 1e-5, 5),
            format_up(row["high"] / 1e-5, 5),
        )
        for row in recorded_data("accountant")["rows"]
    ]
    return ("mechanisms", "epsilon", "at least", "at most"), rows


TABLES: Mapping[str, Callable[[], Rows]] = {
    "power": verdicts_table,
    "missed": wrong_verdicts_table,
    "planted": planted_faults_table,
    "compositions": compositions_table,
    "accountant": worst_case_ratios_table,
}
