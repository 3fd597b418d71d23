"""What commands print is printed as it is, whatever a filter is called."""

from __future__ import annotations

import pytest

from reports.commands.console import complain, doing, say


def test_what_is_said_is_neither_markup_nor_obeyed_by_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    name = "x[/b][red]\x1b[31m\x9b"
    with doing(name):
        say(name)
        complain(name)
    shown = capsys.readouterr()
    assert shown.out == "x[/b][red]?[31m?\n"
    assert shown.err == "filterproof: x[/b][red]?[31m?\n"
