"""The README is run exactly as printed: a python block, and the text block after it is what it prints."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks() -> list[tuple[str, str]]:
    return [(m.group(1), m.group(2)) for m in BLOCK.finditer(README.read_text("utf-8"))]


def test_every_python_block_prints_what_the_readme_says() -> None:
    namespace: dict[str, object] = {"__name__": "readme"}
    found = blocks()
    ran = 0
    for k, (language, source) in enumerate(found):
        if language != "python":
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(source, f"README.md block {k}", "exec"), namespace)
        expected = found[k + 1][1] if k + 1 < len(found) and found[k + 1][0] == "text" else ""
        assert printed.getvalue() == expected
        ran += 1
    assert ran >= 3, "the README shows at least the three examples of the front door"
