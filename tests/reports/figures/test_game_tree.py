"""The tree of a solved game: its ends add up to the value, on pairs with and without infinite losses."""

from __future__ import annotations

from fractions import Fraction

import pytest

import filterproof as fp
from reports.figures.game_tree import game_tree

RATIO = Fraction(2)
COIN, OTHER = (fp.RandomizedResponse.from_ratio(Fraction(3, 2) ** k) for k in (1, 3))
SKEW = fp.FinitePair(
    (Fraction(1, 2), Fraction(1, 2), Fraction(0)), (Fraction(0), Fraction(1, 3), Fraction(2, 3))
)
with fp.knowingly():
    NAIVE = fp.NaiveRealisationFilter(epsilon=1.0, delta=0.01)


@pytest.mark.parametrize("direction", ["PQ", "QP"])
@pytest.mark.parametrize(
    ("filt", "menu", "rounds"),
    [
        (fp.ZCDPFilter(rho=1.0), (COIN, OTHER), None),
        (
            fp.BasicFilter(3.0, 0.75),
            (COIN, fp.Erasure(Fraction(1, 4)), fp.KOV.from_ratio(2, Fraction(1, 5))),
            3,
        ),
        (fp.BasicFilter(3.0, 0.75, at=0.5), (SKEW, COIN), 2),
    ],
    ids=["responses", "erasures", "skew"],
)
def test_the_ends_add_up_to_the_value_and_to_probability_one(
    filt: fp.PrivacyFilter, menu: tuple[fp.DominatingPair, ...], rounds: int | None, direction: str
) -> None:
    worst = fp.worst_case(filt, menu, epsilon=fp.LogRatio(RATIO), rounds=rounds, direction=direction)  # type: ignore[arg-type]
    nodes = game_tree(worst)
    ends = [node for node in nodes if node.request is None]
    assert sum(node.excess(RATIO) for node in ends) == worst.value
    assert sum(node.p for node in ends) == 1
    assert sum(node.q for node in ends) <= 1
    assert worst.value is not None
    assert worst.value > 0


def test_histories_are_all_there_and_parents_come_first() -> None:
    nodes = game_tree(fp.worst_case(fp.ZCDPFilter(rho=1.0), COIN, epsilon=fp.LogRatio(RATIO), rounds=3))
    assert [len(node.outcomes) for node in nodes] == [0, 1, 2, 3, 3, 2, 3, 3, 1, 2, 3, 3, 2, 3, 3]
    assert len({node.outcomes for node in nodes}) == len(nodes)
    keep = Fraction(3, 5)
    for node in nodes:
        falls = sum(node.outcomes)
        assert node.p == keep ** (len(node.outcomes) - falls) * (1 - keep) ** falls
        assert node.q == keep**falls * (1 - keep) ** (len(node.outcomes) - falls)


def test_after_an_infinite_loss_nothing_is_asked() -> None:
    revealing = fp.Erasure(Fraction(1, 4))
    filt = fp.BasicFilter(0.41, 0.25)  # each of the two once
    nodes = game_tree(fp.worst_case(filt, (COIN, revealing), epsilon=fp.LogRatio(Fraction(6, 5)), rounds=2))
    assert nodes[0].request == 1
    assert [(node.outcomes, node.request) for node in nodes if node.q == 0] == [((0,), None)]
    assert len(nodes) == 5


@pytest.mark.parametrize("filt", [fp.ZCDPFilter(rho=1.0), NAIVE], ids=["lattice", "tree"])
def test_a_game_that_was_not_solved_in_rationals_has_no_tree(filt: fp.PrivacyFilter) -> None:
    worst = fp.worst_case(filt, fp.RandomizedResponse(0.5), epsilon=0.5, rounds=2)
    with pytest.raises(
        ValueError, match="worst must be solved in rationals, got evidence CERTIFIED; pass rational"
    ):
        game_tree(worst)
