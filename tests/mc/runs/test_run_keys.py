"""A store's key: two runs that could differ never share one, and the same run has the same one in every process."""

from __future__ import annotations

import collections
import contextlib
import decimal
import enum
import functools
import math
import random
import sys
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.special

import filterproof as fp
from mc.runs.keys import digest, key_of


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

    def __init__(self, seen: int, hidden: int) -> None:
        self.seen, self.__hidden = seen, hidden


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
    """Values that differ from one another, made anew by every call."""
    one, two, numbers = [1], [2], [1.0, 2.0, 3.0, 4.0]
    four = np.array(numbers).reshape(2, 2)
    return [
        *(2, True, None, "2", 0.0, -0.0, math.nan, math.inf, 2.0, 10**5000, 10**5000 + 1, "\ud800", b"1"),
        *(bytearray(b"1"), complex(0.0, 0.0), complex(0.0, -0.0), ..., NotImplemented),
        *(Fraction(1, 3), Fraction(2, 3), Level(1.0), Level(2.0)),
        *(decimal.Decimal("0.1"), decimal.Decimal("0.10"), Colour.RED, Colour.BLUE, range(3), slice(3)),
        *(set(), frozenset(), {1}, {1, 2}, {"a": 1, "b": 2}, {"b": 2, "a": 1}, collections.Counter("ab")),
        *(types.MappingProxyType({"a": 1}), collections.OrderedDict(a=1)),
        *(collections.defaultdict(int, a=1), collections.defaultdict(float, a=1)),
        *(collections.deque([1, 2]), collections.deque([1, 2], maxlen=3), list[int], list[float]),
        *(
            (1, 2),
            ((1, 2),),
            ((1,), 2),
            ([1], [2]),
            [[1], [2]],
            [[]] * 2,
            [[], []],
            [one, two, one],
            [one, two, two],
        ),
        *(kind(1) for kind in (np.float64, np.float32, np.int64, np.bool_)),
        *(np.datetime64("2020-01-01", "D"), np.datetime64("2020-01-01", "s"), np.dtype("f8"), np.dtype("f4")),
        *map(np.array, (1.0, [1.0], [[1.0]], [1.0, 1.0], numbers)),
        *(np.array([1.0], dtype=">f8"), four, four.T, np.asfortranarray(four)),
        *(np.array([(1, 2)], dtype=[("a", "i8"), (last, "i8")]) for last in "bc"),
        *(objects({"mu": 0.1}), objects({"mu": 0.9}), np.ma.masked_array([1.0], [True])),
        *(np.exp, np.log, scipy.special.erf, np.where, math.exp, float, Colour, np),
        *(fp.Gaussian, fp.Gaussian(0.1), fp.Gaussian(0.9), Point(1, 2), Point(2, 1)),
        *(Slotted(1, 2), Slotted(1, 3), Slotted(2, 2), types.SimpleNamespace(mu=0.1)),
        *(function for mu in (0.1, 0.9) for function in functions(mu)),
        *(*two_lines(), generated(0.1), generated(0.9), int | None, int | float),
        *(functools.partial(make, 0.1), functools.partial(make, 0.9), functools.partial(make, mu=0.1)),
        *(Holds(0.1).request, Holds(0.9).request, [1, 2].count, [1, 3].count),
        *(Holds(Holds(1)), Holds([Holds(1)]), Holds({"a": (Holds({1j}),)}), Holds({"a": (Holds({2j}),)})),
    ]


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
        (lambda: eval("lambda view: 0.1", {}), "<lambda> has no source file"),  # noqa: S307 - as a notebook does
    ],
)  # fmt: skip
def test_what_no_key_can_tell_apart_is_refused_in_one_sentence_and_named_by_the_user(
    made: Callable[[], Any], why: str
) -> None:
    with pytest.raises(fp.StoreError, match=f"{why}, so a store could not tell this run") as refused:
        key(Holds(made()))
    text = str(refused.value)
    assert "\n" not in text
    assert text.endswith("use code in files and plain values, name it by key=, or leave store out")
    assert len(text) < 400
    named = [key_of({"value": Holds((made(), other))}, name) for name in ("a", "b") for other in (1, 2)]
    assert len({digest(each) for each in named}) == 4


def test_what_is_nested_too_deep_is_refused_under_any_name() -> None:
    deep = functools.reduce(lambda x, _: [x], range(100_000), [])
    for name in (None, "a"):
        with pytest.raises(
            fp.StoreError, match="what is played is nested too deep for a key; make it flatter"
        ):
            key_of({"value": deep}, name)


@pytest.mark.parametrize("name", ["", 1, b"a"])
def test_a_name_that_is_none_is_refused(name: Any) -> None:
    with pytest.raises(fp.StoreError, match="key must be a text that names what is played, got"):
        key_of({"value": 1}, name)


def test_a_name_without_a_store_to_keep_it_is_refused() -> None:
    with pytest.raises(ValueError, match="key must stand beside store, got key='mine' alone"):
        fp.simulate(fp.GaussianFilter(1.0), fp.OneShot(), epsilon=1.0, n=10, key="mine")


@contextlib.contextmanager
def buffers_of(size: int) -> Iterator[None]:
    before = np.setbufsize(size)
    try:
        yield
    finally:
        np.setbufsize(before)


@pytest.mark.parametrize(
    "setting",
    [
        lambda: np.errstate(over="raise"),
        lambda: np.errstate(call=print),
        lambda: scipy.special.errstate(all="raise"),
        lambda: buffers_of(16),
        *(
            lambda field=field: decimal.localcontext(decimal.Context(**field))
            for field in (
                *({"prec": 1}, {"rounding": decimal.ROUND_UP}, {"traps": [decimal.Inexact]}),
                *({"Emin": -9}, {"Emax": 9}, {"capitals": 0}, {"clamp": 1}),
            )
        ),
    ],
)
def test_a_setting_that_decides_what_arithmetic_answers_is_another_run(setting: Callable[[], Any]) -> None:
    first = key(1)
    with setting():
        assert key(1) != first
    assert decimal.Decimal(1) / 3 > 0  # raises a flag, which decides nothing
    assert key(1) == first
