"""The pilot: paths of their own, from which the estimator, the shares of its terms and the stakes are chosen.

A pilot's paths are not used again, so that a choice leaves the failure probability as it is.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace

from mc.engine.game import Game
from mc.engine.paths import Paths
from mc.engine.remembered import remembered
from mc.engine.streams import Tile
from mc.engine.tiles import play_tile
from mc.estimate.estimator import Aim, Estimator, Term, allowed
from mc.estimate.functionals import UnitFunctional
from mc.intervals.estimate import Estimate

__all__ = ["estimators", "pilot_tile"]

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


@remembered(64)
def estimators(game: Game, epsilons: tuple[float, ...], aim: Aim) -> tuple[Estimator, ...]:
    """The estimators that together answer every epsilon: of the named method, or of all methods for "auto".

    A pilot predicts the width of each candidate's interval; one that no pilot could make narrow enough has none. One
    estimator answers all epsilons at which it is nearly as narrow as the best. Nothing else decides: a pilot's random
    numbers are the same whatever the seed of the run.
    Raises ValueError as `allowed` does.
    """
    offers = _offers([_Candidate(epsilons, terms) for terms in allowed(game, epsilons, aim)], aim)
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


@dataclass(frozen=True, slots=True)
class _Candidate:
    """The terms of an estimator that has no shares and no stakes yet."""

    epsilons: tuple[float, ...]
    terms: tuple[Term, ...]

    @property
    def log_ranges(self) -> tuple[float, ...]:
        """The logarithm of the largest value that a pilot may miss, for each epsilon: of any term."""
        ranges = ([functional.log_unseen for functional in term.functionals] for term in self.terms)
        return tuple(map(max, zip(*ranges, strict=True)))

    def floors(self, aim: Aim) -> tuple[float, ...]:
        """The least width that any pilot can expect of the estimator at each epsilon."""
        failure = aim.failure / len(self.terms)
        widths = ([sums.least_width(aim.n, failure) for sums in term.functionals] for term in self.terms)
        return tuple(map(sum, zip(*widths, strict=True)))

    def piloted(self, aim: Aim, played: dict[Hashable, Paths]) -> tuple[Estimator, tuple[float, ...]]:
        """The estimator, the paths shared out so that the expected widths are least, and these.

        played holds the pilots so far: candidates are forms of one game, and some have a term in common.
        """
        fits = []
        for term in self.terms:
            way = term.game.order, term.game.guard, term.game.erasures
            if way not in played:
                played[way] = play_tile(term.game, pilot_tile(aim.n))
            fits.append([functional.fitted(played[way]) for functional in term.functionals])

        def shared_out(shares: tuple[float, ...]) -> tuple[Estimator, tuple[float, ...]]:
            failure, terms, widths = aim.failure / len(self.terms), [], [0.0] * len(self.epsilons)
            plays = Estimator(self.epsilons, self.terms, shares).plays(aim.n)
            for (term, n), fitted in zip(plays, fits, strict=True):
                plans = [
                    min((form.planned(pilot, n, failure, aim.interval) for form, pilot in forms), key=_width)
                    for forms in fitted
                ]
                terms.append(replace(term, functionals=tuple(functional for functional, _ in plans)))
                widths = [width + _width(plan) for width, plan in zip(widths, plans, strict=True)]
            return Estimator(self.epsilons, tuple(terms), shares), tuple(widths)

        trials = [shared_out(shares) for shares in _shares(len(self.terms))]
        best = [min(at_epsilon) for at_epsilon in zip(*(widths for _, widths in trials), strict=True)]
        return min(trials, key=lambda trial: _relative(trial[1], best))


def _offers(candidates: Sequence[_Candidate], aim: Aim) -> list[tuple[Estimator, tuple[float, ...]]]:
    """The candidates worth a pilot, each with its expected widths, infinite where its values range too far."""
    least = [
        min(at_epsilon)
        for at_epsilon in zip(*(candidate.log_ranges for candidate in candidates), strict=True)
    ]
    far = [
        [size > low + _RANGE for size, low in zip(candidate.log_ranges, least, strict=True)]
        for candidate in candidates
    ]
    floors = [candidate.floors(aim) for candidate in candidates]
    best = [math.inf] * len(least)
    offers: dict[int, tuple[Estimator, tuple[float, ...]]] = {}
    played: dict[Hashable, Paths] = {}
    for place in sorted(range(len(candidates)), key=lambda place: sum(floors[place])):
        floor = floors[place]
        if all(
            off or low > SHARED * width for off, low, width in zip(far[place], floor, best, strict=True)
        ) or any(
            all(width <= ENOUGH * low for width, low in zip(widths, floor, strict=True))
            for _, widths in offers.values()
        ):
            continue
        estimator, expected = candidates[place].piloted(aim, played)
        widths = tuple(math.inf if off else width for off, width in zip(far[place], expected, strict=True))
        offers[place] = estimator, widths
        best = list(map(min, best, widths))
    return [offers[place] for place in sorted(offers)]


def _width(plan: tuple[UnitFunctional, Estimate]) -> float:
    return plan[1].high - plan[1].low


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
