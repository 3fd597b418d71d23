"""The numbers that run, certified by other processes: the same, in the same order, and fit to be sent."""

from __future__ import annotations

import pickle
from concurrent.futures import Executor, Future

import pytest

from filters.certified.certify import certify
from filters.certified.closed_forms import GROUPS, closed_forms
from filters.certified.running_number import GONE
from reports.commands import numbers
from theory.pairs import Erasure, Gaussian, RandomizedResponse

THINGS = (Gaussian(0.7), RandomizedResponse(1.2), Erasure(0.2))


class Sending(Executor):
    """Runs what is submitted here, and gives the answer as it arrives from a process that sent it."""

    def submit(self, fn, /, *args, **kwargs):
        done = Future()
        done.set_result(pickle.loads(pickle.dumps(fn(*args, **kwargs))))  # noqa: S301, our own bytes
        return done


def test_numbers_that_were_sent_are_those_of_the_things_in_their_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # the group whose margins are local functions, which cannot be sent
    group = "realisation"
    monkeypatch.setattr("filters.certified.closed_forms.GROUPS", {group: GROUPS[group]})
    monkeypatch.setattr("filters.certified.catalogue.things", lambda: iter(THINGS))
    monkeypatch.setattr("filters.certified.catalogue.certified_points", lambda: iter(()))
    sent = list(numbers.asked_of(Sending()))
    here = [*closed_forms(), *map(certify, THINGS)]
    assert [found.subject for found in sent] == [found.subject for found in here]
    for one, other in zip(sent, here, strict=True):
        assert one == other  # but for the margins, which are not compared
        assert one.numbers
        assert len(one.rows()) == len(one.numbers)
    assert any(number.number.margin == GONE for found in sent for number in found.numbers)
