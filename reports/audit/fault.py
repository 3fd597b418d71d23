"""The parts of an audit: a library, its entry points, and the faults found in them, each with a script of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from mc.accountants.accountant_subject import AccountantSubject
from reports.audit.code_beside import module, script


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

    It is shown by the function `key` of the library's `faults.py`, which imports the library and nothing of ours, and
    fails where the fault is there: with an assertion of its own that says what it got, or as `ends` has it: the error
    that it ends with, or `status -11`. The true value by the first route is its argument, if it takes one, and stands
    in `expected` for `{}`. The routes to it, two or more, share no code and agree within `tolerance` (relative); a
    finding of the kind SEMANTICS may have none, since no number is at stake. `entry` is the dotted public name.
    `breaks` holds the broken laws that it explains: the name of the entry point, and the key of the law.
    """

    key: str
    kind: Kind
    entry: str
    says: str
    expected: str
    why: str
    fix: str
    ends: str = "AssertionError: "
    tolerance: float = 1e-6
    breaks: tuple[tuple[str, str], ...] = ()
    routes: tuple[Route, ...] = ()

    def __post_init__(self) -> None:
        if not self.key.isidentifier():
            raise ValueError(f"key must be the name of a function, got {self.key!r}; rename it")
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
    `faults.py`, `routes.py` and `subjects.py`. The folder's name is the library's key.
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

    @property
    def key(self) -> str:
        """What the library is called by."""
        return self.folder.name

    def script(self, fault: Fault, values: Sequence[float]) -> str:
        """The text that shows a fault, given the true values; ValueError where there is no such function."""
        return script(self.folder / "faults.py", fault.key, values)

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
