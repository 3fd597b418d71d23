"""How commands speak: one sentence for unusable input, colours for outcomes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console

from mc import StoreError
from theory.evidence import Outcome

__all__ = ["OUTCOME_STYLE", "clear_errors", "complain"]

OUTCOME_STYLE = {Outcome.HOLDS: "green", Outcome.REFUTED: "red", Outcome.UNDECIDED: "yellow"}


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
