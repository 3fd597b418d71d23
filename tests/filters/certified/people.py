"""What people are charged, what is added to their sums, and what is kept of both, read off holders with told noise."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from filters.certified.holders import EqualNormals
from filters.certified.running_number import Claims, RunningNumber
from filters.certified.two_doubles import sum_of
from filters.holders.clipped_sums import ClippedSums
from filters.holders.individual import IndividualFilter, gaussian_request
from filters.holders.linear_queries import LinearQueries
from filters.holders.no_noise import SILENT
from filters.holders.secret_noise import SecretNoise
from filters.holders.session import Session
from filters.rules.one_sum import GaussianFilter
from theory.pairs import Gaussian
from theory.pairs.truths import Exact

_QUERIES, _PEOPLE = Claims("linear queries"), Claims("individual filter")
_ONE = GaussianFilter(1.0)
_OF_ONE = _PEOPLE.of("IndividualFilter(GaussianFilter(1.0))")


def of_people() -> Iterator[RunningNumber]:
    """Sessions, people, linear queries, clipped sums, vectors that are cut to what is left, and noise made again."""
    yield from _kept()
    yield from _come_and_go()
    yield from _queries()
    yield from _cut()
    yield from _least()
    for normal in (1.0, -2.0):
        yield from _sums(normal)
    yield _noise()


def _spent_by(holder: Any) -> list[Fraction]:
    """What each person has spent, in the units of the charges."""
    budget: Any
    state: Any
    match holder:
        case LinearQueries():
            budget, state = holder._budget, (holder._sums.high, holder._sums.low)
        case Session():
            budget, state = holder.filter.budget, holder._now.state  # type: ignore[attr-defined]
        case _:
            budget, state = holder.filter.budget, holder._state
    return [sum_of(budget, state, person) for person in range(len(state[0]))]


def _spent(of: Claims, holder: Any, truths: Iterable[Exact], when: str = "") -> Iterator[RunningNumber]:
    for person, (value, truth) in enumerate(zip(_spent_by(holder), truths, strict=True)):
        yield of.equal(f"spent on person {person}{when}", value, truth)


def _whole(numbers: Any, power: int = 1) -> Fraction:
    """The sum of the powers of doubles."""
    return sum((Fraction(float(x)) ** power for x in numbers), Fraction(0))


def _kept() -> Iterator[RunningNumber]:
    """A denial changes nothing, under "retry" and for one person of several, and what is saved is restored."""
    of, large = Claims("GDP filter", "Session(GaussianFilter(1.0), 'retry')"), 0.9375
    session = Session(_ONE, "retry")
    granted = [session.request(Gaussian(mu)) for mu in (0.5, large, large)]
    yield of.equal("how many of three requests are granted", sum(granted), 1)
    yield from _spent(of, session, (0.25,))
    restored = Session.from_dict(session.to_dict(), _ONE, "retry")
    granted = [restored.request(Gaussian(mu)) for mu in (large, 0.5)]
    yield of.equal("how many of two more are granted, saved and restored", sum(granted), 1)
    yield from _spent(of, restored, (0.5,), " then")
    people = IndividualFilter(_ONE, 3)
    for mus in ((0.5, 0.25, 0.75), (large, 0.25, 0.75)):
        people.select(Gaussian(np.array(mus)))
    again = IndividualFilter.from_dict(people.to_dict(), _ONE)
    for when, holder in (("", people), (", saved and restored", again)):
        yield from _spent(_OF_ONE, holder, (0.25, 0.125, 0.5625), when)


def _come_and_go() -> Iterator[RunningNumber]:
    """Who comes or goes changes nothing of the others, and nobody who left counts."""
    of = _QUERIES.of("LinearQueries(norm_budget=5.0, kappa=1.0)")
    queries = LinearQueries(3, norm_budget=5.0, kappa=1.0)

    def summed(holder: LinearQueries, *values: float) -> float:
        return float(holder.answer(np.array(values), SILENT).value[0])

    steps: tuple[tuple[str, Callable[[], object], Sequence[float]], ...] = (
        ("an answer", lambda: summed(queries, 1.0, 0.5, 2.0), (1.0, 0.25, 4.0)),
        ("two joined", lambda: queries.join(2), (1.0, 0.25, 4.0, 0.0, 0.0)),
        ("person 1 left", lambda: queries.leave([1]), (1.0, 0.25, 4.0, 0.0, 0.0)),
    )
    for what, act, squares in steps:
        act()
        yield from _spent(of, queries, squares, f" after {what}")
    # person 1 left, and person 2 has spent four of five
    value = summed(queries, 0.5, 0.5, 2.0, 1.0, 0.25)
    yield of.equal("the sum over those who take part", value, 1.75)
    restored = LinearQueries.from_dict(queries.to_dict(), norm_budget=5.0, kappa=1.0)
    yield from _spent(of, restored, (1.25, 0.25, 4.0, 1.0, 0.0625), ", saved and restored")
    yield of.equal("the sum over none, saved and restored", summed(restored, 0.0, 0.5, 2.0, 0.0, 0.0), 0)


def _queries() -> Iterator[RunningNumber]:
    """What an answer charges, what is left of it to show, and the noise that it adds."""
    rows = ([0.5, 0.1], [1e-170, 0.0], [3e-162, 1e-162], [1.0, 2.0], [0.0, 0.0])
    queries = LinearQueries(len(rows), norm_budget=5.5, kappa=0.7)
    answer = queries.answer(np.array(rows), EqualNormals(1.0))  # type: ignore[arg-type]
    of = _QUERIES.of("LinearQueries(norm_budget=5.5, kappa=0.7)")
    for place, (value, column) in enumerate(zip(answer.value.tolist(), zip(*rows, strict=True), strict=True)):
        truth = _whole(column) + Fraction(answer.sigma)
        yield of.near(f"answer {place} with a noise of one sigma", value, truth, slack=2.0**-50)
    for person, (row, spent) in enumerate(zip(rows, _spent_by(queries), strict=True)):
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
        people, before = IndividualFilter(_ONE, 4), [Fraction(0)] * 4
        of = _PEOPLE.of(f"IndividualFilter(GaussianFilter(1.0)), sigma {sigma!r}")
        for norms in ([0.3, 0.9, 5.0, 0.0], [0.9, 0.9, 5.0, 0.0], [2.0, 0.1, 5.0, 7.0]):
            factors = people.clip(np.array(norms), sigma=sigma, most=2.5).tolist()
            after = _spent_by(people)
            for norm, factor, old, new in zip(norms, factors, before, after, strict=True):
                counted, says = Fraction(norm) * Fraction(factor), f"{norm!r} times {factor!r}"
                truth = (counted / Fraction(sigma)) ** 2
                yield of.at_least(f"{says}, charged", new - old, truth, slack=2.0**-40, least=2.0**-60)
                yield of.at_most(f"{says}, clipped at 2.5", counted, Fraction(2.5), slack=None)
            before = after
        yield of.at_most("the largest sum spent", max(before), 1, slack=2.0**-30)
    for share in (0.5, 2.0**-8, 2.0**-18):
        people = IndividualFilter(_ONE, 1)
        people.clip(np.array([float(np.sqrt(1 - share * share))]), sigma=1.0)
        factor = float(people.clip(np.array([5.0]), sigma=1.0)[0])
        yield _OF_ONE.near(f"how much of mu counts where {share!r} is left", 5 * factor, share, slack=1e-4)


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
    truth, says = (Fraction(1, 2**510) / 4) ** 2, "charge of a norm of 2^-510 that is known as 0"
    yield _PEOPLE.of("ClippedSums").at_least(says, _spent_by(people)[0], truth, slack=None)
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
    for place, (value, column) in enumerate(zip(release.value.tolist(), vectors.T.tolist(), strict=True)):
        truth = sum((f * Fraction(x) for f, x in zip(factors, column, strict=True)), sigma * Fraction(normal))
        yield of.near(f"sum {place}", value, truth, slack=2.0**-48)
    yield of.at_least("its sigma", release.sigma, 4, slack=2.0**-31)
    for person, (norm, spent) in enumerate(zip(norms, _spent_by(people), strict=True)):
        truth = (norm / sigma) ** 2 * (1 - Fraction(1, 2**46))
        yield of.at_least(f"charge of person {person}", spent, truth, slack=2.0**-30)
        counted = factors[person] ** 2 * _whole(vectors[person], 2)
        yield of.at_most(f"squared norm that person {person} counts with", counted, 25, slack=None)


def _noise() -> RunningNumber:
    """Secret noise is sigma times that of the generator whose seed is the digest."""
    total = np.array([1.0, -2.5, 0.0, 1e300])
    told = repr((12345, 7, 0.7, total.shape)).encode()
    digest = hashlib.sha256(told + total.tobytes()).digest()
    rng = np.random.default_rng(np.random.SeedSequence(int.from_bytes(digest)))
    added = SecretNoise(secret=12345, step=7).added_to(total, sigma=0.7)
    wrong = int(np.count_nonzero(added != 0.7 * rng.standard_normal(total.shape)))
    of = _PEOPLE.of("SecretNoise")
    return of.equal("how many of four numbers are not 0.7 of the generator's normals", wrong, 0)
