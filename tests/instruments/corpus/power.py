"""The power of the examination, measured on the corpus: `make power`."""

import argparse
import json
import resource
import sys
import time
import warnings
from multiprocessing import get_context
from pathlib import Path

from mc.examine.examination import Status
from mc.examine.verify import examine
from reports.chapters.recorded import right
from tests.instruments.corpus.halves import HALVES

#: What an examination says of a filter, in one word.
Said = dict[str, object]


def _processor() -> float:
    """Processor seconds of this process and of the workers that ended."""
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in usages)


def examined(job: tuple[str, int, float]) -> Said:
    """The line of one case: its part, its place and the effort.

    found: the time at which the telling of its first refutation began. What cannot be examined is an error, and a miss.
    """
    half, place, effort = job
    case = HALVES[half][place]
    line: Said = {"half": half, "name": case.name, "kind": case.kind, "outcome": "ERROR", "evidence": ""}
    line |= {"seconds": 0.0, "found": None, "processor": 0.0, "stages": [], "detail": ""}
    line["breaks"] = case.why if case.kind == "broken" else ""
    began, spent, begun = time.perf_counter(), _processor(), dict[str, float]()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = examine(
                case.filter_class(),
                effort=effort,
                first_only=True,
                on_stage=lambda stage: begun.setdefault(stage, round(time.perf_counter() - began, 1)),
            )
        outcome = found.verdict.outcome.name if found.status is Status.EXAMINED else found.status.name
        if found.witness is not None:
            outcome = "REFUTED" if found.witness.replay().refutes else "REPLAY FAILS"
    except Exception as error:  # noqa: BLE001 - see above
        return line | {"detail": repr(error)}
    return line | {
        "outcome": outcome,
        "evidence": found.verdict.evidence.name,
        "seconds": round(time.perf_counter() - began, 1),
        "found": begun.get("telling"),
        "processor": round(_processor() - spent, 1),
        "stages": [one.stage for one in found.findings if one.witness is not None],
        "detail": found.verdict.detail,
    }


def _record(out: Path, effort: float, table: list[Said]) -> None:
    """Write the cases examined, each with its date and time; of what was not examined again the last record stays."""
    before = json.loads(out.read_text("utf-8")) if out.is_file() else {}
    today = time.strftime("%Y-%m-%d")
    known = {(half, case.name) for half, cases in HALVES.items() for case in cases}
    cases = {(said["half"], said["name"]): said for said in before.get("cases", [])}
    cases |= {(said["half"], said["name"]): {**said, "date": today, "effort": effort} for said in table}
    kept = sorted((half, said["kind"], name) for (half, name), said in cases.items() if (half, name) in known)
    record = {"date": today, "effort": effort, "history": before.get("history", "")}
    record["cases"] = [cases[half, name] for half, _, name in kept]
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(record, indent=1) + "\n")


def main(arguments: list[str]) -> int:
    """Examine the corpus and print the table; status 1 if anything was judged wrongly."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--effort", type=float, default=1.0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--half", choices=sorted(HALVES), nargs="+", default=list(HALVES))
    parser.add_argument("--only", default="", help="names of cases, separated by commas")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args(arguments)
    wanted = set(given.only.split(",")) if given.only else None
    jobs = [
        (half, place)
        for half in given.half
        for place, case in enumerate(HALVES[half])
        if wanted is None or case.name in wanted
    ]
    table = []
    with get_context("spawn").Pool(given.workers, maxtasksperchild=4) as pool:
        for said in pool.imap_unordered(examined, [(*job, given.effort) for job in jobs]):
            table.append(said)
            if given.out is not None:
                _record(given.out, given.effort, table)
            mark = " " if right(said) else "X"
            print(
                f"{mark} {said['kind']:6} {said['name']:32} {said['outcome']:9} {said['evidence']:11} "
                f"{said['seconds']:5.1f} s, {said['processor']:5.1f} of the processor  {str(said['detail'])[:110]}",
                flush=True,
            )
    for half in HALVES:
        for kind in ("broken", "sound"):
            rows = [said for said in table if said["half"] == half and said["kind"] == kind]
            if rows:
                print(f"{half} half, {kind}: {sum(map(right, rows))} of {len(rows)} as they should be")
    return int(not all(map(right, table)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
