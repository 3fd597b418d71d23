"""The pilot: paths of their own, from which the way, the shares of its terms and the intervals are chosen.

A pilot's paths are not used again, so that a choice leaves the failure probability as it is.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from filters.contract.library import settled, told_apart
from mc.engine.game import Game
from mc.engine.streams import Tile
from mc.engine.tiles import play_tile
from mc.estimate.estimator import Estimator, Point, Term
from mc.estimate.functionals import UnitFunctional
from mc.estimate.ways import Aim, ways
from mc.intervals import FixedBets, Moments, choose_interval

__all__ = ["chosen", "estimators", "pilot_tile"]

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


def estimators(game: Game, epsilons: tuple[float, ...], aim: Aim) -> tuple[Estimator, ...]:
    """What is `chosen`, remembered where the game is made of the library's own values.

    The choice depends on nothing else: a pilot's random numbers are the same whatever the seed of the run.
    """
    if not settled(game):
        return chosen(game, epsilons, aim)
    return _remembered(_Question(told_apart((game, epsilons, aim)), game, epsilons, aim))


@dataclass(frozen=True, slots=True)
class _Question:
    """What is chosen for, told apart by the value of all that the choice depends on."""

    key: Hashable
    game: Game = field(compare=False)
    epsilons: tuple[float, ...] = field(compare=False)
    aim: Aim = field(compare=False)


@lru_cache(maxsize=64)
def _remembered(question: _Question) -> tuple[Estimator, ...]:
    # the estimators go on playing a copy of the game, which nobody else can change
    return chosen(copy.deepcopy(question.game), question.epsilons, question.aim)


def chosen(game: Game, epsilons: tuple[float, ...], aim: Aim) -> tuple[Estimator, ...]:
    """The estimators that together answer every epsilon: of the named method, or of all methods for "auto".

    A pilot predicts the width of each candidate's interval; one that no pilot could make narrow enough has none. One
    estimator answers all epsilons at which it is nearly as narrow as the best.
    Raises ValueError if the named method has no bound.
    """
    candidates = list(ways(game, epsilons, aim))
    if not candidates:
        raise ValueError(
            f"method must be plain for {type(game.filter).__name__}, as nothing is known that bounds a "
            f"likelihood-ratio weight at these epsilons, got method={aim.method!r}; pass method='plain', or let the "
            "filter say what it holds every path to"
        )
    offers = _offers(candidates, aim)
    best = [min(at_epsilon) for at_epsilon in zip(*(widths for _, widths in offers), strict=True)]
    left = list(range(len(epsilons)))
    answering: list[Estimator] = []
    while left:
        # the estimator that answers most epsilons; among equals the narrowest
        able = [[j for j in left if widths[j] <= SHARED * best[j]] for _, widths in offers]
        winner = min(range(len(offers)), key=lambda k: (-len(able[k]), _relative(offers[k][1], best)))
        answering.append(offers[winner][0].only(able[winner]))
        left = [j for j in left if j not in able[winner]]
    return tuple(answering)


def _offers(candidates: Sequence[tuple[Term, ...]], aim: Aim) -> list[tuple[Estimator, tuple[float, ...]]]:
    """The candidates worth a pilot, each with its expected widths, infinite where its values range too far."""
    ranges = [Estimator(terms, ()).log_ranges for terms in candidates]
    least = [min(at_epsilon) for at_epsilon in zip(*ranges, strict=True)]
    floors = [_floors(terms, aim) for terms in candidates]
    best = [math.inf] * len(least)
    offers: dict[int, tuple[Estimator, tuple[float, ...]]] = {}
    for place in sorted(range(len(candidates)), key=lambda place: sum(floors[place])):
        floor = floors[place]
        if all(low > SHARED * width for low, width in zip(floor, best, strict=True)):
            continue
        if any(
            all(width <= ENOUGH * low for width, low in zip(widths, floor, strict=True))
            for _, widths in offers.values()
        ):
            continue
        estimator = _piloted(candidates[place], aim)
        widths = tuple(
            width if log_range <= low + _RANGE else math.inf
            for width, log_range, low in zip(estimator.widths, ranges[place], least, strict=True)
        )
        offers[place] = estimator, widths
        best = list(map(min, best, widths))
    return [offers[place] for place in sorted(offers)]


def _floors(terms: Sequence[Term], aim: Aim) -> tuple[float, ...]:
    """The least width that any pilot can give the estimator at each epsilon; 0 where that is not known.

    With n values in [0, R], none of the intervals is narrower than R (1 - (failure/2)^{1/n}).
    """
    functionals = [point.functional for point in terms[0].points]
    if len(terms) > 1 or any(functional.coefficient is not None for functional in functionals):
        return (0.0,) * len(functionals)
    unit = -math.expm1((math.log(aim.failure) - math.log(2)) / aim.n)
    # an estimate above one is cut there
    sizes = (functional.log_range for functional in functionals)
    return tuple(unit * math.exp(size) if size <= 0 else 0.0 for size in sizes)


def _piloted(terms: tuple[Term, ...], aim: Aim) -> Estimator:
    """The estimator that adds the terms, the paths shared out so that the expected width is least."""
    pilots = [play_tile(term.game, pilot_tile(aim.n)) for term in terms]
    fits = [
        [point.functional.fitted(paths) for point in term.points]
        for term, paths in zip(terms, pilots, strict=True)
    ]
    trials: list[Estimator] = []
    for shares in _shares(len(terms)):
        planned = tuple(
            _planned(term, fit, replace(aim, n=n, failure=aim.failure / len(terms)))
            for (term, n), fit in zip(Estimator(terms, shares).plays(aim.n), fits, strict=True)
        )
        trials.append(Estimator(planned, shares))
    best = [min(widths) for widths in zip(*(trial.widths for trial in trials), strict=True)]
    return min(trials, key=lambda trial: _relative(trial.widths, best))


def _planned(term: Term, fits: Sequence[tuple[UnitFunctional, Moments]], aim: Aim) -> Term:
    """The term with the interval at each point that is narrowest.

    fits holds, for each point, its functional as a pilot suggests it, with its moments there.
    """

    def narrowest(point: Point, fit: tuple[UnitFunctional, Moments]) -> Point:
        form, moments = fit
        choice = choose_interval(moments, aim.n, failure=aim.failure, interval=aim.interval)
        bets = choice.interval if isinstance(choice.interval, FixedBets) else None
        point = replace(point, interval=choice.interval, functional=form.betting(bets))
        guess = point.divergence(choice.guess)
        return replace(point, width=guess.high - guess.low)

    points = tuple(map(narrowest, term.points, fits))
    betas = [point.functional.coefficient for point in points]
    known = [beta for beta in betas if beta is not None]
    if not known:
        return replace(term, points=points)
    least, most = f"{min(known):.4g}", f"{max(known):.4g}"
    coefficient = least if least == most else f"{least} to {most}"
    return replace(term, name=f"{term.name} with martingale coefficient {coefficient}", points=points)


def _shares(terms: int) -> Iterator[tuple[float, ...]]:
    """The splits of paths to try: each term takes a share of what the terms before it left."""
    if terms == 1:
        yield (1.0,)
        return
    for share in SHARES:
        yield from ((share, *((1 - share) * rest for rest in after)) for after in _shares(terms - 1))


def _relative(widths: Sequence[float], best: Sequence[float]) -> float:
    return sum(width / least for width, least in zip(widths, best, strict=True) if least > 0)


def pilot_tile(n: int) -> Tile:
    """The tile that the pilot plays before a run of n paths."""
    return Tile(0, PILOT, min(PILOT_PATHS, max(n // 16, 512)))
