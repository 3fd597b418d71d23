"""Individual accounting: those who run out sit out, reports are for one person, and many are decided some at a time."""

import tracemalloc
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import filterproof.filters as fp
import filterproof.filters.accountants.batched_grants
import filterproof.filters.accountants.linear_queries
from filterproof.theory.pairs import DominatingPair, Gaussian, PairPerRun, RandomizedResponse
from tests.filters.own import AddingMu

LARGE = np.random.default_rng(2).uniform(1, 10, 100)


@pytest.mark.parametrize(
    ("norms", "sigma"),
    [
        *((np.resize([0.0, little, 0.25], 60), 0.7) for little in (1e-300, 1e-30)),
        *((LARGE * 2.0**1000, sigma) for sigma in (0.7 * 2.0**1000, 0.7)),
        *((LARGE * 2.0**-1060, 0.7), (np.array([5e-324, 0.5, 0.0]), 2.0)),
        (np.array([3, 2**53 + 1]), 1.0),
        (np.array([np.longdouble(1) + np.longdouble(2) ** -60]), 1.0),
        (np.array([1.0]), 1 - Fraction(1, 2**55)),
    ],
)
def test_mu_is_the_norm_over_sigma_rounded_up_and_nothing_for_who_is_absent(norms: Any, sigma: Any) -> None:
    """Where all are divided at once, where products over- or underflow, and of numbers that are no doubles."""
    before = norms.copy()
    request = fp.gaussian_request(norms, sigma)
    mu, absent = np.asarray(request.gdp_mu), norms == 0
    assert (norms == before).all()
    assert ((mu == 0) == absent).all()
    for norm, ours in zip(norms.tolist(), mu, strict=True):
        due = Fraction(*norm.as_integer_ratio()) / Fraction(sigma)
        assert due <= Fraction(ours) <= due * (1 + Fraction(1, 2**50)) + Fraction(1, 2**1073)
    if absent.any():
        assert isinstance(request, PairPerRun)
        assert (np.asarray(request.pairs[0].gdp_mu)[absent] == 1).all()  # of nobody


def test_a_request_with_absent_people_is_a_pick_between_two_pairs() -> None:
    norms = np.array([0.5, 0.0, 2.0, 0.0] * 10)
    request = fp.gaussian_request(norms, 2.0)
    usual = PairPerRun((Gaussian(np.where(norms > 0, norms / 2, 1.0)), RandomizedResponse(0.0)), norms == 0)
    assert request == usual
    assert hash(request) == hash(usual)
    losses = [pairs.sample(np.random.default_rng(1), 40).tolist() for pairs in (request, usual)]
    assert losses[0] == losses[1]
    for some in (np.array([3, 0, 2]), norms > 1, slice(1, 7)):
        assert request.take(some) == usual.take(some)


PEOPLE, BLOCK = 16, 5


@pytest.fixture
def in_fives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filterproof.filters.accountants.batched_grants, "PEOPLE_PER_BLOCK", BLOCK)


class Own(AddingMu):
    """It keeps the state that it starts with."""

    def __init__(self, dtype: Any = np.float64) -> None:
        self.fresh = np.zeros(PEOPLE, dtype=dtype)

    def start(self, n: int) -> Any:
        return self.fresh[:n]


@pytest.mark.usefixtures("in_fives")
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_a_state_that_the_filter_keeps_is_not_written_over(dtype: Any) -> None:
    filt = Own(dtype)
    people = fp.IndividualFilter(filt, PEOPLE)
    sizes = np.linspace(0.125, 0.75, PEOPLE)
    assert people.select(Gaussian(sizes)).all()
    assert people.select(Gaussian(sizes)).tolist() == (2 * sizes <= 1).tolist()
    assert not filt.fresh.any()


class Elsewhere(RandomizedResponse):
    """A pair from elsewhere, which knows no slices."""

    def take(self, runs: Any) -> Any:
        assert isinstance(runs, np.ndarray)
        return RandomizedResponse(np.asarray(self.epsilon)[runs])


@pytest.mark.usefixtures("in_fives")
def test_a_pair_from_elsewhere_is_taken_by_indices() -> None:
    sizes = np.linspace(0.1, 2.0, PEOPLE)
    picked = PairPerRun((Elsewhere(sizes), RandomizedResponse(0.1)), np.zeros(PEOPLE, dtype=int))
    for request in (Elsewhere(sizes), picked):
        people = fp.IndividualFilter(fp.ZCDPFilter(0.5), PEOPLE)
        assert people.select(request).tolist() == (sizes <= 1).tolist()


@pytest.mark.usefixtures("in_fives")
def test_a_filter_that_changes_the_kind_of_its_state_grants_nothing_more() -> None:
    class Whole(Own):
        """Its states are whole numbers as long as they can be."""

        def spend(self, state: Any, request: DominatingPair) -> Any:
            after = super().spend(state, request)
            return after.astype(np.int64) if (after == np.round(after)).all() else after

    mu = np.ones(PEOPLE)
    mu[-1] = 0.5
    with pytest.raises(TypeError, match="must keep the dtype"):
        fp.IndividualFilter(Whole(np.int64), PEOPLE).select(Gaussian(mu))


def selecting(norms: Any) -> Callable[[], object]:
    people = fp.IndividualFilter(fp.GaussianFilter(1.0), len(norms))
    return lambda: people.select(fp.gaussian_request(norms, 1.0))


def answering(norms: Any) -> Callable[[], object]:
    queries, rng = fp.LinearQueries(len(norms), norm_budget=1.0, kappa=1.0), np.random.default_rng(0)
    return lambda: queries.answer(norms, rng)


@pytest.mark.parametrize(("make", "most"), [(selecting, 25), (answering, 17)], ids=["select", "answer"])
@pytest.mark.parametrize("absent", [False, True])
def test_people_take_so_many_bytes_each(
    make: Callable[[Any], Callable[[], object]], most: int, absent: bool
) -> None:
    """Everything at once, beyond the norms: sums and flags, the request, and the answer of one byte."""
    n = 1_000_000
    norms = np.random.default_rng(1).uniform(0.1, 0.5, n)
    if absent:
        norms[::3] = 0
    make(norms[:1000])()  # compiles
    tracemalloc.start()
    try:
        work = make(norms)
        for _ in range(2):  # the second finds charges that the first has left
            work()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    index = n if absent and make is selecting else 0  # who is absent, a byte each
    assert peak <= most * n + index + 8e6
