"""The command line `filterproof`.

Exit status: 0 when every verdict is the expected one, 1 when one is not, 2 for unusable input, 130 for Ctrl-C.
"""

from __future__ import annotations

import typer

from reports.commands.attack import attack
from reports.commands.calibrate import calibrate
from reports.commands.catalogue import list_
from reports.commands.prove import prove
from reports.commands.replay import replay
from reports.commands.simulate import simulate
from reports.commands.verify import verify

__all__ = ["app", "main"]

app = typer.Typer(
    help="Is a privacy filter's promise true, and how tight is it?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
for name, command in (
    ("verify", verify),
    ("list", list_),
    ("prove", prove),
    ("simulate", simulate),
    ("attack", attack),
    ("calibrate", calibrate),
    ("replay", replay),
):
    app.command(name=name)(command)


def main() -> None:
    """The entry point of the command `filterproof`."""
    app()
