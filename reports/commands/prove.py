"""`filterproof prove`: the theorems, step by step, and the numbers that run."""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from reports.commands.console import check_folder, clear_errors, styled
from reports.commands.exit_status import End, ExitStatus
from reports.commands.numbers import asked_of, show_numbers
from reports.finding import slug

if TYPE_CHECKING:
    from filters.certified.certified_numbers import CertifiedNumbers

__all__ = ["prove"]


def prove(
    theorem: Annotated[
        str | None,
        typer.Argument(
            help="A theorem's name, or a filter or pair such as 'ZCDPFilter(rho=0.5)' whose numbers are certified; "
            "without it, all theorems, and the numbers of the catalogue."
        ),
    ] = None,
    latex: Annotated[bool, typer.Option("--latex", help="Print the derivation as LaTeX.")] = False,
    certificate: Annotated[
        Path | None, typer.Option(help="Folder for JSON certificates, to be checked by recheck.py.")
    ] = None,
) -> None:
    """Check the theorems step by step, and the numbers that the code runs with against them."""
    from mc.runs.executors import LocalPool
    from mc.runs.output import OutputFolder
    from reports.shown.numbers import steps_by_check
    from theory.claims.theorem import unknown
    from theory.proofs import THEOREMS
    from theory.proofs import prove as run
    from theory.proofs.proof import CheckedStep, Proof

    progress = Console(stderr=True, highlight=False)
    console = Console(highlight=False)
    if theorem is not None and theorem not in THEOREMS and _is_thing(theorem):
        with clear_errors():
            found = [_certified(theorem)]
        if not show_numbers(console, found):
            raise End(ExitStatus.NOT_AS_EXPECTED)
        return

    def line(step: CheckedStep) -> None:
        if not step.holds:
            mark = f"[bold red]REFUSED[/] {escape(step.detail)}"
        else:
            mark = f"[green]{step.evidence.name}, {step.checked.word}[/]"
        progress.print(f"  {escape(step.statement)} [dim]{step.engine}, {step.seconds:.2f} s[/] {mark}")

    with ExitStack() as ending:
        numbers = None
        if theorem is None and not latex:
            # other processes certify the numbers while this one checks the theorems
            pool = ending.enter_context(LocalPool(ready=("filters.certified.catalogue",)))
            ending.callback(pool.kill)
            numbers = asked_of(pool)
        names = list(THEOREMS) if theorem is None else [theorem]
        proofs = []
        done: dict[str, Proof] = {}
        with clear_errors():
            if theorem is not None and theorem not in THEOREMS:
                raise ValueError(unknown(theorem))
            if certificate is not None:
                check_folder(certificate)
            for name in names:
                progress.print(f"[bold]{escape(name)}[/]")
                proofs.append(run(name, on_step=line, done=done))
        with clear_errors():
            if certificate is not None:
                with OutputFolder(certificate) as folder:
                    for proof in proofs:
                        content = json.dumps(proof.certificate(), indent=1) + "\n"
                        folder.add(f"{slug(proof.name)}.json", content.encode())
        if latex:
            sys.stdout.write("\n".join(proof.latex() for proof in proofs))
        else:
            table = Table("Theorem", "Source", "Steps", "Checked", "Verdict", "Evidence", "Seconds")
            for proof in proofs:
                table.add_row(
                    escape(proof.theorem.title),
                    proof.theorem.source,
                    str(len(proof.steps)),
                    steps_by_check(proof),
                    styled(proof.verdict()) if proof.holds else "[bold red]REFUSED[/]",
                    proof.evidence.name,
                    f"{proof.seconds:.2f}",
                )
            console.print(table)
            for joined in dict.fromkeys(proof.joined for proof in proofs):
                which = ", ".join(proof.name for proof in proofs if proof.joined == joined)
                console.print(f"[bold]{escape(which)}[/]: {escape(joined)}")
        fits = numbers is None or show_numbers(console, tuple(numbers))
        if not (fits and all(proof.holds for proof in proofs)):
            raise End(ExitStatus.NOT_AS_EXPECTED)


def _is_thing(text: str) -> bool:
    from filters.catalogue import CATALOGUE

    return "(" in text or "::" in text or text in CATALOGUE


def _certified(text: str) -> CertifiedNumbers:
    """The numbers of the filter or pair that an expression names."""
    from filters.certified.certify import certify
    from reports.expression import read_filter, read_value
    from theory.pairs import DominatingPair

    if "::" not in text and "(" in text:
        value = read_value(text)
        if isinstance(value, DominatingPair):
            return certify(value)
    return certify(read_filter(text))
