"""`filterproof attack`: a search for a game that a filter loses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

import mc.examine.attack
from mc.runs.output import OutputFolder
from reports.commands.console import check_folder, clear_errors, clear_faults, doing, say, written_after
from reports.commands.exit_status import End, ExitStatus
from reports.expression import read_filter
from reports.replaying import replay_command
from theory.arguments import check_count

#: Far more rounds than can be solved: each round multiplies the number of histories.
MOST_ROUNDS = 10_000


def attack(
    filter_: Annotated[str, typer.Argument(metavar="FILTER", help="'NaturalFilter' or file.py::MyFilter.")],
    rounds: Annotated[int, typer.Option(help="At most so many rounds.")] = 4,
    out: Annotated[Path | None, typer.Option(help="Folder for witness.json.")] = None,
    time_limit: Annotated[float | None, typer.Option(help="At most so many seconds.")] = None,
) -> None:
    """Search menus and parameters for a value above the promise; what is found is re-verified exactly.

    Exit status 1 when the promise is refuted. Finding nothing proves nothing.
    """
    console = Console(highlight=False)
    with clear_errors():
        check_count("rounds", rounds, most=MOST_ROUNDS, remedy="a longer game has too many positions")
        if out is not None:
            check_folder(out)
        filt = read_filter(filter_)
    searching = doing(f"searching for a game that {type(filt).__name__} loses")
    with clear_faults(filter_, filt), searching:
        found = mc.examine.attack.attack(filt, rounds=rounds)
    with clear_faults(filter_, filt):
        say(found.verdict)
        say(found.verdict.detail)
        if found.refuted:
            console.print_json(json.dumps(found.witness))
            if out is not None:
                with written_after(ExitStatus.NOT_AS_EXPECTED), OutputFolder(out) as folder:
                    folder.add("witness.json", (json.dumps(found.witness, indent=2) + "\n").encode())
                told = replay_command(out / "witness.json", target=filter_ if "::" in filter_ else None)
                say(f"Again: {told}")
    if found.refuted:
        raise End(ExitStatus.NOT_AS_EXPECTED)
    if found.games == 0:
        raise End(ExitStatus.NOTHING_TRIED)
