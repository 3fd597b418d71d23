"""Loads a filter from a user's file, `path/to/file.py::ClassName`, or module, `package.module::ClassName`.

The file is code and is run with the rights of the user who names it. It may import what stands beside it, as when
Python runs it, and by relative imports what stands in its package; a module may stand in the folder of work.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from filterproof.filters.accountants.verifiable import is_verifiable
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.examine.filter_fault import ctrl_c, examining
from filterproof.theory.guarantees import Guarantee


def load_filter(target: str) -> Any:
    """The filter or holder that `file.py::Name` or `module::Name` names: an instance, or a class to be called.

    Raises ValueError with one sentence if the file, the name or the class is not usable or states no promise, and
    FilterFault if its `promise` is code that raises.
    """
    path_text, separator, name = target.partition("::")
    if not separator or not name:
        raise ValueError(f"target must look like file.py::MyFilter, got target={target!r}; add ::ClassName")
    module = _module(target, path_text)
    with _importing(target, module.__file__):
        found = getattr(module, name, None)  # runs user code if the file defines __getattr__
    if found is None:
        known = sorted(name for name, one in vars(module).items() if _is_kind(one))
        raise ValueError(
            f"target must name a filter in the file, got target={target!r}; "
            f"it defines {', '.join(known) or 'no filters'}"
        )
    if _is_kind(found):
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
    if is_verifiable(found):
        return found
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


def _is_kind(value: object) -> bool:
    """Whether it is a class of filters or holders."""
    return isinstance(value, type) and (issubclass(value, PrivacyFilter) or hasattr(value, "played"))


def _module(target: str, place: str) -> ModuleType:
    """The module of a file, which is run, or the module of that name, which is imported."""
    path = Path(place)
    if not path.is_file():
        named = all(part.isidentifier() for part in place.split(".")) and not place.endswith(".py")
        if named and (not path.is_dir() or (path / "__init__.py").is_file()):
            return _imported(target, place)
        found = f"{place!r} is a folder" if path.is_dir() else f"no file at {place!r}"
        raise ValueError(f"target must name a Python file, got target={target!r}; {found}")
    folder, module_name = path.resolve().parent, f"_user_filter_{path.stem}"
    while (folder / "__init__.py").is_file():
        folder, module_name = folder.parent, f"{folder.name}.{module_name}"
    spec = importlib.util.spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None:
        raise ValueError(f"target must name a Python file, got target={target!r}; rename it to end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module  # dataclasses and worker processes look classes up by module
    try:
        with _importing(target, module.__file__), _beside(folder):
            spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(module_name, None)
        raise
    return module


@contextmanager
def _beside(folder: Path) -> Iterator[None]:
    """Imports look into the folder: first while a target is loaded, and last after it, for what its methods import."""
    place = str(folder)
    sys.path.insert(0, place)
    try:
        yield
    finally:
        sys.path.remove(place)
        if place not in sys.path:
            sys.path.append(place)


def _imported(target: str, name: str) -> ModuleType:
    with _importing(target, None), _beside(Path.cwd()):
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name.split(".")[0]:
                raise
            missing = f"no file at {name!r}, and no module of that name"
    raise ValueError(f"target must name a Python file or module, got target={target!r}; {missing}")


@contextmanager
def _importing(target: str, file: str | None) -> Iterator[None]:
    """Turn whatever the target's code raises into a ValueError with one sentence, but for Ctrl-C."""
    try:
        yield
    except BaseException as error:
        if ctrl_c(error, file):
            raise
        raise _not_imported(target, error) from error


def _not_imported(target: str, error: BaseException) -> ValueError:
    return ValueError(
        f"target must import cleanly, got target={target!r} "
        f"which raised {type(error).__name__}: {' '.join(str(error).split())}; run the file with python first"
    )
