"""The pilot: paths of their own, from which the way, the shares of its terms and the intervals are chosen.

A pilot's paths are not used again, so that a choice leaves the failure probability as it is.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import TypeAlias

from filters.contract.library import settled, told_apart
from mc.engine.game import Game
from mc.engine.streams import Tile
from mc.engine.tiles import play_tile
from mc.estimate.estimator import Estimator, Point, Term
from mc.estimate.functionals import UnitFunctional
from mc.estimate.methods import Method, ways
from mc.intervals import Choice, FixedBets, IntervalName, Moments, choose_interval

__all__ = ["choose", "choose_once", "pilot_tile"]

#: The index of the tile that pilots play; no run is long enough to reach it.
PILOT = 2**62
PILOT_PATHS = 8192
#: One estimator answers all epsilons of a grid at which its width is at most this many times the least width.
SHARED = 2.0
#: A candidate is not piloted where another's width is, at every epsilon, at most this many times the least it can have.
ENOUGH = 1.01
#: An estimator is not used where its values have more than 16 times the least range of any candidate: the pilot may
#: have missed its rare large values.
_RANGE = math.log(16.0)
#: Shares of the paths tried for a term of a sum.
SHARES = (1 / 16, 1 / 4, 1 / 2, 3 / 4)

#: For each point of a term, the forms of its functional that a pilot suggests, each with its moments there.
_Fits: TypeAlias = Sequence[Sequence[tuple[UnitFunctional, Moments]]]


def choose(
    game: Game,
    epsilons: tuple[float, ...],
    *,
    n: int,
    failure: float,
    method: Method,
    interval: IntervalName = "auto",
    trusting: bool = True,
) -> tuple[Estimator, ...]:
    """The estimators that together answer every epsilon: of the named method, or of all methods for "auto".

    A pilot predicts the width of each candidate's interval; one that no pilot could make narrow enough has none. One
    estimator answers all epsilons at which it is nearly as narrow as the best.
    trusting: whether a `certain` ceiling is used without a guard. Raises ValueError if the named method has no bound.
    """
    candidates = list(ways(game, epsilons, n=n, method=method, trusting=trusting))
    if not candidates:
        raise ValueError(
            f"method must be plain for {type(game.filter).__name__}, as nothing is known that bounds a "
            f"likelihood-ratio weight at these epsilons, got method={method!r}; pass method='plain', or let the "
            "filter say what it holds every path to"
        )
    offers, best = _offers(candidates, Aim(n, failure, interval))
    left = list(range(len(epsilons)))
    chosen: list[Estimator] = []
    while left:

        def answered(offer: _Offer, left: list[int] = left) -> list[int]:
            return [j for j in left if offer.widths[j] <= SHARED * best[j]]

        # the estimator that answers most epsilons; among equals the narrowest
        winner = min(offers, key=lambda offer: (-len(answered(offer)), _relative(offer.widths, best)))
        places = answered(winner)
        chosen.append(winner.estimator.only(places))
        left = [j for j in left if j not in places]
    return tuple(chosen)


def choose_once(
    game: Game,
    epsilons: tuple[float, ...],
    *,
    n: int,
    failure: float,
    method: Method,
    interval: IntervalName = "auto",
    trusting: bool = True,
) -> tuple[Estimator, ...]:
    """What `choose` answers, remembered where the game is made of the library's own values.

    The choice depends on nothing else: a pilot's random numbers are the same whatever the seed of the run.
    """
    terms = {"n": n, "failure": failure, "method": method, "interval": interval, "trusting": trusting}
    ask: _Ask = partial(choose, epsilons=epsilons, **terms)  # type: ignore[arg-type]
    if not settled(game):
        return ask(game)
    return _remembered(_Question(told_apart((game, epsilons, *terms.values())), game, ask))


_Ask: TypeAlias = Callable[[Game], tuple[Estimator, ...]]


@dataclass(frozen=True, slots=True)
class _Question:
    """What is chosen for, told apart by the value of all that the choice depends on."""

    told: Hashable
    game: Game = field(compare=False)
    ask: _Ask = field(compare=False)


@lru_cache(maxsize=64)
def _remembered(question: _Question) -> tuple[Estimator, ...]:
    # the estimators go on playing a copy of the game, which nobody else can change
    return question.ask(copy.deepcopy(question.game))


@dataclass(frozen=True, slots=True)
class Aim:
    """What intervals are chosen for: n paths, a failure probability, and the user's word on the interval."""

    n: int
    failure: float
    interval: IntervalName

    def planned(self, term: Term, fits: _Fits) -> Term:
        """The term with the form and the interval at each point that the pilot's fits make narrowest."""
        points = tuple(self._planned(point, forms) for point, forms in zip(term.points, fits, strict=True))
        return replace(term, name=term.name + _coefficients(points), points=points)

    def _planned(self, point: Point, forms: Sequence[tuple[UnitFunctional, Moments]]) -> Point:
        choices = [(form, self._choice(moments)) for form, moments in forms]
        form, choice = min(choices, key=lambda planned: planned[1].width)
        bets = choice.interval if isinstance(choice.interval, FixedBets) else None
        chosen = replace(point, interval=choice.interval, functional=form.betting(bets))
        guess = chosen.divergence(choice.guess)
        return replace(chosen, width=guess.high - guess.low)

    def _choice(self, pilot: Moments) -> Choice:
        return choose_interval(pilot, self.n, failure=self.failure, interval=self.interval)

    def floors(self, terms: Sequence[Term]) -> tuple[float, ...]:
        """The least width that any pilot can give the estimator at each epsilon; 0 where that is not known.

        With n values in [0, R], none of the intervals is narrower than R (1 - (failure/2)^{1/n}).
        """
        functionals = [point.functional for point in terms[0].points]
        if len(terms) > 1 or any(functional.coefficient is not None for functional in functionals):
            return (0.0,) * len(functionals)
        unit = -math.expm1((math.log(self.failure) - math.log(2)) / self.n)
        # an estimate above one is cut there
        sizes = (functional.log_range for functional in functionals)
        return tuple(unit * math.exp(size) if size <= 0 else 0.0 for size in sizes)


@dataclass(frozen=True, slots=True)
class _Offer:
    """A candidate after its pilot, with its expected widths; infinite where the range of its values is too large."""

    estimator: Estimator
    widths: tuple[float, ...]


def _offers(candidates: Sequence[tuple[Term, ...]], aim: Aim) -> tuple[list[_Offer], list[float]]:
    """The candidates worth a pilot, and the least width at each epsilon."""
    ranges = [Estimator(terms, ()).log_ranges for terms in candidates]
    least = [min(at_epsilon) for at_epsilon in zip(*ranges, strict=True)]
    floors = [aim.floors(terms) for terms in candidates]
    best = [math.inf] * len(least)
    offers: dict[int, _Offer] = {}
    for place in sorted(range(len(candidates)), key=lambda place: sum(floors[place])):
        floor = floors[place]
        if all(low > SHARED * width for low, width in zip(floor, best, strict=True)):
            continue
        if any(all(map(_as_narrow, offer.widths, floor)) for offer in offers.values()):
            continue
        estimator = _piloted(candidates[place], aim)
        widths = tuple(
            width if log_range <= low + _RANGE else math.inf
            for width, log_range, low in zip(estimator.widths, ranges[place], least, strict=True)
        )
        offers[place] = _Offer(estimator, widths)
        best = list(map(min, best, widths))
    return [offers[place] for place in sorted(offers)], best


def _as_narrow(width: float, floor: float) -> bool:
    """Whether no interval that is at least `floor` wide is worth a pilot beside one of this width."""
    return width <= ENOUGH * floor


def _piloted(terms: tuple[Term, ...], aim: Aim) -> Estimator:
    """The estimator that adds the terms, the paths shared out so that the expected width is least."""
    fits = [_fits(term, pilot_tile(aim.n)) for term in terms]
    trials: list[Estimator] = []
    for shares in _shares(len(terms)):
        plays = Estimator(terms, shares).plays(aim.n)
        planned = [
            replace(aim, n=n, failure=aim.failure / len(terms)).planned(term, fit)
            for (term, n), fit in zip(plays, fits, strict=True)
        ]
        trials.append(Estimator(tuple(planned), shares))
    best = [min(widths) for widths in zip(*(trial.widths for trial in trials), strict=True)]
    return min(trials, key=lambda trial: _relative(trial.widths, best))


def _fits(term: Term, tile: Tile) -> _Fits:
    paths = play_tile(term.game, tile)
    return [point.functional.fitted(paths) for point in term.points]


def _shares(terms: int) -> Iterator[tuple[float, ...]]:
    """The splits of paths to try: each term takes a share of what the terms before it left."""
    if terms == 1:
        yield (1.0,)
        return
    for share in SHARES:
        yield from ((share, *((1 - share) * rest for rest in after)) for after in _shares(terms - 1))


def _coefficients(points: Sequence[Point]) -> str:
    """What a term's name says of the coefficients of its control variate; nothing where it has none."""
    betas = [point.functional.coefficient for point in points]
    known = [beta for beta in betas if beta is not None]
    if not known:
        return ""
    least, most = f"{min(known):.4g}", f"{max(known):.4g}"
    return f" with martingale coefficient {least if least == most else f'{least} to {most}'}"


def _relative(widths: Sequence[float], best: Sequence[float]) -> float:
    return sum(width / least for width, least in zip(widths, best, strict=True) if least > 0)


def pilot_tile(n: int) -> Tile:
    """The tile that the pilot plays before a run of n paths."""
    return Tile(0, PILOT, min(PILOT_PATHS, max(n // 16, 512)))
