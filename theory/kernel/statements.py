"""The statements that the kernel is asked for: each with the papers' theorem that it is, and what it leaves out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["KERNEL", "KernelTheorem"]

_000, _003, _004 = "Feldman & Zrnic", "Koskela, Tobaben & Honkela", "Taylor, Vippathalla & Coon"


@dataclass(frozen=True, slots=True)
class KernelTheorem:
    """A theorem of the Rocq sources: its name, its file, the paper's theorem, what it says, and what it leaves out.

    Each is about mechanisms with finitely many outcomes; `beyond` names what else a reader might look for in vain.
    """

    name: str
    module: str
    source: str
    says: str
    beyond: str = ""


_ALL = (
    KernelTheorem(
        "total_is_a_sum_over_transcripts",
        "Interaction",
        "this project",
        "What the statements call a total is the sum over the list of all full transcripts.",
    ),
    KernelTheorem(
        "transcripts_differ",
        "Interaction",
        "this project",
        "In the list of transcripts each stands once, so that an event is a set of transcripts.",
    ),
    KernelTheorem(
        "hockey_stick_bounds_events",
        "Divergences",
        f"{_003}, Theorem 6",
        "A bound on the hockey-stick divergence of the transcript is one on P(S) - e^epsilon Q(S) for each event S.",
    ),
    KernelTheorem(
        "renyi_filter_both_ways",
        "RenyiFilter",
        f"{_000}, Theorem 4.3",
        "A filter that admits while declared charges sum to at most B, each at least the Rényi divergence of order "
        "alpha > 1 of its mechanism in both directions, keeps that of the whole transcript at most B, both ways.",
    ),
    KernelTheorem(
        "kl_filter",
        "RenyiFilter",
        f"{_000}, Theorem 4.3 at alpha = 1",
        "The same at order 1, where the paper's proof divides by zero: a sum of KL divergences bounds that of the "
        "transcript.",
    ),
    KernelTheorem(
        "all_orders_filter",
        "RenyiFilter",
        f"{_000}, Remark 4.4",
        "A filter that admits while the charges fit the budget of each order of a finite set keeps each budget.",
    ),
    KernelTheorem(
        "adaptive_composition",
        "AdaptiveComposition",
        f"{_000}, Theorem 3.1",
        "Without a filter: where the charges on each path sum to at most B, the transcript has D_alpha <= B.",
    ),
    KernelTheorem(
        "zcdp_filter",
        "ZCDPFilter",
        f"{_000}, Remark 4.4",
        "A filter that admits while zCDP charges sum to at most B keeps D_alpha <= alpha B at each alpha > 1.",
    ),
    KernelTheorem(
        "hockey_stick_is_least",
        "Events",
        "this project",
        "The hockey-stick divergence of a transcript is the least delta: what an event can gain, some "
        "event gains.",
    ),
    KernelTheorem(
        "cks_conversion",
        "Conversions",
        f"{_003}, Lemma C.4",
        "A transcript with D_alpha <= rho has a hockey-stick divergence of at most e^((alpha - 1)(rho - "
        "epsilon)) (1 - 1/alpha)^alpha / (alpha - 1), in the order written.",
    ),
    KernelTheorem(
        "simple_conversion",
        "Conversions",
        f"{_000}, Fact 2.4",
        "A transcript with D_alpha <= rho has a hockey-stick divergence of at most e^((alpha - 1)(rho - "
        "epsilon)).",
    ),
    KernelTheorem(
        "zcdp_to_delta",
        "Conversions",
        f"{_000}, Theorem 4.9",
        "A B-zCDP transcript, B > 0, has a hockey-stick divergence of at most delta at epsilon where B + "
        "2 sqrt(B log(1/delta)) <= epsilon, or where the CKS bound at some order is at most delta; one "
        "direction, and the other by exchanging the data sets.",
    ),
    KernelTheorem(
        "pure_is_zcdp",
        "PureToZCDP",
        "Bun & Steinke, Proposition 3.3",
        "An e-DP mechanism is (e^2/2)-zCDP, in both directions.",
    ),
    KernelTheorem(
        "approximate_dp_filter",
        "ApproximateDPFilter",
        f"{_000}, Theorem 4.9",
        "A filter that admits while zCDP charges sum to at most B keeps (epsilon, delta)-DP where the "
        "simple or the CKS conversion allows B.",
    ),
    KernelTheorem(
        "theorem_4_9",
        "ApproximateDPFilter",
        f"{_000}, Theorem 4.9",
        "The theorem end to end: e-DP rounds, charged e^2/2, and a filter with the paper's B-star keep "
        "(epsilon, delta)-DP.",
    ),
    KernelTheorem(
        "cks_filter",
        "ApproximateDPFilter",
        f"{_003}, Lemma C.4",
        "The same with a budget B that the CKS conversion allows at some order.",
    ),
    KernelTheorem(
        "at_one_and_1e_5_cks",
        "ApproximateDPFilter",
        "this project",
        "The filter with the exact rational of the double that ApproximateDPFilter(1.0, 1e-5) compares "
        "with is (1, delta)-DP, delta being the exact rational of the double 1e-5.",
    ),
    KernelTheorem(
        "at_one_and_1e_5_simple",
        "ApproximateDPFilter",
        "this project",
        "The same for the simple conversion.",
    ),
    KernelTheorem(
        "simple_larger_fails",
        "ApproximateDPFilter",
        "this project",
        "A budget larger than that by one part in 10^9 is not allowed by the simple conversion.",
    ),
    KernelTheorem(
        "somebody_is_granted_something",
        "ApproximateDPFilter",
        "this project",
        "An example: an honest analyst is granted two coins by this filter and denied a third, so honesty "
        "can be met.",
    ),
    KernelTheorem(
        "pure_filter",
        "BasicFilter",
        f"{_004}, Section II-A",
        "A filter that admits while pure epsilons sum to at most epsilon keeps epsilon-DP.",
    ),
    KernelTheorem(
        "basic_filter",
        "BasicFilter",
        f"{_004}, Section II-A",
        "A filter that admits while epsilons sum to at most epsilon and deltas to at most delta keeps "
        "(epsilon, delta)-DP.",
    ),
    KernelTheorem(
        "basic_product_filter",
        "BasicFilter",
        "this project",
        "The same, for delta < 1, with 1 - prod (1 - delta_t) in place of the sum of deltas, which grants "
        "a little more.",
    ),
    KernelTheorem(
        "the_product_grants_more",
        "BasicFilter",
        "this project",
        "An example: two erasures that the product form grants and the sum of deltas does not.",
    ),
    KernelTheorem(
        "approximate_zcdp_filter",
        "ApproximateZCDPFilter",
        "Whitehouse, Ramdas, Rogers & Wu",
        "A filter that admits while rho and xi of xi-approximately rho-zCDP mechanisms stay within their "
        "budgets keeps xi + (1 - xi) times the delta of rho-zCDP.",
    ),
    KernelTheorem(
        "individual_filter",
        "IndividualFilter",
        f"{_000}, Theorem 4.5; {_003}, Theorem 12",
        "Whatever (epsilon, delta) a filter keeps for an analyst who is denied, one such filter for each "
        "person keeps for that person: who has run out is left out of the round, and the answers alone "
        "are published.",
    ),
    KernelTheorem(
        "individual_renyi_filter",
        "IndividualFilter",
        f"{_000}, Theorem 4.5",
        "Individual filters on Rényi charges keep D_alpha <= B for each person, both ways.",
    ),
    KernelTheorem(
        "individual_zcdp_filter",
        "IndividualFilter",
        f"{_000}, Theorem 4.5",
        "Individual filters on zCDP charges keep D_alpha <= alpha B for each person at each alpha > 1.",
    ),
    KernelTheorem(
        "individual_kl_filter",
        "IndividualFilter",
        f"{_000}, Theorem 4.5 at alpha = 1",
        "The same at order 1: KL at most B for each person, in both directions.",
    ),
    KernelTheorem(
        "individual_composition",
        "IndividualComposition",
        f"{_000}, Corollary 3.3",
        "Without filters: where the charges of a person sum to at most B on each path, D_alpha <= B for "
        "that person.",
    ),
    KernelTheorem(
        "individual_composition_kl",
        "IndividualComposition",
        f"{_000}, Corollary 3.3 at alpha = 1",
        "The same at order 1.",
    ),
    KernelTheorem(
        "individual_approximate_dp",
        "IndividualInstances",
        f"{_000}, Theorems 4.5 and 4.9",
        "One filter of e^2/2 against B* per person, over pure rounds, keeps (epsilon, delta)-DP for each person.",
    ),
    KernelTheorem(
        "individual_gaussian_filter",
        "IndividualGaussian",
        f"{_003}, Theorem 12",
        "One filter per person that admits while the sum of mu^2 is at most B^2 keeps B-GDP for each person, in both "
        "directions.",
    ),
    KernelTheorem(
        "gaussian_tracker",
        "IndividualGaussian",
        f"{_003}, Appendix C.5",
        "What was released within m blocks of size s is (sqrt m s)-GDP, for each m fixed in advance.",
    ),
    KernelTheorem(
        "one_round_counts",
        "IndividualExample",
        "this project",
        "An example: a person in two rounds, of whom the budget pays for one, so honesty can be met.",
    ),
    KernelTheorem(
        "linear_queries",
        "LinearQueries",
        f"{_000}, Corollary 4.7",
        "Adaptive linear queries, answered with each person while squared norms sum to at most B_norm, "
        "are kappa-zCDP for each.",
        "That Gaussian noise of variance B_norm / (2 kappa) makes each answer so private is assumed of "
        "the mechanism; the accuracy of the answers.",
    ),
    KernelTheorem(
        "some_order_bound",
        "SomeOrder",
        "this project",
        "A filter that admits while at some order of a finite set the divergences fit that order's "
        "budget, one of which is not below 0, keeps epsilon with the sum of s(a_j) e^((a_j - 1)(B_j - "
        "epsilon)) as its delta, s(a) = (1 - 1/a)^(a - 1) / a.",
    ),
    KernelTheorem(
        "some_order_markov",
        "SomeOrder",
        "this project",
        "With the budgets that Markov's inequality allows each order the delta is delta times the sum of "
        "s(a_j).",
    ),
    KernelTheorem(
        "some_order_cks",
        "SomeOrder",
        "this project",
        "With the budgets that the CKS conversion allows each order, m orders keep (epsilon, m delta)-DP.",
    ),
    KernelTheorem(
        "dominated_by_product",
        "Domination",
        f"{_003}, Theorem 10",
        "Rounds dominated by fixed finite pairs stay dominated by the product of the pairs, whatever was "
        "chosen adaptively.",
    ),
    KernelTheorem(
        "product_filter",
        "Domination",
        f"{_003}, Theorem 10",
        "A filter that uses up a fixed multiset of dominating pairs, in any order, is (epsilon, delta)-DP "
        "where their product is.",
    ),
    KernelTheorem(
        "private_is_approximate_zcdp",
        "GoodParts",
        "Kairouz, Oh & Viswanath",
        "An (e, d)-DP mechanism with d < 1 is d-approximately (e^2/2)-zCDP: a mixture, of weight 1 - d, "
        "of an (e^2/2)-zCDP mechanism and anything.",
    ),
    KernelTheorem(
        "core_exists",
        "WhitehouseFilter",
        "Kairouz, Oh & Viswanath",
        "An (e, d)-DP round contains an e-DP core of mass at least 1 - d under both laws.",
    ),
    KernelTheorem(
        "whitehouse_filter",
        "WhitehouseFilter",
        "Whitehouse, Ramdas, Rogers & Wu",
        "A filter that admits while epsilon_t^2 sum to at most S and deltas to at most D keeps (epsilon, "
        "tail + D)-DP where sqrt(2 log(1/tail) S) + S/2 <= epsilon.",
    ),
    KernelTheorem(
        "whitehouse_threshold",
        "WhitehouseFilter",
        "Whitehouse, Ramdas, Rogers & Wu",
        "The condition as the paper prints it is that the sum of squares is at most twice the simple zCDP "
        "budget.",
    ),
    KernelTheorem(
        "rogers_filter",
        "RogersFilter",
        "Rogers, Roth, Ullman & Vadhan, Theorem 5.1",
        "A filter that admits while deltas sum to at most delta/2 and K <= epsilon keeps (epsilon, "
        "delta)-DP, for each constant H > 0.",
    ),
    KernelTheorem(
        "lines_odometer",
        "Odometers",
        "Whitehouse, Ramdas, Rogers & Wu",
        "If a bound is nowhere below all of finitely many lines (k_j + 1) V + log(1/delta_j)/k_j in the "
        "sum V of zCDP charges, the loss is ever above it with probability at most the sum of the "
        "delta_j, in both directions.",
        "The mixture over a continuum of lines.",
    ),
    KernelTheorem(
        "line_odometer",
        "Odometers",
        "Whitehouse, Ramdas, Rogers & Wu",
        "The same for one line.",
    ),
    KernelTheorem(
        "doubling_odometer",
        "Odometers",
        f"Lécuyer; {_000}, Section 4",
        "Nested filters, of which the smallest that has not halted gives the bound: the loss is ever "
        "above it with probability at most the sum of their deltas.",
    ),
    KernelTheorem(
        "stitched_odometer",
        "Odometers",
        "Whitehouse, Ramdas, Rogers & Wu",
        "A bound that at each sum of charges is one of finitely many lines fails with probability at most the sum of "
        "their deltas, at all times at once.",
    ),
    KernelTheorem(
        "odometer_as_filter",
        "Odometers",
        "this project",
        "A filter that releases only while the bound of such an odometer is at most epsilon keeps "
        "(epsilon, delta)-DP, delta the sum of the delta_j.",
    ),
    KernelTheorem(
        "tracker_renyi",
        "Trackers",
        f"{_000}, Proposition 4.10",
        "A filter of size Delta, started anew when it would halt: before the m-th restart D_alpha <= m "
        "Delta.",
        "A time chosen by the value of the tracker.",
    ),
    KernelTheorem(
        "tracker_zcdp",
        "Trackers",
        f"{_000}, Proposition 4.10",
        "The same for zCDP at each alpha > 1.",
    ),
    KernelTheorem(
        "tracker_promise",
        "Trackers",
        f"{_003}, Appendix C.5",
        "What an additive filter of m blocks promises, the tracker keeps before the m-th restart; squares "
        "of GDP parameters add so.",
    ),
    KernelTheorem(
        "individual_tracker",
        "Trackers",
        f"{_000}, Corollary 4.11",
        "The tracker of one person bounds by m Delta what was lost on that person before its m-th restart.",
    ),
    KernelTheorem(
        "tilted_weights_bounded",
        "TiltedWeights",
        "this project",
        "The integrands of a tilted simulation are bounded by the CKS bound where a filter holds the "
        "divergences of order s, and the part for infinite losses by 1 - e^(-A).",
    ),
    KernelTheorem(
        "tilted_mean",
        "TiltedWeights",
        "this project",
        "Their mean under the tilted draws, infinite losses weighed, is the hockey-stick divergence.",
        "The samples that estimate the mean.",
    ),
    KernelTheorem(
        "halting_keeps",
        "RetryAndHalt",
        f"{_000}, Algorithms 2 and 4",
        "What a filter promises to each strategy it keeps for an analyst who must halt at the first denial.",
    ),
    KernelTheorem(
        "retry_is_seen",
        "RetryAndHalt",
        f"{_000}, Section 4",
        "An example: who asks again after a denial has the denial in the transcript.",
    ),
    KernelTheorem(
        "resetting_filter_fails",
        "RetryAndHalt",
        "this project",
        "A filter that starts anew at each denial breaks its promise, by 3/8 in a game of two coins.",
    ),
    KernelTheorem(
        "late_filter_fails",
        "LateFilter",
        "this project",
        "A filter that decides after the release keeps no (epsilon, delta)-DP with delta < 1.",
    ),
    KernelTheorem(
        "erased_again_and_again",
        "NaiveRealisation",
        f"{_004}, Section II-B",
        "Under the naive realisation filter, N erasures of probability p <= delta reach 1 - (1 - p)^N.",
    ),
    KernelTheorem(
        "naive_filter_fails",
        "NaiveRealisation",
        f"{_004}, Section II-B",
        "So the naive realisation filter promises no delta below 1.",
    ),
    KernelTheorem(
        "natural_filter_fails",
        "NaturalFilter",
        "this project",
        "The natural filter breaks its promise 45/169 on three randomised responses: an adaptive strategy "
        "reaches 1899/5915.",
    ),
    KernelTheorem(
        "no_strategy_more",
        "NaturalFilter",
        "this project",
        "In three rounds no strategy on that menu reaches more, P over Q.",
    ),
    KernelTheorem(
        "some_order_markov_fails",
        "SomeOrderFails",
        "this project",
        "The rule at some order with Markov budgets for delta = 1/100 itself is broken at orders 1.1 and "
        "1.3, epsilon = 80: more than 1.1 delta is reached.",
    ),
    KernelTheorem(
        "some_order_cks_fails",
        "SomeOrderFails",
        "this project",
        "With CKS budgets for delta = 1/100 it is broken at orders 2 and 32, epsilon = 6: more than 1.39 "
        "delta is reached.",
    ),
    KernelTheorem(
        "potential",
        "Interaction",
        "this project",
        "One induction for every filter: a potential of the state and of the probabilities so far that "
        "bounds the payoff of stopping, and does not rise in the mean over a round that is admitted, "
        "bounds the mean payoff of each strategy.",
    ),
    KernelTheorem(
        "tilted_mean_of_finite_losses",
        "TiltedWeights",
        "this project",
        "Under a filter that holds the divergences of order s to B, the weighted integrands of a tilted "
        "simulation lie between 0 and the CKS bound, and their mean is the hockey-stick divergence, for "
        "mechanisms without infinite losses.",
        "The samples that estimate the mean.",
    ),
    KernelTheorem(
        "gaussian_filter",
        "GaussianFilter",
        f"{_003}, Algorithm 2 and Theorem C.1",
        "A filter that admits while mu_t^2 sum to at most mu^2, each round mu_t-GDP, keeps the hockey- "
        "stick divergence of the transcript at most delta_mu(epsilon) at each epsilon, both ways.",
        "That a mechanism in doubles is mu-GDP.",
    ),
    KernelTheorem(
        "gaussian_promise",
        "GaussianFilter",
        f"{_003}, Theorem C.1",
        "So the transcript is (epsilon, delta_mu(epsilon))-DP at each epsilon.",
    ),
    KernelTheorem(
        "gaussian_round",
        "GaussianRound",
        f"{_003}, Theorem 11",
        "A mu-GDP round does not raise the mean of what is left above the Gaussian curve of what was left "
        "before: by the heat equation and its maximum principle, without an integral.",
    ),
    KernelTheorem(
        "gdp_is_zcdp",
        "GaussianMoment",
        "Dong, Roth & Su",
        "A mu-GDP round with finitely many outcomes is (mu^2/2)-zCDP, both ways.",
    ),
    KernelTheorem(
        "threshold_is_gdp",
        "GaussianFilter",
        "this project",
        "An example: whether a Gaussian is above its middle is mu-GDP, so honesty can be met.",
    ),
    KernelTheorem(
        "zcdp_filter_kl",
        "ZCDPFilter",
        f"{_000}, Remark 4.4 at alpha = 1",
        "A filter on zCDP charges bounds the KL divergence as well.",
    ),
    KernelTheorem(
        "blackwell_filter",
        "BlackwellFilter",
        f"{_003}, Section 5",
        "A filter that admits while the finite mechanisms so far, composed as if fixed in advance, stay "
        "below some Gaussian(m) at each epsilon and m^2 plus the mu_t^2 of the other rounds is at most "
        "mu^2 keeps the transcript (mu^2/2)-zCDP, whatever rule finds m.",
        "That the transcript is mu-GDP, which need not be; infinite losses.",
    ),
    KernelTheorem(
        "gaussian_is_granted",
        "BlackwellFilter",
        "this project",
        "An example: a thresholded Gaussian is honest and granted.",
    ),
    KernelTheorem(
        "realisation_filter",
        "RealisationFilter",
        f"{_004}, Theorem 1",
        "Algorithm 1 over any N and any menus: where dhat + theta (1 - dhat) N <= delta, the transcript is "
        "(epsilon, delta)-DP in both directions.",
        "That a quantile of the code is one of the theorem's is certified apart.",
    ),
)

#: The statements by name.
KERNEL: Mapping[str, KernelTheorem] = {theorem.name: theorem for theorem in _ALL}
