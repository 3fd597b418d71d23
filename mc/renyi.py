"""Rényi divergences of the released transcript."""

from __future__ import annotations

import os
from concurrent.futures import Executor
from dataclasses import replace

from filters import PrivacyFilter
from mc.adversary import Adversary
from mc.engine import Direction, Game, OnDenial
from mc.estimate import CONFIDENCE, Estimate, stated_failure
from mc.estimation import pilot_moments, pilot_tile
from mc.estimators import RenyiMoment
from mc.intervals import FixedBets, IntervalName, plan
from mc.promised import promised_rho
from mc.runs import play
from mc.store import RunStore
from theory.arguments import check_count, check_order
from theory.guarantees import RenyiDP

__all__ = ["simulate_renyi"]

#: Relative to the bound: exponentials and logarithms are right to a few units in the last place.
_ROUNDING = 1e-12


def simulate_renyi(
    filt: PrivacyFilter,
    adversary: Adversary,
    *,
    alpha: float,
    n: int = 100_000,
    seed: int = 0,
    rounds: int | None = None,
    confidence: float = CONFIDENCE,
    failure: float | None = None,
    interval: IntervalName = "auto",
    direction: Direction = "PQ",
    on_denial: OnDenial = "halt",
    workers: int | None = None,
    executor: Executor | None = None,
    store: RunStore | str | os.PathLike[str] | None = None,
) -> Estimate:
    """D_alpha(P || Q) = log E_P[e^{(alpha-1) L}] / (alpha-1), P and Q the laws of the released transcript.

    Drawn from P^alpha Q^{1-alpha} round by round, where the integrand is e^{(alpha-1) sum_t D_t}: at least 1 and,
    by the promise, at most e^{(alpha-1) rho_alpha}. So no tail can falsify the interval, as it could under P.
    interval and failure are as in `simulate`.
    Raises ValueError where the promise bounds no divergence of order alpha, PromiseBroken where a run exceeds it.
    """
    alpha = float(check_order("alpha", alpha))
    n = check_count("n", n, least=2)
    failure = stated_failure(confidence, failure)
    rho = promised_rho(filt)
    if isinstance(filt.promise, RenyiDP) and filt.promise.alpha == alpha:
        bound = filt.promise.rho
    elif rho is not None:
        bound = alpha * rho
    else:
        raise ValueError(
            f"alpha must be an order at which the promise {filt.promise} bounds a divergence, got alpha={alpha!r}; "
            "pass that order, or a filter with a zCDP or GDP promise"
        )
    game = Game.between(filt, adversary, rounds=rounds, direction=direction, on_denial=on_denial).at(alpha)
    measure = RenyiMoment(alpha, bound)
    (pilot,) = pilot_moments(game, measure, pilot_tile(n))
    chosen = plan(pilot, n, failure=failure, interval=interval).interval
    if isinstance(chosen, FixedBets):
        measure = replace(measure, bets=chosen)
    tally = play(game, measure, n=n, seed=seed, workers=workers, executor=executor, store=store)
    (moments,) = measure.moments(tally)
    mean = chosen.interval(moments, failure=failure)
    low, high = measure.divergence(mean.low), measure.divergence(mean.high)
    pad = _ROUNDING * bound
    return Estimate(
        measure.divergence(mean.value),
        max(low - pad, 0.0),
        min(high + pad, bound),
        failure,
        n,
        f"tilted to order {alpha:.4g}, {mean.method}",
    )
