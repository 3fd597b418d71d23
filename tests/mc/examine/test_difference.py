"""Two filters on the same requests: what differs is found and cut, what does not is not, and blame needs a number."""

import os
from functools import partial
from typing import Any

import numpy as np
import pytest

import filterproof as fp
from filters.contract.checks import checked_observe, checked_start
from filters.testing.requests import requests_near
from mc.examine import difference
from mc.examine.counted_search import last_report
from mc.examine.difference import Difference, _Apart, first_difference
from mc.examine.filter_fault import FilterFault
from mc.examine.sequence import granted
from tests.mc.examine import unhappy
from tests.mc.examine.test_confirmation import Tires
from tests.mc.examine.toys import ResetAfterTen, Sum


class Refunds(Sum):
    """Forgets all that was spent where a positive loss is large."""

    def observe(self, state: Any, loss: Any) -> Any:
        return np.where(loss > 0.5, 0.0, state)


def replayed(both: tuple[fp.PrivacyFilter[Any], ...], found: Difference) -> list[bool]:
    """Who grants the last request, asked through the filters' own methods alone; all before is granted by both."""
    answers = []
    for filt in both:
        state: Any = checked_start(filt, 1)
        for request, loss in found.history:
            state = granted(filt, state, request)
            assert state is not None
            state = checked_observe(filt, state, np.array([loss]), 1)
        answers.append(granted(filt, state, found.request) is not None)
    return answers


@pytest.mark.parametrize("turned", [False, True])
def test_a_budget_that_is_forgotten_is_found_and_blamed_with_what_was_granted(turned: bool) -> None:
    both = (Sum(), ResetAfterTen())[:: -1 if turned else 1]
    found = first_difference(*both).difference
    assert found is not None
    if turned:  # the same seed finds the same
        assert first_difference(*both).difference == found
    assert replayed(both, found) == [turned, not turned]
    assert found.granted_by == ("the first" if turned else "the second")
    assert "so it breaks 0.5-zCDP" in found.wrong
    # what is said to be reached is the sum of the charges at that order, of Gaussians and Laplaces alike
    total = sum(float(request.renyi(2.0)) for request, _ in (*found.history, (found.request, 0.0)))
    assert total > 1.0
    # nothing of the history can be left out
    for k in range(len(found.history)):
        rest = found.history[:k] + found.history[k + 1 :]
        less = total - float(found.history[k][0].renyi(2.0))
        assert less <= 1.0 or replayed(both, Difference(rest, found.request, "", "")) != [turned, not turned]


def test_who_grants_more_within_the_promise_is_not_blamed() -> None:
    found = first_difference(fp.ZCDPFilter(0.4), fp.ZCDPFilter(0.5)).difference
    assert found is not None
    assert (found.granted_by, found.wrong) == ("the second", "")
    assert "a denial breaks none" in str(found)


def test_a_difference_is_cut_to_what_it_needs_and_one_that_breaks_a_promise_to_what_breaks_it() -> None:
    lax: Any = type("Lax", (Sum,), {"most": 9.0})()
    apart = _Apart((fp.ZCDPFilter(0.1), lax), [(fp.Gaussian(0.4), 0.0)], fp.Gaussian(1.0), 1)
    assert apart.cut().history == []
    assert "so it breaks 0.5-zCDP" in apart.cut(broken=True).broken


def test_a_difference_stays_the_same_where_the_same_filter_grants() -> None:
    both, between = (fp.ZCDPFilter(0.5), fp.ZCDPFilter(0.4)), fp.Gaussian(0.95)
    for granting in (0, 1):
        assert (_Apart(both, [], between, granting).by([], between) is None) is bool(granting)


def test_losses_are_told_to_both_and_a_refund_is_found() -> None:
    both = (Sum(), Refunds())
    found = first_difference(*both, seed=1).difference  # one in which losses of the other sign would show
    assert found is not None
    assert replayed(both, found) == [False, True]
    assert any(loss > 0.5 for _, loss in found.history)
    assert not found.wrong, "requests that follow losses are not fixed in advance"


def test_the_same_rule_written_twice_differs_nowhere_and_nothing_is_claimed() -> None:
    found = first_difference(Sum(), Sum(), effort=0.02)
    assert found.difference is None
    assert found.requests > 300
    assert "does not prove that there is none" in str(found)


def test_finding_what_to_ask_is_no_part_of_the_work_for_asking() -> None:
    assert first_difference(Sum(), Sum(), effort=1e-6).histories > 0


@pytest.mark.parametrize("turned", [False, True])
def test_who_is_tired_of_the_search_and_keeps_its_promise_when_fresh_is_at_fault(turned: bool) -> None:
    both = (Sum(), Tires())[:: -1 if turned else 1]
    with pytest.raises(
        FilterFault, match="Tires breaks the contract: its answers depend on what it was asked"
    ):
        first_difference(*both)


def test_whose_code_ends_the_process_is_told_as_one_of_both() -> None:
    leaves = unhappy.first("Leaves", partial(os._exit, 7))()
    with pytest.raises(FilterFault, match="the process that examined Sum and Leaves ended with status 7"):
        first_difference(Sum(), leaves)


def test_kernels_are_loaded_before_the_workers_and_by_no_filter_of_the_users(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[fp.PrivacyFilter] = []  # here: what workers append is lost with them
    done: list[str] = []

    def noted(filt: fp.PrivacyFilter) -> Any:
        asked.append(filt)
        return requests_near(filt)

    def worker(*given: Any, **how: Any) -> Any:
        done.append("a worker")
        return last_report(*given, **how)

    monkeypatch.setattr(difference, "requests_near", noted)
    monkeypatch.setattr(difference, "import_module", done.append)
    monkeypatch.setattr(difference, "last_report", worker)
    for _ in range(2):
        first_difference(Sum(), Sum(), effort=1e-6)
    assert (asked, done) == ([], ["mc.runs.ready", "a worker"] * 2)
