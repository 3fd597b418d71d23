"""A session decides once and before it releases, records before it answers, and keeps what was spent as its own."""

import math
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pytest

import filters as fp
from filters.catalogue import CATALOGUE
from filters.contract.checks import checked_admits
from filters.contract.terms import FilterTerms
from filters.rules import additive
from tests.filters.own import Adding, ClaimsToBeAny
from theory.guarantees import ApproxDP, PureDP
from theory.pairs import DominatingPair, Erasure, Gaussian, RandomizedResponse


class MyFilter(Adding):
    """The user's filter of the README."""

    most = 0.02

    def cost(self, request: DominatingPair) -> Any:
        return request.pure_epsilon**2 / 2


def test_a_halted_session_stays_halted_and_says_what_was_left() -> None:
    session = fp.GaussianFilter(mu=1.0).open()
    assert session.request(Gaussian(mu=0.6))
    assert not session.request(Gaussian(mu=0.9))
    with pytest.raises(fp.FilterHaltedError, match=r"after 1 grant with 0\.8 left"):
        session.request(Gaussian(mu=0.01))
    assert session.remaining() == session.affordable(Gaussian) == 0.0


def test_probabilities_are_affordable_up_to_one() -> None:
    assert fp.BasicFilter(1.0, 0.25).open().affordable(Erasure) == 0.25
    assert fp.BasicFilter(1.0).open().affordable(Erasure) == 0.0


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"admits": lambda *asked: np.ones(1)}, r"admits .* got float64 of shape \(1,\); compare"),
        ({"admits": lambda *asked: np.full(1, -1, np.int8)}, r"admits .* got int8 of shape \(1,\); compare"),
        (
            {"admits": lambda *asked: np.ones(3, np.bool_)},
            r"admits must return booleans of shape \(1,\), got",
        ),
        (
            {"spend": lambda *asked: np.zeros(2)},
            r"spend must return .* with 1 runs .* float64 of shape \(2,\)",
        ),
        ({"promise": None}, r"promise must be a guarantee"),
    ],
)
def test_numbers_decisions_on_other_runs_and_no_promise_are_refused(changed: Any, said: str) -> None:
    """Other mistakes are those of `tests/mc/examine/test_unhappy.py`."""
    with pytest.raises(TypeError, match=rf"Changed\.{said}"):
        type("Changed", (MyFilter,), changed)().open().request(RandomizedResponse(0.1))


def test_bisection_finds_the_largest_parameter() -> None:
    filt = MyFilter()
    state = np.array([0.0, 0.015, 0.02, 0.03])
    best = filt.affordable(state, RandomizedResponse)
    assert best[[0, 1, 3]] == pytest.approx([0.2, 0.1, 0.0], rel=1e-9, abs=0)
    assert 0 < best[2] < 1e-8  # the user's own sum cannot tell 0.02 + 1e-18 from 0.02
    assert checked_admits(filt, state, RandomizedResponse(best), 4).tolist() == [True, True, True, False]
    above = np.nextafter(best, np.inf)
    assert not filt.admits(state, RandomizedResponse(above)).any()
    assert filt.affordable(np.zeros(2), Gaussian).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("sizes", [[0.1, 9.0], [9.0, 0.1], []])
def test_several_pairs_at_once_are_no_request(sizes: list[float]) -> None:
    session = fp.GaussianFilter(mu=1.0).open("retry")
    before = session.to_dict()
    with pytest.raises(TypeError, match="pair must be a single pair, got parameters of shape"):
        session.request(Gaussian(np.array(sizes)))
    assert session.to_dict() == before


class TurnsInto(list[float]):
    """A number that is another each time it is read."""

    def __float__(self) -> float:
        return self.pop(0)


@pytest.mark.parametrize("loss", [-5.0, 5.0, -math.inf, math.log(2) * (1 + 1e-11), math.nan])
def test_a_loss_that_nothing_granted_can_have_is_refused_and_waited_for_still(loss: float) -> None:
    step = RandomizedResponse.from_ratio(2)
    session = fp.RealisationFilter(3.0, 0, 50, (step,)).open("retry")
    assert session.request(step)
    said = r"(within the epsilon 0\.693147 of what was granted|loss must be a number), got loss="
    with pytest.raises(ValueError, match=said):
        session.observe(loss)
    with pytest.raises(RuntimeError, match="call observe"):
        session.request(step)
    # the mechanism's own, which the pair only dominates, may be any within it; another reading of it is none
    session.observe(TurnsInto([math.log(2), -50.0]))  # type: ignore[arg-type]
    assert session.request(step)
    assert session.remaining() > 0.9
    session.observe(0.1)
    with pytest.raises(RuntimeError, match="no release waits"):
        session.observe(0.1)


# -- terms -----------------------------------------------------------------------------------------------------


def vars_of(thing: Any) -> dict[str, Any]:
    return {part.name: getattr(thing, part.name) for part in fields(thing)}


class Claims(type):
    """A class that claims to equal any, and is found in the place of a budget's."""

    def __eq__(cls, other: object) -> bool:
        return True

    def __hash__(cls) -> int:
        return hash(fp.Budget)


class Endless(fp.Budget, metaclass=Claims):
    """A budget of one that takes every charge."""

    __slots__ = ()

    def step(self, state: Any, charge: Any) -> Any:
        return np.ones(len(state[0]), dtype=np.bool_), super().step(state, charge)[1]


@pytest.mark.parametrize(
    ("part", "name", "other"),
    [
        ("budget", "high", lambda budget: 4.0),
        ("budget", "high", lambda budget: ClaimsToBeAny(4.0)),
        (None, "budget", lambda budget: Endless(budget.high, budget.low, budget.exponent)),
    ],
    ids=["a number", "one that claims to equal any", "a budget whose class does"],
)
def test_a_budget_that_is_exchanged_under_a_holder_charges_and_grants_nothing_more(
    part: str | None, name: str, other: Any
) -> None:
    additive._largest_first.cache_clear()
    filt = fp.GaussianFilter(mu=1.0)
    session, people = filt.open("retry"), fp.IndividualFilter(filt, 2)
    assert session.request(Gaussian(0.9))
    assert people.select(Gaussian(0.9)).all()
    charged = [holder.to_dict()["state"] for holder in (session, people)]
    object.__setattr__(getattr(filt, part) if part else filt, name, other(filt.budget))
    for ask in (session.request, people.select, lambda pair: people.clip(np.full(2, pair.mu), sigma=1.0)):
        with pytest.raises(TypeError, match="GaussianFilter must keep its promise and its budget"):
            ask(Gaussian(0.9))
    assert [holder.to_dict()["state"] for holder in (session, people)] == charged
    fresh = fp.IndividualFilter(fp.GaussianFilter(mu=1.0), 1)  # of which nothing was remembered from those
    assert fresh.clip(np.full(1, 2.0), sigma=1.0).round(4).tolist() == [0.5]


@pytest.mark.parametrize(
    "name", ["BasicFilter", "RogersFilter", "AllOrdersFilter", "ExPostFilter", "RealisationFilter"]
)
def test_a_filter_whose_numbers_are_exchanged_one_by_one_is_seen_not_to_be_the_one_that_was_opened(
    name: str,
) -> None:
    filt: Any = CATALOGUE[name].example()
    terms = FilterTerms.of(filt)
    budgets = [part for part in vars_of(filt).values() if isinstance(part, fp.Budget)]
    for thing in (filt, *budgets):
        for part, value in vars_of(thing).items():
            object.__setattr__(thing, part, 9.25)
            with pytest.raises(TypeError, match="must keep its promise and its budget"):
                terms.check(filt)
            object.__setattr__(thing, part, value)
            terms.check(filt)


@pytest.mark.parametrize("claimed", [None, float, ApproxDP], ids=["none", "a number's", "a promise's"])
def test_a_budget_of_ones_own_that_is_changed_in_place_is_seen_whatever_its_class_claims_to_be(
    claimed: type | None,
) -> None:
    class ClaimsThis(Claims):
        def __hash__(cls) -> int:
            return hash(claimed)

    @dataclass
    class Limit(metaclass=ClaimsThis if claimed else type):
        most: float

        def __getattribute__(self, name: str) -> Any:
            return most if name == "most" else object.__getattribute__(self, name)

    most = 0.02

    class Limited(MyFilter):
        budget = Limit(most)

    filt = Limited()
    session = filt.open("retry")
    assert session.request(RandomizedResponse(0.1))
    filt.budget.most = 9.0
    with pytest.raises(TypeError, match="Limited must keep its promise and its budget"):
        session.request(RandomizedResponse(0.1))


@pytest.mark.parametrize("held", [[0.02], {"most": 0.02}, ([0.02], 1)], ids=str)
def test_a_list_or_a_dict_that_a_budget_holds_is_seen_to_change(held: Any) -> None:
    filt = MyFilter()
    filt.budget = held  # type: ignore[attr-defined]
    session = filt.open("retry")
    assert session.request(RandomizedResponse(0.1))
    changed = held[0] if isinstance(held, tuple) else held
    changed["most" if isinstance(held, dict) else 0] = 9.0
    with pytest.raises(TypeError, match="MyFilter must keep its promise and its budget"):
        session.request(RandomizedResponse(0.1))


def test_a_charge_that_is_put_into_a_filter_under_its_holders_charges_and_grants_nothing() -> None:
    class Mine(fp.AdditiveFilter):
        promise, budget, charge = PureDP(1.0), fp.Budget.of(1.0), fp.pure_charge

    filt: Any = Mine()
    session, people = filt.open("retry"), fp.IndividualFilter(filt, 2)
    filt.charge = fp.zcdp_charge
    for ask in (session.request, people.select):
        with pytest.raises(TypeError, match="Mine must keep what it decides by while it is held"):
            ask(RandomizedResponse(0.9))
    del filt.charge
    assert session.request(RandomizedResponse(0.9))


def test_a_tracker_whose_size_is_exchanged_while_people_are_counted_by_it_says_nothing_of_them() -> None:
    tracker = fp.GaussianTracker(size=1.0)
    people = fp.IndividualTracker(tracker, 2)
    people.spend(Gaussian(0.9))
    object.__setattr__(tracker, "size", 0.25)
    for ask in (people.values, lambda: people.report_for(0), lambda: people.spend(Gaussian(0.9))):
        with pytest.raises(TypeError, match="GaussianTracker must keep its promise and its budget"):
            ask()


def test_what_is_decided_while_the_terms_are_exchanged_is_no_decision() -> None:
    class Widening(MyFilter):
        def admits(self, spent: Any, request: DominatingPair) -> Any:
            self.promise = ApproxDP(epsilon=9.0, delta=1e-5)
            return np.ones(len(spent), dtype=np.bool_)

    for ask in (Widening().open().request, fp.IndividualFilter(Widening(), 2).select):
        with pytest.raises(TypeError, match="Widening must keep its promise and its budget"):
            ask(RandomizedResponse(5.0))


def test_a_filter_that_still_decides_by_its_old_name_is_refused() -> None:
    old = type("Old", (fp.ZCDPFilter,), {"__slots__": (), "decide": lambda *asked: None})
    with pytest.raises(
        TypeError, match=r"Old\.decide must not be defined, for it is not called; name it grant"
    ):
        old(0.5).open()


# -- one decision, and states that are nobody else's -----------------------------------------------------------


@pytest.mark.parametrize("together", [True, False], ids=["with the spend", "alone"])
def test_a_session_and_people_decide_once(together: bool) -> None:
    asked: list[str] = []

    class Told(Adding):
        def admits(self, state: Any, request: DominatingPair) -> Any:
            asked.append("admits")
            return super().admits(state, request)

        def spend(self, state: Any, request: DominatingPair) -> Any:
            asked.append("spend")
            return super().spend(state, request)

        def grant(self, state: Any, request: DominatingPair) -> Any:
            asked.append("grant")
            after = state + request.pure_epsilon
            return after <= 1, after if together else None

    session, people = Told().open("retry"), fp.IndividualFilter(Told(), 3)
    granting = ["grant"] if together else ["grant", "spend"]
    for fits in (True, True, False):
        asked.clear()
        assert session.request(RandomizedResponse(0.5)) == fits
        assert asked == (granting if fits else ["grant"])
    assert session.granted == 2
    for active in ([True] * 3, [True, False, True], [True, False, False]):
        asked.clear()
        assert people.select(RandomizedResponse(np.array([0.25, 0.75, 0.5]))).tolist() == active
        assert asked == granting


class Scratch(Adding):
    """Has one buffer that every method writes into."""

    def __init__(self) -> None:
        self.buffer = np.zeros(1)

    def start(self, n: int) -> Any:
        self.buffer[:] = 0
        return self.buffer

    def admits(self, state: Any, request: DominatingPair) -> Any:
        return self.spend(state, request) <= 1

    def spend(self, state: Any, request: DominatingPair) -> Any:
        return np.add(state, request.pure_epsilon, out=self.buffer)


@pytest.mark.parametrize(
    "asking",
    [lambda filt: filt.open("retry").request, lambda filt: fp.IndividualFilter(filt, 1).select],
    ids=["session", "people"],
)
def test_a_filter_that_writes_into_what_it_returned_is_held_to_its_budget(asking: Any) -> None:
    filt = Scratch()
    ask, granted = asking(filt), []
    for epsilon in (0.75, 0.5, 0.5, 0.25, 0.25):
        if ask(RandomizedResponse(epsilon)):
            granted.append(epsilon)
        filt.open()  # another session starts in the same buffer
    assert granted == [0.75, 0.25]


def test_a_tracker_that_writes_into_what_it_returned_forgets_nothing() -> None:
    class Reusing(fp.GaussianTracker):
        """Its states are all in one buffer."""

        __slots__ = ()
        buffer = np.zeros((3, 1))

        def spend(self, state: Any, request: Any) -> Any:
            self.buffer[:] = super().spend(state, request)
            return tuple(self.buffer)

    tracker = Reusing(1.0)
    people = fp.IndividualTracker(tracker, 1)
    for _ in range(2):
        people.spend(Gaussian(0.9))
    spent = people.values().made_public()
    tracker.spend(tracker.start(1), Gaussian(0.1))
    assert people.values().made_public() == spent == 2**0.5


def test_a_mask_stays_what_it_was() -> None:
    class Answers(Adding):
        answer = np.zeros(2, dtype=np.bool_)

        def admits(self, state: Any, request: DominatingPair) -> Any:
            return np.less_equal(state + request.pure_epsilon, 1, out=self.answer)

    people = fp.IndividualFilter(Answers(), 2)
    first = people.select(RandomizedResponse(0.75))
    assert not people.select(RandomizedResponse(0.75)).any()
    assert first.all()
