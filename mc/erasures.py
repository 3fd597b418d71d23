"""Infinite losses, weighed instead of drawn: what a filter's rule lets through on the other outcomes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

from mc.engine import Paths
from mc.estimators import ROUNDING, PromiseBroken, log_weight_bound, moments_of, unit_sums
from mc.intervals import FixedBets, Moments
from mc.runs import Tally
from theory.conversions import CKS
from theory.pairs import RandomizedResponse

__all__ = ["Caps", "Erased"]

#: The largest order tried where no order is the best.
_STEEPEST = 200.0
#: Bounds on logarithms: of what is zero but for the rounding of a loss that cannot exceed epsilon, and of
#: what doubles hold with room to spare.
_ROUNDED, _LEAST = -27.0, -600.0


@dataclass(frozen=True, slots=True)
class Caps:
    """What a filter's rule holds every path to: sum_t d_t <= xi, and sum_t D_s <= s rho at every order s > 1.

    d_t = P(L_t = inf) in round t, D_s the Rényi divergence of the round's finite outcomes, P and Q both
    conditioned on them (KOV(e, d) has those of RandomizedResponse(e), Erasure(p) none). Where the rule also
    holds the sum of pure epsilons to `pure`, sum_t D_s <= D_s(RandomizedResponse(pure)) as well: the
    composition of RR(e_t) is (sum e_t)-DP, so RR(sum e_t) dominates it.

    With K = prod_t (1 - d_t) over the released rounds, P~ the law in which every round is drawn from the
    finite outcomes of P, and L the loss of the path,

        H_{e^eps}(P||Q) = E_P~[1 - K] + E_P~[K (1 - e^{eps - L})_+].

    Proof: a path with an infinite loss pays 1 whatever comes after it; one without has P-probability K P~, for
    d_t is known before round t is drawn; and E_P~[K] is the probability of having met none.
    The first integrand lies in [0, xi], since prod (1 - d_t) >= 1 - sum d_t. The second is drawn from finite
    outcomes tilted to order s; its weight is prod_t E_P[e^{(s-1) L_t} | L_t < inf] e^{-(s-1) L_t}. With
    P'_t and Q'_t conditioned, L_t = L'_t + log((1 - d_t)/(1 - d'_t)), d'_t the Q-mass that P cannot produce: a
    constant, which cancels. So the weight is e^{(s-1)(sum D_s - L')}, and for pairs with d'_t = d_t, to
    which the rules here are held, L' = L and theorem "tilted weights" bounds weight times (1 - e^{eps - L})_+
    by M_s; K <= 1 only helps. Other pairs are caught path by path: PromiseBroken.
    """

    xi: float
    rho: float
    pure: float = math.inf

    def divergence(self, order: float) -> float:
        """The most that the rounds' D_s, s = `order`, can add up to."""
        if self.pure == math.inf:
            return order * self.rho
        return min(order * self.rho, float(RandomizedResponse(self.pure).renyi(order)))

    def log_bound(self, order: float, epsilon: float) -> float:
        """log M_s, which no weighted integrand exceeds, or a little more; at order 1 nothing is weighted."""
        if epsilon >= self.pure:
            return _ROUNDED
        return max(log_weight_bound(order, self.divergence(order), epsilon), _LEAST) if order > 1 else 0.0

    def order(self, epsilon: float) -> float:
        """The order of the least bound; 1 where no tilt helps."""
        if self.pure == math.inf:
            return float(CKS.order(self.rho, max(epsilon, 0.0)))
        nearly = min(epsilon, self.pure * (1 - 1e-9))
        # log M_s is convex in s
        best = optimize.minimize_scalar(
            lambda t: self.log_bound(1 + t, nearly), bounds=(1 / _STEEPEST, _STEEPEST)
        )
        return 1 + float(best.x)


@dataclass(frozen=True, slots=True)
class Erased:
    """Sums of Y = (1 - K) / xi in [0, 1], K the probability of having met no infinite loss on a path's way."""

    xi: float
    bets: FixedBets | None = None

    def __call__(self, paths: Paths) -> NDArray[np.float64]:
        y = -np.expm1(np.broadcast_to(paths.log_kept, paths.loss.shape)) / self.xi
        if y.max() > 1 + ROUNDING:
            raise PromiseBroken(
                f"a path met infinite losses with probability {y.max() * self.xi:.9g}, more than the "
                f"promised {self.xi:.9g}; pass method='plain'"
            )
        return np.array(unit_sums(y, len(y), self.bets))

    def moments(self, tally: Tally) -> tuple[Moments, ...]:
        """The moments of 1 - K."""
        return moments_of(tally, (math.log(self.xi),), (self.bets,))

    @property
    def log_ranges(self) -> tuple[float, ...]:
        """The logarithm of the range of what is averaged."""
        return (math.log(self.xi),)

    def betting(self, bets: tuple[FixedBets | None, ...]) -> Erased:
        """The measure that sums the logarithms of this bet as well."""
        return replace(self, bets=bets[0])

    def only(self, places: Sequence[int]) -> Erased:
        """The measure for some of the epsilons: it is one number for all."""
        return self
