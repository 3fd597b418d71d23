"""The filter of Rényi differential privacy at one order."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from filters.accounting.charge_rules import RenyiCharge
from filters.accounting.ledger import Budget
from filters.contract.holds import Holds
from filters.contract.parameters import one_order_from_one, one_positive
from filters.rules.additive import AdditiveFilter
from theory.guarantees import Guarantee, RenyiDP

__all__ = ["RenyiFilter"]


@dataclass(frozen=True, slots=True)
class RenyiFilter(AdditiveFilter):
    """CONT while sum_t rho_t <= rho, rho_t the Rényi divergence of order alpha of the t-th mechanism.

    The transcript is (alpha, rho)-RDP; alpha >= 1 is fixed in advance. Source: paper 000, Theorem 4.3.
    At order 1, where Theorem 3.1 there divides by zero, E[L] = E[sum_t KL_t] <= rho by the chain rule.
    """

    alpha: float
    rho: float
    promise: Guarantee = field(init=False, repr=False, compare=False)
    budget: Budget = field(init=False, repr=False, compare=False)
    charge: RenyiCharge = field(init=False, repr=False, compare=False)
    theorem: ClassVar[str | None] = "RDP filter"
    proof: ClassVar[str] = "000 Theorem 4.3: Loss^(t) e^{-(alpha-1) sum rho_j} is a supermartingale"

    def __post_init__(self) -> None:
        alpha, rho = one_order_from_one("alpha", self.alpha), one_positive("rho", self.rho)
        object.__setattr__(self, "alpha", alpha)
        object.__setattr__(self, "rho", rho)
        object.__setattr__(self, "promise", RenyiDP(alpha, rho))
        object.__setattr__(self, "budget", Budget.of(rho))
        object.__setattr__(self, "charge", RenyiCharge(alpha))

    @property
    def holds(self) -> Holds | None:
        if self.alpha == 1:
            return None
        bound = ((self.alpha, self.budget.limit),)
        return Holds(orders=bound, rule="000 Theorem 4.3: the ledger admits no larger sum of divergences")
