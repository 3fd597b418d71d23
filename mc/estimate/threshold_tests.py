"""What an attacker gets who holds the loss of a transcript against thresholds: his hits and false alarms, in intervals.

>>> import filterproof as fp
>>> found = threshold_tests(fp.GaussianFilter(mu=1.0), fp.OneShot(), thresholds=(0.0, 1.0, 2.0), n=4000, workers=1)
>>> found.hits_low(1e-3) < 0.0183 < found.hits_high(1e-3)
True
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from filters.privacy_filter import PrivacyFilter
from mc.engine.adversary import Adversary
from mc.engine.paths import Paths
from mc.estimate.functionals import HockeyStick, JointFunctional, UnitFunctional, grid_of
from mc.intervals import kl_chernoff
from mc.intervals.estimate import CONFIDENCE, Estimate, stated_failure
from mc.intervals.moments import ROUNDING
from mc.runs.play import Play, PlayOptions
from theory.arguments import check_probability
from theory.shown import Row, Shown

__all__ = ["ThresholdTest", "ThresholdTests", "threshold_tests"]


@dataclass(frozen=True, slots=True)
class ThresholdTest:
    """Accusing where L > threshold: hits P(L > t), false alarms Q(L > t), gain H_{e^t}, which is hits - e^t alarms."""

    threshold: float
    hits: Estimate
    false_alarms: Estimate
    gain: Estimate


@dataclass(frozen=True, slots=True, repr=False)
class ThresholdTests(Shown):
    """Tests of the transcripts of one adversary; all their intervals hold together but for probability `failure`.

    Every test of these transcripts has at most `hits_high(a)` hits at a false alarms, by Neyman and Pearson's lemma,
    and a random choice between two of the tests has at least `hits_low(a)`. In riskcal's words alpha is a, and beta,
    the trade-off curve, is 1 - hits.
    """

    at: tuple[ThresholdTest, ...]
    failure: float

    @property
    def advantage(self) -> Estimate | None:
        """H_1, the largest hits - false alarms of any test; None without a test at threshold 0."""
        return next((one.gain for one in self.at if one.threshold == 0), None)

    def hits_high(self, false_alarms: float) -> float:
        """min over t of H_{e^t} + e^t a, at the upper ends, and at most 1."""
        a = float(check_probability("false_alarms", false_alarms))
        lines = (one.gain.high + math.exp(one.threshold) * a for one in self.at)
        return min((*(line * (1 + ROUNDING) for line in lines), 1.0))

    def hits_low(self, false_alarms: float) -> float:
        """The largest mixture of two tests with at most a false alarms, by upper ends, its hits at the lower ends."""
        a = float(check_probability("false_alarms", false_alarms))
        points = [(0.0, 0.0), (1.0, 1.0), *((one.false_alarms.high, one.hits.low) for one in self.at)]
        best = max(y for x, y in points if x <= a)
        for x, y in points:
            for more, above in points:
                if x <= a < more:
                    best = max(best, y + (above - y) * (a - x) / (more - x))
        return best * (1 - ROUNDING)

    def rows(self) -> list[Row]:
        """A row for each threshold; all intervals hold together except with probability `joint_failure`."""
        rows = []
        for test in self.at:
            row: Row = {"threshold": test.threshold}
            for name in ("hits", "false_alarms", "gain"):
                estimate = getattr(test, name)
                row |= {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
            rows.append(row | {"runs": test.hits.n, "joint_failure": self.failure})
        return rows


@dataclass(frozen=True, slots=True)
class _Accused(UnitFunctional):
    """Y = 1 where loss > threshold; its mean is P(L > threshold)."""

    threshold: float

    def __call__(self, paths: Paths) -> NDArray[np.float64]:
        hits = np.count_nonzero(paths.loss > self.threshold)
        return np.array(self.unit_sums(np.ones(hits), len(paths.loss)))


@dataclass(frozen=True, slots=True)
class _FalselyAccused(UnitFunctional):
    """Y = e^{threshold - loss} where loss > threshold; e^{-threshold} E[Y] is Q(L > threshold), an infinite loss 0."""

    threshold: float

    @property
    def log_unit(self) -> float:
        return -self.threshold

    def __call__(self, paths: Paths) -> NDArray[np.float64]:
        loss = paths.loss[paths.loss > self.threshold]
        return np.array(self.unit_sums(np.exp(self.threshold - loss), len(paths.loss)))


def threshold_tests(
    filt: PrivacyFilter,
    adversary: Adversary,
    *,
    thresholds: Sequence[float],
    n: int = 100_000,
    confidence: float = CONFIDENCE,
    failure: float | None = None,
    **how: Unpack[PlayOptions],
) -> ThresholdTests:
    """For each threshold t, in nats, P(L > t), Q(L > t) and H_{e^t} of the released transcript, from n plain paths.

    Paths are drawn from P alone: Q(L > t) = E_P[e^{-L}; L > t], whose values lie in [0, e^{-t}]. Each of the three
    intervals of a threshold has an equal share of the failure probability. direction "QP" swaps P and Q. thresholds
    must be chosen before the paths are drawn. The other keywords are the fields of `Play`.
    Raises ValueError for no thresholds. Source: Dong, Roth and Su, JRSS B 84 (2022), Section 2; riskcal's alpha, beta.
    """
    levels = grid_of("thresholds", thresholds)
    failure = stated_failure(confidence, failure)
    play = Play(n=n, **how)
    parts = tuple(part for t in levels for part in (_Accused(t), _FalselyAccused(t), HockeyStick(t)))
    joint = JointFunctional(parts)
    tally = play.sums(play.game(filt, adversary), joint)
    each = failure / len(parts)
    means = [
        replace(mean.at_most_one, method=f"plain, {mean.method}")
        for mean in (
            kl_chernoff(part.moments(own), failure=each)
            for part, own in zip(parts, joint.tallies(tally), strict=True)
        )
    ]
    found = (ThresholdTest(t, *means[3 * k : 3 * k + 3]) for k, t in enumerate(levels))
    return ThresholdTests(tuple(found), failure)
