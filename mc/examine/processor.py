"""A clock of processor seconds, by which as much is tried on a machine that is busy with other things.

A fork goes on from its parent's time, and its time is its parent's once it has ended. Sleep takes none.

>>> with processor_seconds():
...     Clock.of(1.0).over
False
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from mc.examine.clock import Clock

__all__ = ["processor_seconds", "worked"]


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


worked = _Worked()


@contextmanager
def processor_seconds() -> Iterator[None]:
    """Clocks that are made, and looked at, inside run by processor seconds, here and in what is forked.

    For code that is ours: what waits or sleeps is not ended.
    """
    before = Clock.__dict__["now"]
    Clock.now = staticmethod(worked)  # type: ignore[method-assign]
    try:
        yield
    finally:
        Clock.now = before  # type: ignore[method-assign]
