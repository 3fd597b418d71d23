"""The child process of a worker: its task, its global state, and the format of its messages.

>>> load_message(dump_message(("item", 42)))
('item', 42)
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import io
import os
import pickle
import signal
import sys
import traceback
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from types import FrameType
from typing import Any

from filterproof.filters.adapters.labelled_filter import bridged_filter_of
from filterproof.filters.contract.work import OutOfWork, WorkLimit, current_meter, stopping_at
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.examine.filter_fault import FilterFault, filter_faults_raised

#: The exit status of a child that could not send its answer.
EXIT_CUT = 70
#: The Linux system call that ends a process together with its parent.
_END_WITH_PARENT = 1


@dataclass(frozen=True, slots=True)
class WorkerTask:
    """The work of a worker, its filter and limit, and the work units at which it pauses."""

    work: Callable[[], Iterable[Any]]
    whose: str
    filter: PrivacyFilter | None
    limit: WorkLimit | None
    command: bool
    nested: bool
    pauses: tuple[int, ...]


class WorkerState:
    """The global state of a worker. Outside of workers it has these defaults."""

    here = False
    summary: Callable[[], object] | None = None


def register_summary(summary: Callable[[], object]) -> None:
    """Register a summary of the findings. It is sent last if the work limit is reached."""
    WorkerState.summary = summary


def serve_task(task: WorkerTask, pipe: Connection) -> None:
    """Run the task in the child, send each item through the pipe, and end the process."""
    gc.freeze()  # a full garbage collection would copy all inherited pages
    _prepare_process(task)

    def send(*message: object) -> None:
        try:
            body = dump_message(message, task.filter)
        except Exception as error:
            raise unreadable(task.whose, error) from error
        try:
            pipe.send_bytes(body)
        except OSError:
            os._exit(EXIT_CUT)

    def wait_for_parent() -> None:
        try:
            pipe.recv_bytes()
        except (EOFError, OSError):  # no process waits for the answer
            os._exit(EXIT_CUT)

    last: tuple[object, ...] = ("end",)

    def pause() -> None:
        send("paused", summary_or_none())
        wait_for_parent()

    meter = current_meter()
    meter.pauses, meter.pause = task.pauses, pause
    try:
        with ExitStack() as stack:
            if task.filter is not None:
                stack.enter_context(filter_faults_raised(task.filter))
                if (program := bridged_filter_of(task.filter)) is not None and not task.command:
                    program.asks_program.start_program()
            stack.enter_context(stopping_at(task.limit))
            for item in task.work():
                send("item", item)
                wait_for_parent()  # so that two processes never count work at the same time
    except OutOfWork:
        last = ("spent", summary_or_none())
    except BaseException as error:  # noqa: BLE001 - what it means is decided by the one who waits
        last = _error_message(error, task.filter)
    if task.command:
        atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):
            stream.flush()
    send(*last)
    os._exit(0)  # no exit handlers of the parent may run in the child


def summary_or_none() -> object:
    """Return the registered summary of the findings, or None."""
    with suppress(Exception, OutOfWork):
        return None if WorkerState.summary is None else WorkerState.summary()
    return None


def _prepare_process(task: WorkerTask) -> None:
    """Make this process end alone or with its parent, and first when memory runs out."""
    if not task.nested:
        os.setpgid(0, 0)
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(_END_WITH_PARENT, signal.SIGKILL)
    WorkerState.here, WorkerState.summary = True, None
    for number, handler in (
        (signal.SIGINT, _on_interrupt if task.command else signal.default_int_handler),
        (signal.SIGTERM, signal.SIG_DFL),
    ):
        signal.signal(number, handler)
    if not task.command:
        with suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
            file.write("1000")


def _on_interrupt(number: int, frame: FrameType | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # once is enough
    raise KeyboardInterrupt


def _error_message(error: BaseException, filt: object) -> tuple[object, ...]:
    """Return the message that reports an exception to the parent."""
    message = " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(":")
    trace = "".join(traceback.format_exception(error))
    try:
        body = dump_message(error, filt)
    except Exception:  # noqa: BLE001 - then its words have to do
        body = None
    return "raised", body, message, trace


# -- messages ------------------------------------------------------------------------------------------


class _MessagePickler(pickle.Pickler):
    """Writes a message. The filter itself, which both processes have from before the fork, is named."""

    def __init__(self, file: io.BytesIO, filt: object) -> None:
        super().__init__(file)
        self._filt = filt

    def persistent_id(self, part: object) -> bool | None:
        return True if part is self._filt and part is not None else None


class _MessageUnpickler(pickle.Unpickler):
    """Reads a message, and puts the filter of this process where it is named."""

    def __init__(self, file: io.BytesIO, filt: object) -> None:
        super().__init__(file)
        self._filt = filt

    def persistent_load(self, pid: object) -> object:
        return self._filt


def dump_message(message: object, filt: object = None) -> bytes:
    """Return the bytes of a message, in which the filter is named."""
    file = io.BytesIO()
    _MessagePickler(file, filt).dump(message)
    return file.getvalue()


def load_message(body: bytes, filt: object = None) -> Any:
    """Return the message of these bytes, which come from a worker of this process: unpickling runs code."""
    return _MessageUnpickler(io.BytesIO(body), filt).load()


def unreadable(whose: str, error: Exception) -> FilterFault:
    """Return the fault of code whose findings cannot be sent or read."""
    return FilterFault(
        f"the findings about {whose} could not be read ({type(error).__name__}: {error}); "
        "define its classes where they can be imported"
    )
