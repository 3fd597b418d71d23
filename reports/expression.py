"""An expression is a filter, adversary or pair as a person types it; it is parsed and never run as Python.

>>> read_filter("GaussianFilter(mu=1.0)")
GaussianFilter(mu=1.0)
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any, TypeVar

from filters import PrivacyFilter, knowingly
from filters.catalogue import CATALOGUE
from mc import Adversary
from mc.engine.encoding import nameable
from reports.user_filter import load_filter

__all__ = ["read_adversary", "read_filter", "read_value"]


def read_value(text: str) -> Any:
    """The value of an expression made of numbers, strings, None, tuples, known names, and calls of known classes.

    A list is read as a tuple. Raises ValueError with one sentence for anything else.
    """
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError) as error:
        raise ValueError(f"expression must read like Name(parameter=1.0), got {text!r}; mend it") from error
    return _read(tree, nameable())


def _read(node: ast.expr, known: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value=int() | float() | str() | None):
            return node.value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float())):
            return -ast.literal_eval(node.operand)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return tuple(_read(part, known) for part in parts)
        case ast.Name(id=name):
            return _known(name, known)
        case ast.Call(func=ast.Name(id=name), args=positional, keywords=named) if all(k.arg for k in named):
            kind = _known(name, known)
            if not isinstance(kind, type):
                raise ValueError(
                    f"expression must call a class, got {name!r}; name a filter, pair or adversary"
                )
            with knowingly():  # a person who types the name of an unsound filter needs no warning
                return kind(
                    *(_read(a, known) for a in positional),
                    **{str(k.arg): _read(k.value, known) for k in named},
                )
    raise ValueError(f"expression must be names, numbers and calls, got {ast.unparse(node)!r}; simplify it")


def _known(name: str, known: Mapping[str, Any]) -> Any:
    if name not in known:
        raise ValueError(f"expression must name something known, got {name!r}; see `filterproof list`")
    return known[name]


def read_filter(text: str) -> PrivacyFilter:
    """The filter of an expression, of file.py::Class, or the example of the catalogue entry of that name."""
    if "::" in text:
        return load_filter(text)
    if text in CATALOGUE:
        return CATALOGUE[text].example()
    return _of_kind(text, PrivacyFilter, "filter")  # type: ignore[type-abstract]


def read_adversary(text: str) -> Adversary:
    """The adversary of an expression, which may be the bare name of one that needs no parameters."""
    return _of_kind(text, Adversary, "adversary")  # type: ignore[type-abstract]


_T = TypeVar("_T")


def _of_kind(text: str, kind: type[_T], noun: str) -> _T:
    value = read_value(text)
    if isinstance(value, type) and issubclass(value, kind):
        value = value()
    if not isinstance(value, kind):
        raise ValueError(f"{noun} must name one of `filterproof list`, got {text!r}; pick one from there")
    return value
