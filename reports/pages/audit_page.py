"""The audit of other libraries as a section of the report, and as a page of its own."""

from __future__ import annotations

from typing import Any

from mc.accountants.laws import ACCOUNTANT_LAWS
from reports.audit.audited import Audit, AuditedLibrary
from reports.audit.fault import Kind
from reports.pages.template import rendered, style

__all__ = ["audit_page", "audit_section"]

_CELLS = {"held": "held", "broken": "broken", "raised": "raised", "not asked": "–"}
_COLOURS = {"HOLDS": "holds", "REFUTED": "refuted", "UNDECIDED": "undecided"}


def audit_page(audit: Audit) -> str:
    """The audit as one self-contained page."""
    return rendered("audit.html.j2", style=style(), audit=audit_section(audit))


def audit_section(audit: Audit) -> dict[str, Any]:
    """What the template shows: the table library x law, and a folded part for each library."""
    laws = [(str(number), _words(law)) for number, law in enumerate(ACCOUNTANT_LAWS, 1)]
    return {
        "answer": _answer(audit),
        "laws": laws,
        "rows": [row for library in audit.libraries for row in _rows(library)],
        "libraries": [_library(library) for library in audit.libraries],
        "absent": audit.absent,
    }


def _answer(audit: Audit) -> str:
    if not audit.libraries:
        return "No audit was recorded."
    faults = [fault for library in audit.libraries for fault in library.faults if fault.shown and fault.agree]
    counts = [(kind, sum(fault.kind is kind for fault in faults)) for kind in Kind]
    told = ", ".join(f"{kind.value}: {count}" for kind, count in counts if count)
    return (
        f"{len(audit.libraries)} libraries were run, not re-implemented; {len(faults)} findings are shown by a "
        "script each. "
        f"{told[:1].upper()}{told[1:]}. Only what is named below was looked at, in the versions named; a law that held "
        "was held on a few histories, which proves nothing of others."
    )


def _words(law: str) -> str:
    return (ACCOUNTANT_LAWS[law].__doc__ or law).splitlines()[0].rstrip(".")


def _rows(library: AuditedLibrary) -> list[dict[str, Any]]:
    asked = [entry for entry in library.entries if entry.laws]
    rows = []
    for entry in asked:
        outcomes = {law.law: law for law in entry.laws}
        cells = []
        for name in ACCOUNTANT_LAWS:
            law = outcomes.get(name)
            cells.append(
                {"word": _CELLS[law.outcome], "says": law.words}
                if law
                else {"word": "–", "says": "not asked"}
            )
        rows.append(
            {
                "key": f"audit-{library.key}",
                "name": entry.name,
                "cells": cells,
                "verdict": entry.verdict,
                "colour": _COLOURS.get(entry.verdict, "undecided"),
            }
        )
    return rows


def _library(library: AuditedLibrary) -> dict[str, Any]:
    return {
        "key": f"audit-{library.key}",
        "title": f"{library.distribution} {library.version}",
        "line": f"audited on {library.date} with Python {library.python}; {len(library.faults)} findings",
        "entries": library.entries,
        "faults": [
            {"one": fault, "kind": fault.kind.value, "there": fault.shown and fault.agree}
            for fault in library.faults
        ],
        "held": library.held,
        "left_out": library.left_out,
    }
