"""Shares of a budget: each mechanism of a menu has a number of units, and the units sum to no more than a limit.

>>> from theory.pairs import Gaussian, Laplace
>>> session = ShareFilter((Gaussian(0.1), Gaussian(0.2)), (1, 4), 6).open("retry")
>>> [session.request(pair) for pair in (Gaussian(0.2), Gaussian(0.2), Gaussian(0.1), Laplace(9.0))]
[True, False, True, False]
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from filters.accounting.amounts import Charge, Mixed, Plain
from filters.accounting.ledger import Budget
from filters.contract.holds import Holds
from filters.privacy_filter import PrivacyFilter
from filters.rules.additive import AdditiveFilter
from filters.rules.menu import checked_menu
from theory.arguments import check_count
from theory.guarantees import ApproxDP, Guarantee
from theory.pairs import DominatingPair

__all__ = ["ShareFilter"]


@dataclass(frozen=True, slots=True, repr=False)
class ShareFilter(AdditiveFilter):
    """CONT while sum_t units(m_t) <= most, m_t the t-th mechanism, one of `menu`; whatever else is asked for is denied.

    menu: pairs of shape (); units: a whole number above zero for each; most: a whole number. It promises nothing by
    itself: what it keeps is the value of its game, `fp.worst_case`, and `fp.calibrated_clock` finds the `most` that
    keeps (epsilon, delta). Raises ValueError for other numbers.
    """

    menu: tuple[DominatingPair, ...]
    units: tuple[int, ...]
    most: int
    promise: Guarantee = field(default=ApproxDP(0.0, 1.0), init=False, repr=False, compare=False)
    proof: ClassVar[str] = "none: every rule is (0, 1)-DP"

    __repr__ = PrivacyFilter.__repr__  # of every field, the menu by its digest

    def __post_init__(self) -> None:
        object.__setattr__(self, "menu", checked_menu(self.menu))
        units = tuple(check_count("units", unit) for unit in self.units)
        if len(units) != len(self.menu):
            raise ValueError(
                f"units must hold a number for each of the menu, got {len(units)} for {len(self.menu)}; "
                "match them"
            )
        object.__setattr__(self, "units", units)
        object.__setattr__(self, "most", check_count("most", self.most))

    @property
    def budget(self) -> Budget:  # type: ignore[override]
        """The limit of the sum."""
        return Budget.of(float(self.most))

    @property
    def holds(self) -> Holds | None:
        return None

    def charge(self, request: DominatingPair) -> Charge:
        """The units of the member that is asked for, inf for what is none."""
        if (index := request.choice) is not None:
            return Mixed(tuple(map(self.charge, request.members)), index)
        cost = np.full(request.shape, math.inf)
        for pair, unit in zip(self.menu, self.units, strict=True):
            cost = np.where(pair.alike(request), float(unit), cost)
        return Plain(cost if request.shape else float(cost))
