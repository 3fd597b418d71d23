"""Measured coverage of intervals, on distributions with a known mean that are hard to cover.

>>> import numpy as np
>>> coin = next(case for case in HARD_CASES if case.name == "fair coin")
>>> measure_coverage(INTERVAL_METHODS[0], coin, rng=np.random.default_rng(0), n=10, repetitions=100).misses
0
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from filterproof.mc.intervals import FixedBets, Moments, clopper_pearson, empirical_bernstein, kl_chernoff
from filterproof.mc.intervals.anytime import BettingTest, LogCapital, ThresholdSide
from filterproof.mc.intervals.betting import betting
from filterproof.mc.intervals.estimate import Estimate


@dataclass(frozen=True, slots=True)
class HardCase:
    """A distribution on [0, 1] with known mean: value `levels[i]` with probability `weights[i]`."""

    name: str
    levels: tuple[float, ...]
    weights: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The mean that intervals should cover."""
        return float(np.dot(self.levels, self.weights))

    @property
    def counts_successes(self) -> bool:
        """Whether all values are 0 or 1, as Clopper-Pearson requires."""
        return set(self.levels) <= {0.0, 1.0}

    def draw(self, rng: np.random.Generator, n: int) -> NDArray[np.float64]:
        """Return n independent values, shape (n,)."""
        return rng.choice(np.array(self.levels), size=n, p=self.weights)


#: The number of looks of the sequential test at a sample.
NUMBER_OF_LOOKS = 8
#: Hard at n = 1000 and failure 1e-2. In the third case the probability of no success is just below failure/2, and the
#: upper end of the Clopper-Pearson interval is then just below the true mean.
HARD_CASES: tuple[HardCase, ...] = (
    HardCase("hit of 1 with probability 1e-3", (0.0, 1.0), (1 - 1e-3, 1e-3)),
    HardCase("hit of 1 with probability 1e-5", (0.0, 1.0), (1 - 1e-5, 1e-5)),
    HardCase("hit of 1 with probability 5.29e-3", (0.0, 1.0), (1 - 5.29e-3, 5.29e-3)),
    HardCase("fair coin", (0.0, 1.0), (0.5, 0.5)),
    HardCase("0.99 of the mass at the bound", (0.0, 1.0), (0.01, 0.99)),
    HardCase("0.01, and the bound with probability 2e-3", (0.01, 1.0), (1 - 2e-3, 2e-3)),
    HardCase("the bound, and 0 with probability 2e-3", (0.0, 1.0), (2e-3, 1 - 2e-3)),
    HardCase(
        "geometric ladder of heavier and rarer values", (1e-3, 1e-2, 0.1, 1.0), (0.9, 0.09, 0.009, 0.001)
    ),
)


@dataclass(frozen=True, slots=True)
class IntervalMethod:
    """miss(values, mean, failure): ABOVE if the interval is above the true mean, BELOW if below, else UNDECIDED.

    The values come in parts, in the ratios `parts`, and their order within a part does not matter; without parts it may
    matter anywhere. Samples with the same values in each part count as one.
    """

    name: str
    miss: Callable[[NDArray[np.float64], float, float], ThresholdSide]
    counts_only: bool = False
    parts: tuple[int, ...] = ()

    @property
    def cases(self) -> tuple[HardCase, ...]:
        """The hard cases that it applies to."""
        return tuple(case for case in HARD_CASES if case.counts_successes or not self.counts_only)


def _by_interval(interval: Callable[[NDArray[np.float64], float], Estimate]) -> Callable[..., ThresholdSide]:
    def miss(values: NDArray[np.float64], mean: float, failure: float) -> ThresholdSide:
        estimate = interval(values, failure)
        if estimate.low > mean:
            return ThresholdSide.ABOVE
        return ThresholdSide.BELOW if estimate.high < mean else ThresholdSide.UNDECIDED

    return miss


def _sequential_side(values: NDArray[np.float64], mean: float, failure: float) -> ThresholdSide:
    """Run the betting test with the true mean as its threshold: a decision at any look is wrong."""
    test, tiles, side = BettingTest(mean, 1.0, failure), [], ThresholdSide.UNDECIDED
    for tile in np.array_split(values, NUMBER_OF_LOOKS):
        tiles.append(_test_wealth(test, tile.tobytes()))
        side = test.decision(LogCapital.merge(tiles)).side
        if side is not ThresholdSide.UNDECIDED:
            break
    return side


@lru_cache(maxsize=4096)
def _test_wealth(test: BettingTest, tile: bytes) -> LogCapital:
    return test.wealth(np.frombuffer(tile))


@lru_cache(maxsize=4096)
def _betting_interval(values: bytes, failure: float) -> Estimate:
    # rare values are often missing, and then a sample is one of a few
    return betting(np.frombuffer(values), failure=failure)


def _from_moments(interval: Callable[..., Estimate]) -> Callable[..., ThresholdSide]:
    return _by_interval(lambda x, f: interval(Moments.of(x), failure=f))


def _bets_of_a_pilot(values: NDArray[np.float64], failure: float) -> Estimate:
    """Return the interval of `FixedBets`: the first fifth of the values is the pilot, the others are the runs."""
    pilot, rest = np.split(values, [values.size // 5])
    bets = FixedBets.planned(Moments.of(pilot), rest.size, failure=failure)
    return bets.interval(replace(Moments.of(rest), logs=bets.logs(rest)), failure=failure)


INTERVAL_METHODS: tuple[IntervalMethod, ...] = (
    IntervalMethod("empirical Bernstein", _from_moments(empirical_bernstein), parts=(1,)),
    IntervalMethod("KL-Chernoff", _from_moments(kl_chernoff), parts=(1,)),
    IntervalMethod("betting", _by_interval(lambda x, f: _betting_interval(x.tobytes(), f))),
    IntervalMethod(
        "betting on means of 10",
        _by_interval(lambda x, f: _betting_interval(x.reshape(-1, 10).mean(axis=1).tobytes(), f)),
    ),
    IntervalMethod(
        "Clopper-Pearson",
        _by_interval(lambda x, f: clopper_pearson(int(x.sum()), x.size, failure=f)),
        True,
        parts=(1,),
    ),
    IntervalMethod(f"betting test, {NUMBER_OF_LOOKS} looks", _sequential_side, parts=(1,) * NUMBER_OF_LOOKS),
    IntervalMethod("betting, stakes of a pilot", _by_interval(_bets_of_a_pilot), parts=(1, 4)),
)


@dataclass(frozen=True, slots=True)
class Coverage:
    """Misses of one method on one case: too_high counts the intervals above the true mean, too_low those below."""

    method: str
    case: str
    n: int
    repetitions: int
    failure: float
    too_high: int
    too_low: int

    @property
    def misses(self) -> int:
        """The number of intervals that do not contain the true mean."""
        return self.too_high + self.too_low

    @property
    def miss_rate(self) -> Estimate:
        """Return the rate of misses, with a Clopper-Pearson interval at failure 1e-6."""
        return clopper_pearson(self.misses, self.repetitions, failure=1e-6)

    def misses_allowed(self, false_alarm: float) -> int:
        """Return the smallest c with P(X > c) <= false_alarm for X ~ Binomial(repetitions, failure)."""
        from scipy import stats

        return int(stats.binom.isf(false_alarm, self.repetitions, self.failure))


def measure_coverage(
    method: IntervalMethod,
    case: HardCase,
    *,
    rng: np.random.Generator,
    n: int = 1000,
    repetitions: int = 10_000,
    failure: float = 1e-2,
) -> Coverage:
    """Return the misses of the method on `repetitions` independent samples of size n from the case."""
    times = {ThresholdSide.ABOVE: 0, ThresholdSide.BELOW: 0, ThresholdSide.UNDECIDED: 0}
    for values, often in _draw_samples(case, method.parts, n, rng, repetitions):
        times[method.miss(values, case.mean, failure)] += often
    return Coverage(
        method.name,
        case.name,
        n,
        repetitions,
        failure,
        times[ThresholdSide.ABOVE],
        times[ThresholdSide.BELOW],
    )


def _draw_samples(
    case: HardCase, parts: tuple[int, ...], n: int, rng: np.random.Generator, repetitions: int
) -> Iterator[tuple[NDArray[np.float64], int]]:
    """Yield independent samples of size n, each with the number of repetitions that drew it."""
    if not parts:
        yield from ((case.draw(rng, n), 1) for _ in range(repetitions))
        return
    sizes = [n * part // sum(parts) for part in parts]
    drawn_counts = np.stack([rng.multinomial(size, case.weights, size=repetitions) for size in sizes], axis=1)
    kinds, often_each = np.unique(drawn_counts, axis=0, return_counts=True)
    levels = np.tile(case.levels, len(parts))
    for counts, often in zip(kinds.reshape(len(kinds), -1), often_each.tolist(), strict=True):
        yield np.repeat(levels, counts), often
