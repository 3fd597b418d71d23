"""The how-to of proofs shows what the command prints."""

from pathlib import Path

import pytest

from tests.mc.examine.stages.test_source_proof import examined, written
from tests.printed_examples import PAGES, blocks

HOWTO = next(page for page in PAGES if page.name == "prove.md")


@pytest.mark.slow  # the proof takes seconds, and has tests of its own
def test_the_howto_shows_what_is_printed(tmp_path: Path) -> None:
    (source,) = (text for language, text in blocks(HOWTO) if language == "python")
    shown = next(text for language, text in blocks(HOWTO) if "verify" in text)
    filt = written(tmp_path, source.replace("MainAndPetty", "Mine"))
    exam, _ = examined(filt)
    lines = "\n".join(line for line in exam.lines() if not line.startswith("  admission"))
    assert lines.replace("Mine", "MainAndPetty") == shown.partition("\n")[2].rstrip()
