"""The pictures that explain: each number by a closed form, by enumeration, or by another function of the library."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import filterproof as fp
from mc.engine.game import Game
from mc.engine.paths import Paths
from reports.figures.paper_figure import figure
from reports.figures.supermartingale import potential_paths
from tests.theory.reference import gaussian_hockey_stick


def test_the_eraser_reaches_its_closed_form_while_the_filter_sees_no_more_than_delta() -> None:
    shown = figure("eraser", rounds=(1, 2, 3, 20, 100))
    for row in shown.data.rows():
        exact = 1 - (1 - Fraction(0.005)) ** int(row["rounds"] or 0)  # type: ignore[arg-type]
        assert row["reached"] <= exact <= row["reached_at_most"]  # type: ignore[operator]
        assert row["closed_form"] == pytest.approx(float(exact), rel=1e-13)
        assert row["next_failure"] == pytest.approx(0.005, rel=1e-12)
    assert shown.data.facts["admitted"] == 100
    assert shown.data.facts["beyond"] == 3, "1 - .995^2 = .009975 keeps the promise, 1 - .995^3 does not"
    assert "3 rounds already reach more than the promise" in shown.caption


def test_the_natural_filters_tree_is_the_one_played_by_hand() -> None:
    shown = figure("natural-game")
    rows = {str(row["history"]): row for row in shown.data.rows()}
    assert {name: row["request"] for name, row in rows.items() if row["request"] is not None} == {
        "start": 1,
        "+": 3,
        "-": 2,
        "-+": 2,
        "--": 2,
    }
    base, total = Fraction(3, 2), Fraction(0)
    for name, row in rows.items():
        p, q, loss, asked = Fraction(1), Fraction(1), 0, []
        for t, sign in enumerate("" if name == "start" else name):
            level = int(rows[name[:t] or "start"]["request"] or 0)  # type: ignore[arg-type]
            keep = base**level / (1 + base**level)
            p, q = (p * keep, q * (1 - keep)) if sign == "+" else (p * (1 - keep), q * keep)
            loss += level if sign == "+" else -level
            asked.append(keep)
        assert (str(p), loss) == (row["probability_exact"], row["loss"])
        composed = Fraction(0)  # what the filter computes: the same requests, fixed in advance
        for kept in product((True, False), repeat=len(asked)):
            one = other = Fraction(1)
            for keep, stays in zip(asked, kept, strict=True):
                one, other = (one * keep, other * (1 - keep)) if stays else (one * (1 - keep), other * keep)
            composed += max(one - base**2 * other, Fraction(0))
        assert str(composed) == row["filter_computes"]
        assert composed <= Fraction(45, 169)
        if row["request"] is None:
            assert str(max(p - base**2 * q, Fraction(0))) == row["excess_exact"]
            total += max(p - base**2 * q, Fraction(0))
    assert total == Fraction(1899, 5915)
    assert (shown.data.facts["reached"], shown.data.facts["promised"]) == ("1899/5915", "45/169")
    assert "9/35 + 54/845 = 1899/5915, which is 1.206 times the promise" in shown.caption


def test_the_natural_game_at_another_base_is_lost_too() -> None:
    facts = figure("natural-game", base=2.0).data.facts
    assert Fraction(str(facts["promised"])) == Fraction(4, 5) ** 2 - 4 * Fraction(1, 5) ** 2
    assert Fraction(str(facts["reached"])) > Fraction(str(facts["promised"]))


def test_the_mean_of_the_paths_holds_the_start_and_each_path_ends_at_zero_or_above() -> None:
    shown = figure("supermartingale", quick=True, seed=4)
    data, start = shown.data, shown.data.number("start")
    assert start == pytest.approx(float(fp.GaussianDP(1.0).delta(1.0)), rel=1e-12)
    assert np.all(data.column("gaussian_low") <= start)
    assert np.all(start <= data.column("gaussian_high"))
    assert data.column("response_high")[-1] < start
    for j in range(14):
        path = data.column(f"path_{j + 1}")
        there = ~np.isnan(path)
        assert path[0] == start
        assert there.sum() == there.argmin() < len(path), "it ends within the picture, and stays ended"
    assert data.number("most_releases") < len(data), "every path ends within the picture"


@pytest.mark.parametrize("ratio", [3, 10])
def test_per_instance_accounting_loses_the_game_that_definition_2_5_wins(ratio: int) -> None:
    shown = figure("per-instance", ratio=ratio)
    data = shown.data
    for name, deltas in (
        ("individual", [0.0] * 12),
        ("pair_by_pair", [0.0] * 12),
        ("halting", [0.0] + [1.0] * 11),
    ):
        assert data.column(name).tolist() == deltas
    # whom Definition 2.6 leaks it does not charge
    charged = [data.number(f"charged_{name}") for name in ("per_instance", "individual")]
    assert charged == pytest.approx([0, 1], abs=1e-12)
    coin = fp.RandomizedResponse.from_ratio(ratio)
    assert data.column("per_instance")[0] == 0
    for t in (2, 3, 7, 12):  # a response in every round but the first
        known = fp.worst_case(
            fp.BasicFilter(100.0), coin, epsilon=fp.LogRatio(Fraction(ratio)), rounds=t - 1, on_denial="halt"
        )
        assert data.column("per_instance")[t - 1] == float(known.value or 0)
    if ratio == 3:
        assert data.facts["per_instance_at_3_exact"] == "3/8"
        assert "delta is 3/8 after 3 rounds and 0.863 after 12" in shown.caption


EPSILON = 1.0
FILTER = fp.GaussianFilter(mu=1.0)


def losses(paths: Paths) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return paths.loss.copy()  # type: ignore[return-value]


def test_the_first_values_are_those_of_the_closed_form() -> None:
    chaser = fp.LossChasing(low=0.25, high=0.5, family=fp.Gaussian)
    found = potential_paths(FILTER, chaser, epsilon=EPSILON, n=200, rounds=20, seed=3)
    assert found.start == pytest.approx(float(gaussian_hockey_stick(1.0, EPSILON)), rel=1e-12)
    one, two = (
        fp.runs.play(Game.between(FILTER, chaser, rounds=rounds), losses, n=200, seed=3, workers=1).sums
        for rounds in (1, 2)
    )
    left = 1 - 0.25**2
    for j in range(0, 200, 25):
        after = left - (0.5 if one[j] > 0 else 0.25) ** 2
        told = [
            gaussian_hockey_stick(mu**0.5, EPSILON - loss) for mu, loss in ((left, one[j]), (after, two[j]))
        ]
        assert found.values[j, 1:3] == pytest.approx([float(delta) for delta in told], rel=1e-10)


@pytest.mark.parametrize("family", [fp.Gaussian, fp.RandomizedResponse], ids=["gaussian", "response"])
def test_a_path_ends_at_its_payoff_as_it_does_in_a_play(family: type) -> None:
    chaser = fp.LossChasing(family=family, pace=6)
    found = potential_paths(FILTER, chaser, epsilon=EPSILON, n=3000, rounds=20, seed=5)
    loss = fp.runs.play(Game.between(FILTER, chaser), losses, n=3000, seed=5, workers=1).sums
    assert found.loss.tolist() == loss.tolist()
    payoff = np.maximum(-np.expm1(EPSILON - loss), 0.0)
    # the last request may leave 2^-48 of mu^2, and a Gaussian of mu = 2^-24 has a delta of at most mu / sqrt(2 pi)
    ended = found.values[np.arange(3000), found.releases]
    assert np.abs(ended - payoff).max() <= 2**-24 / np.sqrt(2 * np.pi)
    assert found.values[:, -1].tolist() == ended.tolist()
    assert found.releases.max() <= 20
    assert payoff.max() > 0
