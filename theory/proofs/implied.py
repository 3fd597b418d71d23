"""A promise implied by a sum of charges: the last step from a theorem to the very doubles that a filter compares.

>>> from theory.guarantees import ApproxDP
>>> certain = implied("zCDP", Fraction(0.0305), ApproxDP(1.0, 1e-5))
>>> certain.theorem, certain.says
('CKS', 'the conversion CKS at order 17.8392')

Every comparison is one of rationals, or of balls at the exact doubles of the promise and the exact value of the budget.
"""

from __future__ import annotations

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
    match kind, promise:
        case "pure DP", PureDP(epsilon):
            return _within(total, epsilon, "the sum of pure epsilons")
        case "GDP", GaussianDP(mu):
            return _within(total, Fraction(mu) ** 2, "the sum of mu^2")
        case "zCDP", ZCDP(rho):
            return _within(total, rho, "the sum of zCDP parameters")
        case "pure DP", ZCDP(rho):
            return _within(total**2 / 2, rho, "epsilon-DP is (epsilon^2/2)-zCDP", "RR zCDP")
        case "GDP", ZCDP(rho):
            return _within(total / 2, rho, "mu-GDP is (mu^2/2)-zCDP", "Rényi divergences")
        case "RDP", RenyiDP(alpha, rho) if order is not None and alpha <= order:
            return _within(total, rho, "the sum of divergences, which grow with the order")
        case "zCDP", RenyiDP(alpha, rho):
            said = f"r-zCDP is (alpha, alpha r)-RDP by definition{_limit(alpha)}"
            return _within(Fraction(alpha) * total, rho, said)
        case "pure DP", RenyiDP(_, rho) if total <= rho:
            return _within(total, rho, "no divergence is more than that of order infinity")
        case "pure DP", RenyiDP(alpha, rho):
            said = f"epsilon-DP is (alpha, alpha epsilon^2/2)-RDP{_limit(alpha)}"
            return _within(Fraction(alpha) * total**2 / 2, rho, said, "RR zCDP")
        case "GDP", RenyiDP(alpha, rho):
            said = f"mu-GDP is (alpha, alpha mu^2/2)-RDP{_limit(alpha)}"
            return _within(Fraction(alpha) * total / 2, rho, said, "Rényi divergences")
        case "pure DP", ApproxDP(epsilon, delta) if total <= epsilon or delta == 0:
            return _within(total, epsilon, "the sum of pure epsilons")
        case _, ApproxDP(epsilon, delta) if 0 < delta < 1:
            at = {"B": total, "epsilon": Fraction(epsilon), "delta": Fraction(delta)}
            if kind == "pure DP":
                return Implied(_positive(_PURE, at), "randomised response at the budget", "pure conversion")
            if kind == "GDP":
                said = "the hockey-stick divergence of the Gaussian pair at the budget"
                return Implied(_positive(_GAUSSIAN, at), said, "Gaussian hockey-stick")
            if kind == "zCDP" and total > 0:
                order = float(CKS.order(float(total), epsilon))
            if order is not None and order > 1:
                formula = _CKS if kind == "zCDP" else _AT_ORDER
                reached = _positive(formula, at | {"t": Fraction(order) - 1})
                return Implied(reached, f"the conversion CKS at order {order:.6g}", "CKS")
    raise RefusedError(
        f"nothing here leads from a sum of {kind} charges to {promise}",
        engine="none",
        evidence=Evidence.EXACT,
    )


def _limit(alpha: float) -> str:
    # the kernel's statements are for orders above 1
    return ", and at order 1 by their limit" if alpha == 1 else ""


def _within(least: Fraction, most: float | Fraction, says: str, theorem: str | None = None) -> Implied:
    return Implied(exact(lambda: [(least, "<=", Fraction(most))])(), says, theorem)


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
