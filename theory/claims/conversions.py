"""Claims that the kernel proves: what Rényi divergences and zCDP convert to, and the filters that rest on it."""

from __future__ import annotations

from theory.claims.kernel_theorem import beside, decided_by
from theory.claims.notations import Formula
from theory.claims.theorem import Theorem
from theory.kernel.statement import KernelTheorem

__all__ = ["B_STAR", "CKS_CONVERSION", "ROWS", "SHARE", "STATEMENTS"]

_CONVERTED = Formula(
    "exp(t*(B - epsilon))*(t/(1 + t))**(1 + t)/t",
    rocq="cks_bound alpha rho epsilon",
    names={"alpha": "1 + t", "rho": "B"},
    t=("1/2", "8"),
    B=("1/16", "1"),
    epsilon=("1/2", "4"),
)
B_STAR = Formula(
    "(sqrt(log(1/delta) + epsilon) - sqrt(log(1/delta)))**2",
    rocq="(sqrt (ln (/ delta) + epsilon) - sqrt (ln (/ delta))) ^ 2",
    epsilon=("1/10", "8"),
    delta=("1/1000000", "1/2"),
)

_PURE = Formula(
    "(exp(B) - exp(epsilon))/(1 + exp(B))",
    rocq="(exp B - exp epsilon) / (1 + exp B)",
    B=("1", "3"),
    epsilon=("1/10", "1"),
)
_RISES = Formula(
    "alpha*c**(alpha - 1)",
    rocq="a * Rpower c (a - 1)",
    names={"a": "alpha"},
    alpha=("3/2", "9"),
    c=("1/8", "3"),
)
_FALLS = Formula(
    "(alpha - 1)*c**alpha",
    rocq="(a - 1) * Rpower c a",
    names={"a": "alpha"},
    alpha=("3/2", "9"),
    c=("1/8", "3"),
)
_WORTH = Formula(
    "delta**(1 - t/u)",
    rocq="exp (ln delta * (1 - t / u))",
    delta=("1/1000000", "1/2"),
    t=("1/8", "1"),
    u=("1", "8"),
)
SHARE = Formula(
    "(1 - 1/alpha)**(alpha - 1)/alpha",
    rocq="exp ((a - 1) * ln (1 - 1 / a)) / a",
    names={"a": "alpha"},
    alpha=("3/2", "64"),
)

_PASSED = Formula(
    "exp(epsilon)*y + delta",
    rocq="exp epsilon * y + delta",
    epsilon=("1/10", "8"),
    y=("1/1000000", "1/4"),
    delta=("1/1000000", "1/2"),
)

CKS_CONVERSION = decided_by(
    "Conversions.cks_conversion",
    "A transcript with D_alpha <= rho has a hockey-stick divergence of at most e^((alpha - 1)(rho - epsilon)) (1 - "
    "1/alpha)^alpha / (alpha - 1), in the order written.",
    "Koskela, Tobaben & Honkela, Lemma C.4",
)

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
        stated=(
            r"D_{\alpha_j} \le B_j \text{ for all } j,\qquad \delta(\varepsilon) \le \min_j ",
            _CONVERTED,
        ),
        steps=(
            decided_by(
                "RenyiFilter.all_orders_filter",
                "A filter that admits while the charges fit the budget of each order of a finite set keeps each "
                "budget.",
                "Feldman & Zrnic, Remark 4.4",
            ),
            CKS_CONVERSION,
        ),
    ),
    Theorem(
        name="approximate-DP filter",
        title="The approximate-DP filter",
        source="Feldman & Zrnic, Theorem 4.9",
        hypotheses="epsilon > 0, 0 < delta < 1; adaptive e_t-DP mechanisms with finitely many outcomes, finitely "
        "many rounds, a filter that admits while sum e_t^2/2 <= B and decides before the release, B > 0 any budget "
        "that the simple or the CKS conversion allows",
        claim="The transcript is (epsilon, delta)-DP; B = B* is one such budget",
        stated=(r"\tfrac12\sum_{t\le T}\varepsilon_t^2 \le B^*(\varepsilon,\delta) = ", B_STAR),
        steps=(
            decided_by(
                "ApproximateDPFilter.theorem_4_9",
                "The theorem end to end: e-DP rounds, charged e^2/2, and a filter with the paper's B-star keep "
                "(epsilon, delta)-DP.",
                "Feldman & Zrnic, Theorem 4.9",
            ),
            decided_by(
                "ApproximateDPFilter.approximate_dp_filter",
                "A filter that admits while zCDP charges sum to at most B keeps (epsilon, delta)-DP where the simple "
                "or the CKS conversion allows B.",
                "Feldman & Zrnic, Theorem 4.9",
            ),
            decided_by(
                "ApproximateDPFilter.cks_filter",
                "The same with a budget B that the CKS conversion allows at some order.",
                "Koskela, Tobaben & Honkela, Lemma C.4",
            ),
            beside(
                "ApproximateDPFilter.at_one_and_1e_5_cks",
                "The filter with the exact rational of the double that ApproximateDPFilter(1.0, 1e-5) compares with is "
                "(1, delta)-DP, delta being the exact rational of the double 1e-5.",
            ),
            beside("ApproximateDPFilter.at_one_and_1e_5_simple", "The same for the simple conversion."),
        ),
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
        stated=(
            r"e^{(\alpha-1)\alpha B} - u' + v' \le (u - u')\,\delta \implies B \le B^*(\varepsilon,\delta), \qquad "
            r"x > ",
            _PASSED,
            r" \implies B^*(\varepsilon,\delta) \le \sup_{\alpha>1} \tfrac{1}{\alpha} D_\alpha",
        ),
        steps=(
            decided_by(
                "BStar.slopes_conversion",
                "A transcript with D_alpha <= R has a hockey-stick divergence of at most (e^((alpha - 1) R) - u' + v') "
                "/ (u - u'); at the best slopes the optimal conversion of one order, and that of CKS as c' falls to 0.",
                "Balle and others; Asoodeh and others; derived here",
            ),
            decided_by(
                "BStar.slopes_filter",
                "From below: a filter that admits while zCDP charges sum to at most B keeps (epsilon, delta)-DP where "
                "some order and two slopes allow B.",
            ),
            decided_by(
                "BStar.two_outcomes_break",
                "From above: where two outcomes are rho-zCDP and pass delta at epsilon, that filter breaks (epsilon, "
                "delta)-DP with every budget B >= rho.",
            ),
            beside(
                "BStar.b_star_above",
                "At epsilon = 1 and delta = 1/100000 the filter with B = 0.030556950787 keeps its promise.",
            ),
        ),
    ),
    Theorem(
        name="pure conversion",
        title="What a sum of pure epsilons is worth at a smaller one",
        source="Kairouz, Oh & Viswanath; derived here",
        hypotheses="B > 0, 0 <= epsilon <= B; adaptive e_t-DP mechanisms with finitely many outcomes, finitely many "
        "rounds, a filter that admits while sum e_t <= B and decides before the release",
        claim="The transcript is (epsilon, delta)-DP with the delta below, and with no smaller one: randomised "
        "response at B reaches it",
        stated=(r"\delta(\varepsilon) = ", _PURE),
        steps=(
            decided_by(
                "ConversionsAttained.pure_conversion",
                "Between the ratios e^-B and e^B the hockey-stick is below its chord, so the filter keeps that delta.",
                "Kairouz, Oh & Viswanath",
            ),
            decided_by(
                "ConversionsAttained.pure_conversion_attained",
                "One randomised response with ratio e^B is granted, and breaks every smaller delta.",
                "Kairouz, Oh & Viswanath",
            ),
        ),
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
        stated=(r"u = ", _RISES, r",\qquad v = ", _FALLS),
        steps=(
            decided_by(
                "OneOrder.one_order_largest",
                "For every epsilon > 0 and R > 0 there are two outcomes with D_alpha = R whose hockey-stick divergence "
                "is the largest of all transcripts with D_alpha <= R.",
                "Asoodeh et al.; derived here",
            ),
            decided_by(
                "BStar.slopes_conversion",
                "A transcript with D_alpha <= R has a hockey-stick divergence of at most (e^((alpha - 1) R) - u' + v') "
                "/ (u - u'); at the best slopes the optimal conversion of one order, and that of CKS as c' falls to 0.",
                "Balle and others; Asoodeh and others; derived here",
            ),
            decided_by(
                "OneOrder.beyond_touching",
                "From R = epsilon + log(alpha/(alpha - 1)) on it is at most 1 - e^(epsilon - R).",
            ),
            decided_by(
                "ConversionsAttained.cks_attained",
                "At that R two outcomes, the second without mass under the first law, reach the bound of CKS.",
                "Canonne, Kamath & Steinke; derived here",
            ),
            beside(
                "ConversionsAttained.cks_excess",
                "Two outcomes of mass under both laws, the first of mass x at that loss, reach x/alpha, epsilon >= 0, "
                "and miss the bound by what the second adds to the moment.",
            ),
        ),
    ),
    Theorem(
        name="some order",
        title="Meeting the budget at some Rényi order is not enough",
        source="this project, against Lécuyer's filter with the CKS conversion",
        hypotheses="the filter that admits while the sum of Rényi divergences meets, at some order of a finite set of "
        "orders alpha_j > 1, the budget of that order, one of them at least 0; for (6, 0.01)-DP the orders {2, 32} "
        "with their CKS budgets, and a witness of two rounds; mechanisms with finitely many outcomes, finitely many "
        "rounds chosen by the outputs so far, delta > 0",
        claim="It is not (6, 0.01)-DP: the witness is admitted on both branches and reaches delta = more than 0.0139. "
        "With the budgets of Markov's inequality a filter of this kind keeps (epsilon, delta s), s the sum of "
        "s(alpha_j) over its orders",
        stated=(r"H_{e^6} > 0.0139 > 0.01,\qquad s(\alpha) = ", SHARE),
        steps=(
            decided_by(
                "SomeOrderFails.some_order_cks_fails",
                "With CKS budgets for delta = 1/100 it is broken at orders 2 and 32, epsilon = 6: more than 1.39 delta "
                "is reached.",
            ),
            decided_by(
                "SomeOrder.some_order_markov",
                "With the budgets that Markov's inequality allows each order the delta is delta times the sum of "
                "s(a_j).",
            ),
            beside(
                "SomeOrderFails.some_order_markov_fails",
                "The rule at some order with Markov budgets for delta = 1/100 itself is broken at orders 1.1 and 1.3, "
                "epsilon = 80: more than 1.1 delta is reached.",
            ),
            beside(
                "SomeOrder.some_order_bound",
                "A filter that admits while at some order of a finite set the divergences fit that order's budget, one "
                "of which is not below 0, keeps epsilon with the sum of s(a_j) e^((a_j - 1)(B_j - epsilon)) as its "
                "delta, s(a) = (1 - 1/a)^(a - 1) / a.",
            ),
            beside(
                "SomeOrder.some_order_cks",
                "With the budgets that the CKS conversion allows each order, m orders keep (epsilon, m delta)-DP.",
            ),
        ),
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
        stated=(
            r"\sum_{\alpha_i \le \alpha_j} m_i\,w(\alpha_i - 1, \alpha_j - 1) \ge 1,\quad w(t, u) = ",
            _WORTH,
            r",\quad s(\alpha) = ",
            SHARE,
        ),
        steps=(
            decided_by(
                "SomeOrderKeeps.some_order_markov_filter",
                "Where the payments sum to at most 1 the rule keeps (epsilon, delta)-DP, in both directions.",
            ),
            decided_by(
                "SomeOrderKeeps.some_order_any_orders",
                "For delta < 1/e the rule keeps (epsilon, epsilon delta)-DP at any orders, however many.",
            ),
            beside(
                "SomeOrderKeeps.some_order_usable",
                "Each order paying for itself, the rule keeps delta times the sum of s(alpha_j) over the orders that "
                "have a budget.",
            ),
            beside(
                "SomeOrderKeeps.some_order_high",
                "If each order that has a budget is at least 1 + g, it keeps delta log(1/delta)/g, however many "
                "there are, for delta < 1/e.",
            ),
            beside(
                "SomeOrder.some_order_paid",
                "With any budgets the rule may pay at any orders: what each order finds paid at those below it, "
                "discounted by its budget, must add up to 1.",
            ),
            beside(
                "SomeOrder.order_falls",
                "A Rényi divergence does not grow when its order falls: D_b <= c where D_a <= c, 1 < b <= a.",
                "Van Erven & Harremoës, Theorem 3",
            ),
        ),
    ),
)

#: Beside them: what other theorems use, examples, and what a row does not need.
STATEMENTS = (
    KernelTheorem(
        "Conversions.simple_conversion",
        "A transcript with D_alpha <= rho has a hockey-stick divergence of at most e^((alpha - 1)(rho - epsilon)).",
        "Feldman & Zrnic, Fact 2.4",
    ),
    KernelTheorem(
        "Conversions.zcdp_to_delta",
        "A B-zCDP transcript, B > 0, has a hockey-stick divergence of at most delta at epsilon where B + 2 sqrt(B "
        "log(1/delta)) <= epsilon, or where the CKS bound at some order is at most delta; one direction, and the other "
        "by exchanging the data sets.",
        "Feldman & Zrnic, Theorem 4.9",
    ),
    KernelTheorem(
        "ApproximateDPFilter.simple_larger_fails",
        "A budget larger than that by one part in 10^9 is not allowed by the simple conversion.",
    ),
    KernelTheorem(
        "ApproximateDPFilter.somebody_is_granted_something",
        "An example: an honest analyst is granted two coins by this filter and denied a third, so honesty can be met.",
    ),
)
