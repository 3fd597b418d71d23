"""Is the mean above or below a threshold? A test that may stop at any moment with its error intact."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mc.intervals.estimate import PLAIN_DRAWS
from mc.intervals.moments import unit_values
from theory.arguments import check_count, check_delta, check_positive

__all__ = ["BettingTest", "Decision", "SequentialRun", "Side", "Wealth"]

_BLOCK = 8  # factors multiplied before one logarithm: none overflows down to m = 1e-30
_LEAST_RATIO = 1e-30


class Side(Enum):
    """Where the mean lies relative to the threshold."""

    ABOVE = "the mean is above"
    BELOW = "the mean is below"
    UNDECIDED = "the samples so far do not tell the mean from"


@dataclass(frozen=True, slots=True)
class Wealth:
    """log-capital that each constant bet won on n samples: a statistic that adds up over tiles.

    above and below hold one number per bet, for the gambler who bets on larger and on smaller values.
    """

    n: int
    above: tuple[float, ...]
    below: tuple[float, ...]

    @classmethod
    def merge(cls, tiles: Iterable[Wealth]) -> Wealth:
        """The wealth after all tiles, the same bits in whatever order they are given."""
        parts = list(tiles)
        if not parts:
            raise ValueError("tiles must hold at least one tile, got none; run at least one tile")
        return cls(
            sum(part.n for part in parts),
            tuple(math.fsum(column) for column in zip(*(part.above for part in parts), strict=True)),
            tuple(math.fsum(column) for column in zip(*(part.below for part in parts), strict=True)),
        )


@dataclass(frozen=True, slots=True)
class Decision:
    """What n samples say of the threshold; wrong with probability at most `failure`, whenever one stopped.

    rests_on says what the decision needs to be right beside the draws.
    log_e_above is the log of an e-value against "mean <= threshold", log_e_below against "mean >= threshold".
    """

    side: Side
    threshold: float
    log_e_above: float
    log_e_below: float
    failure: float
    n: int
    rests_on: str = PLAIN_DRAWS

    def __str__(self) -> str:
        return (
            f"{self.side.value} {self.threshold:.6g} (n={self.n:,}, log e-values {self.log_e_above:.3g} "
            f"above and {self.log_e_below:.3g} below, failure {self.failure:.2g} at any stopping time; "
            f"rests on {self.rests_on})"
        )


@dataclass(frozen=True, slots=True)
class BettingTest:
    """Two e-processes for i.i.d. x in [0, upper], with m = threshold/upper and a grid of constant bets:

    E_above = mean over lambda of prod_i (1 + lambda (x_i/upper - m)), 0 < lambda < 1/m, and
    E_below = mean over lambda of prod_i (1 - lambda (x_i/upper - m)), 0 < lambda < 1/(1-m).
    Under "mean <= threshold" the first is a non-negative supermartingale from 1, under "mean >= threshold"
    the second; by Ville's inequality each ever reaches 2/failure with probability at most failure/2.
    The grid halves from 1/2 of the largest bet down to `least_bet` and has three more above, since rare
    heavy values want bets near the largest; the best bet is about (mean - threshold) upper / variance.
    An average of constant bets needs no memory of earlier tiles, so workers compute `wealth` of their tiles
    apart and the logs add up; against the best of the grid it costs at most the log of the grid's size.
    The stopping rule may look at anything in tiles already taken, and tiles are taken in the order fixed
    before the run, never in order of arrival, which may depend on the values.
    Source: Ville (1939); Waudby-Smith and Ramdas, JRSS B 86 (2024), Section 4 and the constant bets of
    their hedged grid.
    """

    threshold: float
    upper: float
    failure: float
    least_bet: float = 2.0**-12

    def __post_init__(self) -> None:
        check_positive("threshold", self.threshold)
        check_positive("upper", self.upper)
        check_delta("failure", self.failure)
        check_delta("least_bet", self.least_bet)
        if not _LEAST_RATIO * self.upper <= self.threshold < self.upper:
            raise ValueError(
                f"threshold must be in [{_LEAST_RATIO:g} upper, upper), got threshold={self.threshold!r} "
                f"with upper={self.upper!r}; no sample can decide otherwise"
            )

    @property
    def bets_above(self) -> int:
        """The number of bets on larger values."""
        return len(self._grid(self.upper / self.threshold))

    def wealth(self, values: ArrayLike, *, zeros: int = 0) -> Wealth:
        """The wealth that these samples, each in [0, upper], and as many zeros besides add to either gambler."""
        centre = self.threshold / self.upper
        zeros = check_count("zeros", zeros, least=0)
        values = np.asarray(values, dtype=np.float64)
        shift = unit_values(values, self.upper) - centre if values.size or not zeros else np.empty(0)
        n = shift.size
        shift = np.pad(shift, (0, -n % _BLOCK)).reshape(_BLOCK, -1)  # a shift of zero wins and loses nothing

        def log_capitals(bets: NDArray[np.float64]) -> tuple[float, ...]:
            logs = np.log(np.multiply.reduce(1 + bets[:, None, None] * shift, axis=1)).sum(axis=1)
            return tuple((logs + zeros * np.log1p(-bets * centre)).tolist())

        above, below = self._grid(self.upper / self.threshold), -self._grid(1 / (1 - centre))
        return Wealth(n + zeros, log_capitals(above), log_capitals(below))

    def _grid(self, largest: float) -> NDArray[np.float64]:
        halvings = max(1, math.ceil(math.log2(largest / self.least_bet)))
        shares = [15 / 16, 7 / 8, 3 / 4, *(0.5**d for d in range(1, halvings + 1))]
        return largest * np.array(shares)

    def decide(self, wealth: Wealth) -> Decision:
        """The decision after the tiles merged in `wealth`."""
        log_above = _log_mean_exp(wealth.above)
        log_below = _log_mean_exp(wealth.below)
        # One product per sample and one logarithm per block err by less than 2^-50 per sample.
        wanted = math.log(2) - math.log(self.failure) + wealth.n * 2.0**-50
        if log_above >= wanted:
            side = Side.ABOVE
        elif log_below >= wanted:
            side = Side.BELOW
        else:
            side = Side.UNDECIDED
        return Decision(side, self.threshold, log_above, log_below, self.failure, wealth.n)


class SequentialRun:
    """Tiles go in, in their fixed order, until the test decides or `most` samples were seen.

    `decision` is the state of knowledge; `finished` says that no further tile is wanted. Tiles that arrive
    after the decision are refused, so that what is reported is what was known at the stopping time.
    """

    def __init__(self, test: BettingTest, *, most: int) -> None:
        self.test = test
        self.most = check_count("most", most)
        self._tiles: list[Wealth] = []
        self._decision: Decision | None = None

    @property
    def decision(self) -> Decision:
        """The decision after the tiles so far."""
        if self._decision is None:
            raise ValueError("no tile was taken yet, so there is no decision; call take first")
        return self._decision

    @property
    def finished(self) -> bool:
        """Whether the mean was told from the threshold or the budget of samples is used up."""
        return self._decision is not None and (
            self._decision.side is not Side.UNDECIDED or self._decision.n >= self.most
        )

    def take(self, tile: Wealth) -> Decision:
        """The decision after one more tile."""
        if self.finished:
            raise ValueError(f"the run has ended ({self.decision}); start another to test again")
        self._tiles.append(tile)
        self._decision = self.test.decide(Wealth.merge(self._tiles))
        return self._decision


def _log_mean_exp(logs: tuple[float, ...]) -> float:
    top = max(logs)
    return top + math.log(math.fsum(math.exp(x - top) for x in logs) / len(logs))
