"""A subject is a filter that the report has a page for: its rule in a formula, and the game that its page solves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from filters.privacy_filter import PrivacyFilter
from mc.losses.log_ratio import Epsilon
from reports.finding import slug
from theory.pairs import DominatingPair

__all__ = ["PageSubject"]


@dataclass(frozen=True, slots=True)
class PageSubject:
    """What a filter's page is made from.

    make builds the filter; rule is the condition on which it goes on, as LaTeX, and words say it in a sentence. The
    game is over `menu` in `direction`, for at most `rounds` rounds (None: until the filter ends it). It is solved at
    `epsilon`, in nats, and drawn at `epsilons`; the strategy that wins at epsilon is simulated at `simulated`. `typed`
    is Python that makes `filt` and `menu`, for a reader to try. `claim` is the key of the claim that decides the
    promise, if it is not that of the filter's examination; `explained` names a figure of `reports.figures` to show.
    """

    name: str
    make: Callable[[], PrivacyFilter]
    rule: str
    words: str
    menu: tuple[DominatingPair, ...]
    epsilon: Epsilon
    epsilons: tuple[float, ...]
    simulated: tuple[float, ...]
    typed: str
    rounds: int | None = None
    direction: Literal["both", "PQ", "QP"] = "both"
    claim: str = ""
    explained: str = ""

    @property
    def key(self) -> str:
        """The anchor of the page."""
        return f"filter-{slug(self.name)}"

    @property
    def decided_by(self) -> str:
        """The key of the claim about the filter's promise."""
        return self.claim or f"examined-{slug(self.name)}"
