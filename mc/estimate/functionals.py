"""Functionals of simulated runs: values in [0, 1] whose mean gives a divergence or a term of one.

Each class states its value Y and the mean of Y. `filterproof.mc.estimate.path_bound` proves that Y is at most 1.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from filterproof.mc.engine.budget_monitor import BoundExceeded
from filterproof.mc.engine.finished_runs import FinishedRuns
from filterproof.mc.intervals import FixedBets, Moments, kl_chernoff
from filterproof.mc.intervals.estimate import Estimate
from filterproof.mc.runs.batch_sums import BatchSums

#: The rounding error allowed in a path's log-weight: a weight further above its bound exceeds the bound.
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class UnitFunctional(ABC):
    """Sums over a batch of a value Y in [0, 1]; `divergence` computes the estimate from the mean of Y.

    The interval of the mean is that of `bets`, or KL-Chernoff without bets. Stakes are part of the functional, so that
    a store keeps runs with other stakes separate.
    """

    _: KW_ONLY
    bets: FixedBets | None = None

    @abstractmethod
    def __call__(self, paths: FinishedRuns) -> NDArray[np.float64]:
        """Return the sums over a batch: `unit_sums` of Y, and the counts of a subclass."""

    @property
    def log_range(self) -> float:
        """The log of the factor from the mean of Y to the estimate."""
        return 0.0

    @property
    def log_largest_unseen_value(self) -> float:
        """The log of the largest value that a pilot may have missed, in units of the estimate."""
        return self.log_range

    @property
    def pilot_choice_text(self) -> str:
        """The parameters chosen by the pilot, as text for the name of the method; "" for none."""
        return ""

    @property
    def unit_sum_count(self) -> int:
        """The length of the tuple that `unit_sums` returns."""
        return 2 + (len(self.bets.signed_stakes) if self.bets else 0)

    @property
    def sum_count(self) -> int:
        """The number of sums per batch: those of `unit_sums` and the counts of a subclass."""
        return self.unit_sum_count

    def unit_sums(self, y: NDArray[np.float64], n: int) -> tuple[float, ...]:
        """Return sum, squares about the mean, and logs for the bets, of y and n - len(y) zeros; overwrite y.

        Raises Exceeded for a value above 1: its path exceeded the bound by which values are divided.
        """
        if len(y) and y.max() > 1:
            if y.max() > 1 + ROUNDING:
                raise BoundExceeded(f"a run's value is {y.max():.9g} times its bound")
            np.minimum(y, 1.0, out=y)
        logs = self.bets.log_factor_sums(y) if self.bets else ()
        total = float(y.sum())
        mean = total / n
        y -= mean
        # not np.dot: BLAS splits a long sum by its number of threads, and the bits would depend on that
        return total, float(np.square(y, out=y).sum()) + (n - len(y)) * mean * mean, *logs

    def moments(self, batch_sums: BatchSums) -> Moments:
        """Return number, sum and centred squares of Y, merged over all batches."""
        rows = batch_sums.rows[:, : self.unit_sum_count].tolist()
        return Moments.merge(
            Moments(int(n), total, centred, logs=tuple(logs))
            for n, (total, centred, *logs) in zip(batch_sums.sizes, rows, strict=True)
        )

    def fitted(self, paths: FinishedRuns) -> list[tuple[Self, Moments]]:
        """Return the variants of this functional that a pilot's paths suggest, each with its moments there."""
        return [(self, self.moments(BatchSums(np.array([len(paths.loss)]), self(paths)[None, :])))]

    def planned(self, pilot: Moments, n: int, failure: float) -> tuple[Self, Estimate]:
        """Return this functional with the narrower of its intervals, and the expected estimate of n paths.

        An interval or stakes chosen after seeing the data lose their failure probability: the pilot's paths are not
        among the n.
        """
        bets = FixedBets.planned(pilot, n, failure=failure)
        plans = (
            (self, kl_chernoff(pilot.scaled_to_count(n), failure=failure)),
            (replace(self, bets=bets), bets.interval(bets.expected_moments(pilot, n), failure=failure)),
        )
        form, mean = min(plans, key=lambda plan: plan[1].high - plan[1].low)
        return form, self.divergence(mean)

    def least_width(self, n: int, failure: float) -> float:
        """Return the smallest expected width from n paths, R (1 - (failure/2)^{1/n}) for values in [0, R].

        No interval for the mean of n values in [0, 1] is narrower than that of zeros. An estimate above one is clipped
        there, and may be narrower.
        """
        unit = -math.expm1((math.log(failure) - math.log(2)) / n)
        return unit * math.exp(self.log_range) if self.log_range <= 0 else 0.0

    def estimate(self, batch_sums: BatchSums, failure: float) -> Estimate:
        """Return the estimate from the sums over all batches."""
        interval = kl_chernoff if self.bets is None else self.bets.interval
        mean = interval(self.moments(batch_sums), failure=failure)
        return replace(self.divergence(mean), over_bound=self.count_over_bound(batch_sums))

    def divergence(self, mean: Estimate) -> Estimate:
        """Return the estimate from the mean of Y: e^{log_range} E[Y], a term of H_{e^eps}, at most one."""
        unit = math.exp(self.log_range)
        return replace(mean, value=unit * mean.value, low=unit * mean.low, high=unit * mean.high).at_most_one

    def count_over_bound(self, batch_sums: BatchSums) -> int:
        """Return the number of paths that exceeded the monitor's bound; 0 if they are not counted."""
        return 0


@dataclass(frozen=True, slots=True)
class JointFunctional:
    """Several functionals of the same paths, with their sums concatenated."""

    parts: tuple[Any, ...]

    def __call__(self, paths: FinishedRuns) -> NDArray[np.float64]:
        return np.concatenate([part(paths) for part in self.parts])

    def split(self, sums: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        """Split the sums along the last axis by functional."""
        return np.split(sums, np.cumsum([part.sum_count for part in self.parts])[:-1], axis=-1)

    def tallies(self, batch_sums: BatchSums) -> tuple[BatchSums, ...]:
        """Return the batch sums of each functional, split from the joint ones."""
        return tuple(BatchSums(batch_sums.sizes, rows) for rows in self.split(batch_sums.rows))


@dataclass(frozen=True, slots=True)
class HockeyStick(UnitFunctional):
    """Y = e^{log_weight + log_finite - log_bound} (1 - e^{epsilon - loss})_+.

    E[Y] e^{log_bound} is H_{e^epsilon} of the distribution of the outputs against the other one. If infinite losses are
    weighed, it is only the second term of H (see path_bound.py). `paths` selects the paths that count: "all";
    "within_bound", those that the monitor did not stop; "over_bound", those that it flagged. The means of
    "within_bound" under a stopping monitor and of "over_bound" under a flagging one add up to H. The last sum of
    "over_bound" counts the flagged paths.
    """

    epsilon: float
    log_bound: float = 0.0
    paths: Literal["all", "within_bound", "over_bound"] = "all"

    @property
    def log_range(self) -> float:
        return self.log_bound

    @property
    def sum_count(self) -> int:
        return self.unit_sum_count + (self.paths == "over_bound")

    def __call__(self, paths: FinishedRuns) -> NDArray[np.float64]:
        over_bound = np.broadcast_to(paths.over_bound, paths.loss.shape)
        hits = np.flatnonzero(paths.loss > self.epsilon)
        if self.paths != "all":
            hits = hits[over_bound[hits] == (self.paths == "over_bound")]
        y = -np.expm1(self.epsilon - paths.loss[hits])
        log_y = paths.log_weight[hits] - self.log_bound
        if isinstance(paths.log_finite, np.ndarray):
            log_y += paths.log_finite[hits]
        y *= np.exp(log_y)
        sums = self.unit_sums(y, len(paths.loss))
        marked = (float(np.count_nonzero(over_bound)),) if self.paths == "over_bound" else ()
        return np.array([*sums, *marked])

    def count_over_bound(self, batch_sums: BatchSums) -> int:
        return int(batch_sums.sums[-1]) if self.paths == "over_bound" else 0


@dataclass(frozen=True, slots=True)
class InfiniteLosses(UnitFunctional):
    """Y = (1 - K) / most, K = prod_t P(L_t < inf) over the rounds that a path released, `most` a bound on 1 - K.

    The probability of an infinite loss, computed along the path instead of drawn: E[1 - K], the same for every epsilon,
    is the first term of H in path_bound.py.
    """

    most: float

    @property
    def log_range(self) -> float:
        return math.log(self.most)

    @property
    def log_largest_unseen_value(self) -> float:
        # all estimators except plain paths have this term: its range must not hide those of the other terms
        return -math.inf

    def __call__(self, paths: FinishedRuns) -> NDArray[np.float64]:
        y = -np.expm1(np.broadcast_to(paths.log_finite, paths.loss.shape)) / self.most
        return np.array(self.unit_sums(y, len(y)))
