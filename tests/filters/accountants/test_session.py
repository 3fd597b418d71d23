"""A session decides once and before it releases, records before it answers, and keeps what was spent as its own."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import filterproof.filters as fp
from filterproof.filters.contract.contract_checks import checked_admits
from filterproof.theory.guarantees import ZCDP, ApproxDP, GaussianDP, PureDP, RenyiDP
from filterproof.theory.pairs import DominatingPair, Erasure, Gaussian, RandomizedResponse
from tests.filters.own import Adding, OfSquares, of


def test_a_halted_session_stays_halted_and_says_what_was_left() -> None:
    session = fp.GaussianFilter(mu=1.0).open()
    assert session.request(Gaussian(mu=0.6))
    assert not session.request(Gaussian(mu=0.9))
    with pytest.raises(fp.FilterHaltedError, match=r"after 1 grant with 0\.8 left"):
        session.request(Gaussian(mu=0.01))
    assert session.remaining() == session.affordable(Gaussian) == 0.0


_REQUESTS = st.lists(st.sampled_from([0.05, 0.07, 0.1, 0.3]), max_size=8)


@given(_REQUESTS)
@example([0.3, 0.3, 0.3])
def test_spent_is_the_exact_sum_of_the_granted_charges_rounded_up(sizes: list[float]) -> None:
    filters = fp.GaussianFilter(0.4), fp.ZCDPFilter(0.08), fp.BasicFilter(0.4), fp.RenyiFilter(2.0, 0.16)
    for filt, family in zip(filters, (Gaussian, Gaussian, RandomizedResponse, Gaussian), strict=True):
        session = filt.open("retry")
        granted = [Fraction(size) for size in sizes if session.request(family(size))]
        squares, spent = sum(size**2 for size in granted), session.spent()
        assert fp.Session.from_dict(session.to_dict(), filt, "retry").spent() == spent
        match spent:
            case GaussianDP(mu):
                assert squares <= Fraction(mu) ** 2 <= squares * (1 + Fraction(2) ** -50)
            case ZCDP(rho):
                assert squares / 2 <= Fraction(rho) <= squares / 2 * (1 + Fraction(2) ** -50)
            case RenyiDP(alpha, rho):
                assert alpha == 2.0
                assert squares <= Fraction(rho) <= squares * (1 + Fraction(2) ** -50)
            case PureDP(epsilon):
                assert sum(granted) <= Fraction(epsilon) <= sum(granted) * (1 + Fraction(2) ** -50)
                assert granted == [] or type(filt) is fp.BasicFilter


def test_a_filter_with_its_own_rule_does_not_say_what_is_spent() -> None:
    lenient = of(
        fp.AdditiveFilter, promise=ZCDP(0.5), charge=fp.zcdp_charge, spend=lambda filt, state, r: state
    )
    for filt in (OfSquares(), fp.WhitehouseFilter(1.0, 1e-3), lenient()):
        with pytest.raises(TypeError, match=r"does not say what is spent; .* fp\.Composition"):
            filt.open().spent()


def test_probabilities_are_affordable_up_to_one() -> None:
    assert fp.BasicFilter(1.0, 0.25).open().affordable(Erasure) == 0.25
    assert fp.BasicFilter(1.0).open().affordable(Erasure) == 0.0


def test_bisection_finds_the_largest_parameter() -> None:
    filt = OfSquares()
    state = np.array([0.0, 0.015, 0.02, 0.03])
    best = filt.affordable(state, RandomizedResponse)
    assert best[[0, 1, 3]] == pytest.approx([0.2, 0.1, 0.0], rel=1e-9, abs=0)
    assert 0 < best[2] < 1e-8  # the user's own sum cannot tell 0.02 + 1e-18 from 0.02
    assert checked_admits(filt, state, RandomizedResponse(best), 4).tolist() == [True, True, True, False]
    above = np.nextafter(best, np.inf)
    assert not filt.admits(state, RandomizedResponse(above)).any()
    assert filt.affordable(np.zeros(2), Gaussian).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("loss", [-5.0, 5.0, -math.inf, math.log(2) * (1 + 1e-11), math.nan])
def test_a_loss_that_nothing_granted_can_have_is_refused_and_waited_for_still(loss: float) -> None:
    step = RandomizedResponse.from_ratio(2)
    session = fp.RealisationFilter(3.0, 0, 50, (step,)).open("retry")
    assert session.request(step)
    message = (
        r"(at most 0\.693147 in size, the epsilon of the granted request|loss must be a number), got loss="
    )
    with pytest.raises(ValueError, match=message):
        session.observe(loss)
    with pytest.raises(RuntimeError, match="call observe"):
        session.request(step)
    session.observe(math.log(2))  # the mechanism's own, which the pair only dominates, may be any within it
    assert session.request(step)
    assert session.remaining() > 0.9
    session.observe(0.1)
    with pytest.raises(RuntimeError, match="no release waits"):
        session.observe(0.1)


def test_what_is_decided_while_the_terms_are_exchanged_is_no_decision() -> None:
    class Widening(OfSquares):
        def admits(self, spent: Any, request: DominatingPair) -> Any:
            self.promise = ApproxDP(epsilon=9.0, delta=1e-5)
            return np.ones(len(spent), dtype=np.bool_)

    for ask in (Widening().open().request, fp.IndividualFilter(Widening(), 2).select):
        with pytest.raises(TypeError, match="Widening must keep its promise"):
            ask(RandomizedResponse(5.0))


FORMER = {
    "decide": "step",
    "grant": "step",
    "reaches": "is_reachable_state",
}


@pytest.mark.parametrize(("former", "name"), FORMER.items())
def test_filter_with_former_method_name_is_refused(former: str, name: str) -> None:
    with pytest.raises(TypeError, match=rf"Own\.{former} is never used; rename it to {name}, as in"):
        of(fp.ZCDPFilter, __slots__=(), **{former: lambda *asked: None})(0.5).open()


@pytest.mark.parametrize("together", [True, False], ids=["with the spend", "alone"])
def test_a_session_and_people_decide_once(together: bool) -> None:
    calls: list[str] = []

    def noted(name: str) -> Any:
        return lambda *given: (calls.append(name), getattr(Adding, name)(*given))[1]

    def step(filt: Any, state: Any, request: DominatingPair) -> Any:
        calls.append("step")
        after = state + request.pure_epsilon
        return after <= 1, after if together else None

    kind = of(Adding, admits=noted("admits"), spend=noted("spend"), step=step)
    session, people = kind().open("retry"), fp.IndividualFilter(kind(), 3)
    granting = ["step"] if together else ["step", "spend"]
    for fits in (True, True, False):
        calls.clear()
        assert session.request(RandomizedResponse(0.5)) == fits
        assert calls == (granting if fits else ["step"])
    assert session.granted == 2
    for active in ([True] * 3, [True, False, True], [True, False, False]):
        calls.clear()
        assert people.select(RandomizedResponse(np.array([0.25, 0.75, 0.5]))).tolist() == active
        assert calls == granting


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
