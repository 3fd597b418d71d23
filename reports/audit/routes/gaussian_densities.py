"""The delta and the epsilon of a Gaussian mechanism, by its closed form and by integrals."""

from __future__ import annotations

import math
from functools import cache

from reports.audit.fault import Route
from reports.audit.routes.noises import gaussian_profile_by_integral

__all__ = ["delta_routes", "epsilon_routes"]

_DELTA = 1e-5


def gaussian_delta(shift: float, epsilon: float) -> float:
    """The delta of N(shift, 1) against N(0, 1) in closed form (Balle & Wang 2018, Theorem 8)."""
    from scipy.stats import norm

    upper = norm.logcdf(shift / 2 - epsilon / shift)
    lower = epsilon + norm.logcdf(-shift / 2 - epsilon / shift)
    return math.exp(upper) * -math.expm1(lower - upper)


def gaussian_delta_by_integral(shift: float, epsilon: float) -> float:
    """The same delta from its definition, as an integral over the losses above epsilon."""
    return float(gaussian_profile_by_integral(1 / shift, epsilon))


def gaussian_epsilon(shift: float) -> float:
    """The epsilon at delta 1e-5, as the root of the closed form."""
    from scipy.optimize import brentq

    return float(brentq(lambda epsilon: gaussian_delta(shift, epsilon) - _DELTA, 0.0, 60.0, xtol=1e-12))


@cache
def gaussian_epsilon_by_integral(shift: float) -> float:
    """The epsilon at delta 1e-5, by halving an interval on the integral."""
    low, high = 0.0, 60.0
    for _ in range(32):
        middle = (low + high) / 2
        low, high = (middle, high) if gaussian_delta_by_integral(shift, middle) > _DELTA else (low, middle)
    return high


def epsilon_routes(shift: float) -> tuple[Route, Route]:
    """Two routes to the epsilon of a Gaussian mechanism at delta 1e-5."""
    return (
        Route("root of the closed form of delta (Balle & Wang 2018)", lambda: gaussian_epsilon(shift)),
        Route("halving on the integral of the densities", lambda: gaussian_epsilon_by_integral(shift)),
    )


def delta_routes(shift: float, epsilon: float) -> tuple[Route, Route]:
    """Two routes to the delta of a Gaussian mechanism."""
    return (
        Route("closed form of the Gaussian mechanism", lambda: gaussian_delta(shift, epsilon)),
        Route("integral of the densities", lambda: gaussian_delta_by_integral(shift, epsilon)),
    )
