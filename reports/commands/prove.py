"""`filterproof prove`: the theorems, step by step."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from reports.commands.console import clear_errors, styled
from reports.finding import slug

__all__ = ["prove"]


def prove(
    theorem: Annotated[str | None, typer.Argument(help="A theorem's name; without it, all of them.")] = None,
    latex: Annotated[bool, typer.Option("--latex", help="Print the derivation as LaTeX.")] = False,
    certificate: Annotated[
        Path | None, typer.Option(help="Folder for JSON certificates, to be checked by recheck.py.")
    ] = None,
) -> None:
    """Check the theorems step by step."""
    from reports.output import OutputFolder
    from theory.evidence import Checked
    from theory.proofs import THEOREMS
    from theory.proofs import prove as run
    from theory.proofs.theorem import JOIN, CheckedStep, Proof

    progress = Console(stderr=True, highlight=False)
    console = Console(highlight=False)

    def line(step: CheckedStep) -> None:
        if not step.holds:
            mark = f"[bold red]REFUSED[/] {escape(step.detail)}"
        elif step.checked is Checked.CITED:
            mark = f"[yellow]{step.checked.word}[/]"
        else:
            mark = f"[green]{step.evidence.name}, {step.checked.word}[/]"
        progress.print(f"  {escape(step.statement)} [dim]{step.engine}, {step.seconds:.2f} s[/] {mark}")

    names = list(THEOREMS) if theorem is None else [theorem]
    proofs = []
    done: dict[str, Proof] = {}
    with clear_errors():
        if certificate is not None:
            with OutputFolder(certificate):
                pass  # reports an unusable folder before the work
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
            counts = [(word, sum(step.checked is word for step in proof.steps)) for word in Checked]
            table.add_row(
                escape(proof.theorem.title),
                proof.theorem.source,
                str(len(proof.steps)),
                ", ".join(f"{count} {word.word}" for word, count in counts if count),
                styled(proof.verdict()) if proof.holds else "[bold red]REFUSED[/]",
                proof.evidence.name,
                f"{proof.seconds:.2f}",
            )
        console.print(table)
        console.print(JOIN)
    if not all(proof.holds for proof in proofs):
        raise typer.Exit(1)
