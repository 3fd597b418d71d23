"""A bridge to a deciding program in any language, through JSON lines on its standard input and output.

>>> import sys
>>> from filterproof.filters.adapters.bridge import Bridge
>>> hello = '{"id": 1, "answers": [{"protocol": 1}, {"can": ["commit"]}]}'
>>> bridge = Bridge((sys.executable, "-c", f"input(); print({hello!r}); input()"), seconds=30.0)
>>> sorted(bridge.stated_abilities), bridge.close()
(['commit'], None)

The output of a bridge is data and is never executed. It is read up to a maximum length and time. Output that is not
an answer of the protocol raises `BridgeError`; after that the bridge gets no more requests.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from filterproof.theory.display import replace_unprintable
from filterproof.theory.pairs import DominatingPair

#: Units of work of a line to a program and back, and of each decision.
LINE_UNITS, DECISION_UNITS = 4, 2
#: The version of the protocol, and the abilities that a bridge may state.
PROTOCOL, ABILITIES = 1, ("commit", "release", "restart", "state", "keys", "clock", "observe")
#: The most commands in a line; the longest line that is read, in bytes; how much of standard error is kept, and of any
#: text shown.
_BATCH, _MAX_LINE_BYTES, _STDERR_CHARS, _SHOWN_CHARS = 1000, 1 << 24, 4096, 120
#: Seconds to wait for an ended program.
_LEAVING = 2.0
#: The longest text that a program may store for a budget.
_STORED = 1 << 16


class BridgeError(Exception):
    """A bridge violated the protocol. It is not called again."""


class LateBridgeError(BridgeError):
    """A bridge did not answer in time. This says nothing about its decisions."""


class UnsupportedByBridgeError(ValueError):
    """A bridge answered that it does not support the mechanism of a request."""


class Bridge:
    """The program started by `words`, one for each process that uses it; `seconds` limits the time of an answer.

    Raises ValueError if it cannot be started, BridgeError for every violation of the protocol.
    """

    def __init__(self, words: Sequence[str], *, seconds: float) -> None:
        self.words, self.seconds = tuple(words), seconds
        self._pid, self._number = 0, 0
        self._broken: BridgeError | None = None
        self._buffer, self._stderr = bytearray(), bytearray()
        self._process: subprocess.Popen[bytes] | None = None
        self._can: frozenset[str] = frozenset()

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(Bridge, seconds=self.seconds), (self.words,)

    def __deepcopy__(self, memory: object) -> Bridge:
        return self

    @property
    def name(self) -> str:
        """The program and its arguments, shortened."""
        return printable_start(" ".join(self.words))

    @property
    def stated_abilities(self) -> frozenset[str]:
        """The abilities that the program states, of `ABILITIES`; starts it."""
        self.start()
        return self._can

    @property
    def stores(self) -> bool:
        """Whether the program can restart a budget from its stored state."""
        return {"state", "restart"} <= self.stated_abilities

    def start(self) -> bool:
        """Start the program in this process and greet it, unless it runs; return whether it is new."""
        if self._pid == os.getpid():
            if self._broken is not None:
                raise self._broken
            return False
        self.close()
        self._pid, self._number, self._broken = os.getpid(), 0, None
        self._buffer, self._stderr = bytearray(), bytearray()
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(self.words, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0)
        except OSError as error:
            self._pid = 0
            raise ValueError(
                f"command must name a program that can be started, got {self.name!r} ({error.strerror or error}); "
                "try it in a shell"
            ) from error
        for file in self._pipe_numbers():
            os.set_blocking(file, False)
        version, about = self.exchange([f'{{"do":"version","protocol":{PROTOCOL}}}', '{"do":"describe"}'])
        if version.get("protocol") != PROTOCOL or isinstance(version["protocol"], bool):
            raise self.violation_error(
                f"answered {printable_start(version)} to version", f'answer {{"protocol": {PROTOCOL}}}'
            )
        can = about.get("can", [])
        if not isinstance(can, list) or any(ability not in ABILITIES for ability in can):
            raise self.violation_error(
                f"answered {printable_start(about)} to describe", f"list some of {ABILITIES} in can"
            )
        self._can = frozenset(can)
        return True

    def close(self) -> None:
        """End the program if this process started it."""
        program, self._process = self._process, None
        if program is None:
            return
        if self._pid == os.getpid():
            program.kill()
            with suppress(subprocess.TimeoutExpired):
                program.wait(_LEAVING)
        else:
            program.returncode = 0  # another process started it and waits for it
        for file in (program.stdin, program.stdout, program.stderr):
            if file is not None:
                file.close()
        self._pid = 0

    def __del__(self) -> None:
        with suppress(AttributeError):
            self.close()

    def exchange(self, commands: Sequence[str]) -> list[dict[str, Any]]:
        """Return the answers to commands, which are JSON texts of objects: one object for each."""
        self.start()
        answers: list[dict[str, Any]] = []
        for first in range(0, len(commands), _BATCH):
            answers += self._exchange_lines(commands[first : first + _BATCH])
        return answers

    def granted(self, answer: Mapping[str, Any], pair: DominatingPair) -> bool:
        """Whether the answer to an ask grants the pair. Raises OutsideBridgeError for an error."""
        if "error" in answer:
            raise UnsupportedByBridgeError(
                f"{self.name} answers an error to {pair!r}: {printable_start(answer['error'])}"
            )
        granted = answer.get("granted")
        if not isinstance(granted, bool):
            raise self.violation_error(
                f"answered {printable_start(answer)} to {pair!r}",
                'answer {"granted": true} or {"granted": false}',
            )
        return granted

    def stored_text(self, answer: Mapping[str, Any]) -> str:
        """Return the stored text in the answer to state."""
        text = answer.get("state")
        if not isinstance(text, str) or len(text) > _STORED:
            raise self.violation_error(
                f"answered {printable_start(answer)} to state",
                f"answer a text of at most {_STORED} characters",
            )
        return text

    def violation_error(
        self, what: str, remedy: str = "correct the bridge", kind: type[BridgeError] = BridgeError
    ) -> BridgeError:
        """End the bridge and return the error for its violation `what`."""
        self._broken = kind(f"{self.name} {what}; {remedy}")
        self.close()
        self._pid = os.getpid()
        return self._broken

    def _pipe_numbers(self) -> tuple[int, int, int]:
        program: Any = self._process
        return program.stdin.fileno(), program.stdout.fileno(), program.stderr.fileno()

    def _exchange_lines(self, commands: Sequence[str]) -> list[dict[str, Any]]:
        self._number += 1
        line = f'{{"id":{self._number},"batch":[{",".join(commands)}]}}\n'.encode()
        if not self._write_and_read(time.monotonic() + self.seconds, line):
            failure = f"did not answer before its time limit (seconds={self.seconds:g})"
            raise self.violation_error(failure, "correct it, or pass a larger seconds", LateBridgeError)
        body, _, rest = bytes(self._buffer).partition(b"\n")
        self._buffer = bytearray(rest)
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict) or not isinstance(answer.get("answers"), list):
            raise self.violation_error(
                f"printed {printable_start(body)} where an answer was due",
                'print {"id": ..., "answers": [...]}, and anything else on standard error',
            )
        if type(answer.get("id")) is not int or answer["id"] != self._number:
            raise self.violation_error(
                f"answered the line {printable_start(answer.get('id'))} where the line {self._number} was asked",
                "answer each line once, with its id",
            )
        answers: list[Any] = answer["answers"]
        if len(answers) != len(commands) or not all(isinstance(item, dict) for item in answers):
            raise self.violation_error(
                f"gave {len(answers)} answers to {len(commands)} commands, {printable_start(answers)}",
                "give one object for each",
            )
        return answers

    def _write_and_read(self, until: float, line: bytes) -> bool:
        """Write the line while reading the output, until the program has printed a line; False if that is late."""
        into, out, errors = self._pipe_numbers()
        unsent, watched = memoryview(line), {out, errors}
        while b"\n" not in self._buffer:
            wait = max(until - time.monotonic(), 0.0)
            ready, free, _ = select.select(list(watched), [into] if unsent else [], [], wait)
            if free:
                try:
                    unsent = unsent[os.write(into, unsent[: 1 << 16]) :]
                except BlockingIOError:
                    pass
                except OSError:  # it reads no more: first read what it printed before it ended
                    unsent = memoryview(b"")
            for file in ready:
                more = os.read(file, 1 << 16)
                if file == errors:
                    self._stderr = (self._stderr + more)[-_STDERR_CHARS:]
                    watched -= set() if more else {errors}
                elif not more:
                    raise self.violation_error(self._end_reason())
                else:
                    self._buffer += more
            if len(self._buffer) > _MAX_LINE_BYTES:
                raise self.violation_error(f"printed a line of more than {_MAX_LINE_BYTES:,} bytes")
            if not wait and out not in ready:
                return False
        if unsent:
            raise self.violation_error("answered before it had read the line", "read each line whole")
        return True

    def _end_reason(self) -> str:
        """Return why nothing more can be read."""
        assert self._process is not None
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_LEAVING)
        code = self._process.poll()
        how = "closed its standard output" if code is None else f"ended with status {code}"
        with suppress(OSError):
            self._stderr = (self._stderr + (os.read(self._pipe_numbers()[2], 1 << 16) or b""))[
                -_STDERR_CHARS:
            ]
        lines = [
            line.strip() for line in self._stderr.decode("utf-8", "replace").splitlines() if line.strip()
        ]
        error_line = next(
            (line for line in lines if "Error" in line or "error" in line), lines[-1] if lines else ""
        )
        return (
            f"{how} before it had answered{f', and said {printable_start(error_line)}' if error_line else ''}"
        )


def printable_start(output: object) -> str:
    """Return the start of a bridge's output, in printable characters, for messages."""
    text = bytes(output).decode("utf-8", "replace") if isinstance(output, (bytes, bytearray)) else str(output)
    short = text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}..."
    return replace_unprintable(short)
