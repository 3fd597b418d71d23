"""What a filter is shown: a state that it can only read, and requests of one family at a time."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import filterproof as fp
import filterproof.filters.accountants.batched_grants
from filterproof.filters.accountants.repeats import count_grants
from filterproof.filters.contract.contract_checks import (
    checked_admits,
    checked_observe,
    checked_spend,
    checked_step,
)
from filterproof.filters.contract.state import frozen_copy, read_only, state_leaves
from filterproof.theory.pairs import (
    DominatingPair,
    Gaussian,
    PairPerRun,
    RandomizedResponse,
    SubsampledGaussian,
)
from tests.filters.own import of

STATES = {
    "numbers": np.arange(3.0),
    "none": np.zeros((0, 2)),
    "one for all": np.broadcast_to(0.0, 3),
    "a part": np.arange(12.0).reshape(3, 4)[:, ::2],
    "whole numbers in pairs": (np.arange(3), (np.array([True, False, True]), np.zeros((3, 0)))),
    "dates": np.array(["2026-01-01", "2026-01-02"], dtype="M8[D]"),
    "records": np.zeros(2, dtype=[("a", "f8"), ("b", "i4")]),
    "exact": np.array([Fraction(1, 3), 2], dtype=object),
    "live": np.array([[1], {2: 3}, None], dtype=object)[:2],
}


@pytest.mark.parametrize("lend", [read_only, frozen_copy])
@pytest.mark.parametrize("state", STATES.values(), ids=STATES)
def test_a_lent_state_is_the_same_numbers_and_cannot_be_written_to(lend: Any, state: Any) -> None:
    for leaf, lent in zip(state_leaves(state), state_leaves(lend(lend(state))), strict=True):
        assert lent.dtype == leaf.dtype
        assert lent.shape == leaf.shape
        assert lent.tolist() == leaf.tolist()
        with pytest.raises(ValueError, match="read-only"):
            lent[...] = lent.copy()


class LossReporting(fp.PrivacyFilter):
    """Charges by the class of the request, as users write it, and keeps what it was shown."""

    promise = fp.GaussianDP(1.0)

    def __init__(self) -> None:
        self.shown: set[type] = set()

    def cost(self, request: DominatingPair) -> Any:
        self.shown.add(type(request))
        return np.asarray(request.gdp_mu) ** 2 * (1.0 if isinstance(request, SubsampledGaussian) else 1.5)

    def start(self, n: int) -> Any:
        return np.zeros(n), np.zeros(n, dtype=int)

    def admits(self, state: Any, request: DominatingPair) -> Any:
        return state[0] + self.cost(request) <= 1.0

    def spend(self, state: Any, request: DominatingPair) -> Any:
        return state[0] + self.cost(request), state[1] + 1


MENU = (SubsampledGaussian(0.5, 1.0), Gaussian(0.5), RandomizedResponse(0.25), Gaussian(0.9))
INDEX = np.array([0, 1, 2, 3, 1, 0, 3])


def test_runs_of_several_families_are_decided_and_charged_as_they_are_alone() -> None:
    filt, n = LossReporting(), len(INDEX)
    mixed, state = PairPerRun(MENU, INDEX), filt.start(n)
    for _ in range(2):
        admitted, after = checked_step(filt, state, mixed, n)
        assert after is None
        assert admitted.tolist() == checked_admits(filt, state, mixed, n).tolist()
        spent = checked_spend(filt, state, mixed, n)
        for run, place in enumerate(INDEX):
            alone = tuple(leaf[[run]] for leaf in state)
            assert admitted[run] == checked_admits(filt, alone, MENU[place], 1)[0]
            single = checked_spend(filt, alone, MENU[place], 1)
            assert [leaf[run] for leaf in spent] == [leaf[0] for leaf in single]
        state = checked_observe(filt, spent, np.zeros(n), n)
    assert filt.shown == {SubsampledGaussian, Gaussian, RandomizedResponse}


def test_no_accountant_shows_a_filter_of_ones_own_several_families_at_once() -> None:
    filt = LossReporting()
    people = fp.IndividualFilter(filt, 3)
    assert people.select(fp.gaussian_request(np.array([0.0, 1.0, 2.0]), sigma=2.0)).tolist() == [
        True,
        True,
        False,
    ]
    assert filt.open("retry").request(PairPerRun(MENU, np.array([1])))
    assert PairPerRun not in filt.shown


BASE = fp.ZCDPFilter
NEVER = of(BASE, step=lambda filt, s, r: (np.zeros(len(s[0]), dtype=bool), s))
GENEROUS = of(BASE, step=lambda filt, s, r: (np.ones(len(s[0]), dtype=bool), s))


#: What a subclass overrides, and how often it grants what costs 0.21 of 0.5.
OVERRIDING = {
    "denies by grant": (NEVER, 0),
    "delegates its spend below that": (of(NEVER, spend=lambda filt, s, r: BASE.spend(filt, s, r)), 0),
    "is stricter than a generous grant": (
        of(GENEROUS, admits=lambda filt, s, r: BASE.admits(filt, s, r) & np.less_equal(r.zcdp_rho, 0.1)),
        0,
    ),
    "charges twice": (of(BASE, spend=lambda filt, s, r: BASE.spend(filt, BASE.spend(filt, s, r), r)), 1),
    "grants one": (
        of(BASE, step=lambda filt, s, r: (BASE.admits(filt, s, r) & (s[0] == 0), BASE.spend(filt, s, r))),
        1,
    ),
    "nothing": (fp.ZCDPFilter, 2),
}


@pytest.mark.parametrize(("kind", "granted"), OVERRIDING.values(), ids=OVERRIDING)
def test_the_rules_of_a_subclass_decide_wherever_it_is_held(
    kind: Any, granted: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    filt, request = kind(0.5), Gaussian(0.65)  # which costs 0.21
    assert count_grants(filt, request, most=9) == granted
    assert sum(map(filt.open("retry").request, [request] * 9)) == granted
    monkeypatch.setattr(filterproof.filters.accountants.batched_grants, "PEOPLE_PER_BLOCK", 2)
    for people in (1, 3, 7):
        for pair in (request, PairPerRun((request, Gaussian(0.66)), np.arange(people) % 2)):
            everyone = fp.IndividualFilter(filt, people)
            assert np.sum([everyone.select(pair) for _ in range(9)], axis=0).tolist() == [granted] * people
    if not granted:
        assert filt.open().affordable(lambda t: Gaussian(t + 0.65)) == 0
        clipped = fp.IndividualFilter(filt, 3).clip(np.array([0.65, 0.0, 0.8]), sigma=1.0)
        assert not (clipped[[0, 2]] * [0.65, 0.8] > 0.5).any()
