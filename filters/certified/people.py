"""What people are charged and what is added to their sums, read off holders that were asked with told noise.

>>> all(one.checked().fits for one in of_people())
True
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from filters.certified.running_number import RunningNumber, at_least, at_most, near
from filters.certified.two_doubles import sum_of
from filters.holders.clipped_sums import ClippedSums
from filters.holders.individual import IndividualFilter, gaussian_request
from filters.holders.linear_queries import LinearQueries
from filters.rules.gdp import GaussianFilter

__all__ = ["EqualNormals", "of_people"]

_QUERIES, _PEOPLE = "linear queries", "individual filter"
#: (norm_budget, kappa): ordinary ones, and some whose quotient under- or overflows.
_TERMS = (
    (5.0, 1.0),
    (0.3, 0.7),
    (7.0, 3.0),
    (1e-200, 1e150),
    (1e200, 1e-150),
    (1e-160, 3e155),
    (1.0, 1.7e308),
)


class EqualNormals:
    """A generator whose normals are all one number."""

    def __init__(self, normal: float) -> None:
        self._normal = normal

    def standard_normal(self, shape: Any) -> np.ndarray:
        return np.full(shape, self._normal)


def of_people() -> Iterator[RunningNumber]:
    """Linear queries, clipped sums, and vectors that are cut to what is left."""
    for norm_budget, kappa in _TERMS:
        yield from _noise(norm_budget, kappa)
    yield from _queries()
    yield from _cut()
    yield from _least()
    yield from _sums()


def _noise(norm_budget: float, kappa: float) -> Iterator[RunningNumber]:
    """The noise covers norms that are too small by dimension + 2 half-ulps."""
    queries = LinearQueries(1, norm_budget=norm_budget, kappa=kappa)
    for dimension in (1, 100, 2**20):
        lost = Fraction(dimension + 2, 2**53)
        unit = Fraction(norm_budget) / (2 * Fraction(kappa))
        says = (
            f"LinearQueries(norm_budget={norm_budget!r}, kappa={kappa!r}): variance in units, d = {dimension}"
        )
        value = Fraction(queries.sigma(dimension)) ** 2 / unit
        yield at_least(_QUERIES, says, value, 1 / (1 - lost), slack=(dimension + 10) * 2.0**-50)


def _queries() -> Iterator[RunningNumber]:
    """What an answer charges, what is left of it to show, and the noise that it adds."""
    rows = ([0.5, 0.1], [1e-170, 0.0], [3e-162, 1e-162], [1.0, 2.0], [0.0, 0.0])
    queries = LinearQueries(len(rows), norm_budget=5.5, kappa=0.7)
    answer = queries.answer(np.array(rows), EqualNormals(1.0))  # type: ignore[arg-type]
    says = "LinearQueries(norm_budget=5.5, kappa=0.7)"
    for place, value in enumerate(answer.value.tolist()):
        total = sum((Fraction(row[place]) for row in rows), Fraction(0))
        truth = total + Fraction(answer.sigma)
        yield near(
            _QUERIES, f"{says}: answer {place} with a noise of one sigma", value, truth, slack=2.0**-50
        )
    for person, row in enumerate(rows):
        norm = sum((Fraction(x) ** 2 for x in row), Fraction(0))
        spent = sum_of(queries._budget, (queries._sums.high, queries._sums.low), person)
        # the least positive charge of all is far below this: "it would take 2^900 rounds to notice"
        least = Fraction(2) ** -900 if any(row) else Fraction(0)
        # a norm may be too small by four half-ulps, which the noise covers
        covered = norm * (1 - Fraction(4, 2**53))
        yield at_least(_QUERIES, f"{says}: charge of {row!r}", spent, covered, slack=2.0**-48, least=least)
        left = (Fraction(5.5) - spent) / Fraction(5.5) * Fraction(0.7)
        shown = queries.report_for(person).remaining
        yield at_most(_QUERIES, f"{says}: left after {row!r}, as it is shown", shown, left, slack=2.0**-48)


def _cut() -> Iterator[RunningNumber]:
    """Whoever is cut to what is left is charged what counts, and counts with no more than is left and than the clip."""
    for sigma in (1.0, 3.7):
        people = IndividualFilter(GaussianFilter(1.0), 4)
        before = [Fraction(0)] * 4
        for norms in ([0.3, 0.9, 5.0, 0.0], [0.9, 0.9, 5.0, 0.0], [2.0, 0.1, 5.0, 7.0]):
            factors = people.clip(np.array(norms), sigma=sigma, most=2.5)
            state: Any = people._state
            for person, (norm, factor) in enumerate(zip(norms, factors.tolist(), strict=True)):
                counted = Fraction(norm) * Fraction(factor)
                spent = sum_of(people.filter.budget, state, person)  # type: ignore[attr-defined]
                charge, before[person] = spent - before[person], spent
                says = f"IndividualFilter(GaussianFilter(1.0)), sigma {sigma!r}: {norm!r} times {factor!r}"
                truth = (counted / Fraction(sigma)) ** 2
                yield at_least(_PEOPLE, f"{says}, charged", charge, truth, slack=2.0**-40, least=2.0**-60)
                yield at_most(_PEOPLE, f"{says}, clipped at 2.5", counted, Fraction(2.5), slack=None)
        yield at_most(_PEOPLE, f"sigma {sigma!r}: the largest sum spent", max(before), 1, slack=2.0**-30)
    for share in (0.5, 2.0**-8, 2.0**-18):
        people = IndividualFilter(GaussianFilter(1.0), 1)
        people.clip(np.array([float(np.sqrt(1 - share * share))]), sigma=1.0)
        factor = float(people.clip(np.array([5.0]), sigma=1.0)[0])
        says = f"IndividualFilter(GaussianFilter(1.0)): how much of mu counts where {share!r} of it is left"
        yield near(_PEOPLE, says, 5 * factor, share, slack=1e-4)


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
    spent = sum_of(people.filter.budget, people._state, 0)  # type: ignore[attr-defined]
    truth = (Fraction(1, 2**510) / 4) ** 2
    yield at_least(
        _PEOPLE, "ClippedSums: charge of a norm of 2^-510 that is known as 0", spent, truth, slack=None
    )
    numbers = np.array([2**53 + 1, 2**55 + 3, 5], dtype=np.int64)
    pair: Any = gaussian_request(numbers, sigma=2.0)  # type: ignore[arg-type]
    for number, mu in zip(numbers.tolist(), np.asarray(pair.mu).tolist(), strict=True):
        says = f"gaussian_request of the norm {number}, sigma 2: mu"
        yield at_least(_PEOPLE, says, mu, Fraction(number, 2), slack=2.0**-51)


def _sums() -> Iterator[RunningNumber]:
    """A clipped sum charges its vectors for its noise, and adds that noise to them."""
    vectors = np.array([[3.0, 4.0], [0.6, 0.8], [30.0, 40.0]])
    norms = (5, 1, 5)  # the last one is clipped
    for normal in (1.0, -2.0):
        people = IndividualFilter(GaussianFilter(4.0), 3)
        sums = ClippedSums(people, clip=5.0, sigma=4.0)
        release = sums.release(vectors, EqualNormals(normal))  # type: ignore[arg-type]
        factors = sums.factors.made_public()
        says = f"ClippedSums(clip=5.0, sigma=4.0) with a noise of {normal!r} sigma"
        for place in range(2):
            parts = (
                Fraction(float(f)) * Fraction(float(v[place])) for f, v in zip(factors, vectors, strict=True)
            )
            truth = sum(parts, Fraction(0)) + Fraction(release.sigma) * Fraction(normal)
            yield near(_PEOPLE, f"{says}: sum {place}", float(release.value[place]), truth, slack=2.0**-48)
        yield at_least(_PEOPLE, f"{says}: its sigma", release.sigma, 4, slack=2.0**-31)
        state: Any = people._state
        for person, norm in enumerate(norms):
            spent = sum_of(people.filter.budget, state, person)  # type: ignore[attr-defined]
            truth = (Fraction(norm) / Fraction(release.sigma)) ** 2
            yield at_least(
                _PEOPLE,
                f"{says}: charge of person {person}",
                spent,
                truth * (1 - Fraction(1, 2**46)),
                slack=2.0**-30,
            )
            counted = Fraction(float(factors[person])) ** 2 * sum(
                (Fraction(float(x)) ** 2 for x in vectors[person]), Fraction(0)
            )
            yield at_most(
                _PEOPLE, f"{says}: squared norm that person {person} counts with", counted, 25, slack=None
            )
