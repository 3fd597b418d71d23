"""The examples of a Markdown page: its python blocks run in order, and a text block is what the one above it prints."""

import contextlib
import io
import re
import sys
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

from tests.interpreter import ROOT

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: The sources of the built pages.
PAGES = sorted((ROOT / "reports" / "docs" / "pages").rglob("*.md"))


def blocks(page: Path) -> list[tuple[str, str]]:
    """(language, text) of each block of a page; the generated ones, in braces, are none."""
    return [(found.group(1), found.group(2)) for found in BLOCK.finditer(page.read_text("utf-8"))]


def run_examples(page: Path) -> int:
    """Run the python blocks in one module and compare what they print; how many there were."""
    module = ModuleType(page.stem)
    # a worker sends the classes of a page by their names
    with patch.dict(sys.modules, {page.stem: module}):
        return _run_blocks(page, vars(module))


def _run_blocks(page: Path, namespace: dict[str, object]) -> int:
    found = blocks(page)
    ran = 0
    for k, (language, source) in enumerate(found):
        if language != "python":
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(source, f"{page.name} block {k}", "exec"), namespace)
        expected = found[k + 1][1] if k + 1 < len(found) and found[k + 1][0] == "text" else ""
        assert printed.getvalue() == expected, f"{page.name} block {k}"
        ran += 1
    return ran
