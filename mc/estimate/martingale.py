"""The martingale of the Gaussian filter as a control variate for the hockey-stick divergence."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from filterproof.mc.engine.budget_monitor import BoundExceeded
from filterproof.mc.engine.finished_runs import FinishedRuns
from filterproof.mc.estimate.functionals import ROUNDING, UnitFunctional
from filterproof.mc.estimate.path_bound import log_weight_bound
from filterproof.mc.intervals import Moments
from filterproof.mc.intervals.estimate import Estimate
from filterproof.mc.intervals.moments import unit_values
from filterproof.theory.pairs import Gaussian

#: A slack below e^-46 = 1e-20 of its bound counts as zero; the rounding allowance of intervals covers it.
_NEGLIGIBLE = -46.0
#: The relative error allowed in G(epsilon, B^2) and M, which both have an error of 1e-13.
_CLOSED_FORMS = 1e-12


@dataclass(frozen=True, slots=True)
class WeightedSlack(UnitFunctional):
    """y = beta + a - beta (a + b), in [0, 1]: a + b is the control variate, beta its coefficient.

    With S = loss, w = e^{log_weight}, v = B^2 - sum mu_t^2 at the stop, G(eps, v) the hockey-stick of
    Gaussian(sqrt v) and M = e^{log_bound}:
    a = w (1 - e^{epsilon - S})_+ / M is what the tilted estimator sums, and
    b = w (G(epsilon - S, v) - (1 - e^{epsilon - S})_+) / M >= 0 is the slack.
    G satisfies the heat equation, so for Gaussian rounds E[w G(epsilon - S, v)] = G(epsilon, B^2) whatever
    the adversary does, and H = beta G(epsilon, B^2) + M (E[y] - beta) for every beta: 0 is the tilted estimator,
    1 the martingale form. Pointwise (1 - e^{-x})_+ <= c_s e^{(s-1) x}, c_s = (1 - 1/s)^s / (s-1), so
    G(epsilon - S, v) <= c_s e^{(s-1)(s v/2 - epsilon + S)}; w times the right side is M, hence a + b <= 1.
    Source: Koskela, Tobaben & Honkela (2023), Theorem 11, and theorem "tilted weights" of `filterproof.theory.proofs`.
    """

    epsilon: float
    budget: float
    order: float
    beta: float

    @property
    def log_bound(self) -> float:
        """The log of M, the bound on the values of weighted paths."""
        return log_weight_bound(self.order, self.order * self.budget / 2, self.epsilon)

    @property
    def log_range(self) -> float:
        """The logarithm of the range of M y, the values in units of H."""
        return self.log_bound

    @property
    def pilot_choice_text(self) -> str:
        return f" with martingale coefficient {self.beta:.4g}"

    def least_width(self, n: int, failure: float) -> float:
        return 0.0  # negative values are clipped

    def payoff_and_slack(self, paths: FinishedRuns) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return payoff a and slack b of paths with Gaussian rounds only, each of shape (n,).

        A path that a monitor stopped has a = 0, with its payoff added to b: its part of H is estimated from plain
        paths.
        """
        loss, log_weight = paths.loss, paths.log_weight
        scaled = log_weight - self.log_bound
        spent = (log_weight / (self.order - 1) + loss) * (2 / self.order)  # log w = (s-1)(s sum mu^2/2 - L)
        remaining = self.budget - spent
        if remaining.min() < -ROUNDING * self.budget:
            raise BoundExceeded(
                f"a path's Gaussians have sum mu^2 = {spent.max():.9g}, more than {self.budget:.9g}"
            )
        gap = self.epsilon - loss
        payoff = np.zeros_like(loss)
        hits = np.flatnonzero(gap < 0)
        payoff[hits] = -np.expm1(gap[hits]) * np.exp(scaled[hits])
        # G(e, v) - (1 - e^e)_+ = e^{min(e, 0)} G(|e|, v): no cancellation
        most = scaled + np.minimum(gap, 0.0)
        slack = np.zeros_like(loss)
        mu = np.sqrt(np.maximum(remaining, 0.0))
        tail = np.maximum(np.abs(gap) - remaining / 2, 0.0)  # G(e, v) <= e^{-t^2/2}, t = e/mu - mu/2
        some = np.flatnonzero((mu > 0) & (most > _NEGLIGIBLE))
        some = some[tail[some] ** 2 < 2 * remaining[some] * (most[some] - _NEGLIGIBLE)]
        if some.size:
            log_tail = Gaussian(mu[some]).log_hockey_stick(np.abs(gap[some]))
            slack[some] = np.exp(most[some] + log_tail)
        if (payoff + slack).max() > 1 + ROUNDING:
            raise BoundExceeded("a path's weight is above its bound")
        if isinstance(paths.over_bound, np.ndarray):
            slack[paths.over_bound] += payoff[paths.over_bound]
            payoff[paths.over_bound] = 0.0
        return payoff, slack

    def __call__(self, paths: FinishedRuns) -> NDArray[np.float64]:
        payoff, slack = self.payoff_and_slack(paths)
        return np.array(
            self.unit_sums(unit_values(self.combine_payoff_and_slack(payoff, slack), 1.0), len(payoff))
        )

    def fitted(self, paths: FinishedRuns) -> list[tuple[Self, Moments]]:
        """Return this functional with the coefficient of the smallest variance here, and with the martingale's."""
        payoff, slack = self.payoff_and_slack(paths)
        forms = [
            replace(self, beta=beta) for beta in dict.fromkeys((variance_minimising_beta(payoff, slack), 1.0))
        ]
        return [(form, Moments.of(form.combine_payoff_and_slack(payoff, slack))) for form in forms]

    def divergence(self, mean: Estimate) -> Estimate:
        """H_{e^epsilon} = beta G(epsilon, B^2) + M (E[y] - beta)."""
        scale = math.exp(self.log_bound)
        start = float(Gaussian(math.sqrt(self.budget)).hockey_stick(self.epsilon))
        pad = _CLOSED_FORMS * scale

        def divergence_from_mean(y: float) -> float:
            """Return beta G(epsilon, B^2) + M (y - beta), the divergence if E[Y] = y."""
            return self.beta * start + scale * (y - self.beta)

        value = max(divergence_from_mean(mean.value), 0.0)
        low, high = max(divergence_from_mean(mean.low) - pad, 0.0), divergence_from_mean(mean.high) + pad
        return replace(mean, value=value, low=min(low, value), high=max(high, value)).at_most_one

    def combine_payoff_and_slack(
        self, payoff: NDArray[np.float64], slack: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return y = (1 - beta) payoff + beta (1 - slack) of each path."""
        y: NDArray[np.float64] = (1 - self.beta) * payoff + self.beta * (1 - slack)
        return y


def variance_minimising_beta(payoff: NDArray[np.float64], slack: NDArray[np.float64]) -> float:
    """Return the beta in [0, 1] that minimises the variance of a - beta (a + b)."""
    total = payoff + slack
    centred = total - total.mean()
    spread = float(np.square(centred).sum())
    return min(max(float((centred * payoff).sum()) / spread, 0.0), 1.0) if spread > 0 else 1.0
