"""A guarded command always ends in an exit status: also after Ctrl-C, an internal error, or an exit by user code.

A user's file is code and is examined in a worker (`filterproof.mc.examine.worker`). This process ends with status 0
only after the worker has answered with the status that its command ended with. So a file that ends its process decides
nothing.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Mapping
from functools import partial, wraps
from typing import Any

import typer
from rich.console import Console

from filterproof.mc.examine.deadline import Deadline, OutOfTime
from filterproof.mc.examine.filter_fault import FilterFault
from filterproof.mc.examine.worker import ThreadsLost, alone
from filterproof.reports.commands.console import complain
from filterproof.reports.commands.exit_status import End, ExitStatus

_INTERRUPTED = "interrupted; nothing was decided, and what was not kept in a store is lost"


def guarded(
    command: Callable[..., None], limit_of: Callable[[Mapping[str, Any]], float | None] = lambda given: None
) -> Callable[..., None]:
    """The command made to end in an exit status always; with user code or a time limit it runs in a worker.

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
            raise typer.Exit(_in_a_worker(command, given, limit, ", ".join(targets) or "it", advice))
        raise typer.Exit(_status(command, given))

    return run


def _status(command: Callable[..., None], given: Mapping[str, Any]) -> int:
    """Run the command in this process and return its exit status."""
    try:
        command(**given)
        sys.stdout.flush()
    except End as end:
        return end.status or ExitStatus.INTERNAL  # an End with status 0 would be a bug of ours
    except ThreadsLost as lost:
        complain(lost)
        return ExitStatus.UNUSABLE
    except KeyboardInterrupt:
        complain(_INTERRUPTED)
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


def _reported(command: Callable[..., None], given: Mapping[str, Any]) -> int:
    return int(_status(command, given))


def _in_a_worker(
    command: Callable[..., None], given: Mapping[str, Any], limit: float | None, whose: str, advice: str
) -> int:
    """The status of the command, run in a process that ends with its time, and whose own end decides nothing."""
    deadline = Deadline.of(limit)
    try:
        return alone(partial(_reported, command, dict(given)), whose=whose, deadline=deadline, command=True)
    except FilterFault as fault:
        complain(fault)
        return ExitStatus.FILTER_FAULT
    except OutOfTime:
        complain(f"stopped at the time limit; nothing was decided: {advice}")
        return ExitStatus.TIME_LIMIT
    except KeyboardInterrupt:
        complain(_INTERRUPTED)
        return ExitStatus.INTERRUPTED
    except Exception as error:  # noqa: BLE001 - our own errors are told where they happen, unless nothing can be told
        complain(
            f"{whose} left no way to tell what was found, {type(error).__name__}: {error}; nothing was decided"
        )
        return ExitStatus.FILTER_FAULT
    finally:
        Console(stderr=True).show_cursor()  # a progress bar may have hidden it
