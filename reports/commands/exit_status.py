"""The exit statuses of the command `filterproof`.

>>> int(ExitStatus.UNUSABLE), ExitStatus.UNUSABLE.meaning
(2, 'unusable input')
"""

from __future__ import annotations

from enum import IntEnum

import typer


class ExitStatus(IntEnum):
    """An exit status and its `meaning`."""

    def __new__(cls, value: int, meaning: str) -> ExitStatus:
        member = int.__new__(cls, value)
        member._value_ = value
        member.meaning = meaning
        return member

    meaning: str

    AS_EXPECTED = 0, "every verdict is the expected one, and the files are written"
    NOT_AS_EXPECTED = (
        1,
        "a verdict is not the expected one: a guarantee is refuted, a counterexample does not replay or refutes "
        "nothing, or `prove` refuses a step or a number",
    )
    UNUSABLE = 2, "unusable input"
    FILTER_FAULT = (
        3,
        "the filter's own code raised an exception, broke the contract of a filter, or ended the process",
    )
    INTERNAL = 4, "an error of Filterproof itself"
    TIME_LIMIT = (
        5,
        "the time limit ended the examination before a verdict: the filter may hang",
    )
    NOTHING_TRIED = 6, "the filter denies every request that was tried, so nothing was examined"
    INTERRUPTED = 130, "Ctrl-C"
    NO_READER = 141, "the reader of the output closed the pipe"


class CommandEnd(typer.Exit):
    """The end of a command with a status other than success."""

    def __init__(self, status: ExitStatus) -> None:
        super().__init__(int(status))
        self.status = status
