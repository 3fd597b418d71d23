"""Claims that the kernel proves: conversions of Rényi divergences and zCDP, and the filters that use them."""

from __future__ import annotations

from filterproof.theory.theorems.formula import Formula
from filterproof.theory.theorems.theorem import Theorem, kernel_steps, supporting_steps

_CONVERTED = Formula(
    "exp(t*(B - epsilon))*(t/(1 + t))**(1 + t)/t",
    rocq="cks_bound alpha rho epsilon",
    names={"alpha": "1 + t", "rho": "B"},
)
B_STAR = Formula(
    "(sqrt(log(1/delta) + epsilon) - sqrt(log(1/delta)))**2",
    rocq="(sqrt (ln (/ delta) + epsilon) - sqrt (ln (/ delta))) ^ 2",
)

_PURE = Formula("(exp(B) - exp(epsilon))/(1 + exp(B))", rocq="(exp B - exp epsilon) / (1 + exp B)")
_RISES = Formula("alpha*c**(alpha - 1)", rocq="a * Rpower c (a - 1)", names={"a": "alpha"})
_FALLS = Formula("(alpha - 1)*c**alpha", rocq="(a - 1) * Rpower c a", names={"a": "alpha"})
_WORTH = Formula("delta**(1 - t/u)", rocq="exp (ln delta * (1 - t / u))")
SHARE = Formula(
    "(1 - 1/alpha)**(alpha - 1)/alpha", rocq="exp ((a - 1) * ln (1 - 1 / a)) / a", names={"a": "alpha"}
)

_PASSED = Formula("exp(epsilon)*y + delta", rocq="exp epsilon * y + delta")
_SIMPLE = Formula("B + 2*sqrt(B*log(1/delta))", rocq="B + 2 * sqrt (B * ln (/ delta))")


#: The claims that the kernel decides.
ROWS = (
    Theorem(
        name="all orders",
        title="A filter with a budget at every order of a set",
        source="Feldman & Zrnic, Theorem 4.3 and Remark 4.4",
        hypotheses="finitely many orders alpha_j > 1 fixed in advance; mechanisms with finitely many outcomes, "
        "finitely many rounds chosen by the outputs so far, declared divergences at least the true ones both ways; a "
        "filter that admits while the declared divergences sum to at most B_j at each order alpha_j, and decides "
        "before the release",
        claim="The transcript is (alpha_j, B_j)-RDP at each of the orders, so (epsilon, delta)-DP with delta the "
        "least of the values below, t = alpha_j - 1 and B = B_j",
        statement=(
            r"D_{\alpha_j} \le B_j \text{ for all } j,\qquad \delta(\varepsilon) \le \min_j ",
            _CONVERTED,
        ),
        steps=kernel_steps("all_orders_filter", "cks_conversion"),
    ),
    Theorem(
        name="approximate-DP filter",
        title="The approximate-DP filter",
        source="Feldman & Zrnic, Theorem 4.9",
        hypotheses="epsilon > 0, 0 < delta < 1; adaptive e_t-DP mechanisms with finitely many outcomes, finitely "
        "many rounds, a filter that admits while sum e_t^2/2 <= B and decides before the release, B > 0 any budget "
        "that the simple or the CKS conversion allows",
        claim="The transcript is (epsilon, delta)-DP; B = B* is one such budget",
        statement=(r"\tfrac12\sum_{t\le T}\varepsilon_t^2 \le B^*(\varepsilon,\delta) = ", B_STAR),
        steps=kernel_steps("theorem_4_9", "approximate_dp_filter", "cks_filter")
        + supporting_steps("at_one_and_1e_5_cks", "at_one_and_1e_5_simple"),
    ),
    Theorem(
        name="B*",
        title="The zCDP budget B*",
        source="Feldman & Zrnic, Theorem 4.9 and Fact 2.4",
        hypotheses="0 < delta < 1, B > 0; every B-zCDP transcript over mechanisms with finitely many outcomes, "
        "finitely many rounds chosen by the outputs so far",
        claim="It is (epsilon, delta)-DP where the first value below is at most epsilon; for epsilon > 0 the second is "
        "such a B",
        statement=(_SIMPLE, r" \le \varepsilon,\qquad B^* = ", B_STAR),
        steps=kernel_steps("zcdp_to_delta", "theorem_4_9"),
    ),
    Theorem(
        name="defined B*",
        title="B* as it is defined: the largest budget of zCDP",
        source="Feldman & Zrnic, Theorem 4.9 names it; Balle and others, Asoodeh and others for one order",
        hypotheses="epsilon and delta real; adaptive rho_t-zCDP mechanisms with finitely many outcomes, finitely many "
        "rounds, a filter that admits while sum rho_t <= B and decides before the release, B > 0; slopes c, c' > 0 at "
        "some order alpha > 1 with u > u' and v - v' <= (u - u') e^epsilon, u = alpha c^(alpha - 1), v = (alpha - 1) "
        "c^alpha, u' and v' the same of c'",
        claim="Where order and slopes allow B the transcript is (epsilon, delta)-DP; where two outcomes x > delta + "
        "e^epsilon y are rho-zCDP, it is not with any budget B >= rho",
        statement=(
            r"e^{(\alpha-1)\alpha B} - u' + v' \le (u - u')\,\delta \implies B \le B^*(\varepsilon,\delta), \qquad "
            r"x > ",
            _PASSED,
            r" \implies B^*(\varepsilon,\delta) \le \sup_{\alpha>1} \tfrac{1}{\alpha} D_\alpha",
        ),
        steps=kernel_steps("slopes_conversion", "slopes_filter", "two_outcomes_break")
        + supporting_steps("b_star_above"),
    ),
    Theorem(
        name="pure conversion",
        title="What a sum of pure epsilons is worth at a smaller one",
        source="Kairouz, Oh & Viswanath; derived here",
        hypotheses="B > 0, 0 <= epsilon <= B; adaptive e_t-DP mechanisms with finitely many outcomes, finitely many "
        "rounds, a filter that admits while sum e_t <= B and decides before the release",
        claim="The transcript is (epsilon, delta)-DP with the delta below, and with no smaller one: randomised "
        "response at B reaches it",
        statement=(r"\delta(\varepsilon) = ", _PURE),
        steps=kernel_steps("pure_conversion", "pure_conversion_attained"),
    ),
    Theorem(
        name="conversions attained",
        title="The largest delta that one Rényi order allows, and the constant of CKS",
        source="Asoodeh et al.; Balle et al.; Canonne, Kamath & Steinke; derived here",
        hypotheses="an order alpha > 1, epsilon > 0, R > 0; all transcripts over mechanisms with finitely many "
        "outcomes, none infinitely likelier under the first law, finitely many rounds chosen by the outputs so far, "
        "D_alpha in the order written; for slopes c > c' > 0 with u > u' and v - v' <= (u - u') e^epsilon, u and v the "
        "values below at c, u' and v' at c'",
        claim="Of all transcripts with D_alpha <= R the largest hockey-stick divergence at epsilon is that of one "
        "release of two outcomes, with D_alpha = R. It is at most (e^((alpha-1) R) - u' + v')/(u - u') for any such "
        "slopes, at most 1 - e^(epsilon - R) from R = epsilon + log(alpha/(alpha - 1)) on, and at this R the CKS "
        "bound exactly, so that no smaller constant will do",
        statement=(r"u = ", _RISES, r",\qquad v = ", _FALLS),
        steps=kernel_steps("one_order_largest", "slopes_conversion", "beyond_touching", "cks_attained")
        + supporting_steps("cks_excess"),
    ),
    Theorem(
        name="some order",
        title="Meeting the budget at some Rényi order is not enough",
        source="this project, against Lécuyer's filter with the CKS conversion",
        hypotheses="the filter that admits while the sum of Rényi divergences meets, at some order of a finite set of "
        "orders alpha_j > 1, the budget of that order, one of them at least 0; for (6, 0.01)-DP the orders {2, 32} "
        "with their CKS budgets, and a counterexample of two rounds; mechanisms with finitely many outcomes, "
        "finitely many "
        "rounds chosen by the outputs so far, delta > 0",
        claim="It is not (6, 0.01)-DP: the counterexample is admitted on both branches and reaches more than 0.0139. "
        "With the budgets of Markov's inequality a filter of this kind keeps (epsilon, delta s), s the sum of "
        "s(alpha_j) over its orders",
        statement=(r"H_{e^6} > 0.0139 > 0.01,\qquad s(\alpha) = ", SHARE),
        steps=kernel_steps("some_order_cks_fails", "some_order_markov")
        + supporting_steps("some_order_markov_fails", "some_order_bound", "some_order_cks"),
    ),
    Theorem(
        name="some order kept",
        title="Meeting the budget at some Rényi order, where it is enough",
        source="this project, on Lécuyer's filter",
        hypotheses="finitely many orders alpha_j > 1, delta > 0; mechanisms with finitely many outcomes, finitely "
        "many rounds chosen by the outputs so far, charges at each order at least the divergence both ways; a filter "
        "that admits while at some order the charges sum to at most a budget of at most epsilon - "
        "log(1/delta)/(alpha_j - 1), one of them at least 0, and decides before the release",
        claim="The transcript is (epsilon, delta)-DP where numbers m_j >= 0 with m_1 s(alpha_1) + m_2 s(alpha_2) + "
        "... <= 1 pay for each order with such a budget: those of the orders up to it, each times the first value "
        "below at t = alpha_i - 1 and u = alpha_j - 1, add up to at least 1. For delta < 1/e it is (epsilon, epsilon "
        "delta)-DP whatever the orders are",
        statement=(
            r"\sum_{\alpha_i \le \alpha_j} m_i\,w(\alpha_i - 1, \alpha_j - 1) \ge 1,\quad w(t, u) = ",
            _WORTH,
            r",\quad s(\alpha) = ",
            SHARE,
        ),
        steps=kernel_steps("some_order_markov_filter", "some_order_any_orders")
        + supporting_steps("some_order_usable", "some_order_high", "some_order_paid", "order_falls"),
    ),
)
