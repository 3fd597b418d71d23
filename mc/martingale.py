"""The martingale of the Gaussian filter as a control variate: what a filter lets through, to many digits."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Self, Unpack

import numpy as np
from numpy.typing import NDArray

from filters import ApproximateDPFilter, GaussianFilter, PrivacyFilter, RenyiFilter, ZCDPFilter
from filters.base import State
from mc.adversaries import Constant, LossAvoiding, LossChasing, ManySmall, OneShot, RandomSpender
from mc.adversary import Adversary, View
from mc.engine import Direction, Game, OnDenial, Paths, play_tile
from mc.estimate import Estimate
from mc.estimators import ROUNDING, PromiseBroken, log_weight_bound, moments_of
from mc.intervals import Moments, MomentsMethod, narrowest_for
from mc.runs import play
from mc.streams import TILE, Tile
from mc.where import Where
from theory.arguments import check_count, check_delta, check_real
from theory.conversions import CKS
from theory.pairs import DominatingPair, Gaussian

__all__ = [
    "PILOT",
    "GaussianRounds",
    "WeightedSlack",
    "asks_only_gaussians",
    "gaussian_budget",
    "plan",
    "simulate_martingale",
]

#: The tile that the pilot plays: no run is long enough to reach its index.
PILOT = 2**31
#: A slack below e^-46 = 1e-20 of its bound is taken as zero; the rounding allowance of intervals covers it.
_NEGLIGIBLE = -46.0
#: Relative error allowed to G(epsilon, B^2) and M, both right to 1e-13.
_CLOSED_FORMS = 1e-12


def gaussian_budget(filt: PrivacyFilter) -> float | None:
    """The B^2 within which the filter keeps sum mu_t^2 of Gaussian rounds; None for other filters."""
    if isinstance(filt, GaussianFilter):
        return filt.mu**2
    if isinstance(filt, ZCDPFilter):
        return 2 * filt.rho
    if isinstance(filt, ApproximateDPFilter):
        return 2 * filt.threshold
    if isinstance(filt, RenyiFilter):
        return 2 * filt.rho / filt.alpha
    return None


def asks_only_gaussians(adversary: Adversary) -> bool:
    """Whether an adversary of the catalogue, set against its filter, asks for nothing but Gaussian pairs.

    Of a class that the catalogue does not know the answer is False: what it does is not known in advance.
    """
    if isinstance(adversary, Constant):
        return isinstance(adversary.pair, Gaussian)
    known = (OneShot, ManySmall, LossChasing, LossAvoiding, RandomSpender)
    return isinstance(adversary, known) and adversary.family is Gaussian


@dataclass(frozen=True, slots=True)
class GaussianRounds(Adversary):
    """The adversary within, held to Gaussian requests: any other raises TypeError."""

    inner: Adversary

    @property
    def horizon(self) -> int | None:
        return self.inner.horizon

    def against(self, filt: PrivacyFilter) -> Self:
        return replace(self, inner=self.inner.against(filt))

    def start(self, filt: PrivacyFilter, n: int, rng: np.random.Generator) -> State:
        return self.inner.start(filt, n, rng)

    def request(self, view: View) -> DominatingPair:
        request = self.inner.request(view)
        if not isinstance(request, Gaussian):
            raise TypeError(
                f"adversary must ask for Gaussian pairs only, got {request!r} from "
                f"{type(self.inner).__name__}; use the tilted estimator"
            )
        return request


@dataclass(frozen=True, slots=True)
class WeightedSlack:
    """Sums over a tile of y = beta + a - beta (a + b), in [0, 1], and of its squares about the mean.

    With S = loss, w = e^{log_weight}, v = B^2 - sum mu_t^2 at the stop, G(eps, v) the hockey-stick of
    Gaussian(sqrt v) and M = e^{log_bound}:
    a = w (1 - e^{epsilon - S})_+ / M is what the tilted estimator sums, and
    b = w (G(epsilon - S, v) - (1 - e^{epsilon - S})_+) / M >= 0 is the slack.
    G satisfies the heat equation, so for Gaussian rounds E[w G(epsilon - S, v)] = G(epsilon, B^2) whatever
    the adversary does, and H = beta G(epsilon, B^2) + M (E[y] - beta) for every beta: 0 is the tilted estimator,
    1 the martingale form. Pointwise (1 - e^{-x})_+ <= c_s e^{(s-1) x}, c_s = (1 - 1/s)^s / (s-1), so
    G(epsilon - S, v) <= c_s e^{(s-1)(s v/2 - epsilon + S)}, of which w makes M: hence a + b <= 1.
    Source: sheets 1 and 4.
    """

    epsilon: float
    budget: float
    order: float
    beta: float

    @property
    def log_bound(self) -> float:
        """log M."""
        return log_weight_bound(self.order, self.order * self.budget / 2, self.epsilon)

    def terms(
        self, loss: NDArray[np.float64], log_weight: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(a, b) of paths with Gaussian rounds only, each of shape (n,)."""
        scaled = log_weight - self.log_bound
        spent = (log_weight / (self.order - 1) + loss) * (2 / self.order)  # log w = (s-1)(s sum mu^2/2 - L)
        left = self.budget - spent
        if left.min() < -ROUNDING * self.budget:
            raise PromiseBroken(
                f"a path's Gaussians have sum mu^2 = {spent.max():.9g}, more than the budget "
                f"{self.budget:.9g}; the promise is refuted"
            )
        gap = self.epsilon - loss
        payoff = np.zeros_like(loss)
        hits = np.flatnonzero(gap < 0)
        payoff[hits] = -np.expm1(gap[hits]) * np.exp(scaled[hits])
        # G(e, v) - (1 - e^e)_+ = e^{min(e, 0)} G(|e|, v): no cancellation
        most = scaled + np.minimum(gap, 0.0)
        slack = np.zeros_like(loss)
        mu = np.sqrt(np.maximum(left, 0.0))
        tail = np.maximum(np.abs(gap) - left / 2, 0.0)  # G(e, v) <= e^{-t^2/2}, t = e/mu - mu/2
        some = np.flatnonzero((mu > 0) & (most > _NEGLIGIBLE))
        some = some[tail[some] ** 2 < 2 * left[some] * (most[some] - _NEGLIGIBLE)]
        if some.size:
            log_tail = Gaussian(mu[some]).log_hockey_stick(np.abs(gap[some]))
            slack[some] = np.exp(most[some] + log_tail)
        if (payoff + slack).max() > 1 + ROUNDING:
            raise PromiseBroken(
                "a path's weight exceeds the bound that the promise sets: the promise is refuted"
            )
        return payoff, slack

    def __call__(self, paths: Paths) -> NDArray[np.float64]:
        payoff, slack = self.terms(paths.loss, paths.log_weight)
        moments = Moments.of(self.mix(payoff, slack))
        return np.array([moments.total, moments.centred])

    def mix(self, payoff: NDArray[np.float64], slack: NDArray[np.float64]) -> NDArray[np.float64]:
        """y of each path."""
        y: NDArray[np.float64] = (1 - self.beta) * payoff + self.beta * (1 - slack)
        return y

    def conclude(self, moments: Moments, method: MomentsMethod, failure: float) -> Estimate:
        """H_{e^epsilon} from the moments of y."""
        unit = method.interval(moments, failure=failure)
        start = float(Gaussian(math.sqrt(self.budget)).hockey_stick(self.epsilon))
        scale = math.exp(self.log_bound)

        def settle(y: float) -> float:
            return self.beta * start + scale * (y - self.beta)

        pad = _CLOSED_FORMS * scale
        value = min(max(settle(unit.value), 0.0), 1.0)
        low, high = max(settle(unit.low) - pad, 0.0), min(settle(unit.high) + pad, 1.0)
        name = f"tilted to order {self.order:.4g}"
        if self.beta > 0:
            name += f" with martingale coefficient {self.beta:.4g}"
        return Estimate(
            value, min(low, value), max(high, value), failure, moments.n, f"{name}, {unit.method}"
        )


def best_beta(payoff: NDArray[np.float64], slack: NDArray[np.float64]) -> float:
    """The beta in [0, 1] that minimises the variance of a - beta (a + b)."""
    whole = payoff + slack
    centred = whole - whole.mean()
    spread = float(np.dot(centred, centred))
    return min(max(float(np.dot(centred, payoff)) / spread, 0.0), 1.0) if spread > 0 else 1.0


def simulate_martingale(
    filt: PrivacyFilter,
    adversary: Adversary,
    *,
    epsilon: float,
    failure: float,
    n: int = 1_000_000,
    seed: int = 0,
    rounds: int | None = None,
    direction: Direction = "PQ",
    on_denial: OnDenial = "halt",
    **where: Unpack[Where],
) -> Estimate:
    """H_{e^epsilon} of the transcript by tilted paths with the Gaussian martingale as control variate.

    For filters with a budget of sum mu_t^2 and adversaries that ask for Gaussian pairs only; a run that meets
    another raises TypeError. A pilot of one tile, whose paths are not used again, fixes beta (0 where the
    slack does not help) and the interval. `where` goes on to `play`. Raises PromiseBroken where a path was
    charged more than promised.
    """
    epsilon = float(check_real("epsilon", epsilon))
    failure = float(check_delta("failure", failure))
    n = check_count("n", n, least=2)
    budget = gaussian_budget(filt)
    if budget is None:
        raise ValueError(
            f"filt must keep sum mu^2 of Gaussian rounds within a budget, got {type(filt).__name__}; "
            "use the tilted estimator"
        )
    order = float(CKS.order(budget / 2, max(epsilon, 0.0)))
    game = Game.between(
        filt, GaussianRounds(adversary), rounds=rounds, direction=direction, on_denial=on_denial
    ).at(order)
    pilot = play_tile(game, Tile(seed, PILOT, TILE))
    slack, method = plan(WeightedSlack(epsilon, budget, order, 0.0), pilot, n, failure)
    tally = play(game, slack, n=n, seed=seed, **where)
    return slack.conclude(moments_of(tally, 0, 1), method, failure)


def plan(plain: WeightedSlack, pilot: Paths, n: int, failure: float) -> tuple[WeightedSlack, MomentsMethod]:
    """The coefficient and the interval that the pilot's paths expect to be narrowest for n others."""
    payoff, slack = plain.terms(pilot.loss, pilot.log_weight)
    best: tuple[float, WeightedSlack, MomentsMethod] | None = None
    for beta in (0.0, best_beta(payoff, slack), 1.0):
        candidate = replace(plain, beta=beta)
        moments = Moments.of(candidate.mix(payoff, slack))
        method = narrowest_for(moments, n, failure=failure)
        expected = method.interval(moments.scaled_to(n), failure=failure)
        width = expected.high - expected.low
        if best is None or width < 0.85 * best[0]:  # what the slack costs to compute, it must save
            best = (width, candidate, method)
    assert best is not None
    return best[1], best[2]
