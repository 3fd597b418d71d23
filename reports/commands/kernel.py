"""`filterproof kernel`: compile and check the Rocq sources, and record the result."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from filterproof.reports.commands.console import clear_errors, print_error
from filterproof.reports.commands.exit_status import CommandEnd, ExitStatus


def kernel(
    check: Annotated[
        bool, typer.Option("--check", help="Compare with the existing record, and write nothing.")
    ] = False,
) -> None:
    """Compile the Rocq sources, check them with coqchk, and record the theorems that the kernel accepts.

    The command needs coqc and coqchk with the libraries Interval, Coquelicot and Flocq. The other commands use the
    record.
    """
    from pathlib import Path

    import filterproof.theory.kernel
    from filterproof.mc.runs.output import OutputFolder
    from filterproof.reports.kernel_run import KernelError, NoRocqError, run_kernel
    from filterproof.theory.kernel.kernel_theorems import KERNEL_THEOREMS
    from filterproof.theory.kernel.record import RECORD, SEAL, stored_record

    console = Console(highlight=False)
    progress = Console(stderr=True, highlight=False)
    refusal = None
    with clear_errors():
        try:
            record = run_kernel(on_step=lambda message: progress.print(f"[dim]{escape(message)}[/]"))
            if check and (
                (existing := stored_record()) is None
                or not existing.matches_committed_digest
                or existing.version_independent_parts != record.version_independent_parts
            ):
                refusal = "the record does not match the sources; run make kernel and commit the record"
        except NoRocqError as missing:
            print_error(missing)
            raise CommandEnd(ExitStatus.UNUSABLE) from missing
        except (KernelError, ValueError) as refused:
            refusal = str(refused)
        if refusal is None and not check:
            with OutputFolder(Path(filterproof.theory.kernel.__file__).parent) as folder:
                folder.add(RECORD, record.to_json().encode())
                folder.add(SEAL, record.record_digest.encode())
    if refusal is not None:
        progress.print(f"[bold red]REFUSED[/] {escape(refusal)}")
        raise CommandEnd(ExitStatus.NOT_AS_EXPECTED)
    for theorem in KERNEL_THEOREMS.values():
        axioms = ", ".join(record.axioms[theorem.rocq_module]) or "no axioms"
        console.print(f"{theorem.name} [dim]{theorem.source}[/] {axioms}")
    console.print(
        f"Rocq {record.rocq} accepted {len(record.statements)} theorems in {len(record.sources)} files; "
        "coqchk checked the compiled files."
    )
