"""How often an answer misses its bound: beside the error function, and with too little noise stated."""

import math

import pytest
from scipy import special

import filterproof as fp

HOW = {"norm_budget": 12.0, "kappa": 0.5, "dimension": 3, "delta": 0.3}


@pytest.mark.parametrize(("dimension", "turnover"), [(3, 0), (1, 1)])
def test_an_answer_misses_its_bound_as_often_as_the_error_function_says(dimension, turnover):
    how = {**HOW, "dimension": dimension, "turnover": turnover}
    estimate = fp.people.answer_misses(40 if turnover else 20, **how, answers=1000, seed=2, failure=1e-6)
    each = special.erfc(math.sqrt(math.log(dimension / 0.3)))
    assert 1 - (1 - each) ** dimension in estimate
    assert estimate.high < 0.4
    assert estimate.n == 1000


def test_people_who_count_too_often_are_seen(monkeypatch):
    """With budgets that never run out, the answers are far from the sum over those who should take part."""
    assert fp.people.answer_misses(200, **HOW, answers=60, seed=1).value < 1 / 3
    step = fp.Budget.step
    monkeypatch.setattr(fp.Budget, "step", lambda self, state, charge: (step(self, state, charge)[0], state))
    assert fp.people.answer_misses(200, **HOW, answers=60, seed=1).value > 1 / 3


def test_more_noise_than_stated_is_seen(monkeypatch):
    monkeypatch.setattr(fp.people.LinearAnswer, "error", lambda self, delta: self.sigma)
    assert fp.people.answer_misses(20, **HOW, answers=1000, seed=1).low > 0.3


def test_people_who_do_not_go_are_seen(monkeypatch):
    monkeypatch.setattr(fp.people.LinearQueries, "leave", lambda self, people: None)
    assert fp.people.answer_misses(400, **HOW, answers=60, turnover=30, seed=1).value > 1 / 2


def test_more_people_than_memory_holds_are_refused():
    with pytest.raises(ValueError, match="people must have at most 100,000,000 values"):
        fp.people.answer_misses(10**12, **HOW)
