"""A chapter of the report: its claims, and the function that decides them in a study."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reports.finding import Claim, Told
from reports.study import Study

__all__ = ["Chapter"]


@dataclass(frozen=True, slots=True)
class Chapter:
    """One subject of the report: its promise in words, its claims, and the function that decides them.

    A chapter that `gathers` reads what earlier chapters played, or divides its work by `Study.map`; the others may be
    told in another process. `theorems` names what it proves, so that no theorem is proved in two processes.
    """

    key: str
    title: str
    promise: str
    story: str
    claims: tuple[Claim, ...]
    tell: Callable[[Study, Sequence[Claim]], Told]
    gathers: bool = False
    theorems: tuple[str, ...] = ()
