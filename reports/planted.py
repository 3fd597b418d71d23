"""Planted faults: how many wrong constants in the code `filterproof prove` refuses, as `make planted` recorded it."""

from __future__ import annotations

from typing import Any

from reports.finding import Table
from reports.records import record

__all__ = ["recorded_faults"]


def recorded_faults() -> tuple[Table, ...]:
    """The score by package, and the faults that were not refused; nothing where nothing was recorded.

    A fault is a changed constant, exponent, sign, factor or comparison that makes a number unsound or looser than its
    docstring says. Those that change nothing that is stated are planted too, and not counted. The score is of the table
    of faults that somebody thought of, and says nothing of others.
    """
    recorded = record("planted")
    if not recorded:
        return ()
    lines = [line for line in recorded["lines"] if line["kind"] != "equivalent"]
    rooms = dict.fromkeys("/".join(str(line["file"]).split("/")[:2]).removesuffix(".py") for line in lines)
    rows = tuple(_row(room, [line for line in lines if str(line["file"]).startswith(room)]) for room in rooms)
    missed = tuple((str(one["file"]), str(one["means"])) for one in lines if one["found"] == "green")
    words = (
        f"Faults planted in the code, and what `filterproof prove` says: {recorded['red']} of {recorded['faults']} in "
        f"{recorded['files']} files refused, recorded by `make planted` on {recorded['date']}; "
        f"{recorded['equivalent']} more change nothing that is stated, and none of them is refused."
    )
    score = Table(
        words, ("Room", "files", "unsound", "loose", "refused"), rows, align="lrrrr", reproducible=False
    )
    if not missed:
        return (score,)
    words = "Planted faults that are not refused."
    return score, Table(words, ("File", "what it means"), missed, "ll", reproducible=False)


def _row(room: str, lines: list[dict[str, Any]]) -> tuple[str, ...]:
    kinds = [str(line["kind"]) for line in lines]
    red = sum(line["found"] != "green" for line in lines)
    files = len({line["file"] for line in lines})
    counts = files, kinds.count("unsound"), kinds.count("loose")
    return (room, *map(str, counts), f"{red} of {len(lines)}")
