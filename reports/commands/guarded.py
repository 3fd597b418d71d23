"""Commands that always end with an exit status: also after Ctrl-C, an internal error, or an exit by user code.

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

from filterproof.reports.commands.console import print_error
from filterproof.reports.commands.exit_status import CommandEnd, ExitStatus

_INTERRUPTED = "interrupted; nothing was decided, and work outside a store is lost"


def guarded(
    command: Callable[..., None], limit_of: Callable[[Mapping[str, Any]], float | None] = lambda given: None
) -> Callable[..., None]:
    """Return the command in a form that always ends with an exit status; user code runs in a worker.

    `limit_of` computes the default time limit from the arguments.
    """

    @wraps(command)
    def run(**given: Any) -> None:
        limit = given.get("time_limit")
        if limit is not None and not 0 < limit < float("inf"):
            print_error(
                f"the time limit is not a number of seconds > 0 (time-limit={limit!r}); pass --time-limit 600, say"
            )
            raise typer.Exit(ExitStatus.UNUSABLE)
        advice = "pass larger --time-limit, or remove it"
        if limit is None:
            limit, advice = (
                limit_of(given),
                "a method of the filter may never return; correct it, or pass --time-limit",
            )
        targets = [value for value in given.values() if isinstance(value, str) and "::" in value]
        if targets or limit is not None:
            raise typer.Exit(_in_a_worker(command, given, limit, ", ".join(targets) or "it", advice))
        raise typer.Exit(_run_command(command, given))

    return run


def _run_command(command: Callable[..., None], given: Mapping[str, Any]) -> int:
    """Run the command in this process and return its exit status."""
    try:
        command(**given)
        sys.stdout.flush()
    except CommandEnd as end:
        return end.status or ExitStatus.INTERNAL  # an End with status 0 would be a bug of ours
    except KeyboardInterrupt:
        print_error(_INTERRUPTED)
        return ExitStatus.INTERRUPTED
    except BaseException as error:  # noqa: BLE001 - the last defence: status 1 would read as a verdict
        if isinstance(error, BrokenPipeError) or isinstance(error.__context__, BrokenPipeError):
            # the interpreter flushes the buffer when it exits: without a reader that would raise again
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return ExitStatus.NO_READER
        traceback.print_exc()
        print_error(
            f"internal error in Filterproof ({type(error).__name__}); please report it with the lines above"
        )
        return ExitStatus.INTERNAL
    return ExitStatus.AS_EXPECTED


def _status_in_worker(command: Callable[..., None], given: Mapping[str, Any]) -> int:
    """Run a command in the worker process and return its exit status as an int."""
    return int(_run_command(command, given))


def _in_a_worker(
    command: Callable[..., None], given: Mapping[str, Any], limit: float | None, whose: str, advice: str
) -> int:
    """Run the command in a process with a time limit, and return the status that the command reports."""
    from filterproof.mc.examine.deadline import Deadline, OutOfTime
    from filterproof.mc.examine.filter_fault import FilterFault
    from filterproof.mc.examine.worker import run_isolated

    deadline = Deadline.of(limit)
    try:
        return run_isolated(
            partial(_status_in_worker, command, dict(given)), whose=whose, deadline=deadline, command=True
        )
    except FilterFault as fault:
        print_error(fault)
        return ExitStatus.FILTER_FAULT
    except OutOfTime:
        print_error(f"the time limit ended the command before a verdict; {advice}")
        return ExitStatus.TIME_LIMIT
    except KeyboardInterrupt:
        print_error(_INTERRUPTED)
        return ExitStatus.INTERRUPTED
    except Exception as error:  # noqa: BLE001 - our own errors are told where they happen, unless nothing can be told
        print_error(
            f"the process of {whose} returned no result ({type(error).__name__}: {error}); nothing was decided"
        )
        return ExitStatus.FILTER_FAULT
    finally:
        Console(stderr=True).show_cursor()  # a progress bar may have hidden it
