"""The order of compositions: chains and crossings in fractions, beside plain enumeration of the outcomes."""

import itertools
import math
from fractions import Fraction

import pytest

import filterproof as fp
from filters.rules.composition import composed_law, composed_ratios
from theory.too_large import TooLargeError

Q = Fraction
LADDER = [fp.RandomizedResponse.from_ratio(Q(3, 2) ** k) for k in (1, 2, 3)]


def divergence(menu: list[fp.DominatingPair], counts: tuple[int, ...], ratio: Fraction) -> Fraction:
    """By its definition, over all outcomes of all rounds."""
    masses = [pair.exact_masses for pair, n in zip(menu, counts, strict=True) for _ in range(n)]
    rounds = [[*zip(one.p, one.q, strict=True)] for one in masses if one is not None]
    total = Q(0)
    for outcome in itertools.product(*rounds):
        p = q = Q(1)
        for one, other in outcome:
            p, q = p * one, q * other
        total += max(p - ratio * q, Q(0))
    return total


def test_a_ladder_of_responses_crosses_where_both_ways_are_larger() -> None:
    found = fp.composition_order(LADDER[:2], rounds=3)
    crossing = found.crossing
    assert crossing is not None
    assert found.chain == ()
    assert (crossing.one, crossing.other) == ((3, 0), (0, 1))
    for ratio, larger in ((crossing.larger_at, True), (crossing.smaller_at, False)):
        one, other = (divergence(LADDER[:2], counts, ratio) for counts in (crossing.one, crossing.other))
        assert (one > other) is larger
        assert one != other
        assert (one, other) in crossing.divergences(LADDER[:2])


def test_a_chain_is_dominated_from_link_to_link_both_ways() -> None:
    menu = [fp.RandomizedResponse.from_ratio(Q(3, 2)), fp.RandomizedResponse.from_ratio(Q(10))]
    found = fp.composition_order(menu, rounds=3)
    assert found.crossing is None
    assert len(found.chain) == 9
    for low, high in itertools.pairwise(found.chain):
        for ratio in (Q(1, 20), Q(2, 3), Q(1), Q(3, 2), Q(7), Q(11), Q(95)):
            assert divergence(menu, low, ratio) <= divergence(menu, high, ratio)


def test_one_mechanism_and_gaussians_are_ordered_and_the_natural_filter_of_one_keeps_its_promise() -> None:
    assert fp.composition_order(LADDER[:1], rounds=6).chain == tuple((n,) for n in range(1, 7))
    found = fp.composition_order([fp.Gaussian(0.25), fp.Gaussian(0.5)], rounds=5)
    assert found.crossing is None
    squares = [one + 4 * other for one, other in found.chain]
    assert squares == sorted(squares)
    with fp.knowingly():
        filt = fp.NaturalFilter.from_ratio(Q(9, 4), Q(1, 10), tuple(LADDER[:1]))
    solved = fp.worst_case(filt, LADDER[:1], epsilon=fp.LogRatio(Q(9, 4)), rounds=6)
    assert solved.high <= Q(1, 10)


def test_an_outcome_that_one_law_lacks_is_compared_at_the_end() -> None:
    revealing = fp.FinitePair((Q(1, 100), Q(99, 100)), (Q(0), Q(1)))
    found = fp.composition_order([revealing, LADDER[0]], rounds=1)
    assert found.crossing is not None
    assert {found.crossing.one, found.crossing.other} == {(1, 0), (0, 1)}


def test_pairs_without_rational_masses_are_refused_in_a_sentence() -> None:
    with pytest.raises(ValueError, match="menu must hold finite pairs with rational masses"):
        fp.composition_order([fp.Laplace(2.0)], rounds=2)


def test_what_is_too_large_to_be_composed_is_refused_before_it_is_held() -> None:
    menu = tuple(fp.RandomizedResponse.from_ratio(ratio) for ratio in (Q(3, 2), Q(5, 3), Q(7, 5)))
    told = r"^menu must need at most \d+ sums of losses, got \d+; pass fewer pairs, or ones whose losses are mult"
    with pytest.raises(TooLargeError, match=told):
        composed_law(menu, (500, 500, 500))
    with pytest.raises(TooLargeError, match=told):
        composed_ratios(menu, (150, 150, 150))
    assert len(composed_law(menu[:1], (2_000,))[0]) > 1  # many of one pair are few losses
    told = r"^rounds must need at most 1048576 outcomes of compositions, got \d+; pass fewer"
    for large, rounds in (
        (menu, 10**6),
        (menu[:1], 60_000),
        ([fp.Gaussian(0.01 * k) for k in range(1, 100)], 100),
    ):
        with pytest.raises(TooLargeError, match=told):
            fp.composition_order(large, rounds=rounds)
    assert (
        len(fp.composition_order([fp.Gaussian(0.5), fp.Gaussian(0.7)], rounds=50).chain)
        == math.comb(52, 2) - 1
    )
