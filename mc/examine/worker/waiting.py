"""Waiting: a worker is started, and its answers are read while the deadline, the child and Ctrl-C are watched."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import sys
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from multiprocessing.connection import wait
from typing import Any, NoReturn, TypeVar

from filters.contract.work import OutOfWork, WorkLimit
from filters.privacy_filter import PrivacyFilter
from mc.examine.deadline import Deadline, OutOfTime
from mc.examine.filter_fault import FilterFault
from mc.examine.worker.inside import BREATH, CUT, LENGTH, Inside, Task, loaded, serve

T = TypeVar("T")

#: Bytes of the secret; seconds that a child has to end.
_SECRET, _LEAVING = 16, 5.0


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
    deadline: Deadline = Deadline(),
    command: bool = False,
    starts: bool = False,
) -> Generator[Any, None, None]:
    """What the iterable that `work` returns yields, each as it comes; run in a worker, which ends with the iterator.

    whose says in sentences whose code runs, by default the class of `filt`, whose own exceptions are raised as
    FilterFaults. Others are raised as they are, with their traceback as text. A `command` prints and starts
    processes of its own, and so does what `starts`; other workers may start none. The first Ctrl-C is passed on to a
    command, and the second kills it.
    Raises OutOfWork beyond `limit`, after the summary so far, and OutOfTime at the deadline, where the worker is killed;
    FilterFault where the code ends its process or writes into our pipe, and NotImplementedError where processes do not
    fork.
    """
    if not hasattr(os, "fork"):
        raise NotImplementedError(
            f"os.fork must exist to run other people's code, got {sys.platform}; use Linux"
        )
    secret = secrets.token_bytes(_SECRET)
    task = Task(work, whose or type(filt).__name__, filt, limit, command, starts, secret, Inside.here)
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):
            stream.flush()  # or both would write what is in the buffer
    with closing(_Child(task, deadline)) as child:
        yield from child.answers()


@contextmanager
def set_aside(work: Callable[[int], T], **how: Any) -> Iterator[Callable[[int], T]]:
    """What asks a worker, begun now, for `work` of a number: what happens here meanwhile does not reach it.

    The keywords are those of `results`.
    """
    read, write = os.pipe()

    def answered() -> Iterator[T | None]:
        os.close(write)
        yield None  # begun
        yield from (work(int(number)) for number in os.fdopen(read))

    with os.fdopen(write, "w", buffering=1) as numbers, closing(results(answered, **how)) as answers:
        next(answers)
        os.close(read)

        def ask(number: int) -> T:
            print(number, file=numbers)
            answer: T = next(answers)
            return answer

        yield ask


def _once(work: Callable[[], T]) -> Iterator[T]:
    yield work()


class _Child:
    """A fork, which has all that this process has: its answers, while it, the deadline and Ctrl-C are watched."""

    def __init__(self, task: Task, deadline: Deadline) -> None:
        self.task, self.deadline, self.buffer, self.pressed = task, deadline, bytearray(), False
        self.code: int | None = None
        self.pipe, other_end = socket.socketpair()
        go_on, self.go_on = os.pipe()
        with other_end, warnings.catch_warnings():
            # of threads: the child runs its own code in one, and leaves without the others
            warnings.simplefilter("ignore", DeprecationWarning)
            Inside.forking = True
            try:
                self.pid = os.fork()
            except BaseException:
                self.pipe.close()
                os.close(go_on)
                os.close(self.go_on)
                raise
            finally:
                Inside.forking = False
            if not self.pid:
                try:
                    self.pipe.close()
                    os.close(self.go_on)
                    serve(task, other_end, go_on)
                finally:
                    os._exit(CUT)
        os.close(go_on)
        Inside.children.add(self.pid)
        if not task.nested:
            with suppress(OSError):
                os.setpgid(self.pid, self.pid)  # the child does it too: whoever comes first

    def answers(self) -> Iterator[Any]:
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
                    with suppress(BrokenPipeError):
                        os.write(self.go_on, b".")
                case "spent":
                    if contents[0] is not None:
                        yield contents[0]
                    raise OutOfWork
                case "raised":
                    self._raise(*contents)
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

    def _message(self) -> bytes:
        """The body of the next message."""
        head = _SECRET + LENGTH
        while True:
            if not self.task.secret.startswith(bytes(self.buffer[:_SECRET])):
                raise FilterFault(
                    f"the code of {self.task.whose} wrote to a file that it had not opened; nothing was decided: "
                    "a filter's code must leave alone what it did not open"
                )
            if len(self.buffer) >= head:
                end = head + int.from_bytes(self.buffer[_SECRET:head], "big")
                if len(self.buffer) >= end:
                    body = bytes(self.buffer[head:end])
                    del self.buffer[:end]
                    return body
            self.buffer += self._more()

    def _more(self) -> bytes:
        has_ended = False
        while True:
            if wait([self.pipe], 0 if has_ended else BREATH):
                try:
                    more = self.pipe.recv(1 << 16)
                except OSError:
                    more = b""
                if more:
                    return more
                has_ended = True
            if has_ended:
                raise FilterFault(self._vanished())
            has_ended = self._ended() is not None
            if not has_ended and self.deadline.expired:
                raise OutOfTime

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

    def _vanished(self) -> str:
        code = self._join()
        how = f"ended with status {code}"
        if code is None or code == CUT:
            how = "closed a file that it had not opened"
        elif code < 0:
            named = -code in list(signal.Signals)
            how = f"ended by {signal.Signals(-code).name if named else f'signal {-code}'}"
        return (
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
