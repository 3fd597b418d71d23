"""Who holds a filter asks it once per request, by the method that the engine asks."""

from typing import Any

import numpy as np
import pytest

import filters as fp
from theory.pairs import Gaussian


class Counting(fp.PrivacyFilter):
    """mu up to 1 in all, by halves; what was asked of it, in order."""

    promise = fp.GaussianFilter(1.0).promise

    def __init__(self, together: bool) -> None:
        self.together = together
        self.asked: list[str] = []

    def start(self, n: int) -> Any:
        return np.zeros(n)

    def admits(self, state: Any, request: Any) -> Any:
        self.asked.append("admits")
        return state + request.gdp_mu <= 1

    def spend(self, state: Any, request: Any) -> Any:
        self.asked.append("spend")
        return state + request.gdp_mu

    def grant(self, state: Any, request: Any) -> Any:
        self.asked.append("grant")
        after = state + request.gdp_mu
        return after <= 1, after if self.together else None


@pytest.mark.parametrize(("together", "asked"), [(True, ["grant"]), (False, ["grant", "spend"])])
def test_a_session_and_people_decide_once(together: bool, asked: list[str]) -> None:
    filt = Counting(together)
    session, people = filt.open("retry"), fp.IndividualFilter(filt, 3)
    for fits in (True, True, False):
        filt.asked.clear()
        assert session.request(Gaussian(0.5)) == fits
        assert filt.asked == (asked if fits else ["grant"])
    assert session.granted == 2
    for active in ([True] * 3, [True, False, True], [True, False, False]):
        filt.asked.clear()
        assert people.select(Gaussian(np.array([0.25, 0.75, 0.5]))).tolist() == active
        assert filt.asked == asked
