"""What a session's request costs, beside OpenDP's privacy filter."""

from collections.abc import Callable
from typing import Any

import pytest

from filterproof.filters import AdditiveFilter, GaussianFilter, ZCDPFilter, zcdp_charge
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.theory.guarantees import ZCDP
from filterproof.theory.pairs import DominatingPair, Gaussian, Laplace
from tests.filters.own import AddingMu, of

REQUESTS = 100
_SAME, _LARGE = Gaussian(2.0**-10), Gaussian(2.0)
ASKED: dict[str, tuple[PrivacyFilter, Callable[[int], DominatingPair]]] = {
    "granted, the same pair": (GaussianFilter(1.0), lambda place: _SAME),
    "granted, a pair of its own": (GaussianFilter(1.0), lambda place: Gaussian(2.0**-10 + place * 2.0**-40)),
    "granted, Laplace against zCDP": (ZCDPFilter(0.5), lambda place: Laplace(1e3)),
    "denied": (GaussianFilter(1.0), lambda place: _LARGE),
    "granted, by a user's charge": (
        of(AdditiveFilter, promise=ZCDP(0.5), charge=zcdp_charge)(),
        lambda place: _SAME,
    ),
    "granted, by a user's methods": (AddingMu(), lambda place: _SAME),
}


@pytest.mark.benchmark(group=f"{REQUESTS:,} requests")
def bench_unit(benchmark: Any) -> None:
    """As many millionths of the unit of processor time as there are requests."""
    middle = 10**7 // 2  # whose squares are as large as most of the unit's
    benchmark(lambda: sum(i * i for i in range(middle, middle + 10 * REQUESTS)))


@pytest.mark.benchmark(group=f"{REQUESTS:,} requests")
@pytest.mark.parametrize("asked", ASKED)
def bench_requests(benchmark: Any, asked: str) -> None:
    """Requests of a new session, granted or denied, of the same pair or of new ones."""
    filt, pair = ASKED[asked]

    def request() -> None:
        session = filt.open("retry")
        for place in range(REQUESTS):
            session.request(pair(place))

    benchmark(request)


@pytest.mark.benchmark(group=f"{REQUESTS:,} requests")
@pytest.mark.parametrize("before", [0, 3000])
def bench_opendp(benchmark: Any, before: int) -> None:
    """OpenDP's privacy filter after so many requests, which it adds up again; the draw of the noise is included."""
    dp = pytest.importorskip("opendp.prelude", reason="pip install 'filterproof[bench]'")
    dp.enable_features("contrib")
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    odometer = dp.c.make_fully_adaptive_composition(*space, dp.zero_concentrated_divergence())
    gaussian = dp.m.make_gaussian(*space, scale=1e3)

    def opened() -> tuple[tuple[Any], dict[str, Any]]:
        queryable = dp.c.make_privacy_filter(odometer, d_in=1.0, d_out=1e9)(0.0)
        for _ in range(before):
            queryable(gaussian)
        return (queryable,), {}

    def request(queryable: Any) -> None:
        for _ in range(REQUESTS):
            queryable(gaussian)

    benchmark.pedantic(request, setup=opened, rounds=1)
