"""A filter in memory and the file that defines it: whether the two agree, and the filter as the interpreter has it."""

from __future__ import annotations

import dataclasses
import inspect
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path as File
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from filterproof.filters import catalogue
from filterproof.filters.contract.library import defining_class, of_the_library
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.prove.functions import LIBRARY, Opaque
from filterproof.mc.prove.interpreter import Interpreter, Record, Unknown, UserClass, load_module
from filterproof.mc.prove.paths import NotTraced
from filterproof.mc.prove.source import Source, refuse_hidden_state
from filterproof.mc.prove.values import kind_of_dtype
from filterproof.theory.guarantees import Guarantee

#: What decides, or is asked in the place of what does.
_DECIDING = ("start", "admits", "spend", "observe", "grant", "step_inplace")


def source_of(filt: PrivacyFilter) -> Source:
    """The file of a filter's class; NotTraced where there is none, or where it does not say what is in memory."""
    kind = type(filt)
    if "<locals>" in kind.__qualname__:
        raise NotTraced(f"{kind.__name__} is local to a function; define it at the top level of a file")
    path = getattr(sys.modules.get(kind.__module__), "__file__", None)
    if path is None or not File(path).is_file():
        raise NotTraced(f"{kind.__name__} is not in a file, and a proof reads the source; write it to a file")
    source = Source.read(File(path))
    written = {
        (code.co_qualname, code.co_firstlineno): code for code in _codes(compile(source.tree, path, "exec"))
    }
    for owner in kind.__mro__:
        if owner.__module__ != kind.__module__:
            continue
        for name, value in vars(owner).items():
            function = getattr(value, "fget", None) or getattr(value, "__func__", value)
            if isinstance(function, FunctionType) and function.__module__ == kind.__module__:
                code = function.__code__
                place = code.co_qualname, code.co_firstlineno
                if place in written and _same(written[place], code):
                    continue
            elif name not in _DECIDING:
                continue
            raise NotTraced(f"{owner.__name__}.{name} is not the function that the file defines")
    for name in vars(filt):
        if callable(getattr(kind, name, None)):
            raise NotTraced(f"an attribute of the instance shadows the method {name}")
    return source


def record_of(filt: PrivacyFilter, source: Source, interpreter: Interpreter) -> Record:
    """The filter with the attributes that it has now, and the class that its file defines."""
    names = load_module(source, interpreter)
    kind = names.get(type(filt).__name__)
    if isinstance(kind, Unknown):
        raise NotTraced(kind.reason, kind.line)
    if not isinstance(kind, UserClass):
        raise NotTraced(f"the file has no class {type(filt).__name__}")
    refuse_hidden_state(source, [k.name for k in kind.order() if isinstance(k, UserClass)])
    own = {name: k for name, k in names.items() if isinstance(k, UserClass) and k.style != "plain"}
    home = type(filt).__module__
    values = {name: _translated(name, value, own, home) for name, value in vars(filt).items()}
    base = kind.order()[-1]
    if isinstance(base, type) and base is not PrivacyFilter:
        fields = [part.name for part in dataclasses.fields(base) if part.init]  # type: ignore[arg-type]
        values[LIBRARY] = _library_filter(base(**{name: getattr(filt, name) for name in fields}))
    return Record(kind, values)


def promise_of(filt: PrivacyFilter) -> Guarantee:
    """The guarantee, where it is a value of the library that no code computes."""
    held = inspect.getattr_static(filt, "promise", None)
    if isinstance(held, property) and not of_the_library(defining_class(type(filt), "promise")):
        raise NotTraced("the promise is computed; make it an attribute")
    promise = filt.promise
    if not (isinstance(promise, Guarantee) and of_the_library(type(promise))):
        raise NotTraced("the promise is no guarantee of the library")
    return promise


def _library_filter(filt: PrivacyFilter) -> Opaque:
    """A filter of the library that is proved, of which only its own methods are called."""
    if type(filt).__name__ not in catalogue.__all__ or filt.sound is not True:
        raise NotTraced(f"{type(filt).__name__} is no filter of the library with a proof")
    if filt.looks_at_losses:
        raise NotTraced(f"{type(filt).__name__} looks at losses, which has no rule here")
    return Opaque("filter", repr(filt), filt)


def _translated(name: str, value: Any, classes: Mapping[str, UserClass], home: str) -> Any:
    """A value of an attribute, as the interpreter has it; `classes` are those of the module `home` that hold data."""
    kind = type(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.ndarray | np.generic):
        kind_of_dtype(value.dtype)
        return value
    if kind.__module__ == home and (own := classes.get(kind.__name__)) is not None:
        return Record(own, {f: _translated(name, getattr(value, f), classes, home) for f in own.fields})
    if kind in (tuple, list):
        return kind(_translated(name, one, classes, home) for one in value)
    if kind is dict:
        return {key: _translated(name, one, classes, home) for key, one in value.items()}
    if isinstance(value, PrivacyFilter):
        return _library_filter(value)
    if of_the_library(kind):
        return value
    raise NotTraced(f"the attribute {name} holds {kind.__name__}, which has no rule")


def _codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)


def _same(one: CodeType, two: CodeType) -> bool:
    def plain(code: CodeType) -> list[str]:
        return [repr(c) for c in code.co_consts if not isinstance(c, CodeType)]

    return (
        one.co_code == two.co_code
        and one.co_names == two.co_names
        and plain(one) == plain(two)
        and all(_same(a, b) for a, b in zip(_codes(one), _codes(two), strict=True))
    )
