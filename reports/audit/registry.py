"""The libraries that are audited, each a folder of findings."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reports.audit.fault import Library
from reports.reading import read

#: The findings of our own study, which are beside this file in the source and in no wheel.
FINDINGS = Path(__file__).parent / "findings"


def libraries_of(findings: Path | None = None) -> Mapping[str, Library]:
    """The libraries that a folder has findings about, by key in alphabetical order; by default those of `FINDINGS`.

    Their texts, `LIBRARY/library.toml`, are read, and none of the code beside them is run. Raises ValueError, with the
    file and the key, for a folder without libraries and for what is no finding.
    """
    folder = FINDINGS if findings is None else findings
    files = sorted(folder.resolve().glob("*/library.toml"))
    if not files:
        raise ValueError(
            f"findings must be a folder with LIBRARY/library.toml in it, got {folder}; pass --findings DIR, such as "
            "the folder reports/audit/findings of Filterproof's source, which no wheel has, or --recorded"
        )
    return {file.parent.name: _library(file) for file in files}


def _library(file: Path) -> Library:
    # the key of a library names a page's anchor and the files of `--out`, that of a finding its script
    if not file.parent.name.isidentifier():
        raise ValueError(f"the folder of a library must have its key as name, got {file.parent}; rename it")
    try:
        text = tomllib.loads(file.read_text("utf-8"))
    except ValueError as malformed:  # what is no UTF-8, too
        raise ValueError(f"{file} must be TOML, got {malformed}; mend it") from malformed
    faults, entries = text.pop("finding", None), text.pop("entry", None)
    if unknown := text.keys() & {"folder", "entries", "faults"}:  # fields, under other names or of no text
        raise ValueError(f"{file}: {min(unknown)} is no key there; write [[entry]] and [[finding]]")
    for fault in faults if isinstance(faults, list) else ():
        if isinstance(fault, dict) and isinstance(routes := fault.get("routes"), list):
            fault["routes"] = [_route(route) for route in routes]
    data = text | {"folder": file.parent, "entries": entries, "faults": faults}
    return read(Library, data, str(file), lines=True)


def _route(route: Any) -> Any:
    """The route that a list in the text is, as a table; anything else as it is, which is refused."""
    if not isinstance(route, list) or len(route) < 2:
        return route
    return {"how": route[0], "function": route[1], "given": route[2:]}
