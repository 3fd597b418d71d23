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
    from filterproof.filters.certified.comparison import Comparison

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
            help="A theorem, whose steps are checked, or a filter or pair such as 'ZCDPFilter(rho=0.5)', whose "
            "numbers are compared with the theorems. Default: all theorems, and one example of each filter, pair and "
            "accountant.",
        ),
    ] = None,
) -> None:
    """Check the theorems step by step, and compare the numbers that the code computes with them."""
    from filterproof.mc.runs.executors import LocalPool
    from filterproof.reports.html_repr.numbers import step_counts_text
    from filterproof.theory.evidence import CheckCoverage
    from filterproof.theory.proofs import THEOREMS
    from filterproof.theory.proofs import prove as run
    from filterproof.theory.proofs.proof import CheckedStep, Proof
    from filterproof.theory.theorems.theorem import unknown_theorem_message

    progress = Console(stderr=True, highlight=False)
    console = Console(highlight=False)
    if theorem is not None and theorem not in THEOREMS and _names_filter_or_pair(theorem):
        with clear_errors():
            certificates = [_certified_numbers_of_text(theorem)]
        if not show_numbers(console, certificates):
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
            pool = ending.enter_context(LocalPool(preload=("filterproof.filters.certified.certify",)))
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
            details = step_counts_text(proof), verdict, proof.evidence.name, f"{proof.seconds:.2f}"
            table.add_row(*named, *details)
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
    """Return whether a text is an expression, a target or a filter's name, and not a theorem."""
    from filterproof.filters.catalogue import CATALOGUE

    return "(" in text or "::" in text or text in CATALOGUE


def _certified_numbers_of_text(text: str) -> CertifiedNumbers:
    """Certify the numbers of the filter or dominating pair that an expression names."""
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
    """Certify the catalogue's filters, pairs and accountants in a pool; yield the results in order."""
    tasks = [pool.submit(_part_of_catalogue_numbers, part) for part in range(_PARTS)]
    return (certified for task in tasks for certified in task.result())


def _part_of_catalogue_numbers(part: int) -> list[CertifiedNumbers]:
    """Certify the numbers of one of `_PARTS` parts of the catalogue."""
    from filterproof.filters.certified.certify import certified_examples, certify_or_fail

    every = list(certified_examples())
    cuts = [len(every) * cut // _PARTS for cut in (part, part + 1)]
    return [certify_or_fail(thing) for thing in every[slice(*cuts)]]


def show_numbers(console: Console, certified: Sequence[CertifiedNumbers]) -> bool:
    """Print the numbers by theorem; return whether there are some and all agree."""
    from filterproof.theory.evidence import Evidence

    numbers = [result for thing in certified for result in thing.numbers]
    table = Table(
        "Theorem",
        "Numbers",
        "Agree",
        "Exact",
        "Certified",
        "Declared slack",
        title="Numbers that the code computes",
    )
    for theorem in dict.fromkeys(result.theorem for result in numbers):
        own = [result for result in numbers if result.theorem == theorem]
        fitting, evidences = sum(result.fits for result in own), [result.evidence for result in own]
        colour = "green" if fitting == len(own) else "bold red"
        counts = (str(evidences.count(evidence)) for evidence in (Evidence.EXACT, Evidence.CERTIFIED))
        agreeing_text = f"[{colour}]{fitting}[/]"
        table.add_row(escape(theorem), str(len(own)), agreeing_text, *counts, _largest_slack_text(own))
    console.print(table)
    for result in numbers:
        if not result.fits:
            console.print(
                f"[bold red]REFUSED, {result.status.name}[/] {escape(result.says)}: {result.status.value}"
            )
            console.print(f"  {escape(result.detail)}", style="dim")
    for note in dict.fromkeys(note for thing in certified for note in thing.uncovered):
        console.print(f"[yellow]not covered[/] {escape(note)}")
    console.print(POINTS)
    return bool(numbers) and all(result.fits for result in numbers)


def _largest_slack_text(numbers: Iterable[Comparison]) -> str:
    """Return the largest relative slack that a comparison with a theorem declares, as text."""
    declared = [float(result.slack) for result in numbers if result.slack is not None]
    return f"{max(declared):.1e}, relative" if declared else "none"
