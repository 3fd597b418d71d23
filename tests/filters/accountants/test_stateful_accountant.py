"""One budget has one accountant: no copies, no pickles, no forks, no request within a request, no race."""

import copy
import os
import pickle
import threading
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import filterproof.filters as fp
from filterproof.theory.pairs import DominatingPair, Gaussian, RandomizedResponse
from tests.filters.own import Adding, together


def a_session() -> fp.Session:
    return fp.GaussianFilter(mu=1.0).open("retry")


def waiting() -> fp.Session:
    """A session that waits for a loss."""
    session = fp.HockeyStickFilter(epsilon=1.0, delta=1e-3).open("retry")
    assert session.request(RandomizedResponse(0.5))
    return session


def people() -> fp.IndividualFilter:
    return fp.IndividualFilter(fp.GaussianFilter(mu=1.0), 3)


def queries() -> fp.LinearQueries:
    return fp.LinearQueries(3, norm_budget=1.0, kappa=0.1)


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


#: Each way in which an accountant is charged or changed.
CHANGES: dict[str, tuple[Callable[[], Any], Callable[[Any], object]]] = {
    "request": (a_session, lambda session: session.request(Gaussian(mu=0.25))),
    "observe": (waiting, lambda session: session.observe(0.1)),
    "select": (people, lambda everyone: everyone.select(Gaussian(mu=0.25))),
    "clip": (people, lambda everyone: everyone.clip(np.full(3, 0.25), sigma=1.0)),
    "spend": (
        lambda: fp.IndividualTracker(fp.GaussianTracker(size=1.0), 3),
        lambda everyone: everyone.spend(Gaussian(mu=0.25)),
    ),
    "answer": (queries, lambda accountant: accountant.answer(np.full(3, 0.25), rng())),
    "join": (queries, lambda accountant: accountant.join(2)),
    "leave": (queries, lambda accountant: accountant.leave(1)),
    "is_above": (
        lambda: fp.AboveThreshold(2**40, ratio=Fraction(3, 2), rng=rng()),
        lambda stop: stop.is_above(0, rng()),
    ),
}
#: And those that read what a change writes in place.
READS: dict[str, tuple[Callable[[], Any], Callable[[Any], object]]] = {
    "remaining": (people, lambda everyone: everyone.remaining()),
    "report_for": (people, lambda everyone: everyone.report_for(0)),
    "to_dict": (people, lambda everyone: everyone.to_dict()),
    "report_for of queries": (queries, lambda accountant: accountant.report_for(0)),
    "to_dict of queries": (queries, lambda accountant: accountant.to_dict()),
}


@pytest.mark.parametrize("name", [*CHANGES, *READS])
def test_whatever_changes_a_accountant_or_reads_what_is_changed_in_place_waits_for_its_turn(
    name: str,
) -> None:
    make, act = {**CHANGES, **READS}[name]
    accountant, done = make(), list[object]()
    thread = threading.Thread(target=lambda: done.append(act(accountant)))
    with accountant._lock:
        thread.start()
        thread.join(0.02)
        assert not done
    thread.join(10)
    assert len(done) == 1


@pytest.mark.parametrize("name", CHANGES)
def test_a_second_spender_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A change within a change, a forked process, and a copy."""
    make, act = CHANGES[name]
    accountant, here = make(), os.getpid()
    with accountant._lock, pytest.raises(RuntimeError, match="must not be called within another call"):
        act(accountant)
    with monkeypatch.context() as patch:
        patch.setattr(os, "getpid", lambda: here + 1)
        with pytest.raises(RuntimeError, match="must be called in the process that made"):
            act(accountant)
    for duplicate in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match=r"must not be copied or pickled[^\n]*(at a time|of its own)$"):
            duplicate(accountant)
    act(accountant)


def test_within_record_the_decision_that_was_made_is_read_and_a_request_is_refused() -> None:
    """Otherwise the outer state, the older one, would be stored last, and a restart would regain the inner one."""
    disk: list[Mapping[str, object]] = []

    def record(data: Mapping[str, object]) -> None:
        disk.append(data)
        with pytest.raises(RuntimeError, match=r"^[^\n]*must not be called within another call[^\n]*$"):
            session.request(Gaussian(mu=0.5))
        assert session.to_dict() == data
        assert session.granted == len(disk)
        left.append(session.remaining())

    left: list[float] = []
    session = fp.GaussianFilter(mu=1.0).open(record=record)
    for _ in range(2):  # after the first, the session goes on
        assert session.request(Gaussian(mu=0.5))
        assert disk[-1] == session.to_dict()
        assert left[-1] == session.remaining()
    assert [data["granted"] for data in disk] == [1, 2]


class Full:
    """A disk that takes what it is given, and says that it is full."""

    def __init__(self) -> None:
        self.full, self.taken = True, list[Mapping[str, object]]()

    def __call__(self, data: Mapping[str, object]) -> None:
        self.taken.append(data)
        if self.full:
            raise OSError("disk full")


def test_when_record_raises_the_charge_stands_and_nothing_was_granted() -> None:
    disk = Full()
    session = fp.GaussianFilter(mu=1.0).open(record=disk)
    with pytest.raises(OSError, match="disk full"):
        session.request(Gaussian(mu=0.6))
    assert session.granted == 1
    assert session.remaining() == pytest.approx(0.8, rel=1e-14)
    assert disk.taken[-1] == session.to_dict()
    with pytest.raises(OSError, match="disk full"):
        session.request(Gaussian(mu=0.9))
    assert session.halted
    assert fp.Session.from_dict(disk.taken[-1], fp.GaussianFilter(mu=1.0)).halted
    disk.full = False
    with pytest.raises(fp.FilterHaltedError):
        session.request(Gaussian(mu=0.1))


def test_when_record_raises_a_realisation_filter_waits_for_the_loss_zero_of_no_release() -> None:
    disk, filt = Full(), fp.RealisationFilter(10.0, 1e-5, 2, (Gaussian(mu=0.5),))
    session = filt.open(record=disk)
    with pytest.raises(OSError, match="disk full"):
        session.request(Gaussian(mu=0.5))
    disk.full = False
    with pytest.raises(RuntimeError, match="call observe"):
        session.request(Gaussian(mu=0.5))
    session.observe(0.0)
    assert session.request(Gaussian(mu=0.5))
    session.observe(0.0)
    assert not session.request(Gaussian(mu=0.5))  # both rounds are gone


class Slow(Adding):
    """Lets the others overtake between its decision and its charge."""

    def admits(self, state: Any, request: DominatingPair) -> Any:
        answer = super().admits(state, request)
        threading.Event().wait(0.001)
        return answer

    def spend(self, state: Any, request: DominatingPair) -> Any:
        threading.Event().wait(0.001)
        return super().spend(state, request)


def test_threads_never_grant_more_than_the_budget_and_store_states_in_order() -> None:
    disk: list[Mapping[str, object]] = []
    session, everyone = Slow().open("retry", record=disk.append), fp.IndividualFilter(Slow(), 2)
    queries, rng = fp.LinearQueries(2, norm_budget=8.0, kappa=1e12), np.random.default_rng(0)
    granted, rounds, answers = list[bool](), list[Any](), list[float]()

    def work() -> None:
        for _ in range(3):
            granted.append(session.request(RandomizedResponse(0.125)))
            rounds.append(everyone.select(RandomizedResponse(0.125)))
            answers.append(float(queries.answer(np.ones(2), rng).value[0]))

    together(6, work)
    assert sum(granted) == session.granted == 8
    assert [data["granted"] for data in disk] == list(range(1, 9))
    assert np.sum(rounds, axis=0).tolist() == [8, 8]
    assert sum(round(answer) for answer in answers) == 16  # two people, eight times each
    assert queries.report_for(0).remaining == 0.0
