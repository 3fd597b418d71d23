"""Formulas without functions, in fractions: where no root, logarithm or exponential occurs, nothing is rounded.

>>> rational_value("rho**2/2 - x", {"rho": Fraction(1, 3), "x": Fraction(1, 18)}), rational_value("sqrt(x)", {})
(Fraction(0, 1), None)
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

__all__ = ["rational_value"]


def rational_value(text: str, at: Mapping[str, Fraction]) -> Fraction | None:
    """The value of a formula at a point, in fractions; None where it has a function in it, or divides by zero."""
    return _value(_parsed(text), at)


@lru_cache(maxsize=4096)
def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _value(node: ast.expr, at: Mapping[str, Fraction]) -> Fraction | None:
    match node:
        case ast.Constant(value=int(n)):
            return Fraction(n)
        case ast.Name(id=name) if name != "pi":
            return at[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = _value(operand, at)
            return None if inner is None else -inner
        case ast.BinOp(left=base, op=ast.Pow(), right=ast.Constant(value=int(n))):
            inner = _value(base, at)
            return None if inner is None else inner**n
        case ast.BinOp(left=left, op=op, right=right):
            first, second = _value(left, at), _value(right, at)
            if first is None or second is None:
                return None
            match op:
                case ast.Add():
                    return first + second
                case ast.Sub():
                    return first - second
                case ast.Mult():
                    return first * second
                case ast.Div() if second:
                    return first / second
    return None
