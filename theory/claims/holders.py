"""Statements of the kernel on filters for each person, on queries and on odometers, beside steps of `theory.proofs`."""

from __future__ import annotations

from theory.kernel.statement import KernelTheorem

__all__ = ["STATEMENTS"]

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
        "LinearQueries.linear_queries",
        "Adaptive linear queries, answered with each person while squared norms sum to at most B_norm, are kappa-zCDP "
        "for each.",
        "Feldman & Zrnic, Corollary 4.7",
        beyond="That Gaussian noise of variance B_norm / (2 kappa) makes each answer so private is assumed of the "
        "mechanism; the accuracy of the answers.",
    ),
    KernelTheorem(
        "Odometers.lines_odometer",
        "If a bound is nowhere below all of finitely many lines (k_j + 1) V + log(1/delta_j)/k_j in the sum V of zCDP "
        "charges, the loss is ever above it with probability at most the sum of the delta_j, in both directions.",
        "Whitehouse, Ramdas, Rogers & Wu",
        beyond="The mixture over a continuum of lines.",
    ),
    KernelTheorem("Odometers.line_odometer", "The same for one line.", "Whitehouse, Ramdas, Rogers & Wu"),
    KernelTheorem(
        "Odometers.doubling_odometer",
        "Nested filters, of which the smallest that has not halted gives the bound: the loss is ever above it with "
        "probability at most the sum of their deltas.",
        "Lécuyer; Feldman & Zrnic, Section 4",
    ),
    KernelTheorem(
        "Odometers.stitched_odometer",
        "A bound that at each sum of charges is one of finitely many lines fails with probability at most the sum of "
        "their deltas, at all times at once.",
        "Whitehouse, Ramdas, Rogers & Wu",
    ),
    KernelTheorem(
        "Odometers.odometer_as_filter",
        "A filter that releases only while the bound of such an odometer is at most epsilon keeps (epsilon, delta)-DP, "
        "delta the sum of the delta_j.",
    ),
)
