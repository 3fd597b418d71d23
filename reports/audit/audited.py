"""What an audit found, as it is kept: plain data that is read back without running anything."""

from __future__ import annotations

import json
from collections.abc import Container
from dataclasses import asdict, dataclass
from importlib import resources

from mc.accountants.law_answers import Answer
from reports.audit.fault import EntryPoint, Fault
from reports.reading import read

SCHEMA = 2


@dataclass(frozen=True, slots=True)
class AuditedEntry:
    """An entry point, what its laws said, and what the examination said of it as a filter."""

    entry: EntryPoint
    laws: tuple[Answer, ...]
    asked_of: str
    verdict: str
    detail: str


@dataclass(frozen=True, slots=True)
class AuditedFault:
    """A fault with its script and what that got, the true value by each of its routes, and whether it was there."""

    fault: Fault
    script: str
    expected: str
    got: str
    shown: bool
    values: tuple[float, ...]
    agree: bool

    @property
    def there(self) -> bool:
        """Whether its script showed it, and its routes to the true value agree."""
        return self.shown and self.agree


@dataclass(frozen=True, slots=True)
class AuditedLibrary:
    """A library in the version that was audited."""

    key: str
    distribution: str
    version: str
    python: str
    date: str
    entries: tuple[AuditedEntry, ...]
    faults: tuple[AuditedFault, ...]
    held: tuple[str, ...]
    left_out: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.key.isidentifier():
            raise ValueError(f"key must be the name of a file, got {self.key!r}; audit again")

    @property
    def unexplained(self) -> tuple[tuple[str, Answer], ...]:
        """The laws that an entry point breaks and no fault that was shown speaks of."""
        known = {pair for one in self.faults if one.there for pair in one.fault.breaks}
        return tuple(
            (one.entry.name, law)
            for one in self.entries
            for law in one.laws
            if law.outcome == "broken" and (one.entry.name, law.law) not in known
        )

    @property
    def refused(self) -> tuple[AuditedFault, ...]:
        """The faults that this version does not have, or whose routes to the true value do not agree."""
        return tuple(fault for fault in self.faults if not fault.there)


@dataclass(frozen=True, slots=True)
class Audit:
    """The libraries that were audited; those that were asked for and were not, with the reason.

    `stopped` names those of the absent that are installed, and whose process ended before it was done.
    """

    libraries: tuple[AuditedLibrary, ...]
    absent: tuple[tuple[str, str], ...] = ()
    stopped: tuple[str, ...] = ()

    @property
    def as_expected(self) -> bool:
        """Whether every fault was shown, its routes agree, every broken law is explained by one, and none stopped."""
        return not self.stopped and not any(one.refused or one.unexplained for one in self.libraries)

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of the libraries that it speaks of; that of an absent one is its distribution's name as a key."""
        return (*(one.key for one in self.libraries), *(_key(name) for name, _ in self.absent))

    def only(self, keys: Container[str]) -> Audit:
        """The part about the libraries of these keys."""
        found = tuple(one for one in self.libraries if one.key in keys)
        absent = tuple((name, why) for name, why in self.absent if _key(name) in keys)
        return Audit(found, absent, tuple(one for one in self.stopped if one in dict(absent)))

    def to_json(self) -> str:
        """The audit as text, the same for the same findings."""
        data = {"schema": SCHEMA, **asdict(self)}
        return json.dumps(data, indent=1, default=lambda kind: kind.value) + "\n"

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


def _key(distribution: str) -> str:
    return distribution.replace("-", "_")


def library_of(text: str) -> AuditedLibrary:
    """The library of its JSON text; ValueError for anything else."""
    return read(AuditedLibrary, json.loads(text), "an audited library", lines=False)


def recorded_audit() -> Audit:
    """The audit that `make audit` recorded; one of no library where nothing was recorded."""
    file = resources.files("reports").joinpath("recorded", "audit.json")
    return Audit.from_json(file.read_text("utf-8")) if file.is_file() else Audit(())
