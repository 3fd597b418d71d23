"""An estimator: H_{e^epsilon} as a sum of terms, each a mean over paths of one game; and those that a game allows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from mc.engine.game import Game
from mc.engine.guard import Guard
from mc.estimate.ceiling import Ceiling, certain, stated
from mc.estimate.functionals import HockeyStick, InfiniteLosses, IntervalName, JointFunctional, UnitFunctional
from mc.estimate.martingale import WeightedSlack
from mc.estimate.spending import said_of
from mc.intervals.estimate import PLAIN_DRAWS, Estimate
from mc.runs.tally import Tally
from theory.conversions import CKS

__all__ = ["Aim", "Estimator", "Method", "Term", "allowed", "tilted"]

Method: TypeAlias = Literal["auto", "plain", "tilted", "martingale"]
_Act: TypeAlias = Literal["trust", "stop"]

#: Bounds whose logarithm has a larger absolute value than this are not used: they leave the range of doubles.
_DOUBLES_END, _WITHIN = 700.0, 600.0
#: The most orders tried on a grid.
_ORDERS = 9
#: The least budget sum mu^2 for the martingale: a smaller one is lost in the rounding of the losses.
_READABLE = 1e-10
#: By how much, relative, the martingale's guard exceeds the budget, to allow for rounding.
_CLOSED = 2.0**-40


@dataclass(frozen=True, slots=True)
class Term:
    """A term of H_{e^epsilon}: for each epsilon what is summed on the same paths of one game.

    rests_on says why the summed values are bounded.
    """

    name: str
    game: Game
    functionals: tuple[UnitFunctional, ...]
    rests_on: str = PLAIN_DRAWS

    @property
    def joint(self) -> JointFunctional:
        """What is summed for all epsilons."""
        return JointFunctional(self.functionals)

    def estimates(self, tally: Tally, failure: float) -> Iterator[Estimate]:
        """One estimate for each epsilon, each with this failure probability."""
        for functional, own in zip(self.functionals, self.joint.tallies(tally), strict=True):
            estimate = functional.estimate(own, failure)
            name = f"{self.name}{functional.how}, {estimate.method}"
            yield replace(estimate, method=name, rests_on=self.rests_on)


@dataclass(frozen=True, slots=True)
class Estimator:
    """H_{e^epsilon} as a sum of means, each from paths of its own; the failure probability is divided equally.

    The main term is the last. Before it may come the part of H from paths that a guard would have stopped, and the
    probability of infinite losses where they are weighed: see `mc.estimate.ceiling.Ceiling`. shares are the terms'
    shares of the paths.
    """

    epsilons: tuple[float, ...]
    terms: tuple[Term, ...]
    shares: tuple[float, ...]

    def plays(self, n: int) -> tuple[tuple[Term, int], ...]:
        """The terms to play, each with its number of paths, n in all."""
        least = min(n // len(self.terms), 2)  # an interval needs two paths
        sizes = [max(round(share * n), least) for share in self.shares[:-1]]
        while sum(sizes) > n - least:
            sizes[sizes.index(max(sizes))] -= 1
        return tuple(zip(self.terms, (*sizes, n - sum(sizes)), strict=True))

    def estimates(self, tallies: Sequence[Tally], failure: float) -> tuple[Estimate, ...]:
        """One estimate for each epsilon from the tallies of its plays; empty while a term has no tally yet."""
        if len(tallies) < len(self.terms):
            return ()
        each = zip(self.terms, tallies, strict=True)
        by_term = [term.estimates(tally, failure / len(self.terms)) for term, tally in each]
        return tuple(_sum(summands, failure) for summands in zip(*by_term, strict=True))

    def only(self, places: Sequence[int]) -> Estimator:
        """This estimator for some of its epsilons."""
        terms = (replace(term, functionals=tuple(term.functionals[j] for j in places)) for term in self.terms)
        return Estimator(tuple(self.epsilons[j] for j in places), tuple(terms), self.shares)


def _sum(summands: Sequence[Estimate], failure: float) -> Estimate:
    """The estimate of a divergence of which these estimate the terms; it rests on what the last one rests on."""
    value, low, high, n, beyond = (
        sum(getattr(part, name) for part in summands) for name in ("value", "low", "high", "n", "beyond")
    )
    method = " + ".join(part.method for part in summands)
    return Estimate(value, low, high, failure, n, method, summands[-1].rests_on, beyond).at_most_one


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


def allowed(game: Game, epsilons: tuple[float, ...], aim: Aim) -> list[tuple[Term, ...]]:
    """The estimators that the game allows and the paths are enough for, each as the terms that it adds.

    Of the named method, or of all methods for "auto". Raises ValueError where nothing bounds what the named method
    sums, and where it needs more paths.
    """
    offered = list(_offered(game, epsilons, aim))
    if not offered:
        raise ValueError(
            f"method must be plain for {type(game.filter).__name__}, as nothing is known that bounds a "
            f"likelihood-ratio weight at these epsilons, got method={aim.method!r}; pass method='plain', or let the "
            "filter say what it holds every path to"
        )
    # an interval needs two paths
    enough = [terms for terms in offered if aim.n >= 2 * len(terms) or len(terms) == 1]
    if not enough:
        most = max(map(len, offered))
        raise ValueError(
            f"n must be at least {2 * most} where {most} terms are added, got n={aim.n}; draw more"
        )
    return enough


def _offered(game: Game, epsilons: tuple[float, ...], aim: Aim) -> Iterator[tuple[Term, ...]]:
    if aim.method in ("auto", "plain"):
        yield (Term("plain", game, tuple(HockeyStick(epsilon) for epsilon in epsilons)),)
    if aim.method == "plain":
        return
    sure, word = certain(game, aim.n) if aim.trusting else None, stated(game)
    if sure is not None and word is not None and not word.below(sure):
        word = None  # no lower than the certain bound: its guard would stop nothing and cost plain paths
    bounded: list[tuple[Ceiling | None, _Act]] = [(sure, "trust"), (word, "stop")]
    for ceiling, act in bounded:
        if ceiling is None:
            continue
        ways: list[tuple[Guard, tuple[Term, ...]]] = []
        if aim.method in ("auto", "tilted"):
            ways += tilted(game, ceiling, epsilons, act)
        gaussian = game.adversary.gaussian and said_of("request", game.adversary, "gaussian")
        if aim.method == "martingale" or (aim.method == "auto" and gaussian):
            ways += _with_martingale(game, ceiling, epsilons, act)
        for guard, terms in ways:
            yield terms if act == "trust" else (_beyond(game, guard, epsilons), *terms)


def tilted(
    game: Game, ceiling: Ceiling, epsilons: tuple[float, ...], act: _Act
) -> Iterator[tuple[Guard, tuple[Term, ...]]]:
    """For each order: finite losses tilted to it, infinite ones weighed where there may be any, and the guard."""
    for order in _some(map(ceiling.order, epsilons)):
        bounds = [ceiling.log_bound(order, epsilon) for epsilon in epsilons]
        if order == 1 or not max(map(abs, bounds)) < _DOUBLES_END:
            continue
        guard, why = ceiling.guard(order, act), ceiling.why(order, max(epsilons))
        sums = (
            HockeyStick(epsilon, bound, paths="all" if act == "trust" else "within")
            for epsilon, bound in zip(epsilons, bounds, strict=True)
        )
        finite = Term(f"tilted to order {order:.4g}", game.at(order, guard), tuple(sums), why)
        terms: tuple[Term, ...] = (finite,)
        if ceiling.infinite > 0:
            loose = replace(guard, order=1.0, log_most=math.inf) if act == "trust" else guard
            weighed = replace(game.at(1.0, loose), erasures="weighed")
            lost = Term("weighed erasures", weighed, (InfiniteLosses(ceiling.infinite),) * len(epsilons), why)
            terms = lost, replace(finite, game=replace(finite.game, erasures="weighed"))
        yield guard, terms


def _with_martingale(
    game: Game, ceiling: Ceiling, epsilons: tuple[float, ...], act: _Act
) -> Iterator[tuple[Guard, tuple[Term, ...]]]:
    """For each order: losses tilted to it, with the Gaussian filter's martingale as control variate, and the guard."""
    budget = ceiling.squares
    # what is left of the budget is computed from losses of size sqrt(budget)
    if not _READABLE < budget < math.inf:
        return
    for order in _some(_best_order(budget / 2, max(epsilon, 0.0)) for epsilon in epsilons):
        if not 1.0 < order < math.inf:  # the budget is so large that plain paths are as good
            continue
        slacks = tuple(WeightedSlack(epsilon, budget, order, 0.0) for epsilon in epsilons)
        if not max(abs(slack.log_bound) for slack in slacks) < _DOUBLES_END:
            continue
        most, ours = order * budget / 2 * (1 + _CLOSED), act == "trust" and ceiling.ruled
        guard = Guard.at(order, most, 0.0, act, ours=ours, gaussian=True)
        name = f"tilted to order {order:.4g}"
        yield guard, (Term(name, game.at(order, guard), slacks, ceiling.why_squares),)


def _beyond(game: Game, guard: Guard, epsilons: tuple[float, ...]) -> Term:
    """The part of H of the paths that the guard would have stopped."""
    marked = replace(game, guard=replace(guard, act="mark", ours=False))
    sums = tuple(HockeyStick(epsilon, paths="beyond") for epsilon in epsilons)
    return Term("plain beyond the guard", marked, sums)


def _best_order(rho: float, epsilon: float) -> float:
    """The order with the least weight bound, limited so that the bound stays within the doubles."""
    return min(float(CKS.order(rho, epsilon)), 1 + _WITHIN / epsilon if epsilon > 0 else math.inf)


def _some(orders: Iterable[float]) -> list[float]:
    """The distinct orders; if they are more than `_ORDERS`, that many, spread evenly over them."""
    known = list(dict.fromkeys(orders))
    places = dict.fromkeys(np.linspace(0, len(known) - 1, _ORDERS).round().astype(int).tolist())
    return known if len(known) <= _ORDERS else [known[place] for place in places]
