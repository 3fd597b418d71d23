"""`filterproof audit`: known findings about other libraries, reproduced by running the libraries."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from filterproof.reports.commands.console import clear_errors, keep_status_on_write_error
from filterproof.reports.commands.exit_status import CommandEnd, ExitStatus


def audit(
    libraries: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[LIBRARY]...", help="Libraries, such as dp_accounting or opendp. Default: all."
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for audit.json.")] = None,
    environments: Annotated[
        Path | None, typer.Option(help="Folder of virtual environments in which to look for libraries, too.")
    ] = None,
    recorded: Annotated[
        bool,
        typer.Option("--recorded", help="List the findings recorded with this version, and run nothing."),
    ] = False,
) -> None:
    """Reproduce each known finding about the installed libraries by its script.

    A library that is not installed is skipped with a message. The extra 'audit' installs the libraries.
    """
    from filterproof.mc.runs.output import OutputFolder
    from filterproof.reports.audit.audit_record import recorded_audit
    from filterproof.reports.audit.auditing import rerun_audit
    from filterproof.reports.pages.audit_page import HEADS, rows
    from filterproof.theory.argument_checks import did_you_mean

    progress = Console(stderr=True, highlight=False)
    with clear_errors():
        record = recorded_audit()
        if unknown := [name for name in libraries or () if name not in record.library_keys]:
            listed = ", ".join(record.library_keys)
            raise ValueError(
                f"there are no findings about this library (library={unknown[0]!r})"
                f"{did_you_mean(unknown[0], record.library_keys) or f'; choose from {listed}'}"
            )
        if environments is not None and not environments.is_dir():
            raise ValueError(
                f"the folder does not exist (environments={str(environments)!r}); `make audit` creates .audit"
            )
        audited = record.only(libraries or record.library_keys)
        if not recorded:
            audited = rerun_audit(
                audited,
                environments=environments,
                on_library=lambda message: progress.print(f"[dim]{escape(message)}[/]"),
            )
    table = Table(*(head.capitalize() for head in HEADS))
    for cells in rows(audited):
        table.add_row(*map(escape, cells))
    Console(highlight=False).print(table)
    status = ExitStatus.AS_EXPECTED if audited.all_shown else ExitStatus.NOT_AS_EXPECTED
    if out is not None:
        with keep_status_on_write_error(status), OutputFolder(out) as folder:
            folder.add("audit.json", audited.to_json().encode())
    if not audited.libraries:
        raise CommandEnd(ExitStatus.UNUSABLE)
    if not audited.all_shown:
        raise CommandEnd(status)
