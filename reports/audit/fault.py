"""The parts of an audit: a library, its entry points, and the faults found in them, each with a script of its own."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from mc.accountants.accountant_subject import AccountantSubject
from reports.audit.code_beside import module

__all__ = ["EntryPoint", "Fault", "Kind", "Library", "Route"]


class Kind(Enum):
    """What is wrong; or nothing is, and it is as well to know."""

    WRONG_NUMBER = "wrong number"
    UNSOUND = "unsound as a filter though documented otherwise"
    MISUSE = "misuse that the docs do not warn of"
    SEMANTICS = "semantics to know"


@dataclass(frozen=True, slots=True)
class Route:
    """A way to a true value: how, in words, a function, and what it is given: numbers, texts, and lists of them.

    `told_together` is a function of the library's `routes.py`, and `noises.told_together` one of `shared/noises.py`.
    """

    how: str
    function: str
    given: tuple[Any, ...]

    def __post_init__(self) -> None:
        if not all(map(str.isidentifier, self.function.split("."))):
            raise ValueError(
                f"function must be a name such as noises.told_together, got {self.function!r}; mend it"
            )


@dataclass(frozen=True, slots=True)
class Fault:
    """A finding about a library, in the parts of a report to its authors.

    Its script `scripts/<key>.py` has fewer than 20 lines and imports the library and not this package. It prints one
    line `expected: ...` and one line `got: ...`, and ends with status 0 if the fault is there, 1 if not. Its routes to
    the true value, two or more, share no code and agree within `tolerance` (relative); one of the kind SEMANTICS may
    have none, since no number is at stake. `entry` is the dotted public name. `breaks` holds the broken laws that it
    explains: the name of the entry point, and the key of the law.
    """

    key: str
    kind: Kind
    entry: str
    says: str
    why: str
    fix: str
    tolerance: float = 1e-6
    breaks: tuple[tuple[str, str], ...] = ()
    routes: tuple[Route, ...] = ()

    def __post_init__(self) -> None:
        if not 0 < self.tolerance < 1:
            raise ValueError(f"tolerance must be between 0 and 1, got {self.tolerance!r}; write 1e-6, say")
        if len(self.routes) < 2 and self.kind is not Kind.SEMANTICS:
            raise ValueError(
                f"routes must be two ways to the true value, got {len(self.routes)}; add another"
            )


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """A public part of a library that people use, or that offers itself, as a filter or an odometer.

    `rule` is what it does in a line, `where` the file and function, `theorem` what that rests on, `promises` what its
    own documentation says. `subject` names the function of `subjects.py` that makes what the laws are asked of; it is
    empty where nothing of it composes, spends or denies.
    """

    name: str
    rule: str
    where: str
    theorem: str
    promises: str
    subject: str = ""


@dataclass(frozen=True, slots=True)
class Library:
    """A library: the name it is installed by, its entry points, its faults, and what was not looked at.

    `folder` has its text, `library.toml`, and what is run in an audit alone, with the rights of whoever asks for it:
    `scripts/`, `routes.py` and `subjects.py`. The folder's name is the library's key.
    """

    folder: Path
    distribution: str
    entries: tuple[EntryPoint, ...]
    faults: tuple[Fault, ...]
    held: tuple[str, ...]
    left_out: tuple[str, ...]

    def __post_init__(self) -> None:
        for named in ([one.name for one in self.entries], [one.key for one in self.faults]):
            if twice := next((one for one in named if named.count(one) > 1), None):
                raise ValueError(f"name or key must differ, got {twice!r} twice; rename one")
        for fault in self.faults:
            if not (fault.key.isidentifier() and (self.folder / "scripts" / f"{fault.key}.py").is_file()):
                raise ValueError(
                    f"a finding must have a script of its name, got none of {fault.key!r}; write scripts/KEY.py"
                )

    @property
    def key(self) -> str:
        """What the library is called by."""
        return self.folder.name

    def script(self, fault: Fault) -> str:
        """The text of a fault's script."""
        return (self.folder / "scripts" / f"{fault.key}.py").read_text("utf-8")

    def subject(self, entry: EntryPoint) -> AccountantSubject:
        """What the laws are asked of, made by `subjects.py`, which imports the library."""
        made: AccountantSubject = getattr(module(self.folder, "subjects"), entry.subject)()
        return made

    def value(self, route: Route) -> float:
        """The true value by a route; ValueError where there is no such function."""
        room, _, name = route.function.rpartition(".")
        folder, stem = (self.folder.parent / "shared", room) if room else (self.folder, "routes")
        found = module(folder, stem) if (folder / f"{stem}.py").is_file() else None
        function: Any = getattr(found, name, None)
        if found is None or getattr(function, "__module__", "") != found.__name__:  # it may import others
            raise ValueError(
                f"routes must name functions, got {route.function!r} in {self.folder}/library.toml, which "
                f"{folder / stem}.py does not define; see its spelling"
            )
        return float(function(*route.given))
