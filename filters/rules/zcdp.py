"""The filter of zero-concentrated differential privacy."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from filterproof.filters.accounting.charge_rules import zcdp_charge
from filterproof.filters.accounting.ledger import Budget
from filterproof.filters.contract.guarantee_scope import GuaranteeScope
from filterproof.filters.contract.parameters import checked_parameters, one_positive
from filterproof.filters.rules.additive import AdditiveFilter
from filterproof.theory.guarantees import ZCDP, Guarantee


@dataclass(frozen=True, slots=True)
class ZCDPFilter(AdditiveFilter):
    """CONT while sum_t rho_t <= rho, rho_t the zCDP parameter of the t-th mechanism: rho-zCDP.

    Source: paper 000, Remark 4.4.
    """

    rho: float
    promise: Guarantee = field(init=False, repr=False, compare=False)
    budget: Budget = field(init=False, repr=False, compare=False)
    charge = zcdp_charge
    theorem: ClassVar[str | None] = "RDP filter"
    proof: ClassVar[str] = "000 Remark 4.4: the stopping rule of Theorem 4.3 does not depend on the order"

    def __post_init__(self) -> None:
        (rho,) = checked_parameters(self, rho=one_positive)
        object.__setattr__(self, "promise", ZCDP(rho))
        object.__setattr__(self, "budget", Budget.of(rho))

    @property
    def holds(self) -> GuaranteeScope:
        return GuaranteeScope(
            self.budget.limit, rule="000 Remark 4.4: the ledger admits no larger sum of zCDP charges"
        )
