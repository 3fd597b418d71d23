"""Rules for functions of NumPy, `math`, the builtins and this library, on traced numbers. What is not here has none."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from types import UnionType
from typing import Any, TypeAlias, get_args

import numpy as np

from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.prove.paths import NotTraced, Path, Raised
from filterproof.mc.prove.polynomials import Polynomial
from filterproof.mc.prove.requests import FAMILIES, ClassOf, NameOf, Request, Swapped
from filterproof.mc.prove.values import (
    INTEGERS,
    PYTHON,
    RUNS,
    Arithmetic,
    Array,
    Number,
    Numeric,
    as_number,
    broadcast,
    constant_of,
    is_bool,
    is_float,
    kind_of_dtype,
    lift,
    promote,
    reduce_tail,
)
from filterproof.theory.guarantees import Guarantee

#: The interpreter that calls these rules, and which they ask to call functions of the user.
Caller: TypeAlias = Any

BUILTINS = frozenset(
    {
        *(
            "abs",
            "all",
            "any",
            "bool",
            "dict",
            "enumerate",
            "float",
            "frozenset",
            "int",
            "isinstance",
            "len",
            "list",
        ),
        *(
            "max",
            "min",
            "range",
            "reversed",
            "round",
            "set",
            "sorted",
            "sum",
            "tuple",
            "type",
            "zip",
            "map",
            "hasattr",
        ),
        *("ValueError", "TypeError", "KeyError", "RuntimeError", "ArithmeticError", "NotImplementedError"),
    }
)
#: Constructors and element-by-element functions that are computed where all is known.
_CONCRETE = frozenset(
    {
        *(
            "linspace",
            "arange",
            "array",
            "asarray",
            "geomspace",
            "logspace",
            "cumsum",
            "log",
            "exp",
            "sqrt",
            "log2",
        ),
        *(
            "log10",
            "log1p",
            "expm1",
            "power",
            "sum",
            "prod",
            "min",
            "max",
            "diff",
            "concatenate",
            "repeat",
            "sort",
        ),
    }
)
_SYMBOLS = {
    "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "true_divide": "/", "mod": "%",
    "remainder": "%", "floor_divide": "//", "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">=",
    "equal": "==", "not_equal": "!=", "logical_and": "&", "logical_or": "|", "logical_xor": "^",
    "bitwise_and": "&", "bitwise_or": "|",
}  # fmt: skip
_ROUND = {"ceil": "ceil", "floor": "floor", "rint": "rint", "round": "rint", "trunc": "trunc", "fix": "trunc"}
MAX_TABLE = 24
#: Where a filter that extends one of the library keeps that one.
LIBRARY = "<library filter>"


@dataclass(eq=False)
class ModuleFunction:
    """A function by its module and name, or a method with its accountant."""

    home: str
    name: str
    accountant: Any = None


@dataclass(eq=False)
class Opaque:
    """A proved filter of the library, or a state of it, of which only its own methods are called."""

    what: str
    key: str
    real: Any = None


@dataclass(eq=False)
class OneShot:
    """An iterator: its items are computed when they are asked for, once."""

    rest: Iterable[Any]
    taken: bool = False

    def take(self, interpreter: Caller) -> Iterable[Any]:
        if self.taken or id(self) not in interpreter.fresh:
            raise NotTraced("an iterator is used twice, or outlives the call")
        self.taken = True
        return self.rest


class Functions:
    """Calls of what is no code of the user."""

    def __init__(self, interpreter: Caller) -> None:
        self.interpreter = interpreter
        self.path: Path = interpreter.path
        self.arithmetic: Arithmetic = interpreter.arithmetic

    def call(self, function: ModuleFunction, args: list[Any], named: dict[str, Any]) -> Any:
        home, name = function.home, function.name
        if home == "numpy":
            return self._numpy(name, args, named)
        if home == "math":
            return self._math(name, args, named)
        if home == "builtins":
            return self._builtin(name, args, named)
        if home == "request":
            return self._divergence(function.accountant, name, args, named)
        if home == "method":
            return self._method(function.accountant, name, args, named)
        if home == "filter" and name == "init":
            record, base = function.accountant
            return self.initialise(record, base, args, named)
        if home == "reduce" and len(args) == 1 and not named:
            return _fold(lambda x, y: self._numpy(name, [x, y], {}), list(self.interpreter.items(args[0])))
        if home == "filter":
            return args[0]
        if home == "dataclasses" and name == "replace":
            return replace_fields(args[0], named)
        if home == "dataclasses" and name == "asdict":
            return self.interpreter.own(dict(args[0].values))
        if home == "dataclasses" and name == "field" and set(named) <= {"default", "repr"}:
            return named.get("default")
        if home == "library filter":
            return self._of_library(function.accountant, name, args, named)
        raise NotTraced(f"{home}.{name} has no rule")

    # -- this library ------------------------------------------------------------------------------------

    def _divergence(self, accountant: Any, name: str, args: list[Any], named: dict[str, Any]) -> Any:
        value = constant_of(args[0] if args else next(iter(named.values()), None))
        if value is None or isinstance(value, bool) or not math.isfinite(value):
            raise NotTraced(f"request.{name} at an order that is not known has no rule")
        swapped = isinstance(accountant, Swapped)
        request: Request = accountant.request if isinstance(accountant, Swapped) else accountant
        rule = request.renyi if name == "renyi" else request.hockey_stick
        return rule(Fraction(value), swapped)

    def call_library(self, function: Any, args: list[Any], named: dict[str, Any]) -> Any:
        """A function or class of this library on numbers that are known: it is called."""
        if isinstance(function, type) and issubclass(function, np.generic):
            return self._cast(args[0] if args else 0, function)
        if isinstance(function, type) and issubclass(function, PrivacyFilter):
            from filterproof.filters import catalogue

            if function.__name__ not in catalogue.__all__ or function.sound is not True:
                raise NotTraced(f"{function.__name__} is no filter of the library with a proof")
            real = function(*map(self._known, args), **{k: self._known(v) for k, v in named.items()})
            if real.looks_at_losses:
                raise NotTraced(f"{function.__name__} looks at losses, which has no rule here")
            return Opaque("filter", repr(real), real)
        home = str(getattr(function, "__module__", ""))
        is_theory = home.startswith("filterproof.theory.") or (
            isinstance(function, type) and issubclass(function, Guarantee)
        )
        if not callable(function) or not is_theory:
            raise NotTraced(f"a call of {getattr(function, '__name__', function)!r} has no rule")
        try:
            return function(*map(self._known, args), **{k: self._known(v) for k, v in named.items()})
        except (ValueError, TypeError, ArithmeticError):
            raise Raised from None

    def initialise(self, record: Any, base: Any, args: list[Any], named: dict[str, Any]) -> None:
        """The constructor of the class beneath a user's filter."""
        if isinstance(base, type) and base is not PrivacyFilter:
            record.values[LIBRARY] = self.call_library(base, args, named)
        elif args or named:
            raise Raised

    def library_attribute(self, accountant: Any, name: str) -> Any:
        home = str(getattr(accountant, "__module__", "") or type(accountant).__module__)
        home_of_type = type(accountant).__module__
        if not (
            home.startswith("filterproof.theory.") or home_of_type.startswith("filterproof.theory.")
        ) or name.startswith("_"):
            if home_of_type == "types" or isinstance(accountant, type(np)):
                return getattr(accountant, name)
            raise NotTraced(f"the attribute {name} of {type(accountant).__name__} has no rule")
        try:
            return getattr(accountant, name)
        except AttributeError:
            raise Raised from None

    def _known(self, value: Any) -> Any:
        """A value that is known, as Python's."""
        if isinstance(value, tuple | list):
            return type(value)(map(self._known, value))
        if isinstance(value, Array) and not value.runs:
            numbers = [
                self._known(Number("float" if is_float(value.kind) else "int", x)) for x in value.items
            ]
            return np.array(numbers, dtype=value.kind).reshape(value.tail)
        if isinstance(value, Number | Array):
            known = constant_of(value)
            if known is None:
                raise NotTraced("a number that is not known is passed to a function of a library")
            return known
        if isinstance(value, Request):
            raise NotTraced("a request is passed to a function of a library")
        return value

    def _of_library(self, accountant: Opaque, name: str, args: list[Any], named: dict[str, Any]) -> Any:
        if accountant.what != "filter" or named:
            raise NotTraced(f"the attribute {name} of a filter of the library has no rule")
        if name == "start" and len(args) == 1:
            return Opaque("state", f"{accountant.key} new")
        if len(args) != 2 or not isinstance(args[0], Opaque) or not isinstance(args[1], Request):
            raise NotTraced(f"{name} of a filter of the library is called with what is not its own")
        state: Opaque = args[0]
        if state.what != "state" or not state.key.startswith(accountant.key):
            raise NotTraced("a state of another filter is passed to a filter of the library")
        if name == "admits":
            return Array("b1", True, (), [self.path.choose(f"admits {state.key}", [True, False])])
        if name == "spend":
            return Opaque("state", f"{accountant.key} spent from {state.key}")
        raise NotTraced(f"{name} of a filter of the library has no rule")

    # -- attributes and methods ----------------------------------------------------------------------------

    def attribute(self, accountant: Any, name: str) -> Any:
        if isinstance(accountant, np.ndarray | np.generic):
            accountant = lift(accountant)
        if isinstance(accountant, ModuleFunction):
            if accountant.home == "numpy" and name == "reduce":
                return ModuleFunction("reduce", accountant.name)
            raise NotTraced(f"the attribute {name} of a function has no rule")
        if isinstance(accountant, Array):
            if name in ("shape", "size", "ndim", "T", "dtype"):
                return self._shape(accountant, name)
        elif isinstance(accountant, Number) and name in ("shape", "ndim"):
            return () if name == "shape" else 0
        return ModuleFunction("method", name, accountant)

    def _shape(self, array: Array, name: str) -> Any:
        if name == "ndim":
            return array.ndim
        if name == "dtype":
            return np.dtype(array.kind)
        shape = ((self.runs(),) if array.runs else ()) + array.tail
        if name == "shape":
            return shape
        if name == "size" and len(shape) == 1:
            return shape[0]
        raise NotTraced(f".{name} of an array has no rule")

    def runs(self) -> Number:
        """The number of runs, which is not known."""
        number = next(i for i, a in enumerate(self.path.atoms) if a.kind == "runs")
        return Number("int", Polynomial.atom(number))

    def _method(self, accountant: Any, name: str, args: list[Any], named: dict[str, Any]) -> Any:
        if isinstance(accountant, dict):
            return self._of_dict(accountant, name, args, named)
        if isinstance(accountant, list | tuple | frozenset | str):
            return self._of_sequence(accountant, name, args, named)
        value = lift(accountant)
        if value is None:
            raise NotTraced(f"the method {name} has no rule")
        if name == "copy":
            return replace_items(value, value.items) if isinstance(value, Array) else value
        if name == "astype" and set(named) <= {"dtype"}:
            return self._cast(value, args[0] if args else named.get("dtype"))
        if name in ("sum", "max", "min", "any", "all", "prod"):
            return self._reduce(name, value, args[0] if args else named.get("axis"), named)
        if name == "item" and not args:
            return Number(
                _python_kind(value.kind), value.items[0] if isinstance(value, Array) else value.value
            )
        if name in ("ravel", "flatten", "reshape"):
            return self._reshape(value, args, name)
        if name == "clip":
            return self._numpy("clip", [value, *args], named)
        if name == "round":
            return self._numpy("round", [value, *args], named)
        raise NotTraced(f"the method {name} of an array has no rule")

    def _of_dict(self, accountant: dict[Any, Any], name: str, args: list[Any], named: dict[str, Any]) -> Any:
        if name == "get":
            return self.look_up(accountant, args[0], args[1] if len(args) > 1 else None)
        if name in ("items", "keys", "values"):
            return tuple(getattr(accountant, name)())
        if name == "copy":
            return self.interpreter.own(dict(accountant))
        if name == "update" and id(accountant) in self.interpreter.fresh:
            accountant.update(*args, **named)
            return None
        raise NotTraced(f"the method {name} of a dict has no rule, or changes what outlives the call")

    def _of_sequence(self, accountant: Any, name: str, args: list[Any], named: dict[str, Any]) -> Any:
        if name == "append" and isinstance(accountant, list) and id(accountant) in self.interpreter.fresh:
            accountant.append(args[0])
            return None
        if name == "copy" and isinstance(accountant, list):
            return self.interpreter.own(list(accountant))
        if isinstance(accountant, str) and name in ("lower", "upper", "startswith", "endswith") and not named:
            return getattr(accountant, name)(*args)
        raise NotTraced(
            f"the method {name} of a {type(accountant).__name__} has no rule, or changes what outlives the call"
        )

    def look_up(self, accountant: dict[Any, Any], key: Any, default: Any) -> Any:
        """accountant[key], or the default; a class or name that is not known is each in turn."""
        if isinstance(key, ClassOf | NameOf):
            for one, value in accountant.items():
                if isinstance(key, NameOf) and isinstance(one, str) and key.request.has_name(one):
                    return value
                if isinstance(key, ClassOf) and _is_family(one) and key.request.is_exactly(one):
                    return value
        else:
            key = self.interpreter.key(key)
            try:
                if key in accountant:
                    return accountant[key]
            except TypeError:
                raise Raised from None
        if default is Raised:
            raise Raised
        return default

    def table(self, entries: Sequence[Any], index: Any) -> Any:
        """The entry at an index that is not known: each in turn, negative ones from the end."""
        if len(entries) > MAX_TABLE:
            raise NotTraced("a long table is read at an index that is not known")
        at = as_number(index.value, index.kind)
        for k in range(len(entries)):
            for place in (k, k - len(entries)):
                if self.arithmetic.compare("==", at, Polynomial.constant(place)):
                    return entries[k]
        raise Raised

    # -- arrays ----------------------------------------------------------------------------------------------

    def check_writable(self, array: Array) -> None:
        if not array.writable or array.shared or array.path is not self.path:
            raise NotTraced("an array is written in place that another name or call may share")

    def negative(self, value: Numeric) -> Numeric:
        if is_bool(value.kind):
            self.path.differs = True
            if value.kind == "b1":
                raise Raised
            value = Number("int", as_number(value.value, "bool"))  # type: ignore[union-attr]
        if value.kind in INTEGERS:
            return self.arithmetic.binary("-", Number("int", Polynomial.constant(0)), value)
        return self.arithmetic.map(self.arithmetic.negative, value.kind, value)

    def shaped_like(self, value: Numeric, array: Array) -> Array:
        """The value with one entry for each of the array's."""
        runs, tail, (items, _), _ = broadcast(value, array)
        if (runs, tail) != (array.runs, array.tail):
            raise NotTraced("an array is given one of another shape")
        return Array(value.kind, runs, tail, items)

    def store(self, array: Array, index: Any, value: Any) -> None:
        """array[index] = value, for a mask over the runs, an Ellipsis or an axis after the runs."""
        self.check_writable(array)
        new = lift(value)
        if new is None:
            raise Raised
        if promote(new.kind, array.kind) != array.kind and new.kind not in PYTHON:
            new = self._cast(new, np.dtype(array.kind))
        cast = self.arithmetic.cast
        if isinstance(index, Array) and index.kind == "b1":
            if isinstance(new, Array):
                raise NotTraced("a mask is given an array")
            mask = self.shaped_like(index, array) if index.ndim == array.ndim else None
            if mask is None:
                raise NotTraced("a mask of another shape has no rule")
            for i, chosen in enumerate(mask.items):
                if chosen:
                    array.items[i] = cast(new.value, new.kind, array.kind)
            return
        places, tail = self._places(array, index)
        runs, found, (items, _), _ = broadcast(new, Array(array.kind, array.runs, tail, [None] * len(places)))
        if (runs, found) != (array.runs, tail):
            raise NotTraced("an array is given one of another shape")
        for place, item in zip(places, items, strict=True):
            array.items[place] = cast(item, new.kind, array.kind)

    def _places(self, array: Array, index: Any) -> tuple[list[int], tuple[int, ...]]:
        """The entries that an index picks, and their shape after the runs."""
        given = list(index) if isinstance(index, tuple) else [index]
        if Ellipsis in [g for g in given if not isinstance(g, Array | Number)]:
            at = given.index(Ellipsis)
            missing = array.ndim - (len(given) - 1)
            given[at : at + 1] = [slice(None)] * missing
        if len(given) > array.ndim:
            raise Raised
        given += [slice(None)] * (array.ndim - len(given))
        if array.runs:
            if given[0] != slice(None):
                raise NotTraced("some of the runs are read, which are not the others")
            given = given[1:]
        chosen, tail = [], []
        for one, size in zip(given, array.tail, strict=True):
            if isinstance(one, slice):
                picked = list(range(size)[one])
                tail.append(len(picked))
            else:
                at = self.interpreter.key(one)
                if not isinstance(at, int) or not -size <= at < size:
                    raise Raised
                picked = [at % size]
            chosen.append(picked)
        flat = []
        for place in itertools.product(*chosen):
            number = 0
            for at, size in zip(place, array.tail, strict=True):
                number = number * size + at
            flat.append(number)
        return flat, tuple(tail)

    def index(self, array: Array, index: Any) -> Any:
        given = index if isinstance(index, tuple) else (index,)
        if any(g is None for g in given):
            return self._new_axis(array, given)
        if isinstance(index, Number | Array) and not array.runs and len(array.tail) == 1:
            if index.kind in ("b1", "bool"):
                raise NotTraced("a mask picks a number of entries that is not known")
            if isinstance(index, Array) or constant_of(index) is None:
                entries = list(array.items)
                return self.arithmetic.map(lambda i: self.table(entries, Number("int", i)), array.kind, index)
        places, tail = self._places(array, index)
        items = [array.items[p] for p in places]
        if not array.runs and not tail:
            return Number(array.kind, items[0])
        array.shared = True
        return Array(array.kind, array.runs, tail, items, writable=False, shared=True)

    def _new_axis(self, array: Array, given: tuple[Any, ...]) -> Array:
        rest = tuple(g for g in given if g is not None)
        if any(g not in (slice(None), Ellipsis) for g in rest) or (array.runs and given[0] is None):
            raise NotTraced("an index with None has no rule here")
        array.shared = True
        at = given.index(None) - array.runs
        tail = (*array.tail[:at], 1, *array.tail[at:])
        return Array(array.kind, array.runs, tail, list(array.items), writable=False, shared=True)

    def _reshape(self, value: Numeric, args: list[Any], name: str) -> Any:
        if (
            isinstance(value, Array)
            and value.ndim == 1
            and (name in ("ravel", "flatten") or args in ([-1], [(-1,)]))
        ):
            value.shared = value.shared or name != "flatten"
            return replace_items(value, value.items, shared=name != "flatten")
        if isinstance(value, Array) and value.runs and value.ndim == 1 and args in ([-1, 1], [(-1, 1)]):
            value.shared = True
            return Array(value.kind, True, (1,), list(value.items), writable=False, shared=True)
        raise NotTraced("reshape has no rule here")

    def _cast(self, value: Any, dtype: Any) -> Numeric:
        number = lift(value)
        if number is None or dtype is None:
            raise NotTraced("a cast of what is no number has no rule")
        kind = self._dtype(dtype)
        return self.arithmetic.map(lambda x: self.arithmetic.cast(x, number.kind, kind), kind, number)

    def _dtype(self, dtype: Any) -> str:
        if isinstance(dtype, ModuleFunction):
            dtype = {"float": float, "int": int, "bool": bool}.get(dtype.name, dtype)
        return kind_of_dtype(dtype)

    def _reduce(self, name: str, value: Numeric, axis: Any, named: dict[str, Any]) -> Any:
        if set(named) - {"axis"}:
            raise NotTraced(f"{name} with {sorted(set(named) - {'axis'})} has no rule")
        if isinstance(value, Number):
            return Number(_numpy_kind(value.kind), value.value)
        if axis is None and value.runs and value.tail == () and name in ("any", "all"):
            # of the other runs nothing is known
            own = self.arithmetic.truth(value.items[0])
            if own == (name == "any"):
                return Number("b1", own)
            return Number("b1", bool(self.path.choose(f"{name} {len(self.path.trail)}", [own, not own])))
        if axis is None:
            if value.runs or len(value.tail) != 1:
                raise NotTraced(f"{name} of all runs mixes them; pass axis=1, say")
            axis = 0
        axis = self.interpreter.key(axis)
        size = value.tail[axis - value.runs if axis >= 0 else axis] if value.tail else 0
        if name in ("any", "all"):
            test = any if name == "any" else all
            return reduce_tail(
                value,
                axis,
                lambda e: test([self.arithmetic.truth(x) for x in e]),
                "b1",
            )
        if size > 7:
            raise NotTraced("a sum of more than seven entries has no rule: NumPy adds them in another order")
        kind = value.kind
        if name in ("max", "min"):
            sign = 1 if name == "max" else -1
            rule: Callable[..., Any] = lambda x, y: self.arithmetic.larger(x, y, sign)  # noqa: E731
        elif name == "sum":
            kind = "i8" if is_bool(kind) or kind in ("i1", "i2", "i4") else kind
            rule = lambda x, y: self.arithmetic.add(x, y, kind)  # noqa: E731
        else:
            raise NotTraced(f"{name} has no rule")
        return reduce_tail(value, axis, lambda e: _fold(rule, [as_number(x, value.kind) for x in e]), kind)

    # -- NumPy -----------------------------------------------------------------------------------------------

    def _numpy(self, name: str, args: list[Any], named: dict[str, Any]) -> Any:
        if "out" in named or "where" in named:
            raise NotTraced(f"np.{name} with out or where has no rule")
        if name in ("zeros", "ones", "full", "empty"):
            return self._filled(name, args, named)
        if name in ("zeros_like", "ones_like", "full_like"):
            like = lift(args[0])
            if like is None or set(named) - {"dtype"}:
                raise NotTraced(f"np.{name} has no rule here")
            (like,) = _numpy_scalars([like])
            fill = args[1] if name == "full_like" else (0 if name == "zeros_like" else 1)
            kind = self._dtype(named["dtype"]) if "dtype" in named else like.kind
            entry = self._scalar(fill)
            made = self.arithmetic.cast(entry.value, entry.kind, kind)
            return self.arithmetic.map(lambda _: made, kind, like)
        if name in ("stack", "concatenate"):
            return self._joined(name, args, named)
        if name == "broadcast_arrays":
            return self._broadcast_arrays(args)
        if name == "broadcast_to":
            return self._broadcast_to(lift(args[0]), args[1])
        if name in ("array", "asarray", "atleast_1d", "ascontiguousarray", "copy"):
            return self._array(name, args, named)
        if name in ("isfinite", "isinf", "isnan", "isposinf", "isneginf"):
            return self._test(name, self._number(args[0]))
        if name in ("sum", "max", "min", "any", "all", "amax", "amin", "prod"):
            value = args[0] if isinstance(args[0], Array | Number) else self._array("array", args[:1], {})
            axis = args[1] if len(args) > 1 else named.get("axis")
            more = {key: value for key, value in named.items() if key != "axis"}
            return self._reduce({"amax": "max", "amin": "min"}.get(name, name), value, axis, more)
        if name == "where" and len(args) == 3:
            return self._where(*args)
        if name == "select" and len(args) == 3:
            chosen = args[2]
            tests = zip(self.interpreter.items(args[0]), self.interpreter.items(args[1]), strict=True)
            for test, value in reversed(list(tests)):
                chosen = self._where(test, value, chosen)
            return chosen
        if name in ("ndim", "shape", "size"):
            return self.attribute(lift(args[0]), name)
        if name == "dtype":
            return np.dtype(self._dtype(args[0]))
        if not named and len(args) <= 3:
            numbers = [lift(a) for a in args]
            if all(n is not None for n in numbers):
                found = self._elementwise(name, [n for n in numbers if n is not None])
                if found is not None:
                    return found
        if name in _CONCRETE:
            try:
                known = [self._known(a) for a in args], {k: self._known(v) for k, v in named.items()}
                with np.errstate(all="ignore"):
                    return getattr(np, name)(*known[0], **known[1])
            except (ValueError, TypeError):
                raise Raised from None
        raise NotTraced(f"np.{name} has no rule here")

    def _elementwise(self, name: str, given: list[Numeric]) -> Any:
        a = self.arithmetic
        if all(g.kind in PYTHON for g in given):
            given = _numpy_scalars(given)
        if name in ("logical_and", "logical_or", "logical_xor", "logical_not"):
            given = [a.map(lambda x: a.truth(x), "b1", g) for g in given]
        if name in _SYMBOLS and len(given) == 2:
            return a.binary(_SYMBOLS[name], *_numpy_scalars(given))
        if name in ("maximum", "minimum", "fmax", "fmin") and len(given) == 2:
            kind = promote(*(g.kind for g in _numpy_scalars(given)))
            sign, skip = (1 if name.endswith("max") or name == "maximum" else -1), name.startswith("f")
            one, two = given
            a.check_weak(one, two, kind)

            def larger(x: Any, y: Any) -> Any:
                x, y = a.convert(x, one.kind, kind), a.convert(y, two.kind, kind)
                return a.larger(x, y, sign, skip_nan=skip)

            return a.map(larger, kind, one, two)
        if name == "clip" and len(given) == 3:
            return self._elementwise("minimum", [self._elementwise("maximum", given[:2]), given[2]])
        if len(given) != 1:
            return None
        (value,) = given
        if name != "logical_not" and (is_bool(value.kind) or value.kind in ("i1", "i2", "u1", "u2")):
            raise NotTraced(f"np.{name} of {value.kind} has no rule")
        if name == "square":
            return a.map(
                lambda x: a.multiply(as_number(x, value.kind), as_number(x, value.kind), value.kind),
                value.kind,
                value,
            )
        if name in ("abs", "absolute", "fabs"):
            kind = "int" if value.kind == "bool" else value.kind
            return a.map(lambda x: a.wrap_value(a.absolute(as_number(x, value.kind)), kind), kind, value)
        if name == "negative":
            return self.negative(value)
        if name == "logical_not":
            return a.map(lambda x: not x, "b1", value)
        if name == "sqrt":
            return a.map(lambda x: a.sqrt(a.convert(x, value.kind, "f8"), "f8"), "f8", value)
        if name == "sign":
            return a.map(lambda x: _sign(a.sign(x)), value.kind, value)
        if name in _ROUND and is_float(value.kind):
            return a.map(lambda x: a.whole(_ROUND[name], x), value.kind, value)
        return None

    def _where(self, test: Any, one: Any, two: Any) -> Any:
        a = self.arithmetic
        condition, x, y = self._number(test), self._number(one), self._number(two)
        kind = promote(*(g.kind for g in _numpy_scalars([x, y])))
        a.check_weak(x, y, kind)

        def pick(c: Any, p: Any, q: Any) -> Any:
            chosen = (p, x.kind) if a.truth(c) else (q, y.kind)
            return chosen[0] if is_bool(kind) else a.convert(*chosen, kind)

        return a.map(pick, kind, condition, x, y)

    def _number(self, value: Any) -> Numeric:
        number = lift(value)
        if number is None:
            if isinstance(value, tuple | list):
                made = self._array("array", [value], {})
                assert isinstance(made, Array | Number)
                return made
            raise NotTraced("a function of NumPy is given what is no number")
        return number

    def _scalar(self, value: Any) -> Number:
        number = self._number(value)
        if not isinstance(number, Number):
            raise NotTraced("an array stands where a number should")
        return number

    def _filled(self, name: str, args: list[Any], named: dict[str, Any]) -> Array:
        if name == "empty":
            raise NotTraced("np.empty holds whatever was there")
        if set(named) - {"shape", "fill_value", "dtype"}:
            raise NotTraced(f"np.{name} with {sorted(named)} has no rule")
        given = list(args)
        shape = given.pop(0) if given else named["shape"]
        fill = (given.pop(0) if given else named["fill_value"]) if name == "full" else int(name == "ones")
        dtype = given.pop(0) if given else named.get("dtype")
        entry = self._number(fill)
        runs, tail = self._shape_of(shape)
        default = (
            "f8" if name != "full" else {"bool": "b1", "int": "i8", "float": "f8"}.get(entry.kind, entry.kind)
        )
        kind = self._dtype(dtype) if dtype is not None else default
        blank = Array(kind, runs, tail, [Polynomial.constant(0)] * math.prod(tail))
        filled = self.shaped_like(entry, blank)
        return Array(kind, runs, tail, [self.arithmetic.cast(x, entry.kind, kind) for x in filled.items])

    def _shape_of(self, shape: Any) -> tuple[bool, tuple[int, ...]]:
        sizes = list(shape) if isinstance(shape, tuple | list) else [shape]
        runs = bool(sizes) and isinstance(sizes[0], Number) and constant_of(sizes[0]) is None
        if runs and sizes[0].value != self.runs().value:
            raise NotTraced("a length is computed from the number of runs")
        tail = tuple(operator.index(self.interpreter.key(s)) for s in sizes[runs:])
        if math.prod(tail) > 64:
            raise NotTraced("an array of more than 64 entries for each run has no rule")
        return runs, tail

    def _array(self, name: str, args: list[Any], named: dict[str, Any]) -> Any:
        value = args[0]
        dtype = args[1] if len(args) > 1 else named.get("dtype")
        if set(named) - {"dtype"}:
            raise NotTraced(f"np.{name} with {sorted(named)} has no rule")
        if isinstance(value, tuple | list):
            parts = [
                lift(v) if not isinstance(v, tuple | list) else self._array("array", [v], {}) for v in value
            ]
            numbers = [p for p in parts if p is not None]
            if len(numbers) < len(parts) or any(isinstance(p, Array) and p.runs for p in numbers):
                raise NotTraced("np.array of these entries has no rule")
            made: Any = self._stack(numbers, 0)
        else:
            made = lift(value)
            if made is None:
                raise NotTraced(f"np.{name} of what is no number has no rule")
            if isinstance(made, Array):
                if name in ("array", "copy") or (dtype is not None and self._dtype(dtype) != made.kind):
                    made = replace_items(made, made.items)
            else:
                if name == "atleast_1d":
                    made = Array(_numpy_kind(made.kind), False, (1,), [made.value])
                else:
                    made = Number(_numpy_kind(made.kind), made.value)
        if dtype is None or (self._dtype(dtype) == made.kind and name != "array"):
            return made
        return self._cast(made, dtype)

    def _stack(self, numbers: Sequence[Numeric], at: int) -> Array:
        """Arrays of one shape along a new axis after the runs."""
        numbers = _numpy_scalars(numbers)
        runs, tail, lists, _ = broadcast(*numbers)
        same = {(n.runs, n.tail) if isinstance(n, Array) else (False, ()) for n in numbers}
        if len(same) > 1:  # which raises, but for lengths that happen to agree
            raise NotTraced("arrays of several shapes are stacked")
        kind = numbers[0].kind if numbers else "f8"
        for n in numbers:
            kind = promote(kind, n.kind)
        lists = [
            [self.arithmetic.convert(x, n.kind, kind) if not is_bool(kind) else x for x in own]
            for n, own in zip(numbers, lists, strict=True)
        ]
        if not numbers:
            return Array("f8", False, (0,), [])
        count = math.prod(tail)
        if at == 0:
            items = [own[i] for own in lists for i in range(count)]
            return Array(kind, runs, (len(numbers), *tail), items)
        if at != len(tail):
            raise NotTraced("np.stack along this axis has no rule")
        items = [own[i] for i in range(count) for own in lists]
        return Array(kind, runs, (*tail, len(numbers)), items)

    def _joined(self, name: str, args: list[Any], named: dict[str, Any]) -> Any:
        if set(named) - {"axis"}:
            raise NotTraced(f"np.{name} with {sorted(named)} has no rule")
        parts = [self._number(v) for v in self.interpreter.items(args[0])]
        axis = self.interpreter.key(args[1] if len(args) > 1 else named.get("axis", 0))
        arrays = [p for p in parts if isinstance(p, Array)]
        runs = any(a.runs for a in arrays)
        if name == "concatenate":
            if (
                len(arrays) < len(parts)
                or any(a.runs != runs or len(a.tail) != 1 for a in arrays)
                or axis not in (1, -1)
                or not runs
            ):
                raise NotTraced(f"np.{name} has no rule here")
            kind = arrays[0].kind
            items = [x for a in arrays for x in a.items]
            if any(a.kind != kind for a in arrays):
                raise NotTraced(f"np.{name} of several types has no rule")
            return Array(kind, True, (len(items),), items)
        ndim = arrays[0].ndim if arrays else 0
        axis = axis + ndim + 1 if axis < 0 else axis
        if runs and axis == 0:
            raise NotTraced("np.stack puts an axis before the runs; pass axis=1")
        return self._stack(parts, axis - runs)

    def _broadcast_arrays(self, args: list[Any]) -> Any:
        numbers = [self._number(a) for a in args]
        runs, tail, lists, is_array = broadcast(*numbers)
        if not is_array:
            return tuple(Number(_numpy_kind(n.kind), n.value) for n in numbers if isinstance(n, Number))
        for n in numbers:
            if isinstance(n, Array):
                n.shared = True
        return tuple(
            Array(_numpy_kind(n.kind), runs, tail, list(own), writable=False, shared=True)
            for n, own in zip(numbers, lists, strict=True)
        )

    def _broadcast_to(self, value: Numeric | None, shape: Any) -> Array:
        if value is None:
            raise NotTraced("np.broadcast_to of what is no number")
        runs, tail = self._shape_of(shape)
        blank = Array(_numpy_kind(value.kind), runs, tail, [Polynomial.constant(0)] * math.prod(tail))
        made = self.shaped_like(value, blank)
        if isinstance(value, Array):
            value.shared = True
        return Array(_numpy_kind(value.kind), runs, tail, made.items, writable=False, shared=True)

    def _test(self, name: str, value: Numeric) -> Numeric:
        tests: dict[str, Callable[[float], bool]] = {
            "isfinite": math.isfinite, "isinf": math.isinf, "isnan": math.isnan,
            "isposinf": lambda x: x == math.inf, "isneginf": lambda x: x == -math.inf,
        }  # fmt: skip
        return self.arithmetic.map(
            lambda x: tests[name](0.0 if isinstance(x, Polynomial | bool) else x), "b1", value
        )

    # -- math and the builtins ---------------------------------------------------------------------------------

    def _math(self, name: str, args: list[Any], named: dict[str, Any]) -> Any:
        known = [constant_of(a) for a in args]
        if all(k is not None for k in known) and not named and name != "fsum":
            try:
                return getattr(math, name)(*known)
            except (ValueError, OverflowError, TypeError):
                raise Raised from None
        a = self.arithmetic
        if len(args) == 1 and name in ("ceil", "floor", "trunc"):
            number = self._one(args[0])
            if not isinstance(number.value, Polynomial) and not is_bool(number.kind):
                raise Raised
            return Number("int", a.whole(name, as_number(number.value, number.kind)))
        if len(args) == 1 and name in ("isfinite", "isinf", "isnan"):
            tested = self._test(name, self._one(args[0]))
            assert isinstance(tested, Number)
            return tested.value
        if len(args) == 1 and name == "sqrt":
            number = self._one(args[0])
            return Number("float", a.sqrt(a.convert(number.value, number.kind, "float"), "float"))
        if len(args) == 1 and name == "fabs":
            number = self._one(args[0])
            return Number("float", a.absolute(a.convert(number.value, number.kind, "float")))
        raise NotTraced(f"math.{name} has no rule for numbers that are not known")

    def _one(self, value: Any) -> Number:
        """A number, or the one entry of an array of one run: of several it raises."""
        number = lift(value)
        if isinstance(number, Array) and len(number.items) == 1:
            return Number(number.kind, number.items[0])
        if not isinstance(number, Number):
            raise Raised
        return number

    def _builtin(self, name: str, args: list[Any], named: dict[str, Any]) -> Any:
        own = self.interpreter
        if name == "hasattr" and isinstance(
            args[0], bool | int | float | str | tuple | list | dict | np.ndarray
        ):
            return hasattr(args[0], args[1])
        if name in ("isinstance", "type", "len"):
            return self._about(name, args)
        if name in (
            "tuple",
            "list",
            "set",
            "frozenset",
            "sorted",
            "reversed",
            "enumerate",
            "zip",
            "range",
            "dict",
        ):
            return self._sequence(name, args, named)
        if name == "map":
            groups = zip(*map(own.items, args[1:]), strict=False)
            return own.own(OneShot(own.call(args[0], list(group), {}) for group in groups))
        if name in ("any", "all"):
            return (any if name == "any" else all)(own.truth(x) for x in own.items(args[0]))
        if name == "sum":
            total: Any = args[1] if len(args) > 1 else named.get("start", 0)
            for x in own.items(args[0]):
                total = own.binary("+", total, x)
            return total
        if name in ("max", "min"):
            return self._extreme(name, args, named)
        if name in ("float", "int", "bool") and not args:
            return {"float": 0.0, "int": 0, "bool": False}[name]
        if name == "bool":
            return own.truth(args[0])
        if name in ("float", "int"):
            if len(args) > 1 or named:
                raise NotTraced(f"{name}() of several arguments has no rule")
            if isinstance(args[0], str):
                return float(args[0]) if name == "float" else int(args[0])
            number = self._one(args[0])
            return Number(name, self.arithmetic.cast(number.value, number.kind, name))
        if name == "abs":
            value, a = self._number(args[0]), self.arithmetic
            kind = "int" if value.kind == "bool" else value.kind
            return a.map(lambda x: a.wrap_value(a.absolute(as_number(x, value.kind)), kind), kind, value)
        if name == "round" and len(args) == 1:
            number = self._one(args[0])
            return Number("int", self.arithmetic.whole("rint", as_number(number.value, number.kind)))
        raise NotTraced(f"{name}() has no rule here")

    def _about(self, name: str, args: list[Any]) -> Any:
        value = args[0]
        if name == "len":
            if isinstance(value, np.ndarray):
                return len(value)
            if isinstance(value, Array):
                return self.runs() if value.runs else value.tail[0]
            if getattr(getattr(value, "kind", None), "style", "") == "namedtuple":
                return len(value.values)
            if isinstance(value, str | tuple | list | dict | frozenset | range):
                return len(value)
            raise NotTraced("len() has no rule here")
        if name == "type":
            if isinstance(value, Request):
                return ClassOf(value)
            raise NotTraced("type() of what is no request has no rule")
        kinds = args[1] if isinstance(args[1], tuple) else (args[1],)
        kinds = tuple(
            k for kind in kinds for k in (get_args(kind) if isinstance(kind, UnionType) else (kind,))
        )
        if isinstance(value, Request):
            return value.is_instance(kinds)
        return any(self._is_instance(value, kind) for kind in kinds)

    def _is_instance(self, value: Any, kind: Any) -> bool:
        name = kind.name if isinstance(kind, ModuleFunction) else getattr(kind, "__name__", "")
        if name == "ndarray":
            return isinstance(value, Array | np.ndarray)
        number = lift(value)
        if isinstance(number, Array):
            if name in ("float", "int", "bool", "str", "tuple", "list", "dict"):
                return False
        elif isinstance(number, Number):
            if name == "float":
                return is_float(number.kind)
            if name == "bool":
                return number.kind == "bool"
            if name == "int":
                return number.kind in ("int", "bool")
            if name in ("str", "tuple", "list", "dict"):
                return False
        elif name in ("str", "tuple", "list", "dict", "float", "int", "bool"):
            native = {"str": str, "tuple": tuple, "list": list, "dict": dict}.get(name)
            record = getattr(getattr(value, "kind", None), "style", "")
            if native is not None and (isinstance(value, native) or record):
                return isinstance(value, native) or (name == "tuple" and record == "namedtuple")
            return False
        elif value is None:
            return False
        if hasattr(kind, "order") and hasattr(getattr(value, "kind", None), "order"):
            return kind in value.kind.order()
        raise NotTraced(f"isinstance(..., {name}) has no rule here")

    def _sequence(self, name: str, args: list[Any], named: dict[str, Any]) -> Any:
        own = self.interpreter
        if name == "range":
            return range(*(operator.index(own.key(a)) for a in args))
        if name == "dict":
            base = dict(args[0]) if args and isinstance(args[0], dict) else {}
            if args and not isinstance(args[0], dict):
                base = {own.key(k): v for k, v in map(own.items, own.items(args[0]))}
            return own.own(base | named)
        if args and isinstance(args[0], frozenset) and name in ("set", "frozenset"):
            return args[0]
        if name == "zip":
            return own.own(OneShot(_zipped([own.items(a) for a in args], bool(named.get("strict")))))
        if name == "enumerate":
            first = own.key(args[1] if len(args) > 1 else named.get("start", 0))
            return own.own(OneShot((first + i, item) for i, item in enumerate(own.items(args[0]))))
        items = list(own.items(args[0])) if args else []
        if name == "reversed":
            return own.own(OneShot(items[::-1]))
        if name == "sorted":
            if named or any(not isinstance(own.key(i), int | float | str) for i in items):
                raise NotTraced("sorted() has no rule here")
            return own.own(sorted(map(own.key, items)))
        if name in ("set", "frozenset"):
            return frozenset(map(own.key, items))
        return tuple(items) if name == "tuple" else own.own(items)

    def _extreme(self, name: str, args: list[Any], named: dict[str, Any]) -> Any:
        own = self.interpreter
        given = list(own.items(args[0])) if len(args) == 1 else list(args)
        if set(named) - {"default"}:
            raise NotTraced(f"{name}() with a key has no rule")
        if not given:
            if "default" in named:
                return named["default"]
            raise Raised
        best = given[0]
        for one in given[1:]:  # as Python does it: the first stays unless another is larger
            if own.truth(own.binary(">" if name == "max" else "<", one, best)):
                best = one
        return best


def _zipped(lists: Sequence[Iterable[Any]], strict: bool) -> Iterator[tuple[Any, ...]]:
    try:
        yield from zip(*lists, strict=strict)
    except ValueError:
        raise Raised from None


def replace_fields(record: Any, named: dict[str, Any]) -> Any:
    """dataclasses.replace."""
    if getattr(record, "kind", None) is None or record.kind.lookup("__post_init__") is not None:
        raise NotTraced("dataclasses.replace has no rule here")
    if set(named) - set(record.values):
        raise Raised
    return replace(record, values=record.values | named)


def replace_items(array: Numeric, items: list[Any], shared: bool = False) -> Array:
    assert isinstance(array, Array)
    return Array(array.kind, array.runs, array.tail, list(items), writable=not shared, shared=shared)


def _fold(rule: Callable[[Any, Any], Any], entries: Sequence[Any]) -> Any:
    if not entries:
        raise NotTraced("nothing is reduced")
    total = entries[0]
    for entry in entries[1:]:
        total = rule(total, entry)
    return total


def _sign(sign: int | None) -> Any:
    return math.nan if sign is None else Polynomial.constant(sign)


def _numpy_kind(kind: str) -> str:
    return {"bool": "b1", "int": "i8", "float": "f8"}.get(kind, kind)


def _python_kind(kind: str) -> str:
    return "bool" if is_bool(kind) else "float" if is_float(kind) else "int"


def _numpy_scalars(given: Sequence[Numeric]) -> list[Numeric]:
    """Python's numbers as NumPy's functions see them, where no array decides the kind."""
    if any(g.kind not in PYTHON for g in given):
        return list(given)
    return [Number(_numpy_kind(g.kind), g.value) if isinstance(g, Number) else g for g in given]


def _is_family(kind: Any) -> bool:
    return getattr(kind, "__name__", None) in FAMILIES and isinstance(kind, type)


__all__ = ["BUILTINS", "RUNS", "Functions", "ModuleFunction", "Opaque"]
