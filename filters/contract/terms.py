"""Terms: what a filter or a tracker must not change while someone holds it, and how a change is seen.

>>> import filterproof as fp
>>> filt = fp.ZCDPFilter(0.5)
>>> FilterTerms.of(filt).check(filt)
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from inspect import signature
from operator import attrgetter, is_
from types import MethodType
from typing import Any, Self

import numpy as np

from filters.contract.content import Same, Walk, content
from filters.contract.identity import constants_of
from filters.contract.library import attributes, made_of_the_library

#: The terms of every filter that has them.
_ALWAYS = ("promise", "budget", "charge")


@dataclass(frozen=True, slots=True)
class FilterTerms:
    """What a filter must not change while someone holds it: its promise, its budget, and what it was made with.

    Of a class of the user's these are also its constants, and what the constructor was given, where the instance keeps
    it under the same name. Promise and budget are told by their content, and so are lists and dicts of numbers among
    the others, so that what is written into is another one; all else there is the very thing that it was.
    """

    names: tuple[str, ...]
    values: tuple[object, ...]
    #: The content of each at the opening; None of a value that cannot change.
    contents: tuple[Hashable | None, ...]
    #: What reads the values from a filter.
    read: Callable[[object], tuple[object, ...]]
    #: Whether the filter is made of the library's values alone, which do not change.
    fixed: bool

    @classmethod
    def of(cls, filt: object) -> Self:
        """The terms of a filter, or of a tracker, as they are now."""
        fixed = made_of_the_library(filt)
        users = () if fixed else (*constants_of(type(filt)), *_given_to(filt))
        named = [name for name in dict.fromkeys((*_ALWAYS, *users)) if _is_term(filt, name)]
        # of one name alone an `attrgetter` reads no tuple
        names = (*named, "__class__", "__class__")
        read = attrgetter(*names)
        values = read(filt)
        terms = zip(names, values, strict=True)
        contents = [None if fixed or _stays(value) else _told(name, value) for name, value in terms]
        return cls(names, values, tuple(contents), read, fixed)

    def check(self, filt: object) -> None:
        """TypeError if the filter's terms are others."""
        if self.fixed:
            return
        try:
            now = self.read(filt)
        except (AttributeError, ValueError):
            now = tuple([getattr(filt, name, None) for name in self.names])
        if all(map(is_, now, self.values)) and not any(self.contents):
            return
        for name, value, before, held in zip(self.names, now, self.contents, self.values, strict=True):
            if _told(name, value) != (before or _told(name, held)):
                got = f"another {name}" if value is held else f"{value!r} where it was opened with {held!r}"
                raise TypeError(
                    f"{type(filt).__name__} must keep its {name} while it is held, got {got}; make another filter for "
                    "another budget"
                )


class _OfNumbers(Walk):
    """The walk over numbers, lists and dicts. Whatever else there is may be a cache, or a buffer."""

    def read(self, value: Any) -> Any:
        return super().read(value) if type(value) in (list, dict) else Same(value)


def _told(name: str, value: object) -> Hashable:
    """What tells a term from others."""
    told: Hashable = content(value, Same) if name in _ALWAYS else _OfNumbers().of(value)
    return told


def _stays(value: object) -> bool:
    return made_of_the_library(value) and not isinstance(value, np.ndarray)


def _is_term(filt: object, name: str) -> bool:
    """Whether a filter has a value under that name, and no method of its class."""
    try:
        return not isinstance(getattr(filt, name), MethodType)
    except (AttributeError, ValueError):  # no theorem gives a budget for the promise
        return False


def _given_to(filt: object) -> list[str]:
    """The names under which an instance keeps what its constructor was given."""
    held = attributes(filt)
    try:
        arguments = signature(type(filt).__init__).parameters
    except (TypeError, ValueError):  # a constructor of no Python code
        return []
    return [name for given in arguments for name in (given, f"_{given}") if name in held]
