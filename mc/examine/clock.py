"""A clock shares a time limit among tasks, each of which looks at it; what does not look is ended by `worker`.

>>> clock = Clock.of(60.0)
>>> clock.over, 59.0 < clock.left <= 60.0, 29.0 < clock.part(0.5).left <= 30.0
(False, True, True)
>>> late = Clock(Clock.now() - 1.0)
>>> late.over, late.left, late.part(0.5).left, 4.0 < clock.at_most(5.0).left <= 5.0, clock.at_most(5e3) == clock
(True, 0.0, 0.0, True, True)
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Self

from theory.arguments import check_positive

__all__ = ["Clock", "OutOfTime"]


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
