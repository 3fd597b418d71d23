"""The result of a solved game: bounds on the worst-case divergence, and the scope that they hold for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from filterproof.mc.engine.adversary import Adversary
from filterproof.mc.evaluate.evaluation import Evaluation
from filterproof.mc.losses.log_ratio import Epsilon
from filterproof.theory.evidence import Evidence

#: The end of the scope of a game in which the filter admits no request.
NOTHING_ADMITTED = "the filter admits none of these at its start, so nothing was tried"


class Certificate(Protocol):
    """What is claimed of a worst case: it lies in [low, high], and the longest play has `rounds` rounds."""

    @property
    def epsilon(self) -> Epsilon: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...
    @property
    def rounds(self) -> int: ...
    @property
    def evidence(self) -> Evidence: ...
    @property
    def tried(self) -> bool: ...


@dataclass(frozen=True, slots=True, repr=False)
class WorstCase(Evaluation):
    """sup H_{e^epsilon} of the released transcript over the adversaries of `scope` lies in [low, high].

    value is the supremum itself where it was found in rational arithmetic, else None. direction is where it
    is attained: outputs drawn from P ("PQ") or from Q ("QP"). strategy attains it (at least `low`, where
    value is None) and plays like any adversary. rounds is the longest play; positions counts the pairs of a
    filter state and a loss that were solved, per round where rounds are limited. Where rounds is 0 the filter
    admits nothing of the menu: no request was tried, and the bounds are those of doing nothing.
    """

    strategy: Adversary = field(repr=False)

    @property
    def tried(self) -> bool:
        """Whether the filter admits anything of the menu; if not, the bounds say nothing about it."""
        return self.rounds > 0
