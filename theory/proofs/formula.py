"""Formulas as text, evaluated in balls: what a certificate holds is what the engine computed.

A formula is a Python expression over named variables, integers and the functions below. It is read with
`ast` and every node must be known; nothing is ever evaluated by Python itself.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from fractions import Fraction

from flint import arb, fmpq

__all__ = ["FUNCTIONS", "compile_formula", "hull", "rational"]

#: A formula ready to run: from the balls of its variables to the ball of its value.
Evaluator = Callable[[Mapping[str, arb]], arb]


def rational(value: Fraction | int) -> fmpq:
    """The same rational number in flint."""
    value = Fraction(value)
    return fmpq(value.numerator, value.denominator)


def hull(low: fmpq, high: fmpq) -> arb:
    """A ball that contains the interval [low, high]."""
    return arb(low).union(arb(high))


def _decreasing(function: Callable[[arb], arb]) -> Callable[[arb], arb]:
    # A decreasing function on a wide ball: evaluate it at the end points. Taken of the whole ball at once,
    # exp(x^2/2) and erfc(x) lose their correlation and the product is useless.
    def on_ball(x: arb) -> arb:
        return function(x) if x.is_exact() else function(arb(x.lower())).union(function(arb(x.upper())))

    return on_ball


def _mills(x: arb) -> arb:
    """Mills ratio (1 - Phi(x)) / phi(x) = sqrt(pi/2) exp(x^2/2) erfc(x/sqrt 2)."""
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
    "mills": _decreasing(_mills),
    # the standard normal upper tail 1 - Phi(x)
    "tail": _decreasing(lambda x: (x / arb(2).sqrt()).erfc() / 2),
    # its inverse, the upper quantile z with 1 - Phi(z) = p
    "quantile": _decreasing(lambda p: arb(2).sqrt() * (2 * p).erfcinv()),
}


def compile_formula(text: str) -> Evaluator:
    """The evaluator of a formula; ValueError on anything but arithmetic, variables and `FUNCTIONS`."""
    return _compile(ast.parse(text, mode="eval").body)


def _compile(node: ast.expr) -> Evaluator:
    match node:
        case ast.Constant(value=int(n)):
            return lambda values: arb(n)
        case ast.Name(id="pi"):
            return lambda values: arb.pi()
        case ast.Name(id=name):
            return lambda values: values[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = _compile(operand)
            return lambda values: -inner(values)
        case ast.BinOp(left=base, op=ast.Pow(), right=ast.Constant(value=int(n))):
            inner = _compile(base)
            return lambda values: inner(values) ** n
        case ast.BinOp(left=left, op=op, right=right):
            a, b = _compile(left), _compile(right)
            return _arithmetic(op, a, b)
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in FUNCTIONS:
            function, inner = FUNCTIONS[name], _compile(argument)
            return lambda values: function(inner(values))
    raise ValueError(
        f"formula must use numbers, variables and known functions, got {ast.unparse(node)!r}; "
        f"known: {', '.join(FUNCTIONS)}"
    )


def _arithmetic(op: ast.operator, a: Evaluator, b: Evaluator) -> Evaluator:
    match op:
        case ast.Add():
            return lambda values: a(values) + b(values)
        case ast.Sub():
            return lambda values: a(values) - b(values)
        case ast.Mult():
            return lambda values: a(values) * b(values)
        case ast.Div():
            return lambda values: a(values) / b(values)
        case ast.Pow():
            return lambda values: a(values) ** b(values)
    raise ValueError(f"formula must use + - * / **, got {type(op).__name__}; rewrite it")
