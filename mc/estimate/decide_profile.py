"""A sequential test of a promised curve: is some H_{e^epsilon} of the released transcript above its delta?

>>> import filterproof as fp
>>> half = fp.Constant(fp.Gaussian(0.5))
>>> fp.decide_profile(fp.GaussianFilter(mu=1.0), half, epsilons=(0.0, 1.0), rounds=2, most=50_000).side.name
'BELOW'
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Unpack

from filters import PrivacyFilter
from filters.contract.checks import checked_filter
from filters.contract.parameters import one_epsilon
from mc.engine.adversary import Adversary
from mc.estimate.decide import LEAST, Stake, looks
from mc.estimate.functionals import JointFunctional, grid_of
from mc.intervals.anytime import BettingTest, Decision, Side, Wealth, log_mean_exp
from mc.intervals.estimate import PLAIN_DRAWS
from mc.runs.play import Play, PlayOptions
from theory.arguments import check_count, check_delta
from theory.shown import Row, Shown

__all__ = ["ProfileDecision", "ProfileTest", "decide_profile"]


@dataclass(frozen=True, slots=True, repr=False)
class ProfileDecision(Shown):
    """Whether a promised curve holds at these epsilons: wrong with probability at most `failure`, at any stopping time.

    ABOVE: at some epsilon H is above its delta, which one is not said; BELOW: at each it is below. log_e_above is the
    log of an e-value against "every H <= delta"; at holds the evidence of each epsilon alone.
    """

    side: Side
    epsilons: tuple[float, ...]
    at: tuple[Decision, ...]
    log_e_above: float
    failure: float
    n: int
    rests_on: str = PLAIN_DRAWS

    def __str__(self) -> str:
        said = {
            Side.ABOVE: "some H_{e^epsilon} is above its delta",
            Side.BELOW: "every H_{e^epsilon} is below its delta",
            Side.UNDECIDED: "the samples so far do not tell the curve from its deltas",
        }
        points = ", ".join(f"{epsilon:g}" for epsilon in self.epsilons)
        return (
            f"{said[self.side]}, at epsilon {points} (n={self.n:,}, log e-value {self.log_e_above:.3g} above, "
            f"failure {self.failure:.2g} at any stopping time; rests on {self.rests_on})"
        )

    def rows(self) -> list[Row]:
        """A row for each epsilon: the delta that is promised there, and the log e-value against it alone, `log_e`."""
        return [
            {
                "epsilon": epsilon,
                "delta": part.threshold,
                "log_e": part.log_e_above,
                "log_e_above": self.log_e_above,
                "side": self.side.name,
                "n": self.n,
                "failure": self.failure,
            }
            for epsilon, part in zip(self.epsilons, self.at, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class ProfileTest:
    """The tests of a curve's points on the same samples, as one.

    Where every mean is at most its threshold, the mean of the E_above is a non-negative supermartingale that starts at
    1, so that it ever reaches 2/failure with probability at most failure/2. Where some mean is not below, its own
    E_below is one: that all reach 2/failure has probability at most failure/2, whatever their number.
    """

    epsilons: tuple[float, ...]
    tests: tuple[BettingTest, ...]

    @classmethod
    def of(cls, epsilons: Sequence[float], deltas: Sequence[float], failure: float) -> ProfileTest:
        """The test of H_{e^epsilon} against delta at each epsilon, for values in [0, 1]."""
        return cls(tuple(epsilons), tuple(BettingTest(max(delta, LEAST), 1.0, failure) for delta in deltas))

    def decision(self, wealths: Sequence[Wealth]) -> ProfileDecision:
        """The decision on the wealth that each point's test has."""
        points = tuple(test.decision(wealth) for test, wealth in zip(self.tests, wealths, strict=True))
        failure, n = points[0].failure, points[0].n
        above = log_mean_exp(tuple(point.log_e_above for point in points))
        side = Side.UNDECIDED
        if above >= self.tests[0].wanted(n):
            side = Side.ABOVE
        elif all(point.log_e_below >= self.tests[0].wanted(n) for point in points):
            side = Side.BELOW
        return ProfileDecision(side, self.epsilons, points, above, failure, n)


def decide_profile(
    filt: PrivacyFilter,
    adversary: Adversary,
    *,
    epsilons: Sequence[float],
    failure: float = 1e-6,
    most: int = 10_000_000,
    **how: Unpack[PlayOptions],
) -> ProfileDecision:
    """Whether the released transcript keeps the promised delta at all of these epsilons, from few paths.

    One play serves all epsilons, and one that breaks the promise is enough: nobody need know which before. Paths are
    plain, so that a delta far below 1/most is seen by `decide` alone, which tilts. Play ends at the first tile after
    which the test decides, or after `most` paths; the decision is wrong with probability at most `failure`.
    epsilons, in nats, must be chosen before the paths are drawn; those at which the promise says nothing are refused.
    The other keywords are the fields of `Play`. Raises ValueError for no epsilon.
    Source: averages of e-values, Vovk and Wang, Ann. Statist. 49 (2021); `BettingTest`.
    """
    checked_filter(filt)
    points = tuple(one_epsilon("epsilons", epsilon) for epsilon in grid_of("epsilons", epsilons))
    deltas = [float(filt.promise.delta(epsilon)) for epsilon in points]
    for epsilon, delta in zip(points, deltas, strict=True):
        if not delta < 1:
            raise ValueError(
                f"epsilons must be such that delta < 1 is promised, got epsilon={epsilon!r}; leave it out"
            )
    failure = float(check_delta("failure", failure))
    play = Play(n=check_count("most", most), **how)
    test = ProfileTest.of(points, deltas, failure)
    stakes = JointFunctional(tuple(map(Stake, test.tests, points)))
    tiles: list[tuple[Wealth, ...]] = []
    decision = None
    for n, row in looks(play, play.game(filt, adversary), stakes):
        tiles.append(
            tuple(stake.wealth(n, own) for stake, own in zip(stakes.parts, stakes.split(row), strict=True))
        )
        decision = test.decision([Wealth.merge(column) for column in zip(*tiles, strict=True)])
        if decision.side is not Side.UNDECIDED:
            break
    assert decision is not None
    return decision
