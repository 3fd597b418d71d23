"""An interpreter of the part of Python that filters are written in, over traced numbers.

What has no rule raises NotTraced with the line: nothing is guessed, and no code of the user runs.
"""

from __future__ import annotations

import ast
import importlib
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import UnionType
from typing import Any

import numpy as np

from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.prove.functions import BUILTINS, LIBRARY, Functions, ModuleFunction, OneShot, Opaque
from filterproof.mc.prove.paths import NotTraced, Path, Raised
from filterproof.mc.prove.polynomials import Polynomial
from filterproof.mc.prove.requests import ClassOf, NameOf, Request, Swapped
from filterproof.mc.prove.source import Source, imported_names, root_name
from filterproof.mc.prove.values import Arithmetic, Array, Number, constant_of, is_bool, is_float, lift

OPERATORS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Mod: "%", ast.FloorDiv: "//", ast.Pow: "**",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>", ast.MatMult: "@",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip
_NATIVE: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "%": operator.mod,
    "//": operator.floordiv, "**": operator.pow, "&": operator.and_, "|": operator.or_, "^": operator.xor,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq,
    "!=": operator.ne,
}  # fmt: skip
#: Modules that a file may use, each of which has rules.
MODULES = (
    "numpy",
    "math",
    "filterproof",
    "typing",
    "dataclasses",
    "__future__",
    "fractions",
    "collections.abc",
    "numpy.typing",
    "abc",
)


@dataclass(eq=False)
class Module:
    """An imported module."""

    name: str


@dataclass(eq=False)
class Unknown:
    """A name of the user's module whose value has no rule."""

    reason: str
    line: int


@dataclass(eq=False)
class UserClass:
    """A class of the user's file."""

    node: ast.ClassDef
    bases: tuple[Any, ...]
    members: dict[str, Any]
    style: str = "plain"
    fields: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.node.name

    def order(self) -> list[Any]:
        """The classes in the order in which names are looked up; several bases have a rule if they share none."""
        found: list[Any] = [self]
        for base in self.bases:
            found += base.order() if isinstance(base, UserClass) else [base]
        return found

    def lookup(self, name: str, after: Any = None) -> Any:
        order = self.order()
        for kind in order[order.index(after) + 1 if after is not None else 0 :]:
            if isinstance(kind, UserClass) and name in kind.members:
                return kind.members[name]
        return None


@dataclass(eq=False)
class Function:
    """A function of the user's file."""

    node: ast.FunctionDef | ast.Lambda
    scope: Mapping[str, Any]
    defaults: dict[str, Any]
    owner: UserClass | None = None
    style: str = "plain"


@dataclass(eq=False)
class Bound:
    """A function with its first argument."""

    function: Function
    first: Any


@dataclass(eq=False)
class Record:
    """An instance of a user's class: a filter, a named tuple or a data class."""

    kind: UserClass
    values: dict[str, Any]
    writable: bool = False


@dataclass(eq=False)
class Super:
    """super() in a method."""

    owner: UserClass
    first: Any


@dataclass(eq=False)
class ClassMethod:
    """A method that a record has by its class: _replace, _asdict."""

    record: Record
    name: str


class Scope(dict[str, Any]):
    """Names of a call, and of what is around it."""

    def __init__(self, outer: Mapping[str, Any]) -> None:
        super().__init__()
        self.outer = outer
        self.is_comprehension = False

    def find(self, name: str) -> Any:
        if name in self:
            return self[name]
        if isinstance(self.outer, Scope):
            return self.outer.find(name)
        if name in self.outer:
            return self.outer[name]
        if name in BUILTINS:
            return ModuleFunction("builtins", name)
        raise NotTraced(f"the name {name} has no rule")


@dataclass
class Interpreter:
    """Runs functions of a file along one path."""

    path: Path
    #: The module, while its statements are read.
    tree: ast.Module = field(default_factory=lambda: ast.Module([], []))
    depth: int = 0
    fresh: dict[int, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.arithmetic = Arithmetic(self.path)
        self.functions = Functions(self)

    # -- statements ------------------------------------------------------------------------------------

    def run(self, body: list[ast.stmt], scope: Scope) -> tuple[str, Any] | None:
        for statement in body:
            self.path.tick(statement.lineno)
            rule = getattr(self, f"_{type(statement).__name__}", None)
            if rule is None:
                raise NotTraced(f"the statement {type(statement).__name__} has no rule", statement.lineno)
            if (signal := rule(statement, scope)) is not None:
                return signal  # type: ignore[no-any-return]
        return None

    def _Pass(self, node: ast.Pass, scope: Scope) -> None:
        return None

    def _Expr(self, node: ast.Expr, scope: Scope) -> None:
        if not isinstance(node.value, ast.Constant):
            self.value(node.value, scope)

    def _Return(self, node: ast.Return, scope: Scope) -> tuple[str, Any]:
        return "return", None if node.value is None else self.value(node.value, scope)

    def _Break(self, node: ast.Break, scope: Scope) -> tuple[str, Any]:
        return "break", None

    def _Continue(self, node: ast.Continue, scope: Scope) -> tuple[str, Any]:
        return "continue", None

    def _Raise(self, node: ast.Raise, scope: Scope) -> None:
        raise Raised

    def _Assign(self, node: ast.Assign, scope: Scope) -> None:
        value = self.value(node.value, scope)
        for target in node.targets:
            self.assign(target, value, scope)

    def _AnnAssign(self, node: ast.AnnAssign, scope: Scope) -> None:
        if node.value is not None:
            self.assign(node.target, self.value(node.value, scope), scope)

    def _AugAssign(self, node: ast.AugAssign, scope: Scope) -> None:
        accountant: Any = None
        index: Any = None
        if isinstance(node.target, ast.Subscript):
            accountant, index = self.value(node.target.value, scope), self._index(node.target.slice, scope)
            shared = accountant.shared if isinstance(accountant, Array) else False
            old = simple(self.item(accountant, index))
            if isinstance(accountant, Array):  # the view lives no longer than this statement
                accountant.shared = shared
        else:
            old = self.value(_loaded(node.target), scope)
        if isinstance(old, list) and id(old) in self.fresh and isinstance(node.op, ast.Add):
            old.extend(self.items(self.value(node.value, scope)))
            return
        if isinstance(old, list | np.ndarray):
            raise NotTraced("a list or an array that outlives the call is changed in place")
        result = self.binary(OPERATORS[type(node.op)], old, self.value(node.value, scope))
        if isinstance(accountant, Array):
            self._store(accountant, index, result)
        elif isinstance(old, Array):
            self.write(old, result)
        elif accountant is not None:
            self._store(accountant, index, result)
        else:
            self.assign(node.target, simple(result), scope)

    def _If(self, node: ast.If, scope: Scope) -> tuple[str, Any] | None:
        return self.run(node.body if self.truth(self.value(node.test, scope)) else node.orelse, scope)

    def _For(self, node: ast.For, scope: Scope) -> tuple[str, Any] | None:
        for item in self.items(self.value(node.iter, scope)):
            self.assign(node.target, item, scope)
            signal = self.run(node.body, scope)
            if signal is not None and signal[0] == "return":
                return signal
            if signal is not None and signal[0] == "break":
                return None
        return self.run(node.orelse, scope)

    def _While(self, node: ast.While, scope: Scope) -> tuple[str, Any] | None:
        while self.truth(self.value(node.test, scope)):
            self.path.tick(node.lineno)
            signal = self.run(node.body, scope)
            if signal is not None and signal[0] == "return":
                return signal
            if signal is not None and signal[0] == "break":
                return None
        return self.run(node.orelse, scope)

    def _With(self, node: ast.With, scope: Scope) -> tuple[str, Any] | None:
        for item in node.items:
            call = item.context_expr
            made = self.value(call.func, scope) if isinstance(call, ast.Call) else None
            if not (isinstance(made, ModuleFunction) and made.name == "errstate"):
                raise NotTraced("a with statement other than np.errstate has no rule", node.lineno)
        return self.run(node.body, scope)

    def _FunctionDef(self, node: ast.FunctionDef, scope: Scope) -> None:
        scope[node.name] = self.function(node, scope, None)

    def function(self, node: ast.FunctionDef | ast.Lambda, scope: Scope, owner: UserClass | None) -> Function:
        style = "plain"
        for decorator in getattr(node, "decorator_list", []):
            name = ast.unparse(decorator).rpartition(".")[2]
            if name in ("override", "abstractmethod"):
                continue
            if name not in ("property", "staticmethod", "classmethod"):
                raise NotTraced(f"the decorator {ast.unparse(decorator)} has no rule", node.lineno)
            style = name
        given = node.args
        names = [a.arg for a in (*given.posonlyargs, *given.args)]
        defaults = {
            name: self.value(value, scope)
            for name, value in zip(names[len(names) - len(given.defaults) :], given.defaults, strict=True)
        }
        for one, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
            if default is not None:
                defaults[one.arg] = self.value(default, scope)
        return Function(node, scope, defaults, owner, style)

    # -- assignment ------------------------------------------------------------------------------------

    def assign(self, target: ast.expr, value: Any, scope: Scope) -> None:
        if isinstance(target, ast.Name):
            scope[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List):
            self._unpack(target, list(self.items(value)), scope)
        elif isinstance(target, ast.Subscript):
            self._store(self.value(target.value, scope), self._index(target.slice, scope), value)
        elif isinstance(target, ast.Attribute):
            accountant = self.value(target.value, scope)
            if not (isinstance(accountant, Record) and accountant.writable):
                raise NotTraced(f"an attribute is written ({target.attr})", target.lineno)
            accountant.values[target.attr] = value
        else:
            raise NotTraced("an assignment has no rule", target.lineno)

    def _unpack(self, target: ast.Tuple | ast.List, items: list[Any], scope: Scope) -> None:
        stars = [i for i, t in enumerate(target.elts) if isinstance(t, ast.Starred)]
        if stars:
            at, after = stars[0], len(target.elts) - stars[0] - 1
            if len(items) < len(target.elts) - 1:
                raise Raised
            middle = self.own(items[at : len(items) - after])
            items = [*items[:at], middle, *items[len(items) - after :]]
        if len(items) != len(target.elts):
            raise Raised
        for one, value in zip(target.elts, items, strict=True):
            self.assign(one.value if isinstance(one, ast.Starred) else one, value, scope)

    def own(self, value: Any) -> Any:
        """Mark a list or dict as made on this path, so that it may be written to."""
        self.fresh[id(value)] = value
        return value

    def _store(self, accountant: Any, index: Any, value: Any) -> None:
        if isinstance(accountant, dict | list):
            if id(accountant) not in self.fresh:
                raise NotTraced("code writes into an object that outlives the call")
            try:
                accountant[self.key(index)] = value
            except (IndexError, TypeError):
                raise Raised from None
            return
        if not isinstance(accountant, Array):
            raise NotTraced("an assignment to an item has no rule")
        self.functions.store(accountant, index, value)

    def write(self, array: Array, value: Any) -> None:
        """Put other entries into an array, where no other name can share them."""
        self.functions.check_writable(array)
        new = lift(value)
        if new is None:
            raise NotTraced("an array is given what is no number")
        same = self.functions.shaped_like(new, array)
        if (is_float(same.kind) and not is_float(array.kind)) or (
            is_bool(array.kind) and not is_bool(same.kind)
        ):
            raise Raised  # NumPy does not cast back
        array.items[:] = [self.arithmetic.cast(x, same.kind, array.kind) for x in same.items]

    # -- expressions -----------------------------------------------------------------------------------

    def value(self, node: ast.expr, scope: Scope) -> Any:
        rule = getattr(self, f"_{type(node).__name__}", None)
        if rule is None:
            raise NotTraced(f"the expression {type(node).__name__} has no rule", node.lineno)
        if isinstance(node, ast.Call | ast.BinOp | ast.Compare):
            self.path.line = node.lineno
        return simple(rule(node, scope))

    def _Constant(self, node: ast.Constant, scope: Scope) -> Any:
        return node.value

    def _Name(self, node: ast.Name, scope: Scope) -> Any:
        value = scope.find(node.id)
        if isinstance(value, Unknown):
            raise NotTraced(f"{node.id} is {value.reason} (line {value.line})", node.lineno)
        return value

    def _NamedExpr(self, node: ast.NamedExpr, scope: Scope) -> Any:
        if scope.is_comprehension:
            raise NotTraced("an assignment in a comprehension has no rule", node.lineno)
        value = self.value(node.value, scope)
        self.assign(node.target, value, scope)
        return value

    def _Tuple(self, node: ast.Tuple, scope: Scope) -> Any:
        return tuple(self._elements(node.elts, scope))

    def _List(self, node: ast.List, scope: Scope) -> Any:
        return self.own(self._elements(node.elts, scope))

    def _Set(self, node: ast.Set, scope: Scope) -> Any:
        return frozenset(map(self.key, self._elements(node.elts, scope)))

    def _elements(self, nodes: list[ast.expr], scope: Scope) -> list[Any]:
        found: list[Any] = []
        for one in nodes:
            if isinstance(one, ast.Starred):
                found += self.items(self.value(one.value, scope))
            else:
                found.append(self.value(one, scope))
        return found

    def _Dict(self, node: ast.Dict, scope: Scope) -> Any:
        made: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                more = self.value(value, scope)
                if not isinstance(more, dict):
                    raise NotTraced("** of what is no dict has no rule", node.lineno)
                made.update(more)
            else:
                made[self.key(self.value(key, scope))] = self.value(value, scope)
        return self.own(made)

    def key(self, value: Any) -> Any:
        """A key of a dict or an index of a list: known, or a class."""
        if isinstance(value, tuple):
            return tuple(map(self.key, value))
        if isinstance(value, Number):
            known = constant_of(value)
            if known is None:
                raise NotTraced("a key or an index is not known")
            return known
        if isinstance(value, Array | Request | list | dict):
            raise NotTraced("an array or a request is used as a key")
        return value

    def _JoinedStr(self, node: ast.JoinedStr, scope: Scope) -> Any:
        parts = []
        for one in node.values:
            value = self.value(one.value if isinstance(one, ast.FormattedValue) else one, scope)
            if not isinstance(value, str | int) or (isinstance(one, ast.FormattedValue) and one.format_spec):
                raise NotTraced("a text of what is not known has no rule", node.lineno)
            parts.append(str(value))
        return "".join(parts)

    def _IfExp(self, node: ast.IfExp, scope: Scope) -> Any:
        return self.value(node.body if self.truth(self.value(node.test, scope)) else node.orelse, scope)

    def _BoolOp(self, node: ast.BoolOp, scope: Scope) -> Any:
        stop = isinstance(node.op, ast.Or)
        value: Any = None
        for one in node.values:
            value = self.value(one, scope)
            if self.truth(value) == stop:
                break
        return value

    def _UnaryOp(self, node: ast.UnaryOp, scope: Scope) -> Any:
        value = self.value(node.operand, scope)
        if isinstance(node.op, ast.Not):
            return not self.truth(value)
        number = lift(value)
        if number is None:
            raise NotTraced("a sign of what is no number has no rule", node.lineno)
        if isinstance(node.op, ast.USub):
            return self.functions.negative(number)
        if isinstance(node.op, ast.Invert):
            if number.kind == "bool":  # Python's ~True is -2
                self.path.differs = True
                return self.arithmetic.map(lambda x: Polynomial.constant(~int(x)), "int", number)
            if number.kind != "b1":
                raise NotTraced("~ of integers has no rule", node.lineno)
            return self.arithmetic.map(lambda x: not x, "b1", number)
        return self.arithmetic.map(lambda x: x, number.kind, number)

    def _BinOp(self, node: ast.BinOp, scope: Scope) -> Any:
        return self.binary(
            OPERATORS[type(node.op)], self.value(node.left, scope), self.value(node.right, scope)
        )

    def binary(self, symbol: str, one: Any, two: Any) -> Any:
        native = (bool, int, float, str)
        if type(one) in native and type(two) in native and symbol in _NATIVE:
            if symbol == "**" and not (isinstance(one, float) or (abs(one) < 1e6 and 0 <= two <= 64)):
                raise NotTraced("a large power has no rule")
            if bool in (type(one), type(two)) and symbol not in ("&", "|", "^", "==", "!="):
                self.path.differs = True
            if symbol == "*" and (isinstance(one, str) or isinstance(two, str)):
                raise NotTraced("a repeated text has no rule")
            try:
                return _NATIVE[symbol](one, two)
            except (TypeError, ValueError, ArithmeticError):
                self.path.differs = True
                raise Raised from None
        if symbol == "+" and isinstance(one, tuple) and isinstance(two, tuple):
            return one + two
        if symbol == "|" and isinstance(one, type | UnionType) and isinstance(two, type):
            return one | two
        if symbol == "|" and isinstance(one, dict) and isinstance(two, dict):
            return self.own(one | two)
        if symbol == "+" and isinstance(one, list) and isinstance(two, list):
            return self.own(one + two)
        if isinstance(one, frozenset) and isinstance(two, frozenset) and symbol in ("|", "&", "-"):
            return _NATIVE[symbol](one, two)
        a, b = lift(one), lift(two)
        if a is None or b is None:
            raise NotTraced(f"the operator {symbol} of {_type(one)} and {_type(two)} has no rule")
        return self.arithmetic.binary(symbol, a, b)

    def _Compare(self, node: ast.Compare, scope: Scope) -> Any:
        left = self.value(node.left, scope)
        result: Any = True
        for op, right_node in zip(node.ops, node.comparators, strict=True):
            right = self.value(right_node, scope)
            result = simple(self._comparison(op, left, right))
            if len(node.ops) > 1 and not self.truth(result):
                return result
            left = right
        return result

    def _comparison(self, op: ast.cmpop, one: Any, two: Any) -> Any:
        if isinstance(op, ast.Is | ast.IsNot):
            return self._is(one, two) == isinstance(op, ast.Is)
        if isinstance(op, ast.In | ast.NotIn):
            return self._within(one, two) == isinstance(op, ast.In)
        symbol = OPERATORS[type(op)]
        if symbol in ("==", "!="):
            asked = one if isinstance(one, ClassOf | NameOf) else two
            other = two if asked is one else one
            if isinstance(asked, ClassOf):
                return asked.request.is_exactly(other) == (symbol == "==")
            if isinstance(asked, NameOf):
                if not isinstance(other, str):
                    raise NotTraced("the name of a class is compared with what is no text")
                return asked.request.has_name(other) == (symbol == "==")
            if one is None or two is None:
                if isinstance(one, Array) or isinstance(two, Array):
                    raise NotTraced("an array is compared with None")
                return (one is two) == (symbol == "==")
            if isinstance(one, type) and isinstance(two, type):
                return (one is two) == (symbol == "==")
            if isinstance(one, np.dtype) or isinstance(two, np.dtype):
                return (np.dtype(one) == np.dtype(two)) == (symbol == "==")
            if isinstance(one, Request) or isinstance(two, Request):
                raise NotTraced("a request is compared with an object")
        return self.binary(symbol, one, two)

    def _is(self, one: Any, two: Any) -> bool:
        for a, b in ((one, two), (two, one)):
            if isinstance(a, ClassOf):
                return a.request.is_exactly(b)
        if (
            one is None
            or two is None
            or (isinstance(one, type | UserClass) and isinstance(two, type | UserClass))
        ):
            return one is two
        raise NotTraced("the identity of objects has no rule")

    def _within(self, one: Any, two: Any) -> bool:
        if isinstance(two, dict):
            two = tuple(two)
        if not isinstance(two, tuple | list | frozenset):
            raise NotTraced(f"membership in {_type(two)} has no rule")
        members = sorted(two, key=str) if isinstance(two, frozenset) else two
        return any(self.truth(self._comparison(ast.Eq(), one, member)) for member in members)

    def _Attribute(self, node: ast.Attribute, scope: Scope) -> Any:
        self.path.line = node.lineno
        return self.attribute(self.value(node.value, scope), node.attr)

    def attribute(self, accountant: Any, name: str) -> Any:
        if isinstance(accountant, Request):
            if name == "swapped":
                return Swapped(accountant)
            if name in ("renyi", "hockey_stick"):
                return ModuleFunction("request", name, accountant)
            if name == "__class__":
                return ClassOf(accountant)
            return accountant.attribute(name)
        if isinstance(accountant, Swapped):
            if name in ("renyi", "hockey_stick"):
                return ModuleFunction("request", name, accountant)
            raise NotTraced(f"request.swapped.{name} has no rule")
        if isinstance(accountant, ClassOf) and name == "__name__":
            return NameOf(accountant.request)
        if isinstance(accountant, Module):
            return self._of_module(accountant, name)
        if isinstance(accountant, Record):
            return self._of_record(accountant, name)
        if isinstance(accountant, UserClass):
            member = accountant.lookup(name)
            if member is None:
                raise NotTraced(f"{accountant.name}.{name} has no rule")
            return member
        if isinstance(accountant, Super):
            return self._of_super(accountant, name)
        if isinstance(accountant, Opaque):
            own = getattr(accountant.real, "__dataclass_fields__", {})
            if accountant.what == "filter" and (name == "promise" or name in own):
                return getattr(accountant.real, name)
            return ModuleFunction("library filter", name, accountant)
        if isinstance(accountant, ModuleFunction | str | tuple | list | dict | frozenset | float | int):
            return self.functions.attribute(accountant, name)
        if lift(accountant) is not None:
            return self.functions.attribute(accountant, name)
        return self.functions.library_attribute(accountant, name)

    def _of_module(self, module: Module, name: str) -> Any:
        if module.name in ("numpy", "math"):
            real = getattr(importlib.import_module(module.name), name, None)
            if isinstance(real, float | int):
                return real
            if isinstance(real, type) and issubclass(real, np.generic):
                return real
            if real is None and name != "newaxis":
                raise NotTraced(f"{module.name}.{name} does not exist")
            return None if name == "newaxis" else ModuleFunction(module.name, name)
        if module.name in ("dataclasses", "typing", "collections.abc", "numpy.typing", "abc"):
            return ModuleFunction(module.name, name)
        real = getattr(importlib.import_module(module.name), name, None)
        if real is None:
            raise NotTraced(f"{module.name}.{name} does not exist")
        return real

    def _of_record(self, record: Record, name: str) -> Any:
        member = record.kind.lookup(name)
        if isinstance(member, Function) and member.style == "property":
            return self.call_function(member, [record], {})
        if name in record.values:
            if isinstance(member, Function):
                raise NotTraced(f"an attribute shadows the method {name}")
            return record.values[name]
        if isinstance(member, Function):
            if member.style == "staticmethod":
                return member
            return Bound(member, record.kind if member.style == "classmethod" else record)
        if member is not None:
            if isinstance(member, Unknown):
                raise NotTraced(f"{name} is {member.reason} (line {member.line})")
            return member
        if record.kind.style != "plain" and name in ("_replace", "_asdict", "_fields"):
            return record.kind.fields if name == "_fields" else ClassMethod(record, name)
        return self._of_super(Super(record.kind.order()[-1], record), name, whole=True)

    def _of_super(self, accountant: Super, name: str, whole: bool = False) -> Any:
        record = accountant.first
        if not isinstance(record, Record):
            raise NotTraced("super() in a class method has no rule")
        if not whole:
            member = record.kind.lookup(name, after=accountant.owner)
            if isinstance(member, Function):
                return Bound(member, record)
            if member is not None:
                return member
        if name == "observe":
            return ModuleFunction("filter", "observe")
        if name == "__init__":
            return ModuleFunction("filter", "init", (record, record.kind.order()[-1]))
        library = record.values.get(LIBRARY)
        if library is not None:
            return self.attribute(library, name)
        raise NotTraced(f"{record.kind.name}.{name} has no rule")

    # -- items -----------------------------------------------------------------------------------------

    def _Subscript(self, node: ast.Subscript, scope: Scope) -> Any:
        accountant = self.value(node.value, scope)
        if isinstance(accountant, ModuleFunction | type | UserClass):
            return accountant  # PrivacyFilter[State]: a type
        index = self._index(node.slice, scope)
        return self.item(accountant, index)

    def _index(self, node: ast.expr, scope: Scope) -> Any:
        if isinstance(node, ast.Tuple):
            return tuple(self._index(one, scope) for one in node.elts)
        return self.value(node, scope)

    def _Slice(self, node: ast.Slice, scope: Scope) -> Any:
        ends = [
            None if one is None else self.value(one, scope) for one in (node.lower, node.upper, node.step)
        ]
        return slice(*[None if end is None else self.key(end) for end in ends])

    def item(self, accountant: Any, index: Any) -> Any:
        if isinstance(accountant, Record) and accountant.kind.style == "namedtuple":
            accountant = tuple(accountant.values.values())
        if isinstance(accountant, dict):
            return self.functions.look_up(accountant, index, Raised)
        if isinstance(accountant, tuple | list | str):
            if isinstance(index, Number) and constant_of(index) is None:
                return self.functions.table(list(accountant), index)
            try:
                return accountant[index if isinstance(index, slice) else operator.index(self.key(index))]
            except (IndexError, TypeError):
                raise Raised from None
        if isinstance(accountant, Array | np.ndarray):
            array = lift(accountant)
            assert isinstance(array, Array)
            return self.functions.index(array, index)
        raise NotTraced(f"an item of {_type(accountant)} has no rule")

    def items(self, value: Any) -> Iterable[Any]:
        """What a loop over a value sees."""
        if isinstance(value, Record) and value.kind.style == "namedtuple":
            return list(value.values.values())
        if isinstance(value, tuple | list | str | range):
            return list(value)
        if isinstance(value, dict):
            return list(value)
        if isinstance(value, OneShot):
            return value.take(self)
        if isinstance(value, np.ndarray):
            return [self.item(value, i) for i in range(len(value))]
        if isinstance(value, Array) and not value.runs and value.tail:
            return [self.item(value, i) for i in range(value.tail[0])]
        raise NotTraced(f"a loop over {_type(value)} has no rule")

    def _comprehension(
        self, generators: list[ast.comprehension], scope: Scope, items: Iterable[Any]
    ) -> Iterator[Scope]:
        """The scope of each item, one after the other; `items` are those of the first loop."""
        first, *rest = generators
        inner = Scope(scope)  # one for all items: functions made here see the last
        inner.is_comprehension = True
        for item in items:
            self.assign(first.target, item, inner)
            if all(self.truth(self.value(test, inner)) for test in first.ifs):
                if rest:
                    yield from self._comprehension(rest, inner, self.items(self.value(rest[0].iter, inner)))
                else:
                    yield inner

    def _scopes(self, generators: list[ast.comprehension], scope: Scope) -> Iterator[Scope]:
        return self._comprehension(generators, scope, self.items(self.value(generators[0].iter, scope)))

    def _ListComp(self, node: ast.ListComp, scope: Scope) -> Any:
        return self.own([self.value(node.elt, s) for s in self._scopes(node.generators, scope)])

    def _GeneratorExp(self, node: ast.GeneratorExp, scope: Scope) -> Any:
        scopes = self._scopes(node.generators, scope)
        return self.own(OneShot(self.value(node.elt, s) for s in scopes))

    def _DictComp(self, node: ast.DictComp, scope: Scope) -> Any:
        scopes = self._scopes(node.generators, scope)
        return self.own({self.key(self.value(node.key, s)): self.value(node.value, s) for s in scopes})

    def _Lambda(self, node: ast.Lambda, scope: Scope) -> Any:
        return self.function(node, scope, None)

    def truth(self, value: Any) -> bool:
        """bool(value); of an array, of its one run and entry, since it raises for several."""
        if isinstance(value, Array):
            if len(value.items) != 1:
                raise Raised
            return self._truth_of(value.items[0], value.kind)
        if isinstance(value, np.ndarray):
            if value.size != 1:
                raise Raised
            return bool(value.item())
        if isinstance(value, Number):
            return self._truth_of(value.value, value.kind)
        if value is None or isinstance(
            value, bool | int | float | str | tuple | list | dict | frozenset | np.generic
        ):
            return bool(value)
        raise NotTraced(f"the truth of {_type(value)} has no rule")

    def _truth_of(self, entry: Any, kind: str) -> bool:
        return self.arithmetic.truth(entry)

    # -- calls -----------------------------------------------------------------------------------------

    def _Call(self, node: ast.Call, scope: Scope) -> Any:
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
            found = scope.find("__owner__"), scope.find("__first__")
            return Super(*found)
        function = self.value(node.func, scope)
        args = self._elements(node.args, scope)
        named: dict[str, Any] = {}
        for keyword in node.keywords:
            value = self.value(keyword.value, scope)
            if keyword.arg is None:
                if not isinstance(value, dict):
                    raise NotTraced("** of what is no dict has no rule", node.lineno)
                named |= value
            else:
                named[keyword.arg] = value
        self.path.line = node.lineno
        return self.call(function, args, named)

    def call(self, function: Any, args: list[Any], named: dict[str, Any]) -> Any:
        if isinstance(function, Bound):
            return self.call_function(function.function, [function.first, *args], named)
        if isinstance(function, Function):
            return self.call_function(function, args, named)
        if isinstance(function, UserClass):
            return self.make(function, args, named)
        if isinstance(function, ClassMethod):
            record = function.record
            if function.name == "_asdict":
                return self.own(dict(record.values))
            if args or set(named) - set(record.values):
                raise Raised
            return Record(record.kind, record.values | named)
        if isinstance(function, ModuleFunction):
            return self.functions.call(function, args, named)
        return self.functions.call_library(function, args, named)

    def call_function(self, function: Function, args: list[Any], named: Mapping[str, Any]) -> Any:
        self.depth += 1
        if self.depth > 40:
            raise NotTraced("the code calls itself too deeply")
        node, given = function.node, function.node.args
        scope = Scope(function.scope)
        names = [a.arg for a in (*given.posonlyargs, *given.args)]
        scope.update(function.defaults)
        scope.update(zip(names, args, strict=False))
        if len(args) > len(names):
            if given.vararg is None:
                raise Raised
            scope[given.vararg.arg] = tuple(args[len(names) :])
        elif given.vararg is not None:
            scope[given.vararg.arg] = ()
        allowed = {*names, *(a.arg for a in given.kwonlyargs)}
        more = {key: value for key, value in named.items() if key not in allowed}
        if (more and given.kwarg is None) or {*names[: len(args)]} & {*named}:
            raise Raised
        if given.kwarg is not None:
            scope[given.kwarg.arg] = self.own(more)
        scope.update({key: value for key, value in named.items() if key in allowed})
        if allowed - scope.keys():
            raise Raised
        if function.owner is not None and args:
            scope["__owner__"], scope["__first__"] = function.owner, args[0]
        if isinstance(node, ast.Lambda):
            result = self.value(node.body, scope)
        else:
            if any(isinstance(n, ast.Yield | ast.YieldFrom | ast.Await) for n in ast.walk(node)):
                raise NotTraced("a generator has no rule", node.lineno)
            signal = self.run(node.body, scope)
            result = signal[1] if signal is not None else None
        self.depth -= 1
        return result

    def make(self, kind: UserClass, args: list[Any], named: Mapping[str, Any]) -> Record:
        """An instance of a user's class."""
        values: dict[str, Any] = {}
        if kind.style != "plain":
            special = [
                n for k in kind.order() if isinstance(k, UserClass) for n in k.members if n[:2] == "__"
            ]
            if set(special) - {"__post_init__", "__slots__", "__doc__"}:
                raise NotTraced(f"{kind.name} defines {special[0]}", kind.node.lineno)
            if len(args) > len(kind.fields) or set(named) - set(kind.fields):
                raise Raised
            values = {f: kind.lookup(f) for f in kind.fields if kind.lookup(f) is not None}
            values |= dict(zip(kind.fields, args, strict=False)) | dict(named)
            if set(kind.fields) - set(values):
                raise Raised
            values = {f: values[f] for f in kind.fields}
        record = Record(kind, values, writable=True)
        start = "__init__" if kind.style == "plain" else "__post_init__"
        initialise = kind.lookup(start)
        if isinstance(initialise, Function):
            given = (args, named) if kind.style == "plain" else ([], {})
            self.call_function(initialise, [record, *given[0]], given[1])
        elif kind.style == "plain":
            self.functions.initialise(record, kind.order()[-1], args, dict(named))
        record.writable = False
        return record


def simple(value: Any) -> Any:
    """A traced number of Python's kinds that is known, as Python's number."""
    if isinstance(value, Number) and value.kind in ("bool", "int", "float"):
        known = constant_of(value)
        return value if known is None else known
    return value


def _loaded(target: ast.expr) -> ast.expr:
    """The expression that reads what an assignment writes."""
    if isinstance(target, ast.Name):
        return ast.copy_location(ast.Name(target.id, ast.Load()), target)
    raise NotTraced("an assignment that changes an attribute has no rule", target.lineno)


def _type(value: Any) -> str:
    return value.name if isinstance(value, UserClass) else type(value).__name__


# -- the user's module -----------------------------------------------------------------------------------


def load_module(source: Source, interpreter: Interpreter) -> dict[str, Any]:
    """The names of a file, read without running it: a name whose value has no rule is Unknown."""
    names: dict[str, Any] = {}
    interpreter.tree = source.tree
    scope = Scope(names)
    for node in source.tree.body:
        _statement(node, scope, interpreter)
        names.update(scope)
        scope.clear()
    return names


def _statement(node: ast.stmt, scope: Scope, interpreter: Interpreter) -> None:
    if isinstance(node, ast.Import | ast.ImportFrom):
        _import(node, scope)
        return
    if isinstance(node, ast.ClassDef):
        try:
            scope[node.name] = user_class(node, scope, interpreter)
        except NotTraced as error:
            scope[node.name] = Unknown(error.reason, error.line or node.lineno)
        return
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    never = ("__name__ == '__main__'", "TYPE_CHECKING", "typing.TYPE_CHECKING")
    if isinstance(node, ast.If) and ast.unparse(node.test) in never and not node.orelse:
        return
    bound = [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    if not bound and not isinstance(node, ast.FunctionDef | ast.Pass):
        raise NotTraced("a statement of the module is run for what it does", node.lineno)
    try:
        interpreter.run([node], scope)
    except (NotTraced, Raised) as error:
        imported = imported_names(interpreter.tree)
        calls = [n for n in ast.walk(node) if isinstance(n, ast.Call)]
        if not isinstance(node, ast.FunctionDef) and any(
            root_name(c) not in imported | BUILTINS for c in calls
        ):
            raise NotTraced(
                "a statement of the module has no rule, and may change what follows", node.lineno
            ) from None
        reason = error.reason if isinstance(error, NotTraced) else "an error"
        names = [node.name] if isinstance(node, ast.FunctionDef) else bound
        scope.update(dict.fromkeys(names, Unknown(reason, node.lineno)))


def _import(node: ast.Import | ast.ImportFrom, scope: Scope) -> None:
    if isinstance(node, ast.Import):
        for alias in node.names:
            known = alias.name in MODULES
            name = alias.asname or alias.name.partition(".")[0]
            scope[name] = Module(alias.name) if known else Unknown(f"the module {alias.name}", node.lineno)
        return
    home = node.module or ""
    for alias in node.names:
        name = alias.asname or alias.name
        if name == "*":
            raise NotTraced(f"everything is imported from {home}, which may hide other names", node.lineno)
        if node.level or (home not in MODULES and not home.startswith("filterproof")):
            scope[name] = Unknown(f"from the module {home or '.'}", node.lineno)
        elif home == "__future__":
            continue
        elif home in ("numpy", "math") or home in (
            "dataclasses",
            "typing",
            "collections.abc",
            "numpy.typing",
            "abc",
        ):
            real = getattr(importlib.import_module(home), alias.name, None)
            is_value = isinstance(real, float | int) or (
                isinstance(real, type) and issubclass(real, np.generic)
            )
            scope[name] = real if is_value else ModuleFunction(home, alias.name)
        else:
            scope[name] = getattr(importlib.import_module(home), alias.name, None)


def user_class(node: ast.ClassDef, scope: Scope, interpreter: Interpreter) -> UserClass:
    bases = tuple(interpreter.value(base, scope) for base in node.bases)
    style = "plain"
    for decorator in node.decorator_list:
        text = ast.unparse(decorator)
        if text.partition("(")[0].rpartition(".")[2] != "dataclass":
            raise NotTraced(f"the decorator {text} has no rule", node.lineno)
        if "init" in text:
            raise NotTraced(f"the decorator {text} has no rule", node.lineno)
        style = "dataclass"
    if any(isinstance(b, ModuleFunction) and b.name == "NamedTuple" for b in bases):
        style = "namedtuple"
    kept = []
    for base in bases:
        if isinstance(base, ModuleFunction):
            if base.name not in ("NamedTuple", "Generic", "ABC"):
                raise NotTraced(f"the base class {base.name} has no rule", node.lineno)
        elif isinstance(base, UserClass) or (isinstance(base, type) and issubclass(base, PrivacyFilter)):
            kept.append(base)
        else:
            raise NotTraced(f"a base class of {node.name} has no rule", node.lineno)
    if len(kept) > 1:
        raise NotTraced("several base classes have no rule", node.lineno)
    made = UserClass(node, tuple(kept), {}, style)
    inner = Scope(scope)
    fields: list[str] = list(kept[0].fields) if kept and isinstance(kept[0], UserClass) else []
    if style == "plain" and kept and isinstance(kept[0], UserClass):
        style = made.style = kept[0].style
    for item in node.body:
        if isinstance(item, ast.FunctionDef):
            try:
                # methods do not see the names of the class
                inner[item.name] = interpreter.function(item, scope, made)
            except NotTraced as error:
                inner[item.name] = Unknown(error.reason, error.line or item.lineno)
            continue
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            fields += [item.target.id] * (
                "ClassVar" not in ast.unparse(item.annotation) and made.style != "plain"
            )
        bound = [n.id for n in ast.walk(item) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        try:
            interpreter.run([item], inner)
        except (NotTraced, Raised) as error:
            reason = error.reason if isinstance(error, NotTraced) else "an error"
            inner.update(dict.fromkeys(bound, Unknown(reason, item.lineno)))
            if not bound:
                raise NotTraced(f"a statement of the class {node.name} has no rule", item.lineno) from None
    made.members = dict(inner)
    made.fields = tuple(dict.fromkeys(fields))
    return made
