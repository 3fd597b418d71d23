"""Rényi divergences in closed form: Gaussians, randomised response, erasure, and the KOV pair."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product

import sympy as sp

from theory.claims.notations import Formula
from theory.claims.theorem import Step, Theorem
from theory.proofs.engines import Inequality, exact
from theory.proofs.expressions import as_written
from theory.proofs.rational_pairs import RationalPair
from theory.proofs.symbolic import Sides, signed, zero

__all__ = ["THEOREM"]

mu, t, e, level, odds, g = sp.symbols("mu t e K o g", positive=True)
p, d, rest, keep, turn = sp.symbols("p d rest k h", positive=True)
v, w, above, other = sp.symbols("v w x y", nonnegative=True)
# a hockey-stick: p = g q + x, and a place between two orders
order, q = sp.symbols("g q", positive=True)
share, fall = 1 / (1 + v), sp.Symbol("z", nonnegative=True)
z = sp.Symbol("z", real=True)
alpha = 1 + t
HALF = sp.Rational(1, 2)


def _gaussian(half: sp.Expr = HALF) -> Sides:
    # under Q the loss is -mu^2/2 + mu z; the exponent is that of N(alpha mu, 1) plus a constant
    exponent = alpha * (mu * z - mu**2 / 2) - z**2 / 2
    return exponent, -((z - alpha * mu) ** 2) / 2 + half * t * alpha * mu**2


def _response(shift: sp.Expr = HALF) -> Sides:
    heads = 1 / (1 + sp.exp(e))
    moment = heads * sp.exp(alpha * e) + (1 - heads) * sp.exp(-alpha * e)
    return moment, sp.cosh((alpha - shift) * e) / sp.cosh(e / 2)


def _max_divergence(sign: int = -1) -> Sides:
    # e^{(alpha-1)(e - D_alpha)} in closed form: between 1 and 2, so D_alpha tends to e as 1/(alpha-1)
    ratio = sp.exp(t * e) * sp.cosh(e / 2) / sp.cosh((t + HALF) * e)
    return ratio, (1 + sp.exp(-e)) / (1 + sp.exp(sign * (2 * t + 1) * e))


def _erasure(power: sp.Expr | None = None) -> Sides:
    # an outcome of P-mass p and Q-mass eta adds p^alpha eta^{1-alpha} to the moment; this eta makes it K
    eta = p * (p / level) ** (1 / t if power is None else power)
    return p**alpha * eta**-t, level


def _kov_curve(slope: sp.Expr | int = 1) -> Sides:
    # hockey-stick at g <= e^e, from the outcomes of loss +inf and +e, and the line in g
    high = odds / (1 + odds)
    reached = d + (1 - d) * (high - g * (1 - high))
    return reached, d + (1 - d) * (odds - slope * g) / (1 + odds)


def _kov_moment(factor: sp.Expr | int = 1) -> Sides:
    # outcomes of finite loss: rest = 1 - d times those of randomised response, of probabilities k and h
    high = (rest * keep) ** alpha * (rest * turn) ** -t
    low = (rest * turn) ** alpha * (rest * keep) ** -t
    return high + low, factor * rest * (keep**alpha * turn**-t + turn**alpha * keep**-t)


def _short() -> tuple[sp.Expr, tuple[sp.Expr, ...]]:
    # (1 + E) - (1 + E^(2 alpha - 1)), E = e^-e, and the integral that it equals
    gap = sp.exp(-e) - sp.exp(-(2 * t + 1) * e)
    return gap, (sp.exp(-e) * sp.Integral(sp.exp(-v), (v, 0, 2 * t * e)),)


def _not_far() -> tuple[sp.Expr, tuple[sp.Expr, ...]]:
    # 2 (1 + E^(2 alpha - 1)) - (1 + E)
    power = sp.exp(-(2 * t + 1) * e)
    gap = 2 * (1 + power) - (1 + sp.exp(-e))
    return gap, (2 * power, sp.Integral(sp.exp(-v), (v, 0, e)))


@as_written
def _dual(factor: sp.Expr = order) -> Sides:
    # x and y the positive parts of p - g q and of g q - p, so p = g q + x - y, and y/g that of q - p/g
    difference = (order * q + above - other) - order * q
    return above, difference + factor * (other / order)


def _chords() -> sp.Expr:
    inside = share * (above - w) + (1 - share) * (other - fall)
    return share * above + (1 - share) * other - inside


@as_written
def _chord(at: sp.Expr, reached: sp.Expr) -> Sides:
    # the KOV line of slope -(1-d)/(1 + e^e) at an order, and the largest possible hockey-stick there
    return d + (1 - d) * (odds - at) / (1 + odds), reached


def _pairs(promise: Fraction = Fraction(1)) -> Callable[[], Iterator[Inequality]]:
    """Hockey-sticks of erasure and KOV at rational points: p at every order >= 1, and d at e^e."""

    def comparisons() -> Iterator[Inequality]:
        grid = (Fraction(1, 100), Fraction(1, 3), Fraction(1, 2))
        for chance, ratio in product(grid, (Fraction(1), Fraction(3, 2), Fraction(100))):
            erasure = RationalPair((chance, Fraction(0), 1 - chance), (Fraction(0), chance, 1 - chance))
            high = ratio / (1 + ratio)
            kov = RationalPair(
                (chance, (1 - chance) * high, (1 - chance) * (1 - high), Fraction(0)),
                (Fraction(0), (1 - chance) * (1 - high), (1 - chance) * high, chance),
            )
            for pair in (erasure, erasure.swapped, kov, kov.swapped):
                yield pair.hockey_stick(ratio), "=", promise * chance

    return comparisons


_GAUSSIAN = Formula("alpha*mu**2/2", alpha=("3/2", "9"), mu=("1/8", "3"))

THEOREM = Theorem(
    name="Rényi divergences",
    title="Rényi divergences of the field's pairs",
    source="Mironov; Kairouz, Oh & Viswanath, Theorem 3.4 in the order of hockey-sticks",
    hypotheses="every order alpha > 1; Gaussian mu > 0, randomised response e > 0, erasure and KOV with "
    "0 < p, d < 1 and e > 0",
    claim="Gaussians have alpha mu^2/2; randomised response the cosine form, short of e by at most "
    "log 2/(alpha - 1); erasure and KOV are infinite at every order although they are (0, p)-DP and (e, d)-DP; "
    "no (e, d)-DP pair has a hockey-stick above that of KOV at any order > 0",
    stated=(r"D_\alpha(\mathcal N(\mu,1)\|\mathcal N(0,1)) = ", _GAUSSIAN),
    steps=(
        Step(
            "Gaussian: e^(alpha L) under Q is the density of N(alpha mu,1) by e^((alpha-1) alpha mu^2/2).",
            zero(_gaussian),
            {"alpha mu^2": zero(lambda: _gaussian(sp.Integer(1)))},
            r"\alpha\left(\mu z - \tfrac{\mu^2}2\right) - \tfrac{z^2}2 = -\tfrac{(z-\alpha\mu)^2}2"
            r" + (\alpha-1)\tfrac{\alpha\mu^2}2",
        ),
        Step(
            "Randomised response: a ratio of hyperbolic cosines.",
            zero(_response),
            {"alpha - 1 instead of alpha - 1/2": zero(lambda: _response(sp.Integer(1)))},
            r"e^{(\alpha-1)D_\alpha} = \frac{\cosh((\alpha-\frac12)e)}{\cosh(e/2)}",
        ),
        Step(
            "It falls short of the max-divergence e by log((1 + E)/(1 + E^(2 alpha - 1)))/(alpha - 1) with "
            "E = e^-e.",
            zero(_max_divergence),
            {"wrong sign": zero(lambda: _max_divergence(1))},
            r"(\alpha-1)(e - D_\alpha) = \log\frac{1+e^{-e}}{1+e^{-(2\alpha-1)e}}",
        ),
        Step(
            "That is at least 0: E >= E^(2 alpha - 1) ...",
            *signed(lambda: _short()[0], lambda: _short()[1], wrong="wrong sign"),
            r"E - E^{2\alpha-1} = E\int_0^{2(\alpha-1)e}e^{-v}\,dv \ge 0",
        ),
        Step(
            "... and at most log 2/(alpha - 1): 1 + E is below 2 (1 + E^(2 alpha - 1)).",
            *signed(lambda: _not_far()[0], lambda: _not_far()[1], strict=True, wrong="wrong sign"),
            r"2(1+E^{2\alpha-1}) - (1+E) = 2E^{2\alpha-1} + \int_0^e e^{-v}\,dv > 0",
        ),
        Step(
            "Erasure: an outcome of P-mass p with Q-mass p (p/K)^(1/(alpha-1)) alone makes the "
            "moment K, so at "
            "Q-mass 0 it is above every K.",
            zero(_erasure),
            {"power 1": zero(lambda: _erasure(sp.Integer(1)))},
            r"p^\alpha\eta^{1-\alpha} = K \text{ at } \eta = p\,(p/K)^{1/(\alpha-1)}",
        ),
        Step(
            "KOV: its hockey-stick below e is the line through d at e^e.",
            zero(_kov_curve),
            {"1 % steeper": zero(lambda: _kov_curve(sp.Rational(101, 100)))},
            r"H_g = d + (1-d)\frac{e^e - g}{1+e^e},\quad 1 \le g \le e^e",
        ),
        Step(
            "Its outcomes of finite loss carry (1-d) times the moment of randomised response; "
            "the outcome of infinite loss makes the whole infinite as for erasure.",
            zero(_kov_moment),
            {"1 % more": zero(lambda: _kov_moment(sp.Rational(101, 100)))},
            r"\sum_{y:\,L(y)<\infty} P(y)^\alpha Q(y)^{1-\alpha} ="
            r" (1-d)\,e^{(\alpha-1)D_\alpha(\mathrm{RR})}",
        ),
        Step(
            "Instances: 9 points, both directions: hockey-stick p of erasure, d of KOV at e^e.",
            exact(_pairs()),
            {"1 % less": exact(_pairs(Fraction(99, 100)))},
            r"H_{e^\varepsilon}(\mathrm{erasure}) = p,\quad H_{e^e}(\mathrm{KOV}) = d",
        ),
        Step(
            "A hockey-stick H_g is the sum of (p - g q)_+, which is p - g q plus g (q - p/g)_+: it is 1 - g + g "
            "H_(1/g) of the other direction. So (e, d)-DP both ways bounds it by d at e^e, by 1 - e^-e (1-d) at e^-e, "
            "...",
            zero(_dual),
            {"without the factor g": zero(lambda: _dual(sp.Integer(1)))},
            r"H_g(P\|Q) = 1 - g + g\,H_{1/g}(Q\|P)",
        ),
        Step(
            "... and in between by the chord, as (p - g q)_+ is convex in g: here x and y are its values at two "
            "orders, w and z what p - g q is below them, and 1/(1+v) the place between.",
            *signed(_chords, lambda: (w * share, fall * v / (1 + v)), wrong="concave"),
            r"ux + (1-u)y - \left(u(x-w) + (1-u)(y-z)\right) = uw + (1-u)z \ge 0",
        ),
        Step(
            "The line of KOV goes through the upper end of that chord ...",
            zero(lambda: _chord(odds, d)),
            {"1 % more": zero(lambda: _chord(odds, sp.Rational(101, 100) * d))},
            r"g = e^e:\quad d",
        ),
        Step(
            "... and through the lower one: KOV dominates every (e, d)-DP pair.",
            zero(lambda: _chord(1 / odds, 1 - (1 - d) / odds)),
            {"without 1-d": zero(lambda: _chord(1 / odds, 1 - 1 / odds))},
            r"g = e^{-e}:\quad 1 - e^{-e} + e^{-e}d",
        ),
    ),
)
