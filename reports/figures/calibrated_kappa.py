"""The largest kappa at which the filter of paper 004 keeps its promise on Gaussians, found by the value of its game.

>>> filt = calibrated_kappa(2.0, 0.02, sigma=2.0, rounds=6)
>>> filt.certificate.high <= 0.02
True
"""

from __future__ import annotations

import math
from collections.abc import Callable

from filters.rules.kappa import KappaFilter
from mc.engine.adversaries import Constant
from mc.evaluate.evaluate import evaluate
from mc.evaluate.evaluation import Evaluation
from mc.worst_case.calibrate import CalibratedFilter
from mc.worst_case.solve import worst_case
from theory.arguments import check_count, check_delta, check_positive
from theory.guarantees import ApproxDP, GaussianDP
from theory.pairs import Gaussian
from theory.thresholds.stopped_walk import stopped_hockey_stick

__all__ = ["calibrated_kappa"]


def calibrated_kappa(
    epsilon: float, delta: float, *, sigma: float, rounds: int, relative: float = 1e-6
) -> CalibratedFilter:
    """KappaFilter(kappa, rounds) at the largest kappa that keeps (epsilon, delta)-DP on Gaussian(1/sigma).

    What `calibrate` finds, in seconds: the search looks where an integral points to, compares numerical values of the
    one strategy that never stops there, and only the filter returned is solved for its certificate, over every
    adversary that asks for Gaussian(1/sigma) or stops. kappa, in nats, is within a factor 1 + `relative` of the one at
    which that value is delta. Raises ValueError where every kappa keeps the promise, or the certificate does not
    confirm what was found.
    """
    epsilon, delta = float(check_positive("epsilon", epsilon)), float(check_delta("delta", delta))
    sigma, relative = float(check_positive("sigma", sigma)), float(check_positive("relative", relative))
    rounds = check_count("rounds", rounds)
    if GaussianDP(math.sqrt(rounds) / sigma).delta(epsilon) <= delta:
        raise ValueError(
            f"rounds must pass the promise, got rounds={rounds!r}, which keep ({epsilon:g}, {delta:g})-DP without a "
            "filter; pass more of them"
        )
    pair = Gaussian(1 / sigma)

    def excess(kappa: float) -> float:
        evaluation = evaluate(KappaFilter(kappa, rounds), Constant(pair), epsilon=epsilon, rounds=rounds)
        value = evaluation.high if isinstance(evaluation, Evaluation) else evaluation.value
        return math.log(max(value, 1e-300) / delta)

    def integrated(kappa: float) -> float:
        value = stopped_hockey_stick(kappa, mu=1 / sigma, rounds=rounds, epsilon=epsilon)
        return math.log(max(value, 1e-300) / delta)

    # where to look is read off an integral, which costs a hundredth; what is found there the filter's own code says
    root = _root(integrated, epsilon, relative / 8)
    ends = [root * (1 - relative / 8), root * (1 + relative / 8)]
    if not ends[0] or excess(ends[0]) > 0 or excess(ends[1]) <= 0:
        root = _root(excess, epsilon, relative / 4)
    if not root:
        raise ValueError(
            f"delta must be in reach, got delta={delta!r} and a larger value of two releases; pass a larger delta"
        )
    kappa = root * (1 - relative / 2)
    filt = KappaFilter(kappa, rounds)
    solved = worst_case(filt, [pair], epsilon=epsilon, rounds=rounds)
    if solved.high > delta:
        raise ValueError(
            f"relative must be large enough for the certificate, got relative={relative!r} and a worst case up to "
            f"{solved.high!r}; pass a larger one"
        )
    return CalibratedFilter(filt, (pair,), rounds, kappa, solved, ApproxDP(epsilon, delta))


def _root(excess: Callable[[float], float], start: float, relative: float) -> float:
    """Where the excess, which grows, becomes positive; 0 where it is from the start."""
    from scipy import optimize

    low = high = start
    while excess(low) > 0:
        low /= 2
        if low < 2.0**-40:
            return 0.0
    while excess(high) <= 0:
        high *= 2
    return float(optimize.brentq(excess, low, high, xtol=1e-300, rtol=max(relative, 1e-14)))
