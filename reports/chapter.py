"""A chapter of the report: its claims, and the function that decides them in a study."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from reports.finding import Claim, Told
from reports.study import Study
from reports.words import declared, said
from theory.agreement import Accord
from theory.evidence import Outcome

__all__ = ["Chapter"]


@dataclass(frozen=True, slots=True)
class Chapter:
    """One subject of the report: its promise in words, its claims, and the function that decides them.

    A chapter that `gathers` reads what earlier chapters played, or divides its work by `Study.map`; the others may be
    told in another process. `theorems` names what it proves, so that no theorem is proved in two processes. `notes` are
    those that follow from no result.
    """

    key: str
    title: str
    promise: str
    story: str
    claims: tuple[Claim, ...]
    tell: Callable[[Study, Sequence[Claim]], Told]
    gathers: bool = False
    theorems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def declared(
        cls,
        key: str,
        tell: Callable[[Study, Sequence[Claim]], Told],
        *,
        claims: Sequence[Claim] = (),
        gathers: bool = False,
        theorems: tuple[str, ...] = (),
        **constants: Any,
    ) -> Chapter:
        """The chapter whose words and claims stand in `templates/chapters.toml`, where they name the constants.

        `claims` are those that are made here, after those of the rows. One that does not stand there is in no report.
        """
        row = declared("chapters", "chapter").get(key, {})
        title, promise, story = (said(row.get(name, ""), constants) for name in ("title", "promise", "story"))
        rows = tuple(
            Claim(name, said(sentence, constants), said(source, constants), _OUTCOMES[expected])
            for name, expected, source, sentence in row.get("claims", ())
        )
        notes = tuple(said(note, constants) for note in row.get("notes", ()))
        return cls(key, title, promise, story, (*rows, *claims), tell, gathers, theorems, notes)


_OUTCOMES: dict[str, Outcome | Accord] = {one.name: one for kind in (Outcome, Accord) for one in kind}
