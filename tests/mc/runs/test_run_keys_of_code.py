"""A store's key and code: what a class reaches decides it, in every process alike, and nothing else does."""

from __future__ import annotations

import functools
import importlib
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import filterproof as fp
from filters.catalogue import CATALOGUE
from mc.engine import adversaries
from mc.engine.adversary import Adversary, View
from mc.engine.game import Game
from mc.runs.fingerprint import digest, fingerprint
from theory.pairs import DominatingPair, Gaussian

FILTER = fp.GaussianFilter(mu=1.0)


def key(value: object) -> str:
    return digest(fingerprint(value))


def make(mu: float) -> Callable[[View], DominatingPair]:
    return lambda view: Gaussian(mu)


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """Writes modules, imports them afresh, and returns the first."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    names: set[str] = set()

    def write(**sources: str) -> Any:
        for name, text in sources.items():
            (tmp_path / f"{name}.py").write_text(textwrap.dedent(text))
        names.update(sources)
        for name in names:
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        return importlib.import_module(next(iter(sources)))

    yield write
    for name in names:
        sys.modules.pop(name, None)


MINE = """
    import math
    import numpy as np
    import filterproof as fp
    import helper_xyz
    from base_xyz import Base

    LEVEL = 0.1
    TABLE = {"low": 0.1, "high": [0.2, 0.3]}

    def level(view):
        return LEVEL * scale(view)

    def scale(view):
        return TABLE["high"][0]

    class Mine(Base):
        raise_by = 0.2

        def request(self, view):
            return fp.Gaussian(mu=level(view) + self.raise_by * (view.loss > 0) + helper_xyz.extra(view))
"""
HELPER = """
    from deeper_xyz import constant
    AMOUNT = 0.05

    def extra(view):
        return AMOUNT + constant()
"""
DEEPER = "def constant():\n    return 0.01\n"
BASE = """
    import filterproof as fp

    class Base(fp.Adversary):
        @property
        def horizon(self):
            return 7
"""
SOURCES = {"mine_xyz": MINE, "helper_xyz": HELPER, "deeper_xyz": DEEPER, "base_xyz": BASE}


@pytest.mark.parametrize(
    ("module", "before", "after"),
    [
        ("mine_xyz", "LEVEL = 0.1", "LEVEL = 0.9"),
        ("mine_xyz", '"high": [0.2', '"high": [0.9'),
        ("mine_xyz", "raise_by = 0.2", "raise_by = 0.3"),
        ("mine_xyz", "view.loss > 0", "view.loss >= 0"),
        ("mine_xyz", "fp.Gaussian", "fp.Laplace"),
        ("mine_xyz", "LEVEL * scale", "LEVEL + scale"),
        ("helper_xyz", "AMOUNT = 0.05", "AMOUNT = 0.06"),
        ("helper_xyz", "AMOUNT + constant", "AMOUNT - constant"),
        ("deeper_xyz", "0.01", "0.02"),
        ("base_xyz", "return 7", "return 8"),
    ],
)
def test_an_edit_anywhere_below_a_users_class_is_another_run(
    written: Callable[..., Any], module: str, before: str, after: str
) -> None:
    first = key(written(**SOURCES).Mine())
    assert key(written(**SOURCES).Mine()) == first
    assert before in SOURCES[module]
    edited = SOURCES | {module: SOURCES[module].replace(before, after)}
    assert key(written(**edited).Mine()) != first


def test_an_edit_of_a_comment_or_of_what_is_not_read_is_the_same_run(written: Callable[..., Any]) -> None:
    first = key(written(**SOURCES).Mine())
    more = "\n# a comment\nOTHER = 3\n\ndef unused():\n    return OTHER\n"
    edited = {name: textwrap.dedent(text) + more for name, text in SOURCES.items()}
    assert key(written(**edited).Mine()) == first


def test_the_code_that_is_loaded_counts_and_not_the_file(written: Callable[..., Any], tmp_path: Path) -> None:
    mine = written(**SOURCES).Mine()
    first = key(mine)
    (tmp_path / "deeper_xyz.py").write_text("def constant():\n    return 0.9\n")
    assert key(mine) == first  # it still runs what it imported
    sys.modules["helper_xyz"].constant = lambda: 0.9
    assert key(mine) != first


def test_a_changed_attribute_of_the_class_or_of_any_base_is_another_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Below(Adversary):
        step = 1.0

        def request(self, view: View) -> DominatingPair:
            return Gaussian(0.1 * self.step)

    class Mine(Below):
        level = 0.1

    found = [key(Mine())]
    for kind, name, value in (
        (Mine, "level", 0.9),
        (Below, "step", 2.0),
        (Below, "request", lambda self, view: Gaussian(0.9)),
        (Mine, "final", lambda self, view: Gaussian(0.9)),
        (Mine, "horizon", property(lambda self: 3)),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(kind, name, value, raising=False)
            found.append(key(Mine()))
    assert len(set(found)) == len(found)
    assert key(Mine()) == found[0]


def test_a_patched_class_of_the_package_is_another_run(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Game.between(FILTER, adversaries.LossChasing())
    first = key(game)
    for kind, name in (
        (adversaries.LossChasing, "request"),
        (fp.GaussianFilter, "admits"),
        (Gaussian, "sample"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(kind, name, lambda *_: Gaussian(0.9))
            assert key(game) != first
    assert key(game) == first


def test_imports_within_a_function_are_followed(written: Callable[..., Any]) -> None:
    text = """
        import filterproof as fp

        class Mine(fp.Adversary):
            def request(self, view):
                {how}
                return fp.Gaussian({name}())
    """
    for how, name in [
        ("from deeper_xyz import constant", "constant"),
        ("import deeper_xyz", "deeper_xyz.constant"),
        ("import deeper_xyz as other", "other.constant"),
    ]:
        mine = text.format(how=how, name=name)
        first = key(written(mine_xyz=mine, deeper_xyz=DEEPER).Mine())
        assert key(written(mine_xyz=mine, deeper_xyz=DEEPER).Mine()) == first
        assert key(written(mine_xyz=mine, deeper_xyz=DEEPER.replace("0.01", "0.02")).Mine()) != first


def test_answers_that_a_function_of_the_users_kept_do_not_outlive_what_they_were_made_from() -> None:
    space: dict[str, Any] = {"__name__": "a_space", "functools": functools, "fp": fp}
    exec(  # noqa: S102 - a module of a user's
        "LEVEL = 0.1\n"
        "@functools.cache\n"
        "def level(): return LEVEL\n"
        "class Mine(fp.Adversary):\n"
        "    def request(self, view): return fp.Gaussian(level())\n",
        space,
    )
    first = key(space["Mine"]())
    assert space["level"]() == 0.1
    space["LEVEL"] = 0.9
    assert key(space["Mine"]()) != first
    assert space["level"]() == 0.9


def test_the_stores_answer_is_never_another_runs(tmp_path: Path) -> None:
    @dataclass(frozen=True)
    class Table(Adversary):
        levels: dict[str, float]

        def request(self, view: View) -> DominatingPair:
            return Gaussian(self.levels["mu"])

    class ByClosure(Adversary):
        def __init__(self, rule: Callable[[View], DominatingPair]) -> None:
            self.rule = rule

        def request(self, view: View) -> DominatingPair:
            return self.rule(view)

    for low, high in ((Table({"mu": 0.1}), Table({"mu": 0.9})), (ByClosure(make(0.1)), ByClosure(make(0.9)))):
        path = tmp_path / f"{type(low).__name__}.db"
        arguments: dict[str, Any] = {"epsilon": 1.0, "n": 20_000, "seed": 1, "workers": 1}
        first = fp.simulate(FILTER, low, store=path, **arguments)
        assert fp.simulate(FILTER, high, store=path, **arguments) == fp.simulate(FILTER, high, **arguments)
        assert fp.simulate(FILTER, low, store=path, **arguments) == first


# -- the same key everywhere -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(CATALOGUE))
def test_every_filter_of_the_catalogue_has_one_key_of_its_own(name: str) -> None:
    entry = CATALOGUE[name]
    assert key(entry.example()) == key(entry.example()) != key(entry.larger())


SCRIPT = """
import enum, functools, sys
from collections import namedtuple
from dataclasses import dataclass, field
from fractions import Fraction
import numpy as np
import filterproof as fp
from mc.runs.fingerprint import digest, fingerprint
from mc.runs.play import play
from mc.estimate.functionals import HockeyStick
from mc.engine.game import Game

LEVELS = {"b": 0.1, "a": np.array([0.1, 0.2])}
Point = namedtuple("Point", "x y")

class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"

class Flags(enum.Flag):
    A = 1
    B = 2

def rule(view, low=0.1):
    return low if Colour.RED.name in {"RED", "GREEN", "BLACK", "WHITE"} else LEVELS["b"]

class Mine(fp.Adversary):
    def request(self, view):
        return fp.Gaussian(mu=rule(view) + 0.2 * (view.loss > 0))

class Plain(fp.Adversary):
    def __init__(self):
        self.levels, self.inner, self.some = LEVELS, Mine(), {1, 2, 3}
        self.call = functools.partial(rule, low=0.2)
        self.point, self.colour, self.flags = Point(1, Fraction(1, 3)), Colour.BLUE, Flags.A | Flags.B

    @functools.cached_property
    def level(self):
        return 0.1

    def request(self, view):
        return fp.Gaussian(self.call(view))

@dataclass(slots=True)
class Data(fp.Adversary):
    name: str = "a"
    members: dict = field(default_factory=dict)

    def request(self, view):
        return super(Data, self).request(view) if self.members else fp.Gaussian(0.1)

class MyFilter(fp.PrivacyFilter):
    promise = fp.ApproxDP(epsilon=1.0, delta=1e-5)

    def start(self, n):
        return np.zeros(n)

    def admits(self, spent, request):
        return spent + request.pure_epsilon**2 / 2 <= 0.02

    def spend(self, spent, request):
        return spent + request.pure_epsilon**2 / 2

if __name__ == "__main__":
    for value in (Mine(), Plain(), Data(), MyFilter(), Point, Colour, lambda: Mine):
        print(digest(fingerprint(value)))
    seen = []
    game = Game.between(fp.GaussianFilter(mu=1.0), Mine())
    play(game, HockeyStick(1.0), n=1000, store=sys.argv[1], workers=1, progress=seen.append)
    print("kept", seen[-1].kept if seen else 1000)
"""


def test_the_key_is_the_same_in_every_process(tmp_path: Path) -> None:
    said = []
    for number, seed in enumerate(("0", "1", "random")):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / f"script{number}.py").write_text(SCRIPT)
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, sys.path)), "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, f"script{number}.py", str(tmp_path / "run.db")],
            env=environment,
            cwd=folder,
            check=True,
            capture_output=True,
            text=True,
        )
        said.append(done.stdout.splitlines())
    assert [lines[-1] for lines in said] == ["kept 0", "kept 1000", "kept 1000"]
    assert said[0][:-1] == said[1][:-1] == said[2][:-1]
    assert len(set(said[0])) == 8
