"""One supermartingale of the privacy loss, at all times at once: what Whitehouse's filter and the odometers rest on."""

from __future__ import annotations

import sympy as sp

from theory.claims.notations import Formula
from theory.claims.table import in_kernel
from theory.claims.theorem import Step, Theorem
from theory.proofs.expressions import as_written
from theory.proofs.symbolic import Sides, signed, zero

__all__ = ["THEOREM"]

k, past, rho, level, epsilon = sp.symbols("k M rho c epsilon", positive=True)
slack, over, v = sp.symbols("slack o v", nonnegative=True)
spent, divergence = sp.symbols("S L", real=True)


def _one_step(growth: sp.Expr) -> Sides:
    # M = e^{kL - k(k+1) S/2}, S = 2 sum rho; the round has D_{k+1} = (k+1) rho - slack, and E e^{kL} = e^{k D}
    moment = sp.exp(k * ((k + 1) * rho - slack))
    after = sp.exp(k * divergence - growth * (spent + 2 * rho) / 2) * moment
    return after, sp.exp(k * divergence - growth * spent / 2) * sp.exp(-k * slack)


@as_written
def _reached() -> sp.Expr:
    # at or above the level: M = c + o, and the bound M/c of the probability is at least 1
    return (level + over) / level - 1


_EXPONENT = Formula("k*L - k*(k + 1)*S/2", k=("1/4", "3"), L=("1/8", "2"), S=("1/16", "1"))

THEOREM = Theorem(
    name="loss supermartingale",
    title="The privacy loss under charges of zCDP, at all times at once",
    source="Whitehouse, Ramdas, Rogers & Wu; the inequality is Ville's, for finitely many rounds by induction",
    hypotheses="mechanisms with finitely many outcomes and finite losses, finitely many rounds chosen by the outputs "
    "so far, mechanism t rho_t-zCDP and S = 2 sum rho_t; k > 0, c > 0",
    claim="M = e^(k L - k (k+1) S/2) has mean at most 1 whenever the game is stopped, and the probability that it ever "
    "reaches c is at most 1/c. The exponent is the value below",
    stated=(r"P\left(\sup_t M_t \ge c\right) \le \tfrac1c,\quad \log M = ", _EXPONENT),
    uses=("RR zCDP",),
    steps=(
        *in_kernel("line_odometer"),
        Step(
            "A round of divergence (k+1) rho - slack at order k + 1 multiplies M by e^(-k slack) in the mean, since "
            "the mean of e^(k L) under P is the moment of order k + 1.",
            zero(lambda: _one_step(k * (k + 1))),
            {"k^2 for k (k+1)": zero(lambda: _one_step(k**2))},
            r"\mathbb{E}[M_t \mid a^{(t-1)}] = M_{t-1}\,e^{-k s}",
        ),
        Step(
            "The slack of a rho-zCDP round is at least 0, so the mean does not rise.",
            *signed(
                lambda: past - past * sp.exp(-k * slack),
                lambda: (past * sp.Integral(sp.exp(-v), (v, 0, k * slack)),),
                wrong="it falls",
            ),
            r"M - Me^{-ks} = M\int_0^{ks}e^{-v}\,dv \ge 0",
        ),
        Step(
            "By induction on the rounds left, the probability that M, now c + o, reaches c is at most M/c: where M is "
            "at least c that is at least 1; where it is below, the means of the bounds after the round add to at most "
            "M/c.",
            *signed(_reached, lambda: (over / level,), wrong="below 1"),
            r"\frac{c+o}{c} - 1 = \frac oc \ge 0",
        ),
    ),
)
