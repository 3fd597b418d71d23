"""A child: the process of a worker, which its parent can look at, wait for and kill."""

from __future__ import annotations

import os
import signal
import socket
import time
import warnings
from contextlib import suppress

from mc.examine.worker.inside import BREATH, CUT, Inside, Task, serve

__all__ = ["LEAVING", "Child"]

#: Seconds that a child has to end.
LEAVING = 5.0


class Child:
    """A fork, which has all that this process has."""

    def __init__(self, task: Task, here: socket.socket, there: socket.socket) -> None:
        self._code: int | None = None
        self._alone = not task.nested
        with warnings.catch_warnings():
            # of threads: the child runs its own code in one, and leaves without the others
            warnings.simplefilter("ignore", DeprecationWarning)
            Inside.forking = True
            try:
                self.pid = os.fork()
            finally:
                Inside.forking = False
        if not self.pid:
            try:
                here.close()
                serve(task, there)
            finally:
                os._exit(CUT)
        Inside.children.add(self.pid)
        if self._alone:
            with suppress(OSError):
                os.setpgid(self.pid, self.pid)  # the child does it too: whoever comes first

    def exit_code(self) -> int | None:
        """The status, minus the signal that ended it, None while it runs."""
        if self._code is None:
            try:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:  # somebody else waited for it
                pid, status = self.pid, 0
            if pid:
                self._code = os.waitstatus_to_exitcode(status)
        return self._code

    def join(self, seconds: float) -> int | None:
        """The status once it has ended, None if it has not after so many seconds."""
        until, pause = time.monotonic() + seconds, 1e-4
        while self.exit_code() is None and time.monotonic() < until:
            time.sleep(pause)
            pause = min(2 * pause, BREATH)
        return self._code

    def end(self) -> None:
        """Kill it, and all that it started and that is left."""
        if self._alone:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
        if self._code is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
        self.join(LEAVING)
