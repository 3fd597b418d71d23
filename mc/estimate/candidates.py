"""The choice of an estimator: the candidates that a game allows, and the pilot that picks the narrowest."""

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

#: The index of the tile that pilots play; no run is long enough to reach it.
PILOT = 2**62
PILOT_PATHS = 8192
#: Bounds whose logarithm has a larger absolute value than this are not used: they leave the range of doubles.
DOUBLES_END = 700.0
_WITHIN = 600.0
#: One estimator answers all epsilons of a grid at which its width is at most this many times the least width.
SHARED = 2.0
#: An estimator is not used where its values have more than 16 times the least range of any candidate: the pilot may
#: have missed its rare large values.
_RANGE = math.log(16.0)
#: The most orders tried on a grid.
_ORDERS = 9
#: Shares of the paths tried for a term of a sum.
SHARES = (1 / 16, 1 / 4, 1 / 2, 3 / 4)
#: The least budget sum mu^2 for the martingale: a smaller one is lost in the rounding of the losses.
_READABLE = 1e-10
#: By how much, relative, the martingale's guard exceeds the budget, to allow for rounding.
_CLOSED = 2.0**-40


@dataclass(frozen=True, slots=True)
class _Aim:
    """What an estimator is chosen for: n paths, a failure probability, an interval; and the pilot's tile."""

    n: int
    failure: float
    interval: IntervalName
    tile: Tile
    #: Whether the user named the method, so that it is an error if it cannot be used.
    named: bool = False

    def choice(self, pilot: Moments) -> Choice:
        """The interval chosen from the pilot's moments."""
        return choose_interval(pilot, self.n, failure=self.failure, interval=self.interval)

    def planned(self, point: Point, choice: Choice) -> Point:
        """The point with the interval that was chosen from its pilot, and the expected width."""
        bets = choice.interval if isinstance(choice.interval, FixedBets) else None
        chosen = replace(point, interval=choice.interval, measure=point.measure.betting(bets))
        guess = chosen.divergence(choice.guess)
        return replace(chosen, width=guess.high - guess.low)

    def expected(self, estimator: Estimator, pilot: tuple[Moments, ...]) -> Estimator:
        """The estimator with every point planned."""
        each = zip(estimator.points, map(self.choice, pilot), strict=True)
        return replace(estimator, points=tuple(self.planned(point, choice) for point, choice in each))

    def floors(self, terms: Sequence[Estimator]) -> tuple[float, ...]:
        """The least width that any pilot can give the estimator at each epsilon; 0 where that is not known.

        With n values in [0, R], none of the intervals is narrower than R (1 - (failure/2)^{1/n}).
        """
        first = terms[0]
        if len(terms) > 1 or not all(isinstance(point.measure, HockeyStick) for point in first.points):
            return (0.0,) * len(first.points)
        unit = -math.expm1((math.log(self.failure) - math.log(2)) / self.n)
        # an estimate above one is cut there
        return tuple(unit * math.exp(size) if size <= 0 else 0.0 for size in first.log_ranges)


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
    """The estimators that together answer every epsilon: of the named method, or of all methods for "auto".

    A pilot predicts the width of each candidate's interval; one that no pilot could make narrow enough has none. Its
    paths are not used again, so that the choice leaves the failure probability as it is. One estimator answers all
    epsilons at which it is nearly as narrow as the best.
    trusting: whether a `certain` ceiling is used without a guard. Raises ValueError if the named method has no bound.
    """
    aim = _Aim(n, failure, interval, pilot_tile(n), named=method != "auto")
    found = list(_candidates(game, epsilons, aim, method, trusting))
    if not found:
        raise ValueError(
            f"method must be plain for {type(game.filter).__name__}, as nothing is known that bounds a "
            f"likelihood-ratio weight at these epsilons, got method={method!r}; pass method='plain', or let the "
            "filter say what it holds every path to"
        )
    offers, best = _offers(found, aim)
    left = list(range(len(epsilons)))
    chosen: list[Estimator | Terms] = []
    while left:

        def good(widths: tuple[float, ...], left: list[int] = left) -> list[int]:
            return [j for j in left if widths[j] <= SHARED * best[j]]

        # the estimator that answers most epsilons; among equals the narrowest
        winner, widths = min(offers, key=lambda offer: (-len(good(offer[1])), _relative(offer[1], best)))
        answered = good(widths)
        chosen.append(winner.only(answered))
        left = [j for j in left if j not in answered]
    return tuple(chosen)


def _offers(
    found: Sequence[list[Estimator]], aim: _Aim
) -> tuple[list[tuple[Estimator | Terms, tuple[float, ...]]], list[float]]:
    """The candidates worth a pilot, each with its expected widths after that, and the least width at each epsilon.

    A width is infinite where the range of the candidate's values is too large.
    """
    ranges = [
        [max(each) for each in zip(*(term.log_ranges for term in terms), strict=True)] for terms in found
    ]
    least = [min(each) for each in zip(*ranges, strict=True)]
    floors = [aim.floors(terms) for terms in found]
    best = [math.inf] * len(least)
    offers: dict[int, tuple[Estimator | Terms, tuple[float, ...]]] = {}
    for place in sorted(range(len(found)), key=lambda place: sum(floors[place])):
        if all(floor > SHARED * width for floor, width in zip(floors[place], best, strict=True)):
            continue
        one = _piloted(found[place], aim)
        widths = tuple(
            width if log_range <= low + _RANGE else math.inf
            for width, log_range, low in zip(one.widths, ranges[place], least, strict=True)
        )
        offers[place] = one, widths
        best = list(map(min, best, widths))
    return [offers[place] for place in sorted(offers)], best


def _some(orders: Iterable[_T]) -> list[_T]:
    """The distinct orders; if they are more than `_ORDERS`, that many, spread evenly over them."""
    known = list(dict.fromkeys(orders))
    places = dict.fromkeys(np.linspace(0, len(known) - 1, _ORDERS).round().astype(int).tolist())
    return known if len(known) <= _ORDERS else [known[place] for place in places]


def _relative(widths: Sequence[float], best: list[float]) -> float:
    return sum(width / least for width, least in zip(widths, best, strict=True) if least > 0)


def _candidates(
    game: Game, epsilons: tuple[float, ...], aim: _Aim, method: Method, trusting: bool
) -> Iterator[list[Estimator]]:
    """The estimators that the game allows and n is enough for, each a list of the terms that it adds."""
    for terms in _allowed(game, epsilons, aim, method, trusting):
        least = 2 * len(terms)  # an interval needs two paths
        if aim.n >= least or len(terms) == 1:
            yield terms
        elif aim.named:
            raise ValueError(
                f"n must be at least {least} where {len(terms)} terms are added, got n={aim.n}; draw more"
            )


def _allowed(
    game: Game, epsilons: tuple[float, ...], aim: _Aim, method: Method, trusting: bool
) -> Iterator[list[Estimator]]:
    if method in ("auto", "plain"):
        yield [_whole(game, epsilons)]
    if method == "plain":
        return
    sure, word = certain(game, aim.n) if trusting else None, stated(game)
    if sure is not None and word is not None and not word.below(sure):
        word = None  # no lower than the certain bound: its guard would stop nothing and cost plain paths
    for ceiling in (sure, word):
        if ceiling is None:
            continue
        if method in ("auto", "tilted"):
            yield from _tilted(game, ceiling, ceiling is sure, epsilons)
        if method == "martingale" or (method == "auto" and game.adversary.gaussian):
            yield from _with_martingale(game, ceiling, ceiling is sure, epsilons)


def _whole(game: Game, epsilons: tuple[float, ...]) -> Estimator:
    """The plain estimator, which needs no bound on weights."""
    return Estimator("plain", game, tuple(Point(epsilon, HockeyStick(epsilon)) for epsilon in epsilons))


def _beyond(game: Game, guard: Guard, epsilons: tuple[float, ...]) -> Estimator:
    """The plain estimator of the part of H that comes from paths which the guard would have stopped."""
    points = tuple(Point(epsilon, HockeyStick(epsilon, paths="beyond")) for epsilon in epsilons)
    marked = replace(game, guard=replace(guard, act="mark", ours=False))
    return Estimator("plain beyond the guard", marked, points)


def _tilted(
    game: Game, ceiling: Ceiling, sure: bool, epsilons: tuple[float, ...]
) -> Iterator[list[Estimator]]:
    """One estimator for each order: it tilts finite losses, and weighs infinite ones where there may be any."""
    for order in _some(map(ceiling.order, epsilons)):
        bounds = [ceiling.log_bound(order, epsilon) for epsilon in epsilons]
        if not max(map(abs, bounds)) < DOUBLES_END or (order == 1 and ceiling.infinite == 0):
            continue  # order 1 differs from plain paths only in that infinite losses are weighed
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
        yield terms


def _with_martingale(
    game: Game, ceiling: Ceiling, sure: bool, epsilons: tuple[float, ...]
) -> Iterator[list[Estimator]]:
    """One estimator for each order, with the Gaussian filter's martingale as control variate."""
    budget = ceiling.squares
    # what is left of the budget is computed from losses of size sqrt(budget)
    if not _READABLE < budget < math.inf:
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
        yield [base] if sure else [_beyond(game, guard, epsilons), base]


def _best_order(rho: float, epsilon: float) -> float:
    """The order with the least weight bound, limited so that the bound stays within the doubles."""
    return min(float(CKS.order(rho, epsilon)), 1 + _WITHIN / epsilon if epsilon > 0 else math.inf)


def _piloted(terms: list[Estimator], aim: _Aim) -> Estimator | Terms:
    """The estimator that adds the terms, the paths shared out so that the expected width is least."""
    pilots = [_Pilot.of(term, aim.tile) for term in terms]
    if len(terms) == 1:
        return pilots[0].expected(aim)
    trials: list[Terms] = []
    for shares in _shares(len(terms)):
        sizes = [n for _, n in Terms(tuple(terms), shares).plays(aim.n)]
        each = zip(pilots, sizes, strict=True)
        own = [pilot.expected(replace(aim, n=n, failure=aim.failure / len(terms))) for pilot, n in each]
        trials.append(Terms(tuple(own), shares))
    best = [min(widths) for widths in zip(*(trial.widths for trial in trials), strict=True)]
    return min(trials, key=lambda trial: _relative(trial.widths, best))


def _shares(terms: int) -> list[tuple[float, ...]]:
    """The splits of paths to try: each term takes a share of what the terms before it left."""
    if terms == 1:
        return [(1.0,)]
    return [
        (share, *((1 - share) * rest for rest in after)) for share in SHARES for after in _shares(terms - 1)
    ]


@dataclass(frozen=True, slots=True)
class _Pilot:
    """An estimator's pilot: the moments of its values, or the paths to which a control variate is fitted."""

    estimator: Estimator
    seen: tuple[Moments, ...] | Paths

    @classmethod
    def of(cls, estimator: Estimator, tile: Tile) -> _Pilot:
        """The estimator's pilot on this tile."""
        if isinstance(estimator.points[0].measure, WeightedSlack):
            return cls(estimator, play_tile(estimator.game, tile))
        return cls(estimator, pilot_moments(estimator.game, estimator.measure, tile))

    def expected(self, aim: _Aim) -> Estimator:
        """The estimator with the intervals chosen for this aim, and their expected widths."""
        if isinstance(self.seen, Paths):
            return _fitted(self.estimator, self.seen, aim)
        return aim.expected(self.estimator, self.seen)


def _fitted(base: Estimator, paths: Paths, aim: _Aim) -> Estimator:
    """The estimator with the martingale's coefficient fitted to the pilot's paths at each epsilon."""
    points: list[Point] = []
    betas: list[float] = []
    for point in base.points:
        assert isinstance(point.measure, WeightedSlack)
        payoff, slack = point.measure.terms(paths)
        trials = []
        for beta in dict.fromkeys((best_beta(payoff, slack), 1.0)):
            fitted = replace(point.measure, beta=beta)
            trials.append((beta, fitted, aim.choice(Moments.of(fitted.mix(payoff, slack)))))
        beta, fitted, choice = min(trials, key=lambda trial: trial[2].width)
        betas.append(beta)
        points.append(aim.planned(replace(point, measure=fitted), choice))
    least, most = f"{min(betas):.4g}", f"{max(betas):.4g}"
    spread = least if least == most else f"{least} to {most}"
    return replace(base, name=f"{base.name} with martingale coefficient {spread}", points=tuple(points))


def pilot_tile(n: int) -> Tile:
    """The tile that the pilot plays before a run of n paths."""
    return Tile(0, PILOT, min(PILOT_PATHS, max(n // 16, 512)))


class _Measured(Protocol[_M]):
    def __call__(self, paths: Paths) -> Any: ...
    def moments(self, tally: Tally) -> _M: ...


def pilot_moments(game: Game, measure: _Measured[_M], tile: Tile) -> _M:
    """The moments of a measure's values on the pilot's tile."""
    return measure.moments(Tally.of([tile], [measure(play_tile(game, tile))]))
