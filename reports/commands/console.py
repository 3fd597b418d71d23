"""How commands speak: one sentence for unusable input, colours for outcomes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console
from rich.markup import escape

from mc import StoreError
from theory.evidence import Outcome, Verdict

__all__ = ["OUTCOME_STYLE", "clear_errors", "complain", "styled"]

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
    """Unusable input ends in one sentence and exit status 2."""
    try:
        yield
    except (ValueError, TypeError, OSError, ImportError, StoreError) as error:
        complain(error)
        raise typer.Exit(2) from error
