"""The rounds bought by calibration: releases under a published and a calibrated threshold at equal privacy."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from filters import ZCDPFilter
from mc.worst_case.calibrate import CalibratedFilter, calibrate
from theory.arguments import check_count
from theory.conversions import SIMPLE, Conversion, gaussian_mu
from theory.pairs import RandomizedResponse

__all__ = ["RoundsBought", "rounds_bought"]


@dataclass(frozen=True, slots=True)
class RoundsBought:
    """How many `level`-DP mechanisms the published filter and the calibrated one admit under (epsilon, delta)-DP.

    Both compare sum epsilon_t^2 / 2 with a threshold: B* of a conversion, or the calibrated one.
    """

    epsilon: float
    delta: float
    level: float
    published_threshold: float
    calibrated_threshold: float
    published_rounds: int
    calibrated_rounds: int
    filter: CalibratedFilter = field(repr=False)

    @property
    def gain(self) -> float:
        """Calibrated over published threshold."""
        return self.calibrated_threshold / self.published_threshold


def rounds_bought(
    epsilon: float, delta: float, *, units: int = 800, conversion: Conversion = SIMPLE
) -> RoundsBought:
    """Calibrate sum epsilon_t^2 / 2 for pure mechanisms at (epsilon, delta) and compare with `conversion`.

    The menu holds k * level, k = 1, 2, ...; about `units` charges of level^2 / 2 reach the Gaussian ceiling mu^2 / 2,
    beyond which no threshold is safe as the level tends to zero. More units take more time and round requests up by
    less: every mechanism is charged as the next level, one below the least level as the least.
    """
    units = check_count("units", units, least=16)
    ceiling = float(gaussian_mu(epsilon, delta)) ** 2 / 2
    mantissa, exponent = math.frexp(math.sqrt(2 * ceiling / units))
    level = math.ldexp(round(mantissa * 64), exponent - 6)  # six bits, so that charges add without rounding
    menu = [RandomizedResponse(level * k) for k in range(1, math.isqrt(units) + 1)]
    calibrated = calibrate(ZCDPFilter, epsilon, delta, menu=menu)
    published = float(conversion.budget(epsilon, delta))
    return RoundsBought(
        epsilon,
        delta,
        level,
        published,
        calibrated.threshold,
        math.floor(2 * published / level**2),
        calibrated.certificate.rounds,
        calibrated,
    )
