"""The betting interval with stakes fixed in advance: its capitals are sums, merged in any order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from mc.intervals.bernstein import outward
from mc.intervals.estimate import Estimate
from mc.intervals.kl import last_outside
from mc.intervals.moments import ROUNDING, Moments
from theory.arguments import check_count, check_delta

__all__ = ["FixedBets", "exponents"]

#: Shares of the capital that are put on the stake for the pilot's moments and on its insurance.
_SHARES = (7 / 8, 1 / 8)
#: Stakes tried: a step of 2^(1/8) is at most 4 % off the best one, which widens the interval by 0.1 %.
_TRIED = 2.0 ** np.arange(-30, 30, 1 / 8)
#: u <= 1 - 2^-10: nearer to 1 would cost digits of log(1 - u x) and gain less than 0.1 % of the width.
_LARGEST_FALL = 1 - 2.0**-10
_FALLS = _TRIED[_TRIED < 2.0**10] / (1 + _TRIED[_TRIED < 2.0**10])


@dataclass(frozen=True, slots=True)
class FixedBets:
    """{m : 7/8 K_1(m) + 1/8 K_2(m) < 2/failure for both gamblers}, for stakes l in `rises` and u in `falls`.

    Capitals are K(m) = prod_i (1 + l x_i)/(1 + l m) = prod_i (1 + lambda (x_i - m)), lambda = l/(1 + l m), l > 0,
    of the one and prod_i (1 - u x_i)/(1 - u m), 0 < u < 1, of the other, for i.i.d. x in [0, 1]. At the mean m
    each is a martingale from 1 if its stake was fixed before x was seen, so by Markov's inequality each side
    misses with probability at most failure/2. K(m) = e^{S - n log(1 + l m)}, S = sum log(1 + l x), is
    monotone in m, and S a sum over runs, whatever order they come in; a value of zero adds nothing.
    One stake alone would give m > (e^{(S - log(2/failure))/n} - 1)/l and m < (1 - e^{(S - log(2/failure))/n})/u.
    Source: Waudby-Smith and Ramdas, JRSS B 86 (2024), Section 4, with bets that are constant in l.
    """

    rises: tuple[float, float]
    falls: tuple[float, float]

    def __post_init__(self) -> None:
        if not (min(self.rises) > 0 and min(self.falls) > 0 and max(self.falls) <= _LARGEST_FALL):
            raise ValueError(
                f"stakes must be > 0, and falls <= 1 - 2^-10, got rises={self.rises!r} and falls={self.falls!r}; "
                "let `planned` choose them"
            )

    @classmethod
    def planned(cls, pilot: Moments, n: int, *, failure: float) -> Self:
        """The stakes to expect the narrowest interval from, at n runs like the pilot's.

        Each stake is best against the law of the pilot's mean and variance that is worst for it (`exponents`).
        The second of each pair takes the pilot to have seen one more value at either end: where there are
        rare heavy values that it missed, the first may be ruinous.
        The n runs must be independent of the pilot's, which stay out of their moments.
        """
        n = check_count("n", n, least=2)
        failure = float(check_delta("failure", failure))
        doubted = Moments.merge([replace(pilot, logs=()), Moments(2, 1.0, 0.5, pilot.upper)])
        level = _level(failure) / n
        (rise, fall), (safe_rise, safe_fall) = _best(pilot, level), _best(doubted, level)
        return cls((rise, safe_rise), (fall, safe_fall))

    def logs(self, unit: NDArray[np.float64]) -> tuple[float, ...]:
        """S for each of `rises`, then T for each of `falls`, of values in [0, 1] (zeros may be left out)."""
        return tuple(float(np.log1p(stake * unit).sum()) for stake in self.stakes)

    def expected(self, pilot: Moments, n: int) -> Moments:
        """The moments and logs of n runs from the worst laws that have the pilot's mean and variance."""
        rises, falls = exponents(pilot, np.array(self.rises), np.array(self.falls))
        return replace(pilot.scaled_to(n), logs=tuple((n * np.concatenate([rises, falls])).tolist()))

    def interval(self, moments: Moments, *, failure: float) -> Estimate:
        """The interval from the runs' moments and logs."""
        failure = float(check_delta("failure", failure))
        if len(moments.logs) != len(self.stakes):
            raise ValueError(
                f"moments must hold a sum of logarithms for each stake, got logs={moments.logs!r}; "
                "sum what `logs` returns over the runs"
            )

        half = len(self.rises)
        # 1 - u x >= 2^-10 is in error by 2^-53, so every logarithm by a factor of 1 +- 2^-45 at most, and so
        # are its multiples and sums of terms of one sign. Taking each sum as smaller and the level as larger
        # by ROUNDING = 2^-40 outweighs that wherever a capital is large: there n |log(1 + stake m)| is at
        # most S for the one gambler, and |S| plus the log-capital for the other. So what is called rich is.
        level = _level(failure) * (1 + ROUNDING)
        logs = [log - ROUNDING * abs(log) for log in moments.logs]

        def end(bets: slice, limit: float) -> float:
            def rich(m: float) -> bool:
                return _log_capital(moments.n, m, self.stakes[bets], logs[bets]) >= level

            return last_outside(rich, moments.unit_mean, limit)

        low, high = end(slice(half), 0.0), end(slice(half, None), 1.0)
        return outward(moments, low, high, failure, "betting")

    @property
    def stakes(self) -> tuple[float, ...]:
        """l of the gambler who bets on larger values, then -u of the other."""
        return self.rises + tuple(-u for u in self.falls)


def _level(failure: float) -> float:
    """log(2/failure)."""
    return math.log(2) - math.log(failure)


def _log_capital(n: int, m: float, stakes: Sequence[float], logs: Sequence[float]) -> float:
    """log of the shared capital, had the mean been m."""
    each = [
        math.log(share) + log - n * math.log1p(stake * m)
        for share, log, stake in zip(_SHARES, logs, stakes, strict=True)
    ]
    top = max(each)
    return top + math.log(math.fsum(math.exp(one - top) for one in each))


def _best(pilot: Moments, level: float) -> tuple[float, float]:
    """The stakes l and u whose ends are farthest in, when the capital must grow by `level` a run."""
    mean = pilot.unit_mean
    top = mean + pilot.centred / pilot.n / mean if mean > 0 else 1.0
    rises = np.minimum(_TRIED / top, 1e300)
    up, down = exponents(pilot, rises, _FALLS)
    low, high = np.expm1(up - level) / rises, -np.expm1(down - level) / _FALLS
    return float(rises[low.argmax()]), float(_FALLS[high.argmin()])


def exponents(
    pilot: Moments, rises: NDArray[np.float64], falls: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The least E log(1 + l x) and E log(1 - u x) over laws on [0, 1] with the pilot's mean m and variance v.

    The third derivative of the first is positive and of the second negative, so that they are least on two
    points of which one is 0 and 1, respectively: {0, m + v/m} and {m - v/(1-m), 1}.
    Source: Bennett, JASA 57 (1962); Karlin and Studden, "Tchebycheff Systems" (1966), principal representations.
    """
    mean, spread = pilot.unit_mean, min(pilot.centred / pilot.n, pilot.unit_mean * (1 - pilot.unit_mean))
    chance = mean / (mean + spread / mean) if mean > 0 else 0.0
    up = chance * np.log1p(rises * (mean + spread / mean)) if mean > 0 else 0 * rises
    ruin = spread / (spread + (1 - mean) ** 2) if mean < 1 else 1.0
    down = (1 - ruin) * np.log1p(
        -falls * (mean - spread / (1 - mean) if mean < 1 else 0.0)
    ) + ruin * np.log1p(-falls)
    return up, down
