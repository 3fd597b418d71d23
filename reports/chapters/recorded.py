"""What `make` recorded, of work too long for the main job: a table for each part of a record, and no claim."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from reports.finding import Claim, Table, Told
from reports.study import Study
from reports.words import record
from theory.numerics.decimals import above, below

Row: TypeAlias = Mapping[str, Any]
#: A cell: a format of the row's entries, or a function of the row.
Cell: TypeAlias = str | Callable[[Row], str]


@dataclass(frozen=True, slots=True)
class RecordedTable:
    """A table of the record of `make NAME`: its rows, and for each column a head and a cell.

    The caption names entries of the record in braces. A table without rows is left out.
    """

    record: str
    rows: Callable[[Row], Iterable[Row]]
    caption: str
    columns: Mapping[str, Cell]
    align: str

    def table(self, recorded: Row | None = None) -> tuple[Table, ...]:
        """The table; nothing where nothing was recorded."""
        recorded = record(self.record) if recorded is None else recorded
        rows = [
            {
                head: cell.format_map(row) if isinstance(cell, str) else cell(row)
                for head, cell in self.columns.items()
            }
            for row in (self.rows(recorded) if recorded else ())
        ]
        if not rows:
            return ()
        return (Table.of(self.caption.format_map(recorded), rows, self.align, reproducible=False),)


def right(case: Row) -> bool:
    """Whether a broken filter is refuted or named as breaking the contract, and a sound one neither."""
    found = {"broken": ("REFUTED", "FAULTY"), "sound": ("HOLDS", "UNDECIDED")}
    return case["outcome"] in found[case["kind"]]


def _over_delta(end: str, digits: int) -> Callable[[Row], str]:
    """A certified end over the promised delta, rounded outwards."""
    rounded = above if end == "high" else below
    return lambda row: rounded(row[end] / row["delta"], digits)


def _menu(row: Row) -> str:
    return ", ".join(row["menu"])


def _with_delta(rows: Iterable[Row]) -> list[Row]:
    """Rows of the records at delta = 1e-5."""
    return [{"delta": 1e-5} | dict(row) for row in rows]


def _plans(recorded: Row) -> Iterable[Row]:
    """A row for each mechanism: its fixed plan, and its rounds by each rule."""
    for row in recorded["rates"]["rows"]:
        for place, (pair, plan) in enumerate(zip(row["menu"], row["plans"], strict=True)):
            rounds = {one["rule"]: one["rounds"][place] for one in row["rules"]}
            shares = {rule: f"{n} ({n / plan:.0%})" for rule, n in rounds.items()}
            yield {"epsilon": row["epsilon"], "pair": pair, "plan": plan, **shares}


def _rules(recorded: Row) -> Iterable[Row]:
    for row in recorded["rates"]["rows"]:
        yield from _with_delta({**row, **rule} for rule in row["rules"])


def _grouped(rows: Iterable[Row], by: Callable[[Row], Any]) -> dict[Any, list[Row]]:
    groups: dict[Any, list[Row]] = {}
    for row in rows:
        groups.setdefault(by(row), []).append(row)
    return groups


def _power(recorded: Row) -> Iterable[Row]:
    """A row for each part of the corpus and kind of filter, with the cases of it."""
    for (part, kind), cases in _grouped(recorded["cases"], lambda case: (case["half"], case["kind"])).items():
        said = [case["outcome"] for case in cases]
        counts = {name: said.count(name) for name in ("REFUTED", "FAULTY", "HOLDS", "UNDECIDED")}
        seconds = statistics.median(float(case["seconds"]) for case in cases)
        right_ones = f"{sum(map(right, cases))} of {len(cases)}"
        yield {
            "part": part,
            "kind": kind,
            "number": len(cases),
            "right": right_ones,
            "seconds": seconds,
            **counts,
        }


def _faults(recorded: Row) -> Iterable[Row]:
    """A row for each room of which faults were planted; those that change nothing that is stated do not count."""
    lines = [line for line in recorded["lines"] if line["kind"] != "equivalent"]
    rooms = _grouped(lines, lambda line: "/".join(line["file"].split("/")[:2]).removesuffix(".py"))
    for room, found in rooms.items():
        kinds = [line["kind"] for line in found]
        refused = f"{sum(line['found'] != 'green' for line in found)} of {len(found)}"
        counts = {kind: kinds.count(kind) for kind in ("unsound", "loose")}
        yield {"room": room, "files": len({line["file"] for line in found}), "refused": refused, **counts}


def _timed(recorded: Row, *, peers: bool) -> Iterable[Row]:
    """A row for each benchmark, accountants or others, beside the first of its group."""
    for group, found in _grouped(recorded["benchmarks"], lambda one: one["group"]).items():
        for one in found:
            if ("by" in one["extra_info"]) == peers:
                median = one["stats"]["median"]
                times = median / found[0]["stats"]["median"]
                name = one["name"].removeprefix("bench_").replace("_", " ")
                yield {"group": group, "name": name, "ms": 1e3 * median, "times": times, **one["extra_info"]}


_MEASURED = (
    "medians on one machine of {machine_info[cores]} cores on {datetime:.10}, with Python {machine_info[python]} and "
    "NumPy {machine_info[numpy]}"
)
_ADVERSARY = "certified, as `make accountant` recorded it on {date}"
_ENDS = {"at least": _over_delta("low", 5), "at most": _over_delta("high", 5)}
TABLES: tuple[RecordedTable, ...] = (
    RecordedTable(
        "accountant",
        lambda recorded: _with_delta(recorded["rows"]),
        f"The accountant's rule: the worst adaptive adversary over the promised delta = 1e-05, {_ADVERSARY}.",
        {"Mechanisms": _menu, "epsilon": "{epsilon:g}", "rounds": "{rounds}", **_ENDS},
        "lrrrr",
    ),
    RecordedTable(
        "accountant",
        _plans,
        "Rounds of each mechanism alone, at delta = 1e-05, under rules that let it change at any round, as "
        "`make accountant` recorded it on {date}.",
        {
            **{"epsilon": "{epsilon:g}", "Mechanism": "{pair}", "fixed plan": "{plan}"},
            **{rule: f"{{{rule}}}" for rule in ("Rényi", "GDP residue", "potential")},
        },
        "rlrrrr",
    ),
    RecordedTable(
        "accountant",
        _rules,
        f"The worst adaptive adversary on each menu over the promised delta = 1e-05, {_ADVERSARY}: one mechanism until "
        "it is denied, and what the filter keeps.",
        {"epsilon": "{epsilon:g}", "Mechanisms": _menu, "rule": "{rule}", **_ENDS},
        "rllrr",
    ),
    RecordedTable(
        "accountant",
        lambda recorded: recorded["central_limit"]["rows"],
        "Rounds of each mechanism by each rule at the same (epsilon, delta), and the delta that those of the central "
        f"limit reach at least, over the promised one, {_ADVERSARY}.",
        {
            **{"epsilon": "{epsilon:g}", "delta": "{delta:g}", "Mechanism": "{mechanism}"},
            "fixed plan": lambda row: "" if row["plan"] is None else str(row["plan"]),
            **{rule: f"{{{rule}}}" for rule in ("Rényi", "potential", "central limit")},
            "reaches over delta": _over_delta("low", 3),
        },
        "rrlrrrrr",
    ),
    RecordedTable(
        "accountant",
        lambda recorded: recorded["central_limit"]["games"],
        "The central limit's filter: the worst adaptive adversary over the promised delta, beside the worst of the "
        f"mechanisms alone, {_ADVERSARY}.",
        {
            **{"epsilon": "{epsilon:g}", "delta": "{delta:g}", "Mechanisms": _menu},
            "one alone": _over_delta("fixed", 3),
            **{"at least": _over_delta("low", 3), "at most": _over_delta("high", 3)},
        },
        "rrlrrr",
    ),
    RecordedTable(
        "power",
        _power,
        "What the examination says of a corpus of broken and sound filters, as `make power` recorded it until {date}.",
        {
            **{"Part": "{part}", "filters": "{kind}", "number": "{number}", "refuted": "{REFUTED}"},
            **{"named as at fault": "{FAULTY}", "proved": "{HOLDS}", "undecided": "{UNDECIDED}"},
            **{"right": "{right}", "median s": "{seconds:.0f}"},
        },
        "llrrrrrrr",
    ),
    RecordedTable(
        "power",
        lambda recorded: (case for case in recorded["cases"] if not right(case)),
        "What it missed, and the game that would have shown it.",
        {"Part": "{half}", "filter": "{name}", "said": "{outcome}", "the game": "{breaks}"},
        "llll",
    ),
    RecordedTable(
        "planted",
        _faults,
        "Faults planted in the code, and what certified numbers or tests say: {red} of {faults} in {files} files "
        "refused, as `make planted` recorded on {date}; {equivalent} more change nothing that is stated, and none of "
        "them is refused.",
        {head: f"{{{head.lower()}}}" for head in ("Room", "files", "unsound", "loose", "refused")},
        "lrrrr",
    ),
    RecordedTable(
        "planted",
        lambda recorded: (
            line for line in recorded["lines"] if line["found"] == "green" and line["kind"] != "equivalent"
        ),
        "Planted faults that are not refused.",
        {"File": "{file}", "what it means": "{means}"},
        "ll",
    ),
    RecordedTable(
        "bench",
        lambda recorded: _timed(recorded, peers=True),
        f"Deltas of fixed compositions beside reference digits, {_MEASURED}.",
        {
            **{
                "Rounds": "{group} ({route})",
                "by": "{by}",
                "reference": "{reference:.6g}",
                "its delta": "{value:.6g}",
            },
            "relative error": "{error:+.1e}",
            "bounds hold": lambda row: "yes" if row["encloses"] else "no",
            **{"ms": "{ms:.3g}", "times the first": "{times:.2g}"},
        },
        "llrrrrrr",
    ),
    RecordedTable(
        "bench",
        lambda recorded: _timed(recorded, peers=False),
        f"What else `make bench` times, {_MEASURED}.",
        {"Compared": "{group}", "work": "{name}", "ms": "{ms:.3g}", "times the first": "{times:.3g}"},
        "llrr",
    ),
)


def tell(study: Study, claims: Sequence[Claim]) -> Told:
    tables = tuple(table for one in TABLES for table in one.table())
    return Told((), tables, notes=tuple(filter(None, [record("power").get("history", "")])))
