"""The ways to estimate a divergence that a game allows: what each sums, and the ceiling that bounds it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias, TypeVar

import numpy as np

from mc.engine.game import Game
from mc.engine.guard import Guard
from mc.estimate.ceiling import Ceiling, certain, stated
from mc.estimate.estimator import Point, Term
from mc.estimate.functionals import HockeyStick, InfiniteLosses
from mc.estimate.martingale import GaussianRounds, WeightedSlack
from theory.conversions import CKS

__all__ = ["Method", "ways"]

Method: TypeAlias = Literal["auto", "plain", "tilted", "martingale"]

_T = TypeVar("_T")

#: Bounds whose logarithm has a larger absolute value than this are not used: they leave the range of doubles.
DOUBLES_END = 700.0
_WITHIN = 600.0
#: The most orders tried on a grid.
_ORDERS = 9
#: The least budget sum mu^2 for the martingale: a smaller one is lost in the rounding of the losses.
_READABLE = 1e-10
#: By how much, relative, the martingale's guard exceeds the budget, to allow for rounding.
_CLOSED = 2.0**-40


def ways(
    game: Game, epsilons: tuple[float, ...], *, n: int, method: Method, trusting: bool
) -> Iterator[tuple[Term, ...]]:
    """The ways that the game allows and n paths are enough for, each the terms that it adds.

    Of the named method, or of all methods for "auto". trusting: whether a `certain` ceiling is used without a guard.
    Raises ValueError where the named method needs more paths.
    """
    for terms in _allowed(game, epsilons, n, method, trusting):
        least = 2 * len(terms)  # an interval needs two paths
        if n >= least or len(terms) == 1:
            yield terms
        elif method != "auto":
            raise ValueError(
                f"n must be at least {least} where {len(terms)} terms are added, got n={n}; draw more"
            )


def _allowed(
    game: Game, epsilons: tuple[float, ...], n: int, method: Method, trusting: bool
) -> Iterator[tuple[Term, ...]]:
    if method in ("auto", "plain"):
        yield (plain(game, epsilons),)
    if method == "plain":
        return
    sure, word = certain(game, n) if trusting else None, stated(game)
    if sure is not None and word is not None and not word.below(sure):
        word = None  # no lower than the certain bound: its guard would stop nothing and cost plain paths
    for ceiling in (sure, word):
        if ceiling is None:
            continue
        if method in ("auto", "tilted"):
            yield from _tilted(game, ceiling, ceiling is sure, epsilons)
        if method == "martingale" or (method == "auto" and game.adversary.gaussian):
            yield from _with_martingale(game, ceiling, ceiling is sure, epsilons)


def plain(game: Game, epsilons: Sequence[float]) -> Term:
    """Plain draws, which need no bound on weights."""
    return Term("plain", game, tuple(Point(epsilon, HockeyStick(epsilon)) for epsilon in epsilons))


def _beyond(game: Game, guard: Guard, epsilons: tuple[float, ...]) -> Term:
    """Plain draws of the part of H that comes from paths which the guard would have stopped."""
    points = tuple(Point(epsilon, HockeyStick(epsilon, paths="beyond")) for epsilon in epsilons)
    marked = replace(game, guard=replace(guard, act="mark", ours=False))
    return Term("plain beyond the guard", marked, points)


def _tilted(
    game: Game, ceiling: Ceiling, sure: bool, epsilons: tuple[float, ...]
) -> Iterator[tuple[Term, ...]]:
    """For each order: finite losses tilted to it, and infinite ones weighed where there may be any."""
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
        finite = Term(name, game.at(order, guard), points, why)
        terms = [finite]
        if ceiling.infinite > 0:
            loose = replace(guard, order=1.0, log_most=math.inf)
            weighed = replace(game.at(1.0, loose if sure else guard), erasures="weighed")
            lost = tuple(Point(epsilon, InfiniteLosses(ceiling.infinite)) for epsilon in epsilons)
            terms = [
                Term("weighed erasures", weighed, lost, why),
                replace(finite, game=replace(finite.game, erasures="weighed")),
            ]
        if not sure:
            terms.insert(0, _beyond(game, guard, epsilons))
        yield tuple(terms)


def _with_martingale(
    game: Game, ceiling: Ceiling, sure: bool, epsilons: tuple[float, ...]
) -> Iterator[tuple[Term, ...]]:
    """For each order: losses tilted to it, with the Gaussian filter's martingale as control variate."""
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
        main = Term(f"tilted to order {order:.4g}", game.at(order, guard), points, ceiling.why_squares)
        yield (main,) if sure else (_beyond(game, guard, epsilons), main)


def _best_order(rho: float, epsilon: float) -> float:
    """The order with the least weight bound, limited so that the bound stays within the doubles."""
    return min(float(CKS.order(rho, epsilon)), 1 + _WITHIN / epsilon if epsilon > 0 else math.inf)


def _some(orders: Iterable[_T]) -> list[_T]:
    """The distinct orders; if they are more than `_ORDERS`, that many, spread evenly over them."""
    known = list(dict.fromkeys(orders))
    places = dict.fromkeys(np.linspace(0, len(known) - 1, _ORDERS).round().astype(int).tolist())
    return known if len(known) <= _ORDERS else [known[place] for place in places]
