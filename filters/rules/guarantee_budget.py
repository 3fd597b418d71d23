"""The budget of a guarantee: the largest sum of charges from which a theorem gives the guarantee, rounded down.

>>> from filterproof.filters.accounting.charge_rules import gdp_charge, zcdp_charge
>>> from filterproof.theory.guarantees import ApproxDP, GaussianDP
>>> f"{promised_budget(zcdp_charge, ApproxDP(1.0, 1e-5), CKS).limit:.10f}"
'0.0305565952'
>>> promised_budget(gdp_charge, GaussianDP(3.0), CKS).limit
9.0
"""

from __future__ import annotations

import math
from fractions import Fraction

from filterproof.filters.accounting.charge_rules import (
    ChargeRule,
    GDPCharge,
    PureCharge,
    RenyiCharge,
    ZCDPCharge,
)
from filterproof.filters.accounting.ledger import Budget
from filterproof.theory.conversions import CKS, Conversion, max_gaussian_mu
from filterproof.theory.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP
from filterproof.theory.rounding import root_round_down


def promised_budget(charge: ChargeRule, promise: Guarantee, conversion: Conversion = CKS) -> Budget:
    """Return the largest B, rounded down, such that charges with a sum of at most B give `promise`.

    Short implications between guarantees are used: epsilon-DP is (epsilon^2/2)-zCDP, mu-GDP is (mu^2/2)-zCDP, r-zCDP is
    (a, a r)-RDP. `conversion` leads from zCDP and RDP to (epsilon, delta)-DP, the Gaussian hockey-stick divergence from
    GDP, and that of randomised response from pure DP. Raises ValueError if no theorem connects the two.
    """
    if not isinstance(conversion, Conversion):
        raise TypeError(f"conversion must be CKS or BUN_STEINKE, got {conversion!r}; pass fp.CKS")
    allowed = _largest_charge_sum(charge, promise, conversion)
    if allowed is None:
        raise ValueError(
            f"promise must follow from a sum of {charge!r}, got {promise!r}, which no theorem here joins to it; "
            "change one of them, or set budget and cite the proof"
        )
    if isinstance(allowed, Budget):
        return allowed
    if not 0 < allowed < math.inf:
        raise ValueError(
            f"promise must leave a budget above zero for a sum of {charge!r}, got {promise!r}; pass a weaker guarantee"
        )
    return Budget.of(allowed)


def _largest_charge_sum(
    charge: ChargeRule, promise: Guarantee, conversion: Conversion
) -> Budget | Fraction | float | None:
    match charge, promise:
        case PureCharge(), PureDP(epsilon):
            return epsilon
        case PureCharge(), ApproxDP(epsilon, delta) if delta < 1:
            # H_{e^eps} of B-DP is (e^B - e^eps)/(1 + e^B)
            from filterproof.theory.thresholds.budgets import (
                pure_budget_round_down,  # balls are imported only when needed
            )

            return pure_budget_round_down(epsilon, delta)
        case PureCharge(), ZCDP(rho):
            return root_round_down(2 * Fraction(rho))
        case PureCharge(), RenyiDP(alpha, rho):  # for order alpha it is at most that for order infinity
            return max(Fraction(root_round_down(2 * Fraction(rho) / Fraction(alpha))), Fraction(rho))
        case ZCDPCharge(), ZCDP(rho):
            return rho
        case ZCDPCharge(), RenyiDP(alpha, rho):
            return Fraction(rho) / Fraction(alpha)
        case ZCDPCharge(), ApproxDP(epsilon, delta) if epsilon > 0 and 0 < delta < 1:
            return float(conversion.budget(epsilon, delta))
        case GDPCharge(), GaussianDP(mu):
            return Budget.square_of(mu)
        case GDPCharge(), ZCDP(rho):
            return 2 * Fraction(rho)
        case GDPCharge(), RenyiDP(alpha, rho):
            return 2 * Fraction(rho) / Fraction(alpha)
        case GDPCharge(), ApproxDP(epsilon, delta) if 0 < delta < 1:
            mu = float(max_gaussian_mu(epsilon, delta))
            return Budget.square_of(mu) if mu > 0 else Fraction(0)
        case RenyiCharge(order), RenyiDP(alpha, rho) if alpha <= order:
            return rho
        case RenyiCharge(order), ApproxDP(epsilon, delta) if order > 1 and 0 < delta < 1:
            return order_budget(order, epsilon, delta, conversion)
    return None


def order_budget(alpha: float, epsilon: float, delta: float, conversion: Conversion) -> float:
    """Return the largest double R such that (alpha, R)-RDP gives (epsilon, delta)-DP; it may be negative.

    With t = alpha - 1. CKS: delta = e^{t (R - epsilon)} (1 - 1/alpha)^alpha / t. BUN_STEINKE (Markov's inequality, the
    older conversion): delta = e^{t (R - epsilon)}.
    """
    from filterproof.theory.thresholds.budgets import (
        rdp_budget_round_down,  # balls are imported only when needed
    )

    return rdp_budget_round_down(alpha, epsilon, delta, markov=conversion is not CKS)
