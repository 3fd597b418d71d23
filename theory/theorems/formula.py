"""Formulas as text, evaluated in fractions and balls: the engine computes the text that is shown.

A formula is a Python expression over named variables, integers and the functions below. It is read with
`ast` and every node must be known; nothing is ever evaluated by Python itself. Fractions stay fractions up to
the first function or ball. If a part of a formula is undefined anywhere on the given balls, the value is NaN,
even where a bounded function or the power 0 of that part would be finite.

>>> compile_formula("r**2/2 - x")({"r": fmpq(1, 3), "x": fmpq(1, 18)})
0
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache, reduce
from typing import Any, TypeAlias

from flint import arb, fmpq

#: A rational number, or a ball around a real one.
Number: TypeAlias = fmpq | arb
#: A compiled formula: from its variables to its value.
Evaluator: TypeAlias = Callable[[Mapping[str, Number]], Number]


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

    Its value is a fraction if no part of the formula is a function or a ball; else a finite ball, or NaN if some part
    is not finite on all of the given balls.
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


@lru_cache(maxsize=4096)
def _parsed_formula(text: str) -> ast.expr:
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError as error:
        raise ValueError(f"formula must be one expression, got {text[:40]!r}: {error.msg}") from error


def _apply_to_operands(operation: Callable[..., Number], *operands: Evaluator) -> Evaluator:
    def value(values: Mapping[str, Number]) -> Number:
        numbers = [operand(values) for operand in operands]
        if all(map(_is_finite, numbers)):
            with suppress(ZeroDivisionError):
                result = operation(*numbers)
                if _is_finite(result):
                    return result
        return arb.nan()

    return value


def _is_finite(x: Number) -> bool:
    return isinstance(x, fmpq) or bool(x.is_finite())


def _compile(node: ast.expr) -> Evaluator:
    match node:
        case ast.Constant(value=int(n)) if not isinstance(n, bool):
            return lambda values: fmpq(n)
        case ast.Name(id="pi"):
            return lambda values: arb.pi()
        case ast.Name(id=name):
            return lambda values: values[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _apply_to_operands(operator.neg, _compile(operand))
        case ast.BinOp(left=base, op=ast.Pow(), right=ast.Constant(value=int(n))) if not isinstance(n, bool):
            # a square of a ball around 0 stays >= 0
            return _apply_to_operands(lambda x: x**n, _compile(base))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            return _apply_to_operands(_ARITHMETIC[type(op)], _compile(left), _compile(right))
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in FUNCTIONS:
            return _apply_to_operands(lambda x: FUNCTIONS[name](arb(x)), _compile(argument))
        case ast.Call(func=ast.Name(id=name), args=[_, _, *_] as several, keywords=[]) if name in _EXTREMES:
            return _apply_to_operands(
                lambda *xs: reduce(_EXTREMES[name], map(arb, xs)), *map(_compile, several)
            )
    raise ValueError(
        f"formula must use numbers, variables, + - * / ** and known functions, "
        f"got {ast.unparse(node)[:80]!r}; known: {', '.join((*FUNCTIONS, *_EXTREMES))}"
    )


#: The functions of several arguments.
_EXTREMES: Mapping[str, Callable[[arb, arb], arb]] = {"min": arb.min, "max": arb.max}
_ARITHMETIC: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: lambda x, y: arb(x) ** y,
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
