"""Loads a filter from a user's file, `path/to/file.py::ClassName`, or module, `package.module::ClassName`.

The file is code and is run with the rights of the user who names it.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from filters.privacy_filter import PrivacyFilter
from mc.examine.fault import ctrl_c, examining, own_streams
from theory.guarantees import Guarantee

__all__ = ["load_filter"]


def load_filter(target: str) -> PrivacyFilter:
    """The filter that `file.py::Name` or `module::Name` names: an instance, or a class called without arguments.

    Raises ValueError with one sentence if the file, the name or the class is not usable or states no promise, and
    FilterFault if its `promise` is code that raises.
    """
    with own_streams(target):
        return _loaded(target)


def _loaded(target: str) -> PrivacyFilter:
    path_text, separator, name = target.partition("::")
    if not separator or not name:
        raise ValueError(f"target must look like file.py::MyFilter, got target={target!r}; add ::ClassName")
    module = _module(target, path_text)
    try:
        found = getattr(module, name, None)  # runs user code if the file defines __getattr__
    except BaseException as error:
        if ctrl_c(error, module.__file__):
            raise
        raise _not_imported(target, error) from error
    if found is None:
        known = sorted(
            k for k, v in vars(module).items() if isinstance(v, type) and issubclass(v, PrivacyFilter)
        )
        raise ValueError(
            f"target must name a filter in the file, got target={target!r}; "
            f"it defines {', '.join(known) or 'no filters'}"
        )
    if isinstance(found, type) and issubclass(found, PrivacyFilter):
        try:
            found = found()
        except TypeError as error:
            raise ValueError(
                f"target must be constructible without arguments, got target={target!r} ({error}); "
                f"add an instance to the file and name that"
            ) from error
        except BaseException as error:
            if ctrl_c(error, module.__file__):
                raise
            raise ValueError(
                f"target must be constructible, got target={target!r} which raised "
                f"{type(error).__name__}: {' '.join(str(error).split())}; mend its __init__"
            ) from error
    if not isinstance(found, PrivacyFilter):
        raise ValueError(
            f"target must be a PrivacyFilter, got target={target!r} of type {type(found).__name__}; "
            "subclass filterproof.PrivacyFilter"
        )
    try:
        with examining(found):
            promise = found.promise
    except AttributeError:
        promise = None
    if promise is None:
        raise ValueError(
            f"target must state a promise, got target={target!r} without one; "
            "add promise = fp.ApproxDP(epsilon=..., delta=...)"
        )
    if not isinstance(promise, Guarantee):
        raise ValueError(
            f"target must promise a guarantee, got target={target!r} with a promise of type "
            f"{type(promise).__name__}; state promise = fp.ApproxDP(epsilon=..., delta=...)"
        )
    return found


def _module(target: str, place: str) -> ModuleType:
    """The module of a file, which is run, or the module of that name, which is imported."""
    path = Path(place)
    if not path.is_file():
        if all(part.isidentifier() for part in place.split(".")) and not place.endswith(".py"):
            return _imported(target, place)
        raise ValueError(f"target must name a Python file, got target={target!r}; no file at {place!r}")
    module_name = f"_user_filter_{path.stem}"
    spec = importlib.util.spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None:
        raise ValueError(f"target must name a Python file, got target={target!r}; rename it to end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module  # dataclasses and worker processes look classes up by module
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        sys.modules.pop(module_name, None)
        if ctrl_c(error, module.__file__):
            raise
        raise _not_imported(target, error) from error
    return module


def _imported(target: str, name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except BaseException as error:
        if isinstance(error, ModuleNotFoundError) and error.name == name.split(".")[0]:
            raise ValueError(
                f"target must name a Python file or module, got target={target!r}; "
                f"no file at {name!r}, and no module of that name"
            ) from error
        if ctrl_c(error, None):
            raise
        raise _not_imported(target, error) from error


def _not_imported(target: str, error: BaseException) -> ValueError:
    return ValueError(
        f"target must import cleanly, got target={target!r} "
        f"which raised {type(error).__name__}: {' '.join(str(error).split())}; run the file with python first"
    )
