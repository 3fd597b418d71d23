"""What a session's request costs."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass

from filters import GaussianFilter, ZCDPFilter
from theory.pairs import Gaussian, Laplace

__all__ = ["Asked", "asked"]

_REQUESTS = 2000


@dataclass(frozen=True, slots=True)
class Asked:
    """A request of a session: processor time in microseconds."""

    request: str
    us: float


def asked(repeats: int) -> list[Asked]:
    """Requests that are granted and that are denied, the same pair again and again or a new one each time."""
    same, large = Gaussian(2.0**-10), Gaussian(2.0)
    works = {
        "granted, the same pair": (GaussianFilter(1.0), lambda place: same),
        "granted, a pair of its own": (
            GaussianFilter(1.0),
            lambda place: Gaussian(2.0**-10 + place * 2.0**-40),
        ),
        "granted, Laplace against zCDP": (ZCDPFilter(0.5), lambda place: Laplace(1e3)),
        "denied": (GaussianFilter(1.0), lambda place: large),
    }
    answers = []
    for name, (filt, pair) in works.items():
        times = []
        for _ in range(repeats):
            session = filt.open("retry")
            began = time.process_time()
            for place in range(_REQUESTS):
                session.request(pair(place))
            times.append((time.process_time() - began) / _REQUESTS * 1e6)
        answers.append(Asked(name, statistics.median(times)))
    return answers
