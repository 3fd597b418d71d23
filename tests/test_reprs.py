"""What stands at a prompt: each public object in two lines of a terminal, with its number, and nobody's data."""

import inspect
import re
from collections.abc import Callable
from enum import Enum
from fractions import Fraction
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import filterproof as fp
from filters.catalogue import CATALOGUE
from mc.engine.adversaries import STRATEGIES
from reports.docs.reference import public_names
from tests.reports.test_shown import MADE, made
from theory.pairs import examples

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


#: Every public class that can be made and that no list of the library has, by its name.
HERE: dict[str, Callable[[], Any]] = {
    "AccountantFilter": lambda: fp.AccountantFilter(1.0, 1e-5, LONG),
    "AdditiveFilter": lambda: type(
        "Mine", (fp.AdditiveFilter,), {"promise": fp.ZCDP(0.5), "charge": fp.zcdp_charge}
    )(),
    "Approaching": fp.odometers.Approaching,
    "Ball": lambda: fp.conversions.threshold("B*", 1, "1e-5"),
    "BettingTest": lambda: fp.intervals.BettingTest(0.1, 1.0, 1e-6),
    "BlockFilter": lambda: fp.odometers.BlockFilter(TRACKER, 3),
    "Budget": lambda: fp.Budget.of(0.786),
    "AboveThreshold": lambda: fp.people.AboveThreshold(0, ratio=Fraction(9, 8), rng=np.random.default_rng(1)),
    "ClippedSums": lambda: fp.training.ClippedSums(_individuals(), clip=1.0, sigma=2.0),
    "ClippingAfterAdding": lambda: fp.training.ClippingAfterAdding(_individuals(), clip=1.0, sigma=2.0),
    "Composition": lambda: fp.Composition(dict(zip(LONG, range(1, 60), strict=True))),
    "Constant": lambda: fp.Constant(0.5),
    "DoublingOdometer": lambda: fp.odometers.DoublingOdometer(1e-5, 0.1),
    "EraserForever": fp.EraserForever,
    "ExactMasses": lambda: fp.ExactMasses((Fraction(1, 2),) * 2, (Fraction(1, 3), Fraction(2, 3))),
    "ForgettingSums": lambda: fp.training.ForgettingSums(_individuals(), clip=1.0, sigma=2.0),
    "Game": lambda: fp.runs.Game(GDP, fp.OneShot(), 3),
    "GaussianTracker": lambda: TRACKER,
    "Holds": lambda: fp.charges.Holds(zcdp=0.5),
    "IndividualAccountant": _accountant,
    "IndividualFilter": _individuals,
    "IndividualTracker": _tracked,
    "Labelled": lambda: fp.Labelled(fp.Gaussian(1.0), {"epoch": tuple(range(99))}),
    "Release": fp.services.Release,
    "LabelledFilter": lambda: fp.LabelledFilter(GDP, labels={"site": range(30)}, over={"site": 3}),
    "LineOdometer": lambda: fp.odometers.LineOdometer(1e-5, 0.5),
    "LinearAnswer": lambda: fp.people.LinearAnswer(np.zeros(100), 1.0),
    "LinearQueries": _queries,
    "LocalPool": lambda: fp.runs.LocalPool(1),
    "LogRatio": lambda: fp.LogRatio(Fraction(3, 2)),
    "LogisticTraining": lambda: TRAINING,
    "MenuChasing": lambda: fp.MenuChasing((fp.Gaussian(0.5), fp.Gaussian(1.0))),
    "MenuRandom": lambda: fp.MenuRandom((fp.Gaussian(0.5), fp.Gaussian(1.0))),
    "MixtureOdometer": lambda: fp.odometers.MixtureOdometer(1e-5, 1.0),
    "Moments": lambda: fp.intervals.Moments(10, 5.0, 2.0),
    "Paths": lambda: fp.runs.Paths(np.zeros(100), np.zeros(100), np.ones(100, dtype=np.int64)),
    "Personal": lambda: _individuals().remaining(),
    "PersonalBounds": lambda: _accountant().epsilon(1e-2),
    "PersonalCost": lambda: fp.people.PersonalCost(0, "tracker", SECRET),
    "PersonalFactor": lambda: fp.people.PersonalFactor(0, SECRET),
    "PersonalRange": lambda: fp.people.PersonalRange(0, "epsilon", SECRET, SECRET),
    "PersonalReport": lambda: fp.people.PersonalReport(0, "promise", SECRET),
    "Plain": lambda: fp.charges.Plain(0.5),
    "Play": lambda: fp.runs.Play(n=10),
    "PrivateSum": lambda: fp.training.PrivateSum(np.zeros(100), 1.0),
    "Progress": lambda: fp.runs.Progress(1, 2, 0, 0.5, fp.runs.Tally(np.array([3]), np.zeros((1, 40)))),
    "PureDP": lambda: fp.PureDP(1.0),
    "RenyiCharge": lambda: fp.charges.renyi_charge.at(8.0),
    "RenyiTracker": lambda: fp.odometers.RenyiTracker(8.0, 0.5),
    "RogersOdometer": lambda: fp.odometers.RogersOdometer(1e-5, 1000),
    "RunStore": lambda: fp.runs.RunStore(":memory:"),
    "Scripted": lambda: fp.Scripted(LONG, (1,) * 59),
    "SecretNoise": lambda: fp.training.SecretNoise(8125903, 0),
    "Selection": lambda: fp.Selection(LONG, np.zeros(9, dtype=np.intp)),
    "Session": lambda: GDP.open(),
    "Extremal": lambda: fp.ZCDP(0.5).extremal(2.0),
    "Split": lambda: fp.conversions.Split(1e-6, 1e-7),
    "Square": lambda: fp.charges.Square(np.full(100, 0.5)),
    "StitchedOdometer": lambda: fp.odometers.StitchedOdometer(1e-5, 0.1),
    "Supremum": lambda: fp.supremum(GDP, 2.0),
    "Tally": lambda: fp.runs.Tally(np.array([3]), np.zeros((1, 40))),
    "TwoRoutes": lambda: fp.results.TwoRoutes("at epsilon 1", 0.12, 0.13, 0.127, 0.127),
    "View": lambda: fp.View(1, np.zeros(3), np.zeros(3), GDP.start(3), None, GDP, np.random.default_rng(0)),
    "WithCanary": lambda: fp.training.WithCanary(TRAINING, 1.0),
    "Witness": lambda: fp.Witness(GDP, {"sequence": [{"pair": "x" * 300, "times": 1}]}),
}
LISTED = {name: (lambda entry=entry: entry.example()) for name, entry in CATALOGUE.items()}
HELD = [make().promise for make in LISTED.values()]
PROMISES = {type(promise).__name__: (lambda promise=promise: promise) for promise in HELD}
PAIRS = {type(pair).__name__: (lambda pair=pair: pair) for pair in examples()}
RESULTS = {name: (lambda name=name: made(name)) for name in MADE}
PLAYERS = {kind.__name__: kind for kind in STRATEGIES}
ALL: dict[str, Callable[[], Any]] = HERE | LISTED | PROMISES | PAIRS | RESULTS | PLAYERS


def test_every_public_class_that_can_be_made_has_an_example_here() -> None:
    public = {path.rpartition(".")[2]: attrgetter(path)(fp) for path in public_names()}
    made_by_hand = {
        name
        for name, kind in public.items()
        if inspect.isclass(kind)
        and not (inspect.isabstract(kind) or getattr(kind, "_is_protocol", False))
        and not issubclass(kind, (Enum, BaseException))
    }
    assert made_by_hand <= {name.partition(",")[0] for name in ALL}, "add an example to HERE"
    assert HERE.keys() <= made_by_hand


@pytest.mark.parametrize("name", ALL)
def test_a_repr_is_short_and_in_one_line_and_shows_nobodys_data(
    name: str, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with fp.knowingly():
        text = repr(ALL[name]())
    assert len(text) <= 200
    assert "\n" not in text
    assert " object at 0x" not in text
    assert not re.search(r"8125903|0?\.8125", text)


@pytest.mark.parametrize("name", [name for name in fp.__all__ if not callable(getattr(fp, name))])
def test_a_public_value_is_told_by_what_it_holds(name: str) -> None:
    text = repr(getattr(fp, name))
    assert len(text) <= 200
    assert " object at 0x" not in text


@pytest.mark.parametrize("value", [0.786, 1.0, 4.0, 0.1, 1e-300, 5e-324, 1e300, 2.5])
def test_a_budget_tells_its_value_and_is_made_again_by_what_it_tells(value: float) -> None:
    for make in (fp.Budget.of, fp.Budget.square_of):
        if make is fp.Budget.of or 1e-150 < value < 1e150:
            budget = make(value)
            assert eval(repr(budget), {"Budget": fp.Budget}) == budget  # noqa: S307, our own words
    assert repr(fp.Budget.of(0.786)) == "Budget.of(0.786)"
    odd = fp.Budget(1.0, 2.0**-60, 0)
    assert repr(odd) == f"<Budget 1.0: high=1.0, low={2.0**-60!r}, exponent=0>"


def test_filters_of_two_long_menus_tell_which_is_which() -> None:
    menus = [tuple(fp.Gaussian(k * step) for k in range(1, 60)) for step in (0.01, 0.01 + 2.0**-50)]
    names = {repr(fp.BlackwellFilter(1.0, menu)) for menu in menus for _ in range(2)}
    assert len(names) == 2
    session = fp.BlackwellFilter(1.0, menus[0]).open()
    with pytest.raises(ValueError, match="filt must be the filter that was saved"):
        fp.Session.from_dict(session.to_dict(), fp.BlackwellFilter(1.0, menus[1]))
