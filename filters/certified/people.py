"""What people are charged and what is added to their sums, read off holders that were asked with told noise.

>>> all(one.checked().fits for one in of_people())
True
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from filters.certified.running_number import Claims, RunningNumber
from filters.certified.two_doubles import sum_of
from filters.holders.clipped_sums import ClippedSums
from filters.holders.individual import IndividualFilter, gaussian_request
from filters.holders.linear_queries import LinearQueries
from filters.rules.gdp import GaussianFilter

__all__ = ["EqualNormals", "of_people", "spent_by"]

_QUERIES, _PEOPLE = Claims("linear queries"), Claims("individual filter")
#: (norm_budget, kappa): ordinary ones, and some whose quotient under- or overflows.
_TERMS = (
    *((5.0, 1.0), (0.3, 0.7), (7.0, 3.0)),
    *((1e-200, 1e150), (1e200, 1e-150), (1e-160, 3e155), (1.0, 1.7e308)),
)


class EqualNormals:
    """A generator whose normals are all one number."""

    def __init__(self, normal: float) -> None:
        self._normal = normal

    def standard_normal(self, shape: Any) -> np.ndarray:
        return np.full(shape, self._normal)


def spent_by(holder: IndividualFilter | LinearQueries) -> list[Fraction]:
    """What each person has spent, in the units of the charges."""
    budget: Any
    state: Any
    if isinstance(holder, LinearQueries):
        budget, state = holder._budget, (holder._sums.high, holder._sums.low)
    else:
        budget, state = holder.filter.budget, holder._state  # type: ignore[attr-defined]
    return [sum_of(budget, state, person) for person in range(len(state[0]))]


def _whole(numbers: Any, power: int = 1) -> Fraction:
    """The sum of the powers of doubles."""
    return sum((Fraction(float(x)) ** power for x in numbers), Fraction(0))


def of_people() -> Iterator[RunningNumber]:
    """Linear queries, clipped sums, and vectors that are cut to what is left."""
    for norm_budget, kappa in _TERMS:
        yield from _noise(norm_budget, kappa)
    yield from _queries()
    yield from _cut()
    yield from _least()
    for normal in (1.0, -2.0):
        yield from _sums(normal)


def _noise(norm_budget: float, kappa: float) -> Iterator[RunningNumber]:
    """The noise covers norms that are too small by dimension + 2 half-ulps."""
    of = _QUERIES.of(f"LinearQueries(norm_budget={norm_budget!r}, kappa={kappa!r})")
    queries = LinearQueries(1, norm_budget=norm_budget, kappa=kappa)
    for d in (1, 100, 2**20):
        value = Fraction(queries.sigma(d)) ** 2 / (Fraction(norm_budget) / (2 * Fraction(kappa)))
        truth = 1 / (1 - Fraction(d + 2, 2**53))
        yield of.at_least(f"variance in units, d = {d}", value, truth, slack=(d + 10) * 2.0**-50)


def _queries() -> Iterator[RunningNumber]:
    """What an answer charges, what is left of it to show, and the noise that it adds."""
    rows = ([0.5, 0.1], [1e-170, 0.0], [3e-162, 1e-162], [1.0, 2.0], [0.0, 0.0])
    queries = LinearQueries(len(rows), norm_budget=5.5, kappa=0.7)
    answer = queries.answer(np.array(rows), EqualNormals(1.0))  # type: ignore[arg-type]
    of = _QUERIES.of("LinearQueries(norm_budget=5.5, kappa=0.7)")
    for place, (value, column) in enumerate(zip(answer.value.tolist(), zip(*rows, strict=True), strict=True)):
        truth = _whole(column) + Fraction(answer.sigma)
        yield of.near(f"answer {place} with a noise of one sigma", value, truth, slack=2.0**-50)
    for person, (row, spent) in enumerate(zip(rows, spent_by(queries), strict=True)):
        # the least positive charge of all is far below this: "it would take 2^900 rounds to notice"
        least = Fraction(2) ** -900 if any(row) else Fraction(0)
        # a norm may be too small by four half-ulps, which the noise covers
        covered = _whole(row, 2) * (1 - Fraction(4, 2**53))
        yield of.at_least(f"charge of {row!r}", spent, covered, slack=2.0**-48, least=least)
        left = (Fraction(5.5) - spent) / Fraction(5.5) * Fraction(0.7)
        shown = queries.report_for(person).remaining
        yield of.at_most(f"left after {row!r}, as it is shown", shown, left, slack=2.0**-48)


def _cut() -> Iterator[RunningNumber]:
    """Whoever is cut to what is left is charged what counts, and counts with no more than is left and than the clip."""
    for sigma in (1.0, 3.7):
        people = IndividualFilter(GaussianFilter(1.0), 4)
        before = [Fraction(0)] * 4
        of = _PEOPLE.of(f"IndividualFilter(GaussianFilter(1.0)), sigma {sigma!r}")
        for norms in ([0.3, 0.9, 5.0, 0.0], [0.9, 0.9, 5.0, 0.0], [2.0, 0.1, 5.0, 7.0]):
            factors = people.clip(np.array(norms), sigma=sigma, most=2.5).tolist()
            after = spent_by(people)
            for norm, factor, old, new in zip(norms, factors, before, after, strict=True):
                counted, says = Fraction(norm) * Fraction(factor), f"{norm!r} times {factor!r}"
                truth = (counted / Fraction(sigma)) ** 2
                yield of.at_least(f"{says}, charged", new - old, truth, slack=2.0**-40, least=2.0**-60)
                yield of.at_most(f"{says}, clipped at 2.5", counted, Fraction(2.5), slack=None)
            before = after
        of = _PEOPLE.of(f"sigma {sigma!r}")
        yield of.at_most("the largest sum spent", max(before), 1, slack=2.0**-30)
    for share in (0.5, 2.0**-8, 2.0**-18):
        people = IndividualFilter(GaussianFilter(1.0), 1)
        people.clip(np.array([float(np.sqrt(1 - share * share))]), sigma=1.0)
        factor = float(people.clip(np.array([5.0]), sigma=1.0)[0])
        of = _PEOPLE.of("IndividualFilter(GaussianFilter(1.0))")
        yield of.near(f"how much of mu counts where {share!r} of it is left", 5 * factor, share, slack=1e-4)


class _Unknown:
    """Vectors whose norms lie below 2^-500, and are known as nothing."""

    def norms(self) -> np.ndarray:
        return np.zeros(1)

    def weighted(self, factors: np.ndarray) -> np.ndarray:
        return factors * 2.0**-510


def _least() -> Iterator[RunningNumber]:
    """What is too small to be known is charged, and integers that are no doubles are rounded up."""
    people = IndividualFilter(GaussianFilter(4.0), 1)
    ClippedSums(people, clip=5.0, sigma=4.0).release(_Unknown(), EqualNormals(0.0))  # type: ignore[arg-type]
    truth = (Fraction(1, 2**510) / 4) ** 2
    says = "charge of a norm of 2^-510 that is known as 0"
    yield _PEOPLE.of("ClippedSums").at_least(says, spent_by(people)[0], truth, slack=None)
    numbers = np.array([2**53 + 1, 2**55 + 3, 5], dtype=np.int64)
    pair: Any = gaussian_request(numbers, sigma=2.0)  # type: ignore[arg-type]
    for number, mu in zip(numbers.tolist(), np.asarray(pair.mu).tolist(), strict=True):
        of = _PEOPLE.of(f"gaussian_request of the norm {number}, sigma 2")
        yield of.at_least("mu", mu, Fraction(number, 2), slack=2.0**-51)


def _sums(normal: float) -> Iterator[RunningNumber]:
    """A clipped sum charges its vectors for its noise, and adds that noise to them."""
    vectors = np.array([[3.0, 4.0], [0.6, 0.8], [30.0, 40.0]])
    norms = (5, 1, 5)  # the last one is clipped
    people = IndividualFilter(GaussianFilter(4.0), 3)
    sums = ClippedSums(people, clip=5.0, sigma=4.0)
    release = sums.release(vectors, EqualNormals(normal))  # type: ignore[arg-type]
    factors, sigma = [Fraction(float(f)) for f in sums.factors.made_public()], Fraction(release.sigma)
    of = _PEOPLE.of(f"ClippedSums(clip=5.0, sigma=4.0) with a noise of {normal!r} sigma")
    for place, value in enumerate(release.value.tolist()):
        truth = sum(
            (f * Fraction(float(v[place])) for f, v in zip(factors, vectors, strict=True)), Fraction(0)
        )
        yield of.near(f"sum {place}", value, truth + sigma * Fraction(normal), slack=2.0**-48)
    yield of.at_least("its sigma", release.sigma, 4, slack=2.0**-31)
    for person, (norm, spent) in enumerate(zip(norms, spent_by(people), strict=True)):
        truth = (norm / sigma) ** 2 * (1 - Fraction(1, 2**46))
        yield of.at_least(f"charge of person {person}", spent, truth, slack=2.0**-30)
        counted = factors[person] ** 2 * _whole(vectors[person], 2)
        yield of.at_most(f"squared norm that person {person} counts with", counted, 25, slack=None)
