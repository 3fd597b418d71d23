"""A filter whose state is the other library's object, copied before it is charged: slow, and for any request."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from filters.adapters.foreign import Foreign
from filters.privacy_filter import PrivacyFilter
from theory.pairs import DominatingPair

__all__ = ["CopiedFilter"]


class CopiedFilter(PrivacyFilter):
    """CONT while a deep copy of the object grants the request; what the library raises is raised and is no denial.

    State: the objects, shape (n,), never changed once they are in a state. They must be what `copy.deepcopy` copies
    whole. A session of it cannot be saved. Source: the library under test.
    """

    sound = None
    proof = "none: the rule is another library's"

    def __init__(self, foreign: Foreign) -> None:
        self.foreign = foreign
        self.promise = foreign.promise

    def __repr__(self) -> str:
        return f"{self.foreign.name}, {self.promise}"

    def start(self, n: int) -> NDArray[Any]:
        return _objects([self.foreign.make() for _ in range(n)])

    def admits(self, state: NDArray[Any], request: DominatingPair) -> NDArray[Any]:
        return self.grant(state, request)[0]

    def spend(self, state: NDArray[Any], request: DominatingPair) -> NDArray[Any]:
        return self.grant(state, request)[1]

    def grant(self, state: NDArray[Any], request: DominatingPair) -> tuple[NDArray[Any], NDArray[Any]]:
        # both of one asking: an object that fails once may answer a second asking otherwise
        after = [copy.deepcopy(held) for held in state]
        granted = [self.foreign.granted(held, request.of_run(run)) for run, held in enumerate(after)]
        return np.array(granted, dtype=np.bool_), _objects(after)


def _objects(held: list[Any]) -> NDArray[Any]:
    # one by one: an object that is a sequence must not become a row
    array = np.empty(len(held), dtype=object)
    for run, one in enumerate(held):
        array[run] = one
    return array
