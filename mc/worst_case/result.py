"""The result of `worst_case`: bounds on the worst-case divergence, and the class of adversaries that they cover."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from filterproof.mc.engine.adversary import Adversary
from filterproof.mc.evaluate.evaluation import Evaluation
from filterproof.mc.losses.epsilon_values import Epsilon
from filterproof.theory.evidence import Evidence

#: The end of the scope of a game without a granted request.
NOTHING_ADMITTED = "the filter denies all of these at its start, so nothing was tried"


class Certificate(Protocol):
    """Protocol of a certified worst case: bounds [low, high] on it and the length of the longest play."""

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
    def grants_any_request(self) -> bool: ...


@dataclass(frozen=True, slots=True, repr=False)
class WorstCase(Evaluation):
    """Bounds on the largest divergence over all adversaries in a scope.

        low <= sup over the adversaries of `scope` of H_{e^epsilon}(transcript) <= high

    Attributes
    ----------
    epsilon : float or LogRatio
        In nats.
    value : Fraction or None
        The supremum itself if it was computed in rational arithmetic.
    low, high : float
        Bounds on the supremum, every rounding error included.
    evidence : Evidence
        EXACT or CERTIFIED.
    direction : {"PQ", "QP"}
        The direction with the larger divergence: outputs drawn from P or from Q.
    rounds : int
        Number of rounds of the longest play. With 0 the filter grants no request of the menu, and the bounds are those
        of an adversary that asks for nothing.
    positions : int
        Number of solved pairs of filter state and loss.
    scope : str
        The class of adversaries, in words.
    strategy : Adversary
        An adversary whose divergence is the supremum, or at least `low` if `value` is None.
    """

    strategy: Adversary = field(repr=False)

    @property
    def grants_any_request(self) -> bool:
        """Whether the filter grants any request of the menu; if not, the bounds say nothing about it."""
        return self.rounds > 0
