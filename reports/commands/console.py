"""How commands speak: one sentence for what went wrong, with its exit status, and colours for outcomes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape

from mc import StoreError
from reports.commands.exit_status import End, ExitStatus
from reports.fault import FilterFault
from theory.evidence import Outcome, Verdict

__all__ = ["OUTCOME_STYLE", "at_most", "clear_errors", "complain", "styled"]

OUTCOME_STYLE = {Outcome.HOLDS: "green", Outcome.REFUTED: "red", Outcome.UNDECIDED: "yellow"}


def styled(verdict: Verdict) -> str:
    """The outcome as markup; green is kept for a HOLDS in which nothing is cited."""
    if verdict.citations:
        return f"[yellow]{verdict.outcome.name}, {escape(verdict.joined_by)}[/]"
    return f"[{OUTCOME_STYLE[verdict.outcome]}]{verdict.outcome.name}[/]"


def complain(message: object) -> None:
    """One sentence on standard error."""
    Console(stderr=True, highlight=False).print(
        f"filterproof: {message}", style="red", markup=False, soft_wrap=True
    )


@contextmanager
def clear_errors() -> Iterator[None]:
    """Unusable input, and a fault of the examined filter, end in one sentence and a status of their own."""
    try:
        yield
    except FilterFault as fault:
        complain(fault)
        raise End(ExitStatus.FILTER_FAULT) from fault
    except BrokenPipeError:
        raise  # nobody reads what we print: no fault of the input
    except OSError as error:
        complain(_sentence(error))
        raise End(ExitStatus.UNUSABLE) from error
    except (ValueError, TypeError, ImportError, StoreError) as error:
        complain(error)
        raise End(ExitStatus.UNUSABLE) from error


def _sentence(error: OSError) -> str:
    """An error of the system without its number; those that we raise ourselves are sentences already."""
    if error.filename is None or error.strerror is None:
        return str(error)
    return f"{str(error.filename)!r} must be a file that can be used, got {error.strerror!r}; name another"


def at_most(name: str, value: int, most: int, remedy: str) -> int:
    """`value`, where it is not more than anyone can wait for or hold in memory."""
    if value > most:
        raise ValueError(f"{name} must be at most {most:,}, got {name}={value:.6g}; {remedy}")
    return value
