"""Attributes of objects and modules, and instances of the user's classes."""

from __future__ import annotations

import collections
import inspect
import logging
import sys
from collections.abc import Iterable
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum, EnumType
from functools import partial
from types import FunctionType, MemberDescriptorType, MethodType, ModuleType
from typing import Any

import numpy as np

from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.prove import numpy_rules, python_rules
from filterproof.mc.prove.numpy_arrays import Caller
from filterproof.mc.prove.paths import NotTraced, Raised
from filterproof.mc.prove.python_rules import LOGGING
from filterproof.mc.prove.requests import ClassOf, Request, SwappedRequest
from filterproof.mc.prove.source import check_class, is_traced, user_classes
from filterproof.mc.prove.values import RuleFunction, lift

#: Descriptors that hand out what an instance holds.
_SLOTS = (MemberDescriptorType, type(collections.namedtuple("_", "x").x))  # type: ignore[attr-defined]


#: Methods by which a user's class computes an operator.
SPECIAL = {
    "+": "__add__", "-": "__sub__", "*": "__mul__", "/": "__truediv__",
    "<=": "__le__", "<": "__lt__", ">=": "__ge__", ">": "__gt__",
}  # fmt: skip


def special_method(thing: Any, name: str | None, other: Any = None) -> MethodType | None:
    """Return a method with a special name that the user's class of an instance defines; None without one."""
    member = inspect.getattr_static(type(thing), name, None) if name and user_classes(type(thing)) else None
    if not isinstance(member, FunctionType) or not is_traced(member):
        return None
    if issubclass(type(other), type(thing)) and type(other) is not type(thing):
        raise NotTraced("an operator of a class and one that extends it has no rule")
    return MethodType(member, thing)


def attribute(own: Caller, thing: Any, name: str) -> Any:
    """Return thing.name for a traced object, a module or a class, by a rule."""
    match thing:
        case Request() | SwappedRequest() | ClassOf():
            return thing.attribute(name)
        case super():
            bound: Any = thing
            order = type(bound.__self__).__mro__
            order = order[order.index(bound.__thisclass__) + 1 :]
            return member_of(own, bound.__self__, order, name, with_instance=False)
        case ModuleType():
            if (value := getattr(thing, name, None)) is None and name != "newaxis":
                raise NotTraced(f"{thing.__name__}.{name} does not exist")
            return value
        case np.ufunc() if name == "reduce":
            return RuleFunction(partial(numpy_rules.fold, own, thing), name)
        case logging.Logger() if type(thing) is logging.Logger and name in LOGGING:
            handlers = (h for log in (thing, thing.parent, logging.root) if log for h in log.handlers)
            if any(user_classes(type(handler)) for handler in handlers):
                raise NotTraced("a logger with a handler of the user's has no rule")
            return RuleFunction(partial(python_rules.write_message, own), name)
        case Enum() if name in ("name", "value") and not any(
            name in vars(k) for k in user_classes(type(thing))
        ):
            return getattr(thing, name)
        case EnumType() if type(thing) is EnumType and name in thing.__members__:
            return thing.__members__[name]
        case np.finfo() | sys.float_info.__class__():
            return getattr(thing, name)
        case str() | list() | dict() | set() | frozenset():
            return python_rules.container_method(own, thing, name)
    kind = thing if isinstance(thing, type) else type(thing)
    if issubclass(kind, PrivacyFilter) or user_classes(kind):
        check_class(kind)
        return member_of(own, None if kind is thing else thing, kind.__mro__, name)
    if (number := lift(thing)) is not None:
        return numpy_rules.attribute(own, number, name)
    value = (
        getattr(thing, name, None) if name[0] != "_" and python_rules.is_defined_by_library(thing) else None
    )
    if value is not None:
        return value
    raise NotTraced(f"the attribute {name} of {getattr(thing, '__name__', type(thing).__name__)} has no rule")


def member_of(own: Caller, thing: Any, order: Iterable[type], name: str, with_instance: bool = True) -> Any:
    """Return an attribute of an instance or a class, looked up in the classes `order`.

    Unless `with_instance`, what the instance itself holds is left out, as super() does.
    """
    first, *_ = order = tuple(order)
    kind = next((kind for kind in order if name in vars(kind)), None)
    member = vars(kind)[name] if kind is not None else None
    if hasattr(type(member), "__set__") and not isinstance(member, _SLOTS) and type(member) is not property:
        raise NotTraced(f"{name} is a {type(member).__name__}, which has no rule")
    if isinstance(member, property) and thing is not None and is_traced(member.fget):
        return own.call(MethodType(member.fget, thing), [], {})  # type: ignore[arg-type]
    if with_instance and name in getattr(thing, "__dict__", {}) and not isinstance(member, property):
        return thing.__dict__[name]
    if kind is None:
        raise NotTraced(f"{type(thing).__name__}.{name} has no rule")
    if isinstance(member, FunctionType):
        if name == "_replace" and isinstance(thing, tuple):
            return RuleFunction(partial(python_rules.replace, own, thing), name)
        return member if thing is None else MethodType(member, thing)
    if type(member) is staticmethod:
        return member.__func__
    if type(member) is classmethod:
        return MethodType(member.__func__, first if thing is None else type(thing))
    if isinstance(member, _SLOTS) and thing is not None:
        return member.__get__(thing)
    if hasattr(type(member), "__get__") and name != "__init__":
        if not python_rules.is_defined_by_library(kind) or thing is None:
            raise NotTraced(f"{name} is a {type(member).__name__}, which has no rule")
        return getattr(thing, name)
    return member


def new_instance(own: Caller, kind: type, args: list[Any], named: dict[str, Any]) -> Any:
    """Return a new instance of a user's class: a named tuple, a data class or a plain class."""
    check_class(kind)
    special = {n for k in user_classes(kind) for n in vars(k) if n[:2] == "__" and is_traced(vars(k)[n])}
    special -= {*SPECIAL.values(), "__call__", "__repr__", "__str__"}  # which have rules, or are not called
    is_record = is_dataclass(kind) or hasattr(kind, "_fields")
    factories = {f.default_factory for f in fields(kind)} if is_dataclass(kind) else set()
    is_plain = inspect.getattr_static(kind, "__new__") is object.__new__ and not issubclass(
        kind, PrivacyFilter
    )
    odd = special if is_record else special - {"__init__"}
    if odd or factories - {MISSING, list, dict} or type(kind) is not type or not (is_record or is_plain):
        raise NotTraced(f"{kind.__name__} is made in a way that has no rule")
    if is_record:
        try:
            return kind(*args, **named)
        except TypeError:
            raise Raised from None
    instance = own.mark_fresh(object.__new__(kind))
    own.call(member_of(own, instance, kind.__mro__, "__init__"), args, named)
    del own.fresh[id(instance)]
    return instance
