"""What measures the house, as it was recorded: a corpus of broken and sound filters, and faults planted in the code."""

from __future__ import annotations

import statistics
from typing import Any

from reports.finding import Table
from reports.words import record

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
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for case in cases:
        groups.setdefault((case["half"], case["kind"]), []).append(case)
    rows = (_row(half, kind, some) for (half, kind), some in groups.items())
    heads = {"Part": "half", "filter": "name", "said": "outcome", "the game": "breaks"}
    missed = [{head: str(case[key]) for head, key in heads.items()} for case in cases if not right(case)]
    dates = sorted({str(case["date"]) for case in cases})  # a part of the corpus may be examined again alone
    days = f"on {dates[0]}" if len(dates) == 1 else f"from {dates[0]} to {dates[-1]}"
    when = f"recorded by `make power` {days}"
    words = f"What the examination says of a corpus of broken and sound filters, {when}."
    score = Table.of(words, rows, align="llrrrrrrr", reproducible=False)
    return score, *_missed("What it missed, and the game that would have shown it.", missed)


def _missed(words: str, rows: list[dict[str, str]]) -> tuple[Table, ...]:
    return (Table.of(words, rows, "l" * len(rows[0]), reproducible=False),) if rows else ()


def right(case: dict[str, Any]) -> bool:
    """Whether a broken filter is refuted or named as breaking the contract, and a sound one neither."""
    return case["outcome"] in _RIGHT[case["kind"]]


#: Heads of columns, and the outcome that each counts.
_COUNTED = {"refuted": "REFUTED", "named as at fault": "FAULTY", "proved": "HOLDS", "undecided": "UNDECIDED"}


def _row(half: str, kind: str, cases: list[dict[str, Any]]) -> dict[str, str]:
    said = [case["outcome"] for case in cases]
    return {
        **{"Part": half, "filters": kind, "number": str(len(cases))},
        **{name: str(said.count(outcome)) for name, outcome in _COUNTED.items()},
        "right": f"{sum(map(right, cases))} of {len(cases)}",
        "median s": f"{statistics.median(float(case['seconds']) for case in cases):.0f}",
    }


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
    rooms = dict.fromkeys("/".join(line["file"].split("/")[:2]).removesuffix(".py") for line in lines)
    rows = [_room(room, [line for line in lines if line["file"].startswith(room)]) for room in rooms]
    missed = [{"File": one["file"], "what it means": one["means"]} for one in lines if _alive(one)]
    words = (
        "Faults planted in the code, and what the certified numbers of `filterproof prove` and of the tests say: "
        f"{recorded['red']} of {recorded['faults']} in "
        f"{recorded['files']} files refused, recorded by `make planted` on {recorded['date']}; "
        f"{recorded['equivalent']} more change nothing that is stated, and none of them is refused."
    )
    score = Table.of(words, rows, align="lrrrr", reproducible=False)
    return score, *_missed("Planted faults that are not refused.", missed)


def _alive(line: dict[str, Any]) -> bool:
    return bool(line["found"] == "green")


def _room(room: str, lines: list[dict[str, Any]]) -> dict[str, str]:
    kinds = [line["kind"] for line in lines]
    return {
        "Room": room,
        "files": str(len({line["file"] for line in lines})),
        **{kind: str(kinds.count(kind)) for kind in ("unsound", "loose")},
        "refused": f"{len(lines) - sum(map(_alive, lines))} of {len(lines)}",
    }
