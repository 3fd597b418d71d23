"""Figure 2 of Taylor et al.: survival by simulation, values by evaluation, thresholds by their certificates."""

import mpmath
import numpy as np
import pytest

import filterproof as fp
from filterproof.filters.rules.kappa_filter import KappaFilter
from filterproof.reports.figures.filter_survival import largest_kappa
from filterproof.reports.figures.paper_figure import ComputedFigure, figure
from filterproof.theory.stopping_level import realisation_filter_hockey_stick

SMALL = {"epsilon": 7.0, "delta": 0.02, "sigma": 1.0, "rounds": 6}


@pytest.fixture(scope="module")
def shown() -> ComputedFigure:
    return figure("004-2", **SMALL)


def test_kappa_and_the_value_of_its_game_by_a_second_route(shown: ComputedFigure) -> None:
    with mpmath.workdps(30):
        z = sum(
            mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * mpmath.mpf(shown.data.number(p)))
            for p in ("dhat", "theta")
        )
        kappa = float(7 - 1 - z)
    assert shown.data.number("kappa") == pytest.approx(kappa, rel=1e-12)
    again = realisation_filter_hockey_stick(kappa, mu=1.0, rounds=6, epsilon=7.0)
    assert shown.data.number("value") == pytest.approx(float(again), rel=1e-6)


def test_survival_lies_in_the_intervals_of_a_simulation_of_the_filters(shown: ComputedFigure) -> None:
    menu = (fp.Gaussian(1.0),)
    games = {
        "realisation": fp.RealisationFilter(epsilon=7.0, delta=0.02, rounds=6, menu=menu),
        "recalibrated": KappaFilter(shown.data.number("kappa_recalibrated"), 6),
    }
    for column, filt in games.items():
        curve = fp.release_survival(filt, fp.Constant(menu[0]), n=40_000, seed=7, rounds=6)
        inside = [value in curve[t] for t, value in enumerate(shown.data.column(column), start=1)]
        assert all(inside), column


def test_the_other_filters_stop_where_a_session_does(shown: ComputedFigure) -> None:
    for column, filt in (
        ("gdp", fp.GaussianFilter(float(fp.conversions.max_gaussian_mu(7.0, 0.02)))),
        ("renyi_cks", fp.ApproximateDPFilter(7.0, 0.02)),
        ("renyi_simple", fp.ApproximateDPFilter(7.0, 0.02, fp.BUN_STEINKE)),
    ):
        session = filt.open("retry")
        granted = sum(session.request(fp.Gaussian(1.0)) for _ in range(96))
        assert shown.data.facts[f"rounds_{column}"] == granted
        assert shown.data.column(column).sum() == min(granted, 6)


def test_a_game_that_needs_no_filter_says_so() -> None:
    short = figure("004-2", rounds=8)
    assert "states no epsilon and delta" in short.caption
    assert short.data.facts["kappa_recalibrated"] is None
    assert np.array_equal(short.data.column("recalibrated"), np.ones(8))
    assert "8 rounds keep the promise without a filter" in short.caption


@pytest.mark.slow
def test_the_largest_kappa_is_certified_and_a_larger_one_or_a_single_release_breaks_the_promise() -> None:
    with pytest.raises(ValueError, match="delta must exceed the delta of two releases, got delta=1e-09"):
        largest_kappa(0.5, 1e-9, sigma=1.0, rounds=3)
    kappa, solved = largest_kappa(2.0, 0.02, sigma=2.0, rounds=5)
    assert 0.02 * (1 - 1e-4) < solved.high <= 0.02
    assert "Gaussian(0.5)" in solved.scope
    larger = KappaFilter(kappa * (1 + 1e-5), 5)
    assert fp.worst_case(larger, [fp.Gaussian(0.5)], epsilon=2.0, rounds=5).low > 0.02
