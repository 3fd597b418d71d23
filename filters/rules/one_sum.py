"""Filters with one sum of charges: Gaussian, zero-concentrated, Rényi and approximate differential privacy."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.accounting.charge_rules import RenyiCharge, gdp_charge, zcdp_charge
from filterproof.filters.accounting.ledger import Budget
from filterproof.filters.contract.guarantee_scope import GuaranteeScope
from filterproof.filters.contract.parameters import (
    one_delta,
    one_mu,
    one_order_from_one,
    one_positive,
    store_checked_parameters,
)
from filterproof.filters.rules.additive import AdditiveFilter
from filterproof.filters.rules.guarantee_budget import order_budget
from filterproof.filters.rules.menu import checked_plan
from filterproof.theory.conversions import CKS, Conversion
from filterproof.theory.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, RenyiDP
from filterproof.theory.numerics.error_free import Exact
from filterproof.theory.pairs import DominatingPair
from filterproof.theory.rounding import round_down_tiny_products

#: The orders tried for a plan: log2(alpha - 1), then closer to the best of them.
_FIRST, _LAST, _STEP, _NEAREST = -4.0, 12.0, 0.25, 2.0**-9


@dataclass(frozen=True, slots=True)
class GaussianFilter(AdditiveFilter):
    """The filter of Gaussian differential privacy (GDP).

    It grants a request while the squares of the GDP parameters sum to at most mu^2; the transcript is mu-GDP::

        sum_{s <= t} mu_s^2 <= mu^2

    Parameters
    ----------
    mu : float in (0, 2^511]
        The GDP parameter of the promise.

    Attributes
    ----------
    promise : GaussianDP
        mu-GDP.
    budget : Budget
        mu^2, exactly.

    Raises
    ------
    ValueError
        If mu is out of range.

    Notes
    -----
    Koskela, Tobaben & Honkela (2023), "Individual Privacy Accounting with Gaussian Differential Privacy", Algorithm 2
    and Theorem C.1 (whose sum starts at 0 by a misprint). The filter is tight: Gaussian mechanisms that use the full
    budget reach delta_mu(epsilon) at every epsilon. Rounding never admits a sum above mu^2.

    Examples
    --------
    >>> import filterproof as fp
    >>> session = fp.GaussianFilter(mu=1.0).open("retry")
    >>> session.request(fp.Gaussian(0.8)), session.request(fp.Gaussian(0.7)), session.request(fp.Gaussian(0.5))
    (True, False, True)
    """

    mu: float
    charge = gdp_charge
    promise = cached_property(lambda self: GaussianDP(self.mu))
    budget = cached_property(lambda self: Budget.square_of(self.mu))
    theorem: ClassVar[str | None] = "GDP filter"
    proof: ClassVar[str] = (
        "Koskela, Tobaben & Honkela (2023), Theorem 11 and C.1: "
        "delta_{eps - L_k}(sqrt(mu^2 - sum mu_i^2)) is a supermartingale"
    )

    def __post_init__(self) -> None:
        store_checked_parameters(self, mu=one_mu)

    @property
    def holds(self) -> GuaranteeScope:
        rule = "Koskela, Tobaben & Honkela (2023), Algorithm 2: the ledger admits no larger sum of mu^2"
        return GuaranteeScope(self.budget.limit / 2, rule=rule)

    def remaining(self, state: Exact) -> NDArray[np.float64]:
        """Return the largest further mu, sqrt(mu^2 - sum mu_t^2), rounded down: shape (n,)."""
        return round_down_tiny_products(
            np.sqrt(self.budget.remaining_units(state)) * (self.budget.sqrt_unit * (1 - 2.0**-52))
        )


@dataclass(frozen=True, slots=True)
class ZCDPFilter(AdditiveFilter):
    """The filter of zero-concentrated differential privacy (zCDP).

    It grants a request while the sum of the zCDP parameters is at most rho; the transcript is rho-zCDP::

        sum_{s <= t} rho_s <= rho

    Parameters
    ----------
    rho : float, > 0
        The budget, in nats.

    Attributes
    ----------
    promise : ZCDP
        rho-zCDP.
    budget : Budget
        rho.

    Raises
    ------
    ValueError
        If rho is not positive and finite.

    Notes
    -----
    Feldman & Zrnic (2021), "Individual Privacy Accounting via a Rényi Filter", Remark 4.4: the stopping rule of
    Theorem 4.3 is the same at every order. Rounding never admits a sum above rho.

    Examples
    --------
    >>> import filterproof as fp
    >>> session = fp.ZCDPFilter(rho=0.5).open("retry")
    >>> session.request(fp.Gaussian(0.8)), session.request(fp.Gaussian(0.7)), session.request(fp.Gaussian(0.5))
    (True, False, True)
    """

    rho: float
    charge = zcdp_charge
    promise = cached_property(lambda self: ZCDP(self.rho))
    budget = cached_property(lambda self: Budget.of(self.rho))
    theorem: ClassVar[str | None] = "RDP filter"
    proof: ClassVar[str] = (
        "Feldman & Zrnic (2021), Remark 4.4: the stopping rule of Theorem 4.3 does not depend on the order"
    )

    def __post_init__(self) -> None:
        store_checked_parameters(self, rho=one_positive)

    @property
    def holds(self) -> GuaranteeScope:
        rule = "Feldman & Zrnic (2021), Remark 4.4: the ledger admits no larger sum of zCDP charges"
        return GuaranteeScope(self.budget.limit, rule=rule)


@dataclass(frozen=True, slots=True)
class ApproximateDPFilter(AdditiveFilter):
    """The filter of (epsilon, delta)-differential privacy by a zCDP budget.

    It grants a request while the zCDP parameters sum to at most B*, the largest B such that B-zCDP implies
    (epsilon, delta)-DP::

        sum_{s <= t} rho_s <= B*(epsilon, delta)

    Parameters
    ----------
    epsilon : float, > 0
        The epsilon of the promise, in nats.
    delta : float in (0, 1)
        The delta of the promise.
    conversion : Conversion
        The conversion that defines B*: CKS (the default) or BUN_STEINKE. CKS gives the larger budget.

    Attributes
    ----------
    promise : ApproxDP
        (epsilon, delta)-DP.
    budget : Budget
        B*, rounded down.

    Raises
    ------
    ValueError
        If epsilon or delta is out of range.

    Notes
    -----
    Feldman & Zrnic (2021), Theorem 4.9, which uses BUN_STEINKE and states the result for pure mechanisms with the
    charge epsilon_s^2/2. Here RandomizedResponse(epsilon) costs epsilon^2/2 and Gaussian(mu) costs mu^2/2; the same
    proof covers both. In that proof "(alpha, B*)-RDP for all alpha" must read (alpha, alpha B*)-RDP.

    Examples
    --------
    >>> import filterproof as fp
    >>> round(fp.ApproximateDPFilter(1.0, 1e-5).threshold, 6)
    0.030557
    """

    epsilon: float
    delta: float
    conversion: Conversion = CKS
    charge = zcdp_charge
    promise = cached_property(lambda self: ApproxDP(self.epsilon, self.delta))
    budget = cached_property(lambda self: Budget.of(float(self.conversion.budget(self.epsilon, self.delta))))
    theorem: ClassVar[str | None] = "approximate-DP filter"
    proof: ClassVar[str] = (
        "Feldman & Zrnic (2021), Theorem 4.9: the zCDP filter with budget B*, then the conversion"
    )

    def __post_init__(self) -> None:
        store_checked_parameters(self, epsilon=one_positive, delta=one_delta)
        if not isinstance(self.conversion, Conversion):
            raise TypeError(f"conversion must be CKS or BUN_STEINKE, got {self.conversion!r}; pass fp.CKS")

    @property
    def holds(self) -> GuaranteeScope:
        rule = "Feldman & Zrnic (2021), Theorem 4.9: the ledger admits no larger sum of zCDP charges"
        return GuaranteeScope(self.budget.limit, rule=rule)

    @property
    def threshold(self) -> float:
        """The budget B* of the sum of zCDP parameters, the largest that gives (epsilon, delta)-DP."""
        return self.budget.limit


@dataclass(frozen=True, slots=True)
class RenyiFilter(AdditiveFilter):
    """The filter of Rényi differential privacy (RDP) at one order.

    It grants a request while the Rényi divergences of order alpha sum to at most rho; the transcript is (alpha,
    rho)-RDP::

        sum_{s <= t} D_alpha(mechanism s) <= rho

    Parameters
    ----------
    alpha : float, >= 1
        The Rényi order.
    rho : float, > 0
        The budget, in nats.

    Attributes
    ----------
    promise : RenyiDP
        (alpha, rho)-RDP.
    budget : Budget
        rho.
    charge : RenyiCharge
        The larger divergence of the two directions.

    Raises
    ------
    ValueError
        If alpha or rho is out of range.

    Notes
    -----
    Feldman & Zrnic (2021), Theorem 4.3. At order 1, which their Theorem 3.1 excludes by a division by zero, the chain
    rule gives E[L] = E[sum_t KL_t] <= rho.

    Examples
    --------
    >>> import filterproof as fp
    >>> session = fp.RenyiFilter(alpha=8.0, rho=4.0).open("retry")
    >>> session.request(fp.Gaussian(0.9)), session.request(fp.Gaussian(0.9)), session.request(fp.Gaussian(0.4))
    (True, False, True)
    """

    alpha: float
    rho: float
    charge = cached_property(lambda self: RenyiCharge(self.alpha))
    promise = cached_property[Guarantee](lambda self: RenyiDP(self.alpha, self.rho))
    budget = cached_property(lambda self: Budget.of(self.rho))
    theorem: ClassVar[str | None] = "RDP filter"
    proof: ClassVar[str] = (
        "Feldman & Zrnic (2021), Theorem 4.3: Loss^(t) e^{-(alpha-1) sum rho_j} is a supermartingale"
    )

    def __post_init__(self) -> None:
        store_checked_parameters(self, alpha=one_order_from_one, rho=one_positive)

    @classmethod
    def planned(
        cls, epsilon: float, delta: float, plan: Mapping[DominatingPair, float]
    ) -> PlannedRenyiFilter:
        """Return the filter of the order at which a planned workload lasts longest under (epsilon, delta)-DP.

        Parameters
        ----------
        epsilon : float
            The epsilon of the target, in nats.
        delta : float in (0, 1)
            The delta of the target.
        plan : mapping from DominatingPair to float
            The number of uses of each pair of shape (). Only the ratios matter.

        Returns
        -------
        PlannedRenyiFilter
            A RenyiFilter with the promise ApproxDP(epsilon, delta) and with rho = R(alpha), the largest rho such that
            (alpha, rho)-RDP implies (epsilon, delta)-DP by CKS.

        Raises
        ------
        ValueError
            If no order gives the target.

        Notes
        -----
        The method searches the order alpha with the largest R(alpha) / sum_m n_m D_alpha(m). Requests outside the plan
        are allowed: the plan decides how long the budget lasts and never what is promised.

        Examples
        --------
        >>> import filterproof as fp
        >>> filt = RenyiFilter.planned(2.0, 1e-5, {fp.SubsampledGaussian(q=0.01, sigma=1.0): 1000})
        >>> round(filt.alpha, 1), str(filt.promise)
        (7.9, '(2, 1e-05)-DP')
        """
        epsilon, delta = one_positive("epsilon", epsilon), one_delta("delta", delta)
        uses = checked_plan(plan)

        def workload_repetitions(power: float) -> float:
            alpha = 1 + 2.0**power
            budget = order_budget(alpha, epsilon, delta, CKS)
            spent = math.fsum(
                n * max(pair.renyi(alpha), pair.swapped.renyi(alpha)) for pair, n in uses.items()
            )
            return budget / spent if budget > 0 and 0 < spent < math.inf else 0.0

        step = _STEP
        best = max(np.arange(_FIRST, _LAST, step).tolist(), key=workload_repetitions)
        while step > _NEAREST:
            step /= 2
            best = max((best - step, best, best + step), key=workload_repetitions)
        if not workload_repetitions(best) > 0:
            raise ValueError(
                f"plan must have mechanisms with a finite Rényi divergence at an order that can give ({epsilon!r}, "
                f"{delta!r})-DP, got {plan!r}; pass a larger epsilon or delta, or leave out mechanisms with "
                "infinite divergences"
            )
        alpha = 1 + 2.0**best
        return PlannedRenyiFilter(alpha, order_budget(alpha, epsilon, delta, CKS), epsilon, delta)

    @property
    def holds(self) -> GuaranteeScope | None:
        if self.alpha == 1:
            return None
        rule = "Feldman & Zrnic (2021), Theorem 4.3: the ledger admits no larger sum of divergences"
        return GuaranteeScope(orders=((self.alpha, self.budget.limit),), rule=rule)


@dataclass(frozen=True, slots=True)
class PlannedRenyiFilter(RenyiFilter):
    """A Rényi filter whose promise is (epsilon, delta)-DP: the result of `RenyiFilter.planned`.

    Parameters
    ----------
    alpha, rho : float
        As in `RenyiFilter`.
    epsilon, delta : float
        The (epsilon, delta)-DP that a sum of divergences of at most rho gives by CKS.

    Raises
    ------
    ValueError
        If rho exceeds the largest budget that gives (epsilon, delta)-DP at order alpha.
    """

    epsilon: float
    delta: float
    promise = cached_property(lambda self: ApproxDP(self.epsilon, self.delta))

    def __post_init__(self) -> None:
        RenyiFilter.__post_init__(self)
        epsilon, delta = store_checked_parameters(self, epsilon=one_positive, delta=one_delta)
        if not self.rho <= (most := order_budget(self.alpha, epsilon, delta, CKS)):
            raise ValueError(
                f"rho must be at most {most!r} for ({epsilon!r}, {delta!r})-DP at order {self.alpha!r}, got "
                f"rho={self.rho!r}; pass that number, or use RenyiFilter.planned"
            )
