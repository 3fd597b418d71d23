"""Poisson subsampling: the sampled pair dominates the sampled mechanism (Koskela, Tobaben & Honkela 2023, Lemma 8)."""

from __future__ import annotations

import sympy as sp

from filterproof.theory.proofs.symbolic import identity_check, sign_checks
from filterproof.theory.theorems.formula import Formula
from filterproof.theory.theorems.theorem import ProofStep, Theorem

# a and b are the densities without and with the person at one output; rate is the sampling rate, kept = 1 - rate.
a, b = sp.symbols("a b", nonnegative=True)
rate, kept, x, share = sp.symbols("gamma k x c", positive=True)
over, gap, u_plus, u_minus, v_plus, v_minus = sp.symbols("over gap u u' v v'", nonnegative=True)


def _mixed() -> sp.Expr:
    return (1 - rate) * a + rate * b


def _order() -> sp.Expr:
    """Return the order at which the pair itself is read, y = 1 + (x - 1) / gamma."""
    (found,) = sp.solve(sp.expand(_mixed() - x * a - rate * (b - share * a)).coeff(a), share)
    return found


_ORDER = Formula("1 + (x - 1)/gamma")

THEOREM = Theorem(
    name="subsampling",
    title="Poisson subsampling of a dominating pair",
    source="Koskela, Tobaben & Honkela, Lemma 8, with the misprint in the removal pair corrected; Zhu, Dong & Wang",
    hypotheses="0 < gamma < 1, every order x > 0; (P, Q) dominates the mechanism for adding a person, H_x(A || B) <= "
    "H_x(P || Q), and (Q, P) for removing one; the sample takes each person independently with probability gamma",
    claim="((1-gamma) P + gamma Q, P) dominates the sampled mechanism for removing a person, and (P, (1-gamma) P + "
    "gamma Q) for adding one",
    statement=(r"H_x\left((1-\gamma)P+\gamma Q\,\|\,P\right) = \gamma\,H_y(Q\|P),\quad y = ", _ORDER),
    steps=(
        ProofStep(
            "Whether the person is sampled or not: the density is (1-gamma) a + gamma b. The integrand at order x is "
            "gamma times that of b against a at the order y = 1 + (x-1)/gamma.",
            *identity_check(lambda: (_mixed() - x * a, rate * (b - _order() * a))),
            r"(1-\gamma)a+\gamma b-xa = \gamma(b-ya)",
        ),
        ProofStep(
            "y is the one of the statement.",
            *identity_check(lambda: (_order(), 1 + (x - 1) / rate)),
            r"y = 1+\frac{x-1}\gamma",
        ),
        ProofStep(
            "y is an order, at least 0, exactly where x >= 1 - gamma: there H_x of the mixture is gamma H_y(B || A), "
            "at most gamma H_y(Q || P), which is H_x of the sampled pair by the same line.",
            *sign_checks(lambda: _order().subs(x, 1 - rate + over), lambda: (over / rate,)),
            r"x = 1-\gamma+o:\quad y = \frac o\gamma \ge 0",
        ),
        ProofStep(
            "Where x < 1 - gamma the integrand is nowhere negative, so that H_x is 1 - x for the mechanism and the "
            "pair.",
            *sign_checks(
                lambda: (_mixed() - x * a).subs(x, 1 - rate - gap),
                lambda: (gap * a, rate * b),
            ),
            r"x = 1-\gamma-g:\quad (1-\gamma)a+\gamma b-xa = ga+\gamma b \ge 0",
        ),
        ProofStep(
            "For adding a person the integrand is 1 - k x times that of a against b at the order gamma x/(1 - k x), "
            "k = 1 - gamma.",
            *identity_check(
                lambda: (
                    a - x * (kept * a + rate * b),
                    (1 - kept * x) * (a - (rate * x / (1 - kept * x)) * b),
                )
            ),
            r"a-x(ka+\gamma b) = (1-kx)\left(a-\tfrac{\gamma x}{1-kx}b\right)",
        ),
        ProofStep(
            "Where k x >= 1 it is nowhere positive: H_x is 0 for the mechanism and the pair.",
            *sign_checks(
                lambda: (x * (kept * a + rate * b) - a).subs(x, (1 + over) / kept),
                lambda: (over * a, (1 + over) * rate * b / kept),
            ),
            r"kx = 1+o:\quad x(ka+\gamma b)-a = oa+x\gamma b \ge 0",
        ),
        ProofStep(
            "The sample of the other people is the same with the person and without: both laws are averages with the "
            "same weights, and positive parts u, v of two integrands, u' and v' their negative parts, add up to at "
            "least the positive part of the sum. So H_x of the averages is at most the average of the H_x.",
            *sign_checks(
                lambda: u_plus + v_plus - ((u_plus - u_minus) + (v_plus - v_minus)),
                lambda: (u_minus, v_minus),
            ),
            r"u_++v_+-(u+v) = u_-+v_- \ge 0",
        ),
    ),
)
