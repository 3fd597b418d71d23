"""The tracker whose blocks have several sizes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.accountants.trackers import MAX_BLOCKS, Tracker, checked_block_count
from filterproof.filters.accounting.charge_kinds import Charge
from filterproof.filters.accounting.charge_rules import renyi_charge
from filterproof.filters.accounting.ledger import Budget
from filterproof.filters.contract.parameters import one_order_from_one, one_positive, store_checked_parameters
from filterproof.theory.guarantees import RenyiDP
from filterproof.theory.pairs import DominatingPair
from filterproof.theory.rounding import away_from_zero

#: (blocks closed so far, high and low of the sum in the open block): arrays of shape (n,).
_State: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class VaryingTracker(Tracker):
    """The tracker of the Rényi divergence of order alpha with blocks of several sizes, in nats.

    Block k has the k-th size, and every block after the last size has that size. The value is the sum of the sizes of
    the opened blocks.

    Parameters
    ----------
    alpha : float, >= 1
        The Rényi order.
    sizes : sequence of float, > 0
        The budgets of the first blocks, in nats, at least one.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    TypeError
        If `sizes` is no sequence.

    Notes
    -----
    Feldman & Zrnic (2021), Section 4.4: "the values can vary". Before the m-th restart, for m fixed in advance, the
    charges are within the sum of m sizes, so that Theorem 4.3 applies with this budget. `size` is the first size.

    Examples
    --------
    >>> import filterproof as fp
    >>> tracker = fp.odometers.VaryingTracker(4.0, [0.5, 0.3])
    >>> state, values = tracker.start(1), []
    >>> for _ in range(4):
    ...     state = tracker.spend(state, fp.Gaussian(mu=0.35))
    ...     values.append(float(tracker.value(state)[0]))
    >>> values
    [0.5, 0.5, 0.8, 1.1]
    """

    alpha: float
    sizes: Sequence[float]
    size = cached_property(lambda self: self.sizes[0])
    _budget = cached_property(lambda self: self._budgets[0])
    _budgets = cached_property(lambda self: tuple(map(Budget.of, self.sizes)))
    theorem: ClassVar[str] = "RDP filter"
    proof: ClassVar[str] = "Feldman & Zrnic (2021), Section 4.4: Theorem 4.3 with the sum of the sizes"

    def __post_init__(self) -> None:
        given: object = self.sizes
        if isinstance(given, str) or not isinstance(given, Sequence | np.ndarray):
            raise TypeError(f"sizes must be a sequence of numbers, got {given!r}; pass e.g. [0.5, 0.3]")
        sizes = tuple(one_positive("sizes", size) for size in given)
        if not sizes:
            raise ValueError("sizes must have at least one size, got none; pass e.g. [0.5, 0.3]")
        store_checked_parameters(self, alpha=one_order_from_one)
        object.__setattr__(self, "sizes", sizes)

    def charge(self, request: DominatingPair) -> Charge:
        return renyi_charge(request, self.alpha)

    def spend(self, state: _State, request: DominatingPair) -> _State:
        n, charge = len(state[0]), self.charge(request)
        blocks, high, low = (np.array(part, dtype=np.float64) for part in state)
        for block in np.unique(state[0]):
            runs = np.flatnonzero(state[0] == block)
            budget, cost = self._budget_of_block(block), charge if len(runs) == n else charge.take(runs)
            fits, (more_high, more_low) = budget.step((high[runs], low[runs]), cost)
            blocks[runs], high[runs], low[runs] = block, more_high, more_low
            for run in np.flatnonzero(~fits):
                at, run_cost = runs[run], cost.take(np.array([run]))
                first = block if state[1][at] == 0 else block + 1  # an empty block is the first of several
                blocks[at] = self._closed_block_count(int(first), run_cost) if np.isfinite(block) else np.inf
                last = self._budget_of_block(blocks[at])
                alone, (fresh_high, fresh_low) = last.step(last.start(1), run_cost)
                single = bool(alone[0]) and blocks[at] == first
                high[at] = fresh_high[0] if single else last.high
                low[at] = fresh_low[0] if single else last.low
        blocks = np.where(blocks < MAX_BLOCKS, blocks, np.inf)
        return blocks, high, low

    def _budget_of_block(self, block: float) -> Budget:
        """Return the budget of a block; the first is block 0."""
        return self._budgets[int(min(block, len(self.sizes) - 1))]

    def _closed_block_count(self, first: int, charge: Charge) -> float:
        """Return how many blocks are closed after a charge that starts at block `first`."""
        unit = self._budget
        high, low = (float(np.ravel(part)[0]) for part in charge.exact(unit.inverse_sqrt_unit))
        if not 0 <= high < math.inf:
            return math.inf
        cost = (Fraction(high) + Fraction(low)) * Fraction(unit.sqrt_unit) ** 2
        for place in range(first, len(self.sizes)):
            cost -= Fraction(self.sizes[place])
            if cost <= 0:
                return place
        start = max(first, len(self.sizes)) - 1
        return start + math.ceil(cost / Fraction(self.sizes[-1]))

    def _opened_block_count(self, state: _State) -> NDArray[np.float64]:
        blocks, high, low = state
        counted = (blocks >= 0) & (blocks < MAX_BLOCKS) & (blocks == np.floor(blocks))
        for block in np.unique(blocks[counted]):
            runs = blocks == block
            counted[runs] &= self._budget_of_block(block).is_reachable_state((high[runs], low[runs]))
        return np.where(counted, blocks + 1, np.inf)

    def value(self, state: _State) -> NDArray[np.float64]:
        opened, value = self._opened_block_count(state), np.full(len(state[0]), np.inf)
        for count in np.unique(opened[np.isfinite(opened)]):
            value[opened == count] = away_from_zero(self._sum_of_first_sizes(int(count)))
        return value

    def guarantee(self, blocks: int) -> RenyiDP:
        total = away_from_zero(self._sum_of_first_sizes(checked_block_count(blocks)))
        if math.isinf(total):
            raise ValueError(
                f"the sum of the sizes must not overflow, got blocks={blocks}; take fewer blocks"
            )
        return RenyiDP(self.alpha, total)

    def _sum_of_first_sizes(self, blocks: int) -> Fraction:
        """Return the sum of the first `blocks` sizes."""
        given = self.sizes[:blocks]
        return sum(map(Fraction, given), Fraction(0)) + (blocks - len(given)) * Fraction(self.sizes[-1])
