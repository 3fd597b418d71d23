"""Compositions of finite pairs by enumeration in fractions, and Rényi divergences in mpmath: a second route."""

import random
from collections.abc import Iterable
from fractions import Fraction

import mpmath

from filterproof.theory.pairs import FinitePair


def real(x: Fraction | float | mpmath.mpf) -> mpmath.mpf:
    if isinstance(x, mpmath.mpf):
        return x
    x = Fraction(x)
    return mpmath.mpf(x.numerator) / x.denominator


Distribution = list[tuple[Fraction, Fraction]]


def composed(
    pair: FinitePair, times: int, before: Iterable[tuple[Fraction, Fraction]] | None = None
) -> Distribution:
    """(P-mass, Q-mass) of every outcome of the releases that P can produce, equal ratios joined."""
    masses = [(p, q) for p, q in zip(pair.exact_masses.p, pair.exact_masses.q, strict=True) if p > 0]
    distribution = {p / q if q else None: (p, q) for p, q in before or [(Fraction(1), Fraction(1))]}
    for _ in range(times):
        after: dict[Fraction | None, tuple[Fraction, Fraction]] = {}
        for a, b in distribution.values():
            for p, q in masses:
                ratio = b * q / (a * p)
                before = after.get(ratio, (Fraction(0), Fraction(0)))
                after[ratio] = (before[0] + a * p, before[1] + b * q)
        distribution = after
    return list(distribution.values())


def renyi(pair: FinitePair, order: float) -> mpmath.mpf:
    a = real(order)
    masses = zip(pair.exact_masses.p, pair.exact_masses.q, strict=True)
    return mpmath.log(sum(real(p) ** a * real(q) ** (1 - a) for p, q in masses if p > 0)) / (a - 1)


def random_pair(rng: random.Random) -> FinitePair:
    """Two to four outputs, of which one may be a million times as likely as others, or impossible."""
    while True:
        n = rng.randint(2, 4)
        a, b = ([rng.randint(0, 9) for _ in range(n)] for _ in range(2))
        a[0] *= rng.choice((1, 10**6))
        b[-1] *= rng.choice((1, 10**9))
        if sum(a) and sum(b):
            return FinitePair(tuple(Fraction(x, sum(a)) for x in a), tuple(Fraction(x, sum(b)) for x in b))
