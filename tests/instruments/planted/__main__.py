"""Plant the faults of the tables of `theory` and `filters` and record what numbers and tests say: `make planted`."""

import argparse
import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tests.instruments.planted.fault import FAULTS, ROOT, Fault, digest
from tests.instruments.planted.planting import Outcome, plant

RECORD = ROOT / "reports/recorded/planted.json"


def recorded(faults: tuple[Fault, ...], outcomes: list[Outcome]) -> dict[str, object]:
    """The record: the table's digest, the score, and a line for each fault."""
    pairs = list(zip(faults, outcomes, strict=True))
    counted = [outcome.red for fault, outcome in pairs if fault.kind != "equivalent"]
    return {
        "date": time.strftime("%Y-%m-%d"),
        "table": digest(faults),
        "files": len({fault.file for fault in faults}),
        "faults": len(counted),
        "red": sum(counted),
        "equivalent": len(faults) - len(counted),
        "equivalent red": sum(outcome.red for _, outcome in pairs) - sum(counted),
        "lines": [
            {
                "name": fault.name,
                "file": fault.file,
                "means": fault.means,
                "kind": fault.kind,
                "found": outcome.found,
                "detail": fault.reason if fault.kind == "equivalent" else outcome.detail,
            }
            for fault, outcome in pairs
        ],
    }


def _right(fault: Fault, outcome: Outcome) -> bool:
    return outcome.red != (fault.kind == "equivalent")


def _known() -> dict[str, Outcome]:
    """What the record says of faults that ended as they should, by name."""
    faults = {fault.name: fault for fault in FAULTS}
    lines = json.loads(RECORD.read_text("utf-8"))["lines"] if RECORD.is_file() else []
    outcomes = {line["name"]: Outcome(line["found"], line["detail"], 0.0) for line in lines}
    return {
        name: outcome
        for name, outcome in outcomes.items()
        if name in faults and _right(faults[name], outcome)
    }


def main(arguments: list[str]) -> int:
    """Plant the faults and print what comes of each; status 1 below 95 % or for a false alarm."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", default="", help="a part of the name of a file; nothing is recorded")
    parser.add_argument(
        "--again", action="store_true", help="of the record, plant again what was not found or is new"
    )
    given = parser.parse_args(arguments)
    faults = tuple(fault for fault in FAULTS if given.only in fault.file)
    known = _known() if given.again else {}
    os.environ.update(OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")
    clean = plant(None)
    if clean.red:
        print(f"without a fault: {clean.found}, {clean.detail}")
        return 1
    outcomes: list[Outcome] = []
    with ThreadPoolExecutor(given.workers) as pool:
        found_outcomes = pool.map(lambda fault: known.get(fault.name) or plant(fault), faults)
        for fault, outcome in zip(faults, found_outcomes, strict=True):
            outcomes.append(outcome)
            print(
                f"{' ' if _right(fault, outcome) else 'X'} {fault.kind:10} {fault.file:42} {outcome.seconds:5.1f} s  "
                f"{outcome.found:8} {fault.means}: {outcome.detail}"[:220],
                flush=True,
            )
    record: dict[str, Any] = recorded(faults, outcomes)
    print(f"{record['red']} of {record['faults']} faults in {record['files']} files are refused")
    if not given.only:
        RECORD.write_text(json.dumps(record, indent=1) + "\n")
    return int(record["red"] < 0.95 * record["faults"] or record["equivalent red"] != 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
