"""The libraries themselves, in the environments of `make audit-test`: each finding is shown."""

import re
import subprocess
from pathlib import Path

import pytest

from filterproof.reports.audit.audit_record import recorded_audit
from filterproof.reports.audit.auditing import find_python_with_library, rerun_audit

ROOT = Path(__file__).parents[3]
RECORDED = recorded_audit()
DISTRIBUTIONS = {library.key: library.distribution for library in RECORDED.libraries}
ENVIRONMENTS = ROOT / ".audit"
PAGE = ROOT / "reports" / "docs" / "pages" / "howto" / "libraries.md"
#: The blocks that the quick tests leave out, with the library that each needs.
BLOCKS = re.findall(
    r"^```\{code-block\} python\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL
)

pytestmark = [pytest.mark.audit, pytest.mark.slow]


def python_of(key: str) -> str:
    python = find_python_with_library(DISTRIBUTIONS[key], ENVIRONMENTS)
    if python is None:
        pytest.skip(f"{DISTRIBUTIONS[key]} is not installed; `make audit-test` installs it")
    return python[0]


@pytest.mark.parametrize("key", DISTRIBUTIONS)
def test_every_finding_is_shown(key: str) -> None:
    python_of(key)
    (library,) = rerun_audit(RECORDED.only([key]), environments=ENVIRONMENTS).libraries
    assert [(finding.key, finding.got) for finding in library.findings if not finding.shown] == []


@pytest.mark.parametrize("block", BLOCKS, ids=[re.findall(r"from (\w+)", block)[0] for block in BLOCKS])
def test_a_block_of_the_page_that_needs_a_library_runs(block: str) -> None:
    (key,) = {name for name in re.findall(r"from (\w+)", block) if name in DISTRIBUTIONS}
    ran = subprocess.run(
        [python_of(key), "-c", f"import filterproof as fp\n{block}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
