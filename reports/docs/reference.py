"""The reference: what autodoc is asked for, name by name."""

from __future__ import annotations

import inspect
import pkgutil
import re
import sys
from collections.abc import Iterable, Iterator
from enum import Enum
from operator import attrgetter
from pathlib import Path

import filterproof
from filterproof.filters import PrivacyFilter
from filterproof.reports.docs.docstrings import rst_of
from filterproof.reports.finding import slug
from filterproof.theory.display import Displayed
from filterproof.theory.proofs import THEOREMS

#: Classes whose methods stand in a base that is not public.
_WITH_BASES = ("PrivacyFilter",)
#: Bases of results that are documented elsewhere.
_NOT_FOR_RESULTS = ("PrivacyFilter", "FilterBase", "tuple", "object")


def reference(names: Iterable[str]) -> str:
    """Markdown that documents these public names, in their order; ValueError for a name that is not public."""
    return "\n".join(["```{eval-rst}", *(line for name in names for line in _entry(name)), "```"])


def public_names() -> list[str]:
    """Every public name: those of `filterproof` itself, and those of its modules, as module.name."""
    inside = pkgutil.iter_modules(filterproof.__path__)
    modules = (one.name for one in inside if not (one.ispkg or one.name.startswith("_")))
    theirs = (f"{one}.{name}" for one in modules for name in getattr(filterproof, one).__all__)
    return [*filterproof.__all__, *theirs]


def described(name: str) -> str:
    """The docstring of a public name; of an instance that of its class, of another value the comment above it."""
    value = attrgetter(name)(filterproof)
    if inspect.isclass(value) or inspect.isroutine(value):
        return inspect.getdoc(value) or ""
    if type(value).__module__.startswith("filterproof."):
        return inspect.getdoc(type(value)) or ""
    return _comment(name.rpartition(".")[2], value)


def proof_of(kind: type[PrivacyFilter]) -> str:
    """Where the promise of a filter is proved, or what is wrong with it, with a link to its theorem here."""
    said = rst_of(f"**Promise**: {kind.proof}.").rstrip()
    if kind.theorem is None:
        return said
    return f"{said} See :ref:`{THEOREMS[kind.theorem].title} <theorem-{slug(kind.theorem)}>`."


def _entry(name: str) -> Iterator[str]:
    if name not in public_names():
        raise ValueError(f"a name of the reference must be public, got {name!r}; see its spelling")
    value = attrgetter(name)(filterproof)
    module, _, short = f"filterproof.{name}".rpartition(".")
    if inspect.isclass(value):
        kind = "autoexception" if issubclass(value, BaseException) else "autoclass"
        yield from (f".. {kind}:: filterproof.{name}", "   :members:")
        if name in _WITH_BASES:
            yield "   :inherited-members:"
        elif issubclass(value, Displayed):  # plot and rows
            yield f"   :inherited-members: {', '.join(_NOT_FOR_RESULTS)}"
        if issubclass(value, Enum):
            yield "   :undoc-members:"
    elif inspect.isroutine(value):
        yield f".. autofunction:: filterproof.{name}"
    else:
        yield from (f".. py:data:: {short}", f"   :module: {module}", "")
        yield from (f"   {line}".rstrip() for line in rst_of(described(name)).splitlines())
    yield ""


def _comment(name: str, value: object) -> str:
    """The `#:` lines above the assignment of a value, in whatever module of a room makes it."""
    for module in list(sys.modules.values()):
        if module.__name__.startswith("filterproof.") and vars(module).get(name) is value:
            text = Path(str(module.__file__)).read_text("utf-8")
            if found := re.search(rf"((?:^#: .*\n)+)^{re.escape(name)}\b", text, re.MULTILINE):
                return found[1].replace("#: ", "")
    return ""
