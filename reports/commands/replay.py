"""`filterproof replay`: the same bits from a witness."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from reports.commands.console import clear_errors, complain

__all__ = ["replay"]


def replay(
    file: Annotated[Path, typer.Argument(help="A verdicts.json.")],
    key: Annotated[str, typer.Argument(help="The key of a refuted claim, such as naive-refuted.")],
    target: Annotated[
        str | None, typer.Argument(help="The filter, file.py::MyFilter, where the witness is about your own.")
    ] = None,
) -> None:
    """Replay the witness of a refutation: the same seed must give the same bits."""
    from mc import Witness
    from mc import replay as play_again
    from reports.user_filter import load_filter

    with clear_errors():
        try:
            verdicts = {entry["key"]: entry for entry in json.loads(file.read_text("utf-8"))["verdicts"]}
        except (json.JSONDecodeError, UnicodeDecodeError, KeyError, TypeError) as error:
            raise ValueError(
                f"file must be a verdicts.json, got file={str(file)!r}; run filterproof verify"
            ) from error
        if key not in verdicts or verdicts[key].get("witness") is None:
            known = [k for k, entry in verdicts.items() if entry.get("witness")]
            raise ValueError(
                f"key must have a witness, got key={key!r}; the file has {', '.join(known) or 'none'}"
            )
        told = Witness.from_data(verdicts[key]["witness"])
        filt = load_filter(target) if target is not None else None
        if "outside" in told.filter and filt is None:
            raise ValueError(
                f"target must name the filter {told.filter['outside']!r}, got none; add file.py::ClassName"
            )
    console = Console()
    try:
        estimate = play_again(told, filt=filt)
    except ValueError as error:
        complain(error)
        raise typer.Exit(1) from error
    console.print(f"The same bits again: {estimate}", highlight=False, soft_wrap=True)
    console.print(f"promised {told.promised:.6g}, closed form {told.closed_form}", highlight=False)
