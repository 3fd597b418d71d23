"""Detects a change of a filter's guarantee, budget or parameters while a session or an accountant uses it.

>>> import filterproof as fp
>>> filt = fp.ZCDPFilter(0.5)
>>> FilterTerms.of(filt).check(filt)
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from inspect import signature
from reprlib import repr as short
from types import MethodType
from typing import Any, Self

import numpy as np

from filterproof.filters.contract.content import IdentityKey, ValueWalk, content
from filterproof.filters.contract.identity import class_constants
from filterproof.filters.contract.library import consists_of_library_values, instance_attributes

#: The terms of every filter that has them.
_TERM_NAMES = ("promise", "budget", "charge")
#: Stands for a value that may be written into: that it is the same object says nothing.
_WRITABLE = object()
_cached_signature = lru_cache(maxsize=1024)(signature)


@dataclass(frozen=True, slots=True)
class FilterTerms:
    """A record of a filter's guarantee, budget and constructor arguments at one time, to detect changes.

    For a user's class, the terms include its constants, and each constructor argument that the instance stores under
    the same name. Guarantees, budgets, lists and dicts are compared by content, so that writing into them is a change.
    Everything else is compared by identity.
    """

    #: The value and the content of each term; none for a filter of the library's values alone, which do not change.
    terms: Mapping[str, tuple[object, Hashable]]

    @classmethod
    def of(cls, filt: object) -> Self:
        """Return the terms of a filter, or of a tracker, as they are now."""
        if consists_of_library_values(filt):
            return cls({})
        terms: dict[str, tuple[object, Hashable]] = {}
        names = (*_TERM_NAMES, *class_constants(type(filt)), *_stored_argument_names(filt))
        for name in dict.fromkeys(names):
            value = _term_or_none(filt, name)
            writable = type(value) in (list, dict, tuple, np.ndarray) or not consists_of_library_values(value)
            terms[name] = _WRITABLE if writable else value, _content(name, value)
        return cls(terms)

    def check(self, filt: object) -> None:
        """Raise TypeError if the filter's terms have changed."""
        for name, (first, before) in self.terms.items():
            now = _term_or_none(filt, name)
            if now is not first and _content(name, now) != before:
                raise TypeError(
                    f"{type(filt).__name__} must keep its {name} while a session or an accountant uses it, got "
                    f"{short(now)} instead of the first value; create another filter for another budget"
                )


def _term_or_none(filt: object, name: str) -> object:
    try:
        return getattr(filt, name, None)
    except ValueError:  # no theorem gives a budget for the promise
        return None


def _content(name: str, value: object) -> Hashable:
    if name in _TERM_NAMES:
        # a method is another object at each access
        return None if isinstance(value, MethodType) else content(value, IdentityKey)
    tree: Hashable = _TermContentWalk().of(value)
    return tree


class _TermContentWalk(ValueWalk):
    """Reads numbers, lists and dicts by content and everything else by identity: it may be a cache or a buffer."""

    def read(self, value: Any) -> Any:
        return super().read(value) if type(value) in (list, dict) else IdentityKey(value)


def _stored_argument_names(filt: object) -> list[str]:
    """Return the names of attributes that store a constructor argument."""
    attributes = instance_attributes(filt)
    try:
        arguments = _cached_signature(type(filt).__init__).parameters
    except (TypeError, ValueError):  # a constructor without Python code
        return []
    return [name for given in arguments for name in (given, f"_{given}") if name in attributes]
