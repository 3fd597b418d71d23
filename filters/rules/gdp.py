"""The filter of Gaussian differential privacy."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from filters.accounting.charge_rules import gdp_charge
from filters.accounting.ledger import Budget
from filters.contract.holds import Holds
from filters.contract.parameters import checked_parameters, one_mu
from filters.rules.additive import AdditiveFilter
from theory.guarantees import GaussianDP, Guarantee
from theory.numerics.error_free import Exact
from theory.rounding import lower_tiny_products


@dataclass(frozen=True, slots=True)
class GaussianFilter(AdditiveFilter):
    """CONT while sum_t mu_t^2 <= mu^2, mu_t the GDP parameter of the t-th mechanism: mu-GDP.

    Tight: a budget spent to the end on Gaussians reaches delta_mu(eps) at every eps.
    Source: paper 003, Algorithm 2 and Theorem C.1 (which sums from 0: a misprint).
    """

    mu: float
    promise: Guarantee = field(init=False, repr=False, compare=False)
    budget: Budget = field(init=False, repr=False, compare=False)
    charge = gdp_charge
    theorem: ClassVar[str | None] = "GDP filter"
    proof: ClassVar[str] = (
        "003 Theorem 11 and C.1: delta_{eps - L_k}(sqrt(mu^2 - sum mu_i^2)) is a supermartingale"
    )

    def __post_init__(self) -> None:
        (mu,) = checked_parameters(self, mu=one_mu)
        object.__setattr__(self, "promise", GaussianDP(mu))
        object.__setattr__(self, "budget", Budget.square_of(mu))

    @property
    def holds(self) -> Holds:
        return Holds(self.budget.limit / 2, rule="003 Algorithm 2: the ledger admits no larger sum of mu^2")

    def remaining(self, state: Exact) -> NDArray[np.float64]:
        """The largest further mu, sqrt(mu^2 - sum mu_t^2)."""
        return lower_tiny_products(
            np.sqrt(self.budget.room(state)) * (self.budget.root_unit * (1 - 2.0**-52))
        )
