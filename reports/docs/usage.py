"""The command line as Markdown, read from its own parser."""

from __future__ import annotations

import inspect
from typing import Any

from reports.cli import COMMANDS, app
from reports.commands.exit_status import ExitStatus
from reports.docs.markdown import escaped, table

__all__ = ["commands", "exit_statuses"]


def commands() -> str:
    """A section for each command: its help, its arguments and its options."""
    import typer

    group: Any = typer.main.get_command(app)
    return "\n\n".join(_command(name, group.commands[name.rstrip("_")]) for name in COMMANDS)


def _command(name: str, command: Any) -> str:
    # Any: typer keeps its parameters to itself
    rows = [(f"`{_spelling(one)}`", escaped(one.help or "")) for one in command.params if one.name != "help"]
    title = f"## filterproof {name.rstrip('_')}"
    told = "\n\n".join(escaped(block) for block in inspect.cleandoc(command.help or "").split("\n\n"))
    options = [table(("argument or option", "meaning"), rows)] if rows else []
    return "\n\n".join([title, told, *options])


def _spelling(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        word = parameter.metavar or parameter.name.upper()
        return str(word) if parameter.required else f"[{word}]"
    return ", ".join(parameter.opts)


def exit_statuses() -> str:
    """The table of the statuses that `filterproof` ends with."""
    return table(("status", "meaning"), [(str(int(one)), one.meaning) for one in ExitStatus])
