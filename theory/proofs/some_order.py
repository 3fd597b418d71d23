"""A filter that admits while the budget is met at some Rényi order of a set breaks its promise."""

from __future__ import annotations

from theory.claims.notations import Formula
from theory.claims.table import in_kernel
from theory.claims.theorem import Check, Step, Theorem
from theory.proofs.engines import certified

__all__ = ["THEOREM"]

# epsilon = 6, delta = 1/100; the first round is RR(0.1), the second a pair of coins chosen by its answer.
# Both Q are rounded up: rounded to nearest the pairs would exceed their budgets, by 6e-7 and 6e-9.
_PLUS = ("(608430710/10**9)", "(1614677/10**9)")
_MINUS = ("(168334078/10**10)", "(18877554/10**12)")


def _moment(pair: tuple[str, str], order: int) -> str:
    """E_Q[(P/Q)^order] of RR(0.1) and the pair of coins together."""
    p, q = pair
    coins = f"({p}**{order}/{q}**{order - 1} + (1 - {p})**{order}/(1 - {q})**{order - 1})"
    return f"cosh({2 * order - 1}/20)/cosh(1/20)*{coins}"


def _allowed(order: int, share: str = "1") -> str:
    """e^{(order-1) B}, B the budget that the CKS conversion allows at this order."""
    constant = f"(1/{order})*(1 - 1/{order})**{order - 1}"
    return f"{share}*exp({6 * (order - 1)})/100/({constant})"


def _meets(pair: tuple[str, str], order: int, share: str = "1") -> Check:
    return certified(f"{_allowed(order, share)} - {_moment(pair, order)}", precision=128)


def _misses(pair: tuple[str, str], order: int, share: str = "1") -> Check:
    return certified(f"{_moment(pair, order)} - {_allowed(order, share)}", precision=128)


def _turned(pair: tuple[str, str]) -> tuple[str, str]:
    return pair[1], pair[0]


def _truth(at_least: str) -> Check:
    plus = f"exp(1/10)/(1 + exp(1/10))*({_PLUS[0]} - exp(59/10)*{_PLUS[1]})"
    minus = f"1/(1 + exp(1/10))*({_MINUS[0]} - exp(61/10)*{_MINUS[1]})"
    return certified(f"{plus} + {minus} - {at_least}", precision=128)


_SHARE = Formula("(1 - 1/alpha)**(alpha - 1)/alpha", alpha=("3/2", "64"))

THEOREM = Theorem(
    name="some order",
    title="Meeting the budget at some Rényi order is not enough",
    source="this project, against Lécuyer's filter with the CKS conversion",
    hypotheses="the filter that admits while the sum of Rényi divergences meets, at some order of "
    "{2, 32}, the "
    "CKS budget for (6, 0.01)-DP; witness of two rounds",
    claim="It is not (6, 0.01)-DP: the witness is admitted on both branches and reaches delta = more "
    "than 0.013979. With the budgets of Markov's inequality a filter of this kind keeps (epsilon, delta s), s the sum "
    "of s(alpha_j) over its orders",
    stated=(r"H_{e^6} = 0.01397\ldots > 0.01,\qquad s(\alpha) = ", _SHARE),
    uses=("CKS",),
    steps=(
        *in_kernel(
            "some_order_cks_fails",
            "some_order_markov_fails",
            "some_order_bound",
            "some_order_markov",
            "some_order_cks",
        ),
        Step(
            'After "+" the two rounds meet the budget of order 32.',
            _meets(_PLUS, 32),
            {"a budget smaller by 1e-4": _meets(_PLUS, 32, "(1 - 1/10**4)")},
            r"e^{31D_{32}} \le \frac{e^{186}\delta}{\frac1{32}(\frac{31}{32})^{31}}",
        ),
        Step(
            'After "+" they meet it in the other direction too.',
            _meets(_turned(_PLUS), 32),
            {"a budget smaller by e^-160": _meets(_turned(_PLUS), 32, "exp(-160)")},
            r"e^{31D_{32}(Q\|P)} \le \frac{e^{186}\delta}{\frac1{32}(\frac{31}{32})^{31}}",
        ),
        Step(
            'After "+" they miss the budget of order 2, even ten times that budget.',
            _misses(_PLUS, 2, "10"),
            {"twenty times": _misses(_PLUS, 2, "20")},
            r"e^{D_2} > 40\,e^6\delta",
        ),
        Step(
            'After "-" the two rounds meet the budget of order 2.',
            _meets(_MINUS, 2),
            {"a budget smaller by 1e-4": _meets(_MINUS, 2, "(1 - 1/10**4)")},
            r"e^{D_2} \le 4e^6\delta",
        ),
        Step(
            'After "-" they meet it in the other direction too.',
            _meets(_turned(_MINUS), 2),
            {"a budget of 1/100 of it": _meets(_turned(_MINUS), 2, "(1/100)")},
            r"e^{D_2(Q\|P)} \le 4e^6\delta",
        ),
        Step(
            'After "-" they miss the budget of order 32.',
            _misses(_MINUS, 32),
            {"e^30 times the budget": _misses(_MINUS, 32, "exp(30)")},
            r"e^{31D_{32}} > \frac{e^{186}\delta}{\frac1{32}(\frac{31}{32})^{31}}",
        ),
        Step(
            "The game reaches a hockey-stick above 0.013979 at e^6.",
            _truth("13979/10**6"),
            {"above 0.01398": _truth("1398/10**5")},
            r"p_+\left(P_+ - e^{5.9}Q_+\right) + p_-\left(P_- - e^{6.1}Q_-\right) > 0.013979",
        ),
    ),
)
