"""A filter for each person.

Sources: Feldman & Zrnic (2021), Theorem 4.5, Corollary 4.11 and Algorithm 7; Koskela, Tobaben & Honkela (2023), Theorem
12 and Remark C.3.
"""

from __future__ import annotations

import sympy as sp

from filterproof.theory.proofs.symbolic import (
    Sides,
    identity_check_and_control,
    sign_check_and_controls,
    without_evaluation,
)
from filterproof.theory.theorems.formula import Formula
from filterproof.theory.theorems.theorem import ProofStep, Theorem, supporting_steps

alpha, norm, sigma, clip, m, rest = sp.symbols("alpha B sigma C m d", positive=True)
least, over = sp.symbols("a over", nonnegative=True)
power = sp.Symbol("theta", real=True)


@without_evaluation
def _lipschitz_charge_excess() -> sp.Expr:
    # an analysis that changes by h, at most the person's norm v times the constant: v K = h + over
    charge = alpha * (least + over) ** 2 / (2 * sigma**2)
    return charge - alpha * least**2 / (2 * sigma**2)


@without_evaluation
def _rdp_by_gdp_and_zcdp_sides() -> Sides:
    # alpha/2 times the square of the GDP parameter, and alpha times the zCDP parameter
    mu = sp.sqrt(norm) / (sigma * clip)
    return alpha * mu**2 / 2, alpha * (norm / (2 * sigma**2 * clip**2))


@without_evaluation
def _round_and_rest_moment_sides() -> Sides:
    # a round m, then the remainder, against R = m + d
    def loss_moment(squares: sp.Expr) -> sp.Expr:
        return sp.exp(power * (power - 1) / 2 * squares)

    return loss_moment(m**2) * loss_moment((m + rest) ** 2 - m**2), loss_moment((m + rest) ** 2)


_MU = Formula("sqrt(n)/(sigma*C)")

THEOREM = Theorem(
    name="individual filter",
    title="Individual filters: a filter for each person",
    source="Feldman & Zrnic, Example 2.8, Theorem 4.5, Corollary 4.11, Proposition 5.2; Koskela, "
    "Tobaben & Honkela, Theorem 12, Remark C.3",
    hypotheses="every order alpha >= 1 (for GDP every real epsilon); a Rényi, zCDP or Gaussian filter for each person; "
    "finitely many rounds, each mechanism chosen by the outputs so far and applied to those whose own filter admits, "
    "before the release, a pair that dominates it both ways for removing that person from each data set that holds "
    "the person (Definition 2.5); the others are not charged. Clipping: sigma, C, B_norm > 0, once a round Gaussian "
    "noise of standard deviation sigma C per coordinate on the sum of vectors clipped to min(C, sqrt(B_norm - s)), s "
    "the person's squared norms so far. Trackers: charges of at most Delta by Definition 2.5 or 2.6, nobody sits out, "
    "so that two data sets that differ in the person are one pair of neighbours to the theorem on trackers",
    claim="For adding or removing one person the transcript satisfies what the filter promises for one analysis: "
    "(alpha, B)-RDP, zCDP or B-GDP. With clipping it is B_norm/(2 sigma^2 C^2)-zCDP and sqrt(B_norm)/(sigma C)-GDP, "
    "and exactly this Gaussian where the person's squared norms add to B_norm on each path. The transcript up to the "
    "m-th restart of the tracker, of filters of size Delta, of a person who is never left out is (alpha, m Delta)-RDP "
    "for that person",
    statement=(
        r"D_\alpha(T\|T^{-i}) \le B,\qquad \sum_t\|v_t\|^2 \le n \implies H_{e^\varepsilon} \le "
        r"\delta_\mu(\varepsilon),\quad \mu = ",
        _MU,
        r",\ n = B_{\mathrm{norm}}",
    ),
    uses=("RDP filter", "GDP filter", "Rényi divergences", "Gaussian hockey-stick", "trackers"),
    steps=(
        *supporting_steps(
            "individual_filter",
            "individual_renyi_filter",
            "individual_zcdp_filter",
            "individual_gaussian_filter",
            "individual_tracker",
            "clipped_within",
            "gaussian_moment",
        ),
        ProofStep(
            "Noise of standard deviation sigma on an analysis of all vectors: where it moves by h <= K |v|, as it does "
            "if it is K-Lipschitz in this person's vector and a removed one is the origin, alpha K^2 |v|^2/(2 sigma^2) "
            "is enough (Example 2.8), and so is Gaussian(K |v|/sigma).",
            *sign_check_and_controls(
                _lipschitz_charge_excess,
                lambda: (alpha * over * (2 * least + over) / (2 * sigma**2),),
            ),
            r"\frac{\alpha K^2\|v\|^2}{2\sigma^2} \ge \frac{\alpha h^2}{2\sigma^2},\quad K\|v\| = h + o",
        ),
        ProofStep(
            "Per coordinate that a person moves by h the loss is that of two Gaussians at mu = h/(sigma C), whatever "
            "the others' sum is: the pair is Gaussian(|v|/(sigma C)), and a filter of squares admits each clipped "
            "round. At B_norm the GDP parameter sqrt(B_norm)/(sigma C) is the zCDP parameter B_norm/(2 sigma^2 C^2).",
            *identity_check_and_control(_rdp_by_gdp_and_zcdp_sides),
            r"\frac{\mu^2}{2} = \frac{B_{\mathrm{norm}}}{2\sigma^2C^2},"
            r"\quad \mu = \frac{\sqrt{B_{\mathrm{norm}}}}{\sigma C}",
        ),
        ProofStep(
            "Tightness, from the last round back: where mu_t^2 adds to B^2 on each path, the loss still to come "
            "has, given the outputs, the law of one Gaussian of square R^2, with R^2 what is left: a round m and then "
            "R^2 - m^2 have the means of R^2. So L has the law of Gaussian(B)'s in both directions, and with it its "
            "hockey-sticks.",
            *identity_check_and_control(_round_and_rest_moment_sides),
            r"e^{\theta(\theta-1)m^2/2}\,e^{\theta(\theta-1)(R^2-m^2)/2} = e^{\theta(\theta-1)R^2/2},\quad R = m + d",
        ),
    ),
)
