"""Every case of the corpus is what it says it is."""

import pytest

import filterproof as fp
from tests.corpus.first import CASES
from tests.corpus.first.case import Case
from tests.corpus.first.games import best_value

BROKEN = [case for case in CASES if case.kind == "broken"]
SOUND = [case for case in CASES if case.kind == "sound"]

#: Small mechanisms of every shape: symmetric, one-sided either way, with an infinite loss.
MENU = (
    fp.RandomizedResponse(0.1),
    fp.RandomizedResponse(0.45),
    fp.FinitePair((0.3, 0.7), (0.2, 0.8)),
    fp.FinitePair((0.02, 0.98), (0.05, 0.95)),
    fp.KOV(0.05, 1e-3),
    fp.Erasure(4e-3),
)


@pytest.mark.parametrize("case", BROKEN, ids=lambda case: case.name)
def test_a_broken_filter_exceeds_its_promise_in_the_game_that_it_names(case: Case) -> None:
    filt = case.filter_class()
    reached = case.shown(case.filter_class())
    promised = reached.promised(filt.promise)
    assert reached.value > (promised * (1 + case.margin) if promised > 0 else case.margin)
