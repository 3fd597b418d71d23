"""`filterproof audit`: what other libraries do where they are used as filters, found by running them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from reports.commands.console import clear_errors, written_after
from reports.commands.exit_status import End, ExitStatus
from theory.arguments import did_you_mean

if TYPE_CHECKING:
    from reports.audit.audited import Audit


def audit(
    libraries: Annotated[
        list[str] | None, typer.Argument(help="dp_accounting, opendp, ...; default: all that are known.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for audit.html, audit.json and a text for each fault.")
    ] = None,
    environments: Annotated[
        Path | None, typer.Option(help="Folder of environments that are looked at for libraries, too.")
    ] = None,
    effort: Annotated[
        float, typer.Option(help="How much work each rule is examined with as a filter.")
    ] = 0.3,
    findings: Annotated[
        Path | None,
        typer.Option(help="Folder of findings, one for each library; default: those beside the source."),
    ] = None,
    recorded: Annotated[
        bool, typer.Option("--recorded", help="Run nothing; tell what was recorded with this version.")
    ] = False,
) -> None:
    """Ask the installed libraries the laws for accountants, and show each known fault by its script.

    A library that is installed nowhere is named and left out; the extra 'audit' has them. With --out the part of each
    library is kept when it is done: after Ctrl-C the same call goes on. Findings are texts (TOML), which are read,
    and faults, routes and subjects (Python), which are run with your rights: take them from people whom you trust.
    """
    from mc.runs.output import OutputFolder
    from reports.audit.audited import recorded_audit
    from reports.audit.auditing import audit_of
    from reports.audit.registry import libraries_of
    from reports.audit.texts import issue_text
    from reports.pages.audit_page import audit_page

    progress = Console(stderr=True, highlight=False)
    with clear_errors():
        record = recorded_audit() if recorded else None
        known = libraries_of(findings) if record is None else {}
        keys = tuple(known) if record is None else record.keys
        names = libraries or keys
        if unknown := [name for name in names if name not in keys]:
            raise ValueError(
                f"libraries must be of {', '.join(keys)}, got {unknown[0]!r}"
                f"{did_you_mean(unknown[0], keys) or '; see its spelling'}"
            )
        if environments is not None and not environments.is_dir():
            raise ValueError(
                f"environments must be a folder of environments, got {str(environments)!r}; `make audit` makes .audit"
            )
        if not 0 < effort < float("inf"):
            raise ValueError(f"effort must be positive, got effort={effort}; pass --effort 1, say")
        if record is not None:
            found = record.only(names)
        else:
            found = audit_of(
                [known[name] for name in names],
                environments=environments,
                effort=effort,
                keep=None if out is None else out / "parts",
                on_step=lambda said: progress.print(f"[dim]{escape(said)}[/]"),
            )
    _print(found)
    status = ExitStatus.AS_EXPECTED if found.as_expected else ExitStatus.NOT_AS_EXPECTED
    if out is not None:
        with written_after(status), OutputFolder(out) as folder:
            folder.add("audit.json", found.to_json().encode())
            folder.add("audit.html", audit_page(found).encode())
            for library in found.libraries:
                for one in library.faults:
                    folder.add(f"{library.key}-{one.fault.key}.md", issue_text(library, one).encode())
        Console().print(f"Page: {out / 'audit.html'}", soft_wrap=True)
    if not found.as_expected:
        raise End(status)
    if not found.libraries:
        raise End(ExitStatus.UNUSABLE)


def _print(found: Audit) -> None:
    console = Console(highlight=False)
    table = Table("Library", "Entry point", "held", "broken", "raised", "As a filter", title="Laws")
    for library in found.libraries:
        for entry in library.entries:
            if entry.laws:
                said = [law.outcome for law in entry.laws]
                counts = (str(said.count(word)) for word in ("held", "broken", "raised"))
                told = (f"{library.distribution} {library.version}", entry.entry.name, *counts, entry.verdict)
                table.add_row(*map(escape, told))
    console.print(table)
    for library in found.libraries:
        for one in library.faults:
            there = "" if one.there else " [bold red]not shown in this version[/]"
            console.print(
                f"[bold]{escape(library.distribution)}[/] {one.fault.kind.value}: {escape(one.fault.says)} "
                f"[dim]expected {escape(one.expected)}, got {escape(one.got)}[/]{there}"
            )
        for name, law in library.unexplained:
            console.print(
                f"[bold red]not explained[/] {escape(name)} breaks {escape(law.law)}: {escape(law.words)}"
            )
    for name, why in found.absent:
        console.print(f"[dim]{escape(name)} was not audited: {escape(why)}[/]")
