"""Rounds against budget: each filter's count from its formula, or from the binomial law of the losses."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import filterproof as fp
from reports.figures.paper_figure import figure

EACH = 0.0625


def budgets(name: str, epsilon: float) -> float:
    """The sum of epsilon_t^2 / 2 that a filter allows, with 30 digits."""
    with mpmath.workdps(30):
        log = mpmath.log(mpmath.mpf(10) ** 5)
        if name == "simple":
            return float((mpmath.sqrt(log + epsilon) - mpmath.sqrt(log)) ** 2)
        return float(fp.CKS.budget(epsilon, 1e-5))


@pytest.mark.parametrize("epsilon", [0.5, 10.0])
def test_the_sums_of_squares_are_divided_by_one_square(epsilon: float) -> None:
    row = figure("000-rogers", budgets=(epsilon,)).data.rows()[0]
    assert row["basic"] == Fraction(epsilon) // Fraction(EACH)
    for name in ("simple", "cks"):
        assert row[name] == math.floor(budgets(name, epsilon) / (EACH**2 / 2))
    assert row["whitehouse"] == row["simple"]
    assert row["gaussian"] == math.floor((float(fp.gaussian_mu(epsilon, 1e-5)) / EACH) ** 2)


@pytest.mark.parametrize("epsilon", [0.25, 3.0])
def test_the_exact_count_is_that_of_the_binomial_law(epsilon: float) -> None:
    def delta(rounds: int) -> mpmath.mpf:
        p = 1 / (1 + mpmath.exp(-mpmath.mpf(EACH)))
        return mpmath.fsum(
            mpmath.binomial(rounds, k) * p**k * (1 - p) ** (rounds - k) * -mpmath.expm1(epsilon - loss)
            for k in range(rounds + 1)
            if (loss := (2 * k - rounds) * mpmath.mpf(EACH)) > epsilon
        )

    row = figure("000-rogers", budgets=(epsilon,)).data.rows()[0]
    with mpmath.workdps(30):
        assert delta(row["exact"]) <= 1e-5 < delta(row["exact"] + 1)


def test_no_filter_allows_more_than_the_exact_count_and_rogers_allow_least_of_the_three() -> None:
    shown = figure("000-rogers")
    columns = {name: shown.data.column(name) for name in shown.data.names}
    for name in ("basic", "rogers", "whitehouse", "simple", "cks", "calibrated"):
        assert np.all(columns[name] <= columns["exact"]), name
    assert np.all(columns["rogers"] <= columns["simple"])
    assert np.all(columns["simple"] <= columns["cks"])
    assert np.all(columns["cks"] <= columns["gaussian"])
    least, most = 0.40, 0.50
    assert f"Rogers et al. allow {least:.2f} to {most:.2f} times as many" in shown.caption
    assert "is the same rule as 000's" in shown.caption


def test_the_calibrated_count_is_that_of_a_session() -> None:
    row = figure("000-rogers", each=0.05, budgets=(0.01, 1.0)).data.rows()
    session = fp.calibrated(1.0, 1e-5, each=0.05).open("retry")
    assert row[1]["calibrated"] == sum(session.request(fp.RandomizedResponse(0.05)) for _ in range(60))
    assert row[0]["calibrated"] is None, "no row of the table promises as little"
