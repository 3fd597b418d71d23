"""Claims that the kernel proves: filters that compare with one Gaussian."""

from __future__ import annotations

from filterproof.theory.theorems.formula import Formula
from filterproof.theory.theorems.theorem import Theorem, kernel_steps, supporting_steps

GDP_CURVE = Formula(
    "tail(epsilon/B - B/2) - exp(epsilon)*tail(epsilon/B + B/2)",
    rocq="Phi (mu / 2 - epsilon / mu) - exp epsilon * Phi (- mu / 2 - epsilon / mu)",
    names={"mu": "B"},
)
_HITS = Formula("1 - tail(t + mu)", rocq="Phi (t + mu)")
_ZCDP = Formula("mu**2/2", rocq="mu ^ 2 / 2")
_SHARE = Formula("mu/(t*(t + mu))", rocq="mu / (t * (t + mu))")

#: The claims that the kernel decides.
ROWS = (
    Theorem(
        name="GDP filter",
        title="The Gaussian filter: fully adaptive composition under GDP",
        source="Koskela, Tobaben & Honkela, Theorems 11 and C.1",
        hypotheses="every real epsilon; one pair of neighbours, adaptive mechanisms with finitely many outcomes "
        "whose hockey-sticks at every order > 0, both ways, are at most those of Gaussian(mu_t) (mu_t-GDP by Lemma "
        "10), a filter that admits while sum mu_t^2 <= B^2 and decides before the release, finitely many rounds",
        claim="The transcript, stopping time included, is B-GDP. For Theorem 12 and real outcomes see 'GDP filter, any "
        "outcomes'",
        statement=(
            r"\sum_{t\le T}\mu_t^2 \le B^2 \implies H_{e^\varepsilon} \le ",
            GDP_CURVE,
            r"\text{ for all }\varepsilon",
        ),
        steps=kernel_steps("gaussian_filter") + supporting_steps("gaussian_round"),
    ),
    Theorem(
        name="trade-off functions",
        title="Hockey-sticks and tests say the same: GDP by either",
        source="Koskela, Tobaben & Honkela, Lemma 10 and Appendix C.6",
        hypotheses="laws with finitely many outcomes, tests that may flip coins, every real epsilon; mu > 0, mu = 0 "
        "in the part on epsilon. C.6 does not say which law the false alarms of T[P, Q] are counted under; counted "
        "under P, as Dong, Roth and Su do, (C.4) is H of Q and P. The last sentence of C.6, that a Markov kernel maps "
        "one pair to the other, is not covered",
        claim="One pair has at least the hockey-stick divergence of another at every epsilon if and only if its tests "
        "are at least as good; a mechanism is mu-GDP if and only if its hockey-stick divergence, one way, is at most "
        "the Gaussian's at every real epsilon, and if and only if no test with Phi(t) false alarms has more hits than",
        statement=(_HITS,),
        steps=kernel_steps("blackwell_order", "lemma_10", "gdp_tests") + supporting_steps("best_test"),
    ),
    Theorem(
        name="GDP residue filter",
        title="The Gaussian residue filter: a round costs what it leaves less of a Gaussian curve",
        source="derived here; Regehr, Hu, Leeman, Manurangsi, Tholoniat & Lécuyer, arXiv 2602.15815, have a GDP "
        "residue filter, of which the abstract was read",
        hypotheses="every real epsilon; mechanisms with finitely many outcomes, finitely many rounds chosen by the "
        "outputs so far, each dominated at every epsilon, both ways, by the finite pair that it declares; a filter "
        "that goes from level v to level v - c >= w >= 0 only where that pair, played before the Gaussian curve of "
        "w, is at most the Gaussian curve of w + c, both ways, and decides before the release",
        claim="The transcript is B-GDP, B^2 the first level",
        statement=(r"v_0 = B^2 \implies H_{e^\varepsilon} \le ", GDP_CURVE, r"\text{ for all }\varepsilon"),
        steps=kernel_steps("gaussian_residue_filter")
        + supporting_steps(
            "residue_filter", "later", "gaussian_replaces", "response_dominates", "threshold_is_charged"
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
        statement=(r"\rho = ", _ZCDP),
        steps=kernel_steps("blackwell_filter"),
    ),
    Theorem(
        name="Gaussian slack",
        title="What B* leaves unused on Gaussian rounds",
        source="Feldman & Zrnic, Theorem 4.9, against Koskela, Tobaben & Honkela, equation (2.3)",
        hypotheses="Gaussian rounds with sum mu_i^2/2 = B*, B* the simple budget; epsilon > 0, 0 < delta < 1",
        claim="The true delta at B* is always less than half the promised one, and at most the promised one times the "
        "value below over sqrt(2 pi), t = sqrt(2 log(1/delta)) and mu = sqrt(2 B*)",
        statement=(
            r"\frac{\delta_\mu(\varepsilon)}{\delta} < \tfrac12,\qquad "
            r"\frac{\delta_\mu(\varepsilon)}{\delta} \le \tfrac1{\sqrt{2\pi}}\cdot",
            _SHARE,
        ),
        steps=kernel_steps("slack_half", "slack_by_mu"),
    ),
)
