"""Games with infinite losses whose hockey-sticks are known."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from scipy.special import expit

from filters import (
    ApproximateZCDPFilter,
    BasicFilter,
    PrivacyFilter,
    RogersFilter,
    WhitehouseFilter,
)
from mc.engine.adversary import Adversary, View
from theory.pairs import (
    KOV,
    DominatingPair,
    Erasure,
    FinitePair,
    RandomizedResponse,
    Selection,
)


def composed(pair: KOV, rounds: int, epsilon: float) -> float:
    """H_{e^epsilon} of `rounds` rounds of KOV chosen in advance: a sum over the binomial law."""
    e, d = float(pair.epsilon), float(pair.delta)
    finite = sum(
        math.comb(rounds, k)
        * expit(e) ** k
        * expit(-e) ** (rounds - k)
        * -math.expm1(min(epsilon - (2 * k - rounds) * e, 0.0))
        for k in range(rounds + 1)
    )
    return float(-math.expm1(rounds * math.log1p(-d)) + (1 - d) ** rounds * finite)


FILTERS = [
    ApproximateZCDPFilter(rho=0.1, xi=0.1),
    BasicFilter(epsilon=1.3, delta=0.1),
    WhitehouseFilter(epsilon=2.0, delta=0.2),
    RogersFilter(epsilon=2.0, delta=0.2),
]


SKEWED = FinitePair((0.7, 0.2, 0.1), (0.4, 0.35, 0.25))
STEPS: tuple[Any, ...] = (
    KOV(0.4, 0.01),
    (SKEWED, KOV(0.8, 0.03)),
    (Erasure(0.02), RandomizedResponse(0.6)),
    (KOV(0.3, 0.01), Erasure(0.05)),
)


@dataclass(frozen=True)
class Tree(Adversary):
    """After the first round the request hangs on the sign of the loss so far."""

    @property
    def horizon(self) -> int:
        return len(STEPS)

    def request(self, view: View) -> DominatingPair:
        return STEPS[0] if view.round == 0 else Selection(STEPS[view.round], view.loss > 0)


def leaves(pair: DominatingPair, direction: str) -> list[tuple[float, float]]:
    """(log P/Q, probability under the law drawn from) of each outcome."""
    if isinstance(pair, FinitePair):
        p, q = pair.p, pair.q
        law = p if direction == "PQ" else q
        return [(math.log(a / b), float(m)) for a, b, m in zip(p, q, law, strict=True)]
    e = float(getattr(pair, "epsilon", 0.0))
    d = float(pair.p if isinstance(pair, Erasure) else getattr(pair, "delta", 0.0))
    sign = 1 if direction == "PQ" else -1
    return [
        (sign * math.inf, d),
        (sign * e, (1 - d) * expit(e)),
        (-sign * e, (1 - d) * expit(-e)),
    ]


def enumerated(filt: PrivacyFilter, epsilon: float, direction: str) -> float:
    """H_{e^epsilon} of Tree's transcript under the filter, by visiting every leaf, infinite losses drawn."""
    sign = 1 if direction == "PQ" else -1

    def visit(depth: int, loss: float, chance: float, state: Any) -> float:
        if not math.isfinite(loss):
            return chance
        over = chance * -math.expm1(min(epsilon - sign * loss, 0.0))
        if depth == len(STEPS):
            return over
        pair = STEPS[0] if depth == 0 else STEPS[depth][int(loss > 0)]
        if not filt.admits(state, pair)[0]:
            return over
        after = filt.spend(state, pair)
        return sum(visit(depth + 1, loss + one, chance * m, after) for one, m in leaves(pair, direction))

    return visit(0, 0.0, 1.0, filt.start(1))
