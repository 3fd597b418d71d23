"""A guarded command always ends in an exit status: also after Ctrl-C, an internal error, or an exit by user code.

A user's file is code and is examined in a process of its own. The first process ends with status 0 only after the
examining process has sent, over a pipe, the status that its command ended with. So a file that ends its process
decides nothing. Each message carries a secret drawn for that process, so that a stray write to the pipe is not
mistaken for a message. Code that searches for the secret runs with its user's rights and cannot be stopped here.
"""

from __future__ import annotations

import multiprocessing
import os
import queue
import secrets
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import wraps
from multiprocessing import connection
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from types import FrameType
from typing import Any

import typer
from rich.console import Console

from reports.commands.console import complain
from reports.commands.exit_status import End, ExitStatus

__all__ = ["guarded"]

_READY = b"ready"
#: Bytes of the secret, and most bytes of the word that follows it in a message.
_SECRET, _LONGEST = 16, 8
#: Seconds between two looks at the clock, and seconds that a process may take to end after it has answered.
_BREATH, _LEAVING = 0.1, 5.0


def guarded(
    command: Callable[..., None], limit_of: Callable[[Mapping[str, Any]], float | None] = lambda given: None
) -> Callable[..., None]:
    """The command made to end in an exit status always; with user code or a time limit it runs in a new process.

    limit_of says from the arguments the time limit that holds where none is given.
    """

    @wraps(command)
    def run(**given: Any) -> None:
        limit = given.get("time_limit")
        if limit is not None and not 0 < limit < float("inf"):
            complain(f"time-limit must be a number of seconds > 0, got {limit!r}; pass --time-limit 600, say")
            raise typer.Exit(ExitStatus.UNUSABLE)
        advice = "raise --time-limit, or leave it out"
        if limit is None:
            limit, advice = (
                limit_of(given),
                "a method of the filter may not return; mend it, or pass --time-limit",
            )
        targets = [value for value in given.values() if isinstance(value, str) and "::" in value]
        if targets or limit is not None:
            raise typer.Exit(_in_a_process_of_its_own(command, given, limit, targets, advice))
        raise typer.Exit(_status(command, given))

    return run


def _status(command: Callable[..., None], given: Mapping[str, Any]) -> int:
    """Run the command in this process and return its exit status."""
    try:
        command(**given)
        sys.stdout.flush()
    except End as end:
        return end.status or ExitStatus.INTERNAL  # an End with status 0 would be a bug of ours
    except KeyboardInterrupt:
        complain("interrupted; nothing was decided, and what was not kept in a store is lost")
        return ExitStatus.INTERRUPTED
    except BaseException as error:  # noqa: BLE001 - the last defence: status 1 would read as a verdict
        if isinstance(error, BrokenPipeError) or isinstance(error.__context__, BrokenPipeError):
            # the interpreter flushes the buffer when it exits: without a reader that would raise again
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return ExitStatus.NO_READER
        traceback.print_exc()
        complain(
            f"an error of Filterproof itself, {type(error).__name__}: please report it with the lines above"
        )
        return ExitStatus.INTERNAL
    return ExitStatus.AS_EXPECTED


# -- the process that examines -------------------------------------------------------------------------


def _examine(pipe: Connection, command: Callable[..., None], given: Mapping[str, Any], secret: bytes) -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_leave_after, args=(parent.sentinel,), daemon=True).start()
    signal.signal(signal.SIGINT, _interrupt_once)
    pipe.send_bytes(secret + _READY)
    status = _status(command, given)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # the file closed it, which was reported
            stream.flush()
    with suppress(OSError):  # the file closed the pipe: the first process reports that there was no verdict
        pipe.send_bytes(secret + str(int(status)).encode())


def _interrupt_once(number: int, frame: FrameType | None) -> None:
    # one Ctrl-C sends two signals: from the terminal, which interrupts both processes, and from the first process
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt


def _leave_after(sentinel: int) -> None:
    connection.wait([sentinel])
    os._exit(ExitStatus.INTERRUPTED)


# -- the process that waits ----------------------------------------------------------------------------


def _in_a_process_of_its_own(
    command: Callable[..., None],
    given: Mapping[str, Any],
    limit: float | None,
    targets: list[str],
    advice: str,
) -> int:
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    secret = secrets.token_bytes(_SECRET)
    process = context.Process(target=_examine, args=(there, command, dict(given), secret))
    # Ctrl-C is ignored until `_Watch` handles it; nothing can be lost before
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        process.start()
        there.close()
        return _Watch(process, here, limit, targets, secret, advice).status()
    finally:
        if process.is_alive():
            process.kill()
        process.join()
        signal.signal(signal.SIGINT, before)


class _Watch:
    """Waits for the status of the examining process, while it handles Ctrl-C and the time limit."""

    def __init__(
        self,
        process: BaseProcess,
        pipe: Connection,
        limit: float | None,
        targets: list[str],
        secret: bytes,
        advice: str,
    ) -> None:
        self.process, self.limit, self.targets, self.secret = process, limit, targets, secret
        self.advice = advice
        self.words: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self.ready = self.closed = False
        # reading an incomplete message blocks, so another thread reads and this one can watch the clock
        threading.Thread(target=_listen, args=(pipe, self.words), daemon=True).start()
        self.pressed = self.passed_on = 0

    def status(self) -> int:
        signal.signal(signal.SIGINT, self._press)
        began = time.monotonic()
        while True:
            word = self._word()
            if word == _READY:
                self.ready = True
            elif word in _STATUSES:
                self.process.join(_LEAVING)
                return _STATUSES[word]
            elif word is not None:
                self._end()
                complain(
                    f"the code of {self._whose()} wrote to a file that it had not opened; nothing was decided: "
                    "a filter's file must leave alone what it did not open"
                )
                return ExitStatus.FILTER_FAULT
            elif self.pressed > 1 or (self.pressed and not self.ready):
                self._end()
                complain("interrupted; nothing was decided, and what was not kept in a store is lost")
                return ExitStatus.INTERRUPTED
            elif self.pressed > self.passed_on:
                self.passed_on = self.pressed
                if os.name == "posix" and self.process.pid is not None:
                    os.kill(self.process.pid, signal.SIGINT)
            elif self.process.exitcode is not None and self.closed:
                complain(self._vanished())
                return ExitStatus.FILTER_FAULT
            elif self.limit is not None and time.monotonic() - began > self.limit:
                self._end()
                complain(f"stopped after {self.limit:g} s; nothing was decided: {self.advice}")
                return ExitStatus.TIME_LIMIT

    def _word(self) -> bytes | None:
        """The word received within _BREATH seconds: None if there was none, b"" if it did not carry the secret."""
        if self.closed:
            self.process.join(_BREATH)
            return None
        try:
            said = self.words.get(timeout=_BREATH)
        except queue.Empty:
            return None
        if said is None:
            self.closed = True  # the process is about to end, or user code closed the pipe
            return None
        return said[_SECRET:] if secrets.compare_digest(said[:_SECRET], self.secret) else b""

    def _press(self, number: int, frame: FrameType | None) -> None:
        self.pressed += 1

    def _end(self) -> None:
        self.process.kill()
        self.process.join()
        Console(stderr=True).show_cursor()  # a progress bar may have hidden it

    def _whose(self) -> str:
        return ", ".join(self.targets) or "it"

    def _vanished(self) -> str:
        code = self.process.exitcode or 0
        how = f"with status {code}"
        if code < 0:
            how = (
                f"by {signal.Signals(-code).name}" if -code in list(signal.Signals) else f"by signal {-code}"
            )
        return (
            f"the process that examined {self._whose()} ended {how} before there was a verdict; "
            "nothing was decided: a filter's file must not end the process, nor use up the memory"
        )


_STATUSES = {str(int(status)).encode(): status for status in ExitStatus}


def _listen(pipe: Connection, words: queue.SimpleQueue[bytes | None]) -> None:
    """Put each message in the queue, b"" for one that is too long, and None when the pipe is closed."""
    while True:
        try:
            words.put(pipe.recv_bytes(_SECRET + _LONGEST))
        except EOFError:
            return words.put(None)
        except OSError as error:
            # recv_bytes raises an OSError without errno for a message that is too long
            return words.put(b"" if error.errno is None else None)
