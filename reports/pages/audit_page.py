"""The audit of other libraries as one table, for its page of the docs and for the command, and a sentence."""

from __future__ import annotations

from filterproof.reports.audit.audit_record import AuditRecord, FindingKind

#: The heads of the table.
HEADS = ("library", "kind", "entry point", "consequence", "expected", "got")


def audit_summary(audit: AuditRecord) -> str:
    """Return a sentence: the libraries that ran, the findings of each kind, and the dates."""
    shown = [finding for library in audit.libraries for finding in library.findings if finding.shown]
    counts = ", ".join(
        f"{kind.value}: {sum(finding.kind is kind for finding in shown)}" for kind in FindingKind
    )
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
            *(finding.kind.value, finding.entry, finding.consequence, finding.expected),
            finding.got if finding.shown else f"{finding.got}: NOT REPRODUCED in this version",
        )
        for library in audit.libraries
        for finding in library.findings
    ]
