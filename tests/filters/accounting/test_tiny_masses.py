"""Rényi charges of pairs with masses far below any double: never below the divergence, in balls."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from functools import cache

import pytest
from flint import arb, ctx

import filterproof as fp
from filters.accounting.charge_rules import renyi_charge
from theory.numerics.exact import rational

ORDERS = (1 + 2.0**-52, 1 + 1e-9, 1.01, 1.5, 2.0, 17.3, 64.0, 1e3)


def law(rng: random.Random, outcomes: int) -> list[Fraction]:
    scales = (0, 0, 1, 5, 20, 150, 290, 300, 307, 310, 322, 330, 500)
    masses = [Fraction(rng.random()) / 2 / outcomes / 10 ** rng.choice(scales) for _ in range(outcomes - 1)]
    return [*masses, 1 - sum(masses)]


def divergence(pair: fp.FinitePair, alpha: float) -> arb:
    """The larger of both directions."""
    b = arb(rational(Fraction(alpha))) - 1
    both = []
    for p, q in ((pair.p, pair.q), (pair.q, pair.p)):
        terms = [
            arb(rational(Fraction(x))) * (b * arb(rational(Fraction(x) / Fraction(y))).log()).exp()
            for x, y in zip(p, q, strict=True)
        ]
        both.append(sum(terms, arb(0)).log() / b)
    return both[0].max(both[1])


@cache
def made() -> list[fp.FinitePair]:
    rng = random.Random(5)
    pairs = [fp.FinitePair(law(rng, k), law(rng, k)) for k in (2, 2, 3, 5) for _ in range(40)]
    # in both directions an outcome that is e^704 times as likely, and beside it nearly nothing
    tiny, small, large, less = (
        Fraction(1, 10**900),
        Fraction(1, 10**594),
        Fraction(93, 100),
        Fraction(5, 10**18),
    )
    p = (tiny, small, large, 1 - large - tiny - small)
    q = (small, tiny, large * (1 - less), 1 - small - tiny - large * (1 - less))
    return [*pairs, fp.FinitePair(p, q)]


@pytest.mark.parametrize("alpha", ORDERS)
def test_a_charge_is_at_least_the_divergence_whatever_the_masses(alpha: float) -> None:
    with ctx.workprec(6000):
        for pair in made():
            charged = float(renyi_charge(pair, alpha).x)  # type: ignore[union-attr]
            assert math.isinf(charged) or divergence(pair, alpha) <= arb(charged), pair
