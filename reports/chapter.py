"""A chapter of the report: its claims, and the function that decides them in a study."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType

from filterproof.reports.finding import Claim, Told
from filterproof.reports.study import Study
from filterproof.reports.words import declared, said
from filterproof.theory.agreement import Accord
from filterproof.theory.evidence import Outcome


@dataclass(frozen=True, slots=True)
class Chapter:
    """One subject of the report: its promise in words, its claims, and the function that decides them.

    A chapter that `gathers` reads what earlier chapters played, or divides its work by `Study.map`; the others may be
    told in another process. `notes` are those that follow from no result.
    """

    key: str
    title: str
    promise: str
    summary: str
    claims: tuple[Claim, ...]
    tell: Callable[[Study, Sequence[Claim]], Told]
    gathers: bool = False
    notes: tuple[str, ...] = ()

    @classmethod
    def declared(cls, key: str, file: ModuleType) -> Chapter:
        """The chapter whose words and claims stand in `templates/chapters.toml`, where they name the file's constants.

        The file has `tell`, and may have CLAIMS, after those of the rows, and GATHERS.
        """
        row, named = declared("chapters", "chapter")[key], vars(file)
        title, promise, summary = (said(row[name], named) for name in ("title", "promise", "summary"))
        rows = tuple(
            Claim(name, said(sentence, named), said(source, named), _OUTCOMES[expected])
            for name, expected, source, sentence in row.get("claims", ())
        )
        claims, notes = (
            (*rows, *named.get("CLAIMS", ())),
            tuple(said(one, named) for one in row.get("notes", ())),
        )
        return cls(key, title, promise, summary, claims, file.tell, named.get("GATHERS", False), notes)


_OUTCOMES: dict[str, Outcome | Accord] = {one.name: one for kind in (Outcome, Accord) for one in kind}
