"""One budget for each pair of neighbours, against fractions and against every transcript of small mechanisms."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import filterproof as fp

#: The distributions of one output on three data sets, all of them neighbours: chosen so that no pair of them dominates.
DISTRIBUTIONS = (
    (Fraction(1, 2), Fraction(1, 2)),
    (Fraction(3, 5), Fraction(2, 5)),
    (Fraction(2, 5), Fraction(3, 5)),
)
NEIGHBOURS = tuple(itertools.combinations(range(3), 2))
EPSILON = 1.3
MEMBERS = tuple(fp.FinitePair(*(tuple(map(float, DISTRIBUTIONS[x])) for x in two)) for two in NEIGHBOURS)


@given(
    st.lists(
        st.lists(st.sampled_from([0.25, 0.5, 1.0, 1.5]), min_size=3, max_size=3), min_size=1, max_size=8
    ),
    st.sampled_from([1.0, 2.25]),
)
def test_a_request_is_granted_while_the_largest_sum_over_pairs_fits(
    requests: list[list[float]], rho: float
) -> None:
    pairs = fp.people.PairwiseFilter(fp.RenyiFilter(2.0, rho), 3, on_denial="retry")
    by_the_largest, granted = fp.RenyiFilter(2.0, rho).open("retry"), True
    spent = [Fraction(0)] * 3
    for mus in requests:
        after = [sum_ + Fraction(mu) ** 2 for sum_, mu in zip(spent, mus, strict=True)]  # order 2
        fits = max(after) <= Fraction(rho)
        assert pairs.request(fp.Gaussian(np.array(mus))) is fits
        # until the first denial, what a filter that charges the largest loss of each round grants is granted here
        granted = by_the_largest.request(fp.Gaussian(max(mus))) and granted
        assert fits or not granted
        spent = after if fits else spent


def _transcripts(losses_of):
    """Every transcript of five rounds: its outputs, and its probability on each data set."""
    for outputs in itertools.product((0, 1), repeat=5):
        accountant, seen = fp.people.PairwiseFilter(fp.RealisationFilter(EPSILON, 0.0, 5, MEMBERS), 3), []
        for y in outputs:
            try:
                if not accountant.request(fp.PairPerRun(MEMBERS, np.arange(3))):
                    break
            except fp.FilterHaltedError:
                break
            seen.append(y)
            accountant.observe(losses_of(y))
        if seen == list(outputs) or all(y == 0 for y in outputs[len(seen) :]):  # each transcript once
            yield (
                seen,
                [
                    math.prod((distribution[y] for y in seen), start=Fraction(1))
                    for distribution in DISTRIBUTIONS
                ],
            )


def test_the_realisation_filter_keeps_its_promise_on_every_pair_of_three_data_sets() -> None:
    """In fractions. Told the loss of the first pair for all, it passes epsilon on another."""

    def worst(transcripts):
        return max(math.log(p / q) for _, chances in transcripts for p in chances for q in chances)

    losses = [
        np.array([math.log(DISTRIBUTIONS[a][y] / DISTRIBUTIONS[b][y]) for a, b in NEIGHBOURS]) for y in (0, 1)
    ]
    all_ = list(_transcripts(lambda y: losses[y]))
    for k in range(3):
        assert sum(chances[k] for _, chances in all_) == 1
    assert 0.6 * EPSILON < worst(all_) <= EPSILON
    assert len({len(seen) for seen, _ in all_}) > 1  # it stops by what was realised
    assert worst(_transcripts(lambda y: np.full(3, losses[y][0]))) > EPSILON


def test_a_denial_halts_or_not_and_losses_are_due_once() -> None:
    halting = fp.people.PairwiseFilter(fp.ZCDPFilter(0.5), 2)
    assert not halting.request(fp.Gaussian(np.array([0.1, 1.1])))
    with pytest.raises(fp.FilterHaltedError, match="before the first denial"):
        halting.request(fp.Gaussian(0.1))
    realised = fp.people.PairwiseFilter(fp.RealisationFilter(4.0, 0.0, 8, MEMBERS), 3, on_denial="retry")
    for _ in range(2):
        with pytest.raises(RuntimeError, match="no release waits"):
            realised.observe(np.zeros(3))
        assert realised.request(MEMBERS[0])
        with pytest.raises(RuntimeError, match="call observe"):
            realised.request(MEMBERS[0])
        for wrong in (np.zeros(2), np.array([0.0, math.nan, 0.0])):
            with pytest.raises(ValueError, match="losses must be 3 numbers"):
                realised.observe(wrong)
        realised.observe(np.zeros(3))
    with pytest.raises(ValueError, match="request must have one pair or 3"):
        realised.request(fp.Gaussian(np.ones(2)))
