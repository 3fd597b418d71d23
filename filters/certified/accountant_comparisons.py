"""The numbers of trackers and accountants: blocks, selections and cuts, answers and noise."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from filterproof.filters.accountants.clipped_sums import ClippedSums
from filterproof.filters.accountants.constant_normals import UNIT_NOISE
from filterproof.filters.accountants.individual import IndividualFilter, gaussian_request
from filterproof.filters.accountants.linear_queries import LinearAnswer, LinearQueries
from filterproof.filters.accountants.trackers import GaussianTracker, IndividualTracker, RenyiTracker, Tracker
from filterproof.filters.certified.admission_conditions import condition_of
from filterproof.filters.certified.comparison import Comparison, Comparisons
from filterproof.filters.certified.decisions import (
    FAMILIES,
    decision_boundaries,
    decision_boundary,
    last_admitted,
)
from filterproof.filters.rules.one_sum import GaussianFilter, RenyiFilter
from filterproof.filters.rules.tracker_limit import TrackerLimitFilter
from filterproof.theory.pairs import Gaussian

_CUT = 2.0**-40


def tracker_comparisons(tracker: Tracker, name: str) -> Iterator[Comparison]:
    """Yield the guarantee of several blocks, the closing of blocks, and the blocks of a mechanism larger than one."""
    of, size = Comparisons("trackers", name), Fraction(tracker.size)
    square = isinstance(tracker, GaussianTracker)
    margin = "x**2 - blocks*size**2" if square else "x - blocks*size"
    for blocks in (1, 3, 7, 1000):
        promise: Any = tracker.guarantee(blocks)
        value, at = float(promise.mu if square else promise.rho), {"blocks": blocks, "size": size}
        yield of.by_margin(f"promise of {blocks} blocks", value, ">=", margin, slack=2.0**-50, **at)
    match tracker:  # a block, its content, and the cost of the square of a mu
        case GaussianTracker():
            condition, block_budget, scale = condition_of(GaussianFilter(tracker.size)), size**2, Fraction(1)
        case RenyiTracker(alpha):
            condition, block_budget = condition_of(RenyiFilter(alpha, tracker.size)), size
            scale = Fraction(alpha) / 2
        case _:
            return
    assert condition is not None
    block = replace(condition, theorem="trackers", denied=())
    yield from decision_boundaries(TrackerLimitFilter(tracker, 1), block, f"{name}, one block")
    truth = "size*sqrt(opened)" if square else "size*opened"
    # three releases in a block but not four; whole blocks, many blocks, and several fractional ones; four times as much
    # for a second person
    for times, factor in ((10, 0.3125), (60, 1.0), (1, 2.0**40), (2, 4.625)):
        mus = math.sqrt(float(block_budget) * factor / float(scale)) * np.array([1.0, 2.0])
        people = IndividualTracker(tracker, 2)
        for _ in range(times):
            people.spend(Gaussian(mus))
        for mu, value in zip(mus.tolist(), people.values().made_public().tolist(), strict=True):
            says = f"value after {times} of {Gaussian(mu)!r}"
            opened = _opened_block_count(scale * Fraction(mu) ** 2, times, block_budget)
            yield of.near_truth(says, value, truth, slack=2.0**-48, size=size, opened=opened)


def _opened_block_count(cost: Fraction, times: int, block_budget: Fraction) -> int:
    """Return the number of blocks after equal costs, by the rule in fractions."""
    closed, spent = 0, Fraction(0)
    for _ in range(times):
        if spent + cost <= block_budget:
            spent += cost
        elif cost <= block_budget:
            closed, spent = closed + 1, cost
        else:
            closed, spent = closed + math.ceil(cost / block_budget) - (spent == 0), block_budget
    return closed + 1


def individual_comparisons(accountant: IndividualFilter, name: str) -> Iterator[Comparison]:
    """Yield the charge of a Gaussian request, the selection and the cuts of norms under the filter of each person."""
    of, sigma = Comparisons("individual filter", name), 0.7
    norms = np.array([0.1, 1 / 3, 7.7, 1e-300, 1e200])
    for norm, mu in zip(norms, np.asarray(gaussian_request(norms, sigma).gdp_mu).tolist(), strict=True):
        says = f"mu of a vector of norm {norm!r} under noise {sigma}"
        yield of.at_least(says, mu, "norm/sigma", slack=2.0**-50, norm=float(norm), sigma=sigma)
    condition = condition_of(accountant.filter)
    if condition is None or "Gaussian(x)" not in condition.costs:
        return
    mus, scale = FAMILIES["Gaussian(x)"], 4.0  # a power of two, so that norms are multiples of mu

    def individual_filter_after(before: int, count: int = 2) -> IndividualFilter:
        people = IndividualFilter(accountant.filter, count)
        for _ in range(before):
            people.select(gaussian_request(np.array([scale * unit, 0.0]), scale))
        return people

    def is_selected(x: float, *, before: int) -> bool:
        return bool(
            individual_filter_after(before).select(gaussian_request(np.array([scale * x, 0.0]), scale))[0]
        )

    largest_accepted = decision_boundary(partial(is_selected, before=0), *mus.size_range)
    unit, norm = largest_accepted / 3, scale * largest_accepted * 3
    for before in (0, 2):
        margin = condition.margin("Gaussian(x)", [("Gaussian(x)", Fraction(unit), before)] if before else [])
        factor = individual_filter_after(before).clip(np.array([norm, norm / 64]), sigma=scale)[0]
        cut = Fraction(float(factor)) * Fraction(norm) / Fraction(scale)
        for says, value in (
            (
                f"last mu selected after {before} rounds of {unit!r}",
                decision_boundary(partial(is_selected, before=before), *mus.size_range),
            ),
            (f"mu of a norm clipped to the remaining budget after {before} rounds", cut),
        ):
            yield of.by_margin(says, value, "<=", margin, slack=condition.slack, **condition.at)
    most, norm = largest_accepted * scale / 8, largest_accepted * scale
    factor = individual_filter_after(0, 1).clip(np.array([norm]), sigma=scale, most=most)[0]
    yield of.at_most(
        "a norm cut to `most`", Fraction(float(factor)) * Fraction(norm), Fraction(most), slack=_CUT
    )


def linear_queries_comparisons(accountant: LinearQueries, name: str) -> Iterator[Comparison]:
    """Yield the noise, the reported error, and the largest values with which a person is still counted."""
    of, rng = Comparisons("linear queries", name), np.random.default_rng(1)
    at = {"B": Fraction(accountant.norm_budget), "kappa": Fraction(accountant.kappa)}

    def new_linear_queries() -> LinearQueries:
        return LinearQueries(1, norm_budget=accountant.norm_budget, kappa=accountant.kappa)

    drawn = float(new_linear_queries().answer(np.zeros((1, 1)), UNIT_NOISE).value[0])
    # it covers norms that are too small by dimension + 2 half-ulps
    margin = "x**2*(1 - (d + 2)/2**53) - B/(2*kappa)"
    for says, sigma, d in (
        *((f"noise in dimension {d}", accountant.sigma(d), d) for d in (1, 100, 2**20)),
        ("the noise for a normal of one", drawn, 1),
    ):
        yield of.by_margin(says, sigma, ">=", margin, slack=(d + 10) * 2.0**-50, d=d, **at)
    error, truth = LinearAnswer(np.zeros(5), accountant.sigma(5)).error(0.05), "sqrt(B*log(5/delta)/kappa)"
    yield of.near_truth(
        "reported error at 0.05 in dimension 5", error, truth, slack=2.0**-40, delta=0.05, **at
    )

    def is_counted(x: float, *, before: int) -> bool:
        queries = new_linear_queries()
        for _ in range(before):
            queries.answer(np.array([unit]), rng)
        left = queries.report_for(0).remaining
        queries.answer(np.array([x]), rng)
        return queries.report_for(0).remaining < left

    root = math.sqrt(accountant.norm_budget)
    largest_accepted = decision_boundary(partial(is_counted, before=0), 1e-6 * root, 1e6 * root)
    unit = largest_accepted / 3
    for before in (0, 4):
        last = decision_boundary(partial(is_counted, before=before), 1e-6 * root, 1e6 * root)
        says = f"largest value with which a person is counted after {before} answers of {unit!r}"
        # squares are rounded, and the noise covers this: together they must not cost more than kappa
        margin = "kappa - (before*unit**2 + x**2)/(2*sigma**2)"
        more = {"kappa": accountant.kappa, "sigma": accountant.sigma(1), "before": before, "unit": unit}
        yield of.by_margin(says, last, "<=", margin, slack=2.0**-40, **more)


def clipped_sums_comparisons(accountant: ClippedSums, name: str) -> Iterator[Comparison]:
    """Yield the noise of a clipped sum, and the norm of a clipped vector."""
    of, sigma = Comparisons("individual filter", name), Fraction(accountant._sigma)
    sums = ClippedSums(
        IndividualFilter(accountant.people.filter, 1), clip=accountant.clip, sigma=accountant._sigma
    )
    drawn = float(sums.release(np.zeros((1, 2)), UNIT_NOISE).value[0])
    yield of.at_least("noise", accountant.sigma, sigma, slack=2.0**-30)
    yield of.at_least("the noise for a normal of one", drawn, sigma, slack=2.0**-30)
    vector = np.array([[3.0 * accountant.clip, 4.0 * accountant.clip]])
    sums.release(vector, np.random.default_rng(1))
    norm = Fraction(float(sums.factors.made_public()[0])) * Fraction(float(vector[0, 0])) / 3 * 5
    room = last_admitted(accountant.people.filter, [], FAMILIES["Gaussian(x)"])
    clip = Fraction(accountant.clip)
    cap = clip if math.isnan(room) else min(clip, Fraction(room) * sigma)
    yield of.at_most("norm of a vector that was clipped", norm, cap, slack=2.0**-36)
