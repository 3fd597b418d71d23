"""What was added cannot be forgotten: a class in a room is in its registries, or a test names the missing line."""

from __future__ import annotations

import json
import pkgutil
from collections.abc import Iterator
from importlib import import_module
from inspect import isabstract, isfunction, signature
from pathlib import Path
from types import ModuleType
from typing import get_args

import numpy as np
import pytest

import filterproof as fp
import mc
from filters import catalogue
from filters.privacy_filter import PrivacyFilter
from mc.engine.encoding import nameable
from mc.intervals import IntervalName, Moments, MomentsMethod
from mc.intervals.coverage import METHODS
from reports.chapters import CHAPTERS
from reports.finding import Chapter
from tests.theory.example_pairs import EXAMPLES
from theory import conversions, pairs
from theory.proofs import THEOREMS

#: Filters of `filters/rules` that the catalogue does not list, and why.
NOT_LISTED = {
    "BlockFilter": "made of a tracker, and shown with the trackers",
    "AdditiveFilter": "what the filters of one sum share",
    "KappaFilter": "promises nothing by itself",
    "SomeOrderRule": "what two filters of the catalogue share",
    "OverspendingFilter": "made by the report to break the promise of another filter",
}


def modules(room: str) -> Iterator[ModuleType]:
    """Every module of a room, by scanning its folder."""
    for found in pkgutil.iter_modules(import_module(room).__path__, f"{room}."):
        yield import_module(found.name)


def own_classes(room: str, base: type) -> dict[str, type]:
    """The classes of a room that derive from `base` and can be made: name -> class."""
    return {
        name: thing
        for module in modules(room)
        for name, thing in vars(module).items()
        if isinstance(thing, type) and issubclass(thing, base) and thing.__module__ == module.__name__
        if name[0] != "_" and not isabstract(thing)
    }


# -- filters ---------------------------------------------------------------------------------------------------


def test_every_filter_is_in_the_catalogue() -> None:
    for name, kind in own_classes("filters.rules", PrivacyFilter).items():
        if name not in NOT_LISTED:
            told = f"filters/catalogue.py must list {name}: add Entry({name}, ...) with two examples"
            assert name in catalogue.CATALOGUE, told
            assert catalogue.CATALOGUE[name].kind is kind


def test_a_filter_that_the_catalogue_does_not_list_is_there() -> None:
    assert set(NOT_LISTED) <= set(own_classes("filters.rules", PrivacyFilter))


@pytest.mark.parametrize("name", catalogue.CATALOGUE)
def test_a_filter_of_the_catalogue_is_public(name: str) -> None:
    assert name in catalogue.__all__, f"filters/catalogue.py must export {name}: add it to __all__"
    assert getattr(fp, name) is catalogue.CATALOGUE[name].kind


@pytest.mark.parametrize("entry", catalogue.CATALOGUE.values(), ids=lambda entry: entry.name)
def test_a_filter_names_its_theorem(entry: catalogue.Entry) -> None:
    kind = entry.kind
    told = f"{kind.__module__} must name the theorem of {entry.name}: theorem = a key of THEOREMS, or None"
    assert "theorem" in vars(kind), told
    assert kind.theorem is None or kind.theorem in THEOREMS, f"{told}, got {kind.theorem!r}"


# -- theorems --------------------------------------------------------------------------------------------------


def test_every_theorem_is_listed_under_its_name_and_in_the_table_of_the_second_checker() -> None:
    table = json.loads((Path(pairs.__file__).parents[1] / "proofs" / "recheck_table.json").read_text("utf-8"))
    for module in modules("theory.proofs"):
        if theorem := getattr(module, "THEOREM", None):
            file = module.__name__.rpartition(".")[2]
            told = f'theory/proofs/__init__.py must list "{theorem.name}": "{file}"'
            assert theorem.name in THEOREMS, told
            assert THEOREMS[theorem.name] is theorem, told
            told = f"recheck_table.json must hold {theorem.name!r}: python -m tests.theory.proofs.write_table"
            assert theorem.name in table["theorems"], told


# -- pairs and conversions -------------------------------------------------------------------------------------


def test_every_pair_is_listed_and_public() -> None:
    for name, kind in own_classes("theory.pairs", pairs.DominatingPair).items():
        assert name in pairs.__all__, f"theory/pairs/__init__.py must export {name}: add it to __all__"
        if kind is not pairs.Selection:  # a choice among pairs
            assert kind in pairs.PAIRS, f"theory/pairs/__init__.py must list {name}: add it to PAIRS"
        assert getattr(fp, name) is kind


@pytest.mark.parametrize("kind", pairs.PAIRS, ids=lambda kind: kind.__name__)
def test_every_pair_has_an_example_for_the_contract(kind: type) -> None:
    told = f"tests/theory/example_pairs.py must hold a {kind.__name__}: add one to EXAMPLES"
    assert any(type(pair) is kind for pair in EXAMPLES), told


def test_every_conversion_is_listed() -> None:
    for name, thing in vars(conversions).items():
        if isinstance(thing, conversions.Conversion):
            told = f"theory/conversions.py must list {name}: add it to CONVERSIONS"
            assert any(thing is one for one in conversions.CONVERSIONS), told
            assert getattr(fp, name, None) is thing, f"theory/__init__.py must export {name}"


# -- intervals -------------------------------------------------------------------------------------------------


def test_every_interval_from_moments_can_be_chosen_and_its_coverage_is_measured() -> None:
    moments = Moments.of(np.random.default_rng(1).random(100))
    offered = set()
    for method in MomentsMethod:
        try:
            offered.add(method.interval(moments, failure=0.01).method)
        except KeyError:
            pytest.fail(f"_FROM_MOMENTS in mc/intervals/choice.py must hold {method}: add its function")
    for module in modules("mc.intervals"):
        for name in getattr(module, "__all__", ()):
            thing = getattr(module, name)
            if isfunction(thing) and [*signature(thing).parameters] == ["moments", "failure"]:
                told = f"mc/intervals/choice.py must list {name}: add a member to MomentsMethod"
                assert thing(moments, failure=0.01).method in offered, told
    for method in MomentsMethod:
        assert method.interval(moments, failure=0.01).method == method.value
        told = f"IntervalName in mc/intervals/choice.py must hold {method.value!r}"
        assert method.value in get_args(IntervalName), told
        assert method.value in {one.name for one in METHODS}


# -- adversaries -----------------------------------------------------------------------------------------------


def test_every_adversary_is_public_and_plays_against_a_filter_from_a_file() -> None:
    for name, kind in own_classes("mc.engine", fp.Adversary).items():
        assert nameable().get(name) is kind, f"mc/engine/adversaries.py must list {name}: add it to __all__"
        assert name in mc.__all__, (
            f"mc/__init__.py must export {name}: add its import, and its name to __all__"
        )
        told = f"mc/examine/stages/tests.py must play {name}: add it to _adversaries"
        assert any(vars(stage).get(name) is kind for stage in modules("mc.examine.stages")), told


# -- chapters --------------------------------------------------------------------------------------------------


def test_every_chapter_is_in_the_report() -> None:
    for module in modules("reports.chapters"):
        for name in getattr(module, "__all__", ()):
            if isinstance(thing := getattr(module, name), Chapter):
                told = f"reports/chapters/__init__.py must list {name}: add it to CHAPTERS"
                assert thing in CHAPTERS, told
