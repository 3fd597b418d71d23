"""Which estimator to use: the candidates that a game allows, and the pilot that chooses among them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, TypeAlias, TypeVar

import numpy as np

from mc.engine.game import Game
from mc.engine.guard import Guard
from mc.engine.paths import Paths
from mc.engine.streams import Tile
from mc.engine.tiles import play_tile
from mc.estimate.ceiling import Ceiling, certain, stated
from mc.estimate.erasures import Erased
from mc.estimate.estimator import Estimator, Point, Terms
from mc.estimate.functionals import HockeyStick
from mc.estimate.martingale import GaussianRounds, WeightedSlack, best_beta
from mc.intervals import Choice, FixedBets, IntervalName, Moments, choose_interval
from mc.runs.tally import Tally
from theory.conversions import CKS

__all__ = ["Method", "choose", "pilot_moments", "pilot_tile"]

Method: TypeAlias = Literal["auto", "plain", "tilted", "martingale"]

_T = TypeVar("_T")
_M = TypeVar("_M", covariant=True)

#: The tile that pilots play: no run is long enough to reach its index.
PILOT = 2**62
PILOT_PATHS = 8192
#: Bounds whose logarithm is larger than this, of either sign, leave the range of doubles.
DOUBLES_END = 700.0
_WITHIN = 600.0
#: On a grid one set of paths answers all epsilons at which it is at most this many times wider than the best.
SHARED = 2.0
#: An estimator is no candidate where its values range over more than this many times the least range on offer: a
#: pilot may then not have seen the heavy ones.
_RANGE = math.log(16.0)
#: At most so many orders are tried on a grid.
_ORDERS = 9
#: Shares of the paths that may go to a term of a sum.
SHARES = (1 / 16, 1 / 4, 1 / 2, 3 / 4)
#: The least sum mu^2 that can be told from the rounding of losses of its size.
_READABLE = 1e-10
#: The relative error of the closed forms that the martingale is compared with.
_CLOSED = 2.0**-40


@dataclass(frozen=True, slots=True)
class _Aim:
    """So many paths, so rare a failure, the interval asked for, and the tile that the pilot plays."""

    n: int
    failure: float
    interval: IntervalName
    tile: Tile
    #: Whether the method was asked for by name, and must say why it cannot be used.
    named: bool = False

    def choice(self, pilot: Moments) -> Choice:
        """What interval to take after seeing a pilot."""
        return choose_interval(pilot, self.n, failure=self.failure, interval=self.interval)

    def planned(self, point: Point, pilot: Moments) -> Point:
        """The point with the interval that suits it, and the width to expect."""
        choice = self.choice(pilot)
        bets = choice.interval if isinstance(choice.interval, FixedBets) else None
        chosen = replace(point, interval=choice.interval, measure=point.measure.betting(bets))
        guess = chosen.divergence(choice.guess)
        return replace(chosen, width=guess.high - guess.low)

    def expected(self, estimator: Estimator, pilot: tuple[Moments, ...]) -> Estimator:
        """The estimator with every point planned."""
        each = zip(estimator.points, pilot, strict=True)
        return replace(estimator, points=tuple(self.planned(point, seen) for point, seen in each))


def choose(
    game: Game,
    epsilons: tuple[float, ...],
    *,
    n: int,
    failure: float,
    method: Method,
    interval: IntervalName = "auto",
    trusting: bool = True,
) -> tuple[Estimator | Terms, ...]:
    """Estimators that between them answer every epsilon: of the named method, or of all that apply.

    A pilot, whose paths are not used again, says which is narrowest where; so the choice does not touch the
    failure probability. One estimator answers all epsilons at which it is nearly as narrow as the best.
    trusting: whether a ceiling that something vouches for needs no guard.
    """
    aim = _Aim(n, failure, interval, pilot_tile(n), named=method != "auto")
    found = list(_candidates(game, epsilons, aim, method, trusting))
    if not found:
        raise ValueError(
            f"method must be plain for {type(game.filter).__name__}, as nothing is known that bounds a "
            f"likelihood-ratio weight at these epsilons, got method={method!r}; pass method='plain', or let the "
            "filter say what it holds every path to"
        )
    offers = list(zip(found, _usable_widths(found), strict=True))
    best = [min(each) for each in zip(*(widths for _, widths in offers), strict=True)]
    left = list(range(len(epsilons)))
    chosen: list[Estimator | Terms] = []
    while left:

        def good(widths: tuple[float, ...], left: list[int] = left) -> list[int]:
            return [j for j in left if widths[j] <= SHARED * best[j]]

        # who answers most; among equals the narrowest
        winner, widths = min(offers, key=lambda offer: (-len(good(offer[1])), _relative(offer[1], best)))
        answered = good(widths)
        chosen.append(winner.only(answered))
        left = [j for j in left if j not in answered]
    return tuple(chosen)


def _usable_widths(found: Sequence[Estimator | Terms]) -> list[tuple[float, ...]]:
    """The widths that each candidate expects; infinite at an epsilon where its values range too far."""
    ranges = [one.log_ranges for one in found]
    least = [min(each) for each in zip(*ranges, strict=True)]
    return [
        tuple(
            width if log_range <= low + _RANGE else math.inf
            for width, log_range, low in zip(one.widths, mine, least, strict=True)
        )
        for one, mine in zip(found, ranges, strict=True)
    ]


def _some(orders: Iterable[_T]) -> list[_T]:
    """The orders without repetition; of many, some that are spread over all."""
    known = list(dict.fromkeys(orders))
    places = dict.fromkeys(np.linspace(0, len(known) - 1, _ORDERS).round().astype(int).tolist())
    return known if len(known) <= _ORDERS else [known[place] for place in places]


def _relative(widths: Sequence[float], best: list[float]) -> float:
    return sum(width / least for width, least in zip(widths, best, strict=True) if least > 0)


def _candidates(
    game: Game, epsilons: tuple[float, ...], aim: _Aim, method: Method, trusting: bool
) -> Iterator[Estimator | Terms]:
    if method in ("auto", "plain"):
        plain = _whole(game, epsilons)
        yield aim.expected(plain, pilot_moments(plain.game, plain.measure, aim.tile))
    if method == "plain":
        return
    sure, word = certain(game, aim.n) if trusting else None, stated(game)
    if sure is not None and word is not None and not word.below(sure):
        word = None  # a guard would cut off nothing, and cost the paths that look for it
    for ceiling in (sure, word):
        if ceiling is None:
            continue
        if method in ("auto", "tilted"):
            yield from _tilted(game, ceiling, ceiling is sure, epsilons, aim)
        if method == "martingale" or (method == "auto" and game.adversary.gaussian):
            yield from _with_martingale(game, ceiling, ceiling is sure, epsilons, aim)


def _whole(game: Game, epsilons: tuple[float, ...]) -> Estimator:
    """Plain paths, which need nothing to rest on."""
    return Estimator("plain", game, tuple(Point(epsilon, HockeyStick(epsilon)) for epsilon in epsilons))


def _beyond(game: Game, guard: Guard, epsilons: tuple[float, ...]) -> Estimator:
    """Plain paths of which those count that the guard would have stopped: all that they do, and whenever."""
    points = tuple(Point(epsilon, HockeyStick(epsilon, paths="beyond")) for epsilon in epsilons)
    marked = replace(game, guard=replace(guard, act="mark", ours=False))
    return Estimator("plain beyond the guard", marked, points)


def _tilted(
    game: Game, ceiling: Ceiling, sure: bool, epsilons: tuple[float, ...], aim: _Aim
) -> Iterator[Estimator | Terms]:
    """Estimators that tilt finite losses, one for each order, and weigh infinite ones where there may be any."""
    for order in _some(map(ceiling.order, epsilons)):
        bounds = [ceiling.log_bound(order, epsilon) for epsilon in epsilons]
        if not max(map(abs, bounds)) < DOUBLES_END or (order == 1 and ceiling.infinite == 0):
            continue  # at order 1 nothing is gained over plain paths but the weighing
        guard = ceiling.guard(order, "trust" if sure else "stop")
        name = f"tilted to order {order:.4g}" if order > 1 else "untilted"
        why = ceiling.why(order, max(epsilons))
        counted: Literal["all", "within"] = "all" if sure else "within"
        points = tuple(
            Point(epsilon, HockeyStick(epsilon, bound, paths=counted))
            for epsilon, bound in zip(epsilons, bounds, strict=True)
        )
        finite = Estimator(name, game.at(order, guard), points, why)
        terms = [finite]
        if ceiling.infinite > 0:
            finite = replace(finite, game=replace(finite.game, erasures="weighed"))
            loose = replace(guard, order=1.0, log_most=math.inf)
            weighed = replace(game.at(1.0, loose if sure else guard), erasures="weighed")
            erased = tuple(Point(epsilon, Erased(ceiling.infinite)) for epsilon in epsilons)
            terms = [Estimator("weighed erasures", weighed, erased, why), finite]
        if not sure:
            terms.insert(0, _beyond(game, guard, epsilons))
        yield from _shared(terms, aim)


def _with_martingale(
    game: Game, ceiling: Ceiling, sure: bool, epsilons: tuple[float, ...], aim: _Aim
) -> Iterator[Estimator | Terms]:
    """Estimators that measure how far Gaussian rounds stay below the closed form of a spent budget."""
    budget = ceiling.squares
    if not _READABLE < budget < math.inf:  # it is read off losses of size sqrt(budget), to their last digits
        return
    game = replace(game, adversary=GaussianRounds(game.adversary))
    for order in _some(_best_order(budget / 2, max(epsilon, 0.0)) for epsilon in epsilons):
        if not 1.0 < order < math.inf:  # the budget is so large that plain paths are as good
            continue
        slacks = [WeightedSlack(epsilon, budget, order, 0.0) for epsilon in epsilons]
        if not max(abs(slack.log_bound) for slack in slacks) < DOUBLES_END:
            continue
        most = order * budget / 2 * (1 + _CLOSED)
        guard = Guard.at(order, most, 0.0, "trust" if sure else "stop", ours=sure and ceiling.ruled)
        points = tuple(Point(slack.epsilon, slack) for slack in slacks)
        base = Estimator(f"tilted to order {order:.4g}", game.at(order, guard), points, ceiling.why_squares)
        yield from _shared([base] if sure else [_beyond(game, guard, epsilons), base], aim)


def _best_order(rho: float, epsilon: float) -> float:
    """The order of the least bound on weights, no higher than leaves that bound within the doubles."""
    return min(float(CKS.order(rho, epsilon)), 1 + _WITHIN / epsilon if epsilon > 0 else math.inf)


def _shared(terms: list[Estimator], aim: _Aim) -> Iterator[Estimator | Terms]:
    """The sum of the terms, the paths shared out among them as the pilots say that they are best."""
    least = 2 * len(terms)  # an interval needs two paths
    if aim.n < least and len(terms) > 1:
        if aim.named:
            raise ValueError(
                f"n must be at least {least} where {len(terms)} terms are added, got n={aim.n}; draw more"
            )
        return
    pilots = [_Pilot.of(term, aim.tile) for term in terms]
    if len(terms) == 1:
        yield pilots[0].expected(aim)
        return
    trials: list[Terms] = []
    for shares in _shares(len(terms)):
        sizes = [n for _, n in Terms(tuple(terms), shares).plays(aim.n)]
        each = zip(pilots, sizes, strict=True)
        own = [pilot.expected(replace(aim, n=n, failure=aim.failure / len(terms))) for pilot, n in each]
        trials.append(Terms(tuple(own), shares))
    best = [min(widths) for widths in zip(*(trial.widths for trial in trials), strict=True)]
    yield min(trials, key=lambda trial: _relative(trial.widths, best))


def _shares(terms: int) -> list[tuple[float, ...]]:
    """How paths may be shared out: each term its share of what those before it left."""
    if terms == 1:
        return [(1.0,)]
    return [
        (share, *((1 - share) * rest for rest in after)) for share in SHARES for after in _shares(terms - 1)
    ]


@dataclass(frozen=True, slots=True)
class _Pilot:
    """What a pilot saw of an estimator: the moments of its values, or the paths to which a slack is fitted."""

    estimator: Estimator
    seen: tuple[Moments, ...] | Paths

    @classmethod
    def of(cls, estimator: Estimator, tile: Tile) -> _Pilot:
        """The estimator's pilot on this tile."""
        if isinstance(estimator.points[0].measure, WeightedSlack):
            return cls(estimator, play_tile(estimator.game, tile))
        return cls(estimator, pilot_moments(estimator.game, estimator.measure, tile))

    def expected(self, aim: _Aim) -> Estimator:
        """The estimator as it is best for this aim."""
        if isinstance(self.seen, Paths):
            return _fitted(self.estimator, self.seen, aim)
        return aim.expected(self.estimator, self.seen)


def _fitted(base: Estimator, paths: Paths, aim: _Aim) -> Estimator:
    """The martingale as control variate, its coefficient fitted to the pilot's paths at each epsilon."""
    points: list[Point] = []
    betas: list[float] = []
    for point in base.points:
        assert isinstance(point.measure, WeightedSlack)
        payoff, slack = point.measure.terms(paths)
        trials = []
        for beta in (best_beta(payoff, slack), 1.0):
            fitted = replace(point.measure, beta=beta)
            pilot = Moments.of(fitted.mix(payoff, slack))
            trials.append((aim.choice(pilot).width, beta, replace(point, measure=fitted), pilot))
        _, beta, chosen, pilot = min(trials, key=lambda trial: trial[0])
        betas.append(beta)
        points.append(aim.planned(chosen, pilot))
    least, most = f"{min(betas):.4g}", f"{max(betas):.4g}"
    spread = least if least == most else f"{least} to {most}"
    return replace(base, name=f"{base.name} with martingale coefficient {spread}", points=tuple(points))


def pilot_tile(n: int) -> Tile:
    """The tile that the pilot of n paths plays."""
    return Tile(0, PILOT, min(PILOT_PATHS, max(n // 16, 512)))


class _Measured(Protocol[_M]):
    def __call__(self, paths: Paths) -> Any: ...
    def moments(self, tally: Tally) -> _M: ...


def pilot_moments(game: Game, measure: _Measured[_M], tile: Tile) -> _M:
    """The moments that a pilot's tile gives."""
    return measure.moments(Tally.of([tile], [measure(play_tile(game, tile))]))
