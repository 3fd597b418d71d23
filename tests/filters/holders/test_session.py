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
            {"admits": lambda self, spent, request: np.ones(3, dtype=np.bool_)},
            r"admits must return booleans of shape \(1,\), got bool",
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


@pytest.mark.parametrize("loss", [-5.0, 5.0, -math.inf, 0.7])
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
def test_a_budget_that_is_exchanged_under_a_session_grants_nothing_more(high: float) -> None:
    filt = fp.GaussianFilter(mu=1.0)
    session = filt.open("retry")
    assert session.request(Gaussian(0.9))
    object.__setattr__(filt.budget, "high", high)
    with pytest.raises(TypeError, match="GaussianFilter must keep its promise and its budget"):
        session.request(Gaussian(0.9))
