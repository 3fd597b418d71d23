"""A clock shares a time limit among tasks, each of which looks at it; what does not look is ended by `worker`.

>>> clock = Clock.of(60.0)
>>> clock.over, 59.0 < clock.left <= 60.0, 29.0 < clock.part(0.5).left <= 30.0
(False, True, True)
>>> late = Clock(Clock.now() - 1.0)
>>> late.over, late.left, late.part(0.5).left, 4.0 < clock.at_most(5.0).left <= 5.0, clock.at_most(5e3) == clock
(True, 0.0, 0.0, True, True)

Seconds may be those of the processor, so that as much is tried on a machine that is busy with other things:

>>> with processor_seconds():
...     Clock.of(1.0).over
False
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Self

from theory.arguments import check_positive


class OutOfTime(BaseException):
    """The time of a task is up; a sentence on what was at work."""


@dataclass(frozen=True, slots=True)
class Clock:
    """The moment, of `now`, at which a task has to end."""

    until: float

    @staticmethod
    def now() -> float:
        """The time that all clocks and workers go by."""
        return time.monotonic()

    @classmethod
    def of(cls, seconds: float) -> Self:
        """A clock that runs out in so many seconds."""
        return cls(Clock.now() + float(check_positive("seconds", seconds)))

    @property
    def left(self) -> float:
        """Seconds left, zero or more."""
        return max(self.until - Clock.now(), 0.0)

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return Clock.now() >= self.until

    def part(self, share: float) -> Clock:
        """A clock for a task that may take this share of the time left."""
        return Clock(Clock.now() + share * self.left)

    def at_most(self, seconds: float) -> Clock:
        """A clock that runs out in so many seconds, or with this one."""
        return Clock(min(self.until, Clock.now() + seconds))


class _Worked:
    """Processor seconds of this process, of its parents until they forked, and of its children that have ended."""

    def __init__(self) -> None:
        self.before = self.at_fork = 0.0
        if hasattr(os, "register_at_fork"):  # where there are no forks there is nothing to count on from
            os.register_at_fork(before=self._fork, after_in_child=self._forked)

    def __call__(self) -> float:
        return self.before + self._own()

    @staticmethod
    def _own() -> float:
        ended = os.times()
        return time.process_time() + ended.children_user + ended.children_system

    def _fork(self) -> None:
        self.at_fork = self()

    def _forked(self) -> None:
        self.before = self.at_fork - self._own()


_worked = _Worked()


@contextmanager
def processor_seconds() -> Iterator[None]:
    """Clocks that are made, and looked at, inside run by processor seconds, here and in what is forked.

    For code that is ours: what waits or sleeps is not ended, for sleep takes none.
    """
    before = Clock.__dict__["now"]
    Clock.now = staticmethod(_worked)  # type: ignore[method-assign]
    try:
        yield
    finally:
        Clock.now = before  # type: ignore[method-assign]
