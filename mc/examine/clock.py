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


#: Parts of the names of files in which no alarm is heard; the garbage collector calls back into the last two.
_DELICATE = (
    *("importlib._bootstrap", "/numba/", "/llvmlite/"),
    *("/_weakrefset.py", "/hypothesis/internal/conjecture/junkdrawer"),
)


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
        began, traced = time.monotonic(), sys.gettrace()
        left, again = signal.getitimer(signal.ITIMER_REAL)
        before = signal.getsignal(signal.SIGALRM)
        others = not _open and left > 0  # somebody else's alarm is set: its time is a limit, too
        limit = _Limit(min(self.until, began + left) if others else self.until, _block())
        try:
            _open.append(limit)
            signal.signal(signal.SIGALRM, _ring)
            _arm()
            yield
        except Exception as error:
            if limit.rings:  # a library may put another exception in the place of the one that rang
                raise OutOfTime from error
            raise
        finally:
            if (
                limit in _open
            ):  # a generator that is closed late finds that the block around it has put all back
                inner = _open[_open.index(limit) :]
                del _open[-len(inner) :]
                if any(one.rings > _PATIENCE for one in inner):
                    sys.settrace(traced)
                if _open:
                    _arm()
                else:
                    signal.setitimer(signal.ITIMER_REAL, 0.0)
                    signal.signal(signal.SIGALRM, signal.SIG_DFL if before is None else before)
                    if others:
                        rest = left - (time.monotonic() - began)
                        signal.setitimer(signal.ITIMER_REAL, max(rest, 1e-6), again)


@dataclass(slots=True, eq=False)
class _Limit:
    """The end of an open block: when, in which frame the block stands, and how often it was rung."""

    until: float
    block: int
    rings: int = 0


#: The limits of the blocks that are open, the outermost first. The main thread's alone.
_open: list[_Limit] = []


def _arm() -> None:
    left = min(limit.until for limit in _open) - time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, max(left, 1e-4), _AGAIN)


def _block() -> int:
    """The frame of the block itself, below contextlib's: by number, since a reference would keep it."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename == contextlib.__file__:
        frame = frame.f_back
    return id(frame)


def _ring(number: int, frame: FrameType | None) -> None:
    limit = _due(frame)
    if limit is None:
        return
    limit.rings += 1
    if limit.rings > _PATIENCE:
        sys.settrace(_at_next_line)
        while frame is not None:
            frame.f_trace = _at_next_line
            frame = None if id(frame) == limit.block else frame.f_back
    raise OutOfTime


def _at_next_line(frame: FrameType, event: str, told: object) -> Any:
    if event == "line" and _due(frame) is not None:
        raise OutOfTime
    return _at_next_line


def _due(frame: FrameType | None) -> _Limit | None:
    """The outermost limit that has passed and whose block runs; None at a delicate moment, which hears the next ring.

    A block does not run while the generator in which it stands is suspended. Delicate is an import or a compilation
    within the block, since half a module would stay behind, the entering and leaving of a block: an alarm would, and
    what the garbage collector calls back, which loses all exceptions.
    """
    if frame is not None and frame.f_code.co_filename == contextlib.__file__:
        return None
    now = time.monotonic()
    passed = {limit.block: limit for limit in reversed(_open) if limit.until <= now}
    found = None
    while frame is not None:
        name = frame.f_code.co_filename
        if name == __file__ or any(part in name for part in _DELICATE):
            break
        found = passed.get(id(frame), found)
        frame = frame.f_back
    return found
