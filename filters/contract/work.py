"""Work in counted units: limits of a search that are the same on every machine.

A unit is about one call of a filter's method for one run, about 25 microseconds on a processor of 2020. Other
expensive work counts units by its size and never by its duration. A cached result counts as if it were computed
again.

>>> with activate_meter():
...     limit = WorkLimit.of(100)
...     half = limit.fraction(0.5)
...     count_work(60)
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

#: The largest effort, centuries of processor time.
_MAX_EFFORT = 1e9


class OutOfWork(BaseException):
    """The work limit of a task is reached."""


class Meter:
    """Counts units of work in this process and its forks. `count` raises OutOfWork above `ceiling`.

    When the count reaches the first entry of `pauses`, the entry is removed and `pause` is called.
    """

    __slots__ = ("_shared", "ceiling", "pause", "pauses")

    def __init__(self) -> None:
        self._shared = memoryview(mmap.mmap(-1, 8)).cast("q")
        self.ceiling = sys.maxsize
        self.pauses: tuple[int, ...] = ()
        self.pause: Callable[[], object] = bool

    @property
    def done(self) -> int:
        """Units counted so far."""
        return self._shared[0]

    def count(self, units: int) -> None:
        """Add units; raise OutOfWork above the ceiling, and call `pause` when one is due."""
        self._shared[0] = done = self._shared[0] + units
        if done > self.ceiling:
            raise OutOfWork
        if self.pauses and done >= self.pauses[0]:
            self.pauses = self.pauses[1:]
            self.pause()


_ACTIVE_METER: ContextVar[Meter] = ContextVar("meter", default=Meter())  # noqa: B039 - one for each process
#: The active meter.
current_meter = _ACTIVE_METER.get


def count_work(units: int) -> None:
    """Count units of work on the active meter."""
    current_meter().count(units)


def checked_effort(effort: object) -> float:
    """Return `effort` as a float in (0, 1e9]."""
    value = float(check_positive("effort", effort))
    if value > _MAX_EFFORT:
        raise ValueError(f"effort must be at most {_MAX_EFFORT:,.0f}, got effort={value!r}; pass less")
    return value


@contextmanager
def activate_meter(meter: Meter | None = None) -> Iterator[Meter]:
    """Count the work inside the block on this meter, a new one by default."""
    meter = Meter() if meter is None else meter
    token = _ACTIVE_METER.set(meter)
    try:
        yield meter
    finally:
        _ACTIVE_METER.reset(token)


@contextmanager
def stopping_at(limit: WorkLimit | None) -> Iterator[None]:
    """Raise OutOfWork inside the block as soon as the limit is passed."""
    meter = current_meter()
    before = meter.ceiling
    if limit is not None:
        meter.ceiling = min(before, limit.until)
    try:
        yield
    finally:
        meter.ceiling = before


@dataclass(frozen=True, slots=True)
class WorkLimit:
    """The count of units at which a task must end. The task checks it, or runs inside `stopping_at`."""

    until: int

    @classmethod
    def of(cls, units: float) -> Self:
        """Return a limit this many units from now."""
        return cls(current_meter().done + int(units))

    @property
    def exhausted(self) -> bool:
        return current_meter().done >= self.until

    @property
    def remaining(self) -> int:
        """Units left, zero or more."""
        return max(self.until - current_meter().done, 0)

    def fraction(self, share: float) -> WorkLimit:
        """Return a limit after this share of the remaining work."""
        return WorkLimit.of(share * self.remaining)

    def capped(self, units: float) -> WorkLimit:
        """Return the nearer of this limit and a limit this many units from now."""
        return WorkLimit(min(self.until, current_meter().done + int(units)))
