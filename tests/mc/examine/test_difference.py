"""Two filters on the same requests: what differs is found and cut, what does not is not, and blame needs a number."""

import os
from functools import partial
from typing import Any

import numpy as np
import pytest

import filterproof as fp
from filterproof.filters.contract.contract_checks import checked_observe, checked_start
from filterproof.mc.examine.difference import FirstDifference, first_difference
from filterproof.mc.examine.filter_fault import FilterFault
from filterproof.mc.examine.sequence import granted_state
from tests.mc.examine import misbehaving_filters
from tests.mc.examine.example_filters import ResetAfterTen, Sum
from tests.mc.examine.test_revalidation import Tires
from tests.slow_cases import slow_but


class Refunds(Sum):
    """Forgets all that was spent where a positive loss is large."""

    def observe(self, state: Any, loss: Any) -> Any:
        return np.where(loss > 0.5, 0.0, state)


def replayed(both: tuple[fp.PrivacyFilter[Any], ...], difference: FirstDifference) -> list[bool]:
    """Who grants the last request, asked through the filters' own methods alone; all before is granted by both."""
    answers = []
    for filt in both:
        state: Any = checked_start(filt, 1)
        for request, loss in difference.history:
            state = granted_state(filt, state, request)
            assert state is not None
            state = checked_observe(filt, state, np.array([loss]), 1)
        answers.append(granted_state(filt, state, difference.request) is not None)
    return answers


class Lax(Sum):
    """Admits more than it promises."""

    most = 9.0


class AfterFirst(Sum):
    """Admits everything once something was spent."""

    def admits(self, state: Any, request: Any) -> Any:
        return super().admits(state, request) | (state > 0)


#: Who denies and who grants -> whether the requests, fixed in advance, break the promise of who grants.
APART: list[Any] = [
    pytest.param(Sum(), ResetAfterTen(), True, marks=pytest.mark.slow),
    pytest.param(Sum(), AfterFirst(), True, marks=pytest.mark.slow),
    (Sum(), Refunds(), False),  # requests that follow losses are not fixed in advance
    # who grants more within the promise is not blamed
    pytest.param(fp.ZCDPFilter(0.4), fp.ZCDPFilter(0.5), False, marks=pytest.mark.slow),
    (fp.ZCDPFilter(0.1), Lax(), True),  # and says so at the first dear request
]


@pytest.mark.parametrize(("denies", "grants", "broken"), APART, ids=lambda one: type(one).__name__)
def test_what_is_found_happens_needs_all_its_requests_and_blames_by_a_sum(
    denies: Any, grants: Any, broken: bool
) -> None:
    turned = isinstance(grants, Lax | ResetAfterTen)
    both = (denies, grants)[:: -1 if turned else 1]
    effort = 0.3 if isinstance(grants, ResetAfterTen) else 0.05
    difference = first_difference(*both, effort=effort, seed=0).difference
    assert difference is not None
    if isinstance(grants, Lax):  # the same seed finds the same
        assert first_difference(*both, effort=effort, seed=0).difference == difference
    assert replayed(both, difference) == [turned, not turned]
    assert difference.granted_by == ("the first" if turned else "the second")
    # by hand: D of order 2 of Gaussians, Laplaces and responses alike adds up
    revealed = [float(request.renyi(2.0)) for request, _ in (*difference.history, (difference.request, 0.0))]
    assert ("this breaks 0.5-zCDP" in difference.wrong) == broken
    keeps_guarantee = "as a fixed sequence, these requests keep its guarantee" in str(difference)
    assert keeps_guarantee == (not difference.wrong) == (not broken)
    assert not broken or sum(revealed) > 1.0
    for k in range(len(difference.history)):
        rest = difference.history[:k] + difference.history[k + 1 :]
        still = replayed(both, FirstDifference(rest, difference.request, "", "")) == [turned, not turned]
        assert not still or (broken and sum(revealed) - revealed[k] <= 1.0)
    if isinstance(grants, Refunds):
        assert any(loss > 0.5 for _, loss in difference.history)


def test_the_same_rule_written_twice_differs_nowhere_and_nothing_is_claimed() -> None:
    search = first_difference(Sum(), Sum(), effort=0.02)
    assert search.difference is None
    assert search.requests > 300
    assert "not a proof that there is none" in str(search)
    # finding what to ask is no part of the work for asking
    assert first_difference(Sum(), Sum(), effort=1e-6).histories > 0


@pytest.mark.parametrize("turned", [False, True])
def test_who_is_tired_of_the_search_and_keeps_its_promise_when_fresh_is_at_fault(turned: bool) -> None:
    both = (Sum(), Tires())[:: -1 if turned else 1]
    with pytest.raises(FilterFault, match="Tires breaks the contract: its answers depend on earlier runs"):
        first_difference(*both)


def test_whose_code_ends_the_process_is_told_as_one_of_both() -> None:
    leaves = misbehaving_filters.first("Leaves", partial(os._exit, 7))()
    with pytest.raises(FilterFault, match="the process that examined Sum and Leaves ended with status 7"):
        first_difference(Sum(), leaves)


class Sites:
    """A budget of one at site a, and of `left` at site b; what is asked of both is taken from both."""

    def __init__(self, left: float, at: str = "b") -> None:
        self.left = {"a": 1.0, "b": 1.0} | {at: left}

    def deduct(self, epsilon: float, site: str | tuple[str, ...]) -> bool:
        sites = (site,) if isinstance(site, str) else site
        if any(epsilon > self.left[site] for site in sites):
            return False
        for site in sites:
            self.left[site] -= epsilon
        return True


def by_site(left: float, at: str = "b", over: str = "a") -> fp.LabelledFilter:
    keeper = fp.from_budget(
        lambda: Sites(left, at),
        lambda sites, pair: sites.deduct(float(pair.unlabelled.pure_epsilon), **pair.labels),
        fp.PureDP(1.0),
    )
    return fp.LabelledFilter(keeper, labels={"site": ("a", "b")}, over={"site": over}, together="site")


@pytest.mark.parametrize("at", slow_but("b", "ab"))
def test_budgets_that_differ_at_one_label_alone_are_told_apart_there(at: str) -> None:
    both = by_site(1.0, at), by_site(5.0, at)
    difference = first_difference(*both, effort=0.01).difference
    assert difference is not None
    assert at in difference.request.labels["site"]
    assert replayed(both, difference) == [False, True]
    # what site b released says nothing about a record at a
    assert ("this breaks" in str(difference)) == (at == "a")


def test_equal_budgets_by_label_differ_nowhere_and_those_of_another_record_are_refused() -> None:
    assert first_difference(by_site(2.0), by_site(2.0), effort=0.01).difference is None
    with pytest.raises(ValueError, match="second must have the labels and the record of first"):
        first_difference(by_site(2.0), by_site(2.0, over="b"))
