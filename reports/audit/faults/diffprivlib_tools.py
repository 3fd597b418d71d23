"""Faults of diffprivlib's tools."""

from __future__ import annotations

from math import ceil, log2
from typing import Any

import numpy as np
from mpmath import mp

from reports.audit.fault import Fault, Kind, Route
from reports.audit.routes import diffprivlib as values
from reports.audit.routes.noises import geometric_tails, laplace_tails

__all__ = ["TOOL_FAULTS"]

_TOOLS = "diffprivlib.tools"


def _mass_on_numbers() -> float:
    """The chance that an answer with Laplace noise is a number, by integration: 1 less what is NaN without a NaN."""
    return float(mp.quad(lambda x: mp.exp(-abs(x)) / 2, [-mp.inf, 0, mp.inf]))


def _median_fails() -> float:
    """1 if the weights of the median are all 0 where all entries are 500, and not where one is 900; else 0."""
    failed = []
    for last in (500.0, 900.0):
        edges = np.array([0.0] + [500.0] * 2981 + [last, 1000.0])
        worth = -np.abs(np.arange(2983) - 0.5 * 2982)
        failed.append(float((np.exp(0.5 * (worth - worth.max())) * np.diff(edges)).sum()) == 0)
    return float(failed == [True, False])


def _is_nan_for_one(statistic: Any) -> float:
    """1 if a statistic of the clipped data is NaN for an entry NaN, and not for 0.5; else 0."""
    data = [np.clip(np.array([0.5] * 9 + [entry]), 0, 1) for entry in (np.nan, 0.5)]
    return float(np.isnan(statistic(data[0])) and not np.isnan(statistic(data[1])))


def _gaps(data: Any) -> Any:
    """The sum of the gaps between sorted entries."""
    return np.diff(np.sort(data)).sum()


def _bins() -> float:
    """The bins that NumPy chooses for the script's second sample."""
    data = np.append(1.0, np.linspace(0, 1, 4)[1:] ** 3)
    return float(len(np.histogram_bin_edges(data, "auto", (0, 1))) - 1)


TOOL_FAULTS = (
    Fault(
        key="nanmean_sensitivity",
        kind=Kind.WRONG_NUMBER,
        entry=f"{_TOOLS}.nanmean",
        says="the noise is for a mean over all entries, while the mean is over those that are not NaN",
        why="The sensitivity is (upper - lower) / array.size. With 999 of 1000 entries NaN the mean is one person's "
        "value, with noise of a thousandth: a loss of 1000 at epsilon = 1. nanvar and nanstd divide by the same "
        "size.",
        fix="Divide by the number of entries that are not NaN, which is then public, or replace NaN by a value "
        "inside the bounds before the mean.",
        routes=(
            Route("a shift of 1 over a scale of 1/1000", lambda: 1 / (1 / 1000)),
            Route("chances of an answer at the upper bound", lambda: laplace_tails(1, 1 / 1000)),
        ),
    ),
    Fault(
        key="nansum_sensitivity",
        kind=Kind.WRONG_NUMBER,
        entry=f"{_TOOLS}.nansum",
        says="the noise is for upper - lower, though NaN counts as 0, outside the bounds",
        why="Replacing NaN by a number changes the sum by up to max(|lower|, |upper|). With bounds (1000, 1010) "
        "that is a loss of about 100 at epsilon = 1.",
        fix="Take max(upper, 0) - min(lower, 0) as sensitivity and as bounds of the answer.",
        routes=(
            Route("a shift of 1009 over a scale of 10", lambda: 1009 / 10),
            Route("chances of an answer above the larger sum", lambda: laplace_tails(1009, 10)),
        ),
    ),
    Fault(
        key="mean_integer_dtype",
        kind=Kind.WRONG_NUMBER,
        entry=f"{_TOOLS}.mean",
        says="with dtype=int the mean is truncated to an integer before noise is added, and the noise is for the mean "
        "as it was",
        why="Ones and a zero give 0, ones alone give 1: one entry moves the truncated mean by the whole range. With "
        "1000 entries that is a loss of 1000 at epsilon = 1. NumPy truncates where dtype is an integer type.",
        fix="Compute in floating point, and convert the noisy answer.",
        routes=(
            Route("a shift of 1 over a scale of 1/1000", lambda: 1 / (1 / 1000)),
            Route("chances of an answer at the upper bound", lambda: laplace_tails(1, 1 / 1000)),
        ),
    ),
    Fault(
        key="histogram_weights",
        kind=Kind.WRONG_NUMBER,
        entry=f"{_TOOLS}.histogram",
        says="with weights the noise is still for a sensitivity of 1",
        why="A record counts as much as its weight says. With a weight of 1000 the loss is 1000 at epsilon = 1. "
        "histogram2d and histogramdd do the same.",
        fix="Ask for a bound on the weights, clip to it and take it as sensitivity, or refuse weights.",
        routes=(
            Route("a shift of 1000 at epsilon 1", lambda: 1000 * 1.0),
            Route("chances of counts of 1000 and above, summed", lambda: geometric_tails(1000, 1.0)),
        ),
    ),
    Fault(
        key="histogram_adjacency",
        kind=Kind.MISUSE,
        entry=f"{_TOOLS}.histogram",
        says="a histogram costs epsilon if a record is added or removed, two epsilon if one is replaced; a mean the "
        "reverse",
        why="mean, var and sum are private only for neighbours of the same size, as sensitivity and bounds use it. "
        "A replaced record changes two counts. The docs name no neighbours, and an accountant adds both as if they "
        "were one kind. Decision trees and naive Bayes count in the same way.",
        fix="Name the neighbours in the docs, and take sensitivity 2 for histograms, or half of epsilon for each "
        "bin.",
        routes=(
            Route("two counts that change by 1 at epsilon 1", lambda: 2 * 1.0),
            Route("chances of both tails", lambda: 2 * geometric_tails(1, 1.0)),
        ),
    ),
    Fault(
        key="histogram_bin_estimator",
        kind=Kind.MISUSE,
        entry=f"{_TOOLS}.histogram",
        says="with bins='auto', or another estimator's name, the bins are chosen from the exact data, without a "
        "PrivacyLeakWarning",
        why="The number of bins is part of the answer, and one record can change it for certain. The docs say, as "
        "NumPy's do, that the width depends on the data; they do not say that epsilon does not cover this. A range "
        "that is missing is warned of.",
        fix="Warn as for a missing range, or refuse names of estimators.",
        routes=(
            Route(
                "bins of Sturges' width on the smaller extent",
                lambda: float(ceil((log2(4) + 1) / (1 - 1 / 27))),
            ),
            Route("bins that NumPy chooses", _bins),
        ),
    ),
    Fault(
        key="median_error_uncharged",
        kind=Kind.UNSOUND,
        entry=f"{_TOOLS}.quantile",
        says="on some data it raises RuntimeError where it answers on their neighbours, and charges nothing",
        why="Utilities are shifted so that the largest is 0, though its interval may have length 0. Where many "
        "entries are equal, the weights of all others underflow, and 0 is divided by 0. So the error tells of a single "
        "entry for certain, at no cost.",
        fix="Give the intervals of length 0 no part in the maximum that is subtracted; and charge before computing.",
        routes=(
            Route(
                "error on these data and none on a neighbour, by the size of the weights",
                values.underflow,
            ),
            Route("the weights of both data in doubles", _median_fails),
        ),
    ),
    Fault(
        key="nan_returned_uncharged",
        kind=Kind.UNSOUND,
        entry=f"{_TOOLS}.quantile",
        says="an entry NaN makes the answer NaN for certain, and nothing is charged",
        why="The function returns before the mechanism and before the spend. One entry decides which of two answers "
        "comes, and the accountant does not hear of it. A comment in the source names the NaN as an open point; the "
        "docs do not.",
        fix="Replace or refuse NaN by a rule that does not depend on the data alone, and spend before returning.",
        routes=(
            Route(
                "NaN sorts last, and its difference is NaN",
                lambda: _is_nan_for_one(_gaps),
            ),
            Route("chance of a number where no entry is NaN", _mass_on_numbers),
        ),
    ),
    Fault(
        key="nan_passes_mean",
        kind=Kind.MISUSE,
        entry=f"{_TOOLS}.mean",
        says="an entry NaN makes mean, sum, var and std NaN for certain, at a charge of epsilon",
        why="Clipping leaves NaN, noise leaves it, and truncation to bounds leaves it. An answer NaN tells that an "
        "entry is NaN: no epsilon allows that. The bounds that were given do not protect from it. NumPy passes NaN "
        "on, too, and the docs refer to it; that an entry NaN is told in the clear they do not say.",
        fix="Replace NaN by a value inside the bounds when clipping.",
        routes=(
            Route("the mean of clipped data with NaN", lambda: _is_nan_for_one(np.mean)),
            Route("chance of a number where no entry is NaN", _mass_on_numbers),
        ),
    ),
    Fault(
        key="axis_split_denied",
        kind=Kind.SEMANTICS,
        entry=f"{_TOOLS}.mean",
        says="along an axis epsilon is charged in pieces, and rounding may deny the last piece, after the others "
        "were charged",
        why="Nine pieces of 1/9 add up to a little more than 1 in doubles. Under a ceiling of 1.0 the call ends in "
        "BudgetError without an answer, and 8/9 of the budget is gone.",
        fix="Check and spend epsilon once for the whole call.",
    ),
)
