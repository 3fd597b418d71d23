"""Every case of the corpus is what it says it is."""

from collections import Counter

import numpy as np
import pytest

import filterproof as fp
from filterproof.filters.contract.contract_checks import (
    checked_admits,
    checked_filter,
    checked_spend,
    checked_start,
)
from tests.instruments.corpus.case import Case
from tests.instruments.corpus.corpus_parts import PARTS
from tests.instruments.corpus.games import (
    Best,
    require_granted,
)

CASES = [case for half in PARTS.values() for case in half]
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


RARE = fp.FinitePair((0.02, 0.98), (0.0014, 0.9986))
ONE_SIDED = fp.FinitePair((0.0, 1.0), (0.04, 0.96))
#: What comes near the limits of sound filters of the third part, and for how many rounds.
DEEPER: dict[str, tuple[tuple[fp.DominatingPair, ...], int]] = {
    "bucket-in-the-sum": ((fp.RandomizedResponse(0.3), fp.RandomizedResponse(0.05), RARE), 5),
    "given-back-at-cost": ((fp.RandomizedResponse(0.1), fp.RandomizedResponse(0.28)), 6),
    "collision-product": ((RARE, fp.RandomizedResponse(0.4)), 5),
    "still-together": ((fp.RandomizedResponse(0.05), fp.Erasure(0.03), ONE_SIDED), 5),
    "half-of-the-rest": ((fp.KOV(0.5, 2e-5), fp.KOV(0.25, 2e-5), fp.KOV(0.125, 3e-5)), 5),
    "few-or-many": ((fp.RandomizedResponse(0.2), fp.RandomizedResponse(0.4)), 8),
    "cut-off-and-paid": ((fp.RandomizedResponse(0.2505), fp.KOV(0.25, 3e-4)), 6),
    "settled-at-losses": ((fp.RandomizedResponse(0.25), fp.RandomizedResponse(0.4)), 8),
    "draws-lots": ((fp.RandomizedResponse(0.3), fp.RandomizedResponse(0.123456789)), 7),
    "paid-second-chances": ((fp.RandomizedResponse(0.15),), 12),
}


@pytest.mark.parametrize("case", BROKEN, ids=lambda case: case.name)
def test_a_broken_filter_exceeds_its_promise_in_the_game_that_it_names(case: Case) -> None:
    reached = case.shown(case.make())
    promised = reached.promised(case.make().promise)
    assert reached.value > (promised * (1 + case.margin) if promised > 0 else case.margin)
    assert case.why


@pytest.mark.parametrize("case", [case for case in SOUND if case.shown], ids=lambda case: case.name)
def test_a_sound_filter_keeps_its_promise_in_a_game_that_comes_near(case: Case) -> None:
    reached = case.shown(case.make())
    # the closed forms are good to twelve digits
    assert 0 < reached.value <= reached.promised(case.make().promise) * (1 + 1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("case", SOUND, ids=lambda case: case.name)
def test_no_game_of_few_rounds_beats_a_sound_filter(case: Case) -> None:
    filt = case.make()
    games = [(tuple(pair for pair in MENU if _answers(filt, pair)), 3)]
    games += [DEEPER[case.name]] if case in PARTS["third"] else []
    for menu, rounds in games:
        for epsilon in {0.0, *(getattr(filt.promise, "epsilon", other) for other in (0.3, 0.8))}:
            assert Best(menu, rounds).value(filt, epsilon) <= float(filt.promise.delta(epsilon)) * (1 + 1e-12)
    assert case.why


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_filter_grants_something_and_keeps_to_the_contract(case: Case) -> None:
    filt = checked_filter(case.make())
    granted = []
    for first in FIRST:
        if _answers(filt, first):
            granted.append(checked_admits(filt, checked_start(filt, 1), first, 1)[0])
            three = fp.PairPerRun((first, fp.Gaussian(0.01)), np.array([0, 1, 0]))
            if _answers(filt, three, 3):
                state = checked_start(filt, 3)
                some = checked_admits(filt, state, three, 3)
                assert some[0] == some[2] == granted[-1]
                checked_spend(filt, state, three, 3)
    assert any(granted)


def test_the_best_strategy_is_worth_what_its_game_is_and_a_denied_request_fails_a_case() -> None:
    pairs, filt = (
        (fp.RandomizedResponse(0.14), fp.RandomizedResponse(0.28)),
        fp.BasicFilter(0.6, 0.5),
    )
    for rounds in (1, 2, 3):
        solved = fp.worst_case(filt, pairs, epsilon=0.3, rounds=rounds)
        assert Best(pairs, rounds).value(filt, 0.3) == pytest.approx(solved.low, rel=1e-9)
    with pytest.raises(AssertionError, match="request 2 was denied"):
        require_granted(filt, [pairs[1]] * 3)


def test_each_part_holds_so_many_cases_of_each_kind_with_names_and_classes_of_their_own() -> None:
    kinds = {half: Counter(case.kind for case in cases) for half, cases in PARTS.items()}
    assert {half: (kind["broken"], kind["sound"]) for half, kind in kinds.items()} == {
        **{"first": (30, 20), "second": (30, 20), "third": (20, 10), "fourth": (21, 8), "fifth": (9, 5)},
    }
    assert len({case.name for case in CASES}) == len({case.make for case in CASES}) == len(CASES)


def _answers(filt: fp.PrivacyFilter, request: fp.DominatingPair, n: int = 1) -> bool:
    """Whether the filter decides about the request at all, rather than raise."""
    try:
        filt.admits(filt.start(n), request)
    except ValueError:
        return False
    return True
