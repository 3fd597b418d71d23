"""A number that a paper prints, beside the one computed here.

>>> Printed("steps by GDP at epsilon = 0.8", printed=495, computed=478).difference
-17.0
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Printed"]


@dataclass(frozen=True, slots=True)
class Printed:
    """What a paper prints a number for, the number, and the one computed; `remark` says where they part and why."""

    what: str
    printed: float
    computed: float
    remark: str = ""

    @property
    def difference(self) -> float:
        """computed - printed."""
        return float(self.computed - self.printed)

    def to_data(self) -> dict[str, str | float]:
        """The comparison as JSON-able data."""
        told: dict[str, str | float] = {
            "what": self.what,
            "printed": self.printed,
            "computed": self.computed,
            "difference": self.difference,
        }
        return told | ({"remark": self.remark} if self.remark else {})

    def __str__(self) -> str:
        return f"{self.what}: printed {self.printed:g}, computed {self.computed:.6g}"
