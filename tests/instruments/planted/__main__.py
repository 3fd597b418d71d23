"""Plant the faults of a table and record what finds them.

`refused` are those of `theory` and `filters`, which certified numbers refuse or the tests of their folder kill (`make
planted`); `killed` are those at nodes of `mc`, which the tests of their folder kill (`make killed`).
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from tests.instruments.planted.fault import FAULTS, NODES, ROOT, Fault, digest
from tests.instruments.planted.killing import kill, refuse_or_kill
from tests.instruments.planted.planting import Outcome, plant


class Table(NamedTuple):
    """Faults, what looks for one, and the file that records what was found."""

    faults: tuple[Fault, ...]
    look: Callable[[Any], Outcome]
    record: Path


TABLES = {
    "refused": Table(FAULTS, refuse_or_kill, ROOT / "reports/recorded/planted.json"),
    "killed": Table(NODES, kill, Path(__file__).with_name("killed.json")),
}


def recorded(faults: tuple[Fault, ...], outcomes: list[Outcome]) -> dict[str, object]:
    """The record: the table's digest, the score, and a line for each fault."""
    told = list(zip(faults, outcomes, strict=True))
    counted = [outcome.red for fault, outcome in told if fault.kind != "equivalent"]
    return {
        "date": time.strftime("%Y-%m-%d"),
        "table": digest(faults),
        "files": len({fault.file for fault in faults}),
        "faults": len(counted),
        "red": sum(counted),
        "equivalent": len(faults) - len(counted),
        "equivalent red": sum(outcome.red for _, outcome in told) - sum(counted),
        "lines": [
            {
                "name": fault.name,
                "file": fault.file,
                "means": fault.means,
                "kind": fault.kind,
                "found": outcome.found,
                "detail": fault.reason if fault.kind == "equivalent" else outcome.detail,
            }
            for fault, outcome in told
        ],
    }


def _right(fault: Fault, outcome: Outcome) -> bool:
    return outcome.red != (fault.kind == "equivalent")


def _known(table: Table) -> dict[str, Outcome]:
    """What the record says of faults that ended as they should, by name."""
    faults = {fault.name: fault for fault in table.faults}
    lines = json.loads(table.record.read_text("utf-8"))["lines"] if table.record.is_file() else []
    told = {line["name"]: Outcome(line["found"], line["detail"], 0.0) for line in lines}
    return {name: one for name, one in told.items() if name in faults and _right(faults[name], one)}


def main(arguments: list[str]) -> int:
    """Plant the faults and print what comes of each; status 1 below 95 % or for a false alarm."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", choices=TABLES)
    parser.add_argument("--workers", type=int, default=2, help="of those that `filterproof prove` looks for")
    parser.add_argument("--only", default="", help="a part of the name of a file; nothing is recorded")
    parser.add_argument(
        "--again", action="store_true", help="of the record, plant again what was not found or is new"
    )
    given = parser.parse_args(arguments)
    table = TABLES[given.table]
    faults = tuple(fault for fault in table.faults if given.only in fault.file)
    known = _known(table) if given.again else {}
    os.environ.update(OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")
    certified = table.look is refuse_or_kill
    clean = plant(None) if certified else None
    if clean is not None and clean.red:
        print(f"without a fault: {clean.found}, {clean.detail}")
        return 1
    outcomes: list[Outcome] = []
    with ThreadPoolExecutor(given.workers) as pool:
        # the tests of a room have a processor's time each, one after the other
        each = pool.map if certified else map
        for fault, outcome in zip(
            faults, each(lambda fault: known.get(fault.name) or table.look(fault), faults), strict=True
        ):
            outcomes.append(outcome)
            print(
                f"{' ' if _right(fault, outcome) else 'X'} {fault.kind:10} {fault.file:42} {outcome.seconds:5.1f} s  "
                f"{outcome.found:8} {fault.means}: {outcome.detail}"[:220],
                flush=True,
            )
    record: dict[str, Any] = recorded(faults, outcomes)
    print(f"{record['red']} of {record['faults']} faults in {record['files']} files are {given.table}")
    if not given.only:
        table.record.write_text(json.dumps(record, indent=1) + "\n")
    return int(record["red"] < 0.95 * record["faults"] or record["equivalent red"] != 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
