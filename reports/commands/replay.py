"""`filterproof replay`: replay a counterexample and compare the numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import Annotated, Any, cast

import typer
from rich.console import Console

from filterproof.reports.commands.console import clear_errors, print_error, print_text
from filterproof.reports.commands.exit_status import CommandEnd, ExitStatus

_FILES = "counterexample.json, verdict.json or verdicts.json"


def replay(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="The verdict.json of `filterproof verify`, or the verdicts.json of `filterproof report`.",
        ),
    ],
    key: Annotated[
        str | None,
        typer.Argument(
            metavar="[KEY]",
            help="The key of a refuted claim in verdicts.json, such as examined-naturalfilter.",
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="[TARGET]", help="Your filter, file.py::MyFilter, if the counterexample is about it."
        ),
    ] = None,
    exec_: Annotated[
        str | None, typer.Option("--exec", help="The program, if the counterexample is about a program.")
    ] = None,
    promise: Annotated[
        str | None, typer.Option(help="The guarantee of the program, such as pure(1).")
    ] = None,
    labels: Annotated[
        str | None, typer.Option(help="The labels of the program's requests, as for verify.")
    ] = None,
    over: Annotated[
        str | None, typer.Option(help="The record that the guarantee covers, as for verify.")
    ] = None,
    time_limit: Annotated[float | None, typer.Option(help="Time limit in seconds.")] = None,
) -> None:
    """Replay the counterexample of a refutation, and check that it gives the same numbers."""
    from filterproof.mc.examine.filter_fault import filter_faults_raised
    from filterproof.mc.examine.replay import ReplayError, replay_data
    from filterproof.reports.target_expression import read_target

    console = Console(highlight=False)
    with clear_errors(), ExitStack() as stack:
        document = _read_document(file)
        if "verdicts" in document:
            data = _claim_counterexample(document, key)
        else:
            data, target = (
                _stored_counterexample(document, file),
                target or key,
            )  # a counterexample has no keys
        filt = read_target(target, (exec_, promise, labels, over))
        filter_data = data["filter"]
        named = (
            filter_data.get("outside") if isinstance(filter_data, Mapping) else str(filter_data).split("(")[0]
        )
        if named is not None and filt is None:
            raise ValueError(
                f"the counterexample needs the filter {named!r} (target=None); add file.py::ClassName, or --exec"
            )
        if filt is not None:
            stack.enter_context(filter_faults_raised(filt))
        try:
            again = replay_data(data, filt=filt)
        except ReplayError as error:
            print_error(error)
            raise CommandEnd(ExitStatus.NOT_AS_EXPECTED) from error
    with clear_errors(), nullcontext() if filt is None else filter_faults_raised(filt):
        print_text(f"Replayed with the same result: {again.result}")
        formula = data.get("closed_form")
        formula_text = f", closed form {formula}" if formula is not None else ""
        print_text(f"The guarantee allows {again.promised:.6g}{formula_text}")
        if not again.refutes:
            console.print("It does not refute the guarantee.", style="yellow")
            raise CommandEnd(ExitStatus.NOT_AS_EXPECTED)


def _read_document(file: Path) -> Mapping[str, Any]:
    """Return the JSON object in a verdicts.json, a verdict.json or a counterexample.json."""
    why = ""
    try:
        document: object = json.loads(file.read_text("utf-8"))
    except OSError as error:
        document, why = None, f" ({error.strerror})"
    except (ValueError, RecursionError):
        document = None  # not JSON
    if not isinstance(document, dict):
        raise _not_a_counterexample(file, why)
    return document


def _not_a_counterexample(file: Path, why: str = "") -> ValueError:
    """Return the error for a file that holds no counterexample."""
    return ValueError(
        f"the file is not a {_FILES} with a counterexample (file={str(file)!r}){why}; write one by filterproof verify"
    )


def _stored_counterexample(document: Mapping[str, Any], file: Path) -> Mapping[str, Any]:
    """Return the document if it is a counterexample, or the counterexample of an examination."""
    from filterproof.mc.examine.replay import counterexample_kind

    data: Any = _entry_counterexample(document) if "findings" in document else document
    if counterexample_kind(data) is None:
        raise _not_a_counterexample(file, " because nothing was refuted" if data is None else "")
    return cast(Mapping[str, Any], data)


def _entry_counterexample(entry: Mapping[str, Any]) -> Any:
    """Return the counterexample of an entry; files of the first layouts call it the witness."""
    return entry.get("counterexample", entry.get("witness"))


def _claim_counterexample(document: Mapping[str, Any], key: str | None) -> Mapping[str, Any]:
    """Return the counterexample of the claim with this key in a verdicts.json."""
    from filterproof.mc.examine.replay import counterexample_kind

    parts = (document["verdicts"], document.get("agreements"))
    entries = [entry for part in parts if isinstance(part, list) for entry in part if isinstance(entry, dict)]
    refuted = {
        str(entry["key"]): data
        for entry in entries
        if entry.get("key") and counterexample_kind(data := _entry_counterexample(entry))
    }
    if key not in refuted:
        raise ValueError(
            f"the file has no counterexample for this key (key={key!r}); choose from {', '.join(refuted) or 'none'}"
        )
    return cast(Mapping[str, Any], refuted[key])
