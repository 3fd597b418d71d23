"""A clock of processor seconds, by which as much is tried on a machine that is busy with other things.

A fork goes on from its parent's time, and its time is its parent's once it has ended. Sleep takes none.
"""

from __future__ import annotations

import os
import resource
import time

__all__ = ["worked"]


class _Worked:
    """Processor seconds of this process, of its parents until they forked, and of its children that have ended."""

    def __init__(self) -> None:
        self.before = self.at_fork = 0.0
        os.register_at_fork(before=self._fork, after_in_child=self._forked)

    def __call__(self) -> float:
        return self.before + self._own()

    @staticmethod
    def _own() -> float:
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        return time.process_time() + ended.ru_utime + ended.ru_stime

    def _fork(self) -> None:
        self.at_fork = self()

    def _forked(self) -> None:
        self.before = self.at_fork - self._own()


worked = _Worked()
