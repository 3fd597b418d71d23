"""The audit of other libraries on its page of the docs: a sentence and one table."""

from __future__ import annotations

from filterproof.reports.audit.audit_record import AuditRecord, FindingKind

#: The heads of the table.
HEADS = ("library", "kind", "entry point", "consequence", "expected", "got")


def audit_summary(audit: AuditRecord) -> str:
    """How many libraries were run, how many findings of each kind were shown, and when."""
    shown = [one for library in audit.libraries for one in library.findings if one.shown]
    counts = ", ".join(f"{kind.value}: {sum(one.kind is kind for one in shown)}" for kind in FindingKind)
    dates = sorted(library.date for library in audit.libraries)
    return (
        f"{len(audit.libraries)} libraries were run on {dates[0]} to {dates[-1]}; each of {len(shown)} findings was "
        f"shown by a script. {counts.capitalize()}. Nothing else was looked at, and another version may differ."
    )


def rows(audit: AuditRecord) -> list[tuple[str, ...]]:
    """The cells of each finding under `HEADS`."""
    return [
        (
            f"{library.distribution} {library.version}",
            *(one.kind.value, one.entry, one.consequence, one.expected),
            one.got if one.shown else f"{one.got}: not shown in this version",
        )
        for library in audit.libraries
        for one in library.findings
    ]
