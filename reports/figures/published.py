"""The published filters for (epsilon, delta)-DP that figures compare, and how each looks in all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from filters import ApproximateDPFilter, BasicFilter, PrivacyFilter, RogersFilter, WhitehouseFilter
from mc.worst_case.calibrated import calibrated
from theory.conversions import CKS, SIMPLE

__all__ = ["PUBLISHED", "Compared"]


@dataclass(frozen=True, slots=True)
class Compared:
    """A line of a comparison: its label, the filter of (epsilon, delta) if it is that of one, and its looks."""

    label: str
    k: int
    dash: int
    marker: str
    size: float = 5
    made: Callable[[float, float], PrivacyFilter] | None = None

    @property
    def style(self) -> dict[str, Any]:
        """What `line` is given; a large marker is hollow, since it lies around a smaller one."""
        hollow = "none" if self.size > 7 else None
        return {"k": self.k, "dash": self.dash, "marker": self.marker, "ms": self.size, "mfc": hollow}

    def at(self, epsilon: float, delta: float) -> PrivacyFilter:
        """The filter with that promise."""
        assert self.made is not None
        return self.made(epsilon, delta)


#: column -> filter, from those that allow most to those that allow least.
PUBLISHED: Mapping[str, Compared] = {
    "calibrated": Compared("calibrated, from the table", 2, 5, "D", made=calibrated),
    "cks": Compared("B*, CKS", 1, 0, "s", 4, partial(ApproximateDPFilter, conversion=CKS)),
    "simple": Compared("B*, simple (000)", 0, 0, "o", 4, partial(ApproximateDPFilter, conversion=SIMPLE)),
    "whitehouse": Compared(
        "Whitehouse et al.", 5, 1, "o", 8, lambda epsilon, delta: WhitehouseFilter(epsilon, delta, tail=delta)
    ),
    "rogers": Compared("Rogers et al.", 3, 3, "v", made=RogersFilter),
    "basic": Compared("basic", 4, 4, "^", made=BasicFilter),
}
