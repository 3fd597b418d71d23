"""Which estimator to use: the candidates that the promise allows, and the pilot that chooses among them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, TypeAlias

from filters import ApproximateDPFilter, PrivacyFilter
from mc.engine import Game, play_tile
from mc.estimate import Estimate
from mc.estimators import HockeyStick, Measure, log_weight_bound
from mc.intervals import FixedBets, Interval, IntervalName, Moments, MomentsMethod, Plan, plan
from mc.martingale import GaussianRounds, Slacks, WeightedSlack, best_beta, gaussian_budget
from mc.runs import Tally
from mc.streams import Tile
from theory.conversions import CKS
from theory.guarantees import ZCDP, GaussianDP, RenyiDP

__all__ = ["Estimator", "Method", "choose", "pilot_moments", "pilot_tile", "promised_rho"]

Method = Literal["auto", "plain", "tilted", "martingale"]
#: What interval to plan after seeing a pilot.
_Planner: TypeAlias = Callable[[Moments], Plan]

#: The tile that pilots play: no run is long enough to reach its index.
PILOT = 2**62
PILOT_PATHS = 8192
#: Bounds whose logarithm is larger than this, of either sign, leave the range of doubles.
DOUBLES_END = 700.0
#: On a grid one set of paths answers all epsilons at which it is at most this many times wider than the best.
SHARED = 2.0


@dataclass(frozen=True, slots=True)
class Estimator:
    """A way to estimate H_{e^epsilon} on a grid: what to play, what to sum over paths, how to read the sums."""

    name: str
    game: Game
    epsilons: tuple[float, ...]
    measure: HockeyStick | Slacks
    intervals: tuple[Interval, ...]

    def estimates(self, tally: Tally, failure: float) -> tuple[Estimate, ...]:
        """One estimate for each epsilon, each with the failure probability `failure`."""
        every = enumerate(self.measure.moments(tally))
        return tuple(self._read(j, self.intervals[j].interval(m, failure=failure)) for j, m in every)

    def _read(self, j: int, mean: Estimate) -> Estimate:
        if isinstance(self.measure, Slacks):
            mean = self.measure.settle(j, mean)
        name = f"{self.name}, {mean.method}"
        # no hockey-stick divergence is above one
        value, low, high = (min(x, 1.0) for x in (mean.value, mean.low, mean.high))
        return Estimate(value, low, high, mean.failure, mean.n, name)

    def expected(self, pilot: tuple[Moments, ...], planner: _Planner) -> _Piloted:
        """This estimator with the interval that suits each epsilon, and the widths to expect."""
        plans = [planner(moments) for moments in pilot]
        intervals = tuple(one.interval for one in plans)
        bets = tuple(one if isinstance(one, FixedBets) else None for one in intervals)
        chosen = replace(self, intervals=intervals, measure=self.measure.betting(bets))
        guesses = [chosen._read(j, one.guess) for j, one in enumerate(plans)]
        return _Piloted(chosen, tuple(guess.high - guess.low for guess in guesses))

    def only(self, places: list[int]) -> Estimator:
        """This estimator for some of its epsilons."""
        return replace(
            self,
            epsilons=tuple(self.epsilons[j] for j in places),
            intervals=tuple(self.intervals[j] for j in places),
            measure=self.measure.only(places),
        )


@dataclass(frozen=True, slots=True)
class _Piloted:
    estimator: Estimator
    widths: tuple[float, ...]


def choose(
    game: Game,
    epsilons: tuple[float, ...],
    *,
    n: int,
    failure: float,
    method: Method,
    interval: IntervalName = "auto",
) -> tuple[Estimator, ...]:
    """Estimators that between them answer every epsilon: of the named method, or of all that apply.

    A pilot, whose paths are not used again, says which is narrowest where; so the choice does not touch the
    failure probability. One estimator answers all epsilons at which it is nearly as narrow as the best.
    """
    planner = partial(plan, n=n, failure=failure, interval=interval)
    found = list(_candidates(game, epsilons, pilot_tile(n), planner, method))
    if not found:
        raise ValueError(
            f"method must be plain for {type(game.filter).__name__}, whose promise {game.filter.promise} "
            f"bounds no likelihood-ratio weight at these epsilons, got method={method!r}; pass method='plain'"
        )
    best = [min(widths) for widths in zip(*(one.widths for one in found), strict=True)]
    left = list(range(len(epsilons)))
    chosen: list[Estimator] = []

    def good(one: _Piloted) -> list[int]:
        return [j for j in left if one.widths[j] <= SHARED * best[j]]

    while left:
        # who answers most; among equals the narrowest
        winner = min(found, key=lambda one: (-len(good(one)), _relative(one.widths, best)))
        answered = good(winner)
        chosen.append(winner.estimator.only(answered))
        left = [j for j in left if j not in answered]
    return tuple(chosen)


def _relative(widths: tuple[float, ...], best: list[float]) -> float:
    return sum(width / least for width, least in zip(widths, best, strict=True) if least > 0)


def _candidates(
    game: Game, epsilons: tuple[float, ...], tile: Tile, planner: _Planner, method: Method
) -> Iterator[_Piloted]:
    some = (MomentsMethod.EMPIRICAL_BERNSTEIN,) * len(epsilons)
    if method in ("auto", "plain"):
        plain = Estimator("plain", game, epsilons, HockeyStick(epsilons, (0.0,) * len(epsilons)), some)
        yield plain.expected(pilot_moments(plain.game, plain.measure, tile), planner)
    if method in ("auto", "tilted"):
        for order, divergence in dict.fromkeys(_tilts(game.filter, epsilons)):
            bounds = tuple(log_weight_bound(order, divergence, epsilon) for epsilon in epsilons)
            tilted = Estimator(
                f"tilted to order {order:.4g}", game.at(order), epsilons, HockeyStick(epsilons, bounds), some
            )
            if max(map(abs, bounds)) < DOUBLES_END:
                yield tilted.expected(pilot_moments(tilted.game, tilted.measure, tile), planner)
    budget = gaussian_budget(game.filter)
    if budget is None or not (method == "martingale" or (method == "auto" and game.adversary.gaussian)):
        return
    game = replace(game, adversary=GaussianRounds(game.adversary))
    for order in dict.fromkeys(float(CKS.order(budget / 2, max(epsilon, 0.0))) for epsilon in epsilons):
        if order <= 1.0:  # the budget is so large that plain paths are as good
            continue
        slacks = tuple(WeightedSlack(epsilon, budget, order, 0.0) for epsilon in epsilons)
        if max(abs(slack.log_bound) for slack in slacks) < DOUBLES_END:
            base = Estimator(f"tilted to order {order:.4g}", game.at(order), epsilons, Slacks(slacks), some)
            yield _with_slack(base, slacks, tile, planner)


def _with_slack(
    base: Estimator, slacks: tuple[WeightedSlack, ...], tile: Tile, planner: _Planner
) -> _Piloted:
    """The martingale as control variate, its coefficient fitted to the pilot at each epsilon."""
    paths = play_tile(base.game, tile)
    each: list[WeightedSlack] = []
    pilot: list[Moments] = []
    for one in slacks:
        payoff, slack = one.terms(paths.loss, paths.log_weight)
        fitted = [replace(one, beta=beta) for beta in (best_beta(payoff, slack), 1.0)]
        moments = [Moments.of(some.mix(payoff, slack)) for some in fitted]
        widths = [planner(some).width for some in moments]
        place = widths.index(min(widths))
        each.append(fitted[place])
        pilot.append(moments[place])
    least, most = (f"{pick(one.beta for one in each):.4g}" for pick in (min, max))
    spread = least if least == most else f"{least} to {most}"
    name = f"{base.name} with martingale coefficient {spread}"
    return replace(base, name=name, measure=Slacks(tuple(each))).expected(tuple(pilot), planner)


def pilot_tile(n: int) -> Tile:
    """The tile that the pilot of n paths plays."""
    return Tile(0, PILOT, min(PILOT_PATHS, max(n // 16, 512)))


def pilot_moments(game: Game, measure: Measure, tile: Tile) -> tuple[Moments, ...]:
    """The moments that a pilot's tile gives."""
    return measure.moments(Tally.of([tile], [measure(play_tile(game, tile))]))


def _tilts(filt: PrivacyFilter, epsilons: tuple[float, ...]) -> Iterator[tuple[float, float]]:
    """(order, bound on the summed divergences at that order): the best order for each epsilon, if any."""
    if isinstance(filt.promise, RenyiDP):
        yield filt.promise.alpha, filt.promise.rho
        return
    rho = promised_rho(filt)
    if rho is not None:
        for epsilon in epsilons:
            order = float(CKS.order(rho, max(epsilon, 0.0)))
            if order > 1.0:  # else the promise is so weak that plain paths are as good
                yield order, order * rho


def promised_rho(filt: PrivacyFilter) -> float | None:
    """A rho with D_a <= a rho for the whole transcript, from the promise; None where it has none.

    An approximate DP filter promises through its zCDP threshold, which is what bounds the weights.
    """
    if isinstance(filt, ApproximateDPFilter):
        return filt.threshold
    if isinstance(filt.promise, ZCDP):
        return filt.promise.rho
    if isinstance(filt.promise, GaussianDP):
        return filt.promise.mu**2 / 2
    return None
