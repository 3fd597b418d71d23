"""A store's key and code: what a class reaches decides it, in every process alike, and nothing else does."""

import importlib.util
import os
import platform
import subprocess
import sys
import textwrap
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy

import filterproof as fp
from filters.catalogue import CATALOGUE
from mc.engine import adversaries
from mc.engine.streams import TILE
from mc.runs import provenance
from mc.runs.keys import digest, key_of
from mc.runs.provenance import code_version

FILTER = fp.GaussianFilter(mu=1.0)


def key(value: object) -> str:
    return digest(key_of({"value": value}))


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """Writes modules, imports them afresh, and returns the first."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    names: set[str] = set()

    def write(**sources: str) -> Any:
        for name, text in sources.items():
            place = tmp_path.joinpath(*name.split("."))
            package = any(other.startswith(f"{name}.") for other in sources)
            file = place / "__init__.py" if package else place.with_suffix(".py")
            file.parent.mkdir(exist_ok=True)
            file.write_text(text)
        names.update(sources)
        for name in names:
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        return importlib.import_module(next(iter(sources)))

    yield write
    for name in names:
        sys.modules.pop(name, None)


SOURCES = {
    "mine_xyz": """
import filterproof as fp
import helper_xyz
from base_xyz import Base

class Mine(Base):
    def request(self, view):
        return fp.Gaussian(mu=0.1 + helper_xyz.extra(view))
""",
    "helper_xyz": """
from deeper_xyz import constant
from seldom_xyz import OTHER

def extra(view):
    return constant()
""",
    "deeper_xyz": "def constant():\n    return 0.01\n",
    "base_xyz": """
import unused_xyz
import pack_xyz.low.last
from pack_xyz import inner
import filterproof as fp

class Base(fp.Adversary):
    @property
    def horizon(self):
        return 7
""",
    "seldom_xyz": "OTHER = 1\n",
    "unused_xyz": "def late():\n    import numpy, late_xyz\n",
    "pack_xyz": "",
    "pack_xyz.inner": "class Inner:\n    from .beside import OTHER\n",
    "pack_xyz.beside": "OTHER = 1\n",
    "pack_xyz.low": f"LEVELS = {'; LEVEL = '.join(map(str, range(600)))}\nfrom . import beneath\n",
    "pack_xyz.low.beneath": "",
    "pack_xyz.low.last": "from .. import above\n",
    "pack_xyz.above": "",
}


@pytest.mark.parametrize("module", SOURCES)
def test_an_edit_of_any_file_below_a_users_class_is_another_run_and_of_another_file_the_same(
    written: Callable[..., Any], module: str
) -> None:
    first = key(written(**SOURCES).Mine())
    assert key(written(**SOURCES, late_xyz="# more").Mine()) == first
    importlib.import_module("late_xyz")
    assert key(sys.modules["mine_xyz"].Mine()) == first, (
        "what another function imports later is no part of it"
    )
    assert key(written(**(SOURCES | {module: f"{SOURCES[module]}# more"})).Mine()) != first


def test_a_file_that_was_edited_after_its_import_is_refused(
    written: Callable[..., Any], tmp_path: Path
) -> None:
    # whatever is read by its name alone, as plugins are
    helper = SOURCES["helper_xyz"].replace("constant()", "globals()['constant']()")
    mine = written(**(SOURCES | {"helper_xyz": helper})).Mine()
    first = key(mine)
    for name in ("deeper_xyz", "mine_xyz", "base_xyz"):
        path, text = tmp_path / f"{name}.py", SOURCES[name]
        edited = text.replace("0.01", "0.9").replace("0.1", "0.9").replace("return 7", "return 8")
        for change in (lambda: path.write_text(edited), lambda: path.write_text("("), path.unlink):  # noqa: B023
            change()
            with pytest.raises(
                fp.StoreError, match=rf"{name}\.py, which was edited or patched after its import"
            ):
                key(mine)
            path.write_text(text)
    assert key(mine) == first


def test_one_class_in_two_files_has_two_keys_and_both_at_once_have_none(tmp_path: Path) -> None:
    kinds, keys = [], []
    for number in (1, 2, 1):
        path = tmp_path / f"{number}.py"
        path.write_text(f"class Mine:\n    def request(self, view): return {number}\n")
        spec = importlib.util.spec_from_file_location("mine_xyz", path)  # as the command line loads a file
        assert spec is not None
        assert spec.loader is not None
        module: Any = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        kinds.append(module.Mine)
        keys.append(key(module.Mine))
    assert keys[0] == keys[2] != keys[1]
    assert key((kinds[0], kinds[2])) == key((kinds[2], kinds[0]))
    with pytest.raises(fp.StoreError, match="rests on one of two files that go by the name mine_xyz"):
        key((kinds[0], kinds[1]))


def test_a_module_of_the_users_that_a_function_imports_while_it_plays_is_refused(
    written: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    late = "def late():\n    import numpy.linalg, math\n    IMPORT\n"
    for statement in ("import inner_xyz.math", "from . import inner_xyz", "from .math import pi"):
        pack = written(pack_xyz=late.replace("IMPORT", statement), **{"pack_xyz.inner_xyz": ""})
        with pytest.raises(fp.StoreError, match=r"late imports .+ while it plays, which is for the top"):
            key(pack.late)
    other = written(mine_xyz=late.replace("IMPORT", "import pytest, xml.dom"))
    first = key(other.late)
    monkeypatch.delitem(sys.modules, "pytest")
    assert key(other.late) == first, "a module that is not imported yet has its release, too"


TYPED = """
import filterproof as fp
class Mine(fp.Adversary):
    def __init__(self, level): self.level = level
    def request(self, view): return fp.Gaussian(self.level)
"""


def test_typed_code_is_played_with_a_store_by_the_users_name_for_it(tmp_path: Path) -> None:
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(TYPED, space)  # noqa: S102 - as a notebook does
    arguments: dict[str, Any] = {"epsilon": 1.0, "n": 5_000, "workers": 1, "store": tmp_path / "run.db"}
    with pytest.raises(fp.StoreError, match=r"Mine\.\w+ has no source file"):
        fp.simulate(FILTER, space["Mine"](0.5), **arguments)
    named = [fp.simulate(FILTER, space["Mine"](level), key="mine", **arguments) for level in (0.5, 0.5, 0.9)]
    assert named[0] == named[1] != named[2]  # the parameter is told apart, under one name for the code
    assert named[2] == fp.simulate(FILTER, space["Mine"](0.9), **(arguments | {"store": None}))


CALLED = """
import functools
import deeper_xyz, pack_xyz.low
import filterproof as fp

@functools.cache
def paced(): return PACE

class Kind(type):
    least = 0.1

class Level(metaclass=Kind):
    def __init__(self, level): self.level = level
    def __call__(self): return max(self.level, *(max(BELOW, type(self).least) for _ in "a"))

class Holder:
    __call__ = Level(0.1)

class Below(fp.Adversary):
    step = 1.0
    @staticmethod
    def least(): return LEAST
    @functools.cached_property
    def low(self): return LOW
    def request(self, view):
        return fp.Gaussian(0.1 * self.step)

class Mine(Below):
    def __init__(self): self.holder = Holder()
    def request(self, view):
        kept = (paced(), self.holder(), deeper_xyz.LEVEL, pack_xyz.low.AMOUNT, self.least(), self.low)
        return fp.Gaussian(max(kept))

PACE, BELOW, LEAST, LOW = 0.1, 0.1, 0.1, 0.1
"""


def test_attributes_of_classes_and_globals_of_modules_are_part_of_the_key(
    written: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"deeper_xyz": "LEVEL = 0.1", "pack_xyz": "", "pack_xyz.low": "AMOUNT = 0.1"}
    mine = written(called_xyz=CALLED, **files)
    found = [key(mine.Mine())]
    assert mine.paced() == 0.1
    for place, name, value in (
        (mine.Below, "step", 2.0),
        (mine.Mine, "added", lambda self, view: fp.Gaussian(0.9)),
        (mine.Holder, "__call__", mine.Level(0.9)),
        (mine.Kind, "least", 0.9),
        *((mine, name, 0.9) for name in ("PACE", "BELOW", "LEAST", "LOW")),
        (mine.deeper_xyz, "LEVEL", 0.9),
        (mine.pack_xyz.low, "AMOUNT", 0.9),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(place, name, value, raising=False)
            found.append(key(mine.Mine()))
            assert mine.paced() == mine.PACE, "an answer that was kept outlives what it was made from"
    assert len(set(found)) == len(found)
    assert key(mine.Mine()) == found[0]


# -- releases --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("room", ["theory", "filters", "mc"])
def test_an_edit_of_a_file_of_a_room_that_decides_numbers_is_another_version(
    room: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, first = Path.read_bytes, provenance._digest_of_rooms()
    assert code_version().startswith(first)
    *_, edited = sorted(Path(importlib.import_module(room).__file__).parent.rglob("*.py"))  # type: ignore[arg-type]
    monkeypatch.setattr(Path, "read_bytes", lambda path: read(path) + b"#" * (path == edited))
    assert provenance._digest_of_rooms() != first


@pytest.mark.parametrize(
    ("place", "name", "other"),
    [
        *((np, "__version__", "1.0"), (scipy, "__version__", "1.0"), (provenance, "TILE", 1)),
        *((platform, which, lambda: "other") for which in ("python_version", "python_implementation")),
    ],
)
def test_another_release_of_what_arithmetic_rests_on_is_another_version(
    place: Any, name: str, other: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = code_version()
    monkeypatch.setattr(place, name, other)
    assert code_version() != first


@pytest.mark.parametrize("what", ["version", "distribution"])
@pytest.mark.parametrize("reaches", ["a class", "a module", "an import of a file", "one of a function"])
def test_another_release_of_a_package_that_a_value_reaches_is_another_run(
    reaches: str,
    what: str,
    written: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    mine = written(mine_xyz="import pytest\nclass Mine: pass\n", late_xyz="def Mine():\n    import pytest")
    late = importlib.import_module("late_xyz").Mine
    value = {"a class": pytest.Item, "a module": pytest, "one of a function": late}.get(reaches, mine.Mine)
    first = key(value)
    same = provenance.metadata.version("pytest")
    rebuilt = types.SimpleNamespace(version=same, read_text=lambda name: "other digests")
    monkeypatch.setattr(provenance.metadata, what, lambda name: "0.0" if what == "version" else rebuilt)
    monkeypatch.setattr(provenance, "_releases", provenance._releases.__wrapped__)
    provenance.origin.cache_clear()
    request.addfinalizer(provenance.origin.cache_clear)
    assert key(value) != first


def test_code_is_the_users_unless_it_is_known_by_a_release(tmp_path: Path) -> None:
    for name, file, known in (
        ("theory.pairs", fp.__file__, ("ours",)),
        (__name__, __file__, None),
        ("textwrap", textwrap.__file__, ("python",)),
        ("sys", None, ("python",)),
        ("folder_xyz", None, None),
        ("mine_xyz", str(tmp_path / "site-packages" / "mine_xyz.py"), None),
    ):
        assert provenance.origin(name, file) == known, name


# -- the same key everywhere -----------------------------------------------------------------------------


def test_a_run_does_not_change_its_own_key() -> None:
    game = fp.Game.between(FILTER, adversaries.LossChasing())
    first = key(game)
    fp.simulate(game.filter, game.adversary, epsilon=1.0, n=2_000, seed=1, workers=1)
    assert key(game) == first


@pytest.mark.parametrize("name", sorted(CATALOGUE))
def test_every_filter_of_the_catalogue_has_one_key_of_its_own(name: str) -> None:
    entry = CATALOGUE[name]
    assert key(entry.example()) == key(entry.example()) != key(entry.larger())


SCRIPT = """
import abc, functools, sys, typing
from dataclasses import dataclass, field
import numpy as np
import filterproof as fp
from mc.runs.keys import digest, key_of
from mc.runs.play import play
from mc.estimate.functionals import HockeyStick
from mc.engine.game import Game
from mc.engine.streams import TILE

LEVELS = {"b": 0.1, "a": np.array([0.1, 0.2])}

def rule(view, low=0.1):
    return low if "RED" in {"RED", "GREEN", "BLACK", "WHITE"} else LEVELS["b"]

class Mine(fp.Adversary):
    def __init__(self):
        self.table, self.names = np.arange(8.0).reshape(2, 4)[:, ::2], ["a", "b"]
        self.same, self.call = self.names, functools.partial(rule, low=0.2)

    @functools.cached_property
    def level(self):
        return 0.1

    def request(self, view):
        class Local:
            name = __name__
        return fp.Gaussian(mu=rule(view) + 0.2 * (view.loss > 0))

# hints, and what Python keeps in classes, are no reason to refuse them
T = typing.TypeVar("T")

@typing.runtime_checkable
class Shaped(typing.Protocol):
    one: int
    def go(self) -> int: ...

class Box(typing.Generic[T], abc.ABC):
    several: list[T] | None
    @abc.abstractmethod
    def one(self) -> T: ...
    @abc.abstractmethod
    def two(self) -> T: ...

class Full(Box[float]):
    def one(self): return typing.cast(T, 0.1)
    def two(self): return 0.2

@dataclass(frozen=True, slots=True)
class Hinted(fp.Adversary):
    level: float | None = None
    maybe: typing.Optional["Hinted"] = None
    kept: typing.ClassVar[type[Shaped]] = Shaped
    members: dict = field(default_factory=dict)
    box: Box = field(default_factory=Full, metadata={"unit": "mu"})
    def request(self, view):
        return super(Hinted, self).request(view) if self.members else fp.Gaussian(self.box.one())

if __name__ == "__main__":
    from tests.mc.runs.test_run_keys import different

    for value in (Mine(), Hinted(), lambda: Mine, different()):
        print(digest(key_of({"value": value})))
    seen = []
    game = Game.between(fp.GaussianFilter(mu=1.0), Mine(), rounds=3)
    tally = play(game, HockeyStick(1.0), n=5 * TILE, store=sys.argv[1], workers=2, progress=seen.append)
    print(tally.rows.tobytes().hex())
    print("kept", seen[-1].kept if seen else tally.n)
"""


def test_the_key_is_the_same_in_every_process_and_in_the_workers_that_import_the_script(
    tmp_path: Path,
) -> None:
    said = []
    for number, seed in enumerate(("0", "1")):
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
    assert [lines[-1] for lines in said] == ["kept 0", f"kept {5 * TILE}"]
    assert said[0][:-1] == said[1][:-1]
    assert len(set(said[0])) == len(said[0]) == 6
