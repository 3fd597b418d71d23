"""The libraries themselves, in the environments of `make audit-test`: findings are shown, broken laws explained."""

import re
import subprocess
from pathlib import Path

import pytest

from reports.audit.auditing import audit_of, interpreter
from reports.audit.registry import libraries_of

ROOT = Path(__file__).parents[3]
LIBRARIES = libraries_of()
ENVIRONMENTS = ROOT / ".audit"
PAGE = ROOT / "reports" / "docs" / "pages" / "howto" / "libraries.md"
#: The blocks that the quick tests leave out, with the library that each needs.
BLOCKS = re.findall(
    r"^```\{code-block\} python\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL
)

pytestmark = [pytest.mark.audit, pytest.mark.slow]


def python_of(key: str) -> str:
    python = interpreter(LIBRARIES[key], ENVIRONMENTS)
    if python is None:
        pytest.skip(f"{LIBRARIES[key].distribution} is not installed; `make audit-test` installs it")
    return python


@pytest.mark.parametrize("key", LIBRARIES)
def test_every_finding_is_shown_and_every_broken_law_is_explained(key: str) -> None:
    python_of(key)
    found = audit_of([LIBRARIES[key]], environments=ENVIRONMENTS, effort=0.07)
    assert found.absent == ()
    (library,) = found.libraries
    assert [one.fault.key for one in library.refused] == []
    assert [(name, law.law, law.words) for name, law in library.unexplained] == []


@pytest.mark.parametrize("block", BLOCKS, ids=[re.findall(r"from (\w+)", block)[0] for block in BLOCKS])
def test_a_block_of_the_page_that_needs_a_library_runs(block: str) -> None:
    (key,) = {name for name in re.findall(r"from (\w+)", block) if name in LIBRARIES}
    ran = subprocess.run(
        [python_of(key), "-c", f"import filterproof as fp\n{block}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
