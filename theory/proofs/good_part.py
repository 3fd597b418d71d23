"""An (e, d)-DP pair is 1 - d times an e-DP pair plus a rest, in both worlds alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product

import sympy as sp

from theory.claims.notations import Formula
from theory.claims.table import in_kernel
from theory.claims.theorem import Step, Theorem
from theory.proofs.engines import Inequality, exact
from theory.proofs.expressions import as_written
from theory.proofs.rational_pairs import RationalPair
from theory.proofs.symbolic import Sides, signed, zero

__all__ = ["THEOREM"]

# g = 1 + r is e^e; d1 <= d2 <= d are the hockey-sticks, d2 = d1 + s and 1 - d = (1 - d2)/(1 + z), the scale 1/(1 + z).
q, m, kept = sp.symbols("q m k", positive=True)
r, x, s, z, a = sp.symbols("r x s z a", nonnegative=True)
g = 1 + r


@as_written
def _smaller(one: sp.Expr, other: sp.Expr) -> sp.Expr:
    return (one + other - sp.Abs(one - other)) / 2


@as_written
def _cut(excess: sp.Expr = x) -> Sides:
    # p = g q + x: what is kept of p, and g times what is kept of q, which is q
    return _smaller(g * q + excess, g * q), g * q


def _other_way() -> sp.Expr:
    # there p is kept as g q: g times that is at least q
    return g * (g * q) - q


def _scaled() -> sp.Expr:
    # the smaller of m + a and m, scaled: the first itself is more
    return (m + a) - m / (1 + z)


def _room() -> sp.Expr:
    # with 1 - d2 = kept and 1 - d1 = kept + s: what is kept of p, scaled, is at least the scaled mass
    return (kept + s) / (1 + z) - kept / (1 + z)


def _parts(ratio: Fraction, pair: RationalPair, least: Fraction) -> tuple[list[Fraction], list[Fraction]]:
    """The good parts of mass 1 - d of a pair, d = `least` of its larger hockey-stick."""
    p = [min(a, ratio * b) for a, b in zip(pair.p, pair.q, strict=True)]
    q = [min(b, ratio * a) for a, b in zip(pair.p, pair.q, strict=True)]
    turned = sum(p) < sum(q)
    if turned:
        p, q = q, p
    mass = 1 - least * (1 - sum(q))
    q = [b * mass / sum(q) for b in q]
    low = [b / ratio for b in q]
    high = [min(a, ratio * b) for a, b in zip(p, q, strict=True)]
    room = sum(high) - sum(low)
    share = (mass - sum(low)) / room if room else Fraction(0)
    p = [a + share * (b - a) for a, b in zip(low, high, strict=True)]
    return (q, p) if turned else (p, q)


def _points(least: Fraction = Fraction(1)) -> Callable[[], Iterator[Inequality]]:
    """Pairs on three outcomes with masses in sixths, at ratio 3/2: their good parts, found as in the steps."""
    laws = [(Fraction(i, 6), Fraction(j, 6), Fraction(6 - i - j, 6)) for i in range(7) for j in range(7 - i)]
    ratio = Fraction(3, 2)

    def comparisons() -> Iterator[Inequality]:
        for one, other in product(laws[4::8], laws[3::7]):
            pair = RationalPair(one, other)
            larger = max(pair.hockey_stick(ratio), pair.swapped.hockey_stick(ratio))
            if larger == 1:
                continue  # nothing is common
            found = _parts(ratio, pair, least)
            for part, whole in zip(found, (one, other), strict=True):
                yield sum(part, Fraction(0)), "=", 1 - least * larger
                yield from ((kept, "<=", mass) for kept, mass in zip(part, whole, strict=True))
            for way in (found, found[::-1]):
                yield from ((kept, "<=", ratio * mass) for kept, mass in zip(*way, strict=True))

    return comparisons


_MASS = Formula("(1 - d2)/(1 + z)", d2=("1/64", "3/4"), z=("1/16", "2"))

THEOREM = Theorem(
    name="good part",
    title="The good part of an approximately private pair",
    source="Kairouz, Oh & Viswanath; Murtagh & Vadhan; derived here",
    hypotheses="e >= 0, 0 <= d < 1; a pair with finitely many outcomes that is (e, d)-DP both ways",
    claim="In both worlds it is 1 - d times a law plus d times a rest, and these two laws have ratios from e^-e to "
    "e^e. Below, 1 - d is written with the larger hockey-stick d2 and z >= 0",
    stated=(
        r"P = (1-d)P' + dP'',\quad Q = (1-d)Q' + dQ'',\quad e^{-e} \le \tfrac{dP'}{dQ'} \le e^e,\quad "
        "1-d = ",
        _MASS,
    ),
    steps=(
        *in_kernel("core_exists", "private_is_approximate_zcdp"),
        Step(
            "Keep the smaller of p and g q, and the smaller of q and g p. Where p = g q + x, what is kept are g q and "
            "q; the same the other way round; elsewhere all is kept. So what is kept has a ratio of at most g, ...",
            zero(_cut),
            {"p kept": zero(lambda: (g * q + x, g * q))},
            r"\min(gq+x, gq) = gq",
        ),
        Step(
            "... in both directions, and by definition the kept masses are 1 less the two hockey-sticks.",
            *signed(_other_way, lambda: (q * (2 * r + r**2),), wrong="at most"),
            r"g(gq) - q = q(2r + r^2) \ge 0,\quad g = 1 + r",
        ),
        Step(
            "Scale the smaller of the two, say Q's, by 1/(1+z) to the mass 1 - d. The smaller of p and g q after that "
            "is at least 1/(1+z) of the smaller before, ...",
            *signed(_scaled, lambda: (a, m * z / (1 + z)), wrong="at most"),
            r"(m+a) - \frac{m}{1+z} = a + \frac{mz}{1+z} \ge 0",
        ),
        Step(
            "... so over the outcomes it adds to at least 1 - d, as P kept the more, here k + s against k.",
            *signed(_room, lambda: (s / (1 + z),), wrong="at most"),
            r"\frac{k+s}{1+z} - \frac{k}{1+z} = \frac{s}{1+z} \ge 0",
        ),
        Step(
            "And q/g, at most as large outcome by outcome, ...",
            *signed(lambda: g * q - q / g, lambda: (q * r * (2 + r) / g,), wrong="at least"),
            r"gq - \frac qg = \frac{qr(2+r)}{g} \ge 0",
        ),
        Step(
            "... adds to at most that: between the two there is a P' of mass 1 - d, with ratios from 1/g to g.",
            *signed(lambda: kept - kept / g, lambda: (kept * r / g,), wrong="at least"),
            r"k - \frac kg = \frac{kr}{g} \ge 0",
        ),
        Step(
            "Instances: 12 pairs on three outcomes with masses in sixths, at g = 3/2, the parts found in this way: "
            "their masses are 1 - d, they fit under the pair, and their ratios are at most 3/2.",
            exact(_points()),
            {"10 % less of d": exact(_points(Fraction(9, 10)))},
            r"\tfrac23 \le \frac{dP'}{dQ'} \le \tfrac32",
        ),
    ),
)
