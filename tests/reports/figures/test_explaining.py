"""The pictures that explain: each number by a closed form, by enumeration, or by another function of the library."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest

import filterproof as fp
from reports.figures.registry import figure


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
    with fp.knowingly():
        filt = fp.NaiveRealisationFilter(epsilon=1.0, delta=0.01)
    worst = fp.worst_case(filt, fp.Erasure(0.005), epsilon=1.0, rounds=20)
    row = shown.data.row(rounds=20)
    assert worst.low <= row["reached_at_most"]  # type: ignore[operator]
    assert row["reached"] <= worst.high  # type: ignore[operator]
    with pytest.raises(ValueError, match=r"p must be at most delta=0\.01, got p=0\.02; the filter denies"):
        figure("eraser", p=0.02)


def test_b_star_of_the_figure_is_the_budget_at_which_two_outcomes_reach_delta() -> None:
    shown = figure("b-star", quick=True)
    for row in shown.data.rows()[::3]:
        epsilon, delta, least, most, cks, simple = (float(row[name]) for name in shown.data.names[:6])  # type: ignore[arg-type]
        assert 0 < simple < cks < least < most < least * (1 + 1e-14)
        # by tangent planes and two outcomes of another search
        assert fp.ZCDP(most).extremal(epsilon).low == pytest.approx(delta, rel=1e-8)
        assert fp.ZCDP(least).extremal(epsilon).high == pytest.approx(delta, rel=1e-12)
    assert "ends apart by at most" in shown.caption


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


def test_the_natural_filters_longer_games_are_those_of_a_recursion_over_counts_and_losses() -> None:
    (row,) = figure("natural-rounds", parts=5, deltas=0.01).data.rows()
    base, ratio, promised = Fraction(6, 5), Fraction(6, 5) ** 10, Fraction(1, 100)

    def keep(level: int) -> Fraction:
        return base**level / (1 + base**level)

    @cache
    def law(counts: tuple[int, ...]) -> dict[int, Fraction]:
        """loss in units of log base -> P-mass, the requests fixed in advance"""
        if not any(counts):
            return {0: Fraction(1)}
        k = next(k for k, n in enumerate(counts) if n)
        level, law_of_less = 2**k, law(tuple(n - (j == k) for j, n in enumerate(counts)))
        sums: dict[int, Fraction] = {}
        for loss, mass in law_of_less.items():
            for moved, share in ((level, keep(level)), (-level, 1 - keep(level))):
                sums[loss + moved] = sums.get(loss + moved, Fraction(0)) + mass * share
        return sums

    @cache
    def granted(counts: tuple[int, ...]) -> bool:
        return (
            sum(m * max(1 - ratio / base**loss, Fraction(0)) for loss, m in law(counts).items()) <= promised
        )

    @cache
    def value(counts: tuple[int, ...], loss: int) -> Fraction:
        worth = max(1 - ratio / base**loss, Fraction(0))
        for k in range(3):
            after = tuple(n + (j == k) for j, n in enumerate(counts))
            if sum(after) <= 22 and granted(after):
                up, share = 2**k, keep(2**k)
                worth = max(worth, share * value(after, loss + up) + (1 - share) * value(after, loss - up))
        return worth

    assert granted((22, 0, 0))
    assert not granted((23, 0, 0))
    assert row["rounds"] == 22
    assert Fraction(str(row["reached_exact"])) == value((0, 0, 0), 0)
    assert "is not proved here" in figure("natural-rounds", parts=5, deltas=0.01).caption


def test_sites_that_share_a_limit_reach_together_what_their_plan_reaches_and_no_more() -> None:
    shown = figure("shared-limit", sites=2)

    def reached(*units: int) -> Fraction:
        """Randomised response of so many units of log 2 each, at e^epsilon = 4, outcome by outcome."""
        total = Fraction(0)
        for kept in product((True, False), repeat=len(units)):
            p = q = Fraction(1)
            for unit, same in zip(units, kept, strict=True):
                most = Fraction(2**unit, 1 + 2**unit)
                p, q = p * (most if same else 1 - most), q * (1 - most if same else most)
            total += max(p - 4 * q, Fraction(0))
        return total

    plans = {2: ((2,), (1, 1)), 3: ((2, 1), (1, 1, 1)), 4: ((2, 2), (2, 1, 1), (1, 1, 1, 1))}
    best = [str(max(reached(*plan) for plan in plans[limit])) for limit in (2, 3, 4)]
    assert best == list(shown.data.column("planned_exact")) == list(shown.data.column("together_exact"))
    assert list(shown.data.column("left")) == [0.0, 0.5, 1.0]
    assert "gains the sites nothing" in shown.caption
    assert "in these games and not in all" in shown.caption


def test_a_game_longer_than_asked_for_is_left_out_and_said() -> None:
    shown = figure("natural-rounds", parts=4, deltas=0.01, rounds=5)
    assert len(shown.data) == 0
    assert "No game has at most 5 rounds" in shown.caption


def test_the_natural_game_at_another_base_and_what_is_too_large_to_read() -> None:
    facts = figure("natural-game", base=2.0).data.facts
    assert Fraction(str(facts["promised"])) == Fraction(4, 5) ** 2 - 4 * Fraction(1, 5) ** 2
    assert Fraction(str(facts["reached"])) > Fraction(str(facts["promised"]))
    with pytest.raises(ValueError, match="rounds must be at most 3, got rounds=4; a larger tree"):
        figure("natural-game", rounds=4)
    with pytest.raises(ValueError, match=r"base must be above 1 and at most 10, got base=1\.0"):
        figure("natural-game", base=1.0)


def test_the_mean_of_the_paths_holds_the_start_and_each_path_ends_at_zero_or_above() -> None:
    shown = figure("supermartingale", quick=True, seed=4)
    data, start = shown.data, shown.data.number("start")
    assert start == pytest.approx(float(fp.GaussianDP(1.0).delta(1.0)), rel=1e-12)
    assert np.all(data.column("gaussian_low") <= start)
    assert np.all(start <= data.column("gaussian_high"))
    assert data.column("response_high")[-1] < start
    for j in range(14):  # `test_potential.py` has the values of paths and their ends
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
    with pytest.raises(ValueError, match="rounds must be at most 14, got rounds=15"):
        figure("per-instance", rounds=15)
