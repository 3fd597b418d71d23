"""Which estimator to use: the candidates that a game allows, and the pilot that chooses among them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

import numpy as np

from mc.engine.guard import Guard
from mc.engine.streams import Tile
from mc.engine.tiles import Game, play_tile
from mc.estimate.ceiling import Ceiling, certain, stated
from mc.estimate.erasures import Erased
from mc.estimate.functionals import HockeyStick, Measure
from mc.estimate.martingale import GaussianRounds, Slacks, WeightedSlack, best_beta
from mc.intervals import Choice, FixedBets, Interval, IntervalName, Moments, MomentsMethod, plan
from mc.intervals.estimate import PLAIN_DRAWS, Estimate
from mc.runs.play import Tally
from theory.conversions import CKS

__all__ = ["Estimator", "Method", "Terms", "choose", "pilot_moments", "pilot_tile"]

Method = Literal["auto", "plain", "tilted", "martingale"]

_T = TypeVar("_T")

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
_SOME = MomentsMethod.EMPIRICAL_BERNSTEIN


@dataclass(frozen=True, slots=True)
class Estimator:
    """A way to estimate H_{e^epsilon} on a grid: what to play, what to sum over paths, how to read the sums.

    rests_on says what bounds the values that are summed.
    """

    name: str
    game: Game
    epsilons: tuple[float, ...]
    measure: HockeyStick | Slacks | Erased
    intervals: tuple[Interval, ...]
    rests_on: str = PLAIN_DRAWS

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
        beyond = 0
        if isinstance(self.measure, HockeyStick) and self.measure.paths == "beyond":
            beyond = int(tally.sums[-1])
        return tuple(
            replace(self._read(j, self.intervals[j].interval(m, failure=failure)), beyond=beyond)
            for j, m in every
        )

    def _read(self, j: int, mean: Estimate) -> Estimate:
        if isinstance(self.measure, Slacks):
            mean = self.measure.settle(j, mean)
        name = f"{self.name}, {mean.method}"
        # no hockey-stick divergence is above one
        value, low, high = (min(x, 1.0) for x in (mean.value, mean.low, mean.high))
        return Estimate(value, low, high, mean.failure, mean.n, name, self.rests_on)

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
        if isinstance(self.measure, Erased):  # one number for all
            return self
        return replace(
            self,
            epsilons=tuple(self.epsilons[j] for j in places),
            intervals=tuple(self.intervals[j] for j in places),
            measure=self.measure.only(places),
        )


@dataclass(frozen=True, slots=True)
class Terms:
    """H_{e^epsilon} as a sum of means, each from paths of its own; the failure probability is divided equally.

    What infinite losses add where they are weighed, and what comes after the release that a guard would have
    stopped, are terms beside the main one: see `mc.estimate.ceiling.Ceiling` and `mc.engine.guard.Guard`.
    """

    terms: tuple[Estimator, ...]
    shares: tuple[float, ...]

    @property
    def epsilons(self) -> tuple[float, ...]:
        """Where it estimates."""
        return self.terms[-1].epsilons

    @property
    def log_ranges(self) -> tuple[float, ...]:
        """The logarithm of the range of what is averaged, for each epsilon, infinite losses aside."""
        ranges = [term.log_ranges for term in self.terms if not isinstance(term.measure, Erased)]
        return tuple(map(max, zip(*ranges, strict=True)))

    def plays(self, n: int) -> tuple[tuple[Estimator, int], ...]:
        """What to play, and how many of n paths."""
        least = min(n // len(self.terms), 2)  # an interval needs two paths
        sizes = [max(round(share * n), least) for share in self.shares[:-1]]
        while sum(sizes) > n - least:
            sizes[sizes.index(max(sizes))] -= 1
        return tuple(zip(self.terms, (*sizes, n - sum(sizes)), strict=True))

    def read(self, tallies: Sequence[Tally], failure: float) -> tuple[Estimate, ...]:
        """The estimates from the tallies of its plays; none while one of them has not begun."""
        if len(tallies) < len(self.terms):
            return ()
        each = [
            term.estimates(tally, failure / len(self.terms))
            for term, tally in zip(self.terms, tallies, strict=True)
        ]
        width = len(self.epsilons)
        columns = [parts if len(parts) == width else parts * width for parts in each]
        return tuple(_sum(parts, failure) for parts in zip(*columns, strict=True))

    def only(self, places: list[int]) -> Terms:
        """This estimator for some of its epsilons."""
        return replace(self, terms=tuple(term.only(places) for term in self.terms))


def _sum(parts: Sequence[Estimate], failure: float) -> Estimate:
    # no hockey-stick divergence is above one
    value, low, high = (
        min(sum(ends), 1.0) for ends in zip(*((one.value, one.low, one.high) for one in parts), strict=True)
    )
    return Estimate(
        value,
        low,
        high,
        failure,
        sum(one.n for one in parts),
        " + ".join(one.method for one in parts),
        parts[-1].rests_on,
        sum(one.beyond for one in parts),
    )


@dataclass(frozen=True, slots=True)
class _Aim:
    """So many paths, so rare a failure, the interval asked for."""

    n: int
    failure: float
    interval: IntervalName
    #: Whether the method was asked for by name, and must say why it cannot be used.
    named: bool = False

    def plan(self, pilot: Moments) -> Choice:
        """What interval to take after seeing a pilot."""
        return plan(pilot, self.n, failure=self.failure, interval=self.interval)


@dataclass(frozen=True, slots=True)
class _Piloted:
    estimator: Estimator | Terms
    widths: tuple[float, ...]


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
    aim = _Aim(n, failure, interval, named=method != "auto")
    found = list(_candidates(game, epsilons, pilot_tile(n), aim, method, trusting))
    if not found:
        raise ValueError(
            f"method must be plain for {type(game.filter).__name__}, as nothing is known that bounds a "
            f"likelihood-ratio weight at these epsilons, got method={method!r}; pass method='plain', or let the "
            "filter say what it holds every path to"
        )
    found = _ranged(found)
    best = [min(widths) for widths in zip(*(one.widths for one in found), strict=True)]
    left = list(range(len(epsilons)))
    chosen: list[Estimator | Terms] = []

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
    game: Game, epsilons: tuple[float, ...], tile: Tile, aim: _Aim, method: Method, trusting: bool
) -> Iterator[_Piloted]:
    if method in ("auto", "plain"):
        plain = _whole(game, epsilons)
        yield plain.expected(pilot_moments(plain.game, plain.measure, tile), aim)
    if method == "plain":
        return
    sure, word = certain(game, aim.n) if trusting else None, stated(game)
    if sure is not None and word is not None and not word.below(sure):
        word = None  # a guard would cut off nothing, and cost the paths that look for it
    for ceiling in (sure, word):
        if ceiling is None:
            continue
        if method in ("auto", "tilted"):
            yield from _tilted(game, ceiling, ceiling is sure, epsilons, tile, aim)
        if method == "martingale" or (method == "auto" and game.adversary.gaussian):
            yield from _with_martingale(game, ceiling, ceiling is sure, epsilons, tile, aim)


def _whole(game: Game, epsilons: tuple[float, ...]) -> Estimator:
    """Plain paths, which need nothing to rest on."""
    zeros = (0.0,) * len(epsilons)
    return Estimator("plain", game, epsilons, HockeyStick(epsilons, zeros), (_SOME,) * len(epsilons))


def _beyond(game: Game, guard: Guard, epsilons: tuple[float, ...]) -> Estimator:
    """Plain paths of which those count that the guard would have stopped: all that they do, and whenever."""
    whole = _whole(replace(game, guard=replace(guard, act="mark", ours=False)), epsilons)
    assert isinstance(whole.measure, HockeyStick)
    return replace(whole, name="plain beyond the guard", measure=replace(whole.measure, paths="beyond"))


def _tilted(
    game: Game, ceiling: Ceiling, sure: bool, epsilons: tuple[float, ...], tile: Tile, aim: _Aim
) -> Iterator[_Piloted]:
    """Estimators that tilt finite losses, one for each order, and weigh infinite ones where there may be any."""
    for order in _some(map(ceiling.order, epsilons)):
        bounds = tuple(ceiling.log_bound(order, epsilon) for epsilon in epsilons)
        if not max(map(abs, bounds)) < DOUBLES_END or (order == 1 and ceiling.infinite == 0):
            continue  # at order 1 nothing is gained over plain paths but the weighing
        guard = ceiling.guard(order, "trust" if sure else "stop")
        name = f"tilted to order {order:.4g}" if order > 1 else "untilted"
        measure = HockeyStick(epsilons, bounds, paths="all" if sure else "within")
        finite = Estimator(
            *(
                name,
                game.at(order, guard),
                epsilons,
                measure,
                (_SOME,) * len(epsilons),
                ceiling.why(order, max(epsilons)),
            )
        )
        terms = [finite]
        if ceiling.infinite > 0:
            finite = replace(finite, game=replace(finite.game, erasures="weighed"))
            loose = replace(guard, order=1.0, log_most=math.inf)
            erased = Estimator(
                "weighed erasures",
                replace(game.at(1.0, loose if sure else guard), erasures="weighed"),
                epsilons[:1],
                Erased(ceiling.infinite),
                (_SOME,),
                ceiling.why(order, max(epsilons)),
            )
            terms = [erased, finite]
        if not sure:
            terms.insert(0, _beyond(game, guard, epsilons))
        yield from _shared(terms, tile, aim)


def _with_martingale(
    game: Game, ceiling: Ceiling, sure: bool, epsilons: tuple[float, ...], tile: Tile, aim: _Aim
) -> Iterator[_Piloted]:
    """Estimators that measure how far Gaussian rounds stay below the closed form of a spent budget."""
    budget = ceiling.squares
    if (
        not _READABLE < budget < math.inf
    ):  # sum mu^2 is read off losses of size sqrt(budget), to their last digits
        return
    game = replace(game, adversary=GaussianRounds(game.adversary))
    for order in _some(_best_order(budget / 2, max(epsilon, 0.0)) for epsilon in epsilons):
        if not 1.0 < order < math.inf:  # the budget is so large that plain paths are as good
            continue
        slacks = tuple(WeightedSlack(epsilon, budget, order, 0.0) for epsilon in epsilons)
        if not max(abs(slack.log_bound) for slack in slacks) < DOUBLES_END:
            continue
        most = order * budget / 2 * (1 + _CLOSED)
        guard = Guard.at(order, most, 0.0, "trust" if sure else "stop", ours=sure and ceiling.ruled)
        name = f"tilted to order {order:.4g}"
        base = Estimator(
            *(name, game.at(order, guard), epsilons, Slacks(slacks), (_SOME,) * len(epsilons)),
            ceiling.why_squares,
        )
        if sure:
            yield _with_slack(base, slacks, tile, aim)
        else:
            yield from _shared([_beyond(game, guard, epsilons), base], tile, aim)


def _best_order(rho: float, epsilon: float) -> float:
    """The order of the least bound on weights, no higher than leaves that bound within the doubles."""
    return min(float(CKS.order(rho, epsilon)), 1 + _WITHIN / epsilon if epsilon > 0 else math.inf)


def _shared(terms: list[Estimator], tile: Tile, aim: _Aim) -> Iterator[_Piloted]:
    """The sum of the terms, the paths shared out among them as the pilots say that they are best."""
    least = 2 * len(terms)  # an interval needs two paths
    if aim.n < least:
        if aim.named:
            raise ValueError(
                f"n must be at least {least} where {len(terms)} terms are added, got n={aim.n}; draw more"
            )
        return
    pilots = [None if isinstance(term.measure, Slacks) else _seen(term, tile) for term in terms]

    def piloted(term: Estimator, pilot: tuple[Moments, ...] | None, share: _Aim) -> _Piloted:
        if pilot is not None:
            return term.expected(pilot, share)
        assert isinstance(term.measure, Slacks)
        return _with_slack(term, term.measure.each, tile, share)

    if len(terms) == 1:
        yield piloted(terms[0], pilots[0], aim)
        return
    trials: list[_Piloted] = []
    for shares in _shares(len(terms)):
        plays = Terms(tuple(terms), shares).plays(aim.n)
        parts = [
            piloted(term, pilot, replace(aim, n=n, failure=aim.failure / len(terms)))
            for (term, n), pilot in zip(plays, pilots, strict=True)
        ]
        some = [part.estimator for part in parts if isinstance(part.estimator, Estimator)]
        columns = [
            part.widths if len(part.widths) > 1 else part.widths * len(terms[-1].epsilons) for part in parts
        ]
        widths = tuple(map(sum, zip(*columns, strict=True)))
        trials.append(_Piloted(Terms(tuple(some), shares), widths))
    best = [min(widths) for widths in zip(*(trial.widths for trial in trials), strict=True)]
    yield min(trials, key=lambda trial: _relative(trial.widths, best))


def _shares(terms: int) -> list[tuple[float, ...]]:
    """How paths may be shared out: each term its share of what those before it left."""
    if terms == 1:
        return [(1.0,)]
    return [
        (share, *((1 - share) * rest for rest in after)) for share in SHARES for after in _shares(terms - 1)
    ]


def _seen(term: Estimator, tile: Tile) -> tuple[Moments, ...]:
    return pilot_moments(term.game, term.measure, tile)


def _with_slack(base: Estimator, slacks: tuple[WeightedSlack, ...], tile: Tile, aim: _Aim) -> _Piloted:
    """The martingale as control variate, its coefficient fitted to the pilot at each epsilon."""
    paths = play_tile(base.game, tile)
    each: list[WeightedSlack] = []
    pilot: list[Moments] = []
    for one in slacks:
        payoff, slack = one.terms(paths)
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
