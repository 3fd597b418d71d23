"""The survival curve t -> P(T >= t), where T is the number of outputs that a filter releases to an adversary.

>>> import filterproof as fp
>>> curve = fp.release_survival(fp.GaussianFilter(mu=1.0), fp.Constant(0.5), n=1000, rounds=6)
>>> curve[4].value, curve[5].value
(1.0, 0.0)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.engine.adversary import Adversary
from filterproof.mc.engine.finished_runs import FinishedRuns
from filterproof.mc.intervals import clopper_pearson
from filterproof.mc.intervals.estimate import FAILURE, Estimate
from filterproof.mc.runs.play import PlayOptions, SimulationSettings
from filterproof.theory.argument_checks import check_delta
from filterproof.theory.display import Plottable, Row, row_of

#: The most rounds that are counted one by one.
_MAX_ROUNDS = 10**6


@dataclass(frozen=True, slots=True, repr=False)
class SurvivalCurve(Plottable):
    """Estimates of P(T >= t) for t = 1, 2, ..., where T is the number of released outputs.

    `curve[t]` is the estimate for t.

    Parameters
    ----------
    at : tuple of Estimate
        The estimate for t = 1, 2, ...
    failure : float
        Probability that any of the intervals misses.
    """

    at: tuple[Estimate, ...]
    failure: float

    def __getitem__(self, t: int) -> Estimate:
        if not 1 <= t <= len(self.at):
            raise IndexError(f"t must be in 1..{len(self.at)}, got t={t}; play more rounds")
        return self.at[t - 1]

    def rows(self) -> list[Row]:
        """Return a row for each t; `joint_failure` is the probability that any interval misses."""
        return [
            {"t": t, **row_of(estimate), "joint_failure": self.failure}
            for t, estimate in enumerate(self.at, 1)
        ]


@dataclass(frozen=True, slots=True)
class SurvivorCounts:
    """Counts of paths with T >= t for t = 1..rounds, T the number of releases; shape (rounds,)."""

    rounds: int

    def __post_init__(self) -> None:
        if self.rounds > _MAX_ROUNDS:
            raise ValueError(f"rounds must be at most {_MAX_ROUNDS:,}, got rounds={self.rounds}; pass fewer")

    def __call__(self, paths: FinishedRuns) -> NDArray[np.float64]:
        stopped_at = np.bincount(paths.releases, minlength=self.rounds + 1)
        return stopped_at[::-1].cumsum()[::-1][1:].astype(np.float64)


def release_survival(
    filt: PrivacyFilter,
    adversary: Adversary,
    *,
    n: int = 100_000,
    failure: float = FAILURE,
    **how: Unpack[PlayOptions],
) -> SurvivalCurve:
    """Estimate the probability that a filter releases at least t outputs, for t = 1..rounds.

    T counts the outputs that are released before the first denial or the last round.

    Parameters
    ----------
    filt : PrivacyFilter
        The filter. The simulation runs its own code.
    adversary : Adversary
        The strategy that makes the requests.
    n : int, default 100,000
        Number of simulated runs.
    failure : float, default 1e-6
        Probability that any interval misses, in (0, 1).
    **how
        Fields of `fp.runs.SimulationSettings`; `rounds` is required and at most 10^6.

    Returns
    -------
    SurvivalCurve
        A Clopper-Pearson interval for each t. Each takes an equal share of the failure probability.

    Raises
    ------
    TypeError
        If `rounds` is missing.
    ValueError
        If an argument is out of range.
    """
    if "rounds" not in how:
        raise TypeError("rounds is missing; pass the largest t of the curve")
    play = SimulationSettings(n=n, **how)
    failure = float(check_delta("failure", failure))
    game = play.game(filt, adversary)
    counts = play.sums(game, SurvivorCounts(game.rounds)).sums
    each = failure / len(counts)
    return SurvivalCurve(tuple(clopper_pearson(int(c), play.n, failure=each) for c in counts), failure)
