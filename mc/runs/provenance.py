"""The provenance of code: which package, version and source digest a module comes from."""

from __future__ import annotations

import hashlib
import os
import platform
import sys
import sysconfig
from functools import cache
from importlib import metadata
from pathlib import Path

import numpy as np
import scipy

from filterproof.mc.engine.streams import BATCH_SIZE

#: The front door only re-exports, so that no number depends on its files.
_PACKAGE_FOLDER = Path(os.path.realpath(Path(__file__).parents[2]))
#: In the repository the rooms are links in it.
_ROOMS = tuple(Path(os.path.realpath(_PACKAGE_FOLDER / room)) for room in ("theory", "filters", "mc"))
_STANDARD_LIBRARY_FOLDERS = tuple(
    Path(os.path.realpath(sysconfig.get_path(name))) for name in ("stdlib", "platstdlib")
)
_INSTALL_FOLDERS = {"site-packages", "dist-packages"}


def _digest_of_source_folders() -> str:
    """Return the SHA-256 of all source files of `theory`, `filters` and `mc`."""
    digest = hashlib.sha256()
    for folder in _ROOMS:
        for path in sorted(folder.rglob("*.py")):
            for part in (path.relative_to(folder.parent).as_posix().encode(), path.read_bytes()):
                digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


# computed at import: by the time that a store is opened the files may have changed
_SOURCE_DIGEST = _digest_of_source_folders()


def code_version() -> str:
    """A digest of the source that a run depends on, with the versions of Python, NumPy and SciPy and the batch size."""
    python = f"{platform.python_implementation()}-{platform.python_version()}"
    return f"{_SOURCE_DIGEST}-{python}-numpy-{np.__version__}-scipy-{scipy.__version__}-batch-{BATCH_SIZE}"


@cache
def library_code_origin(name: str, file: str | None) -> tuple[str, ...] | None:
    """Return data that identify the library that a module belongs to; None for a user's module.

    ("ours",) is covered by `code_version`, and so is ("python",). An installed package is identified by its version
    and its RECORD of file digests, which differs for two builds of one version. One that is installed as a link to
    its source counts as a user's, since it may be edited at any time.
    """
    top = name.partition(".")[0]
    if file is None:
        return ("python",) if top in sys.stdlib_module_names else None
    path = Path(os.path.realpath(file))
    if path.parent == _PACKAGE_FOLDER or any(path.is_relative_to(folder) for folder in _ROOMS):
        return ("ours",)
    if _INSTALL_FOLDERS & set(path.parts):
        return _releases_of_package(top) or None
    return ("python",) if any(path.is_relative_to(folder) for folder in _STANDARD_LIBRARY_FOLDERS) else None


def version() -> str:
    """The installed version of Filterproof."""
    try:
        return metadata.version("filterproof")
    except metadata.PackageNotFoundError:
        return "not installed"


_distributions = cache(metadata.packages_distributions)


@cache
def _releases_of_package(top: str) -> tuple[str, ...]:
    """Return name, version and RECORD digest of each distribution that installed a package."""
    releases: list[str] = []
    for name in sorted(set(_distributions().get(top, ()))):
        record = metadata.distribution(name).read_text("RECORD") or ""
        releases += [name, metadata.version(name), hashlib.sha256(record.encode()).hexdigest()]
    return tuple(releases)
