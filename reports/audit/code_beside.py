"""The Python beside the findings, which is in no package of ours: it is loaded from its folder when an audit runs."""

from __future__ import annotations

import hashlib
import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from pathlib import Path
from types import ModuleType

__all__ = ["module"]


def module(folder: Path, name: str) -> ModuleType:
    """The module `name.py` of a library's folder, run with the rights of the process.

    The folder above it stands for a package, so that a module reaches those beside it by `from . import values`, and
    those of the folder `shared` by `from ..shared.noises import ...`. Raises what the module raises.
    """
    above = folder.resolve().parent
    package = f"findings_{hashlib.sha256(str(above).encode()).hexdigest()[:16]}"
    if package not in sys.modules:
        spec = ModuleSpec(package, None, is_package=True)
        spec.submodule_search_locations = [str(above)]
        sys.modules[package] = module_from_spec(spec)
    return import_module(f"{package}.{folder.name}.{name}")
