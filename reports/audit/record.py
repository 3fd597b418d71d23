"""The record of an audit: a row for each finding about a library, data that is read without running anything."""

from __future__ import annotations

import json
from collections.abc import Container
from dataclasses import asdict, dataclass, fields, replace
from enum import Enum
from importlib import resources

from reports.reading import read

SCHEMA = 3


class Kind(Enum):
    """What is wrong; or nothing is, and it is as well to know."""

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
    kind: Kind
    entry: str
    consequence: str
    expected: str
    got: str
    ends: str = "AssertionError: "
    shown: bool = True


@dataclass(frozen=True, slots=True)
class Library:
    """A library in the version that was audited; its script is `scripts/KEY.py`."""

    key: str
    distribution: str
    version: str
    python: str
    date: str
    findings: tuple[AuditFinding, ...]


@dataclass(frozen=True, slots=True)
class Audit:
    """The libraries that were audited."""

    libraries: tuple[Library, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of the libraries."""
        return tuple(library.key for library in self.libraries)

    @property
    def all_shown(self) -> bool:
        """Whether every finding was shown in the recorded version of its library."""
        return all(finding.shown for library in self.libraries for finding in library.findings)

    def only(self, keys: Container[str]) -> Audit:
        """The part about the libraries of these keys."""
        return replace(self, libraries=tuple(one for one in self.libraries if one.key in keys))

    def to_json(self) -> str:
        """The audit as text, a finding in two lines; the same text for the same findings."""
        told = []
        for library in self.libraries:
            head = {name: value for name, value in asdict(library).items() if name != "findings"}
            rows = ",\n".join(map(_row, library.findings))
            told.append(f'{json.dumps(head)[:-1]}, "findings": [\n{rows}]}}')
        libraries = ",\n".join(told)
        return f'{{"schema": {SCHEMA}, "libraries": [\n{libraries}]}}\n'

    @classmethod
    def from_json(cls, text: str) -> Audit:
        """The audit that `to_json` wrote; ValueError for anything else."""
        try:
            data = json.loads(text)
            schema = data.pop("schema", None)
        except (TypeError, AttributeError, RecursionError) as malformed:
            raise ValueError(f"text must be a recorded audit, got {malformed!r}; audit again") from malformed
        if schema != SCHEMA:
            raise ValueError(f"schema must be {SCHEMA}, got {schema!r}; audit again")
        return read(cls, data, "a recorded audit", lines=False)


def _row(finding: AuditFinding) -> str:
    """The finding as JSON in two lines, the second with what was expected and what came; defaults are left out."""
    words = {field.name: (getattr(finding, field.name), field.default) for field in fields(finding)}
    cells = {name: value for name, (value, default) in words.items() if value != default}
    cells["kind"] = finding.kind.value
    first, second = json.dumps(cells, ensure_ascii=False).split(', "expected": ')
    return f'{first},\n "expected": {second}'


def recorded_audit() -> Audit:
    """The audit that `make audit` recorded."""
    return Audit.from_json(resources.files("reports").joinpath("recorded", "audit.json").read_text("utf-8"))
