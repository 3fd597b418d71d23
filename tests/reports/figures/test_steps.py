"""Steps and rounds of 003 and 000: every number again by mpmath, by search, by a binomial law, by the filters."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import filterproof as fp
from filterproof.reports.figures.paper_figure import figure
from filterproof.theory.conversions import CKS
from tests.theory.reference import conversion_delta, gaussian_hockey_stick


def gdp_delta(epsilon: float, k: int, sigma: float) -> mpmath.mpf:
    """delta of Gaussian(sqrt(k)/sigma), by quadrature."""
    return gaussian_hockey_stick(k**0.5 / sigma, epsilon)


def rdp_delta(epsilon: float, k: int, sigma: float, orders: range | None = None) -> float:
    """The least of equation (C.3) of 003 over the orders, as printed there, or over all real orders."""
    if orders is None:
        return float(conversion_delta(CKS, k / (2 * sigma**2), epsilon))
    with mpmath.workdps(30):
        rho = k / (2 * mpmath.mpf(sigma) ** 2)
        logs = (
            (a - 1) * (a * rho - epsilon) - mpmath.log(a) + (a - 1) * mpmath.log(1 - mpmath.mpf(1) / a)
            for a in orders
        )
        return float(mpmath.exp(min(logs)))


@pytest.mark.parametrize(
    ("name", "points", "epsilon", "k"),
    [
        ("003-3", 9, 0.1, 420),
        ("003-3", 9, 0.9, 420),
        ("003-4", 6, 0.5, 300),
        ("003-4", 6, 0.5, 900),
    ],
)
def test_the_curves_are_what_mpmath_gives(name: str, points: int, epsilon: float, k: int) -> None:
    row = figure(name, points=points).data.row(epsilon=epsilon)
    at = row["epsilon"]
    for column, told in (
        ("delta_gdp", float(gdp_delta(at, k, 100.0))),
        ("delta_rdp", rdp_delta(at, k, 100.0)),
        ("delta_rdp_grid", rdp_delta(at, k, 100.0, range(2, 33))),
    ):
        assert row[f"{column}_{k}"] == pytest.approx(told, rel=1e-11), column


@pytest.mark.parametrize("epsilon", [0.2, 0.4, 0.9])
def test_figure_5_holds_the_last_step_that_keeps_the_promise(epsilon: float) -> None:
    row = figure("003-5").data.row(epsilon=epsilon)
    at = row["epsilon"]
    for k, delta in (
        (row["gdp"], lambda k: float(gdp_delta(at, k, 100.0))),
        (row["rdp"], lambda k: rdp_delta(at, k, 100.0)),
        (row["rdp_grid"], lambda k: rdp_delta(at, k, 100.0, range(2, 33))),
    ):
        assert k == 0 or delta(k) <= 1e-5
        assert delta(k + 1) > 1e-5


def test_the_printed_420_and_495_are_those_of_a_larger_epsilon_than_the_printed_one() -> None:
    shown = figure("003-3")
    epsilon, steps, percent = (one.computed for one in shown.printed)
    assert rdp_delta(epsilon, 420, 100.0) == pytest.approx(1e-5, rel=1e-9)
    assert gdp_delta(epsilon, int(steps), 100.0) <= 1e-5 < gdp_delta(epsilon, int(steps) + 1, 100.0)
    smaller = epsilon * (1 - percent / 100)
    assert float(gdp_delta(smaller, 420, 100.0)) == pytest.approx(1e-5, rel=1e-9)
    assert [one.printed for one in shown.printed] == [0.8, 495, 10]
    assert (steps, round(percent, 2)) == (495, 8.64)
    at_eight_tenths = figure("003-5").printed
    assert [(one.printed, one.computed, one.difference) for one in at_eight_tenths] == [
        (420, 405, -15),
        (495, 478, -17),
    ]


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
    assert row["gaussian"] == math.floor((float(fp.conversions.max_gaussian_mu(epsilon, 1e-5)) / EACH) ** 2)


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
    assert "is the same rule as Theorem 4.9" in shown.caption


def test_the_calibrated_count_is_that_of_a_session() -> None:
    row = figure("000-rogers", each=0.05, budgets=(0.01, 1.0)).data.rows()
    session = fp.tabulated_filter(1.0, 1e-5, each=0.05).open("retry")
    assert row[1]["calibrated"] == sum(session.request(fp.RandomizedResponse(0.05)) for _ in range(60))
    assert row[0]["calibrated"] is None, "no row of the table promises as little"
