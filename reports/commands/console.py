"""The output of commands: one sentence and an exit status for each error, and colours for outcomes.

What takes long to import is imported by the functions that use it, as in every file of a command: `filterproof --help`
loads no arithmetic.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.status import Status
from rich.text import Text

from filterproof.reports.commands.exit_status import CommandEnd, ExitStatus

if TYPE_CHECKING:
    from filterproof.reports.agreement import Agreement
    from filterproof.theory.evidence import Verdict

#: Colour by the name of an outcome: of a verdict, or of an agreement.
OUTCOME_STYLE = {
    "HOLDS": "green",
    "REFUTED": "red",
    "UNDECIDED": "yellow",
    "AGREES": "blue",
    "DISAGREES": "red",
}


def outcome_markup(verdict: Verdict | Agreement) -> str:
    """The outcome as markup; a HOLDS that uses cited theorems is yellow, any other HOLDS green."""
    if joined := getattr(verdict, "citation_phrase", ""):  # by cited theorems
        return f"[yellow]{verdict.outcome.name}, {escape(joined)}[/]"
    return f"[{OUTCOME_STYLE[verdict.outcome.name]}]{verdict.outcome.name}[/]"


def print_text(words: object, style: str | None = None) -> None:
    """Print text on standard output without markup and line breaks."""
    Console(highlight=False).print(_printable_text(words), style=style, markup=False, soft_wrap=True)


def print_json(data: object) -> None:
    """Print data as JSON on standard output."""
    from filterproof.theory.display import json_text

    sys.stdout.write(json_text(data))
    sys.stdout.flush()


def doing(words: str) -> Status:
    """Show a spinner and text without markup on standard error."""
    return Console(stderr=True).status(Text(_printable_text(words)))


def print_error(message: object) -> None:
    """Print one sentence on standard error."""
    Console(stderr=True, highlight=False).print(
        f"filterproof: {_printable_text(message)}", style="red", markup=False, soft_wrap=True
    )


def _printable_text(words: object) -> str:
    """The text in printable letters, line by line."""
    from filterproof.theory.display import replace_unprintable

    return "\n".join(map(replace_unprintable, str(words).split("\n")))


@contextmanager
def clear_errors() -> Iterator[None]:
    """Turn unusable input, a fault of the filter or bridge, and a late bridge into a sentence and an exit status."""
    from filterproof.filters.adapters.bridge import BridgeError, LateBridgeError
    from filterproof.mc import StoreError
    from filterproof.mc.examine.filter_fault import FilterFault

    try:
        yield
    except LateBridgeError as late:
        print_error(f"{late}; nothing was decided")
        raise CommandEnd(ExitStatus.TIME_LIMIT) from late
    except (FilterFault, BridgeError) as fault:
        print_error(fault)
        raise CommandEnd(ExitStatus.FILTER_FAULT) from fault
    except BrokenPipeError:
        raise  # the reader of our output went away, which is not a fault of the input
    except OSError as error:
        print_error(_error_sentence(error))
        raise CommandEnd(ExitStatus.UNUSABLE) from error
    except (ValueError, TypeError, ImportError, StoreError) as error:
        print_error(error)
        raise CommandEnd(ExitStatus.UNUSABLE) from error


@contextmanager
def clear_faults(target: str | None, filt: Any) -> Iterator[None]:
    """As `clear_errors`; an exception in the code of a target's file or module is a fault of the filter."""
    from filterproof.mc.examine.filter_fault import filter_faults_raised

    with (
        clear_errors(),
        filter_faults_raised(filt) if target is not None and "::" in target else nullcontext(),
    ):
        yield


@contextmanager
def keep_status_on_write_error(status: ExitStatus = ExitStatus.AS_EXPECTED) -> Iterator[None]:
    """Report an error while files are written, and keep a status other than success."""
    try:
        with clear_errors():
            yield
    except CommandEnd as end:
        raise end if status is ExitStatus.AS_EXPECTED else CommandEnd(status) from end


def speak_any_encoding() -> None:
    """Print letters that the encoding of standard output or error lacks as escapes, such as \\xe9."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")


def check_folder(out: Path) -> None:
    """Raise OSError if the folder cannot be written to, before the work starts."""
    from filterproof.mc.runs.output import OutputFolder

    with OutputFolder(out):
        pass


def check_seed(seed: int | None) -> None:
    """Raise ValueError for a negative seed, before the work starts."""
    if seed is not None and seed < 0:
        raise ValueError(f"the seed is negative (seed={seed}); pass an integer >= 0")


def _error_sentence(error: OSError) -> str:
    """A system error as a sentence without its number; an OSError of Filterproof is already a sentence."""
    if error.strerror is None:
        return str(error)
    if error.filename is None:
        return f"a file or stream cannot be used ({error.strerror}); free some space, or name another file"
    return f"the file cannot be used ({str(error.filename)!r}: {error.strerror}); name another"
