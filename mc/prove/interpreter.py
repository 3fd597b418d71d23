"""The hooks that rewritten code calls: operations on traced values, by rules; what has none raises NotTraced."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from dataclasses import dataclass, field
from enum import EnumType
from functools import partial
from types import CodeType, FunctionType, MethodType, NoneType, UnionType
from typing import Any, NoReturn

import numpy as np

from filterproof.filters.contract.filter_base import FilterBase
from filterproof.mc.prove import ledger_rules as ledger
from filterproof.mc.prove import numpy_arrays, numpy_rules, objects, python_rules
from filterproof.mc.prove.arithmetic import NATIVE, Arithmetic
from filterproof.mc.prove.paths import NotTraced, Path, Raised
from filterproof.mc.prove.polynomials import Polynomial
from filterproof.mc.prove.requests import ClassOf, Request
from filterproof.mc.prove.rewriting import FILE, rewrite_with_hooks
from filterproof.mc.prove.source import (
    TRACED,
    check_class,
    is_enum_member,
    is_traced,
    refuse_own_container,
    user_classes,
)
from filterproof.mc.prove.values import (
    INTEGERS,
    Array,
    Number,
    RuleFunction,
    SingleUse,
    UnreadText,
    constant_of,
    elementwise,
    entry_as_number,
    is_bool_kind,
    is_float_kind,
    lift,
)

RULES = numpy_rules.RULES | python_rules.RULES | ledger.RULES
MAX_DEPTH = 40
_CONTAINER_OPERATIONS = {
    ("+", tuple, tuple), ("+", list, list), ("*", tuple, int), ("*", list, int), ("|", dict, dict),
}  # fmt: skip


@dataclass
class Interpreter:
    """The hooks that rewritten user code calls, along one path of the trace."""

    path: Path
    depth: int = 0
    #: What was made on this path, by its id, and may be written to.
    fresh: dict[int, Any] = field(default_factory=dict)
    _rewritten: dict[FunctionType, FunctionType] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.arithmetic = Arithmetic(self.path)

    def number_of_runs(self) -> Array:
        """Return the number of runs as a traced integer of unknown value."""
        place = next(i for i, a in enumerate(self.path.atoms) if a.kind == "runs")
        return Number("int", Polynomial.atom(place))

    # -- statements ----------------------------------------------------------------------------------------

    def tick(self, line: int) -> None:
        """Count a statement of the user's code; too many raise NotTraced."""
        self.path.tick(line)

    def refuse(self, reason: str) -> NoReturn:
        raise NotTraced(reason)

    def fail(self, error: Any) -> NoReturn:
        """Raise an error of a class, which nothing in the traced code catches."""
        if not isinstance(error, type) or issubclass(error, StopIteration):
            raise NotTraced("an error that ends an iterator, or one that is no class, has no rule")
        raise Raised

    def asserts(self) -> bool:
        """Whether assertions are evaluated: with python -O they are not, so that they prove nothing."""
        return bool(self.path.choose("assertions are evaluated", [True, False]))

    def class_parts(self, subject: Any, kind: Any, positional: int, *names: str) -> list[Any] | None:
        """Return the attributes that a class pattern reads; None where the subject is of another class."""
        if not isinstance(kind, type):
            raise Raised
        if not python_rules.is_instance(self, subject, kind):
            return None
        if positional and kind in (bool, int, float, str, tuple, list, dict):
            raise NotTraced("a pattern of a builtin class with a pattern inside has no rule")
        try:
            own = getattr(kind, "__match_args__", ())[:positional]
            return [self.attribute(subject, name) for name in (*own, *[""] * (positional - len(own)), *names)]
        except Raised:
            raise NotTraced("a pattern reads an attribute that is not there, or raises") from None

    def check_context_manager(self, function: Any) -> None:
        """Raise NotTraced for a with statement other than np.errstate."""
        if function is not np.errstate:
            raise NotTraced("a with statement other than np.errstate has no rule")

    def mark_fresh(self, value: Any) -> Any:
        """Mark a list, a dict or an iterator as made on this path, so that code may change it."""
        self.fresh[id(value)] = value
        return value

    def unpack(self, value: Any, count: int) -> list[Any]:
        items = list(self.items(value))
        if len(items) != count:
            raise Raised
        return items

    def set_item(self, thing: Any, index: Any, value: Any) -> None:
        """Do thing[index] = value."""
        if isinstance(thing, Array):
            numpy_arrays.set_item(self, thing, index, value)
        elif not isinstance(thing, dict | list) or id(thing) not in self.fresh:
            raise NotTraced("code writes into an object that outlives the call, or has no rule")
        else:
            try:
                thing[self.key(index)] = value
            except (IndexError, TypeError):
                raise Raised from None

    def set_attribute(self, thing: Any, name: str, value: Any) -> None:
        is_computed = hasattr(type(inspect.getattr_static(type(thing), name, None)), "__set__")
        if id(thing) not in self.fresh or is_computed:  # it is a plain instance that is being made
            raise NotTraced(f"an attribute is written ({name})")
        setattr(thing, name, value)

    def augmented_value(self, symbol: str, old: Any, value: Any) -> Any:
        """Return what `old symbol= value` binds to the name; an array is changed in place."""
        if isinstance(old, list) and id(old) in self.fresh and symbol == "+":
            old.extend(self.items(value))
            return old
        is_array = isinstance(old, list | dict | set | np.ndarray) or (isinstance(old, Array) and old.box)
        if is_array or hasattr(old, "__i" + objects.SPECIAL.get(symbol, "__or__")[2:]):
            raise NotTraced("a list, an array or an object that may outlive the call is changed in place")
        result = self.binary(symbol, old, value)
        if not isinstance(old, Array) or not old.ndim:
            return result
        new = numpy_arrays.to_traced_array(self, result)
        if (is_float_kind(new.kind) and not is_float_kind(old.kind)) or is_bool_kind(
            old.kind
        ) != is_bool_kind(new.kind):
            raise Raised  # NumPy does not cast back
        numpy_arrays.set_item(self, old, slice(None), new)
        return old

    # -- expressions ---------------------------------------------------------------------------------------

    def unary(self, symbol: str, value: Any) -> Any:
        if (lifted := lift(value)) is None:
            raise NotTraced("a sign of what is no number has no rule")
        number = numpy_arrays.to_traced_array(self, lifted)
        if symbol == "-":
            return python_number_if_known(self.arithmetic.negative(number))
        if symbol == "~":
            if number.kind == "bool":  # Python's ~True is -2
                self.path.differs = True
                return ~int(number.value)
            if number.kind != "b1":
                raise NotTraced("~ of integers has no rule")
            return elementwise(operator.not_, "b1", number)
        if number.kind == "bool":
            return python_number_if_known(Number("int", entry_as_number(number.value)))
        return python_number_if_known(
            Array.of(number.kind, number.runs, number.data.copy())
        )  # a copy, as of NumPy

    def binary(self, symbol: str, left: Any, right: Any) -> Any:
        kinds = type(left), type(right)
        if set(kinds) <= {bool, int, float, str} and symbol in NATIVE:
            if symbol == "**" and not (isinstance(left, float) or (abs(left) < 1e6 and 0 <= right <= 64)):
                raise NotTraced("a large power has no rule")
            if bool in kinds and symbol not in ("&", "|", "^", "==", "!="):
                self.path.differs = True
            if symbol in "*%" and str in kinds:
                raise NotTraced("a text that is repeated or formatted has no rule")
            try:
                return NATIVE[symbol](left, right)
            except (TypeError, ValueError, ArithmeticError):
                self.path.differs = True
                raise Raised from None
        if (symbol, *kinds) in _CONTAINER_OPERATIONS:
            return self.mark_fresh(NATIVE[symbol](left, right))
        if symbol == "|" and isinstance(left, type | UnionType) and isinstance(right, type):
            return left | right
        if (method := objects.special_method(left, objects.SPECIAL.get(symbol), right)) is not None:
            if (result := self.call(method, [right], {})) is NotImplemented:
                raise NotTraced(f"the operator {symbol} of {kinds[0].__name__} is not implemented")
            return result
        a, b = lift(left), lift(right)
        if symbol == "@":
            return self.call(np.matmul, [left, right], {})
        if a is None or b is None:
            raise NotTraced(
                f"the operator {symbol} of {kinds[0].__name__} and {kinds[1].__name__} has no rule"
            )
        return python_number_if_known(self.arithmetic.binary(symbol, a, b))

    def compare(self, symbol: str, left: Any, right: Any) -> Any:
        if symbol in ("in", "not in"):
            return self._within(left, right) == (symbol == "in")
        if symbol in ("==", "!=", "is", "is not"):
            same = self._same_object_or_none(left, right, symbol[:2] == "is")
            if same is not None:
                return same == (symbol in ("==", "is"))
        return self.binary(symbol, left, right)

    def _same_object_or_none(self, left: Any, right: Any, identity: bool) -> bool | None:
        """Whether classes, names or Nones are the same; None for numbers, which compare by value."""
        if isinstance(left, ClassOf) or isinstance(right, ClassOf):
            class_of, other = (left, right) if isinstance(left, ClassOf) else (right, left)
            return bool(class_of.matches(other))
        if left is None or right is None:
            other = right if left is None else left
            if not identity and (isinstance(other, Array | np.ndarray) or user_classes(type(other))):
                raise NotTraced("an array, or an object of one's own, is compared with None")
            return left is right
        if isinstance(left, type) and isinstance(right, type):
            check_class(left)
            check_class(right)
            return left is right
        if is_enum_member(left) and is_enum_member(right):
            return left is right
        if isinstance(left, tuple) and isinstance(right, tuple) and not identity:
            refuse_own_container(left)
            refuse_own_container(right)
            pairs = zip(left, right, strict=False)
            return len(left) == len(right) and all(self._same_item(*pair) for pair in pairs)
        if isinstance(left, np.dtype) or isinstance(right, np.dtype):
            return bool(np.dtype(left) == np.dtype(right))
        if isinstance(left, Request) or isinstance(right, Request) or identity:
            raise NotTraced("the identity of objects, or a request beside an object, has no rule")
        return None

    def _within(self, value: Any, container: Any) -> bool:
        """Whether a value is in a container, by comparison with each member."""
        if not isinstance(container, tuple | list | frozenset | set | dict):
            raise NotTraced(f"membership in {type(container).__name__} has no rule")
        refuse_own_container(container)
        members = sorted(container, key=str) if isinstance(container, frozenset | set) else container
        return any(self._same_item(value, member) for member in members)

    def _same_item(self, left: Any, right: Any) -> bool:
        """Whether items of containers are equal; Python takes one object for equal to itself, also NaN and arrays."""
        for number in map(lift, (left, right)):
            if number is not None and (not number.is_scalar or number.value != number.value):
                raise NotTraced("a NaN or an array in a container that is compared has no rule")
        return self.truth(self.compare("==", left, right))

    def truth(self, value: Any, position: tuple[int, int] | None = None) -> bool:
        """bool(value); of an array, of its one run and entry, since it raises for several."""
        self.path.position = position or self.path.position
        if (array := lift(value)) is not None:
            if array.data.size != 1:
                raise Raised if array.data.size else NotTraced("the truth of an empty array has no rule")
            return bool(
                self.path.visit(self.arithmetic.truth(numpy_arrays.to_traced_array(self, array).items[0]))
            )
        if value is None or isinstance(value, str | tuple | list | dict | frozenset | set):
            refuse_own_container(value)
            return bool(self.path.visit(bool(value)))
        raise NotTraced(f"the truth of {type(value).__name__} has no rule")

    def key(self, value: Any) -> Any:
        """A key of a dict or an index of a list: known, or a class."""
        if isinstance(value, tuple):
            return tuple(map(self.key, value))
        constant = value.known if isinstance(value, ClassOf) else constant_of(value)
        known = type(constant) in (bool, int, float, str, frozenset, NoneType) and constant == constant
        if isinstance(constant, type):
            check_class(constant)
        elif not (known or is_enum_member(constant)) or (isinstance(value, Array) and constant is None):
            raise NotTraced("a key or an index is not known, is NaN, or is an object")
        return constant

    def set_of(self, items: Iterable[Any]) -> set[Any]:
        return set(map(self.key, items))

    def unpacked_mapping(self, value: Any) -> dict[Any, Any]:
        """Return the mapping of a ** unpacking; raise NotTraced unless it is a dict."""
        refuse_own_container(value)
        if not isinstance(value, dict):
            raise NotTraced("** unpacks what is no dict, which has no rule")
        return value

    def text(self, *parts: Any) -> str | UnreadText:
        return "".join(map(str, parts)) if all(type(p) in (str, int, bool) for p in parts) else UnreadText()

    def formatted(self, value: Any, form: Any) -> UnreadText:
        """Return a text that nothing reads; arrays take no format."""
        if form and not (isinstance(value, Array | float) and isinstance(form, str) and form[-1] in "efg%"):
            raise NotTraced("this format has no rule")
        if form and isinstance(value, Array) and value.ndim:
            raise Raised
        return UnreadText()

    def slice(self, *ends: Any) -> Any:
        return slice(*(None if end is None else self.key(end) for end in ends))

    def one_shot(self, rest: Iterator[Any]) -> SingleUse:
        return python_rules.fresh_iterator(self, rest)  # type: ignore[no-any-return]

    def item(self, thing: Any, index: Any) -> Any:
        if isinstance(thing, dict):
            return python_rules.dict_item(self, thing, index)
        if isinstance(thing, Array | np.ndarray):
            return python_number_if_known(
                numpy_arrays.index(self, numpy_arrays.to_traced_array(self, thing), index)
            )
        if not isinstance(thing, tuple | list | str):
            raise NotTraced(f"an item of {type(thing).__name__} has no rule")
        refuse_own_container(thing)
        if isinstance(index, Array) and (index.kind not in ("int", *INTEGERS) or index.ndim):
            raise NotTraced("an index that is no integer has no rule")
        if isinstance(index, Array) and constant_of(index) is None:
            return numpy_arrays.entry_at_unknown_index(self, list(thing), entry_as_number(index.value))
        try:
            return thing[index if isinstance(index, slice) else operator.index(self.key(index))]
        except (IndexError, TypeError):
            raise Raised from None

    def items(self, value: Any) -> Iterable[Any]:
        """Return the items that a loop over a value sees."""
        refuse_own_container(value)
        if isinstance(value, list):
            return value  # it may grow meanwhile
        if isinstance(value, dict | KeysView | ValuesView | ItemsView):
            return live_items(value)
        if isinstance(value, tuple | str | range) or type(value) is EnumType:
            return list(value)
        if isinstance(value, SingleUse):
            if value.taken or id(value) not in self.fresh:
                raise NotTraced("an iterator is used twice, or outlives the call")
            value.taken = True
            return value.rest
        array = lift(value) if isinstance(value, Array | np.ndarray) else None
        if array is not None and not array.runs and array.ndim:
            return [self.item(array, i) for i in range(array.data.shape[0])]
        raise NotTraced(f"a loop over {type(value).__name__} has no rule")

    def attribute(self, thing: Any, name: str) -> Any:
        return objects.attribute(self, thing, name)

    # -- calls ---------------------------------------------------------------------------------------------

    def super(self, kind: type, first: Any) -> Any:
        return super(kind, first)

    def call(
        self, function: Any, args: list[Any], named: dict[str, Any], position: tuple[int, int] | None = None
    ) -> Any:
        self.path.position = position or self.path.position
        return python_number_if_known(self._dispatch_call(function, args, named))

    def _dispatch_call(self, function: Any, args: list[Any], named: dict[str, Any]) -> Any:
        """Call a function by a rule, by its rewritten code, or directly on known values."""
        if isinstance(function, MethodType):
            return self._dispatch_call(function.__func__, [function.__self__, *args], named)
        if type(function) is partial:
            return self._dispatch_call(function.func, [*function.args, *args], function.keywords | named)
        name = getattr(function, "__name__", type(function).__name__)
        if isinstance(function, RuleFunction):
            return self._by_rule(function.call, function.name, args, named)
        if isinstance(function, FunctionType) and function.__code__.co_filename == FILE:
            return self._run(function, args, named)
        if (method := objects.special_method(function, "__call__")) is not None:
            return self._dispatch_call(method, args, named)
        if function in (FilterBase.observe, object.__init__):
            return args[1] if function is FilterBase.observe else None
        if (rule := ledger.call_rule_for_charge_rule(function)) is not None:
            return self._by_rule(partial(rule, self), name, args, named)
        if not callable(function) or getattr(type(function), "__hash__", None) is None:
            raise NotTraced(f"a call of {name} has no rule")
        if function in python_rules.KNOWN and all(map(is_known_constant, args)) and not named:
            return python_rules.call_on_known_values(function, args, named)
        if function in RULES:
            return self._by_rule(partial(RULES[function], self), name, args, named)
        if is_traced(function):
            if function not in self._rewritten:
                self._rewritten[function] = rewrite_with_hooks(function, self)
            before = self.path.file, self.path.line, self.path.position
            if function.__module__ not in TRACED:  # it is the user's line that says where
                self.path.file = function.__code__.co_filename
            result = self._run(self._rewritten[function], args, named)
            self.path.file, self.path.line, self.path.position = before
            return result
        if isinstance(function, type) and issubclass(function, np.generic):
            return self._by_rule(partial(numpy_arrays.scalar, self, function), name, args, named)
        if isinstance(function, type) and user_classes(function):
            return objects.new_instance(self, function, args, named)
        if function in python_rules.KNOWN or python_rules.is_defined_by_library(function):
            return python_rules.call_on_known_values(function, args, named)
        raise NotTraced(f"{name} has no rule")

    def _by_rule(self, rule: Callable[..., Any], name: str, args: list[Any], named: Mapping[str, Any]) -> Any:
        """Apply a rule to arguments; raise NotTraced for arguments that it does not take."""
        try:
            inspect.signature(rule).bind(*args, **named)
        except TypeError as error:
            raise NotTraced(f"{name} has no rule for these arguments: {error}") from None
        return rule(*args, **named)

    def _run(self, function: FunctionType, args: list[Any], named: dict[str, Any]) -> Any:
        """Run a rewritten function; what it has no rule for raises NotTraced."""
        code: CodeType = function.__code__
        if code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
            raise NotTraced("a generator has no rule")
        try:
            inspect.signature(function).bind(*args, **named)
        except TypeError:
            raise Raised from None
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise NotTraced("the code calls itself too deeply")
        try:
            result = function(*args, **named)
        except NameError as error:
            raise NotTraced(str(error)) from None
        self.depth -= 1
        return result


def live_items(container: Iterable[Any]) -> Iterator[Any]:
    """Yield the items of a dict or of a view of it, which the loop may change."""
    try:
        yield from container
    except RuntimeError:  # its size has changed
        raise Raised from None


def is_known_constant(value: Any) -> bool:
    """Whether a value is a number, or an array without runs, with all entries known."""
    array = value if isinstance(value, Array) else None
    if array is None:
        return isinstance(value, bool | int | float | np.generic | np.ndarray)
    return not array.runs and all(not isinstance(e, Polynomial) or e.value is not None for e in array.items)


def python_number_if_known(value: Any) -> Any:
    """Return a known traced Python number as that number, and any other value unchanged."""
    if isinstance(value, Array) and value.kind in ("bool", "int", "float"):
        constant = constant_of(value)
        return value if constant is None else constant
    return value
