"""Every module is reached by its dotted name: no package hides one behind a value of the same name."""

from __future__ import annotations

import pickle
import pkgutil
import subprocess
import sys
from dataclasses import dataclass, field
from importlib import import_module
from operator import attrgetter
from pathlib import Path

import pytest

import filterproof as fp
from mc.worst_case.solve import worst_case
from tests.mc.worst_case.small_games import CountFilter
from theory.guarantees import ApproxDP, Guarantee
from theory.pairs import Erasure, Gaussian, RandomizedResponse

ROOT = Path(__file__).parent.parent


def _again(value):
    return pickle.loads(pickle.dumps(value))  # noqa: S301, our own bytes


@dataclass(frozen=True)
class Two(CountFilter):
    """CONT for two rounds."""

    most: int = 2
    promise: Guarantee = field(default=ApproxDP(9.0, 0.9), init=False)


ROOMS = ("theory", "filters", "mc", "reports", "filterproof")
MODULES = [
    name
    for room in ROOMS
    for name in (
        room,
        *(found.name for found in pkgutil.walk_packages(import_module(room).__path__, f"{room}.")),
    )
]


@pytest.mark.parametrize("name", MODULES)
def test_a_module_is_what_its_dotted_name_says_and_has_what_it_lists(name):
    module = import_module(name)
    room, _, inside = name.partition(".")
    reached = attrgetter(inside)(sys.modules[room]) if inside else sys.modules[room]
    assert reached is module
    for public in getattr(module, "__all__", ()):
        assert hasattr(module, public), public


def test_all_rooms_are_walked():
    assert {"mc.worst_case.plan", "theory.proofs.threshold", "filters.testing.laws", "reports.cli"} <= set(
        MODULES
    )


def test_a_room_lists_no_value_under_the_name_of_its_module():
    for name in MODULES:
        package = import_module(name)
        inside = {found.name for found in pkgutil.iter_modules(getattr(package, "__path__", ()))}
        listed = inside & set(getattr(package, "__all__", ()))
        assert all(sys.modules.get(f"{name}.{module}") is getattr(package, module) for module in listed)


@pytest.mark.parametrize(
    "statement",
    [
        "import mc.worst_case.plan; mc.worst_case.plan.Plan",
        "import mc.worst_case.plan as plan; plan.Plan",
        "from mc.worst_case.plan import Plan",
        "import mc.examine.attack; mc.examine.attack.attack",
        "import filterproof, mc.examine.attack; assert filterproof.attack is mc.examine.attack.attack",
        "import mc.worst_case; import filterproof; assert filterproof.worst_case is mc.worst_case.worst_case",
        "import filters.testing.laws; filters.testing.laws.laws",
        "import mc.intervals.betting; mc.intervals.betting.betting",
    ],
)
def test_a_fresh_interpreter_reaches_modules_and_functions(statement, tmp_path):
    result = subprocess.run(
        [sys.executable, "-c", statement],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        check=False,
    )
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("name", fp.__all__)
def test_every_public_function_and_class_can_be_pickled(name):
    public = getattr(fp, name)
    if callable(public) and hasattr(public, "__qualname__"):
        assert _again(public) is public


@pytest.mark.parametrize(
    "menu", [[RandomizedResponse(0.5), Erasure(0.25)], [RandomizedResponse.from_ratio(2)], [Gaussian(1.0)]]
)
def test_a_solved_game_and_its_strategy_survive_pickling(menu):
    solved = worst_case(Two(), menu, epsilon=fp.LogRatio(2))
    again = _again(solved)
    assert (again.value, again.low, again.high, again.scope) == (
        solved.value,
        solved.low,
        solved.high,
        solved.scope,
    )
    plays = [
        fp.simulate(Two(), result.strategy, epsilon=0.5, n=1000, seed=2, rounds=2).value
        for result in (solved, again)
    ]
    assert plays[0] == plays[1]
