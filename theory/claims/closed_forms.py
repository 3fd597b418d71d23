"""Claims that the kernel proves: closed forms of the field's pairs, of the CKS conversion, and of noise on queries."""

from __future__ import annotations

from theory.claims.any_outcomes import ANY, DP_FILTER_ANY, GAUSSIAN
from theory.claims.conversions import CKS_CONVERSION
from theory.claims.kernel_theorem import beside, decided_by
from theory.claims.notations import Formula
from theory.claims.theorem import Theorem
from theory.kernel.statement import KernelTheorem

__all__ = ["ROWS", "STATEMENTS"]

_COSINES = Formula(
    "log(cosh((alpha - 1/2)*epsilon)/cosh(epsilon/2))/(alpha - 1)",
    rocq="ln (cosh_ratio alpha e) / (alpha - 1)",
    names={"e": "epsilon"},
    alpha=("3/2", "9"),
    epsilon=("1/8", "3"),
)
_HALF_SQUARE = Formula(
    "alpha*epsilon**2/2",
    rocq="alpha * e ^ 2 / 2",
    names={"e": "epsilon"},
    alpha=("3/2", "9"),
    epsilon=("1/8", "3"),
)
_GAUSSIAN_RENYI = Formula(
    "alpha*mu**2/2",
    rocq="alpha * ((p - q) ^ 2 / (2 * sigma ^ 2))",
    names={"p": "mu", "q": "0", "sigma": "1"},
    alpha=("3/2", "9"),
    mu=("1/8", "3"),
)
_CKS = Formula(
    "exp(t*((1 + t)*r - epsilon))*(t/(1 + t))**(1 + t)/t",
    rocq="cks_bound (1 + t) ((1 + t) * r) epsilon",
    t=("1/2", "8"),
    r=("1/64", "1/2"),
    epsilon=("1/2", "4"),
)
_CKS_BUDGET = Formula(
    "(epsilon + log(1 + 1/t))/(2*t + 1)",
    rocq="(epsilon + ln (1 + 1 / t)) / (2 * t + 1)",
    t=("1/2", "8"),
    epsilon=("1/2", "4"),
)
_CKS_DELTA = Formula(
    "exp(-t**2*(epsilon + log(1 + 1/t))/(2*t + 1))/(1 + t)",
    rocq="exp (- (t ^ 2 * cks_budget_at epsilon t)) / (1 + t)",
    t=("1/2", "8"),
    epsilon=("1/2", "4"),
)
_STICK = Formula(
    "(1 - exp((x - epsilon)/2))**2/(1 - exp(-epsilon))",
    rocq="(1 - exp ((x - e) / 2)) ^ 2 / (1 - exp (- e))",
    names={"e": "epsilon"},
    x=("-1/8", "1/8"),
    epsilon=("1/4", "3"),
)
_SIXTH_SQUARE = Formula(
    "alpha*epsilon**2/6",
    rocq="alpha * e ^ 2 / 6",
    names={"e": "epsilon"},
    alpha=("3/2", "9"),
    epsilon=("1/8", "3"),
)
_VARIANCE = Formula("B/(2*kappa)", rocq="B / (2 * kappa)", B=("1/8", "3"), kappa=("1/64", "1"))
_RADIUS = Formula(
    "sqrt(B*log(d/delta)/kappa)",
    rocq="sqrt (B * ln (d / delta) / kappa)",
    B=("1/8", "3"),
    d=("1", "100"),
    delta=("1/1024", "1/2"),
    kappa=("1/64", "1"),
)
_THREE = Formula("exp(-3*epsilon)", rocq="r ^ 3", names={"r": "exp(-epsilon)"}, epsilon=("1/8", "2"))
#: What the sums of the sparse vector technique are of.
_GEOMETRIC = "two-sided geometric noise on whole values, the noise of the threshold summed over a window"

_RESPONSE = decided_by(
    "FieldPairs.response_is_worst",
    "No e-DP mechanism has a Rényi divergence above that of randomised response, a ratio of hyperbolic cosines, which "
    "is at most alpha e^2/2.",
    "Bun & Steinke, Proposition 3.3",
)

#: Claims that the kernel decides, and one whose parts it decides, which prose joins.
ROWS = (
    Theorem(
        name="RR zCDP",
        title="Pure differential privacy implies zCDP",
        source="Bun & Steinke; Feldman & Zrnic, proof of Theorem 4.9",
        hypotheses="epsilon > 0; mechanisms whose two laws have ratios in [e^-epsilon, e^epsilon], with finitely many "
        "outcomes and every order alpha >= 1, or with outcomes of any kind that have two densities and alpha > 1",
        claim="epsilon-DP implies (epsilon^2/2)-zCDP, and no smaller constant than 1/2 will do; with finitely many "
        "outcomes randomised response has the largest divergence",
        stated=(r"D_\alpha(P\|Q) \le ", _COSINES, r" \le ", _HALF_SQUARE),
        steps=(
            _RESPONSE,
            decided_by("FieldPairs.pure_kl", "At order 1 the divergence is at most e^2/2."),
            decided_by(
                "FieldPairs.half_is_least",
                "For each c < 1/2 some randomised response is not (c e^2)-zCDP.",
            ),
            decided_by(
                "PureAnyOutcomes.pure_is_zcdp_any",
                "An e-DP mechanism is (e^2/2)-zCDP, in both directions.",
                "Bun & Steinke, Proposition 3.3",
                covers=f"{ANY}, the densities adding theirs to those of others",
            ),
            beside(
                "PureToZCDP.pure_is_zcdp",
                "An e-DP mechanism is (e^2/2)-zCDP, in both directions.",
                "Bun & Steinke, Proposition 3.3",
            ),
        ),
    ),
    Theorem(
        name="Rényi divergences",
        title="Rényi divergences of the field's pairs",
        source="Mironov; Kairouz, Oh & Viswanath, Theorem 3.4 in the order of hockey-sticks",
        hypotheses="every order alpha > 1; Gaussians with real outcomes, mu > 0; randomised response, e > 0; KOV with "
        "0 < d <= 1 and e >= 0, at e = 0 the erasure; pairs of laws on finitely many outcomes",
        claim="Gaussians have alpha mu^2/2, and what is mu-GDP has no more; randomised response the cosine form, short "
        "of e by at most log 2/(alpha - 1); erasure and KOV are infinite at every order although they are (0, p)-DP "
        "and (e, d)-DP; no (e, d)-DP pair has a hockey-stick above that of KOV at any order > 0",
        stated=(r"D_\alpha(\mathcal N(\mu,1)\|\mathcal N(0,1)) = ", _GAUSSIAN_RENYI),
        steps=(
            decided_by(
                "RealGaussian.gaussian_moment",
                "The integral of p^alpha q^(1 - alpha) for N(p, sigma^2) and N(q, sigma^2), exactly.",
                "Mironov, Proposition 7",
                covers=GAUSSIAN,
            ),
            decided_by(
                "GaussianMoment.gdp_is_zcdp",
                "A mu-GDP round with finitely many outcomes is (mu^2/2)-zCDP, both ways.",
                "Dong, Roth & Su",
            ),
            _RESPONSE,
            decided_by(
                "FieldPairs.response_near_pure",
                "That divergence is at most e, and at least e - log 2/(alpha - 1).",
            ),
            decided_by(
                "FieldPairs.kov_is_private",
                "KOV, at e = 0 an erasure, is (e, d)-DP with equality in both directions, and has no finite Rényi "
                "divergence at any order.",
                "Kairouz, Oh & Viswanath",
            ),
            decided_by(
                "FieldPairs.kov_dominates",
                "What is (e, d)-DP both ways has no hockey-stick above that of KOV, at any order.",
                "Kairouz, Oh & Viswanath, Theorem 3.4",
            ),
            beside(
                "FieldPairs.kov_curve",
                "For x, y >= 0 the sum of (x P - y Q)_+ of KOV is "
                "d x + (1 - d) ((e^e x - y)_+ + (x - e^e y)_+)/(1 + e^e).",
            ),
        ),
    ),
    Theorem(
        name="CKS",
        title="The conversion of Canonne, Kamath and Steinke",
        source="Canonne, Kamath & Steinke; Koskela, Tobaben & Honkela, Lemma C.4",
        hypotheses="epsilon > 0, 0 < delta < 1, every order alpha > 1; transcripts over mechanisms with finitely many "
        "outcomes that are r-zCDP, and filters of zCDP charges over mechanisms with outcomes of any kind that have two "
        "densities",
        claim="r-zCDP implies (epsilon, delta)-DP with the delta below; for each budget one order is the best; for "
        "each delta the budgets that are allowed are those up to r*(t), where delta is delta*(t)",
        stated=(
            r"\delta = \inf_{t>0} ",
            _CKS,
            r",\quad \alpha = 1 + t;\qquad r^*(t) = ",
            _CKS_BUDGET,
            r",\quad \delta^*(t) = ",
            _CKS_DELTA,
        ),
        steps=(
            CKS_CONVERSION,
            DP_FILTER_ANY,
            decided_by(
                "CKSBudget.cks_best_order",
                "For each budget r the bound is least at one order 1 + t, where r = (epsilon + log(1 + 1/t))/(2t + 1).",
            ),
            decided_by(
                "CKSBudget.cks_largest_budget",
                "For each delta there is such a budget that is allowed, with all smaller budgets and no larger.",
            ),
            beside(
                "CKSBudget.cks_fits_up_to",
                "The same at each t: at the delta that the budget of its best order 1 + t gives, that budget is the "
                "largest.",
            ),
            beside(
                "Conversions.cks_below_simple",
                "The bound is at most that of Fact 2.4, at each order.",
            ),
            beside(
                "CKSBudget.cks_at_one_and_1e_5",
                "At epsilon = 1 and delta = 1/100000 the largest budget lies from 0.0305565951 to 0.0305565953.",
            ),
        ),
    ),
    Theorem(
        name="bounded range",
        title="One pair for all mechanisms of bounded range, the exponential mechanism among them",
        source="Dong, Durfee & Rogers (2020) for bounded range; the pair and its charge are this project's",
        hypotheses="epsilon > 0; a mechanism with finitely many outcomes whose loss, between any two neighbours, takes "
        "values in an interval of length at most epsilon; every real order x of the hockey-stick in [-epsilon, "
        "epsilon], outside of which those of epsilon-DP are met; every order alpha > 1",
        claim="The pair with loss density e^(l/2)/(4 sinh(epsilon/2)) on [-epsilon, epsilon] dominates the mechanism, "
        "and no smaller hockey-stick dominates all such; it is (epsilon^2/6)-zCDP",
        stated=(r"H_{e^x}(M(S)\|M(S')) \le ", _STICK, r",\qquad D_\alpha \le ", _SIXTH_SQUARE),
        steps=(
            decided_by(
                "BoundedRange.range_stick",
                "Where the ratio of the laws stays between e^(t - e) and e^t, for any t, no hockey-stick at x is above "
                "the value stated.",
            ),
            decided_by(
                "BoundedRange.range_stick_attained",
                "At each x two outcomes with such ratios have that value.",
            ),
            decided_by(
                "BoundedRange.range_pair_stick",
                "The loss density is one, and the integral of 1 - e^(x - l) over it from x on is that value.",
                covers="the pair of that loss density",
            ),
            decided_by(
                "BoundedRange.range_pair_is_zcdp",
                "The integral of e^((alpha - 1) l) over it is e^((alpha - 1) D) for a D of at most alpha e^2/6.",
                covers="the pair of that loss density",
            ),
        ),
    ),
    Theorem(
        name="sparse vector",
        title="Stopping by the sparse vector technique",
        source="Dwork, Naor, Reingold, Rothblum & Vadhan; Lyu, Su & Li; named by Feldman & Zrnic, Section 5",
        hypotheses="whole values chosen by the answers so far, each at most one apart on two neighbouring data sets; "
        "two-sided geometric noise of e^epsilon, once on the threshold and anew on each value; any number of answers "
        "that it is not reached, and one that it is. The sum over the noise of the threshold is that of finite "
        "windows, each bounded by one; their limit is in prose",
        claim="All answers together are 3 epsilon-DP, and 2 epsilon-DP where no value of one data set is below the "
        "other's",
        stated=(_THREE, r"\,P(T=i) \le Q(T=i)"),
        steps=(
            decided_by(
                "SparseVector.stops_three",
                "That value i is the first which reaches the threshold is at most e^(3 epsilon) times as likely.",
                "Dwork, Naor, Reingold, Rothblum & Vadhan",
                covers=_GEOMETRIC,
            ),
            decided_by(
                "SparseVector.stops_two",
                "Where no value of the other data set is below, at most e^(2 epsilon) times.",
                "Lyu, Su & Li",
                covers=_GEOMETRIC,
            ),
            decided_by(
                "SparseVector.stops_one",
                "Where none is above, at most e^epsilon times.",
                "Lyu, Su & Li",
                covers=_GEOMETRIC,
            ),
            decided_by(
                "SparseVector.waits_one",
                "That none of the values reaches it is at most e^epsilon times as likely.",
                covers=_GEOMETRIC,
            ),
            beside(
                "SparseVector.tail_of_mass",
                "The probability to reach m is that of the noise to be m or more, by its differences.",
                covers=_GEOMETRIC,
            ),
        ),
    ),
    Theorem(
        name="linear queries",
        title="Adaptive linear queries under individual budgets",
        source="Feldman & Zrnic, Corollary 4.7, Propositions 5.1 and 5.2",
        hypotheses="kappa, B_norm > 0, 0 < delta < 1, d coordinates, every order alpha > 1; Gaussian noise of variance "
        "B_norm/(2 kappa) on the sum over the persons whose squared norms stay within B_norm, finitely many queries",
        claim="The answers are kappa-zCDP for each person, and each answer is within sqrt(B_norm log(d/delta)/kappa) "
        "of the truth on the active persons but for probability delta; noisy gradient descent with filtering, of "
        "noise sigma C, is B_norm/(2 sigma^2 C^2)-zCDP",
        stated=(
            r"\sigma^2 = ",
            _VARIANCE,
            r",\quad P\left(\|a_t - q_t(S_t)\|_\infty > ",
            _RADIUS,
            r"\right) \le \delta,\quad B = B_{\mathrm{norm}}",
        ),
        uses=("individual filter",),
        steps=(
            beside(
                "LinearQueries.linear_queries",
                "Adaptive linear queries, answered with each person while squared norms sum to at most B_norm, are "
                "kappa-zCDP for each.",
                "Feldman & Zrnic, Corollary 4.7",
                beyond="Real answers: each has finitely many outcomes here.",
            ),
            beside(
                "NoisyAnswers.query_is_zcdp",
                "With noise of variance B_norm/(2 kappa) a coordinate that a person moves by h costs h^2 kappa/B_norm; "
                "over the coordinates h^2 adds to the squared norm.",
                "Feldman & Zrnic, Corollary 4.7",
                covers=GAUSSIAN,
            ),
            beside(
                "NoisyAnswers.answers_are_near",
                "Of d coordinates with that noise one is beyond the radius with probability at most delta, by a union "
                "bound.",
                "Feldman & Zrnic, Corollary 4.7",
                covers="standard normal numbers",
            ),
        ),
    ),
)

#: Beside them.
STATEMENTS = (
    KernelTheorem(
        "NoisyAnswers.clipped_within",
        "The squares of norms that are clipped to C, and to the root of what is left of B_norm, add up to at most "
        "B_norm.",
        "Feldman & Zrnic, Proposition 5.2",
        covers="any norms and any number of rounds",
    ),
    KernelTheorem(
        "GaussianSlack.slack_half",
        "At squares of mu that add to 2 B* the Gaussian's curve is below delta/2 at epsilon.",
        covers="Gaussian(mu)",
    ),
    KernelTheorem(
        "GaussianSlack.slack_by_mu",
        "There it is at most delta times mu/(t (t + mu)) times the largest density of a standard normal number, t = "
        "sqrt(2 log(1/delta)).",
        covers="Gaussian(mu)",
    ),
    KernelTheorem(
        "TradeOff.gdp_delta_turned",
        "The Gaussian's curve at epsilon is 1 - e^epsilon and e^epsilon times it at -epsilon.",
        covers="Gaussian(mu)",
    ),
    KernelTheorem(
        "NoisyAnswers.two_sided_tail",
        "A standard normal number is beyond x >= 0, on either side, with probability at most e^(-x^2/2).",
        covers="standard normal numbers",
    ),
)
