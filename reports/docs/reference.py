"""The reference: the autodoc directive of each public name."""

from __future__ import annotations

import inspect
import pkgutil
import re
import sys
from collections.abc import Iterable, Iterator
from enum import Enum
from operator import attrgetter
from pathlib import Path

from sphinx.ext.napoleon import Config, NumpyDocstring

import filterproof
from filterproof.filters import PrivacyFilter
from filterproof.reports.finding import key_from_name
from filterproof.theory.display import Displayed
from filterproof.theory.proofs import THEOREMS

#: Classes whose methods are inherited from a base that is not public.
_WITH_BASES = ("PrivacyFilter",)
#: Bases of results that are documented elsewhere.
_NOT_FOR_RESULTS = ("PrivacyFilter", "FilterBase", "tuple", "object")
#: Types are text and no cross-references: `n` in "shape (n,)" would refer to every attribute of that name.
_CONFIG = Config(
    napoleon_use_param=False,
    napoleon_use_rtype=False,
    napoleon_custom_sections=[("Attributes", "params_style")],
)
#: The text before an indented block that is no example.
_BLOCK = re.compile(r"^(\S.*(?<!::))\n\n(?= +[^> ])", re.MULTILINE)


def rst_lines(docstring: str) -> list[str]:
    """Return the lines of a numpydoc docstring as reStructuredText, where an indented block is literal text."""
    return list(NumpyDocstring(_BLOCK.sub(r"\1\n\n::\n\n", docstring), _CONFIG).lines())


def reference(names: Iterable[str]) -> str:
    """Return the Markdown that documents these public names, in their order."""
    return "\n".join(["```{eval-rst}", *(line for name in names for line in _reference_entry(name)), "```"])


def public_names() -> list[str]:
    """List every public name: the names of `filterproof`, and the names of its modules as module.name."""
    inside = pkgutil.iter_modules(filterproof.__path__)
    modules = [module.name for module in inside if not (module.ispkg or module.name.startswith("_"))]
    theirs = (
        f"{module}.{name}"
        for module in (*modules, "strategies")
        for name in getattr(filterproof, module).__all__
    )
    return [*filterproof.__all__, *theirs]


def public_docstring(name: str) -> str:
    """Return the docstring of a public name: for an instance its class's, for another value the comment above it."""
    value = attrgetter(name)(filterproof)
    if inspect.isclass(value) or inspect.isroutine(value):
        return inspect.getdoc(value) or ""
    if type(value).__module__.startswith("filterproof."):
        return inspect.getdoc(type(value)) or ""
    return _assignment_comment(name.rpartition(".")[2], value)


def guarantee_proof_rst(kind: type[PrivacyFilter]) -> str:
    """Return the proof or flaw of a filter class's guarantee as reStructuredText."""
    guarantee_text = f"**Guarantee**: {kind.proof}."
    if kind.theorem is None:
        return guarantee_text
    return (
        f"{guarantee_text} See :ref:`{THEOREMS[kind.theorem].title} <theorem-{key_from_name(kind.theorem)}>`."
    )


def _reference_entry(name: str) -> Iterator[str]:
    """Yield the lines of the autodoc directive of a public name."""
    if name not in public_names():
        raise ValueError(f"the name is not public (name={name!r}); check its spelling")
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
        yield from (f"   {line}".rstrip() for line in rst_lines(public_docstring(name)))
    yield ""


def _assignment_comment(name: str, value: object) -> str:
    """Return the `#:` lines above the assignment of a value, in the module that assigns it."""
    for module in list(sys.modules.values()):
        if module.__name__.startswith("filterproof.") and vars(module).get(name) is value:
            text = Path(str(module.__file__)).read_text("utf-8")
            if matched := re.search(rf"((?:^#: .*\n)+)^{re.escape(name)}\b", text, re.MULTILINE):
                return matched[1].replace("#: ", "")
    return ""
