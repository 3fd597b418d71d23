"""The record of a run of the kernel: versions, digests of the sources, statements, and the axioms of each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files

from filterproof.theory.kernel.kernel_theorems import KernelTheorem, rocq_sources

#: The files of the record and of its digest.
RECORD, SEAL = "record.json", "record.sha256"

#: The allowed axioms: those of the reals in the standard library, and those of classical logic.
ALLOWED_AXIOMS = frozenset(
    {
        "ClassicalDedekindReals.sig_forall_dec",
        "ClassicalDedekindReals.sig_not_dec",
        "FunctionalExtensionality.functional_extensionality_dep",
        "Classical_Prop.classic",
    }
)
#: Primitive integers and floats for `interval`: constants of the kernel and their axioms.
PRIMITIVE_AXIOM = re.compile(
    r"(PrimInt63|Uint63|Uint63Axioms|PrimFloat|FloatAxioms|FloatOps|Int63)\.[A-Za-z0-9_]+"
)

#: Words that no source may contain: they admit a claim without a proof, disable a check of the kernel, or change the
#: meaning of a statement.
_FORBIDDEN_WORDS = re.compile(
    r"\b(Admitted|admit|give_up|Axioms?|Parameters?|Conjecture|Abort|bypass_check|Unset\s+\w+|Set\s+Type\s+In\s+Type"
    r"|Notation|Infix|Reserved|Tactic\s+Notation|Load|LoadPath|Export|Module|Include|Declare\s+(?!\()\w+|Primitive|Register|Coercion"
    r"|Bind\s+Scope|Delimit\s+Scope|Undelimit\s+Scope)\b"
)
_DEFINITION = re.compile(r"^\s*(?:Definition|Fixpoint|Record|Inductive)\s+([\w']+)", re.MULTILINE)

_FORMAT = "filterproof-kernel-1"


@dataclass(frozen=True, slots=True)
class AcceptedStatement:
    """A statement of the record as the kernel prints it, its axioms, and the version that accepted it."""

    name: str
    file: str
    statement: str
    axioms: tuple[str, ...]
    rocq: str

    @property
    def displayed_statement(self) -> str:
        """Return the statement; an open type is shown only by its name."""
        closed = re.sub(r" where (\?\w+ : \[ \|- Type\] ?)+$", "", self.statement)
        return re.sub(r"\?([A-Z]\b)", r"\1", closed)

    @property
    def acceptance_phrase(self) -> str:
        """Return "Rocq VERSION accepted FILE, NAME, by the record, which matches the sources"."""
        return f"Rocq {self.rocq} accepted {self.file}, {self.name}, by the record, which matches the sources"


@dataclass(frozen=True, slots=True)
class Record:
    """The content of the record of a run: `rocq_sources` maps files to SHA-256, in the order of compilation.

    `statements` maps theorems to their statements as the kernel prints them. `axioms` maps files without suffix to the
    names of the axioms of their theorems.
    """

    rocq: str
    libraries: Mapping[str, str]
    sources: Mapping[str, str]
    statements: Mapping[str, str]
    axioms: Mapping[str, tuple[str, ...]]

    @property
    def version_independent_parts(
        self,
    ) -> tuple[Mapping[str, str], Mapping[str, str], Mapping[str, tuple[str, ...]]]:
        """Return the parts that are equal for two runs over the same sources with any versions."""
        return self.sources, self.statements, self.axioms

    @classmethod
    def from_json(cls, text: str) -> Record:
        """Parse a record. Raises ValueError for an invalid text."""
        try:
            data = json.loads(text)
            if data["format"] != _FORMAT:
                raise ValueError(
                    f"record must be of the format {_FORMAT}, got {data['format']!r}; run make kernel"
                )
            axioms = {str(name): tuple(map(str, names)) for name, names in data["axioms"].items()}
            libraries, sources, stated = (dict(data[name]) for name in ("libraries", "sources", "statements"))
            return cls(str(data["rocq"]), libraries, sources, stated, axioms)
        except (KeyError, TypeError, AttributeError) as wrong:
            raise ValueError(
                f"record must be that of `make kernel`, got {wrong!r}; run make kernel"
            ) from wrong

    def to_json(self) -> str:
        """Return the record as JSON; equal records give equal texts."""
        data = {
            "format": _FORMAT,
            "rocq": self.rocq,
            "libraries": dict(sorted(self.libraries.items())),
            "sources": dict(self.sources),
            "statements": dict(sorted(self.statements.items())),
            "axioms": {name: list(axioms) for name, axioms in sorted(self.axioms.items())},
        }
        return json.dumps(data, indent=1) + "\n"

    @property
    def record_digest(self) -> str:
        """Return the SHA-256 of the record, in the form of `sha256sum`; it covers every digest, statement and axiom."""
        return f"{sha256(self.to_json().encode()).hexdigest()}  {RECORD}\n"

    @property
    def matches_committed_digest(self) -> bool:
        """Return whether the committed SHA-256 file matches this record."""
        place = files("filterproof.theory.kernel").joinpath(SEAL)
        return place.is_file() and place.read_text(encoding="utf-8") == self.record_digest


def digests(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the SHA-256 of each source."""
    return {name: sha256(text.encode()).hexdigest() for name, text in texts.items()}


def without_comments(text: str) -> str:
    """Return a source without its comments, which may be nested."""
    code, depth = [], 0
    for part in re.split(r"(\(\*|\*\))", text):
        depth += {"(*": 1, "*)": -1}.get(part, 0)
        if not depth and part != "*)":
            code.append(part)
    return "".join(code)


@lru_cache(maxsize=256)
def first_forbidden_word(text: str) -> str:
    """Return the first forbidden word of a source, or ""."""
    match = _FORBIDDEN_WORDS.search(without_comments(text))
    return match[0] if match else ""


def duplicate_definition(texts: Mapping[str, str]) -> str:
    """Return a name that a source defines twice, so that a statement could be ambiguous, or ""."""
    for text in texts.values():
        names = _DEFINITION.findall(without_comments(text))
        if again := [name for name in names if names.count(name) > 1]:
            return str(again[0])
    return ""


def axioms_beyond(axioms: Iterable[str]) -> tuple[str, ...]:
    """Return the axioms that are neither the standard library's nor constants of the kernel."""
    return tuple(
        axiom for axiom in axioms if axiom not in ALLOWED_AXIOMS and not PRIMITIVE_AXIOM.fullmatch(axiom)
    )


def stored_record() -> Record | None:
    """Return the record of the package; None if there is none.

    Nothing is checked again: `accepted_statement` compares the record with the sources.
    """
    place = files("filterproof.theory.kernel").joinpath(RECORD)
    return Record.from_json(place.read_text(encoding="utf-8")) if place.is_file() else None


@lru_cache(maxsize=1)
def _record_and_sources() -> tuple[Record | None, dict[str, str]]:
    """Return the stored record and the Rocq sources."""
    return stored_record(), rocq_sources()


def accepted_statement(theorem: KernelTheorem) -> AcceptedStatement:
    """Return the statement of a theorem as the kernel accepted it.

    Raises ValueError if the record does not match the sources or its committed digest, lacks the statement, or names an
    axiom that is not allowed.
    """
    name = theorem.name
    record, texts = _record_and_sources()
    if record is None:
        raise ValueError("record must exist, got none; run make kernel")
    changed = sorted({file for file, digest in digests(texts).items() if record.sources.get(file) != digest})
    if changed or set(record.sources) != set(texts):
        raise ValueError(
            f"sources must be those of the record, got changes in {', '.join(changed) or 'their list'}; run make kernel"
        )
    if holed := [file for file, text in texts.items() if first_forbidden_word(text)]:
        raise ValueError(
            f"sources must have no hole, got {first_forbidden_word(texts[holed[0]])!r} in {holed[0]}; prove it"
        )
    if theorem.rocq_module not in record.axioms or name not in record.statements:
        raise ValueError(f"the record has no theorem {name!r}; run make kernel")
    axioms = record.axioms[theorem.rocq_module]
    if foreign := axioms_beyond(axioms):
        raise ValueError(f"{name} rests on {', '.join(foreign)}, which is no axiom of the standard library")
    if not record.matches_committed_digest:
        raise ValueError(f"record must match its digest in {SEAL}, got another; run make kernel")
    return AcceptedStatement(name, f"{theorem.rocq_module}.v", record.statements[name], axioms, record.rocq)
