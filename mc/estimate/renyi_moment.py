"""Monte Carlo estimates of the Rényi divergence D_alpha(P || Q) of the released transcript."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from filterproof.filters import PrivacyFilter
from filterproof.filters.contract.parameters import one_order_from_one
from filterproof.mc.engine.adversary import Adversary
from filterproof.mc.engine.batches import play_batch
from filterproof.mc.engine.budget_monitor import BoundExceeded, BudgetMonitor
from filterproof.mc.engine.finished_runs import FinishedRuns
from filterproof.mc.engine.game import Game
from filterproof.mc.estimate.estimator import pilot_batch
from filterproof.mc.estimate.functionals import ROUNDING, UnitFunctional
from filterproof.mc.estimate.path_bound import bounds_stated_by_filter, proven_bounds
from filterproof.mc.intervals.estimate import (
    FAILURE,
    PLAIN_DRAWS,
    Estimate,
)
from filterproof.mc.runs.batch_sums import BatchSums
from filterproof.mc.runs.play import PlayOptions, SimulationSettings
from filterproof.theory.argument_checks import check_count, check_delta

#: Allowance for rounding at the ends of the interval, relative to the bound.
_ROUNDING = 1e-12
#: The order at which a bound on the divergence of order 1 is computed.
_NEXT_ORDER = 1 + 2.0**-20
#: The smallest divergence at which an unbounded integrand is cut off.
_MIN_CUT_OFF = 1e-9


@dataclass(frozen=True, slots=True)
class RenyiMoment(UnitFunctional):
    """Y = (e^u - 1) / (e^U - 1) in [0, 1], u = min((alpha-1) sum_t D_t, U), U = (alpha-1) bound.

    D_t are the rounds' divergences of order alpha. Under the distribution tilted to alpha, with the weight
    e^{(alpha-1)(sum_t D_t - L)}, E[e^{(alpha-1) sum_t D_t}] = E_P[e^{(alpha-1) L}] = e^{(alpha-1) D_alpha(P||Q)} of the
    transcript: Y depends on the spending of a path, not on its losses. Because of the division by e^U - 1, Y ranges
    over [0, 1] even if U is small. At alpha = 1, the limit, Y = min(sum_t D_1, bound) / bound under P itself, with the
    divergences that the budget monitor records: E_P[L - sum_t D_1] = 0. If paths spend more than `bound`, E[e^u] is
    less than the moment: the last sum counts these paths, the one before it paths with an infinite loss.
    """

    alpha: float
    bound: float

    @property
    def sum_count(self) -> int:
        return self.unit_sum_count + 2

    def __call__(self, paths: FinishedRuns) -> NDArray[np.float64]:
        most = (self.alpha - 1) * self.bound if self.alpha > 1 else self.bound
        spent = np.maximum(self.spent(paths), 0.0)
        infinite = np.isposinf(paths.loss if self.alpha > 1 else spent)
        over_bound = np.count_nonzero(spent > most * (1 + ROUNDING) + ROUNDING)
        spent = np.minimum(spent, most)
        if self.alpha > 1:
            y = np.exp(spent - most) * np.expm1(-spent) / math.expm1(-most)
        else:
            y = spent / most
        sums = self.unit_sums(y, len(spent))
        return np.array([*sums, np.count_nonzero(infinite), over_bound], dtype=np.float64)

    def spent(self, paths: FinishedRuns) -> NDArray[np.float64]:
        """Return (alpha-1) sum_t D_alpha of each path, or sum_t D_1: shape (n,)."""
        if self.alpha > 1:
            return np.asarray(paths.log_weight + (self.alpha - 1) * paths.loss)
        return np.broadcast_to(paths.spent, paths.loss.shape)

    def divergence(self, mean: Estimate) -> Estimate:
        """Return D_alpha from the mean of Y, with ends moved outward by the rounding of their logarithms."""
        low, value, high = (self.renyi(end) for end in (mean.low, mean.value, mean.high))
        pad = _ROUNDING * self.bound
        return replace(mean, value=value, low=max(low - pad, 0.0), high=min(high + pad, self.bound))

    def renyi(self, mean: float) -> float:
        """Return D_alpha = log(1 + mean (e^U - 1)) / (alpha-1) or, at alpha = 1, mean * bound, in [0, bound]."""
        if mean <= 0:
            return 0.0
        if self.alpha == 1:
            return min(mean * self.bound, self.bound)
        most = (self.alpha - 1) * self.bound
        log_range = most + math.log(-math.expm1(-most))
        return min(float(np.logaddexp(0.0, math.log(mean) + log_range)) / (self.alpha - 1), self.bound)

    @staticmethod
    def infinite(batch_sums: BatchSums) -> int:
        """Return the number of paths with an infinite loss or, at alpha = 1, an infinite divergence."""
        return int(batch_sums.sums[-2])

    def count_over_bound(self, batch_sums: BatchSums) -> int:
        """Return the number of paths that spent more than the bound."""
        return int(batch_sums.sums[-1])


def simulate_renyi(
    filt: PrivacyFilter,
    adversary: Adversary,
    *,
    alpha: float,
    n: int = 100_000,
    failure: float = FAILURE,
    **how: Unpack[PlayOptions],
) -> Estimate:
    """Estimate the Renyi divergence of the transcript that a filter releases to one adversary.

        D_alpha(P || Q) = log E_P[e^{(alpha-1) L}] / (alpha-1),  D_1(P || Q) = E_P[L],  L = log dP/dQ

    Parameters
    ----------
    filt : PrivacyFilter
        The filter. The simulation runs its own code.
    adversary : Adversary
        The strategy that makes the requests.
    alpha : float
        The order, >= 1. Order 1 is the Kullback-Leibler divergence.
    n : int, default 100,000
        Number of simulated runs, at least 2.
    failure
        As in `simulate`.
    **how
        Fields of `fp.runs.SimulationSettings`: seed, rounds, direction, on_denial, workers, executor, store.

    Returns
    -------
    Estimate
        The divergence in nats with its interval. `high` is inf where no theorem and no computation bounds the
        divergence of a run. `value`, `low` and `high` are inf if a simulated run has an infinite loss.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    Outputs are drawn from P^alpha Q^{1-alpha}. The integrand is then e^{(alpha-1) sum_t D_t}, where D_t is the Renyi
    divergence of round t. At order 1 it is sum_t D_t under P. No sample bounds the mean of an unbounded integrand from
    above. In this case `low` is computed for the integrand truncated at the larger of two numbers: the filter's own
    bound in `holds`, and the pilot's maximum.

    Examples
    --------
    >>> import filterproof as fp
    >>> round(fp.simulate_renyi(fp.GaussianFilter(mu=1.0), fp.OneShot(), alpha=2.0, n=1000).value, 6)
    1.0
    """
    alpha = one_order_from_one("alpha", alpha)
    play = SimulationSettings(n=check_count("n", n, least=2), **how)
    n = play.n
    failure = float(check_delta("failure", failure))
    game = play.game(filt, adversary)

    def estimate_game(game: Game, bound: float, rests_on: str, *, sure: bool) -> Estimate:
        """Return the estimate of a game whose sums of divergences are at most `bound`."""
        [(form, pilot)] = RenyiMoment(alpha, bound).fitted(play_batch(game, pilot_batch(n)))
        moment, _ = form.planned(pilot, n, failure)
        batch_sums = play.sums(game, moment)
        estimate = moment.estimate(batch_sums, failure)
        if sure and alpha == 1 and estimate.over_bound:
            raise BoundExceeded(
                f"{estimate.over_bound} runs were charged divergence of order 1, more than {bound:.9g}"
            )
        name = (
            f"tilted to order {alpha:.4g}, {estimate.method}" if alpha > 1 else f"untilted, {estimate.method}"
        )
        estimate = replace(estimate, method=name, rests_on=rests_on, high=estimate.high if sure else math.inf)
        if moment.infinite(batch_sums):
            return replace(estimate, value=math.inf, low=math.inf, high=math.inf)
        return estimate

    path_bound, exceeded = proven_bounds(game, n), ""
    order = max(alpha, _NEXT_ORDER)  # D_1 is at most the divergence of any higher order
    if path_bound is not None and path_bound.infinite == 0 and path_bound.divergence(order) < math.inf:
        most, why = path_bound.divergence(order), path_bound.justification(order, -math.inf)
        if most == 0:
            return Estimate(0.0, 0.0, 0.0, failure, n, "nothing is released", why)
        try:
            monitor = path_bound.monitor(alpha, "assert")
            return estimate_game(
                game.at(alpha, _monitor_recording_divergences(alpha, monitor)), most, why, sure=True
            )
        except BoundExceeded as error:
            exceeded = f", for {error}"
    free = game.at(alpha, _monitor_recording_divergences(alpha, None))
    bound = _divergence_cutoff(free, alpha, n)
    return estimate_game(free, bound, f"{PLAIN_DRAWS}, which give no upper bound{exceeded}", sure=False)


def _monitor_recording_divergences(alpha: float, monitor: BudgetMonitor | None) -> BudgetMonitor | None:
    """Return the monitor or, at order 1, one that records Kullback-Leibler divergences."""
    if alpha > 1:
        return monitor
    return replace(monitor or BudgetMonitor.at(1.0, math.inf, 1.0, "record"), act="record")


def _divergence_cutoff(game: Game, alpha: float, n: int) -> float:
    """Return the cutoff of sum_t D_t: the larger of the pilot's maximum and the filter's bound."""
    paths = play_batch(game, pilot_batch(n))
    with np.errstate(invalid="ignore"):
        spent = RenyiMoment(alpha, math.inf).spent(paths) / (alpha - 1 if alpha > 1 else 1.0)
    seen = float(np.max(spent[np.isfinite(spent)], initial=0.0))
    path_bound = bounds_stated_by_filter(game)
    most = path_bound.divergence(alpha) if path_bound is not None else math.inf
    return max(seen, most if most < math.inf else 0.0, _MIN_CUT_OFF)
