"""`filterproof attack`: a search for a game that a filter loses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

import mc.attack
from reports.commands.console import clear_errors
from reports.expression import read_filter
from reports.output import OutputFolder

__all__ = ["attack"]


def attack(
    filter_: Annotated[str, typer.Argument(metavar="FILTER", help="'NaturalFilter' or file.py::MyFilter.")],
    rounds: Annotated[int, typer.Option(help="At most so many rounds.")] = 4,
    out: Annotated[Path | None, typer.Option(help="Folder for witness.json.")] = None,
) -> None:
    """Search menus and parameters for a value above the promise; what is found is re-verified exactly.

    Exit status 1 when the promise is refuted. Finding nothing proves nothing.
    """
    console = Console(highlight=False)
    with clear_errors():
        filt = read_filter(filter_)
        with Console(stderr=True).status(f"searching for a game that {type(filt).__name__} loses"):
            found = mc.attack.attack(filt, rounds=rounds)
        console.print(str(found.verdict), markup=False, soft_wrap=True)
        console.print(found.verdict.detail, markup=False, soft_wrap=True)
        if found.refuted:
            console.print_json(json.dumps(found.witness))
            if out is not None:
                with OutputFolder(out) as folder:
                    folder.add("witness.json", (json.dumps(found.witness, indent=2) + "\n").encode())
    if found.refuted:
        raise typer.Exit(1)
