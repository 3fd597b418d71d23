"""The numbers that run, as `filterproof prove` shows them: by theorem, then every one that is refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from theory.evidence import Evidence

if TYPE_CHECKING:
    from filters.certified.certified_numbers import CertifiedNumbers
    from filters.certified.running_number import CheckedNumber

__all__ = ["POINTS", "asked_of", "show_numbers"]

#: The things of the catalogue are certified in so many tasks.
_PARTS = 12

#: Shown below every table: what was looked at, and what not.
POINTS = (
    "Each number was found by running the code at the points that are named, and compared at exactly its value. "
    "Nothing is said of other points."
)


def asked_of(pool: Executor) -> Iterator[CertifiedNumbers]:
    """The closed forms and the catalogue, certified by a pool that starts on them at once."""
    from filters.certified.closed_forms import GROUPS

    tasks = [pool.submit(_group, name) for name in GROUPS]
    tasks += [pool.submit(_catalogued, part) for part in range(_PARTS + 1)]
    return (found for task in tasks for found in task.result())


def _group(name: str) -> list[CertifiedNumbers]:
    from filters.certified.certified_numbers import CertifiedNumbers
    from filters.certified.closed_forms import GROUPS, numbers_of

    return [CertifiedNumbers.of(GROUPS[name], numbers_of(name))]


def _catalogued(part: int) -> list[CertifiedNumbers]:
    from filters.certified.catalogue import certified_points, covered, things

    if part == 0:
        return list(certified_points())
    every = list(things())
    cuts = [len(every) * cut // _PARTS for cut in (part - 1, part)]
    return [covered(thing) for thing in every[slice(*cuts)]]


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
