"""Threads: which a fork does not have, and whether a process waits for ever.

A forked process has the one thread that forked it. Code that waits for another one waits for ever there, and some
libraries end such a process.

>>> print(str(threads_lost(("Pool_0",), "Mine", "waits for ever")).partition(";")[0])
threads ran in this process before (Pool_0), and a forked process does not have them: in it Mine waits for ever
"""

from __future__ import annotations

import os
import threading
from pathlib import Path

#: The number of the system call by which a thread waits for another, by processor; it waits by these operations, for
#: its own process alone where the flag is set.
_FUTEX, _WAITS, _PRIVATE = {"x86_64": "202", "aarch64": "98"}, (0, 9), 0x80
#: How many threads a sentence names, and how the sentence begins.
_NAMED, LOST = 3, "threads ran in this process before"


class ThreadsLost(RuntimeError):  # noqa: N818 - what happened, and no error of the code
    """The code could not be run in a forked process, which lacks the threads that ran before; it is no fault of it."""


def threads_lost(lost: tuple[str, ...], whose: str, how: str, *, nested: bool = False) -> ThreadsLost:
    """The exception, in a sentence on whose code did what in a process that lacks these threads.

    In a worker, where nobody has used the code before, the code started them when it was loaded.
    """
    advice = "let it start its threads when it is first asked, and not before"
    if not nested:
        advice = "examine it before its first use, or by `filterproof verify FILE.py::MyFilter`"
    return ThreadsLost(
        f"{LOST} ({', '.join(lost)}), and a forked process does not have them: in it {whose} {how}; {advice}"
    )


def threads_besides() -> tuple[str, ...]:
    """The threads of this process that a filter may need: none that shows progress, nor the one that asks."""
    others = [one for one in threading.enumerate() if one is not threading.current_thread()]
    names = [one.name[:80] for one in others if not type(one).__module__.startswith("rich.")]
    try:
        unknown = len(os.listdir("/proc/self/task")) - threading.active_count()
    except OSError:  # a system that does not say
        unknown = 0
    more = [f"{len(names) - _NAMED} more"] if len(names) > _NAMED else []
    return (*names[:_NAMED], *more, *([f"{unknown} of libraries"] if unknown > 0 else []))


def waits_for_ever(process: int) -> object:
    """What all threads of a process wait for, for each other alone and with no end; else None.

    Two equal answers in turn say that none ran in between, and so that none ever will.
    """
    found = []
    try:
        for task in Path(f"/proc/{process}/task").iterdir():
            call = _read(task, "syscall").split()
            if call[0] in ("running", "-1"):
                return None
            operation = int(call[2], 16)
            if call[0] != _FUTEX.get(os.uname().machine) or call[4] != "0x0":
                return None
            if operation & 0x7F not in _WAITS or not operation & _PRIVATE:
                return None
            found.append((task.name, call, _read(task, "status").rpartition("\nvoluntary")[2]))
    except (OSError, IndexError):  # it has ended, or the system does not say
        return None
    return found


def _read(task: Path, what: str) -> str:
    return (task / what).read_text(encoding="utf-8")
