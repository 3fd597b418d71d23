"""Claims that the kernel proves on odometers; and its statements on those who hold filters, beside `theory.proofs`."""

from __future__ import annotations

from theory.claims.kernel_theorem import beside, decided_by
from theory.claims.notations import Formula
from theory.claims.theorem import Theorem
from theory.kernel.statement import KernelTheorem

__all__ = ["ROWS", "STATEMENTS"]

_MIXTURE = Formula(
    "S/2 + sqrt(2*(S + H)*(l + log(S/H + 1)/2))",
    rocq="V + sqrt (2 * (2 * V + H) * (ln (1 / delta) + ln (2 * V / H + 1) / 2))",
    names={"V": "S/2", "delta": "exp(-l)"},
    S=("1/16", "2"),
    H=("1/16", "2"),
    l=("1", "12"),
)
_INSIDE = Formula(
    "2*S*(log(110) + 1 + 2*log(log(n)/delta))",
    rocq="2 * squares l * (ln 110 + 1 + 2 * ln (ln n / delta))",
    names={"squares l": "S"},
    S=("1/16", "1"),
    n=("3", "1000"),
    delta=("1/1024", "1/4"),
)
_OUTSIDE = Formula(
    "2*(1/n**2 + S)*(1 + log(1 + n**2*S)/2)*log(4*log(n)/log(2)/delta)",
    rocq="2 * (1 / n ^ 2 + squares l) * (1 + ln (1 + n ^ 2 * squares l) / 2) * ln (4 * log2 n / delta)",
    names={"squares l": "S"},
    S=("1/16", "4"),
    n=("3", "1000"),
    delta=("1/1024", "1/4"),
)

_LINE = Formula(
    "(k + 1)*S/2 + l/k",
    rocq="(k + 1) * v + ln (1 / delta) / k",
    names={"v": "S/2", "delta": "exp(-l)"},
    k=("1/4", "4"),
    S=("1/16", "2"),
    l=("1", "12"),
)
_STITCHED = Formula(
    "delta*(j + 1)**(-7/5)/z",
    rocq="delta * Rpower (INR j + 1) (- (7 / 5)) / z",
    names={"INR j": "j"},
    delta=("1/1024", "1/4"),
    j=("0", "40"),
    z=("3", "4"),
)
_HALTED = Formula(
    "rho + 2*sqrt(rho*l)",
    rocq="size level + 2 * sqrt (size level * ln (1 / delta level))",
    names={"size level": "rho", "delta level": "exp(-l)"},
    rho=("1/16", "2"),
    l=("1", "12"),
)
_DOUBLED = Formula(
    "6*delta/(pi**2*(j + 1)**2)",
    rocq="6 * delta / (PI ^ 2 * (INR j + 1) ^ 2)",
    names={"INR j": "j", "PI": "pi"},
    delta=("1/1024", "1/4"),
    j=("0", "40"),
)

#: The claims that the kernel decides.
ROWS = (
    Theorem(
        name="odometers",
        title="Odometers: the loss is below a bound at all times at once",
        source="Whitehouse, Ramdas, Rogers & Wu; Howard, Ramdas, McAuliffe & Sekhon; Lécuyer; derived here",
        hypotheses="0 < delta < 1, xi >= 0; mechanisms with finitely many outcomes, finitely many rounds chosen by the "
        "outputs so far; round t loses as a rho_t-zCDP one but for outcomes of probability at most xi_t, both ways, "
        "S = 2 sum rho_t; no bound where sum xi_t > xi; finitely many lines, at most 2100 filters",
        claim="The probability that the loss is ever above the line below, l = log(1/delta), is at most delta + xi "
        "for one k > 0; so it is where at each S the line is one of those best at S = first 2^(j+1/2), each at its "
        "share, the second value below with z at least the sum of the (j+1)^(-7/5), as zeta(7/5) is; and for the "
        "third, rho the least first 2^j that is at least sum rho_t, l of its share, the fourth. Releasing while a "
        "bound that is nowhere below all of finitely many lines, the request included, is at most epsilon >= 0 is "
        "(epsilon, delta + xi)-DP for any xi_t-approximately rho_t-zCDP mechanisms, xi <= 1",
        stated=(
            r"L \le ",
            _LINE,
            r",\qquad \delta_j = ",
            _STITCHED,
            r",\qquad L \le ",
            _HALTED,
            r",\qquad \delta_j = ",
            _DOUBLED,
        ),
        steps=(
            decided_by("Odometers.line_odometer", "One line.", "Whitehouse, Ramdas, Rogers & Wu"),
            decided_by(
                "OdometerShares.stitched_shares",
                "At each sum of charges one of finitely many lines, line j the best at first 2^(j+1/2) and at its "
                "share of delta.",
                "Whitehouse, Ramdas, Rogers & Wu; Howard, Ramdas, McAuliffe & Sekhon",
            ),
            decided_by(
                "OdometerShares.doubling_shares",
                "Nested filters of sizes first 2^j, each at its share of delta, of which the smallest that has not "
                "halted gives the bound; up to 2100 filters.",
                "Lécuyer; Feldman & Zrnic, Section 4",
            ),
            decided_by(
                "Odometers.lines_as_filter",
                "A filter that releases only while such a bound is at most epsilon >= 0 keeps (epsilon, delta + "
                "xi)-DP, delta the sum of the delta_j, for any xi_t-approximately rho_t-zCDP mechanisms.",
            ),
            beside(
                "Odometers.lines_odometer",
                "If a bound is nowhere below all of finitely many lines (k_j + 1) V + log(1/delta_j)/k_j in the sum V "
                "of zCDP charges, the loss is ever above it with probability at most the sum of the delta_j and xi, in "
                "both directions; infinite losses of probability xi_t are allowed while they sum to at most xi.",
                "Whitehouse, Ramdas, Rogers & Wu",
            ),
            beside(
                "OdometerShares.squares_sum",
                "1 + 1/4 + ... + 1/n^2 is at most pi^2/6 for n up to 2100.",
            ),
        ),
    ),
    Theorem(
        name="mixture odometer",
        title="The odometer that mixes lines",
        source="Whitehouse, Ramdas, Rogers & Wu; derived here",
        hypotheses="0 < delta < 1, H > 0, xi >= 0; mechanisms with finitely many outcomes, finitely many rounds "
        "chosen by the outputs so far; round t loses as a rho_t-zCDP one but for outcomes of probability at most "
        "xi_t, both ways, S = 2 sum rho_t; no bound where sum xi_t > xi",
        claim="The probability that the loss is ever above the bound below is at most delta + xi, l = log(1/delta), "
        "whatever else decides what is released; and releasing while the bound, the request included, is at most "
        "epsilon >= 0 is (epsilon, delta + xi)-DP for any xi_t-approximately rho_t-zCDP mechanisms, xi <= 1",
        stated=(r"L \le ", _MIXTURE),
        steps=(
            decided_by(
                "MixtureOdometer.mixture_odometer",
                "The mixture of e^(k L - k (k+1) S/2) over k >= 0 by the density of |N(0, 1/H)| does not rise in the "
                "mean, so the loss is ever above the bound with probability at most delta + xi, in both directions.",
                "Whitehouse, Ramdas, Rogers & Wu",
            ),
            decided_by(
                "MixtureOdometer.mixture_as_filter",
                "Releasing only while that bound is at most epsilon >= 0 keeps (epsilon, delta + xi)-DP for mixtures "
                "of rho_t-zCDP mechanisms with anything, of weight xi_t.",
                "Whitehouse, Ramdas, Rogers & Wu",
            ),
            beside(
                "HalfMixture.mixed_reaches",
                "The integral of the mixture up to K reaches 1/delta, for K large, where the loss is above the bound.",
            ),
        ),
    ),
    Theorem(
        name="Rogers odometer",
        title="The odometer of Rogers, Roth, Ullman and Vadhan",
        source="Rogers, Roth, Ullman & Vadhan, Theorem 6.1; derived here",
        hypotheses="0 < delta < 1/e, n >= 3; mechanisms with finitely many outcomes, finitely many rounds chosen by "
        "the outputs so far; round t loses as a rho_t-zCDP one, rho_t = epsilon_t^2/2, but for outcomes of "
        "probability at most delta_t, both ways, as KOV(epsilon_t, delta_t) does; S = sum epsilon_t^2, D the sum of "
        "epsilon_t (e^epsilon_t - 1)/2; no bound where sum delta_t > delta/2",
        claim="The probability that the loss is ever above D plus the root of the first value below while 1/n^2 <= S "
        "<= 1, of the second otherwise, is at most delta, whatever else decides what is released; and releasing while "
        "the bound, the request included, is at most epsilon >= 0 is (epsilon, delta)-DP for any (epsilon_t, "
        "delta_t)-DP mechanisms",
        stated=(r"(L - D)_+^2 \le ", _INSIDE, r",\quad (L - D)_+^2 \le ", _OUTSIDE),
        steps=(
            decided_by(
                "RogersOdometer.rogers_odometer",
                "The loss is ever above the bound with probability at most delta, in both directions: outside [1/n^2, "
                "1] it is above the mixture with H = 1/n^2 at delta/(4 log2 n), inside above one of at most 2 log2(n) "
                "+ 1 lines.",
                "Rogers, Roth, Ullman & Vadhan, Theorem 6.1",
            ),
            decided_by(
                "RogersOdometer.rogers_odometer_as_filter",
                "Releasing only while the bound is at most epsilon keeps (epsilon, delta)-DP for any (epsilon_t, "
                "delta_t)-DP mechanisms, epsilon >= 0.",
                "Rogers, Roth, Ullman & Vadhan, Theorem 6.1",
            ),
            beside(
                "RogersOdometer.pure_but_for",
                "A round that is e-DP but for outcomes of the same probability d < 1 under both laws loses as an "
                "(e^2/2)-zCDP one but for them.",
            ),
            beside(
                "RogersOdometer.told_or_coin_is_honest",
                "An example: the pair KOV(log 2, 1/4) is such a round, so honesty can be met.",
            ),
        ),
    ),
)

#: Beside them: what other theorems use, and examples.
STATEMENTS = (
    KernelTheorem(
        "IndividualFilter.individual_filter",
        "Whatever (epsilon, delta) a filter keeps for an analyst who is denied, one such filter for each person keeps "
        "for that person: who has run out is left out of the round, and the answers alone are published.",
        "Feldman & Zrnic, Theorem 4.5; Koskela, Tobaben & Honkela, Theorem 12",
    ),
    KernelTheorem(
        "IndividualFilter.individual_renyi_filter",
        "Individual filters on Rényi charges keep D_alpha <= B for each person, both ways.",
        "Feldman & Zrnic, Theorem 4.5",
    ),
    KernelTheorem(
        "IndividualFilter.individual_zcdp_filter",
        "Individual filters on zCDP charges keep D_alpha <= alpha B for each person at each alpha > 1.",
        "Feldman & Zrnic, Theorem 4.5",
    ),
    KernelTheorem(
        "IndividualFilter.individual_kl_filter",
        "The same at order 1: KL at most B for each person, in both directions.",
        "Feldman & Zrnic, Theorem 4.5 at alpha = 1",
    ),
    KernelTheorem(
        "IndividualComposition.individual_composition",
        "Without filters: where the charges of a person sum to at most B on each path, D_alpha <= B for that person.",
        "Feldman & Zrnic, Corollary 3.3",
    ),
    KernelTheorem(
        "IndividualComposition.individual_composition_kl",
        "The same at order 1.",
        "Feldman & Zrnic, Corollary 3.3 at alpha = 1",
    ),
    KernelTheorem(
        "IndividualInstances.individual_approximate_dp",
        "One filter of e^2/2 against B* per person, over pure rounds, keeps (epsilon, delta)-DP for each person.",
        "Feldman & Zrnic, Theorems 4.5 and 4.9",
    ),
    KernelTheorem(
        "IndividualGaussian.individual_gaussian_filter",
        "One filter per person that admits while the sum of mu^2 is at most B^2 keeps B-GDP for each person, in both "
        "directions.",
        "Koskela, Tobaben & Honkela, Theorem 12",
    ),
    KernelTheorem(
        "Trackers.individual_tracker",
        "The tracker of one person, who is never left out, bounds by m Delta what was lost on that person before its "
        "m-th restart.",
        "Feldman & Zrnic, Corollary 4.11",
    ),
    KernelTheorem(
        "IndividualExample.one_round_counts",
        "An example: a person in two rounds, of whom the budget pays for one, so honesty can be met.",
    ),
    KernelTheorem(
        "Odometers.loss_odometer",
        "If a potential mixes e^(k L - k (k+1) V), V the sum of zCDP charges, and is at least the probability wherever "
        "the loss is above a bound, the loss is ever above it with probability at most what the potential begins at, "
        "and what the outcomes of an infinite loss may cost.",
        "Ville",
    ),
    KernelTheorem(
        "Odometers.doubling_odometer",
        "Nested filters, of which the smallest that has not halted gives the bound: the loss is ever above it with "
        "probability at most the sum of their deltas, and xi.",
        "Lécuyer; Feldman & Zrnic, Section 4",
    ),
    KernelTheorem(
        "Odometers.stitched_odometer",
        "A bound that at each sum of charges is one of finitely many lines fails with probability at most the sum of "
        "their deltas, and xi, at all times at once.",
        "Whitehouse, Ramdas, Rogers & Wu",
    ),
    KernelTheorem(
        "Odometers.one_response_is_counted",
        "An example: the loss of one honest randomised response is ever above 0 with probability 3/4.",
    ),
)
