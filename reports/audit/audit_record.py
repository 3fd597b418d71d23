"""The record of an audit: a row for each finding about a library, data that is read without running anything."""

from __future__ import annotations

import json
from collections.abc import Container
from dataclasses import asdict, dataclass, replace
from enum import Enum
from functools import partial
from importlib import resources

SCHEMA = 4


class FindingKind(Enum):
    """The kind of an audit finding: a wrong number, an unsound filter, a misuse or semantics to know."""

    WRONG_NUMBER = "wrong number"
    UNSOUND = "unsound as a filter though documented otherwise"
    MISUSE = "misuse that the docs do not warn of"
    SEMANTICS = "semantics to know"


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """A finding: the public name that has it, what follows for its user, what was expected there and what came.

    The test `key` of the library's script shows the finding by the way it ends, which `ends` is the beginning of.
    `shown` says whether the test ended so in the recorded version.
    """

    key: str
    kind: FindingKind
    entry: str
    consequence: str
    expected: str
    got: str
    ends: str = "AssertionError: "
    shown: bool = True


@dataclass(frozen=True, slots=True)
class AuditedLibrary:
    """A library in the version that was audited; its script is `scripts/KEY.py`."""

    key: str
    distribution: str
    version: str
    python: str
    date: str
    findings: tuple[AuditFinding, ...]


@dataclass(frozen=True, slots=True)
class AuditRecord:
    """The recorded audit: for each audited library its version, the date and the findings."""

    libraries: tuple[AuditedLibrary, ...]

    @property
    def library_keys(self) -> tuple[str, ...]:
        """The keys of the audited libraries, such as opendp."""
        return tuple(library.key for library in self.libraries)

    @property
    def all_shown(self) -> bool:
        """Whether the scripts reproduce every finding in the recorded versions of the libraries."""
        return all(finding.shown for library in self.libraries for finding in library.findings)

    def only(self, keys: Container[str]) -> AuditRecord:
        """The part about the libraries of these keys."""
        return replace(self, libraries=tuple(library for library in self.libraries if library.key in keys))

    def to_json(self) -> str:
        """The audit as text, a line for each finding; the same text for the same findings."""
        text = partial(json.dumps, ensure_ascii=False, default=lambda kind: kind.value)
        libraries = []
        for library in map(asdict, self.libraries):
            findings = ",\n".join(map(text, library.pop("findings")))
            libraries.append(f'{text(library)[:-1]}, "findings": [\n{findings}\n]}}')
        rows = ",\n".join(libraries)
        return f'{{"schema": {SCHEMA}, "libraries": [\n{rows}\n]}}\n'

    @classmethod
    def from_json(cls, text: str) -> AuditRecord:
        """The audit that `to_json` wrote."""
        data = json.loads(text)
        if data["schema"] != SCHEMA:
            raise ValueError(f"schema must be {SCHEMA}, got {data['schema']!r}; audit again")
        rows = [
            (
                row,
                [
                    AuditFinding(**finding | {"kind": FindingKind(finding["kind"])})
                    for finding in row["findings"]
                ],
            )
            for row in data["libraries"]
        ]
        return cls(tuple(AuditedLibrary(**row | {"findings": tuple(findings)}) for row, findings in rows))


def recorded_audit() -> AuditRecord:
    """The audit that `make audit` recorded."""
    return AuditRecord.from_json(
        resources.files("filterproof.reports").joinpath("recorded", "audit.json").read_text("utf-8")
    )
