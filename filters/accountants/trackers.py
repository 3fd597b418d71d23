"""Trackers count the blocks of one size that the releases have used up."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.accountants.personal_reports import (
    MAX_PEOPLE,
    PerPersonValues,
    PersonalCost,
    check_pair_per_person,
)
from filterproof.filters.accountants.stateful_accountant import StatefulAccountant
from filterproof.filters.accountants.verifiable import BlockByBlock, QueryKind
from filterproof.filters.accounting.charge_kinds import Charge
from filterproof.filters.accounting.charge_rules import gdp_charge, renyi_charge
from filterproof.filters.accounting.ledger import Budget
from filterproof.filters.contract.parameters import one_order_from_one, one_positive, store_checked_parameters
from filterproof.filters.contract.state import copy_state, read_only
from filterproof.filters.contract.terms import FilterTerms
from filterproof.theory.argument_checks import check_count
from filterproof.theory.guarantees import GaussianDP, Guarantee, RenyiDP
from filterproof.theory.numerics.error_free import add_double_double_round_up, product_round_up, two_product
from filterproof.theory.pairs import DominatingPair
from filterproof.theory.rounding import away_from_zero, next_above
from filterproof.theory.size_limits import too_large_on_memory_error

#: The most blocks that are counted; more cost infinity. Up to here, sums of two counts and `_blocks_covering` are
#: never rounded down.
MAX_BLOCKS = 2**48

#: (blocks closed so far, high and low of the sum in the open block): arrays of shape (n,).
_State = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]


class Tracker(ABC):
    """A filter of size `size` that restarts whenever it would halt; every restart closes a block.

    A tracker limits nothing. For each m fixed in advance, all releases before the m-th restart cost at most m blocks.

    Attributes
    ----------
    size : float, > 0
        The budget of one block.

    Notes
    -----
    Feldman & Zrnic (2021), Algorithm 5 and Proposition 4.10 (O_0 there must read O_1 = size, and mechanisms that cost
    more than a block are excluded). With m - 1 closed blocks the bound covers all releases so far. It is not valid at
    a time that depends on the value. A mechanism that costs more than a block closes as many as it needs, as a
    composition would. A tracker counts at most 2^48 blocks; above that the value is inf. For people the value is
    personal data.
    """

    size: float
    _budget: Budget
    proof: ClassVar[str]
    theorem: ClassVar[str] = "trackers"
    kernel_theorems: ClassVar[tuple[str, ...]] = ()
    underlying_filters: ClassVar[tuple[()]] = ()
    scope: ClassVar[str] = "every adaptive adversary, before a restart whose number is fixed in advance"
    query_kind: ClassVar[QueryKind] = "blocks"

    @property
    def promise(self) -> BlockByBlock:
        """The guarantee of one block, and the composition of blocks."""
        return BlockByBlock(self.guarantee(1))

    @abstractmethod
    def charge(self, request: DominatingPair) -> Charge:
        """Return what a request adds to the sum of the open block."""

    @abstractmethod
    def value(self, state: _State) -> NDArray[np.float64]:
        """Return the cost of all blocks so far, inf for a state that no requests lead to: shape (n,)."""

    @abstractmethod
    def guarantee(self, blocks: int) -> Guarantee:
        """Return the guarantee of all releases within the first `blocks` blocks, a number fixed in advance."""

    def start(self, n: int) -> _State:
        """Return the state of n runs, before any release."""
        return np.zeros(n), *self._budget.start(n)

    def spend(self, state: _State, request: DominatingPair) -> _State:
        """Return the state after the release of `request`."""
        blocks, high, low = state
        budget, charge = self._budget, self.charge(request)
        fits, (more_high, more_low) = budget.step((high, low), charge)
        n = len(blocks)
        alone, (fresh_high, fresh_low) = budget.step(budget.start(n), charge)
        needs = _blocks_covering(budget, charge, n)
        # exact: both are integers of at most 2^48, or one is infinite
        blocks = blocks + np.where(fits, 0.0, np.where(alone, 1.0, needs - (high == 0)))
        blocks = np.where(blocks < MAX_BLOCKS, blocks, np.inf)
        high = np.where(fits, more_high, np.where(alone, fresh_high, budget.high))
        low = np.where(fits, more_low, np.where(alone, fresh_low, budget.low))
        return blocks, high, low

    def _opened_block_count(self, state: _State) -> NDArray[np.float64]:
        """Return the number of opened blocks, including the first: shape (n,)."""
        blocks, high, low = state
        counted = (blocks >= 0) & (blocks < MAX_BLOCKS) & (blocks == np.floor(blocks))
        return np.where(counted & self._budget.is_reachable_state((high, low)), blocks + 1, np.inf)


def checked_block_count(blocks: object) -> int:
    """Return `blocks` as an int from 1 to 2^48."""
    count = check_count("blocks", blocks)
    if count > MAX_BLOCKS:
        raise ValueError(f"blocks must be at most 2^48, got blocks={blocks!r}; take fewer and larger blocks")
    return count


def _blocks_covering(budget: Budget, charge: Charge, n: int) -> NDArray[np.float64]:
    """The number of whole budgets that cover the charge, never too few; inf above 2^48 and for no charge: shape (n,).

    Let r be charge over budget. Each is a pair whose first double is within 2^-53 of it, so that the quotient of the
    first doubles is within 2^-51 of r, by shares, and lowered by 2^-50 it is below r by at most r (2^-50 + 2^-51): by
    less than 1 for r up to 2^48. So its ceiling is that of r or one less, and one more is always enough. Whether it is
    enough, a product never above the exact one decides: `add_double_double_round_up` of the negative rounds up. It
    rounds by at most 2^-102 of the product; only so close above the charge is a block too many counted. For r above
    2^48 the ceiling is above 2^48, or 2^48 and not enough.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        high, low = charge.exact(budget.inverse_sqrt_unit)
        needs = np.ceil(high / budget.high * (1 - 2.0**-50))
        cover, rest = add_double_double_round_up(
            two_product(-needs, budget.high), two_product(-needs, budget.low)
        )
        enough = (-cover > high) | ((-cover == high) & (-rest >= low))
        needs = np.where(enough, needs, needs + 1)
        return np.broadcast_to(np.where((high >= 0) & (needs <= MAX_BLOCKS), needs, np.inf), (n,))


def _check_guarantee_finite(blocks: int, size: float, promised: float) -> None:
    if math.isinf(promised):
        raise ValueError(
            f"blocks times size must not overflow, got blocks={blocks} of size={size!r}; take fewer or smaller blocks"
        )


@dataclass(frozen=True, slots=True)
class RenyiTracker(Tracker):
    """The tracker of the Rényi divergence of order alpha, in nats.

    The value is size times the number of blocks.

    Parameters
    ----------
    alpha : float, >= 1
        The Rényi order.
    size : float, > 0
        The budget of one block, in nats.

    Notes
    -----
    Feldman & Zrnic (2021), Proposition 4.10.
    """

    alpha: float
    size: float
    _budget = cached_property(lambda self: Budget.of(self.size))
    proof: ClassVar[str] = "Feldman & Zrnic (2021), Proposition 4.10"
    kernel_theorems: ClassVar[tuple[str, ...]] = ("tracker_renyi", "tracker_kl")

    def __post_init__(self) -> None:
        store_checked_parameters(self, alpha=one_order_from_one, size=one_positive)

    def charge(self, request: DominatingPair) -> Charge:
        return renyi_charge(request, self.alpha)

    def value(self, state: _State) -> NDArray[np.float64]:
        return product_round_up(self._opened_block_count(state), self.size)

    def guarantee(self, blocks: int) -> RenyiDP:
        blocks = checked_block_count(blocks)
        _check_guarantee_finite(blocks, self.size, blocks * self.size)
        return RenyiDP(self.alpha, away_from_zero(blocks * Fraction(self.size)))


@dataclass(frozen=True, slots=True)
class GaussianTracker(Tracker):
    """The tracker of the GDP parameter mu.

    The value is size times the square root of the number of blocks, because squares of mu add up.

    Parameters
    ----------
    size : float, > 0
        The GDP parameter of one block.

    Notes
    -----
    Koskela, Tobaben & Honkela (2023), Appendix C.5.

    Examples
    --------
    >>> import filterproof as fp
    >>> tracker = fp.odometers.GaussianTracker(size=1.0)
    >>> once = tracker.spend(tracker.start(1), fp.Gaussian(mu=0.8))
    >>> tracker.value(once), tracker.value(tracker.spend(once, fp.Gaussian(mu=0.8))).round(4)
    (array([1.]), array([1.4142]))
    """

    size: float
    _budget = cached_property(lambda self: Budget.square_of(self.size))
    proof: ClassVar[str] = (
        "Koskela, Tobaben & Honkela (2023), Appendix C.5, as Feldman & Zrnic (2021), Proposition 4.10"
    )
    kernel_theorems: ClassVar[tuple[str, ...]] = ("gaussian_tracker",)

    def __post_init__(self) -> None:
        store_checked_parameters(self, size=one_positive)

    def charge(self, request: DominatingPair) -> Charge:
        return gdp_charge(request)

    def value(self, state: _State) -> NDArray[np.float64]:
        blocks = self._opened_block_count(state)
        with np.errstate(over="ignore", invalid="ignore"):
            root = np.sqrt(blocks)
            product, rest = two_product(root, root)
            short = (product - blocks) + rest < 0
        return product_round_up(np.where(short, next_above(root), root), self.size)

    def guarantee(self, blocks: int) -> GaussianDP:
        blocks = checked_block_count(blocks)
        mu, square = math.sqrt(blocks) * self.size, blocks * Fraction(self.size) ** 2
        _check_guarantee_finite(blocks, self.size, mu)
        while Fraction(mu) ** 2 < square:  # root and product were rounded down
            mu = next_above(mu)
        return GaussianDP(mu)


class IndividualTracker(StatefulAccountant):
    """One tracker per person.

    Parameters
    ----------
    tracker : Tracker
        The tracker of each person.
    people : int, >= 1
        The number of people, n.

    Notes
    -----
    `spend` records a release and limits nothing. For each number m fixed in advance, all releases before a person's
    m-th block closes satisfy `tracker.guarantee(m)` for removing that person. The guarantee is not valid at a time
    that depends on the value. The values are personal data. Threads may share the object. A copy or a pickle raises
    TypeError, a use after a fork RuntimeError. Feldman & Zrnic (2021), Corollary 4.11 (with Definition 2.5 for the
    pairs, not 2.6); for Gaussian DP Koskela, Tobaben & Honkela (2023), Appendix C.5.

    Examples
    --------
    >>> import filterproof as fp
    >>> people = fp.odometers.IndividualTracker(fp.odometers.GaussianTracker(size=0.5), people=2)
    >>> people.spend(fp.gaussian_request(np.array([2.0, 0.0]), sigma=4.0))
    >>> print(people.report_for(0))
    For person 0 only, not to be shown to anyone else: at most 0.5 spent, counted by GaussianTracker(size=0.5)
    """

    _terms_shown = ("tracker", "people")

    def __init__(self, tracker: Tracker, people: int) -> None:
        super().__init__()
        if not isinstance(tracker, Tracker):
            raise TypeError(
                f"tracker must be a Tracker, got {tracker!r}; pass e.g. GaussianTracker(size=0.5)"
            )
        self._tracker, self._people = tracker, check_count("people", people, most=MAX_PEOPLE)
        self._terms = FilterTerms.of(tracker)
        with too_large_on_memory_error("people", self._people):
            self._state = tracker.start(self._people)

    @property
    def tracker(self) -> Tracker:
        """The tracker that each person has."""
        return self._tracker

    @property
    def people(self) -> int:
        """The number of people."""
        return self._people

    def spend(self, request: DominatingPair) -> None:
        """Record a release; call it before the release.

        Parameters
        ----------
        request : DominatingPair
            The pair for the removal of each person: parameters of shape (n,), or one pair for all.

        Raises
        ------
        ValueError
            If there is neither one pair nor one per person.
        """
        check_pair_per_person(request, self._people)
        with self._in_turn("spend"):
            after = copy_state(self._tracker.spend(read_only(self._state), request))
            self._terms.check(self._tracker)
            self._state = after

    def values(self) -> PerPersonValues[PersonalCost]:
        """Return an upper bound on each cost, in the tracker's own unit; hidden, see `PerPersonValues`."""
        self._terms.check(self._tracker)
        name = repr(self._tracker)
        return PerPersonValues(
            self._tracker.value(read_only(self._state)),
            lambda person, value: PersonalCost(person, name, value),
        )

    def report_for(self, person: int) -> PersonalCost:
        """Return the report for `person` only; IndexError for an unknown person."""
        return self.values().report_for(person)
