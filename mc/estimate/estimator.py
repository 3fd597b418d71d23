"""Estimators of H_{e^epsilon} as sums of means over runs, and the pilot that chooses among them.

A pilot chooses with paths that are not used again, so that the choice leaves the failure probability unchanged.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from filterproof.mc.engine.batches import play_batch
from filterproof.mc.engine.budget_monitor import BudgetMonitor
from filterproof.mc.engine.cached import cache_results
from filterproof.mc.engine.finished_runs import FinishedRuns
from filterproof.mc.engine.game import Game
from filterproof.mc.engine.streams import Batch
from filterproof.mc.estimate.declared_spending import declaration_covers_running_code
from filterproof.mc.estimate.functionals import (
    HockeyStick,
    InfiniteLosses,
    JointFunctional,
    UnitFunctional,
)
from filterproof.mc.estimate.martingale import WeightedSlack
from filterproof.mc.estimate.path_bound import PathBound, bounds_stated_by_filter, proven_bounds
from filterproof.mc.intervals.estimate import PLAIN_DRAWS, Estimate
from filterproof.mc.runs.batch_sums import BatchSums
from filterproof.theory.conversions import CKS

Method: TypeAlias = Literal["auto", "plain", "tilted", "martingale"]
_MonitorAct: TypeAlias = Literal["assert", "truncate"]

#: The index of the pilot's batch; no run is long enough to reach it.
PILOT_BATCH_INDEX = 2**62
PILOT_PATHS = 8192
#: One estimator answers all epsilons of a grid at which its width is at most this multiple of the smallest width.
MAX_SHARED_WIDTH_RATIO = 2.0
#: A candidate gets no pilot if another's width is, at every epsilon, at most this multiple of its smallest possible
#: one.
MAX_PILOT_RATIO = 1.01
#: An estimator is not used if its values have more than 16 times the smallest range of any candidate: the pilot may
#: have missed its rare large values.
_RANGE = math.log(16.0)
#: Shares of the paths that are tried for a term of a sum.
ALLOCATIONS = (1 / 16, 1 / 4, 1 / 2, 3 / 4)
#: Bounds whose logarithm has a larger absolute value are not used, because they leave the range of doubles.
_DOUBLES_END, _MAX_LOG_BOUND = 700.0, 600.0
#: The most orders on a grid.
_ORDERS = 9
#: The smallest budget sum mu^2 for the martingale: a smaller one is lost in the rounding of the losses.
_READABLE = 1e-10
#: The relative excess of the martingale's budget monitor over the budget, for rounding.
_CLOSED = 2.0**-40


@dataclass(frozen=True, slots=True)
class Term:
    """One summand of H_{e^epsilon}: for each epsilon a functional of the same paths of one game.

    `rests_on` states why the values are bounded.
    """

    name: str
    game: Game
    functionals: tuple[UnitFunctional, ...]
    rests_on: str = PLAIN_DRAWS

    @property
    def joint(self) -> JointFunctional:
        """One functional with the sums of the functionals of all epsilons."""
        return JointFunctional(self.functionals)

    def estimates(self, batch_sums: BatchSums, failure: float) -> Iterator[Estimate]:
        """Yield one estimate for each epsilon, each with this failure probability."""
        for functional, own in zip(self.functionals, self.joint.tallies(batch_sums), strict=True):
            estimate = functional.estimate(own, failure)
            name = f"{self.name}{functional.pilot_choice_text}, {estimate.method}"
            yield replace(estimate, method=name, rests_on=self.rests_on)


@dataclass(frozen=True, slots=True)
class Estimator:
    """H_{e^epsilon} as a sum of means, each from paths of its own; the failure probability is divided equally.

    The main term is the last. Before it may come the part of H from paths that a monitor would have stopped, and the
    probability of infinite losses if they are weighed: see `filterproof.mc.estimate.path_bound.PathBound`.
    `allocations` are the terms' shares of the paths, empty before a pilot.
    """

    epsilons: tuple[float, ...]
    terms: tuple[Term, ...]
    allocations: tuple[float, ...] = ()

    @property
    def log_largest_unseen_values(self) -> tuple[float, ...]:
        """The log of the largest value that a pilot may miss in any term, for each epsilon."""
        ranges = (
            [functional.log_largest_unseen_value for functional in term.functionals] for term in self.terms
        )
        return tuple(map(max, zip(*ranges, strict=True)))

    def smallest_widths(self, settings: EstimatorSettings) -> tuple[float, ...]:
        """Return the smallest interval width that any pilot can predict, for each epsilon."""
        failure = settings.failure / len(self.terms)
        widths = ([sums.least_width(settings.n, failure) for sums in term.functionals] for term in self.terms)
        return tuple(map(sum, zip(*widths, strict=True)))

    def terms_with_path_counts(self, n: int) -> tuple[tuple[Term, int], ...]:
        """Return each term with its number of simulated paths, n in total."""
        least = min(n // len(self.terms), 2)  # an interval needs two paths
        sizes = [max(round(share * n), least) for share in self.allocations[:-1]]
        while sum(sizes) > n - least:
            sizes[sizes.index(max(sizes))] -= 1
        return tuple(zip(self.terms, (*sizes, n - sum(sizes)), strict=True))

    def estimates(self, tallies: Sequence[BatchSums], failure: float) -> tuple[Estimate, ...]:
        """Return one estimate for each epsilon from the sums of its plays; empty while a term has none."""
        if len(tallies) < len(self.terms):
            return ()
        each = zip(self.terms, tallies, strict=True)
        by_term = [term.estimates(batch_sums, failure / len(self.terms)) for term, batch_sums in each]
        return tuple(_sum_of_terms(summands, failure) for summands in zip(*by_term, strict=True))

    def only(self, places: Sequence[int]) -> Estimator:
        """Return this estimator for some of its epsilons."""
        terms = (replace(term, functionals=tuple(term.functionals[j] for j in places)) for term in self.terms)
        return Estimator(tuple(self.epsilons[j] for j in places), tuple(terms), self.allocations)


def _sum_of_terms(summands: Sequence[Estimate], failure: float) -> Estimate:
    """Return the estimate of a sum of terms, with the assumption of the last one."""
    value, low, high, n, over_bound = (
        sum(getattr(part, name) for part in summands) for name in ("value", "low", "high", "n", "over_bound")
    )
    method = " + ".join(part.method for part in summands)
    return Estimate(value, low, high, failure, n, method, summands[-1].rests_on, over_bound).at_most_one


@dataclass(frozen=True, slots=True)
class EstimatorSettings:
    """The parameters for the choice of an estimator: n, the failure probability of each estimate, and the method.

    `trusts_bounds`: whether a `proven_bounds` bound is used without a monitor.
    """

    n: int
    failure: float
    method: Method = "auto"
    trusts_bounds: bool = True


@cache_results(64)
def estimators(game: Game, epsilons: tuple[float, ...], settings: EstimatorSettings) -> tuple[Estimator, ...]:
    """Return the estimators that together answer every epsilon: of the named method, or of all methods for "auto".

    A pilot predicts the width of each candidate's interval; candidates that cannot be narrow enough get none. One
    estimator answers all epsilons at which it is nearly as narrow as the best. Nothing else decides: a pilot's random
    numbers are the same for every seed of the run. Raises ValueError as `allowed_estimators` does.
    """
    offers = _pilot_candidates(
        [Estimator(epsilons, terms) for terms in allowed_estimators(game, epsilons, settings)], settings
    )
    widths = np.array([expected for _, expected in offers])
    best, left = widths.min(axis=0), np.ones(len(epsilons), dtype=np.bool_)
    answering: list[Estimator] = []
    while left.any():
        # the estimator that answers the most epsilons, then the narrowest
        able = (widths <= MAX_SHARED_WIDTH_RATIO * best) & left
        winner = min(
            range(len(offers)), key=lambda k: (-able[k].sum(), _widths_relative_to_best(widths[k], best))
        )
        answering.append(offers[winner][0].only(np.flatnonzero(able[winner]).tolist()))
        left &= ~able[winner]
    return tuple(answering)


def _pilot_candidates(
    candidates: Sequence[Estimator], settings: EstimatorSettings
) -> list[tuple[Estimator, NDArray[np.float64]]]:
    """Return the candidates worth a pilot with their expected widths, infinite if the range is too large."""
    ranges = np.array([candidate.log_largest_unseen_values for candidate in candidates])
    floors = np.array([candidate.smallest_widths(settings) for candidate in candidates])
    far, best = ranges > ranges.min(axis=0) + _RANGE, np.full(ranges.shape[1], math.inf)
    offers: dict[int, tuple[Estimator, NDArray[np.float64]]] = {}
    played: dict[Hashable, FinishedRuns] = {}
    for place in sorted(range(len(candidates)), key=lambda place: sum(floors[place].tolist())):
        hopeless = (far[place] | (floors[place] > MAX_SHARED_WIDTH_RATIO * best)).all()
        if hopeless or any(
            (widths <= MAX_PILOT_RATIO * floors[place]).all() for _, widths in offers.values()
        ):
            continue
        estimator, expected = _fitted_by_pilot(candidates[place], settings, played)
        offers[place] = estimator, np.where(far[place], math.inf, expected)
        best = np.minimum(best, offers[place][1])
    return [offers[place] for place in sorted(offers)]


def _fitted_by_pilot(
    candidate: Estimator, settings: EstimatorSettings, played: dict[Hashable, FinishedRuns]
) -> tuple[Estimator, tuple[float, ...]]:
    """Return the estimator with the shares and stakes of the smallest expected widths, and these widths.

    `played` caches pilots: candidates are variants of one game, and some share a term.
    """
    fits = []
    for term in candidate.terms:
        way = term.game.order, term.game.monitor, term.game.erasures
        if way not in played:
            played[way] = play_batch(term.game, pilot_batch(settings.n))
        fits.append([functional.fitted(played[way]) for functional in term.functionals])

    def with_allocations(allocations: tuple[float, ...]) -> tuple[Estimator, tuple[float, ...]]:
        """Return the estimator with these shares of the paths, and its predicted widths."""
        failure, terms, widths = settings.failure / len(fits), [], [0.0] * len(candidate.epsilons)
        shared = replace(candidate, allocations=allocations)
        for (term, n), fitted in zip(shared.terms_with_path_counts(settings.n), fits, strict=True):
            plans = [
                min(
                    (form.planned(pilot, n, failure) for form, pilot in forms),
                    key=_planned_width,
                )
                for forms in fitted
            ]
            terms.append(replace(term, functionals=tuple(functional for functional, _ in plans)))
            widths = [width + _planned_width(plan) for width, plan in zip(widths, plans, strict=True)]
        return replace(shared, terms=tuple(terms)), tuple(widths)

    trials = [with_allocations(allocations) for allocations in _path_splits(len(candidate.terms))]
    best = np.min([widths for _, widths in trials], axis=0)
    return min(trials, key=lambda trial: _widths_relative_to_best(trial[1], best))


def _planned_width(plan: tuple[UnitFunctional, Estimate]) -> float:
    """Return the predicted width of the interval of a functional."""
    return plan[1].high - plan[1].low


def _path_splits(terms: int) -> Iterator[tuple[float, ...]]:
    """Yield the tried allocations: shares of the paths for each term, which add up to 1."""
    if terms == 1:
        yield (1.0,)
        return
    for share in ALLOCATIONS:
        yield from ((share, *((1 - share) * rest for rest in after)) for after in _path_splits(terms - 1))


def _widths_relative_to_best(widths: Iterable[float], best: NDArray[np.float64]) -> float:
    """Return the sum over the epsilons of width / best width."""
    return math.fsum(width / least for width, least in zip(widths, best, strict=True) if least > 0)


def pilot_batch(n: int) -> Batch:
    """Return the batch that the pilot plays before a run of n paths."""
    return Batch(0, PILOT_BATCH_INDEX, min(PILOT_PATHS, max(n // 16, 512)))


def allowed_estimators(
    game: Game, epsilons: tuple[float, ...], settings: EstimatorSettings
) -> list[tuple[Term, ...]]:
    """Return the estimators that the game allows and n suffices for, each as the terms that it adds.

    Of the named method, or of all methods for "auto". Raises ValueError if nothing bounds the values of the named
    method, or if it needs more paths.
    """
    offered = list(_candidate_terms(game, epsilons, settings))
    if not offered:
        raise ValueError(
            f"no bound on likelihood-ratio weights is known for {type(game.filter).__name__} at these epsilons "
            f"(method={settings.method!r}); pass method='plain', or define `holds` on the filter"
        )
    # an interval needs two paths
    enough = [terms for terms in offered if settings.n >= 2 * len(terms) or len(terms) == 1]
    if not enough:
        most = max(map(len, offered))
        raise ValueError(
            f"n must be at least {2 * most} for {most} terms, got n={settings.n}; pass a larger n"
        )
    return enough


def _candidate_terms(
    game: Game, epsilons: tuple[float, ...], settings: EstimatorSettings
) -> Iterator[tuple[Term, ...]]:
    """Yield the terms of each plain, tilted or martingale estimator that the bounds allow."""
    if settings.method in ("auto", "plain"):
        yield (Term("plain", game, tuple(HockeyStick(epsilon) for epsilon in epsilons)),)
    if settings.method == "plain":
        return
    sure, word = (
        proven_bounds(game, settings.n) if settings.trusts_bounds else None,
        bounds_stated_by_filter(game),
    )
    if sure is not None and word is not None and not word.is_clearly_lower(sure):
        word = None  # no lower than the certain bound: its monitor would stop nothing and cost plain paths
    bounded: list[tuple[PathBound | None, _MonitorAct]] = [(sure, "assert"), (word, "truncate")]
    for path_bound, act in bounded:
        if path_bound is None:
            continue
        ways: list[tuple[BudgetMonitor, tuple[Term, ...]]] = []
        if settings.method in ("auto", "tilted"):
            ways += _tilted_terms(game, path_bound, epsilons, act)
        gaussian = game.adversary.requests_only_gaussians and declaration_covers_running_code(
            "request", game.adversary, "requests_only_gaussians"
        )
        if settings.method == "martingale" or (settings.method == "auto" and gaussian):
            ways += _martingale_terms(game, path_bound, epsilons, act)
        for monitor, terms in ways:
            yield terms if act == "assert" else (_term_of_overspending_paths(game, monitor, epsilons), *terms)


def _tilted_terms(
    game: Game, path_bound: PathBound, epsilons: tuple[float, ...], act: _MonitorAct
) -> Iterator[tuple[BudgetMonitor, tuple[Term, ...]]]:
    """Yield, for each order, the monitor and the terms, with the finite losses tilted to that order."""
    for order in _evenly_spaced_orders(map(path_bound.best_order, epsilons)):
        bounds = [path_bound.log_bound(order, epsilon) for epsilon in epsilons]
        if order == 1 or not max(map(abs, bounds)) < _DOUBLES_END:
            continue
        monitor, why = path_bound.monitor(order, act), path_bound.justification(order, max(epsilons))
        sums = (
            HockeyStick(epsilon, bound, paths="all" if act == "assert" else "within_bound")
            for epsilon, bound in zip(epsilons, bounds, strict=True)
        )
        finite = Term(f"tilted to order {order:.4g}", game.at(order, monitor), tuple(sums), why)
        terms: tuple[Term, ...] = (finite,)
        if path_bound.infinite > 0:
            loose = replace(monitor, order=1.0, max_log_moment=math.inf) if act == "assert" else monitor
            weighed = replace(game.at(1.0, loose), erasures="weighed")
            lost = Term(
                "weighed erasures", weighed, (InfiniteLosses(path_bound.infinite),) * len(epsilons), why
            )
            terms = lost, replace(finite, game=replace(finite.game, erasures="weighed"))
        yield monitor, terms


def _martingale_terms(
    game: Game, path_bound: PathBound, epsilons: tuple[float, ...], act: _MonitorAct
) -> Iterator[tuple[BudgetMonitor, tuple[Term, ...]]]:
    """Yield, for each order, the monitor and terms with a martingale as control variate."""
    budget = path_bound.squares
    # the rest of the budget is computed from losses of size sqrt(budget)
    if not _READABLE < budget < math.inf:
        return
    for order in _evenly_spaced_orders(
        _order_of_least_weight_bound(budget / 2, max(epsilon, 0.0)) for epsilon in epsilons
    ):
        if not 1.0 < order < math.inf:  # the budget is so large that plain paths are as good
            continue
        slacks = tuple(WeightedSlack(epsilon, budget, order, 0.0) for epsilon in epsilons)
        if not max(abs(slack.log_bound) for slack in slacks) < _DOUBLES_END:
            continue
        most, ours = order * budget / 2 * (1 + _CLOSED), act == "assert" and path_bound.rests_on_rule_theorem
        monitor = BudgetMonitor.at(order, most, 0.0, act, ours=ours, gaussian=True)
        name = f"tilted to order {order:.4g}"
        yield monitor, (Term(name, game.at(order, monitor), slacks, path_bound.justification_of_mu_squares),)


def _term_of_overspending_paths(game: Game, monitor: BudgetMonitor, epsilons: tuple[float, ...]) -> Term:
    """Return the term of the paths that exceed the monitor's bound, estimated without tilting."""
    marked = replace(game, monitor=replace(monitor, act="flag", ours=False))
    sums = tuple(HockeyStick(epsilon, paths="over_bound") for epsilon in epsilons)
    return Term("plain beyond the monitor", marked, sums)


def _order_of_least_weight_bound(rho: float, epsilon: float) -> float:
    """Return the order with the smallest weight bound that stays within the doubles."""
    return min(float(CKS.order(rho, epsilon)), 1 + _MAX_LOG_BOUND / epsilon if epsilon > 0 else math.inf)


def _evenly_spaced_orders(orders: Iterable[float]) -> list[float]:
    """Return the distinct orders; if more than `_ORDERS`, that many spread evenly."""
    distinct_orders = list(dict.fromkeys(orders))
    places = dict.fromkeys(np.linspace(0, len(distinct_orders) - 1, _ORDERS).round().astype(int).tolist())
    return (
        distinct_orders if len(distinct_orders) <= _ORDERS else [distinct_orders[place] for place in places]
    )
