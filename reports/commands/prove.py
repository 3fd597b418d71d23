"""`filterproof prove`: check the theorems step by step, and compare the code's numbers with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from filterproof.reports.commands.console import clear_errors, outcome_markup
from filterproof.reports.commands.exit_status import CommandEnd, ExitStatus

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from filterproof.filters.certified.certified_numbers import CertifiedNumbers
    from filterproof.filters.certified.comparison import ComparisonResult

#: Printed if a step is a statement of the kernel.
RECORD_CHECKED = (
    "The kernel did not run. This command checked the record of its run: the digests of the sources, statements and "
    "axioms. `filterproof kernel` runs the kernel on the sources."
)


def prove(
    theorem: Annotated[
        str | None,
        typer.Argument(
            metavar="[THEOREM]",
            help="A theorem, or a filter or dominating pair such as 'ZCDPFilter(rho=0.5)'. Default: all theorems, and "
            "one example of each filter, pair and accountant.",
        ),
    ] = None,
) -> None:
    """Check the theorems step by step, and compare the numbers that the code computes with them."""
    from filterproof.mc.runs.executors import LocalPool
    from filterproof.reports.html_repr.numbers import steps_by_check
    from filterproof.theory.evidence import CheckCoverage
    from filterproof.theory.proofs import THEOREMS
    from filterproof.theory.proofs import prove as run
    from filterproof.theory.proofs.proof import CheckedStep, Proof
    from filterproof.theory.theorems.theorem import unknown_theorem_message

    progress = Console(stderr=True, highlight=False)
    console = Console(highlight=False)
    if theorem is not None and theorem not in THEOREMS and _names_filter_or_pair(theorem):
        with clear_errors():
            found = [_certified_numbers_of_text(theorem)]
        if not show_numbers(console, found):
            raise CommandEnd(ExitStatus.NOT_AS_EXPECTED)
        return

    def print_step(step: CheckedStep) -> None:
        if not step.holds:
            mark = f"[bold red]REFUSED[/] {escape(step.detail)}"
        else:
            mark = f"[green]{step.evidence.name}, {step.checked.word}[/]"
        progress.print(f"  {escape(step.statement)} [dim]{step.engine}, {step.seconds:.2f} s[/] {mark}")

    with ExitStack() as ending:
        numbers = None
        if theorem is None:
            # other processes certify the numbers while this one checks the theorems
            pool = ending.enter_context(LocalPool(ready=("filterproof.filters.certified.certified_objects",)))
            ending.callback(pool.kill)
            numbers = iter_catalogue_numbers(pool)
        names = list(THEOREMS) if theorem is None else [theorem]
        proofs = []
        done: dict[str, Proof] = {}
        with clear_errors():
            if theorem is not None and theorem not in THEOREMS:
                raise ValueError(unknown_theorem_message(theorem))
            for name in names:
                progress.print(f"[bold]{escape(name)}[/]")
                proofs.append(run(name, on_step=print_step, done=done))
        table = Table("Theorem", "Source", "Steps", "Checked", "Verdict", "Evidence", "Seconds")
        for proof in proofs:
            verdict = outcome_markup(proof.verdict()) if proof.holds else "[bold red]REFUSED[/]"
            named = escape(proof.theorem.title), proof.theorem.source, str(len(proof.steps))
            known = steps_by_check(proof), verdict, proof.evidence.name, f"{proof.seconds:.2f}"
            table.add_row(*named, *known)
        console.print(table)
        for joined in dict.fromkeys(proof.joined for proof in proofs):
            which = ", ".join(proof.name for proof in proofs if proof.joined == joined)
            console.print(f"[bold]{escape(which)}[/]: {escape(joined)}")
        if any(step.checked is CheckCoverage.KERNEL for proof in proofs for step in proof.steps):
            console.print(RECORD_CHECKED)
        fits = numbers is None or show_numbers(console, tuple(numbers))
        if not (fits and all(proof.holds for proof in proofs)):
            raise CommandEnd(ExitStatus.NOT_AS_EXPECTED)


def _names_filter_or_pair(text: str) -> bool:
    from filterproof.filters.catalogue import CATALOGUE

    return "(" in text or "::" in text or text in CATALOGUE


def _certified_numbers_of_text(text: str) -> CertifiedNumbers:
    """Certify the numbers of the filter or pair that an expression names."""
    from filterproof.filters.certified.certify import certify
    from filterproof.reports.target_expression import read_filter, read_value
    from filterproof.theory.pairs import DominatingPair

    if "::" not in text and "(" in text:
        value = read_value(text)
        if isinstance(value, DominatingPair):
            return certify(value)
    return certify(read_filter(text))


#: The objects of the catalogue are certified in so many tasks.
_PARTS = 12

#: Printed below every table.
POINTS = (
    "Each number was computed by the code of the named object, at the named points, and compared exactly. The check "
    "does not cover other objects, parameters or points."
)


def iter_catalogue_numbers(pool: Executor) -> Iterator[CertifiedNumbers]:
    """Certify the catalogue's examples, the pairs and the accountants in a pool, which starts at once."""
    tasks = [pool.submit(_part_of_catalogue_numbers, part) for part in range(_PARTS)]
    return (found for task in tasks for found in task.result())


def _part_of_catalogue_numbers(part: int) -> list[CertifiedNumbers]:
    from filterproof.filters.certified.certified_objects import certified_examples, certify_or_fail

    every = list(certified_examples())
    cuts = [len(every) * cut // _PARTS for cut in (part, part + 1)]
    return [certify_or_fail(thing) for thing in every[slice(*cuts)]]


def show_numbers(console: Console, found: Sequence[CertifiedNumbers]) -> bool:
    """Print the numbers by theorem; return whether there are some and all agree."""
    from filterproof.theory.evidence import Evidence

    numbers = [one for thing in found for one in thing.numbers]
    table = Table(
        "Theorem",
        "Numbers",
        "Agree",
        "Exact",
        "Certified",
        "Declared slack",
        title="Numbers that the code computes",
    )
    for theorem in dict.fromkeys(one.number.theorem for one in numbers):
        own = [one for one in numbers if one.number.theorem == theorem]
        fitting, known = sum(one.fits for one in own), [one.evidence for one in own]
        colour = "green" if fitting == len(own) else "bold red"
        counts = (str(known.count(evidence)) for evidence in (Evidence.EXACT, Evidence.CERTIFIED))
        told = f"[{colour}]{fitting}[/]"
        table.add_row(escape(theorem), str(len(own)), told, *counts, _largest_slack_text(own))
    console.print(table)
    for one in numbers:
        if not one.fits:
            console.print(
                f"[bold red]REFUSED, {one.status.name}[/] {escape(one.number.says)}: {one.status.value}"
            )
            console.print(f"  {escape(one.detail)}", style="dim")
    for note in dict.fromkeys(note for thing in found for note in thing.uncovered):
        console.print(f"[yellow]not covered[/] {escape(note)}")
    console.print(POINTS)
    return bool(numbers) and all(one.fits for one in numbers)


def _largest_slack_text(numbers: Iterable[ComparisonResult]) -> str:
    """The largest relative slack that a comparison declares."""
    declared = [float(one.number.slack) for one in numbers if one.number.slack is not None]
    return f"{max(declared):.1e}, relative" if declared else "none"
