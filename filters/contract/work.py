"""Work, counted in units: what bounds a search, so that it asks the same on every machine.

A unit is about one call of a filter's method for one run, some 25 microseconds of a processor of 2020. Whatever else
takes long counts as many units as its size says, and never as many as its duration; what may come out of a cache counts
as if it did not.

>>> with metered():
...     limit = WorkLimit.of(100)
...     half = limit.fraction(0.5)
...     count(60)
...     half.exhausted, limit.exhausted, limit.remaining, limit.capped(10).remaining
(True, False, 40, 10)
"""

from __future__ import annotations

import mmap
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Self

from filterproof.theory.argument_checks import check_positive

#: The largest effort: as much as a processor does in centuries.
_MOST_EFFORT = 1e9


class OutOfWork(BaseException):
    """The work that a task may do is done."""


class Meter:
    """The units done in this process and in those forked from it; `count` raises OutOfWork beyond `ceiling`.

    As soon as as many units are done as the first of `pauses` says, that one is dropped and `pause` is called.
    """

    __slots__ = ("_shared", "ceiling", "pause", "pauses")

    def __init__(self) -> None:
        self._shared = memoryview(mmap.mmap(-1, 8)).cast("q")
        self.ceiling = sys.maxsize
        self.pauses: tuple[int, ...] = ()
        self.pause: Callable[[], object] = bool

    @property
    def done(self) -> int:
        """The units counted so far."""
        return self._shared[0]

    def count(self, units: int) -> None:
        """Add to what is done."""
        self._shared[0] = done = self._shared[0] + units
        if done > self.ceiling:
            raise OutOfWork
        if self.pauses and done >= self.pauses[0]:
            self.pauses = self.pauses[1:]
            self.pause()


_meter: ContextVar[Meter] = ContextVar("meter", default=Meter())  # noqa: B039 - one for each process
#: The meter that counts here.
current = _meter.get


def count(units: int) -> None:
    """Count units of work that were not counted by what they consist of."""
    current().count(units)


def checked_effort(effort: object) -> float:
    """`effort` as a float, in (0, 1e9]."""
    value = float(check_positive("effort", effort))
    if value > _MOST_EFFORT:
        raise ValueError(f"effort must be at most {_MOST_EFFORT:,.0f}, got effort={value!r}; pass less")
    return value


@contextmanager
def metered(meter: Meter | None = None) -> Iterator[Meter]:
    """A meter of one's own, a new one by default, so that nothing else that runs in this process is counted."""
    meter = Meter() if meter is None else meter
    token = _meter.set(meter)
    try:
        yield meter
    finally:
        _meter.reset(token)


@contextmanager
def stopping_at(limit: WorkLimit | None) -> Iterator[None]:
    """Raise OutOfWork inside as soon as the limit is passed."""
    meter = current()
    before = meter.ceiling
    if limit is not None:
        meter.ceiling = min(before, limit.until)
    try:
        yield
    finally:
        meter.ceiling = before


@dataclass(frozen=True, slots=True)
class WorkLimit:
    """The count of units at which a task has to end; the task looks at it, or runs inside `stopping_at`."""

    until: int

    @classmethod
    def of(cls, units: float) -> Self:
        """A limit so many units from now."""
        return cls(current().done + int(units))

    @property
    def exhausted(self) -> bool:
        """Whether nothing is left."""
        return current().done >= self.until

    @property
    def remaining(self) -> int:
        """Units left, zero or more."""
        return max(self.until - current().done, 0)

    def fraction(self, share: float) -> WorkLimit:
        """A limit for a task that may do this share of the remaining work."""
        return WorkLimit.of(share * self.remaining)

    def capped(self, units: float) -> WorkLimit:
        """A limit so many units from now, or this one if it is nearer."""
        return WorkLimit(min(self.until, current().done + int(units)))
