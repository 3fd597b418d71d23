"""Claims that the kernel proves for outcomes of any kind, real numbers among them: integrals in place of sums."""

from __future__ import annotations

from theory.claims.conversions import B_STAR
from theory.claims.kernel_theorem import beside, decided_by
from theory.claims.notations import Formula
from theory.claims.theorem import Theorem
from theory.kernel.statement import KernelTheorem

__all__ = ["ANY", "DP_FILTER_ANY", "GAUSSIAN", "ROWS", "STATEMENTS"]

ANY = "mechanisms with outcomes of any kind that have two densities against an integral"
GAUSSIAN = "Gaussian mechanisms with real outcomes"
_LAPLACE = "Laplace mechanisms with real outcomes"
_TONELLI = (
    "That the iterated integral of measurable strategies and sets is the one against the law of the transcript, which "
    "is Tonelli's theorem."
)
_MECHANISMS = (
    "adaptive mechanisms with outcomes of any kind, given by two densities against an integral on them, which is "
    "monotone, homogeneous and subadditive where functions are not negative, as every upper integral is, on the real "
    "line Lebesgue's; finitely many rounds on each path, chosen by the outcomes so far"
)
_ITERATED = (
    "iterated integrals. That these are integrals against the law of the transcript, where all is measurable, is "
    "Tonelli's theorem, which is not covered"
)

_MOMENT = Formula(
    "exp((alpha - 1) * B)",
    rocq="exp ((alpha - 1) * rho)",
    alpha=("3/2", "64"),
    B=("1/64", "4"),
    names={"rho": "B"},
)
_CONVERTED = Formula(
    "exp(t*(B - epsilon))*(t/(1 + t))**(1 + t)/t",
    rocq="cks_bound alpha (budget alpha) epsilon",
    names={"alpha": "1 + t", "budget alpha": "B"},
    t=("1/2", "8"),
    B=("1/16", "1"),
    epsilon=("1/2", "4"),
)
_EVENT = Formula("exp(epsilon)*q + delta", epsilon=("1/8", "2"), q=("1/16", "1"), delta=("1/1024", "1/2"))
_GAUSSIAN_RHO = Formula(
    "(p - q)**2/(2*sigma**2)",
    rocq="(p - q) ^ 2 / (2 * sigma ^ 2)",
    p=("-2", "3"),
    q=("-1", "5"),
    sigma=("1/4", "4"),
)

DP_FILTER_ANY = decided_by(
    "AnyOutcomesFilters.approximate_dp_filter_any",
    "A filter that admits while zCDP charges sum to at most B keeps (epsilon, delta)-DP where the simple or the CKS "
    "conversion allows B.",
    "Feldman & Zrnic, Theorem 4.9",
    beyond=_TONELLI,
    covers=ANY,
)

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
        stated=(r"\sum_{t\le T}\rho_t \le B \implies \int p^\alpha q^{1-\alpha} \le ", _MOMENT),
        steps=(
            decided_by(
                "AnyOutcomesFilters.renyi_filter_any",
                "A filter that admits while declared charges sum to at most B, each at least the Rényi divergence of "
                "order alpha > 1 of its mechanism in both directions, keeps that of the whole transcript at most B, "
                "both ways.",
                "Feldman & Zrnic, Theorem 4.3",
                beyond=_TONELLI,
                covers=ANY,
            ),
            decided_by(
                "AnyOutcomesFilters.zcdp_filter_any",
                "A filter that admits while zCDP charges sum to at most B keeps D_alpha <= alpha B at each alpha > 1.",
                "Feldman & Zrnic, Remark 4.4",
                beyond=_TONELLI,
                covers=ANY,
            ),
            beside(
                "AnyOutcomes.finitely_many",
                "With finitely many outcomes, and sums for integrals, all of it is what the other statements say.",
                covers=ANY,
            ),
        ),
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
        stated=(
            r"\sum_{t\le T}\rho_t \le B^*(\varepsilon,\delta) = ",
            B_STAR,
            r",\qquad \rho(\mathcal N(p, \sigma^2), \mathcal N(q, \sigma^2)) = ",
            _GAUSSIAN_RHO,
        ),
        steps=(
            DP_FILTER_ANY,
            decided_by(
                "PureAnyOutcomes.theorem_4_9_any",
                "The theorem end to end: e-DP rounds, charged e^2/2, and a filter with the paper's B-star keep "
                "(epsilon, delta)-DP.",
                "Feldman & Zrnic, Theorem 4.9",
                beyond=_TONELLI,
                covers=f"{ANY}, the densities adding theirs to those of others",
            ),
            decided_by(
                "RealGaussian.gaussian_filter_real",
                "Gaussian releases of real numbers, whose means, scales and charges depend on all numbers released "
                "before: a filter of their zCDP charges keeps (epsilon, delta)-DP.",
                "Feldman & Zrnic, Theorem 4.9",
                beyond=_TONELLI,
                covers=GAUSSIAN,
            ),
            decided_by(
                "RealLaplace.laplace_filter_real",
                "The same for Laplace releases, charged half the square of what they lose, and the paper's B-star.",
                "Feldman & Zrnic, Theorem 4.9",
                beyond=_TONELLI,
                covers=_LAPLACE,
            ),
            beside(
                "RealGaussian.gaussian_is_zcdp",
                "N(p, sigma^2) against N(q, sigma^2) is (p - q)^2/(2 sigma^2)-zCDP, both ways.",
                covers=GAUSSIAN,
            ),
        ),
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
        stated=(
            r"D_{\alpha_j} \le B_j \text{ for all } j,\qquad \delta(\varepsilon) \le \min_j ",
            _CONVERTED,
        ),
        steps=(
            decided_by(
                "AllOrdersAnyOutcomes.all_orders_filter_any",
                "A filter that admits while the charges fit the budget of each order of a finite set keeps each "
                "budget.",
                "Feldman & Zrnic, Remark 4.4",
                beyond=_TONELLI,
                covers=ANY,
            ),
            decided_by(
                "AllOrdersAnyOutcomes.all_orders_delta_any",
                "It keeps (epsilon, delta)-DP where the CKS conversion of one of the orders, in the order written, "
                "allows its budget.",
                "Koskela, Tobaben & Honkela, Lemma C.4",
                beyond=_TONELLI,
                covers=ANY,
            ),
        ),
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
        stated=(r"P(S) \le ", _EVENT, r",\quad q = Q(S)"),
        steps=(
            decided_by(
                "BasicAnyOutcomes.basic_filter_any",
                "A filter that admits while epsilons sum to at most epsilon and deltas to at most delta keeps "
                "(epsilon, delta)-DP.",
                "Taylor, Vippathalla & Coon, Section II-A",
                beyond=_TONELLI,
                covers=ANY,
            ),
            decided_by(
                "BasicAnyOutcomes.basic_filter_laplace",
                "Laplace releases of real numbers, whose means, scales and charges depend on all numbers released "
                "before: a filter of their epsilons keeps epsilon-DP.",
                beyond=_TONELLI,
                covers=_LAPLACE,
            ),
        ),
    ),
)

#: Beside them: what makes the integrals those that are meant, and a filter that fails.
STATEMENTS = (
    KernelTheorem(
        "AnyOutcomes.potential_any",
        "One induction for every filter: a potential of the state and of the densities so far that bounds the payoff "
        "of stopping, and does not rise in the mean over a round that is admitted, bounds the mean payoff of each "
        "strategy.",
        covers=ANY,
    ),
    KernelTheorem(
        "AnyOutcomes.mass_is_one",
        "The laws of the transcript, as iterated integrals, have mass one.",
        covers=ANY,
    ),
    KernelTheorem(
        "RealLine.lebesgue_is_riemann",
        "The integral over the real line, made from covers by continuous functions, is the improper Riemann integral "
        "of a continuous function that has one.",
        covers="nonnegative functions of a real number",
    ),
    KernelTheorem(
        "RealLine.riemann_adds",
        "Such a function adds its integral to that of any other function.",
        covers="nonnegative functions of a real number",
    ),
    KernelTheorem(
        "RealGaussian.late_filter_fails_real",
        "A filter that decides after the release keeps no zCDP: one Gaussian release of a real number breaks it.",
        covers=GAUSSIAN,
    ),
)
