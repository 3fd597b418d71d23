"""The numbers of trackers and of those who hold filters: blocks, selections and cuts, answers and noise."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial

import numpy as np

from filters.certified.decisions import decisions, last_admitted, last_granted
from filters.certified.families import FAMILIES
from filters.certified.law import Law
from filters.certified.laws import law_of
from filters.certified.people import EqualNormals
from filters.certified.running_number import RunningNumber, at_least, at_most, exactly, near
from filters.holders.clipped_sums import ClippedSums
from filters.holders.individual import IndividualFilter, gaussian_request
from filters.holders.linear_queries import LinearAnswer, LinearQueries
from filters.holders.trackers import GaussianTracker, RenyiTracker, Tracker
from filters.rules.blocks import BlockFilter
from filters.rules.gdp import GaussianFilter
from filters.rules.renyi import RenyiFilter
from theory.pairs import DominatingPair

__all__ = ["clipped_sums", "individual", "linear_queries", "tracker"]

_CUT = 2.0**-40


def tracker(tracker_held: Tracker, name: str) -> Iterator[RunningNumber]:
    """What blocks promise together, when a block is closed, and how many a mechanism takes that is larger than one."""
    theorem, size = "trackers", Fraction(tracker_held.size)
    square = isinstance(tracker_held, GaussianTracker)
    for blocks in (1, 3, 7, 1000):
        promise = tracker_held.guarantee(blocks)
        said = promise.mu if square else promise.rho  # type: ignore[attr-defined]
        margin = "x**2 - blocks*size**2" if square else "x - blocks*size"
        at = {"blocks": Fraction(blocks), "size": size}
        says = f"{name}: promise of {blocks} blocks"
        yield RunningNumber(theorem, says, exactly(float(said)), ">=", margin, at, Fraction(1, 2**50))
    law = _block_law(tracker_held)
    if law is None:
        return
    yield from decisions(BlockFilter(tracker_held, 1), law, f"{name}, one block")
    # c = size / 3 in the tracker's sum: three a block and no fourth; then one that takes several blocks
    for times, factor in ((10, Fraction(5, 16)), (1, Fraction(37, 8)), (2, Fraction(37, 8))):
        pair, cost = _costing(tracker_held, float(factor))
        state = tracker_held.start(1)
        for _ in range(times):
            state = tracker_held.spend(state, pair)
        opened = _opened([cost] * times, _whole(tracker_held))
        truth = "size*sqrt(opened)" if square else "size*opened"
        says = f"{name}: value after {times} of {pair!r}"
        yield near(
            theorem,
            says,
            float(tracker_held.value(state)[0]),
            truth,
            slack=2.0**-48,
            size=size,
            opened=opened,
        )


def _block_law(found: Tracker) -> Law | None:
    whole = GaussianFilter(found.size) if isinstance(found, GaussianTracker) else None
    if isinstance(found, RenyiTracker):
        law = law_of(RenyiFilter(found.alpha, found.size))
    else:
        law = None if whole is None else law_of(whole)
    return None if law is None else Law("trackers", law.margins, law.costs, law.at, law.balls, law.slack, ())


def _whole(found: Tracker) -> Fraction:
    """What a block holds, in the units of the charges."""
    return Fraction(found.size) ** 2 if isinstance(found, GaussianTracker) else Fraction(found.size)


def _costing(found: Tracker, factor: float) -> tuple[DominatingPair, Fraction]:
    """A Gaussian that costs about so many blocks, and exactly what it costs."""
    scale = 1.0 if isinstance(found, GaussianTracker) else found.alpha / 2  # type: ignore[attr-defined]
    x = math.sqrt(float(_whole(found)) * factor / scale)
    return FAMILIES["Gaussian(x)"].make(x), Fraction(scale) * Fraction(x) ** 2


def _opened(costs: list[Fraction], whole: Fraction) -> int:
    """The rule in fractions: a block is closed when the next cost would not fit, and a large cost fills several."""
    closed, spent = 0, Fraction(0)
    for cost in costs:
        if spent + cost <= whole:
            spent += cost
        elif cost <= whole:
            closed, spent = closed + 1, cost
        else:
            closed, spent = closed + math.ceil(cost / whole) - (spent == 0), whole
    return closed + 1


def _last(ask: Callable[[float], bool], low: float = 1e-100, high: float = 1e100) -> float:
    found = last_granted(ask, low, high)
    return math.nan if found is None else found


def individual(holder: IndividualFilter, name: str) -> Iterator[RunningNumber]:
    """What a Gaussian request is charged, who is selected and how norms are cut, under the filter that each one has."""
    theorem = "individual filter"
    norms, sigma = np.array([0.1, 1 / 3, 7.7, 1e-300, 1e200]), 0.7
    declared = np.broadcast_to(np.asarray(gaussian_request(norms, sigma).gdp_mu), norms.shape)
    for norm, mu in zip(norms, declared, strict=True):
        says = f"{name}: mu of a vector of norm {norm!r} under noise {sigma}"
        yield at_least(theorem, says, float(mu), "norm/sigma", slack=2.0**-50, norm=float(norm), sigma=sigma)
    law = law_of(holder.filter)
    if law is None or "Gaussian(x)" not in law.costs:
        return
    scale = 4.0  # a power of two, so that norms are multiples of mu

    def selected(x: float, *, before: int) -> bool:
        people = IndividualFilter(holder.filter, 2)
        for _ in range(before):
            people.select(gaussian_request(np.array([scale * unit, 0.0]), scale))
        return bool(people.select(gaussian_request(np.array([scale * x, 0.0]), scale))[0])

    whole = _last(lambda x: selected(x, before=0))
    unit = whole / 3
    for before in (0, 2):
        spent = [("Gaussian(x)", Fraction(unit), before)] if before else []
        last = _last(partial(selected, before=before))
        says = f"{name}: last mu selected after {before} rounds of {unit!r}"
        margin = law.margin("Gaussian(x)", spent)
        yield RunningNumber(theorem, says, exactly(last), "<=", margin, dict(law.at), Fraction(law.slack))
        people = IndividualFilter(holder.filter, 2)
        for _ in range(before):
            people.select(gaussian_request(np.array([scale * unit, 0.0]), scale))
        norm = scale * whole * 3
        factor = float(people.clip(np.array([norm, norm / 64]), sigma=scale)[0])
        says = f"{name}: mu of a norm cut to what is left after {before} rounds"
        cut = Fraction(factor) * Fraction(norm) / Fraction(scale)
        yield RunningNumber(theorem, says, cut, "<=", margin, dict(law.at), Fraction(law.slack))
    people = IndividualFilter(holder.filter, 1)
    most, norm = whole * scale / 8, whole * scale
    factor = float(people.clip(np.array([norm]), sigma=scale, most=most)[0])
    says = f"{name}: a norm cut to `most`"
    yield at_most(theorem, says, Fraction(factor) * Fraction(norm), Fraction(most), slack=_CUT)


def linear_queries(holder: LinearQueries, name: str) -> Iterator[RunningNumber]:
    """The noise, the error that is told, and the largest values with which a person still counts."""
    theorem = "linear queries"
    at = {"B": Fraction(holder.norm_budget), "kappa": Fraction(holder.kappa)}
    for dimension in (1, 1000):
        sigma = holder.sigma(dimension)
        says = f"{name}: noise in dimension {dimension}"
        yield RunningNumber(theorem, says, exactly(sigma), ">=", "x**2 - B/(2*kappa)", at, Fraction(1, 2**38))
    queries = LinearQueries(1, norm_budget=holder.norm_budget, kappa=holder.kappa)
    drawn = float(queries.answer(np.zeros((1, 1)), EqualNormals(1.0)).value[0])  # type: ignore[arg-type]
    says = f"{name}: the noise that is added where a normal is one"
    yield RunningNumber(theorem, says, exactly(drawn), ">=", "x**2 - B/(2*kappa)", at, Fraction(1, 2**38))
    answer = LinearAnswer(np.zeros(5), holder.sigma(5))
    says, truth = f"{name}: error told at 0.05 in dimension 5", "sqrt(B*log(5/delta)/kappa)"
    yield near(theorem, says, answer.error(0.05), truth, slack=2.0**-40, delta=0.05, **at)

    def counts(x: float, *, before: int) -> bool:
        queries = LinearQueries(1, norm_budget=holder.norm_budget, kappa=holder.kappa)
        rng = np.random.default_rng(1)
        for _ in range(before):
            queries.answer(np.array([unit]), rng)
        left = queries.report_for(0).remaining
        queries.answer(np.array([x]), rng)
        return queries.report_for(0).remaining < left

    whole = _last(
        lambda x: counts(x, before=0),
        1e-6 * math.sqrt(holder.norm_budget),
        1e6 * math.sqrt(holder.norm_budget),
    )
    unit = whole / 3
    for before in (0, 4):
        last = _last(
            partial(counts, before=before),
            1e-6 * math.sqrt(holder.norm_budget),
            1e6 * math.sqrt(holder.norm_budget),
        )
        says = f"{name}: last value with which a person counts after {before} answers of {unit!r}"
        # squares are rounded, and the noise covers it: together they must not cost more than kappa
        margin = "kappa - (before*unit**2 + x**2)/(2*sigma**2)"
        more = {"kappa": at["kappa"], "sigma": Fraction(holder.sigma(1))}
        more |= {"before": Fraction(before), "unit": Fraction(unit)}
        yield RunningNumber(theorem, says, exactly(last), "<=", margin, more, Fraction(1, 2**40))


def clipped_sums(holder: ClippedSums, name: str) -> Iterator[RunningNumber]:
    """The noise of a clipped sum, and the norm with which a vector counts."""
    theorem = "individual filter"
    yield at_least(theorem, f"{name}: noise", holder.sigma, Fraction(holder._sigma), slack=2.0**-30)
    sums = ClippedSums(IndividualFilter(holder.people.filter, 1), clip=holder.clip, sigma=holder._sigma)
    drawn = float(sums.release(np.zeros((1, 2)), EqualNormals(1.0)).value[0])  # type: ignore[arg-type]
    says = f"{name}: the noise that is added where a normal is one"
    yield at_least(theorem, says, drawn, Fraction(holder._sigma), slack=2.0**-30)
    vector = np.array([[3.0 * holder.clip, 4.0 * holder.clip]])
    sums.release(vector, np.random.default_rng(1))
    factor = float(sums.factors.made_public()[0])
    norm = Fraction(factor) * Fraction(float(vector[0, 0])) / 3 * 5
    room = last_admitted(holder.people.filter, [], FAMILIES["Gaussian(x)"])
    cap = Fraction(holder.clip)
    if room is not None:
        cap = min(cap, Fraction(room) * Fraction(holder._sigma))
    says = f"{name}: norm of a vector that was clipped"
    yield at_most(theorem, says, norm, cap, slack=2.0**-36)
