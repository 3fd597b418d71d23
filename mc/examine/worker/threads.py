"""Threads: which a fork does not have, and whether a process waits for ever.

A forked process has the one thread that forked it. Code that waits for another one waits for ever there, and some
libraries end such a process.

>>> str(threads_lost(Threads(("Pool_0",), 2), "Mine", "waits for ever")).partition("; ")[0]
'threads ran in this process before (Pool_0, 2 of libraries), and the forked one in which Mine waits for ever lacks them'
"""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import NamedTuple

#: The number of the system call by which a thread waits for another, by processor; it waits by these operations, for
#: its own process alone where the flag is set.
_FUTEX, _WAITS, _PRIVATE = {"x86_64": "202", "aarch64": "98"}, (0, 9), 0x80
#: How many threads a sentence names, and how the sentence begins.
_NAMED, LOST = 3, "threads ran in this process before"


class Threads(NamedTuple):
    """Threads by the names that Python gave them, and the number of those that a library started by itself."""

    names: tuple[str, ...]
    of_libraries: int

    def __bool__(self) -> bool:
        return self.names != () or self.of_libraries > 0


class ThreadsLost(RuntimeError):
    """The code could not be run in a forked process, which lacks the threads that ran before; it is no fault of it."""


def threads_lost(lost: Threads, whose: str, how: str) -> ThreadsLost:
    """The exception, in a sentence on whose code did what in a process that lacks these threads."""
    more = len(lost.names) - _NAMED
    names = [*lost.names[:_NAMED], *([f"{more} more"] if more > 0 else [])]
    names += [f"{lost.of_libraries} of libraries"] if lost.of_libraries else []
    return ThreadsLost(
        f"{LOST} ({', '.join(names)}), and the forked one in which {whose} {how} lacks them; examine it before its first "
        "use, or by `filterproof verify FILE.py::MyFilter`, and let it start its threads when it is first asked"
    )


def threads_besides(own: threading.Thread | None) -> Threads:
    """The threads of this process besides the one that asks and `own`.

    A library's threads have their process's name; what has another, as the messages of a notebook, serves no filter.
    """
    here, known = threading.get_native_id(), threading.enumerate()
    names = tuple(one.name for one in known if one is not own and one is not threading.current_thread())
    tasks, counted = Path("/proc/self/task"), {here, os.getpid(), *(one.native_id for one in known)}
    try:
        of_libraries = sum(
            int(one.name) not in counted and _read(one, "comm") == _read(tasks / str(os.getpid()), "comm")
            for one in tasks.iterdir()
        )
    except OSError:  # a system that does not say
        of_libraries = 0
    return Threads(names, of_libraries)


def waits_for_ever(process: int, watching: int) -> object:
    """What all threads but `watching` of a process wait for, for each other alone and with no end; else None.

    Two equal answers in turn say that none ran in between, and so that none ever will.
    """
    found = []
    try:
        for task in Path(f"/proc/{process}/task").iterdir():
            call = _read(task, "syscall").split()
            if call[0] in ("running", "-1"):
                return None
            if task.name == str(watching):
                continue
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
