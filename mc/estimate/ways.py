"""The ways to estimate a divergence that a game allows: the terms that each adds, and the ceiling that bounds them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from mc.engine.game import Game
from mc.engine.guard import Guard
from mc.estimate.ceiling import Ceiling, certain, stated
from mc.estimate.estimator import Point, Term
from mc.estimate.functionals import HockeyStick, InfiniteLosses
from mc.estimate.martingale import WeightedSlack
from mc.intervals import IntervalName
from theory.conversions import CKS

__all__ = ["Aim", "Method", "plain", "ways"]

Method: TypeAlias = Literal["auto", "plain", "tilted", "martingale"]

#: Bounds whose logarithm has a larger absolute value than this are not used: they leave the range of doubles.
DOUBLES_END = 700.0
_WITHIN = 600.0
#: The most orders tried on a grid.
_ORDERS = 9
#: The least budget sum mu^2 for the martingale: a smaller one is lost in the rounding of the losses.
_READABLE = 1e-10
#: By how much, relative, the martingale's guard exceeds the budget, to allow for rounding.
_CLOSED = 2.0**-40


@dataclass(frozen=True, slots=True)
class Aim:
    """What an estimator is chosen for: n paths, the failure probability of each estimate, and the user's word.

    trusting: whether a `certain` ceiling is used without a guard.
    """

    n: int
    failure: float
    method: Method = "auto"
    interval: IntervalName = "auto"
    trusting: bool = True


def ways(game: Game, epsilons: tuple[float, ...], aim: Aim) -> Iterator[tuple[Term, ...]]:
    """The ways that the game allows and the paths are enough for, each the terms that it adds.

    Of the named method, or of all methods for "auto". Raises ValueError where the named method needs more paths.
    """
    for terms in _allowed(game, epsilons, aim):
        least = 2 * len(terms)  # an interval needs two paths
        if aim.n >= least or len(terms) == 1:
            yield terms
        elif aim.method != "auto":
            raise ValueError(
                f"n must be at least {least} where {len(terms)} terms are added, got n={aim.n}; draw more"
            )


def _allowed(game: Game, epsilons: tuple[float, ...], aim: Aim) -> Iterator[tuple[Term, ...]]:
    if aim.method in ("auto", "plain"):
        yield (plain(game, epsilons),)
    if aim.method == "plain":
        return
    sure, word = certain(game, aim.n) if aim.trusting else None, stated(game)
    if sure is not None and word is not None and not word.below(sure):
        word = None  # no lower than the certain bound: its guard would stop nothing and cost plain paths
    for ceiling in (sure, word):
        if ceiling is None:
            continue
        bounded = _Bounded(game, ceiling, ceiling is sure, epsilons)
        if aim.method in ("auto", "tilted"):
            yield from bounded.tilted()
        if aim.method == "martingale" or (aim.method == "auto" and game.adversary.gaussian):
            yield from bounded.with_martingale()


def plain(game: Game, epsilons: Sequence[float]) -> Term:
    """Plain draws, which need no bound on weights."""
    return Term("plain", game, tuple(Point(epsilon, HockeyStick(epsilon)) for epsilon in epsilons))


@dataclass(frozen=True, slots=True)
class _Bounded:
    """A game whose weights a ceiling bounds: for `sure`, or by a guard, beyond which paths are drawn plainly."""

    game: Game
    ceiling: Ceiling
    sure: bool
    epsilons: tuple[float, ...]

    def tilted(self) -> Iterator[tuple[Term, ...]]:
        """For each order: finite losses tilted to it, and infinite ones weighed where there may be any."""
        ceiling, sure, epsilons = self.ceiling, self.sure, self.epsilons
        for order in _some(map(ceiling.order, epsilons)):
            bounds = [ceiling.log_bound(order, epsilon) for epsilon in epsilons]
            if order == 1 or not max(map(abs, bounds)) < DOUBLES_END:
                continue
            guard = ceiling.guard(order, "trust" if sure else "stop")
            name = f"tilted to order {order:.4g}"
            why = ceiling.why(order, max(epsilons))
            points = tuple(
                Point(epsilon, HockeyStick(epsilon, bound, paths="all" if sure else "within"))
                for epsilon, bound in zip(epsilons, bounds, strict=True)
            )
            finite = Term(name, self.game.at(order, guard), points, why)
            terms: tuple[Term, ...] = (finite,)
            if ceiling.infinite > 0:
                loose = replace(guard, order=1.0, log_most=math.inf) if sure else guard
                weighed = replace(self.game.at(1.0, loose), erasures="weighed")
                lost = tuple(Point(epsilon, InfiniteLosses(ceiling.infinite)) for epsilon in epsilons)
                finite = replace(finite, game=replace(finite.game, erasures="weighed"))
                terms = (Term("weighed erasures", weighed, lost, why), finite)
            yield self._whole(guard, terms)

    def with_martingale(self) -> Iterator[tuple[Term, ...]]:
        """For each order: losses tilted to it, with the Gaussian filter's martingale as control variate."""
        budget, sure = self.ceiling.squares, self.sure
        # what is left of the budget is computed from losses of size sqrt(budget)
        if not _READABLE < budget < math.inf:
            return
        for order in _some(_best_order(budget / 2, max(epsilon, 0.0)) for epsilon in self.epsilons):
            if not 1.0 < order < math.inf:  # the budget is so large that plain paths are as good
                continue
            slacks = [WeightedSlack(epsilon, budget, order, 0.0) for epsilon in self.epsilons]
            if not max(abs(slack.log_bound) for slack in slacks) < DOUBLES_END:
                continue
            most = order * budget / 2 * (1 + _CLOSED)
            act: Literal["trust", "stop"] = "trust" if sure else "stop"
            guard = Guard.at(order, most, 0.0, act, ours=sure and self.ceiling.ruled, gaussian=True)
            points = tuple(Point(slack.epsilon, slack) for slack in slacks)
            main = Term(
                f"tilted to order {order:.4g}", self.game.at(order, guard), points, self.ceiling.why_squares
            )
            yield self._whole(guard, (main,))

    def _whole(self, guard: Guard, terms: tuple[Term, ...]) -> tuple[Term, ...]:
        """The terms, and where the bound is not sure the part of H of the paths that the guard would have stopped."""
        if self.sure:
            return terms
        points = tuple(Point(epsilon, HockeyStick(epsilon, paths="beyond")) for epsilon in self.epsilons)
        marked = replace(self.game, guard=replace(guard, act="mark", ours=False))
        return Term("plain beyond the guard", marked, points), *terms


def _best_order(rho: float, epsilon: float) -> float:
    """The order with the least weight bound, limited so that the bound stays within the doubles."""
    return min(float(CKS.order(rho, epsilon)), 1 + _WITHIN / epsilon if epsilon > 0 else math.inf)


def _some(orders: Iterable[float]) -> list[float]:
    """The distinct orders; if they are more than `_ORDERS`, that many, spread evenly over them."""
    known = list(dict.fromkeys(orders))
    places = dict.fromkeys(np.linspace(0, len(known) - 1, _ORDERS).round().astype(int).tolist())
    return known if len(known) <= _ORDERS else [known[place] for place in places]
