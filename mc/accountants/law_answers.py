"""What became of each law for one object: it held, it is broken, or it was not asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from filters.adapters.foreign import CopiedFilter, CountedFilter
from filters.privacy_filter import PrivacyFilter
from filters.testing.laws import LawBrokenError
from mc.accountants.accountant_laws import ACCOUNTANT_LAWS
from mc.accountants.accountant_subject import AccountantSubject, NotAskedError
from theory.pairs import DominatingPair

__all__ = ["Answer", "ask", "subject_of"]

_OUTCOMES = ("held", "broken", "raised", "not asked")


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a law: "held", "broken", "not asked", or "raised" where the library gave up; and what was seen."""

    law: str
    outcome: str
    words: str

    def __post_init__(self) -> None:  # one that was recorded becomes the name of a cell
        if self.outcome not in _OUTCOMES:
            raise ValueError(f"outcome must be of {', '.join(_OUTCOMES)}, got {self.outcome!r}; audit again")


def ask(subject: AccountantSubject, law: str) -> Answer:
    """The answer of a subject to a law; an exception of the library's own, other than a denial, ends it undecided."""
    try:
        return Answer(law, "held", ACCOUNTANT_LAWS[law](subject))
    except NotAskedError as reason:
        return Answer(law, "not asked", str(reason))
    except LawBrokenError as broken:
        return Answer(law, "broken", str(broken))
    except Exception as error:  # noqa: BLE001 a library's own exception is an answer to be told, not an end
        first = next(iter(str(error).splitlines()), "")
        return Answer(law, "raised", f"{type(error).__name__}: {first}")


def subject_of(
    filt: PrivacyFilter, menu: tuple[DominatingPair, ...] | None = None, **given: Any
) -> AccountantSubject:
    """The subject of a filter made by an adapter, with its own menu or the given one; TypeError for other filters."""
    if not isinstance(filt, (CountedFilter, CopiedFilter)):
        raise TypeError(
            f"filt must be made by from_accountant, from_budget or from_queryable, got {filt!r}; fp.laws is for others"
        )
    asked = menu if menu is not None else getattr(filt, "menu", None)
    if not asked:
        raise TypeError(f"menu must be given for {filt!r}, got {menu!r}; pass pairs that it supports")
    return AccountantSubject(filt, tuple(asked), **given)
