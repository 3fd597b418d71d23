"""Sequential tests: does the hockey-stick divergence of the released transcript exceed delta?

>>> import filterproof as fp
>>> fp.sequential_test(fp.GaussianFilter(mu=1.0), fp.OneShot(), epsilon=1.0, delta=0.5, most=1000).side.name
'BELOW'
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from filterproof.filters import PrivacyFilter
from filterproof.filters.contract.parameters import one_epsilon
from filterproof.mc.engine.adversary import Adversary
from filterproof.mc.engine.budget_monitor import BoundExceeded
from filterproof.mc.engine.finished_runs import FinishedRuns
from filterproof.mc.engine.game import Game
from filterproof.mc.engine.streams import BATCH_SIZE
from filterproof.mc.estimate.estimator import tilted_terms
from filterproof.mc.estimate.functionals import ROUNDING
from filterproof.mc.estimate.path_bound import proven_bounds
from filterproof.mc.intervals.anytime import BettingTest, Decision, LogCapital, ThresholdSide
from filterproof.mc.intervals.estimate import PLAIN_DRAWS
from filterproof.mc.runs.play import PlayOptions, SimulationSettings
from filterproof.theory.argument_checks import check_count, check_delta, check_probability

#: Batches before the first look, and the most between two looks; their number doubles from look to look.
_MIN_LOOK, _MAX_LOOK = 4, 256
#: A loss above epsilon by no more than this, relative to 1 + |epsilon|, may exceed epsilon by rounding alone.
_ROUNDING = 2.0**-40
#: The smallest threshold, relative to the largest value: a smaller delta is tested as this threshold.
_MIN_THRESHOLD = 1e-29


@dataclass(frozen=True, slots=True)
class _BettingCapital:
    """The log-capital that a batch's values (1 - e^{epsilon - loss})_+ e^{log_weight} win in a betting test.

    The bets on a mean above the threshold come first, then those on a mean below. A loss that may exceed epsilon by
    rounding alone has value 0 for the former and its computed value for the latter, in both cases against the bet.
    """

    test: BettingTest
    epsilon: float

    def __call__(self, paths: FinishedRuns) -> NDArray[np.float64]:
        near = _ROUNDING * (1 + abs(self.epsilon))
        sure, seen = (self._wealth_with_zeros_up_to(paths, self.epsilon + margin) for margin in (near, 0.0))
        return np.array([*sure.above, *seen.below])

    def _wealth_with_zeros_up_to(self, paths: FinishedRuns, least: float) -> LogCapital:
        """Return a batch's log-capital if losses up to `least` have value 0."""
        hits = np.flatnonzero(paths.loss > least)
        y = -np.expm1(self.epsilon - paths.loss[hits])
        y *= np.exp(paths.log_weight[hits])
        if y.size and y.max() > self.test.upper * (1 + ROUNDING):
            raise BoundExceeded(f"a run's value is {y.max() / self.test.upper:.9g} times its bound")
        return self.test.wealth(np.minimum(y, self.test.upper), zeros=len(paths.loss) - y.size)

    def wealth_from_sums(self, n: int, row: NDArray[np.float64]) -> LogCapital:
        """Return the log-capital on the n paths of a batch, from its row of sums."""
        bets = self.test.number_of_bets_above
        return LogCapital(n, tuple(row[:bets].tolist()), tuple(row[bets:].tolist()))


def sequential_test(
    filt: PrivacyFilter,
    adversary: Adversary,
    *,
    epsilon: float,
    delta: float | None = None,
    failure: float = 1e-6,
    most: int = 10_000_000,
    **how: Unpack[PlayOptions],
) -> Decision:
    """Test sequentially whether the divergence of the released transcript exceeds delta.

    The test compares H_{e^epsilon}(P || Q) with delta and stops at the first batch of runs that decides.

    Parameters
    ----------
    filt : PrivacyFilter
        The filter. The simulation runs its own code.
    adversary : Adversary
        The strategy that makes the requests.
    epsilon : float
        In nats, >= 0.
    delta : float, optional
        The threshold, in [0, 1]. By default it is the delta of the filter's guarantee at epsilon.
    failure : float, default 1e-6
        Probability of a wrong decision, in (0, 1), valid at every stopping time.
    most : int, default 10,000,000
        Largest number of runs. After it the decision is UNDECIDED.
    **how
        Fields of `fp.runs.SimulationSettings`: seed, rounds, direction, on_denial, workers, executor, store.

    Returns
    -------
    Decision
        Its `rests_on` names the assumptions. The decision does not depend on workers, executor or store.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    Runs are tilted where a bound on their weights below 1 is known without the filter's own statement, and plain
    otherwise. A delta below 1e-29 times the largest value is tested as that number. See `BettingTest` for the test.
    """
    epsilon = one_epsilon("epsilon", epsilon)
    play = SimulationSettings(n=check_count("most", most), **how)
    game = play.game(filt, adversary)
    delta = float(check_probability("delta", filt.promise.delta(epsilon) if delta is None else delta))
    failure = float(check_delta("failure", failure))
    if delta == 1:
        return Decision(ThresholdSide.UNDECIDED, delta, 0.0, 0.0, failure, 0, "nothing being above 1")

    def decide_for_game(game: Game, upper: float, rests_on: str) -> Decision:
        """Return the decision after the first batch that allows one, or after `most` paths."""
        stake = _BettingCapital(BettingTest(max(delta, _MIN_THRESHOLD * upper), upper, failure), epsilon)
        batches: list[LogCapital] = []
        first, look = 0, _MIN_LOOK
        while True:
            batch_sums = play.sums(
                game, stake, n=min(look * BATCH_SIZE, play.n - first * BATCH_SIZE), first=first
            )
            for size, row in zip(batch_sums.sizes, batch_sums.rows, strict=True):
                batches.append(stake.wealth_from_sums(int(size), row))
                decision = stake.test.decision(LogCapital.merge(batches))
                if decision.side is not ThresholdSide.UNDECIDED or decision.n >= play.n:
                    return replace(decision, rests_on=rests_on)
            first, look = first + look, min(2 * look, _MAX_LOOK)

    path_bound, exceeded = proven_bounds(game, play.n), ""
    # if infinite losses are weighed, H is a sum of two means, and there is no single mean to bet on
    ways = (
        tilted_terms(game, path_bound, (epsilon,), "assert") if path_bound and not path_bound.infinite else ()
    )
    try:
        for _, (term,) in ways:
            # a weight bound below delta decides already, but the test needs an upper bound above its threshold
            upper = max(math.exp(term.functionals[0].log_range), delta * (1 + 2.0**-10))
            if upper < 1:
                return decide_for_game(term.game, upper, term.rests_on)
    except BoundExceeded as error:
        exceeded = f", for {error}"
    return decide_for_game(game, 1.0, PLAIN_DRAWS + exceeded)
