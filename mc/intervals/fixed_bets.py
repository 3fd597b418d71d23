"""The betting interval with fixed stakes, whose log-capitals can be merged in any order.

>>> pilot = Moments.of([0.0, 0.5, 1.0])
>>> bets = FixedBets.planned(pilot, n=1000, failure=0.01)
>>> guess = bets.interval(bets.expected_moments(pilot, n=1000), failure=0.01)
>>> round(guess.low, 4), round(guess.high, 4)
(0.4575, 0.5425)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from filterproof.mc.intervals.bernstein import outward_estimate
from filterproof.mc.intervals.estimate import Estimate
from filterproof.mc.intervals.kl import last_outside
from filterproof.mc.intervals.moments import ROUNDING, Moments

#: The shares of the capital on the stake for the pilot's moments, and on the one for a pilot that missed rare values.
_STAKE_SHARES = (7 / 8, 1 / 8)
#: The stakes that are tried, in steps of 2^(1/8): one is within 4 % of the best, which widens the interval by 0.1 %.
_TRIED_STAKES = 2.0 ** np.arange(-30, 30, 1 / 8)
#: u <= 1 - 2^-10: a larger u would lose digits of log(1 - u x) and narrow the interval by less than 0.1 %.
_FALL_STAKES = _TRIED_STAKES[_TRIED_STAKES < 2.0**10] / (1 + _TRIED_STAKES[_TRIED_STAKES < 2.0**10])


@dataclass(frozen=True, slots=True)
class FixedBets:
    """{m : 7/8 K_1(m) + 1/8 K_2(m) < 2/failure for both gamblers}, for stakes l in `rises` and u in `falls`.

    For i.i.d. x in [0, 1] the gambler on larger values has, with stake l > 0, the capital
    K(m) = prod_i (1 + l x_i)/(1 + l m) = prod_i (1 + lambda (x_i - m)), lambda = l/(1 + l m); the gambler on smaller
    values has, with 0 < u < 1, prod_i (1 - u x_i)/(1 - u m). At the true mean m each capital has mean 1 if its stake
    was fixed before x was seen, so by Markov's inequality each side misses with probability at most failure/2.
    K(m) = e^{S - n log(1 + l m)} is monotone in m, and S = sum_i log(1 + l x_i) is a sum over runs, to which
    x = 0 adds nothing; the other gambler has T = sum_i log(1 - u x_i) in place of S, and -u of l.
    One stake alone would give m > (e^{(S - log(2/failure))/n} - 1)/l and m < (1 - e^{(T - log(2/failure))/n})/u.
    Source: Waudby-Smith and Ramdas, JRSS B 86 (2024), Section 4, with bets that are constant in l.
    """

    rises: tuple[float, float]
    falls: tuple[float, float]

    @classmethod
    def planned(cls, pilot: Moments, n: int, *, failure: float) -> Self:
        """Return the stakes that should give the narrowest interval for n runs with the pilot's mean and variance.

        Each stake is the best one against its own worst distribution with this mean and variance
        (`least_expected_log_growths`). The second stake of each pair adds one value of 0 and one of 1 to the pilot: if
        the pilot missed rare heavy values, the first stake may lose nearly all its capital. The n runs must be
        independent of the pilot's runs, which are not part of their moments.
        """
        doubted = Moments.merge([replace(pilot, logs=()), Moments(2, 1.0, 0.5, pilot.upper)])
        level = _log_two_over_failure(failure) / n
        (rise, fall), (safe_rise, safe_fall) = _best_stakes(pilot, level), _best_stakes(doubted, level)
        return cls((rise, safe_rise), (fall, safe_fall))

    def log_factor_sums(self, unit: NDArray[np.float64]) -> tuple[float, ...]:
        """Return sum_i log(1 + stake x_i) for each signed stake and x in [0, 1]; zeros may be omitted."""
        return tuple(float(np.log1p(stake * unit).sum()) for stake in self.signed_stakes)

    def expected_moments(self, pilot: Moments, n: int) -> Moments:
        """Return the expected moments and logs of n runs, each log under its worst distribution."""
        rises, falls = least_expected_log_growths(pilot, np.array(self.rises), np.array(self.falls))
        return replace(pilot.scaled_to_count(n), logs=tuple((n * np.concatenate([rises, falls])).tolist()))

    def interval(self, moments: Moments, *, failure: float) -> Estimate:
        """Return the interval from the runs' moments and logs, one log for each stake."""
        half = len(self.rises)
        # Rounding must never make a capital look large enough. As 1 - u x >= 2^-10 has error 2^-53, logarithms, and
        # multiples and sums of one sign of them, have relative error at most 2^-45. Lowering each sum and raising the
        # level by the factor ROUNDING = 2^-40 outweighs these errors wherever a capital is large: there
        # n |log(1 + stake m)| is at most S for rises, and at most |T| plus the log-capital for falls.
        level = _log_two_over_failure(failure) * (1 + ROUNDING)
        logs = [log - ROUNDING * abs(log) for log in moments.logs]

        def end(bets: slice, limit: float) -> float:
            stakes, sums = (
                self.signed_stakes[bets],
                [math.log(s) + log for s, log in zip(_STAKE_SHARES, logs[bets], strict=True)],
            )

            def rich(m: float) -> bool:
                return _log_capital(moments.n, m, stakes, sums) >= level

            return last_outside(rich, moments.unit_mean, limit)

        low, high = end(slice(half), 0.0), end(slice(half, None), 1.0)
        return outward_estimate(moments, low, high, failure, "betting")

    @property
    def signed_stakes(self) -> tuple[float, ...]:
        """Return l for each of `rises`, then -u for each of `falls`: K(m) = prod_i (1 + stake x_i)/(1 + stake m)."""
        return self.rises + tuple(-u for u in self.falls)


def _log_two_over_failure(failure: float) -> float:
    """Return log(2/failure), the log-capital at which a gambler excludes a mean."""
    return math.log(2) - math.log(failure)


def _log_capital(n: int, m: float, stakes: Sequence[float], logs: Sequence[float]) -> float:
    """Return log(7/8 K_1(m) + 1/8 K_2(m)) for the stakes of one gambler, whose shares are in the logs."""
    each = [log - n * math.log1p(stake * m) for log, stake in zip(logs, stakes, strict=True)]
    top = max(each)
    return top + math.log(math.fsum([math.exp(capital - top) for capital in each]))


def _best_stakes(pilot: Moments, level: float) -> tuple[float, float]:
    """Return the stakes l and u of the narrowest interval if log-capital must grow by `level` nats per run."""
    mean = pilot.unit_mean
    top = mean + pilot.centred / pilot.n / mean if mean > 0 else 1.0
    rises = np.minimum(_TRIED_STAKES / top, 1e300)
    up, down = least_expected_log_growths(pilot, rises, _FALL_STAKES)
    low, high = np.expm1(up - level) / rises, -np.expm1(down - level) / _FALL_STAKES
    return float(rises[low.argmax()]), float(_FALL_STAKES[high.argmin()])


def least_expected_log_growths(
    pilot: Moments, rises: NDArray[np.float64], falls: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the smallest E log(1 + l x) and E log(1 - u x) over [0, 1] for the pilot's mean and variance.

    Third derivatives in x are positive for log(1 + l x) and negative for log(1 - u x), so that each minimum is at a
    distribution on two points: {0, m + v/m} for the first and {m - v/(1-m), 1} for the second. Source: Bennett, JASA 57
    (1962); Karlin and Studden, "Tchebycheff Systems" (1966), principal representations.
    """
    mean, spread = pilot.unit_mean, min(pilot.centred / pilot.n, pilot.unit_mean * (1 - pilot.unit_mean))
    chance = mean / (mean + spread / mean) if mean > 0 else 0.0
    up = chance * np.log1p(rises * (mean + spread / mean)) if mean > 0 else 0 * rises
    ruin = spread / (spread + (1 - mean) ** 2) if mean < 1 else 1.0
    down = (1 - ruin) * np.log1p(
        -falls * (mean - spread / (1 - mean) if mean < 1 else 0.0)
    ) + ruin * np.log1p(-falls)
    return up, down
