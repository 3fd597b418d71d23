"""What a session's request costs."""

import statistics
import time

from filters import GaussianFilter, ZCDPFilter
from tests.instruments.bench.measured import Row
from theory.pairs import Gaussian, Laplace

_REQUESTS = 2000


def asked(repeats: int) -> list[Row]:
    """Microseconds of the processor for a request: granted or denied, the same pair again and again or a new one."""
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
        answers.append({"request": name, "us": statistics.median(times)})
    return answers
