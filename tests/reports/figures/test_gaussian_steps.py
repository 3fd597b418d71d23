"""Figures 3 to 5 of paper 003: every number again by mpmath, by search over orders, and by the filters themselves."""

from __future__ import annotations

import mpmath
import pytest

from reports.figures.registry import figure
from tests.theory.reference import conversion_delta, gaussian_hockey_stick
from theory.conversions import CKS


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
    ("epsilon", "rdp", "gdp"),
    [
        (0.1, 0.07491, 0.04331),
        (0.9, 1.696e-6, 3.755e-7),
    ],
)
def test_figure_3_is_what_mpmath_gives(epsilon: float, rdp: float, gdp: float) -> None:
    row = figure("003-3", points=9).data.row(epsilon=epsilon)
    assert row["delta_gdp"] == pytest.approx(float(gdp_delta(row["epsilon"], 420, 100.0)), rel=1e-11)
    assert row["delta_rdp"] == pytest.approx(rdp_delta(row["epsilon"], 420, 100.0), rel=1e-11)
    assert row["delta_rdp_grid"] == pytest.approx(
        rdp_delta(row["epsilon"], 420, 100.0, range(2, 33)), rel=1e-11
    )
    # measured once by a script of its own
    assert row["delta_rdp"] == pytest.approx(rdp, rel=5e-4)
    assert row["delta_gdp"] == pytest.approx(gdp, rel=5e-4)


@pytest.mark.parametrize(
    ("k", "gdp", "rdp_grid"),
    [(300, 1.257e-4, 4.148e-4), (900, 7.573e-3, 1.842e-2)],
)
def test_figure_4_is_what_mpmath_gives(k: int, gdp: float, rdp_grid: float) -> None:
    row = figure("003-4", points=6).data.row(epsilon=0.5)
    assert row[f"delta_gdp_{k}"] == pytest.approx(float(gdp_delta(row["epsilon"], k, 100.0)), rel=1e-11)
    assert row[f"delta_rdp_{k}"] == pytest.approx(rdp_delta(row["epsilon"], k, 100.0), rel=1e-11)
    again = rdp_delta(row["epsilon"], k, 100.0, range(2, 33))
    assert row[f"delta_rdp_grid_{k}"] == pytest.approx(again, rel=1e-11)
    assert row[f"delta_gdp_{k}"] == pytest.approx(gdp, rel=5e-4)
    assert row[f"delta_rdp_grid_{k}"] == pytest.approx(rdp_grid, rel=5e-4)


@pytest.mark.parametrize(
    ("epsilon", "gdp", "rdp", "grid"),
    [
        (0.2, 37, 31, 0),
        (0.4, 134, 112, 107),
        (0.9, 592, 503, 503),
    ],
)
def test_figure_5_holds_the_last_step_that_keeps_the_promise(
    epsilon: float, gdp: int, rdp: int, grid: int
) -> None:
    row = figure("003-5").data.row(epsilon=epsilon)
    assert (row["gdp"], row["rdp"], row["rdp_grid"]) == (gdp, rdp, grid)
    for k, delta in (
        (gdp, lambda k: float(gdp_delta(row["epsilon"], k, 100.0))),
        (rdp, lambda k: rdp_delta(row["epsilon"], k, 100.0)),
        (grid, lambda k: rdp_delta(row["epsilon"], k, 100.0, range(2, 33))),
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


def test_a_caption_tells_where_the_integer_orders_mislead() -> None:
    data = figure("003-5").data
    epsilon, rdp, grid = (data.column(name) for name in ("epsilon", "rdp", "rdp_grid"))
    caption = figure("003-5").caption
    assert f"up to epsilon = {epsilon[grid < 0.99 * rdp].max():.3g}" in caption
    assert f"up to {epsilon[grid == 0].max():.3g} they allow no step at all" in caption
    assert "8.64 % smaller" in caption
    # with many orders nothing misleads, and the caption says so by silence
    assert "allow no step" not in figure("003-5", orders=2000, least=0.3, points=7).caption


def test_with_little_noise_the_least_of_the_integer_orders_is_the_first() -> None:
    row = figure("003-3", sigma=10, points=3, least=5.0, most=5.2).data.rows()[-1]
    assert row["delta_rdp_grid"] == pytest.approx(rdp_delta(5.2, 420, 10.0, range(2, 3)), rel=1e-11)
    assert row["delta_rdp_grid"] == pytest.approx(rdp_delta(5.2, 420, 10.0, range(2, 33)), rel=1e-11)
    assert row["delta_rdp"] < row["delta_rdp_grid"]


def test_every_label_of_figure_3_stands_beside_its_own_curve() -> None:
    shown = figure("003-3")
    (ax,) = shown.plot().axes
    points = {tuple(point) for line in ax.get_lines() for point in line.get_xydata().tolist()}
    assert len(ax.texts) == 3
    for words in ax.texts:
        assert tuple(words.xy) in points
        assert max(map(abs, words.get_position())) <= 6  # points of the page
