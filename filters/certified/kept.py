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

from filters.certified.people import spent_by
from filters.certified.running_number import Claims, RunningNumber
from filters.certified.two_doubles import sum_of
from filters.holders.individual import IndividualFilter
from filters.holders.linear_queries import LinearQueries
from filters.holders.no_noise import SILENT
from filters.holders.secret_noise import SecretNoise
from filters.holders.session import Session
from filters.holders.trackers import GaussianTracker, IndividualTracker, RenyiTracker
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
    filt, truth = GaussianFilter(1.0), Fraction(_SMALL) ** 2
    of = Claims("GDP filter", "Session(GaussianFilter(1.0), 'retry')")

    def spent(holder: Session) -> Fraction:
        return sum_of(filt.budget, holder._now.state)

    session = Session(filt, "retry")
    granted = sum(session.request(Gaussian(mu)) for mu in (_SMALL, _LARGE, _LARGE))
    yield of.equal("how many of three requests are granted", granted, 1)
    yield of.equal("spent after one grant and two denials", spent(session), truth)
    restored = Session.from_dict(session.to_dict(), filt, "retry")
    yield of.equal("spent, saved and restored", spent(restored), truth)
    again = sum(restored.request(Gaussian(mu)) for mu in (_LARGE, _SMALL))
    yield of.equal("how many of two more requests are granted", again, 1)
    yield of.equal("spent after these", spent(restored), 2 * truth)


def _people() -> Iterator[RunningNumber]:
    """What each person spent is restored, and who is denied is charged nothing."""
    filt = GaussianFilter(1.0)
    people = IndividualFilter(filt, 3)
    for mus in ((0.5, 0.25, 0.75), (0.9375, 0.25, 0.75)):
        people.select(Gaussian(np.array(mus)))
    truths, of = (Fraction(1, 4), Fraction(1, 8), Fraction(9, 16)), Claims("individual filter")
    restored = IndividualFilter.from_dict(people.to_dict(), filt)
    for word, holder in (("", people), (", saved and restored", restored)):
        for person, (spent, truth) in enumerate(zip(spent_by(holder), truths, strict=True)):
            says = f"IndividualFilter(GaussianFilter(1.0)): spent on person {person}{word}"
            yield of.equal(says, spent, truth)


def _queries() -> Iterator[RunningNumber]:
    """Who comes or goes changes nothing of the others, and nobody who left counts."""
    of, rng = Claims("linear queries"), SILENT

    def spent(holder: LinearQueries, truths: list[Fraction], when: str) -> Iterator[RunningNumber]:
        says = "LinearQueries(norm_budget=5.0, kappa=1.0): spent on person"
        for person, (value, truth) in enumerate(zip(spent_by(holder), truths, strict=True)):
            yield of.equal(f"{says} {person} {when}", value, truth)

    queries = LinearQueries(3, norm_budget=5.0, kappa=1.0)
    queries.answer(np.array([1.0, 0.5, 2.0]), rng)
    squares = [Fraction(1), Fraction(1, 4), Fraction(4)]
    yield from spent(queries, squares, "after an answer")
    queries.join(2)
    squares += [Fraction(0), Fraction(0)]
    yield from spent(queries, squares, "after two joined")
    queries.leave([1])
    yield from spent(queries, squares, "after person 1 left")
    value = float(queries.answer(np.array([0.5, 0.5, 2.0, 1.0, 0.25]), rng).value[0])
    # person 1 left, and person 2 has spent four of five
    yield of.equal("LinearQueries: the sum over those who take part", value, Fraction(7, 4))
    squares = [Fraction(5, 4), Fraction(1, 4), Fraction(4), Fraction(1), Fraction(1, 16)]
    yield from spent(queries, squares, "after another answer")
    restored = LinearQueries.from_dict(queries.to_dict(), norm_budget=5.0, kappa=1.0)
    yield from spent(restored, squares, "saved and restored")
    value = float(restored.answer(np.array([0.0, 0.5, 2.0, 0.0, 0.0]), rng).value[0])
    yield of.equal("LinearQueries: the same, restored, of those who take none", value, 0)


def _blocks() -> Iterator[RunningNumber]:
    """The value of a tracker goes on growing with its blocks, for everyone who has one."""
    pair = Gaussian(0.5)
    for tracker in (GaussianTracker(0.5), RenyiTracker(2.0, 0.25)):
        truth = "size*sqrt(blocks)" if isinstance(tracker, GaussianTracker) else "size*blocks"
        people, state = IndividualTracker(tracker, 2), tracker.start(1)
        of, each = Claims("trackers", repr(tracker)), Claims("trackers", f"IndividualTracker({tracker!r})")
        close = {"slack": 2.0**-48, "size": tracker.size}
        for times in range(1, 61):
            people.spend(Gaussian(np.array([0.5, 1.0])))
            state = tracker.spend(state, pair)
            if times in (1, 2, 60):
                # a release fills a block for person 0, and four blocks for person 1
                for place, value in enumerate(people.values().made_public().tolist()):
                    says, blocks = f"value of person {place} after {times} releases", 4**place * times
                    yield each.near(says, value, truth, blocks=blocks, **close)
                value = float(tracker.value(state)[0])
                yield of.near(f"value after {times} whole blocks", value, truth, blocks=times, **close)
        far = tracker.spend(tracker.start(1), Gaussian(math.ldexp(1.0, 19)))
        says, value = "value after one release of 2^40 blocks", float(tracker.value(far)[0])
        yield of.near(says, value, truth, blocks=2**40, **close)


def _noise() -> RunningNumber:
    """Secret noise is sigma times that of the generator whose seed is the digest."""
    total = np.array([1.0, -2.5, 0.0, 1e300])
    told = repr((12345, 7, 0.7, total.shape)).encode()
    digest = hashlib.sha256(told + total.tobytes()).digest()
    rng = np.random.default_rng(np.random.SeedSequence(int.from_bytes(digest)))
    added = SecretNoise(secret=12345, step=7).added_to(total, sigma=0.7)
    wrong = int(np.count_nonzero(added != 0.7 * rng.standard_normal(total.shape)))
    of = Claims("individual filter", "SecretNoise")
    return of.equal("how many of four numbers are not 0.7 of the generator's normals", wrong, 0)
