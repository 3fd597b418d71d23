"""The power of the examination, measured on the corpus and on public bugs and their repairs: `make power`."""

import argparse
import json
import resource
import sys
import time
import warnings
from multiprocessing import get_context
from pathlib import Path

from filterproof.mc.examine.verification import verify
from filterproof.reports.package_data import is_right_verdict
from tests.instruments.corpus.case import Case
from tests.instruments.corpus.corpus_parts import PARTS
from tests.instruments.corpus.public import CASES

#: The row of a case in the record.
CaseResult = dict[str, object]


SUBJECTS: dict[str, tuple[Case, ...]] = {**PARTS, "public": CASES}


def _processor() -> float:
    """Processor seconds of this process and of the workers that ended."""
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


#: What a process costs before its first examination: the start of Python and the imports.
_START_UP = _processor()


def _unit() -> float:
    """The unit of processor time, measured now."""
    spent = time.process_time()
    sum(i * i for i in range(10**7))
    return time.process_time() - spent


def examined(job: tuple[str, int, float]) -> CaseResult:
    """The line of one subject: its part, its place and the effort. What cannot be examined is an error, and a miss."""
    part, place, effort = job
    subject = SUBJECTS[part][place]
    line: CaseResult = {
        "part": part,
        "name": subject.name,
        "kind": subject.kind,
        "outcome": "ERROR",
        "evidence": "",
    }
    line |= {"seconds": 0.0, "processor": 0.0, "units": 0.0, "stages": [], "detail": "", "counterexample": ""}
    line |= {"breaks": subject.why if subject.kind == "broken" else "", "thread": subject.thread}
    began, spent = time.perf_counter(), _processor()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            line |= _found(subject, effort)
    except Exception as error:  # noqa: BLE001 - see above
        line |= {"detail": repr(error)}
    seconds, processor = time.perf_counter() - began, _processor() - spent
    units = (_START_UP + processor) / _unit()
    return line | {"seconds": round(seconds, 1), "processor": round(processor, 1), "units": round(units, 1)}


def _found(subject: Case, effort: float) -> CaseResult:
    exam = verify(subject.make(), effort=effort)
    outcome = exam.ending.name
    if exam.counterexample is not None:
        outcome = "REFUTED" if exam.counterexample.replay().refutes else "REPLAY FAILS"
    return {
        "outcome": outcome,
        "evidence": exam.verdict.evidence.name,
        "stages": [finding.stage for finding in exam.findings if finding.counterexample is not None],
        "detail": exam.verdict.detail,
        "counterexample": "" if exam.counterexample is None else str(exam.counterexample),
    }


def _record(out: Path, effort: float, table: list[CaseResult]) -> None:
    """Write the cases examined, each with its date and time; of what was not examined again the last record stays."""
    before = json.loads(out.read_text("utf-8")) if out.is_file() else {}
    today = time.strftime("%Y-%m-%d")
    order = [
        (part, subject.kind, subject.name) for part, subjects in SUBJECTS.items() for subject in subjects
    ]
    cases = {(row["part"], row["kind"], row["name"]): row for row in before.get("cases", [])}
    cases |= {
        (row["part"], row["kind"], row["name"]): {**row, "date": today, "effort": effort} for row in table
    }
    record = {"date": today, "effort": effort, "history": before.get("history", "")}
    record["cases"] = [cases[key] for key in order if key in cases]
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(record, indent=1) + "\n")


def main(arguments: list[str]) -> int:
    """Examine the corpus and print the table; status 1 if anything was judged wrongly."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--effort", type=float, default=1.0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--part", choices=list(SUBJECTS), nargs="+", default=list(SUBJECTS))
    parser.add_argument("--only", default="", help="names of cases, separated by commas")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args(arguments)
    wanted = set(given.only.split(",")) if given.only else None
    jobs = [
        (part, place)
        for part in given.part
        for place, subject in enumerate(SUBJECTS[part])
        if wanted is None or subject.name in wanted
    ]
    table = []
    with get_context("spawn").Pool(given.workers, maxtasksperchild=4) as pool:
        for row in pool.imap_unordered(examined, [(*job, given.effort) for job in jobs]):
            table.append(row)
            if given.out is not None:
                _record(given.out, given.effort, table)
            mark = " " if is_right_verdict(row) else "X"
            print(
                f"{mark} {row['kind']:6} {row['name']:32} {row['outcome']:9} {row['evidence']:11} "
                f"{row['seconds']:5.1f} s, {row['units']:5.1f} units of the processor  {str(row['detail'])[:110]}",
                flush=True,
            )
    for part in SUBJECTS:
        for kind in ("broken", "sound"):
            rows = [row for row in table if row["part"] == part and row["kind"] == kind]
            if rows:
                print(
                    f"{part} part, {kind}: {sum(map(is_right_verdict, rows))} of {len(rows)} as they should be"
                )
    return int(not all(map(is_right_verdict, table)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
