"""The work of `filterproof verify`: examine one target, or compare two, and print and write the result."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from rich.text import Text

from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.examine.difference import first_difference
from filterproof.mc.examine.ending import Ending
from filterproof.mc.examine.examination import Examination, PartialExamination
from filterproof.mc.examine.filter_fault import filter_faults_raised
from filterproof.mc.examine.formatting import filter_name
from filterproof.mc.examine.verification import verify
from filterproof.mc.runs.output import OutputFolder
from filterproof.reports.commands.console import (
    OUTCOME_STYLE,
    check_folder,
    clear_errors,
    clear_faults,
    doing,
    keep_status_on_write_error,
    print_error,
    print_text,
)
from filterproof.reports.commands.exit_status import CommandEnd, ExitStatus
from filterproof.reports.kernel_run import KernelError, NoRocqError, check_file
from filterproof.reports.target_expression import read_filter, read_program, read_target

#: The exit status of each ending; HOLDS and UNDECIDED are a success.
_STATUS = {
    Ending.REFUTED: ExitStatus.NOT_AS_EXPECTED,
    Ending.FAULTY: ExitStatus.FILTER_FAULT,
    Ending.OUT_OF_TIME: ExitStatus.TIME_LIMIT,
    Ending.NOT_EXAMINED: ExitStatus.NOTHING_TRIED,
    Ending.DISAGREEMENT: ExitStatus.INTERNAL,
}


def verify_target(
    target: str | None,
    out: Path,
    *,
    program: tuple[str | None, ...],
    as_json: bool,
    kernel: bool = False,
    **options: Any,
) -> None:
    """Examine the filter of a target or program, print and write the result, and end with its status."""
    promise = program[1]
    named = target if target is not None and "::" in target else None
    options["target"] = named if named is None or promise is None else (named, "--promise", promise)
    doing_now = ["loading the filter"]
    with clear_errors(), ExitStack() as stack:
        check_folder(out)
        filt = read_target(target, program)
        if named is not None or target is None:
            stack.enter_context(filter_faults_raised(filt))
        spinner = stack.enter_context(doing(f"examining {filter_name(filt)}"))

        def on_stage(stage: str) -> None:
            doing_now[:] = [stage]
            spinner.update(Text(f"{filter_name(filt)}: {stage}"))

        try:
            exam = verify(filt, on_stage=on_stage, **options)
        except KeyboardInterrupt as stopped:
            spinner.stop()
            saved_text = "nothing was decided or written; run verify again from the start"
            examination = stopped.examination if isinstance(stopped, PartialExamination) else None
            if examination is not None and any(
                finding.stage != "admission" for finding in examination.findings
            ):
                page = examination.save(out)
                saved_text = f"the partial findings are in {page}"
            print_error(f"interrupted in {doing_now[0]}; {saved_text}")
            raise CommandEnd(ExitStatus.INTERRUPTED) from stopped
    with clear_faults(target or str(program[0]), filt):  # its promise and scope are its code too
        lines, data = exam.lines(out), exam.json() if as_json else ""
    has_result, status = exam.ending not in (Ending.FAULTY, Ending.OUT_OF_TIME), _STATUS.get(exam.ending)
    with clear_errors():  # before anything is written: a full disk must not keep the verdict back
        if as_json:
            sys.stdout.write(data)
            sys.stdout.flush()
        elif has_result:
            print_text(lines[0], style=f"bold {OUTCOME_STYLE[exam.verdict.outcome.name]}")
            for line in lines[1:]:
                print_text(line)
    if has_result:
        with (
            keep_status_on_write_error(status or ExitStatus.AS_EXPECTED),
            clear_faults(target or str(program[0]), filt),
        ):
            page = exam.save(out)
            if not as_json:
                print_text(f"Report: {page}")
            if kernel:
                _write_kernel_file(exam, out)
    if exam.ending is Ending.FAULTY:
        for fault in exam.faults:
            print_error(fault)
    elif exam.ending is Ending.OUT_OF_TIME:
        _print_late_or_time_limit(
            exam.stopped,
            f"{exam.name} was {exam.conclusion}; nothing was decided: correct the filter, or pass larger --seconds",
        )
    if status is not None:
        raise CommandEnd(status)


def _write_kernel_file(exam: Examination, out: Path) -> None:
    """Write the source proof for the kernel, and compile the file where there is a compiler."""
    from filterproof.mc.prove.paths import NotTraced
    from filterproof.mc.prove.rocq import rocq_file

    module = f"{type(exam.filter).__name__}_proof"
    sums = next((finding.rounding for finding in exam.findings if finding.stage == "source"), ())
    if not sums:
        print_text("Kernel: no file, since there is no source proof.")
        return
    try:
        text, outside = rocq_file(type(exam.filter).__name__, sums)
    except NotTraced as missing:
        print_text(f"Kernel: no file; {missing.reason}.")
        return
    with OutputFolder(out) as folder:
        folder.add(f"{module}.v", text.encode())
    left = "; ".join(("all but the trace", "what a request's numbers say of its charge", *outside))
    with doing(f"compiling {module}.v") as spinner:
        try:
            version = check_file(module, text, "guarantee", on_step=lambda name: spinner.update(Text(name)))
        except NoRocqError as missing:
            print_text(f"Kernel: {out / module}.v was not compiled; {missing}.")
            return
        except KernelError as refused:
            print_error(f"the kernel refuses {out / module}.v: {refused}")
            raise CommandEnd(ExitStatus.INTERNAL) from refused
    print_text(f"Kernel: Rocq {version} accepts {out / module}.v, so KERNEL for {left}.")


def _print_late_or_time_limit(stopped: str, limit: str) -> None:
    """Print that a program answered late if `stopped` names one, else that the time ran out."""
    late = stopped.partition(": ")[2]
    print_error(f"{late}; nothing was decided" if late else limit)


def compare_decisions(
    target: str | None,
    other: str,
    *,
    program: tuple[str | None, ...],
    **options: Any,
) -> None:
    """Find the first request that two filters or programs decide differently; end with the status."""
    with clear_errors(), ExitStack() as stack:
        both: list[PrivacyFilter] = []
        for text in (target, other):
            filt = (
                read_program(text or program[0], *program[1:]) if target is None else read_filter(str(text))
            )
            assert filt is not None
            if target is None or "::" in str(text):
                stack.enter_context(filter_faults_raised(filt))
            both.append(filt)
        with doing("comparing the decisions"):
            report = first_difference(*both, **options)
    if not report.histories:
        _print_late_or_time_limit(
            report.stopped,
            "the time limit ended the comparison before the first request; pass larger --seconds",
        )
        raise CommandEnd(ExitStatus.TIME_LIMIT)
    print_text(report)
    if report.difference is not None:
        raise CommandEnd(ExitStatus.NOT_AS_EXPECTED)
