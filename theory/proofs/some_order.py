"""A filter that admits while the budget is met at some Rényi order of a set breaks its promise."""

from __future__ import annotations

from theory.claims.conversions import SHARE
from theory.claims.table import in_kernel
from theory.claims.theorem import Check, Step, Theorem
from theory.proofs.engines import certified

__all__ = ["THEOREM"]

# epsilon = 6, delta = 1/100; the first round is RR(0.1), the second a pair of coins chosen by its answer.
# Both Q are rounded up: rounded to nearest the pairs would exceed their budgets, by 6e-7 and 6e-9.
_PLUS = ("(608430710/10**9)", "(1614677/10**9)")
_MINUS = ("(168334078/10**10)", "(18877554/10**12)")


def _truth(at_least: str) -> Check:
    plus = f"exp(1/10)/(1 + exp(1/10))*({_PLUS[0]} - exp(59/10)*{_PLUS[1]})"
    minus = f"1/(1 + exp(1/10))*({_MINUS[0]} - exp(61/10)*{_MINUS[1]})"
    return certified(f"{plus} + {minus} - {at_least}", precision=128)


THEOREM = Theorem(
    name="some order",
    title="Meeting the budget at some Rényi order is not enough",
    source="this project, against Lécuyer's filter with the CKS conversion",
    hypotheses="the filter that admits while the sum of Rényi divergences meets, at some order of a finite set of "
    "orders alpha_j > 1, the budget of that order, one of them at least 0; for (6, 0.01)-DP the orders {2, 32} with "
    "their CKS budgets, and a witness of two rounds; mechanisms with finitely many outcomes, finitely many rounds "
    "chosen by the outputs so far, delta > 0",
    claim="It is not (6, 0.01)-DP: the witness is admitted on both branches and reaches delta = more than 0.0139. "
    "With the budgets of Markov's inequality a filter of this kind keeps (epsilon, delta s), s the sum of s(alpha_j) "
    "over its orders",
    stated=(r"H_{e^6} > 0.0139 > 0.01,\qquad s(\alpha) = ", SHARE),
    steps=(
        *in_kernel("some_order_cks_fails", "some_order_markov", decide=True),
        *in_kernel("some_order_markov_fails", "some_order_bound", "some_order_cks"),
        Step(
            "The game of the witness reaches a hockey-stick above 0.013979 at e^6.",
            _truth("13979/10**6"),
            {"above 0.01398": _truth("1398/10**5")},
            r"p_+\left(P_+ - e^{5.9}Q_+\right) + p_-\left(P_- - e^{6.1}Q_-\right) = 0.01397\ldots > 0.013979",
        ),
    ),
)
