"""Claims that the kernel proves: closed forms of common pairs, of the CKS conversion, and of noise on queries."""

from __future__ import annotations

from filterproof.theory.theorems.formula import Formula
from filterproof.theory.theorems.theorem import Theorem, kernel_steps, supporting_steps

_COSINES = Formula(
    "log(cosh((alpha - 1/2)*epsilon)/cosh(epsilon/2))/(alpha - 1)",
    rocq="ln (cosh_ratio alpha e) / (alpha - 1)",
    names={"e": "epsilon"},
)
_HALF_SQUARE = Formula("alpha*epsilon**2/2", rocq="alpha * e ^ 2 / 2", names={"e": "epsilon"})
_GAUSSIAN_RENYI = Formula(
    "alpha*mu**2/2", rocq="alpha * ((p - q) ^ 2 / (2 * sigma ^ 2))", names={"p": "mu", "q": "0", "sigma": "1"}
)
_CKS = Formula(
    "exp(t*((1 + t)*r - epsilon))*(t/(1 + t))**(1 + t)/t", rocq="cks_bound (1 + t) ((1 + t) * r) epsilon"
)
_CKS_BUDGET = Formula("(epsilon + log(1 + 1/t))/(2*t + 1)", rocq="(epsilon + ln (1 + 1 / t)) / (2 * t + 1)")
_CKS_DELTA = Formula(
    "exp(-t**2*(epsilon + log(1 + 1/t))/(2*t + 1))/(1 + t)",
    rocq="exp (- (t ^ 2 * cks_budget_at epsilon t)) / (1 + t)",
)
_STICK = Formula(
    "(1 - exp((x - epsilon)/2))**2/(1 - exp(-epsilon))",
    rocq="(1 - exp ((x - e) / 2)) ^ 2 / (1 - exp (- e))",
    names={"e": "epsilon"},
)
_SIXTH_SQUARE = Formula("alpha*epsilon**2/6", rocq="alpha * e ^ 2 / 6", names={"e": "epsilon"})
_VARIANCE = Formula("B/(2*kappa)", rocq="B / (2 * kappa)")
_RADIUS = Formula("sqrt(B*log(d/delta)/kappa)", rocq="sqrt (B * ln (d / delta) / kappa)")
_THREE = Formula("exp(-3*epsilon)", rocq="r ^ 3", names={"r": "exp(-epsilon)"})


#: Claims that the kernel decides, and one whose parts it decides and prose joins.
ROWS = (
    Theorem(
        name="RR zCDP",
        title="Pure differential privacy implies zCDP",
        source="Bun & Steinke; Feldman & Zrnic, proof of Theorem 4.9",
        hypotheses="epsilon > 0; mechanisms whose two laws have ratios in [e^-epsilon, e^epsilon], with finitely many "
        "outcomes and every order alpha >= 1, or with outcomes of any kind that have two densities and alpha > 1",
        claim="epsilon-DP implies (epsilon^2/2)-zCDP, and no smaller constant than 1/2 will do; with finitely many "
        "outcomes and alpha > 1 randomised response has the largest divergence",
        statement=(r"D_\alpha(P\|Q) \le ", _COSINES, r" \le ", _HALF_SQUARE),
        steps=kernel_steps("response_is_worst", "pure_kl", "half_is_least", "pure_is_zcdp_any")
        + supporting_steps("pure_is_zcdp"),
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
        statement=(r"D_\alpha(\mathcal N(\mu,1)\|\mathcal N(0,1)) = ", _GAUSSIAN_RENYI),
        steps=kernel_steps(
            "gaussian_moment",
            "gdp_is_zcdp",
            "response_is_worst",
            "response_near_pure",
            "kov_is_private",
            "kov_dominates",
        )
        + supporting_steps("kov_curve"),
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
        statement=(
            r"\delta = \inf_{t>0} ",
            _CKS,
            r",\quad \alpha = 1 + t;\qquad r^*(t) = ",
            _CKS_BUDGET,
            r",\quad \delta^*(t) = ",
            _CKS_DELTA,
        ),
        steps=kernel_steps(
            "cks_conversion", "approximate_dp_filter_any", "cks_best_order", "cks_largest_budget"
        )
        + supporting_steps("cks_fits_up_to", "cks_below_simple", "cks_at_one_and_1e_5"),
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
        statement=(r"H_{e^x}(M(S)\|M(S')) \le ", _STICK, r",\qquad D_\alpha \le ", _SIXTH_SQUARE),
        steps=kernel_steps("range_stick", "range_stick_attained", "range_pair_stick", "range_pair_is_zcdp"),
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
        statement=(_THREE, r"\,P(T=i) \le Q(T=i)"),
        steps=kernel_steps("stops_three", "stops_two", "stops_one", "waits_one")
        + supporting_steps("tail_of_mass"),
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
        statement=(
            r"\sigma^2 = ",
            _VARIANCE,
            r",\quad P\left(\|a_t - q_t(S_t)\|_\infty > ",
            _RADIUS,
            r"\right) \le \delta,\quad B = B_{\mathrm{norm}}",
        ),
        uses=("individual filter",),
        steps=supporting_steps("linear_queries", "query_is_zcdp", "answers_are_near"),
    ),
)
