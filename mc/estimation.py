"""Which estimator to use: the candidates that the promise allows, and the pilot that chooses among them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

import numpy as np

from mc.engine import Game, play_tile
from mc.erasures import Caps, Erased
from mc.estimate import Estimate
from mc.estimators import HockeyStick, Measure, log_weight_bound
from mc.intervals import FixedBets, Interval, IntervalName, Moments, MomentsMethod, Plan, plan
from mc.martingale import GaussianRounds, Slacks, WeightedSlack, best_beta, gaussian_budget
from mc.promised import promised_caps, promised_tilts
from mc.runs import Tally
from mc.streams import Tile
from theory.conversions import CKS

__all__ = ["Estimator", "Method", "Weighed", "choose", "pilot_moments", "pilot_tile"]

Method = Literal["auto", "plain", "tilted", "martingale"]

_T = TypeVar("_T")

#: The tile that pilots play: no run is long enough to reach its index.
PILOT = 2**62
PILOT_PATHS = 8192
#: Bounds whose logarithm is larger than this, of either sign, leave the range of doubles.
DOUBLES_END = 700.0
#: On a grid one set of paths answers all epsilons at which it is at most this many times wider than the best.
SHARED = 2.0
#: An estimator is no candidate where its values range over more than this many times the least range on offer: a
#: pilot may then not have seen the heavy ones.
_RANGE = math.log(16.0)
#: At most so many orders are tried on a grid.
_ORDERS = 9
#: Shares of the paths that may go to the infinite losses where these are weighed.
SHARES = (1 / 16, 1 / 4, 1 / 2, 3 / 4)


@dataclass(frozen=True, slots=True)
class Estimator:
    """A way to estimate H_{e^epsilon} on a grid: what to play, what to sum over paths, how to read the sums."""

    name: str
    game: Game
    epsilons: tuple[float, ...]
    measure: HockeyStick | Slacks | Erased
    intervals: tuple[Interval, ...]

    @property
    def log_ranges(self) -> tuple[float, ...]:
        """The logarithm of the range of what is averaged, for each epsilon."""
        return self.measure.log_ranges

    def plays(self, n: int) -> tuple[tuple[Estimator, int], ...]:
        """What to play, and how many of n paths."""
        return ((self, n),)

    def read(self, tallies: Sequence[Tally], failure: float) -> tuple[Estimate, ...]:
        """The estimates from the tallies of its plays."""
        return self.estimates(tallies[0], failure)

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

    def expected(self, pilot: tuple[Moments, ...], aim: _Aim) -> _Piloted:
        """This estimator with the interval that suits each epsilon, and the widths to expect."""
        plans = [aim.plan(moments) for moments in pilot]
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
class Weighed:
    """H_{e^epsilon} = E[1 - K] + E[K (1 - e^{epsilon - L})_+], each term from paths of its own: see `Caps`.

    `share` of the paths and half of the failure probability go to the first.
    """

    erased: Estimator
    finite: Estimator
    share: float

    @property
    def epsilons(self) -> tuple[float, ...]:
        """Where it estimates."""
        return self.finite.epsilons

    @property
    def log_ranges(self) -> tuple[float, ...]:
        """The logarithm of the range of what is averaged, for each epsilon, infinite losses aside."""
        return self.finite.log_ranges

    def plays(self, n: int) -> tuple[tuple[Estimator, int], ...]:
        """What to play, and how many of n paths."""
        least = min(n // 2, 2)  # an interval needs two paths
        first = min(max(round(self.share * n), least), n - least)
        return (self.erased, first), (self.finite, n - first)

    def read(self, tallies: Sequence[Tally], failure: float) -> tuple[Estimate, ...]:
        """The estimates from the tallies of its plays; none while the second has not begun."""
        if len(tallies) < 2:
            return ()
        (erased,) = self.erased.estimates(tallies[0], failure / 2)
        return tuple(_sum(erased, one, failure) for one in self.finite.estimates(tallies[1], failure / 2))

    def only(self, places: list[int]) -> Weighed:
        """This estimator for some of its epsilons."""
        return replace(self, finite=self.finite.only(places))


def _sum(one: Estimate, other: Estimate, failure: float) -> Estimate:
    # no hockey-stick divergence is above one
    value, low, high = (
        min(a + b, 1.0) for a, b in ((one.value, other.value), (one.low, other.low), (one.high, other.high))
    )
    return Estimate(value, low, high, failure, one.n + other.n, f"{one.method} + {other.method}")


@dataclass(frozen=True, slots=True)
class _Aim:
    """So many paths, so rare a failure, the interval asked for."""

    n: int
    failure: float
    interval: IntervalName

    def plan(self, pilot: Moments) -> Plan:
        """What interval to take after seeing a pilot."""
        return plan(pilot, self.n, failure=self.failure, interval=self.interval)


@dataclass(frozen=True, slots=True)
class _Piloted:
    estimator: Estimator | Weighed
    widths: tuple[float, ...]


def choose(
    game: Game,
    epsilons: tuple[float, ...],
    *,
    n: int,
    failure: float,
    method: Method,
    interval: IntervalName = "auto",
) -> tuple[Estimator | Weighed, ...]:
    """Estimators that between them answer every epsilon: of the named method, or of all that apply.

    A pilot, whose paths are not used again, says which is narrowest where; so the choice does not touch the
    failure probability. One estimator answers all epsilons at which it is nearly as narrow as the best.
    """
    found = list(_candidates(game, epsilons, pilot_tile(n), _Aim(n, failure, interval), method))
    if not found:
        raise ValueError(
            f"method must be plain for {type(game.filter).__name__}, whose promise {game.filter.promise} "
            f"bounds no likelihood-ratio weight at these epsilons, got method={method!r}; pass method='plain'"
        )
    found = _ranged(found)
    best = [min(widths) for widths in zip(*(one.widths for one in found), strict=True)]
    left = list(range(len(epsilons)))
    chosen: list[Estimator | Weighed] = []

    def good(one: _Piloted) -> list[int]:
        return [j for j in left if one.widths[j] <= SHARED * best[j]]

    while left:
        # who answers most; among equals the narrowest
        winner = min(found, key=lambda one: (-len(good(one)), _relative(one.widths, best)))
        answered = good(winner)
        chosen.append(winner.estimator.only(answered))
        left = [j for j in left if j not in answered]
    return tuple(chosen)


def _ranged(found: list[_Piloted]) -> list[_Piloted]:
    """The candidates, with nothing to expect of them where their range is too large."""
    ranges = [one.estimator.log_ranges for one in found]
    least = [min(each) for each in zip(*ranges, strict=True)]
    return [
        replace(
            one,
            widths=tuple(
                width if log_range <= low + _RANGE else math.inf
                for width, log_range, low in zip(one.widths, mine, least, strict=True)
            ),
        )
        for one, mine in zip(found, ranges, strict=True)
    ]


def _some(orders: Iterable[_T]) -> list[_T]:
    """The orders without repetition; of many, some that are spread over all."""
    known = list(dict.fromkeys(orders))
    places = dict.fromkeys(np.linspace(0, len(known) - 1, _ORDERS).round().astype(int).tolist())
    return known if len(known) <= _ORDERS else [known[place] for place in places]


def _relative(widths: tuple[float, ...], best: list[float]) -> float:
    return sum(width / least for width, least in zip(widths, best, strict=True) if least > 0)


def _candidates(
    game: Game, epsilons: tuple[float, ...], tile: Tile, aim: _Aim, method: Method
) -> Iterator[_Piloted]:
    some = (MomentsMethod.EMPIRICAL_BERNSTEIN,) * len(epsilons)
    if method in ("auto", "plain"):
        plain = Estimator("plain", game, epsilons, HockeyStick(epsilons, (0.0,) * len(epsilons)), some)
        yield plain.expected(pilot_moments(plain.game, plain.measure, tile), aim)
    if method in ("auto", "tilted"):
        for order, divergence in _some(promised_tilts(game.filter, epsilons)):
            bounds = tuple(log_weight_bound(order, divergence, epsilon) for epsilon in epsilons)
            tilted = Estimator(
                f"tilted to order {order:.4g}", game.at(order), epsilons, HockeyStick(epsilons, bounds), some
            )
            if max(map(abs, bounds)) < DOUBLES_END:
                yield tilted.expected(pilot_moments(tilted.game, tilted.measure, tile), aim)
        caps = promised_caps(game.filter)
        if caps is not None and (aim.n >= 4 or method == "tilted"):  # two plays need two paths each
            yield from _weighed(game, caps, epsilons, tile, aim)
    budget = gaussian_budget(game.filter)
    if budget is None or not (method == "martingale" or (method == "auto" and game.adversary.gaussian)):
        return
    game = replace(game, adversary=GaussianRounds(game.adversary))
    for order in _some(float(CKS.order(budget / 2, max(epsilon, 0.0))) for epsilon in epsilons):
        if order <= 1.0:  # the budget is so large that plain paths are as good
            continue
        slacks = tuple(WeightedSlack(epsilon, budget, order, 0.0) for epsilon in epsilons)
        if max(abs(slack.log_bound) for slack in slacks) < DOUBLES_END:
            base = Estimator(f"tilted to order {order:.4g}", game.at(order), epsilons, Slacks(slacks), some)
            yield _with_slack(base, slacks, tile, aim)


def _weighed(
    game: Game, caps: Caps, epsilons: tuple[float, ...], tile: Tile, aim: _Aim
) -> Iterator[_Piloted]:
    """Estimators that weigh infinite losses, one for each order; a single play where there are none."""
    game = replace(game, erasures="weighed")
    some = (MomentsMethod.EMPIRICAL_BERNSTEIN,) * len(epsilons)
    erased: Estimator | None = None
    if caps.xi > 0:
        if aim.n < 4:
            raise ValueError(
                f"n must be at least 4 where infinite losses are weighed, got n={aim.n}; draw more"
            )
        erased = Estimator("weighed erasures", game, epsilons[:1], Erased(caps.xi), some[:1])
        erased_pilot = pilot_moments(erased.game, erased.measure, tile)
    for order in _some(map(caps.order, epsilons)):
        bounds = tuple(caps.log_bound(order, epsilon) for epsilon in epsilons)
        if max(bounds) >= DOUBLES_END:
            continue
        name = f"tilted to order {order:.4g}" if order > 1 else "untilted"
        finite = Estimator(name, game.at(order), epsilons, HockeyStick(epsilons, bounds), some)
        pilot = pilot_moments(finite.game, finite.measure, tile)
        if erased is None:
            yield finite.expected(pilot, aim)
            continue
        trials: list[_Piloted] = []
        for share in SHARES:
            (_, first), (_, second) = Weighed(erased, finite, share).plays(aim.n)
            half = replace(aim, failure=aim.failure / 2)
            one = erased.expected(erased_pilot, replace(half, n=first))
            other = finite.expected(pilot, replace(half, n=second))
            assert isinstance(one.estimator, Estimator)
            assert isinstance(other.estimator, Estimator)
            both = Weighed(one.estimator, other.estimator, share)
            trials.append(_Piloted(both, tuple(one.widths[0] + width for width in other.widths)))
        best = [min(widths) for widths in zip(*(trial.widths for trial in trials), strict=True)]
        yield min(trials, key=lambda trial: _relative(trial.widths, best))


def _with_slack(base: Estimator, slacks: tuple[WeightedSlack, ...], tile: Tile, aim: _Aim) -> _Piloted:
    """The martingale as control variate, its coefficient fitted to the pilot at each epsilon."""
    paths = play_tile(base.game, tile)
    each: list[WeightedSlack] = []
    pilot: list[Moments] = []
    for one in slacks:
        payoff, slack = one.terms(paths.loss, paths.log_weight)
        fitted = [replace(one, beta=beta) for beta in (best_beta(payoff, slack), 1.0)]
        moments = [Moments.of(some.mix(payoff, slack)) for some in fitted]
        widths = [aim.plan(some).width for some in moments]
        place = widths.index(min(widths))
        each.append(fitted[place])
        pilot.append(moments[place])
    least, most = (f"{pick(one.beta for one in each):.4g}" for pick in (min, max))
    spread = least if least == most else f"{least} to {most}"
    name = f"{base.name} with martingale coefficient {spread}"
    return replace(base, name=name, measure=Slacks(tuple(each))).expected(tuple(pilot), aim)


def pilot_tile(n: int) -> Tile:
    """The tile that the pilot of n paths plays."""
    return Tile(0, PILOT, min(PILOT_PATHS, max(n // 16, 512)))


def pilot_moments(game: Game, measure: Measure, tile: Tile) -> tuple[Moments, ...]:
    """The moments that a pilot's tile gives."""
    return measure.moments(Tally.of([tile], [measure(play_tile(game, tile))]))
