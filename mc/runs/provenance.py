"""Where code comes from: this package, an installed one, the standard library, or the user's own files."""

from __future__ import annotations

import hashlib
import os
import platform
import sys
import sysconfig
from functools import cache
from importlib import metadata
from pathlib import Path
from types import ModuleType

import numpy as np
import scipy

from mc.engine.streams import TILE

__all__ = ["Pin", "code_version", "is_ours", "pin"]

#: What pins the code of a module that is not the user's: a package and the digest of what was installed.
Pin = tuple[str, ...]

_HOUSE = Path(os.path.realpath(__file__)).parents[2]
_ROOMS = tuple(_HOUSE / room for room in ("theory", "filters", "mc"))
#: The front door only re-exports, so its own files decide no number.
_OURS = (*_ROOMS, _HOUSE / "filterproof")
_STANDARD = tuple(Path(os.path.realpath(sysconfig.get_path(name))) for name in ("stdlib", "platstdlib"))
_INSTALLED = {"site-packages", "dist-packages"}


def _digest_of_rooms() -> str:
    digest = hashlib.sha256()
    for folder in _ROOMS:
        for path in sorted(folder.rglob("*.py")):
            for part in (path.relative_to(folder.parent).as_posix().encode(), path.read_bytes()):
                digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


# read as the code is imported, not when a store is first opened: the files may have changed by then
_DIGEST = _digest_of_rooms()


def code_version() -> str:
    """A digest of the source that a run's numbers depend on, and the versions of what it is run by."""
    python = f"{platform.python_implementation()}-{platform.python_version()}"
    return f"{_DIGEST}-{python}-numpy-{np.__version__}-scipy-{scipy.__version__}-tile-{TILE}"


def is_ours(module: ModuleType) -> bool:
    """Whether a module is one whose source is in `code_version`, or the front door."""
    file = getattr(module, "__file__", None)
    return isinstance(file, str) and _is_in_a_room(file)


def pin(module: ModuleType) -> Pin | None:
    """What pins the code of an installed module or of one of the standard library; None for a user's file.

    The record of an installed package holds the digests of its files: two builds of one version have two. A
    package that is installed as a link to its source is a user's: it may be edited at any time.
    """
    path = _path(module)
    top = module.__name__.partition(".")[0]
    if path is None:
        return ("python",) if top in sys.stdlib_module_names else None
    if _INSTALLED & set(path.parts):
        return _releases(top) or None
    return ("python",) if any(path.is_relative_to(folder) for folder in _STANDARD) else None


def _path(module: ModuleType) -> Path | None:
    file = getattr(module, "__file__", None)
    return _real(file) if isinstance(file, str) else None


@cache
def _is_in_a_room(file: str) -> bool:
    return any(_real(file).is_relative_to(folder) for folder in _OURS)


@cache
def _real(file: str) -> Path:
    return Path(os.path.realpath(file))


@cache
def _releases(top: str) -> Pin:
    """Name, version and digest of the record of each distribution that brought a package."""
    found: list[str] = []
    for name in sorted(set(_distributions().get(top, ()))):
        record = metadata.distribution(name).read_text("RECORD") or ""
        found += [name, metadata.version(name), hashlib.sha256(record.encode()).hexdigest()]
    return tuple(found)


@cache
def _distributions() -> dict[str, list[str]]:
    return dict(metadata.packages_distributions())
