"""Rules for Python's builtins, `math`, containers and this library, on traced values. What is not here has none."""

from __future__ import annotations

import dataclasses
import inspect
import itertools
import logging
import math
import operator
from abc import ABCMeta
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, partial, reduce
from types import ModuleType, UnionType
from typing import Any, get_args

import numpy as np

from filterproof.mc.prove.ledger_rules import CHARGES, TracedCharge
from filterproof.mc.prove.numpy_arrays import EACH_RUN, Caller, to_traced_array
from filterproof.mc.prove.numpy_rules import tested
from filterproof.mc.prove.paths import NotTraced, Raised
from filterproof.mc.prove.polynomials import Polynomial
from filterproof.mc.prove.requests import ClassOf, Lacking, Request
from filterproof.mc.prove.source import check_class, is_traced, refuse_own_container, user_classes
from filterproof.mc.prove.values import (
    INTEGERS,
    NUMPY,
    PYTHON,
    Array,
    Number,
    RuleFunction,
    SingleUse,
    as_numpy_kind,
    concrete_value,
    elementwise,
    entry_as_number,
    lift,
)

NUMPY_KNOWN = (
    "linspace arange geomspace logspace cumsum prod diff sort dtype finfo log log10 log1p exp exp2 tanh"
)
#: Functions without side effects that are called where all that they are given is known; of zeros the sign is not.
KNOWN = frozenset(
    {getattr(math, name) for name in dir(math) if callable(getattr(math, name)) and name[0] != "_"}
    - {math.copysign, math.atan2}
    | {getattr(np, name) for name in NUMPY_KNOWN.split()}
)
#: Methods of a logger, and functions of `logging`, whose effects no filter reads.
LOGGING = ("debug", "info", "warning", "error", "critical", "exception", "log")
#: Functions of `operator`, with the operator that they are.
OPERATORS = {
    operator.add: "+", operator.sub: "-", operator.mul: "*", operator.truediv: "/", operator.pow: "**",
    operator.and_: "&", operator.or_: "|", operator.lt: "<", operator.le: "<=", operator.gt: ">", operator.ge: ">=",
}  # fmt: skip
#: Classes of numbers, with the kinds of their instances.
KINDS: dict[Any, tuple[str, ...]] = {
    float: ("float", "f8"), int: ("int", "bool"), bool: ("bool",),
    np.floating: ("f8",), np.float64: ("f8",), np.integer: tuple(INTEGERS), np.generic: NUMPY,
}  # fmt: skip
CONTAINERS = (str, tuple, list, dict, set, frozenset)


# -- numbers ---------------------------------------------------------------------------------------------------


def single_number(own: Caller, value: Any) -> Array:
    """Return a number, or the one entry of an array of one run; raise Raised for several entries."""
    if (array := lift(value)) is None:
        raise NotTraced(f"a number made of {type(value).__name__} has no rule")
    if array.data.size != 1:
        raise Raised
    return Number(to_traced_array(own, array).kind, array.items[0])


def converted(kind: str, own: Caller, x: Any = 0) -> Any:
    """Trace float(x), int(x) or bool(x)."""
    if kind == "bool":
        return own.truth(x)
    if type(x) in (str, Fraction, Decimal):
        try:
            return {"float": float, "int": int}[kind](x)
        except (ValueError, OverflowError):
            raise Raised from None
    return own.arithmetic.cast(single_number(own, x), kind)


def absolute(own: Caller, x: Any) -> Array:
    value = to_traced_array(own, x)
    kind = "int" if value.kind == "bool" else value.kind
    return elementwise(lambda entry: own.arithmetic.absolute(entry_as_number(entry), kind), kind, value)


def to_whole(rule: str, own: Caller, x: Any) -> Array:
    value = entry_as_number(single_number(own, x).value)
    if not isinstance(value, Polynomial):
        raise Raised
    return Number("int", own.arithmetic.round_to_integer(rule, value))


def square_root(own: Caller, x: Any) -> Array:
    return Number(
        "float", own.arithmetic.sqrt(own.arithmetic.convert(single_number(own, x).value, "float"), "float")
    )


def float_test_rule(rule: Callable[[float], bool], own: Caller, x: Any) -> Array:
    """Trace math.isfinite, math.isinf or math.isnan of one number."""
    return Number("bool", tested(rule, own, single_number(own, x)).value)


def extreme(symbol: str, own: Caller, *args: Any, **named: Any) -> Any:
    if set(named) - {"default"}:
        raise NotTraced("max() or min() with a key has no rule")
    given = list(own.items(args[0])) if len(args) == 1 else list(args)
    if not given and "default" not in named:
        raise Raised
    best = given[0] if given else named["default"]
    for other in given[1:]:  # as Python does it: the first stays unless another is larger
        best = other if own.truth(own.binary(symbol, other, best)) else best
    return best


def total(own: Caller, iterable: Any, start: Any = 0) -> Any:
    items = list(own.items(iterable))
    lifted = [lift(i) for i in (start, *items) if type(i) is not int or i]
    numbers = [i.kind for i in lifted if i is not None and i.kind in PYTHON]
    if len(numbers) > 2 and "float" in numbers:
        raise NotTraced("a sum of more than two floats has no rule: Python 3.12 adds them in another way")
    return reduce(lambda x, y: own.binary("+", x, y), items, start)


# -- containers ------------------------------------------------------------------------------------------------


def length(own: Caller, value: Any) -> Any:
    if isinstance(value, Array) and value.ndim:
        return own.number_of_runs() if value.runs else value.data.shape[0]
    if isinstance(value, (*CONTAINERS, range, np.ndarray)):
        refuse_own_container(value)
        return len(value)
    raise NotTraced("len() has no rule here")


def sequence(kind: Callable[[Any], Any], own: Caller, iterable: Any = ()) -> Any:
    items = kind(own.items(iterable))
    return own.mark_fresh(items) if isinstance(items, list) else items


def dictionary(own: Caller, *args: Any, **named: Any) -> Any:
    given = args[0] if args else {}
    refuse_own_container(given)
    pairs = given.items() if isinstance(given, dict) else map(own.items, own.items(given))
    return own.mark_fresh({own.key(k): v for k, v in pairs} | named)


def fresh_iterator(own: Caller, rest: Iterable[Any]) -> Any:
    """Return a single-use iterator that is marked as made on this path."""
    return own.mark_fresh(SingleUse(rest))


def zipped(own: Caller, *args: Any, strict: bool = False) -> Any:
    lists = [own.items(a) for a in args]
    if strict and not all(isinstance(items, list) for items in lists):
        raise NotTraced("zip(strict=True) of iterators has no rule")

    def rest() -> Iterator[Any]:
        yield from zip(*lists, strict=False)
        if strict and len(set(map(len, lists))) > 1:
            raise Raised

    return fresh_iterator(own, rest())


def enumerated(own: Caller, iterable: Any, start: Any = 0) -> Any:
    return fresh_iterator(own, enumerate(own.items(iterable), own.key(start)))


def mapped(own: Caller, function: Any, *args: Any) -> Any:
    return fresh_iterator(own, map(lambda *group: own.call(function, [*group], {}), *map(own.items, args)))


def container_method(own: Caller, container: Any, name: str) -> Any:
    """Return a method of a list, a dict, a tuple or a text, by a rule."""
    if user_classes(type(container)):
        raise NotTraced(
            f"{type(container).__name__} is a container of the user's own, whose methods have no rule"
        )
    if name == "get" and isinstance(container, dict):
        return RuleFunction(lambda key, default=None: dict_item(own, container, key, default), name)
    if name == "copy" and isinstance(container, dict | list):
        return RuleFunction(lambda: own.mark_fresh(type(container)(container)), name)
    if name in ("items", "keys", "values") and isinstance(container, dict):
        return RuleFunction(lambda: getattr(container, name)(), name)
    if name in ("lower", "startswith") and isinstance(container, str):
        return RuleFunction(getattr(container, name), name)
    if id(container) in own.fresh and isinstance(container, list) and name in ("append", "insert"):
        return RuleFunction(getattr(container, name), name)
    raise NotTraced(f"{name} of a {type(container).__name__} has no rule, or changes what outlives the call")


def dict_item(own: Caller, container: dict[Any, Any], key: Any, default: Any = Raised) -> Any:
    """Return container[key] or the default; an unknown class or name is each key in turn."""
    if type(container) is not dict:
        raise NotTraced(f"an item of {type(container).__name__} has no rule")
    if isinstance(key, ClassOf):
        for other, value in container.items():
            if isinstance(other, str) == key.is_name and key.matches(other):
                return value
    else:
        key = own.key(key)
        if key in container:
            return container[key]
    if default is Raised:
        raise Raised
    return default


# -- classes ---------------------------------------------------------------------------------------------------


def class_of(own: Caller, value: Any) -> Any:
    if isinstance(value, Request):
        return ClassOf(value)
    if not user_classes(type(value)):
        raise NotTraced("type() of what is no request and of no class in the file has no rule")
    return type(value)


def is_instance(own: Caller, value: Any, kinds: Any) -> bool:
    given = kinds if isinstance(kinds, tuple) else (kinds,)
    classes = [k for kind in given for k in (get_args(kind) if isinstance(kind, UnionType) else (kind,))]
    if isinstance(value, Request):
        return value.is_instance(classes)
    if isinstance(value, Array | bool | float) and not KINDS.keys().isdisjoint({*classes} - {float, int}):
        own.path.differs = True  # NumPy's numbers and booleans are none of Python's
    return any(_is_instance(value, kind) for kind in classes)


def _is_instance(value: Any, kind: Any) -> bool:
    if isinstance(value, TracedCharge):
        return kind in CHARGES
    number = lift(value)
    if not isinstance(kind, type) or (
        number is None and type(value).__module__.startswith("filterproof.mc.prove.")
    ):
        raise NotTraced(f"isinstance(..., {kind!r}) has no rule here")
    check_class(kind)
    if number is not None and user_classes(kind) and isinstance(kind, ABCMeta):
        raise NotTraced("a number may be registered as an instance of an abstract class")
    if number is None or kind in CONTAINERS or user_classes(kind) or is_defined_by_library(kind):
        return isinstance(value, kind)
    if kind is np.ndarray:
        return not number.is_scalar
    if kind not in KINDS:
        raise NotTraced(f"isinstance(..., {kind.__name__}) has no rule here")
    return number.is_scalar and number.kind in KINDS[kind]


def hasattr_(own: Caller, value: Any, name: str) -> bool:
    number = lift(value)  # also of Python's constants: NumPy's numbers may take the same path
    if number is None:
        kind = value if isinstance(value, type) else type(value)
        is_plain = value is None or isinstance(value, str | ModuleType)
        if not is_plain and not user_classes(kind) and not is_defined_by_library(value):
            raise NotTraced("hasattr() has no rule here")
        computed = isinstance(inspect.getattr_static(kind, name, None), property | cached_property)
        if computed or is_traced(getattr(kind, "__getattr__", None)):
            raise NotTraced("hasattr() of what is computed has no rule")
        return hasattr(value, name)
    of_numpy = hasattr(np.dtype(as_numpy_kind(number.kind)).type if number.is_scalar else np.ndarray, name)
    if number.kind not in PYTHON:
        return of_numpy
    of_python = hasattr({"bool": bool, "int": int, "float": float}[number.kind], name)
    own.path.differs = own.path.differs or of_python != of_numpy
    return of_python


def getattr_(own: Caller, value: Any, name: str, *default: Any) -> Any:
    if default and isinstance(value, Request):
        try:
            return value.attribute(name)
        except Lacking:
            return default[0]
    if default and not hasattr_(own, value, name):
        return default[0]
    return own.attribute(value, name)


def replace(own: Caller, record: Any, /, **changes: Any) -> Any:
    """dataclasses.replace, or _replace of a named tuple."""
    if is_traced(getattr(type(record), "__post_init__", None)):
        raise NotTraced("dataclasses.replace has no rule here")
    rule: Any = partial(getattr(record, "_replace", None) or partial(dataclasses.replace, record), **changes)
    try:
        return rule()
    except (TypeError, ValueError):
        raise Raised from None


def reduced(own: Caller, function: Any, iterable: Any, *first: Any) -> Any:
    """functools.reduce."""
    items = itertools.chain(first, own.items(iterable))
    for start in items:
        return reduce(lambda x, y: own.call(function, [x, y], {}), items, start)
    raise Raised


def write_message(own: Caller, *args: Any, **named: Any) -> None:
    """Trace print() and methods of loggers: no filter reads what they write."""
    if "file" in named or any(user_classes(type(arg)) for arg in args):
        raise NotTraced("a message to an object, or with one, has no rule")


def arange(own: Caller, *args: Any) -> Any:
    """Trace np.arange, also of the number of runs."""
    runs = (
        len(args) == 1
        and isinstance(args[0], Array)
        and args[0].is_scalar
        and args[0].value == own.number_of_runs().value
    )
    return EACH_RUN if runs else call_on_known_values(np.arange, list(args), {})


RULES: dict[Any, Callable[..., Any]] = {
    np.arange: arange,
    **{kind: partial(converted, kind.__name__) for kind in (float, int, bool)},
    abs: absolute, round: partial(to_whole, "rint"), math.ceil: partial(to_whole, "ceil"),
    math.floor: partial(to_whole, "floor"), math.trunc: partial(to_whole, "trunc"), math.sqrt: square_root,
    **{f: partial(float_test_rule, f) for f in (math.isfinite, math.isinf, math.isnan)},
    max: partial(extreme, ">"), min: partial(extreme, "<"), sum: total,
    any: lambda own, iterable: any(own.truth(x) for x in own.items(iterable)),
    all: lambda own, iterable: all(own.truth(x) for x in own.items(iterable)),
    len: length, tuple: partial(sequence, tuple), list: partial(sequence, list),
    dict: dictionary, zip: zipped, enumerate: enumerated, map: mapped,
    range: lambda own, *args: range(*(operator.index(own.key(a)) for a in args)),
    type: class_of, isinstance: is_instance, hasattr: hasattr_, getattr: getattr_, dataclasses.replace: replace,
    partial: lambda own, function, *args, **named: partial(function, *args, **named),
    reduce: reduced,
    **{f: partial(lambda symbol, own, x, y: own.binary(symbol, x, y), symbol) for f, symbol in OPERATORS.items()},
    **dict.fromkeys((print, *(getattr(logging, name) for name in LOGGING)), write_message),
}  # fmt: skip


# -- this library ----------------------------------------------------------------------------------------------


def is_defined_by_library(value: Any) -> bool:
    """Whether this library defines a value, so that its functions may be called on known numbers."""
    homes = [str(home) for home in (getattr(value, "__module__", None), type(value).__module__)]
    if any(home.startswith("filterproof.filters.accountants.") for home in homes):
        return False
    return any(home.startswith(("filterproof.theory.", "filterproof.filters.")) for home in homes)


def call_on_known_values(function: Any, args: list[Any], named: dict[str, Any]) -> Any:
    """Call a library function on known values; its errors become Raised."""
    given = [concrete_value(a) for a in args], {k: concrete_value(v) for k, v in named.items()}
    try:
        with np.errstate(all="ignore"):
            return function(*given[0], **given[1])
    except (ValueError, TypeError, ArithmeticError):
        raise Raised from None
