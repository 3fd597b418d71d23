"""A store's key: two runs that could differ never share one, and the same run has the same one in every process.

What plays is values and code. Values are told apart by what they hold, to the last bit; code by what it consists of
and reads, and by the releases that it rests on.
"""

from __future__ import annotations

import collections
import contextlib
import copy
import decimal
import enum
import functools
import importlib.util
import math
import os
import platform
import random
import subprocess
import sys
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy
import scipy.special
from hypothesis import given
from hypothesis import strategies as st

import filterproof as fp
from filters.catalogue import CATALOGUE
from mc.engine.streams import TILE
from mc.runs import provenance
from mc.runs.keys import digest, key_of
from mc.runs.provenance import code_version


def key(value: object) -> str:
    return digest(key_of({"value": value}))


@dataclass(frozen=True)
class Holds(fp.Adversary):
    """An adversary with one field, whatever it is."""

    it: Any

    def request(self, view: fp.View) -> fp.DominatingPair:
        return fp.Gaussian(0.1)


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Level(float):
    pass


class Slotted:
    __slots__ = ("__hidden", "seen")

    def __init__(self, seen: object, hidden: object) -> None:
        self.seen, self.__hidden = seen, hidden

    @property
    def parts(self) -> tuple[object, object]:
        return self.seen, self.__hidden


Point = collections.namedtuple("Point", "x y")


def objects(*members: object) -> np.ndarray[Any, Any]:
    made = np.empty(len(members), dtype=object)
    made[:] = members
    return made


def make(mu: float) -> Callable[[fp.View], fp.DominatingPair]:
    return lambda view: fp.Gaussian(mu)


def functions(mu: float) -> list[Callable[..., object]]:
    """Functions of one text each, which have `mu` around them, as a default, and as an attribute."""

    def default(view: fp.View, mu: float = mu) -> fp.DominatingPair:
        return fp.Gaussian(mu)

    def keyword(view: fp.View, *, mu: float = mu) -> fp.DominatingPair:
        return fp.Gaussian(mu)

    def attribute() -> float:
        return float(vars(attribute)["mu"])

    vars(attribute)["mu"] = mu
    return [make(mu), default, keyword, attribute]


def two_lines() -> tuple[Callable[[], float], Callable[[], float]]:
    return (lambda: 0.1), (lambda: 0.9)


def generated(mu: float) -> Any:
    """A method whose text is generated, as by dataclasses."""
    space: dict[str, Any] = {}
    exec(f"def __call__(self): return {mu}", space)  # noqa: S102
    return space["__call__"]


def different() -> list[Any]:
    """Values that differ from one another, made anew by every call; plain ones are drawn below."""
    one, two, numbers = [1], [2], [1.0, 2.0, 3.0, 4.0]
    four = np.array(numbers).reshape(2, 2)
    return [
        *(10**5000, 10**5000 + 1, "\ud800", complex(0.0, 0.0), complex(0.0, -0.0), ..., NotImplemented),
        *(decimal.Decimal("0.1"), decimal.Decimal("0.10"), Colour.RED, Colour.BLUE, range(3), slice(3)),
        *(Level(1.0), Level(2.0), set(), frozenset(), {1}, {1, 2}, types.MappingProxyType({"a": 1})),
        *(collections.Counter("ab"), collections.OrderedDict(a=1), collections.defaultdict(int, a=1)),
        *(collections.deque([1, 2]), collections.deque([1, 2], maxlen=3), list[int], list[float]),
        *({"a": 1, "b": 2}, {"b": 2, "a": 1}, [[]] * 2, [[], []], [one, two, one], [one, two, two]),
        *(kind(1) for kind in (np.float64, np.float32, np.int64, np.bool_)),
        *(np.datetime64("2020-01-01", "D"), np.datetime64("2020-01-01", "s"), np.dtype("f8"), np.dtype("f4")),
        *(np.array(1.0), np.array([1.0], dtype=">f8"), four, four.T, np.asfortranarray(four)),
        *(np.array([(1, 2)], dtype=[("a", "i8"), (last, "i8")]) for last in "bc"),
        *(objects({"mu": 0.1}), objects({"mu": 0.9}), np.ma.masked_array([1.0], [True])),
        *(np.exp, np.log, scipy.special.erf, np.where, math.exp, float, Colour, np),
        *(fp.Gaussian, fp.Gaussian(0.1), fp.Gaussian(0.9), Point(1, 2), Point(2, 1)),
        *(function for mu in (0.1, 0.9) for function in functions(mu)),
        *(*two_lines(), generated(0.1), generated(0.9), int | None, int | float),
        *(functools.partial(make, 0.1), functools.partial(make, 0.9), functools.partial(make, mu=0.1)),
        *(Holds(0.1).request, Holds(0.9).request, [1, 2].count, [1, 3].count),
        *(Holds({"a": (Holds({1j}),)}), Holds({"a": (Holds({2j}),)}), types.SimpleNamespace(mu=0.1)),
    ]


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=2),
    st.binary(max_size=2),
    st.fractions(),
)
VALUES = st.recursive(
    SCALARS,
    lambda inside: st.one_of(
        st.lists(inside, max_size=3),
        st.lists(inside, max_size=3).map(tuple),
        st.dictionaries(st.text(max_size=1), inside, max_size=2),
        st.lists(st.floats(width=32), max_size=3).map(np.array),
        st.builds(Holds, inside),
        st.builds(Slotted, inside, inside),
    ),
    max_leaves=6,
)


def written(value: Any) -> str:
    """A value by another route: its class and its parts, in words."""
    match value:
        case list() | tuple():
            parts = map(written, value)
        case dict():
            parts = (f"{written(name)}: {written(part)}" for name, part in value.items())
        case np.ndarray():
            parts = (value.dtype.str, *map(written, value.tolist()))
        case Holds():
            parts = (written(value.it),)
        case Slotted():
            parts = map(written, value.parts)
        case float():
            parts = (value.hex(),)
        case _:
            parts = (repr(value),)
    return f"{type(value).__name__}({', '.join(parts)})"


@given(VALUES, VALUES)
def test_two_values_have_one_key_where_they_hold_the_same_and_else_two(one: Any, other: Any) -> None:
    assert (key(one) == key(other)) == (written(one) == written(other))
    assert key(copy.deepcopy(one)) == key(one)


def test_values_that_differ_have_keys_that_differ_and_values_made_twice_have_one() -> None:
    of_key: dict[str, Any] = {}
    for value, again in zip(different(), different(), strict=True):
        first = key(Holds(value))
        assert first == key(Holds(again)) == key(Holds(value)), value
        assert of_key.setdefault(first, value) is value, value


def test_a_list_that_holds_itself_has_a_key() -> None:
    one: list[Any] = [1]
    one.append(one)
    other: list[Any] = [1, [1]]
    other[1].append(other)
    assert key(one) != key(other)


# -- refusals --------------------------------------------------------------------------------------------


CALLS = 0


def counts(view: fp.View) -> int:
    global CALLS
    CALLS += 1
    return CALLS


def counter() -> Callable[[], int]:
    calls = 0

    def count() -> int:
        nonlocal calls
        calls += 1
        return calls

    return count


@pytest.mark.parametrize(
    ("made", "why"),
    [
        *((lambda made=made: made, "has a state that cannot be read") for made in (
            np.random.default_rng(1), np.random.RandomState(1), random.Random(1), np.random.random, random.random,
            iter([1]), (x for x in [1]), memoryview(b"a"), np.frompyfunc(make, 1, 1), sys.modules[__name__],
        )),
        (lambda: {"a", "b"}, "a set has an order that changes from process to process"),
        (lambda: Path("/tmp"), "a PosixPath names a file, whose content no key has"),
        (lambda: counts, "counts writes 'CALLS' outside of itself, which view.memory is for"),
        (counter, "count writes 'calls' outside of itself, which view.memory is for"),
    ],
)  # fmt: skip
def test_what_no_key_can_tell_apart_is_refused_in_one_sentence_and_named_by_the_user(
    made: Callable[[], Any], why: str
) -> None:
    with pytest.raises(fp.runs.StoreError, match=f"{why}, so a store could not tell this run") as refused:
        key(Holds(made()))
    text = str(refused.value)
    assert "\n" not in text
    assert text.endswith("use plain values, name it by key=, or leave store out")
    assert len(text) < 400
    named = [key_of({"value": Holds((made(), other))}, name) for name in ("a", "b") for other in (1, 2)]
    assert len({digest(each) for each in named}) == 4


def test_what_is_nested_too_deep_is_refused_under_any_name() -> None:
    deep = functools.reduce(lambda x, _: [x], range(100_000), [])
    for name in (None, "a"):
        with pytest.raises(
            fp.runs.StoreError, match="what is played is nested too deep for a key; make it flatter"
        ):
            key_of({"value": deep}, name)


@pytest.mark.parametrize("name", ["", 1, b"a"])
def test_a_name_that_is_none_is_refused(name: Any) -> None:
    with pytest.raises(fp.runs.StoreError, match="key must be a text that names what is played, got"):
        key_of({"value": 1}, name)


@contextlib.contextmanager
def buffers_of(size: int) -> Iterator[None]:
    before = np.setbufsize(size)
    try:
        yield
    finally:
        np.setbufsize(before)


def test_a_setting_that_decides_what_arithmetic_answers_is_another_run() -> None:
    first, decimals = key(1), ({"prec": 1}, {"rounding": decimal.ROUND_UP}, {"traps": [decimal.Inexact]})
    for setting in (
        np.errstate(over="raise"),
        np.errstate(call=print),
        scipy.special.errstate(all="raise"),
        buffers_of(16),
        *(decimal.localcontext(decimal.Context(**field)) for field in decimals),  # type: ignore[arg-type]
    ):
        with setting:
            assert key(1) != first
        assert decimal.Decimal(1) / 3 > 0  # raises a flag, which decides nothing
        assert key(1) == first


# -- code ------------------------------------------------------------------------------------------------


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """Writes modules, imports them anew, and returns the first."""
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
    def request(self, view, start=0.1, *, end=0.1):
        kept = (paced(), self.holder(), deeper_xyz.level(), pack_xyz.low.AMOUNT, self.least(), self.low)
        return fp.Gaussian(max(kept, *(x for x in (start, end))))

PACE, BELOW, LEAST, LOW = 0.1, 0.1, 0.1, 0.1
"""
FILES = {
    "called_xyz": CALLED,
    "deeper_xyz": "from lowest_xyz import constant\ndef level(): return constant()\n",
    "lowest_xyz": "def constant(): return [0.1][0]\n",
    "pack_xyz": "",
    "pack_xyz.low": "AMOUNT = 0.1\nUNUSED = 0.1\n",
}


def test_an_edit_of_any_code_or_number_that_plays_is_another_run_and_of_another_the_same(
    modules: Callable[..., Any],
) -> None:
    first = key(modules(**FILES).Mine())
    for module, text in FILES.items():
        places = [place for place in range(len(text)) if text.startswith("0.1", place)]
        for place in places:
            edited = f"{text[:place]}0.9{text[place + 3 :]}"
            same = key(modules(**(FILES | {module: edited})).Mine()) == first
            assert same == text[:place].endswith("UNUSED = "), edited
    commented = {module: f"# more\n\n{text}" for module, text in FILES.items()}
    assert key(modules(**commented).Mine()) == first


def test_attributes_of_classes_and_globals_of_modules_are_part_of_the_key(
    modules: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = modules(**FILES)
    found = [key(mine.Mine())]
    assert mine.paced() == 0.1
    for place, name, value in (
        (mine.Below, "step", 2.0),
        (mine.Mine, "added", lambda self, view: fp.Gaussian(0.9)),
        (mine.Kind, "least", 0.9),
        *((mine, name, 0.9) for name in ("PACE", "BELOW", "LEAST", "LOW")),
        (mine.deeper_xyz, "level", lambda: 0.9),
        (mine.pack_xyz.low, "AMOUNT", 0.9),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(place, name, value, raising=False)
            found.append(key(mine.Mine()))
            assert mine.paced() == mine.PACE, "an answer that was kept outlives what it was made from"
    assert len(set(found)) == len(found)
    assert key(mine.Mine()) == found[0]


def test_a_module_of_the_users_that_a_function_imports_while_it_plays_is_refused(
    modules: Callable[..., Any],
) -> None:
    late = "def late():\n    import numpy.linalg, math, xml.dom\n    IMPORT\n"
    assert key(modules(mine_xyz=late.replace("IMPORT", "pass")).late)
    for statement in ("import inner_xyz.math", "from . import inner_xyz", "from .math import pi"):
        pack = modules(pack_xyz=late.replace("IMPORT", statement), **{"pack_xyz.inner_xyz": ""})
        with pytest.raises(fp.runs.StoreError, match=r"late imports .+ while it plays, which is for the top"):
            key(pack.late)


# -- releases --------------------------------------------------------------------------------------------


def test_another_release_of_what_numbers_rest_on_and_an_edit_of_our_own_files_are_other_versions() -> None:
    first, read = code_version(), Path.read_bytes
    for place, name, other in (
        *((np, "__version__", "1.0"), (scipy, "__version__", "1.0"), (provenance, "TILE", 1)),
        *((platform, which, lambda: "other") for which in ("python_version", "python_implementation")),
    ):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(place, name, other)
            assert code_version() != first, name
    for room in ("theory", "filters", "mc"):
        *_, edited = sorted(Path(importlib.import_module(room).__file__).parent.rglob("*.py"))  # type: ignore[arg-type]
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(Path, "read_bytes", lambda path: read(path) + b"#" * (path == edited))  # noqa: B023
            assert not first.startswith(provenance._digest_of_rooms()), room


def test_another_release_of_a_package_that_a_value_reaches_is_another_run(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    reaching = (pytest.Item, pytest, Holds(pytest.skip))
    before = list(map(key, reaching))
    monkeypatch.setattr(provenance.metadata, "version", lambda name: "0.0")
    monkeypatch.setattr(provenance, "_releases", provenance._releases.__wrapped__)
    provenance.origin.cache_clear()
    request.addfinalizer(provenance.origin.cache_clear)
    assert all(one != key(value) for one, value in zip(before, reaching, strict=True))


# -- the same key everywhere -----------------------------------------------------------------------------


def test_a_run_does_not_change_its_own_key() -> None:
    game = fp.runs.Game.between(fp.GaussianFilter(mu=1.0), fp.LossChasing())
    first = key(game)
    fp.simulate(game.filter, game.adversary, epsilon=1.0, n=2_000, seed=1, workers=1)
    assert key(game) == first


def test_every_filter_of_the_catalogue_has_one_key_of_its_own() -> None:
    for name, entry in CATALOGUE.items():
        assert key(entry.example()) == key(entry.example()) != key(entry.larger()), name


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

class Box(typing.Generic[T], abc.ABC):
    several: list[T] | None
    @abc.abstractmethod
    def one(self) -> T: ...

class Full(Box[float]):
    def one(self): return typing.cast(T, 0.1)

@dataclass(frozen=True, slots=True)
class Hinted(fp.Adversary):
    maybe: typing.Optional["Hinted"] = None
    kept: typing.ClassVar[type[Box]] = Full
    box: Box = field(default_factory=Full, metadata={"unit": "mu"})
    def request(self, view):
        return super(Hinted, self).request(view) if self.maybe else fp.Gaussian(self.box.one())

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
