"""A filter made of another library's accountant decides as the accountant answers, and raises what it raises."""

from __future__ import annotations

import copy
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from dp_accounting import (
    GaussianDpEvent,
    NeighboringRelation,
    RandomizedResponseDpEvent,
    UnsupportedEventError,
    rdp,
)
from dp_accounting.pld import PLDAccountant

import filterproof as fp
from filters.adapters.foreign import CopiedFilter, CountedFilter


class Rho:
    """The sum of zCDP charges, as an accountant of another library might keep it."""

    def __init__(self) -> None:
        self.rho, self.events = 0.0, 0

    def compose(self, rho: float, count: int) -> None:
        self.rho += rho * count
        self.events += count


def of_rho(menu: Any = None, limit: float = 1.0, kind: Any = Rho) -> fp.PrivacyFilter:
    return fp.from_accountant(
        kind, lambda pair: float(pair.zcdp_rho), fp.ZCDP(limit), menu=menu, spent=lambda held: held.rho
    )


MENU = (fp.Gaussian(0.5), fp.Gaussian(1.0))
EITHER = (MENU, None)


@pytest.mark.parametrize("menu", EITHER, ids=["counted", "copied"])
def test_it_decides_as_the_zcdp_filter_does(menu: Any) -> None:
    ours, theirs = fp.ZCDPFilter(1.0).open("retry"), of_rho(menu).open("retry")
    asked = [MENU[i] for i in (1, 0, 1, 0, 0, 0, 0, 1)]
    answers = [theirs.request(pair) for pair in asked]
    assert answers == [ours.request(pair) for pair in asked]
    assert True in answers
    assert False in answers


@pytest.mark.parametrize("menu", EITHER, ids=["counted", "copied"])
def test_runs_at_once_decide_as_single_runs(menu: Any) -> None:
    filt = of_rho(menu)
    request = fp.Selection(MENU, np.array([0, 1, 1]))
    state = filt.spend(filt.start(3), request)
    state = filt.spend(state, request)
    assert filt.admits(state, fp.Gaussian(0.5)).tolist() == [True, False, False]
    assert filt.admits(state, fp.Gaussian(np.array([1.0, 0.5, 1.0]))).tolist() == [True, False, False]


@pytest.mark.parametrize("menu", EITHER, ids=["counted", "copied"])
def test_it_grants_up_to_the_target_and_no_bit_beyond(menu: Any) -> None:
    for answered, granted in ((1.0, True), (math.nextafter(1.0, 2.0), False), (math.inf, False)):
        filt = fp.from_accountant(
            Rho, lambda pair: 0.0, fp.ZCDP(1.0), menu=menu, spent=lambda held, told=answered: told
        )
        assert filt.open().request(MENU[0]) is granted
    with pytest.raises(ValueError, match="the rule of Rho must answer with a number, got nan"):
        fp.from_accountant(
            Rho, lambda pair: 0.0, fp.ZCDP(1.0), menu=menu, spent=lambda held: math.nan
        ).open().request(MENU[0])


def test_a_row_is_decided_by_the_accountant_once() -> None:
    asked: list[int] = []

    class Counting(Rho):
        def compose(self, rho: float, count: int) -> None:
            asked.append(count)
            super().compose(rho, count)

    filt = of_rho(MENU, 9.0, Counting)
    state = np.tile([[3, 2]], (1000, 1))
    filt.admits(state, MENU[0])
    first = len(asked)
    filt.admits(state, MENU[0])
    assert len(asked) == first
    assert asked[-3:] == [3, 2, 1]


def test_a_pair_that_is_not_on_the_menu_is_denied() -> None:
    assert not of_rho(MENU).open("retry").request(fp.Gaussian(0.1))


def test_an_event_that_is_not_supported_is_raised_when_the_filter_is_made() -> None:
    with pytest.raises(UnsupportedEventError) as raised:
        fp.from_accountant(
            PLDAccountant,  # adds or removes one, and randomised response replaces one
            lambda pair: RandomizedResponseDpEvent(0.5, 2),
            fp.ApproxDP(1.0, 1e-5),
            menu=(fp.RandomizedResponse(1.0),),
        )
    assert "of the menu" in raised.value.__notes__[0]


def test_an_exception_while_it_decides_is_raised_and_no_denial() -> None:
    class Fragile(Rho):
        def compose(self, rho: float, count: int) -> None:
            super().compose(rho, count)
            if self.events > 2:
                raise OverflowError("too many")

    session = of_rho(MENU, 9.0, Fragile).open("retry")
    assert session.request(MENU[0])
    assert session.request(MENU[0])
    with pytest.raises(OverflowError, match="too many"):
        session.request(MENU[0])


def test_epsilon_at_the_promised_delta_is_what_is_compared_by_default() -> None:
    def event(pair: Any) -> GaussianDpEvent:
        return GaussianDpEvent(1 / pair.mu)

    filt = fp.from_accountant(rdp.RdpAccountant, event, fp.ApproxDP(1.0, 1e-5), menu=(fp.Gaussian(0.1),))
    session, granted = filt.open("retry"), 0
    while session.request(fp.Gaussian(0.1)):
        granted += 1
    accountant = rdp.RdpAccountant()
    accountant.compose(event(fp.Gaussian(0.1)), granted)
    assert accountant.get_epsilon(1e-5) <= 1.0
    accountant.compose(event(fp.Gaussian(0.1)))
    assert accountant.get_epsilon(1e-5) > 1.0


def test_the_rule_of_an_exact_accountant_is_refuted_by_the_game_of_the_natural_filter() -> None:
    step = math.log(1.5)
    menu = tuple(fp.RandomizedResponse(k * step) for k in (1, 2, 3))
    # a little more than 45/169, so that the accountant's grid still grants what is exactly 45/169
    delta = 45 / 169 * 1.0005
    with fp.knowingly():
        ours = fp.NaturalFilter(math.log(9 / 4), delta, menu)
    theirs = fp.from_accountant(
        lambda: PLDAccountant(NeighboringRelation.REPLACE_ONE),
        lambda pair: RandomizedResponseDpEvent(2 / (1 + math.exp(pair.epsilon)), 2),
        fp.ApproxDP(math.log(9 / 4), delta),
        menu=menu,
        # one by one: a count is not heeded for this event in all versions
        compose=lambda accountant, event, count: [accountant.compose(event) for _ in range(count)],
    )
    for filt in (ours, theirs):
        worst = fp.worst_case(filt, menu, epsilon=math.log(9 / 4), rounds=3)
        assert worst.low == pytest.approx(float(Fraction(1899, 5915)), abs=1e-9)
        assert worst.low > delta


def test_a_copied_accountant_is_never_changed_in_a_state() -> None:
    filt = of_rho()
    assert isinstance(filt, CopiedFilter)
    state = filt.start(2)
    kept = copy.deepcopy([held.rho for held in state])
    filt.admits(state, MENU[1])
    filt.spend(state, MENU[1])
    assert [held.rho for held in state] == kept


def test_its_repr_names_the_menu_and_no_address() -> None:
    filt = of_rho(MENU)
    assert isinstance(filt, CountedFilter)
    assert repr(filt) == f"the rule of Rho on {MENU!r}, {filt.promise}"


@pytest.mark.usefixtures("processor_clock")
def test_a_refutation_names_no_class_of_ours_to_replay_it_with() -> None:
    class Tenth(Rho):
        def compose(self, rho: float, count: int) -> None:
            super().compose(rho / 10, count)

    found = fp.verify(of_rho(MENU, 0.2, Tenth), seconds=5, first_only=True)
    assert found.verdict.outcome is fp.Outcome.REFUTED
    assert found.again().endswith("witness.json FILE.py::NAME")


@pytest.mark.parametrize("menu", EITHER, ids=["counted", "copied"])
def test_one_object_for_all_runs_is_refused(menu: Any) -> None:
    shared = Rho()
    with pytest.raises(ValueError, match="make must give a fresh object each time, got one Rho twice"):
        of_rho(menu, kind=lambda: shared)
    with pytest.raises(ValueError, match="make must give a fresh object each time"):
        fp.from_budget(lambda: shared, lambda held, pair: None, fp.PureDP(1.0), menu=menu)


@pytest.mark.parametrize("name", ["menu", "foreign"])
def test_what_decisions_are_kept_for_cannot_be_exchanged(name: str) -> None:
    filt = of_rho(MENU)
    with pytest.raises(AttributeError):
        setattr(filt, name, None)
