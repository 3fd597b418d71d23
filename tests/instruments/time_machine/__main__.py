"""The time machine: which faults of public history are refuted, and what is said after their repair."""

import argparse
import json
import sys
import time
import warnings
from functools import partial
from pathlib import Path

import filterproof as fp
from mc.examine.verify import examine
from tests.instruments.time_machine.cases import CASES, Budget, Case


def examined(case: Case, *, repaired: bool, effort: float) -> dict[str, object]:
    """What an examination says of a case."""
    began = time.perf_counter()
    if not issubclass(case.budget, Budget):
        return _driven(case, began, repaired=repaired, effort=effort)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = examine(case.filter(repaired=repaired), effort=effort)
    refuted = found.witness is not None and found.witness.replay().refutes
    return {
        "outcome": "REFUTED" if refuted else found.verdict.outcome.name,
        "seconds": round(time.perf_counter() - began, 1),
        "witness": str(found.witness) if found.witness is not None else None,
        "faults": [one.fault for one in found.findings if one.fault],
    }


def _driven(case: Case, began: float, *, repaired: bool, effort: float) -> dict[str, object]:
    """What schedules say of a service."""
    found = fp.first_breach(
        partial(case.budget, repaired=repaired), case.budget.promise, effort=effort
    ).breach
    return {
        "outcome": "UNDECIDED" if found is None else "REFUTED",
        "seconds": round(time.perf_counter() - began, 1),
        "witness": None if found is None else "; ".join(found.story),
        "faults": [],
    }


def main() -> None:
    """Examine every case before and after its repair, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--effort", type=float, default=2.0, help="of each examination")
    parser.add_argument("--only", default="", help="the cases whose names have these words")
    parser.add_argument("--out", type=Path, help="the table as JSON")
    given = parser.parse_args()
    rows = []
    for case in (case for case in CASES if given.only in case.name):
        before = examined(case, repaired=False, effort=given.effort)
        after = examined(case, repaired=True, effort=given.effort)
        rows.append(
            {"name": case.name, "thread": case.thread, "said": case.said, "before": before, "after": after}
        )
        sys.stdout.write(
            f"{case.name}: {before['outcome']} in {before['seconds']} s, then {after['outcome']}\n"
        )
        sys.stdout.write(f"  {before['witness']}\n")
    if given.out is not None:
        given.out.write_text(json.dumps({"effort": given.effort, "cases": rows}, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
