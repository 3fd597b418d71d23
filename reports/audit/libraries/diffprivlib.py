"""diffprivlib: a budget accountant, tools and mechanisms; its models' faults are in
`reports.audit.faults.diffprivlib_models`."""

from __future__ import annotations

from fractions import Fraction
from math import expm1, log1p

import numpy as np

from reports.audit.fault import EntryPoint, Fault, Kind, Library, Route
from reports.audit.faults.diffprivlib_models import MODEL_FAULTS
from reports.audit.faults.diffprivlib_tools import TOOL_FAULTS
from reports.audit.routes import diffprivlib as values
from reports.audit.routes.noises import gaussian_deviation, gaussian_profile_by_integral, told_together
from reports.audit.subjects import diffprivlib as subjects

__all__ = ["LIBRARY"]

_TOOLS = "diffprivlib.tools"


_ENTRIES = (
    EntryPoint(
        name="diffprivlib.BudgetAccountant",
        rule="granted while the sum of epsilons, and 1 - prod (1 - delta), are within the ceilings",
        where="diffprivlib/accountant.py: BudgetAccountant.check, spend, total",
        theorem="basic composition",
        promises="an error where the ceiling would be exceeded",
        subject=subjects.basic,
    ),
    EntryPoint(
        name="diffprivlib.BudgetAccountant with slack",
        rule="granted while the least of the sum and two bounds with slack in delta is within the ceiling",
        where="diffprivlib/accountant.py: BudgetAccountant.total",
        theorem="Kairouz, Oh & Viswanath 2017, Theorem 3.5, for epsilons fixed in advance",
        promises="an error where the ceiling would be exceeded; less epsilon for more slack",
        subject=subjects.slack,
    ),
    EntryPoint(
        name=_TOOLS,
        rule="check, compute, add noise, spend",
        where="diffprivlib/tools: _mean, _var, _sum, quantile, histogram, histogramdd",
        theorem="Laplace, geometric and exponential mechanisms",
        promises="statistics at epsilon, charged to an accountant",
    ),
    EntryPoint(
        name="diffprivlib.models",
        rule="check, fit with noise, spend",
        where="diffprivlib/models",
        theorem="named in each class",
        promises="estimators of scikit-learn at epsilon, charged to an accountant",
    ),
    EntryPoint(
        name="diffprivlib.mechanisms",
        rule="noise from (epsilon, delta) and a sensitivity",
        where="diffprivlib/mechanisms",
        theorem="named in each class",
        promises="each mechanism at (epsilon, delta)",
    ),
)


_MECHANISM_FAULTS = (
    Fault(
        key="gaussian_analytic_small_delta",
        kind=Kind.WRONG_NUMBER,
        entry="diffprivlib.mechanisms.GaussianAnalytic",
        says="the noise is too small where e^epsilon / delta is large: tails are computed as (1 + erf) / 2",
        why="That sum keeps an absolute error of 1e-16, which e^epsilon multiplies. At (20, 1e-8) the true delta is "
        "1.26 times the one asked for, at (10, 1e-14) 19 times, at (1, 1e-30) 2e12 times.",
        fix="Compute tails with erfc(-x / sqrt(2)) / 2, or with scipy.special.log_ndtr.",
        routes=(
            Route(
                "standard deviation due at (10, 1e-14), by the normal tails",
                lambda: gaussian_deviation(10, 1e-14),
            ),
            Route(
                "the same by integration", lambda: gaussian_deviation(10, 1e-14, gaussian_profile_by_integral)
            ),
        ),
    ),
    Fault(
        key="gaussian_discrete_tolerance",
        kind=Kind.WRONG_NUMBER,
        entry="diffprivlib.mechanisms.GaussianDiscrete",
        says="the scale is found to a relative 1e-6 and may lie below what is due: delta is then above the one "
        "asked for",
        why="The search returns the middle of its last interval. Where the tail loses a term delta changes by far "
        "more than 1e-6 for a change of 1e-6: at (15, 1e-6) the true delta is 1.04 times the one asked for, at (30, "
        "1e-12) 396 times.",
        fix="Return the end of the interval at which delta holds, and let the search go on to the last bit.",
        routes=(
            Route(
                "scale due at (30, 1e-12), by the excess of each mass",
                lambda: values.discrete_deviation(30, 1e-12),
            ),
            Route(
                "the same by two tails and a theta function",
                lambda: values.discrete_deviation_by_tails(30, 1e-12),
            ),
        ),
        tolerance=1e-12,
    ),
    Fault(
        key="bounded_domain_no_scale",
        kind=Kind.SEMANTICS,
        entry="diffprivlib.mechanisms.LaplaceBoundedDomain",
        says="with a sensitivity well above the size of the domain the scale may be NaN, and then randomise does not "
        "end",
        why="The equation for the scale holds for sensitivities up to the size of the domain. Beyond, it may take a "
        "logarithm of a number below zero (at epsilon 1 and twice the size, say), and no noise that is NaN is "
        "inside the bounds.",
        fix="Take the smaller of both as sensitivity, as values are clipped to the domain.",
    ),
    Fault(
        key="geometric_large_integers",
        kind=Kind.WRONG_NUMBER,
        entry="diffprivlib.mechanisms.Geometric",
        says="beyond 2^53 the integer is rounded to a double before noise is added",
        why="2^60 + 128 and 2^60 + 129 become 2^60 and 2^60 + 256, and noise at epsilon = 1 is lost in the same "
        "rounding. The loss is 128.3. Sums of times in nanoseconds are of this size.",
        fix="Add the noise to the value as integers: value + int(sgn * floor(...)).",
        routes=(
            Route("chances of the noises that lead to 2^60, as series", values.geometric_rounding),
            Route("the same, added up over all noises up to 1000", values.geometric_rounding_by_sum),
        ),
    ),
    Fault(
        key="bingham_acceptance",
        kind=Kind.WRONG_NUMBER,
        entry="diffprivlib.mechanisms.Bingham",
        says="the rejection step divides by (x' Omega x)^(d/2) where it must multiply: what is drawn is not "
        "Bingham's law",
        why="A proposal from the angular Gaussian is accepted in proportion to the target over the proposal's "
        "density, which is (x' Omega x)^(-d/2). The law drawn is more concentrated: in 50 dimensions, near an "
        "eigenvalue 100, the loss is 1.11 at epsilon = 1, in 100 dimensions near 200 it is 1.48. PCA uses it.",
        fix="Multiply by (x' Omega x)^(d/2) in the acceptance probability.",
        routes=(
            Route("density that is drawn from, integrated over the cosine", values.bingham_loss),
            Route("the same, summed over the angle", values.bingham_loss_by_angle),
        ),
    ),
    Fault(
        key="exponential_categorical_balance",
        kind=Kind.WRONG_NUMBER,
        entry="diffprivlib.mechanisms.ExponentialCategorical",
        says="the factor 2 is dropped if the normalisers at epsilon / 2 agree, though those at epsilon may differ",
        why="The factor can go only if the normalisers that are then used are alike. For six values with utilities "
        "chosen so that they balance at epsilon / 2 the loss is 4.28 at epsilon = 4.",
        fix="Compare the normalisers at the full epsilon, and allow for their ratio.",
        routes=(
            Route("epsilon and the logarithm of the normalisers' ratio", values.categorical_loss),
            Route("the table of chances", values.categorical_loss_by_table),
        ),
    ),
    Fault(
        key="clip_to_bounds_small_units",
        kind=Kind.WRONG_NUMBER,
        entry="diffprivlib.validation.clip_to_bounds",
        says="bounds of several features are taken for one if they are within about 1e-8 of each other",
        why="numpy.allclose has an absolute tolerance of 1e-8, beside a relative one of 1e-5. A feature with the bound "
        "1e-12 beside one with 1e-8 is clipped to 1e-8, "
        "ten thousand times what naive Bayes and linear regression scale their noise to.",
        fix="Compare for equality, or clip each feature to its own bounds always: numpy.clip does that.",
        routes=(
            Route("the upper bound of the feature", lambda: min(max(1.0, 0.0), 1e-12)),
            Route(
                "numpy.clip by columns",
                lambda: float(np.clip([1.0, 0.0], 0, [1e-12, 1e-8])[0]),
            ),
        ),
    ),
)

_ACCOUNTANT_FAULTS = (
    Fault(
        key="clone_forks_budget",
        kind=Kind.UNSOUND,
        entry="diffprivlib.BudgetAccountant",
        says="a clone of a model has a copy of its accountant: cross-validation and grid search spend nothing",
        why="scikit-learn's clone copies parameters deeply. Five clones fitted at epsilon = 1 under a ceiling of 1 "
        "raise no error, and the accountant that was given says that nothing was spent. cross_val_score clones for "
        "every fold. The default accountant is copied in the same way.",
        fix="Define __deepcopy__ and __copy__ (or __sklearn_clone__ of models) so that the accountant is shared.",
        routes=(
            Route("five times epsilon 1", lambda: float(5 * Fraction(1))),
            Route(
                "five randomised responses at epsilon 1, where all tell",
                lambda: told_together(*[1.0] * 5),
            ),
        ),
    ),
    Fault(
        key="nested_with",
        kind=Kind.SEMANTICS,
        entry="diffprivlib.BudgetAccountant",
        says="one accountant entered twice ends in AttributeError, and the default before it is lost",
        why="The default before is kept in one attribute, which the inner `with` overwrites and deletes. Who goes "
        "on after the error is charged to a new default without a ceiling. The default is also one for all threads.",
        fix="Keep a stack of defaults, in a context variable.",
    ),
    Fault(
        key="remaining_delta",
        kind=Kind.SEMANTICS,
        entry="diffprivlib.BudgetAccountant.remaining",
        says="more delta remains than the ceiling, for small ceilings; spending what remains is denied",
        why="1 - ((1 - delta) / (1 - spent)) ** (1 / k) cancels. For a ceiling of 1e-16 it is 1.1e-16, for 1e-18 it "
        "is 0. The docs except floating-point errors, and nothing beyond the ceiling is granted.",
        fix="Use -expm1((log1p(-delta) - log1p(-spent)) / k).",
        routes=(
            Route("1 - (1 - delta) / 1 in fractions", lambda: float(1 - (1 - Fraction(1, 10**16)))),
            Route("by log1p and expm1", lambda: -expm1(log1p(-1e-16))),
        ),
    ),
)

LIBRARY = Library(
    key="diffprivlib",
    distribution="diffprivlib",
    entries=_ENTRIES,
    faults=(*TOOL_FAULTS, *MODEL_FAULTS, *_MECHANISM_FAULTS, *_ACCOUNTANT_FAULTS),
    held=(
        "BudgetAccountant: NaN and negative spends are denied under a finite ceiling; ten spends of 0.1 fit a "
        "ceiling of 1.0 and nothing more; a ledger that is read again answers the same; a denial changes nothing.",
        "Total with slack is the theorem's formula; deltas are added without loss of small ones.",
        "As a filter with slack: exact games of up to some hundred rounds over two randomised responses, of epsilon "
        "0.05 to 8, under ceilings from 0.5 to 40 and slack from 1e-4 to 0.99, reached at most 0.55 of the slack.",
        "Gaussian at epsilon 1e-6 to 1 and delta 1e-12 to 1: the true delta is at most 0.32 of the one asked for.",
        "Laplace, its truncated, folded and bounded forms, staircase, uniform, binary, exponential, "
        "permute-and-flip and snapping: formulas agree with the papers (read; samplers not tested).",
        "quantile with several quantiles, PCA, standard scaler and logistic regression by classes split epsilon "
        "within its total.",
        "Tools give no answer where the spend at their end is denied.",
    ),
    left_out=(
        "Whether the rule with slack is sound for every adaptive choice of epsilons: its theorem is for epsilons "
        "fixed in advance, and no game that was solved passes the slack.",
        "Threads within the accountant, where check and spend are two steps.",
        "Random generators and their seeds, beyond logistic regression and forests; the "
        "floating-point supports of Laplace and Gaussian noise.",
        "GaussianDiscrete's sampler, transformers, k-means beyond its budget.",
        "Data bounds that are not given, of which the docs warn.",
        "With scikit-learn 1.9 the package does not import (a name that it uses is gone); older ones were used.",
    ),
)
