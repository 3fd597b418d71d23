"""The libraries that are audited, each a folder of findings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from reports.audit.fault import EntryPoint, Fault, Kind, Library, Route
from reports.audit.table import TomlTable

__all__ = ["FINDINGS", "libraries_of"]

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
    with TomlTable.of(file) as table:
        found = Library(
            folder=file.parent,
            distribution=table.text("distribution"),
            entries=tuple(map(_entry, table.tables("entry", "name"))),
            faults=tuple(map(_fault, table.tables("finding", "key"))),
            held=table.texts("held"),
            left_out=table.texts("left_out"),
        )
    for fault in found.faults:
        if not (fault.key.isidentifier() and (file.parent / "scripts" / f"{fault.key}.py").is_file()):
            raise ValueError(
                f"a finding must have a script of its name, got none of {fault.key!r} in {file}; write scripts/KEY.py"
            )
    return found


def _entry(table: TomlTable) -> EntryPoint:
    with table:
        return EntryPoint(
            name=table.text("name"),
            rule=table.text("rule"),
            where=table.text("where"),
            theorem=table.text("theorem"),
            promises=table.text("promises"),
            subject=table.text("subject", ""),
        )


def _fault(table: TomlTable) -> Fault:
    kind = Kind(table.text("kind", of=[kind.value for kind in Kind]))
    with table:
        return Fault(
            key=table.text("key"),
            kind=kind,
            entry=table.text("entry"),
            says=table.text("says"),
            why=table.text("why"),
            fix=table.text("fix"),
            tolerance=table.tolerance("tolerance", 1e-6),
            breaks=table.pairs("breaks"),
            routes=tuple(
                Route(how, function, tuple(given))
                for how, function, *given in table.calls("routes", 0 if kind is Kind.SEMANTICS else 2)
            ),
        )
