"""A clock: each mechanism of a menu takes its share of a budget, and the certified game says how large the budget is.

>>> import filterproof as fp
>>> clock = fp.calibrated_clock(1.0, 0.05, [fp.Gaussian(0.2), fp.Gaussian(0.4)])
>>> clock.inner.units, clock.inner.most, clock.certificate.high <= 0.05
((1, 4), 14, True)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar

import numpy as np

from filters.accounting.amounts import Charge, Mixed, Plain
from filters.accounting.ledger import Budget
from filters.contract.holds import Holds
from filters.contract.parameters import one_delta, one_positive
from filters.privacy_filter import PrivacyFilter
from filters.rules.additive import AdditiveFilter
from filters.rules.menu import checked_menu
from filters.rules.potential_design import potential_clock
from mc.worst_case.calibrate import CalibratedFilter, calibrate
from theory.arguments import check_count
from theory.guarantees import ApproxDP, Guarantee
from theory.pairs import DominatingPair

#: By how much a share is rounded at most, of itself; a budget by a quarter of that.
_CLOSE = 1 / 64


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


def calibrated_clock(
    epsilon: float,
    delta: float,
    menu: Sequence[DominatingPair],
    *,
    levels: int = 800,
    max_positions: int | None = None,
) -> CalibratedFilter:
    """The filter that charges each member of `menu` a share of the budget, the largest that keeps (epsilon, delta)-DP.

        >>> import filterproof as fp
        >>> session = fp.calibrated_clock(1.0, 0.05, [fp.Gaussian(0.2), fp.Gaussian(0.4)]).open()
        >>> [session.request(fp.Gaussian(0.35)) for _ in range(4)]  # as the next member that dominates it: 4 of 14
        [True, True, True, False]

    A share is a whole number of units, about in proportion to what `PotentialFilter` charges for the member. It may
    be any number: the worst case over every adaptive adversary on the menu is solved, in both directions, and the
    budget is the largest number of units found at which the result's `certificate` stays below delta. What a member
    dominates is charged as the cheapest such member, all else is denied: see `CalibratedFilter` and `scope`.
    The game has a state for each unit of the budget. The least share is one unit, or as many, while the budget has no
    more than `levels`, as round no other share by more than 1/64 of it. So it is solved in seconds for members of which
    hundreds of rounds fit, in minutes for a thousand, and for 10^5 `PotentialFilter` is the filter to take.
    Raises ValueError where epsilon, delta or the menu are out of range, or the game has more than `max_positions`.
    """
    epsilon, delta = one_positive("epsilon", epsilon), one_delta("delta", delta)
    members, levels = checked_menu(menu), check_count("levels", levels)
    clock = potential_clock(epsilon, delta, members)
    charges = [int(clock.charges(pair)[-1]) for pair in members]
    shares = [charge / min(charges) for charge in charges]

    def error(fine: int) -> float:
        return max(abs(round(fine * share) / (fine * share) - 1) for share in shares)

    fine = min(
        range(1, max(1, levels * min(charges) // clock.budget) + 1), key=lambda k: (max(error(k), _CLOSE), k)
    )
    units = tuple(round(fine * share) for share in shares)

    @lru_cache(maxsize=1)
    def limited(most: int) -> ShareFilter:
        return ShareFilter(members, units, most)

    near = max(units) + fine * clock.budget // min(charges)
    return calibrate(
        lambda most: limited(max(int(most), 1)),
        epsilon,
        delta,
        menu=members,
        relative=max(1 / near, _CLOSE / 4),
        near=float(near),
        max_positions=max_positions,
    )
