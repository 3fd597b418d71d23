"""Sequential tests of a promise: is H_{e^epsilon} of the released transcript above or below delta?

>>> import filterproof as fp
>>> fp.decide(fp.GaussianFilter(mu=1.0), fp.OneShot(), epsilon=1.0, delta=0.5, most=1000).side.name
'BELOW'
>>> half = fp.Constant(fp.Gaussian(0.5))
>>> fp.decide_profile(fp.GaussianFilter(mu=1.0), half, epsilons=(0.0, 1.0), rounds=2, most=50_000).side.name
'BELOW'
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from filters import PrivacyFilter
from filters.contract.parameters import one_epsilon
from mc.engine.adversary import Adversary
from mc.engine.game import Game
from mc.engine.guard import Exceeded
from mc.engine.paths import Paths
from mc.engine.streams import TILE
from mc.estimate.ceiling import certain
from mc.estimate.estimator import Term, tilted
from mc.estimate.functionals import ROUNDING, JointFunctional
from mc.estimate.simulate import grid_of
from mc.intervals.anytime import BettingTest, Decision, Side, Wealth, log_mean_exp
from mc.intervals.estimate import PLAIN_DRAWS
from mc.runs.play import Play, PlayOptions
from theory.arguments import check_count, check_delta, check_probability
from theory.numerics.decimals import chance
from theory.shown import Row, Shown

#: Tiles played before the first look, and the most between two looks; their number doubles from look to look.
_FIRST, _MOST = 4, 256
#: A loss above epsilon by no more than this, relative to 1 + |epsilon|, may exceed epsilon by rounding alone.
_NEAR = 2.0**-40
#: The least threshold, relative to the largest value: a smaller delta is tested as this threshold.
_LEAST = 1e-29


@dataclass(frozen=True, slots=True)
class _Stake:
    """The log-capital that a tile's values (1 - e^{epsilon - loss})_+ e^{log_weight} win in a betting test.

    First come the bets on a mean above the threshold, then those on a mean below. A loss that may exceed epsilon by
    rounding alone has value 0 for the former and its computed value for the latter: either way against the bet.
    """

    test: BettingTest
    epsilon: float

    @property
    def numbers(self) -> int:
        """The number of bets."""
        return self.test.bets

    def __call__(self, paths: Paths) -> NDArray[np.float64]:
        near = _NEAR * (1 + abs(self.epsilon))
        sure, seen = (self._wealth(paths, self.epsilon + margin) for margin in (near, 0.0))
        return np.array([*sure.above, *seen.below])

    def _wealth(self, paths: Paths, least: float) -> Wealth:
        """The wealth if losses up to `least` have value 0."""
        hits = np.flatnonzero(paths.loss > least)
        y = -np.expm1(self.epsilon - paths.loss[hits])
        y *= np.exp(paths.log_weight[hits])
        if y.size and y.max() > self.test.upper * (1 + ROUNDING):
            raise Exceeded(f"a path's value is {y.max() / self.test.upper:.9g} times the bound on it")
        return self.test.wealth(np.minimum(y, self.test.upper), zeros=len(paths.loss) - y.size)

    def wealth(self, n: int, row: NDArray[np.float64]) -> Wealth:
        """The wealth on n paths, from their row of sums."""
        bets = self.test.bets_above
        return Wealth(n, tuple(row[:bets].tolist()), tuple(row[bets:].tolist()))


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
            f"failure {chance(self.failure)} at any stopping time; rests on {self.rests_on})"
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
    def of(
        cls, epsilons: Sequence[float], deltas: Sequence[float], failure: float, *, upper: float = 1.0
    ) -> ProfileTest:
        """The test of H_{e^epsilon} against delta at each epsilon, for values in [0, upper]."""
        tests = (BettingTest(max(delta, _LEAST * upper), upper, failure) for delta in deltas)
        return cls(tuple(epsilons), tuple(tests))

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


def decide(
    filt: PrivacyFilter,
    adversary: Adversary,
    *,
    epsilon: float,
    delta: float | None = None,
    failure: float = 1e-6,
    most: int = 10_000_000,
    **how: Unpack[PlayOptions],
) -> Decision:
    """Whether H_{e^epsilon} of the released transcript lies above or below delta, from as few paths as possible.

    delta is that of the filter's promise unless given; one below 1e-29 times the largest value is tested as that much.
    Play ends at the first tile after which the betting test decides, or after `most` paths; the decision is wrong
    with probability at most `failure`. Paths are tilted where something other than the filter's own statement bounds
    their weights below 1 (see ceiling.py), plain otherwise. A guard would not help: the paths that it stops would have
    to be drawn plainly again. The decision says what it rests on, and is the same wherever paths are played.
    The other keywords are the fields of `Play`.
    """
    epsilon = one_epsilon("epsilon", epsilon)
    play = Play(n=check_count("most", most), **how)
    game = play.game(filt, adversary)
    delta = float(check_probability("delta", filt.promise.delta(epsilon) if delta is None else delta))
    failure = float(check_delta("failure", failure))
    if delta == 1:
        return Decision(Side.UNDECIDED, delta, 0.0, 0.0, failure, 0, "nothing being above 1")

    def decided(game: Game, upper: float, rests_on: str) -> Decision:
        test = ProfileTest.of((epsilon,), (delta,), failure, upper=upper)
        return replace(_decided(play, game, test, rests_on).at[0], rests_on=rests_on)

    exceeded = ""
    try:
        for term in _tilted(game, play.n, epsilon):
            # a weight bound below delta decides already, but the test needs an upper bound above its threshold
            upper = max(math.exp(term.functionals[0].log_range), delta * (1 + 2.0**-10))
            if upper < 1:
                return decided(term.game, upper, term.rests_on)
    except Exceeded as error:
        exceeded = f", for {error}"
    return decided(game, 1.0, PLAIN_DRAWS + exceeded)


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
    play = Play(n=check_count("most", most), **how)
    game = play.game(filt, adversary)
    points = tuple(one_epsilon("epsilons", epsilon) for epsilon in grid_of("epsilons", epsilons))
    deltas = [float(filt.promise.delta(epsilon)) for epsilon in points]
    for epsilon, delta in zip(points, deltas, strict=True):
        if not delta < 1:
            raise ValueError(
                f"epsilons must be such that delta < 1 is promised, got epsilon={epsilon!r}; leave it out"
            )
    failure = float(check_delta("failure", failure))
    return _decided(play, game, ProfileTest.of(points, deltas, failure), PLAIN_DRAWS)


def _decided(play: Play, game: Game, test: ProfileTest, rests_on: str) -> ProfileDecision:
    """The decision at the first tile after which there is one, or after `play.n` paths; played a look at a time."""
    stakes = JointFunctional(tuple(map(_Stake, test.tests, test.epsilons)))
    tiles: list[tuple[Wealth, ...]] = []
    first, look = 0, _FIRST
    while True:
        tally = play.sums(game, stakes, n=min(look * TILE, play.n - first * TILE), first=first)
        for size, row in zip(tally.sizes, tally.rows, strict=True):
            parts = zip(stakes.parts, stakes.split(row), strict=True)
            tiles.append(tuple(stake.wealth(int(size), own) for stake, own in parts))
            decision = test.decision([Wealth.merge(column) for column in zip(*tiles, strict=True)])
            if decision.side is not Side.UNDECIDED or decision.n >= play.n:
                return replace(decision, rests_on=rests_on)
        first, look = first + look, min(2 * look, _MOST)


def _tilted(game: Game, most: int, epsilon: float) -> Iterator[Term]:
    """The paths drawn at the order of the least weight bound, where it is certain and within the doubles."""
    ceiling = certain(game, most)
    # where infinite losses are weighed, H is a sum of two means, and there is no one mean to bet on
    if ceiling is not None and ceiling.infinite == 0:
        yield from (term for _, (term,) in tilted(game, ceiling, (epsilon,), "trust"))
