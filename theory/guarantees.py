"""What a filter can promise."""

from __future__ import annotations

from abc import ABC, abstractmethod

from theory.arguments import Real

__all__ = ["Guarantee"]


class Guarantee(ABC):
    """A promise about the law of the released transcript on neighbouring data sets, in both directions.

    Subclasses are frozen slotted dataclasses; `str()` is the short name used in tables.
    """

    __slots__ = ()

    @abstractmethod
    def delta(self, epsilon: Real) -> Real:
        """An upper bound on H_{e^eps} in both directions for everything with this guarantee, eps >= 0."""
