"""Finite games whose data say nothing, or something false, are refused."""

from collections.abc import Callable, Iterator
from fractions import Fraction

import pytest

from theory.proofs.trees import (
    Pair,
    Transcript,
    Tree,
    all_trees,
    bernoulli,
    full_trees,
    hockey_stick,
    moment,
    play,
)

# -- finite games -----------------------------------------------------------------------------------

HALF = Fraction(1, 2)
COIN = bernoulli("2/3", "1/3")


@pytest.mark.parametrize(
    ("p", "q"),
    [
        ((HALF, HALF, HALF), (HALF, HALF, Fraction(0))),
        ((HALF,), (Fraction(1),)),
        ((Fraction(3, 2), -HALF), (HALF, HALF)),
        ((HALF, HALF), (Fraction(1),)),
        ((), ()),
        ((0.5, 0.5), (0.5, 0.5)),
    ],
)
def test_a_pair_that_is_not_two_laws_is_an_error(p: tuple[Fraction, ...], q: tuple[Fraction, ...]) -> None:
    with pytest.raises(ValueError, match="must"):
        Pair(p, q)


@pytest.mark.parametrize(
    "tree",
    [
        Tree(0, (None,)),
        Tree(0, (None, None, None)),
        Tree(-1, (None, None)),
        Tree(1, (None, None)),
        Tree(0, (None, Tree(0, ()))),
    ],
)
def test_a_strategy_that_loses_an_outcome_or_asks_beside_the_menu_is_an_error(tree: Tree) -> None:
    with pytest.raises(ValueError, match="must"):
        list(play(tree, (COIN,), lambda released, request: True))


def _halves() -> Iterator[Transcript]:
    yield Transcript(HALF, HALF, (0,), (0,))


@pytest.mark.parametrize("ends", [[], list(_halves()), [*_halves(), *_halves(), *_halves()]])
def test_transcripts_that_do_not_share_out_the_whole_probability_are_an_error(
    ends: list[Transcript],
) -> None:
    with pytest.raises(ValueError, match="must"):
        moment(ends, 2)
    with pytest.raises(ValueError, match="must"):
        hockey_stick(ends, Fraction(2))


def test_transcripts_that_were_already_read_are_an_error() -> None:
    ends = play(Tree(0, (None, None)), (COIN,), lambda released, request: True)
    list(ends)
    with pytest.raises(ValueError, match="must"):
        moment(ends, 2)  # type: ignore[arg-type]


@pytest.mark.parametrize("trees", [all_trees, full_trees])
@pytest.mark.parametrize(("requests", "rounds", "outcomes"), [(-1, 2, 2), (1, -1, 2), (1, 1, 0), (0, 2, 2)])
def test_a_game_of_nothing_is_an_error(
    trees: Callable[[int, int, int], Iterator[Tree | None]], requests: int, rounds: int, outcomes: int
) -> None:
    with pytest.raises(ValueError, match="must be"):
        list(trees(requests, rounds, outcomes))


@pytest.mark.parametrize("order", [0, -1])
def test_a_moment_below_order_one_is_an_error(order: int) -> None:
    with pytest.raises(ValueError, match="order must be"):
        COIN.moment(order)
    ends = list(play(Tree(0, (None, None)), (COIN,), lambda released, request: True))
    with pytest.raises(ValueError, match="order must be"):
        moment(ends, order)


def test_a_mass_that_only_p_has_makes_a_moment_infinite_and_is_an_error() -> None:
    leak = Pair((HALF, HALF), (Fraction(0), Fraction(1)))
    with pytest.raises(ValueError, match="infinite"):
        leak.moment(2)
    ends = list(play(Tree(0, (None, None)), (leak,), lambda released, request: True))
    with pytest.raises(ValueError, match="infinite"):
        moment(ends, 2)


def test_outcomes_of_no_mass_on_either_side_add_nothing() -> None:
    padded = Pair((*COIN.p, Fraction(0)), (*COIN.q, Fraction(0)))
    assert padded.moment(3) == COIN.moment(3)
    ends = list(play(Tree(0, (None, None, None)), (padded,), lambda released, request: True))
    assert moment(ends, 3) == COIN.moment(3)


@pytest.mark.parametrize("ratio", [Fraction(-1), -2])
def test_a_hockey_stick_of_a_negative_ratio_is_an_error(ratio: Fraction) -> None:
    ends = list(play(Tree(0, (None, None)), (COIN,), lambda released, request: True))
    with pytest.raises(ValueError, match="ratio must be"):
        hockey_stick(ends, ratio)
