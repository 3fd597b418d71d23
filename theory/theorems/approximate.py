"""Claims that the kernel proves: filters whose rounds may fail, each with its own delta."""

from __future__ import annotations

from filterproof.theory.theorems.formula import Formula
from filterproof.theory.theorems.theorem import Theorem, kernel_steps, supporting_steps

_EVENT = Formula("exp(epsilon)*q + delta")
_PRODUCT = Formula("1 - (1 - delta)*(1 - d)")
_SOME_LEAK = Formula("1 - (1 - delta)**n", rocq="1 - (1 - delta) ^ n")
_APPROXIMATE_DELTA = Formula(
    "xi + (1 - xi)*exp(t*((1 + t)*rho - epsilon))*(t/(1 + t))**(1 + t)/t",
    rocq="xi + (1 - xi) * delta",
    names={"delta": "exp(t*((1 + t)*rho - epsilon))*(t/(1 + t))**(1 + t)/t"},
)
_ONE_EXPONENT = Formula(
    "sqrt(2*l*S) + S/2",
    rocq="sqrt (2 * ln (/ tail) * squares) + squares / 2",
    names={"tail": "exp(-l)", "squares": "S"},
)
SPENT_DELTA = Formula("dhat + theta * (1 - dhat) * N", rocq="dhat + theta * (1 - dhat) * INR N")
_KEPT = Formula("1 - d", rocq="1 - d")
_MIXED_EXPONENTS = Formula(
    "e*(exp(e) - 1)/2 + sqrt(2*(S + H)*(1 + log(S/H + 1)/2)*log(2/delta))",
    rocq="drift l + sqrt (2 * (squares l + H) * (1 + ln (squares l / H + 1) / 2) * ln (2 / delta))",
    names={"drift l": "e*(exp(e) - 1)/2", "squares l": "S"},
)

#: The claims that the kernel decides.
ROWS = (
    Theorem(
        name="basic composition",
        title="Basic composition with a stopping rule",
        source="Rogers, Roth, Ullman & Vadhan; Taylor, Vippathalla & Coon, Section II-A; the product of deltas "
        "derived here",
        hypotheses="epsilon, delta >= 0, for the product delta < 1; mechanisms with finitely many outcomes, finitely "
        "many rounds, each mechanism (epsilon_t, delta_t)-DP both ways and chosen by the outputs so far; a filter "
        "that admits while sum epsilon_t <= epsilon and sum delta_t <= delta, or while sum epsilon_t <= epsilon and "
        "1 - prod (1 - delta_t) <= delta, and decides before the release",
        claim="The transcript is (epsilon, delta)-DP; two deltas, delta and d, together cost what their product "
        "leaves. With all delta_t = 0 it is epsilon-DP",
        statement=(
            r"P(S) \le ",
            _EVENT,
            r",\quad q = Q(S),\qquad 1 - \prod_t(1-\delta_t)\text{, for two: }",
            _PRODUCT,
        ),
        steps=kernel_steps("basic_filter", "basic_product_filter", "pure_filter"),
    ),
    Theorem(
        name="product of pairs",
        title="Dominating pairs compose adaptively",
        source="Koskela, Tobaben & Honkela, Theorem 4",
        hypotheses="real epsilon; a finite list of pairs with finitely many outcomes, fixed in advance; mechanisms "
        "with finitely many outcomes, finitely many rounds chosen by the outputs so far, each dominated at every "
        "epsilon by the pair that it declares; a filter that admits while the declared pair is left on the list, in "
        "any order, and decides before the release",
        claim="The hockey-stick divergence of the transcript is at every epsilon at most that of the product of all "
        "pairs; where the product, both ways, has at most delta, the transcript is (epsilon, delta)-DP",
        statement=(r"P(S) \le ", _EVENT, r",\quad q = Q(S)"),
        steps=kernel_steps("dominated_by_product", "product_filter"),
    ),
    Theorem(
        name="concurrent composition",
        title="Interactive mechanisms that are live at once, each charged when it is opened",
        source="Vadhan & Wang (2021), Lyu (arXiv 2207.09397), Haney et al. (arXiv 2309.05901); derived here",
        hypotheses="epsilon, delta >= 0; interactive mechanisms of finitely many answers to each question, on two data "
        "sets that stay as they are; each keeps (epsilon_l, delta_l)-DP alone, both ways, against every analyst who "
        "asks no other; an analyst opens them and asks any that is open, by all that was seen of all of them and by "
        "coins, finitely many questions; the filter admits a mechanism, before its first answer, while the epsilons "
        "and the deltas of all that were opened sum to at most epsilon and delta",
        claim="All that was seen of all of them is (epsilon, delta)-DP, in whatever order the questions come",
        statement=(
            r"\sum_l \varepsilon_l \le \varepsilon,\ \sum_l \delta_l \le \delta \implies P(S) \le ",
            _EVENT,
            r",\quad q = Q(S)",
        ),
        steps=kernel_steps("concurrent_filter"),
    ),
    Theorem(
        name="parallel composition",
        title="Parallel composition while data come: epsilon costs nothing, deltas add up",
        source="this project; that it fails with deltas is stated by Henzinger, Safavi & Vadhan (arXiv 2411.03299)",
        hypotheses="epsilon >= 0; n labels (sites, blocks, epochs), each with an interactive mechanism of its own, of "
        "finitely many answers; one person's data come to one label, and an analyst picks which and when by all that "
        "was seen; each mechanism keeps (epsilon, delta_l)-DP alone, against every analyst who asks no other; finitely "
        "many questions",
        claim="Together they are (epsilon, sum of delta_l)-DP, so with delta_l = 0 the largest epsilon is enough; with "
        "deltas the largest delta is not: n mechanisms, each (0, delta)-DP, reach 1 - (1 - delta)^n at every epsilon "
        ">= 0",
        statement=(
            r"P(S) \le e^\varepsilon Q(S) + \sum_l \delta_l,\qquad \text{and }n\text{ labels reach }",
            _SOME_LEAK,
        ),
        steps=kernel_steps("parallel_promise", "pure_parallel", "leak_alone", "parallel_fails")
        + supporting_steps("two_labels"),
    ),
    Theorem(
        name="good part",
        title="The good part of an approximately private pair",
        source="Kairouz, Oh & Viswanath; Murtagh & Vadhan; derived here",
        hypotheses="e >= 0, 0 <= d < 1; a pair with finitely many outcomes that is (e, d)-DP both ways",
        claim="In both worlds it is 1 - d times a law plus d times a rest, and these two laws have ratios from e^-e to "
        "e^e: parts p of P and q of Q with these ratios have one mass, at least 1 - d",
        statement=(
            r"P = (1-d)P' + dP'',\quad Q = (1-d)Q' + dQ'',\quad e^{-e} \le \tfrac{dP'}{dQ'} \le e^e,\qquad "
            r"p \le P,\ q \le Q,\ \textstyle\sum p = \sum q \ge ",
            _KEPT,
        ),
        steps=kernel_steps("core_exists")
        + supporting_steps("private_is_approximate_zcdp", "private_is_mixture"),
    ),
    Theorem(
        name="approximate zCDP filter",
        title="The filter of approximate zCDP",
        source="Whitehouse, Ramdas, Rogers & Wu; derived here",
        hypotheses="rho > 0; mechanisms with finitely many outcomes, finitely many rounds chosen by the outputs so "
        "far, mechanism t being 1 - xi_t times a good part plus a rest in both worlds, the good parts rho_t-zCDP "
        "both ways; a filter that admits while sum rho_t <= rho and sum xi_t <= xi < 1 and decides before the "
        "release",
        claim="The transcript is (epsilon, xi + (1 - xi) d)-DP with d the bound of CKS for rho at epsilon, here at "
        "order 1 + t",
        statement=(r"\delta(\varepsilon) \le ", _APPROXIMATE_DELTA),
        steps=kernel_steps("approximate_zcdp_filter"),
    ),
    Theorem(
        name="potential filter",
        title="A filter with a payoff for each level",
        source="derived here; a payoff for each state is the idea of the residue filter of arXiv 2602.15815",
        hypotheses="real epsilon; mechanisms with finitely many outcomes, finitely many rounds chosen by the outputs "
        "so far, each dominated at every epsilon, both ways, by the pair that it declares; for each direction a family "
        "psi_b of nonnegative combinations of (a x - b y)_+ that are at least (x - e^epsilon y)_+; a filter that "
        "grants a charge c at level b where c <= b and the declared pair played before psi_{b-c} is at most psi_b, and "
        "decides before the release",
        claim="The transcript is (epsilon, delta)-DP where psi at the first level is at most delta at (1, 1)",
        statement=(r"P(S) \le ", _EVENT, r",\quad q = Q(S)"),
        steps=kernel_steps("potential_filter", "clock_filter"),
    ),
    Theorem(
        name="Whitehouse filter",
        title="The filter of advanced composition with one exponent",
        source="Whitehouse, Ramdas, Rogers & Wu, Theorem 1 of arXiv 2203.05481; derived here",
        hypotheses="epsilon > 0, 0 < d' <= delta < 1, weight at least 1; mechanisms with finitely many outcomes, "
        "finitely many rounds chosen by the outputs so far, mechanism t (epsilon_t, delta_t)-DP both ways, S = sum "
        "epsilon_t^2; a filter that admits while the value below is at most epsilon, l = log(1/d'), and d' + weight "
        "sum delta_t <= delta, and decides before the release",
        claim="The transcript is (epsilon, delta)-DP; the condition on S reads S <= 2 B*, B* the simple budget at "
        "(epsilon, d')",
        statement=(_ONE_EXPONENT, r" \le \varepsilon \iff S \le 2B^*(\varepsilon, d')"),
        steps=kernel_steps("whitehouse_filter", "whitehouse_threshold"),
    ),
    Theorem(
        name="Rogers filter",
        title="The filter of advanced composition by a mixture of exponents",
        source="Rogers, Roth, Ullman & Vadhan, Theorem 5.1; derived here",
        hypotheses="epsilon > 0, 0 < delta < 1/e, any constant H > 0; mechanisms with finitely many outcomes, finitely "
        "many rounds chosen by the outputs so far, mechanism t (epsilon_t, delta_t)-DP both ways, S = sum epsilon_t^2; "
        "a filter that admits while K <= epsilon and sum delta_t <= delta/2 and decides before the release, K the "
        "value below with the first term summed over the rounds",
        claim="The transcript is (epsilon, delta)-DP",
        statement=("K = ", _MIXED_EXPONENTS, r" \text{ for one round } e = \varepsilon_1"),
        steps=kernel_steps("rogers_filter"),
    ),
    Theorem(
        name="ex-post filter",
        title="A release is charged what it turned out to cost",
        source="Rogers, Samorodnitsky, Wu & Ramdas (arXiv 2306.13824) for ex-post filters, of which the abstract was "
        "read; derived here",
        hypotheses="epsilon, delta >= 0; mechanisms with finitely many outcomes, finitely many rounds chosen by the "
        "outputs so far; mechanism t has a bound b_t(y) for each outcome, at most its cap, and sum_y (P(y) - "
        "e^{b_t(y)} Q(y))_+ <= delta_t both ways; a filter that admits while the bounds of the outputs so far and the "
        "next cap are at most epsilon and the deltas at most delta, and decides before the release",
        claim="The transcript is (epsilon, delta)-DP, with all delta_t = 0 epsilon-DP. Half the squares of the losses, "
        "charged so against a budget rho, do not give what rho-zCDP gives: with rho = 1/2, which is (4, 1/5000)-DP, 41 "
        "requests reach more than 7/1000 at epsilon = 4",
        statement=(r"\sum_t b_t(y_t) \le \varepsilon \implies P(S) \le ", _EVENT, r",\quad q = Q(S)"),
        steps=kernel_steps("ex_post_filter", "ex_post_pure_filter", "squares_fail", "half_zcdp"),
    ),
    Theorem(
        name="hockey-stick filter",
        title="A release is charged the hockey-stick divergence that it adds",
        source="derived here; that a filter may look at realised losses is the idea of arXiv 2604.08630",
        hypotheses="epsilon, delta >= 0; mechanisms with finitely many outcomes, finitely many rounds chosen by the "
        "outputs so far, each dominated at every epsilon, both ways, by the pair that it declares; after each output "
        "its realised loss is known, l that of all outputs so far; a filter that admits while the sums of "
        "H_{e^{epsilon - l}}(P_t || Q_t) - (1 - e^{epsilon - l})_+ of both directions, in the other one with -l, are "
        "at most delta, and decides before the release",
        claim="The transcript is (epsilon, delta)-DP; a round that cannot take l past epsilon costs nothing in its "
        "direction",
        statement=(r"P(S) \le ", _EVENT, r",\quad q = Q(S)"),
        steps=kernel_steps("hockey_stick_filter", "bounded_rounds_are_free"),
    ),
    Theorem(
        name="realisation filter",
        title="The realisation-level filter",
        source="Taylor, Vippathalla & Coon, Theorem 1, Section II-B and Section V-A",
        hypotheses="epsilon >= 0, 0 <= dhat, theta < 1, delta <= 1, every N; adaptive mechanisms with finitely many "
        "outcomes; an analyst whose requests come from the allowable sets, each fixed when the request before it is "
        "known and before its output is, and who goes on while the filter lets it; at most N outputs; "
        "dhat + theta (1 - dhat) N <= delta",
        claim="Algorithm 1 is (epsilon, delta)-DP; with delta = 0, where quantiles are largest losses, epsilon-DP for "
        "every N, and it releases whatever classical composition does",
        statement=(r"H_{e^\varepsilon}(P\|Q) \le ", SPENT_DELTA, r" \le \delta"),
        steps=kernel_steps("realisation_filter", "pure_realisation_filter", "realised_is_at_most_classical")
        + supporting_steps("no_growth_on_every_path", "erased_again_and_again", "naive_filter_fails"),
    ),
)
