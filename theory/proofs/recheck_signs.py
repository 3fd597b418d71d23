"""Signs of terms for `recheck.py`, as far as they follow from the ranges of the symbols.

Stand-alone: the standard library only.
"""

import ast

if __package__:
    from .recheck_algebra import Algebra, UndecidedError
else:  # beside recheck.py, which is run as a script
    from recheck_algebra import Algebra, UndecidedError  # type: ignore[import-not-found,no-redef]


def evident(algebra: Algebra, node: ast.AST) -> int:
    """2 if the term is > 0 wherever its symbols are in their ranges, 1 if >= 0, 0 if that is not evident."""
    match node:
        case ast.BinOp(left=x, op=ast.Add(), right=y):
            a, b = evident(algebra, x), evident(algebra, y)
            if a and b:
                return max(a, b)
        case ast.BinOp(left=x, op=ast.Mult() | ast.Div() as op, right=y):
            a, b = evident(algebra, x), evident(algebra, y)
            if a and b and (b == 2 or isinstance(op, ast.Mult)):
                return min(a, b)
        case ast.BinOp(left=x, op=ast.Pow(), right=y):
            a = evident(algebra, x)
            if a == 2 and real(algebra, y):
                return 2
            if a == 1 and evident(algebra, y) == 2:
                return 1
            if isinstance(y, ast.Constant) and y.value in range(2, 66, 2) and real(algebra, x):
                return 1
        case ast.Call(func=ast.Name(id="exp" | "erfc"), args=[x]) if real(algebra, x):
            return 2
        case ast.Call(func=ast.Name(id="sqrt"), args=[x]):
            return evident(algebra, x)
        case ast.Call(func=ast.Name(id="Integral"), args=[f, ast.Tuple(elts=[ast.Name(id=v), low, high])]):
            inside = algebra.domain.get(v) == "real" or (
                algebra.domain.get(v) in ("positive", "nonnegative") and evident(algebra, low)
            )
            width = ast.BinOp(high, ast.Sub(), low) if ast.unparse(low) != "0" else high
            return min(evident(algebra, f), evident(algebra, width)) if inside else 0
    if not real(algebra, node):
        return 0  # the sign that the algebra gives, as for exp(y log x), holds only where all parts are real
    try:
        n, d = algebra.read(node)
    except UndecidedError:
        return 0
    return algebra.sign(n) if n and algebra.sign(d) == 2 else int(not n)


def real(algebra: Algebra, node: ast.AST) -> bool:
    """Whether the term is evidently real wherever it is defined and its symbols are in their ranges."""
    match node:
        case ast.Constant() | ast.Name():
            return True
        case ast.UnaryOp(operand=x):
            return real(algebra, x)
        case ast.BinOp(left=x, op=ast.Pow(), right=y):
            return (evident(algebra, x) == 2 and real(algebra, y)) or (
                isinstance(y, ast.Constant) and real(algebra, x)
            )
        case ast.BinOp(left=x, right=y):
            return real(algebra, x) and real(algebra, y)
        case ast.Call(func=ast.Name(id="sqrt"), args=[x]):
            return evident(algebra, x) > 0
        case ast.Call(func=ast.Name(id="exp" | "erfc"), args=[x]):
            return real(algebra, x)
    return False
