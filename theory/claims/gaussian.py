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
_HITS = Formula("1 - tail(t + mu)", rocq="Phi (t + mu)", t=("-3", "3"), mu=("1/4", "3"))
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
        stated=(_HITS,),
        steps=(
            decided_by(
                "TradeOff.blackwell_order",
                "Of two pairs one has at least the hockey-stick divergence of the other at each weight where for each "
                "test of the other it has one with no more false alarms and no fewer hits, and only there.",
                "Koskela, Tobaben & Honkela, Appendix C.6; Dong, Roth & Su, Proposition 2.12",
                beyond="The Markov kernel of Blackwell's theorem.",
            ),
            decided_by(
                "TradeOff.lemma_10",
                "Both ways at each epsilon >= 0 below the Gaussian's curve is one way at each real epsilon.",
                "Koskela, Tobaben & Honkela, Lemma 10",
            ),
            decided_by(
                "TradeOff.gdp_tests",
                "That is so where no test with at most Phi(t) false alarms has more than Phi(t + mu) hits, for each t, "
                "and only there.",
                "Dong, Roth & Su, Definition 2.6",
            ),
            beside(
                "TradeOff.best_test",
                "The hockey-stick divergence is the most that hits can exceed e^epsilon times the false alarms by.",
                "Koskela, Tobaben & Honkela, (C.4)",
            ),
        ),
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
        stated=(r"v_0 = B^2 \implies H_{e^\varepsilon} \le ", _CURVE, r"\text{ for all }\varepsilon"),
        steps=(
            decided_by(
                "GaussianResidue.gaussian_residue_filter",
                "A filter whose level falls, over each granted round, by what the round's pair costs before the "
                "Gaussian curve of a floor that is not above the next level, both ways, keeps the hockey-stick "
                "divergence of the transcript at most delta_mu(epsilon) at each epsilon, mu^2 the first level.",
                beyond="That the charges of a filter satisfy the inequality.",
            ),
            beside(
                "ResidueFilter.residue_filter",
                "One theorem for filters with a payoff for each state, the potential filter among them.",
                "Regehr, Hu, Leeman, Manurangsi, Tholoniat & Lécuyer, by the abstract",
            ),
            beside(
                "GaussianRound.later",
                "What a finite pair costs before the Gaussian curve of a floor, it costs before that of any higher "
                "level.",
            ),
            beside(
                "GaussianResidue.gaussian_replaces",
                "Before a Gaussian curve a finite pair may stand for every round that it dominates.",
            ),
            beside(
                "GaussianResidue.response_dominates",
                "Randomised response dominates every mechanism with finitely many outcomes of its epsilon.",
                "Kairouz, Oh & Viswanath",
            ),
            beside(
                "GaussianResidue.threshold_is_charged",
                "An example: a thresholded Gaussian, once, meets the hypotheses.",
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
        "GaussianFilter.threshold_is_gdp",
        "An example: whether a Gaussian is above its middle is mu-GDP, so honesty can be met.",
    ),
    KernelTheorem(
        "BlackwellFilter.gaussian_is_granted", "An example: a thresholded Gaussian is honest and granted."
    ),
)
