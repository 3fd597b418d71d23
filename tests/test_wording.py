"""Pages, help texts and docstrings claim no more of the proofs than was checked, and carry no stray quotes."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
ROOMS = ("theory", "filters", "mc", "reports", "filterproof")
#: Words that call the joints of a derivation checked too.
TOO_WIDE = re.compile(
    r"machine-checked (derivation|proof|theorem)|no step is prose|fully (verified|proved)|proofs? (of|for) the code",
    re.IGNORECASE,
)
#: The quotes where a string in two lines was one.
REFLOWED = re.compile(r'"\s*\n\s*"')


def _texts() -> list[Path]:
    sources = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*")) if path.is_file()]
    kept = [path for path in sources if path.suffix in (".py", ".j2", ".md")]
    return [*kept, ROOT / "README.md", ROOT / "CONTRIBUTING.md"]


def test_no_text_calls_a_derivation_machine_checked_as_a_whole() -> None:
    for path in _texts():
        found = TOO_WIDE.search(" ".join(path.read_text("utf-8").split()))
        assert found is None, f"{path.relative_to(ROOT)}: {found and found.group()}"


def test_no_docstring_carries_the_quotes_of_a_reflowed_string() -> None:
    for path in (p for p in (*_texts(), *(ROOT / "tests").rglob("*.py")) if p.suffix == ".py"):
        source = path.read_text("utf-8")
        for node in ast.walk(ast.parse(source)) if REFLOWED.search(source) else ():
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                text = ast.get_docstring(node, clean=False) or ""
                assert not REFLOWED.search(text), f"{path.relative_to(ROOT)}: {text[:80]}"


def test_the_front_page_says_what_the_kernel_covers_and_that_prose_joins_other_steps() -> None:
    for page in ("README.md", "CONTRIBUTING.md"):
        text = " ".join((ROOT / page).read_text("utf-8").split())
        assert "prose" in text
    text = " ".join((ROOT / "README.md").read_text("utf-8").split())
    assert "mechanisms with finitely many outcomes" in text
    assert "All but the theorem run the filter's own code" in text
