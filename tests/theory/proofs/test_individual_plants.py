"""Faults planted in the theorem on individual filters: each turns a step red, as its statement is false then."""

from __future__ import annotations

import sys
from collections.abc import Callable
from fractions import Fraction
from importlib.abc import InspectLoader
from importlib.resources import files
from importlib.util import module_from_spec, spec_from_loader
from typing import Any

import pytest

from theory.proofs import THEOREMS
from theory.proofs.people import removals
from theory.proofs.people_tally import SAID, Tally, check_both_ways
from theory.proofs.theorem import CheckedStep, RefusedError, Step
from theory.proofs.trees import Pair, Transcript, Tree, full_trees

PARTS = ("people", "people_games", "individual_filter")
Planted = Callable[[str, str, str], tuple[Step, ...]]


class Edited(InspectLoader):
    """A module of this source."""

    def __init__(self, source: str) -> None:
        self._source = source

    def get_source(self, fullname: str) -> str:
        return self._source


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> Planted:
    """The theorem's steps, from its source with one text of one part replaced."""

    def steps(part: str, old: str, new: str) -> tuple[Step, ...]:
        fresh: Any = None
        for name in PARTS:
            source = (files("theory.proofs") / f"{name}.py").read_text("utf-8")
            if name == part:
                assert source.count(old) == 1, "the fault is planted in one place"
                source = source.replace(old, new)
            spec = spec_from_loader(f"theory.proofs.{name}", Edited(source))
            assert spec is not None
            assert spec.loader is not None
            fresh = module_from_spec(spec)
            monkeypatch.setitem(sys.modules, spec.name, fresh)
            spec.loader.exec_module(fresh)
        found: tuple[Step, ...] = fresh.THEOREM.steps
        return found

    return steps


def test_the_theorem_without_a_fault_holds(planted: Planted) -> None:
    steps = planted("people", "PEOPLE = 3\n", "PEOPLE = 3  # as it is\n")
    assert [step.statement for step in steps] == [s.statement for s in THEOREMS["individual filter"].steps]
    some = [
        step
        for step in steps
        if any(word in step.statement for word in ("orders 2", "Two randomised", "loss"))
    ]
    assert len(some) >= 5
    assert all(CheckedStep.run(step).holds for step in some)


@pytest.mark.parametrize(
    ("part", "old", "new", "where", "refused"),
    [
        pytest.param(
            "people_games", "_ROUNDS = 3", "_ROUNDS = 2", "people", "8 strategies for a person", id="rounds"
        ),
        pytest.param("people", "PEOPLE = 3", "PEOPLE = 2", "people", "4 of the 12 data sets", id="people"),
        pytest.param(
            "people_games",
            '''with and without the person."""
    for data, person in removals():''',
            '''with and without the person."""
    for data, person in [(0b111, 0)]:''',
            "orders 2 and 3",
            "1 of the 12 data sets",
            id="one-data-set",
        ),
        pytest.param(
            "people_games",
            '''without the person."""
    for data, person in removals():
        for tree in _TREES():''',
            '''without the person."""
    for data, person in removals():
        for tree in _TREES()[::2]:''',
            "orders 2 and 3",
            "64 strategies for a person",
            id="half-the-strategies",
        ),
        pytest.param(
            "people_games",
            "for way in (ends, [end.swapped for end in ends]):",
            "for way in (ends,):",
            "orders 2 and 3",
            "in one of two directions",
            id="one-direction",
        ),
        pytest.param(
            "people_games",
            "for way in (ends, [end.swapped for end in ends]):",
            "for way in ([end.swapped for end in ends],):",
            "orders 2 and 3",
            "in one of two directions",
            id="the-other-direction",
        ),
        pytest.param(
            "people_games",
            "max(pair.moment(order), pair.swapped.moment(order))",
            "pair.moment(order)",
            "orders 2 and 3",
            "is below a moment",
            id="charge-in-one-direction",
        ),
        pytest.param(
            "people_games",
            "max(pair.moment(order), pair.swapped.moment(order))",
            "pair.swapped.moment(order)",
            "orders 2 and 3",
            "is below a moment",
            id="charge-in-the-other",
        ),
        pytest.param(
            "people_games",
            "(2*quantile({w}))",
            "(205/100*quantile({w}))",
            "Two randomised",
            "30 + (tail(",
            id="mu-too-large",
        ),
        pytest.param(
            "people_games",
            "(2*quantile({w}))",
            "(195/100*quantile({w}))",
            "Two randomised",
            "30 - (tail(",
            id="mu-too-small",
        ),
        pytest.param(
            "individual_filter",
            "/ 2 - power * rest_of_loss",
            "/ 2 + power * rest_of_loss",
            "loss",
            "the residual is",
            id="sign-of-the-density",
        ),
        pytest.param(
            "individual_filter",
            "return mu**2 / 2 + mu * z",
            "return mu**2 / 2 - mu * z",
            "loss",
            "the residual is",
            id="sign-of-the-loss",
        ),
    ],
)
def test_a_planted_fault_turns_a_step_red(
    part: str, old: str, new: str, where: str, refused: str, planted: Planted
) -> None:
    ran = [CheckedStep.run(step) for step in planted(part, old, new) if where in step.statement]
    details = [step.detail for step in ran if not step.holds]
    assert any(refused in detail for detail in details), details


def test_the_tally_counts_by_itself_what_the_games_count() -> None:
    assert set(removals()) == SAID.removals()
    assert len(set(full_trees(SAID.mechanisms, SAID.rounds))) == SAID.strategies


HALF = Fraction(1, 2)
LEVEL = [Transcript(HALF, Fraction(1, 4), (), (0,)), Transcript(HALF, Fraction(3, 4), (), (1,))]


def filled() -> Tally:
    tally = Tally("it")
    for data, person in SAID.removals():
        for tree in full_trees(2, 3):
            tally.played(data, person, tree, LEVEL)
    return tally


def test_a_tally_wants_each_strategy_of_each_data_set_and_each_law_both_ways() -> None:
    tally = filled()
    tally.check()
    tally.compared(LEVEL)
    with pytest.raises(RefusedError, match="leaves out 1 laws"):
        tally.check(ways=True)
    tally.compared([end.swapped for end in LEVEL])
    tally.check(ways=True)
    tally.played(0, 0, None)
    with pytest.raises(RefusedError, match=r"12 of the 12 data sets .* others 1$"):
        tally.check()
    short = filled()
    short.played(1, 0, Tree(0, (None, None)))
    with pytest.raises(RefusedError, match="129 strategies for a person"):
        short.check()


def test_strategies_are_of_all_rounds_and_of_all_mechanisms() -> None:
    for trees, sentence in (
        (list(full_trees(2, 4))[:128], "128 strategies for a person, not 128 of 3 rounds"),
        ([*list(full_trees(3, 3))[-128:]], "does not ask for each of 2 mechanisms"),
    ):
        tally = Tally("it")
        for data, person in SAID.removals():
            for tree in trees:
                tally.played(data, person, tree)
        with pytest.raises(RefusedError, match=sentence):
            tally.check()


def test_a_charge_covers_both_directions() -> None:
    pair = Pair((Fraction(2, 5), Fraction(3, 5)), (Fraction(1, 5), Fraction(4, 5)))
    assert pair.moment(2) > pair.swapped.moment(2)
    check_both_ways([pair, pair.swapped], lambda one: Fraction(5, 4), 2)
    for one in (pair, pair.swapped):
        with pytest.raises(RefusedError, match="is below a moment"):
            check_both_ways([one], lambda one: Fraction(6, 5), 2)
