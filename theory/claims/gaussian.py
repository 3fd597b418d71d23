"""Claims that the kernel proves: filters that compare with one Gaussian."""

from __future__ import annotations

from theory.claims.kernel_theorem import beside, decided_by
from theory.claims.notations import Formula
from theory.claims.theorem import Theorem
from theory.kernel.statement import KernelTheorem

__all__ = ["ROWS", "STATEMENTS"]

_CURVE = Formula(
    "tail(epsilon/B - B/2) - exp(epsilon)*tail(epsilon/B + B/2)",
    rocq="Phi (mu / 2 - epsilon / mu) - exp epsilon * Phi (- mu / 2 - epsilon / mu)",
    names={"mu": "B"},
    epsilon=("1/8", "4"),
    B=("1/2", "3"),
)
_ZCDP = Formula("mu**2/2", rocq="mu ^ 2 / 2", mu=("1/8", "3"))

#: The claims that the kernel decides.
ROWS = (
    Theorem(
        name="GDP filter",
        title="The Gaussian filter: fully adaptive composition under GDP",
        source="Koskela, Tobaben & Honkela, Theorems 11 and C.1",
        hypotheses="every real epsilon; one pair of neighbours, adaptive mechanisms with finitely many outcomes "
        "whose hockey-sticks at every order > 0, both ways, are at most those of Gaussian(mu_t) (mu_t-GDP by Lemma "
        "10), a filter that admits while sum mu_t^2 <= B^2 and decides before the release, finitely many rounds",
        claim="The transcript, stopping time included, is B-GDP; individual filters (Theorem 12) are not covered",
        stated=(
            r"\sum_{t\le T}\mu_t^2 \le B^2 \implies H_{e^\varepsilon} \le ",
            _CURVE,
            r"\text{ for all }\varepsilon",
        ),
        steps=(
            decided_by(
                "GaussianFilter.gaussian_filter",
                "A filter that admits while mu_t^2 sum to at most mu^2, each round mu_t-GDP, keeps the hockey- stick "
                "divergence of the transcript at most delta_mu(epsilon) at each epsilon, both ways.",
                "Koskela, Tobaben & Honkela, Algorithm 2 and Theorem C.1",
                beyond="That a mechanism in doubles is mu-GDP.",
            ),
            beside(
                "GaussianRound.gaussian_round",
                "A mu-GDP round does not raise the mean of what is left above the Gaussian curve of what was left "
                "before: by the heat equation and its maximum principle, without an integral.",
                "Koskela, Tobaben & Honkela, Theorem 11",
            ),
        ),
    ),
    Theorem(
        name="Blackwell filter",
        title="A filter that stays below one Gaussian at every order of the hockey-stick",
        source="Koskela, Tobaben & Honkela, Section 5; Feldman & Zrnic, Remark 4.4",
        hypotheses="every order alpha > 1; mechanisms with finitely many outcomes, of finite losses or mu_t-GDP, "
        "finitely many rounds chosen by the outputs so far; a filter that admits while the hockey-sticks of the "
        "finite mechanisms so far and the next, composed as if fixed in advance, are both ways and at every real "
        "epsilon at most those of some Gaussian(m) with m^2 plus the sum of the mu_t^2 at most mu^2",
        claim="The transcript is (mu^2/2)-zCDP",
        stated=(r"\rho = ", _ZCDP),
        steps=(
            decided_by(
                "BlackwellFilter.blackwell_filter",
                "A filter that admits while the finite mechanisms so far, composed as if fixed in advance, stay below "
                "some Gaussian(m) at each epsilon and m^2 plus the mu_t^2 of the other rounds is at most mu^2 keeps "
                "the transcript (mu^2/2)-zCDP, whatever rule finds m.",
                "Koskela, Tobaben & Honkela, Section 5",
                beyond="That the transcript is mu-GDP, which need not be; infinite losses.",
            ),
        ),
    ),
)

#: Beside them: what other theorems use, examples, and what a row does not need.
STATEMENTS = (
    KernelTheorem(
        "GaussianFilter.gaussian_promise",
        "So the transcript is (epsilon, delta_mu(epsilon))-DP at each epsilon.",
        "Koskela, Tobaben & Honkela, Theorem C.1",
    ),
    KernelTheorem(
        "GaussianMoment.gdp_is_zcdp",
        "A mu-GDP round with finitely many outcomes is (mu^2/2)-zCDP, both ways.",
        "Dong, Roth & Su",
    ),
    KernelTheorem(
        "GaussianFilter.threshold_is_gdp",
        "An example: whether a Gaussian is above its middle is mu-GDP, so honesty can be met.",
    ),
    KernelTheorem(
        "BlackwellFilter.gaussian_is_granted", "An example: a thresholded Gaussian is honest and granted."
    ),
)
