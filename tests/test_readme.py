"""The README is run exactly as printed: a python block, and the text block after it is what it prints."""

from __future__ import annotations

from tests.printed_examples import ROOT, run_examples


def test_every_python_block_prints_what_the_readme_says() -> None:
    ran = run_examples(ROOT / "README.md")
    assert ran >= 3, "the README shows at least the three examples of the front door"
