"""Rényi divergences D_alpha(P || Q) between the laws of the released transcript."""

from __future__ import annotations

import math
from typing import Unpack

import numpy as np

from filters import PrivacyFilter
from filters.contract.parameters import one_order
from mc.engine.adversary import Adversary
from mc.engine.game import Game
from mc.engine.guard import Exceeded
from mc.engine.tiles import play_tile
from mc.estimate.candidates import pilot_moments, pilot_tile
from mc.estimate.ceiling import certain, stated
from mc.estimate.functionals import RenyiMoment
from mc.intervals import FixedBets, IntervalName, choose_interval
from mc.intervals.estimate import CONFIDENCE, PLAIN_DRAWS, Estimate, stated_failure
from mc.runs.play import Play, PlayOptions
from theory.arguments import check_count

__all__ = ["simulate_renyi"]

#: Allowance for rounding on the ends of the interval, relative to the bound.
_ROUNDING = 1e-12
#: The least divergence at which an unbounded integrand is cut off.
_SOME = 1e-9


def simulate_renyi(
    filt: PrivacyFilter,
    adversary: Adversary,
    *,
    alpha: float,
    n: int = 100_000,
    confidence: float = CONFIDENCE,
    failure: float | None = None,
    interval: IntervalName = "auto",
    **how: Unpack[PlayOptions],
) -> Estimate:
    """D_alpha(P || Q) = log E_P[e^{(alpha-1) L}] / (alpha-1), P and Q the laws of the released transcript.

        >>> import filterproof as fp
        >>> round(fp.simulate_renyi(fp.GaussianFilter(mu=1.0), fp.OneShot(), alpha=2.0, n=1000).value, 6)
        1.0

    Outputs are drawn from the tilted law P^alpha Q^{1-alpha}, under which the integrand is e^{(alpha-1) sum_t D_t}.
    Where something other than the filter's own statement bounds sum_t D_t (see ceiling.py), the integrand is bounded,
    and the interval has two finite ends. Elsewhere no sample bounds the mean from above: high is infinite, and low is
    for the integrand cut off at the larger of what the filter states in `holds` and what a pilot saw.
    If a drawn path has an infinite loss, the divergence is infinite, and so are value, low and high.
    interval and failure are as in `simulate`, the other keywords the fields of `Play`. Raises ValueError for
    arguments out of range.
    """
    alpha = one_order("alpha", alpha)
    play = Play(n=check_count("n", n, least=2), **how)
    n = play.n
    failure = stated_failure(confidence, failure)
    game = play.game(filt, adversary)

    def estimated(game: Game, bound: float, rests_on: str, *, sure: bool) -> Estimate:
        measure = RenyiMoment(alpha, bound)
        pilot = pilot_moments(game, measure, pilot_tile(n))
        chosen = choose_interval(pilot, n, failure=failure, interval=interval).interval
        if isinstance(chosen, FixedBets):
            measure = measure.betting(chosen)
        tally = play.sums(game, measure)
        mean = chosen.interval(measure.moments(tally), failure=failure)
        name, beyond = f"tilted to order {alpha:.4g}, {mean.method}", measure.beyond(tally)
        if measure.infinite(tally):
            return Estimate(math.inf, math.inf, math.inf, failure, n, name, rests_on, beyond)
        low, value = (measure.divergence(x) for x in (mean.low, mean.value))
        pad = _ROUNDING * bound
        high = min(measure.divergence(mean.high) + pad, bound) if sure else math.inf
        return Estimate(value, max(low - pad, 0.0), high, failure, n, name, rests_on, beyond)

    sure, why = certain(game, n), ""
    if sure is not None and sure.infinite == 0 and sure.divergence(alpha) < math.inf:
        most = sure.divergence(alpha)
        try:
            if most == 0:
                return Estimate(0.0, 0.0, 0.0, failure, n, "nothing is released", sure.why(alpha, -math.inf))
            return estimated(
                game.at(alpha, sure.guard(alpha, "trust")), most, sure.why(alpha, -math.inf), sure=True
            )
        except Exceeded as seen:
            why = f", for {seen}"
    bound = _likely(game.at(alpha), alpha, n)
    return estimated(game.at(alpha), bound, f"{PLAIN_DRAWS}, which give no upper bound{why}", sure=False)


def _likely(game: Game, alpha: float, n: int) -> float:
    """Where to cut off sum_t D_t if nothing bounds it: the larger of what a pilot saw and what the filter states."""
    paths = play_tile(game, pilot_tile(n))
    with np.errstate(invalid="ignore"):
        spent = paths.log_weight / (alpha - 1) + paths.loss
    seen = float(np.max(spent[np.isfinite(spent)], initial=0.0))
    says = stated(game)
    held = says.divergence(alpha) if says is not None else 0.0
    return max(seen, held if held < math.inf else 0.0, _SOME)
