"""Finite games: counts, probabilities, and the pair's own divergences as a second route."""

from fractions import Fraction
from math import log

import numpy as np
import pytest

from theory.pairs import RandomizedResponse
from theory.proofs.trees import Pair, Tree, all_trees, bernoulli, full_trees, hockey_stick, moment, play

COIN = bernoulli("2/3", "1/3")


def _always(released: tuple[int, ...], request: int) -> bool:
    return True


@pytest.mark.parametrize(("requests", "rounds", "count"), [(1, 1, 2), (3, 1, 4), (2, 3, 723), (3, 3, 7204)])
def test_every_strategy_is_there_once(requests: int, rounds: int, count: int) -> None:
    trees = list(all_trees(requests, rounds))
    assert len(trees) == len(set(trees)) == count


def test_the_strategies_that_never_stop_are_there_once() -> None:
    trees = list(full_trees(3, 3))
    assert len(trees) == len(set(trees)) == 2187
    assert set(trees) < set(all_trees(3, 3))


def test_transcripts_share_out_the_whole_probability() -> None:
    menu = (COIN, bernoulli("1/2", "1/5"))
    for tree in all_trees(2, 3):
        ends = list(play(tree, menu, _always))
        assert sum(end.p for end in ends) == 1
        assert sum(end.q for end in ends) == 1
        assert len({(end.released, end.outcomes) for end in ends}) == len(ends)


def test_a_filter_halts_at_the_first_request_it_denies() -> None:
    twice = Tree(0, (Tree(1, (Tree(0, (None, None)),) * 2),) * 2)
    ends = list(play(twice, (COIN, COIN), lambda released, request: request == 0))
    assert {end.released for end in ends} == {(0,)}


def test_one_round_has_the_divergences_of_its_pair() -> None:
    one = list(play(Tree(0, (None, None)), (COIN,), _always))
    # randomised response at log 2, by the library of pairs
    pair = RandomizedResponse(log(2.0))
    assert float(hockey_stick(one, Fraction(3, 2))) == pytest.approx(
        float(np.asarray(pair.hockey_stick(log(1.5))))
    )
    for order in (2, 3, 7):
        assert log(float(moment(one, order))) / (order - 1) == pytest.approx(
            float(np.asarray(pair.renyi(order)))
        )
        assert COIN.moment(order) == moment(one, order)


def test_two_rounds_multiply_and_the_swapped_pair_is_the_other_direction() -> None:
    biased = Pair((Fraction(1, 2), Fraction(1, 2)), (Fraction(1, 5), Fraction(4, 5)))
    tree = Tree(0, (Tree(1, (None, None)),) * 2)
    ends = list(play(tree, (COIN, biased), _always))
    assert moment(ends, 3) == COIN.moment(3) * biased.moment(3)
    assert biased.swapped.moment(1) == 1
    assert biased.swapped.moment(2) == Fraction(1, 25) * 2 + Fraction(16, 25) * 2
