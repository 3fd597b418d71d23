"""A sequential test of a promise: is H_{e^epsilon} of the released transcript above or below delta?

>>> import filterproof as fp
>>> fp.decide(fp.GaussianFilter(mu=1.0), fp.OneShot(), epsilon=1.0, delta=0.5, most=1000).side.name
'BELOW'
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from filters import PrivacyFilter
from filters.contract.checks import checked_filter
from filters.contract.parameters import one_epsilon
from mc.engine.adversary import Adversary
from mc.engine.game import Game
from mc.engine.guard import Exceeded
from mc.engine.paths import Functional, Paths
from mc.engine.streams import TILE
from mc.estimate.ceiling import certain
from mc.estimate.estimator import Term
from mc.estimate.functionals import ROUNDING
from mc.estimate.pilot import estimators
from mc.estimate.ways import Aim
from mc.intervals.anytime import BettingTest, Decision, SequentialRun, Side, Wealth
from mc.intervals.estimate import PLAIN_DRAWS
from mc.runs.play import Play, PlayOptions
from theory.arguments import check_count, check_delta, check_probability

__all__ = ["LEAST", "Stake", "decide", "looks"]

#: Tiles played before the first look, and the most between two looks; their number doubles from look to look.
_FIRST, _MOST = 4, 256
#: A loss above epsilon by no more than this, relative to 1 + |epsilon|, may exceed epsilon by rounding alone.
_NEAR = 2.0**-40
#: The least threshold, relative to the largest value: a smaller delta is tested as this threshold.
LEAST = 1e-29


@dataclass(frozen=True, slots=True)
class Stake:
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
    checked_filter(filt)
    epsilon = one_epsilon("epsilon", epsilon)
    delta = float(check_probability("delta", filt.promise.delta(epsilon) if delta is None else delta))
    failure = float(check_delta("failure", failure))
    most = check_count("most", most)
    play = Play(n=most, **how)
    game = play.game(filt, adversary)
    if delta == 1:
        return Decision(Side.UNDECIDED, delta, 0.0, 0.0, failure, 0, "nothing being above 1")

    def decided(game: Game, upper: float, rests_on: str) -> Decision:
        stake = Stake(BettingTest(max(delta, LEAST * upper), upper, failure), epsilon)
        run = SequentialRun(stake.test, most=most)
        for size, row in looks(play, game, stake):
            run.take(stake.wealth(size, row))
            if run.finished:
                break
        return replace(run.decision, rests_on=rests_on)

    exceeded = ""
    try:
        if (main := _tilted(game, Aim(most, failure, "tilted"), epsilon)) is not None:
            # a weight bound below delta decides already, but the test needs an upper bound above its threshold
            upper = max(math.exp(main.points[0].functional.log_range), delta * (1 + 2.0**-10))
            if upper < 1:
                return decided(main.game, upper, main.rests_on)
    except Exceeded as error:
        exceeded = f", for {error}"
    return decided(game, 1.0, PLAIN_DRAWS + exceeded)


def looks(play: Play, game: Game, stake: Functional) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """The size and the sums of tile after tile in their fixed order, played a look at a time, up to `play.n` paths."""
    first, look = 0, _FIRST
    while first * TILE < play.n:
        tally = play.sums(game, stake, n=min(look * TILE, play.n - first * TILE), first=first)
        for size, row in zip(tally.sizes, tally.rows, strict=True):
            yield int(size), row
        first, look = first + look, min(2 * look, _MOST)


def _tilted(game: Game, aim: Aim, epsilon: float) -> Term | None:
    """The paths drawn at the order of its least weight bound; None where nothing is certain that bounds them."""
    if certain(game, aim.n) is None:
        return None
    try:
        (estimator,) = estimators(game, (epsilon,), aim)
    except ValueError:  # no order has a bound within the doubles
        return None
    # where H is a sum of two means there is no one mean to bet on
    return estimator.terms[0] if len(estimator.terms) == 1 else None
