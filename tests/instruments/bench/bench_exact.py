"""Exact games, a calibration and examinations of sound filters, once each."""

from collections.abc import Callable
from typing import Any

import pytest

from filterproof.filters import AllOrdersFilter, RenyiFilter, ZCDPFilter
from filterproof.mc.examine.verification import verify
from filterproof.mc.worst_case import worst_case
from filterproof.mc.worst_case.calibrated_thresholds import CalibratedThreshold
from filterproof.theory.pairs import RandomizedResponse


def _game(levels: int, charges: int) -> Callable[[], object]:
    step = 2.0**-8
    menu = [RandomizedResponse(step * k) for k in range(1, levels + 1)]
    return lambda: worst_case(ZCDPFilter(charges * step**2 / 2), menu, epsilon=1.0)


WORKS: dict[str, Callable[[], object]] = {
    "worst case, 1 level, 16384 charges": _game(1, 16384),
    "worst case, 4 levels, 16384 charges": _game(4, 16384),
    "worst case, 64 levels, 4096 charges": _game(64, 4096),
    "calibration, 800 units": lambda: CalibratedThreshold.compute(1.0, 1e-5, step=39 * 2.0**-12),
    "examination of (8, 1)-RDP": lambda: verify(RenyiFilter(8.0, 1.0), effort=0.01),
    "examination of three orders": lambda: verify(
        AllOrdersFilter((2.0, 8.0, 32.0), (0.25, 1.0, 4.0)), effort=0.01
    ),
}


@pytest.mark.benchmark(group="exact games, a calibration, examinations")
@pytest.mark.parametrize("work", WORKS)
def bench_exact(benchmark: Any, work: str) -> None:
    """Each work once: what it finds is remembered."""
    benchmark.pedantic(WORKS[work], rounds=1)
