"""Loads a filter from a user's file, `path/to/file.py::ClassName`, or module, `package.module::ClassName`.

The file runs as code with the user's permissions. It can import modules from its folder and its package.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from inspect import getattr_static, signature
from pathlib import Path
from types import ModuleType
from typing import Any

from filterproof.filters.accountants.verifiable import is_verifiable
from filterproof.filters.adapters.service import PromisedService, with_promise
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.examine.filter_fault import ctrl_c, filter_faults_raised
from filterproof.theory.argument_checks import did_you_mean
from filterproof.theory.guarantees import Guarantee


def load_filter(target: str, promise: Guarantee | None = None) -> Any:
    """Return the filter, accountant or service that `file.py::Name` or `module::Name` names.

    A class of filters is called without arguments. `promise` is the guarantee of a service; by default its attribute
    `promise`. Raises ValueError if the file, the name or the class cannot be used, and FilterFault if `promise` raises.
    """
    path_text, separator, name = target.partition("::")
    if not separator or not name:
        raise ValueError(f"the target does not name a class (target={target!r}); write file.py::MyFilter")
    module = _target_module(target, path_text)
    with _import_errors(target, module.__file__):
        attribute = getattr(module, name, None)  # runs user code if the file defines __getattr__
    if attribute is None:
        examinable = [
            attribute_name
            for attribute_name, value in vars(module).items()
            if _can_be_examined(value, module.__name__)
        ]
        near = (
            did_you_mean(name, examinable) or f"; it defines {', '.join(sorted(examinable)) or 'no filters'}"
        )
        raise ValueError(f"the file has no filter of this name (target={target!r}){near}")
    if _is_service_class(attribute):
        return _service_with_promise(target, attribute, promise)
    if promise is not None:
        raise ValueError(
            f"--promise is the guarantee of a program or a service, and a filter states its own (target={target!r}); "
            "remove --promise"
        )
    if _is_filter_or_accountant_class(attribute):
        try:
            attribute = attribute()
        except TypeError as error:
            raise ValueError(
                f"the class cannot be called without arguments (target={target!r}: {error}); "
                "add an instance to the file and name the instance"
            ) from error
        except BaseException as error:
            if ctrl_c(error, module.__file__):
                raise
            raise ValueError(
                f"the constructor raised {type(error).__name__}: {' '.join(str(error).split())} (target={target!r}); "
                "correct its __init__"
            ) from error
    if is_verifiable(attribute):
        return attribute
    if not isinstance(attribute, PrivacyFilter):
        raise ValueError(
            f"the target is {_value_text(attribute)} and not a filter (target={target!r}); write a subclass of "
            "filterproof.PrivacyFilter, or a service with __init__(self, disk) and request(self, pair, key)"
        )
    with suppress(AttributeError), filter_faults_raised(attribute):
        promise = attribute.promise
    if promise is None:
        raise ValueError(
            f"the filter has no guarantee (target={target!r}); "
            "add promise = fp.ApproxDP(epsilon=..., delta=...)"
        )
    if not isinstance(promise, Guarantee):
        raise ValueError(
            f"the filter's promise has the type {type(promise).__name__} and is not a guarantee (target={target!r}); "
            "write promise = fp.ApproxDP(epsilon=..., delta=...)"
        )
    return attribute


def _value_text(value: object) -> str:
    """Return the class of a value, for an error message."""
    return f"the class {value.__name__}" if isinstance(value, type) else f"of the type {type(value).__name__}"


def _is_filter_or_accountant_class(value: object) -> bool:
    """Whether the value is a class of filters or accountants."""
    return isinstance(value, type) and (issubclass(value, PrivacyFilter) or hasattr(value, "query_kind"))


def _is_service_class(value: object) -> bool:
    """Whether the value is a class of services: it is made from a disk, and answers requests."""
    if (
        not isinstance(value, type)
        or _is_filter_or_accountant_class(value)
        or getattr_static(value, "request", None) is None
    ):
        return False
    try:
        signature(value).bind("disk")
    except (TypeError, ValueError):
        return False
    return True


def _can_be_examined(value: object, module: str) -> bool:
    """Whether the value is a filter, an accountant, or a class of these or of services that the module defines."""
    if isinstance(value, type):
        return value.__module__ == module and (
            _is_filter_or_accountant_class(value) or _is_service_class(value)
        )
    return issubclass(type(value), PrivacyFilter) or is_verifiable(value)


def _service_with_promise(target: str, service: Any, promise: Guarantee | None) -> PromisedService:
    """The service with the guarantee that is given, or with its own."""
    promise = promise or getattr_static(service, "promise", None)
    if not isinstance(promise, Guarantee):
        raise ValueError(
            f"the service has no guarantee (target={target!r}); pass --promise 'pure(1)', or add "
            "promise = fp.PureDP(epsilon=...)"
        )
    return with_promise(service, promise)


def _target_module(target: str, place: str) -> ModuleType:
    """Run the file, or import the module, and return the module."""
    path = Path(place)
    if not path.is_file():
        named = all(part.isidentifier() for part in place.split(".")) and not place.endswith(".py")
        if named and (not path.is_dir() or (path / "__init__.py").is_file()):
            return _import_target(target, place)
        problem = f"{place!r} is a folder" if path.is_dir() else f"no file at {place!r}"
        files = (file.name for file in path.parent.glob("*.py"))
        near = "" if path.is_dir() else did_you_mean(path.name, files)
        raise ValueError(
            f"the target is not a Python file (target={target!r}): {problem}{near or '; correct the path'}"
        )
    folder, module_name = path.resolve().parent, f"_user_filter_{path.stem}"
    while (folder / "__init__.py").is_file():
        folder, module_name = folder.parent, f"{folder.name}.{module_name}"
    spec = importlib.util.spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None:
        raise ValueError(f"the target is not a Python file (target={target!r}); rename it to end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module  # dataclasses and worker processes look classes up by module
    try:
        with _import_errors(target, module.__file__), _searching_folder(folder):
            spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(module_name, None)
        raise
    return module


@contextmanager
def _searching_folder(folder: Path) -> Iterator[None]:
    """Search the folder for imports: first while the target loads, and last after it, for imports in its methods."""
    place = str(folder)
    sys.path.insert(0, place)
    try:
        yield
    finally:
        sys.path.remove(place)
        if place not in sys.path:
            sys.path.append(place)


def _import_target(target: str, name: str) -> ModuleType:
    """Import a module by name, with the working directory on the path."""
    with _import_errors(target, None), _searching_folder(Path.cwd()):
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name.split(".")[0]:
                raise
            missing = f"no file at {name!r}, and no module of that name"
    raise ValueError(
        f"the target is not a Python file or module (target={target!r}): {missing}; correct the path"
    )


@contextmanager
def _import_errors(target: str, file: str | None) -> Iterator[None]:
    """Turn an exception of the target's code, except Ctrl-C, into a ValueError."""
    try:
        yield
    except BaseException as error:
        if ctrl_c(error, file):
            raise
        raise ValueError(
            f"the import raised {type(error).__name__}: {' '.join(str(error).split())} (target={target!r}); "
            "run the file with python first"
        ) from error
