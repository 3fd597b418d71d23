"""How often an answer misses its bound: beside the error function, and with too little noise stated."""

import math

import numpy as np
import pytest
from scipy import special

import filterproof as fp
from mc.estimate.answer_misses import answered

HOW = {"norm_budget": 12.0, "kappa": 0.5, "dimension": 3, "delta": 0.3}


@pytest.mark.parametrize(("dimension", "turnover"), [(3, 0), (1, 1), (3, 1)])
def test_an_answer_misses_its_bound_as_often_as_the_error_function_says(dimension, turnover):
    how = {**HOW, "dimension": dimension, "turnover": turnover}
    found = fp.people.answer_misses(40 if turnover else 20, **how, answers=2000, seed=2, failure=1e-6)
    each = special.erfc(math.sqrt(math.log(dimension / 0.3)))
    assert 1 - (1 - each) ** dimension in found
    assert found.high < 0.4
    assert found.n == 2000


def test_the_bound_is_that_of_the_corollary_and_people_run_out_unless_others_join():
    coming = answered(40, **HOW, answers=100, turnover=1, rng=np.random.default_rng(1))
    assert (np.diff(coming.left) > 0).any()  # new people have whole budgets
    assert coming.left[-1] > 0
    some = answered(20, **HOW, answers=150, rng=np.random.default_rng(1))
    assert some.bound == pytest.approx(np.full(150, math.sqrt(12.0 * math.log(3 / 0.3) / 0.5)))
    assert (np.diff(some.left) <= 0).all()
    assert some.left[0] == 20
    assert some.left[-1] == 0


def test_people_who_count_too_often_are_seen(monkeypatch):
    """With budgets that never run out, the answers are far from the sum over those who should take part."""
    before = answered(200, **HOW, answers=60, rng=np.random.default_rng(1))
    monkeypatch.setattr(fp.Budget, "charge", lambda self, state, charge, among: self.fits(state, charge))
    after = answered(200, **HOW, answers=60, rng=np.random.default_rng(1))
    assert np.count_nonzero(before.error > before.bound) < 20
    assert np.count_nonzero(after.error > after.bound) > 20


def test_more_noise_than_stated_is_seen(monkeypatch):
    monkeypatch.setattr(fp.people.LinearAnswer, "error", lambda self, delta: self.sigma)
    assert fp.people.answer_misses(20, **HOW, answers=1000, seed=1).low > 0.3


def test_people_who_do_not_go_are_seen(monkeypatch):
    monkeypatch.setattr(fp.people.LinearQueries, "leave", lambda self, people: None)
    some = answered(400, **HOW, answers=60, turnover=30, rng=np.random.default_rng(1))
    assert np.count_nonzero(some.error > some.bound) > 30


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"people": 10**12}, "^people must have at most 100,000,000 values in a query, got people=1000000000000 with "),
        ({"people": 10**6, "dimension": 10**6}, "dimension=1000000 and turnover=0; pass fewer people"),
        ({"turnover": 6}, "^turnover must be at most people=5, got turnover=6; pass the people who come and go$"),
    ],
)  # fmt: skip
def test_more_people_than_there_are_or_than_memory_holds_are_refused(changes, message):
    given = {"people": 5, **HOW, "answers": 10, **changes}
    with pytest.raises(ValueError, match=message):
        fp.people.answer_misses(given.pop("people"), **given)
