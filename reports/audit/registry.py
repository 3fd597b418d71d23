"""The libraries that are audited, each in a file of `reports.audit.libraries`."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from importlib import import_module

import reports.audit.libraries
from reports.audit.fault import Library

__all__ = ["LIBRARIES"]


def _library(name: str) -> Library:
    found: Library = import_module(f"reports.audit.libraries.{name}").LIBRARY
    if found.key != name:
        raise ValueError(f"key must be the name of its file, got {found.key!r} in {name}; rename one of them")
    return found


#: Key -> library, in alphabetical order.
LIBRARIES: Mapping[str, Library] = {
    module.name: _library(module.name) for module in pkgutil.iter_modules(reports.audit.libraries.__path__)
}
