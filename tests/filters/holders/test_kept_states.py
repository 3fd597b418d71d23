"""What a session keeps is its own: a filter that uses its arrays again cannot give back what was spent."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import filters as fp
from theory.guarantees import ApproxDP
from theory.pairs import Gaussian, RandomizedResponse


class Scratch(fp.PrivacyFilter):
    """Adds up epsilons in one buffer that every method writes into."""

    promise = ApproxDP(1.0, 0.1)

    def __init__(self) -> None:
        self.buffer = np.zeros(1)

    def start(self, n: int) -> Any:
        self.buffer[:] = 0
        return self.buffer

    def admits(self, state: Any, request: Any) -> Any:
        np.add(state, request.pure_epsilon, out=self.buffer)
        return self.buffer <= 1

    def spend(self, state: Any, request: Any) -> Any:
        np.add(state, request.pure_epsilon, out=self.buffer)
        return self.buffer


@pytest.mark.parametrize(
    "asking",
    [lambda filt: filt.open("retry").request, lambda filt: fp.IndividualFilter(filt, 1).select],
    ids=["session", "people"],
)
def test_a_filter_that_writes_into_what_it_returned_is_held_to_its_budget(asking: Any) -> None:
    filt = Scratch()
    ask = asking(filt)
    granted = []
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
    class Answers(Scratch):
        def start(self, n: int) -> Any:
            self.answer = np.zeros(n, dtype=np.bool_)
            return np.zeros(n)

        def admits(self, state: Any, request: Any) -> Any:
            np.less_equal(state + request.pure_epsilon, 1, out=self.answer)
            return self.answer

        def spend(self, state: Any, request: Any) -> Any:
            return state + request.pure_epsilon

    people = fp.IndividualFilter(Answers(), 2)
    first = people.select(RandomizedResponse(0.75))
    assert not people.select(RandomizedResponse(0.75)).any()
    assert first.all()


def test_a_filter_that_still_decides_by_its_old_name_is_refused() -> None:
    class Old(fp.ZCDPFilter):
        __slots__ = ()

        def decide(self, state: Any, request: Any) -> Any:
            return np.zeros(len(state[0]), dtype=np.bool_), None

    with pytest.raises(
        TypeError, match=r"Old\.decide must not be defined, for it is not called; name it grant"
    ):
        Old(0.5).open()
