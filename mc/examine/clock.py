"""A clock shares a time limit among tasks, and interrupts a task that does not end: a filter may loop for ever.

>>> clock = Clock.of(60.0)
>>> clock.over, 59.0 < clock.left <= 60.0, clock.part(0.5).left <= 30.0
(False, True, True)
"""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any, Self

from theory.arguments import check_positive

__all__ = ["Clock", "OutOfTime"]

#: Seconds after which the alarm rings again, should a filter's own `except BaseException` have swallowed it.
_AGAIN = 0.5
#: So many rings may be swallowed; from then on the next line that runs raises, be it the one that caught the ring.
_PATIENCE = 2


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
        """Raise OutOfTime in the block, or before it, when the time is up.

        Clocks may be nested, and the first to run out rings. Only the main thread of a system with interval timers
        can be interrupted; elsewhere the block ends by itself.
        """
        if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
            yield
            return

        if self.over:
            raise OutOfTime
        # the frame of the block itself, below contextlib's: by number, since a reference would keep it
        block, rings, live = id(sys._getframe(2)), 0, True

        def ring(number: int, frame: FrameType | None) -> None:
            nonlocal rings
            if not live or _delicate(frame, block):  # a delicate one hears the next ring
                return
            rings += 1
            if rings > _PATIENCE:
                sys.settrace(at_next_line)
                while frame is not None:
                    frame.f_trace = at_next_line
                    frame = None if id(frame) == block else frame.f_back
            raise OutOfTime

        def at_next_line(frame: FrameType, event: str, told: object) -> Any:
            if live and event == "line" and not _delicate(frame, block):
                raise OutOfTime
            return at_next_line

        traced = sys.gettrace()
        outer_left, outer_again = signal.getitimer(signal.ITIMER_REAL)
        began = time.monotonic()
        before = signal.signal(signal.SIGALRM, ring)
        first = min(self.left, outer_left) if outer_left else self.left
        try:
            try:  # the alarm may ring as soon as it is set
                signal.setitimer(signal.ITIMER_REAL, max(first, 1e-4), _AGAIN)
                yield
            except Exception as error:
                if rings:  # a library may put another exception in the place of the one that rang
                    raise OutOfTime from error
                raise
            finally:
                live = False  # what is put back below is put back as a whole
        finally:
            if rings > _PATIENCE:
                sys.settrace(traced)
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            signal.signal(signal.SIGALRM, signal.SIG_DFL if before is None else before)
            if outer_left:
                rest = outer_left - (time.monotonic() - began)
                signal.setitimer(signal.ITIMER_REAL, max(rest, 1e-6), outer_again)


def _delicate(frame: FrameType | None, block: int) -> bool:
    """Whether a module is being imported or compiled within the block, or a block is being left.

    Half a module would stay behind, or an alarm.
    """
    if frame is not None and frame.f_code.co_filename in (contextlib.__file__, __file__):
        return True
    while frame is not None:
        name = frame.f_code.co_filename
        if "importlib._bootstrap" in name or "/numba/" in name or "/llvmlite/" in name:
            return True
        frame = None if id(frame) == block else frame.f_back
    return False
