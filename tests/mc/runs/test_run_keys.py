"""A store's key: two runs that could differ never share one, and the same run has the same one in every process.

What plays is values and code. Values are told apart by what they hold, to the last bit; code by what it consists of
and reads, and by the releases that it rests on.
"""

from __future__ import annotations

import collections
import decimal
import fractions
import functools
import math
import os
import platform
import random
import runpy
import subprocess
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy
import scipy.special
from hypothesis import example, given
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


#: Expressions: each has a value of its own, made anew whenever it is evaluated.
VALUES = [
    *("None", "...", "False", "0", "0.0", "-0.0", "nan", "0j", "complex(0.0, -0.0)", "10**5000"),
    *("10**5000 + 1", "''", "'0'", "b''", "b'0'", "Fraction(0, 1)", "Decimal('0')", "Decimal('0.0')"),
    *("range(3)", "set()", "Counter('ab')", "frozenset()", "{0}", "{0, 1}", "()", "[]", "{}"),
    *("bytearray(b'0')", "np.float64(0)", "np.float32(0)", "np.int64(0)", "np.bool_(0)", "np.array(0.0)"),
    *("np.array([0.0])", "np.array([0.0], '>f8')", "np.array([0.0], 'f4')", "np.eye(2, 3)"),
    *("np.eye(2, 3, order='F')", "np.eye(3, 2)", "np.dtype('f8')", "np.exp", "np.where", "math.exp"),
    *("scipy.special.erf", "float", "np", "fp.Gaussian", "fp.Gaussian(0.1)", "[].append"),
    *("(lambda a, b: a + b)", "(lambda a, b: a - b)", "(lambda b, a: b + a)", "(lambda a, *, b: a + b)"),
    "(lambda a, b, /: a + b)",
    *(f"CATALOGUE[{name!r}].example()" for name in CATALOGUE),
]  # fmt: skip
#: Expressions with a part IT that nothing reads.
UNREAD = ["eval('lambda: 0', {'A': IT})", "eval('lambda: m.b', {'m': module(a=IT, b=0)})"]
#: Expressions of values and code, whose values differ where the part IT does.
AROUND = [
    *("[IT]", "(IT,)", "[0, IT]", "[IT, 0]", "{'a': IT}", "{'b': IT}", "{'a': IT, 'b': 0}"),
    *("{'b': 0, 'a': IT}", "[[IT], [IT], [IT]]", "deque([IT])"),
    *("(lambda a, b: [a, b, a])([IT], [IT])", "(lambda a, b: [a, b, b])([IT], [IT])"),
    *("SimpleNamespace(a=IT)", "Slotted(IT, 0)", "Slotted(0, IT)", "np.array([{'a': IT}], dtype=object)"),
    *("Holds(IT)", "Holds(IT).request", "partial(Holds, IT)", "partial(Holds, it=IT)", "(lambda: IT)"),
    *("(lambda: (lambda: IT))", "(lambda a=IT: a)", "(lambda *, a=IT: a)", "(lambda it: lambda: it)(IT)"),
    *("update_wrapper((lambda: 0), SimpleNamespace(a=IT), ())", "cache(lambda: IT)"),
    *("eval('lambda: A', {'A': IT})", "eval('lambda: (A for _ in [])', {'A': IT})", "property(IT)"),
    *("property(None, IT)", "eval('lambda: m.a', {'m': module(a=IT)})"),
    *("eval('lambda: m.n.a', {'m': module(n=module(a=IT))})", "type('K', (), {'a': IT})"),
    *("type('K', (), {'b': IT})", "type('K', (), {'a': IT})()", "staticmethod(IT)"),
    *("type('M', (type,), {'a': IT})('K', (), {})", "type('K', (type('B', (), {'a': IT}),), {})"),
    *("type('K', (), {'__call__': staticmethod(IT)})", "cached_property(lambda it: IT)", *UNREAD),
]  # fmt: skip


def module(**members: Any) -> types.ModuleType:
    made = types.ModuleType("mine")
    vars(made).update(members)
    return made


def expression(parts: list[str]) -> tuple[str, str]:
    """An expression, each part around those before it, and the same without what nothing reads."""
    text = read = "0"
    for part in parts:
        text, read = part.replace("IT", text), part if part in UNREAD else part.replace("IT", read)
    return text, read


#: What expressions name.
ROOMS = (collections, decimal, fractions, functools, math, types)
NAMES = {name: part for room in ROOMS for name, part in vars(room).items()} | globals()
FLOATS = st.floats(allow_nan=False)
PARTS = st.sampled_from([*VALUES, *AROUND]) | st.one_of(
    *(values.map(repr) for values in (FLOATS, st.integers(), st.text(max_size=2), st.fractions())),
    FLOATS.map(lambda value: f"np.array([{value!r}, 1.0])"),
)


@given(
    st.lists(st.lists(PARTS, max_size=2), min_size=1, max_size=3),
    st.lists(PARTS, max_size=5),
    st.lists(st.sampled_from(AROUND), max_size=2),
)
@example([[], ["1.0"]], [*VALUES, *AROUND], [])
@example([[]], VALUES, ["Holds(IT)"])
def test_two_runs_have_one_key_where_the_values_and_code_that_play_are_the_same_and_else_two(
    inner: list[list[str]], parts: list[str], outer: list[str]
) -> None:
    of_key: dict[str, str] = {}
    for text, read in {expression([*within, part, *outer]) for within in inner for part in parts}:
        places = [compile(f"{lines}{text}", lines, "eval") for lines in ("", "\n\n")]
        first, again = (key(eval(place, NAMES)) for place in places)  # noqa: S307 - as a notebook does
        assert first == again, text
        assert of_key.setdefault(first, read) == read
    assert len(of_key) == len(set(of_key.values())), of_key


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


def test_a_number_that_changes_in_memory_is_another_run_and_forgets_answers_that_were_cached() -> None:
    pace = [0.1]
    paced = functools.cache(lambda: pace[0])
    first = key(paced)
    assert paced() == 0.1
    pace[0] = 0.9
    assert key(paced) != first
    assert paced() == 0.9


def test_a_module_of_the_users_that_a_function_imports_while_it_plays_is_refused() -> None:
    def late(statement: str) -> Callable[[], None]:
        text = f"def late():\n    import numpy.linalg, math, xml.dom\n    {statement}\n"
        return types.FunctionType(compile(text, "mine.py", "exec").co_consts[0], {})

    assert key(late("pass"))
    for statement in ("import inner_xyz.math", "from . import inner_xyz"):
        with pytest.raises(
            fp.runs.StoreError, match=r"late imports .+ during the play; import it at the top"
        ):
            key(late(statement))


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
