"""The command line `filterproof`. `ExitStatus` lists its exit statuses."""

from __future__ import annotations

from collections.abc import Callable

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
from filterproof.reports.commands.simulate import simulate
from filterproof.reports.commands.verify import limit_of, verify

app = typer.Typer(
    help="Verify and simulate privacy filters: is a filter's guarantee true, and how tight is it?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
#: The commands by the names of their functions.
COMMANDS: dict[str, Callable[..., None]] = {
    command.__name__: command
    for command in (
        verify,
        list_,
        prove,
        kernel,
        simulate,
        audit,
        calibrate,
        replay,
        figures,
    )
}
for _name, _command in COMMANDS.items():
    app.command(name=_name.rstrip("_"))(
        guarded(_command, limit_of) if _command is verify else guarded(_command)
    )


def main() -> None:
    """Run the command `filterproof`."""
    speak_any_encoding()
    app()
