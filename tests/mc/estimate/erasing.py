"""Games with infinite losses whose hockey-sticks are known."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from scipy.special import expit

import filterproof as fp


def composed(pair: fp.KOV, rounds: int, epsilon: float) -> float:
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
    fp.ApproximateZCDPFilter(rho=0.1, xi=0.1),
    fp.BasicFilter(epsilon=1.3, delta=0.1),
    fp.WhitehouseFilter(epsilon=2.0, delta=0.2),
    fp.RogersFilter(epsilon=2.0, delta=0.2),
]


SKEWED = fp.FinitePair((0.7, 0.2, 0.1), (0.4, 0.35, 0.25))
STEPS: tuple[Any, ...] = (
    fp.KOV(0.4, 0.01),
    (SKEWED, fp.KOV(0.8, 0.03)),
    (fp.Erasure(0.02), fp.RandomizedResponse(0.6)),
    (fp.KOV(0.3, 0.01), fp.Erasure(0.05)),
)


#: Without infinite losses.
FINITE: tuple[Any, ...] = (
    fp.RandomizedResponse(0.4),
    (SKEWED, fp.RandomizedResponse(0.8)),
    (fp.RandomizedResponse(0.6), fp.RandomizedResponse(0.2)),
)


@dataclass(frozen=True)
class Tree(fp.Adversary):
    """After the first round the request hangs on the sign of the loss so far."""

    steps: tuple[Any, ...] = STEPS

    @property
    def horizon(self) -> int:
        return len(self.steps)

    def request(self, view: fp.View) -> fp.DominatingPair:
        first, *_ = self.steps
        return first if view.round == 0 else fp.Selection(self.steps[view.round], view.loss > 0)


def leaves(pair: fp.DominatingPair, direction: str) -> list[tuple[float, float]]:
    """(log P/Q, probability under the law drawn from) of each outcome."""
    if isinstance(pair, fp.FinitePair):
        p, q = pair.p, pair.q
        law = p if direction == "PQ" else q
        return [(math.log(a / b), float(m)) for a, b, m in zip(p, q, law, strict=True)]
    e = float(getattr(pair, "epsilon", 0.0))
    d = float(pair.p if isinstance(pair, fp.Erasure) else getattr(pair, "delta", 0.0))
    sign = 1 if direction == "PQ" else -1
    return [
        (sign * math.inf, d),
        (sign * e, (1 - d) * expit(e)),
        (-sign * e, (1 - d) * expit(-e)),
    ]


def mean_over_leaves(
    filt: fp.PrivacyFilter, worth: Callable[[float], float], direction: str, steps: tuple[Any, ...]
) -> float:
    """E[worth(loss)] over Tree's transcripts under the filter, by visiting every leaf, infinite losses drawn."""
    sign = 1 if direction == "PQ" else -1

    def visit(depth: int, loss: float, chance: float, state: Any) -> float:
        if not math.isfinite(loss) or depth == len(steps):
            return chance * worth(sign * loss)
        pair = steps[0] if depth == 0 else steps[depth][int(loss > 0)]
        if not filt.admits(state, pair)[0]:
            return chance * worth(sign * loss)
        after = filt.spend(state, pair)
        ways = [(more, m) for more, m in leaves(pair, direction) if m > 0]
        return sum(visit(depth + 1, loss + more, chance * m, after) for more, m in ways)

    return visit(0, 0.0, 1.0, filt.start(1))


def enumerated(
    filt: fp.PrivacyFilter, epsilon: float, direction: str, steps: tuple[Any, ...] = STEPS
) -> float:
    """H_{e^epsilon} of Tree's transcript under the filter."""
    return mean_over_leaves(filt, lambda loss: -math.expm1(min(epsilon - loss, 0.0)), direction, steps)
