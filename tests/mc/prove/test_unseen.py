"""The prover on filters of an author who had not seen it: what it proved at its first try, and nothing broken."""

import ast
from pathlib import Path

import pytest

from filterproof.mc.prove.source_proof import prove
from filterproof.reports.user_filter import load_filter

pytest.importorskip("z3", reason="proofs need the extra [prove]")
pytestmark = pytest.mark.slow

FILES = {kind: Path(__file__).parent / "unseen" / f"{kind}.py" for kind in ("sound", "broken")}
#: Sound filters that were not proved: a product with `@`, and a geometric series of seasons.
UNPROVED = {"SubscriptionTiers", "EndlessSeasons"}


def filters_of(kind: str) -> list[str]:
    """The names of the filters in a file."""
    classes = [
        node for node in ast.parse(FILES[kind].read_text("utf-8")).body if isinstance(node, ast.ClassDef)
    ]
    return [node.name for node in classes if "PrivacyFilter" in ast.unparse(node)]


@pytest.mark.parametrize("name", filters_of("sound"))
def test_sound_filter_is_proved(name: str) -> None:
    assert prove(load_filter(f"{FILES['sound']}::{name}")).proved is (name not in UNPROVED)


@pytest.mark.parametrize("name", filters_of("broken"))
def test_broken_filter_is_not_proved(name: str) -> None:
    assert not prove(load_filter(f"{FILES['broken']}::{name}")).proved
