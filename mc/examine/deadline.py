"""A deadline that ends an examination early. Until then nothing depends on it."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Self

from filterproof.theory.argument_checks import check_positive


class OutOfTime(BaseException):
    """The time limit that a person gave is over."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """The moment at which whatever runs is ended; never, by default."""

    until: float = math.inf

    @classmethod
    def of(cls, seconds: float | None) -> Self:
        """The deadline so many seconds from now; never for None."""
        return cls() if seconds is None else cls(time.monotonic() + float(check_positive("seconds", seconds)))

    @property
    def expired(self) -> bool:
        """Whether the time is up."""
        return time.monotonic() >= self.until


#: The deadline of what no time limit ends.
NEVER = Deadline()
