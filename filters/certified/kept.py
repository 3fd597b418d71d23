"""What is kept of what was spent: after a denial, in what is saved, as people come and go, and over many blocks.

>>> all(one.checked().fits for one in kept())
True
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from filters.certified.running_number import RunningNumber, equal, near
from filters.certified.two_doubles import sum_of
from filters.holders.individual import IndividualFilter
from filters.holders.individual_tracker import IndividualTracker
from filters.holders.linear_queries import LinearQueries
from filters.holders.no_noise import SILENT
from filters.holders.secret_noise import SecretNoise
from filters.holders.session import Session
from filters.holders.trackers import GaussianTracker, RenyiTracker
from filters.rules.gdp import GaussianFilter
from theory.pairs import Gaussian

__all__ = ["kept"]

_SMALL, _LARGE = 0.5, 0.9375


def kept() -> Iterator[RunningNumber]:
    """Sessions, people, linear queries, trackers, and noise that is made again."""
    yield from _sessions()
    yield from _people()
    yield from _queries()
    yield from _blocks()
    yield _noise()


def _sessions() -> Iterator[RunningNumber]:
    """A denial under "retry" changes nothing, and what is saved is restored."""
    filt = GaussianFilter(1.0)
    session = Session(filt, "retry")
    granted = [session.request(Gaussian(mu)) for mu in (_SMALL, _LARGE, _LARGE)]
    truth = Fraction(_SMALL) ** 2
    says = "Session(GaussianFilter(1.0), 'retry')"
    yield equal("GDP filter", f"{says}: how many of three requests are granted", sum(granted), 1)
    spent = sum_of(filt.budget, session._now.state)
    yield equal("GDP filter", f"{says}: spent after one grant and two denials", spent, truth)
    restored = Session.from_dict(session.to_dict(), filt, "retry")
    spent = sum_of(filt.budget, restored._now.state)
    yield equal("GDP filter", f"{says}: spent, saved and restored", spent, truth)
    again = sum(restored.request(Gaussian(mu)) for mu in (_LARGE, _SMALL))
    spent = sum_of(filt.budget, restored._now.state)
    yield equal("GDP filter", f"{says}: how many of two more requests are granted", again, 1)
    yield equal("GDP filter", f"{says}: spent after these", spent, 2 * truth)


def _people() -> Iterator[RunningNumber]:
    """What each person spent is restored, and who is denied is charged nothing."""
    filt = GaussianFilter(1.0)
    people = IndividualFilter(filt, 3)
    for mus in ((0.5, 0.25, 0.75), (0.9375, 0.25, 0.75)):
        people.select(Gaussian(np.array(mus)))
    truths = (Fraction(1, 4), Fraction(1, 8), Fraction(9, 16))
    restored = IndividualFilter.from_dict(people.to_dict(), filt)
    for word, holder in (("", people), (", saved and restored", restored)):
        for person, truth in enumerate(truths):
            spent = sum_of(filt.budget, holder._state, person)
            says = f"IndividualFilter(GaussianFilter(1.0)): spent on person {person}{word}"
            yield equal("individual filter", says, spent, truth)


def _queries() -> Iterator[RunningNumber]:
    """Who comes or goes changes nothing of the others, and nobody who left counts."""
    theorem, rng = "linear queries", SILENT
    queries = LinearQueries(3, norm_budget=5.0, kappa=1.0)
    queries.answer(np.array([1.0, 0.5, 2.0]), rng)
    squares = [Fraction(1), Fraction(1, 4), Fraction(4)]
    says = "LinearQueries(norm_budget=5.0, kappa=1.0): spent on person"
    yield from _each(queries, squares, says, "after an answer")
    queries.join(2)
    yield from _each(queries, [*squares, Fraction(0), Fraction(0)], says, "after two joined")
    queries.leave([1])
    yield from _each(queries, [*squares, Fraction(0), Fraction(0)], says, "after person 1 left")
    value = queries.answer(np.array([0.5, 0.5, 2.0, 1.0, 0.25]), rng).value[0]
    # person 1 left, and person 2 has spent four of five
    yield equal(theorem, "LinearQueries: the sum over those who take part", float(value), Fraction(7, 4))
    squares = [Fraction(5, 4), Fraction(1, 4), Fraction(4), Fraction(1), Fraction(1, 16)]
    yield from _each(queries, squares, says, "after another answer")
    restored = LinearQueries.from_dict(queries.to_dict(), norm_budget=5.0, kappa=1.0)
    yield from _each(restored, squares, says, "saved and restored")
    value = restored.answer(np.array([0.0, 0.5, 2.0, 0.0, 0.0]), rng).value[0]
    yield equal(theorem, "LinearQueries: the same, restored, of those who take none", float(value), 0)


def _each(queries: LinearQueries, squares: list[Fraction], says: str, when: str) -> Iterator[RunningNumber]:
    state = queries._sums.high, queries._sums.low
    for person, truth in enumerate(squares):
        spent = sum_of(queries._budget, state, person)
        yield equal("linear queries", f"{says} {person} {when}", spent, truth)


def _blocks() -> Iterator[RunningNumber]:
    """The value of a tracker goes on growing with its blocks, for everyone who has one."""
    for tracker, pair in (
        (GaussianTracker(0.5), Gaussian(0.5)),
        (RenyiTracker(2.0, 0.25), Gaussian(0.5)),
    ):
        square = isinstance(tracker, GaussianTracker)
        people, state = IndividualTracker(tracker, 2), tracker.start(1)
        for times in range(1, 61):
            people.spend(Gaussian(np.array([0.5, 1.0])))
            state = tracker.spend(state, pair)
            if times not in (1, 2, 60):
                continue
            # a release fills a block for person 0, and four blocks for person 1
            for place, blocks in ((0, times), (1, 4 * times)):
                truth = "size*sqrt(blocks)" if square else "size*blocks"
                at = {"size": tracker.size, "blocks": blocks}
                says = f"IndividualTracker({tracker!r}): value of person {place} after {times} releases"
                value = people.values().made_public()[place]
                yield near("trackers", says, float(value), truth, slack=2.0**-48, **at)
                if place == 0:
                    says = f"{tracker!r}: value after {times} whole blocks"
                    value = float(tracker.value(state)[0])
                    yield near("trackers", says, value, truth, slack=2.0**-48, **at)
        far = tracker.spend(tracker.start(1), Gaussian(math.ldexp(1.0, 19)))
        blocks = 2**40
        truth = "size*sqrt(blocks)" if square else "size*blocks"
        value, says = float(tracker.value(far)[0]), f"{tracker!r}: value after one release of 2^40 blocks"
        yield near("trackers", says, value, truth, slack=2.0**-48, size=tracker.size, blocks=blocks)


def _noise() -> RunningNumber:
    """Secret noise is that of the generator whose seed is the digest: nothing is added to it, nor is it scaled."""
    total = np.array([1.0, -2.5, 0.0, 1e300])
    told = repr((12345, 7, total.shape)).encode()
    digest = hashlib.sha256(told + total.tobytes()).digest()
    rng = np.random.default_rng(np.random.SeedSequence(int.from_bytes(digest)))
    added = SecretNoise(secret=12345, step=7).added_to(total)
    wrong = int(np.count_nonzero(added != rng.standard_normal(total.shape)))
    says = "SecretNoise: how many of four numbers are not the generator's standard normals"
    return equal("individual filter", says, wrong, 0)
