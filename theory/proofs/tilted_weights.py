"""Under a Rényi filter the likelihood-ratio weights of a tilted simulation, times the integrand, are bounded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from math import prod

import sympy as sp

from theory.evidence import Checked
from theory.proofs.engines import Inequality, Sides, exact, in_kernel, nonnegative, zero
from theory.proofs.notations import Formula
from theory.proofs.theorem import Step, Theorem
from theory.proofs.trees import all_trees, bernoulli, play

__all__ = ["THEOREM"]

# s = 1 + t is the order of the tilt; w = e^{epsilon - L} is in (0, 1) where the integrand is not 0.
t, eps, rho, w, divergence = sp.symbols("t epsilon rho w D", positive=True)
log_p, log_q = sp.symbols("p q", real=True)
left, v = sp.symbols("left v", nonnegative=True)


def _weight(sign: int = -1) -> Sides:
    # log dP/dR, log R = s log P + (1-s) log Q - t D: the normaliser is E_P e^{t L} = e^{t D}
    log_r = (1 + t) * log_p - t * log_q - t * divergence
    return log_p - log_r, t * (divergence + sign * (log_p - log_q))


def _integrand(sign: int = 1) -> Sides:
    # weight times 1 - e^{epsilon - L}, with L = epsilon - log w
    weighted = t * (divergence - (eps - sign * sp.log(w)))
    return weighted, t * (divergence - eps) + t * sp.log(w)


def _spend(sign: int = 1) -> sp.Expr:
    return sign * (sp.exp(t * rho) - sp.exp(t * (rho - left)))


def _spend_terms(sign: int = 1) -> tuple[sp.Expr, ...]:
    return (sp.exp(t * (rho - left)) * sp.Integral(sign * sp.exp(v), (v, 0, t * left)),)


def _bound(power: sp.Expr) -> Sides:
    # log of M_s at rho_s = s r, and the log-objective of the CKS conversion at order s
    r = sp.Symbol("r", positive=True)
    bound = t * ((1 + t) * r - eps) + power * (sp.log(t) - sp.log(1 + t)) - sp.log(t)
    objective = t * ((1 + t) * r - eps) + t * sp.log(t) - (1 + t) * sp.log(1 + t)
    return bound, objective


_MENU = (bernoulli("2/3", "1/3"), bernoulli("1/2", "1/3"))
_ORDER = 3


def _games(share: Fraction = Fraction(1), late: bool = False) -> Callable[[], Iterator[Inequality]]:
    """Every strategy: the weighted integrand is at most `share` M_s, and its mean under the tilted law is H."""
    charges = [pair.moment(_ORDER) for pair in _MENU]
    ratio = Fraction(3)
    power = _ORDER - 1
    # e^{(s-1) rho_s} is the product of the moments, (1-1/s)^s/(s-1) is rational for an integer order
    budget = charges[0] ** 2
    most = budget / ratio**power * Fraction(power, _ORDER) ** _ORDER / power

    @cache
    def admits(released: tuple[int, ...], request: int) -> bool:
        asked = released if late else (*released, request)
        return prod((charges[i] for i in asked), start=Fraction(1)) <= budget

    def comparisons() -> Iterator[Inequality]:
        for tree in all_trees(len(_MENU), 3):
            mean = stick = Fraction(0)
            for end in play(tree, _MENU, admits):
                spent = prod((charges[i] for i in end.released), start=Fraction(1))
                tilted = end.p**_ORDER / end.q**power / spent  # its probability under R
                weight = end.p / tilted
                gain = weight * max(1 - ratio * end.q / end.p, Fraction(0))
                yield gain, "<=", most * share
                mean += tilted * gain
                stick += max(end.p - ratio * end.q, Fraction(0))
            yield mean, "=", stick

    return comparisons


_MOST = Formula(
    "exp((s - 1)*(rho - epsilon))*(1 - 1/s)**s/(s - 1)",
    rocq="cks_bound s B epsilon",
    names={"B": "rho"},
    s=("3/2", "9"),
    rho=("1/16", "2"),
    epsilon=("1/8", "4"),
)

THEOREM = Theorem(
    name="tilted weights",
    title="Tilted simulation under a Rényi or zCDP filter has bounded weights",
    source="this project",
    hypotheses="every order s > 1; mechanisms with finitely many outcomes, any adaptive strategy under a filter that "
    "guarantees sum D_s <= rho_s; rounds drawn from the law proportional to P^s Q^(1-s)",
    claim="The weighted integrand lies in [0, M_s] and its mean is the hockey-stick; M_s is the CKS bound at order s",
    claim_latex=rf"M_s = {_MOST.latex},\quad \rho = \rho_s",
    formulas=(_MOST,),
    uses=("CKS", "RDP filter"),
    steps=(
        in_kernel("tilted_mean_of_finite_losses"),
        Step(
            "The weight of a round is e^((s-1)(D_s - L)), so over the rounds the exponents add.",
            zero(_weight),
            {"wrong sign": zero(lambda: _weight(1))},
            r"\log\frac{dP}{dR} = (s-1)(D_s - L)",
        ),
        Step(
            "With w = e^(epsilon - L) < 1 the weight is e^((s-1)(sum D_s - epsilon)) w^(s-1).",
            zero(_integrand),
            {"wrong sign": zero(lambda: _integrand(-1))},
            r"e^{(s-1)(\sum D_s - L)} = e^{(s-1)(\sum D_s - \varepsilon)}\,w^{s-1}",
        ),
        Step(
            "The filter leaves rho_s - left spent with left >= 0: the exponent is at most that of rho_s.",
            nonnegative(_spend, _spend_terms),
            {"wrong sign": nonnegative(lambda: _spend(-1), lambda: _spend_terms(-1))},
            r"e^{(s-1)\rho_s} - e^{(s-1)(\rho_s-l)} = e^{(s-1)(\rho_s-l)}\int_0^{(s-1)l}e^v\,dv \ge 0",
        ),
        Step(
            "(1-w) w^(s-1) is at most (1-1/s)^s/(s-1), by the maximum in the CKS proof: M_s is the CKS bound.",
            zero(lambda: _bound(1 + t)),
            {"power s - 1": zero(lambda: _bound(t))},
            r"M_s = \delta_{\mathrm{CKS}}(s)",
        ),
        Step(
            "Finite game at order 3 and e^epsilon = 3: all 723 strategies of three rounds on a menu of two coins, "
            "every transcript within [0, M_s], and the tilted mean equal to the hockey-stick.",
            exact(_games()),
            {
                "6 % less than M_s": exact(_games(share=Fraction(94, 100))),
                "a filter that looks at the past only": exact(_games(late=True)),
            },
            r"0 \le \frac{dP}{dR}\left(1-e^{\varepsilon-L}\right)_+ \le M_s",
            checked=Checked.GAME,
        ),
    ),
)
