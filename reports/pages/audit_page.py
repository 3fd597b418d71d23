"""The audit of other libraries as a section of the report, and as a page of its own."""

from __future__ import annotations

from typing import Any

from mc.accountants.accountant_laws import ACCOUNTANT_LAWS
from reports.audit.audited import Audit
from reports.audit.fault import Kind
from reports.audit.texts import titled
from reports.template import rendered, style

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
    """What the template shows: the table library x law, and a folded part for each library, gravest faults first."""
    return {
        "answer": _answer(audit),
        "laws": [(str(number), _words(law)) for number, law in enumerate(ACCOUNTANT_LAWS, 1)],
        "libraries": audit.libraries,
        "absent": audit.absent,
        "asked": [library for library in audit.libraries if any(entry.laws for entry in library.entries)],
        "cells": _CELLS,
        "colours": _COLOURS,
        "titled": titled,
        "gravest": lambda faults: sorted(faults, key=lambda one: _GRAVEST.index(one.fault.kind)),
    }


def _answer(audit: Audit) -> str:
    if not audit.libraries:
        return "No audit was recorded."
    faults = [one.fault for library in audit.libraries for one in library.faults if one.there]
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
