"""Infinite losses that are weighed and not drawn: the mean of what they add, and bounded weights for the rest."""

from __future__ import annotations

import sympy as sp

from theory.claims.notations import Formula
from theory.claims.table import in_kernel
from theory.claims.theorem import Step, Theorem
from theory.proofs.expressions import as_written
from theory.proofs.symbolic import Sides, signed, zero

__all__ = ["THEOREM"]

kept, d, t, eps = sp.symbols("K d t epsilon", positive=True)
log_p, log_q, log_kept, log_mean = sp.symbols("p q k c", real=True)
left, v = sp.symbols("left v", nonnegative=True)
rho = sp.Symbol("rho", positive=True)


@as_written
def _meets(next_one: sp.Expr) -> Sides:
    # the probability that a path met an infinite loss: before, or in the next round
    return (1 - kept) + kept * next_one, 1 - kept * (1 - d)


@as_written
def _weight(sign: int = -1) -> Sides:
    # P given that its loss is finite has the log-mass p - k; R is tilted from it: log R = p - k + t (p - q) - c with c
    # the log of the mean of e^{t L} given that L is finite
    drawn = log_p - log_kept + t * (log_p - log_q) - log_mean
    return (log_p - log_kept) - drawn, log_mean + sign * t * (log_p - log_q)


@as_written
def _returned(sign: int = 1) -> Sides:
    # K times the weight brings back the mass under P itself
    drawn = log_p - log_kept + t * (log_p - log_q) - log_mean
    return sign * log_kept + ((log_p - log_kept) - drawn) + drawn, log_p


_MEETS = Formula("1 - K*(1 - d)", K=("1/2", "1"), d=("1/64", "1/2"))

THEOREM = Theorem(
    name="infinite losses",
    title="Infinite losses weighed instead of drawn",
    source="this project",
    hypotheses="every order s > 1; mechanisms with finitely many outcomes, finitely many rounds chosen by the outputs "
    "so far; d_t the probability under P of an infinite loss in round t, K the product of 1 - d_t along a path; on "
    "each path sum d_t <= xi, and log E_P[e^((s-1) L) | L finite] adds to at most (s-1) rho_s",
    claim="Drawn without infinite losses, 1 - K has the mean P(some loss is infinite) and lies in [0, xi]; K times the "
    "tilted weight times 1 - e^(epsilon - L), where positive, lies in [0, M_s]; the two means add to the hockey-stick. "
    "One more round with d takes 1 - K to the value below",
    stated=(
        r"H = \mathbb{E}_{P^\circ}[1-K] + "
        r"\mathbb{E}_R\left[K\,\tfrac{dP^\circ}{dR}(1-e^{\varepsilon-L})_+\right],\qquad ",
        _MEETS,
    ),
    uses=("tilted weights", "basic composition"),
    steps=(
        *in_kernel("tilted_weights_bounded", "tilted_mean"),
        Step(
            "After an infinite loss the integrand is 1, whatever follows; before one, the next round has an infinite "
            "loss with probability d: the probability of having met one follows 1 - K, so its mean is their share.",
            zero(lambda: _meets(d)),
            {"met again after it was met": zero(lambda: _meets(d / kept))},
            r"(1-K) + Kd = 1 - K(1-d)",
        ),
        Step(
            "Given that its loss is finite a round has the masses p/k; its weight against the tilted law is e^(c - "
            "(s-1) L) with c the log-mean that the engine adds up.",
            zero(_weight),
            {"wrong sign": zero(lambda: _weight(1))},
            r"\log\frac{dP^\circ}{dR} = c - (s-1)L",
        ),
        Step(
            "K times that weight turns masses of R into masses of P on the paths without infinite losses.",
            zero(_returned),
            {"divided by K": zero(lambda: _returned(-1))},
            r"K\,\frac{dP^\circ}{dR}\,R = P",
        ),
        Step(
            "The log-means leave (s-1) times rho_s - left with left >= 0, and K <= 1: the weighted value is at most "
            "that of the theorem on tilted weights.",
            *signed(
                lambda: sp.exp(t * rho) - sp.exp(t * (rho - left)),
                lambda: (sp.exp(t * (rho - left)) * sp.Integral(sp.exp(v), (v, 0, t * left)),),
                wrong="wrong sign",
            ),
            r"e^{(s-1)\rho_s} - e^{(s-1)(\rho_s-l)} = e^{(s-1)(\rho_s-l)}\int_0^{(s-1)l}e^v\,dv \ge 0",
        ),
    ),
)
