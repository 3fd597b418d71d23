"""The trace computes what Python and NumPy compute: each path's formula gives the number that the code gives."""

import importlib.util
import math
from fractions import Fraction
from pathlib import Path as File
from typing import Any

import numpy as np
import pytest

pytest.importorskip("z3", reason="traces leave out what z3 says is impossible")

from filterproof.mc.prove.interpreter import Interpreter
from filterproof.mc.prove.paths import Atom, NotTraced, Path, Raised, explore
from filterproof.mc.prove.polynomials import Polynomial
from filterproof.mc.prove.questions import Questions
from filterproof.mc.prove.solver import PathFeasibility
from filterproof.mc.prove.values import INTEGERS, Array, Number, lift

#: Expressions in x (an array of doubles), k (of 64-bit integers), b (of bytes) and p (a Python float).
EXPRESSIONS = (
    "x + p", "x - p * 3", "(x + p) - x", "x * x - p", "x / 3", "x / (p * p + 1.0)", "2 ** 3 + x", "x ** 2 + p",
    "np.sqrt(x * x + p * p)", "abs(x - p)", "-x", "np.maximum(x, p)", "np.minimum(x, 0.5)", "np.clip(x, 0.1, 0.4)",
    "np.ceil(x * 10)", "np.floor(x * 10 - p)", "np.rint(x * 4)", "np.trunc(x * -7)", "(x * 100).astype(np.int64) + k",
    "k % 7", "k // 7", "k + 1", "(k * 3 - 100).astype(np.int8)", "b + np.uint8(200)", "b - np.uint8(7)", "k + b",
    "np.where(x > p, x, k)", "np.where((x > p) & (k > 3), 1.0, x)", "(x > p).astype(int) + k", "(x > p) + (k > 3)",
    "~(x > p)", "x == x", "min(p, 0.5) + x", "max(0.0, p) * x", "np.isfinite(x / p) + 0",
    "np.stack([x, x * 2], axis=1).max(axis=1)", "np.all([x > p, k > 3], axis=0) + k", "np.max([x, x * 2], axis=0)",
    "np.stack([x, k], axis=1).sum(axis=1)", "(x * 0.1 + p * 0.2) * 0.3", "np.square(x) - p", "float(p) + x",
    "int(p * 10) + k", "x[:, None][:, 0] + p", "np.full_like(x, p) + k",
    "np.array([0.5, 0.25, 1.0])[np.minimum(k % 3, 2)] + x", "(k + 2**53 <= 2.0**53) + k", "sum([p, p * 3])",
    "np.logical_and.reduce([k > 3]) + k", "np.add.reduce([x] * 7)",
    "np.exp(x) + p", "np.log1p(x * x) * p", "math.log(p + 0.5)", "np.tanh(p) / 2", "np.expm1(-x)", "np.exp2(k // 8)",
    "0.5 ** k + x", "abs(p) ** 1.5", "np.maximum(p, 0.3) - x", "2.0 ** (x * 900)", "np.exp(p * 300)",
    "(np.maximum(x, 0.1) * 1e103) ** 3.0", "np.maximum(x, 1e-200) ** -2.0",
    "(x * 1e300).astype(np.int64) // 4096 + k", "np.hypot(x, p) + k", "(1 / np.exp(p)) ** 2 / 3",
    "1 / (1 / np.exp(x)) ** 2",
    "np.searchsorted([0.0, 0.5, 0.5, 2.0], x) + k", "np.searchsorted(np.array([0.5, 1.0]), x * 2, side='right')",
    "np.append([0.5, 1], np.inf)[k % 3] - p", "np.stack([x * x, (x + p) ** 2], axis=1) @ np.array([0.5, 0.25])",
    "(np.arange(2) == np.expand_dims(k % 3, -1)).any(axis=1) + x",
    "np.concatenate([x[:, None], k[:, None]], axis=1).max(axis=1)", "np.column_stack([x, k]).sum(axis=1)",
    "np.select([x > p, k > 3], [x, k], -0.5) * 3",
    "np.array([0.5, 0.25, 1.0])[k % 3] + np.isneginf(np.log(x))",
    "reduce(np.add, [x, k, x]) + partial(np.add, x)(p)", "(y := x * 2) + y if p > 0.5 and (z := p * 3) > 1 else x",
    "0 < (y := p - 0.5) < 9 and y == 5 or p", "operator.sub(k, x)", "np.atleast_1d(p) + np.atleast_1d(x)",
    "np.nextafter(x + p, np.inf) - np.nextafter(x, -math.inf)", "np.nextafter(x, np.inf) > np.nextafter(x, -np.inf)",
    # what one may take for something else
    "x.shape[0] > 2", "(1 / (x * -1.0) < 0.0) + k", "(np.abs(1.0) / np.maximum(0.0, -1.0) > 2.0) + x",
    "bool(~(p > 0.5)) + x", "max(0.0, p * 1e308 * 10 - p * 1e308 * 10) + x", "getattr(p, 'ndim', -1) + x",
    "math.sqrt(p * 1e308 * 10 - p * 1e308 * 10) + x", "any(1.0 / y > 0.5 for y in (1.0, 0.0)) + x",
    "isinstance(np.where(p > 0.5, p, 0.5), float) + x", "hasattr(np.asarray(p)[...], '__setitem__') + x",
    "isinstance(np.full(1, p).reshape(()), float) + x", "isinstance({'a'}, frozenset) + x", "float(HALF) + x",
    "made(p) + x", "isinstance({'a': p}.values(), tuple) + x",
    "np.linspace(0.0, 0.1, 6)[k % 6 - 1] + x", "(isinstance(p, np.floating) or hasattr(p, 'shape')) + x",
)  # fmt: skip
#: Statements after which two names are of one array, or of two.
STATEMENTS = (
    """
    new = np.stack([x, x], axis=1)
    view = new[:, 0]
    view *= 0.0
    return new[:, 0]
    """,
    """
    new = x + p
    same = np.asarray(new, dtype=float)
    same -= p
    return new
    """,
    """
    new = x + p
    copied, signed = new.copy(), +new
    copied -= p
    signed -= p
    return new
    """,
    """
    new = x + p
    for part in (new,):
        part -= p
    return new
    """,
    """
    one = {"sum": x}
    two = one
    two["sum"] = x + p
    return one["sum"]
    """,
    """
    cost = p
    [cost := part for part in (cost, 0.0)]
    return x + cost
    """,
    """
    todo, cost = [1], p
    for k in todo:
        if k == 1:
            todo.append(2)
        if k == 2:
            cost = 0.0
    return x + cost
    """,
    # what runs first
    """
    def free():
        cost["a"] = 9.0
        return 0.5
    cost = {"a": p}
    cost["a"] += free()
    return x + cost["a"]
    """,
    """
    k, cost = 0, [9.0, p]
    cost[k]: float = (k := 1) * 0.5
    return x + cost[1]
    """,
    """
    cost = p
    return x + reduce(lambda y, z: y + cost, ((cost := part) for part in (0.0, 9.0, p)), 0.0)
    """,
    """
    rate = cost = 0.5
    match FULL:
        case Price(rate=cost, positive=9.0):
            return x
        case Price(rate=rate) if rate > 9.0:
            return x
    return x + rate + cost
    """,
    # what sees a change
    """
    costs = {"a": p, "b": 0.5}
    values, total = costs.values(), 0.0
    for _, cost in costs.items():
        costs["b"] = 9.0
        total += cost
    return x + total + max(values)
    """,
    """
    new = np.full(1, p)
    same = np.atleast_1d(new)
    same[0] = 9.0
    return x + new[0]
    """,
)
#: The file of a function; with a class, a dict of its own and a generator, of which nothing is known.
FILE = """\
import abc
import collections
import enum
import itertools
import logging
import math
import operator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial, reduce

import numpy as np

NAN, HALF = math.nan, Fraction(1, 2)


@dataclass
class Book:
    total: object


def made(y):
    return 0.5


def stop(y):
    if y > 0.25:
        raise StopIteration
    return y


class Level(enum.Enum):
    FREE = 0.0
    FULL = 1.0

    def __ne__(self, other):
        return False


class Scaled:
    def __set_name__(self, owner, name):
        self.name = name

    def __set__(self, thing, value):
        thing.__dict__[self.name] = value

    def __get__(self, thing, owner=None):
        return 0.0


class Meta(type):
    rate = property(lambda cls: 0.0)

    def __instancecheck__(cls, other):
        return True


class OfMeta(metaclass=Meta):
    rate = 1.0

    def cost(self):
        return self.rate


class Registered(abc.ABC):
    def cost(self):
        return 0.5


Registered.register(float)


class Price:
    scaled = Scaled()
    rate = 1.0

    def __init__(self, rate):
        self.rate = self.scaled = rate

    def __add__(self, other):
        return self.rate + other

    def __iadd__(self, other):
        return self.rate

    def __eq__(self, other):
        return True

    @property
    def positive(self):
        if self.rate <= 0.0:
            raise AttributeError
        return self.rate


class Pair(tuple):
    def first(self):
        return self[0]


@dataclass
class Counted:
    number: int = field(default_factory=itertools.count().__next__)

    def next_number(self):
        return self.number + 1


class Halved:
    def __init__(self, rate):
        self.halved = rate

    @property
    def halved(self):
        return self._halved

    @halved.setter
    def halved(self, rate):
        self._halved = rate / 2 if isinstance(rate, float) else 0.0


class Nested(Price):
    def base_rate(self):
        def of(other):
            return super().positive
        return of(FREE)


class Made:
    def __new__(cls, rate):
        return 0.5

    def __init__(self, rate):
        self.rate = rate

    def __add__(self, other):
        return self.rate + other

    def __class_getitem__(cls, key):
        return Price


class Tag(str):
    def __format__(self, form):
        return "free"


class Sink(logging.Handler):
    def write(self, text):
        pass


FREE, FULL, TAG, SINK = Nested(0.0), Nested(1.0), Tag("full"), Sink()
LOG = logging.getLogger("tracing")
LOG.addHandler(SINK)


class Everything(dict):
    def __contains__(self, key):
        return True


EVERYTHING = Everything(a=1.0)
PRICES = collections.defaultdict(float, a=1.0)


def costs(is_free):
    if is_free:
        return None
    yield 1.0


def value(x, k, b, p):
    {body}
"""


def function(text: str, folder: File) -> Any:
    """A function of x, k, b and p that stands in a file: an expression, or statements."""
    file = folder / "expression.py"
    file.write_text(FILE.format(body=text.strip() if "\n" in text else f"return {text}"))
    spec = importlib.util.spec_from_file_location("expression", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.value


def traced(code: Any) -> list[tuple[Path, Any]]:
    """Each path through a function, and its value."""
    atoms = [
        Atom("runs", "n", (), True, Fraction(1)),
        Atom("place", "x", (), False, Fraction(-100), Fraction(100)),
        Atom("place", "k", (), True, *map(Fraction, INTEGERS["i8"])),
        Atom("place", "b", (), True, *map(Fraction, INTEGERS["u1"])),
        Atom("place", "p", (), False, Fraction(-100), Fraction(100)),
    ]

    def run(path: Path) -> Any:
        arrays = [
            Array(kind, True, (), [Polynomial.atom(number)], writable=False)
            for number, kind in enumerate(("f8", "i8", "u1"), 1)
        ]
        return lift(Interpreter(path).call(code, [*arrays, Number("float", Polynomial.atom(4))], {}))

    return list(explore(atoms, run, PathFeasibility(Questions())))


@pytest.mark.parametrize("text", [*EXPRESSIONS, *STATEMENTS])
def test_a_trace_predicts_the_number_to_the_last_bit(text: str, tmp_path: File) -> None:
    code = function(text, tmp_path)
    paths = traced(code)
    rng = np.random.default_rng(3)
    for trial in range(20):
        n = 1 + trial % 3
        point = {
            "x": float(rng.choice([rng.normal(), rng.normal() * 1e-9, 0.5, 0.0])),
            "k": int(rng.integers(0, 40)),
            "b": int(rng.integers(0, 256)),
            "p": float(rng.choice([rng.random(), 0.5, rng.random() * 10])),
        }
        with np.errstate(all="ignore"):
            arrays = [
                np.full(n, point[name], kind)
                for name, kind in zip("xkb", (float, int, np.uint8), strict=True)
            ]
            actual = np.ravel(code(*arrays, point["p"]))[0].item()
        given = {("place", name): Fraction(value) for name, value in point.items()}
        given["runs", "n"] = Fraction(n)
        answers = []
        for path, value in paths:
            values = path.evaluate_atoms(given)
            if value is not Raised and values is not None and path.holds(values):
                assert all(fact.at(values) >= 0 for atom in path.atoms for fact, _ in atom.relative)
                entry = value.items[0] if isinstance(value, Array) else value.value
                answers.append(float(entry.at(values)) if isinstance(entry, Polynomial) else float(entry))
        assert any(answer == actual or (math.isnan(answer) and math.isnan(actual)) for answer in answers), (
            point,
            actual,
        )


@pytest.mark.parametrize(
    "text",
    [
        "x.mean()",
        "x[0]",
        "np.sum(x)",
        "np.sin(x)",
        "p ** x",
        "x.astype(np.float32)",
        "np.add(x, p, out=x)",
        "[i for i in x]",
        "open('a')",
        # NumPy adds eight in pairs, and Python 3.12 three with compensation
        "np.add.reduce([x] * 8)",
        "sum([p, p * 3], 0.1)",
        "sum([p, 1, 0.1])",
        "k == np.uint64(3)",
        "np.searchsorted([1.0, 0.5], x)",
        "np.append(x, 1.0)",
        "x[:, None] @ np.array([0.5])",
        "np.expand_dims(x, 0)",
        # what deceives: of one run or of all, in another type, or written where another name sees it
        "len(x) + k",
        "np.stack([x + 10.0, np.array([9.0])], axis=1).min(axis=1)",
        "((p, 1) > (0.25, 0)) + x",
        "np.sum(np.stack([x, x], axis=1), axis=1, initial=-5.0)",
        "np.sqrt(b) + p",
        "np.add.reduce([x <= 0.5, x <= p]) >= 2",
        "np.add.reduce([x])",
        "bool(costs(True)) + x",
        "math.copysign(1.0, -(p - p)) + x",
        "(7.0 in EVERYTHING) + x",
        "PRICES['b'] + x",
        "abs((0.1 - p) ** 0.5) + x",
        "np.isclose(x, p) + 0",
        "f'{p}' == '0.5'",
        "(x is x) + p",
        "np.concatenate([x, x])",
        "reduce(np.sin, [x, x])",
        "\n    first, *rest = (p, 0.5, 0.5)\n    return x + first",
        # what code of the file's own classes decides
        "isinstance(Level['FREE'], Level) + x",
        "(Level.FREE != Level.FULL) + x",
        "OfMeta.rate + x",
        "isinstance(p, OfMeta) + x",
        "isinstance(p, Registered) + x",
        "FULL.scaled + x",
        "FULL.base_rate() + x",
        "Made(p) + x",
        "Made['a'].rate + x",
        "(FULL == None) + x",
        "Halved(p).halved + x",
        "Pair(y for y in (p, x))[0] + x",
        "Counted().number + x",
        "{'free': 0.5, 'full': 1.0}[f'{TAG}'] + x",
        "print(p, file=SINK) or x",
        "LOG.warning('p') or x",
        "\n    cost = FULL\n    cost += p\n    return x + cost",
        "\n    match FREE:\n        case Price(positive=_):\n            return x\n    return x + p",
        # what raises in the trace, or in Python, alone
        "float(f'{p}') + x",
        "math.floor(HALF) + x",
        "sum(map(stop, (p, 0.125))) + x",
        "(NAN in (NAN,)) + x",
        "((NAN,) == (NAN,)) + x",
        "np.searchsorted(np.array([NAN]), NAN) + x",
        "\n    with np.errstate(all='ignore') as p:\n        pass\n    return x + (p is None)",
        "\n    costs = [9.0]\n    rest = [p for costs[0] in (0.5,)]\n    return x + costs[0]",
        "\n    new = np.where(p > 0.5, p, 0.5)\n    same = new\n    same *= 0.0\n    return x + new",
        "\n    x += p\n    return x",
        "\n    new = x.copy()\n    new[0] = 5.0\n    return new",
        "\n    new = Book(x + p)\n    new.total = x\n    return new.total",
    ],
)
def test_what_has_no_rule_is_refused(text: str, tmp_path: File) -> None:
    with pytest.raises(NotTraced):
        traced(function(text, tmp_path))
