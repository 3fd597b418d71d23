"""Filters of one sum of charges: Gaussian, Rényi and approximate differential privacy; `zcdp` has another."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.accounting.charge_rules import RenyiCharge, gdp_charge, zcdp_charge
from filterproof.filters.accounting.ledger import Budget
from filterproof.filters.contract.guarantee_scope import GuaranteeScope
from filterproof.filters.contract.parameters import (
    checked_parameters,
    one_delta,
    one_mu,
    one_order_from_one,
    one_positive,
)
from filterproof.filters.rules.additive import AdditiveFilter
from filterproof.filters.rules.menu import checked_plan
from filterproof.filters.rules.orders import order_budget
from filterproof.theory.conversions import CKS, Conversion
from filterproof.theory.guarantees import ApproxDP, GaussianDP, Guarantee, RenyiDP
from filterproof.theory.numerics.error_free import Exact
from filterproof.theory.pairs import DominatingPair
from filterproof.theory.rounding import lower_tiny_products

#: Orders that are tried for a plan: log2(alpha - 1), then nearer to the best of them.
_FIRST, _LAST, _STEP, _NEAREST = -4.0, 12.0, 0.25, 2.0**-9


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
    def holds(self) -> GuaranteeScope:
        return GuaranteeScope(
            self.budget.limit / 2, rule="003 Algorithm 2: the ledger admits no larger sum of mu^2"
        )

    def remaining(self, state: Exact) -> NDArray[np.float64]:
        """The largest further mu, sqrt(mu^2 - sum mu_t^2)."""
        return lower_tiny_products(
            np.sqrt(self.budget.room(state)) * (self.budget.root_unit * (1 - 2.0**-52))
        )


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
    def holds(self) -> GuaranteeScope:
        rule = "000 Theorem 4.9: the ledger admits no larger sum of zCDP charges"
        return GuaranteeScope(self.budget.limit, rule=rule)

    @property
    def threshold(self) -> float:
        """B*, the budget of the sum of rho."""
        return self.budget.limit


@dataclass(frozen=True, slots=True)
class RenyiFilter(AdditiveFilter):
    """CONT while sum_t rho_t <= rho, rho_t the Rényi divergence of order alpha of the t-th mechanism, by `RenyiCharge`.

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
        alpha, rho = checked_parameters(self, alpha=one_order_from_one, rho=one_positive)
        object.__setattr__(self, "promise", RenyiDP(alpha, rho))
        object.__setattr__(self, "budget", Budget.of(rho))
        object.__setattr__(self, "charge", RenyiCharge(alpha))

    @classmethod
    def planned(cls, epsilon: float, delta: float, plan: Mapping[DominatingPair, float]) -> Self:
        """The filter of the order at which `plan` lasts longest under (epsilon, delta)-DP.

            >>> import filterproof as fp
            >>> filt = RenyiFilter.planned(2.0, 1e-5, {fp.SubsampledGaussian(q=0.01, sigma=1.0): 1000})
            >>> round(filt.alpha, 1), bool(filt.promise.delta(2.0) <= 1e-5)
            (7.9, True)

        plan: pairs of shape () with their numbers of uses, of which only the ratios count. The order alpha is the one
        found with the largest R(alpha) / sum_m n_m D_alpha(m), R(alpha) the largest rho at which (alpha, rho)-RDP gives
        (epsilon, delta)-DP (conversion CKS); rho = R(alpha). Any other mechanism may be asked for, too: the plan
        decides how long the budget lasts and never what is promised. Raises ValueError where no order can give it.
        """
        epsilon, delta = one_positive("epsilon", epsilon), one_delta("delta", delta)
        uses = checked_plan(plan)

        def lasts(power: float) -> float:
            alpha = 1 + 2.0**power
            budget = order_budget(alpha, epsilon, delta, CKS)
            spent = math.fsum(
                n * max(pair.renyi(alpha), pair.swapped.renyi(alpha)) for pair, n in uses.items()
            )
            return budget / spent if budget > 0 and 0 < spent < math.inf else 0.0

        step = _STEP
        best = max(np.arange(_FIRST, _LAST, step).tolist(), key=lasts)
        while step > _NEAREST:
            step /= 2
            best = max((best - step, best, best + step), key=lasts)
        if not lasts(best) > 0:
            raise ValueError(
                f"plan must hold mechanisms whose Rényi divergence is finite at an order that can give ({epsilon!r}, "
                f"{delta!r})-DP, got {plan!r}; promise less, or leave out those for which it is infinite"
            )
        alpha = 1 + 2.0**best
        return cls(alpha, order_budget(alpha, epsilon, delta, CKS))

    @property
    def holds(self) -> GuaranteeScope | None:
        if self.alpha == 1:
            return None
        bound = ((self.alpha, self.budget.limit),)
        return GuaranteeScope(
            orders=bound, rule="000 Theorem 4.3: the ledger admits no larger sum of divergences"
        )
