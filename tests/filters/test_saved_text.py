"""The text that a saved session has is pinned: what one release saves, the next one restores to the bit.

`python -m tests.filters.test_saved_text` writes the file again.
"""

import json
from pathlib import Path

import pytest

import filterproof as fp
from filterproof.filters.catalogue import CATALOGUE

pytestmark = pytest.mark.pinned

FILE = Path(__file__).with_name("saved_sessions.json")
BLOCKS = fp.odometers.TrackerLimitFilter(fp.odometers.GaussianTracker(size=0.5), 4)


def example(name: str) -> tuple[fp.PrivacyFilter, tuple[fp.DominatingPair, ...]]:
    """A filter, and pairs that it may be asked for."""
    if name == "TrackerLimitFilter":
        return BLOCKS, (fp.Gaussian(0.3), fp.Gaussian(0.4))
    entry = CATALOGUE[name]
    return entry.example(), (fp.Gaussian(0.1), *entry.page.menu)


def played(name: str) -> fp.Session:
    """A session that was asked for each of them twice."""
    filt, pairs = example(name)
    session = filt.open("retry")
    for place, pair in enumerate((*pairs, *pairs)):
        if session.request(pair) and filt.looks_at_losses:
            session.observe((-1) ** place * 0.0625)
    return session


NAMES = (*CATALOGUE, "TrackerLimitFilter")


@pytest.mark.parametrize("name", NAMES)
def test_a_session_is_saved_as_it_was_and_restored_from_what_was_saved(name: str) -> None:
    saved = json.loads(FILE.read_text("utf-8"))[name]
    assert played(name).to_dict() == saved
    assert fp.Session.from_dict(saved, example(name)[0], "retry").to_dict() == saved


if __name__ == "__main__":
    FILE.write_text(json.dumps({name: played(name).to_dict() for name in NAMES}, indent=1) + "\n", "utf-8")
