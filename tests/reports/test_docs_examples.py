"""Every block of README and pages runs, in order, and prints what is shown; every command line names what there is."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import typer

from reports.cli import app
from tests.printed_examples import PAGES, ROOT, blocks, run_examples

WITH_CODE = [
    page for page in (ROOT / "README.md", *PAGES) if any(language == "python" for language, _ in blocks(page))
]
COMMANDS = [
    line.removeprefix("$ ")
    for page in PAGES
    for language, text in blocks(page)
    if language == "console"
    for line in text.splitlines()
    if line.startswith("$ filterproof ")
]


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: page.stem)
def test_the_blocks_of_a_page_print_what_it_says(page: Path) -> None:
    assert run_examples(page) >= (3 if page.stem == "README" else 1)


def test_a_block_that_prints_something_else_is_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\nx = 1\n```\n\n```python\nprint(x)\n```\n\n```text\n2\n```\n", "utf-8")
    with pytest.raises(AssertionError, match=r"page\.md block 1"):
        run_examples(page)
    page.write_text(page.read_text("utf-8").replace("\n2\n", "\n1\n"), "utf-8")
    assert run_examples(page) == 2


def test_the_pages_show_the_start_the_tutorial_and_every_how_to() -> None:
    shown = {page.stem for page in WITH_CODE}
    assert {"README", "index", "tutorial", "verdicts"} <= shown
    assert {page.stem for page in PAGES if page.parent.name in ("howto", "papers")} <= shown


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_line_names_a_command_and_its_options(line: str) -> None:
    _, name, *words = shlex.split(line)
    command = typer.main.get_command(app).commands[name]
    known = {option for one in command.params for option in (*one.opts, *one.secondary_opts)}
    assert {word for word in words if re.match(r"--?[a-z]", word)} <= known


def test_command_lines_are_found() -> None:
    assert len(COMMANDS) >= 4
