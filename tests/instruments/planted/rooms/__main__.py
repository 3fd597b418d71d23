"""Plant the faults at nodes and record which of them the tests of their room kill: `make killed`."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
import time
from pathlib import Path

from tests.instruments.planted.fault import digest
from tests.instruments.planted.killing import kill
from tests.instruments.planted.rooms import FAULTS

RECORD = Path(__file__).parent.with_name("killed.json")
#: What the forks share.
_SHARED = (
    "numpy",
    "scipy.special",
    "scipy.optimize",
    "scipy.stats",
    "mpmath",
    "flint",
    "pytest",
    "filters.catalogue",
    "theory.proofs",
)


def main(arguments: list[str]) -> int:
    """Plant the faults one after the other and record which of them the tests of their room kill; 1 below 95 %."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="a part of the name of a file")
    parser.add_argument(
        "--again", action="store_true", help="of the record, plant what was not killed or is new"
    )
    given = parser.parse_args(arguments)
    os.environ.update(OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")
    for library in _SHARED:
        importlib.import_module(library)
    known = json.loads(RECORD.read_text("utf-8"))["lines"] if given.again and RECORD.is_file() else []
    names = {fault.name for fault in FAULTS}
    lines = {line["name"]: line for line in known if line["found"] == "killed" and line["name"] in names}
    for fault in (one for one in FAULTS if given.only in one.file and one.name not in lines):
        outcome = kill(fault)
        words = f"{fault.file}: {fault.means}: {outcome.detail}"
        print(f"{outcome.seconds:5.1f} s  {outcome.found:8} {words}"[:220], flush=True)
        lines[fault.name] = {
            "name": fault.name,
            "means": fault.means,
            "kind": fault.kind,
            "found": outcome.found,
            "by": outcome.detail,
        }
    killed = sum(line["found"] == "killed" for line in lines.values())
    print(f"{killed} of {len(lines)} faults are killed by the tests of their room")
    if not given.only:
        kept = [lines[fault.name] for fault in FAULTS]
        record = {
            "date": time.strftime("%Y-%m-%d"),
            "table": digest(FAULTS),
            "faults": len(kept),
            "killed": killed,
            "lines": kept,
        }
        RECORD.write_text(json.dumps(record, indent=1) + "\n")
    return int(killed < 0.95 * len(lines))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
