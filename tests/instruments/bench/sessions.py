"""What a session's request costs, beside that of another library's filter."""

import statistics
import time
from collections.abc import Callable
from importlib.metadata import version

from filters import GaussianFilter, ZCDPFilter
from tests.instruments.bench.measured import Row
from theory.pairs import Gaussian, Laplace

_REQUESTS = 2000
#: Requests of OpenDP's filter, which adds up at each all that went before: what the first ones and the last take.
_FEW, _MANY = 20, 1000


def asked(repeats: int) -> list[Row]:
    """Microseconds of the processor for a request: granted or denied, the same pair again and again or a new one.

    ratio counts millionths of what `sum(i * i for i in range(10**7))` takes: the unit of processor time.
    """
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
    unit = min(_taken(lambda: sum(i * i for i in range(10**7))) for _ in range(repeats))
    answers = []
    for name, (filt, pair) in works.items():
        times = []
        for _ in range(repeats):
            session = filt.open("retry")
            taken = _taken(lambda: [session.request(pair(place)) for place in range(_REQUESTS)])  # noqa: B023
            times.append(taken / _REQUESTS * 1e6)
        answers.append(_row(name, times, unit))
    return [*answers, *_by_opendp(repeats, unit)]


def _by_opendp(repeats: int, unit: float) -> list[Row]:
    """The first and the last of many requests of OpenDP's `make_privacy_filter`, the draw of a Gaussian included."""
    try:
        import opendp.prelude as dp
    except ImportError:
        return [{"request": "OpenDP's make_privacy_filter: not installed; pip install 'filterproof[audit]'"}]
    dp.enable_features("contrib")
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    odometer = dp.c.make_fully_adaptive_composition(*space, dp.zero_concentrated_divergence())
    mechanism = dp.m.make_gaussian(*space, scale=2.0**10)
    first, last = list[float](), list[float]()
    for _ in range(repeats):
        queryable = dp.c.make_privacy_filter(odometer, d_in=1.0, d_out=0.5)(0.0)
        taken = [_taken(lambda: queryable(mechanism)) for _ in range(_MANY)]  # noqa: B023
        first.append(statistics.fmean(taken[1:_FEW]) * 1e6)
        last.append(statistics.fmean(taken[-_FEW:]) * 1e6)
    which = f"OpenDP {version('opendp')}, make_privacy_filter"
    return [
        _row(f"{which}: the first {_FEW}", first, unit),
        _row(f"{which}: about the {_MANY}th", last, unit),
    ]


def _row(name: str, times: list[float], unit: float) -> Row:
    median = statistics.median(times)
    return {"request": name, "us": median, "ratio": median / unit}


def _taken(work: Callable[[], object]) -> float:
    """Seconds of the processor that a work takes."""
    began = time.process_time()
    work()
    return time.process_time() - began
