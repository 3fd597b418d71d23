"""How long a filter lets an adversary go on."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass

from filters import PrivacyFilter
from filters.contract.filter_base import OnDenial
from mc.engine.adversary import Adversary
from mc.engine.tiles import Game
from mc.estimate.functionals import Survival
from mc.intervals import clopper_pearson
from mc.intervals.estimate import CONFIDENCE, Estimate, stated_failure
from mc.runs.play import Progress, play
from mc.runs.store import RunStore
from theory.arguments import check_count
from theory.pairs.base import Direction

__all__ = ["SurvivalCurve", "survival"]


@dataclass(frozen=True, slots=True)
class SurvivalCurve:
    """P(T >= t) for t = 1..len(at), T the number of releases; all hold together except with `failure`."""

    at: tuple[Estimate, ...]
    failure: float

    def __getitem__(self, t: int) -> Estimate:
        if not 1 <= t <= len(self.at):
            raise IndexError(f"t must be in 1..{len(self.at)}, got t={t}; play more rounds")
        return self.at[t - 1]


def survival(
    filt: PrivacyFilter,
    adversary: Adversary,
    *,
    rounds: int,
    n: int = 100_000,
    seed: int = 0,
    confidence: float = CONFIDENCE,
    failure: float | None = None,
    direction: Direction = "PQ",
    on_denial: OnDenial = "halt",
    workers: int | None = None,
    executor: Executor | None = None,
    store: RunStore | str | os.PathLike[str] | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> SurvivalCurve:
    """P(T >= t), t = 1..rounds, T the number of outputs released before a denial or the end of the rounds.

    Clopper-Pearson intervals that share the failure probability equally, so that they hold together.
    """
    n = check_count("n", n)
    failure = stated_failure(confidence, failure)
    game = Game.between(filt, adversary, rounds=rounds, direction=direction, on_denial=on_denial)
    counts = play(
        game,
        Survival(game.rounds),
        n=n,
        seed=seed,
        workers=workers,
        executor=executor,
        store=store,
        progress=progress,
    ).sums
    each = failure / len(counts)
    return SurvivalCurve(tuple(clopper_pearson(int(c), n, failure=each) for c in counts), failure)
