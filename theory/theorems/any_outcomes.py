"""Claims that the kernel proves for outcomes of any kind, e.g. real numbers, with integrals in place of sums."""

from __future__ import annotations

from filterproof.theory.theorems.approximate import SPENT_DELTA
from filterproof.theory.theorems.conversion_theorems import B_STAR
from filterproof.theory.theorems.formula import Formula
from filterproof.theory.theorems.gaussian_theorems import GDP_CURVE
from filterproof.theory.theorems.theorem import Theorem, kernel_steps, supporting_steps

_MECHANISMS = (
    "adaptive mechanisms with outcomes of any kind, given by two densities against an integral on them, which is "
    "monotone, homogeneous and subadditive where functions are not negative, as every upper integral is, on the real "
    "line Lebesgue's; finitely many rounds on each path, chosen by the outcomes so far"
)
_ITERATED = (
    "iterated integrals. That these are integrals against the law of the transcript, where all is measurable, is "
    "Tonelli's theorem, which is not covered"
)

_MOMENT = Formula("exp((alpha - 1) * B)", rocq="exp ((alpha - 1) * rho)", names={"rho": "B"})
_CONVERTED = Formula(
    "exp(t*(B - epsilon))*(t/(1 + t))**(1 + t)/t",
    rocq="cks_bound alpha (budget alpha) epsilon",
    names={"alpha": "1 + t", "budget alpha": "B"},
)
_KEPT = Formula(
    "exp(t*(B - epsilon))*(t/(1 + t))**(1 + t)/t",
    rocq="cks_bound alpha B epsilon",
    names={"alpha": "1 + t"},
)
_EVENT = Formula("exp(epsilon)*q + delta")
_GAUSSIAN_RHO = Formula("(p - q)**2/(2*sigma**2)", rocq="(p - q) ^ 2 / (2 * sigma ^ 2)")
_MIXED = Formula("(1 - gamma)*p + gamma*q", rocq="(1 - gamma) * a + gamma * b", names={"a": "p", "b": "q"})

#: The claims that the kernel decides.
ROWS = (
    Theorem(
        name="RDP filter, any outcomes",
        title="The Rényi filter for outcomes of any kind",
        source="Feldman & Zrnic, Theorem 4.3 and Remark 4.4",
        hypotheses=f"every order alpha > 1; {_MECHANISMS}; declared rho_t >= D_alpha both ways, a filter that admits "
        "while sum rho_t <= B and decides before the release",
        claim="The transcript, of densities p and q, stopping time included, is (alpha, B)-RDP; with rho_t = alpha r_t "
        "and B = alpha r the condition is the same at every order, so sum r_t <= r gives r-zCDP. Its moments are "
        f"{_ITERATED}",
        statement=(r"\sum_{t\le T}\rho_t \le B \implies \int p^\alpha q^{1-\alpha} \le ", _MOMENT),
        steps=kernel_steps("renyi_filter_any", "zcdp_filter_any") + supporting_steps("finitely_many"),
    ),
    Theorem(
        name="approximate-DP filter, any outcomes",
        title="The approximate-DP filter for outcomes of any kind",
        source="Feldman & Zrnic, Theorem 4.9",
        hypotheses=f"epsilon > 0, 0 < delta < 1; {_MECHANISMS}; a filter that admits while zCDP charges, for an "
        "e_t-DP mechanism whose densities add their integrals, as measurable ones do, e_t^2/2, sum to at most B and "
        "decides before the release, B > 0 any budget that the simple or the CKS conversion allows",
        claim="The transcript is (epsilon, delta)-DP; B = B* is one such budget. Gaussian releases of real numbers are "
        "charged rho = (p - q)^2/(2 sigma^2), Laplace releases half the square of |p - q|/scale. Probabilities are "
        f"{_ITERATED}",
        statement=(
            r"\sum_{t\le T}\rho_t \le B^*(\varepsilon,\delta) = ",
            B_STAR,
            r",\qquad \rho(\mathcal N(p, \sigma^2), \mathcal N(q, \sigma^2)) = ",
            _GAUSSIAN_RHO,
        ),
        steps=kernel_steps(
            "approximate_dp_filter_any", "theorem_4_9_any", "gaussian_filter_real", "laplace_filter_real"
        )
        + supporting_steps("gaussian_is_zcdp"),
    ),
    Theorem(
        name="all orders, any outcomes",
        title="A filter with a budget at every order of a set, for outcomes of any kind",
        source="Feldman & Zrnic, Theorem 4.3 and Remark 4.4",
        hypotheses=f"finitely many orders alpha_j > 1 fixed in advance; {_MECHANISMS}; declared divergences at least "
        "the true ones both ways; a filter that admits while the declared divergences sum to at most B_j at each order "
        "alpha_j, and decides before the release",
        claim="The transcript is (alpha_j, B_j)-RDP at each of the orders, so (epsilon, delta)-DP with delta the least "
        f"of the values below, t = alpha_j - 1 and B = B_j. Moments and probabilities are {_ITERATED}",
        statement=(
            r"D_{\alpha_j} \le B_j \text{ for all } j,\qquad \delta(\varepsilon) \le \min_j ",
            _CONVERTED,
        ),
        steps=kernel_steps("all_orders_filter_any", "all_orders_delta_any"),
    ),
    Theorem(
        name="basic composition, any outcomes",
        title="Basic composition for outcomes of any kind",
        source="Rogers, Roth, Ullman & Vadhan; Taylor, Vippathalla & Coon, Section II-A",
        hypotheses=f"epsilon, delta >= 0; {_MECHANISMS}; the integral of (p - e^epsilon_t q)_+ of a mechanism at most "
        "delta_t, both ways; a filter that admits while sum epsilon_t <= epsilon and sum delta_t <= delta, and decides "
        "before the release",
        claim="The transcript is (epsilon, delta)-DP; with Laplace releases of real numbers, charged |p - q|/scale, it "
        f"is epsilon-DP. Probabilities are {_ITERATED}",
        statement=(r"P(S) \le ", _EVENT, r",\quad q = Q(S)"),
        steps=kernel_steps("basic_filter_any", "basic_filter_laplace"),
    ),
    Theorem(
        name="GDP filter, any outcomes",
        title="The Gaussian filter, for all together and for each person, for outcomes of any kind",
        source="Koskela, Tobaben & Honkela, Theorems 11, 12 and C.1 and Lemma 10",
        hypotheses=f"every real epsilon; {_MECHANISMS}; a round's hockey-sticks, both ways and at every real order, at "
        "most those of Gaussian(mu_t), which Lemma 10 gets from the orders of at least 1 where densities add, as "
        "measurable ones do; a filter that admits while sum mu_t^2 <= B^2 and decides before the release, or one such "
        "filter for each person, with that person's mu_t, which leaves out of a round who has run out",
        claim="The transcript is B-GDP, with the filters of persons for each person; Gaussian releases of real numbers "
        f"are charged mu = |p - q|/sigma. Divergences are {_ITERATED}",
        statement=(
            r"\sum_{t\le T}\mu_t^2 \le B^2 \implies H_{e^\varepsilon} \le ",
            GDP_CURVE,
            r"\text{ for all }\varepsilon",
        ),
        steps=kernel_steps(
            "gaussian_filter_any", "gaussian_filter_gdp_real", "individual_gaussian_filter_any"
        )
        + supporting_steps("gaussian_round_any", "lemma_10_any", "gaussian_is_gdp", "cells_exist"),
    ),
    Theorem(
        name="individual filter, any outcomes",
        title="The individual Rényi filter for outcomes of any kind",
        source="Feldman & Zrnic, Theorem 4.5",
        hypotheses=f"every order alpha > 1; {_MECHANISMS}; the same for every set of people; declared rho_t >= D_alpha "
        "both ways of the mechanism with and without the person; one filter for each person, which admits while that "
        "person's rho_t sum to at most B and leaves out of a round who has run out; the answers alone are published",
        claim="The answers are (alpha, B)-RDP for each person; with zCDP charges and B = alpha r, r-zCDP. Moments are "
        f"{_ITERATED}",
        statement=(r"\sum_{t\le T}\rho_t \le B \implies \int p^\alpha q^{1-\alpha} \le ", _MOMENT),
        steps=kernel_steps("individual_renyi_filter_any", "individual_zcdp_filter_any")
        + supporting_steps("individual_potential_any"),
    ),
    Theorem(
        name="realisation filter, any outcomes",
        title="The realisation-level filter for outcomes of any kind",
        source="Taylor, Vippathalla & Coon, Theorem 1",
        hypotheses=f"epsilon >= 0, 0 <= dhat, theta, delta <= 1, every N; {_MECHANISMS}; the declared loss of each "
        "outcome is log(p/q), infinite where one density is 0, and declared quantiles are at least the true ones; each "
        "allowable set is fixed when the request before it is known and before its output is; at most N outputs; "
        "dhat + theta (1 - dhat) N <= delta",
        claim="Algorithm 1 is (epsilon, delta)-DP, both ways, with Gaussian releases of real numbers too. Divergences "
        f"are {_ITERATED}",
        statement=(r"H_{e^\varepsilon}(P\|Q) \le ", SPENT_DELTA, r" \le \delta"),
        steps=kernel_steps("realisation_filter_any", "gaussian_realisation_filter")
        + supporting_steps("level_decides"),
    ),
    Theorem(
        name="subsampling",
        title="Poisson subsampling of a dominating pair",
        source="Koskela, Tobaben & Honkela, Lemma 8, with the misprint in the removal pair corrected; Zhu, Dong & Wang",
        hypotheses="0 <= gamma <= 1, every order >= 0; outcomes of any kind; (P, Q) dominates the mechanism for adding "
        "a person, H_x(A || B) <= H_x(P || Q), and (Q, P) for removing one; the sample takes each person independently "
        "with probability gamma; the density of P adds its integral to others, as measurable ones do",
        claim="((1-gamma) P + gamma Q, P) dominates the sampled mechanism for removing a person, and (P, (1-gamma) P + "
        "gamma Q) for adding one; with Gaussians of means 0 and 1 for P and Q, the subsampled Gaussian pair does",
        statement=(r"H_x(A_\gamma\|A) \le H_x\left(", _MIXED, r"\,\|\,p\right)"),
        steps=kernel_steps("sampled_pair_dominates", "subsampled_gaussian_dominates"),
    ),
    Theorem(
        name="kept sums",
        title="Any filter that keeps a sum within a budget",
        source="Feldman & Zrnic, Theorems 4.3 and 4.9; Rogers, Roth, Ullman & Vadhan; Koskela, Tobaben & Honkela, "
        "Theorem C.1",
        hypotheses=f"{_MECHANISMS}; any filter with an invariant: a relation of "
        "its state to the sum of what the admitted mechanisms truly cost, which holds at the start, is kept by every "
        "request that the filter admits, and lets none pass B; B >= 0, alpha > 1",
        claim="Sums of divergences of order alpha give (alpha, B)-RDP, and (epsilon, delta)-DP with delta the value "
        "below, t = alpha - 1; sums of zCDP parameters B-zCDP, and (epsilon, delta)-DP by the simple or the CKS "
        "conversion, but for what is lost; sums of epsilons and deltas (epsilon, delta)-DP; sums of realised losses "
        "within [-B, B] B-DP; sums of mu_t^2 sqrt(B)-GDP; sums of epsilons beside chances of failure (epsilon, 1 - "
        "product of (1 - delta_t))-DP; the first request may choose among these, and a sum of epsilons or one of "
        "divergences may be within its budget. "
        f"Moments and probabilities are {_ITERATED}",
        statement=(r"D_\alpha \le B,\qquad \delta(\varepsilon) \le ", _KEPT),
        steps=kernel_steps(
            *("kept_renyi", "kept_renyi_delta", "kept_zcdp", "kept_approximate_dp"),
            *("kept_pure", "kept_epsilon_delta", "kept_losses", "kept_gdp"),
            *("kept_lossy", "pure_is_renyi_any", "kept_by_first", "kept_either", "kept_epsilon_hazard"),
        ),
    ),
)
