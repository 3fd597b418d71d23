"""Waiting: a worker is started, and its answers are read while the deadline, the child and Ctrl-C are watched."""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import wait
from typing import Any, NoReturn, TypeVar

from filters.contract.work import OutOfWork, WorkLimit, count, stopping_at
from filters.privacy_filter import PrivacyFilter
from mc.examine.deadline import NEVER, Deadline, OutOfTime
from mc.examine.filter_fault import FilterFault, examining
from mc.examine.worker.inside import (
    BEGINS,
    BREATH,
    CUT,
    LENGTH,
    Inside,
    Task,
    dumped,
    loaded,
    serve,
    summed_up,
)
from mc.examine.worker.threads import threads_besides, threads_lost, waits_for_ever

T = TypeVar("T")

#: Units of work of a worker.
_FORK_UNITS = 400
#: Seconds that a child has to end.
_LEAVING = 5.0


@dataclass(frozen=True, slots=True)
class Paused:
    """A worker waits, and its findings so far, None where nothing sums them up."""

    summary: Any


def alone(work: Callable[[], T], **how: Any) -> T:
    """What `work` returns, run in a worker; the keywords are those of `results`."""
    found: T
    (found,) = results(partial(_once, work), **how)
    return found


def results(
    work: Callable[[], Iterable[Any]],
    *,
    filt: PrivacyFilter | None = None,
    whose: str = "",
    limit: WorkLimit | None = None,
    deadline: Deadline = NEVER,
    command: bool = False,
    pauses: tuple[int, ...] = (),
) -> Generator[Any, None, None]:
    """What the iterable that `work` returns yields, each as it comes; run in a worker, which ends with the iterator.

    whose says in sentences whose code runs, by default the class of `filt`, whose own exceptions are raised as
    FilterFaults. Others are raised as they are, with their traceback as text. A `command` prints, and the first Ctrl-C
    is passed on to it; the second kills it. With so many units done as each of `pauses` says the worker waits, and
    `Paused` is yielded, until it is asked for more. A worker whose code has started threads cannot be forked: what it
    asks for is run in its own process.
    Raises OutOfWork beyond `limit`, after the summary so far; OutOfTime at the deadline, where the worker is killed;
    FilterFault where the code ends its process, waits for ever or writes into our pipe; ThreadsLost where it may have
    done so for want of threads that ran here; and NotImplementedError where processes do not fork.
    """
    if not hasattr(os, "fork"):
        raise NotImplementedError(
            f"os.fork must exist to run other people's code, got {sys.platform}; use Linux"
        )
    count(_FORK_UNITS)
    task = Task(work, whose or type(filt).__name__, filt, limit, command, Inside.here, pauses)
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):
            stream.flush()  # or both would write what is in the buffer
    with closing(_Child(task, deadline)) as child:
        if not (child.besides and Inside.here and not Inside.command):
            yield from child.answers()
            return
    yield from _in_this_process(task)


def _once(work: Callable[[], T]) -> Iterator[T]:
    yield work()


def _in_this_process(task: Task) -> Iterator[Any]:
    """As a worker answers."""
    outer, Inside.summary = Inside.summary, None
    answers, end = iter(task.work()), object()
    try:
        while True:
            with nullcontext() if task.filter is None else examining(task.filter), stopping_at(task.limit):
                found = next(answers, end)
            if found is end:
                return
            yield found
    except OutOfWork:
        if (summary := summed_up()) is not None:
            yield summary
        raise
    finally:
        Inside.summary = outer


class _Child:
    """A fork, which has all that this process has: its answers, while it, the deadline and Ctrl-C are watched."""

    def __init__(self, task: Task, deadline: Deadline) -> None:
        self.task, self.deadline, self.buffer, self.pressed = task, deadline, bytearray(), False
        self.code: int | None = None
        self.watching = 0
        self.pipe, other_end = socket.socketpair()
        go_on, self.go_on = os.pipe()
        with other_end, warnings.catch_warnings():
            # of threads: the child runs its own code in one, and leaves without the others
            warnings.simplefilter("ignore", DeprecationWarning)
            try:
                self.pid = os.fork()
            except BaseException:
                self.pipe.close()
                os.close(go_on)
                os.close(self.go_on)
                raise
            if not self.pid:
                try:
                    self.pipe.close()
                    os.close(self.go_on)
                    serve(task, other_end, go_on)
                finally:
                    os._exit(CUT)
        os.close(go_on)
        # only now: libraries that know of forks end their threads before one, and start them again
        self.besides = threads_besides(Inside.watching)
        self.lost = Inside.lost.with_more(self.besides)
        if not task.nested:
            with suppress(OSError):
                os.setpgid(self.pid, self.pid)  # the child does it too: whoever comes first

    def answers(self) -> Iterator[Any]:
        self._go_on(dumped(self.lost, None))
        while True:
            try:
                kind, *contents = self._loaded(self._message())
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
                    yield Paused(contents[0])
                    self._go_on()
                case "spent":
                    if contents[0] is not None:
                        yield contents[0]
                    raise OutOfWork
                case "raised":
                    self._raise(*contents)
                case "begun":
                    (self.watching,) = contents
                case _:
                    self._join()
                    return

    def close(self) -> None:
        """Kill it, and all that it started and that is left."""
        if not self.task.nested:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
        if self.code is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
        self._join()
        self.pipe.close()
        os.close(self.go_on)

    def _go_on(self, words: bytes = b".") -> None:
        with suppress(BrokenPipeError):
            os.write(self.go_on, words)

    def _message(self) -> bytes:
        """The body of the next message."""
        head = len(BEGINS) + LENGTH
        while True:
            if not BEGINS.startswith(bytes(self.buffer[: len(BEGINS)])):
                raise FilterFault(
                    f"the code of {self.task.whose} wrote to a file that it had not opened; nothing was decided: "
                    "a filter's code must leave alone what it did not open"
                )
            if len(self.buffer) >= head:
                end = head + int.from_bytes(self.buffer[len(BEGINS) : head], "big")
                if len(self.buffer) >= end:
                    body = bytes(self.buffer[head:end])
                    del self.buffer[:end]
                    return body
            self.buffer += self._more()

    def _more(self) -> bytes:
        has_ended, before = False, None
        while True:
            if self.deadline.expired:  # also where answers come all the time
                raise OutOfTime
            if wait([self.pipe], 0 if has_ended else BREATH):
                try:
                    more = self.pipe.recv(1 << 16)
                except OSError:
                    more = b""
                if more:
                    return more
                has_ended = True
            if has_ended:
                raise self._vanished()
            has_ended = self._ended() is not None
            waiting = None if self.task.command else waits_for_ever(self.pid, self.watching)
            if waiting is not None and waiting == before:
                raise self._stuck()
            before = waiting

    def _ended(self) -> int | None:
        """The status, minus the signal that ended it, None while it runs."""
        if self.code is None:
            try:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:  # somebody else waited for it
                pid, status = self.pid, 0
            if pid:
                self.code = os.waitstatus_to_exitcode(status)
        return self.code

    def _join(self) -> int | None:
        """The status once it has ended, None if it has not in time."""
        until, pause = time.monotonic() + _LEAVING, 1e-4
        while self._ended() is None and time.monotonic() < until:
            time.sleep(pause)
            pause = min(2 * pause, BREATH)
        return self.code

    def _stuck(self) -> Exception:
        if self.lost:
            return threads_lost(self.lost, self.task.whose, "waits for ever", nested=Inside.here)
        return FilterFault(
            f"the code of {self.task.whose} waits for ever: no thread of its process runs; nothing was decided: "
            "a filter's code must not wait for a lock that it holds, nor for a thread that has ended"
        )

    def _vanished(self) -> Exception:
        code = self._join()
        how = f"ended with status {code}"
        if code is None or code == CUT:
            how = "closed a file that it had not opened"
        elif code < 0:
            named = -code in list(signal.Signals)
            how = f"ended by {signal.Signals(-code).name if named else f'signal {-code}'}"
            # some libraries end a process that lacks their threads
            if -code in (signal.SIGTERM, signal.SIGABRT) and self.lost.of_libraries:
                return threads_lost(self.lost, self.task.whose, how, nested=Inside.here)
        return FilterFault(
            f"the process that examined {self.task.whose} {how} before there was a verdict; nothing was decided: "
            "a filter's code must not end the process, nor use up the memory"
        )

    def _loaded(self, body: bytes) -> Any:
        try:
            return loaded(body, self.task.filter)
        except Exception as error:
            raise FilterFault(
                f"what was found about {self.task.whose} could not be read, {type(error).__name__}: {error}; "
                "define its classes where they can be imported"
            ) from error

    def _raise(self, body: bytes | None, message: str, trace: str) -> NoReturn:
        if self.pressed and message.startswith("KeyboardInterrupt"):
            raise KeyboardInterrupt
        error: BaseException | None = None
        if body is not None:
            with suppress(FilterFault):
                error = self._loaded(body)
        if not isinstance(error, Exception):  # an exit of the code's is none of ours
            error = FilterFault(f"the code of {self.task.whose} raised {message}")
        raise error from _Remote(trace)


class _Remote(Exception):  # noqa: N818 - a traceback, and no error
    """The traceback of a worker's exception, as text."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"
