"""The audit of other libraries as a section of the report, and as a page of its own."""

from __future__ import annotations

from typing import Any

from mc.accountants.accountant_laws import ACCOUNTANT_LAWS
from reports.audit.audited import Audit, AuditedFault, AuditedLaw, AuditedLibrary
from reports.audit.fault import Kind
from reports.audit.texts import titled
from reports.template import rendered, style

__all__ = ["audit_page", "audit_section"]

#: Outcome of a law -> its sign and the class of its cell.
_CELLS = {
    "held": ("✓", "held"),
    "broken": ("✗", "broken"),
    "raised": ("!", "broken"),
    "not asked": ("–", "unasked"),
}
#: The order in which findings are shown.
_GRAVEST = (Kind.UNSOUND, Kind.WRONG_NUMBER, Kind.MISUSE, Kind.SEMANTICS)
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
        "groups": [group for group in map(_group, audit.libraries) if group["rows"]],
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


def _group(library: AuditedLibrary) -> dict[str, Any]:
    """The rows of a library: those of its entry points that the laws were asked of."""
    return {
        "key": f"audit-{library.key}",
        "title": f"{library.distribution} {library.version}",
        "rows": [
            {
                "name": entry.name,
                "cells": [_cell(law) for law in entry.laws],
                "verdict": entry.verdict,
                "colour": _COLOURS.get(entry.verdict, "undecided"),
            }
            for entry in library.entries
            if entry.laws
        ],
    }


def _cell(law: AuditedLaw) -> dict[str, str]:
    sign, kind = _CELLS[law.outcome]
    return {"sign": sign, "kind": kind, "word": law.outcome, "says": law.words}


def _library(library: AuditedLibrary) -> dict[str, Any]:
    return {
        "key": f"audit-{library.key}",
        "title": f"{library.distribution} {library.version}",
        "line": f"audited on {library.date} with Python {library.python}; {len(library.faults)} findings",
        "entries": library.entries,
        "faults": [
            _fault(fault) for fault in sorted(library.faults, key=lambda one: _GRAVEST.index(one.kind))
        ],
        "held": library.held,
        "left_out": library.left_out,
    }


def _fault(fault: AuditedFault) -> dict[str, Any]:
    title, more = titled(fault.says)
    return {
        "one": fault,
        "title": title,
        "more": more,
        "kind": fault.kind.value,
        "there": fault.shown and fault.agree,
    }
