"""The order of pairs by hockey-sticks and by tests: what the kernel proves, seen on small pairs by linear programs."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from scipy import optimize, stats

import filterproof as fp

Q = Fraction


def pair(p: str, q: str) -> fp.FinitePair:
    return fp.FinitePair(tuple(map(Q, p.split())), tuple(map(Q, q.split())))


PAIRS = {
    "coin": pair("2/3 1/3", "1/3 2/3"),
    "two coins": pair("4/9 4/9 1/9", "1/9 4/9 4/9"),
    "worse coin": pair("3/5 2/5", "2/5 3/5"),
    "revealing": pair("1/10 0 9/10", "0 1/10 9/10"),
}


def most_hits(law: fp.FinitePair, alarms: float) -> float:
    """The most hits of any test, by a linear program."""
    found = optimize.linprog(
        -np.array(law.p, dtype=float), np.array([law.q], dtype=float), [alarms], bounds=(0, 1), method="highs"
    )
    return -float(found.fun)


def corners(law: fp.FinitePair) -> list[float]:
    """False alarms between which the most hits of this pair are linear."""
    order = sorted(zip(law.p, law.q, strict=True), key=lambda one: -one[0] / one[1] if one[1] else -np.inf)
    return [float(sum(q for _, q in order[:k])) for k in range(len(order) + 1)]


@pytest.mark.parametrize(("one", "other"), tuple(itertools.permutations(PAIRS, 2)))
def test_a_pair_is_above_at_every_epsilon_where_its_tests_are_as_good_and_only_there(
    one: str, other: str
) -> None:
    low, high = PAIRS[one], PAIRS[other]
    ratios = {Q(0), *(p / q for law in (low, high) for p, q in zip(law.p, law.q, strict=True) if q)}

    def stick(law: fp.FinitePair, y: Fraction) -> Fraction:
        return sum((max(p - y * q, Q(0)) for p, q in zip(law.p, law.q, strict=True)), Q(0))

    above = all(stick(low, y) <= stick(high, y) for y in ratios)
    harder = all(
        most_hits(low, alarms) <= most_hits(high, alarms) + 1e-9 for alarms in {*corners(low), *corners(high)}
    )
    assert above is harder
    assert above is (
        (one, other) in {("coin", "two coins"), ("worse coin", "coin"), ("worse coin", "two coins")}
    )


def test_a_test_of_a_thresholded_gaussian_is_at_the_bound_and_of_more_mu_above_it() -> None:
    for t in (-1.5, 0.0, 0.7):
        hits, alarms = stats.norm.cdf(t + 0.8), stats.norm.cdf(t)
        exact = fp.FinitePair((Q(hits), 1 - Q(hits)), (Q(alarms), 1 - Q(alarms)))
        assert float(exact.gdp_mu) == pytest.approx(0.8, rel=1e-9)
