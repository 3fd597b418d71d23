"""What the page of a filter in the report shows: its rule in a formula and in words, and the game that is solved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from theory.log_ratio import LogRatio
from theory.pairs import DominatingPair

__all__ = ["FilterPage"]


@dataclass(frozen=True, slots=True)
class FilterPage:
    """What a filter's page is made from.

    rule is the condition on which the filter goes on, as LaTeX, and words say it in a sentence. The game is over
    `menu` in `direction`, for at most `rounds` rounds (None: until the filter ends it). It is solved at `epsilon`, in
    nats, and drawn at `epsilons`; the strategy that wins at epsilon is simulated at `simulated`. `typed` is Python
    that makes `filt` and `menu`, for a reader to try. `explained` names a figure of `reports.figures` to show.
    """

    rule: str
    words: str
    menu: tuple[DominatingPair, ...]
    epsilon: float | LogRatio
    epsilons: tuple[float, ...]
    simulated: tuple[float, ...]
    typed: str
    rounds: int | None = None
    direction: Literal["both", "PQ", "QP"] = "both"
    explained: str = ""
