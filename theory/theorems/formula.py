"""Formulas as text, evaluated in ball arithmetic or in fractions: the engine computes the text that is shown.

A formula is a Python expression over named variables, integers and the functions below. It is read with
`ast` and every node must be known; nothing is ever evaluated by Python itself. If a part of a formula is
undefined anywhere on the given balls, the value is NaN, even where a bounded function or the power 0 of that
part would be finite.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any

from flint import arb

#: A compiled formula: from the balls of its variables to the ball of its value.
Evaluator = Callable[[Mapping[str, arb]], arb]


def _decreasing(function: Callable[[arb], arb]) -> Callable[[arb], arb]:
    # A decreasing function is evaluated at the end points of the ball. On the whole ball at once exp(x^2/2) and
    # erfc(x) would vary independently, and their product would be far too wide.
    def on_ball(x: arb) -> arb:
        return function(x) if x.is_exact() else function(arb(x.lower())).union(function(arb(x.upper())))

    return on_ball


def _mills_ratio_ball(x: arb) -> arb:
    """Return the Mills ratio (1 - Phi(x)) / phi(x) = sqrt(pi/2) exp(x^2/2) erfc(x/sqrt 2)."""
    return (arb.pi() / 2).sqrt() * (x * x / 2).exp() * (x / arb(2).sqrt()).erfc()


FUNCTIONS: Mapping[str, Callable[[arb], arb]] = {
    "exp": lambda x: x.exp(),
    "log": lambda x: x.log(),
    "log1p": lambda x: x.log1p(),
    "sqrt": lambda x: x.sqrt(),
    "cosh": lambda x: x.cosh(),
    "sinh": lambda x: x.sinh(),
    "tanh": lambda x: x.tanh(),
    "erf": lambda x: x.erf(),
    "erfc": _decreasing(lambda x: x.erfc()),
    "mills": _decreasing(_mills_ratio_ball),
    # the standard normal upper tail 1 - Phi(x)
    "tail": _decreasing(lambda x: (x / arb(2).sqrt()).erfc() / 2),
    # its inverse, the upper quantile z with 1 - Phi(z) = p
    "quantile": _decreasing(lambda p: arb(2).sqrt() * (2 * p).erfcinv()),
}


@lru_cache(maxsize=1024)
def compile_formula(text: str) -> Evaluator:
    """Return the evaluator of a formula; raise ValueError for anything but arithmetic, variables and `FUNCTIONS`.

    Its value is finite, or NaN if some part of the formula is not finite on all of the given balls.
    """
    return _compile(_parsed_formula(text))


def formula_variables(text: str) -> frozenset[str]:
    """Return the names of the variables of a formula."""
    tree = _parsed_formula(text)
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    free = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in called}
    if clash := names & free & set(FUNCTIONS):
        raise ValueError(f"formula must not call a variable as a function, got {', '.join(sorted(clash))}")
    return frozenset(free - {"pi"})


def rational_value(text: str, at: Mapping[str, Fraction]) -> Fraction | None:
    """Return the value of a formula at a point in fractions; None with a function or a division by zero.

    >>> rational_value("r**2/2 - x", {"r": Fraction(1, 3), "x": Fraction(1, 18)}), rational_value("sqrt(2)", {})
    (Fraction(0, 1), None)
    """
    try:
        return _in_fractions(_parsed_formula(text), at)
    except ArithmeticError:
        return None


def _in_fractions(node: ast.expr, at: Mapping[str, Fraction]) -> Fraction:
    match node:
        case ast.Constant(value=int(n)):
            return Fraction(n)
        case ast.Name(id=name) if name != "pi":
            return at[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_in_fractions(operand, at)
        case ast.BinOp(left=base, op=ast.Pow(), right=ast.Constant(value=int(n))):
            return _in_fractions(base, at) ** n
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div() as op, right=right):
            value: Fraction = _ARITHMETIC[type(op)](_in_fractions(left, at), _in_fractions(right, at))
            return value
    raise ArithmeticError("formula has a part that is not known to be rational")  # rational_value gives None


@lru_cache(maxsize=4096)
def _parsed_formula(text: str) -> ast.expr:
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError as error:
        raise ValueError(f"formula must be one expression, got {text[:40]!r}: {error.msg}") from error


def _apply_to_operands(operation: Callable[..., arb], *operands: Evaluator) -> Evaluator:
    def value(values: Mapping[str, arb]) -> arb:
        balls = [operand(values) for operand in operands]
        if all(ball.is_finite() for ball in balls):
            result = operation(*balls)
            if result.is_finite():
                return result
        return arb.nan()

    return value


def _compile(node: ast.expr) -> Evaluator:
    match node:
        case ast.Constant(value=int(n)) if not isinstance(n, bool):
            return lambda values: arb(n)
        case ast.Name(id="pi"):
            return lambda values: arb.pi()
        case ast.Name(id=name):
            return lambda values: values[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _apply_to_operands(lambda x: -x, _compile(operand))
        case ast.BinOp(left=base, op=ast.Pow(), right=ast.Constant(value=int(n))) if not isinstance(n, bool):
            # a square of a ball around 0 stays >= 0
            return _apply_to_operands(lambda x: x**n, _compile(base))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            return _apply_to_operands(_ARITHMETIC[type(op)], _compile(left), _compile(right))
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in FUNCTIONS:
            return _apply_to_operands(FUNCTIONS[name], _compile(argument))
    raise ValueError(
        f"formula must use numbers, variables, + - * / ** and known functions, "
        f"got {ast.unparse(node)[:80]!r}; known: {', '.join(FUNCTIONS)}"
    )


_ARITHMETIC: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


#: sympy's names and the displayed names.
_SHOWN = (
    (r"\operatorname{tail}", r"\overline{\Phi}"),
    (r"\operatorname{quantile}", r"\overline{\Phi}^{-1}"),
    (r"\epsilon", r"\varepsilon"),
)


@dataclass(frozen=True)
class Formula:
    """A formula of a claim: its text, and the same in Rocq ('' where no kernel theorem states it).

    >>> print(Formula("exp((alpha - 1) * B)", rocq="exp ((alpha - 1) * B)").latex)
    e^{B \\left(\\alpha - 1\\right)}

    Its LaTeX comes from its text. The Rocq form must stand in the statement of the theorem that the kernel accepted;
    the tests compare that it means the same, at points of a box, in balls, by a reader of their own. `names` maps
    names of the Rocq form to formulas in the variables of the text, where they differ.
    """

    text: str
    rocq: str = ""
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def latex(self) -> str:
        """Return the formula for display; the normal upper tail is a Phi with a bar."""
        import sympy as sp

        symbols = {name: sp.Symbol(name, positive=True) for name in formula_variables(self.text)}
        functions = {name: sp.Function(name) for name in ("tail", "quantile")}
        text: str = sp.latex(sp.sympify(self.text, locals=symbols | functions), ln_notation=False)
        for name, sign in _SHOWN:
            text = text.replace(name, sign)
        return text
