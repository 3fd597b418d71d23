"""Detects a change of a filter's guarantee, budget or parameters while a session or an accountant uses it.

>>> import filterproof as fp
>>> filt = fp.ZCDPFilter(0.5)
>>> FilterTerms.of(filt).check(filt)
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from inspect import signature
from reprlib import repr as short
from types import MethodType
from typing import Any, Self

from filterproof.filters.contract.content import IdentityKey, ValueWalk, content
from filterproof.filters.contract.identity import class_constants
from filterproof.filters.contract.library import consists_of_library_values, instance_attributes

#: The terms of every filter that has them.
_TERM_NAMES = ("promise", "budget", "charge")


@dataclass(frozen=True, slots=True)
class FilterTerms:
    """A record of a filter's guarantee, budget and constructor arguments at one time, to detect changes.

    For a user's class, the terms include its constants, and each constructor argument that the instance stores under
    the same name. Guarantees, budgets, lists and dicts are compared by content, so that writing into them is a change.
    Everything else is compared by identity.
    """

    contents: Mapping[str, Hashable]
    #: Whether the filter consists of the library's values alone, which do not change.
    fixed: bool

    @classmethod
    def of(cls, filt: object) -> Self:
        """Return the terms of a filter, or of a tracker, as they are now."""
        fixed = consists_of_library_values(filt)
        users = () if fixed else (*class_constants(type(filt)), *_stored_argument_names(filt))
        return cls(
            {} if fixed else _term_contents(filt, dict.fromkeys((*_TERM_NAMES, *users, "__class__"))), fixed
        )

    def check(self, filt: object) -> None:
        """Raise TypeError if the filter's terms have changed."""
        if self.fixed or (now := _term_contents(filt, self.contents)) == self.contents:
            return
        name = next(term for term, difference in now.items() if difference != self.contents[term])
        raise TypeError(
            f"{type(filt).__name__} must keep its {name} while a session or an accountant uses it, got "
            f"{short(_term_or_none(filt, name))} instead of the first value; create another filter for another budget"
        )


def _term_contents(filt: object, names: Iterable[str]) -> dict[str, Hashable]:
    """Return the content of each term by name. Methods are skipped."""
    contents: dict[str, Hashable] = {}
    for name in names:
        value = _term_or_none(filt, name)
        if name in _TERM_NAMES:
            contents[name] = None if isinstance(value, MethodType) else content(value, IdentityKey)
        else:
            contents[name] = _TermContentWalk().of(value)
    return contents


def _term_or_none(filt: object, name: str) -> object:
    try:
        return getattr(filt, name, None)
    except ValueError:  # no theorem gives a budget for the promise
        return None


class _TermContentWalk(ValueWalk):
    """Reads numbers, lists and dicts by content and everything else by identity: it may be a cache or a buffer."""

    def read(self, value: Any) -> Any:
        return super().read(value) if type(value) in (list, dict) else IdentityKey(value)


def _stored_argument_names(filt: object) -> list[str]:
    """Return the names of attributes that store a constructor argument."""
    attributes = instance_attributes(filt)
    try:
        arguments = signature(type(filt).__init__).parameters
    except (TypeError, ValueError):  # a constructor without Python code
        return []
    return [name for given in arguments for name in (given, f"_{given}") if name in attributes]
