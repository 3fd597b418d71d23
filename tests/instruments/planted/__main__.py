"""Plant every fault of the table and record which of them `filterproof prove` refuses: `make planted`."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.instruments.planted.fault import ROOT, Fault, digest
from tests.instruments.planted.planting import Outcome, plant
from tests.instruments.planted.table import FAULTS

RECORD = ROOT / "reports/recorded/planted.json"


def recorded(faults: tuple[Fault, ...], outcomes: list[Outcome]) -> dict[str, object]:
    """The record: the table's digest, the score, and a line for each fault."""
    counted = [(f, o) for f, o in zip(faults, outcomes, strict=True) if f.kind != "equivalent"]
    return {
        "date": time.strftime("%Y-%m-%d"),
        "table": digest(faults),
        "files": len({fault.file for fault in faults}),
        "faults": len(counted),
        "red": sum(outcome.red for _, outcome in counted),
        "equivalent": len(faults) - len(counted),
        "equivalent red": sum(o.red for f, o in zip(faults, outcomes, strict=True) if f.kind == "equivalent"),
        "lines": [
            {
                "name": fault.name,
                "file": fault.file,
                "means": fault.means,
                "kind": fault.kind,
                "found": outcome.found,
                "detail": fault.reason if fault.kind == "equivalent" else outcome.detail,
            }
            for fault, outcome in zip(faults, outcomes, strict=True)
        ],
    }


def _known(record: Path) -> dict[str, Outcome]:
    """What the record says of faults that ended as they should, by name."""
    lines = json.loads(record.read_text("utf-8"))["lines"] if record.is_file() else []
    return {
        line["name"]: Outcome(line["found"], line["detail"], 0.0)
        for line in lines
        if (line["found"] != "green") != (line["kind"] == "equivalent")
    }


def main(arguments: list[str]) -> int:
    """Plant the faults, print those that are not found as they should be; status 1 below 95 % or for a false alarm."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", default="", help="a part of the name of a file")
    parser.add_argument("--out", type=Path)
    parser.add_argument(
        "--again", action="store_true", help="of the record, plant again what was green or is new"
    )
    given = parser.parse_args(arguments)
    faults = tuple(fault for fault in FAULTS if given.only in fault.file)
    known = _known(given.out) if given.again and given.out is not None else {}
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    clean = plant(None)
    if clean.red:
        print(f"without a fault: {clean.found}, {clean.detail}")
        return 1
    outcomes: list[Outcome] = []
    with ThreadPoolExecutor(given.workers) as pool:
        asked = pool.map(lambda fault: known.get(fault.name) or plant(fault), faults)
        for fault, outcome in zip(faults, asked, strict=True):
            outcomes.append(outcome)
            right = outcome.red != (fault.kind == "equivalent")
            print(
                f"{' ' if right else 'X'} {fault.kind:10} {fault.file:42} {outcome.seconds:5.1f} s  {outcome.found:8} "
                f"{fault.means}: {outcome.detail}"[:220],
                flush=True,
            )
    record = recorded(faults, outcomes)
    print(f"{record['red']} of {record['faults']} faults in {record['files']} files are refused")
    if given.out is not None and not given.only:
        given.out.write_text(json.dumps(record, indent=1) + "\n")
    enough = record["red"] >= 0.95 * record["faults"]  # type: ignore[operator]
    return int(not enough or record["equivalent red"] != 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
