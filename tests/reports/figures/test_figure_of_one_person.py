"""Figure 1 of Koskela et al.: the profile at a point by a Fourier transform, RDP by the binomial formula."""

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.special import binom

import filterproof as fp
from filterproof.reports.figures.paper_figure import ComputedFigure, figure
from filterproof.reports.figures.subsampled_gaussian import panel_columns
from tests.mc.training.made_up import write_squares

Q, SIGMA, STEPS = 0.005, 2.0, 10_000


@pytest.fixture(scope="module")
def shown() -> ComputedFigure:
    return figure("003-1", points=4, people=3, least=0.2, more_orders=256)


def test_the_profile_is_that_of_the_composition_of_removal(shown: ComputedFigure) -> None:
    epsilons, lows, highs = panel_columns(shown.data, "profile", "epsilon", "delta_low", "delta_high")
    steps = fp.Composition({fp.SubsampledGaussian(Q, SIGMA): STEPS})
    for epsilon, low, high in zip(epsilons, lows, highs, strict=True):
        assert low <= steps.delta(epsilon, relative=1e-2).high
        assert steps.delta(epsilon, relative=1e-2).low <= high <= low * 1.01


def test_a_person_who_is_always_clipped(shown: ComputedFigure) -> None:
    low, high = shown.data.number("person_epsilon_low"), shown.data.number("person_epsilon_high")
    # by the Fourier transform of a grid of losses, each cell's mass at its middle, with NumPy alone:
    # 1.1501821, 1.15017888, 1.15017867 at 2^19, 2^21, and 2^22 cells from -6 to 6, and to 5
    assert 1.15017866 - 5e-8 < low <= high < 1.15017867 + 5e-8
    assert panel_columns(shown.data, "people", "epsilon_high")[0][-1] == high


def test_rdp_is_the_binomial_formula_at_integer_orders(shown: ComputedFigure) -> None:
    for fraction, shown_epsilon in zip(
        *panel_columns(shown.data, "people", "fraction", "epsilon_rdp"), strict=True
    ):
        epsilons = []
        for a in range(2, 33):
            k, s2 = np.arange(a + 1), (SIGMA / fraction) ** 2
            moment = np.sum(binom(a, k) * (1 - Q) ** (a - k) * Q**k * np.exp(k * (k - 1) / (2 * s2)))
            epsilons.append((STEPS * math.log(moment) - math.log(a * 1e-6)) / (a - 1) + math.log(1 - 1 / a))
        assert shown_epsilon == pytest.approx(min(epsilons), rel=1e-9)


def test_the_floor_of_rdp_comes_from_the_largest_order(shown: ComputedFigure) -> None:
    floor = {name: shown.data.number(name) for name in ("floor", "floor_more", "floor_at_other_delta")}
    of = {"floor": (32, 1e-6), "floor_more": (256, 1e-6), "floor_at_other_delta": (32, 1e-5)}
    by_hand = {name: math.log(1 - 1 / a) - math.log(a * delta) / (a - 1) for name, (a, delta) in of.items()}
    assert floor == pytest.approx(by_hand, rel=1e-12)
    few, more, pld = panel_columns(shown.data, "people", "epsilon_rdp", "epsilon_rdp_more", "epsilon_low")
    assert np.all(few >= floor["floor"])
    assert np.all(more <= few)
    assert np.all(pld < more)
    assert pld[0] < floor["floor"], "composition sees people whom RDP cannot see"


def test_the_two_gaussian_curves_do_what_is_said_of_them(shown: ComputedFigure) -> None:
    epsilon, high, wide = panel_columns(shown.data, "profile", "epsilon", "delta_high", "delta_gdp_range")
    assert np.all(wide >= high)
    least = fp.GaussianDP(shown.data.number("mu_range") * (1 - 1e-6)).delta(epsilon)
    assert np.any(least < high), "a smaller mu would not dominate"
    at = fp.GaussianDP(shown.data.number("mu_at")).delta(shown.data.number("person_epsilon_high"))
    assert at == pytest.approx(1e-6, rel=1e-9)


def test_for_all_epsilon_the_mu_of_full_batches_is_needed() -> None:
    # log delta(epsilon) / epsilon^2 tends to -sigma^2 / (2 T) for T subsampled steps, as for mu = sqrt(T) / sigma
    shown = figure("003-1", points=2, people=1, steps=1, q=0.5, more_orders=2)
    assert shown.data.number("mu_all") == 0.5
    assert shown.data.number("mu_range") < 0.5


@pytest.mark.slow
def test_people_who_are_always_clipped_have_the_epsilons_of_that_person() -> None:
    given = {"q": 0.5, "steps": 40, "delta": 1e-5}
    facts = figure("003-1-people", clip=1e-3, people=20, copies=1, orders=8, **given).data.facts
    single = figure("003-1", points=2, people=1, orders=8, more_orders=8, **given)
    assert facts["rdp_least"] == facts["rdp_middle"]
    rdp, least, most = (
        single.data.where("panel", "people").column(f"epsilon_{name}")[0] for name in ("rdp", "low", "high")
    )
    assert facts["rdp_least"] == pytest.approx(rdp, rel=1e-12)
    assert least <= facts["pld_least"] <= most + facts["widest"]
    assert facts["right"] == facts["people"] == 20


def test_whoever_has_idx_files_gets_the_histogram_of_their_pictures(tmp_path: Path) -> None:
    folder = write_squares(tmp_path / "pictures")
    shown = figure("003-1-people", folder=folder, steps=20, people=60, orders=4)
    assert shown.title.endswith("on a folder of data")
    assert shown.caption.startswith("pictures. 60 people")
    assert shown.data.column("pld").sum() == 60


def test_the_diagram_is_of_the_calls_of_a_run() -> None:
    data = figure("004-1", rounds=3).data
    assert data.column("round").tolist() == [k for k in (1, 2, 3) for _ in range(4)]
    assert data.column("call").tolist() == ["request", "admits", "sample", "observe"] * 3
    assert data.facts["decided_first"] == data.facts["released"] == 3
    assert "traced run, which played 3 of 3 rounds: in" in figure("004-1", rounds=3).caption.replace(
        "\n", " "
    )
    for epsilon, last in ((2.0, 2), (0.1, 1)):  # denied
        denied = figure("004-1", epsilon=epsilon, rounds=20)
        assert (denied.data.rows()[-1]["round"], denied.data.facts["released"]) == (last, last - 1)
        words = f"played {last} of 20 rounds, the filter denying the request of round {last}: in the first"
        assert words in " ".join(denied.caption.split())
