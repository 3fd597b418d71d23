"""The law that a grant is admits and spend is broken by each way in which they can differ."""

from __future__ import annotations

import numpy as np
import pytest

import filterproof as fp
from filters.testing.laws import EXAMINED, LAWS, LawBrokenError, a_grant_is_admits_and_spend
from theory.pairs import Gaussian


class Plain(fp.PrivacyFilter):
    promise = fp.ZCDP(0.5)

    def start(self, n):
        return np.zeros(n)

    def admits(self, state, request):
        return self.spend(state, request) <= 0.5

    def spend(self, state, request):
        return state + np.broadcast_to(np.asarray(request.zcdp_rho, dtype=float), state.shape)


class Together(Plain):
    """The same, with the state after it at once."""

    def grant(self, state, request):
        after = self.spend(state, request)
        return after <= 0.5, after


class AllowsMore(Together):
    def grant(self, state, request):
        after = self.spend(state, request)
        return after <= 1.0, after


class AllowsLess(Together):
    def grant(self, state, request):
        after = self.spend(state, request)
        return after <= 0.25, after


class ChargesLess(Together):
    def grant(self, state, request):
        after = self.spend(state, request)
        return after <= 0.5, (state + after) / 2


class LeavesTheStateToSpend(Together):
    def grant(self, state, request):
        return self.admits(state, request), None


class MeansNothingWhenDenied(Together):
    """The state of a run that is denied means nothing, so anything may stand there."""

    def grant(self, state, request):
        after = self.spend(state, request)
        return after <= 0.5, np.where(after <= 0.5, after, np.nan)


HISTORY = [(Gaussian(0.25), 0.0), (Gaussian(0.125), 0.0)]
REQUESTS = [Gaussian(mu) for mu in (0.1, 0.5, 0.8, 0.97, 1.2, 1.5)]


@pytest.mark.parametrize("kind", [Plain, Together, LeavesTheStateToSpend, MeansNothingWhenDenied])
def test_it_holds_where_the_two_agree(kind: type[fp.PrivacyFilter]) -> None:
    for request in REQUESTS:
        a_grant_is_admits_and_spend(kind(), HISTORY, request)


@pytest.mark.parametrize(
    ("kind", "request_", "words"),
    [
        (AllowsMore, Gaussian(1.2), "grant and admits answer Gaussian"),
        (AllowsLess, Gaussian(0.8), "grant and admits answer Gaussian"),
        (ChargesLess, Gaussian(0.5), "grant and spend give two states after Gaussian"),
    ],
)
def test_it_is_broken_where_they_differ(kind, request_, words) -> None:
    with pytest.raises(LawBrokenError, match=words):
        a_grant_is_admits_and_spend(kind(), HISTORY, request_)


@pytest.mark.usefixtures("unshrunk")
def test_it_is_among_the_laws_that_every_filter_is_tested_on() -> None:
    assert a_grant_is_admits_and_spend in EXAMINED
    assert "test_a_grant_is_admits_and_spend" in LAWS
    tests = fp.laws(AllowsMore)
    with pytest.raises(LawBrokenError):
        tests().test_a_grant_is_admits_and_spend()
