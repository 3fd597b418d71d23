"""The parts of an audit: a library, its entry points, and the faults found in them, each with a script of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from importlib import resources

from mc.accountants.subject import Subject

__all__ = ["EntryPoint", "Fault", "Kind", "Library", "Route"]


class Kind(Enum):
    """What is wrong; or nothing is, and it is as well to know."""

    WRONG_NUMBER = "wrong number"
    UNSOUND = "unsound as a filter though documented otherwise"
    MISUSE = "misuse that the docs do not warn of"
    SEMANTICS = "semantics to know"


@dataclass(frozen=True, slots=True)
class Route:
    """One way to the true value: how, in words, and the number, computed when it is asked for."""

    how: str
    value: Callable[[], float]


@dataclass(frozen=True, slots=True)
class Fault:
    """A finding about a library, in the parts of a report to its authors.

    Its script `scripts/<library>/<key>.py` has fewer than 20 lines and imports the library and not this package. It
    prints one line `expected: ...` and one line `got: ...`, and ends with status 0 if the fault is there, 1 if not.
    `routes` are at least two ways to the true value that share no code and agree within `tolerance` (relative), for
    every kind but SEMANTICS, where no number is at stake. `entry` is the dotted public name. `breaks` holds the broken
    laws that it explains: the name of the entry point, and the key of the law.
    """

    key: str
    kind: Kind
    entry: str
    says: str
    why: str
    fix: str
    routes: tuple[Route, ...] = ()
    tolerance: float = 1e-6
    breaks: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        if len(self.routes) < 2 and self.kind is not Kind.SEMANTICS:
            raise ValueError(
                f"routes must be two ways to the true value, got {len(self.routes)} for {self.key}; add another"
            )

    def script(self, library: str) -> str:
        """The text of its script."""
        return (
            resources.files("reports.audit").joinpath("scripts", library, f"{self.key}.py").read_text("utf-8")
        )


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """A public part of a library that people use, or that offers itself, as a filter or an odometer.

    `rule` is what it does in a line, `where` the file and function, `theorem` what that rests on, `promises` what its
    own documentation says. `subject` makes what the laws are asked of, with the library imported there; None where
    nothing of it composes, spends or denies.
    """

    name: str
    rule: str
    where: str
    theorem: str
    promises: str
    subject: Callable[[], Subject] | None = None


@dataclass(frozen=True, slots=True)
class Library:
    """A library: the name it is installed by, its entry points, its faults, and what was not looked at."""

    key: str
    distribution: str
    entries: tuple[EntryPoint, ...]
    faults: tuple[Fault, ...]
    held: tuple[str, ...]
    left_out: tuple[str, ...]
