"""The numbers that run, as `filterproof prove` shows them: by theorem, then every one that is refused."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from theory.evidence import Evidence

if TYPE_CHECKING:
    from filters.certified.certified_numbers import CertifiedNumbers
    from filters.certified.running_number import CheckedNumber

__all__ = ["POINTS", "show_numbers"]

#: Shown below every table: what was looked at, and what not.
POINTS = (
    "Each number was found by running the code at the points that are named, and compared at exactly its value. "
    "Nothing is said of other points."
)


def show_numbers(console: Console, found: Sequence[CertifiedNumbers]) -> bool:
    """Print the numbers by theorem, the refused ones and what is not covered; whether all fit, and there are some."""
    numbers = [one for thing in found for one in thing.numbers]
    table = Table(
        "Theorem", "Numbers", "Fit", "Exact", "Certified", "Gives away at most", title="The numbers that run"
    )
    for theorem in dict.fromkeys(one.number.theorem for one in numbers):
        own = [one for one in numbers if one.number.theorem == theorem]
        fitting = sum(one.fits for one in own)
        table.add_row(
            escape(theorem),
            str(len(own)),
            f"[green]{fitting}[/]" if fitting == len(own) else f"[bold red]{fitting}[/]",
            str(sum(one.evidence is Evidence.EXACT for one in own)),
            str(sum(one.evidence is Evidence.CERTIFIED for one in own)),
            _slack(own),
        )
    console.print(table)
    for one in numbers:
        if not one.fits:
            console.print(
                f"[bold red]REFUSED, {one.found.name}[/] {escape(one.number.says)}: {one.found.value}"
            )
            console.print(f"  {escape(one.detail)}", style="dim")
    for note in dict.fromkeys(note for thing in found for note in thing.uncovered):
        console.print(f"[yellow]not covered[/] {escape(note)}")
    console.print(POINTS)
    return bool(numbers) and all(one.fits for one in numbers)


def _slack(numbers: Iterable[CheckedNumber]) -> str:
    """The largest share that one of them was allowed to give away beforehand."""
    declared = [float(one.number.slack) for one in numbers if one.number.slack is not None]
    return f"{max(declared):.1e} of itself" if declared else "nothing is declared"
