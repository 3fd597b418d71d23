"""The output of commands: one sentence and an exit status for each error, and colours for outcomes."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.status import Status
from rich.text import Text

from filterproof.filters.adapters.bridge import BridgeError, LateBridgeError
from filterproof.mc import StoreError
from filterproof.mc.examine.filter_fault import FilterFault, examining
from filterproof.mc.runs.output import OutputFolder
from filterproof.reports.commands.exit_status import End, ExitStatus
from filterproof.theory.agreement import Accord, Agreement
from filterproof.theory.display import printable
from filterproof.theory.evidence import Outcome, Verdict

OUTCOME_STYLE = {Outcome.HOLDS: "green", Outcome.REFUTED: "red", Outcome.UNDECIDED: "yellow"}


def styled(verdict: Verdict | Agreement) -> str:
    """The outcome as markup; a HOLDS that rests on cited theorems is yellow, any other HOLDS green."""
    if isinstance(verdict, Agreement):
        return f"[{'blue' if verdict.outcome is Accord.AGREES else 'red'}]{verdict.outcome.name}[/]"
    if verdict.citations:
        return f"[yellow]{verdict.outcome.name}, {escape(verdict.joined_by)}[/]"
    return f"[{OUTCOME_STYLE[verdict.outcome]}]{verdict.outcome.name}[/]"


def say(words: object, style: str | None = None) -> None:
    """Print words on standard output as they are, in one line however wide the terminal is."""
    Console(highlight=False).print(_printable(words), style=style, markup=False, soft_wrap=True)


def doing(words: str) -> Status:
    """A spinner on standard error beside words as they are, whatever the filter in them is called."""
    return Console(stderr=True).status(Text(_printable(words)))


def complain(message: object) -> None:
    """Print one sentence on standard error."""
    Console(stderr=True, highlight=False).print(
        f"filterproof: {_printable(message)}", style="red", markup=False, soft_wrap=True
    )


def _printable(words: object) -> str:
    """The words in printable letters, line by line."""
    return "\n".join(map(printable, str(words).split("\n")))


@contextmanager
def clear_errors() -> Iterator[None]:
    """Turn unusable input (UNUSABLE), a fault of the filter or bridge (FILTER_FAULT) and a bridge that answers late
    (TIME_LIMIT) into a sentence and an End."""
    try:
        yield
    except LateBridgeError as late:
        complain(f"{late}; nothing was decided")
        raise End(ExitStatus.TIME_LIMIT) from late
    except (FilterFault, BridgeError) as fault:
        complain(fault)
        raise End(ExitStatus.FILTER_FAULT) from fault
    except BrokenPipeError:
        raise  # the reader of our output went away, which is not a fault of the input
    except OSError as error:
        complain(_sentence(error))
        raise End(ExitStatus.UNUSABLE) from error
    except (ValueError, TypeError, ImportError, StoreError) as error:
        complain(error)
        raise End(ExitStatus.UNUSABLE) from error


@contextmanager
def clear_faults(target: str | None, filt: Any) -> Iterator[None]:
    """As `clear_errors`, and where the target names a file or module, what its filter raises is its fault."""
    with clear_errors(), examining(filt) if target is not None and "::" in target else nullcontext():
        yield


@contextmanager
def written_after(status: ExitStatus = ExitStatus.AS_EXPECTED) -> Iterator[None]:
    """As `clear_errors`, for files written after a verdict was printed, whose status stands where it is no success."""
    try:
        with clear_errors():
            yield
    except End as end:
        raise end if status is ExitStatus.AS_EXPECTED else End(status) from end


def speak_any_encoding() -> None:
    """Have standard output and error show what their encoding lacks as escapes, \\xe9, in place of an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")


def check_folder(out: Path) -> None:
    """Raise OSError for a folder that cannot be written to: told before the work."""
    with OutputFolder(out):
        pass


def _sentence(error: OSError) -> str:
    """A system error as a sentence without its number; an OSError that we raised is a sentence already."""
    if error.strerror is None:
        return str(error)
    if error.filename is None:
        return f"a file or stream must be usable, got {error.strerror!r}; make room, or name another"
    return f"{str(error.filename)!r} must be a file that can be used, got {error.strerror!r}; name another"
