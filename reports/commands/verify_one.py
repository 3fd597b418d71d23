"""`filterproof verify TARGET`: one filter is examined, and the verdict printed and written."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from rich.console import Console

from mc.examine.examination import PartialExamination, Status
from mc.examine.filter_fault import examining
from reports.commands.console import OUTCOME_STYLE, check_folder, clear_errors, clear_faults, complain, say
from reports.commands.exit_status import End, ExitStatus
from reports.examination_words import Ending
from reports.examined import SEED, Examined, verify
from reports.expression import read_command, read_holder

__all__ = ["SECONDS", "verify_one"]

#: How long an examination takes by default.
SECONDS = 60.0


def verify_one(
    target: str | None,
    out: Path,
    *,
    program: tuple[str | None, ...] = (None,),
    seconds: float,
    mechanisms: Sequence[str] | None,
    as_json: bool,
    seed: int | None,
) -> None:
    """Examine the filter of target or of a program, print and write what was found, and end with its status."""
    began = time.perf_counter()
    named = target if target is not None and "::" in target else None
    doing = ["loading the filter"]
    with clear_errors(), ExitStack() as stack:
        check_folder(out)
        filt: Any = read_command(*program) if target is None else read_holder(target)
        if named is not None or target is None:
            stack.enter_context(examining(filt))
        status = stack.enter_context(Console(stderr=True).status(f"examining {type(filt).__name__}"))

        def on_stage(stage: str) -> None:
            doing[:] = [stage]
            status.update(f"{type(filt).__name__}: {stage}")

        try:
            exam = verify(
                filt,
                seconds=seconds,
                mechanisms=mechanisms,
                seed=SEED if seed is None else seed,
                on_stage=on_stage,
                target=named,
            )
        except KeyboardInterrupt as stopped:
            status.stop()
            kept = "nothing was decided or written, what was done is lost, and verify starts anew"
            found = stopped.examination if isinstance(stopped, PartialExamination) else None
            if found is not None and any(one.stage != "admission" for one in found.findings):
                page = Examined.of(found, named).save(out)
                kept = f"what was found until then is in {page}, which says that it is partial"
            complain(f"interrupted after {time.perf_counter() - began:.0f} s, in {doing[0]}; {kept}")
            raise End(ExitStatus.INTERRUPTED) from stopped
    with clear_faults(target or str(program[0]), filt):  # its promise and scope are its code too
        data, (first, *lines) = exam.json(), exam.lines(out)
        if exam.ending not in (Ending.FAULTY, Ending.OUT_OF_TIME):
            exam.save(out)
    with clear_errors():
        _tell(exam, out, data if as_json else None, first, lines)


def _tell(exam: Examined, out: Path, data: str | None, first: str, lines: list[str]) -> None:
    """Print the examination, and end with its status; a filter at fault gets its sentences alone."""
    if data is not None:
        sys.stdout.write(data)
    match exam.ending:
        case Ending.FAULTY:
            for fault in exam.faults:
                complain(fault)
            raise End(ExitStatus.FILTER_FAULT)
        case Ending.OUT_OF_TIME:
            for told in exam.faults or (f"{exam.name} was {exam.conclusion}",):
                complain(f"{told}; nothing was decided: mend it, or pass longer --seconds")
            raise End(ExitStatus.TIME_LIMIT)
    if data is None:
        style = f"bold {OUTCOME_STYLE[exam.verdict.outcome]}"
        say(first, style=style)
        for line in (*lines, f"Report: {out / 'report.html'}"):
            say(line)
    if exam.refuted:
        raise End(ExitStatus.NOT_AS_EXPECTED)
    if exam.status is Status.DENIES:
        raise End(ExitStatus.NOTHING_TRIED)
