"""Formulas in ball arithmetic for `recheck.py`: enclosures of their values, and their sign on a whole box.

Stand-alone: the standard library and python-flint only.
"""

import ast
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flint import acb, arb, ctx, fmpq

if __package__:
    from .recheck_algebra import UndecidedError, names_in
else:  # beside recheck.py, which is run as a script
    from recheck_algebra import UndecidedError, names_in  # type: ignore[import-not-found,no-redef]


class RejectedError(Exception):
    """A certificate is false or forged."""


OPERATORS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}  # fmt: skip
METHODS = ("exp", "log", "sqrt", "erfinv")
#: Decreasing functions: the values at both ends of a ball enclose those between.
FALLING: dict[str, Callable[[arb], arb]] = {
    "erfc": lambda x: x.erfc(),
    "tail": lambda x: (x / arb(2).sqrt()).erfc() / 2,
    "quantile": lambda p: arb(2).sqrt() * (2 * p).erfcinv(),
    "mills": lambda x: (arb.pi() / 2).sqrt() * (x * x / 2).exp() * (x / arb(2).sqrt()).erfc(),
}
#: An integral to infinity is cut off here.
FAR = 1000


def parse(formula: str) -> ast.AST:
    try:
        return ast.parse(formula, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise UndecidedError("the formula cannot be read") from error


def to_arb(x: Fraction) -> arb:
    return arb(fmpq(x.numerator, x.denominator))


def ball(node: ast.AST, point: dict[str, Any]) -> Any:
    """The value, finite in every part; ArithmeticError if some part is not, UndecidedError on an unknown part."""
    match node:
        case ast.Constant(value=int(n)) if not isinstance(n, bool):
            return arb(n)
        case ast.Name(id=name) if name in point:
            return point[name]
        case ast.Name(id="pi"):
            return arb.pi()
        case ast.UnaryOp(op=ast.USub(), operand=x):
            return -ball(x, point)
        case ast.BinOp(left=x, op=ast.Pow(), right=ast.Constant(value=int(n))):
            value = ball(x, point) ** n  # a square of a ball around 0 stays >= 0
        case ast.BinOp(left=x, op=op, right=y) if type(op) in OPERATORS:
            inner, value = ball(x, point), ball(y, point)
            if isinstance(op, ast.Pow) and isinstance(inner, acb) and not inner.real > 0:
                raise ArithmeticError  # the power is not analytic around 0
            value = OPERATORS[type(op)](inner, value)
        case ast.Call(func=ast.Name(id=name), args=[x], keywords=[]) if name in FALLING:
            inner = real(ball(x, point))
            value = FALLING[name](arb(inner.lower())).union(FALLING[name](arb(inner.upper())))
        case ast.Call(
            func=ast.Name(id="Integral"), args=[f, ast.Tuple(elts=[ast.Name(id=v), low, high])], keywords=[]
        ):
            value = integral(f, v, low, high, point)
        case ast.Call(func=ast.Name(id=name), args=[x], keywords=[]) if name in METHODS:
            inner = ball(x, point)
            if isinstance(inner, acb) and name != "exp" and not (name in ("log", "sqrt") and inner.real > 0):
                raise ArithmeticError  # not analytic there, or not known to be
            value = getattr(inner, name)()
        case _:
            raise UndecidedError(ast.dump(node)[:60])
    if not value.is_finite():
        raise ArithmeticError
    return value


def real(x: Any) -> arb:
    if isinstance(x, acb):
        raise UndecidedError("a part of an integrand that is evaluated on reals alone")
    return x


def integral(f: ast.AST, v: str, low: ast.AST, high: ast.AST, point: dict[str, Any]) -> arb:
    """The integral, plus or minus 1e-40; one to infinity ends at FAR, which is good enough for spot checks only."""

    def inside(z: acb, _: bool) -> acb:
        try:
            return acb(ball(f, point | {v: z}))
        except (ArithmeticError, UndecidedError):  # an exception must not pass through the library's C code
            return acb(float("nan"))

    far = {"oo": arb(FAR), "-oo": arb(-FAR)}
    ends = [far[text] if (text := ast.unparse(x)) in far else ball(x, point) for x in (low, high)]
    # an integral that needs more evaluations comes back as a wide ball, which decides nothing
    least = {"rel_tol": arb("1e-45"), "abs_tol": arb("1e-45"), "eval_limit": 20_000}
    return acb.integral(inside, *(acb(x) for x in ends), **least).real + arb(0, 1e-40)


def check_box(data: Any, tree: str) -> str:
    """Check that formula > 0 on the box: in `tree` a digit k halves variable k, lower half first; a dot is a leaf."""
    formula, names = parse(data["formula"]), list(data["box"])
    if "Integral" in names_in(formula):
        raise UndecidedError("an integral, which is cut off and good for a spot check alone")
    stack = [[(Fraction(low), Fraction(high)) for low, high in data["box"].values()]]
    if any(low > high for low, high in stack[0]) or not isinstance(tree, str) or len(tree) > 400_000:
        raise RejectedError("a reversed box, or a tree that is none or too long")
    with ctx.workprec(data["precision"]):
        for mark in tree:
            if not stack or len(stack) > 1000:
                raise RejectedError("the tree does not fit the box")
            box = stack.pop()
            if mark == ".":
                hull = [to_arb(low).union(to_arb(high)) for low, high in box]
                try:
                    if not ball(formula, dict(zip(names, hull, strict=True))) > 0:
                        raise RejectedError("a leaf on which the formula is not seen to be > 0")
                except ArithmeticError as error:
                    raise RejectedError("a leaf on which the formula is not defined") from error
                continue
            if mark not in "0123456789" or int(mark) >= len(box):
                raise RejectedError("the tree does not fit the box")
            k, (low, high) = int(mark), box[int(mark)]
            middle = (low + high) / 2
            stack += [[*box[:k], half, *box[k + 1 :]] for half in ((middle, high), (low, middle))]
    if stack or not tree:
        raise RejectedError("the tree leaves a part of the box out")
    return "balls"
