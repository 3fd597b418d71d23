"""A session decides before it releases, records before it answers, and never regains what it spent."""

import math
from typing import Any

import numpy as np
import pytest

import filters as fp
from filters.contract.checks import checked_admits
from theory.guarantees import ApproxDP
from theory.pairs import DominatingPair, Erasure, Gaussian, RandomizedResponse


class MyFilter(fp.PrivacyFilter):
    """The user's filter of the README."""

    promise = ApproxDP(epsilon=1.0, delta=1e-5)

    def start(self, n: int) -> Any:
        return np.zeros(n)

    def admits(self, spent: Any, request: DominatingPair) -> Any:
        return spent + request.pure_epsilon**2 / 2 <= 0.02

    def spend(self, spent: Any, request: DominatingPair) -> Any:
        return spent + request.pure_epsilon**2 / 2


def test_a_halted_session_stays_halted_and_says_what_was_left() -> None:
    session = fp.GaussianFilter(mu=1.0).open()
    assert session.request(Gaussian(mu=0.6))
    assert not session.request(Gaussian(mu=0.9))
    with pytest.raises(fp.FilterHaltedError, match=r"after 1 grant with 0\.8 left"):
        session.request(Gaussian(mu=0.01))
    assert session.remaining() == session.affordable(Gaussian) == 0.0


@pytest.mark.parametrize("policy", ["HALT", "stop", None, True, ["halt"]])
def test_what_is_to_happen_on_a_denial_is_one_of_two_words(policy: Any) -> None:
    with pytest.raises(ValueError, match=r"on_denial must be 'halt' or 'retry', got .*; choose one of them"):
        fp.GaussianFilter(mu=1.0).open(policy)


def test_probabilities_are_affordable_up_to_one() -> None:
    filt = fp.BasicFilter(1.0, 0.25)
    assert filt.open().affordable(Erasure) == 0.25
    assert fp.BasicFilter(1.0).open().affordable(Erasure) == 0.0


def test_a_realisation_filter_waits_for_the_loss() -> None:
    session = fp.RealisationFilter(10.0, 1e-5, 48, (Gaussian(mu=0.5),)).open()
    assert session.request(Gaussian(mu=0.5))
    with pytest.raises(RuntimeError, match="call observe"):
        session.request(Gaussian(mu=0.5))
    session.observe(0.25)
    assert session.request(Gaussian(mu=0.5))
    with pytest.raises(ValueError, match="nan"):
        session.observe(float("nan"))
    session.observe(0.1)
    with pytest.raises(RuntimeError, match="no release waits"):
        session.observe(0.1)


def test_numbers_decisions_on_other_runs_and_no_promise_are_refused() -> None:
    """Other mistakes are those of `tests/mc/examine/test_unhappy.py`."""
    for changed, said in (
        (
            {"admits": lambda self, spent, request: 1.0 - spent},
            r"admits .* got float64 of shape \(1,\); compare",
        ),
        (
            {"admits": lambda self, spent, request: np.full(1, -1, dtype=np.int8)},
            r"admits .* got int8 of shape \(1,\); compare",
        ),
        (
            {"admits": lambda self, spent, request: np.ones(3, dtype=np.bool_)},
            r"admits must return booleans of shape \(1,\), got bool",
        ),
        (
            {"spend": lambda self, spent, request: np.zeros(2)},
            r"spend must return an array, or a tuple of arrays, with 1 runs .* got float64 of shape \(2,\)",
        ),
        ({"promise": None}, r"promise must be a guarantee"),
    ):
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


@pytest.mark.parametrize("loss", [-5.0, 5.0, -math.inf, math.log(2) * (1 + 1e-11)])
def test_a_loss_that_nothing_granted_can_have_is_refused_and_waited_for_still(loss: float) -> None:
    step = RandomizedResponse.from_ratio(2)
    session = fp.RealisationFilter(3.0, 0, 50, (step,)).open("retry")
    assert session.request(step)
    with pytest.raises(ValueError, match=r"within the epsilon 0\.693147 of what was granted, got loss="):
        session.observe(loss)
    with pytest.raises(RuntimeError, match="call observe"):
        session.request(step)
    session.observe(math.log(2))  # the mechanism's own, which the pair only dominates, may be any within it
    assert session.request(step)
    session.observe(0.1)


class ClaimsToBeAny(float):
    """A number that equals every other."""

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False

    __hash__ = float.__hash__


@pytest.mark.parametrize("high", [4.0, ClaimsToBeAny(4.0)], ids=["a number", "one that claims to equal any"])
def test_a_budget_that_is_exchanged_under_a_holder_charges_and_grants_nothing_more(high: float) -> None:
    filt = fp.GaussianFilter(mu=1.0)
    session, people = filt.open("retry"), fp.IndividualFilter(filt, 2)
    assert session.request(Gaussian(0.9))
    assert people.select(Gaussian(0.9)).all()
    charged = [holder.to_dict()["state"] for holder in (session, people)]
    object.__setattr__(filt.budget, "high", high)
    for ask in (session.request, people.select, lambda pair: people.clip(np.full(2, pair.mu), sigma=1.0)):
        with pytest.raises(TypeError, match="GaussianFilter must keep its promise and its budget"):
            ask(Gaussian(0.9))
    assert [holder.to_dict()["state"] for holder in (session, people)] == charged


def test_what_is_decided_while_the_terms_are_exchanged_is_no_decision() -> None:
    class Widening(MyFilter):
        def admits(self, spent: Any, request: DominatingPair) -> Any:
            self.promise = ApproxDP(epsilon=9.0, delta=1e-5)
            return np.ones(len(spent), dtype=np.bool_)

    for ask in (Widening().open().request, fp.IndividualFilter(Widening(), 2).select):
        with pytest.raises(TypeError, match="Widening must keep its promise and its budget"):
            ask(RandomizedResponse(5.0))
