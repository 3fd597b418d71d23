"""Verify a certificate with python-flint alone: python recheck.py CERTIFICATE.json; exit status 0 or 1.

Box trees and comparisons of rationals are checked again in full, symbolic residuals in balls at the recorded
points (a spot check). Nothing of the package that wrote the certificate is imported; the one file is read.
"""

import ast
import json
import sys
from typing import Any

from flint import arb, ctx, fmpq

OPERATORS = {"Add": "__add__", "Sub": "__sub__", "Mult": "__mul__", "Div": "__truediv__", "Pow": "__pow__"}
METHODS = {"exp", "log", "log1p", "sqrt", "cosh", "sinh", "tanh", "erf", "erfinv"}
RELATIONS = {"=": fmpq.__eq__, "<=": fmpq.__le__, "<": fmpq.__lt__, "!=": fmpq.__ne__}
FALLING: dict[str, Any] = {  # evaluated at both ends of a ball, which encloses what is between
    "erfc": lambda x: x.erfc(),
    "tail": lambda x: (x / arb(2).sqrt()).erfc() / 2,
    "quantile": lambda p: arb(2).sqrt() * (2 * p).erfcinv(),
    "mills": lambda x: (arb.pi() / 2).sqrt() * (x * x / 2).exp() * (x / arb(2).sqrt()).erfc(),
}


def rational(text: str) -> fmpq:
    return fmpq(*map(int, text.split("/")))


def value(node: ast.expr, point: dict[str, arb]) -> arb:
    match node:
        case ast.Constant(value=int(n)):
            return arb(n)
        case ast.Name(id=name) if name in point or name == "pi":
            return point[name] if name in point else arb.pi()
        case ast.UnaryOp(op=ast.USub(), operand=x):
            return -value(x, point)
        case ast.BinOp(left=x, op=ast.Pow(), right=ast.Constant(value=int(n))):
            return value(x, point) ** n  # a square of a ball around 0 stays >= 0
        case ast.BinOp(left=x, op=op, right=y) if type(op).__name__ in OPERATORS:
            return getattr(value(x, point), OPERATORS[type(op).__name__])(value(y, point))
        case ast.Call(func=ast.Name(id=name), args=[x]) if name in FALLING:
            inner = value(x, point)
            return FALLING[name](arb(inner.lower())).union(FALLING[name](arb(inner.upper())))
        case ast.Call(func=ast.Name(id=name), args=[x]) if name in METHODS:
            return getattr(value(x, point), name)()
    raise LookupError(ast.unparse(node))


def box_is_positive(data: Any) -> bool:
    formula, names = ast.parse(data["formula"], mode="eval").body, list(data["box"])
    stack = [[(rational(low), rational(high)) for low, high in data["box"].values()]]
    for mark in data["tree"]:
        box = stack.pop()
        if mark == ".":
            ball = {n: arb(low).union(arb(high)) for n, (low, high) in zip(names, box, strict=True)}
            if not value(formula, ball) > 0:
                return False
        else:
            k, (low, high) = int(mark), box[int(mark)]
            halves = (((low + high) / 2, high), (low, (low + high) / 2))
            stack += [[*box[:k], half, *box[k + 1 :]] for half in halves]
    return bool(data["tree"]) and not stack


def is_true(data: Any) -> bool | None:
    if data["kind"] == "comparisons":
        rows = data["comparisons"]
        return bool(rows) and all(RELATIONS[r](rational(a), rational(b)) for a, r, b in rows)
    if data["kind"] == "all":
        return bool(data["parts"]) and all(is_true(part) for part in data["parts"])
    with ctx.workprec(data.get("precision", 256)):
        if data["kind"] == "positive on a box":
            return box_is_positive(data)
        if data["kind"] not in ("zero", "nonnegative"):
            return None  # cited: nothing to check
        node = ast.parse(data["formula"], mode="eval").body
        balls = [value(node, {n: arb(rational(x)) for n, x in p.items()}) for p in data["points"]]
        if data["kind"] == "zero":
            return bool(balls) and all(ball.contains(0) and ball.rad() < 1e-30 for ball in balls)
        return bool(balls) and all(ball.is_finite() and not ball < 0 for ball in balls)


def recheck(proof: Any) -> list[int]:
    """How many steps of a proof, and of those it uses, are [verified, refused, not checkable here]."""
    counts = [0, 0, 0]
    for step in proof["steps"]:
        try:
            result = is_true(step["certificate"]) if step["holds"] else False
        except LookupError:  # an integral, say, that balls alone cannot evaluate
            result = None
        counts[(True, False, None).index(result)] += 1
    return [sum(column) for column in zip(counts, *map(recheck, proof["uses"]), strict=True)]


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        verified, refused, unchecked = recheck(json.load(file))
    sys.stdout.write(f"{verified} verified, {refused} refused, {unchecked} not checkable here\n")
    sys.exit(0 if verified and not refused else 1)
