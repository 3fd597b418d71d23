"""Detects processes that wait for ever, and threads that a fork loses.

A forked process has only the thread that forked it. Code that waits for another thread waits there for ever, and some
libraries end such a process.

>>> print(str(threads_lost_error(("Pool_0",), "Mine", "waits for ever")).partition(";")[0])
threads ran in this process before (Pool_0), and a forked process does not have them: in it Mine waits for ever
"""

from __future__ import annotations

import os
import threading
from pathlib import Path

#: The number of the system call by which a thread waits for another, by processor; its waiting operations; and the
#: flag for waits inside one process.
_FUTEX, _WAITS, _PRIVATE = {"x86_64": "202", "aarch64": "98"}, (0, 9), 0x80
#: The most threads that a message names, and how the message begins.
_NAMED, LOST = 3, "threads ran in this process before"


class ThreadsLost(RuntimeError):  # noqa: N818 - what happened, and no error of the code
    """The code cannot run in a forked process, which lacks the threads that ran before. It is no fault of the code."""


def threads_lost_error(lost: tuple[str, ...], whose: str, how: str, *, nested: bool = False) -> ThreadsLost:
    """Return the exception for code that needs threads that a fork lost.

    In a worker, where nobody has used the code before, the code started them when it was loaded.
    """
    advice = "start threads at the first request and not when the file is loaded"
    if not nested:
        advice = "examine it before its first use, or by `filterproof verify FILE.py::MyFilter`"
    return ThreadsLost(
        f"{LOST} ({', '.join(lost)}), and a forked process does not have them: in it {whose} {how}; {advice}"
    )


def other_thread_names() -> tuple[str, ...]:
    """Return the names of threads that a filter may need: all except this one and those of progress bars."""
    others = [thread for thread in threading.enumerate() if thread is not threading.current_thread()]
    names = [thread.name[:80] for thread in others if not type(thread).__module__.startswith("rich.")]
    try:
        unknown = len(os.listdir("/proc/self/task")) - threading.active_count()
    except OSError:  # the system does not report it
        unknown = 0
    more = [f"{len(names) - _NAMED} more"] if len(names) > _NAMED else []
    return (*names[:_NAMED], *more, *([f"{unknown} of libraries"] if unknown > 0 else []))


def blocked_threads_or_none(process: int) -> object:
    """Return the wait of each thread of a process if all wait without a time limit, else None.

    Two equal results in turn show that none ran in between, so that none ever will.
    """
    waits = []
    try:
        for task in Path(f"/proc/{process}/task").iterdir():
            call = _read_task_file(task, "syscall").split()
            if call[0] in ("running", "-1"):
                return None
            operation = int(call[2], 16)
            if call[0] != _FUTEX.get(os.uname().machine) or call[4] != "0x0":
                return None
            if operation & 0x7F not in _WAITS or not operation & _PRIVATE:
                return None
            waits.append((task.name, call, _read_task_file(task, "status").rpartition("\nvoluntary")[2]))
    except (OSError, IndexError):  # it has ended, or the system does not report it
        return None
    return waits


def _read_task_file(task: Path, what: str) -> str:
    return (task / what).read_text(encoding="utf-8")
