"""Games with infinite losses whose hockey-sticks are known."""

import math
from dataclasses import dataclass
from fractions import Fraction
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


SKEWED = fp.FinitePair(tuple(Fraction(a, 10) for a in (7, 2, 1)), tuple(Fraction(b, 20) for b in (8, 7, 5)))
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

    def request(self, view: fp.AdversaryView) -> fp.DominatingPair:
        first, *_ = self.steps
        return first if view.round == 0 else fp.PairPerRun(self.steps[view.round], view.loss > 0)
