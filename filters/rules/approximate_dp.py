"""The filter of approximate differential privacy by way of concentrated differential privacy."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from filters.accounting.charge_rules import zcdp_charge
from filters.accounting.ledger import Budget
from filters.contract.holds import Holds
from filters.contract.parameters import checked_parameters, one_delta, one_positive
from filters.rules.additive import AdditiveFilter
from theory.conversions import CKS, Conversion
from theory.guarantees import ApproxDP, Guarantee


@dataclass(frozen=True, slots=True)
class ApproximateDPFilter(AdditiveFilter):
    """CONT while sum_t rho_t <= B*(epsilon, delta), the largest B with B-zCDP => (epsilon, delta)-DP.

    rho_t is the zCDP parameter of the t-th mechanism. Paper 000, Theorem 4.9, states it for pure
    mechanisms, which are charged epsilon_t^2/2; so is RandomizedResponse here, and a Gaussian mu_t^2/2
    by the same proof (its "(alpha, B*)-RDP for all alpha" must read (alpha, alpha B*)-RDP).
    `conversion` says which B* is used: SIMPLE is the one printed in 000, CKS is larger.
    """

    epsilon: float
    delta: float
    conversion: Conversion = CKS
    promise: Guarantee = field(init=False, repr=False, compare=False)
    budget: Budget = field(init=False, repr=False, compare=False)
    charge = zcdp_charge
    theorem: ClassVar[str | None] = "approximate-DP filter"
    proof: ClassVar[str] = "000 Theorem 4.9: the zCDP filter with budget B*, then the conversion"

    def __post_init__(self) -> None:
        epsilon, delta = checked_parameters(self, epsilon=one_positive, delta=one_delta)
        if not isinstance(self.conversion, Conversion):
            raise TypeError(f"conversion must be CKS or SIMPLE, got {self.conversion!r}; pass fp.CKS")
        object.__setattr__(self, "promise", ApproxDP(epsilon, delta))
        object.__setattr__(self, "budget", Budget.of(float(self.conversion.budget(epsilon, delta))))

    @property
    def holds(self) -> Holds:
        return Holds(
            self.budget.limit, rule="000 Theorem 4.9: the ledger admits no larger sum of zCDP charges"
        )

    @property
    def threshold(self) -> float:
        """B*, the budget of the sum of rho."""
        return self.budget.limit
