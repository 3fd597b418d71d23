"""Families of requests with one parameter x, to find the boundaries of a filter's decisions.

>>> FAMILIES["Laplace(x)"].make(2.0)
Laplace(b=2.0)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from filterproof.theory.pairs import (
    KOV,
    DominatingPair,
    Erasure,
    Gaussian,
    Laplace,
    RandomizedResponse,
    SubsampledGaussian,
)


@dataclass(frozen=True, slots=True)
class RequestFamily:
    """make(x) for x from low to high; the cost increases with x, or decreases if `cost_increases` is False."""

    make: Callable[[Any], DominatingPair]
    low: float
    high: float
    cost_increases: bool = True

    @property
    def size_range(self) -> tuple[float, float]:
        """Return the x of the smallest cost and the x of the largest cost."""
        return (self.low, self.high) if self.cost_increases else (self.high, self.low)


#: The delta of the KOV pairs with varying epsilon, and the epsilon of those with varying delta.
TINY, SMALL = 2.0**-40, 2.0**-6

FAMILIES: Mapping[str, RequestFamily] = MappingProxyType(
    {
        "Gaussian(x)": RequestFamily(Gaussian, 1e-100, 1e100),
        "RandomizedResponse(x)": RequestFamily(RandomizedResponse, 1e-100, 600.0),
        "Laplace(x)": RequestFamily(Laplace, 2e-3, 1e100, cost_increases=False),
        "SubsampledGaussian(1/8, x)": RequestFamily(
            lambda x: SubsampledGaussian(0.125, x), 1e-100, 1e100, cost_increases=False
        ),
        "KOV(x, 0)": RequestFamily(lambda x: KOV(x, 0.0), 1e-100, 600.0),
        "KOV(x, 2^-40)": RequestFamily(lambda x: KOV(x, TINY), 1e-100, 600.0),
        "KOV(1/64, x)": RequestFamily(lambda x: KOV(SMALL, x), 1e-100, 1.0),
        "Erasure(x)": RequestFamily(Erasure, 1e-100, 1.0),
    }
)
