"""Sequential tests: does the hockey-stick divergence of the released transcript exceed delta?

>>> import filterproof as fp
>>> fp.sequential_test(fp.GaussianFilter(mu=1.0), fp.OneShot(), epsilon=1.0, delta=0.5, most=1000).side.name
'BELOW'
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Unpack

from filterproof.filters import PrivacyFilter
from filterproof.filters.contract.parameters import one_epsilon
from filterproof.mc.engine.adversary import Adversary
from filterproof.mc.engine.streams import BATCH_SIZE
from filterproof.mc.estimate.simulate import simulate
from filterproof.mc.runs.play import PlayOptions
from filterproof.theory.argument_checks import check_count, check_delta, check_probability
from filterproof.theory.display import Displayed
from filterproof.theory.numerics.decimals import format_failure, interval

#: A loss above epsilon by no more than this, relative to 1 + epsilon, may exceed epsilon by rounding alone.
_ROUNDING = 2.0**-40


class ThresholdSide(Enum):
    """The side of the threshold on which the divergence lies: ABOVE, BELOW or UNDECIDED."""

    ABOVE = "the divergence is above"
    BELOW = "the divergence is below"
    UNDECIDED = "the runs so far do not distinguish the divergence from"


@dataclass(frozen=True, slots=True, repr=False)
class Decision(Displayed):
    """The decision of a sequential test; it is wrong with probability at most `failure`.

    Attributes
    ----------
    side : ThresholdSide
        ABOVE, BELOW or UNDECIDED.
    threshold : float
        The number that the divergence is compared with.
    low, high : float
        Bounds on the divergence at the last look.
    failure : float
        Probability of a wrong decision, in (0, 1).
    n : int
        Number of runs of the last look.
    rests_on : str
        What the decision assumes besides the draws.
    """

    side: ThresholdSide
    threshold: float
    low: float
    high: float
    failure: float
    n: int
    rests_on: str

    def __str__(self) -> str:
        return (
            f"{self.side.value} {self.threshold:.6g}: it is in {interval(self.low, self.high)} (n={self.n:,}, failure "
            f"{format_failure(self.failure)} over all looks; rests on {self.rests_on})"
        )


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

    The test compares H_{e^epsilon}(P || Q) with delta and stops at the first look that decides.

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
        Probability of a wrong decision, in (0, 1).
    most : int, default 10,000,000
        Number of runs of the last look, at least 2. After it the decision is UNDECIDED.
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
    Each look is a simulation with twice the runs of the one before. Their number is fixed in advance, and they share
    the failure probability equally (union bound). Losses are rounded sums: ABOVE is decided at an epsilon that is
    larger by the relative 2^-40, so that no decision against a filter is due to rounding alone.
    """
    epsilon = one_epsilon("epsilon", epsilon)
    most = check_count("most", most, least=2)
    delta = float(check_probability("delta", filt.promise.delta(epsilon) if delta is None else delta))
    failure = float(check_delta("failure", failure))
    sizes = [most]
    while sizes[0] > BATCH_SIZE:
        sizes.insert(0, -(-sizes[0] // 2))
    grid = (epsilon, epsilon + _ROUNDING * (1 + epsilon))
    for n in sizes:
        upper, lower = simulate(filt, adversary, epsilon=grid, n=n, failure=failure / len(sizes), **how).at
        above = lower.low > delta
        side = (
            ThresholdSide.ABOVE
            if above
            else ThresholdSide.BELOW
            if upper.high < delta
            else ThresholdSide.UNDECIDED
        )
        if side is not ThresholdSide.UNDECIDED:
            break
    rests_on = (lower if above else upper).rests_on
    return Decision(side, delta, lower.low, upper.high, failure, n, rests_on)
