"""A clock shares a time limit among tasks, and interrupts a task that does not end: a filter may loop for ever.

>>> clock = Clock.of(60.0)
>>> clock.over, 59.0 < clock.left <= 60.0, clock.part(0.5).left <= 30.0
(False, True, True)
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Self

from theory.arguments import check_positive

__all__ = ["Clock", "OutOfTime"]

#: Seconds after which the alarm rings again, should a filter's own `except BaseException` have swallowed it.
_AGAIN = 0.5


class OutOfTime(BaseException):
    """Raised within a task whose time is up."""


@dataclass(frozen=True, slots=True)
class Clock:
    """The moment, of `time.monotonic`, at which a task has to end."""

    until: float

    @classmethod
    def of(cls, seconds: float) -> Self:
        """A clock that runs out in so many seconds."""
        return cls(time.monotonic() + float(check_positive("seconds", seconds)))

    @property
    def left(self) -> float:
        """Seconds left, zero or more."""
        return max(self.until - time.monotonic(), 0.0)

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return time.monotonic() >= self.until

    def part(self, share: float) -> Clock:
        """A clock for a task that may take this share of the time left."""
        return Clock(time.monotonic() + share * self.left)

    def at_most(self, seconds: float) -> Clock:
        """A clock that runs out in so many seconds, or with this one."""
        return Clock(min(self.until, time.monotonic() + seconds))

    @contextmanager
    def limiting(self) -> Iterator[None]:
        """Raise OutOfTime in the block when the time is up; clocks may be nested, and the first to run out rings.

        Only the main thread of a system with interval timers can be interrupted; elsewhere the block ends by itself.
        """
        if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
            yield
            return

        def ring(number: int, frame: FrameType | None) -> None:
            if not _delicate(frame):  # else the alarm rings again soon
                raise OutOfTime

        outer_left, _ = signal.getitimer(signal.ITIMER_REAL)
        began = time.monotonic()
        before = signal.signal(signal.SIGALRM, ring)
        first = min(self.left, outer_left) if outer_left else self.left
        signal.setitimer(signal.ITIMER_REAL, max(first, 1e-6), _AGAIN)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            signal.signal(signal.SIGALRM, before)
            if outer_left:
                rest = outer_left - (time.monotonic() - began)
                signal.setitimer(signal.ITIMER_REAL, max(rest, 1e-6), _AGAIN)


def _delicate(frame: FrameType | None) -> bool:
    """Whether a module is being imported or compiled: half of one would stay behind."""
    while frame is not None:
        name = frame.f_code.co_filename
        if "importlib._bootstrap" in name or "/numba/" in name or "/llvmlite/" in name:
            return True
        frame = frame.f_back
    return False
