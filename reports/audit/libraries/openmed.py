"""openmed: ledgers of (epsilon, delta) for aggregate releases, synthetic data and surrogates."""

from __future__ import annotations

from fractions import Fraction
from math import exp, sinh
from typing import Any

from mpmath import mp

from reports.audit.fault import EntryPoint, Fault, Kind, Library, Route
from reports.audit.routes.noises import gaussian_profile, gaussian_profile_by_integral, told_together
from reports.audit.subjects import openmed as subjects

__all__ = ["LIBRARY"]

_ENTRIES = (
    EntryPoint(
        name="openmed.risk.PrivacyBudgetLedger",
        rule="granted while the decimal sums of epsilon and of delta of a named context are within its ceilings",
        where="openmed/risk/privacy_budget.py: PrivacyBudgetLedger.record_release",
        theorem="basic composition",
        promises="atomic charges: concurrent workers cannot pass the same remaining budget together",
        subject=subjects.ledger,
    ),
    EntryPoint(
        name="openmed.risk.AggregateDPBudgetLedger",
        rule="granted while the sums (in doubles) of epsilon and of delta are within the ceilings",
        where="openmed/risk/aggregate_dp.py: AggregateDPBudgetLedger.spend",
        theorem="basic composition",
        promises="a spend is committed, or raises and changes nothing",
        subject=subjects.aggregate_ledger,
    ),
    EntryPoint(
        name="openmed.risk.PrivacyBudget",
        rule="granted while the sums (in doubles) of epsilon and of delta are within the ceilings",
        where="openmed/risk/differential_privacy.py: PrivacyBudget.spend, and the release functions",
        theorem="basic composition",
        promises="a query is checked, answered with noise and then charged",
        subject=subjects.privacy_budget,
    ),
    EntryPoint(
        name="openmed.risk.DPGenerationBudgetAccountant",
        rule="sqrt(2 log(1/delta') sum e^2) + sum e (exp(e) - 1) and sum d + delta' within the ceilings of a scope, "
        "or the sums themselves where its policy says basic",
        where="openmed/risk/budget.py: DPGenerationBudgetAccountant.guard_generation",
        theorem="Dwork, Rothblum & Vadhan 2010; as a filter it is within Whitehouse et al. 2023, Theorem 1, as e "
        "(exp(e) - 1) is at least e^2 / 2",
        promises="a request is recorded, or raises and changes nothing",
        subject=subjects.generation,
    ),
    EntryPoint(
        name="openmed.risk.DPSurrogateBudget",
        rule="granted while the largest of basic, zCDP and RDP epsilon is within the target, and the sum of deltas "
        "too",
        where="openmed/risk/budget.py: DPSurrogateBudget.spend",
        theorem="basic composition, which the largest of the three is never below",
        promises="conservative totals; a spend is recorded, or raises and changes nothing",
        subject=subjects.surrogate,
    ),
    EntryPoint(
        name="openmed.risk.differential_privacy.gaussian_scale",
        rule="bisection of the Gaussian mechanism's delta over its standard deviation",
        where="openmed/risk/differential_privacy.py: gaussian_scale, gaussian_privacy_delta",
        theorem="Balle & Wang 2018, Theorem 8",
        promises="a conservative profile, and a scale that keeps to delta or an error",
    ),
)

_FAULTS = (
    Fault(
        key="mapping_sensitivity",
        kind=Kind.MISUSE,
        entry="openmed.risk.aggregate_dp.release_aggregate",
        says="a mapping of k aggregates gets noise of sensitivity / epsilon on each, and epsilon is charged once",
        why="With the default sensitivity 1 and five counts that one person is in, the loss is 5 epsilon. The docs of "
        "this function do not say that sensitivity is meant for the mapping as a whole, or that entries must be "
        "disjoint. Its sister module says that sensitivity is up to the caller, and for histograms what 1 is for.",
        fix="Say that sensitivity is the L1 sensitivity of all entries together, or take one for each entry and sum "
        "them.",
        routes=(
            Route("five Laplace losses of 1", lambda: float(5 * Fraction(1))),
            Route(
                "five randomised responses at epsilon 1, the outcome where all tell",
                lambda: told_together(*[1.0] * 5),
            ),
        ),
    ),
    Fault(
        key="laplace_float_support",
        kind=Kind.MISUSE,
        entry="openmed.risk.differential_privacy.laplace_mechanism",
        says="which doubles an answer can be tells of the value beneath: the noise is added in plain doubles",
        why="A count of 1 with noise near -1 is a multiple of 2^-53; a count of 0 with small noise is one only "
        "seldom. So an answer within 1/32 of 0 that is no such multiple did not come from the count 1 (Mironov 2012). "
        "The module speaks of calibrated noise and of rounding allowances, and does not name this limit. Samplers "
        "of the same kind are in aggregate_dp and in anonymize.",
        fix="Sample on a grid that does not depend on the value (discrete Laplace, or snapping), or name the limit.",
        routes=(
            Route(
                "chance of an answer within 1/32 from count 1: sinh(1/32) / e", lambda: sinh(1 / 32) / exp(1)
            ),
            Route(
                "the same, by integration of the density",
                lambda: float(mp.quad(lambda x: mp.exp(-abs(x - 1)) / 2, [-1 / 32, 1 / 32])),
            ),
        ),
    ),
    Fault(
        key="gaussian_delta_below_truth",
        kind=Kind.SEMANTICS,
        entry="openmed.risk.differential_privacy.gaussian_privacy_delta",
        says="far in the tail the answer is below the true delta, by 3e-8 of it at a delta of 9e-226",
        why="exp(b * b) carries an error of b^2 ulps, and the allowance of four ulps is less than that. The "
        "difference of two nearly equal terms magnifies it. A scale calibrated at (1e-3, 1e-300) exceeds its delta "
        "by 5e-9 of it. Such deltas are of no practical use. In 400 random points with deltas above 1e-25 "
        "the largest error was 3e-12 of delta. The function is documented as conservative.",
        fix="Let the allowance grow with b^2, or split b * b into a rounded square and its remainder.",
        routes=(
            Route(
                "delta of sigma 10^4.5 at epsilon 0.001 by the normal tails", lambda: _far(gaussian_profile)
            ),
            Route("the same by integration", lambda: _far(gaussian_profile_by_integral)),
        ),
        tolerance=1e-9,
    ),
    Fault(
        key="laplace_edge_error",
        kind=Kind.SEMANTICS,
        entry="openmed.risk.differential_privacy.laplace_noise",
        says="a uniform draw of exactly 0 raises ValueError, after the check and before the charge",
        why="The draw is moved to nextafter(0, 1), but minus 0.5 that is -0.5 again, and log1p(-1) raises. The "
        "chance is 2^-53 for each answer.",
        fix="Draw again, as long as the draw is 0.",
    ),
    Fault(
        key="surrogate_zero_delta",
        kind=Kind.SEMANTICS,
        entry="openmed.risk.DPSurrogateBudget",
        says="with target_delta = 0, which is taken, every spend is denied, pure ones too",
        why="zCDP and RDP epsilon are infinite at delta = 0, and the largest of the three totals decides. For "
        "spends that are pure each bound holds by itself, and the smallest may be taken.",
        fix="Take the smallest bound that applies, or refuse target_delta = 0.",
    ),
    Fault(
        key="advanced_denies_single",
        kind=Kind.SEMANTICS,
        entry="openmed.risk.DPGenerationBudgetAccountant.check_budget",
        says="under an advanced policy a single release at 0.5 costs 3.7, and is denied under a ceiling of 1",
        why="The advanced bound is used for few releases, too, where the sum is far smaller. It is a valid bound.",
        fix="Take the smaller of both bounds.",
    ),
    Fault(
        key="overflow_not_denial",
        kind=Kind.SEMANTICS,
        entry="openmed.risk.DPGenerationBudgetAccountant.guard_generation",
        says="a request far beyond the budget raises OverflowError, not BudgetExceeded; can_spend raises it, too",
        why="expm1 overflows above 709.8, and the square of epsilon above 1.3e154. Who waits for a denial gets "
        "another error. Nothing is granted.",
        fix="Treat OverflowError as an infinite epsilon.",
    ),
)


def _far(profile: Any) -> float:
    """delta of sigma = 10^4.5 at epsilon = 0.001, which is about 9e-226."""
    return float(profile(10**4.5, 1e-3))


LIBRARY = Library(
    key="openmed",
    distribution="openmed",
    entries=_ENTRIES,
    faults=_FAULTS,
    held=(
        "Ten spends of 0.1 fit a ceiling of 1.0 in each ledger; beyond that the ledgers that round grant at most "
        "one ulp.",
        "NaN, infinite, negative and boolean parameters are refused by every ledger.",
        "DPGenerationBudgetAccountant under an advanced policy stays within a proven filter, so an adaptive choice "
        "of epsilons does no harm.",
        "gaussian_scale: at epsilon 0.1 to 300 and delta 1e-12 to 0.9 the true delta is at most the one asked for.",
        "Releases check before they draw noise, and charge before they return; a denial leaves the ledger as it was.",
    ),
    left_out=(
        "Whether the sensitivities that callers pass are right; k-anonymity and the other models that are no "
        "privacy loss.",
        "The external engine of synthetic data, whose spend is what it says.",
        "budget_migration compares snapshots that callers make (read, not run); threads (read, not run).",
    ),
)
