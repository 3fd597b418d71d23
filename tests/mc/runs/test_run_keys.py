"""A store's key: two runs that could differ never share one, and the same run has the same one in every process.

What plays is values and code. Values are told apart by what they hold, to the last bit; code by what it consists of
and reads, and by the releases that it rests on.
"""

from __future__ import annotations

import collections
import copy
import decimal
import functools
import importlib
import math
import os
import platform
import random
import runpy
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
from filterproof.filters.catalogue import CATALOGUE
from filterproof.mc.engine.streams import BATCH_SIZE
from filterproof.mc.runs.keys import json_digest, key_of
from filterproof.mc.runs.provenance import code_version, library_code_origin


def key(value: object) -> str:
    return json_digest(key_of({"value": value}))


@dataclass(frozen=True)
class Holds(fp.Adversary):
    """An adversary with one field, whatever it is."""

    it: Any

    def request(self, view: fp.AdversaryView) -> fp.DominatingPair:
        return fp.Gaussian(0.1)


class Slotted:
    __slots__ = ("__hidden", "seen")

    def __init__(self, seen: object, hidden: object) -> None:
        self.seen, self.__hidden = seen, hidden

    @property
    def parts(self) -> tuple[object, object]:
        return self.seen, self.__hidden


SCALARS = st.one_of(
    *(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=2), st.binary(max_size=2)),
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
def test_two_values_have_one_key_where_they_hold_the_same_and_else_two(first: Any, other: Any) -> None:
    assert (key(first) == key(other)) == (written(first) == written(other))
    assert key(copy.deepcopy(first)) == key(first)


def make(mu: float) -> Callable[[fp.AdversaryView], fp.DominatingPair]:
    return lambda view: fp.Gaussian(mu)


def functions(mu: float) -> list[Callable[..., object]]:
    """Functions of one text each, which have `mu` around them, as a default, and in their text."""

    def default(view: fp.AdversaryView, mu: float = mu) -> fp.DominatingPair:
        return fp.Gaussian(mu)

    return [make(mu), default, eval(f"lambda view: {mu}", {})]  # noqa: S307 - as a notebook does


def different() -> list[Any]:
    """Values that differ from one another, made anew by every call; plain ones are drawn above."""
    first, two, four = [1], [2], np.array([1.0, 2.0, 3.0, 4.0]).reshape(2, 2)
    objects = np.empty(1, dtype=object)
    objects[:] = [{"mu": 0.1}]
    return [
        *(10**5000, 10**5000 + 1, complex(0.0, 0.0), complex(0.0, -0.0), ..., decimal.Decimal("0.10")),
        *(range(3), set(), frozenset(), {1}, {1, 2}, collections.Counter("ab"), collections.deque([1, 2])),
        *({"a": 1, "b": 2}, {"b": 2, "a": 1}, [[]] * 2, [[], []], [first, two, first], [first, two, two]),
        *(kind(1) for kind in (np.float64, np.float32, np.int64, np.bool_)),
        *(np.array(1.0), np.array([1.0], dtype=">f8"), four, four.T, objects, np.dtype("f8")),
        *(np.exp, scipy.special.erf, np.where, math.exp, float, np, fp.Gaussian, fp.Gaussian(0.1)),
        *(function for mu in (0.1, 0.9) for function in functions(mu)),
        *((lambda a, b: a + b), (lambda a, b: a - b), (lambda a, *, b: a + b)),
        *(functools.partial(make, 0.1), functools.partial(make, mu=0.1), Holds(0.1).request, Holds(0.9).request),
        *(Holds({"a": (Holds({1j}),)}), Holds({"a": (Holds({2j}),)}), types.SimpleNamespace(mu=0.1)),
    ]  # fmt: skip


def test_values_that_differ_have_keys_that_differ_and_values_made_twice_have_one() -> None:
    of_key: dict[str, Any] = {}
    for value, again in zip(different(), different(), strict=True):
        first = key(Holds(value))
        assert first == key(Holds(again)), value
        assert of_key.setdefault(first, value) is value, value
    assert len({key(entry.example()) for entry in CATALOGUE.values()}) == len(CATALOGUE)


CALLS = 0


def counts(view: fp.AdversaryView) -> int:
    global CALLS
    CALLS += 1
    return CALLS


@pytest.mark.parametrize(
    ("make", "why"),
    [
        *((lambda make=make: make, "has a state that cannot be read") for make in (
            np.random.default_rng(1), random.Random(1), np.random.random, iter([1]), sys.modules[__name__],
        )),
        (lambda: {"a", "b"}, "a set has an order that changes from process to process"),
        (lambda: Path("/tmp"), "a PosixPath names a file, whose content no key has"),
        (lambda: counts, r"counts writes the variable 'CALLS' outside the function \(keep it in view.memory\)"),
    ],
)  # fmt: skip
def test_what_no_key_can_tell_apart_is_refused_in_one_sentence(make: Callable[[], Any], why: str) -> None:
    with pytest.raises(fp.runs.StoreError, match=f"{why}, so a store could not tell this run") as refused:
        key(Holds(make()))
    assert "\n" not in str(refused.value)
    assert str(refused.value).endswith("use plain values, or call without store")


def test_a_setting_that_decides_what_arithmetic_answers_is_another_run() -> None:
    first = key(1)
    for setting in (
        np.errstate(over="raise"),
        scipy.special.errstate(all="raise"),
        decimal.localcontext(decimal.Context(prec=1)),
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
        for place in range(len(text)):
            if text.startswith("0.1", place):
                edited = f"{text[:place]}0.9{text[place + 3 :]}"
                same = key(modules(**(FILES | {module: edited})).Mine()) == first
                assert same == text[:place].endswith("UNUSED = "), edited
    commented = {module: f"# more\n\n{text}" for module, text in FILES.items()}
    assert key(modules(**commented).Mine()) == first


def test_code_that_is_changed_in_memory_is_another_run_and_forgets_answers_that_it_cached(
    modules: Callable[..., Any],
) -> None:
    mine = modules(**FILES)
    first = key(mine.Mine())
    assert mine.paced() == 0.1
    mine.PACE = 0.9
    assert key(mine.Mine()) != first
    assert mine.paced() == 0.9


def test_a_module_of_the_users_that_a_function_imports_while_it_plays_is_refused(
    modules: Callable[..., Any],
) -> None:
    late = "def late():\n    import numpy.linalg, math, xml.dom\n    IMPORT\n"
    assert key(modules(mine_xyz=late.replace("IMPORT", "pass")).late)
    for statement in ("import inner_xyz.math", "from . import inner_xyz"):
        pack = modules(pack_xyz=late.replace("IMPORT", statement), **{"pack_xyz.inner_xyz": ""})
        with pytest.raises(
            fp.runs.StoreError, match=r"late imports .+ during the play; import it at the top"
        ):
            key(pack.late)


def test_the_version_of_code_names_what_numbers_rest_on_and_releases_of_other_packages_identify_theirs() -> (
    None
):
    version = code_version()
    assert all(
        release in version for release in (np.__version__, scipy.__version__, platform.python_version())
    )
    assert version.endswith(f"batch-{BATCH_SIZE}")
    assert library_code_origin("filterproof.mc", fp.mc.__file__) == ("ours",)
    assert library_code_origin("pytest", pytest.__file__)[:2] == ("pytest", pytest.__version__)  # type: ignore[index]
    assert library_code_origin("tests", __file__) is None


# -- the same key everywhere -----------------------------------------------------------------------------


SCRIPT = """
import functools, sys, typing
from dataclasses import dataclass, field
import numpy as np
import filterproof as fp
from filterproof.mc.runs.keys import json_digest, key_of
from filterproof.mc.estimate.functionals import HockeyStick
from filterproof.mc.engine.streams import BATCH_SIZE

LEVELS = {"b": 0.1, "a": np.array([0.1, 0.2])}

def rule(view, low=0.1):
    return low if "RED" in {"RED", "GREEN", "BLACK", "WHITE"} else LEVELS["b"]

class Mine(fp.Adversary):
    def __init__(self):
        self.table, self.names = np.arange(8.0).reshape(2, 4)[:, ::2], ["a", "b"]
        self.same, self.call = self.names, functools.partial(rule, low=0.2)

    def request(self, view):
        class Local:
            name = __name__
        return fp.Gaussian(mu=rule(view) + 0.2 * (view.loss > 0))

# hints, and what Python keeps in classes, are no reason to refuse them
T = typing.TypeVar("T")

class Box(typing.Generic[T]):
    several: list[T] | None
    def one(self): return typing.cast(T, 0.1)

@dataclass(frozen=True, slots=True)
class Hinted(fp.Adversary):
    maybe: typing.Optional["Hinted"] = None
    kept: typing.ClassVar[type[Box]] = Box
    box: Box = field(default_factory=Box, metadata={"unit": "mu"})
    def request(self, view):
        return super(Hinted, self).request(view) if self.maybe else fp.Gaussian(self.box.one())

if __name__ == "__main__":
    for value in (Mine(), Hinted(), lambda: Mine):
        print(json_digest(key_of({"value": value})))
    seen = []
    game = fp.runs.Game.between(fp.GaussianFilter(mu=1.0), Mine(), rounds=3)
    play = fp.runs.SimulationSettings(n=5 * BATCH_SIZE, store=sys.argv[1], workers=2)
    batch_sums = play.sums(game, HockeyStick(1.0), progress=seen.append)
    print(batch_sums.rows.tobytes().hex())
    print("kept", seen[-1].restored if seen else batch_sums.n)
"""


def test_the_key_is_the_same_in_every_process_and_in_the_workers_that_import_the_script(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a process of its own, with another order of sets, and then in this one, as the main script of another name."""
    store, scripts = str(tmp_path / "run.db"), [tmp_path / f"script{number}.py" for number in range(2)]
    for script in scripts:
        script.write_text(SCRIPT)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, sys.path)), "PYTHONHASHSEED": "1"}
    command = [sys.executable, str(scripts[0]), store]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    monkeypatch.setattr(sys, "argv", [str(scripts[1]), store])
    runpy.run_path(str(scripts[1]), run_name="__main__")
    first, again = done.stdout.splitlines(), capsys.readouterr().out.splitlines()
    assert [first[-1], again[-1]] == ["kept 0", f"kept {5 * BATCH_SIZE}"]
    assert first[:-1] == again[:-1]
    assert len(set(first)) == len(first) == 5
