"""Starts a worker and reads its answers while it watches the deadline, the child and Ctrl-C."""

from __future__ import annotations

import os
import signal
import sys
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from multiprocessing import Pipe
from typing import Any, NoReturn, TypeVar, cast

from filterproof.filters.contract.work import OutOfWork, WorkLimit, count_work, current_meter, stopping_at
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.examine.deadline import NO_DEADLINE, Deadline, OutOfTime
from filterproof.mc.examine.filter_fault import FilterFault, filter_faults_raised
from filterproof.mc.examine.formatting import user_code_name
from filterproof.mc.examine.worker.child import (
    EXIT_CUT,
    WorkerState,
    WorkerTask,
    load_message,
    serve_task,
    unreadable,
)

T = TypeVar("T")

#: The default work limit of a worker.
FORK_UNITS = 400
#: Seconds between two checks of a child, and the time that it has to end.
_POLL_SECONDS, _EXIT_SECONDS = 0.05, 5.0


@dataclass(frozen=True, slots=True)
class WorkerPaused:
    """The worker waits; `summary` is the summary of its findings, or None."""

    summary: Any


def run_isolated(work: Callable[[], T], **how: Any) -> T:
    """Return the result of `work`, run in a worker. The keywords are those of `iter_isolated`."""
    result: T
    (result,) = iter_isolated(lambda: (each() for each in (work,)), **how)
    return result


def iter_isolated(
    work: Callable[[], Iterable[Any]],
    *,
    filt: PrivacyFilter | None = None,
    whose: str = "",
    limit: WorkLimit | None = None,
    deadline: Deadline = NO_DEADLINE,
    command: bool = False,
    pauses: tuple[int, ...] = (),
) -> Generator[Any, None, None]:
    """Run `work` in a worker and yield the items of its iterable as they come. The worker ends with the iterator.

    `whose` names the owner of the code in messages, by default the class of `filt`. Exceptions of the filter's own
    code are raised as FilterFaults, others as they are, with their traceback as text. A `command` prints; the first
    Ctrl-C is passed on to it and the second kills it. At each count in `pauses` the worker waits, and `WorkerPaused` is
    yielded, until the next item is requested.

    Raises OutOfWork beyond `limit`, after the summary; OutOfTime at the deadline, where the worker is killed;
    FilterFault if the code ends its process; NotImplementedError on systems without fork.
    """
    if not hasattr(os, "fork"):
        raise NotImplementedError(
            f"os.fork must exist to run other people's code, got {sys.platform}; use Linux"
        )
    count_work(FORK_UNITS)
    task = WorkerTask(work, whose or user_code_name(filt), filt, limit, command, WorkerState.here, pauses)
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):
            stream.flush()  # otherwise both processes would write the buffered output
    with closing(_ChildProcess(task, deadline)) as child:
        yield from child.answers()


def iter_within_limit(answers: Iterator[T], filt: PrivacyFilter, limit: WorkLimit) -> Iterator[T]:
    """Yield from `answers` in this process under a work limit of its own, without pauses.

    Raises OutOfWork beyond the limit, and FilterFault if the filter's own code raises.
    """
    meter, end = current_meter(), object()
    while True:
        pauses, meter.pauses = meter.pauses, ()
        try:
            with filter_faults_raised(filt), stopping_at(limit):
                answer = next(answers, end)
        finally:
            meter.pauses = pauses
        if answer is end:
            return
        yield cast(T, answer)


class _ChildProcess:
    """A fork of this process: its answers, while it, the deadline and Ctrl-C are watched."""

    def __init__(self, task: WorkerTask, deadline: Deadline) -> None:
        self.task, self.deadline, self.pressed = task, deadline, False
        self.arrived: list[bytes] = []
        self.code: int | None = None
        self.pipe, other_end = Pipe()
        with other_end, warnings.catch_warnings():
            # a warning about threads: the child leaves without them
            warnings.simplefilter("ignore", DeprecationWarning)
            try:
                self.pid = os.fork()
            except BaseException:
                self.pipe.close()
                raise
            if not self.pid:
                try:
                    self.pipe.close()
                    serve_task(task, other_end)
                finally:
                    os._exit(EXIT_CUT)
        if not task.nested:
            with suppress(OSError):
                os.setpgid(self.pid, self.pid)  # the child does it too: whoever comes first

    def answers(self) -> Iterator[Any]:
        while True:
            try:
                kind, *contents = self._load_body(self._receive_body())
            except KeyboardInterrupt:
                if self.pressed or not self.task.command:
                    raise
                self.pressed = True
                with suppress(ProcessLookupError):
                    os.kill(self.pid, signal.SIGINT)
                continue
            match kind:
                case "item":
                    yield contents[0]
                    self._go_on()
                case "paused":
                    yield WorkerPaused(contents[0])
                    self._go_on()
                case "spent":
                    if contents[0] is not None:
                        yield contents[0]
                    raise OutOfWork
                case "raised":
                    self._raise_worker_error(*contents)
                case _:
                    self._status_in_time()
                    return

    def close(self) -> None:
        """Kill the child and every process that it started."""
        if not self.task.nested:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
        if self.code is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
        self._status_in_time()
        self.pipe.close()

    def _go_on(self) -> None:
        with suppress(OSError):
            self.pipe.send_bytes(b".")

    def _receive_body(self) -> bytes:
        """Return the body of the next message."""
        has_ended = False
        while True:
            if self.deadline.expired:  # also where answers come all the time
                raise OutOfTime
            if self.arrived:
                return self.arrived.pop()
            try:
                if self.pipe.poll(0 if has_ended else _POLL_SECONDS):
                    self._receive_message()
                    continue
            except (EOFError, OSError):
                has_ended = True
            if has_ended:
                raise self._vanished_error()
            has_ended = self._exit_status() is not None

    def _receive_message(self) -> None:
        """Take a message whole: Ctrl-C waits for its end."""
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self.arrived.append(self.pipe.recv_bytes())
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def _exit_status(self) -> int | None:
        """The status, minus the signal that ended it, None while it runs."""
        if self.code is None:
            try:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:  # somebody else waited for it
                pid, status = self.pid, 0
            if pid:
                self.code = os.waitstatus_to_exitcode(status)
        return self.code

    def _status_in_time(self) -> int | None:
        """The status once it has ended, None if it has not in time."""
        until, pause = time.monotonic() + _EXIT_SECONDS, 1e-4
        while self._exit_status() is None and time.monotonic() < until:
            time.sleep(pause)
            pause = min(2 * pause, _POLL_SECONDS)
        return self.code

    def _vanished_error(self) -> FilterFault:
        """Return the exception for a child that ended without a last message."""
        code = self._status_in_time()
        how = f"ended with status {code}"
        if code is None or code == EXIT_CUT:
            how = "could not send what it found"
        elif code < 0:
            named = -code in list(signal.Signals)
            how = f"ended by {signal.Signals(-code).name if named else f'signal {-code}'}"
        return FilterFault(
            f"the process that examined {self.task.whose} {how} before a verdict; no verdict was reached: "
            "a filter's code must not end the process, exhaust the memory, or need threads that ran before"
        )

    def _load_body(self, body: bytes) -> Any:
        try:
            return load_message(body, self.task.filter)
        except Exception as error:
            raise unreadable(self.task.whose, error) from error

    def _raise_worker_error(self, body: bytes | None, message: str, trace: str) -> NoReturn:
        if self.pressed and message.startswith("KeyboardInterrupt"):
            raise KeyboardInterrupt
        error: BaseException | None = None
        if body is not None:
            with suppress(FilterFault):
                error = self._load_body(body)
        if not isinstance(error, Exception):  # SystemExit of the code must not end this process
            error = FilterFault(f"the code of {self.task.whose} raised {message}")
        raise error from RuntimeError(f"in a worker:\n{trace}")
