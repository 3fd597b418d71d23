"""Compositions fixed in advance, in doubles and in fractions: none lies below the true hockey-stick."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import pairwise, product

import numpy as np
from flint import arb, ctx

from filterproof.filters.accounting.charge_rules import (
    ChargeRule,
    gdp_charge,
    pure_charge,
    renyi_charge,
    zcdp_charge,
)
from filterproof.filters.certified.comparison import Comparison, Comparisons
from filterproof.filters.certified.decisions import constructor_refuses
from filterproof.filters.rules.blackwell import gaussian_cover
from filterproof.filters.rules.guarantee_budget import promised_budget
from filterproof.filters.rules.menu_composition import composed_hockey_stick, composed_pld
from filterproof.theory.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP
from filterproof.theory.numerics.precision_lock import PRECISION_LOCK
from filterproof.theory.pairs import KOV, DominatingPair, Erasure, FinitePair, RandomizedResponse
from filterproof.theory.pairs.base import ExactMasses
from filterproof.theory.pairs.normal_distribution import hockey_stick, tail
from filterproof.theory.pairs.reference_values import ball_of

_CLAIMS = Comparisons("natural filter")
_PAIRS: tuple[DominatingPair, ...] = (
    RandomizedResponse.from_ratio(Fraction(3, 2)),
    KOV.from_ratio(2, Fraction(1, 8)),
    FinitePair(
        (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)), (Fraction(1, 4), Fraction(1, 4), Fraction(1, 2))
    ),
    Erasure(1 / 16, exact=Fraction(1, 16)),
)
_COUNTS = ((3, 0, 0, 0), (1, 2, 0, 0), (0, 0, 3, 0), (1, 1, 1, 1), (0, 2, 0, 2), (5, 0, 1, 0))
_RATIOS = (Fraction(1), Fraction(11, 10), Fraction(2), Fraction(9, 4), Fraction(7, 2))
#: Losses are rounded up by at most 2^-40 for each of at most six mechanisms, and masses by 1e-12.
_RAISED = 6 * 2.0**-40 + 2e-12
_STEP = 2.0**-7


def compositions() -> Iterator[Comparison]:
    """Composed distributions, covers by a Gaussian, and promises that follow from no sum."""
    for counts in _COUNTS:
        yield from _finite(counts)
    yield from _covers()
    yield from _refusals()


def _finite(counts: tuple[int, ...]) -> Iterator[Comparison]:
    forward = _product(counts, swap=False)
    backward = _product(counts, swap=True)
    losses, masses = composed_pld(_PAIRS, counts)
    turned = composed_pld(tuple(pair.swapped for pair in _PAIRS), counts)
    for ratio in _RATIOS:
        says = f"used {counts} times, at e^eps = {ratio}"
        truth = max(_hockey_stick(forward, ratio), _hockey_stick(backward, ratio))
        exact = composed_hockey_stick(_PAIRS, counts, ratio)
        yield _CLAIMS.equal(f"composed_hockey_stick, {says}", exact, truth)
        for condition, own in (((losses, masses), forward), (turned, backward)):
            value, of = _of_mechanism(*condition, ratio), _hockey_stick(own, ratio)
            yield _CLAIMS.at_least(f"composed_law, {says}", value, of, slack=_RAISED, least=_RAISED)


def _product(counts: tuple[int, ...], *, swap: bool) -> list[tuple[Fraction, Fraction]]:
    """The P- and Q-masses of every sequence of outcomes."""
    rounds: list[list[tuple[Fraction, Fraction]]] = []
    for pair, count in zip(_PAIRS, counts, strict=True):
        masses: ExactMasses | None = pair.exact_masses
        assert masses is not None
        both = list(zip(masses.p, masses.q, strict=True))
        rounds += [[(q, p) if swap else (p, q) for p, q in both]] * count
    return [(math.prod(p for p, _ in path), math.prod(q for _, q in path)) for path in product(*rounds)]  # type: ignore[misc]


def _hockey_stick(condition: list[tuple[Fraction, Fraction]], ratio: Fraction) -> Fraction:
    return sum((max(p - ratio * q, Fraction(0)) for p, q in condition), Fraction(0))


def _of_mechanism(losses: np.ndarray, masses: np.ndarray, ratio: Fraction) -> Fraction:
    """A lower bound on the hockey-stick of a distribution in doubles, exact to 2^-100."""
    with PRECISION_LOCK, ctx.workprec(160):
        total, odds = arb(0), ball_of(ratio)
        for loss, mass in zip(losses.tolist(), masses.tolist(), strict=True):
            if loss == math.inf:
                total += arb(mass)
            elif mass > 0:
                total += arb(mass) * (1 - odds * (-arb(loss)).exp()).max(arb(0))
        return Fraction(str(total.lower().fmpq()))


def _covers() -> Iterator[Comparison]:
    """A Gaussian covers the chords of a curve where their ends lie under its tangents, and not a little below."""
    menu = (RandomizedResponse(0.25),)
    for count in (1, 4, 16):
        mu = gaussian_cover(menu, (count,))
        losses, masses = composed_pld(menu, (count,))
        eps = np.linspace(0.0, float(losses.max()) + 1e-9, 1025)
        z = np.exp(eps)
        height = np.array([float(np.maximum(1 - np.exp(e - losses), 0.0) @ masses) for e in eps])
        says = f"gaussian_cover of {count} RandomizedResponse(0.25)"
        yield _CLAIMS.equal(f"{says}: cells of its grid that it does not cover", _uncovered(mu, z, height), 0)
        below = _uncovered(mu * (1 - 3e-9), z, height)
        yield _CLAIMS.at_least(f"{says}: cells that 3e-9 less does not cover", below, 1, slack=None)
    uneven = _PAIRS[2]
    for one, other in ((uneven, uneven.swapped), (uneven.swapped, uneven)):
        value, truth = gaussian_cover((one,), (1,)), gaussian_cover((other,), (1,))
        yield _CLAIMS.near_truth(
            f"gaussian_cover of {one!r}, as of the other direction", value, truth, slack=1e-8
        )


def _uncovered(mu: float, z: np.ndarray, height: np.ndarray) -> int:
    """Cells of the grid over which the Gaussian's tangent at the midpoint does not lie over the chord, in balls."""
    wrong = 0
    with PRECISION_LOCK, ctx.workprec(80):
        m = arb(mu)
        for (left, right), (low, high) in zip(pairwise(z.tolist()), pairwise(height.tolist()), strict=True):
            middle = (arb(left) + arb(right)) / 2
            e = middle.log()
            value, far = hockey_stick(m, e), tail(e / m + m / 2)
            over = (value - far * (arb(end) - middle) - arb(at) for end, at in ((left, low), (right, high)))
            wrong += not all(gap > 0 for gap in over)
    return wrong


def _refusals() -> Iterator[Comparison]:
    """A promise that no theorem joins to a sum of the charges has no budget."""
    low, high = renyi_charge.at(2.5), renyi_charge.at(8.0)
    pure, gaussian = PureDP(1.0), GaussianDP(1.0)
    unjoined: tuple[tuple[ChargeRule, Guarantee], ...] = (
        *((low, promise) for promise in (RenyiDP(2.75, 1.0), RenyiDP(4.0, 1.0), ZCDP(1.0), gaussian)),
        *((charge, pure) for charge in (high, gdp_charge, zcdp_charge)),
        *((zcdp_charge, gaussian), (renyi_charge.at(1.0), ApproxDP(1.0, 1e-5)), (pure_charge, gaussian)),
    )
    for charge, promise in unjoined:
        given = 0 if constructor_refuses(partial(promised_budget, charge, promise)) else 1
        yield _CLAIMS.equal(f"promised_budget of {charge!r} for {promise}, which does not follow", given, 0)
