"""The child process of a worker: its task, its global state, and the format of its messages.

>>> load_message(dump_message(("item", 42), None), None)
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
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from types import FrameType
from typing import Any

from filterproof.filters.adapters.labelled_filter import program_of
from filterproof.filters.contract.work import OutOfWork, WorkLimit, current_meter, stopping_at
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.examine.filter_fault import filter_faults_raised

#: The exit status of a child that could not send its answer.
EXIT_CUT = 70
#: The Linux system call that ends a process together with its parent.
_END_WITH_PARENT = 1


@dataclass(frozen=True, slots=True)
class WorkerTask:
    work: Callable[[], Iterable[Any]]
    whose: str
    filter: PrivacyFilter | None
    limit: WorkLimit | None
    command: bool
    nested: bool
    pauses: tuple[int, ...] = ()


class WorkerState:
    """The global state of a worker. Outside of workers it has these defaults."""

    here = command = False
    lost: tuple[str, ...] = ()
    summary: Callable[[], object] | None = None


def so_far(summary: Callable[[], object]) -> None:
    """Register a summary of the findings. It is sent last if the work limit is reached."""
    WorkerState.summary = summary


def serve_task(task: WorkerTask, pipe: Connection) -> None:
    gc.freeze()  # a full garbage collection would copy all inherited pages
    _prepare_process(task)

    def send(*message: object) -> None:
        body = dump_message(message, task.filter)
        try:
            pipe.send_bytes(body)
        except OSError:
            os._exit(EXIT_CUT)

    def proceed() -> bytes:
        try:
            return pipe.recv_bytes()
        except (EOFError, OSError):  # no process waits for the answer
            os._exit(EXIT_CUT)

    WorkerState.lost = load_message(proceed(), None)
    last: tuple[object, ...] = ("end",)

    def pause() -> None:
        send("paused", summed_up())
        proceed()

    meter = current_meter()
    meter.pauses, meter.pause = task.pauses, pause
    try:
        with ExitStack() as stack:
            if task.filter is not None:
                stack.enter_context(filter_faults_raised(task.filter))
                if (program := program_of(task.filter)) is not None and not task.command:
                    program.asks_program.start_program()
            stack.enter_context(stopping_at(task.limit))
            for found in task.work():
                send("item", found)
                proceed()  # so that two processes never count work at the same time
    except OutOfWork:
        last = ("spent", summed_up())
    except BaseException as error:  # noqa: BLE001 - what it means is decided by the one who waits
        last = _error_message(error, task.filter)
    if task.command:
        atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):
            stream.flush()
    send(*last)
    os._exit(0)  # no exit handlers of the parent may run in the child


def summed_up() -> object:
    """Return the summary of the findings, or None."""
    with suppress(Exception, OutOfWork):
        return None if WorkerState.summary is None else WorkerState.summary()
    return None


def _prepare_process(task: WorkerTask) -> None:
    """Make this process end alone or with its parent, and first when memory runs out."""
    if not task.nested:
        os.setpgid(0, 0)
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(_END_WITH_PARENT, signal.SIGKILL)
    WorkerState.here, WorkerState.command, WorkerState.summary = True, task.command, None
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


def _error_message(error: BaseException, filt: PrivacyFilter | None) -> tuple[object, ...]:
    message = " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(":")
    trace = "".join(traceback.format_exception(error))
    try:
        body = dump_message(error, filt)
    except Exception:  # noqa: BLE001 - then its words have to do
        body = None
    return "raised", body, message, trace


# -- messages ------------------------------------------------------------------------------------------


def dump_message(held: object, filt: PrivacyFilter | None) -> bytes:
    """Return the bytes of a message. The filter itself, and classes that cannot be imported, are sent by reference."""
    file = io.BytesIO()
    _Pickler(file, filt).dump(held)
    return file.getvalue()


def load_message(body: bytes, filt: PrivacyFilter | None) -> Any:
    """Return the message of these bytes, which come from a worker of this process: unpickling runs code."""
    return _Unpickler(body, filt).load()


class _Pickler(pickle.Pickler):
    """Sends objects that the parent already had by address, and classes by name."""

    def __init__(self, file: io.BytesIO, filt: PrivacyFilter | None) -> None:
        super().__init__(file)
        self.filter = filt

    def persistent_id(self, held: Any) -> tuple[int, str] | None:
        if held is self.filter and held is not None:
            return id(held), ""
        if isinstance(held, type) and not _is_importable(held):
            return id(held), held.__qualname__
        return None


class _Unpickler(pickle.Unpickler):
    def __init__(self, body: bytes, filt: PrivacyFilter | None) -> None:
        super().__init__(io.BytesIO(body))
        self.filter = filt

    def persistent_load(self, told: Any) -> Any:
        if told == (id(self.filter), ""):
            return self.filter
        for kind in _dynamic_classes(object):
            if told == (id(kind), kind.__qualname__):
                return kind
        raise pickle.UnpicklingError(f"{told[1]} was made after the examination began")


def _dynamic_classes(kind: type) -> Iterator[type]:
    yield kind
    below: list[type] = type.__subclasses__(kind)
    for one in below:
        yield from _dynamic_classes(one)


def _is_importable(kind: type) -> bool:
    place: Any = sys.modules.get(kind.__module__)
    for name in kind.__qualname__.split("."):
        place = getattr(place, name, None)
    return place is kind
