"""A promise implied by a sum of charges: the last step from a theorem to the very doubles that a filter compares.

>>> from theory.guarantees import ApproxDP
>>> certain = implied("zCDP", Fraction(0.0305), ApproxDP(1.0, 1e-5))
>>> certain.theorem, certain.says
('CKS', 'the conversion CKS at order 17.8392')

Every comparison is one of rationals, or of balls at the exact doubles of the promise and the exact value of the budget.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from theory.claims.theorem import Reached, RefusedError
from theory.conversions import CKS
from theory.evidence import Evidence
from theory.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP
from theory.proofs.engines import certified, exact

__all__ = ["Implied", "Kind", "implied"]

#: What sums: pure epsilons, zCDP parameters rho, squares mu^2 of GDP parameters, Rényi divergences of one order.
Kind: TypeAlias = Literal["pure DP", "zCDP", "GDP", "RDP"]

_LOGS = "t*log(t) - (1 + t)*log(1 + t)"
#: Positive where delta is more than the bound of CKS at order 1 + t, from zCDP and from RDP at that order.
_CKS = f"log(delta) - (t*((1 + t)*B - epsilon) + {_LOGS})"
_AT_ORDER = f"log(delta) - (t*(B - epsilon) + {_LOGS})"
#: Positive where delta is more than the hockey-stick divergence of Gaussian(sqrt(B)).
_GAUSSIAN = "delta - tail(epsilon/sqrt(B) - sqrt(B)/2) + exp(epsilon)*tail(epsilon/sqrt(B) + sqrt(B)/2)"
#: Positive where delta is more than the hockey-stick divergence of randomised response at B.
_PURE = "delta*(1 + exp(B)) - exp(B) + exp(epsilon)"


@dataclass(frozen=True, slots=True)
class Implied:
    """What implies a promise: the certificate, in words, the key of the theorem (None: a definition)."""

    certificate: Reached
    says: str
    theorem: str | None = None


def implied(kind: Kind, total: Fraction, promise: Guarantee, *, order: float | None = None) -> Implied:
    """That a transcript whose charges of `kind` sum to at most `total` > 0 on every path keeps `promise`, certified.

    `order` is the order of RDP charges. Raises RefusedError where the total is too large for it, or nothing here
    leads from the one to the other.
    """
    implication: Implied | None = None
    match promise:
        case PureDP(epsilon) if kind == "pure DP":
            implication = _within(total, Fraction(epsilon), "the sum of pure epsilons")
        case GaussianDP(mu) if kind == "GDP":
            implication = _within(total, Fraction(mu) ** 2, "the sum of mu^2")
        case ZCDP(rho):
            implication = _to_zcdp(kind, total, Fraction(rho))
        case RenyiDP(alpha, rho):
            implication = _to_rdp(kind, total, Fraction(alpha), Fraction(rho), order)
        case ApproxDP(epsilon, delta):
            implication = _to_dp(kind, total, Fraction(epsilon), Fraction(delta), order)
    if implication is None:
        raise RefusedError(
            f"nothing here leads from a sum of {kind} charges to {promise}",
            engine="none",
            evidence=Evidence.EXACT,
        )
    return implication


def _to_zcdp(kind: Kind, total: Fraction, rho: Fraction) -> Implied | None:
    match kind:
        case "zCDP":
            return _within(total, rho, "the sum of zCDP parameters")
        case "pure DP":
            return _within(total**2 / 2, rho, "epsilon-DP is (epsilon^2/2)-zCDP", "RR zCDP")
        case "GDP":
            return _within(total / 2, rho, "mu-GDP is (mu^2/2)-zCDP", "Rényi divergences")
    return None


def _to_rdp(
    kind: Kind, total: Fraction, alpha: Fraction, rho: Fraction, order: float | None
) -> Implied | None:
    # the kernel's statements are for orders above 1
    limit = ", and at order 1 by their limit" if alpha == 1 else ""
    match kind:
        case "RDP" if order is not None and alpha <= Fraction(order):
            return _within(total, rho, "the sum of divergences, which grow with the order")
        case "zCDP":
            return _within(alpha * total, rho, f"r-zCDP is (alpha, alpha r)-RDP by definition{limit}")
        case "pure DP" if total <= rho:
            return _within(total, rho, "no divergence is more than that of order infinity")
        case "pure DP":
            said = f"epsilon-DP is (alpha, alpha epsilon^2/2)-RDP{limit}"
            return _within(alpha * total**2 / 2, rho, said, "RR zCDP")
        case "GDP":
            said = f"mu-GDP is (alpha, alpha mu^2/2)-RDP{limit}"
            return _within(alpha * total / 2, rho, said, "Rényi divergences")
    return None


def _to_dp(
    kind: Kind, total: Fraction, epsilon: Fraction, delta: Fraction, order: float | None
) -> Implied | None:
    at = {"B": total, "epsilon": epsilon, "delta": delta}
    if kind == "pure DP" and (total <= epsilon or delta == 0):
        return _within(total, epsilon, "the sum of pure epsilons")
    if not 0 < delta < 1:
        return None
    match kind:
        case "pure DP":
            return Implied(_positive(_PURE, at), "randomised response at the budget", "pure conversion")
        case "zCDP" if 0 < float(total) < math.inf:
            best = float(CKS.order(float(total), float(epsilon)))
            if best > 1:
                reached = _positive(_CKS, at | {"t": Fraction(best) - 1})
                return Implied(reached, f"the conversion CKS at order {best:.6g}", "CKS")
        case "GDP":
            said = "the hockey-stick divergence of the Gaussian pair at the budget"
            return Implied(_positive(_GAUSSIAN, at), said, "Gaussian hockey-stick")
        case "RDP" if order is not None and order > 1:
            reached = _positive(_AT_ORDER, at | {"t": Fraction(order) - 1})
            return Implied(reached, f"the conversion CKS at order {order:.6g}", "CKS")
    return None


def _within(least: Fraction, most: Fraction, says: str, theorem: str | None = None) -> Implied:
    return Implied(exact(lambda: [(least, "<=", most)])(), says, theorem)


def _positive(formula: str, at: dict[str, Fraction]) -> Reached:
    """That the formula is above zero at the point, with as many bits as that takes."""
    point: dict[str, Any] = {name: (x, x) for name, x in at.items()}
    for precision in (128, 512):
        try:
            return certified(formula, precision=precision, **point)()
        except RefusedError as refusal:
            if refusal.witness is not None:  # certainly at most zero
                raise
    return certified(formula, precision=2048, **point)()
