"""Families of requests, one for every double x: what a filter is asked, so that the boundary of its decisions shows.

>>> FAMILIES["Laplace(x)"].make(2.0)
Laplace(b=2.0)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from theory.pairs import (
    KOV,
    DominatingPair,
    Erasure,
    Gaussian,
    Laplace,
    RandomizedResponse,
    SubsampledGaussian,
)

__all__ = ["FAMILIES", "Family"]


@dataclass(frozen=True, slots=True)
class Family:
    """make(x) for x from low to high, costing more the larger x is, or, where it does not grow, the smaller."""

    make: Callable[[Any], DominatingPair]
    low: float
    high: float
    grows: bool = True


#: The delta of the KOV pairs whose epsilon varies, and the epsilon of those whose delta does.
TINY, SMALL = 2.0**-40, 2.0**-6

FAMILIES: Mapping[str, Family] = MappingProxyType(
    {
        "Gaussian(x)": Family(Gaussian, 1e-100, 1e100),
        "RandomizedResponse(x)": Family(RandomizedResponse, 1e-100, 600.0),
        "Laplace(x)": Family(Laplace, 2e-3, 1e100, grows=False),
        "SubsampledGaussian(1/8, x)": Family(
            lambda x: SubsampledGaussian(0.125, x), 1e-100, 1e100, grows=False
        ),
        "KOV(x, 0)": Family(lambda x: KOV(x, 0.0), 1e-100, 600.0),
        "KOV(x, 2^-40)": Family(lambda x: KOV(x, TINY), 1e-100, 600.0),
        "KOV(1/64, x)": Family(lambda x: KOV(SMALL, x), 1e-100, 1.0),
        "Erasure(x)": Family(Erasure, 1e-100, 1.0),
    }
)
