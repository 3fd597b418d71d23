"""Every case of the corpus is what it says it is."""

import numpy as np
import pytest

import filterproof as fp
from filters.contract.checks import checked_admits, checked_filter, checked_spend, checked_start
from tests.instruments.corpus.case import Case
from tests.instruments.corpus.games import best_value
from tests.instruments.corpus.halves import HALVES

CASES = [case for half in HALVES.values() for case in half]
BROKEN = [case for case in CASES if case.kind == "broken"]
SOUND = [case for case in CASES if case.kind == "sound"]

#: Small mechanisms of every shape: symmetric, one-sided either way, with an infinite loss.
MENU = (
    fp.RandomizedResponse(0.02),
    fp.RandomizedResponse(0.45),
    fp.FinitePair((0.02, 0.98), (0.03, 0.97)),
    fp.FinitePair((0.3, 0.7), (0.4, 0.6)),
    fp.FinitePair((0.0005, 0.9995), (0.0004, 0.9996)),
    fp.RandomizedResponse(0.15),
    fp.KOV(0.05, 4e-3),
)
#: One of these is granted by every filter.
FIRST = (fp.RandomizedResponse(0.015), fp.RandomizedResponse(0.15), fp.Gaussian(0.05))
FIRST += (
    fp.SubsampledGaussian(0.01, 2.0),
    fp.RandomizedResponse(np.log(1.25)),
    fp.Laplace(20.0),
    fp.RandomizedResponse(0.005),
)


@pytest.mark.parametrize("case", BROKEN, ids=lambda case: case.name)
def test_a_broken_filter_exceeds_its_promise_in_the_game_that_it_names(case: Case) -> None:
    reached = case.shown(case.filter_class())
    promised = reached.promised(case.filter_class().promise)
    assert reached.value > (promised * (1 + case.margin) if promised > 0 else case.margin)
    assert case.why


@pytest.mark.parametrize("case", [case for case in SOUND if case.shown], ids=lambda case: case.name)
def test_a_sound_filter_keeps_its_promise_in_a_game_that_comes_near(case: Case) -> None:
    reached = case.shown(case.filter_class())
    # the closed forms are good to twelve digits
    assert 0 < reached.value <= reached.promised(case.filter_class().promise) * (1 + 1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("case", SOUND, ids=lambda case: case.name)
def test_no_three_rounds_of_a_small_menu_beat_a_sound_filter(case: Case) -> None:
    filt = case.filter_class()
    menu = [pair for pair in MENU if _answers(filt, pair)]
    for epsilon in (0.0, getattr(filt.promise, "epsilon", 0.3)):
        assert best_value(filt, menu, epsilon, 3) <= float(filt.promise.delta(epsilon)) * (1 + 1e-12)
    assert case.why


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_filter_grants_something_and_keeps_to_the_contract(case: Case) -> None:
    filt = checked_filter(case.filter_class())
    granted = []
    for first in FIRST:
        if _answers(filt, first):
            granted.append(checked_admits(filt, checked_start(filt, 1), first, 1)[0])
            three = fp.Selection((first, fp.Gaussian(0.01)), np.array([0, 1, 0]))
            if _answers(filt, three, 3):
                state = checked_start(filt, 3)
                some = checked_admits(filt, state, three, 3)
                assert some[0] == some[2] == granted[-1]
                checked_spend(filt, state, three, 3)
    assert any(granted)


@pytest.mark.parametrize(
    ("half", "kind", "count"),
    [
        ("first", "broken", 30),
        ("first", "sound", 20),
        ("second", "broken", 30),
        ("second", "sound", 20),
        ("third", "broken", 20),
        ("third", "sound", 10),
        ("fourth", "broken", 21),
        ("fourth", "sound", 8),
        ("fifth", "broken", 9),
        ("fifth", "sound", 5),
    ],
)
def test_each_part_holds_so_many_cases_of_each_kind(half: str, kind: str, count: int) -> None:
    assert sum(case.kind == kind for case in HALVES[half]) == count


def test_every_case_has_a_name_and_a_class_of_its_own() -> None:
    assert len({case.name for case in CASES}) == len({case.filter_class for case in CASES}) == len(CASES)


def _answers(filt: fp.PrivacyFilter, request: fp.DominatingPair, n: int = 1) -> bool:
    """Whether the filter decides about the request at all, rather than raise."""
    try:
        filt.admits(filt.start(n), request)
    except ValueError:
        return False
    return True
