"""Terms: what a filter or a tracker must not change while someone holds it, and how a change is seen.

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

from filterproof.filters.contract.content import Same, Walk, content
from filterproof.filters.contract.identity import constants_of
from filterproof.filters.contract.library import attributes, made_of_the_library

#: The terms of every filter that has them.
_ALWAYS = ("promise", "budget", "charge")


@dataclass(frozen=True, slots=True)
class FilterTerms:
    """What a filter must not change while someone holds it: its promise, its budget, and what it was made with.

    Of a class of the user's these are also its constants, and what the constructor was given, where the instance keeps
    it under the same name. Promise and budget are told by their content, and so are lists and dicts of numbers among
    the others, so that what is written into is another one; all else there is the very thing that it was.
    """

    contents: Mapping[str, Hashable]
    #: Whether the filter is made of the library's values alone, which do not change.
    fixed: bool

    @classmethod
    def of(cls, filt: object) -> Self:
        """The terms of a filter, or of a tracker, as they are now."""
        fixed = made_of_the_library(filt)
        users = () if fixed else (*constants_of(type(filt)), *_given_to(filt))
        return cls({} if fixed else _contents(filt, dict.fromkeys((*_ALWAYS, *users, "__class__"))), fixed)

    def check(self, filt: object) -> None:
        """TypeError if the filter's terms are others."""
        if self.fixed or (now := _contents(filt, self.contents)) == self.contents:
            return
        name = next(one for one, told in now.items() if told != self.contents[one])
        raise TypeError(
            f"{type(filt).__name__} must keep its {name} while a session or an accountant uses it, got "
            f"{short(_value(filt, name))} instead of the first value; create another filter for another budget"
        )


def _contents(filt: object, names: Iterable[str]) -> dict[str, Hashable]:
    """What tells each term from others, by name; methods are none."""
    told: dict[str, Hashable] = {}
    for name in names:
        value = _value(filt, name)
        if name in _ALWAYS:
            told[name] = None if isinstance(value, MethodType) else content(value, Same)
        else:
            told[name] = _OfNumbers().of(value)
    return told


def _value(filt: object, name: str) -> object:
    try:
        return getattr(filt, name, None)
    except ValueError:  # no theorem gives a budget for the promise
        return None


class _OfNumbers(Walk):
    """The walk over numbers, lists and dicts. Whatever else there is may be a cache, or a buffer."""

    def read(self, value: Any) -> Any:
        return super().read(value) if type(value) in (list, dict) else Same(value)


def _given_to(filt: object) -> list[str]:
    """The names under which an instance keeps what its constructor was given."""
    held = attributes(filt)
    try:
        arguments = signature(type(filt).__init__).parameters
    except (TypeError, ValueError):  # a constructor of no Python code
        return []
    return [name for given in arguments for name in (given, f"_{given}") if name in held]
