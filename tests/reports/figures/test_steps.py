"""Steps and rounds of the papers' tables: each column again by guarantees, a binomial sum, and the filters."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

import filterproof as fp
from filterproof.reports.figures.paper_figure import figure
from tests.instruments.bench.references import reference

SIGMA = 100.0
#: delta at an epsilon of so many steps: by GDP, by RDP, and by (C.3) of Koskela et al. over their orders.
DELTAS: dict[str, Callable[[float, int], float]] = {
    "gdp": lambda epsilon, k: float(fp.GaussianDP(k**0.5 / SIGMA).delta(epsilon)),
    "rdp": lambda epsilon, k: float(fp.ZCDP(k / (2 * SIGMA**2)).delta(epsilon)),
    "rdp_grid": lambda epsilon, k: min(
        float(fp.RenyiDP(a, a * k / (2 * SIGMA**2)).delta(epsilon)) for a in range(2, 33)
    ),
}


@pytest.mark.parametrize("by", DELTAS)
def test_the_curves_and_the_last_steps_are_those_of_each_rule(by: str) -> None:
    for name, points, at, k in (
        ("003-3", 9, 0.1, 420),
        ("003-3", 9, 0.9, 420),
        ("003-4", 6, 0.5, 300),
        ("003-4", 6, 0.5, 900),
    ):
        row = figure(name, points=points).data.row(epsilon=at)
        assert row[f"delta_{by}_{k}"] == pytest.approx(DELTAS[by](row["epsilon"], k), rel=1e-11)
    for at in (0.2, 0.4, 0.9):
        row = figure("003-5").data.row(epsilon=at)
        assert row[by] == 0 or DELTAS[by](row["epsilon"], row[by]) <= 1e-5
        assert DELTAS[by](row["epsilon"], row[by] + 1) > 1e-5


def test_the_printed_420_and_495_are_those_of_a_larger_epsilon_than_the_printed_one() -> None:
    shown = figure("003-3")
    epsilon, steps, percent = (number.computed for number in shown.printed)
    assert DELTAS["rdp"](epsilon, 420) == pytest.approx(1e-5, rel=1e-9)
    assert DELTAS["gdp"](epsilon, int(steps)) <= 1e-5 < DELTAS["gdp"](epsilon, int(steps) + 1)
    assert DELTAS["gdp"](epsilon * (1 - percent / 100), 420) == pytest.approx(1e-5, rel=1e-9)
    assert [number.printed for number in shown.printed] == [0.8, 495, 10]
    assert (steps, round(percent, 2)) == (495, 8.64)
    at_eight_tenths = figure("003-5").printed
    assert [(number.printed, number.computed, number.difference) for number in at_eight_tenths] == [
        (420, 405, -15),
        (495, 478, -17),
    ]


EACH = 0.0625


@pytest.mark.parametrize("epsilon", [0.5, 10.0])
def test_the_sums_of_squares_are_divided_by_one_square(epsilon: float) -> None:
    row = figure("000-rogers", budgets=(epsilon,)).data.rows()[0]
    assert row["basic"] == Fraction(epsilon) // Fraction(EACH)
    for name, rule in (("simple", fp.BUN_STEINKE), ("cks", fp.CKS)):
        assert row[name] == math.floor(float(rule.budget(epsilon, 1e-5)) / (EACH**2 / 2))
    assert row["whitehouse"] == row["simple"]
    assert row["gaussian"] == math.floor((float(fp.conversions.max_gaussian_mu(epsilon, 1e-5)) / EACH) ** 2)


@pytest.mark.parametrize("epsilon", [0.25, 3.0])
def test_the_exact_count_is_that_of_the_binomial_law(epsilon: float) -> None:
    rounds, coin = (
        figure("000-rogers", budgets=(epsilon,)).data.rows()[0]["exact"],
        fp.RandomizedResponse(EACH),
    )
    assert reference(coin, rounds, epsilon) <= 1e-5 < reference(coin, rounds + 1, epsilon)


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
    assert "is the same rule as Theorem 4.9" in shown.caption


def test_the_calibrated_count_is_that_of_a_session() -> None:
    row = figure("000-rogers", each=0.05, budgets=(0.01, 1.0)).data.rows()
    session = fp.tabulated_filter(1.0, 1e-5, each=0.05).open("retry")
    assert row[1]["calibrated"] == sum(session.request(fp.RandomizedResponse(0.05)) for _ in range(60))
    assert row[0]["calibrated"] is None, "no row of the table promises as little"
