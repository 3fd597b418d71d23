"""Identities for `recheck.py`: quotients of polynomials whose generators are symbols, exp, log, erfc and roots.

Every simplification is an equality (exponents add, logarithms of positive factors add, a root to its power is its
polynomial). So a difference that simplifies to 0 is 0 wherever its parts are real, and any other is undecided.
Stand-alone: the standard library only.
"""

import ast
import math
from fractions import Fraction
from itertools import product


class UndecidedError(Exception):
    """This checker cannot decide a step, which is not an error of the step."""


Mono = tuple[tuple[str, Fraction], ...]
Poly = dict[Mono, Fraction]
Quotient = tuple[Poly, Poly]
ONE: Poly = {(): Fraction(1)}


def text(p: Poly) -> str:
    return " + ".join(
        sorted(f"{c} {m}" for m, c in ((str([(a, str(e)) for a, e in m]), c) for m, c in p.items()))
    )


class Algebra:
    """Quotients of polynomials over symbols of declared ranges; two results are identified only if they are equal."""

    def __init__(self, domain: dict[str, str]) -> None:
        self.domain = domain
        self.roots: dict[str, Poly] = {}  # generators that are fractional powers of a polynomial
        self.logs: dict[str, Quotient] = {}
        self.exps: dict[str, Quotient] = {}

    def generator(self, name: str) -> Quotient:
        return {((name, Fraction(1)),): Fraction(1)}, ONE

    def evident(self, node: ast.AST) -> int:
        """2 if the term is > 0 wherever its symbols are in their ranges, 1 if >= 0, 0 if that is not evident."""
        n, d = self.read(node)
        return self.sign(n) if n and self.sign(d) == 2 else int(not n)

    def constant(self, value: Fraction | int) -> Quotient:
        return ({(): Fraction(value)} if value else {}), ONE

    def sign(self, p: Poly) -> int:
        """2 if every value of the polynomial is > 0, 1 if >= 0, 0 if that is not evident."""

        def of(name: str, power: Fraction) -> int:
            kind = self.domain.get(name, "")
            if name[0] == "#" or name.startswith(("exp ", "erfc ")) or kind.startswith("positive"):
                return 2
            # real where that is not negative; its powers are above 0, others stay below
            if name in self.roots:
                return self.sign(self.roots[name])
            return int(power > 0 and kind.startswith("nonnegative")) or int(power > 0 and power % 2 == 0)

        least = [0 if c < 0 else min((of(*factor) for factor in m), default=2) for m, c in p.items()]
        return max(least) if least and min(least) > 0 else 0

    def times(self, p: Poly, q: Poly) -> Poly:
        total: Poly = {}
        if len(p) * len(q) > 50_000:
            raise UndecidedError("too large")
        for (m, c), (n, d) in product(p.items(), q.items()):
            powers, value = dict(m), c * d
            for name, e in n:
                powers[name] = powers.get(name, Fraction(0)) + e
            extra = []
            for name, e in list(powers.items()):
                if name[0] == "#" and name != "#pi":  # a fractional power of a prime
                    value *= Fraction(int(name[1:])) ** math.floor(e)
                    powers[name] = e - math.floor(e)
                elif name in self.roots and e >= 1:
                    extra.append(self.roots[name])
                    powers[name] = e - 1
            part: Poly = {tuple(sorted((a, e) for a, e in powers.items() if e)): value}
            for factor in extra:
                part = self.times(part, factor)
            for mono, coefficient in part.items():
                total[mono] = total.get(mono, Fraction(0)) + coefficient
        return {m: c for m, c in total.items() if c}

    def quotient(self, n: Poly, d: Poly) -> Quotient:
        if not d:
            raise UndecidedError("division by zero")
        if len(d) == 1:
            ((mono, c),) = d.items()
            if not any(name in self.roots for name, _ in mono):
                return self.times(n, {tuple((name, -e) for name, e in mono): 1 / c}), ONE
        names = {name for m in d for name, _ in m if name not in self.roots and name[0] != "#"}
        out = {tuple((k, -min(dict(m).get(k, Fraction(0)) for m in d)) for k in sorted(names)): Fraction(1)}
        n, d = self.times(n, out), self.times(d, out)  # a factor of the denominator is not 0, so it cancels
        lead = d[min(d)]
        return {m: c / lead for m, c in n.items()}, {m: c / lead for m, c in d.items()}

    def add(self, x: Quotient, y: Quotient, sign: int = 1) -> Quotient:
        if x[1] == y[1]:
            left, right, d = x[0], y[0], x[1]
        else:
            left, right, d = self.times(x[0], y[1]), self.times(y[0], x[1]), self.times(x[1], y[1])
        total = dict(left)
        for m, c in right.items():
            total[m] = total.get(m, Fraction(0)) + sign * c
        return self.quotient({m: c for m, c in total.items() if c}, d)

    def mul(self, x: Quotient, y: Quotient) -> Quotient:
        return self.quotient(self.times(x[0], y[0]), self.times(x[1], y[1]))

    def div(self, x: Quotient, y: Quotient) -> Quotient:
        return self.quotient(self.times(x[0], y[1]), self.times(x[1], y[0]))

    def split(self, p: Poly) -> tuple[Fraction, dict[str, Fraction], Poly]:
        """The polynomial as a product of a positive number, powers of positive generators, and the rest."""
        c = Fraction(
            math.gcd(*(x.numerator for x in p.values())), math.lcm(*(x.denominator for x in p.values()))
        )
        names = {name for m in p for name, _ in m if name not in self.roots}
        names = {name for name in names if self.sign({((name, Fraction(1)),): Fraction(1)}) == 2}
        least = {name: min(dict(m).get(name, Fraction(0)) for m in p) for name in names}
        out: Poly = {tuple((name, -e) for name, e in least.items()): 1 / c}
        return c, least, self.times(p, out)

    def power(self, x: Quotient, e: Fraction) -> Quotient:
        if abs(e) > 64:
            raise UndecidedError("a high power")
        if e < 0:
            return self.div(self.constant(1), self.power(x, -e))
        result = self.constant(1)
        for _ in range(math.floor(e)):
            result = self.mul(result, x)
        if rest := e % 1:
            if not x[0] or self.sign(x[1]) < 2:
                raise UndecidedError("a root of a quotient whose denominator may be negative")
            result = self.mul(result, self.div(self.root(x[0], rest), self.root(x[1], rest)))
        return result

    def root(self, p: Poly, e: Fraction) -> Quotient:
        c, powers, rest = self.split(p)
        result = self.constant(1)
        for prime, sign in [(q, 1) for q in factors(c.numerator)] + [(q, -1) for q in factors(c.denominator)]:
            result = self.mul(result, ({((f"#{prime}", e * sign),): Fraction(1)}, ONE))
        result = self.mul(
            result, ({tuple((name, k * e) for name, k in sorted(powers.items())): Fraction(1)}, ONE)
        )
        if rest != ONE:
            name = f"root {text(rest)}"
            self.roots[name] = rest
            result = self.mul(result, ({((name, e),): Fraction(1)}, ONE))
        return result

    def exp(self, x: Quotient) -> Quotient:
        result = self.constant(1)
        for m, c in x[0].items():
            if x[1] == ONE and len(m) == 1 and m[0][0] in self.logs and m[0][1] == 1:
                result = self.mul(result, self.power(self.logs[m[0][0]], c))  # exp(c log y) = y^c
                continue
            name = f"exp {text({m: Fraction(1)})} / {text(x[1])}"
            self.exps[name] = self.quotient({m: Fraction(1)}, x[1])
            result = self.mul(result, ({((name, c),): Fraction(1)}, ONE))
        return result

    def log(self, x: Quotient) -> Quotient:
        """The logarithm of a product of powers of positive generators."""
        if x[1] != ONE or list(x[0].values()) != [1] or self.sign(x[0]) < 2:
            raise UndecidedError("a logarithm of a sum, or of what may be 0")
        result = self.constant(0)
        for factor, e in next(iter(x[0])):
            name = f"log {factor}"
            self.logs[name] = self.generator(factor)
            one = self.exps.get(factor) or self.generator(name)
            result = self.add(result, self.mul(self.constant(e), one))
        return result

    def erfc(self, x: Quotient) -> Quotient:
        if not x[0]:
            return self.constant(1)
        if x[0][min(x[0])] < 0:  # erfc(-x) = 2 - erfc(x)
            return self.add(self.constant(2), self.erfc(self.mul(self.constant(-1), x)), -1)
        return self.generator(f"erfc {text(x[0])} / {text(x[1])}")

    def read(self, node: ast.AST) -> Quotient:
        match node:
            case ast.Constant(value=int(n)) if not isinstance(n, bool):
                return self.constant(n)
            case ast.Name(id=name) if name in self.domain:
                return self.generator(name)
            case ast.Name(id="pi"):
                return self.generator("#pi")
            case ast.UnaryOp(op=ast.USub(), operand=x):
                return self.mul(self.constant(-1), self.read(x))
            case ast.BinOp(left=x, op=ast.Pow(), right=y):
                return self.raised(self.read(x), self.read(y))
            case ast.BinOp(left=x, op=ast.Add() | ast.Sub() as op, right=y):
                return self.add(self.read(x), self.read(y), 1 if isinstance(op, ast.Add) else -1)
            case ast.BinOp(left=x, op=ast.Mult(), right=y):
                return self.mul(self.read(x), self.read(y))
            case ast.BinOp(left=x, op=ast.Div(), right=y):
                return self.div(self.read(x), self.read(y))
            case ast.Call(
                func=ast.Name(id="Integral"), args=[f, ast.Tuple(elts=[ast.Name(id=v), low, high])]
            ):
                return self.integral(f, v, low, high)
            case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]):
                return self.call(name, self.read(argument))
        raise UndecidedError(ast.dump(node)[:60])

    def call(self, name: str, x: Quotient) -> Quotient:
        match name:
            case "exp" | "log" | "erfc":
                result: Quotient = getattr(self, name)(x)
                return result
            case "sqrt":
                return self.power(x, Fraction(1, 2))
            case "erfinv":
                return self.generator(f"erfinv {text(x[0])} / {text(x[1])}")
        raise UndecidedError(name)

    def integral(self, f: ast.AST, v: str, low: ast.AST, high: ast.AST) -> Quotient:
        """The integral in v of exp(polynomial of degree 2), times constants."""
        match f:
            case ast.BinOp(left=x, op=ast.Mult(), right=y) if v not in names_in(x):
                return self.mul(self.read(x), self.integral(y, v, low, high))
            case ast.BinOp(left=x, op=ast.Div(), right=y) if v not in names_in(y):
                return self.div(self.integral(x, v, low, high), self.read(y))
            case ast.Call(func=ast.Name(id="exp"), args=[x]):
                return self.exponential(self.coefficients(x, v), low, high)
        raise UndecidedError(f"the integral of {ast.unparse(f)[:60]}")

    def coefficients(self, node: ast.AST, v: str) -> list[Quotient]:
        """The coefficients of 1, v, v^2 in a polynomial of v, which hold whatever the range of v is."""
        none = self.constant(0)
        if v not in names_in(node):
            return [self.read(node), none, none]
        match node:
            case ast.Name():
                return [none, self.constant(1), none]
            case ast.UnaryOp(op=ast.USub(), operand=x):
                return [self.mul(self.constant(-1), c) for c in self.coefficients(x, v)]
            case ast.BinOp(left=x, op=ast.Add() | ast.Sub() as op, right=y):
                sign = 1 if isinstance(op, ast.Add) else -1
                both = zip(self.coefficients(x, v), self.coefficients(y, v), strict=True)
                return [self.add(a, b, sign) for a, b in both]
            case ast.BinOp(left=x, op=ast.Div(), right=y) if v not in names_in(y):
                return [self.div(c, self.read(y)) for c in self.coefficients(x, v)]
            case ast.BinOp(left=x, op=ast.Pow(), right=ast.Constant(value=2)):
                return self.coefficients(ast.BinOp(x, ast.Mult(), x), v)
            case ast.BinOp(left=x, op=ast.Mult(), right=y):
                a, b = self.coefficients(x, v), self.coefficients(y, v)
                total = [none] * 5
                for (i, c), (k, d) in product(enumerate(a), enumerate(b)):
                    total[i + k] = self.add(total[i + k], self.mul(c, d))
                if not total[3][0] and not total[4][0]:
                    return total[:3]
        raise UndecidedError("the exponent is no polynomial of degree 2")

    def exponential(self, c: list[Quotient], low: ast.AST, high: ast.AST) -> Quotient:
        """The integral of exp(c0 + c1 v + c2 v^2): c2 < 0, or c2 = 0 and c1 not 0 between finite ends."""
        minus = self.constant(-1)
        if not c[2][0]:
            if not self.nonzero(c[1]):
                raise UndecidedError("a rate that may be 0")
            below, above = (self.exp(self.add(c[0], self.mul(c[1], self.read(x)))) for x in (low, high))
            return self.div(self.add(above, below, -1), c[1])
        width = self.mul(minus, c[2])
        if self.sign(width[0]) < 2 or self.sign(width[1]) < 2:
            raise UndecidedError("an exponent that may grow")
        root = self.power(width, Fraction(1, 2))
        centre = self.div(c[1], self.mul(self.constant(2), root))

        def above_end(x: ast.AST) -> Quotient:
            if ast.unparse(x) in ("oo", "-oo"):
                return self.constant(0 if ast.unparse(x) == "oo" else 2)
            return self.erfc(self.add(self.mul(root, self.read(x)), centre, -1))

        scale = self.mul(
            self.exp(self.add(c[0], self.mul(centre, centre))),
            self.power(self.generator("#pi"), Fraction(1, 2)),
        )
        share = self.add(above_end(low), above_end(high), -1)
        return self.div(self.mul(scale, share), self.mul(self.constant(2), root))

    def nonzero(self, x: Quotient) -> bool:
        return any(self.sign(y[0]) == 2 == self.sign(y[1]) for y in (x, self.mul(self.constant(-1), x)))

    def raised(self, base: Quotient, e: Quotient) -> Quotient:
        if e[1] == ONE and set(e[0]) <= {()}:
            return self.power(base, e[0].get((), Fraction(0)))
        return self.exp(self.mul(e, self.log(base)))


def factors(n: int) -> list[int]:
    """The prime factors of n, with multiplicity."""
    primes, p = [], 2
    while p * p <= n:
        if p > 10_000:
            raise UndecidedError("a large number under a root or logarithm")
        while n % p == 0:
            primes.append(p)
            n //= p
        p += 1
    return primes + [n] * (n > 1)


def names_in(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
