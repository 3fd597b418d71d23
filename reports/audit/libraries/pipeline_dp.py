"""pipeline-dp: budgets that are split among the mechanisms of a pipeline before any of them runs."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

import numpy as np
from mpmath import mp

from reports.audit.fault import EntryPoint, Fault, Kind, Library, Route
from reports.audit.routes.noises import (
    Profile,
    gaussian_epsilon,
    gaussian_profile,
    gaussian_profile_by_integral,
    told_together,
)

__all__ = ["LIBRARY"]

_ACCOUNTING = "pipeline_dp/budget_accounting.py"
_PLD = "pipeline_dp.budget_accounting.PLDBudgetAccountant"

_ENTRIES = (
    EntryPoint(
        name="pipeline_dp.NaiveBudgetAccountant",
        rule="each application of a mechanism gets its weight's share of epsilon, and of delta if it uses one",
        where=f"{_ACCOUNTING}: NaiveBudgetAccountant.compute_budgets",
        theorem="basic composition",
        promises="the mechanisms of a pipeline, requested before compute_budgets, stay within (epsilon, delta) in "
        "all",
    ),
    EntryPoint(
        name=_PLD,
        rule="the least common noise at which the composed privacy loss distribution has the total epsilon at delta",
        where=f"{_ACCOUNTING}: PLDBudgetAccountant.compute_budgets",
        theorem="composition of privacy loss distributions",
        promises="the same for noise found by composing numerically; said to be experimental, not yet for DPEngine",
    ),
    EntryPoint(
        name="pipeline_dp.dp_computations.gaussian_epsilon",
        rule="bisection of the Gaussian mechanism's delta over epsilon",
        where="pipeline_dp/dp_computations.py: gaussian_epsilon",
        theorem="Balle & Wang 2018, Theorem 8",
        promises="the least epsilon at a delta",
    ),
    EntryPoint(
        name="pipeline_dp.DPEngine.aggregate",
        rule="bounds contributions, and adds noise to each metric at the budget that it requested",
        where="pipeline_dp/combiners.py and dp_computations.py: compute_dp_var",
        theorem="Laplace and Gaussian mechanisms",
        promises="metrics at the epsilon and delta of the accountant",
    ),
    EntryPoint(
        name="pipeline_dp.DPEngine.calculate_private_contribution_bounds",
        rule="an exponential mechanism over bounds, at an epsilon of its own parameters",
        where="pipeline_dp/private_contribution_bounds.py: PrivateL0Calculator",
        theorem="exponential mechanism",
        promises="contribution bounds computed privately",
    ),
)

_FAULTS = (
    Fault(
        key="variance_squares",
        kind=Kind.WRONG_NUMBER,
        entry="pipeline_dp.DPEngine.aggregate",
        says="Metrics.VARIANCE adds noise to the sum of squares for half of what one value changes, where bounds are "
        "symmetric about 0",
        why="The squares that are summed are those of the distances to the middle of the bounds, up to the square of "
        "half their width, h^2. The noise is for half the width of the interval of squares of the bounds, which is "
        "h^2 / 2 for bounds (-h, h). With count and mean, from which all three noisy sums follow, the loss is 4/3 of "
        "epsilon. With bounds of one sign, or of which one is less than 0.41 of the other in size, the noise is large "
        "enough.",
        fix="Take h^2 as sensitivity of each value, or take h^2 / 2 off each square before they are summed and add it "
        "to the mean of squares.",
        routes=(
            Route("1/3 + 1/3 + 2/3 of epsilon 1", lambda: float(2 * Fraction(1, 3) + Fraction(2, 3))),
            Route(
                "randomised responses at these epsilons, where all tell",
                lambda: told_together(1 / 3, 1 / 3, 2 / 3),
            ),
        ),
    ),
    Fault(
        key="nan_passes_sum",
        kind=Kind.MISUSE,
        entry="pipeline_dp.DPEngine.aggregate",
        says="a value NaN makes the sum and the mean of its partition NaN for certain",
        why="Clipping to min_value and max_value leaves NaN, and so does noise. An answer NaN tells that somebody's "
        "value is NaN: no epsilon allows that. The docs name bounds of each value, and do not speak of NaN.",
        fix="Replace NaN by a value inside the bounds when clipping, or drop such values before contributions are "
        "bounded.",
        routes=(
            Route(
                "a sum of clipped values with NaN, and without",
                lambda: (
                    float(np.isnan(np.clip([0.5, np.nan], 0, 1).sum()))
                    - float(np.isnan(np.clip([0.5, 0.5], 0, 1).sum()))
                ),
            ),
            Route(
                "chance of a number where no value is NaN",
                lambda: float(mp.quad(lambda x: mp.exp(-abs(x)) / 2, [-mp.inf, 0, mp.inf])),
            ),
        ),
    ),
    Fault(
        key="pld_truncated_geometric",
        kind=Kind.WRONG_NUMBER,
        entry=f"{_PLD}.compute_budgets",
        says="a truncated geometric mechanism is not composed: the mechanism requested before it is composed again",
        why="_compose_distributions has no branch for TRUNCATED_GEOMETRIC, so its local variable keeps the "
        "mechanism before, however quiet that is. Requested after a Laplace mechanism of weight 0.01, a partition "
        "selection gets about fifty times the total epsilon and delta. Requested first it is left out, and alone "
        "it ends in an AttributeError. The class is said to be experimental.",
        fix="Compose it as the generic mechanism, from the (epsilon, delta) that compute_budgets will hand out, and "
        "raise NotImplementedError for types that have no branch.",
        routes=(
            Route(
                "two Laplace mechanisms of weight 1/100 fill epsilon 1, one of weight 1 has",
                lambda: 1 / (2 / 100),
            ),
            Route(
                "the same from the noise that two such Laplace mechanisms need",
                lambda: sqrt(2) / _base_noise(),
            ),
        ),
    ),
    Fault(
        key="pld_sensitivity",
        kind=Kind.WRONG_NUMBER,
        entry=f"{_PLD}.request_budget",
        says="a query of sensitivity s gets noise for sensitivity 1 where delta > 0, and for s where delta = 0",
        why="The noise handed out is sensitivity * base / weight, and the distribution composed is that of a "
        "mechanism with this noise on a query of sensitivity 1. At sensitivity 10 the loss is ten times what was "
        "asked. At delta = 0 another formula is used, which is right: there the noise is ten times as large. The "
        "class is said to be experimental.",
        fix="Compose with the sensitivity, from_laplace_mechanism(b, sensitivity=...), or leave it out of both the "
        "composed parameter and the noise, if that is meant to be per unit of sensitivity; and say which in the "
        "docs.",
        routes=(
            Route("standard deviation due at sensitivity 10: 10 * sqrt(2) / epsilon", lambda: 10 * sqrt(2)),
            Route(
                "the same where the density ratio of the noise at distance 10 is e",
                lambda: _laplace_deviation(10),
            ),
        ),
    ),
    Fault(
        key="pld_count_ignored",
        kind=Kind.WRONG_NUMBER,
        entry=f"{_PLD}.compute_budgets",
        says="at delta = 0 a mechanism with count = 5 gets the noise of one application",
        why="The branch for total_delta == 0 sums the weights without the counts. Five applications cost five times "
        "the total epsilon. With any delta > 0 the count is composed. The class is said to be experimental.",
        fix="Sum weight * count, as NaiveBudgetAccountant does.",
        routes=(
            Route("five times epsilon 1", lambda: float(5 * Fraction(1))),
            Route(
                "five randomised responses at epsilon 1, the outcome where all tell",
                lambda: told_together(*[1.0] * 5),
            ),
        ),
    ),
    Fault(
        key="pld_generic_weight",
        kind=Kind.WRONG_NUMBER,
        entry=f"{_PLD}.compute_budgets",
        says="generic mechanisms are composed as if weight and sensitivity were 1, and get epsilon by weight",
        why="_create_pld_for_generic takes sqrt(2) / base, compute_budgets sqrt(2) * weight / (sensitivity * base). "
        "With weights 1 and 3 the two mechanisms get about (2, 2e-6) of a total of (1, 1e-6); a weight of 10 or a "
        "sensitivity of 0.1 for a mechanism that is alone gives it ten times the total. The class is said to be "
        "experimental.",
        fix="Use the same epsilon in both places.",
        routes=(
            Route(
                "half of the total by weights 1 and 3 instead of 1 and 1",
                lambda: float(Fraction(1, 2) * (1 + 3)),
            ),
            Route("randomised responses at these epsilons, where both tell", lambda: told_together(0.5, 1.5)),
        ),
    ),
    Fault(
        key="pld_thresholding_count",
        kind=Kind.WRONG_NUMBER,
        entry=f"{_PLD}.compute_budgets",
        says="the delta of thresholds is divided by the mechanisms, and not by how often they are applied",
        why="A quarter of delta is kept for thresholds. A thresholding mechanism with count = 8 gets all of it for "
        "each application: together twice the total delta, beside the three quarters that the noise takes. The "
        "class is said to be experimental.",
        fix="Divide by the sum of the counts.",
        routes=(
            Route("eight quarters of 1e-6, added", lambda: float(8 * Fraction(1, 4) * Fraction(1, 10**6))),
            Route(
                "the chance that one of eight independent thresholds fails", lambda: 1 - (1 - 0.25e-6) ** 8
            ),
        ),
        tolerance=1e-5,
    ),
    Fault(
        key="pld_largest_noise",
        kind=Kind.WRONG_NUMBER,
        entry=f"{_PLD}.compute_budgets",
        says="the upper end of the search for noise is checked at all of delta, and may be the answer unchecked",
        why="With thresholds the noise has three quarters of delta, but _calculate_max_noise_std doubles until all "
        "of delta suffices. Where the noise due lies between, the search ends at its upper end. Noise and threshold "
        "then take up to 1.25 times the total delta. The class is said to be experimental.",
        fix="Pass the reduced delta to _calculate_max_noise_std.",
        routes=(
            Route(
                "delta of noise 4 by the normal tails, and a quarter of 1e-6",
                lambda: _largest(gaussian_profile),
            ),
            Route("the same by integration", lambda: _largest(gaussian_profile_by_integral)),
        ),
    ),
    Fault(
        key="gaussian_epsilon_small_sigma",
        kind=Kind.WRONG_NUMBER,
        entry="pipeline_dp.dp_computations.gaussian_epsilon",
        says="for sigma below about 0.03 at delta = 1e-5 the answer is 709.78, whatever the true epsilon is",
        why="exp(epsilon) overflows above 709.78, the difference with it is NaN or -inf, and the bisection takes "
        "that for a delta below the target. At sigma = 0.02 delta at the answer is within 1e-6 of 1. So little "
        "noise is of no practical use, but the answer does not tell.",
        fix="Compute exp(epsilon + log cdf), with scipy.stats.norm.logcdf, in gaussian_delta.",
        routes=(
            Route(
                "the true epsilon of sigma 0.02 at 1e-5, by the normal tails",
                lambda: gaussian_epsilon(0.02, 1e-5),
            ),
            Route(
                "the same by integration", lambda: gaussian_epsilon(0.02, 1e-5, gaussian_profile_by_integral)
            ),
        ),
    ),
    Fault(
        key="contribution_bounds_uncharged",
        kind=Kind.MISUSE,
        entry="pipeline_dp.DPEngine.calculate_private_contribution_bounds",
        says="the epsilon that it spends is not requested from the accountant of the engine",
        why="The accountant hands its whole total to the other aggregations, so that the pipeline costs the total "
        "and calculation_eps on top. The docs say that calculation_eps is used here, not that the accountant does "
        "not count it. The method is said to be experimental.",
        fix="Request the budget from the accountant, or say in the docs that calculation_eps comes on top.",
        routes=(
            Route("1 + 1/2", lambda: float(1 + Fraction(1, 2))),
            Route("randomised responses at these epsilons, where both tell", lambda: told_together(1.0, 0.5)),
        ),
    ),
    Fault(
        key="negative_weight",
        kind=Kind.MISUSE,
        entry="pipeline_dp.budget_accounting.BudgetAccountant.request_budget",
        says="a weight below zero is taken, and refunds the others: shares exceed the total",
        why="With weights 3 and -2 the first mechanism gets three times the total epsilon. NaN and negative counts "
        "are taken, too.",
        fix="Refuse weights and counts that are not positive and finite, in request_budget and scope.",
        routes=(
            Route("3 / (3 - 2) of epsilon 1", lambda: float(Fraction(3, 3 - 2))),
            Route("a randomised response at this share, where it tells", lambda: told_together(3.0)),
        ),
    ),
    Fault(
        key="compute_inside_scope",
        kind=Kind.SEMANTICS,
        entry="pipeline_dp.BudgetAccountant.compute_budgets",
        says="called inside a scope it raises, and the accountant is of no use from then on",
        why="It is marked as finished before the scope is checked. A second call raises, too, and no mechanism ever "
        "gets a budget. Nothing is released.",
        fix="Check the scopes first.",
    ),
    Fault(
        key="scope_ignores_count",
        kind=Kind.SEMANTICS,
        entry="pipeline_dp.BudgetAccountant.scope",
        says="a scope's weight is shared without the counts: with repeated mechanisms it takes more than its part",
        why="Weights are scaled so that they add up to the scope's, and each is then multiplied by its count. Of two "
        "scopes of weight 1/2, one with a mechanism of count 9 and one with count 1, the first gets nine tenths of "
        "epsilon, where the docs say no more than its part. The total is kept.",
        fix="Scale so that weight * count adds up to the scope's weight.",
    ),
    Fault(
        key="exponential_underflow",
        kind=Kind.SEMANTICS,
        entry="pipeline_dp.dp_computations.ExponentialMechanism.apply",
        says="where score * epsilon / sensitivity is below about -745 for all, or above 710 for one, it ends in a "
        "ValueError",
        why="exp is taken of these products as they are (of half of them, if scores are not monotonic). Scores "
        "of contribution bounds grow with the number of partitions, so "
        "that large data fail where small data do not. Whether it fails depends on the data.",
        fix="Subtract the largest score first.",
    ),
)


def _base_noise() -> float:
    """The base noise at which two Laplace mechanisms of weight 1/100 have largest loss 1, by bisection."""
    low, high = 1e-6, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        # each has scale base / (weight sqrt(2)), and the largest loss is where both noises point away
        loss = sum(1 / (middle / (0.01 * sqrt(2))) for _ in range(2))
        low, high = (middle, high) if loss > 1 else (low, middle)
    return high


def _laplace_deviation(sensitivity: float) -> float:
    """The standard deviation of Laplace noise whose density falls by e over the sensitivity."""
    with mp.workdps(30):
        scale = mp.findroot(lambda b: mp.exp(-sensitivity / b) - mp.exp(-1), sensitivity * 0.9)
        return float(
            mp.sqrt(mp.quad(lambda x: x**2 * mp.exp(-x / scale) / scale, [0, scale, 20 * scale, mp.inf]))
        )


def _largest(profile: Profile) -> float:
    """delta of Gaussian noise 4 at 1.001 times the epsilon that it has at 1e-6, and a quarter of 1e-6."""
    return float(profile(4.0, gaussian_epsilon(4.0, 1e-6, profile) * 1.001)) + 0.25e-6


LIBRARY = Library(
    key="pipeline_dp",
    distribution="pipeline-dp",
    entries=_ENTRIES,
    faults=_FAULTS,
    held=(
        "NaiveBudgetAccountant: shares with counts, weights and nested scopes sum to the total up to rounding; a "
        "pure Laplace mechanism takes no delta; a request after compute_budgets raises, and so does a second "
        "compute_budgets.",
        "PLDBudgetAccountant with Laplace and Gaussian mechanisms at the default sensitivity and delta > 0: the "
        "noise for one, and for two applications, is at least what closed forms ask for.",
        "DPEngine under NaiveBudgetAccountant: each aggregation requests one budget for each noise that it adds, "
        "and mean and variance split theirs (read, not run).",
        "Sensitivities of count, privacy id count, sum, normalised sum and vector sum match the bounds that the "
        "combiners enforce (read, not run); that of squares does not.",
        "compute_sigma at seven points, epsilon 0.001 to 700 and delta 1e-300 to 1e-5, and Laplace with NaN, "
        "infinite or tiny epsilon: the true delta is below the one asked for, and what is no number is refused by "
        "PyDP.",
        "Weighted Gaussian selection of partitions: its noise is for more partitions than the weights need (read).",
    ),
    left_out=(
        "The C++ mechanisms of PyDP beneath: noise, quantile trees, selection strategies.",
        "Beam and Spark backends, private_beam, private_spark, dataframes, utility analysis, and sampling.",
        "Adaptivity is not promised: all budgets are fixed before any mechanism runs, so it is no filter.",
    ),
)
