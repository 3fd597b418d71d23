"""The command line `filterproof`. `ExitStatus` lists its exit statuses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from filterproof.reports.commands.audit import audit
from filterproof.reports.commands.calibrate import calibrate
from filterproof.reports.commands.console import speak_any_encoding
from filterproof.reports.commands.figures import figures
from filterproof.reports.commands.guarded import guarded
from filterproof.reports.commands.kernel import kernel
from filterproof.reports.commands.list_ import list_
from filterproof.reports.commands.prove import prove
from filterproof.reports.commands.replay import replay
from filterproof.reports.commands.report import report
from filterproof.reports.commands.simulate import simulate
from filterproof.reports.commands.verify import process_time_limit, verify

app = typer.Typer(
    no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="rich"
)


def _print_version(requested: bool) -> None:
    """Print the version and exit if `--version` was passed."""
    if requested:
        from importlib import metadata

        typer.echo(f"filterproof {metadata.version('filterproof')}")
        raise typer.Exit


@app.callback()
def _global_options(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version and exit.", callback=_print_version, is_eager=True),
    ] = False,
) -> None:
    """Verify and simulate privacy filters: is a filter's guarantee true, and how tight is it?"""


#: The commands by the names of their functions. The wheel has no scripts that audit other libraries.
COMMANDS: dict[str, Callable[..., None]] = {
    command.__name__: command
    for command in (verify, report, replay, list_, prove, kernel, simulate, calibrate, figures, audit)
    if command is not audit or (Path(__file__).parent / "audit" / "scripts").is_dir()
}
for _name, _command in COMMANDS.items():
    app.command(name=_name.rstrip("_"))(
        guarded(_command, process_time_limit) if _command is verify else guarded(_command)
    )


def main() -> None:
    """Run the command `filterproof`."""
    speak_any_encoding()
    app()
