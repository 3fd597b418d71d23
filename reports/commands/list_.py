"""`filterproof list`: the filters, the adversaries and the claims of the report."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from filterproof.reports.commands.console import clear_errors, print_json


def list_(
    as_json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
) -> None:
    """List the filters, the adversaries and the claims of the report."""
    sections = {"filters": _filters(), "adversaries": _adversaries(), "claims": _claims()}
    console = Console()
    with clear_errors():
        if as_json:
            print_json(sections)
            return
        for title, rows in sections.items():
            heads = (name.replace("_", " ").capitalize() for name in rows[0])
            table = Table(*heads, title=title.capitalize(), title_justify="left")
            for row in rows:
                table.add_row(*map(escape, row.values()), style="red" if row.get("sound") == "no" else None)
            console.print(table)


def _filters() -> list[dict[str, str]]:
    from filterproof.filters.catalogue import CATALOGUE

    words = {True: "yes", False: "no", None: "open"}
    return [
        {
            "filter": entry.name,
            "sound": words[entry.sound],
            "guarantee": str(entry.example().promise),
            "proof_or_flaw": entry.example().proof,
        }
        for entry in CATALOGUE.values()
    ]


def _adversaries() -> list[dict[str, str]]:
    from filterproof import mc

    kinds = [getattr(mc, name) for name in mc.__all__]
    return [
        {"adversary": kind.__name__, "description": (kind.__doc__ or "").strip().split("\n")[0]}
        for kind in kinds
        if isinstance(kind, type) and issubclass(kind, mc.Adversary) and kind is not mc.Adversary
    ]


def _claims() -> list[dict[str, str]]:
    from filterproof.reports.chapters import CLAIMS

    return [
        {"claim": claim.sentence, "source": claim.source, "expected": claim.expected.name} for claim in CLAIMS
    ]
