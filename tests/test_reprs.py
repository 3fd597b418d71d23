"""What stands at a prompt: each public object in two lines of a terminal, with its number, and nobody's data."""

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import filterproof as fp
from filterproof.filters.catalogue import CATALOGUE
from filterproof.theory.pairs import example_pairs

GDP = fp.GaussianFilter(mu=1.0)
#: A number that is somebody's, and that no repr may show.
SECRET = 0.8125903
PEOPLE = (fp.Gaussian(np.array([SECRET, 0.25])), np.array([SECRET, 0.25]))
TRACKER = fp.odometers.GaussianTracker(size=0.5)
LONG = tuple(fp.Gaussian(1 / k) for k in range(1, 60))


def _individuals() -> fp.IndividualFilter:
    people = fp.IndividualFilter(GDP, people=2)
    people.select(PEOPLE[0])
    return people


def _tracked() -> fp.odometers.IndividualTracker:
    people = fp.odometers.IndividualTracker(TRACKER, people=2)
    people.spend(PEOPLE[0])
    return people


def _queries() -> fp.people.LinearQueries:
    queries = fp.people.LinearQueries(people=2, norm_budget=5.0, kappa=1.0)
    queries.answer(PEOPLE[1], np.random.default_rng(1))
    return queries


def _accountant() -> fp.people.IndividualAccountant:
    accountant = fp.people.IndividualAccountant(2, q=0.1, sigma=1.0)
    accountant.add(PEOPLE[1])
    return accountant


TRAINING = fp.training.LogisticTraining(np.full((2, 3), SECRET), np.array([0, 1]), rate=0.1)


#: Objects that hold somebody's numbers.
PERSONAL: dict[str, Callable[[], Any]] = {
    "ClippedSums": lambda: fp.training.ClippedSums(_individuals(), clip=1.0, sigma=2.0),
    "IndividualAccountant": _accountant,
    "IndividualFilter": _individuals,
    "IndividualTracker": _tracked,
    "LinearAnswer": lambda: fp.people.LinearAnswer(np.full(100, SECRET), 1.0),
    "LinearQueries": _queries,
    "LogisticTraining": lambda: TRAINING,
    "PerPersonValues": lambda: _individuals().remaining(),
    "PersonalCost": lambda: fp.people.PersonalCost(0, "tracker", SECRET),
    "PersonalFactor": lambda: fp.people.PersonalFactor(0, SECRET),
    "PersonalRange": lambda: fp.people.PersonalRange(0, "epsilon", SECRET, SECRET),
    "PersonalRemainingBudget": lambda: fp.people.PersonalRemainingBudget(0, "promise", SECRET),
    "NoisySum": lambda: fp.training.NoisySum(np.zeros(100), 1.0),
    "SecretNoise": lambda: fp.training.SecretNoise(8125903, 0),
    "TrainingWithCanary": lambda: fp.training.TrainingWithCanary(TRAINING, 1.0),
}
#: Objects with long menus, arrays or histories.
LARGE: dict[str, Callable[[], Any]] = {
    "AccountantFilter": lambda: fp.AccountantFilter(1.0, 1e-5, LONG),
    "Composition": lambda: fp.Composition(dict(zip(LONG, range(1, 60), strict=True))),
    "LabelledRequest": lambda: fp.LabelledRequest(fp.Gaussian(1.0), {"epoch": tuple(range(99))}),
    "FinishedRuns": lambda: fp.runs.FinishedRuns(np.zeros(100), np.zeros(100), np.ones(100, dtype=np.int64)),
    "Scripted": lambda: fp.Scripted(LONG, (1,) * 59),
    "PairPerRun": lambda: fp.PairPerRun(LONG, np.zeros(9, dtype=np.intp)),
    "Session": lambda: GDP.open(),
    "SquaredCharge": lambda: fp.charges.SquaredCharge(np.full(100, 0.5)),
    "AdversaryView": lambda: fp.AdversaryView(
        1, np.zeros(2), np.zeros(2), GDP.start(2), None, GDP, np.random.default_rng(0)
    ),
    "Counterexample": lambda: fp.Counterexample(GDP, {"sequence": [{"pair": "x" * 300, "times": 1}]}),
}
LISTED = {name: (lambda entry=entry: entry.example()) for name, entry in CATALOGUE.items()}
PAIRS = {type(pair).__name__: (lambda pair=pair: pair) for pair in example_pairs()}
ALL: dict[str, Callable[[], Any]] = PERSONAL | LARGE | LISTED | PAIRS


@pytest.mark.parametrize("name", ALL)
def test_a_repr_is_short_and_in_one_line_and_shows_nobodys_data(
    name: str, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with fp.suppress_unsound_warning():
        text = repr(ALL[name]())
    assert len(text) <= 200
    assert "\n" not in text
    assert " object at 0x" not in text
    assert not re.search(r"8125903|0?\.8125", text)


@pytest.mark.parametrize("value", [0.786, 1.0, 0.1, 5e-324, 1e300])
def test_a_budget_tells_its_value_and_is_made_again_by_what_it_tells(value: float) -> None:
    assert repr(fp.Budget.of(value)) == f"Budget.of({value!r})"
    for budget in (fp.Budget.of(value), fp.Budget.square_of(math.sqrt(value))):
        assert eval(repr(budget), {"Budget": fp.Budget}) == budget  # noqa: S307, our own words
    assert repr(fp.Budget(1.0, 2.0**-60, 0)) == f"<Budget 1.0: high=1.0, low={2.0**-60!r}, exponent=0>"


def test_filters_of_two_long_menus_tell_which_is_which() -> None:
    menus = [tuple(fp.Gaussian(k * step) for k in range(1, 60)) for step in (0.01, 0.01 + 2.0**-50)]
    names = {repr(fp.BlackwellFilter(1.0, menu)) for menu in menus for _ in range(2)}
    assert len(names) == 2
    session = fp.BlackwellFilter(1.0, menus[0]).open()
    with pytest.raises(ValueError, match="filt must be the filter that was saved"):
        fp.Session.from_dict(session.to_dict(), fp.BlackwellFilter(1.0, menus[1]))
