"""The pictures that explain: each number by a closed form, by enumeration, or by another function of the library."""

from fractions import Fraction
from itertools import product

import pytest

import filterproof as fp
from filterproof.reports.figures.paper_figure import figure


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
        p, q, loss, questions = Fraction(1), Fraction(1), 0, []
        for t, sign in enumerate("" if name == "start" else name):
            level = int(rows[name[:t] or "start"]["request"] or 0)  # type: ignore[arg-type]
            keep = base**level / (1 + base**level)
            p, q = (p * keep, q * (1 - keep)) if sign == "+" else (p * (1 - keep), q * keep)
            loss += level if sign == "+" else -level
            questions.append(keep)
        assert (str(p), loss) == (row["probability_exact"], row["loss"])
        composed = Fraction(0)  # what the filter computes: the same requests, fixed in advance
        for answers in product((True, False), repeat=len(questions)):
            p_mass = q_mass = Fraction(1)
            for keep, stays in zip(questions, answers, strict=True):
                p_mass, q_mass = (
                    (p_mass * keep, q_mass * (1 - keep)) if stays else (p_mass * (1 - keep), q_mass * keep)
                )
            composed += max(p_mass - base**2 * q_mass, Fraction(0))
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
        exact = fp.worst_case(
            fp.BasicFilter(100.0), coin, epsilon=fp.LogRatio(Fraction(ratio)), rounds=t - 1, on_denial="halt"
        )
        assert data.column("per_instance")[t - 1] == float(exact.value or 0)
    if ratio == 3:
        assert data.facts["per_instance_at_3_exact"] == "3/8"
        assert "delta is 3/8 after 3 rounds and 0.863 after 12" in shown.caption
