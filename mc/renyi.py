"""Rényi divergence of a transcript, from paths tilted to the order asked for."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from filters import ApproximateDPFilter, PrivacyFilter
from mc.adversary import Adversary
from mc.engine import Direction, Game, OnDenial, Paths
from mc.estimate import Estimate
from mc.estimators import ROUNDING, PromiseBroken, moments_of
from mc.intervals import Moments, empirical_bernstein
from mc.runs import play
from mc.where import Where
from theory.arguments import check_count, check_delta, check_order
from theory.guarantees import ZCDP, GaussianDP, RenyiDP

__all__ = ["RenyiMoment", "promised_renyi", "renyi_divergence"]


def promised_renyi(filt: PrivacyFilter, alpha: float) -> float:
    """The bound that the filter keeps on every run's sum of Rényi divergences of order alpha; inf if none."""
    promise = filt.promise
    if isinstance(promise, RenyiDP):
        return promise.rho if alpha == promise.alpha else math.inf
    if isinstance(filt, ApproximateDPFilter):
        return alpha * filt.threshold
    if isinstance(promise, ZCDP):
        return alpha * promise.rho
    return alpha * promise.mu**2 / 2 if isinstance(promise, GaussianDP) else math.inf


@dataclass(frozen=True, slots=True)
class RenyiMoment:
    """Sums over a tile of y = (e^u - 1) / (e^U - 1) in [0, 1], and of its squares about the mean.

    u = log_weight + (alpha-1) loss = (alpha-1) sum D_t, D_t the divergence of order alpha of round t, and
    U = (alpha-1) rho. For paths tilted to alpha, E[e^u] = E_P[e^{(alpha-1) L}] = e^{(alpha-1) D_alpha}: under that
    law the estimator depends on what was spent and not on what was drawn.
    """

    alpha: float
    rho: float

    def __call__(self, paths: Paths) -> NDArray[np.float64]:
        most = (self.alpha - 1) * self.rho
        spent = paths.log_weight + (self.alpha - 1) * paths.loss
        if spent.max() > most * (1 + ROUNDING) + ROUNDING:
            raise PromiseBroken(
                f"a path spent Rényi divergence {spent.max() / (self.alpha - 1):.9g} of order {self.alpha:g}, more "
                f"than the promised {self.rho:.9g}; the promise is refuted"
            )
        spent = np.clip(spent, 0.0, most)
        moments = Moments.of(np.exp(spent - most) * np.expm1(-spent) / math.expm1(-most))
        return np.array([moments.total, moments.centred])

    def divergence(self, y: float) -> float:
        """D_alpha = log(1 + y (e^U - 1)) / (alpha-1) where E[y] = y."""
        if y <= 0:
            return 0.0
        most = (self.alpha - 1) * self.rho
        log_range = most + math.log(-math.expm1(-most))
        return float(np.logaddexp(0.0, math.log(y) + log_range)) / (self.alpha - 1)


def renyi_divergence(
    filt: PrivacyFilter,
    adversary: Adversary,
    *,
    alpha: float,
    failure: float,
    n: int = 100_000,
    seed: int = 0,
    rounds: int | None = None,
    direction: Direction = "PQ",
    on_denial: OnDenial = "halt",
    **where: Unpack[Where],
) -> Estimate:
    """D_alpha(P || Q) = log E_P[e^{(alpha-1) L}] / (alpha-1) of the released transcript; "QP" swaps P and Q.

    Paths are drawn from P^alpha Q^{1-alpha} round by round, where the integrand lies between 1 and
    e^{(alpha-1) rho}, rho the filter's promise at this order; an interval drawn under P could be falsified by its
    tail. Raises ValueError for a filter that promises nothing at this order.
    """
    alpha = float(check_order("alpha", alpha))
    failure = float(check_delta("failure", failure))
    n = check_count("n", n, least=2)
    rho = promised_renyi(filt, alpha)
    if not math.isfinite(rho):
        raise ValueError(
            f"alpha must be an order at which {type(filt).__name__} bounds every run, got alpha={alpha!r}; "
            "no simulation can bound the tail without it"
        )
    moment = RenyiMoment(alpha, rho)
    game = Game.between(filt, adversary, rounds=rounds, direction=direction, on_denial=on_denial).at(alpha)
    tally = play(game, moment, n=n, seed=seed, **where)
    unit = empirical_bernstein(moments_of(tally, 0, 1), failure=failure)
    value, low, high = (min(moment.divergence(y), rho) for y in (unit.value, unit.low, unit.high))
    pad = 1e-12 * rho  # the exponentials and the logarithm are right to a few units in the last place
    name = f"tilted to order {alpha:.4g}, {unit.method}"
    return Estimate(value, max(low - pad, 0.0), min(high + pad, rho), failure, n, name)
