"""A deadline that ends an examination early. Results do not depend on it in any other way."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Self

from filterproof.theory.argument_checks import check_positive


class OutOfTime(BaseException):
    """The user's time limit has passed."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """The time at which a task has to end, by default never."""

    until: float = math.inf

    @classmethod
    def of(cls, seconds: float | None) -> Self:
        """Return the deadline this many seconds from now, or no deadline for None."""
        return cls() if seconds is None else cls(time.monotonic() + float(check_positive("seconds", seconds)))

    @property
    def expired(self) -> bool:
        """Whether the deadline has passed."""
        return time.monotonic() >= self.until


#: No deadline.
NO_DEADLINE = Deadline()
