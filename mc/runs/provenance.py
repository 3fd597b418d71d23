"""The provenance of code: this package, an installed one, the standard library, or the user's own files."""

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

#: Data that identifies the code of a module that is not the user's: its package and a digest of the installation.
Pin = tuple[str, ...]

_HOUSE = Path(os.path.realpath(__file__)).parents[2]
_ROOMS = tuple(_HOUSE / room for room in ("theory", "filters", "mc"))
#: The front door only re-exports, so that no number depends on its files.
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


# computed at import: by the time that a store is opened the files may have changed
_DIGEST = _digest_of_rooms()


def code_version() -> str:
    """A digest of the source that a run depends on, with the versions of Python, NumPy and SciPy and the tile size."""
    python = f"{platform.python_implementation()}-{platform.python_version()}"
    return f"{_DIGEST}-{python}-numpy-{np.__version__}-scipy-{scipy.__version__}-tile-{TILE}"


def is_ours(module: ModuleType) -> bool:
    """Whether a module is in a room that `code_version` covers, or in the front door."""
    file = getattr(module, "__file__", None)
    return isinstance(file, str) and _is_in_a_room(file)


def pin(module: ModuleType) -> Pin | None:
    """The pin of an installed module or of one of the standard library; None for a user's file.

    An installed package is pinned by its RECORD of file digests, which differs for two builds of one version. A
    package installed as a link to its source counts as a user's file, since it may be edited at any time.
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
    """Name, version and digest of the RECORD of each distribution that installed a package."""
    found: list[str] = []
    for name in sorted(set(_distributions().get(top, ()))):
        record = metadata.distribution(name).read_text("RECORD") or ""
        found += [name, metadata.version(name), hashlib.sha256(record.encode()).hexdigest()]
    return tuple(found)


@cache
def _distributions() -> dict[str, list[str]]:
    return dict(metadata.packages_distributions())
